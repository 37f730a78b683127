//! The files of emitted code, and the page about expressions in the guide.

use crate::common::{Folder, read, run};
use std::process::Command;

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success())
}

/// Files and calls of the page are those that work.
#[test]
fn the_page_about_expressions_works() {
    let page = include_str!("../../../../docs/guide/expressions.md");
    let folder = Folder::new();
    let mut calls = 0;
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').unwrap();
        if let Some(name) = kind.strip_prefix("text ") {
            folder.write(name, text);
            continue;
        }
        assert_eq!(kind, "sh");
        for line in text.lines() {
            let words: Vec<String> = line
                .split(' ')
                .skip(1)
                .map(|word| if word.contains('.') { folder.join(word) } else { word.to_owned() })
                .collect();
            let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
            if words[0] == "simplify" {
                words.extend(["--playouts", "30"]);
            }
            let done = run(&words).exits(0);
            assert!(words[0] != "simplify" || done.stderr.contains("verified: equal to the input"), "{done:?}");
            calls += 1;
        }
    }
    assert!(calls >= 5, "{calls}");
    let path = |name: &str| folder.join(name);
    let agrees = |program: &str, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).output().unwrap();
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let binary = path("test");
    if is_there("cc") {
        agrees("cc", &["-o", &binary, &path("rate_q.c"), &path("rate_q_test.c"), "-lquadmath", "-lm"]);
        assert!(agrees(&binary, &[]).contains("6 values agree"));
    }
    if is_there("g++") {
        agrees("g++", &["-o", &binary, &path("rate_test.cpp")]);
        assert!(agrees(&binary, &[]).contains("6 values agree"));
    }
    if is_there("python3") {
        assert!(agrees("python3", &[&path("rate_test.py")]).contains("6 values agree"));
    }
}

#[test]
fn files_of_code_are_checked_before_the_search() {
    let folder = Folder::new();
    let file = folder.write("a.txt", "F = x/3 + I*y");
    let out = folder.join("a.c");
    run(&["simplify", &file, "--header", &folder.join("a.h")]).refused(2, "--out");
    run(&["simplify", &file, "--out", &out, "--header", "/tmp/elsewhere.h"]).refused(2, "in the folder of --out");
    run(&["simplify", &file, "--out", &out, "--self-test", &out]).refused(2, "would overwrite the code");
    let both = folder.join("b.h");
    run(&["simplify", &file, "--out", &out, "--header", &both, "--self-test", &both])
        .refused(2, "would overwrite the header");
    run(&["simplify", &file, "--float", "quad", "--emit", "rust"]).refused(2, "no numbers of the type quad");
    run(&["simplify", &file, "--emit", "rust", "--complex"]).refused(2, "complex Rust code is generic");
    run(&["simplify", &file, "--prefix", "2t"]).refused(2, "expected a letter");
    let done = run(&["simplify", &file, "--playouts", "5"]).exits(0);
    assert!(done.stderr.contains("inputs with the names of constants: I"), "{done:?}");
    let call = ["simplify", &file, "--complex", "--playouts", "5", "--out", &out, "--prefix", "part", "--names"];
    let done = run(&call).exits(0);
    assert!(!done.stderr.contains("names of constants"), "{done:?}");
    let code = read(&out);
    assert!(code.contains("double _Complex") && code.contains("_Complex_I") && code.contains("part0"), "{code}");
    run(&["check", "horner", &file, &out, "--set", "numbers=complex"]).exits(0);
    run(&["check", "horner", &file, &out]).exits(1);
}
