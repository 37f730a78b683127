//! Instances as their files say them, and what is minimised.

use crate::fixed_point::{decimals, is_short, power, units};
use crate::network::{Limits, Network, Visit};

/// The most nodes, the depot included: shortest ways between all of them are computed.
pub const MAX_NODES: usize = 801;

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The sum of the matrix entries along the tour: waiting is free.
    Travel,
    /// The time of the return to the depot, waiting included.
    Makespan,
}

/// An instance as its file says it; node 0 is the depot.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Travel times row by row, from the first node to the second; some files include the service at the first. The
    /// diagonal is not used.
    pub matrix: Vec<f64>,
    /// For each node the earliest and the latest start of the visit. The tour begins when the depot opens and ends
    /// before it closes.
    pub windows: Vec<(f64, f64)>,
}

impl Instance {
    /// Returns the number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.windows.len()
    }

    /// Returns the entry from `i` to `j`.
    #[must_use]
    pub fn way(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.windows.len() + j]
    }

    /// Checks what every search relies on.
    ///
    /// # Errors
    /// The first violation and the number of the node that it is about, if it is about one.
    pub fn validate(&self) -> Result<(), (Option<usize>, String)> {
        let n = self.nodes();
        if !(2..=MAX_NODES).contains(&n) {
            return Err((None, format!("{n} nodes, expected 2 to {MAX_NODES}, the depot included")));
        }
        if self.matrix.len() != n * n {
            return Err((None, format!("{} entries of the matrix, expected {n} x {n}", self.matrix.len())));
        }
        match self.windows.iter().position(|(ready, due)| ready > due) {
            Some(at) => {
                let (ready, due) = self.windows[at];
                Err((Some(at), format!("the window of node {at} is reversed: {ready} to {due}")))
            }
            None => Ok(()),
        }
    }

    /// Returns the tables of the searches: one vehicle without a load; whole numbers where the instance is decimal, see
    /// [`rules`](crate::rules).
    #[must_use]
    pub fn network(&self, objective: Objective) -> Network {
        let n = self.nodes();
        let mut matrix = self.matrix.clone();
        (0..n).for_each(|i| matrix[i * n + i] = 0.0);
        let scale = self.scale(&matrix);
        let exact = scale.is_some();
        let scale = scale.unwrap_or(1.0);
        let scaled = |time: f64| if exact { units(time, scale) } else { time };
        matrix.iter_mut().for_each(|way| *way = scaled(*way));
        let visit =
            |&(ready, due): &(f64, f64)| Visit { demand: 0, ready: scaled(ready), due: scaled(due), service: 0.0 };
        let visits: Vec<Visit> = self.windows.iter().map(visit).collect();
        let timed = objective == Objective::Makespan;
        Network::new(&visits, matrix, Limits { capacity: 0, vehicles: 1, scale, metric: false, timed, exact })
    }

    /// Units that make one of the file; `None`: the instance is not decimal.
    fn scale(&self, matrix: &[f64]) -> Option<f64> {
        let times = self.windows.iter().flat_map(|&(ready, due)| [ready, due]).filter(|time| time.is_finite());
        let scale = power(decimals(matrix.iter().copied().chain(times))?);
        let longest = matrix.iter().copied().fold(0.0, f64::max);
        let ready = self.windows.iter().map(|window| window.0).fold(0.0, f64::max);
        is_short(self.nodes(), units(longest, scale) as u128, 0.0, units(ready, scale)).then_some(scale)
    }
}
