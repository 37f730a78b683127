//! Sites, distances and time windows as the searches read them: flat tables in the order of the sites.

use std::borrow::Cow;
use std::sync::OnceLock;

/// A value above every number of a route: "no route", "not served".
pub(crate) const NONE: u16 = u16::MAX;

/// The most sites, the depot included: the tables of distances take 8 bytes for each pair.
pub const MAX_SITES: usize = 4_001;

/// The most sites whose shortest ways are computed: n^3 steps.
const MAX_CLOSED: usize = 801;

/// Neighbours listed for each customer: enough for every string that a ruin removes.
const NEAR: usize = 1_000;

/// Distances, windows and demands of an instance, site 0 being the depot.
///
/// A distance is a travel time as well. Where distances are rounded, all numbers are multiplied by
/// [`scale`](Self::scale), so that they are whole and sums exact.
#[derive(Debug)]
pub struct Network {
    size: usize,
    /// `to[i * size + j]`: the distance from i to j.
    to: Vec<f64>,
    /// The transposed table; empty where distances are symmetric.
    from: Vec<f64>,
    ready: Vec<f64>,
    due: Vec<f64>,
    service: Vec<f64>,
    demand: Vec<u32>,
    capacity: u32,
    vehicles: usize,
    scale: f64,
    slack: f64,
    /// Row c - 1: customer c and its nearest customers, ascending.
    near: Vec<u16>,
    near_length: usize,
    has_windows: bool,
    metric: bool,
    timed: bool,
    /// The bound on vehicles, once it is asked for.
    pub(crate) fewest: OnceLock<usize>,
}

/// What a site asks for, in the units of the network.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Demand.
    pub demand: u32,
    /// The earliest start of the service.
    pub ready: f64,
    /// The latest start of the service.
    pub due: f64,
    /// Time of the service.
    pub service: f64,
}

/// What holds for all vehicles and distances of a network.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What a vehicle carries.
    pub capacity: u32,
    /// Vehicles at most.
    pub vehicles: usize,
    /// Units of the network in a unit of the file.
    pub scale: f64,
    /// Whether no detour over another site, with the service there, is quicker than the direct way.
    pub metric: bool,
    /// Whether a route costs the time of its return instead of its distance.
    pub timed: bool,
}

impl Network {
    /// A network of sites with the distances `to`, row by row.
    ///
    /// # Panics
    /// When the table does not fit the sites, or there are more than [`MAX_SITES`] of them.
    #[must_use]
    pub fn new(visits: &[Visit], to: Vec<f64>, limits: Limits) -> Self {
        let Limits { capacity, vehicles, scale, metric, timed } = limits;
        let size = visits.len();
        assert!(size <= MAX_SITES && to.len() == size * size, "a table of distances between all sites");
        let symmetric = (0..size).all(|i| (0..i).all(|j| to[i * size + j] == to[j * size + i]));
        let from =
            if symmetric { Vec::new() } else { (0..size * size).map(|at| to[at % size * size + at / size]).collect() };
        let horizon = visits.iter().map(|visit| visit.due).filter(|due| due.is_finite()).fold(0.0, f64::max);
        let has_windows = visits.iter().skip(1).any(|visit| visit.ready > visits[0].ready || visit.due < visits[0].due);
        let mut network = Self {
            size,
            to,
            from,
            ready: visits.iter().map(|visit| visit.ready).collect(),
            due: visits.iter().map(|visit| visit.due).collect(),
            service: visits.iter().map(|visit| visit.service).collect(),
            demand: visits.iter().map(|visit| visit.demand).collect(),
            capacity,
            vehicles,
            scale,
            slack: horizon * 1e-11,
            near: Vec::new(),
            near_length: 0,
            has_windows,
            metric,
            timed,
            fewest: OnceLock::new(),
        };
        network.list_neighbors();
        network
    }

    /// By the mean of both directions, ties by number.
    fn list_neighbors(&mut self) {
        let customers = self.size.saturating_sub(1);
        self.near_length = customers.min(NEAR);
        let mut near = Vec::with_capacity(customers * self.near_length);
        let mut row: Vec<(f64, u16)> = Vec::with_capacity(customers);
        for c in 1..self.size {
            row.clear();
            // The customer itself is first, even among customers at the same place.
            let key = |other: usize| if other == c { -1.0 } else { self.distance(c, other) + self.distance(other, c) };
            row.extend((1..self.size).map(|other| (key(other), other as u16)));
            let order = |a: &(f64, u16), b: &(f64, u16)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if self.near_length < customers {
                row.select_nth_unstable_by(self.near_length, order);
                row.truncate(self.near_length);
            }
            row.sort_unstable_by(order);
            near.extend(row.iter().map(|&(_, other)| other));
        }
        self.near = near;
    }

    /// Sites, the depot included.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Customers: sites without the depot.
    #[inline]
    #[must_use]
    pub fn customers(&self) -> usize {
        self.size - 1
    }

    /// The distance from site `i` to site `j`.
    #[inline]
    #[must_use]
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.to[i * self.size + j]
    }

    /// Distances from site `i` to all.
    #[inline]
    #[must_use]
    pub fn from_site(&self, i: usize) -> &[f64] {
        &self.to[i * self.size..(i + 1) * self.size]
    }

    /// Distances from all sites to `j`.
    #[inline]
    #[must_use]
    pub fn to_site(&self, j: usize) -> &[f64] {
        let table = if self.from.is_empty() { &self.to } else { &self.from };
        &table[j * self.size..(j + 1) * self.size]
    }

    /// The least time between leaving one site and arriving at another, row by row, over any customers with their
    /// services: where a direct way may be longer than a detour, by the algorithm of Floyd and Warshall. `None`: that
    /// would take too long.
    #[must_use]
    pub fn quickest(&self) -> Option<Cow<'_, [f64]>> {
        if self.metric {
            return Some(Cow::Borrowed(&self.to));
        }
        if self.size > MAX_CLOSED {
            return None;
        }
        let n = self.size;
        let mut table = self.to.clone();
        // No way leads over the depot.
        for k in 1..n {
            for i in 0..n {
                let way = table[i * n + k] + self.service[k];
                for j in 0..n {
                    let over = way + table[k * n + j];
                    if over < table[i * n + j] {
                        table[i * n + j] = over;
                    }
                }
            }
        }
        Some(Cow::Owned(table))
    }

    /// The earliest start of the service at `i`.
    #[inline]
    #[must_use]
    pub fn ready(&self, i: usize) -> f64 {
        self.ready[i]
    }

    /// The latest start of the service at `i`; infinite without a window.
    #[inline]
    #[must_use]
    pub fn due(&self, i: usize) -> f64 {
        self.due[i]
    }

    /// The time of the service at `i`.
    #[inline]
    #[must_use]
    pub fn service(&self, i: usize) -> f64 {
        self.service[i]
    }

    /// The demand of `i`.
    #[inline]
    #[must_use]
    pub fn demand(&self, i: usize) -> u32 {
        self.demand[i]
    }

    /// What a vehicle carries.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Vehicles at most: never more than customers.
    #[inline]
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.vehicles
    }

    /// Units of the network in a unit of the file: 10 where distances have one decimal, else 1.
    #[inline]
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Rounding errors that a walk along a route may make at most, with a margin: 10^-11 of the horizon.
    #[inline]
    #[must_use]
    pub fn slack(&self) -> f64 {
        self.slack
    }

    /// Whether a route costs the time of its return instead of its distance.
    #[inline]
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// Whether a customer's window is narrower than the depot's.
    #[must_use]
    pub fn has_windows(&self) -> bool {
        self.has_windows
    }

    /// Customer `c`, then its nearest customers (at most 999), ascending by distance.
    #[inline]
    #[must_use]
    pub fn near(&self, c: usize) -> &[u16] {
        &self.near[(c - 1) * self.near_length..c * self.near_length]
    }
}
