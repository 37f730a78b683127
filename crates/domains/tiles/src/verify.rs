//! Independent verification of tile-game solutions.
//!
//! A plain simulation on rows of bytes that shares no code with the search. Its verdict does not depend on the bit
//! boards, the incremental groups or the scoring of the playouts.

use crate::game::{Game, Penalty};
use crate::grid::{Grid, MAX_COLORS};
use crate::solution::{Claim, Solution};

/// A (row, column) pair, both from 0 at the top left.
pub type Cell = (usize, usize);

/// One move of a verified game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The row of the cell that named the group, from 0 at the top.
    pub row: usize,
    /// The column of that cell, from 0 at the left.
    pub col: usize,
    /// The colour removed, from 1.
    pub color: usize,
    /// The number of tiles removed, at least 2.
    pub size: usize,
    /// The points gained.
    pub points: i64,
    /// The points gained up to and with this move, without those of the end.
    pub total: i64,
    /// The cells removed, row by row from the top, on the board before the move.
    pub group: Vec<Cell>,
    /// The board after the move.
    pub after: Grid,
}

/// A verified game, with everything recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The board at the start.
    pub start: Grid,
    /// The game whose points are counted.
    pub game: Game,
    /// The penalty in force: [`Penalty::None`] for the games without penalties.
    pub penalty: Penalty,
    /// The moves.
    pub steps: Vec<PlayedMove>,
    /// The points of all moves and of the end.
    pub score: i64,
    /// The points at the end: the award of a cleared board, or minus the penalty; 0 for an unfinished game.
    pub end_points: i64,
    /// The number of tiles left.
    pub tiles_left: usize,
    /// Whether no group is left. An unfinished game is no solution.
    pub finished: bool,
}

impl Verified {
    /// Returns the board after the last move.
    #[must_use]
    pub fn last(&self) -> &Grid {
        self.steps.last().map_or(&self.start, |step| &step.after)
    }

    /// Returns the board before move `i`, counted from 0; the last board when there is no such move.
    #[must_use]
    pub fn before(&self, i: usize) -> &Grid {
        match i {
            0 => &self.start,
            _ => self.steps.get(i - 1).map_or_else(|| self.last(), |step| &step.after),
        }
    }
}

/// What is wrong with a solution, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .number.map(|n| format!("move {n}: ")).unwrap_or_default())]
pub struct VerifyError {
    /// The number of the move, from 1; `None` when it concerns the whole.
    pub number: Option<usize>,
    /// What is wrong.
    pub message: String,
}

fn wrong<T>(number: Option<usize>, message: String) -> Result<T, VerifyError> {
    Err(VerifyError { number, message })
}

/// Checks that `solution` is a finished game on `grid` and that all it claims is true.
///
/// `penalty` is the convention asked for; `None` takes that of the solution, or the default if the solution does not
/// name one.
///
/// ```
/// use soloist_tiles::{Game, Grid, Solution, verify};
/// let grid = Grid::new(2, 2, vec![1, 2, 1, 2]).unwrap();
/// let game = verify(&grid, Game::SameGame, None, &Solution::of_moves([(0, 1), (1, 0)])).unwrap();
/// assert_eq!((game.score, game.tiles_left), (1000, 0));
/// let error = verify(&grid, Game::SameGame, None, &Solution::of_moves([(0, 1), (0, 1)])).unwrap_err();
/// assert_eq!(error.to_string(), "move 2: the cell at row 0, column 1 is empty");
/// ```
///
/// # Errors
/// The first thing that is wrong: another game or penalty, an illegal move (with its number), a claim that is not
/// true, or moves left at the end.
pub fn verify(grid: &Grid, game: Game, penalty: Option<Penalty>, solution: &Solution) -> Result<Verified, VerifyError> {
    let played = begin(grid, game, penalty, solution)?;
    if let Some(group) = groups(played.last()).first() {
        let (row, col) = group[0];
        let size = group.len();
        return wrong(
            None,
            format!("unfinished: after all moves the group of {size} at row {row}, column {col} can still be removed"),
        );
    }
    let tiles = played.tiles_left;
    if let Some(claimed) = solution.tiles_left.filter(|&claimed| claimed != tiles) {
        return wrong(None, format!("claims {claimed} tiles left, {tiles} are left"));
    }
    if let Some(claimed) = solution.cleared.filter(|&claimed| claimed != (tiles == 0)) {
        return wrong(None, format!("claims cleared = {claimed}, but {tiles} tiles are left"));
    }
    if let Some(claimed) = solution.end_points.filter(|&claimed| claimed != played.end_points) {
        return wrong(None, format!("claims {claimed} points at the end, they are {}", played.end_points));
    }
    if let Some(claimed) = solution.score.filter(|&claimed| claimed != played.score) {
        return wrong(None, format!("claims the score {claimed}, the moves give {}", played.score));
    }
    Ok(played)
}

/// Plays the moves of `solution` on `grid`; the game may be left unfinished. Claims about its end are not checked.
///
/// # Errors
/// Another game or penalty, an illegal move (with its number) or a claim about a move that is not true.
pub(crate) fn begin(
    grid: &Grid,
    game: Game,
    penalty: Option<Penalty>,
    solution: &Solution,
) -> Result<Verified, VerifyError> {
    if let Some(other) = solution.game.filter(|&other| other != game) {
        return wrong(None, format!("a solution of {other}, not of {game}"));
    }
    let claimed = solution.penalty.map(|penalty| game.penalty(penalty));
    let wanted = game.penalty(penalty.or(solution.penalty).unwrap_or_default());
    if let Some(claimed) = claimed.filter(|&claimed| claimed != wanted) {
        return wrong(None, format!("a solution under the penalty {claimed}, not under {wanted}"));
    }
    play(grid, game, wanted, &solution.moves)
}

/// Plays `moves` on `grid`; the game may be left unfinished. Claims made for single moves are checked.
///
/// # Errors
/// A board that is not settled, an illegal move or a false claim about a move, with its number.
pub fn play(grid: &Grid, game: Game, penalty: Penalty, moves: &[Claim]) -> Result<Verified, VerifyError> {
    if let Some(place) = grid.unsettled() {
        return wrong(None, format!("the board is not settled: {place}"));
    }
    let mut cells = grid.to_rows();
    let mut steps: Vec<PlayedMove> = Vec::new();
    let mut total = 0;
    for (i, claim) in moves.iter().enumerate() {
        let number = Some(i + 1);
        let &Claim { row, col, .. } = claim;
        if row >= grid.rows() || col >= grid.cols() {
            let (rows, cols) = (grid.rows(), grid.cols());
            return wrong(number, format!("row {row}, column {col} is outside the board of {rows} x {cols} cells"));
        }
        let color = usize::from(cells[row][col]);
        if color == 0 {
            return wrong(number, format!("the cell at row {row}, column {col} is empty"));
        }
        let group = flood(&cells, (row, col));
        let size = group.len();
        if size < 2 {
            return wrong(number, format!("the tile at row {row}, column {col} has no neighbour of its colour"));
        }
        let points = points(game, size);
        if let Some(claimed) = claim.size.filter(|&claimed| claimed != size) {
            return wrong(number, format!("claims {claimed} tiles, the group at row {row}, column {col} has {size}"));
        }
        if let Some(claimed) = claim.color.filter(|&claimed| claimed != color) {
            return wrong(number, format!("claims colour {claimed}, the group at row {row}, column {col} has {color}"));
        }
        if let Some(claimed) = claim.points.filter(|&claimed| claimed != points) {
            return wrong(number, format!("claims {claimed} points, a group of {size} brings {points} in {game}"));
        }
        remove(&mut cells, &group);
        total += points;
        let after = Grid::new(grid.rows(), grid.cols(), cells.concat())
            .or_else(|error| wrong(number, format!("impossible board: {error}")))?;
        steps.push(PlayedMove { row, col, color, size, points, total, group, after });
    }
    let last = steps.last().map_or(grid, |step| &step.after);
    let left: [usize; MAX_COLORS] = std::array::from_fn(|i| last.counts()[i + 1]);
    let finished = groups(last).is_empty();
    let penalty = game.penalty(penalty);
    let end_points = if finished { end_points(game, penalty, &left) } else { 0 };
    let tiles_left = left.iter().sum();
    let score = total + end_points;
    Ok(Verified { start: grid.clone(), game, penalty, steps, score, end_points, tiles_left, finished })
}

/// The points of a move, computed without the search's formula.
fn points(game: Game, size: usize) -> i64 {
    let n = size as i64;
    match game {
        Game::SameGame => (n - 2) * (n - 2),
        Game::Clickomania => n,
        Game::BubbleBreaker => n * (n - 1),
    }
}

/// The points at the end of a game, computed without the search's formula; `left` counts the tiles of each colour.
fn end_points(game: Game, penalty: Penalty, left: &[usize]) -> i64 {
    if game != Game::SameGame {
        return 0;
    }
    if left.iter().sum::<usize>() == 0 {
        return 1000;
    }
    let mut lost = 0;
    for &count in left {
        let above_two = count as i64 - 2;
        lost += match penalty {
            Penalty::None => 0,
            Penalty::Schadd if count > 2 => above_two * above_two,
            Penalty::Literal if count > 0 => above_two * above_two,
            Penalty::Schadd | Penalty::Literal => 0,
        };
    }
    -lost
}

/// Returns all groups that can be removed, each as its cells row by row from the top; ordered by their first cells.
#[must_use]
pub fn groups(grid: &Grid) -> Vec<Vec<Cell>> {
    let cells = grid.to_rows();
    let mut seen = vec![vec![false; grid.cols()]; grid.rows()];
    let mut result = Vec::new();
    for row in 0..grid.rows() {
        for col in 0..grid.cols() {
            if cells[row][col] != 0 && !seen[row][col] {
                let group = flood(&cells, (row, col));
                for &(r, c) in &group {
                    seen[r][c] = true;
                }
                if group.len() >= 2 {
                    result.push(group);
                }
            }
        }
    }
    result
}

/// The cells connected to `from` through edges between equal tiles, row by row from the top.
fn flood(cells: &[Vec<u8>], from: Cell) -> Vec<Cell> {
    let color = cells[from.0][from.1];
    let mut seen = vec![vec![false; cells[0].len()]; cells.len()];
    let mut stack = vec![from];
    let mut group = Vec::new();
    seen[from.0][from.1] = true;
    while let Some((row, col)) = stack.pop() {
        group.push((row, col));
        // A step above row 0 or left of column 0 wraps to a huge number, which is outside like any other.
        let around = [(row.wrapping_sub(1), col), (row + 1, col), (row, col.wrapping_sub(1)), (row, col + 1)];
        for (r, c) in around {
            if r < cells.len() && c < cells[0].len() && cells[r][c] == color && !seen[r][c] {
                seen[r][c] = true;
                stack.push((r, c));
            }
        }
    }
    soloist::order::sort(&mut group);
    group
}

/// Removes the cells of `group`, lets the tiles above fall and closes emptied columns.
fn remove(cells: &mut [Vec<u8>], group: &[Cell]) {
    for &(row, col) in group {
        cells[row][col] = 0;
    }
    let (rows, cols) = (cells.len(), cells[0].len());
    let mut columns: Vec<Vec<u8>> = (0..cols)
        .map(|col| (0..rows).rev().map(|row| cells[row][col]).filter(|&tile| tile != 0).collect::<Vec<u8>>())
        .filter(|column| !column.is_empty())
        .collect();
    columns.resize(cols, Vec::new());
    for (col, column) in columns.iter().enumerate() {
        for (height, line) in cells.iter_mut().rev().enumerate() {
            line[col] = column.get(height).copied().unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::solution_json;
    use crate::solution::{parse_solution, solution_from_json};
    use crate::text::moves_text;

    fn grid(rows: &[&[u8]]) -> Grid {
        Grid::from_rows(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
    }

    /// 1s form an arch over a lone 2 and 3; taking them joins nothing.
    fn arch() -> Grid {
        grid(&[&[1, 1, 1], &[1, 2, 1], &[1, 3, 1]])
    }

    #[test]
    fn the_search_counts_the_same_points() {
        for game in Game::ALL {
            let [a, b, c] = game.coefficients();
            for size in 2..=992 {
                let n = size as i64;
                assert_eq!(points(game, size), game.points(size));
                assert_eq!(points(game, size), (a * n + b) * n + c);
            }
            for penalty in Penalty::ALL {
                for left in [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 0, 7], [1, 1, 1], [0, 2, 40]] {
                    assert_eq!(end_points(game, penalty, &left), game.end_points(penalty, &left), "{game} {left:?}");
                }
            }
        }
    }

    #[test]
    fn gravity_and_closing_columns() {
        let start = grid(&[&[4, 1, 2, 0], &[3, 1, 2, 5], &[2, 1, 1, 2]]);
        let played =
            play(&start, Game::SameGame, Penalty::Schadd, &Solution::of_moves([(0, 1), (1, 1)]).moves).unwrap();
        assert_eq!(played.steps[0].after, grid(&[&[4, 0, 0, 0], &[3, 2, 5, 0], &[2, 2, 2, 0]]));
        assert_eq!(played.steps[0].group, [(0, 1), (1, 1), (2, 1), (2, 2)]);
        assert_eq!(played.last(), &grid(&[&[0, 0, 0, 0], &[4, 0, 0, 0], &[3, 5, 0, 0]]));
        assert_eq!((played.steps[1].size, played.steps[1].points, played.steps[1].total), (4, 4, 8));
        assert!(played.finished);
        assert_eq!((played.before(1), played.before(9)), (&played.steps[0].after, played.last()));
    }

    #[test]
    fn hand_computed_scores() {
        // Seven 1s: (7 - 2)^2 = 25, 7, 42. Two colours with one tile each are left: 0, 2 or 0 off.
        let score = |game, penalty| {
            let played = verify(&arch(), game, Some(penalty), &Solution::of_moves([(0, 0)])).unwrap();
            assert_eq!(played.tiles_left, 2);
            played.score
        };
        assert_eq!(Penalty::ALL.map(|penalty| score(Game::SameGame, penalty)), [25, 23, 25]);
        assert_eq!(Penalty::ALL.map(|penalty| score(Game::Clickomania, penalty)), [7; 3]);
        assert_eq!(Penalty::ALL.map(|penalty| score(Game::BubbleBreaker, penalty)), [42; 3]);

        // A chessboard: no move at all, 5 and 4 tiles left: 3^2 + 2^2 = 13.
        let chess = grid(&[&[1, 2, 1], &[2, 1, 2], &[1, 2, 1]]);
        let end = |penalty| verify(&chess, Game::SameGame, Some(penalty), &Solution::default()).unwrap().score;
        assert_eq!(Penalty::ALL.map(end), [-13, -13, 0]);

        // Cleared: 1000 under every convention, and nothing in the other games.
        let two = grid(&[&[1, 1]]);
        let cleared = |game, penalty| verify(&two, game, Some(penalty), &Solution::of_moves([(0, 1)])).unwrap().score;
        assert_eq!(Penalty::ALL.map(|penalty| cleared(Game::SameGame, penalty)), [1000; 3]);
        assert_eq!(cleared(Game::Clickomania, Penalty::Literal), 2);
        assert_eq!(cleared(Game::BubbleBreaker, Penalty::Literal), 2);
    }

    #[test]
    fn wrong_solutions() {
        let start = arch();
        let error = |change: &dyn Fn(&mut Solution)| {
            let mut solution = Solution::of_moves([(0, 0)]);
            change(&mut solution);
            verify(&start, Game::SameGame, None, &solution).unwrap_err().to_string()
        };
        let claim = |row, col| Claim { row, col, ..Claim::default() };
        assert_eq!(
            error(&|s| s.moves.clear()),
            "unfinished: after all moves the group of 7 at row 0, column 0 can still be removed"
        );
        assert_eq!(error(&|s| s.moves.push(claim(0, 0))), "move 2: the cell at row 0, column 0 is empty");
        assert_eq!(
            error(&|s| s.moves.push(claim(2, 0))),
            "move 2: the tile at row 2, column 0 has no neighbour of its colour"
        );
        assert_eq!(error(&|s| s.moves[0] = claim(3, 0)), "move 1: row 3, column 0 is outside the board of 3 x 3 cells");
        assert_eq!(
            error(&|s| s.moves[0].col = usize::MAX),
            format!("move 1: row 0, column {} is outside the board of 3 x 3 cells", usize::MAX)
        );
        assert_eq!(error(&|s| s.moves[0].size = Some(6)), "move 1: claims 6 tiles, the group at row 0, column 0 has 7");
        assert_eq!(
            error(&|s| s.moves[0].points = Some(24)),
            "move 1: claims 24 points, a group of 7 brings 25 in samegame"
        );
        assert_eq!(
            error(&|s| s.moves[0].color = Some(2)),
            "move 1: claims colour 2, the group at row 0, column 0 has 1"
        );
        assert_eq!(error(&|s| s.score = Some(26)), "claims the score 26, the moves give 25");
        assert_eq!(error(&|s| s.tiles_left = Some(0)), "claims 0 tiles left, 2 are left");
        assert_eq!(error(&|s| s.cleared = Some(true)), "claims cleared = true, but 2 tiles are left");
        assert_eq!(error(&|s| s.end_points = Some(1000)), "claims 1000 points at the end, they are 0");
        assert_eq!(error(&|s| s.game = Some(Game::Clickomania)), "a solution of clickomania, not of samegame");
        let literal = Solution { penalty: Some(Penalty::Literal), ..Solution::of_moves([(0, 0)]) };
        assert_eq!(
            verify(&start, Game::SameGame, Some(Penalty::Schadd), &literal).unwrap_err().to_string(),
            "a solution under the penalty literal, not under schadd"
        );
        // Without a convention asked for, that of the solution counts; the other games have no penalty.
        assert_eq!(verify(&start, Game::SameGame, None, &literal).unwrap().score, 23);
        assert!(verify(&start, Game::Clickomania, Some(Penalty::Schadd), &literal).is_ok());
        let floating = Grid::new(2, 1, vec![1, 0]).unwrap();
        assert_eq!(
            verify(&floating, Game::SameGame, None, &literal).unwrap_err().to_string(),
            "the board is not settled: the cell at row 1, column 0 is empty below a tile"
        );
    }

    #[test]
    fn files_round_trip() {
        let played = verify(&arch(), Game::SameGame, Some(Penalty::Literal), &Solution::of_moves([(2, 2)])).unwrap();
        let mut result = serde_json::json!({
            "problem": "samegame", "score": 23.0, "solution": solution_json(&played),
        });
        let solution = solution_from_json("s", &result).unwrap();
        assert_eq!(verify(&arch(), Game::SameGame, None, &solution), Ok(played.clone()));
        result["score"] = 24.into();
        let solution = solution_from_json("s", &result).unwrap();
        assert!(verify(&arch(), Game::SameGame, None, &solution).is_err());
        let text = moves_text(&played);
        assert_eq!(parse_solution("s", text.as_bytes(), 3).unwrap(), Solution::of_moves([(2, 2)]));
    }
}
