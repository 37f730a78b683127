//! Golden runs.

use soloist_domain_testing::check_golden_runs;
use soloist_tiles::{BUBBLE_BREAKER, CLICKOMANIA, SAMEGAME};

/// Changed on purpose only, with a line in the changelog: see CONTRIBUTING.md.
#[test]
fn golden_runs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tiles/golden.txt");
    check_golden_runs(&[SAMEGAME, CLICKOMANIA, BUBBLE_BREAKER], path);
}
