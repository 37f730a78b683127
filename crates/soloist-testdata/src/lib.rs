//! What the build scripts and the tests of Soloist's crates share.

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

/// Compares what golden runs have found with the lines of the file at `path`.
///
/// With the environment variable `SOLOIST_GOLDEN=write` the file is replaced first.
///
/// # Panics
/// If they differ, with the first line that does, or if the file cannot be read or written.
pub fn check_golden(path: &str, found: &str) {
    if std::env::var_os("SOLOIST_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(path, found).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    // A checkout may have other line ends.
    let golden = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}")).replace('\r', "");
    for (found, expected) in found.lines().zip(golden.lines()) {
        assert_eq!(found, expected, "left: this build, right: {path}");
    }
    assert_eq!(found.lines().count(), golden.lines().count(), "lines of {path}");
}

/// Bytes of a checkpoint before its body.
pub const HEAD: usize = 28;

/// Returns a checkpoint whose byte `at` is changed by `flip` and whose checksum was computed afterwards.
///
/// # Panics
/// If `at` is not a byte of the body: from [`HEAD`] to the checksum of four bytes.
#[must_use]
pub fn resealed(checkpoint: &[u8], at: usize, flip: u8) -> Vec<u8> {
    let end = checkpoint.len() - 4;
    assert!((HEAD..end).contains(&at), "byte {at} is not in the body");
    let mut bytes = checkpoint.to_vec();
    bytes[at] ^= flip;
    let crc = crc32fast::hash(&bytes[HEAD..end]);
    bytes[end..].copy_from_slice(&crc.to_le_bytes());
    bytes
}
