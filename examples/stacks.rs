//! Open stacks: in which order customers are served, so that as few stacks as possible are open at a time. To serve a
//! customer, all products it orders are made, which opens a stack for each customer of these products; a stack is
//! closed when its customer is served (customers and products, then a row of 0 and 1 for each customer).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Found, Key, Ordering};
use soloist::{Problem, Score, Sense};

/// The customers that share a product with each customer, and itself, as bits: at most 128 customers.
struct Orders {
    near: Vec<u128>,
    /// What no order does with less: the degeneracy of the graph of shared products, and one.
    least: u32,
}

/// The customers served, those whose stacks have been opened, and the most stacks open at a time.
#[derive(Clone)]
struct Served {
    served: u128,
    opened: u128,
    most: u32,
}

impl Orders {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<usize> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&[customers, products], cells) = numbers.split_first_chunk()?;
        let is_cell = cells.iter().all(|&cell| cell <= 1);
        if !(1..=128).contains(&customers) || products == 0 || cells.len() != customers * products || !is_cell {
            return None;
        }
        let rows: Vec<&[usize]> = cells.chunks(products).collect();
        let share = |a: usize, b: usize| a == b || rows[a].iter().zip(rows[b]).any(|(x, y)| x + y == 2);
        let bits = |a: usize| (0..customers).filter(|&b| share(a, b)).fold(0, |set, b| set | 1 << b);
        let near: Vec<u128> = (0..customers).map(bits).collect();
        // The customer with the fewest neighbours among those left, again and again.
        let mut left = u128::MAX >> (128 - customers);
        let mut least = 0;
        while left != 0 {
            let degree = |customer: usize| (near[customer] & left).count_ones();
            let next = (0..customers).filter(|next| left >> next & 1 == 1).min_by_key(|&next| degree(next))?;
            least = least.max(degree(next));
            left &= !(1 << next);
        }
        Some(Self { near, least })
    }
}

impl Problem for Orders {
    type State = Served;
    /// The next customer.
    type Move = u8;

    fn root(&self) -> Served {
        Served { served: 0, opened: 0, most: 0 }
    }
    fn moves(&self, state: &Served, moves: &mut Vec<u8>) {
        moves.extend((0..self.near.len()).filter(|next| state.served >> next & 1 == 0).map(|next| next as u8));
    }
    fn apply(&self, state: &mut Served, next: u8) {
        state.opened |= self.near[usize::from(next)];
        state.most = state.most.max((state.opened & !state.served).count_ones());
        state.served |= 1 << next;
    }
    fn score(&self, state: &Served) -> Score {
        Score::Feasible(state.most.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, state: &Served) -> Option<f64> {
        Some(state.most.max(self.least).into())
    }
    /// Few open stacks leave room for what comes.
    fn potential(&self, state: &Served) -> Option<f64> {
        Some(-f64::from((state.opened & !state.served).count_ones()))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Orders> for Orders {
    /// What was opened follows from the set of customers served.
    fn future(&self, state: &Served) -> (Key, f64) {
        (Key::of(&state.served), state.most.into())
    }
}

impl Ordering<Orders> for Orders {
    fn identity(&self, _: &Served, next: u8) -> u64 {
        next.into()
    }
    fn find(&self, state: &Served, next: u64) -> Found<u8> {
        let is_left = next < self.near.len() as u64 && state.served >> next & 1 == 0;
        if is_left { Found::Move(next as u8) } else { Found::Gone }
    }
}

const SEVEN: &str = "7 6  1 1 0 0 0 0  0 1 1 0 0 0  0 0 1 1 0 0  1 0 0 0 1 0  0 0 0 1 0 1  0 0 0 0 1 1  0 1 0 1 0 0";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(SEVEN, Orders::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of the most stacks, over all orders that begin as `order` does.
    fn least(orders: &Orders, order: &mut Vec<usize>) -> u32 {
        let count = orders.near.len();
        if order.len() == count {
            let shares = |a: usize, b: usize| orders.near[a] >> b & 1 == 1;
            // Open: not served before this step, and some customer served so far has a product of it.
            let open = |step: usize| {
                order[step..].iter().filter(|&&one| order[..=step].iter().any(|&done| shares(done, one))).count()
            };
            return (0..count).map(open).max().unwrap() as u32;
        }
        let left: Vec<usize> = (0..count).filter(|next| !order.contains(next)).collect();
        let mut best = u32::MAX;
        for next in left {
            order.push(next);
            best = best.min(least(orders, order));
            order.pop();
        }
        best
    }

    #[test]
    fn proves_the_best_order_of_all() {
        let orders = Orders::parse(SEVEN).unwrap();
        common::prove(&orders, least(&orders, &mut Vec::new()).into(), &["dfs", "cabs", "best-first"]);
        assert!(Orders::parse("2 2  1 0 0 2").is_none() && Orders::parse("2 2  1 0 0").is_none());
    }
}
