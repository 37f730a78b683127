//! Scores that stand for two numbers.

use soloist::rollout::{Playout, Rollout, Uniform};
use soloist::{Problem, Rng, Score};
use soloist_domain::Instance;

/// Checks that the [pairs](Instance::pair) of an instance are ordered as the scores that stand for them: those of
/// `games` random games and of `scores`.
///
/// # Panics
/// Where some scores have a pair and others do not, and where the order differs.
pub fn check_pairs<I: Instance>(instance: &I, games: usize, mut scores: Vec<f64>) {
    let problem = instance.problem();
    let mut rng = Rng::new(1);
    for _ in 0..games {
        let (mut state, mut playout) = (problem.root(), Playout::default());
        Uniform.run(problem, &mut state, &mut playout, &mut rng);
        scores.extend(match problem.score(&state) {
            Score::Feasible(value) => Some(value),
            Score::Infeasible(_) => None,
        });
    }
    scores.sort_by(f64::total_cmp);
    let pairs: Vec<_> = scores.iter().map(|&score| instance.pair(score)).collect();
    let is_sound = pairs.iter().all(Option::is_none) || pairs.iter().all(Option::is_some) && pairs.is_sorted();
    assert!(is_sound, "{}: pairs are not ordered as the scores: {scores:?}, {pairs:?}", instance.name());
}
