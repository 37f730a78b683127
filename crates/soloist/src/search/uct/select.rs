//! Which child is followed: the formulas.

use super::arena::{Arena, Node, Violations};
use super::learn::Learner;
use super::score_range::{Range, Scale};
use super::{Pacing, Uct, refuse};
use crate::core::parameter::{ParameterError, choice, parameters};
use crate::{Rng, Sense};
use std::sync::LazyLock;

/// What is left of `c` at the end of exponential cooling.
const COOLED: f64 = 0.01;
/// How fast the mean of AMAF gives way to the mean of the child: larger is faster.
const AMAF_BIAS: f64 = 1e-3;

choice! {
    /// What a node is worth.
    #[doc(hidden)]
    pub enum NodeValue {
        /// The mean score of the playouts through it.
        Mean = "mean",
        /// The best score of the playouts through it (Rei's thesis).
        Best = "best",
        /// `1 - w` of the mean and `w` of the best score (SP-MCTS).
        Blend = "blend",
    }
}

choice! {
    /// How values are scaled to be comparable with the exploration term.
    #[doc(hidden)]
    pub enum Normalization {
        /// To [0, 1] between the worst and best score that the search has met.
        Global = "global",
        /// To [0, 1] between the worst and best score met below the parent (equations 3.1 to 3.3 of Rei's thesis).
        Parent = "parent",
        /// The ratio of a mean to the reference score, or of the reference to the mean where a larger score is worse:
        /// 1 for the reference, larger for better (equation 3 of the SA-UCT paper).
        Ratio = "ratio",
        /// Scores as they are: `c` and `d` are in the problem's units.
        None = "none",
    }
}

choice! {
    /// The exploration term.
    #[doc(hidden)]
    pub enum Bandit {
        /// `c sqrt(ln n / n_i)`.
        Ucb1 = "ucb1",
        /// `c sqrt(2 ln n / n_i min(1/4, V))`, `V` being the variance of the child's rewards plus `sqrt(2 ln n / n_i)`.
        Ucb1Tuned = "ucb1-tuned",
        /// `c sqrt(sqrt(n) / n_i) s_i`, `s_i` being the standard deviation of the child's scores, widened by `d`
        /// (SP-MCTS).
        Deviation = "deviation",
    }
}

choice! {
    /// How `c` falls over the playouts of a tree.
    #[doc(hidden)]
    pub enum Cooling {
        /// It does not.
        None = "none",
        /// To 0 by the same amount a playout: `c (N - i) / N`.
        Linear = "linear",
        /// To a hundredth by the same factor a playout: `c 0.01^(i / N)`.
        Exponential = "exponential",
        /// Linearly, and linearly with the depth of the node as well: `c (N - i) / N (L - depth) / L`, `L` being the
        /// length of the longest solution met.
        Depth = "depth",
    }
}

choice! {
    /// Which of several children with the largest bound is followed.
    #[doc(hidden)]
    pub enum Ties {
        /// The one that was tried first.
        First = "first",
        /// One of them at random, each as likely (Rei's thesis).
        Random = "random",
    }
}

parameters! {
    /// Which child of a node is followed: the terms of the bound.
    ///
    /// The bound of child `i` of a node with `n` playouts, `n_i` of them through the child, is the sum of
    ///
    /// - the value `X + w top`: mean or best score, plus `w` times the best score, all normalised, larger being better
    ///   whatever the problem's sense (`value`, `w`, `normalization`). With `value = blend` it is `(1 - w) mean + w
    ///   top` instead, `w` at most 1.
    /// - the exploration term of `bandit`: UCB1 `c sqrt(ln n / n_i)`, or UCB1-Tuned `c sqrt(2 ln n / n_i min(1/4, V))`
    ///   with `V = (mean of squares - square of mean) + sqrt(2 ln n / n_i)`. Baier and Winands print the 2 under the
    ///   root, which Auer et al. do not have: `c = 1` here is `sqrt 2` times theirs. The rewards in it are normalised
    ///   as in `X`; use `global` or `parent`.
    /// - or, with `bandit = deviation`: `c sqrt(sqrt(n) / n_i) s` with `s = sqrt((sum of squares - n_i mean^2 + d) /
    ///   (n_i + 1))`. This is what the program of Schadd et al. computes (`UCTPlayer` in the Java code of the study):
    ///   exploration is *multiplied* by the deviation, so that `c` has no unit, and the top score is blended.
    /// - with `deviation`: `sqrt((sum of squares - n_i mean^2 + d) / n_i)`, added: the form that Schadd et al. print
    ///   (on raw scores, `normalization = none`, beside UCB1; rounding below zero counts as zero). It is not what
    ///   their program computes, and with their constants the search soon stays on one line
    ///   (`papers/schadd-formula.md`).
    /// - progressive bias: `bias_weight h / (n_i + 1)`, `h` being the problem's bias of the move.
    /// - progressive history: `history H / (n_i (1 - X) + 1)`, `H` being the mean reward, over the whole search, of the
    ///   playouts with the move's code.
    ///
    /// With `amaf`, `X` is replaced by `(1 - b) X + b A`, where `A` is the mean reward of the `p` playouts through the
    /// parent in which the move's code was played at any later time, and `b = p / (p + n_i + 0.001 p n_i)` (RAVE).
    ///
    /// With infeasible playouts the value of a child is (f feasible and i infeasible playouts through the parent): `(i
    /// + f X) / (i + f)` when it has a feasible one, otherwise `i Y / (i + f + 1)` with `Y` the normalised least
    /// violation: any child with a feasible solution is preferred to one without. (Equation 3.3 of Rei's thesis, whose
    /// text exchanges the two counts in the first line.)
    ///
    /// # Scores that are logarithms
    /// With `log_base` = B a score `s` stands for `B^s`, and `X` is normalised between such values: of differences of
    /// `2^40`, `2^41` and `2^60` (the worst) the first two are worth nearly the same. That is how a search values its
    /// nodes whose problem does not take logarithms; it explores far more. Only best values can be changed so, because
    /// the mean of logarithms is not the logarithm of the mean.
    ///
    /// # Cooling
    /// With `tree_playouts` = N a new tree is begun after every N playouts. With `cooling` the constant in playout i =
    /// 0 to N - 1 of a tree is not `c` but falls from it to (nearly) 0, so that the search goes over from exploring to
    /// exploiting, and the tree gets to the bottom of the game. That is SA-UCT; its paper's `2 Cp sqrt(2 ln n / n_i)`
    /// is `c sqrt(ln n / n_i)` with `c = 2 sqrt(2) Cp`, and its `x` is the reward of `normalization = ratio`: the
    /// operations of the input over the mean of the playouts' through the child. With `reheats` = k the N playouts fall
    /// into k + 1 periods of equal length, and the constant begins each of them at `c` again: the paper names reheating
    /// as future work and gives no schedule. The reference score is `reference`, or
    /// else the [problem's](crate::problem::Facts::reference), or else that of the first feasible playout; scores must
    /// not change their sign.
    #[doc(hidden)]
    pub struct Selection {
        /// weight of the exploration term; UCB1 has 1.414, puzzles mostly want 0.001 to 0.3
        c: f64 = 0.1, 0.0..=1e12;
        /// what a node is worth
        value: NodeValue = NodeValue::Mean, ();
        /// weight of the best score below a node, added to its value or blended with the mean (`value`)
        w: f64 = 0.0, 0.0..=1e6;
        /// how scores are scaled before `c` and `d` apply
        normalization: Normalization = Normalization::Global, ();
        /// scores are logarithms to this base, and what they stand for is normalised; 0: scores as they are
        log_base: f64 = 0.0, 0.0..=1e6;
        /// the score that `normalization=ratio` compares with; 0: the problem's, or the first playout's
        reference: f64 = 0.0, -1e15..=1e15;
        /// how `c` falls over the playouts of a tree
        cooling: Cooling = Cooling::None, ();
        /// how many times within a tree the cooling begins again
        reheats: u64 = 0, 0..=1_000_000;
        /// the exploration term
        bandit: Bandit = Bandit::Ucb1, ();
        /// add the standard deviation of the child's scores (SP-MCTS as printed; `bandit=deviation` multiplies)
        deviation: bool = false, ();
        /// constant under the root of the deviation: large for children visited rarely
        d: f64 = 0.0, 0.0..=1e15;
        /// progressive bias: weight of the problem's bias of moves
        bias_weight: f64 = 0.0, 0.0..=1e12;
        /// progressive history: weight of the mean reward of a move's code over the search
        history: f64 = 0.0, 0.0..=1e12;
        /// mix in the mean reward of playouts that make the move later on (RAVE)
        amaf: bool = false, ();
        /// which of several children with the largest bound is followed
        ties: Ties = Ties::First, ();
    }
}

impl Selection {
    /// Whether a term looks at the codes of moves.
    pub(super) fn uses_codes(&self) -> bool {
        self.history > 0.0 || self.amaf
    }

    /// Returns the weight of the exploration term in playout `playout` (from 0) of a tree of `all` playouts, at a node
    /// of depth `depth`, when the longest solution met has `longest` moves.
    pub(super) fn constant(&self, playout: u64, all: u64, depth: usize, longest: usize) -> f64 {
        let (playout, all) = match self.reheats {
            0 => (playout, all),
            reheats => {
                let period = all.div_ceil(reheats.saturating_add(1)).max(1);
                (playout % period, period)
            }
        };
        let all = all as f64;
        let linear = || (all - playout as f64) / all;
        match self.cooling {
            Cooling::None => self.c,
            Cooling::Linear => self.c * linear(),
            Cooling::Exponential => self.c * libm::pow(COOLED, playout as f64 / all),
            Cooling::Depth => {
                let rest = longest.saturating_sub(depth) as f64 / longest.max(1) as f64;
                self.c * linear() * rest
            }
        }
    }

    /// Checks that the terms go together.
    pub(super) fn validate(&self, pacing: &Pacing) -> Result<(), ParameterError> {
        let unbounded = matches!(self.normalization, Normalization::None | Normalization::Ratio);
        let product = self.bandit == Bandit::Deviation;
        refuse(&[
            (
                self.bandit == Bandit::Ucb1Tuned && unbounded,
                "bandit=ucb1-tuned needs rewards in [0, 1]: normalization=global or parent",
            ),
            (self.history > 0.0 && unbounded, "history needs rewards in [0, 1]: normalization=global or parent"),
            (
                (self.deviation || product) && self.normalization == Normalization::Ratio,
                "deviation and normalization=ratio exclude each other",
            ),
            (self.deviation && product, "deviation=true and bandit=deviation exclude each other"),
            (self.value == NodeValue::Blend && self.w > 1.0, "value=blend needs w of at most 1"),
            (self.cooling != Cooling::None && pacing.tree_playouts == 0, "cooling needs tree_playouts"),
            (self.reheats > 0 && self.cooling == Cooling::None, "reheats needs cooling"),
            (self.log_base > 0.0 && self.log_base <= 1.0, "log_base must be 0 or above 1"),
            (
                self.log_base > 0.0
                    && (self.value != NodeValue::Best || self.bandit != Bandit::Ucb1 || self.deviation || unbounded),
                "log_base needs value=best, bandit=ucb1 and normalization=global or parent, without deviation",
            ),
            (self.log_base > 0.0 && self.uses_codes(), "log_base excludes history and amaf"),
        ])
    }
}

/// The inputs of selection.
pub(super) struct Selector<'a> {
    pub(super) uct: &'a Uct,
    pub(super) sense: Sense,
    pub(super) arena: &'a Arena,
    pub(super) learner: &'a Learner,
    /// Scores met by the search.
    pub(super) range: Range,
    /// The score that ratios compare with.
    pub(super) standard: f64,
    /// The weight of the exploration term in this playout at this depth.
    pub(super) c: f64,
    /// The name of the node whose children are compared, for AMAF.
    pub(super) name: u64,
    /// Decides between equal bounds where `ties` = random.
    pub(super) draw: u64,
}

impl Selector<'_> {
    /// Returns the scale of the children of `parent`.
    #[inline(always)]
    fn scale(&self, parent: &Node) -> Scale {
        if self.uct.selection.log_base > 0.0 {
            return self.scale_of_powers(parent);
        }
        match self.uct.selection.normalization {
            Normalization::Global => self.range.scale(),
            Normalization::Parent => Scale::between(parent.worst, parent.best),
            Normalization::Ratio => Scale::ratio(self.standard, self.sense),
            Normalization::None => Scale::raw(self.sense),
        }
    }

    /// The same where scores are logarithms: over the range of the parent, or of all scores.
    #[cold]
    fn scale_of_powers(&self, parent: &Node) -> Scale {
        let is_global = self.uct.selection.normalization == Normalization::Global;
        let (worst, best) = if is_global { self.range.ends() } else { (parent.worst, parent.best) };
        Scale::between_powers(worst, best, self.uct.selection.log_base)
    }

    /// Returns the reward of the node `at`, scaled by its statistics, for first-play urgency.
    pub(super) fn reward_of(&self, at: usize) -> f64 {
        let node = self.arena.get(at);
        let infeasible = self.arena.violations(at).count;
        if node.visits == infeasible { 0.0 } else { self.value(node, infeasible, &self.scale(node)) }
    }

    /// Returns the tried and open child of `at` with the largest bound, and the bound. `None`: every tried child is
    /// closed.
    pub(super) fn select(&self, at: usize) -> Option<(usize, f64)> {
        let (selection, arena) = (&self.uct.selection, self.arena);
        let (closes, transpositions) = (self.uct.closes(), self.uct.growth.transpositions);
        let parent = arena.get(at);
        let log = log(parent.visits);
        let root = if selection.bandit == Bandit::Deviation { (parent.visits as f64).sqrt() } else { 0.0 };
        let all = arena.violations(at);
        let scale = &self.scale(parent);
        let children = parent.children();
        let first = children.start;
        let mut choice: Option<(usize, f64)> = None;
        let is_random = selection.ties == Ties::Random;
        // The children that have the largest bound so far, and what decides between them.
        let (mut equal, mut rng) = (1, None);
        for slot in first..first + parent.tried as usize {
            let node_at = arena.resolve(slot);
            let child = arena.get(node_at);
            if child.closed && closes {
                continue;
            }
            let violations = arena.violations(node_at);
            let visits = if transpositions { arena.side(slot).visits.max(1) } else { child.visits } as f64;
            let mut value = if violations.count == 0 && all.count == 0 {
                self.value(child, 0, scale)
            } else {
                self.value_with_violations(parent, child, all, violations, scale)
            };
            if selection.amaf {
                let entry = self.learner.amaf(self.name, arena.side(slot).code);
                if entry.count > 0 {
                    let p = entry.count as f64;
                    let beta = p / (p + visits + AMAF_BIAS * p * visits);
                    value = (1.0 - beta) * value + beta * scale.reward(entry.sum / p);
                }
            }
            let spread = || variance(child, violations.count) * scale.factor * scale.factor;
            let mut bound = value;
            bound += self.c
                * match selection.bandit {
                    Bandit::Ucb1 => (log / visits).sqrt(),
                    Bandit::Ucb1Tuned => {
                        let slack = 2.0 * log / visits;
                        (slack * (spread() + slack.sqrt()).min(0.25)).sqrt()
                    }
                    Bandit::Deviation => {
                        let scored = (child.visits - violations.count) as f64;
                        let deviation = ((spread() * scored + selection.d) / (child.visits as f64 + 1.0)).sqrt();
                        (root / visits).sqrt() * deviation
                    }
                };
            if selection.deviation {
                bound += (spread() + selection.d / visits).sqrt();
            }
            if selection.bias_weight > 0.0 {
                bound += selection.bias_weight * arena.side(slot).bias / (visits + 1.0);
            }
            if selection.history > 0.0 {
                let entry = self.learner.history(arena.side(slot).code);
                if entry.count > 0 {
                    let mean = scale.reward(entry.sum / entry.count as f64);
                    // Values beyond 1, as with `w`, must not turn the sign.
                    bound += selection.history * mean / (visits * (1.0 - value).max(0.0) + 1.0);
                }
            }
            if choice.is_none_or(|(_, largest)| bound > largest) {
                choice = Some((slot, bound));
                equal = 1;
            } else if is_random && choice.is_some_and(|(_, largest)| bound == largest) {
                equal += 1;
                if rng.get_or_insert_with(|| Rng::new(self.draw)).index(equal) == 0 {
                    choice = Some((slot, bound));
                }
            }
        }
        choice
    }

    #[inline(always)]
    fn value(&self, node: &Node, infeasible: u64, scale: &Scale) -> f64 {
        // What is left of a pruned subtree may have no solution yet.
        let best = || if node.best.is_nan() { 0.0 } else { scale.reward(node.best) };
        let mean = || scale.reward(node.mean(infeasible));
        let w = self.uct.selection.w;
        let value = match self.uct.selection.value {
            NodeValue::Blend if w > 0.0 => return (1.0 - w) * mean() + w * best(),
            NodeValue::Mean | NodeValue::Blend => mean(),
            NodeValue::Best => best(),
        };
        if w > 0.0 { value + w * best() } else { value }
    }

    fn value_with_violations(
        &self,
        parent: &Node,
        child: &Node,
        all: Violations,
        of_child: Violations,
        scale: &Scale,
    ) -> f64 {
        // A child with several parents may know of more violations than this one.
        let all = if all.count == 0 { of_child } else { all };
        let bad = all.count as f64;
        let good = parent.visits.saturating_sub(all.count) as f64;
        if child.visits > of_child.count {
            (bad + good * self.value(child, of_child.count, scale)) / (bad + good)
        } else {
            let span = all.most - all.least;
            let normal = if span == 0.0 { 0.0 } else { (all.most - of_child.least) / span };
            bad * normal / (bad + good + 1.0)
        }
    }
}

/// Returns the natural logarithm of a number of playouts.
#[inline]
fn log(visits: u64) -> f64 {
    static KNOWN: LazyLock<Vec<f64>> =
        LazyLock::new(|| (0..1 << 16).map(|visits| libm::log(f64::from(visits))).collect());
    match KNOWN.get(usize::try_from(visits).unwrap_or(usize::MAX)) {
        Some(&log) => log,
        None => libm::log(visits as f64),
    }
}

/// Returns the mean of the squares less the square of the mean; at least 0.
#[inline]
fn variance(node: &Node, infeasible: u64) -> f64 {
    if node.visits == infeasible {
        return 0.0;
    }
    let mean = node.mean(infeasible);
    (node.squares / (node.visits - infeasible) as f64 - mean * mean).max(0.0)
}

#[cfg(test)]
mod tests;
