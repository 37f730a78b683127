//! What solutions by hand share: a clock, and simulated annealing as in textbooks.

use soloist::Rng;
use std::time::Instant;

/// A limited time.
pub(crate) struct Clock {
    start: Instant,
    seconds: f64,
}

impl Clock {
    pub(crate) fn new(seconds: f64) -> Self {
        Self { start: Instant::now(), seconds }
    }

    /// The part of the time that is over.
    pub(crate) fn part(&self) -> f64 {
        self.start.elapsed().as_secs_f64() / self.seconds
    }

    pub(crate) fn is_over(&self) -> bool {
        self.part() >= 1.0
    }

    /// Makes steps at temperatures that fall geometrically, until the time is over.
    pub(crate) fn cool(&self, (hot, cold): (f64, f64), mut step: impl FnMut(f64)) {
        let (mut part, mut batch) = (self.part(), 1);
        while part < 1.0 {
            let temperature = hot * (cold / hot).powf(part);
            (0..batch).for_each(|_| step(temperature));
            let before = std::mem::replace(&mut part, self.part());
            // The clock is asked rarely where steps are short.
            batch = if part - before < 1e-4 { batch.min(128) * 2 } else { 1.max(batch / 2) };
        }
    }
}

/// The rule of Metropolis for a change of a cost.
pub(crate) fn accepts(change: f64, temperature: f64, rng: &mut Rng) -> bool {
    change <= 0.0 || rng.unit() < (-change / temperature).exp()
}

/// Anneals a solution that is small enough to be copied and valued as a whole; returns the best one met.
pub(crate) fn anneal<S: Clone>(
    (clock, rng): (&Clock, &mut Rng),
    start: S,
    temperatures: (f64, f64),
    cost: impl Fn(&S) -> f64,
    edit: impl Fn(&mut S, &mut Rng),
) -> S {
    let (mut now, mut next, mut best) = (start.clone(), start.clone(), start);
    let mut value = cost(&now);
    let mut least = value;
    clock.cool(temperatures, |temperature| {
        next.clone_from(&now);
        edit(&mut next, rng);
        let other = cost(&next);
        if accepts(other - value, temperature, rng) {
            std::mem::swap(&mut now, &mut next);
            value = other;
            if value < least {
                least = value;
                best.clone_from(&now);
            }
        }
    });
    best
}

/// Edits an order: two things change places, or one moves to another place.
pub(crate) fn reorder<T>(order: &mut [T], rng: &mut Rng) {
    let (a, b) = (rng.index(order.len()), rng.index(order.len()));
    match rng.below(2) {
        0 => order.swap(a, b),
        _ if a < b => order[a..=b].rotate_left(1),
        _ => order[b..=a].rotate_right(1),
    }
}
