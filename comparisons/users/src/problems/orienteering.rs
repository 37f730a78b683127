//! Orienteering: a tour over some of 80 places, within their windows of time, that collects the most.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, anneal, reorder};
use soloist::problem::{Dominance, Found, Key, Ordering, Prior};
use soloist::{Problem, Rng, Score};

const PLACES: usize = 80;
const CLOSE: f64 = 300.0;

/// Ways, and profit, opening and closing of each place; the tour begins and ends at place 0.
pub(crate) struct Day {
    way: Vec<Vec<f64>>,
    profit: Vec<u32>,
    window: Vec<(f64, f64)>,
}

#[derive(Clone)]
pub(crate) struct Walk {
    last: usize,
    now: f64,
    profit: u32,
    /// The places that can still come next.
    reach: u128,
}

impl Instance for Day {
    /// Wide windows, of a quarter to three quarters of the day.
    fn instance() -> Self {
        let mut rng = Rng::new(80);
        let places: Vec<(f64, f64)> = (0..PLACES).map(|_| (100.0 * rng.unit(), 100.0 * rng.unit())).collect();
        let way = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
        let mut window = || {
            let length = CLOSE * (0.25 + 0.5 * rng.unit());
            let open = (CLOSE - length) * rng.unit();
            (open, open + length)
        };
        Self {
            way: places.iter().map(|a| places.iter().map(|b| way(a, b)).collect()).collect(),
            window: (0..PLACES).map(|_| window()).collect(),
            profit: (0..PLACES).map(|_| 5 + rng.below(36) as u32).collect(),
        }
    }
}

impl Day {
    /// When the tour is at a place, if that is in time and leaves time for the way back.
    fn arrival(&self, walk: &Walk, place: usize) -> Option<f64> {
        let at = (walk.now + self.way[walk.last][place]).max(self.window[place].0);
        (at <= self.window[place].1 && at + self.way[place][0] <= CLOSE).then_some(at)
    }
    fn reach(&self, walk: &Walk) -> impl Iterator<Item = usize> + use<> {
        let reach = walk.reach;
        (1..PLACES).filter(move |place| reach >> place & 1 == 1)
    }
    /// What is out of reach stays so: ways over other places are no shorter.
    fn keep_near(&self, walk: &mut Walk) {
        let near = self.reach(walk).filter(|&place| self.arrival(walk, place).is_some());
        walk.reach = near.fold(0, |reach, place| reach | 1 << place);
    }
    /// Visits the places of an order that can be reached.
    fn follow(&self, order: &[usize]) -> (u32, Vec<usize>) {
        let (mut walk, mut visits) = (Walk { last: 0, now: 0.0, profit: 0, reach: 0 }, Vec::new());
        for &place in order {
            if let Some(at) = self.arrival(&walk, place) {
                walk = Walk { last: place, now: at, profit: walk.profit + self.profit[place], reach: 0 };
                visits.push(place);
            }
        }
        (walk.profit, visits)
    }
}

impl Problem for Day {
    type State = Walk;
    /// The next place.
    type Move = usize;

    fn root(&self) -> Walk {
        let mut walk = Walk { last: 0, now: 0.0, profit: 0, reach: (1 << PLACES) - 2 };
        self.keep_near(&mut walk);
        walk
    }
    fn moves(&self, walk: &Walk, moves: &mut Vec<usize>) {
        moves.extend(self.reach(walk));
    }
    fn apply(&self, walk: &mut Walk, place: usize) {
        walk.now = self.arrival(walk, place).unwrap_or(walk.now);
        walk.last = place;
        walk.profit += self.profit[place];
        walk.reach &= !(1 << place);
        self.keep_near(walk);
    }
    fn score(&self, walk: &Walk) -> Score {
        Score::Feasible(walk.profit.into())
    }
    fn bound(&self, walk: &Walk) -> Option<f64> {
        Some((walk.profit + self.reach(walk).map(|place| self.profit[place]).sum::<u32>()).into())
    }
    fn code(&self, walk: &Walk, place: usize) -> u64 {
        (walk.last * PLACES + place) as u64
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

impl Prior<Day> for Day {
    /// The logarithm of the profit for the time until it is collected.
    fn bias(&self, walk: &Walk, place: usize) -> f64 {
        let time = self.arrival(walk, place).map_or(1.0, |at| (at - walk.now).max(1.0));
        (f64::from(self.profit[place]) / time).ln()
    }
}

impl Dominance<Day> for Day {
    fn future(&self, walk: &Walk) -> (Key, f64) {
        (Key::of(&(walk.reach, walk.last)), walk.profit.into())
    }
    fn resources(&self, walk: &Walk, resources: &mut Vec<f64>) {
        resources.push(-walk.now);
    }
}

impl Ordering<Day> for Day {
    fn identity(&self, _: &Walk, place: usize) -> u64 {
        place as u64
    }
    fn find(&self, walk: &Walk, place: u64) -> Found<usize> {
        let is_near = place < PLACES as u64 && walk.reach >> place & 1 == 1;
        if is_near { Found::Move(place as usize) } else { Found::Gone }
    }
}

impl ByHand for Day {
    /// Annealing of an order of all places, of which those are visited that can be reached.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<usize> {
        let mut start: Vec<usize> = (1..PLACES).collect();
        start.sort_by(|&a, &b| self.window[a].1.total_cmp(&self.window[b].1));
        let cost = |order: &Vec<usize>| -f64::from(self.follow(order).0);
        let order = anneal((clock, rng), start, (20.0, 1.0), cost, |order, rng| reorder(order, rng));
        self.follow(&order).1
    }
}
