//! The instances of a tuning: fresh ones for each iteration, and those of the final comparison.

use crate::bench::plan::names;
use crate::failure::Failure;
use soloist::Rng;
use soloist::problem::stable_hash;

/// One in this many instances is held out for the final comparison.
const HELD_OUT: usize = 4;
/// Most instances that are held out.
const MOST_HELD_OUT: usize = 50;

/// Instances by name, in two disjoint parts.
#[derive(Debug, PartialEq)]
pub(super) struct Instances {
    pub(super) tuning: Vec<String>,
    pub(super) validation: Vec<String>,
    seed: u64,
}

impl Instances {
    /// Finds the instances that the arguments name.
    pub(super) fn new(tuning: &[String], validation: &[String], seed: u64) -> Result<Self, Failure> {
        let mut tuning = names("INSTANCES", tuning)?;
        let validation = if validation.is_empty() {
            let count = (tuning.len() / HELD_OUT).min(MOST_HELD_OUT);
            if count == 0 {
                let message = format!(
                    "{} instances are too few to hold some out for the final comparison: name others with --validation",
                    tuning.len()
                );
                return Err(Failure::usage(message));
            }
            // By chance, because files are often sorted by size.
            let mut order: Vec<usize> = (0..tuning.len()).collect();
            generator(seed, "held out").shuffle(&mut order);
            let mut held = order[..count].to_vec();
            held.sort_unstable();
            let chosen = held.iter().map(|&at| tuning[at].clone()).collect();
            for at in held.into_iter().rev() {
                tuning.remove(at);
            }
            chosen
        } else {
            names("--validation", validation)?
        };
        if let Some(both) = validation.iter().find(|name| tuning.contains(name)) {
            return Err(Failure::usage(format!("--validation: `{both}` is an instance to tune on as well")));
        }
        Ok(Self { tuning, validation, seed })
    }

    /// The instances of an iteration: the next `count` in a random order of all, and when all were used, in another
    /// one.
    pub(super) fn batch(&self, iteration: usize, count: usize) -> Vec<String> {
        let all = self.tuning.len();
        let count = count.min(all);
        let in_pass = all / count;
        let (pass, place) = (iteration / in_pass, iteration % in_pass);
        let mut order: Vec<usize> = (0..all).collect();
        generator(self.seed, &format!("pass {pass}")).shuffle(&mut order);
        order[place * count..(place + 1) * count].iter().map(|&at| self.tuning[at].clone()).collect()
    }

    /// The iteration from which on instances are used again.
    pub(super) fn lasts(&self, count: usize) -> usize {
        self.tuning.len() / count.min(self.tuning.len())
    }
}

/// A generator of its own for each purpose, so that none depends on how often another was asked.
pub(super) fn generator(seed: u64, purpose: &str) -> Rng {
    Rng::new(stable_hash(&(seed, "tune", purpose)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn batches_are_fresh_until_all_were_used() {
        let instances = Instances::new(&words(&["x:1..10"]), &words(&["x:11..12"]), 7).unwrap();
        assert_eq!((instances.lasts(3), instances.lasts(10), instances.lasts(99)), (3, 1, 1));
        let pass: Vec<_> = (0..3).flat_map(|at| instances.batch(at, 3)).collect();
        assert_eq!(pass.iter().collect::<BTreeSet<_>>().len(), 9);
        assert_ne!(instances.batch(0, 3), instances.batch(3, 3));
        assert_eq!(instances.batch(5, 99).len(), 10);
        assert_eq!(instances.batch(1, 3), instances.batch(1, 3));
    }

    #[test]
    fn what_is_held_out_takes_no_part() {
        let instances = Instances::new(&words(&["x:1..40"]), &[], 7).unwrap();
        assert_eq!((instances.tuning.len(), instances.validation.len()), (30, 10));
        let all: BTreeSet<_> = instances.tuning.iter().chain(&instances.validation).collect();
        assert_eq!(all.len(), 40);
        assert_eq!(Instances::new(&words(&["x:1..1000"]), &[], 0).unwrap().validation.len(), 50);
        assert_ne!(Instances::new(&words(&["x:1..40"]), &[], 8).unwrap().validation, instances.validation);
        for (tuning, validation, message) in [
            (&["x:1..3"][..], &[][..], "3 instances are too few to hold some out"),
            (&["x:1..3"], &["x:3..4"], "--validation: `x:3` is an instance to tune on as well"),
            (&["x:3..1"], &["y"], "INSTANCES: `x:3..1`: the range 3..1 runs backwards"),
        ] {
            let failure = Instances::new(&words(tuning), &words(validation), 0).unwrap_err();
            assert!(failure.code() == 2 && failure.message.starts_with(message), "{}", failure.message);
        }
    }
}
