//! Tests of the tile games through the public interface, in one program: each search is compiled once for each size of
//! board.

mod exact;
mod format;
mod golden;
mod kernel;
mod problem;
mod rollouts;
mod spec;
