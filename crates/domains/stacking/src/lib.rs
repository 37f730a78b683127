//! Stacking.
