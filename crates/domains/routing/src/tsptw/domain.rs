//! The travelling salesman with time windows by name: what the command line and other programs without types use.

use super::{Instance, Objective, Tsptw, check, draw, generate, is_spec, read, verify, write};
use crate::remarks::of_tsptw;
use crate::search::METHODS;
use serde_json::{Value, json};
use soloist::{Problem, Score};
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, DomainOption, LoadResult, Options, follow};

/// The travelling salesman with time windows.
pub const DOMAIN: Domain = Domain {
    name: "tsptw",
    summary: "visit every city within its time window on a cheap tour (TSPTW)",
    score: "travel cost, or the time of the return; smaller is better",
    instance: "a text file (number of nodes with the depot, matrix, windows) or a spec: random:40x60:7 (customers x width of windows : seed); \
               times are exact decimals; numbers of 16 digits and more are doubles, and a visit may be late by 1e-10 of its closing time",
    example: "random:40x60:7",
    options: &[DomainOption {
        name: "objective",
        values: &["travel", "makespan"],
        help: "what is minimised: the travel cost, waiting being free, or the time of the return",
    }],
    searches: METHODS,
    load,
    generate: |spec| generate(spec).map(|instance| write(&instance, spec)),
};

/// An instance with its name and its search problem.
struct Loaded {
    name: String,
    instance: Instance,
    remarks: Vec<String>,
    problem: Tsptw,
}

fn load(name: &str, options: &Options) -> LoadResult {
    let instance = if is_spec(name) { generate(name)? } else { read(name)? };
    let objective = match options.get("objective").map(String::as_str) {
        Some("makespan") => Objective::Makespan,
        _ => Objective::Travel,
    };
    let problem = Tsptw::new(&instance, objective);
    let remarks = of_tsptw(&instance);
    Ok(Box::new(Loaded { name: name.to_owned(), instance, remarks, problem }) as Box<dyn AnyInstance>)
}

impl soloist_domain::Instance for Loaded {
    type Problem = Tsptw;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let objective = match self.problem.objective() {
            Objective::Travel => "travel cost",
            Objective::Makespan => "makespan",
        };
        format!("{} nodes with the depot; minimise {objective}", self.instance.nodes())
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn problem(&self) -> &Tsptw {
        &self.problem
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let mut state = self.problem.root();
        let (mut starts, mut late) = (Vec::new(), Vec::new());
        for &mv in moves {
            let before = state.late;
            self.problem.apply(&mut state, mv);
            starts.push(state.time / self.problem.network().scale());
            if state.late > before {
                late.push(mv);
            }
        }
        let network = self.problem.network();
        let (home, scale) = (network.distance(usize::from(state.last), 0), network.scale());
        let (travel, makespan) = ((state.travel + home) / scale, (state.time + home) / scale);
        let mut solution = object(vec![
            ("tour", json!(moves)),
            ("starts", json!(starts)),
            ("travel", travel.into()),
            ("makespan", makespan.into()),
        ]);
        if !late.is_empty() {
            solution["late"] = json!(late);
        }
        solution
    }

    fn moves(&self, moves: &[u16]) -> Value {
        json!(moves)
    }

    /// Any form that [`check`] reads: a tour within all windows.
    fn start_from(&self, text: &str) -> Result<Vec<u16>, String> {
        let tour = verify::tour(text)?.0;
        verify(&self.instance, &tour)?;
        let mut wanted = tour.into_iter().filter(|&node| node != 0).map(|node| node as u16);
        follow(&self.problem, |_, legal| {
            let node = wanted.next().unwrap_or(0);
            let late = || format!("node {node} is late by the tolerance: the search cannot start from this tour");
            legal.contains(&node).then_some(node).ok_or_else(late)
        })
    }

    fn brief(&self, score: Score, solution: &dyn Fn() -> Value) -> Option<String> {
        if let Score::Infeasible(late) = score {
            return Some(format!("{late} late"));
        }
        let solution = solution();
        let (travel, makespan) = (solution.get("travel")?.as_f64()?, solution.get("makespan")?.as_f64()?);
        Some(format!("travel cost {travel:.2}, makespan {makespan:.2}"))
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.instance, self.problem.objective(), text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.instance, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.instance, &self.name, solution)
    }
}
