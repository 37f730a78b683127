//! Tests of number partitioning.
use super::*;
