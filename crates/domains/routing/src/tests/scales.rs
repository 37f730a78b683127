//! Search and verifier on instances of any scale, against exact arithmetic that shares nothing with either: an instance
//! is made of whole numbers and written as text with the decimal point moved.

use super::permutations;
use crate::tsptw::{self, Tsptw};
use crate::vrptw::{self, Objective, Rounding, Vrptw};
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use std::sync::Arc;

/// `value` x 10^`exponent` as text.
fn decimal(value: i128, exponent: i32) -> String {
    if exponent >= 0 {
        return format!("{value}{}", if value == 0 { String::new() } else { "0".repeat(exponent as usize) });
    }
    let (sign, digits) = if value < 0 { ("-", (-value).to_string()) } else { ("", value.to_string()) };
    let places = exponent.unsigned_abs() as usize;
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// The score in units of 10^`exponent`.
fn in_units(score: f64, exponent: i32) -> f64 {
    score / 10_f64.powi(exponent)
}

fn methods() -> Vec<(Method, &'static str, u64)> {
    let preset = |name: &str| Method::preset(name).unwrap();
    vec![
        (preset("dfs"), "", u64::MAX),
        (preset("best-first"), "", u64::MAX),
        (preset("beam"), "", 300),
        (preset("uct"), "random", 60),
        (preset("nrpa"), "refined:20", 30),
        (preset("nrpa"), "", 60),
        (preset("sampling"), "refined:40", 10),
        (preset("auto"), "", 100),
    ]
}

/// Runs every method; hands each best solution to `see` with whether the run was a proof of the whole space.
fn run_all<P: Problem<Move = u16> + Sync>(
    problem: &P,
    seed: u64,
    mut see: impl FnMut(&str, Score, &[u16], bool, bool),
) {
    for (method, rollout, playouts) in methods() {
        let name = format!("{method:?} {rollout}");
        let exact = playouts == u64::MAX;
        let mut solver = Solver::new(problem, method).seed(seed);
        if !rollout.is_empty() {
            solver = solver.rollout(rollout);
        }
        let budget = if exact { Budget::default() } else { Budget::playouts(playouts) };
        let outcome = solver.budget(budget).run().unwrap_or_else(|error| panic!("{name}: {error}"));
        let Some(best) = outcome.best else { continue };
        see(&name, best.score, &best.moves, outcome.optimal, exact);
    }
}

/// A salesman's instance in whole numbers.
struct Cities {
    matrix: Vec<Vec<i128>>,
    windows: Vec<(i128, i128)>,
}

impl Cities {
    /// No metric, not symmetric; windows around the arrivals of one tour, many of them met or missed by a single unit.
    fn draw(rng: &mut Rng, nodes: usize) -> Self {
        let way = |rng: &mut Rng| rng.below(60) as i128 * if rng.below(3) == 0 { 10 } else { 1 };
        let matrix: Vec<Vec<i128>> = (0..nodes).map(|_| (0..nodes).map(|_| way(rng)).collect()).collect();
        let mut windows = vec![(0, 0); nodes];
        let (mut time, mut last) = (0, 0);
        for (node, window) in windows.iter_mut().enumerate().skip(1) {
            let arrival = time + matrix[last][node];
            let closes = match rng.below(4) {
                0 => arrival,
                1 => (arrival - i128::from(rng.below(3) == 0)).max(0),
                2 => arrival + rng.below(40) as i128,
                // As good as no closing.
                _ => 999_000,
            };
            let opens = (arrival - rng.below(30) as i128).clamp(0, closes);
            *window = (opens, closes);
            (time, last) = (arrival.max(opens), node);
        }
        let back = time + matrix[last][0];
        windows[0] = (0, if rng.below(2) == 0 { back } else { 999_000 });
        Self { matrix, windows }
    }

    fn text(&self, exponent: i32) -> String {
        let mut text = format!("{}\n", self.matrix.len());
        for row in &self.matrix {
            text += &row.iter().map(|&way| decimal(way, exponent) + " ").collect::<String>();
            text.push('\n');
        }
        for &(opens, closes) in &self.windows {
            text += &format!("{} {}\n", decimal(opens, exponent), decimal(closes, exponent));
        }
        text
    }

    /// Travel, the time of the return, late visits.
    fn drive(&self, order: &[usize]) -> (i128, i128, u32) {
        let (mut time, mut last, mut travel, mut late) = (0, 0, 0, 0);
        for &node in order.iter().chain([&0]) {
            travel += self.matrix[last][node];
            time += self.matrix[last][node];
            late += u32::from(time > self.windows[node].1);
            if node != 0 {
                time = time.max(self.windows[node].0);
            }
            last = node;
        }
        (travel, time, late)
    }
}

fn list(moves: &[u16]) -> Vec<usize> {
    moves.iter().map(|&mv| usize::from(mv)).collect()
}

/// Whether every move was legal.
fn is_legal<P: Problem<Move = u16>>(problem: &P, moves: &[u16]) -> Option<Score> {
    let mut state = problem.root();
    let mut legal = Vec::new();
    for mv in moves {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(mv) {
            return None;
        }
        problem.apply(&mut state, *mv);
    }
    Some(problem.score(&state))
}

#[test]
fn salesmen_of_every_scale() {
    let mut rng = Rng::new(12);
    let (mut feasible, mut infeasible) = (0, 0);
    for round in 0..32 {
        let nodes = 3 + rng.index(3);
        let cities = Cities::draw(&mut rng, nodes);
        // Numbers have at most six digits and are at most 10^9.
        let exponent = (round % 13) - 9;
        let text = cities.text(exponent);
        let instance = tsptw::parse("t", text.as_bytes()).unwrap();
        let objective = if rng.below(2) == 0 { tsptw::Objective::Travel } else { tsptw::Objective::Makespan };
        let problem = Tsptw::new(&instance, objective);
        assert!(problem.network().is_exact(), "{text}");
        let (mut best, mut least) = (None::<i128>, u32::MAX);
        permutations(&mut Vec::new(), &mut (1..nodes).collect(), &mut |order| {
            let (travel, back, late) = cities.drive(order);
            let tour: Vec<u32> = order.iter().map(|&node| node as u32).collect();
            let verdict = tsptw::verify(&instance, &tour);
            assert_eq!(verdict.is_ok(), late == 0, "{order:?} {verdict:?}\n{text}");
            let moves: Vec<u16> = order.iter().map(|&node| node as u16).collect();
            let played = is_legal(&problem, &moves);
            assert!(late > 0 || played.is_some_and(|score| score.is_feasible()), "{order:?} {played:?}\n{text}");
            assert!(late == 0 || played.is_none_or(|score| score == Score::Infeasible(f64::from(late))));
            least = least.min(late);
            if late == 0 {
                let cost = if objective == tsptw::Objective::Travel { travel } else { back };
                best = Some(best.map_or(cost, |best| best.min(cost)));
            }
        });
        *if best.is_some() { &mut feasible } else { &mut infeasible } += 1;
        run_all(&problem, round as u64, |name, score, moves, optimal, exact| {
            let (travel, back, late) = cities.drive(&list(moves));
            let answer = format!("{moves:?}");
            match score {
                Score::Feasible(score) => {
                    let cost = if objective == tsptw::Objective::Travel { travel } else { back };
                    assert!(late == 0, "{name}: {moves:?}\n{text}");
                    assert_eq!(decimal(cost, exponent).parse::<f64>().unwrap(), score, "{name}\n{text}");
                    let checked = tsptw::check(&instance, objective, &answer).unwrap();
                    assert_eq!(checked.score, score, "{name}\n{text}");
                    assert!(!optimal || Some(cost) == best, "{name} claims {cost}, {best:?}\n{text}");
                }
                Score::Infeasible(degree) => {
                    assert_eq!(degree, f64::from(late), "{name}\n{text}");
                    assert!(tsptw::check(&instance, objective, &answer).is_err());
                    assert!(!exact || best.is_none(), "{name}\n{text}");
                    // An optimum that is infeasible has the least violation there is.
                    assert!(
                        !optimal || late == least,
                        "{name} claims {late} late visits, {least} are possible\n{text}"
                    );
                }
            }
            assert!(!exact || optimal || best.is_none(), "{name} does not prove\n{text}");
        });
    }
    assert!(feasible > 12 && infeasible > 2, "{feasible} and {infeasible}");
}

/// An instance of vehicles in whole numbers. Coordinates are at `places`, or distances in `matrix`.
struct Fleet {
    matrix: Vec<Vec<i128>>,
    places: Vec<(i128, i128)>,
    /// Opening, closing, service.
    times: Vec<[i128; 3]>,
    demands: Vec<u32>,
    vehicles: usize,
    capacity: u32,
}

impl Fleet {
    /// `way(fleet, i, j)`: the whole distance that windows are made of. Many windows are met or missed by one unit.
    fn draw(rng: &mut Rng, customers: usize, way: impl Fn(&Self, usize, usize) -> i128) -> Self {
        let n = customers + 1;
        let number = |rng: &mut Rng, n: u64| rng.below(n) as i128;
        let mut fleet = Self {
            matrix: (0..n).map(|_| (0..n).map(|_| number(rng, 70)).collect()).collect(),
            places: (0..n).map(|_| (number(rng, 13) * 3 - 15, number(rng, 13) * 4 - 20)).collect(),
            times: vec![[0; 3]; n],
            demands: (0..n).map(|at| if at == 0 { 0 } else { rng.below(5) as u32 }).collect(),
            vehicles: 1 + rng.index(2),
            capacity: 6 + rng.below(8) as u32,
        };
        let (mut time, mut last, mut latest) = (0, 0, 0);
        for at in 1..n {
            if rng.below(3) == 0 {
                (time, last) = (0, 0);
            }
            let arrival = time + way(&fleet, last, at);
            let closes = match rng.below(4) {
                0 => arrival,
                1 => (arrival - i128::from(rng.below(6) == 0)).max(0),
                2 => arrival + number(rng, 40),
                _ => 999_000,
            };
            let opens = (arrival - number(rng, 30)).clamp(0, closes);
            fleet.times[at] = [opens, closes, number(rng, 4)];
            (time, last) = (arrival.max(opens) + fleet.times[at][2], at);
            latest = latest.max(time + way(&fleet, at, 0));
        }
        // Often only the way home over other customers is in time.
        let closes = match rng.below(3) {
            0 => latest,
            1 => latest * 2 / 3,
            _ => 999_000,
        };
        fleet.times[0] = [0, closes, 0];
        fleet
    }

    /// In VRPLIB's format.
    fn text(&self, exponent: i32, explicit: bool) -> String {
        let n = self.times.len();
        let number = |value: i128| decimal(value, exponent);
        let mut text =
            format!("TYPE : VRPTW\nDIMENSION : {n}\nVEHICLES : {}\nCAPACITY : {}\n", self.vehicles, self.capacity);
        if explicit {
            text += "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n";
            for row in &self.matrix {
                text += &(row.iter().map(|&way| number(way)).collect::<Vec<_>>().join(" ") + "\n");
            }
        } else {
            text += "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n";
            for (at, &(x, y)) in self.places.iter().enumerate() {
                text += &format!("{} {} {}\n", at + 1, number(x), number(y));
            }
        }
        text += "DEMAND_SECTION\n";
        (0..n).for_each(|at| text += &format!("{} {}\n", at + 1, self.demands[at]));
        text += "TIME_WINDOW_SECTION\n";
        for (at, [opens, closes, _]) in self.times.iter().enumerate() {
            text += &format!("{} {} {}\n", at + 1, number(*opens), number(*closes));
        }
        text += "SERVICE_TIME_SECTION\n";
        (0..n).for_each(|at| text += &format!("{} {}\n", at + 1, number(self.times[at][2])));
        text + "DEPOT_SECTION\n1\n-1\nEOF\n"
    }

    /// The distance of a route within all rules: `way` and `times` in the same unit.
    fn drive(&self, route: &[usize], unit: i128, way: &dyn Fn(usize, usize) -> i128) -> Option<i128> {
        let load: u32 = route.iter().map(|&c| self.demands[c]).sum();
        let (mut time, mut last, mut sum) = (0, 0, 0);
        for &c in route.iter().chain([&0]) {
            let [opens, closes, service] = self.times[c].map(|time| time * unit);
            time += way(last, c);
            if time > closes || load > self.capacity {
                return None;
            }
            time = time.max(opens) + service;
            sum += way(last, c);
            last = c;
        }
        Some(sum)
    }

    /// Calls `visit` with every set of routes of all orders, empty ones aside, within the number of vehicles.
    fn plans(&self, visit: &mut dyn FnMut(&[&[usize]])) {
        let n = self.times.len() - 1;
        permutations(&mut Vec::new(), &mut (1..=n).collect(), &mut |order| {
            for cuts in 0_u32..1 << (n - 1) {
                let (mut begin, mut routes) = (0, Vec::new());
                for end in 1..=n {
                    if end == n || cuts >> (end - 1) & 1 == 1 {
                        routes.push(&order[begin..end]);
                        begin = end;
                    }
                }
                if routes.len() <= self.vehicles {
                    visit(&routes);
                }
            }
        });
    }
}

fn routes_of(moves: &[u16]) -> Vec<Vec<usize>> {
    let routes = moves.split(|&mv| mv == 0).filter(|route| !route.is_empty());
    routes.map(list).collect()
}

/// Everything about one decimal instance: `way` is in units of 10^`scale`, `unit` of them make one of the times.
fn judge(
    fleet: &Fleet,
    text: &str,
    rounding: Rounding,
    unit: i128,
    scale: i32,
    way: &dyn Fn(usize, usize) -> i128,
) -> bool {
    let instance = vrptw::parse("t", text.as_bytes()).unwrap();
    let problem = Vrptw::new(Arc::new(instance.network(rounding)), Objective::Distance);
    assert!(problem.network().is_exact(), "{text}");
    let mut best = None::<i128>;
    let n = fleet.times.len() - 1;
    let mut most = 0;
    fleet.plans(&mut |routes| {
        let ways: Vec<Option<i128>> = routes.iter().map(|route| fleet.drive(route, unit, way)).collect();
        let sum: Option<i128> = ways.iter().copied().sum();
        let plan: Vec<Vec<u32>> = routes.iter().map(|route| route.iter().map(|&c| c as u32).collect()).collect();
        let verdict = vrptw::verify(&instance, rounding, &plan);
        assert_eq!(verdict.is_ok(), sum.is_some(), "{routes:?} {verdict:?} {rounding:?}\n{text}");
        if let Some(sum) = sum {
            let moves: Vec<u16> = routes.iter().flat_map(|route| route.iter().map(|&c| c as u16).chain([0])).collect();
            let played = is_legal(&problem, &moves);
            assert!(played.is_some_and(|score| score.is_feasible()), "{routes:?} {played:?}\n{text}");
            best = Some(best.map_or(sum, |best| best.min(sum)));
        }
        let served: usize =
            routes.iter().zip(&ways).filter(|(_, way)| way.is_some()).map(|(route, _)| route.len()).sum();
        most = most.max(served);
    });
    run_all(&problem, 5, |name, score, moves, optimal, exact| {
        let routes = routes_of(moves);
        let answer = format!("{routes:?}");
        match score {
            Score::Feasible(score) => {
                let ways: Option<i128> = routes.iter().map(|route| fleet.drive(route, unit, way)).sum();
                let sum = ways.unwrap_or_else(|| panic!("{name}: {routes:?} breaks a rule\n{text}"));
                assert_eq!(decimal(sum, scale).parse::<f64>().unwrap(), score, "{name}\n{text}");
                let checked = vrptw::check(&instance, Objective::Distance, rounding, &answer).unwrap();
                assert_eq!(checked.score, score, "{name}\n{text}");
                assert!(!optimal || Some(sum) == best, "{name} claims {sum}, {best:?}\n{text}");
            }
            Score::Infeasible(degree) => {
                assert!(!exact || best.is_none(), "{name}: {best:?}\n{text}");
                let (routes, unserved) = problem.routes(moves);
                assert_eq!(degree, unserved.len() as f64, "{name}\n{text}");
                for route in routes {
                    assert!(fleet.drive(&list(&route), unit, way).is_some(), "{name}: {route:?}\n{text}");
                }
                // Plans that serve a part of the customers: `most` does not count routes of some of them.
                assert!(!exact || degree <= (n - most) as f64, "{name}: {degree}, {most} of {n}\n{text}");
            }
        }
        assert!(!exact || optimal || best.is_none(), "{name} does not prove\n{text}");
    });
    best.is_some()
}

#[test]
fn fleets_with_tables_of_every_scale() {
    let mut rng = Rng::new(4);
    let mut feasible = 0;
    for round in 0..26 {
        let customers = 2 + rng.index(3);
        let fleet = Fleet::draw(&mut rng, customers, |fleet, i, j| fleet.matrix[i][j]);
        let exponent = (round % 13) - 9;
        let way = |i: usize, j: usize| fleet.matrix[i][j];
        feasible += u32::from(judge(&fleet, &fleet.text(exponent, true), Rounding::Exact, 1, exponent, &way));
    }
    assert!(feasible > 5, "{feasible}");
}

/// The largest `root` with `root`^2 x `below` <= `above`.
fn root(above: i128, below: i128) -> i128 {
    let (mut low, mut high) = (0_i128, 1_i128);
    while high * high * below <= above {
        high *= 2;
    }
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle * middle * below <= above { low = middle } else { high = middle }
    }
    low
}

#[test]
fn fleets_of_rounded_distances_of_every_scale() {
    let mut rng = Rng::new(6);
    let mut feasible = 0;
    for round in 0..24 {
        let customers = 2 + rng.index(3);
        let square = |fleet: &Fleet, i: usize, j: usize| {
            let ((a, b), (c, d)) = (fleet.places[i], fleet.places[j]);
            (a - c) * (a - c) + (b - d) * (b - d)
        };
        let fleet = Fleet::draw(&mut rng, customers, |fleet, i, j| root(square(fleet, i, j), 1));
        let exponent = (round % 9) - 5;
        let nearest = round % 2 == 0;
        // In units of the times and of the rounding, the finer of both.
        let step = if nearest { 0 } else { -1 };
        let scale = exponent.min(step);
        let unit = 10_i128.pow((exponent - scale) as u32);
        let way = |i: usize, j: usize| {
            // The distance squared in units of the times: the least power of ten that makes all numbers whole.
            let (up, down) = (10_i128.pow(2 * exponent.max(0) as u32), 10_i128.pow(2 * (-exponent).max(0) as u32));
            let square = square(&fleet, i, j) * up;
            let steps = if nearest { (root(square * 4, down) + 1) / 2 } else { root(square * 100, down) };
            steps * 10_i128.pow((step - scale) as u32)
        };
        let rounding = if nearest { Rounding::Nearest } else { Rounding::OneDecimal };
        feasible += u32::from(judge(&fleet, &fleet.text(exponent, false), rounding, unit, scale, &way));
    }
    assert!(feasible > 5, "{feasible}");
}

/// Distances that are irrational: search and verifier agree on every route, and both with bounds on the exact times.
#[test]
fn fleets_of_plain_distances_of_every_scale() {
    const FINE: i128 = 10_i128.pow(15);
    let mut rng = Rng::new(9);
    let (mut met, mut missed) = (0, 0);
    for round in 0..52 {
        let mut fleet = Fleet::draw(&mut rng, 3, |_, _, _| 20);
        (fleet.vehicles, fleet.capacity) = (1, 99);
        let exponent = (round % 13) - 9;
        // A distance in units of 10^-15, not above the true one by which it is less than one.
        let way = |i: usize, j: usize| {
            let ((a, b), (c, d)) = (fleet.places[i], fleet.places[j]);
            root(((a - c) * (a - c) + (b - d) * (b - d)) * FINE * FINE, 1)
        };
        // Close the last window just when it is reached, or a little before or behind, in parts of the tolerance.
        let arrive = |fleet: &Fleet, route: &[usize]| {
            let (mut time, mut last) = (0_i128, 0);
            for &c in route {
                time += way(last, c);
                if c != route[route.len() - 1] {
                    time = time.max(fleet.times[c][0] * FINE) + fleet.times[c][2] * FINE;
                }
                last = c;
            }
            time
        };
        let arrival = arrive(&fleet, &[1, 2, 3]);
        let parts = [0, 3, 9, 15, 30, -5][round as usize % 6];
        // Lateness of parts/10 of the tolerance; the text has 15 decimals.
        let closing = arrival - arrival / 10_i128.pow(11) * parts;
        let mut text = fleet.text(exponent, false);
        let row = format!("\n4 {} {}\n", decimal(fleet.times[3][0], exponent), decimal(fleet.times[3][1], exponent));
        let tight = format!("\n4 0 {}\n", decimal(closing, exponent - 15));
        assert!(text.contains(&row), "{row}{text}");
        text = text.replace(&row, &tight);
        let instance = vrptw::parse("t", text.as_bytes()).unwrap();
        let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Vehicles);
        assert!(!problem.network().is_exact());
        permutations(&mut Vec::new(), &mut vec![1, 2, 3], &mut |order| {
            let route: Vec<u32> = order.iter().map(|&c| c as u32).collect();
            let moves: Vec<u16> = order.iter().map(|&c| c as u16).chain([0]).collect();
            let verdict = vrptw::verify(&instance, Rounding::Exact, &[route]);
            let played = is_legal(&problem, &moves).is_some_and(|score| score.is_feasible());
            assert_eq!(verdict.is_ok(), played, "{order:?} {verdict:?}\n{text}");
            // The largest lateness as a part of the closing, and the least room, both with the tolerance as unit.
            let (mut time, mut last, mut worst) = (0_i128, 0, f64::NEG_INFINITY);
            for &c in order.iter().chain([&0]) {
                time += way(last, c);
                let closes = if c == 3 { closing } else { fleet.times[c][1] * FINE };
                worst = worst.max((time - closes) as f64 / (closes as f64 * 1e-10).max(1.0));
                let opens = if c == 3 { 0 } else { fleet.times[c][0] * FINE };
                time = time.max(opens) + fleet.times[c][2] * FINE;
                last = c;
            }
            match verdict.is_ok() {
                true => met += 1,
                false => missed += 1,
            }
            assert!(verdict.is_err() || worst <= 1.02, "late by {worst} of the tolerance: {order:?}\n{text}");
            assert!(verdict.is_ok() || worst >= 0.98, "refused at {worst} of the tolerance: {order:?}\n{text}");
        });
        if round % 4 > 0 {
            continue;
        }
        run_all(&problem, round as u64, |name, score, moves, _, _| {
            if score.is_feasible() {
                let answer = format!("{:?}", routes_of(moves));
                let checked = vrptw::check(&instance, Objective::Vehicles, Rounding::Exact, &answer);
                let checked = checked.unwrap_or_else(|wrong| panic!("{name}: {wrong}\n{text}"));
                assert!(in_units((checked.score - score.value().unwrap()).abs(), exponent) <= 1e-3, "{name}");
            }
        });
    }
    assert!(met > 20 && missed > 20, "{met} and {missed}");
}

/// The instances of a field report: the search found what the verifier refused, and the verifier accepted what was
/// late.
#[test]
fn a_far_horizon_forgives_nothing() {
    let text = b"3\n0 10.005 5\n10.005 0 5\n5 5 0\n0 1000000000\n0 10\n0 1000000000\n";
    let instance = tsptw::parse("h.txt", text).unwrap();
    let problem = Tsptw::new(&instance, tsptw::Objective::Travel);
    run_all(&problem, 1, |name, score, moves, _, _| {
        assert!(score.is_feasible() == (moves == [2, 1]), "{name}: {score:?} {moves:?}");
        assert!(
            !score.is_feasible() || tsptw::check(&instance, tsptw::Objective::Travel, &format!("{moves:?}")).is_ok()
        );
    });
    let solomon = b"h\n2 10\n0 0 0 0 0 1000000000 0\n1 10.005 0 1 0 10 0\n2 5 0 1 0 1000000000 0\n";
    let instance = vrptw::parse("h", solomon).unwrap();
    for objective in [Objective::Vehicles, Objective::Distance] {
        let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), objective);
        run_all(&problem, 1, |name, score, _, _, _| assert!(!score.is_feasible(), "{name}: {score:?}"));
    }
    assert!(vrptw::verify(&instance, Rounding::Exact, &[vec![1], vec![2]]).is_err());
}

#[test]
fn a_tiny_instance_forgives_nothing() {
    let text = b"3\n0 1e-7 1e-7\n2e-7 0 1e-7\n1e-7 3e-7 0\n0 1\n0 1e-7\n0 1\n";
    let instance = tsptw::parse("tiny.txt", text).unwrap();
    let of = |tour: &str| tsptw::check(&instance, tsptw::Objective::Travel, tour);
    let wrong = "node 1 is reached at 0.0000004, 0.0000003 after its window closes at 0.0000001";
    assert_eq!(of("[2, 1]").unwrap_err(), wrong);
    assert_eq!(of("[1, 2]").unwrap().score, 3e-7);
    assert_eq!(
        of("{\"tour\": [1, 2], \"travel\": 4e-7}").unwrap_err(),
        "claims the travel '4e-7', recomputed: 0.0000003"
    );
    let solomon = b"t\n1 10\n0 0 0 0 0 1 0\n1 1e-7 0 1 0 1e-7 0\n2 0 1e-7 1 0 1 0\n";
    let instance = vrptw::parse("t", solomon).unwrap();
    let verify = |route: &[u32]| vrptw::verify(&instance, Rounding::Exact, &[route.to_vec()]);
    assert!(verify(&[1, 2]).is_ok());
    assert!(verify(&[2, 1]).unwrap_err().ends_with("after its due time 0.0000001 (0.00000000000000001 is allowed)"));
}

/// A customer from which only the way over another one is home in time: the one route that serves both.
#[test]
fn ways_home_may_lead_over_customers() {
    let text = "TYPE : VRPTW\nDIMENSION : 3\nVEHICLES : 2\nCAPACITY : 9\nEDGE_WEIGHT_TYPE : EXPLICIT\n\
        EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n7 1 100\n100 7 1\n1 100 7\nDEMAND_SECTION\n1 0\n2 1\n3 1\n\
        TIME_WINDOW_SECTION\n1 0 10\n2 0 10\n3 0 10\nDEPOT_SECTION\n1\n-1\nEOF\n";
    let instance = vrptw::parse("t", text.as_bytes()).unwrap();
    let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Distance);
    assert!(vrptw::verify(&instance, Rounding::Exact, &[vec![1, 2]]).is_ok());
    for seed in 0..3 {
        run_all(&problem, seed, |name, score, moves, _, exact| {
            assert!(!exact || score == Score::Feasible(3.0), "{name}: {score:?} {moves:?}");
        });
    }
}

/// Numbers that are no decimals of 15 digits are doubles, with the tolerance; search and verifier draw the same line.
#[test]
fn long_numbers_are_doubles() {
    for (way, closing, exact) in [
        ("0.5", "1000000000", true),
        ("0.000000001", "1000000000", true),
        ("0.1000000000001", "1", true),
        ("0.100000000000001", "1", false),
        ("0.30000000000000004", "1", false),
        ("14.142135623730951", "100", false),
        ("1000000000", "0.0000001", false),
        ("0.0000000000000000001", "1", false),
    ] {
        let text = format!("3\n0 {way} 1\n1 0 {way}\n1 1 0\n0 9000000\n0 {closing}\n0 9000000\n");
        let instance = tsptw::parse("t", text.as_bytes()).unwrap();
        let network = instance.network(tsptw::Objective::Travel);
        assert_eq!(network.is_exact(), exact, "{text}");
        // The verifier says what it allows.
        let refused =
            tsptw::verify(&tsptw::Instance { windows: vec![(0.0, 9e6), (0.0, 0.0), (0.5, 0.75)], ..instance }, &[1, 2]);
        let refused = refused.unwrap_err();
        assert!(refused.contains("after its window closes"), "{refused}");
    }
}
