//! Random boards by name: `random:15x15x5:7`.

use std::fmt;
use std::str::FromStr;

use soloist::Rng;

use crate::grid::{Grid, MAX_COLOURS, MAX_COLS, MAX_ROWS};
use soloist_domain::error::{InstanceError, quote};

/// A random full board, written `random:ROWSxCOLUMNSxCOLOURS:SEED`.
///
/// The board of a spec never changes: cells are drawn row by row from the top, left to right, each `1 +
/// rng.below(colours)` with [`Rng::new`]`(seed)`. Colours are uniform and independent, so a small board may lack one.
///
/// ```
/// use soloist_tiles::spec::Spec;
/// let spec: Spec = "random:2x4x3:7".parse().unwrap();
/// assert_eq!(spec.to_string(), "random:2x4x3:7");
/// assert_eq!(spec.generate().tiles(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    rows: usize,
    cols: usize,
    colours: usize,
    seed: u64,
}

const PREFIX: &str = "random:";
const EXPECTED: &str = "expected random:ROWSxCOLUMNSxCOLOURS:SEED, such as random:15x15x5:7";

impl Spec {
    /// The spec of these numbers.
    ///
    /// # Errors
    /// A size of 0 or above [`MAX_ROWS`], [`MAX_COLS`], [`MAX_COLOURS`].
    pub fn new(rows: usize, cols: usize, colours: usize, seed: u64) -> Result<Self, InstanceError> {
        let spec = Self { rows, cols, colours, seed };
        let limits = [(rows, MAX_ROWS, "rows"), (cols, MAX_COLS, "columns"), (colours, MAX_COLOURS, "colours")];
        match limits.into_iter().find(|&(value, most, _)| value == 0 || value > most) {
            Some((value, most, what)) => {
                Err(InstanceError::new(spec.to_string(), format!("{value} {what}, expected 1 to {most}")))
            }
            None => Ok(spec),
        }
    }

    /// Whether `text` is meant as a spec (begins with `random:`), right or wrong.
    #[must_use]
    pub fn is_spec(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of colours drawn from.
    #[must_use]
    pub fn colours(&self) -> usize {
        self.colours
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The board, the same in every release.
    #[must_use]
    pub fn generate(&self) -> Grid {
        let mut rng = Rng::new(self.seed);
        let colours = self.colours as u64;
        let cells = (0..self.rows * self.cols).map(|_| 1 + rng.below(colours) as u8).collect();
        Grid::new(self.rows, self.cols, cells).expect("a spec is within the limits by construction")
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}x{}x{}:{}", self.rows, self.cols, self.colours, self.seed)
    }
}

impl FromStr for Spec {
    type Err = InstanceError;

    fn from_str(text: &str) -> Result<Self, InstanceError> {
        let fail = |message: String| {
            let shown: String = text.chars().take(60).collect();
            InstanceError::new(if shown.len() < text.len() { shown + "..." } else { shown }, message)
        };
        let rest = text.strip_prefix(PREFIX).ok_or_else(|| fail(format!("not a spec: {EXPECTED}")))?;
        let (sizes, seed) = rest.split_once(':').ok_or_else(|| fail(format!("no seed: {EXPECTED}")))?;
        if seed.is_empty() {
            return Err(fail(format!("no seed: {EXPECTED}")));
        }
        let parts: Vec<&str> = sizes.splitn(5, 'x').collect();
        let &[rows, cols, colours] = parts.as_slice() else {
            return Err(fail(format!("{} is not three sizes: {EXPECTED}", quote(sizes.as_bytes()))));
        };
        let size = |part: &str, what: &str, most: usize| match whole(part) {
            None => Err(fail(format!("{} is not a number of {what}: {EXPECTED}", quote(part.as_bytes())))),
            Some(value) => usize::try_from(value)
                .ok()
                .filter(|value| (1..=most).contains(value))
                // Quoted as written: the number may be too long for any type.
                .ok_or_else(|| {
                    fail(format!("{} {what}, expected 1 to {most}", quote(part.as_bytes()).replace('\'', "")))
                }),
        };
        let rows = size(rows, "rows", MAX_ROWS)?;
        let cols = size(cols, "columns", MAX_COLS)?;
        let colours = size(colours, "colours", MAX_COLOURS)?;
        if let Some((number, trailing)) = seed.split_once(':').filter(|(number, _)| whole(number).is_some()) {
            let trailing = quote(format!(":{trailing}").as_bytes());
            return Err(fail(format!("unexpected {trailing} after the seed {}", quote(number.as_bytes()))));
        }
        let seed = whole(seed).and_then(|seed| u64::try_from(seed).ok()).ok_or_else(|| {
            fail(format!("the seed {} is not a whole number from 0 to {}", quote(seed.as_bytes()), u64::MAX))
        })?;
        Ok(Self { rows, cols, colours, seed })
    }
}

/// The value of a text of digits only, capped at the type's end; `None` for signs, blanks, letters or nothing.
fn whole(text: &str) -> Option<u128> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.bytes().fold(0_u128, |n, b| n.saturating_mul(10).saturating_add(u128::from(b - b'0'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_boards() {
        // These boards may never change: published results name them.
        let cells = |text: &str| text.parse::<Spec>().unwrap().generate().cells().to_vec();
        assert_eq!(cells("random:2x4x3:7"), GOLDEN_SMALL);
        let large = cells("random:15x15x5:7");
        let hash =
            large.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, &c| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
        assert_eq!((&large[..15], hash), (&GOLDEN_ROW[..], GOLDEN_HASH));
    }

    // Computed by an independent program from the description above.
    const GOLDEN_SMALL: [u8; 8] = [1, 1, 3, 2, 3, 2, 3, 1];
    const GOLDEN_ROW: [u8; 15] = [1, 1, 4, 3, 5, 3, 4, 2, 5, 1, 1, 1, 4, 1, 3];
    const GOLDEN_HASH: u64 = 0xf535_dd86_e1ed_bd95;

    #[test]
    fn errors_say_what_is_wrong() {
        let cases: &[(&str, &str)] = &[
            ("random:10000x10000x5:1", "10000 rows, expected 1 to 31"),
            ("random:32x1x5:1", "32 rows, expected 1 to 31"),
            ("random:15x33x5:1", "33 columns, expected 1 to 32"),
            ("random:15x15x16:1", "16 colours, expected 1 to 15"),
            ("random:0x15x5:1", "0 rows, expected 1 to 31"),
            ("random:15x0x5:1", "0 columns, expected 1 to 32"),
            ("random:15x15x0:1", "0 colours, expected 1 to 15"),
            (
                "random:15x15x99999999999999999999999999999999999999999999:1",
                "999999999999999999999999... colours, expected 1 to 15",
            ),
            ("random:15x15x5", "no seed: "),
            ("random:15x15x5:", "no seed: "),
            ("random:15x15:7", "'15x15' is not three sizes: "),
            ("random:15x15x5x2:7", "'15x15x5x2' is not three sizes: "),
            ("random:-3x15x5:7", "'-3' is not a number of rows: "),
            ("random:15x+3x5:7", "'+3' is not a number of columns: "),
            ("random:15x15x five:7", "' five' is not a number of colours: "),
            ("random:15x15x5:-7", "the seed '-7' is not a whole number from 0 to 18446744073709551615"),
            ("random:15x15x5:18446744073709551616", "the seed '18446744073709551616' is not a whole number"),
            ("random:15x15x5:7abc", "the seed '7abc' is not a whole number"),
            ("random:15x15x5:7:8", "unexpected ':8' after the seed '7'"),
            ("random:15x15x5:7 ", "the seed '7 ' is not a whole number"),
            ("random:", "no seed: "),
            ("15x15x5:7", "not a spec: "),
        ];
        for (text, expected) in cases {
            let error = text.parse::<Spec>().unwrap_err();
            assert!(error.message.starts_with(expected), "{text}: {error}");
            assert!(error.name == *text || error.name.ends_with("..."), "{error}");
        }
        assert_eq!(
            "random:15x15x5".parse::<Spec>().unwrap_err().to_string(),
            "random:15x15x5: no seed: expected random:ROWSxCOLUMNSxCOLOURS:SEED, such as random:15x15x5:7"
        );
        assert!(Spec::new(32, 1, 1, 0).is_err() && Spec::new(1, 1, 1, 0).is_ok());
    }

    #[test]
    fn limits_and_round_trip() {
        for text in ["random:31x32x15:18446744073709551615", "random:1x1x1:0"] {
            let spec: Spec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
            assert!(spec.generate().is_settled());
        }
    }

    #[test]
    fn colours_are_uniform() {
        let grid = Spec::new(31, 32, 5, 3).unwrap().generate();
        // 992 cells: mean 198, standard deviation 12.6.
        assert!(grid.counts()[1..=5].iter().all(|count| (148..=249).contains(count)), "{:?}", grid.counts());
    }
}
