//! Making room: all pieces move until no two overlap, if that can be done.

use super::bin::Shape;
use super::instance::{Piece, Tubes};

/// Corrections that the search direction is built from.
const HISTORY: usize = 6;
/// Directions tried at most.
const ITERATIONS: usize = 200;
/// The number of directions after which the energy must have fallen to a tenth.
const CHECK: usize = 20;

/// Minimises the sum of squared overlaps by a quasi-Newton method.
///
/// Overlaps of a twentieth of the slack are left: positions computed from two of the things that a tube touches then
/// agree with the others within the slack.
///
/// # References
/// D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical Programming
/// 45, 1989, pages 503-528. For packings of circles: X. Lai, J.-K. Hao, D. Yue and H. Rogers, "Iterated dynamic
/// thresholding search for packing equal circles into a circular container", European Journal of Operational Research
/// 299, 2022, pages 137-153.
#[derive(Debug, Default)]
pub(crate) struct OverlapSolver {
    radii: Vec<f64>,
    /// Coordinates that stay.
    fixed: usize,
    /// Coordinates: x, y of each piece.
    at: Vec<f64>,
    next: Vec<f64>,
    gradient: Vec<f64>,
    gradient_next: Vec<f64>,
    direction: Vec<f64>,
    /// Where the pieces were when `pairs` was made.
    origin: Vec<f64>,
    /// Pieces that may come to overlap.
    pairs: Vec<(u32, u32)>,
    /// Steps and changes of the gradient, one after the other, and the inverses of their products.
    steps: Vec<f64>,
    changes: Vec<f64>,
    inverses: Vec<f64>,
    weights: Vec<f64>,
    /// Products of a step and its change below this are noise.
    noise: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl OverlapSolver {
    /// Moves the pieces apart, but for the first `fixed` ones. `false`: overlaps are left, the pieces are where they
    /// were.
    pub(crate) fn run(&mut self, kit: &Tubes, shape: Shape, pieces: &mut [Piece], fixed: usize) -> bool {
        self.fixed = 2 * fixed;
        let margin = 0.05 * kit.slack;
        let size = 2 * pieces.len();
        self.radii.clear();
        self.radii.extend(pieces.iter().map(|piece| kit.outer[piece.kind as usize]));
        let skin = 2.0 * self.radii.iter().copied().fold(f64::INFINITY, f64::min);
        // In squared units of the instance, as the products are.
        self.noise = 1e-60 * skin * skin;
        self.at.clear();
        self.at.extend(pieces.iter().flat_map(|piece| [piece.x, piece.y]));
        for buffer in [&mut self.next, &mut self.gradient, &mut self.gradient_next, &mut self.direction] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.steps.clear();
        self.changes.clear();
        self.inverses.clear();
        self.find_pairs(skin);
        let (mut energy, mut worst) = self.energy(shape, false);
        let mut before = energy;
        for iteration in 1..=ITERATIONS {
            if worst <= margin {
                for (piece, at) in pieces.iter_mut().zip(self.at.chunks_exact(2)) {
                    (piece.x, piece.y) = (at[0], at[1]);
                }
                return true;
            }
            if iteration % CHECK == 0 {
                if energy > 0.1 * before {
                    return false;
                }
                before = energy;
            }
            self.find_direction();
            let mut slope = dot(&self.direction, &self.gradient);
            if slope >= 0.0 {
                // Useless history.
                self.steps.clear();
                self.changes.clear();
                self.inverses.clear();
                self.find_direction();
                slope = dot(&self.direction, &self.gradient);
            }
            let mut length = 1.0;
            let mut found = None;
            for _ in 0..10 {
                for ((next, at), direction) in self.next.iter_mut().zip(&self.at).zip(&self.direction) {
                    *next = at + length * direction;
                }
                let (new, new_worst) = self.energy(shape, true);
                if new <= energy + 1e-4 * length * slope {
                    found = Some((new, new_worst));
                    break;
                }
                length *= 0.5;
            }
            let Some((new, new_worst)) = found else { return false };
            (energy, worst) = (new, new_worst);
            self.learn();
            std::mem::swap(&mut self.at, &mut self.next);
            std::mem::swap(&mut self.gradient, &mut self.gradient_next);
            let far = self.at.iter().zip(&self.origin).any(|(at, origin)| (at - origin).abs() > 0.35 * skin);
            if far {
                self.find_pairs(skin);
                // The step may have led beyond what the old pairs knew.
                (energy, worst) = self.energy(shape, false);
            }
        }
        false
    }

    fn find_pairs(&mut self, skin: f64) {
        self.origin.clone_from(&self.at);
        self.pairs.clear();
        for a in 0..self.radii.len() {
            let (x, y, reach) = (self.at[2 * a], self.at[2 * a + 1], self.radii[a] + skin);
            for b in (a + 1).max(self.fixed / 2)..self.radii.len() {
                let (dx, dy, sum) = (self.at[2 * b] - x, self.at[2 * b + 1] - y, self.radii[b] + reach);
                if dx * dx + dy * dy < sum * sum {
                    self.pairs.push((a as u32, b as u32));
                }
            }
        }
    }

    /// Sum of squared overlaps and the largest one, at the present or the next coordinates; computes the gradient
    /// there.
    fn energy(&mut self, shape: Shape, next: bool) -> (f64, f64) {
        let (at, gradient) = if next { (&self.next, &mut self.gradient_next) } else { (&self.at, &mut self.gradient) };
        gradient.fill(0.0);
        let (mut energy, mut worst) = (0.0, 0.0_f64);
        for &(a, b) in &self.pairs {
            let (i, j) = (2 * a as usize, 2 * b as usize);
            let (dx, dy) = (at[i] - at[j], at[i + 1] - at[j + 1]);
            let sum = self.radii[a as usize] + self.radii[b as usize];
            let square = dx * dx + dy * dy;
            if square < sum * sum {
                // Pieces at the same place are pushed to the sides.
                let far = square.sqrt();
                let (ux, uy) = if far > 0.0 { (dx / far, dy / far) } else { (1.0, 0.0) };
                let overlap = sum - far;
                energy += overlap * overlap;
                worst = worst.max(overlap);
                let (gx, gy) = (2.0 * overlap * ux, 2.0 * overlap * uy);
                gradient[i] -= gx;
                gradient[i + 1] -= gy;
                gradient[j] += gx;
                gradient[j + 1] += gy;
            }
        }
        for (a, &r) in self.radii.iter().enumerate().skip(self.fixed / 2) {
            let (i, x, y) = (2 * a, at[2 * a], at[2 * a + 1]);
            match shape {
                Shape::Rect { width, height } => {
                    for (coordinate, at, side) in [(i, x, width), (i + 1, y, height)] {
                        let (low, high) = (r - at, at + r - side);
                        if low > 0.0 {
                            energy += low * low;
                            worst = worst.max(low);
                            gradient[coordinate] -= 2.0 * low;
                        }
                        if high > 0.0 {
                            energy += high * high;
                            worst = worst.max(high);
                            gradient[coordinate] += 2.0 * high;
                        }
                    }
                }
                Shape::Disc { radius } => {
                    let far = (x * x + y * y).sqrt();
                    let out = far + r - radius;
                    if out > 0.0 {
                        energy += out * out;
                        worst = worst.max(out);
                        if far > 0.0 {
                            gradient[i] += 2.0 * out * x / far;
                            gradient[i + 1] += 2.0 * out * y / far;
                        }
                    }
                }
            }
        }
        gradient[..self.fixed].fill(0.0);
        (energy, worst)
    }

    /// Minus the gradient times the approximate inverse of the matrix of second derivatives.
    fn find_direction(&mut self) {
        let size = self.at.len();
        let stored = self.inverses.len();
        for (direction, gradient) in self.direction.iter_mut().zip(&self.gradient) {
            *direction = -gradient;
        }
        self.weights.clear();
        self.weights.resize(stored, 0.0);
        for k in (0..stored).rev() {
            let (step, change) = (&self.steps[k * size..][..size], &self.changes[k * size..][..size]);
            let weight = self.inverses[k] * dot(step, &self.direction);
            self.weights[k] = weight;
            for (direction, change) in self.direction.iter_mut().zip(change) {
                *direction -= weight * change;
            }
        }
        // Without history a quarter: two pieces share an overlap.
        let scale = match stored.checked_sub(1) {
            Some(last) => {
                let change = &self.changes[last * size..][..size];
                1.0 / (self.inverses[last] * dot(change, change))
            }
            None => 0.25,
        };
        for direction in &mut self.direction {
            *direction *= scale;
        }
        for k in 0..stored {
            let (step, change) = (&self.steps[k * size..][..size], &self.changes[k * size..][..size]);
            let weight = self.weights[k] - self.inverses[k] * dot(change, &self.direction);
            for (direction, step) in self.direction.iter_mut().zip(step) {
                *direction += weight * step;
            }
        }
    }

    /// Remembers the step from the present to the next coordinates.
    fn learn(&mut self) {
        let size = self.at.len();
        let product: f64 =
            (0..size).map(|i| (self.next[i] - self.at[i]) * (self.gradient_next[i] - self.gradient[i])).sum();
        if product <= self.noise {
            return;
        }
        if self.inverses.len() == HISTORY {
            self.steps.drain(..size);
            self.changes.drain(..size);
            self.inverses.remove(0);
        }
        self.steps.extend(self.next.iter().zip(&self.at).map(|(next, at)| next - at));
        self.changes.extend(self.gradient_next.iter().zip(&self.gradient).map(|(next, now)| next - now));
        self.inverses.push(1.0 / product);
    }
}
