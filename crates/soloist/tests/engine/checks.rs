//! What `check` says about problems whose states share memory, whose keys and moves do not fit, and about
//! neighbourhoods that describe another solution than they cost.

use soloist::problem::{Acceptance, Edits, Key, Neighborhood};
use soloist::{Problem, Score, check};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Choosing 0 or 1, six times; the score is the sum. What was chosen lies in memory that copies of a state share.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shares {
    Nothing,
    /// The numbers chosen: moves and scores change.
    Choices,
    /// A sum that only the score reads.
    Sum,
    /// The same, and the root returns one and the same memory again and again.
    Root,
}

struct Shared {
    what: Shares,
    root: Arc<Mutex<Vec<u32>>>,
}

#[derive(Clone)]
struct Chosen {
    count: usize,
    own: Vec<u32>,
    shared: Arc<Mutex<Vec<u32>>>,
}

impl Shared {
    fn new(what: Shares) -> Self {
        Self { what, root: Arc::default() }
    }
}

impl Problem for Shared {
    type State = Chosen;
    type Move = u32;
    fn root(&self) -> Chosen {
        let shared = if self.what == Shares::Root { Arc::clone(&self.root) } else { Arc::default() };
        Chosen { count: 0, own: Vec::new(), shared }
    }
    fn moves(&self, state: &Chosen, moves: &mut Vec<u32>) {
        let shared = state.shared.lock().unwrap().len();
        let count = match self.what {
            Shares::Choices | Shares::Root => shared,
            _ => state.count,
        };
        if count < 6 {
            moves.extend([0, 1]);
        }
    }
    fn apply(&self, state: &mut Chosen, mv: u32) {
        state.count += 1;
        if self.what == Shares::Nothing {
            state.own.push(mv);
        } else {
            state.shared.lock().unwrap().push(mv);
        }
    }
    fn score(&self, state: &Chosen) -> Score {
        let shared: u32 = state.shared.lock().unwrap().iter().sum();
        Score::Feasible(f64::from(state.own.iter().sum::<u32>() + shared))
    }
}

#[test]
fn memory_that_copies_share_is_named() {
    check(&Shared::new(Shares::Nothing), 20, 1).unwrap();
    for (what, expected) in [
        (Shares::Choices, "playing a copy of a state changes the state (does `apply` change memory that copies share"),
        (Shares::Sum, "the same moves lead elsewhere the second time (does `apply` change memory that copies share"),
        (
            Shares::Root,
            "a game changes what `root` returns (do states share its memory?): the moves were [0, 1] and are []",
        ),
    ] {
        for seed in 0..10 {
            let error = check(&Shared::new(what), 20, seed).unwrap_err().to_string();
            assert!(error.contains(expected), "{what:?}: {error}");
        }
    }
}

/// Three machines and jobs that are put onto them; the key takes the machines as a set.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Names {
    /// A move is a rank among the machines, the least load first.
    Ranks,
    /// The same, but ties go by the number of the machine, and loads are listed in its order.
    Places,
    /// A move is the machine.
    Machines,
    /// A move is the load of the machine that the job goes to, in the order of the machines.
    Loads,
}

struct Machines(Names);

impl Machines {
    const JOBS: [u32; 6] = [3, 1, 2, 1, 3, 2];

    /// The machine of a move.
    fn machine(&self, loads: &[u32; 3], mv: u32) -> usize {
        let mut order = [0, 1, 2];
        match self.0 {
            Names::Ranks | Names::Places => order.sort_by_key(|&machine| loads[machine]),
            Names::Machines => {}
            Names::Loads => return loads.iter().position(|&load| load == mv).unwrap_or(0),
        }
        order[mv as usize]
    }
}

impl Problem for Machines {
    type State = (usize, [u32; 3]);
    type Move = u32;
    fn root(&self) -> Self::State {
        (0, [0, 1, 5])
    }
    fn moves(&self, &(at, loads): &Self::State, moves: &mut Vec<u32>) {
        if at == Self::JOBS.len() {
            return;
        }
        match self.0 {
            Names::Loads => {
                for load in loads {
                    if !moves.contains(&load) {
                        moves.push(load);
                    }
                }
            }
            // The first machine is closed after some jobs.
            Names::Places if at == 4 && loads[0] > loads[1] => moves.extend(0..2),
            _ => moves.extend(0..3),
        }
    }
    fn apply(&self, (at, loads): &mut Self::State, mv: u32) {
        loads[self.machine(loads, mv)] += Self::JOBS[*at];
        *at += 1;
    }
    fn score(&self, (_, loads): &Self::State) -> Score {
        Score::Feasible(-f64::from(*loads.iter().max().unwrap()))
    }
    fn key(&self, (at, loads): &Self::State) -> Option<Key> {
        let mut loads = *loads;
        loads.sort_unstable();
        Some(Key::of(&(*at, loads.as_slice())))
    }
}

#[test]
fn keys_that_know_less_than_the_moves_are_named() {
    for seed in 0..10 {
        check(&Machines(Names::Ranks), 200, seed).unwrap();
        for (names, expected) in [
            (Names::Places, "states with equal keys list other moves"),
            (Names::Machines, "states with equal keys have children with other keys"),
            (Names::Loads, "states with equal keys list their moves in another order"),
        ] {
            let error = check(&Machines(names), 200, seed).unwrap_err().to_string();
            assert!(error.contains(expected), "{names:?}: {error}");
        }
    }
}

/// Choosing some of eight things: their number, made as large as possible.
struct Choice {
    /// The neighbourhood's moves name one thing more than its cost counts.
    adds: bool,
}

impl Problem for Choice {
    type State = BTreeSet<u32>;
    type Move = u32;
    fn root(&self) -> BTreeSet<u32> {
        BTreeSet::new()
    }
    fn moves(&self, chosen: &BTreeSet<u32>, moves: &mut Vec<u32>) {
        // Ascending; 9 ends it.
        let next = chosen.last().map_or(0, |last| last + 1);
        moves.extend(next.min(9)..=if next == 10 { 0 } else { 9 });
        moves.retain(|mv| next < 10 && *mv != 8);
    }
    fn apply(&self, chosen: &mut BTreeSet<u32>, mv: u32) {
        chosen.insert(mv);
    }
    fn score(&self, chosen: &BTreeSet<u32>) -> Score {
        Score::Feasible(chosen.len() as f64 - 1.0)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::<Flips>::default())
    }
}

/// One thing more or less.
#[derive(Default)]
struct Flips {
    chosen: BTreeSet<u32>,
    flip: u32,
}

impl Edits<Choice> for Flips {
    fn propose(&mut self, _: &Choice, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        self.flip = acceptance.rng.below(8) as u32;
        Some(if self.chosen.contains(&self.flip) { 1.0 } else { -1.0 })
    }
    fn accept(&mut self, _: &Choice) {
        if !self.chosen.remove(&self.flip) {
            self.chosen.insert(self.flip);
        }
    }
    fn reject(&mut self, _: &Choice) {}
}

impl Neighborhood<Choice> for Flips {
    fn start(&mut self, _: &Choice, moves: &[u32]) -> bool {
        self.chosen = moves.iter().copied().filter(|&mv| mv < 8).collect();
        true
    }
    fn cost(&self, _: &Choice) -> f64 {
        -(self.chosen.len() as f64)
    }
    fn moves(&self, problem: &Choice, moves: &mut Vec<u32>) {
        moves.extend(&self.chosen);
        let free = (0..8).rev().find(|thing| !self.chosen.contains(thing));
        if problem.adds
            && let Some(thing) = free
        {
            moves.push(thing);
            moves.sort_unstable();
        }
        moves.push(9);
    }
}

#[test]
fn a_neighbourhood_whose_moves_are_another_solution_is_named() {
    check(&Choice { adds: false }, 20, 1).unwrap();
    for seed in 0..10 {
        let error = check(&Choice { adds: true }, 20, seed).unwrap_err().to_string();
        let expected = "when it is started with its own moves, whose score is";
        assert!(error.contains("a neighbourhood has the cost") && error.contains(expected), "{error}");
    }
}

/// Choosing 0 or 1, three times, under one code for all moves or under the default ones.
struct Coded {
    is_constant: bool,
    moves: u32,
}

impl Problem for Coded {
    type State = (u32, u32);
    type Move = u32;
    fn root(&self) -> (u32, u32) {
        (0, 0)
    }
    fn moves(&self, state: &(u32, u32), moves: &mut Vec<u32>) {
        moves.extend((0..self.moves).filter(|_| state.0 < 3));
    }
    fn apply(&self, state: &mut (u32, u32), mv: u32) {
        *state = (state.0 + 1, state.1 + mv);
    }
    fn score(&self, state: &(u32, u32)) -> Score {
        Score::Feasible(state.1.into())
    }
    fn code(&self, _: &(u32, u32), mv: u32) -> u64 {
        if self.is_constant { 7 } else { mv.into() }
    }
}

#[test]
fn one_code_for_all_moves_is_remarked() {
    let remarks = |is_constant, moves| check(&Coded { is_constant, moves }, 5, 1).unwrap();
    let told = remarks(true, 2);
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("every move has the code 7"), "{told:?}");
    assert!(remarks(false, 2).is_empty());
    // Where nothing can be chosen there is nothing to learn.
    assert!(remarks(true, 1).is_empty());
}
