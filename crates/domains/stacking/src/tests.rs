//! Tests of stacking.
