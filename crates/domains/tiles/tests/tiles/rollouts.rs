//! The playout policies of the tile games that carry knowledge or learn: what they draw, what they learn, what a
//! checkpoint keeps of them.

use proptest::prelude::*;
use soloist::rollout::{Playout, Policy, Rollout, Trace};
use soloist::run::{CheckpointError, RunInfo};
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use soloist_testdata::resealed;
use soloist_tiles::kernel::{self, Board, Engine, Extent, Geometry, Large, Small};
use soloist_tiles::{Bandit, Game, Grid, Penalty, Position, ROLLOUTS, TileRollout, Tiles, generate};
use std::time::Duration;

fn grid(spec: &str) -> Grid {
    generate(spec).unwrap()
}

fn tiles<G: Geometry>(spec: &str) -> Tiles<G> {
    Tiles::new(&grid(spec), Game::SameGame, Penalty::Schadd, Engine::detect().unwrap()).unwrap()
}

fn named<G: Geometry>(name: &str) -> TileRollout<G> {
    TileRollout::named(name).unwrap()
}

/// What a rollout has learned so far, seen through its checkpoint.
fn learned<G: Geometry>(rollout: &TileRollout<G>) -> Bandit {
    Bandit::load(&Rollout::<Tiles<G>>::save(rollout)).unwrap()
}

/// Checkpoints at the end of a run only, the one at its start aside.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// The checkpoint at the end of a run.
fn checkpoint<P: Problem>(solver: Solver<'_, P>, name: &str) -> Vec<u8> {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("rollouts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    solver.checkpoint(&path, NEVER).run().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    bytes
}

/// What a checkpoint says about the run, the time taken left out, and everything else.
fn without_time(checkpoint: &[u8]) -> (RunInfo, Vec<u8>) {
    let ((mut info, _), rest) =
        postcard::take_from_bytes::<(RunInfo, Vec<Duration>)>(&checkpoint[28..checkpoint.len() - 4]).unwrap();
    info.elapsed = Duration::ZERO;
    (info, rest.to_vec())
}

#[test]
fn two_halves_make_a_whole() {
    let problem = tiles::<Small>("random:8x8x4:3");
    for preset in ["sampling", "uct", "uct-best", "nmcs", "nrpa"] {
        for rollout in ROLLOUTS {
            let start = |playouts| {
                let solver = Solver::new(&problem, Method::preset(preset).unwrap()).rollout(rollout.name).seed(4);
                solver.budget(Budget::playouts(playouts))
            };
            let name = |part: &str| format!("{preset}-{}-{part}", rollout.name);
            let whole = checkpoint(start(801), &name("whole"));
            let half = checkpoint(start(400), &name("half"));
            let rest = Solver::new(&problem, Method::preset("sampling").unwrap()).budget(Budget::playouts(801));
            let resumed = checkpoint(rest.resume(&half).unwrap(), &name("resumed"));
            assert!(without_time(&whole) == without_time(&resumed), "{preset} {}", rollout.name);
        }
    }
}

/// The games of a population that wait for their turn keep their clicks.
#[test]
fn populations_of_games_are_resumed() {
    let problem = tiles::<Small>("random:8x8x4:3");
    let mut method = Method::preset("anneal").unwrap();
    [("population", "4"), ("levels", "6")].into_iter().for_each(|(name, value)| method.set(name, value).unwrap());
    let start = |playouts| {
        let solver = Solver::new(&problem, method.clone()).seed(4).plan(Budget::playouts(1_501));
        solver.budget(Budget::playouts(playouts))
    };
    let whole = checkpoint(start(1_501), "population-whole");
    for part in [30, 90, 700, 745, 1_100, 1_200] {
        let begun = checkpoint(start(part), "population-begun");
        let resumed = checkpoint(start(1_501).resume(&begun).unwrap(), "population-resumed");
        assert!(without_time(&whole) == without_time(&resumed), "{part}");
    }
}

/// Damage with a checksum computed afterwards: an error or a run, but no panic.
#[test]
fn resealed_checkpoints_do_not_panic() {
    let problem = tiles::<Small>("random:5x5x3:3");
    let start = || Solver::new(&problem, Method::preset("sampling").unwrap()).rollout("tabu-bandit");
    let saved = checkpoint(start().budget(Budget::playouts(20)), "resealed");
    let mut refused = 0;
    for at in 28..saved.len() - 4 {
        for flip in [1, 0x7f, 0x80] {
            let bytes = resealed(&saved, at, flip);
            let Ok(solver) = start().resume(&bytes) else { continue };
            if solver.setup().threads == 1 {
                refused += u32::from(solver.budget(Budget::playouts(22)).run().is_err());
            }
        }
    }
    // Nine tenths of the bandit's 496 bytes leave no choice.
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn bytes_of_another_rollout_are_refused() {
    for info in ROLLOUTS {
        let mut rollout = named::<Small>(info.name);
        let load = |rollout: &mut TileRollout<Small>, bytes: &[u8]| Rollout::<Tiles<Small>>::load(rollout, bytes);
        let own = Rollout::<Tiles<Small>>::save(&rollout);
        load(&mut rollout, &own).unwrap();
        let wrong = if own.is_empty() { named::<Small>("tabu-bandit") } else { named::<Small>("random") };
        let error = load(&mut rollout, &Rollout::<Tiles<Small>>::save(&wrong)).unwrap_err();
        assert!(matches!(error, CheckpointError::Corrupt(_)), "{}: {error}", info.name);
    }
}

#[test]
fn names_and_arguments() {
    for name in ["tabu-color-fixed", "tabu-bandit:0", "tabu-bandit:1", "tabu-color-fixed:0.25", "roulette"] {
        assert!(TileRollout::<Large>::named(name).is_some(), "{name}");
    }
    for name in ["tabu-bandit:", "tabu-bandit:nan", "tabu-bandit:1.5", "tabu-color-fixed:-1", "roulette:2", "bandit"] {
        assert!(TileRollout::<Large>::named(name).is_none(), "{name}");
    }
}

/// The bandit's rollout, step by step: it chooses, the kernel plays, it learns.
fn follow_the_bandit<G: Geometry>(spec: &str) {
    let problem = tiles::<G>(spec);
    let mut rollout = named::<G>("tabu-bandit:0.01");
    let (mut rng, mut own_rng) = (Rng::new(5), Rng::new(5));
    let mut bandit = Bandit::default();
    let mut playout = Playout::default();
    let mut from = problem.root();
    for i in 0..300 {
        // From the root and from positions on the way of an earlier playout.
        let mut state = from.clone();
        let mut board = state.board;
        playout.moves.clear();
        rollout.run(&problem, &mut state, &mut playout, &mut rng);
        let counts = board.color_counts();
        let present = (1..16).filter(|&c| counts[c] > 0).fold(0, |bits, c| bits | 1 << c);
        let tabu = bandit.choose(present).unwrap();
        let policy = kernel::Policy::TabuFixed { epsilon: 0.01, tabu };
        let mut moves = Vec::new();
        let (engine, game) = (Engine::Portable, problem.game());
        kernel::playout(engine, policy, game, problem.extent(), &mut board, &mut own_rng, &mut moves);
        assert_eq!((&playout.moves, &state.board, &rng), (&moves, &board, &own_rng));
        let score = problem.score(&state);
        Rollout::<Tiles<G>>::feedback(&mut rollout, score);
        bandit.learn(tabu, score.value().unwrap() as i64);
        assert_eq!(learned(&rollout), bandit);
        from = problem.root();
        for &mv in moves.iter().take(moves.len() * (i % 4) / 5) {
            problem.apply(&mut from, mv);
        }
    }
    let all: u64 = (1..=15).map(|color| bandit.playouts(color)).sum();
    assert_eq!(all, 300);
}

#[test]
fn the_bandit_learns_every_playout() {
    follow_the_bandit::<Small>("random:8x8x4:1");
    follow_the_bandit::<Large>("random:12x9x6:2");
}

#[test]
fn only_its_own_playouts_teach_the_bandit() {
    let problem = tiles::<Small>("random:6x6x3:1");
    let mut rollout = named::<Small>("tabu-bandit");
    let (mut rng, mut playout) = (Rng::new(1), Playout::default());
    let feedback = |rollout: &mut TileRollout<Small>| {
        Rollout::<Tiles<Small>>::feedback(rollout, Score::Feasible(100.0));
        (1..=3).map(|color| learned(rollout).playouts(color)).collect::<Vec<_>>()
    };
    let mut state = problem.root();
    rollout.run(&problem, &mut state, &mut playout, &mut rng);
    assert_eq!(feedback(&mut rollout), [1, 0, 0]);
    // A score without a playout, one of a finished game, and one of a game that a learned policy played.
    assert_eq!(feedback(&mut rollout), [1, 0, 0]);
    rollout.run(&problem, &mut state, &mut playout, &mut rng);
    assert_eq!(feedback(&mut rollout), [1, 0, 0]);
    rollout.run(&problem, &mut problem.root(), &mut playout, &mut rng);
    rollout.run_policy(
        &problem,
        &mut problem.root(),
        &Policy::new(1.0, 0.0, f64::INFINITY),
        &mut Trace::default(),
        &mut rng,
    );
    assert_eq!(feedback(&mut rollout), [1, 0, 0]);
    // A score that means nothing is not learned later either.
    rollout.run(&problem, &mut problem.root(), &mut playout, &mut rng);
    Rollout::<Tiles<Small>>::feedback(&mut rollout, Score::Infeasible(1.0));
    assert_eq!(feedback(&mut rollout), [1, 0, 0]);
    rollout.run(&problem, &mut problem.root(), &mut playout, &mut rng);
    assert_eq!(feedback(&mut rollout), [1, 1, 0]);
}

#[test]
fn boards_with_hardly_a_choice() {
    let boards: [&[&[u8]]; 4] = [&[&[1]], &[&[2, 2, 2]], &[&[1, 2], &[2, 1]], &[&[3, 1, 3, 3]]];
    for rows in boards {
        let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
        let board = Board::<Small>::from_rows(&rows).unwrap();
        let grid = Grid::from_rows(&rows).unwrap();
        let problem = Tiles::<Small>::new(&grid, Game::SameGame, Penalty::None, Engine::Portable).unwrap();
        let mut groups = Vec::new();
        board.groups(&mut groups);
        for info in ROLLOUTS {
            let mut rollout = named::<Small>(info.name);
            let (mut rng, mut state, mut playout) = (Rng::new(1), problem.root(), Playout::default());
            rollout.run(&problem, &mut state, &mut playout, &mut rng);
            assert_eq!(playout.moves, groups, "{} {rows:?}", info.name);
            let ended: Position<Small> = state.clone();
            // The end position, empty for one of the boards.
            rollout.run(&problem, &mut state, &mut playout, &mut rng);
            assert_eq!((playout.moves, state), (groups.clone(), ended), "{} {rows:?}", info.name);
        }
    }
}

#[test]
fn the_wheel_draws_as_it_says() {
    let rows = vec![vec![1, 2, 1, 1, 2, 2], vec![1, 1, 1, 2, 3, 3], vec![2, 1, 2, 2, 3, 1], vec![2, 2, 2, 1, 1, 1]];
    let board = Board::<Small>::from_rows(&rows).unwrap();
    let mut groups = Vec::new();
    board.groups(&mut groups);
    let counts = board.color_counts();
    let wheel = |color: u8| f64::from(counts[usize::from(color)].pow(4));
    let all: f64 = (1..=3).map(wheel).sum();
    let size = |cell: u16| f64::from(board.group_size(cell));
    // Sum over the colours that may be kept of the chance of each, times the group's share of the other groups' cells.
    let chance = |cell: u16| -> f64 {
        let own = board.color_at(cell);
        let share = |kept: u8| {
            let others = groups.iter().filter(|&&other| board.color_at(other) != kept);
            wheel(kept) / all * size(cell) / others.map(|&other| size(other)).sum::<f64>()
        };
        (1..=3).filter(|&kept| kept != own).map(share).sum()
    };
    assert!((groups.iter().map(|&cell| chance(cell)).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(groups.len() >= 5);
    let draws = 40_000;
    let (mut rng, mut moves) = (Rng::new(8), Vec::new());
    let mut seen = vec![0_u32; groups.len()];
    let extent = Extent { rows: 4, columns: 6 };
    for _ in 0..draws {
        moves.clear();
        let (engine, policy) = (Engine::Portable, kernel::Policy::Roulette);
        kernel::playout(engine, policy, Game::SameGame, extent, &mut board.clone(), &mut rng, &mut moves);
        seen[groups.binary_search(&moves[0]).unwrap()] += 1;
    }
    let chi: f64 = groups
        .iter()
        .zip(&seen)
        .map(|(&cell, &count)| {
            let expected = f64::from(draws) * chance(cell);
            (f64::from(count) - expected).powi(2) / expected
        })
        .sum();
    // Mean + 5 standard deviations of chi-square.
    let freedom = (groups.len() - 1) as f64;
    assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt(), "{chi} {seen:?}");
}

/// One colour pays: the bandit finds out which, and keeps it most of the time.
#[test]
fn the_bandit_prefers_the_color_that_pays() {
    // A row of pairs of colours 2 and 3 that part the tiles of colour 1, which makes one large group when kept for
    // last.
    let row = [1, 1, 2, 2, 1, 1, 3, 3, 1, 1, 2, 2, 1, 1, 3, 3];
    let grid = Grid::from_rows(&vec![row.to_vec(); 2]).unwrap();
    let problem = Tiles::<Small>::new(&grid, Game::SameGame, Penalty::None, Engine::Portable).unwrap();
    let mut rollout = named::<Small>("tabu-bandit");
    let (mut rng, mut playout) = (Rng::new(2), Playout::default());
    for _ in 0..2_000 {
        let mut state = problem.root();
        playout.moves.clear();
        rollout.run(&problem, &mut state, &mut playout, &mut rng);
        let score = problem.score(&state);
        Rollout::<Tiles<Small>>::feedback(&mut rollout, score);
    }
    let bandit = learned(&rollout);
    assert!(bandit.playouts(1) > 1_600, "{bandit:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    /// Whatever a bandit learned is read back; a damaged byte is an error or a bandit that works.
    #[test]
    fn any_bandit_is_read_back(
        plays in prop::collection::vec((0_u8..=17, any::<i64>(), 0_u32..64), 0..40),
        at in 0_usize..496,
        flip in 1_u8..,
        present: u16,
    ) {
        let mut bandit = Bandit::default();
        for (color, score, shift) in plays {
            bandit.learn(color, score >> shift);
        }
        let mut bytes = bandit.save();
        prop_assert_eq!(&Bandit::load(&bytes).expect("as saved"), &bandit);
        bytes[at] ^= flip;
        if let Ok(mut other) = Bandit::load(&bytes) {
            prop_assert_eq!(other.save(), bytes);
            prop_assert_eq!(other.choose(present).is_some(), present > 1);
            other.learn(1, -5);
            prop_assert_eq!(&Bandit::load(&other.save()).expect("as saved"), &other);
        }
    }
}
