//! What drawings as SVG pages have in common.

use std::fmt::{Display, Write as _};

/// Returns the beginning of a page of `width` x `height` units on white, to be ended by `</svg>`: a view box alone, so
/// that the drawing takes the room that it is given. `font_size` is in the same units.
#[must_use]
pub fn page(width: impl Display, height: impl Display, font_size: u32) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{font_size}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    );
    svg
}

/// Returns a page with the lines of a text.
#[must_use]
pub fn of_text(text: &str) -> String {
    let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0).max(20) * 8 + 40;
    let mut svg = page(width, text.lines().count() * 20 + 40, 14);
    for (at, line) in text.lines().enumerate() {
        let line = escape(line.chars());
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"20\" y=\"{}\" font-family=\"monospace\" xml:space=\"preserve\">{line}</text>",
            at * 20 + 30
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Text for XML: markup escaped, characters that XML 1.0 forbids replaced.
#[must_use]
pub fn escape(text: impl IntoIterator<Item = char>) -> String {
    let mut result = String::new();
    for c in text {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => result.push('\u{fffd}'),
            c => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_a_page() {
        assert_eq!(escape("a<b> & \"c\"".chars()), "a&lt;b&gt; &amp; &quot;c&quot;");
        assert_eq!(escape("\0\u{1b}\n\u{85}\u{fffe}\u{ffff}".chars()), "\u{fffd}".repeat(6));
        assert_eq!(escape("é ☃ 𝄞".chars()), "é ☃ 𝄞");
    }
}
