//! Forms with exceptions are exact, counted as they are built, and have fewer operations.

use super::*;
use crate::tests::shared;
use crate::{Header, Language, Program, Signs, emit, generate, parse, verify_code, verify_exactly};

const SOME: Refinement = Refinement { rounds: 2000, work: u64::MAX, seed: 1 };

fn assert_same(system: &System, dag: &Dag) -> u64 {
    let program = Program::new(system, dag);
    let header = Header { function: "f", source: "a", input: system.counts(), order: &[], exceptions: 0 };
    let code = emit(system, &program, Language::Form, &header);
    let verified = verify_code(system, &code, Language::Form).unwrap();
    assert_eq!(verified.counts, program.counts(), "{code}");
    if !system.is_block().contains(&true) {
        assert_eq!(verify_exactly(system, &code).unwrap(), Some(()), "{code}");
    }
    program.counts().total()
}

#[test]
fn forms_are_exact() {
    let (mut less, mut exceptions) = (0, 0);
    for round in 0..40 {
        let system = generate(&format!("random:{}x{}x5:{round}", 1 + round % 7, 1 + 2 * round)).unwrap();
        let order: Vec<usize> = (0..system.symbols().len()).collect();
        let refined = refine(&system, &order, SOME, None).unwrap();
        let before = Dag::build(&system, &order, Signs::Canonical).code_counts().total();
        let after = assert_same(&system, &refined.dag);
        assert!(after <= before, "round {round}: {after} operations, {before} before");
        less += before - after;
        exceptions += refined.exceptions;
    }
    assert!(less > 150 && exceptions > 200, "{less} {exceptions}");
    // Outputs that are nothing, numbers, monomials, blocks, multiples and negatives of each other, rational numbers.
    for text in [
        "0",
        "7/3",
        "-x",
        "x^7*y^3-5",
        "F = 0; G = 3; H = x-x; I = 2*x*y-4*z; J = 2*z-x*y",
        "F = (a+b+c+d+e+f)^50*x+y*x; G = x*y*a+a*b",
        "x/2+y/3-x*y*z/7+5/6*y*z-z^2*x",
    ] {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let refined = refine(&system, &system.occurrence_order(), SOME, None).unwrap();
        assert_same(&system, &refined.dag);
    }
}

/// Without an exception the form is that of the order.
#[test]
fn no_attempt_no_exception() {
    for spec in ["res:4,3", "random:5x60x4:7", "random:3x30x9:2"] {
        let system = generate(spec).unwrap();
        let order = system.occurrence_order();
        let refined = refine(&system, &order, Refinement { rounds: 0, ..SOME }, None).unwrap();
        let plain = Dag::build(&system, &order, Signs::Canonical);
        assert_eq!((refined.exceptions, refined.attempts), (0, 0));
        assert_eq!(refined.dag.counts(), plain.counts(), "{spec}");
    }
}

/// What is counted along the way is what a count from the beginning finds, and what is taken back leaves no trace.
#[test]
fn counts_follow_choices() {
    for spec in ["res:4,3", "random:5x60x4:7"] {
        let system = generate(spec).unwrap();
        let (terms, order) = (problem::terms(&system).0, system.occurrence_order());
        let mut graph = Graph::new(&terms, 1, &order, &Table::default());
        let mut rng = Rng::new(5);
        let mut changed = 0;
        for _ in 0..2000 {
            let at = rng.index(graph.polynomials());
            if !graph.is_open(at) {
                continue;
            }
            let term = rng.index(graph.size(at));
            let variable = graph.variable(at, term, |count| rng.index(count));
            if variable == NONE {
                continue;
            }
            let (before, chosen) = (graph.operations, graph.chosen(at));
            let undo = graph.choose(at, variable);
            assert_eq!(graph.chosen(at), variable);
            if rng.below(2) == 0 {
                graph.undo(undo);
                assert_eq!((graph.operations, graph.chosen(at)), (before, chosen));
            }
            changed += usize::from(graph.operations != before);
            if rng.below(20) == 0 {
                let anew = Graph::new(&terms, 1, &order, &graph.choices());
                assert_eq!(anew.operations, graph.operations, "{spec}");
            }
        }
        assert!(changed > 20, "{changed}");
        // What is met again takes no room.
        assert!(graph.kept_exponents() <= (graph.polynomials() + 1) * terms.variables());
        let built = build::build(&system, &graph, &order);
        assert_same(&system, &built);
    }
}

#[test]
fn searches_are_reproducible_and_bounded() {
    let system = generate("res:5,4").unwrap();
    let order = system.occurrence_order();
    let run = |limits| {
        let refined = refine(&system, &order, limits, None).unwrap();
        (refined.dag.counts(), refined.exceptions, refined.attempts)
    };
    assert_eq!(run(SOME), run(SOME));
    assert_eq!(run(SOME).2, 2000);
    assert_ne!(run(SOME).0, run(Refinement { seed: 2, ..SOME }).0);
    let short = run(Refinement { rounds: u64::MAX, work: 200_000, seed: 1 });
    assert!(short.2 > 100 && short.2 < 20_000, "{}", short.2);
    // So long that forms out of use are thrown away.
    let long = run(Refinement { rounds: u64::MAX, work: 20_000_000, seed: 1 });
    assert!(long.0.total() < short.0.total());
    let stopped = refine(&system, &order, SOME, Some(&AtomicBool::new(true))).unwrap();
    assert_eq!(stopped.attempts, 0);
    // Nothing to choose: the search ends all the same.
    for text in ["0", "x^3+x"] {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let endless = Refinement { rounds: u64::MAX, work: u64::MAX, seed: 0 };
        assert_eq!(refine(&system, &[0], endless, None).unwrap().attempts, 0);
    }
    let deep = parse("a", b"x^2000*y+y^2+x", true).unwrap();
    assert!(refine(&deep, &[0, 1], SOME, None).is_none());
    let long = parse("a", b"123456789012345678901234567890*x+y", true).unwrap();
    assert!(refine(&long, &[0, 1], SOME, None).is_none());
}

/// A tenth below the best order for all of the resultant of degrees 7 and 4.
#[test]
fn exceptions_pay() {
    let Some(system) = shared("res_7_4") else { return };
    let order = crate::tests::named(&system, "b4,a6,a7,a4,a5,b3,a3,b2,a2,a1,b1,b0,a0");
    let limits = Refinement { rounds: 20_000, ..SOME };
    let refined = refine(&system, &order, limits, None).unwrap();
    let after = refined.dag.code_counts().total();
    assert!(after < 3128 * 9 / 10, "{after} operations");
}
