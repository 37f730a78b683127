//! Published instances, tours and values.

#![cfg_attr(not(shared_data), allow(dead_code))]

use crate::tsptw::{self, Tsptw};
use crate::vrptw::{self, Objective, Rounding, Vrptw, check, read, verify};
use soloist::{Budget, Method, Problem, Solver};
use soloist_domain::{Request, Unobserved};
use soloist_domain_testing::shared_data;
use std::path::PathBuf;
use std::sync::Arc;

/// Tours of r102 as Cazenave and Edelkamp (2016) print it: 71 and 67 twice, 66 and 81 missing.
const PRINTED: &str = "73 22 72 54 24 80 12 0 65 71 71 20 32 70 0 92 37 98 91 16 86 85 97 13 0 83 45 61 84 5 60 89 0 94 96 99 6 0 50 33 30 51 9 67 1 0 14 44 38 43 100 95 0
27 69 76 79 68 0 52 7 11 19 49 48 82 0 28 29 78 34 35 3 77 0 62 88 8 46 17 93 59 0 36 47 18 0 39 23 67 55 4 25 26 0 63 64 90 10 31 0 87 57 2 58 0
40 53 0 42 15 41 75 56 74 21 0";

fn folder(name: &str) -> PathBuf {
    shared_data(name).expect("present where these tests run")
}

fn solomon(name: &str) -> vrptw::Instance {
    read(folder("solomon").join(name).to_str().unwrap()).unwrap()
}

/// The rows of a table, without its header.
fn table(name: &str) -> Vec<Vec<String>> {
    let path = folder("solomon").parent().unwrap().join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn the_misprinted_tour_of_r102_is_rejected_and_the_repaired_one_accepted() {
    let instance = solomon("r102.txt");
    let of = |text: &str| check(&instance, Objective::Vehicles, Rounding::Exact, text);
    assert_eq!(of(PRINTED).unwrap_err(), "customer 71 is served twice, in route 2 and route 2");
    // Its length, whatever it serves.
    let stops: Vec<usize> = PRINTED.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let way = |i: usize, j: usize| {
        let (a, b) = (instance.sites[i], instance.sites[j]);
        ((a.x - b.x).powi(2) + (a.y - b.y).powi(2)).sqrt()
    };
    let length: f64 = std::iter::once(&0).chain(&stops).zip(&stops).map(|(&i, &j)| way(i, j)).sum();
    assert!((length - 1537.811561).abs() < 1e-6, "{length}");
    let repaired = PRINTED.replacen("71 71", "71 81", 1).replacen("9 67 1", "9 66 1", 1);
    let checked = of(&repaired).unwrap();
    assert!((checked.score - 17_001_486.664889).abs() < 1e-6, "{checked:?}");
    assert!(checked.summary.starts_with("17 vehicles, distance 1486.664889 ("), "{}", checked.summary);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn a_run_from_a_routes_file_is_never_worse_than_it() {
    let path = folder("solomon").join("r102.txt");
    let instance = (vrptw::DOMAIN.load)(path.to_str().unwrap(), &Default::default()).unwrap();
    let repaired = PRINTED.replacen("71 71", "71 81", 1).replacen("9 67 1", "9 66 1", 1).replace('\n', " ");
    let mut file = String::from("Instance name : r102\r\nAuthors : -\r\nSolution\r\n");
    for (at, route) in repaired.split(" 0").map(str::trim).filter(|route| !route.is_empty()).enumerate() {
        file += &format!("Route  {} : {route}\r\n", at + 1);
    }
    let start = instance.start_from(&file).unwrap();
    let best = 17_001_486.664889;
    for (playouts, preset) in [(1, "sampling"), (20, "sampling"), (3, "nrpa")] {
        let setup = soloist::Setup::from(Method::preset(preset).unwrap()).seed(3);
        let request = Request {
            setup: Some(setup),
            budget: Budget::playouts(playouts),
            start: vec![start.clone()],
            ..Request::default()
        };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        let score = report.score().unwrap().value().unwrap();
        assert!(score <= best + 1e-6, "{preset}, {playouts} playouts: {score}");
        let (vehicles, distance) = instance.pair(score).unwrap();
        assert!(vehicles == 17.0 && distance.floor() == 1486.0, "{vehicles}, {distance}");
    }
    // A result JSON and a part of the routes do as well; a broken route does not.
    assert_eq!(instance.start_from(&repaired).unwrap(), start);
    let lines: Vec<&str> = file.lines().collect();
    let part = instance.start_from(&lines[..8].join("\n")).unwrap();
    assert!(part.as_array().unwrap().len() > 80, "{part}");
    let late = file.replacen(" 73 ", " ", 1).replacen(" 12\r", " 12 73\r", 1);
    assert!(instance.start_from(&late).unwrap_err().starts_with("route 1 "), "{:?}", instance.start_from(&late));
    assert_eq!(instance.start_from("Route 1: 5 5").unwrap_err(), "customer 5 is served twice, in route 1 and route 1");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn solomon_and_homberger_files_are_read() {
    let rows = table("solomon_best_known.csv");
    assert_eq!(rows.len(), 56);
    for row in rows {
        let instance = solomon(&format!("{}.txt", row[0].to_lowercase()));
        let (name, class) = (&row[0], row[0].trim_end_matches(|c: char| c.is_ascii_digit()));
        let capacity = match (class, row[0].contains('2') && row[0].as_bytes()[class.len()] == b'2') {
            ("C", true) => 700,
            (_, true) => 1000,
            _ => 200,
        };
        assert_eq!((instance.sites.len(), instance.vehicles, instance.capacity), (101, Some(25), capacity), "{name}");
        assert!(instance.name.eq_ignore_ascii_case(name));
        let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Vehicles);
        let best: usize = row[1].parse().unwrap();
        assert!((1..=best).contains(&problem.fewest_vehicles()), "{name}: {} of {best}", problem.fewest_vehicles());
        let value = best as f64 * 1e6 + row[2].parse::<f64>().unwrap();
        assert!(problem.bound(&problem.root()).unwrap() < value);
    }
    let mut sizes = Vec::new();
    for entry in std::fs::read_dir(folder("homberger")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read(&path).unwrap();
        assert!(text.windows(2).any(|pair| pair == b"\r\n"));
        sizes.push(read(path.to_str().unwrap()).unwrap().sites.len());
    }
    // More files of the same sizes may lie there.
    assert!(sizes.len() >= 7 && sizes.iter().all(|size| [201, 401, 601, 801, 1001].contains(size)), "{sizes:?}");
    assert!([201, 401, 601, 1001].iter().all(|size| sizes.contains(size)), "{sizes:?}");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn easy_instances_are_solved_to_their_best_known_values() {
    for (name, objective, rounding, best, within) in [
        ("c101.txt", Objective::Vehicles, Rounding::Exact, 10e6 + 828.936867, 0.01),
        ("c205.txt", Objective::Vehicles, Rounding::Exact, 3e6 + 588.875988, 0.01),
        ("r101.txt", Objective::Vehicles, Rounding::Exact, 19e6 + 1650.799232, 17.0),
        ("c101.txt", Objective::Distance, Rounding::OneDecimal, 827.3, 0.01),
    ] {
        let instance = solomon(name);
        let problem = Vrptw::new(Arc::new(instance.network(rounding)), objective);
        let budget = Budget { target: Some(best + 0.01), ..Budget::nodes(360_000) };
        let found = Solver::new(&problem, Method::named("sisr")).budget(budget).seed(1).run().unwrap().best.unwrap();
        let score = found.score.value().unwrap();
        assert!((score - best).abs() < within, "{name}: {score}, expected {best}");
        let routes = problem.routes(&found.moves).0;
        assert!((check(&instance, objective, rounding, &format!("{routes:?}")).unwrap().score - score).abs() < 1e-6);
        let routes: Vec<Vec<u32>> = routes.iter().map(|route| route.iter().map(|&c| u32::from(c)).collect()).collect();
        let totals = verify(&instance, Rounding::Exact, &routes).map(|totals| (totals.exact, totals.truncated));
        if let Ok((exact, truncated)) = totals {
            let edges = 100 + routes.len();
            assert!(truncated <= exact && truncated > exact - 0.1 * edges as f64);
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_tours_have_their_published_costs() {
    let rows = table("tsptw_rc_best_known.csv");
    assert_eq!(rows.len(), 30);
    for row in rows {
        let path = folder("tsptw/SolomonPotvinBengio").join(format!("{}.txt", row[0]));
        let instance = tsptw::read(path.to_str().unwrap()).unwrap();
        assert_eq!(instance.nodes().to_string(), row[2]);
        let tour: Vec<u32> = row[6].split_whitespace().map(|word| word.parse().unwrap()).collect();
        let totals = tsptw::verify(&instance, &tour).unwrap();
        let [travel, makespan, least] = [3, 4, 5].map(|column| row[column].parse::<f64>().unwrap());
        assert!((totals.travel - travel).abs() <= 0.006, "{}: {}", row[0], totals.travel);
        assert!((totals.makespan - makespan).abs() <= 0.006, "{}: {}", row[0], totals.makespan);
        // The tour is among those that the moves lead to, whatever is minimised.
        for (objective, best) in [(tsptw::Objective::Travel, travel), (tsptw::Objective::Makespan, least)] {
            let problem = Tsptw::new(&instance, objective);
            let mut state = problem.root();
            for &node in &tour {
                let mut moves = Vec::new();
                problem.moves(&state, &mut moves);
                assert!(moves.contains(&(node as u16)), "{}: {node} of {moves:?}", row[0]);
                problem.apply(&mut state, node as u16);
            }
            assert!(problem.score(&state).is_feasible());
            assert!(problem.bound(&problem.root()).unwrap() <= best + 0.006);
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn short_tours_are_solved_to_their_best_known_values() {
    let solve = |path: PathBuf, objective: tsptw::Objective, best: f64| {
        let instance = tsptw::read(path.to_str().unwrap()).unwrap();
        let problem = Tsptw::new(&instance, objective);
        let budget = Budget { target: Some(best + 0.006), ..Budget::nodes(200_000) };
        let found = Solver::new(&problem, Method::named("sisr")).budget(budget).seed(1).run().unwrap().best.unwrap();
        let score = found.score.value().unwrap();
        assert!((score - best).abs() <= 0.006, "{}: {score}, expected {best}", path.display());
        assert_eq!(tsptw::check(&instance, objective, &format!("{:?}", found.moves)).unwrap().score, score);
    };
    for row in table("tsptw_rc_best_known.csv").iter().filter(|row| row[2].parse::<u32>().unwrap() <= 20) {
        let path = || folder("tsptw/SolomonPotvinBengio").join(format!("{}.txt", row[0]));
        solve(path(), tsptw::Objective::Travel, row[3].parse().unwrap());
        solve(path(), tsptw::Objective::Makespan, row[5].parse().unwrap());
    }
    for row in
        table("tsptw_int_best_known.csv").iter().filter(|row| row[0].starts_with("n20") || row[0].starts_with("n40"))
    {
        let path = folder("tsptw/Dumas").join(format!("{}.txt", row[0]));
        solve(path, tsptw::Objective::Travel, row[2].parse().unwrap());
    }
}
