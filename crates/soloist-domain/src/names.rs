//! Messages for names that do not exist.

/// Returns the message for a name that does not exist: the nearest one, if any is near, and all of them.
#[must_use]
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    format!("no {what} `{}`{} (known: {})", name.escape_debug(), hint(name, known), known.join(", "))
}

/// Returns `, did you mean ...?` with the nearest name; nothing if no name is near.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!(", did you mean `{near}`?"))
}

/// Returns the name that is probably meant, if any is near.
#[must_use]
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
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
}
