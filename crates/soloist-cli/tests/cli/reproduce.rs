//! `soloist reproduce`: experiments that continue, refuse foreign files, and are the same for any number of jobs.

use crate::common::{Folder, read, run};

const SMALL: [&str; 10] =
    ["reproduce", "sa-uct", "--instance", "random:5x60x4:7", "--updates", "30,10", "--seed", "3", "--samples", "40"];

fn study(folder: &str, more: &[&str]) -> crate::common::Done {
    run(&[&SMALL[..], &["--out", folder, "--quiet"], more].concat())
}

#[test]
fn experiments_are_listed() {
    for call in [&["reproduce"][..], &["reproduce", "--list"], &["reproduce", "sa-uct", "--list"]] {
        let done = run(call).exits(0);
        assert!(done.stdout.contains("sa-uct") && done.stdout.contains("ICAART 2014"), "{done:?}");
    }
    assert_eq!(run(&["reproduce", "--json"]).exits(0).json()[0]["name"], "sa-uct");
    run(&["reproduce", "sa-utc"]).refused(2, "did you mean `sa-uct`?");
    run(&["reproduce", "sa-uct", "--updates", "0"]).refused(2, "the least count is 1");
    run(&["reproduce", "sa-uct", "--samples", "1e9"]).refused(2, "at most 1000000 samples");
    run(&["reproduce", "sa-uct", "--instance", "nosuch.txt"]).refused(1, "cannot be read");
}

#[test]
fn data_figures_and_tables() {
    let folder = Folder::new();
    let done = study(&folder.join("a"), &["--jobs", "1"]).exits(0);
    assert!(done.stderr.is_empty() && done.stdout.contains("best median"), "{done:?}");
    let data = read(folder.join("a/samples.jsonl"));
    let lines: Vec<serde_json::Value> = data.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 41);
    assert_eq!((&lines[0]["updates"], &lines[0]["seed"]), (&serde_json::json!([10, 30]), &3.into()));
    for (at, line) in lines[1..].iter().enumerate() {
        assert_eq!(line["sample"], at);
        assert!((0.01..10.0).contains(&line["cp"].as_f64().unwrap()), "{line}");
        for direction in ["forward", "backward"] {
            for method in ["uct", "sa-uct"] {
                assert_eq!(line[direction][method].as_array().unwrap().len(), 2, "{line}");
            }
        }
    }
    for direction in ["forward", "backward"] {
        let svg = read(folder.join(&format!("a/{direction}.svg")));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("SA-UCT, N = 30"), "{svg}");
    }
    let summary: serde_json::Value = serde_json::from_str(&read(folder.join("a/summary.json"))).unwrap();
    assert_eq!((summary["panels"].as_array().unwrap().len(), &summary["samples"]), (8, &40.into()));
    // The same whatever runs at a time, and again the same when nothing is left to do.
    study(&folder.join("b"), &["--jobs", "3"]).exits(0);
    assert_eq!(read(folder.join("b/samples.jsonl")), data);
    assert_eq!(study(&folder.join("b"), &["--json"]).exits(0).json(), summary);
    assert_eq!(read(folder.join("b/samples.jsonl")), data);
}

#[test]
fn studies_continue_where_they_were_cut() {
    let folder = Folder::new();
    study(&folder.join("whole"), &[]).exits(0);
    let whole = read(folder.join("whole/samples.jsonl"));
    let part = |samples| {
        let call: Vec<&str> = SMALL[..SMALL.len() - 1].iter().copied().chain([samples]).collect();
        run(&[&call[..], &["--out", &folder.join("part"), "--quiet"]].concat())
    };
    part("7").exits(0);
    let seven = read(folder.join("part/samples.jsonl"));
    assert!(whole.starts_with(&seven) && seven.lines().count() == 8, "{seven}");
    for cut in [seven.len() - 20, seven.len() - 1, 30] {
        folder.write("part/samples.jsonl", &seven[..cut]);
        part("40").exits(0);
        assert_eq!(read(folder.join("part/samples.jsonl")), whole, "{cut}");
    }
    // Fewer samples than there are: the first ones count, and nothing is lost.
    let few = part("5").exits(0);
    assert!(few.stdout.contains("5 samples") && read(folder.join("part/samples.jsonl")) == whole, "{few:?}");
}

#[test]
fn files_of_others_are_refused() {
    let folder = Folder::new();
    study(&folder.join("a"), &[]).exits(0);
    let data = read(folder.join("a/samples.jsonl"));
    let other = |key: &str, value: &str| {
        let call: Vec<&str> = SMALL
            .iter()
            .scan("", |last, &own| Some(if std::mem::replace(last, own) == key { value } else { own }))
            .collect();
        run(&[&call[..], &["--out", &folder.join("a"), "--quiet"]].concat())
    };
    other("--seed", "4").refused(1, "line 1: the file holds another study: seed 3 instead of 4");
    other("--updates", "10").refused(1, "another study: updates [10,30] instead of [10]");
    other("--instance", "random:5x60x4:8").refused(1, "another study: fingerprint");
    for (content, part) in [
        ("notes\n".to_owned(), "line 1: not a record of `soloist reproduce`"),
        (data.replacen("\"sample\":3,", "\"sample\":4,", 1), "line 5: expected sample 3 of this study"),
        (data.replacen("\"cp\":", "\"cp\"", 1), "broken record"),
    ] {
        folder.write("a/samples.jsonl", &content);
        study(&folder.join("a"), &[]).refused(1, part);
        assert_eq!(read(folder.join("a/samples.jsonl")), content);
    }
}
