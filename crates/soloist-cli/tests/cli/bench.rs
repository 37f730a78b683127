//! Comparisons: the file of runs is complete, true and continued; wrong specs are refused in one line.

use crate::common::{Done, Folder, read, run, without_seconds};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const KNAPSACK: &str = r#"
title = "A small | comparison"
problem = "knapsack"
instances = ["a*.kp", "weak:30x100:1..2"]
seeds = "1..2"
budget = { playouts = 200 }
threads = 1

[[method]]
name = "nested"
method = "nmcs"
set = { level = 1 }
rollout = "random"

[[method]]
method = "uct"
set = { c = 0.25 }
budget = { playouts = "1e2", time = "60s" }
"#;

const TILES: &str = r#"
problem = "samegame"
instances = ["random:6x6x3:1..2"]
options = { penalty = "schadd" }
budget = { playouts = 200 }
jobs = 2
[[method]]
[[method]]
method = "sampling"
"#;

/// A folder with a spec and two instance files.
fn folder(spec: &str) -> (Folder, String) {
    let folder = Folder::new();
    for (name, seed) in [("a2.kp", 1), ("a10.kp", 2)] {
        run(&["generate", "knapsack", &format!("random:20x50:{seed}"), "-o", &folder.join(name)]).exits(0);
    }
    let spec = folder.write("spec.toml", spec);
    (folder, spec)
}

/// The records of a file by job, without what differs between equal runs.
fn records(path: &str) -> BTreeMap<String, Value> {
    let text = read(path);
    assert!(text.ends_with('\n'));
    let record = |line: &str| without_seconds(serde_json::from_str(line).unwrap());
    let key = |record: &Value| record["job"].as_str().unwrap().to_owned();
    let all: BTreeMap<_, _> = text.lines().map(record).map(|record| (key(&record), record)).collect();
    assert_eq!(all.len(), text.lines().count(), "a job is there twice");
    all
}

#[test]
fn runs_are_kept_and_told() {
    let (folder, spec) = folder(KNAPSACK);
    let done = run(&["bench", &spec, "--instances"]).exits(0);
    assert_eq!(folder.files(), ["a10.kp", "a2.kp", "spec.jsonl", "spec.toml"]);
    let runs = records(&folder.join("spec.jsonl"));
    assert_eq!(runs.len(), 4 * 2 * 2);
    let names = |key: &str| {
        let mut all: Vec<_> = runs.values().map(|run| run[key].to_string()).collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(names("instance"), ["\"a10.kp\"", "\"a2.kp\"", "\"weak:30x100:1\"", "\"weak:30x100:2\""]);
    assert_eq!(names("label"), ["\"nested\"", "\"uct c=0.25\""]);
    assert_eq!(
        (names("method"), names("seed")),
        (vec!["\"nmcs\"".into(), "\"uct\"".into()], vec!["1".into(), "2".into()])
    );
    assert_eq!(
        (names("verified"), names("feasible"), names("threads")),
        (vec!["true".into()], vec!["true".into()], vec!["1".into()])
    );
    for run in runs.values() {
        let limit = if run["label"] == "nested" { 200 } else { 100 };
        assert_eq!(run["budget"]["playouts"], limit, "{run}");
        assert!(
            run["playouts"].as_u64().unwrap() <= limit && run["score"].is_u64() && !run["solution"].is_null(),
            "{run}"
        );
        // With one stream both records of the improvements tell the same.
        let told = |key: &str| {
            let all = run[key].as_array().unwrap().iter();
            all.map(|event| (event["playouts"].clone(), event["score"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(told("improvements"), told("history"), "{run}");
        assert_eq!(told("improvements").last().unwrap().1, run["score"], "{run}");
        assert!(run["machine"]["cores"].as_u64().unwrap() >= 1 && run["machine"]["system"].is_string(), "{run}");
    }
    for part in [
        "A small | comparison\nknapsack: 4 instances, 2 seeds, 1 thread",
        "uct c=0.25  60 s or 100 playouts",
        "p (Wilcoxon)",
    ] {
        assert!(done.stdout.contains(part), "no {part:?} in {}", done.stdout);
    }
    let place = |name: &str| done.stdout.find(name).unwrap_or_else(|| panic!("no {name} in {}", done.stdout));
    assert!(place("a2.kp") < place("a10.kp") && place("a10.kp") < place("weak:30x100:1"), "{}", done.stdout);
    assert!(done.stderr.contains("16 runs, 0 done") && done.stderr.contains("16/16 runs"), "{done:?}");
}

#[test]
fn runs_are_those_of_solve() {
    let (folder, spec) = folder(TILES);
    let out = folder.join("runs.jsonl");
    assert_eq!(run(&["bench", &spec, "-o", &out, "--quiet"]).exits(0).stderr, "");
    for record in records(&out).values() {
        let instance = record["instance"].as_str().unwrap();
        let mut call =
            vec!["solve", "samegame", instance, "--set", "penalty=schadd", "--playouts", "200", "--quiet", "--json"];
        if record["label"] == "sampling" {
            call.extend(["--method", "sampling"]);
        } else {
            assert_eq!(record["label"], "default");
        }
        // The history of a record is the same for equal runs: it has no seconds.
        let solved = without_seconds(run(&call).exits(0).json());
        let same =
            ["instance", "options", "sense", "method", "parameters", "rollout", "seed", "threads", "score", "feasible"];
        for key in
            same.into_iter().chain(["optimal", "bound", "playouts", "nodes", "stop", "history", "solution", "version"])
        {
            assert_eq!(record[key], solved[key], "{key} of {record}");
        }
        // What is kept can be checked by itself.
        let kept = folder.write("kept.json", record.to_string());
        assert!(run(&["check", "samegame", instance, &kept]).exits(0).stdout.starts_with("valid: score"));
    }
    let small = folder.join("small.jsonl");
    run(&["bench", &spec, "--out", &small, "--quiet", "--no-solutions"]).exits(0);
    assert!(records(&small).values().all(|record| record.get("solution").is_none()));
}

#[test]
fn interrupted_comparisons_are_continued() {
    let (folder, spec) = folder(KNAPSACK);
    let out = folder.join("spec.jsonl");
    let whole_table = run(&["bench", &spec, "--quiet", "--json"]).exits(0).json();
    let whole = records(&out);
    let text = read(&out);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();

    // Half of the lines, the last one cut.
    let cut = &lines[8][..lines[8].len() / 2];
    std::fs::write(&out, lines[..8].concat() + cut).unwrap();
    let done = run(&["bench", &spec, "--json"]).exits(0);
    assert!(done.stderr.contains("the last line was cut short") && done.stderr.contains("8 done"), "{done:?}");
    assert_eq!(records(&out), whole);
    let figures = |mut table: Value| {
        for method in table["methods"].as_array_mut().unwrap() {
            method.as_object_mut().unwrap().retain(|key, _| !key.contains("second"));
        }
        table["profile"].as_array_mut().unwrap().retain(|curve| curve["unit"] == "playouts");
        table
    };
    assert_eq!(figures(done.json()), figures(whole_table));

    // Nothing but the end of the last line is missing.
    std::fs::write(&out, text.trim_end()).unwrap();
    let done = run(&["bench", &spec]).exits(0);
    assert!(done.stderr.contains("16 done") && !done.stderr.contains("cut"), "{done:?}");
    assert_eq!(read(&out), text);

    // Other budgets are other runs; both stay.
    let done = run(&["bench", &spec, "--scale", "0.5", "--filter", "nested", "--filter", "a2"]).exits(0);
    assert!(done.stderr.contains("16 records of other runs") && done.stderr.contains("2 runs, 0 done"), "{done:?}");
    let more = records(&out);
    assert_eq!(more.len(), 18);
    assert!(more.iter().filter(|(key, _)| !whole.contains_key(*key)).all(|(_, run)| run["budget"]["playouts"] == 100));

    // Another content under the same name is another instance.
    run(&["generate", "knapsack", "random:21x50:1", "-o", &folder.join("a2.kp"), "--force"]).exits(0);
    let done = run(&["bench", &spec, "--dry-run"]).exits(0);
    assert!(done.stdout.ends_with('\n') && done.stdout.contains("16 runs, 4 to do"), "{done:?}");
    run(&["bench", &spec, "--fresh", "--quiet"]).exits(0);
    assert_eq!(records(&out).len(), 16);
}

#[test]
fn foreign_files_are_left_alone() {
    let (folder, spec) = folder(TILES);
    let whole = {
        let out = folder.join("good.jsonl");
        run(&["bench", &spec, "-o", &out, "--quiet"]).exits(0);
        read(&out)
    };
    let broken = whole.replacen("\"seed\"", "\"sead\"", 1);
    let cut = whole.split_inclusive('\n').next().unwrap().trim_end().trim_end_matches('}').to_owned() + "\n" + &whole;
    for (content, part) in [
        ("mine", "line 1: not a record"),
        ("{\"jo", "-"),
        ("{\"event\":\"start\"}\n", "line 1: not a record"),
        ("\n", "line 1: not a record"),
        (&format!("{whole}{{\"x\":1}}"), "line 5: not a record"),
        (&broken, "line 1: broken record: missing field `seed`"),
        (&cut, "line 1: broken record"),
    ] {
        let out = folder.write("out.jsonl", content);
        if part == "-" {
            // The first bytes of a record are taken for one.
            run(&["bench", &spec, "-o", &out, "--quiet"]).exits(0);
            assert_eq!(records(&out).len(), 4);
            continue;
        }
        for fresh in [&[][..], &["--fresh"]] {
            run(&[&["bench", &spec, "-o", &out], fresh].concat()).refused(1, part);
            assert_eq!(read(&out), content);
        }
    }
    run(&["bench", &spec, "-o", &spec]).refused(2, "would overwrite the spec");
    run(&["bench", &spec, "-o", &folder.join("no/such")]).refused(1, "cannot write");
    run(&["bench", &spec, "-o", &folder.join("")]).refused(1, "not a regular file");
}

#[test]
fn tables_in_every_form() {
    let (folder, spec) = folder(KNAPSACK);
    let json = run(&["bench", &spec, "--quiet", "--json"]).exits(0).json();
    assert_eq!(json["methods"].as_array().unwrap().len(), 2);
    assert_eq!((&json["methods"][0]["runs"], &json["methods"][1]["method"]), (&8.into(), &"uct c=0.25".into()));
    let pair = &json["comparisons"][0];
    assert_eq!(
        (&pair["a"], &pair["b"], &pair["pairs"], &pair["sample"]),
        (&"nested".into(), &"uct c=0.25".into(), &4.into(), &"instances".into())
    );
    let counts: u64 = ["a_wins", "ties", "b_wins"].iter().map(|key| pair[*key].as_u64().unwrap()).sum();
    assert_eq!(counts, 4);
    // The figures are those of the runs.
    let runs = records(&folder.join("spec.jsonl"));
    let mean = |label: &str| {
        let scores: Vec<f64> =
            runs.values().filter(|run| run["label"] == label).map(|run| run["score"].as_f64().unwrap()).collect();
        scores.iter().sum::<f64>() / scores.len() as f64
    };
    let difference = mean("nested") - mean("uct c=0.25");
    assert!((pair["difference"].as_f64().unwrap() - difference).abs() < 1e-9, "{pair}");
    assert!((json["methods"][0]["mean"].as_f64().unwrap() - mean("nested")).abs() < 1e-9);
    assert_eq!(json["instances"].as_array().unwrap().len(), 4);

    let markdown = run(&["bench", &spec, "--quiet", "--markdown", "--instances"]).exits(0).stdout;
    assert!(markdown.starts_with("## A small \\| comparison\n\nknapsack"), "{markdown}");
    let mut columns = 0;
    for line in markdown.lines() {
        let bars = line.replace("\\|", "").matches('|').count();
        assert!(columns == 0 || bars == 0 || bars == columns, "{line} in {markdown}");
        columns = if line.is_empty() {
            0
        } else if line.starts_with('|') {
            bars
        } else {
            columns
        };
    }
    assert_eq!(markdown.matches("| --- |").count(), 3 + 1, "four tables: {markdown}");
    run(&["bench", &spec, "--json", "--markdown"]).refused(2, "cannot be used with");

    let dry = run(&["bench", &spec, "--dry-run", "--json", "--scale", "3"]).exits(0).json();
    assert_eq!((dry["jobs"].as_array().unwrap().len(), &dry["done"], &dry["seconds"]), (16, &0.into(), &Value::Null));
    let order: Vec<_> =
        dry["jobs"].as_array().unwrap()[..4].iter().map(|job| (job["seed"].clone(), job["method"].clone())).collect();
    let expected = [(1, "nested"), (1, "uct c=0.25"), (2, "nested"), (2, "uct c=0.25")];
    assert_eq!(order, expected.map(|(seed, method)| (Value::from(seed), Value::from(method))));
    let files = folder.files();
    let dry =
        run(&["bench", &spec, "--dry-run", "--out", &folder.join("none.jsonl"), "--filter", "uct"]).exits(0).stdout;
    assert!(dry.contains("run   a2.kp, seed 1, uct c=0.25, 60 s or 100 playouts\n"), "{dry}");
    assert!(
        dry.ends_with("8 runs, 8 to do, 2 at a time: about 4 min\n") || dry.contains(" at a time: about "),
        "{dry}"
    );
    assert_eq!(folder.files(), files);
}

#[test]
fn gaps_ranks_and_profiles_are_those_of_the_runs() {
    let tail = "\nbest_known = \"best.csv\"\nprofile = { gaps = [\"2%\", 0], scores = 400, playouts = [1, 50, 200] }\n";
    let (folder, spec) = folder(&KNAPSACK.replace("\nthreads = 1\n", &format!("\nthreads = 1{tail}")));
    // Two of four instances have a value: one that no run reaches, and one that every run exceeds.
    folder.write("best.csv", "instance,value,from\na2,10000,me\nweak:30x100:1,1,me\nother,,me\n");
    let (svg, csv) = (folder.join("profile.svg"), folder.join("tables"));
    let call = ["bench", &spec, "--quiet", "--json", "--svg", &svg, "--csv", &csv];
    let json = run(&call).exits(0).json();
    let runs = records(&folder.join("spec.jsonl"));

    // Gaps: the mean over two instances of the mean over two seeds.
    let scores = |label: &str, instance: &str| -> Vec<f64> {
        let of = runs.values().filter(|run| run["label"] == label && run["instance"] == instance);
        of.map(|run| run["score"].as_f64().unwrap()).collect()
    };
    for row in json["methods"].as_array().unwrap() {
        let label = row["method"].as_str().unwrap();
        let far: f64 = scores(label, "a2.kp").iter().map(|score| (10_000.0 - score) / 10_000.0).sum::<f64>() / 2.0;
        let over: f64 = scores(label, "weak:30x100:1").iter().map(|score| 1.0 - score).sum::<f64>() / 2.0;
        assert!((row["gap"].as_f64().unwrap() - f64::midpoint(far, over)).abs() < 1e-9, "{row}");
        assert_eq!((&row["best_known_reached"], &row["ranked"]), (&2.into(), &4.into()), "{row}");
        let ends = [0, 1].map(|at| row["bootstrap"][at].as_f64().unwrap());
        assert!(ends[0] < row["mean"].as_f64().unwrap() && row["mean"].as_f64().unwrap() < ends[1], "{row}");
    }
    let sum = |key: &str| json["methods"].as_array().unwrap().iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>();
    assert!((sum("mean_rank") - 3.0).abs() < 1e-9 && (sum("wins") - 4.0).abs() < 1e-9, "{json}");
    assert!(json["notes"].to_string().contains("on the 2 of 4 instances that have one"), "{json}");
    assert!(json["notes"].to_string().contains("nested: 2 runs better than the best known score"), "{json}");

    // The profile: two targets by gap, one by score, two units, two methods; each step is an improvement of a run.
    let curves = json["profile"].as_array().unwrap();
    assert_eq!(curves.len(), 3 * 2 * 2);
    let curve = |target: &Value, unit: &str, method: &str| {
        let is = |curve: &&Value| &curve["target"] == target && curve["unit"] == unit && curve["method"] == method;
        curves.iter().find(is).unwrap_or_else(|| panic!("{target} {unit} {method} in {curves:?}"))
    };
    let by_score = curve(&json!({ "score": 400 }), "playouts", "nested");
    let mut reached: Vec<u64> = Vec::new();
    for run in runs.values().filter(|run| run["label"] == "nested") {
        let improvements = run["improvements"].as_array().unwrap();
        let first = improvements.iter().find(|event| event["score"].as_f64().unwrap() >= 400.0);
        reached.extend(first.map(|event| event["playouts"].as_u64().unwrap()));
    }
    assert_eq!((&by_score["runs"], by_score["reached"].as_u64()), (&8.into(), Some(reached.len() as u64)));
    for (at, share) in by_score["steps"].as_array().unwrap().iter().map(|step| (&step[0], step[1].as_f64().unwrap())) {
        let count = reached.iter().filter(|&&first| first <= at.as_u64().unwrap()).count();
        assert!((share - count as f64 / 8.0).abs() < 1e-9, "{by_score}");
    }
    let timed = curve(&json!({ "gap": 0 }), "seconds", "uct c=0.25");
    assert_eq!((&timed["runs"], &timed["reached"]), (&4.into(), &2.into()), "instances without a value are left out");

    // Files for other programs: every run and every curve, and a figure.
    assert_eq!(folder.files(), ["a10.kp", "a2.kp", "best.csv", "profile.svg", "spec.jsonl", "spec.toml", "tables"]);
    let lines = |name: &str| read(format!("{csv}/{name}")).lines().count();
    assert_eq!(
        [lines("runs.csv"), lines("methods.csv"), lines("comparisons.csv"), lines("instances.csv")],
        [17, 3, 2, 9]
    );
    let steps: usize = curves.iter().map(|curve| 1 + curve["steps"].as_array().unwrap().len()).sum();
    assert_eq!(lines("profile.csv"), 1 + steps);
    let listed = read(format!("{csv}/runs.csv"));
    let key = runs.keys().next().unwrap();
    assert!(listed.starts_with("job,instance,seed,method,score,") && listed.contains(key.as_str()), "{listed}");
    let figure = read(&svg);
    assert!(figure.starts_with("<svg") && figure.ends_with("</svg>\n") && figure.contains("score 400 by seconds"));

    let text = run(&["bench", &spec, "--quiet", "--profile"]).exits(0).stdout;
    for part in ["best known reached", "mean rank", "reached by playouts", "gap 2 %", "score 400", "machine: "] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    // Records of the releases before improvements were noted are read as well.
    let old: String = read(folder.join("spec.jsonl"))
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            let job = record["job"].take();
            let fields = record.as_object_mut().unwrap();
            for key in ["job", "improvements", "machine"] {
                fields.remove(key);
            }
            format!("{{\"job\":{job},{}\n", &record.to_string()[1..])
        })
        .collect();
    let old = folder.write("old.jsonl", old);
    let again = run(&["bench", &spec, "--quiet", "--json", "-o", &old]).exits(0).json();
    assert_eq!((&again["comparisons"], &again["machines"]), (&json["comparisons"], &Value::Object(<_>::default())));
    assert!(again["notes"].to_string().contains("16 runs of an older release"), "{again}");

    for (content, code, part) in [
        ("instance,value\nzzz,1\n", 2, "spec.toml: line 8: `best.csv` has a value for none of the instances"),
        ("instance,value\na2,many\n", 1, "best.csv: line 2: expected a number as value, got `many`"),
    ] {
        folder.write("best.csv", content);
        run(&["bench", &spec, "--quiet"]).refused(code, part);
    }
    std::fs::remove_file(folder.join("best.csv")).unwrap();
    run(&["bench", &spec, "--quiet"]).refused(1, "best.csv: cannot be read");
}

#[test]
fn settings_may_come_in_any_order_and_presets_bring_their_rollout() {
    let folder = Folder::new();
    let spec = "problem = \"samegame\"\ninstances = [\"random:6x6x3:1\"]\nbudget = { playouts = 300 }\n\
        [[method]]\nname = \"game\"\nmethod = \"uct\"\nset = { played_only = true, move_playouts = 10 }\n\
        [[method]]\nname = \"informed\"\nmethod = \"bmcts-samegame-informed\"\n";
    let spec = folder.write("spec.toml", spec);
    let out = folder.join("runs.jsonl");
    run(&["bench", &spec, "-o", &out, "--quiet"]).exits(0);
    let runs = read(&out);
    assert!(runs.contains("\"rollout\":\"tabu-color\"") && runs.contains("\"rollout\":\"tabu-bandit\""), "{runs}");
}

#[test]
fn one_instance_is_compared_over_its_seeds() {
    let spec = TILES.replace("1..2\"]", "1\"]\nseeds = [3, \"5..7\", \"18446744073709551615\"]");
    let (_folder, spec) = folder(&spec);
    let json = run(&["bench", &spec, "--quiet", "--json"]).exits(0).json();
    assert_eq!((&json["comparisons"][0]["sample"], &json["comparisons"][0]["pairs"]), (&"seeds".into(), &5.into()));
    assert_eq!(json["seeds"].to_string(), "[3,5,6,7,18446744073709551615]");
}

#[test]
fn wrong_specs_are_refused_in_one_line() {
    let change = |from: &str, to: &str| {
        assert!(KNAPSACK.contains(from), "{from}");
        KNAPSACK.replacen(from, to, 1)
    };
    let cases = [
        (
            2,
            change("problem = \"knapsack\"", "problem = \"knapsak\""),
            "line 3: no problem `knapsak`, did you mean `knapsack`?",
        ),
        (2, change("problem = \"knapsack\"", ""), "missing field `problem`"),
        (2, change("title", "titel"), "line 2: unknown field `titel`"),
        (2, change("seeds = \"1..2\"", "seeds = "), "line 5: "),
        (2, change("\"1..2\"", "\"2..1\""), "line 5: `seeds`: the range 2..1 runs backwards"),
        (2, change("\"1..2\"", "[]"), "line 5: `seeds`: 0 seeds"),
        (2, change("\"1..2\"", "[1, 1]"), "line 5: `seeds`: 1 occurs twice"),
        (2, change("\"1..2\"", "[-1]"), "line 5: `seeds`: expected a whole number"),
        (2, change("\"1..2\"", "[1.5]"), "line 5: `seeds`: expected a whole number"),
        (2, change("\"1..2\"", "\"1..1000000000000\""), "line 5: `seeds`: the range"),
        (2, change("budget = { playouts = 200 }", ""), "line 9: `nested` has no budget"),
        (2, change("playouts = 200", "playouts = 0"), "line 6: `playouts`: the least count"),
        (2, change("playouts = 200", "playouts = \"x\""), "line 6: `playouts`: expected a count"),
        (2, change("playouts = 200", "time = -1"), "line 6: `time`: expected a duration"),
        (2, change("playouts = 200", "target = 5"), "line 6: the budget has no end"),
        (2, change("playouts = 200", "playout = 200"), "line 6: unknown field `playout`"),
        (2, change("threads = 1", "threads = 0"), "line 7: `threads`: expected a whole number from 1 to 256"),
        (2, change("threads = 1", "jobs = \"many\""), "line 7: `jobs`: expected"),
        (2, change("threads = 1", "limit_instances = 0"), "line 7: `limit_instances`: expected"),
        (2, change("threads = 1", "options = { penalty = 1 }"), "line 7: knapsack has no options, got `penalty`"),
        (
            2,
            change("threads = 1", "profile = { gaps = [-1] }"),
            "line 7: `profile.gaps`: expected a gap such as 0.05 or 5%",
        ),
        (
            2,
            change("threads = 1", "profile = { scores = [] }"),
            "line 7: `profile.scores`: 0 numbers, expected 1 to 20",
        ),
        (2, change("threads = 1", "profile = { gap = 1 }"), "line 7: unknown field `gap`"),
        (2, change("threads = 1", "compare.baseline = \"nest\""), "line 7: no method `nest`, did you mean `nested`?"),
        (2, change("method = \"nmcs\"", "method = \"nmsc\""), "no method `nmsc`, did you mean `nmcs`?"),
        (2, change("level = 1", "levle = 1"), "no setting `levle`"),
        (2, change("level = 1", "level = -1"), "parameter `level`: expected"),
        (2, change("level = 1", "level = [1]"), "line 12: invalid type"),
        (
            2,
            change("method = \"nmcs\"", "method = \"bfs\"").replace("set = { level = 1 }", ""),
            "line 9: bfs: it may finish",
        ),
        (
            2,
            change("playouts = 200", "nodes = 200")
                .replace("method = \"nmcs\"", "method = \"sampling\"")
                .replace("set = { level = 1 }", ""),
            "line 9: sampling: it may count no nodes",
        ),
        (2, change("\"random\"", "\"radnom\""), "line 9: no rollout of knapsack `radnom`, did you mean `random`?"),
        (
            2,
            change("name = \"nested\"", "name = \"uct c=0.25\""),
            "line 15: the method name `uct c=0.25` is taken by line 9",
        ),
        (2, change("name = \"nested\"", "name = \"\""), "line 10: `name`: expected 1 to 80"),
        (2, change("a*.kp", "b*.kp"), "line 4: no file matches `b*.kp`"),
        (2, change("a*.kp", "*/a.kp"), "line 4: `*/a.kp`: `*` and `?` may stand in the last part only"),
        (1, change("a*.kp", "none/a*.kp"), "none: cannot be read"),
        (1, change("a*.kp", "none.kp"), "none.kp: cannot be read"),
        (1, change("a*.kp", "spec.toml"), "spec.toml: line"),
        (2, change("weak:30x100:1..2", "weak:30:1..2"), "line 4: weak:30:1: '30' holds 1 sizes, not 2: expected"),
        (2, change("weak:30x100:1..2", "weak:30x100:1..200000"), "line 4: `weak:30x100:1..200000`: the range"),
        (2, change("[\"a*.kp\", \"weak:30x100:1..2\"]", "[]"), "`instances` is empty"),
        (2, KNAPSACK.split("[[method]]").next().unwrap().to_owned(), "missing field `method`"),
        (2, KNAPSACK.split("[[method]]").next().unwrap().to_owned() + "method = []", "0 methods, expected 1 to 100"),
        (
            2,
            KNAPSACK.to_owned()
                + "[[method]]\nname = \"u\"\nmethod = \"uct\"\nset = { c = \"0.250\" }\nbudget = { playouts = 100, time = 60 }",
            "the methods `uct c=0.25` and `u` are the same run",
        ),
        (
            2,
            change("{ playouts = 200 }", "\"10s\""),
            "line 6: invalid type: string \"10s\", expected a table such as { time",
        ),
        (2, change("[[method]]", "[method]"), "line 15: duplicate key"),
        (2, "\u{1}".to_owned(), "line 1: "),
    ];
    for (code, spec, part) in cases {
        let (folder, path) = folder(&spec);
        let before = folder.files();
        let done = run(&["bench", &path]);
        assert!(done.stderr.contains("spec.toml") || code == 1, "{spec}: {done:?}");
        done.refused(code, part);
        assert_eq!(folder.files(), before);
    }
    let folder = Folder::new();
    run(&["bench", &folder.join("none.toml")]).refused(1, "none.toml: cannot be read");
    run(&["bench", &folder.write("bytes.toml", [0xff, 0xfe])]).refused(1, "bytes.toml: cannot be read");
    let tiles = folder.write("tiles.toml", TILES.replace("method = \"sampling\"", "set = { penalty = \"nrpa\" }"));
    run(&["bench", &tiles]).refused(2, "option `penalty` of samegame: expected one of");
    // One method with other rules is no comparison; an option that says what all have changes nothing.
    let with = |penalty: &str| {
        let own = format!("method = \"sampling\"\nset = {{ penalty = \"{penalty}\" }}");
        folder.write("tiles.toml", TILES.replace("method = \"sampling\"", &own))
    };
    run(&["bench", &with("none")]).refused(2, "the methods of a comparison have the same rules: schadd, not none");
    let same = run(&["bench", &with("schadd"), "--dry-run"]).exits(0).stdout;
    assert_eq!(same, run(&["bench", &folder.write("plain.toml", TILES), "--dry-run"]).exits(0).stdout);
}

#[test]
fn the_example_runs() {
    let folder = Folder::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bench/knapsack.toml");
    let out = folder.join("runs.jsonl");
    let table = run(&["bench", example, "--out", &out, "--scale", "0.01", "--quiet", "--json"]).exits(0).json();
    assert!(
        table["methods"].as_array().unwrap().iter().all(|row| row["missing"] == 0 && row["unverified"] == 0),
        "{table}"
    );
    assert!(table["comparisons"].as_array().unwrap().iter().all(|pair| pair["b"] == "playouts"), "{table}");
}

#[test]
fn wrong_calls_are_refused() {
    let (folder, spec) = folder(TILES);
    let before = folder.files();
    for (args, part) in [
        (&["--scale", "0"][..], "expected a number from 1e-6 to 1e6"),
        (&["--scale", "-1"], "expected a number from 1e-6 to 1e6"),
        (&["--jobs", "0"], "from 1 to 256"),
        (&["--filter", "nosuch"], "no method or instance matches --filter `nosuch`"),
        (&["--filter", "sampling", "--filter", "nosuch"], "matches --filter `sampling`, `nosuch`"),
    ] {
        run(&[&["bench", &spec], args].concat()).refused(2, part);
    }
    run(&["bench"]).refused(2, "SPEC.toml");
    assert_eq!(folder.files(), before);
}

#[cfg(unix)]
#[test]
fn a_signal_keeps_what_is_complete() {
    use crate::common::{command, interrupt};
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    let text = TILES.replace("[[method]]\nmethod", "[[method]]\nbudget = { time = \"1h\" }\nmethod");
    let (folder, spec) = folder(&text);
    let mut child = command(&["bench", &spec, "--json", "--jobs", "1"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    // The first run is done within seconds, the second would take an hour; a progress line comes every five seconds.
    while !said.contains("1/4 runs") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    // Two processes do not write to one file.
    run(&["bench", &spec, "--quiet"]).refused(1, "another `soloist bench` is writing it");
    interrupt(child.id());
    stderr.read_to_string(&mut said).unwrap();
    let done = Done::new(child.wait_with_output().unwrap()).exits(130);
    assert!(said.contains("interrupted with 3 runs to do"), "{said}");
    assert_eq!(records(&folder.join("spec.jsonl")).len(), 1);
    let table = done.json();
    assert_eq!((&table["methods"][0]["runs"], &table["methods"][1]["missing"]), (&1.into(), &2.into()));
    // The same call continues; here without the runs that take an hour.
    let done = run(&["bench", &spec, "--filter", "default"]).exits(0);
    assert!(done.stderr.contains("2 runs, 1 done"), "{done:?}");
}
