//! Counts as people read them.

use crate::algebra::System;

/// The calls and divisions of a system, as they follow its operations: `" + 2 calls + 1 division"`. Empty without any.
#[must_use]
pub fn calls_text(system: &System) -> String {
    let (calls, divisions) = system.call_counts();
    let count = |count: usize, one: &str| match count {
        0 => String::new(),
        1 => format!(" + 1 {one}"),
        _ => format!(" + {count} {one}s"),
    };
    count(calls, "call") + &count(divisions, "division")
}
