//! The text format of Solomon and of Gehring & Homberger; files with VRPLIB keywords go to their own reader.

use super::{Edges, Instance, Site};
use crate::network::MAX_SITES;
use crate::text::{count, is_numeric, magnitude, number, read_all, text_of};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Reads the file at `path`, Solomon's format or VRPLIB.
///
/// # Errors
/// A file that cannot be read, is larger than 192 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Instance, InstanceError> {
    parse(path, &read_all(path)?)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// A file with a line `KEYWORD : value` or `KEYWORD_SECTION` before its first numbers is VRPLIB (see below). Any other
/// is in Solomon's format: words of a header, a row with the number of vehicles and the capacity, more words, and a row
/// `number x y demand ready due service` for the depot, which is number 0, and each customer in order. Blank lines,
/// `\r\n`, a byte order mark and a missing last newline are accepted; so are whole numbers written as `10.00`.
///
/// VRPLIB (TSPLIB with time windows): `NAME`, `COMMENT`, `TYPE`, `DIMENSION`, `CAPACITY`, `VEHICLES`, `SERVICE_TIME`,
/// `EDGE_WEIGHT_TYPE` (`EUC_2D` or `EXPLICIT`), `EDGE_WEIGHT_FORMAT` (`FULL_MATRIX`, `LOWER_ROW`, `LOWER_DIAG_ROW`,
/// `UPPER_ROW`, `UPPER_DIAG_ROW`), and the sections `NODE_COORD`, `EDGE_WEIGHT`, `DEMAND`, `TIME_WINDOW`,
/// `SERVICE_TIME`, `DEPOT`. Sites count from 1; the depot is site 1. Any other field is refused, because it would
/// change the problem.
///
/// # Errors
/// One line with the place and what was expected.
///
/// ```
/// use soloist_routing::vrptw::parse;
/// let text = b"tiny\r\n\r\nVEHICLE\r\n 2 10\r\nCUSTOMER\r\n0 0 0 0 0 99 0\r\n1 3 4 7 10 20 5";
/// let instance = parse("tiny.txt", text).unwrap();
/// assert_eq!((instance.capacity, instance.sites[1].due), (10, 20.0));
/// let error = parse("tiny.txt", b"2 10\n0 0 0 0 0 99 0\n1 3 4 70 10 20 5").unwrap_err();
/// assert_eq!(error.to_string(), "tiny.txt: line 3: the demand 70 of customer 1 is above the capacity 10");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Instance, InstanceError> {
    let text = text_of(name, bytes)?;
    if super::vrplib::is_vrplib(&text) { super::vrplib::parse(name, &text) } else { solomon(name, &text) }
}

/// What a row of a site holds, for messages.
const ROW: &str = "expected 7 numbers: number x y demand ready due service";

fn solomon(name: &str, text: &str) -> Result<Instance, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let mut title: Option<String> = None;
    let mut fleet: Option<(u32, u32)> = None;
    let mut sites: Vec<Site> = Vec::new();
    let mut rows: Vec<usize> = Vec::new();
    let mut last = 1;
    for (at, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let Some(&first) = words.first() else { continue };
        last = at + 1;
        let at = last;
        let plain = words.iter().all(|word| is_numeric(word));
        if !plain && sites.is_empty() && !is_numeric(first) {
            title.get_or_insert_with(|| line.trim().to_owned());
            continue;
        }
        if fleet.is_none() {
            // A name may be a number, as in `101`.
            if title.is_none() && words.len() == 1 {
                title = Some(first.to_owned());
                continue;
            }
            fleet = Some(read_fleet(&words).map_err(|wrong| fail(at, wrong))?);
            continue;
        }
        sites.push(read_site(&words, sites.len()).map_err(|wrong| fail(at, wrong))?);
        rows.push(at);
    }
    let Some((vehicles, capacity)) = fleet else {
        return Err(InstanceError::new(
            name,
            "no numbers, expected a row with the number of vehicles and the capacity",
        ));
    };
    if sites.len() < 2 {
        let what = if sites.is_empty() { "the depot" } else { "a customer" };
        return Err(fail(last, format!("the file ends before {what}, {ROW}")));
    }
    let instance = Instance {
        name: title.unwrap_or_default(),
        sites,
        capacity,
        vehicles: Some(vehicles),
        edges: Edges::Euclidean,
    };
    instance.validate().map_err(|(site, message)| {
        let error = InstanceError::new(name, message);
        match site.and_then(|site| rows.get(site)) {
            Some(&row) => error.with_line(row),
            None => error,
        }
    })?;
    Ok(instance)
}

/// The number of vehicles and their capacity.
fn read_fleet(words: &[&str]) -> Result<(u32, u32), String> {
    let &[vehicles, capacity] = words else {
        return Err(format!("{} fields, expected 2 numbers: vehicles and capacity", words.len()));
    };
    let vehicles = count(vehicles, "number of vehicles")?;
    let capacity = count(capacity, "capacity")?;
    if vehicles == 0 {
        return Err("0 vehicles, expected 1 or more".into());
    }
    Ok((vehicles, capacity))
}

/// The site with the number `expected`, 0 being the depot.
fn read_site(words: &[&str], expected: usize) -> Result<Site, String> {
    let &[id, x, y, demand, ready, due, service] = words else {
        let shown = quote(words.first().unwrap_or(&"").as_bytes());
        return Err(format!("{} fields beginning with {shown}, {ROW}", words.len()));
    };
    let id = count(id, "customer number")?;
    match (id as usize).cmp(&expected) {
        Ordering::Equal if expected == MAX_SITES => {
            Err(format!("more than {MAX_SITES} sites, the most that are read, the depot included"))
        }
        Ordering::Equal => Ok(Site {
            x: number(x, "coordinate")?,
            y: number(y, "coordinate")?,
            demand: count(demand, "demand")?,
            ready: magnitude(ready, "ready time")?,
            due: magnitude(due, "due time")?,
            service: magnitude(service, "service time")?,
        }),
        _ if expected == 0 => Err(format!("the depot is missing: number {id}, expected 0")),
        Ordering::Less => Err(format!("number {id} for the second time, expected {expected}")),
        Ordering::Greater => Err(format!("number {id}, expected {expected}: numbers ascend by 1")),
    }
}

/// Returns the instance in Solomon's format where it can say it, else as VRPLIB.
#[must_use]
pub fn write(instance: &Instance) -> String {
    let fits = instance.edges == Edges::Euclidean && instance.sites.iter().all(|site| site.due.is_finite());
    let (true, Some(vehicles)) = (fits, instance.vehicles) else { return super::vrplib::write(instance) };
    let mut text = String::new();
    let title: String = instance.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let title = title.trim();
    // A title that looks like numbers or like a VRPLIB keyword would be read as something else.
    let plain = title.chars().next().is_some_and(char::is_alphabetic) && !title.contains(':');
    let title = if plain && !super::vrplib::is_vrplib(title) { title } else { "instance" };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{title}\n\nVEHICLE\nNUMBER     CAPACITY\n{vehicles:>5} {:>12}\n", instance.capacity);
    let _ = writeln!(text, "CUSTOMER\nCUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME\n");
    for (id, site) in instance.sites.iter().enumerate() {
        let Site { x, y, demand, ready, due, service } = site;
        let _ = writeln!(text, "{id:>5} {x:>9} {y:>8} {demand:>8} {ready:>10} {due:>10} {service:>10}");
    }
    text
}
