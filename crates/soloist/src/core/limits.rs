//! Limits of what is read: a checkpoint may hold any bytes.

use super::codec::CheckpointError;

/// The largest count of playouts or nodes that a run can have: no sum of two counts overflows.
pub(crate) const MOST: u64 = 1_000_000_000_000_000_000;

/// Returns the error `what` unless `sound`.
pub(crate) fn ensure(sound: bool, what: &'static str) -> Result<(), CheckpointError> {
    if sound { Ok(()) } else { Err(CheckpointError::Corrupt(what)) }
}
