//! Ruin and recreation: every step leaves a sound solution whose cost is the one recomputed.

use super::drive;
use crate::network::Network;
use crate::pool::{Kept, Pool, is_sound};
use crate::vrptw::{Rounding, generate, route_cost};
use crate::{Annealing, Schedule, Sisr, SisrSettings, tsptw};
use proptest::prelude::*;
use soloist::Rng;
use std::sync::Arc;

/// Recomputes the present solution of a kernel; the cost of its routes.
fn recomputed(kernel: &Sisr, active: usize) -> f64 {
    let network = kernel.network();
    let mut tour = Vec::new();
    kernel.write(&mut tour);
    let mut seen = vec![false; network.size()];
    tour.iter().filter(|&&c| c != 0).chain(kernel.absent()).for_each(|&c| {
        assert!(
            !std::mem::replace(&mut seen[c as usize], true),
            "customer {c} twice in {tour:?}, {:?}",
            kernel.absent()
        );
    });
    assert_eq!(seen.iter().filter(|&&seen| seen).count(), active);
    let routes: Vec<Vec<usize>> = tour
        .split(|&c| c == 0)
        .filter(|route| !route.is_empty())
        .map(|route| route.iter().map(|&c| c as usize).collect())
        .collect();
    assert_eq!(routes.len(), kernel.vehicles());
    let cost = |route: &Vec<usize>| {
        let (distance, back) = drive(network, route).unwrap_or_else(|| panic!("{route:?} breaks the rules"));
        if network.is_timed() { back + 1e-6 * distance } else { distance }
    };
    routes.iter().map(cost).sum::<f64>() + kernel.route_cost() * routes.len() as f64
}

fn all(network: &Network) -> Vec<u16> {
    (1..network.size()).map(|c| c as u16).collect()
}

/// Steps of both kinds, checked one by one.
fn walk(network: Arc<Network>, cost: f64, settings: SisrSettings, seed: u64, steps: usize) {
    let mut rng = Rng::new(seed);
    let customers = all(&network);
    let mut kernel = Sisr::new(network, cost, settings);
    kernel.construct(&customers, &mut rng);
    recomputed(&kernel, customers.len());
    for step in 0..steps {
        if step % 40 == 30 {
            kernel.drop_route();
        }
        let (before, absent) = (kernel.cost(), kernel.absent().len());
        // Ten steps with a vehicle less, then thirty that may open routes again.
        let accepted = if step % 40 >= 30 {
            kernel.step_fleet(&mut rng, 1.0)
        } else {
            kernel.set_fleet(usize::MAX);
            kernel.step(&mut rng, if step % 3 == 0 { 0.0 } else { 20.0 })
        };
        if step % 40 < 30 && settings.exchanges > 0 {
            kernel.exchange(&mut rng, 20.0);
        }
        let found = recomputed(&kernel, customers.len());
        assert!((found - kernel.cost()).abs() <= 1e-7 * found.max(1.0), "step {step}: {found} and {}", kernel.cost());
        if step % 40 < 30 && step % 3 == 0 && settings.exchanges == 0 {
            assert!(kernel.cost() <= before || kernel.absent().len() < absent);
            assert!(accepted || kernel.cost() == before);
        }
    }
}

#[test]
fn costs_are_what_is_recomputed() {
    for (spec, rounding) in [
        ("random:40:1", Rounding::Exact),
        ("random:60:2", Rounding::OneDecimal),
        ("clustered:50:3", Rounding::Exact),
        ("capacity:40:4", Rounding::Nearest),
    ] {
        let network = Arc::new(generate(spec).unwrap().network(rounding));
        for cost in [0.0, route_cost(&network)] {
            for settings in [
                SisrSettings::default(),
                SisrSettings::tuned(),
                SisrSettings { split: 1.0, keep: 0.9, blink: 0.3, ..SisrSettings::default() },
            ] {
                walk(Arc::clone(&network), cost, settings, 7, 400);
            }
        }
    }
}

#[test]
fn exchanges_keep_the_rules_and_the_cost() {
    let settings = SisrSettings { exchanges: 30, removed: 2.0, ..SisrSettings::tuned() };
    for (spec, rounding) in [
        ("random:60:2", Rounding::OneDecimal),
        ("clustered:50:3", Rounding::Exact),
        ("capacity:40:4", Rounding::Nearest),
        ("random:2:1", Rounding::Exact),
        ("random:1:1", Rounding::Exact),
    ] {
        let network = Arc::new(generate(spec).unwrap().network(rounding));
        for cost in [0.0, route_cost(&network)] {
            walk(Arc::clone(&network), cost, settings, 11, 400);
        }
    }
    // One route whose matrix is no metric.
    for spec in ["random:30x60:1", "random:60x200:2"] {
        walk(Arc::new(tsptw::generate(spec).unwrap().network(tsptw::Objective::Travel)), 0.0, settings, 5, 400);
    }
}

/// Where the way past a customer is longer than the way over it, a ruin can make others late, behind a wait as well.
#[test]
fn ruins_of_matrices_that_are_no_metric_keep_the_windows() {
    let mut rng = Rng::new(3);
    for _ in 0..60 {
        let nodes = 4 + rng.index(5);
        let mut text = format!("{nodes}\n");
        for from in 0..nodes {
            let row: Vec<_> = (0..nodes).map(|to| if from == to { 0 } else { rng.index(20) }.to_string()).collect();
            text += &(row.join(" ") + "\n");
        }
        text += "0 300\n";
        for _ in 1..nodes {
            let ready = rng.index(150);
            text += &format!("{ready} {}\n", ready + [0, 2, 20, 140][rng.index(4)]);
        }
        let instance = tsptw::parse("a", text.as_bytes()).unwrap();
        let settings = SisrSettings { exchanges: 4, ..SisrSettings::tuned() };
        walk(Arc::new(instance.network(tsptw::Objective::Travel)), 0.0, settings, 5, 200);
    }
}

/// Every kind of exchange occurs: within a route, to another one, between the ends of two, and of a whole route.
#[test]
fn exchanges_change_routes_that_no_ruin_has_touched() {
    let network = Arc::new(generate("random:60:3").unwrap().network(Rounding::OneDecimal));
    let mut rng = Rng::new(2);
    let mut kernel = Sisr::new(Arc::clone(&network), 0.0, SisrSettings { exchanges: 1, ..SisrSettings::tuned() });
    kernel.construct(&all(&network), &mut rng);
    let mut before = routes(&kernel);
    let [mut shifts, mut moves, mut swaps] = [0; 3];
    for step in 0..20_000 {
        kernel.exchange(&mut rng, if step % 200 < 100 { 200.0 } else { 5.0 });
        let after = routes(&kernel);
        let old: Vec<_> = before.iter().filter(|route| !after.contains(route)).collect();
        let new: Vec<_> = after.iter().filter(|route| !before.contains(route)).collect();
        let size = |routes: &[&Vec<u16>]| routes.iter().map(|route| route.len()).sum::<usize>();
        assert_eq!(size(&old), size(&new), "step {step}");
        match (old.len(), new.len()) {
            (0, 0) => {}
            (1, 1) => shifts += 1,
            (2, 1 | 2) => {
                let starts = |a: &[u16], b: &[u16]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
                let ends =
                    |a: &[u16], b: &[u16]| a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
                // The head of the one route and the tail of the other one.
                let swapped = new.iter().any(|n| {
                    [[0, 1], [1, 0]].iter().any(|&[a, b]| {
                        let (head, tail) = (starts(old[a], n), ends(old[b], n));
                        head.min(tail) > 1 && head + tail >= n.len()
                    })
                });
                if swapped { swaps += 1 } else { moves += 1 }
            }
            other => panic!("step {step}: {other:?} routes changed"),
        }
        before = after;
        recomputed(&kernel, 60);
    }
    assert!(shifts > 10 && moves > 10 && swaps > 10, "{shifts} {moves} {swaps}");
}

/// The routes of the present solution.
fn routes(kernel: &Sisr) -> Vec<Vec<u16>> {
    let mut tour = Vec::new();
    kernel.write(&mut tour);
    tour.split(|&c| c == 0).filter(|route| !route.is_empty()).map(<[u16]>::to_vec).collect()
}

#[test]
fn makespans_are_what_is_recomputed() {
    for spec in ["random:15x200:1", "random:30x400:2"] {
        let instance = tsptw::generate(spec).unwrap();
        for objective in [tsptw::Objective::Travel, tsptw::Objective::Makespan] {
            walk(Arc::new(instance.network(objective)), 0.0, SisrSettings::tuned(), 3, 400);
        }
    }
}

#[test]
fn a_saved_annealing_goes_on_as_if_nothing_had_happened() {
    for (spec, vehicles) in [("random:40:1", true), ("random:30:5", false), ("capacity:30:2", false)] {
        let network = Arc::new(generate(spec).unwrap().network(Rounding::Exact));
        let cost = if vehicles { route_cost(&network) } else { 0.0 };
        let (mut straight, mut rng) = (Annealing::new(Arc::clone(&network), cost), Rng::new(4));
        let (mut broken, mut again) = (Annealing::new(Arc::clone(&network), cost), Rng::new(4));
        for chunk in 0..40 {
            straight.advance(2_500, &mut rng);
            broken.advance(2_500, &mut again);
            let bytes = postcard::to_allocvec(&broken.save()).unwrap();
            broken = Annealing::new(Arc::clone(&network), cost);
            broken.load(postcard::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(postcard::to_allocvec(&straight.save()).unwrap(), bytes, "{spec}: chunk {chunk}");
        }
        assert_eq!(rng.next_u64(), again.next_u64());
    }
}

/// Short rounds, so that every kind of round is met.
fn quick() -> Schedule {
    Schedule { steps: 15.0, founders: 3, fresh: 1, children: 4, pool: 4, ..Schedule::default() }
}

#[test]
fn every_kind_of_round_is_continued_exactly() {
    for (spec, vehicles) in [("random:40:1", true), ("clustered:30:5", false), ("capacity:30:2", true)] {
        let network = Arc::new(generate(spec).unwrap().network(Rounding::Exact));
        let cost = if vehicles { route_cost(&network) } else { 0.0 };
        let fresh = || Annealing::with(Arc::clone(&network), cost, quick());
        let (mut straight, mut rng) = (fresh(), Rng::new(4));
        let (mut broken, mut again) = (fresh(), Rng::new(4));
        let mut last = f64::INFINITY;
        for chunk in 0..60 {
            straight.advance(333, &mut rng);
            broken.advance(333, &mut again);
            let bytes = postcard::to_allocvec(&broken.save()).unwrap();
            broken = fresh();
            broken.load(postcard::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(postcard::to_allocvec(&straight.save()).unwrap(), bytes, "{spec}: chunk {chunk}");
            let now = straight.cost() + straight.vehicles() as f64 * cost;
            assert!(now <= last * (1.0 + 1e-9) && straight.absent().is_empty(), "{spec}: {now} after {last}");
            last = now;
        }
    }
}

#[test]
fn an_offered_solution_is_where_the_annealing_begins() {
    let network = Arc::new(generate("random:60:3").unwrap().network(Rounding::Exact));
    for cost in [route_cost(&network), 0.0] {
        let mut long = Annealing::new(Arc::clone(&network), cost);
        long.advance(60_000, &mut Rng::new(1));
        let total = |run: &Annealing| run.cost() + run.vehicles() as f64 * cost;
        let (tour, value) = (long.best().to_vec(), total(&long));
        let mut warm = Annealing::new(Arc::clone(&network), cost);
        warm.offer(&tour, &[]);
        assert_eq!(warm.best(), &tour[..]);
        warm.advance(500, &mut Rng::new(2));
        assert!(total(&warm) <= value * (1.0 + 1e-9));
        // A cold annealing of as many steps is not that far.
        let mut cold = Annealing::new(Arc::clone(&network), cost);
        cold.advance(500, &mut Rng::new(2));
        assert!(total(&cold) > value * (1.0 + 1e-9), "{} and {value}", total(&cold));
        // In the middle of a run: the better one of both goes on.
        cold.offer(&tour, &[]);
        assert_eq!(cold.best(), &tour[..]);
        let worse: Vec<u16> = (1..network.size()).flat_map(|c| [0, c as u16]).collect();
        cold.offer(&worse, &[]);
        assert_eq!(cold.best(), &tour[..]);
    }
}

#[test]
fn offers_that_break_a_rule_are_ignored() {
    let network = Arc::new(generate("random:20:3").unwrap().network(Rounding::Exact));
    let mut run = Annealing::new(Arc::clone(&network), 1e6);
    let in_one: Vec<u16> = std::iter::once(0).chain((1..=20).rev()).collect();
    for (tour, absent) in [(&[0, 1, 1][..], vec![]), (&[0, 99], vec![]), (&[0, 1], vec![2]), (&in_one, vec![])] {
        run.offer(tour, &absent);
        assert!(run.best().is_empty(), "{tour:?}");
    }
}

#[test]
fn children_are_sound_and_serve_what_they_can() {
    let mut rng = Rng::new(5);
    for (spec, rounding) in [("random:50:1", Rounding::Exact), ("clustered:40:3", Rounding::OneDecimal)] {
        let network = Arc::new(generate(spec).unwrap().network(rounding));
        let kernel = Sisr::new(Arc::clone(&network), 0.0, SisrSettings::tuned());
        let mut pool = Pool::default();
        let (mut tour, mut absent) = (Vec::new(), Vec::new());
        assert!(!pool.child(&kernel, 9, &mut rng, &mut tour, &mut absent));
        for seed in 0..6 {
            let mut run = Annealing::with(Arc::clone(&network), 0.0, quick());
            run.advance(300, &mut Rng::new(seed));
            let kept =
                Kept { tour: run.best().to_vec(), vehicles: run.vehicles(), cost: run.cost(), ..Kept::default() };
            pool.insert(&kept, 4, false);
            pool.insert(&kept, 4, false);
        }
        let costs: Vec<f64> = pool.as_slice().iter().map(|kept| kept.cost).collect();
        assert!(costs.len() == 4 && costs.is_sorted(), "{costs:?}");
        for fleet in [3, 10, usize::MAX] {
            for _ in 0..50 {
                assert!(pool.child(&kernel, fleet, &mut rng, &mut tour, &mut absent));
                assert!(is_sound(&network, &tour, &absent));
                let served = tour.iter().filter(|&&c| c != 0).count();
                assert_eq!(served + absent.len(), network.customers());
                assert!(tour.split(|&c| c == 0).filter(|route| !route.is_empty()).count() <= fleet);
                assert!(fleet < 10 || 2 * served >= network.customers(), "{served} served");
            }
        }
    }
}

#[test]
fn a_foreign_annealing_is_refused() {
    let network = |spec: &str| Arc::new(generate(spec).unwrap().network(Rounding::Exact));
    let mut large = Annealing::new(network("random:40:1"), 0.0);
    large.advance(100, &mut Rng::new(1));
    assert!(Annealing::new(network("random:30:1"), 0.0).load(large.save()).is_err());
    // As many customers elsewhere: routes miss windows.
    assert!(Annealing::new(network("random:40:2"), 0.0).load(large.save()).is_err());
}

#[test]
fn small_ruins_and_empty_instances() {
    let network = Arc::new(generate("random:1:1").unwrap().network(Rounding::Exact));
    let mut run = Annealing::new(network, 1e6);
    run.advance(5_000, &mut Rng::new(1));
    assert_eq!((run.best(), run.vehicles()), (&[0, 1][..], 1));
}

#[test]
fn a_part_of_the_customers() {
    let network = Arc::new(generate("random:30:3").unwrap().network(Rounding::Exact));
    let mut rng = Rng::new(1);
    let mut kernel = Sisr::new(Arc::clone(&network), 0.0, SisrSettings::tuned());
    kernel.set(&[0, 3, 0, 7, 0, 9], &[12], 4);
    for _ in 0..300 {
        kernel.step(&mut rng, 10.0);
        recomputed(&kernel, 4);
    }
    assert!(kernel.absent().is_empty() && kernel.vehicles() <= 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn steps_are_sound(seed: u64, customers in 1..60_u64, kind in 0..3_usize, blink in 0.0..0.5_f64, longest in 1..30_usize) {
        let kind = ["random", "clustered", "capacity"][kind];
        let instance = generate(&format!("{kind}:{customers}:{seed}")).unwrap();
        let network = Arc::new(instance.network(Rounding::Exact));
        let settings = SisrSettings { blink, longest, removed: 12.0, ..SisrSettings::default() };
        walk(network, 1e6, settings, seed, 120);
    }
}
