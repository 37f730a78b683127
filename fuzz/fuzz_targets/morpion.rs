//! Games of Morpion Solitaire in Pentasol notation: what is read is written and read back as the same game; and the
//! verifier gives a verdict on any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_morpion::{Game, Variant, check, parse, write};

fuzz_target!(|bytes: &[u8]| {
    for variant in [None, Some(Variant::T5), Some(Variant::D4)] {
        match parse("fuzz", bytes, variant) {
            Ok(game) => assert_eq!(parse("again", write(&game).as_bytes(), None).unwrap(), game),
            Err(error) => assert_eq!(error.to_string().lines().count(), 1),
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        match check(&Game::of(Variant::D5), text) {
            // No longer game is possible.
            Ok(checked) => assert!(checked.score <= 84.0),
            Err(message) => assert_eq!(message.lines().count(), 1),
        }
    }
});
