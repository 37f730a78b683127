//! The tree search of the founding papers on orders, for studies of its exploration constant.

use crate::problem::Orders;
use crate::verify::recount;
use soloist::run::StopReason;
use soloist::search::{Cooling, Uct};
use soloist::{Budget, Method, Solver};
use std::sync::atomic::AtomicBool;

/// UCT or SA-UCT as Ruijl et al. run it: one tree, no branch is ever closed, no repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSearch {
    /// The exploration constant Cp.
    pub cp: f64,
    /// The number of updates of the tree: playouts.
    pub updates: u64,
    /// Whether Cp falls linearly to 0 (SA-UCT) or stays (UCT).
    pub cooled: bool,
}

/// Runs a tree search with `seed` and returns the operations of the best order; `None` if `stop` ended it. With
/// `recounted`, the operations are also counted from the terms and compared.
///
/// # Errors
/// One line: a search that the engine refuses, no order, or a count that differs.
pub fn tree_search(
    problem: &Orders,
    search: TreeSearch,
    seed: u64,
    recounted: bool,
    stop: &AtomicBool,
) -> Result<Option<u64>, String> {
    let cooling = if search.cooled { Cooling::Linear } else { Cooling::None };
    let method = Method::Uct(Uct::cooled(search.cp, search.updates, cooling));
    let solver = Solver::new(problem, method).seed(seed).stop_flag(stop).budget(Budget::playouts(search.updates));
    let outcome = solver.run().map_err(|error| error.to_string())?;
    if outcome.stop == StopReason::Interrupted {
        return Ok(None);
    }
    let best = outcome.best.ok_or("no order found")?;
    let operations = best.score.value().ok_or("no order found")? as u64;
    if recounted {
        let counts = recount(problem.system(), &problem.order(&best.moves), problem.signs()).counts();
        if counts.total() != operations {
            return Err(format!("{operations} operations claimed, {} recounted from the terms", counts.total()));
        }
    }
    Ok(Some(operations))
}
