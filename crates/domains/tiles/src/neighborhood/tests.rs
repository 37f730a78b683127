//! Edits against the rules of the game: on every engine, small boards and large ones.

use super::*;
use crate::game::Penalty;
use crate::kernel::{Engine, Large, Small};
use crate::spec;
use soloist::{Problem, Score};

fn problem<G: Geometry>(board: &str, game: Game, engine: Engine) -> Tiles<G> {
    Tiles::new(&spec::generate(board).unwrap(), game, Penalty::Schadd, engine).unwrap()
}

/// Plays any first move until the game is over.
fn game<G: Geometry>(problem: &Tiles<G>) -> Vec<u16> {
    let (mut state, mut listed, mut played) = (problem.root(), Vec::new(), Vec::new());
    loop {
        listed.clear();
        problem.moves(&state, &mut listed);
        let Some(&mv) = listed.first() else { return played };
        problem.apply(&mut state, mv);
        played.push(mv);
    }
}

/// Returns the score of moves from the root. All moves must be legal and end the game.
fn replayed<G: Geometry>(problem: &Tiles<G>, moves: &[u16]) -> Score {
    let (mut state, mut listed) = (problem.root(), Vec::new());
    for mv in moves {
        listed.clear();
        problem.moves(&state, &mut listed);
        assert!(listed.contains(mv), "{mv} is no move");
        problem.apply(&mut state, *mv);
    }
    listed.clear();
    problem.moves(&state, &mut listed);
    assert!(listed.is_empty());
    problem.score(&state)
}

/// Makes `count` edits at a falling temperature and checks each accepted game. Returns the last one's moves.
fn check<G: Geometry>(board: &str, game_of: Game, engine: Engine, variant: usize, count: u32) -> Vec<u16> {
    let problem = problem::<G>(board, game_of, engine);
    let mut edits = TileEdits::new(&problem);
    assert!(edits.start(&problem, &game(&problem)));
    edits.set_variant(&problem, variant);
    let mut rng = Rng::new(7);
    let (mut moves, mut cost, mut accepted) = (Vec::new(), edits.cost(&problem), 0);
    for made in 0..count {
        let acceptance = &mut Acceptance::new(&mut rng, 100.0 * 0.99_f64.powi(made as i32));
        let Some((change, true)) = edits.advance(&problem, acceptance) else { continue };
        cost += change;
        accepted += 1;
        assert!((cost - edits.cost(&problem)).abs() < 1e-6);
        moves.clear();
        edits.moves(&problem, &mut moves);
        let score = replayed(&problem, &moves);
        assert_eq!(edits.score(&problem), Some(score));
        if problem.game() != Game::SameGame || edits.boards[edits.clicks.len()].board.is_cleared() {
            assert!((score.value().unwrap() + cost).abs() < 1e-6);
        }
        let boards = problem.engine().run(Replay { problem: &problem, clicks: &edits.clicks });
        assert!(boards == edits.boards, "the boards along the game");
    }
    assert!(accepted > 10);
    moves
}

#[test]
fn edited_games_are_games_on_every_engine() {
    for (board, game) in [
        ("random:15x15x5:7", Game::SameGame),
        ("random:8x12x3:1", Game::Clickomania),
        ("random:6x6x4:2", Game::BubbleBreaker),
        ("random:15x16x2:3", Game::SameGame),
        ("random:1x9x2:4", Game::SameGame),
    ] {
        for variant in [0, 2] {
            let expected = check::<Small>(board, game, Engine::Portable, variant, 600);
            for engine in Engine::ALL.into_iter().filter(|engine| engine.is_supported()) {
                assert_eq!(check::<Small>(board, game, engine, variant, 600), expected, "{engine:?} on {board}");
            }
            assert_eq!(check::<Large>(board, game, Engine::Portable, variant, 600).len(), expected.len());
        }
    }
    let large = check::<Large>("random:25x30x9:1", Game::SameGame, Engine::Portable, 1, 100);
    assert_eq!(check::<Large>("random:25x30x9:1", Game::SameGame, Engine::detect().unwrap(), 1, 100), large);
}

#[test]
fn what_is_saved_is_restored() {
    let problem = problem::<Small>("random:15x15x5:7", Game::SameGame, Engine::Portable);
    let mut edits = TileEdits::new(&problem);
    edits.start(&problem, &game(&problem));
    edits.set_variant(&problem, 3);
    let mut rng = Rng::new(3);
    for _ in 0..500 {
        edits.advance(&problem, &mut Acceptance::new(&mut rng, 50.0));
    }
    let (mut moves, bytes) = (Vec::new(), edits.save());
    edits.moves(&problem, &mut moves);
    let mut other = TileEdits::new(&problem);
    assert!(other.start(&problem, &moves));
    other.load(&problem, &bytes).unwrap();
    let mut again = rng.clone();
    for _ in 0..300 {
        let change = edits.advance(&problem, &mut Acceptance::new(&mut rng, 20.0));
        assert_eq!(change, other.advance(&problem, &mut Acceptance::new(&mut again, 20.0)));
    }
    assert_eq!(edits.clicks, other.clicks);
    assert_eq!(edits.cost(&problem).to_bits(), other.cost(&problem).to_bits());
    // Bytes of another game, of none, and cut ones.
    let saved = edits.save();
    let longer = |more: usize| [&saved[..], &saved[2..2 + 2 * more]].concat();
    for bytes in [&bytes[..], &[], &saved[..saved.len() - 1], &saved[..2], &[9; 40], &longer(1), &longer(30)] {
        assert!(edits.load(&problem, bytes).is_err());
    }
    assert!(edits.load(&problem, &saved).is_ok());
}

#[test]
fn edits_that_cannot_pass_are_abandoned() {
    let problem = problem::<Small>("random:15x15x5:7", Game::SameGame, Engine::Portable);
    let mut edits = TileEdits::new(&problem);
    edits.start(&problem, &game(&problem));
    let rng = &mut Rng::new(5);
    for _ in 0..200 {
        assert_eq!(edits.propose(&problem, &mut Acceptance::below(rng, f64::NEG_INFINITY)), None);
    }
}
