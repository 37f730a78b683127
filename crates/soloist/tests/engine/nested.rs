//! Beam-NRPA, HD-NRPA, Monte-Carlo beams and exchange between streams against plain implementations.

use crate::common::logits::{Logits, Rollout};
use crate::common::{Bag, Recorded, assert_same, method, playout, recorded, run_and_save, timeless};
use soloist::doc::Staircase;
use soloist::run::{Improvement, Observer, Progress, Solution};
use soloist::search::parameters::{Keep, Nmcs, Nrpa, Share};
use soloist::{Budget, Method, Problem, Rng, Score, Sense, Solver};
use std::collections::HashMap;

/// Sorts best first; equal scores stay in their order.
fn best_first<T>(sense: Sense, list: &mut [T], score: impl Fn(&T) -> Option<Score>) {
    list.sort_by(|a, b| match (score(a), score(b)) {
        (Some(x), Some(y)) => sense.better(y, x).cmp(&sense.better(x, y)),
        (x, y) => y.is_some().cmp(&x.is_some()),
    });
}

// ---- HD-NRPA ----

/// A call of a level: its buckets, best first.
fn diverse<P: Problem>(
    problem: &P,
    mut policy: Logits,
    level: usize,
    rng: &mut Rng,
    log: &mut Vec<Vec<P::Move>>,
) -> Vec<Rollout<P::Move>> {
    if level == 0 {
        let rollout = policy.rollout(problem, rng);
        log.push(rollout.moves.clone());
        return vec![rollout];
    }
    let (parameters, sense) = (policy.parameters.clone(), problem.sense());
    let mut beam: Vec<Rollout<P::Move>> = Vec::new();
    for i in 1..=parameters.iterations.at(level) {
        for _ in 0..if level == 1 { parameters.playouts } else { 1 } {
            for found in diverse(problem, policy.clone(), level - 1, rng, log) {
                let similar = |b: &Rollout<P::Move>| b.score == found.score && b.moves.len() == found.moves.len();
                if !found.score.is_feasible() {
                    beam.retain(|b| !similar(b));
                }
                let full = beam.len() as u64 == parameters.width.at(level);
                if full && !sense.better(found.score, beam[beam.len() - 1].score) || beam.iter().any(similar) {
                    continue;
                }
                beam.truncate(parameters.width.at(level) as usize - 1);
                beam.push(found);
                best_first(sense, &mut beam, |bucket| Some(bucket.score));
            }
        }
        if i > parameters.threshold.at(level) {
            policy.adapt_diverse(&beam);
        }
    }
    beam
}

#[test]
fn hd_nrpa_equals_recursion() {
    let base = Nrpa { level: 2, iterations: 12.into(), beam: Keep::Solutions, width: 4.into(), ..Nrpa::default() };
    let settings = [
        base.clone(),
        Nrpa { level: 1, iterations: 60.into(), width: 6.into(), ..base.clone() },
        Nrpa { level: 3, iterations: 6.into(), width: [1, 3, 5].into(), threshold: [2, 1].into(), ..base.clone() },
        Nrpa { alpha: 0.4, temperature: 1.5, playouts: 3, ..base.clone() },
        Nrpa { bias_weight: 0.7, clamp: 2.0, ..base },
    ];
    for parameters in settings {
        for seed in 0..3 {
            let what = format!("{parameters:?}");
            let check = |expected: Vec<Vec<u8>>, bag: &Bag| {
                assert_same(&recorded(bag, Method::from(parameters.clone()), seed, 800), &expected, &what);
            };
            for bag in [Bag::sixteen(), Bag::tight().mirrored()] {
                let (mut log, mut rng) = (Vec::new(), Rng::new(seed));
                while log.len() < 800 {
                    diverse(&bag, Logits::new(&parameters), parameters.level as usize, &mut rng, &mut log);
                }
                log.truncate(800);
                check(log, &bag);
            }
            let (mut log, mut rng) = (Vec::new(), Rng::new(seed));
            while log.len() < 800 {
                diverse(&Staircase(12), Logits::new(&parameters), parameters.level as usize, &mut rng, &mut log);
            }
            log.truncate(800);
            assert_same(&recorded(&Staircase(12), Method::from(parameters.clone()), seed, 800), &log, &what);
        }
    }
}

// ---- Beam-NRPA ----

/// A solution, if there is one, and its policy.
type Entry<M> = (Option<Rollout<M>>, Logits);

fn beams<P: Problem>(
    problem: &P,
    policy: Logits,
    level: usize,
    rng: &mut Rng,
    log: &mut Vec<Vec<P::Move>>,
) -> Vec<Rollout<P::Move>> {
    if level == 0 {
        let rollout = policy.rollout(problem, rng);
        log.push(rollout.moves.clone());
        return vec![rollout];
    }
    let (parameters, sense) = (policy.parameters.clone(), problem.sense());
    let mut beam: Vec<Entry<P::Move>> = vec![(None, policy)];
    for i in 1..=parameters.iterations.at(level) {
        let mut all: Vec<Entry<P::Move>> = Vec::new();
        for (_, policy) in &beam {
            for _ in 0..if level == 1 { parameters.playouts } else { 1 } {
                for found in beams(problem, policy.clone(), level - 1, rng, log) {
                    all.push((Some(found), policy.clone()));
                }
            }
        }
        // The newest first, then the old ones.
        all.reverse();
        all.extend(beam);
        best_first(sense, &mut all, |entry| entry.0.as_ref().map(|rollout| rollout.score));
        all.truncate(parameters.width.at(level) as usize);
        for (rollout, policy) in &mut all {
            if let Some(rollout) = rollout
                && i > parameters.threshold.at(level)
            {
                policy.adapt(rollout);
            }
        }
        beam = all;
    }
    beam.into_iter().filter_map(|entry| entry.0).collect()
}

#[test]
fn beam_nrpa_equals_recursion() {
    let base = Nrpa { level: 2, iterations: 6.into(), beam: Keep::Policies, width: 3.into(), ..Nrpa::default() };
    let settings = [
        base.clone(),
        Nrpa { level: 3, iterations: 4.into(), width: [1, 2, 3].into(), ..base.clone() },
        Nrpa { level: 1, iterations: 30.into(), width: 5.into(), playouts: 2, ..base.clone() },
        Nrpa { threshold: [1, 2].into(), bias_weight: 0.5, ..base },
    ];
    for parameters in settings {
        for seed in 0..3 {
            for bag in [Bag::sixteen(), Bag::tight().mirrored()] {
                let (mut log, mut rng) = (Vec::new(), Rng::new(seed));
                while log.len() < 700 {
                    beams(&bag, Logits::new(&parameters), parameters.level as usize, &mut rng, &mut log);
                }
                log.truncate(700);
                assert_same(
                    &recorded(&bag, Method::from(parameters.clone()), seed, 700),
                    &log,
                    &format!("{parameters:?}"),
                );
            }
        }
    }
}

#[test]
fn a_beam_of_one_policy_is_nrpa() {
    for playouts in [1, 3] {
        let plain = Nrpa { level: 3, iterations: 7.into(), playouts, ..Nrpa::default() };
        let beam = Nrpa { beam: Keep::Policies, ..plain.clone() };
        for bag in [Bag::sixteen(), Bag::tight()] {
            let expected = recorded(&bag, Method::from(plain.clone()), 4, 1_500);
            assert_same(&recorded(&bag, Method::from(beam.clone()), 4, 1_500), &expected, "a beam of one");
        }
    }
}

/// Keeps the gauges of every call, and the best score of the run at that time.
#[derive(Default)]
struct Gauged {
    best: Option<f64>,
    calls: Vec<(HashMap<&'static str, f64>, Option<f64>)>,
}

impl Observer<u8> for Gauged {
    fn improved(&mut self, improvement: &Improvement, _: &Solution<u8>, _: &Progress) {
        self.best = improvement.score.value();
    }
    fn wants_insight(&self) -> bool {
        true
    }
    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        self.calls.push((gauges.iter().copied().collect(), self.best));
    }
}

#[test]
fn gauges_show_the_outermost_beam() {
    let bag = Bag::sixteen();
    for (beam, width) in [(Keep::Solutions, 3), (Keep::Policies, 3), (Keep::None, 1)] {
        let nrpa =
            Nrpa { level: 2, iterations: 40.into(), beam, width: width.into(), restarts: false, ..Nrpa::default() };
        let mut gauged = Gauged::default();
        let solver = Solver::new(&bag, Method::from(nrpa)).seed(3).budget(Budget::playouts(4_000));
        solver.observer(&mut gauged, std::time::Duration::ZERO).run().unwrap();
        let kept = |(gauges, _): &&(HashMap<&str, f64>, Option<f64>)| {
            gauges.get("solutions in the outermost beam").is_some_and(|&count| count > 1.0)
        };
        let several: Vec<_> = gauged.calls.iter().filter(kept).collect();
        // Without a beam there is nothing to show.
        assert_eq!(several.is_empty(), beam == Keep::None, "{beam:?}");
        for (gauges, best) in several {
            assert!(gauges["solutions in the outermost beam"] <= width as f64);
            let score = |which: &str| gauges[format!("{which} score in the outermost beam").as_str()];
            assert!(score("best") >= score("middle") && score("middle") >= score("last"), "{gauges:?}");
            assert!(Some(score("best")) <= *best, "{gauges:?}");
            // What is similar has the same score.
            assert!(beam == Keep::Policies || gauges["similar pairs of solutions in the outermost beam"] == 0.0);
        }
    }
}

// ---- Monte-Carlo beam search ----

type Found<M> = (Score, Vec<M>);

/// Cazenave's beam of nested searches by recursion.
fn monte_carlo_beam<P: Problem>(
    problem: &P,
    root: (P::State, Vec<P::Move>),
    (level, widths): (usize, &[usize]),
    rng: &mut Rng,
    log: &mut Vec<Vec<P::Move>>,
) -> Found<P::Move> {
    let moves_of = |state: &P::State| {
        let mut moves = Vec::new();
        problem.moves(state, &mut moves);
        moves
    };
    if level == 0 || moves_of(&root.0).is_empty() {
        let (mut state, mut path) = root;
        path.extend(playout(problem, &mut state, rng));
        log.push(path.clone());
        return (problem.score(&state), path);
    }
    type Line<P> = ((<P as Problem>::State, Vec<<P as Problem>::Move>), Option<Found<<P as Problem>::Move>>);
    let sense = problem.sense();
    let mut beam: Vec<Line<P>> = vec![(root, None)];
    let mut best: Option<Found<P::Move>> = None;
    while !beam.is_empty() {
        let mut next: Vec<Line<P>> = Vec::new();
        for ((state, path), known) in &beam {
            let child = |mv| {
                let (mut state, mut path) = (state.clone(), path.clone());
                problem.apply(&mut state, mv);
                path.push(mv);
                (state, path)
            };
            if let Some(known) = known {
                next.push((child(known.1[path.len()]), Some(known.clone())));
            }
            for mv in moves_of(state) {
                let found = monte_carlo_beam(problem, child(mv), (level - 1, widths), rng, log);
                if best.as_ref().is_none_or(|best| sense.better(found.0, best.0)) {
                    best = Some(found.clone());
                }
                next.push((child(mv), Some(found)));
            }
        }
        best_first(sense, &mut next, |line| line.1.as_ref().map(|found| found.0));
        // A child that was remembered and found again is one child.
        let mut met: Vec<Vec<P::Move>> = Vec::new();
        next.retain(|((_, path), _)| {
            let fresh = !met.contains(path);
            met.push(path.clone());
            fresh
        });
        next.truncate(widths[level - 1]);
        next.retain(|((state, _), _)| !moves_of(state).is_empty());
        beam = next;
    }
    best.unwrap()
}

#[test]
fn monte_carlo_beams_equal_recursion() {
    for widths in [vec![1, 1], vec![3], vec![1, 4], vec![2, 3], vec![2, 1, 2]] {
        let numbers: Vec<u64> = widths.iter().map(|&width| width as u64).collect();
        let parameters = Nmcs { level: widths.len() as u64, width: numbers.try_into().unwrap(), ..Nmcs::default() };
        for seed in 0..3 {
            for bag in [Bag::sixteen(), Bag::tight().mirrored()] {
                let (mut log, mut rng) = (Vec::new(), Rng::new(seed));
                while log.len() < 2_000 {
                    let root = (bag.root(), Vec::new());
                    monte_carlo_beam(&bag, root, (widths.len(), &widths), &mut rng, &mut log);
                }
                log.truncate(2_000);
                assert_same(
                    &recorded(&bag, Method::from(parameters.clone()), seed, 2_000),
                    &log,
                    &format!("{parameters:?}"),
                );
            }
        }
    }
}

// ---- exchange between streams ----

/// Leaf parallelism in one thread: all streams have one policy, each calls the level below with a separate generator.
#[test]
fn leaves_adapt_one_policy_together() {
    let parameters = Nrpa { level: 2, iterations: 10.into(), share: Share::Leaf, ..Nrpa::default() };
    for threads in [1, 2, 3] {
        let bag = Bag::tight();
        let sense = bag.sense();
        let mut rngs: Vec<Rng> = (0..threads).map(|stream| Rng::stream(5, stream)).collect();
        let mut policy = Logits::new(&parameters);
        policy.parameters.alpha = threads as f64;
        let mut best: Option<Rollout<u8>> = None;
        let mut expected = Vec::new();
        for _ in 0..10 {
            let mut found: Option<Rollout<u8>> = None;
            for rng in &mut rngs {
                // Level 1, with the plain learning rate.
                let mut inner = Logits { parameters: parameters.clone(), ..policy.clone() };
                let mut low: Option<Rollout<u8>> = None;
                for _ in 0..10 {
                    let rollout = inner.rollout(&bag, rng);
                    expected.push(rollout.moves.clone());
                    if low.as_ref().is_none_or(|low| sense.at_least(rollout.score, low.score)) {
                        low = Some(rollout);
                    }
                    inner.adapt(low.as_ref().unwrap());
                }
                let low = low.unwrap();
                // Each stream replaces ties by its result; the first of the best streams leads.
                let mine = if best.as_ref().is_none_or(|best| sense.at_least(low.score, best.score)) {
                    low
                } else {
                    best.clone().unwrap()
                };
                if found.as_ref().is_none_or(|found| sense.better(mine.score, found.score)) {
                    found = Some(mine);
                }
            }
            best = found;
            policy.adapt(best.as_ref().unwrap());
        }
        let method = Method::from(Nrpa { restarts: false, ..parameters.clone() });
        let recorded = Recorded::new(bag.clone());
        let outcome = Solver::new(&recorded, method).seed(5).threads(threads).without_replays().run().unwrap();
        assert_eq!(outcome.best.map(|solution| solution.score), best.map(|best| best.score));
        // The streams run side by side: their playouts are known, their order is not.
        let mut log = recorded.take();
        log.sort_unstable();
        expected.sort_unstable();
        assert_eq!(log, expected, "{threads} streams");
    }
}

#[test]
fn exchanges_survive_checkpoints_and_schedules() {
    for (share, beam) in [(Share::Leaf, Keep::None), (Share::Islands, Keep::None), (Share::Islands, Keep::Solutions)] {
        let width = if beam == Keep::None { 1 } else { 3 };
        let parameters = Nrpa { level: 2, iterations: 9.into(), share, beam, width: width.into(), ..Nrpa::default() };
        let bag = Bag::tight();
        for threads in [2, 3] {
            let solver = |playouts| {
                Solver::new(&bag, Method::from(parameters.clone()))
                    .seed(8)
                    .threads(threads)
                    .budget(Budget::playouts(playouts))
            };
            let whole = timeless(solver(2_000).run().unwrap());
            assert_eq!(timeless(solver(2_000).run().unwrap()), whole);
            for part in [27, 500, 1_001] {
                let name = format!("exchange-{threads}-{part}-{share}");
                let (_, saved) = run_and_save(solver(part), &name);
                assert_eq!(timeless(solver(2_000).resume(&saved).unwrap().run().unwrap()), whole, "{name}");
            }
            assert_eq!(whole.counters.playouts, 2_000);
        }
    }
}

// ---- parameters ----

#[test]
fn what_does_not_go_together_is_refused() {
    for (preset, settings) in [
        ("nrpa", &[("width", "1,2")][..]),
        ("nrpa", &[("similar", "potential")]),
        ("hd-nrpa", &[("bias_rate", "0.1")]),
        ("beam-nrpa", &[("share", "islands")]),
        ("nrpa", &[("share", "islands"), ("repetitions", "3")]),
        ("hd-nrpa", &[("share", "leaf")]),
        ("beam", &[("playouts", "3")]),
    ] {
        let parameters = method(preset, settings);
        assert!(parameters.validate().is_err(), "{preset} {settings:?}");
        assert!(Solver::new(&Staircase(5), parameters).budget(Budget::playouts(10)).run().is_err());
    }
    let levels = |text| {
        let mut parameters = Method::preset("nrpa").unwrap();
        parameters.set("iterations", text).map(|()| parameters.parameters())
    };
    for bad in ["", ",", "0", "5,", "1,2,x", "-1", "1;2", "1,2,3,4,5,6,7,8,9,10,11,12,13", "1e10"] {
        assert!(levels(bad).is_err(), "{bad}");
    }
    let shown = levels("1e2, 7").unwrap();
    assert!(shown.iter().any(|parameter| parameter.name == "iterations" && parameter.value == "100,7"));
}

// ---- What is learned where no code was written ----

/// Decisions at `n` places among three labels. The best label differs from place to place.
struct Places(usize);

impl Problem for Places {
    type State = Vec<u8>;
    type Move = u8;
    fn root(&self) -> Vec<u8> {
        Vec::new()
    }
    fn moves(&self, labels: &Vec<u8>, moves: &mut Vec<u8>) {
        if labels.len() < self.0 {
            moves.extend(0..3);
        }
    }
    fn apply(&self, labels: &mut Vec<u8>, label: u8) {
        labels.push(label);
    }
    fn score(&self, labels: &Vec<u8>) -> Score {
        let right = labels.iter().enumerate().filter(|&(at, &label)| (at * at + at / 3) % 3 == usize::from(label));
        Score::Feasible(right.count() as f64)
    }
}

/// The same, learned by the label alone: the code is not the default one.
struct Labels(Places);

impl Problem for Labels {
    type State = Vec<u8>;
    type Move = u8;
    fn root(&self) -> Vec<u8> {
        self.0.root()
    }
    fn moves(&self, labels: &Vec<u8>, moves: &mut Vec<u8>) {
        self.0.moves(labels, moves);
    }
    fn apply(&self, labels: &mut Vec<u8>, label: u8) {
        self.0.apply(labels, label);
    }
    fn score(&self, labels: &Vec<u8>) -> Score {
        self.0.score(labels)
    }
    fn code(&self, _: &Vec<u8>, label: u8) -> u64 {
        label.into()
    }
}

fn best_of<P: Problem>(problem: &P, name: &str) -> f64 {
    let nrpa = method(name, &[("level", "2"), ("iterations", "40")]);
    let outcome = Solver::new(problem, nrpa).budget(Budget::playouts(1_600)).seed(1).run().unwrap();
    outcome.best.unwrap().score.value().unwrap()
}

#[test]
fn moves_of_assignments_are_learned_apart_at_each_step() {
    for name in ["nrpa", "beam-nrpa", "hd-nrpa"] {
        let (by_step, by_label) = (best_of(&Places(30), name), best_of(&Labels(Places(30)), name));
        assert!(by_step >= by_label + 5.0, "{name}: {by_step} and {by_label}");
    }
}

#[test]
fn a_policy_that_learns_at_each_step_is_resumed() {
    let problem = Places(20);
    let nrpa = || method("nrpa", &[("level", "2"), ("iterations", "20")]);
    let whole = Solver::new(&problem, nrpa()).budget(Budget::playouts(300)).seed(3).run().unwrap();
    let mut session = Solver::new(&problem, nrpa()).seed(3).start().unwrap();
    session.advance(&Budget::playouts(130)).unwrap();
    let saved = session.save();
    let mut again = Solver::new(&problem, nrpa()).resume(&saved).unwrap().start().unwrap();
    again.advance(&Budget::playouts(170)).unwrap();
    let best = again.best().unwrap();
    assert_eq!((best.score, &best.moves), (whole.best.as_ref().unwrap().score, &whole.best.as_ref().unwrap().moves));
}
