//! Algebra before the search, derivatives, shapes of code, families of inputs, limits of time.

use crate::common::header;
use soloist_expressions::{
    Effort, Language, Simplification, Simplifier, Style, System, emit, emit_with, generate, parse, verify_program,
    with_gradient, write,
};
use std::sync::Arc;
use std::time::Duration;

/// The result of a run, whose code is verified.
fn verified(system: System, effort: Effort) -> Simplification {
    let done = Simplifier { effort, ..Simplifier::default() }.run(&Arc::new(system), &mut |_| ()).unwrap();
    check(&done);
    done
}

fn check(done: &Simplification) {
    let form = emit(&done.system, &done.best.program, Language::Form, &header(&done.system, &done.best.order));
    verify_program(&done.system, &done.best.program, &form, Language::Form, &form).unwrap();
}

#[test]
fn factors_are_found() {
    for (spec, most) in [("vandermonde:5", 20), ("power:8", 6), ("toeplitz:6", 90)] {
        let done = verified(generate(spec).unwrap(), Effort::playouts(20));
        assert!(done.best.operations() <= most, "{spec}: {}", done.best.operations());
        assert!(done.best.order.iter().all(|&symbol| symbol < done.system.symbols().len()));
    }
    let text = b"f = (a+b+c)^5+d*(a+b+c)^2; g = (a-b)*(x+y+z); h = (b-a)^2*sin(x+y+z)";
    let expanded = write(&parse("f", text, true).unwrap());
    let again = verified(parse("f", expanded.as_bytes(), true).unwrap(), Effort::playouts(20));
    assert!(again.best.operations() <= 15, "{}", again.best.operations());
}

#[test]
fn factorisations_are_kept_as_written() {
    for text in ["(1-z)*(1+z)", "(a-b)*(a^2+a*b+b^2)"] {
        let code = |as_written| {
            let done = verified(parse("f", text.as_bytes(), true).unwrap(), Effort { as_written, ..Effort::default() });
            emit(&done.system, &done.best.program, Language::C, &header(&done.system, &done.best.order))
        };
        let product = |code: &str| code.lines().any(|line| line.trim().starts_with("y[0] = t") && line.contains("*t"));
        assert!(product(&code(true)), "{}", code(true));
        assert!(!product(&code(false)), "{}", code(false));
    }
}

#[test]
fn derivatives_cost_a_small_multiple() {
    for (spec, outputs, most) in [("disc:4", 6, 160), ("det:4", 17, 140), ("symanzik:2", 20, 150)] {
        let system = Arc::new(generate(spec).unwrap());
        let simplifier = Simplifier { effort: Effort::playouts(50), ..Simplifier::default() };
        let done = simplifier.run_with_gradient(&system, &mut |_| ()).unwrap();
        check(&done);
        assert_eq!(done.system.outputs().count(), outputs);
        assert!(done.best.operations() <= most, "{spec}: {}", done.best.operations());
        assert_eq!(with_gradient(&system).unwrap().terms(), done.system.terms());
    }
}

/// Blocks and pieces are verified, and changes in them are found.
#[test]
fn shapes_of_code_are_verified() {
    let done = verified(generate("cayley:4").unwrap(), Effort::playouts(20));
    let header = header(&done.system, &done.best.order);
    let program = &done.best.program;
    let form = emit(&done.system, program, Language::Form, &header);
    let plain = Style::default();
    for style in [Style { blocks: true, ..plain.clone() }, Style { split: Some(7), ..plain }] {
        let code = emit_with(&done.system, program, Language::C, &header, &style);
        verify_program(&done.system, program, &code, Language::C, &form).unwrap();
        assert_ne!(code, emit(&done.system, program, Language::C, &header));
        let mut refused = 0;
        for (at, _) in code.match_indices(" + ") {
            let wrong = format!("{} - {}", &code[..at], &code[at + 3..]);
            assert!(verify_program(&done.system, program, &wrong, Language::C, &form).is_err(), "{wrong}");
            refused += 1;
        }
        assert!(refused > 5);
    }
}

/// Outputs and terms of families, where they are known.
#[test]
fn families_of_inputs() {
    for (spec, outputs, terms) in [
        ("det:5", 1, 120),
        ("permanent:6", 1, 720),
        ("symdet:6", 1, 388),
        ("toeplitz:8", 1, 1628),
        ("circulant:7", 1, 246),
        ("vandermonde:6", 1, 720),
        ("cayley:6", 1, 822),
        ("disc:5", 1, 59),
        ("disc:6", 1, 246),
        ("trees:6", 1, 1296),
        ("element:3", 1, 4272),
        ("trace:10", 1, 945),
        ("power:4", 1, 35),
        ("elementary:10", 10, 1023),
        ("cyclic:5", 5, 22),
    ] {
        let system = generate(spec).unwrap();
        assert_eq!((system.outputs().count(), system.terms()), (outputs, terms), "{spec}");
    }
    for (spec, outputs) in [
        ("kinematics:3", 12),
        ("mass:3", 6),
        ("symanzik:3", 2),
        ("katsura:4", 5),
        ("harmonics:4", 25),
        ("kinetics:4", 20),
        ("stiffness:3", 10),
        ("lagrange:2", 9),
    ] {
        let system = generate(spec).unwrap();
        assert_eq!(system.outputs().count(), outputs, "{spec}");
        assert!(system.definitions().iter().all(|definition| definition.name.len() < 5));
        assert_eq!(parse("x", write(&system).as_bytes(), true).unwrap().terms(), system.terms());
    }
    // What is known of sums of outputs: a constant function has no energy, interpolation functions add up to 1,
    // reactions that are counted by all their species change nothing else than their number.
    for (spec, outputs, sum) in [
        ("stiffness:2", vec!["K0u1", "K1u1", "K1u2"], "0"),
        ("stiffness:3", vec!["K0u2", "K1u2", "K2u2", "K2u3"], "0"),
        ("lagrange:2", vec!["n0u0", "n0u1", "n0u2", "n1u0", "n1u1", "n1u2", "n2u0", "n2u1", "n2u2"], "1"),
        ("kinetics:3", vec!["f0", "f1", "f2"], "-k0*x0*x1-k1*x1*x2-k2*x2*x0+q0*x2+q1*x0+q2*x1"),
        ("harmonics:2", vec!["c2m0", "s2m2"], "z^2-x^2/2-y^2/2+2*x*y"),
    ] {
        let system = generate(spec).unwrap();
        let of = |name: &str| &system.outputs().find(|output| output.name == name).unwrap().polynomial;
        let added = outputs[1..].iter().fold(of(outputs[0]).clone(), |sum, name| sum.add(of(name)));
        let difference = format!("{added}-({sum})");
        assert_eq!(
            parse("x", difference.as_bytes(), true).unwrap().definitions()[0].polynomial.to_string(),
            "0",
            "{spec}"
        );
    }
    for (spec, message) in [
        ("det:1", "det:1: expected det:N with a number from 2 to 7, as in det:2"),
        ("trace:5", "trace:5: expected trace:N with an even number from 2 to 10, as in trace:4"),
        ("power:x", "power:x: expected power:N with a number from 1 to 12, as in power:6"),
    ] {
        assert_eq!(generate(spec).unwrap_err().to_string(), message);
    }
}

/// More playouts are never worse, and several threads or a limit of time give correct code.
#[test]
fn effort_threads_and_time() {
    let system = Arc::new(generate("symdet:4").unwrap());
    let run = |effort: Effort, threads: usize| {
        let mut simplifier = Simplifier { effort, ..Simplifier::default() };
        simplifier.setup = simplifier.setup.threads(threads);
        let done = simplifier.run(&system, &mut |_| ()).unwrap();
        check(&done);
        done.best
    };
    let short = run(Effort::playouts(100), 1).operations();
    let long = run(Effort::default(), 1);
    assert!(long.operations() <= short);
    assert_eq!(run(Effort::default(), 1).program, long.program);
    assert_eq!(run(Effort::playouts(200), 3).program, run(Effort::playouts(200), 3).program);
    run(Effort { time: Some(Duration::from_millis(200)), ..Effort::default() }, 2);
    run(Effort { time: Some(Duration::ZERO), ..Effort::default() }, 1);
}
