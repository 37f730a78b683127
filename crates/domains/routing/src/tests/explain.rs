//! Conflicts of constraints beside brute force, which reads the names alone.

use super::permutations;
use crate::tsptw::{self, Tsptw};
use crate::vrptw::{Edges, Instance, Objective, Rounding, Site, Vrptw, generate};
use soloist::check::{Verdict, explain};
use soloist::problem::Explain;
use soloist::{Budget, Method, Problem, Rng, Solver};
use std::sync::Arc;
use std::time::Duration;

/// What the names of constraints say: customers to serve, closing times that count, capacity, vehicles.
struct Rules {
    served: Vec<usize>,
    closes: Vec<bool>,
    has_capacity: bool,
    has_fleet: bool,
}

impl Rules {
    fn of<'n>(nodes: usize, names: impl IntoIterator<Item = &'n String>) -> Self {
        let mut rules = Self { served: Vec::new(), closes: vec![false; nodes], has_capacity: false, has_fleet: false };
        for name in names {
            // A tour has one vehicle, whatever is left out.
            rules.has_fleet |= name.starts_with("node ");
            let number = || name.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
            match name {
                name if name.starts_with("at most") => rules.has_fleet = true,
                name if name.starts_with("no load") => rules.has_capacity = true,
                name if name.starts_with("the tour is back") => rules.closes[0] = true,
                name if name.contains("is served") => rules.served.push(number()),
                name => {
                    assert!(name.contains("closes at"), "{name}");
                    rules.closes[number()] = true;
                }
            }
        }
        rules
    }

    /// Whether some routes satisfy them; `ways` are the quickest ways over any customers.
    fn can_hold(&self, instance: &Instance, ways: &[f64], fleet: usize) -> bool {
        let n = instance.sites.len();
        let closing = |c: usize| if self.closes[c] { instance.sites[c].due } else { f64::INFINITY };
        let depot = instance.sites[0];
        let drives = |route: &[usize]| {
            let load: u32 = route.iter().map(|&c| instance.sites[c].demand).sum();
            let (mut time, mut last) = (depot.ready + depot.service, 0);
            let in_time = route.iter().all(|&c| {
                time = (time + ways[last * n + c]).max(instance.sites[c].ready);
                last = c;
                let fits = time <= closing(c);
                time += instance.sites[c].service;
                fits
            });
            in_time && time + ways[last * n] <= closing(0) && (!self.has_capacity || load <= instance.capacity)
        };
        let mut holds = self.served.is_empty();
        let vehicles = if self.has_fleet { fleet } else { self.served.len() };
        permutations(&mut Vec::new(), &mut self.served.clone(), &mut |order| {
            // Each mask of cuts between neighbours divides the order into routes.
            for cuts in 0..1_u32 << order.len().saturating_sub(1) {
                if holds || cuts.count_ones() as usize + 1 > vehicles {
                    continue;
                }
                let mut from = 0;
                let ends = (1..=order.len()).filter(|&at| at == order.len() || cuts >> (at - 1) & 1 == 1);
                holds = ends.into_iter().all(|end| drives(&order[std::mem::replace(&mut from, end)..end]));
            }
        });
        holds
    }
}

/// The quickest ways over any customers but the depot.
fn quickest(instance: &Instance) -> Vec<f64> {
    let n = instance.sites.len();
    let Edges::Explicit(mut ways) = instance.edges.clone() else { panic!("a table") };
    for k in 1..n {
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let over = ways[i * n + k] + instance.sites[k].service + ways[k * n + j];
            ways[i * n + j] = ways[i * n + j].min(over);
        }
    }
    ways
}

fn small(rng: &mut Rng, customers: usize) -> Instance {
    let n = customers + 1;
    let depot = Site { x: 0.0, y: 0.0, demand: 0, ready: 0.0, due: 45.0, service: 0.0 };
    let mut sites = vec![depot];
    for _ in 0..customers {
        let ready = rng.below(20) as f64;
        let due = if rng.below(4) == 0 { f64::INFINITY } else { ready + rng.below(20) as f64 };
        sites.push(Site { demand: 1 + rng.below(6) as u32, ready, due, service: rng.below(3) as f64, ..depot });
    }
    let table = (0..n * n).map(|at| if at / n == at % n { 0.0 } else { 1.0 + rng.below(12) as f64 }).collect();
    let vehicles = Some(1 + rng.below(2) as u32);
    Instance { name: String::new(), sites, capacity: 9, vehicles, edges: Edges::Explicit(table) }
}

/// Compares what was found with brute force; returns whether there was a conflict.
fn compare<P: Problem + Explain<P>>(problem: &P, instance: &Instance, ways: &[f64], fleet: usize) -> bool {
    let n = instance.sites.len();
    let names = problem.constraints();
    let found = explain(problem, Duration::from_secs(60), 1, None).unwrap();
    assert_eq!(found.constraints, names.len());
    let Edges::Explicit(table) = &instance.edges else { panic!("a table") };
    if Rules::of(n, &names).can_hold(instance, table, fleet) {
        assert_eq!(found.verdict, Verdict::Feasible, "{instance:?}");
        return false;
    }
    assert_eq!(found.verdict, Verdict::Conflict, "{instance:?}");
    assert!(found.is_least, "{instance:?}: {found:?}");
    let holds = |kept: &[String]| {
        let rules = Rules::of(n, kept);
        let ways = if rules.served.len() + 1 == n { table } else { ways };
        rules.can_hold(instance, ways, fleet)
    };
    assert!(!holds(&found.conflict), "{instance:?}: {found:?}");
    for at in 0..found.conflict.len() {
        let mut kept = found.conflict.clone();
        let left_out = kept.remove(at);
        assert!(holds(&kept), "{left_out} is not needed: {instance:?}: {found:?}");
    }
    true
}

#[test]
fn conflicts_are_those_of_brute_force() {
    let mut rng = Rng::new(5);
    let (mut routes, mut tours) = (0, 0);
    for _ in 0..60 {
        let customers = 1 + rng.index(5);
        let instance = small(&mut rng, customers);
        let (fleet, ways) = (instance.vehicles.unwrap() as usize, quickest(&instance));
        let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Vehicles);
        routes += usize::from(compare(&problem, &instance, &ways, fleet));
        // The same as a tour: one vehicle without a load, services in the ways.
        let mut tour = Instance { vehicles: Some(1), capacity: 0, ..instance };
        tour.sites.iter_mut().for_each(|site| (site.demand, site.service) = (0, 0.0));
        let Edges::Explicit(matrix) = tour.edges.clone() else { panic!("a table") };
        let windows = tour.sites.iter().map(|site| (site.ready, site.due)).collect();
        let problem = Tsptw::new(&tsptw::Instance { matrix, windows }, tsptw::Objective::Travel);
        tours += usize::from(compare(&problem, &tour, &quickest(&tour), 1));
    }
    assert!((15..60).contains(&routes) && (15..60).contains(&tours), "{routes} and {tours} of 60 conflicts");
}

#[test]
fn a_customer_out_of_reach_is_named_alone() {
    let mut instance = generate("random:30:7").unwrap();
    // Nobody is there in time.
    instance.sites[9].due = 0.5;
    instance.sites[9].ready = 0.0;
    let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Vehicles);
    let found = explain(&problem, Duration::from_secs(60), 1, None).unwrap();
    assert!(found.is_least);
    assert_eq!(found.conflict.len(), 2, "{found:?}");
    assert!(found.conflict[0].starts_with("customer 9 is served (demand "), "{found:?}");
    assert_eq!(found.conflict[1], "customer 9 closes at 0.5 (opens at 0)");
}

#[test]
fn parts_are_those_of_the_solution() {
    let instance = generate("random:20:7").unwrap();
    let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Vehicles);
    let best = Solver::new(&problem, Method::named("sisr")).budget(Budget::nodes(2_000)).run().unwrap().best.unwrap();
    let parts = best.parts(&problem);
    let [(vehicles, count), (distance, length)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!((vehicles.as_ref(), distance.as_ref()), ("vehicles", "distance"));
    assert_eq!(best.score.value().unwrap(), count * 1e6 + length);
    assert_eq!(*count as usize, problem.routes(&best.moves).0.len());

    let instance = tsptw::generate("random:12x20:3").unwrap();
    for objective in [tsptw::Objective::Travel, tsptw::Objective::Makespan] {
        let problem = Tsptw::new(&instance, objective);
        let best =
            Solver::new(&problem, Method::named("sisr")).budget(Budget::nodes(2_000)).run().unwrap().best.unwrap();
        let parts = best.parts(&problem);
        let [(travel, way), (waiting, idle)] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!((travel.as_ref(), waiting.as_ref()), ("travel", "waiting"));
        let begin = instance.windows[0].0;
        let sum = if objective == tsptw::Objective::Travel { *way } else { begin + way + idle };
        assert!((best.score.value().unwrap() - sum).abs() < 1e-6, "{parts:?}");
    }
}
