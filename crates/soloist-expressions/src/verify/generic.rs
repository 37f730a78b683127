//! The trait of generic code of Rust, line by line.

use super::machine::known;

/// What was read of the trait and of what implements it.
#[derive(Debug, Default)]
pub(super) struct Trait {
    /// The type that implements the trait in the present lines.
    own: String,
    /// The function of the present lines.
    function: String,
    begun: bool,
}

/// The lines that have no other meaning.
const PLAIN: [&str; 13] = [
    "Copy",
    "+ std::ops::Add<Output = Self>",
    "+ std::ops::Sub<Output = Self>",
    "+ std::ops::Mul<Output = Self>",
    "+ std::ops::Div<Output = Self>",
    "+ std::ops::Neg<Output = Self>",
    "+ std::ops::Neg<Output = Self> + PartialOrd",
    "+ std::ops::Neg<Output = Self> + PartialEq",
    "{",
    "}",
    "fn whole(value: i32) -> Self;",
    "fn i() -> Self;",
    "pub trait Number:",
];

impl Trait {
    /// Checks a line.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn line(&mut self, text: &str) -> Result<(), String> {
        if PLAIN.contains(&text) {
            if text == "}" {
                self.function.clear();
            }
            self.begun |= text == "pub trait Number:";
            return Ok(());
        }
        if let Some(own) = text.strip_prefix("impl Number for ").and_then(|rest| rest.strip_suffix(" {")) {
            own.clone_into(&mut self.own);
            return if self.begun && ["f32", "f64"].contains(&own) { Ok(()) } else { Err("f32 or f64".into()) };
        }
        if let Some(rest) = text.strip_prefix("fn ") {
            let name = rest.split('(').next().unwrap_or_default();
            let expected = match known(name) {
                Some((_, 1)) => format!("fn {name}(self) -> Self"),
                Some(_) => format!("fn {name}(self, other: Self) -> Self"),
                None => "fn whole(value: i32) -> Self".into(),
            };
            name.clone_into(&mut self.function);
            let end = if self.own.is_empty() { ";" } else { " {" };
            return if text == format!("{expected}{end}") { Ok(()) } else { Err(format!("`{expected}{end}`")) };
        }
        let called = match self.function.as_str() {
            "log" => "ln",
            "pow" => "powf",
            name => name,
        };
        let expected = match (known(&self.function), self.own.as_str()) {
            (Some((_, 1)), own) => format!("{own}::{called}(self)"),
            (Some(_), own) => format!("{own}::{called}(self, other)"),
            (None, "f32") => "value as f32".into(),
            (None, _) => "value.into()".into(),
        };
        if text == expected { Ok(()) } else { Err(format!("`{expected}`")) }
    }
}
