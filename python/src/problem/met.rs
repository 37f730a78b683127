//! Whether states are their own keys: equal states that were met.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// How states without a function `key` are compared.
#[derive(Debug, Default)]
pub(super) struct OwnKeys {
    /// Found out when the first key is asked for.
    pub(super) met: OnceLock<Met>,
    /// Nothing is compared: what a problem has written is checked.
    pub(super) is_off: AtomicBool,
}

/// States that were met from a random game on, and how many of them were met before by other moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Met {
    pub(crate) states: usize,
    pub(crate) again: usize,
    /// Whether states are compared by value, and equal ones list equal moves.
    pub(super) are_comparable: bool,
}

impl Met {
    /// Keys are worth their time where one of so many states is met again.
    const RARE: usize = 50;

    /// Whether equal states are met often enough for keys.
    pub(crate) fn is_often(self) -> bool {
        self.again * Self::RARE >= self.states.max(1)
    }

    /// Whether states are their own keys.
    pub(crate) fn are_keys(self) -> bool {
        self.are_comparable && self.is_often()
    }
}
