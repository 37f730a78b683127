//! The annealing itself: runs, neighbours, what is accepted, what is kept.

use super::descents::Descents;
use super::edits::{EDITS, Edit, EditWeights, Fitted};
use super::energy::Worth;
use super::link_costs::{Known, Links};
use super::population::Population;
use super::replay::{End, Pruning, Walker};
use super::schedule::{Clock, Turn};
use super::{Anneal, LINKED, SUBSTITUTING};
use crate::core::abort::EVERY;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::{MOST, ensure};
use crate::core::order;
use crate::core::solution::Solution;
use crate::erased::problem::ErasedProblem;
use crate::erased::{MoveId, validate};
use crate::problem::Acceptance;
use crate::search::{Context, Search, Status, replay_legal};
use crate::{Rng, Score, Sense};
use serde::{Deserialize, Serialize};

/// Variants whose best scores are remembered.
const MOST_VARIANTS: usize = 1024;

/// The part of a search from which the rest is rebuilt.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Saved {
    pub(super) clock: Clock,
    wheel: EditWeights,
    /// The present solution; none before a run's first playout.
    pub(super) present: Option<Worth>,
    /// The best solution of the run.
    pub(super) best: Option<Champion>,
    /// Whether the problem's own neighbourhood makes the neighbours of this run.
    pub(super) edited: bool,
    /// A better solution from outside, which the next step continues from.
    offered: Option<(Score, Vec<MoveId>)>,
    /// The variant of this run, or of the present solution of a population.
    pub(super) variant: u64,
    /// Empty where a solution is cooled alone.
    pub(super) population: Population,
    pub(super) descents: Descents,
    /// Whether the first playout was made.
    begun: bool,
    /// The best score of each variant that has had a run.
    standings: Vec<(u64, Score)>,
    /// What was decided, for people.
    pub(super) remarks: Vec<String>,
}

/// A solution that a run goes back to.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Champion {
    pub(super) worth: Worth,
    pub(super) score: Score,
    pub(super) moves: Vec<MoveId>,
    /// The variant that made it.
    variant: u64,
}

pub(crate) struct AnnealSearch {
    pub(super) parameters: Anneal,
    /// Bytes for a population.
    pub(super) room: u64,
    /// The temperatures at the start and the end of a cooling where the kind of solution has no others, and whether
    /// others are possible.
    temperatures: (f64, f64),
    suits: bool,
    /// Whether the temperatures of a neighbourhood are measured after a descent.
    measures: bool,
    pub(super) saved: Saved,
    pub(super) walker: Walker,
    /// The moves of the solution that is being made or kept.
    pub(super) moves: Vec<MoveId>,
}

impl AnnealSearch {
    pub(crate) fn new(parameters: Anneal, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let coolings = &parameters.coolings;
        Self {
            saved: Saved::default(),
            room: memory / 4,
            temperatures: (coolings.start, coolings.end),
            suits: coolings.has_default_temperatures() && coolings.acceptance == 0.0,
            walker: Walker::new(problem, &parameters, memory),
            measures: coolings.has_default_temperatures(),
            parameters,
            moves: Vec::new(),
        }
    }

    /// Chooses the temperatures: higher ones for replays of assignments and sets and with links that were learned,
    /// where none are set.
    fn suit(&mut self) {
        let suits = self.suits && !self.saved.edited;
        (self.parameters.coolings.start, self.parameters.coolings.end) = match self.walker.choice.fitted {
            Fitted::Assignment | Fitted::Set if suits => SUBSTITUTING,
            Fitted::Any if suits && self.walker.has_learned() => LINKED,
            _ => self.temperatures,
        };
    }

    /// Says between which temperatures the first run cools, where they were measured after a descent.
    #[cold]
    fn say_temperatures(&mut self) {
        let clock = &self.saved.clock;
        if let Some((start, end)) = clock.quench.temperatures().filter(|_| clock.run == 0) {
            // Three digits are enough to set others.
            let remark = format!("annealing cools from {start:.3e} to {end:.3e}, in units of the cost");
            self.saved.remarks.push(remark);
        }
    }

    /// Prepares a run, which has no solution yet.
    fn prepare(&mut self, context: &mut Context<'_>) {
        self.saved.best = None;
        self.saved.population = Population::default();
        self.saved.descents = Descents::default();
        self.saved.clock.begin(&self.parameters.coolings, context.part());
        let run = self.saved.clock.run;
        let finalist = self
            .saved
            .clock
            .finalist(&self.parameters.coolings)
            .and_then(|rank| self.ranked(context).get(rank).copied());
        self.choose(context, finalist.unwrap_or(run));
    }

    /// The variants that have had a run, the best one first; of equal ones the first to run.
    fn ranked(&self, context: &Context<'_>) -> Vec<u64> {
        let sense = context.problem.sense();
        let mut standings: Vec<&(u64, Score)> = self.saved.standings.iter().collect();
        order::sort_by(&mut standings, |a, b| sense.best_first(Some(a.1), Some(b.1)));
        standings.iter().map(|standing| standing.0).collect()
    }

    /// Chooses a variant of the rollout and of the neighbourhood.
    pub(super) fn choose(&mut self, context: &mut Context<'_>, variant: u64) {
        let rollouts = context.rollout.variants().max(1) as u64;
        let local = self.parameters.editing.local;
        let edits = context.rollout.editor().filter(|_| local).map_or(1, |editor| editor.variants() as u64);
        // Beyond their number variants repeat.
        let variant = variant % rollouts.max(edits);
        self.saved.variant = variant;
        context.rollout.set_variant((variant % rollouts) as usize);
        if let Some(editor) = context.rollout.editor().filter(|_| local) {
            editor.set_variant((variant % edits) as usize);
        }
    }

    /// Begins a run from a playout. The first playout of all follows the links, where the problem names some: it is an
    /// answer, and where descents begin, but no better start for a cooling than another.
    fn begin(&mut self, context: &mut Context<'_>) {
        self.prepare(context);
        if !std::mem::replace(&mut self.saved.begun, true) && self.walker.follow_links(context, &mut self.moves) {
            let score = context.score_leaf(&self.walker.state, &self.moves);
            context.tally.counters.nodes += self.moves.len() as u64;
            if self.iterates() {
                self.settle(context, Worth::new(context.problem, score), score);
            }
        } else {
            self.play(context);
        }
    }

    /// Makes a playout the present solution.
    pub(super) fn play(&mut self, context: &mut Context<'_>) {
        let walker = &mut self.walker;
        self.moves.clear();
        walker.state.clone_from(&walker.root);
        context.rollout.run(&mut walker.state, &mut self.moves, context.rng);
        let score = context.finish(&walker.state, &[], &self.moves);
        context.tally.counters.nodes += self.moves.len() as u64;
        let worth = Worth::new(context.problem, score);
        self.settle(context, worth, score);
    }

    /// Goes to a solution, the best one of a run or one from outside, and continues from there.
    pub(super) fn go_to(&mut self, context: &mut Context<'_>, score: Score, moves: Vec<MoveId>) {
        self.moves = moves;
        let worth = Worth::new(context.problem, score);
        self.settle(context, worth, score);
    }

    /// Makes the walker's state the end of the solution in `moves`.
    pub(super) fn walk(&mut self, context: &Context<'_>) {
        let Self { walker, .. } = self;
        walker.state.clone_from(&walker.root);
        for part in self.moves.chunks(EVERY) {
            if context.problem.watch().abandons() {
                return;
            }
            part.iter().for_each(|&mv| context.problem.apply(&mut walker.state, mv));
        }
    }

    /// Makes the solution in `moves` the present one, from which neighbours are made.
    fn settle(&mut self, context: &mut Context<'_>, mut worth: Worth, score: Score) {
        let Self { saved, walker, moves, .. } = self;
        let before = std::mem::replace(&mut saved.edited, false);
        let mut by_score = false;
        (saved.clock.known, saved.clock.quench.follows_edits) = (0.0, false);
        let editor = context.rollout.editor().filter(|_| self.parameters.editing.local);
        let is_known = editor.is_some();
        if let Some(editor) = editor
            && editor.start(moves)
        {
            saved.edited = true;
            saved.clock.known = editor.unit().unwrap_or(0.0);
            saved.clock.quench.follows_edits = saved.clock.known == 0.0 && self.measures;
            worth = Worth { feasible: true, cost: editor.cost() };
            by_score = editor.score().is_some();
        } else {
            walker.recode(context.problem, moves);
            if is_known && worth.feasible && saved.remarks.is_empty() {
                let remark =
                    "the neighbourhood of the problem does not start from a feasible solution: moves are replayed";
                saved.remarks.push(remark.to_owned());
            }
        }
        self.suit();
        let saved = &mut self.saved;
        if before != saved.edited {
            // Costs of a neighbourhood and scores are not compared.
            saved.best = None;
        }
        saved.present = Some(worth);
        let sense = context.problem.sense();
        if by_score && saved.best.as_ref().is_some_and(|best| sense.better(score, best.score)) {
            self.crown(worth, score);
        } else if !by_score || saved.best.is_none() {
            self.champion(worth, score);
        }
    }

    /// Keeps the solution in `moves` if it is the best one of the run: by its worth.
    fn champion(&mut self, worth: Worth, score: Score) {
        if self.saved.best.as_ref().is_none_or(|best| worth.beats(best.worth)) {
            self.crown(worth, score);
        }
    }

    /// Keeps the solution in `moves` as the best one of the run.
    pub(super) fn crown(&mut self, worth: Worth, score: Score) {
        let Self { saved, moves, .. } = self;
        let variant = saved.variant;
        match &mut saved.best {
            Some(best) => {
                (best.worth, best.score, best.variant) = (worth, score, variant);
                best.moves.clone_from(moves);
            }
            None => saved.best = Some(Champion { worth, score, moves: moves.clone(), variant }),
        }
    }

    /// Notes the best score of a run, and the variant that made it, when the run ends.
    fn stand(&mut self, sense: Sense) {
        let Saved { standings, best: Some(best), .. } = &mut self.saved else { return };
        match standings.iter().position(|standing| standing.0 == best.variant) {
            Some(at) if sense.better(best.score, standings[at].1) => standings[at].1 = best.score,
            None if standings.len() < MOST_VARIANTS => standings.push((best.variant, best.score)),
            _ => {}
        }
    }

    /// Returns the rule for the next neighbour of the present solution.
    fn acceptance<'a>(&self, rng: &'a mut Rng, present: Worth) -> Acceptance<'a> {
        let clock = &self.saved.clock;
        if self.iterates() {
            return Acceptance::below(rng, self.saved.descents.limit());
        }
        if clock.is_measuring() {
            return Acceptance::patient(rng, 0.0);
        }
        Acceptance::new(rng, clock.temperature(present.feasible))
    }

    /// Makes a neighbour by the problem's own neighbourhood.
    fn edit(&mut self, context: &mut Context<'_>, present: Worth) {
        context.tally.counters.playouts += 1;
        context.tally.counters.nodes += 1;
        let mut acceptance = self.acceptance(context.rng, present);
        let Some(editor) = context.rollout.editor().filter(|editor| editor.is_started()) else {
            // No run writes such a checkpoint: the neighbourhood has no solution.
            self.saved.present = None;
            return;
        };
        let Some((change, accepted)) = editor.advance(&mut acceptance) else { return };
        self.saved.clock.measure_edit(change);
        if !accepted {
            return;
        }
        let cost = present.cost + change;
        let worth = Worth { feasible: true, cost };
        self.saved.present = Some(worth);
        let score = editor.score();
        let sense = context.problem.sense();
        let improves = |best: &Champion| match score {
            Some(score) => sense.better(score, best.score),
            // Costs are sums of differences: an improvement is larger than their rounding errors.
            None => cost < best.worth.cost - 1e-9 * (1.0 + best.worth.cost.abs()),
        };
        if self.saved.best.as_ref().is_none_or(improves) {
            let worth = Worth { feasible: true, cost: editor.cost() };
            self.saved.present = Some(worth);
            self.moves.clear();
            editor.moves(&mut self.moves);
            self.walk(context);
            let score = context.problem.score(&self.walker.state);
            context.keep(score, &self.walker.state, &self.moves, &[]);
            self.crown(worth, score);
        }
    }

    /// Makes a neighbour by an edit of the entries and a replay.
    fn replay(&mut self, context: &mut Context<'_>, present: Worth) {
        let kind = self.saved.wheel.draw(&self.walker.choice.weights, context.rng);
        let priced = if present.feasible { self.walker.priced(context, kind) } else { None };
        if priced.is_none() {
            self.walker.edit(context, kind);
        }
        let limit = self.acceptance(context.rng, present).limit();
        // An equal solution is always accepted.
        let most = limit.max(f64::MIN_POSITIVE);
        let is_made = match priced {
            None => true,
            Some(None) => false,
            Some(Some((shape, price))) => self.walker.try_priced(context, shape, price < most),
        };
        if !is_made {
            context.tally.counters.playouts += 1;
            context.tally.counters.nodes += 1;
            return self.saved.wheel.learn(kind, None);
        }
        let end = self.walker.run(context, (present.feasible && limit.is_finite()).then_some(present.cost), most);
        context.tally.counters.nodes += self.walker.moves_played();
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
                let worth = Worth::new(context.problem, score);
                // What a problem suggests changes less than what is drawn: the unit does not depend on its weight.
                if EDITS[kind] != Edit::Suggest {
                    let difference = worth.difference(present);
                    self.saved.clock.measure_replay(&self.parameters.coolings, present.feasible, difference);
                }
                if present.feasible && worth.feasible {
                    self.walker.learn(worth.cost - present.cost, present.cost);
                    self.suit();
                }
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
        let brings = self.walker.choice.adapts && worth.feasible == present.feasible && worth.beats(present);
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
        if self.iterates() {
            self.iterate(context, present);
            return Status::Running;
        }
        let count = self.saved.best.as_ref().map_or(1, |best| best.moves.len());
        match self.saved.clock.tick(&self.parameters.coolings, context.part(), count) {
            Turn::Stay => {}
            Turn::Measured => {
                self.say_size();
                self.say_temperatures();
            }
            Turn::Pass(turn) => self.pass_turn(context, turn),
            Turn::Reheat { of_all } => {
                self.saved.population = Population::default();
                self.stand(context.problem.sense());
                if of_all && let Some(&variant) = self.ranked(context).first() {
                    self.choose(context, variant);
                }
                let best = self.saved.best.as_ref().map(|best| (best.score, &best.moves));
                let incumbent = context.tally.best.as_ref().map(|best| (best.score, &best.moves)).filter(|_| of_all);
                if let Some((score, moves)) = incumbent.or(best) {
                    self.go_to(context, score, moves.clone());
                }
            }
            Turn::Restart => {
                self.stand(context.problem.sense());
                self.saved.present = None;
            }
            Turn::End => return Status::Completed,
        }
        Status::Running
    }

    /// Cools from the start again; descents go on. It keeps the kind of solution, and what links cost or that this
    /// cannot be learned.
    fn begin_turn(&mut self) {
        if self.iterates() {
            return;
        }
        self.saved = Saved::default();
        self.walker.pruning = self.walker.pruning.map(|_| Pruning::default());
        (self.parameters.coolings.start, self.parameters.coolings.end) = self.temperatures;
    }

    fn remarks(&self) -> &[String] {
        &self.saved.remarks
    }

    fn gift(&self) -> Option<(Score, &[MoveId])> {
        let is_open = self.saved.present.is_some() && !self.saved.clock.is_measuring();
        let best = self.saved.best.as_ref().filter(|_| is_open)?;
        Some((best.score, &best.moves))
    }

    fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
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
        let links = self.walker.links.as_ref().and_then(Links::save);
        encode(&(&self.saved, entries, self.walker.pruning, links, self.walker.unlinked))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (saved, entries, pruning, links, unlinked) =
            decode::<(Saved, Vec<(MoveId, u64)>, Option<Pruning>, Option<Known>, bool)>(bytes)?;
        if saved.present.is_some() && saved.best.is_none() || !saved.wheel.is_sound() {
            return Err(CheckpointError::Corrupt("an annealing without a solution"));
        }
        ensure(saved.clock.is_sound(&self.parameters.coolings), "a cooling of another run")?;
        ensure(saved.population.is_sound(saved.clock.turns.size), "a population of another run")?;
        let few = saved.standings.len() <= MOST_VARIANTS
            && saved.best.iter().map(|best| best.variant).chain([saved.variant]).all(|variant| variant <= MOST);
        let known = |&(variant, score): &(u64, Score)| {
            variant <= MOST && score.value().or(score.violation()).is_some_and(f64::is_finite)
        };
        ensure(saved.descents.is_sound(), "the descents of an iterated local search")?;
        ensure(few && saved.standings.iter().all(known), "the variants of an annealing")?;
        let solutions = saved.best.iter().map(|best| (best.score, &best.moves));
        let members = saved.population.members.iter().map(|member| (member.score, &member.moves));
        let offered = saved.offered.iter().map(|(score, moves)| (*score, moves));
        for (score, moves) in solutions.chain(members).chain(offered) {
            validate::solution(problem, moves, score)?;
        }
        let mut costs = saved.present.iter().chain(saved.best.iter().map(|best| &best.worth)).map(|worth| worth.cost);
        ensure(costs.all(f64::is_finite), "the costs of an annealing")?;
        let present: Vec<MoveId> = entries.iter().map(|&(mv, _)| mv).collect();
        let Ok((_, finished)) = replay_legal(problem, &present) else {
            return Err(CheckpointError::Corrupt("an illegal move"));
        };
        let replayed = saved.present.is_some() && !saved.edited;
        ensure(!replayed || finished, "an annealing without a solution")?;
        // Decisions are named by what they were in another state: the problem knows no other names than its own.
        self.walker.recode(problem, &present);
        let names = self.walker.entries.iter().map(|entry| entry.name);
        ensure(names.eq(entries.iter().map(|&(_, name)| name)), "the names of decisions")?;
        ensure(pruning.is_some() == self.walker.pruning.is_some(), "the bounds of another problem")?;
        self.walker.pruning = pruning;
        self.walker.remember(links, unlinked)?;
        self.saved = saved;
        self.suit();
        Ok(())
    }
}
