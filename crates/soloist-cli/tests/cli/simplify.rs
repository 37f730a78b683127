//! `soloist simplify`: code on standard output, a summary on standard error.

use crate::common::{Done, Folder, command, interrupt, read, run, send, stop_signal};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn code_in_every_language() {
    let folder = Folder::new();
    let file = folder.write("a.txt", "F = x^3*y^2+x^2*y+x^3*z;\nG = 3*x*y - 1/2;\n");
    for (language, start, part) in [
        ("c", "//", "void f(const double *restrict x, double *restrict y)"),
        ("rust", "//", "pub fn f(x: &[f64; 3], y: &mut [f64; 2]) {"),
        ("fortran", "!", "subroutine f(x, y)"),
        ("python", "#", "def f(x):"),
        ("form", "*", "F = "),
    ] {
        let done = run(&["simplify", &file, "--emit", language, "--playouts", "50"]).exits(0);
        assert!(done.stdout.starts_with(start) && done.stdout.contains(part), "{done:?}");
        assert!(done.stdout.contains("9 operations: 3 additions, 6 multiplications"), "{done:?}");
        assert!(done.stderr.contains("verified: equal to the input at 3 random points"), "{done:?}");
        assert!(done.stderr.contains("term by term"), "{done:?}");
        let code = folder.write("code", &done.stdout);
        assert!(run(&["check", "horner", &file, &code]).exits(0).stdout.starts_with("valid: score 9, "));
    }
    let done = run(&["simplify", &file, "--emit", "json", "--playouts", "50", "--quiet"]).exits(0);
    assert!(done.stderr.is_empty(), "{done:?}");
    let json = done.json();
    assert_eq!((&json["counts"]["operations"], &json["input"]["operations"]), (&9.into(), &14.into()));
    assert_eq!(json["outputs"], serde_json::json!(["F", "G"]));
    let code = folder.write("code.json", &done.stdout);
    run(&["check", "horner", &file, &code]).exits(0);
    run(&["check", "horner", &file, &folder.write("bad.json", done.stdout.replace("x[0]", "x[1]"))]).exits(1);
}

#[test]
fn orders_may_be_given() {
    let folder = Folder::new();
    let file = folder.write("a.txt", "x^3*y^2+x^2*y+x^3*z");
    let out = folder.join("a.c");
    let call = ["simplify", &file, "--order", "x,y,z", "--function", "horner", "--out", &out];
    let done = run(&call).exits(0);
    assert!(done.stdout.is_empty() && done.stderr.contains("order, outermost first: x,y,z"), "{done:?}");
    assert!(read(&out).contains("void horner(") && read(&out).contains("// 6 operations"), "{}", read(&out));
    let plain = run(&["simplify", &file, "--order", "y,x,z", "--no-greedy", "--no-verify"]).exits(0);
    assert!(plain.stdout.contains("// 7 operations") && !plain.stderr.contains("verified"), "{plain:?}");
    run(&["simplify", &file, "--order", "x,w"]).refused(2, "no variable `w`");
    run(&["simplify", &file, "--order", "x,x"]).refused(2, "comes twice");
    run(&["simplify", &file, "--order", "x", "--method", "uct"]).refused(2, "--order");
    run(&["simplify", &file, "--function", "2f"]).refused(2, "expected a letter");
    run(&["simplify", &file, "--out", &file]).refused(2, "would overwrite the input");
    run(&["simplify", &folder.join("absent")]).refused(1, "cannot be read");
    run(&["simplify", &folder.write("bad", "x +\n y ++ * 3")]).refused(1, "line 2, column 7: expected a number");
    run(&["simplify", &file, "--method", "dfs", "--playouts", "5"]).refused(2, "dfs");
}

/// Sub-expressions may have orders of their own: fewer operations, for the same polynomial.
#[test]
fn orders_of_sub_expressions() {
    let operations = |more: &[&str]| {
        let done = run(&[&["simplify", "res:5,4", "--playouts", "100", "--emit", "json"], more].concat()).exits(0);
        assert!(done.stderr.contains("verified: equal to the input at 3 random points"), "{done:?}");
        let refined = done.stderr.contains("with other variables in ");
        (done.json()["counts"]["operations"].as_u64().unwrap(), refined)
    };
    let (one_order, refined) = operations(&["--no-greedy"]);
    assert!(!refined);
    let (scheme, refined) = operations(&["--no-greedy", "--refine", "20k"]);
    assert!(refined && 10 * scheme < 9 * one_order, "{scheme} operations, {one_order} of one order");
    let (plain, refined) = operations(&["--refine", "0", "--polish", "0"]);
    assert!(!refined);
    let (default, refined) = operations(&["--polish", "0"]);
    assert!(refined && default < plain && default < scheme, "{default} operations, {plain} of one order");
    let done = run(&["simplify", "res:3,2", "--order", "a0,b0", "--polish", "0"]).exits(0);
    assert!(
        !done.stderr.contains("with another variable") && !done.stderr.contains("with other variables"),
        "{done:?}"
    );
}

/// Runs are reproducible, and sums that need not be multiplied out are not.
#[test]
fn short_searches_have_short_proofs() {
    let proven = |input: &str, more: &[&str]| {
        let all = [&["simplify", input, "--no-greedy"], more].concat();
        run(&all).exits(0).stderr.contains("proven optimal")
    };
    assert!(proven("res:5,4", &[]) && !proven("res:5,4", &["--playouts", "100"]));
    assert!(proven("res:4,3", &["--playouts", "100"]) && !proven("res:4,3", &["--playouts", "5"]));
    assert!(proven("res:5,4", &["--playouts", "5", "--prove"]));
}

#[test]
fn the_best_form_of_the_input_wins() {
    let folder = Folder::new();
    let sum: Vec<String> = (1..=12).map(|at| format!("x{at}")).collect();
    let file = folder.write("a.txt", format!("({})^4", sum.join("+")));
    let call = ["simplify", &file, "--playouts", "3", "--emit", "form"];
    let done = run(&call).exits(0);
    assert!(done.stdout.contains("13 operations: 11 additions, 2 multiplications"), "{done:?}");
    assert_eq!(run(&call).stdout, done.stdout);
}

#[cfg(unix)]
#[test]
fn the_first_signal_prints_the_code_so_far() {
    let mut child = command(&["simplify", "res:5,4", "--time", "1h", "--emit", "form"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(" s  ") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "no improvement: {said}");
    }
    interrupt(child.id());
    stderr.read_to_string(&mut said).unwrap();
    let done = Done::new(child.wait_with_output().unwrap()).exits(130);
    assert!(done.stdout.contains("f = ") && said.contains("verified"), "{said} {done:?}");
}

/// Names of opaque functions hold commas.
#[test]
fn orders_of_functions() {
    let folder = Folder::new();
    let file = folder.write("a.txt", "f(x,y)^2*z + f(x,y)*g(1,h(2,3)) + z*g(1,h(2,3))");
    let done = run(&["simplify", &file, "--order", "z, g(1,h(2,3)),f(x, y)", "--playouts", "5"]);
    // Playouts belong to searches, which an order given makes needless; they do no harm.
    let done = done.exits(0);
    assert!(done.stderr.contains("order, outermost first: z,g(1,h(2,3)),f(x,y)"), "{done:?}");
    run(&["simplify", &file, "--order", "f(x,y"]).refused(2, "not closed");
    run(&["simplify", &file, "--order", "f(x,z)"]).refused(2, "no variable `f(x,z)`");
}

/// A signal in whatever phase leaves code that was verified, and the exit code of an interruption.
#[cfg(unix)]
#[test]
fn a_signal_in_any_phase_leaves_verified_code() {
    // What is said when each phase has begun, but for the last.
    for (last, call) in [
        ("read in", &["--time", "1h"][..]),
        ("search: ", &["--playouts", "3"]),
        ("search: ", &["--playouts", "3", "--no-greedy"]),
    ] {
        let base = ["simplify", "random:12x20000x8:1", "--emit", "form"];
        let mut child = command(&[&base[..], call].concat());
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let code = std::thread::spawn(move || std::io::read_to_string(stdout).unwrap());
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains(last) {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
        }
        let is_there = send(stop_signal(), child.id());
        stderr.read_to_string(&mut said).unwrap();
        let (status, code) = (child.wait().unwrap().code(), code.join().unwrap());
        // A run that was over before the signal is a run that was not interrupted.
        assert!(status == Some(130) && is_there || status == Some(0), "{status:?} {said}");
        assert!(code.contains("f = ") && said.contains("verified: equal to the input"), "{said}");
        assert!(status == Some(0) || said.contains("stopping"), "{said}");
    }
}

/// Texts of other programs, intermediates, functions: complete code, and what it does not compute is said.
#[test]
fn texts_of_other_programs_give_complete_code() {
    let folder = Folder::new();
    let lines = folder.write("a.txt", "t0 = a+b; t1 = t0^4+c; y = t1^3 + t0*t1;");
    let done = run(&["simplify", &lines, "--playouts", "50"]).exits(0);
    assert!(done.stdout.contains("// 7 operations:") && done.stdout.contains("// y[0] = y\n"), "{done:?}");
    let done = run(&["simplify", &lines, "--playouts", "50", "--outputs", "y,t0", "--args", "c,b,a"]).exits(0);
    assert!(done.stdout.contains("// x[0] = c\n") && done.stdout.contains("// y[1] = t0\n"), "{done:?}");
    let code = folder.write("a.c", &done.stdout);
    run(&["check", "horner", &lines, &code]).exits(0);
    run(&["simplify", &lines, "--outputs", "z"]).refused(1, "no statement defines the output `z`");
    run(&["simplify", &lines, "--args", "a,b"]).refused(1, "the input `c` is not among the inputs");
    let functions = folder.write("b.txt", "{Sin[x + y]/(s - m^2), g[x + 1]*Sin[y + x]/(m^2 - s)}");
    let done = run(&["simplify", &functions, "--playouts", "50", "--notation", "mathematica"]).exits(0);
    assert!(done.stderr.contains(" + 1 call + 1 division in the code"), "{done:?}");
    assert!(done.stderr.contains("functions that the code does not compute, inputs instead: g("), "{done:?}");
    assert!(done.stdout.contains("sin(") && done.stdout.contains("t3/t2"), "{done:?}");
    let done = run(&["simplify", &functions, "--playouts", "50", "--notation", "mathematica", "--opaque", "sin"]);
    assert!(done.exits(0).stdout.contains(" = sin(x+y)\n"));
    run(&["simplify", &folder.write("c.txt", "a +\n Foo[x+1]")]).refused(1, "line 2, column 5: `Foo[` holds");
}
