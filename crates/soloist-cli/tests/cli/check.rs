//! `soloist check`: own results pass, changed ones do not.

use crate::common::{Done, Folder, command, run, samples};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

#[test]
fn own_results_pass_and_changed_ones_fail() {
    for sample in samples() {
        let folder = Folder::new();
        let call = ["solve", &sample.name, &sample.example, "--playouts", "300", "--json", "--quiet"];
        let done = run(&call);
        let result = done.json();
        if result["feasible"] == false {
            continue;
        }
        let good = folder.write("good.json", &done.stdout);
        let check = |file: &str| run(&["check", &sample.name, &sample.example, file]);
        let said = check(&good).exits(0).stdout;
        assert!(said.starts_with("valid: score ") && said.ends_with("; not checked: how it was found\n"), "{said}");
        let verdict = run(&["check", &sample.name, &sample.example, &good, "--json"]).exits(0).json();
        assert_eq!((&verdict["valid"], &verdict["score"]), (&Value::from(true), &result["score"]));
        assert!(verdict["unchecked"].as_array().unwrap().contains(&json!("seed")), "{verdict}");

        let change = |field: &str, value: Value| {
            let mut changed = result.clone();
            changed[field] = value;
            folder.write("bad.json", changed.to_string())
        };
        let rejected = |file: &str, part: &str| {
            let done = check(file).exits(1);
            assert!(done.stdout.is_empty() && done.stderr.starts_with("invalid: "), "{done:?}");
            assert!(done.stderr.lines().count() == 1 && done.stderr.contains(part), "{done:?}");
        };
        rejected(&change("score", json!(result["score"].as_f64().unwrap() + 1.0)), "");
        rejected(&change("problem", json!("nosuch")), "nosuch");
        rejected(&change("problem", json!(7)), "problem");
        rejected(&change("solution", Value::Null), "");
        rejected(&change("solution", json!({})), "");
        rejected(&change("solution", json!([[]])), "");
        rejected(&folder.write("cut.json", &done.stdout[..done.stdout.len() / 2]), "");
        rejected(&folder.write("garbage", "}{ nonsense"), "");
        let verdict = run(&["check", &sample.name, &sample.example, &folder.join("garbage"), "--json"]).exits(1).json();
        assert_eq!(verdict["valid"], false);
        assert!(verdict["error"].is_string());
    }
}

#[test]
fn solutions_come_from_standard_input_too() {
    let sample = crate::common::sample();
    let done = run(&["solve", &sample.name, &sample.example, "--playouts", "50", "--json", "--quiet"]).exits(0);
    let mut child = command(&["check", &sample.name, &sample.example, "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(done.stdout.as_bytes()).unwrap();
    Done::new(child.wait_with_output().unwrap()).exits(0);
}

#[test]
fn the_options_of_a_result_hold() {
    for sample in samples() {
        for (key, values) in &sample.options {
            let folder = Folder::new();
            let (default, other) = (&values[0], values.last().unwrap());
            let set = format!("{key}={other}");
            let done =
                run(&["solve", &sample.name, &sample.example, "--set", &set, "--playouts", "50", "--json", "--quiet"]);
            if done.code != 0 {
                continue;
            }
            let file = folder.write("r.json", &done.stdout);
            run(&["check", &sample.name, &sample.example, &file]).exits(0);
            run(&["check", &sample.name, &sample.example, &file, "--set", &set]).exits(0);
            run(&["solve", &sample.name, &sample.example, "--playouts", "1", "--out", &file, "--quiet"]);
            let told: Value = serde_json::from_str(&crate::common::read(&file)).unwrap();
            assert_eq!(told["options"][key], default.as_str(), "defaults are told too");
            std::fs::write(&file, &done.stdout).unwrap();
            if default != other {
                let contradiction = format!("{key}={default}");
                run(&["check", &sample.name, &sample.example, &file, "--set", &contradiction])
                    .refused(2, "contradicts");
            }
        }
    }
}

#[test]
fn unreadable_solutions_are_refused() {
    let (sample, folder) = (crate::common::sample(), Folder::new());
    let check = |file: &str| run(&["check", &sample.name, &sample.example, file]);
    check(&folder.join("missing.json")).refused(1, "missing.json: cannot be read");
    check(&folder.join("")).refused(1, "cannot be read");
    check(&folder.write("binary", b"a\nb\xff")).refused(1, "line 2: not UTF-8");
    let large = folder.join("large");
    // Sparse: nothing is written.
    std::fs::File::create(&large).unwrap().set_len((64 << 20) + 1).unwrap();
    check(&large).refused(1, "larger than 64 MiB");
    let file = folder.write("r.json", "{}");
    run(&["check", &sample.name, &folder.join("missing.txt"), &file]).refused(1, "missing.txt");
    run(&["check", &sample.name, &sample.example, &file, "--set", "nosuch=1"])
        .refused(2, "has no options, got `nosuch`");
    run(&["check", "nosuch", &sample.example, &file]).refused(2, "no problem");
    let empty = check(&folder.write("empty", "")).exits(1);
    assert!(empty.stderr.starts_with("invalid: the file is empty") && empty.stderr.lines().count() == 1, "{empty:?}");
}

/// Each solution that is kept is verified by itself: together they are longer than a checker reads.
#[test]
fn many_solutions_are_verified_one_by_one() {
    let folder = Folder::new();
    let file = folder.join("r.json");
    let board = "random:15x15x5:7";
    let call = ["solve", "samegame", board, "--method", "sampling", "--rollout", "random", "--playouts", "3000"];
    run(&[&call[..], &["--keep", "10000", "--quiet", "--out", &file]].concat()).exits(0);
    let text = crate::common::read(&file);
    let mut result: Value = serde_json::from_str(&text).unwrap();
    let others = result["others"].as_array().unwrap().len();
    assert!(text.len() > 4 << 20 && others > 1000, "{} bytes, {others} others", text.len());
    let check = |file: &str| run(&["check", "samegame", board, file]);
    let said = check(&file).exits(0).stdout;
    assert!(said.contains(&format!("; {others} other solutions valid")), "{said}");
    assert_eq!(run(&["check", "samegame", board, &file, "--json"]).exits(0).json()["others"], others);
    run(&["solve", "samegame", board, "--start", &file, "--playouts", "1", "--quiet"]).exits(0);
    let reject = |result: &Value, part: &str| {
        let done = check(&folder.write("bad.json", result.to_string())).exits(1);
        assert!(done.stderr.starts_with("invalid: ") && done.stderr.contains(part), "{done:?}");
    };
    result["others"][6]["score"] = json!(1_000_000);
    reject(&result, "other solution 7: ");
    result["others"] = json!([7]);
    reject(&result, "other solution 1: not an object");
    result["others"] = json!(7);
    reject(&result, "`others` is not a list");
}

/// Warnings of a file stand on standard error, in the result and in its JSON; an option that does not suit a file is a
/// wrong call.
#[test]
fn warnings_and_options_that_do_not_suit() {
    let folder = Folder::new();
    let file = folder.write("counted.txt", "5\n1\n2\n3\n4\n5\n");
    let warning = "warning: the first number, 5, is how many others there are";
    let done = run(&["solve", "partition", &file]).exits(0);
    assert!(done.stderr.contains(warning) && done.stdout.contains(warning), "{done:?}");
    let done = run(&["solve", "partition", &file, "--json", "--quiet"]).exits(0);
    assert!(done.stderr.is_empty() && done.json()["remarks"][0].as_str().unwrap().starts_with(warning), "{done:?}");
    let result = folder.write("r.json", &done.stdout);
    assert!(run(&["check", "partition", &file, &result]).exits(0).stderr.starts_with(warning));
    let verdict = run(&["check", "partition", &file, &result, "--json"]).exits(0).json();
    assert!(verdict["remarks"][0].as_str().unwrap().starts_with(warning));
    for command in ["solve", "explain"] {
        run(&[command, "rich-vrp", "prizes:20:7", "--set", "objective=vehicles"]).refused(2, "--set objective: ");
    }
    // A wrong cost of a solution to start from is said, and does not keep it from being one.
    let file = folder.write(
        "t.vrp",
        "NAME : t\nTYPE : CVRP\nDIMENSION : 3\nCAPACITY : 9\nEDGE_WEIGHT_TYPE : EUC_2D\n\
        NODE_COORD_SECTION\n1 0 0\n2 30 40\n3 0 50\nDEMAND_SECTION\n1 0\n2 4\n3 5\nDEPOT_SECTION\n1\n-1\nEOF\n",
    );
    let start = folder.write("t.sol", "Route #1: 1 2\nCost 120\n");
    let done = run(&["solve", "vrptw", &file, "--start", &start, "--nodes", "100"]).exits(0);
    assert!(done.stderr.contains("t.sol: claims the cost 120, recomputed: 132"), "{done:?}");
}
