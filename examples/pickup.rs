//! Pickup and delivery by one vehicle of limited capacity: the shortest tour from place 1 and back on which each load
//! is taken from one place to another (places, capacity and loads, then the matrix of distances, and for each load the
//! two places, from 1, and its size).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Found, Key, Ordering, Prior};
use soloist::{Problem, Score, Sense};

/// Sets of places are bits: at most 128 places.
struct Tour {
    way: Vec<Vec<u32>>,
    capacity: i64,
    /// What must be visited before each place.
    before: Vec<u128>,
    /// What each place adds to the load.
    change: Vec<i64>,
    /// The shortest way to each place and from it.
    to: Vec<u32>,
    from: Vec<u32>,
}

/// The places visited, the last of them, the load, and what the other ways come to at least by each of their ends.
#[derive(Clone)]
struct Visited {
    places: u128,
    last: usize,
    load: i64,
    length: u32,
    to: u32,
    from: u32,
}

impl Tour {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&[places, capacity, loads], rest) = numbers.split_first_chunk()?;
        let (count, most) = (places as usize, 1_000_000);
        let fits = (2..=128).contains(&count) && rest.len() == count * count + 3 * loads as usize;
        let (cells, loads) =
            rest.split_at_checked(count * count).filter(|_| fits && rest.iter().all(|&x| x <= most))?;
        let (mut before, mut change) = (vec![0; count], vec![0; count]);
        for load in loads.chunks(3) {
            let (a, b) = (load[0].checked_sub(1)? as usize, load[1].checked_sub(1)? as usize);
            if a == b || a.min(b) == 0 || a.max(b) >= count {
                return None;
            }
            before[b] |= 1 << a;
            change[a] += i64::from(load[2]);
            change[b] -= i64::from(load[2]);
        }
        // What comes before a place has what comes before that before it, too.
        for middle in 0..count {
            for place in 0..count {
                if before[place] >> middle & 1 == 1 {
                    before[place] |= before[middle];
                }
            }
        }
        let way: Vec<Vec<u32>> = cells.chunks(count).map(<[u32]>::to_vec).collect();
        // Not from a place to itself or to what must come before it.
        let free = |a: usize, b: usize| a != b && (b == 0 || before[a] >> b & 1 == 0);
        let least = |ways: &mut dyn Iterator<Item = u32>| ways.min().unwrap_or(0);
        let to = (0..count).map(|b| least(&mut (0..count).filter(|&a| free(a, b)).map(|a| way[a][b]))).collect();
        let from = (0..count).map(|a| least(&mut (0..count).filter(|&b| free(a, b)).map(|b| way[a][b]))).collect();
        let is_possible = (0..count).all(|place| before[place] >> place & 1 == 0);
        is_possible.then_some(Self { way, capacity: capacity.into(), before, change, to, from })
    }

    fn is_ready(&self, at: &Visited, place: usize) -> bool {
        self.before[place] & !at.places == 0 && at.load + self.change[place] <= self.capacity
    }
}

impl Problem for Tour {
    type State = Visited;
    /// The next place.
    type Move = u8;

    fn root(&self) -> Visited {
        let (to, from) = (self.to.iter().sum(), self.from.iter().sum());
        Visited { places: 1, last: 0, load: 0, length: 0, to, from }
    }
    fn moves(&self, at: &Visited, moves: &mut Vec<u8>) {
        let left = (0..self.way.len()).filter(|place| at.places >> place & 1 == 0);
        moves.extend(left.filter(|&place| self.is_ready(at, place)).map(|place| place as u8));
    }
    fn apply(&self, at: &mut Visited, place: u8) {
        let place = usize::from(place);
        at.length += self.way[at.last][place];
        at.to -= self.to[place];
        at.from -= self.from[at.last];
        at.load += self.change[place];
        at.places |= 1 << place;
        at.last = place;
    }
    /// With the way back. Where every load that is left is too large, the places missed.
    fn score(&self, at: &Visited) -> Score {
        match self.way.len() as u32 - at.places.count_ones() {
            0 => Score::Feasible((at.length + self.way[at.last][0]).into()),
            missed => Score::Infeasible(missed.into()),
        }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, at: &Visited) -> Option<f64> {
        Some((at.length + at.to.max(at.from)).into())
    }
    fn code(&self, at: &Visited, place: u8) -> u64 {
        (at.last * self.way.len()) as u64 + u64::from(place)
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

impl Prior<Tour> for Tour {
    /// A way that is much longer than the shortest one to the same place is unlikely.
    fn bias(&self, at: &Visited, place: u8) -> f64 {
        let place = usize::from(place);
        let longer = self.way[at.last][place].saturating_sub(self.to[place]);
        -f64::from(longer) * self.way.len() as f64 / f64::from(self.to.iter().sum::<u32>().max(1))
    }
}

impl Dominance<Tour> for Tour {
    /// The load follows from the places visited.
    fn future(&self, at: &Visited) -> (Key, f64) {
        (Key::of(&(at.places, at.last)), at.length.into())
    }
}

impl Ordering<Tour> for Tour {
    fn identity(&self, _: &Visited, place: u8) -> u64 {
        place.into()
    }
    fn find(&self, at: &Visited, place: u64) -> Found<u8> {
        if place >= self.way.len() as u64 || at.places >> place & 1 == 1 {
            return Found::Gone;
        }
        if self.is_ready(at, place as usize) { Found::Move(place as u8) } else { Found::Blocked }
    }
    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
        let place = |place: Option<u64>| place.map_or(0, |place| place as usize);
        Some(self.way[place(before)][place(behind)].into())
    }
}

const SEVEN: &str = "7 5 3  0 4 7 5 9 3 6  4 0 6 8 5 7 2  7 6 0 3 4 9 5  5 8 3 0 6 4 7  9 5 4 6 0 8 3  3 7 9 4 8 0 5
    6 2 5 7 3 5 0  2 5 3  3 6 3  4 7 2";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(SEVEN, Tour::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shortest tour that begins as `order` does; the three loads are those of the text.
    fn least(tour: &Tour, order: &mut Vec<usize>) -> u32 {
        let loads = [(1, 4, 3), (2, 5, 3), (3, 6, 2)];
        let held = loads.iter().filter(|(a, b, _)| order.contains(a) && !order.contains(b));
        let is_late = |&(a, b, _): &(usize, usize, u32)| order.contains(&b) && !order.contains(&a);
        if held.map(|load| load.2).sum::<u32>() > 5 || loads.iter().any(is_late) {
            return u32::MAX;
        }
        if order.len() == 7 {
            return order.iter().zip(order[1..].iter().chain(&[0])).map(|(&a, &b)| tour.way[a][b]).sum();
        }
        let mut best = u32::MAX;
        for next in (1..7).filter(|next| !order.contains(next)).collect::<Vec<_>>() {
            order.push(next);
            best = best.min(least(tour, order));
            order.pop();
        }
        best
    }

    #[test]
    fn proves_the_shortest_tour_of_all() {
        let tour = Tour::parse(SEVEN).unwrap();
        common::prove(&tour, least(&tour, &mut vec![0]).into(), &["dfs", "cabs", "best-first"]);
        assert!(Tour::parse("2 5 1  0 1 1 0  1 2 3").is_none());
        assert!(Tour::parse("3 5 2  0 1 1 1 0 1 1 1 0  2 3 1  3 2 1").is_none());
    }
}
