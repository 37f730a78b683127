//! Tests of the engine, in one program: one link for all of them.

mod auto;
mod beam;
mod bounds;
mod checks;
mod common;
mod cut;
mod exact;
mod exchange;
mod first;
mod future;
mod golden;
mod graph;
mod guide;
mod layers;
mod limits;
mod memory;
mod nested;
mod own;
mod parts;
mod promises;
mod proofs;
mod reference;
mod resume;
mod session;
mod tree;
mod verify;
