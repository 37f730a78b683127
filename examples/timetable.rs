//! Puts exams into slots: smaller is better, and a solution can fail.
//!
//! No student can sit two exams at once, and slots are few: a playout may come to an exam that fits nowhere. It ends
//! there, infeasible by the number of exams left over. Among timetables that work, few students should have exams in
//! slots that follow each other.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use soloist::problem::stable_hash;
use soloist::{Budget, Method, Problem, Score, Sense, Solver};

const EXAMS: usize = 14;
const SLOTS: usize = 7;
/// The exams of each student.
#[rustfmt::skip]
const STUDENTS: [[usize; 3]; 26] = [
    [0, 1, 2], [0, 3, 4], [1, 3, 5], [2, 4, 6], [5, 6, 7], [0, 7, 8], [1, 8, 9], [2, 9, 10], [3, 10, 11],
    [4, 11, 12], [5, 12, 13], [6, 13, 0], [7, 1, 13], [8, 2, 12], [9, 3, 13], [10, 4, 0], [11, 5, 1], [12, 6, 3],
    [7, 9, 11], [8, 10, 13], [2, 5, 11], [4, 7, 10], [6, 8, 11], [0, 9, 12], [1, 4, 6], [3, 7, 12],
];

struct Timetable;

impl Problem for Timetable {
    /// The slots of the exams placed so far; exams are placed in the order of their numbers.
    type State = Vec<usize>;
    /// The slot of the next exam.
    type Move = usize;

    fn root(&self) -> Vec<usize> {
        Vec::new()
    }

    fn moves(&self, slots: &Vec<usize>, moves: &mut Vec<usize>) {
        let next = slots.len();
        if next < EXAMS {
            let clash = |slot| (0..next).any(|exam| slots[exam] == slot && share_a_student(exam, next));
            moves.extend((0..SLOTS).filter(|&slot| !clash(slot)));
        }
    }

    fn apply(&self, slots: &mut Vec<usize>, slot: usize) {
        slots.push(slot);
    }

    fn score(&self, slots: &Vec<usize>) -> Score {
        if slots.len() < EXAMS {
            // The fewer exams are left over, the closer the failure was: searches follow that.
            return Score::Infeasible((EXAMS - slots.len()) as f64);
        }
        Score::Feasible(f64::from(strain(slots)))
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// A slot means something for an exam only: both make the address that NRPA learns under.
    fn code(&self, slots: &Vec<usize>, slot: usize) -> u64 {
        stable_hash(&(slots.len(), slot))
    }
}

fn share_a_student(a: usize, b: usize) -> bool {
    STUDENTS.iter().any(|exams| exams.contains(&a) && exams.contains(&b))
}

/// How often a student has exams in two slots that follow each other.
fn strain(slots: &[usize]) -> u32 {
    let pairs = |exams: &[usize; 3]| [(0, 1), (0, 2), (1, 2)].map(|(i, j)| slots[exams[i]].abs_diff(slots[exams[j]]));
    STUDENTS.iter().flat_map(pairs).filter(|&distance| distance == 1).count() as u32
}

fn main() {
    let method = Method::preset("nrpa").unwrap();
    let outcome = Solver::new(&Timetable, method).seed(3).budget(Budget::playouts(50_000)).run().unwrap();
    let best = outcome.best.unwrap();
    match best.score {
        Score::Feasible(value) => {
            // The result, recomputed from the moves alone: the slots in the order of the exams.
            for [a, b, c] in STUDENTS {
                let [a, b, c] = [best.moves[a], best.moves[b], best.moves[c]];
                assert!(a != b && b != c && a != c, "a student has two exams at once");
            }
            assert_eq!(value, f64::from(strain(&best.moves)));
            for slot in 0..SLOTS {
                let exams: Vec<usize> = (0..EXAMS).filter(|&exam| best.moves[exam] == slot).collect();
                println!("slot {slot}: exams {exams:?}");
            }
            println!("{value} pairs of exams in slots that follow each other");
        }
        Score::Infeasible(left) => println!("no timetable found: {left} exams left over"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_promises_of_a_problem() {
        soloist::check(&Timetable, 200, 1).unwrap();
    }

    #[test]
    fn playouts_fail_and_searches_do_not() {
        let run = |name, seed, playouts| {
            let solver = Solver::new(&Timetable, Method::preset(name).unwrap()).seed(seed);
            solver.budget(Budget::playouts(playouts)).run().unwrap().best.unwrap().score
        };
        let failed = (0..100).filter(|&seed| !run("sampling", seed, 1).is_feasible()).count();
        assert!((20..100).contains(&failed), "{failed} of 100 playouts are infeasible");
        let sampling = run("sampling", 3, 20_000);
        for name in ["nrpa", "nmcs", "uct-best"] {
            let score = run(name, 3, 20_000);
            assert!(score.is_feasible() && Sense::Minimize.at_least(score, sampling), "{name}: {score} {sampling}");
        }
        main();
    }
}
