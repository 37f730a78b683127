//! Interruption keeps the incumbent.

use crate::common::{Done, Folder, command, interrupt, run, sample, send, stop_signal, without_seconds};
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
    assert!(send(signal, child.id()));
    stderr.read_to_string(&mut said).unwrap();
    let mut done = Done::new(child.wait_with_output().unwrap());
    done.stderr = said;
    done
}

#[test]
fn the_incumbent_is_printed() {
    for signal in [stop_signal(), "TERM"] {
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
    let first = interrupted(stop_signal(), &["--time", "600", "--checkpoint", &file, "--out", &out]).exits(130).json();
    assert_eq!(folder.files(), ["out.json", "run.ckpt"]);
    let more = (first["playouts"].as_u64().unwrap() + 1000).to_string();
    let base = ["solve", &sample.name, &sample.example, "--quiet", "--json", "--playouts", &more];
    let resumed = run(&[&base[..], &["--resume", &file]].concat()).exits(0).json();
    let whole = run(&[&base[..], &["--method", "sampling"]].concat()).exits(0).json();
    assert_eq!(without_seconds(resumed), without_seconds(whole));
}

#[test]
fn without_limits_the_default_is_told() {
    let done = interrupted(stop_signal(), &[]).exits(130);
    assert!(done.stderr.contains("no limit given: stopping after 30 s"), "{done:?}");
    let done = interrupted(stop_signal(), &["--target", "1e300"]);
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
    let process = child.id();
    let mut wait_for = |part: &str| {
        let mut said = String::new();
        while !said.contains(part) {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "no {part:?}: {said}");
        }
        interrupt(process);
    };
    wait_for("seed 0");
    wait_for("once more kills");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.files(), ["pipe"]);
}

/// Only Linux shows which signals a program ignores when it starts.
#[cfg(target_os = "linux")]
#[test]
fn signals_that_were_ignored_stay_ignored() {
    let sample = sample();
    let binary = assert_cmd::cargo::cargo_bin!("soloist").to_str().unwrap();
    for (trap, signals) in [("trap '' HUP", ["HUP", "TERM"]), ("trap '' INT", ["INT", "TERM"])] {
        let call = [binary, "solve", &sample.name, &sample.example, "--method", "sampling", "--time", "600"];
        let mut child = Command::new("sh");
        child.args(["-c", &format!("{trap}; exec \"$0\" \"$@\"")]).args(call);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains(" s  ") {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "no improvement: {said}");
        }
        assert!(send(signals[0], child.id()));
        // A run that heeded the signal would be over by then.
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert!(child.try_wait().unwrap().is_none(), "{trap}");
        // The others are heeded.
        assert!(send(signals[1], child.id()));
        assert_eq!(child.wait().unwrap().code(), Some(130), "{trap}");
    }
}
