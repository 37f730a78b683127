//! The method `learned`: beams whose ranking is learned from beam to beam.

use super::beam::Beam;
use super::canonical;
use super::model::Snakes;
use super::search::{Beams, OneByOne, after, is_solution, legal_part, most_width, play};
use super::weights::{Belief, Weights, is_list};
use serde::{Deserialize, Serialize};
use soloist::problem::{ProblemSearch, SearchInfo, Unit, Work};
use soloist::search::ParameterValues;
use soloist::{Rng, Score};

soloist::parameter_table! {
    /// How wide the beams are, and how many there are.
    pub struct Generations {
        /// paths of the first beams; after every eight generations beams are twice as wide
        width: u64 = 20, 1..=100_000;
        /// beams of a generation; a quarter of them, the longest, changes what is believed
        beams: u64 = 24, 4..=10_000;
        /// times that the width doubles before everything begins again with a new belief
        doublings: u64 = 4, 1..=16;
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
/// Restarts after which the first beams are twice as wide, and doublings at most.
const WIDER: (u64, u64) = (4, 10);

/// Returns the method.
pub(crate) fn make<const W: usize>(
    problem: &Snakes<W>,
    settings: &ParameterValues,
) -> Option<Box<dyn ProblemSearch<Snakes<W>>>> {
    let generations = settings.read().ok()?;
    let progress = Progress::new(problem.dimension);
    Some(Box::new(OneByOne::new(Learned { generations, progress })))
}

/// A beam that is to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Task {
    /// The flips that its paths begin with; `None`: as all paths, and the belief learns from it.
    section: Option<Vec<u8>>,
    /// Its weights, as [`Belief`] lists them.
    values: Vec<f64>,
    width: u64,
    seed: u64,
}

/// How far the search has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Progress {
    /// The moves of the best solution, and its length; `None` before the first step.
    best: Option<(Vec<u8>, u32)>,
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
    fn new(dimension: u32) -> Self {
        let belief = Belief::new(dimension as usize);
        Self { best: None, belief, restarts: 0, generation: 0, beams: Vec::new(), sections: 0 }
    }
}

/// Beams that rank a path by the vertices that its head can still reach, where a vertex counts by the number of its
/// neighbours within reach and by its distance from the start.
///
/// A *generation* of beams has weights drawn from normal distributions. The quarter with the longest paths moves the
/// distributions (the cross-entropy method). A wrong weight costs a beam and no more: weights are as good as the paths
/// that they lead to, in this cube and at this width. Each vector of weights also leads to another beginning. After
/// eight generations beams are twice as wide; after some doublings everything begins again.
///
/// A fourth as many beams begin with a part of the longest path so far, from one of its ends.
#[derive(Debug)]
struct Learned {
    generations: Generations,
    progress: Progress,
}

impl Learned {
    /// The width of the beams of this generation.
    fn width(&self) -> u64 {
        let (every, most) = WIDER;
        let doublings = (self.progress.restarts / every).min(most) + self.progress.generation / EACH;
        self.generations.width << doublings
    }

    /// Ends a generation.
    fn learn(&mut self, dimension: u32) {
        let progress = &mut self.progress;
        // The sort keeps equal beams in the order of their making.
        progress.beams.sort_by_key(|&(length, _)| std::cmp::Reverse(length));
        let count = (progress.beams.len() / 4).max(1);
        let best: Vec<Vec<f64>> = progress.beams.drain(..).take(count).map(|(_, values)| values).collect();
        progress.belief.learn(&best);
        progress.generation += 1;
        progress.sections = count as u64;
        if progress.generation == EACH * (self.generations.doublings + 1) {
            (progress.belief, progress.generation) = (Belief::new(dimension as usize), 0);
            progress.restarts = progress.restarts.saturating_add(1);
        }
    }

    /// A part of the best path, from one of its ends, as far as `problem` allows it.
    fn section<const W: usize>(&self, problem: &Snakes<W>, rng: &mut Rng) -> Vec<u8> {
        let mut flips = self.progress.best.as_ref().map_or(Vec::new(), |(moves, _)| moves.clone());
        if rng.chance(0.5) && problem.prefix.is_empty() {
            flips.reverse();
            flips = canonical(flips.into_iter());
        }
        flips.truncate(rng.index(flips.len() + 1));
        legal_part(problem, flips)
    }

    /// Keeps a finished solution if it is the best one.
    fn note(&mut self, moves: Vec<u8>, score: Score) {
        let length = score.value().unwrap_or(0.0) as u32;
        // A solution as long as the best replaces it, so that sections vary.
        if self.progress.best.as_ref().is_none_or(|(_, best)| length >= *best) {
            self.progress.best = Some((moves, length));
        }
    }
}

impl<const W: usize> Beams<W> for Learned {
    type Progress = Progress;
    type Task = Task;
    type Running = (Beam<Snakes<W>>, Weights);

    fn begin(&mut self, problem: &Snakes<W>, work: &mut Work<'_, Snakes<W>>) {
        if self.progress.best.is_none()
            && let Some((moves, score)) = play(problem, work, &[])
        {
            self.note(moves, score);
        }
    }

    fn choose(&mut self, problem: &Snakes<W>, rng: &mut Rng) -> Task {
        if self.progress.beams.len() as u64 >= self.generations.beams {
            self.learn(problem.dimension);
        }
        let section = if self.progress.sections > 0 { Some(self.section(problem, rng)) } else { None };
        let values = self.progress.belief.draw(rng);
        Task { section, values, width: self.width().min(most_width::<W>()), seed: rng.next_u64() }
    }

    fn start(&self, problem: &Snakes<W>, task: &Task) -> Self::Running {
        let weights = Weights::new(&task.values);
        let path = after(problem, task.section.as_deref().unwrap_or(&[]));
        (Beam::new(path, task.width as usize, weights.noise, task.seed), weights)
    }

    fn advance(&self, problem: &Snakes<W>, _: &Task, (beam, weights): &mut Self::Running) -> bool {
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
        let is_best = self.progress.best.as_ref().is_none_or(|(_, best)| length >= *best);
        if let Some((_, moves)) = best.filter(|_| is_best) {
            let flips: Vec<u8> = task.section.iter().flatten().chain(moves).copied().collect();
            if let Some((moves, score)) = play(problem, work, &flips) {
                self.note(moves, score);
            }
        }
    }

    /// A solution from outside is continued from its parts.
    fn offer(&mut self, _: &Snakes<W>, moves: &[u8], score: Score) {
        self.note(moves.to_vec(), score);
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        vec![("restarts", self.progress.restarts as f64), ("width", self.width() as f64)]
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
                && (1..=most_width::<W>()).contains(&task.width)
                && is_list(&task.values, dimension)
                && (task.section.is_none() || progress.sections > 0)
        });
        task && progress.best.as_ref().is_none_or(|best| is_solution(problem, best))
            && progress.belief.is_sound(dimension)
            && progress.generation < EACH * (self.generations.doublings + 1)
            && progress.beams.len() as u64 <= self.generations.beams
            && progress.beams.iter().all(|(_, values)| is_list(values, dimension))
            && progress.sections <= self.generations.beams
    }
}

#[cfg(test)]
mod tests {
    use super::super::search::check_damaged_bytes;
    use super::super::{Cube, Kind};
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
        assert!(!is_sound(&|progress, _| progress.best = Some((vec![0, 0], 2))));
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

    #[test]
    fn beams_become_wider_and_begin_again() {
        let (_, mut search, _) = parts();
        let mut widths = Vec::new();
        for _ in 0..60 {
            widths.push(search.width());
            search.learn(6);
        }
        assert_eq!((widths[0], widths[7], widths[8], widths[39], widths[40]), (20, 20, 40, 320, 20));
        search.progress.restarts = u64::MAX;
        assert_eq!(search.width() % 20, 0, "no overflow");
    }
}
