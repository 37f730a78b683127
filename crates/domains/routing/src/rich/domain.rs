//! Rich vehicle routing by name: what the command line and other programs without types use.

use super::explain::can_explain;
use super::judge::Judge;
use super::{Convention, Instance, Objective, Rich, check, draw, generate, is_spec, read, verify, write};
use crate::remarks;
use crate::search::METHODS;
use crate::vrptw::{Edges, Rounding};
use serde_json::{Value, json};
use soloist::{Problem, Score};
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, DomainOption, InstanceError, LoadResult, Options, follow};
use std::sync::Arc;

const OBJECTIVE: DomainOption = DomainOption {
    name: "objective",
    values: &["auto", "vehicles", "cost"],
    help: "what is minimised: the vehicles and then the cost (auto: for files of Li and Lim and of Solomon), or the cost alone: distance at the \
           rates of the vehicles, their fixed costs, prizes that are not collected",
};

const ROUNDING: DomainOption = DomainOption {
    name: "rounding",
    values: &["auto", "none", "one-decimal", "nearest"],
    help: "how distances are rounded: not at all (auto: for files of Li and Lim, Cordeau and Solomon), down to one decimal (auto: VRPLIB with time \
           windows), to the nearest whole number (auto: VRPLIB without)",
};

/// Rich vehicle routing.
pub const DOMAIN: Domain = Domain {
    name: "rich-vrp",
    summary: "routes with pickups and deliveries, several depots, vehicle types, customers with prizes (PDPTW, MDVRP, HFVRP, PCVRP)",
    score: "10^6 x vehicles + cost, or the cost alone; smaller is better",
    instance: "a file of Li and Lim (pickups and deliveries), of Cordeau (several depots), in VRPLIB format with the sections that PyVRP reads \
               (prizes, vehicles) or of Solomon, or a spec: pairs:50:7 (transports : seed), depots:50:7, types:50:7, prizes:50:7; a visit may be late \
               by 1e-10 of its closing time where distances are not rounded between coordinates",
    example: "pairs:20:7",
    options: &[OBJECTIVE, ROUNDING],
    searches: METHODS,
    load,
    generate: |spec| generate(spec).map(|instance| write(&instance)),
};

/// An instance with its name and its search problem.
struct Loaded {
    name: String,
    remarks: Vec<String>,
    problem: Rich,
}

/// Returns the objective and the rounding that go with an instance; `""` and `auto` choose by its kind.
#[must_use]
pub fn rules(instance: &Instance, objective: &str, rounding: &str) -> (Objective, Rounding) {
    let objective = match objective {
        "vehicles" => Objective::Vehicles,
        "cost" => Objective::Cost,
        _ if instance.convention == Convention::Pairs => Objective::Vehicles,
        _ => Objective::Cost,
    };
    let rounding = match rounding {
        "none" => Rounding::Exact,
        "one-decimal" => Rounding::OneDecimal,
        "nearest" => Rounding::Nearest,
        _ if instance.convention != Convention::Vrplib || instance.edges != Edges::Euclidean => Rounding::Exact,
        _ if instance.has_windows() => Rounding::OneDecimal,
        _ => Rounding::Nearest,
    };
    (objective, rounding)
}

fn load(name: &str, options: &Options) -> LoadResult {
    let instance = if is_spec(name) { generate(name)? } else { read(name)? };
    let chosen = |name: &str| options.get(name).map_or("", String::as_str);
    let (objective, rounding) = rules(&instance, chosen("objective"), chosen("rounding"));
    if objective == Objective::Vehicles && instance.has_prizes() {
        let wrong = "customers with prizes: fewest vehicles would serve none of them, expected the objective `cost`";
        return Err(InstanceError::new(name, wrong).with_option("objective"));
    }
    let mut remarks = remarks::remarks(&instance.sites(), rounding);
    remarks.extend(remarks::slow_depots(instance.depots.iter().map(|depot| depot.service)));
    let problem = Rich::new(Arc::new(instance), rounding, objective);
    Ok(Box::new(Loaded { name: name.to_owned(), remarks, problem }) as Box<dyn AnyInstance>)
}

impl Loaded {
    fn instance(&self) -> &Instance {
        &self.problem.instance
    }
}

impl soloist_domain::Instance for Loaded {
    type Problem = Rich;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let instance = self.instance();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let pairs = instance.visits.iter().filter(|visit| visit.delivers).count();
        let customers = instance.visits.len() - 2 * pairs;
        let mut text = String::new();
        for (count, what) in [(pairs, "transport"), (customers, "customer")] {
            if count > 0 {
                text += &format!("{}{count} {what}{}", if text.is_empty() { "" } else { ", " }, plural(count));
            }
        }
        let optional = instance.visits.iter().filter(|visit| visit.prize.is_some() && !visit.delivers).count();
        if optional > 0 {
            text += &format!(" ({optional} with a prize)");
        }
        let (depots, kinds) = (instance.depots.len(), instance.kinds.len());
        text += &format!(", {depots} depot{}", plural(depots));
        let all: Option<u64> = instance.kinds.iter().map(|kind| kind.count.map(u64::from)).sum();
        text += &all.map_or_else(|| ", any number of vehicles".into(), |all| format!(", at most {all} vehicles"));
        match &instance.kinds[..] {
            [kind] => text += &format!(" of capacity {}", kind.capacity),
            _ => text += &format!(" of {kinds} kinds"),
        }
        let objective = match self.problem.objective() {
            Objective::Vehicles => "vehicles, then cost",
            Objective::Cost => "cost",
        };
        let rounding = self.problem.rounding.remark();
        format!("{text}; minimise {objective}{rounding}")
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn unexplained(&self) -> Option<String> {
        (!can_explain(&self.problem)).then(|| remarks::UNEXPLAINED.to_owned())
    }

    fn problem(&self) -> &Rich {
        &self.problem
    }

    fn pair(&self, score: f64) -> Option<(f64, f64)> {
        self.problem.pair(score)
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let (routes, unserved) = self.problem.routes(moves);
        let mut state = self.problem.root();
        moves.iter().for_each(|&mv| self.problem.apply(&mut state, mv));
        let scale = self.problem.tables().network().scale();
        let lost = self.problem.lost(&state);
        let visits: Vec<&Vec<u16>> = routes.iter().map(|(_, visits)| visits).collect();
        let mut solution = object(vec![
            ("vehicles", routes.len().into()),
            ("distance", (state.distance / scale).into()),
            ("routes", json!(visits)),
        ]);
        if self.instance().kinds.len() > 1 {
            solution["kinds"] = routes.iter().map(|(kind, _)| kind + 1).collect();
        }
        if state.fixed > 0.0 {
            solution["fixed"] = json!(state.fixed / scale);
        }
        if self.instance().has_prizes() {
            solution["prizes"] = json!(lost / scale);
        }
        let cost = state.cost + lost;
        if cost != state.distance {
            solution["cost"] = json!(cost / scale);
        }
        if !unserved.is_empty() {
            solution["unserved"] = json!(unserved);
        }
        solution
    }

    /// Any form that [`check`] reads. A plan may leave customers out.
    fn start_from(&self, text: &str) -> Result<Vec<u16>, String> {
        let instance = self.instance();
        let (mut routes, ..) = verify::routes(instance, text)?;
        routes.retain(|(_, visits)| !visits.is_empty());
        if routes.is_empty() && !instance.has_prizes() {
            return Err("no routes: expected lines `Route #1: 5 3 7`, or customers with a 0 between routes".into());
        }
        let sites = instance.sites();
        verify::drive_all(&Judge::new(instance, &sites, self.problem.rounding), &routes)?;
        let mut tour: Vec<u16> = vec![0];
        for (kind, visits) in &routes {
            tour.push(self.problem.tables().begin(kind - 1));
            // Verified: visits of the instance, fewer than 2^16.
            tour.extend(visits.iter().map(|&visit| visit as u16));
        }
        let mut wanted = Vec::with_capacity(tour.len());
        self.problem.canonical(&tour, &mut wanted);
        let mut wanted = wanted.into_iter();
        follow(&self.problem, |_, legal| match wanted.next() {
            Some(mv) if !legal.contains(&mv) => {
                Err(format!("visit {mv} is late by the tolerance: the search cannot start from this route"))
            }
            Some(mv) => Ok(mv),
            None => legal.last().copied().ok_or_else(|| "no move".to_owned()),
        })
    }

    fn brief(&self, score: Score, solution: &dyn Fn() -> Value) -> Option<String> {
        if let Score::Infeasible(unserved) = score {
            return Some(format!("{unserved} not served"));
        }
        if self.problem.objective() == Objective::Vehicles {
            // The pair says it.
            return None;
        }
        let solution = solution();
        let (vehicles, cost) = (solution.get("vehicles")?.as_u64()?, score.value()?);
        let plural = if vehicles == 1 { "" } else { "s" };
        Some(format!("{vehicles} vehicle{plural}, cost {cost:.2}"))
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(self.instance(), self.problem.objective(), self.problem.rounding, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(self.instance(), self.problem.rounding, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(self.instance(), self.problem.rounding, solution)
    }

    fn published(&self, solution: &Value) -> Option<String> {
        Some(draw::plan(self.instance(), self.problem.rounding, solution))
    }
}
