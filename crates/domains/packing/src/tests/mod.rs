//! Tests of recursive circle packing.

mod refine;
mod rules;
mod search;
mod text;
