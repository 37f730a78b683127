//! The program under improvement is what it says, and changes are taken back in full.

use super::polish::dissolve;
use super::*;
use crate::{Header, System};
use crate::{Language, emit, parse, simplify, verify_code};
use soloist::Rng;

fn example(text: &str) -> (System, Program) {
    let system = parse("a", text.as_bytes(), true).unwrap();
    let order = system.occurrence_order();
    let program = simplify(&system, &order, Some(0), None).program;
    (system, program)
}

/// A symmetric determinant with numbers, by its terms.
const TEXT: &str = "F = a*d*f-a*e^2-b^2*f+2*b*c*e-c^2*d; G = 3*a*b*c+6*a*b*d-4*c*d*e+2/3*a^2*e-8*c^2*b;
    H = (a+b+c)*(d+e-f)*(a-d)-2*a*b+(b-2*c)^3*d;";

fn assert_same(system: &System, program: &Program) {
    let header = Header { function: "f", source: "a", input: system.counts(), order: &[], exceptions: 0 };
    let code = emit(system, program, Language::Form, &header);
    let verified = verify_code(system, &code, Language::Form).unwrap();
    assert_eq!(verified.counts, program.counts(), "{code}");
}

#[test]
fn attempts_are_taken_back_in_full() {
    let (system, program) = example(TEXT);
    let mut work = Work::new(program, 0);
    extract_all(&mut work, None);
    let mut rng = Rng::new(3);
    let mut changed = 0;
    for round in 0..500 {
        let (before, gains) = (work.program(), work.pairs.gains());
        work.mark(rng.next_u64() | 1, 127);
        for _ in 0..1 + rng.below(4) {
            let at = rng.index(work.sums.len()) as u32;
            if work.is_temporary(at) {
                dissolve(&mut work, at);
            }
        }
        work.settle();
        extract_all(&mut work, None);
        let after = work.program();
        assert_eq!(work.operations(), after.counts().total());
        if round % 50 == 0 {
            assert_same(&system, &after);
        }
        changed += u32::from(before != after);
        if round % 3 > 0 {
            work.roll_back();
            assert_eq!(work.program(), before);
            assert_eq!(work.pairs.gains(), gains);
        }
        // What is counted is what a count from the beginning finds.
        let mut fresh = Work::new(work.program(), 0);
        fresh.pairs.mark(0, 0);
        let positive = |gains: Vec<i32>| gains.into_iter().filter(|&gain| gain >= 0).count();
        assert_eq!(positive(work.pairs.gains()), positive(fresh.pairs.gains()), "round {round}");
    }
    assert!(changed > 100);
}

#[test]
fn polishing_finds_what_greedy_extraction_misses() {
    // Each is a product, or a sum of two, that was multiplied out.
    for (text, fewest) in [
        ("(a+b+c)*(d+e+f)", 5),
        ("(a+b)*(c+d)*(e+f)*(g+h)", 7),
        ("(a*b+c*d)*(e*f+g*h)*(a-c)", 9),
        ("(a+2*b)*(3*c-d)*(e+f)", 7),
        ("(x*a-y*b)*(x*b+y*a)", 7),
    ] {
        let (system, mut program) = example(text);
        polish(&mut program, 3000, u64::MAX, 1, None, &mut |_, _| {});
        assert_same(&system, &program);
        assert!(program.counts().total() <= fewest, "{text}: {}", program.counts());
    }
    // The greedy phase alone does not find these.
    let (system, program) = example(TEXT);
    let mut best = program.clone();
    let mut told = program.counts().total();
    let done = polish(&mut best, 2000, u64::MAX, 0, None, &mut |_, operations| {
        assert!(operations < told);
        told = operations;
    });
    assert_eq!((done, told), (2000, best.counts().total()));
    assert!(best.counts().total() < program.counts().total());
    assert_same(&system, &best);
}

#[test]
fn polishing_is_reproducible_and_bounded() {
    let (_, program) = example(TEXT);
    let run = |rounds, work, seed| {
        let mut own = program.clone();
        let done = polish(&mut own, rounds, work, seed, None, &mut |_, _| {});
        (own, done)
    };
    assert_eq!(run(500, u64::MAX, 7), run(500, u64::MAX, 7));
    assert_ne!(run(500, u64::MAX, 7).0, run(500, u64::MAX, 8).0);
    let (_, done) = run(u64::MAX, 100_000, 7);
    assert!(done > 10 && done <= 1000, "{done}");
    assert_eq!(run(0, u64::MAX, 7), (program.clone(), 0));
    let stop = AtomicBool::new(true);
    let mut own = program.clone();
    assert_eq!(polish(&mut own, 500, u64::MAX, 7, Some(&stop), &mut |_, _| {}), 0);
    assert!(own.counts().total() <= program.counts().total());
    for text in ["0", "7", "x", "x+y", "x*y*z+3"] {
        let (system, mut program) = example(text);
        polish(&mut program, u64::MAX, 10_000, 1, None, &mut |_, _| {});
        assert_same(&system, &program);
    }
}
