//! Workers of a shared folder, jobs that are stopped and started again, parts of a comparison.

use crate::common::{Done, Folder, command, read, run, without_seconds};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

const CALL: [&str; 7] = ["solve", "samegame", "random:10x10x4:3", "--method", "nrpa", "--quiet", "--json"];

fn call(more: &[&str]) -> Vec<String> {
    CALL.iter().chain(more).map(|&text| text.to_owned()).collect()
}

fn done(arguments: &[String]) -> Done {
    run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn started(arguments: &[String]) -> Child {
    let all: Vec<_> = arguments.iter().map(String::as_str).collect();
    command(&all).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn worker(folder: &str, number: usize, more: &[&str]) -> Vec<String> {
    let number = number.to_string();
    call(&[&["--share", folder, "--worker", &number, "--share-every", "50ms"], more].concat())
}

fn result(folder: &str, number: usize) -> Option<Value> {
    let text = std::fs::read_to_string(Path::new(folder).join(format!("worker-{number}.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("a result is whole under its name"))
}

#[test]
fn workers_without_exchange_are_lone_runs() {
    let folder = Folder::new();
    let share = folder.join("runs");
    for number in 0..2 {
        let seed = (5 + number).to_string();
        let more = ["--playouts", "6000", "--seed", "5", "--exchange", "none", "--of", "2"];
        let shared = done(&worker(&share, number, &more)).exits(0).json();
        let alone = done(&call(&["--playouts", "6000", "--seed", &seed])).exits(0).json();
        assert_eq!(without_seconds(shared.clone()), without_seconds(alone));
        assert_eq!(result(&share, number).unwrap(), shared);
        // The same call again finds nothing left to do.
        let again = done(&worker(&share, number, &more)).exits(0).json();
        assert_eq!(without_seconds(again), without_seconds(shared));
    }
    let merged = run(&["merge", &share, "--json"]).exits(0).json();
    let scores: Vec<_> = (0..2).map(|number| result(&share, number).unwrap()["score"].as_f64().unwrap()).collect();
    assert_eq!(merged["score"].as_f64().unwrap(), scores[0].max(scores[1]));
    assert_eq!((&merged["playouts"], &merged["threads"]), (&12_000.into(), &2.into()));
    let best = folder.write("best.json", merged.to_string());
    run(&["check", "samegame", "random:10x10x4:3", &best]).exits(0);
}

#[test]
fn a_damaged_checkpoint_of_a_worker_costs_no_solution() {
    let folder = Folder::new();
    let share = folder.join("runs");
    let more = ["--playouts", "4000", "--seed", "5", "--exchange", "none"];
    let best = done(&worker(&share, 0, &more)).exits(0).json();
    let checkpoint = Path::new(&share).join("worker-0.ckpt");
    let whole = std::fs::read(&checkpoint).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for bytes in [&whole[..10], &whole[..whole.len() - 1], &flipped] {
        std::fs::write(&checkpoint, bytes).unwrap();
        // With another seed and few playouts: the solution is that of the result.
        let fewer = ["--playouts", "10", "--seed", "77", "--exchange", "none"];
        let again = done(&worker(&share, 0, &fewer)).exits(0);
        assert!(again.stderr.contains("worker-0.ckpt: checkpoint is"), "{}", again.stderr);
        assert!(again.stderr.contains("begins again with the solution of"), "{}", again.stderr);
        let again = again.json();
        assert_eq!((&again["score"], &again["playouts"]), (&best["score"], &10.into()));
        assert_eq!(std::fs::read(Path::new(&share).join("worker-0.ckpt.damaged")).unwrap(), bytes);
    }
    // Without a result there is the start. A checkpoint of another instance stays refused.
    std::fs::write(&checkpoint, &whole[..10]).unwrap();
    std::fs::remove_file(Path::new(&share).join("worker-0.json")).unwrap();
    let fresh = done(&worker(&share, 0, &["--playouts", "10"])).exits(0);
    assert!(fresh.stderr.contains("begins again from the start"), "{}", fresh.stderr);
    std::fs::write(&checkpoint, &whole).unwrap();
    let other =
        ["solve", "samegame", "random:5x5x3:1", "--quiet", "--playouts", "5", "--share", &share, "--worker", "0"];
    run(&other).exits(1);
}

#[test]
fn killed_workers_continue_as_planned() {
    let folder = Folder::new();
    let share = folder.join("runs");
    let more = ["--playouts", "30000", "--seed", "1", "--exchange", "none"];
    let (mut kills, mut best) = (0, [0.0_f64; 2]);
    for round in 0..8 {
        let mut children: Vec<_> = (0..2).map(|number| started(&worker(&share, number, &more))).collect();
        std::thread::sleep(Duration::from_millis(150 + 70 * round));
        for (number, child) in children.iter_mut().enumerate() {
            kills += usize::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
            let score = result(&share, number).map_or(0.0, |result| result["score"].as_f64().unwrap());
            assert!(score >= best[number], "the best fell from {} to {score}", best[number]);
            best[number] = score;
        }
    }
    assert!(kills > 0);
    for number in 0..2 {
        let shared = done(&worker(&share, number, &more)).exits(0).json();
        let seed = (1 + number).to_string();
        let alone = done(&call(&["--playouts", "30000", "--seed", &seed])).exits(0).json();
        assert_eq!(without_seconds(shared), without_seconds(alone));
    }
}

#[test]
fn solutions_are_taken_from_the_folder() {
    let folder = Folder::new();
    let share = folder.join("runs");
    let found = done(&worker(&share, 0, &["--playouts", "30000"])).exits(0).json();
    let limits = ["--method", "sampling", "--playouts", "20"];
    let base = |number: &str, more: &[&str]| {
        let all = [&["solve", "samegame", "random:10x10x4:3", "--json", "--share", &share, "--worker", number], more];
        run(&[&all.concat()[..], &limits, &["--share-every", "50ms"]].concat())
    };
    // Broken files and those of other instances are named once, and left out.
    folder.write("runs/worker-7.json", "{\"problem\":");
    run(&["solve", "samegame", "random:5x5x3:1", "--quiet", "--playouts", "50", "--share", &share, "--worker", "8"])
        .exits(0);
    let taught = base("1", &[]).exits(0);
    assert_eq!(taught.json()["score"], found["score"]);
    assert_eq!(taught.stderr.matches("worker-7.json: left out: is no whole result").count(), 1, "{taught:?}");
    assert_eq!(taught.stderr.matches("worker-8.json: left out: is about samegame").count(), 1, "{taught:?}");
    let alone = base("2", &["--exchange", "none"]).exits(0).json();
    assert!(alone["score"].as_f64() < found["score"].as_f64(), "{alone}");

    let status = run(&["status", &share]).exits(0);
    assert!(status.stdout.contains("worker-0") && status.stdout.contains("worker-2"), "{status:?}");
    assert!(status.stderr.contains("worker-7.json: left out"), "{status:?}");
    let list = run(&["status", &share, "--json"]).exits(0).json();
    assert_eq!(list.as_array().unwrap().len(), 4);
    assert!(list[0]["age"].as_f64().unwrap() >= 0.0 && list[0]["stop"] == "playouts", "{list}");
    let mixed = run(&["merge", &share]).exits(1);
    assert!(mixed.stderr.contains("worker-8.json: is about samegame random:5x5x3:1"), "{mixed:?}");
    std::fs::remove_file(folder.join("runs/worker-8.json")).unwrap();
    let merged = run(&["merge", &share, "--out", &folder.join("best.json")]).exits(0);
    assert!(merged.stdout.contains("verified: ") && merged.stdout.contains("best "), "{merged:?}");
    // A result that was tampered with is found.
    let text = read(folder.join("runs/worker-0.json"));
    let mut tampered: Value = serde_json::from_str(&text).unwrap();
    tampered["score"] = 999_999.into();
    folder.write("runs/worker-0.json", tampered.to_string());
    let refused = run(&["merge", &share]).exits(1);
    assert!(refused.stderr.contains("worker-0.json: claims the score 999999"), "{refused:?}");
}

#[test]
fn folders_without_results_are_refused() {
    let folder = Folder::new();
    std::fs::create_dir(folder.join("empty")).unwrap();
    for name in ["empty", "missing"] {
        for command in ["merge", "status"] {
            let refused = run(&[command, &folder.join(name)]).exits(1);
            assert!(refused.stderr.contains(name) && refused.stderr.lines().count() == 1, "{refused:?}");
        }
    }
    folder.write(
        "empty/stream-0.json",
        r#"{"score":3.5,"violation":null,"playouts":7,"nodes":9,"seconds":1.5,"stop":"time","done":false}"#,
    );
    let status = run(&["status", &folder.join("empty")]).exits(0);
    assert!(status.stdout.contains("stream-0") && status.stdout.contains("3.5"), "{status:?}");
}

#[test]
fn a_job_ends_with_its_time_and_is_requeued() {
    let folder = Folder::new();
    let file = folder.join("run.ckpt");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let base = ["--playouts", "2000000", "--seed", "3", "--checkpoint", &file, "--resume-if-exists"];
    let cut = |code: &str| {
        let until = (SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() + 2).to_string();
        done(&call(&[&base[..], &["--until", &until, "--requeue-code", code]].concat()))
    };
    let first = cut("75").exits(75).json();
    assert_eq!(first["stop"], "time");
    // The same line continues the run.
    let second = cut("75").exits(75).json();
    assert!(second["playouts"].as_u64() > first["playouts"].as_u64(), "{second}");
    assert!(second["score"].as_f64() >= first["score"].as_f64());
    // At its limits there is nothing to requeue, and the run is the one that was never cut.
    let more = (second["playouts"].as_u64().unwrap() + 500).to_string();
    let base = ["--playouts", &more, "--seed", "3"];
    let files = ["--checkpoint", &file, "--resume-if-exists", "--requeue-code", "75"];
    let ended = done(&call(&[&base[..], &files].concat())).exits(0).json();
    assert_eq!(without_seconds(ended), without_seconds(done(&call(&base)).exits(0).json()));
    // Another run is not continued by mistake.
    let other = done(&call(&["--seed", "4", "--checkpoint", &file, "--resume-if-exists"])).exits(1);
    assert!(other.stderr.contains("holds a run of nrpa with seed 3"), "{other:?}");
    let past = done(&call(&["--until", &(now - 10).to_string()])).exits(2);
    assert!(past.stderr.contains("--until: expected a time that is not over"), "{past:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_to_a_worker_asks_for_requeueing() {
    let folder = Folder::new();
    let share = folder.join("runs");
    for signal in ["USR1", "TERM"] {
        let mut child = started(&worker(&share, 0, &["--time", "600", "--requeue-code", "85"]));
        let before = result(&share, 0).map_or(0, |result| result["playouts"].as_u64().unwrap());
        while result(&share, 0).is_none_or(|result| result["playouts"].as_u64().unwrap() <= before) {
            assert!(child.try_wait().unwrap().is_none());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(crate::common::send(signal, child.id()));
        assert_eq!(child.wait().unwrap().code(), Some(85), "{signal}");
        assert_eq!(result(&share, 0).unwrap()["stop"], "interrupted");
    }
}

/// Runs a script of `examples/cluster` with the command on its path, and with a `scontrol` that notes its arguments.
#[cfg(unix)]
fn script(folder: &Folder, name: &str, arguments: &[&str]) -> std::process::Command {
    use std::os::unix::fs::PermissionsExt;
    let scontrol = folder.write("scontrol", "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/requeued\"\n");
    std::fs::set_permissions(&scontrol, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = Path::new(assert_cmd::cargo::cargo_bin!("soloist")).parent().unwrap();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cluster");
    let mut command = std::process::Command::new("bash");
    let path = format!("{}:{}:{}", folder.join(""), program.display(), std::env::var("PATH").unwrap());
    command.arg(scripts.join(name)).args(arguments).env("PATH", path).stdin(Stdio::null());
    command
}

#[cfg(unix)]
#[test]
fn the_script_for_slurm_is_requeued_and_goes_on() {
    let folder = Folder::new();
    let share = folder.join("runs");
    let job = |more: &[&str]| {
        let call = ["samegame", "random:10x10x4:3", &share, "--method", "nrpa", "--share-every", "50ms"];
        let mut command = script(&folder, "slurm.sh", &[&call[..], more].concat());
        command.env("SLURM_ARRAY_TASK_ID", "3").env("SLURM_ARRAY_JOB_ID", "77").env("SLURM_JOB_ID", "80");
        command
    };
    let mut child = job(&["--time", "600"]).spawn().unwrap();
    while result(&share, 3).is_none() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(crate::common::send("USR1", child.id()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(read(folder.join("requeued")), "requeue 77_3\n");
    let before = result(&share, 3).unwrap();
    assert_eq!(before["stop"], "interrupted");
    let more = (before["playouts"].as_u64().unwrap() + 1000).to_string();
    assert_eq!(job(&["--playouts", &more]).status().unwrap().code(), Some(0));
    assert_eq!(result(&share, 3).unwrap()["playouts"].to_string(), more);
    assert_eq!(read(folder.join("requeued")).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn the_other_scripts_run() {
    let folder = Folder::new();
    let share = folder.join("runs");
    let call = ["samegame", "random:6x6x3:1", &share];
    let mut queue = script(&folder, "hyperqueue.sh", &[&call[..], &["--playouts", "500"]].concat());
    queue.env_remove("SLURM_ARRAY_TASK_ID").env("HQ_TASK_ID", "4");
    assert!(queue.output().unwrap().status.success());
    let condor = [&call[..], &["5", "--playouts", "500"]].concat();
    assert!(script(&folder, "condor.sh", &condor).output().unwrap().status.success());
    for number in [4, 5] {
        assert_eq!(result(&share, number).unwrap()["playouts"], 500);
    }
    let spec = "problem = \"samegame\"\ninstances = [\"random:6x6x3:1..2\"]\nbudget = { playouts = 50 }\n[[method]]\n";
    let spec = folder.write("spec.toml", spec);
    for part in ["1", "2"] {
        let mut bench = script(&folder, "bench.sh", &[&spec, "2"]);
        assert!(bench.env("SLURM_ARRAY_TASK_ID", part).output().unwrap().status.success());
        assert_eq!(read(folder.join(&format!("spec-{part}-of-2.jsonl"))).lines().count(), 1);
    }
    // The line of HTCondor's file passes what the script takes.
    let submit = read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cluster/condor.sub"));
    assert!(submit.contains("arguments = $(problem) $(instance) $(folder) $(Process) --time"), "{submit}");
}

#[test]
fn wrong_calls_are_refused_in_one_line() {
    let folder = Folder::new();
    let share = folder.join("runs");
    for (more, said) in [
        (&["--share", &share][..], "--worker"),
        (&["--worker", "1"], "--share"),
        (&["--share", &share, "--worker", "x"], "x"),
        (&["--share", &share, "--worker", "9", "--of", "8"], "expected a number up to 8"),
        (&["--share", &share, "--worker", "1", "--checkpoint", "x.ckpt"], "--checkpoint"),
        (&["--until", "tomorrow"], "expected seconds since 1970"),
        (&["--requeue-code", "0"], "0"),
        (&["--resume-if-exists"], "--checkpoint"),
    ] {
        let refused = done(&call(more)).exits(2);
        assert!(refused.stderr.contains(said) && refused.stderr.lines().count() == 1, "{refused:?}");
    }
    let mut auto =
        command(&["solve", "samegame", "random:5x5x3:1", "--seed", "auto", "--playouts", "50", "--json", "-q"]);
    for name in ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "PBS_ARRAY_INDEX", "SGE_TASK_ID", "LSB_JOBINDEX"] {
        auto.env_remove(name);
    }
    let refused = Done::new(auto.output().unwrap()).exits(2);
    assert!(refused.stderr.contains("auto: expected one of SLURM_ARRAY_TASK_ID"), "{refused:?}");
    let found = Done::new(auto.env("SLURM_ARRAY_TASK_ID", "41").output().unwrap()).exits(0).json();
    assert_eq!(found["seed"], 41);
}

#[test]
fn parts_of_a_comparison_make_the_whole() {
    let folder = Folder::new();
    let spec = folder.write(
        "spec.toml",
        "problem = \"samegame\"\ninstances = [\"random:6x6x3:1..3\"]\nseeds = [1, 2]\nbudget = { playouts = 50 }\n\
         [[method]]\nmethod = \"sampling\"\n[[method]]\nmethod = \"nrpa\"\n",
    );
    let lines = |name: &str| {
        let text = read(folder.join(name));
        text.lines().map(|line| without_seconds(serde_json::from_str(line).unwrap())).collect::<Vec<_>>()
    };
    run(&["bench", &spec, "--quiet", "--jobs", "1", "--out", &folder.join("whole.jsonl")]).exits(0);
    let mut joined = String::new();
    let mut parts = Vec::new();
    for part in 1..=4 {
        run(&["bench", &spec, "--quiet", "--jobs", "1", "--shards", &format!("{part}/4")]).exits(0);
        let name = format!("spec-{part}-of-4.jsonl");
        parts.extend(lines(&name));
        joined += &read(folder.join(&name));
    }
    let key = |run: &Value| run["job"].as_str().unwrap().to_owned();
    let sorted = |mut all: Vec<Value>| {
        all.sort_by_key(key);
        all
    };
    assert_eq!(parts.len(), 12);
    assert_eq!(sorted(parts), sorted(lines("whole.jsonl")));
    // Nothing is left to do with the parts joined.
    folder.write("spec.jsonl", joined);
    let told = run(&["bench", &spec, "--jobs", "1"]).exits(0);
    assert_eq!(lines("spec.jsonl").len(), 12, "{told:?}");
    let refused = run(&["bench", &spec, "--shards", "7/7"]).exits(2);
    assert!(refused.stderr.contains("too few of the 12 runs"), "{refused:?}");
    run(&["bench", &spec, "--shards", "0/4"]).exits(2);
}

/// What workers have proven about solutions with different prefixes says nothing about all solutions.
#[test]
fn proofs_behind_prefixes_are_not_joined() {
    let folder = Folder::new();
    let share = folder.join("runs");
    let board = ["samegame", "random:4x4x2:1"];
    let first_move = |seed: u32| {
        let seed = seed.to_string();
        let call = ["--method", "sampling", "--playouts", "1", "--seed", &seed, "--json"];
        run(&[&["solve"], &board[..], &call].concat()).exits(0).json()["moves"][0].clone()
    };
    let one = first_move(0);
    let two = (1..50).map(first_move).find(|mv| *mv != one).unwrap();
    let write = |name: &str, first: &Value| folder.write(name, format!("[{first}]"));
    let files = [write("a.json", &one), write("b.json", &two)];
    let worker = |number: &str, prefix: &str| {
        let call = ["--method", "dfs", "--share", &share, "--worker", number, "--prefix", prefix, "--exchange", "none"];
        let done = run(&[&["solve"], &board[..], &call, &["--json"]].concat()).exits(0).json();
        assert_eq!((&done["optimal"], &done["prefix"]), (&true.into(), &1.into()), "{done}");
        done
    };
    let alone = worker("1", &files[0]);
    worker("2", &files[0]);
    let same = run(&["merge", &share, "--json"]).exits(0).json();
    assert_eq!((&same["optimal"], &same["prefix"], &same["score"]), (&true.into(), &1.into(), &alone["score"]));
    worker("3", &files[1]);
    let mixed = run(&["merge", &share, "--json"]).exits(0).json();
    assert_eq!(
        (&mixed["optimal"], &mixed["bound"], mixed.get("prefix")),
        (&false.into(), &Value::Null, None),
        "{mixed}"
    );
}
