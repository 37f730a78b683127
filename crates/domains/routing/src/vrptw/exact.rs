//! The numbers of the verifier: distances and times of an instance, apart from the tables of the search.

use super::{Edges, Instance, Rounding, Site};
use crate::rules::MOST_UNITS;
use crate::verdict::{Amount, Decimal, allowed, in_units, is_short, shown};

/// Returns the distance between two sites, recomputed in doubles.
pub(crate) fn plain_distance(instance: &Instance, rounding: Rounding, from: usize, to: usize) -> f64 {
    let plain = match &instance.edges {
        _ if from == to => 0.0,
        Edges::Euclidean => {
            let (a, b) = (instance.sites[from], instance.sites[to]);
            ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).sqrt()
        }
        Edges::Explicit(table) => table[from * instance.sites.len() + to],
    };
    match rounding {
        Rounding::Exact => plain,
        Rounding::OneDecimal => (10.0 * plain).floor() / 10.0,
        Rounding::Nearest => (plain + 0.5).floor(),
    }
}

/// The distance between two sites of a decimal instance, in units of 10^-`decimals`.
fn exact_distance(instance: &Instance, rounding: Rounding, from: usize, to: usize, decimals: u32) -> Option<i128> {
    // Decimals under a rounding.
    let kept = if rounding == Rounding::OneDecimal { 1 } else { 0 };
    let steps = match &instance.edges {
        _ if from == to => 0,
        Edges::Explicit(table) => {
            let way = table[from * instance.sites.len() + to];
            if rounding == Rounding::Exact {
                return in_units(way, decimals);
            }
            let number = Decimal::of(way)?;
            let fine = number.decimals.max(1);
            let part = 10_i128.pow(fine - kept);
            let half = if rounding == Rounding::Nearest { part / 2 } else { 0 };
            (number.units(fine) + half).div_euclid(part)
        }
        Edges::Euclidean => {
            let (a, b) = (instance.sites[from], instance.sites[to]);
            let numbers = [a.x, a.y, b.x, b.y];
            let places = Decimal::places(numbers)?;
            let [ax, ay, bx, by] = numbers.map(|value| in_units(value, places).unwrap_or(0));
            let square = (ax - bx) * (ax - bx) + (ay - by) * (ay - by);
            let scale = 10_i128.pow(places);
            // The largest number of steps, or of half steps, whose square is not above.
            match rounding {
                Rounding::Nearest => ((4 * square / (scale * scale)).isqrt() + 1) / 2,
                _ => (100 * square / (scale * scale)).isqrt(),
            }
        }
    };
    Some(steps * 10_i128.pow(decimals - kept))
}

/// An instance in the numbers that its rules ask for.
pub(crate) struct Numbers<'i, T> {
    instance: &'i Instance,
    rounding: Rounding,
    /// Opening, closing and time of the service of each site.
    pub(crate) times: Vec<[T; 3]>,
    decimals: u32,
    way: fn(&Self, usize, usize) -> T,
    /// These make one of the file.
    pub(crate) unit: f64,
}

/// Returns whole numbers for a decimal instance, `None` for any other.
pub(crate) fn whole(instance: &Instance, rounding: Rounding) -> Option<Numbers<'_, i128>> {
    let all = |pick: fn(&Site) -> f64| instance.sites.iter().map(pick);
    let times = all(|site| site.ready).chain(all(|site| site.due)).chain(all(|site| site.service));
    let times = Decimal::places(times.filter(|time| time.is_finite()))?;
    let (longest, decimals) = match &instance.edges {
        Edges::Euclidean => rectangle(instance, rounding, times)?,
        Edges::Explicit(table) => longest(instance, table, rounding, times)?,
    };
    let time = |value: f64| in_units(value, decimals).unwrap_or(i128::MAX);
    let times: Vec<[i128; 3]> =
        instance.sites.iter().map(|site| [time(site.ready), time(site.due), time(site.service)]).collect();
    let (ready, service) = (times.iter().map(|site| site[0]).max()?, times.iter().map(|site| site[2]).max()?);
    let way = |numbers: &Numbers<'_, i128>, from: usize, to: usize| {
        let Numbers { instance, rounding, decimals, .. } = *numbers;
        // Every number has been read above.
        exact_distance(instance, rounding, from, to, decimals).unwrap_or(i128::from(MOST_UNITS))
    };
    let unit = 10_f64.powi(decimals as i32);
    let short = is_short(instance.sites.len(), longest, service, ready);
    short.then_some(Numbers { instance, rounding, times, decimals, way, unit })
}

/// The most that a rounded distance between coordinates can be, and the decimals of the unit.
fn rectangle(instance: &Instance, rounding: Rounding, times: u32) -> Option<(i128, u32)> {
    let kept = match rounding {
        Rounding::Exact => return None,
        Rounding::OneDecimal => 1,
        Rounding::Nearest => 0,
    };
    let places = Decimal::places(instance.sites.iter().flat_map(|site| [site.x, site.y]))?;
    let most = i128::from(MOST_UNITS);
    let mut span = 0;
    for pick in [|site: &Site| site.x, |site: &Site| site.y] {
        let values: Option<Vec<i128>> = instance.sites.iter().map(|site| in_units(pick(site), places)).collect();
        let values = values?;
        if values.iter().any(|value| value.abs() > most) {
            return None;
        }
        span += values.iter().max()? - values.iter().min()?;
    }
    let decimals = times.max(kept);
    let scale = 10_i128.pow(places);
    let longest = (span + scale - 1) / scale + 1;
    Some((longest * 10_i128.pow(decimals), decimals))
}

/// The longest distance of a table and the decimals of the unit.
fn longest(instance: &Instance, table: &[f64], rounding: Rounding, times: u32) -> Option<(i128, u32)> {
    let size = instance.sites.len();
    let ways = || table.iter().enumerate().filter(|(at, _)| at / size != at % size);
    let places = Decimal::places(ways().map(|(_, &way)| way))?;
    let (at, top) = ways().fold((0, 0.0), |most, (at, &way)| if way > most.1 { (at, way) } else { most });
    let decimals = match rounding {
        Rounding::Exact => times.max(places),
        Rounding::OneDecimal => times.max(1),
        Rounding::Nearest => times,
    };
    if rounding != Rounding::Exact && in_units(top, places.max(1))? > i128::from(MOST_UNITS) {
        return None;
    }
    Some((exact_distance(instance, rounding, at / size, at % size, decimals)?, decimals))
}

pub(crate) fn doubles(instance: &Instance, rounding: Rounding) -> Numbers<'_, f64> {
    let times = instance.sites.iter().map(|site| [site.ready, site.due, site.service]).collect();
    let way = |numbers: &Numbers<'_, f64>, from: usize, to: usize| {
        plain_distance(numbers.instance, numbers.rounding, from, to)
    };
    Numbers { instance, rounding, times, decimals: 0, way, unit: 1.0 }
}

impl<T: Amount> Numbers<'_, T> {
    /// Returns the distance between two sites.
    pub(crate) fn distance(&self, from: usize, to: usize) -> T {
        (self.way)(self, from, to)
    }

    /// Drives a route; the distance, or the first violation.
    pub(super) fn drive(&self, number: usize, route: &[u32]) -> Result<T, String> {
        let instance = self.instance;
        let load: u64 = route.iter().map(|&c| u64::from(instance.sites[c as usize].demand)).sum();
        if load > u64::from(instance.capacity) {
            return Err(format!("route {number} carries {load}, the capacity is {}", instance.capacity));
        }
        let plain = |value: T| value.plain(self.unit);
        let [opens, closes, stay] = self.times[0];
        let (mut time, mut last, mut sum) = (opens + stay, 0, T::ZERO);
        for &customer in route {
            let [ready, due, service] = self.times[customer as usize];
            let way = (self.way)(self, last, customer as usize);
            let arrival = time + way;
            let tolerance = T::tolerance(due);
            if arrival > due + tolerance {
                let (arrival, due) = (plain(arrival), plain(due));
                let (late, allowed) = (shown(arrival - due), allowed(plain(tolerance)));
                let (arrival, due) = (shown(arrival), shown(due));
                return Err(format!(
                    "route {number} reaches customer {customer} at {arrival}, {late} after its due time {due}{allowed}"
                ));
            }
            time = if arrival < ready { ready } else { arrival } + service;
            sum = sum + way;
            last = customer as usize;
        }
        let way = (self.way)(self, last, 0);
        let tolerance = T::tolerance(closes);
        if time + way > closes + tolerance {
            let (arrival, due, allowed) = (shown(plain(time + way)), shown(plain(closes)), allowed(plain(tolerance)));
            return Err(format!("route {number} is back at the depot at {arrival}, which closes at {due}{allowed}"));
        }
        Ok(sum + way)
    }
}
