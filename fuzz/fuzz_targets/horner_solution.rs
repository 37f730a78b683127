//! The verifier of expressions: any text gives a verdict; no code has fewer operations than none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_expressions::{Signs, check, parse};

fuzz_target!(|text: &str| {
    let system = parse("fuzz", b"x^3*y^2+x^2*y+x^3*z", true).unwrap();
    match check(&system, text, Signs::Canonical) {
        Ok(checked) => assert!(checked.score >= 1.0),
        Err(message) => assert_eq!(message.lines().count(), 1),
    }
});
