//! What both kernels of slack induction by string removals draw: strings of stops, and the order of insertions.

use soloist::Rng;

/// The orders in which what was removed returns: random, and one for each of six keys. The last three keys need
/// windows.
pub(crate) const RULES: usize = 7;
/// No place is overlooked more often than this in a row.
pub(crate) const MOST_BLINKS: usize = 15;
const WEIGHTS: [u64; RULES] = [4, 4, 2, 1, 2, 2, 2];

/// Stops of a route that are removed: those from `begin` to `end`, without `kept` stops from `stay` on. The depot is
/// stop 0.
pub(crate) struct Cut {
    pub(crate) begin: usize,
    pub(crate) stay: usize,
    pub(crate) kept: usize,
    pub(crate) end: usize,
}

impl Cut {
    /// Draws a string that holds the customer at `place` (from 0) of `size` in a route. `split` is the chance that some
    /// customers stay, `keep` that their number grows by one, and again.
    pub(crate) fn draw(size: usize, place: usize, longest: f64, split: f64, keep: f64, rng: &mut Rng) -> Self {
        let length = ((1.0 + rng.unit() * longest.min(size as f64)) as usize).min(size);
        let mut kept = 0;
        if length >= 2 && length < size && rng.unit() < split {
            kept = 1;
            while length + kept < size && rng.unit() < keep {
                kept += 1;
            }
        }
        let window = length + kept;
        let (first, last) = ((place + 1).saturating_sub(window), place.min(size - window));
        let begin = 1 + first + rng.index(last - first + 1);
        let end = begin + window;
        let stay = if kept == 0 { end } else { begin + 1 + rng.index(length - 1) };
        Self { begin, stay, kept, end }
    }
}

/// Draws the number of an order: 0 is the random one.
pub(crate) fn draw_rule(has_windows: bool, rng: &mut Rng) -> usize {
    let rules = if has_windows { RULES } else { 4 };
    let mut draw = rng.below(WEIGHTS[..rules].iter().sum());
    let mut rule = 0;
    while draw >= WEIGHTS[rule] {
        draw -= WEIGHTS[rule];
        rule += 1;
    }
    rule
}
