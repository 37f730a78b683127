//! What has become of each part of a text: read, or skipped by name. Nothing else may be left.

use super::super::reader::is_letter;

/// The most characters of a skipped statement that are listed.
const SHOWN: usize = 40;

/// Which parts of a text have been read or skipped.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Ascending, from the first byte to the one behind the last.
    parts: Vec<(usize, usize)>,
    /// What was skipped, in the words of the text.
    pub(super) skipped: Vec<String>,
}

impl Ledger {
    /// Notes that a part has been read. Reading a place again takes back what was read from there on.
    pub(super) fn read(&mut self, start: usize, end: usize) {
        while self.parts.last().is_some_and(|&(from, _)| from >= start) {
            self.parts.pop();
        }
        if end > start {
            self.parts.push((start, end));
        }
    }

    /// Notes that a part has been skipped.
    pub(super) fn skip(&mut self, text: &[u8], start: usize, end: usize) {
        self.read(start, end);
        let shown = String::from_utf8_lossy(&text[start..end.min(text.len())]);
        self.list(&shown);
    }

    /// Lists what was skipped, or what was taken off an expression.
    pub(super) fn list(&mut self, what: &str) {
        let words: Vec<&str> = what.split_whitespace().collect();
        let mut line: String = words.join(" ").chars().filter(|letter| !letter.is_control()).collect();
        if line.chars().count() > SHOWN {
            line = line.chars().take(SHOWN).chain("...".chars()).collect();
        }
        if !line.is_empty() && !self.skipped.contains(&line) {
            self.skipped.push(line);
        }
    }

    /// The place of the first word, number or quotation mark that was neither read nor skipped.
    pub(super) fn left(&self, text: &[u8]) -> Option<usize> {
        let mut parts = self.parts.iter().peekable();
        let mut at = 0;
        while at < text.len() {
            while parts.next_if(|&&(_, end)| end <= at).is_some() {}
            match parts.peek() {
                Some(&&(start, end)) if start <= at => at = end,
                _ if is_letter(text[at]) || text[at].is_ascii_digit() || matches!(text[at], b'\'' | b'"') => {
                    // A derivative of Maxima and the end of a statement have no word.
                    let ends = text[at] == b'$' && text.get(at + 1).is_none_or(u8::is_ascii_whitespace);
                    if !ends {
                        return Some(at);
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_found() {
        let text = b"a + bc*2 ; skip this ; 'x";
        let mut ledger = Ledger::default();
        assert_eq!(ledger.left(text), Some(0));
        ledger.read(0, 1);
        ledger.read(4, 6);
        ledger.read(7, 8);
        ledger.skip(text, 11, 20);
        assert_eq!(ledger.left(text), Some(23));
        // A place that is read again.
        ledger.read(7, 8);
        assert_eq!(ledger.left(text), Some(11));
        assert_eq!(ledger.skipped, ["skip this"]);
    }
}
