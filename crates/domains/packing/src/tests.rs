//! Tests of recursive circle packing.

mod rules;
mod search;
mod text;
