//! Durations, counts, sizes and settings as people write them, read exactly and with precise errors.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Largest count: far beyond any run, far below what could overflow in sums.
const MAX_COUNT: u128 = 1_000_000_000_000_000_000;
/// Longest duration: 100 years of 365 days.
const MAX_NANOS: u128 = 100 * 365 * 86_400 * NANOS;
const NANOS: u128 = 1_000_000_000;
/// Least memory that a search tree is given, and most.
const MIN_SIZE: u128 = 64 << 10;
const MAX_SIZE: u128 = 1 << 50;

/// A non-negative decimal, exactly: `digits * 10^exponent`.
struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// Reads the number at the front of `text` and returns the rest, the unit.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let bytes = text.as_bytes();
        let (mut digits, mut exponent, mut at, mut any) = (0_u128, 0_i32, 0, false);
        let mut fraction = false;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    digits = digits.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                    exponent -= i32::from(fraction);
                    any = true;
                }
                // 1_000_000: between digits only.
                b'_' if any && bytes[at - 1].is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
                b'.' if !fraction => fraction = true,
                _ => break,
            }
            at += 1;
        }
        if !any {
            return None;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let end = at + 1 + sign + bytes[at + 1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            // Four digits of exponent are past every range here.
            let power: i32 = text.get(at + 1..end).filter(|power| power.len() <= 5)?.parse().ok()?;
            exponent += power;
            at = end;
        }
        Some((Self { digits, exponent }, &text[at..]))
    }

    /// The number times `unit`; `None` when it overflows. The flag: whether the result is exact.
    fn times(&self, unit: u128) -> Option<(u128, bool)> {
        if self.digits == 0 {
            return Some((0, true));
        }
        let value = self.digits.checked_mul(unit)?;
        let power = 10_u128.checked_pow(self.exponent.unsigned_abs());
        if self.exponent >= 0 {
            Some((value.checked_mul(power?)?, true))
        } else {
            Some(power.map_or((0, false), |power| (value / power, value % power == 0)))
        }
    }
}

/// Reads a duration: `30`, `30s`, `1.5m`, `2h`, `500ms`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("expected a duration such as 30, 30s, 1.5m, 2h or 500ms, got `{text}`");
    let (number, unit) = Decimal::parse(text).ok_or_else(expected)?;
    let unit = match unit {
        "ms" => NANOS / 1000,
        "" | "s" | "sec" => NANOS,
        "m" | "min" => 60 * NANOS,
        "h" => 3600 * NANOS,
        "d" => 86_400 * NANOS,
        _ => return Err(expected()),
    };
    match number.times(unit) {
        Some((nanos, _)) if nanos < NANOS / 1000 => Err(format!("the shortest duration is 1ms, got `{text}`")),
        Some((nanos, _)) if nanos <= MAX_NANOS => Ok(Duration::new((nanos / NANOS) as u64, (nanos % NANOS) as u32)),
        _ => Err(format!("the longest duration is 36500d (100 years), got `{text}`")),
    }
}

/// Reads a count from 1 on: `1000`, `1e6`, `200k`, `5M`, `1_000_000`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let expected = || format!("expected a count such as 1000, 1e6, 200k, 5M or 1_000_000, got `{text}`");
    let (number, unit) = Decimal::parse(text).ok_or_else(expected)?;
    let unit = match unit {
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return Err(expected()),
    };
    match number.times(unit) {
        Some((_, false)) => Err(format!("a count is a whole number, got `{text}`")),
        Some((0, _)) => Err(format!("the least count is 1, got `{text}`")),
        Some((count, _)) if count <= MAX_COUNT => Ok(count as u64),
        _ => Err(format!("the largest count is 1e18, got `{text}`")),
    }
}

/// Reads a number of bytes: `512MiB`, `2GiB`, `2G` (binary like `2GiB`), `500MB` (decimal), `1000000`; any case.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let expected = || format!("expected a size such as 512MiB, 2GiB, 2G or 500MB, got `{text}`");
    let (number, unit) = Decimal::parse(text).ok_or_else(expected)?;
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(expected()),
    };
    match number.times(unit) {
        Some((bytes, _)) if bytes < MIN_SIZE => Err(format!("the least memory is 64KiB, got `{text}`")),
        Some((bytes, _)) if bytes <= MAX_SIZE => Ok(bytes as u64),
        _ => Err(format!("the most memory is 1024TiB, got `{text}`")),
    }
}

/// Reads a score: any finite number.
pub(crate) fn score(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| format!("expected a number, got `{text}`"))
}

/// Reads a seed.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}, got `{text}`", u64::MAX))
}

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

/// Reads a number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| (1..=256).contains(threads));
    threads.ok_or_else(|| format!("expected a whole number from 1 to 256, got `{text}`"))
}

/// Reads a number of solutions to keep.
pub(crate) fn keep(text: &str) -> Result<usize, String> {
    let keep = text.parse().ok().filter(|keep| (1..=10_000).contains(keep));
    keep.ok_or_else(|| format!("expected a whole number from 1 to 10000, got `{text}`"))
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

/// Reads a relative gap: `0.05` or `5%`.
pub(crate) fn gap(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number.trim_end(), 100.0));
    let gap = number.parse::<f64>().ok().map(|gap| gap / unit).filter(|gap| (0.0..=1e6).contains(gap));
    gap.ok_or_else(|| format!("expected a gap such as 0.05 or 5%, at least 0, got `{text}`"))
}

/// Values of a parameter that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Range {
    /// All that the parameter accepts.
    Whole,
    /// `0.1..10` or `0.1..10:log`.
    Numbers { low: f64, high: f64, logarithmic: bool },
    /// `mean|best`.
    Words(Vec<String>),
}

/// Reads a parameter to tune: `c`, `c=0.1..10`, `c=0.1..10:log`, `value=mean|best`.
pub(crate) fn tuned(text: &str) -> Result<(String, Range), String> {
    let expected = || format!("expected KEY, KEY=LOW..HIGH, KEY=LOW..HIGH:log or KEY=A|B|.., got `{text}`");
    let (key, values) = text.split_once('=').map_or((text, None), |(key, values)| (key, Some(values.trim())));
    let key = key.trim().to_owned();
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err(expected());
    }
    let Some(values) = values else { return Ok((key, Range::Whole)) };
    let (numbers, logarithmic) = values.strip_suffix(":log").map_or((values, false), |numbers| (numbers, true));
    if let Some((low, high)) = numbers.split_once("..") {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let (low, high) = number(low).zip(number(high)).ok_or_else(expected)?;
        if low == high {
            return Err(format!("the range {low}..{high} holds one value: fix it by --set {key}={low}"));
        }
        if low > high {
            return Err(format!("the range {low}..{high} runs backwards, in `{text}`"));
        }
        return Ok((key, Range::Numbers { low, high, logarithmic }));
    }
    let words: Vec<String> = values.split('|').map(|word| word.trim().to_owned()).collect();
    if words.len() < 2 || words.iter().any(String::is_empty) {
        return Err(expected());
    }
    Ok((key, Range::Words(words)))
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

/// `key=value` of `--set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
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
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok(Setting { key: key.trim().to_owned(), value: value.trim().to_owned() })
        }
        _ => Err(format!("expected KEY=VALUE, got `{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, millis) in [
            ("30", 30_000),
            ("30s", 30_000),
            ("1.5m", 90_000),
            ("2h", 7_200_000),
            ("500ms", 500),
            ("1e3", 1_000_000),
            ("0.25", 250),
            (".5s", 500),
            ("1d", 86_400_000),
            ("2min", 120_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-3", "+3", "NaN", "inf", "3 s", "3x", "1e", "1.2.3", "0x10", "--json", "1_", "_1", "m"] {
            assert!(duration(text).unwrap_err().starts_with("expected a duration"), "{text}");
        }
        for text in ["0", "0ms", "0.0001", "1e-9999"] {
            assert!(duration(text).unwrap_err().starts_with("the shortest"), "{text}");
        }
        for text in ["1e30", "36501d", "340282366920938463463374607431768211455h", "1e9999"] {
            assert!(duration(text).unwrap_err().starts_with("the longest"), "{text}");
        }
        assert_eq!(duration("36500d").unwrap().as_secs(), 36_500 * 86_400);
    }

    #[test]
    fn counts() {
        for (text, value) in [
            ("1000", 1000),
            ("1e6", 1_000_000),
            ("200k", 200_000),
            ("5M", 5_000_000),
            ("1_000_000", 1_000_000),
            ("2.5k", 2500),
            ("1.50e1", 15),
            ("1000000000000000000", 1_000_000_000_000_000_000),
            ("1e18", 1_000_000_000_000_000_000),
            ("2G", 2_000_000_000),
            ("10e-1", 1),
        ] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
        for text in ["", "-1", "nan", "inf", "1m", "1e6k6", "1 000", "1,000", "1__0", "é", "1é", "1e\u{663}"] {
            assert!(count(text).unwrap_err().starts_with("expected a count"), "{text}");
        }
        for text in ["1.5", "0.1k1", "1e-1", "1e-9999"] {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(count("0").unwrap_err().starts_with("the least"));
        for text in ["1000000000000000001", "1e19", "18446744073709551616", "1e9999", "99999999999999999999999999G"] {
            assert!(count(text).unwrap_err().starts_with("the largest"), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, value) in [
            ("512MiB", 512 << 20),
            ("2GiB", 2 << 30),
            ("2G", 2 << 30),
            ("0.5G", 1 << 29),
            ("500MB", 500_000_000),
            ("1000000", 1_000_000),
            ("64KiB", 64 << 10),
            ("64k", 64 << 10),
            ("1m", 1 << 20),
            ("2gib", 2 << 30),
            ("500mb", 500_000_000),
            ("1Tb", 1_000_000_000_000),
            ("65536b", 64 << 10),
        ] {
            assert_eq!(size(text), Ok(value), "{text}");
        }
        for text in ["", "-1", "2gibi", "2 GiB", "NaN", "inf", "1mk"] {
            assert!(size(text).unwrap_err().starts_with("expected a size"), "{text}");
        }
        assert!(size("0").unwrap_err().starts_with("the least"));
        for text in ["1025TiB", "1e40", "1e25T"] {
            assert!(size(text).unwrap_err().starts_with("the most"), "{text}");
        }
    }

    #[test]
    fn others() {
        assert_eq!(score("-2.5"), Ok(-2.5));
        assert!(score("NaN").is_err() && score("inf").is_err() && score("").is_err());
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert!(seed("18446744073709551616").is_err() && seed("-1").is_err());
        assert_eq!(threads("256"), Ok(256));
        assert!(threads("0").is_err() && threads("257").is_err());
        assert_eq!(scale("0.01"), Ok(0.01));
        assert!(["0", "-1", "NaN", "inf", "1e7", ""].iter().all(|text| scale(text).is_err()));
        assert_eq!((gap("5%"), gap("2.5 %"), gap("0")), (Ok(0.05), Ok(0.025), Ok(0.0)));
        assert!(["", "%", "-1", "NaN", "inf", "5%%"].iter().all(|text| gap(text).is_err()));
        let numbers = |low, high, logarithmic| Range::Numbers { low, high, logarithmic };
        for (text, range) in [
            ("c", Range::Whole),
            ("c=0.1..10", numbers(0.1, 10.0, false)),
            ("c = -1 .. 1e3:log", numbers(-1.0, 1000.0, true)),
            ("c=.5..1.", numbers(0.5, 1.0, false)),
            ("c=a|b", Range::Words(vec!["a".to_owned(), "b".to_owned()])),
        ] {
            assert_eq!(tuned(text), Ok(("c".to_owned(), range)), "{text}");
        }
        assert!(
            ["", "=1..2", "c=", "c=1", "c=1..", "c=a|", "c=1..inf", "c d=1..2"].iter().all(|text| tuned(text).is_err())
        );
        assert!(tuned("c=2..1").unwrap_err().contains("runs backwards"));
        assert_eq!(tuned("c=1..1").unwrap_err(), "the range 1..1 holds one value: fix it by --set c=1");
        assert!(share("0").is_err() && share("1") == Ok(1.0) && several("0").is_err() && several("7") == Ok(7));
        let list = |text: &str| names(text).map(|names| names.0);
        assert_eq!(list("x,f(y, g(z,w)),a[1,2]").unwrap(), ["x", "f(y,g(z,w))", "a[1,2]"]);
        assert!(["", "x,", "f(x", "f)x(", "x,,y"].iter().all(|text| list(text).is_err()));
        assert_eq!(setting("a = b=c"), Ok(Setting { key: "a".into(), value: "b=c".into() }));
        assert!(setting("a").is_err() && setting("=1").is_err());
    }
}
