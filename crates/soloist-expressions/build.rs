//! Tells the tests whether the folder of published data is beside the checkout.

#![allow(clippy::print_stdout, reason = "a build script speaks to cargo on standard output")]

use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed={}", folder.display());
    if folder.is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
}
