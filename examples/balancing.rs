//! Line balancing and bin packing: tasks into as few stations as possible, none of which takes longer than the cycle
//! time. A task comes in the same station as its predecessors or a later one; bin packing has no predecessors (tasks
//! and cycle time, the times of the tasks, then the number of precedences, and two tasks, from 1, for each).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Found, Key, Ordering, Prior};
use soloist::{Problem, Score, Sense};

/// A set of at most 512 tasks.
type Set = [u64; 8];

struct Line {
    time: Vec<u32>,
    cycle: u32,
    before: Vec<Set>,
    is_packing: bool,
}

/// The tasks done, the room left in the last station, and sums over the tasks that are left.
#[derive(Clone)]
struct Load {
    done: Set,
    count: u32,
    stations: u32,
    room: u32,
    left: u32,
    halves: u32,
    sixths: u32,
}

fn has(set: &Set, task: usize) -> bool {
    set[task / 64] >> (task % 64) & 1 == 1
}

impl Line {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&[tasks, cycle], rest) = numbers.split_first_chunk()?;
        let (time, rest) = rest.split_at_checked(tasks as usize).filter(|_| (1..=512).contains(&tasks))?;
        let (&precedences, pairs) = rest.split_first()?;
        let is_time = cycle <= 1_000_000 && time.iter().all(|time| (1..=cycle).contains(time));
        if !is_time || pairs.len() != 2 * precedences as usize {
            return None;
        }
        let mut before = vec![Set::default(); time.len()];
        for pair in pairs.chunks(2) {
            // Tasks are numbered so that predecessors come first.
            let (a, b) = (pair[0].checked_sub(1)? as usize, pair[1].checked_sub(1)? as usize);
            before.get_mut(b).filter(|_| a < b)?[a / 64] |= 1 << (a % 64);
        }
        let is_packing = pairs.is_empty();
        // Of items of one size the first one comes first.
        for item in (0..time.len()).filter(|_| is_packing) {
            if let Some(twin) = time[..item].iter().rposition(|size| *size == time[item]) {
                before[item][twin / 64] |= 1 << (twin % 64);
            }
        }
        Some(Self { time: time.to_vec(), cycle, before, is_packing })
    }

    /// What a task counts in halves of a station if none larger than a half shares one, and in sixths likewise by
    /// thirds (A. Scholl and R. Klein, INFORMS Journal on Computing 9, 1997).
    fn parts(&self, task: usize) -> (u32, u32) {
        let (time, cycle) = (self.time[task], self.cycle);
        let halves = (2 * time).cmp(&cycle) as i32 + 1;
        let sixths = match ((3 * time).cmp(&cycle) as i32, (3 * time).cmp(&(2 * cycle)) as i32) {
            (_, 1) => 6,
            (_, 0) => 4,
            (1, _) => 3,
            (0, _) => 2,
            _ => 0,
        };
        (halves as u32, sixths)
    }

    fn is_ready(&self, load: &Load, task: usize) -> bool {
        !has(&load.done, task) && (0..8).all(|word| self.before[task][word] & !load.done[word] == 0)
    }

    /// Whether a task that is ready goes into the last station.
    fn has_room(&self, load: &Load) -> bool {
        (0..self.time.len()).any(|task| self.time[task] <= load.room && self.is_ready(load, task))
    }

    /// The largest one that is left, of equal ones the first: the first in a new bin.
    fn largest(&self, load: &Load) -> Option<usize> {
        (0..self.time.len()).rev().filter(|&task| !has(&load.done, task)).max_by_key(|&task| self.time[task])
    }
}

impl Problem for Line {
    type State = Load;
    /// The next task; it opens a station where nothing else goes into the last one.
    type Move = u16;

    fn root(&self) -> Load {
        let parts: Vec<(u32, u32)> = (0..self.time.len()).map(|task| self.parts(task)).collect();
        let (halves, sixths) = (parts.iter().map(|part| part.0).sum(), parts.iter().map(|part| part.1).sum());
        Load { done: [0; 8], count: 0, stations: 0, room: 0, left: self.time.iter().sum(), halves, sixths }
    }
    fn moves(&self, load: &Load, moves: &mut Vec<u16>) {
        let fits = |&task: &usize| self.time[task] <= load.room;
        moves.extend(
            (0..self.time.len()).filter(fits).filter(|&task| self.is_ready(load, task)).map(|task| task as u16),
        );
        if moves.is_empty() && self.is_packing {
            moves.extend(self.largest(load).map(|task| task as u16));
        } else if moves.is_empty() {
            moves.extend((0..self.time.len()).filter(|&task| self.is_ready(load, task)).map(|task| task as u16));
        }
    }
    fn apply(&self, load: &mut Load, task: u16) {
        let task = usize::from(task);
        if self.time[task] > load.room {
            load.stations += 1;
            load.room = self.cycle;
        }
        let (halves, sixths) = self.parts(task);
        load.room -= self.time[task];
        load.left -= self.time[task];
        load.halves -= halves;
        load.sixths -= sixths;
        load.done[task / 64] |= 1 << (task % 64);
        load.count += 1;
    }
    fn score(&self, load: &Load) -> Score {
        Score::Feasible(load.stations.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, load: &Load) -> Option<f64> {
        let time = load.left.saturating_sub(load.room).div_ceil(self.cycle);
        let halves = load.halves.div_ceil(2).saturating_sub((2 * load.room >= self.cycle).into());
        let thirds = load.sixths.div_ceil(6).saturating_sub((3 * load.room >= self.cycle).into());
        Some((load.stations + time.max(halves).max(thirds)).into())
    }
    /// Where bounds are equal, more stations, because fewer are to come; then the less time that closed stations have
    /// lost.
    fn potential(&self, load: &Load) -> Option<f64> {
        let lost = f64::from(load.stations * self.cycle - load.room + load.left);
        let most = f64::from(self.cycle) * (self.time.len() + 1) as f64;
        Some(f64::from(load.stations) - lost / most)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Line> for Line {
    /// Fewer stations, and then more room in the last one.
    fn future(&self, load: &Load) -> (Key, f64) {
        (Key::of(&load.done), (load.stations * self.cycle - load.room).into())
    }
}

impl Prior<Line> for Line {
    /// Long tasks first.
    fn bias(&self, _: &Load, task: u16) -> f64 {
        5.0 * f64::from(self.time[usize::from(task)]) / f64::from(self.cycle)
    }
}

impl Ordering<Line> for Line {
    fn identity(&self, _: &Load, task: u16) -> u64 {
        task.into()
    }
    fn find(&self, load: &Load, task: u64) -> Found<u16> {
        let task = task as usize;
        if task >= self.time.len() || has(&load.done, task) {
            return Found::Gone;
        }
        let opens = || !self.has_room(load) && (!self.is_packing || self.largest(load) == Some(task));
        let is_legal = self.is_ready(load, task) && (self.time[task] <= load.room || opens());
        if is_legal { Found::Move(task as u16) } else { Found::Blocked }
    }
}

const NINE: &str = "9 10  6 5 4 5 3 2 4 6 3  8  1 3  2 4  2 5  3 6  4 7  5 7  6 8  7 9";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(NINE, Line::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fewest stations, by the last station being any set of tasks that nothing left depends on.
    fn least(line: &Line, set: u64) -> u32 {
        let held = |set: u64| (0..line.time.len()).filter(move |task| set >> task & 1 == 1);
        let mut best = if set == 0 { 0 } else { u32::MAX };
        let mut part = set;
        while part > 0 {
            let fits = held(part).map(|task| line.time[task]).sum::<u32>() <= line.cycle;
            if fits && held(set & !part).all(|task| line.before[task][0] & part == 0) {
                best = best.min(1 + least(line, set & !part));
            }
            part = (part - 1) & set;
        }
        best
    }

    #[test]
    fn proves_the_fewest_stations_and_bins() {
        for text in [NINE, "9 10  6 5 4 5 3 2 4 6 3  0"] {
            let line = Line::parse(text).unwrap();
            common::prove(&line, least(&line, 511).into(), &["dfs", "cabs", "best-first"]);
        }
        assert!(Line::parse("2 5  6 1  0").is_none() && Line::parse("2 5  1 1  1  2 1").is_none());
    }
}
