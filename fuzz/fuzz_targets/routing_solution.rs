//! The verifier of vehicle routing: any text gives a verdict in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_routing::vrptw::{Objective, Rounding, check, generate};

fuzz_target!(|text: &str| {
    let instance = generate("random:20:1").unwrap();
    match check(&instance, Objective::Vehicles, Rounding::Exact, text) {
        Ok(checked) => assert!(checked.score >= 1e6),
        Err(message) => assert_eq!(message.lines().count(), 1),
    }
});
