//! A run's setting as one value.

use crate::search::Auto;
use crate::{Method, ParameterError, Preset};
use serde::{Deserialize, Serialize};

/// The setting of a run, without its problem and its budget: plain data, stored in checkpoints and results.
///
/// ```
/// use soloist::{Method, Setup};
/// let mut setup = Setup::preset("nrpa").unwrap().seed(7).threads(2);
/// setup.method.set("level", "3").unwrap();
/// assert_eq!(setup.preset, "nrpa");
/// // A method alone is a setup with seed 0 and one thread.
/// assert_eq!(Setup::from(setup.method).preset, "nrpa");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The name of the [preset](Method::presets) that the method was made from.
    pub preset: String,
    /// The method with all its parameters.
    pub method: Method,
    /// The name of the playout policy. `None`: the problem's first one.
    pub rollout: Option<String>,
    /// The seed of all random draws.
    pub seed: u64,
    /// The number of streams, each on a separate thread: 1 to [`MOST_THREADS`](Self::MOST_THREADS).
    pub threads: usize,
}

impl Setup {
    /// The largest number of streams of a run.
    pub const MOST_THREADS: usize = 4096;

    /// Returns the preset of that name, with seed 0, one thread and the problem's first rollout.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Preset::find(name).map(Self::from)
    }

    /// Sets the seed of all random draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of streams, each on a separate thread.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the playout policy by name.
    #[must_use]
    pub fn rollout(mut self, name: impl Into<String>) -> Self {
        self.rollout = Some(name.into());
        self
    }

    /// Sets a parameter of the method from text.
    ///
    /// # Errors
    /// When the name is unknown or the value out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        self.method.set(name, value)
    }
}

impl Default for Setup {
    /// Returns the portfolio `auto`, for problems of which nothing is known.
    fn default() -> Self {
        Self::from(Method::Auto(Auto::default()))
    }
}

impl From<&Preset> for Setup {
    fn from(preset: &Preset) -> Self {
        Self { preset: preset.name.to_owned(), ..Self::from(preset.method()) }
    }
}

impl From<Method> for Setup {
    /// Returns a setup with the name of the method's family.
    fn from(method: Method) -> Self {
        Self { preset: method.family().to_owned(), method, rollout: None, seed: 0, threads: 1 }
    }
}
