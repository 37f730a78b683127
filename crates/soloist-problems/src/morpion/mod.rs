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
//! The files divide the work: `format` reads and writes a [`Game`], `board` plays moves fast, `search` and `rollout`
//! offer them to the engine as [`Morpion`], `verify` replays a game without the search, `draw` shows it.
//!
//! # References
//! C. Boyer, "Morpion Solitaire", www.morpionsolitaire.com (rules, records, notation). E. D. Demaine, M. L. Demaine, A.
//! Langerman and S. Langerman, "Morpion Solitaire", Theory of Computing Systems 39, 2006, pages 439-453 (variants). C.
//! D. Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", IJCAI 2011, pages 649-654. H.
//! Michalewski, A. Nagórko and J. Pawlewicz, "485 - a new upper bound for Morpion Solitaire", Computer Games Workshop,
//! 2015, and "An upper bound of 84 for Morpion Solitaire 5D", Canadian Conference on Computational Geometry, 2016.

mod board;
mod draw;
mod format;
#[cfg(test)]
mod records;
mod rollout;
mod search;
#[cfg(test)]
mod tests;
mod verify;

pub use format::{parse, read, write};
pub use search::{Morpion, Position};
pub use verify::{Fault, Played, Step, check, replay};

use crate::{Checked, Domain, DomainOption, Instance, InstanceError, Options, Shipped};
use serde_json::{Value, json};
use soloist::Method;
use soloist::search::Nrpa;
use std::fmt;
use std::str::FromStr;

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

    /// The number of points of a line.
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

    /// The dots of the cross, row by row.
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

impl FromStr for Variant {
    type Err = String;

    /// The variant of that name, in upper or lower case.
    ///
    /// # Errors
    /// The names that exist.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|variant| variant.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| "expected 5T, 5D, 4T or 4D".into())
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

    /// The sign that stands for it.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Across => '-',
            Self::Down => '|',
            Self::Falling => '\\',
            Self::Rising => '/',
        }
    }

    /// The direction of that sign.
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
    /// The game of `variant` that begins with the moves `start`.
    ///
    /// # Errors
    /// The first move that breaks the rules.
    pub fn new(variant: Variant, start: Vec<Stroke>) -> Result<Self, Fault> {
        replay(variant, &start)?;
        Ok(Self { variant, start })
    }

    /// The bare cross of `variant`.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        Self { variant, start: Vec::new() }
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The moves played so far.
    #[must_use]
    pub fn start(&self) -> &[Stroke] {
        &self.start
    }
}

/// The domain as the command line knows it.
pub(crate) const DOMAIN: Domain = Domain {
    name: "morpion",
    summary: "draw as many lines of five as possible on squared paper, each with one new dot (Morpion Solitaire)",
    score: "moves of the game; larger is better",
    instance: "a spec: 5T (parallel lines may touch), 5D (parallel lines share no point), 4T, 4D (lines of four); or a game to be \
               continued: a file in Pentasol notation, with its variant in a line `# variant 5D` or by --set assume=5D",
    example: "5D",
    options: &[DomainOption {
        name: "assume",
        values: &["nothing", "5T", "5D", "4T", "4D"],
        help: "the variant of a file that does not name its own; nothing: it must",
    }],
    load,
    generate: |spec| {
        let variant = spec.parse().map_err(|message: String| InstanceError::new(spec, message))?;
        Ok(write(&Game::of(variant)))
    },
};

/// An instance with its name and its search problem.
struct Loaded {
    name: String,
    game: Game,
    problem: Morpion,
}

fn load(instance: &str, options: &Options) -> Result<Box<dyn Instance>, InstanceError> {
    let fail = |message: String| InstanceError::new(instance, message);
    let assumed = match options.get("assume").map(String::as_str) {
        None | Some("nothing") => None,
        Some(name) => Some(name.parse::<Variant>().map_err(fail)?),
    };
    let game = match instance.parse::<Variant>() {
        Ok(variant) => Game::of(variant),
        Err(_) => read(instance, assumed)?,
    };
    let problem = Morpion::new(&game).map_err(fail)?;
    Ok(Box::new(Loaded { name: instance.to_owned(), game, problem }))
}

impl Loaded {
    /// The whole game: the moves that the instance gives, and those of the search.
    fn game(&self, moves: &[u16]) -> Vec<Stroke> {
        [self.game.start(), &self.problem.strokes(moves)].concat()
    }

    /// The game of a solution object, replayed by the verifier's rules.
    fn played(&self, solution: &Value) -> Result<Played, String> {
        let strokes = verify::strokes(solution, self.game.variant())?;
        replay(self.game.variant(), &strokes).map_err(|fault| fault.to_string())
    }
}

impl Shipped for Loaded {
    type Problem = Morpion;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let variant = self.game.variant();
        let rule = if variant.is_disjoint() { "share no point" } else { "may touch" };
        let start = match self.game.start().len() {
            0 => String::new(),
            moves => format!("; {moves} moves played"),
        };
        format!("variant {variant}, lines of {} points, parallel lines {rule}{start}", variant.length())
    }

    fn problem(&self) -> &Morpion {
        &self.problem
    }

    /// NRPA of level 3 with two playouts an adaptation: with four million playouts of 5D and the seeds 1 to 3 it found
    /// 80, 80 and 82, with one playout an adaptation 78, 80 and 80, with four 80, 81 and 76. A clamp of the logits at 3,
    /// of use elsewhere, cost two moves of 5D and twenty of 5T.
    fn default_method(&self) -> Method {
        Method::Nrpa(Nrpa { level: 3, playouts: 2, ..Nrpa::default() })
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let (variant, strokes) = (self.game.variant(), self.game(moves));
        let list: Vec<Value> = strokes
            .iter()
            .map(|&Stroke { point: (x, y), direction, position }| {
                json!({ "point": [x, y], "direction": direction.sign().to_string(), "position": position })
            })
            .collect();
        let pentasol = format::pentasol(variant, &strokes);
        let (length, start) = (strokes.len(), self.game.start().len());
        json!({ "variant": variant.name(), "length": length, "start": start, "moves": list, "pentasol": pentasol })
    }

    /// Each move of the search as `[column, row, direction, position]`.
    fn moves(&self, moves: &[u16]) -> Value {
        let entry = |stroke: &Stroke| {
            json!([stroke.point.0, stroke.point.1, stroke.direction.sign().to_string(), stroke.position])
        };
        self.problem.strokes(moves).iter().map(entry).collect()
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.game, text)
    }

    fn text(&self, solution: &Value) -> String {
        if solution.is_null() {
            return "no solution\n".into();
        }
        self.played(solution).map_or_else(|error| error + "\n", |played| draw::text(&played))
    }

    fn svg(&self, solution: &Value) -> String {
        let start =
            || replay(self.game.variant(), self.game.start()).unwrap_or_else(|_| Played::of(self.game.variant()));
        let played = self.played(solution).unwrap_or_else(|_| start());
        draw::svg(&played, &self.name, self.game.start().len())
    }
}
