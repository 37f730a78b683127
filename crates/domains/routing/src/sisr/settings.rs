//! How large ruins are, and how recreations choose.

/// The parameters of ruin and recreation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SisrSettings {
    /// Customers removed a step, on average.
    pub removed: f64,
    /// The longest string removed.
    pub longest: usize,
    /// Chance that a string is removed around customers that stay.
    pub split: f64,
    /// Chance that the number of those that stay grows by one, and again.
    pub keep: f64,
    /// Chance that a position is overlooked.
    pub blink: f64,
    /// Exchanges between likely neighbours that are tried behind each ruin and recreation, in a single route and in
    /// long routes of many customers.
    pub exchanges: u32,
}

impl Default for SisrSettings {
    /// The values of the paper.
    fn default() -> Self {
        Self { removed: 10.0, longest: 10, split: 0.5, keep: 0.01, blink: 0.01, exchanges: 0 }
    }
}

impl SisrSettings {
    /// Larger ruins, more blinks: shorter routes on instances with time windows.
    #[must_use]
    pub fn tuned() -> Self {
        Self { removed: 15.0, longest: 20, split: 0.5, keep: 0.01, blink: 0.05, exchanges: 0 }
    }
}
