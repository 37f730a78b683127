//! Playouts: one loop for all policies, compiled once per engine.

use soloist::Rng;

use super::board::Board;
use super::engine::{Engine, KernelTask};
use super::geometry::Geometry;
use super::group::{Body, Links};
use super::ops::Ops;
use super::policy::{
    Cell, Extent, Grow, Pick, Policy, Selective, Tabu, TabuCell, Trials, Uniform, View, draw_color, spin_color,
};
use crate::game::Game;

/// Plays `board` to the end of the game, pushes the moves (smallest cells) and returns the sum of their points, without
/// the points of the end position. Every engine draws the same numbers and plays the same moves; one
/// that this processor lacks is replaced by the portable one.
pub fn playout<G: Geometry>(
    engine: Engine,
    policy: Policy,
    game: Game,
    extent: Extent,
    board: &mut Board<G>,
    rng: &mut Rng,
    moves: &mut Vec<u16>,
) -> i64 {
    let run = Run { engine, game, board, rng, moves };
    match policy {
        Policy::Random => run.with(Uniform),
        Policy::RandomCell => run.with(Cell { extent }),
        Policy::TabuRandom { epsilon } => {
            let tabu = draw_color(run.board, run.rng);
            let trials = Trials::new(epsilon, run.rng);
            run.with(TabuCell { extent, trials, tabu, recompute: false })
        }
        Policy::TabuColor { epsilon } => {
            let tabu = run.board.most_frequent().max(1);
            let trials = Trials::new(epsilon, run.rng);
            run.with(TabuCell { extent, trials, tabu, recompute: true })
        }
        Policy::TabuFixed { epsilon, tabu } => {
            let tabu = if tabu == 0 { run.board.most_frequent().max(1) } else { tabu };
            let trials = Trials::new(epsilon, run.rng);
            run.with(TabuCell { extent, trials, tabu, recompute: false })
        }
        Policy::Roulette => {
            let color = spin_color(run.board, run.rng);
            run.with(Grow { color })
        }
        Policy::Tabu { tabu } => {
            let color = if tabu == 0 { run.board.most_frequent() } else { tabu };
            run.with(Tabu { color })
        }
        Policy::Selective { tabu, played } => run.with(Selective { tabu, played }),
    }
}

/// Uniform playout; see [`playout`].
pub fn random<G: Geometry>(
    engine: Engine,
    game: Game,
    board: &mut Board<G>,
    rng: &mut Rng,
    moves: &mut Vec<u16>,
) -> i64 {
    Run { engine, game, board, rng, moves }.with(Uniform)
}

/// The arguments of a playout but for its policy.
struct Run<'a, G: Geometry> {
    engine: Engine,
    game: Game,
    board: &'a mut Board<G>,
    rng: &'a mut Rng,
    moves: &'a mut Vec<u16>,
}

impl<G: Geometry> Run<'_, G> {
    #[inline]
    fn with<P: Pick<G>>(self, pick: P) -> i64 {
        self.engine.run(Playing { run: self, pick })
    }
}

struct Playing<'a, G: Geometry, P> {
    run: Run<'a, G>,
    pick: P,
}

impl<G: Geometry, P: Pick<G>> KernelTask<G> for Playing<'_, G, P> {
    type Output = i64;

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) -> i64 {
        drive(ops, self.run, self.pick)
    }
}

/// The playout loop.
#[inline(always)]
fn drive<G: Geometry, O: Ops<G>, P: Pick<G>>(ops: O, run: Run<'_, G>, mut pick: P) -> i64 {
    let [square, linear, constant] = run.game.coefficients();
    let mut tiles = ops.load(run.board);
    // A local copy keeps the generator's state in registers.
    let mut rng = run.rng.clone();
    let mut total = 0;
    loop {
        let linked = ops.links(&tiles);
        let links = Links::new(ops, &linked);
        let view = View { ops, tiles: &tiles, linked: &linked, links: &links };
        let Some(group) = pick.pick(&view, &mut rng) else { break };
        let n = i64::from(group.size);
        total += (square * n + linear) * n + constant;
        run.moves.push(group.cell as u16);
        match &group.body {
            Body::Window(window) => ops.remove_window(&mut tiles, group.base, *window),
            Body::Wide(words) => ops.remove(&mut tiles, words),
        }
    }
    *run.board = ops.store(&tiles);
    *run.rng = rng;
    total
}
