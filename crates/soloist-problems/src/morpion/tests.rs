//! Tests of Morpion Solitaire.

use super::records::{HYYRO_PORANEN_4D_35, ROSIN_5D_82, ROSIN_5T_178};
use super::rollout::Random;
use super::*;
use crate::{Request, Unwatched, find_domain};
use proptest::prelude::*;
use soloist::{Budget, Playout, Policy, Problem, Rng, Rollout, Score, Solver, Trace, Uniform, policy_playout};

fn cross(variant: Variant) -> Morpion {
    Morpion::new(&Game::of(variant)).unwrap()
}

fn moves(problem: &Morpion, state: &Position) -> Vec<u16> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    moves
}

/// The moves of a uniform playout.
fn random_game(problem: &Morpion, rng: &mut Rng) -> Vec<u16> {
    let mut playout = Playout::default();
    Random::default().run(problem, &mut problem.root(), &mut playout, rng);
    playout.moves
}

fn record(variant: Variant, text: &str) -> Game {
    parse("record", text.replace(';', "\n").as_bytes(), Some(variant)).unwrap()
}

#[test]
fn first_moves() {
    for (variant, dots, count) in
        [(Variant::T5, 36, 28), (Variant::D5, 36, 28), (Variant::T4, 24, 40), (Variant::D4, 24, 40)]
    {
        assert_eq!(variant.cross().len(), dots);
        assert_eq!(moves(&cross(variant), &cross(variant).root()).len(), count, "{variant}");
        assert_eq!(Played::of(variant).possible, count, "{variant}");
    }
}

/// Numbers of sequences of three moves.
#[test]
fn three_moves() {
    let counts = Variant::ALL.map(|variant| {
        let problem = cross(variant);
        let mut count = 0;
        for first in moves(&problem, &problem.root()) {
            let mut state = problem.root();
            problem.apply(&mut state, first);
            for second in moves(&problem, &state) {
                let mut next = state.clone();
                problem.apply(&mut next, second);
                count += next.choices();
            }
        }
        count
    });
    assert_eq!(counts, [18992, 18416, 52352, 50648]);
}

/// All moves of the search are legal, and there are as many as the rules allow, along random games.
#[test]
fn moves_are_those_of_the_rules() {
    let mut rng = Rng::new(3);
    for variant in Variant::ALL {
        let problem = cross(variant);
        for _ in 0..3 {
            let game = random_game(&problem, &mut rng);
            let strokes = problem.strokes(&game);
            assert_eq!(strokes.len(), game.len());
            let mut state = problem.root();
            for (played, &mv) in game.iter().enumerate() {
                if played % 5 == 0 {
                    let now = moves(&problem, &state);
                    assert_eq!(now.len() as u32, state.choices());
                    assert!(now.is_sorted_by(|a, b| a < b));
                    assert_eq!(replay(variant, &strokes[..played]).unwrap().possible, now.len(), "{variant}");
                    for &next in &now {
                        let stroke = problem.strokes(&[&game[..played], &[next]].concat())[played];
                        assert_eq!(problem.line(&state, &stroke), Some(next));
                        let all = [&strokes[..played], &[stroke]].concat();
                        assert!(replay(variant, &all).is_ok(), "{variant} {stroke}");
                    }
                }
                problem.apply(&mut state, mv);
            }
            assert_eq!((state.choices(), state.length()), (0, game.len() as u32));
            let played = replay(variant, &strokes).unwrap();
            assert_eq!((played.possible, played.steps.len()), (0, game.len()));
            assert_eq!(problem.score(&state), Score::Feasible(game.len() as f64));
        }
    }
}

#[test]
fn lines_that_may_not_be_drawn_change_nothing() {
    let problem = cross(Variant::D5);
    let mut state = problem.root();
    for mv in [0, 6399, 6400, u16::MAX] {
        problem.apply(&mut state, mv);
    }
    assert_eq!((state.length(), problem.key(&state)), (0, problem.key(&problem.root())));
    assert!(problem.strokes(&[u16::MAX]).is_empty());
    let off = Stroke { point: (i32::MAX, i32::MIN), direction: Direction::Rising, position: 3 };
    assert_eq!(problem.line(&state, &off), None);
}

/// The same lines in another order: the same key, the same moves in the same order.
#[test]
fn the_order_of_play_does_not_matter() {
    let mut rng = Rng::new(11);
    for variant in Variant::ALL {
        let problem = cross(variant);
        let mut compared = 0;
        for _ in 0..200 {
            let mut game = random_game(&problem, &mut rng);
            game.truncate(game.len() * 2 / 3);
            let mut state = problem.root();
            game.iter().for_each(|&mv| problem.apply(&mut state, mv));
            let (mut rest, mut other) = (game.clone(), problem.root());
            loop {
                let open = moves(&problem, &other);
                let ready: Vec<usize> = (0..rest.len()).filter(|&at| open.contains(&rest[at])).collect();
                let Some(&at) = ready.get(rng.index(ready.len())) else { break };
                problem.apply(&mut other, rest.swap_remove(at));
            }
            // Another order may give a line another new dot, and shut out a later one.
            if rest.is_empty() {
                compared += 1;
                assert_eq!(problem.key(&state), problem.key(&other));
                assert_eq!(moves(&problem, &state), moves(&problem, &other));
                assert_eq!(state.length(), other.length());
            } else {
                assert_ne!(problem.key(&state), problem.key(&other));
            }
        }
        assert!(compared > 20, "{variant}: {compared}");
    }
}

/// A program without any of this code had 54.4 and 44.1, with standard errors of 1.6 and 1.2.
#[test]
fn uniform_playouts_have_the_known_mean() {
    for (variant, low, high) in [(Variant::T5, 52.0, 56.0), (Variant::D5, 41.0, 45.0)] {
        let (problem, mut rng) = (cross(variant), Rng::new(1));
        let total: usize = (0..2000).map(|_| random_game(&problem, &mut rng).len()).sum();
        let mean = total as f64 / 2000.0;
        assert!((low..high).contains(&mean), "{variant}: {mean}");
    }
}

#[test]
fn fast_playouts_draw_what_the_plain_ones_draw() {
    for variant in Variant::ALL {
        let problem = cross(variant);
        let mut own = Random::default();
        let (mut rng, mut plain_rng) = (Rng::new(5), Rng::new(5));
        let (mut fast, mut plain) = (Playout::default(), Playout::default());
        for _ in 0..50 {
            let (mut state, mut plain_state) = (problem.root(), problem.root());
            fast.moves.clear();
            plain.moves.clear();
            own.run(&problem, &mut state, &mut fast, &mut rng);
            Uniform.run(&problem, &mut plain_state, &mut plain, &mut plain_rng);
            assert_eq!((&fast, &rng), (&plain, &plain_rng));
            assert_eq!(problem.key(&state), problem.key(&plain_state));
        }
    }
}

/// The same moves, and the same weights after adaptation, whatever was learned before and wherever the playout starts.
#[test]
fn fast_policy_playouts_are_the_plain_ones() {
    for (variant, bias_weight) in [(Variant::T5, 0.0), (Variant::D5, 0.0), (Variant::T4, 0.0), (Variant::D4, 0.5)] {
        let problem = cross(variant);
        let mut own = Random::default();
        let (mut rng, mut plain_rng) = (Rng::new(8), Rng::new(8));
        let mut policy = Policy::new(1.0, bias_weight, 3.0);
        let mut plain_policy = policy.clone();
        let mut best: Option<(Trace<u16>, Trace<u16>)> = None;
        for round in 0..120 {
            let (mut trace, mut plain) = (Trace::default(), Trace::default());
            let mut states = [problem.root(), problem.root()];
            if round % 3 == 0 && bias_weight == 0.0 {
                // A trace that goes on, from a position on the way.
                for _ in 0..round / 3 {
                    let open = moves(&problem, &states[0]);
                    let Some(&mv) = open.get(round % open.len().max(1)) else { break };
                    for trace in [&mut trace, &mut plain] {
                        for &other in &open {
                            trace.offer(u64::from(other), &policy);
                        }
                        trace.choose(round % open.len(), open.len(), mv);
                    }
                    states.iter_mut().for_each(|state| problem.apply(state, mv));
                }
            }
            own.run_policy(&problem, &mut states[0], &policy, &mut trace, &mut rng);
            policy_playout(&mut Uniform, &problem, &mut states[1], &plain_policy, &mut plain, &mut plain_rng);
            assert_eq!((&trace.moves, &rng), (&plain.moves, &plain_rng), "{variant}, round {round}");
            assert_eq!((trace.steps(), states[0].choices()), (plain.steps(), 0));
            assert_eq!(problem.key(&states[0]), problem.key(&states[1]));
            if bias_weight == 0.0 && round % 3 != 0 {
                assert!(trace.lifetimes().len() * 2 < plain.lifetimes().len());
            }
            if best.as_ref().is_none_or(|best| trace.steps() >= best.0.steps()) {
                best = Some((trace, plain));
            }
            let (trace, plain) = best.as_ref().unwrap();
            policy.adapt(trace, 1.0);
            plain_policy.adapt(plain, 1.0);
            for code in 0..u64::from(problem.codes().unwrap()) {
                assert_eq!(policy.logit(code).to_bits(), plain_policy.logit(code).to_bits(), "{variant}, code {code}");
            }
        }
    }
}

#[test]
fn conformance_walk() {
    for variant in Variant::ALL {
        let problem = cross(variant);
        soloist::check(&problem, 20, 3).unwrap();
        let game = random_game(&problem, &mut Rng::new(4));
        for played in [1, 10, game.len()] {
            let start = problem.strokes(&game[..played]);
            let later = Morpion::new(&Game::new(variant, start).unwrap()).unwrap();
            assert_eq!(later.root().length(), played as u32);
            soloist::check(&later, 5, 3).unwrap();
            assert_ne!(later.fingerprint(), problem.fingerprint());
        }
    }
    let prints = Variant::ALL.map(|variant| cross(variant).fingerprint());
    assert!((0..4).all(|i| (0..i).all(|j| prints[i] != prints[j])));
}

#[test]
fn every_method_plays_validly() {
    for spec in ["4D", "5T"] {
        let instance = (DOMAIN.load)(spec, &Options::new()).unwrap();
        for preset in Method::presets() {
            let request = Request {
                method: Some(preset.method()),
                budget: Budget { nodes: Some(5_000), ..Budget::playouts(500) },
                seed: 4,
                ..Request::default()
            };
            let report = instance.solve(request, &mut Unwatched).unwrap();
            let Some(score) = report.score else {
                // Layer by layer, or by the best bound where there is none: no game is finished soon.
                assert!(["bfs", "best-first", "ida-star", "beam"].contains(&preset.name), "{}", preset.name);
                continue;
            };
            let score = score.value().unwrap();
            let result = json!({
                "problem": "morpion", "score": score, "feasible": true, "moves": report.moves, "solution": report.solution,
            });
            let checked = instance.check(&result.to_string()).unwrap();
            assert_eq!(checked.score, score);
            let end = "moves, no further move possible";
            assert_eq!(checked.summary, format!("Morpion Solitaire {spec}: {score} {end}"));
            assert!(instance.text(&report.solution).starts_with(&checked.summary));
            assert_eq!(instance.check(report.solution["pentasol"].as_str().unwrap()).unwrap(), checked);
        }
    }
}

/// Changed on purpose only, with a line in the changelog: see CONTRIBUTING.md.
#[test]
fn golden_runs() {
    let runs = [
        (Variant::D5, "sampling", "", "61 5e9afa69c6ae40bb"),
        (Variant::T5, "sampling", "", "87 05a180bbd2cee186"),
        (Variant::T5, "uct", "", "82 f0505ff7772aa2c7"),
        (Variant::D5, "nmcs", "", "61 9c3e7db2ccef6371"),
        (Variant::D5, "nrpa", "level=2 clamp=3 playouts=4", "68 7cbcbc17ff30d1c5"),
        (Variant::T4, "nrpa", "", "60 987617fb1a0ea770"),
    ];
    let found = runs.map(|(variant, name, settings, _)| {
        let problem = cross(variant);
        let mut method = Method::preset(name).unwrap();
        for (name, value) in settings.split_terminator(' ').filter_map(|setting| setting.split_once('=')) {
            method.set(name, value).unwrap();
        }
        let solver = Solver::new(&problem, method).rollout("random").seed(5);
        let best = solver.budget(Budget::playouts(3_000)).run().unwrap().best.unwrap();
        format!("{} {:016x}", best.score, soloist::stable_hash(&best.moves))
    });
    assert_eq!(found, runs.map(|run| run.3));
}

#[test]
fn records_are_games() {
    for (variant, text, length) in
        [(Variant::D5, ROSIN_5D_82, 82), (Variant::T5, ROSIN_5T_178, 178), (Variant::D4, HYYRO_PORANEN_4D_35, 35)]
    {
        let game = record(variant, text);
        let problem = Morpion::new(&game).unwrap();
        let root = problem.root();
        assert_eq!((root.length(), root.choices()), (length, 0));
        assert_eq!(problem.score(&root), Score::Feasible(f64::from(length)));
        let played = replay(variant, game.start()).unwrap();
        assert_eq!((played.possible, played.steps.len()), (0, length as usize));
        assert_eq!(parse("again", write(&game).as_bytes(), None).unwrap(), game);
        let solved = Solver::new(&problem, Method::preset("nrpa").unwrap()).budget(Budget::playouts(5)).run().unwrap();
        assert!(solved.best.unwrap().moves.is_empty());
        // A disjoint game is a touching one as well.
        let touching = if variant.length() == 5 { Variant::T5 } else { Variant::T4 };
        assert!(Game::new(touching, game.start().to_vec()).is_ok());
    }
    let record = record(Variant::T5, ROSIN_5T_178);
    assert!(Game::new(Variant::D5, record.start().to_vec()).is_err());
}

/// The published notation is written as it was read.
#[test]
fn records_are_written_as_published() {
    let game = record(Variant::D5, ROSIN_5D_82);
    let text = format::pentasol(Variant::D5, game.start());
    assert_eq!(text, format!("# variant 5D\n{}\n", ROSIN_5D_82.replace(';', "\n")));
}

#[test]
fn games_are_continued() {
    let folder = std::env::temp_dir().join(format!("soloist-morpion-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let start = record(Variant::D5, ROSIN_5D_82).start()[..40].to_vec();
    let path = folder.join("game.txt");
    std::fs::write(&path, write(&Game::new(Variant::D5, start.clone()).unwrap())).unwrap();
    let instance = (DOMAIN.load)(path.to_str().unwrap(), &Options::new()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(instance.describe().ends_with("; 40 moves played"));
    let request = Request { budget: Budget::playouts(300), ..Request::default() };
    let report = instance.solve(request, &mut Unwatched).unwrap();
    let score = report.score.unwrap().value().unwrap();
    assert!(score > 50.0, "{score}");
    assert_eq!(report.solution["start"], 40);
    assert_eq!(report.moves.as_array().unwrap().len() as f64, score - 40.0);
    let result = json!({ "score": score, "moves": report.moves, "solution": report.solution }).to_string();
    assert_eq!(instance.check(&result).unwrap().score, score);
    assert!(instance.svg(&report.solution).matches("#ddd").count() == 40);
    // The same game is none of an instance that begins otherwise.
    let other = Game::new(Variant::D5, vec![start[1]]).unwrap();
    let error = check(&other, &report.solution.to_string()).unwrap_err();
    assert_eq!(error, format!("move 1 is not that of the instance, {}", start[1]));
    assert!(
        check(&Game::of(Variant::D5), &report.solution.to_string()).unwrap_err().starts_with("claims the start '40'")
    );
}

#[test]
fn reader_is_tolerant_of_form() {
    let plain = parse("a", b"(28,28)\n(27,27) / 0\n(31,35) | -2", Some(Variant::D5)).unwrap();
    for text in [
        "\u{feff}# variant 5d\r\n\r\n(28,28)\r\n(27,27) / 0\r\n(31,35) | -2\r\n",
        "#variant 5D\n # any comment \n( 28 , 28 )\n  (27,27)/0\n(31,35)|-2\n# end",
        "# Variant: of my own\n# variant 5D\n# variant of old\n(+3,+3)\n(2,2) / +0\n(6,10) | -2",
    ] {
        assert_eq!(parse("a", text.as_bytes(), None).unwrap(), plain, "{text}");
    }
    assert_eq!(parse("a", b"# variant 4T\n(0,0)", None).unwrap(), Game::of(Variant::T4));
    // The third point of four.
    let game = parse("a", b"(2,2)\n(5,0) - -1", Some(Variant::T4)).unwrap();
    assert_eq!((game.start()[0].point, game.start()[0].position), ((5, 0), 3));
}

#[test]
fn reader_errors_are_exact() {
    let form =
        "expected a move such as (27,27) / 0: the new dot, the direction (- | / \\), the distance of the line's middle";
    let point = "expected a point such as (28,28), at most 1000000 from 0";
    let cases: &[(&str, String)] = &[
        ("", "no reference point, expected a line such as (28,28)".into()),
        ("# nothing\n\n", "no reference point, expected a line such as (28,28)".into()),
        ("28,28", format!("line 1: '28,28', {point}")),
        ("(28)", format!("line 1: '(28)', {point}")),
        ("(28,1000001)", format!("line 1: '(28,1000001)', {point}")),
        ("(28,99999999999999)", format!("line 1: '(28,99999999999999)', {point}")),
        ("(28,28) - 0", "line 1: '- 0' after the reference point".into()),
        ("(28,28)\nmove", format!("line 2: 'move', {form}")),
        ("(28,28)\n(27;27) / 0", format!("line 2: '(27;27) / 0', {point}")),
        ("(28,28)\n\n(27,27) x 0", format!("line 3: direction 'x 0', {form}")),
        ("(28,28)\n(27,27)", format!("line 2: direction '', {form}")),
        ("(28,28)\n(27,27) / ", format!("line 2: distance '', {form}")),
        ("(28,28)\n(27,27) / -", format!("line 2: distance '-', {form}")),
        ("(28,28)\n(27,27) / 3", "line 2: distance 3 of the line's middle, expected -2 to +2".into()),
        ("(28,28)\n(27,27) / 0 1", "line 2: '1' after a move".into()),
        ("(28,28)\n(28,28) / 0", "line 2: move 1: dot (3,3) at position 2 of a line /: there is a dot already".into()),
        (
            "(28,28)\n(27,27) / 0\n(0,0) - 0",
            "line 3: move 2: dot (-25,-25) at position 2 of a line -: the line has no dot at (-27,-25)".into(),
        ),
        ("(28,28)\n(27,\0", "line 2: binary data (a zero byte), expected text".into()),
    ];
    for (text, message) in cases {
        let error = parse("a.txt", text.as_bytes(), Some(Variant::D5)).unwrap_err().to_string();
        assert_eq!(error.strip_prefix("a.txt: ").unwrap(), message, "{text:?}");
    }
    let unnamed = parse("a.txt", b"(28,28)", None).unwrap_err().to_string();
    assert!(unnamed.starts_with("a.txt: no variant named: expected a line `# variant 5T`"), "{unnamed}");
    let twice = parse("a.txt", b"# variant 5T\n# variant 4T\n(28,28)", None).unwrap_err().to_string();
    assert_eq!(twice, "a.txt: line 2: variant 4T, but 5T is named above");
    let long = "(28,28)\n".to_owned() + &"(1,1) - 0\n".repeat(MAX_MOVES + 1);
    let long = parse("a.txt", long.as_bytes(), Some(Variant::T5)).unwrap_err().to_string();
    assert_eq!(long, "a.txt: line 1002: more than 1000 moves");
    let missing = read("no/such.txt", None).unwrap_err().to_string();
    assert!(
        missing.starts_with("no/such.txt: cannot be read: ") && missing.ends_with("5T, 5D, 4T and 4D"),
        "{missing}"
    );
    assert!(read(env!("CARGO_MANIFEST_DIR"), None).is_err(), "a folder");
}

#[test]
fn options_and_specs_agree() {
    let load = |spec: &str, variant: &str| {
        (DOMAIN.load)(spec, &Options::from([("assume".to_owned(), variant.to_owned())]))
            .map(|instance| instance.describe())
    };
    assert_eq!(load("5d", "nothing").unwrap(), "variant 5D, lines of 5 points, parallel lines share no point");
    assert_eq!(load("4T", "4T").unwrap(), "variant 4T, lines of 4 points, parallel lines may touch");
    // What an instance says of itself wins.
    assert_eq!(load("4D", "5T").unwrap(), "variant 4D, lines of 4 points, parallel lines share no point");
    assert_eq!(parse("x", b"# variant 4D\n(1,1)", Some(Variant::T5)).unwrap().variant(), Variant::D4);
    assert_eq!((DOMAIN.generate)("6T").unwrap_err().to_string(), "6T: expected 5T, 5D, 4T or 4D");
    for variant in Variant::ALL {
        let text = (DOMAIN.generate)(variant.name()).unwrap();
        assert_eq!(parse("x", text.as_bytes(), None).unwrap(), Game::of(variant));
    }
}

#[test]
fn verifier_judges_by_the_rules() {
    let game = Game::of(Variant::T5);
    let one = r#"{"point": [2, 2], "direction": "/", "position": 2}"#;
    for good in [
        format!("[{one}]"),
        r#"[[2, 2, "/", 2]]"#.into(),
        format!(r#"{{"moves": [{one}]}}"#),
        format!(
            r#"{{"variant": "5T", "length": 1, "start": 0, "moves": [{one}], "pentasol": "(28,28)\n(27,27) / 0"}}"#
        ),
        r#"{"variant": "5T", "pentasol": "(28,28)\n(27,27) / 0"}"#.into(),
        r##"{"pentasol": "# variant 5T\n(28,28)\n(27,27) / 0"}"##.into(),
        format!(
            r#"{{"problem": "morpion", "score": 1.0, "feasible": true, "moves": [[2, 2, "/", 2]], "solution": {{"moves": [{one}]}}}}"#
        ),
        "(28,28)\n(27,27) / 0\n".into(),
    ] {
        let checked = check(&game, &good).unwrap_or_else(|error| panic!("{good}: {error}"));
        assert_eq!(checked.score, 1.0);
        assert!(checked.summary.starts_with("Morpion Solitaire 5T: 1 move, "), "{}", checked.summary);
    }
    assert_eq!(check(&game, "[]").unwrap().summary, "Morpion Solitaire 5T: 0 moves, 28 further moves possible");
    for (bad, message) in [
        (r#"[[2, 2, "/", 2], [2, 2, "/", 2]]"#, "move 2: dot (2,2) at position 2 of a line /: there is a dot already"),
        (r#"[[2, 2, "/", 1]]"#, "move 1: dot (2,2) at position 1 of a line /: the line has no dot at (5,-1)"),
        (r#"[[7, 0, "-", 5]]"#, "move 1: dot (7,0) at position 5 of a line -: positions are 0 to 4 in 5T"),
        // Two lines across that share the segment from (3,0) to (4,0).
        (
            r#"[[7, 0, "-", 4], [2, 0, "-", 0]]"#,
            "move 2: dot (2,0) at position 0 of a line -: an earlier line - has the segment from (3,0)",
        ),
        (
            r#"[[2, 2, "x", 1]]"#,
            "move 1: '[2,2,\"x\",1]', expected {\"point\": [2, 2], \"direction\": \"/\", \"position\": 2} or [2, 2, \"/\", 2]",
        ),
        ("[3]", "move 1: '3', expected {\"point\": [2, 2], \"direction\": \"/\", \"position\": 2} or [2, 2, \"/\", 2]"),
        ("{}", "no list `moves`"),
        (r#"{"moves": 3}"#, "`moves` is not a list"),
        ("# variant 5D\n(28,28)\n(27,27) / 0", "a game of 5D, expected 5T"),
        (r#"{"variant": "5D", "moves": []}"#, "a game of '\"5D\"', expected 5T"),
        (r#"{"moves": [], "pentasol": "(28,28)\n(27,27) / 0"}"#, "`pentasol` and `moves` are different games"),
        (r#"{"moves": [], "length": 1}"#, "claims the length '1', recomputed: 0"),
        (r#"{"moves": [], "start": 1}"#, "claims the start '1', recomputed: 0"),
        (r#"{"score": 1, "solution": {"moves": []}}"#, "claims the score '1', recomputed: 0"),
        (r#"{"score": null, "solution": {"moves": []}}"#, "claims the score 'null', recomputed: 0"),
        (r#"{"feasible": false, "solution": {"moves": []}}"#, "says that it is not feasible"),
        (r#"{"problem": "tsptw", "solution": {}}"#, "a solution of '\"tsptw\"', expected morpion"),
        (
            r#"{"moves": [[2, 2, "/", 2]], "solution": {"moves": []}}"#,
            "`moves` of the result and of its solution are different games",
        ),
        (r#"{"solution": null}"#, "holds no solution"),
        (r#"{"solution": [0]}"#, "`solution` is not an object"),
        ("[[2, 2", "solution: line 1, column 6: not valid JSON: EOF while parsing a list"),
        ("", "solution: no reference point, expected a line such as (28,28)"),
    ] {
        assert_eq!(check(&game, bad).unwrap_err(), message, "{bad}");
    }
}

#[test]
fn parallel_lines_touch_in_one_variant_only() {
    let touching = |variant| {
        let mut count = 0;
        let (problem, mut rng) = (cross(variant), Rng::new(2));
        for _ in 0..20 {
            let strokes = problem.strokes(&random_game(&problem, &mut rng));
            let played = replay(variant, &strokes).unwrap();
            for (index, step) in played.steps.iter().enumerate() {
                let touches = |other: &Step| {
                    other.stroke.direction == step.stroke.direction
                        && (other.ends.0 == step.ends.1 || other.ends.1 == step.ends.0)
                };
                count += played.steps[..index].iter().filter(|other| touches(other)).count();
            }
        }
        count
    };
    assert!(touching(Variant::T5) > 20 && touching(Variant::T4) > 20);
    assert_eq!((touching(Variant::D5), touching(Variant::D4)), (0, 0));
}

#[test]
fn drawing_is_sound_on_anything() {
    let instance = (DOMAIN.load)("5D", &Options::new()).unwrap();
    for solution in [
        json!(null),
        json!({"moves": [[2, 2, "/", 2]]}),
        json!({"moves": "x"}),
        json!(3),
        json!({"moves": [[0, 0, "-", 0]]}),
    ] {
        let svg = instance.svg(&solution);
        assert!(svg.contains("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(!instance.text(&solution).is_empty());
    }
    let played = replay(Variant::T5, record(Variant::T5, ROSIN_5T_178).start()).unwrap();
    let svg = draw::svg(&played, "<a & \"b\">\u{0}\u{1b}\n", 3);
    assert!(svg.contains("&lt;a &amp; &quot;b&quot;&gt;\u{fffd}\u{fffd}\u{fffd}"));
    assert_eq!(svg.matches("<circle ").count(), 36 + 178);
    assert_eq!(svg.lines().filter(|line| line.starts_with("<path")).flat_map(|line| line.matches('L')).count(), 178);
    assert!(svg.contains(">178</text>") && svg.matches("#ddd").count() == 3);
}

#[test]
fn text_shows_the_grid_and_the_moves() {
    let played = replay(Variant::T4, record(Variant::T4, "(28,28);(31,26) - -1;(25,28) - +2").start()).unwrap();
    let expected = "\
Morpion Solitaire 4T: 2 moves, 35 further moves possible

   .   .   .   o   o   o   1   .
   .   .   .   o   .   o   .   .
   2   o   o   o   .   o   o   o
   .   o   .   .   .   .   .   o
   .   o   o   o   .   o   o   o
   .   .   .   o   .   o   .   .
   .   .   .   o   o   o   .   .

Each move: its number, the new dot (column,row), the direction of the line, the distance of its middle;
rows count downwards, the inner corner of the cross at the upper left is (28,28).
   1. (31,26) - -1    2. (25,28) - +2
";
    assert_eq!(draw::text(&played), expected);
}

#[test]
fn domain_is_registered() {
    let domain = find_domain("morpion").unwrap();
    let instance = (domain.load)(domain.example, &Options::new()).unwrap();
    assert_eq!((instance.name(), instance.default_rollout(&instance.default_method()).as_str()), ("5D", "random"));
}

proptest! {
    #[test]
    fn reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse("a", &bytes, Some(Variant::T5));
    }

    #[test]
    fn reader_never_panics_on_mutated_files(
        text in "(# variant [45][TD]\n)?\\([0-9]{1,3},[0-9]{1,9}\\)\n(\\(2[0-9],2[0-9]\\) [-|/x] [+-]?[0-3][ \r]?\n){0,6}",
    ) {
        if let Err(error) = parse("a", text.as_bytes(), None) {
            prop_assert_eq!(error.to_string().lines().count(), 1);
        }
    }

    #[test]
    fn verifier_never_panics(text in "[\\[\\{]?[0-9a-z\"':,\\[\\]\\{\\} /-]{0,60}") {
        let _ = check(&Game::of(Variant::D5), &text);
    }

    #[test]
    fn verifier_never_panics_on_strokes(x: i64, y in -5_i32..15, sign in "[-|/\\\\]", position: u64) {
        let _ = check(&Game::of(Variant::T5), &json!([[x, y, sign, position], [y, y, sign, position % 5]]).to_string());
    }

    #[test]
    fn games_are_written_and_read_back(seed: u64, variant in 0_usize..4, part in 0_usize..=4) {
        let variant = Variant::ALL[variant];
        let problem = cross(variant);
        let game = random_game(&problem, &mut Rng::new(seed));
        let strokes = problem.strokes(&game[..game.len() * part / 4]);
        let game = Game::new(variant, strokes).unwrap();
        prop_assert_eq!(&parse("x", write(&game).as_bytes(), None).unwrap(), &game);
        prop_assert!(soloist::check(&Morpion::new(&game).unwrap(), 1, seed).is_ok());
    }
}
