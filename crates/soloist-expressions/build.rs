//! Tells the tests what there is, so that those that need more are counted as ignored: the published instances beside
//! the checkout, and the compilers of the code that is emitted.

use std::path::Path;
use std::process::{Command, Stdio};

/// Names for the tests, and the commands.
const TOOLS: [(&str, &str); 4] =
    [("c_compiler", "cc"), ("cpp_compiler", "g++"), ("fortran_compiler", "gfortran"), ("python", "python3")];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-changed=build.rs");
    if folder.is_dir() {
        println!("cargo::rustc-cfg=shared_data");
        // Only where it is there: Cargo runs the script for every build while a file to watch is missing.
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    println!("cargo::rerun-if-env-changed=PATH");
    for (name, command) in TOOLS {
        println!("cargo::rustc-check-cfg=cfg({name})");
        let version = Command::new(command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if version.is_ok_and(|status| status.success()) {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
