//! Fingerprints of problems in Python.

use soloist::Problem;
use soloist::problem::fingerprint_by;

/// The default fingerprint with scores to seven digits: sums of floats differ in the last bit between machines and
/// versions of libraries, and a run may move from one to another.
pub(crate) fn rounded_fingerprint<P: Problem>(problem: &P) -> u64 {
    // Half a unit of the digit that stays, and what goes.
    const HALF: u64 = 1 << 28;
    fingerprint_by(problem, |value| value.to_bits().wrapping_add(HALF) & !(2 * HALF - 1))
}
