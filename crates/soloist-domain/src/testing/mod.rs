//! What the tests of several problems share.

mod golden;

pub use golden::check_golden_runs;

use std::path::PathBuf;

/// The folder `name` of published instances and results beside the checkout, if it is there.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: {} is absent", folder.display());
    }
    None
}
