//! Where progress goes: a bar, lines or nothing.

use super::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Time between plain lines of progress.
pub(crate) const LINE: Duration = Duration::from_secs(5);

/// Where progress goes.
#[derive(Debug)]
pub(crate) enum Kind {
    Quiet,
    Lines,
    Bar(ProgressBar),
}

impl Kind {
    /// A bar of `steps` on a terminal, by the `template` of indicatif; lines elsewhere; nothing if `quiet`.
    pub(crate) fn new(quiet: bool, steps: u64, template: &str) -> Self {
        if quiet {
            Self::Quiet
        } else if output::is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template(template).expect("a fixed template").progress_chars("=> "));
            Self::Bar(bar)
        } else {
            Self::Lines
        }
    }

    /// Removes the live line.
    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }

    /// Prints a line above the live line, even if quiet.
    pub(crate) fn note(&self, line: &str) {
        match self {
            Self::Bar(bar) => bar.suspend(|| output::note(line)),
            Self::Quiet | Self::Lines => output::note(line),
        }
    }
}
