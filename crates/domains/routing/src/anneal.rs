//! Annealing with ruin and recreation over any number of steps: fewer vehicles first, then distance, in rounds of
//! growing length.

use crate::kernel::Kernel;
use crate::network::Network;
use crate::pool::{Kept, Pool};
use crate::schedule::Schedule;
use crate::sisr::Sisr;
use serde::{Deserialize, Serialize};
use soloist::Rng;
use soloist::search::parameters::Schedule as Cooling;
use std::sync::Arc;

/// Steps between two looks at the limits of the run.
pub(crate) const EVERY: u64 = 64;
/// Steps between two recounts of the cost, which is a sum of differences between them, and between two looks at the
/// plan of the run.
const RECOUNT: u64 = 1_000;
/// Above this number of customers, the first cooling takes the whole plan of the run, where there is one. A
/// single route has rounds of its own length: several of them find what one does not.
const FITTED: usize = 200;
/// The part of the plan at which that cooling ends.
const COOL: f64 = 0.97;
/// The weight of the last pace in the mean of all.
const LAST: f64 = 0.2;

/// What the next step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Builds the first solution.
    Begin,
    /// Serves everyone with a vehicle less.
    Fleet,
    /// Shortens routes.
    Distance,
}

/// What a round starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// The best solution; the round tries to save one of its vehicles.
    Save,
    /// A new construction.
    Fresh,
    /// A child of two solutions.
    Child,
}

/// The present phase and round of the annealing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Clock {
    phase: Phase,
    kind: Kind,
    generation: u32,
    /// Rounds of the generation that have begun, the attempt to save a vehicle included.
    round: u32,
    /// Steps in this phase, made and to be made.
    step: u64,
    steps: u64,
    /// Steps of the whole run.
    total: u64,
    /// The unit of temperatures: the mean distance between stops when the phase began.
    unit: f64,
    /// What is known of the plan of the run.
    plan: Plan,
}

/// How far the run is in its plan, and the cooling that fits it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Plan {
    /// The part that is over, when that was looked at, in steps; [`u64::MAX`]: never.
    part: f64,
    looked: u64,
    /// The part that a step takes; 0: unknown.
    pace: f64,
    /// The part when the phase began.
    begun: f64,
    /// Whether the round takes the rest of the plan.
    fits: bool,
    /// The part of the cooling that was over at the last look, and the step of the phase.
    cooled: f64,
    step: u64,
}

/// An annealing as a checkpoint holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedAnnealing {
    clock: Clock,
    best: Kept,
    found: Kept,
    pool: Pool,
    tour: Vec<u16>,
    absent: Vec<u16>,
    /// The cost as the steps since the last recount have summed it up.
    cost: f64,
    fleet: usize,
    misses: Vec<u32>,
}

/// One long search that needs no budget: generations of rounds, each longer than the one before.
///
/// A generation first tries to save a vehicle of the best solution (where vehicles count and the bound allows fewer),
/// as often as that succeeds. Each later round cools one solution, from a temperature that accepts most changes to one
/// that accepts almost no worsening. It starts from the result of the attempt, from a new construction, or from a child
/// of two solutions in the pool. A new construction is first reduced to the fewest vehicles known. The best solution of
/// each round enters the pool.
///
/// # References
/// J. Christiaens and G. Vanden Berghe, Transportation Science 54, 2020, pages 417-433: both phases. The rounds are
/// ours.
#[derive(Debug)]
pub struct Annealing<K = Sisr> {
    kernel: K,
    schedule: Schedule,
    fewest: usize,
    best: Kept,
    /// The best solution of the round.
    found: Kept,
    pool: Pool,
    clock: Clock,
    /// Whether the last step has improved the best solution.
    improved: bool,
}

impl Annealing<Sisr> {
    /// Returns an annealing with the default numbers that has not begun.
    #[must_use]
    pub fn new(network: Arc<Network>, route_cost: f64) -> Self {
        let schedule = Schedule::default().for_network(&network);
        Self::with(network, route_cost, schedule)
    }

    /// Returns an annealing that has not begun. `route_cost` is what a route costs beside its distance; with 0,
    /// vehicles do not count.
    #[must_use]
    pub fn with(network: Arc<Network>, route_cost: f64, schedule: Schedule) -> Self {
        Self::over(Sisr::new(network, route_cost, schedule.shortening), schedule)
    }
}

impl<K: Kernel> Annealing<K> {
    /// Returns an annealing of a kernel without a solution that has not begun.
    #[must_use]
    pub fn over(kernel: K, schedule: Schedule) -> Self {
        let fewest = kernel.fewest_vehicles();
        let (phase, kind) = (Phase::Begin, Kind::Fresh);
        Self {
            kernel,
            schedule,
            fewest,
            best: Kept::default(),
            found: Kept::default(),
            pool: Pool::default(),
            clock: Clock {
                phase,
                kind,
                generation: 0,
                round: 0,
                step: 0,
                steps: 0,
                total: 0,
                unit: 0.0,
                plan: Plan { looked: u64::MAX, ..Plan::default() },
            },
            improved: false,
        }
    }

    /// Returns the best tour: the customers of each route behind a 0. Empty before the first step.
    #[must_use]
    pub fn best(&self) -> &[u16] {
        &self.best.tour
    }

    /// Returns the number of routes of the best tour.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.best.vehicles
    }

    /// Returns the customers that the best tour leaves out.
    #[must_use]
    pub fn absent(&self) -> &[u16] {
        &self.best.absent
    }

    /// Returns the cost of the best tour without that of its routes, in the units of the file.
    #[must_use]
    pub fn cost(&self) -> f64 {
        (self.best.cost - self.kernel.route_cost() * self.best.vehicles as f64) / self.kernel.scale()
    }

    /// Returns the number of steps made.
    #[must_use]
    pub fn steps_made(&self) -> u64 {
        self.clock.total
    }

    /// Returns the generation, and the temperature as a fraction of the mean distance.
    pub(crate) fn progress(&self) -> (f64, f64) {
        let temperature = match self.clock.phase {
            Phase::Begin => 0.0,
            Phase::Fleet => self.schedule.calm,
            Phase::Distance => self.cooled(1.0),
        };
        (f64::from(self.clock.generation), temperature)
    }

    /// The temperature of a round that shortens routes, by its unit.
    fn cooled(&self, unit: f64) -> f64 {
        let part = self.cooling();
        let Schedule { start, reheat, end, .. } = self.schedule;
        let start = if self.clock.kind == Kind::Child { reheat } else { start };
        unit * Cooling::Geometric.temperature(start, end, part)
    }

    /// The part of the round that is over.
    fn cooling(&self) -> f64 {
        let Clock { step, steps, plan, .. } = self.clock;
        if plan.fits {
            // Between two looks the pace is the last one measured.
            return plan.cooled + (step - plan.step) as f64 * plan.pace / (COOL - plan.begun);
        }
        step as f64 / steps as f64
    }

    /// Whether [`look`](Self::look) is due before the next step.
    #[must_use]
    pub fn wants_look(&self) -> bool {
        self.clock.total.is_multiple_of(RECOUNT) && self.clock.plan.looked != self.clock.total
    }

    /// Notes which part of the plan of the run is over, from 0 to 1; without a plan all rounds have their own length.
    /// It is [asked for](Self::wants_look) at the same steps in every run, so that a run over counts stays
    /// reproducible.
    pub fn look(&mut self, part: Option<f64>) {
        let total = self.clock.total;
        let plan = &mut self.clock.plan;
        let before = (plan.part, plan.looked);
        plan.looked = total;
        let Some(part) = part else { return };
        plan.part = part;
        // The construction takes longer than other steps.
        if before.1 != u64::MAX && before.1 > 0 && part > before.0 {
            let pace = (part - before.0) / (total - before.1) as f64;
            plan.pace = if plan.pace == 0.0 { pace } else { plan.pace + LAST * (pace - plan.pace) };
        }
        self.fit();
    }

    /// Fits the first cooling to the plan, and the first attempt to save a vehicle to its share of it.
    fn fit(&mut self) {
        let Clock { phase, generation, round, step, plan, .. } = self.clock;
        let is_first = generation == 0 && round <= 1;
        if !is_first || plan.pace == 0.0 || self.kernel.customers() <= FITTED || self.kernel.most_vehicles() == 1 {
            return;
        }
        match phase {
            Phase::Begin => {}
            Phase::Fleet => {
                let left = (1.0 - plan.part) / plan.pace + step as f64;
                self.clock.steps = self.clock.steps.min((self.schedule.fleet * left) as u64).max(1);
            }
            Phase::Distance => {
                let plan = &mut self.clock.plan;
                (plan.fits, plan.begun) = (true, plan.begun.min(COOL - 0.01));
                plan.cooled = ((plan.part - plan.begun) / (COOL - plan.begun)).max(plan.cooled);
                plan.step = step;
            }
        }
    }

    /// Takes a solution from outside: the customers of each route behind a 0, and those left out. If it is better than
    /// the best one, the annealing continues from it; otherwise it is offered to the pool. Routes that break a rule are
    /// ignored.
    pub fn offer(&mut self, tour: &[u16], absent: &[u16]) {
        if !self.kernel.is_sound(tour, absent) {
            return;
        }
        let mut present = Vec::new();
        self.kernel.write(&mut present);
        let (missing, fleet) = (self.kernel.absent().to_vec(), self.kernel.fleet());
        self.kernel.set(tour, absent, usize::MAX);
        if self.best.is_worse_than(absent.len(), self.kernel.cost()) {
            self.clock.kind = Kind::Child;
            self.found = Kept::default();
            self.keep();
            self.end_round();
            return self.begin_fleet(0.5);
        }
        let offered = Kept {
            tour: tour.to_vec(),
            absent: absent.to_vec(),
            vehicles: self.kernel.vehicles(),
            cost: self.kernel.cost(),
        };
        let counts = self.counts_vehicles();
        self.pool.insert(&offered, self.schedule.pool, counts);
        self.kernel.set(&present, &missing, fleet);
    }

    /// Makes `steps` steps. A run is the same however it is cut into chunks, also before and after a checkpoint.
    pub fn advance(&mut self, steps: u64, rng: &mut Rng) {
        let mut left = steps;
        while left > 0 {
            left -= self.advance_until(left, rng, || false).0;
        }
    }

    /// Makes at most `steps` steps, at least one: it ends behind one that has improved the best solution, before one at
    /// which a [look](Self::wants_look) is due, and when `ends` says so, which is asked once in a few steps. Returns
    /// the steps made and whether the last one has improved it.
    pub(crate) fn advance_until(&mut self, steps: u64, rng: &mut Rng, ends: impl Fn() -> bool) -> (u64, bool) {
        self.improved = false;
        let mut made = 0;
        while made < steps.max(1) && !self.improved {
            if made > 0 && self.wants_look() || made % EVERY == EVERY - 1 && ends() {
                break;
            }
            // At the same steps in every run.
            if self.clock.total.is_multiple_of(RECOUNT) {
                self.kernel.recount();
            }
            made += 1;
            self.clock.total += 1;
            self.step(rng);
        }
        (made, self.improved)
    }

    fn step(&mut self, rng: &mut Rng) {
        self.clock.step += 1;
        match self.clock.phase {
            Phase::Begin => {
                self.construct(rng);
                self.next_round(rng);
            }
            Phase::Fleet => {
                if self.kernel.step_fleet(rng, self.schedule.calm * self.clock.unit) {
                    self.keep();
                    if self.kernel.vehicles() > self.target() {
                        self.kernel.drop_route();
                        if self.clock.kind == Kind::Save {
                            self.clock.step = 0;
                        }
                    } else {
                        return self.begin_distance();
                    }
                }
                if self.clock.step >= self.clock.steps {
                    if self.clock.kind == Kind::Save {
                        // The vehicle that was saved in vain is given back: the first steps serve those left out.
                        self.found = Kept::default();
                        if self.clock.plan.pace > 0.0 && self.kernel.customers() > FITTED {
                            // A single long cooling must not depend on whether they find room.
                            self.kernel.set(&self.best.tour, &self.best.absent, usize::MAX);
                        }
                        self.begin_distance();
                    } else {
                        self.next_round(rng);
                    }
                }
            }
            Phase::Distance => {
                let temperature = self.cooled(self.clock.unit);
                if self.kernel.step(rng, temperature) {
                    self.keep();
                }
                if self.cooling() >= 1.0 {
                    self.end_round();
                    self.next_round(rng);
                }
            }
        }
    }

    /// Keeps the present solution if it is the best of the round.
    fn keep(&mut self) {
        let (absent, cost) = (self.kernel.absent().len(), self.kernel.cost());
        for (kept, is_best) in [(&mut self.found, false), (&mut self.best, true)] {
            if !kept.is_worse_than(absent, cost) {
                break;
            }
            self.kernel.write(&mut kept.tour);
            kept.absent.clear();
            kept.absent.extend_from_slice(self.kernel.absent());
            (kept.cost, kept.vehicles) = (cost, self.kernel.vehicles());
            self.improved |= is_best;
        }
    }

    /// Whether a vehicle less, or one customer more, is worth a try.
    fn may_save(&self) -> bool {
        !self.best.absent.is_empty() || self.counts_vehicles() && self.best.vehicles > self.fewest
    }

    fn counts_vehicles(&self) -> bool {
        self.kernel.route_cost() > 0.0
    }

    /// The number of vehicles that the fleet phase goes down to.
    fn target(&self) -> usize {
        match self.clock.kind {
            _ if !self.counts_vehicles() => usize::MAX,
            Kind::Save => self.fewest,
            Kind::Fresh | Kind::Child => self.best.vehicles,
        }
    }

    /// Vehicles that a round may use: no more than the best solution.
    fn allowed(&self) -> usize {
        if self.counts_vehicles() && self.best.absent.is_empty() { self.best.vehicles } else { usize::MAX }
    }

    fn round_steps(&self) -> f64 {
        let customers = self.kernel.customers() as f64;
        let growth = libm::pow(self.schedule.growth, f64::from(self.clock.generation));
        (customers * self.schedule.steps * growth).clamp(1.0, 1e15)
    }

    fn construct(&mut self, rng: &mut Rng) {
        self.kernel.set_settings(self.schedule.shortening);
        self.kernel.construct(rng);
        self.found = Kept::default();
        self.keep();
    }

    fn end_round(&mut self) {
        let counts = self.counts_vehicles();
        self.pool.insert(&self.found, self.schedule.pool, counts);
    }

    /// Rounds of this generation that begin with a new construction.
    fn constructions(&self) -> u32 {
        let Schedule { founders, fresh, .. } = self.schedule;
        let fresh = if self.clock.generation == 0 { founders } else { fresh };
        let hundreds = (self.kernel.customers() as f64 / 100.0).max(1.0);
        fresh.min(2).max((f64::from(fresh) / hundreds) as u32)
    }

    /// Begins the next round: the attempt to save a vehicle, a new construction, or a child.
    fn next_round(&mut self, rng: &mut Rng) {
        let children = self.schedule.children;
        if self.clock.round > self.constructions() + children {
            (self.clock.generation, self.clock.round) = (self.clock.generation + 1, 0);
        }
        let fresh = self.constructions();
        let round = self.clock.round;
        self.clock.round += 1;
        if round == 0 && self.may_save() {
            return self.begin_saving(fresh + children + 1);
        }
        if round == 0 && self.clock.generation == 0 {
            return self.begin_distance();
        }
        let fleet = self.allowed();
        if round > fresh {
            let (mut tour, mut absent) = (Vec::new(), Vec::new());
            if self.pool.child(&self.kernel, fleet, rng, &mut tour, &mut absent) {
                self.clock.kind = Kind::Child;
                self.found = Kept::default();
                self.kernel.set(&tour, &absent, fleet);
                self.begin_fleet(0.5);
            } else {
                self.clock.kind = Kind::Fresh;
                self.found = self.best.clone();
                self.kernel.set(&self.best.tour, &self.best.absent, fleet);
                self.begin_distance();
            }
        } else {
            self.clock.kind = Kind::Fresh;
            self.construct(rng);
            if self.counts_vehicles() && self.kernel.absent().is_empty() && self.kernel.vehicles() > fleet {
                self.kernel.drop_route();
            }
            self.begin_fleet(1.0);
        }
    }

    fn begin_saving(&mut self, rounds: u32) {
        self.clock.kind = Kind::Save;
        self.found = self.best.clone();
        self.kernel.set(&self.best.tour, &self.best.absent, usize::MAX);
        if self.best.absent.is_empty() {
            self.kernel.drop_route();
        }
        self.begin_fleet(f64::from(rounds) * self.schedule.fleet);
    }

    /// Serves those absent, for `share` of a round at most.
    fn begin_fleet(&mut self, share: f64) {
        // Where vehicles do not count, the first steps open routes for those absent, as long as there are vehicles.
        let opens = !self.counts_vehicles() && self.kernel.vehicles() < self.kernel.most_vehicles();
        if self.kernel.absent().is_empty() || opens && self.best.absent.is_empty() {
            return self.begin_distance();
        }
        self.kernel.set_settings(self.schedule.saving);
        self.clock.phase = Phase::Fleet;
        self.clock.unit = self.kernel.mean_leg();
        self.clock.step = 0;
        self.clock.steps = (self.round_steps() * share).max(1.0) as u64;
    }

    fn begin_distance(&mut self) {
        self.kernel.set_fleet(self.allowed());
        self.kernel.set_settings(self.schedule.shortening);
        self.clock.phase = Phase::Distance;
        self.clock.unit = self.kernel.mean_leg();
        self.clock.step = 0;
        self.clock.steps = self.round_steps().max(1.0) as u64;
        let plan = &mut self.clock.plan;
        (plan.begun, plan.fits, plan.cooled, plan.step) = (plan.part, false, 0.0, 0);
    }

    /// Returns the whole state, to be continued.
    pub(crate) fn save(&self) -> SavedAnnealing {
        let mut tour = Vec::new();
        self.kernel.write(&mut tour);
        SavedAnnealing {
            clock: self.clock,
            best: self.best.clone(),
            found: self.found.clone(),
            pool: self.pool.clone(),
            tour,
            absent: self.kernel.absent().to_vec(),
            cost: self.kernel.cost(),
            fleet: self.kernel.fleet(),
            misses: self.kernel.misses().to_vec(),
        }
    }

    /// Continues what was saved.
    pub(crate) fn load(&mut self, saved: SavedAnnealing) -> Result<(), &'static str> {
        let sound = |tour: &[u16], absent: &[u16]| self.kernel.is_sound(tour, absent);
        let kept = || [&saved.best, &saved.found].into_iter().chain(saved.pool.as_slice());
        // Before the first step there is no solution.
        let none = saved.tour.is_empty() && saved.absent.is_empty();
        let all_sound = (none || sound(&saved.tour, &saved.absent))
            && kept().all(|kept| kept.is_none() || sound(&kept.tour, &kept.absent))
            && saved.pool.as_slice().iter().all(|kept| !kept.tour.is_empty());
        if !all_sound || saved.misses.len() != self.kernel.misses().len() {
            return Err("routes that do not fit the instance");
        }
        let costs = kept().map(|kept| kept.cost).chain([saved.cost, saved.clock.unit]);
        if !costs.into_iter().all(f64::is_finite) {
            return Err("a cost that is not finite");
        }
        self.kernel.set(&saved.tour, &saved.absent, saved.fleet);
        if (self.kernel.cost() - saved.cost).abs() > 1e-6 * self.kernel.cost().abs().max(1.0) {
            return Err("the cost of other routes");
        }
        self.kernel.set_cost(saved.cost);
        self.kernel.set_misses(&saved.misses);
        (self.best, self.found, self.pool, self.clock) = (saved.best, saved.found, saved.pool, saved.clock);
        let saving = self.clock.phase == Phase::Fleet;
        self.kernel.set_settings(if saving { self.schedule.saving } else { self.schedule.shortening });
        Ok(())
    }
}
