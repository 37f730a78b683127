//! The giant tour, move by move.

use super::kernel::Repair;
use super::model::{Rich, Tour};
use super::tables::NONE;
use crate::anneal::Annealing;
use crate::search::{Parameters, Refinement, Routes, SISR};
use crate::sisr::SisrSettings;
use crate::sites::Sites;
use soloist::problem::{Entrant, Explain, Extras, Facts, Key, KeyHasher, NamedSearch, Prior};
use soloist::rollout::NamedRollout;
use soloist::{Problem, Score, Sense};
use std::hash::Hasher;
use std::sync::Arc;

impl Routes for Rich {
    type Kernel = Repair;

    fn annealing(&self, parameters: &Parameters) -> Annealing<Repair> {
        let kernel = Repair::new(Arc::clone(&self.tables), SisrSettings::tuned());
        Annealing::over(kernel, parameters.schedule())
    }

    /// The routes in the order of the kinds and of their first visits, then the customers that can follow.
    fn play(&self, tour: &[u16], moves: &mut Vec<u16>) {
        self.canonical(tour, moves);
        let (mut state, mut legal) = (self.root(), Vec::new());
        moves.iter().for_each(|&mv| self.apply(&mut state, mv));
        loop {
            legal.clear();
            self.moves(&state, &mut legal);
            // The return is listed last: optional customers stay out.
            let Some(&mv) = legal.last() else { return };
            moves.push(mv);
            self.apply(&mut state, mv);
        }
    }

    fn split(&self, moves: &[u16], _: Score, tour: &mut Vec<u16>, absent: &mut Vec<u16>) -> bool {
        let (routes, left) = self.routes(moves);
        tour.push(0);
        for (kind, visits) in routes {
            tour.push(self.tables.begin(kind));
            tour.extend(visits);
        }
        for visit in left {
            let place = self.tables.place(visit);
            let request = self.tables.request_of[usize::from(place)];
            let task = &self.tables.requests[usize::from(request)];
            if place == task.first && !task.is_optional() {
                absent.push(request);
            }
        }
        true
    }
}

impl Rich {
    /// The moves of a kernel's tour, each route closed.
    pub(super) fn canonical(&self, tour: &[u16], moves: &mut Vec<u16>) {
        let mut routes: Vec<&[u16]> = Vec::new();
        let mut begin = 0;
        for at in 1..=tour.len() {
            if at == tour.len() || self.tables.begun(tour[at]).is_some() {
                routes.push(&tour[begin..at]);
                begin = at;
            }
        }
        // The marker in front is no route.
        routes.retain(|route| route.len() > 1);
        let due = |visit: u16| self.tables.network.due(usize::from(self.tables.place(visit)));
        soloist::order::sort_by(&mut routes, |a, b| {
            a[0].cmp(&b[0]).then(due(a[1]).total_cmp(&due(b[1]))).then(a[1].cmp(&b[1]))
        });
        for route in routes {
            moves.extend_from_slice(route);
            moves.push(0);
        }
    }
}

impl Problem for Rich {
    type State = Tour;
    type Move = u16;

    fn root(&self) -> Tour {
        let tables = &*self.tables;
        let mut unvisited = Sites::customers(tables.network.size());
        (0..tables.depots).for_each(|depot| unvisited.remove(depot));
        let must =
            tables.request_of[tables.depots..].iter().filter(|&&r| !tables.requests[usize::from(r)].is_optional());
        Tour {
            last: 0,
            kind: NONE,
            routes: 0,
            aboard: 0,
            left: must.count() as u16,
            stopped: false,
            load: 0,
            time: 0.0,
            departure: [0.0; 2],
            duration: 0.0,
            length: 0.0,
            distance: 0.0,
            cost: 0.0,
            fixed: 0.0,
            unvisited,
            used: vec![0; tables.kinds.len()],
        }
    }

    fn moves(&self, state: &Tour, moves: &mut Vec<u16>) {
        if state.stopped {
            return;
        }
        if state.kind == NONE {
            let kinds = (0..self.tables.kinds.len()).filter(|&kind| self.may_begin(state, kind));
            moves.extend(kinds.map(|kind| self.tables.begin(kind)));
            if state.left == 0 && state.unvisited.iter().next().is_some() {
                moves.push(0);
            }
            return;
        }
        // Once for all places: what is owed takes a look at each of them.
        let owed = self.owed(state);
        moves.extend(self.next(state, &owed).map(|place| self.tables.visit(place as u16)));
        if self.may_return(state, &owed) {
            moves.push(0);
        }
    }

    fn apply(&self, state: &mut Tour, mv: u16) {
        let (tables, network) = (&*self.tables, &*self.tables.network);
        if let Some(kind) = tables.begun(mv) {
            return self.begin(state, kind);
        }
        if state.kind == NONE {
            state.stopped = true;
            return;
        }
        let table = self.kind(state);
        let place = if mv == 0 { usize::from(table.depot) } else { usize::from(tables.place(mv)) };
        let way = network.distance(usize::from(state.last), place);
        state.distance += way;
        state.cost += table.rate * way;
        if mv == 0 {
            (state.kind, state.last, state.aboard, state.load) = (NONE, 0, 0, 0);
            (state.time, state.duration, state.length, state.departure) = (0.0, 0.0, 0.0, [0.0; 2]);
            return;
        }
        let service = network.service(place);
        let start = self.start(state, place);
        if tables.has_limits {
            (state.duration, state.departure) = self.span(state, place, service);
        }
        state.length += way;
        state.time = start + service;
        state.load += tables.demand[place];
        state.aboard += 1;
        state.last = place as u16;
        state.unvisited.remove(place);
        let optional = tables.requests[usize::from(tables.request_of[place])].is_optional();
        state.left -= u16::from(!optional);
    }

    fn score(&self, state: &Tour) -> Score {
        if state.left > 0 || state.kind != NONE {
            // A route that cannot be finished serves nobody.
            return Score::Infeasible(f64::from(state.left) + f64::from(state.aboard));
        }
        let cost = state.cost + self.lost(state) + f64::from(state.routes) * self.tables.route_cost;
        Score::Feasible(cost / self.tables.network.scale())
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// From the last visit, or the kind of a vehicle that is still at its depot, to the move.
    fn code(&self, state: &Tour, mv: u16) -> u64 {
        let from = match (state.kind, state.aboard) {
            (NONE, _) => 0,
            (kind, 0) => self.tables.begin(usize::from(kind)),
            _ => self.tables.visit(state.last),
        };
        u64::from(from) * self.codes() + u64::from(mv)
    }

    /// The cost so far, plus the shortest way to each visit that must be made and home, at the least rate, plus the
    /// vehicles that are missing.
    fn bound(&self, state: &Tour) -> Option<f64> {
        let tables = &*self.tables;
        let must = |place: usize| !tables.requests[usize::from(tables.request_of[place])].is_optional();
        let ways: f64 = state.unvisited.iter().filter(|&place| must(place)).map(|place| self.cheapest_in[place]).sum();
        let home = if state.left > 0 || state.kind != NONE { self.cheapest_home } else { 0.0 };
        let routes = u64::from(state.routes).max(self.fewest as u64);
        let next = if state.left > 0 && state.kind == NONE { self.cheapest_kind } else { 0.0 };
        let total = state.cost + ways + home + next + routes as f64 * tables.route_cost;
        // Sums in another order may differ in their last digits.
        Some((total - total.abs() * 1e-12) / tables.network.scale())
    }

    fn key(&self, state: &Tour) -> Option<Key> {
        let mut hash = KeyHasher::new();
        hash.write_u64(
            u64::from(state.last) << 48
                | u64::from(state.kind) << 32
                | u64::from(state.routes) << 16
                | u64::from(state.aboard),
        );
        hash.write_u64(u64::from(state.stopped));
        let [earliest, latest] = state.departure;
        for value in
            [state.time, state.cost, state.distance, state.fixed, state.duration, state.length, earliest, latest]
        {
            hash.write_u64(value.to_bits());
        }
        state.unvisited.words().iter().for_each(|&word| hash.write_u64(word));
        state.used.iter().for_each(|&used| hash.write_u32(u32::from(used)));
        Some(hash.key())
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        let words = self.tables.network.size().div_ceil(64);
        Facts {
            state_bytes: Some(size_of::<Tour>() + 8 * words + 2 * self.tables.kinds.len()),
            code_count: u32::try_from(self.codes() * self.codes()).ok(),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Rich {
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new(SISR.name)]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::uniform("uniform over the moves")]
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        vec![NamedSearch::new(SISR, Refinement::<Repair>::make)]
    }

    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}

impl Rich {
    /// Moves that codes tell apart.
    fn codes(&self) -> u64 {
        (self.tables.visits() + 1 + self.tables.kinds.len()) as u64
    }
}

impl Prior<Rich> for Rich {
    fn bias(&self, state: &Tour, mv: u16) -> f64 {
        self.terms(state, mv).iter().sum()
    }

    fn terms(&self, state: &Tour, mv: u16, terms: &mut Vec<f64>) {
        terms.extend(self.terms(state, mv));
    }
}
