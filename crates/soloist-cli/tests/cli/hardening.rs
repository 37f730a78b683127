//! Surroundings that fail, input from pipes, files that others use, claims that were not checked.

use crate::common::{Done, Folder, command, run};
use serde_json::json;
use std::io::Write;
use std::process::{Output, Stdio};

/// Runs a call with this text on standard input.
fn fed(args: &[&str], text: &str) -> Done {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A call that is refused early closes its input.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    Done::new(child.wait_with_output().unwrap())
}

#[test]
fn a_hyphen_is_standard_input() {
    let file = Folder::new();
    let text = "(a+b+c)^5*(x+y)^3";
    let path = file.write("e.txt", text);
    let call = |name| ["simplify", name, "--playouts", "30", "--quiet", "--emit", "form"];
    let code = |done: Done| done.exits(0).stdout.lines().skip(1).collect::<Vec<_>>().join("\n");
    // The text is read once: the parentheses of a pipe are as good as those of a file.
    assert_eq!(code(fed(&call("-"), text)), code(run(&call(&path))));
    let items = "2 9\n5 4\n6 7\n";
    let result = fed(&["solve", "knapsack", "-", "--playouts", "9", "--json", "--quiet"], items).exits(0).json();
    assert_eq!(result["score"], 6);
    let spec = "problem = \"knapsack\"\ninstances = [\"weak:9x9:1\"]\nbudget = { playouts = 5 }\n[[method]]\nmethod = \"uct\"\n";
    let runs = file.join("runs.jsonl");
    fed(&["bench", "-", "--out", &runs, "--quiet"], spec).exits(0);
}

#[test]
fn functions_that_no_compiler_takes_are_refused() {
    for (language, name) in
        [("c", "int"), ("c", "x"), ("rust", "fn"), ("fortran", "X"), ("fortran", "dp"), ("python", "lambda")]
    {
        let call = ["simplify", "res:2,1", "--emit", language, "--function", name, "--playouts", "5"];
        run(&call).refused(2, "--function");
    }
    for (language, name) in [("rust", "x"), ("python", "x"), ("c", "lambda"), ("form", "int")] {
        run(&["simplify", "res:2,1", "--emit", language, "--function", name, "--playouts", "5"]).exits(0);
    }
}

#[test]
fn numbers_and_lines_stay_within_a_language() {
    let folder = Folder::new();
    let large = folder.write("large.txt", format!("{}*x+y", "9".repeat(400)));
    for language in ["c", "rust", "fortran"] {
        run(&["simplify", &large, "--emit", language, "--playouts", "5", "--quiet"]).refused(1, "400 digits");
    }
    run(&["simplify", &large, "--emit", "python", "--playouts", "5"]).exits(0);
    let wide = folder.write("wide.txt", format!("{}*x*y*z+{}/7*y", "9".repeat(300), "8".repeat(300)));
    let done = run(&["simplify", &wide, "--emit", "fortran", "--playouts", "5"]).exits(0);
    assert!(done.stderr.contains("verified"), "{done:?}");
    let code = done.stdout.lines().filter(|line| !line.starts_with('!'));
    assert!(code.clone().all(|line| line.len() <= 132) && code.clone().any(|line| line.starts_with('&')), "{done:?}");
    run(&["simplify", &folder.write("twice.txt", "x+[a][b]"), "--playouts", "5"]).refused(1, "column 6");
}

#[test]
fn a_checkpoint_belongs_to_one_run() {
    let folder = Folder::new();
    let file = folder.join("run.ckpt");
    // Left by a process that was killed.
    folder.write("run.ckpt.1.tmp", "half");
    let solve = ["solve", "knapsack", "weak:30x100:7", "--method", "uct", "--set", "solver=false", "--quiet"];
    let mut first = command(&[&solve[..], &["--time", "60s", "--checkpoint", &file]].concat());
    let mut first = first.stdout(Stdio::piped()).spawn().unwrap();
    while !std::fs::metadata(&file).is_ok_and(|meta| meta.len() > 0) {
        std::thread::yield_now();
    }
    let resume = || {
        let place = ["--resume", &file, "--checkpoint", &file];
        run(&[&["solve", "knapsack", "weak:30x100:7"], &place[..], &["--playouts", "9", "--quiet"]].concat())
    };
    resume().refused(1, "another run is writing it");
    first.kill().unwrap();
    first.wait().unwrap();
    resume().exits(0);
    assert_eq!(folder.files(), ["run.ckpt"]);
}

#[test]
fn claims_of_bounds_and_optimality_are_looked_at() {
    let folder = Folder::new();
    let file = folder.write("two.kp", "2 9\n5 4\n6 7\n");
    let verdict = |claims: serde_json::Value| {
        let mut result = json!({ "problem": "knapsack", "solution": { "items": [1] } });
        result.as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
        run(&["check", "knapsack", &file, &folder.write("result.json", result.to_string())])
    };
    assert!(!verdict(json!({})).exits(0).stdout.contains("claimed"));
    let far = verdict(json!({ "bound": 11 })).exits(0);
    assert!(far.stdout.contains("bound claimed, confirmed"), "{far:?}");
    // No better than 6, which the problem's bound does not show.
    let near = verdict(json!({ "bound": 6, "optimal": true, "score": 6 })).exits(0);
    assert!(near.stdout.contains("bound claimed, not checked; optimal claimed, not checked"), "{near:?}");
    for (claims, part) in [
        (json!({ "bound": 5 }), "better than the bound 5"),
        (json!({ "bound": 8, "optimal": true }), "optimality claimed, but the bound claimed is 8"),
        (json!({ "bound": "x" }), "`bound` is not a number"),
        (json!({ "optimal": 1 }), "`optimal` is not true or false"),
        (json!({ "infeasible": true }), "infeasibility claimed, but the solution is feasible"),
    ] {
        let done = verdict(claims).exits(1);
        assert!(done.stderr.contains(part), "{done:?}");
    }
    let twice = folder.write("twice.json", r#"{"problem":"knapsack","score":6,"score":7,"solution":{"items":[1]}}"#);
    assert!(run(&["check", "knapsack", &file, &twice]).exits(1).stderr.contains("duplicate field"));
    let many = folder.write("many.json", format!("[{}0]", "0,".repeat(4_000_000)));
    assert!(run(&["check", "knapsack", &file, &many]).exits(1).stderr.contains("more than 4000000 entries"));
}

/// What becomes of a call whose standard output is this file.
#[cfg(unix)]
fn into(path: &str, args: &[&str]) -> Output {
    let sink = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    command(args).stdout(sink).stderr(Stdio::piped()).output().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn full_disks_are_failures_and_closed_pipes_are_none() {
    for args in [&["--help"][..], &["problems"], &["solve", "knapsack", "weak:9x9:1", "--playouts", "5", "--quiet"]] {
        let output = into("/dev/full", args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1, "{args:?}");
    }
    let call = ["solve", "knapsack", "weak:9x9:1", "--playouts", "5", "--quiet", "--events", "/dev/stdout"];
    let mut child = command(&call).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let done = Done::new(child.wait_with_output().unwrap()).exits(0);
    assert!(done.stderr.is_empty(), "{done:?}");
}
