//! The step machines against plain implementations of the same algorithms: the same playouts, move by move.

use crate::common::logits::{Logits, Rollout};
use crate::common::tree::uct_playouts;
use crate::common::{Bag, altered, assert_same, method, playout, recorded};
use soloist::doc::Staircase;
use soloist::search::parameters::{Anneal, Coolings, Nmcs, Nrpa, Uct, Weights};
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
        let parameters = Method::from(Nmcs { level, ..Nmcs::default() });
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
    let mut repeats = 0;
    for i in 1..=parameters.iterations.at(level as usize) {
        for _ in 0..repeat {
            let found = nrpa(problem, policy.clone(), level - 1, rng, log);
            if best.as_ref().is_some_and(|best| best.moves == found.moves) {
                repeats += 1;
            } else if best.as_ref().is_none_or(|best| sense.better(found.score, best.score)) {
                repeats = 0;
            }
            if best.as_ref().is_none_or(|best| sense.at_least(found.score, best.score)) {
                best = Some(found);
            }
        }
        if parameters.repetitions > 0 && repeats >= parameters.repetitions {
            break;
        }
        if i > parameters.threshold.at(level as usize) {
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
        Nrpa { level: 2, iterations: 40.into(), playouts: 2, ..base.clone() },
        Nrpa { level: 2, iterations: 30.into(), bias_weight: 0.5, bias_rate: 0.1, ..base },
    ];
    for parameters in settings {
        for seed in 0..2 {
            let what = format!("{parameters:?}");
            let expected = nrpa_playouts(&Staircase(12), &parameters, &mut Rng::new(seed), 1_200);
            assert_same(&recorded(&Staircase(12), Method::from(parameters.clone()), seed, 1_200), &expected, &what);
            for bag in [Bag::sixteen(), Bag::tight().mirrored()] {
                let expected = nrpa_playouts(&bag, &parameters, &mut Rng::new(seed), 1_200);
                assert_same(&recorded(&bag, Method::from(parameters.clone()), seed, 1_200), &expected, &what);
            }
        }
    }
}

// ---- annealing ----

/// A sequence of moves with the codes that they had.
type Line<M> = Vec<(M, u64)>;

/// A neighbour before its replay: the entries kept, the move played behind them, the entries to be played then.
struct Neighbor<M> {
    kept: usize,
    played: Option<M>,
    rest: Line<M>,
    /// What was taken out of a set.
    dropped: Vec<M>,
}

/// The kind of solution that edits rely on.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Any,
    Assignment,
    /// Of fewer than 64 decisions.
    Set,
}

/// The settings that a run by default weights chooses for a kind of solution.
fn fitted(parameters: &Anneal, kind: Kind) -> (Anneal, Kind) {
    let default = Anneal::default();
    let mut parameters = parameters.clone();
    if kind == Kind::Any || !parameters.editing.fit || parameters.weights != default.weights {
        return (parameters, Kind::Any);
    }
    let Coolings { start, end, .. } = &mut parameters.coolings;
    if (*start, *end) == (default.coolings.start, default.coolings.end) {
        (*start, *end) = (0.3, 0.03);
    }
    parameters.weights.replace = 20;
    (parameters, kind)
}

/// Takes one to three of the last sixteen decisions out of a set, or moves a block to its end.
fn exchanged<M: Copy + PartialEq>(old: &Line<M>, rng: &mut Rng) -> Neighbor<M> {
    let n = old.len();
    let window = n.min(16);
    if n > 16 && rng.index(32) == 0 {
        let from = rng.index(n - 1);
        let length = 1 + rng.index(16.min(n - from - 1));
        let mut rest = old[from..].to_vec();
        rest.rotate_left(length);
        return Neighbor { kept: from, played: None, rest, dropped: Vec::new() };
    }
    let count = [1, 1, 2, 3][rng.index(4)].min(window);
    let places: Vec<usize> = (0..count).map(|_| n - window + rng.index(window)).collect();
    let kept = *places.iter().min().unwrap();
    let (dropped, rest): (Line<M>, Line<M>) = {
        let (out, stay): (Vec<usize>, Vec<usize>) = (kept..n).partition(|at| places.contains(at));
        (out.iter().map(|&at| old[at]).collect(), stay.iter().map(|&at| old[at]).collect())
    };
    Neighbor { kept, played: None, rest, dropped: dropped.iter().map(|entry| entry.0).collect() }
}

/// Edits of orders, as the engine draws them: exchange, insertion, block, reversal, shuffling.
fn permuted<M: Copy>(parameters: &Anneal, old: &Line<M>, edit: usize, rng: &mut Rng) -> Neighbor<M> {
    let n = old.len();
    let mut new = old.clone();
    let a = rng.index(n);
    let b = (a + 1 + rng.index(n - 1)) % n;
    let longest = if parameters.editing.longest == 0 { n / 2 } else { n.min(parameters.editing.longest as usize) };
    let first = match edit {
        0 => {
            new.swap(a, b);
            a.min(b)
        }
        2 if n > 2 => {
            let length = 2 + rng.index(longest.clamp(2, n - 1) - 1);
            let places = n - length + 1;
            let from = rng.index(places);
            let to = (from + 1 + rng.index(places - 1)) % places;
            let block: Line<M> = new.drain(from..from + length).collect();
            new.splice(to..to, block);
            from.min(to)
        }
        3 | 4 => {
            let length = 2 + rng.index(longest.clamp(2, n) - 1);
            let first = rng.index(n - length + 1);
            if edit == 3 {
                new[first..first + length].reverse();
            } else {
                rng.shuffle(&mut new[first..first + length]);
            }
            first
        }
        _ => {
            let entry = new.remove(a);
            new.insert(b, entry);
            a.min(b)
        }
    };
    Neighbor { kept: first, played: None, rest: new.split_off(first), dropped: Vec::new() }
}

/// Edits by a candidate: change, replacement, guided block.
fn steered<P: Problem>(
    problem: &P,
    (parameters, kind): (&Anneal, Kind),
    old: &Line<P::Move>,
    edit: usize,
    rng: &mut Rng,
) -> Neighbor<P::Move> {
    let dropped = Vec::new();
    let n = old.len();
    let kept = rng.index(n.max(1)).min(n);
    let mut rest = old[kept..].to_vec();
    let mut state = problem.root();
    old[..kept].iter().for_each(|&(mv, _)| problem.apply(&mut state, mv));
    let Some(mv) = drawn(problem, &state, rest.first().map(|entry| entry.0).as_slice(), rng) else {
        return Neighbor { kept, played: None, rest, dropped };
    };
    // Each place of an assignment has its own decision: the others stay.
    let stays = edit == 6 && kind == Kind::Assignment;
    match rest.iter().position(|entry| entry.0 == mv).filter(|_| !stays) {
        Some(at) if at > 0 => {
            let longest = if parameters.editing.longest == 0 { n / 2 } else { parameters.editing.longest as usize };
            let most = if edit == 7 { longest.max(1).min(n - kept - at) } else { 1 };
            let length = 1 + rng.index(most);
            if edit == 6 {
                rest.swap(0, at);
            } else {
                let block: Line<P::Move> = rest.drain(at..at + length).collect();
                rest.splice(0..0, block);
            }
            Neighbor { kept, played: None, rest, dropped }
        }
        _ => {
            if edit == 6 && n > 0 {
                rest.remove(0);
            }
            Neighbor { kept, played: Some(mv), rest, dropped }
        }
    }
}

/// A legal move by the weights `exp(bias)`, if possible another than those in `not`.
fn drawn<P: Problem>(problem: &P, state: &P::State, not: &[P::Move], rng: &mut Rng) -> Option<P::Move> {
    let mut legal = Vec::new();
    problem.moves(state, &mut legal);
    if legal.iter().any(|mv| !not.contains(mv)) {
        legal.retain(|mv| !not.contains(mv));
    }
    let biases: Vec<f64> = legal.iter().map(|&mv| crate::common::bias(problem, state, mv)).collect();
    let top = biases.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if legal.is_empty() {
        return None;
    }
    if biases.iter().all(|&bias| bias == top) {
        return Some(legal[rng.index(legal.len())]);
    }
    let weights: Vec<f64> = biases.iter().map(|&bias| libm::exp(bias - top)).collect();
    let mut draw = rng.unit() * weights.iter().sum::<f64>();
    let at = weights.iter().position(|&weight| {
        draw -= weight;
        draw < 0.0
    });
    Some(legal[at.unwrap_or(0)])
}

/// Plays the neighbour of `old`: what is kept, then at each state the first entry of the rest that can be played.
fn replayed<P: Problem>(problem: &P, old: &Line<P::Move>, neighbor: Neighbor<P::Move>, rng: &mut Rng) -> Line<P::Move> {
    let mut state = problem.root();
    let mut line: Line<P::Move> = Vec::new();
    let play = |state: &mut P::State, line: &mut Line<P::Move>, mv| {
        line.push((mv, problem.code(state, mv)));
        problem.apply(state, mv);
    };
    let Neighbor { kept, played, mut rest, dropped } = neighbor;
    let mut owed = dropped.len();
    old[..kept].iter().map(|entry| entry.0).chain(played).for_each(|mv| play(&mut state, &mut line, mv));
    loop {
        let mut legal = Vec::new();
        problem.moves(&state, &mut legal);
        if legal.is_empty() {
            return line;
        }
        let code = |mv: P::Move| problem.code(&state, mv);
        let found = rest.iter().enumerate().find_map(|(at, &(mv, old))| {
            let same = legal.contains(&mv).then_some(mv);
            let exact = same.filter(|&mv| code(mv) == old);
            let alike = exact.or_else(|| legal.iter().copied().find(|&mv| code(mv) == old)).or(same);
            alike.map(|mv| (at, mv))
        });
        let mv = match found {
            Some((at, mv)) => {
                rest.remove(at);
                mv
            }
            None if owed > 0 => {
                owed -= 1;
                drawn(problem, &state, &dropped, rng).unwrap()
            }
            None if !rest.is_empty() => drawn(problem, &state, &[], rng).unwrap(),
            None => {
                for mv in playout(problem, &mut state.clone(), rng) {
                    play(&mut state, &mut line, mv);
                }
                return line;
            }
        };
        play(&mut state, &mut line, mv);
    }
}

/// Whether a score is feasible, and what it costs.
fn worth(score: Score, sense: Sense) -> (bool, f64) {
    match score {
        Score::Feasible(value) => (true, if sense == Sense::Maximize { -value } else { value }),
        Score::Infeasible(degree) => (false, degree),
    }
}

fn anneal_playouts<P: Problem>(
    problem: &P,
    parameters: &Anneal,
    kind: Kind,
    rng: &mut Rng,
    count: usize,
) -> Vec<Vec<P::Move>> {
    let (parameters, kind) = &fitted(parameters, kind);
    let worth_of = |line: &Line<P::Move>| {
        let mut state = problem.root();
        line.iter().for_each(|&(mv, _)| problem.apply(&mut state, mv));
        worth(problem.score(&state), problem.sense())
    };
    let beats = |a: (bool, f64), b: (bool, f64)| if a.0 == b.0 { a.1 < b.1 } else { a.0 };
    let coolings = &parameters.coolings;
    let Weights { swap, insert, block, reverse, shuffle, change, replace, guide, .. } = parameters.weights;
    let weights = [swap, insert, block, reverse, shuffle, change, replace, guide].map(|weight| weight as f64);
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap();
    let mut log: Vec<Line<P::Move>> = Vec::new();
    let mut steps = coolings.steps;
    while log.len() < count {
        let nothing = Neighbor { kept: 0, played: None, rest: Vec::new(), dropped: Vec::new() };
        let mut present = replayed(problem, &Vec::new(), nothing, rng);
        log.push(present.clone());
        let mut best = present.clone();
        // Logarithms of the differences met, feasible and infeasible.
        let mut met: [Vec<f64>; 2] = Default::default();
        let mut measuring = true;
        for round in 0..=coolings.reheats {
            present.clone_from(&best);
            let mut heat = 0.0;
            for step in 1..=steps {
                let mut draw = rng.unit() * weights.iter().sum::<f64>();
                let edit = (0..last).find(|&kind| {
                    let found = draw < weights[kind];
                    draw -= if found { 0.0 } else { weights[kind] };
                    found
                });
                let edit = edit.unwrap_or(last);
                let neighbor = if edit < 5 && present.len() > 1 {
                    permuted(parameters, &present, edit, rng)
                } else if edit == 6 && *kind == Kind::Set && present.len() > 1 {
                    exchanged(&present, rng)
                } else {
                    steered(problem, (parameters, *kind), &present, edit, rng)
                };
                let old = worth_of(&present);
                let class = &mut met[usize::from(!old.0)];
                let mean = class.iter().sum::<f64>() / class.len() as f64;
                let temperature = if class.is_empty() { 0.0 } else { heat * libm::exp(mean) };
                let limit = match (measuring, temperature > 0.0) {
                    (true, _) => f64::INFINITY,
                    (false, true) => -temperature * libm::log(1.0 - rng.unit()),
                    (false, false) => 0.0,
                };
                let new = replayed(problem, &present, neighbor, rng);
                log.push(new.clone());
                let next = worth_of(&new);
                let worse = next.1 - old.1;
                if next.0 == old.0 && worse > 0.0 && (measuring || class.len() < 40) {
                    class.push(libm::log(worse));
                }
                if beats(next, worth_of(&best)) {
                    best.clone_from(&new);
                }
                if if next.0 == old.0 { worse <= 0.0 || !measuring && worse < limit } else { next.0 } {
                    present = new;
                }
                let over = step as f64 / steps as f64;
                if measuring {
                    let enough = step >= 40 && (step >= 1_000 || over >= 0.02);
                    if enough && met.iter().any(|class| !class.is_empty()) || over >= 0.5 {
                        measuring = false;
                    } else if step == 40 {
                        met = Default::default();
                    }
                }
                if !measuring && (step % 16 == 0 || heat == 0.0) {
                    let again = if round == 0 { 1.0 } else { libm::pow(coolings.reheat_factor, round as f64) };
                    heat = coolings.start * libm::pow(coolings.end / coolings.start, over) * again;
                }
            }
        }
        steps *= 2;
    }
    log.truncate(count);
    log.into_iter().map(|line| line.into_iter().map(|(mv, _)| mv).collect()).collect()
}

#[test]
fn annealing_equals_a_plain_loop() {
    let settings = [
        "",
        "fit=false",
        "reheats=2 start=0.2",
        "longest=3 change=0",
        "longest=0 guide=9",
        "swap=0 insert=0 block=0 reverse=0",
        // Nothing is skipped: the loop above plays every neighbour to its end.
        "replace=3 start=1",
    ];
    for setting in settings {
        let mut parameters = Anneal::default();
        for (name, value) in setting.split_whitespace().filter_map(|one| one.split_once('=')).chain([("steps", "60")]) {
            parameters.set(name, value).unwrap();
        }
        for seed in 0..2 {
            let what = format!("{parameters:?}");
            let expected = anneal_playouts(&Staircase(9), &parameters, Kind::Assignment, &mut Rng::new(seed), 800);
            assert_same(&recorded(&Staircase(9), Method::from(parameters.clone()), seed, 800), &expected, &what);
            for bag in [Bag::sixteen(), Bag::tight(), Bag::tight().mirrored()] {
                let expected = anneal_playouts(&bag, &parameters, Kind::Set, &mut Rng::new(seed), 800);
                let mut found = recorded(&bag, Method::from(parameters.clone()), seed, 800);
                if fitted(&parameters, Kind::Set).1 == Kind::Set {
                    // Behind the first playout three games are played in three orders each.
                    found.drain(1..10);
                }
                assert_same(&found, &expected, &what);
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
        (Method::from(tree.clone()), Box::new(|rng, count| uct_playouts(&bag, &tree, rng, count))),
        (method("nmcs", &[("level", "2")]), Box::new(|rng, count| nmcs_playouts(&bag, 2, rng, count))),
        (Method::from(nested.clone()), Box::new(|rng, count| nrpa_playouts(&bag, &nested, rng, count))),
    ];
    for (method, stream) in cases {
        // The streams of NRPA meet.
        let most = if method.family() == "nrpa" { 1 } else { 3 };
        for threads in 1..=most {
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
