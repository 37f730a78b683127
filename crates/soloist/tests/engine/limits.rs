//! Limits, streams, and problems at the edge of what is one.

use crate::common::{Bag, Fenced, Recorded, games, is_systematic, method, methods, run, timeless};
use soloist::doc::Staircase;
use soloist::problem::Extras;
use soloist::run::{Improvement, Observer, Progress, Solution, SolveError, StopReason};
use soloist::search::ParameterError;
use soloist::search::parameters::Table;
use soloist::search::parameters::{Nmcs, Nrpa, Uct};
use soloist::{Budget, Method, Problem, Rng, Score, Sense, Setup, Solver};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn the_same_run_twice() {
    let bag = Bag::tight();
    for method in methods() {
        assert_eq!(timeless(run(&bag, &method, 4, 900)), timeless(run(&bag, &method, 4, 900)), "{method:?}");
        for threads in [2, 3] {
            let run = || {
                let solver = Solver::new(&bag, method.clone()).seed(4).threads(threads);
                timeless(solver.budget(games(900)).run().unwrap())
            };
            assert_eq!(run(), run(), "{method:?} on {threads} streams");
        }
    }
}

#[test]
fn seeds_matter() {
    let problem = Recorded::new(Bag::sixteen());
    let draws = |method: &Method| !is_systematic(method) || format!("{method:?}").contains("shuffle: All");
    for method in methods().into_iter().filter(draws) {
        let logs = [1, 2].map(|seed| {
            run(&problem, &method, seed, 100);
            problem.take()
        });
        assert_ne!(logs[0], logs[1], "{method:?}");
    }
}

#[test]
fn playout_counts_are_exact() {
    let bag = Bag::sixteen();
    for preset in Method::presets() {
        for (playouts, threads) in [(0, 1), (1, 1), (999, 1), (1_000, 3), (2, 3), (5_001, 2)] {
            let problem = Recorded::new(bag.clone());
            let solver = Solver::new(&problem, preset.method()).threads(threads).without_replays();
            let outcome = solver.budget(games(playouts)).run().unwrap();
            assert_eq!(outcome.counters.playouts, playouts, "{} on {threads} streams", preset.name);
            // Annealing gives up neighbours before they have a score. It scores the ends of games that show the kind of
            // solution: three games in three orders, in each of the at most four rounds of `auto`.
            let scored = problem.take().len() as u64;
            let rounds = [("anneal", 1), ("ils", 1), ("auto", 4)].iter().find(|(name, _)| *name == preset.name);
            let looks = rounds.map_or(0, |(_, rounds)| 9 * rounds * threads as u64);
            assert!(scored <= playouts + looks, "{} on {threads} streams", preset.name);
            assert!(
                scored >= playouts || ["anneal", "ils"].contains(&preset.name),
                "{} on {threads} streams",
                preset.name
            );
            assert_eq!((outcome.stop, outcome.best.is_some()), (StopReason::Playouts, playouts > 0));
        }
    }
}

#[test]
fn a_target_stops_at_the_playout_that_reaches_it() {
    let bag = Bag::sixteen();
    for method in methods().into_iter().filter(|method| !format!("{method:?}").contains("restarts: false")) {
        // A fixed order meets good solutions late.
        let target = if is_systematic(&method) { 340.0 } else { 375.0 };
        let budget = Budget { target: Some(target), ..games(100_000) };
        let outcome = Solver::new(&bag, method.clone()).seed(2).budget(budget).run().unwrap();
        if matches!(method.table(), Table::Sampling(parameters) if parameters.limit > 0)
            && outcome.stop == StopReason::Completed
        {
            continue;
        }
        assert_eq!(outcome.stop, StopReason::Target, "{method:?}");
        let (last, earlier) = outcome.history.split_last().unwrap();
        assert_eq!(last.playouts, outcome.counters.playouts, "{method:?}");
        assert!(last.score.value().unwrap() >= target);
        assert!(earlier.iter().all(|old| old.score.value().unwrap() < target));
    }
    // Downwards as well; an unreachable target stops nothing.
    let mirror = bag.mirrored();
    let at = |target| {
        let budget = Budget { target: Some(target), ..games(20_000) };
        Solver::new(&mirror, Method::preset("nrpa").unwrap()).budget(budget).run().unwrap()
    };
    assert!(at(-375.0).best.unwrap().score.value().unwrap() <= -375.0);
    assert_eq!((at(-375.0).stop, at(-1e6).stop), (StopReason::Target, StopReason::Playouts));
}

/// One draw among a thousand scores. The stream whose first draw is `slow` takes its time over every playout.
struct Lottery {
    slow: Option<u64>,
    /// Scores end here, and the problem knows it.
    cap: Option<u64>,
}

thread_local! {
    static FIRST: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

impl Problem for Lottery {
    type State = Option<u64>;
    type Move = u64;

    fn root(&self) -> Option<u64> {
        None
    }
    fn moves(&self, state: &Option<u64>, moves: &mut Vec<u64>) {
        if state.is_none() {
            moves.extend(0..1000);
        }
    }
    fn apply(&self, state: &mut Option<u64>, mv: u64) {
        *state = Some(mv);
    }
    fn score(&self, state: &Option<u64>) -> Score {
        let draw = state.unwrap();
        let first = FIRST.get().unwrap_or(draw);
        FIRST.set(Some(first));
        if self.slow == Some(first) {
            std::thread::sleep(Duration::from_micros(300));
        }
        Score::Feasible(draw.min(self.cap.unwrap_or(draw)) as f64)
    }
    fn bound(&self, _: &Option<u64>) -> Option<f64> {
        self.cap.map(|cap| cap as f64)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Lottery {
    fn fingerprint(&self) -> Option<u64> {
        Some(1)
    }
}

#[test]
fn a_target_is_reached_by_the_same_stream_whatever_the_schedule() {
    const TARGET: u64 = 980;
    let draws = |seed, stream| {
        let mut rng = Rng::stream(seed, stream);
        (0..400).map(|_| rng.below(1000)).collect::<Vec<_>>()
    };
    let reach = |draws: &[u64]| draws.iter().position(|&draw| draw >= TARGET).map(|at| (at, draws[at]));
    let mut cases = 0;
    for seed in 0..400 {
        let streams = [draws(seed, 0), draws(seed, 1)];
        let [Some(first), Some(second)] = [reach(&streams[0]), reach(&streams[1])] else { continue };
        // One stream needs fewer playouts, the other, which may be ahead in time, finds a better score or improves on
        // its way.
        let (early, late) = if first.0 <= second.0 { (first, second) } else { (second, first) };
        if late.1 <= early.1 || late.0 < early.0 + 20 || late.0 > 100 || streams[0][0] == streams[1][0] {
            continue;
        }
        cases += 1;
        for slow in [None, Some(streams[0][0]), Some(streams[1][0])] {
            for cap in [None, Some(TARGET)] {
                let target = if cap.is_none() { Some(TARGET as f64) } else { None };
                let problem = Lottery { slow, cap };
                let solver = Solver::new(&problem, Method::preset("sampling").unwrap()).seed(seed).threads(2);
                let outcome = solver.budget(Budget { target, ..Budget::default() }).run().unwrap();
                let what = format!("seed {seed}, the slow stream begins with {slow:?}, cap {cap:?}");
                let reason = if cap.is_none() { StopReason::Target } else { StopReason::Bound };
                assert_eq!((outcome.stop, outcome.optimal), (reason, cap.is_some()), "{what}");
                assert_eq!(outcome.best.unwrap().moves, [early.1], "{what}");
                let last = outcome.history.last().unwrap();
                assert_eq!(
                    (last.playouts, last.score.value()),
                    (early.0 as u64 + 1, Some(cap.unwrap_or(early.1) as f64))
                );
            }
        }
        if cases == 5 {
            return;
        }
    }
    panic!("{cases} cases only");
}

#[test]
fn stalling_stops() {
    let bag = Bag::sixteen();
    for preset in Method::presets() {
        let budget = Budget { stall: Some(300), ..Budget::nodes(1 << 40) };
        let outcome = Solver::new(&bag, preset.method()).seed(1).budget(budget).run().unwrap();
        assert_eq!(outcome.stop, StopReason::Stall);
        assert_eq!(outcome.counters.playouts, outcome.history.last().unwrap().playouts + 300, "{}", preset.name);
    }
}

#[test]
fn nodes_stop_tree_searches() {
    let bag = Bag::sixteen();
    for name in ["uct", "uct-best"] {
        // Explores much: a tree that only goes down one line stops growing at its end.
        let budget = Budget { nodes: Some(700), ..games(100_000) };
        let outcome = Solver::new(&bag, method(name, &[("c", "1.414")])).budget(budget).run().unwrap();
        assert_eq!((outcome.stop, outcome.counters.nodes), (StopReason::Nodes, 700));
        // The root gets its first playout before it has children.
        assert_eq!(outcome.counters.playouts, 700);
    }
}

#[test]
fn time_stops() {
    let budget = Budget::time(Duration::ZERO);
    let outcome = Solver::new(&Bag::sixteen(), Method::preset("uct").unwrap()).budget(budget).run().unwrap();
    assert_eq!((outcome.stop, outcome.counters.playouts, outcome.best), (StopReason::Time, 0, None));
    // Without the limit this run would never end.
    let budget = Budget::time(Duration::from_millis(20));
    let outcome = Solver::new(&Bag::sixteen(), Method::preset("uct").unwrap()).threads(2).budget(budget).run().unwrap();
    assert_eq!(outcome.stop, StopReason::Time);
    assert!(outcome.best.is_some());
}

/// Raises the stop flag at the third improvement.
struct Stopper<'a> {
    flag: &'a AtomicBool,
    seen: Vec<Score>,
}

impl<M> Observer<M> for Stopper<'_> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<M>, progress: &Progress) {
        assert_eq!((improvement.score, Some(improvement.score)), (solution.score, progress.best));
        assert!(progress.counters.playouts >= improvement.playouts);
        self.seen.push(improvement.score);
        if self.seen.len() == 3 {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn the_stop_flag_stops() {
    let bag = Bag::sixteen();
    for threads in [1, 3] {
        let flag = AtomicBool::new(false);
        let mut observer = Stopper { flag: &flag, seen: Vec::new() };
        let solver = Solver::new(&bag, Method::preset("nrpa").unwrap()).seed(1).threads(threads);
        let outcome = solver.observer(&mut observer, Duration::from_secs(1)).stop_flag(&flag).run().unwrap();
        assert_eq!(outcome.stop, StopReason::Interrupted);
        // Improvements are reported in order, each better than the last; the last one is the incumbent.
        assert!(observer.seen.windows(2).all(|pair| Sense::Maximize.better(pair[1], pair[0])));
        assert_eq!(observer.seen.last(), Some(&outcome.best.unwrap().score));
    }
    let raised = AtomicBool::new(true);
    let outcome = Solver::new(&bag, Method::preset("nrpa").unwrap()).stop_flag(&raised).run().unwrap();
    assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Interrupted, 0));
}

#[test]
fn wrong_calls_are_errors() {
    let bag = Bag::sixteen();
    let solver = || Solver::new(&bag, Method::preset("uct").unwrap()).budget(games(1));
    assert!(matches!(solver().threads(0).run(), Err(SolveError::NoThreads)));
    let many = Setup::MOST_THREADS + 1;
    assert!(matches!(solver().threads(many).run(), Err(SolveError::Threads(threads)) if threads == many));
    let error = solver().rollout("nosuch").run().unwrap_err().to_string();
    assert_eq!(error, "no rollout `nosuch` (known: random, learner, bias)");
}

// ---- odd problems ----

/// A chain of forced moves, `length` long; its end may be infeasible.
#[derive(Clone, Debug)]
struct Corridor {
    length: u8,
    end: Score,
}

impl Problem for Corridor {
    type State = u8;
    type Move = ();

    fn root(&self) -> u8 {
        0
    }
    fn moves(&self, state: &u8, moves: &mut Vec<()>) {
        if *state < self.length {
            moves.push(());
        }
    }
    fn apply(&self, state: &mut u8, (): ()) {
        *state += 1;
    }
    fn score(&self, state: &u8) -> Score {
        assert_eq!(*state, self.length, "only finished solutions are scored");
        self.end
    }
}

#[test]
fn problems_without_choices() {
    for length in [0, 1, 5] {
        for end in [Score::Feasible(-3.5), Score::Infeasible(2.0)] {
            let problem = Corridor { length, end };
            soloist::check(&problem, 3, 1).unwrap();
            for method in methods() {
                let outcome = Solver::new(&problem, method.clone()).budget(games(50)).run().unwrap();
                let best = outcome.best.unwrap();
                assert_eq!((best.score, best.moves.len()), (end, usize::from(length)), "{method:?}");
                assert!(outcome.counters.playouts <= 50);
                assert!(!outcome.optimal || outcome.bound == end.value());
                if length == 0 && matches!(method.table(), Table::Uct(_)) {
                    let proofs = (outcome.optimal, outcome.infeasible);
                    assert_eq!(
                        (proofs, outcome.stop),
                        ((end.value().is_some(), end.value().is_none()), StopReason::Exhausted)
                    );
                }
            }
        }
    }
}

#[test]
fn problems_without_a_feasible_solution() {
    // The heaviest packing weighs 200.
    let bag = Bag { least: 300, ..Bag::sixteen() };
    for method in methods() {
        let outcome = Solver::new(&bag, method.clone()).seed(3).budget(games(3_000)).run().unwrap();
        let best = outcome.best.unwrap();
        let degree = best.score.violation().unwrap();
        assert!((100.0..115.0).contains(&degree), "{method:?}: {degree}");
        // No target is reached by an infeasible solution.
        let budget = Budget { target: Some(f64::NEG_INFINITY), ..games(100) };
        let outcome = Solver::new(&bag, method.clone()).budget(budget).run().unwrap();
        assert_ne!(outcome.stop, StopReason::Target, "{method:?}");
    }
}

#[test]
fn minimizing_mirrors_maximizing() {
    for bag in [Bag::sixteen(), Bag::tight()] {
        for method in methods() {
            // Scores that are logarithms have no mirror image.
            if method.parameters().iter().any(|parameter| parameter.name == "log_base" && parameter.value != "0") {
                continue;
            }
            let problem = Recorded::new(bag.clone());
            let mirror = Recorded::new(bag.clone().mirrored());
            let (up, down) = (run(&problem, &method, 6, 2_000), run(&mirror, &method, 6, 2_000));
            let what = format!("{method:?}");
            assert!(problem.take() == mirror.take(), "{what}");
            let (up_best, down_best) = (up.best.unwrap(), down.best.unwrap());
            assert_eq!(up_best.moves, down_best.moves, "{what}");
            assert_eq!(up_best.score.value(), down_best.score.value().map(|value| -value), "{what}");
            assert_eq!(up.counters, down.counters);
            assert_eq!(up.history.len(), down.history.len());
        }
    }
}

#[test]
fn small_problems_are_solved() {
    let bag = Bag::sixteen();
    let optimum = bag.optimum();
    for (name, settings) in
        [("uct", &[("c", "0.5")][..]), ("uct-best", &[]), ("nmcs", &[]), ("nrpa", &[("level", "3")])]
    {
        let outcome = run(&bag, &method(name, settings), 3, 30_000);
        assert_eq!(outcome.best.unwrap().score, Score::Feasible(optimum), "{name}");
        let outcome = run(&Staircase(12), &method(name, settings), 3, 30_000);
        assert_eq!(outcome.best.unwrap().score, Score::Feasible(12.0), "{name}");
    }
}

/// Returns the ends of a range in words: "from A to B".
fn ends(range: &str) -> Vec<String> {
    if range == "true or false" {
        return vec!["true".into(), "false".into()];
    }
    if let Some(choices) = range.strip_prefix("one of ") {
        return choices.split(' ').map(str::to_owned).collect();
    }
    if range.contains("methods other than auto") {
        return vec!["choose".into(), "sampling,dfs".into()];
    }
    // A list of numbers has the range of one.
    let words: Vec<&str> = range.split([' ', ',']).collect();
    let after = |word: &str| words.iter().position(|found| *found == word).map(|at| words[at + 1].to_owned());
    let open = if range.starts_with("a whole number") { u64::MAX.to_string() } else { "inf".into() };
    vec![after("from").unwrap(), after("to").unwrap_or(open)]
}

/// Ends of ranges that exclude something else in every preset of their family; everything else runs with one of them.
const EXCLUDED: &[&str] = &["auto polish=0.9", "beam playouts=1e6"];

#[test]
fn every_end_of_every_range_runs() {
    let (mut refused, mut run) = (BTreeSet::new(), BTreeSet::new());
    for preset in Method::presets() {
        for parameter in preset.method().parameters() {
            for value in ends(&parameter.range) {
                let mut method = preset.method();
                let what = format!("{} {}={value}", method.family(), parameter.name);
                method.set(parameter.name, &value).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
                if let Err(error) = method.validate() {
                    assert!(matches!(error, ParameterError::Conflict(_)), "{} {what}: {error}", preset.name);
                    refused.insert(what);
                    continue;
                }
                for problem in [Bag::sixteen(), Bag::tight().mirrored()] {
                    let budget = Budget { nodes: Some(3_000), ..games(60) };
                    let outcome = Solver::new(&problem, method.clone()).budget(budget).run();
                    // Beams of policies say at the start that they cannot keep to the memory.
                    let fits = outcome.is_ok() || matches!(outcome, Err(SolveError::Memory { .. }));
                    assert!(fits, "{} {what}: {outcome:?}", preset.name);
                }
                run.insert(what);
            }
        }
    }
    let excluded: Vec<_> = refused.difference(&run).map(String::as_str).collect();
    assert_eq!(excluded, EXCLUDED);
}

#[test]
fn values_beyond_their_range_are_refused_wherever_they_come_from() {
    // As a checkpoint or user code may have them: past the check of `set`.
    let mut steep = Uct::default();
    steep.selection.c = f64::NAN;
    let cases: [(Method, &str); 4] = [
        (steep.into(), "parameter `c`: expected a number from 0 to 1e12, got `NaN`"),
        (
            Nrpa { level: 99, ..Nrpa::default() }.into(),
            "parameter `level`: expected a whole number from 1 to 12, got `99`",
        ),
        (
            Nrpa { iterations: [100, 0].into(), ..Nrpa::default() }.into(),
            "parameter `iterations`: expected a whole number from 1 to 1e9, or a list of them, level 1 first, \
             got `100,0`",
        ),
        (
            Nmcs { level: 0, ..Nmcs::default() }.into(),
            "parameter `level`: expected a whole number from 1 to 12, got `0`",
        ),
    ];
    for (method, message) in cases {
        assert_eq!(method.validate().unwrap_err().to_string(), message);
        let error = Solver::new(&Bag::sixteen(), method.clone()).start().map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        // Data that were written are read, and refused by the run.
        let read: Setup = postcard::from_bytes(&postcard::to_allocvec(&Setup::from(method)).unwrap()).unwrap();
        assert!(Solver::new(&Bag::sixteen(), read).start().is_err(), "{message}");
    }
}

/// Returns values beyond a numeric range.
fn beyond(range: &str) -> Vec<String> {
    if !range.starts_with("a ") {
        return vec!["No such".into(), String::new()];
    }
    let numbers = ends(range);
    let below = match numbers[0].as_str() {
        "0" => "-1".into(),
        least => format!("{}", least.parse::<f64>().unwrap() - least.parse::<f64>().unwrap().abs() / 2.0),
    };
    let mut values = vec![below, "nan".into(), "nosuch".into(), String::new()];
    if range.contains(" to ") {
        values.push((numbers[1].parse::<f64>().unwrap() * 2.0).to_string());
    }
    values
}

#[test]
fn no_parameter_takes_a_value_beyond_its_range() {
    for preset in Method::presets() {
        for parameter in preset.method().parameters() {
            for value in beyond(&parameter.range) {
                let mut method = preset.method();
                let what = format!("{} {}={value}", preset.name, parameter.name);
                let error = method.set(parameter.name, &value).expect_err(&what);
                assert!(error.to_string().contains(parameter.name), "{what}: {error}");
                assert_eq!(method, preset.method(), "{what}");
            }
        }
    }
}

#[test]
fn beams_of_policies_beyond_the_memory_are_refused_with_the_figure() {
    let bag = Bag::sixteen();
    let wide = method("beam-nrpa", &[("level", "2"), ("width", "10,5000")]);
    let solver = |memory| Solver::new(&bag, wide.clone()).budget(Budget { memory, ..games(5) });
    let Err(SolveError::Memory { needed, allowed }) = solver(64 << 20).run() else { panic!("not refused") };
    assert!(needed > allowed && allowed == 64 << 20, "{needed}");
    // What it says is enough to begin.
    assert!(solver(needed).run().is_ok());
}

/// What limits do not end is refused, in the words of the command line.
#[test]
fn limits_that_never_end_a_run_are_refused() {
    let bag = Fenced::new(Bag::sixteen());
    let exact = ["dfs", "bfs", "best-first", "iterative-broadening", "ida-star", "cabs"];
    for (name, settings) in exact.into_iter().map(|name| (name, &[][..])).chain([("beam", &[("prune", "true")][..])]) {
        for budget in [Budget::playouts(9), Budget { stall: Some(9), ..Budget::default() }] {
            let error = Solver::new(&bag, method(name, settings)).budget(budget.clone()).run().unwrap_err();
            let SolveError::Limits { what, .. } = &error else { panic!("{name}: {error}") };
            assert!(what.starts_with("it may finish no solution for very long"), "{name}: {error}");
            for also in [Budget::nodes(50), Budget::time(Duration::from_millis(20))] {
                let budget = Budget { playouts: budget.playouts, stall: budget.stall, ..also };
                assert!(Solver::new(&bag, method(name, settings)).budget(budget).run().is_ok(), "{name}");
            }
        }
    }
    for name in ["sampling", "auto"] {
        let error = Solver::new(&bag, method(name, &[])).budget(Budget::nodes(9)).run().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name}: it may count no nodes")), "{error}");
        let outcome = Solver::new(&bag, method(name, &[])).budget(Budget::playouts(40)).run().unwrap();
        assert!(outcome.optimal || outcome.counters.playouts == 40, "{name}");
    }
    // A beam whose ties are decided by playouts makes some for each state.
    let beam = method("cabs", &[("tie", "playouts")]);
    assert!(Solver::new(&bag, beam).budget(Budget::playouts(9)).run().is_ok());
    // Without any limit an exact method runs to its proof.
    assert!(Solver::new(&bag, method("cabs", &[])).run().unwrap().optimal);
}
