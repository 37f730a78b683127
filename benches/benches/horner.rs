//! Horner orders of growing resultants: evaluations without and with a memory, and annealing. Each bench also asserts
//! its result.
//!
//! `cargo bench -p soloist-benches --features criterion --bench horner`
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use soloist::{Budget, Method, Rng, Solver};
use soloist_expressions::scheme::{Direction, Options, Scheme, SchemeOrders, Terms};
use soloist_expressions::{open, terms};

/// The number of orders of one measured call.
const ORDERS: u64 = 20;
/// The steps of annealing of one measured call.
const STEPS: u64 = 300;

/// An expression, the sum of the operations of [`ORDERS`] random orders, and the score after [`STEPS`] steps of
/// annealing.
struct Case {
    spec: &'static str,
    sum: u64,
    annealed: f64,
}

const CASES: &[Case] = &[
    Case { spec: "res:4,3", sum: 5_130, annealed: 174.0 },
    Case { spec: "res:5,4", sum: 29_238, annealed: 833.0 },
    Case { spec: "res:6,4", sum: 61_834, annealed: 1_672.0 },
    Case { spec: "res:7,4", sum: 120_246, annealed: 3_207.0 },
    Case { spec: "res:7,5", sum: 445_437, annealed: 12_380.0 },
];

fn scheme(terms: &Terms, memory: u64) -> Scheme {
    Scheme::new(terms, &Options { memory, ..Options::default() })
}

/// The sum of `count` over random orders.
fn random(scheme: &Scheme, count: impl Fn(&Scheme, &[usize]) -> u64) -> u64 {
    let mut order = scheme.searched().to_vec();
    let mut rng = Rng::new(1);
    let mut sum = 0;
    for _ in 0..ORDERS {
        rng.shuffle(&mut order);
        sum += count(scheme, &order);
    }
    sum
}

fn anneal(terms: &Terms) -> Option<f64> {
    let problem = SchemeOrders::new(scheme(terms, Options::default().memory), Direction::Forward);
    let solver = Solver::new(&problem, Method::preset("anneal").expect("a preset")).seed(1);
    solver.budget(Budget::playouts(STEPS)).run().expect("a run").best.and_then(|best| best.score.value())
}

fn orders(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("horner");
    group.sample_size(10);
    for case in CASES {
        let system = open(case.spec, true).expect("a spec");
        let (terms, _) = terms(&system);
        let name = format!("{}, {} terms", case.spec, terms.len());
        let blank = scheme(&terms, 0);
        let remembers = scheme(&terms, Options::default().memory);
        let cost = |scheme: &Scheme, order: &[usize]| scheme.cost(order);
        assert_eq!(random(&blank, Scheme::operations), case.sum, "{name}");
        let all = random(&remembers, cost);
        // The cost counts a multiple on each level that needs it.
        assert!(
            (case.sum..case.sum + case.sum / 50).contains(&all) && all == random(&remembers, cost),
            "{name}: {all}"
        );
        assert_eq!(anneal(&terms), Some(case.annealed), "{name}");
        group.throughput(Throughput::Elements(ORDERS));
        group.bench_function(BenchmarkId::new("nothing remembered", &name), |bencher| {
            bencher.iter(|| random(&blank, Scheme::operations));
        });
        group.bench_function(BenchmarkId::new("all remembered", &name), |bencher| {
            bencher.iter(|| random(&remembers, cost));
        });
        group.throughput(Throughput::Elements(STEPS));
        group.bench_function(BenchmarkId::new("annealing from nothing", &name), |bencher| {
            bencher.iter(|| anneal(&terms));
        });
    }
    group.finish();
}

criterion_group!(benches, orders);
criterion_main!(benches);
