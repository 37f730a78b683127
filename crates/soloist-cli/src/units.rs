//! Arguments as people write them, read exactly and with precise errors.

use soloist_problems::Setting;
pub(crate) use soloist_problems::units::{count, duration, keep, score, seed, size, threads};
use std::net::{Ipv4Addr, SocketAddr};

/// A count from 0 on.
pub(crate) fn count_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { count(text) }
}

/// Names of variables, as in `x,f(y,z)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names(pub(crate) Vec<String>);

/// Reads names between commas that are not inside parentheses or brackets.
pub(crate) fn names(text: &str) -> Result<Names, String> {
    let (mut names, mut depth) = (vec![String::new()], 0_usize);
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.checked_sub(1).ok_or_else(|| format!("`{c}` without its beginning in `{text}`"))?;
            }
            ',' if depth == 0 => {
                names.push(String::new());
                continue;
            }
            // Names are held without blanks.
            c if c.is_whitespace() => continue,
            _ => {}
        }
        names.last_mut().expect("one at least").push(c);
    }
    if depth > 0 {
        return Err(format!("a parenthesis is not closed in `{text}`"));
    }
    if names.iter().any(String::is_empty) {
        return Err(format!("expected names between commas, got `{text}`"));
    }
    Ok(Names(names))
}

/// A name of a function in any language: letters, digits and underscores, a letter first.
pub(crate) fn identifier(text: &str) -> Result<String, String> {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && text.len() <= 60 {
        Ok(text.to_owned())
    } else {
        Err("expected a letter, then letters, digits or underscores, at most 60".into())
    }
}

/// Reads a number of instances.
pub(crate) fn limit(text: &str) -> Result<usize, String> {
    let limit = text.parse().ok().filter(|limit| (1..=100_000).contains(limit));
    limit.ok_or_else(|| format!("expected a whole number from 1 to 100000, got `{text}`"))
}

/// Reads a factor for budgets.
pub(crate) fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale| (1e-6..=1e6).contains(scale));
    scale.ok_or_else(|| format!("expected a number from 1e-6 to 1e6, got `{text}`"))
}

/// Reads a number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("expected a number above 0, got `{text}`"))
}

/// Reads a whole number from 1 to 100,000.
pub(crate) fn several(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to 100000, got `{text}`"))
}

/// Reads a share that is not 0: `0.7`.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| format!("expected a number above 0, at most 1, got `{text}`"))
}

/// An address to serve on: `8000` (on 127.0.0.1), `localhost:8000`, `0.0.0.0:8000`, `[::1]:8000`.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let port = |text: &str| text.parse::<u16>().ok().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let local = text.strip_prefix("localhost:").unwrap_or(text);
    let found = port(local).or_else(|| text.parse().ok());
    found.ok_or_else(|| "expected a port from 0 to 65535, or an address with a port such as 127.0.0.1:8000".to_owned())
}

/// Reads a setting.
pub(crate) fn setting(text: &str) -> Result<Setting, String> {
    text.parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others() {
        assert_eq!(scale("0.01"), Ok(0.01));
        assert!(["0", "-1", "NaN", "inf", "1e7", ""].iter().all(|text| scale(text).is_err()));
        assert!(share("0").is_err() && share("1") == Ok(1.0) && several("0").is_err() && several("7") == Ok(7));
        let list = |text: &str| names(text).map(|names| names.0);
        assert_eq!(list("x,f(y, g(z,w)),a[1,2]").unwrap(), ["x", "f(y,g(z,w))", "a[1,2]"]);
        assert!(["", "x,", "f(x", "f)x(", "x,,y"].iter().all(|text| list(text).is_err()));
    }
}
