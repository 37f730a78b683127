//! Graph-clear: in which order rooms are swept, so that as few guards as possible are needed at a time. A sweep needs
//! the guards of the room and of its doors; doors between swept rooms and others stay guarded (rooms and doors, the
//! guards of each room, then two rooms, from 1, and the guards of each door).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Found, Key, Ordering};
use soloist::{Problem, Score, Sense};

/// The doors of each room: the room behind and the guards. At most 128 rooms.
struct Rooms {
    doors: Vec<Vec<(usize, u32)>>,
    /// What a sweep of each room needs: the guards of the room and of its doors.
    sweep: Vec<u32>,
}

/// The rooms swept, the guards at doors to others, and the most guards at a time.
#[derive(Clone)]
struct Swept {
    swept: u128,
    cut: u32,
    most: u32,
}

impl Rooms {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<usize> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&[rooms, lines], rest) = numbers.split_first_chunk()?;
        let fits =
            (1..=128).contains(&rooms) && rest.len() == rooms + 3 * lines && rest.iter().all(|&x| x <= 1_000_000);
        let (guards, lines) = rest.split_at_checked(rooms).filter(|_| fits)?;
        let mut doors = vec![Vec::new(); rooms];
        let mut sweep: Vec<u32> = guards.iter().map(|&guards| guards as u32).collect();
        for line in lines.chunks(3) {
            let (a, b) = (line[0].checked_sub(1)?, line[1].checked_sub(1)?);
            if a == b || a.max(b) >= rooms {
                return None;
            }
            for (from, to) in [(a, b), (b, a)] {
                doors[from].push((to, line[2] as u32));
                sweep[from] += line[2] as u32;
            }
        }
        Some(Self { doors, sweep })
    }
}

impl Problem for Rooms {
    type State = Swept;
    /// The next room.
    type Move = u8;

    fn root(&self) -> Swept {
        Swept { swept: 0, cut: 0, most: 0 }
    }
    fn moves(&self, state: &Swept, moves: &mut Vec<u8>) {
        moves.extend((0..self.doors.len()).filter(|room| state.swept >> room & 1 == 0).map(|room| room as u8));
    }
    fn apply(&self, state: &mut Swept, room: u8) {
        let doors = &self.doors[usize::from(room)];
        let (mut inner, mut outer) = (0, 0);
        for &(other, guards) in doors {
            *(if state.swept >> other & 1 == 1 { &mut inner } else { &mut outer }) += guards;
        }
        state.most = state.most.max(state.cut - inner + self.sweep[usize::from(room)]);
        state.cut = state.cut - inner + outer;
        state.swept |= 1 << room;
    }
    fn score(&self, state: &Swept) -> Score {
        Score::Feasible(state.most.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Every room is swept once.
    fn bound(&self, state: &Swept) -> Option<f64> {
        let left = self.sweep.iter().enumerate().filter(|(room, _)| state.swept >> room & 1 == 0);
        Some(left.map(|(_, sweep)| *sweep).max().unwrap_or(0).max(state.most).into())
    }
    /// Few doors to guard.
    fn potential(&self, state: &Swept) -> Option<f64> {
        Some(-f64::from(state.cut))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Rooms> for Rooms {
    /// The doors that are guarded follow from the set of rooms swept.
    fn future(&self, state: &Swept) -> (Key, f64) {
        (Key::of(&state.swept), state.most.into())
    }
}

impl Ordering<Rooms> for Rooms {
    fn identity(&self, _: &Swept, room: u8) -> u64 {
        room.into()
    }
    fn find(&self, state: &Swept, room: u64) -> Found<u8> {
        let is_left = room < self.doors.len() as u64 && state.swept >> room & 1 == 0;
        if is_left { Found::Move(room as u8) } else { Found::Gone }
    }
}

const SEVEN: &str = "7 9  2 1 3 1 2 1 4  1 2 1  2 3 2  3 4 1  4 5 3  5 6 1  6 7 2  7 1 1  2 6 1  3 7 2";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(SEVEN, Rooms::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of the most guards, over all orders that begin as `order` does.
    fn least(rooms: &Rooms, order: &mut Vec<usize>) -> u32 {
        let count = rooms.doors.len();
        if order.len() == count {
            let guards = |step: usize| {
                let cut = order[..step].iter().flat_map(|&room| &rooms.doors[room]);
                let kept = cut.filter(|(other, _)| order[step + 1..].contains(other)).map(|(_, guards)| guards);
                kept.sum::<u32>() + rooms.sweep[order[step]]
            };
            return (0..count).map(guards).max().unwrap();
        }
        let left: Vec<usize> = (0..count).filter(|next| !order.contains(next)).collect();
        let mut best = u32::MAX;
        for next in left {
            order.push(next);
            best = best.min(least(rooms, order));
            order.pop();
        }
        best
    }

    #[test]
    fn proves_the_best_order_of_all() {
        let rooms = Rooms::parse(SEVEN).unwrap();
        common::prove(&rooms, least(&rooms, &mut Vec::new()).into(), &["dfs", "cabs", "best-first"]);
        assert!(Rooms::parse("2 1  1 1  1 3 1").is_none() && Rooms::parse("2 1  1 1  1 1 1").is_none());
    }
}
