//! The reader of cubes with a prefix: any bytes give an instance or a one-line error, and an instance survives being
//! written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_hypercube::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(cube) => assert_eq!(parse("fuzz", write(&cube, "fuzz").as_bytes()).unwrap(), cube),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
