//! Boards of the tile games: whatever is read is written and read back as the same board.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_tiles::format::{Zero, parse, write};
use soloist_tiles::spec::Spec;

fuzz_target!(|data: &[u8]| {
    for zero in [Zero::Auto, Zero::Empty, Zero::Colour] {
        if let Ok(loaded) = parse("fuzz", data, zero) {
            let again = parse("again", write(&loaded.grid).as_bytes(), Zero::Empty).expect("own format");
            assert!(loaded.grid == again.grid);
        }
    }
    if let Ok(spec) = std::str::from_utf8(data).unwrap_or_default().parse::<Spec>() {
        assert!(spec.generate().is_settled());
    }
});
