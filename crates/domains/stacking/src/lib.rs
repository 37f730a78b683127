//! Stacking: items come, are stored in stacks and leave on given dates, with as few relocations as possible. The
//! restricted block relocation problem is the case without arrivals: nothing is moved but what lies above the item that
//! leaves next.
//!
//! | | |
//! |---|---|
//! | score | relocations, smaller is better |
//! | file | a header and rows `item release due`, or a block relocation file `stacks items`, `height items...`; see
//! [`parse`] |
//! | specs | `random:10x1000:7`, `relocation:4x6:7`; see [`generate`] |
//! | solution | `{"relocations": 2, "movements": [[TIME, ITEM, FROM, TO], ...]}` in time order; `null` stands for
//! outside |
//!
//! # Rules
//! Dates pass in ascending order. On a date first the items that are due leave, in the order of the number of items
//! above them as the date begins, then of their numbers; each item above the one to leave is put on another stack, one
//! by one from the top: a *relocation* each. Nothing else is ever moved. Then the items released on that date are put
//! onto stacks, the latest due date first, then by number. A stack has at most the height given. What is to be decided
//! is where each item goes.
//!
//! These are the events of the program of L. Rei, "Monte Carlo tree search for combinatorial optimization", thesis,
//! University of Porto, 2018, chapter 5. Because nothing is moved before it is in the way, a best solution of a
//! warehouse that may tidy up in advance can be better.
//!
//! Dates, items and relocations are whole numbers: there is no tolerance.
//!
//! The files divide the work: `format` and `spec` make a [`Yard`], `problem` turns it into the [`Stacking`] that is
//! searched (`stacks` is its state, `bound` its bounds), `rollout` holds its playout policies, `explain` its
//! constraints, `verify` recomputes a
//! solution without the search, `draw` shows it.

#![forbid(unsafe_code)]

mod bound;
mod domain;
mod draw;
mod explain;
mod format;
mod model;
mod problem;
mod rollout;
mod search;
mod spec;
mod stacks;
mod verify;

pub use domain::DOMAIN;
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub use draw::{svg, text};
#[doc(hidden)]
pub use format::{parse, read, write};
pub use model::{Movement, Stacking};
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use stacks::Stacks;
#[doc(hidden)]
pub use verify::check;

/// The most items of an instance.
pub const MAX_ITEMS: usize = 10_000;
/// The most stacks of an instance.
pub const MAX_WIDTH: usize = 1_000;
/// The latest date and the largest number of an item.
pub const MAX_DATE: u64 = 1 << 40;

/// Something to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number.
    pub number: u64,
    /// The date on which it comes; `None`: it is there at the beginning.
    pub release: Option<u64>,
    /// The date on which it leaves, later than the release.
    pub due: u64,
}

/// An instance: stacks, their height, items, and which of them lie where at the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yard {
    name: String,
    width: usize,
    height: usize,
    items: Vec<Item>,
    initial: Vec<Vec<usize>>,
}

impl Yard {
    /// Returns an instance of `width` stacks of at most `height` items; `initial` names the items (by index in `items`)
    /// on the first stacks from the bottom up.
    ///
    /// # Errors
    /// One line: no stack or more than [`MAX_WIDTH`], height 0, more than [`MAX_ITEMS`] items, two with one number, a
    /// due date that is not after the release, dates above [`MAX_DATE`], a layout that does not hold exactly the items
    /// without a release, or is higher or wider than the stacks.
    pub fn new(
        name: String,
        width: usize,
        height: usize,
        items: Vec<Item>,
        mut initial: Vec<Vec<usize>>,
    ) -> Result<Self, String> {
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(format!("{width} stacks, expected 1 to {MAX_WIDTH}"));
        }
        if height == 0 {
            return Err("stacks of height 0, expected at least 1".into());
        }
        if items.len() > MAX_ITEMS {
            return Err(format!("{} items, at most {MAX_ITEMS} are allowed", items.len()));
        }
        let mut numbers: Vec<u64> = items.iter().map(|item| item.number).collect();
        soloist::order::sort(&mut numbers);
        if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("two items have the number {}", pair[0]));
        }
        for item in &items {
            if item.due > MAX_DATE || item.number > MAX_DATE {
                return Err(format!("item {}: number and date are at most {MAX_DATE}", item.number));
            }
            if let Some(release) = item.release.filter(|&release| release >= item.due) {
                let (number, due) = (item.number, item.due);
                return Err(format!("item {number} is released on {release}, expected before its due date {due}"));
            }
        }
        if initial.len() > width {
            return Err(format!("{} stacks lie there at first, there are {width}", initial.len()));
        }
        initial.resize(width, Vec::new());
        let mut placed = vec![false; items.len()];
        for (stack, own) in initial.iter().enumerate() {
            if own.len() > height {
                return Err(format!("stack {stack} holds {} items at first, at most {height} fit", own.len()));
            }
            for &item in own {
                match placed.get_mut(item) {
                    Some(flag) if !*flag && items[item].release.is_none() => *flag = true,
                    _ => return Err(format!("stack {stack} holds an item twice, unknown, or still to be released")),
                }
            }
        }
        if let Some(item) = items.iter().zip(&placed).find(|(item, placed)| item.release.is_none() && !**placed) {
            return Err(format!("item {} has no release and lies nowhere at first", item.0.number));
        }
        Ok(Self { name, width, height, items, initial })
    }

    /// Returns what the file calls the instance.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of stacks.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the most items on a stack.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the items in the order of the file.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the items (by index) that lie on each stack at the beginning, from the bottom up.
    #[must_use]
    pub fn initial(&self) -> &[Vec<usize>] {
        &self.initial
    }

    /// Returns the same instance with stacks of another height.
    ///
    /// # Errors
    /// When what lies there at first does not fit.
    pub fn with_height(self, height: usize) -> Result<Self, String> {
        Self::new(self.name, self.width, height, self.items, self.initial)
    }

    /// Returns the items on the highest stack at the beginning.
    #[must_use]
    pub fn highest(&self) -> usize {
        self.initial.iter().map(Vec::len).max().unwrap_or(0)
    }
}
