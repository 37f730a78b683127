//! Results are replayed: what breaks a promise of the problem is found whatever search relied on it.

use crate::common::method;
use soloist::problem::{Dominance, Extras, Key};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::run::{ReplayError, SolveError};
use soloist::{Budget, Method, Problem, Rng, Score, Setup, Solver};
use std::sync::{Arc, Mutex};

/// What is wrong with [`Bits`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Copies of a state share the list of what was chosen.
    SharedList,
    /// The bound of states with two choices is too tight, by a tenth.
    TightBound,
    /// The future forgets the number of choices.
    RepeatedFuture,
    /// The rollout plays a move that no state has.
    IllegalPlayout,
    /// The rollout stops one move early, where the score is higher.
    ShortPlayout,
    /// The rollout leaves another state than its moves lead to.
    WrongState,
}

/// Ten bits, each worth its weight; the sum counts.
struct Bits(Fault);

const COUNT: usize = 10;

#[derive(Debug)]
struct List {
    shared: bool,
    bits: Arc<Mutex<Vec<u8>>>,
}

impl List {
    fn get(&self) -> Vec<u8> {
        self.bits.lock().unwrap().clone()
    }
}

impl Clone for List {
    fn clone(&self) -> Self {
        let bits = if self.shared { Arc::clone(&self.bits) } else { Arc::new(Mutex::new(self.get())) };
        Self { shared: self.shared, bits }
    }
}

fn weight(at: usize) -> f64 {
    ((at * 7) % COUNT) as f64 + 1.0
}

fn sum(bits: &[u8]) -> f64 {
    bits.iter().enumerate().map(|(at, &bit)| f64::from(bit) * weight(at)).sum()
}

impl Problem for Bits {
    type State = List;
    type Move = u8;
    fn root(&self) -> List {
        List { shared: self.0 == Fault::SharedList, bits: Arc::default() }
    }
    fn moves(&self, state: &List, moves: &mut Vec<u8>) {
        if state.get().len() < COUNT {
            moves.extend([0, 1]);
        }
    }
    fn apply(&self, state: &mut List, mv: u8) {
        state.bits.lock().unwrap().push(mv);
    }
    fn score(&self, state: &List) -> Score {
        let bits = state.get();
        Score::Feasible(if bits.len() < COUNT { 1e3 } else { sum(&bits) })
    }
    fn bound(&self, state: &List) -> Option<f64> {
        let bits = state.get();
        let bound = sum(&bits) + (bits.len()..COUNT).map(weight).sum::<f64>();
        let is_tight = self.0 == Fault::TightBound && bits.len() == 2;
        Some(if is_tight { bound * 0.9 } else { bound })
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Bits {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::new("odd", "", |_| Box::new(Odd))]
    }
}

impl Dominance<Bits> for Bits {
    fn future(&self, state: &List) -> (Key, f64) {
        let bits = state.get();
        let key = if self.0 == Fault::RepeatedFuture { bits.len() / 2 } else { bits.len() };
        ((key as u64).into(), sum(&bits))
    }
}

struct Odd;

impl Rollout<Bits> for Odd {
    fn run(&mut self, problem: &Bits, state: &mut List, playout: &mut Playout<u8>, rng: &mut Rng) {
        let begun = !state.get().is_empty();
        soloist::rollout::Uniform.run(problem, state, playout, rng);
        if playout.moves.is_empty() {
            return;
        }
        match problem.0 {
            Fault::IllegalPlayout => {
                let last = playout.moves.last_mut().unwrap();
                *last = 7;
                let bits = &mut state.bits.lock().unwrap();
                *bits.last_mut().unwrap() = 7;
            }
            Fault::ShortPlayout if !begun || playout.moves.len() > 1 => {
                playout.moves.pop();
                state.bits.lock().unwrap().pop();
            }
            Fault::WrongState => state.bits.lock().unwrap()[0] ^= 1,
            _ => {}
        }
    }
}

/// Runs every preset and returns the errors of replays by name.
fn failures(fault: Fault) -> Vec<(&'static str, ReplayError)> {
    let mut failures = Vec::new();
    for preset in Method::presets() {
        for threads in [1, 2] {
            let budget = Budget { nodes: Some(20_000), ..Budget::playouts(400) };
            let problem = Bits(fault);
            match Solver::new(&problem, preset.method()).seed(3).threads(threads).budget(budget).run() {
                Err(SolveError::Replay(error)) => failures.push((preset.name, error)),
                Err(error) => panic!("{fault:?}, {}: {error}", preset.name),
                // What was not used does no harm: the result is true.
                Ok(outcome) => {
                    let Some(best) = outcome.best else { continue };
                    let is_wrong = outcome.optimal && best.score != Score::Feasible(55.0);
                    assert!(!is_wrong || fault == Fault::None, "{fault:?}, {}: {best:?}", preset.name);
                    assert_eq!(best.score, Score::Feasible(sum(&best.moves)), "{fault:?}, {}", preset.name);
                }
            }
        }
    }
    failures
}

/// Whether every one of these presets failed.
fn all_fail(failures: &[(&str, ReplayError)], names: &[&str]) {
    for name in names {
        assert!(failures.iter().any(|(failed, _)| failed == name), "{name}: no error");
    }
}

#[test]
fn honest_problems_pass() {
    assert_eq!(failures(Fault::None), []);
}

#[test]
fn memory_that_copies_share_is_found_by_every_method() {
    let failures = failures(Fault::SharedList);
    all_fail(
        &failures,
        &["sampling", "uct", "bmcts", "nmcs", "nrpa", "gnrpa", "beam", "cabs", "dfs", "anneal", "auto"],
    );
    for (name, error) in failures {
        assert!(error.to_string().contains("share"), "{name}: {error}");
    }
}

#[test]
fn a_wrong_bound_below_the_root_is_found() {
    let failures = failures(Fault::TightBound);
    // The tight bound is met by solutions that are better than nine tenths of it.
    all_fail(&failures, &["cabs", "beam", "dfs"]);
    for (name, error) in failures {
        let ReplayError::Bound { step, bound, score } = error else { panic!("{name}: {error}") };
        assert!(step == 2 && score > bound, "{name}: {step} {bound} {score}");
    }
}

#[test]
fn futures_that_repeat_within_a_game_are_found() {
    let failures = failures(Fault::RepeatedFuture);
    all_fail(&failures, &["sampling", "nrpa", "uct"]);
    for (name, error) in failures {
        let ReplayError::Future { step: 1 | 3, what } = error else { panic!("{name}: {error}") };
        assert!(what.starts_with("has the key of a state before it in the same game"), "{name}: {what}");
    }
}

#[test]
fn rollouts_that_cheat_are_found() {
    let playing = ["sampling", "uct", "nmcs", "bmcts"];
    let illegal = failures(Fault::IllegalPlayout);
    all_fail(&illegal, &playing);
    for (name, error) in illegal {
        assert!(matches!(&error, ReplayError::Illegal { mv, is_finished: false, .. } if mv == "7"), "{name}: {error}");
    }
    let short = failures(Fault::ShortPlayout);
    all_fail(&short, &playing);
    assert!(short.iter().all(|(_, error)| matches!(error, ReplayError::Unfinished { step } if *step < COUNT)));
    let wrong = failures(Fault::WrongState);
    all_fail(&wrong, &["sampling"]);
    assert!(wrong.iter().all(|(_, error)| matches!(error, ReplayError::Score { step: COUNT, .. })), "{wrong:?}");
}

#[test]
fn a_session_whose_result_failed_stays_broken() {
    let problem = Bits(Fault::IllegalPlayout);
    let mut session = Solver::new(&problem, method("sampling", &[])).start().unwrap();
    let error = session.advance(&Budget::playouts(20)).unwrap_err().to_string();
    assert!(error.starts_with("a solution fails when it is played again: step 9: the move 7 is not legal"), "{error}");
    assert_eq!(session.advance(&Budget::playouts(20)).unwrap_err().to_string(), error);
    assert!(!session.outcome().optimal);
}

#[test]
fn offered_solutions_are_replayed_with_their_bounds() {
    let problem = Bits(Fault::TightBound);
    let mut session = Solver::new(&problem, Setup::preset("nrpa").unwrap()).start().unwrap();
    let error = session.offer(&[1; COUNT]).unwrap_err();
    assert!(matches!(error, SolveError::Replay(ReplayError::Bound { step: 2, .. })), "{error}");
}

/// Two moves of no value. Move 1 also lengthens the line of the state that it leaves, which copies share.
struct Lengthened;

impl Problem for Lengthened {
    type State = Arc<Mutex<Vec<u8>>>;
    type Move = u8;
    fn root(&self) -> Self::State {
        Arc::default()
    }
    fn moves(&self, state: &Self::State, moves: &mut Vec<u8>) {
        moves.extend([0, 1].iter().filter(|_| state.lock().unwrap().len() < 2));
    }
    fn apply(&self, state: &mut Self::State, mv: u8) {
        let mut line = state.lock().unwrap().clone();
        line.push(mv);
        if mv == 1 {
            state.lock().unwrap().push(1);
        }
        *state = Arc::new(Mutex::new(line));
    }
    fn score(&self, _: &Self::State) -> Score {
        Score::Feasible(0.0)
    }
}

/// After move 1 on a copy of the root, the root has one move more without a sign: the line `[0]` seems finished.
#[test]
fn a_change_by_a_copy_that_nothing_shows_makes_no_solution() {
    let replay = |moves: &[u8]| soloist::run::replay(&Lengthened, moves, Score::Feasible(0.0));
    assert_eq!(replay(&[0]), Err(ReplayError::Unfinished { step: 1 }));
}
