//! Tuning: finds what is known to be best, continues exactly, refuses wrong calls in one line.

use crate::common::{Done, Folder, command, read, run};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// A quiet tuning on small knapsacks into `out`.
fn tune(out: &str, more: &[&str]) -> Done {
    let call = ["tune", "knapsack", "random:20x100:1..40", "--quiet", "--out", out];
    run(&[&call[..], more].concat())
}

/// A tuning that takes a few seconds at most.
const SMALL: [&str; 14] = [
    "--method",
    "nrpa",
    "-p",
    "alpha=0.01..10:log",
    "-p",
    "level=1..3",
    "-p",
    "restarts",
    "--playouts",
    "60",
    "--samples",
    "8",
    "--batch",
    "4",
];

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// Lines of the file of runs, fewer while it is being written.
fn lines(path: impl AsRef<Path>) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

#[test]
fn what_is_known_to_be_best_is_found() {
    // With a common seed the best of 200 random playouts is never worse than that of fewer.
    let folder = Folder::new();
    let out = folder.join("dir");
    let call = ["--method", "sampling", "--rollout", "random", "-p", "limit=1..200", "--start", "limit=5"];
    let more = ["--playouts", "200", "--samples", "16", "--batch", "6", "--iterations", "6", "--json"];
    let result = tune(&out, &[&call[..], &more].concat()).exits(0).json();
    let tuned: f64 = result["tuned"]["limit"].as_str().unwrap().parse().unwrap();
    assert!(tuned > 150.0, "{result}");
    let first = &result["iterations"][0]["distribution"]["limit"];
    let last = &result["iterations"][5]["distribution"]["limit"];
    assert!(first["mean"].as_f64().unwrap() < last["mean"].as_f64().unwrap(), "{result}");
    assert!(first["deviation"].as_f64().unwrap() > last["deviation"].as_f64().unwrap(), "{result}");
    // The method as it was has no limit, so that the comparison has no winner by more than the rest of the way to 200.
    let validation = &result["validation"];
    assert_eq!(validation["instances"].as_array().unwrap().len(), 10);
    assert!(validation["comparison"]["difference"].as_f64().unwrap() <= 0.0, "{validation}");
    assert_eq!(result, json(&format!("{out}/result.json")));
    assert_eq!(lines(format!("{out}/trace.jsonl")), 7);
    let figure = read(format!("{out}/trace.svg"));
    assert!(figure.starts_with("<svg") && figure.ends_with("</svg>\n") && figure.contains(">limit</text>"));
    // Held out is held out.
    let held: Vec<&Value> = validation["instances"].as_array().unwrap().iter().collect();
    for iteration in result["iterations"].as_array().unwrap() {
        let used = iteration["instances"].as_array().unwrap();
        assert!(used.len() == 6 && used.iter().all(|name| !held.contains(&name)), "{iteration}");
    }
}

/// The argument of a rollout is a parameter like others: here the chance of a random move of a tile game.
#[test]
fn arguments_of_rollouts_are_tuned() {
    let folder = Folder::new();
    let call = |out: &str, more: &[&str]| {
        let first = ["tune", "samegame", "random:5x5x3:1..8", "--method", "sampling", "--quiet", "--out", out];
        let last = ["--playouts", "20", "--samples", "4", "--batch", "2", "--iterations", "2"];
        run(&[&first[..], &last, more].concat())
    };
    let out = folder.join("epsilon");
    let done = call(&out, &["-p", "rollout=tabu-color:0.001..0.5:log"]).exits(0);
    let line = done.stdout.lines().last().unwrap();
    let (_, epsilon) = line.split_once("--method sampling --rollout tabu-color:").unwrap();
    assert!((0.001..=0.5).contains(&epsilon.parse::<f64>().unwrap()), "{line}");
    let runs = read(format!("{out}/runs.jsonl"));
    // What the run had before keeps its rollout in the final comparison.
    let is_tuned = |run: &&str| !run.contains("\"label\":\"before\"");
    assert!(runs.lines().filter(is_tuned).all(|run| run.contains("\"rollout\":\"tabu-color:0.")), "{runs}");
    assert!(runs.lines().any(|run| !is_tuned(&run)), "{runs}");
    let words = call(&folder.join("words"), &["-p", "rollout=tabu-color|random", "--json"]).exits(0).json();
    assert!(["tabu-color", "random"].contains(&words["tuned"]["rollout"].as_str().unwrap()), "{words}");
    call(&folder.join("a"), &["-p", "rollout=nosuch:0..1"]).refused(2, "--parameter rollout: ");
    call(&folder.join("b"), &["-p", "rollout=random|tabu-color", "--rollout", "random"])
        .refused(2, "is fixed by --rollout");
}

#[test]
fn killed_tunings_are_continued_exactly() {
    let folder = Folder::new();
    let (whole, killed) = (folder.join("whole"), folder.join("killed"));
    let mut more = [&SMALL[..], &["--iterations", "4"]].concat();
    // Long enough to be killed at work.
    more.iter_mut().filter(|word| **word == "60").for_each(|word| *word = "3000");
    let undisturbed = tune(&whole, &[&more[..], &["-j", "1"]].concat()).exits(0);
    let runs = lines(format!("{whole}/runs.jsonl"));
    assert!(runs > 60, "{runs}");

    // Killed at several moments, whatever it is doing.
    let call = ["tune", "knapsack", "random:20x100:1..40", "--quiet", "--out", &killed];
    let path = format!("{killed}/runs.jsonl");
    let mut kills = 0;
    for part in [1, 3, 5, 7] {
        let mut child = command(&[&call[..], &more].concat()).stdout(std::process::Stdio::null()).spawn().unwrap();
        while lines(&path) < runs * part / 8 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        kills += u32::from(child.wait().unwrap().code().is_none_or(|code| code != 0));
    }
    assert!(kills > 0, "every call was done before it was killed");
    // And once in the middle of a line.
    let text = read(&path);
    let cut = text.trim_end().len() - 20;
    std::fs::write(&path, &text[..cut]).unwrap();
    let again = run(&[&call[..], &more, &["-j", "2"]].concat()).exits(0);
    assert_eq!(again.stdout, undisturbed.stdout);
    for name in ["trace.jsonl", "trace.svg", "result.json"] {
        assert_eq!(read(format!("{whole}/{name}")), read(format!("{killed}/{name}")), "{name}");
    }
    assert_eq!(lines(&path), runs);
    // What is complete is not run again.
    let again = run(&[&call[..], &more].concat()).exits(0);
    assert_eq!((again.stdout, lines(&path)), (undisturbed.stdout, runs));
}

#[test]
fn a_folder_holds_one_tuning() {
    let folder = Folder::new();
    let out = folder.join("dir");
    tune(&out, &[&SMALL[..], &["--iterations", "2"]].concat()).exits(0);
    let trace = read(format!("{out}/trace.jsonl"));
    // More iterations continue it.
    let runs = lines(format!("{out}/runs.jsonl"));
    tune(&out, &[&SMALL[..], &["--iterations", "3"]].concat()).exits(0);
    let more = read(format!("{out}/trace.jsonl"));
    assert!(more.starts_with(&trace) && more.lines().count() == 4, "{more}");
    assert!(lines(format!("{out}/runs.jsonl")) > runs);
    // What was found to be wrong is not tuned on, now or later.
    let path = format!("{out}/runs.jsonl");
    let text = read(&path);
    std::fs::write(&path, text.replacen("\"verified\":true", "\"verified\":false", 1)).unwrap();
    tune(&out, &[&SMALL[..], &["--iterations", "3"]].concat()).refused(1, "the result on record failed verification");
    std::fs::write(&path, text).unwrap();
    // Another one is refused, and replaces it only if asked for.
    let other = [&SMALL[..], &["--iterations", "2", "--seed", "5"]].concat();
    tune(&out, &other).refused(1, "holds another tuning: seed 0 instead of 5; name another --out");
    assert_eq!(read(format!("{out}/trace.jsonl")), more);
    tune(&out, &[&other[..], &["--fresh"]].concat()).exits(0);
    assert!(read(format!("{out}/trace.jsonl")).lines().next().unwrap().contains("\"seed\":5"));
    for name in ["trace.jsonl", "runs.jsonl"] {
        let out = folder.join(name.trim_end_matches(".jsonl"));
        std::fs::create_dir(&out).unwrap();
        std::fs::write(format!("{out}/{name}"), "mine\n").unwrap();
        for fresh in [&[][..], &["--fresh"]] {
            tune(&out, &[&SMALL[..], fresh].concat()).refused(1, "line 1: not a");
            assert_eq!(read(format!("{out}/{name}")), "mine\n");
        }
    }
}

#[test]
fn races_take_fewer_runs() {
    let folder = Folder::new();
    let call = ["--method", "sampling", "--rollout", "random", "-p", "limit=1..200:log", "--playouts", "200"];
    let more = ["--samples", "16", "--elite", "3", "--batch", "20", "--iterations", "2", "--json"];
    let runs = |name: &str, racing: &[&str]| {
        let result = tune(&folder.join(name), &[&call[..], &more, racing].concat()).exits(0).json();
        let all = result["iterations"].as_array().unwrap().iter();
        (all.map(|iteration| iteration["runs"].as_u64().unwrap()).sum::<u64>(), result)
    };
    let ((all, _), (fewer, raced)) = (runs("all", &[]), runs("raced", &["--racing"]));
    assert!(fewer * 4 < all * 3, "{fewer} of {all}");
    let tuned: f64 = raced["tuned"]["limit"].as_str().unwrap().parse().unwrap();
    assert!(tuned > 100.0, "{raced}");
}

#[test]
fn hoeffding_races_drop_the_clearly_worse() {
    let folder = Folder::new();
    // The best of 200 random playouts against the first one: of a common seed it is never worse.
    let call = ["--method", "sampling", "--rollout", "random", "-p", "limit=1..200:log"];
    let more = ["--playouts", "200", "--samples", "8", "--elite", "2", "--batch", "400", "--iterations", "1", "--json"];
    let tune = |name: &str, more: &[&[&str]]| {
        let out = folder.join(name);
        let call = [
            "tune",
            "samegame",
            "random:6x6x3:1..400",
            "--validation",
            "random:6x6x3:1001..1010",
            "--quiet",
            "--out",
            &out,
        ];
        run(&[&call[..], &more.concat()].concat()).exits(0).json()
    };
    let runs = |name: &str, race: &[&str]| tune(name, &[&call, &more, race])["iterations"][0]["runs"].as_u64().unwrap();
    let (all, hoeffding, t) =
        (runs("all", &[]), runs("hoeffding", &["--race", "hoeffding"]), runs("t", &["--race", "t"]));
    assert!(t < hoeffding && hoeffding < all, "{t}, {hoeffding} of {all}");
    assert_eq!(runs("racing", &["--racing"]), t);
    // Scores that may differ by a million leave everything open.
    assert_eq!(runs("wide", &["--race", "hoeffding", "--spread", "1e6"]), all);
    let trace = read(folder.join("wide/trace.jsonl"));
    assert!(trace.lines().next().unwrap().contains(r#""race":"hoeffding""#), "{trace}");
    // A limit beyond the budget changes nothing: equal settings stay.
    let equal = ["--method", "sampling", "--rollout", "random", "-p", "limit=300..900"];
    let runs =
        |name: &str, race: &[&str]| tune(name, &[&equal, &more, race])["iterations"][0]["runs"].as_u64().unwrap();
    let all = runs("equal", &[]);
    assert!(all > 400, "{all}: one setting alone");
    assert_eq!(runs("equal-raced", &["--race", "hoeffding"]), all);
}

#[test]
fn default_methods_and_options_are_tuned() {
    let folder = Folder::new();
    let out = folder.join("dir");
    let call = [
        "tune",
        "horner",
        "random:6x30x4:1..12",
        "--set",
        "direction=backward",
        "--set",
        "swap=3",
        "-p",
        "start=0.02..5:log",
        "--playouts",
        "100",
        "--samples",
        "4",
        "--elite",
        "2",
        "--iterations",
        "1",
        "--batch",
        "2",
        "--out",
        &out,
        "--markdown",
    ];
    let done = run(&call).exits(0);
    // Three instances show no gain, whatever the scores are.
    let advice = "no gain shown over the setting before: keep it";
    for part in ["| parameter | values | before |", "| start | 0.02..5:log | 0.1 |", "A - B", advice, "--set start="] {
        assert!(done.stdout.contains(part), "no {part:?} in {}", done.stdout);
    }
    assert!(done.stderr.contains("3 instances held out for the final comparison"), "{done:?}");
    let record: Value = serde_json::from_str(read(format!("{out}/runs.jsonl")).lines().next().unwrap()).unwrap();
    assert_eq!((&record["options"]["direction"], &record["parameters"]["swap"]), (&"backward".into(), &3.into()));
}

#[test]
fn wrong_calls_are_refused_in_one_line() {
    let folder = Folder::new();
    let out = folder.join("dir");
    let call = ["tune", "knapsack", "random:20x100:1..40", "--out", &out];
    let rest = ["--method", "nrpa", "--playouts", "10"];
    for (more, part) in [
        (&["-p", "alpah=1..2"][..], "--parameter alpah: no setting `alpah`, did you mean `alpha`?"),
        (
            &["-p", "alpha=-1..2"],
            "--parameter alpha: nrpa: parameter `alpha`: expected a number from 0 to 1000, got `-1`",
        ),
        (&["-p", "proof=0..0.5"], "--parameter proof: is not tuned: fix it by --set"),
        (&["-p", "alpha=2..1"], "the range 2..1 runs backwards"),
        (&["-p", "alpha=0..1:log"], "--parameter alpha: a logarithmic range begins above 0, got 0"),
        (&["-p", "alpha=1"], "expected KEY, KEY=LOW..HIGH"),
        (&["-p", "level=1.1..1.9"], "--parameter level: the range 2..1 holds no two values"),
        (
            &["-p", "beam=none|best"],
            "--parameter beam: nrpa: parameter `beam`: expected one of none policies solutions, got `best`",
        ),
        (&["-p", "clamp"], "--parameter clamp: its range is too wide to search: give one"),
        (&["-p", "alpha", "-p", "alpha=1..2"], "--parameter alpha: is there twice"),
        (&["-p", "alpha", "--set", "alpha=1"], "--parameter alpha: is fixed by --set"),
        (&["-p", "alpha", "--set", "alpha=-1"], "parameter `alpha`: expected a number from 0 to 1000"),
        (&["-p", "alpha=1..2", "--start", "alpha=3"], "--start alpha=3: expected a number from 1 to 2"),
        (&["-p", "alpha=1..2", "--start", "level=3"], "--start level=3: no --parameter has this name"),
        (&["-p", "alpha", "--samples", "5", "--elite", "5"], "--elite 5: expected fewer than the 5 samples"),
        (&["-p", "alpha", "--race", "f"], "[possible values: t, hoeffding]"),
        (&["-p", "alpha", "--racing", "--race", "t"], "cannot be used with"),
        (&["-p", "alpha", "--spread", "5"], "--spread belongs to --race hoeffding"),
        (&["-p", "alpha", "--race", "hoeffding", "--spread", "0"], "expected a number above 0"),
        (&["-p", "alpha", "--race", "hoeffding"], "10 instances an iteration are too few for 30 settings to drop any"),
        (&["-p", "alpha", "--samples", "0"], "expected a whole number from 1 to 100000"),
        (&["-p", "alpha", "--smoothing", "0"], "expected a number above 0, at most 1"),
        (&["-p", "alpha", "--validation", "random:20x100:7"], "`random:20x100:7` is an instance to tune on as well"),
        (&["-p", "alpha", "--validation", "none*.kp"], "--validation: no file matches `none*.kp`"),
        (&["-p", "alpha", "--rollout", "radnom"], "no rollout of knapsack `radnom`"),
        (&[], "--parameter"),
    ] {
        run(&[&call[..], &rest, more].concat()).refused(2, part);
    }
    let rules = ["tune", "vrptw", "random:20:1..8", "--method", "sisr", "--nodes", "100", "-p", "vehicles=2..9"];
    run(&[&rules[..], &["--out", &out]].concat()).refused(2, "--parameter vehicles: is a rule of the problem");
    run(&[&call[..], &["-p", "alpha"]].concat()).refused(2, "a run needs an end: expected one or more of --playouts");
    let few = ["tune", "knapsack", "random:20x100:1..3", "--playouts", "9", "-p", "level=1..2", "--out", &out];
    run(&few).refused(2, "3 instances are too few to hold some out");
    let missing =
        ["tune", "knapsack", "none.kp", "--validation", "random:20x100:1", "--playouts", "9", "-p", "level=1..2"];
    run(&[&missing[..], &["--out", &out]].concat()).refused(1, "none.kp: cannot be read");
}

#[cfg(unix)]
#[test]
fn a_signal_prints_what_is_complete() {
    let folder = Folder::new();
    let out = folder.join("dir");
    let call = ["tune", "knapsack", "random:20x100:1..40", "--out", &out, "--quiet", "--iterations", "100000"];
    let child = command(&[&call[..], &SMALL].concat()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    while lines(format!("{out}/trace.jsonl")) < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    crate::common::interrupt(child.id());
    let done = Done::new(child.wait_with_output().unwrap()).exits(130);
    assert!(done.stdout.starts_with("iteration  runs") && done.stdout.lines().count() >= 3, "{done:?}");
}
