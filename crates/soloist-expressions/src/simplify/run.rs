//! The whole run: variants of the input, passes of rising effort, the time that is left.

use super::pass::{Candidate, Variant};
use super::{Amount, Effort, Event, Simplification, Simplified, Simplifier, SimplifyError, best_of};
use crate::algebra::{Signs, System};
use crate::anneal::Limits;
use crate::factor::rebuilt;
use crate::gradient::{reversed, with_gradient};
use crate::greedy::improve;
use crate::horner::Dag;
use crate::read::{as_written, inlined};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// The most terms of an intermediate that is put in where it is used, as tried one after the other.
const INLINE: [usize; 7] = [0, 1, 2, 4, 8, 16, 64];
/// An input with intermediates put in whose Horner form has this many per cent of the operations of the best one is
/// not looked at more closely.
const INLINE_MORE: u64 = 150;
/// The playouts of passes that come before one of more playouts, for inputs of at most this many terms.
const RUNGS: [u64; 2] = [100, 2000];
const RUNG_TERMS: usize = 3_000;
/// The part of the time that is left which an earlier pass may take.
const RUNG_PART: f64 = 0.25;

impl Simplifier<'_> {
    /// Simplifies `system` without relations between its outputs.
    pub(super) fn run_alone(
        &self,
        system: &Arc<System>,
        observe: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Simplification, SimplifyError> {
        let mut plan = self.clone();
        if let Some(time) = self.effort.time {
            plan.stop = self.stop.or_at(Instant::now() + time);
        }
        let variants = plan.variants(system)?;
        let mut best: Option<Candidate> = None;
        for rung in plan.rungs(&variants[0].system) {
            let stop = plan.stop.part(RUNG_PART);
            let earlier = Self { effort: Effort { playouts: Some(rung), ..plan.effort }, stop, ..plan.clone() };
            let (found, _) = earlier.pass(&variants, &mut |_| ())?;
            best = Some(better(best, found));
        }
        let (found, interrupted) = plan.pass(&variants, observe)?;
        let mut best = better(best, found);
        if self.effort.time.is_some() && self.effort.playouts.is_none() && self.effort.polish == Amount::BySize {
            best = plan.continued(best);
        }
        let Candidate { variant, mut best } = best;
        if self.effort.greedy {
            best.program = best.program.arranged();
        }
        let n = variant.shown.symbols().len();
        let order = best.order.into_iter().filter(|&symbol| symbol < n).collect();
        Ok(Simplification { system: variant.shown, best: Simplified { order, ..best }, interrupted })
    }

    /// Simplifies `system` together with the derivatives of its outputs; see [`with_gradient`]. The program is the
    /// better one of two: the derivatives as further polynomials, or reverse mode on the program of the outputs. Both
    /// are polished. With a limit of time each takes a part of it.
    ///
    /// # Errors
    /// Same as for [`run`](Self::run); a system that cannot be differentiated.
    pub fn run_with_gradient(
        &self,
        system: &Arc<System>,
        observe: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Simplification, SimplifyError> {
        let whole = Arc::new(with_gradient(system).map_err(SimplifyError::Gradient)?);
        let mut plan = self.clone();
        plan.effort.time = self.effort.time.map(|time| time.mul_f64(0.3));
        let outputs = plan.run(system, &mut |_| ())?;
        // The outputs may have been read again, with other symbols.
        let names = |system: &System| -> Vec<String> {
            system.inputs().into_iter().map(|symbol| system.symbols()[symbol].clone()).collect()
        };
        let reverse = (names(&outputs.system) == names(&whole) && self.effort.greedy).then(|| {
            let mut program = reversed(&outputs.best.program);
            let mut stop = self.stop;
            if let Some(time) = plan.effort.time {
                stop = stop.or_at(Instant::now() + time);
            }
            improve(&mut program, 0, stop);
            let variant = Variant { system: Arc::clone(&whole), shown: Arc::clone(&whole) };
            // The order by the symbols of the derivatives.
            let names: HashMap<&String, usize> =
                whole.symbols().iter().enumerate().map(|(at, name)| (name, at)).collect();
            let order = outputs.best.order.iter().filter_map(|&symbol| names.get(&outputs.system.symbols()[symbol]));
            let best = Simplified { program, order: order.copied().collect(), ..outputs.best };
            let limits = self.effort.polishing(best.operations());
            let polisher = Self { stop, ..plan.clone() };
            polisher.polished(&Candidate { variant, best }, limits, self.setup.seed, 1.0).0.best
        });
        let explicit = plan.run(&whole, observe)?;
        Ok(match reverse {
            Some(mut best) if best.operations() < explicit.best.operations() => {
                best.program = best.program.arranged();
                Simplification { system: whole, best, interrupted: explicit.interrupted }
            }
            _ => explicit,
        })
    }

    /// The playouts of the passes before the last one.
    fn rungs(&self, system: &System) -> Vec<u64> {
        let Effort { playouts, time, refine, greedy, polish, .. } = self.effort;
        let whole = greedy && (refine, polish) == (Amount::BySize, Amount::BySize);
        if !whole || self.order.is_some() || system.terms() > RUNG_TERMS {
            return Vec::new();
        }
        let most = playouts.unwrap_or(if time.is_some() { u64::MAX } else { RUNGS[1] });
        RUNGS.into_iter().filter(|&rung| rung < most).collect()
    }

    /// Polishes with rising work until the time is over.
    fn continued(&self, mut best: Candidate) -> Candidate {
        let Limits { mut work, .. } = self.effort.polishing(best.best.operations());
        let mut seed = self.setup.seed;
        while work > 0 && !best.best.program.temporaries.is_empty() && !self.stop.is_set() {
            (work, seed) = (work.saturating_mul(2), seed.wrapping_add(1));
            let (found, _) = self.polished(&best, Limits::work(work), seed, 1.0);
            best = better(Some(best), found);
        }
        best
    }

    /// What is simplified, the most promising one first: the input, and the input with factors as blocks.
    fn variants(&self, system: &Arc<System>) -> Result<Vec<Variant>, SimplifyError> {
        let variant = |system: &Arc<System>| Variant { system: Arc::clone(system), shown: Arc::clone(system) };
        if self.effort.as_written {
            let written = as_written(system)?.map(Arc::new);
            return Ok(vec![variant(written.as_ref().unwrap_or(system))]);
        }
        let system = &self.inline(system);
        let mut variants = vec![variant(system)];
        if self.order.is_none() && self.effort.greedy && !self.stop.is_set() {
            let mut work = self.effort.factor_work();
            if let Some(factored) = rebuilt(system, &mut work) {
                let factored = Variant { system: Arc::new(factored), shown: Arc::clone(system) };
                let stop = self.stop.part(RUNG_PART);
                let operations = |system: &System| {
                    let best = best_of(system, &system.occurrence_orders(), stop);
                    best.map_or(u64::MAX, |best| best.operations())
                };
                let place = usize::from(operations(&factored.system) >= operations(system));
                variants.insert(place, factored);
            }
        }
        Ok(variants)
    }

    /// The input with those intermediates put in that make the least code of the occurrence orders: all of them, or
    /// only short ones.
    fn inline(&self, system: &Arc<System>) -> Arc<System> {
        if self.order.is_some() || !self.effort.greedy {
            return Arc::clone(system);
        }
        let operations = |system: &System| {
            let best = best_of(system, &system.occurrence_orders(), self.stop);
            best.map_or(u64::MAX, |best| best.operations())
        };
        let scheme = |system: &System| {
            let orders = system.occurrence_orders();
            orders.iter().map(|order| Dag::build(system, order, Signs::Canonical).code_counts().total()).min()
        };
        // The small ones come first: a much larger one is left out before its greedy phase, which takes long.
        let others = inlined(system, &INLINE).into_iter().map(Arc::new);
        let mut all: Vec<Arc<System>> = std::iter::once(Arc::clone(system)).chain(others).collect();
        if all.len() == 1 {
            return all.remove(0);
        }
        let mut places: Vec<usize> = (0..all.len()).collect();
        soloist::order::sort_by_key(&mut places, |&place| all[place].terms());
        places.dedup_by_key(|&mut place| all[place].terms());
        let mut best: Option<(u64, u64, usize)> = None;
        for place in places {
            let scheme = scheme(&all[place]).unwrap_or(u64::MAX);
            if self.stop.is_set() || best.is_some_and(|(_, known, _)| scheme > known.saturating_mul(INLINE_MORE) / 100)
            {
                continue;
            }
            let found = (operations(&all[place]), scheme, place);
            if best.is_none_or(|(least, _, at)| (found.0, place) < (least, at)) {
                best = Some(found);
            }
        }
        let chosen = best.map_or(0, |(_, _, place)| place);
        all.swap_remove(chosen)
    }
}

/// The candidate with fewer operations, of equal ones the first.
fn better(best: Option<Candidate>, found: Candidate) -> Candidate {
    match best {
        Some(best) if best.best.operations() <= found.best.operations() => best,
        _ => found,
    }
}
