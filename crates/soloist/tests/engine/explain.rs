//! Conflicts of named constraints beside brute force.

use soloist::check::{Verdict, explain, explain_decisions};
use soloist::problem::{Explain, Extras, Facts, ScorePart};
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const VARIABLES: usize = 5;

/// Values for variables that satisfy all clauses; a clause is a list of variables with the values that satisfy it.
#[derive(Clone)]
struct Clauses(Vec<Vec<(usize, bool)>>);

impl Clauses {
    fn broken(&self, values: &[bool]) -> usize {
        self.0.iter().filter(|clause| clause.iter().all(|&(variable, value)| values[variable] != value)).count()
    }

    fn can_hold(&self, kept: &[usize]) -> bool {
        let kept = Self(kept.iter().map(|&at| self.0[at].clone()).collect());
        (0..1_u32 << VARIABLES).any(|bits| {
            let values: Vec<bool> = (0..VARIABLES).map(|at| bits >> at & 1 == 1).collect();
            kept.broken(&values) == 0
        })
    }
}

impl Problem for Clauses {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, values: &Vec<bool>, moves: &mut Vec<bool>) {
        if values.len() < VARIABLES {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, values: &mut Vec<bool>, value: bool) {
        values.push(value);
    }
    fn score(&self, values: &Vec<bool>) -> Score {
        match self.broken(values) {
            0 => Score::Feasible(values.iter().filter(|&&value| value).count() as f64),
            broken => Score::Infeasible(broken as f64),
        }
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Clauses {
    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }
}

impl Explain<Clauses> for Clauses {
    fn parts(&self, values: &Vec<bool>) -> Vec<ScorePart> {
        let true_ones = values.iter().filter(|&&value| value).count();
        vec![("true".into(), true_ones as f64), ("false".into(), (values.len() - true_ones) as f64)]
    }
    fn constraints(&self) -> Vec<String> {
        (0..self.0.len()).map(|at| at.to_string()).collect()
    }
    fn relaxed(&self, kept: &[usize]) -> Option<Self> {
        assert!(kept.is_sorted());
        Some(Self(kept.iter().map(|&at| self.0[at].clone()).collect()))
    }
}

fn random(rng: &mut Rng, count: usize) -> Clauses {
    let clause = |rng: &mut Rng| {
        let length = 1 + rng.index(3);
        (0..length).map(|_| (rng.index(VARIABLES), rng.below(2) == 1)).collect()
    };
    Clauses((0..count).map(|_| clause(rng)).collect())
}

#[test]
fn conflicts_cannot_be_made_smaller() {
    let mut rng = Rng::new(3);
    let (mut feasible, mut sizes) = (0, Vec::new());
    for count in 1..=40 {
        let clauses = random(&mut rng, count);
        let found = explain(&clauses, Duration::from_secs(60), 1, None).unwrap();
        assert_eq!(found.constraints, count);
        if clauses.can_hold(&(0..count).collect::<Vec<_>>()) {
            assert_eq!((found.verdict, found.tests), (Verdict::Feasible, 1));
            feasible += 1;
            continue;
        }
        assert_eq!((found.verdict, found.is_least), (Verdict::Conflict, true));
        let conflict: Vec<usize> = found.conflict.iter().map(|name| name.parse().unwrap()).collect();
        assert!(!clauses.can_hold(&conflict), "{conflict:?}");
        for at in 0..conflict.len() {
            let mut rest = conflict.clone();
            rest.remove(at);
            assert!(clauses.can_hold(&rest), "{conflict:?} without {at}");
        }
        sizes.push(conflict.len());
    }
    assert!(feasible > 3 && sizes.len() > 20 && sizes.iter().max() > Some(&3), "{feasible} feasible, {sizes:?}");
}

#[test]
fn what_is_not_known_is_not_said() {
    let clauses = Clauses(vec![vec![(0, true)], vec![(0, false)], vec![(1, true)]]);
    // No time, and a signal.
    let nothing = explain(&clauses, Duration::ZERO, 1, None).unwrap();
    let stopped = explain(&clauses, Duration::from_secs(60), 1, Some(&AtomicBool::new(true))).unwrap();
    for found in [nothing, stopped] {
        assert_eq!((found.verdict, found.is_least, found.conflict.len()), (Verdict::Unknown, false, 0));
    }
    let unnamed = explain(&soloist::doc::Staircase(3), Duration::from_secs(60), 1, None).unwrap();
    assert_eq!((unnamed.verdict, unnamed.constraints), (Verdict::Unnamed, 0));
}

#[test]
fn parts_are_asked_of_the_end() {
    let clauses = Clauses(vec![vec![(0, false)]]);
    let solver = Solver::new(&clauses, Method::preset("dfs").unwrap());
    let best = solver.budget(Budget::nodes(1_000)).run().unwrap().best.unwrap();
    assert_eq!(best.score, Score::Feasible(4.0));
    assert_eq!(best.parts(&clauses), [("true".into(), 4.0), ("false".into(), 1.0)]);
}

/// Whether some values satisfy all clauses and are those of `values` at the places of `kept`.
fn can_stay(clauses: &Clauses, values: &[bool], kept: &[usize]) -> bool {
    (0..1_u32 << VARIABLES).any(|bits| {
        let all: Vec<bool> = (0..VARIABLES).map(|at| bits >> at & 1 == 1).collect();
        kept.iter().all(|&at| all[at] == values[at]) && clauses.broken(&all) == 0
    })
}

#[test]
fn conflicts_of_decisions_are_those_of_brute_force() {
    let mut rng = Rng::new(7);
    let (mut conflicts, mut hopeless, mut feasible) = (0, 0, 0);
    for _ in 0..150 {
        let count = 6 + rng.index(8);
        let clauses = random(&mut rng, count);
        let values: Vec<bool> = (0..1 + rng.index(VARIABLES)).map(|_| rng.index(2) == 1).collect();
        let name = |step: usize, _| step.to_string();
        let found = explain_decisions(&clauses, &values, &name, Duration::from_secs(10), 1, None).unwrap();
        assert_eq!(found.constraints, values.len());
        let all: Vec<usize> = (0..values.len()).collect();
        if can_stay(&clauses, &values, &all) {
            assert_eq!((found.verdict, found.conflict.len()), (Verdict::Feasible, 0));
            feasible += 1;
            continue;
        }
        assert!(found.verdict == Verdict::Conflict && found.is_least);
        let kept: Vec<usize> = found.conflict.iter().map(|name| name.parse().unwrap()).collect();
        assert!(!can_stay(&clauses, &values, &kept));
        for left_out in &kept {
            let rest: Vec<usize> = kept.iter().copied().filter(|at| at != left_out).collect();
            assert!(can_stay(&clauses, &values, &rest), "{left_out} of {kept:?} is not needed");
        }
        if kept.is_empty() { hopeless += 1 } else { conflicts += 1 }
    }
    assert!(conflicts >= 20 && hopeless >= 5 && feasible >= 20, "{conflicts}, {hopeless}, {feasible}");
}

#[test]
fn decisions_must_be_legal_and_games_that_end_early_miss_them() {
    let name = |step: usize, _: u8| format!("step {step}");
    let time = Duration::from_secs(5);
    let refused = explain_decisions(&Countdown, &[1, 9], &name, time, 1, None).unwrap_err();
    assert_eq!(refused.to_string(), "the prefix: move 1 is not legal");
    // One and one leave four, which one step does not take.
    let found = explain_decisions(&Countdown, &[1, 1], &name, time, 1, None).unwrap();
    assert_eq!((found.verdict, found.conflict), (Verdict::Conflict, vec!["step 0".to_owned(), "step 1".to_owned()]));
    // No solution has a fourth step.
    let found = explain_decisions(&Countdown, &[2, 2, 1, 1], &name, time, 1, None).unwrap();
    assert_eq!((found.verdict, found.conflict), (Verdict::Conflict, vec!["step 3".to_owned()]));
    let found = explain_decisions(&Countdown, &[3, 2], &name, time, 1, None).unwrap();
    assert_eq!((found.verdict, found.constraints), (Verdict::Feasible, 2));
    let found = explain_decisions(&Countdown, &[], &name, time, 1, None).unwrap();
    assert_eq!(found.verdict, Verdict::Unnamed);
}

#[test]
fn what_leaves_moves_out_proves_no_conflict_of_decisions() {
    let name = |step: usize, _: bool| format!("step {step}");
    let explained = |is_complete| {
        explain_decisions(&Differ { is_complete }, &[false], &name, Duration::from_secs(5), 1, None).unwrap()
    };
    assert_eq!((explained(true).verdict, explained(false).verdict), (Verdict::Conflict, Verdict::Unknown));
}

/// Two values that must differ. The moves leave out `true` as the second one: on purpose where they are not complete.
struct Differ {
    is_complete: bool,
}

impl Problem for Differ {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, values: &Vec<bool>, moves: &mut Vec<bool>) {
        moves.extend_from_slice([&[false, true][..], &[false], &[]][values.len()]);
    }
    fn apply(&self, values: &mut Vec<bool>, value: bool) {
        values.push(value);
    }
    fn score(&self, values: &Vec<bool>) -> Score {
        if values[0] != values[1] { Score::Feasible(0.0) } else { Score::Infeasible(1.0) }
    }
    /// Codes below two, which a restriction of the problem must not hold against moves of its own codes.
    fn facts(&self) -> Facts {
        Facts { is_complete: self.is_complete, code_count: Some(2), ..Facts::default() }
    }
    fn code(&self, _: &Vec<bool>, value: bool) -> u64 {
        value.into()
    }
}

/// Takes 1 to 3 from 6 until nothing is left, which must be so after three steps.
struct Countdown;

impl Problem for Countdown {
    type State = (u8, u8);
    type Move = u8;
    fn root(&self) -> (u8, u8) {
        (6, 0)
    }
    fn moves(&self, &(left, _): &(u8, u8), moves: &mut Vec<u8>) {
        moves.extend((1..=3).filter(|&taken| taken <= left));
    }
    fn apply(&self, (left, steps): &mut (u8, u8), taken: u8) {
        *left -= taken;
        *steps += 1;
    }
    fn score(&self, &(_, steps): &(u8, u8)) -> Score {
        if steps == 3 { Score::Feasible(1.0) } else { Score::Infeasible(f64::from(steps.abs_diff(3))) }
    }
}
