//! The only place that writes to standard output and standard error.

use anstream::ColorChoice;
use soloist_study::Failure;
use soloist_study::text::one_line;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Sets whether to colour, for everything printed from now on.
pub(crate) fn set_color(choice: ColorChoice) {
    choice.write_global();
}

/// Whether standard error shows colours.
pub(crate) fn colored() -> bool {
    !matches!(anstream::AutoStream::choice(&io::stderr()), ColorChoice::Never)
}

/// Whether standard error is a terminal that can redraw a line.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes a result. A reader that has gone (`soloist ... | head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::runtime(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes help with its colours where they are wanted, to standard error if the call was wrong.
pub(crate) fn help(text: &str, is_error: bool) -> Result<(), Failure> {
    if is_error {
        let _ = write!(anstream::stderr().lock(), "{text}");
        return Ok(());
    }
    let mut stdout = anstream::stdout().lock();
    match write!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::runtime(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one line for people; a closed standard error is no reason to stop.
pub(crate) fn note(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", one_line(line));
}

/// Writes a line that may hold colours of ours and no foreign text.
pub(crate) fn painted(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Writes the one line of a failure.
pub(crate) fn error(message: &str) {
    let _ = writeln!(anstream::stderr().lock(), "\x1b[1;31merror:\x1b[0m {}", one_line(message));
}
