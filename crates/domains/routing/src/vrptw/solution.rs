//! The field's solution formats: `Route #1: 5 3 7` and `Cost 1650.8` (SINTEF, CVRPLIB).

use soloist_domain::answer::words;
use soloist_domain::error::quote;
use std::fmt::Write as _;

/// Routes, and what the text says about their cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The customers of each route in order.
    pub routes: Vec<Vec<u32>>,
    /// The kind of vehicle of each route, behind `Kinds`: for the problem `rich-vrp`, which has several.
    pub kinds: Option<Vec<u32>>,
    /// The number behind `Cost`.
    pub cost: Option<f64>,
}

/// Writes routes as lines `Route #1: 5 3 7`, and a line `Cost`, if one is given.
#[must_use]
pub fn write(plan: &Plan) -> String {
    let mut text = String::new();
    for (at, route) in plan.routes.iter().enumerate() {
        let _ = write!(text, "Route #{}:", at + 1);
        for customer in route {
            let _ = write!(text, " {customer}");
        }
        text.push('\n');
    }
    if let Some(kinds) = &plan.kinds {
        let kinds: Vec<String> = kinds.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "Kinds {}", kinds.join(" "));
    }
    if let Some(cost) = plan.cost {
        let _ = writeln!(text, "Cost {cost}");
    }
    text
}

/// Reads routes.
///
/// Where lines `Route NUMBER : ...` (with or without `#`, in small or large letters) exist, they are the routes, zeros
/// at their ends being the depot; lines `Cost NUMBER` and (behind them) `Kinds NUMBER...` are noted, every other line
/// is a header and ignored. Else the text is one tour: customers separated by blanks, commas or line ends, every 0 a
/// visit to the depot, with `#` comments.
///
/// # Errors
/// One line: a word that is no customer, or a cost that is no number.
pub fn parse(text: &str) -> Result<Plan, String> {
    let mut plan = Plan::default();
    let mut any = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let fail = |wrong: String| format!("line {}: {wrong}", at + 1);
        if let Some(route) = after_route(line) {
            any = true;
            let customers = route.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            let customers: Result<Vec<u32>, String> = customers.map(|word| customer(word).map_err(fail)).collect();
            let mut customers = customers?;
            while customers.last() == Some(&0) {
                customers.pop();
            }
            let first = customers.iter().position(|&c| c != 0).unwrap_or(0);
            customers.drain(..first);
            plan.routes.push(customers);
        } else if let Some(rest) = strip(line, "kinds").filter(|_| any) {
            let kinds: Result<Vec<u32>, String> =
                rest.split_whitespace().map(|word| customer(word).map_err(fail)).collect();
            plan.kinds = Some(kinds?);
        } else if let Some(rest) = strip(line, "cost") {
            let word = rest.trim_start_matches([':', '=', ' ', '\t']);
            let cost = word.parse::<f64>().ok().filter(|cost| cost.is_finite());
            plan.cost = Some(cost.ok_or_else(|| fail(format!("cost {}, expected a number", quote(word.as_bytes()))))?);
        }
    }
    if !any {
        plan.routes = vec![Vec::new()];
        for (line, word) in words(text) {
            match customer(word).map_err(|wrong| format!("line {line}: {wrong}"))? {
                0 => plan.routes.push(Vec::new()),
                c => plan.routes.last_mut().into_iter().for_each(|route| route.push(c)),
            }
        }
    }
    plan.routes.retain(|route| !route.is_empty());
    Ok(plan)
}

/// What is behind `word` in any letters at the beginning of a line, followed by no letter.
fn strip<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let head = line.get(..word.len())?;
    let rest = &line[word.len()..];
    (head.eq_ignore_ascii_case(word) && !rest.starts_with(|c: char| c.is_alphanumeric())).then_some(rest)
}

/// The customers of a line `Route #1: 5 3 7`.
fn after_route(line: &str) -> Option<&str> {
    let rest = line.get(..5).filter(|head| head.eq_ignore_ascii_case("route")).map(|_| &line[5..])?;
    let (number, customers) = rest.split_once(':')?;
    let number = number.trim().trim_start_matches('#').trim();
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(customers)
}

/// A customer's number, perhaps with leading zeros.
fn customer(word: &str) -> Result<u32, String> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| format!("customer {}, expected a number", quote(word.as_bytes())))
}
