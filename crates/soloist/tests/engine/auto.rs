//! The portfolio: entrants with settings and rollouts, what a problem names, what observers see.

use crate::common::{Bag, Fenced, Packed, method, rules_of, run_and_save, timeless};
use soloist::doc::Staircase;
use soloist::problem::{Entrant, Extras, Prior};
use soloist::rollout::{NamedRollout, Rollout};
use soloist::run::{Counters, Observer, SolveError, StopReason};
use soloist::{Budget, Method, Problem, Score, Setup, Solver};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A bag that names methods for `auto`.
struct Named(Bag, &'static str);

impl Problem for Named {
    rules_of!(Bag);

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Named {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::uniform("uniform"), NamedRollout::new("first", "the first item", |_| Box::new(First))]
    }
    fn portfolio(&self) -> Vec<Entrant> {
        let entrant = |text: &str| {
            let (name, settings) = text.split_once('(').unwrap_or((text, ")"));
            let settings = settings.trim_end_matches(')').split_whitespace();
            settings
                .filter_map(|pair| pair.split_once('='))
                .fold(Entrant::new(name), |all, (key, value)| all.set(key, value))
        };
        self.1.split(',').filter(|text| !text.is_empty()).map(entrant).collect()
    }
}

/// Always takes the first item that fits.
struct First;

impl Rollout<Named> for First {
    fn candidates(&mut self, problem: &Named, state: &Packed, moves: &mut Vec<u8>) {
        problem.moves(state, moves);
        moves.truncate(1);
    }
}

fn run(problem: &Named, settings: &[(&str, &str)]) -> Result<soloist::Outcome<u8>, SolveError> {
    Solver::new(problem, method("auto", settings)).seed(1).budget(Budget::playouts(4_000)).run()
}

#[test]
fn each_entrant_plays_its_own_rollout() {
    let bag = || Named(Bag::sixteen(), "");
    let alone = |rollout| {
        let bag = bag();
        let solver = Solver::new(&bag, Setup::preset("sampling").unwrap()).rollout(rollout);
        solver.budget(Budget::playouts(1)).run().unwrap().best.unwrap().score
    };
    let first = alone("first");
    // The score in the race is that of the one solution which this rollout knows.
    let race = [("methods", "sampling(rollout=first),nrpa(level=2 iterations=20)")];
    let outcome = run(&bag(), &race).unwrap();
    assert!(outcome.remarks[0].contains("sampling(rollout=first), nrpa(level=2 iterations=20) race"));
    let expected = format!("sampling(rollout=first) {first}");
    assert!(outcome.remarks[1].contains(&expected), "{:?} without {expected}", outcome.remarks);
    assert_eq!(timeless(outcome), timeless(run(&bag(), &race).unwrap()));
}

#[test]
fn what_a_problem_names_races_in_its_settings() {
    let outcome = run(&Named(Bag::sixteen(), "nrpa(level=2 rollout=first),nmcs"), &[]).unwrap();
    let first = &outcome.remarks[0];
    assert!(first.starts_with("nrpa(level=2 rollout=first), nmcs, anneal, "), "{first}");
    assert!(first.contains("names"), "{first}");
    // The preset is not entered a second time with other settings.
    assert_eq!(first.matches("nrpa").count(), 1, "{first}");
    let outcome = run(&Named(Bag::sixteen(), "nrpa(level=2)"), &[("methods", "anneal,uct")]).unwrap();
    assert_eq!(outcome.remarks[0], "anneal, uct race");
}

#[test]
fn what_cannot_run_is_named_before_the_run() {
    let refused = |portfolio, settings: &[(&str, &str)]| {
        run(&Named(Bag::sixteen(), portfolio), settings).expect_err(portfolio).to_string()
    };
    assert_eq!(
        refused("nrpa(levle=2)", &[]),
        "the portfolio of the problem: entry `nrpa(levle=2)`: no parameter `levle`, did you mean `level`?"
    );
    assert_eq!(refused("anneal(rollout=last)", &[]), "no rollout `last` (known: random, first)");
    assert_eq!(refused("", &[("methods", "uct(rollout=last)")]), "no rollout `last` (known: random, first)");
    for (portfolio, expected) in [
        ("nrpa(levle=2)", "the portfolio: entry `nrpa(levle=2)`: no parameter `levle`"),
        ("anneal(rollout=last)", "the portfolio: the rollout of `anneal(rollout=last)` does not exist"),
    ] {
        let violation = soloist::check(&Named(Bag::sixteen(), portfolio), 3, 1).unwrap_err();
        assert!(violation.what.starts_with(expected), "{violation}");
    }
    soloist::check(&Named(Bag::sixteen(), "nmcs,nrpa(level=2 rollout=first)"), 3, 1).unwrap();
    let error = Setup::preset("auto").unwrap().set("methods", "anneal,nrpa(level=0)").unwrap_err().to_string();
    assert!(error.starts_with("parameter `methods`: entry `nrpa(level=0)`: parameter `level`: expected"), "{error}");
}

#[test]
fn the_last_part_improves_the_best_and_a_larger_budget_races_again() {
    let bag = Named(Bag::sixteen(), "");
    let settings = [("methods", "sampling,nrpa(level=2)"), ("race_part", "0.5"), ("polish", "0.25")];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ckpt");
    let solver = |budget| Solver::new(&bag, method("auto", &settings)).seed(1).budget(Budget::playouts(budget));
    let outcome = solver(2_000).checkpoint(&path, Duration::from_secs(3600)).run().unwrap();
    assert_eq!(outcome.counters.playouts, 2_000);
    let last = outcome.remarks.last().unwrap();
    assert!(last.contains("; the best solution is improved by anneal(runs=1 finish=0"), "{last}");
    let improved = |remarks: &[String]| remarks.iter().filter(|remark| remark.contains("is improved by")).count();
    assert_eq!(improved(&outcome.remarks), 1);
    let longer = solver(8_000).resume(&std::fs::read(&path).unwrap()).unwrap().run().unwrap();
    // The race for the rest has a round, and its winner a turn, before the last part.
    assert_eq!(improved(&longer.remarks), 2);
    assert!(longer.remarks.len() >= outcome.remarks.len() + 2, "{:?}", longer.remarks);
    let refused = |settings: &[(&str, &str)]| run(&Named(Bag::sixteen(), ""), settings).unwrap_err().to_string();
    assert!(refused(&[("race_part", "0.9"), ("polish", "0.2")]).contains("race_part + polish"));
    assert!(refused(&[("first", "10"), ("polish", "0.2")]).contains("polish needs first=0"));
}

/// Counts the events it receives.
#[derive(Default)]
struct Told {
    scores: usize,
    gauges: Vec<&'static str>,
}

impl Observer<bool> for Told {
    fn wants_insight(&self) -> bool {
        true
    }
    fn scores(&mut self, scores: &[f64]) {
        self.scores += scores.len();
    }
    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        self.gauges.extend(gauges.iter().map(|(name, _)| name));
    }
}

#[test]
fn observers_see_the_scores_and_gauges_of_the_entrant_whose_turn_it_is() {
    let (problem, mut told) = (Staircase(60), Told::default());
    let setup = method("auto", &[("methods", "nrpa(level=2),uct")]);
    let solver = Solver::new(&problem, setup).seed(1).budget(Budget::playouts(20_000));
    solver.observer(&mut told, Duration::ZERO).run().unwrap();
    let mut kinds = told.gauges;
    kinds.sort_unstable();
    kinds.dedup();
    assert!(told.scores > 100 && kinds.len() >= 2, "{} scores, {kinds:?}", told.scores);
}

/// A problem that counts what it is asked for.
struct Counted<'a> {
    asked: &'a AtomicU64,
    with_prior: bool,
}

impl Problem for Counted<'_> {
    type State = u32;
    type Move = u8;

    fn root(&self) -> u32 {
        0
    }

    fn moves(&self, state: &u32, moves: &mut Vec<u8>) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if *state < 500 {
            moves.extend([0, 1]);
        }
    }

    fn apply(&self, state: &mut u32, _: u8) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        *state += 1;
    }

    fn score(&self, _: &u32) -> Score {
        Score::Feasible(1.0)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        self.with_prior.then_some(self as &dyn Prior<Self>)
    }
}

impl Prior<Counted<'_>> for Counted<'_> {
    fn bias(&self, _: &u32, _: u8) -> f64 {
        0.0
    }
}

#[test]
fn nothing_is_played_before_the_limits_hold() {
    // Moves may be slow, as those of a Python class are, and a limit of time holds from the first slice on.
    for with_prior in [false, true] {
        let asked = AtomicU64::new(0);
        let problem = Counted { asked: &asked, with_prior };
        let session = Solver::new(&problem, Method::preset("auto").unwrap()).start().unwrap();
        let before = asked.load(Ordering::Relaxed);
        assert_eq!(session.counters().playouts, 0);
        // Whether a prior says anything takes a few walks to find out.
        assert!(if with_prior { before > 500 } else { before <= 8 }, "{with_prior}: {before}");
    }
}

/// Bits whose best solution is all ones; the bound says more of what begins with a zero, for half of the depth.
struct Trap;

const DEPTH: usize = 16;

impl Problem for Trap {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, bits: &Vec<bool>, moves: &mut Vec<bool>) {
        if bits.len() < DEPTH {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, bits: &mut Vec<bool>, bit: bool) {
        bits.push(bit);
    }
    fn score(&self, bits: &Vec<bool>) -> Score {
        let ones = bits.iter().filter(|&&bit| bit).count();
        Score::Feasible(if ones == DEPTH { 70.0 } else { ones as f64 })
    }
    fn bound(&self, bits: &Vec<bool>) -> Option<f64> {
        let can_win = bits.iter().all(|&bit| bit);
        Some(match bits.len() {
            0 => 80.0,
            _ if can_win => 70.0,
            depth if 2 * depth < DEPTH => 75.0,
            _ => 20.0,
        })
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Trap {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::uniform("uniform"), NamedRollout::new("ones", "ones alone", |_| Box::new(Ones))]
    }
}

struct Ones;

impl Rollout<Trap> for Ones {
    fn candidates(&mut self, problem: &Trap, bits: &Vec<bool>, moves: &mut Vec<bool>) {
        problem.moves(bits, moves);
        moves.retain(|&bit| bit);
    }
}

#[test]
fn exact_entrants_prune_by_what_others_have_found() {
    let nodes = |methods: &str| {
        let mut setup = Setup::from(method("auto", &[("methods", methods), ("first", "1000000")])).proof(0.0);
        setup.rollout = Some("random".to_owned());
        let outcome = Solver::new(&Trap, setup)
            .budget(Budget { nodes: Some(1_000_000), ..Budget::playouts(1 << 40) })
            .run()
            .unwrap();
        assert!(outcome.optimal, "{methods}: {:?}", outcome.remarks);
        assert_eq!(outcome.best.unwrap().score, Score::Feasible(70.0));
        outcome.counters.nodes
    };
    // Alone, depth-first search goes through all of the half that begins with a zero.
    let alone = nodes("dfs");
    let beside = nodes("sampling(rollout=ones),dfs");
    assert!(alone > 1 << (DEPTH - 1), "{alone}");
    assert!(beside < 2 << (DEPTH / 2 + 1), "{beside} beside {alone}");
}

#[test]
fn an_exact_method_that_has_lost_may_still_prove() {
    let run = |share: &str| {
        let settings = [("methods", "sampling(rollout=ones),dfs"), ("race_part", "0.01"), ("exact_share", share)];
        let mut setup = Setup::from(method("auto", &settings)).proof(0.0);
        setup.rollout = Some("random".to_owned());
        Solver::new(&Trap, setup).budget(Budget::playouts(1_000)).run().unwrap()
    };
    let (alone, shared) = (run("0"), run("0.15"));
    assert!(
        !alone.optimal && alone.remarks.last().unwrap().ends_with("the race continues with sampling(rollout=ones)")
    );
    let last = shared.remarks.last().unwrap();
    assert!(last.ends_with("dfs gets 15 % of the rest, then sampling(rollout=ones) continues"), "{last}");
    assert!(shared.optimal && shared.counters.playouts < 1_000, "{:?}", shared.counters);
    // Where the problem names methods, the others do not share.
    let named = crate::auto::run(&Named(Bag::sixteen(), "nmcs"), &[]).unwrap();
    assert!(named.remarks.iter().all(|remark| !remark.contains("of the rest")), "{:?}", named.remarks);
}

#[test]
fn a_winner_that_still_improves_has_the_last_part() {
    let run = |steps, playouts| {
        let setup = Setup::from(method("auto", &[("methods", "nrpa(level=3)"), ("polish", "0.5")])).proof(0.0);
        Solver::new(&Staircase(steps), setup).budget(Budget::playouts(playouts)).run().unwrap()
    };
    let (short, long) = (run(300, 200), run(20, 20_000));
    assert_eq!(short.remarks.last().unwrap(), "nrpa(level=3) still improves and has the last part too");
    assert!(long.remarks.last().unwrap().contains("is improved by anneal"), "{:?}", long.remarks);
}

/// Where none makes playouts, their limit does not end them: the nodes do, and a checkpoint goes on.
#[test]
fn exact_entrants_alone_go_on_until_a_limit() {
    let problem = Fenced::new(Bag::sixteen());
    for methods in ["cabs,beam", "dfs,cabs", "best-first,bfs", "bfs,ida-star", "dfs,iterative-broadening"] {
        let setup = || Setup::from(method("auto", &[("methods", methods)])).proof(0.0).rollout("random");
        for (playouts, nodes) in [(30, 57), (9, 40), (300, 100)] {
            let solver = |factor| {
                let budget = Budget { nodes: Some(factor * nodes), ..Budget::playouts(factor * playouts) };
                Solver::new(&problem, setup()).seed(1).budget(budget)
            };
            let (outcome, saved) = run_and_save(solver(1), "exact-entrants");
            let Counters { playouts: made, nodes: met } = outcome.counters;
            assert!(outcome.optimal || made >= playouts || met >= nodes, "{methods}: {:?}", outcome.counters);
            assert_ne!(outcome.stop, StopReason::Completed, "{methods}");
            let next = solver(1_000_000).resume(&saved).unwrap().run().unwrap();
            assert!(next.optimal && next.best.unwrap().score.value() == Some(problem.bag.optimum()), "{methods}");
        }
    }
}

/// A limit of playouts ends a race of others, exact entrants or not; without others it is refused.
#[test]
fn playouts_end_races_or_are_refused() {
    let problem = Fenced::new(Bag::sixteen());
    let run = |methods: &str, budget: Budget| {
        let setup = Setup::from(method("auto", &[("methods", methods)])).proof(0.0).rollout("random");
        run_and_save(Solver::new(&problem, setup).seed(1).budget(budget), "playouts-end")
    };
    let (outcome, _) = run("cabs,anneal,dfs,nmcs", Budget::playouts(500));
    assert!(outcome.optimal || outcome.counters.playouts == 500, "{:?}", outcome.counters);
    let setup = Setup::from(method("auto", &[("methods", "dfs,cabs")]));
    let error = Solver::new(&problem, setup).budget(Budget::playouts(500)).run().unwrap_err();
    let line =
        "auto: it may finish no solution for very long, so that playouts never end it: give time or nodes as well";
    assert_eq!(error.to_string(), line);
    // Where all others have come to their ends, the run says that nothing can follow, and its checkpoint is whole.
    let stubborn = "nmcs(level=1 restarts=false),nmcs(level=2 restarts=false),beam(width=1 restarts=false)";
    let (outcome, saved) = run(stubborn, Budget { nodes: Some(1 << 40), ..Budget::playouts(1 << 40) });
    assert!(outcome.optimal || outcome.stop == StopReason::Completed, "{:?}", outcome.stop);
    assert!(outcome.optimal || outcome.remarks.last().unwrap().starts_with("no method can do more"));
    assert!(Solver::new(&problem, Setup::preset("auto").unwrap()).resume(&saved).unwrap().start().is_ok());
}
