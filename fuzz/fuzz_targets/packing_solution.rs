//! The packing verifier: any text gives a verdict; a valid packing never holds more rings than there is room for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_packing::{Objective, Worth, check, generate};

fuzz_target!(|text: &str| {
    let order = generate("random:5x80:7").unwrap();
    match check(&order, Worth::Area, Objective::Value, text) {
        Ok(checked) => assert!(checked.score <= order.width() * order.height()),
        Err(message) => assert_eq!(message.lines().count(), 1),
    }
});
