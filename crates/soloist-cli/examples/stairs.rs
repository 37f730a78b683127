//! The command with a problem of its own: `stairs solve stairs FILE`, where FILE holds the number of steps.

use soloist::doc::Staircase;
use soloist_domain::{Domain, from_problem, no_generator};

const STAIRS: Domain = Domain {
    name: "stairs",
    summary: "left or right, as many lefts first as possible",
    score: "lefts before the first right, and half the later ones; more is better",
    instance: "a file with the number of steps",
    example: "stairs.txt",
    options: &[],
    searches: &[],
    load: |path, _| {
        from_problem(path, |text| text.trim().parse().map(Staircase).map_err(|_| "expected a number of steps".into()))
    },
    generate: no_generator,
};

fn main() -> std::process::ExitCode {
    soloist_cli::main(&[STAIRS])
}
