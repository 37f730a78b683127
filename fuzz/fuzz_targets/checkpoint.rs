//! Checkpoints of a small problem, read as a whole file; most inputs end at the checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist::{Budget, Method, Solver, doc::Staircase};

fuzz_target!(|data: &[u8]| {
    let problem = Staircase(6);
    // As a whole file.
    let solver = || Solver::new(&problem, Method::preset("uct").expect("a preset")).budget(Budget::playouts(50));
    if let Ok(solver) = solver().resume(data) {
        let _ = solver.run();
    }
});
