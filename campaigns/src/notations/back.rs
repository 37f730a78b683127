//! Reads the notation of the reader.

use super::print::Tree::{self, Call, Name, Number, Power, Product, Sum};

/// Reads the notation of the reader.
struct Back<'a> {
    text: &'a [u8],
    at: usize,
}

impl Back<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn sum(&mut self) -> Option<Tree> {
        let mut parts = Vec::new();
        loop {
            let negative = self.peek() == b'-';
            self.at += usize::from(matches!(self.peek(), b'+' | b'-'));
            parts.push((negative, self.product()?));
            if !matches!(self.peek(), b'+' | b'-') {
                break;
            }
        }
        Some(if parts.len() == 1 && !parts[0].0 { parts.remove(0).1 } else { Sum(parts) })
    }

    fn product(&mut self) -> Option<Tree> {
        let mut parts = vec![(false, self.power()?)];
        while matches!(self.peek(), b'*' | b'/') {
            let divide = self.peek() == b'/';
            self.at += 1;
            parts.push((divide, self.power()?));
        }
        Some(if parts.len() == 1 { parts.remove(0).1 } else { Product(parts) })
    }

    fn power(&mut self) -> Option<Tree> {
        let base = self.atom()?;
        if self.peek() != b'^' {
            return Some(base);
        }
        self.at += 1;
        Some(Power(Box::new(base), Box::new(self.atom()?)))
    }

    fn atom(&mut self) -> Option<Tree> {
        let start = self.at;
        if self.peek() == b'(' {
            self.at += 1;
            let inner = self.sum()?;
            self.at += usize::from(self.peek() == b')');
            return Some(inner);
        }
        while self.peek().is_ascii_alphanumeric() || matches!(self.peek(), b'_' | b'.') {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            // `2.5e-3`.
            if word.ends_with('e') && self.peek() == b'-' {
                self.at += 1;
                while self.peek().is_ascii_digit() {
                    self.at += 1;
                }
            }
            return std::str::from_utf8(&self.text[start..self.at]).ok()?.parse().ok().map(Number);
        }
        if word.is_empty() {
            return None;
        }
        let name = word.to_owned();
        if self.peek() != b'(' {
            return Some(Name(name));
        }
        self.at += 1;
        let mut arguments = Vec::new();
        while self.peek() != b')' {
            arguments.push(self.sum()?);
            self.at += usize::from(self.peek() == b',');
        }
        self.at += 1;
        Some(Call(name, arguments))
    }
}

/// The statements of a text in the notation of the reader.
pub(super) fn read_back(text: &str) -> Option<Vec<(String, Tree)>> {
    text.lines()
        .map(|line| {
            let (name, value) = line.trim_start_matches("Local ").strip_suffix(';')?.split_once(" = ")?;
            let mut back = Back { text: value.as_bytes(), at: 0 };
            let tree = back.sum()?;
            (back.at == value.len()).then_some((name.to_owned(), tree))
        })
        .collect()
}
