//! The parts of a score, as results show them.

use crate::number::number;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};
use soloist::problem::ScorePart;
use std::fmt;

/// The parts of a score by name, in the order of the problem: a JSON object of numbers.
///
/// Numbers that JSON cannot hold are left out. A record that is read has them in the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts(Vec<(String, f64)>);

impl Parts {
    /// Returns the parts in their order.
    #[must_use]
    pub fn all(&self) -> &[(String, f64)] {
        &self.0
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<ScorePart>> for Parts {
    fn from(parts: Vec<ScorePart>) -> Self {
        let finite = parts.into_iter().filter(|(_, value)| value.is_finite());
        Self(finite.map(|(name, value)| (name.into_owned(), value)).collect())
    }
}

/// `vehicles 12, distance 828.937`: six decimals at most.
impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let rounded = if value.abs() < 1e9 { (value * 1e6).round() / 1e6 } else { *value };
            write!(f, "{}{name} {}", if at == 0 { "" } else { ", " }, number(rounded))?;
        }
        Ok(())
    }
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, &number(*value))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Parts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of numbers")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = map.next_entry()? {
                    parts.push(part);
                }
                Ok(Parts(parts))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_order() {
        let all = [("vehicles", 3.0), ("distance", 10.25), ("nothing", f64::NAN), ("ways", 1e-7)];
        let parts = Parts::from(all.map(|(name, value)| (name.into(), value)).to_vec());
        let text = serde_json::to_string(&parts).unwrap();
        assert_eq!(text, r#"{"vehicles":3,"distance":10.25,"ways":1e-7}"#);
        assert_eq!(serde_json::from_str::<Parts>(&text).unwrap(), parts);
        assert_eq!(parts.to_string(), "vehicles 3, distance 10.25, ways 0");
        assert!(serde_json::from_str::<Parts>("[1]").unwrap_err().to_string().contains("an object of numbers"));
    }
}
