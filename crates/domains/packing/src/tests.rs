//! Tests of recursive circle packing.

mod search;
mod text;
