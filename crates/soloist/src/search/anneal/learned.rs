//! Costs of links that are learned from the scores of neighbours, where a problem does not name them.

use crate::Rng;
use serde::{Deserialize, Serialize};

/// The most decisions of an order whose links are learned: a table of their costs has 2 MB.
pub(super) const MOST_DECISIONS: usize = 512;
/// The most links that a neighbour may add if it is to be learned from.
const MOST_ADDED: usize = 8;
/// The most stored equations.
const MOST_STORED: usize = 1 << 15;
/// The table is given up where it is not usable after as many equations for each link.
const PATIENCE: u64 = 8;
/// Predictions that are compared with what is met before they are judged.
const COMPARED: usize = 128;
/// All stored equations are solved when their number has grown by this factor since the last time.
const GROWTH: f64 = 1.3;
/// The most equations that one solution of all looks at, counted again in each iteration, and the part of the errors that
/// may be left.
const WORK: usize = 2_000_000;
const LEFT: f64 = 1e-11;
/// A prediction is right where its error is this part of the usual difference.
const RIGHT: f64 = 1e-3;
/// The table is used from this part of right predictions on, and no more below the second part.
const USABLE: (f64, f64) = (0.7, 0.4);
/// Where two equations of the same links differ by this part, the score is no sum of links.
const DIFFERENT: f64 = 1e-6;
/// Of as many edits that the table excludes one is replayed.
const DOUBTS: u64 = 256;
/// Of as many replays one goes on where a decision cannot be made in its turn.
const LENIENT: u64 = 4;
/// The places of a list of equations by their links, a power of two.
const PLACES: usize = 1 << 12;
/// Edits with an unknown link that are replayed in vain before the link is taken as impossible.
const TRIES: u16 = 3;
/// A link is known when as many equations had it.
const KNOWN: u16 = 3;

/// A difference between two orders: what the links that it adds cost, less what those that it removes cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Equation {
    difference: f64,
    count: u8,
    added: [u32; MOST_ADDED],
    removed: [u32; MOST_ADDED],
}

impl Equation {
    fn added(&self) -> &[u32] {
        &self.added[..usize::from(self.count)]
    }

    fn removed(&self) -> &[u32] {
        &self.removed[..usize::from(self.count)]
    }

    /// All links, those that are added first.
    fn links(&self) -> impl Iterator<Item = usize> {
        self.added().iter().chain(self.removed()).map(|&link| link as usize)
    }

    /// Returns a number that does not depend on the order of the links.
    fn hash(&self) -> u64 {
        let sum = |links: &[u32]| links.iter().fold(0, |sum: u64, &link| sum.wrapping_add(spread(u64::from(link))));
        spread(sum(self.added()).wrapping_sub(sum(self.removed()).rotate_left(1)))
    }
}

/// Spreads a number over all 64 bits (the finalizer of SplitMix64).
fn spread(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// What is known of the costs of links between numbered decisions.
///
/// The difference between the scores of two orders is an equation in the costs of the links that differ. Now and then
/// all equations are solved by conjugate gradients of least squares (Å. Björck, "Numerical Methods for Least Squares
/// Problems", SIAM, 1996, algorithm 7.4.1). The costs found fulfil all equations if there are such costs. They are not
/// the only ones: what is added to all links behind a decision and taken from all links before another one changes no
/// difference.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Table {
    /// The number of decisions and one more, which stands for the begin and the end.
    size: usize,
    costs: Vec<f64>,
    /// For each link how many equations had it, and how many edits have tried it before it was known.
    seen: Vec<u16>,
    tried: Vec<u16>,
    stored: Vec<Equation>,
    /// Differences by a hash of their links.
    met: Vec<(u64, f64)>,
    equations: u64,
    /// Those that something was learned from.
    learned: u64,
    /// The number of equations at which all are solved next.
    due: u64,
    /// The differences and the errors since the last judgement, of equations whose links were all known before.
    compared: Vec<(f64, f64)>,
    /// The largest error of right predictions at the last judgement, and the root of the mean square of the differences.
    error: f64,
    scale: f64,
    is_usable: bool,
    /// Edits that the table excluded, and those that it did not.
    excluded: u64,
    admitted: u64,
    rng: Rng,
}

impl Table {
    /// Returns a table of the links between `count` decisions; `None`: there are too many of them, or too few.
    pub(super) fn new(count: usize) -> Option<Self> {
        let size = Some(count + 1).filter(|_| (3..=MOST_DECISIONS).contains(&count))?;
        Some(Self {
            size,
            costs: vec![0.0; size * size],
            seen: vec![0; size * size],
            tried: vec![0; size * size],
            stored: Vec::new(),
            met: vec![(0, 0.0); PLACES],
            equations: 0,
            learned: 0,
            due: size as u64,
            compared: Vec::new(),
            error: 0.0,
            scale: 0.0,
            is_usable: false,
            excluded: 0,
            admitted: 0,
            rng: Rng::new(0),
        })
    }

    /// Whether everything read from a checkpoint fits an order of that many decisions.
    pub(super) fn is_sound(&self, count: usize) -> bool {
        let links = self.size * self.size;
        let of_table = |equation: &Equation| {
            usize::from(equation.count) <= MOST_ADDED
                && equation.difference.is_finite()
                && equation.added().iter().chain(equation.removed()).all(|&link| (link as usize) < links)
        };
        self.size == count + 1
            && self.size <= MOST_DECISIONS + 1
            && self.costs.len() == links
            && self.seen.len() == links
            && self.tried.len() == links
            && self.met.len() == PLACES
            && self.stored.len() <= MOST_STORED
            && self.stored.iter().all(of_table)
            && self.compared.len() < COMPARED
            && self.compared.iter().all(|(difference, error)| difference.is_finite() && error.is_finite())
            && self.costs.iter().chain([&self.error, &self.scale]).all(|number| number.is_finite())
    }

    /// Whether differences of the scores can be told from the table.
    pub(super) fn is_usable(&self) -> bool {
        self.is_usable
    }

    /// The number of a link; the number of decisions stands for the begin and the end.
    pub(super) fn link(&self, before: usize, behind: usize) -> u32 {
        (before * self.size + behind) as u32
    }

    /// Returns what a link costs; `None`: too few neighbours had it.
    pub(super) fn cost(&self, before: usize, behind: usize) -> Option<f64> {
        let link = self.link(before, behind) as usize;
        (self.seen[link] >= KNOWN).then(|| self.costs[link])
    }

    /// Returns whether an edit with this unknown link is to be replayed: one of the first few.
    pub(super) fn is_worth_a_try(&mut self, before: usize, behind: usize) -> bool {
        let link = self.link(before, behind) as usize;
        let tries = self.tried[link] < TRIES + self.seen[link];
        self.tried[link] += u16::from(tries);
        tries
    }

    /// By how much a price may be too high.
    pub(super) fn margin(&self) -> f64 {
        self.error
    }

    /// Whether an edit that the table excludes is to be replayed all the same, which shows whether the table holds.
    pub(super) fn doubts(&mut self) -> bool {
        self.excluded = self.excluded.wrapping_add(1);
        self.excluded.is_multiple_of(DOUBTS)
    }

    /// Whether the next replay is given up where a decision cannot be made in its turn: the price is that of another
    /// order then. What comes about by making such decisions later is worth some replays.
    pub(super) fn is_strict(&mut self) -> bool {
        self.admitted = self.admitted.wrapping_add(1);
        !self.admitted.is_multiple_of(LENIENT)
    }

    /// Learns from the difference that a neighbour makes, which adds and removes these links. `rounding`: by how much
    /// rounding may change it. Returns false if the score is no sum of links, or the table is not found in time.
    pub(super) fn learn(&mut self, added: &[u32], removed: &[u32], difference: f64, rounding: f64) -> bool {
        if added.is_empty() || added.len() > MOST_ADDED || added.len() != removed.len() || !difference.is_finite() {
            return true;
        }
        let mut equation = Equation { difference, count: added.len() as u8, ..Equation::default() };
        equation.added[..added.len()].copy_from_slice(added);
        equation.removed[..removed.len()].copy_from_slice(removed);
        self.equations += 1;
        let (error, is_known) = (self.error_of(&equation), equation.links().all(|link| self.seen[link] >= KNOWN));
        if is_known {
            self.compare(difference, error);
        }
        if is_known && self.is_usable && error.abs() <= DIFFERENT * difference.abs() + rounding {
            // There is nothing to learn.
            return true;
        }
        self.share(&equation, error);
        self.agrees(&equation, rounding) && self.store(equation)
    }

    /// Returns by how much the difference is above what the table says.
    fn error_of(&self, equation: &Equation) -> f64 {
        let sum = |links: &[u32]| links.iter().map(|&link| self.costs[link as usize]).sum::<f64>();
        equation.difference - (sum(equation.added()) - sum(equation.removed()))
    }

    /// Makes the costs fulfil an equation, and counts its links. The fewer equations had a link, the more its cost
    /// changes.
    fn share(&mut self, equation: &Equation, error: f64) {
        let doubt = |seen: u16| 1.0 / (1e-6 + f64::from(seen)).powi(2);
        let total: f64 = equation.links().map(|link| doubt(self.seen[link])).sum();
        for (at, link) in equation.links().enumerate() {
            let sign = if at < usize::from(equation.count) { 1.0 } else { -1.0 };
            self.costs[link] += sign * error * doubt(self.seen[link]) / total;
        }
        equation.links().for_each(|link| self.seen[link] = self.seen[link].saturating_add(1));
    }

    /// Stores an equation, and solves all when they have become many more. Returns false if the table is given up.
    fn store(&mut self, equation: Equation) -> bool {
        self.learned += 1;
        if self.stored.len() < MOST_STORED {
            self.stored.push(equation);
        } else {
            let at = self.rng.index(MOST_STORED);
            self.stored[at] = equation;
        }
        if self.learned < self.due {
            return true;
        }
        self.due = (self.learned as f64 * GROWTH) as u64;
        let links = self.seen.iter().filter(|&&seen| seen > 0).count();
        // Fewer equations than links say little.
        if self.stored.len() < (links + links / 2).min(MOST_STORED) {
            return true;
        }
        self.compared.clear();
        let agree = self.solve();
        agree && (self.is_usable || self.learned <= PATIENCE * (self.size * self.size) as u64)
    }

    /// Solves all stored equations as far as the work allows, from the present costs on. Returns false if they
    /// contradict each other.
    fn solve(&mut self) -> bool {
        let mut errors: Vec<f64> = self.stored.iter().map(|equation| self.error_of(equation)).collect();
        let mut gradient = vec![0.0; self.costs.len()];
        let square = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>();
        let mut direction = Vec::new();
        let (mut steepness, mut first) = (0.0, 0.0);
        // Links of few equations count as much as others.
        let times: Vec<f64> = self.seen.iter().map(|&seen| f64::from(seen.max(1))).collect();
        for iteration in 0..WORK / self.stored.len() {
            // The gradient of half the squares of the errors.
            gradient.fill(0.0);
            for (equation, error) in self.stored.iter().zip(&errors) {
                equation.added().iter().for_each(|&link| gradient[link as usize] += error);
                equation.removed().iter().for_each(|&link| gradient[link as usize] -= error);
            }
            let part = gradient.iter().zip(&times).map(|(one, times)| one * one / times).sum();
            let before = std::mem::replace(&mut steepness, part);
            gradient.iter_mut().zip(&times).for_each(|(one, times)| *one /= times);
            if iteration == 0 {
                (first, direction) = (steepness, gradient.clone());
            } else {
                let kept = steepness / before;
                direction.iter_mut().zip(&gradient).for_each(|(one, new)| *one = new + kept * *one);
            }
            if steepness <= LEFT * LEFT * first {
                let differences: f64 = self.stored.iter().map(|equation| equation.difference * equation.difference).sum();
                return square(&errors) <= DIFFERENT * DIFFERENT * differences;
            }
            let along = |equation: &Equation| {
                let sum = |links: &[u32]| links.iter().map(|&link| direction[link as usize]).sum::<f64>();
                sum(equation.added()) - sum(equation.removed())
            };
            let changes: Vec<f64> = self.stored.iter().map(along).collect();
            let length = steepness / square(&changes);
            if !length.is_finite() {
                break;
            }
            errors.iter_mut().zip(&changes).for_each(|(error, change)| *error -= length * change);
            self.costs.iter_mut().zip(&direction).for_each(|(cost, change)| *cost += length * change);
        }
        true
    }

    /// Notes how well a difference was known before it was met. After some of them it is judged whether the table can be
    /// used.
    fn compare(&mut self, difference: f64, error: f64) {
        self.compared.push((difference, error));
        if self.compared.len() < COMPARED {
            return;
        }
        let squares: f64 = self.compared.iter().map(|(difference, _)| difference * difference).sum();
        self.scale = (squares / COMPARED as f64).sqrt();
        let right: Vec<f64> =
            self.compared.iter().map(|(_, error)| error.abs()).filter(|&error| error <= RIGHT * self.scale).collect();
        let part = right.len() as f64 / COMPARED as f64;

        self.error = right.iter().copied().fold(0.0, f64::max);
        self.is_usable = part >= if self.is_usable { USABLE.1 } else { USABLE.0 };
        self.compared.clear();
    }

    /// Whether an equation agrees with one of the same links that was met before.
    fn agrees(&mut self, equation: &Equation, rounding: f64) -> bool {
        let hash = equation.hash();
        let place = &mut self.met[hash as usize % PLACES];
        let (known, before) = std::mem::replace(place, (hash, equation.difference));
        let largest = before.abs().max(equation.difference.abs());
        known != hash || (before - equation.difference).abs() <= DIFFERENT * largest + rounding
    }
}
