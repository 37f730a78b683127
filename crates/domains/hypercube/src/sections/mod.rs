//! The method `sections`: annealing that replaces a section of a path or cycle.

use super::model::{Rules, Snakes};
use super::one_by_one::{Best, finished, flips_around, play};
use super::path::{add_ball, count, flips_into, holds, nth};
use super::width::{ByWidth, by_width, of_width, words};
use super::{Kind, MAX_WORDS, canonical, violation};
use serde::{Deserialize, Serialize};
use soloist::problem::{ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::run::CheckpointError;
use soloist::search::ParameterValues;
use soloist::{Rng, Score};

soloist::parameter_table! {
    /// How the temperature changes, and which sections are replaced.
    pub struct Settings {
        /// temperature at the start of a cooling, in edges
        start: f64 = 0.5, 0.01..=100.0;
        /// temperature at its end, in edges
        end: f64 = 0.2, 0.01..=100.0;
        /// sections replaced in the first cooling; each further one has twice as many
        steps: u64 = 20_000, 1..=1_000_000_000_000;
        /// the most vertices of a section, k - 1 at least; at an end of a snake it has up to k - 1 more
        longest: u64 = 14, 1..=300;
        /// the most vertices that the search for replacements tries; those of the last shortest way do not count
        tried: u64 = 300, 1..=100_000;
    }
}

/// Name and description of the method.
pub(crate) const SECTIONS: SearchInfo = SearchInfo::new::<Settings>(
    "sections",
    "annealing that replaces a section of the path by one of those found between its ends",
    "P. Shaw, CP 1998 (large neighbourhoods); J. I. Siepmann and D. Frenkel, Molecular Physics 75, 1992 (sections of chains drawn by weight); its use for snakes and coils is ours",
    // Each path is a snake or a coil, so that a limit of playouts ends a run too.
    Unit::Solution("sections replaced"),
);

/// The fewest vertices of a section inside a path, if `k - 1` is not more and the path is not too short.
const SHORTEST: u64 = 4;
/// The most vertices of a replacement before it joins the other end: the search for it is recursive.
const DEEPEST: usize = 300;
/// Coolings after which their length no longer doubles.
const DOUBLINGS: u64 = 20;

/// Returns the method.
pub(crate) fn make(problem: &Snakes, settings: &ParameterValues) -> Option<Box<dyn ProblemSearch<Snakes>>> {
    Some(Box::new(Sections::new(problem, settings.read().ok()?)))
}

/// Whether there are sections to replace: the longest paths are not short, and do not visit every vertex.
pub(crate) fn fits(problem: &Snakes) -> bool {
    problem.terms.spread > 1 && problem.terms.dimension > problem.terms.spread + 1
}

/// How far the search has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Progress {
    /// The vertices of the path or cycle as it is.
    walk: Vec<u16>,
    best: Best,
    /// The number of this cooling.
    cooling: u64,
    /// Sections that were replaced in it.
    done: u64,
}

/// A path or cycle around a section of it.
struct Parts<'a> {
    /// The last `k` vertices before the section.
    before: &'a [u16],
    section: &'a [u16],
    /// The first `k - 1` vertices behind the section; none if it is the end of a snake.
    behind: &'a [u16],
    /// All other vertices. The first of `before` is among them.
    others: [&'a [u16]; 2],
}

impl<'a> Parts<'a> {
    /// Divides a walk at the section from `first` to before `end`. `first` is `k` or more. In a cycle the section is at
    /// the end of the list, and in a path `k` vertices or more follow it, or none.
    fn new(walk: &'a [u16], kind: Kind, k: usize, first: usize, end: usize) -> Self {
        let (behind, others) = match kind {
            Kind::Coil => (&walk[..k - 1], [&walk[k - 1..=first - k], &[]]),
            Kind::Snake if end == walk.len() => (&[][..], [&walk[..=first - k], &[]]),
            Kind::Snake => (&walk[end..end + k - 1], [&walk[..=first - k], &walk[end + k - 1..]]),
        };
        Self { before: &walk[first - k..first], section: &walk[first..end], behind, others }
    }
}

/// Annealing of paths. A step removes a section and draws what comes in its place.
///
/// A search in random order, of a limited number of vertices, finds paths between the two ends that keep the rule with
/// all that is left. At the end of a snake it finds paths that begin there. One of them, or the old section, is drawn
/// with a weight of `exp(n / T)`, where `n` is its number of vertices and `T` the temperature. If the search sees all
/// of them, this is the draw of a heat bath for the section: no step is rejected.
///
/// The temperature goes from `start` to `end` in a geometric sequence. Then the next cooling begins with the path as
/// it is.
#[derive(Debug)]
struct Sections {
    settings: Settings,
    progress: Progress,
    draws: Draws,
}

type Draws = ByWidth<Draw<4>, Draw<16>, Draw<MAX_WORDS>>;

impl Draws {
    /// Draws what comes in the place of a section, of so many vertices that are tried.
    fn draw(&mut self, problem: &Snakes, parts: &Parts<'_>, (temperature, tried): (f64, u64), rng: &mut Rng) -> &[u16] {
        by_width!(&problem.rules, self => rules, draw; {
            draw.begin(rules, parts);
            (draw.at.temperature, draw.at.left) = (temperature, tried);
            draw.continue_path(rules, rng);
            &draw.at.drawn
        })
    }
}

/// A section that is replaced, and what has been drawn for it so far.
#[derive(Debug, Default)]
struct Section {
    /// The last `k` vertices before the section, and those of a replacement.
    path: Vec<u16>,
    /// The first `k - 1` vertices behind the section; none if it is the end of a snake.
    behind: Vec<u16>,
    /// Vertices that may still be tried.
    left: u64,
    /// The weight of a section by its number of vertices is `exp((n - most) / temperature)`.
    temperature: f64,
    old: Vec<u16>,
    /// The number of vertices of the longest section found so far.
    most: usize,
    /// The sum of the weights so far, and the section that was drawn from them.
    sum: f64,
    drawn: Vec<u16>,
}

/// A section with what the rest of the path blocks for it.
#[derive(Debug)]
struct Draw<const W: usize> {
    at: Section,
    /// The vertices closer than `k` to one behind the section.
    close: [u64; W],
    /// What is blocked for the vertex after the head, by the number of vertices of the replacement: the balls around
    /// all other vertices but the first `k - 1` behind the section and the last `k - 1` before the head.
    blocked: Vec<[u64; W]>,
}

impl Sections {
    fn new(problem: &Snakes, settings: Settings) -> Self {
        let words = words(problem.terms.dimension, 0);
        Self { settings, progress: Progress::default(), draws: of_width!(words, W => Draw::<W>::new()) }
    }

    /// Sections replaced in the cooling of this number.
    fn sections_of(&self, cooling: u64) -> u64 {
        self.settings.steps.saturating_mul(1 << cooling.min(DOUBLINGS))
    }

    /// Sections replaced in this cooling.
    fn length(&self) -> u64 {
        self.sections_of(self.progress.cooling)
    }

    fn temperature(&self) -> f64 {
        let Settings { start, end, .. } = self.settings;
        start * libm::pow(end / start, self.progress.done as f64 / self.length() as f64)
    }

    /// Replaces a section.
    fn replace(&mut self, problem: &Snakes, rng: &mut Rng) {
        let (temperature, longest) = (self.temperature(), self.settings.longest);
        let (walk, k) = (&mut self.progress.walk, problem.terms.spread as usize);
        let shortest = SHORTEST.min(longest).max(k as u64 - 1);
        let vertices = (shortest + rng.index((longest.max(shortest) - shortest + 1) as usize) as u64) as usize;
        if rng.chance(0.5) {
            walk.reverse();
        }
        let count = walk.len();
        let (first, end) = match problem.terms.kind {
            Kind::Coil => {
                walk.rotate_left(rng.index(count));
                (count - vertices.min(count - 2 * k - 2), count)
            }
            Kind::Snake => {
                let first = k + rng.index(count - k + 1);
                // If fewer than `k` vertices follow the section, they belong to it.
                (first, Some(first + vertices).filter(|end| end + k <= count).unwrap_or(count))
            }
        };
        let parts = Parts::new(walk, problem.terms.kind, k, first, end);
        let drawn = self.draws.draw(problem, &parts, (temperature, self.settings.tried), rng);
        walk.splice(first..end, drawn.iter().copied());
        self.progress.done += 1;
        if self.progress.done >= self.length() {
            (self.progress.cooling, self.progress.done) = (self.progress.cooling.saturating_add(1), 0);
        }
    }

    /// The number of edges of the path or cycle.
    fn edges(&self, kind: Kind) -> u32 {
        self.progress.walk.len() as u32 - u32::from(kind == Kind::Snake)
    }

    /// The flips of the path, or of the part of the cycle that determines it, in canonical form.
    fn flips(&self, problem: &Snakes) -> Vec<u8> {
        let walk: Vec<u32> = self.progress.walk.iter().map(|&vertex| vertex.into()).collect();
        let left = if problem.terms.kind == Kind::Snake { 1 } else { problem.terms.spread as usize };
        let mut flips = flips_around(&walk);
        flips.truncate(walk.len() - left);
        canonical(flips)
    }

    /// Continues from the path or cycle of these moves.
    fn restart(&mut self, problem: &Snakes, moves: &[u8]) {
        self.progress.walk = problem.answer(moves).into_iter().map(|vertex| vertex as u16).collect();
    }
}

impl Section {
    fn begin(&mut self, parts: &Parts<'_>) {
        let Parts { before, section, behind, .. } = *parts;
        for (list, vertices) in
            [(&mut self.path, before), (&mut self.old, section), (&mut self.drawn, section), (&mut self.behind, behind)]
        {
            list.clear();
            list.extend_from_slice(vertices);
        }
        (self.most, self.sum) = (section.len(), 1.0);
    }

    /// Whether a vertex closer than `k` to the vertices behind the section keeps the rule with them. The rest of the
    /// path must be one of the shortest ways then.
    fn may_join(&self, vertex: u16, k: usize) -> bool {
        let edges = |target: &u16| (vertex ^ target).count_ones() as usize;
        let Some(least) = self.behind.first().map(edges).filter(|&least| least < k) else { return false };
        self.behind.iter().zip(least..).all(|(target, along)| edges(target) >= along.min(k))
    }

    /// Takes the replacement with a probability of its part of all weights so far.
    fn found(&mut self, k: usize, rng: &mut Rng) {
        let new = &self.path[k..];
        // The ends of a section of fewer than `k - 1` vertices are closer than `k`, and stay so. By the rule each way
        // between them is a shortest one.
        let is_short = !self.behind.is_empty() && self.old.len() + 1 < k;
        if new == self.old || is_short && new.len() != self.old.len() {
            return;
        }
        let relative = |length: usize, to: usize| libm::exp((length as f64 - to as f64) / self.temperature);
        if new.len() > self.most {
            // Weights are relative to the largest one, so that no sum is too large for a number.
            self.sum *= relative(self.most, new.len());
            self.most = new.len();
        }
        let weight = relative(new.len(), self.most);
        self.sum += weight;
        if rng.unit() * self.sum < weight {
            self.drawn.clear();
            self.drawn.extend_from_slice(new);
        }
    }
}

impl<const W: usize> Draw<W> {
    fn new() -> Self {
        Self { at: Section::default(), close: [0; W], blocked: Vec::new() }
    }

    /// Begins with the old section as the only one.
    fn begin(&mut self, rules: &Rules<W>, parts: &Parts<'_>) {
        self.at.begin(parts);
        self.close = [0; W];
        for &vertex in parts.behind {
            add_ball(&mut self.close, vertex.into(), &rules.near);
        }
        // The `k - 1` vertices on either side of the section are looked at one by one.
        let mut blocked = [0; W];
        for vertices in parts.others {
            for &vertex in vertices {
                add_ball(&mut blocked, vertex.into(), &rules.near);
            }
        }
        self.blocked.clear();
        self.blocked.push(blocked);
    }

    /// Finds paths that continue this one.
    fn continue_path(&mut self, rules: &Rules<W>, rng: &mut Rng) {
        let (k, is_end) = (rules.spread as usize, self.at.behind.is_empty());
        if is_end {
            self.at.found(k, rng);
        }
        let (Some(&head), Some(&blocked)) = (self.at.path.last(), self.blocked.last()) else { return };
        let recent = self.at.path.windows(2).rev().take(k - 1).fold(0, |flips, pair| flips | (pair[0] ^ pair[1]));
        let into = flips_into::<W>(|word| blocked[word], head.into()) | u32::from(recent);
        let mut legal = !into & ((1 << rules.dimension) - 1);
        if self.blocked.len() > DEEPEST {
            legal = 0;
        }
        while legal != 0 && self.at.left > 0 {
            self.at.left -= 1;
            let bit = nth::<W>(legal, rng.index(count::<W>(legal)));
            legal &= !(1 << bit);
            let next = head ^ 1 << bit;
            self.at.path.push(next);
            if is_end || !holds(&self.close, next.into()) {
                let mut blocked = blocked;
                add_ball(&mut blocked, self.at.path[self.at.path.len() - k].into(), &rules.near);
                self.blocked.push(blocked);
                self.continue_path(rules, rng);
                self.blocked.pop();
            } else if self.at.may_join(next, k) {
                self.join(rules, rng);
            }
            self.at.path.pop();
        }
    }

    /// Finds the shortest ways from the head to the end of the section.
    fn join(&mut self, rules: &Rules<W>, rng: &mut Rng) {
        let (k, [.., head], [target, ..]) = (rules.spread as usize, &self.at.path[..], &self.at.behind[..]) else {
            return;
        };
        let (head, mut bits) = (*head, head ^ target);
        if bits.count_ones() == 1 {
            self.at.found(k, rng);
            return;
        }
        while bits != 0 {
            let next = head ^ bits & bits.wrapping_neg();
            bits &= bits - 1;
            let is_apart = |(vertex, edges): (&u16, usize)| (vertex ^ next).count_ones() as usize >= edges.min(k);
            let is_blocked = self.blocked.last().is_none_or(|blocked| holds(blocked, next.into()));
            if !is_blocked && self.at.path.iter().rev().zip(1..2 * k).all(is_apart) && self.at.may_join(next, k) {
                self.at.path.push(next);
                self.join(rules, rng);
                self.at.path.pop();
            }
        }
    }
}

impl ProblemSearch<Snakes> for Sections {
    fn step(&mut self, problem: &Snakes, work: &mut Work<'_, Snakes>) -> StepStatus {
        if self.progress.walk.is_empty() {
            if let Some((moves, score)) = play(problem, work, &[]) {
                self.progress.best.take(moves, score);
            }
            self.restart(problem, &finished(problem, &[]));
        }
        while work.next_unit() {
            self.replace(problem, work.rng());
            if self.edges(problem.terms.kind) > self.progress.best.length()
                && let Some((moves, score)) = play(problem, work, &self.flips(problem))
            {
                self.progress.best.take(moves, score);
            }
        }
        StepStatus::Running
    }

    fn offer(&mut self, problem: &Snakes, moves: &[u8], score: Score) {
        if score.value().is_some_and(|length| length > f64::from(self.progress.best.length())) {
            self.progress.best.take(moves.to_vec(), score);
            self.restart(problem, moves);
        }
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("coolings", self.progress.cooling as f64),
            ("temperature", self.temperature()),
            ("vertices of the path", self.progress.walk.len() as f64),
        ]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.progress).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, problem: &Snakes, bytes: &[u8]) -> Result<(), CheckpointError> {
        const WRONG: CheckpointError = CheckpointError::Corrupt("a search of another cube");
        let Ok((progress, [])) = postcard::take_from_bytes::<Progress>(bytes) else { return Err(WRONG) };
        let nodes: Vec<u32> = progress.walk.iter().map(|&vertex| vertex.into()).collect();
        let least = match problem.terms.kind {
            Kind::Snake => problem.terms.spread as usize,
            Kind::Coil => 2 * problem.terms.spread as usize + 3,
        };
        let is_walk = nodes.is_empty()
            || nodes.len() >= least
                && nodes.iter().all(|node| node >> problem.terms.dimension == 0)
                && violation(&nodes, problem.terms.spread, problem.terms.kind).is_none();
        let is_sound = is_walk && progress.done < self.sections_of(progress.cooling) && progress.best.is_sound(problem);
        if !is_sound {
            return Err(WRONG);
        }
        self.progress = progress;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
