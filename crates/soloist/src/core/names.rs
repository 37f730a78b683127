//! The name that is probably meant by one that does not exist.

/// Returns the name that is probably meant, if any is near.
#[must_use]
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|known| (distance(name, known), *known)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, near)| *distance <= (near.len() / 3).max(1)).map(|(_, near)| near)
}

/// Returns what a message about an unknown name ends with: the name that is probably meant, otherwise the names there
/// are.
pub(crate) fn instead(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!(", did you mean `{near}`?"),
        None => format!(" (known: {})", known.join(", ")),
    }
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
        assert_eq!(nearest("smegame", &known), Some("samegame"));
        assert_eq!(nearest("snkae", &known), Some("snake"));
        assert_eq!(nearest("zzz", &known), None);
    }
}
