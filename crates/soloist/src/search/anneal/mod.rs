//! Simulated annealing over sequences of moves.

use super::method::Family;
use super::{Context, Search, Status, replay};
use crate::problem::MoveId;
use crate::problem::rules::{Rules, State};
use crate::run::checkpoint::{decode, encode};
use crate::search::parameter::{choice, parameters};
use crate::{CheckpointError, ParameterError, Rng, Score, Sense, Solution, math};
use serde::{Deserialize, Serialize};

choice! {
    /// How the temperature falls from `start` to `end` over the `steps` of a cooling.
    pub enum Schedule {
        /// By the same factor a step.
        Geometric = "geometric",
        /// By the same amount a step.
        Linear = "linear",
    }
}

parameters! {
    /// Simulated annealing over sequences of moves.
    ///
    /// A solution is the sequence of moves that makes it. A neighbour is made from it by one edit, and the rest is
    /// replayed: at each state the first entry of the edited sequence is played that has not been played and can be,
    /// which is a legal move with the same [`code`](crate::Problem::code) as the old one had, or else the same move;
    /// when none can be, a random candidate of the rollout; when the entries are used up, the rollout completes the
    /// solution. So any problem can be annealed, orderings (where every edit is an edit of the permutation) as well as
    /// games (where an edit changes what the later moves meet).
    ///
    /// The edits, drawn with the weights `swap`, `insert`, `block`, `reverse` and `change`: two entries are exchanged;
    /// one is moved; a block of two or more is moved, or reversed (at most `longest` entries); one decision is replaced
    /// by another candidate. Places are uniform.
    ///
    /// A neighbour that is at least as good is accepted, a worse one with probability `exp(-d / (T s))`, where `d` is
    /// the difference of the scores, `s` the absolute present score and `T` the temperature: temperatures are fractions
    /// of the score, so that they suit instances of any size. Between infeasible solutions `d` and `s` are degrees; a
    /// feasible solution is never left for an infeasible one. After `steps` neighbours a cooling ends; `reheats`
    /// coolings follow it from the best solution of the run, each `reheat_factor` as hot; then a new run begins from a
    /// playout, with `steps` multiplied by `growth`, so that any budget is used well.
    ///
    /// An offered solution becomes the present one if it is better: a run that has not begun begins there.
    ///
    /// When to use it: orderings, and other problems where a small edit of a good solution is a good solution, above
    /// all when scoring an edited solution is cheap. Cost per step: one neighbour, which counts as a playout; replaying
    /// takes the listing of moves and, where an entry does not fit, the codes of all of them, for each state behind the
    /// first edited one. Memory: two solutions.
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
    /// simplification", arXiv:1409.5223, 2014 (over orders of variables).
    pub struct Anneal {
        /// neighbours tried in one cooling of the first run
        steps: u64 = 2_000, 1..=1_000_000_000_000;
        /// temperature at the start of a cooling, as a fraction of the present score
        start: f64 = 0.05, 0.0..=1e6;
        /// temperature at the end of a cooling
        end: f64 = 0.0005, 0.0..=1e6;
        /// how the temperature falls
        cooling: Schedule = Schedule::Geometric, ();
        /// further coolings of a run, each from the run's best solution
        reheats: u64 = 0, 0..=1_000_000_000;
        /// factor of the temperature at the start from one cooling of a run to the next
        reheat_factor: f64 = 0.5, 0.0..=1.0;
        /// begin again from a playout when a run ends, until the budget is used up
        restarts: bool = true, ();
        /// factor of `steps` from run to run
        growth: f64 = 2.0, 1.0..=1000.0;
        /// weight of exchanging two entries
        swap: u64 = 2, 0..=1_000_000;
        /// weight of moving an entry
        insert: u64 = 2, 0..=1_000_000;
        /// weight of moving a block
        block: u64 = 1, 0..=1_000_000;
        /// weight of reversing a block
        reverse: u64 = 1, 0..=1_000_000;
        /// weight of replacing a decision
        change: u64 = 1, 0..=1_000_000;
        /// most entries of a block; 0: half of the solution
        longest: u64 = 0, 0..=1_000_000_000;
    }
}

impl Anneal {
    /// In the order of [`Edit`].
    fn weights(&self) -> [u64; 5] {
        [self.swap, self.insert, self.block, self.reverse, self.change]
    }

    /// Returns the relative temperature of step `step` of `steps` in cooling number `round` of a run.
    fn temperature(&self, step: u64, steps: u64, round: u64) -> f64 {
        let part = step as f64 / steps as f64;
        let cooled = match self.cooling {
            Schedule::Geometric => self.start * libm::pow(self.end / self.start, part),
            Schedule::Linear => self.start + (self.end - self.start) * part,
        };
        if round == 0 { cooled } else { cooled * libm::pow(self.reheat_factor, round as f64) }
    }
}

impl Family for Anneal {
    fn validate(&self) -> Result<(), ParameterError> {
        if self.cooling == Schedule::Geometric && (self.start == 0.0 || self.end == 0.0) {
            return Err(ParameterError::Conflict("cooling=geometric needs start and end above 0"));
        }
        if self.weights().iter().sum::<u64>() == 0 {
            return Err(ParameterError::Conflict("one of swap, insert, block, reverse and change must be above 0"));
        }
        Ok(())
    }

    fn build(&self, problem: &dyn Rules, _: u64) -> Box<dyn Search> {
        Box::new(AnnealSearch::new(self.clone(), problem))
    }
}

/// How a neighbour differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Swap,
    Insert,
    Block,
    Reverse,
    Change,
}

const EDITS: [Edit; 5] = [Edit::Swap, Edit::Insert, Edit::Block, Edit::Reverse, Edit::Change];

/// A move and the code that it had where it was played.
#[derive(Clone, Copy, Debug)]
struct Entry {
    mv: MoveId,
    code: u64,
}

/// The part of a run from which the rest is rebuilt.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    /// Score and moves of the present solution; none before a run's first playout.
    present: Option<(Score, Vec<MoveId>)>,
    /// Those of the best solution of the run.
    best: Option<(Score, Vec<MoveId>)>,
    /// Neighbours tried in this cooling.
    step: u64,
    /// Neighbours in a cooling of this run.
    steps: u64,
    /// Coolings of this run that have ended.
    round: u64,
}

pub(crate) struct AnnealSearch {
    parameters: Anneal,
    saved: Saved,
    /// The present solution.
    entries: Vec<Entry>,
    /// The neighbour that is being made, and the entries that it is made of.
    next: Vec<Entry>,
    plan: Vec<Entry>,
    root: State,
    state: State,
    behind: State,
    legal: Vec<MoveId>,
    codes: Vec<u64>,
    playout: Vec<MoveId>,
    moves: Vec<MoveId>,
}

impl AnnealSearch {
    pub(crate) fn new(parameters: Anneal, problem: &dyn Rules) -> Self {
        let root = problem.root();
        Self {
            saved: Saved { present: None, best: None, step: 0, steps: parameters.steps, round: 0 },
            parameters,
            entries: Vec::new(),
            next: Vec::new(),
            plan: Vec::new(),
            state: root.clone(),
            behind: root.clone(),
            root,
            legal: Vec::new(),
            codes: Vec::new(),
            playout: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Edits the present solution: fills `plan` with its entries from the first edited place on, which is returned.
    fn edit(&mut self, edit: Edit, rng: &mut Rng) -> usize {
        let count = self.entries.len();
        let plan = &mut self.plan;
        plan.clear();
        if edit == Edit::Change || count < 2 {
            let first = rng.index(count);
            plan.extend_from_slice(&self.entries[first..]);
            return first;
        }
        // Two different places.
        let a = rng.index(count);
        let b = (a + 1 + rng.index(count - 1)) % count;
        let longest =
            if self.parameters.longest == 0 { count / 2 } else { self.parameters.longest.min(count as u64) as usize };
        match edit {
            Edit::Swap => {
                let first = a.min(b);
                plan.extend_from_slice(&self.entries[first..]);
                plan.swap(a - first, b - first);
                first
            }
            Edit::Block if count > 2 => {
                let length = 2 + rng.index(longest.clamp(2, count - 1) - 1);
                let places = count - length + 1;
                let from = rng.index(places);
                let to = (from + 1 + rng.index(places - 1)) % places;
                let first = from.min(to);
                plan.extend_from_slice(&self.entries[first..]);
                let block = first.max(from) - first;
                if from < to {
                    plan[block..to - first + length].rotate_left(length);
                } else {
                    plan[..block + length].rotate_right(length);
                }
                first
            }
            Edit::Reverse => {
                let length = 2 + rng.index(longest.clamp(2, count) - 1);
                let first = rng.index(count - length + 1);
                plan.extend_from_slice(&self.entries[first..]);
                plan[..length].reverse();
                first
            }
            Edit::Insert | Edit::Block | Edit::Change => {
                let first = a.min(b);
                plan.extend_from_slice(&self.entries[first..]);
                if a < b {
                    plan[..=b - first].rotate_left(1);
                } else {
                    plan[..=a - first].rotate_right(1);
                }
                first
            }
        }
    }

    fn play(&mut self, problem: &dyn Rules, mv: MoveId) {
        let code = problem.play(&mut self.state, mv);
        self.next.push(Entry { mv, code });
    }

    /// Returns a random candidate, if possible another than `not`.
    fn random(&mut self, context: &mut Context<'_>, not: Option<MoveId>) -> Option<MoveId> {
        self.legal.clear();
        context.rollout.candidates(&self.state, &mut self.legal);
        if let Some(not) = not
            && self.legal.iter().any(|&mv| mv != not)
        {
            self.legal.retain(|&mv| mv != not);
        }
        (!self.legal.is_empty()).then(|| self.legal[context.rng.index(self.legal.len())])
    }

    /// Returns the legal move that `entry` names in the present state; `legal` lists the moves there.
    fn find(&mut self, problem: &dyn Rules, entry: Entry) -> Option<MoveId> {
        let same = self.legal.contains(&entry.mv);
        if same && problem.code(&self.state, entry.mv) == entry.code {
            return Some(entry.mv);
        }
        if self.codes.is_empty() {
            problem.codes_of(&self.state, &self.legal, &mut self.codes);
        }
        match self.codes.iter().position(|&code| code == entry.code) {
            Some(at) => Some(self.legal[at]),
            None => same.then_some(entry.mv),
        }
    }

    /// Plays the present solution up to the place `first`, then the plan, and leaves the finished solution in `next`
    /// and `state`. With `change` the decision at `first` is replaced. True when the rollout completed it.
    fn replay(&mut self, context: &mut Context<'_>, first: usize, change: bool) -> bool {
        let problem = context.problem;
        self.state.clone_from(&self.root);
        self.next.clear();
        self.next.extend_from_slice(&self.entries[..first]);
        for entry in &self.next {
            problem.apply(&mut self.state, entry.mv);
        }
        if change && let Some(mv) = self.random(context, self.plan.first().map(|entry| entry.mv)) {
            self.play(problem, mv);
        }
        // Entries before `head` are played; those behind it that are played are taken out.
        let mut head = 0;
        loop {
            self.legal.clear();
            self.codes.clear();
            problem.moves(&self.state, &mut self.legal);
            if self.legal.is_empty() {
                return false;
            }
            if head == self.plan.len() {
                self.complete(context);
                return true;
            }
            let found = (head..self.plan.len()).find_map(|at| Some((at, self.find(problem, self.plan[at])?)));
            let mv = match found {
                Some((at, mv)) => {
                    if at == head {
                        head += 1;
                    } else {
                        self.plan.remove(at);
                    }
                    mv
                }
                None => {
                    let any = self.legal[0];
                    self.random(context, None).unwrap_or(any)
                }
            };
            self.play(problem, mv);
        }
    }

    /// Lets the rollout play on from `state`.
    fn complete(&mut self, context: &mut Context<'_>) {
        let problem = context.problem;
        self.behind.clone_from(&self.state);
        self.playout.clear();
        context.rollout.run(&mut self.state, &mut self.playout, context.rng);
        for &mv in &self.playout {
            let code = problem.play(&mut self.behind, mv);
            self.next.push(Entry { mv, code });
        }
    }

    /// Scores `next`, whose end is `state`.
    fn score(&mut self, context: &mut Context<'_>, by_rollout: bool) -> Score {
        self.moves.clear();
        self.moves.extend(self.next.iter().map(|entry| entry.mv));
        if by_rollout {
            // The rollout learns from what it played only.
            return context.finish(&self.state, &self.moves, &[]);
        }
        context.leaf(&self.state, &self.moves)
    }

    /// Makes `next` the present solution.
    fn accept(&mut self, score: Score, sense: Sense) {
        std::mem::swap(&mut self.entries, &mut self.next);
        let store = |place: &mut Option<(Score, Vec<MoveId>)>| {
            let (parameters, moves) = place.get_or_insert_with(|| (score, Vec::new()));
            *parameters = score;
            moves.clone_from(&self.moves);
        };
        store(&mut self.saved.present);
        if self.saved.best.as_ref().is_none_or(|(best, _)| sense.better(score, *best)) {
            store(&mut self.saved.best);
        }
    }

    /// Begins the next cooling or run when this one has ended. Returns true when the run was the last.
    fn turn(&mut self, problem: &dyn Rules) -> bool {
        let saved = &mut self.saved;
        if saved.step < saved.steps {
            return false;
        }
        saved.step = 0;
        if saved.round < self.parameters.reheats {
            saved.round += 1;
            saved.present.clone_from(&saved.best);
            self.recode(problem);
            return false;
        }
        saved.round = 0;
        (saved.present, saved.best) = (None, None);
        saved.steps = (saved.steps as f64 * self.parameters.growth).min(1e15) as u64;
        !self.parameters.restarts
    }

    /// Rebuilds the entries from the moves of the present solution, which must be legal.
    fn recode(&mut self, problem: &dyn Rules) {
        self.entries.clear();
        self.state.clone_from(&self.root);
        for &mv in self.saved.present.iter().flat_map(|(_, moves)| moves) {
            let code = problem.play(&mut self.state, mv);
            self.entries.push(Entry { mv, code });
        }
    }
}

/// Whether `new` replaces `old` at the relative temperature `temperature`. Draws a number when `new` is worse and of
/// the same kind.
fn accepts(sense: Sense, old: Score, new: Score, temperature: f64, rng: &mut Rng) -> bool {
    if sense.at_least(new, old) {
        return true;
    }
    let (loss, size) = match (old, new) {
        (Score::Feasible(old), Score::Feasible(new)) => ((new - old).abs(), old.abs()),
        (Score::Infeasible(old), Score::Infeasible(new)) => (new - old, old),
        _ => return false,
    };
    let draw = rng.unit();
    let heat = temperature * size;
    heat > 0.0 && draw < math::exp(-loss / heat)
}

impl Search for AnnealSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        let problem = context.problem;
        let sense = problem.sense();
        let Some(&(old, _)) = self.saved.present.as_ref() else {
            self.state.clone_from(&self.root);
            self.next.clear();
            self.complete(context);
            let score = self.score(context, true);
            self.accept(score, sense);
            return Status::Running;
        };
        let weights = self.parameters.weights();
        let mut draw = context.rng.below(weights.iter().sum());
        let mut edit = Edit::Change;
        for (kind, weight) in EDITS.into_iter().zip(weights) {
            if draw < weight {
                edit = kind;
                break;
            }
            draw -= weight;
        }
        let first = self.edit(edit, context.rng);
        let by_rollout = self.replay(context, first, edit == Edit::Change);
        let new = self.score(context, by_rollout);
        let Saved { step, steps, round, .. } = self.saved;
        if accepts(sense, old, new, self.parameters.temperature(step, steps, round), context.rng) {
            self.accept(new, sense);
        }
        self.saved.step += 1;
        if self.turn(problem) { Status::Completed } else { Status::Running }
    }

    fn take_up(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let sense = context.problem.sense();
        let improves = |place: &Option<(Score, Vec<MoveId>)>| {
            place.as_ref().is_none_or(|(score, _)| sense.better(solution.score, *score))
        };
        let offered = || Some((solution.score, solution.moves.clone()));
        if improves(&self.saved.best) {
            self.saved.best = offered();
        }
        if improves(&self.saved.present) {
            self.saved.present = offered();
            self.recode(context.problem);
        }
    }

    fn save(&self) -> Vec<u8> {
        encode(&self.saved)
    }

    fn load(&mut self, problem: &dyn Rules, bytes: &[u8]) -> Result<(), CheckpointError> {
        let saved = decode::<Saved>(bytes)?;
        if saved.present.is_some() != saved.best.is_some() || saved.steps == 0 {
            return Err(CheckpointError::Corrupt("an annealing without a solution"));
        }
        for (_, moves) in saved.present.iter().chain(&saved.best) {
            replay(problem, moves)?;
        }
        self.saved = saved;
        self.recode(problem);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
