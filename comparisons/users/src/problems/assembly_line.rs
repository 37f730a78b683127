//! An assembly line: 60 tasks on few stations, each after its predecessors, at most 100 units of time a station.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Dominance, Found, Key, Ordering, Prior};
use soloist::{Problem, Rng, Score, Sense};

const TASKS: usize = 60;
const CYCLE: u32 = 100;

/// The time of each task, and its predecessors as bits.
pub(crate) struct Line {
    time: Vec<u32>,
    before: Vec<u64>,
}

#[derive(Clone)]
pub(crate) struct Stations {
    done: u64,
    count: u32,
    room: u32,
    left: u32,
}

impl Instance for Line {
    fn instance() -> Self {
        let mut rng = Rng::new(61);
        let time = (0..TASKS).map(|_| 10 + rng.below(50) as u32).collect();
        // Predecessors are among the ten tasks before.
        let mut pick =
            |task: usize| (task.saturating_sub(10)..task).filter(|_| rng.chance(0.15)).map(|b| 1_u64 << b).sum();
        Self { time, before: (0..TASKS).map(&mut pick).collect() }
    }
}

impl Line {
    fn is_ready(&self, stations: &Stations, task: usize) -> bool {
        stations.done >> task & 1 == 0 && self.before[task] & !stations.done == 0
    }
}

impl Problem for Line {
    type State = Stations;
    /// The next task: on the present station if one fits there, else on a new one.
    type Move = u8;

    fn root(&self) -> Stations {
        Stations { done: 0, count: 1, room: CYCLE, left: self.time.iter().sum() }
    }
    fn moves(&self, stations: &Stations, moves: &mut Vec<u8>) {
        let ready = || (0..TASKS).filter(|&task| self.is_ready(stations, task));
        let fits = |&task: &usize| self.time[task] <= stations.room;
        let is_full = !ready().any(|task| fits(&task));
        moves.extend(ready().filter(|task| is_full || fits(task)).map(|task| task as u8));
    }
    fn apply(&self, stations: &mut Stations, task: u8) {
        let time = self.time[usize::from(task)];
        if time > stations.room {
            stations.count += 1;
            stations.room = CYCLE;
        }
        stations.room -= time;
        stations.left -= time;
        stations.done |= 1 << task;
    }
    fn score(&self, stations: &Stations) -> Score {
        Score::Feasible(stations.count.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, stations: &Stations) -> Option<f64> {
        let more = stations.left.saturating_sub(stations.room).div_ceil(CYCLE);
        Some((stations.count + more).into())
    }
    /// Time that is lost.
    fn potential(&self, stations: &Stations) -> Option<f64> {
        Some(-f64::from(stations.count * CYCLE - stations.room + stations.left))
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Prior<Line> for Line {
    /// Long tasks first.
    fn bias(&self, _: &Stations, task: u8) -> f64 {
        f64::from(self.time[usize::from(task)]) / 20.0
    }
}

impl Dominance<Line> for Line {
    fn future(&self, stations: &Stations) -> (Key, f64) {
        (Key::of(&stations.done), f64::from(stations.count * CYCLE - stations.room))
    }
}

impl Ordering<Line> for Line {
    fn identity(&self, _: &Stations, task: u8) -> u64 {
        task.into()
    }
    fn find(&self, stations: &Stations, task: u64) -> Found<u8> {
        if task >= TASKS as u64 || stations.done >> task & 1 == 1 {
            return Found::Gone;
        }
        let mut moves = Vec::new();
        self.moves(stations, &mut moves);
        if moves.contains(&(task as u8)) { Found::Move(task as u8) } else { Found::Blocked }
    }
}

impl ByHand for Line {
    /// Station by station, the fullest of 30 random fillings of each; again and again.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let (mut best, mut least) = (Vec::new(), u32::MAX);
        while best.is_empty() || !clock.is_over() {
            let (mut stations, mut line) = (self.root(), Vec::new());
            while line.len() < TASKS {
                let mut fullest = (CYCLE + 1, Vec::new(), stations.clone());
                for _ in 0..30 {
                    let (mut now, mut filling, mut moves) = (stations.clone(), Vec::new(), Vec::new());
                    while {
                        moves.clear();
                        self.moves(&now, &mut moves);
                        moves.retain(|&task| filling.is_empty() || self.time[usize::from(task)] <= now.room);
                        !moves.is_empty()
                    } {
                        filling.push(moves[rng.index(moves.len())]);
                        self.apply(&mut now, filling[filling.len() - 1]);
                    }
                    if now.room < fullest.0 {
                        fullest = (now.room, filling, now);
                    }
                }
                line.extend(fullest.1);
                stations = fullest.2;
            }
            if stations.count < least {
                (best, least) = (line, stations.count);
            }
        }
        best
    }
}
