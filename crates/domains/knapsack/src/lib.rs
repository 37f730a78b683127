//! The 0/1 knapsack: from items with values and weights, pack the most valuable selection that a capacity allows.
//!
//! | | |
//! |---|---|
//! | score | value packed, larger is better |
//! | file | `.kp`: `n capacity`, then `n` lines `value weight`; see [`parse`] |
//! | specs | `random:100x1000:7`, `weak:100x1000:7`, `strong:100x1000:7` and five further kinds; see [`generate`] |
//! | solution | `{"items": [0, 3], "value": 101, "weight": 42}`, items counted from 0 in the order of the file |
//!
//! Values, weights and their sums are whole numbers up to 2^53, which scores hold exactly: there is no tolerance.
//!
//! The files divide the work: `format` and `spec` make a [`Sack`], `problem` turns it into the [`Knapsack`] that is
//! searched, `extras` names what suits it, `search`, `plan`, `growth` and `states` are its own exact search, `verify`
//! recomputes a packing without a search, `draw` shows it.

#![forbid(unsafe_code)]

mod domain;
mod draw;
mod extras;
mod format;
mod growth;
mod plan;
mod problem;
mod search;
mod spec;
mod states;
mod verify;

pub use domain::DOMAIN;
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub use draw::{svg, text};
#[doc(hidden)]
pub use format::{parse, read, write};
pub use problem::{Choice, Knapsack, Load};
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use verify::check;

/// The most items that are read or generated.
pub const MAX_ITEMS: usize = 1_000_000;
/// The largest sum of all values and of all weights, 2^53: up to it every score is exact.
pub const MAX_SUM: u64 = 1 << 53;

/// Something to pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The value added when it is packed.
    pub value: u64,
    /// The capacity that it uses.
    pub weight: u64,
}

/// An instance: items in the order of their file, and a capacity. Sums are known to be at most [`MAX_SUM`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sack {
    capacity: u64,
    items: Vec<Item>,
}

impl Sack {
    /// Returns an instance of at most [`MAX_ITEMS`] items.
    ///
    /// # Errors
    /// One line: too many items, or values, weights or a capacity above [`MAX_SUM`].
    pub fn new(capacity: u64, items: Vec<Item>) -> Result<Self, String> {
        if items.len() > MAX_ITEMS {
            return Err(format!("{} items, at most {MAX_ITEMS} are allowed", items.len()));
        }
        for (name, pick) in [("values", (|item| item.value) as fn(&Item) -> u64), ("weights", |item| item.weight)] {
            let sum = items.iter().try_fold(0_u64, |sum, item| sum.checked_add(pick(item)));
            if sum.is_none_or(|sum| sum > MAX_SUM) {
                return Err(format!("the {name} add up to more than {MAX_SUM}"));
            }
        }
        if capacity > MAX_SUM {
            return Err(format!("capacity {capacity}, at most {MAX_SUM} is allowed"));
        }
        Ok(Self { capacity, items })
    }

    /// Returns the weight that may be packed.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the items, in the order of the file.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }
}
