//! Bitboards, groups and playouts: the part of the tile games that is called millions of times a second.
//!
//! A position is a few bit planes ([`Board`]); the links between equal neighbours ([`Links`]) are recomputed for the
//! whole board after every move, and a group is found by flooding the links in a window of four columns. No list of
//! groups is kept: a uniform draw takes a random cell that could be a group's smallest and draws again if it is not.
//!
//! One algorithm serves all processors: it is written over the small trait [`ops::Ops`] and compiled once per
//! [`Engine`], with the same moves and the same draws from the generator everywhere.

mod board;
mod engine;
pub mod geometry;
pub mod group;
pub mod numbered;
pub mod ops;
mod playout;
mod policy;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use board::{Board, BoardError, most_frequent};
pub use engine::{Engine, KernelTask};
pub use geometry::{Geometry, Large, Small};
pub use group::{Group, Links};
pub use playout::{playout, random};
pub use policy::{Extent, Policy, selective_starts};
