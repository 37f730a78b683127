//! The step machines against plain implementations of the same algorithms: the same playouts, move by move.

use crate::common::logits::{Logits, Rollout};
use crate::common::tree::uct_playouts;
use crate::common::{Bag, altered, assert_same, method, playout, recorded};
use soloist::doc::Staircase;
use soloist::search::{Anneal, Nmcs, Nrpa, Schedule, Uct};
use soloist::{Budget, Method, Problem, Rng, Score, Sense, Solver};

// ---- nested Monte-Carlo search ----

type Found<M> = (Score, Vec<M>);

/// Cazenave's nested search by recursion, remembering the best sequence.
fn nested<P: Problem>(
    problem: &P,
    (mut state, mut path): (P::State, Vec<P::Move>),
    level: u64,
    rng: &mut Rng,
    log: &mut Vec<Vec<P::Move>>,
) -> Found<P::Move> {
    let mut best: Option<Found<P::Move>> = None;
    loop {
        let mut moves = Vec::new();
        problem.moves(&state, &mut moves);
        if level == 0 || (moves.is_empty() && best.is_none()) {
            path.extend(playout(problem, &mut state, rng));
            log.push(path.clone());
            return (problem.score(&state), path);
        }
        if moves.is_empty() {
            return best.unwrap();
        }
        for mv in moves {
            let (mut next, mut longer) = (state.clone(), path.clone());
            problem.apply(&mut next, mv);
            longer.push(mv);
            let found = nested(problem, (next, longer), level - 1, rng, log);
            if best.as_ref().is_none_or(|best| problem.sense().better(found.0, best.0)) {
                best = Some(found);
            }
        }
        let mv = best.as_ref().unwrap().1[path.len()];
        problem.apply(&mut state, mv);
        path.push(mv);
    }
}

fn nmcs_playouts<P: Problem>(problem: &P, level: u64, rng: &mut Rng, count: usize) -> Vec<Vec<P::Move>> {
    let mut log = Vec::new();
    while log.len() < count {
        nested(problem, (problem.root(), Vec::new()), level, rng, &mut log);
    }
    log.truncate(count);
    log
}

#[test]
fn nmcs_equals_recursion() {
    for level in 1..=4 {
        let parameters = Method::Nmcs(Nmcs { level, ..Nmcs::default() });
        for seed in 0..3 {
            let expected = nmcs_playouts(&Staircase(7), level, &mut Rng::new(seed), 3_000);
            assert_same(&recorded(&Staircase(7), parameters.clone(), seed, 3_000), &expected, "nmcs on the staircase");
            for bag in [Bag::sixteen(), Bag::tight(), Bag::tight().mirrored()] {
                let expected = nmcs_playouts(&bag, level, &mut Rng::new(seed), 3_000);
                assert_same(&recorded(&bag, parameters.clone(), seed, 3_000), &expected, "nmcs on the bag");
            }
        }
    }
}

// ---- nested rollout policy adaptation ----

/// Rosin's algorithm by recursion; `policy` is this level's copy.
fn nrpa<P: Problem>(
    problem: &P,
    mut policy: Logits,
    level: u64,
    rng: &mut Rng,
    log: &mut Vec<Vec<P::Move>>,
) -> Rollout<P::Move> {
    if level == 0 {
        let rollout = policy.rollout(problem, rng);
        log.push(rollout.moves.clone());
        return rollout;
    }
    let sense = problem.sense();
    let parameters = policy.parameters.clone();
    let mut best: Option<Rollout<P::Move>> = None;
    let repeat = if level == 1 { parameters.playouts } else { 1 };
    let (mut repeats, mut results, mut watching) = (0, Vec::new(), parameters.stopping > 0.0);
    for i in 1..=parameters.iterations.at(level as usize) {
        let mut latest: Option<Score> = None;
        for _ in 0..repeat {
            let found = nrpa(problem, policy.clone(), level - 1, rng, log);
            if best.as_ref().is_some_and(|best| best.moves == found.moves) {
                repeats += 1;
            } else if best.as_ref().is_none_or(|best| sense.better(found.score, best.score)) {
                repeats = 0;
            }
            if latest.is_none_or(|latest| sense.better(found.score, latest)) {
                latest = Some(found.score);
            }
            if best.as_ref().is_none_or(|best| sense.at_least(found.score, best.score)) {
                best = Some(found);
            }
        }
        if parameters.repetitions > 0 && repeats >= parameters.repetitions {
            break;
        }
        if watching {
            results.push(latest.unwrap());
            let rank = 1 + results.iter().filter(|&&other| sense.better(other, latest.unwrap())).count() as u64;
            let left = parameters.iterations.at(level as usize) + 1 - i;
            watching = rank as f64 > i as f64 * parameters.stopping / left as f64;
        }
        if !watching && i > parameters.threshold.at(level as usize) {
            policy.adapt(best.as_ref().unwrap());
        }
    }
    best.unwrap()
}

fn nrpa_playouts<P: Problem>(problem: &P, parameters: &Nrpa, rng: &mut Rng, count: usize) -> Vec<Vec<P::Move>> {
    let mut log = Vec::new();
    while log.len() < count {
        nrpa(problem, Logits::new(parameters), parameters.level, rng, &mut log);
    }
    log.truncate(count);
    log
}

#[test]
fn nrpa_equals_recursion() {
    let base = Nrpa { iterations: 6.into(), ..Nrpa::default() };
    let settings = [
        Nrpa { level: 1, iterations: 40.into(), ..base.clone() },
        Nrpa { level: 2, iterations: 25.into(), alpha: 0.4, ..base.clone() },
        Nrpa { level: 3, playouts: 3, ..base.clone() },
        Nrpa { level: 4, iterations: 4.into(), ..base.clone() },
        Nrpa { level: 2, iterations: 20.into(), temperature: 1.7, ..base.clone() },
        Nrpa { level: 3, bias_weight: 0.7, temperature: 0.8, ..base.clone() },
        Nrpa { level: 2, iterations: 30.into(), clamp: 1.5, ..base.clone() },
        Nrpa { level: 3, iterations: [30, 4].into(), repetitions: 2, ..base.clone() },
        Nrpa { level: 2, iterations: 12.into(), threshold: [5, 2].into(), ..base.clone() },
        Nrpa { level: 2, iterations: 40.into(), stopping: 2.3, playouts: 2, ..base.clone() },
        Nrpa { level: 2, iterations: 30.into(), bias_weight: 0.5, bias_rate: 0.1, ..base },
    ];
    for parameters in settings {
        for seed in 0..2 {
            let what = format!("{parameters:?}");
            let expected = nrpa_playouts(&Staircase(12), &parameters, &mut Rng::new(seed), 1_200);
            assert_same(&recorded(&Staircase(12), Method::Nrpa(parameters.clone()), seed, 1_200), &expected, &what);
            for bag in [Bag::sixteen(), Bag::tight().mirrored()] {
                let expected = nrpa_playouts(&bag, &parameters, &mut Rng::new(seed), 1_200);
                assert_same(&recorded(&bag, Method::Nrpa(parameters.clone()), seed, 1_200), &expected, &what);
            }
        }
    }
}

// ---- annealing ----

/// A sequence of moves with the codes that they had.
type Line<M> = Vec<(M, u64)>;

/// The sequence after an edit as the engine draws it, and the place from which it differs.
fn edited<M: Copy>(parameters: &Anneal, old: &Line<M>, edit: usize, rng: &mut Rng) -> (usize, Line<M>) {
    let n = old.len();
    let mut new = old.clone();
    if edit == 4 || n < 2 {
        return (rng.index(n), new);
    }
    let a = rng.index(n);
    let b = (a + 1 + rng.index(n - 1)) % n;
    let longest = if parameters.longest == 0 { n / 2 } else { parameters.longest as usize };
    match edit {
        0 => {
            new.swap(a, b);
            (a.min(b), new)
        }
        2 if n > 2 => {
            let length = 2 + rng.index(longest.clamp(2, n - 1) - 1);
            let places = n - length + 1;
            let from = rng.index(places);
            let to = (from + 1 + rng.index(places - 1)) % places;
            let block: Line<M> = new.drain(from..from + length).collect();
            new.splice(to..to, block);
            (from.min(to), new)
        }
        3 => {
            let length = 2 + rng.index(longest.clamp(2, n) - 1);
            let first = rng.index(n - length + 1);
            new[first..first + length].reverse();
            (first, new)
        }
        _ => {
            let entry = new.remove(a);
            new.insert(b, entry);
            (a.min(b), new)
        }
    }
}

/// Plays the first moves of `line`, then what fits of the rest; with `change` another move than the next one first.
fn replayed<P: Problem>(problem: &P, line: &Line<P::Move>, first: usize, change: bool, rng: &mut Rng) -> Line<P::Move> {
    let mut state = problem.root();
    let mut played: Line<P::Move> = Vec::new();
    let mut rest = line.clone();
    let mut changes = change;
    loop {
        let mut legal = Vec::new();
        problem.moves(&state, &mut legal);
        if legal.is_empty() && !changes {
            return played;
        }
        let coded = |&mv: &P::Move| (mv, problem.code(&state, mv));
        let mut next = None;
        if played.len() < first {
            next = Some(rest.remove(0).0);
        } else if changes {
            changes = false;
            if let Some(&(old, _)) = rest.first()
                && legal.iter().any(|&mv| mv != old)
            {
                legal.retain(|&mv| mv != old);
            }
            if legal.is_empty() {
                continue;
            }
            next = Some(legal[rng.index(legal.len())]);
        } else if rest.is_empty() {
            for mv in playout(problem, &mut state.clone(), rng) {
                played.push((mv, problem.code(&state, mv)));
                problem.apply(&mut state, mv);
            }
            return played;
        } else {
            for at in 0..rest.len() {
                let (old, code) = rest[at];
                let same = legal.contains(&old).then_some(old);
                let exact = same.filter(|&mv| coded(&mv).1 == code);
                let alike = exact.or_else(|| legal.iter().copied().find(|mv| coded(mv).1 == code)).or(same);
                if alike.is_some() {
                    next = alike;
                    rest.remove(at);
                    break;
                }
            }
        }
        let mv = next.unwrap_or_else(|| legal[rng.index(legal.len())]);
        played.push((mv, problem.code(&state, mv)));
        problem.apply(&mut state, mv);
    }
}

fn anneal_playouts<P: Problem>(problem: &P, parameters: &Anneal, rng: &mut Rng, count: usize) -> Vec<Vec<P::Move>> {
    let sense = problem.sense();
    let score = |line: &Line<P::Move>| {
        let mut state = problem.root();
        line.iter().for_each(|&(mv, _)| problem.apply(&mut state, mv));
        problem.score(&state)
    };
    let weights = [parameters.swap, parameters.insert, parameters.block, parameters.reverse, parameters.change];
    let mut log: Vec<Line<P::Move>> = Vec::new();
    let mut steps = parameters.steps;
    while log.len() < count {
        let mut present = replayed(problem, &Vec::new(), 0, false, rng);
        log.push(present.clone());
        let mut best = present.clone();
        for round in 0..=parameters.reheats {
            present.clone_from(&best);
            for step in 0..steps {
                let mut draw = rng.below(weights.iter().sum());
                let edit = weights.iter().position(|&weight| {
                    let found = draw < weight;
                    draw = draw.saturating_sub(weight);
                    found
                });
                let edit = edit.unwrap();
                let (first, line) = edited(parameters, &present, edit, rng);
                let new = replayed(problem, &line, first, edit == 4, rng);
                log.push(new.clone());
                let (old, next) = (score(&present), score(&new));
                let part = step as f64 / steps as f64;
                let heat = match parameters.cooling {
                    Schedule::Geometric => parameters.start * libm::pow(parameters.end / parameters.start, part),
                    Schedule::Linear => parameters.start + (parameters.end - parameters.start) * part,
                } * libm::pow(parameters.reheat_factor, round as f64);
                let accepted = sense.at_least(next, old)
                    || match (old, next) {
                        (Score::Feasible(old), Score::Feasible(new)) => {
                            rng.unit() < libm::exp(-(new - old).abs() / (heat * old.abs()))
                        }
                        (Score::Infeasible(old), Score::Infeasible(new)) => {
                            rng.unit() < libm::exp(-(new - old) / (heat * old))
                        }
                        _ => false,
                    };
                if accepted {
                    present = new;
                    if sense.better(next, score(&best)) {
                        best.clone_from(&present);
                    }
                }
            }
        }
        steps = (steps as f64 * parameters.growth) as u64;
    }
    log.truncate(count);
    log.into_iter().map(|line| line.into_iter().map(|(mv, _)| mv).collect()).collect()
}

#[test]
fn annealing_equals_a_plain_loop() {
    let base = Anneal { steps: 60, ..Anneal::default() };
    let settings = [
        base.clone(),
        Anneal { reheats: 2, cooling: Schedule::Linear, start: 0.1, ..base.clone() },
        Anneal { longest: 3, growth: 1.0, change: 0, ..base.clone() },
        Anneal { swap: 0, insert: 0, block: 0, reverse: 0, ..base },
    ];
    for parameters in settings {
        for seed in 0..2 {
            let what = format!("{parameters:?}");
            let expected = anneal_playouts(&Staircase(9), &parameters, &mut Rng::new(seed), 800);
            assert_same(&recorded(&Staircase(9), Method::Anneal(parameters.clone()), seed, 800), &expected, &what);
            for bag in [Bag::sixteen(), Bag::tight(), Bag::tight().mirrored()] {
                let expected = anneal_playouts(&bag, &parameters, &mut Rng::new(seed), 800);
                assert_same(&recorded(&bag, Method::Anneal(parameters.clone()), seed, 800), &expected, &what);
            }
        }
    }
}

// ---- several streams ----

#[test]
fn threads_are_merged_single_streams() {
    let bag = Bag::tight();
    let score = |moves: &[u8]| {
        let mut state = bag.root();
        moves.iter().for_each(|&mv| bag.apply(&mut state, mv));
        bag.score(&state)
    };
    let nested = Nrpa { level: 2, iterations: 20.into(), ..Nrpa::default() };
    let tree = altered(&Uct::best(), "solver=false");
    type Stream<'a> = Box<dyn Fn(&mut Rng, usize) -> Vec<Vec<u8>> + 'a>;
    let cases: [(Method, Stream<'_>); 3] = [
        (Method::Uct(tree.clone()), Box::new(|rng, count| uct_playouts(&bag, &tree, rng, count))),
        (method("nmcs", &[("level", "2")]), Box::new(|rng, count| nmcs_playouts(&bag, 2, rng, count))),
        (Method::Nrpa(nested.clone()), Box::new(|rng, count| nrpa_playouts(&bag, &nested, rng, count))),
    ];
    for (method, stream) in cases {
        for threads in [1, 2, 3] {
            // 1000 playouts: 334 for the first stream, 333 for the others.
            let mut best: Option<(Score, Vec<u8>)> = None;
            for index in 0..threads {
                let count = 1_000 / threads + usize::from(1_000 % threads > index);
                for moves in stream(&mut Rng::stream(11, index), count) {
                    let found = score(&moves);
                    if best.as_ref().is_none_or(|best| Sense::Maximize.better(found, best.0)) {
                        best = Some((found, moves));
                    }
                }
            }
            let budget = Budget::playouts(1_000);
            let outcome = Solver::new(&bag, method.clone()).seed(11).threads(threads).budget(budget).run().unwrap();
            let found = outcome.best.unwrap();
            assert_eq!(Some((found.score, found.moves)), best, "{method:?} on {threads} streams");
            assert_eq!(outcome.counters.playouts, 1_000);
        }
    }
}
