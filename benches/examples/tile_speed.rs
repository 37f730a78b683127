//! Playouts per second of every engine and policy on a standard board: `tile_speed FILE [SECONDS]`.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use soloist::Rng;
use soloist_tiles::Game;
use soloist_tiles::kernel::{Board, Engine, Extent, Geometry, Large, Policy, Small, playout};

fn measure<G: Geometry>(name: &str, board: &Board<G>, extent: Extent, time: Duration) {
    let tabu = board.most_frequent();
    let policies = [
        ("random", Policy::Random),
        ("tabu", Policy::Tabu { tabu: 0 }),
        ("selective", Policy::Selective { tabu, played: 0 }),
        ("random-cell", Policy::RandomCell),
        ("tabu-random", Policy::TabuRandom { epsilon: 0.003 }),
        ("tabu-color", Policy::TabuColor { epsilon: 0.0007 }),
        ("tabu-color-fixed", Policy::TabuFixed { epsilon: 0.0007, tabu: 0 }),
        ("roulette", Policy::Roulette),
    ];
    for engine in Engine::ALL.into_iter().filter(|e| e.is_supported()) {
        for (policy_name, policy) in policies {
            let (mut rng, mut moves) = (Rng::new(1), Vec::new());
            let (mut playouts, mut total, mut length) = (0_u32, 0, 0);
            let start = Instant::now();
            while start.elapsed() < time {
                for _ in 0..256 {
                    moves.clear();
                    total += playout(engine, policy, Game::SameGame, extent, &mut board.clone(), &mut rng, &mut moves);
                    length += moves.len();
                }
                playouts += 256;
            }
            let rate = f64::from(playouts) / start.elapsed().as_secs_f64();
            let (mean, length) = (total as f64 / f64::from(playouts), length as f64 / f64::from(playouts));
            println!(
                "{name:8} {:9} {policy_name:16} {rate:9.0}/s  mean {mean:7.1}  length {length:5.1}",
                engine.name()
            );
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a board file");
    let time = Duration::from_secs_f64(arguments.next().map_or(1.0, |s| s.parse().expect("seconds")));
    let text = std::fs::read_to_string(&file).expect("a board file");
    let rows: Vec<Vec<u8>> = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.split_whitespace().map(|c| c.parse().expect("a colour")).collect())
        .collect();
    let extent = Extent { rows: rows.len(), columns: rows[0].len() };
    measure("file", &Board::<Small>::from_rows(&rows).expect("a small board"), extent, time);

    let mut rng = Rng::new(1);
    let rows: Vec<Vec<u8>> = (0..20).map(|_| (0..20).map(|_| 1 + rng.index(10) as u8).collect()).collect();
    let extent = Extent { rows: 20, columns: 20 };
    measure("20x20x10", &Board::<Large>::from_rows(&rows).expect("a large board"), extent, time);
}
