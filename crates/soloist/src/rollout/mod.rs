//! Playout policies: how a state is completed.

mod biased;
mod find;
pub(crate) mod policy;

#[doc(hidden)]
pub use biased::Biased;
#[doc(hidden)]
pub use find::{find_rollout, rollout_infos};
pub use policy::Policy;
#[doc(hidden)]
pub use policy::{Lifetime, Trace, UNIT_WEIGHT};

use crate::core::abort::{EVERY, Watch};
use crate::core::codec::CheckpointError;
use crate::problem::Problem;
use crate::{Rng, Score};

/// Makes a playout policy from its whole name.
type Make<P> = fn(&P, &str) -> Option<Box<dyn Rollout<P>>>;

/// A playout policy of a problem and how it is made; see [`Extras::rollouts`](crate::problem::Extras::rollouts).
pub struct NamedRollout<P> {
    info: RolloutInfo,
    make: Maker<P>,
}

enum Maker<P> {
    Plain(fn(&P) -> Box<dyn Rollout<P>>),
    Parsed(Make<P>),
}

impl<P> Clone for NamedRollout<P> {
    fn clone(&self) -> Self {
        Self { info: self.info, make: self.make }
    }
}

impl<P> Clone for Maker<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Maker<P> {}

impl<P> std::fmt::Debug for NamedRollout<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedRollout").field("info", &self.info).finish_non_exhaustive()
    }
}

impl<P: Problem> NamedRollout<P> {
    /// Returns the policy that `make` makes.
    ///
    /// ```
    /// use soloist::doc::Staircase;
    /// use soloist::rollout::{NamedRollout, Uniform};
    ///
    /// let plain: NamedRollout<Staircase> = NamedRollout::new("plain", "uniform over the steps", |_|
    /// Box::new(Uniform));
    /// assert!(plain.make(&Staircase(5), "plain").is_some() && plain.make(&Staircase(5), "plain:3").is_none());
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, make: fn(&P) -> Box<dyn Rollout<P>>) -> Self {
        Self { info: RolloutInfo { name, help }, make: Maker::Plain(make) }
    }

    /// Returns a policy with an optional argument in its name, such as `kk:30`: `make` gets the whole name, and returns
    /// `None` if the argument is not valid.
    #[must_use]
    pub const fn parsed(info: RolloutInfo, make: Make<P>) -> Self {
        Self { info, make: Maker::Parsed(make) }
    }

    /// Returns the policy `random`, uniform over the legal moves, with words of the domain.
    #[must_use]
    pub const fn uniform(help: &'static str) -> Self {
        Self::new("random", help, |_| Box::new(Uniform))
    }

    /// Returns policies that one function makes by their names.
    #[must_use]
    pub fn list(infos: &[RolloutInfo], make: Make<P>) -> Vec<Self> {
        infos.iter().map(|&info| Self::parsed(info, make)).collect()
    }

    /// Returns the name and the description.
    #[must_use]
    pub fn info(&self) -> RolloutInfo {
        self.info
    }

    /// Makes the policy. `None`: `name` does not select it, or its argument is not valid.
    #[must_use]
    pub fn make(&self, problem: &P, name: &str) -> Option<Box<dyn Rollout<P>>> {
        match self.make {
            Maker::Plain(make) => (name == self.info.name).then(|| make(problem)),
            Maker::Parsed(make) if name.split(':').next() == Some(self.info.name) => make(problem, name),
            Maker::Parsed(_) => None,
        }
    }
}

/// Name and one-line description of a domain's playout policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct RolloutInfo {
    /// What `--rollout` accepts.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
}

/// The moves of one playout, with buffers that the next one reuses.
#[derive(Clone, Debug)]
pub struct Playout<M> {
    /// The moves played, in order.
    pub moves: Vec<M>,
    candidates: Vec<M>,
    /// `None`: this playout belongs to no run.
    pub(crate) watch: Option<Watch>,
    pub(crate) to_beat: Option<f64>,
    pub(crate) is_cut_off: bool,
    pub(crate) is_spent: bool,
}

impl<M> Default for Playout<M> {
    fn default() -> Self {
        let (moves, candidates, watch, to_beat) = (Vec::new(), Vec::new(), None, None);
        Self { moves, candidates, watch, to_beat, is_cut_off: false, is_spent: false }
    }
}

impl<M> Playout<M> {
    /// Returns whether the run is over a limit of time, or was asked to stop, so long that this playout should end now.
    ///
    /// A rollout that works long before it hands back a solution (thousands of steps of a local search, say) asks once
    /// in a few hundred steps, and then ends with the best finished solution that it has. Before it has one it
    /// continues. Playouts of a few thousand moves need not ask. Costs one load from memory.
    ///
    /// ```
    /// use soloist::{Problem, Rng};
    /// use soloist::doc::Staircase;
    /// use soloist::rollout::{Playout, Rollout, Uniform};
    ///
    /// /// The best of many random playouts.
    /// struct Best;
    /// impl Rollout<Staircase> for Best {
    ///     fn run(&mut self, problem: &Staircase, state: &mut <Staircase as Problem>::State,
    ///            playout: &mut Playout<bool>, rng: &mut Rng) {
    ///         let begin = state.clone();
    ///         let mut own = Playout::default();
    ///         Uniform.run(problem, state, &mut own, rng);
    ///         for _ in 0..1_000_000_000 {
    ///             if playout.is_cut() {
    ///                 break;
    ///             }
    ///             let (mut end, mut other) = (begin.clone(), playout.sibling());
    ///             Uniform.run(problem, &mut end, &mut other, rng);
    ///             if problem.score(&end).value() > problem.score(state).value() {
    ///                 (*state, own) = (end, other);
    ///             }
    ///         }
    ///         playout.moves.append(&mut own.moves);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::shortens)
    }

    /// Returns an empty playout of the same run, for playouts within a playout: it has the same limits.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Self { watch: self.watch.clone(), ..Self::default() }
    }

    /// Returns the value that a solution must beat to be of any use. `None`: any solution is of use.
    ///
    /// A policy may look at bounds and [end](Self::cut_off) a game that cannot beat it. What it draws until then is
    /// what it draws anyway.
    #[must_use]
    pub fn to_beat(&self) -> Option<f64> {
        self.to_beat
    }

    /// Says that the game ends here, unfinished, because no solution from here beats [`to_beat`](Self::to_beat).
    pub fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    /// Says that another playout from the state where this one began would be useless, because this one was as good as
    /// any: a deterministic policy with an exact endgame that began within that endgame.
    ///
    /// Tree searches then leave the state's branch alone. They claim no proof from it.
    pub fn mark_spent(&mut self) {
        self.is_spent = true;
    }

    /// Gets ready for the next game.
    pub(crate) fn begin(&mut self, to_beat: Option<f64>) {
        self.moves.clear();
        (self.to_beat, self.is_cut_off, self.is_spent) = (to_beat, false, false);
    }

    /// Whether the game has to be given up unfinished: the run is far beyond a limit of time, or the game has more
    /// moves than allowed.
    ///
    /// For rollouts with a loop of their own over many slow moves: they ask once in a few moves, and then return where
    /// they are. Nothing of such a playout counts.
    #[must_use]
    pub fn gives_up(&self) -> bool {
        Watch::ends(self.watch.as_ref(), self.moves.len())
    }
}

/// A playout policy. It completes a state, may carry knowledge, and may learn between playouts.
///
/// One that can fail raises the fault of its problem, see [`Facts::fault`](crate::problem::Facts::fault).
///
/// Only a policy that differs from "uniform over the legal moves" writes any method. [`candidates`](Self::candidates)
/// alone restricts the moves for every search; [`run`](Self::run) and [`run_policy`](Self::run_policy) may be replaced
/// by faster code that draws the same distribution (and, for `run_policy`, the same run: the engine's integer weights
/// make sums independent of their order).
pub trait Rollout<P: Problem>: Send {
    /// Appends the moves that this policy considers in `state` to `moves`, which arrives empty: all legal ones unless
    /// overridden. Must not be empty when legal moves exist.
    fn candidates(&mut self, problem: &P, state: &P::State, moves: &mut Vec<P::Move>) {
        problem.moves(state, moves);
    }

    /// Plays `state` to its end and appends the moves to `playout.moves`.
    ///
    /// A game that has more moves than a run allows ([`Budget::max_moves`](crate::Budget::max_moves)) is given up. One
    /// that cannot beat [`Playout::to_beat`] may be [cut off](Playout::cut_off).
    fn run(&mut self, problem: &P, state: &mut P::State, playout: &mut Playout<P::Move>, rng: &mut Rng) {
        loop {
            for _ in 0..EVERY {
                playout.candidates.clear();
                self.candidates(problem, state, &mut playout.candidates);
                if playout.candidates.is_empty() {
                    return;
                }
                let mv = playout.candidates[rng.index(playout.candidates.len())];
                problem.apply(state, mv);
                playout.moves.push(mv);
            }
            if playout.gives_up() {
                return;
            }
        }
    }

    /// Plays `state` to its end by the softmax policy over the candidates, and records what adaptation needs.
    ///
    /// Steps are appended to `trace`.
    fn run_policy(
        &mut self,
        problem: &P,
        state: &mut P::State,
        policy: &Policy,
        trace: &mut Trace<P::Move>,
        rng: &mut Rng,
    ) {
        policy_playout(self, problem, state, policy, trace, rng);
    }

    /// Returns how many variants of this policy exist: settings whose merit depends on the instance, such as the colour
    /// that a tile game keeps for last. Searches that race several runs give a variant to each; all others use variant
    /// 0.
    fn variants(&self, _problem: &P) -> usize {
        1
    }

    /// Switches to variant `variant`, below [`variants`](Self::variants).
    fn set_variant(&mut self, _variant: usize) {}

    /// Receives the score of the playout just made, for policies that learn.
    fn feedback(&mut self, _score: Score) {}

    /// Returns what the policy has learned, for a checkpoint.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Restores what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// When the bytes are not this policy's.
    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        if bytes.is_empty() { Ok(()) } else { Err(CheckpointError::Corrupt("unexpected rollout data")) }
    }
}

/// [`Rollout::run_policy`] as every rollout does it unless it has a faster way: the definition of what it must draw.
///
/// Each step lists the candidates, looks up their weights in that order, draws one number below their sum, and takes
/// the first move whose running sum exceeds it.
#[doc(hidden)]
pub fn policy_playout<P: Problem, R: Rollout<P> + ?Sized>(
    rollout: &mut R,
    problem: &P,
    state: &mut P::State,
    policy: &Policy,
    trace: &mut Trace<P::Move>,
    rng: &mut Rng,
) {
    let mut drawn = |_: &[P::Move], sums: &[u64]| {
        let draw = rng.below(sums[sums.len() - 1]);
        Some(sums.partition_point(|&sum| sum <= draw))
    };
    loop {
        for _ in 0..EVERY {
            if !policy_step(rollout, problem, state, policy, trace, &mut drawn) {
                return;
            }
        }
        if trace.gives_up() {
            return;
        }
    }
}

/// One step of a policy playout: lists the candidates and their running sums of weights, plays the one that `pick`
/// names, and records it. Returns false when there is no candidate, or `pick` names none.
pub(crate) fn policy_step<P: Problem, R: Rollout<P> + ?Sized>(
    rollout: &mut R,
    problem: &P,
    state: &mut P::State,
    policy: &Policy,
    trace: &mut Trace<P::Move>,
    pick: impl FnOnce(&[P::Move], &[u64]) -> Option<usize>,
) -> bool {
    let mut candidates = std::mem::take(&mut trace.candidates);
    let mut sums = std::mem::take(&mut trace.weights);
    let prior = if policy.learns_bias() || policy.uses_bias() { problem.prior() } else { None };
    candidates.clear();
    rollout.candidates(problem, state, &mut candidates);
    sums.clear();
    let mut total = 0;
    for &mv in &candidates {
        let code = problem.code(state, mv);
        let bias = || prior.map_or(0.0, |prior| prior.bias(state, mv));
        let terms = |terms: &mut Vec<f64>| match prior {
            Some(prior) => prior.terms(state, mv, terms),
            None => terms.push(0.0),
        };
        total += trace.candidate(code, policy, bias, terms);
        sums.push(total);
    }
    let picked = if candidates.is_empty() { None } else { pick(&candidates, &sums) };
    if let Some(at) = picked {
        trace.choose(at, candidates.len(), candidates[at]);
        problem.apply(state, candidates[at]);
    }
    trace.candidates = candidates;
    trace.weights = sums;
    picked.is_some()
}

/// The default playout policy: uniform over the legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<P: Problem> Rollout<P> for Uniform {
    /// With a value to beat, stops at the first state whose [`bound`](Problem::bound) is not better.
    fn run(&mut self, problem: &P, state: &mut P::State, playout: &mut Playout<P::Move>, rng: &mut Rng) {
        let (sense, to_beat) = (problem.sense(), playout.to_beat);
        loop {
            for _ in 0..EVERY {
                playout.candidates.clear();
                problem.moves(state, &mut playout.candidates);
                if playout.candidates.is_empty() {
                    return;
                }
                if let Some(value) = to_beat
                    && problem.bound(state).is_some_and(|bound| !sense.better_value(bound, value))
                {
                    return playout.cut_off();
                }
                let mv = playout.candidates[rng.index(playout.candidates.len())];
                problem.apply(state, mv);
                playout.moves.push(mv);
            }
            if playout.gives_up() {
                return;
            }
        }
    }
}

/// Returns the state that `moves` lead to from `state`, for policies that remember a solution across checkpoints.
///
/// `None`: one of them is not legal, or further moves are possible after the last one. Costs as much as a playout.
#[doc(hidden)]
pub fn replayed<P: Problem>(problem: &P, state: &P::State, moves: &[P::Move]) -> Option<P::State> {
    let (mut state, mut legal) = (state.clone(), Vec::new());
    for &mv in moves {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return None;
        }
        problem.apply(&mut state, mv);
    }
    legal.clear();
    problem.moves(&state, &mut legal);
    legal.is_empty().then_some(state)
}

/// Buffers are not part of a playout's identity.
impl<M: PartialEq> PartialEq for Playout<M> {
    fn eq(&self, other: &Self) -> bool {
        self.moves == other.moves
    }
}
