//! Arguments as people write them, read exactly and with precise errors.

use soloist_problems::Setting;
pub(crate) use soloist_problems::units::{count, duration, keep, score, seed, size, threads};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, SystemTime};

/// Reads a count that may be 0.
pub(crate) fn count_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { count(text) }
}

#[cfg(any(test, feature = "expressions"))]
/// Names of variables, as in `x,f(y,z)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names(pub(crate) Vec<String>);

#[cfg(any(test, feature = "expressions"))]
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

#[cfg(feature = "expressions")]
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

/// Variables in which schedulers put the number of a job in its array: Slurm, HyperQueue, PBS, SGE and LSF.
const INDEX: [&str; 5] = ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "PBS_ARRAY_INDEX", "SGE_TASK_ID", "LSB_JOBINDEX"];

/// A whole number from 0 on, or `auto`: the number of the job in its array.
pub(crate) fn job_index(text: &str) -> Result<u64, String> {
    if text == "auto" {
        return index_of(|name| std::env::var(name).ok());
    }
    seed(text)
}

fn index_of(variable: impl Fn(&str) -> Option<String>) -> Result<u64, String> {
    let found = INDEX.iter().find_map(|name| Some((name, variable(name)?)));
    let Some((name, value)) = found else {
        return Err(format!("auto: expected one of {} in the environment", INDEX.join(", ")));
    };
    value.parse().map_err(|_| format!("auto: expected a whole number in {name}, got `{value}`"))
}

/// A time of the clock: seconds since 1970, or `2026-11-24T05:00:00Z`, in UTC.
pub(crate) fn moment(text: &str) -> Result<SystemTime, String> {
    let wrong = || format!("expected seconds since 1970 or a time such as 2026-11-24T05:00:00Z, got `{text}`");
    let seconds = text.parse::<u64>().ok().or_else(|| utc(text)).ok_or_else(wrong)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or_else(wrong)
}

/// Seconds since 1970 of a time in UTC.
fn utc(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, mark| text.split(mark).map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>();
    let ([year, month, day], [hour, minute, second]) =
        (<[u64; 3]>::try_from(numbers(date, '-')?).ok()?, <[u64; 3]>::try_from(numbers(time, ':')?).ok()?);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = |month: u64| match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_valid = (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=length(month)).contains(&day);
    if !is_valid || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let years: u64 = (1970..year).map(|year| 365 + u64::from(is_leap(year))).sum();
    let days = years + (1..month).map(length).sum::<u64>() + day - 1;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// A part of a whole: `2/8` is the second of eight.
pub(crate) fn shard(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('/').and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
    let valid = parsed.filter(|&(at, of): &(usize, usize)| (1..=of).contains(&at) && of <= 100_000);
    valid.ok_or_else(|| format!("expected a part such as 2/8, from 1/8 to 8/8, got `{text}`"))
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
        assert_eq!(shard("2/8"), Ok((2, 8)));
        assert!(["0/8", "9/8", "2", "/8", "2/0", "-1/8"].iter().all(|text| shard(text).is_err()));
        let list = |text: &str| names(text).map(|names| names.0);
        assert_eq!(list("x,f(y, g(z,w)),a[1,2]").unwrap(), ["x", "f(y,g(z,w))", "a[1,2]"]);
        assert!(["", "x,", "f(x", "f)x(", "x,,y"].iter().all(|text| list(text).is_err()));
    }

    #[test]
    fn moments_of_the_clock() {
        let seconds = |text| moment(text).map(|time| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(seconds("1795496400"), Ok(1_795_496_400));
        // As `date -u -d ... +%s` says.
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Ok(0));
        assert_eq!(seconds("2026-11-24T05:00:00Z"), Ok(1_795_496_400));
        assert_eq!(seconds("2024-02-29T23:59:59Z"), Ok(1_709_251_199));
        for wrong in ["", "now", "-1", "2023-02-29T00:00:00Z", "2026-11-24T05:00:00", "2026-11-24T24:00:00Z", "1e9"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_jobs() {
        let env = |name: &str| (name == "HQ_TASK_ID").then(|| "7".to_owned());
        assert_eq!(index_of(env), Ok(7));
        assert!(index_of(|_| None).unwrap_err().contains("SLURM_ARRAY_TASK_ID"));
        assert!(index_of(|_| Some("x".to_owned())).unwrap_err().contains("got `x`"));
        assert_eq!(job_index("3"), Ok(3));
    }
}
