//! The tour, city by city.

use super::Objective;
use super::model::{Tour, Tsptw};
use super::rollout::Refine;
use crate::anneal::Annealing;
use crate::search::{Parameters, REFINED, Refinement, Routes, SISR, annealing, refined_steps};
use crate::sisr::Sisr;
use crate::sites::Sites;
use soloist::problem::{Entrant, Explain, Extras, Facts, Key, KeyHasher, NamedSearch, Prior};
use soloist::rollout::{NamedRollout, RolloutInfo};
use soloist::{Problem, Score, Sense};
use std::hash::Hasher;

impl Routes for Tsptw {
    type Kernel = Sisr;

    fn annealing(&self, parameters: &Parameters) -> Annealing<Sisr> {
        annealing(&self.network, 0.0, parameters)
    }

    fn play(&self, tour: &[u16], moves: &mut Vec<u16>) {
        let (mut state, mut legal) = (self.root(), Vec::new());
        let mut wanted = tour.iter().copied().filter(|&mv| mv != 0).fuse();
        let mut follows = true;
        loop {
            legal.clear();
            self.moves(&state, &mut legal);
            // Before a tour within all windows is found, the kernel's leaves cities out.
            let next = wanted.next().filter(|mv| follows && legal.contains(mv));
            follows = next.is_some();
            let bias = |mv: &u16| self.bias(&state, *mv);
            let best = || legal.iter().copied().max_by(|a, b| bias(a).total_cmp(&bias(b)).then(b.cmp(a)));
            let Some(mv) = next.or_else(best) else { return };
            moves.push(mv);
            self.apply(&mut state, mv);
        }
    }

    /// Tours without late visits.
    fn split(&self, moves: &[u16], score: Score, tour: &mut Vec<u16>, _: &mut Vec<u16>) -> bool {
        tour.push(0);
        tour.extend_from_slice(moves);
        score.is_feasible()
    }
}

impl Problem for Tsptw {
    type State = Tour;
    type Move = u16;

    fn root(&self) -> Tour {
        let unvisited = Sites::customers(self.network.size());
        let left = self.network.customers() as u16;
        Tour { last: 0, late: 0, left, time: self.network.ready(0), travel: 0.0, unvisited }
    }

    fn moves(&self, state: &Tour, moves: &mut Vec<u16>) {
        let ways = &self.quickest[state.last as usize * self.network.size()..];
        let lost = |j: usize| state.time + ways[j] > self.network.certainly_late(j);
        moves.extend(state.unvisited.iter().filter(|&j| lost(j)).map(|j| j as u16));
        if moves.is_empty() {
            let kept = state.unvisited.iter().filter(|&j| {
                let start = self.start(state, j);
                start <= self.due(j) && !self.harms(state, j, start)
            });
            moves.extend(kept.map(|j| j as u16));
        }
        if moves.is_empty() {
            // Every choice makes some city late.
            moves.extend(state.unvisited.iter().map(|j| j as u16));
        }
    }

    fn apply(&self, state: &mut Tour, mv: u16) {
        let j = mv as usize;
        let start = self.start(state, j);
        state.travel += self.network.distance(state.last as usize, j);
        state.late += u16::from(start > self.due(j));
        state.time = start;
        state.left -= 1;
        state.unvisited.remove(j);
        state.last = mv;
    }

    fn score(&self, state: &Tour) -> Score {
        let home = self.network.distance(state.last as usize, 0);
        let back = state.time + home;
        let late = u32::from(state.late) + u32::from(back > self.due(0));
        if late > 0 {
            return Score::Infeasible(f64::from(late));
        }
        let sum = match self.objective {
            Objective::Travel => state.travel + home,
            Objective::Makespan => back,
        };
        Score::Feasible(sum / self.network.scale())
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The edge: from, to.
    fn code(&self, state: &Tour, mv: u16) -> u64 {
        u64::from(state.last) * self.network.size() as u64 + u64::from(mv)
    }

    /// So far, plus the shortest way to each city left and home; for the makespan also the latest opening among them
    /// with the shortest way home behind it.
    fn bound(&self, state: &Tour) -> Option<f64> {
        let mut sum = match self.objective {
            Objective::Travel => state.travel,
            Objective::Makespan => state.time,
        };
        let mut latest = 0.0_f64;
        for j in state.unvisited.iter() {
            sum += self.shortest_in[j];
            latest = latest.max(self.network.ready(j) + self.quickest[j * self.network.size()]);
        }
        sum += if state.left == 0 { self.network.distance(state.last as usize, 0) } else { self.shortest_in[0] };
        if self.objective == Objective::Makespan {
            sum = sum.max(latest);
        }
        // Sums of other numbers in another order may differ in their last digits.
        let sum = if self.network.is_exact() { sum } else { sum - sum * 1e-12 };
        Some(sum / self.network.scale())
    }

    fn key(&self, state: &Tour) -> Option<Key> {
        let mut hash = KeyHasher::new();
        hash.write_u64(u64::from(state.last) << 32 | u64::from(state.late));
        hash.write_u64(state.time.to_bits());
        hash.write_u64(state.travel.to_bits());
        state.unvisited.words().iter().for_each(|&word| hash.write_u64(word));
        Some(hash.key())
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts {
            // A bit for each site.
            state_bytes: Some(size_of::<Tour>() + 8 * self.network.size().div_ceil(64)),
            code_count: u32::try_from(self.network.size() * self.network.size()).ok(),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Tsptw {
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new(SISR.name)]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        const REFINE: RolloutInfo = RolloutInfo {
            name: REFINED,
            help: "`random`, then ruin and recreation of a feasible tour: `refined:1000` makes 1000 steps a playout",
        };
        vec![
            NamedRollout::uniform("uniform over the moves"),
            NamedRollout::parsed(REFINE, |problem, name| Some(Box::new(Refine::new(problem, refined_steps(name)?)))),
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

impl Prior<Tsptw> for Tsptw {
    fn bias(&self, state: &Tour, mv: u16) -> f64 {
        self.terms(state, mv as usize).iter().sum()
    }

    fn terms(&self, state: &Tour, mv: u16, terms: &mut Vec<f64>) {
        terms.extend(self.terms(state, mv as usize));
    }
}
