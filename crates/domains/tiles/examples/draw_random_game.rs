//! Plays random moves on a tile board and writes the drawing: `draw_random_game INSTANCE SEED [GAME] > game.svg`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use soloist::Rng;
use soloist_tiles::{Claim, Game, PANELS, Penalty, Zero, game_text, groups, load, play, svg_strip};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(instance), Some(seed)) = (args.first(), args.get(1)) else {
        return Err("usage: draw_random_game INSTANCE SEED [GAME]".into());
    };
    let game = args.get(2).map_or(Ok(Game::SameGame), |name| name.parse())?;
    let start = load(instance, Zero::Auto)?.grid;
    let mut rng = Rng::new(seed.parse()?);
    let mut board = start.clone();
    let mut moves = Vec::new();
    loop {
        let groups = groups(&board);
        if groups.is_empty() {
            break;
        }
        let (row, col) = groups[rng.index(groups.len())][0];
        let claim = Claim { row, col, ..Claim::default() };
        board = play(&board, game, Penalty::default(), &[claim])?.last().clone();
        moves.push(claim);
    }
    let played = play(&start, game, Penalty::default(), &moves)?;
    eprint!("{}", game_text(&played));
    print!("{}", svg_strip(&played, instance.rsplit('/').next().unwrap_or(instance), PANELS));
    Ok(())
}
