//! What a tuning is asked for, and what it is after the checks.

use super::instances::Instances;
use super::space::{Belief, Range, Space};
use crate::race::Race;
use soloist::{Budget, Method};
use soloist_domain::{Domain, Options, RunSpec, Setting};

/// What is tuned, and how.
#[derive(Clone, Debug)]
pub struct TuneSpec {
    /// The problem.
    pub domain: &'static Domain,
    /// A run before the tuning: method, rollout, fixed settings, limits of each run, threads.
    pub run: RunSpec,
    /// Parameters to tune, each with its values.
    pub parameters: Vec<(String, Range)>,
    /// Means to begin with instead of the middle of the range.
    pub start: Vec<Setting>,
    /// Instances to tune on: files, patterns, specs, ranges of seeds.
    pub instances: Vec<String>,
    /// Instances of the final comparison; empty: a quarter of `instances` is held out, at most 50.
    pub validation: Vec<String>,
    /// Seeds of each instance in the final comparison.
    pub validation_seeds: usize,
    /// Settings drawn in each iteration.
    pub samples: usize,
    /// The best of them, to which the distribution moves; `None`: a fifth of the samples, at least 2.
    pub elite: Option<usize>,
    /// Iterations.
    pub iterations: usize,
    /// Fresh instances of each iteration.
    pub batch: usize,
    /// How far the distribution moves to the elite in an iteration, above 0, at most 1.
    pub smoothing: f64,
    /// The test that drops settings within an iteration.
    pub race: Option<Race>,
    /// By how much the scores of two settings on one instance may differ, for Hoeffding's bound; `None`: the largest
    /// difference so far in the iteration.
    pub spread: Option<f64>,
    /// The seed of draws and runs.
    pub seed: u64,
}

impl TuneSpec {
    /// A tuning with the usual numbers: 10 iterations of 30 settings on 10 instances.
    #[must_use]
    pub fn new(
        domain: &'static Domain,
        run: RunSpec,
        instances: Vec<String>,
        parameters: Vec<(String, Range)>,
    ) -> Self {
        Self {
            domain,
            run,
            parameters,
            start: Vec::new(),
            instances,
            validation: Vec::new(),
            validation_seeds: 1,
            samples: 30,
            elite: None,
            iterations: 10,
            batch: 10,
            smoothing: 0.7,
            race: None,
            spread: None,
            seed: 0,
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.run.threads.unwrap_or(1)
    }
}

/// A tuning that was checked.
pub(crate) struct Tuning<'a> {
    pub(super) spec: &'a TuneSpec,
    pub(super) options: Options,
    pub(super) budget: Budget,
    /// The method's name and its parameters before the tuning.
    pub(super) name: String,
    pub(super) method: Method,
    /// The rollout before the tuning.
    pub(super) rollout: Option<String>,
    pub(super) space: Space,
    pub(super) start: Vec<Belief>,
    pub(super) instances: Instances,
    pub(super) elite: usize,
}

impl std::fmt::Debug for Tuning<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tuning").field(&self.name).field(&self.space.dimensions).finish()
    }
}
