//! Tests of expression simplification through the public interface.

mod algebra;
mod annealing;
mod coding;
mod common;
mod counting;
mod dialects;
mod golden;
mod reading;
mod scheme;
mod simplifying;
