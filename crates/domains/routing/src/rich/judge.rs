//! The rules of an instance, route by route: what verification and explanations ask.

use super::{Instance, Kind};
use crate::rules::TOLERANCE;
use crate::verdict::{Amount, allowed, shown};
use crate::vrptw::Rounding;
use crate::vrptw::exact::{Numbers, doubles, whole};

/// A route: the kind of its vehicle, counted from 1, and its visits.
pub(super) type Routed = (usize, Vec<u32>);

/// The rules of an instance: whole numbers if it is decimal, doubles and a tolerance if not, see
/// [`rules`](crate::rules).
pub(super) struct Judge<'i> {
    pub(super) instance: &'i Instance,
    numbers: Kinds<'i>,
}

/// The numbers that the rules ask for.
enum Kinds<'i> {
    Whole(Numbers<'i, i128>),
    Doubles(Numbers<'i, f64>),
}

impl<'i> Judge<'i> {
    /// `sites` are those of the instance.
    pub(super) fn new(instance: &'i Instance, sites: &'i crate::vrptw::Instance, rounding: Rounding) -> Self {
        let numbers = whole(sites, rounding).map_or_else(|| Kinds::Doubles(doubles(sites, rounding)), Kinds::Whole);
        Self { instance, numbers }
    }

    /// The distance of a route, or its first violation.
    pub(super) fn drive(&self, number: usize, kind: usize, visits: &[u32]) -> Result<f64, String> {
        match &self.numbers {
            Kinds::Whole(numbers) => Driver { instance: self.instance, numbers }.drive(number, kind, visits),
            Kinds::Doubles(numbers) => Driver { instance: self.instance, numbers }.drive(number, kind, visits),
        }
    }

    /// The distances of all routes.
    pub(super) fn drive_all(&self, routes: &[Routed]) -> Result<Vec<f64>, String> {
        routes.iter().enumerate().map(|(at, (kind, visits))| self.drive(at + 1, *kind, visits)).collect()
    }
}

/// Drives routes in the numbers of an instance.
struct Driver<'d, 'i, T> {
    instance: &'d Instance,
    numbers: &'d Numbers<'i, T>,
}

impl<T: Amount> Driver<'_, '_, T> {
    fn plain(&self, value: T) -> f64 {
        value.plain(self.numbers.unit)
    }

    fn drive(&self, number: usize, kind: usize, visits: &[u32]) -> Result<f64, String> {
        let (instance, numbers) = (self.instance, self.numbers);
        let vehicle = &instance.kinds[kind - 1];
        self.carry(number, vehicle, visits)?;
        let depot = vehicle.depot;
        let [opens, closes, stay] = numbers.times[depot];
        let (mut time, mut last, mut sum) = (opens + stay, depot, T::ZERO);
        for &visit in visits {
            let place = instance.location(visit as usize);
            let [ready, due, service] = numbers.times[place];
            let way = numbers.distance(last, place);
            let arrival = time + way;
            self.is_in_time(arrival, due, || format!("route {number} reaches visit {visit}"), "its due time")?;
            time = if arrival < ready { ready } else { arrival } + service;
            sum = sum + way;
            last = place;
        }
        let way = numbers.distance(last, depot);
        let back = time + way;
        let home = || format!("route {number} is back at depot {}", depot + 1);
        self.is_in_time(back, closes, home, "it closes")?;
        let distance = self.plain(sum + way);
        let duration = self.plain(back - self.latest_departure(depot, visits, back));
        let limits = [(distance, vehicle.farthest, "is", "long"), (duration, vehicle.longest, "takes", "at least")];
        for (found, most, verb, how) in limits {
            let tolerance = if T::IS_EXACT { 0.0 } else { most * TOLERANCE };
            if most.is_finite() && found > most + tolerance {
                let (found, allowed) = (shown(found), allowed(tolerance));
                return Err(format!("route {number} {verb} {found} {how}, at most {most} is possible{allowed}"));
            }
        }
        Ok(distance)
    }

    /// Whether a start is in time.
    fn is_in_time(&self, at: T, due: T, what: impl Fn() -> String, closing: &str) -> Result<(), String> {
        let tolerance = T::tolerance(due);
        if at <= due + tolerance {
            return Ok(());
        }
        let (at, due, allowed) = (self.plain(at), self.plain(due), allowed(self.plain(tolerance)));
        let late = shown(at - due);
        Err(format!("{} at {}, {late} after {closing} {}{allowed}", what(), shown(at), shown(due)))
    }

    /// The latest departure, before the service of the depot, with which a route is back at a time.
    fn latest_departure(&self, depot: usize, visits: &[u32], back: T) -> T {
        let numbers = self.numbers;
        let least = |a: T, b: T| if b < a { b } else { a };
        let (mut start, mut next) = (back, depot);
        for &visit in visits.iter().rev() {
            let place = self.instance.location(visit as usize);
            let [_, due, service] = numbers.times[place];
            start = least(due, start - numbers.distance(place, next) - service);
            next = place;
        }
        let [opens, closes, stay] = numbers.times[depot];
        let start = least(closes, start - numbers.distance(depot, next) - stay);
        // A visit may be late by the tolerance.
        if start < opens { opens } else { start }
    }

    /// Whether the load fits all along.
    fn carry(&self, number: usize, vehicle: &Kind, visits: &[u32]) -> Result<(), String> {
        let mut load = 0;
        for &visit in visits {
            load += self.instance.visits[visit as usize - 1].demand;
            if load > i64::from(vehicle.capacity) {
                let capacity = vehicle.capacity;
                return Err(format!("route {number} carries {load} behind visit {visit}, the capacity is {capacity}"));
            }
        }
        Ok(())
    }
}
