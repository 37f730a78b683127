//! What can go wrong in a command: one line and an exit code.

use std::fmt::Write;

/// A command that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    /// One line, shown behind `error: `.
    pub(crate) message: String,
}

impl Failure {
    /// Something in the world or the files is wrong: exit 1.
    pub(crate) fn runtime(message: impl Into<String>) -> Self {
        Self { code: 1, message: message.into() }
    }

    /// Everything that went wrong, in one line, with the exit code of the first failure.
    pub(crate) fn of_all(done: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let all: Vec<Self> = done.into_iter().filter_map(Result::err).collect();
        let messages: Vec<_> = all.iter().map(|failure| failure.message.as_str()).collect();
        match all.first() {
            Some(first) => Err(Self { code: first.code, message: messages.join("; ") }),
            None => Ok(()),
        }
    }

    /// The call is wrong: exit 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into() }
    }
}

/// `text` with everything escaped that could end or garble a line: names and cells come from outside.
pub(crate) fn one_line(text: &str) -> String {
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

/// The message for a name that does not exist: the nearest one, if any is near, and all of them.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let hint = nearest(name, known).map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
    format!("no {what} `{name}`{hint} (known: {})", known.join(", "))
}

/// The name that is probably meant, if any is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|known| (distance(name, known), *known)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, near)| *distance <= (near.len() / 3).max(1)).map(|(_, near)| near)
}

/// Edits between two names, adjacent swaps counting once.
fn distance(a: &str, b: &str) -> usize {
    // Foreign text may be long; names are not.
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best.min(rows[i - 2][j - 2] + 1)
                } else {
                    best
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        assert_eq!(distance("samegmae", "samegame"), 1);
        assert_eq!(distance("", "abc"), 3);
        let known = ["samegame", "snake", "nrpa"];
        assert!(unknown("problem", "smegame", &known).contains("did you mean `samegame`?"));
        assert!(unknown("problem", "snkae", &known).contains("did you mean `snake`?"));
        assert!(!unknown("problem", "zzz", &known).contains("did you mean"));
    }

    #[test]
    fn escapes() {
        assert_eq!(one_line("a\nb\u{1b}"), "a\\nb\\u{1b}");
    }
}
