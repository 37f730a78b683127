//! What the tests of several domains share.

mod exhaust;
mod golden;
mod keys;
mod pairs;
pub mod problem;
mod searches;

pub use exhaust::exhaust;
pub use golden::check_golden_runs;
pub use keys::check_keys;
pub use pairs::check_pairs;
pub use searches::check_searches;

use std::path::PathBuf;

/// Returns the folder `name` of published instances and results beside the checkout.
///
/// A test that calls it must be ignored where the folder is absent, by `#[cfg_attr(not(shared_data), ignore = "reads
/// shared/data")]`; the build script of its crate sets `shared_data`.
///
/// # Panics
/// If the folder is absent.
#[must_use]
pub fn published_data(name: &str) -> PathBuf {
    let folder = path_of(name);
    assert!(folder.is_dir(), "{} is absent", folder.display());
    folder
}

/// Returns the folder of [`published_data`] if it is there.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let folder = path_of(name);
    if folder.is_dir() {
        return Some(folder);
    }
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: {} is absent", folder.display());
    }
    None
}

fn path_of(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name)
}
