//! Random boards by name: `random:15x15x5:7`.

use crate::grid::{Grid, MAX_COLORS, MAX_COLS, MAX_ROWS};
use soloist::Rng;
use soloist_domain::InstanceError;
use soloist_domain::spec::{Form, Size, Spec};

const FORM: Form<3> = Form {
    kinds: &["random"],
    sizes: [
        Size { name: "# rows", range: 1..=MAX_ROWS as u64 },
        Size { name: "# columns", range: 1..=MAX_COLS as u64 },
        Size { name: "# colours", range: 1..=MAX_COLORS as u64 },
    ],
    expected: "expected random:ROWSxCOLUMNSxCOLOURS:SEED, such as random:15x15x5:7",
};

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    FORM.matches(text)
}

/// Generates the random full board of a spec, `random:ROWSxCOLUMNSxCOLORS:SEED`.
///
/// The board of a spec never changes: cells are drawn row by row from the top, left to right, each `1 +
/// rng.below(colours)` with [`Rng::new`]`(seed)`. Colours are uniform and independent, so a small board may lack one.
///
/// # Errors
/// One line: a spec that is not of this form, a size of 0 or above [`MAX_ROWS`], [`MAX_COLS`], [`MAX_COLORS`].
///
/// ```
/// use soloist_tiles::generate;
/// let grid = generate("random:2x4x3:7").unwrap();
/// assert_eq!((grid.rows(), grid.cols(), grid.tiles()), (2, 4, 8));
/// ```
pub fn generate(spec: &str) -> Result<Grid, InstanceError> {
    let Spec { sizes: [rows, cols, colors], seed, .. } = FORM.parse(spec)?;
    let mut rng = Rng::new(seed);
    let cells = (0..rows * cols).map(|_| 1 + rng.below(colors) as u8).collect();
    Grid::new(rows as usize, cols as usize, cells).map_err(|error| InstanceError::new(spec, error.to_string()))
}
