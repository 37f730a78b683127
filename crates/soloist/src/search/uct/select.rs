//! Which child is followed: the formulas.

use super::arena::{Arena, Node, Violations};
use super::learn::Learner;
use super::{Bandit, NodeValue, Normalisation, Uct};
use crate::{Move, Problem, Sense};

/// How a score becomes a reward: `(score - low) * factor`. Larger is better, whatever the sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) factor: f64,
}

impl Scale {
    /// To [0, 1] from the worst to the best score; everything is worth 0 while there is one score only.
    pub(super) fn between(worst: f64, best: f64) -> Self {
        // Dividing by the signed range turns "better" into "larger" for both senses.
        Self { low: worst, factor: if best == worst { 0.0 } else { 1.0 / (best - worst) } }
    }

    /// Scores as they are.
    fn raw(sense: Sense) -> Self {
        match sense {
            Sense::Maximize => Self { low: 0.0, factor: 1.0 },
            Sense::Minimize => Self { low: 0.0, factor: -1.0 },
        }
    }

    #[inline]
    pub(super) fn reward(self, score: f64) -> f64 {
        (score - self.low) * self.factor
    }
}

/// What selection looks at.
pub(super) struct Selector<'a, P: Problem> {
    pub(super) own: &'a Uct,
    pub(super) sense: Sense,
    pub(super) arena: &'a Arena<P::Move>,
    pub(super) learner: &'a Learner<P>,
    /// Worst and best score met by the search.
    pub(super) range: Option<(f64, f64)>,
    /// Where AMAF statistics come from.
    pub(super) reference: u64,
}

impl<P: Problem> Selector<'_, P> {
    /// How the children of `parent` are scaled.
    fn scale(&self, parent: &Node<P::Move>) -> Scale {
        match self.own.normalisation {
            Normalisation::Global => {
                self.range.map_or(Scale::between(0.0, 0.0), |(low, high)| Scale::between(low, high))
            }
            Normalisation::Parent => Scale::between(parent.worst, parent.best),
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
        let mut choice = (first, f64::NEG_INFINITY);
        let mut found = false;
        for slot in first..first + parent.tried as usize {
            let node_at = arena.resolve(slot);
            let child = arena.get(node_at);
            if child.closed && own.closes() {
                continue;
            }
            let violations = if all.count == 0 { Violations::default() } else { arena.violations(node_at) };
            let visits = if own.transpositions { arena.side(slot).visits.max(1) } else { child.visits } as f64;
            let mut value = if all.count == 0 {
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
            let mut bound = value;
            bound += own.c
                * match own.bandit {
                    Bandit::Ucb1 => (log / visits).sqrt(),
                    Bandit::Ucb1Tuned => {
                        let spread = variance(child, violations.count) * scale.factor * scale.factor;
                        let slack = 2.0 * log / visits;
                        (slack * (spread + slack.sqrt()).min(0.25)).sqrt()
                    }
                };
            if own.deviation {
                let spread = variance(child, violations.count) * scale.factor * scale.factor;
                bound += (spread + own.d / visits).sqrt();
            }
            if own.bias_weight > 0.0 {
                bound += own.bias_weight * arena.side(slot).bias / (visits + 1.0);
            }
            if own.history > 0.0 {
                let entry = self.learner.history(arena.side(slot).code);
                if entry.count > 0 {
                    let mean = scale.reward(entry.sum / entry.count as f64);
                    // Rewards beyond [0, 1] (raw scores) must not turn the sign.
                    bound += own.history * mean / (visits * (1.0 - value).max(0.0) + 1.0);
                }
            }
            if bound > choice.1 || !found {
                choice = (slot, bound);
                found = true;
            }
        }
        found.then_some(choice)
    }

    #[inline]
    fn value(&self, node: &Node<P::Move>, infeasible: u64, scale: Scale) -> f64 {
        let value = scale.reward(match self.own.value {
            NodeValue::Mean => node.mean(infeasible),
            NodeValue::Best => node.best,
        });
        if self.own.w > 0.0 { value + self.own.w * scale.reward(node.best) } else { value }
    }

    fn value_with_violations(
        &self,
        parent: &Node<P::Move>,
        child: &Node<P::Move>,
        all: Violations,
        own: Violations,
        scale: Scale,
    ) -> f64 {
        let (bad, good) = (all.count as f64, (parent.visits - all.count) as f64);
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
fn variance<M: Move>(node: &Node<M>, infeasible: u64) -> f64 {
    if node.visits == infeasible {
        return 0.0;
    }
    let mean = node.mean(infeasible);
    (node.squares / (node.visits - infeasible) as f64 - mean * mean).max(0.0)
}
