//! Orienteering with time windows: a tour from place 1 and back that collects the most profit (the number of places,
//! the matrix of times, of which none is longer than a way over other places, then profit, opening, closing and service
//! of each place; place 1 closes at the end of the tour).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Acceptance, Dominance, Edits, Found, Key, Neighborhood, Ordering, Prior};
use soloist::{Problem, Score};

/// Sets of places are bits: at most 128 places.
struct Day {
    way: Vec<Vec<u32>>,
    profit: Vec<u32>,
    open: Vec<u32>,
    close: Vec<u32>,
    service: Vec<u32>,
}

/// Where the tour is and when, the profit so far, and the places that it can reach next, with what they offer.
#[derive(Clone)]
struct Walk {
    last: usize,
    now: u32,
    profit: u32,
    reach: u128,
    offer: u32,
}

impl Day {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&count, rest) = numbers.split_first().filter(|(count, _)| (1..=128).contains(*count))?;
        let count = count as usize;
        if rest.len() != count * (count + 4) || rest.iter().any(|number| *number > 1_000_000) {
            return None;
        }
        let (cells, places) = rest.split_at(count * count);
        let column = |at: usize| places.iter().skip(at).step_by(4).copied().collect();
        let way = cells.chunks(count).map(<[u32]>::to_vec).collect();
        Some(Self { way, profit: column(0), open: column(1), close: column(2), service: column(3) })
    }

    /// When the service at a place ends, if it can begin in time and leaves time for the way back.
    fn end(&self, walk: &Walk, place: usize) -> Option<u32> {
        let begin = (walk.now + self.way[walk.last][place]).max(self.open[place]);
        let end = begin + self.service[place];
        (begin <= self.close[place] && end + self.way[place][0] <= self.close[0]).then_some(end)
    }

    /// Keeps the places that can be reached.
    fn reach(&self, walk: &mut Walk) {
        walk.offer = 0;
        for place in 1..self.way.len() {
            if walk.reach >> place & 1 == 1 {
                match self.end(walk, place) {
                    Some(_) => walk.offer += self.profit[place],
                    None => walk.reach &= !(1 << place),
                }
            }
        }
    }
}

impl Problem for Day {
    type State = Walk;
    /// The next place.
    type Move = u8;

    fn root(&self) -> Walk {
        let all = u128::MAX >> (128 - self.way.len()) & !1;
        let mut walk = Walk { last: 0, now: self.open[0], profit: 0, reach: all, offer: 0 };
        self.reach(&mut walk);
        walk
    }
    fn moves(&self, walk: &Walk, moves: &mut Vec<u8>) {
        moves.extend((1..self.way.len()).filter(|place| walk.reach >> place & 1 == 1).map(|place| place as u8));
    }
    fn apply(&self, walk: &mut Walk, place: u8) {
        let next = usize::from(place);
        walk.now = self.end(walk, next).unwrap_or(walk.now);
        walk.last = next;
        walk.profit += self.profit[next];
        walk.reach &= !(1 << place);
        self.reach(walk);
    }
    fn score(&self, walk: &Walk) -> Score {
        Score::Feasible(walk.profit.into())
    }
    fn bound(&self, walk: &Walk) -> Option<f64> {
        Some((walk.profit + walk.offer).into())
    }
    fn code(&self, walk: &Walk, place: u8) -> u64 {
        (walk.last * self.way.len()) as u64 + u64::from(place)
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
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Visits::default()))
    }
}

/// A tour that is edited: some visits are taken out, and others put in where they delay the tour least.
#[derive(Default)]
struct Visits {
    tour: Vec<usize>,
    /// The tour before the edit.
    before: Vec<usize>,
    /// When the service at each place of the tour begins, and when it must.
    begin: Vec<u32>,
    latest: Vec<u32>,
}

impl Visits {
    /// Profit counts; of tours with the same profit the shortest one is the best, because more can be put into it.
    fn value(&self, day: &Day) -> f64 {
        let stops = || std::iter::once(&0).chain(&self.tour);
        let way: u32 = stops().zip(self.tour.iter().chain([&0])).map(|(&a, &b)| day.way[a][b]).sum();
        let profit: u32 = self.tour.iter().map(|&place| day.profit[place]).sum();
        f64::from(way) / f64::from(1 + day.close[0]) - f64::from(profit)
    }

    /// Computes when services begin, forwards, and when they must, backwards.
    fn schedule(&mut self, day: &Day) {
        let Self { tour, begin, latest, .. } = self;
        begin.clear();
        let (mut end, mut last) = (day.open[0], 0);
        for &place in &*tour {
            begin.push((end + day.way[last][place]).max(day.open[place]));
            (end, last) = (begin[begin.len() - 1] + day.service[place], place);
        }
        latest.clear();
        latest.resize(tour.len() + 1, day.close[0]);
        for at in (0..tour.len()).rev() {
            let (place, next) = (tour[at], tour.get(at + 1).copied().unwrap_or(0));
            // A tour that is in time leaves this much.
            latest[at] = day.close[place].min(latest[at + 1] - day.way[place][next] - day.service[place]);
        }
    }

    /// Puts a place where it delays the tour least, if it fits.
    fn put_in(&mut self, day: &Day, place: usize) {
        if place == 0 || self.tour.contains(&place) {
            return;
        }
        let mut best: Option<(u32, usize)> = None;
        for at in 0..=self.tour.len() {
            let last = at.checked_sub(1).map_or(0, |at| self.tour[at]);
            let end = if at == 0 { day.open[0] } else { self.begin[at - 1] + day.service[last] };
            let begin = (end + day.way[last][place]).max(day.open[place]);
            let next = begin + day.service[place] + day.way[place][self.tour.get(at).copied().unwrap_or(0)];
            let delay = next.saturating_sub(self.begin.get(at).copied().unwrap_or(end + day.way[last][0]));
            if begin <= day.close[place] && next <= self.latest[at] && best.is_none_or(|best| delay < best.0) {
                best = Some((delay, at));
            }
        }
        if let Some((_, at)) = best {
            self.tour.insert(at, place);
            self.schedule(day);
        }
    }
}

impl Edits<Day> for Visits {
    fn propose(&mut self, day: &Day, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        let (rng, old) = (&mut acceptance.rng, self.value(day));
        self.before.clone_from(&self.tour);
        let first = rng.index(self.tour.len() + 1);
        let count = rng.index(4).min(self.tour.len() - first);
        self.tour.drain(first..first + count);
        self.schedule(day);
        for _ in 0..=rng.index(4) {
            self.put_in(day, rng.index(day.way.len()));
        }
        // A tour to which something can be added is not finished.
        (1..day.way.len()).for_each(|place| {
            let (last, end) = self
                .tour
                .last()
                .map_or((0, day.open[0]), |&last| (last, self.begin[self.begin.len() - 1] + day.service[last]));
            let begin = (end + day.way[last][place]).max(day.open[place]);
            if begin <= day.close[place] && begin + day.service[place] + day.way[place][0] <= day.close[0] {
                self.put_in(day, place);
            }
        });
        Some(self.value(day) - old)
    }
    fn accept(&mut self, _: &Day) {}
    fn reject(&mut self, day: &Day) {
        self.tour.clone_from(&self.before);
        self.schedule(day);
    }
}

impl Neighborhood<Day> for Visits {
    fn start(&mut self, day: &Day, moves: &[u8]) -> bool {
        self.tour = moves.iter().map(|&place| place.into()).collect();
        self.schedule(day);
        true
    }
    fn cost(&self, day: &Day) -> f64 {
        self.value(day)
    }
    fn moves(&self, _: &Day, moves: &mut Vec<u8>) {
        moves.extend(self.tour.iter().map(|&place| place as u8));
    }
}

impl Prior<Day> for Day {
    /// The logarithm of the profit for the time until it is collected.
    fn bias(&self, walk: &Walk, place: u8) -> f64 {
        let time = self.end(walk, place.into()).map_or(0, |end| end - walk.now);
        (f64::from(self.profit[usize::from(place)].max(1)) / f64::from(time.max(1))).ln()
    }
}

/// Whether a walk is ahead of another one: the same place, the same places in reach, and no later.
impl Dominance<Day> for Day {
    fn future(&self, walk: &Walk) -> (Key, f64) {
        (Key::of(&(walk.reach, walk.last)), walk.profit.into())
    }
    fn resources(&self, walk: &Walk, resources: &mut Vec<f64>) {
        resources.push(-f64::from(walk.now));
    }
}

impl Ordering<Day> for Day {
    fn identity(&self, _: &Walk, place: u8) -> u64 {
        place.into()
    }
    /// What is out of reach stays so.
    fn find(&self, walk: &Walk, place: u64) -> Found<u8> {
        let is_near = place < 128 && walk.reach >> place & 1 == 1;
        if is_near { Found::Move(place as u8) } else { Found::Gone }
    }
}

const SIX: &str = "6  0 4 6 8 5 7  4 0 3 6 7 9  6 3 0 4 8 5  8 6 4 0 6 3  5 7 8 6 0 4  7 9 5 3 4 0
    0 0 30 0  5 2 8 2  7 5 14 2  9 8 20 3  4 0 25 1  6 10 22 2";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(SIX, Day::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most profit of all tours that begin as `tour` does.
    fn most(day: &Day, tour: &mut Vec<usize>) -> Option<u32> {
        let mut now = 0;
        for pair in tour.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            now = (now + day.way[from][to]).max(day.open[to]);
            if now > day.close[to] {
                return None;
            }
            now += day.service[to];
        }
        if now + day.way[*tour.last()?][0] > day.close[0] {
            return None;
        }
        let mut best: u32 = tour.iter().map(|&place| day.profit[place]).sum();
        for next in (1..6).filter(|next| !tour.contains(next)).collect::<Vec<_>>() {
            tour.push(next);
            best = best.max(most(day, tour).unwrap_or(0));
            tour.pop();
        }
        Some(best)
    }

    #[test]
    fn proves_the_best_tour_of_all() {
        let day = Day::parse(SIX).unwrap();
        common::prove(&day, most(&day, &mut vec![0]).unwrap().into(), &["dfs", "cabs", "best-first"]);
        assert!(Day::parse("2  0 1 1 0  0 0 9 0").is_none());
    }
}
