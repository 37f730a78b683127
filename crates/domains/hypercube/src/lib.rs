//! Snakes and coils in the box: the longest paths and cycles of a hypercube that keep away from themselves.
//!
//! The `d`-cube has the vertices `0..2^d`; an edge flips one bit. `Ham` is the number of bits in which two vertices
//! differ.
//!
//! | | |
//! |---|---|
//! | snake of spread `k` | a path `v0 .. vL` with `Ham(vi, vj) >= min(k, j - i)` for all `i < j`; its length is `L`, the edges |
//! | coil of spread `k` | a cycle `v0 .. v(N-1)` with the same rule for distances along the cycle; its length is `N`, always even |
//! | score | the length, larger is better |
//! | range | dimension 2 to 13, spread 1 to 7; 2 is the classic problem, 1 asks for Hamiltonian paths and cycles |
//! | specs | `d8k2`, or `d8` for spread 2 |
//! | file | a spec, and optionally the beginning of the path; see [`parse`] |
//! | solution | `{"kind": "snake", "d": 3, "k": 2, "length": 4, "nodes": [0, 1, 3, 7, 6], "transitions": [0, 1, 2, 0]}` |
//!
//! The "min" of the rule matters: vertices closer than `k` along the path are as far apart as they can be. A move flips
//! a bit. The start is vertex 0 and a new bit is the lowest one not yet used, which leaves out nothing but symmetric
//! copies: a path in this form is called *canonical* (W. H. Kautz, IRE Transactions on Electronic Computers EC-7, 1958;
//! K. J. Kochut, Journal of Combinatorial Mathematics and Combinatorial Computing 20, 1996).
//!
//! The files divide the work: `format` and `spec` make a [`Cube`], `path` and `closure` hold the rules that the
//! [`Snakes`] of `problem` plays by, for sets of vertices of each `width`; `bound` estimates what is left, `rollout`
//! plays fast, `verify` checks a solution without any of them, `draw` shows it. `automorphism` and `symmetric_coils`
//! are coils of a path and its images. `one_by_one` makes one `beam` after the other for two methods: `symmetric` uses
//! these coils, and `learned` ranks paths by `weights`. `siblings` ranks the continuations of one path together.
//! `sections` replaces sections of whole paths and cycles. `search` lists the methods.

#![forbid(unsafe_code)]

mod automorphism;
mod beam;
mod bound;
mod closure;
mod domain;
mod draw;
mod format;
mod learned;
mod limits;
mod model;
mod one_by_one;
mod path;
mod problem;
mod rollout;
mod search;
mod sections;
mod siblings;
mod spec;
mod symmetric;
mod symmetric_coils;
mod verify;
mod weights;
mod width;

pub use domain::{COIL, SNAKE};
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub use draw::{svg, text};
#[doc(hidden)]
pub use format::{parse, read, write};
pub use model::{Code, Potential, Snakes};
#[doc(hidden)]
pub use path::Path;
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use symmetric_coils::{Ring, SymmetricCoils};
#[doc(hidden)]
pub use verify::{check, violation};

use std::ops::RangeInclusive;

/// The dimensions that are solved.
pub const DIMENSIONS: RangeInclusive<u32> = 2..=13;
/// Words of 64 vertices in the largest cube.
const MAX_WORDS: usize = 128;
/// The spreads that are solved.
pub const SPREADS: RangeInclusive<u32> = 1..=7;

/// Path or cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An open path, its length counted in edges.
    Snake,
    /// A cycle, its length counted in vertices.
    Coil,
}

impl Kind {
    /// Returns the name of the problem.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Snake => "snake",
            Self::Coil => "coil",
        }
    }
}

/// An instance: a hypercube, a spread, and the beginning of the path, empty unless the search is primed.
///
/// The beginning is held as the bits flipped, in canonical form: renamed so that it starts at vertex 0 and a new bit is
/// the lowest one not yet used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    dimension: u32,
    spread: u32,
    prefix: Vec<u8>,
}

impl Cube {
    /// Returns the cube of `dimension` with paths of `spread`.
    ///
    /// # Errors
    /// One line: a number outside of [`DIMENSIONS`] or [`SPREADS`].
    pub fn new(dimension: u32, spread: u32) -> Result<Self, String> {
        for (name, value, range) in [("dimension", dimension, DIMENSIONS), ("spread", spread, SPREADS)] {
            if !range.contains(&value) {
                return Err(format!("{name} {value}, expected {} to {}", range.start(), range.end()));
            }
        }
        Ok(Self { dimension, spread, prefix: Vec::new() })
    }

    /// Returns the same cube with paths that begin as `nodes` do, up to symmetry.
    ///
    /// # Errors
    /// The position of the first vertex that does not fit, and why: a vertex that the cube has not, a step that is no
    /// edge, a vertex too close to an earlier one.
    pub fn with_prefix(self, nodes: &[u32]) -> Result<Self, (usize, String)> {
        let count = 1 << self.dimension;
        for (at, &node) in nodes.iter().enumerate() {
            if node >= count {
                return Err((at, format!("vertex {node} does not exist: there are {count}, counted from 0")));
            }
        }
        if nodes.len() > count as usize {
            return Err((count as usize, format!("more than {count} vertices")));
        }
        if let Some(wrong) = violation(nodes, self.spread, Kind::Snake) {
            return Err((wrong.places.1, wrong.to_string()));
        }
        Ok(Self { prefix: canonical(flips_along(nodes)), ..self })
    }

    /// Returns the dimension `d`: there are `2^d` vertices.
    #[must_use]
    pub fn dimension(&self) -> u32 {
        self.dimension
    }

    /// Returns the spread `k`.
    #[must_use]
    pub fn spread(&self) -> u32 {
        self.spread
    }

    /// Returns the bits flipped at the beginning of every path, in canonical form.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Returns the spec of the cube, without its prefix: `d8k2`.
    #[must_use]
    pub fn spec(&self) -> String {
        format!("d{}k{}", self.dimension, self.spread)
    }
}

/// Bits renamed in the order of their first use.
fn canonical(mut flips: Vec<u8>) -> Vec<u8> {
    let mut names: Vec<u8> = Vec::new();
    for bit in &mut flips {
        let known = names.iter().position(|name| name == bit).unwrap_or(names.len());
        if known == names.len() {
            names.push(*bit);
        }
        *bit = known as u8;
    }
    flips
}

/// The bits flipped along the vertices.
fn flips_along(nodes: &[u32]) -> Vec<u8> {
    nodes.windows(2).map(|pair| (pair[0] ^ pair[1]).trailing_zeros() as u8).collect()
}

/// The vertices along the bits flipped, from vertex 0 on.
fn nodes_of(transitions: &[u8]) -> Vec<u32> {
    let mut node = 0;
    let after = transitions.iter().map(|&bit| {
        node ^= 1 << bit;
        node
    });
    std::iter::once(0).chain(after).collect()
}
