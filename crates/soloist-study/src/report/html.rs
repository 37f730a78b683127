//! Pieces of a page: text that cannot break it, tables with aligned numbers, data for the script.

use crate::text::plain;
use serde_json::Value;
use std::fmt::Write;

/// Text inside an element or an attribute in quotes.
pub(crate) fn escape(text: &str) -> String {
    soloist_domain::svg::escape(text.chars()).replace('\'', "&#39;")
}

/// A section with its heading and what it means.
pub(super) fn section(id: &str, title: &str, lead: &str, content: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{title}</h2><p class=\"lead\">{lead}</p>{content}</section>"
    )
}

/// A cell of a table, as HTML.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    html: String,
    /// Whether it is the best of its column or row.
    best: bool,
}

impl Cell {
    /// Text, escaped.
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self { html: escape(text.as_ref()), best: false }
    }

    /// HTML that holds no foreign text.
    pub(crate) fn html(html: String) -> Self {
        Self { html, best: false }
    }

    /// The same cell, as the best if `is`.
    pub(crate) fn best(self, is: bool) -> Self {
        Self { best: is, ..self }
    }
}

/// A table whose first `names` columns hold names, the others numbers.
#[derive(Debug)]
pub(crate) struct Grid {
    caption: String,
    names: usize,
    head: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Grid {
    /// A table without rows; the caption is read aloud and not shown.
    pub(crate) fn new(caption: &str, names: usize, head: &[&str]) -> Self {
        let head = head.iter().map(|&name| name.to_owned()).collect();
        Self { caption: caption.to_owned(), names, head, rows: Vec::new() }
    }

    /// Adds a row with as many cells as there are headings.
    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.head.len());
        self.rows.push(row);
    }

    /// The table in a box that scrolls sideways on narrow screens.
    pub(crate) fn html(&self) -> String {
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><caption>{0}</caption><thead><tr>",
            escape(&self.caption)
        );
        let class = |at: usize| if at < self.names { "name" } else { "num" };
        for (at, name) in self.head.iter().enumerate() {
            let _ = write!(html, "<th scope=\"col\" class=\"{}\">{}</th>", class(at), escape(name));
        }
        html.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            html.push_str("<tr>");
            for (at, cell) in row.iter().enumerate() {
                let (tag, scope) = if at == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                let best = if cell.best { " best" } else { "" };
                let _ = write!(html, "<{tag}{scope} class=\"{}{best}\">{}</{tag}>", class(at), cell.html);
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table></div>");
        html
    }
}

/// Numbers of a column, with as many digits after the point as the largest needs for `significant` digits, so that
/// points stand below each other; whole numbers stay whole.
pub(crate) fn column(values: &[Option<f64>], significant: i32) -> Vec<String> {
    let digits = digits(values, significant);
    values.iter().map(|value| value.map_or_else(|| "–".to_owned(), |value| fixed(value, digits))).collect()
}

/// Digits after the point for a column.
pub(crate) fn digits(values: &[Option<f64>], significant: i32) -> usize {
    let known = || values.iter().flatten();
    if known().all(|value| value.fract() == 0.0) {
        return 0;
    }
    let largest = known().map(|value| value.abs()).fold(0.0, f64::max);
    let most = (significant - 1 - largest.max(1e-9).log10().floor() as i32).clamp(0, 9);
    // Digits that are zero in all values are left out.
    let exact = |digits: i32| {
        let scale = 10_f64.powi(digits);
        known().all(|value| ((value * scale).round() / scale - value).abs() <= 1e-9 * value.abs())
    };
    (0..most).find(|&digits| exact(digits)).unwrap_or(most) as usize
}

/// Formats a number with `digits` digits after the point; very large ones in scientific notation.
pub(crate) fn fixed(value: f64, digits: usize) -> String {
    if value.abs() >= 1e15 {
        return plain(value);
    }
    let text = format!("{value:.digits$}");
    // A true minus is as wide as a plus. Zero has no sign.
    let zero = text.trim_start_matches('-').bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if zero { text.trim_start_matches('-').to_owned() } else { text.replace('-', "−") }
}

/// Data for the script, safe inside a script element.
pub(crate) fn data(value: &Value) -> String {
    // Inside strings these mean the same; outside of strings they do not occur.
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// A word of a command line.
pub(crate) fn shell(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_foreign_breaks_a_page() {
        let hostile = "</script><img src=x onerror='alert(1)'>\"&";
        assert_eq!(escape(hostile), "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;");
        let data = data(&json!({ "name": hostile }));
        assert!(!data.contains(['<', '>', '&']), "{data}");
        assert_eq!(serde_json::from_str::<Value>(&data).unwrap()["name"], hostile);
        let mut grid = Grid::new(hostile, 1, &[hostile, "n"]);
        grid.push(vec![Cell::text(hostile), Cell::text("7").best(true)]);
        let html = grid.html();
        assert!(!html.contains("<img") && html.contains("<td class=\"num best\">7</td>"), "{html}");
    }

    #[test]
    fn points_stand_below_each_other() {
        assert_eq!(column(&[Some(3.0), None, Some(12.0)], 5), ["3", "–", "12"]);
        assert_eq!(column(&[Some(3.0), Some(-12.345_678)], 5), ["3.000", "−12.346"]);
        assert_eq!(column(&[Some(1635.2), Some(7.0)], 6), ["1635.2", "7.0"]);
        assert_eq!((fixed(-0.000_1, 2), fixed(1e20, 0)), ("0.00".to_owned(), "1e20".to_owned()));
    }

    #[test]
    fn commands_can_be_pasted() {
        assert_eq!(shell("random:15x15x5:7"), "random:15x15x5:7");
        assert_eq!(shell("a b's"), "'a b'\\''s'");
        assert_eq!(shell(""), "''");
    }
}
