//! Which child is followed: the formulas.

use super::arena::{Arena, Node, Violations};
use super::learn::Learner;
use super::{Bandit, NodeValue, Normalisation, Uct};
use crate::Sense;
use serde::{Deserialize, Serialize};

/// How a score becomes a reward: `(score - low) * factor`, or `factor / score`. Larger is better, whatever the sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) factor: f64,
    /// Whether the reward is the second one.
    inverse: bool,
}

/// Worst and best of some scores; nothing before the first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Range(Option<(f64, f64)>);

impl Range {
    pub(super) fn add(&mut self, value: f64, sense: Sense) {
        let (worst, best) = self.0.unwrap_or((value, value));
        self.0 = Some((sense.worst_value(worst, value), sense.best_value(best, value)));
    }

    pub(super) fn worst(self) -> Option<f64> {
        self.0.map(|(worst, _)| worst)
    }

    /// To [0, 1] over this range.
    pub(super) fn scale(self) -> Scale {
        self.0.map_or(Scale::between(0.0, 0.0), |(worst, best)| Scale::between(worst, best))
    }
}

impl Scale {
    /// To [0, 1] from the worst to the best score; everything is worth 0 while there is one score only.
    pub(super) fn between(worst: f64, best: f64) -> Self {
        if worst.is_nan() || best.is_nan() {
            return Self { low: 0.0, factor: 0.0, inverse: false };
        }
        // Dividing by the signed range turns "better" into "larger" for both senses.
        Self { low: worst, factor: if best == worst { 0.0 } else { 1.0 / (best - worst) }, inverse: false }
    }

    /// Scores as they are.
    fn raw(sense: Sense) -> Self {
        match sense {
            Sense::Maximize => Self { low: 0.0, factor: 1.0, inverse: false },
            Sense::Minimize => Self { low: 0.0, factor: -1.0, inverse: false },
        }
    }

    /// As a ratio to `reference`: 1 for scores equal to it, larger for better ones of the same sign.
    fn ratio(reference: f64, sense: Sense) -> Self {
        // Nothing is a multiple of 0.
        let reference = if reference == 0.0 { 1.0 } else { reference };
        let inverse = (sense == Sense::Minimize) == (reference > 0.0);
        Self { low: 0.0, factor: if inverse { reference } else { 1.0 / reference }, inverse }
    }

    #[inline]
    pub(super) fn reward(self, score: f64) -> f64 {
        if self.inverse { self.factor / score } else { (score - self.low) * self.factor }
    }
}

/// What selection looks at.
pub(super) struct Selector<'a> {
    pub(super) own: &'a Uct,
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
    /// How the children of `parent` are scaled.
    fn scale(&self, parent: &Node) -> Scale {
        match self.own.normalisation {
            Normalisation::Global => self.range.scale(),
            Normalisation::Parent => Scale::between(parent.worst, parent.best),
            Normalisation::Ratio => Scale::ratio(self.standard, self.sense),
            Normalisation::None => Scale::raw(self.sense),
        }
    }

    /// The reward of the node `at` as seen by itself, for first-play urgency.
    pub(super) fn reward_of(&self, at: usize) -> f64 {
        let node = self.arena.get(at);
        let infeasible = self.arena.violations(at).count;
        if node.visits == infeasible { 0.0 } else { self.value(node, infeasible, self.scale(node)) }
    }

    /// The tried and open child of `at` with the largest bound, and the bound. `None`: every tried child is closed.
    pub(super) fn select(&self, at: usize) -> Option<(usize, f64)> {
        let (own, arena) = (self.own, self.arena);
        let parent = arena.get(at);
        let log = libm::log(parent.visits as f64);
        let all = arena.violations(at);
        let scale = self.scale(parent);
        let children = parent.children();
        let first = children.start;
        let mut choice: Option<(usize, f64)> = None;
        for slot in first..first + parent.tried as usize {
            let node_at = arena.resolve(slot);
            let child = arena.get(node_at);
            if child.closed && own.closes() {
                continue;
            }
            let violations = arena.violations(node_at);
            let visits = if own.transpositions { arena.side(slot).visits.max(1) } else { child.visits } as f64;
            let mut value = if violations.count == 0 && all.count == 0 {
                self.value(child, 0, scale)
            } else {
                self.value_with_violations(parent, child, all, violations, scale)
            };
            if own.amaf {
                let entry = self.learner.amaf(self.reference, arena.side(slot).code);
                if entry.count > 0 {
                    let p = entry.count as f64;
                    let beta = p / (p + visits + own.amaf_bias * p * visits);
                    value = (1.0 - beta) * value + beta * scale.reward(entry.sum / p);
                }
            }
            let spread = || variance(child, violations.count) * scale.factor * scale.factor;
            let mut bound = value;
            bound += self.c
                * match own.bandit {
                    Bandit::Ucb1 => (log / visits).sqrt(),
                    Bandit::Ucb1Tuned => {
                        let slack = 2.0 * log / visits;
                        (slack * (spread() + slack.sqrt()).min(0.25)).sqrt()
                    }
                };
            if own.deviation {
                bound += (spread() + own.d / visits).sqrt();
            }
            if own.bias_weight > 0.0 {
                bound += own.bias_weight * arena.side(slot).bias / (visits + 1.0);
            }
            if own.history > 0.0 {
                let entry = self.learner.history(arena.side(slot).code);
                if entry.count > 0 {
                    let mean = scale.reward(entry.sum / entry.count as f64);
                    // Values beyond 1, as with `w`, must not turn the sign.
                    bound += own.history * mean / (visits * (1.0 - value).max(0.0) + 1.0);
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
        let value = scale.reward(match self.own.value {
            NodeValue::Mean => node.mean(infeasible),
            NodeValue::Best => node.best,
        });
        if self.own.w > 0.0 { value + self.own.w * scale.reward(node.best) } else { value }
    }

    fn value_with_violations(
        &self,
        parent: &Node,
        child: &Node,
        all: Violations,
        own: Violations,
        scale: Scale,
    ) -> f64 {
        // A child with several parents may know of more violations than this one.
        let all = if all.count == 0 { own } else { all };
        let bad = all.count as f64;
        let good = parent.visits.saturating_sub(all.count) as f64;
        if child.visits > own.count {
            (bad + good * self.value(child, own.count, scale)) / (bad + good)
        } else {
            let span = all.most - all.least;
            let normal = if span == 0.0 { 0.0 } else { (all.most - own.least) / span };
            bad * normal / (bad + good + 1.0)
        }
    }
}

/// Mean of the squares less the square of the mean; at least 0.
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
    use crate::search::{Cooling, FirstPlay, Playouts};

    /// A root with children that have these scores; child `i` has the code `i` and the bias `biases[i]`.
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

    /// The child chosen, from 0, and its bound.
    fn choice(own: &Uct, arena: &Arena, sense: Sense, played: &[(&[u64], f64)]) -> (usize, f64) {
        own.validate().unwrap();
        let stairs = Staircase(1);
        let rules = Typed::new(Shared::Borrowed(&stairs), Packing::new());
        let mut learner = Learner::new(own, &rules, &rules.root(), 1 << 20);
        for (codes, score) in played {
            learner.start();
            learner.codes.extend_from_slice(codes);
            learner.count(own, Score::Feasible(*score), Scale::raw(sense));
        }
        learner.start();
        let reference = learner.names[0];
        let mut range = Range::default();
        [0.0, 10.0].iter().for_each(|&score| range.add(score, Sense::Maximize));
        let standard = 30.0;
        let selector = Selector { own, sense, arena, learner: &learner, range, standard, c: own.c, reference };
        let (slot, bound) = selector.select(0).unwrap();
        (slot - arena.get(0).children().start, (bound * 1e6).round() / 1e6)
    }

    // n = 10, ln 10 = 2.302585. Means 5, 6, 5; variances 1, 0, 32/3; best scores 6, 6, 9.
    const ABC: [&[f64]; 3] = [&[4.0, 6.0], &[6.0, 6.0, 6.0, 6.0, 6.0], &[1.0, 5.0, 9.0]];

    fn chosen(own: &Uct) -> (usize, f64) {
        choice(own, &tree(&ABC, &[3.0, 0.0, 1.0], Sense::Maximize), Sense::Maximize, &[])
    }

    fn raw(c: f64) -> Uct {
        Uct { c, normalisation: Normalisation::None, ..Uct::default() }
    }

    #[test]
    fn ucb1_by_hand() {
        // 5 + sqrt(ln 10 / 2), 6 + sqrt(ln 10 / 5), 5 + sqrt(ln 10 / 3) = 6.072983, 6.678614, 5.876087
        assert_eq!(chosen(&raw(1.0)), (1, 6.678614));
        // 15.729830, 12.786140, 13.760870
        assert_eq!(chosen(&raw(10.0)), (0, 15.72983));
        // On best scores: 7.072983, 6.678614, 9.876087
        assert_eq!(chosen(&Uct { value: NodeValue::Best, ..raw(1.0) }), (2, 9.876087));
        // From 0 to 10, and from 1 to 9 below the parent: (6 - 1) / 8.
        assert_eq!(chosen(&Uct { c: 0.0, ..Uct::default() }), (1, 0.6));
        assert_eq!(chosen(&Uct { c: 0.0, normalisation: Normalisation::Parent, ..Uct::default() }), (1, 0.625));
    }

    #[test]
    fn sp_mcts_by_hand() {
        // d = 0 adds 1, 0, 3.265986; d = 100 adds sqrt(51), sqrt(20), sqrt(44).
        let own = |d| Uct { deviation: true, d, ..raw(1.0) };
        assert_eq!(chosen(&own(0.0)), (2, 9.142073));
        assert_eq!(chosen(&own(100.0)), (0, 13.214411));
        // w = 0.5 adds 3, 3, 4.5 to the plain bounds.
        assert_eq!(chosen(&Uct { w: 0.5, ..raw(1.0) }), (2, 10.376087));
    }

    #[test]
    fn ucb1_tuned_by_hand() {
        // On [0, 1]: 2 ln 10 / n_i = 2.302585, 0.921034, 1.535057; every V is above 1/4.
        let own = Uct { c: 1.0, bandit: Bandit::Ucb1Tuned, ..Uct::default() };
        assert_eq!(chosen(&own), (0, 1.258714));
        // 20,000 scores of mean 5 and variance 20 against 80,000 of mean 5.13 and variance 0.1: V = 0.2339307 and
        // 0.0179654, terms 0.016411 and 0.002274.
        let (high, low) = (5.0 + 20_f64.sqrt(), 5.0 - 20_f64.sqrt());
        let wide: Vec<f64> = (0..20_000).map(|i| if i % 2 == 0 { high } else { low }).collect();
        let narrow: Vec<f64> =
            (0..80_000).map(|i| 5.13 + if i % 2 == 0 { 0.1_f64.sqrt() } else { -(0.1_f64.sqrt()) }).collect();
        let arena = tree(&[&wide, &narrow], &[0.0, 0.0], Sense::Maximize);
        assert_eq!(choice(&own, &arena, Sense::Maximize, &[]), (0, 0.516411));
        // UCB1 with the same constant overrates neither less: 0.52399 and 0.525; it prefers the other one.
        let plain = Uct { c: 1.0, ..Uct::default() };
        assert_eq!(choice(&plain, &arena, Sense::Maximize, &[]), (1, 0.524996));
    }

    #[test]
    fn ratios_by_hand() {
        // The paper's rule with Cp = 1/4 on the reference 30: 30 / 5 + 0.5 sqrt(2 ln 10 / 2) = 6.758714, 30 / 6 + 0.5
        // sqrt(2 ln 10 / 5) = 5.479852, 30 / 5 + 0.5 sqrt(2 ln 10 / 3) = 6.619488: the least mean counts most.
        let own = Uct { solver: true, ..Uct::cooled(0.25, 10, Cooling::None) };
        let arena = tree(&ABC, &[0.0; 3], Sense::Minimize);
        assert_eq!(choice(&own, &arena, Sense::Minimize, &[]), (0, 6.758714));
        // Upwards the mean over the reference: 5 / 30, 6 / 30 and 5 / 30.
        assert_eq!(chosen(&Uct { c: 0.0, ..own }), (1, 0.2));
        // Costs counted below zero are the same problem.
        let mirrored = tree(&[&[-4.0, -6.0], &[-6.0], &[-4.5]], &[0.0; 3], Sense::Maximize);
        let selector = Scale::ratio(-30.0, Sense::Maximize);
        assert_eq!((selector.reward(-5.0), Scale::ratio(30.0, Sense::Minimize).reward(5.0)), (6.0, 6.0));
        // A positive reference for negative scores makes no sense, and no harm.
        choice(&own, &mirrored, Sense::Maximize, &[]);
    }

    #[test]
    fn cooling_by_hand() {
        let at = |cooling, playout, depth, longest| {
            let own = Uct { cooling, c: 8.0, cooling_end: 0.25, ..Uct::cooled(1.0, 100, cooling) };
            own.constant(playout, depth, longest)
        };
        assert_eq!(at(Cooling::None, 99, 3, 4), 8.0);
        // Equation 4: T(i) = Cp (N - i) / N.
        assert_eq!([0, 25, 99].map(|i| at(Cooling::Linear, i, 3, 4)), [8.0, 6.0, 0.08]);
        assert_eq!([0, 50].map(|i| at(Cooling::Exponential, i, 3, 4)), [8.0, 4.0]);
        assert_eq!([0, 1, 3, 4].map(|depth| at(Cooling::Depth, 50, depth, 4)), [4.0, 3.0, 1.0, 0.0]);
        assert_eq!(at(Cooling::Depth, 50, 9, 0), 0.0);
        // Cp = 1 is 2 sqrt 2.
        assert!((Uct::cooled(1.0, 10, Cooling::None).c - 8_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn knowledge_by_hand() {
        // Biases 3, 0, 1: 2 h / (n_i + 1) adds 2, 0, 0.5 to 5, 6, 5.
        assert_eq!(chosen(&Uct { bias_weight: 2.0, ..raw(0.0) }), (0, 7.0));
        let arena = tree(&ABC, &[0.0; 3], Sense::Maximize);
        // Code 2 was in playouts of 8 and 10, code 1 in one of 1.
        let played: &[(&[u64], f64)] = &[(&[2, 7], 8.0), (&[7, 2], 10.0), (&[1], 1.0)];
        // History 1: mean 0.9 / (3 * (1 - 0.5) + 1) = 0.36 for the third; 0.1 / (5 * 0.4 + 1) for the second.
        let own = Uct { c: 0.0, history: 1.0, ..Uct::default() };
        assert_eq!(choice(&own, &arena, Sense::Maximize, played), (2, 0.86));
        // AMAF of the third: p = 2, n = 3, b = 2 / (2 + 3 + 0.5 * 6) = 0.25: 0.75 * 0.5 + 0.25 * 0.9 = 0.6; the second:
        // p = 1, n = 5, b = 1 / 8.5 = 0.117647: 0.541176.
        let own = Uct { c: 0.0, amaf: true, amaf_bias: 0.5, ..Uct::default() };
        assert_eq!(choice(&own, &arena, Sense::Maximize, played), (2, 0.6));
    }

    #[test]
    fn smaller_can_be_better() {
        let mirrored: Vec<Vec<f64>> = ABC.iter().map(|scores| scores.iter().map(|score| -score).collect()).collect();
        let mirrored: Vec<&[f64]> = mirrored.iter().map(Vec::as_slice).collect();
        let arena = tree(&mirrored, &[3.0, 0.0, 1.0], Sense::Minimize);
        for own in
            [raw(1.0), Uct { deviation: true, d: 100.0, w: 0.5, ..raw(1.0) }, Uct { bias_weight: 2.0, ..raw(0.0) }]
        {
            assert_eq!(choice(&own, &arena, Sense::Minimize, &[]), chosen(&own));
        }
    }

    #[test]
    fn settings_that_exclude_each_other_are_refused() {
        let beam = Uct::beam(0.1, 10, 2);
        let cases = [
            (Uct { transpositions: true, ..beam.clone() }, "beam_width and transpositions exclude each other"),
            (Uct { move_playouts: 3, ..beam }, "beam_width and move_playouts exclude each other"),
            (Uct { played_only: true, ..Uct::default() }, "played_only needs move_playouts"),
            (Uct { fpu: FirstPlay::Parent, ..Uct::best() }, "fpu needs expansion=one"),
            (
                Uct { bandit: Bandit::Ucb1Tuned, playouts: Playouts::History, ..raw(1.0) },
                "bandit=ucb1-tuned needs rewards in [0, 1]: normalisation=global or parent",
            ),
            (Uct { tree_playouts: 0, ..Uct::cooled(1.0, 9, Cooling::Depth) }, "cooling needs tree_playouts"),
            (
                Uct { deviation: true, ..Uct::cooled(1.0, 9, Cooling::None) },
                "deviation and normalisation=ratio exclude each other",
            ),
        ];
        for (own, message) in cases {
            assert_eq!(own.validate().unwrap_err().to_string(), message);
        }
    }
}
