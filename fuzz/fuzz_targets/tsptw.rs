//! The reader of tours with time windows: any bytes give an instance or a one-line error, and an instance survives
//! being written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_routing::tsptw::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(instance) => assert_eq!(parse("fuzz", write(&instance, "fuzz").as_bytes()).unwrap(), instance),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
