//! Local search on finished games: a game is a list of clicks, each on a tile that is known by where it stood at the
//! start.
//!
//! An edit changes the list at one place: another group is played there, a click is left out, or a click is made
//! earlier or later. The rest of the list is played again from there. A click removes the group that its tile is part
//! of by then. A click on a tile that is gone is passed over. A tile without an equal neighbour waits in a short list
//! and is tried again after each move. Random moves end the game. The edit is abandoned as soon as the game can no
//! longer pass the threshold. The replay stops at a board of the present game from which the same clicks follow; clicks
//! that wait then are dropped.
//!
//! An uncleared board is valued by `1000 exp(-n / 6)` for `n` tiles left, where the score has 1000 or nothing: one tile
//! less is then worth something. The solution kept is the one with the best score.
//!
//! Cost of an edit: some 20 moves on average on boards of 15 x 15, at 60 ns each. Memory: a board for each click.

use crate::game::Game;
use crate::kernel::numbered::Numbered;
use crate::kernel::ops::Ops;
use crate::kernel::{Geometry, Group, KernelTask, geometry};
use crate::model::Tiles;
use soloist::problem::{Acceptance, Edits, Neighborhood};
use soloist::run::CheckpointError;
use soloist::{Rng, Score};

/// Clicks that wait at the same time, at most.
const WAITING: usize = 4;
/// Largest distance, in moves, of a click that is moved a little.
const NEAR: usize = 6;
/// Tiles left by which the award falls by the factor e.
const SLOPE: f64 = 6.0;

/// The kinds of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Another group is played before a click.
    Insert,
    /// Another group is played instead of a click.
    Replace,
    /// A click is left out.
    Remove,
    /// A click is moved by at most [`NEAR`] places.
    Shift,
    /// A click is moved anywhere.
    Move,
}

impl Kind {
    /// Draws a kind: 30, 10, 20, 27 and 13 % in the order above.
    #[inline(always)]
    fn draw(rng: &mut Rng) -> Self {
        match rng.below(30) {
            0..9 => Self::Insert,
            9..12 => Self::Replace,
            12..18 => Self::Remove,
            18..26 => Self::Shift,
            _ => Self::Move,
        }
    }
}

/// A game that is edited in place.
#[derive(Debug)]
pub struct TileEdits<G: Geometry> {
    /// The clicks of the present game.
    clicks: Vec<u16>,
    /// The boards before each click, and the last one.
    boards: Vec<Numbered<G>>,
    /// What the end of the present game is worth: penalties and the smooth award.
    award: f64,
    /// The points at the end of the present game.
    end: i64,
    /// The variant: which colour random moves keep for last, if any.
    variant: usize,
    trial: Trial<G>,
    /// The award for each number of tiles left.
    awards: Vec<f64>,
}

/// The edited game from the first edited place on.
#[derive(Debug)]
struct Trial<G: Geometry> {
    first: usize,
    clicks: Vec<u16>,
    boards: Boards<G>,
    /// The place of the present game from which both continue with the same moves.
    met: Option<usize>,
    award: f64,
    end: i64,
    /// What is to be played after the edit.
    plan: Vec<u16>,
}

/// The boards before each click of a game, and the last one. Their places stay when another game begins, so that a
/// board is written where it is kept.
#[derive(Debug)]
struct Boards<G: Geometry> {
    places: Vec<Numbered<G>>,
    count: usize,
}

impl<G: Geometry> Boards<G> {
    /// Returns the start board alone.
    fn new(problem: &Tiles<G>) -> Self {
        Self { places: vec![Numbered::new(problem.start(), problem.game())], count: 1 }
    }

    /// Begins with this board alone.
    #[inline(always)]
    fn begin(&mut self, board: &Numbered<G>) {
        self.places[0].copy_from(board);
        self.count = 1;
    }

    /// The last board.
    #[inline(always)]
    fn top(&self) -> &Numbered<G> {
        &self.places[self.count - 1]
    }

    /// Plays a group of the last board on a copy of it, which becomes the last one.
    #[inline(always)]
    fn play<O: Ops<G>>(&mut self, ops: O, game: Game, group: &Group<G>) {
        if self.count == self.places.len() {
            self.grow();
        }
        let (before, behind) = self.places.split_at_mut(self.count);
        let board = &mut behind[0];
        board.copy_from(&before[self.count - 1]);
        board.play(ops, game, group);
        self.count += 1;
    }

    #[cold]
    fn grow(&mut self) {
        self.places.push(self.places[0]);
    }

    fn all(&self) -> &[Numbered<G>] {
        &self.places[..self.count]
    }
}

impl<G: Geometry> TileEdits<G> {
    /// Returns edits that have no game yet.
    #[must_use]
    pub fn new(problem: &Tiles<G>) -> Self {
        let award = |left: u32| match problem.game() {
            Game::SameGame => 1000.0 * libm::exp(-f64::from(left) / SLOPE),
            Game::Clickomania | Game::BubbleBreaker => 0.0,
        };
        Self {
            clicks: Vec::new(),
            boards: Vec::new(),
            award: 0.0,
            end: 0,
            variant: 0,
            trial: Trial {
                first: 0,
                clicks: Vec::new(),
                boards: Boards::new(problem),
                met: None,
                award: 0.0,
                end: 0,
                plan: Vec::new(),
            },
            awards: (0..=problem.start().tiles()).map(award).collect(),
        }
    }

    /// The value of the present game: its score, with the smooth award.
    fn value(&self) -> f64 {
        self.boards.last().map_or(0.0, |last| f64::from(last.points)) + self.award
    }

    /// The colour that random moves keep for last; 0: no colour.
    fn kept(&self, problem: &Tiles<G>) -> u8 {
        problem.colors().get(self.variant).copied().unwrap_or(0)
    }
}

/// Returns what the end of a game is worth to the search, and its points at the end.
fn worth<G: Geometry>(problem: &Tiles<G>, awards: &[f64], last: &Numbered<G>) -> (f64, i64) {
    let end = problem.end_points(&last.board);
    let award = awards[last.board.tiles() as usize];
    let smooth = match problem.game() {
        Game::SameGame if last.board.is_cleared() => award,
        Game::SameGame => award + end as f64,
        Game::Clickomania | Game::BubbleBreaker => end as f64,
    };
    (smooth, end)
}

/// Makes an edit; see [`Edits::propose`].
struct Propose<'a, 'b, G: Geometry> {
    edits: &'a mut TileEdits<G>,
    problem: &'a Tiles<G>,
    acceptance: &'a mut Acceptance<'b>,
}

impl<G: Geometry> KernelTask<G> for Propose<'_, '_, G> {
    type Output = Option<f64>;

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) -> Option<f64> {
        let Self { edits, problem, acceptance } = self;
        let (game, kept) = (problem.game(), edits.kept(problem));
        let value = edits.value();
        let floor = value - acceptance.limit();
        let rng = &mut *acceptance.rng;
        let TileEdits { clicks, boards, award, end, trial, awards, .. } = edits;
        let hopeless = |board: &Numbered<G>| f64::from(board.points + board.hope) + awards[0] <= floor;
        let (behind, skip) = edit(ops, game, kept, clicks, boards, trial, rng)?;
        let Trial { clicks: made, boards: passed, met, plan, .. } = trial;
        let (mut waiting, mut waits) = ([0_u16; WAITING], 0);
        let mut head = 0;
        loop {
            if hopeless(passed.top()) {
                return None;
            }
            if head >= behind && head < plan.len() {
                let (here, there) = (passed.top(), &boards[head + skip]);
                if here.is_level(there) {
                    *met = Some(head + skip);
                    let change = f64::from(here.points - there.points);
                    (trial.award, trial.end) = (*award, *end);
                    return Some(-change);
                }
            }
            let Some(&click) = plan.get(head) else { break };
            head += 1;
            let Some(cell) = passed.top().find(click) else { continue };
            let group = passed.top().group(ops, cell);
            if group.size < 2 {
                if waits < WAITING {
                    waiting[waits] = click;
                    waits += 1;
                }
                continue;
            }
            passed.play(ops, game, &group);
            made.push(click);
            let mut at = 0;
            while at < waits {
                let click = waiting[at];
                if let Some(cell) = passed.top().find(click) {
                    let group = passed.top().group(ops, cell);
                    if group.size < 2 {
                        at += 1;
                        continue;
                    }
                    passed.play(ops, game, &group);
                    made.push(click);
                }
                waiting.copy_within(at + 1..waits, at);
                waits -= 1;
            }
        }
        while let Some(cell) = passed.top().draw(ops, kept, |count| rng.index(count)) {
            made.push(passed.top().tile(ops, cell));
            let group = passed.top().group(ops, cell);
            passed.play(ops, game, &group);
            if hopeless(passed.top()) {
                return None;
            }
        }
        (trial.award, trial.end) = worth(problem, awards, passed.top());
        Some(value - (f64::from(passed.top().points) + trial.award))
    }
}

/// Begins a trial: plays what is new and plans what follows. Returns (behind, skip): from place `behind` of the plan
/// on, it is the present game from place `behind + skip` on. `None`: the edit changes nothing.
#[inline(always)]
fn edit<G: Geometry, O: Ops<G>>(
    ops: O,
    game: Game,
    kept: u8,
    clicks: &[u16],
    boards: &[Numbered<G>],
    trial: &mut Trial<G>,
    rng: &mut Rng,
) -> Option<(usize, usize)> {
    let Trial { first, clicks: made, boards: passed, met, plan, .. } = trial;
    made.clear();
    plan.clear();
    *met = None;
    let count = clicks.len();
    if count == 0 {
        return None;
    }
    let at = rng.index(count);
    let kind = Kind::draw(rng);
    let to = match kind {
        Kind::Insert | Kind::Replace => {
            let board = &boards[at];
            let cell = board.draw(ops, kept, |count| rng.index(count))?;
            *first = at;
            passed.begin(board);
            made.push(board.tile(ops, cell));
            passed.play(ops, game, &board.group(ops, cell));
            let next = if kind == Kind::Replace { at + 1 } else { at };
            plan.extend_from_slice(&clicks[next..]);
            return Some((0, next));
        }
        Kind::Remove => {
            *first = at;
            passed.begin(&boards[at]);
            plan.extend_from_slice(&clicks[at + 1..]);
            return Some((0, at + 1));
        }
        Kind::Shift => {
            let by = 1 + rng.index(NEAR);
            if rng.below(2) == 0 { at.saturating_sub(by) } else { (at + by).min(count - 1) }
        }
        Kind::Move => rng.index(count),
    };
    if to == at {
        return None;
    }
    let (low, high) = (at.min(to), at.max(to));
    *first = low;
    passed.begin(&boards[low]);
    plan.extend_from_slice(&clicks[low..]);
    let part = &mut plan[..=high - low];
    if to > at {
        part.rotate_left(1);
    } else {
        part.rotate_right(1);
    }
    Some((part.len(), low))
}

impl<G: Geometry> Edits<Tiles<G>> for TileEdits<G> {
    fn propose(&mut self, problem: &Tiles<G>, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        problem.engine().for_lists().run(Propose { edits: self, problem, acceptance })
    }

    fn accept(&mut self, _: &Tiles<G>) {
        let Self { clicks, boards, award, end, trial, .. } = self;
        if let Some(met) = trial.met {
            let change = trial.boards.top().points - boards[met].points;
            if change != 0 {
                boards[met + 1..].iter_mut().for_each(|board| board.points += change);
            }
            clicks.splice(trial.first..met, trial.clicks.iter().copied());
            boards.splice(trial.first..=met, trial.boards.all().iter().copied());
        } else {
            clicks.truncate(trial.first);
            clicks.extend_from_slice(&trial.clicks);
            boards.truncate(trial.first);
            boards.extend_from_slice(trial.boards.all());
        }
        (*award, *end) = (trial.award, trial.end);
    }

    fn reject(&mut self, _: &Tiles<G>) {}
}

/// Plays clicks from the start. Returns the boards; fewer where a click is on no group.
struct Replay<'a, G: Geometry> {
    problem: &'a Tiles<G>,
    clicks: &'a [u16],
}

impl<G: Geometry> KernelTask<G> for Replay<'_, G> {
    type Output = Vec<Numbered<G>>;

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) -> Vec<Numbered<G>> {
        let mut boards = Boards::new(self.problem);
        for &click in self.clicks {
            let Some(cell) = boards.top().find(click) else { break };
            let group = boards.top().group(ops, cell);
            if group.size < 2 {
                break;
            }
            boards.play(ops, self.problem.game(), &group);
        }
        boards.places
    }
}

/// Turns moves, cells of their time, into clicks. Returns them with the boards before each, and the last one.
struct Clicks<'a, G: Geometry> {
    problem: &'a Tiles<G>,
    moves: &'a [u16],
}

impl<G: Geometry> KernelTask<G> for Clicks<'_, G> {
    type Output = (Vec<u16>, Vec<Numbered<G>>);

    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) -> Self::Output {
        let (mut clicks, mut boards) = (Vec::new(), Boards::new(self.problem));
        for &cell in self.moves {
            let (board, cell) = (boards.top(), usize::from(cell));
            clicks.push(board.tile(ops, cell));
            let group = board.group(ops, cell);
            boards.play(ops, self.problem.game(), &group);
        }
        (clicks, boards.places)
    }
}

impl<G: Geometry> Neighborhood<Tiles<G>> for TileEdits<G> {
    fn start(&mut self, problem: &Tiles<G>, moves: &[u16]) -> bool {
        (self.clicks, self.boards) = problem.engine().for_lists().run(Clicks { problem, moves });
        (self.award, self.end) = worth(problem, &self.awards, &self.boards[moves.len()]);
        !moves.is_empty()
    }

    fn cost(&self, _: &Tiles<G>) -> f64 {
        -self.value()
    }

    fn score(&self, _: &Tiles<G>) -> Option<Score> {
        let points = self.boards.last().map_or(0, |board| i64::from(board.points));
        Some(Score::Feasible((points + self.end) as f64))
    }

    fn moves(&self, _: &Tiles<G>, moves: &mut Vec<u16>) {
        for (&click, board) in self.clicks.iter().zip(&self.boards) {
            let cell = board.find(click).map(|cell| board.board.group_mask(cell as u16));
            moves.extend(cell.and_then(|mask| geometry::lowest::<G>(&mask)).map(|cell| cell as u16));
        }
    }

    /// In SameGame the award of a cleared board.
    fn unit(&self, problem: &Tiles<G>) -> Option<f64> {
        (problem.game() == Game::SameGame).then_some(1000.0)
    }

    /// One for each colour that random moves keep for last, the most frequent first, and one that keeps no colour.
    fn variants(&self, problem: &Tiles<G>) -> usize {
        problem.colors().len() + 1
    }

    fn set_variant(&mut self, _: &Tiles<G>, variant: usize) {
        self.variant = variant;
    }

    fn save(&self) -> Vec<u8> {
        let numbers = [self.variant as u16].into_iter().chain(self.clicks.iter().copied());
        numbers.flat_map(u16::to_le_bytes).collect()
    }

    fn load(&mut self, problem: &Tiles<G>, bytes: &[u8]) -> Result<(), CheckpointError> {
        let damaged = CheckpointError::Corrupt("the clicks of a game");
        let numbers: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let Some((&variant, clicks)) = numbers.split_first() else { return Err(damaged) };
        let known = clicks.iter().all(|&click| u32::from(click) < G::COLUMNS as u32 * G::LANE);
        if !bytes.len().is_multiple_of(2) || !known || usize::from(variant) >= self.variants(problem) {
            return Err(damaged);
        }
        // Any tile of a group stands for the group's removal: the clicks decide what later edits do.
        let boards = problem.engine().for_lists().run(Replay { problem, clicks });
        if boards != self.boards || boards.len() != clicks.len() + 1 {
            return Err(damaged);
        }
        (self.variant, self.clicks) = (usize::from(variant), clicks.to_vec());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
