//! Rich routing beside brute force, which knows the verifier alone.

use crate::rich::{
    Convention, Depot, Instance, Kind, Objective, Rich, Visit, check, generate, parse, rules, verify, write,
};
use crate::vrptw::{Edges, Rounding};
use soloist::check::{Verdict, explain};
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use soloist_domain_testing::{check_keys, check_searches};
use std::sync::Arc;
use std::time::Duration;

fn problem(instance: &Instance, objective: Objective, rounding: Rounding) -> Rich {
    Rich::new(Arc::new(instance.clone()), rounding, objective)
}

/// An instance with few visits in which every rule binds somewhere.
fn small(rng: &mut Rng) -> Instance {
    let depots = 1 + rng.below(2) as usize;
    let mut visits: Vec<Visit> = Vec::new();
    let most = 2 + rng.below(3) as usize;
    while visits.len() < most {
        let number = visits.len() as u32 + 1;
        let prize = (rng.below(3) == 0).then(|| 2.0 + rng.below(20) as f64);
        let demand = rng.below(7) as i64;
        let mut add = |demand: i64, partner: Option<u32>, delivers: bool| {
            let (x, y) = (rng.below(11) as f64, rng.below(11) as f64);
            let (ready, service) = (rng.below(30) as f64, rng.below(4) as f64);
            let due = ready + 5.0 + rng.below(35) as f64;
            visits.push(Visit { x, y, demand, ready, due, service, prize, partner, delivers });
        };
        if demand % 2 == 0 && most > number as usize {
            add(demand, Some(number + 1), false);
            add(-demand, Some(number), true);
        } else {
            add(demand, None, false);
        }
    }
    let kinds = (0..1 + rng.below(2))
        .map(|_| Kind {
            depot: rng.index(depots),
            capacity: 6 + rng.below(6) as u32,
            count: (rng.below(2) == 0).then(|| 1 + rng.below(2) as u32),
            fixed: rng.below(5) as f64,
            rate: 1.0 + rng.below(3) as f64 / 2.0,
            longest: if rng.below(2) == 0 { f64::INFINITY } else { 15.0 + rng.below(25) as f64 },
            farthest: if rng.below(2) == 0 { f64::INFINITY } else { 10.0 + rng.below(25) as f64 },
        })
        .collect();
    let depot = |rng: &mut Rng| Depot {
        x: rng.below(11) as f64,
        y: rng.below(11) as f64,
        ready: rng.below(4) as f64,
        due: 50.0 + rng.below(30) as f64,
        service: rng.below(2) as f64,
    };
    let depots = (0..depots).map(|_| depot(rng)).collect();
    Instance { name: String::new(), convention: Convention::Vrplib, depots, visits, kinds, edges: Edges::Euclidean }
}

/// A route with the kind of its vehicle.
type Routed = (usize, Vec<u32>);

/// Calls `visit` with every way to divide an order of some visits into routes of kinds.
fn each_plan(instance: &Instance, visit: &mut dyn FnMut(&[Routed])) {
    fn grow(plan: &mut Vec<Routed>, left: &mut Vec<u32>, kinds: usize, visit: &mut dyn FnMut(&[Routed])) {
        visit(plan);
        for at in 0..left.len() {
            let next = left.remove(at);
            if let Some(route) = plan.last_mut() {
                route.1.push(next);
                grow(plan, left, kinds, visit);
                plan.last_mut().unwrap().1.pop();
            }
            for kind in 1..=kinds {
                plan.push((kind, vec![next]));
                grow(plan, left, kinds, visit);
                plan.pop();
            }
            left.insert(at, next);
        }
    }
    let mut all: Vec<u32> = (1..=instance.visits.len() as u32).collect();
    grow(&mut Vec::new(), &mut all, instance.kinds.len(), visit);
}

#[test]
fn small_instances_agree_with_brute_force() {
    let mut rng = Rng::new(5);
    let (mut feasible, mut none, mut served, mut left_out) = (0, 0, 0, 0);
    for round in 0..70 {
        let instance = small(&mut rng);
        instance.validate().unwrap();
        let rounding = [Rounding::Exact, Rounding::OneDecimal, Rounding::Nearest][round as usize % 3];
        let mut best: Option<(f64, usize)> = None;
        each_plan(&instance, &mut |plan| {
            if let Ok(totals) = verify(&instance, rounding, plan)
                && best.is_none_or(|(least, _)| totals.cost < least)
            {
                best = Some((totals.cost, totals.unserved.len()));
            }
        });
        let problem = problem(&instance, Objective::Cost, rounding);
        let exact = Solver::new(&problem, Method::preset("dfs").unwrap());
        let outcome = exact.budget(Budget::nodes(2_000_000)).run().unwrap();
        let found = outcome.best.as_ref().and_then(|best| best.score.value());
        let Some((cost, out)) = best else {
            none += 1;
            assert_eq!(found, None, "round {round}: {instance:?}");
            continue;
        };
        feasible += 1;
        served += instance.visits.len() - out;
        left_out += out;
        let near = |found: Option<f64>| found.is_some_and(|found| (found - cost).abs() <= 1e-9 * cost.max(1.0));
        assert!(near(found) && outcome.optimal, "round {round}: {found:?} for {cost}, {instance:?}");
        let budget = Budget { target: Some(cost + 1e-9 * cost), ..Budget::nodes(50_000) };
        let refined = Solver::new(&problem, Method::named("sisr")).budget(budget).seed(round).run().unwrap();
        let found = refined.best.and_then(|best| best.score.value());
        assert!(near(found), "round {round}: {found:?} for {cost}, {instance:?}");
        soloist::check(&problem, 5, round).unwrap();
    }
    let counts = (feasible, none, served, left_out);
    assert!(feasible > 30 && none > 5 && served > 50 && left_out > 5, "{counts:?}");
}

#[test]
fn runs_are_the_same_however_they_are_cut() {
    for spec in ["pairs:12:1", "depots:15:2", "types:15:3", "prizes:20:4"] {
        let instance = generate(spec).unwrap();
        let (objective, rounding) = rules(&instance, "", "");
        let problem = problem(&instance, objective, rounding);
        check_searches(&problem, 600);
        let _ = check_keys(&problem, 30, 1);
        soloist::check(&problem, 10, 1).unwrap();
    }
}

/// What the search finds is what the verifier recomputes, and files say the same as specs.
#[test]
fn solutions_are_verified_and_files_read_back() {
    for (spec, objective) in [
        ("pairs:15:2", Objective::Vehicles),
        ("depots:30:5", Objective::Cost),
        ("types:30:6", Objective::Cost),
        ("prizes:30:7", Objective::Cost),
    ] {
        let instance = generate(spec).unwrap();
        let read = parse("t", write(&instance).as_bytes()).unwrap();
        assert_eq!((&read.visits, &read.depots), (&instance.visits, &instance.depots), "{spec}");
        let kinds =
            |instance: &Instance| instance.kinds.iter().map(|kind| Kind { count: None, ..*kind }).collect::<Vec<_>>();
        assert_eq!((kinds(&read), &read.edges), (kinds(&instance), &instance.edges), "{spec}");
        let (chosen, rounding) = rules(&read, "", "");
        assert_eq!(chosen, objective);
        let problem = problem(&instance, objective, rounding);
        let best = Solver::new(&problem, Method::named("sisr")).seed(3).budget(Budget::nodes(3_000)).run().unwrap();
        let best = best.best.unwrap();
        let (routes, _) = problem.routes(&best.moves);
        let (kinds, visits): (Vec<usize>, Vec<Vec<u16>>) = routes.into_iter().map(|(kind, v)| (kind + 1, v)).unzip();
        let text = format!("{{\"routes\": {visits:?}, \"kinds\": {kinds:?}}}");
        let checked = check(&instance, objective, rounding, &text).unwrap();
        let score = best.score.value().unwrap();
        assert!((checked.score - score).abs() <= 1e-9 * score, "{spec}: {checked:?}, {score}");
    }
}

/// Prizes decide: near 0 nobody is served, and very large ones are all collected.
#[test]
fn prizes_are_collected_where_they_pay() {
    for (prize, served) in [(0.5, 0), (1000.0, 20)] {
        let mut instance = generate("prizes:20:1").unwrap();
        instance.visits.iter_mut().for_each(|visit| visit.prize = Some(prize));
        let problem = problem(&instance, Objective::Cost, Rounding::Exact);
        let best = Solver::new(&problem, Method::named("sisr")).seed(1).budget(Budget::nodes(2_000)).run().unwrap();
        let best = best.best.unwrap();
        let (routes, _) = problem.routes(&best.moves);
        assert_eq!(routes.iter().map(|(_, visits)| visits.len()).sum::<usize>(), served);
        if served == 0 {
            assert_eq!(best.score, Score::Feasible(20.0 * prize));
        }
    }
}

/// Four visits: a transport from 1 to 2, an optional customer 3 that pays for no way, a customer 4.
const PLAN: &str = "NAME : t\nTYPE : VRP\nDIMENSION : 6\nVEHICLES : 2\nCAPACITY : 10\nEDGE_WEIGHT_TYPE : EUC_2D\n\
    VEHICLES_DEPOT_SECTION\n1 1\n2 2\nVEHICLES_MAX_DISTANCE : 100\nNODE_COORD_SECTION\n1 0 0\n2 50 0\n3 0 10\n4 0 20\n5 0 25\n6 50 10\n\
    PICKUP_AND_DELIVERY_SECTION\n1 0 0 200 0 0 0\n2 0 0 200 0 0 0\n3 6 0 100 5 0 4\n4 -6 0 100 5 3 0\n5 5 0 100 5 0 0\n\
    6 5 0 30 5 0 0\nPRIZE_SECTION\n1 0\n2 0\n3 0\n4 0\n5 3\n6 0\nDEPOT_SECTION\n1\n2\n-1\nEOF\n";

#[test]
fn the_verifier_names_the_first_violation() {
    let instance = parse("t", PLAN.as_bytes()).unwrap();
    let wrong = |text: &str| check(&instance, Objective::Cost, Rounding::OneDecimal, text).unwrap_err();
    let right = "Route #1: 1 2\nRoute #2: 4\nKinds 1 2\nCost 63\n";
    let checked = check(&instance, Objective::Cost, Rounding::OneDecimal, right).unwrap();
    assert_eq!(
        (checked.score, checked.summary.as_str()),
        (63.0, "2 vehicles, distance 60, prizes not collected 3, cost 63")
    );
    for (text, expected) in [
        ("Route #1: 2 1\nRoute #2: 4\nKinds 1 2", "pickup 1 and delivery 2 are in the wrong order in route 1"),
        (
            "Route #1: 1\nRoute #2: 4 2\nKinds 1 2",
            "pickup 1 and delivery 2 are in route 1 and route 2, expected one route",
        ),
        (
            "Route #1: 1\nRoute #2: 4\nKinds 1 2",
            "pickup 1 and delivery 2 are not both made: route 1 has the pickup alone",
        ),
        ("Route #1: 1 3 2\nRoute #2: 4\nKinds 1 2", "route 1 carries 11 behind visit 3, the capacity is 10"),
        ("Route #1: 1 2\nRoute #2: 4\nKinds 1 1", "2 routes have vehicles of kind 1, there are 1"),
        ("Route #1: 1 2 4\nKinds 1", "route 1 reaches visit 4 at 80.9, 50.9 after its due time 30"),
        ("Route #1: 1 2\nRoute #2: 4 4\nKinds 1 2", "visit 4 is made twice, in route 2 and route 2"),
        ("Route #1: 1 2\nRoute #2: 9\nKinds 1 2", "visit 9 does not exist: there are 4, counted from 1"),
        ("Route #1: 1 2\nRoute #2: 4\nKinds 2 1", "route 1 is 114.7 long, at most 100 is possible"),
        (
            "Route #1: 1 2\nKinds 1",
            "visit 4 is not made: it has a place: in a vehicle of kind 2 of its own it costs 20",
        ),
        (
            "Route #1: 1 2\nRoute #2: 4",
            "2 kinds of vehicles, but no list `kinds` (or line `Kinds 1 2`) with that of each route",
        ),
        ("Route #1: 1 2\nRoute #2: 4\nKinds 1 2\nCost 70", "claims the cost 70, recomputed: 63"),
        ("Route #1: 1 2\nRoute #2: 4\nKinds 1 3", "route 2 has vehicles of kind 3, there are 2 kinds"),
    ] {
        let found = wrong(text);
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
}

#[test]
fn files_are_refused_with_the_place() {
    let base = "2 10 1\n0 0 0 0 0 99 0 0 0\n1 3 4 7 10 20 5 0 2\n2 3 5 -7 10 40 5 1 0\n";
    parse("t", base.as_bytes()).unwrap();
    let cordeau = "2 1 2 1\n0 10\n1 1 2 0 3 1 1 1\n2 5 5 0 4 1 1 1\n3 0 0 0 0 0 0\n";
    let instance = parse("t", cordeau.as_bytes()).unwrap();
    assert_eq!((instance.depots.len(), instance.visits.len(), instance.kinds[0].count), (1, 2, Some(1)));
    assert_eq!((instance.kinds[0].longest, instance.kinds[0].capacity), (f64::INFINITY, 10));
    for (text, expected) in [
        (base.replace("2 10 1", "2 10 2"), "t: line 1: speed 2, expected 1: distances are travel times"),
        (base.replace("5 1 0\n", "5 3 0\n"), "t: line 3: visit 1 has the partner 2, whose partner is another visit"),
        (
            base.replace("-7", "-6"),
            "t: line 3: visits 1 and 2 load 7 and -6, expected a pickup and a delivery of the same amount",
        ),
        (base.replace("5 0 2", "5 1 2"), "t: line 3: pickup 1 and delivery 2, expected one of them to be 0"),
        (base.replace("1 3 4 7", "2 3 4 7"), "t: line 3: number 2, expected 1: numbers ascend by 1 from the depot, 0"),
        (
            "1 2 3 4 5 6\n".into(),
            "t: 6 numbers in the first row, expected 3 (Li and Lim: vehicles, capacity, speed) or 4 (Cordeau: type, \
             vehicles, customers, depots), or a header in words",
        ),
        (
            cordeau.replacen("2 1 2 1", "1 1 2 1", 1),
            "t: line 1: type 1, expected 0 (one depot), 2 (several), 4 or 6 (the same with windows); periods and \
             compatible vehicles are not read",
        ),
        (
            cordeau.replace("2 5 5 0 4 1 1 1", "2 5 5 0 4 2 1 1"),
            "t: line 4: frequency 2, expected 1: periods are not read",
        ),
        (cordeau.replace("3 0 0 0 0 0 0\n", ""), "t: line 4: the file ends before depot 3 of 3"),
        (PLAN.replace("1 1\n2 2\n", "1 1\n"), "t: VEHICLES_DEPOT_SECTION has 1 vehicles, VEHICLES says 2"),
        (
            PLAN.replace("1 1\n2 2\n", "1 1\n2 3\n"),
            "t: vehicle 2 has the capacity 10 and the depot 3, expected whole numbers and a depot from 1 to 2",
        ),
    ] {
        assert_eq!(parse("t", text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
    }
    // The problem of equal vehicles says where such a file is read.
    let error = crate::vrptw::parse("t", PLAN.as_bytes()).unwrap_err().to_string();
    let expected =
        "t: line 7: VEHICLES_DEPOT_SECTION is not for vehicles that are alike: the problem `rich-vrp` reads it";
    assert_eq!(error, expected);
}

proptest::proptest! {
    /// Whatever a file holds, reading ends with an instance or an error.
    #[test]
    fn damaged_files_are_no_panic(at in 0_usize..600, byte in 0_u8..128, which in 0_usize..3) {
        let li_lim = "2 10 1\n0 0 0 0 0 99 0 0 0\n1 3 4 7 10 20 5 0 2\n2 3 5 -7 10 40 5 1 0\n";
        let cordeau = "2 1 2 2\n0 10\n9 0\n1 1 2 0 3 1 2 1 2\n2 5 5 0 4 1 2 1 2\n3 0 0 0 0 0 0\n4 9 9 0 0 0 0\n";
        let mut bytes = [li_lim, cordeau, PLAN][which].as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(instance) = parse("t", &bytes) {
            proptest::prop_assert!(instance.validate().is_ok());
            let (objective, rounding) = rules(&instance, "", "");
            if instance.kinds.iter().all(|kind| kind.count.is_none_or(|count| count < 100)) {
                let problem = problem(&instance, objective, rounding);
                proptest::prop_assert!(soloist::check(&problem, 2, 1).is_ok());
            }
        }
    }
}

/// What the names of constraints say of an instance: those named hold alone, by the text of the file's terms.
fn named(instance: &Instance, rounding: Rounding, names: &[String]) -> Instance {
    let says = |text: String| names.iter().any(|name| name.starts_with(&text));
    let of_kind = |at: usize| if instance.kinds.len() > 1 { format!(" of kind {}", at + 1) } else { String::new() };
    let must = |at: usize| {
        let (number, visit) = (at as u32 + 1, &instance.visits[at]);
        let (pickup, delivery) = match visit.partner {
            Some(partner) if visit.delivers => (partner, number),
            partner => (number, partner.unwrap_or(0)),
        };
        visit.prize.is_none()
            && (says(format!("customer {number} is served "))
                || says(format!("pickup {pickup} and delivery {delivery} ")))
    };
    let mut loose = instance.clone();
    for (at, kind) in loose.kinds.iter_mut().enumerate() {
        if !names
            .iter()
            .any(|name| name.starts_with("at most ") && name.ends_with(&of_kind(at)) && name.contains("vehicle"))
        {
            kind.count = None;
        }
        if !says(format!("routes{} last", of_kind(at))) && !says(format!("routes{} drive", of_kind(at))) {
            (kind.longest, kind.farthest) = (f64::INFINITY, f64::INFINITY);
        }
    }
    for (at, depot) in loose.depots.iter_mut().enumerate() {
        if !says(format!("routes are back at depot {} ", at + 1)) {
            depot.due = f64::INFINITY;
        }
    }
    for (at, visit) in loose.visits.iter_mut().enumerate() {
        if !says(format!("visit {} closes ", at + 1)) {
            visit.due = f64::INFINITY;
        }
    }
    if (0..instance.visits.len()).all(|at| must(at) || instance.visits[at].prize.is_some()) {
        return loose;
    }
    // The others are passed, on the shortest ways.
    let places: Vec<(f64, f64)> = instance
        .depots
        .iter()
        .map(|depot| (depot.x, depot.y))
        .chain(instance.visits.iter().map(|visit| (visit.x, visit.y)))
        .collect();
    let n = places.len();
    let mut ways = vec![0.0; n * n];
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let way = (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
        ways[i * n + j] = match rounding {
            Rounding::Exact => way,
            Rounding::OneDecimal => (way * 10.0 + 1e-9).floor() / 10.0,
            Rounding::Nearest => (way + 0.5).floor(),
        };
    }
    let stay: Vec<usize> = (0..instance.visits.len()).filter(|&at| must(at)).collect();
    let depots = instance.depots.len();
    for k in (0..instance.visits.len()).filter(|at| !stay.contains(at)).map(|at| depots + at) {
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            // Sums of tenths are tenths.
            let over = ((ways[i * n + k] + ways[k * n + j]) * 1e9).round() / 1e9;
            ways[i * n + j] = ways[i * n + j].min(over);
        }
    }
    let kept: Vec<usize> = (0..depots).chain(stay.iter().map(|at| depots + at)).collect();
    loose.edges = Edges::Explicit(
        kept.iter().flat_map(|&i| kept.iter().map(move |&j| (i, j))).map(|(i, j)| ways[i * n + j]).collect(),
    );
    loose.visits = stay.iter().map(|&at| loose.visits[at]).collect();
    for visit in &mut loose.visits {
        visit.partner =
            visit.partner.map(|partner| stay.iter().position(|&at| at + 1 == partner as usize).unwrap() as u32 + 1);
    }
    loose
}

/// Whether some plan is valid by the verifier.
fn is_possible(instance: &Instance, rounding: Rounding) -> bool {
    let rounding = if instance.edges == Edges::Euclidean { rounding } else { Rounding::Exact };
    let mut found = false;
    each_plan(instance, &mut |plan| found = found || verify(instance, rounding, plan).is_ok());
    found
}

/// Rounded distances break the triangle inequality: conflicts are found all the same, and are those of brute force.
#[test]
fn conflicts_under_rounding_are_those_of_brute_force() {
    let mut rng = Rng::new(11);
    let (mut conflicts, mut feasible) = (0, 0);
    for round in 0..40 {
        let mut instance = small(&mut rng);
        instance.visits.iter_mut().for_each(|visit| visit.service = visit.service.min(0.0));
        if round % 2 == 0 {
            instance.kinds.iter_mut().for_each(|kind| kind.farthest = kind.farthest.min(22.0));
        }
        let rounding = [Rounding::OneDecimal, Rounding::Nearest][round % 2];
        let problem = problem(&instance, Objective::Cost, rounding);
        assert!(!problem.tables().network().is_metric());
        let found = explain(&problem, Duration::from_secs(60), 1, None).unwrap();
        if is_possible(&instance, rounding) {
            assert_eq!(found.verdict, Verdict::Feasible, "{instance:?}");
            feasible += 1;
            continue;
        }
        conflicts += 1;
        assert_eq!(found.verdict, Verdict::Conflict, "{instance:?}");
        assert!(found.is_least, "{instance:?}: {found:?}");
        let holds = |names: &[String]| is_possible(&named(&instance, rounding, names), rounding);
        assert!(!holds(&found.conflict), "{instance:?}: {found:?}");
        for at in 0..found.conflict.len() {
            let mut kept = found.conflict.clone();
            let left_out = kept.remove(at);
            assert!(holds(&kept), "{left_out} is not needed: {instance:?}: {found:?}");
        }
    }
    assert!(conflicts > 8 && feasible > 8, "{conflicts} conflicts, {feasible} feasible");
}

/// What is owed is looked for once a move: the time of a replay is quadratic, and its moves are those of the rules.
#[test]
fn deliveries_owed_are_those_whose_pickups_are_made() {
    let instance = generate("pairs:12:3").unwrap();
    let problem = problem(&instance, Objective::Vehicles, Rounding::Exact);
    let mut rng = Rng::new(1);
    let (mut state, mut aboard, mut most) = (problem.root(), Vec::new(), 0);
    loop {
        let mut owed: Vec<u32> = problem.owed(&state).into_iter().map(|place| place as u32).collect();
        owed.sort_unstable();
        aboard.sort_unstable();
        assert_eq!(owed, aboard);
        most = most.max(owed.len());
        let mut legal = Vec::new();
        problem.moves(&state, &mut legal);
        let Some(&mv) = legal.get(rng.index(legal.len().max(1))) else { break };
        if let Some(visit) = (mv as usize).checked_sub(1).and_then(|at| instance.visits.get(at)) {
            match visit.partner {
                Some(pickup) if visit.delivers => {
                    assert!(aboard.contains(&u32::from(mv)), "delivery {mv} before pickup {pickup}");
                    aboard.retain(|&place| place != u32::from(mv));
                }
                Some(delivery) => aboard.push(delivery),
                None => {}
            }
        }
        problem.apply(&mut state, mv);
    }
    assert!(most > 1, "{most} at most");
}

/// Reaches published values: vehicles and distance, or the distance alone.
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
#[test]
fn published_values_are_reached() {
    let data = soloist_domain_testing::published_data("");
    for (file, best, steps) in [
        ("pdptw/lc101.txt", 10_000_828.94, 20_000),
        ("pdptw/lc201.txt", 3_000_591.56, 20_000),
        ("mdvrp/p12.txt", 1318.95, 60_000),
    ] {
        let instance = crate::rich::read(data.join(file).to_str().unwrap()).unwrap();
        let (objective, rounding) = rules(&instance, "", "");
        let problem = problem(&instance, objective, rounding);
        // Published values have two decimals, rounded.
        let budget = Budget { target: Some(best + 0.005), ..Budget::nodes(steps) };
        let best_found =
            Solver::new(&problem, Method::named("sisr")).seed(1).budget(budget).run().unwrap().best.unwrap();
        let score = best_found.score.value().unwrap();
        assert!((score - best).abs() <= 0.005 + 1e-9, "{file}: {score}");
        let (routes, _) = problem.routes(&best_found.moves);
        let routes: Vec<(usize, Vec<u32>)> =
            routes.into_iter().map(|(kind, v)| (kind + 1, v.into_iter().map(u32::from).collect())).collect();
        verify(&instance, rounding, &routes).unwrap();
    }
}
