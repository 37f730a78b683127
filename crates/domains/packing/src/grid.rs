//! A grid of cells over the discs of one container or hull: which of them lie near a point.

/// Ends a cell's list.
const END: u32 = u32::MAX;
/// Cells at most, so that a grid stays small beside its lists of candidates.
const MAX_CELLS: f64 = 4096.0;

/// Discs by the cells that their bounding boxes touch.
///
/// A query visits the cells that its own box touches, so that a disc may be met several times. Cells outside of the
/// area are those at its border.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    columns: usize,
    rows: usize,
    left: f64,
    bottom: f64,
    /// Cells per length.
    scale: f64,
    /// First entry of each cell.
    heads: Vec<u32>,
    /// Disc and next entry.
    entries: Vec<(u32, u32)>,
}

impl Grid {
    /// Empties the grid and lays it over a box; `size` is the side that a cell should have.
    pub(crate) fn reset(&mut self, [left, bottom]: [f64; 2], [width, height]: [f64; 2], size: f64) {
        let fewest = (width * height / MAX_CELLS).sqrt();
        let side = size.max(fewest).max(width.max(height) / MAX_CELLS);
        let cells = |length: f64| ((length / side).ceil() as usize).clamp(1, MAX_CELLS as usize);
        (self.columns, self.rows) = (cells(width), cells(height));
        (self.left, self.bottom, self.scale) = (left, bottom, 1.0 / side);
        self.entries.clear();
        self.heads.clear();
        self.heads.resize(self.columns * self.rows, END);
    }

    /// The cells that the box around a disc touches: first and last column, first and last row.
    #[inline]
    fn span(&self, x: f64, y: f64, r: f64) -> [usize; 4] {
        // A conversion of a negative number gives 0.
        let column = |x: f64| (((x - self.left) * self.scale) as usize).min(self.columns - 1);
        let row = |y: f64| (((y - self.bottom) * self.scale) as usize).min(self.rows - 1);
        [column(x - r), column(x + r), row(y - r), row(y + r)]
    }

    /// Adds disc number `disc`.
    pub(crate) fn insert(&mut self, disc: u32, x: f64, y: f64, r: f64) {
        let [left, right, bottom, top] = self.span(x, y, r);
        for row in bottom..=top {
            for cell in row * self.columns + left..=row * self.columns + right {
                let entry = self.entries.len() as u32;
                self.entries.push((disc, self.heads[cell]));
                self.heads[cell] = entry;
            }
        }
    }

    /// Whether `test` holds for all discs whose boxes may touch the box around (x, y); some may be asked several times.
    #[inline]
    pub(crate) fn all(&self, x: f64, y: f64, r: f64, mut test: impl FnMut(usize) -> bool) -> bool {
        let [left, right, bottom, top] = self.span(x, y, r);
        for row in bottom..=top {
            for cell in row * self.columns + left..=row * self.columns + right {
                let mut at = self.heads[cell];
                while at != END {
                    let (disc, next) = self.entries[at as usize];
                    if !test(disc as usize) {
                        return false;
                    }
                    at = next;
                }
            }
        }
        true
    }

    /// Copies `other` into the buffers of this grid.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.columns = other.columns;
        self.rows = other.rows;
        (self.left, self.bottom, self.scale) = (other.left, other.bottom, other.scale);
        self.heads.clone_from(&other.heads);
        self.entries.clone_from(&other.entries);
    }
}
