//! Edits, temperatures, acceptance and replays of annealing.

use super::*;
use crate::Problem;
use crate::doc::Staircase;
use crate::problem::Packing;
use crate::problem::rules::Shared;
use crate::problem::rules::{Typed, TypedPlayer};
use crate::stable_hash;

fn rules<P: Problem>(problem: &P) -> Typed<'_, P> {
    Typed::new(Shared::Borrowed(problem), Packing::new())
}

/// Returns a run whose present solution has the moves 0, 1, ..., `count` - 1, told apart by their codes.
fn run(count: u64, parameters: Anneal) -> AnnealSearch {
    let mut run = AnnealSearch::new(parameters, &rules(&Staircase(3)));
    run.entries = (0..count).map(|code| Entry { mv: 0, code }).collect();
    run
}

/// Returns the edited sequence of codes.
fn edited(run: &mut AnnealSearch, edit: Edit, rng: &mut Rng) -> Vec<u64> {
    let first = run.edit(edit, rng);
    let kept = run.entries[..first].iter();
    kept.chain(&run.plan).map(|entry| entry.code).collect()
}

#[test]
fn edits_are_permutations_of_their_kind() {
    let mut rng = Rng::new(1);
    for count in 2..9_u64 {
        let old: Vec<u64> = (0..count).collect();
        let mut run = run(count, Anneal { longest: count, ..Anneal::default() });
        for edit in [Edit::Swap, Edit::Insert, Edit::Block, Edit::Reverse] {
            let mut met = std::collections::BTreeSet::new();
            for _ in 0..3_000 {
                let new = edited(&mut run, edit, &mut rng);
                let mut sorted = new.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, old, "{edit:?}");
                assert_ne!(new, old, "{edit:?}");
                met.insert(new);
            }
            // All there are: exchanges; a move between neighbours is the same both ways; a block of length l has
            // (n - l + 1)(n - l) ways to move, of which those past each other coincide.
            let n = count as usize;
            let pairs = n * (n - 1) / 2;
            let expected = match edit {
                Edit::Swap | Edit::Reverse => pairs,
                Edit::Insert => (n - 1) * (n - 1),
                _ if n == 2 => 1,
                _ => {
                    let mut all = std::collections::BTreeSet::new();
                    for length in 2..n {
                        for from in 0..=n - length {
                            for to in (0..=n - length).filter(|&to| to != from) {
                                let mut order = old.clone();
                                let block: Vec<u64> = order.drain(from..from + length).collect();
                                order.splice(to..to, block);
                                all.insert(order);
                            }
                        }
                    }
                    assert!(met.is_subset(&all), "{count}");
                    all.len()
                }
            };
            assert_eq!(met.len(), expected, "{edit:?} of {count}");
        }
    }
}

#[test]
fn blocks_are_no_longer_than_allowed() {
    let mut rng = Rng::new(2);
    let mut run = run(30, Anneal { longest: 3, ..Anneal::default() });
    for _ in 0..2_000 {
        let new = edited(&mut run, Edit::Reverse, &mut rng);
        assert!((2..=3).contains(&new.iter().zip(0_u64..).filter(|&(&a, b)| a != b).count()), "{new:?}");
    }
}

#[test]
fn temperatures_by_hand() {
    let parameters = Anneal { start: 0.08, end: 0.005, ..Anneal::default() };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    // A sixteenth in 100 steps: a half in 25.
    close(parameters.temperature(0, 100, 0), 0.08);
    close(parameters.temperature(25, 100, 0), 0.04);
    close(parameters.temperature(100, 100, 0), 0.005);
    close(parameters.temperature(25, 100, 2), 0.01);
    let parameters = Anneal { cooling: Schedule::Linear, end: 0.0, ..parameters };
    close(parameters.temperature(75, 100, 0), 0.02);
    assert!(Anneal { cooling: Schedule::Geometric, ..parameters }.validate().is_err());
    let none = Anneal { swap: 0, insert: 0, block: 0, reverse: 0, change: 0, ..Anneal::default() };
    assert!(none.validate().is_err());
}

#[test]
fn worse_neighbours_are_accepted_as_often_as_they_should() {
    let mut rng = Rng::new(3);
    let mut count = |sense, old, new, heat| (0..20_000).filter(|_| accepts(sense, old, new, heat, &mut rng)).count();
    use Score::{Feasible, Infeasible};
    // exp(-5 / (0.05 * 100)) = 0.367879
    for (sense, old, new) in [
        (Sense::Minimize, Feasible(100.0), Feasible(105.0)),
        (Sense::Maximize, Feasible(100.0), Feasible(95.0)),
        (Sense::Maximize, Feasible(-100.0), Feasible(-105.0)),
        (Sense::Maximize, Infeasible(100.0), Infeasible(105.0)),
    ] {
        let accepted = count(sense, old, new, 0.05);
        assert!((7_100..7_620).contains(&accepted), "{accepted} of 20000");
    }
    assert_eq!(count(Sense::Minimize, Feasible(3.0), Feasible(3.0), 0.0), 20_000);
    assert_eq!(count(Sense::Minimize, Infeasible(3.0), Feasible(3.0), 0.0), 20_000);
    assert_eq!(count(Sense::Minimize, Feasible(3.0), Infeasible(3.0), 1e6), 0);
    assert_eq!(count(Sense::Minimize, Feasible(0.0), Feasible(1.0), 1e6), 0);
}

/// Every order of five items; the code is the item and the place.
struct Order;

impl Problem for Order {
    type State = Vec<u8>;
    type Move = u8;
    fn root(&self) -> Vec<u8> {
        Vec::new()
    }
    fn moves(&self, state: &Vec<u8>, moves: &mut Vec<u8>) {
        moves.extend((0..5).filter(|item| !state.contains(item)));
    }
    fn apply(&self, state: &mut Vec<u8>, mv: u8) {
        state.push(mv);
    }
    fn score(&self, state: &Vec<u8>) -> Score {
        Score::Feasible((stable_hash(state) % 1000) as f64)
    }
    fn code(&self, state: &Vec<u8>, mv: u8) -> u64 {
        stable_hash(&(state.len(), mv))
    }
}

/// Returns the order that replaying makes of the present order 0 1 2 3 4 after an edit of the plan.
fn replayed(plan: &[u8], first: usize, change: bool) -> Vec<MoveId> {
    let order = rules(&Order);
    let mut run = AnnealSearch::new(Anneal::default(), &order);
    let mut tally = super::super::Tally::new(Sense::Maximize, 0, 1);
    let mut random = TypedPlayer::new(Shared::Borrowed(&Order), Packing::new(), "random").unwrap();
    let mut context = Context { problem: &order, rollout: &mut random, rng: &mut Rng::new(4), tally: &mut tally };
    run.saved.present = Some((Score::Feasible(0.0), (0..5).collect()));
    run.recode(&order);
    run.plan = plan.iter().map(|&item| run.entries[usize::from(item)]).collect();
    assert!(!run.replay(&mut context, first, change));
    assert_eq!(run.next.len(), 5);
    run.next.iter().map(|entry| entry.mv).collect()
}

#[test]
fn replay_keeps_the_edited_order() {
    assert_eq!(replayed(&[3, 2, 1, 4], 1, false), [0, 3, 2, 1, 4]);
    assert_eq!(replayed(&[4, 3, 2, 1, 0], 0, false), [4, 3, 2, 1, 0]);
    // The third decision changes to one of the two others; what it displaces follows in the old order.
    let changed = replayed(&[2, 3, 4], 2, true);
    assert!(changed == [0, 1, 3, 2, 4] || changed == [0, 1, 4, 2, 3], "{changed:?}");
}
