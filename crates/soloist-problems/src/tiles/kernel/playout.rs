//! Playouts: one loop for all policies, compiled once per engine.

use soloist::Rng;

use super::board::Board;
use super::engine::Engine;
use super::geometry::Geometry;
use super::group::{Body, Links};
use super::ops::{Ops, Scalar};
use super::policy::{Cell, Extent, Pick, Policy, Selective, Tabu, TabuCell, Uniform, View, draw_colour};
use crate::tiles::rules::Rules;

/// Plays `board` to the end of the game, pushes the moves (smallest cells) and returns the sum of their points, without
/// the points of the end position ([`final_points`]). Every engine draws the same numbers and plays the same moves; one
/// that this processor lacks is replaced by the portable one.
pub fn playout<G: Geometry>(
    engine: Engine,
    policy: Policy,
    rules: Rules,
    extent: Extent,
    board: &mut Board<G>,
    rng: &mut Rng,
    moves: &mut Vec<u16>,
) -> i64 {
    let run = Run { engine, rules, board, rng, moves };
    match policy {
        Policy::Random => run.with(Uniform),
        Policy::RandomCell => run.with(Cell { extent }),
        Policy::TabuRandom { epsilon } => {
            let tabu = draw_colour(run.board, run.rng);
            run.with(TabuCell { extent, epsilon, tabu, counts: None })
        }
        Policy::TabuColor { epsilon, recompute } => {
            let tabu = run.board.most_frequent().max(1);
            let counts = recompute.then(|| run.board.colour_counts());
            run.with(TabuCell { extent, epsilon, tabu, counts })
        }
        Policy::Tabu { tabu } => {
            let colour = if tabu == 0 { run.board.most_frequent() } else { tabu };
            run.with(Tabu { colour })
        }
        Policy::Selective { tabu, played } => run.with(Selective { tabu, played }),
    }
}

/// Points of an end position.
#[must_use]
pub fn final_points<G: Geometry>(board: &Board<G>, rules: Rules) -> i64 {
    rules.final_points(board.colour_counts())
}

/// Uniform playout; see [`playout`].
pub fn random<G: Geometry>(
    engine: Engine,
    rules: Rules,
    board: &mut Board<G>,
    rng: &mut Rng,
    moves: &mut Vec<u16>,
) -> i64 {
    Run { engine, rules, board, rng, moves }.with(Uniform)
}

/// The arguments of a playout but for its policy.
struct Run<'a, G: Geometry> {
    engine: Engine,
    rules: Rules,
    board: &'a mut Board<G>,
    rng: &'a mut Rng,
    moves: &'a mut Vec<u16>,
}

impl<G: Geometry> Run<'_, G> {
    #[inline]
    fn with<P>(self, pick: P) -> i64
    where
        P: Pick<G, Scalar<false>> + Pick<G, G::Bmi2> + Pick<G, G::Avx512>,
    {
        #[cfg(target_arch = "x86_64")]
        if self.engine.is_supported() {
            match self.engine {
                Engine::Portable => {}
                // SAFETY: the processor has the instructions, just asked.
                Engine::Bmi2 => return unsafe { drive_bmi2(self, pick) },
                // SAFETY: as above; AVX-512 implies BMI2 in `is_supported`.
                Engine::Avx512 if !G::HAS_AVX512 => return unsafe { drive_bmi2(self, pick) },
                // SAFETY: as above.
                Engine::Avx512 => return unsafe { drive_avx512(self, pick) },
            }
        }
        drive(Scalar::<false>, self, pick)
    }
}

/// # Safety
/// The processor has what [`Engine::Bmi2`] asks for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt,avx2")]
unsafe fn drive_bmi2<G: Geometry, P: Pick<G, G::Bmi2>>(run: Run<'_, G>, pick: P) -> i64 {
    // SAFETY: the caller's promise.
    drive(unsafe { G::Bmi2::assume() }, run, pick)
}

/// # Safety
/// The processor has what [`Engine::Avx512`] asks for.
#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "bmi1,bmi2,popcnt,lzcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
)]
unsafe fn drive_avx512<G: Geometry, P: Pick<G, G::Avx512>>(run: Run<'_, G>, pick: P) -> i64 {
    // SAFETY: the caller's promise.
    drive(unsafe { G::Avx512::assume() }, run, pick)
}

/// The playout loop.
#[inline(always)]
fn drive<G: Geometry, O: Ops<G>, P: Pick<G, O>>(ops: O, run: Run<'_, G>, mut pick: P) -> i64 {
    let [square, linear, constant] = run.rules.coefficients();
    let mut tiles = ops.load(run.board);
    // A copy of its own keeps the generator's state in registers.
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
