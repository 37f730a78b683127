//! A program with a problem of its own: the example `stairs`.

use crate::common::Folder;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs the example; it is built beside the command.
fn stairs(args: &[&str]) -> Output {
    let command = assert_cmd::cargo::cargo_bin!("soloist");
    let folder: PathBuf = command.parent().unwrap().join("examples");
    let stairs = folder.join(format!("stairs{}", std::env::consts::EXE_SUFFIX));
    let built = "`cargo test` as a whole, or `cargo build -p soloist-cli --example stairs`, builds the example";
    Command::new(stairs).args(args).output().expect(built)
}

#[test]
fn own_problems_are_solved_and_checked() {
    let folder = Folder::new();
    let (file, bad) = (folder.write("stairs.txt", "30\n"), folder.write("bad.txt", "many\n"));
    let (result, wrong) = (folder.join("result.json"), folder.join("wrong.json"));
    let done = stairs(&["solve", "stairs", &file, "--playouts", "20000", "--quiet", "--json", "--out", &result]);
    assert!(done.status.success(), "{done:?}");
    let mut answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((answer["problem"].as_str(), answer["score"].as_f64()), (Some("stairs"), Some(30.0)), "{answer}");
    let check = |file: &str, answer: &str| stairs(&["check", "stairs", file, answer]);
    let good = check(&file, &result);
    assert!(good.status.success() && good.stdout.starts_with(b"valid: score 30"), "{good:?}");
    answer["score"] = 31.into();
    std::fs::write(&wrong, answer.to_string()).unwrap();
    let refused = check(&file, &wrong);
    assert!(!refused.status.success() && refused.stderr.starts_with(b"invalid: "), "{refused:?}");
    // A list that knows the problem, a start from a result, an error with its place.
    assert!(String::from_utf8(stairs(&["problems"]).stdout).unwrap().contains("stairs"));
    let again = stairs(&["solve", "stairs", &file, "--start", &result, "--playouts", "1", "--quiet", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap()["score"].as_f64(), Some(30.0));
    let refused = stairs(&["solve", "stairs", &bad]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("bad.txt") && message.contains("a number of steps"), "{message}");
    assert_eq!(refused.status.code(), Some(1));
}
