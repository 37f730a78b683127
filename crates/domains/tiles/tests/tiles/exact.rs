//! Exact searches on small boards against plain recursion; on a standard board they must not claim anything.

use soloist::run::StopReason;
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use soloist_domain_testing::{exhaust, published_data};
use soloist_tiles::kernel::{Engine, Small};
use soloist_tiles::{Game, Grid, Penalty, Tiles, Zero, generate, read};

const EXACT: [&str; 5] = ["dfs", "best-first", "bfs", "iterative-broadening", "ida-star"];

fn tiles(grid: &Grid, game: Game, penalty: Penalty) -> Tiles<Small> {
    Tiles::new(grid, game, penalty, Engine::Portable).unwrap()
}

fn random(spec: &str) -> Grid {
    generate(spec).unwrap()
}

#[test]
fn exact_searches_agree_with_brute_force() {
    let boards =
        ["random:4x4x2:1", "random:4x4x2:2", "random:4x4x3:3", "random:3x6x2:4", "random:5x5x3:5", "random:1x8x2:6"];
    for board in boards {
        let grid = random(board);
        for game in Game::ALL {
            for penalty in Penalty::ALL {
                let problem = tiles(&grid, game, penalty);
                let expected = exhaust(&problem, |_, _| {}).map(Score::Feasible);
                for name in EXACT.into_iter().chain(["uct"]) {
                    for table in ["true", "false"] {
                        let mut method = Method::preset(name).unwrap();
                        if name != "uct" {
                            method.set("table", table).unwrap();
                        } else if table == "false" {
                            continue;
                        }
                        let outcome = Solver::new(&problem, method).rollout("random").seed(1).run().unwrap();
                        let what = format!("{board} {game} {penalty} {name} table={table}");
                        assert_eq!(outcome.best.map(|best| best.score), expected, "{what}");
                        // Reaching the bound of the whole board is a proof as well.
                        assert!(outcome.optimal, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn bounds_are_admissible_along_playouts() {
    let mut rng = Rng::new(8);
    for board in ["random:6x6x3:1", "random:8x8x4:2", "random:15x15x5:3", "random:5x9x2:4"] {
        let grid = random(board);
        for game in Game::ALL {
            for penalty in Penalty::ALL {
                let problem = tiles(&grid, game, penalty);
                for _ in 0..40 {
                    let (mut state, mut bounds) = (problem.root(), Vec::new());
                    loop {
                        bounds.push(problem.bound(&state).unwrap());
                        let mut moves = Vec::new();
                        problem.moves(&state, &mut moves);
                        if moves.is_empty() {
                            break;
                        }
                        problem.apply(&mut state, moves[rng.index(moves.len())]);
                    }
                    let score = problem.score(&state).value().unwrap();
                    assert!(bounds.iter().all(|&bound| bound >= score), "{board} {game} {penalty}: {score} {bounds:?}");
                }
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn a_standard_board_is_out_of_reach() {
    let folder = published_data("samegame");
    let board = read(&folder.join("standard/js01.txt"), Zero::Empty).unwrap();
    let problem = tiles(&board.grid, Game::SameGame, Penalty::Schadd);
    for name in EXACT {
        let budget = Budget { nodes: Some(20_000), ..Budget::default() };
        let outcome = Solver::new(&problem, Method::preset(name).unwrap()).budget(budget).run().unwrap();
        assert_eq!(
            (outcome.stop, outcome.optimal, outcome.counters.nodes),
            (StopReason::Nodes, false, 20_000),
            "{name}"
        );
        // The root's bound, or a tighter one of the states that are still open.
        let bound = outcome.bound.unwrap();
        assert!(bound <= 10_417.0 && bound > 4_000.0, "{name}: {bound}");
        // Whatever they found is a game, far below the bound.
        if let Some(best) = outcome.best {
            let mut state = problem.root();
            best.moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
            assert_eq!(problem.score(&state), best.score);
            assert!(best.score.value().unwrap() < 10_417.0);
        }
    }
}
