//! The readers of stacking: any bytes give an instance or a one-line error, and an instance survives being written and
//! read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_stacking::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(yard) => assert_eq!(parse("fuzz", write(&yard).as_bytes()).unwrap(), yard),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
