//! Every method on the shipped problems: slices make a whole, and offered solutions are never lost.

use soloist::run::StopReason;
use soloist::{Budget, Method, Setup};
use soloist_problems::{AnyInstance, Options, Report, Request, RunSpec, Unobserved, find_domain};

const INSTANCES: [(&str, &str); 4] =
    [("knapsack", "weak:30x100:1"), ("samegame", "random:8x8x4:7"), ("snake", "d5k2"), ("horner", "res:4,3")];

fn instances() -> impl Iterator<Item = (&'static str, Box<dyn AnyInstance>)> {
    INSTANCES.into_iter().map(|(domain, spec)| {
        let domain = find_domain(domain).unwrap();
        (domain.name, (domain.load)(spec, &Options::new()).unwrap())
    })
}

/// What a run has yielded, without the time that it took.
///
/// Where one stream of several has examined everything, how far the others came by then depends on their schedule.
fn timeless(report: &Report) -> String {
    let alone = report.run.setup.threads == 1 || !matches!(report.stop, StopReason::Exhausted | StopReason::Bound);
    let effort = alone.then_some(report.run.counters);
    let answers: Vec<_> = report.answers.iter().map(|answer| (&answer.score, answer.moves.to_string())).collect();
    let history: Vec<_> = report.history.iter().map(|event| (event.score, event.playouts, event.stream)).collect();
    format!(
        "{answers:?} {:?} {} {:?} {} {effort:?} {history:?}",
        report.bound, report.optimal, report.stop, report.run.setup.preset
    )
}

/// The share of slice number `slice` of seven.
fn share(total: u64, slice: u64) -> u64 {
    let until = |slice: u64| total * slice * (slice + 1) / 56;
    until(slice + 1) - until(slice)
}

#[test]
fn slices_make_a_whole_run() {
    // A count of playouts for searches that make them, of nodes for the others.
    for (name, instance) in instances() {
        for preset in Method::presets() {
            let exact = ["dfs", "ida-star", "beam"].contains(&preset.method().family());
            let budget = |count: u64| Budget {
                playouts: (!exact).then_some(count),
                nodes: exact.then_some(count * 5),
                ..Budget::default()
            };
            for threads in [1, 2] {
                // The budget of the whole run, for methods that plan ahead.
                let request = || Request {
                    setup: Some(Setup::from(preset).seed(11).threads(threads)),
                    budget: budget(203),
                    ..Request::default()
                };
                let what = format!("{name}, {}, {threads} streams", preset.name);
                let whole = timeless(&instance.solve(request(), &mut Unobserved).unwrap());
                let mut sliced = instance.start(request()).unwrap();
                let mut saved = instance.start(request()).unwrap();
                for slice in 0..7 {
                    let slice = budget(share(203, slice));
                    sliced.advance(&slice, None, &mut Unobserved).unwrap();
                    saved.advance(&slice, None, &mut Unobserved).unwrap();
                    let bytes = saved.save();
                    saved = instance.start(Request { resume: Some(bytes), setup: None, ..request() }).unwrap();
                }
                assert_eq!(timeless(&sliced.report()), whole, "{what}");
                assert_eq!(timeless(&saved.report()), whole, "saved and restored: {what}");
            }
        }
    }
}

#[test]
fn offered_solutions_are_kept() {
    for (name, instance) in instances() {
        let good = Request { budget: Budget::playouts(3_000), ..Request::default() };
        let good = instance.solve(good, &mut Unobserved).unwrap();
        let result = serde_json::json!({ "problem": name, "moves": good.moves(), "solution": good.solution() });
        let moves = instance.start_from(&result.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let best = good.score().unwrap();
        for preset in Method::presets() {
            let request = Request { setup: Some(Setup::from(preset).seed(2)), ..Request::default() };
            let mut session = instance.start(request).unwrap();
            let few = Budget { nodes: Some(500), ..Budget::playouts(20) };
            session.advance(&few, None, &mut Unobserved).unwrap();
            assert_eq!(session.offer(&moves).unwrap(), best, "{name}, {}", preset.name);
            session.advance(&few, None, &mut Unobserved).unwrap();
            let report = session.report();
            assert!(instance.sense().at_least(report.score().unwrap(), best), "{name}, {}", preset.name);
            // What the run returns passes the verifier.
            let result = serde_json::json!({ "problem": name, "moves": report.moves(), "solution": report.solution() });
            instance.check(&result.to_string()).unwrap();
        }
    }
}

#[test]
fn starts_that_are_only_begun_are_finished() {
    for (name, instance) in instances() {
        let good = Request { budget: Budget::playouts(300), ..Request::default() };
        let good = instance.solve(good, &mut Unobserved).unwrap().moves().clone();
        let begun = &good.as_array().unwrap()[..good.as_array().unwrap().len() / 2];
        let start = instance.start_from(&serde_json::json!({ "problem": name, "moves": begun }).to_string()).unwrap();
        let run = || {
            let preset = Method::presets().iter().find(|preset| preset.name == "sampling").unwrap();
            let setup = Setup::from(preset).seed(3);
            let (budget, start) = (Budget::playouts(1), vec![start.clone()]);
            let request = Request { setup: Some(setup), budget, start, keep: 2, ..Request::default() };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            report.answers.iter().map(|answer| answer.moves.clone()).collect::<Vec<_>>()
        };
        let found = run();
        let is_from_start = |moves: &serde_json::Value| moves.as_array().unwrap().starts_with(begun);
        assert!(found.iter().any(is_from_start), "{name}: {begun:?} in {found:?}");
        assert_eq!(found, run(), "{name}");
    }
}

/// Problems with searches of their own, small enough that `auto` gives each entrant a few turns.
const OWN: [(&str, &str); 5] = [
    ("vrptw", "random:12:1"),
    ("tsptw", "random:10x40:1"),
    ("stacking", "random:4x30:7"),
    ("packing", "random:3x20:2"),
    ("partition", "random:60x90:1"),
];

#[test]
fn own_searches_race_and_their_slices_make_a_whole_run() {
    for (name, spec) in OWN {
        let domain = find_domain(name).unwrap();
        let instance = (domain.load)(spec, &Options::new()).unwrap();
        for (threads, budget) in [
            // `auto` may count playouts alone, so that nodes alone are refused.
            (1, (|count| Budget { nodes: Some(count), ..Budget::playouts(1 << 40) }) as fn(u64) -> Budget),
            (2, |count| Budget { nodes: Some(count), ..Budget::playouts(1 << 40) }),
            (1, Budget::playouts),
        ] {
            let request = || Request {
                setup: Some(Setup::preset("auto").unwrap().seed(11).threads(threads)),
                budget: budget(3_003),
                ..Request::default()
            };
            let report = instance.solve(request(), &mut Unobserved).unwrap();
            let own = &domain.searches[0].name;
            assert!(report.remarks[0].contains(*own), "{name}: {}", report.remarks[0]);
            let whole = timeless(&report);
            let mut saved = instance.start(request()).unwrap();
            for slice in 0..7 {
                saved.advance(&budget(share(3_003, slice)), None, &mut Unobserved).unwrap();
                let bytes = saved.save();
                saved = instance.start(Request { resume: Some(bytes), setup: None, ..request() }).unwrap();
            }
            assert_eq!(timeless(&saved.report()), whole, "{name}, {threads} streams");
        }
    }
}

/// A solution that is only begun, in the notations of three domains.
#[test]
fn beginnings_are_read_in_the_notation_of_the_domain() {
    let strip = "# nine cells\n1 1 2\n2 2 1\n1 1 2\n";
    let folder = std::env::temp_dir().join(format!("soloist-beginnings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let board = folder.join("board.txt");
    std::fs::write(&board, strip).unwrap();
    let load = |problem: &str, name: &str| (find_domain(problem).unwrap().load)(name, &Options::new()).unwrap();
    let tiles = load("samegame", board.to_str().unwrap());
    // Row 0 and row 2 are equal pairs; any cell names its group.
    let given = tiles.prefix_from("# row column\n0 1\n").unwrap();
    assert_eq!(given, tiles.prefix_from("[[0, 0]]").unwrap());
    assert_eq!(given, tiles.prefix_from(r#"{"moves": [{"row": 0, "col": 0, "size": 2}]}"#).unwrap());
    assert_eq!(given.as_array().unwrap().len(), 1);
    for (text, message) in [
        ("0 2\n", "move 1: the tile at row 0, column 2 has no neighbour of its colour"),
        (r#"{"game": "clickomania", "moves": [{"row": 0, "col": 0}]}"#, "a solution of clickomania, not of samegame"),
        (
            r#"{"moves": [{"row": 0, "col": 0, "size": 3}]}"#,
            "move 1: claims 3 tiles, the group at row 0, column 0 has 2",
        ),
    ] {
        let error = tiles.prefix_from(text).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let error = tiles.start_from("0 1\n").unwrap_err();
    assert!(error.contains("unfinished"), "{error}");

    let snake = load("snake", "d5k2");
    let given = snake.prefix_from("transitions 0 1 2 0").unwrap();
    assert_eq!(given, serde_json::json!([0, 1, 2, 0]));
    assert_eq!(
        given,
        snake.prefix_from("nodes 0 2 3 7 5").unwrap(),
        "bits are renamed in the order of their first use"
    );
    let error = snake.prefix_from("transitions 0 1 0").unwrap_err();
    assert_eq!(error, "vertices 0 and 2, 3 steps apart, differ in 1 bit, at least 2 are needed");
    for (text, message) in [
        ("nodes 0 3 7", "vertices 0 and 3 follow each other and differ in 2 bits, not in one"),
        (
            "[0, 1, 3]",
            "move 2, 3, is not legal (read as a solution: a list holds moves: vertices follow the word `nodes`)",
        ),
        (r#"{"solution": {"d": 6, "nodes": [0, 1, 3]}}"#, "claims the d '6'"),
        (r#"{"problem": "coil", "solution": {"nodes": [0, 1, 3]}}"#, "expected snake"),
    ] {
        let error = snake.prefix_from(text).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    // A coil that is begun is not closed.
    let coil = load("coil", "d5k2");
    assert_eq!(coil.prefix_from("transitions 0 1 2").unwrap(), serde_json::json!([0, 1, 2]));
    // Moves of a whole one end before it is closed.
    let setup = Setup::preset("beam").unwrap();
    let request = Request { setup: Some(setup), budget: Budget::playouts(100), ..Request::default() };
    let report = coil.solve(request, &mut Unobserved).unwrap();
    let text = serde_json::json!({ "problem": "coil", "solution": report.best().unwrap().solution }).to_string();
    assert_eq!(coil.prefix_from(&text).unwrap(), *report.moves());

    let morpion = load("morpion", "5D");
    let sampling = Setup::from(Method::preset("sampling").unwrap()).seed(3);
    let budget = Budget::playouts(1);
    let whole = morpion.solve(Request { setup: Some(sampling), budget, ..Request::default() }, &mut Unobserved);
    let moves = whole.unwrap().moves().as_array().unwrap()[..7].to_vec();
    // The notation has the distance of the middle, the moves have the place of the dot in its line.
    let line = |stroke: &serde_json::Value| {
        let middle = 2 - stroke[3].as_i64().unwrap();
        format!("({},{}) {} {middle:+}\n", stroke[0], stroke[1], stroke[2].as_str().unwrap()).replace("+0", "0")
    };
    let pentasol: String = moves.iter().map(line).collect();
    let given = morpion.prefix_from(&format!("(3,3)\n{pentasol}")).unwrap();
    assert_eq!(given, morpion.prefix_from(&serde_json::json!(moves).to_string()).unwrap());
    assert_eq!(given.as_array().unwrap().len(), 7);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The first half of a random solution of each shipped problem, by its default method and three others.
#[test]
fn shipped_problems_begin_with_given_moves() {
    let mut refused = 0;
    for domain in soloist_problems::domains() {
        let instance = (domain.load)(domain.example, &Options::new()).unwrap();
        let budget = || Budget { nodes: Some(3_000), ..Budget::playouts(60) };
        let sampling = Setup::from(Method::preset("sampling").unwrap()).seed(3);
        let first =
            instance.solve(Request { setup: Some(sampling), budget: budget(), ..Request::default() }, &mut Unobserved);
        let moves = first.unwrap().moves().as_array().unwrap().clone();
        let prefix = &moves[..moves.len() / 2];
        let text = serde_json::to_string(prefix).unwrap();
        let given = instance.prefix_from(&text).unwrap_or_else(|error| panic!("{}: {error}", domain.name));
        let spec = RunSpec::default().resolve_begun(domain, &*instance).unwrap();
        let presets = ["nrpa", "anneal", "uct-best"].map(|name| Setup::preset(name).unwrap().seed(1));
        for setup in std::iter::once(spec.setup).chain(presets) {
            let what = format!("{} by {}", domain.name, setup.preset);
            let request =
                Request { setup: Some(setup), budget: budget(), prefix: Some(given.clone()), ..Request::default() };
            let report = instance.solve(request, &mut Unobserved).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(report.prefix, prefix.len(), "{what}");
            let best = report.best().unwrap();
            assert!(best.moves.as_array().unwrap().starts_with(prefix), "{what}: {}", best.moves);
            // The checker of the domain shares nothing with the search.
            if let Some(score) = best.score.value() {
                let solution = serde_json::json!({ "score": score, "solution": best.solution }).to_string();
                assert_eq!(instance.check(&solution).unwrap().score, score, "{what}");
            }
        }
        for own in domain.searches {
            let request = Request {
                setup: Some(Setup::from(own)),
                budget: budget(),
                prefix: Some(given.clone()),
                ..Request::default()
            };
            let error = instance.solve(request, &mut Unobserved).unwrap_err().to_string();
            assert!(prefix.is_empty() || error.starts_with("with a prefix another method is needed"), "{error}");
            refused += 1;
        }
    }
    assert!(refused >= 5, "{refused}");
}
