//! Playout policies by name.

use super::{Biased, NamedRollout, Rollout, RolloutInfo, Uniform};
use crate::problem::Problem;

/// Returns the policy that `name` selects on `problem`: one of the domain's, `random`, or
/// `bias` where the problem has a [`Prior`](crate::problem::Prior).
///
/// # Errors
/// The names that exist, when `name` is unknown.
pub fn find_rollout<P: Problem>(problem: &P, name: &str) -> Result<Box<dyn Rollout<P>>, Vec<&'static str>> {
    let named = problem.extras().rollouts();
    if let Some(rollout) = named.iter().find_map(|rollout| rollout.make(problem, name)) {
        return Ok(rollout);
    }
    if name == "random" {
        return Ok(Box::new(Uniform));
    }
    if name == BIAS.name && problem.prior().is_some() {
        return Ok(Box::new(Biased::new(problem.sense())));
    }
    Err(rollout_infos(problem).iter().map(|info| info.name).collect())
}

/// What every problem can play by, and what a problem with a [`Prior`](crate::problem::Prior) can.
const RANDOM: RolloutInfo = RolloutInfo { name: "random", help: "uniform over the legal moves" };
const BIAS: RolloutInfo =
    RolloutInfo { name: "bias", help: "by the bias of the moves, at a steepness that is learned" };

/// Lists the playout policies of a problem: its own, the first one first, then `random`, and `bias` where it has a
/// [`Prior`](crate::problem::Prior). [`find_rollout`] makes them.
pub fn rollout_infos<P: Problem>(problem: &P) -> Vec<RolloutInfo> {
    let mut all: Vec<RolloutInfo> = problem.extras().rollouts().iter().map(NamedRollout::info).collect();
    for general in [Some(RANDOM), problem.prior().map(|_| BIAS)].into_iter().flatten() {
        if all.iter().all(|info| info.name != general.name) {
            all.push(general);
        }
    }
    all
}
