//! The text formats of Li and Lim and of Cordeau; other files go to their own readers.

use super::{Convention, Depot, Instance, Kind, Visit};
use crate::network::MAX_SITES;
use crate::text::{count, is_numeric, magnitude, number, read_all, text_of};
use crate::vrptw::Edges;
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use std::fmt::Write as _;

/// Reads the file at `path` in any of the formats of [`parse`].
///
/// # Errors
/// A file that cannot be read, is larger than 192 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Instance, InstanceError> {
    parse(path, &read_all(path)?)
}

/// Reads an instance from the text of a file; `name` is what errors call it. The format is recognised:
///
/// - Li and Lim: a row `vehicles capacity speed`, then rows `number x y demand ready due service pickup delivery`, the
///   depot being number 0. A pickup names its delivery and has 0 in the place of the pickup, and the reverse;
/// - Cordeau: a row `type vehicles customers depots` of type 2 (several depots), 6 (the same with windows), 0 or 4 (one
///   depot), a row `longest capacity` for each depot (0 is no limit), then rows `number x y service demand frequency
///   combinations list... [ready due]` for customers and depots;
/// - VRPLIB, with the sections that PyVRP reads for prizes and for vehicles (`PRIZE`, `CAPACITY`, `VEHICLES_DEPOT`,
///   `VEHICLES_FIXED_COST`, `VEHICLES_UNIT_DISTANCE_COST`, `VEHICLES_MAX_DURATION`, `VEHICLES_MAX_DISTANCE`), and
///   `PICKUP_AND_DELIVERY` as LKH reads it. Sites count from 1, the depots first;
/// - Solomon's format.
///
/// # Errors
/// One line with the place and what was expected.
///
/// ```
/// use soloist_routing::rich::parse;
/// let text = b"2 10 1\n0 0 0 0 0 99 0 0 0\n1 3 4 7 10 20 5 0 2\n2 3 5 -7 10 40 5 1 0";
/// let instance = parse("tiny.txt", text).unwrap();
/// assert_eq!((instance.visits[0].partner, instance.visits[1].delivers), (Some(2), true));
/// let error = parse("tiny.txt", b"2 10 1\n0 0 0 0 0 99 0 0 0\n1 3 4 7 10 20 5 0 2").unwrap_err();
/// assert_eq!(error.to_string(), "tiny.txt: line 3: visit 1 has the partner 2, which does not exist");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Instance, InstanceError> {
    let text = text_of(name, bytes)?;
    if crate::vrptw::vrplib::is_vrplib(&text) {
        return super::vrplib::parse(name, &text);
    }
    let mut rows = rows(&text).peekable();
    let fields = rows.peek().map_or(0, |(_, words)| if words.iter().all(|w| is_numeric(w)) { words.len() } else { 0 });
    match fields {
        3 => finish(name, pairs(rows)),
        4 => finish(name, cordeau(rows)),
        _ => {
            let plain = crate::vrptw::parse(name, bytes).map_err(|error| hint(error, name, fields))?;
            Ok(super::vrplib::plain(plain, Convention::Pairs))
        }
    }
}

/// A first row of another length may be meant as one of the formats.
fn hint(error: InstanceError, name: &str, fields: usize) -> InstanceError {
    if fields > 4 {
        let expected = "expected 3 (Li and Lim: vehicles, capacity, speed) or 4 (Cordeau: type, vehicles, customers, \
                        depots), or a header in words";
        return InstanceError::new(name, format!("{fields} numbers in the first row, {expected}"));
    }
    error
}

/// Where a file is wrong, and how.
type Wrong = (usize, String);
/// The rows that are not blank: line and words.
type Rows<'t> = std::iter::Peekable<Box<dyn Iterator<Item = (usize, Vec<&'t str>)> + 't>>;

fn rows(text: &str) -> Box<dyn Iterator<Item = (usize, Vec<&str>)> + '_> {
    let words = text.lines().enumerate().map(|(at, line)| (at + 1, line.split_ascii_whitespace().collect::<Vec<_>>()));
    Box::new(words.filter(|(_, words)| !words.is_empty()))
}

/// Validates what was read; `Ok`: the instance and the line of each visit.
fn finish(name: &str, found: Result<(Instance, Vec<usize>), Wrong>) -> Result<Instance, InstanceError> {
    let (instance, lines) = found.map_err(|(line, wrong)| InstanceError::new(name, wrong).with_line(line))?;
    instance.validate().map_err(|(visit, message)| {
        let error = InstanceError::new(name, message);
        match visit.and_then(|visit| lines.get(visit - 1)) {
            Some(&line) => error.with_line(line),
            None => error,
        }
    })?;
    Ok(instance)
}

/// The format of Li and Lim.
fn pairs(mut rows: Rows<'_>) -> Result<(Instance, Vec<usize>), Wrong> {
    const ROW: &str = "expected 9 numbers: number x y demand ready due service pickup delivery";
    let (at, head) = rows.next().unwrap_or_default();
    let fail = |wrong: String| (at, wrong);
    let (vehicles, capacity) = (count(head[0], "number of vehicles"), count(head[1], "capacity"));
    let (vehicles, capacity) = (vehicles.map_err(fail)?, capacity.map_err(fail)?);
    let speed = number(head[2], "speed").map_err(fail)?;
    if vehicles == 0 {
        return Err(fail("0 vehicles, expected 1 or more".into()));
    }
    // Published files have 1, a few 0, and all are solved with 1.
    if speed != 1.0 && speed != 0.0 {
        return Err(fail(format!("speed {speed}, expected 1: distances are travel times")));
    }
    let (mut depot, mut visits, mut lines, mut last) = (None, Vec::new(), Vec::new(), at);
    for (at, words) in rows {
        last = at;
        let fail = |wrong: String| (at, wrong);
        let &[id, x, y, demand, ready, due, service, pickup, delivery] = words.as_slice() else {
            return Err(fail(format!("{} fields beginning with {}, {ROW}", words.len(), quote(words[0].as_bytes()))));
        };
        let expected = visits.len() + usize::from(depot.is_some());
        let id = count(id, "number").map_err(fail)?;
        if id as usize != expected {
            return Err(fail(format!("number {id}, expected {expected}: numbers ascend by 1 from the depot, 0")));
        }
        if expected == MAX_SITES {
            return Err(fail(format!("more than {MAX_SITES} sites, the most that are read, the depot included")));
        }
        let (x, y) = (number(x, "coordinate").map_err(fail)?, number(y, "coordinate").map_err(fail)?);
        let (ready, due) = (magnitude(ready, "ready time").map_err(fail)?, magnitude(due, "due time").map_err(fail)?);
        let service = magnitude(service, "service time").map_err(fail)?;
        let amount = number(demand, "demand").map_err(fail)?;
        if amount.fract() != 0.0 {
            return Err(fail(format!("demand {}, expected a whole number", quote(demand.as_bytes()))));
        }
        let (pickup, delivery) = (count(pickup, "pickup").map_err(fail)?, count(delivery, "delivery").map_err(fail)?);
        if pickup > 0 && delivery > 0 {
            return Err(fail(format!("pickup {pickup} and delivery {delivery}, expected one of them to be 0")));
        }
        if depot.is_none() && amount != 0.0 {
            return Err(fail(format!("the depot has the demand {amount}, expected 0")));
        }
        if depot.is_none() {
            depot = Some(Depot { x, y, ready, due, service });
            continue;
        }
        let partner = [pickup, delivery].into_iter().find(|&partner| partner > 0);
        let delivers = pickup > 0;
        visits.push(Visit { x, y, demand: amount as i64, ready, due, service, prize: None, partner, delivers });
        lines.push(at);
    }
    let Some(depot) = depot.filter(|_| !visits.is_empty()) else {
        return Err((last, format!("the file ends before a visit, {ROW}")));
    };
    let kind = Kind { count: Some(vehicles), ..Kind::plain(0, capacity) };
    let instance = Instance {
        name: String::new(),
        convention: Convention::Pairs,
        depots: vec![depot],
        visits,
        kinds: vec![kind],
        edges: Edges::Euclidean,
    };
    Ok((instance, lines))
}

/// The format of Cordeau.
fn cordeau(mut rows: Rows<'_>) -> Result<(Instance, Vec<usize>), Wrong> {
    let (mut last, head) = rows.next().unwrap_or_default();
    let mut numbers = [0_u32; 4];
    for (number, (word, what)) in numbers.iter_mut().zip(head.iter().zip([
        "type",
        "number of vehicles",
        "number of customers",
        "number of depots",
    ])) {
        *number = count(word, what).map_err(|wrong| (last, wrong))?;
    }
    let [problem, vehicles, customers, depots] = numbers;
    if ![0, 2, 4, 6].contains(&problem) {
        let wrong = "expected 0 (one depot), 2 (several), 4 or 6 (the same with windows); periods and compatible \
                     vehicles are not read";
        return Err((last, format!("type {problem}, {wrong}")));
    }
    let timed = problem >= 4;
    let places = u64::from(customers) + u64::from(depots);
    if vehicles == 0 || customers == 0 || depots == 0 || places > MAX_SITES as u64 {
        let wrong = format!("{vehicles} vehicles, {customers} customers, {depots} depots");
        return Err((last, format!("{wrong}: expected 1 or more of each, at most {MAX_SITES} places")));
    }
    if problem % 4 == 0 && depots != 1 {
        return Err((last, format!("type {problem} with {depots} depots, expected 1")));
    }
    let limits = cordeau_limits(&mut rows, &mut last, depots)?;
    let (mut visits, mut places, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for expected in 1..=customers + depots {
        let is_depot = expected > customers;
        let what = if is_depot { "depot" } else { "customer" };
        let missing = || (last, format!("the file ends before {what} {expected} of {}", customers + depots));
        let (at, words) = rows.next().ok_or_else(missing)?;
        last = at;
        let visit = cordeau_row(&words, expected, is_depot, timed, depots).map_err(|wrong| (at, wrong))?;
        let Visit { x, y, ready, due, service, .. } = visit;
        if is_depot && visit.demand != 0 {
            return Err((at, format!("the depot has the demand {}, expected 0", visit.demand)));
        }
        if is_depot {
            places.push(Depot { x, y, ready, due, service });
        } else {
            visits.push(visit);
            lines.push(at);
        }
    }
    if let Some((at, words)) = rows.next() {
        return Err((at, format!("{} behind the last depot", quote(words[0].as_bytes()))));
    }
    let kind = |(depot, &(longest, capacity)): (usize, &(f64, u32))| Kind {
        count: Some(vehicles),
        longest,
        ..Kind::plain(depot, capacity)
    };
    let instance = Instance {
        name: String::new(),
        convention: Convention::Depots,
        depots: places,
        visits,
        kinds: limits.iter().enumerate().map(kind).collect(),
        edges: Edges::Euclidean,
    };
    Ok((instance, lines))
}

/// The longest route and the capacity of the vehicles of each depot. `last`: the line read last.
fn cordeau_limits(rows: &mut Rows<'_>, last: &mut usize, depots: u32) -> Result<Vec<(f64, u32)>, Wrong> {
    let mut limits = Vec::new();
    for depot in 1..=depots {
        let (at, words) = rows.next().ok_or((*last, format!("the file ends before the limits of depot {depot}")))?;
        *last = at;
        let &[longest, capacity] = words.as_slice() else {
            return Err((
                at,
                format!("{} fields, expected 2: longest route and capacity of depot {depot}", words.len()),
            ));
        };
        let longest = magnitude(longest, "longest route").map_err(|wrong| (at, wrong))?;
        let capacity = count(capacity, "capacity").map_err(|wrong| (at, wrong))?;
        // 0 is no limit.
        limits.push((
            if longest == 0.0 { f64::INFINITY } else { longest },
            if capacity == 0 { u32::MAX } else { capacity },
        ));
    }
    Ok(limits)
}

/// A row of Cordeau's format, as a visit.
fn cordeau_row(words: &[&str], expected: u32, is_depot: bool, timed: bool, depots: u32) -> Result<Visit, String> {
    let row = "number x y service demand frequency combinations list";
    let short = || format!("{} fields, expected {row}{}", words.len(), if timed { " ready due" } else { "" });
    let [id, x, y, service, demand, frequency, combinations, rest @ ..] = words else { return Err(short()) };
    let id = count(id, "number")?;
    if id != expected {
        return Err(format!("number {id}, expected {expected}: numbers ascend by 1, the depots behind the customers"));
    }
    let combinations = count(combinations, "number of combinations")?;
    if !is_depot {
        let frequency = count(frequency, "frequency")?;
        if frequency != 1 {
            return Err(format!("frequency {frequency}, expected 1: periods are not read"));
        }
        if combinations != depots {
            return Err(format!("{combinations} combinations, expected one for each of the {depots} depots"));
        }
    }
    let listed = if is_depot { 0 } else { combinations as usize };
    let window = rest.get(listed..).ok_or_else(short)?;
    let (ready, due) = match window {
        [ready, due] if timed => (magnitude(ready, "ready time")?, magnitude(due, "due time")?),
        _ if timed => return Err(short()),
        // Files without windows may have columns of zeros.
        _ => (0.0, f64::INFINITY),
    };
    Ok(Visit {
        x: number(x, "coordinate")?,
        y: number(y, "coordinate")?,
        demand: i64::from(count(demand, "demand")?),
        ready,
        due,
        service: magnitude(service, "service time")?,
        prize: None,
        partner: None,
        delivers: false,
    })
}

impl Kind {
    /// Vehicles of a depot, as many as needed, that cost their distance.
    pub(super) fn plain(depot: usize, capacity: u32) -> Self {
        Self { depot, capacity, count: None, fixed: 0.0, rate: 1.0, longest: f64::INFINITY, farthest: f64::INFINITY }
    }
}

/// Returns the instance in the format of Li and Lim where it can say it, else as VRPLIB.
#[must_use]
pub fn write(instance: &Instance) -> String {
    let finite = instance.visits.iter().all(|visit| visit.due.is_finite()) && instance.depots[0].due.is_finite();
    let [Kind { capacity, count: Some(count), .. }] = instance.kinds[..] else {
        return super::vrplib::write(instance);
    };
    let plain = instance.kinds[0] == Kind { count: Some(count), ..Kind::plain(0, capacity) };
    let euclidean = instance.edges == Edges::Euclidean && instance.depots.len() == 1;
    if !(finite && plain && euclidean && instance.has_pairs()) || instance.has_prizes() {
        return super::vrplib::write(instance);
    }
    let depot = instance.depots[0];
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{count}\t{capacity}\t1");
    let Depot { x, y, ready, due, service } = depot;
    let _ = writeln!(text, "0\t{x}\t{y}\t0\t{ready}\t{due}\t{service}\t0\t0");
    for (at, visit) in instance.visits.iter().enumerate() {
        let &Visit { x, y, demand, ready, due, service, partner, delivers, .. } = visit;
        let partner = partner.unwrap_or(0);
        let (pickup, delivery) = if delivers { (partner, 0) } else { (0, partner) };
        let _ = writeln!(text, "{}\t{x}\t{y}\t{demand}\t{ready}\t{due}\t{service}\t{pickup}\t{delivery}", at + 1);
    }
    text
}
