//! Interruption keeps the incumbent.

use crate::common::{Done, Folder, command, run, sample, without_seconds};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// Starts a search that does not end by itself, waits for its first improvement and sends a signal.
fn interrupted(signal: &str, args: &[&str]) -> Done {
    let sample = sample();
    let call = ["solve", &sample.name, &sample.example, "--method", "sampling", "--json"];
    let mut child = command(&[&call[..], args].concat());
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(" s  ") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "no improvement: {said}");
    }
    let kill = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
    assert!(kill.success());
    stderr.read_to_string(&mut said).unwrap();
    let mut done = Done::new(child.wait_with_output().unwrap());
    done.stderr = said;
    done
}

#[test]
fn the_incumbent_is_printed() {
    for signal in ["INT", "TERM"] {
        let done = interrupted(signal, &["--time", "600"]).exits(130);
        let result = done.json();
        assert_eq!(result["stop"], "interrupted");
        assert!(result["feasible"] == true && !result["solution"].is_null(), "{result}");
        assert!(done.stderr.contains("stopping"), "{done:?}");
    }
}

#[test]
fn an_interrupted_search_can_be_resumed() {
    let (sample, folder) = (sample(), Folder::new());
    let (file, out) = (folder.join("run.ckpt"), folder.join("out.json"));
    let first = interrupted("INT", &["--time", "600", "--checkpoint", &file, "--out", &out]).exits(130).json();
    assert_eq!(folder.files(), ["out.json", "run.ckpt"]);
    let more = (first["playouts"].as_u64().unwrap() + 1000).to_string();
    let base = ["solve", &sample.name, &sample.example, "--quiet", "--json", "--playouts", &more];
    let resumed = run(&[&base[..], &["--resume", &file]].concat()).exits(0).json();
    let whole = run(&[&base[..], &["--method", "sampling"]].concat()).exits(0).json();
    assert_eq!(without_seconds(resumed), without_seconds(whole));
}

#[test]
fn without_limits_the_default_is_told() {
    let done = interrupted("INT", &[]).exits(130);
    assert!(done.stderr.contains("no limit given: stopping after 30 s"), "{done:?}");
    let done = interrupted("INT", &["--target", "1e300"]);
    // For a problem that is minimised the target is reached at once.
    assert!(matches!(done.code, 0 | 130) && done.stderr.contains("only a target given"), "{done:?}");
}

#[test]
fn a_second_signal_kills() {
    let (sample, folder) = (sample(), Folder::new());
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Nobody reads the pipe, so the call hangs where a signal alone cannot stop it.
    let call = ["solve", &sample.name, &sample.example, "--time", "600", "--events", &pipe];
    let mut child = command(&call).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let kill = format!("kill -INT {}", child.id());
    let mut wait_for = |part: &str| {
        let mut said = String::new();
        while !said.contains(part) {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "no {part:?}: {said}");
        }
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    };
    wait_for("seed 0");
    wait_for("once more kills");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.files(), ["pipe"]);
}
