//! When a long computation ends early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Asks a long computation to end early: a flag, a moment, both or neither.
///
/// Every phase of a simplification asks at each step and ends with a correct result. A flag that is never set changes
/// no result. A run that ends at a moment is not reproducible.
///
/// ```
/// use soloist_expressions::Stop;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// let flag = AtomicBool::new(false);
/// let stop = Stop::never().or_when(&flag);
/// assert!(!stop.is_set());
/// flag.store(true, Ordering::Relaxed);
/// assert!(stop.is_set());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop<'a> {
    flag: Option<&'a AtomicBool>,
    moment: Option<Instant>,
}

impl<'a> Stop<'a> {
    /// Never asks to end.
    #[must_use]
    pub const fn never() -> Self {
        Self { flag: None, moment: None }
    }

    /// Also asks to end once `flag` is true.
    #[must_use]
    pub const fn or_when(self, flag: &'a AtomicBool) -> Self {
        Self { flag: Some(flag), ..self }
    }

    /// Also asks to end from `moment` on. Of several moments the first one counts.
    #[must_use]
    pub fn or_at(self, moment: Instant) -> Self {
        Self { moment: Some(self.moment.map_or(moment, |other| other.min(moment))), ..self }
    }

    /// Also asks to end when this part of the time until its moment is over, counted from now. Without a moment nothing
    /// changes.
    pub(crate) fn part(self, part: f64) -> Self {
        let Some(moment) = self.moment else { return self };
        let now = Instant::now();
        self.or_at(now + moment.saturating_duration_since(now).mul_f64(part))
    }

    /// Whether the computation is to end. Reads the clock only if a moment was given.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.moment.is_some_and(|moment| Instant::now() >= moment)
    }

    /// The flag, if one was given.
    pub(crate) fn flag(&self) -> Option<&'a AtomicBool> {
        self.flag
    }

    /// The moment, if one was given.
    pub(crate) fn moment(&self) -> Option<Instant> {
        self.moment
    }
}
