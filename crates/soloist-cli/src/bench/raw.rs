//! A spec as TOML holds it, with the places of its parts.

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSpec {
    pub(super) title: Option<String>,
    pub(super) problem: Spanned<String>,
    pub(super) instances: Vec<Spanned<String>>,
    pub(super) limit_instances: Option<Spanned<Scalar>>,
    #[serde(default)]
    pub(super) options: BTreeMap<String, Spanned<Scalar>>,
    pub(super) seeds: Option<Spanned<List>>,
    pub(super) budget: Option<Spanned<RawBudget>>,
    pub(super) threads: Option<Spanned<Scalar>>,
    pub(super) jobs: Option<Spanned<Scalar>>,
    pub(super) method: Vec<Spanned<RawMethod>>,
    pub(super) compare: Option<RawCompare>,
    pub(super) best_known: Option<Spanned<String>>,
    pub(super) profile: Option<RawProfile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { method = \"uct\" }")]
pub(super) struct RawMethod {
    pub(super) name: Option<Spanned<String>>,
    pub(super) method: Option<Spanned<String>>,
    pub(super) rollout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) set: BTreeMap<String, Spanned<Scalar>>,
    pub(super) budget: Option<Spanned<RawBudget>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { time = \"10s\" }")]
pub(super) struct RawBudget {
    pub(super) time: Option<Spanned<Scalar>>,
    pub(super) playouts: Option<Spanned<Scalar>>,
    pub(super) nodes: Option<Spanned<Scalar>>,
    pub(super) target: Option<Spanned<Scalar>>,
    pub(super) stall: Option<Spanned<Scalar>>,
    pub(super) memory: Option<Spanned<Scalar>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { baseline = \"uct\" }")]
pub(super) struct RawCompare {
    pub(super) baseline: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { gaps = [0.05, 0.01] }")]
pub(super) struct RawProfile {
    pub(super) gaps: Option<Spanned<List>>,
    pub(super) scores: Option<Spanned<List>>,
    pub(super) playouts: Option<Spanned<List>>,
    pub(super) seconds: Option<Spanned<List>>,
}

/// A string, number or boolean, as `--set` would take it.
pub(super) struct Scalar(pub(super) String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl Visitor<'_> for Texts {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number or a boolean")
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar(text.to_owned()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
                // 1e300 in digits would fill the message.
                let long = value.is_finite() && value.abs() >= 1e18;
                Ok(Scalar(if long { format!("{value:e}") } else { value.to_string() }))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

/// A scalar or a list of them.
pub(super) struct List(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lists;
        impl<'de> Visitor<'de> for Lists {
            type Value = List;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers or a range such as \"1..5\"")
            }

            fn visit_str<E>(self, text: &str) -> Result<List, E> {
                Ok(List(vec![text.to_owned()]))
            }

            fn visit_i64<E>(self, value: i64) -> Result<List, E> {
                Ok(List(vec![value.to_string()]))
            }

            fn visit_f64<E>(self, value: f64) -> Result<List, E> {
                Ok(List(vec![value.to_string()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List, A::Error> {
                let mut list = Vec::new();
                while let Some(Scalar(item)) = items.next_element()? {
                    list.push(item);
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_any(Lists)
    }
}
