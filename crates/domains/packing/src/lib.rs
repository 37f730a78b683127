//! Recursive circle packing: rings (tubes) in a rectangle and in each other.
//!
//! A tube is a ring with an inner and an outer radius. It lies in a rectangular container, or inside another tube that
//! lies there; tubes with the same owner do not overlap. Either one container is filled with as much value as possible,
//! or all tubes are packed into as few containers as possible.
//!
//! | | |
//! |---|---|
//! | score | value packed into one container, larger is better; or containers used, smaller is better |
//! | file | `.rpa`: a name, `T W H`, then `T` lines `demand r_int r_ext [value]`; see [`parse`] |
//! | specs | `random:5x80:7`, `circles:3x60:7`; see [`generate`] |
//! | solution | `{"tubes": [{"type": 0, "container": 0, "hull": null, "x": 1.5, "y": 1.5}, ...], ...}`; see [`check`] |
//!
//! # Tolerance
//! The rules have a tolerance: tubes may overlap or stick out by at most [`TOLERANCE`] (1e-9) times the longer side of
//! the container. Sizes written with a few digits make instances that are exactly tight, and nothing computed is exact.
//! [`check`] accepts what is within the tolerance and nothing else, the search itself allows a fifth of it. It is
//! relative: an instance in metres and the same one in nanometres have the same packings. Walls of rings are thicker
//! than the tolerance, so that no ring lies within one of its own size.
//!
//! # References
//! - L. Rei, "Monte Carlo tree search for combinatorial optimization", thesis, University of Porto, 2018, chapter 6:
//!   candidate positions, semi-greedy construction, telescoping.
//! - J. P. Pedroso, S. Cunha and J. N. Tavares, "Recursive circle packing problems", International Transactions in
//!   Operational Research 23, 2016, pages 355-368: the problem, from the export of tubes, and its heuristic.
//! - A. Gleixner, S. J. Maher, B. Müller and J. P. Pedroso, "Price-and-verify: a new algorithm for recursive circle
//!   packing using Dantzig-Wolfe decomposition", Annals of Operations Research 284, 2020, pages 527-555: the file
//!   format, fewest containers.

#![forbid(unsafe_code)]

mod bin;
mod board;
mod contents;
mod domain;
mod draw;
mod encoder;
mod format;
mod grid;
mod instance;
mod model;
mod overlap;
mod problem;
mod rollout;
mod search;
mod spec;
#[cfg(test)]
mod tests;
mod verify;

pub use domain::DOMAIN;
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub use format::{parse, read, write};
pub use model::{Layout, Objective, Packing, Place, Worth};
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use verify::check;

/// The most types of tubes that are read or generated.
pub const MAX_TYPES: usize = 1_000;
/// The most tubes of all types together.
pub const MAX_TUBES: u64 = 100_000;
/// Smallest outer radius, as a part of the container's longer side.
pub const MIN_RADIUS: f64 = 1e-4;
/// How far tubes may overlap or stick out, as a part of the container's longer side. Walls are thicker.
pub const TOLERANCE: f64 = 1e-9;
/// The shortest and the longest side of a container.
pub const SIDES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// A type of tube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// How many there are.
    pub demand: u32,
    /// Inner radius: what lies inside fits into it. 0: a disc.
    pub inner: f64,
    /// Outer radius, larger than the inner one.
    pub outer: f64,
    /// What one of them is worth, if the file says so.
    pub value: Option<f64>,
}

/// An instance: a container and the tubes offered, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    name: String,
    width: f64,
    height: f64,
    tubes: Vec<Tube>,
}

impl Order {
    /// Returns an instance called `name`, which is one line of text without blanks around it.
    ///
    /// # Errors
    /// One line: a name of several lines, more than [`MAX_TYPES`] types or [`MAX_TUBES`] tubes, sides or radii that are
    /// not finite or not positive, sides beyond [`SIDES`], an inner radius that is negative or not below the outer one
    /// by more than [`TOLERANCE`] times the longer side, an outer radius below [`MIN_RADIUS`] times the longer side,
    /// values that are negative, not finite, or given for some types only.
    pub fn new(name: &str, width: f64, height: f64, tubes: Vec<Tube>) -> Result<Self, String> {
        if name.is_empty() || name.trim() != name || name.chars().any(char::is_control) {
            return Err("the name is not one line of text".into());
        }
        for side in [width, height] {
            if !SIDES.contains(&side) {
                return Err(format!("side {side} of the container, expected 1e-9 to 1e9"));
            }
        }
        if tubes.len() > MAX_TYPES {
            return Err(format!("{} types of tubes, at most {MAX_TYPES} are allowed", tubes.len()));
        }
        let total: u64 = tubes.iter().map(|tube| u64::from(tube.demand)).sum();
        if total > MAX_TUBES {
            return Err(format!("{total} tubes, at most {MAX_TUBES} are allowed"));
        }
        let longer = width.max(height);
        for (index, tube) in tubes.iter().enumerate() {
            check_tube(tube, longer).map_err(|wrong| format!("type {index}: {wrong}"))?;
            if tube.value.is_some() != tubes[0].value.is_some() {
                return Err(format!("type {index}: values for some types only"));
            }
        }
        Ok(Self { name: name.to_owned(), width, height, tubes })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Width of the container (x).
    #[must_use]
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Height of the container (y).
    #[must_use]
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Returns the types of tubes.
    #[must_use]
    pub fn tubes(&self) -> &[Tube] {
        &self.tubes
    }

    /// Whether every type has a value of its own.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.tubes.iter().all(|tube| tube.value.is_some())
    }
}

/// What is wrong with a type in a container with this longer side.
fn check_tube(tube: &Tube, longer: f64) -> Result<(), String> {
    let Tube { inner, outer, value, .. } = *tube;
    if !(outer > 0.0 && outer <= 1e9) {
        return Err(format!("outer radius {outer}, expected a number above 0, at most 1e9"));
    }
    if !(inner >= 0.0 && inner < outer) {
        return Err(format!("inner radius {inner}, expected 0 up to below the outer radius {outer}"));
    }
    if outer - inner <= TOLERANCE * longer {
        let least = TOLERANCE * longer;
        return Err(format!(
            "inner radius {inner} and outer radius {outer}: the wall must be thicker than the tolerance, {least:.1e} \
             ({TOLERANCE:e} of the container's longer side {longer})"
        ));
    }
    if outer < MIN_RADIUS * longer {
        return Err(format!("outer radius {outer} is below {MIN_RADIUS} of the container's longer side {longer}"));
    }
    if let Some(value) = value
        && !(0.0..=1e12).contains(&value)
    {
        return Err(format!("value {value}, expected 0 to 1e12"));
    }
    Ok(())
}
