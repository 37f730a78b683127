//! The reader of numbers: any bytes give an instance or a one-line error, and an instance survives being written and
//! read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_partition::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(numbers) => assert_eq!(parse("fuzz", write(&numbers).as_bytes()).unwrap(), numbers),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
