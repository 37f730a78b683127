//! The rules: a position, its moves and their codes.

use super::board::{Board, Rules};
use super::{Game, Stroke};
use soloist::problem::StableHasher;
use std::hash::Hasher;

/// The search's view of a [`Game`]: maximise the number of moves.
///
/// A move is a line, by a number below 6,400: 1,600 x direction (0 `-`, 1 `|`, 2 `\`, 3 `/`) + address of the line's
/// first point. Its new dot is the one point without a dot, so that the line determines the move. The number is also
/// the code under which policies learn. Moves are listed by number: the list depends on the set of lines drawn and not
/// on their order, so that states with equal keys list the same moves in the same order.
///
/// A state is 7.2 kB without pointers; a move costs five to seven words of eight lines each, whatever the length of the
/// game. The board has 40 x 40 points, which are at least 15 on each side of the cross; lines beyond are no moves. (The
/// longest games known go 9 points beyond the cross.)
///
/// # References
/// The counters by line are those of Nagórko's program, github.com/anagorko/morpion-lpp.
#[derive(Debug)]
pub struct Morpion {
    pub(super) rules: Rules,
    pub(crate) start: Position,
    pub(crate) fingerprint: u64,
}

/// What has been drawn so far, and which lines may be drawn next.
#[derive(Debug)]
pub struct Position(pub(super) Board);

impl Clone for Position {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl Position {
    /// Moves so far, those given by the instance included.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.0.drawn
    }

    /// Returns the number of lines that may be drawn next.
    #[must_use]
    pub fn choices(&self) -> u32 {
        self.0.choices
    }
}

impl Morpion {
    /// Lays out the board of `game` and plays its moves.
    ///
    /// # Errors
    /// One line: the first move that leaves the board.
    pub fn new(game: &Game) -> Result<Self, String> {
        let rules = Rules::new(game.variant());
        let mut board = Board::new(game.variant(), &rules);
        let mut hash = StableHasher::new();
        hash.write(b"morpion");
        hash.write(game.variant().name().as_bytes());
        for (index, stroke) in game.start().iter().enumerate() {
            // The rules were checked when the game was made.
            let line = rules.line(&board, stroke).ok_or_else(|| {
                format!("move {}, {stroke}, leaves the board: 15 points around the cross are searched", index + 1)
            })?;
            board.play(&rules, line, &mut ());
            hash.write_u64(line as u64);
        }
        Ok(Self { rules, start: Position(board), fingerprint: hash.finish() })
    }

    /// Returns the moves of a search, from the instance's position on, as people write them, up to the first that
    /// is no legal move.
    #[must_use]
    pub fn strokes(&self, moves: &[u16]) -> Vec<Stroke> {
        let mut board = self.start.0.clone();
        let mut strokes = Vec::with_capacity(moves.len());
        for line in moves.iter().map(|&mv| usize::from(mv)) {
            if !board.is_open(line) {
                break;
            }
            strokes.push(self.rules.stroke(line, board.missing(&self.rules, line)));
            board.play(&self.rules, line, &mut ());
        }
        strokes
    }

    /// Returns the move that `stroke` is in `state`, if it is one.
    #[must_use]
    pub fn line(&self, state: &Position, stroke: &Stroke) -> Option<u16> {
        self.rules.line(&state.0, stroke).map(|line| line as u16)
    }
}
