//! The giant tour, its rollouts and the verifier.

use super::{drive, permutations};
use crate::vrptw::{
    Edges, Instance, Objective, Rounding, Site, Vrptw, check, generate, parse, route_cost, rules, verify,
};
use proptest::prelude::*;
use soloist::rollout::{Policy, Rollout, Trace};
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use soloist_domain_testing::{check_searches, exhaust};
use std::sync::Arc;

fn problem(instance: &Instance, objective: Objective, rounding: Rounding) -> Vrptw {
    Vrptw::new(Arc::new(instance.network(rounding)), objective)
}

/// An instance with few customers, narrow windows and little capacity, so that every rule binds somewhere.
fn small(rng: &mut Rng, customers: u64) -> Instance {
    let mut sites = vec![Site { x: 5.0, y: 5.0, demand: 0, ready: 0.0, due: 60.0, service: 0.0 }];
    for _ in 0..customers {
        let ready = rng.below(35) as f64;
        sites.push(Site {
            x: rng.below(11) as f64,
            y: rng.below(11) as f64,
            demand: rng.below(6) as u32,
            ready,
            due: ready + rng.below(25) as f64,
            service: rng.below(4) as f64,
        });
    }
    Instance {
        name: String::new(),
        sites,
        capacity: 10,
        vehicles: Some(1 + rng.below(4) as u32),
        edges: Edges::Euclidean,
    }
}

/// The best score over every order of the customers and every way to cut it into routes.
fn brute_force(problem: &Vrptw, instance: &Instance) -> Option<f64> {
    let network = problem.network();
    let n = instance.sites.len() - 1;
    let vehicle = if problem.objective() == Objective::Vehicles { route_cost(network) } else { 0.0 };
    let mut best: Option<f64> = None;
    permutations(&mut Vec::new(), &mut (1..=n).collect(), &mut |order| {
        for cuts in 0_u32..1 << (n - 1) {
            if cuts.count_ones() as usize + 1 > network.vehicles() {
                continue;
            }
            let (mut begin, mut sum) = (0, Some(0.0));
            for end in 1..=n {
                if end == n || cuts >> (end - 1) & 1 == 1 {
                    let route = drive(network, &order[begin..end]);
                    sum = sum.zip(route).map(|(sum, (distance, _))| sum + distance + vehicle);
                    begin = end;
                }
            }
            if let Some(sum) = sum.map(|sum| sum / network.scale())
                && best.is_none_or(|best| sum < best)
            {
                best = Some(sum);
            }
        }
    });
    best
}

#[test]
fn small_instances_agree_with_brute_force() {
    let mut rng = Rng::new(3);
    let (mut feasible, mut none) = (0, 0);
    for round in 0..60 {
        let customers = 1 + rng.below(5);
        let instance = small(&mut rng, customers);
        for (objective, rounding) in [
            (Objective::Vehicles, Rounding::Exact),
            (Objective::Distance, Rounding::OneDecimal),
            (Objective::Distance, Rounding::Nearest),
        ] {
            let problem = problem(&instance, objective, rounding);
            let expected = brute_force(&problem, &instance);
            let found = exhaust(&problem, |_, _| {});
            match (expected, found) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9 * a, "round {round}: {a} and {b}"),
                (a, b) => assert_eq!(a, b, "round {round}: {instance:?}"),
            }
            if expected.is_some() {
                feasible += 1;
            } else {
                none += 1;
            }
            if let Some(best) = expected {
                let vehicles = best / route_cost(problem.network()) * problem.network().scale();
                let least = problem.fewest_vehicles();
                assert!(objective == Objective::Distance || least as f64 <= vehicles.floor(), "{least} > {vehicles}");
                // A proof by depth-first search.
                let outcome = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap();
                let score = outcome.best.unwrap().score.value().unwrap();
                assert!(outcome.optimal && (score - best).abs() < 1e-9 * best);
                // Ruin and recreation finds it as well.
                let budget = Budget { target: Some(best + best * 1e-9), ..Budget::nodes(50_000) };
                let refined = Solver::new(&problem, Method::named("sisr")).budget(budget);
                let score = refined.seed(round).run().unwrap().best.unwrap().score.value();
                assert!(
                    score.is_some_and(|score| (score - best).abs() < 1e-9 * best),
                    "round {round}: {score:?}, {best}"
                );
            }
            soloist::check(&problem, 5, round).unwrap();
        }
    }
    assert!(feasible > 60 && none > 10, "{feasible} feasible, {none} not");
}

#[test]
fn unserved_customers_are_the_degree() {
    let mut instance = generate("random:12:1").unwrap();
    instance.vehicles = Some(1);
    let problem = problem(&instance, Objective::Vehicles, Rounding::Exact);
    let best = Solver::new(&problem, Method::named("sisr")).seed(1);
    let best = best.budget(Budget::nodes(2_500)).run().unwrap().best.unwrap();
    let (routes, unserved) = problem.routes(&best.moves);
    assert_eq!((best.score, routes.len()), (Score::Infeasible(unserved.len() as f64), 1));
    assert!((5..12).contains(&unserved.len()), "{unserved:?}");
    let routes: Vec<Vec<u32>> = vec![routes[0].iter().map(|&c| u32::from(c)).collect()];
    let wrong = verify(&instance, Rounding::Exact, &routes).unwrap_err();
    let expected = format!("customer {} is not served: all 1 vehicles are used; ", unserved[0]);
    assert!(wrong.starts_with(&expected), "{wrong}");
}

/// Every rollout plays legal moves to the end, from the root and from the middle.
#[test]
fn rollouts_play_legal_moves() {
    for (spec, objective) in [
        ("random:25:1", Objective::Vehicles),
        ("clustered:25:2", Objective::Distance),
        ("capacity:20:3", Objective::Distance),
    ] {
        let instance = generate(spec).unwrap();
        let problem = problem(&instance, objective, Rounding::Exact);
        for name in ["refined:50", "selective", "fill", "random"] {
            let mut rollout = soloist::rollout::find_rollout(&problem, name).unwrap();
            for seed in 0..20 {
                let mut rng = Rng::new(seed);
                let mut state = problem.root();
                let mut legal = Vec::new();
                for _ in 0..seed {
                    legal.clear();
                    problem.moves(&state, &mut legal);
                    if legal.is_empty() {
                        break;
                    }
                    problem.apply(&mut state, legal[rng.index(legal.len())]);
                }
                let (mut end, mut playout) = (state.clone(), soloist::rollout::Playout::default());
                rollout.run(&problem, &mut end, &mut playout, &mut rng);
                for mv in playout.moves {
                    legal.clear();
                    problem.moves(&state, &mut legal);
                    assert!(legal.contains(&mv), "{name}: {mv} of {legal:?}");
                    problem.apply(&mut state, mv);
                }
                legal.clear();
                problem.moves(&state, &mut legal);
                assert!(legal.is_empty() && problem.score(&state) == problem.score(&end));
            }
        }
    }
}

#[test]
fn nested_searches_learn_improved_tours() {
    let instance = generate("random:40:2").unwrap();
    let problem = problem(&instance, Objective::Vehicles, Rounding::Exact);
    let run = |rollout: &str, bias: f64, rate: f64, seed: u64| {
        let mut nrpa = Method::preset("nrpa").unwrap();
        let settings = [("level", "2".to_owned()), ("iterations", "20".to_owned()), ("restarts", "false".to_owned())];
        let bias = [("bias_weight", bias.to_string()), ("bias_rate", rate.to_string())];
        settings.into_iter().chain(bias).for_each(|(name, value)| nrpa.set(name, &value).unwrap());
        let solver = Solver::new(&problem, nrpa).rollout(rollout).seed(seed);
        let outcome = solver.budget(Budget::playouts(400)).run().unwrap();
        outcome.best.unwrap()
    };
    for (bias, rate) in [(0.0, 0.0), (1.0, 0.0), (1.0, 0.1)] {
        let (plain, refined) = (run("selective", bias, rate, 1), run("refined:30", bias, rate, 1));
        assert!(refined.score.value().unwrap() < plain.score.value().unwrap(), "{bias} {rate}");
        // The same seed, the same run.
        assert_eq!(run("refined:30", bias, rate, 1).moves, refined.moves);
        let (routes, _) = problem.routes(&refined.moves);
        let routes: Vec<Vec<u32>> = routes.iter().map(|route| route.iter().map(|&c| u32::from(c)).collect()).collect();
        verify(&instance, Rounding::Exact, &routes).unwrap();
    }
}

/// The fast playouts draw what the engine's plain code draws from the same candidates.
#[test]
fn fast_policy_playouts_are_the_plain_ones() {
    struct Plain(Box<dyn Rollout<Vrptw>>);
    impl Rollout<Vrptw> for Plain {
        fn candidates(&mut self, problem: &Vrptw, state: &crate::vrptw::Tour, moves: &mut Vec<u16>) {
            self.0.candidates(problem, state, moves);
        }
    }
    for spec in ["random:40:1", "clustered:30:2", "capacity:20:3"] {
        let problem = problem(&generate(spec).unwrap(), Objective::Vehicles, Rounding::Exact);
        let fast = || soloist::rollout::find_rollout(&problem, "selective").unwrap();
        for (bias, rate) in [(0.0, 0.0), (1.0, 0.0), (1.0, 0.1)] {
            let mut policy = Policy::new(1.0, bias, f64::INFINITY).with_bias_rate(rate);
            for seed in 0..20 {
                let play = |rollout: &mut dyn Rollout<Vrptw>| {
                    let (mut trace, mut state) = (Trace::default(), problem.root());
                    rollout.run_policy(&problem, &mut state, &policy, &mut trace, &mut Rng::new(seed));
                    trace
                };
                let (a, b) = (play(&mut *fast()), play(&mut Plain(fast())));
                assert_eq!((&a.moves, a.chosen(), a.lifetimes()), (&b.moves, b.chosen(), b.lifetimes()), "{spec}");
                policy.adapt(&a, 1.0);
            }
        }
    }
}

#[test]
fn ruin_and_recreation_does_not_depend_on_how_it_is_cut() {
    for (spec, objective) in [("random:30:4", Objective::Vehicles), ("capacity:25:1", Objective::Distance)] {
        check_searches(&problem(&generate(spec).unwrap(), objective, Rounding::Exact), 6_000);
    }
}

#[test]
fn names_of_rollouts() {
    let problem = problem(&generate("random:30:4").unwrap(), Objective::Vehicles, Rounding::Exact);
    assert!(
        soloist::rollout::find_rollout(&problem, "refined:0").is_err()
            && soloist::rollout::find_rollout(&problem, "refined:x").is_err()
    );
    assert!(
        soloist::rollout::find_rollout(&problem, "nosuch").is_err()
            && soloist::rollout::find_rollout(&problem, "fill:3").is_err()
    );
}

#[test]
fn selective_moves_keep_customers_in_reach() {
    // Customer 2 closes soon: 1 first would lose it, 2 first loses nothing.
    let text = b"3 10\n0 0 0 0 0 99 0\n1 0 4 1 0 90 5\n2 4 0 1 0 6 5\n3 0 5 1 20 99 0";
    let problem = problem(&parse("t", text).unwrap(), Objective::Vehicles, Rounding::Exact);
    let (mut selective, mut moves) = (soloist::rollout::find_rollout(&problem, "selective").unwrap(), Vec::new());
    selective.candidates(&problem, &problem.root(), &mut moves);
    assert_eq!(moves, [2]);
    let mut state = problem.root();
    problem.apply(&mut state, 2);
    moves.clear();
    selective.candidates(&problem, &state, &mut moves);
    assert_eq!(moves, [1, 3]);
    moves.clear();
    problem.moves(&state, &mut moves);
    assert_eq!(moves, [1, 3, 0]);
}

#[test]
fn rules_follow_the_instance() {
    let (timed, bare) = (generate("random:5:1").unwrap(), generate("capacity:5:1").unwrap());
    let explicit = Instance { edges: Edges::Explicit(vec![1.0; 36]), ..bare.clone() };
    for (instance, objective, rounding, expected) in [
        (&timed, "", "", (Objective::Vehicles, Rounding::Exact)),
        (&timed, "distance", "auto", (Objective::Distance, Rounding::OneDecimal)),
        (&timed, "distance", "none", (Objective::Distance, Rounding::Exact)),
        (&bare, "auto", "auto", (Objective::Distance, Rounding::Nearest)),
        (&bare, "vehicles", "one-decimal", (Objective::Vehicles, Rounding::OneDecimal)),
        (&explicit, "", "", (Objective::Distance, Rounding::Exact)),
        (&explicit, "", "nearest", (Objective::Distance, Rounding::Nearest)),
    ] {
        assert_eq!(rules(instance, objective, rounding), expected, "{objective} {rounding}");
    }
}

#[test]
fn verifier_names_the_first_violation() {
    let text = b"2 10\n0 0 0 0 0 60 0\n1 3 4 6 10 20 5\n2 6 8 3 0 50 5\n3 0 9 4 8 10 5\n4 30 40 1 0 99 0\n";
    let mut instance = parse("t", text).unwrap();
    let of = |instance: &Instance, text: &str| check(instance, Objective::Vehicles, Rounding::Exact, text);
    for (answer, message) in [
        ("3 0 1 2", "customer 4 is not served: a vehicle of its own is back at the depot at 100, which closes at 60"),
        ("1 3 0 2", "route 1 reaches customer 3 at 20.830952, 10.830952 after its due time 10"),
        ("1 2 1", "customer 1 is served twice, in route 1 and route 1"),
        ("1 0 2 0 1", "customer 1 is served twice, in route 1 and route 3"),
        ("5", "customer 5 does not exist: there are 4, counted from 1"),
        ("[[0, 1]]", "route 1 visits the depot, number 0, on its way"),
        ("[1]", "route '1' is not a list"),
        ("[[1.5]]", "customer '1.5' is not a number from 1 on"),
        ("{}", "no list `routes`"),
        (r#"{"problem": "tsptw", "solution": {"routes": []}}"#, "a solution of '\"tsptw\"', expected vrptw"),
        (r#"{"solution": null}"#, "holds no solution"),
    ] {
        let wrong = of(&instance, answer).unwrap_err();
        assert!(wrong.starts_with(message), "{answer}: {wrong}");
    }
    instance.sites.pop();
    for (answer, message) in [
        ("3 1 2", "route 1 carries 13, the capacity is 10"),
        ("3 0 2 0 1", "3 routes, there are 2 vehicles"),
        ("3 2", "customer 1 is not served: 1 routes lack capacity, 0 would be late; a further vehicle could serve it"),
        ("3 0 1", "customer 2 is not served: route 1 has room for it behind customer 3"),
        ("1 0 3", "customer 2 is not served: route 1 has room for it at its beginning"),
    ] {
        assert_eq!(of(&instance, answer).unwrap_err(), message, "{answer}");
    }
    instance.sites.pop();
    let good = of(&instance, "1 2").unwrap();
    assert_eq!(
        (good.score, good.summary.as_str()),
        (1e6 + 20.0, "1 vehicles, distance 20 (20.0 with distances of one decimal)")
    );
    for (answer, message) in [
        (r#"{"routes": [[1, 2]], "vehicles": 2}"#, "claims the vehicles '2', recomputed: 1"),
        (r#"{"routes": [[1, 2]], "distance": 20.1}"#, "claims the distance '20.1', recomputed: 20"),
        (r#"{"score": 20, "solution": {"routes": [[1, 2]]}}"#, "claims the score '20', recomputed: 1000020"),
        (r#"{"feasible": false, "solution": {"routes": [[1, 2]]}}"#, "says that it is not feasible"),
        ("Route 1: 1 2\nCost 21", "claims the cost 21, recomputed: 20"),
    ] {
        assert_eq!(of(&instance, answer).unwrap_err(), message, "{answer}");
    }
    for answer in [
        "Route #1: 1 2\nCost 20",
        r#"{"problem": "vrptw", "score": 1000020.0, "feasible": true, "solution": {"vehicles": 1, "distance": 20, "routes": [[1, 2]]}}"#,
    ] {
        assert_eq!(of(&instance, answer).unwrap(), good, "{answer}");
    }
    let whole = check(&instance, Objective::Distance, Rounding::Nearest, "1 0 2").unwrap();
    assert_eq!((whole.score, whole.summary.as_str()), (30.0, "2 vehicles, distance 30 (30 without rounding)"));
}

#[test]
fn every_solution_of_a_search_is_verified() {
    for (spec, objective, rounding) in [
        ("random:30:1", Objective::Vehicles, Rounding::Exact),
        ("random:30:1", Objective::Distance, Rounding::OneDecimal),
        ("capacity:30:1", Objective::Distance, Rounding::Nearest),
    ] {
        let instance = generate(spec).unwrap();
        let problem = problem(&instance, objective, rounding);
        for (method, rollout) in [
            ("sampling", "refined:200"),
            ("nmcs", "selective"),
            ("uct", "refined:20"),
            ("anneal", "fill"),
            ("beam", "random"),
        ] {
            let method = Method::preset(method).unwrap();
            let outcome = Solver::new(&problem, method).rollout(rollout).budget(Budget::playouts(60)).seed(2).run();
            let best = outcome.unwrap().best.unwrap();
            let routes = problem.routes(&best.moves).0;
            let checked = check(&instance, objective, rounding, &format!("{routes:?}")).unwrap();
            let score = best.score.value().unwrap();
            assert!((checked.score - score).abs() < 1e-9 * score, "{rollout}: {} and {score}", checked.score);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn promises_are_kept(seed: u64, customers in 1..40_u64, kind in 0..3_usize, vehicles: bool, decimal: bool) {
        let kind = ["random", "clustered", "capacity"][kind];
        let instance = generate(&format!("{kind}:{customers}:{seed}")).unwrap();
        let objective = if vehicles { Objective::Vehicles } else { Objective::Distance };
        let rounding = if decimal { Rounding::OneDecimal } else { Rounding::Exact };
        prop_assert_eq!(soloist::check(&problem(&instance, objective, rounding), 2, seed), Ok(Vec::new()));
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "[\\[\\{]?(Route #1: )?[0-9a-z\"':,\\[\\]\\{\\} \n]{0,60}") {
        let instance = generate("random:20:1").unwrap();
        if let Err(message) = check(&instance, Objective::Vehicles, Rounding::Exact, &text) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }
}

/// A playout that is asked for a thousand million steps ends at the limit of time. Without that the test would not end.
#[test]
fn a_playout_of_many_steps_ends_at_the_limit() {
    let instance = generate("random:20:7").unwrap();
    let problem = problem(&instance, Objective::Distance, Rounding::Exact);
    for method in ["sampling", "nrpa"].map(|name| Method::preset(name).unwrap()) {
        let budget = Budget::time(std::time::Duration::from_millis(20));
        let solver = Solver::new(&problem, method).rollout("refined:1000000000").budget(budget);
        let outcome = solver.run().unwrap();
        assert_eq!(outcome.stop, soloist::run::StopReason::Time);
        if outcome.counters.playouts > 0 {
            assert!(outcome.best.unwrap().score.value().is_some());
        }
    }
}

/// A published solution may follow another rounding than the rules in force: the refusal names the one that it follows.
#[test]
fn the_rounding_of_a_solution_is_named() {
    // 7.07 there: with one decimal, 7.0, customer 1 is reached just in time, and so is the depot.
    let text = "NAME : t\nTYPE : VRPTW\nDIMENSION : 3\nCAPACITY : 10\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 5 5\n\
                3 20 0\nDEMAND_SECTION\n1 0\n2 4\n3 4\nTIME_WINDOW_SECTION\n1 0 100\n2 0 7\n3 0 90\nDEPOT_SECTION\n1\n-1\nEOF\n";
    let instance = parse("t", text.as_bytes()).unwrap();
    let checked = |objective: Objective, rounding, plan: &str| check(&instance, objective, rounding, plan);
    let late = "route 1 reaches customer 1 at 7.071068, 0.071068 after its due time 7";
    let error = checked(Objective::Vehicles, Rounding::Exact, "Route #1: 1 2\n").unwrap_err();
    assert!(error.starts_with(late), "{error}");
    assert!(error.ends_with("; valid with distances of one decimal (--set objective=distance)"), "{error}");
    let error = checked(Objective::Distance, Rounding::Exact, "Route #1: 1 2\n").unwrap_err();
    assert!(error.ends_with("; valid with distances of one decimal (--set rounding=one-decimal)"), "{error}");
    // 7 + 15.8 + 20, as decimals, in tenths or without.
    for cost in ["42.8", "428", "42.80"] {
        let plan = format!("Route #1: 1 2\nCost {cost}\n");
        assert_eq!(checked(Objective::Distance, Rounding::OneDecimal, &plan).unwrap().score, 42.8, "{cost}");
    }
    assert!(checked(Objective::Distance, Rounding::OneDecimal, "Route #1: 1 2\nCost 427\n").is_err());
    // No rounding makes it valid.
    let error = checked(Objective::Vehicles, Rounding::Exact, "Route #1: 2 1\n").unwrap_err();
    assert!(!error.contains("valid with"), "{error}");

    let rich = crate::rich::parse("t", text.as_bytes()).unwrap();
    let checked = |rounding, plan: &str| crate::rich::check(&rich, crate::rich::Objective::Cost, rounding, plan);
    let error = checked(Rounding::Exact, "Route #1: 1 2\n").unwrap_err();
    assert!(error.ends_with("; valid with distances of one decimal (--set rounding=one-decimal)"), "{error}");
    for cost in ["42.8", "428"] {
        assert!(checked(Rounding::OneDecimal, &format!("Route #1: 1 2\nCost {cost}\n")).is_ok(), "{cost}");
    }
    assert!(checked(Rounding::OneDecimal, "Route #1: 1 2\nCost 430\n").is_err());
    // A depot delivers nothing to itself, in no reader.
    let depot = text.replace("DEMAND_SECTION\n1 0", "DEMAND_SECTION\n1 5");
    assert!(parse("t", depot.as_bytes()).unwrap_err().to_string().contains("the demand 5, expected 0"));
    assert!(crate::rich::parse("t", depot.as_bytes()).unwrap_err().to_string().contains("the demand 5, expected 0"));
}
