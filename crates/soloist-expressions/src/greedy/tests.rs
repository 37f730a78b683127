//! The counts of a program under improvement are right, and taking changes back restores everything.

use super::extract::extract_all;
use super::improve;
use super::polish::dissolve;
use super::work::Work;
use crate::algebra::{Signs, System};
use crate::emit::{Header, Language, emit};
use crate::horner::{Dag, Program};
use crate::read::parse;
use crate::stop::Stop;
use crate::verify::verify_code;
use soloist::Rng;

fn example(text: &str) -> (System, Program) {
    let system = parse("a", text.as_bytes(), true).unwrap();
    let mut program = Program::new(&system, &Dag::build(&system, &system.occurrence_order(), Signs::Canonical));
    improve(&mut program, 0, Stop::never());
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
    extract_all(&mut work, Stop::never());
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
        extract_all(&mut work, Stop::never());
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
        // The running counts equal those of tables built from the program.
        let mut fresh = Work::new(work.program(), 0);
        fresh.pairs.mark(0, 0);
        let positive = |gains: Vec<i32>| gains.into_iter().filter(|&gain| gain >= 0).count();
        assert_eq!(positive(work.pairs.gains()), positive(fresh.pairs.gains()), "round {round}");
    }
    assert!(changed > 100);
}

/// Greatest common divisors of long numbers are computed once for each pair, however often polishing asks.
#[test]
fn long_numbers_are_divided_once() {
    let number = |digits: usize, seed: u64| {
        let mut rng = Rng::new(seed);
        (0..digits).map(|_| char::from(b'1' + rng.below(9) as u8)).collect::<String>()
    };
    let [a, b, c] = [1, 2, 3].map(|seed| number(2_000, seed));
    let (_, program) = example(&format!("F = {a}*x*y + {b}*y*z + {c}*x*z;"));
    let mut work = Work::new(program, 0);
    extract_all(&mut work, Stop::never());
    let mut rng = Rng::new(3);
    for _ in 0..2_000 {
        work.mark(rng.next_u64() | 1, 127);
        let at = rng.index(work.sums.len()) as u32;
        if work.is_temporary(at) {
            dissolve(&mut work, at);
        }
        work.settle();
        extract_all(&mut work, Stop::never());
        work.roll_back();
    }
    assert!((1..100).contains(&work.numbers.divisors), "{}", work.numbers.divisors);
}
