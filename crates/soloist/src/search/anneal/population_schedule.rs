//! The turns of the solutions of a population.

use super::population::{Member, Population, systematic};
use super::run::AnnealSearch;
use crate::search::Context;

impl AnnealSearch {
    /// Ends the turn of the present solution and begins another one.
    #[cold]
    pub(super) fn pass_turn(&mut self, context: &mut Context<'_>, turn: u64) {
        let size = self.saved.clock.turns.size;
        if !self.leave(context) {
            return;
        }
        let before = std::mem::replace(&mut self.saved.clock.turns.begun, turn);
        let (old, new) = (before / size, turn / size);
        if old != new {
            self.resample(context, old, new);
        }
        let (place, count) = ((turn % size) as usize, self.saved.population.members.len());
        // Where memory is short, or a step takes longer than a turn, there are fewer solutions than turns.
        if new == 0 && place >= count && self.has_room() {
            self.saved.population.place = count;
            let run = self.saved.clock.run;
            self.choose(context, run + count as u64);
            self.play(context);
        } else {
            self.enter(context, place % count.max(1));
        }
    }

    /// Says how many solutions a population has, where they are fewer than asked for.
    #[cold]
    pub(super) fn say_size(&mut self) {
        let (size, asked) = (self.saved.clock.turns.size, self.parameters.coolings.population);
        if size > 0 && size < asked && self.saved.remarks.is_empty() {
            self.saved.remarks.push(format!("the budget has room for a population of {size} instead of {asked}"));
        }
    }

    /// Whether one more solution as large as the largest one fits in the memory for the population.
    fn has_room(&self) -> bool {
        let members = &self.saved.population.members;
        let largest = members.iter().map(Member::bytes).max().unwrap_or(0);
        (members.len() as u64 + 1).saturating_mul(largest as u64) <= self.room
    }

    /// Keeps the present solution as a member of the population. Returns false if the run is stopped meanwhile.
    fn leave(&mut self, context: &mut Context<'_>) -> bool {
        let Some(worth) = self.saved.present else { return false };
        self.moves.clear();
        let (mut edits, edited) = (Vec::new(), self.saved.edited);
        match context.rollout.editor().filter(|_| edited) {
            Some(editor) => {
                editor.moves(&mut self.moves);
                edits = editor.save();
            }
            None => self.moves.extend(self.walker.entries.iter().map(|entry| entry.mv)),
        }
        self.walk(context);
        if context.problem.watch().abandons() {
            return false;
        }
        let score = context.problem.score(&self.walker.state);
        let member = Member { variant: self.saved.variant, worth, score, moves: self.moves.clone(), edits, edited };
        let Population { members, place, .. } = &mut self.saved.population;
        match members.get_mut(*place) {
            Some(known) => *known = member,
            None => members.push(member),
        }
        true
    }

    /// Makes a member of the population the present solution.
    fn enter(&mut self, context: &mut Context<'_>, place: usize) {
        let Some(member) = self.saved.population.members.get(place).cloned() else { return };
        self.saved.population.place = place;
        self.choose(context, member.variant);
        self.go_to(context, member.score, member.moves);
        if self.saved.edited
            && let Some(editor) = context.rollout.editor()
            && !editor.restore(&member.edits)
        {
            // No run writes such a checkpoint. The moves alone are a solution.
            editor.start(&self.moves);
        }
        // Sums of differences continue as they were.
        if self.saved.present.is_some_and(|present| present.feasible == member.worth.feasible) {
            self.saved.present = Some(member.worth);
        }
    }

    /// Draws a new population of the same size for the temperature of the next level: systematic resampling.
    fn resample(&mut self, context: &mut Context<'_>, old: u64, new: u64) {
        let clock = &self.saved.clock;
        let members = std::mem::take(&mut self.saved.population.members);
        let kind = |member: &Member| (member.worth.feasible, member.edited);
        // Only one kind has weights: feasible ones if there are any, and of these those of the neighbourhood.
        let weighed = members.iter().map(kind).max();
        let feasible = weighed.is_some_and(|(feasible, _)| feasible);
        let heat = |level| clock.temperature_at(&self.parameters.coolings, level, feasible);
        let rise = 1.0 / heat(new) - 1.0 / heat(old);
        let cost = |member: &Member| (Some(kind(member)) == weighed).then_some(member.worth.cost);
        // No weight is above 1, also where the temperature rises. Temperatures of 0 have no quotient: the best ones
        // stay.
        let extreme = if rise < 0.0 { f64::max } else { f64::min };
        let reference = members.iter().filter_map(cost).reduce(extreme).unwrap_or(0.0);
        let weight = |cost: f64| match rise.is_finite() {
            true => libm::exp(rise * (reference - cost)),
            false => f64::from(u8::from(cost <= reference)),
        };
        let weights: Vec<f64> = members.iter().map(|member| cost(member).map_or(0.0, weight)).collect();
        let chosen = systematic(&weights, context.rng.unit());
        // Places ascend: the last copy of a solution is that solution itself, so that one population is in memory.
        let mut left: Vec<Option<Member>> = members.into_iter().map(Some).collect();
        let draw = |(index, &at): (usize, &usize)| match chosen.get(index + 1) {
            Some(&next) if next == at => left[at].clone(),
            _ => left[at].take(),
        };
        self.saved.population.members = chosen.iter().enumerate().filter_map(draw).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::energy::Worth;
    use super::super::tests::with_search;
    use super::*;
    use crate::Score;
    use crate::doc::Staircase;

    /// A member of a cost that nothing else is known of.
    fn member(cost: f64, feasible: bool) -> Member {
        let score = if feasible { Score::Feasible(cost) } else { Score::Infeasible(cost) };
        let worth = Worth { feasible, cost };
        Member { variant: 0, worth, score, moves: vec![0; 10], edits: Vec::new(), edited: false }
    }

    /// The quotient of the weights is that of the Boltzmann factors at both temperatures.
    #[test]
    fn a_population_follows_the_temperature() {
        with_search(&Staircase(10), 10, |search, context| {
            // From T = 10 to T = 5 in the unit 1.
            let coolings = &mut search.parameters.coolings;
            (coolings.start, coolings.end, coolings.levels) = (10.0, 5.0, 2);
            search.saved.clock.known = 1.0;
            let two = |place: usize| member(if place.is_multiple_of(2) { 100.0 } else { 110.0 }, true);
            search.saved.population.members = (0..1000).map(two).chain([member(0.0, false)]).collect();
            search.resample(context, 0, 1);
            let members = &search.saved.population.members;
            let cheap = members.iter().filter(|member| member.worth.cost == 100.0).count() as f64;
            // exp((1/5 - 1/10) 10) = e; the infeasible one has no weight, but its place is filled.
            let e = std::f64::consts::E;
            assert!(members.len() == 1001 && (cheap - 1001.0 * e / (1.0 + e)).abs() <= 1.0, "{cheap}");
            assert!(members.iter().all(|member| member.worth.feasible));
            // No difference between infeasible ones was met, so that their temperature is 0: the best ones stay.
            search.saved.population.members = vec![member(9.0, false), member(3.0, false)];
            search.resample(context, 0, 1);
            let members = &search.saved.population.members;
            assert!(members.len() == 2 && members.iter().all(|member| member.worth.cost == 3.0));
            // Costs of a neighbourhood and scores are not compared.
            search.saved.population.members = vec![Member { edited: true, ..member(500.0, true) }, member(1.0, true)];
            search.resample(context, 0, 1);
            let members = &search.saved.population.members;
            assert!(members.len() == 2 && members.iter().all(|member| member.edited && member.moves.len() == 10));
        });
    }

    #[test]
    fn a_population_fits_in_its_memory() {
        with_search(&Staircase(10), 10, |search, _| {
            let bytes = member(1.0, true).bytes();
            search.room = 4 * bytes as u64 + 1;
            for count in 0..6 {
                assert_eq!(search.has_room(), count < 4, "{count}");
                search.saved.population.members.push(member(1.0, true));
            }
        });
    }
}
