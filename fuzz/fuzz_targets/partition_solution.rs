//! The verifier of partitions: any text gives a verdict; no difference is larger than all numbers together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_partition::{check, generate};

fuzz_target!(|text: &str| {
    let numbers = generate("random:50x9:1").unwrap();
    match check(&numbers, text) {
        Ok(checked) => assert!(checked.score <= 15.0),
        Err(message) => assert_eq!(message.lines().count(), 1),
    }
});
