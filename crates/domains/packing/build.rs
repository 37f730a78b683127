//! Tells the tests whether the folder of published instances is there.

use std::path::Path;

fn main() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed={folder}");
    if Path::new(folder).is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
}
