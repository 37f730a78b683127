//! Policies: plain tables against hash tables, and what a level's copy costs.
//!
//! `cargo bench -p soloist-benches --bench policy`. The playout is one of a snake in the 8-cube: 90 steps, three codes
//! each, of 256 in all.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use soloist::Rng;
use soloist::rollout::{Policy, Trace};
use std::hint::black_box;

const STEPS: usize = 90;
const OFFERED: usize = 3;
const CODES: u32 = 256;

/// Codes of a playout, step by step.
fn codes(spread: u64) -> Vec<u64> {
    let mut rng = Rng::new(1);
    (0..STEPS * OFFERED).map(|_| rng.below(CODES.into()) * spread).collect()
}

fn record(policy: &Policy, codes: &[u64], trace: &mut Trace<u8>) -> u64 {
    trace.clear();
    let mut sum = 0;
    for step in codes.chunks(OFFERED) {
        for &code in step {
            sum += trace.offer(code, policy);
        }
        trace.choose(sum as usize % OFFERED, OFFERED, 0);
    }
    sum
}

fn policies(c: &mut Criterion) {
    let new = || Policy::new(1.0, 0.0, 3.0);
    // Large codes are hashed whatever the problem promises.
    let kinds = [("plain", new().with_codes(CODES), 1), ("hashed", new(), 1), ("hashed wide", new(), 1 << 40)];
    for (name, mut policy, spread) in kinds {
        let codes = codes(spread);
        let mut trace = Trace::default();
        for _ in 0..20 {
            record(&policy, &codes, &mut trace);
            policy.adapt(&trace, 1.0);
        }
        let mut group = c.benchmark_group("policy");
        group.throughput(Throughput::Elements(STEPS as u64));
        group.bench_function(format!("offer, {name}"), |b| b.iter(|| record(&policy, black_box(&codes), &mut trace)));
        group.bench_function(format!("adapt, {name}"), |b| b.iter(|| policy.adapt(black_box(&trace), 0.01)));
        let traces = [&trace; 10];
        group.bench_function(format!("adapt to ten, {name}"), |b| {
            b.iter(|| policy.adapt_diverse(black_box(&traces), 0.01));
        });
        // A level of 100 adaptations on a copy: by undo, and by a real copy of everything.
        group.bench_function(format!("copy by undo, {name}"), |b| {
            b.iter(|| {
                policy.push();
                policy.adapt(&trace, 0.01);
                policy.pop();
            });
        });
        group.bench_function(format!("copy of all, {name}"), |b| {
            b.iter(|| {
                let mut copy = policy.clone();
                copy.adapt(&trace, 0.01);
                copy
            });
        });
        group.finish();
    }
}

criterion_group!(benches, policies);
criterion_main!(benches);
