//! `soloist solve`: results, their files, events and equality of runs.

use crate::common::{Folder, command, read, run, sample, samples, solve, without_seconds};
use serde_json::Value;

const FIELDS: [&str; 16] = [
    "problem",
    "instance",
    "method",
    "seed",
    "score",
    "feasible",
    "violation",
    "optimal",
    "bound",
    "playouts",
    "nodes",
    "seconds",
    "stop",
    "moves",
    "solution",
    "version",
];

#[test]
fn results_have_all_fields_and_equal_runs_equal_results() {
    for sample in samples() {
        let call = ["solve", &sample.name, &sample.example, "--playouts", "300", "--seed", "5", "--json", "--quiet"];
        let done = run(&call);
        let result = done.json();
        for field in
            FIELDS.iter().chain(&["infeasible", "parameters", "rollout", "threads", "options", "sense", "history"])
        {
            assert!(result.get(field).is_some(), "{}: no {field}", sample.name);
        }
        assert_eq!(result["seed"], 5);
        assert_eq!(result["problem"], sample.name.as_str());
        assert_eq!(result["feasible"].as_bool().unwrap(), done.code == 0);
        assert_eq!(result["score"].is_null(), done.code == 3);
        if let Some(last) = result["history"].as_array().unwrap().last() {
            assert_eq!(last["score"], result["score"]);
            assert!(last["seconds"].as_f64() <= result["seconds"].as_f64());
        }
        assert_eq!(without_seconds(result), without_seconds(run(&call).json()), "{}", sample.name);
    }
}

/// Proven infeasible is not proven optimal: nothing says that no tour is late by less.
#[test]
fn an_infeasible_instance_is_not_solved_optimally() {
    let folder = Folder::new();
    // The only tour is late by 4.
    let file = folder.write("late.txt", "2\n0 5\n5 0\n0 100\n0 1\n");
    let call = ["solve", "tsptw", &file, "--method", "dfs", "--nodes", "1000", "--quiet"];
    let result = run(&[&call[..], &["--json"]].concat()).exits(3).json();
    let claims = ["feasible", "optimal", "infeasible", "stop"].map(|field| result[field].clone());
    assert_eq!(serde_json::json!(claims), serde_json::json!([false, false, true, "exhausted"]));
    assert!(result["score"].is_null() && result["bound"].is_null() && result["violation"].is_number());
    assert!(run(&call).exits(3).stdout.contains("proven infeasible"));
}

#[test]
fn every_method_repeats_itself_with_threads() {
    let presets = run(&["methods", "--json"]).json();
    for sample in samples() {
        for preset in presets.as_array().unwrap() {
            let name = preset["name"].as_str().unwrap();
            // A search of a problem's own runs on that alone.
            let own = preset["problems"].as_array();
            if own.is_some_and(|own| !own.contains(&sample.name.as_str().into())) {
                continue;
            }
            // A search that goes layer by layer finishes no playout for long.
            let args = ["--method", name, "--playouts", "200", "--nodes", "20k", "--seed", "3", "--threads", "2"];
            let solve = || {
                let mut result = solve(&sample, &args);
                // After a proof, how far the other stream has come is a matter of its schedule.
                if result["optimal"] == true {
                    let result = result.as_object_mut().unwrap();
                    result.remove("playouts");
                    result.remove("nodes");
                    result.remove("tree");
                }
                result
            };
            let first = solve();
            assert_eq!(first["method"], name);
            assert_eq!(first["threads"], 2);
            assert_eq!(first, solve(), "{} by {name}", sample.name);
            if first["stop"] == "playouts" {
                assert_eq!(first["playouts"], 200, "{} by {name}", sample.name);
            }
        }
    }
}

#[test]
fn whole_numbers_print_as_integers() {
    let result = solve(&sample(), &["--method", "sampling", "--playouts", "10"]);
    assert_eq!(result["playouts"].to_string(), "10");
    for entry in result["history"].as_array().unwrap() {
        let score = &entry["score"];
        assert!(score.is_null() || score.as_f64().unwrap().fract() != 0.0 || score.is_i64(), "{score}");
    }
}

#[test]
fn settings_go_to_the_method_and_its_name_stays() {
    let sample = sample();
    let set = ["--set", "level=2", "--set", "iterations=7", "--playouts", "49"];
    let result = solve(&sample, &[&["--method", "nrpa"], &set[..]].concat());
    assert_eq!((&result["method"], &result["parameters"]["level"]), (&Value::from("nrpa"), &Value::from(2)));
    assert_eq!(result["parameters"]["iterations"], 7);
    let short = solve(&sample, &["-m", "nrpa", "-s", "level=2", "-s", "iterations=7", "--playouts", "49"]);
    assert_eq!(short, result);
    let typed = solve(&sample, &["--method", "uct", "--set", "c=0.25", "--playouts", "9"]);
    assert_eq!(typed["parameters"]["c"], 0.25);
}

#[test]
fn options_change_the_rules_and_are_told() {
    for sample in samples() {
        for (key, values) in &sample.options {
            for value in values {
                // A range of numbers is tried at its lower end.
                let value = value.split("..").next().unwrap().to_owned();
                if (sample.name.as_str(), value.as_str()) == ("packing", "given") {
                    // Values of its own are what the example has not.
                    continue;
                }
                let result = solve(&sample, &["--set", &format!("{key}={value}"), "--playouts", "50"]);
                assert_eq!(result["options"][key], value.as_str(), "{}", sample.name);
            }
            let call = ["solve", &sample.name, &sample.example, "--set", &format!("{key}=nosuch")];
            run(&call).refused(2, "expected one of");
        }
    }
}

#[test]
fn every_rollout_runs() {
    for sample in samples() {
        let details = run(&["problems", &sample.name, "--json"]).json();
        for info in details["rollouts"].as_array().unwrap() {
            let name = info["name"].as_str().unwrap();
            let result = solve(&sample, &["--rollout", name, "--method", "sampling", "--playouts", "20"]);
            assert_eq!(result["rollout"], name);
        }
    }
}

#[test]
fn a_target_stops_the_run() {
    let sample = sample();
    let first = solve(&sample, &["--method", "sampling", "--playouts", "100"]);
    let score = first["score"].to_string();
    let again = solve(&sample, &["--method", "sampling", "--playouts", "1e6", "--target", &score]);
    assert_eq!(again["stop"], "target");
    assert_eq!(again["score"], first["score"]);
    assert!(again["playouts"].as_u64().unwrap() <= 100);
}

#[test]
fn stalls_stop_the_run() {
    let result = solve(&sample(), &["--method", "sampling", "--stall", "100"]);
    assert_eq!(result["stop"], "stall");
    let last = result["history"].as_array().unwrap().last().unwrap()["playouts"].as_u64().unwrap();
    assert_eq!(result["playouts"].as_u64().unwrap(), last + 100);
}

#[test]
fn text_is_for_people_and_quiet_is_quiet() {
    for sample in samples() {
        let done = run(&["solve", &sample.name, &sample.example, "--playouts", "200", "--quiet"]);
        assert!(matches!(done.code, 0 | 3) && done.stderr.is_empty(), "{done:?}");
        let result = solve(&sample, &["--playouts", "200"]);
        let unit = result["unit"].as_str().unwrap_or("playouts");
        let ended = if result["stop"] == "playouts" { format!("200 {unit}, ") } else { format!(" {unit}, ") };
        for part in ["score ", "stopped ", &ended, "method ", "seed 0", env!("CARGO_PKG_VERSION")] {
            assert!(done.stdout.contains(part), "no {part:?} in {}", done.stdout);
        }
    }
}

#[test]
fn a_score_of_two_numbers_is_shown_as_both() {
    let call = ["solve", "vrptw", "random:12:3", "--playouts", "50"];
    let result = run(&[&call[..], &["--json", "--quiet"]].concat()).json();
    let (vehicles, distance) = (result["solution"]["vehicles"].as_f64(), result["solution"]["distance"].as_f64());
    let pair = [result["pair"][0].as_f64(), result["pair"][1].as_f64()];
    assert_eq!(pair[0], vehicles);
    assert!((pair[1].unwrap() - distance.unwrap()).abs() < 1e-6, "{pair:?}");
    let shown = run(&call);
    let score = format!("score     {} / ", vehicles.unwrap());
    assert!(shown.stdout.contains(&score) && !shown.stdout.contains("000000"), "{}", shown.stdout);
    assert!(shown.stderr.contains(&format!(" {} / ", vehicles.unwrap())), "{}", shown.stderr);
    // The distance alone is one number.
    let alone = run(&[&call[..], &["--set", "objective=distance", "--json", "--quiet"]].concat()).json();
    assert!(alone.get("pair").is_none() && alone["score"].is_number());
}

#[test]
fn outputs_may_be_relative() {
    let (sample, folder) = (sample(), Folder::new());
    let call = ["solve", &sample.name, &sample.example, "--playouts", "9", "--quiet"];
    let outputs = ["--out", "r.json", "--svg", "./r.svg", "--events", "e.jsonl", "--checkpoint", "c.ckpt"];
    let mut child = command(&[&call[..], &outputs[..]].concat());
    assert!(child.current_dir(folder.join("")).output().unwrap().status.success());
    assert_eq!(folder.files(), ["c.ckpt", "e.jsonl", "r.json", "r.svg"]);
    let twice = command(&[&call[..], &["--out", "x", "--svg", "./x"]].concat()).current_dir(folder.join("")).output();
    assert_eq!(twice.unwrap().status.code(), Some(2));
}

#[test]
fn progress_goes_to_standard_error() {
    let sample = sample();
    let call = ["solve", &sample.name, &sample.example, "--method", "sampling", "--playouts", "200", "--json"];
    let done = run(&call).exits(0);
    assert!(done.stderr.contains("sampling") && done.stderr.contains("after"), "{done:?}");
    assert!(!done.stderr.contains('\x1b'), "colours without a terminal: {done:?}");
    assert_eq!(done.json()["playouts"], 200);
    let colored = run(&[&call[..], &["--color", "always"]].concat());
    assert!(colored.stderr.contains("\x1b[32m"), "{colored:?}");
    let plain = run(&[&call[..], &["--color=never"]].concat());
    assert!(!plain.stderr.contains('\x1b'), "{plain:?}");
}

#[test]
fn files_are_written() {
    for sample in samples() {
        let folder = Folder::new();
        let (out, svg) = (folder.write("r.json", "old"), folder.join("r.svg"));
        let events = folder.write("e.jsonl", "old line\n");
        let call = ["solve", &sample.name, &sample.example, "--playouts", "100", "--json", "--quiet"];
        let done = run(&[&call[..], &["--out", &out, "--svg", &svg, "--events", &events]].concat());
        assert_eq!(read(&out), done.stdout);
        if done.json()["solution"].is_null() {
            assert_eq!(folder.files(), ["e.jsonl", "r.json"]);
            continue;
        }
        assert_eq!(folder.files(), ["e.jsonl", "r.json", "r.svg"], "something is left behind");
        assert!(read(&svg).contains("<svg"), "{}", sample.name);
        let text = run(&["solve", &sample.name, &sample.example, "--playouts", "100", "--quiet", "--out", &out]);
        assert!(text.stdout.contains("score "), "{text:?}");
        let written = serde_json::from_str(&read(&out)).unwrap();
        assert_eq!(without_seconds(written), without_seconds(done.json()));

        let lines: Vec<Value> = read(&events).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
        assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("start", "end"));
        for key in ["problem", "method", "parameters", "seed", "threads", "rollout", "version", "options", "sense"] {
            assert_eq!(lines[0][key], done.json()[key], "{key}");
        }
        let last = lines.iter().rfind(|line| line["event"] == "improved").unwrap();
        assert_eq!((&last["score"], &last["solution"]), (&done.json()["score"], &done.json()["solution"]));
        assert_eq!(lines[lines.len() - 1]["playouts"], done.json()["playouts"]);
    }
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay() {
    let (sample, folder) = (sample(), Folder::new());
    let (real, link) = (folder.write("real.json", "old"), folder.join("link.json"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let call = ["solve", &sample.name, &sample.example, "--playouts", "10", "--json", "--quiet", "--out"];
    let done = run(&[&call[..], &[&link]].concat()).exits(0);
    assert_eq!(read(&real), done.stdout);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    let both = run(&[&call[..], &["/dev/stdout"]].concat()).exits(0);
    assert_eq!(both.stdout.lines().count(), 2, "the result is printed and written there: {both:?}");
    run(&[&call[..], &["/dev/null"]].concat()).exits(0);
    use std::os::unix::fs::FileTypeExt;
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let sample = sample();
    let solve = ["solve", &sample.name, &sample.example, "--playouts", "100", "--quiet", "--json"];
    let calls = [&solve[..], &["problems"], &["methods", "--json"], &["completions", "bash"], &["man"], &["--help"]];
    for call in calls {
        let mut child = command(call);
        let mut child =
            child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{call:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{call:?}: {output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_a_failure() {
    let sample = sample();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let method = ["--method", "sampling"];
    let call =
        [&["solve", &sample.name, &sample.example, "--playouts", "10", "--quiet", "--json"][..], &method].concat();
    let output = command(&call).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: cannot write to standard output"));
    let events = run(&[&call[..], &["--events", "/dev/full"]].concat()).exits(1);
    assert!(events.stderr.starts_with("error: cannot write /dev/full"), "{events:?}");
    assert_eq!(events.json()["playouts"], 10, "the result is printed all the same");
}
