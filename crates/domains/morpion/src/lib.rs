//! Morpion Solitaire: on squared paper, starting from a cross of dots, draw as many lines as possible, each with one
//! new dot.
//!
//! A move draws one dot where none is and a line through it: five consecutive points, across, down or diagonal, of
//! which the other four have dots. In the touching variant `5T` two lines of one direction may share an end point but
//! no segment between neighbouring points; in the disjoint variant `5D` they may share no point. Lines of different
//! directions cross freely. `4T` and `4D` are the same with lines of four points and a cross of 24 dots instead of 36.
//!
//! | | |
//! |---|---|
//! | score | length of the game in moves, those given by the instance included; larger is better |
//! | specs | `5T`, `5D`, `4T`, `4D`: the variant's cross |
//! | file | a game to be continued, in the notation of the Pentasol program; see [`parse`] |
//! | solution | `{"variant": "5D", "length": 2, "start": 0, "moves": [{"point": [2, 2], "direction": "/", "position": 2}, ...], "pentasol": "..."}` |
//!
//! Points are `[column, row]`; the cross begins at column 0 and row 0, rows count downwards, and both may be negative.
//! `direction` is one of `-`, `|`, `\` and `/`; `position` says which point of its line the new dot is, from 0 at the
//! left end (at the upper one of `|`). `start` is the number of moves that the instance gives.
//!
//! The longest games known have 82 moves (5D) and 178 (5T), both found by C. D. Rosin in 2010 and 2011 with nested
//! rollout policy adaptation; 62 (4T) and 35 (4D) are optimal. No game of 5D is longer than 84 moves, none of 5T longer
//! than 485.
//!
//! The files divide the work: `spec` and `format` make a [`Game`], `board` plays moves fast, `problem` and `rollout`
//! offer them to the engine as [`Morpion`], `verify` replays a game without the search, `draw` shows it.
//!
//! # References
//! C. Boyer, "Morpion Solitaire", www.morpionsolitaire.com (rules, records, notation). E. D. Demaine, M. L. Demaine, A.
//! Langerman and S. Langerman, "Morpion Solitaire", Theory of Computing Systems 39, 2006, pages 439-453 (variants). C.
//! D. Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", IJCAI 2011, pages 649-654. H.
//! Michalewski, A. Nagórko and J. Pawlewicz, "485 - a new upper bound for Morpion Solitaire", Computer Games Workshop,
//! 2015, and "An upper bound of 84 for Morpion Solitaire 5D", Canadian Conference on Computational Geometry, 2016.

#![forbid(unsafe_code)]

mod board;
mod domain;
mod draw;
mod format;
mod model;
mod problem;
mod rollout;
mod spec;
mod verify;

pub use domain::DOMAIN;
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub use draw::{svg, text};
#[doc(hidden)]
pub use format::{parse, read, write};
pub use model::{Morpion, Position};
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use verify::{IllegalStroke, Played, PlayedStroke, check, replay};

use std::fmt;

/// The most moves of a game that are read; no game is half as long.
pub const MAX_MOVES: usize = 1000;

/// A point: column and row, from the upper left corner of the cross, rows downwards.
pub type Point = (i32, i32);

/// The rules in force: points of a line, and what lines of one direction may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Lines of five points; lines of one direction may touch at their ends.
    T5,
    /// Lines of five points; lines of one direction share no point.
    D5,
    /// Lines of four points; lines of one direction may touch at their ends.
    T4,
    /// Lines of four points; lines of one direction share no point.
    D4,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::T5, Self::D5, Self::T4, Self::D4];

    /// `5T`, `5D`, `4T` or `4D`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::T5 => "5T",
            Self::D5 => "5D",
            Self::T4 => "4T",
            Self::D4 => "4D",
        }
    }

    /// Returns the number of points of a line.
    #[must_use]
    pub fn length(self) -> usize {
        match self {
            Self::T5 | Self::D5 => 5,
            Self::T4 | Self::D4 => 4,
        }
    }

    /// Whether lines of one direction share no point at all.
    #[must_use]
    pub fn is_disjoint(self) -> bool {
        matches!(self, Self::D5 | Self::D4)
    }

    /// The cross, drawn row by row.
    fn picture(self) -> &'static [&'static str] {
        match self {
            Self::T5 | Self::D5 => &[
                "   OOOO   ",
                "   O  O   ",
                "   O  O   ",
                "OOOO  OOOO",
                "O        O",
                "O        O",
                "OOOO  OOOO",
                "   O  O   ",
                "   O  O   ",
                "   OOOO   ",
            ],
            Self::T4 | Self::D4 => &["  OOO  ", "  O O  ", "OOO OOO", "O     O", "OOO OOO", "  O O  ", "  OOO  "],
        }
    }

    /// Columns, and rows, of the cross.
    #[must_use]
    pub fn cross_size(self) -> usize {
        self.picture().len()
    }

    /// Returns the dots of the cross, row by row.
    #[must_use]
    pub fn cross(self) -> Vec<Point> {
        let row = |(y, row): (i32, &&'static str)| {
            (0..).zip(row.bytes()).filter(|&(_, byte)| byte == b'O').map(move |(x, _)| (x, y)).collect::<Vec<_>>()
        };
        (0..).zip(self.picture()).flat_map(row).collect()
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `-`, from left to right.
    Across,
    /// `|`, downwards.
    Down,
    /// `\`, from the upper left to the lower right.
    Falling,
    /// `/`, from the lower left to the upper right.
    Rising,
}

impl Direction {
    /// All of them, in the order of the search.
    pub const ALL: [Self; 4] = [Self::Across, Self::Down, Self::Falling, Self::Rising];

    /// Returns the sign that stands for it.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Across => '-',
            Self::Down => '|',
            Self::Falling => '\\',
            Self::Rising => '/',
        }
    }

    /// Returns the direction of that sign.
    #[must_use]
    pub fn from_sign(sign: char) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.sign() == sign)
    }
}

/// A move as people write it: a dot and a line through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stroke {
    /// The new dot.
    pub point: Point,
    /// The direction of the line.
    pub direction: Direction,
    /// Which point of the line the dot is: 0 is the left end, or the upper end of a line downwards.
    pub position: usize,
}

impl fmt::Display for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point: (x, y), direction, position } = self;
        write!(f, "dot ({x},{y}) at position {position} of a line {}", direction.sign())
    }
}

/// An instance: a variant and the moves played so far, which are known to be legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    variant: Variant,
    start: Vec<Stroke>,
}

impl Game {
    /// Returns the game of `variant` that begins with the moves `start`.
    ///
    /// # Errors
    /// The first move that breaks the rules.
    pub fn new(variant: Variant, start: Vec<Stroke>) -> Result<Self, IllegalStroke> {
        replay(variant, &start)?;
        Ok(Self { variant, start })
    }

    /// Returns the bare cross of `variant`.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        Self { variant, start: Vec::new() }
    }

    /// Returns the rules.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the moves played so far.
    #[must_use]
    pub fn start(&self) -> &[Stroke] {
        &self.start
    }
}
