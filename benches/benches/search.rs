//! Whole search steps, tree or adaptation included, at fixed work; each also asserts what it found.
//!
//! `cargo bench -p soloist-benches --bench search`
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use soloist::{Budget, Method, Problem, Solver};
use soloist_tiles::kernel::{Engine, Small};
use soloist_tiles::{Game, Penalty, Tiles, generate};
use std::hint::black_box;

const PLAYOUTS: u64 = 20_000;

/// A search on random:15x15x5:5.
struct Case {
    name: &'static str,
    preset: &'static str,
    settings: &'static [(&'static str, &'static str)],
    rollout: &'static str,
    /// The best score after [`PLAYOUTS`] playouts with seed 1.
    score: f64,
}

const CASES: &[Case] = &[
    Case { name: "nrpa", preset: "nrpa", settings: &[("level", "3")], rollout: "selective", score: 2799.0 },
    Case {
        name: "nrpa, 4 playouts an adaptation",
        preset: "nrpa",
        settings: &[("level", "3"), ("playouts", "4")],
        rollout: "selective",
        score: 2911.0,
    },
    Case { name: "hd-nrpa", preset: "hd-nrpa", settings: &[], rollout: "selective", score: 1851.0 },
    Case { name: "uct", preset: "uct", settings: &[], rollout: "random-cell", score: 1289.0 },
    Case { name: "uct-best", preset: "uct-best", settings: &[], rollout: "random-cell", score: 495.0 },
    Case { name: "nmcs", preset: "nmcs", settings: &[("level", "2")], rollout: "random", score: 2197.0 },
];

fn run<P: Problem>(problem: &P, case: &Case) -> Option<f64> {
    let mut method = Method::preset(case.preset).expect("a preset");
    for (name, value) in case.settings {
        method.set(name, value).expect("a parameter");
    }
    let solver = Solver::new(problem, method).rollout(case.rollout).seed(1).budget(Budget::playouts(PLAYOUTS));
    solver.run().expect("a run").best.and_then(|best| best.score.value())
}

fn steps(criterion: &mut Criterion) {
    let grid = generate("random:15x15x5:5").expect("a spec");
    let mut group = criterion.benchmark_group("samegame");
    group.throughput(Throughput::Elements(PLAYOUTS)).sample_size(10);
    for case in CASES {
        for engine in Engine::ALL.into_iter().filter(|engine| engine.is_supported()) {
            let problem = Tiles::<Small>::new(&grid, Game::SameGame, Penalty::Schadd, engine).expect("it fits");
            assert_eq!(run(&problem, case), Some(case.score), "{} on {}", case.name, engine.name());
            group.bench_function(BenchmarkId::new(case.name, engine.name()), |bencher| {
                bencher.iter(|| black_box(run(&problem, case)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
