//! Tests of snakes and coils.

mod rules;
mod runs;
mod symmetry;
mod texts;

use super::domain::load;
use super::*;
use crate::path::Path;
use serde_json::json;
use soloist::{Method, Problem};
use soloist_domain::Options;
use soloist_domain::testing::shared_data;
use std::path::PathBuf;

fn cube(d: u32, k: u32) -> Cube {
    Cube::new(d, k).unwrap()
}

/// The problem with the default code and potential.
fn problem<const W: usize>(kind: Kind, d: u32, k: u32) -> Snakes<W> {
    Snakes::new(kind, &cube(d, k), Code::default(), Potential::default())
}

fn moves<const W: usize>(problem: &Snakes<W>, state: &Path<W>) -> Vec<u8> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    moves
}

fn play<const W: usize>(problem: &Snakes<W>, state: &Path<W>, mv: u8) -> Path<W> {
    let mut next = state.clone();
    problem.apply(&mut next, mv);
    next
}

fn score<const W: usize>(problem: &Snakes<W>, state: &Path<W>) -> u32 {
    problem.score(state).value().unwrap() as u32
}

/// The folder of published lengths and sequences, if it is there.
fn data() -> Option<PathBuf> {
    shared_data("snake")
}

/// A row of the table of lengths.
#[derive(Debug, PartialEq)]
struct Row {
    kind: Kind,
    k: u32,
    d: u32,
    length: u32,
    proven: bool,
}

fn kind_named(name: &str) -> Kind {
    match name {
        "snake" => Kind::Snake,
        "coil" => Kind::Coil,
        _ => panic!("{name}"),
    }
}

fn table(folder: &std::path::Path) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("snake.csv")).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<u32>().unwrap();
        let proven = fields[4].starts_with("proven");
        Row { kind: kind_named(fields[0]), k: number(1), d: number(2), length: number(3), proven }
    };
    text.lines().skip(1).map(row).collect()
}

/// The sequences known to be optimal: kind, spread, dimension, vertices.
fn examples(folder: &std::path::Path) -> Vec<(Kind, u32, u32, Vec<u32>)> {
    let text = std::fs::read_to_string(folder.join("optimal_examples.txt")).unwrap();
    let example = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let nodes = fields[4].split(',').map(|node| node.parse().unwrap()).collect();
        (kind_named(fields[0]), fields[1].parse().unwrap(), fields[2].parse().unwrap(), nodes)
    };
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(example).collect()
}
