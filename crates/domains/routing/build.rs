//! Tells the tests whether the published instances are beside the checkout.

use std::path::PathBuf;

fn main() {
    let path =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
}
