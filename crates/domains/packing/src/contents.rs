//! What fits into each type of tube: computed once, so that a tube can be judged by what it will hold.
//!
//! What lies inside a tube does not depend on where the tube lies (telescoping). For each type, from the smallest on, a
//! short annealing inside its hull finds sets of tubes that fill it, each of them worth what it holds in turn. The most
//! valuable set is the best bundle; the others serve when a type has run out.

use super::bin::{Bin, Candidate, Shape};
use super::board::{Board, Stock};
use super::encoder::MoveEncoder;
use super::instance::{Piece, Tubes};
use soloist::Rng;

/// Sets that are kept for a hull.
const KEPT: usize = 24;
/// Fillings that are tried for one hull, and for all together.
const STEPS: (usize, usize) = (2_000, 40_000);

/// Tubes that a hull may hold for its fillings to be searched: with more, one filling would take seconds.
const LARGE: f64 = 300.0;

/// The number of tubes that a hull has room for by area, at most.
fn capacity(kit: &Tubes, hull: usize) -> f64 {
    let inside = Shape::Disc { radius: kit.inner[hull] };
    let mut room = inside.area();
    let mut count = 0.0;
    for &kind in kit.by_size.iter().rev() {
        let kind = kind as usize;
        if inside.admits(kit.outer[kind], kit.slack) {
            let fits = (room / kit.disc(kind)).min(f64::from(kit.demand[kind]));
            room -= fits * kit.disc(kind);
            count += fits;
        }
    }
    count
}

/// Tubes that lie directly inside a hull.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filling {
    /// Pieces in the order in which moves place them.
    pub(crate) pieces: Vec<Piece>,
    /// Their moves' places.
    pub(crate) places: Vec<u64>,
    /// Pieces by type, types that occur only.
    pub(crate) counts: Vec<(u16, u32)>,
    /// What they are worth, with all that they hold.
    worth: f64,
}

/// The fillings of every type.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// For each type the fillings known, the most valuable first; empty where nothing fits.
    pub(crate) fillings: Vec<Vec<Filling>>,
    /// What a tube is worth with its best bundle.
    pub(crate) worth: Vec<f64>,
    /// Tubes of each type in a tube with its best bundle, itself included; row after row.
    need: Vec<u32>,
    /// Types with the largest inner radius first.
    by_inner: Vec<u16>,
    /// Whether the best bundle is known, as it is unless a hull may hold very many tubes.
    known: Vec<bool>,
}

impl Contents {
    /// Searches fillings of all types: some milliseconds for each.
    pub(crate) fn new(kit: &Tubes) -> Self {
        let types = kit.len();
        let mut by_inner: Vec<u16> = (0..types as u16).collect();
        soloist::order::sort_by(&mut by_inner, |&a, &b| {
            kit.inner[b as usize].total_cmp(&kit.inner[a as usize]).then(a.cmp(&b))
        });
        let mut contents = Self {
            fillings: vec![Vec::new(); types],
            worth: kit.value.clone(),
            need: vec![0; types * types],
            by_inner,
            known: vec![true; types],
        };
        let steps = STEPS.0.min(STEPS.1 / types.max(1));
        let mut rng = Rng::new(1);
        for at in (0..types).rev() {
            // What fits has an outer radius of at most this inner one, so that its own inner one is smaller: it was
            // dealt with before.
            let hull = contents.by_inner[at] as usize;
            contents.need[hull * types + hull] += 1;
            if kit.demand[hull] == 0 {
                continue;
            }
            if capacity(kit, hull) > LARGE {
                contents.known[hull] = false;
                continue;
            }
            let fillings = contents.search(kit, hull, steps, &mut rng);
            if let Some(best) = fillings.first() {
                contents.worth[hull] += best.worth;
                for &(kind, count) in &best.counts {
                    contents.known[hull] &= contents.known[kind as usize];
                    for other in 0..types {
                        let more = count.saturating_mul(contents.need[kind as usize * types + other]);
                        let need = &mut contents.need[hull * types + other];
                        *need = need.saturating_add(more);
                    }
                }
            }
            contents.fillings[hull] = fillings;
        }
        contents
    }

    fn search(&self, kit: &Tubes, hull: usize, steps: usize, rng: &mut Rng) -> Vec<Filling> {
        let shape = Shape::Disc { radius: kit.inner[hull] };
        let fits = |kind: usize| kit.demand[kind] > 0 && shape.admits(kit.outer[kind], kit.slack);
        if !(0..kit.len()).any(fits) {
            return Vec::new();
        }
        let mut found: Vec<(f64, Vec<u32>, Vec<Piece>)> = Vec::new();
        let mut board = Board::new(kit, shape);
        let mut value = |counts: &[u32]| {
            counts.iter().zip(&self.worth).map(|(&count, worth)| f64::from(count) * worth).sum::<f64>()
        };
        let stock = Stock { kit, offer: &kit.demand, worth: &self.worth };
        // Large hulls full of small tubes: few fillings, since each of them places many.
        let mut work = 0;
        for step in 0..steps {
            work += if step % 100 < 20 { board.pieces.len() } else { 8 + board.pieces.len() / 8 };
            if work > 20 * steps {
                break;
            }
            if step % 100 < 20 {
                board.restart(stock, &mut value, rng);
            } else {
                let warmth = 0.2 * (100 - step % 100) as f64 / 80.0;
                let temperature = (board.value / board.pieces.len() as f64 * warmth).max(f64::MIN_POSITIVE);
                board.step(stock, &mut value, temperature, rng);
            }
            let full = found.len() == KEPT;
            if full && board.value <= found[KEPT - 1].0
                || found.iter().any(|(_, counts, _)| covers(counts, &board.counts))
            {
                continue;
            }
            found.retain(|(_, counts, _)| !covers(&board.counts, counts));
            found.truncate(KEPT - 1);
            let at = found.partition_point(|&(other, ..)| other >= board.value);
            found.insert(at, (board.value, board.counts.clone(), board.pieces.clone()));
        }
        let mut bin = Bin::new(shape, kit.len(), kit.cell, kit.slack);
        let mut fillings: Vec<Filling> =
            found.iter().map(|(_, _, pieces)| self.order(kit, shape, pieces, &mut bin)).collect();
        soloist::order::sort_by(&mut fillings, |a, b| b.worth.total_cmp(&a.worth));
        fillings
    }

    /// A filling whose pieces have positions that moves know, and which leaves no room for another tube.
    fn order(&self, kit: &Tubes, shape: Shape, pieces: &[Piece], bin: &mut Bin) -> Filling {
        let mut filling = Filling::default();
        let mut counts = vec![0; kit.len()];
        let mut encoder = MoveEncoder::default();
        encoder.start(kit, shape, pieces, 0);
        bin.reset(shape);
        let mut put = |bin: &mut Bin, counts: &mut [u32], kind: u16, spot: Candidate| {
            // The candidate that the move names, should two have the same name.
            let Candidate { x, y, place } = bin.find(kind as usize, spot.place).unwrap_or(spot);
            bin.add(kind, x, y, kit.outer[kind as usize]);
            counts[kind as usize] += 1;
            filling.pieces.push(Piece { kind, x, y });
            filling.places.push(place);
        };
        while let Some((kind, spot)) = encoder.next(kit, bin, |_| true) {
            put(bin, &mut counts, kind, spot);
        }
        for &kind in &kit.by_size {
            while counts[kind as usize] < kit.demand[kind as usize] {
                let Some(&spot) = bin.candidates(kind as usize, kit.outer[kind as usize]).first() else { break };
                put(bin, &mut counts, kind, spot);
            }
        }
        for (kind, &count) in counts.iter().enumerate() {
            if count > 0 {
                filling.counts.push((kind as u16, count));
                filling.worth += f64::from(count) * self.worth[kind];
            }
        }
        filling
    }

    /// Whether every tube of `counts` can have its best bundle from what is offered.
    fn suffices(&self, offer: &[u32], counts: &[u32]) -> bool {
        let types = offer.len();
        (0..types).all(|kind| {
            let used: u64 =
                (0..types).map(|hull| u64::from(counts[hull]) * u64::from(self.need[hull * types + kind])).sum();
            used <= u64::from(offer[kind])
        })
    }

    /// Whether a tube with its best bundle can be taken from `available`.
    pub(crate) fn has_bundle(&self, hull: usize, available: impl Fn(usize) -> u32) -> bool {
        let types = self.worth.len();
        let row = &self.need[hull * types..][..types];
        self.known[hull] && row.iter().enumerate().all(|(kind, &need)| need == 0 || need <= available(kind))
    }

    /// Returns what tubes that lie directly in the container are worth with what can be put inside them, as far as
    /// tubes are offered: counts only, hulls with the largest inside first, each with the filling that is worth most.
    pub(crate) fn total(&self, kit: &Tubes, offer: &[u32], counts: &[u32], scratch: &mut Scratch) -> f64 {
        if self.suffices(offer, counts) {
            return counts.iter().zip(&self.worth).map(|(&count, worth)| f64::from(count) * worth).sum();
        }
        let Scratch { rest, hulls } = scratch;
        rest.clear();
        rest.extend(offer.iter().zip(counts).map(|(offered, count)| offered - count));
        hulls.clear();
        hulls.extend_from_slice(counts);
        let mut value: f64 = counts.iter().zip(&kit.value).map(|(&count, value)| f64::from(count) * value).sum();
        for &hull in &self.by_inner {
            let hull = hull as usize;
            while hulls[hull] > 0 {
                // The filling with the most of what is left, and how often it can be had in full.
                let mut best: (f64, Option<&Filling>) = (0.0, None);
                for filling in &self.fillings[hull] {
                    if filling.worth <= best.0 {
                        break;
                    }
                    let worth = self.available_worth(filling, |kind| rest[kind]);
                    if worth > best.0 {
                        best = (worth, Some(filling));
                    }
                }
                let Some(filling) = best.1 else { break };
                let times = filling.counts.iter().map(|&(kind, count)| rest[kind as usize] / count).min().unwrap_or(0);
                let times = times.clamp(1, hulls[hull]);
                hulls[hull] -= times;
                for &(kind, count) in &filling.counts {
                    let used = (count * times).min(rest[kind as usize]);
                    rest[kind as usize] -= used;
                    hulls[kind as usize] += used;
                    value += f64::from(used) * kit.value[kind as usize];
                }
            }
        }
        value
    }

    /// What the available pieces of a filling are worth.
    fn available_worth(&self, filling: &Filling, available: impl Fn(usize) -> u32) -> f64 {
        let worth =
            |&(kind, count): &(u16, u32)| f64::from(count.min(available(kind as usize))) * self.worth[kind as usize];
        filling.counts.iter().map(worth).sum()
    }

    /// Returns the filling of `hull` with the most valuable available pieces, and whether all of them are available.
    pub(crate) fn choose(&self, hull: usize, available: impl Fn(usize) -> u32) -> Option<(&Filling, bool)> {
        let mut best: (f64, Option<&Filling>) = (0.0, None);
        for filling in &self.fillings[hull] {
            if filling.worth <= best.0 {
                break;
            }
            let worth = self.available_worth(filling, &available);
            if worth > best.0 {
                best = (worth, Some(filling));
            }
        }
        best.1.map(|filling| (filling, filling.counts.iter().all(|&(kind, count)| count <= available(kind as usize))))
    }
}

/// Buffers of [`Contents::total`].
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    rest: Vec<u32>,
    hulls: Vec<u32>,
}

/// Whether a set holds at least the pieces of another.
fn covers(counts: &[u32], other: &[u32]) -> bool {
    counts.iter().zip(other).all(|(a, b)| a >= b)
}
