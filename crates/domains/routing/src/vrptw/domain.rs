//! Vehicle routing by name: what the command line and other programs without types use.

use super::{Depot, Edges, Instance, Objective, Rounding, Vrptw, check, draw, generate, is_spec, read, verify, write};
use crate::remarks;
use crate::search::METHODS;
use serde_json::{Value, json};
use soloist::{Problem, Score};
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, DomainOption, LoadResult, Options, follow};
use std::sync::Arc;

const OBJECTIVE: DomainOption = DomainOption {
    name: "objective",
    values: &["auto", "vehicles", "distance"],
    help: "what is minimised: the vehicles and then the distance (auto: where there are time windows), or the distance alone",
};

const ROUNDING: DomainOption = DomainOption {
    name: "rounding",
    values: &["auto", "none", "one-decimal", "nearest"],
    help: "how distances are rounded: not at all, down to one decimal (auto: for the distance alone with time windows), to the nearest whole number (auto: without time windows)",
};

const VEHICLES: DomainOption = DomainOption {
    name: "vehicles",
    values: &["auto", "1..1000000"],
    help: "how many vehicles there are at most (auto: as many as the instance says)",
};

const DEPOT: DomainOption = DomainOption {
    name: "depot",
    values: &["alike", "by-visit"],
    help: "codes that learned policies know the depot by: one, or another one for each visit (as in the HD-NRPA paper)",
};

/// Vehicle routing with time windows, or with capacities alone.
pub const DOMAIN: Domain = Domain {
    name: "vrptw",
    summary: "serve customers within their time windows by few vehicles on short routes (VRPTW, CVRP)",
    score: "10^6 x vehicles + distance, or the distance alone; smaller is better",
    instance: "a file of Solomon, of Gehring & Homberger or in VRPLIB format (.vrp), or a spec: random:100:7 (customers : seed), clustered:100:7, \
               capacity:100:7 (no windows); times are exact decimals, but where distances are not rounded between coordinates: there a visit may be \
               late by 1e-10 of its closing time",
    example: "random:100:7",
    options: &[OBJECTIVE, ROUNDING, VEHICLES, DEPOT],
    searches: METHODS,
    load,
    generate: |spec| generate(spec).map(|instance| write(&instance)),
};

/// An instance with its name and its search problem.
struct Loaded {
    name: String,
    instance: Instance,
    rounding: Rounding,
    remarks: Vec<String>,
    problem: Vrptw,
}

/// Returns the objective and the rounding that go with an instance; `""` and `auto` choose by its kind.
#[must_use]
pub fn rules(instance: &Instance, objective: &str, rounding: &str) -> (Objective, Rounding) {
    let timed = instance.has_windows();
    let objective = match objective {
        "vehicles" => Objective::Vehicles,
        "distance" => Objective::Distance,
        _ if timed => Objective::Vehicles,
        _ => Objective::Distance,
    };
    let rounding = match rounding {
        "none" => Rounding::Exact,
        "one-decimal" => Rounding::OneDecimal,
        "nearest" => Rounding::Nearest,
        // A table says what it means.
        _ if instance.edges != Edges::Euclidean => Rounding::Exact,
        _ if !timed => Rounding::Nearest,
        _ if objective == Objective::Distance => Rounding::OneDecimal,
        _ => Rounding::Exact,
    };
    (objective, rounding)
}

fn load(name: &str, options: &Options) -> LoadResult {
    let mut instance = if is_spec(name) { generate(name)? } else { read(name)? };
    let chosen = |name: &str| options.get(name).map_or("", String::as_str);
    if let Ok(most) = chosen("vehicles").parse::<u32>() {
        instance.vehicles = Some(instance.vehicles.map_or(most, |vehicles| vehicles.min(most)));
    }
    let depot = if chosen("depot") == "by-visit" { Depot::ByVisit } else { Depot::Alike };
    let (objective, rounding) = rules(&instance, chosen("objective"), chosen("rounding"));
    let problem = Vrptw::new(Arc::new(instance.network(rounding)), objective).with_depot(depot);
    let mut remarks = remarks::remarks(&instance, rounding);
    remarks.extend(remarks::slow_depots(instance.sites[..1].iter().map(|depot| depot.service)));
    Ok(Box::new(Loaded { name: name.to_owned(), instance, rounding, remarks, problem }) as Box<dyn AnyInstance>)
}

impl soloist_domain::Instance for Loaded {
    type Problem = Vrptw;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let customers = self.instance.sites.len() - 1;
        let vehicles = match self.instance.vehicles {
            Some(vehicles) => format!("at most {vehicles} vehicles"),
            None => "any number of vehicles".into(),
        };
        let windows = if self.instance.has_windows() { "" } else { ", no time windows" };
        let objective = match self.problem.objective() {
            Objective::Vehicles => "vehicles, then distance",
            Objective::Distance => "distance",
        };
        let rounding = self.rounding.remark();
        let (capacity, fewest) = (self.instance.capacity, self.problem.fewest_vehicles());
        format!(
            "{customers} customers, {vehicles} (at least {fewest} needed) of capacity {capacity}{windows}; minimise {objective}{rounding}"
        )
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn unexplained(&self) -> Option<String> {
        self.problem.network().quickest().is_none().then(|| remarks::UNEXPLAINED.to_owned())
    }

    fn problem(&self) -> &Vrptw {
        &self.problem
    }

    fn pair(&self, score: f64) -> Option<(f64, f64)> {
        self.problem.pair(score)
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let (routes, unserved) = self.problem.routes(moves);
        let mut state = self.problem.root();
        moves.iter().for_each(|&mv| self.problem.apply(&mut state, mv));
        let distance = state.distance / self.problem.network().scale();
        let mut solution =
            object(vec![("vehicles", routes.len().into()), ("distance", distance.into()), ("routes", json!(routes))]);
        if !unserved.is_empty() {
            solution["unserved"] = json!(unserved);
        }
        solution
    }

    /// The giant tour, 0 being the depot.
    fn moves(&self, moves: &[u16]) -> Value {
        json!(moves)
    }

    /// Any form that [`check`] reads. A plan may leave customers out: those that fit in behind its routes are added by
    /// the bias.
    fn start_from(&self, text: &str) -> Result<Vec<u16>, String> {
        let (routes, ..) = verify::routes(text)?;
        if routes.is_empty() {
            return Err("no routes: expected lines `Route #1: 5 3 7`, or customers with a 0 between routes".into());
        }
        verify::drive_all(&self.instance, self.rounding, &routes)?;
        let mut tour: Vec<u16> = Vec::new();
        for route in &routes {
            tour.push(0);
            // Verified: customers of the instance, fewer than 2^16.
            tour.extend(route.iter().map(|&c| c as u16));
        }
        let mut wanted = Vec::with_capacity(tour.len());
        self.problem.canonical(&tour, &mut wanted);
        let mut wanted = wanted.into_iter();
        follow(&self.problem, |state, legal| match wanted.next() {
            Some(mv) if !legal.contains(&mv) => {
                Err(format!("customer {mv} is late by the tolerance: the search cannot start from this route"))
            }
            Some(mv) => Ok(mv),
            None => Ok(self.problem.best_biased(state, legal)),
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
        let (vehicles, distance) = (solution.get("vehicles")?.as_u64()?, solution.get("distance")?.as_f64()?);
        let plural = if vehicles == 1 { "" } else { "s" };
        Some(format!("{vehicles} vehicle{plural}, distance {distance:.2}"))
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.instance, self.problem.objective(), self.rounding, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.instance, self.rounding, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.instance, self.rounding, solution)
    }

    fn published(&self, solution: &Value) -> Option<String> {
        Some(draw::plan(&self.instance, self.rounding, solution))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way from the depot to a customer has one code, or one for each visit; codes stay below their count.
    #[test]
    fn visits_of_the_depot_have_codes_of_their_own() {
        let tour = |depot| {
            let instance = generate("random:12:3").unwrap();
            let (objective, rounding) = rules(&instance, "", "");
            let problem = Vrptw::new(Arc::new(instance.network(rounding)), objective).with_depot(depot);
            let most = u64::from(problem.facts().code_count.unwrap());
            // A route for each customer.
            let (mut state, mut to_last, mut home) = (problem.root(), Vec::new(), Vec::new());
            for customer in 1..=12 {
                to_last.push(problem.code(&state, 12));
                problem.apply(&mut state, customer);
                home.push(problem.code(&state, 0));
                problem.apply(&mut state, 0);
            }
            assert!(to_last.iter().chain(&home).all(|&code| code < most), "{to_last:?}, {home:?}, {most}");
            to_last.sort_unstable();
            to_last.dedup();
            (to_last.len(), home, problem.extras().fingerprint())
        };
        let (alike, by_visit) = (tour(Depot::Alike), tour(Depot::ByVisit));
        assert_eq!((alike.0, by_visit.0), (1, 12));
        assert_ne!((alike.1, alike.2), (by_visit.1, by_visit.2));
    }

    #[test]
    fn vehicles_are_no_more_than_asked_for() {
        let load = |vehicles: &str| {
            let options = Options::from([("vehicles".to_owned(), vehicles.to_owned())]);
            (DOMAIN.load)("random:20:1", &options).unwrap().describe()
        };
        assert!(load("3").contains("at most 3 vehicles"), "{}", load("3"));
        assert!(!load("auto").contains("at most 3 vehicles"));
    }

    #[test]
    fn pairs_are_ordered_as_scores() {
        for objective in [Objective::Vehicles, Objective::Distance] {
            let instance = generate("random:20:1").unwrap();
            let rounding = Rounding::Exact;
            let problem = Vrptw::new(Arc::new(instance.network(rounding)), objective);
            let loaded = Loaded { name: "random:20:1".into(), instance, rounding, remarks: Vec::new(), problem };
            let scores = if objective == Objective::Vehicles { vec![2e6 + 3.5, 1e6 + 900.25] } else { vec![20.5] };
            soloist_domain_testing::check_pairs(&loaded, 50, scores);
        }
    }
}
