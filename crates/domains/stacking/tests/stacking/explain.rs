//! Conflicts of the height beside brute force, which reads the names of the constraints alone.

use crate::naive::Naive;
use crate::tiny;
use soloist::Rng;
use soloist::check::{Verdict, explain};
use soloist::problem::Explain;
use soloist_stacking::{Item, Stacking, Yard};
use std::time::Duration;

/// The date that a name begins with.
fn date(name: &str) -> u64 {
    name.strip_prefix("on date ").unwrap().split(' ').next().unwrap().parse().unwrap()
}

/// Whether the items can be stacked where the height is limited on the dates of `kept` alone, and on all dates that no
/// constraint names.
fn can_hold(yard: &Yard, all: &[String], kept: &[String]) -> bool {
    let lifted: Vec<u64> = all.iter().filter(|name| !kept.contains(name)).map(|name| date(name)).collect();
    Naive::search_without(yard, &lifted).is_some()
}

#[test]
fn conflicts_are_those_of_brute_force() {
    let mut rng = Rng::new(77);
    let (mut conflicts, mut several, mut by_arithmetic) = (0, 0, 0);
    for _ in 0..1_500 {
        let yard = tiny(&mut rng);
        let problem = Stacking::new(&yard);
        let names = problem.constraints();
        let found = explain(&problem, Duration::from_secs(60), 1, None).unwrap();
        if names.is_empty() {
            assert!(found.verdict == Verdict::Unnamed && Naive::search(&yard).is_some(), "{yard:?}");
            continue;
        }
        if Naive::search(&yard).is_some() {
            assert_eq!(found.verdict, Verdict::Feasible, "{yard:?}");
            continue;
        }
        assert_eq!(found.verdict, Verdict::Conflict, "{yard:?}");
        assert!(found.is_least, "{yard:?}: {found:?}");
        assert!(!can_hold(&yard, &names, &found.conflict), "{yard:?}: {found:?}");
        for without in &found.conflict {
            let others: Vec<String> = found.conflict.iter().filter(|&name| name != without).cloned().collect();
            assert!(can_hold(&yard, &names, &others), "{yard:?}: {found:?}");
        }
        conflicts += 1;
        several += usize::from(found.conflict.len() > 1);
        let all: Vec<usize> = (0..names.len()).collect();
        by_arithmetic += usize::from(problem.relaxed(&all).is_none());
    }
    assert!(conflicts > 100 && several > 10 && by_arithmetic > 10, "{conflicts} {several} {by_arithmetic}");
}

#[test]
fn names_say_when_and_how_many() {
    // Five items on two stacks of two, from date 4 to date 5.
    let item = |number: u64| Item { number, release: Some(number - 1), due: 10 - number };
    let yard = Yard::new("five".into(), 2, 2, (1..=5).map(item).collect(), Vec::new()).unwrap();
    let problem = Stacking::new(&yard);
    let found = explain(&problem, Duration::from_secs(10), 1, None).unwrap();
    // Stacks that are higher than 2 on date 2 or 3 would leave room on date 4.
    let name = |date, items| format!("on date {date} no stack gets more than 2 items ({items} are there)");
    assert_eq!(found.conflict, [name(2, 3), name(3, 4), name(4, 5)], "{found:?}");
}
