//! The giant tour: one vehicle serves route after route, the depot between them resets time and load.

use super::model::{Tour, Vrptw};
use super::neighborhood::RuinRecreate;
use super::rollout::{Fill, Refine, Selective};
use crate::anneal::Annealing;
use crate::search::{Parameters, REFINED, Refinement, Routes, SISR, annealing, refined_steps};
use crate::sisr::Sisr;
use crate::sites::Sites;
use soloist::problem::{Entrant, Explain, Extras, Facts, Key, KeyHasher, NamedSearch, Neighborhood, Prior};
use soloist::rollout::{NamedRollout, RolloutInfo};
use soloist::{Problem, Score, Sense};
use std::hash::Hasher;

impl Routes for Vrptw {
    type Kernel = Sisr;

    fn annealing(&self, parameters: &Parameters) -> Annealing<Sisr> {
        annealing(&self.network, self.route_cost, parameters)
    }

    fn play(&self, tour: &[u16], moves: &mut Vec<u16>) {
        self.canonical(tour, moves);
        let (mut state, mut legal) = (self.root(), Vec::new());
        moves.iter().for_each(|&mv| self.apply(&mut state, mv));
        loop {
            legal.clear();
            self.moves(&state, &mut legal);
            if legal.is_empty() {
                return;
            }
            let mv = self.best_biased(&state, &legal);
            moves.push(mv);
            self.apply(&mut state, mv);
        }
    }

    fn split(&self, moves: &[u16], _: Score, tour: &mut Vec<u16>, absent: &mut Vec<u16>) -> bool {
        let all = Sites::customers(self.network.size());
        absent.extend(all.iter().map(|c| c as u16).filter(|c| !moves.contains(c)));
        tour.push(0);
        tour.extend_from_slice(moves);
        true
    }
}

impl Problem for Vrptw {
    type State = Tour;
    type Move = u16;

    fn root(&self) -> Tour {
        let network = &*self.network;
        Tour {
            last: 0,
            routes: 0,
            load: 0,
            time: network.ready(0) + network.service(0),
            distance: 0.0,
            aboard: 0,
            left: network.customers() as u32,
            unvisited: Sites::customers(network.size()),
        }
    }

    fn moves(&self, state: &Tour, moves: &mut Vec<u16>) {
        if self.may_drive(state) {
            moves.extend(state.unvisited.iter().filter(|&j| self.arrival(state, j).1).map(|j| j as u16));
        }
        if self.may_return(state) {
            moves.push(0);
        }
    }

    fn apply(&self, state: &mut Tour, mv: u16) {
        let network = &*self.network;
        let j = mv as usize;
        let way = network.distance(state.last as usize, j);
        state.distance += way;
        if mv == 0 {
            state.time = network.ready(0) + network.service(0);
            (state.load, state.aboard) = (0, 0);
        } else {
            state.routes += u16::from(state.last == 0);
            state.time = (state.time + way).max(network.ready(j)) + network.service(j);
            state.load += network.demand(j);
            state.aboard += 1;
            state.left -= 1;
            state.unvisited.remove(j);
        }
        state.last = mv;
    }

    fn score(&self, state: &Tour) -> Score {
        if state.left > 0 || state.last != 0 {
            // A route that cannot return serves no customer.
            return Score::Infeasible(f64::from(state.left) + f64::from(state.aboard));
        }
        Score::Feasible((f64::from(state.routes) * self.route_cost + state.distance) / self.network.scale())
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The edge: from, to.
    fn code(&self, state: &Tour, mv: u16) -> u64 {
        let [from, to] = [state.last, mv].map(|site| self.coded(site, state.routes));
        from * self.coded_sites() as u64 + to
    }

    /// Driven so far, plus the shortest way to each customer left and home, plus a vehicle for each load that remains.
    fn bound(&self, state: &Tour) -> Option<f64> {
        let network = &*self.network;
        let (mut distance, mut demand) = (state.distance, 0_u64);
        for j in state.unvisited.iter() {
            distance += self.shortest_in[j];
            demand += u64::from(network.demand(j));
        }
        if state.left > 0 || state.last != 0 {
            distance += self.shortest_home;
        }
        let mut routes = u64::from(state.routes);
        if self.route_cost > 0.0 {
            let room = if state.last == 0 { 0 } else { u64::from(network.capacity() - state.load) };
            let missing = demand.saturating_sub(room);
            if missing > 0 {
                routes += missing.div_ceil(u64::from(network.capacity().max(1)));
            }
            routes = routes.max(self.fewest as u64);
        }
        // Sums in another order may differ in their last digits.
        let total = routes as f64 * self.route_cost + distance;
        Some((total - total * 1e-12) / network.scale())
    }

    fn key(&self, state: &Tour) -> Option<Key> {
        let mut hash = KeyHasher::new();
        hash.write_u64(u64::from(state.last) << 48 | u64::from(state.routes) << 32 | u64::from(state.load));
        hash.write_u64(state.time.to_bits());
        hash.write_u64(state.distance.to_bits());
        if self.network.has_detours() {
            hash.write_u32(u32::from(state.aboard));
        }
        state.unvisited.words().iter().for_each(|&word| hash.write_u64(word));
        Some(hash.key())
    }

    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(RuinRecreate::new(self)))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts {
            // A bit for each site.
            state_bytes: Some(size_of::<Tour>() + 8 * self.network.size().div_ceil(64)),
            code_count: u32::try_from(self.coded_sites() * self.coded_sites()).ok(),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Vrptw {
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new(SISR.name)]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        const REFINE: RolloutInfo = RolloutInfo {
            name: REFINED,
            help: "`selective`, then ruin and recreation of the tour: `refined:1000` makes 1000 steps a playout",
        };
        const SELECTIVE: &str = "no customer that makes another one late, where the other order is in time; to the depot \
                                 when nothing else is left";
        vec![
            NamedRollout::new("selective", SELECTIVE, |_| Box::new(Selective::default())),
            NamedRollout::parsed(REFINE, |problem, name| Some(Box::new(Refine::new(problem, refined_steps(name)?)))),
            NamedRollout::new("fill", "to the depot when no customer can follow", |_| Box::new(Fill)),
            NamedRollout::uniform("uniform over the legal moves, the depot among them"),
        ]
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        vec![NamedSearch::new(SISR, Refinement::<Sisr>::make)]
    }

    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}

impl Prior<Vrptw> for Vrptw {
    fn bias(&self, state: &Tour, mv: u16) -> f64 {
        self.terms(state, mv as usize, self.arrival(state, mv as usize).0).iter().sum()
    }

    fn terms(&self, state: &Tour, mv: u16, terms: &mut Vec<f64>) {
        terms.extend(self.terms(state, mv as usize, self.arrival(state, mv as usize).0));
    }
}
