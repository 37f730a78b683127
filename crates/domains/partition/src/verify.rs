//! Independent verification of partitions: recomputed from the numbers of the file, without the search.

use super::Numbers;
use num_bigint::BigUint;
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, short, words};
use soloist_domain::error::quote;

/// Verifies a partition of `numbers`.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"difference": "1", "left": [0, 3], "right": [1, 2]}`; `difference` is a string of digits
///   and checked when present, `right` may be left out;
/// - a JSON list of the numbers on one side;
/// - plain places of the numbers on one side, separated by blanks, commas or line ends, with `#` comments.
///
/// Numbers are counted from 0 in the order of the file. Scores are compared to a relative 1e-9, differences exactly.
///
/// # Errors
/// One line: text that cannot be read, a number that does not exist, occurs twice or is on no side, a claim that does
/// not hold.
pub fn check(numbers: &Numbers, text: &str) -> Result<Checked, String> {
    let alone =
        |left: &[u64]| divide(numbers, left, None).map(|(difference, left)| checked(numbers, &difference, left));
    let result = match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => return alone(&plain(text)?),
        SubmittedSolution::List(list) => return alone(&places("the list", &list)?),
        SubmittedSolution::Object(result) => result,
    };
    result.belong_to("partition")?;
    let solution = result.solution()?;
    let left = places("`left`", solution.get("left").ok_or("no list `left`")?)?;
    let right = solution.get("right").map(|list| places("`right`", list)).transpose()?;
    let (difference, count) = divide(numbers, &left, right.as_deref())?;
    if let Some(claimed) = solution.get("difference")
        && claimed.as_str() != Some(&difference.to_string())
    {
        let found = quote(difference.to_string().as_bytes());
        return Err(format!("claims the difference {}, recomputed: {found}", short(claimed)));
    }
    let found = checked(numbers, &difference, count);
    if let Some(claimed) = result.get("score")
        && claimed.as_f64().is_none_or(|score| (score - found.score).abs() > 1e-9 * found.score.max(1.0))
    {
        return Err(format!("claims the score {}, recomputed: {}", short(claimed), found.score));
    }
    Ok(found)
}

/// Returns the places on the left side of a partition in any form that [`check`] accepts.
pub(crate) fn left(text: &str) -> Result<Vec<u64>, String> {
    match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => plain(text),
        SubmittedSolution::List(list) => places("the list", &list),
        SubmittedSolution::Object(result) => places("`left`", result.solution()?.get("left").ok_or("no list `left`")?),
    }
}

/// log2(difference + 1).
fn score(difference: &BigUint) -> f64 {
    let next = difference + 1_u32;
    // The highest 64 bits decide.
    let cut = next.bits().saturating_sub(64);
    let head = (next >> cut).iter_u64_digits().next().unwrap_or(0);
    libm::log2(head as f64) + cut as f64
}

fn checked(numbers: &Numbers, difference: &BigUint, left: usize) -> Checked {
    let right = numbers.values().len() - left;
    let digits = difference.to_string();
    let shown = if digits.len() <= 40 { digits } else { format!("of {} digits", digits.len()) };
    Checked { score: score(difference), summary: format!("{left} numbers against {right}, difference {shown}") }
}

fn places(name: &str, list: &Value) -> Result<Vec<u64>, String> {
    let list = list.as_array().ok_or_else(|| format!("{name} is not a list"))?;
    let number =
        |place: &Value| place.as_u64().ok_or_else(|| format!("place {} is not a whole number from 0 on", short(place)));
    list.iter().map(number).collect()
}

fn plain(text: &str) -> Result<Vec<u64>, String> {
    let number = |(line, word): (usize, &str)| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        let place = word.parse().ok().filter(|_| digits);
        place.ok_or_else(|| format!("line {line}: place {}, expected a whole number from 0 on", quote(word.as_bytes())))
    };
    words(text).map(number).collect()
}

/// The difference of the sides, and how many numbers are on the left one.
fn divide(numbers: &Numbers, left: &[u64], right: Option<&[u64]>) -> Result<(BigUint, usize), String> {
    let values = numbers.values();
    let mut seen = vec![false; values.len()];
    let mut sums = [BigUint::ZERO, BigUint::ZERO];
    for (side, list) in [left, right.unwrap_or_default()].into_iter().enumerate() {
        for &place in list {
            let index = usize::try_from(place).unwrap_or(usize::MAX);
            let Some(value) = values.get(index) else {
                return Err(format!("number {place} does not exist: there are {}, counted from 0", values.len()));
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(format!("number {place} is on two sides or twice on one"));
            }
            sums[side] += value;
        }
    }
    for (index, value) in values.iter().enumerate().filter(|&(index, _)| !seen[index]) {
        if right.is_some() {
            return Err(format!("number {index} is on no side"));
        }
        sums[1] += value;
    }
    let [left_sum, right_sum] = sums;
    let difference = if left_sum < right_sum { right_sum - left_sum } else { left_sum - right_sum };
    Ok((difference, left.len()))
}
