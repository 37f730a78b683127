//! Boards and games as text for a terminal.

use std::fmt::Write;

use crate::game::Game;
use crate::grid::Grid;
use crate::verify::Verified;

/// Returns the board with row and column numbers from 0 at the top left; `.` is an empty cell.
///
/// ```
/// use soloist_tiles::{Grid, board_text};
/// let grid = Grid::new(2, 2, vec![0, 2, 1, 1]).unwrap();
/// assert_eq!(board_text(&grid), "     c00 c01\n r00   .   2\n r01   1   1\n");
/// ```
#[must_use]
pub fn board_text(grid: &Grid) -> String {
    let mut text = "    ".to_string();
    // Writing to a string cannot fail, here and below.
    (0..grid.cols()).for_each(|col| write!(text, " c{col:02}").unwrap_or(()));
    text.push('\n');
    for (row, cells) in grid.cells().chunks(grid.cols()).enumerate() {
        let _ = write!(text, " r{row:02}");
        for &cell in cells {
            let _ = if cell == 0 { write!(text, "   .") } else { write!(text, "{cell:>4}") };
        }
        text.push('\n');
    }
    text
}

/// One line that says how a game ended: score, moves, tiles left.
#[must_use]
pub(crate) fn summary(played: &Verified) -> String {
    let end = match (played.tiles_left, played.finished) {
        (0, _) => "board cleared".to_string(),
        (1, true) => "1 tile left".to_string(),
        (tiles, true) => format!("{tiles} tiles left"),
        (tiles, false) => format!("unfinished, {tiles} tiles left"),
    };
    let plural = if played.steps.len() == 1 { "" } else { "s" };
    let mut text =
        format!("{}: {} points in {} move{plural}, {end}", played.game.title(), played.score, played.steps.len());
    if played.game == Game::SameGame {
        let _ = write!(text, " (penalty: {})", played.penalty);
    }
    text
}

/// Returns the moves to follow by hand, one a line, with a legend: `12. r07 c03  colour 2  x9  +49  = 133`.
#[must_use]
pub(crate) fn moves(played: &Verified) -> String {
    let mut text = String::from(
        "Each line: move number, a cell of the group (row and column from 0 at the top left, on the board before the\n\
         move), its colour, the tiles removed, the points gained = the points so far.\n",
    );
    let longest =
        |value: &dyn Fn(usize) -> i64| (0..played.steps.len()).map(|i| value(i).to_string().len()).max().unwrap_or(1);
    let number = played.steps.len().to_string().len();
    let color = longest(&|i| played.steps[i].color as i64);
    let size = longest(&|i| played.steps[i].size as i64);
    let points = longest(&|i| played.steps[i].points);
    let total = longest(&|i| played.steps[i].total).max(played.score.to_string().len());
    for (i, step) in played.steps.iter().enumerate() {
        let _ = writeln!(
            text,
            "{:>number$}. r{:02} c{:02}  colour {:>color$}  {:<width$}  {:<gain$}  = {:>total$}",
            i + 1,
            step.row,
            step.col,
            step.color,
            format!("x{}", step.size),
            format!("+{}", step.points),
            step.total,
            width = size + 1,
            gain = points + 1,
        );
    }
    if played.finished && played.game == Game::SameGame {
        let what = if played.tiles_left == 0 { "board cleared" } else { "penalty for the tiles left" };
        let _ = writeln!(text, "end: {what}  {:+}  = {}", played.end_points, played.score);
    }
    text
}

/// Everything about a game: summary, final board (when a tile is left) and moves.
#[must_use]
pub fn game_text(played: &Verified) -> String {
    let mut text = summary(played) + "\n\n";
    if played.tiles_left > 0 {
        text.push_str(&board_text(played.last()));
        text.push('\n');
    }
    text + &moves(played)
}

/// Returns the moves as a plain list that [`parse_solution`](crate::parse_solution) reads back, with a comment on the
/// game and its score.
#[must_use]
pub fn moves_text(played: &Verified) -> String {
    let mut text = format!("# {}, penalty {}, score {}\n", played.game, played.penalty, played.score);
    text.push_str("# convention: row-column\n");
    for step in &played.steps {
        text.push_str(&format!("{} {}\n", step.row, step.col));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Penalty;
    use crate::solution::Solution;
    use crate::verify::play;

    const EXPECTED: &str = "\
SameGame: 0 points in 2 moves, 1 tile left (penalty: literal)

     c00 c01
 r00   .   .
 r01   .   .
 r02   2   .

Each line: move number, a cell of the group (row and column from 0 at the top left, on the board before the
move), its colour, the tiles removed, the points gained = the points so far.
1. r00 c01  colour 12  x2  +0  = 0
2. r02 c00  colour  1  x3  +1  = 1
end: penalty for the tiles left  -1  = 0
";

    #[test]
    fn whole_text() {
        let grid = Grid::new(3, 2, vec![1, 12, 1, 12, 1, 2]).unwrap();
        let play = |moves: &[(usize, usize)], penalty| {
            play(&grid, Game::SameGame, penalty, &Solution::of_moves(moves.iter().copied()).moves).unwrap()
        };
        // The 12s leave, then the column of 1s, which closes: a lone 2 is left and costs 1.
        let text = game_text(&play(&[(0, 1), (2, 0)], Penalty::Literal));
        assert_eq!(text, EXPECTED, "{text}");
        let text = summary(&play(&[], Penalty::Schadd));
        assert_eq!(text, "SameGame: 0 points in 0 moves, unfinished, 6 tiles left (penalty: schadd)");
        assert_eq!(moves(&play(&[], Penalty::Schadd)).lines().count(), 2);
    }
}
