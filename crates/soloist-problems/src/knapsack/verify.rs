//! Independent verification of packings: recomputed from the items of the file, without the search.

use super::Sack;
use super::format::whole;
use crate::error::quote;
use crate::{Checked, InstanceError};
use serde_json::Value;

/// Verifies a packing of `sack`.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"items": [0, 3], "value": 101, "weight": 42}`, `value` and `weight` being checked when
///   present;
/// - a JSON list of item numbers;
/// - plain item numbers separated by blanks, commas or line ends, with `#` comments.
///
/// Items are counted from 0 in the order of the file.
///
/// # Errors
/// One line: text that cannot be read, an item that does not exist or occurs twice, too much weight, a claim that does
/// not hold.
pub fn check(sack: &Sack, text: &str) -> Result<Checked, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with(['{', '[']) {
        return total(sack, &plain(text)?).map(|(value, weight, count)| checked(sack, value, weight, count));
    }
    let json: Value =
        serde_json::from_str(text).map_err(|error| InstanceError::json("solution", &error).to_string())?;
    let Value::Object(fields) = &json else {
        return total(sack, &numbers(&json)?).map(|(value, weight, count)| checked(sack, value, weight, count));
    };
    if let Some(problem) = fields.get("problem")
        && problem != "knapsack"
    {
        return Err(format!("a solution of {}, expected knapsack", short(problem)));
    }
    if fields.get("feasible") == Some(&Value::Bool(false)) {
        return Err("says that it is not feasible".into());
    }
    let solution = match fields.get("solution") {
        Some(solution @ Value::Object(_)) => solution,
        Some(Value::Null) => return Err("holds no solution".into()),
        Some(_) => return Err("`solution` is not an object".into()),
        None => &json,
    };
    let items = solution.get("items").ok_or("no list `items`")?;
    let items = numbers(items)?;
    let (value, weight, count) = total(sack, &items)?;
    for (i, decision) in fields.get("moves").and_then(Value::as_array).into_iter().flatten().enumerate() {
        // A result's own moves: [item, 1 or 0]. What they leave open fits and is taken.
        let pair = decision.get(0).and_then(Value::as_u64).zip(decision.get(1).and_then(Value::as_u64));
        if pair.is_none_or(|(item, take)| items.contains(&item) != (take == 1) || take > 1) {
            return Err(format!("`moves` and `items` differ at move {}", i + 1));
        }
    }
    claim("score", fields.get("score"), value)?;
    claim("value", solution.get("value"), value)?;
    claim("weight", solution.get("weight"), weight)?;
    Ok(checked(sack, value, weight, count))
}

fn checked(sack: &Sack, value: u64, weight: u64, count: usize) -> Checked {
    let (all, capacity) = (sack.items().len(), sack.capacity());
    let summary = format!("{count} of {all} items, value {value}, weight {weight} of {capacity}");
    Checked { score: value as f64, summary }
}

/// A claimed number, when there is one, must be the one recomputed.
fn claim(name: &str, claimed: Option<&Value>, found: u64) -> Result<(), String> {
    let Some(claimed) = claimed else { return Ok(()) };
    // Sums stay below 2^53, so that comparing as doubles is exact.
    if claimed.as_f64() == Some(found as f64) {
        Ok(())
    } else {
        Err(format!("claims the {name} {}, recomputed: {found}", short(claimed)))
    }
}

fn numbers(list: &Value) -> Result<Vec<u64>, String> {
    let list = list.as_array().ok_or("`items` is not a list")?;
    list.iter()
        .map(|item| item.as_u64().ok_or_else(|| format!("item {} is not a whole number from 0 on", short(item))))
        .collect()
}

fn plain(text: &str) -> Result<Vec<u64>, String> {
    let mut items = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for field in line.split(|c: char| c.is_whitespace() || c == ',').filter(|field| !field.is_empty()) {
            items.push(whole(field.as_bytes()).map_err(|wrong| format!("line {}: item {wrong}", index + 1))?);
        }
    }
    Ok(items)
}

/// Value, weight and number of the items.
fn total(sack: &Sack, items: &[u64]) -> Result<(u64, u64, usize), String> {
    let mut seen = vec![false; sack.items().len()];
    let (mut value, mut weight) = (0_u64, 0_u64);
    for &number in items {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let Some(item) = sack.items().get(index) else {
            return Err(format!("item {number} does not exist: there are {}, counted from 0", seen.len()));
        };
        if std::mem::replace(&mut seen[index], true) {
            return Err(format!("item {number} is packed twice"));
        }
        // Each item at most once: the sums of all were checked when the instance was read.
        value += item.value;
        weight += item.weight;
    }
    if weight > sack.capacity() {
        return Err(format!("weight {weight} exceeds the capacity {}", sack.capacity()));
    }
    Ok((value, weight, items.len()))
}

fn short(value: &Value) -> String {
    quote(value.to_string().as_bytes())
}
