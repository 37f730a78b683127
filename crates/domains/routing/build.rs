//! Tells the tests whether the published instances lie beside the checkout, so that those that read them are counted as
//! ignored where they do not.

use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed=build.rs");
    if folder.is_dir() {
        println!("cargo::rustc-cfg=shared_data");
        // Only where it is there: Cargo runs the script for every build while a file to watch is missing.
        println!("cargo::rerun-if-changed={}", folder.display());
    }
}
