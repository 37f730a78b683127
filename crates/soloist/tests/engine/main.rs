//! Tests of the engine, in one program: each search is compiled once for each of the problems that they share.

mod beam;
mod common;
mod exact;
mod golden;
mod graph;
mod guide;
mod limits;
mod memory;
mod nested;
mod reference;
mod resume;
mod tree;
