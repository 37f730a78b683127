//! Exchanges: what another decision at a place changes, known without a replay.

use soloist::{Budget, Method, Problem, Score, Solver, check};

/// Two hundred switches, of which every third must be off; the factor of what an exchange claims.
struct Switches(f64);

impl Switches {
    fn worth(place: usize, on: bool) -> f64 {
        if on == place.is_multiple_of(3) { 0.0 } else { 1.0 + place as f64 / 8.0 }
    }
}

impl Problem for Switches {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, state: &Vec<bool>, moves: &mut Vec<bool>) {
        if state.len() < 200 {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, state: &mut Vec<bool>, on: bool) {
        state.push(on);
    }
    fn score(&self, state: &Vec<bool>) -> Score {
        Score::Feasible(state.iter().enumerate().map(|(place, &on)| Self::worth(place, on)).sum())
    }
    fn exchange(&self, end: &Vec<bool>, place: usize, old: bool, new: bool) -> Option<f64> {
        assert_eq!(end[place], old);
        (self.0 != 0.0).then(|| self.0 * (Self::worth(place, new) - Self::worth(place, old)))
    }
}

#[test]
fn a_wrong_exchange_is_found() {
    check(&Switches(1.0), 20, 1).unwrap();
    let violation = check(&Switches(2.0), 20, 1).unwrap_err();
    assert!(violation.what.contains("an exchange claims"), "{violation}");
}

#[test]
fn only_what_passes_the_threshold_is_replayed() {
    let run = |factor: f64| {
        let problem = Switches(factor);
        let solver = Solver::new(&problem, Method::preset("anneal").unwrap()).seed(1);
        solver.budget(Budget::playouts(20_000)).run().unwrap()
    };
    let (known, unknown) = (run(1.0), run(0.0));
    let best = (0..200).map(|place| Switches::worth(place, !place.is_multiple_of(3))).sum();
    assert_eq!(known.best.unwrap().score, Score::Feasible(best));
    // A replay of 200 moves is a hundred nodes in the mean.
    assert!(known.counters.nodes * 4 < unknown.counters.nodes, "{:?} {:?}", known.counters, unknown.counters);
}
