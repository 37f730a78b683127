//! The `.rpa` reader: any bytes give an instance or a one-line error, and an instance survives being written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_packing::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(order) => assert_eq!(parse("fuzz", write(&order).as_bytes()).unwrap(), order),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
