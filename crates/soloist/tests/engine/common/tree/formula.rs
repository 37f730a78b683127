//! What the naive tree computes for a choice: rewards, means and the formulas of selection.

use super::*;

impl<P: Problem> Tree<'_, P> {
    /// (worst, best) of values in the problem's sense.
    pub(super) fn ends(&self, values: &[f64]) -> (f64, f64) {
        match self.problem.sense() {
            Sense::Maximize => (least(values), most(values)),
            Sense::Minimize => (most(values), least(values)),
        }
    }

    pub(super) fn state(&self, path: &[P::Move]) -> P::State {
        let mut state = self.problem.root();
        path.iter().for_each(|&mv| self.problem.apply(&mut state, mv));
        state
    }

    pub(super) fn moves(&self, path: &[P::Move]) -> Vec<P::Move> {
        let mut moves = Vec::new();
        self.problem.moves(&self.state(path), &mut moves);
        moves
    }

    /// Low end and factor of the children of `path`; a factor without a low end is divided by the score.
    pub(super) fn scale(&self, path: &[P::Move]) -> (Option<f64>, f64) {
        let all: Vec<f64> = match self.uct.selection.normalization {
            Normalization::Global => self.log.iter().filter_map(|played| played.score.value()).collect(),
            Normalization::Parent => self.nodes[path].feasible(),
            Normalization::None => {
                return (Some(0.0), if self.problem.sense() == Sense::Maximize { 1.0 } else { -1.0 });
            }
            Normalization::Ratio => {
                let first = self.log.iter().find_map(|played| played.score.value());
                let reference = if self.uct.selection.reference == 0.0 {
                    first.unwrap_or(1.0)
                } else {
                    self.uct.selection.reference
                };
                let reference = if reference == 0.0 { 1.0 } else { reference };
                let larger_is_worse = (self.problem.sense() == Sense::Minimize) == (reference > 0.0);
                return if larger_is_worse { (None, reference) } else { (Some(0.0), 1.0 / reference) };
            }
        };
        let (low, mut high) = self.ends(&all);
        if self.prunes() && self.uct.selection.normalization == Normalization::Parent {
            let Some(best) = self.best_left(path) else { return (Some(0.0), 0.0) };
            high = best;
        }
        // No score yet: everything is worth the same.
        if all.is_empty() { (Some(0.0), 0.0) } else { (Some(low), if low == high { 0.0 } else { 1.0 / (high - low) }) }
    }

    /// Mean of the feasible playouts with `mv` behind `path`, those of the search or of the game, and their number.
    pub(super) fn mean_with(&self, from: usize, path: &[P::Move], code: u64) -> (f64, f64) {
        let with = |played: &&Played<P::Move>| {
            // Playouts that went through the node, not those made before it was one.
            let through = played.in_tree >= path.len() && played.moves.starts_with(path);
            through && played.codes[path.len()..].contains(&code)
        };
        let values: Vec<f64> = self.log[from..].iter().filter(with).filter_map(|played| played.score.value()).collect();
        (if values.is_empty() { 0.0 } else { mean(&values) }, values.len() as f64)
    }

    /// The codes of the moves of a playout.
    pub(super) fn codes(&self, moves: &[P::Move]) -> Vec<u64> {
        let mut state = self.problem.root();
        let code = |&mv: &P::Move| {
            let code = self.problem.code(&state, mv);
            self.problem.apply(&mut state, mv);
            code
        };
        moves.iter().map(code).collect()
    }

    pub(super) fn value(&self, path: &[P::Move], good: &[f64], scale: (Option<f64>, f64)) -> f64 {
        let best = if self.prunes() { self.best_left(path) } else { Some(self.ends(good).1) };
        let best = best.map_or(0.0, |best| reward(best, scale));
        let value = match self.uct.selection.value {
            NodeValue::Mean => reward(mean(good), scale),
            NodeValue::Best => best,
            NodeValue::Blend => {
                let w = self.uct.selection.w;
                return if w > 0.0 {
                    (1.0 - w) * reward(mean(good), scale) + w * best
                } else {
                    reward(mean(good), scale)
                };
            }
        };
        value + if self.uct.selection.w > 0.0 { self.uct.selection.w * best } else { 0.0 }
    }

    /// The upper bound of a tried child.
    pub(super) fn bound(&self, path: &[P::Move], child: P::Move) -> f64 {
        let uct = &self.uct;
        let (parent, node) = (&self.nodes[path], &self.nodes[&join(path, child)]);
        let scale = self.scale(path);
        let good = node.feasible();
        let bad = parent.violations();
        let (i, f) = (bad.len() as f64, parent.feasible().len() as f64);
        let here = join(path, child);
        let mut value = if bad.is_empty() {
            self.value(&here, &good, scale)
        } else if !good.is_empty() {
            (i + f * self.value(&here, &good, scale)) / (i + f)
        } else {
            let span = most(&bad) - least(&bad);
            let normal = if span == 0.0 { 0.0 } else { (most(&bad) - least(&node.violations())) / span };
            i * normal / (i + f + 1.0)
        };
        let n = node.scores.len() as f64;
        let code = self.problem.code(&self.state(path), child);
        if uct.selection.amaf {
            let (amaf, p) = self.mean_with(self.game, path, code);
            if p > 0.0 {
                let beta = p / (p + n + 0.001 * p * n);
                value = (1.0 - beta) * value + beta * reward(amaf, scale);
            }
        }
        let log = libm::log(parent.scores.len() as f64);
        let variance = if good.is_empty() {
            0.0
        } else {
            let squares: Vec<f64> = good.iter().map(|value| value * value).collect();
            (mean(&squares) - mean(&good) * mean(&good)).max(0.0) * scale.1 * scale.1
        };
        let mut bound = value;
        bound += self.constant(path.len())
            * match uct.selection.bandit {
                Bandit::Ucb1 => (log / n).sqrt(),
                Bandit::Ucb1Tuned => (2.0 * log / n * (variance + (2.0 * log / n).sqrt()).min(0.25)).sqrt(),
                Bandit::Deviation => {
                    let spread = variance * good.len() as f64 + uct.selection.d;
                    ((parent.scores.len() as f64).sqrt() / n).sqrt() * (spread / (n + 1.0)).sqrt()
                }
            };
        if uct.selection.deviation {
            bound += (variance + uct.selection.d / n).sqrt();
        }
        bound += uct.selection.bias_weight * crate::common::bias(self.problem, &self.state(path), child) / (n + 1.0);
        if uct.selection.history > 0.0 {
            let (history, count) = self.mean_with(0, &[], code);
            if count > 0.0 {
                bound += uct.selection.history * reward(history, scale) / (n * (1.0 - value).max(0.0) + 1.0);
            }
        }
        bound
    }

    /// The weight of the exploration term at a node of this depth in the playout to come.
    pub(super) fn constant(&self, depth: usize) -> f64 {
        let (all, played) = (self.uct.pacing.tree_playouts, (self.log.len() - self.game) as u64);
        let period = all.div_ceil(self.uct.selection.reheats + 1).max(1);
        let (n, i) = (period as f64, if period < all { played % period } else { played } as f64);
        let longest = self.log.iter().map(|played| played.moves.len()).max().unwrap_or(0) as f64;
        match self.uct.selection.cooling {
            Cooling::None => self.uct.selection.c,
            Cooling::Linear => self.uct.selection.c * ((n - i) / n),
            Cooling::Exponential => self.uct.selection.c * libm::pow(0.01, i / n),
            Cooling::Depth => self.uct.selection.c * ((n - i) / n) * ((longest - depth as f64) / longest),
        }
    }
}
