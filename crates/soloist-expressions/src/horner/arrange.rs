//! The order of statements, and the length of sums.

use super::program::{Program, Term};
use crate::algebra::Coefficient;

/// A longer sum is cut into sums of this many terms.
const MOST_TERMS: usize = 4;
/// Statements that are ready and compared with each other in one step.
const MOST_READY: usize = 64;

impl Program {
    /// The same program with short sums, in an order in which few values are needed at a time.
    ///
    /// A sum of more than four terms becomes a tree of sums of four, so that a processor need not wait for one addition
    /// after the other; the number of operations stays. The next statement is the one after which the fewest values are
    /// waiting for their last use; of equal ones, the one that uses what was computed last.
    pub(crate) fn arranged(mut self) -> Self {
        self.shorten();
        self.sort();
        let order = self.schedule();
        self.reorder(&order);
        self
    }

    /// Cuts long sums.
    fn shorten(&mut self) {
        let inputs = self.inputs;
        let mut added: Vec<Vec<Term>> = Vec::new();
        let count = self.temporaries.len();
        for terms in self.temporaries.iter_mut().chain(&mut self.outputs) {
            while terms.len() > MOST_TERMS {
                let mut short = Vec::new();
                for part in terms.chunks(MOST_TERMS) {
                    if let [term] = part {
                        short.push(term.clone());
                        continue;
                    }
                    // A sum of negative terms only is subtracted.
                    let negative = part.iter().all(|term| term.value.is_negative());
                    let symbol = (inputs + count + added.len()) as u32;
                    added.push(
                        part.iter()
                            .map(|term| Term { value: term.value.with_sign(negative), ..term.clone() })
                            .collect(),
                    );
                    short.push(Term { value: Coefficient::ONE.with_sign(negative), ..Term::symbol(symbol) });
                }
                *terms = short;
            }
        }
        self.temporaries.extend(added);
    }

    /// The temporaries that a sum uses, each once.
    fn parts(&self, terms: &[Term]) -> Vec<usize> {
        let symbols = terms.iter().flat_map(|term| &term.factors);
        let mut parts: Vec<usize> = symbols.filter_map(|&symbol| (symbol as usize).checked_sub(self.inputs)).collect();
        soloist::order::sort(&mut parts);
        parts.dedup();
        parts
    }

    /// An order of the temporaries.
    fn schedule(&self) -> Vec<usize> {
        let count = self.temporaries.len();
        let all = self.temporaries.iter().chain(&self.outputs);
        let parts: Vec<Vec<usize>> = all.map(|terms| self.parts(terms)).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (at, parts) in parts.iter().enumerate() {
            for &part in parts {
                users[part].push(at);
            }
        }
        let mut left: Vec<usize> = users.iter().map(Vec::len).collect();
        let mut missing: Vec<usize> = parts.iter().map(Vec::len).collect();
        let mut computed = vec![0_usize; count];
        // The last ones are those that became ready last.
        let mut ready: Vec<usize> = (0..parts.len()).rev().filter(|&at| missing[at] == 0).collect();
        let mut order = Vec::with_capacity(count);
        for step in 1..=parts.len() {
            let from = ready.len().saturating_sub(MOST_READY);
            let rank = |&place: &usize| {
                let at: usize = ready[place];
                let ends = parts[at].iter().filter(|&&part| left[part] == 1).count() as i64;
                let begins = i64::from(at < count);
                let near = users.get(at).and_then(|users| users.iter().map(|&user| missing[user]).min()).unwrap_or(0);
                let recent = parts[at].iter().map(|&part| computed[part]).max().unwrap_or(0);
                (ends - begins, std::cmp::Reverse(near), recent, std::cmp::Reverse(at))
            };
            let Some(place) = (from..ready.len()).max_by_key(rank) else { break };
            let at = ready.remove(place);
            for &part in &parts[at] {
                left[part] -= 1;
            }
            if at < count {
                computed[at] = step;
                order.push(at);
                for &user in &users[at] {
                    missing[user] -= 1;
                    if missing[user] == 0 {
                        ready.push(user);
                    }
                }
            }
        }
        order
    }

    /// Puts the temporaries into an order in which each comes before its uses.
    fn reorder(&mut self, order: &[usize]) {
        let mut place = vec![0_u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new as u32;
        }
        let mut sorted: Vec<Vec<Term>> = order.iter().map(|&at| std::mem::take(&mut self.temporaries[at])).collect();
        for term in sorted.iter_mut().chain(&mut self.outputs).flatten() {
            for symbol in &mut term.factors {
                if let Some(at) = (*symbol as usize).checked_sub(self.inputs) {
                    *symbol = self.inputs as u32 + place[at];
                }
            }
            term.factors.sort_unstable();
        }
        self.temporaries = sorted;
    }
}
