//! A portfolio of methods that race for the budget; the winner shares the rest of it with another kind of method.
//!
//! `auto` enters the methods that the problem [names](crate::problem::Extras::portfolio), and the other presets that
//! can use what it offers: `cabs` where the root has a [bound](crate::Problem::bound), `beam` where it has a
//! [potential](crate::Problem::potential), `gnrpa` where the [bias](crate::problem::Prior::bias) differs between moves
//! of the root, or of a state on one of four random walks, and always `anneal`, `ils`, `nrpa`, `nmcs`, `uct-best` and
//! `sampling`. Where the bias differs so and the problem has no rollouts of its own, `anneal`, `ils`, `uct-best` and
//! `sampling` play by the rollout `bias`. Nested levels end once they have found their best sequence ten times again
//! (`repetitions=10`). `methods` names others, each with its settings in parentheses, separated by blanks (a shell
//! needs quotes around the whole; a file has the same text):
//!
//! ```text
//! --set 'methods=nrpa(level=3 iterations=100 rollout=selective),anneal,uct(value=best)'
//! ```
//!
//! `rollout` names a playout policy; by default it is that of the run. Each entrant has a rollout for itself, which
//! learns from its playouts alone. A few playouts of the run's rollout come first: they give the first incumbent
//! and the length of solutions.
//!
//! Then come rounds, which take the part `race_part` of the budget together. Each round is divided evenly among the
//! methods that are left; after it the worse half is dropped, by the best score that each has found *itself*.
//! Methods that can prove optimality win ties, then the one that needed less effort. Where the problem names
//! methods, rounds are half as long, the best of those named stays until two are left, and others stay only while
//! they are ahead of it.
//!
//! Elsewhere the best `anneal` is not dropped in the first round, nor while its score is within 15 % of the leader's,
//! nor in a round in which it has improved most. Cooling gains most at its end, and rounds are short. If it reaches
//! the last round, and the winner is neither `anneal` nor exact, the two share the rest: half each. Where the winner
//! is `sampling` or a form of `uct`, `anneal` gets 90 % and continues from the best solution. `ils` counts as `anneal`
//! there, and the two share what one of them would have: the better one gets 70 %, and `ils` comes last, from the best
//! solution.
//!
//! There is no race where the budget has room for fewer than 2000 playouts, or fewer than 100 for each move of a
//! game. An exact method, if one is entered, gets the fraction `exact_share` of the budget, and `anneal` the rest.
//!
//! One method is left, the winner. It shares the rest with the best method of the other kind: exact searches (those
//! that can prove optimality) and the others are good at different things. If the winner is not exact, the best
//! exact method first has the part `exact_share` of the rest; if it is, it has this part or three tenths, and then
//! the best of the others continues. Where the problem names methods, those alone share. The last one begins from
//! the best solution of all. If it ends by itself, the others race for what is left.
//!
//! `anneal` begins again in every round, since it cools over what it is given, but it keeps what it has learned of
//! links; the others continue where they were.
//!
//! With `polish` the last part of the budget is for `anneal(runs=1 finish=0 reheats=3 reheat_factor=0.6)` on the
//! best solution of all: three coolings, each from a lower temperature. It pays where a small edit of a good
//! solution is a good solution, whatever method has found that. If the last method is not `anneal` and has found
//! something better in the last third of its turn, it continues instead.
//!
//! Exact searches prune by the best solution of all, whoever has found it: a proof of one of them is a proof of the
//! run. Their place in the race is that of the solutions that they have found themselves.
//!
//! [`Outcome::remarks`](crate::Outcome::remarks) says what was chosen and why. The bound that is reported is the
//! best one that an entrant has shown, those that were dropped included.
//!
//! A [`Setup`](crate::Setup) of `auto` makes a cheap attempt at a [proof](crate::Setup::proof) beside the race.
//!
//! # Budget
//! Where counts are limited, a method's share is measured in *moves*: the nodes and the playouts times the mean
//! length of the first playouts. Such runs are reproducible. A node of a systematic search is one move there, which
//! is rough: with limited time shares are shares of the time. With `first`, or where nothing is limited, races
//! repeat, each with twice the effort of the one before (a million moves if `first` is 0), and the winner's share
//! ends when the race's effort is used up.
//!
//! Where counts and time are limited, the counts alone are the plan: give counts that the time allows.
//!
//! A run that is continued with a larger budget after `polish` has begun races again for what is left.
//!
//! A run in parts gives the result of one run if every part knows the budget of the whole
//! ([`Solver::plan`](crate::Solver::plan)), or if `first` is given.
//!
//! With several threads each stream has a race of its own. The winners continue together: they exchange what they
//! work on, each time they have made an eighth more playouts. The effort that the other streams have made when one
//! has proven the optimum depends on their schedule; the solution does not.
//!
//! An offered solution is passed to all methods: improvements of it rank them then.
//!
//! When to use it: for a new problem. A method that is known to fit gets more of the budget when its
//! name is given. Cost per step: a step of one of the methods. Memory: that of the methods; each has
//! an even part of the limit.
//!
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(20), Method::preset("auto").unwrap())
//!     .budget(Budget::playouts(20_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
//! assert!(outcome.remarks[0].contains("anneal"));
//! ```
//!
//! # References
//! The halving is that of K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter
//! optimization", AISTATS 2016, on methods instead of settings. Portfolios: C. P. Gomes and B. Selman, "Algorithm
//! portfolios", Artificial Intelligence 126, 2001.

mod choose;
mod entries;
mod race;
mod racer;
mod shares;

use super::family::Family;
use super::step::Unfinished;
use super::{Context, Limits, Search, Status};
use crate::Score;
use crate::core::budget_share::BudgetShare;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::{MOST, ensure};
use crate::core::order;
use crate::core::parameter::{ParameterError, parameters};
use crate::core::solution::Solution;
use crate::erased::MoveId;
use crate::erased::problem::ErasedProblem;
use crate::problem::SearchInfo;
use crate::run::outcome::Counters;
use choose::{Field, choose};
pub use entries::{Entries, Entry};
use race::{Progress, Race, Turn};
use racer::Racer;
use serde::{Deserialize, Serialize};

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Auto {
        /// the methods that race, `rollout` among their settings; `choose`: those that the problem names and those that
        /// can use what it offers
        methods: Entries = Entries::default(), ();
        /// the part of the budget that the rounds of the race take together; where the problem names methods and
        /// `methods` is `choose`, they take half of this part
        race_part: f64 = 0.2, 0.01..=1.0;
        /// the part of the rest that the best exact method has where another one has won the race, before that one
        /// continues; where an exact one has won, it has this part, three tenths at least, and the best other method
        /// has what is left; 0: the winner has everything
        exact_share: f64 = 0.15, 0.0..=0.9;
        /// the part of the budget, at its end, in which `anneal` improves the best solution of all; used where the
        /// budget is known
        polish: f64 = 0.0, 0.0..=0.9;
        /// effort of the first race, in moves; 0: the race is spread over the budget
        first: u64 = 0, 0..=1_000_000_000_000;
    }
}

impl Auto {
    /// Returns the methods that race on a problem, and why these.
    fn field(&self, problem: &dyn ErasedProblem) -> Result<Field, ParameterError> {
        let asked = self.methods.entries();
        if asked.is_empty() { choose(problem) } else { Ok(Field { entries: asked.to_vec(), ..Field::default() }) }
    }
}

impl Family for Auto {
    fn look_up(&mut self, searches: &[SearchInfo]) -> Result<(), ParameterError> {
        self.methods.resolve(searches)
    }

    fn validate(&self) -> Result<(), ParameterError> {
        if self.race_part + self.polish > 1.0 + 1e-9 {
            return Err(ParameterError::Conflict("race_part + polish must be at most 1"));
        }
        if self.first > 0 && self.polish > 0.0 {
            return Err(ParameterError::Conflict("polish needs first=0: it is a part of a budget that is known"));
        }
        Ok(())
    }

    fn least_memory(&self, problem: &dyn ErasedProblem) -> u64 {
        let Field { entries, .. } = self.field(problem).unwrap_or_default();
        let most = entries.iter().map(|entry| entry.method().least_memory(problem)).max();
        let polisher = u64::from(self.polish > 0.0);
        most.unwrap_or(0).saturating_mul(entries.len() as u64 + polisher)
    }

    /// A stream whose winner looks for a proof makes no playouts, and by the clock the others would wait for it.
    fn meets(&self, is_timed: bool) -> bool {
        !is_timed
    }

    /// Where others race as well, these end with their part of the effort.
    fn finishes_rarely(&self) -> bool {
        let entries = self.methods.entries();
        !entries.is_empty() && entries.iter().all(|entry| entry.method().finishes_rarely())
    }

    /// What a problem lets race is known where it is.
    fn counts_nodes(&self) -> bool {
        let entries = self.methods.entries();
        !entries.is_empty() && entries.iter().all(|entry| entry.method().counts_nodes())
    }

    fn rollouts(&self, problem: &dyn ErasedProblem) -> Result<Vec<String>, ParameterError> {
        Ok(self.field(problem)?.entries.iter().filter_map(|entry| entry.rollout().map(str::to_owned)).collect())
    }

    fn build(&self, _: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        Box::new(AutoSearch::new(self.clone(), memory))
    }
}

/// Effort of the first race where neither `first` nor a budget says how much.
const FIRST: u64 = 1_000_000;
/// The part of `race_part` that is used where the problem names methods.
const KNOWN: f64 = 0.5;
/// The method of the last part.
const POLISHER: &str = "anneal(runs=1 finish=0 reheats=3 reheat_factor=0.6)";
/// Playouts before the race; fewer where they are dear, these at least.
const SAMPLES: u64 = 8;
const LEAST: u64 = 3;

/// Everything but the entrants.
#[derive(Clone, Default, Serialize, Deserialize)]
struct State {
    /// Playouts before the race, and their moves.
    samples: u64,
    length: u64,
    /// The part of the plan that was over after the last one, and the least part that one has taken: attempts at a
    /// proof take turns with them.
    over: f64,
    least: Option<f64>,
    /// Nodes of trees and of systematic searches. Those of the others are the moves of their playouts.
    nodes: u64,
    /// `None`: these playouts are being made.
    race: Option<Race>,
    remarks: Vec<String>,
    /// How many of the entrants, the first ones, the problem has named.
    named: usize,
}

pub(crate) struct AutoSearch {
    parameters: Auto,
    memory: u64,
    entrants: Vec<Racer>,
    state: State,
}

impl AutoSearch {
    fn new(parameters: Auto, memory: u64) -> Self {
        Self { parameters, memory, entrants: Vec::new(), state: State::default() }
    }

    /// The memory of each entrant.
    fn memory(&self) -> u64 {
        self.memory / self.entrants.len().max(1) as u64
    }

    /// The effort behind these counts, in moves.
    fn effort(&self, made: Counters) -> f64 {
        let length = self.state.length as f64 / self.state.samples.max(1) as f64;
        made.playouts as f64 * length.max(1.0) + made.nodes as f64
    }

    /// Returns how far the run has come.
    fn progress(&self, context: &Context<'_>) -> Progress {
        let effort = self.effort(Counters { nodes: self.state.nodes, ..context.tally.counters });
        let BudgetShare { playouts, nodes, time } = context.horizon;
        let playouts = playouts.map(|playouts| self.effort(Counters { playouts, nodes: 0 }));
        let nodes = nodes.map(|nodes| self.effort(Counters { playouts: 0, nodes }));
        let counts = playouts.into_iter().chain(nodes).reduce(f64::min);
        let part = counts.map(|planned| effort / planned.max(1.0)).or(time);
        Progress { effort, part: part.filter(|_| self.parameters.first == 0) }
    }

    /// The part of the turn that is over, as the budget of the method whose turn it is.
    fn horizon(&self, now: Progress) -> BudgetShare {
        BudgetShare { time: self.state.race.as_ref().map(|race| race.over(now)), ..BudgetShare::default() }
    }

    /// Makes a playout; the first one is made when the methods are known, the last one opens the race.
    fn sample(&mut self, context: &mut Context<'_>) {
        if self.state.samples == 0 {
            self.enter(context);
        }
        let score = context.rollout.sample(context.rng);
        context.tally.counters.playouts += 1;
        let (moves, identity) = context.rollout.sampled();
        self.state.samples += 1;
        self.state.length += moves.len() as u64;
        if context.tally.wants(score) && !context.problem.has_failed() {
            context.tally.keep(Solution { score, moves }, identity);
        }
        let now = self.progress(context);
        if let Some(part) = now.part {
            // The clock was read before this playout: the time since the reading before it is that of the one before.
            let taken = part - std::mem::replace(&mut self.state.over, part);
            if self.state.samples > 1 {
                self.state.least = Some(self.state.least.map_or(taken, |least| least.min(taken)));
            }
        }
        if self.state.samples == SAMPLES || self.state.samples >= LEAST && self.has_few() {
            let length = if self.parameters.first == 0 { FIRST } else { self.parameters.first };
            self.open(context, length as f64, now);
        }
    }

    /// Enters the methods.
    fn enter(&mut self, context: &mut Context<'_>) {
        // Entries that cannot run were refused before the run began.
        let Field { mut entries, named, why } = self.parameters.field(context.problem).unwrap_or_default();
        self.state.named = named;
        entries.retain(|entry| context.rollout.open(entry.rollout()));
        let names: Vec<String> = entries.iter().map(ToString::to_string).collect();
        self.state.remarks.push(format!("{} race{why}", names.join(", ")));
        let sense = context.problem.sense();
        if self.parameters.polish > 0.0 {
            entries.extend(POLISHER.parse().ok().filter(|_| context.rollout.open(None)));
        }
        self.entrants = (0..).zip(entries).map(|(player, entry)| Racer::new(entry, player, sense)).collect();
    }

    /// The number of entrants that race: the polisher is the last one.
    fn racers(&self) -> usize {
        self.entrants.len().saturating_sub(usize::from(self.parameters.polish > 0.0))
    }

    /// Begins the last part of the plan.
    fn polish(&mut self, race: &mut Race, now: Progress) {
        let polisher = self.racers();
        let (_, scores) = self.rank(race.field());
        let entry = &self.entrants[polisher].entry;
        self.state.remarks.push(format!("{scores}; the best solution is improved by {entry}"));
        race.polish(polisher, now);
    }

    /// Whether an entrant can do nothing more. An exact search may make no playouts for ever: where the plan is used up
    /// but for the playouts of others, they alone go on. Where none of them can, exact ones have what is left of the
    /// other limits, if there are any.
    fn is_over(&self, context: &Context<'_>, at: usize, now: Progress) -> bool {
        let entrant = &self.entrants[at];
        if entrant.ended || !entrant.is_systematic() {
            return entrant.ended;
        }
        let is_planned = now.part.is_some_and(|part| part >= 1.0);
        let others = || self.entrants[..self.racers()].iter().any(|other| !other.ended && !other.is_systematic());
        let Limits { playouts, nodes, .. } = context.tally.limits;
        let is_due = is_planned || now.effort >= self.effort(Counters { playouts, nodes: 0 });
        is_due && if others() { is_planned } else { nodes == u64::MAX && context.horizon.time.is_none() }
    }

    /// Opens the first race, if there are entrants.
    fn open(&mut self, context: &mut Context<'_>, length: f64, now: Progress) {
        let all: Vec<usize> = (0..self.racers()).collect();
        if !all.is_empty() {
            let mut race = self.race(all, length, now);
            self.skip(&mut race, now);
            self.begin(context, race, now);
        }
    }

    /// Returns a race of these entrants that begins now.
    fn race(&self, field: Vec<usize>, length: f64, now: Progress) -> Race {
        let known = field.iter().any(|&at| at < self.state.named);
        let part = self.parameters.race_part * if known { KNOWN } else { 1.0 };
        Race::new(field, part, 1.0 - self.parameters.polish, length, now)
    }

    /// Begins the turn of the entrant whose turn it is in a race. The winner continues from the best solution of all.
    fn begin(&mut self, context: &mut Context<'_>, race: Race, now: Progress) {
        let at = race.at();
        self.state.race = Some(race);
        let memory = self.memory();
        context.tally.has_switched = true;
        let (horizon, won) = (self.horizon(now), self.state.race.as_ref().is_some_and(Race::is_won));
        let entrant = &mut self.entrants[at];
        entrant.begin(context, memory);
        if won && let Some(best) = context.tally.best.clone() {
            entrant.adopt(context, &best, horizon);
        }
    }

    /// Returns a field in order, the best first, and its scores in words.
    fn rank(&self, field: &[usize]) -> (Vec<usize>, String) {
        let mut ranked = field.to_vec();
        order::sort_by(&mut ranked, |&a, &b| self.entrants[a].order(&self.entrants[b]));
        let scores: Vec<String> = ranked.iter().map(|&at| self.entrants[at].standing()).collect();
        (ranked, scores.join(", "))
    }

    /// Ends a round: the better half of the field stays. A single one shares the rest with others.
    fn halve(&mut self, race: &mut Race, able: &[usize], best: Option<f64>, now: Progress) {
        let (mut stay, scores) = self.rank(race.field());
        let editor = self.editor(&stay, race.round).filter(|at| able.contains(at));
        let mut dropped = self.drop_worse(&mut stay, editor);
        race.field().iter().for_each(|&at| self.entrants[at].end_round());
        let name = |at: usize| self.entrants[at].entry.to_string();
        let next = if let &[winner] = &stay[..] {
            let (field, shares) = self.sharers(winner, able, editor);
            dropped.retain(|at| !field.contains(at));
            let (first, last) = (self.first_shares(&field, &shares, "the rest"), field.last().map(|&at| name(at)));
            let last = last.unwrap_or_default();
            race.divide(field, shares, now);
            if first.is_empty() {
                format!("the race continues with {last}")
            } else {
                format!("{first}{last} continues")
            }
        } else {
            let names: Vec<String> = stay.iter().map(|&at| name(at)).collect();
            race.halve(stay, now);
            format!("the race continues with {}", names.join(", "))
        };
        self.state.remarks.push(format!("{scores}; {next}"));
        dropped.into_iter().for_each(|at| self.entrants[at].rest(best));
    }

    /// Ends a turn and begins the next one. Returns false if nothing can be done any more.
    #[cold]
    fn turn(&mut self, context: &mut Context<'_>, turn: Turn, now: Progress) -> bool {
        let Some(mut race) = self.state.race.take() else { return false };
        let able: Vec<usize> = (0..self.racers()).filter(|&at| !self.is_over(context, at, now)).collect();
        match turn {
            // Nothing ends: the caller continues by itself.
            Turn::Stay => {}
            Turn::Next => race.next(now),
            Turn::Halve => self.halve(&mut race, &able, context.incumbent(), now),
            Turn::Polish if race.is_won() && self.entrants[race.at()].is_improving(&race, now) => {
                let entry = &self.entrants[race.at()].entry;
                self.state.remarks.push(format!("{entry} still improves and has the last part too"));
                race.extend();
                self.state.race = Some(race);
                return true;
            }
            Turn::Polish => self.polish(&mut race, now),
            Turn::Over if able.is_empty() => {
                // The race that has ended stays, because a checkpoint needs one.
                self.state.race = Some(race);
                self.state.remarks.push("no method can do more: the run ends before its limits".to_owned());
                return false;
            }
            Turn::Over => race = self.race(able, race.next_length(), now),
        }
        self.begin(context, race, now);
        true
    }
}

impl Search for AutoSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        let Some(race) = &self.state.race else {
            self.sample(context);
            return Status::Running;
        };
        let now = self.progress(context);
        let (at, horizon) = (race.at(), self.horizon(now));
        let before = context.tally.counters.nodes;
        let status = self.entrants[at].step(context, horizon, now.effort);
        if self.entrants[at].has_nodes() {
            self.state.nodes += context.tally.counters.nodes.saturating_sub(before);
        }
        if let Status::Exhausted(proof) = status {
            return Status::Exhausted(proof);
        }
        if self.entrants[at].is_divided() {
            return Status::Running;
        }
        if let Some(moves) = self.entrants[at].lost.take() {
            let entry = &self.entrants[at].entry;
            self.state.remarks.push(format!("{entry} has ended: one of its games had no end after {moves} moves"));
        }
        let now = self.progress(context);
        let over = self.is_over(context, at, now);
        let turn = self.state.race.as_ref().map_or(Turn::Stay, |race| race.follow(now, over));
        if turn == Turn::Stay || self.turn(context, turn, now) { Status::Running } else { Status::Completed }
    }

    fn is_divided(&self) -> bool {
        let at = self.state.race.as_ref().map(Race::at);
        at.and_then(|at| self.entrants.get(at)).is_some_and(Racer::is_divided)
    }

    fn open_bound(&self) -> Option<f64> {
        let sense = self.entrants.first()?.sense();
        self.entrants.iter().filter_map(Racer::open_bound).reduce(|a, b| sense.worst_value(a, b))
    }

    /// While methods race, their scores have to tell which one is good.
    fn gift(&self) -> Option<(Score, &[MoveId])> {
        let race = self.state.race.as_ref().filter(|race| race.is_won())?;
        self.entrants[race.at()].gift()
    }

    fn meet(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let horizon = self.horizon(self.progress(context));
        if let Some(at) = self.state.race.as_ref().map(Race::at) {
            self.entrants[at].meet(context, solution, horizon);
        }
    }

    fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let horizon = self.horizon(self.progress(context));
        self.entrants.iter_mut().for_each(|entrant| entrant.adopt(context, solution, horizon));
    }

    fn completion(&self, problem: &dyn ErasedProblem, run: &Unfinished) -> Option<Solution<MoveId>> {
        let all = self.entrants.iter().filter_map(|entrant| entrant.completion(problem, run));
        all.reduce(|a, b| if problem.sense().better(b.score, a.score) { b } else { a })
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let at = self.state.race.as_ref().map(Race::at);
        at.map_or_else(Vec::new, |at| self.entrants[at].gauges())
    }

    fn players(&self) -> usize {
        self.entrants.len()
    }

    fn remarks(&self) -> &[String] {
        &self.state.remarks
    }

    fn save(&self) -> Vec<u8> {
        encode(&(&self.state, self.entrants.iter().map(Racer::save).collect::<Vec<_>>()))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (state, entrants) = decode::<(State, Vec<racer::Saved>)>(bytes)?;
        let sound = match &state.race {
            _ if state.named > entrants.len() => false,
            Some(race) => {
                (LEAST..=SAMPLES).contains(&state.samples)
                    && !entrants.is_empty()
                    && race.is_sound(entrants.len(), 1.0 - self.parameters.polish)
            }
            None => state.samples < SAMPLES && entrants.is_empty() == (state.samples == 0),
        };
        ensure(
            sound
                && state.over.is_finite()
                && state.least.is_none_or(f64::is_finite)
                && state.length.max(state.nodes) <= MOST,
            "a race that cannot be",
        )?;
        let memory = self.memory / entrants.len().max(1) as u64;
        let entrants = (0..).zip(entrants).map(|(player, saved)| Racer::load(problem, saved, player, memory));
        self.entrants = entrants.collect::<Result<_, _>>()?;
        self.state = state;
        Ok(())
    }
}
