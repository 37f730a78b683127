//! Number partitioning as a search problem: the complete Karmarkar-Karp tree.

use super::limbs::log2_plus_one;
use super::model::{Differencing, JOIN, Labels, SPLIT};
use super::rollout::{self, RolloutKind};
use super::search;
use soloist::problem::{Entrant, Extras, Facts, NamedSearch, Prior};
use soloist::rollout::NamedRollout;
use soloist::{Problem, Score, Sense};

/// The most numbers that four lists go through in some ten seconds; each further number takes 1.4 times as long.
const PROVABLE: usize = 58;

impl Problem for Differencing {
    type State = Labels;
    type Move = u16;

    fn root(&self) -> Labels {
        self.root.clone()
    }

    fn moves(&self, state: &Labels, moves: &mut Vec<u16>) {
        if !self.finished(state) {
            moves.extend([SPLIT, JOIN]);
        }
    }

    fn apply(&self, state: &mut Labels, mv: u16) {
        self.combine(state, mv);
    }

    fn score(&self, state: &Labels) -> Score {
        Score::Feasible(log2_plus_one(&self.difference(state), self.scale))
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The number of moves made and the move.
    fn code(&self, state: &Labels, mv: u16) -> u64 {
        u64::from(state.depth) << 1 | u64::from(mv)
    }

    fn bound(&self, state: &Labels) -> Option<f64> {
        if self.dominated(state) {
            return Some(log2_plus_one(&self.difference(state), self.scale));
        }
        Some(f64::from(u8::from(self.odd)))
    }

    /// Minus the score of the heuristic completion.
    fn potential(&self, state: &Labels) -> Option<f64> {
        let mut rest = state.clone();
        while rest.len() > 4 && !self.dominated(&rest) {
            self.combine(&mut rest, SPLIT);
        }
        Some(-log2_plus_one(&self.difference(&rest), self.scale))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        let words = if self.is_exact() { 0 } else { self.words };
        Facts {
            code_count: Some(2 * self.count() as u32),
            // Not where large leaves are solved on leading bits.
            is_complete: self.leaf <= 4 || self.is_exact(),
            // The score of the Karmarkar-Karp heuristic.
            reference: self.potential(&self.root).map(|value| -value),
            // 36 bytes a number, and all words where the keys are not exact.
            state_bytes: Some(size_of::<Labels>() + self.count() * (36 + 8 * words)),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Differencing {
    /// Repeated constructions of the generalised birthday, behind a search that can end within seconds where there is
    /// one; where the first state is finished, the tree search that says so.
    fn portfolio(&self) -> Vec<Entrant> {
        if self.is_finished(&self.root) {
            return vec![Entrant::new("dfs").rollout("kk")];
        }
        let is_provable = self.count() <= PROVABLE && self.is_exact();
        let first = is_provable.then(|| Entrant::new("four-lists"));
        first.into_iter().chain([Entrant::new("k-list")]).collect()
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        NamedRollout::list(rollout::INFO, |problem, name| {
            RolloutKind::parse(name).map(|kind| rollout::build(kind, problem))
        })
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        search::searches()
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}

impl Prior<Differencing> for Differencing {
    /// -3 for a join: few of the best partitions' moves are joins.
    fn bias(&self, _state: &Labels, mv: u16) -> f64 {
        if mv == SPLIT { 0.0 } else { -3.0 }
    }
}
