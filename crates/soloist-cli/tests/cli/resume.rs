//! Checkpoints: a search in parts is the search at once, and damaged files are refused.

use crate::common::{Folder, run, sample, samples, solve};
use serde_json::Value;

#[test]
fn two_parts_are_one_run() {
    let presets = run(&["methods", "--json"]).json();
    for sample in samples() {
        for preset in presets.as_array().unwrap() {
            // A search of a problem's own runs on that alone; those of `partition` do not end by these playouts.
            let own = preset["problems"].as_array();
            if own.is_some_and(|own| sample.name == "partition" || !own.contains(&sample.name.as_str().into())) {
                continue;
            }
            let (folder, name) = (Folder::new(), preset["name"].as_str().unwrap());
            let file = folder.join("run.ckpt");
            // A search that goes layer by layer finishes no playout for long.
            let mut base = vec!["--method", name, "--seed", "9", "--threads", "2", "--nodes", "20k"];
            if name == "anneal" {
                // Without `steps` it cools over the budget, and a shorter budget is another run.
                base.extend(["--set", "steps=60"]);
            }
            if name == "auto" {
                // As for `anneal`.
                base.extend(["--set", "first=3000"]);
            }
            let whole = solve(&sample, &[&base[..], &["--playouts", "500"]].concat());
            solve(&sample, &[&base[..], &["--playouts", "200", "--checkpoint", &file]].concat());
            let saved = std::fs::read(&file).unwrap();
            let rest = solve(&sample, &["--playouts", "500", "--nodes", "20k", "--resume", &file]);
            let (rest, whole) = (settled(rest), settled(whole));
            assert_eq!(rest, whole, "{} by {name}", sample.name);
            assert_eq!(std::fs::read(&file).unwrap(), saved, "--resume alone must not write");
            // Repeating what the checkpoint says is fine; the file may be continued in place.
            let again =
                solve(&sample, &[&base[..], &["--playouts", "500", "--resume", &file, "--checkpoint", &file]].concat());
            assert_eq!(settled(again), whole, "{} by {name}", sample.name);
            assert!(whole["stop"] == "bound" || std::fs::read(&file).unwrap() != saved);
            assert_eq!(folder.files(), ["run.ckpt"]);
        }
    }
}

/// A result without the effort, where one stream has ended the run at the bound: how far the others came by then
/// depends on their schedule. So it does where a method of `auto` that makes no playouts has proven the optimum.
fn settled(mut result: Value) -> Value {
    if result["stop"] == "bound" || result["method"] == "auto" && result["stop"] == "exhausted" {
        result["playouts"] = Value::Null;
        result["nodes"] = Value::Null;
        result["tree"] = Value::Null;
    }
    result
}

#[test]
fn checkpoints_along_the_way_change_nothing() {
    let (sample, folder) = (sample(), Folder::new());
    let args = ["--method", "sampling", "--playouts", "200k"];
    let whole = solve(&sample, &args);
    let file = folder.join("run.ckpt");
    let parts = solve(&sample, &[&args[..], &["--checkpoint", &file, "--checkpoint-every", "1ms"]].concat());
    assert_eq!(parts, whole);
}

#[test]
fn contradictions_are_refused() {
    let (sample, folder) = (sample(), Folder::new());
    let file = folder.join("run.ckpt");
    let settings = ["--method", "nrpa", "--set", "level=2", "--set", "iterations=9", "--seed", "4", "--threads", "2"];
    let whole = solve(&sample, &[&settings[..], &["--rollout", "random", "--playouts", "60"]].concat());
    let first = ["--rollout", "random", "--playouts", "30", "--checkpoint", &file];
    solve(&sample, &[&settings[..], &first[..]].concat());
    let resume = |args: &[&str]| {
        run(&[
            &["solve", &sample.name, &sample.example, "--playouts", "60", "--quiet", "--json", "--resume", &file],
            args,
        ]
        .concat())
    };
    let contradictions: [&[&str]; 8] = [
        &["--method", "uct"],
        &["--set", "level=3"],
        &["--method", "nrpa", "--set", "iterations=10"],
        &["--seed", "5"],
        &["--seed", "0"],
        &["--threads", "1"],
        &["--rollout", "nosuch"],
        &["--keep", "2"],
    ];
    for args in contradictions {
        resume(args).refused(2, "contradicts the checkpoint");
    }
    resume(&["--set", "nosuch=1"]).refused(2, "no setting `nosuch`");
    for args in
        [&["--method", "nrpa"][..], &["--set", "level=2"], &["--rollout", "random"], &["--keep", "1"], &settings[..]]
    {
        assert_eq!(crate::common::without_seconds(resume(args).exits(0).json()), whole, "{args:?}");
    }
}

#[test]
fn as_many_solutions_are_kept_as_before() {
    let folder = Folder::new();
    let file = folder.join("run.ckpt");
    let solve = |more: &[&str]| run(&[&["solve", "knapsack", "weak:30x100:7", "--quiet", "--json"], more].concat());
    solve(&["--method", "sampling", "--keep", "3", "--playouts", "500", "--checkpoint", &file]).exits(0);
    let resume = |more: &[&str]| solve(&[&["--playouts", "600", "--resume", &file], more].concat());
    for keep in ["1", "2", "4"] {
        resume(&["--keep", keep]).refused(2, &format!("--keep {keep} contradicts the checkpoint, which has 3"));
    }
    let same = resume(&["--keep", "3"]).exits(0).json();
    assert_eq!(same["others"].as_array().unwrap().len(), 2);
    let without_time = crate::common::without_seconds;
    assert_eq!(without_time(resume(&[]).exits(0).json()), without_time(same));
}

#[test]
fn a_resumed_search_says_why_it_does_nothing() {
    let folder = Folder::new();
    let saved = |name: &str, method: &str, limit: &[&str]| {
        let file = folder.join(name);
        let call = ["solve", "knapsack", "weak:30x100:7", "--quiet", "--method", method, "--checkpoint", &file];
        run(&[&call[..], limit].concat()).exits(0);
        file
    };
    let resume = |file: &str, limit: &[&str]| {
        let call = ["solve", "knapsack", "weak:30x100:7", "--resume", file];
        run(&[&call[..], limit].concat()).exits(0).stderr
    };
    let cut = saved("cut.ckpt", "sampling", &["--playouts", "200k"]);
    for (limit, named) in [(["--playouts", "1000"], "1000 playouts"), (["--time", "1ms"], "0.001 s")] {
        let said = resume(&cut, &limit);
        let line = format!("the limit of {named} counts the whole search and was reached before: raise it to continue");
        assert!(said.contains(&line), "{said}");
    }
    let said = resume(&cut, &["--playouts", "200100"]);
    assert!(!said.contains("reached before"), "{said}");
    // The whole space was searched: there is no time to be announced.
    let said = resume(&saved("whole.ckpt", "dfs", &[]), &[]);
    assert!(said.contains("the search ended before") && !said.contains("no limit given"), "{said}");
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused() {
    let (sample, folder) = (sample(), Folder::new());
    let file = folder.join("run.ckpt");
    solve(&sample, &["--method", "uct", "--playouts", "100", "--checkpoint", &file]);
    let bytes = std::fs::read(&file).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let mut longer = bytes.clone();
    longer.push(0);
    let cases: [(&str, &[u8], &str); 5] = [
        ("empty.ckpt", b"", "not a Soloist checkpoint"),
        ("text.ckpt", b"hello\n", "not a Soloist checkpoint"),
        ("cut.ckpt", &bytes[..bytes.len() - 7], "truncated"),
        ("flipped.ckpt", &flipped, "corrupt"),
        ("longer.ckpt", &longer, "corrupt"),
    ];
    for (name, content, part) in cases {
        let bad = folder.write(name, content);
        let out = folder.write("out.json", "keep");
        let done = run(&["solve", &sample.name, &sample.example, "--playouts", "200", "--resume", &bad, "--out", &out]);
        assert!(done.stderr.contains(name), "{done:?}");
        done.refused(1, part);
        assert_eq!(crate::common::read(&out), "keep");
    }
    let missing = folder.join("missing.ckpt");
    run(&["solve", &sample.name, &sample.example, "--resume", &missing]).refused(1, "missing.ckpt: cannot be read");
    run(&["solve", &sample.name, &sample.example, "--resume", &folder.join("")]).refused(1, "not a regular file");
    for other in samples().iter().filter(|other| other.name != sample.name) {
        run(&["solve", &other.name, &other.example, "--resume", &file]).refused(1, "another instance");
    }
}

#[test]
fn a_checkpoint_is_not_overwritten_by_another_run() {
    let (sample, folder) = (sample(), Folder::new());
    let file = folder.join("run.ckpt");
    let args = ["--method", "sampling", "--playouts", "100", "--checkpoint", &file];
    solve(&sample, &args);
    let saved = std::fs::read(&file).unwrap();
    let call = [&["solve", &sample.name, &sample.example][..], &args].concat();
    let again = run(&call).exits(1);
    assert!(again.stderr.contains("--resume") && again.stderr.trim_end().lines().count() == 1, "{again:?}");
    let text = folder.write("notes.txt", "dear diary");
    let (result, events) = (folder.join("result.json"), folder.join("events.jsonl"));
    let solve = ["solve", &sample.name, &sample.example, "--playouts", "100"];
    run(&[&solve[..], &["--out", &result, "--events", &events]].concat()).exits(0);
    for (file, kind) in [(&text, "no checkpoint"), (&result, "a result, not"), (&events, "a file of events, not")] {
        run(&[&solve[..], &["--checkpoint", file]].concat()).refused(1, &format!("exists and is {kind}"));
    }
    assert_eq!((std::fs::read(&file).unwrap(), std::fs::read(&text).unwrap()), (saved, b"dear diary".to_vec()));
}

#[cfg(unix)]
#[test]
fn a_run_survives_the_loss_of_its_checkpoint_folder() {
    let (sample, folder) = (sample(), Folder::new());
    let inner = folder.join("gone");
    std::fs::create_dir(&inner).unwrap();
    let file = format!("{inner}/run.ckpt");
    let limits = ["--method", "sampling", "--playouts", "300k", "--checkpoint-every", "1ms", "--json"];
    let call = [&["solve", &sample.name, &sample.example, "--checkpoint", &file][..], &limits].concat();
    let child = crate::common::command(&call)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !std::path::Path::new(&file).exists() {
        std::thread::yield_now();
    }
    // Files may come and go in it until the rename of the folder.
    std::fs::rename(&inner, folder.join("moved")).unwrap();
    let done = crate::common::Done::new(child.wait_with_output().unwrap()).exits(1);
    assert!(done.stderr.contains("cannot write checkpoint"), "{done:?}");
    assert_eq!(done.json()["playouts"], 300_000);
}

/// Checkpoints that their own program refused: a cooling whose plan is over while it measures, and the tree of a game
/// that is over.
#[test]
fn a_run_reads_its_own_checkpoint() {
    let cases: [(&str, &str, &[&str]); 2] = [
        ("samegame", "22\n12\n12\n21\n", &["auto", "--seed", "753", "--playouts", "20", "--set", "first=415"]),
        (
            "bubble-breaker",
            "1111\n1111\n1111\n1111\n",
            &["sp-mcts-move", "--set", "restarts=false", "--seed", "416", "--playouts", "3"],
        ),
    ];
    for (problem, text, method) in cases {
        let folder = Folder::new();
        let (instance, file) = (folder.join("instance.txt"), folder.join("run.ckpt"));
        std::fs::write(&instance, text).unwrap();
        let begin = ["solve", problem, &instance, "--quiet", "--checkpoint", &file, "--method"];
        run(&[&begin, method].concat());
        let rest = ["solve", problem, &instance, "--quiet", "--json", "--resume", &file];
        let rest = run(&[&rest[..], &["--playouts", "500", "--nodes", "30000"]].concat()).json();
        assert!(rest["playouts"].as_u64().is_some(), "{problem}: {rest}");
    }
}
