//! Recursive circle packing as a search problem: tube by tube, each to a candidate position of the object being filled.

use super::bin::Shape;
use super::instance::{decode, encode};
use super::model::{Layout, Objective, Packing};
use super::rollout::{Greedy, ROLLOUTS};
use super::search;
use soloist::problem::{Entrant, Explain, Extras, Facts, Key, KeyHasher, NamedSearch, Prior, ScorePart, StableHasher};
use soloist::rollout::{NamedRollout, Rollout};
use soloist::{Problem, Score, Sense};
use std::hash::Hasher;

impl Problem for Packing {
    type State = Layout;
    type Move = u64;

    fn root(&self) -> Layout {
        let mut state = self.empty();
        self.settle(&mut state);
        state
    }

    fn moves(&self, state: &Layout, moves: &mut Vec<u64>) {
        let Some(top) = state.depth.checked_sub(1) else { return };
        let bin = &state.stack[top];
        let first = bin.len() == 0;
        for kind in 0..self.kit.len() {
            if self.is_open(state, bin.shape, kind) {
                let list = bin.listed(kind);
                // An empty container: its corners are mirror images of each other.
                let list = if first { &list[..list.len().min(1)] } else { list };
                moves.extend(list.iter().map(|spot| encode(kind as u16, spot.place)));
            }
        }
        // Lists are in the order in which tubes were placed, which the key does not know.
        moves.sort_unstable();
        moves.dedup();
    }

    fn apply(&self, state: &mut Layout, mv: u64) {
        let (kind, place) = decode(mv);
        let spot = state.stack[state.depth - 1].find(kind, place).expect("a legal move");
        self.put(state, kind, spot);
        self.settle(state);
    }

    fn score(&self, state: &Layout) -> Score {
        Score::Feasible(self.score_of(&state.remaining, state.containers))
    }

    fn sense(&self) -> Sense {
        match self.objective {
            Objective::Value => Sense::Maximize,
            Objective::Containers => Sense::Minimize,
        }
    }

    /// The kind of object, the type, and the position on a grid of half the tube's radius: what was learned about a
    /// place serves its neighbourhood too.
    fn code(&self, state: &Layout, mv: u64) -> u64 {
        let (kind, place) = decode(mv);
        let top = state.depth.saturating_sub(1);
        let hull = state.hulls.get(top).copied().unwrap_or(u16::MAX);
        let Some(bin) = state.stack.get(top) else { return mv };
        let [x, y] = bin.position(place);
        let cell = 2.0 / self.kit.outer[kind];
        let part = |at: f64| libm::floor(at * cell) as i64 as u64 & 0xffff;
        let mut hash = StableHasher::new();
        hash.write_u64(u64::from(hull) << 48 | (kind as u64) << 32 | part(x) << 16 | part(y));
        hash.finish()
    }

    fn bound(&self, state: &Layout) -> Option<f64> {
        let now = self.score_of(&state.remaining, state.containers);
        let open = 0..state.depth;
        match self.objective {
            Objective::Value => {
                let rest: f64 =
                    state.remaining.iter().zip(&self.kit.value).map(|(&count, value)| f64::from(count) * value).sum();
                let room: f64 = open
                    .map(|at| {
                        let shape = state.stack[at].shape;
                        let fits = (0..self.kit.len()).filter(|&kind| self.is_open(state, shape, kind));
                        state.free[at] * fits.map(|kind| self.density[kind]).fold(0.0, f64::max)
                    })
                    .sum();
                // Sums of floats in another order than that of a finished packing's score.
                Some(if rest <= room { self.everything() } else { now + room * (1.0 + 1e-9) })
            }
            Objective::Containers => {
                let Shape::Rect { width, height } = self.kit.container else { return None };
                let rest: f64 =
                    state.remaining.iter().zip(&self.ring).map(|(&count, ring)| f64::from(count) * ring).sum();
                let free: f64 = open.map(|at| state.free[at]).sum();
                let more = ((rest - free) / (width * height) - 1e-6).ceil().max(0.0);
                Some(now + more)
            }
        }
    }

    /// The tubes left and the tubes in the open objects, in whatever order they were placed; what closed hulls hold
    /// does not matter any more. Positions count with all their bits: what touches what decides which moves there are.
    fn key(&self, state: &Layout) -> Option<Key> {
        let mut hash = KeyHasher::new();
        hash.write_u32(state.containers);
        for &count in &state.remaining {
            hash.write_u32(count);
        }
        for at in 0..state.depth {
            let bin = &state.stack[at];
            // The order of placing does not count: a sum of keys.
            let mut sum = 0_u128;
            for disc in 0..bin.len() {
                let at = |place: f64| (place * self.per_unit).to_bits();
                sum = sum.wrapping_add(Key::of(&(bin.types[disc], at(bin.xs[disc]), at(bin.ys[disc]))).id());
            }
            hash.write_u16(state.hulls[at]);
            hash.write_u128(sum);
        }
        Some(hash.key())
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        let tubes = self.kit.demand.iter().fold(0_usize, |sum, &count| sum.saturating_add(count as usize));
        let lists = self.kit.len() * (64 + 12 * tubes);
        Facts {
            // Some 50 bytes a tube, and for each type a list of about half as many places as there are tubes.
            state_bytes: Some(size_of::<Layout>() + 4 * self.kit.len() + 50 * tubes + lists),
            // Candidate positions leave packings out.
            is_complete: false,
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Packing {
    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }

    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new("refine")]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        NamedRollout::list(ROLLOUTS, |_, name| {
            Greedy::named(name).map(|greedy| Box::new(greedy) as Box<dyn Rollout<Self>>)
        })
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        let search = if self.objective == Objective::Containers { search::FILL } else { search::REFINE };
        vec![NamedSearch::new(search, search::search)]
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}

impl Prior<Packing> for Packing {
    /// How the type's value per area, contents included, compares with the best one's, and how low it lies: between -6
    /// and 0.
    fn bias(&self, state: &Layout, mv: u64) -> f64 {
        let (kind, place) = decode(mv);
        let Some(bin) = state.depth.checked_sub(1).and_then(|top| state.stack.get(top)) else { return 0.0 };
        let merit = |kind: usize| self.contents.worth[kind] / self.kit.disc(kind);
        let open = |kind: &usize| self.is_open(state, bin.shape, *kind);
        let best = (0..self.kit.len()).filter(open).map(merit).fold(0.0, f64::max);
        let lack = if best > 0.0 { 1.0 - merit(kind) / best } else { 0.0 };
        let ([left, bottom], [width, height]) = bin.shape.frame();
        let [x, y] = bin.position(place);
        -4.0 * lack.min(1.0) - 1.5 * ((y - bottom) / height) - 0.5 * ((x - left) / width)
    }
}

impl Explain<Packing> for Packing {
    fn parts(&self, state: &Layout) -> Vec<ScorePart> {
        let packed = self.kit.demand.iter().zip(&state.remaining).map(|(demand, left)| f64::from(demand - left));
        let value: f64 = packed.clone().zip(&self.kit.value).map(|(count, value)| count * value).sum();
        let containers = f64::from(state.containers);
        vec![("containers".into(), containers), ("tubes".into(), packed.sum()), ("value".into(), value)]
    }
}
