//! Which child is followed: the formulas.

use super::arena::{Arena, Node, Violations};
use super::learn::Learner;
use super::met::{Range, Scale};
use super::{Pacing, Uct, refuse};
use crate::search::parameter::{choice, parameters};
use crate::{ParameterError, Sense};
use std::sync::LazyLock;

choice! {
    /// What a node is worth.
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
    pub enum Cooling {
        /// It does not.
        None = "none",
        /// To 0 by the same amount a playout: `c (N - i) / N`.
        Linear = "linear",
        /// To `cooling_end` of its value by the same factor a playout: `c cooling_end^(i / N)`.
        Exponential = "exponential",
        /// Linearly, and linearly with the depth of the node as well: `c (N - i) / N (L - depth) / L`, `L` being the
        /// length of the longest solution met.
        Depth = "depth",
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
    ///   (`docs/results/schadd-formula.md`).
    /// - progressive bias: `bias_weight h / (n_i + 1)`, `h` being the problem's bias of the move.
    /// - progressive history: `history H / (n_i (1 - X) + 1)`, `H` being the mean reward, over the whole search, of the
    ///   playouts with the move's code.
    ///
    /// With `amaf`, `X` is replaced by `(1 - b) X + b A`, where `A` is the mean reward of the `p` playouts through a
    /// reference node in which the move's code was played at any later time, and `b = p / (p + n_i + amaf_bias p n_i)`.
    /// The reference is the closest ancestor with more than `amaf_reference` playouts (GRAVE); with 0 it is the parent
    /// itself (RAVE).
    ///
    /// With infeasible playouts the value of a child is (f feasible and i infeasible playouts through the parent): `(i
    /// + f X) / (i + f)` when it has a feasible one, otherwise `i Y / (i + f + 1)` with `Y` the normalised least
    /// violation: any child with a feasible solution is preferred to one without. (Equation 3.3 of Rei's thesis, whose
    /// text exchanges the two counts in the first line.)
    ///
    /// # Cooling
    /// With `tree_playouts` = N a new tree is begun after every N playouts. With `cooling` the constant in playout i =
    /// 0 to N - 1 of a tree is not `c` but falls from it to (nearly) 0, so that the search goes over from exploring to
    /// exploiting, and the tree gets to the bottom of the game. That is SA-UCT; its paper's `2 Cp sqrt(2 ln n / n_i)`
    /// is `c sqrt(ln n / n_i)` with `c = 2 sqrt(2) Cp`, and its `x` is the reward of `normalization = ratio`: the
    /// operations of the input over the mean of the playouts' through the child. The reference score is `reference`, or
    /// else the [problem's](crate::Problem::reference), or else that of the first feasible playout; scores must not
    /// change their sign.
    pub struct Selection {
        /// weight of the exploration term; UCB1 has 1.414, puzzles mostly want 0.001 to 0.3
        c: f64 = 0.1, 0.0..=1e12;
        /// what a node is worth
        value: NodeValue = NodeValue::Mean, ();
        /// weight of the best score below a node, added to its value or blended with the mean (`value`)
        w: f64 = 0.0, 0.0..=1e6;
        /// how scores are scaled before `c` and `d` apply
        normalization: Normalization = Normalization::Global, ();
        /// the score that `normalization=ratio` compares with; 0: the problem's, or the first playout's
        reference: f64 = 0.0, -1e15..=1e15;
        /// how `c` falls over the playouts of a tree
        cooling: Cooling = Cooling::None, ();
        /// what is left of `c` at the end of exponential cooling
        cooling_end: f64 = 0.01, 1e-9..=1.0;
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
        /// mix in the mean reward of playouts that make the move later on (RAVE, GRAVE)
        amaf: bool = false, ();
        /// how fast that mean gives way to the mean of the child: larger is faster
        amaf_bias: f64 = 1e-3, 0.0..=1e6;
        /// an ancestor with more playouts than this lends its statistics (GRAVE); 0: the parent does (RAVE)
        amaf_reference: u64 = 0, 0..=1_000_000_000;
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
        let all = all as f64;
        let linear = || (all - playout as f64) / all;
        match self.cooling {
            Cooling::None => self.c,
            Cooling::Linear => self.c * linear(),
            Cooling::Exponential => self.c * libm::pow(self.cooling_end, playout as f64 / all),
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
    /// Where AMAF statistics come from.
    pub(super) reference: u64,
}

impl Selector<'_> {
    /// Returns the scale of the children of `parent`.
    fn scale(&self, parent: &Node) -> Scale {
        match self.uct.selection.normalization {
            Normalization::Global => self.range.scale(),
            Normalization::Parent => Scale::between(parent.worst, parent.best),
            Normalization::Ratio => Scale::ratio(self.standard, self.sense),
            Normalization::None => Scale::raw(self.sense),
        }
    }

    /// Returns the reward of the node `at`, scaled by its statistics, for first-play urgency.
    pub(super) fn reward_of(&self, at: usize) -> f64 {
        let node = self.arena.get(at);
        let infeasible = self.arena.violations(at).count;
        if node.visits == infeasible { 0.0 } else { self.value(node, infeasible, self.scale(node)) }
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
        let scale = self.scale(parent);
        let children = parent.children();
        let first = children.start;
        let mut choice: Option<(usize, f64)> = None;
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
                let entry = self.learner.amaf(self.reference, arena.side(slot).code);
                if entry.count > 0 {
                    let p = entry.count as f64;
                    let beta = p / (p + visits + selection.amaf_bias * p * visits);
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
            }
        }
        choice
    }

    #[inline]
    fn value(&self, node: &Node, infeasible: u64, scale: Scale) -> f64 {
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
        scale: Scale,
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
mod tests {
    use super::*;
    use crate::Score;
    use crate::doc::Staircase;
    use crate::problem::Packing;
    use crate::problem::rules::{Rules, Shared, Typed};
    use crate::search::method::Family;

    /// Returns a root with children that have these scores; child `i` has the code `i` and the bias `biases[i]`.
    fn tree(children: &[&[f64]], biases: &[f64], sense: Sense) -> Arena {
        let mut arena = Arena::new(1 << 20, true);
        arena.plant(0);
        assert!(arena.expand(0, &vec![0; children.len()]));
        for (i, scores) in children.iter().enumerate() {
            let child = arena.try_child(0, 0);
            for &score in *scores {
                arena.update(0, Score::Feasible(score), sense);
                arena.update(child, Score::Feasible(score), sense);
            }
            arena.sides[child].code = i as u64;
            arena.sides[child].bias = biases[i];
        }
        arena
    }

    /// Returns a search with other parameters: "name=value name=value".
    fn altered(uct: &Uct, settings: &str) -> Uct {
        let mut uct = uct.clone();
        for setting in settings.split(' ') {
            let (name, value) = setting.split_once('=').unwrap();
            uct.set(name, value).unwrap();
        }
        uct
    }

    /// Returns the child chosen, from 0, and its bound.
    fn choice(uct: &Uct, arena: &Arena, sense: Sense, played: &[(&[u64], f64)]) -> (usize, f64) {
        uct.validate().unwrap();
        let stairs = Staircase(1);
        let rules = Typed::new(Shared::Borrowed(&stairs), Packing::new(), crate::cut::Watch::default());
        let mut learner = Learner::new(uct, &rules, &rules.root(), 1 << 20);
        for (codes, score) in played {
            learner.start();
            learner.codes.extend_from_slice(codes);
            learner.count(uct, Score::Feasible(*score), Scale::raw(sense));
        }
        learner.start();
        let reference = learner.names[0];
        let mut range = Range::default();
        [0.0, 10.0].iter().for_each(|&score| range.add(score, Sense::Maximize));
        let standard = 30.0;
        let selector =
            Selector { uct, sense, arena, learner: &learner, range, standard, c: uct.selection.c, reference };
        let (slot, bound) = selector.select(0).unwrap();
        (slot - arena.get(0).children().start, (bound * 1e6).round() / 1e6)
    }

    // n = 10, ln 10 = 2.302585. Means 5, 6, 5; variances 1, 0, 32/3; best scores 6, 6, 9.
    const ABC: [&[f64]; 3] = [&[4.0, 6.0], &[6.0, 6.0, 6.0, 6.0, 6.0], &[1.0, 5.0, 9.0]];

    fn chosen(uct: &Uct) -> (usize, f64) {
        choice(uct, &tree(&ABC, &[3.0, 0.0, 1.0], Sense::Maximize), Sense::Maximize, &[])
    }

    fn raw(c: f64) -> Uct {
        altered(&Uct::default(), &format!("c={c} normalization=none"))
    }

    #[test]
    fn ucb1_by_hand() {
        // 5 + sqrt(ln 10 / 2), 6 + sqrt(ln 10 / 5), 5 + sqrt(ln 10 / 3) = 6.072983, 6.678614, 5.876087
        assert_eq!(chosen(&raw(1.0)), (1, 6.678614));
        // 15.729830, 12.786140, 13.760870
        assert_eq!(chosen(&raw(10.0)), (0, 15.72983));
        // On best scores: 7.072983, 6.678614, 9.876087
        assert_eq!(chosen(&altered(&raw(1.0), "value=best")), (2, 9.876087));
        // From 0 to 10, and from 1 to 9 below the parent: (6 - 1) / 8.
        assert_eq!(chosen(&altered(&Uct::default(), "c=0.0")), (1, 0.6));
        assert_eq!(chosen(&altered(&Uct::default(), "c=0.0 normalization=parent")), (1, 0.625));
    }

    #[test]
    fn sp_mcts_by_hand() {
        // d = 0 adds 1, 0, 3.265986; d = 100 adds sqrt(51), sqrt(20), sqrt(44).
        let uct = |d| altered(&raw(1.0), &format!("deviation=true d={d}"));
        assert_eq!(chosen(&uct(0.0)), (2, 9.142073));
        assert_eq!(chosen(&uct(100.0)), (0, 13.214411));
        // w = 0.5 adds 3, 3, 4.5 to the plain bounds.
        assert_eq!(chosen(&altered(&raw(1.0), "w=0.5")), (2, 10.376087));
        // The product: sqrt(sqrt 10 / n_i) is 1.257433, 0.795271, 1.026690; with d = 0 times sqrt(2/3), 0, sqrt(8):
        // 6.026690, 6, 7.903918; with d = 100 times sqrt(34), sqrt(100/6), sqrt(33): 12.332034, 9.246679, 10.897886.
        let product = |d| altered(&raw(1.0), &format!("bandit=deviation d={d}"));
        assert_eq!(chosen(&product(0.0)), (2, 7.903918));
        assert_eq!(chosen(&product(100.0)), (0, 12.332034));
        // Blended: 5.25, 6, 6 for w = 0.25, and exploration halved: 8.916017, 7.623340, 8.948943.
        let blended = altered(&product(100.0), "value=blend w=0.25 c=0.5");
        assert_eq!(chosen(&blended), (2, 8.948943));
    }

    #[test]
    fn ucb1_tuned_by_hand() {
        // On [0, 1]: 2 ln 10 / n_i = 2.302585, 0.921034, 1.535057; every V is above 1/4.
        let uct = altered(&Uct::default(), "c=1.0 bandit=ucb1-tuned");
        assert_eq!(chosen(&uct), (0, 1.258714));
        // 20,000 scores of mean 5 and variance 20 against 80,000 of mean 5.13 and variance 0.1: V = 0.2339307 and
        // 0.0179654, terms 0.016411 and 0.002274.
        let (high, low) = (5.0 + 20_f64.sqrt(), 5.0 - 20_f64.sqrt());
        let wide: Vec<f64> = (0..20_000).map(|i| if i % 2 == 0 { high } else { low }).collect();
        let narrow: Vec<f64> =
            (0..80_000).map(|i| 5.13 + if i % 2 == 0 { 0.1_f64.sqrt() } else { -(0.1_f64.sqrt()) }).collect();
        let arena = tree(&[&wide, &narrow], &[0.0, 0.0], Sense::Maximize);
        assert_eq!(choice(&uct, &arena, Sense::Maximize, &[]), (0, 0.516411));
        // UCB1 with the same constant knows no variances: 0.52399 and 0.525, so that it prefers the other one.
        let plain = altered(&Uct::default(), "c=1.0");
        assert_eq!(choice(&plain, &arena, Sense::Maximize, &[]), (1, 0.524996));
    }

    #[test]
    fn ratios_by_hand() {
        // The paper's rule with Cp = 1/4 on the reference 30: 30 / 5 + 0.5 sqrt(2 ln 10 / 2) = 6.758714, 30 / 6 + 0.5
        // sqrt(2 ln 10 / 5) = 5.479852, 30 / 5 + 0.5 sqrt(2 ln 10 / 3) = 6.619488: the least mean counts most.
        let uct = altered(&Uct::cooled(0.25, 10, Cooling::None), "solver=true");
        let arena = tree(&ABC, &[0.0; 3], Sense::Minimize);
        assert_eq!(choice(&uct, &arena, Sense::Minimize, &[]), (0, 6.758714));
        // Upwards the mean over the reference: 5 / 30, 6 / 30 and 5 / 30.
        assert_eq!(chosen(&altered(&uct, "c=0.0")), (1, 0.2));
        // Costs counted below zero are the same problem.
        let mirrored = tree(&[&[-4.0, -6.0], &[-6.0], &[-4.5]], &[0.0; 3], Sense::Maximize);
        let selector = Scale::ratio(-30.0, Sense::Maximize);
        assert_eq!((selector.reward(-5.0), Scale::ratio(30.0, Sense::Minimize).reward(5.0)), (6.0, 6.0));
        // A positive reference for negative scores makes no sense, and no harm.
        choice(&uct, &mirrored, Sense::Maximize, &[]);
    }

    #[test]
    fn cooling_by_hand() {
        let at = |cooling, playout, depth, longest| {
            let uct = altered(&Uct::cooled(1.0, 100, cooling), &format!("cooling={cooling} c=8.0 cooling_end=0.25"));
            uct.selection.constant(playout, 100, depth, longest)
        };
        assert_eq!(at(Cooling::None, 99, 3, 4), 8.0);
        // Equation 4: T(i) = Cp (N - i) / N.
        assert_eq!([0, 25, 99].map(|i| at(Cooling::Linear, i, 3, 4)), [8.0, 6.0, 0.08]);
        assert_eq!([0, 50].map(|i| at(Cooling::Exponential, i, 3, 4)), [8.0, 4.0]);
        assert_eq!([0, 1, 3, 4].map(|depth| at(Cooling::Depth, 50, depth, 4)), [4.0, 3.0, 1.0, 0.0]);
        assert_eq!(at(Cooling::Depth, 50, 9, 0), 0.0);
        // Cp = 1 is 2 sqrt 2.
        assert!((Uct::cooled(1.0, 10, Cooling::None).selection.c - 8_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn knowledge_by_hand() {
        // Biases 3, 0, 1: 2 h / (n_i + 1) adds 2, 0, 0.5 to 5, 6, 5.
        assert_eq!(chosen(&altered(&raw(0.0), "bias_weight=2.0")), (0, 7.0));
        let arena = tree(&ABC, &[0.0; 3], Sense::Maximize);
        // Code 2 was in playouts of 8 and 10, code 1 in one of 1.
        let played: &[(&[u64], f64)] = &[(&[2, 7], 8.0), (&[7, 2], 10.0), (&[1], 1.0)];
        // History 1: mean 0.9 / (3 * (1 - 0.5) + 1) = 0.36 for the third; 0.1 / (5 * 0.4 + 1) for the second.
        let uct = altered(&Uct::default(), "c=0.0 history=1.0");
        assert_eq!(choice(&uct, &arena, Sense::Maximize, played), (2, 0.86));
        // AMAF of the third: p = 2, n = 3, b = 2 / (2 + 3 + 0.5 * 6) = 0.25: 0.75 * 0.5 + 0.25 * 0.9 = 0.6; the second:
        // p = 1, n = 5, b = 1 / 8.5 = 0.117647: 0.541176.
        let uct = altered(&Uct::default(), "c=0.0 amaf=true amaf_bias=0.5");
        assert_eq!(choice(&uct, &arena, Sense::Maximize, played), (2, 0.6));
    }

    #[test]
    fn smaller_can_be_better() {
        let mirrored: Vec<Vec<f64>> = ABC.iter().map(|scores| scores.iter().map(|score| -score).collect()).collect();
        let mirrored: Vec<&[f64]> = mirrored.iter().map(Vec::as_slice).collect();
        let arena = tree(&mirrored, &[3.0, 0.0, 1.0], Sense::Minimize);
        for uct in [
            raw(1.0),
            altered(&raw(1.0), "deviation=true d=100.0 w=0.5"),
            altered(&raw(1.0), "bandit=deviation value=blend w=0.3"),
            altered(&raw(0.0), "bias_weight=2.0"),
        ] {
            assert_eq!(choice(&uct, &arena, Sense::Minimize, &[]), chosen(&uct));
        }
    }

    #[test]
    fn settings_that_exclude_each_other_are_refused() {
        let beam = Uct::beam(0.1, 10, 2);
        let cases = [
            (altered(&beam, "transpositions=true"), "beam_width and transpositions exclude each other"),
            (altered(&beam, "move_playouts=3"), "beam_width and move_playouts exclude each other"),
            (altered(&Uct::default(), "played_only=true"), "played_only needs move_playouts"),
            (altered(&Uct::best(), "fpu=parent"), "fpu needs expansion=one or lazy"),
            (
                altered(&raw(1.0), "bandit=ucb1-tuned playouts=history"),
                "bandit=ucb1-tuned needs rewards in [0, 1]: normalization=global or parent",
            ),
            (altered(&Uct::cooled(1.0, 9, Cooling::Depth), "tree_playouts=0"), "cooling needs tree_playouts"),
            (
                altered(&Uct::cooled(1.0, 9, Cooling::None), "deviation=true"),
                "deviation and normalization=ratio exclude each other",
            ),
            (
                altered(&raw(1.0), "bandit=deviation deviation=true"),
                "deviation=true and bandit=deviation exclude each other",
            ),
            (altered(&raw(1.0), "value=blend w=1.5"), "value=blend needs w of at most 1"),
        ];
        for (uct, message) in cases {
            assert_eq!(uct.validate().unwrap_err().to_string(), message);
        }
    }
}
