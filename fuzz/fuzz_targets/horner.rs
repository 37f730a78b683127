//! The reader of expressions: any bytes give a system or a one-line error, and the code of a system computes the
//! system.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_expressions::{Header, Language, Stop, emit, parse, simplify, verify_code};

fuzz_target!(|bytes: &[u8]| {
    for expand in [true, false] {
        match parse("fuzz", bytes, expand) {
            Ok(system) if system.terms() < 200 => {
                let best = simplify(&system, &[], true, Stop::never());
                let (order, input) = (&best.order[..], system.counts());
                let header = Header { function: "f", source: "fuzz", input, order, exceptions: 0 };
                let code = emit(&system, &best.program, Language::C, &header);
                match verify_code(&system, &code, Language::C) {
                    Ok(verified) => assert_eq!(verified.counts, best.program.counts()),
                    Err(message) => assert_eq!(message, "every point that was tried divides by zero"),
                }
            }
            Ok(_) => {}
            Err(error) => assert_eq!(error.to_string().lines().count(), 1),
        }
    }
});
