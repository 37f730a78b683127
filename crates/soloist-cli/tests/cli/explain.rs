//! `soloist explain`, and the parts of scores in results.

use crate::common::{Folder, run};
use serde_json::Value;

#[test]
fn a_conflict_is_named() {
    let call = ["explain", "vrptw", "random:12:7", "--set", "vehicles=1", "--quiet"];
    let done = run(&call).exits(0);
    assert!(done.stdout.contains("constraints cannot hold together; without any one of them there is a solution"));
    assert!(done.stdout.contains("\n  at most 1 vehicle\n"), "{}", done.stdout);
    let json = run(&[&call[..], &["--json"]].concat()).exits(0);
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&found["verdict"], &found["least"], &found["constraints"]),
        (&"conflict".into(), &true.into(), &27.into())
    );
    let conflict = found["conflict"].as_array().unwrap();
    assert_eq!(conflict.len(), done.stdout.lines().filter(|line| line.starts_with("  ")).count());
    let feasible = run(&["explain", "vrptw", "random:12:7", "-q"]).exits(0);
    assert!(feasible.stdout.contains("feasible: a solution satisfies all "), "{}", feasible.stdout);
    run(&["explain", "knapsack", "random:10x100:1"]).refused(1, "knapsack names no constraints of this instance");
}

#[test]
fn decisions_that_cannot_all_stay_are_named() {
    let folder = Folder::new();
    let file = folder.join("begun.json");
    let explained = |moves: &str, more: &[&str]| {
        std::fs::write(&file, moves).unwrap();
        let call = ["explain", "vrptw", "random:12:7", "--set", "vehicles=3", "--time", "60s", "--prefix", &file, "-q"];
        run(&[&call, more].concat())
    };
    let done = explained("[7, 0, 10]", &[]).exits(0);
    let expected = "conflict: 2 of 3 decisions cannot hold together; without any one of them there is a solution\n  \
                    move 0: 7\n  move 1: 0\n";
    assert!(done.stdout.contains(expected), "{}", done.stdout);
    let found: Value = serde_json::from_str(&explained("[7, 0, 10]", &["--json"]).exits(0).stdout).unwrap();
    assert_eq!((&found["decisions"], &found["conflict"][0]), (&3.into(), &"move 0: 7".into()));
    assert!(explained("[8, 0, 1]", &[]).exits(0).stdout.contains("feasible: a solution satisfies all 3 decisions"));
    explained("[]", &[]).refused(1, "there is no move in it");
    explained("[99]", &[]).refused(1, "move 0, 99, is not legal");
    std::fs::write(&file, "[1]").unwrap();
    let hopeless = run(&["explain", "vrptw", "random:6:7", "--set", "vehicles=1", "--prefix", &file, "-q"]).exits(0);
    assert!(hopeless.stdout.contains("there is no feasible solution, whatever is decided"), "{}", hopeless.stdout);
}

#[test]
fn results_have_the_parts_of_their_scores() {
    let folder = Folder::new();
    let out = folder.join("result.json");
    let call =
        ["solve", "samegame", "random:6x6x3:1", "--playouts", "200", "--method", "sampling", "-q", "--out", &out];
    let done = run(&call).exits(0);
    let result: Value = serde_json::from_str(&crate::common::read(&out)).unwrap();
    let parts = result["parts"].as_object().unwrap();
    let sum: f64 = parts.iter().filter(|(name, _)| *name != "tiles left").map(|(_, part)| part.as_f64().unwrap()).sum();
    assert_eq!(Some(sum), result["score"].as_f64());
    let line = done.stdout.lines().find(|line| line.starts_with("parts ")).unwrap();
    assert!(line.contains("groups") && line.contains("tiles left"), "{line}");
    // A page of the run shows them, and an infeasible result names the command that looks for the reason.
    let page = folder.join("page.html");
    run(&["report", &out, "-o", &page, "-q"]).exits(0);
    let page = crate::common::read(&page);
    assert!(line.trim_start_matches("parts").split(',').all(|part| page.contains(part.trim())), "{line}");
    let none = run(&["solve", "vrptw", "random:12:7", "--set", "vehicles=1", "--nodes", "2000", "-q"]).exits(3);
    assert!(
        none.stdout.contains("soloist explain vrptw random:12:7 --set vehicles=1 looks for the reason"),
        "{}",
        none.stdout
    );
    assert!(none.stdout.contains("customers not served"), "{}", none.stdout);
}
