//! The method `learned`: beams whose ranking is learned from beam to beam.

use super::beam::{Beam, best_first};
use super::model::Snakes;
use super::one_by_one::{Beams, Best, OneByOne, finished, flips_around, legal_part, most_width, play, section};
use super::siblings::advance;
use super::weights::{Belief, Weights, are_weights};
use super::{Kind, canonical};
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
        /// beams in each smaller cube for one beam in the next larger one: their number multiplies from cube to cube;
        /// 0: no beams in smaller cubes
        below: u64 = 1, 0..=2;
    }
}

/// Name and description of the method.
pub(crate) const LEARNED: SearchInfo = SearchInfo::new::<Generations>(
    "learned",
    "beams that weigh the vertices within reach, with weights learned from beam to beam, and begin with snakes of smaller cubes",
    "R. Y. Rubinstein, Methodology and Computing in Applied Probability 1, 1999 (the cross-entropy method); D. Kinny, ECAI 2012 (beginnings from smaller cubes); the weights are ours",
    // Each path is a snake as far as it goes, so that a limit of playouts ends a run too.
    Unit::Solution("paths continued"),
);

/// Generations of beams of one width.
const EACH: u64 = 8;
/// Restarts after which the width of the first beams doubles, and the most such doublings.
const WIDER: (u64, u64) = (4, 10);

/// Returns the method.
pub(crate) fn make(problem: &Snakes, settings: &ParameterValues) -> Option<Box<dyn ProblemSearch<Snakes>>> {
    Some(Box::new(OneByOne::new(Learned::new(problem, settings.read().ok()?))))
}

/// A beam that is to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Task {
    /// The cube that it is made in, counted from the smallest one.
    rung: u32,
    /// The flips that its paths begin with.
    flips: Vec<u8>,
    /// Whether they are a part of the longest path of the same cube. The belief does not learn from such a beam.
    is_section: bool,
    /// Its weights, in the order of [`Belief`].
    values: Vec<f64>,
    width: u64,
    seed: u64,
}

/// How far the search has come in one of the cubes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rung {
    best: Best,
    belief: Belief,
    /// Times that everything but the best path began again.
    restarts: u64,
    /// Generations since then.
    generation: u64,
    /// The beams of this one: their lengths and weights.
    beams: Vec<(u32, Vec<f64>)>,
    /// Beams from sections that are to be made before the next generation.
    sections: u64,
    /// Beams since the last one of the next larger cube, at most `below`.
    since: u64,
}

impl Rung {
    fn new(dimension: usize) -> Self {
        let (best, belief) = (Best::default(), Belief::new(dimension));
        Self { best, belief, restarts: 0, generation: 0, beams: Vec::new(), sections: 0, since: 0 }
    }

    /// The width of the beams of this generation: no more than have room.
    fn width(&self, generations: &Generations, room: u64) -> u64 {
        let (every, most) = WIDER;
        let doublings = (self.restarts / every).min(most) + self.generation / EACH;
        (generations.width << doublings).min(room)
    }

    /// Ends a generation.
    fn learn(&mut self, generations: &Generations, dimension: usize) {
        let count = self.beams.len() / 4;
        // Equal beams in the order of their making.
        let lengths: Vec<f64> = self.beams.iter().map(|&(length, _)| length.into()).collect();
        let places = best_first(&lengths);
        let best: Vec<Vec<f64>> =
            places[..count].iter().map(|&place| std::mem::take(&mut self.beams[place].1)).collect();
        self.beams.clear();
        self.belief.learn(&best);
        self.generation += 1;
        self.sections = count as u64;
        if self.generation == EACH * (generations.doublings + 1) {
            (self.belief, self.generation) = (Belief::new(dimension), 0);
            self.restarts = self.restarts.saturating_add(1);
        }
    }

    /// Keeps a snake of a smaller cube. Its beam may have dropped all paths that continue it.
    fn keep(&mut self, snakes: &Snakes, flips: &[u8]) {
        let moves = finished(snakes, flips);
        let length = moves.len() as u32;
        self.best = Best(Some((moves, length)));
    }

    /// A part of the best path, from one of its ends, or of the best cycle, as far as `problem` allows it.
    fn section(&self, problem: &Snakes, rng: &mut Rng) -> Vec<u8> {
        let moves = self.best.moves();
        if !problem.prefix.is_empty() {
            return moves[..rng.index(moves.len() + 1)].to_vec();
        }
        let mut flips = moves.to_vec();
        if problem.terms.kind == Kind::Coil {
            flips = flips_around(&problem.answer(moves));
            let count = flips.len();
            flips.rotate_left(rng.index(count));
        }
        let most = flips.len();
        legal_part(problem, section(flips, most, rng))
    }

    /// Whether everything read from a checkpoint fits the cube.
    fn is_sound(&self, problem: &Snakes, generations: &Generations) -> bool {
        let dimension = problem.terms.dimension as usize;
        self.best.is_sound(problem)
            && self.belief.is_sound(dimension)
            && self.generation < EACH * (generations.doublings + 1)
            && self.beams.len() as u64 <= generations.beams
            && self.beams.iter().all(|(_, values)| are_weights(values, dimension))
            && self.sections <= generations.beams
            && self.since <= generations.below
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
///
/// **Smaller cubes.** A long snake often begins with most of a long snake of the cube one dimension below. So the same
/// search, for snakes, also runs in each smaller cube: beams are made in turn, from the smallest cube to the largest. A
/// beam begins with a part of the longest snake below, from one of its ends. The size of the part is drawn and learned
/// as the weights are. Paths are shorter there: with snakes of spread 2 all smaller cubes together take about a third
/// of the time.
#[derive(Debug)]
struct Learned {
    generations: Generations,
    /// The snakes of the smaller cubes, the smallest cube first.
    smaller: Vec<Snakes>,
    /// By cube; the last one is the cube of the problem.
    rungs: Vec<Rung>,
}

impl Learned {
    fn new(problem: &Snakes, generations: Generations) -> Self {
        let is_open = problem.prefix.is_empty() && generations.below > 0;
        // In a cube of `k + 1` dimensions or fewer paths hardly turn.
        let dimensions = if is_open { problem.terms.spread + 2..problem.terms.dimension } else { 0..0 };
        let smaller: Vec<Snakes> = dimensions.map(|dimension| problem.snakes_of(dimension)).collect();
        let dimensions = smaller.iter().map(|snakes| snakes.terms.dimension).chain([problem.terms.dimension]);
        let rungs = dimensions.map(|dimension| Rung::new(dimension as usize)).collect();
        Self { generations, smaller, rungs }
    }

    /// The cube whose turn it is: the largest one for which enough beams were made below.
    fn turn(&self) -> usize {
        let mut rung = self.smaller.len();
        while rung > 0 && self.rungs[rung - 1].since < self.generations.below {
            rung -= 1;
        }
        rung
    }
}

/// The paths of the cube of this number; the problem has the last one.
fn cube<'a>(smaller: &'a [Snakes], rung: usize, problem: &'a Snakes) -> &'a Snakes {
    smaller.get(rung).unwrap_or(problem)
}

/// Returns the beginning of a path that is a `share` of a snake, from one of its ends, as far as `problem` allows it.
fn beginning(problem: &Snakes, snake: &[u8], share: f64, rng: &mut Rng) -> Vec<u8> {
    let mut flips = snake.to_vec();
    if rng.chance(0.5) {
        flips.reverse();
    }
    flips.truncate((flips.len() as f64 * share).round() as usize);
    legal_part(problem, canonical(flips))
}

/// The most paths of a beam: those of one length fit into memory, and so do the moves of all.
fn room(problem: &Snakes, dimension: usize) -> u64 {
    // A path has fewer moves than there are vertices, and a move has 8 bytes: 256 MiB.
    most_width(problem).min(1 << (25 - dimension))
}

impl Beams for Learned {
    type Progress = Vec<Rung>;
    type Task = Task;
    type Running = (Beam<Snakes>, Weights);

    fn begin(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>) {
        if let Some(top) = self.rungs.last_mut()
            && top.best.0.is_none()
            && let Some((moves, score)) = play(problem, work, &[])
        {
            top.best.take(moves, score);
        }
    }

    fn choose(&mut self, problem: &Snakes, rng: &mut Rng) -> Task {
        let rung = self.turn();
        let snakes = cube(&self.smaller, rung, problem);
        let dimension = snakes.terms.dimension as usize;
        let (lower, upper) = self.rungs.split_at_mut(rung);
        let here = &mut upper[0];
        if here.beams.len() as u64 >= self.generations.beams {
            here.learn(&self.generations, dimension);
        }
        let values = here.belief.draw(rng);
        let is_section = here.sections > 0;
        let flips = match lower.last() {
            _ if is_section => here.section(snakes, rng),
            Some(below) => beginning(snakes, below.best.moves(), Weights::new(&values).share, rng),
            None => Vec::new(),
        };
        if let Some(below) = lower.last_mut() {
            below.since = 0;
        }
        here.since = (here.since + 1).min(self.generations.below);
        let width = here.width(&self.generations, room(problem, dimension));
        Task { rung: rung as u32, flips, is_section, values, width, seed: rng.next_u64() }
    }

    fn start(&self, problem: &Snakes, task: &Task) -> Self::Running {
        let weights = Weights::new(&task.values);
        let path = cube(&self.smaller, task.rung as usize, problem).after(&task.flips);
        (Beam::new(path, task.width as usize, weights.noise, task.seed), weights)
    }

    fn advance(&self, problem: &Snakes, task: &Task, (beam, weights): &mut Self::Running) -> bool {
        advance(beam, cube(&self.smaller, task.rung as usize, problem), Some(weights))
    }

    fn end(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>, task: &Task, (beam, _): &Self::Running) {
        let best = beam.best();
        // A beam whose beginning cannot be continued has found nothing.
        let length = best.map_or(0, |(length, _)| length as u32);
        let Some(here) = self.rungs.get_mut(task.rung as usize) else { return };
        if task.is_section {
            here.sections = here.sections.saturating_sub(1);
        } else {
            here.beams.push((length, task.values.clone()));
        }
        if let Some((_, moves)) = best.filter(|_| here.best.yields_to(length)) {
            let flips: Vec<u8> = task.flips.iter().chain(moves).copied().collect();
            if let Some(snakes) = self.smaller.get(task.rung as usize) {
                here.keep(snakes, &flips);
            } else if let Some((moves, score)) = play(problem, work, &flips) {
                here.best.take(moves, score);
            }
        }
    }

    /// A solution from outside is continued from its parts.
    fn offer(&mut self, _: &Snakes, moves: &[u8], score: Score) {
        if let Some(top) = self.rungs.last_mut() {
            top.best.take(moves.to_vec(), score);
        }
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let Some((top, below)) = self.rungs.split_last() else { return Vec::new() };
        let mut gauges = vec![("restarts", top.restarts as f64), ("generation", top.generation as f64)];
        if let Some(below) = below.last() {
            gauges.push(("snake below", below.best.length().into()));
        }
        gauges
    }

    fn progress(&self) -> &Vec<Rung> {
        &self.rungs
    }

    fn restore(&mut self, progress: Vec<Rung>) {
        self.rungs = progress;
    }

    fn is_sound(&self, problem: &Snakes, progress: &Vec<Rung>, task: Option<&Task>) -> bool {
        let cubes = self.smaller.iter().chain([problem]);
        let task = task.is_none_or(|task| {
            let snakes = cube(&self.smaller, task.rung as usize, problem);
            let dimension = snakes.terms.dimension as usize;
            let here = progress.get(task.rung as usize);
            legal_part(snakes, task.flips.clone()) == task.flips
                && (1..=room(problem, dimension)).contains(&task.width)
                && are_weights(&task.values, dimension)
                && here.is_some_and(|here| !task.is_section || here.sections > 0)
        });
        task && progress.len() == self.rungs.len()
            && progress.iter().zip(cubes).all(|(rung, snakes)| rung.is_sound(snakes, &self.generations))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cube;
    use super::super::one_by_one::check_damaged_bytes;
    use super::*;
    use soloist::Problem;

    /// A search of snakes in a cube of 6 dimensions; the smaller ones are those of 4 and 5.
    fn parts() -> (Snakes, Learned, Task) {
        let problem = Snakes::new(Kind::Snake, &Cube::new(6, 2).unwrap(), Default::default(), Default::default());
        let mut search = Learned::new(&problem, Generations::default());
        let values = Belief::new(6).draw(&mut Rng::new(1));
        search.rungs[2].beams.push((5, values.clone()));
        let task = Task { rung: 2, flips: Vec::new(), is_section: false, values, width: 20, seed: 1 };
        (problem, search, task)
    }

    /// The longest snake of dimension 5.
    const SNAKE: [u8; 13] = [0, 1, 2, 3, 1, 0, 4, 3, 1, 2, 3, 0, 1];

    #[test]
    fn progress_that_cannot_be_is_refused() {
        let (problem, search, task) = parts();
        let is_sound = |change: &dyn Fn(&mut Vec<Rung>, &mut Task)| {
            let (mut progress, mut task) = (search.rungs.clone(), task.clone());
            change(&mut progress, &mut task);
            search.is_sound(&problem, &progress, Some(&task))
        };
        assert!(is_sound(&|_, _| {}));
        assert!(is_sound(&|rungs, _| rungs[1].best = Best(Some((SNAKE.to_vec(), 13)))));
        assert!(!is_sound(&|rungs, _| rungs[2].best = Best(Some((vec![0, 0], 2)))));
        assert!(!is_sound(&|rungs, _| rungs[2].belief = Belief::new(7)));
        assert!(!is_sound(&|rungs, _| rungs[2].beams[0].1[0] = f64::NAN));
        assert!(!is_sound(&|rungs, _| rungs[2].generation = 40));
        assert!(!is_sound(&|rungs, _| rungs[1].since = 2), "one beam below is enough");
        assert!(!is_sound(&|rungs, _| rungs[0].best = Best(Some((vec![0, 1, 2, 3, 4], 5)))), "no bit 4 in the cube");
        assert!(!is_sound(&|rungs, _| drop(rungs.pop())));
        assert!(!is_sound(&|_, task| task.rung = 3));
        assert!(!is_sound(&|_, task| task.values[3] = f64::INFINITY));
        assert!(!is_sound(&|_, task| task.width = u64::MAX));
        assert!(!is_sound(&|_, task| task.is_section = true), "no section is to be made");
        assert!(!is_sound(&|_, task| task.flips = vec![0, 0]));
    }

    #[test]
    fn damaged_bytes_make_no_panic() {
        let (problem, mut search, mut task) = parts();
        search.rungs[1].best = Best(Some((SNAKE.to_vec(), 13)));
        search.rungs[2].sections = 3;
        (task.flips, task.is_section) = (SNAKE[..9].to_vec(), true);
        check_damaged_bytes(&problem, || parts().1, search.rungs, task);
    }

    /// The longest path of a beam may still have a legal move: random ranks can prefer paths that have ended.
    #[test]
    fn snakes_of_smaller_cubes_are_finished() {
        let (_, mut search, _) = parts();
        let (snakes, mut unfinished) = (&search.smaller[1], 0);
        for seed in 0..100 {
            let mut beam = Beam::new(snakes.root(), 1, 100.0, seed);
            while beam.advance(snakes, &mut |_| (0.0, None)) {}
            let (_, moves) = beam.best().unwrap();
            unfinished += u32::from(snakes.legal(&snakes.after(moves)) != 0);
            search.rungs[1].keep(snakes, moves);
            assert!(search.rungs[1].is_sound(snakes, &search.generations), "{moves:?}");
        }
        assert!(unfinished > 0);
    }

    /// A generation of beams, the longer the larger the weight of a vertex with two neighbours.
    fn generation(rung: &mut Rung, rng: &mut Rng) {
        let generations = Generations::default();
        let beams = (0..generations.beams).map(|_| {
            let values = rung.belief.draw(rng);
            ((1_000.0 * values[2]).max(0.0) as u32, values)
        });
        rung.beams = beams.collect();
        rung.learn(&generations, 6);
    }

    #[test]
    fn the_longest_beams_move_the_belief() {
        let (mut rung, mut rng) = (Rung::new(6), Rng::new(7));
        let mean = |rung: &Rung, rng: &mut Rng| (0..2_000).map(|_| rung.belief.draw(rng)[2]).sum::<f64>() / 2_000.0;
        let before = mean(&rung, &mut rng);
        (0..10).for_each(|_| generation(&mut rung, &mut rng));
        assert!(mean(&rung, &mut rng) > before + 0.3, "{before} {}", mean(&rung, &mut rng));
        assert_eq!((rung.generation, rung.sections), (10, 6));
        (0..30).for_each(|_| generation(&mut rung, &mut rng));
        assert_eq!((rung.restarts, rung.belief), (1, Belief::new(6)));
    }

    #[test]
    fn beams_become_wider_and_begin_again() {
        let (mut rung, mut rng) = (Rung::new(6), Rng::new(7));
        let snakes = |dimension| {
            Snakes::new(Kind::Snake, &Cube::new(dimension, 2).unwrap(), Default::default(), Default::default())
        };
        let room = |dimension| room(&snakes(dimension), dimension as usize);
        let width = |rung: &Rung| rung.width(&Generations::default(), room(6));
        let mut widths = Vec::new();
        for _ in 0..60 {
            widths.push(width(&rung));
            generation(&mut rung, &mut rng);
        }
        assert_eq!((widths[0], widths[7], widths[8], widths[39], widths[40]), (20, 20, 40, 320, 20));
        rung.restarts = u64::MAX;
        assert_eq!(width(&rung), 20 << 12, "10 doublings by restarts, 2 by generations");
        (0..30).for_each(|_| generation(&mut rung, &mut rng));
        assert_eq!(rung.width(&Generations::default(), room(13)), 1 << 12, "no more than have room");
    }

    #[test]
    fn cubes_have_beams_in_turn() {
        let (problem, mut search, _) = parts();
        let mut rng = Rng::new(1);
        let mut turns =
            |search: &mut Learned| -> Vec<u32> { (0..7).map(|_| search.choose(&problem, &mut rng).rung).collect() };
        assert_eq!(turns(&mut search), [0, 1, 2, 0, 1, 2, 0]);
        let (_, mut search, _) = parts();
        search.generations.below = 2;
        assert_eq!(turns(&mut search), [0, 0, 1, 0, 0, 1, 2]);
        search = Learned::new(&problem, Generations { below: 0, ..Generations::default() });
        assert_eq!(turns(&mut search), [0; 7]);
    }

    /// A beam begins with as large a part of the snake below as its weights say, from either end.
    #[test]
    fn paths_begin_with_a_snake_of_the_cube_below() {
        let (problem, mut search, _) = parts();
        search.rungs[1].best = Best(Some((SNAKE.to_vec(), 13)));
        let backwards = canonical(SNAKE.into_iter().rev().collect());
        let (mut rng, mut lengths) = (Rng::new(1), std::collections::BTreeSet::new());
        for _ in 0..300 {
            let task = search.choose(&problem, &mut rng);
            if task.rung == 2 {
                assert!(SNAKE.starts_with(&task.flips) || backwards.starts_with(&task.flips), "{:?}", task.flips);
                assert_eq!(task.flips.len(), (13.0 * Weights::new(&task.values).share).round() as usize);
                lengths.insert(task.flips.len());
            }
        }
        assert!(lengths.contains(&0) && lengths.contains(&13) && lengths.len() > 8, "{lengths:?}");
    }
}
