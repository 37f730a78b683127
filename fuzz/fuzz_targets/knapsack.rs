//! The `.kp` reader: any bytes give an instance or a one-line error, and an instance survives being written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_knapsack::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(sack) => assert_eq!(parse("fuzz", write(&sack, "fuzz").as_bytes()).unwrap(), sack),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
