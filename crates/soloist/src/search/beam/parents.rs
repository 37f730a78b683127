//! How each state of a beam was reached.

use crate::erased::MoveId;
use serde::{Deserialize, Serialize};

/// The link of the root.
pub(super) const ROOT: u32 = u32::MAX;
/// Links below which nothing is swept.
const FEW: usize = 1 << 16;

/// Moves with the link of the state before: a tree from leaf to root. Links that no present state needs are swept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Links {
    links: Vec<(u32, MoveId)>,
    /// Size at which to sweep next.
    due: usize,
}

impl Links {
    pub(super) fn new() -> Self {
        Self { links: Vec::new(), due: FEW }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Adds the link of a state reached from that of `parent`.
    pub(super) fn push(&mut self, parent: u32, mv: MoveId) -> u32 {
        self.links.push((parent, mv));
        (self.links.len() - 1) as u32
    }

    /// Writes `start` and the moves from the root to `link` into `path`.
    pub(super) fn path(&self, start: &[MoveId], mut link: u32, path: &mut Vec<MoveId>) {
        path.clear();
        path.extend_from_slice(start);
        while link != ROOT {
            let (parent, mv) = self.links[link as usize];
            path.push(mv);
            link = parent;
        }
        path[start.len()..].reverse();
    }

    /// Sweeps when it is due: keeps the links that lead to those in `used`, which are renamed.
    pub(super) fn sweep<'u>(&mut self, used: impl Iterator<Item = &'u mut u32>) {
        if self.links.len() < self.due {
            return;
        }
        let used: Vec<&mut u32> = used.collect();
        let mut name = vec![ROOT; self.links.len()];
        for link in &used {
            let mut at = **link;
            while at != ROOT && name[at as usize] == ROOT {
                name[at as usize] = 0;
                at = self.links[at as usize].0;
            }
        }
        let mut kept = 0;
        for at in 0..self.links.len() {
            if name[at] == ROOT {
                continue;
            }
            name[at] = kept as u32;
            // Parents are older than their children: already renamed.
            let (parent, mv) = self.links[at];
            let parent = if parent == ROOT { ROOT } else { name[parent as usize] };
            self.links[kept] = (parent, mv);
            kept += 1;
        }
        self.links.truncate(kept);
        for link in used.into_iter().filter(|link| **link != ROOT) {
            *link = name[*link as usize];
        }
        self.due = (kept * 2).max(FEW);
    }

    /// Returns the link before and the move of a link, for all in turn.
    pub(super) fn edge(&self, at: usize) -> Option<(u32, MoveId)> {
        self.links.get(at).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether every link leads to the root and `used` exist.
    pub(super) fn is_sound(&self, mut used: impl Iterator<Item = u32>) -> bool {
        self.links.iter().enumerate().all(|(at, &(parent, _))| parent == ROOT || (parent as usize) < at)
            && used.all(|link| link == ROOT || (link as usize) < self.links.len())
            && self.due >= FEW
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Links, ROOT};

    #[test]
    fn sweeping_keeps_paths() {
        let mut links = Links::new();
        let mut ends = [ROOT; 3];
        // Three long paths, a dead link beside each step.
        for step in 0..FEW as u64 {
            let at = step as usize % 3;
            links.push(ends[at], 999_999);
            ends[at] = links.push(ends[at], step);
            links.sweep(ends.iter_mut());
        }
        assert!(links.links.len() < FEW + FEW / 2, "{} links", links.links.len());
        let mut path = Vec::new();
        for (at, &end) in ends.iter().enumerate() {
            links.path(&[7], end, &mut path);
            let expected: Vec<u64> = (0..FEW as u64).filter(|step| *step as usize % 3 == at).collect();
            assert_eq!((path[0], &path[1..]), (7, expected.as_slice()));
        }
        assert!(links.is_sound(ends.iter().copied()));
    }
}
