//! What [`Annealing`](crate::Annealing) asks of the solution that it changes.

use crate::sisr::SisrSettings;
use soloist::Rng;
use soloist::problem::Acceptance;

/// A solution under repair: routes of an instance, customers that they leave out, and one kind of step.
///
/// A tour is a list of numbers that the kernel understands. It is never empty once there is a solution.
pub trait Kernel {
    /// Returns the number of customers, which is the unit of the length of rounds.
    fn customers(&self) -> usize;
    /// Returns the units of costs in a unit of the file.
    fn scale(&self) -> f64;
    /// Returns a lower bound on the number of routes.
    fn fewest_vehicles(&self) -> usize;
    /// Returns the most routes of any solution.
    fn most_vehicles(&self) -> usize;
    /// Returns what a route costs beside its distance; 0: their number does not count.
    fn route_cost(&self) -> f64;
    /// Returns the cost of the solution, that of its routes included.
    fn cost(&self) -> f64;
    /// Returns the number of routes.
    fn vehicles(&self) -> usize;
    /// Returns the customers that must be served and are not.
    fn absent(&self) -> &[u16];
    /// Returns the most routes that steps may use.
    fn fleet(&self) -> usize;
    /// Allows at most `fleet` routes.
    fn set_fleet(&mut self, fleet: usize);
    /// Returns by customer the steps during which it was not served.
    fn misses(&self) -> &[u32];
    /// Restores these counters; a list of another length is ignored.
    fn set_misses(&mut self, misses: &[u32]);
    /// Changes the numbers of the ruin and of the recreation.
    fn set_settings(&mut self, settings: SisrSettings);
    /// Writes the tour of the solution.
    fn write(&self, tour: &mut Vec<u16>);
    /// Takes a solution that [is sound](Self::is_sound), with at most `fleet` routes from now on.
    fn set(&mut self, tour: &[u16], absent: &[u16], fleet: usize);
    /// Sets the cost to a value within rounding errors of it.
    fn set_cost(&mut self, cost: f64);
    /// Recomputes the cost from the routes.
    fn recount(&mut self);
    /// Builds a solution by insertion alone.
    fn construct(&mut self, rng: &mut Rng);
    /// Takes out a route and allows no other instead.
    fn drop_route(&mut self);
    /// Makes a step of annealing; returns whether the new solution was accepted.
    fn step(&mut self, rng: &mut Rng, temperature: f64) -> bool;
    /// Makes a step with fewer vehicles than customers need; returns whether all customers are served.
    fn step_fleet(&mut self, rng: &mut Rng, temperature: f64) -> bool;
    /// Returns the mean distance between stops.
    fn mean_leg(&self) -> f64;
    /// Whether a tour and the customers that it leaves out are a solution.
    fn is_sound(&self, tour: &[u16], absent: &[u16]) -> bool;
    /// Writes a child of two tours: some routes of the first that are near to each other, and those of the second that
    /// lose the fewest customers thereby; at most `fleet` routes, unless that is `usize::MAX`: then vehicles do not
    /// count. The customers of neither are absent.
    fn child(&self, parents: [&[u16]; 2], fleet: usize, rng: &mut Rng, tour: &mut Vec<u16>, absent: &mut Vec<u16>);
}

/// What both kernels share: a step is one attempt, kept or undone.
pub(crate) trait Move {
    /// Makes one ruin and recreation and returns its cost. `None`: the cost would exceed `limit`, or the number of
    /// those absent (without `count`, the sum of their counters) would exceed `most`; the attempt is undone then.
    fn attempt(&mut self, rng: &mut Rng, limit: f64, most: u64, count: bool) -> Option<f64>;
    /// Makes the attempt the present solution.
    fn keep(&mut self, cost: f64);
    /// Takes the attempt back.
    fn undo(&mut self);
    /// The cost of the present solution.
    fn present(&self) -> f64;
    /// Those that the present solution leaves out, and those that the attempt leaves out.
    fn left_out(&self) -> [&[u16]; 2];
    /// Counters of absence, and those that the present solution leaves out.
    fn counters(&mut self) -> (&mut [u32], &[u16]);
    /// Returns the counters to be read.
    fn counts(&self) -> &[u32];

    /// Makes a step, accepted with fewer absent, or with a cost below the present one - `temperature` x ln U. Returns
    /// whether it was accepted.
    #[inline]
    fn anneal(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        let limit = self.present() + Acceptance::new(rng, temperature).limit();
        let absent = self.left_out()[0].len();
        // Serving someone who was absent is worth any distance.
        let most = if absent == 0 { limit } else { f64::INFINITY };
        let Some(cost) = self.attempt(rng, most, absent as u64, true) else { return false };
        let accepted = self.left_out()[1].len() < absent || cost < limit;
        if accepted {
            self.keep(cost);
        } else {
            self.undo();
        }
        accepted
    }

    /// Makes a step with fewer vehicles than needed, accepted when the counters of the absent add up to less than
    /// before, or fewer are absent, or the sum is the same and the cost below the limit of [`anneal`](Self::anneal).
    /// Then each one absent counts one step more. Returns whether all are served.
    #[inline]
    fn save_vehicle(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        let limit = self.present() + Acceptance::new(rng, temperature).limit();
        let sum =
            |absent: &[u16], counts: &[u32]| absent.iter().map(|&c| u64::from(counts[usize::from(c)])).sum::<u64>();
        let most = sum(self.left_out()[0], self.counts());
        if let Some(cost) = self.attempt(rng, f64::INFINITY, most, false) {
            let now = sum(self.left_out()[1], self.counts());
            let [before, behind] = self.left_out().map(<[u16]>::len);
            if now < most || behind < before || now == most && cost < limit {
                self.keep(cost);
            } else {
                self.undo();
            }
        }
        let (counters, absent) = self.counters();
        for &c in absent {
            counters[usize::from(c)] = counters[usize::from(c)].saturating_add(1);
        }
        self.left_out()[0].is_empty()
    }
}
