//! Social golfers: 32 players in groups of four, ten weeks, so that few pairs meet again.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Found, Ordering, Prior};
use soloist::{Problem, Rng, Score, Sense};

const PLAYERS: usize = 32;
const GROUP: usize = 4;
const SEATS: usize = 10 * PLAYERS;

pub(crate) struct Golfers;

/// Who sits where so far, week by week and group by group, how often pairs have met, and how often again.
#[derive(Clone)]
pub(crate) struct Weeks {
    seats: Vec<u8>,
    met: [[u8; PLAYERS]; PLAYERS],
    free: u32,
    again: u32,
}

impl Weeks {
    /// The group that is being filled.
    fn group(&self) -> &[u8] {
        &self.seats[self.seats.len() / GROUP * GROUP..]
    }
    fn again(&self, player: usize) -> u32 {
        self.group().iter().map(|&other| u32::from(self.met[player][usize::from(other)] > 0)).sum()
    }
}

impl Instance for Golfers {
    fn instance() -> Self {
        Self
    }
}

impl Problem for Golfers {
    type State = Weeks;
    /// The player in the next seat.
    type Move = u8;

    fn root(&self) -> Weeks {
        Weeks { seats: Vec::new(), met: [[0; PLAYERS]; PLAYERS], free: u32::MAX, again: 0 }
    }
    fn moves(&self, weeks: &Weeks, moves: &mut Vec<u8>) {
        if weeks.seats.len() < SEATS {
            moves.extend((0..PLAYERS as u8).filter(|player| weeks.free >> player & 1 == 1));
        }
    }
    fn apply(&self, weeks: &mut Weeks, player: u8) {
        let this = usize::from(player);
        weeks.again += weeks.again(this);
        for at in weeks.seats.len() / GROUP * GROUP..weeks.seats.len() {
            let other = usize::from(weeks.seats[at]);
            weeks.met[this][other] += 1;
            weeks.met[other][this] += 1;
        }
        weeks.seats.push(player);
        weeks.free &= !(1 << player);
        if weeks.free == 0 {
            weeks.free = u32::MAX;
        }
    }
    fn score(&self, weeks: &Weeks) -> Score {
        Score::Feasible(weeks.again.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, weeks: &Weeks, player: u8) -> u64 {
        (weeks.seats.len() * PLAYERS) as u64 + u64::from(player)
    }
    fn bound(&self, weeks: &Weeks) -> Option<f64> {
        Some(weeks.again.into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Prior<Golfers> for Golfers {
    fn bias(&self, weeks: &Weeks, player: u8) -> f64 {
        -3.0 * f64::from(weeks.again(player.into()))
    }
}

/// A player in a week.
impl Ordering<Golfers> for Golfers {
    fn identity(&self, weeks: &Weeks, player: u8) -> u64 {
        (weeks.seats.len() / PLAYERS * PLAYERS) as u64 + u64::from(player)
    }
    fn find(&self, weeks: &Weeks, identity: u64) -> Found<u8> {
        let (week, player) = (identity / PLAYERS as u64, identity % PLAYERS as u64);
        let now = (weeks.seats.len() / PLAYERS) as u64;
        match () {
            () if week == now && weeks.free >> player & 1 == 1 && weeks.seats.len() < SEATS => {
                Found::Move(player as u8)
            }
            () if week > now && week < (SEATS / PLAYERS) as u64 => Found::Blocked,
            () => Found::Gone,
        }
    }
}

impl ByHand for Golfers {
    /// Annealing: two players of a week change places.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let mut seats: Vec<u8> = (0..SEATS).map(|seat| (seat % PLAYERS) as u8).collect();
        seats.chunks_mut(PLAYERS).for_each(|week| rng.shuffle(week));
        let mut met = [[0_i32; PLAYERS]; PLAYERS];
        // Takes a player out of a group (-1) or puts it in (1); returns how much more often pairs meet again.
        let change = |met: &mut [[i32; PLAYERS]; PLAYERS], seats: &[u8], seat: usize, by: i32| {
            let (player, from) = (usize::from(seats[seat]), seat / GROUP * GROUP);
            let mut again = 0;
            for other in (from..from + GROUP).filter(|&other| other != seat).map(|other| usize::from(seats[other])) {
                let (a, b) = (player.min(other), player.max(other));
                let before = (met[a][b] - 1).max(0);
                met[a][b] += by;
                again += (met[a][b] - 1).max(0) - before;
            }
            again
        };
        (0..SEATS).for_each(|seat| {
            let from = seat / GROUP * GROUP;
            (from..seat).for_each(|other| {
                let (a, b) = (seats[seat].min(seats[other]), seats[seat].max(seats[other]));
                met[usize::from(a)][usize::from(b)] += 1;
            });
        });
        clock.cool((1.0, 0.15), |temperature| {
            let a = rng.index(SEATS);
            let b = a / PLAYERS * PLAYERS + rng.index(PLAYERS);
            if a / GROUP == b / GROUP {
                return;
            }
            let mut swap = || {
                let out = change(&mut met, &seats, a, -1) + change(&mut met, &seats, b, -1);
                seats.swap(a, b);
                out + change(&mut met, &seats, a, 1) + change(&mut met, &seats, b, 1)
            };
            if !accepts(swap().into(), temperature, rng) {
                swap();
            }
        });
        seats
    }
}
