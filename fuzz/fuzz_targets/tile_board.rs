//! Boards of the tile games: whatever is read is written and read back as the same board.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_tiles::{Zero, generate, parse, write};

fuzz_target!(|data: &[u8]| {
    for zero in [Zero::Auto, Zero::Empty, Zero::Color] {
        if let Ok(board) = parse("fuzz", data, zero) {
            let again = parse("again", write(&board.grid).as_bytes(), Zero::Empty).expect("own format");
            assert!(board.grid == again.grid);
        }
    }
    if let Ok(board) = generate(std::str::from_utf8(data).unwrap_or_default()) {
        assert!(board.is_settled());
    }
});
