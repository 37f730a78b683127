//! Nested runs as a step machine: arms that race, restarts, exchange with other streams.

use super::levels::Levels;
use super::policies::Beams;
use super::{Keep, Nrpa};
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::{MOST, ensure};
use crate::core::order::order_of;
use crate::core::solution::Solution;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::problem::SolutionKind;
use crate::rollout::policy::{Policy, Trace};
use crate::search::{Context, Exchange, Search, Status, is_biased};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

/// One nested run.
#[derive(Clone, Serialize, Deserialize)]
struct Arm {
    /// Variant of the rollout.
    variant: usize,
    core: Core,
}

#[derive(Clone, Serialize, Deserialize)]
enum Core {
    Levels(Box<Levels>),
    Beams(Beams),
}

impl Arm {
    fn policy(&self) -> &Policy {
        match &self.core {
            Core::Levels(levels) => &levels.policy,
            Core::Beams(beams) => beams.policy(),
        }
    }

    /// The playout that the innermost level learns.
    fn trace(&self) -> Option<&Trace<MoveId>> {
        match &self.core {
            Core::Levels(levels) => levels.trace(),
            Core::Beams(beams) => beams.trace(),
        }
    }

    /// Calls of the level below that the outermost level has finished.
    fn iterations(&self) -> u64 {
        match &self.core {
            Core::Levels(levels) => levels.iterations(),
            Core::Beams(beams) => beams.iterations(),
        }
    }

    fn ended(&self) -> bool {
        match &self.core {
            Core::Levels(levels) => levels.ended,
            Core::Beams(beams) => beams.ended,
        }
    }

    fn best(&self) -> Option<Score> {
        match &self.core {
            Core::Levels(levels) => levels.best().map(|solution| solution.score),
            Core::Beams(beams) => beams.best(),
        }
    }

    fn check(&self, parameters: &Nrpa, problem: &dyn ErasedProblem, policy: &Policy) -> Result<(), CheckpointError> {
        let (depth, policies) = match &self.core {
            Core::Levels(levels) => (levels.depth(), false),
            Core::Beams(beams) => (beams.depth(), true),
        };
        let sound = depth as u64 == parameters.level && policies == (parameters.beam == Keep::Policies);
        ensure(sound, "another number of levels")?;
        match &self.core {
            Core::Levels(levels) => levels.check(parameters, problem, policy),
            Core::Beams(beams) => beams.check(parameters, problem, policy),
        }
    }
}

pub(crate) struct NrpaSearch {
    parameters: Nrpa,
    memory: u64,
    /// Bytes that the solutions of a level may take.
    room: u64,
    arms: Vec<Arm>,
    /// The arm whose turn it is.
    turn: usize,
    /// Iterations at which an arm's turn ends; unused when there is one arm.
    goal: u64,
    /// The variant that the rollout is set to; unknown after a resume.
    variant: Option<usize>,
    trace: Trace<MoveId>,
    state: State,
    root: State,
    sense: Sense,
    /// Whether codes are learned apart at each step; known when the first policy is made.
    by_step: Option<bool>,
    remarks: Vec<String>,
}

/// Whether codes are to be learned apart at each step: where no code was written, and moves depend on their step.
fn learns_by_step(problem: &dyn ErasedProblem, root: &State) -> bool {
    let mut moves = Vec::new();
    problem.moves(root, &mut moves);
    moves.iter().all(|&mv| problem.has_plain_code(root, mv)) && SolutionKind::depends_on_steps(problem)
}

impl NrpaSearch {
    pub(crate) fn new(parameters: Nrpa, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let root = problem.root();
        let mut remarks = Vec::new();
        if parameters.bias_weight != 0.0 && !is_biased(problem) {
            remarks.push(
                "the problem's bias is the same for all moves of the states tried: `bias_weight` changes nothing there"
                    .to_owned(),
            );
        }
        Self {
            memory,
            room: memory / parameters.arms / parameters.level,
            parameters,
            remarks,
            arms: Vec::new(),
            turn: 0,
            goal: 0,
            variant: None,
            trace: Trace::default(),
            state: root.clone(),
            sense: problem.sense(),
            by_step: None,
            root,
        }
    }

    /// Returns a policy that has learned nothing.
    fn blank(&mut self, problem: &dyn ErasedProblem) -> Policy {
        let by_step = *self.by_step.get_or_insert_with(|| learns_by_step(problem, &self.root));
        let parameters = &self.parameters;
        Policy::new(parameters.temperature, parameters.bias_weight, parameters.clamp)
            .with_bias_rate(parameters.bias_rate)
            .with_codes(problem.facts().code_count.unwrap_or(0))
            .with_steps(by_step)
    }

    fn start(&mut self, problem: &dyn ErasedProblem, variants: usize) {
        let policy = self.blank(problem);
        let parameters = &self.parameters;
        let core = || match parameters.beam {
            Keep::Policies => Core::Beams(Beams::new(parameters, &policy)),
            Keep::None | Keep::Solutions => Core::Levels(Box::new(Levels::new(parameters, policy.clone(), self.room))),
        };
        self.arms =
            (0..parameters.arms as usize).map(|arm| Arm { variant: arm % variants.max(1), core: core() }).collect();
        (self.turn, self.goal) = (0, parameters.race);
    }

    /// Ends the turn of an arm that did its share. Ends a round of turns by dropping the worse half.
    fn next_turn(&mut self) {
        let arm = &self.arms[self.turn];
        if self.arms.len() == 1 || !(arm.ended() || arm.iterations() >= self.goal) {
            return;
        }
        self.turn += 1;
        if self.turn < self.arms.len() {
            return;
        }
        // Of equal arms the earlier one stays.
        let best = |arm: usize| self.arms[arm].best();
        let mut order = order_of(self.arms.len(), &mut |a, b| self.sense.best_first(best(a), best(b)));
        order.truncate(self.arms.len().div_ceil(2));
        let mut index = 0;
        self.arms.retain(|_| {
            index += 1;
            order.contains(&(index - 1))
        });
        self.turn = 0;
        self.goal += self.parameters.race;
    }

    /// Returns how many records of playouts the memory must hold: each level of each arm keeps one, and lists double as
    /// they grow.
    fn records(&self) -> u64 {
        2 * self.parameters.arms * self.parameters.level
    }

    /// Ends where a playout has a record that is too large. Where there is no incumbent this is an error.
    fn overflow(&mut self, context: &Context<'_>, needed: u64) -> Status {
        self.trace = Trace::default();
        if context.tally.best.is_none() {
            return Status::Running;
        }
        context.problem.watch().forgive();
        self.remarks.push(format!(
            "ended: the record of a playout needs at least {} MiB in all, {} MiB are allowed",
            needed.div_ceil(1 << 20),
            self.memory >> 20
        ));
        Status::Completed
    }

    fn ended(&self) -> bool {
        matches!(self.arms.as_slice(), [arm] if arm.ended())
    }

    fn waits(&self) -> bool {
        matches!(self.arms.as_slice(), [Arm { core: Core::Levels(levels), .. }] if levels.waiting)
    }

    /// Gives the playout in `self.trace` to the present arm.
    fn absorb(&mut self, problem: &dyn ErasedProblem, score: Score) {
        // While arms race, nothing is shared.
        let shares = self.parameters.shares() && self.arms.len() == 1;
        let (parameters, sense, trace) = (&self.parameters, self.sense, &mut self.trace);
        match &mut self.arms[self.turn].core {
            Core::Levels(levels) => {
                levels.absorb(parameters, sense, shares, (score, parameters.feature(problem, &self.state)), trace);
            }
            Core::Beams(beams) => beams.absorb(parameters, sense, score, trace),
        }
    }
}

impl Search for NrpaSearch {
    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let entropy = self.arms.get(self.turn).and_then(|arm| arm.trace()?.entropy(arm.policy()));
        let mut gauges: Vec<(&'static str, f64)> =
            entropy.map(|bits| ("policy entropy, bits a move", bits)).into_iter().collect();
        if self.parameters.beam != Keep::None
            && let Some(arm) = self.arms.get(self.turn)
        {
            let (pairs, kept): (_, Vec<Score>) = match &arm.core {
                Core::Levels(levels) => (levels.similar_pairs(), levels.kept().collect()),
                Core::Beams(beams) => (beams.similar_pairs(), beams.kept().collect()),
            };
            gauges.push(("solutions in the outermost beam", kept.len() as f64));
            let ends = [
                ("best score in the outermost beam", kept.first()),
                ("middle score in the outermost beam", kept.get(kept.len() / 2)),
                ("last score in the outermost beam", kept.last()),
            ];
            gauges.extend(ends.into_iter().filter_map(|(name, score)| Some((name, score?.value()?))));
            gauges.push(("similar pairs of solutions in the outermost beam", pairs as f64));
        }
        gauges
    }

    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if self.arms.is_empty() || self.ended() {
            if !self.arms.is_empty() && !self.parameters.restarts {
                return Status::Completed;
            }
            self.start(context.problem, context.rollout.variants());
        }
        let arm = &self.arms[self.turn];
        if self.variant != Some(arm.variant) {
            context.rollout.set_variant(arm.variant);
            self.variant = Some(arm.variant);
        }
        if !arm.ended() {
            let problem = context.problem;
            self.state.clone_from(&self.root);
            self.trace.clear();
            problem.watch().allow(self.memory, self.records());
            context.rollout.run_policy(&mut self.state, arm.policy(), &mut self.trace, context.rng);
            problem.watch().allow(u64::MAX, 1);
            if let Some((needed, _)) = problem.watch().overflow() {
                return self.overflow(context, needed);
            }
            let score = context.finish(&self.state, &[], &self.trace.moves);
            context.tally.counters.nodes += self.trace.moves.len() as u64;
            self.absorb(problem, score);
        }
        self.next_turn();
        if self.waits() {
            return Status::Waiting;
        }
        if self.ended() && !self.parameters.restarts { Status::Completed } else { Status::Running }
    }

    /// While arms race, nothing is shared.
    fn gift(&self) -> Option<(Score, &[MoveId])> {
        let [Arm { core: Core::Levels(levels), .. }] = self.arms.as_slice() else { return None };
        levels.found(self.sense).map(|found| (found.score, found.trace.moves.as_slice()))
    }

    fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        if self.arms.is_empty() || self.ended() {
            self.start(context.problem, context.rollout.variants());
        }
        let watch = context.problem.watch();
        watch.allow(self.memory, self.records());
        for arm in self.arms.iter_mut().filter(|arm| !arm.ended()) {
            self.state.clone_from(&self.root);
            let mut trace = Trace::default();
            if !context.rollout.replay(&mut self.state, arm.policy(), &mut trace, &solution.moves) {
                // The rollout does not consider this move: it is recorded among all legal moves.
                self.state.clone_from(&self.root);
                trace.clear();
                context.problem.record(&mut self.state, arm.policy(), &mut trace, &solution.moves);
            }
            if watch.overflow().is_some() {
                // The level continues without it.
                watch.forgive();
                continue;
            }
            let feature = self.parameters.feature(context.problem, &self.state);
            let gift = Exchange { score: solution.score, feature, trace };
            match &mut arm.core {
                Core::Levels(levels) => levels.adopt(&self.parameters, self.sense, &gift),
                Core::Beams(beams) => beams.adopt(&self.parameters, self.sense, &gift),
            }
        }
        watch.allow(u64::MAX, 1);
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    fn share(&self) -> Option<Exchange> {
        let [Arm { core: Core::Levels(levels), .. }] = self.arms.as_slice() else { return None };
        levels.waiting.then(|| levels.best().cloned()).flatten()
    }

    fn receive(&mut self, shared: &[Exchange]) {
        let [Arm { core: Core::Levels(levels), .. }] = self.arms.as_mut_slice() else { return };
        levels.receive(&self.parameters, self.sense, shared);
    }

    fn save(&self) -> Vec<u8> {
        encode(&(&self.arms, self.turn, self.goal))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (mut arms, turn, goal) = decode::<(Vec<Arm>, usize, u64)>(bytes)?;
        let sound = arms.len() as u64 <= self.parameters.arms && turn < arms.len().max(1);
        ensure(sound && goal <= MOST, "another number of arms")?;
        let policy = self.blank(problem);
        for arm in &arms {
            arm.check(&self.parameters, problem, &policy)?;
        }
        for arm in &mut arms {
            if let Core::Levels(levels) = &mut arm.core {
                levels.room = self.room;
            }
        }
        (self.arms, self.turn, self.goal) = (arms, turn, goal);
        Ok(())
    }
}
