//! Tests of expression simplification through the public interface.

mod algebra;
mod annealing;
mod coding;
mod common;
mod conditions;
mod counting;
mod dialects;
mod folder;
mod golden;
mod guide;
mod languages;
mod mutants;
mod notations;
mod reading;
mod scheme;
mod simplifying;
