//! What a tree search learns under the codes of moves: history, AMAF, and the policy of its playouts.

use super::Uct;
use super::means::{Entry, Means, Stored};
use super::score_range::Scale;
use crate::Score;
use crate::core::codec::CheckpointError;
use crate::core::limits::{MOST, ensure};
use crate::core::parameter::{choice, parameters};
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::rollout::policy::{Policy, Trace};
use crate::search::Context;
use serde::{Deserialize, Serialize};

choice! {
    /// The policy of playouts.
    #[doc(hidden)]
    pub enum Playouts {
        /// The rollout policy.
        Rollout = "rollout",
        /// A softmax over the mean reward that each move's code has had in the search, among the rollout's candidates.
        History = "history",
        /// A softmax policy that is adapted towards the best playout of the present tree, among the rollout's
        /// candidates.
        Adapted = "adapted",
    }
}

parameters! {
    /// How playouts choose their moves.
    ///
    /// `playouts = history` plays by a softmax over what is known of the codes, `exp((M - m) / temperature)`, where `M`
    /// is the mean reward of the playouts with the code and `m` that of all, as they were when the code was last played
    /// or the range of scores last changed; `playouts = adapted` by a softmax policy that moves towards the best
    /// playout of the present tree after every `adapt_every` playouts, at the rate `alpha`, logits within `clamp`
    /// (Rosin's `Adapt`, as in playout policy adaptation). Both choose among the rollout's candidates.
    #[doc(hidden)]
    pub struct Playing {
        /// the policy of playouts
        playouts: Playouts = Playouts::Rollout, ();
        /// divides the rewards in playouts by history
        temperature: f64 = 0.1, 0.0001..=1000.0;
        /// learning rate of adapted playouts
        alpha: f64 = 1.0, 0.0..=1000.0;
        /// playouts between two adaptations
        adapt_every: u64 = 1, 1..=1_000_000;
        /// largest absolute logit of adapted playouts
        clamp: f64 = f64::INFINITY, 0.0..=f64::INFINITY;
    }
}

/// The name of the root of a game.
const ROOT: u64 = 0x9e6c_63d0_876a_68de;

/// Returns the name of what `code` leads to from the node `name`, or of their pair in a table.
#[inline]
fn mix(name: u64, code: u64) -> u64 {
    let product = u128::from(name ^ 0x2545_f491_4f6c_dd1d) * u128::from(code ^ 0x9e37_79b9_7f4a_7c15);
    (product >> 64) as u64 ^ product as u64
}

/// Statistics under codes and learned playouts, with the buffers of the present playout.
pub(super) struct Learner {
    history: Option<Means>,
    amaf: Option<Means>,
    /// All feasible playouts.
    total: Entry,
    /// The scale by which the logits of playouts by history were set.
    scale: Option<(f64, f64)>,
    policy: Option<Policy>,
    /// Playouts since the last adaptation of the policy.
    waiting: u64,
    /// Best playout of the present tree, from the root of the tree on.
    best: Option<Score>,
    best_trace: Trace<MoveId>,
    trace: Trace<MoveId>,
    /// Codes of the moves from the root on, as far as they are known.
    pub(super) codes: Vec<u64>,
    /// A hash of the moves from the beginning of the game to each node on the path: its name in the AMAF table.
    pub(super) names: Vec<u64>,
    before: Before,
    /// Codes and positions, each code at its last position only.
    distinct: Vec<(u64, usize)>,
    state: State,
    /// Whether anything looks at codes.
    pub(super) needs_codes: bool,
}

/// The moves played for good.
#[derive(Clone, Serialize, Deserialize)]
struct Before {
    codes: Vec<u64>,
    /// The name of the node they lead to.
    root: u64,
}

/// A learner in a checkpoint.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    history: Option<Stored>,
    amaf: Option<Stored>,
    total: (u64, f64),
    scale: Option<(f64, f64)>,
    policy: Option<Policy>,
    waiting: u64,
    best: Option<Score>,
    best_trace: Trace<MoveId>,
    before: Before,
}

impl Learner {
    /// Returns a blank learner that uses about `memory` bytes.
    pub(super) fn new(uct: &Uct, problem: &dyn ErasedProblem, root: &State, memory: u64) -> Self {
        let limit = problem.facts().code_count.unwrap_or(0);
        let plays_history = uct.playing.playouts == Playouts::History;
        // The policy mirrors the table at about three times its size.
        let share = if plays_history { memory / 8 } else { memory / 2 };
        let policy = match uct.playing.playouts {
            Playouts::Rollout => None,
            Playouts::History => Some(Policy::new(uct.playing.temperature, 0.0, f64::INFINITY).with_codes(limit)),
            Playouts::Adapted => Some(Policy::new(1.0, 0.0, uct.playing.clamp).with_codes(limit)),
        };
        Self {
            history: (plays_history || uct.selection.history > 0.0).then(|| Means::new(share)),
            amaf: uct.selection.amaf.then(|| Means::new(memory / 2)),
            total: Entry::default(),
            scale: None,
            policy,
            waiting: 0,
            best: None,
            best_trace: Trace::default(),
            trace: Trace::default(),
            codes: Vec::new(),
            names: Vec::new(),
            before: Before { codes: Vec::new(), root: ROOT },
            distinct: Vec::new(),
            state: root.clone(),
            needs_codes: uct.uses_codes(),
        }
    }

    /// Begins a playout at the root.
    pub(super) fn start(&mut self) {
        self.codes.clear();
        self.names.clear();
        self.names.push(self.before.root);
    }

    /// Extends the path by a move with this code.
    #[inline]
    pub(super) fn enter(&mut self, code: u64) {
        self.codes.push(code);
        self.name_next(code);
    }

    /// Extends the path by the next move of the playout, whose code is known already.
    pub(super) fn name_next(&mut self, code: u64) {
        let last = self.names[self.names.len() - 1];
        self.names.push(mix(last, code));
    }

    /// Returns the mean of the playouts with `code` over the search.
    pub(super) fn history(&self, code: u64) -> Entry {
        self.history.as_ref().map_or_else(Entry::default, |table| table.get(code))
    }

    /// Returns the playouts that passed the node `name` and played `code` later on.
    pub(super) fn amaf(&self, name: u64, code: u64) -> Entry {
        self.amaf.as_ref().map_or_else(Entry::default, |table| table.get(mix(name, code)))
    }

    /// Completes `state`. The moves go to `playout`, their codes to `codes` if they are needed.
    pub(super) fn play(&mut self, context: &mut Context<'_>, state: &mut State, playout: &mut Vec<MoveId>) {
        playout.clear();
        let problem = context.problem;
        if let Some(policy) = &self.policy {
            self.trace.clear();
            context.rollout.run_policy(state, policy, &mut self.trace, context.rng);
            playout.extend_from_slice(&self.trace.moves);
            let lifetimes = self.trace.lifetimes();
            self.codes.extend(self.trace.chosen().iter().map(|&at| lifetimes[at as usize].code));
        } else if self.needs_codes {
            self.state.clone_from(state);
            context.rollout.run(state, playout, context.rng);
            for &mv in playout.iter() {
                self.codes.push(problem.play(&mut self.state, mv));
            }
        } else {
            context.rollout.run(state, playout, context.rng);
        }
    }

    /// Learns the score of the playout. `steps` writes what could be chosen in the tree, for a policy.
    pub(super) fn learn(
        &mut self,
        uct: &Uct,
        context: &Context<'_>,
        score: Score,
        scale: Scale,
        steps: impl FnOnce(&mut Trace<MoveId>),
    ) {
        if uct.playing.playouts == Playouts::Adapted
            && let Some(policy) = &mut self.policy
        {
            if self.best.is_none_or(|best| context.problem.sense().at_least(score, best)) {
                self.best = Some(score);
                self.best_trace.clear();
                steps(&mut self.best_trace);
                self.best_trace.append(&self.trace);
            }
            self.waiting += 1;
            if self.waiting >= uct.playing.adapt_every {
                self.waiting = 0;
                policy.adapt(&self.best_trace, uct.playing.alpha);
            }
        }
        self.count(uct, score, scale);
    }

    /// Adds the score of the present playout to the tables.
    pub(super) fn count(&mut self, uct: &Uct, score: Score, scale: Scale) {
        let Score::Feasible(value) = score else { return };
        self.total.count += 1;
        self.total.sum += value;
        if !self.needs_codes {
            return;
        }
        // A code that occurs twice in a playout counts once.
        self.distinct.clear();
        self.distinct.extend(self.codes.iter().copied().zip(0..));
        self.distinct.sort_unstable();
        self.distinct.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 = if same { next.1 } else { kept.1 };
            same
        });
        if let Some(table) = &mut self.history {
            let mut thinned = false;
            let earlier = self.before.codes.iter().filter(|&code| !self.codes.contains(code));
            for &code in earlier.chain(self.distinct.iter().map(|(code, _)| code)) {
                thinned |= table.add(code, value);
            }
            if uct.playing.playouts == Playouts::History
                && let Some(policy) = &mut self.policy
            {
                let mean = self.total.sum / self.total.count as f64;
                // Better than average is a positive logit, whatever the sense.
                let logit = |entry: Entry| (entry.sum / entry.count as f64 - mean) * scale.factor;
                let present = Some((scale.low, scale.factor));
                if thinned || self.scale != present {
                    self.scale = present;
                    policy.clear();
                    table.sorted().into_iter().for_each(|(code, entry)| policy.set_logit(code, logit(entry)));
                } else {
                    self.distinct.iter().for_each(|&(code, _)| policy.set_logit(code, logit(table.get(code))));
                }
            }
        }
        if let Some(table) = &mut self.amaf {
            for (depth, &name) in self.names.iter().enumerate() {
                for &(code, _) in self.distinct.iter().filter(|&&(_, last)| last >= depth) {
                    table.add(mix(name, code), value);
                }
            }
        }
    }

    /// Prepares for a new tree from the beginning of the game: what was learned about the nodes and the best playout of
    /// the old one is dropped.
    pub(super) fn forget_tree(&mut self, uct: &Uct) {
        if uct.playing.playouts == Playouts::Adapted
            && let Some(policy) = &mut self.policy
        {
            policy.clear();
        }
        self.best = None;
        self.waiting = 0;
        self.best_trace.clear();
        self.before.root = ROOT;
        self.before.codes.clear();
        if let Some(table) = &mut self.amaf {
            table.clear();
        }
    }

    /// Takes note that the move with this code was played: nodes are named from there.
    pub(super) fn advance(&mut self, code: u64) {
        self.before.root = mix(self.before.root, code);
        if !self.before.codes.contains(&code) {
            self.before.codes.push(code);
        }
        // A line that can no longer be played is not adapted to.
        let first = self.best_trace.chosen().first().map(|&at| self.best_trace.lifetimes()[at as usize].code);
        if first != Some(code) {
            self.best = None;
        }
    }

    pub(super) fn save(&self) -> Saved {
        Saved {
            history: self.history.as_ref().map(Means::store),
            amaf: self.amaf.as_ref().map(Means::store),
            total: (self.total.count, self.total.sum),
            scale: self.scale,
            policy: self.policy.clone(),
            waiting: self.waiting,
            best: self.best,
            best_trace: self.best_trace.clone(),
            before: self.before.clone(),
        }
    }

    pub(super) fn load(&mut self, saved: Saved) -> Result<(), CheckpointError> {
        let restore = |table: &mut Option<Means>, stored: Option<Stored>| match (table, stored) {
            (Some(table), Some(stored)) => table.restore(stored),
            (None, None) => true,
            _ => false,
        };
        let sound = restore(&mut self.history, saved.history)
            && restore(&mut self.amaf, saved.amaf)
            && saved.total.0 <= MOST
            && saved.waiting <= MOST
            && match (&saved.policy, &self.policy) {
                (Some(saved), Some(blank)) => saved.is_like(blank),
                (None, None) => true,
                _ => false,
            };
        ensure(sound, "what was learned")?;
        // Playouts are recorded without biases.
        ensure(saved.best_trace.factors.is_empty() && saved.best_trace.terms.is_empty(), "what was learned")?;
        self.total = Entry { count: saved.total.0, sum: saved.total.1 };
        (self.policy, self.waiting) = (saved.policy, saved.waiting);
        self.best = saved.best;
        self.best_trace = saved.best_trace;
        (self.scale, self.before) = (saved.scale, saved.before);
        Ok(())
    }
}
