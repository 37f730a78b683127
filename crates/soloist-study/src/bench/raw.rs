//! A spec as TOML holds it, with the places of its parts.

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use soloist_domain::Limits;
use soloist_domain::units::Text;
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSpec {
    pub(super) title: Option<String>,
    pub(super) problem: Spanned<String>,
    pub(super) instances: Vec<Spanned<String>>,
    pub(super) limit_instances: Option<Spanned<Text>>,
    #[serde(default)]
    pub(super) options: BTreeMap<String, Spanned<Text>>,
    pub(super) seeds: Option<Spanned<List>>,
    pub(super) budget: Option<Spanned<Limits>>,
    pub(super) threads: Option<Spanned<Text>>,
    pub(super) jobs: Option<Spanned<Text>>,
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
    pub(super) set: BTreeMap<String, Spanned<Text>>,
    pub(super) budget: Option<Spanned<Limits>>,
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
                while let Some(Text(item)) = items.next_element()? {
                    list.push(item);
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_any(Lists)
    }
}
