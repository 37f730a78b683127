//! The whole pipeline: effort follows its settings, the seed reaches every phase, events come in order, phases stop.

use crate::common::{header, named, system};
use soloist::Budget;
use soloist_expressions::{
    Amount, Direction, Effort, Event, Language, Limits, Orders, Phase, Signs, Simplifier, Stop, default_setup, emit,
    generate, search, verify_program,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The documented defaults, and how settings change them.
#[test]
fn effort_follows_its_settings() {
    let standard = Effort::default();
    let time = Some(Duration::from_secs(30));
    assert_eq!(standard.budget(), Budget { time, ..Budget::playouts(2000) });
    assert_eq!(Effort::playouts(7).budget(), Budget::playouts(7));
    assert_eq!(Effort { time, ..standard }.budget(), Budget { time, ..Budget::default() });
    assert_eq!(
        [standard, Effort::playouts(4000), Effort::playouts(20)].map(|effort| effort.proof_work()),
        [100_000_000, 100_000_000, 1_000_000]
    );
    assert_eq!(Effort { prove: true, ..Effort::playouts(1) }.proof_work(), u64::MAX);
    assert_eq!([0, 1, 1000, 49_999, 50_000].map(|terms| standard.candidates(terms)), [400_000, 400_000, 400, 8, 1]);
    assert!(standard.refines(49_999, false) && !standard.refines(50_000, false) && !standard.refines(9, true));
    let plain = Effort { greedy: false, ..standard };
    let asked = Effort { refine: Amount::Attempts(5), ..plain };
    assert!(!plain.refines(9, false) && asked.refines(300_000, true));
    assert!(!Effort { refine: Amount::Attempts(0), ..standard }.refines(9, false));
    assert_eq!(asked.refinement(1000), Limits::attempts(5));
    assert_eq!(
        [100, 500, 1000, 2500, 1_000_000].map(|count| standard.refinement(count).work),
        [1_000_000, 2_000_000, 3_000_000, 3_750_000, 100_000_000]
    );
    assert_eq!(Effort::playouts(200).refinement(20_000).work, 3_000_000);
    assert_eq!(
        [20, 100, 2500, 1_000_000].map(|count| standard.polishing(count).work),
        [2_000_000, 3_000_000, 10_000_000, 0]
    );
    assert_eq!(Effort::playouts(1000).polishing(100).work, 1_500_000);
    assert_eq!(
        [100, 300_000].map(|count| Effort { polish: Amount::Attempts(9), ..standard }.polishing(count)),
        [Limits::attempts(9), Limits::attempts(9)]
    );
    assert_eq!(plain.polishing(100), Limits::NONE);
}

fn simplifier(seed: u64) -> Simplifier<'static> {
    let effort = Effort { refine: Amount::Attempts(500), polish: Amount::Attempts(300), ..Effort::playouts(30) };
    Simplifier { setup: default_setup().seed(seed), effort, ..Simplifier::default() }
}

#[test]
fn events_come_in_order_and_the_code_is_verified() {
    let system = Arc::new(generate("random:6x80x4:9").unwrap());
    let mut events = Vec::new();
    let mut scores = Vec::new();
    let done = simplifier(1)
        .run(&system, &mut |event| match event {
            Event::Begin(phase) => events.push(format!("{phase:?}")),
            Event::Improved(score, _) => scores.push(score),
            Event::Searched(found) => {
                assert_eq!(found.playouts, 30);
                events.push("searched".into());
            }
            Event::Refined { attempts, .. } => {
                assert!(attempts >= 500 && attempts % 500 == 0);
                events.push("refined".into());
            }
            Event::Polished { before, after, attempts } => {
                assert!(after <= before && attempts == 300);
                events.push("polished".into());
            }
        })
        .unwrap();
    assert_eq!(events, ["Search", "searched", "Refine", "refined", "Polish", "polished"]);
    assert!(scores.len() > 1 && scores.is_sorted_by(|a, b| a > b));
    assert!(!done.interrupted);
    let form = emit(&done.system, &done.best.program, Language::Form, &header(&system, &done.best.order));
    assert!(verify_program(&done.system, &done.best.program, &form, Language::Form, &form).unwrap().exact);
    let wrong = form.replacen(" + ", " - ", 1);
    assert!(verify_program(&done.system, &done.best.program, &wrong, Language::Form, &wrong).is_err());
}

/// Equal seeds give equal programs. Each phase alone depends on the seed.
#[test]
fn one_seed_reaches_every_phase() {
    let small = Arc::new(generate("random:6x80x4:9").unwrap());
    let whole = || simplifier(3).run(&small, &mut |_| ()).unwrap().best.program;
    assert_eq!(whole(), whole());
    let none = Effort { refine: Amount::Attempts(0), polish: Amount::Attempts(0), ..Effort::playouts(20) };
    // Large enough that 20 orders are followed by no proof.
    let large = Arc::new(generate("res:5,4").unwrap());
    for (phase, system, order, effort) in [
        (Phase::Search, &large, None, Effort { greedy: false, ..none }),
        (Phase::Refine, &small, Some(vec![]), Effort { refine: Amount::Attempts(500), ..none }),
        (Phase::Polish, &small, Some(vec![]), Effort { polish: Amount::Attempts(300), ..none }),
    ] {
        let with = |seed| {
            let setup = default_setup().seed(seed);
            let simplifier = Simplifier { setup, effort, order: order.clone(), ..Simplifier::default() };
            simplifier.run(system, &mut |_| ()).unwrap().best.program
        };
        let first = with(1);
        assert!(first == with(1) && first != with(2), "{phase:?}");
    }
}

/// A flag that is set, or a moment that is over, ends every phase: code of an order that no search has found.
#[test]
fn every_phase_stops() {
    let system = Arc::new(generate("random:8x300x5:4").unwrap());
    let flag = AtomicBool::new(true);
    for stop in [Stop::never().or_when(&flag), Stop::never().or_at(Instant::now())] {
        let effort = Effort { time: Some(Duration::from_secs(3600)), prove: true, ..Effort::default() };
        let done = Simplifier { effort, stop, ..Simplifier::default() }.run(&system, &mut |_| ()).unwrap();
        let form = emit(&system, &done.best.program, Language::Form, &header(&system, &done.best.order));
        verify_program(&system, &done.best.program, &form, Language::Form, &form).unwrap();
        assert_eq!(done.best.attempts, 0);
    }
}

#[test]
fn an_order_that_is_given_is_kept() {
    let system = Arc::new(system("x^3*y^2+x^2*y+x^3*z"));
    let order = Some(named(&system, "x"));
    let done = Simplifier { order, ..Simplifier::default() }.run(&system, &mut |_| ()).unwrap();
    assert_eq!((done.best.order, done.best.attempts), (vec![0, 1, 2], 0));
    assert_eq!(done.best.program.counts().total(), 6);
}

/// The input with its parentheses kept wins where it has fewer operations.
#[test]
fn parentheses_are_kept_where_that_pays() {
    // Two powers, so that the whole has no factors.
    let system = Arc::new(system("(a*b+c*d+e*f+g*h)^4+a*c*e*g+(a*d+b*c+e)^3"));
    let done = Simplifier { effort: Effort::playouts(3), ..Simplifier::default() };
    let done = done.run(&system, &mut |_| ()).unwrap();
    assert!(done.best.program.counts().total() <= 20);
    assert!(done.system.is_block().contains(&true) && !system.is_block().contains(&true));
}

#[test]
fn searches_prove_where_the_work_allows_it() {
    let mut problem = Orders::new(Arc::new(generate("res:4,3").unwrap()), Signs::Canonical, Direction::Forward);
    let setup = default_setup();
    let never = Stop::never();
    let mut run = |proof| search(&mut problem, &setup, Budget::playouts(50), proof, never, &mut |_, _| ()).unwrap();
    let found = run(0);
    assert!(!found.optimal && found.playouts == 50 && !found.orders.is_empty());
    let proven = run(u64::MAX);
    assert!(proven.optimal && proven.score <= found.score);
}
