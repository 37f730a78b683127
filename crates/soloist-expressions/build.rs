//! Says what the tests can use: the published instances beside the checkout, and the compilers of the code that is
//! emitted. Tests that need more are counted as ignored.

use std::process::{Command, Stdio};

/// Names for the tests, and the commands.
const TOOLS: [(&str, &str); 4] =
    [("c_compiler", "cc"), ("cpp_compiler", "g++"), ("fortran_compiler", "gfortran"), ("python", "python3")];

fn main() {
    soloist_testdata::declare_shared_data();
    println!("cargo::rerun-if-env-changed=PATH");
    for (name, command) in TOOLS {
        println!("cargo::rustc-check-cfg=cfg({name})");
        let version = Command::new(command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if version.is_ok_and(|status| status.success()) {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
