//! The models, one file each, and their names.

mod balancing;
mod clique;
mod layout;
mod lcs;
mod maxcut;
mod multiknapsack;
mod orienteering;
mod pickup;
mod sop;
mod stacks;
mod sweep;
mod talent;
mod tardiness;

use crate::solve::{Limits, solve};

/// The classes of `didp_classes.py`, then those of `peers.py`; `scenes` is `talent` without merging scenes.
pub(crate) const CLASSES: [&str; 15] = [
    "maxcut",
    "multiknapsack",
    "tardiness",
    "layout",
    "stacks",
    "sweep",
    "balancing",
    "packing",
    "pickup",
    "orienteering",
    "clique",
    "talent",
    "sop",
    "lcs",
    "scenes",
];

/// Solves with the smallest sets that hold the instance: a reader refuses what its sets do not hold.
macro_rules! by_width {
    ($limits:expr, $module:ident, $($argument:expr),*) => {{
        by_width!(@try $limits, $module, ($($argument),*), 1, 2, 4, 8);
        $module::read::<16>($($argument),*).map(|model| solve(model, $limits))
    }};
    (@try $limits:expr, $module:ident, $arguments:tt, $($width:literal),*) => {
        $(by_width!(@one $limits, $module, $arguments, $width);)*
    };
    (@one $limits:expr, $module:ident, ($($argument:expr),*), $width:literal) => {
        if let Ok(model) = $module::read::<$width>($($argument),*) {
            return Ok(solve(model, $limits));
        }
    };
}

/// Returns the line of JSON, or what is wrong.
pub(crate) fn run(class: &str, text: &str, limits: &Limits) -> Result<String, String> {
    match class {
        "maxcut" => by_width!(limits, maxcut, text),
        "multiknapsack" => multiknapsack::read(text).map(|model| solve(model, limits)),
        "tardiness" => by_width!(limits, tardiness, text),
        "layout" => by_width!(limits, layout, text),
        "stacks" => by_width!(limits, stacks, text),
        "sweep" => by_width!(limits, sweep, text),
        "balancing" | "packing" => by_width!(limits, balancing, text),
        "pickup" => by_width!(limits, pickup, text),
        "orienteering" => by_width!(limits, orienteering, text),
        "clique" => by_width!(limits, clique, text),
        "talent" | "scenes" => by_width!(limits, talent, text, class == "talent"),
        "sop" => by_width!(limits, sop, text),
        "lcs" => lcs::read(text).map(|model| solve(model, limits)),
        _ => Err(format!("no class {class:?}; there are {}", CLASSES.join(", "))),
    }
}
