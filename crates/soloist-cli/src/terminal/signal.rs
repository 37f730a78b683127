//! Ctrl-C and termination: the first asks the search to stop, the second ends the process.

use super::output;
use soloist_study::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised by the first signal.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// Turns a write beyond the limit on file sizes into an error, as for a full disk; by default the signal kills.
#[cfg(unix)]
pub(crate) fn survive_file_limits() {
    // The flag is not read: that there is a handler is enough. Without one, the default remains.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(crate) fn survive_file_limits() {}

/// Handles the signals. The second one removes temporary files and ends the process.
pub(crate) fn install(quiet: bool) -> Result<(), Failure> {
    on_signal(move || {
        if STOP.swap(true, Ordering::SeqCst) {
            soloist::run::file::remove_temporaries();
            std::process::exit(130);
        }
        if !quiet {
            output::note("stopping; once more kills");
        }
    })
    .map_err(|error| Failure::runtime(format!("cannot handle signals: {error}")))
}

/// Calls `heard` for each signal that asks the process to end, but for those that were ignored when the program
/// started: `nohup` and the job control of shells ask for that. Schedulers announce the end of a job by SIGUSR1.
#[cfg(unix)]
fn on_signal(mut heard: impl FnMut() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    let ignored = ignored();
    let heeded = [SIGINT, SIGTERM, SIGHUP, SIGUSR1].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(heeded)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || signals.forever().for_each(|_| heard()))?;
    Ok(())
}

/// The signals that are ignored, one bit for each from signal 1 on. Only Linux shows them to safe code; 0 elsewhere.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn on_signal(heard: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(heard)
}

/// Asks the search to stop, as the first signal does, and says why.
pub(crate) fn stop(why: &str) {
    if !STOP.swap(true, Ordering::SeqCst) {
        output::note(why);
    }
}
