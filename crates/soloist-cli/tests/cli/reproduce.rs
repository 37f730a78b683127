//! `soloist reproduce`: published values beside ours, experiments that continue, refuse foreign files, and are the same
//! for any number of jobs.

use crate::common::{Folder, read, run};

#[test]
fn experiments_are_listed() {
    for call in [&["reproduce"][..], &["reproduce", "--list"], &["reproduce", "sa-uct-forward", "--list"]] {
        let done = run(call).exits(0);
        assert!(done.stdout.contains("sa-uct") && done.stdout.contains("ICAART 2014"), "{done:?}");
    }
    let list = run(&["reproduce", "--json", "--data", "nowhere"]).exits(0).json();
    let list = list.as_array().unwrap();
    let count = |prefix: &str| list.iter().filter(|entry| entry["name"].as_str().unwrap().starts_with(prefix)).count();
    let papers =
        ["schadd-table-", "schadd-figure-2", "baier-figure-", "hd-nrpa-table-", "hd-nrpa-", "rei-table-", "sa-uct"];
    assert_eq!(papers.map(count), [7, 1, 8, 3, 8, 3, 5]);
    for key in ["small_scale", "hours"] {
        assert!(list.iter().all(|entry| entry[key].as_f64().is_some_and(|value| value > 0.0)), "{key}");
    }
    assert!(run(&["reproduce", "--list", "--data", "nowhere"]).exits(0).stdout.contains("missing"));
    run(&["reproduce", "sa-utc-forward"]).refused(2, "did you mean `sa-uct-forward`?");
}

/// A report without what depends on the machine.
fn lasting(mut report: serde_json::Value) -> serde_json::Value {
    report.as_object_mut().unwrap().remove("hours");
    for method in report["methods"].as_array_mut().unwrap() {
        method.as_object_mut().unwrap().remove("seconds");
    }
    let is_lasting = |note: &serde_json::Value| !note.as_str().unwrap().starts_with("hours:");
    report["notes"].as_array_mut().unwrap().retain(is_lasting);
    report
}

#[test]
fn published_values_stand_beside_ours() {
    let folder = Folder::new();
    let out = folder.join("snakes");
    let call = ["reproduce", "hd-nrpa-table-2", "--scale", "0.00001", "--limit", "8", "--quiet", "--out", &out];
    let done = run(&call).exits(0);
    assert!(done.stderr.is_empty() && done.stdout.contains("HD-NRPA reaches the lengths"), "{done:?}");
    let report = read(folder.join("snakes/report.md"));
    assert!(report.contains("published: best known of the paper") && report.contains("![Snakes"), "{report}");
    // d3k2: every method finds the longest snake, 4 edges.
    assert!(report.contains("| d3k2 | 4 | 4 | 4 | 4 |"), "{report}");
    // A best length that is not HD-NRPA's own is no target of it.
    assert!(report.contains("HD-NRPA; reached on ") && report.contains(" of 6 instances |"), "{report}");
    for part in ["- unit of work: playouts", "- differs from the paper: ", "about 16 for the full scale"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let svg = read(folder.join("snakes/figure.svg"));
    assert!(svg.starts_with("<svg") && svg.contains(">d10k2<"), "{svg}");
    assert!(report.contains("the first 8 of 66 instances were run"), "{report}");
    assert!(report.contains("; the budgets are 0.00001 times those of the paper (1 h an instance);"), "{report}");
    assert!(report.contains("so that it can contain 0 beside a confirmed claim"), "{report}");
    let whole: serde_json::Value = serde_json::from_str(&read(folder.join("snakes/report.json"))).unwrap();
    assert_eq!((&whole["instances"], &whole["methods"][0]["runs"]), (&8.into(), &8.into()));
    // The runs are a spec of `bench`, from whose file it continues.
    let runs = read(folder.join("snakes/runs.jsonl"));
    assert_eq!(runs.lines().count(), 16);
    let spec = folder.join("snakes/spec.toml");
    let bench = run(&["bench", &spec, "--out", &folder.join("snakes/runs.jsonl"), "--json", "--quiet"]).exits(0).json();
    assert_eq!((&bench["methods"][0]["mean"], &bench["methods"][0]["runs"]), (&whole["methods"][0]["mean"], &8.into()));
    assert_eq!(read(folder.join("snakes/runs.jsonl")), runs);
    // An experiment that was cut short ends as an undisturbed one.
    folder.write("snakes/runs.jsonl", &runs[..runs.len() / 3]);
    assert_eq!(lasting(run(&[&call[..], &["--json"]].concat()).exits(0).json()), lasting(whole));
    // The runs alone give the same report, without their settings in the call.
    let whole: serde_json::Value = serde_json::from_str(&read(folder.join("snakes/report.json"))).unwrap();
    let again = ["reproduce", "hd-nrpa-table-2", "--report-only", "--out", &out];
    assert_eq!(run(&[&again[..], &["--json"]].concat()).exits(0).json(), whole);
    let markdown = read(folder.join("snakes/report.md"));
    folder.write("snakes/report.md", "");
    run(&again).exits(0);
    assert_eq!(read(folder.join("snakes/report.md")), markdown);
    // A score that was changed changes the verdict; a run that is gone is missing.
    let worse = read(folder.join("snakes/runs.jsonl")).replace("\"score\":4,", "\"score\":2,");
    folder.write("snakes/runs.jsonl", &worse);
    let changed = run(&[&again[..], &["--json"]].concat()).exits(0).json();
    assert_ne!(changed["claims"], whole["claims"]);
    folder.write("snakes/runs.jsonl", worse.split_once('\n').unwrap().1);
    assert_eq!(run(&[&again[..], &["--json"]].concat()).exits(130).json()["missing"], 1);
    folder.write("snakes/report.json", "{}");
    run(&again).refused(1, "not a report of `soloist reproduce`");
    run(&["reproduce", "hd-nrpa-table-2", "--limit", "0"]).refused(2, "expected a whole number from 1");
}

/// Settings that are scaled down to the same counts make one run of two methods: nothing is run, and nothing fails.
#[test]
fn a_scale_without_a_difference_is_not_testable() {
    let folder = Folder::new();
    let out = folder.join("few");
    let call = ["reproduce", "sa-uct-forward", "--scale", "0.0005", "--quiet", "--out", &out];
    let done = run(&call).exits(0);
    assert!(done.stdout.contains("not testable at this scale (0.0005): the methods `UCT N=300"), "{done:?}");
    let report = run(&[&call[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(report["outcome"], "not testable at this scale");
    assert!(!std::path::Path::new(&out).exists());
    let status = run(&["reproduce", "--status", &folder.join(""), "--scale", "0.0005"]).exits(0);
    let line = status.stdout.lines().find(|line| line.starts_with("sa-uct-forward")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["sa-uct-forward", "0.0005", "-", "0", "0", "0", "2", "-"]);
}

/// What no paper says is listed and counted apart.
#[test]
fn questions_of_ours_are_no_claims() {
    let folder = Folder::new();
    let (data, out) = (folder.join("data"), folder.join("out"));
    std::fs::create_dir_all(folder.join("data/samegame/standard")).unwrap();
    folder.write("data/samegame/standard/js01.txt", "1 2 1\n2 2 1\n1 1 2\n");
    let call = ["reproduce", "hd-nrpa-study", "--scale", "0.005", "--data", &data, "--out", &out, "--quiet"];
    let report = run(&[&call[..], &["--json"]].concat()).exits(0).json();
    assert_eq!((report["claims"].as_array().unwrap().len(), report["questions"].as_array().unwrap().len()), (0, 9));
    let markdown = read(folder.join("out/report.md"));
    assert!(markdown.contains("| question of ours |") && !markdown.contains("| claim of the paper |"), "{markdown}");
}

#[test]
fn settings_are_chosen_first() {
    let folder = Folder::new();
    let out = folder.join("beam");
    let call =
        ["reproduce", "baier-figure-8", "--scale", "0.00002", "--limit", "2", "--quiet", "--json", "--out", &out];
    let report = run(&call).exits(0).json();
    let methods = report["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 4);
    for method in methods {
        assert!(method["chosen"]["c"].is_string() && method["runs"] == 2, "{method}");
    }
    assert_eq!(methods[3]["chosen"].as_object().unwrap().len(), 3);
    for claim in report["claims"].as_array().unwrap() {
        let outcome = claim["outcome"].as_str().unwrap();
        // The scores of all runs are feasible, so that there are pairs, but two of them show no difference.
        assert!(["confirmed", "not confirmed", "not testable here"].contains(&outcome), "{claim}");
    }
    // What was chosen stays chosen.
    let tuning = read(folder.join("beam/tuning.jsonl"));
    assert_eq!(run(&call).exits(0).json(), report);
    assert_eq!(read(folder.join("beam/tuning.jsonl")), tuning);
}

#[test]
fn absent_data_is_named() {
    let folder = Folder::new();
    let call =
        |id: &str| run(&["reproduce", id, "--data", &folder.join("data"), "--out", &folder.join("out"), "--quiet"]);
    call("schadd-table-1").refused(1, "put SameGame: the 250 random boards of Schadd et al.");
    call("rei-table-4.1").refused(1, "no partition/hard0100.dat in");
    assert!(!std::path::Path::new(&folder.join("out")).exists());
    // What is there is used.
    std::fs::create_dir_all(folder.join("data/partition")).unwrap();
    folder.write("data/partition/hard0300.dat", "7\n11\n13\n17\n19\n23\n");
    let data = folder.join("data");
    let out = folder.join("out");
    let done = run(&["reproduce", "rei-table-4.1", "--scale", "0.00001", "--data", &data, "--out", &out]).exits(0);
    assert!(done.stderr.contains("left out, because not in") && done.stdout.contains("hard0300"), "{done:?}");
}

/// A campaign names what it cannot run, ends with its hours, and says how far it is.
#[test]
fn campaigns_go_on_in_slices() {
    let folder = Folder::new();
    let out = folder.join("all");
    let call = ["reproduce", "--all", "--scale", "0.000001", "--limit", "1", "--data", "nowhere", "--out", &out];
    let done = run(&[&call[..], &["--hours", "0.0004", "--quiet"]].concat()).exits(1);
    assert!(done.stderr.contains("schadd-table-4: no samegame/schadd250"), "{done:?}");
    let status = run(&["reproduce", "--status", &out, "--scale", "0.000001"]).exits(0).stdout;
    assert_eq!(done.stdout, status);
    for id in ["sa-uct-forward", "hd-nrpa-table-2", "rei-table-6.1", "processor hours spent, about"] {
        assert!(status.contains(id), "{id} in {status}");
    }
    run(&call[..call.len() - 2]).refused(2, "--out");
    run(&["reproduce", "--hours", "1"]).refused(2, "--all");
}

/// The same runs have the same verdicts; a report that says something else is named.
#[test]
fn verdicts_are_made_again() {
    let folder = Folder::new();
    let (there, here) = (folder.join("there"), folder.join("here"));
    let made = folder.join("there/hd-nrpa-table-2");
    run(&["reproduce", "hd-nrpa-table-2", "--scale", "0.00001", "--limit", "4", "--quiet", "--out", &made]).exits(0);
    let call = ["reproduce", "--all", "--like", &there, "--out", &here, "--quiet"];
    let done = run(&call).exits(0);
    assert!(done.stdout.contains("hd-nrpa-table-2") && !done.stdout.contains("sa-uct"), "{done:?}");
    let report = read(folder.join("there/hd-nrpa-table-2/report.json"));
    let outcome = if report.contains("\"not confirmed\"") { "not confirmed" } else { "confirmed" };
    folder.write("there/hd-nrpa-table-2/report.json", report.replacen(&format!("\"{outcome}\""), "\"differs\"", 1));
    let done = run(&call).exits(1);
    assert!(done.stdout.contains(&format!("differs there, {outcome} here")), "{done:?}");
    run(&["reproduce", "--all", "--like", &here, "--scale", "1", "--out", &there]).refused(2, "--scale");
    run(&["reproduce", "--all", "--like", &folder.join("none"), "--out", &here]).refused(1, "no finished experiment");
}

/// Rows that are asked for are made alone, with the claims about them, and the report says so.
#[test]
fn rows_are_made_alone() {
    let folder = Folder::new();
    let out = folder.join("two");
    let rows = ["--row", "bmcts beam_limit=3000 beam_width=100", "--row", "bmcts beam_limit=3000 beam_width=1"];
    let call = ["reproduce", "baier-figure-5", "--scale", "0.0002", "--limit", "2", "--quiet", "--out", &out];
    let report = run(&[&call[..], &rows, &["--json"]].concat()).exits(0).json();
    let names: Vec<_> = report["methods"].as_array().unwrap().iter().map(|method| &method["method"]).collect();
    assert_eq!(names, [rows[3], rows[1]]);
    assert_eq!((report["claims"].as_array().unwrap().len(), &report["missing"]), (1, &0.into()));
    // Settings are chosen for these rows alone: eight values on 24 boards, which race after five of them.
    let tuned = read(folder.join("two/tuning.jsonl"));
    assert!((2 * 8 * 5..=2 * 8 * 24).contains(&tuned.lines().count()), "{}", tuned.lines().count());
    assert!(tuned.lines().all(|line| rows.iter().any(|row| line.contains(&format!("\"{row} #")))), "{tuned}");
    let markdown = read(folder.join("two/report.md"));
    assert!(markdown.contains(" --row \"bmcts beam_limit=3000 beam_width=100\" --row "), "{markdown}");
    // The report keeps its rows, here and where it is made again.
    let again = run(&["reproduce", "baier-figure-5", "--report-only", "--json", "--out", &out]).exits(0).json();
    assert_eq!(again["methods"], report["methods"]);
    run(&[&call[..], &["--row", "beam_width=3"]].concat()).refused(2, "no row has `beam_width=3` in its name; rows: ");
    run(&["reproduce", "--all", "--row", "a", "--out", &out]).refused(2, "--row");
}
