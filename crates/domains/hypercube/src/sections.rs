//! The method `sections`: annealing that replaces a section of a path or cycle.

use super::model::Snakes;
use super::one_by_one::{Best, finished, flips_of, play};
use super::path::{add_ball, count, flips_into, holds, nth};
use super::{Kind, canonical, violation};
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
        first: u64 = 20_000, 1..=1_000_000_000_000;
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
pub(crate) fn make<const W: usize>(
    _problem: &Snakes<W>,
    settings: &ParameterValues,
) -> Option<Box<dyn ProblemSearch<Snakes<W>>>> {
    Some(Box::new(Sections::<W>::new(settings.read().ok()?)))
}

/// Whether there are sections to replace: the longest paths are not short, and do not visit every vertex.
pub(crate) fn fits<const W: usize>(problem: &Snakes<W>) -> bool {
    problem.spread > 1 && problem.dimension > problem.spread + 1
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
struct Sections<const W: usize> {
    settings: Settings,
    progress: Progress,
    draw: Draw<W>,
}

/// A section that is replaced, and what has been drawn for it so far.
#[derive(Debug)]
struct Draw<const W: usize> {
    /// The last `k` vertices before the section, and those of a replacement.
    path: Vec<u16>,
    /// The first `k - 1` vertices behind the section; none if it is the end of a snake.
    behind: Vec<u16>,
    /// The vertices closer than `k` to one of those.
    close: [u64; W],
    /// What is blocked for the vertex after the head, by the number of vertices of the replacement: the balls around
    /// all other vertices but the first `k - 1` behind the section and the last `k - 1` before the head.
    blocked: Vec<[u64; W]>,
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

impl<const W: usize> Sections<W> {
    fn new(settings: Settings) -> Self {
        Self { settings, progress: Progress::default(), draw: Draw::new() }
    }

    /// Sections replaced in the cooling of this number.
    fn sections_of(&self, cooling: u64) -> u64 {
        self.settings.first.saturating_mul(1 << cooling.min(DOUBLINGS))
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
    fn replace(&mut self, problem: &Snakes<W>, rng: &mut Rng) {
        let (temperature, longest) = (self.temperature(), self.settings.longest);
        let (walk, k) = (&mut self.progress.walk, problem.spread as usize);
        let shortest = SHORTEST.min(longest).max(k as u64 - 1);
        let vertices = (shortest + rng.index((longest.max(shortest) - shortest + 1) as usize) as u64) as usize;
        if rng.chance(0.5) {
            walk.reverse();
        }
        let count = walk.len();
        let (first, end) = match problem.kind {
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
        let draw = &mut self.draw;
        draw.begin(problem, &Parts::new(walk, problem.kind, k, first, end));
        (draw.temperature, draw.left) = (temperature, self.settings.tried);
        draw.continue_path(problem, rng);
        walk.splice(first..end, draw.drawn.drain(..));
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
    fn flips(&self, problem: &Snakes<W>) -> Vec<u8> {
        let walk: Vec<u32> = self.progress.walk.iter().map(|&vertex| vertex.into()).collect();
        let left = if problem.kind == Kind::Snake { 1 } else { problem.spread as usize };
        canonical(flips_of(&walk).into_iter().take(walk.len() - left))
    }

    /// Continues from the path or cycle of these moves.
    fn restart(&mut self, problem: &Snakes<W>, moves: &[u8]) {
        self.progress.walk = problem.answer(moves).into_iter().map(|vertex| vertex as u16).collect();
    }
}

impl<const W: usize> Draw<W> {
    fn new() -> Self {
        Self {
            path: Vec::new(),
            behind: Vec::new(),
            close: [0; W],
            blocked: Vec::new(),
            left: 0,
            temperature: 1.0,
            old: Vec::new(),
            most: 0,
            sum: 0.0,
            drawn: Vec::new(),
        }
    }

    /// Begins with the old section as the only one.
    fn begin(&mut self, problem: &Snakes<W>, parts: &Parts<'_>) {
        let Parts { before, section, behind, others } = *parts;
        for (list, vertices) in
            [(&mut self.path, before), (&mut self.old, section), (&mut self.drawn, section), (&mut self.behind, behind)]
        {
            list.clear();
            list.extend_from_slice(vertices);
        }
        self.close = [0; W];
        behind.iter().for_each(|&vertex| add_ball(&mut self.close, vertex.into(), &problem.near));
        self.blocked.clear();
        // The `k - 1` vertices on either side of the section are looked at one by one.
        self.blocked.push([0; W]);
        others.into_iter().flatten().for_each(|&vertex| add_ball(&mut self.blocked[0], vertex.into(), &problem.near));
        (self.most, self.sum) = (section.len(), 1.0);
    }

    /// Finds paths that continue this one.
    fn continue_path(&mut self, problem: &Snakes<W>, rng: &mut Rng) {
        let (k, is_end) = (problem.spread as usize, self.behind.is_empty());
        if is_end {
            self.found(k, rng);
        }
        let (Some(&head), Some(&blocked)) = (self.path.last(), self.blocked.last()) else { return };
        let recent = self.path.windows(2).rev().take(k - 1).fold(0, |flips, pair| flips | (pair[0] ^ pair[1]));
        let into = flips_into::<W>(|word| blocked[word], head.into()) | u32::from(recent);
        let mut legal = !into & ((1 << problem.dimension) - 1);
        if self.blocked.len() > DEEPEST {
            legal = 0;
        }
        while legal != 0 && self.left > 0 {
            self.left -= 1;
            let bit = nth::<W>(legal, rng.index(count::<W>(legal)));
            legal &= !(1 << bit);
            let next = head ^ 1 << bit;
            self.path.push(next);
            if is_end || !holds(&self.close, next.into()) {
                let mut blocked = blocked;
                add_ball(&mut blocked, self.path[self.path.len() - k].into(), &problem.near);
                self.blocked.push(blocked);
                self.continue_path(problem, rng);
                self.blocked.pop();
            } else if self.may_join(next, k) {
                self.join(problem, rng);
            }
            self.path.pop();
        }
    }

    /// Whether a vertex closer than `k` to the vertices behind the section keeps the rule with them. The rest of the
    /// path must be one of the shortest ways then.
    fn may_join(&self, vertex: u16, k: usize) -> bool {
        let edges = |target: &u16| (vertex ^ target).count_ones() as usize;
        let Some(least) = self.behind.first().map(edges).filter(|&least| least < k) else { return false };
        self.behind.iter().zip(least..).all(|(target, along)| edges(target) >= along.min(k))
    }

    /// Finds the shortest ways from the head to the end of the section.
    fn join(&mut self, problem: &Snakes<W>, rng: &mut Rng) {
        let (k, [.., head], [target, ..]) = (problem.spread as usize, &self.path[..], &self.behind[..]) else { return };
        let (head, mut bits) = (*head, head ^ target);
        if bits.count_ones() == 1 {
            self.found(k, rng);
            return;
        }
        while bits != 0 {
            let next = head ^ bits & bits.wrapping_neg();
            bits &= bits - 1;
            let is_apart = |(vertex, edges): (&u16, usize)| (vertex ^ next).count_ones() as usize >= edges.min(k);
            let is_blocked = self.blocked.last().is_none_or(|blocked| holds(blocked, next.into()));
            if !is_blocked && self.path.iter().rev().zip(1..2 * k).all(is_apart) && self.may_join(next, k) {
                self.path.push(next);
                self.join(problem, rng);
                self.path.pop();
            }
        }
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

impl<const W: usize> ProblemSearch<Snakes<W>> for Sections<W> {
    fn step(&mut self, problem: &Snakes<W>, work: &mut Work<'_, Snakes<W>>) -> StepStatus {
        if self.progress.walk.is_empty() {
            if let Some((moves, score)) = play(problem, work, &[]) {
                self.progress.best.take(moves, score);
            }
            self.restart(problem, &finished(problem, &[]));
        }
        while work.next_unit() {
            self.replace(problem, work.rng());
            if self.edges(problem.kind) > self.progress.best.length()
                && let Some((moves, score)) = play(problem, work, &self.flips(problem))
            {
                self.progress.best.take(moves, score);
            }
        }
        StepStatus::Running
    }

    fn offer(&mut self, problem: &Snakes<W>, moves: &[u8], score: Score) {
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

    fn load(&mut self, problem: &Snakes<W>, bytes: &[u8]) -> Result<(), CheckpointError> {
        const WRONG: CheckpointError = CheckpointError::Corrupt("a search of another cube");
        let Ok((progress, [])) = postcard::take_from_bytes::<Progress>(bytes) else { return Err(WRONG) };
        let nodes: Vec<u32> = progress.walk.iter().map(|&vertex| vertex.into()).collect();
        let least = match problem.kind {
            Kind::Snake => problem.spread as usize,
            Kind::Coil => 2 * problem.spread as usize + 3,
        };
        let is_walk = nodes.is_empty()
            || nodes.len() >= least
                && nodes.iter().all(|node| node >> problem.dimension == 0)
                && violation(&nodes, problem.spread, problem.kind).is_none();
        let is_sound = is_walk && progress.done < self.sections_of(progress.cooling) && progress.best.is_sound(problem);
        if !is_sound {
            return Err(WRONG);
        }
        self.progress = progress;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cube;
    use super::super::one_by_one::{after, legal_part};
    use super::*;
    use std::collections::BTreeSet;

    fn snakes(kind: Kind, dimension: u32, spread: u32) -> Snakes<4> {
        Snakes::new(kind, &Cube::new(dimension, spread).unwrap(), Default::default(), Default::default())
    }

    fn search(problem: &Snakes<4>) -> Sections<4> {
        let mut search = Sections::new(Settings::default());
        search.restart(problem, &finished(problem, &[]));
        search
    }

    fn nodes(walk: &[u16]) -> Vec<u32> {
        walk.iter().map(|&vertex| vertex.into()).collect()
    }

    /// All sections between `before` and `behind` by the definition, one flip after the other. In a cycle `before`
    /// begins with `behind`.
    fn all_sections(problem: &Snakes<4>, before: &[u16], behind: &[u16]) -> BTreeSet<Vec<u16>> {
        let mut found = BTreeSet::new();
        let mut sections = vec![Vec::new()];
        let (begin, end) = match problem.kind {
            Kind::Snake => (0, behind),
            Kind::Coil => (problem.spread as usize - 1, &[][..]),
        };
        while let Some(section) = sections.pop() {
            // Without its first `k - 1` vertices a part of a cycle is a path that keeps the rule.
            let path = [&before[begin..], &section].concat();
            if violation(&nodes(&path), problem.spread, Kind::Snake).is_some() {
                continue;
            }
            let whole = [before, &section, end].concat();
            if violation(&nodes(&whole), problem.spread, problem.kind).is_none() {
                found.insert(section.clone());
            }
            let last = path[path.len() - 1];
            sections.extend((0..problem.dimension).map(|bit| [&section[..], &[last ^ 1 << bit]].concat()));
        }
        found
    }

    /// Every section that is possible is drawn where temperatures are high, and no other one.
    #[test]
    fn replacements_are_those_of_the_definition() {
        let mut rng = Rng::new(5);
        let (mut compared, mut several) = (0, 0);
        let cells =
            [(Kind::Snake, 5, 2), (Kind::Coil, 5, 2), (Kind::Snake, 6, 3), (Kind::Coil, 6, 3), (Kind::Snake, 6, 4)];
        for (kind, dimension, spread) in cells {
            let problem = snakes(kind, dimension, spread);
            let k = spread as usize;
            let mut search = search(&problem);
            for _ in 0..60 {
                // Another path.
                (0..5).for_each(|_| search.replace(&problem, &mut rng));
                let walk = search.progress.walk.clone();
                assert_eq!(violation(&nodes(&walk), spread, kind), None);
                let count = walk.len();
                let (first, end) = match kind {
                    Kind::Coil => (count - (1 + rng.index(count - 2 * k - 2)), count),
                    Kind::Snake => {
                        let first = k + rng.index(count - k + 1);
                        let end = first + rng.index(5);
                        (first, if end + k > count { count } else { end })
                    }
                };
                if first == end && end < count {
                    continue;
                }
                let behind = if kind == Kind::Coil { &walk[..k - 1] } else { &walk[end..] };
                let expected = all_sections(&problem, &walk[..first], behind);
                if expected.len() > 300 {
                    continue;
                }
                let mut drawn = BTreeSet::new();
                let mut draw_within = |tried: u64, rng: &mut Rng| {
                    let draw = &mut search.draw;
                    draw.begin(&problem, &Parts::new(&walk, kind, k, first, end));
                    (draw.temperature, draw.left) = (1e9, tried);
                    draw.continue_path(&problem, rng);
                    draw.drawn.clone()
                };
                // A search that is cut draws one of them too.
                assert!((0..20).all(|tried| expected.contains(&draw_within(tried, &mut rng))));
                for _ in 0..expected.len() * 12 + 20 {
                    drawn.insert(draw_within(u64::MAX, &mut rng));
                }
                assert_eq!(drawn, expected, "{kind:?} d{dimension}k{spread}: {walk:?}, {first} to {end}");
                compared += 1;
                several += usize::from(expected.len() > 1);
            }
        }
        assert!(compared > 150 && several > 60, "{compared} {several}");
    }

    /// The ends of a section of fewer than `k - 1` vertices are closer than `k`, so that only a shortest way may
    /// connect them, in cubes with much room too.
    #[test]
    fn short_sections_are_replaced_by_shortest_ways() {
        let mut rng = Rng::new(7);
        let mut changed = 0;
        for (kind, dimension, spread) in
            [(Kind::Snake, 7, 3), (Kind::Snake, 8, 4), (Kind::Snake, 10, 6), (Kind::Coil, 7, 3), (Kind::Coil, 9, 5)]
        {
            let problem =
                Snakes::<16>::new(kind, &Cube::new(dimension, spread).unwrap(), Default::default(), Default::default());
            let k = spread as usize;
            let mut search = Sections::<16>::new(Settings::default());
            search.restart(&problem, &finished(&problem, &[]));
            for step in 0..300 {
                search.replace(&problem, &mut rng);
                let mut walk = search.progress.walk.clone();
                let vertices = 1 + step % (k - 2);
                if kind == Kind::Snake {
                    walk.truncate(2 * k + vertices);
                }
                let count = walk.len();
                let (first, end) = match kind {
                    Kind::Coil => (count - vertices, count),
                    Kind::Snake => (k, k + vertices),
                };
                if end + k > count && kind == Kind::Snake {
                    continue;
                }
                let draw = &mut search.draw;
                draw.begin(&problem, &Parts::new(&walk, kind, k, first, end));
                (draw.temperature, draw.left) = (1e9, 300);
                draw.continue_path(&problem, &mut rng);
                assert_eq!(draw.drawn.len(), vertices, "{kind:?} d{dimension}k{spread}: {walk:?}");
                changed += usize::from(draw.drawn != walk[first..end]);
                walk.splice(first..end, draw.drawn.drain(..));
                assert_eq!(violation(&nodes(&walk), spread, kind), None, "{kind:?} d{dimension}k{spread}: {walk:?}");
            }
        }
        assert!(changed > 10, "{changed}");
    }

    /// Whatever the parameters are, the path or cycle keeps the rule, so that a run continues from what it has saved.
    #[test]
    fn what_is_saved_is_read_back_with_each_spread_and_length() {
        for kind in [Kind::Snake, Kind::Coil] {
            for (dimension, spread) in [(6, 2), (7, 3), (8, 4), (9, 5), (10, 6), (11, 7)] {
                let cube = Cube::new(dimension, spread).unwrap();
                let problem = Snakes::<32>::new(kind, &cube, Default::default(), Default::default());
                for longest in [1, 2, 3, 4, 7, 14] {
                    let settings = Settings { longest, start: 2.0, tried: 100, ..Settings::default() };
                    let mut search = Sections::<32>::new(settings);
                    search.restart(&problem, &finished(&problem, &[]));
                    let mut rng = Rng::new(longest);
                    for _ in 0..5 {
                        (0..100).for_each(|_| search.replace(&problem, &mut rng));
                        let bytes = search.save();
                        assert!(search.load(&problem, &bytes).is_ok(), "{kind:?} d{dimension}k{spread}: {longest}");
                    }
                }
            }
        }
    }

    /// A section inside a path or cycle is drawn as often as its weight says.
    #[test]
    fn sections_inside_are_drawn_by_weight() {
        const DRAWS: usize = 20_000;
        let mut rng = Rng::new(3);
        for kind in [Kind::Snake, Kind::Coil] {
            let problem = snakes(kind, 5, 2);
            let mut search = search(&problem);
            let mut compared = 0;
            while compared < 3 {
                (0..5).for_each(|_| search.replace(&problem, &mut rng));
                let walk = search.progress.walk.clone();
                let (vertices, count) = (1 + rng.index(6), walk.len());
                let (first, end) = match kind {
                    Kind::Snake => (2, (2 + vertices).min(count - 2)),
                    Kind::Coil => (count - vertices.min(count - 6), count),
                };
                let behind = if kind == Kind::Coil { &walk[..1] } else { &walk[end..] };
                let all = all_sections(&problem, &walk[..first], behind);
                if !(4..200).contains(&all.len()) {
                    continue;
                }
                let mut counts = std::collections::BTreeMap::new();
                let draw = &mut search.draw;
                for _ in 0..DRAWS {
                    draw.begin(&problem, &Parts::new(&walk, kind, 2, first, end));
                    (draw.temperature, draw.left) = (2.0, u64::MAX);
                    draw.continue_path(&problem, &mut rng);
                    *counts.entry(draw.drawn.clone()).or_insert(0_usize) += 1;
                }
                let weight = |section: &Vec<u16>| (section.len() as f64 / 2.0).exp();
                let sum: f64 = all.iter().map(weight).sum();
                for section in &all {
                    let (expected, seen) =
                        (weight(section) / sum, *counts.get(section).unwrap_or(&0) as f64 / DRAWS as f64);
                    // Five standard errors.
                    let error = 5.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
                    assert!((seen - expected).abs() <= error + 1e-4, "{kind:?} {section:?}: {seen} {expected}");
                }
                compared += 1;
            }
        }
    }

    /// A section is drawn as often as its weight says.
    #[test]
    fn sections_are_drawn_by_weight() {
        let problem = snakes(Kind::Snake, 4, 2);
        let mut draw = Draw::<4>::new();
        let (walk, mut rng) = ([0, 1, 3, 7], Rng::new(1));
        let mut counts = std::collections::BTreeMap::new();
        const DRAWS: usize = 20_000;
        for _ in 0..DRAWS {
            draw.begin(&problem, &Parts::new(&walk, Kind::Snake, 2, 2, 4));
            // Long sections would be too many to be drawn often.
            (draw.temperature, draw.left) = (0.2, u64::MAX);
            draw.continue_path(&problem, &mut rng);
            *counts.entry(draw.drawn.len()).or_insert(0_usize) += 1;
        }
        let all = all_sections(&problem, &walk[..2], &[]);
        let weight =
            |length: usize| (length as f64 / 0.2).exp() * all.iter().filter(|s| s.len() == length).count() as f64;
        let sum: f64 = (0..20).map(weight).sum();
        for length in 0..20 {
            let (expected, seen) = (weight(length) / sum, *counts.get(&length).unwrap_or(&0) as f64 / DRAWS as f64);
            // Four standard errors.
            let error = 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
            assert!((seen - expected).abs() <= error + 1e-4, "{length}: {seen} {expected}");
        }
    }

    #[test]
    fn coolings_become_longer() {
        let problem = snakes(Kind::Coil, 6, 2);
        let mut search = search(&problem);
        search.settings.first = 10;
        let mut rng = Rng::new(1);
        assert_eq!((search.length(), search.temperature()), (10, 0.5));
        (0..9).for_each(|_| search.replace(&problem, &mut rng));
        assert!((search.temperature() - 0.5 * 0.4_f64.powf(0.9)).abs() < 1e-12);
        search.replace(&problem, &mut rng);
        assert_eq!((search.length(), search.temperature(), search.progress.cooling), (20, 0.5, 1));
        (0..20).for_each(|_| search.replace(&problem, &mut rng));
        assert_eq!((search.length(), search.progress.done), (40, 0));
    }

    #[test]
    fn progress_is_read_back_and_damaged_bytes_are_refused() {
        for kind in [Kind::Snake, Kind::Coil] {
            let problem = snakes(kind, 6, 2);
            let mut search = search(&problem);
            let mut rng = Rng::new(2);
            (0..100).for_each(|_| search.replace(&problem, &mut rng));
            let bytes = search.save();
            let read = |bytes: &[u8]| {
                let mut read = Sections::<4>::new(Settings::default());
                read.load(&problem, bytes).is_ok().then_some(read)
            };
            let mut other = read(&bytes).unwrap();
            let mut twin = rng.clone();
            for _ in 0..50 {
                search.replace(&problem, &mut rng);
                other.replace(&problem, &mut twin);
            }
            assert_eq!(search.progress.walk, other.progress.walk);
            let mut refused = 0;
            for at in 0..bytes.len() {
                for flip in [1, 0x15, 0x80, 0xff] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= flip;
                    match read(&damaged) {
                        Some(mut search) => (0..20).for_each(|_| search.replace(&problem, &mut rng)),
                        None => refused += 1,
                    }
                }
            }
            assert!(refused > 20, "{refused}");
            assert!(read(b"nonsense").is_none());
            // What is refused changes nothing.
            let before = search.progress.walk.clone();
            assert!(search.load(&problem, &[]).is_err() && search.load(&problem, b"nonsense").is_err());
            assert_eq!(search.progress.walk, before);
        }
    }

    /// A solution from outside is continued where it is better.
    #[test]
    fn offers_are_taken_where_they_are_longer() {
        let problem = snakes(Kind::Snake, 6, 2);
        let mut search = search(&problem);
        let long = finished(&problem, &legal_part(&problem, vec![0, 1, 2, 0, 3, 1, 0, 4]));
        let score = soloist::Problem::score(&problem, &after(&problem, &long));
        search.offer(&problem, &long, score);
        assert_eq!(search.flips(&problem), long);
        search.offer(&problem, &[0, 1], Score::Feasible(2.0));
        assert_eq!(search.flips(&problem), long);
    }

    /// Parameters at the ends of their ranges: the recursion stays within the stack of a thread.
    #[test]
    fn long_replacements_fit_on_the_stack() {
        let work = || {
            for kind in [Kind::Snake, Kind::Coil] {
                let problem =
                    Snakes::<128>::new(kind, &Cube::new(13, 2).unwrap(), Default::default(), Default::default());
                let settings =
                    Settings { start: 100.0, end: 100.0, longest: 1_000, tried: 100_000, ..Settings::default() };
                let (mut search, mut rng) = (Sections::<128>::new(settings), Rng::new(1));
                search.restart(&problem, &finished(&problem, &[]));
                (0..10).for_each(|_| search.replace(&problem, &mut rng));
                assert_eq!(violation(&nodes(&search.progress.walk), 2, kind), None);
                assert!(search.draw.blocked.capacity() >= DEEPEST, "{}", search.draw.blocked.capacity());
            }
        };
        std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
    }
}
