//! The readers of vehicle routing: any bytes give an instance or a one-line error, and an instance survives being
//! written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_routing::vrptw::{parse, write};

fuzz_target!(|bytes: &[u8]| {
    match parse("fuzz", bytes) {
        Ok(instance) => {
            let again = parse("fuzz", write(&instance).as_bytes()).unwrap();
            assert_eq!((again.sites, again.capacity, again.edges), (instance.sites, instance.capacity, instance.edges));
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
