//! Independent verification of packings: recomputed from the items of the file, without the search.

use super::Sack;
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, claim, numbers, plain_number, words};

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
    let answer = SubmittedSolution::read(text)?;
    let items = items(&answer)?;
    let (value, weight, packed) = total(sack, &items)?;
    let count = items.len();
    let SubmittedSolution::Object(result) = answer else { return Ok(checked(sack, value, weight, count)) };
    let solution = result.solution()?;
    for (i, decision) in result.get("moves").and_then(Value::as_array).into_iter().flatten().enumerate() {
        // A result's own moves: [item, 1 or 0]. What they leave open fits and is taken.
        let pair = decision.get(0).and_then(Value::as_u64).zip(decision.get(1).and_then(Value::as_u64));
        let is_packed = |item: u64| usize::try_from(item).ok().and_then(|item| packed.get(item)).copied();
        if pair.is_none_or(|(item, take)| take > 1 || is_packed(item) != Some(take == 1)) {
            return Err(format!("`moves` and `items` differ at move {}", i + 1));
        }
    }
    claim("score", result.get("score"), value)?;
    claim("value", solution.get("value"), value)?;
    claim("weight", solution.get("weight"), weight)?;
    Ok(checked(sack, value, weight, count))
}

/// Returns the items of a solution.
pub(super) fn items(answer: &SubmittedSolution<'_>) -> Result<Vec<u64>, String> {
    match answer {
        SubmittedSolution::Plain(text) => words(text).map(|word| plain_number("item", word)).collect(),
        SubmittedSolution::List(list) => numbers("items", list),
        SubmittedSolution::Object(result) => {
            result.belong_to("knapsack")?;
            numbers("items", result.solution()?.get("items").ok_or("no list `items`")?)
        }
    }
}

fn checked(sack: &Sack, value: u64, weight: u64, count: usize) -> Checked {
    let (all, capacity) = (sack.items().len(), sack.capacity());
    let summary = format!("{count} of {all} items, value {value}, weight {weight} of {capacity}");
    Checked { score: value as f64, summary }
}

/// Value and weight of the items, and for each item of the file whether it is one of them.
pub(super) fn total(sack: &Sack, items: &[u64]) -> Result<(u64, u64, Vec<bool>), String> {
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
    Ok((value, weight, seen))
}
