//! Golden runs: the orders that searches find, and the code that `simplify` writes, must not change by accident.
//!
//! Each line of `golden.txt` is a run. An order: instance, method with its settings, seed, playouts, the score and a
//! hash of the order. Code: instance, playouts, seed, its operations and a hash of its C code without comments. After a
//! change that is meant to change runs, write the file again with `SOLOIST_GOLDEN=write cargo test -p
//! soloist-expressions --test expressions golden`, look at the difference, and explain it in the changelog.

use crate::common::header;
use soloist::problem::stable_hash;
use soloist::{Budget, Method, Solver};
use soloist_expressions::{Direction, Effort, Language, Orders, Signs, Simplifier, default_setup, emit, generate};
use std::fmt::Write as _;
use std::sync::Arc;

const HEAD: &str = "# instance method [name=value ...] seed playouts -> score order-hash\n\
                    # simplify instance playouts seed -> operations code-hash\n";
const INSTANCES: &[&str] = &["res:4,3", "random:8x120x4:11"];
const SETTINGS: &[&str] = &[
    "sampling",
    "uct",
    "uct-best",
    "sa-uct",
    "sa-uct tree_playouts=150 cooling=depth c=0.5",
    "nrpa level=2 iterations=30",
    "nrpa level=1 iterations=50 bias_weight=0.8",
    "nmcs level=2",
    "beam width=8",
    "anneal",
    "anneal steps=60 reheats=1",
];

fn method(setting: &str) -> Method {
    let mut fields = setting.split(' ');
    let mut method = Method::preset(fields.next().unwrap()).unwrap();
    for field in fields {
        let (name, value) = field.split_once('=').unwrap();
        method.set(name, value).unwrap();
    }
    method
}

#[test]
fn golden_runs() {
    let mut text = HEAD.to_owned();
    for instance in INSTANCES {
        let system = Arc::new(generate(instance).unwrap());
        for setting in SETTINGS {
            for (direction, seed, playouts) in
                [(Direction::Forward, 1, 40), (Direction::Forward, 3, 1_000), (Direction::Backward, 2, 300)]
            {
                let problem = Orders::new(Arc::clone(&system), Signs::Canonical, direction);
                let solver = Solver::new(&problem, method(setting)).rollout("random").seed(seed);
                let best = solver.budget(Budget::playouts(playouts)).run().unwrap().best.unwrap();
                let hash = stable_hash(&problem.order(&best.moves));
                let name = format!("{direction:?}").to_lowercase();
                writeln!(text, "{instance} {name} {setting} {seed} {playouts} -> {} {hash:016x}", best.score).unwrap();
            }
        }
    }
    for (instance, playouts, seed) in
        [("res:4,3", 200, 0), ("random:5x60x4:7", 200, 0), ("res:4,3", 60, 5), ("random:6x90x5:3", 40, 1)]
    {
        let system = Arc::new(generate(instance).unwrap());
        let setup = default_setup().seed(seed);
        let simplifier = Simplifier { setup, effort: Effort::playouts(playouts), ..Simplifier::default() };
        let best = simplifier.run(&system, &mut |_| ()).unwrap().best;
        let code = emit(&system, &best.program, Language::C, &header(&system, &best.order));
        let lines: Vec<&str> = code.lines().filter(|line| !line.starts_with("//")).collect();
        let hash = stable_hash(&lines.join("\n"));
        writeln!(text, "simplify {instance} {playouts} {seed} -> {} {hash:016x}", best.operations()).unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expressions/golden.txt");
    soloist_testdata::check_golden(path, &text);
}
