//! Tests of snakes and coils.

mod rules;
mod runs;
mod search;
mod symmetry;
mod texts;

use serde_json::json;
use soloist::{Method, Problem};
use soloist_domain::{AnyInstance, InstanceError, Options};
use soloist_domain_testing::published_data;
use soloist_hypercube::*;

fn load(kind: Kind, instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let domain = if kind == Kind::Snake { SNAKE } else { COIL };
    (domain.load)(instance, options)
}

fn cube(d: u32, k: u32) -> Cube {
    Cube::new(d, k).unwrap()
}

/// The problem with the default code and potential.
fn problem(kind: Kind, d: u32, k: u32) -> Snakes {
    Snakes::new(kind, &cube(d, k), Code::default(), Potential::default())
}

fn moves(problem: &Snakes, state: &Path) -> Vec<u8> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    moves
}

fn play(problem: &Snakes, state: &Path, mv: u8) -> Path {
    let mut next = state.clone();
    problem.apply(&mut next, mv);
    next
}

fn score(problem: &Snakes, state: &Path) -> u32 {
    problem.score(state).value().unwrap() as u32
}

/// A row of the table of proven lengths.
#[derive(Debug, PartialEq)]
struct Row {
    kind: Kind,
    k: u32,
    d: u32,
    length: u32,
}

fn kind_named(name: &str) -> Kind {
    match name {
        "snake" => Kind::Snake,
        "coil" => Kind::Coil,
        _ => panic!("{name}"),
    }
}

/// The proven lengths.
fn proven_lengths() -> Vec<Row> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| fields[at].parse::<u32>().unwrap();
        Row { kind: kind_named(fields[0]), k: number(1), d: number(2), length: number(3) }
    };
    include_str!("lengths.txt").lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

/// The sequences known to be optimal: kind, spread, dimension, vertices.
fn examples() -> Vec<(Kind, u32, u32, Vec<u32>)> {
    let text = std::fs::read_to_string(published_data("snake").join("optimal_examples.txt")).unwrap();
    let example = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let nodes = fields[4].split(',').map(|node| node.parse().unwrap()).collect();
        (kind_named(fields[0]), fields[1].parse().unwrap(), fields[2].parse().unwrap(), nodes)
    };
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(example).collect()
}

/// The bits flipped, renamed in the order of their first use.
fn canonical(flips: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut names = Vec::new();
    let mut renamed = Vec::new();
    for bit in flips {
        if !names.contains(&bit) {
            names.push(bit);
        }
        renamed.push(names.iter().position(|&name| name == bit).unwrap() as u8);
    }
    renamed
}
