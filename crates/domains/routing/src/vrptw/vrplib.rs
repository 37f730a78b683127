//! VRPLIB: TSPLIB's keywords with capacities and time windows.

use super::{Edges, Instance, Site};
use crate::network::MAX_SITES;
use crate::rich::Extra;
use crate::text::{MAX_COUNT, MAX_NUMBER, count, is_numeric, magnitude, number};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use std::fmt::Write as _;

const FIELDS: [&str; 12] = [
    "NAME",
    "COMMENT",
    "TYPE",
    "DIMENSION",
    "CAPACITY",
    "VEHICLES",
    "SERVICE_TIME",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
    "EDGE_WEIGHT_UNIT_OF_MEASUREMENT",
];

/// The types of problems that are read. What the sections say decides.
const TYPES: [&str; 12] =
    ["CVRP", "VRPTW", "CVRPTW", "VRP", "MDVRP", "MDVRPTW", "PDPTW", "PDP", "PCVRP", "PCVRPTW", "HFVRP", "HFVRPTW"];

/// Whether a text has a VRPLIB field or section before its first row of numbers.
pub(crate) fn is_vrplib(text: &str) -> bool {
    for line in text.lines() {
        let line = line.trim();
        if line.split_ascii_whitespace().next().is_some_and(is_numeric) {
            return false;
        }
        let field = line.split_once(':').map(|(field, _)| field.trim());
        if field.is_some_and(|field| FIELDS.contains(&field)) || is_section(line) {
            return true;
        }
    }
    false
}

/// Whether a line begins a section.
fn is_section(line: &str) -> bool {
    line.trim_end_matches(':').trim_end().ends_with("_SECTION")
}

/// What a file has said so far.
#[derive(Default)]
pub(crate) struct Reader {
    title: String,
    dimension: Option<usize>,
    pub(crate) capacity: Option<u32>,
    pub(crate) vehicles: Option<u32>,
    service: Option<f64>,
    weight_type: Option<String>,
    weight_format: Option<String>,
    coordinates: Vec<Option<(f64, f64)>>,
    demands: Vec<Option<u32>>,
    windows: Vec<Option<(f64, f64)>>,
    services: Vec<Option<f64>>,
    weights: Vec<f64>,
    /// The sites that are depots.
    pub(crate) depots: Vec<usize>,
    /// What rich routing alone reads.
    pub(crate) extra: Extra,
    /// By site: the line of its demand, for messages.
    pub(crate) rows: Vec<usize>,
}

pub(crate) type Lines<'t> = std::iter::Peekable<Box<dyn Iterator<Item = (usize, &'t str)> + 't>>;

pub(super) fn parse(name: &str, text: &str) -> Result<Instance, InstanceError> {
    let mut reader = read(name, text)?;
    if let Some((line, key)) = &reader.extra.first {
        let wrong = format!("{key} is not for vehicles that are alike: the problem `rich-vrp` reads it");
        return Err(InstanceError::new(name, wrong).with_line(*line));
    }
    if reader.depots.len() > 1 || reader.depots.iter().any(|&depot| depot != 1) {
        let wrong = "DEPOT_SECTION names another depot than site 1, or several: the problem `rich-vrp` reads several";
        return Err(InstanceError::new(name, wrong));
    }
    let rows = std::mem::take(&mut reader.rows);
    let instance = reader.finish().map_err(|wrong| InstanceError::new(name, wrong))?;
    instance.validate().map_err(|(site, message)| {
        let error = InstanceError::new(name, message);
        match site.and_then(|site| rows.get(site)) {
            Some(&row) if row > 0 => error.with_line(row),
            _ => error,
        }
    })?;
    Ok(instance)
}

/// Reads all fields and sections of a file.
pub(crate) fn read(name: &str, text: &str) -> Result<Reader, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let all = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).filter(|(_, line)| !line.is_empty());
    let mut lines: Lines<'_> = (Box::new(all) as Box<dyn Iterator<Item = (usize, &str)>>).peekable();
    let mut reader = Reader::default();
    let mut seen: Vec<String> = Vec::new();
    while let Some((at, line)) = lines.next() {
        if line == "EOF" {
            if let Some(&(at, line)) = lines.peek() {
                return Err(fail(at, format!("{} after EOF", quote(line.as_bytes()))));
            }
            break;
        }
        let (key, value) = if is_section(line) {
            (line.trim_end_matches(':').trim_end(), None)
        } else {
            let expected =
                || fail(at, format!("{}, expected `FIELD : value`, a section or EOF", quote(line.as_bytes())));
            let (key, value) = line.split_once(':').ok_or_else(expected)?;
            (key.trim(), Some(value.trim()))
        };
        if seen.iter().any(|other| other == key) && key != "COMMENT" {
            return Err(fail(at, format!("{} for the second time", quote(key.as_bytes()))));
        }
        seen.push(key.to_owned());
        match value {
            Some(value) => match reader.extra.field(key, value, at) {
                Some(read) => read.map_err(|wrong| fail(at, wrong))?,
                None => reader.field(key, value).map_err(|wrong| fail(at, wrong))?,
            },
            None => reader.section(key, at, &mut lines).map_err(|(line, wrong)| fail(line, wrong))?,
        }
    }
    Ok(reader)
}

impl Reader {
    fn field(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "NAME" => self.title = value.to_owned(),
            "COMMENT" | "NODE_COORD_TYPE" | "DISPLAY_DATA_TYPE" | "EDGE_WEIGHT_UNIT_OF_MEASUREMENT" => {}
            "TYPE" => {
                if !TYPES.contains(&value) {
                    let shown = quote(value.as_bytes());
                    return Err(format!("TYPE {shown}, expected CVRP or VRPTW, or one of {}", TYPES[4..].join(", ")));
                }
            }
            "DIMENSION" => {
                let sites = count(value, "DIMENSION")? as usize;
                if !(2..=MAX_SITES).contains(&sites) {
                    return Err(format!("DIMENSION {sites}, expected 2 to {MAX_SITES}"));
                }
                self.dimension = Some(sites);
            }
            "CAPACITY" => self.capacity = Some(count(value, "CAPACITY")?),
            "VEHICLES" => {
                let vehicles = count(value, "VEHICLES")?;
                if vehicles == 0 {
                    return Err("VEHICLES 0, expected 1 or more".into());
                }
                self.vehicles = Some(vehicles);
            }
            "SERVICE_TIME" => self.service = Some(magnitude(value, "SERVICE_TIME")?),
            "EDGE_WEIGHT_TYPE" => {
                if !["EUC_2D", "EXPLICIT"].contains(&value) {
                    return Err(format!("EDGE_WEIGHT_TYPE {}, expected EUC_2D or EXPLICIT", quote(value.as_bytes())));
                }
                self.weight_type = Some(value.to_owned());
            }
            "EDGE_WEIGHT_FORMAT" => {
                let known = ["FULL_MATRIX", "LOWER_ROW", "LOWER_DIAG_ROW", "UPPER_ROW", "UPPER_DIAG_ROW", "FUNCTION"];
                if !known.contains(&value) {
                    let shown = quote(value.as_bytes());
                    return Err(format!("EDGE_WEIGHT_FORMAT {shown}, expected one of {}", known.join(", ")));
                }
                self.weight_format = Some(value.to_owned());
            }
            _ => return Err(format!("the field {} is not known: it may change the problem", quote(key.as_bytes()))),
        }
        Ok(())
    }

    fn section(&mut self, key: &str, at: usize, lines: &mut Lines<'_>) -> Result<(), (usize, String)> {
        let Some(sites) = self.dimension else { return Err((at, format!("{key} before DIMENSION"))) };
        match key {
            "NODE_COORD_SECTION" | "DISPLAY_DATA_SECTION" => {
                self.coordinates = table(key, at, sites, lines, |words: [&str; 2]| {
                    Ok((number(words[0], "coordinate")?, number(words[1], "coordinate")?))
                })?;
            }
            "DEMAND_SECTION" => {
                let mut rows = vec![0; sites];
                self.demands =
                    table_with(key, at, sites, lines, |words: [&str; 1]| count(words[0], "demand"), &mut rows)?;
                self.rows = rows;
            }
            "TIME_WINDOW_SECTION" => {
                self.windows = table(key, at, sites, lines, |words: [&str; 2]| {
                    Ok((magnitude(words[0], "ready time")?, magnitude(words[1], "due time")?))
                })?;
            }
            "SERVICE_TIME_SECTION" => {
                self.services = table(key, at, sites, lines, |words: [&str; 1]| magnitude(words[0], "service time"))?;
            }
            "DEPOT_SECTION" => self.depots = depots(at, sites, lines)?,
            "EDGE_WEIGHT_SECTION" => self.edge_weights(at, sites, lines)?,
            _ if self.extra.section(key, at, sites, lines)? => {}
            _ => {
                return Err((
                    at,
                    format!("the section {} is not known: it may change the problem", quote(key.as_bytes())),
                ));
            }
        }
        Ok(())
    }

    fn edge_weights(&mut self, at: usize, n: usize, lines: &mut Lines<'_>) -> Result<(), (usize, String)> {
        let Some(format) = self.weight_format.as_deref() else {
            return Err((at, "EDGE_WEIGHT_SECTION before EDGE_WEIGHT_FORMAT".into()));
        };
        // The entries in the order of the file.
        let row = |i: usize| match format {
            "LOWER_ROW" => 0..i,
            "LOWER_DIAG_ROW" => 0..i + 1,
            "UPPER_ROW" => i + 1..n,
            "UPPER_DIAG_ROW" => i..n,
            _ => 0..n,
        };
        let expected: usize = (0..n).map(|i| row(i).len()).sum();
        let mut found = Vec::new();
        let mut last = at;
        while let Some((at, line)) = lines.next_if(is_row) {
            last = at;
            for word in line.split_ascii_whitespace() {
                if found.len() == expected {
                    return Err((at, format!("more than the {expected} distances of {format}")));
                }
                found.push(magnitude(word, "distance").map_err(|wrong| (at, wrong))?);
            }
        }
        if found.len() < expected {
            return Err((last, format!("{} distances, expected the {expected} of {format}", found.len())));
        }
        let mut weights = vec![0.0; n * n];
        let mut rest = found.into_iter();
        for i in 0..n {
            for j in row(i) {
                let weight = rest.next().unwrap_or(0.0);
                weights[i * n + j] = weight;
                if format != "FULL_MATRIX" {
                    weights[j * n + i] = weight;
                }
            }
        }
        self.weights = weights;
        Ok(())
    }

    /// Returns all sites and distances; without a capacity, that of [`Extra`] counts.
    pub(crate) fn finish(self) -> Result<Instance, String> {
        let sites = self.dimension.ok_or("no DIMENSION")?;
        let unlimited = self.extra.says_capacities().then_some(MAX_COUNT);
        let capacity = self.capacity.or(unlimited).ok_or("no CAPACITY")?;
        let weight_type = self.weight_type.ok_or("no EDGE_WEIGHT_TYPE")?;
        if self.depots.is_empty() {
            return Err("no DEPOT_SECTION".into());
        }
        if self.demands.is_empty() && self.extra.transports.is_empty() {
            return Err("no DEMAND_SECTION".into());
        }
        if self.service.is_some() && !self.services.is_empty() {
            return Err("both SERVICE_TIME and SERVICE_TIME_SECTION".into());
        }
        let explicit = weight_type == "EXPLICIT";
        if explicit && self.weights.is_empty() {
            return Err("no EDGE_WEIGHT_SECTION".into());
        }
        if !explicit && !self.weights.is_empty() {
            return Err("EDGE_WEIGHT_SECTION with EDGE_WEIGHT_TYPE EUC_2D".into());
        }
        if !explicit && self.coordinates.is_empty() {
            return Err("no NODE_COORD_SECTION".into());
        }
        let made = (0..sites).map(|at| {
            let (x, y) = self.coordinates.get(at).copied().flatten().unwrap_or((0.0, 0.0));
            let (ready, due) = self.windows.get(at).copied().flatten().unwrap_or((0.0, f64::INFINITY));
            // A single service time is that of every customer.
            let alike = if self.depots.contains(&(at + 1)) { 0.0 } else { self.service.unwrap_or(0.0) };
            let service = self.services.get(at).copied().flatten().unwrap_or(alike);
            Site { x, y, demand: self.demands.get(at).copied().flatten().unwrap_or(0), ready, due, service }
        });
        Ok(Instance {
            name: self.title,
            sites: made.collect(),
            capacity,
            vehicles: self.vehicles,
            edges: if explicit { Edges::Explicit(self.weights) } else { Edges::Euclidean },
        })
    }
}

/// Whether a line of a section begins with a number.
pub(crate) fn is_row(&(_, line): &(usize, &str)) -> bool {
    line.split_ascii_whitespace().next().is_some_and(is_numeric)
}

/// The rows `site value...` of a section, one for each site in any order.
pub(crate) fn table<T: Clone, const N: usize>(
    key: &str,
    at: usize,
    sites: usize,
    lines: &mut Lines<'_>,
    read: impl Fn([&str; N]) -> Result<T, String>,
) -> Result<Vec<Option<T>>, (usize, String)> {
    table_with(key, at, sites, lines, read, &mut [])
}

/// As [`table`]; notes the line of each site in `rows`, if that is not empty.
fn table_with<T: Clone, const N: usize>(
    key: &str,
    at: usize,
    sites: usize,
    lines: &mut Lines<'_>,
    read: impl Fn([&str; N]) -> Result<T, String>,
    rows: &mut [usize],
) -> Result<Vec<Option<T>>, (usize, String)> {
    let mut result: Vec<Option<T>> = vec![None; sites];
    let mut last = at;
    for _ in 0..sites {
        let Some((at, line)) = lines.next_if(is_row) else {
            let found = result.iter().filter(|entry| entry.is_some()).count();
            return Err((last, format!("{key} ends after {found} of {sites} sites")));
        };
        last = at;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let expected = || (at, format!("{} fields, expected the site and {N} numbers in {key}", words.len()));
        let (&site, values) = words.split_first().ok_or_else(expected)?;
        let values: [&str; N] = values.try_into().map_err(|_| expected())?;
        let site = count(site, "site").map_err(|wrong| (at, wrong))? as usize;
        if !(1..=sites).contains(&site) {
            return Err((at, format!("site {site}, expected 1 to {sites}")));
        }
        if result[site - 1].is_some() {
            return Err((at, format!("site {site} for the second time in {key}")));
        }
        result[site - 1] = Some(read(values).map_err(|wrong| (at, wrong))?);
        if let Some(row) = rows.get_mut(site - 1) {
            *row = at;
        }
    }
    Ok(result)
}

/// Sites, then -1.
fn depots(at: usize, sites: usize, lines: &mut Lines<'_>) -> Result<Vec<usize>, (usize, String)> {
    let mut found: Vec<usize> = Vec::new();
    let mut last = at;
    while let Some((at, line)) = lines.next_if(is_row) {
        last = at;
        for word in line.split_ascii_whitespace() {
            if number(word, "depot").map_err(|wrong| (at, wrong))? == -1.0 {
                return if found.is_empty() { Err((at, "no depot before -1".into())) } else { Ok(found) };
            }
            let depot = count(word, "depot").map_err(|wrong| (at, wrong))? as usize;
            if !(1..=sites).contains(&depot) || found.contains(&depot) {
                return Err((at, format!("depot {depot}, expected different sites from 1 to {sites}, then -1")));
            }
            found.push(depot);
        }
    }
    Err((last, "expected the depot 1 and then -1".into()))
}

/// Returns the instance as VRPLIB. A window without end is written with the end 10^9 where other windows have one.
pub(super) fn write(instance: &Instance) -> String {
    let windows = instance.has_windows();
    let title: String = instance.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{words}");
    };
    line(format_args!("NAME : {}", title.trim()));
    line(format_args!("TYPE : {}", if windows { "VRPTW" } else { "CVRP" }));
    line(format_args!("DIMENSION : {}", instance.sites.len()));
    if let Some(vehicles) = instance.vehicles {
        line(format_args!("VEHICLES : {vehicles}"));
    }
    line(format_args!("CAPACITY : {}", instance.capacity));
    match &instance.edges {
        Edges::Euclidean => line(format_args!("EDGE_WEIGHT_TYPE : EUC_2D")),
        Edges::Explicit(table) => {
            line(format_args!("EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION"));
            for row in table.chunks(instance.sites.len()) {
                let row: Vec<String> = row.iter().map(f64::to_string).collect();
                line(format_args!("{}", row.join(" ")));
            }
        }
    }
    line(format_args!("NODE_COORD_SECTION"));
    for (at, site) in instance.sites.iter().enumerate() {
        line(format_args!("{} {} {}", at + 1, site.x, site.y));
    }
    line(format_args!("DEMAND_SECTION"));
    for (at, site) in instance.sites.iter().enumerate() {
        line(format_args!("{} {}", at + 1, site.demand));
    }
    if windows {
        line(format_args!("TIME_WINDOW_SECTION"));
        for (at, site) in instance.sites.iter().enumerate() {
            line(format_args!("{} {} {}", at + 1, site.ready, site.due.min(MAX_NUMBER)));
        }
    }
    if instance.sites.iter().any(|site| site.service != 0.0) {
        line(format_args!("SERVICE_TIME_SECTION"));
        for (at, site) in instance.sites.iter().enumerate() {
            line(format_args!("{} {}", at + 1, site.service));
        }
    }
    line(format_args!("DEPOT_SECTION\n1\n-1\nEOF"));
    text
}
