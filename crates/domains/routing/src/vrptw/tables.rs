//! The tables of the searches: whole numbers where the instance is decimal, doubles otherwise.

use super::{Edges, Instance, Rounding};
use crate::fixed_point::{decimals, is_short, power, units};
use crate::network::{Limits, Network, Visit};
use crate::rules::MOST_UNITS;

/// Distances in units, and how many units make one of the file.
struct Whole {
    table: Vec<f64>,
    scale: f64,
}

impl Instance {
    /// Returns the tables of the searches: whole numbers where the instance is decimal, see [`rules`](crate::rules).
    #[must_use]
    pub fn network(&self, rounding: Rounding) -> Network {
        let whole = whole(self, rounding);
        let exact = whole.is_some();
        let Whole { table, scale } = whole.unwrap_or_else(|| Whole { table: doubles(self, rounding), scale: 1.0 });
        let scaled = |time: f64| if exact { units(time, scale) } else { time };
        let visits: Vec<Visit> = self
            .sites
            .iter()
            .map(|site| Visit {
                demand: site.demand,
                ready: scaled(site.ready),
                due: scaled(site.due),
                service: scaled(site.service),
            })
            .collect();
        let customers = self.sites.len() - 1;
        let vehicles = self.vehicles.map_or(customers, |most| customers.min(most as usize));
        // A rounded leg loses less than a step: a service of a step makes up for it.
        let metric = self.edges == Edges::Euclidean
            && step(rounding).is_none_or(|(_, step)| self.sites.iter().skip(1).all(|site| site.service >= step));
        Network::new(&visits, table, Limits { capacity: self.capacity, vehicles, scale, metric, timed: false, exact })
    }
}

/// The decimals that distances are rounded to, and the last of them as a number.
fn step(rounding: Rounding) -> Option<(u32, f64)> {
    match rounding {
        Rounding::Exact => None,
        Rounding::OneDecimal => Some((1, 0.1)),
        Rounding::Nearest => Some((0, 1.0)),
    }
}

/// The straight line between two sites.
fn line(instance: &Instance, i: usize, j: usize) -> f64 {
    let (a, b) = (&instance.sites[i], &instance.sites[j]);
    let (x, y) = (a.x - b.x, a.y - b.y);
    (x * x + y * y).sqrt()
}

fn doubles(instance: &Instance, rounding: Rounding) -> Vec<f64> {
    let size = instance.sites.len();
    let way = |at: usize| {
        let plain = match &instance.edges {
            _ if at / size == at % size => 0.0,
            Edges::Euclidean => line(instance, at / size, at % size),
            Edges::Explicit(given) => given[at],
        };
        match rounding {
            Rounding::Exact => plain,
            Rounding::OneDecimal => (plain * 10.0).floor() / 10.0,
            Rounding::Nearest => (plain + 0.5).floor(),
        }
    };
    (0..size * size).map(way).collect()
}

/// `None`: the instance is not decimal.
fn whole(instance: &Instance, rounding: Rounding) -> Option<Whole> {
    let sites = &instance.sites;
    let times = sites.iter().flat_map(|site| [site.ready, site.due, site.service]).filter(|time| time.is_finite());
    let times = decimals(times)?;
    let (table, longest, places) = match &instance.edges {
        Edges::Explicit(given) => explicit(given, sites.len(), rounding, times)?,
        Edges::Euclidean => straight(instance, step(rounding)?.0, times)?,
    };
    let scale = power(places);
    let most = |pick: fn(&super::Site) -> f64| sites.iter().map(pick).fold(0.0, f64::max);
    let (service, ready) = (units(most(|site| site.service), scale), units(most(|site| site.ready), scale));
    is_short(sites.len(), longest, service, ready).then_some(Whole { table, scale })
}

/// Distances in the least unit that holds them, times with that number of decimals, the longest one, the decimals.
type Measured = (Vec<f64>, u128, u32);

fn explicit(given: &[f64], size: usize, rounding: Rounding, times: u32) -> Option<Measured> {
    // No way leads from a site to itself.
    let given = || given.iter().enumerate().map(|(at, &way)| if at / size == at % size { 0.0 } else { way });
    let own = decimals(given())?;
    let places = times.max(step(rounding).map_or(own, |(places, _)| places));
    // The rounding is that of whole numbers.
    let fine = power(own.max(1));
    let part = 10_u64.pow(own.max(1) - step(rounding).map_or(0, |(places, _)| places));
    let rest = step(rounding).map_or(1, |(kept, _)| 10_u64.pow(places - kept));
    if step(rounding).is_some() && given().any(|way| way * fine > MOST_UNITS as f64) {
        return None;
    }
    let mut longest = 0;
    let way = |given: f64| {
        let way = match rounding {
            Rounding::Exact => units(given, power(places)),
            Rounding::OneDecimal => (units(given, fine) as u64 / part * rest) as f64,
            Rounding::Nearest => ((units(given, fine) as u64 + part / 2) / part * rest) as f64,
        };
        longest = longest.max(way as u128);
        way
    };
    let table = given().map(way).collect();
    Some((table, longest, places))
}

/// Straight lines rounded to `kept` decimals.
fn straight(instance: &Instance, kept: u32, times: u32) -> Option<Measured> {
    let sites = &instance.sites;
    let own = decimals(sites.iter().flat_map(|site| [site.x, site.y]))?;
    let scale = power(own);
    let places: Vec<(i128, i128)> =
        sites.iter().map(|site| ((site.x * scale).round() as i128, (site.y * scale).round() as i128)).collect();
    let reach = sites.iter().map(|site| site.x.abs().max(site.y.abs())).fold(0.0, f64::max);
    if reach * scale > MOST_UNITS as f64 {
        return None;
    }
    let span = |values: &dyn Fn(&(i128, i128)) -> i128| {
        let (low, high) = places.iter().map(values).fold((i128::MAX, i128::MIN), |(a, b), v| (a.min(v), b.max(v)));
        (high - low).unsigned_abs()
    };
    let box_size = span(&|place| place.0) + span(&|place| place.1);
    let decimals = times.max(kept);
    let longest = (box_size.div_ceil(10_u128.pow(own)) + 1) * 10_u128.pow(decimals);
    if longest > u128::from(MOST_UNITS) {
        return None;
    }
    let rest = 10_u64.pow(decimals - kept) as f64;
    // In steps of the rounding: the square of the distance, by which it is looked at again near a whole number.
    let (parts, half) = if kept == 1 { (10.0, 0.0) } else { (1.0, 0.5) };
    let size = sites.len();
    let way = |at: usize| {
        let (i, j) = (at / size, at % size);
        let value = line(instance, i, j) * parts + half;
        let low = value.floor();
        let doubt = (value + reach) * 1e-13;
        let steps = if value - low > doubt && low + 1.0 - value > doubt {
            low
        } else {
            let (a, b) = (places[i], places[j]);
            let (x, y) = ((a.0 - b.0).unsigned_abs(), (a.1 - b.1).unsigned_abs());
            let square = x * x + y * y;
            let unit = 10_u128.pow(own).pow(2);
            match kept {
                1 => (square * 100 / unit).isqrt() as f64,
                _ => ((square * 4 / unit).isqrt().div_ceil(2)) as f64,
            }
        };
        steps * rest
    };
    Some(((0..size * size).map(way).collect(), longest, decimals))
}
