//! Stacking as a search problem: onto which stack each item goes.

use super::model::Stacking;
use super::stacks::{NONE, Stacks};
use super::{bound, rollout, search};
use soloist::problem::{Entrant, Explain, Extras, Facts, Key, KeyHasher, NamedSearch, Prior};
use soloist::rollout::NamedRollout;
use soloist::{Problem, Score, Sense};
use std::hash::{Hash, Hasher};

/// The number of items up to which an instance without arrivals is small enough for exact search alone.
const PROVABLE: usize = 30;
/// The number of items up to which an instance without arrivals is worth half of the effort for a proof.
const WORTH_A_PROOF: usize = 45;

impl Stacking {
    /// Whether it is block relocation of at most this many items.
    fn is_relocation_of(&self, items: usize) -> bool {
        let arrivals = self.lists.len() > self.due.len();
        self.due.len() <= items && !arrivals
    }

    /// Whether exact search may prove the optimum after seconds.
    pub(crate) fn may_be_proven(&self) -> bool {
        self.is_relocation_of(WORTH_A_PROOF)
    }
}

impl Problem for Stacking {
    type State = Stacks;
    type Move = u16;

    fn root(&self) -> Stacks {
        self.root.clone()
    }

    fn moves(&self, state: &Stacks, moves: &mut Vec<u16>) {
        moves.extend(0..state.choices);
    }

    fn apply(&self, state: &mut Stacks, mv: u16) {
        self.play(state, usize::from(mv), &mut |_| {});
    }

    fn score(&self, state: &Stacks) -> Score {
        if state.left > 0 {
            return Score::Infeasible(f64::from(state.left));
        }
        Score::Feasible(f64::from(state.relocations))
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The item, how often it was put down before, and the rank.
    fn code(&self, state: &Stacks, mv: u16) -> u64 {
        let placed = state.placed.get(usize::from(state.pending)).copied().unwrap_or(0);
        u64::from(state.pending) << 32 | u64::from(placed) << 16 | u64::from(mv)
    }

    fn bound(&self, state: &Stacks) -> Option<f64> {
        Some(f64::from(bound::relocations(self, state)))
    }

    /// Of the stacks as a set: their order does not matter, neither for what happens nor for the ranks. What each item
    /// lies on says which stacks there are. The stack that the item in hand came from holds the target.
    fn key(&self, state: &Stacks) -> Option<Key> {
        const ABSENT: u16 = NONE - 1;
        let mut hash = KeyHasher::new();
        for (below, level) in state.below.chunks(4).zip(state.level.chunks(4)) {
            let places = below.iter().zip(level).map(|(&below, &level)| if level == 0 { ABSENT } else { below });
            hash.write_u64(places.fold(0, |word, place| word << 16 | u64::from(place)));
        }
        (state.date, state.released, state.target, state.pending, &state.queue, state.relocations).hash(&mut hash);
        Some(hash.key())
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts {
            // 12 bytes an item and 6 bytes a stack.
            state_bytes: Some(size_of::<Stacks>() + 12 * self.count() + 6 * self.width()),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Stacking {
    /// Depth-first branch and bound for small block relocation, ranks for all others.
    fn portfolio(&self) -> Vec<Entrant> {
        let is_small = self.is_relocation_of(PROVABLE);
        vec![if is_small { Entrant::new("dfs").rollout("fo") } else { Entrant::new(search::RANKS.name) }]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        NamedRollout::list(rollout::INFO, |_, name| rollout::find(name))
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        vec![NamedSearch::new(search::RANKS, search::search)]
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }

    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }
}

impl Prior<Stacking> for Stacking {
    /// Minus the rank, and no less than -8.
    fn bias(&self, _state: &Stacks, mv: u16) -> f64 {
        -f64::from(mv.min(8))
    }
}
