//! Says whether the published instances lie beside the checkout, so that tests that read them are ignored where they do
//! not.

use std::path::Path;

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed={}", data.display());
    if data.is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
}
