//! Numbers of tables as texts.

use crate::text::plain;

/// Formats a number of a table. Whole numbers stay as they are; others are rounded to `significant` digits, with at
/// least one digit after the point.
pub(crate) fn rounded(value: f64, significant: i32) -> String {
    if value == 0.0 || !value.is_finite() || value.fract() == 0.0 {
        return plain(value);
    }
    let digits = (significant - 1 - value.abs().log10().floor() as i32).clamp(1, 12);
    let scale = 10_f64.powi(digits);
    let rounded = (value * scale).round() / scale;
    // Too large to scale, or too small to be left of it.
    plain(if rounded.is_finite() && rounded != 0.0 { rounded } else { value })
}

/// A probability to three significant digits or so.
pub(crate) fn probability(p: f64) -> String {
    if p < 1e-4 { "<0.0001".to_owned() } else { format!("{p:.4}") }
}
