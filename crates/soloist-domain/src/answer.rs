//! What a solution to be verified looks like from outside, the same for every problem.
//!
//! A verifier is given a result of `soloist solve --json`, its `solution` alone, a list, or a text in the domain's own
//! notation. This module distinguishes these forms and reads the fields that every result has, and the numbers that it
//! claims. The domain reads the solution itself. Nothing here is used by a search.

use crate::InstanceError;
use crate::error::quote;
use crate::input::whole;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A solution as it was submitted.
#[derive(Debug)]
pub enum SubmittedSolution<'t> {
    /// No JSON: the text in the domain's own notation, blanks around it removed.
    Plain(&'t str),
    /// A JSON list.
    List(Value),
    /// A JSON object.
    Object(Claims),
}

impl<'t> SubmittedSolution<'t> {
    /// Reads a text, with or without a byte order mark; one that begins with a bracket is JSON.
    ///
    /// # Errors
    /// One line: a bracket and no valid JSON behind it.
    pub fn read(text: &'t str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.starts_with(['{', '[']) {
            return Ok(Self::Plain(text));
        }
        let value = json("solution", text)?;
        Ok(if value.is_object() { Self::Object(Claims(value)) } else { Self::List(value) })
    }
}

/// A result, or its solution alone, and what it claims.
#[derive(Debug)]
pub struct Claims(Value);

impl Claims {
    /// Returns a field of the object as a whole.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Whether the object is a result around a solution.
    pub fn is_result(&self) -> bool {
        self.get("solution").is_some()
    }

    /// Refuses a result of another problem, and one marked infeasible.
    pub fn belong_to(&self, problem: &str) -> Result<(), String> {
        match self.foreign(problem) {
            Some(other) => Err(format!("a solution of {other}, expected {problem}")),
            None => self.feasible(),
        }
    }

    /// Returns the problem that the result is of, for a message, if it names another one.
    pub fn foreign(&self, problem: &str) -> Option<String> {
        self.get("problem").filter(|other| *other != problem).map(short)
    }

    /// Refuses a result that says that it is not feasible.
    pub fn feasible(&self) -> Result<(), String> {
        if self.get("feasible") == Some(&Value::Bool(false)) {
            Err("says that it is not feasible".into())
        } else {
            Ok(())
        }
    }

    /// Returns the object that holds the solution.
    pub fn solution(&self) -> Result<&Value, String> {
        solution(&self.0).map_err(|wrong| match wrong {
            Value::Null => "holds no solution".into(),
            _ => "`solution` is not an object".into(),
        })
    }
}

/// Returns the object `solution` of a result; an object without such a field is the solution itself.
///
/// # Errors
/// What stands there instead: null where nothing was found.
pub fn solution(object: &Value) -> Result<&Value, &Value> {
    match object.get("solution") {
        Some(solution @ Value::Object(_)) => Ok(solution),
        Some(other) => Err(other),
        None => Ok(object),
    }
}

/// The most entries of lists and objects of a JSON text that is read; each takes some 32 bytes.
pub const MAX_ENTRIES: usize = 4_000_000;

/// Reads JSON that messages call `name`.
///
/// # Errors
/// One line: more than [`MAX_ENTRIES`] entries, or where the syntax breaks.
pub fn json(name: &str, text: &str) -> Result<Value, String> {
    json_as(name, text)
}

/// Same as [`json`], read as the type that the caller needs.
///
/// # Errors
/// Those of [`json`], and a value that is not of this type.
pub fn json_as<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, String> {
    // An entry has a comma or an opening bracket in front; those inside strings do no harm.
    if text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).nth(MAX_ENTRIES).is_some() {
        return Err(format!("{name}: more than {MAX_ENTRIES} entries, the most that are read"));
    }
    serde_json::from_str(text).map_err(|error| InstanceError::json(name, &error).to_string())
}

/// Refuses a claimed number that differs from the recomputed one. Without a claim there is nothing to refuse.
pub fn claim(name: &str, claimed: Option<&Value>, found: u64) -> Result<(), String> {
    match refuted(claimed, found) {
        Some(claimed) => Err(format!("claims the {name} {claimed}, recomputed: {found}")),
        None => Ok(()),
    }
}

/// Returns what is claimed, for a message, if it is not the number that was found.
pub fn refuted(claimed: Option<&Value>, found: u64) -> Option<String> {
    // Whole numbers are compared as such. Others may be doubles: what is found is at most 2^53, which they hold
    // exactly.
    let holds = |claimed: &Value| match claimed.as_u64() {
        Some(claimed) => claimed == found,
        None => claimed.as_f64() == Some(found as f64),
    };
    claimed.filter(|claimed| !holds(claimed)).map(short)
}

/// Returns a value for a message.
pub fn short(value: &Value) -> String {
    quote(value.to_string().as_bytes())
}

/// Returns the whole numbers of the JSON list that messages call `name`.
///
/// # Errors
/// One line: no list, or an entry that is no whole number from 0 on.
pub fn numbers(name: &str, list: &Value) -> Result<Vec<u64>, String> {
    let list = list.as_array().ok_or_else(|| format!("`{name}` is not a list"))?;
    let number = |entry: &Value| {
        entry.as_u64().ok_or_else(|| format!("{} in `{name}` is not a whole number from 0 on", short(entry)))
    };
    list.iter().map(number).collect()
}

/// Reads one of the [`words`] of a plain list as a whole number; `name` says in messages what it stands for.
///
/// # Errors
/// One line that names the line and the word.
pub fn plain_number(name: &str, (line, word): (usize, &str)) -> Result<u64, String> {
    whole(word.as_bytes()).map_err(|wrong| format!("line {line}: {name} {wrong}"))
}

/// Returns the words of a plain list, separated by blanks, commas or line ends, with the numbers of their lines from 1;
/// `#` begins a comment.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let line = line.split('#').next().unwrap_or_default();
        let words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        words.map(move |word| (index + 1, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forms_are_told_apart() {
        assert!(matches!(SubmittedSolution::read("\u{feff} 1 2\n").unwrap(), SubmittedSolution::Plain("1 2")));
        assert!(
            matches!(SubmittedSolution::read("\u{feff}[1]").unwrap(), SubmittedSolution::List(list) if list == json!([1]))
        );
        assert!(
            matches!(SubmittedSolution::read(" {} ").unwrap(), SubmittedSolution::Object(claims) if !claims.is_result())
        );
        assert_eq!(
            SubmittedSolution::read("{\n 1}").err().unwrap(),
            "solution: line 2, column 2: not valid JSON: key must be a string"
        );
    }

    #[test]
    fn what_every_result_says() {
        let of = |value: Value| Claims(value).belong_to("knapsack");
        assert!(of(json!({})).is_ok() && of(json!({ "problem": "knapsack", "feasible": true })).is_ok());
        assert_eq!(of(json!({ "problem": "coil" })).unwrap_err(), "a solution of '\"coil\"', expected knapsack");
        assert_eq!(of(json!({ "feasible": false })).unwrap_err(), "says that it is not feasible");
        let inner = |value: Value| Claims(value).solution().cloned();
        assert_eq!(inner(json!({ "items": [] })), Ok(json!({ "items": [] })));
        assert_eq!(inner(json!({ "score": 1, "solution": { "items": [1] } })), Ok(json!({ "items": [1] })));
        assert_eq!(inner(json!({ "solution": null })), Err("holds no solution".into()));
        assert_eq!(inner(json!({ "solution": 3 })), Err("`solution` is not an object".into()));
    }

    #[test]
    fn claimed_numbers_are_compared() {
        for held in [None, Some(json!(7)), Some(json!(7.0))] {
            assert_eq!(claim("score", held.as_ref(), 7), Ok(()));
        }
        // The double next to 2^53 + 1 is 2^53.
        assert_eq!(claim("score", Some(&json!(1_u64 << 53)), 1 << 53), Ok(()));
        assert_eq!(claim("score", Some(&json!(9_007_199_254_740_992.0)), 1 << 53), Ok(()));
        assert!(claim("score", Some(&json!((1_u64 << 53) + 1)), 1 << 53).is_err());
        for (claimed, shown) in [(json!(7.5), "7.5"), (json!("7"), "\"7\""), (json!(null), "null"), (json!(-7), "-7")] {
            let expected = format!("claims the score '{shown}', recomputed: 7");
            assert_eq!(claim("score", Some(&claimed), 7), Err(expected));
        }
    }

    #[test]
    fn words_have_their_lines() {
        let found: Vec<_> = words("1, 2 # 3\r\n\n,,4\t5#6").collect();
        assert_eq!(found, [(1, "1"), (1, "2"), (3, "4"), (3, "5")]);
    }
}
