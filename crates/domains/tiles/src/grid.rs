//! A board as a plain rectangle of colour numbers, used by files, drawings and the verifier.

use std::fmt;

/// The most rows. The search keeps a column in 32 bits, one of them free as a guard between columns.
pub const MAX_ROWS: usize = 31;
/// The most columns: the search has 32 lanes, one for each.
pub const MAX_COLS: usize = 32;
/// The most colours: the search writes a colour in four bits, and 0 means empty.
pub const MAX_COLORS: usize = 15;

/// A rectangle of cells, the top row first; 0 is empty, colours are 1 to [`MAX_COLORS`].
///
/// Sizes and colours are within the limits by construction. A grid need not be settled: see [`Grid::unsettled`].
///
/// ```
/// use soloist_tiles::Grid;
/// let grid = Grid::new(2, 3, vec![0, 2, 1, 1, 2, 1]).unwrap();
/// assert_eq!(grid.get(0, 1), 2);
/// assert_eq!(grid.colors(), 2);
/// assert!(grid.is_settled());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    rows: usize,
    cols: usize,
    cells: Vec<u8>,
}

/// Why numbers make no [`Grid`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// No row, or more than [`MAX_ROWS`].
    #[error("{0} rows, expected 1 to {MAX_ROWS}")]
    Rows(usize),
    /// No column, or more than [`MAX_COLS`].
    #[error("{0} columns, expected 1 to {MAX_COLS}")]
    Cols(usize),
    /// The number of cells is not rows times columns.
    #[error("{found} cells, expected {expected}")]
    Cells {
        /// Rows times columns.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A colour above [`MAX_COLORS`].
    #[error("colour {color} at row {row}, column {col}: at most {MAX_COLORS} colours are possible")]
    Color {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        col: usize,
        /// The number found there.
        color: u8,
    },
}

/// The first place where a grid is no position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsettled {
    /// An empty cell with a tile somewhere above it in its column.
    #[error("the cell at row {row}, column {col} is empty below a tile")]
    Hole {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        col: usize,
    },
    /// An empty column with a tile in some column to its right.
    #[error("column {col} is empty but a column to its right is not")]
    Gap {
        /// The column, from 0 at the left.
        col: usize,
    },
}

impl Grid {
    /// Returns the grid of `cells`, row by row from the top.
    ///
    /// # Errors
    /// Sizes or colours out of range, or a number of cells that is not `rows` times `cols`.
    pub fn new(rows: usize, cols: usize, cells: Vec<u8>) -> Result<Self, GridError> {
        if rows == 0 || rows > MAX_ROWS {
            return Err(GridError::Rows(rows));
        }
        if cols == 0 || cols > MAX_COLS {
            return Err(GridError::Cols(cols));
        }
        if cells.len() != rows * cols {
            return Err(GridError::Cells { expected: rows * cols, found: cells.len() });
        }
        if let Some(at) = cells.iter().position(|&cell| usize::from(cell) > MAX_COLORS) {
            return Err(GridError::Color { row: at / cols, col: at % cols, color: cells[at] });
        }
        Ok(Self { rows, cols, cells })
    }

    /// Returns the grid of `rows`, the top one first.
    ///
    /// # Errors
    /// Those of [`Grid::new`]; ragged rows are reported as [`GridError::Cells`] of the first wrong row.
    pub fn from_rows(rows: &[Vec<u8>]) -> Result<Self, GridError> {
        let cols = rows.first().map_or(0, Vec::len);
        if let Some(row) = rows.iter().find(|row| row.len() != cols) {
            return Err(GridError::Cells { expected: cols, found: row.len() });
        }
        Self::new(rows.len(), cols, rows.concat())
    }

    /// Returns the number of rows, 1 to [`MAX_ROWS`].
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns, 1 to [`MAX_COLS`].
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns all cells, row by row from the top.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Returns the rows, the top one first.
    #[must_use]
    pub fn to_rows(&self) -> Vec<Vec<u8>> {
        self.cells.chunks(self.cols).map(<[u8]>::to_vec).collect()
    }

    /// Returns the colour at `row` from the top and `col` from the left, both from 0; 0 when empty or outside.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> u8 {
        if row < self.rows && col < self.cols { self.cells[row * self.cols + col] } else { 0 }
    }

    /// Returns the highest colour number, 0 when there is no tile. Colours in between may be absent.
    #[must_use]
    pub fn colors(&self) -> usize {
        self.cells.iter().copied().max().map_or(0, usize::from)
    }

    /// Returns the number of tiles of each colour: entry 0 counts the empty cells, entry c colour c.
    #[must_use]
    pub fn counts(&self) -> [usize; MAX_COLORS + 1] {
        let mut counts = [0; MAX_COLORS + 1];
        for &cell in &self.cells {
            counts[usize::from(cell)] += 1;
        }
        counts
    }

    /// Returns the number of tiles.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.cells.iter().filter(|&&cell| cell != 0).count()
    }

    /// Returns the first place that gravity or closing columns would change, columns from the left, then from the top.
    ///
    /// Positions of a game have none: tiles lie on the ground or on tiles, and columns with tiles are contiguous from
    /// the left.
    #[must_use]
    pub fn unsettled(&self) -> Option<Unsettled> {
        let mut gap = None;
        for col in 0..self.cols {
            let Some(top) = (0..self.rows).find(|&row| self.get(row, col) != 0) else {
                gap = gap.or(Some(col));
                continue;
            };
            if let Some(col) = gap {
                return Some(Unsettled::Gap { col });
            }
            if let Some(row) = (top..self.rows).find(|&row| self.get(row, col) == 0) {
                return Some(Unsettled::Hole { row, col });
            }
        }
        None
    }

    /// Whether the grid is a position of a game; see [`Grid::unsettled`].
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.unsettled().is_none()
    }
}

impl fmt::Debug for Grid {
    /// The rows as blank-separated numbers, so that a failing test shows the board.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid {}x{}", self.rows, self.cols)?;
        for row in self.cells.chunks(self.cols) {
            f.write_str("\n")?;
            for &cell in row {
                write!(f, " {cell}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact() {
        assert!(Grid::new(31, 32, vec![15; 31 * 32]).is_ok());
        let error = |rows, cols, cells| Grid::new(rows, cols, cells).unwrap_err().to_string();
        assert_eq!(error(32, 1, vec![1; 32]), "32 rows, expected 1 to 31");
        assert_eq!(error(0, 1, vec![]), "0 rows, expected 1 to 31");
        assert_eq!(error(1, 33, vec![1; 33]), "33 columns, expected 1 to 32");
        assert_eq!(error(usize::MAX, usize::MAX, vec![]), format!("{} rows, expected 1 to 31", usize::MAX));
        assert_eq!(error(2, 2, vec![1; 3]), "3 cells, expected 4");
        assert_eq!(error(2, 2, vec![1, 2, 16, 1]), "colour 16 at row 1, column 0: at most 15 colours are possible");
        assert_eq!(Grid::from_rows(&[]).unwrap_err(), GridError::Rows(0));
        assert_eq!(Grid::from_rows(&[vec![1, 2], vec![1]]).unwrap_err(), GridError::Cells { expected: 2, found: 1 });
    }

    #[test]
    fn settled_or_where_not() {
        let at = |rows, cols, cells: &[u8]| Grid::new(rows, cols, cells.to_vec()).unwrap().unsettled();
        assert_eq!(at(2, 2, &[0, 0, 1, 0]), None);
        assert_eq!(at(2, 2, &[0, 0, 0, 0]), None);
        assert_eq!(at(3, 2, &[1, 1, 1, 0, 1, 1]), Some(Unsettled::Hole { row: 1, col: 1 }));
        assert_eq!(at(1, 3, &[1, 0, 2]), Some(Unsettled::Gap { col: 1 }));
    }

    #[test]
    fn counting() {
        let grid = Grid::from_rows(&[vec![0, 3], vec![1, 3]]).unwrap();
        assert_eq!((grid.tiles(), grid.colors(), grid.counts()[3], grid.counts()[0]), (3, 3, 2, 1));
        assert_eq!(Grid::from_rows(&grid.to_rows()), Ok(grid.clone()));
        assert_eq!(grid.get(5, 5), 0);
    }
}
