//! Policies in checkpoints: logits by age, and the undo log in terms of ages.

use crate::core::limits::MOST;
use crate::rollout::policy::{Frame, INITIAL_SLOTS, MAX_PLAIN, Policy, SPARE_SLOTS};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

#[derive(Serialize, Deserialize)]
struct Stored {
    temperature: f64,
    bias_weight: f64,
    bias_rate: f64,
    clamp: f64,
    by_step: bool,
    /// Size of the plain table.
    plain: u32,
    terms: Vec<f64>,
    entries: Vec<(u64, f64)>,
    saved: Vec<u64>,
    frames: Vec<(u64, usize, usize, Vec<f64>)>,
    undo: Vec<(u32, f64)>,
    serial: u64,
}

impl Stored {
    fn is_sound(&self) -> bool {
        let count = self.entries.len();
        self.temperature > 0.0
            && self.temperature.is_finite()
            && self.bias_weight.is_finite()
            && self.bias_rate.is_finite()
            && self.clamp >= 0.0
            && self.plain <= MAX_PLAIN
            && self.saved.len() == count
            && self.serial <= MOST
            && self.saved.iter().all(|&saved| saved <= self.serial)
            && self.entries.iter().all(|entry| entry.1.is_finite())
            && self.terms.iter().chain(self.frames.iter().flat_map(|frame| &frame.3)).all(|term| term.is_finite())
            && self.undo.iter().all(|&(age, logit)| (age as usize) < count && logit.is_finite())
            && self.frames.iter().all(|&(_, undo, order, _)| undo <= self.undo.len() && order <= count)
            && self.frames.is_sorted_by_key(|&(_, undo, order, _)| (undo, order))
            && self.entries.iter().map(|entry| entry.0).collect::<HashSet<_>>().len() == count
    }
}

impl Serialize for Policy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = Stored {
            temperature: self.numbers.temperature,
            bias_weight: self.numbers.bias_weight,
            bias_rate: self.numbers.bias_rate,
            clamp: self.numbers.clamp,
            by_step: self.numbers.by_step,
            plain: self.plain.len() as u32,
            terms: self.terms.clone(),
            entries: self.order.iter().map(|&slot| (self.code_at(slot as usize), self.logits[slot as usize])).collect(),
            saved: self.order.iter().map(|&slot| self.saved[slot as usize]).collect(),
            frames: self.frames.iter().map(|f| (f.serial, f.undo, f.order, f.terms.clone())).collect(),
            undo: self.undo_by_age(),
            serial: self.serial,
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        if !stored.is_sound() {
            return Err(serde::de::Error::custom("inconsistent policy"));
        }
        let mut policy = Self::new(stored.temperature, stored.bias_weight, stored.clamp)
            .with_bias_rate(stored.bias_rate)
            .with_steps(stored.by_step)
            .with_codes(stored.plain);
        let entries: Vec<_> = stored.entries.iter().zip(&stored.saved).map(|(&(c, l), &s)| (c, l, s)).collect();
        let hashed = entries.iter().filter(|entry| entry.0 >= u64::from(stored.plain)).count();
        let least = if stored.plain == 0 { INITIAL_SLOTS } else { SPARE_SLOTS };
        policy.rebuild((hashed * 4).next_power_of_two().max(least), &entries, &stored.undo);
        policy.frames = stored
            .frames
            .into_iter()
            .map(|(serial, undo, order, terms)| Frame { serial, undo, order, terms })
            .collect();
        policy.serial = stored.serial;
        policy.terms = stored.terms;
        Ok(policy)
    }
}
