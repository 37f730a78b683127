//! Independent verification of packings: recomputed from the sizes of the file, without the search.

use super::format::{real, whole};
use super::{Objective, Order, TOLERANCE, Worth};
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, short};
use soloist_domain::error::quote;
use std::f64::consts::PI;

/// Relative error that claimed sums may have.
const CLAIM: f64 = 1e-9;

/// A tube of the solution.
#[derive(Clone, Copy)]
struct Lying {
    kind: usize,
    container: u64,
    hull: Option<usize>,
    x: f64,
    y: f64,
}

/// Verifies a packing of `order`.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"tubes": [...]}` and, checked when present, `value`, `containers` and `counts` (tubes
///   packed of each type);
/// - a JSON list of tubes: objects with `type`, `container` (0 if absent), `hull` (null or absent: it lies in the
///   container), `x` and `y`;
/// - plain lines `type container hull x y`, `-` for no hull, with `#` comments.
///
/// Types are counted from 0 in the order of the file, containers from 0. `hull` is the tube that this one lies in, as a
/// position in the list, from 0; `x` and `y` are the centre in the container's coordinates, (0, 0) being the bottom
/// left corner. By way of its hulls every tube lies in its container. Overlaps up to [`TOLERANCE`] times the
/// container's longer side are accepted.
///
/// The score is the value packed in container 0, the only one; with [`Objective::Containers`] all tubes must be packed
/// and the score is the number of containers.
///
/// # Errors
/// One line: text that cannot be read, and the first violation: a type or hull that does not exist, more tubes than
/// offered, a tube inside itself, directly or by way of its hulls, a tube that sticks out, an overlap, tubes left out,
/// a claim that does not hold. What sticks out or overlaps is compared with the tolerance, which the message names.
pub fn check(order: &Order, values: Worth, objective: Objective, text: &str) -> Result<Checked, String> {
    let (tubes, result) = match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => (plain(text)?, None),
        SubmittedSolution::List(list) => (list_of(&list)?, None),
        SubmittedSolution::Object(result) => {
            result.belong_to("packing")?;
            (list_of(result.solution()?.get("tubes").ok_or("no list `tubes`")?)?, Some(result))
        }
    };
    let mut counts = vec![0_u64; order.tubes().len()];
    for (at, tube) in tubes.iter().enumerate() {
        let Some(count) = counts.get_mut(tube.kind) else {
            let (kind, all) = (tube.kind, order.tubes().len());
            return Err(format!("tube {at}: type {kind} does not exist: there are {all}, counted from 0"));
        };
        *count += 1;
        let demand = order.tubes()[tube.kind].demand;
        if *count > u64::from(demand) {
            return Err(format!("tube {at}: more than the {demand} tubes of type {} that are offered", tube.kind));
        }
    }
    geometry(order, &tubes)?;
    let packed = counts.iter().sum::<u64>();
    let offered = order.tubes().iter().map(|tube| u64::from(tube.demand)).sum::<u64>();
    let mut used: Vec<u64> = tubes.iter().map(|tube| tube.container).collect();
    used.sort_unstable();
    used.dedup();
    let worth = |kind: usize| {
        let tube = &order.tubes()[kind];
        match values {
            Worth::Area => PI * (tube.outer - tube.inner) * (tube.outer + tube.inner),
            Worth::Count => 1.0,
            Worth::Given => tube.value.unwrap_or(0.0),
        }
    };
    let value: f64 = counts.iter().enumerate().map(|(kind, &count)| count as f64 * worth(kind)).sum();
    let score = match objective {
        Objective::Value => {
            if let Some(other) = used.iter().find(|&&container| container > 0) {
                return Err(format!("container {other} is used, but there is only container 0"));
            }
            value
        }
        Objective::Containers => {
            if let Some(kind) = (0..counts.len()).find(|&kind| counts[kind] < u64::from(order.tubes()[kind].demand)) {
                let (count, demand) = (counts[kind], order.tubes()[kind].demand);
                return Err(format!("only {count} of {demand} tubes of type {kind} are packed, expected all"));
            }
            used.len() as f64
        }
    };
    if let Some(result) = result {
        let solution = result.solution()?;
        claim("score", result.get("score"), score)?;
        claim("value", solution.get("value"), value)?;
        claim("number of containers", solution.get("containers"), used.len() as f64)?;
        if let Some(claimed) = solution.get("counts") {
            let same = claimed.as_array().is_some_and(|list| {
                list.len() == counts.len() && list.iter().zip(&counts).all(|(a, &b)| a.as_u64() == Some(b))
            });
            if !same {
                return Err(format!("claims the counts {}, recomputed: {counts:?}", short(claimed)));
            }
        }
    }
    let noun = if used.len() == 1 { "container" } else { "containers" };
    let summary = format!(
        "{packed} of {offered} tubes in {} {noun}, value {value}, tolerance {:.1e}",
        used.len(),
        tolerance(order)
    );
    Ok(Checked { score, summary })
}

fn tolerance(order: &Order) -> f64 {
    TOLERANCE * order.width().max(order.height())
}

/// Refuses a claimed number that is not the one recomputed, but for rounding.
fn claim(name: &str, claimed: Option<&Value>, found: f64) -> Result<(), String> {
    match claimed {
        Some(value) if value.as_f64().is_none_or(|number| (number - found).abs() > CLAIM * found.abs()) => {
            Err(format!("claims the {name} {}, recomputed: {found}", short(value)))
        }
        _ => Ok(()),
    }
}

/// Owners exist and make sense, everything lies inside of its owner, nothing with the same owner overlaps.
fn geometry(order: &Order, tubes: &[Lying]) -> Result<(), String> {
    let slack = tolerance(order);
    for (at, tube) in tubes.iter().enumerate() {
        let outer = order.tubes()[tube.kind].outer;
        let Some(hull) = tube.hull else {
            let sides = [tube.x, tube.y, order.width() - tube.x, order.height() - tube.y];
            let room = sides.into_iter().fold(f64::INFINITY, f64::min);
            if room < outer - slack {
                return Err(format!("tube {at} sticks out of the container by {:e}{}", outer - room, beyond(slack)));
            }
            continue;
        };
        let Some(around) = tubes.get(hull) else {
            return Err(format!(
                "tube {at}: hull {hull} does not exist: there are {} tubes, counted from 0",
                tubes.len()
            ));
        };
        if around.container != tube.container {
            return Err(format!(
                "tube {at} is in container {}, its hull {hull} in container {}",
                tube.container, around.container
            ));
        }
        let inner = order.tubes()[around.kind].inner;
        if outer > inner + slack {
            return Err(format!(
                "tube {at} (outer radius {outer}) does not fit into tube {hull} (inner radius {inner})"
            ));
        }
        if hull == at {
            return Err(format!("tube {at} lies in itself"));
        }
        let reach = distance(tube, around) + outer;
        if reach > inner + slack {
            let out = reach - inner;
            return Err(format!("tube {at} sticks out of the inside of tube {hull} by {out:e}{}", beyond(slack)));
        }
    }
    nesting(tubes)?;
    let owner = |at: usize| (tubes[at].container, tubes[at].hull);
    let mut sorted: Vec<usize> = (0..tubes.len()).collect();
    soloist::order::sort_by_key(&mut sorted, |&at| owner(at));
    sorted.chunk_by_mut(|&a, &b| owner(a) == owner(b)).try_for_each(|own| apart(order, tubes, own, slack))
}

/// How far is allowed, for a message.
fn beyond(slack: f64) -> String {
    format!(", the tolerance is {slack:.1e}")
}

/// By way of its hulls every tube lies in a container.
fn nesting(tubes: &[Lying]) -> Result<(), String> {
    // The walk in which each tube was met, from 1.
    let mut met = vec![0; tubes.len()];
    for start in 0..tubes.len() {
        let mut at = start;
        while met[at] == 0 {
            met[at] = start + 1;
            let Some(hull) = tubes[at].hull else { break };
            if met[hull] == start + 1 {
                return Err(format!("tube {start} lies in no container: its hulls lead back to tube {hull}"));
            }
            at = hull;
        }
    }
    Ok(())
}

/// Tubes with the same owner do not overlap. They are gone through along the axis on which they are spread most, so
/// that few lie side by side.
fn apart(order: &Order, tubes: &[Lying], own: &mut [usize], slack: f64) -> Result<(), String> {
    let spread = |along: fn(&Lying) -> f64| {
        let ends = own
            .iter()
            .map(|&at| along(&tubes[at]))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |ends, at| (ends.0.min(at), ends.1.max(at)));
        ends.1 - ends.0
    };
    let along: fn(&Lying) -> f64 =
        if spread(|tube| tube.x) < spread(|tube| tube.y) { |tube| tube.y } else { |tube| tube.x };
    let radius = |tube: &Lying| order.tubes()[tube.kind].outer;
    let begin = |tube: &Lying| along(tube) - radius(tube);
    soloist::order::sort_by(own, |&a, &b| begin(&tubes[a]).total_cmp(&begin(&tubes[b])).then(a.cmp(&b)));
    for (position, &a) in own.iter().enumerate() {
        let p = &tubes[a];
        for &b in &own[position + 1..] {
            let q = &tubes[b];
            if begin(q) >= along(p) + radius(p) {
                break;
            }
            let apart = radius(p) + radius(q);
            let found = distance(p, q);
            if found < apart - slack {
                let (a, b) = (a.min(b), a.max(b));
                let owner = p.hull.map_or(format!("container {}", p.container), |hull| format!("tube {hull}"));
                let by = apart - found;
                return Err(format!("tubes {a} and {b} in {owner} overlap by {by:e}{}", beyond(slack)));
            }
        }
    }
    Ok(())
}

fn distance(a: &Lying, b: &Lying) -> f64 {
    libm::hypot(a.x - b.x, a.y - b.y)
}

/// The tubes of a JSON list.
fn list_of(list: &Value) -> Result<Vec<Lying>, String> {
    let list = list.as_array().ok_or("`tubes` is not a list")?;
    let tube = |(at, tube): (usize, &Value)| {
        let index = |name: &str| match tube.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(format!("tube {at}: `{name}` is {}, expected a whole number from 0 on", short(value))),
            },
        };
        let number = |name: &str| match tube.get(name) {
            None => Err(format!("tube {at}: no `{name}`")),
            Some(value) => value
                .as_f64()
                .filter(|number| number.is_finite())
                .ok_or_else(|| format!("tube {at}: `{name}` is {}, expected a number", short(value))),
        };
        if !tube.is_object() {
            return Err(format!("tube {at} is {}, expected an object", short(tube)));
        }
        let kind = index("type")?.ok_or_else(|| format!("tube {at}: no `type`"))?;
        Ok(Lying {
            kind: usize::try_from(kind).unwrap_or(usize::MAX),
            container: index("container")?.unwrap_or(0),
            hull: index("hull")?.map(|hull| usize::try_from(hull).unwrap_or(usize::MAX)),
            x: number("x")?,
            y: number("y")?,
        })
    };
    list.iter().enumerate().map(tube).collect()
}

/// The tubes of plain lines.
fn plain(text: &str) -> Result<Vec<Lying>, String> {
    let mut tubes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let fields: Vec<&str> = line.split_whitespace().take(6).collect();
        let at = |wrong: String| format!("line {}: {wrong}", index + 1);
        match fields[..] {
            [] => {}
            [kind, container, hull, x, y] => {
                // Anything that is not a number of a file at all is refused; what exists is checked later.
                let most = u64::from(u32::MAX);
                let number = |name: &str, field: &str| {
                    whole(field.as_bytes(), most).map_err(|wrong| at(format!("{name} {wrong}")))
                };
                let length =
                    |name: &str, field: &str| real(field.as_bytes()).map_err(|wrong| at(format!("{name} {wrong}")));
                let hull = if hull == "-" { None } else { Some(number("hull", hull)? as usize) };
                tubes.push(Lying {
                    kind: number("type", kind)? as usize,
                    container: number("container", container)?,
                    hull,
                    x: length("x", x)?,
                    y: length("y", y)?,
                });
            }
            _ => {
                let shown = quote(line.trim().as_bytes());
                return Err(at(format!("{shown}, expected type, container, hull (- for none), x and y")));
            }
        }
    }
    Ok(tubes)
}
