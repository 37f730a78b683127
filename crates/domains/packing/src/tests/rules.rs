//! Keys of symmetric layouts, nesting, the tolerance at every scale.

use super::search::{RING1, RING2, area, order};
use crate::*;
use serde_json::{Value, json};
use soloist::{Budget, Rng, Setup};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::check_keys;

#[test]
fn equal_keys_have_equal_moves_where_tubes_are_equal() {
    let mut pairs = 0;
    // Equal radii, types of one size, lattices in which three things touch, and hulls that hold the same.
    for (at, tubes) in [
        &[(12, 0.0, 0.5)][..],
        &[(9, 0.0, 1.0)],
        &[(3, 0.0, 0.75), (3, 0.1, 0.75), (4, 0.0, 0.25)],
        &[(2, 0.9, 1.0), (4, 0.4, 0.45), (6, 0.0, 0.2)],
        &[(4, 0.5, 1.0), (4, 0.25, 0.5), (4, 0.0, 0.25)],
    ]
    .into_iter()
    .enumerate()
    {
        for (width, height) in [(4.0, 4.0), (6.0, 3.0), (3.0, 5.0)] {
            let order = order(width, height, tubes);
            for objective in [Objective::Value, Objective::Containers] {
                let problem = Packing::new(&order, Worth::Area, objective).unwrap();
                pairs += check_keys(&problem, 60, at as u64);
                soloist::check(&problem, 3, at as u64).unwrap();
            }
        }
    }
    for bytes in [RING1, RING2] {
        pairs += check_keys(&area(&parse("a.rpa", bytes).unwrap()), 60, 1);
    }
    assert!(pairs > 1_000, "{pairs}");
}

/// An order that the reader refuses.
fn thin() -> Order {
    let tube = Tube { demand: 3, inner: 0.99999999999, outer: 1.0, value: None };
    Order { name: "thin".into(), width: 10.0, height: 10.0, tubes: vec![tube] }
}

#[test]
fn every_tube_lies_in_a_container() {
    let of = |text: &str| check(&thin(), Worth::Count, Objective::Containers, text).unwrap_err();
    assert_eq!(
        of("0 0 1 1000 1000\n0 0 0 1000 1000\n0 0 - 5 5"),
        "tube 0 lies in no container: its hulls lead back to tube 0"
    );
    assert_eq!(of("0 0 - 5 5\n0 0 2 1 1\n0 0 1 1 1"), "tube 1 lies in no container: its hulls lead back to tube 1");
    assert_eq!(of("0 0 0 5 5"), "tube 0 lies in itself");
    assert!(check(&thin(), Worth::Count, Objective::Containers, "0 0 1 5 5\n0 0 - 5 5\n0 0 0 5 5").is_ok());
}

#[test]
fn walls_are_thicker_than_the_tolerance() {
    let of = |inner: f64, side: f64| {
        let tube = Tube { demand: 1, inner, outer: 1.0, value: None };
        Order::new("n", side, side, vec![tube])
    };
    assert_eq!(
        of(0.99999999999, 10.0).unwrap_err(),
        "type 0: inner radius 0.99999999999 and outer radius 1: the wall must be thicker than the tolerance, 1.0e-8 \
         (1e-9 of the container's longer side 10)"
    );
    assert!(of(1.0 - 0.9e-8, 10.0).is_err() && of(1.0 - 1.1e-8, 10.0).is_ok());
    let error = parse("a", b"thin\n1 10 10\n2 0.99999999999 1.0\n").unwrap_err().to_string();
    assert!(error.starts_with("a: line 3: inner radius 0.99999999999 and outer radius 1: the wall"), "{error}");
}

/// Solves an order written as a file of this scale; returns the result as text, its score, and the moves.
fn solved(order: &Order, method: &str, rollout: Option<&str>) -> (Value, f64, Value) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, write(order)).unwrap();
    let instance = (DOMAIN.load)(file.path().to_str().unwrap(), &Options::new()).unwrap();
    let mut setup = Setup::named(method);
    if let Some(rollout) = rollout {
        setup = setup.rollout(rollout);
    }
    let request = Request {
        setup: Some(setup),
        budget: Budget::playouts(if method == "refine" { 180 } else { 6 }),
        ..Request::default()
    };
    let report = instance.solve(request, &mut Unobserved).unwrap();
    let solution = report.solution().clone();
    let score = report.score().and_then(|score| score.value()).unwrap();
    instance.check(&solution.to_string()).unwrap();
    (solution, score, json!(report.moves()))
}

/// The same order in units that are this many times smaller.
fn scaled(order: &Order, unit: f64) -> Order {
    let tube = |tube: &Tube| Tube { inner: tube.inner * unit, outer: tube.outer * unit, ..*tube };
    Order::new(order.name(), order.width() * unit, order.height() * unit, order.tubes().iter().map(tube).collect())
        .unwrap()
}

#[test]
fn packings_do_not_depend_on_the_unit() {
    for (spec, method, rollout) in [
        ("random:4x30:3", "refine", None),
        ("random:4x30:3", "sampling", Some("semi-greedy")),
        ("circles:3x20:5", "nrpa", None),
        ("random:3x12:2", "beam", None),
    ] {
        let order = generate(spec).unwrap();
        let (_, score, moves) = solved(&order, method, rollout);
        // Powers of two change no digit.
        for power in [-29, -10, 12, 26] {
            let unit = 2.0_f64.powi(power);
            let (_, other, again) = solved(&scaled(&order, unit), method, rollout);
            assert_eq!(again, moves, "{spec} {method} times 2^{power}");
            assert_eq!(other, score * unit * unit, "{spec} {method} times 2^{power}");
        }
        for unit in [3e-10, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e8] {
            let (_, other, _) = solved(&scaled(&order, unit), method, rollout);
            assert!((other / (score * unit * unit) - 1.0).abs() < 0.5, "{spec} {method} times {unit}: {other}");
        }
    }
}

#[test]
fn what_is_beyond_the_tolerance_is_refused_at_every_scale() {
    let mut rng = Rng::new(9);
    let base = generate("random:4x30:3").unwrap();
    for unit in [3e-10, 1e-9, 1e-6, 1.0, 1e6, 1e8] {
        let order = scaled(&base, unit);
        let (solution, _, _) = solved(&order, "sampling", Some("semi-greedy"));
        let tubes = solution["tubes"].as_array().unwrap();
        let tolerance = TOLERANCE * order.width().max(order.height());
        let verdict = |at: usize, by: f64| {
            let mut tampered = solution.clone();
            for axis in ["x", "y"] {
                let old = tubes[at][axis].as_f64().unwrap();
                tampered["tubes"][at][axis] = json!(old - by);
            }
            check(&order, Worth::Area, Objective::Value, &tampered.to_string())
        };
        // The first tube lies in the corner.
        assert!(verdict(0, 0.7 * tolerance).is_ok(), "{unit}");
        let error = verdict(0, 1.3 * tolerance).unwrap_err();
        assert!(
            error.starts_with("tube 0 sticks out of the container by") && error.contains("the tolerance is"),
            "{error}"
        );
        // Any shift by far more than the tolerance breaks something where a tube touches two others.
        let refused = (0..40).filter(|_| verdict(rng.index(tubes.len()), 1e3 * tolerance).is_err()).count();
        assert!(refused > 20, "{refused} at {unit}");
        // Claims are compared relatively.
        for (factor, fine) in [(1.0 + 1e-10, true), (1.0 + 1e-8, false)] {
            let mut claimed = solution.clone();
            claimed["value"] = json!(solution["value"].as_f64().unwrap() * factor);
            assert_eq!(check(&order, Worth::Area, Objective::Value, &claimed.to_string()).is_ok(), fine, "{unit}");
        }
    }
}
