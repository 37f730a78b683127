//! Costs of links that are learned from the scores of neighbours, where a problem does not name them.

use crate::core::hash::stable_hash;
use crate::core::limits::MOST;
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
/// The most equations that solving all looks at, counted again in each iteration: a few hundredths of a second.
const WORK: usize = 2_000_000;
/// It ends where the gradient is this part of what it was.
const LEFT: f64 = 1e-11;
/// A prediction is right where its error is this part of the usual difference.
const RIGHT: f64 = 1e-3;
/// The table is used from this part of right predictions on, and no more below the second part.
const USABLE: (f64, f64) = (0.7, 0.4);
/// Where two equations of the same links differ by this part, the score is no sum of links.
const DIFFERENT: f64 = 1e-6;
/// Of as many edits that the table excludes one is replayed.
const DOUBTS: u64 = 256;
/// Of as many replays one continues where a decision cannot be made in its turn.
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
        let sum = |links: &[u32]| links.iter().fold(0_u64, |sum, link| sum.wrapping_add(stable_hash(link)));
        stable_hash(&(sum(self.added()), sum(self.removed())))
    }
}

/// What is known of the costs of links between numbered decisions.
///
/// Whether the score is a sum of links is not known beforehand. The table is given up as soon as two neighbours add and
/// remove the same links with different changes of the score, or the equations have no solution.
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
    /// The number of equations that something was learned from.
    learned: u64,
    /// The number of equations at which all are solved next.
    due: u64,
    /// The differences and the errors since the last judgement, of equations whose links were all known before.
    compared: Vec<(f64, f64)>,
    /// The largest error of right predictions at the last judgement.
    error: f64,
    is_usable: bool,
    /// Edits that the table excluded, and those that it did not.
    excluded: u64,
    admitted: u64,
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
            learned: 0,
            due: size as u64,
            compared: Vec::new(),
            error: 0.0,
            is_usable: false,
            excluded: 0,
            admitted: 0,
        })
    }

    /// Whether everything read from a checkpoint fits an order of that many decisions.
    pub(super) fn is_sound(&self, count: usize) -> bool {
        if count > MOST_DECISIONS || self.size != count + 1 || self.learned > MOST {
            return false;
        }
        let links = self.size * self.size;
        let of_table = |equation: &Equation| {
            usize::from(equation.count) <= MOST_ADDED
                && equation.difference.is_finite()
                && equation.links().all(|link| link < links)
        };
        self.costs.len() == links
            && self.seen.len() == links
            && self.tried.len() == links
            && self.met.len() == PLACES
            && self.stored.len() <= MOST_STORED
            && self.stored.iter().all(of_table)
            && self.compared.len() < COMPARED
            && self.compared.iter().all(|(difference, error)| difference.is_finite() && error.is_finite())
            && self.costs.iter().chain([&self.error]).all(|number| number.is_finite())
    }

    /// Whether edits can be priced by the table.
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
        let tries = self.tried[link] < self.seen[link].saturating_add(TRIES);
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
            self.stored[self.learned as usize % MOST_STORED] = equation;
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
        let mut changes: Vec<f64> = Vec::with_capacity(self.stored.len());
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
                let differences: f64 =
                    self.stored.iter().map(|equation| equation.difference * equation.difference).sum();
                return square(&errors) <= DIFFERENT * DIFFERENT * differences;
            }
            let along = |equation: &Equation| {
                let sum = |links: &[u32]| links.iter().map(|&link| direction[link as usize]).sum::<f64>();
                sum(equation.added()) - sum(equation.removed())
            };
            changes.clear();
            changes.extend(self.stored.iter().map(along));
            let length = steepness / square(&changes);
            if !length.is_finite() {
                break;
            }
            errors.iter_mut().zip(&changes).for_each(|(error, change)| *error -= length * change);
            self.costs.iter_mut().zip(&direction).for_each(|(cost, change)| *cost += length * change);
        }
        true
    }

    /// Notes how well a difference was known before it was met. After some of them it is judged whether the table can
    /// be used.
    fn compare(&mut self, difference: f64, error: f64) {
        self.compared.push((difference, error));
        if self.compared.len() < COMPARED {
            return;
        }
        let squares: f64 = self.compared.iter().map(|(difference, _)| difference * difference).sum();
        let most = RIGHT * (squares / COMPARED as f64).sqrt();
        let right = self.compared.iter().map(|(_, error)| error.abs()).filter(|&error| error <= most);
        let part = right.clone().count() as f64 / COMPARED as f64;
        self.error = right.fold(0.0, f64::max);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Method, Problem, Rng, Score, Sense, Solver};

    /// Visit all places; the ways are the cost, and `late` is the price of being late at a place.
    struct Visits {
        ways: Vec<Vec<f64>>,
        late: f64,
    }

    impl Visits {
        fn new(count: usize, late: f64) -> Self {
            let mut rng = Rng::new(7);
            let ways = (0..=count).map(|_| (0..=count).map(|_| rng.index(1000) as f64).collect()).collect();
            Self { ways, late }
        }

        fn cost(&self, order: &[usize]) -> f64 {
            let base = self.ways.len() - 1;
            let tour: Vec<usize> = [&[base], order, &[base]].concat();
            let ways: f64 = tour.windows(2).map(|pair| self.ways[pair[0]][pair[1]]).sum();
            let late: usize = order.iter().enumerate().map(|(at, &place)| at.saturating_sub(place)).sum();
            ways + self.late * late as f64
        }
    }

    impl Problem for Visits {
        type State = Vec<usize>;
        type Move = usize;
        fn root(&self) -> Vec<usize> {
            Vec::new()
        }
        fn moves(&self, order: &Vec<usize>, moves: &mut Vec<usize>) {
            moves.extend((0..self.ways.len() - 1).filter(|place| !order.contains(place)));
        }
        fn apply(&self, order: &mut Vec<usize>, place: usize) {
            order.push(place);
        }
        fn score(&self, order: &Vec<usize>) -> Score {
            Score::Feasible(self.cost(order))
        }
        fn sense(&self) -> Sense {
            Sense::Minimize
        }
    }

    /// An order of `count` decisions that is edited again and again, and the table that learns from it.
    fn learned(visits: &Visits, edits: usize) -> (Table, Vec<usize>, bool) {
        let (count, mut rng) = (visits.ways.len() - 1, Rng::new(3));
        let (mut table, mut order) = (Table::new(count).unwrap(), (0..count).collect::<Vec<_>>());
        for _ in 0..edits {
            let new = moved(&order, &mut rng);
            let (added, removed) = differing(&table, &order, &new);
            if !table.learn(&added, &removed, visits.cost(&new) - visits.cost(&order), 1e-9) {
                return (table, order, false);
            }
            order = new;
        }
        (table, order, true)
    }

    fn moved(order: &[usize], rng: &mut Rng) -> Vec<usize> {
        let mut new = order.to_vec();
        let place = new.remove(rng.index(order.len()));
        new.insert(rng.index(order.len()), place);
        new
    }

    fn differing(table: &Table, old: &[usize], new: &[usize]) -> (Vec<u32>, Vec<u32>) {
        let links = |order: &[usize]| -> Vec<u32> {
            let around = [&[old.len()], order, &[old.len()]].concat();
            around.windows(2).map(|pair| table.link(pair[0], pair[1])).collect()
        };
        let (old, new) = (links(old), links(new));
        let without = |a: &[u32], b: &[u32]| a.iter().copied().filter(|link| !b.contains(link)).collect();
        (without(&new, &old), without(&old, &new))
    }

    #[test]
    fn sums_of_links_are_found_out() {
        let visits = Visits::new(20, 0.0);
        let (table, mut order, holds) = learned(&visits, 4_000);
        assert!(holds && table.is_usable() && table.margin() < 1e-3);
        let mut rng = Rng::new(9);
        for _ in 0..2_000 {
            let new = moved(&order, &mut rng);
            let (added, removed) = differing(&table, &order, &new);
            let sum = |links: &[u32]| links.iter().map(|&link| table.costs[link as usize]).sum::<f64>();
            let difference = visits.cost(&new) - visits.cost(&order);
            assert!((sum(&added) - sum(&removed) - difference).abs() < 1e-3, "{difference}");
            order = new;
        }
    }

    #[test]
    fn other_scores_are_given_up() {
        let (table, _, holds) = learned(&Visits::new(20, 1.0), 4_000);
        assert!(!holds && !table.is_usable());
        assert!(Table::new(2).is_none() && Table::new(MOST_DECISIONS + 1).is_none());
    }

    #[test]
    fn annealing_prices_by_what_it_learned_and_is_resumed() {
        let visits = Visits::new(14, 0.0);
        let solver =
            || Solver::new(&visits, Method::preset("anneal").unwrap()).seed(5).budget(Budget::playouts(60_000));
        let whole = solver().run().unwrap();
        let best = whole.best.clone().unwrap();
        assert_eq!(best.score, Score::Feasible(visits.cost(&best.moves)));
        // A replay has about as many nodes as there are moves behind the edited place.
        assert!(whole.counters.nodes < 4 * whole.counters.playouts, "{:?}", whole.counters);
        let mut session = solver().start().unwrap();
        for _ in 0..8 {
            session.advance(&Budget::playouts(7_500)).unwrap();
            let bytes = session.save();
            session = solver().resume(&bytes).unwrap().start().unwrap();
        }
        assert_eq!((session.best(), whole.counters.playouts), (whole.best, 60_000));
        let mut method = Method::preset("anneal").unwrap();
        method.set("fit", "false").unwrap();
        let replayed = Solver::new(&visits, method).seed(5).budget(Budget::playouts(60_000)).run().unwrap();
        assert!(replayed.counters.nodes > 4 * replayed.counters.playouts, "{:?}", replayed.counters);
    }

    #[test]
    fn what_is_learned_stays_from_turn_to_turn() {
        use crate::search::step::Search;
        for (late, learns) in [(0.0, true), (1.0, false)] {
            super::super::tests::with_search(&Visits::new(10, late), 10, |search, context| {
                for turn in 0..3 {
                    (0..20_000).for_each(|_| _ = search.step(context));
                    let walker = &search.walker;
                    assert_eq!((walker.has_learned(), walker.unlinked), (learns, !learns), "turn {turn}");
                    search.begin_turn();
                    assert_eq!((search.walker.has_learned(), search.walker.unlinked), (learns, !learns));
                    assert!(search.saved.best.is_none());
                }
            });
        }
    }

    #[test]
    fn checkpoints_of_other_orders_are_refused() {
        let (table, ..) = learned(&Visits::new(6, 0.0), 100);
        assert!(table.is_sound(6) && !table.is_sound(7));
        let wrong = |change: fn(&mut Table)| {
            let mut table = table.clone();
            change(&mut table);
            !table.is_sound(6)
        };
        assert!(wrong(|table| table.costs[0] = f64::NAN));
        assert!(wrong(|table| table.stored[0].count = 9));
        assert!(wrong(|table| table.stored[0].added[0] = 49));
        assert!(wrong(|table| table.seen.truncate(48)));
        assert!(wrong(|table| table.size = usize::MAX) && wrong(|table| table.learned = u64::MAX));
    }
}
