//! The Karmarkar-Karp tree on leading bits: fast kernels with undo in place.

use serde::{Deserialize, Serialize};

/// Where a label was taken from and put.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Frame {
    /// The second largest label before the move.
    second: u128,
    /// Where the difference went.
    place: u32,
    /// Discrepancies left before the move.
    left: u32,
    /// Whether the move was a join.
    joined: bool,
}

/// Labels in ascending order with the moves that made them.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Walk {
    labels: Vec<u128>,
    /// How many of them there are.
    count: usize,
    total: u128,
    frames: Vec<Frame>,
}

impl Walk {
    fn new(labels: &[u128]) -> Self {
        let total = labels.iter().sum();
        Self { labels: labels.to_vec(), count: labels.len(), total, frames: Vec::with_capacity(labels.len()) }
    }

    #[inline(always)]
    fn split(&mut self, left: u32) {
        let a = &mut self.labels[..self.count];
        let m = a.len();
        let second = a[m - 2];
        let label = a[m - 1] - second;
        let mut place = m - 2;
        while place > 0 && a[place - 1] > label {
            a[place] = a[place - 1];
            place -= 1;
        }
        a[place] = label;
        self.total -= 2 * second;
        self.count = m - 1;
        self.frames.push(Frame { second, place: place as u32, left, joined: false });
    }

    /// Takes the split back.
    #[inline(always)]
    fn unsplit(&mut self, frame: Frame) {
        let a = &mut self.labels[..=self.count];
        let m = a.len();
        let place = frame.place as usize;
        let label = a[place];
        for at in place..m - 2 {
            a[at] = a[at + 1];
        }
        a[m - 2] = frame.second;
        a[m - 1] = label + frame.second;
        self.total += 2 * frame.second;
        self.count = m;
    }

    #[inline(always)]
    fn join(&mut self, left: u32) {
        let m = self.count;
        let second = self.labels[m - 2];
        self.labels[m - 2] = self.labels[m - 1] + second;
        self.count = m - 1;
        self.frames.push(Frame { second, place: 0, left, joined: true });
    }

    #[inline(always)]
    fn unjoin(&mut self, frame: Frame) {
        let m = self.count + 1;
        self.labels[m - 1] = self.labels[m - 2] - frame.second;
        self.labels[m - 2] = frame.second;
        self.count = m;
    }

    /// Takes moves back to a split whose join `enter` makes: it gets the discrepancies left there, and returns whether
    /// it has. Returns false when no split is left.
    #[inline(always)]
    fn back(&mut self, mut enter: impl FnMut(&mut Self, u32) -> bool) -> bool {
        while let Some(frame) = self.frames.pop() {
            if frame.joined {
                self.unjoin(frame);
            } else {
                self.unsplit(frame);
                if enter(self, frame.left) {
                    return true;
                }
            }
        }
        false
    }

    /// The least difference if at most four labels are left or the largest is at least half of the sum.
    #[inline(always)]
    fn leaf(&self) -> Option<u128> {
        let largest = self.labels[self.count - 1];
        let others = self.total - largest;
        if largest >= others {
            return Some(largest - others);
        }
        if self.count > 4 {
            return None;
        }
        // Three labels have no better division than the largest against the others.
        let mut best = others - largest;
        if let [a, b, c, d] = self.labels[..self.count] {
            best = best.min((d + a).abs_diff(b + c));
        }
        Some(best)
    }

    /// Whether its moves lead from these labels to where it stands.
    fn follows(&self, start: &[u128]) -> bool {
        let mut walk = Self::new(start);
        for frame in &self.frames {
            if walk.count < 2 {
                return false;
            }
            if frame.joined {
                walk.join(frame.left);
            } else {
                walk.split(frame.left);
            }
            let (made, own) = (walk.frames[walk.frames.len() - 1], frame);
            if (made.second, made.place) != (own.second, own.place) {
                return false;
            }
        }
        let labels = self.labels.get(..self.count);
        self.labels.len() == start.len()
            && (walk.count, walk.total) == (self.count, self.total)
            && labels == walk.labels.get(..walk.count)
    }

    /// The moves made, true for a join.
    fn path(&self) -> impl Iterator<Item = bool> {
        self.frames.iter().map(|frame| frame.joined)
    }
}

/// The best division found: what follows from the labels that the kernel was given.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Found {
    /// Its difference on the leading bits. `None`: no division is found yet.
    best: Option<u128>,
    /// The moves to it, true for a join.
    path: Vec<bool>,
    /// Whether it is new.
    fresh: bool,
}

impl Found {
    #[inline(always)]
    fn offer(&mut self, walk: &Walk, value: u128, last: Option<bool>) {
        if self.best.is_none_or(|best| value < best) {
            self.best = Some(value);
            self.path.clear();
            self.path.extend(walk.path().chain(last));
            self.fresh = true;
        }
    }
}

/// On which side each label (in ascending order) is when `path` is played and the rest differenced.
fn sides(labels: &[u128], path: &[bool]) -> Vec<bool> {
    let mut walk = Walk::new(labels);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    let mut steps = Vec::with_capacity(labels.len());
    let mut path = path.iter();
    while walk.count > 1 {
        let (first, second) = (order[walk.count - 1], order[walk.count - 2]);
        order.truncate(walk.count - 2);
        let joined = path.next().copied().unwrap_or(false);
        if joined {
            walk.join(0);
            order.push(first);
        } else {
            walk.split(0);
            let place = walk.frames[walk.frames.len() - 1].place as usize;
            order.insert(place, first);
        }
        steps.push((first, second, !joined));
    }
    let mut right = vec![false; labels.len()];
    for &(first, second, apart) in steps.iter().rev() {
        right[second] = right[first] ^ apart;
    }
    right
}

/// The order in which a search visits the Karmarkar-Karp tree, with what it remembers between nodes.
pub(crate) trait Order: Clone + Default {
    /// Visits nodes until the search ends, `limit` nodes are visited in all, or a better division is found. A
    /// division found before and not asked for does not end it.
    fn advance(tree: &mut Tree<Self>, limit: u64);
}

/// A search of the Karmarkar-Karp tree on labels of at most 128 bits. It stops when it finds a difference of at most
/// `least`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tree<O> {
    start: Vec<u128>,
    walk: Walk,
    found: Found,
    least: u128,
    nodes: u64,
    order: O,
    done: bool,
}

impl<O: Order> Tree<O> {
    /// Returns a search over `labels` in ascending order, at least one, whose sum has at most 128 bits.
    pub(crate) fn new(labels: &[u128], least: u128) -> Self {
        let (walk, found) = (Walk::new(labels), Found::default());
        Self { start: labels.to_vec(), walk, found, least, nodes: 0, order: O::default(), done: false }
    }

    /// Visits at least `nodes` more nodes unless the search ends; returns whether it has.
    #[cfg(test)]
    pub(crate) fn advance(&mut self, nodes: u64) -> bool {
        let limit = self.nodes.saturating_add(nodes);
        while self.nodes < limit && !self.advance_to_better(limit - self.nodes) {}
        self.done
    }

    /// Visits at least `nodes` more nodes unless the search ends or finds a better division. A division that was not
    /// asked for does not end it. Returns whether the search has ended.
    pub(crate) fn advance_to_better(&mut self, nodes: u64) -> bool {
        O::advance(self, self.nodes.saturating_add(nodes));
        self.done
    }

    /// Whether this is what `begun` may have become.
    pub(crate) fn continues(&self, begun: &Self) -> bool {
        let ended = !self.done || self.walk.frames.is_empty() || self.found.best.is_some_and(|best| best <= self.least);
        let same = self.start == begun.start && self.least == begun.least && self.nodes <= 1 << 60;
        ended && same && self.walk.follows(&self.start) && self.found.path.len() < self.start.len().max(1)
    }

    /// Returns the number of nodes visited.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the least difference found so far.
    #[cfg(test)]
    pub(crate) fn best(&self) -> Option<u128> {
        self.found.best
    }

    /// Returns the sides of the labels in the best division, if it was found since this was asked last.
    pub(crate) fn improved(&mut self) -> Option<Vec<bool>> {
        std::mem::take(&mut self.found.fresh).then(|| sides(&self.start, &self.found.path))
    }
}

/// Depth-first search of the complete Karmarkar-Karp tree (CKK), splits first.
///
/// It costs some ten nanoseconds a node: the labels stay in one sorted list, a move and its undoing shift the few
/// labels above the new one, and the last two levels are evaluated in place.
///
/// # References
/// R. E. Korf, "A complete anytime algorithm for number partitioning", Artificial Intelligence 106, 1998, pages
/// 181-203.
pub(crate) type DepthFirst = Tree<Complete>;

/// The order of [`DepthFirst`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Complete;

impl Order for Complete {
    fn advance(tree: &mut Tree<Self>, limit: u64) {
        let stale = tree.found.fresh;
        let (walk, found) = (&mut tree.walk, &mut tree.found);
        let mut visited = tree.nodes;
        while visited < limit && !tree.done && (stale || !found.fresh) {
            visited += 1;
            if let Some(value) = walk.leaf() {
                found.offer(walk, value, None);
            } else if walk.count == 5 {
                let (split, join) = last_five(&walk.labels[..5]);
                visited += 2;
                found.offer(walk, split, Some(false));
                found.offer(walk, join, Some(true));
            } else {
                walk.split(0);
                continue;
            }
            if found.best.is_some_and(|best| best <= tree.least) {
                tree.done = true;
                break;
            }
            tree.done = !walk.back(|walk, _| {
                walk.join(0);
                true
            });
        }
        tree.nodes = visited;
    }
}

/// The values of the two children of five labels; none of the five is as large as the others together.
#[inline(always)]
fn last_five(labels: &[u128]) -> (u128, u128) {
    let &[a, b, c, d, e] = labels else { unreachable!("five labels") };
    let four = |x: u128, a: u128, b: u128, c: u128| {
        // Of any four labels: the largest against the others, or the largest and the smallest against the others.
        let (low, x) = if x < a { (x, a) } else { (a, x) };
        let (p, x) = if x < b { (x, b) } else { (b, x) };
        let (q, high) = if x < c { (x, c) } else { (c, x) };
        let others = low + p + q;
        if high >= others { high - others } else { (others - high).min((high + low).abs_diff(p + q)) }
    };
    let (joined, others) = (d + e, a + b + c);
    let join = if joined >= others { joined - others } else { (others - joined).min((joined + a).abs_diff(b + c)) };
    (four(e - d, a, b, c), join)
}

/// The Karmarkar-Karp tree by limited discrepancies: all leaves with 0 joins, then with 1, 2 and so on.
///
/// # References
/// R. E. Korf, "Improved limited discrepancy search", AAAI 1996, pages 286-291.
pub(crate) type Discrepancies = Tree<Limited>;

/// The order of [`Discrepancies`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Limited {
    /// Joins that are left at the present node, and joins of this pass.
    left: u32,
    pass: u32,
    /// Whether a leaf of this pass had joins left to be made elsewhere.
    cut: bool,
}

impl Discrepancies {
    /// Returns the number of joins of the present pass.
    pub(crate) fn pass(&self) -> u32 {
        self.order.pass
    }
}

impl Order for Limited {
    fn advance(tree: &mut Tree<Self>, limit: u64) {
        let stale = tree.found.fresh;
        let (walk, found, order) = (&mut tree.walk, &mut tree.found, &mut tree.order);
        let (mut visited, mut left) = (tree.nodes, order.left);
        while visited < limit && !tree.done && (stale || !found.fresh) {
            visited += 1;
            match walk.leaf() {
                Some(value) => found.offer(walk, value, None),
                None => {
                    // Every move but the last ones may be a join; when no join is left, the rest is differenced.
                    order.cut |= left == 0;
                    walk.split(left);
                    continue;
                }
            }
            if found.best.is_some_and(|best| best <= tree.least) {
                tree.done = true;
                break;
            }
            let is_open = walk.back(|walk, joins| {
                if joins > 0 {
                    left = joins - 1;
                    walk.join(joins);
                }
                joins > 0
            });
            if !is_open {
                tree.done = !order.cut;
                (order.pass, order.cut) = (order.pass + 1, false);
                left = order.pass;
            }
        }
        (tree.nodes, order.left) = (visited, left);
    }
}
