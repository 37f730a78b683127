//! The rules of time, in one place: the numbers that the search and the verifiers share, and nothing else.
//!
//! An instance is *decimal* when a power of ten up to 10^18 makes all of its times and distances whole, and no tour
//! lasts longer than 10^15 of these units. Then all sums are exact, and a window is met or missed without any
//! tolerance. In detail:
//!
//! - every number has at most [`MOST_DECIMALS`] decimals and 15 digits, in the shortest text that reads as the same
//!   double;
//! - the unit is the least power of ten for which distances (behind the rounding), openings, closings and times of
//!   service are whole;
//! - (sites + 1) x (the longest distance + the longest service) + the latest opening is at most [`MOST_UNITS`]; between
//!   coordinates the longest distance counts as width + height of the rectangle around them, rounded up, + 1.
//!
//! Distances between coordinates that are rounded (down to one decimal, to the nearest whole number) are computed from
//! the decimal coordinates without an error; these have the same limits of digits and decimals, in a common unit.
//!
//! Every other instance is computed in doubles: distances between coordinates that are not rounded, which are
//! irrational (the convention of Solomon's instances), and tables of doubles printed with 16 or 17 digits. Times are
//! added visit by visit from the depot on, and a visit or the return may be late by [`TOLERANCE`] of its closing time.
//! The rounding errors of such a sum are below 10^-12 of it.

/// The lateness allowed in instances that are not decimal, as a fraction of the closing time.
pub const TOLERANCE: f64 = 1e-10;

/// The most decimals of a number in a decimal instance.
pub const MOST_DECIMALS: u32 = 18;

/// The most units of a number, and of a whole tour, in a decimal instance. Doubles hold nine times as much exactly.
pub const MOST_UNITS: u64 = 1_000_000_000_000_000;
