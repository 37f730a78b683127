//! Tests of the tile games through the public interface, in one program: each search is compiled once for each size of
//! board.

mod exact;
mod format;
mod golden;
mod kernel;
mod problem;
mod rollouts;

use std::path::PathBuf;

/// The folder of published boards beside the checkout, if it is there.
#[expect(clippy::print_stderr, reason = "a skipped test has to say so")]
fn published() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/samegame"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is absent", folder.display());
    None
}
