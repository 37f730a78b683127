//! The small commands: generate, problems, methods, completions, man, help, version.

use crate::common::{Folder, read, run, sample, samples};

#[test]
fn generated_instances_can_be_solved() {
    for sample in samples() {
        let folder = Folder::new();
        let file = folder.join("instance");
        run(&["generate", &sample.name, &sample.example, "-o", &file]).exits(0);
        assert_eq!(read(&file), run(&["generate", &sample.name, &sample.example]).exits(0).stdout);
        let done = run(&["solve", &sample.name, &file, "--playouts", "20", "--quiet", "--json"]);
        assert!(matches!(done.code, 0 | 3), "{done:?}");
        std::fs::write(&file, "mine").unwrap();
        run(&["generate", &sample.name, &sample.example, "-o", &file]).refused(1, "--force");
        assert_eq!(read(&file), "mine");
        run(&["generate", &sample.name, "no:such:spec", "-o", &file, "--force"]).refused(1, "no:such:spec");
        assert_eq!(read(&file), "mine");
        run(&["generate", &sample.name, &sample.example, "-o", &file, "--force"]).exits(0);
        assert_ne!(read(&file), "mine");
        run(&["generate", &sample.name, &sample.example, "-o", &folder.join("no/such")]).refused(1, "cannot write");
        assert_eq!(folder.files(), ["instance"]);
    }
}

#[test]
fn problems_are_listed_and_shown() {
    let list = run(&["problems"]).exits(0).stdout;
    for sample in samples() {
        assert!(list.contains(&sample.name));
        let details = run(&["problems", &sample.name]).exits(0).stdout;
        assert!(details.contains(&sample.example) && details.contains("random"), "{details}");
        let json = run(&["problems", &sample.name, "--json"]).exits(0).json();
        for key in
            ["name", "summary", "score", "instance", "example", "options", "sense", "method", "parameters", "rollouts"]
        {
            assert!(json.get(key).is_some(), "{}: no {key}", sample.name);
        }
    }
    run(&["problems", "nosuch"]).refused(2, "no problem");
}

#[test]
fn methods_are_listed_and_shown() {
    let list = run(&["methods", "--json"]).exits(0).json();
    let text = run(&["methods", "--all"]).exits(0).stdout;
    for method in list.as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        assert!(text.contains(name) && text.contains(method["reference"].as_str().unwrap()));
        let details = run(&["methods", name, "--json"]).exits(0).json();
        for parameter in details["parameters"].as_array().unwrap() {
            assert!(!parameter["help"].as_str().unwrap().is_empty() && !parameter["default"].is_null(), "{parameter}");
        }
        run(&["methods", name]).exits(0);
    }
    run(&["methods", "nosuch"]).refused(2, "no method");
}

/// The eight to try first, and what a problem adds.
#[test]
fn few_methods_are_in_sight() {
    let names = |arguments: &[&str]| -> Vec<String> {
        let text = run(arguments).exits(0).stdout;
        let rows = text.lines().take_while(|line| !line.is_empty());
        rows.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    let first = ["auto", "anneal", "nrpa", "beam", "cabs", "dfs", "uct", "sampling"];
    assert_eq!(names(&["methods"]), first);
    let all = names(&["methods", "--all"]);
    assert!(all.len() > 2 * first.len() && first.iter().all(|name| all.iter().any(|other| other == name)));
    for sample in samples() {
        let problem = run(&["problems", &sample.name, "--json"]).exits(0).json();
        let own: Vec<&str> = problem["methods"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(names(&["methods", &sample.name]), [&first[..], &own].concat(), "{}", sample.name);
        let listed = run(&["methods", &sample.name, "--json"]).exits(0).json();
        assert_eq!(listed.as_array().unwrap().len(), first.len() + own.len());
    }
}

/// Parameters that few users need are shown by `--all`, and where a setting of a paper has them.
#[test]
fn few_parameters_are_in_sight() {
    let names = |arguments: &[&str]| -> Vec<String> {
        let text = run(arguments).exits(0).stdout;
        let rows = text.lines().filter(|line| line.starts_with("  "));
        rows.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    for (method, most) in [("anneal", 10), ("uct", 12), ("nrpa", 10), ("beam", 12)] {
        let (shown, all) = (names(&["methods", method]), names(&["methods", method, "--all"]));
        assert!(shown.len() <= most && shown.iter().all(|name| all.contains(name)), "{method}: {shown:?}");
        let listed = run(&["methods", method, "--json"]).exits(0).json();
        assert_eq!(listed["parameters"].as_array().unwrap().len(), all.len(), "{method}");
    }
    assert!(names(&["methods", "sp-mcts"]).contains(&"few_visits".to_owned()));
    assert!(!names(&["methods", "uct"]).contains(&"few_visits".to_owned()));
}

#[test]
fn completions_know_the_names() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]).exits(0).stdout;
        assert!(script.contains("soloist") && script.contains("checkpoint-every"), "{shell}");
    }
    assert!(run(&["completions", "bash"]).stdout.contains(&sample().name));
    run(&["completions", "nosuch"]).refused(2, "nosuch");
}

#[test]
fn manual_pages_are_written() {
    assert!(run(&["man"]).exits(0).stdout.contains(".TH soloist 1"));
    let folder = Folder::new();
    run(&["man", "--dir", &folder.join("man1")]).exits(0);
    let page = read(folder.join("man1/soloist-solve.1"));
    assert!(page.contains("soloist\\-solve") && page.contains("playouts"), "{page}");
    for command in ["simplify", "bench", "check", "generate", "problems", "methods", "completions", "man"] {
        assert!(read(folder.join(&format!("man1/soloist-{command}.1"))).contains(".SH SYNOPSIS"));
    }
    assert!(read(folder.join("man1/soloist.1")).contains(".SH SUBCOMMANDS"));
    assert!(!folder.files().contains(&"soloist-help.1".to_owned()));
    let file = folder.write("file", "");
    run(&["man", "--dir", &file]).refused(1, "cannot make");
}

#[test]
fn colours_are_those_asked_for() {
    let sample = sample();
    let solve = ["solve", &sample.name, &sample.example];
    for wrong in [&["--method", "nope"][..], &["--playouts", "x"], &["--set", "nope=1"]] {
        let said = |colour: &str| run(&[&solve[..], wrong, &["--color", colour]].concat()).exits(2).stderr;
        assert!(said("always").starts_with("\u{1b}[1;31merror:"), "{wrong:?}: {}", said("always"));
        assert!(said("never").starts_with("error: ") && said("auto") == said("never"), "{wrong:?}");
    }
    assert!(run(&["--help", "--color", "always"]).exits(0).stdout.contains('\u{1b}'));
    assert!(!run(&["--help"]).exits(0).stdout.contains('\u{1b}'));
}

#[test]
fn help_and_version() {
    assert_eq!(run(&["--version"]).exits(0).stdout, format!("soloist {}\n", env!("CARGO_PKG_VERSION")));
    let help = run(&["solve", "--help"]).exits(0).stdout;
    for part in ["Examples:", "--playouts <N>", "default: 30s", "[default: 0]", "Ctrl-C"] {
        assert!(help.contains(part), "no {part:?} in {help}");
    }
    for command in ["solve", "bench", "check", "generate", "problems", "methods", "completions", "man"] {
        assert!(run(&[command, "-h"]).exits(0).stdout.contains("Usage:"));
    }
    for command in [&["help"][..], &["help", "solve"], &["help", "bench"]] {
        let option = [&command[1..], &["--help"]].concat();
        assert_eq!(run(command).exits(0).stdout, run(&option).exits(0).stdout);
    }
    // Without a terminal too, examples keep their lines, and their blanks are blanks.
    let bench = run(&["bench", "--help"]).exits(0).stdout;
    assert!(bench.contains("time, playouts, nodes, target, stall, memory; [[method]] may have its own\n"), "{bench}");
    assert!(!bench.contains('\u{a0}'), "{bench}");
    let bare = run(&[]).exits(2);
    assert!(bare.stderr.contains("Usage:") && bare.stdout.is_empty(), "{bare:?}");
}
