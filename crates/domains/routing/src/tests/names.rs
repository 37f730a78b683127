//! Both problems as the command line sees them: by name, with their drawings.

use crate::{tsptw, vrptw};
use serde_json::{Value, json};
use soloist::{Budget, Score};
use soloist_domain::{AnyInstance, Domain, Options, Request, Unobserved};

fn load(domain: &Domain, name: &str, options: &[(&str, &str)]) -> Box<dyn AnyInstance> {
    let options: Options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    (domain.load)(name, &options).unwrap()
}

fn is_sound(svg: &str) {
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"),
        "{svg}"
    );
}

#[test]
fn domains_solve_check_and_draw() {
    for (domain, options) in [
        (&vrptw::DOMAIN, vec![]),
        (&vrptw::DOMAIN, vec![("objective", "distance")]),
        (&tsptw::DOMAIN, vec![]),
        (&tsptw::DOMAIN, vec![("objective", "makespan")]),
    ] {
        let instance = load(domain, domain.example, &options);
        assert!(options.iter().all(|(name, _)| domain.options.iter().any(|option| option.name == *name)));
        let setup = instance.default_setup();
        assert!(setup.preset == "sisr" && setup.method == domain.searches[0].method());
        assert!(instance.has_rollout(&setup.rollout.unwrap()) && instance.has_rollout("refined:5"));
        let request = Request {
            setup: Some(instance.default_setup().seed(1)),
            budget: Budget::nodes(20_000),
            ..Request::default()
        };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        let score = report.score().unwrap().value().unwrap();
        let result = json!({ "problem": domain.name, "feasible": true, "score": score, "solution": report.solution() });
        let checked = instance.check(&result.to_string()).unwrap();
        assert!((checked.score - score).abs() <= 1e-9 * score, "{} {score}", checked.summary);
        // What people read is a solution in the field's format.
        let text = instance.text(report.solution());
        assert!((instance.check(&text).unwrap().score - score).abs() <= 1e-6, "{text}");
        is_sound(&instance.svg(report.solution()));
        // A run begins with it, in any form, and never ends worse.
        let list = if domain.name == "vrptw" { "routes" } else { "tour" };
        for form in [result.to_string(), text.replace('\n', "\r\n"), report.solution()[list].to_string()] {
            let start = vec![instance.start_from(&form).unwrap()];
            let setup = Some(instance.default_setup().seed(9));
            let request = Request { setup, start, budget: Budget::nodes(1_000), ..Request::default() };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            assert!(report.score().unwrap().value().unwrap() <= score + 1e-9 * score, "{form}");
        }
    }
}

#[test]
fn solutions_to_start_from_are_verified() {
    let routes = load(&vrptw::DOMAIN, "random:20:1", &[]);
    for (text, wrong) in [
        ("Route #1: 3 99", "customer 99 does not exist: there are 20, counted from 1"),
        ("Route #1: 3\nRoute #2: 4 3", "customer 3 is served twice, in route 1 and route 2"),
        ("Route #1: 3 x", "line 1: customer 'x', expected a number"),
        ("", "no routes: expected lines `Route #1: 5 3 7`, or customers with a 0 between routes"),
        ("{\"solution\": {}}", "no list `routes`"),
        ("{\"problem\": \"tsptw\"}", "a solution of '\"tsptw\"', expected vrptw"),
    ] {
        assert_eq!(routes.start_from(text).unwrap_err(), wrong);
    }
    let all: Vec<u16> = (1..=20).collect();
    let wrong = routes.start_from(&json!([all]).to_string()).unwrap_err();
    assert!(wrong.starts_with("route 1 ") && wrong.lines().count() == 1, "{wrong}");
    // What is left out is added.
    let start = routes.start_from("Route #1: 7").unwrap();
    let customers = start.as_array().unwrap().iter().filter(|mv| **mv != json!(0)).count();
    assert_eq!(customers, 20, "{start}");
    let tour = load(&tsptw::DOMAIN, "random:15x200:1", &[]);
    assert_eq!(tour.start_from("1 1").unwrap_err(), "node 1 is visited twice");
    assert!(tour.start_from("1").unwrap_err().contains("is not visited: "));
}

#[test]
fn scores_are_told_in_a_few_words() {
    let none = || -> Value { panic!("the score says it") };
    let routes = load(&vrptw::DOMAIN, "random:20:1", &[]);
    assert_eq!(routes.brief(Score::Infeasible(3.0), &none).unwrap(), "3 not served");
    let solution = || json!({ "vehicles": 1, "distance": 20.505, "routes": [] });
    // Vehicles and distance are a pair; the distance alone has few words.
    assert_eq!(routes.brief(Score::Feasible(1_000_020.505), &none), None);
    let (vehicles, distance) = routes.pair(1_000_020.505).unwrap();
    assert!(vehicles == 1.0 && (distance - 20.505).abs() < 1e-6, "{vehicles}, {distance}");
    let short = load(&vrptw::DOMAIN, "random:20:1", &[("objective", "distance")]);
    assert_eq!(short.brief(Score::Feasible(20.505), &solution).unwrap(), "1 vehicle, distance 20.50");
    assert_eq!(short.pair(20.505), None);
    let tour = load(&tsptw::DOMAIN, "random:15x200:1", &[]);
    assert_eq!(tour.brief(Score::Infeasible(2.0), &none).unwrap(), "2 late");
    let solution = || json!({ "tour": [], "travel": 7.25, "makespan": 9.0 });
    assert_eq!(tour.brief(Score::Feasible(7.25), &solution).unwrap(), "travel cost 7.25, makespan 9.00");
}

#[test]
fn instances_describe_themselves() {
    let of = |name: &str, options: &[(&str, &str)]| load(&vrptw::DOMAIN, name, options).describe();
    assert_eq!(
        of("random:20:1", &[]),
        "20 customers, at most 20 vehicles (at least 3 needed) of capacity 200; minimise vehicles, then distance"
    );
    assert_eq!(
        of("random:20:1", &[("objective", "distance")]),
        "20 customers, at most 20 vehicles (at least 3 needed) of capacity 200; minimise distance, distances of one decimal"
    );
    assert_eq!(
        of("capacity:20:1", &[]),
        "20 customers, any number of vehicles (at least 2 needed) of capacity 200, no time windows; minimise distance, distances rounded"
    );
    let tour = load(&tsptw::DOMAIN, "random:20x30:1", &[("objective", "makespan")]);
    assert_eq!(tour.describe(), "21 nodes with the depot; minimise makespan");
    assert!((vrptw::DOMAIN.load)("no/such", &Options::new()).is_err());
}

#[test]
fn drawing_is_sound_on_anything() {
    let odd = [
        json!(null),
        json!(3),
        json!({ "routes": [[1, 2, 999_999, "x", -1, 1], [], 7, [0]] }),
        json!({ "tour": [1, 1, 0, 999_999, "x", -3] }),
    ];
    let instances = [
        load(&vrptw::DOMAIN, "random:20:1", &[]),
        load(&vrptw::DOMAIN, "capacity:500:1", &[]),
        load(&tsptw::DOMAIN, "random:20x30:1", &[]),
    ];
    for instance in &instances {
        for solution in &odd {
            is_sound(&instance.svg(solution));
            let _ = instance.text(solution);
        }
    }
    let text = instances[0].text(&json!({ "routes": [[1]] }));
    assert!(text.contains("Not served: customer 2: "), "{text}");
}

#[test]
fn customers_left_out_are_listed() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "1 10\n0 0 0 0 0 60 0\n1 3 4 6 0 60 5\n2 6 8 6 0 50 5\n").unwrap();
    let instance = load(&vrptw::DOMAIN, file.path().to_str().unwrap(), &[]);
    let request = Request { budget: Budget::playouts(3), ..Request::default() };
    let report = instance.solve(request, &mut Unobserved).unwrap();
    assert_eq!(report.solution()["unserved"].as_array().map(Vec::len), Some(1));
    assert_eq!(report.solution().get("vehicles"), Some(&Value::from(1)));
    let wrong = instance.check(&json!({ "feasible": false, "solution": report.solution() }).to_string()).unwrap_err();
    assert!(wrong.ends_with("all 1 vehicles are used; 1 routes lack capacity, 0 would be late"), "{wrong}");
}
