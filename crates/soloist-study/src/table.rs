//! Tables as aligned text and as Markdown.

use crate::text::one_line;
use std::fmt::Write;

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Aligned text for people.
    #[default]
    Text,
    /// Markdown for documents.
    Markdown,
    /// One JSON object for programs.
    Json,
}

impl Format {
    /// Returns `text` as a line that holds nothing which the format would interpret.
    #[must_use]
    pub fn escape(self, text: &str) -> String {
        if self == Self::Markdown { escaped(text) } else { one_line(text) }
    }
}

/// A table: the first columns hold names, the others numbers.
#[derive(Debug)]
pub struct Table {
    names: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with its headings; the first `names` columns are left-aligned.
    #[must_use]
    pub fn new<T: Into<String>>(names: usize, head: impl IntoIterator<Item = T>) -> Self {
        Self { names, rows: vec![head.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row with as many cells as there are headings.
    pub fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.rows[0].len());
        self.rows.push(row);
    }

    /// The table as Markdown, or else as aligned text.
    #[must_use]
    pub fn show(&self, format: Format) -> String {
        if format == Format::Markdown { self.markdown() } else { self.text() }
    }

    /// Names to the left, numbers to the right, two blanks between columns.
    #[must_use]
    pub fn text(&self) -> String {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
        let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
        let mut text = String::new();
        for row in &cells {
            let mut line = String::new();
            for (at, cell) in row.iter().enumerate() {
                let width = widths[at];
                let _ =
                    if at < self.names { write!(line, "{cell:<width$}  ") } else { write!(line, "{cell:>width$}  ") };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// A Markdown table, numbers to the right.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<_> = row.iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            if at == 0 {
                let rule = |at: usize| if at < self.names { "---" } else { "---:" };
                let rules: Vec<_> = (0..row.len()).map(rule).collect();
                let _ = writeln!(text, "| {} |", rules.join(" | "));
            }
        }
        text
    }
}

/// Text in which Markdown finds nothing of its own.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '[' | '\\' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let mut table = Table::new(1, ["name", "score"]);
        table.push(vec!["a|b".to_owned(), "7".to_owned()]);
        assert_eq!(table.text(), "name  score\na|b       7\n");
        assert_eq!(table.markdown(), "| name | score |\n| --- | ---: |\n| a\\|b | 7 |\n");
    }
}
