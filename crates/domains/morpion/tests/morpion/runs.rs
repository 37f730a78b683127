//! Searches: every method, recorded runs, records and games that are continued.

use super::*;
use serde_json::json;
use soloist::{Budget, Method, Score, Setup, Solver};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::check_golden_runs;

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
            assert_ne!(later.extras().fingerprint(), problem.extras().fingerprint());
        }
    }
    let prints = Variant::ALL.map(|variant| cross(variant).extras().fingerprint());
    assert!((0..4).all(|i| (0..i).all(|j| prints[i] != prints[j])));
}

#[test]
fn every_method_plays_validly() {
    for spec in ["4D", "5T"] {
        let instance = (DOMAIN.load)(spec, &Options::new()).unwrap();
        for preset in Method::presets() {
            let request = Request {
                setup: Some(Setup::from(preset).seed(4)),
                budget: Budget { nodes: Some(5_000), ..Budget::playouts(500) },
                ..Request::default()
            };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            let Some(score) = report.score() else {
                // Layer by layer, or by the best bound where there is none: no game is finished soon.
                assert!(["bfs", "best-first", "ida-star", "beam"].contains(&preset.name), "{}", preset.name);
                continue;
            };
            let score = score.value().unwrap();
            let result = json!({
                "problem": "morpion", "score": score, "feasible": true, "moves": report.moves(), "solution": report.solution(),
            });
            let checked = instance.check(&result.to_string()).unwrap();
            assert_eq!(checked.score, score);
            let end = "moves, no further move possible";
            assert_eq!(checked.summary, format!("Morpion Solitaire {spec}: {score} {end}"));
            assert!(instance.text(report.solution()).starts_with(&checked.summary));
            assert_eq!(instance.check(report.solution()["pentasol"].as_str().unwrap()).unwrap(), checked);
        }
    }
}

/// Changed on purpose only, with a line in the changelog: see CONTRIBUTING.md.
#[test]
fn golden_runs() {
    check_golden_runs(&[DOMAIN], concat!(env!("CARGO_MANIFEST_DIR"), "/tests/morpion/golden.txt"));
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

#[test]
fn games_are_continued() {
    let start = record(Variant::D5, ROSIN_5D_82).start()[..40].to_vec();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, write(&Game::new(Variant::D5, start.clone()).unwrap())).unwrap();
    let instance = (DOMAIN.load)(file.path().to_str().unwrap(), &Options::new()).unwrap();
    assert!(instance.describe().ends_with("; 40 moves played"));
    let request = Request { budget: Budget::playouts(300), ..Request::default() };
    let report = instance.solve(request, &mut Unobserved).unwrap();
    let score = report.score().unwrap().value().unwrap();
    assert!(score > 50.0, "{score}");
    assert_eq!(report.solution()["start"], 40);
    assert_eq!(report.moves().as_array().unwrap().len() as f64, score - 40.0);
    let result = json!({ "score": score, "moves": report.moves(), "solution": report.solution() }).to_string();
    assert_eq!(instance.check(&result).unwrap().score, score);
    assert!(instance.svg(report.solution()).matches("#ddd").count() == 40);
    // The same game is none of an instance that begins otherwise.
    let other = Game::new(Variant::D5, vec![start[1]]).unwrap();
    let error = check(&other, &report.solution().to_string()).unwrap_err();
    assert_eq!(error, format!("move 1 is not that of the instance, {}", start[1]));
    assert!(
        check(&Game::of(Variant::D5), &report.solution().to_string()).unwrap_err().starts_with("claims the start '40'")
    );
}

#[test]
fn domain_is_registered() {
    let domain = DOMAIN;
    let instance = (domain.load)(domain.example, &Options::new()).unwrap();
    assert_eq!((instance.name(), instance.default_setup().rollout.as_deref()), ("5D", Some("random")));
}

#[test]
fn equal_keys_have_equal_moves() {
    for variant in Variant::ALL {
        let pairs = soloist_domain_testing::check_keys(&cross(variant), 200, 1);
        assert!(pairs > 100, "{pairs}");
    }
}
