//! Solutions of the tile games, result JSON and plain lists, read and verified on a small board.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_tiles::{Game, generate, parse_solution, verify};

fuzz_target!(|data: &[u8]| {
    let grid = generate("random:5x5x3:1").expect("a spec");
    if let Ok(solution) = parse_solution("fuzz", data, grid.rows()) {
        for game in Game::ALL {
            // Valid or not: never a panic.
            let _ = verify(&grid, game, None, &solution);
        }
    }
});
