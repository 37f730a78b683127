//! Files of runs that are whole, cut, wrong, and that change.

use super::*;
use serde_json::json;
use soloist::run::StopReason;
use tempfile::TempDir;

/// A record of a comparison.
pub(in crate::report) fn record(label: &str, instance: &str, seed: u64, score: Option<f64>) -> Value {
    json!({
        "job": "0", "label": label, "problem": "knapsack", "instance": instance, "options": {}, "sense": "maximize",
        "method": "uct", "parameters": { "c": 0.5 }, "rollout": "random", "seed": seed, "threads": 1,
        "budget": { "playouts": 100 }, "score": score, "violation": null, "optimal": false, "playouts": 100, "nodes": 0,
        "seconds": 2.0, "stop": "playouts", "verified": score.map(|_| true), "version": "0.1.0",
        "history": [{ "playouts": 1, "score": 1, "stream": 0 }, { "playouts": 50, "score": score, "stream": 0 }],
        "improvements": [{ "playouts": 1, "seconds": 0.5, "score": 1 }, { "playouts": 50, "seconds": 1.0, "score": score }],
        "machine": { "processor": "P", "cores": 2, "system": "S" }, "solution": { "items": [1] },
    })
}

/// The runs of a text, read as one file.
fn read(text: &str) -> Result<Runs, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    std::fs::write(&path, text).unwrap();
    Runs::read(&[path])
}

const EVENTS: &str = r#"{"event":"start","problem":"knapsack","instance":"a.kp","sense":"maximize","method":"uct","parameters":{},"rollout":"random","seed":3,"threads":1,"playouts":0,"seconds":0.0,"version":"0.1.0"}
{"event":"improved","playouts":1,"score":5,"seconds":0.1,"solution":{"items":[]},"stream":0,"violation":null}
{"event":"progress","playouts":40,"nodes":7,"seconds":1.5,"best":5,"bound":9,"gap":null}
{"event":"improved","playouts":50,"score":8,"seconds":2.5,"solution":{"items":[2]},"stream":0,"violation":null}
"#;

#[test]
fn records_are_read() {
    let text = format!("{}\n\n{}\n", record("a", "x", 1, Some(4.0)), record("b", "x", 1, None));
    let runs = read(&text).unwrap();
    let [a, b] = &runs.trials[..] else { panic!("two runs") };
    assert_eq!((a.task.label.as_deref(), a.value(), a.limits().as_str()), (Some("a"), Some(4.0), "100 playouts"));
    let point = a.points[1];
    assert_eq!((point.playouts, point.seconds, point.score), (50, Some(1.0), Some(4.0)));
    assert_eq!((a.task.machine.as_ref().unwrap().to_string().as_str(), b.value()), ("P, 2 cores, S", None));
}

#[test]
fn old_records_have_no_times() {
    let mut old = record("a", "x", 1, Some(4.0));
    old.as_object_mut().unwrap().retain(|key, _| !matches!(key.as_str(), "improvements" | "machine"));
    let trial = &read(&old.to_string()).unwrap().trials[0];
    assert_eq!((trial.points.len(), trial.points[1].seconds), (2, None));
}

#[test]
fn events_become_a_run() {
    let trial = &read(EVENTS).unwrap().trials[0];
    assert_eq!((trial.ending.stop, trial.value(), trial.points.len()), (None, Some(8.0), 2));
    assert_eq!((trial.ending.playouts, trial.ending.nodes, trial.ending.bound), (50, 7, Some(9.0)));
    let end = r#"{"event":"end","stop":"time","seconds":3.0,"playouts":60,"nodes":8,"score":8,"violation":null,"optimal":false,"bound":9}"#;
    let text = format!("{EVENTS}{end}");
    let trial = &read(&text).unwrap().trials[0];
    assert_eq!((trial.ending.stop, trial.ending.playouts, trial.ending.seconds), (Some(StopReason::Time), 60, 3.0));
}

#[test]
fn a_resumed_run_is_one_run() {
    let start = EVENTS.lines().next().unwrap().replace("\"playouts\":0", "\"playouts\":45");
    let again = r#"{"event":"improved","playouts":48,"score":9,"seconds":2.6,"solution":{"items":[4]},"stream":0,"violation":null}"#;
    let runs = read(&format!("{EVENTS}{start}\n{again}\n")).unwrap();
    assert_eq!(runs.trials.len(), 1);
    let points: Vec<_> = runs.trials[0].points.iter().map(|point| (point.playouts, point.score)).collect();
    assert_eq!(points, [(1, Some(5.0)), (48, Some(9.0))]);
}

#[test]
fn the_same_run_is_there_once() {
    let (a, mut later) = (record("a", "x", 1, Some(4.0)), record("a", "x", 1, Some(4.0)));
    later.as_object_mut().unwrap().remove("improvements");
    let runs = read(&format!("{a}\n{later}\n{}\n", record("a", "x", 2, Some(3.0)))).unwrap();
    assert_eq!((runs.trials.len(), runs.twice), (2, 1));
    // The later one counts, and the times of the other are kept; only the best run of an instance keeps its
    // solution.
    assert!(runs.trials[0].points.iter().all(|point| point.seconds.is_some()));
    assert_eq!((runs.trials[0].solution.is_some(), runs.trials[1].solution.is_some()), (true, false));
}

#[test]
fn results_may_be_spread_over_lines() {
    let text = format!("{:#}\n\n{:#}\n", record("a", "x", 1, Some(4.0)), record("a", "x", 2, Some(5.0)));
    assert_eq!(read(&text).unwrap().trials.len(), 2);
    let broken = text.replace("maximize", "sideways");
    let message = read(&broken).unwrap_err().message;
    assert!(message.ends_with("line 1: `sense`: expected maximize or minimize, got `sideways`"), "{message}");
}

#[test]
fn wrong_lines_are_named() {
    let good = record("a", "x", 1, Some(4.0)).to_string();
    for (line, part) in [
        ("{\"a\":1}", "line 2: expected a record of `bench`, an event"),
        ("[1]", "line 2: expected a record"),
        ("{\"problem\":\"x\",\"playouts\":1}", "line 2: missing field `instance`"),
        (
            &good.replace("\"job\":\"0\"", "\"format\":9"),
            "line 2: `format`: expected 1 or none, got 9: a later release",
        ),
        ("{\"event\":\"improved\"}", "line 2: an event `improved` without `start` before it"),
        ("{\"event\":\"what\"}", "line 2: `event`: expected start, improved, progress or end, got `what`"),
        ("nonsense", "line 2: not valid JSON: expected ident"),
        ("{\"a\":", "line 2: not valid JSON: EOF"),
    ] {
        let message = read(&format!("{good}\n{line}\n{good}\n")).unwrap_err().message;
        assert!(message.contains(part) && !message.contains('\n'), "{message}");
    }
    assert!(read("").unwrap_err().message.ends_with("no runs"));
    // A run that was killed leaves half a line.
    let cut = read(&format!("{good}\n{}", &good[..40])).unwrap();
    assert_eq!((cut.trials.len(), cut.cut.len()), (1, 1));
}

/// A file in a new folder, and what was read of it.
fn following() -> (TempDir, PathBuf, Runs, Source) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    let mut runs = Runs::default();
    let source = runs.add(&path);
    (folder, path, runs, source)
}

/// Reads what is new; whether the file must be read from the start, which is done.
fn follow(source: &mut Source, runs: &mut Runs) -> bool {
    let replaced = source.look().unwrap();
    if replaced {
        source.rewind();
        *runs = Runs { files: runs.files.clone(), ..Runs::default() };
        assert!(!source.look().unwrap());
    }
    source.follow(runs, false).unwrap();
    replaced
}

#[test]
fn files_may_grow() {
    let (_folder, path, mut runs, mut source) = following();
    assert!(source.look().unwrap_err().message.contains("cannot be read"), "it was never there");
    let half = EVENTS.len() - 30;
    std::fs::write(&path, &EVENTS[..half]).unwrap();
    assert!(!follow(&mut source, &mut runs));
    assert_eq!(runs.trials[0].points.len(), 1);
    std::fs::write(&path, EVENTS).unwrap();
    assert!(!follow(&mut source, &mut runs) && !follow(&mut source, &mut runs));
    assert_eq!((runs.trials[0].points.len(), source.remarks()), (2, Vec::new()));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn files_may_be_cut_removed_and_replaced() {
    let (_folder, path, mut runs, mut source) = following();
    let other = EVENTS.replace("\"seed\":3", "\"seed\":2");
    assert_ne!(other, EVENTS);
    std::fs::write(&path, EVENTS).unwrap();
    assert!(!follow(&mut source, &mut runs));
    // Cut.
    std::fs::write(&path, "").unwrap();
    assert!(follow(&mut source, &mut runs) && runs.trials.is_empty());
    std::fs::write(&path, EVENTS).unwrap();
    assert!(!follow(&mut source, &mut runs) && runs.trials.len() == 1);
    // The same file with other, longer content, as a run leaves it that begins again.
    std::fs::write(&path, format!("{other}{other}\n")).unwrap();
    assert!(follow(&mut source, &mut runs));
    assert_eq!((runs.trials.len(), runs.trials[0].task.seed), (1, 2));
    // Removed: what was read stays.
    std::fs::remove_file(&path).unwrap();
    assert!(!follow(&mut source, &mut runs) && runs.trials.len() == 1);
    assert!(source.remarks().iter().any(|remark| remark.contains("cannot be read")), "{:?}", source.remarks());
    // Another file of the name, longer and with the same beginning.
    std::fs::write(&path, format!("{other}{other}\n{EVENTS}")).unwrap();
    assert!(follow(&mut source, &mut runs));
    assert_eq!(runs.trials.len(), 2);
    let remarks = source.remarks();
    assert!(remarks.len() == 1 && remarks[0].contains("read again from its start 3 times"), "{remarks:?}");
    std::fs::remove_file(&path).unwrap();
    #[cfg(unix)]
    {
        // A pipe in its place is not waited for.
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(!follow(&mut source, &mut runs));
        assert!(source.remarks().iter().any(|remark| remark.contains("not a regular file")));
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn lines_that_say_nothing_are_counted() {
    let (_folder, path, mut runs, mut source) = following();
    let good = record("a", "x", 1, Some(4.0)).to_string();
    std::fs::write(&path, format!("{good}\nnonsense\n[1]\n{{\"event\":\"what\"}}\n\n{good}\n{{\"half\"")).unwrap();
    assert!(!follow(&mut source, &mut runs));
    let remarks = source.remarks();
    assert_eq!((runs.trials.len(), runs.twice, remarks.len()), (1, 1, 1));
    assert!(remarks[0].contains("3 lines that are no records are left out, the first is line 2"), "{remarks:?}");
    assert!(!remarks[0].contains("nonsense"));
    std::fs::remove_file(&path).unwrap();
}

/// Runs of one search under many limits: the same ones are found without looking at all.
#[test]
fn the_same_run_is_found_among_many() {
    let mut runs = Runs::default();
    let mut source = runs.add(Path::new("x"));
    for _ in 0..2 {
        for limit in 1..3000 {
            let mut value = record("a", "x", 1, Some(4.0));
            (value["budget"], value["playouts"]) = (json!({ "playouts": limit }), json!(limit));
            source.take(&mut runs, value).unwrap();
        }
    }
    assert_eq!((runs.trials.len(), runs.twice), (2999, 2999));
}
