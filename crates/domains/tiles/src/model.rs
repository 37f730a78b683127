//! The rules: a board under play, and what a move scores.

use super::game::{Game, Penalty};
use super::grid::Grid;
use super::kernel::{Board, Engine, Extent, Geometry};

/// A board to be played, under the rules of one of the games.
#[derive(Clone, Debug)]
pub struct Tiles<G: Geometry> {
    pub(crate) start: Board<G>,
    pub(crate) rows: usize,
    columns: usize,
    pub(crate) game: Game,
    pub(crate) penalty: Penalty,
    pub(crate) engine: Engine,
    /// The start board's colours, the most frequent first, ties to the lower colour.
    colors: Vec<u8>,
}

/// A position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<G: Geometry> {
    /// The tiles.
    pub board: Board<G>,
    /// Points of the moves so far.
    pub points: i64,
    /// Number of moves so far.
    pub played: u32,
}

impl<G: Geometry> Tiles<G> {
    /// Returns the game on `grid`, or `None` when the grid does not fit the layout `G` or is not settled.
    #[must_use]
    pub fn new(grid: &Grid, game: Game, penalty: Penalty, engine: Engine) -> Option<Self> {
        let start = Board::from_rows(&grid.to_rows()).ok()?;
        let counts = start.color_counts();
        let mut colors: Vec<u8> = (1..16).filter(|&color| counts[usize::from(color)] > 0).collect();
        soloist::order::sort_by_key(&mut colors, |&color| std::cmp::Reverse(counts[usize::from(color)]));
        Some(Self {
            start,
            rows: grid.rows(),
            columns: grid.cols(),
            game,
            penalty: game.penalty(penalty),
            engine,
            colors,
        })
    }

    /// Returns the start board.
    #[must_use]
    pub fn start(&self) -> &Board<G> {
        &self.start
    }

    /// Returns the game whose points are counted.
    #[must_use]
    pub fn game(&self) -> Game {
        self.game
    }

    /// Returns the end penalty in force.
    #[must_use]
    pub fn penalty(&self) -> Penalty {
        self.penalty
    }

    /// Returns the machine instructions used.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns the start board's colours, the most frequent first, the lower one of those tied.
    #[must_use]
    pub fn colors(&self) -> &[u8] {
        &self.colors
    }

    /// Returns the place of a move for people: (row, column) from 0 at the top left.
    #[must_use]
    pub fn place(&self, cell: u16) -> (usize, usize) {
        let (column, height) = (usize::from(cell) / G::LANE as usize, usize::from(cell) % G::LANE as usize);
        ((self.rows - 1).saturating_sub(height), column)
    }

    /// Returns the move at a [place](Self::place). `None`: it is beyond the board.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<u16> {
        let is_inside = row < self.rows && column < self.columns;
        is_inside.then(|| column as u16 * G::LANE as u16 + (self.rows - 1 - row) as u16)
    }

    /// Returns the box that the board fills.
    #[must_use]
    pub fn extent(&self) -> Extent {
        Extent { rows: self.rows, columns: self.columns }
    }

    /// Returns what is known about a move before anything is learned.
    pub(crate) fn terms(&self, state: &Position<G>, mv: u16) -> [f64; 2] {
        let size = state.board.group_size(mv).saturating_sub(2).min(8);
        let kept = self.colors.first() == Some(&state.board.color_at(mv));
        [f64::from(size), kept_term(kept)]
    }

    /// Returns the bias of a group with `size` tiles beyond two, at most 8, whose colour is the most frequent one or
    /// not.
    pub(crate) fn bias_of(size: usize, kept: bool) -> f64 {
        size as f64 + kept_term(kept)
    }

    /// Returns the points at the end of a game that stops at `board`.
    #[must_use]
    pub fn end_points(&self, board: &Board<G>) -> i64 {
        let counts = board.color_counts().map(|count| count as usize);
        self.game.end_points(self.penalty, &counts[1..])
    }
}

/// The term of the bias for the colour that is kept for last.
fn kept_term(kept: bool) -> f64 {
    if kept { -1.0 } else { 0.0 }
}
