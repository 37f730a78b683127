//! The verifier of snakes and coils: any text gives a verdict; nothing valid is longer than the optimum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_hypercube::{Cube, Kind, check};

fuzz_target!(|text: &str| {
    let cube = Cube::new(5, 2).unwrap();
    for (kind, optimum) in [(Kind::Snake, 13.0), (Kind::Coil, 14.0)] {
        match check(kind, &cube, text) {
            Ok(checked) => assert!(checked.score <= optimum),
            Err(message) => assert_eq!(message.lines().count(), 1),
        }
    }
});
