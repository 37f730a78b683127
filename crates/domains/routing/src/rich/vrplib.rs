//! VRPLIB with prizes, vehicles of several kinds and depots, and transports.

use super::{Convention, Depot, Instance, Kind, Visit};
use crate::text::{MAX_NUMBER, count, magnitude, number};
use crate::vrptw::vrplib::{Lines, is_row, read, table};
use crate::vrptw::{Edges, Site};
use soloist_domain::InstanceError;
use std::fmt::Write as _;

/// The most vehicles with values of their own.
const MAX_VEHICLES: u32 = 100_000;

/// A number of all vehicles, or one for each of them.
#[derive(Default)]
enum Values {
    #[default]
    Unsaid,
    Alike(f64),
    Each(Vec<f64>),
}

impl Values {
    /// The value of a vehicle. `Err`: the number of values, where they are too few or too many.
    fn of(&self, vehicle: usize, vehicles: usize, unsaid: f64) -> Result<f64, usize> {
        match self {
            Self::Unsaid => Ok(unsaid),
            &Self::Alike(value) => Ok(value),
            Self::Each(values) if values.len() == vehicles => Ok(values[vehicle]),
            Self::Each(values) => Err(values.len()),
        }
    }
}

/// The names of what vehicles may have.
const VEHICLE: [&str; 6] = [
    "CAPACITY",
    "VEHICLES_DEPOT",
    "VEHICLES_FIXED_COST",
    "VEHICLES_UNIT_DISTANCE_COST",
    "VEHICLES_MAX_DURATION",
    "VEHICLES_MAX_DISTANCE",
];

/// One end of a transport: demand, window, service, pickup and delivery.
type End = (f64, f64, f64, f64, u32, u32);

/// The fields and sections that rich routing reads and routing of equal vehicles does not.
#[derive(Default)]
pub(crate) struct Extra {
    /// The first of them: line and name.
    pub(crate) first: Option<(usize, String)>,
    /// By [`VEHICLE`].
    vehicles: [Values; 6],
    prizes: Vec<Option<f64>>,
    pub(crate) transports: Vec<Option<End>>,
}

impl Extra {
    /// Whether vehicles have capacities of their own.
    pub(crate) fn says_capacities(&self) -> bool {
        !matches!(self.vehicles[0], Values::Unsaid)
    }

    fn note(&mut self, key: &str, at: usize) {
        self.first.get_or_insert_with(|| (at, key.to_owned()));
    }

    /// Reads a field. `None`: it is not one of these.
    pub(crate) fn field(&mut self, key: &str, value: &str, at: usize) -> Option<Result<(), String>> {
        let place = VEHICLE.iter().skip(1).position(|name| *name == key)? + 1;
        self.note(key, at);
        Some(magnitude(value, key).map(|value| self.vehicles[place] = Values::Alike(value)))
    }

    /// Reads a section. `false`: it is not one of these.
    pub(crate) fn section(
        &mut self,
        key: &str,
        at: usize,
        sites: usize,
        lines: &mut Lines<'_>,
    ) -> Result<bool, (usize, String)> {
        let name = key.trim_end_matches("_SECTION");
        if name == "PRIZE" {
            self.prizes = table(key, at, sites, lines, |words: [&str; 1]| magnitude(words[0], "prize"))?;
        } else if name == "PICKUP_AND_DELIVERY" {
            self.transports = table(key, at, sites, lines, |[demand, ready, due, service, pickup, delivery]| {
                let (ready, due) = (magnitude(ready, "ready time")?, magnitude(due, "due time")?);
                let service = magnitude(service, "service time")?;
                let (pickup, delivery) = (count(pickup, "pickup")?, count(delivery, "delivery")?);
                Ok((number(demand, "demand")?, ready, due, service, pickup, delivery))
            })?;
        } else if let Some(place) = VEHICLE.iter().position(|other| *other == name) {
            let mut values = Vec::new();
            while let Some((at, line)) = lines.next_if(is_row) {
                let fail = |wrong: String| (at, wrong);
                let words: Vec<&str> = line.split_ascii_whitespace().collect();
                let &[vehicle, value] = words.as_slice() else {
                    return Err(fail(format!("{} fields, expected the vehicle and a number in {key}", words.len())));
                };
                let vehicle = count(vehicle, "vehicle").map_err(fail)?;
                if vehicle as usize != values.len() + 1 || vehicle > MAX_VEHICLES {
                    let expected =
                        format!("vehicle {vehicle}, expected {} of at most {MAX_VEHICLES}", values.len() + 1);
                    return Err(fail(expected));
                }
                values.push(magnitude(value, name).map_err(fail)?);
            }
            self.vehicles[place] = Values::Each(values);
        } else {
            return Ok(false);
        }
        self.note(key, at);
        Ok(true)
    }

    /// The kinds of vehicles: those that are alike in all are one.
    fn kinds(&self, vehicles: Option<u32>, capacity: u32, depots: usize) -> Result<Vec<Kind>, String> {
        if depots > 1 && matches!(self.vehicles[1], Values::Unsaid) {
            return Err(format!("{depots} depots, but no VEHICLES_DEPOT_SECTION"));
        }
        let each = self.vehicles.iter().any(|values| matches!(values, Values::Each(_)));
        if each && vehicles.is_none() {
            return Err("values for each vehicle, but no field VEHICLES".into());
        }
        if vehicles.is_some_and(|vehicles| vehicles > MAX_VEHICLES) && each {
            return Err(format!("values for more than {MAX_VEHICLES} vehicles"));
        }
        let rows = if each { vehicles.unwrap_or(1) as usize } else { 1 };
        let usual = [f64::from(capacity), 1.0, 0.0, 1.0, f64::INFINITY, f64::INFINITY];
        let mut kinds: Vec<Kind> = Vec::new();
        for vehicle in 0..rows {
            let mut found = usual;
            for ((values, value), name) in self.vehicles.iter().zip(&mut found).zip(VEHICLE) {
                *value = values
                    .of(vehicle, rows, *value)
                    .map_err(|given| format!("{name}_SECTION has {given} vehicles, VEHICLES says {rows}"))?;
            }
            let [capacity, depot, fixed, rate, longest, farthest] = found;
            if capacity.fract() != 0.0 || depot.fract() != 0.0 || !(1.0..=depots as f64).contains(&depot) {
                return Err(format!(
                    "vehicle {} has the capacity {capacity} and the depot {depot}, expected whole numbers and a depot from 1 to {depots}",
                    vehicle + 1
                ));
            }
            let new = Kind {
                depot: depot as usize - 1,
                capacity: capacity as u32,
                count: Some(1),
                fixed,
                rate,
                longest,
                farthest,
            };
            match kinds.iter_mut().find(|kind| Kind { count: Some(1), ..**kind } == new) {
                Some(kind) => kind.count = kind.count.map(|count| count + 1),
                None => kinds.push(new),
            }
        }
        if !each {
            kinds.iter_mut().for_each(|kind| kind.count = vehicles);
        }
        Ok(kinds)
    }
}

pub(super) fn parse(name: &str, text: &str) -> Result<Instance, InstanceError> {
    let mut reader = read(name, text)?;
    let fail = |wrong: String| InstanceError::new(name, wrong);
    let (rows, depots) = (std::mem::take(&mut reader.rows), reader.depots.clone());
    let vehicles = reader.vehicles;
    let extra = std::mem::take(&mut reader.extra);
    // The capacity may be that of each vehicle.
    if reader.capacity.is_none() && extra.says_capacities() {
        reader.capacity = Some(0);
    }
    let has_transports = !extra.transports.is_empty();
    reader.extra.transports.clone_from(&extra.transports);
    let mut plain = reader.finish().map_err(fail)?;
    if depots.iter().enumerate().any(|(at, &depot)| depot != at + 1) {
        return Err(fail("the depots are not the first sites: expected 1, 2, ... in DEPOT_SECTION".into()));
    }
    let kinds = extra.kinds(vehicles, plain.capacity, depots.len()).map_err(fail)?;
    let mut ends = vec![(None, false); plain.sites.len()];
    let mut amounts: Vec<i64> = plain.sites.iter().map(|site| i64::from(site.demand)).collect();
    if has_transports {
        for (at, end) in extra.transports.iter().enumerate() {
            let Some((demand, ready, due, service, pickup, delivery)) = *end else { continue };
            if demand.fract() != 0.0 {
                return Err(fail(format!("demand {demand} of site {}, expected a whole number", at + 1)));
            }
            let partner = [pickup, delivery].into_iter().find(|&partner| partner > 0);
            let visit = partner.map(|partner| partner.saturating_sub(depots.len() as u32));
            (ends[at], amounts[at]) = ((visit, pickup > 0), demand as i64);
            let site = &mut plain.sites[at];
            (site.ready, site.due, site.service) = (ready, due, service);
        }
    }
    let mut instance = self::plain(plain, Convention::Vrplib);
    let first = depots.len();
    if let Some(amount) = amounts[..first].iter().find(|amount| **amount != 0) {
        return Err(fail(format!("a depot has the demand {amount}, expected 0")));
    }
    let more: Vec<Depot> = instance.visits.drain(..first - 1).map(|visit| depot_at(&visit)).collect();
    instance.depots.extend(more);
    for (at, visit) in instance.visits.iter_mut().enumerate() {
        let site = first + at;
        visit.demand = amounts[site];
        (visit.partner, visit.delivers) = ends[site];
        // As PyVRP reads it: a prize above 0 makes a customer optional.
        visit.prize = extra.prizes.get(site).copied().flatten().filter(|&prize| prize > 0.0);
    }
    instance.kinds = kinds;
    instance.validate().map_err(|(visit, message)| match visit.and_then(|visit| rows.get(first + visit - 1)) {
        Some(&row) if row > 0 => InstanceError::new(name, message).with_line(row),
        _ => InstanceError::new(name, message),
    })?;
    Ok(instance)
}

fn depot_at(visit: &Visit) -> Depot {
    let &Visit { x, y, ready, due, service, .. } = visit;
    Depot { x, y, ready, due, service }
}

/// Returns the instance of vehicles that are alike, with the first site as the depot.
pub(super) fn plain(plain: crate::vrptw::Instance, convention: Convention) -> Instance {
    let visit = |&Site { x, y, demand, ready, due, service }: &Site| Visit {
        x,
        y,
        demand: i64::from(demand),
        ready,
        due,
        service,
        prize: None,
        partner: None,
        delivers: false,
    };
    let (depot, customers) = plain.sites.split_first().expect("a reader returns a depot");
    Instance {
        name: plain.name,
        convention,
        depots: vec![depot_at(&visit(depot))],
        visits: customers.iter().map(visit).collect(),
        kinds: vec![Kind { count: plain.vehicles, ..Kind::plain(0, plain.capacity) }],
        edges: plain.edges,
    }
}

/// Returns the instance as VRPLIB. A window without end is written with the end 10^9 where other windows have one.
pub(super) fn write(instance: &Instance) -> String {
    let depots = instance.depots.len();
    let sites = instance.sites().sites;
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{words}");
    };
    let title: String = instance.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line(format_args!("NAME : {}\nTYPE : VRP\nDIMENSION : {}", title.trim(), sites.len()));
    // No solution uses more vehicles than there are visits.
    let most = instance.visits.len();
    let each = |kind: &Kind| kind.count.map_or(most, |count| most.min(count as usize));
    let vehicles: Vec<&Kind> = instance.kinds.iter().flat_map(|kind| std::iter::repeat_n(kind, each(kind))).collect();
    line(format_args!("VEHICLES : {}", vehicles.len()));
    let alike = instance.kinds.iter().all(|kind| kind.capacity == instance.kinds[0].capacity);
    if alike {
        line(format_args!("CAPACITY : {}", instance.kinds[0].capacity));
    }
    match &instance.edges {
        Edges::Euclidean => line(format_args!("EDGE_WEIGHT_TYPE : EUC_2D")),
        Edges::Explicit(table) => {
            line(format_args!("EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION"));
            for row in table.chunks(sites.len()) {
                let row: Vec<String> = row.iter().map(f64::to_string).collect();
                line(format_args!("{}", row.join(" ")));
            }
        }
    }
    write_vehicles(instance, &vehicles, &mut line);
    line(format_args!("NODE_COORD_SECTION"));
    for (at, site) in sites.iter().enumerate() {
        line(format_args!("{} {} {}", at + 1, site.x, site.y));
    }
    write_visits(instance, &sites, &mut line);
    if instance.has_prizes() {
        line(format_args!("PRIZE_SECTION"));
        for at in 0..sites.len() {
            let prize = at.checked_sub(depots).and_then(|visit| instance.visits[visit].prize);
            line(format_args!("{} {}", at + 1, prize.unwrap_or(0.0)));
        }
    }
    line(format_args!("DEPOT_SECTION"));
    for depot in 1..=depots {
        line(format_args!("{depot}"));
    }
    line(format_args!("-1\nEOF"));
    text
}

/// Writes the sections about vehicles, those that say something.
fn write_vehicles(instance: &Instance, vehicles: &[&Kind], line: &mut impl FnMut(std::fmt::Arguments<'_>)) {
    let alike = instance.kinds.iter().all(|kind| kind.capacity == instance.kinds[0].capacity);
    let usual = |kind: &Kind| {
        let Kind { depot, capacity, fixed, rate, longest, farthest, .. } = *kind;
        [f64::from(capacity), depot as f64 + 1.0, fixed, rate, longest, farthest]
    };
    for (at, name) in VEHICLE.into_iter().enumerate() {
        let plain = [f64::NAN, 1.0, 0.0, 1.0, f64::INFINITY, f64::INFINITY][at];
        let said = if at == 0 { !alike } else { instance.kinds.iter().any(|kind| usual(kind)[at] != plain) };
        if said {
            line(format_args!("{name}_SECTION"));
            for (vehicle, kind) in vehicles.iter().enumerate() {
                line(format_args!("{} {}", vehicle + 1, usual(kind)[at].min(MAX_NUMBER)));
            }
        }
    }
}

/// Writes the demands, windows and service times of all sites, or the pairs that hold them.
fn write_visits(instance: &Instance, sites: &[Site], line: &mut impl FnMut(std::fmt::Arguments<'_>)) {
    let depots = instance.depots.len();
    if instance.has_pairs() {
        line(format_args!("PICKUP_AND_DELIVERY_SECTION"));
        for (at, site) in sites.iter().enumerate() {
            let visit = at.checked_sub(depots).map(|visit| &instance.visits[visit]);
            let demand = visit.map_or(0, |visit| visit.demand);
            let partner = visit.and_then(|visit| visit.partner).map_or(0, |partner| partner as usize + depots);
            let delivers = visit.is_some_and(|visit| visit.delivers);
            let (pickup, delivery) = if delivers { (partner, 0) } else { (0, partner) };
            let due = site.due.min(MAX_NUMBER);
            line(format_args!("{} {demand} {} {due} {} {pickup} {delivery}", at + 1, site.ready, site.service));
        }
    } else {
        line(format_args!("DEMAND_SECTION"));
        for (at, site) in sites.iter().enumerate() {
            line(format_args!("{} {}", at + 1, site.demand));
        }
        if instance.has_windows() {
            line(format_args!("TIME_WINDOW_SECTION"));
            for (at, site) in sites.iter().enumerate() {
                line(format_args!("{} {} {}", at + 1, site.ready, site.due.min(MAX_NUMBER)));
            }
        }
        if sites.iter().any(|site| site.service != 0.0) {
            line(format_args!("SERVICE_TIME_SECTION"));
            for (at, site) in sites.iter().enumerate() {
                line(format_args!("{} {}", at + 1, site.service));
            }
        }
    }
}
