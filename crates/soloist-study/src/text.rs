//! Numbers, names and durations in words, for people.

use std::fmt::Write;

/// `text` with everything escaped that could end or garble a line: names and cells come from outside.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            let _ = write!(line, "{}", c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// `1 seed`, `2 seeds`.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A duration in seconds, rounded: `40 s`, `2 min`, `2.0 h`, `10.0 days`.
#[must_use]
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// A number: integers without a point, others to nine significant digits or so.
#[must_use]
pub fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e15).contains(&value.abs()) {
        return format!("{value:e}");
    }
    let digits = (8 - value.abs().log10().floor() as i32).clamp(1, 12) as usize;
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A count with three digits: `987`, `45.1k`, `1.23M`.
#[must_use]
pub fn short(count: f64) -> String {
    // The limits are where rounding to three digits reaches the next unit.
    match count {
        c if c < 999.5 => format!("{c:.0}"),
        c if c < 999_500.0 => format!("{}k", three(c / 1e3)),
        c if c < 999_500_000.0 => format!("{}M", three(c / 1e6)),
        c => format!("{}G", three(c / 1e9)),
    }
}

fn three(value: f64) -> String {
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$}")
}

/// Whether a spreadsheet takes a text for a formula.
pub(crate) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
        && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (value, text) in [(3.0, "3"), (1650.8, "1650.8"), (0.1 + 0.2, "0.3"), (1e20, "1e20"), (0.0, "0")] {
            assert_eq!(plain(value), text);
        }
        for (value, text) in
            [(0.0, "0"), (999.4, "999"), (999.6, "1.00k"), (45_120.0, "45.1k"), (1_234_567.0, "1.23M"), (2e9, "2.00G")]
        {
            assert_eq!(short(value), text);
        }
        for (seconds, text) in
            [(0.4, "0 s"), (99.0, "99 s"), (100.0, "2 min"), (7200.0, "2.0 h"), (864_000.0, "10.0 days")]
        {
            assert_eq!(span(seconds), text);
        }
        assert_eq!((counted(1, "run"), counted(0, "run")), ("1 run".to_owned(), "0 runs".to_owned()));
    }

    #[test]
    fn lines_are_not_broken() {
        assert_eq!(one_line("a\nb\u{1b}"), "a\\nb\\u{1b}");
    }
}
