//! Simulated annealing over finished solutions.

mod edits;
mod replay;
mod schedule;

use super::method::Family;
use super::sound::{self, require};
use super::{Context, Search, Status, walk};
use crate::problem::MoveId;
use crate::problem::rules::{Rules, State};
use crate::run::checkpoint::{decode, encode};
use crate::search::parameter::{choice, parameters};
use crate::{Acceptance, CheckpointError, ParameterError, Rng, Score, Sense, Solution};
use edits::{EDITS, Wheel};
use replay::{End, Pruning, Walker};
use schedule::{Clock, Turn};
use serde::{Deserialize, Serialize};

choice! {
    /// How the temperature falls from `start` to `end` over a cooling.
    pub enum Schedule {
        /// By the same factor a step.
        Geometric = "geometric",
        /// By the same amount a step.
        Linear = "linear",
    }
}

choice! {
    /// Which worse neighbours are accepted.
    pub enum Rule {
        /// By chance, from the difference and the temperature (Metropolis et al., 1953).
        Metropolis = "metropolis",
        /// Those better than the present solution `memory` neighbours ago, or not worse than the present one (late acceptance
        /// hill climbing).
        Late = "late",
    }
}

parameters! {
    /// Simulated annealing over finished solutions.
    ///
    /// A solution is the sequence of moves that makes it. A neighbour is made from it by one edit, and the rest is
    /// replayed from there. A problem whose moves have [identities](crate::Problem::identity) is replayed by them: each
    /// entry of the edited sequence is played if [`find`](crate::Problem::find) names a move for it; if it is blocked, it
    /// waits in a list of at most `waiting` entries and is tried again after each move. Otherwise the moves are listed at each state, and
    /// the first entry is played that can be, which is a legal move with the same [`code`](crate::Problem::code) as the
    /// old one had, or else the same move. When no entry is left, the rollout completes the solution. So any problem can
    /// be annealed, orderings (where most edits are edits of the permutation) as well as games (where an edit changes
    /// what the later moves meet). A problem with a [neighbourhood](crate::Problem::neighbourhood) of its own is edited
    /// by that instead, unless `local` is false.
    ///
    /// The edits, drawn with the weights `swap`, `insert`, `block`, `reverse`, `shuffle`, `change`, `replace`, `remove`
    /// and `guide`: two entries are exchanged; one is moved; a block of at most `longest` entries is moved, reversed or
    /// shuffled; another candidate of the rollout is played at a place, before what was played there or instead of it;
    /// an entry is left out; a block that begins with a candidate is moved to where the candidate can be played.
    /// Candidates of `change`, `replace` and `guide` are drawn with the probabilities of the problem's
    /// [`bias`](crate::Problem::bias) (uniform without one). With `adapt` the weights follow what each kind of edit
    /// brings: improvements below all costs of the last 1000 neighbours, for each try.
    ///
    /// A neighbour that is at least as good is accepted, a worse one with probability `exp(-d / T)`, where `d` is the
    /// difference. The temperature T falls from `start` to `end`, in units of the differences that the run meets at its
    /// beginning (their geometric mean, over at most 1000 neighbours and 2 % of a cooling, in which no worse neighbour
    /// is accepted): temperatures suit instances of any size and do not change when a constant is added to all scores.
    /// Between infeasible solutions `d` is the difference of degrees; a feasible solution is never left for an
    /// infeasible one. A neighbour is abandoned at the first state whose [`bound`](crate::Problem::bound) cannot pass
    /// the threshold, which is drawn beforehand, and as soon as it meets a state of the present solution with an equal
    /// [`key`](crate::Problem::key) behind the last edited place: the rest is then the same.
    ///
    /// # Budget
    /// With `steps = 0` the cooling is spread over the budget of the run, counts or time (counts are reproducible). A
    /// budget that has room for several runs of `depth` neighbours a decision is divided among several runs from new
    /// solutions, at most `most`, each with another [variant](crate::Rollout::variants) of the rollout; the last part of
    /// the budget, from `finish` on, cools from the best solution of all, `reheat_factor` as hot. Without a budget, or
    /// with `steps`, a cooling takes `steps` neighbours (2000 if neither is given); `reheats` coolings follow it from the
    /// best solution of the run; then a new run begins, with `steps` multiplied by `growth`.
    ///
    /// A run in parts is the run at once if every part knows the budget of the whole ([`Solver::plan`](crate::Solver::plan)),
    /// or if `steps` is given. A run that is continued with a larger budget is warm again where the larger plan has it.
    ///
    /// An offered solution becomes the present one if it is better: a run that has not begun begins there.
    ///
    /// When to use it: orderings, and other problems where a small edit of a good solution is a good solution. Cost per
    /// step: one neighbour, which counts as a playout; replaying takes one `find` and one `apply` for each entry behind
    /// the first edited one (with codes: a listing of moves, and their codes where an entry does not fit), and on
    /// average half as many `apply` as there are entries between two snapshots, which are kept at about the square root
    /// of the number of moves. Memory: two solutions and the snapshots.
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(20), Method::preset("anneal").unwrap())
    ///     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
    /// ```
    ///
    /// # References
    /// S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983, pages
    /// 671-680. B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik, "Why local search excels in expression
    /// simplification", arXiv:1409.5223, 2014 (over orders of variables). E. K. Burke and Y. Bykov, "The late acceptance
    /// hill-climbing heuristic", European Journal of Operational Research 258, 2017. Weights that follow success: S.
    /// Ropke and D. Pisinger, Transportation Science 40, 2006. Identities, waiting entries and the plan are ours.
    pub struct Anneal {
        /// neighbours in the first cooling; 0: the cooling is spread over the budget
        steps: u64 = 0, 0..=1_000_000_000_000;
        /// temperature at the start of a cooling, in units of the geometric mean difference of neighbours
        start: f64 = 0.1, 0.0..=1e6;
        /// temperature at the end of a cooling, in the same units
        end: f64 = 0.01, 0.0..=1e6;
        /// how the temperature falls
        cooling: Schedule = Schedule::Geometric, ();
        /// number of runs, each from a new solution; 0: chosen from the budget, `depth` and `most`
        runs: u64 = 0, 0..=1_000_000;
        /// neighbours per decision that a run should have; used if runs=0
        depth: f64 = 20_000.0, 1.0..=1e12;
        /// largest number of runs; used if runs=0
        most: u64 = 3, 1..=1_000_000;
        /// fraction of the budget after which the best solution of all is reheated; 1: never
        finish: f64 = 0.75, 0.0..=1.0;
        /// further coolings of a run of `steps`, each from the run's best solution
        reheats: u64 = 0, 0..=1_000_000_000;
        /// factor of the temperature at the start from one cooling of a run to the next
        reheat_factor: f64 = 0.5, 0.0..=1.0;
        /// begin again from a playout when a run of `steps` ends, until the budget is used up
        restarts: bool = true, ();
        /// factor of `steps` from run to run
        growth: f64 = 2.0, 1.0..=1000.0;
        /// which worse neighbours are accepted
        rule: Rule = Rule::Metropolis, ();
        /// neighbours after which late acceptance compares
        memory: u64 = 1_000, 1..=10_000_000;
        /// use the problem's own neighbourhood where it has one; weights, `longest`, `waiting` and `prune` then have no effect
        local: bool = true, ();
        /// let the weights of the edits follow what they bring
        adapt: bool = false, ();
        /// weight of exchanging two entries
        swap: u64 = 2, 0..=1_000_000;
        /// weight of moving an entry
        insert: u64 = 8, 0..=1_000_000;
        /// weight of moving a block
        block: u64 = 2, 0..=1_000_000;
        /// weight of reversing a block
        reverse: u64 = 1, 0..=1_000_000;
        /// weight of shuffling a block
        shuffle: u64 = 1, 0..=1_000_000;
        /// weight of playing another candidate before an entry
        change: u64 = 2, 0..=1_000_000;
        /// weight of playing another candidate instead of an entry
        replace: u64 = 0, 0..=1_000_000;
        /// weight of leaving out an entry
        remove: u64 = 0, 0..=1_000_000;
        /// weight of moving a block that begins with a candidate to where the candidate can be played
        guide: u64 = 4, 0..=1_000_000;
        /// most entries of a block; 0: half of the solution
        longest: u64 = 30, 0..=1_000_000_000;
        /// entries that wait until they can be played (identities only)
        waiting: u64 = 64, 0..=1_000;
        /// abandon neighbours whose bound cannot pass the threshold
        prune: bool = true, ();
    }
}

impl Anneal {
    /// In the order of [`EDITS`].
    fn weights(&self) -> [u64; EDITS.len()] {
        let &Self { swap, insert, block, reverse, shuffle, change, replace, remove, guide, .. } = self;
        [swap, insert, block, reverse, shuffle, change, replace, remove, guide]
    }
}

impl Family for Anneal {
    fn validate(&self) -> Result<(), ParameterError> {
        if self.cooling == Schedule::Geometric && (self.start == 0.0 || self.end == 0.0) {
            return Err(ParameterError::Conflict("cooling=geometric needs start and end above 0"));
        }
        if self.weights().iter().sum::<u64>() == 0 {
            return Err(ParameterError::Conflict(
                "one of swap, insert, block, reverse, shuffle, change, replace, remove and guide must be above 0",
            ));
        }
        Ok(())
    }

    fn build(&self, problem: &dyn Rules, _: u64) -> Box<dyn Search> {
        Box::new(AnnealSearch::new(self.clone(), problem))
    }
}

/// What a solution is worth to annealing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Worth {
    feasible: bool,
    /// Smaller is better: the score or its surrogate, with the sign of the sense; a degree; a neighbourhood's cost.
    cost: f64,
}

impl Worth {
    fn new(problem: &dyn Rules, score: Score, state: &State) -> Self {
        match score {
            Score::Infeasible(cost) => Self { feasible: false, cost },
            Score::Feasible(value) => {
                let value = problem.surrogate(state).unwrap_or(value);
                Self { feasible: true, cost: if problem.sense() == Sense::Maximize { -value } else { value } }
            }
        }
    }

    /// By how much this is worse than another solution of the same kind, otherwise 0.
    fn difference(self, other: Self) -> f64 {
        if self.feasible == other.feasible { self.cost - other.cost } else { 0.0 }
    }

    fn beats(self, other: Self) -> bool {
        if self.feasible == other.feasible { self.cost < other.cost } else { self.feasible }
    }
}

/// The part of a search from which the rest is rebuilt.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    clock: Clock,
    wheel: Wheel,
    /// The present solution; none before a run's first playout.
    present: Option<Worth>,
    /// The best solution of the run.
    best: Option<Champion>,
    /// Whether the problem's own neighbourhood makes the neighbours of this run.
    edited: bool,
    /// Costs of the present solution after the last `memory` neighbours, for late acceptance.
    late: Vec<f64>,
    late_at: usize,
    /// A better solution from outside, which the next step takes up.
    offered: Option<(Score, Vec<MoveId>)>,
}

/// A solution that a run goes back to.
#[derive(Clone, Serialize, Deserialize)]
struct Champion {
    worth: Worth,
    score: Score,
    moves: Vec<MoveId>,
}

pub(crate) struct AnnealSearch {
    parameters: Anneal,
    saved: Saved,
    walker: Walker,
    moves: Vec<MoveId>,
}

impl AnnealSearch {
    pub(crate) fn new(parameters: Anneal, problem: &dyn Rules) -> Self {
        Self {
            saved: Saved {
                clock: Clock::default(),
                wheel: Wheel::default(),
                present: None,
                best: None,
                edited: false,
                late: Vec::new(),
                late_at: 0,
                offered: None,
            },
            walker: Walker::new(problem, &parameters),
            parameters,
            moves: Vec::new(),
        }
    }

    /// Prepares a run, which has no solution yet.
    fn prepare(&mut self, context: &mut Context<'_>) {
        let variants = context.rollout.variants() as u64;
        context.rollout.set_variant((self.saved.clock.run % variants.max(1)) as usize);
        self.saved.best = None;
        self.saved.clock.begin(&self.parameters, context.part());
    }

    /// Begins a run from a playout.
    fn begin(&mut self, context: &mut Context<'_>) {
        self.prepare(context);
        let walker = &mut self.walker;
        self.moves.clear();
        walker.state.clone_from(&walker.root);
        context.rollout.run(&mut walker.state, &mut self.moves, context.rng);
        let score = context.finish(&walker.state, &[], &self.moves);
        let worth = Worth::new(context.problem, score, &walker.state);
        self.settle(context, worth, score);
    }

    /// Goes to a solution, the best one of a run or one from outside, and continues from there.
    fn go_to(&mut self, context: &mut Context<'_>, score: Score, moves: Vec<MoveId>) {
        self.moves = moves;
        self.walk(context);
        let worth = Worth::new(context.problem, score, &self.walker.state);
        self.settle(context, worth, score);
    }

    /// Makes the walker's state the end of the solution in `moves`.
    fn walk(&mut self, context: &Context<'_>) {
        let Self { walker, .. } = self;
        walker.state.clone_from(&walker.root);
        for &mv in &self.moves {
            context.problem.apply(&mut walker.state, mv);
        }
    }

    /// Makes the solution in `moves` the present one, from which neighbours are made.
    fn settle(&mut self, context: &mut Context<'_>, mut worth: Worth, score: Score) {
        let Self { saved, walker, moves, .. } = self;
        let before = std::mem::replace(&mut saved.edited, false);
        if self.parameters.local
            && let Some(editor) = context.rollout.editor()
            && editor.start(moves)
        {
            saved.edited = true;
            worth = Worth { feasible: true, cost: editor.cost() };
        } else {
            walker.recode(context.problem, moves);
        }
        if before != saved.edited {
            // Costs of a neighbourhood and scores are not compared.
            saved.best = None;
        }
        saved.present = Some(worth);
        saved.late.clear();
        saved.late_at = 0;
        self.champion(worth, score);
    }

    /// Keeps the solution in `moves` if it is the best one of the run.
    fn champion(&mut self, worth: Worth, score: Score) {
        let Self { saved, moves, .. } = self;
        match &mut saved.best {
            Some(best) if !worth.beats(best.worth) => {}
            Some(best) => {
                (best.worth, best.score) = (worth, score);
                best.moves.clone_from(moves);
            }
            None => saved.best = Some(Champion { worth, score, moves: moves.clone() }),
        }
    }

    /// Returns the rule for the next neighbour of the present solution.
    fn acceptance<'a>(&self, rng: &'a mut Rng, present: Worth) -> Acceptance<'a> {
        let clock = &self.saved.clock;
        if clock.is_measuring() {
            return Acceptance::patient(rng, 0.0);
        }
        match self.parameters.rule {
            Rule::Metropolis => Acceptance::new(rng, clock.temperature(present.feasible)),
            Rule::Late => {
                let late = self.saved.late.get(self.saved.late_at).copied().unwrap_or(present.cost);
                Acceptance::below(rng, late - present.cost)
            }
        }
    }

    /// Remembers the cost of the present solution for late acceptance.
    fn remember(&mut self) {
        if self.parameters.rule == Rule::Late
            && let Some(present) = self.saved.present
        {
            let Saved { late, late_at, .. } = &mut self.saved;
            if (late.len() as u64) < self.parameters.memory {
                late.push(present.cost);
            } else {
                late[*late_at] = present.cost;
                *late_at = (*late_at + 1) % late.len();
            }
        }
    }

    /// Makes a neighbour by the problem's own neighbourhood.
    fn edit(&mut self, context: &mut Context<'_>, present: Worth) {
        context.tally.counters.playouts += 1;
        let mut acceptance = self.acceptance(context.rng, present);
        let Some(editor) = context.rollout.editor().filter(|editor| editor.is_started()) else {
            // Nothing that a run writes: the neighbourhood has lost its solution.
            self.saved.present = None;
            return;
        };
        let Some((change, accepted)) = editor.advance(&mut acceptance) else { return };
        self.saved.clock.measure(true, change);
        if !accepted {
            return;
        }
        let cost = present.cost + change;
        let worth = Worth { feasible: true, cost };
        self.saved.present = Some(worth);
        // Costs are sums of differences: an improvement is larger than their rounding errors.
        let improves = |best: &Champion| cost < best.worth.cost - 1e-9 * (1.0 + best.worth.cost.abs());
        if self.saved.best.as_ref().is_none_or(improves) {
            let worth = Worth { feasible: true, cost: editor.cost() };
            self.saved.present = Some(worth);
            self.moves.clear();
            editor.moves(&mut self.moves);
            self.walk(context);
            let score = context.problem.score(&self.walker.state);
            context.keep(score, &self.walker.state, &self.moves, &[]);
            self.champion(worth, score);
        }
    }

    /// Makes a neighbour by an edit of the entries and a replay.
    fn replay(&mut self, context: &mut Context<'_>, present: Worth) {
        let kind = self.saved.wheel.draw(&self.parameters, context.rng);
        self.walker.edit(context, kind);
        let limit = self.acceptance(context.rng, present).limit();
        // An equal solution is always accepted.
        let most = limit.max(f64::MIN_POSITIVE);
        let end = self.walker.run(context, (present.feasible && limit.is_finite()).then_some(present.cost), most);
        let (score, worth) = match end {
            End::Abandoned => {
                context.tally.counters.playouts += 1;
                return self.saved.wheel.learn(kind, None);
            }
            End::Met => {
                context.tally.counters.playouts += 1;
                (None, present)
            }
            End::Finished | End::Completed => {
                let state = &self.walker.state;
                // The rollout learns from what it played only.
                let score = if end == End::Completed { context.probe(state) } else { context.probe_leaf(state) };
                let worth = Worth::new(context.problem, score, state);
                self.saved.clock.measure(present.feasible, worth.difference(present));
                (Some(score), worth)
            }
        };
        let best = self.saved.best.as_ref().is_none_or(|best| worth.beats(best.worth));
        if let Some(score) = score.filter(|&score| best || context.tally.wants(score)) {
            self.walker.moves(&mut self.moves);
            context.keep(score, &self.walker.state, &self.moves, &[]);
            self.champion(worth, score);
        }
        let accepted = if worth.feasible == present.feasible {
            // Nothing worse is accepted while differences are measured.
            let limit = if self.saved.clock.is_measuring() { 0.0 } else { limit };
            Acceptance::below(context.rng, limit).accepts(worth.cost - present.cost)
        } else {
            worth.feasible
        };
        let brings = self.parameters.adapt && worth.feasible == present.feasible && worth.beats(present);
        self.saved.wheel.learn(kind, brings.then_some(worth.cost));
        if accepted {
            self.walker.accept(context.problem, end);
            self.saved.present = Some(worth);
        }
    }
}

impl Search for AnnealSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if let Some((score, moves)) = self.saved.offered.take() {
            if self.saved.present.is_none() {
                self.prepare(context);
            }
            self.go_to(context, score, moves);
        }
        let Some(present) = self.saved.present else {
            self.begin(context);
            return Status::Running;
        };
        if self.saved.edited {
            self.edit(context, present);
        } else {
            self.replay(context, present);
        }
        self.remember();
        let count = self.saved.best.as_ref().map_or(1, |best| best.moves.len());
        match self.saved.clock.tick(&self.parameters, context.part(), count) {
            Turn::Stay => {}
            Turn::Reheat { of_all } => {
                let best = self.saved.best.as_ref().map(|best| (best.score, &best.moves));
                let incumbent = context.tally.best.as_ref().map(|best| (best.score, &best.moves)).filter(|_| of_all);
                if let Some((score, moves)) = incumbent.or(best) {
                    self.go_to(context, score, moves.clone());
                }
            }
            Turn::Restart => self.saved.present = None,
            Turn::End => return Status::Completed,
        }
        Status::Running
    }

    fn take_up(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let sense = context.problem.sense();
        let best = self.saved.best.as_ref().filter(|_| self.saved.present.is_some()).map(|best| best.score);
        let offered = self.saved.offered.as_ref().map(|offered| offered.0);
        if best.into_iter().chain(offered).all(|known| sense.better(solution.score, known)) {
            // Taken up by the next step, which knows the plan of the run.
            self.saved.offered = Some((solution.score, solution.moves.clone()));
        }
    }

    fn save(&self) -> Vec<u8> {
        // While the problem's own neighbourhood holds the present solution, the entries are those of another one.
        let entries = self.walker.entries.iter().filter(|_| !self.saved.edited);
        let entries: Vec<(MoveId, u64)> = entries.map(|entry| (entry.mv, entry.name)).collect();
        encode(&(&self.saved, entries, self.walker.pruning))
    }

    fn load(&mut self, problem: &dyn Rules, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (saved, entries, pruning) = decode::<(Saved, Vec<(MoveId, u64)>, Pruning)>(bytes)?;
        if saved.present.is_some() && saved.best.is_none() || !saved.wheel.is_sound() {
            return Err(CheckpointError::Corrupt("an annealing without a solution"));
        }
        if saved.late_at > 0 && saved.late_at >= saved.late.len() {
            return Err(CheckpointError::Corrupt("a place in a list of costs"));
        }
        require(saved.clock.is_sound(), "a cooling of another run")?;
        let solutions = saved.best.iter().map(|best| (best.score, &best.moves));
        for (score, moves) in solutions.chain(saved.offered.iter().map(|(score, moves)| (*score, moves))) {
            sound::solution(problem, moves, score)?;
        }
        let costs = saved.present.iter().chain(saved.best.iter().map(|best| &best.worth)).map(|worth| worth.cost);
        require(costs.chain(saved.late.iter().copied()).all(f64::is_finite), "the costs of an annealing")?;
        let present: Vec<MoveId> = entries.iter().map(|&(mv, _)| mv).collect();
        let Ok((_, finished)) = walk(problem, &present) else {
            return Err(CheckpointError::Corrupt("an illegal move"));
        };
        let replayed = saved.present.is_some() && !saved.edited;
        require(!replayed || finished, "an annealing without a solution")?;
        // Decisions are named by what they were in another state: the problem knows no other names than its own.
        self.walker.recode(problem, &present);
        let names = self.walker.entries.iter().map(|entry| entry.name);
        require(names.eq(entries.iter().map(|&(_, name)| name)), "the names of decisions")?;
        self.walker.pruning = pruning;
        self.saved = saved;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
