//! Searches that make beams one after the other.

use super::model::Snakes;
use super::width::by_width;
use super::{canonical, flips_along};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use soloist::problem::{ProblemSearch, StepStatus, Work};
use soloist::rollout::replayed;
use soloist::run::CheckpointError;
use soloist::{Problem, Rng, Score};
use std::fmt::Debug;

/// The most bytes of the paths of one length in a beam, but for lists of moves.
const MOST_BYTES: u64 = 1 << 26;

/// A search that decides what the next beam is to be when one has ended.
pub(super) trait Beams: Send {
    /// All that is remembered from beam to beam.
    type Progress: Debug + Serialize + DeserializeOwned;
    /// What a beam is to be: with the problem it determines the beam.
    type Task: Debug + Send + Serialize + DeserializeOwned;
    /// A beam that is being made.
    type Running: Debug + Send;

    /// Finds a first solution, if there is none yet.
    fn begin(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>);

    /// Chooses the next beam.
    fn choose(&mut self, problem: &Snakes, rng: &mut Rng) -> Self::Task;

    /// Returns the beam of a task before its first path is continued.
    fn start(&self, problem: &Snakes, task: &Self::Task) -> Self::Running;

    /// Continues the next path. Returns false if the beam has ended.
    fn advance(&self, problem: &Snakes, task: &Self::Task, running: &mut Self::Running) -> bool;

    /// Uses what a beam has found.
    fn end(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>, task: &Self::Task, running: &Self::Running);

    /// As [`ProblemSearch::offer`].
    fn offer(&mut self, problem: &Snakes, moves: &[u8], score: Score);

    /// As [`ProblemSearch::gauges`].
    fn gauges(&self) -> Vec<(&'static str, f64)>;

    fn progress(&self) -> &Self::Progress;

    /// Continues from sound progress.
    fn restore(&mut self, progress: Self::Progress);

    /// Whether everything read from a checkpoint fits the cube. What it remembers is played by the rules.
    fn is_sound(&self, problem: &Snakes, progress: &Self::Progress, task: Option<&Self::Task>) -> bool;
}

/// Makes the beams of a search path by path, so that a run can be cut anywhere. A checkpoint holds the task and the
/// number of paths that were continued; the beam is made again from them.
#[derive(Debug)]
pub(super) struct OneByOne<S: Beams> {
    search: S,
    /// The beam that is being made, and the number of paths that were continued for it.
    task: Option<(S::Task, u64)>,
    /// `None`: it is to be made from the beginning.
    beam: Option<S::Running>,
    /// Paths of it that were continued before a checkpoint and are still to be continued again.
    again: u64,
}

impl<S: Beams> OneByOne<S> {
    pub(super) fn new(search: S) -> Self {
        Self { search, task: None, beam: None, again: 0 }
    }
}

impl<S: Beams> ProblemSearch<Snakes> for OneByOne<S> {
    fn step(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>) -> StepStatus {
        self.search.begin(problem, work);
        loop {
            let (task, mut made) = match self.task.take() {
                Some(task) => task,
                None => (self.search.choose(problem, work.rng()), 0),
            };
            let mut running = match self.beam.take() {
                Some(running) => running,
                None => self.search.start(problem, &task),
            };
            while self.again > 0 && !(self.again.is_multiple_of(8) && work.is_cut()) {
                // Bytes from outside may count more paths than there are.
                self.again = if self.search.advance(problem, &task, &mut running) { self.again - 1 } else { 0 };
            }
            let mut ended = false;
            while self.again == 0 && !ended && work.next_unit() {
                ended = !self.search.advance(problem, &task, &mut running);
                made += u64::from(!ended);
            }
            if !ended {
                (self.task, self.beam) = (Some((task, made)), Some(running));
                return StepStatus::Running;
            }
            self.search.end(problem, work, &task, &running);
        }
    }

    fn offer(&mut self, problem: &Snakes, moves: &[u8], score: Score) {
        self.search.offer(problem, moves, score);
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        self.search.gauges()
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&(self.search.progress(), &self.task)).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, problem: &Snakes, bytes: &[u8]) -> Result<(), CheckpointError> {
        const WRONG: CheckpointError = CheckpointError::Corrupt("a search of another cube");
        type Saved<S> = (<S as Beams>::Progress, Option<(<S as Beams>::Task, u64)>);
        let Ok(((progress, task), [])) = postcard::take_from_bytes::<Saved<S>>(bytes) else { return Err(WRONG) };
        if !self.search.is_sound(problem, &progress, task.as_ref().map(|(task, _)| task)) {
            return Err(WRONG);
        }
        self.search.restore(progress);
        self.again = task.as_ref().map_or(0, |(_, made)| *made);
        (self.task, self.beam) = (task, None);
        Ok(())
    }
}

/// The best solution so far: its moves and its length; `None` before the first step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Best(pub(super) Option<(Vec<u8>, u32)>);

impl Best {
    /// Whether a solution of this length would replace it. One as long as the best does, so that sections vary.
    pub(super) fn yields_to(&self, length: u32) -> bool {
        self.0.as_ref().is_none_or(|&(_, best)| length >= best)
    }

    /// Takes a solution, unless it is shorter.
    pub(super) fn take(&mut self, moves: Vec<u8>, score: Score) {
        let length = score.value().unwrap_or(0.0) as u32;
        if self.yields_to(length) {
            self.0 = Some((moves, length));
        }
    }

    /// The moves; none before the first step.
    pub(super) fn moves(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |(moves, _)| moves)
    }

    /// The length; 0 before the first step.
    pub(super) fn length(&self) -> u32 {
        self.0.as_ref().map_or(0, |&(_, length)| length)
    }

    /// Whether it is a solution of its length.
    pub(super) fn is_sound(&self, problem: &Snakes) -> bool {
        self.0.as_ref().is_none_or(|(moves, length)| {
            let end = replayed(problem, &problem.root(), moves);
            end.is_some_and(|path| problem.score(&path).value() == Some(f64::from(*length)))
        })
    }
}

/// Plays a solution and hands it to the run. Returns its moves and its score.
pub(super) fn play(problem: &Snakes, work: &mut Work<'_, Snakes>, flips: &[u8]) -> Option<(Vec<u8>, Score)> {
    let moves = finished(problem, flips);
    let score = work.found(&moves)?;
    Some((moves, score))
}

/// Returns the moves of a finished path. Where `flips` are not legal any more, and behind them, the first legal bits
/// are flipped.
pub(super) fn finished(problem: &Snakes, flips: &[u8]) -> Vec<u8> {
    let (mut path, mut moves, mut left) = (problem.root(), Vec::new(), flips.iter());
    loop {
        let legal = problem.legal(&path);
        if legal == 0 {
            break;
        }
        let wanted = left.next().filter(|&&flip| legal >> flip & 1 == 1);
        let flip = wanted.copied().unwrap_or(legal.trailing_zeros() as u8);
        if wanted.is_none() {
            left = [].iter();
        }
        moves.push(flip);
        problem.apply(&mut path, flip);
    }
    moves
}

/// The most paths of a beam.
pub(super) fn most_width(problem: &Snakes) -> u64 {
    // A set of vertices, and what else a path with its images is made of.
    MOST_BYTES / by_width!(&problem.root => path; size_of_val(&path.blocked) + 24) as u64
}

/// The flips up to the first one that is not legal.
pub(super) fn legal_part(problem: &Snakes, mut flips: Vec<u8>) -> Vec<u8> {
    let mut path = problem.root();
    let legal = flips.iter().position(|&flip| {
        let is_wrong = flip > 15 || problem.legal(&path) >> flip & 1 == 0;
        if !is_wrong {
            problem.apply(&mut path, flip);
        }
        is_wrong
    });
    flips.truncate(legal.unwrap_or(flips.len()));
    flips
}

/// Draws a section of a path: from one of its ends, at most `most` flips, in canonical form.
pub(super) fn section(mut flips: Vec<u8>, most: usize, rng: &mut Rng) -> Vec<u8> {
    if rng.chance(0.5) {
        flips.reverse();
    }
    flips.truncate(rng.index(most + 1));
    canonical(flips)
}

/// The bits flipped around a cycle.
pub(super) fn flips_around(nodes: &[u32]) -> Vec<u8> {
    flips_along(&[nodes, &nodes[..nodes.len().min(1)]].concat())
}

/// Asserts that progress is read back from its bytes, and that damaged ones are refused or harmless.
#[cfg(test)]
pub(super) fn check_damaged_bytes<S: Beams>(
    problem: &Snakes,
    fresh: impl Fn() -> S,
    progress: S::Progress,
    task: S::Task,
) {
    let mut search = OneByOne::new(fresh());
    search.search.restore(progress);
    search.task = Some((task, 3));
    let bytes = search.save();
    let is_read = |bytes: &[u8]| {
        let mut search = OneByOne::new(fresh());
        let is_read = search.load(problem, bytes).is_ok();
        if let Some((task, _)) = search.task.filter(|_| is_read) {
            let mut running = search.search.start(problem, &task);
            for _ in 0..20 {
                search.search.advance(problem, &task, &mut running);
            }
        }
        is_read
    };
    assert!(is_read(&bytes));
    let mut refused = 0;
    for at in 0..bytes.len() {
        for flip in [1, 0x15, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            refused += u32::from(!is_read(&damaged));
        }
    }
    assert!(refused > 20, "{refused}");
    assert!(!is_read(b"nonsense"));
}
