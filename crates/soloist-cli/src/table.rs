//! Tables as aligned text and as Markdown.

use crate::failure::one_line;
use std::fmt::Write;

/// A table: the first columns hold names, the others numbers.
#[derive(Debug)]
pub(crate) struct Table {
    names: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with its headings, of which the first `names` stand over names.
    pub(crate) fn new<T: Into<String>>(names: usize, head: impl IntoIterator<Item = T>) -> Self {
        Self { names, rows: vec![head.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row with as many cells as there are headings.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.rows[0].len());
        self.rows.push(row);
    }

    /// Names to the left, numbers to the right, two blanks between columns.
    pub(crate) fn text(&self) -> String {
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
    pub(crate) fn markdown(&self) -> String {
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
pub(crate) fn escaped(text: &str) -> String {
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
