//! Playout policies: the flexibility heuristic.

use super::model::Stacking;
use super::stacks::Stacks;
use soloist::Rng;
use soloist::rollout::{Playout, Rollout, RolloutInfo};

/// What [`soloist::problem::Extras::rollouts`] lists.
pub(crate) const INFO: &[RolloutInfo] = &[
    RolloutInfo {
        name: "fo",
        help: "the flexibility heuristic: the best stack, ties at random; cut off at relocations + inversions",
    },
    RolloutInfo { name: "random", help: "every stack alike" },
];

/// Returns the policy of that name.
pub(crate) fn find(name: &str) -> Option<Box<dyn Rollout<Stacking>>> {
    match name {
        "fo" => Some(Box::new(Flexible)),
        _ => None,
    }
}

/// The flexibility heuristic with random ties. Under a learned policy it is the same as `random`.
#[derive(Clone, Copy, Debug)]
struct Flexible;

impl Rollout<Stacking> for Flexible {
    /// With a value to beat, stops when relocations and inversions are as many (the cut-off of the thesis).
    fn run(&mut self, problem: &Stacking, state: &mut Stacks, playout: &mut Playout<u16>, rng: &mut Rng) {
        let most = playout.to_beat().unwrap_or(f64::INFINITY);
        while state.choices > 0 {
            if playout.moves.len().is_multiple_of(EVERY) && playout.gives_up() {
                return;
            }
            if f64::from(state.relocations + state.inversions) >= most {
                return playout.cut_off();
            }
            let ties = problem.ties(state);
            let rank = if ties > 1 { rng.index(ties) } else { 0 };
            playout.moves.push(rank as u16);
            problem.play(state, rank, &mut |_| {});
        }
    }
}

/// Moves between two looks at the limits of the run.
const EVERY: usize = 8;
