//! The multidimensional knapsack: items that use several resources (the format of the OR-Library: items, resources and
//! the best value known or 0, then the values, the uses of each resource, and the capacities).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Exchange, Exchanges, Found, Neighborhood, Ordering, Prior};
use soloist::{Problem, Score};

struct Knapsack {
    value: Vec<f64>,
    /// What each item uses of each resource.
    uses: Vec<Vec<f64>>,
    capacity: Vec<f64>,
    /// The logarithm of the value for the resources used, at their prices.
    efficiency: Vec<f64>,
}

/// Steps of the search for prices, and the first one and the factor of the next as parts of the bound.
const STEPS: i32 = 1000;
const STEP: (f64, f64) = (0.5, 0.99);

/// Returns a price for each whole resource.
///
/// The prices make a bound of the best value small: the price of all resources, and what each item is worth more than
/// what it uses costs (Lagrangian relaxation). Its least value is that of the linear relaxation. The prices follow its
/// subgradient.
fn prices(value: &[f64], parts: &[Vec<f64>]) -> Vec<f64> {
    let resources = parts.first().map_or(0, Vec::len);
    let mut prices = vec![value.iter().sum::<f64>() / (2 * resources).max(1) as f64; resources];
    let (mut best, mut least) = (prices.clone(), f64::INFINITY);
    for step in 0..STEPS {
        let (mut bound, mut left) = (prices.iter().sum::<f64>(), vec![1.0; resources]);
        for (value, parts) in value.iter().zip(parts) {
            let gain = value - price(parts, &prices);
            if gain > 0.0 {
                bound += gain;
                left.iter_mut().zip(parts).for_each(|(left, part)| *left -= part);
            }
        }
        if bound < least {
            (best, least) = (prices.clone(), bound);
        }
        let length = left.iter().map(|left| left * left).sum::<f64>();
        if length <= 0.0 {
            break;
        }
        let step = STEP.0 * STEP.1.powi(step) * least / length;
        prices.iter_mut().zip(&left).for_each(|(price, left)| *price = (*price - step * left).max(0.0));
    }
    best
}

/// What an item uses, at these prices.
fn price(parts: &[f64], prices: &[f64]) -> f64 {
    parts.iter().zip(prices).map(|(part, price)| part * price).sum()
}

/// What is packed, and what is left of each resource.
#[derive(Clone)]
struct Load {
    packed: Vec<bool>,
    left: Vec<f64>,
    value: f64,
}

impl Knapsack {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let whole = |at: usize| numbers.get(at).filter(|x| x.fract() == 0.0 && (1.0..=1e5).contains(*x));
        let (items, resources) = (*whole(0)? as usize, *whole(1)? as usize);
        let numbers = &numbers[3..];
        if numbers.len() != items + resources * items + resources || numbers.iter().any(|x| !(0.0..=1e9).contains(x)) {
            return None;
        }
        let (value, numbers) = numbers.split_at(items);
        let (rows, capacity) = numbers.split_at(resources * items);
        let uses: Vec<Vec<f64>> =
            (0..items).map(|item| (0..resources).map(|row| rows[row * items + item]).collect()).collect();
        let parts: Vec<Vec<f64>> = uses
            .iter()
            .map(|uses| uses.iter().zip(capacity).map(|(uses, all)| uses / all.max(1.0)).collect())
            .collect();
        let prices = prices(value, &parts);
        let efficiency = value.iter().zip(&parts);
        let efficiency =
            efficiency.map(|(value, parts)| (value.max(1e-9) / price(parts, &prices).max(1e-9)).ln()).collect();
        Some(Self { value: value.to_vec(), efficiency, uses, capacity: capacity.to_vec() })
    }

    fn fits(&self, load: &Load, item: usize) -> bool {
        !load.packed[item] && self.uses[item].iter().zip(&load.left).all(|(uses, left)| uses <= left)
    }
}

impl Problem for Knapsack {
    type State = Load;
    /// The item that is packed next.
    type Move = u32;

    fn root(&self) -> Load {
        Load { packed: vec![false; self.value.len()], left: self.capacity.clone(), value: 0.0 }
    }
    fn moves(&self, load: &Load, moves: &mut Vec<u32>) {
        moves.extend((0..self.value.len()).filter(|&item| self.fits(load, item)).map(|item| item as u32));
    }
    fn apply(&self, load: &mut Load, item: u32) {
        let item = item as usize;
        load.packed[item] = true;
        load.value += self.value[item];
        load.left.iter_mut().zip(&self.uses[item]).for_each(|(left, uses)| *left -= uses);
    }
    fn score(&self, load: &Load) -> Score {
        Score::Feasible(load.value)
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Prior<Knapsack> for Knapsack {
    fn bias(&self, _: &Load, item: u32) -> f64 {
        self.efficiency[item as usize]
    }
}

impl Ordering<Knapsack> for Knapsack {
    fn identity(&self, _: &Load, item: u32) -> u64 {
        item.into()
    }
    fn find(&self, load: &Load, item: u64) -> Found<u32> {
        let fits = (item as usize) < self.value.len() && self.fits(load, item as usize);
        if fits { Found::Move(item as u32) } else { Found::Gone }
    }
}

impl Exchange for Knapsack {
    fn difference(&self, load: &Load, _: usize, old: Option<u32>, new: Option<u32>) -> Option<f64> {
        let (old, new) = (old.map(|item| item as usize), new.map(|item| item as usize));
        let uses = |item: Option<usize>, row: usize| item.map_or(0.0, |item| self.uses[item][row]);
        let fits = load.left.iter().enumerate().all(|(row, left)| uses(new, row) <= left + uses(old, row));
        let value = |item: Option<usize>| item.map_or(0.0, |item| self.value[item]);
        fits.then(|| value(new) - value(old))
    }
    fn apply_exchange(&self, load: &mut Load, _: usize, old: Option<u32>, new: Option<u32>) -> bool {
        for (item, sign) in old.iter().map(|&item| (item as usize, -1.0)).chain(new.map(|item| (item as usize, 1.0))) {
            load.packed[item] = sign > 0.0;
            load.value += sign * self.value[item];
            load.left.iter_mut().zip(&self.uses[item]).for_each(|(left, uses)| *left -= sign * uses);
        }
        true
    }
}

const SMALL: &str = "8 2 0  14 9 8 12 20 7 11 16  5 4 3 6 9 2 5 7  7 3 4 2 8 4 3 6  20 18";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(SMALL, Knapsack::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proves_the_best_set_of_all() {
        let problem = Knapsack::parse(SMALL).unwrap();
        let value = |set: u32| {
            let held = || (0..8).filter(|item| set >> item & 1 == 1);
            let within = |row: usize| held().map(|item| problem.uses[item][row]).sum::<f64>() <= problem.capacity[row];
            (within(0) && within(1)).then(|| held().map(|item| problem.value[item]).sum::<f64>())
        };
        let best = (0..1 << 8).filter_map(value).fold(0.0, f64::max);
        // The Lagrangian bound is above it, and at the prices near the least of all prices on a grid.
        let parts: Vec<Vec<f64>> = problem.uses.iter().map(|uses| vec![uses[0] / 20.0, uses[1] / 18.0]).collect();
        let bound = |prices: &[f64]| {
            let gain = |(value, parts): (&f64, &Vec<f64>)| (value - price(parts, prices)).max(0.0);
            prices.iter().sum::<f64>() + problem.value.iter().zip(&parts).map(gain).sum::<f64>()
        };
        let grid = (0..10_000).map(|at| bound(&[f64::from(at / 100), f64::from(at % 100)]));
        let (least, found) = (grid.fold(f64::INFINITY, f64::min), bound(&prices(&problem.value, &parts)));
        assert!(best <= found && found < least + 0.1, "{best} {found} {least}");
        common::prove(&problem, best, &["dfs", "best-first"]);
        assert!(Knapsack::parse("2 1 0  1 2  3").is_none());
    }
}
