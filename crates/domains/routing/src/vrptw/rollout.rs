//! Playout policies: selective moves, full vehicles, and ruin and recreation.

use super::problem::{Tour, Vrptw};
use crate::anneal::{Annealing, SavedAnnealing};
use crate::sisr::{Settings, Sisr};
use soloist::{CheckpointError, Playout, Policy, Problem, Rng, Rollout, Trace, policy_playout};
use std::sync::Arc;

/// To the depot only when no customer can follow: vehicles are filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill;

impl Rollout<Vrptw> for Fill {
    fn candidates(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        problem.moves(state, moves);
        fill(moves);
    }
}

/// The depot, which is listed last, goes when there is anything else.
fn fill(moves: &mut Vec<u16>) {
    if moves.len() > 1 && moves.last() == Some(&0) {
        moves.pop();
    }
}

/// As [`Fill`], and drops a customer j behind which another candidate k would be late, if j would be in time behind k.
#[derive(Clone, Debug, Default)]
pub(super) struct Selective {
    /// When the vehicle would leave each candidate.
    leaves: Vec<f64>,
    kept: Vec<u16>,
}

impl Selective {
    fn select(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        problem.moves(state, moves);
        fill(moves);
        if moves.len() < 2 {
            return;
        }
        let network = &**problem.network();
        let leave = |&j: &u16| problem.arrival(state, j as usize).0 + network.service(j as usize);
        self.leaves.clear();
        self.leaves.extend(moves.iter().map(leave));
        self.kept.clear();
        for (&j, &leave) in moves.iter().zip(&self.leaves) {
            let row = network.from_site(j as usize);
            let pairs = problem.excludes.row(j as usize);
            let harmed = |(&k, &before): (&u16, &f64)| {
                let k = k as usize;
                let late = pairs[k / 64] >> (k % 64) & 1 == 1 || leave + row[k] > network.due(k) + network.slack();
                late && k != j as usize
                    && before + network.distance(k, j as usize) <= network.due(j as usize) + network.slack()
            };
            if !moves.iter().zip(&self.leaves).any(harmed) {
                self.kept.push(j);
            }
        }
        // Customers may exclude each other in a circle where distances are no metric.
        if !self.kept.is_empty() {
            std::mem::swap(moves, &mut self.kept);
        }
    }
}

impl Rollout<Vrptw> for Selective {
    fn candidates(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        self.select(problem, state, moves);
    }
}

/// Ruin and recreation as a rollout.
///
/// A playout from the root without a learned policy is a part of one annealing over the whole run: it makes `steps` steps and hands back the best tour so far. A
/// playout from another state is completed by [`Selective`] and improved behind that state. A playout by a learned policy is improved and handed back as the moves of the improved
/// tour in canonical order, so that the policy learns those.
#[derive(Debug)]
pub(super) struct Refine {
    steps: u64,
    selective: Selective,
    annealing: Annealing,
    kernel: Sisr,
    tour: Vec<u16>,
    absent: Vec<u16>,
    better: Vec<u16>,
    moves: Vec<u16>,
    playout: Playout<u16>,
    trace: Trace<u16>,
    candidates: Vec<u16>,
}

impl Refine {
    /// Steps a playout without an argument.
    pub(super) const STEPS: u64 = 1_000;
    /// Temperature of the improvement of single playouts, as a fraction of the mean distance between stops.
    const TEMPERATURE: f64 = 0.05;

    pub(super) fn new(problem: &Vrptw, steps: u64) -> Self {
        let annealing = problem.annealing();
        Self {
            steps,
            selective: Selective::default(),
            kernel: Sisr::new(Arc::clone(problem.network()), problem.vehicle_cost(), Settings::tuned()),
            annealing,
            tour: Vec::new(),
            absent: Vec::new(),
            better: Vec::new(),
            moves: Vec::new(),
            playout: Playout::default(),
            trace: Trace::default(),
            candidates: Vec::new(),
        }
    }

    /// Improves the routes in `tour`, without the customers `absent`, with at most `fleet` vehicles, and leaves the better tour in `better`.
    fn improve(&mut self, fleet: usize, rng: &mut Rng) {
        self.kernel.set(&self.tour, &self.absent, fleet);
        self.kernel.write(&mut self.better);
        let temperature = Self::TEMPERATURE * self.kernel.mean_leg();
        let (mut best, mut absent) = (self.kernel.cost(), self.kernel.absent().len());
        for _ in 0..self.steps {
            if self.kernel.step(rng, temperature) {
                let now = self.kernel.absent().len();
                if now < absent || now == absent && self.kernel.cost() < best {
                    (best, absent) = (self.kernel.cost(), now);
                    self.kernel.write(&mut self.better);
                }
            }
        }
    }

    /// Splits what was played from `state` on into what must stay (in `moves`) and the routes that may change (in `tour`); lists the
    /// customers not served. Returns the vehicles for those routes.
    fn split(&mut self, problem: &Vrptw, state: &Tour, played: &[u16]) -> usize {
        self.moves.clear();
        let mut fixed = 0;
        if state.last != 0 {
            fixed = played.iter().position(|&mv| mv == 0).map_or(played.len(), |at| at + 1);
            self.moves.extend_from_slice(&played[..fixed]);
        }
        self.tour.clear();
        self.tour.extend_from_slice(&played[fixed..]);
        self.absent.clear();
        self.absent.extend(state.unvisited.iter().map(|c| c as u16).filter(|c| !played.contains(c)));
        problem.network().vehicles() - state.routes as usize
    }
}

impl Rollout<Vrptw> for Refine {
    fn candidates(&mut self, problem: &Vrptw, state: &Tour, moves: &mut Vec<u16>) {
        self.selective.select(problem, state, moves);
    }

    fn run(&mut self, problem: &Vrptw, state: &mut Tour, playout: &mut Playout<u16>, rng: &mut Rng) {
        if state.last == 0 && state.routes == 0 {
            self.annealing.advance(self.steps, rng);
            self.moves.clear();
            problem.canonical(self.annealing.best(), &mut self.moves);
        } else {
            let mut own = std::mem::take(&mut self.playout);
            own.moves.clear();
            let mut end = state.clone();
            self.selective.run(problem, &mut end, &mut own, rng);
            let fleet = self.split(problem, state, &own.moves);
            self.playout = own;
            self.improve(fleet, rng);
            let better = std::mem::take(&mut self.better);
            problem.canonical(&better, &mut self.moves);
            self.better = better;
        }
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
        let mut own = std::mem::take(&mut self.trace);
        own.clear();
        let mut end = state.clone();
        policy_playout(&mut self.selective, problem, &mut end, policy, &mut own, rng);
        let fleet = self.split(problem, state, &own.moves);
        self.trace = own;
        self.improve(fleet, rng);
        let better = std::mem::take(&mut self.better);
        problem.canonical(&better, &mut self.moves);
        self.better = better;
        for at in 0..self.moves.len() {
            record(&mut self.selective, problem, state, policy, trace, &mut self.candidates, self.moves[at]);
        }
        policy_playout(&mut self.selective, problem, state, policy, trace, rng);
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.annealing.save()).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let wrong = CheckpointError::Corrupt("the annealing does not decode");
        match postcard::take_from_bytes::<SavedAnnealing>(bytes) {
            Ok((saved, [])) => self.annealing.load(saved).map_err(CheckpointError::Corrupt),
            _ => Err(wrong),
        }
    }
}

/// Plays `mv` and records it among the candidates of the rollout, to which it is added if it is none.
fn record(
    selective: &mut Selective,
    problem: &Vrptw,
    state: &mut Tour,
    policy: &Policy,
    trace: &mut Trace<u16>,
    candidates: &mut Vec<u16>,
    mv: u16,
) {
    candidates.clear();
    selective.select(problem, state, candidates);
    if !candidates.contains(&mv) {
        candidates.push(mv);
    }
    let mut chosen = 0;
    for (at, &candidate) in candidates.iter().enumerate() {
        let code = problem.code(state, candidate);
        if policy.learns_bias() {
            trace.offer_terms(code, &problem.terms(state, candidate as usize), policy);
        } else if policy.uses_bias() {
            trace.offer_biased(code, policy.bias_factor(problem.bias(state, candidate)), policy);
        } else {
            trace.offer(code, policy);
        }
        if candidate == mv {
            chosen = at;
        }
    }
    trace.choose(chosen, candidates.len(), mv);
    problem.apply(state, mv);
}
