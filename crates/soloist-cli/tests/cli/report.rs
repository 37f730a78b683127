//! Pages made from runs: what they hold, that they load nothing, and how wrong files are refused.

use crate::common::{Folder, read, run};
use serde_json::Value;

const SPEC: &str = r#"
problem = "knapsack"
instances = ["weak:20x50:1..2"]
seeds = "1..3"
budget = { playouts = 100 }
[[method]]
name = "plain <b>"
method = "sampling"
[[method]]
method = "nrpa"
set = { level = 1, iterations = 10 }
"#;

/// A folder with the runs of a comparison.
fn compared() -> (Folder, String) {
    let folder = Folder::new();
    let spec = folder.write("spec.toml", SPEC);
    // One at a time: the page names methods in the order in which runs ended.
    run(&["bench", &spec, "--quiet", "--jobs", "1"]).exits(0);
    let runs = folder.join("spec.jsonl");
    (folder, runs)
}

/// The data of the charts.
fn data(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"data\">";
    let from = page.find(start).unwrap() + start.len();
    let to = from + page[from..].find("</script>").unwrap();
    serde_json::from_str(&page[from..to]).unwrap()
}

#[test]
fn a_comparison_becomes_a_page() {
    let (folder, runs) = compared();
    let out = folder.join("report.html");
    let done = run(&["report", &runs, "-o", &out]).exits(0);
    assert!(done.stdout.is_empty() && done.stderr.starts_with("12 runs of 1 file in "), "{done:?}");
    assert_eq!(folder.files(), ["report.html", "spec.jsonl", "spec.toml"]);
    let page = read(&out);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    for part in [
        "plain &lt;b&gt;",
        "nrpa level=1 iterations=10",
        "weak:20x50:1",
        "Paired differences",
        "Verified: ",
        "soloist bench ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("plain <b>"));
    // Nothing is loaded from anywhere, whatever a reader's browser allows.
    assert!(page.contains("content=\"default-src 'none';"));
    let text = page.replace("http://www.w3.org/2000/svg", "").replace("http%3A", "");
    for address in ["http:", "https:", "src=\"/", "url(h", "@import"] {
        assert!(!text.contains(address), "{address}");
    }
    let data = data(&page);
    let study = &data[0];
    assert_eq!(study["methods"].to_string(), "[\"plain <b>\",\"nrpa level=1 iterations=10\"]");
    for instance in study["instances"].as_array().unwrap() {
        for series in instance["series"].as_array().unwrap() {
            assert_eq!(series["seconds"]["runs"].as_array().unwrap().len(), 3, "{instance}");
            let median = series["playouts"]["median"].as_array().unwrap();
            assert_eq!(median.last().unwrap()[0], 100);
        }
    }
    // Means of the page are those of the table.
    let table = run(&["bench", &folder.join("spec.toml"), "--json", "--quiet"]).exits(0).json();
    for (row, method) in study["finals"].as_array().unwrap().iter().zip(table["methods"].as_array().unwrap()) {
        assert_eq!(row["mean"], method["mean"]);
    }
    assert_eq!(page.matches("class=\"enlarge\"").count(), 2);
}

#[test]
fn best_known_scores_give_gaps_and_targets() {
    let (folder, runs) = compared();
    let (out, best) = (folder.join("report.html"), folder.join("best.csv"));
    let report = |more: &[&str]| run(&[&["report", &runs, "-o", &out], more].concat());
    report(&[]).exits(0);
    let plain = read(&out);
    assert!(!plain.contains("best known") && plain.contains("to the best score of all runs there"));
    // Nothing comes within a tenth of the way to a score that no run can reach.
    folder.write("best.csv", "instance,value\nweak:20x50:1,1e6\n");
    let done = report(&["--best-known", &best]).exits(0);
    let note = "knapsack: best known scores of 1 of 2 instances; gaps and targets cover those";
    assert!(done.stderr.contains(note), "{done:?}");
    let page = read(&out);
    for part in [">gap</th>", ">best known reached</th>", "0 of 3", ">1000000<", "to the best known score there", note]
    {
        assert!(page.contains(part), "{part}");
    }
    let of_level = |page: &str| data(page)[0]["levels"][2]["methods"].to_string();
    assert_eq!(of_level(&page).matches("\"playouts\":[]").count(), 2, "{}", of_level(&page));
    assert_ne!(of_level(&plain), of_level(&page));
    folder.write("other.csv", "instance,value\nelsewhere,1\n");
    report(&["--best-known", &folder.join("other.csv")]).refused(1, "other.csv: no value for any instance of the runs");
    report(&["--best-known", &folder.join("none.csv")]).refused(1, "none.csv: cannot be read");
    run(&["report", &runs, "-o", &best, "--best-known", &best]).refused(2, "would overwrite the best known scores");
    assert_eq!(read(&out), page);
}

#[test]
fn the_page_is_the_same_every_time() {
    let (folder, runs) = compared();
    let (a, b) = (folder.join("a.html"), folder.join("b.html"));
    run(&["report", &runs, "-o", &a, "--quiet"]).exits(0);
    run(&["report", &runs, "-o", &b, "--quiet"]).exits(0);
    assert_eq!(read(a), read(b));
}

#[test]
fn events_and_results_go_together() {
    let folder = Folder::new();
    let (events, result, out) = (folder.join("e.jsonl"), folder.join("r.json"), folder.join("p.html"));
    let call = ["solve", "samegame", "random:6x6x3:1", "--playouts", "200", "--quiet"];
    run(&[&call[..], &["--events", &events]].concat()).exits(0);
    run(&[&call[..], &["--seed", "1", "--out", &result]].concat()).exits(0);
    let done = run(&["report", &events, &result, "--title", "Two & more", "-o", &out]).exits(0);
    // The history of a result has seconds, as events have.
    assert!(!done.stderr.contains("a file does not tell when scores were reached in seconds"), "{done:?}");
    let page = read(&out);
    assert!(page.contains("<title>Two &amp; more</title>") && page.contains("2 runs"));
    assert_eq!(data(&page)[0]["instances"][0]["series"][0]["playouts"]["runs"].as_array().unwrap().len(), 2);
    // The same run twice is one run.
    run(&[&call[..], &["--out", &result]].concat()).exits(0);
    let done = run(&["report", &events, &result, "-o", &out]).exits(0);
    assert!(
        done.stderr.contains("1 record of runs that were there already") && done.stderr.contains("1 run of 2 files"),
        "{done:?}"
    );
}

#[test]
fn instances_that_are_gone_are_said_to_be() {
    let folder = Folder::new();
    let (file, result, out) = (folder.join("a.kp"), folder.join("r.json"), folder.join("p.html"));
    run(&["generate", "knapsack", "random:20x50:1", "-o", &file]).exits(0);
    run(&["solve", "knapsack", &file, "--playouts", "50", "--out", &result, "--quiet"]).exits(0);
    std::fs::remove_file(&file).unwrap();
    run(&["report", &result, "-o", &out]).exits(0);
    let page = read(&out);
    assert!(page.contains("not drawn: ") && !page.contains("class=\"enlarge\""));
}

#[test]
fn wrong_files_are_refused() {
    let (folder, runs) = compared();
    let out = folder.join("p.html");
    let wrong = folder.write("wrong.jsonl", format!("{}{{\"job\":\n{}", read(&runs), read(&runs)));
    run(&["report", &wrong, "-o", &out]).refused(1, "wrong.jsonl: line 13: not valid JSON");
    let foreign = folder.write("foreign.json", "{\"a\": 1}");
    run(&["report", &runs, &foreign, "-o", &out]).refused(1, "foreign.json: line 1: expected a record of `bench`");
    run(&["report", &folder.join("none"), "-o", &out]).refused(1, "none: cannot be read");
    run(&["report", &folder.write("empty", ""), "-o", &out]).refused(1, "empty: no runs");
    run(&["report", &runs, "-o", &runs]).refused(2, "would overwrite a file of runs");
    run(&["report"]).refused(2, "FILE");
    assert!(!folder.files().contains(&"p.html".to_owned()));
}
