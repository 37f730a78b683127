//! Numbers as JSON has them.

use serde_json::Value;

/// Returns a number, as an integer when it is one; null when it is not finite, which JSON cannot say.
#[must_use]
pub fn number(value: f64) -> Value {
    // Up to 2^53 every integer is exact.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number(3.0).to_string(), "3");
        assert_eq!(number(-0.0).to_string(), "0");
        assert_eq!(number(0.5).to_string(), "0.5");
        assert_eq!(number(f64::INFINITY), Value::Null);
        assert_eq!(number(1e300).to_string(), "1e+300");
    }
}
