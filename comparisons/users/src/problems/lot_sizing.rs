//! Lot sizing: which of 8 products a machine makes in each of 60 periods; set-ups, stock and late deliveries cost.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, anneal};
use soloist::problem::{Dominance, Key};
use soloist::{Problem, Rng, Score, Sense};

const PRODUCTS: usize = 8;
const PERIODS: usize = 60;
/// What a period costs for a lot in stock, and for one that is late.
const HOLD: [i32; 2] = [2, 20];

pub(crate) struct Lots {
    /// Which products are due after each period.
    due: Vec<[bool; PRODUCTS]>,
    setup: [[i32; PRODUCTS]; PRODUCTS],
}

#[derive(Clone)]
pub(crate) struct Plan {
    stock: [i8; PRODUCTS],
    /// What the machine is set up for.
    last: u8,
    period: u8,
    cost: i32,
}

impl Instance for Lots {
    /// As much is due as the machine can make in nine of ten periods.
    fn instance() -> Self {
        let mut rng = Rng::new(62);
        let mut setup = || std::array::from_fn(|_| 10 + rng.below(41) as i32);
        let setup = std::array::from_fn(|_| setup());
        let mut due = vec![[false; PRODUCTS]; PERIODS];
        let mut count = 0;
        while count < PERIODS * 9 / 10 {
            let cell = &mut due[3 + rng.index(PERIODS - 3)][rng.index(PRODUCTS)];
            count += usize::from(!std::mem::replace(cell, true));
        }
        Self { due, setup }
    }
}

impl Problem for Lots {
    type State = Plan;
    /// The product of the next period; 8: none.
    type Move = u8;

    fn root(&self) -> Plan {
        Plan { stock: [0; PRODUCTS], last: 0, period: 0, cost: 0 }
    }
    fn moves(&self, plan: &Plan, moves: &mut Vec<u8>) {
        if usize::from(plan.period) < PERIODS {
            moves.extend(0..=PRODUCTS as u8);
        }
    }
    fn apply(&self, plan: &mut Plan, product: u8) {
        let next = usize::from(product);
        if next < PRODUCTS {
            if product != plan.last {
                plan.cost += self.setup[usize::from(plan.last)][next];
            }
            plan.stock[next] += 1;
            plan.last = product;
        }
        for (stock, due) in plan.stock.iter_mut().zip(self.due[usize::from(plan.period)]) {
            *stock -= i8::from(due);
            plan.cost += HOLD[usize::from(*stock < 0)] * i32::from(stock.abs());
        }
        plan.period += 1;
    }
    /// Deliveries that are late at the end cost much.
    fn score(&self, plan: &Plan) -> Score {
        let late: i32 = plan.stock.iter().map(|&stock| i32::from(stock.min(0))).sum();
        Score::Feasible((plan.cost - 200 * late).into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, plan: &Plan, product: u8) -> u64 {
        (u64::from(plan.period) * 9 + u64::from(plan.last)) * 9 + u64::from(product)
    }
    fn bound(&self, plan: &Plan) -> Option<f64> {
        Some(plan.cost.into())
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Dominance<Lots> for Lots {
    fn future(&self, plan: &Plan) -> (Key, f64) {
        (Key::of(&(plan.stock, plan.last, plan.period)), plan.cost.into())
    }
}

impl ByHand for Lots {
    /// Annealing: another product in a period, or two periods change theirs.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let cost = |line: &Vec<u8>| {
            let mut plan = self.root();
            line.iter().for_each(|&product| self.apply(&mut plan, product));
            self.score(&plan).value().unwrap_or(f64::INFINITY)
        };
        let edit = |line: &mut Vec<u8>, rng: &mut Rng| {
            let (a, b) = (rng.index(PERIODS), rng.index(PERIODS));
            match rng.below(3) {
                0 => line[a] = rng.below(PRODUCTS as u64 + 1) as u8,
                1 => line.swap(a, b),
                _ => line[a.min(b)..=a.max(b)].rotate_left(1),
            }
        };
        anneal((clock, rng), vec![PRODUCTS as u8; PERIODS], (100.0, 1.0), cost, edit)
    }
}
