//! Wrong calls: one line, the right exit code, nothing written.

use crate::common::{Folder, read, run, sample};

/// A call of `solve` with every output naming a file that must survive.
fn refused(args: &[&str], code: i32, part: &str) {
    let folder = Folder::new();
    let files: Vec<_> = ["o.json", "o.svg", "o.jsonl", "o.ckpt"].map(|name| folder.write(name, "keep")).into();
    let outputs = ["--out", &files[0], "--svg", &files[1], "--events", &files[2], "--checkpoint", &files[3]];
    run(&[args, &outputs[..]].concat()).refused(code, part);
    assert!(files.iter().all(|file| read(file) == "keep"), "{args:?} overwrote a file");
    assert_eq!(folder.files(), ["o.ckpt", "o.json", "o.jsonl", "o.svg"], "{args:?} left something behind");
}

#[test]
fn wrong_arguments_exit_with_2() {
    let sample = sample();
    let base = ["solve", &sample.name, &sample.example];
    let cases: &[(&[&str], &str)] = &[
        (&["--method", "nosuch"], "no method `nosuch` (`soloist methods --all` lists them)"),
        (&["--method", "nrpq"], "did you mean `nrpa`?"),
        (&["--set", "nosuch=1"], "no setting `nosuch` (options of"),
        (&["--method", "nrpa", "--set", "nosuch=1"], "parameters of nrpa: `soloist methods nrpa --all`"),
        (&["--method", "nrpa", "--set", "level=0"], "level"),
        (&["--method", "nrpa", "--set", "level=x"], "level"),
        (&["--method", "uct", "--set", "c=NaN"], "parameter `c`"),
        (&["--method", "auto", "--set", "methods=uct,nrpa(levle=2)"], "`nrpa(levle=2)`: no parameter `levle`"),
        (&["--method", "auto", "--set", "methods=uct(rollout=nosuch)"], "no rollout of"),
        (&["--method", "bmcts", "--set", "move_playouts=9"], "beam_width and move_playouts exclude each other"),
        (&["--method", "uct", "--set", "played_only=true"], "played_only needs move_playouts"),
        (&["--method", "sampling", "--nodes", "9"], "sampling: it may count no nodes"),
        (&["--method", "ida-star", "--playouts", "9"], "ida-star: it may finish no solution"),
        (&["--method", "cabs", "--playouts", "9"], "cabs: it may finish no solution"),
        (&["--method", "auto", "--set", "methods=dfs,cabs", "--playouts", "9"], "auto: it may finish no solution"),
        (&["--set", "level"], "expected KEY=VALUE"),
        (&["--set", "=1"], "expected KEY=VALUE"),
        (&["--rollout", "nosuch"], "no rollout"),
        (&["--time", "-3"], "expected a duration"),
        (&["--time", "-3s"], "expected a duration"),
        (&["--time", "0"], "the shortest duration"),
        (&["--time", "NaN"], "expected a duration"),
        (&["--time", "inf"], "expected a duration"),
        (&["--time", "1e99"], "the longest duration"),
        (&["--time", ""], "time"),
        (&["--time", "--json"], "expected a duration"),
        (&["--playouts", "0"], "the least count"),
        (&["--playouts", "-5"], "expected a count"),
        (&["--playouts", "1.5"], "whole number"),
        (&["--playouts", "1e30"], "the largest count"),
        (&["--nodes", "x"], "expected a count"),
        (&["--stall", "0"], "the least count"),
        (&["--target", "NaN"], "expected a number"),
        (&["--memory", "1"], "the least memory"),
        (&["--memory", "2XB"], "expected a size"),
        (&["--memory", "9999TiB"], "the most memory"),
        (&["--seed", "-1"], "expected a whole number"),
        (&["--seed", "18446744073709551616"], "expected a whole number"),
        (&["--threads", "0"], "from 1 to 256"),
        (&["--threads", "257"], "from 1 to 256"),
        (&["--checkpoint-every", "0"], "the shortest duration"),
        (&["--color", "green"], "color"),
        (&["--nosuch"], "--nosuch"),
        (&["extra"], "extra"),
        (&["a\nb\u{1b}[31m"], "unexpected argument"),
        (&["--time", "1", "--time", "2"], "--time"),
    ];
    for (args, part) in cases {
        refused(&[&base[..], args].concat(), 2, part);
    }
    refused(&["solve", "nosuch", &sample.example], 2, "no problem `nosuch`");
    let swapped: String = [&sample.name[1..2], &sample.name[..1], &sample.name[2..]].concat();
    refused(&["solve", &swapped, &sample.example], 2, &format!("did you mean `{}`?", sample.name));
    refused(&["solve", &sample.name], 2, "INSTANCE");
    run(&["solve", &sample.name, &sample.example, "--time"]).refused(2, "--time");
    run(&["nosuch"]).refused(2, "nosuch");
    run(&["solve", &sample.name, &sample.example, "--checkpoint-every", "5s"]).refused(2, "--checkpoint");
}

#[cfg(unix)]
#[test]
fn arguments_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let mut command = crate::common::command(&["solve"]);
    command.arg(std::ffi::OsStr::from_bytes(b"\xff\xfe")).arg("x");
    crate::common::Done::new(command.output().unwrap()).refused(2, "no problem");
}

#[test]
fn unreadable_instances_exit_with_1() {
    let (sample, folder) = (sample(), Folder::new());
    let missing = folder.join("missing.txt");
    refused(&["solve", &sample.name, &missing], 1, "missing.txt");
    refused(&["solve", &sample.name, &folder.join("")], 1, "");
    refused(&["solve", &sample.name, &folder.write("empty", "")], 1, "empty");
    refused(&["solve", &sample.name, &folder.write("binary", [0, 159, 255, 0, 10, 7])], 1, "binary");
    refused(&["solve", &sample.name, &folder.join("new\nline")], 1, "new\\nline");
    refused(&["solve", &sample.name, ""], 1, "");
}

#[test]
fn a_misspelt_spec_is_told_from_a_missing_file() {
    let hint = "`strang:10x100:7` is neither a file nor a spec, did you mean `strong:10x100:7`? (knapsack takes a .kp";
    run(&["solve", "knapsack", "strang:10x100:7"]).refused(1, hint);
    run(&["check", "knapsack", "strang:10x100:7", "-"]).refused(1, hint);
    let tune = ["--validation", "weak:9x9:1", "-p", "level=1..2", "--playouts", "5", "--method", "nrpa"];
    run(&[&["tune", "knapsack", "strang:10x100:7"], &tune[..]].concat()).refused(1, hint);
    run(&["simplify", "rse:7,4"]).refused(1, "did you mean `res:7,4`?");
    run(&["solve", "knapsack", "strong"]).refused(1, "did you mean `strong:...`?");
    run(&["solve", "knapsack", "zzz"]).refused(1, "`zzz` is neither a file nor a spec (knapsack takes");
    run(&["solve", "knapsack", "strang:10.kp"]).refused(1, "strang:10.kp: cannot be read");
    let folder = Folder::new();
    let spec = "problem = \"knapsack\"\ninstances = [\"strang:9x9:1\"]\nbudget = { playouts = 5 }\n[[method]]\n";
    run(&["bench", &folder.write("s.toml", spec)])
        .refused(2, "s.toml: line 2: `strang:9x9:1` is neither a file nor a spec");
}

#[test]
fn unwritable_outputs_are_found_before_the_search() {
    let (sample, folder) = (sample(), Folder::new());
    let (nowhere, directory) = (folder.join("no/such/file"), folder.join(""));
    // Without a limit: a search would take half a minute.
    for option in ["--out", "--svg", "--events", "--checkpoint"] {
        for path in [&nowhere, &directory] {
            let keep = folder.write("keep.json", "keep");
            let other = if option == "--out" { "--events" } else { "--out" };
            let call = ["solve", &sample.name, &sample.example, option, path, other, &keep];
            run(&call).refused(1, "cannot write");
            assert_eq!(read(&keep), "keep");
        }
    }
    #[cfg(unix)]
    run(&["solve", &sample.name, &sample.example, "--checkpoint", "/dev/null"]).refused(1, "not a regular file");
    assert_eq!(folder.files(), ["keep.json"]);
}

#[test]
fn outputs_never_meet_inputs_or_each_other() {
    let (sample, folder) = (sample(), Folder::new());
    let instance = folder.write("instance.txt", run(&["generate", &sample.name, &sample.example]).exits(0).stdout);
    let before = read(&instance);
    let saved = folder.join("run.ckpt");
    run(&["solve", &sample.name, &instance, "--playouts", "10", "--quiet", "--checkpoint", &saved]).exits(0);
    for option in ["--out", "--svg", "--events", "--checkpoint"] {
        run(&["solve", &sample.name, &instance, option, &instance]).refused(2, "would overwrite the instance");
        assert_eq!(read(&instance), before);
        if option != "--checkpoint" {
            run(&["solve", &sample.name, &instance, "--resume", &saved, option, &saved]).refused(2, "would overwrite");
        }
    }
    let twice = folder.join("twice");
    run(&["solve", &sample.name, &instance, "--out", &twice, "--svg", &twice]).refused(2, "name the same file");
    assert_eq!(folder.files(), ["instance.txt", "run.ckpt"]);
}

#[test]
fn rollouts_may_take_an_argument() {
    let base = ["solve", "samegame", "random:5x5x3:1", "--method", "sampling", "--playouts", "10", "--rollout"];
    run(&[&base[..], &["tabu-random:0.5"]].concat()).exits(0);
    for wrong in ["tabu-random:x", "tabu-random:2", "random:1", "nosuch:1"] {
        refused(&[&base[..], &[wrong]].concat(), 2, "rollout");
    }
}
