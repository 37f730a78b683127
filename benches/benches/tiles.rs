//! Playouts of every engine and policy; asserts that all engines score the same.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use soloist::Rng;
use soloist_tiles::Game;
use soloist_tiles::kernel::{Board, Engine, Extent, Geometry, Large, Policy, Small, playout};

/// Playouts per measured call.
const BATCH: u64 = 64;

fn board<G: Geometry>(extent: Extent, colors: usize) -> Board<G> {
    let mut rng = Rng::new(1);
    let mut row = || (0..extent.columns).map(|_| 1 + rng.index(colors) as u8).collect();
    let rows: Vec<Vec<u8>> = (0..extent.rows).map(|_| row()).collect();
    Board::from_rows(&rows).expect("a board that fits")
}

fn bench<G: Geometry>(c: &mut Criterion, name: &str, extent: Extent, colors: usize) {
    let start = board::<G>(extent, colors);
    let tabu = start.most_frequent();
    let policies = [
        ("random", Policy::Random),
        ("random-cell", Policy::RandomCell),
        ("tabu-random", Policy::TabuRandom { epsilon: 0.003 }),
        ("tabu-color", Policy::TabuColor { epsilon: 0.0007 }),
        ("tabu-color-fixed", Policy::TabuFixed { epsilon: 0.0007, tabu: 0 }),
        ("roulette", Policy::Roulette),
        ("tabu", Policy::Tabu { tabu }),
        ("selective", Policy::Selective { tabu, played: 0 }),
    ];
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(BATCH)).sample_size(10);
    group.measurement_time(std::time::Duration::from_millis(500)).warm_up_time(std::time::Duration::from_millis(200));
    for (policy_name, policy) in policies {
        let run = |engine, rng: &mut Rng, moves: &mut Vec<u16>| {
            let mut sum = 0;
            for _ in 0..BATCH {
                moves.clear();
                sum += playout(engine, policy, Game::SameGame, extent, &mut start.clone(), rng, moves);
            }
            sum
        };
        let expected = run(Engine::Portable, &mut Rng::new(7), &mut Vec::new());
        for engine in Engine::ALL.into_iter().filter(|e| e.is_supported()) {
            assert_eq!(run(engine, &mut Rng::new(7), &mut Vec::new()), expected, "{engine:?} {policy_name}");
            let (mut rng, mut moves) = (Rng::new(7), Vec::new());
            group.bench_function(format!("{policy_name}/{}", engine.name()), |b| {
                b.iter(|| run(engine, &mut rng, &mut moves));
            });
        }
    }
    group.finish();
}

fn playouts(c: &mut Criterion) {
    bench::<Small>(c, "15x15x5", Extent { rows: 15, columns: 15 }, 5);
    bench::<Large>(c, "20x20x10", Extent { rows: 20, columns: 20 }, 10);
}

criterion_group!(benches, playouts);
criterion_main!(benches);
