//! The k-median problem: 12 of 2,000 sites, near to 400 customers.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, anneal};
use soloist::problem::{Exchange, Exchanges, Neighborhood};
use soloist::{Problem, Rng, Score, Sense};

const SITES: usize = 2000;
const CUSTOMERS: usize = 400;
const OPEN: usize = 12;

/// The ways from each site to the customers.
pub(crate) struct Median(Vec<Vec<f32>>);

impl Instance for Median {
    fn instance() -> Self {
        let mut rng = Rng::new(2000);
        let mut points = |count| (0..count).map(|_| (rng.unit(), rng.unit())).collect::<Vec<(f64, f64)>>();
        let (sites, customers) = (points(SITES), points(CUSTOMERS));
        let way = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) as f32;
        Self(sites.iter().map(|site| customers.iter().map(|customer| way(site, customer)).collect()).collect())
    }
}

impl Median {
    fn cost(&self, open: &[u16]) -> f64 {
        let nearest =
            |customer: usize| open.iter().map(|&site| self.0[usize::from(site)][customer]).fold(9.0, f32::min);
        (0..CUSTOMERS).map(|customer| f64::from(nearest(customer))).sum()
    }
}

impl Problem for Median {
    /// The open sites.
    type State = Vec<u16>;
    /// One more.
    type Move = u16;

    fn root(&self) -> Vec<u16> {
        Vec::new()
    }
    fn moves(&self, open: &Vec<u16>, moves: &mut Vec<u16>) {
        if open.len() < OPEN {
            moves.extend((0..SITES as u16).filter(|site| !open.contains(site)));
        }
    }
    fn apply(&self, open: &mut Vec<u16>, site: u16) {
        open.push(site);
    }
    fn score(&self, open: &Vec<u16>) -> Score {
        Score::Feasible(self.cost(open))
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn potential(&self, open: &Vec<u16>) -> Option<f64> {
        Some(-self.cost(open))
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Exchange for Median {
    fn difference(&self, end: &Vec<u16>, _: usize, old: Option<u16>, new: Option<u16>) -> Option<f64> {
        if end.contains(&new?) {
            return None;
        }
        let mut open = end.clone();
        self.apply_exchange(&mut open, 0, old, new).then(|| self.cost(&open) - self.cost(end))
    }
    fn apply_exchange(&self, end: &mut Vec<u16>, _: usize, old: Option<u16>, new: Option<u16>) -> bool {
        let (Some(old), Some(new)) = (old, new) else { return false };
        end.iter_mut().filter(|site| **site == old).for_each(|site| *site = new);
        true
    }
}

impl ByHand for Median {
    /// Annealing: a site for another one.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u16> {
        let edit = |open: &mut Vec<u16>, rng: &mut Rng| {
            let site = rng.index(SITES) as u16;
            if !open.contains(&site) {
                open[rng.index(OPEN)] = site;
            }
        };
        anneal((clock, rng), (0..OPEN as u16).collect(), (1.0, 0.02), |open| self.cost(open), edit)
    }
}
