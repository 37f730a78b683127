//! Names with values, as `--set`, tables of TOML, objects of JSON and keywords give them.

use crate::Options;
use crate::units::Text;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A name with a value: `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name.
    pub key: String,
    /// The value as text.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => Err(format!("expected KEY=VALUE, got `{text}`")),
        }
    }
}

/// Settings in the order in which they are made: what a later one means may depend on an earlier one.
///
/// A name is there once. As TOML or JSON they are a table whose values are strings, numbers or booleans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(Vec<Setting>);

impl Settings {
    /// Adds a setting at the end; an earlier one of the same name is removed.
    pub fn push(&mut self, setting: Setting) {
        self.0.retain(|known| known.key != setting.key);
        self.0.push(setting);
    }

    /// Returns the value of a name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str())
    }

    /// Returns whether there is no setting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the settings in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Setting> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a Settings {
    type Item = &'a Setting;
    type IntoIter = std::slice::Iter<'a, Setting>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<Setting> for Settings {
    fn extend<I: IntoIterator<Item = Setting>>(&mut self, settings: I) {
        settings.into_iter().for_each(|setting| self.push(setting));
    }
}

impl FromIterator<Setting> for Settings {
    fn from_iter<I: IntoIterator<Item = Setting>>(settings: I) -> Self {
        let mut all = Self::default();
        all.extend(settings);
        all
    }
}

impl From<&Options> for Settings {
    fn from(options: &Options) -> Self {
        options.iter().map(|(key, value)| Setting { key: key.clone(), value: value.clone() }).collect()
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|setting| (&setting.key, &setting.value)))
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Settings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as { level = 3 }")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Settings, A::Error> {
                let mut settings = Settings::default();
                while let Some((key, Text(value))) = entries.next_entry()? {
                    settings.push(Setting { key, value });
                }
                Ok(settings)
            }
        }
        deserializer.deserialize_map(Table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_from_words() {
        let setting = |text: &str| text.parse::<Setting>();
        assert_eq!(setting("a = b=c"), Ok(Setting { key: "a".into(), value: "b=c".into() }));
        assert!(setting("a").is_err() && setting("=1").is_err());
    }

    #[test]
    fn settings_keep_their_order_and_the_last_value() {
        let settings: Settings = ["b=1", "a=2", "b=3"].iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!((settings.get("b"), settings.get("c")), (Some("3"), None));
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(text, r#"{"a":"2","b":"3"}"#);
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        let scalars: Settings = serde_json::from_str(r#"{"z": 1e3, "a": true, "m": "x", "k": -2}"#).unwrap();
        let pairs: Vec<_> = scalars.iter().map(|setting| (setting.key.as_str(), setting.value.as_str())).collect();
        assert_eq!(pairs, [("z", "1000"), ("a", "true"), ("m", "x"), ("k", "-2")]);
        assert!(serde_json::from_str::<Settings>(r#"{"a": [1]}"#).is_err());
    }
}
