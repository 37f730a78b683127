//! Sites, distances and time windows as the searches read them: flat tables in the order of the sites.

use crate::rules::TOLERANCE;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A value above every number of a route: "no route", "not served".
pub(crate) const NONE: u16 = u16::MAX;

/// The most sites, the depot included: the tables of distances take 8 bytes for each pair.
pub const MAX_SITES: usize = 4_001;

/// The most sites whose shortest ways are computed: n^3 steps.
pub(crate) const MAX_CLOSED: usize = 801;

/// By how much sums of the same numbers in another order differ at most, relatively, with a margin.
const ORDER: f64 = 1e-11;

/// Neighbours listed for each customer: enough for every string that a ruin removes.
const NEAR: usize = 1_000;

/// From this number of customers on, insertions are tried in the routes of likely neighbours alone.
const GRANULAR: usize = 201;

/// The likely neighbours of a customer.
const LIKELY: usize = 40;

/// A table of distances, and its transpose.
#[derive(Debug)]
struct Distances<T> {
    /// `to[i * size + j]`: the distance from i to j.
    to: Vec<T>,
    /// Empty where distances are symmetric.
    from: Vec<T>,
}

/// By site: the latest starts of the service.
#[derive(Debug)]
struct Latest {
    /// The latest that counts as in time.
    latest: Vec<f64>,
    /// That of routes that are built by insertion.
    firm: Vec<f64>,
    /// A start that was estimated is late for certain only if it is later than this.
    certain: Vec<f64>,
}

/// A list of customers for each customer, all of the same length: row c - 1 is that of customer c.
#[derive(Debug, Default)]
struct Lists {
    rows: Vec<u16>,
    length: usize,
}

/// Distances, windows and demands of an instance, site 0 being the depot.
///
/// A distance is a travel time as well. In a decimal instance (see [`rules`](crate::rules)) all numbers are multiplied
/// by [`scale`](Self::scale), so that they are whole and sums exact.
#[derive(Debug)]
pub struct Network {
    size: usize,
    wide: Distances<f64>,
    /// The same in half the memory, where that changes no number: in exact networks with short ways. What scans whole
    /// routes reads these.
    narrow: Distances<f32>,
    ready: Vec<f64>,
    due: Vec<f64>,
    service: Vec<f64>,
    demand: Vec<u32>,
    limits: Limits,
    ends: Latest,
    /// By site: the quickest way home, over other customers where that is quicker than the direct way.
    home: Vec<f64>,
    detours: bool,
    /// Each customer and its nearest customers, ascending.
    near: Lists,
    /// The likely neighbours; empty where the time of the return counts.
    likely: Lists,
    has_windows: bool,
    /// The bound on vehicles, once it is asked for.
    pub(crate) fewest: OnceLock<usize>,
}

/// Whether a table is its own transpose: square by square, so that both sides of the diagonal are read in rows.
fn is_symmetric(table: &[f64], size: usize) -> bool {
    const SIDE: usize = 64;
    let blocks = || (0..size).step_by(SIDE).map(|begin| begin..(begin + SIDE).min(size));
    blocks().all(|rows| {
        let is_alike = |i: usize, j: usize| table[i * size + j] == table[j * size + i];
        blocks()
            .take_while(|columns| columns.start <= rows.start)
            .all(|columns| rows.clone().all(|i| columns.clone().all(|j| is_alike(i, j))))
    })
}

/// The ways to a site from all sites, and those from it where they differ.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ways<'n> {
    Wide(&'n [f64], Option<&'n [f64]>),
    /// The same numbers in half the memory.
    Narrow(&'n [f32], Option<&'n [f32]>),
}

/// Single precision holds all whole numbers up to this one.
const MOST_NARROW: f64 = 16_777_216.0;

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
    /// Whether all numbers are whole and all sums of them exact: nothing may be late. Otherwise a visit may be late by
    /// the [tolerance](TOLERANCE).
    pub exact: bool,
}

impl Network {
    /// Returns a network of sites with the distances `to`, row by row.
    ///
    /// # Panics
    /// When the table does not fit the sites, or there are more than [`MAX_SITES`] of them.
    #[must_use]
    pub fn new(visits: &[Visit], to: Vec<f64>, limits: Limits) -> Self {
        let exact = limits.exact;
        let size = visits.len();
        assert!(size <= MAX_SITES && to.len() == size * size, "a table of distances between all sites");
        let symmetric = is_symmetric(&to, size);
        let from =
            if symmetric { Vec::new() } else { (0..size * size).map(|at| to[at % size * size + at / size]).collect() };
        // Whole numbers by the rules, see `exact`.
        let is_narrow = exact && to.iter().all(|&way| way <= MOST_NARROW && f64::from(way as f32) == way);
        let narrow = |table: &[f64]| match is_narrow {
            true => table.iter().map(|&way| way as f32).collect(),
            false => Vec::new(),
        };
        let narrow = Distances { to: narrow(&to), from: narrow(&from) };
        let by_due = |tolerance: f64| {
            let late = |due: f64| if exact { due } else { due + due * tolerance };
            visits.iter().map(|visit| late(visit.due)).collect()
        };
        let ends =
            Latest { latest: by_due(TOLERANCE), firm: by_due(TOLERANCE / 2.0), certain: by_due(TOLERANCE + ORDER) };
        let has_windows = visits.iter().skip(1).any(|visit| visit.ready > visits[0].ready || visit.due < visits[0].due);
        let mut network = Self {
            size,
            wide: Distances { to, from },
            narrow,
            ready: visits.iter().map(|visit| visit.ready).collect(),
            due: visits.iter().map(|visit| visit.due).collect(),
            service: visits.iter().map(|visit| visit.service).collect(),
            demand: visits.iter().map(|visit| visit.demand).collect(),
            limits,
            ends,
            home: Vec::new(),
            detours: false,
            near: Lists::default(),
            likely: Lists::default(),
            has_windows,
            fewest: OnceLock::new(),
        };
        network.list_neighbors();
        network.list_likely();
        network.find_home();
        network
    }

    /// The quickest ways home, with the services on them, by the algorithm of Dijkstra.
    fn find_home(&mut self) {
        let n = self.size;
        self.home = (0..n).map(|i| self.distance(i, 0)).collect();
        if self.limits.metric || n == 0 {
            return;
        }
        let mut open = vec![true; n];
        open[0] = false;
        for _ in 1..n {
            let next = (1..n).filter(|&k| open[k]).min_by(|&a, &b| self.home[a].total_cmp(&self.home[b]));
            let Some(k) = next else { break };
            open[k] = false;
            let behind = self.service[k] + self.home[k];
            for i in (1..n).filter(|&i| open[i]) {
                let over = self.distance(i, k) + behind;
                if over < self.home[i] {
                    self.home[i] = over;
                    self.detours = true;
                }
            }
        }
    }

    /// By the mean of both directions, ties by number.
    fn list_neighbors(&mut self) {
        let customers = self.size.saturating_sub(1);
        self.near.length = customers.min(NEAR);
        let mut near = Vec::with_capacity(customers * self.near.length);
        let mut row: Vec<(f64, u16)> = Vec::with_capacity(customers);
        for c in 1..self.size {
            row.clear();
            // The customer itself is first, even among customers at the same place.
            let key = |other: usize| if other == c { -1.0 } else { self.distance(c, other) + self.distance(other, c) };
            row.extend((1..self.size).map(|other| (key(other), other as u16)));
            keep_least(&mut row, self.near.length);
            near.extend(row.iter().map(|&(_, other)| other));
        }
        self.near.rows = near;
    }

    /// By the distance, a fifth of the waiting and the lateness that one visit behind the other has at least, in the
    /// better order. After T. Vidal, T. G. Crainic, M. Gendreau and C. Prins, Computers & Operations Research 40, 2013,
    /// pages 475-489; the weight of waiting is that of PyVRP.
    fn list_likely(&mut self) {
        let customers = self.size.saturating_sub(1);
        if customers < 2 || self.limits.timed {
            return;
        }
        self.likely.length = LIKELY.min(customers - 1);
        let behind = |i: usize, j: usize| {
            let way = self.distance(i, j);
            let wait = (self.ready[j] - way - self.service[i] - self.due[i]).max(0.0);
            let late = (self.ready[i] + self.service[i] + way - self.due[j]).max(0.0);
            way + 0.2 * wait + late
        };
        let mut likely = Vec::with_capacity(customers * self.likely.length);
        let mut row: Vec<(f64, u16)> = Vec::with_capacity(customers);
        for c in 1..self.size {
            row.clear();
            let others = (1..self.size).filter(|&other| other != c);
            row.extend(others.map(|other| (behind(c, other).min(behind(other, c)), other as u16)));
            keep_least(&mut row, self.likely.length);
            likely.extend(row.iter().map(|&(_, other)| other));
        }
        self.likely.rows = likely;
    }

    /// Returns the number of sites, the depot included.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of customers: sites without the depot.
    #[inline]
    #[must_use]
    pub fn customers(&self) -> usize {
        self.size - 1
    }

    /// Returns the distance from site `i` to site `j`.
    #[inline]
    #[must_use]
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.wide.to[i * self.size + j]
    }

    /// Returns the distances from site `i` to all sites.
    #[inline]
    #[must_use]
    pub fn from_site(&self, i: usize) -> &[f64] {
        &self.wide.to[i * self.size..(i + 1) * self.size]
    }

    /// Returns the distances from all sites to `j`.
    #[inline]
    #[must_use]
    pub fn to_site(&self, j: usize) -> &[f64] {
        let table = if self.wide.from.is_empty() { &self.wide.to } else { &self.wide.from };
        &table[j * self.size..(j + 1) * self.size]
    }

    /// Returns the ways to and from site `c`, in the smallest table that holds them.
    #[inline]
    pub(crate) fn ways(&self, c: usize) -> Ways<'_> {
        let row = c * self.size..(c + 1) * self.size;
        match (self.narrow.to.is_empty(), self.wide.from.is_empty()) {
            (true, true) => Ways::Wide(&self.wide.to[row], None),
            (true, false) => Ways::Wide(&self.wide.from[row.clone()], Some(&self.wide.to[row])),
            (false, true) => Ways::Narrow(&self.narrow.to[row], None),
            (false, false) => Ways::Narrow(&self.narrow.from[row.clone()], Some(&self.narrow.to[row])),
        }
    }

    /// Returns the least time between leaving one site and arriving at another, row by row, over any customers with
    /// their services: where a direct way may be longer than a detour, by the algorithm of Floyd and Warshall. `None`:
    /// that would take too long.
    #[must_use]
    pub fn quickest(&self) -> Option<Cow<'_, [f64]>> {
        if self.limits.metric {
            return Some(Cow::Borrowed(&self.wide.to));
        }
        if self.size > MAX_CLOSED {
            return None;
        }
        let n = self.size;
        let mut table = self.wide.to.clone();
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

    /// Returns the earliest start of the service at `i`.
    #[inline]
    #[must_use]
    pub fn ready(&self, i: usize) -> f64 {
        self.ready[i]
    }

    /// Returns the latest start of the service at `i`; infinite without a window.
    #[inline]
    #[must_use]
    pub fn due(&self, i: usize) -> f64 {
        self.due[i]
    }

    /// Returns the time of the service at `i`.
    #[inline]
    #[must_use]
    pub fn service(&self, i: usize) -> f64 {
        self.service[i]
    }

    /// Returns the demand of `i`.
    #[inline]
    #[must_use]
    pub fn demand(&self, i: usize) -> u32 {
        self.demand[i]
    }

    /// Returns what a vehicle carries.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.limits.capacity
    }

    /// Returns the most vehicles, which are never more than customers.
    #[inline]
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.limits.vehicles
    }

    /// Returns the units of the network in a unit of the file: a power of ten in a decimal instance, else 1.
    #[inline]
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.limits.scale
    }

    /// Whether all numbers are whole and all sums of times and distances exact.
    #[inline]
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.limits.exact
    }

    /// Whether the direct way is the quickest one everywhere.
    #[inline]
    #[must_use]
    pub fn is_metric(&self) -> bool {
        self.limits.metric
    }

    /// Returns the latest start of the service at `i` that counts as in time: its due time, and the tolerance where
    /// sums are not exact.
    #[inline]
    #[must_use]
    pub fn latest(&self, i: usize) -> f64 {
        self.ends.latest[i]
    }

    /// As [`latest`](Self::latest), less a margin for walking a route forward and backward, which differs in the last
    /// digits where sums are not exact.
    #[inline]
    #[must_use]
    pub fn firm(&self, i: usize) -> f64 {
        self.ends.firm[i]
    }

    /// Returns a start of the service at `i` that is a sum in another order than a route's is late for certain only
    /// behind this.
    #[inline]
    #[must_use]
    pub fn certainly_late(&self, i: usize) -> f64 {
        self.ends.certain[i]
    }

    /// Returns the least time between leaving `i` and the return to the depot, over other customers where that is
    /// quicker than the direct way.
    #[inline]
    #[must_use]
    pub fn way_home(&self, i: usize) -> f64 {
        self.home[i]
    }

    /// Whether the way home over other customers is quicker for some customer.
    #[inline]
    #[must_use]
    pub fn has_detours(&self) -> bool {
        self.detours
    }

    /// Whether a route costs the time of its return instead of its distance.
    #[inline]
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.limits.timed
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
        &self.near.rows[(c - 1) * self.near.length..c * self.near.length]
    }

    /// Whether insertions are tried in the routes of [likely](Self::likely) neighbours: where there are many customers,
    /// and not the time of the return but the distance counts.
    #[inline]
    #[must_use]
    pub fn is_granular(&self) -> bool {
        self.size > GRANULAR && !self.limits.timed
    }

    /// Returns the customers beside which `c` is likely to be visited, the likeliest first (at most 40); empty where
    /// the time of the return counts.
    #[inline]
    #[must_use]
    pub fn likely(&self, c: usize) -> &[u16] {
        self.likely.rows.get((c - 1) * self.likely.length..c * self.likely.length).unwrap_or_default()
    }
}

/// Sorts the `length` least entries, ties by number, and drops the others.
fn keep_least(row: &mut Vec<(f64, u16)>, length: usize) {
    let order = |a: &(f64, u16), b: &(f64, u16)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if length < row.len() {
        row.select_nth_unstable_by(length, order);
        row.truncate(length);
    }
    row.sort_unstable_by(order);
}
