//! Nested rollout policy adaptation (NRPA) and its variants.
//!
//! A playout draws its moves with chances proportional to `exp(logit(code) / temperature + bias_weight * bias)`.
//! Level `n` calls level `n - 1` `iterations` times, keeps the best sequence (ties replace) and after *every* call
//! moves a copy of its policy towards that sequence: `logit(c) += alpha / temperature * (times chosen - sum of
//! chances)`; see [`Policy::adapt`](crate::rollout::Policy::adapt). The copy is dropped when the level ends.
//!
//! With the defaults this is Rosin's algorithm exactly. (The pseudo-code in Cazenave & Edelkamp 2016 puts the
//! adaptation inside the test for improvement; Rosin and the published programs do not, nor do we.)
//!
//! **High diversity** (`beam = solutions`, preset `hd-nrpa`). A level keeps its `width` best solutions, best first.
//! A call of the level below returns all that it kept; each is inserted unless the level has a solution of equal
//! score and length (`similar`). After every iteration beyond the first `threshold` of a call the level's one
//! policy learns all of them at once: [`Policy::adapt_diverse`](crate::rollout::Policy::adapt_diverse). Where the
//! text of Cazenave & Edelkamp leaves a choice: one running policy a level (in print, every adaptation starts again
//! from the policy of the caller, so that nothing accumulates: `adapting = caller`); `Similar` looks at the results
//! of the level below (in print, at the beam itself); additions accumulate (in print, `p'[c] <- p[c] + alpha`
//! overwrites: `adapting = overwriting`); the codes of a step are a set, so that equal codes count once; a solution
//! that is not feasible replaces the one that it is similar to. As ties of feasible solutions never replace,
//! `width = 1` is not quite NRPA. The preset has width 3. The paper has 10 for SameGame, which is 596 points a
//! board worse there, with a million playouts of level 3. Both printed readings were worse too (`soloist reproduce
//! hd-nrpa-study`).
//!
//! **Beam-NRPA** (`beam = policies`). Each of the `width` solutions of a level has a policy. In every iteration the
//! level below is called with each of them; a solution it returns gets a copy of that policy, adapted to it; the
//! best of old and new ones (ties: newer first) remain. A call begins with one entry that has no solution. Old ones
//! are adapted to their solutions in every iteration, as in NRPA. The paper does not say this; with it `width = 1`
//! is NRPA exactly. At most the product over the levels of `iterations * width` playouts.
//!
//! **Gauges of the beam.** A run with a beam shows the solutions that its outermost level keeps: their number, the
//! best, the middle and the last score, and the number of similar pairs. The last one is div(S) of Definition 1 of
//! Cazenave & Edelkamp. It is 0 at all times where the level rejects what is similar (`beam = solutions`), and
//! grows as a beam of policies loses its diversity.
//!
//! **Other switches.** `playouts`: stabilised NRPA. `repetitions`: limited repetitions (GNRPALR); a level ends once
//! its best sequence was returned that often again. `threshold`: a level watches before it learns.
//! `bias_rate`: the weights of the [terms of the bias](crate::problem::Prior::terms) are learned along with the
//! logits.
//!
//! `arms > 1` is the number of blank runs that begin. Each does `race` iterations of the outermost level, then the
//! worse half (by best score, ties to the earlier) is dropped, and so on until one is left, which runs to its end.
//! This is successive halving, which keeps a run from spending itself in the basin where its first moves happened
//! to fall. The use is new; the halving is that of Jamieson and Talwalkar, AISTATS 2016.
//!
//! With several threads, `share` says what the streams exchange after each iteration of the outermost level (once
//! one arm is left). They wait for each other there, so that runs remain reproducible, whatever the
//! threads' schedule. Without `share`, every level of all streams takes the best solution found by any level as one of
//! its results, each time the streams have made an eighth more playouts (not with `beam = policies`).
//!
//! Of the rollout only its candidates count (and its way of playing the policy fast): what it prefers among them is
//! what NRPA learns.
//!
//! When to use it: long solutions whose good moves are good in many orders: puzzles, tours, packings. Cost per
//! step: one playout plus, for each `playouts` of them, one adaptation linear in the moves offered (for `beam =
//! solutions`: in those offered along all solutions kept). Memory: the codes adapted, and `width` sequences a
//! level, for `beam = policies` with a policy each. A beam of solutions beyond its part of the memory limit keeps
//! fewer, at least 16.
//!
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(20), Method::preset("nrpa").unwrap())
//!     .budget(Budget::playouts(20_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
//! ```
//!
//! # Offered solutions
//! Every active level takes an offered solution as one of its results, so that all policies adapt to it until
//! something better is found; runs that begin later do not know it.
//!
//! # References
//! C. D. Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", IJCAI 2011, pages 649-654. T.
//! Cazenave and F. Teytaud, "Beam nested rollout policy adaptation", Computer Games Workshop at ECAI 2012. T.
//! Cazenave and S. Edelkamp, HD-NRPA, 2016. T. Cazenave, "Generalized nested rollout policy adaptation",
//! arXiv:2003.10024, 2020 (temperature, bias). T. Cazenave, J.-B. Sevestre and M. Toulemont, "Stabilized nested
//! rollout policy adaptation", arXiv:2101.03563, 2021 (playouts). J. Sentuc, F. Ellouze, J.-Y. Lucas and T.
//! Cazenave, LION 2023 (bias_rate). T. Cazenave, arXiv:2401.10420, 2024 (repetitions). A. Nagorko,
//! "Parallel nested rollout policy adaptation", CoG 2019, and B. Negrevergne and T. Cazenave, "Distributed nested
//! rollout policy for SameGame", CGW 2017 (share).

mod family;
mod levels;
mod policies;
mod run;

use crate::core::parameter::{PerLevel, choice, parameters};
use crate::erased::problem::{ErasedProblem, State};

choice! {
    /// What a level of NRPA keeps and learns from.
    #[doc(hidden)]
    pub enum Keep {
        /// One solution, the best: NRPA.
        None = "none",
        /// Several solutions, each with a separate policy: Beam-NRPA.
        Policies = "policies",
        /// Several solutions that are not similar, and one policy: HD-NRPA.
        Solutions = "solutions",
    }
}

choice! {
    /// When two solutions are similar, so that one level keeps only the first of them.
    #[doc(hidden)]
    pub enum Similar {
        /// Equal score and length.
        ScoreLength = "score-length",
        /// Equal score, length and potential of the final state. Of equal scores the larger potential is better.
        Potential = "potential",
    }
}

choice! {
    /// How a level of HD-NRPA adapts its policy to its beam.
    #[doc(hidden)]
    pub enum Adapting {
        /// The running policy of the level is moved; what its steps add and take is summed.
        Running = "running",
        /// As `running`, and the addition of a step overwrites what earlier steps have taken from its code: `p'[c] <-
        /// p[c] + alpha`, as printed.
        Overwriting = "overwriting",
        /// Each adaptation begins with the policy that the level was called with, so that nothing accumulates between
        /// iterations, as printed.
        Caller = "caller",
    }
}

choice! {
    /// What the streams of a run with several threads share.
    #[doc(hidden)]
    pub enum Share {
        /// Nothing but the best solution, an eighth more playouts after the last time.
        None = "none",
        /// Leaf parallelism: all streams have the same outermost policy. Each calls the level below once, the best of
        /// all results is kept, and the policy is adapted with the rate alpha x streams.
        Leaf = "leaf",
        /// Islands: each stream has separate policies; the best solution found anywhere replaces a worse one of the
        /// outermost level.
        Islands = "islands",
    }
}

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Nrpa {
        /// nesting level
        level: u64 = 4, 1..=12;
        /// calls of the level below per level
        iterations: PerLevel = 100.into(), 1..=1_000_000_000;
        /// learning rate
        alpha: f64 = 1.0, 0.0..=1000.0;
        /// playouts between two adaptations at level 1, the best so far being learned
        playouts: u64 = 1, 1..=1_000_000;
        /// divides the logits
        temperature: f64 = 1.0, 0.001..=1000.0;
        /// weight of the problem's bias of moves
        bias_weight: f64 = 0.0, -1000.0..=1000.0;
        /// learning rate of the weights of the bias's terms, which begin at `bias_weight`
        bias_rate: f64 = 0.0, 0.0..=1000.0;
        /// largest absolute logit
        clamp: f64 = f64::INFINITY, 0.0..=f64::INFINITY;
        /// what a level learns from: its best solution, or a beam of solutions or of policies
        beam: Keep = Keep::None, ();
        /// beam width of each level
        width: PerLevel = 1.into(), 1..=100_000;
        /// when two solutions are too similar to be kept both; beam = solutions
        similar: Similar = Similar::ScoreLength, ();
        /// how a level adapts to its beam; beam = solutions
        adapting: Adapting = Adapting::Running, ();
        /// iterations of each level before it begins to learn
        threshold: PerLevel = 0.into(), 0..=1_000_000_000;
        /// a level ends once its best sequence was found again this many times; 0: never
        repetitions: u64 = 0, 0..=1_000_000_000;
        /// independent runs that compete at the start, each on a variant of the rollout, the worse half dropped after
        /// every round
        arms: u64 = 1, 1..=1024;
        /// iterations of the outermost level that each arm gets in a round
        race: u64 = 3, 1..=1_000_000_000;
        /// what the streams of several threads share
        share: Share = Share::None, ();
        /// start again with a blank policy when a run ends, until the budget is used up
        restarts: bool = true, ();
    }
}

impl Nrpa {
    /// Beam-NRPA with the widths of the paper: 1 at level 1, 10 above.
    pub(crate) fn beam() -> Self {
        Self { level: 3, beam: Keep::Policies, width: [1, 10].into(), ..Self::default() }
    }

    /// HD-NRPA with the paper's threshold for SameGame, and a width of 3 instead of its 10: 596 points a board better
    /// there (`soloist reproduce hd-nrpa-study`, twenty boards, level 3, a million playouts, p < 0.0001).
    pub(crate) fn high_diversity() -> Self {
        Self { beam: Keep::Solutions, width: 3.into(), threshold: 10.into(), ..Self::default() }
    }

    /// Returns what distinguishes a finished solution from others of equal score and length.
    fn feature(&self, problem: &dyn ErasedProblem, state: &State) -> f64 {
        let potential = match self.similar {
            Similar::ScoreLength => None,
            Similar::Potential => problem.potential(state).filter(|value| !value.is_nan()),
        };
        potential.unwrap_or(0.0)
    }

    fn shares(&self) -> bool {
        self.share != Share::None
    }

    /// Whether all streams follow the best one.
    fn leads(&self) -> bool {
        self.share == Share::Leaf
    }
}
