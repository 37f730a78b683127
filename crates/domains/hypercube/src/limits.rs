//! Numbers behind the [bounds](super::bound) that depend on dimension and spread alone.

use super::path::across;
use std::sync::OnceLock;

/// Numbers of the bounds that depend on the cube alone.
#[derive(Debug)]
pub(super) struct Limits {
    /// Volume: `t`; `n` is at most the vertices within `t`, times `times`, divided by `by`. `by` is 0 where the bound
    /// does not apply.
    pub(super) radius: u32,
    pub(super) times: u32,
    pub(super) by: u32,
    /// No snake has more edges, and no coil more vertices.
    pub(super) snake: u32,
    pub(super) coil: u32,
    /// By 16 bits of a subcube of dimension 4: the most vertices that a path uses. Computed when first asked for.
    pub(super) subcubes: &'static OnceLock<Vec<u8>>,
}

impl Limits {
    pub(super) fn new(dimension: u32, spread: u32) -> Self {
        static SUBCUBES: [OnceLock<Vec<u8>>; 8] = [const { OnceLock::new() }; 8];
        let t = spread / 2;
        let (mut times, mut by) = (1, 0);
        if dimension > spread && spread > 2 {
            let new = new_vertices(dimension, t, 2 * t);
            if spread % 2 == 1 {
                by = new;
            } else {
                let inner = new_vertices(dimension, t - 1, 2 * t - 2);
                times = dimension / t;
                by = (times - 1) * inner + new.max(inner);
            }
        }
        let subcubes = &SUBCUBES[spread as usize & 7];
        let (snake, coil) = longest(dimension, spread);
        Self { radius: t, times, by, snake, coil, subcubes }
    }
}

/// Returns bounds of the edges of a snake and of the vertices of a coil, by the volume of the whole cube; see
/// [`bound`](super::bound).
fn longest(dimension: u32, spread: u32) -> (u32, u32) {
    let cube = 1_u32 << dimension;
    if spread.is_multiple_of(2) || spread < 3 || dimension <= spread {
        return (cube - 1, cube);
    }
    let t = spread / 2;
    let begin: u32 = (0..2 * t).map(|before| new_vertices(dimension, t, before)).sum();
    let each = new_vertices(dimension, t, 2 * t);
    // The proof says nothing about coils of at most 6 t vertices; lengths are even.
    let coil = (cube / each).max(6 * t) & !1;
    (2 * t - 1 + cube.saturating_sub(begin) / each, coil)
}

/// The number of vertices of a ball of `radius` that are in none of the balls around the `before` vertices before its
/// centre, on a path whose flips there are all different.
fn new_vertices(dimension: u32, radius: u32, before: u32) -> u32 {
    let is_new = |vertex: &u32| {
        vertex.count_ones() <= radius && (1..=before).all(|back| (vertex ^ ((1 << back) - 1)).count_ones() > radius)
    };
    (0..1_u32 << dimension).filter(is_new).count() as u32
}

/// By set of vertices of the 4-cube: the most that the rest of a path may share with it.
pub(super) fn subcubes(spread: u32) -> Vec<u8> {
    let mut most = vec![0_u8; 1 << 16];
    for set in 1..1_u32 << 16 {
        // Largest with one vertex left out, or all of it.
        let mut best = (0..16).filter(|v| set >> v & 1 == 1).map(|v| most[(set ^ 1 << v) as usize]).max().unwrap_or(0);
        let size = set.count_ones() as u8;
        // Parts of sets that are too large are too large: every allowed set of n > 1 vertices holds one of n - 1.
        if best + 1 == size && is_shared(set, spread) {
            best = size;
        }
        most[set as usize] = best;
    }
    most
}

/// Whether the vertices of the 4-cube in `set` may be all that a path has there: pieces of paths, vertices that differ
/// in `h < spread` bits being `h` edges apart.
fn is_shared(set: u32, spread: u32) -> bool {
    let beside = |of: u32| {
        let mut sum = 0;
        // Of a word, the first 16 vertices are the 4-cube.
        for bit in 0..4 {
            sum |= across(of.into(), bit) as u32;
        }
        sum & set
    };
    let members = || (0..16_u32).filter(|v| set >> v & 1 == 1);
    let mut edges = 0;
    for vertex in members() {
        let degree = beside(1 << vertex).count_ones();
        if degree > 2 {
            return false;
        }
        edges += degree;
        let mut within = 1 << vertex;
        for far in 1..spread.min(5) {
            let is_far = |other: &u32| (vertex ^ other).count_ones() == far;
            let sphere = members().filter(is_far).fold(0, |sphere, other| sphere | 1 << other);
            within |= beside(within);
            if sphere & !within != 0 {
                return false;
            }
        }
    }
    // Degrees of at most 2 and fewer edges than vertices in each piece: count the pieces.
    let mut pieces = 0;
    let mut rest = set;
    while rest != 0 {
        let mut piece = rest & rest.wrapping_neg();
        loop {
            let grown = piece | beside(piece);
            if grown == piece {
                break;
            }
            piece = grown;
        }
        rest &= !piece;
        pieces += 1;
    }
    edges / 2 + pieces == set.count_ones()
}
