//! Instances as their files say them, and what is minimised.

use crate::network::{MAX_SITES, Network};
use crate::text::MAX_COUNT;

/// A customer, or the depot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Coordinate; 0 where the file has a table of distances instead of coordinates.
    pub x: f64,
    /// Coordinate.
    pub y: f64,
    /// What is to be delivered; 0 for the depot.
    pub demand: u32,
    /// The earliest start of the service, 0 without a window.
    pub ready: f64,
    /// The latest start of the service, infinite without a window.
    pub due: f64,
    /// Time of the service.
    pub service: f64,
}

/// Where distances come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Edges {
    /// Straight lines between the coordinates.
    Euclidean,
    /// A table, row by row, from the first site to the second.
    Explicit(Vec<f64>),
}

/// An instance as its file says it: a depot, customers, identical vehicles.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The name in the file; may be empty.
    pub name: String,
    /// The depot, then the customers.
    pub sites: Vec<Site>,
    /// What a vehicle carries.
    pub capacity: u32,
    /// The number of vehicles, where the file limits it.
    pub vehicles: Option<u32>,
    /// Distances, which are travel times as well.
    pub edges: Edges,
}

/// How distances are rounded before anything is computed from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Plain doubles: SINTEF's convention for time windows.
    Exact,
    /// Down to one decimal: the convention of exact methods (DIMACS, CVRPLIB) for time windows.
    OneDecimal,
    /// To the nearest whole number, halves up: TSPLIB's and CVRPLIB's convention for `EUC_2D`.
    Nearest,
}

impl Rounding {
    /// Returns what the description of an instance says about it.
    pub(crate) fn remark(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::OneDecimal => ", distances of one decimal",
            Self::Nearest => ", distances rounded",
        }
    }
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The number of vehicles, then the distance.
    Vehicles,
    /// The distance.
    Distance,
}

impl Instance {
    /// Whether a customer has a window narrower than the depot's, or there is any time to be kept.
    #[must_use]
    pub fn has_windows(&self) -> bool {
        self.sites.iter().any(|site| site.due.is_finite())
    }

    /// Checks what every search relies on.
    ///
    /// # Errors
    /// The first violation and the number of the site that it is about, if it is about one.
    pub fn validate(&self) -> Result<(), (Option<usize>, String)> {
        if self.sites.is_empty() {
            return Err((None, "no depot".into()));
        }
        if self.sites.len() > MAX_SITES {
            return Err((
                None,
                format!("{} sites, at most {MAX_SITES} are read, the depot included", self.sites.len()),
            ));
        }
        if let Edges::Explicit(table) = &self.edges
            && table.len() != self.sites.len() * self.sites.len()
        {
            return Err((None, format!("{} distances between {} sites", table.len(), self.sites.len())));
        }
        if self.capacity > MAX_COUNT {
            return Err((None, format!("capacity {}, at most {MAX_COUNT} is read", self.capacity)));
        }
        for (at, site) in self.sites.iter().enumerate() {
            let what = if at == 0 { "the depot".to_owned() } else { format!("customer {at}") };
            if site.ready > site.due {
                return Err((Some(at), format!("the window of {what} is reversed: {} to {}", site.ready, site.due)));
            }
            if at == 0 && site.demand != 0 {
                return Err((Some(at), format!("the depot has the demand {}, expected 0", site.demand)));
            }
            if site.demand > self.capacity {
                return Err((
                    Some(at),
                    format!("the demand {} of {what} is above the capacity {}", site.demand, self.capacity),
                ));
            }
        }
        Ok(())
    }
}

/// Returns what a vehicle counts, in the units of the network: a power of ten above every distance of a sensible
/// solution.
#[must_use]
pub fn route_cost(network: &Network) -> f64 {
    let there_and_back = |c: usize| network.distance(0, c) + network.distance(c, 0);
    let most: f64 = (1..network.size()).map(there_and_back).sum::<f64>() / network.scale();
    let mut cost = 1e6;
    while cost <= most {
        cost *= 10.0;
    }
    cost * network.scale()
}
