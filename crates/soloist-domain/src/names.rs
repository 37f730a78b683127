//! Messages for names that do not exist.

pub use soloist::table::nearest;

/// Returns the message for a name that does not exist: the nearest one or, if none is near, all of them.
#[must_use]
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    unknown_among(what, name, known, &format!("known: {}", known.join(", ")))
}

/// Returns the message for a name that does not exist: the nearest one or, if none is near, the text `otherwise`.
#[must_use]
pub fn unknown_among(what: &str, name: &str, known: &[&str], otherwise: &str) -> String {
    let end = match nearest(name, known) {
        Some(near) => format!(", did you mean `{near}`?"),
        None => format!(" ({otherwise})"),
    };
    format!("no {what} `{}`{end}", name.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_or_all_of_them() {
        let known = ["samegame", "snake", "nrpa"];
        assert_eq!(unknown("problem", "smegame", &known), "no problem `smegame`, did you mean `samegame`?");
        assert_eq!(unknown("problem", "zzz", &known), "no problem `zzz` (known: samegame, snake, nrpa)");
    }
}
