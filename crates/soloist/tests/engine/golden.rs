//! Golden runs: what the searches find must not change by accident.
//!
//! Each line of `golden.txt` is a run: problem, method with its settings, seed, playouts, the score and a hash of the
//! moves. After a change that is meant to change runs, write the file again with `SOLOIST_GOLDEN=write cargo test -p
//! soloist --test engine golden`, look at the difference, and say why in the changelog.

use crate::common::{Bag, Fenced, method, run};
use soloist::Problem;
use soloist::doc::Staircase;
use soloist::problem::stable_hash;
use std::fmt::Write as _;

const HEAD: &str = "# problem method [name=value ...] seed playouts -> score moves-hash\n";
const SETTINGS: &[&str] = &[
    "sampling",
    "uct",
    "uct c=1.414 expansion=all threshold=2",
    "uct value=best normalization=none c=20",
    "uct-best",
    "nmcs",
    "nmcs level=1",
    "nmcs level=2",
    "nrpa",
    "nrpa level=1 iterations=50",
    "nrpa level=2 iterations=30 alpha=0.5 playouts=4",
    "nrpa level=3 iterations=10 bias_weight=0.8 temperature=1.5",
    "nrpa level=3 clamp=2",
];

/// Systematic searches: one that goes layer by layer needs a problem with few layers to finish anything.
const SYSTEMATIC: &[&str] =
    &["dfs", "dfs shuffle=all", "best-first", "bfs", "iterative-broadening children=bias", "ida-star"];

/// Tree searches beyond plain UCT, and local search.
const TREES: &[&str] = &[
    "uct-tuned",
    "sp-mcts",
    "sp-mcts-cem",
    "sp-mcts-move-cem",
    "bmcts beam_limit=100",
    "bmcts beam_limit=60 beam_width=1 widen=1 solver=false",
    "uct amaf=true history=0.1",
    "uct fpu=constant fpu_value=0.8 bias_weight=0.2",
    "uct playouts=history",
    "uct playouts=adapted clamp=3 restart_nodes=300",
    "uct move_playouts=50 move_growth=1.5 keep_tree=false",
    "sa-uct",
    "sa-uct tree_playouts=150 cooling=depth c=0.5",
    "uct-ratio reference=400",
    "anneal",
    "anneal steps=60 reheats=1 end=0.001",
    "anneal population=6 levels=2",
    "auto",
    "auto methods=uct,nrpa race_part=0.5",
];

/// The nested family beyond plain NRPA, and beams.
const NESTED: &[&str] = &[
    "nrpa level=3 iterations=10 repetitions=2",
    "nrpa level=2 iterations=30,20 threshold=3 bias_weight=0.5 bias_rate=0.1",
    "hd-nrpa level=2 iterations=30 threshold=3",
    "hd-nrpa level=3 iterations=10 width=2,5 threshold=0 bias_weight=0.4",
    "beam-nrpa level=2 iterations=10",
    "nmcs level=2 width=3",
    "beam width=20 noise=3",
    "beam width=5 merit=none tie=playouts",
    "beam width=8 widen=1 merit=none tie=policy",
];

/// Methods that go by bounds, on a bag that knows them.
const BOUNDED: &[&str] = &["cabs", "beam width=3 merit=bound noise=4 tie=policy merge=false prune=true"];

fn line<P: Problem>(text: &mut String, name: &str, problem: &P, setting: &str, seed: u64, playouts: u64) {
    let mut fields = setting.split(' ');
    let preset = fields.next().unwrap();
    let settings: Vec<_> = fields.map(|field| field.split_once('=').unwrap()).collect();
    let best = run(problem, &method(preset, &settings), seed, playouts).best.unwrap();
    let hash = stable_hash(&best.moves);
    writeln!(text, "{name} {setting} {seed} {playouts} -> {} {hash:016x}", best.score).unwrap();
}

#[test]
fn golden_runs() {
    let mut text = HEAD.to_owned();
    for setting in SETTINGS {
        for (seed, playouts) in [(1, 40), (2, 1_000), (3, 10_000)] {
            line(&mut text, "staircase-40", &Staircase(40), setting, seed, playouts);
            line(&mut text, "bag", &Bag::sixteen(), setting, seed, playouts);
            line(&mut text, "tight-bag-minimised", &Bag::tight().mirrored(), setting, seed, playouts);
        }
    }
    for setting in SYSTEMATIC {
        for (seed, playouts) in [(1, 40), (3, 10_000)] {
            line(&mut text, "staircase-12", &Staircase(12), setting, seed, playouts);
            line(&mut text, "bag", &Bag::sixteen(), setting, seed, playouts);
            line(&mut text, "tight-bag-minimised", &Bag::tight().mirrored(), setting, seed, playouts);
        }
    }
    for setting in TREES.iter().chain(NESTED) {
        for (seed, playouts) in [(1, 200), (3, 10_000)] {
            line(&mut text, "staircase-40", &Staircase(40), setting, seed, playouts);
            line(&mut text, "bag", &Bag::sixteen(), setting, seed, playouts);
            line(&mut text, "tight-bag-minimised", &Bag::tight().mirrored(), setting, seed, playouts);
        }
    }
    for setting in BOUNDED {
        for (seed, playouts) in [(1, 1), (3, 30)] {
            line(&mut text, "fenced-bag", &Fenced::new(Bag::sixteen()), setting, seed, playouts);
            line(&mut text, "fenced-bag-minimised", &Fenced::new(Bag::tight().mirrored()), setting, seed, playouts);
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/golden.txt");
    soloist_testdata::check_golden(path, &text);
}
