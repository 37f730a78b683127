//! What the build scripts of Soloist's crates share.

#![forbid(unsafe_code)]

use std::path::Path;

/// Sets `cfg(shared_data)` for the crate whose build script calls this if the published instances lie beside the
/// checkout, in `../shared/data`.
///
/// Tests that read them carry `#[cfg_attr(not(shared_data), ignore = "reads shared/data")]`, so that they are counted
/// as ignored elsewhere.
#[expect(clippy::print_stdout, reason = "so a build script speaks to Cargo")]
pub fn declare_shared_data() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed=build.rs");
    if folder.is_dir() {
        println!("cargo::rustc-cfg=shared_data");
        // Only where it is there: Cargo runs the script for every build while a file to watch is missing.
        println!("cargo::rerun-if-changed={}", folder.display());
    }
}
