//! The method `symmetric`: beams for symmetric coils, and beams that begin with a section of a long coil or snake.

use super::automorphism::ORDERS;
use super::beam::{Beam, best_first};
use super::model::Snakes;
use super::one_by_one::{Beams, Best, OneByOne, flips_around, legal_part, most_width, play, section};
use super::siblings::advance;
use super::{Cube, Kind, SymmetricCoils, canonical, nodes_of, violation};
use serde::{Deserialize, Serialize};
use soloist::problem::{ProblemSearch, SearchInfo, Unit, Work};
use soloist::search::ParameterValues;
use soloist::{Problem, Rng, Score};

soloist::parameter_table! {
    /// How wide the beams are.
    pub struct Widths {
        /// paths of a beam in the first round of a tournament of symmetries; each further round has three times as
        /// many for a third of the symmetries, and every four tournaments the width doubles
        width: u64 = 5, 1..=100_000;
        /// rounds of a tournament
        rounds: u64 = 6, 1..=8;
    }
}

/// Name and description of the method.
pub(crate) const SYMMETRIC: SearchInfo = SearchInfo::new::<Widths>(
    "symmetric",
    "beams over coils of a path and its images, and beams that begin as sections of the longest ones",
    "K. G. Paterson and J. Tuliani, IEEE Transactions on Information Theory 44, 1998; E. Wynn, arXiv:1201.1647, 2012; S. Hood et al., Journal of Combinatorial Optimization 30, 2015; the tournament is ours",
    // Each path is a snake as far as it goes, so that a limit of playouts ends a run too.
    Unit::Solution("paths continued"),
);

/// The most coils whose sections are used.
const POOL: usize = 6;
/// Tournaments after which beams are twice as wide, and doublings at most.
const DOUBLING: (u64, u64) = (4, 10);
/// The widths of beams from sections: the width of a tournament's first round times 3^0, 3^1, ..., as many powers.
const POWERS: usize = 5;

/// Returns the method; `None` where the beginning of paths is given.
pub(crate) fn make(problem: &Snakes, settings: &ParameterValues) -> Option<Box<dyn ProblemSearch<Snakes>>> {
    let cube = Cube::new(problem.terms.dimension, problem.terms.spread).ok()?;
    let coils = SymmetricCoils::new(&cube, ORDERS, problem.terms.potential);
    let widths = settings.read().ok()?;
    let snakes = Snakes::new(Kind::Snake, &cube, problem.terms.code, problem.terms.potential);
    Some(Box::new(OneByOne::new(Symmetric { widths, coils, snakes, progress: Progress::default() })))
}

/// What a beam makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Aim {
    /// A coil with the symmetry of this number.
    Coil(u16),
    /// A path that begins with these flips, ranked as a snake: a coil need not close.
    Path(Vec<u8>),
    /// A path that begins with these flips and closes.
    Closed(Vec<u8>),
}

/// A beam that is to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Task {
    aim: Aim,
    width: u64,
    seed: u64,
}

/// A symmetry in a tournament, and the length of its coil of the present round, 0 before its turn.
type Contender = (u16, u32);

/// How far the search has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Progress {
    best: Best,
    /// The flips of the longest coils, the longest one first.
    pool: Vec<Vec<u8>>,
    /// Tournaments that have begun.
    tournaments: u64,
    /// The round of this one, its symmetries, and the next of them.
    round: u64,
    field: Vec<Contender>,
    next: u32,
    /// Paths continued for symmetries less those continued from sections: sections have their turn while it is above 0.
    ahead: u64,
}

/// The beam of a task.
#[derive(Debug)]
enum Running {
    Coil(Beam<SymmetricCoils>),
    Path(Beam<Snakes>),
    Closed(Beam<Snakes>),
}

/// Symmetric coils, and sections.
///
/// A *tournament* of symmetries has beams that become wider and fewer: `3^(rounds - 1)` symmetries are drawn, an order
/// first, then one of this order, and half of them of the order that won the tournament before. A third of them, those
/// with the longest coils, enter the next round, with beams three times as wide.
///
/// Then *sections* have as much work: a beam continues a path that begins as a random section of one of the longest
/// coils, or of the best solution, in either direction, or with nothing. So a long coil becomes a longer snake, and a
/// coil need not be symmetric. Half of the beams for coils rank paths as if they need not close: many of these paths
/// close nevertheless.
#[derive(Debug)]
struct Symmetric {
    widths: Widths,
    coils: SymmetricCoils,
    snakes: Snakes,
    progress: Progress,
}

impl Symmetric {
    /// The width of beams in a tournament's first round.
    fn width(&self) -> u64 {
        let (every, most) = DOUBLING;
        self.widths.width << (self.progress.tournaments.saturating_sub(1) / every).min(most)
    }

    /// Draws the symmetries of a tournament.
    fn draw(&mut self, rng: &mut Rng) {
        let orders = self.coils.orders();
        let count = 3_usize.pow(self.widths.rounds as u32 - 1);
        let best = self.progress.field.first().map(|&(number, _)| number);
        let favorite = best.and_then(|number| orders.iter().find(|order| order.contains(&number)));
        let mut is_drawn = vec![false; self.coils.symmetries()];
        for place in 0..if orders.is_empty() { 0 } else { count } {
            let order = favorite.filter(|_| place % 2 == 0).unwrap_or(&orders[rng.index(orders.len())]);
            is_drawn[usize::from(order.start) + rng.index(order.len())] = true;
        }
        self.progress.field =
            (0..).zip(is_drawn).filter(|&(_, is_drawn)| is_drawn).map(|(number, _)| (number, 0)).collect();
        (self.progress.round, self.progress.next) = (0, 0);
        self.progress.tournaments = self.progress.tournaments.saturating_add(1);
    }

    /// Ends a round: the third with the longest coils stays, unless it was the last one.
    fn end_round(&mut self) {
        let progress = &mut self.progress;
        // By length, and by number where lengths are equal, which has 16 bits.
        let rank = |&(number, length): &Contender| f64::from(length) * 65_536.0 - f64::from(number);
        let ranks: Vec<f64> = progress.field.iter().map(rank).collect();
        progress.field = best_first(&ranks).into_iter().map(|place| progress.field[place]).collect();
        progress.round += 1;
        if progress.round < self.widths.rounds {
            progress.next = 0;
            progress.field.truncate(progress.field.len().div_ceil(3));
            progress.field.iter_mut().for_each(|(_, length)| *length = 0);
        }
    }

    /// Returns the symmetry whose turn it is; `None`: it is the turn of a section.
    fn symmetry(&mut self, rng: &mut Rng) -> Option<u16> {
        loop {
            if let Some(&(number, _)) = self.progress.field.get(self.progress.next as usize) {
                return Some(number);
            }
            if self.progress.round < self.widths.rounds && !self.progress.field.is_empty() {
                self.end_round();
            } else if self.progress.ahead > 0 {
                return None;
            } else {
                self.draw(rng);
                if self.progress.field.is_empty() {
                    return None;
                }
            }
        }
    }

    /// Draws the beginning of a path: a section of one of the longest coils, or of the best solution, or nothing.
    fn section(&self, problem: &Snakes, rng: &mut Rng) -> Vec<u8> {
        let pool = &self.progress.pool;
        let (flips, most) = match rng.index(8) {
            0 => return Vec::new(),
            1..=4 if !pool.is_empty() => {
                let mut flips = pool[rng.index(pool.len())].clone();
                let count = flips.len();
                flips.rotate_left(rng.index(count));
                (flips, count.saturating_sub(problem.terms.spread as usize))
            }
            _ => {
                let moves = self.progress.best.moves().to_vec();
                let most = moves.len();
                (moves, most)
            }
        };
        section(flips, most, rng)
    }

    /// Plays a solution and keeps it if it is the best one.
    fn keep(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>, flips: &[u8]) {
        if let Some((moves, score)) = play(problem, work, flips) {
            self.note(problem, moves, score);
        }
    }

    /// Keeps a finished solution if it is the best one; a coil comes into the pool.
    fn note(&mut self, problem: &Snakes, moves: Vec<u8>, score: Score) {
        if problem.terms.kind == Kind::Coil {
            self.pool(flips_around(&problem.answer(&moves)));
        }
        self.progress.best.take(moves, score);
    }

    /// Enters the flips of a coil into the pool, if it is one of the longest.
    fn pool(&mut self, flips: Vec<u8>) {
        let (flips, pool) = (canonical(flips), &mut self.progress.pool);
        if !pool.contains(&flips) {
            let place = pool.partition_point(|coil| coil.len() >= flips.len());
            pool.insert(place, flips);
            pool.truncate(POOL);
        }
    }
}

impl Beams for Symmetric {
    type Progress = Progress;
    type Task = Task;
    type Running = Running;

    fn begin(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>) {
        if self.progress.best.0.is_none() {
            self.keep(problem, work, &[]);
        }
    }

    fn choose(&mut self, problem: &Snakes, rng: &mut Rng) -> Task {
        let (aim, power) = match self.symmetry(rng) {
            Some(number) => (Aim::Coil(number), self.progress.round),
            None => {
                let section = self.section(problem, rng);
                let aim = if problem.terms.kind == Kind::Coil && rng.chance(0.5) {
                    Aim::Closed(legal_part(problem, section))
                } else {
                    Aim::Path(legal_part(&self.snakes, section))
                };
                (aim, rng.index(POWERS) as u64)
            }
        };
        let width = self.width().saturating_mul(3_u64.pow(power as u32)).min(most_width(problem));
        Task { aim, width, seed: rng.next_u64() }
    }

    fn start(&self, problem: &Snakes, task: &Task) -> Running {
        let width = task.width as usize;
        match &task.aim {
            &Aim::Coil(number) => {
                let mut ring = self.coils.root();
                self.coils.apply(&mut ring, number);
                Running::Coil(Beam::new(ring, width, 1.0, task.seed))
            }
            Aim::Path(prefix) => Running::Path(Beam::new(self.snakes.after(prefix), width, 1.0, task.seed)),
            Aim::Closed(prefix) => Running::Closed(Beam::new(problem.after(prefix), width, 1.0, task.seed)),
        }
    }

    fn advance(&self, problem: &Snakes, _: &Task, running: &mut Running) -> bool {
        match running {
            Running::Coil(beam) => {
                beam.advance(&self.coils, &mut |ring| (self.coils.potential(ring).unwrap_or(0.0), None))
            }
            Running::Path(beam) => advance(beam, &self.snakes, None),
            Running::Closed(beam) => advance(beam, problem, None),
        }
    }

    fn end(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>, task: &Task, running: &Running) {
        match (&task.aim, running) {
            (&Aim::Coil(number), Running::Coil(beam)) => {
                let flips = beam.best().map_or(&[][..], |(_, moves)| moves);
                let moves: Vec<u16> = std::iter::once(number).chain(flips.iter().copied()).collect();
                let nodes = self.coils.answer(&moves);
                if let Some(entrant) = self.progress.field.get_mut(self.progress.next as usize) {
                    entrant.1 = nodes.len() as u32;
                }
                self.progress.next += 1;
                self.progress.ahead = self.progress.ahead.saturating_add(beam.made());
                let least = self.progress.pool.last().filter(|_| self.progress.pool.len() == POOL).map_or(0, Vec::len);
                if nodes.len() > least.max(2 * problem.terms.dimension as usize) {
                    let flips = flips_around(&nodes);
                    let path = canonical(flips[..nodes.len() - problem.terms.spread as usize].to_vec());
                    self.pool(flips);
                    self.keep(problem, work, &path);
                }
            }
            (Aim::Path(prefix) | Aim::Closed(prefix), Running::Path(beam) | Running::Closed(beam)) => {
                self.progress.ahead = self.progress.ahead.saturating_sub(beam.made());
                let Some((value, moves)) = beam.best() else { return };
                // What a snake closes to.
                let is_open = problem.terms.kind == Kind::Coil && matches!(task.aim, Aim::Path(_));
                let length = value + f64::from(if is_open { problem.terms.spread } else { 0 });
                if self.progress.best.yields_to(length as u32) {
                    let flips: Vec<u8> = prefix.iter().chain(moves).copied().collect();
                    self.keep(problem, work, &flips);
                }
            }
            _ => {}
        }
    }

    /// A solution from outside is continued from its sections.
    fn offer(&mut self, problem: &Snakes, moves: &[u8], score: Score) {
        self.note(problem, moves.to_vec(), score);
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let longest = self.progress.pool.first().map_or(0, Vec::len);
        vec![("tournaments", self.progress.tournaments as f64), ("longest coil", longest as f64)]
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn restore(&mut self, progress: Progress) {
        self.progress = progress;
    }

    fn is_sound(&self, problem: &Snakes, progress: &Progress, task: Option<&Task>) -> bool {
        let best = progress.best.is_sound(problem);
        let is_coil = |flips: &Vec<u8>| {
            let has_bits = flips.iter().all(|&flip| u32::from(flip) < problem.terms.dimension);
            has_bits && flips.len() >= 2 * problem.terms.dimension as usize && {
                let nodes = nodes_of(flips);
                nodes.last() == Some(&0) && violation(&nodes[..flips.len()], problem.terms.spread, Kind::Coil).is_none()
            }
        };
        let begins = |problem: &Snakes, prefix: &Vec<u8>| legal_part(problem, prefix.clone()) == *prefix;
        let task = task.is_none_or(|task| {
            let of_field = progress.field.get(progress.next as usize);
            (1..=most_width(problem)).contains(&task.width)
                && match &task.aim {
                    Aim::Coil(number) => of_field.is_some_and(|(own, _)| own == number),
                    Aim::Path(prefix) => of_field.is_none() && begins(&self.snakes, prefix),
                    Aim::Closed(prefix) => of_field.is_none() && begins(problem, prefix),
                }
        });
        best && task
            && progress.pool.len() <= POOL
            && progress.pool.iter().all(is_coil)
            && progress.pool.is_sorted_by_key(|coil| std::cmp::Reverse(coil.len()))
            && progress.field.iter().all(|&(number, _)| usize::from(number) < self.coils.symmetries())
            && progress.next as usize <= progress.field.len()
            && progress.round <= self.widths.rounds
    }
}

#[cfg(test)]
mod tests {
    use super::super::one_by_one::check_damaged_bytes;
    use super::*;

    const DIMENSION: u32 = 6;

    fn parts() -> (Snakes, Symmetric) {
        let cube = Cube::new(DIMENSION, 2).unwrap();
        let snakes = |kind| Snakes::new(kind, &cube, Default::default(), Default::default());
        let coils = SymmetricCoils::new(&cube, ORDERS, Default::default());
        let (widths, progress) = (Widths { width: 5, rounds: 3 }, Progress::default());
        (snakes(Kind::Coil), Symmetric { widths, coils, snakes: snakes(Kind::Snake), progress })
    }

    /// What a checkpoint may hold in the middle of a tournament.
    fn progress(search: &Symmetric) -> (Progress, Task) {
        let trivial: Vec<u8> = (0..DIMENSION as u8).chain(0..DIMENSION as u8).collect();
        let number = search.coils.orders()[0].start;
        let task = Task { aim: Aim::Coil(number), width: 5, seed: 1 };
        let field = vec![(number, 0), (number + 1, 0)];
        (Progress { pool: vec![trivial], tournaments: 1, field, ..Progress::default() }, task)
    }

    #[test]
    fn progress_that_cannot_be_is_refused() {
        let (problem, search) = parts();
        let is_sound = |change: &dyn Fn(&mut Progress, &mut Task)| {
            let (mut progress, mut task) = progress(&search);
            change(&mut progress, &mut task);
            search.is_sound(&problem, &progress, Some(&task))
        };
        assert!(is_sound(&|_, _| {}));
        assert!(!is_sound(&|progress, _| progress.best = Best(Some((vec![0, 0], 2)))));
        assert!(!is_sound(&|progress, _| progress.pool[0][3] = 77));
        assert!(!is_sound(&|progress, _| progress.pool[0] = [0, 1].repeat(6)), "it closes, but is too near to itself");
        assert!(!is_sound(&|progress, _| progress.field[1].0 = u16::MAX));
        assert!(!is_sound(&|progress, _| progress.next = 3));
        assert!(!is_sound(&|progress, _| progress.next = 1), "another symmetry has its turn");
        assert!(!is_sound(&|progress, _| progress.round = 4));
        assert!(!is_sound(&|_, task| task.width = 0));
        assert!(!is_sound(&|_, task| task.width = u64::MAX));
        assert!(!is_sound(&|_, task| task.aim = Aim::Path(vec![0, 0])));
    }

    #[test]
    fn damaged_bytes_make_no_panic() {
        let (problem, search) = parts();
        let (progress, task) = progress(&search);
        check_damaged_bytes(&problem, || parts().1, progress, task);
    }
}
