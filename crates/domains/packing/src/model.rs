//! The rules: the objects that are open, and what a tube placed there changes.

use super::bin::{Bin, Candidate, Shape};
use super::contents::Contents;
use super::instance::{Tubes, decode};
use super::{Order, TOLERANCE};
use soloist::Problem;
use soloist::problem::StableHasher;
use std::f64::consts::PI;
use std::hash::Hasher;

/// What a tube is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worth {
    /// The area of its ring, pi (r_ext^2 - r_int^2), in squared units of the file.
    #[default]
    Area,
    /// 1.
    Count,
    /// What the file says.
    Given,
}

/// What is to be achieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The most value in one container.
    #[default]
    Value,
    /// All tubes in the fewest containers.
    Containers,
}

/// The search's view of an [`Order`].
///
/// The object being filled is the container or the hull placed last that still has room: contents come before
/// neighbours (telescoping). A move names a type and one of its candidate positions there; when no tube that is left
/// has one, the object is closed and the one around it is filled next. Leaving room on purpose is never better: a tube
/// is worth the same everywhere. The first tube of a container goes to the bottom left corner (the others are mirror
/// images), the first one of a hull to the bottom. With [`Objective::Containers`] a new container is opened when the
/// last one is closed and tubes are left.
///
/// A move is the type (bits 52 to 62) and the position, rounded to a 2^26th of the longer side of the object (26 bits
/// each): the same place has the same name however it was reached, so that moves may be replayed after others have
/// changed. Moves are listed by type, then from left to right and from the bottom up.
///
/// Bound: the value packed, and no more than what is left, nor than the free area of the open objects at the highest
/// value per disc area of a type that fits, where a tube counts with an inside filled at such a density in turn.
/// Containers: those in use, and the area of the rings left that exceeds the free area.
///
/// The candidate positions do not hold every packing: [`Facts::is_complete`](soloist::problem::Facts::is_complete) says
/// no.
#[derive(Debug)]
pub struct Packing {
    pub(crate) kit: Tubes,
    pub(crate) objective: Objective,
    pub(crate) contents: Contents,
    /// Upper bound on what a tube and its contents are worth per area of its disc.
    pub(crate) density: Vec<f64>,
    /// Area of each ring.
    pub(crate) ring: Vec<f64>,
    /// The inverse of the power of two below the longer side: coordinates times this do not depend on the unit.
    pub(crate) per_unit: f64,
    pub(crate) fingerprint: u64,
}

/// A partial packing: the objects that are open, and the tubes left.
#[derive(Debug)]
pub struct Layout {
    /// Tubes left, by type.
    pub(crate) remaining: Vec<u32>,
    /// Containers opened.
    pub(crate) containers: u32,
    /// The container, the hull in it ..., down to the object being filled; those from `depth` on are unused.
    pub(crate) stack: Vec<Bin>,
    pub(crate) depth: usize,
    /// The type of each open hull; of the container `u16::MAX`.
    pub(crate) hulls: Vec<u16>,
    /// Free area of each open object.
    pub(crate) free: Vec<f64>,
}

impl Clone for Layout {
    fn clone(&self) -> Self {
        Self {
            remaining: self.remaining.clone(),
            containers: self.containers,
            stack: self.stack[..self.depth].to_vec(),
            depth: self.depth,
            hulls: self.hulls.clone(),
            free: self.free.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.remaining.clone_from(&other.remaining);
        self.containers = other.containers;
        for (at, bin) in other.stack[..other.depth].iter().enumerate() {
            match self.stack.get_mut(at) {
                Some(own) => own.clone_from(bin),
                None => self.stack.push(bin.clone()),
            }
        }
        self.depth = other.depth;
        self.hulls.clone_from(&other.hulls);
        self.free.clone_from(&other.free);
    }
}

/// Where a tube lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its type, in the order of the file.
    pub kind: u16,
    /// Its container, from 0.
    pub container: u32,
    /// The tube around it, as an index of the list of places; `None`: it lies directly in the container.
    pub hull: Option<u32>,
    /// Its centre in the container's coordinates.
    pub x: f64,
    /// See `x`.
    pub y: f64,
}

impl Packing {
    /// Returns the problem of `order`. Computes the best contents of each type, which takes some milliseconds a type.
    ///
    /// # Errors
    /// One line: values are to be those of the file, which has no values; all tubes are to be packed and one does not
    /// fit into the container.
    pub fn new(order: &Order, values: Worth, objective: Objective) -> Result<Self, String> {
        let tubes = order.tubes();
        let container = Shape::Rect { width: order.width(), height: order.height() };
        let ring: Vec<f64> =
            tubes.iter().map(|tube| PI * (tube.outer - tube.inner) * (tube.outer + tube.inner)).collect();
        let value: Vec<f64> = match values {
            Worth::Area => ring.clone(),
            Worth::Count => vec![1.0; tubes.len()],
            Worth::Given if order.has_values() => tubes.iter().map(|tube| tube.value.unwrap_or(0.0)).collect(),
            Worth::Given => {
                return Err("the instance gives no values: a fourth number in the line of each type".into());
            }
        };
        let mut by_size: Vec<u16> = (0..tubes.len() as u16).collect();
        soloist::order::sort_by(&mut by_size, |&a, &b| {
            tubes[b as usize].outer.total_cmp(&tubes[a as usize].outer).then(a.cmp(&b))
        });
        let smallest = tubes.iter().filter(|tube| tube.demand > 0).map(|tube| tube.outer).fold(f64::INFINITY, f64::min);
        let longer = order.width().max(order.height());
        let kit = Tubes {
            container,
            outer: tubes.iter().map(|tube| tube.outer).collect(),
            inner: tubes.iter().map(|tube| tube.inner).collect(),
            demand: tubes.iter().map(|tube| tube.demand).collect(),
            value,
            by_size,
            slack: TOLERANCE * 0.2 * longer,
            cell: (2.0 * smallest).min(longer),
        };
        if objective == Objective::Containers {
            let misfit =
                (0..kit.len()).find(|&kind| kit.demand[kind] > 0 && !container.admits(kit.outer[kind], kit.slack));
            if let Some(kind) = misfit {
                let (r, w, h) = (kit.outer[kind], order.width(), order.height());
                return Err(format!(
                    "type {kind} (outer radius {r}) does not fit into the container {w} x {h}: no number of containers is enough"
                ));
            }
        }
        let mut hash = StableHasher::new();
        hash.write(b"packing");
        hash.write_u8(objective as u8);
        for number in [order.width(), order.height()].iter().chain(&kit.outer).chain(&kit.inner).chain(&kit.value) {
            hash.write_u64(number.to_bits());
        }
        for &demand in &kit.demand {
            hash.write_u32(demand);
        }
        let density = density(&kit);
        let contents = Contents::new(&kit);
        let per_unit = 1.0 / f64::from_bits(longer.to_bits() & f64::INFINITY.to_bits());
        Ok(Self { kit, objective, contents, density, ring, per_unit, fingerprint: hash.finish() })
    }

    /// Whether a tube of this type is left and small enough for an object.
    #[inline]
    pub(crate) fn is_open(&self, state: &Layout, shape: Shape, kind: usize) -> bool {
        state.remaining[kind] > 0 && shape.admits(self.kit.outer[kind], self.kit.slack)
    }

    /// Returns the empty state, before any object is open.
    pub(crate) fn empty(&self) -> Layout {
        Layout {
            remaining: self.kit.demand.clone(),
            containers: 0,
            stack: Vec::new(),
            depth: 0,
            hulls: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Opens an object.
    pub(crate) fn push(&self, state: &mut Layout, shape: Shape, hull: u16) {
        if state.depth == state.stack.len() {
            state.stack.push(Bin::new(shape, self.kit.len(), self.kit.cell, self.kit.slack));
        }
        state.stack[state.depth].reset(shape);
        state.hulls.truncate(state.depth);
        state.free.truncate(state.depth);
        state.hulls.push(hull);
        state.free.push(shape.area());
        state.depth += 1;
    }

    /// Places a tube in the object being filled and opens its hull if something left fits into it.
    pub(crate) fn put(&self, state: &mut Layout, kind: usize, spot: Candidate) {
        let top = state.depth - 1;
        state.stack[top].add(kind as u16, spot.x, spot.y, self.kit.outer[kind]);
        state.free[top] = (state.free[top] - self.kit.disc(kind)).max(0.0);
        state.remaining[kind] -= 1;
        let shape = Shape::Disc { radius: self.kit.inner[kind] };
        if (0..self.kit.len()).any(|other| self.is_open(state, shape, other)) {
            self.push(state, shape, kind as u16);
        }
    }

    /// Opens the next container if one is needed; `false`: the packing is finished.
    pub(crate) fn open_container(&self, state: &mut Layout) -> bool {
        let wanted = state.containers == 0 || self.objective == Objective::Containers;
        let open = wanted && (0..self.kit.len()).any(|kind| self.is_open(state, self.kit.container, kind));
        if open {
            state.containers += 1;
            self.push(state, self.kit.container, u16::MAX);
        }
        open
    }

    /// Closes full objects until one has a candidate; brings its lists up to date.
    pub(crate) fn settle(&self, state: &mut Layout) {
        while state.depth > 0 || self.open_container(state) {
            let top = state.depth - 1;
            let shape = state.stack[top].shape;
            let mut any = false;
            for kind in 0..self.kit.len() {
                if self.is_open(state, shape, kind) {
                    any |= !state.stack[top].candidates(kind, self.kit.outer[kind]).is_empty();
                }
            }
            if any {
                return;
            }
            state.depth -= 1;
        }
    }

    /// Where the tubes lie after `moves`; moves that are no candidates go to the nearest one, moves without any are
    /// left out.
    #[must_use]
    pub fn places(&self, moves: &[u64]) -> Vec<Place> {
        let mut state = self.root();
        let mut places: Vec<Place> = Vec::new();
        // The tube around each open object, and its centre.
        let mut owners: Vec<(Option<u32>, f64, f64)> = vec![(None, 0.0, 0.0)];
        for &mv in moves {
            let (kind, place) = decode(mv);
            if state.depth == 0 || kind >= self.kit.len() || state.remaining[kind] == 0 {
                continue;
            }
            let Some(spot) = state.stack[state.depth - 1].find(kind, place) else { continue };
            let (container, depth) = (state.containers, state.depth);
            let (hull, x, y) = owners[depth - 1];
            let (x, y) = (x + spot.x, y + spot.y);
            let index = places.len() as u32;
            places.push(Place { kind: kind as u16, container: container - 1, hull, x, y });
            self.put(&mut state, kind, spot);
            if state.depth > depth {
                owners.push((Some(index), x, y));
            }
            self.settle(&mut state);
            if state.containers > container {
                owners = vec![(None, 0.0, 0.0)];
            }
            owners.truncate(state.depth.max(1));
        }
        places
    }

    /// Returns the score for the number of tubes left and of containers used.
    pub(crate) fn score_of(&self, remaining: &[u32], containers: u32) -> f64 {
        match self.objective {
            Objective::Value => {
                let packed = self.kit.demand.iter().zip(remaining).map(|(demand, left)| f64::from(demand - left));
                packed.zip(&self.kit.value).map(|(count, value)| count * value).sum()
            }
            Objective::Containers => f64::from(containers),
        }
    }

    /// Returns the value of these numbers of tubes of each type, in the problem's [`Worth`].
    #[must_use]
    pub fn value_of(&self, counts: &[u32]) -> f64 {
        counts.iter().zip(&self.kit.value).map(|(&count, value)| f64::from(count) * value).sum()
    }

    /// Value of all tubes.
    pub(crate) fn everything(&self) -> f64 {
        self.score_of(&vec![0; self.kit.len()], 0)
    }
}

/// The most that a tube of each type and all it may hold can be worth per area of its disc: insides count as if filled
/// without gaps at the highest density of what fits.
fn density(kit: &Tubes) -> Vec<f64> {
    let mut density = vec![0.0; kit.len()];
    let mut order = kit.by_size.clone();
    order.reverse();
    for &kind in &order {
        let kind = kind as usize;
        let inside = Shape::Disc { radius: kit.inner[kind] };
        let fits = |other: &usize| kit.demand[*other] > 0 && inside.admits(kit.outer[*other], kit.slack);
        let best = (0..kit.len()).filter(fits).map(|other| density[other]).fold(0.0, f64::max);
        density[kind] = (kit.value[kind] + best * inside.area()) / kit.disc(kind);
    }
    density
}
