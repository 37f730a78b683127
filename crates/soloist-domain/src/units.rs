//! Durations, counts and sizes as people write them, read exactly and with precise errors: on the command line, in
//! files and as keywords.

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::time::Duration;

/// A string, a number or a boolean as text, as `--set` takes it.
///
/// It is what TOML and JSON hold where the command line has a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl Visitor<'_> for Texts {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number or a boolean")
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Text, E> {
                Ok(Text(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Text, E> {
                Ok(Text(value.to_string()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Text, E> {
                // 1e300 in digits would fill the message.
                let long = value.is_finite() && value.abs() >= 1e18;
                Ok(Text(if long { format!("{value:e}") } else { value.to_string() }))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Text, E> {
                Ok(Text(value.to_string()))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

/// Reads a field that may be missing or null by `read`; the error names the field.
pub(crate) fn field<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    name: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = Option::<Text>::deserialize(deserializer)?;
    let read = text.map(|Text(text)| read(&text)).transpose();
    read.map_err(|message| Error::custom(format!("`{name}`: {message}")))
}

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
///
/// # Errors
/// One line: what is expected.
pub fn duration(text: &str) -> Result<Duration, String> {
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
///
/// # Errors
/// One line: what is expected.
pub fn count(text: &str) -> Result<u64, String> {
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
///
/// # Errors
/// One line: what is expected.
pub fn size(text: &str) -> Result<u64, String> {
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
///
/// # Errors
/// One line: what is expected.
pub fn score(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| format!("expected a number, got `{text}`"))
}

/// Reads a seed.
///
/// # Errors
/// One line: what is expected.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}, got `{text}`", u64::MAX))
}

/// Reads a number of threads.
///
/// # Errors
/// One line: what is expected.
pub fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| (1..=256).contains(threads));
    threads.ok_or_else(|| format!("expected a whole number from 1 to 256, got `{text}`"))
}

/// Reads a number of solutions to keep.
///
/// # Errors
/// One line: what is expected.
pub fn keep(text: &str) -> Result<usize, String> {
    let keep = text.parse().ok().filter(|keep| (1..=10_000).contains(keep));
    keep.ok_or_else(|| format!("expected a whole number from 1 to 10000, got `{text}`"))
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
    }
}
