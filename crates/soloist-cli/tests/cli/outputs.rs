//! Files to write: none replaces a file that is read or another output, one run writes each, and all that fail are
//! named.

use crate::common::{Folder, command, read, run, sample};
#[cfg(unix)]
use std::process::Command;
use std::process::Stdio;

const SPEC: &str = "problem = \"knapsack\"\ninstances = [\"*.kp\"]\nbest_known = \"instances.csv\"\nlimit_instances = 1\n\
                    budget = { playouts = 5 }\n[[method]]\nmethod = \"sampling\"\n";

#[test]
fn a_comparison_overwrites_nothing_that_it_reads() {
    let folder = Folder::new();
    for name in ["a.kp", "b.kp"] {
        folder.write(name, "2 9\n5 4\n6 7\n");
    }
    let (best, spec) = (folder.write("instances.csv", "instance,value\na.kp,6\n"), folder.write("spec.toml", SPEC));
    let files = folder.files();
    let bench = |more: &[&str]| run(&[&["bench", &spec, "--quiet"], more].concat());
    let refused = |more: &[&str], what: &str| {
        bench(more).refused(2, &format!("would overwrite {what}"));
        assert_eq!(folder.files(), files);
    };
    let (inner, own) = (folder.join(""), folder.join("runs.csv"));
    refused(&["--svg", &folder.join("spec.jsonl")], "the runs");
    refused(&["--svg", &spec], "the spec");
    refused(&["--svg", &best], "the best known scores");
    refused(&["--svg", &folder.join("a.kp")], "an instance");
    // An instance beyond the limit is one as well.
    refused(&["--svg", &folder.join("b.kp")], "an instance");
    refused(&["--csv", &inner], "the best known scores");
    refused(&["--out", &spec], "the spec");
    refused(&["--out", &own, "--csv", &inner], "the runs");
    refused(&["--svg", &folder.join("methods.csv"), "--csv", &inner], "the drawing of --svg");
    assert_eq!((read(&best), read(&spec)), ("instance,value\na.kp,6\n".to_owned(), SPEC.to_owned()));
    bench(&["--svg", &folder.join("p.svg"), "--csv", &folder.join("csv")]).exits(0);
    assert!(folder.files().contains(&"p.svg".to_owned()) && read(folder.join("csv/runs.csv")).starts_with("job,"));
}

#[test]
fn other_commands_overwrite_no_instance() {
    let folder = Folder::new();
    let items = "2 9\n5 4\n6 7\n";
    let instance = folder.write("result.json", items);
    let call = ["tune", "knapsack", &instance, "--validation", "random:9x9:1", "-p", "level=1..2", "--playouts", "5"];
    run(&[&call[..], &["--out", &folder.join("")]].concat()).refused(2, "result.json would overwrite an instance");
    let events = folder.join("events.jsonl");
    run(&["solve", "knapsack", &instance, "--playouts", "5", "--quiet", "--events", &events]).exits(0);
    run(&["report", &events, "-o", &instance]).refused(2, "result.json would overwrite an instance");
    assert_eq!(read(&instance), items);
    assert_eq!(folder.files(), ["events.jsonl", "result.json"]);
}

#[test]
fn a_start_is_not_overwritten() {
    let (sample, folder) = (sample(), Folder::new());
    let start = folder.join("start.json");
    let solve = ["solve", &sample.name, &sample.example, "--playouts", "5", "--quiet"];
    run(&[&solve[..], &["--out", &start]].concat()).exits(0);
    let before = read(&start);
    for option in ["--svg", "--events", "--out", "--checkpoint"] {
        let call = [&solve[..], &["--start", &start, option, &start]].concat();
        run(&call).refused(2, "would overwrite a solution to start from");
        assert_eq!(read(&start), before);
    }
}

#[test]
fn a_file_of_events_belongs_to_one_run() {
    let (sample, folder) = (sample(), Folder::new());
    let file = folder.join("events.jsonl");
    let call = ["solve", &sample.name, &sample.example, "--method", "sampling", "--quiet", "--events", &file];
    let mut first = command(&[&call[..], &["--time", "60s"]].concat());
    let mut first = first.stdout(Stdio::null()).spawn().unwrap();
    while !std::fs::read_to_string(&file).is_ok_and(|text| text.contains("improved")) {
        std::thread::yield_now();
    }
    run(&[&call[..], &["--playouts", "5"]].concat()).refused(1, "events.jsonl: another run is writing it");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(read(&file).matches("\"event\":\"start\"").count(), 1);
    run(&[&call[..], &["--playouts", "5"]].concat()).exits(0);
    assert_eq!(read(&file).matches("\"event\":\"start\"").count(), 1, "emptied");
}

/// A limit on the size of files is as good as a full disk.
#[cfg(unix)]
#[test]
fn every_output_that_fails_is_named() {
    let folder = Folder::new();
    let [events, saved, out, svg] = ["e.jsonl", "c.ckpt", "o.json", "d.svg"].map(|name| folder.join(name));
    let binary = assert_cmd::cargo::cargo_bin!("soloist").to_str().unwrap().to_owned();
    let call = [
        &binary,
        "solve",
        "samegame",
        "random:15x15x5:7",
        "--method",
        "uct",
        "--playouts",
        "100k",
        "--quiet",
        "--events",
        &events,
        "--checkpoint",
        &saved,
        "--checkpoint-every",
        "20ms",
        "--out",
        &out,
        "--svg",
        &svg,
    ];
    // Two KiB, or four where a block has 1024 bytes: the first checkpoint fits.
    let limited = Command::new("sh").args(["-c", "ulimit -f 4; exec \"$0\" \"$@\""]).args(call).output().unwrap();
    let said = String::from_utf8(limited.stderr).unwrap();
    assert_eq!(limited.status.code(), Some(1), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("error: ") && [events, saved, out, svg].iter().all(|file| last.contains(file)), "{said}");
    assert!(said.starts_with("cannot write checkpoint"), "a warning in spite of --quiet: {said}");
    assert!(String::from_utf8(limited.stdout).unwrap().contains("score"));
}
