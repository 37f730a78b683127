//! Files that others have a hand in: traps beside outputs, names in run files, files that change while they are shown.

use crate::common::{Done, Folder, command, read, run};
use crate::serve::Server;
use serde_json::{Value, json};
use std::fmt::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

/// A record of a run, as `bench` writes it.
fn record(label: &str, instance: &str, seed: usize, limit: usize) -> Value {
    json!({
        "label": label, "problem": "knapsack", "instance": instance, "sense": "maximize", "method": "uct",
        "parameters": { "c": 0.5 }, "rollout": "random", "seed": seed, "threads": 1, "budget": { "playouts": limit },
        "score": seed % 7, "optimal": false, "playouts": limit, "seconds": 0.5, "stop": "playouts", "verified": true,
        "version": "0.1.0", "solution": { "items": [] },
        "improvements": [{ "playouts": 1, "seconds": 0.1, "score": 0 }, { "playouts": limit, "seconds": 0.4, "score": seed % 7 }],
    })
}

/// A file with these records.
fn file_of(folder: &Folder, records: impl Iterator<Item = Value>) -> String {
    let mut text = String::new();
    records.for_each(|record| writeln!(text, "{record}").unwrap());
    folder.write("runs.jsonl", text)
}

#[test]
fn outputs_keep_modes_and_follow_no_trap() {
    let folder = Folder::new();
    let (victim, out) = (folder.write("victim.txt", "precious"), folder.write("out.json", "old"));
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&out, folder.join("link.json")).unwrap();
    let binary = assert_cmd::cargo::cargo_bin!("soloist").to_str().unwrap().to_owned();
    // The shell becomes the command, so that its number is known before.
    let script = "ln -s \"$1\" \"$2.$$.tmp\"; exec \"$0\" solve knapsack random:9x9:1 --playouts 9 -q --json -o \"$3\"";
    for name in ["out.json", "link.json"] {
        let done =
            Command::new("sh").args(["-c", script, &binary, &victim, &out, &folder.join(name)]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        assert_eq!((read(&victim).as_str(), std::fs::metadata(&out).unwrap().mode() & 0o777), ("precious", 0o600));
        assert!(read(&out).starts_with('{'));
        std::fs::write(&out, "old").unwrap();
    }
    assert!(std::fs::symlink_metadata(folder.join("link.json")).unwrap().is_symlink());
}

#[test]
fn instances_named_in_files_neither_hang_nor_leak() {
    let folder = Folder::new();
    let (secret, pipe) = (folder.write("secret", "root:x:0:0:the password\n"), folder.join("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let names = [secret.as_str(), "secret", pipe.as_str(), "/dev/zero", "-", "/dev/stdin"];
    let runs = file_of(&folder, names.iter().map(|name| record("a", name, 1, 10)));
    let out = folder.join("page.html");
    let done = run(&["report", &runs, "-o", &out, "--drawings", "20"]).exits(0);
    let page = read(&out);
    assert!(page.contains("no file of an instance of knapsack") && page.contains("not a regular file"), "{done:?}");
    for part in ["root:x", "password", "'root"] {
        assert!(!page.contains(part) && !done.stderr.contains(part), "{part}");
    }
}

#[test]
fn what_a_page_leaves_out_is_said() {
    let folder = Folder::new();
    let out = folder.join("page.html");
    let report = |records: &mut dyn Iterator<Item = Value>| {
        run(&["report", &file_of(&folder, records), "-o", &out, "--drawings", "1"]).exits(0);
        read(&out)
    };
    let labels = report(&mut (0..300).map(|at| record(&format!("m{at:03}"), "random:5x9:1", 1, 10)));
    assert!(labels.contains("Shown are the first 100 of 300 methods; 200 are not shown."));
    assert!(labels.contains(">m099<") && !labels.contains(">m100<") && labels.contains("300 runs"));
    let limits = report(&mut (1..300).map(|at| record("a", "random:5x9:1", 1, at)));
    assert!(
        limits.contains("Shown are the first 100 of 299 methods; 199 are not shown.") && limits.contains("299 runs")
    );
    let instances = report(&mut (0..600).map(|at| record("a", &format!("random:5x9:{at}"), 1, 10)));
    assert!(instances.contains("Shown are the first 500 of 600 instances; 100 are not shown."));
    // Seeds of their own for each run: memory is for the runs, not for all combinations.
    let seeds =
        report(&mut (0..2000).map(|at| record(&format!("m{}", at % 40), &format!("random:5x9:{}", at % 50), at, 10)));
    assert!(seeds.contains("2000 runs") && seeds.contains("2000 of 4000000 combinations"), "{:.3000}", seeds);
}

const NAMES: &str = r#"
problem = "knapsack"
instances = ["weak:20x50:1"]
budget = { playouts = 50 }
[[method]]
name = "=1+1"
method = "sampling"
[[method]]
name = "@uct"
method = "uct"
"#;

#[test]
fn names_are_no_formulas_of_spreadsheets() {
    let folder = Folder::new();
    let (spec, csv) = (folder.write("spec.toml", NAMES), folder.join("csv"));
    run(&["bench", &spec, "--quiet", "--csv", &csv]).exits(0);
    for entry in std::fs::read_dir(&csv).unwrap() {
        let text = read(entry.unwrap().path());
        for field in text.lines().flat_map(|line| line.split(',')) {
            assert!(!field.trim_matches('"').starts_with(['=', '@']), "{text}");
        }
    }
    assert!(read(folder.join("csv/methods.csv")).contains("'=1+1,"));
    // What the project reads is what it has written.
    let best = folder.write("best.csv", "instance,value\n'=x,7\n");
    let runs = file_of(&folder, [record("a", "=x", 1, 10)].into_iter());
    run(&["report", &runs, "--best-known", &best, "-o", &folder.join("p.html")]).exits(0);
}

#[test]
fn a_file_that_is_shown_may_be_cut_removed_and_replaced() {
    let folder = Folder::new();
    let file = folder.join("e.jsonl");
    let solve = |seed: &str| {
        let call = ["solve", "knapsack", "weak:20x50:1", "--playouts", "200", "--quiet", "--seed", seed];
        run(&[&call[..], &["--events", &file]].concat()).exits(0);
    };
    solve("1");
    let server = Server::start(&["serve", &file]);
    server.news("\"seed\":1,");
    // A run that begins again empties its file.
    solve("2");
    server.news("event: notes");
    // A visitor that comes now hears of the new run alone.
    let news = server.news("\"seed\":2,");
    assert!(news.contains("event: start") && !news.contains("\"seed\":1,"), "{news}");
    std::fs::remove_file(&file).unwrap();
    server.news("cannot be read now");
    folder.write("new", format!("nonsense\n[1]\n{}\n", record("a", "weak:20x50:1", 3, 10)));
    std::fs::rename(folder.join("new"), &file).unwrap();
    let news = server.news("2 lines that are no records are left out");
    assert!(!news.contains("nonsense"), "{news}");
    server.news("data-study");
}

#[test]
fn only_files_that_grow_are_served() {
    let folder = Folder::new();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    run(&["serve", &pipe]).refused(1, "not a regular file");
    run(&["serve", &folder.write("text", "no record\n")]).refused(1, "no runs");
    // What the user names may be a pipe where it is read once.
    let runs = file_of(&folder, [record("a", "random:5x9:1", 1, 10)].into_iter());
    let binary = assert_cmd::cargo::cargo_bin!("soloist").to_str().unwrap().to_owned();
    let out = folder.join("p.html");
    let script = "cat \"$1\" > \"$2\" & exec \"$0\" report \"$2\" -o \"$3\"";
    let done = Command::new("sh").args(["-c", script, &binary, &runs, &pipe, &out]).output().unwrap();
    assert!(done.status.success() && read(&out).contains("1 run"), "{done:?}");
}

/// A size of stacks that no machine can give makes every thread fail.
#[test]
fn threads_that_cannot_be_started_give_a_line() {
    let folder = Folder::new();
    let spec = "problem = \"knapsack\"\ninstances = [\"weak:9x9:1\"]\nbudget = { playouts = 5 }\n[[method]]\nmethod = \"sampling\"\n";
    let spec = folder.write("spec.toml", spec);
    for call in
        [&["bench", spec.as_str(), "--quiet"][..], &["solve", "knapsack", "weak:9x9:1", "--playouts", "9", "--quiet"]]
    {
        let done = Done::new(command(call).env("RUST_MIN_STACK", (1_u64 << 46).to_string()).output().unwrap());
        done.refused(1, "os error");
    }
}
