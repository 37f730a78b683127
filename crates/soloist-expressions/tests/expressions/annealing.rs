//! Refinement and polishing: results are exact and better, runs are reproducible, stop, and continue.

use crate::common::{header, named, system};
use soloist_expressions::{
    Dag, Language, Limits, Polisher, Program, Signs, Simplified, Stop, System, code_counts, emit, generate, parse,
    polish, refine, simplify, verify_code, verify_exactly,
};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const SOME: Limits = Limits::attempts(2000);

/// A symmetric determinant with numbers, by its terms.
const TEXT: &str = "F = a*d*f-a*e^2-b^2*f+2*b*c*e-c^2*d; G = 3*a*b*c+6*a*b*d-4*c*d*e+2/3*a^2*e-8*c^2*b;
    H = (a+b+c)*(d+e-f)*(a-d)-2*a*b+(b-2*c)^3*d;";

/// Checks that a program computes its system and costs what it says. Returns its operations.
fn assert_same(system: &System, program: &Program) -> u64 {
    program.validate().unwrap();
    let code = emit(system, program, Language::Form, &header(system, &[]));
    let verified = verify_code(system, &code, Language::Form).unwrap();
    assert_eq!(verified.counts, code_counts(system, program), "{code}");
    assert_eq!(verify_exactly(system, &code).unwrap(), !system.is_block().contains(&true), "{code}");
    program.counts().total()
}

fn example(text: &str) -> (System, Program) {
    let system = system(text);
    let Simplified { program, .. } = simplify(&system, &system.occurrence_order(), true, Stop::never());
    (system, program)
}

#[test]
fn refined_forms_are_exact() {
    let (mut less, mut exceptions) = (0, 0);
    for round in 0..40 {
        let system = generate(&format!("random:{}x{}x5:{round}", 1 + round % 7, 1 + 2 * round)).unwrap();
        let order: Vec<usize> = (0..system.symbols().len()).collect();
        let refined = refine(&system, &order, SOME, 1, Stop::never()).unwrap();
        let before = Dag::build(&system, &order, Signs::Canonical).code_counts().total();
        let after = assert_same(&system, &Program::new(&system, &refined.dag));
        assert!(after <= before, "round {round}: {after} operations, {before} before");
        less += before - after;
        exceptions += refined.exceptions;
    }
    assert!(less > 150 && exceptions > 200, "{less} {exceptions}");
    // Outputs that are zero, numbers, monomials, blocks, multiples and negatives of each other, rational numbers.
    for text in [
        "0",
        "7/3",
        "-x",
        "x^7*y^3-5",
        "F = 0; G = 3; H = x-x; I = 2*x*y-4*z; J = 2*z-x*y",
        "F = (a+b+c+d+e+f)^50*x+y*x; G = x*y*a+a*b",
        "x/2+y/3-x*y*z/7+5/6*y*z-z^2*x",
    ] {
        let system = system(text);
        let refined = refine(&system, &system.occurrence_order(), SOME, 1, Stop::never()).unwrap();
        assert_same(&system, &Program::new(&system, &refined.dag));
    }
}

/// Without an attempt the form is that of the order.
#[test]
fn no_attempt_no_exception() {
    for spec in ["res:4,3", "random:5x60x4:7", "random:3x30x9:2"] {
        let system = generate(spec).unwrap();
        let order = system.occurrence_order();
        let refined = refine(&system, &order, Limits::attempts(0), 1, Stop::never()).unwrap();
        let plain = Dag::build(&system, &order, Signs::Canonical);
        assert_eq!((refined.exceptions, refined.attempts), (0, 0));
        assert_eq!(refined.dag.counts(), plain.counts(), "{spec}");
    }
}

#[test]
fn refinement_is_reproducible_and_bounded() {
    let system = generate("res:5,4").unwrap();
    let order = system.occurrence_order();
    let run = |limits, seed| {
        let refined = refine(&system, &order, limits, seed, Stop::never()).unwrap();
        (refined.dag.counts(), refined.exceptions, refined.attempts)
    };
    assert_eq!(run(SOME, 1), run(SOME, 1));
    assert_eq!(run(SOME, 1).2, 2000);
    assert_ne!(run(SOME, 1).0, run(SOME, 2).0);
    let short = run(Limits::work(200_000), 1);
    assert!(short.2 > 100 && short.2 < 20_000, "{}", short.2);
    let long = run(Limits::work(20_000_000), 1);
    assert!(long.0.total() < short.0.total());
    let flag = AtomicBool::new(true);
    let stopped = refine(&system, &order, SOME, 1, Stop::never().or_when(&flag)).unwrap();
    assert_eq!(stopped.attempts, 0);
    // Nothing to choose: the search ends all the same.
    for text in ["0", "x^3+x"] {
        let endless = Limits::attempts(u64::MAX);
        let refined = refine(&parse("a", text.as_bytes(), true).unwrap(), &[0], endless, 0, Stop::never());
        assert_eq!(refined.unwrap().attempts, 0);
    }
    for text in ["x^2000*y+y^2+x", "123456789012345678901234567890*x+y"] {
        assert!(refine(&parse("a", text.as_bytes(), true).unwrap(), &[0, 1], SOME, 1, Stop::never()).is_none());
    }
}

/// A tenth below the best order for all of the resultant of degrees 7 and 4.
#[test]
fn exceptions_pay() {
    let system = generate("res:7,4").unwrap();
    let order = named(&system, "b4,a6,a7,a4,a5,b3,a3,b2,a2,a1,b1,b0,a0");
    let refined = refine(&system, &order, Limits::attempts(20_000), 1, Stop::never()).unwrap();
    let after = refined.dag.code_counts().total();
    assert!(after < 3128 * 9 / 10, "{after} operations");
}

#[test]
fn polishing_finds_what_greedy_extraction_misses() {
    // Each is a product, or a sum of two products, that was multiplied out.
    for (text, fewest) in [
        ("(a+b+c)*(d+e+f)", 5),
        ("(a+b)*(c+d)*(e+f)*(g+h)", 7),
        ("(a*b+c*d)*(e*f+g*h)*(a-c)", 9),
        ("(a+2*b)*(3*c-d)*(e+f)", 7),
        ("(x*a-y*b)*(x*b+y*a)", 7),
    ] {
        let (system, mut program) = example(text);
        polish(&mut program, Limits::attempts(3000), 1, Stop::never());
        assert_same(&system, &program);
        assert!(program.counts().total() <= fewest, "{text}: {}", program.counts());
    }
    let (system, program) = example(TEXT);
    let mut polisher = Polisher::new(program.clone(), SOME, 0);
    let mut operations = program.counts().total();
    while polisher.advance(Stop::never()) {
        assert!(polisher.best().counts().total() <= operations);
        operations = polisher.best().counts().total();
    }
    assert_eq!(polisher.attempts(), 2000);
    let best = polisher.finish();
    assert!(best.counts().total() < program.counts().total() && best.counts().total() <= operations);
    assert_same(&system, &best);
}

#[test]
fn polishing_is_reproducible_and_bounded() {
    let (_, program) = example(TEXT);
    let run = |limits, seed| {
        let mut polished = program.clone();
        let attempts = polish(&mut polished, limits, seed, Stop::never());
        (polished, attempts)
    };
    assert_eq!(run(Limits::attempts(500), 7), run(Limits::attempts(500), 7));
    assert_ne!(run(Limits::attempts(500), 7).0, run(Limits::attempts(500), 8).0);
    let (_, attempts) = run(Limits::work(100_000), 7);
    assert!(attempts > 10 && attempts <= 1000, "{attempts}");
    assert_eq!(run(Limits::attempts(0), 7), (program.clone(), 0));
    assert_eq!(run(Limits::NONE, 7), (program.clone(), 0));
    for text in ["0", "7", "x", "x+y", "x*y*z+3"] {
        let (system, mut program) = example(text);
        polish(&mut program, Limits::work(10_000), 1, Stop::never());
        assert_same(&system, &program);
    }
}

/// A flag or a moment ends both searches early, with a result that is correct.
#[test]
fn searches_stop_when_asked() {
    let (system, program) = example(TEXT);
    let flag = AtomicBool::new(true);
    for stop in [Stop::never().or_when(&flag), Stop::never().or_at(Instant::now())] {
        let mut polished = program.clone();
        assert_eq!(polish(&mut polished, SOME, 7, stop), 0);
        assert!(assert_same(&system, &polished) <= program.counts().total());
        let refined = refine(&system, &system.occurrence_order(), SOME, 1, stop).unwrap();
        assert_eq!((refined.attempts, refined.exceptions), (0, 0));
    }
    let endless = Limits::attempts(u64::MAX);
    let mut polished = program;
    let soon = Stop::never().or_at(Instant::now() + Duration::from_millis(50));
    assert!(polish(&mut polished, endless, 7, soon) > 0);
    assert_same(&system, &polished);
}

/// Slices, some of them stopped, are one run.
#[test]
fn polishing_continues() {
    let system = generate("res:4,3").unwrap();
    let program = simplify(&system, &system.occurrence_order(), true, Stop::never()).program;
    let limits = Limits::attempts(8_000);
    let mut whole = program.clone();
    assert_eq!(polish(&mut whole, limits, 3, Stop::never()), 8_000);
    let mut polisher = Polisher::new(program, limits, 3);
    let mut slices = 0;
    loop {
        let soon = Stop::never().or_at(Instant::now() + Duration::from_millis(1));
        polisher.advance(soon);
        let more = polisher.advance(Stop::never());
        if !more {
            break;
        }
        slices += 1;
    }
    assert!(slices >= 2, "{slices}");
    assert_eq!((polisher.attempts(), polisher.finish()), (8_000, whole));
}
