//! Ctrl-C and termination: the first asks the search to stop, the second ends the process.

use crate::failure::Failure;
use crate::output;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised by the first signal.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// Makes a write beyond the limit on the size of files an error like that of a full disk: by default it kills.
#[cfg(unix)]
pub(crate) fn survive_file_limits() {
    // The flag is not read: that there is a handler is enough. Without one, the default remains.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(crate) fn survive_file_limits() {}

/// Takes the signals over. `leftovers` are removed if the process is killed while it writes them.
pub(crate) fn install(quiet: bool, leftovers: Vec<PathBuf>) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::SeqCst) {
            for path in &leftovers {
                let _ = std::fs::remove_file(path);
            }
            std::process::exit(130);
        }
        if !quiet {
            output::note("stopping; once more kills");
        }
    })
    .map_err(|error| Failure::runtime(format!("cannot handle signals: {error}")))
}

/// Asks the search to stop, as the first signal does, and says why.
pub(crate) fn stop(why: &str) {
    if !STOP.swap(true, Ordering::SeqCst) {
        output::note(why);
    }
}
