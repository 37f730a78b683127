//! The 0/1 knapsack: from items with values and weights, pack the most valuable selection that a capacity allows.
//!
//! | | |
//! |---|---|
//! | score | value packed, larger is better |
//! | file | `.kp`: `n capacity`, then `n` lines `value weight`; see [`parse`] |
//! | specs | `random:100x1000:7`, `weak:100x1000:7`, `strong:100x1000:7`; see [`generate`] |
//! | solution | `{"items": [0, 3], "value": 101, "weight": 42}`, items counted from 0 in the order of the file |
//!
//! The files divide the work: `format` and `spec` make a [`Sack`], `search` turns it into the [`Knapsack`] that is
//! searched, `verify` recomputes a packing without the search, `draw` shows it.

mod draw;
mod format;
mod search;
mod spec;
#[cfg(test)]
mod tests;
mod verify;

pub use format::{parse, read, write};
pub use search::{Choice, Knapsack, Load};
pub use spec::{generate, is_spec};
pub use verify::check;

use crate::{Checked, Domain, Instance, InstanceError, Options, Shipped};
use serde_json::{Value, json};
use soloist::Method;
use soloist::search::Nmcs;

/// The most items that are read or generated.
pub const MAX_ITEMS: usize = 1_000_000;
/// The largest sum of all values and of all weights, 2^53: up to it every score is exact.
pub const MAX_SUM: u64 = 1 << 53;

/// Something to pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is worth.
    pub value: u64,
    /// How much of the capacity it takes.
    pub weight: u64,
}

/// An instance: items in the order of their file, and a capacity. Sums are known to be at most [`MAX_SUM`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sack {
    capacity: u64,
    items: Vec<Item>,
}

impl Sack {
    /// An instance of at most [`MAX_ITEMS`] items.
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

    /// The weight that may be packed.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The items, in the order of the file.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }
}

/// The domain as the command line knows it.
pub(crate) const DOMAIN: Domain = Domain {
    name: "knapsack",
    summary: "pack the most valuable items that a capacity allows (0/1 knapsack)",
    score: "value packed; larger is better",
    instance: "a .kp file (`n capacity`, then `value weight` per line) or a spec: random:100x1000:7 (items x largest weight : \
               seed; values independent of weights), weak:100x1000:7 (values near the weights), strong:100x1000:7 (values = weights + a tenth \
               of the largest)",
    example: "random:100x1000:7",
    options: &[],
    load,
    generate: |spec| generate(spec).map(|sack| write(&sack, spec)),
};

/// An instance with its name and its search problem.
struct Loaded {
    name: String,
    sack: Sack,
    problem: Knapsack,
}

fn load(instance: &str, _options: &Options) -> Result<Box<dyn Instance>, InstanceError> {
    let (name, sack) = if is_spec(instance) {
        (instance.to_owned(), generate(instance)?)
    } else {
        (instance.to_owned(), read(instance)?)
    };
    let problem = Knapsack::new(&sack);
    Ok(Box::new(Loaded { name, sack, problem }))
}

impl Shipped for Loaded {
    type Problem = Knapsack;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("{} items, capacity {}", self.sack.items.len(), self.sack.capacity)
    }

    fn problem(&self) -> &Knapsack {
        &self.problem
    }

    /// Nested search of level 2: within a second it solves what NRPA solves of the benchmark files, and it stays near
    /// the bound where NRPA does not: with thousands of items.
    fn default_method(&self) -> Method {
        Method::Nmcs(Nmcs { level: 2, ..Nmcs::default() })
    }

    fn solution(&self, moves: &[Choice]) -> Value {
        let items = self.problem.packed(moves);
        let sum = |pick: fn(&Item) -> u64| items.iter().map(|&item| pick(&self.sack.items[item as usize])).sum::<u64>();
        json!({ "items": items, "value": sum(|item| item.value), "weight": sum(|item| item.weight) })
    }

    /// Each decision as `[item, 1 for taken or 0 for skipped]`.
    fn moves(&self, moves: &[Choice]) -> Value {
        moves.iter().map(|mv| json!([mv.item, u8::from(mv.take)])).collect()
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.sack, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.sack, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.sack, solution)
    }
}
