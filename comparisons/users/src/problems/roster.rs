//! A roster: 16 nurses and 28 days, a shift or a day off each; rules cost 100, cover 30, wishes little.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Exchange, Exchanges, Neighborhood};
use soloist::{Problem, Rng, Score, Sense};

const NURSES: usize = 16;
const DAYS: usize = 28;
const CELLS: usize = NURSES * DAYS;
/// Nurses wanted in the early, middle and late shift; 0 is a day off.
const COVER: [u32; 4] = [0, 4, 3, 3];

pub(crate) struct Roster {
    /// What working costs on a day that a nurse wants off.
    wish: Vec<u32>,
    disliked: Vec<u8>,
    work: Vec<u32>,
}

#[derive(Clone)]
pub(crate) struct Plan {
    shifts: [u8; CELLS],
    count: usize,
}

impl Roster {
    fn nurse(&self, nurse: usize, shifts: &[u8; CELLS]) -> u32 {
        let row = &shifts[nurse * DAYS..][..DAYS];
        let (mut cost, mut work, mut run) = (0, 0, 0);
        for (day, &shift) in row.iter().enumerate() {
            if shift == 0 {
                run = 0;
                cost += u32::from(day > 0 && day + 1 < DAYS && row[day - 1] > 0 && row[day + 1] > 0);
                continue;
            }
            (work, run) = (work + 1, run + 1);
            cost += self.wish[nurse * DAYS + day] + u32::from(shift == self.disliked[nurse]);
            cost += 100 * u32::from(run > 6) + 100 * u32::from(day > 0 && row[day - 1] == 3 && shift != 3);
        }
        cost + 5 * self.work[nurse].abs_diff(work)
    }
    fn cover(shifts: &[u8; CELLS], day: usize) -> u32 {
        let there = |shift| (0..NURSES).filter(|nurse| usize::from(shifts[nurse * DAYS + day]) == shift).count() as u32;
        (1..4).map(|shift| 30 * COVER[shift].saturating_sub(there(shift))).sum()
    }
    /// What a cell takes part in.
    fn around(&self, cell: usize, shifts: &[u8; CELLS]) -> f64 {
        f64::from(self.nurse(cell / DAYS, shifts) + Self::cover(shifts, cell % DAYS))
    }
}

impl Instance for Roster {
    fn instance() -> Self {
        let mut rng = Rng::new(573_670);
        let wish = (0..CELLS).map(|_| if rng.chance(0.12) { 1 + rng.below(3) as u32 } else { 0 }).collect();
        let disliked = (0..NURSES).map(|_| 1 + rng.below(3) as u8).collect();
        let work = (0..NURSES).map(|_| [14, 17, 19, 20][rng.index(4)]).collect();
        Self { wish, disliked, work }
    }
    fn data(&self) -> String {
        format!("{:?}", (&self.wish, &self.disliked, &self.work))
    }
}

impl Problem for Roster {
    type State = Plan;
    /// The shift of the next cell, nurse by nurse.
    type Move = u8;

    fn root(&self) -> Plan {
        Plan { shifts: [0; CELLS], count: 0 }
    }
    fn moves(&self, plan: &Plan, moves: &mut Vec<u8>) {
        if plan.count < CELLS {
            moves.extend(0..4);
        }
    }
    fn apply(&self, plan: &mut Plan, shift: u8) {
        plan.shifts[plan.count] = shift;
        plan.count += 1;
    }
    fn score(&self, plan: &Plan) -> Score {
        let nurses = (0..NURSES).map(|nurse| self.nurse(nurse, &plan.shifts));
        let days = (0..DAYS).map(|day| Self::cover(&plan.shifts, day));
        Score::Feasible(nurses.chain(days).sum::<u32>().into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, plan: &Plan, shift: u8) -> u64 {
        plan.count as u64 * 4 + u64::from(shift)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Exchange for Roster {
    fn difference(&self, end: &Plan, cell: usize, _: Option<u8>, new: Option<u8>) -> Option<f64> {
        let mut shifts = end.shifts;
        shifts[cell] = new?;
        Some(self.around(cell, &shifts) - self.around(cell, &end.shifts))
    }
    fn apply_exchange(&self, end: &mut Plan, cell: usize, _: Option<u8>, new: Option<u8>) -> bool {
        end.shifts[cell] = new.unwrap_or(0);
        new.is_some()
    }
}

impl ByHand for Roster {
    /// Annealing: one shift changes, or two nurses change theirs on a day.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let mut shifts: [u8; CELLS] = std::array::from_fn(|_| rng.below(4) as u8);
        clock.cool((30.0, 0.3), |temperature| {
            let (a, b, day) = (rng.index(NURSES), rng.index(NURSES), rng.index(DAYS));
            let (a, b) = (a * DAYS + day, b * DAYS + day);
            let old = (shifts[a], shifts[b]);
            let swaps = rng.chance(0.5);
            let around = |shifts: &[u8; CELLS]| {
                let other = if swaps { self.nurse(b / DAYS, shifts) } else { Self::cover(shifts, day) };
                f64::from(self.nurse(a / DAYS, shifts) + other)
            };
            let before = around(&shifts);
            if swaps {
                shifts.swap(a, b);
            } else {
                shifts[a] = rng.below(4) as u8;
            }
            if !accepts(around(&shifts) - before, temperature, rng) {
                (shifts[a], shifts[b]) = old;
            }
        });
        shifts.to_vec()
    }
}
