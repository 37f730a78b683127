//! The tile games as a [`Problem`].

use super::game::Game;
use super::kernel::group::{Links, flood_lowest};
use super::kernel::ops::Ops;
use super::kernel::{Board, Geometry, KernelTask};
use super::model::{Position, Tiles};
use super::neighborhood::TileEdits;
use super::rollout::{ROLLOUTS, TileRollout};
use soloist::problem::{Entrant, Explain, Extras, Key, KeyHasher, Neighborhood, Prior, ScorePart, StableHasher};
use soloist::rollout::{NamedRollout, Rollout};
use soloist::{Problem, Score};
use std::hash::{Hash, Hasher};

impl<G: Geometry> Problem for Tiles<G> {
    type State = Position<G>;
    /// The smallest cell of the group: column from the left x lane width + row from the bottom.
    type Move = u16;

    fn root(&self) -> Position<G> {
        Position { board: self.start, points: 0, played: 0 }
    }

    fn moves(&self, state: &Position<G>, moves: &mut Vec<u16>) {
        self.engine.for_lists().run(List { board: &state.board, moves });
    }

    fn apply(&self, state: &mut Position<G>, mv: u16) {
        let size = self.engine.for_lists().run(Play { board: &mut state.board, cell: mv });
        state.points += self.game.points(size as usize);
        state.played += 1;
    }

    fn score(&self, state: &Position<G>) -> Score {
        Score::Feasible((state.points + self.end_points(&state.board)) as f64)
    }

    /// The cells of the group and their colour: the same at any time of the game.
    fn code(&self, state: &Position<G>, mv: u16) -> u64 {
        state.board.group_code(mv)
    }

    /// Schadd's over-estimate: every colour leaves in one group; no award while a colour has a single tile.
    fn bound(&self, state: &Position<G>) -> Option<f64> {
        let counts = state.board.color_counts();
        let groups: i64 = counts[1..].iter().map(|&count| self.game.points(count as usize)).sum();
        let end = if counts[1..].contains(&1) {
            // The single tile stays, whatever else goes.
            let singles: Vec<usize> = counts[1..].iter().filter(|&&count| count == 1).map(|_| 1).collect();
            self.game.end_points(self.penalty, &singles)
        } else {
            self.game.end_points(self.penalty, &[])
        };
        Some((state.points + groups + end) as f64)
    }

    /// Points so far, and what every group would bring as it stands.
    fn potential(&self, state: &Position<G>) -> Option<f64> {
        let groups = self.engine.for_lists().run(Worth { board: &state.board, game: self.game });
        Some((state.points + groups) as f64)
    }

    fn key(&self, state: &Position<G>) -> Option<Key> {
        let mut hash = KeyHasher::new();
        for plane in 0..G::PLANES {
            for &word in state.board.planes[plane].as_ref() {
                hash.write_u64(word);
            }
        }
        hash.write_u64(state.points as u64);
        // The size-2 exception of the selective policy looks at the number of moves, the futures do not.
        Some(hash.key())
    }

    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(TileEdits::new(self)))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl<G: Geometry> Extras<Self> for Tiles<G> {
    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }

    /// SameGame: annealing of a population, whose members keep different colours for last. The other games: annealing,
    /// and NRPA with one arm for each colour that may be kept for last. Which one pays differs from board to board, and
    /// shows early.
    ///
    /// SameGame's 20 standard boards with 20 processor seconds each: 84,270 points so, 83,002 without the coolings of
    /// the best game that follow, 83,908 with two fifths of the budget for them (one seed).
    fn portfolio(&self) -> Vec<Entrant> {
        let colors = self.colors().len().max(1);
        let anneal = Entrant::new("anneal").set("reheats", 2);
        let anneal = match self.game {
            Game::SameGame => anneal.set("population", 24).set("finish", 0.8).rollout("tabu-color"),
            Game::Clickomania | Game::BubbleBreaker => anneal.set("arms", colors + 1).set("finish", 0.75),
        };
        let nrpa = Entrant::new("nrpa").set("level", 3).set("playouts", 4).set("arms", colors).rollout("selective");
        vec![anneal, nrpa]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        NamedRollout::list(ROLLOUTS, |_, name| {
            TileRollout::named(name).map(|rollout| Box::new(rollout) as Box<dyn Rollout<Self>>)
        })
    }

    fn fingerprint(&self) -> Option<u64> {
        let mut hash = StableHasher::new();
        hash.write(self.game.name().as_bytes());
        hash.write(self.penalty.name().as_bytes());
        hash.write_u64(self.rows as u64);
        hash.write_u64(G::WORDS as u64);
        self.key(&self.root()).hash(&mut hash);
        Some(hash.finish())
    }
}

impl<G: Geometry> Prior<Tiles<G>> for Tiles<G> {
    /// The sum of `terms`.
    fn bias(&self, state: &Position<G>, mv: u16) -> f64 {
        let [size, kept] = self.terms(state, mv);
        size + kept
    }

    /// Two terms: the group's tiles beyond two, at most 8 of them; and -1 if its colour is the start board's most
    /// frequent one, the colour that the selective policy keeps for last.
    fn terms(&self, state: &Position<G>, mv: u16, terms: &mut Vec<f64>) {
        terms.extend(self.terms(state, mv));
    }
}

/// Lists the groups of a board.
struct List<'a, G: Geometry> {
    board: &'a Board<G>,
    moves: &'a mut Vec<u16>,
}

impl<G: Geometry> KernelTask<G> for List<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) {
        for_groups(ops, self.board, |cell, _| self.moves.push(cell as u16));
    }
}

/// Adds up the points of all groups.
struct Worth<'a, G: Geometry> {
    board: &'a Board<G>,
    game: Game,
}

impl<G: Geometry> KernelTask<G> for Worth<'_, G> {
    type Output = i64;

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) -> i64 {
        let mut sum = 0;
        for_groups(ops, self.board, |_, group| {
            let size: u32 = group.iter().map(|word| word.count_ones()).sum();
            sum += self.game.points(size as usize);
        });
        sum
    }
}

/// Calls `found` with the smallest cell and the cells of each group, in the order of these cells.
#[inline(always)]
fn for_groups<G: Geometry, O: Ops<G>>(ops: O, board: &Board<G>, mut found: impl FnMut(usize, &[u64])) {
    let linked = ops.links(&ops.load(board));
    let links = Links::new(ops, &linked);
    let mut rest = ops.words(ops.cells(&linked));
    for w in 0..G::WORDS {
        while rest[w] != 0 {
            let cell = w * 64 + rest[w].trailing_zeros() as usize;
            let group = flood_lowest(ops, &links, cell).mask();
            found(cell, group.as_ref());
            for i in w..G::WORDS {
                rest[i] &= !group[i];
            }
        }
    }
}

/// Plays a legal move, given by its smallest cell; returns the size of the group.
struct Play<'a, G: Geometry> {
    board: &'a mut Board<G>,
    cell: u16,
}

impl<G: Geometry> KernelTask<G> for Play<'_, G> {
    type Output = u32;

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) -> u32 {
        let links = Links::new(ops, &ops.links(&ops.load(self.board)));
        let group = flood_lowest(ops, &links, usize::from(self.cell));
        ops.remove_from(self.board, &group);
        group.size
    }
}

impl<G: Geometry> Explain<Self> for Tiles<G> {
    fn parts(&self, state: &Position<G>) -> Vec<ScorePart> {
        let left: u32 = state.board.color_counts()[1..].iter().sum();
        let mut parts: Vec<ScorePart> = vec![("groups".into(), state.points as f64)];
        if self.game == Game::SameGame {
            let name = if left == 0 { "award of a cleared board" } else { "penalty" };
            parts.push((name.into(), self.end_points(&state.board) as f64));
        }
        parts.push(("tiles left".into(), f64::from(left)));
        parts
    }
}
