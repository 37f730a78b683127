//! The method `learned`: beams whose ranking is learned from beam to beam.

use super::Kind;
use super::beam::Beam;
use super::model::Snakes;
use super::one_by_one::{Beams, Best, OneByOne, after, flips_of, legal_part, most_width, play, section};
use super::weights::{Belief, Weights, are_weights};
use serde::{Deserialize, Serialize};
use soloist::problem::{ProblemSearch, SearchInfo, Unit, Work};
use soloist::search::ParameterValues;
use soloist::{Rng, Score};

soloist::parameter_table! {
    /// How wide the beams are, and how many there are.
    pub struct Generations {
        /// paths of the first beams; the width doubles after every eight generations, and every four restarts the
        /// first beams become twice as wide. A beam that is not finished has found nothing
        width: u64 = 20, 1..=10_000;
        /// beams of a generation; the quarter with the longest paths changes the belief
        beams: u64 = 24, 4..=10_000;
        /// doublings of the width before the search restarts with a new belief
        doublings: u64 = 4, 1..=10;
    }
}

/// Name and description of the method.
pub(crate) const LEARNED: SearchInfo = SearchInfo::new::<Generations>(
    "learned",
    "beams that weigh the vertices within reach, with weights learned from beam to beam",
    "R. Y. Rubinstein, Methodology and Computing in Applied Probability 1, 1999 (the cross-entropy method); the weights are ours",
    // Each path is a snake as far as it goes, so that a limit of playouts ends a run too.
    Unit::Solution("paths continued"),
);

/// Generations of beams of one width.
const EACH: u64 = 8;
/// Restarts after which the width of the first beams doubles, and the most such doublings.
const WIDER: (u64, u64) = (4, 10);

/// Returns the method.
pub(crate) fn make<const W: usize>(
    problem: &Snakes<W>,
    settings: &ParameterValues,
) -> Option<Box<dyn ProblemSearch<Snakes<W>>>> {
    let generations = settings.read().ok()?;
    let progress = Progress::new(problem.dimension as usize);
    Some(Box::new(OneByOne::new(Learned { generations, progress })))
}

/// A beam that is to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Task {
    /// The flips that its paths begin with. `None`: the paths begin at the root, and the belief learns from the beam.
    section: Option<Vec<u8>>,
    /// Its weights, in the order of [`Belief`].
    values: Vec<f64>,
    width: u64,
    seed: u64,
}

/// How far the search has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Progress {
    best: Best,
    belief: Belief,
    /// Times that everything began again.
    restarts: u64,
    /// Generations since then.
    generation: u64,
    /// The beams of this one: their lengths and weights.
    beams: Vec<(u32, Vec<f64>)>,
    /// Beams from sections that are to be made before the next generation.
    sections: u64,
}

impl Progress {
    fn new(dimension: usize) -> Self {
        let belief = Belief::new(dimension);
        Self { best: Best::default(), belief, restarts: 0, generation: 0, beams: Vec::new(), sections: 0 }
    }
}

/// Beams that rank a path by the vertices that its head can still reach, where a vertex counts by the number of its
/// neighbours within reach and by its distance from the start.
///
/// A *generation* of beams has weights drawn from normal distributions, the *belief*. The quarter with the longest
/// paths moves the belief (the cross-entropy method). Weights are judged by the paths that they lead to, in this cube
/// and at this width. Beams with different weights also begin differently, so that many beginnings are tried. After
/// eight generations beams are twice as wide; after some doublings the search restarts.
///
/// After a generation, a quarter as many further beams begin with a part of the longest path or cycle so far. The
/// belief does not learn from them.
#[derive(Debug)]
struct Learned {
    generations: Generations,
    progress: Progress,
}

impl Learned {
    /// The width of the beams of this generation: no more than have room.
    fn width<const W: usize>(&self, dimension: usize) -> u64 {
        let (every, most) = WIDER;
        let doublings = (self.progress.restarts / every).min(most) + self.progress.generation / EACH;
        (self.generations.width << doublings).min(room::<W>(dimension))
    }

    /// Ends a generation.
    fn learn(&mut self, dimension: usize) {
        let progress = &mut self.progress;
        // The sort keeps equal beams in the order of their making.
        progress.beams.sort_by_key(|&(length, _)| std::cmp::Reverse(length));
        let count = progress.beams.len() / 4;
        let best: Vec<Vec<f64>> = progress.beams.drain(..).take(count).map(|(_, values)| values).collect();
        progress.belief.learn(&best);
        progress.generation += 1;
        progress.sections = count as u64;
        if progress.generation == EACH * (self.generations.doublings + 1) {
            (progress.belief, progress.generation) = (Belief::new(dimension), 0);
            progress.restarts = progress.restarts.saturating_add(1);
        }
    }

    /// A part of the best path, from one of its ends, or of the best cycle, as far as `problem` allows it.
    fn section<const W: usize>(&self, problem: &Snakes<W>, rng: &mut Rng) -> Vec<u8> {
        let moves = self.progress.best.moves();
        if !problem.prefix.is_empty() {
            return moves[..rng.index(moves.len() + 1)].to_vec();
        }
        let mut flips = moves.to_vec();
        if problem.kind == Kind::Coil {
            flips = flips_of(&problem.answer(moves));
            let count = flips.len();
            flips.rotate_left(rng.index(count));
        }
        let most = flips.len();
        legal_part(problem, section(flips, most, rng))
    }
}

/// The most paths of a beam: those of one length fit into memory, and so do the moves of all.
fn room<const W: usize>(dimension: usize) -> u64 {
    // A path has fewer moves than there are vertices, and a move has 8 bytes: 256 MiB.
    most_width::<W>().min(1 << (25 - dimension))
}

impl<const W: usize> Beams<W> for Learned {
    type Progress = Progress;
    type Task = Task;
    type Running = (Beam<Snakes<W>>, Weights);

    fn begin(&mut self, problem: &Snakes<W>, work: &mut Work<'_, Snakes<W>>) {
        if self.progress.best.0.is_none()
            && let Some((moves, score)) = play(problem, work, &[])
        {
            self.progress.best.take(moves, score);
        }
    }

    fn choose(&mut self, problem: &Snakes<W>, rng: &mut Rng) -> Task {
        if self.progress.beams.len() as u64 >= self.generations.beams {
            self.learn(problem.dimension as usize);
        }
        let section = if self.progress.sections > 0 { Some(self.section(problem, rng)) } else { None };
        let values = self.progress.belief.draw(rng);
        Task { section, values, width: self.width::<W>(problem.dimension as usize), seed: rng.next_u64() }
    }

    fn start(&self, problem: &Snakes<W>, task: &Task) -> Self::Running {
        let weights = Weights::new(&task.values);
        let path = after(problem, task.section.as_deref().unwrap_or(&[]));
        (Beam::new(path, task.width as usize, weights.noise, task.seed), weights)
    }

    fn advance(&self, problem: &Snakes<W>, (beam, weights): &mut Self::Running) -> bool {
        beam.advance(problem, |path| {
            problem.rank(path, |set| weights.sum(set, problem.words, problem.dimension as usize))
        })
    }

    fn end(&mut self, problem: &Snakes<W>, work: &mut Work<'_, Snakes<W>>, task: &Task, (beam, _): &Self::Running) {
        let best = beam.best();
        let length = best.map_or(0, |(length, _)| length as u32);
        match task.section {
            Some(_) => self.progress.sections = self.progress.sections.saturating_sub(1),
            None => self.progress.beams.push((length, task.values.clone())),
        }
        if let Some((_, moves)) = best.filter(|_| self.progress.best.yields_to(length)) {
            let flips: Vec<u8> = task.section.iter().flatten().chain(moves).copied().collect();
            if let Some((moves, score)) = play(problem, work, &flips) {
                self.progress.best.take(moves, score);
            }
        }
    }

    /// A solution from outside is continued from its parts.
    fn offer(&mut self, _: &Snakes<W>, moves: &[u8], score: Score) {
        self.progress.best.take(moves.to_vec(), score);
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        vec![("restarts", self.progress.restarts as f64), ("generation", self.progress.generation as f64)]
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn restore(&mut self, progress: Progress) {
        self.progress = progress;
    }

    fn is_sound(&self, problem: &Snakes<W>, progress: &Progress, task: Option<&Task>) -> bool {
        let dimension = problem.dimension as usize;
        let task = task.is_none_or(|task| {
            let begins = task.section.as_ref().is_none_or(|flips| legal_part(problem, flips.clone()) == *flips);
            begins
                && (1..=room::<W>(dimension)).contains(&task.width)
                && are_weights(&task.values, dimension)
                && (task.section.is_none() || progress.sections > 0)
        });
        task && progress.best.is_sound(problem)
            && progress.belief.is_sound(dimension)
            && progress.generation < EACH * (self.generations.doublings + 1)
            && progress.beams.len() as u64 <= self.generations.beams
            && progress.beams.iter().all(|(_, values)| are_weights(values, dimension))
            && progress.sections <= self.generations.beams
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cube;
    use super::super::one_by_one::check_damaged_bytes;
    use super::*;

    fn parts() -> (Snakes<4>, Learned, Task) {
        let problem = Snakes::<4>::new(Kind::Snake, &Cube::new(6, 2).unwrap(), Default::default(), Default::default());
        let values = Belief::new(6).draw(&mut Rng::new(1));
        let mut progress = Progress::new(6);
        progress.beams.push((5, values.clone()));
        let task = Task { section: None, values, width: 20, seed: 1 };
        (problem, Learned { generations: Generations::default(), progress }, task)
    }

    #[test]
    fn progress_that_cannot_be_is_refused() {
        let (problem, search, task) = parts();
        let is_sound = |change: &dyn Fn(&mut Progress, &mut Task)| {
            let (mut progress, mut task) = (search.progress.clone(), task.clone());
            change(&mut progress, &mut task);
            search.is_sound(&problem, &progress, Some(&task))
        };
        assert!(is_sound(&|_, _| {}));
        assert!(!is_sound(&|progress, _| progress.best = Best(Some((vec![0, 0], 2)))));
        assert!(!is_sound(&|progress, _| progress.belief = Belief::new(7)));
        assert!(!is_sound(&|progress, _| progress.beams[0].1[0] = f64::NAN));
        assert!(!is_sound(&|progress, _| progress.generation = 40));
        assert!(!is_sound(&|_, task| task.values[3] = f64::INFINITY));
        assert!(!is_sound(&|_, task| task.width = u64::MAX));
        assert!(!is_sound(&|_, task| task.section = Some(Vec::new())), "no section is to be made");
        assert!(!is_sound(&|progress, task| (progress.sections, task.section) = (1, Some(vec![0, 0]))));
    }

    #[test]
    fn damaged_bytes_make_no_panic() {
        let (problem, search, task) = parts();
        check_damaged_bytes(&problem, || parts().1, search.progress, task);
    }

    /// A generation of beams, the longer the larger the weight of a vertex with two neighbours.
    fn generation(search: &mut Learned, rng: &mut Rng) {
        let beams = (0..search.generations.beams).map(|_| {
            let values = search.progress.belief.draw(rng);
            ((1_000.0 * values[2]).max(0.0) as u32, values)
        });
        search.progress.beams = beams.collect();
        search.learn(6);
    }

    #[test]
    fn the_longest_beams_move_the_belief() {
        let (_, mut search, _) = parts();
        let mut rng = Rng::new(7);
        let mean = |search: &Learned, rng: &mut Rng| {
            (0..2_000).map(|_| search.progress.belief.draw(rng)[2]).sum::<f64>() / 2_000.0
        };
        let before = mean(&search, &mut rng);
        (0..10).for_each(|_| generation(&mut search, &mut rng));
        assert!(mean(&search, &mut rng) > before + 0.3, "{before} {}", mean(&search, &mut rng));
        assert_eq!((search.progress.generation, search.progress.sections), (10, 6));
        (0..30).for_each(|_| generation(&mut search, &mut rng));
        assert_eq!((search.progress.restarts, search.progress.belief), (1, Belief::new(6)));
    }

    #[test]
    fn beams_become_wider_and_begin_again() {
        let (_, mut search, _) = parts();
        let mut rng = Rng::new(7);
        let mut widths = Vec::new();
        for _ in 0..60 {
            widths.push(search.width::<4>(6));
            generation(&mut search, &mut rng);
        }
        assert_eq!((widths[0], widths[7], widths[8], widths[39], widths[40]), (20, 20, 40, 320, 20));
        search.progress.restarts = u64::MAX;
        assert_eq!(search.width::<4>(6), 20 << 12, "10 doublings by restarts, 2 by generations");
        (0..30).for_each(|_| generation(&mut search, &mut rng));
        assert_eq!(search.width::<128>(13), 1 << 12, "no more than have room");
    }
}
