//! Stacking by plain lists and all choices: shares nothing with the search.

use soloist_stacking::Yard;

/// The fewest relocations over all choices of stacks; `None`: no way without overfilling a stack.
pub(crate) struct Naive<'y> {
    yard: &'y Yard,
    /// The dates on which stacks may be overfilled.
    lifted: &'y [u64],
    best: Option<u64>,
}

impl<'y> Naive<'y> {
    pub(crate) fn search(yard: &'y Yard) -> Option<u64> {
        Self::search_without(yard, &[])
    }

    /// The same where the height is unlimited on some dates.
    pub(crate) fn search_without(yard: &'y Yard, lifted: &'y [u64]) -> Option<u64> {
        let mut events: Vec<(u64, bool)> = Vec::new();
        for item in yard.items() {
            events.push((item.due, false));
            events.extend(item.release.map(|release| (release, true)));
        }
        events.sort_unstable();
        events.dedup();
        let mut naive = Naive { yard, lifted, best: None };
        naive.event(&events, yard.initial().to_vec(), 0);
        naive.best
    }

    fn has_room(&self, stack: &[usize], time: u64) -> bool {
        stack.len() < self.yard.height() || self.lifted.contains(&time)
    }

    fn event(&mut self, events: &[(u64, bool)], stacks: Vec<Vec<usize>>, count: u64) {
        let items = self.yard.items();
        let Some((&(time, coming), rest)) = events.split_first() else {
            self.best = Some(self.best.map_or(count, |best| best.min(count)));
            return;
        };
        if coming {
            let mut list: Vec<usize> = (0..items.len()).filter(|&item| items[item].release == Some(time)).collect();
            list.sort_by_key(|&item| (u64::MAX - items[item].due, items[item].number));
            self.arrive(time, &list, rest, stacks, count);
        } else {
            let mut list = Vec::new();
            for own in &stacks {
                for (level, &item) in own.iter().enumerate().filter(|&(_, &item)| items[item].due == time) {
                    list.push((own.len() - level, items[item].number, item));
                }
            }
            list.sort_unstable();
            let list: Vec<usize> = list.into_iter().map(|(_, _, item)| item).collect();
            self.depart(time, &list, rest, stacks, count);
        }
    }

    fn arrive(&mut self, time: u64, list: &[usize], rest: &[(u64, bool)], stacks: Vec<Vec<usize>>, count: u64) {
        let Some((&item, others)) = list.split_first() else { return self.event(rest, stacks, count) };
        for stack in 0..stacks.len() {
            if self.has_room(&stacks[stack], time) {
                let mut next = stacks.clone();
                next[stack].push(item);
                self.arrive(time, others, rest, next, count);
            }
        }
    }

    fn depart(&mut self, time: u64, list: &[usize], rest: &[(u64, bool)], mut stacks: Vec<Vec<usize>>, count: u64) {
        let Some((&item, others)) = list.split_first() else { return self.event(rest, stacks, count) };
        let from = stacks.iter().position(|own| own.contains(&item)).unwrap();
        let top = stacks[from].pop().unwrap();
        if top == item {
            return self.depart(time, others, rest, stacks, count);
        }
        for stack in (0..stacks.len()).filter(|&stack| stack != from) {
            if self.has_room(&stacks[stack], time) {
                let mut next = stacks.clone();
                next[stack].push(top);
                self.depart(time, list, rest, next, count + 1);
            }
        }
    }
}
