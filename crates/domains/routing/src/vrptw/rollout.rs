//! Playout policies: selective moves, full vehicles, and ruin and recreation.

use super::model::{Tour, Vrptw};
use crate::refine::Refiner;
use soloist::rollout::{Playout, Policy, Rollout, Trace};
use soloist::{Problem, Rng};

/// Returns to the depot only when no customer can follow, so that vehicles are filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill;

impl Rollout<Vrptw> for Fill {
    fn candidates(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        problem.moves(state, moves);
        fill(moves);
    }
}

/// Removes the depot, which is listed last, when there is any other candidate.
fn fill(moves: &mut Vec<u16>) {
    if moves.len() > 1 && moves.last() == Some(&0) {
        moves.pop();
    }
}

/// As [`Fill`], and drops a customer j behind which another candidate k would be late, if j would be in time behind k.
#[derive(Clone, Debug, Default)]
pub(super) struct Selective {
    /// The customers that may be next, by ascending due time.
    legal: Vec<Candidate>,
    /// Those of them that are kept.
    kept: Vec<Candidate>,
    sums: Vec<u64>,
}

/// A customer that may be next.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    customer: u16,
    due: f64,
    /// Start and end of its service.
    start: f64,
    leave: f64,
}

impl Selective {
    /// Lists the customers to choose from in `kept`, which stays empty where only the depot is left, or nothing.
    fn select(&mut self, problem: &Vrptw, state: &Tour) {
        self.kept.clear();
        if !problem.may_drive(state) {
            return;
        }
        let network = &**problem.network();
        self.legal.clear();
        for &customer in problem.by_due() {
            let j = customer as usize;
            if !state.unvisited.contains(j) {
                continue;
            }
            let (start, fits) = problem.arrival(state, j);
            if fits {
                let due = network.latest(j);
                self.legal.push(Candidate { customer, due, start, leave: start + network.service(j) });
            }
        }
        for (at, own) in self.legal.iter().enumerate() {
            let j = own.customer as usize;
            let row = network.from_site(j);
            let sure = own.leave + problem.longest();
            // All behind the first that cannot be late are not late.
            let urgent = self.legal.iter().enumerate().take_while(|(_, other)| other.due < sure);
            let harms = |(k, other): (usize, &Candidate)| {
                let late = own.leave + row[other.customer as usize] > other.due;
                late && k != at && other.leave + network.distance(other.customer as usize, j) <= own.due
            };
            if !urgent.into_iter().any(harms) {
                self.kept.push(*own);
            }
        }
        // Customers may exclude each other in a circle where distances are no metric.
        if self.kept.is_empty() {
            std::mem::swap(&mut self.kept, &mut self.legal);
        }
    }

    /// Plays a step by the learned policy, as the engine would with these candidates. `false`: the tour has ended.
    fn policy_step(
        &mut self,
        problem: &Vrptw,
        state: &mut Tour,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) -> bool {
        self.select(problem, state);
        if self.kept.is_empty() && !problem.may_return(state) {
            return false;
        }
        self.offer(problem, state, policy, trace);
        let total = *self.sums.last().unwrap_or(&1);
        let draw = rng.below(total);
        let at = self.sums.partition_point(|&sum| sum <= draw);
        let mv = self.kept.get(at).map_or(0, |kept| kept.customer);
        trace.choose(at, self.sums.len(), mv);
        problem.apply(state, mv);
        true
    }

    /// Records the candidates, or the depot if there are no candidates, and sums their weights.
    fn offer(&mut self, problem: &Vrptw, state: &Tour, policy: &Policy, trace: &mut Trace<u16>) {
        self.sums.clear();
        let mut total = 0;
        // The terms of the depot are zero, whenever it is reached.
        let depot = Candidate { customer: 0, due: 0.0, start: 0.0, leave: 0.0 };
        let listed = if self.kept.is_empty() { std::slice::from_ref(&depot) } else { &self.kept };
        for &Candidate { customer, start, .. } in listed {
            let code = problem.code(state, customer);
            let terms = || problem.terms(state, customer as usize, start);
            total += trace.candidate(code, policy, || terms().iter().sum(), |list| list.extend(terms()));
            self.sums.push(total);
        }
    }

    /// Plays `mv` and records it among the candidates. It is added to them if it is missing.
    fn record(&mut self, problem: &Vrptw, state: &mut Tour, policy: &Policy, trace: &mut Trace<u16>, mv: u16) {
        self.select(problem, state);
        let mut at = 0;
        if mv != 0 || !self.kept.is_empty() {
            at = self.kept.iter().position(|kept| kept.customer == mv).unwrap_or(self.kept.len());
            if at == self.kept.len() {
                let start = if mv == 0 { 0.0 } else { problem.arrival(state, mv as usize).0 };
                self.kept.push(Candidate { customer: mv, due: 0.0, start, leave: 0.0 });
            }
        }
        self.offer(problem, state, policy, trace);
        trace.choose(at, self.sums.len(), mv);
        problem.apply(state, mv);
    }
}

/// Moves of a playout between two looks at its limits.
const LOOK: usize = 8;

impl Rollout<Vrptw> for Selective {
    fn candidates(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        self.select(problem, state);
        moves.extend(self.kept.iter().map(|kept| kept.customer));
        if moves.is_empty() && problem.may_return(state) {
            moves.push(0);
        }
    }

    fn run_policy(
        &mut self,
        problem: &Vrptw,
        state: &mut Tour,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) {
        loop {
            for _ in 0..LOOK {
                if !self.policy_step(problem, state, policy, trace, rng) {
                    return;
                }
            }
            if trace.gives_up() {
                return;
            }
        }
    }
}

/// Ruin and recreation as the end of a playout.
///
/// A playout is made by [`Selective`] and improved behind the state where it began; what is played is the improved tour
/// in canonical order, so that a policy learns it.
#[derive(Debug)]
pub(super) struct Refine {
    selective: Selective,
    refiner: Refiner,
    tour: Vec<u16>,
    absent: Vec<u16>,
    moves: Vec<u16>,
}

impl Refine {
    pub(super) fn new(problem: &Vrptw, steps: u64) -> Self {
        Self {
            selective: Selective::default(),
            refiner: Refiner::new(problem.network(), problem.vehicle_cost(), steps),
            tour: Vec::new(),
            absent: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Leaves in `moves` what was played from `state` on, with its routes improved.
    fn improve(&mut self, problem: &Vrptw, state: &Tour, played: &[u16], rng: &mut Rng, ends: impl Fn() -> bool) {
        let fleet = self.split(problem, state, played);
        self.refiner.improve(&mut self.tour, &self.absent, fleet, rng, ends);
        problem.canonical(&self.tour, &mut self.moves);
    }

    /// Splits what was played from `state` on into what must stay (in `moves`) and the routes that may change (in
    /// `tour`); lists the customers not served. Returns the vehicles for those routes.
    ///
    /// A last route that cannot return in time is taken out, if it may change.
    fn split(&mut self, problem: &Vrptw, state: &Tour, played: &[u16]) -> usize {
        self.moves.clear();
        let mut fixed = 0;
        // Behind the last return.
        let closed = played.iter().rposition(|&mv| mv == 0).map_or(0, |at| at + 1);
        if state.last != 0 {
            fixed = played.iter().position(|&mv| mv == 0).map_or(played.len(), |at| at + 1);
            self.moves.extend_from_slice(&played[..fixed]);
        }
        self.tour.clear();
        self.absent.clear();
        if closed < fixed {
            return 0;
        }
        let played = &played[..closed];
        self.tour.extend_from_slice(&played[fixed..]);
        self.absent.extend(state.unvisited.iter().map(|c| c as u16).filter(|c| !played.contains(c)));
        problem.network().vehicles() - state.routes as usize
    }
}

impl Rollout<Vrptw> for Refine {
    fn candidates(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        self.selective.candidates(problem, state, moves);
    }

    fn run(&mut self, problem: &Vrptw, state: &mut Tour, playout: &mut Playout<u16>, rng: &mut Rng) {
        let mut own = playout.sibling();
        let mut end = state.clone();
        self.selective.run(problem, &mut end, &mut own, rng);
        self.improve(problem, state, &own.moves, rng, || playout.is_cut());
        for &mv in &self.moves {
            problem.apply(state, mv);
        }
        playout.moves.extend_from_slice(&self.moves);
        // Customers that were left out may find a place at the end of the tour.
        self.selective.run(problem, state, playout, rng);
    }

    fn run_policy(
        &mut self,
        problem: &Vrptw,
        state: &mut Tour,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) {
        let mut own = trace.sibling();
        let mut end = state.clone();
        self.selective.run_policy(problem, &mut end, policy, &mut own, rng);
        self.improve(problem, state, &own.moves, rng, || trace.is_cut());
        for at in 0..self.moves.len() {
            self.selective.record(problem, state, policy, trace, self.moves[at]);
        }
        self.selective.run_policy(problem, state, policy, trace, rng);
    }
}
