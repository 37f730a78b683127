//! Instances as their files say them, and what is minimised.

use crate::network::MAX_SITES;
use crate::text::MAX_COUNT;
use crate::vrptw::{Edges, Site};

/// A place where vehicles begin and end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depot {
    /// Coordinate; 0 where the file has a table of distances instead of coordinates.
    pub x: f64,
    /// Coordinate.
    pub y: f64,
    /// When vehicles leave at the earliest.
    pub ready: f64,
    /// When vehicles are back at the latest; infinite without a window.
    pub due: f64,
    /// Time that a vehicle needs before it leaves.
    pub service: f64,
}

/// A stop that a vehicle makes: a customer, or one end of a transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Coordinate.
    pub x: f64,
    /// Coordinate.
    pub y: f64,
    /// What is loaded; negative at a delivery. What a customer without a partner loads stays aboard to the end of the
    /// route; where there are no transports, it does not matter whether goods are brought or collected.
    pub demand: i64,
    /// The earliest start of the service.
    pub ready: f64,
    /// The latest start of the service, infinite without a window.
    pub due: f64,
    /// Time of the service.
    pub service: f64,
    /// What it costs not to serve the customer. `None`: the customer must be served.
    pub prize: Option<f64>,
    /// The delivery of a pickup, or the pickup of a delivery: the number of the visit, counted from 1.
    pub partner: Option<u32>,
    /// Whether this is the delivery of a transport, which follows its pickup in the same route.
    pub delivers: bool,
}

/// Vehicles that are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Where they begin and end: an index of the depots.
    pub depot: usize,
    /// What each carries.
    pub capacity: u32,
    /// How many there are. `None`: as many as needed.
    pub count: Option<u32>,
    /// What each costs if it is used.
    pub fixed: f64,
    /// What a unit of distance costs.
    pub rate: f64,
    /// The longest time between leaving the depot and the return; infinite without a limit.
    pub longest: f64,
    /// The longest distance of a route; infinite without a limit.
    pub farthest: f64,
}

/// Which rounding of distances and which objective a file means where nobody chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// Li and Lim: plain doubles, fewest vehicles first.
    Pairs,
    /// Cordeau: plain doubles, the distance alone.
    Depots,
    /// VRPLIB: rounded distances, the cost.
    Vrplib,
}

/// An instance as its file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The name in the file; may be empty.
    pub name: String,
    /// The kind of file.
    pub convention: Convention,
    /// Where vehicles begin and end, one or more.
    pub depots: Vec<Depot>,
    /// The visits; solutions count them from 1.
    pub visits: Vec<Visit>,
    /// The vehicles; solutions count kinds from 1.
    pub kinds: Vec<Kind>,
    /// Distances, which are travel times as well. A table has the depots first, then the visits.
    pub edges: Edges,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The number of vehicles, then the cost.
    Vehicles,
    /// The distance at the rates of its vehicles, their fixed costs, and the prizes of customers that are not served.
    Cost,
}

/// The most kinds of vehicles.
pub(super) const MAX_KINDS: usize = 1_000;

impl Instance {
    /// Returns the place of a visit, counted from 1, among depots and visits.
    pub(super) fn location(&self, visit: usize) -> usize {
        self.depots.len() + visit - 1
    }

    /// Whether there is any time to be kept.
    #[must_use]
    pub fn has_windows(&self) -> bool {
        self.visits.iter().any(|visit| visit.due.is_finite() || visit.ready > 0.0)
            || self.depots.iter().any(|depot| depot.due.is_finite())
    }

    /// Whether some customers need not be served.
    #[must_use]
    pub fn has_prizes(&self) -> bool {
        self.visits.iter().any(|visit| visit.prize.is_some())
    }

    /// Whether there are transports.
    #[must_use]
    pub fn has_pairs(&self) -> bool {
        self.visits.iter().any(|visit| visit.partner.is_some())
    }

    /// Returns all places, the depots first, with their windows and services.
    pub(super) fn sites(&self) -> crate::vrptw::Instance {
        let depots = self.depots.iter().map(|&Depot { x, y, ready, due, service }| Site {
            x,
            y,
            demand: 0,
            ready,
            due,
            service,
        });
        let visits = self.visits.iter().map(|&Visit { x, y, demand, ready, due, service, .. }| Site {
            x,
            y,
            // No larger than the largest number that is read.
            demand: demand.unsigned_abs() as u32,
            ready,
            due,
            service,
        });
        crate::vrptw::Instance {
            name: self.name.clone(),
            sites: depots.chain(visits).collect(),
            capacity: MAX_COUNT,
            vehicles: None,
            edges: self.edges.clone(),
        }
    }

    /// Checks what every search relies on.
    ///
    /// # Errors
    /// The first violation and the number of the visit that it is about, if it is about one.
    pub fn validate(&self) -> Result<(), (Option<usize>, String)> {
        let places = self.depots.len() + self.visits.len();
        if self.depots.is_empty() {
            return Err((None, "no depot".into()));
        }
        if places > MAX_SITES {
            return Err((None, format!("{places} depots and visits, at most {MAX_SITES} are read")));
        }
        if let Edges::Explicit(table) = &self.edges
            && table.len() != places * places
        {
            return Err((None, format!("{} distances between {places} depots and visits", table.len())));
        }
        if self.kinds.is_empty() || self.kinds.len() > MAX_KINDS {
            return Err((None, format!("{} kinds of vehicles, expected 1 to {MAX_KINDS}", self.kinds.len())));
        }
        if self.kinds.iter().any(|kind| kind.depot >= self.depots.len()) {
            return Err((None, format!("a vehicle of a depot above {}, the last one", self.depots.len())));
        }
        if let Some(at) = self.depots.iter().position(|depot| depot.ready > depot.due) {
            return Err((None, format!("the window of depot {} is reversed", at + 1)));
        }
        let capacity = self.kinds.iter().map(|kind| kind.capacity).max().unwrap_or(0);
        for (at, visit) in self.visits.iter().enumerate() {
            self.validate_visit(at + 1, visit, capacity).map_err(|message| (Some(at + 1), message))?;
        }
        Ok(())
    }

    fn validate_visit(&self, number: usize, visit: &Visit, capacity: u32) -> Result<(), String> {
        if visit.ready > visit.due {
            return Err(format!("the window of visit {number} is reversed: {} to {}", visit.ready, visit.due));
        }
        if visit.demand.abs() > i64::from(capacity) {
            return Err(format!(
                "the demand {} of visit {number} is above the capacity {capacity} of the largest vehicle",
                visit.demand
            ));
        }
        let Some(partner) = visit.partner else {
            return if visit.demand < 0 {
                Err(format!("the demand {} of visit {number} is negative: a delivery needs its pickup", visit.demand))
            } else {
                Ok(())
            };
        };
        let other = (partner as usize).checked_sub(1).and_then(|at| self.visits.get(at));
        let Some(other) = other.filter(|_| partner as usize != number) else {
            return Err(format!("visit {number} has the partner {partner}, which does not exist"));
        };
        if other.partner != Some(number as u32) {
            return Err(format!("visit {number} has the partner {partner}, whose partner is another visit"));
        }
        let (pickup, delivery) = if visit.delivers { (other, visit) } else { (visit, other) };
        if pickup.delivers || !delivery.delivers || pickup.demand < 0 || pickup.demand + delivery.demand != 0 {
            return Err(format!(
                "visits {number} and {partner} load {} and {}, expected a pickup and a delivery of the same amount",
                visit.demand, other.demand
            ));
        }
        if visit.prize != other.prize {
            return Err(format!("visits {number} and {partner} are one transport, but have different prizes"));
        }
        Ok(())
    }
}
