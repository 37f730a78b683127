//! The verifier of stacking: any text gives a verdict; every item on the way is moved at most once for each that
//! leaves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_stacking::{check, generate};

fuzz_target!(|text: &str| {
    let yard = generate("random:3x9:1").unwrap();
    match check(&yard, text) {
        Ok(checked) => assert!(checked.score <= 81.0),
        Err(message) => assert_eq!(message.lines().count(), 1),
    }
});
