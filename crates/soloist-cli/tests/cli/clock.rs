//! The clock of comparisons: what waits for a limit takes nothing from the search.

use crate::common::{Done, Folder, command};
use std::process::Command;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../comparisons/cpuclock.c");
const COUNTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/clock/counted.c");
const WAITING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/clock/waiting.c");

/// Compiles C code; `None` without a compiler.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn compiled(folder: &Folder, source: &str, name: &str, flags: &[&str]) -> Option<String> {
    let file = folder.join(name);
    let Ok(done) = Command::new("cc").args(["-O2", "-Wall", "-Werror", "-o", &file, source]).args(flags).output()
    else {
        eprintln!("skipped: no C compiler");
        return None;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(file)
}

fn library(folder: &Folder, source: &str, name: &str) -> Option<String> {
    compiled(folder, source, name, &["-shared", "-fPIC", "-ldl"])
}

/// What a run with a limit of time makes is what it makes without the clock, because its seconds are the search's: no
/// wait for the limit has a deadline in the past, and the threads that wait have next to none of the processor time.
#[test]
fn seconds_belong_to_the_search() {
    let folder = Folder::new();
    let Some(clock) = library(&folder, SOURCE, "cpuclock.so") else { return };
    let Some(counted) = library(&folder, COUNTED, "counted.so") else { return };
    let call = ["solve", "samegame", "random:15x15x5:7", "--time", "0.5", "--seed", "1", "--json", "--quiet"];
    let done = command(&call).env("LD_PRELOAD", format!("{clock} {counted}")).output().unwrap();
    let done = Done::new(done).exits(0);
    assert!(done.json()["playouts"].as_u64().unwrap() > 0);
    let counts: Vec<i64> = done.stderr.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let &[waits, past, waiters, whole] = &counts[..] else { panic!("{done:?}") };
    assert!(waits > 0, "nothing waits for the limit any more: {done:?}");
    // One of them may be interrupted for a millisecond between the look at the clock and the call.
    assert!(past <= 1 + waits / 10, "{past} of {waits} waits have a deadline in the past");
    assert!(20 * waiters <= whole, "{waiters} of {whole} ns for waiting");
}

/// Rust, C++ and Python wait in these ways.
#[test]
fn no_way_of_waiting_spins() {
    let folder = Folder::new();
    let Some(clock) = library(&folder, SOURCE, "cpuclock.so") else { return };
    let Some(waiting) = compiled(&folder, WAITING, "waiting", &["-pthread"]) else { return };
    let done = Command::new(waiting).env("LD_PRELOAD", &clock).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}
