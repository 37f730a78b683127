//! The operations of the graph follow its choices.

use super::graph::{Graph, NONE};
use super::{Refiner, build, refine, terms};
use crate::anneal::Limits;
use crate::emit::{Header, Language, emit};
use crate::horner::Program;
use crate::spec::generate;
use crate::stop::Stop;
use crate::table::Table;
use crate::verify::verify_program;
use soloist::Rng;
use std::time::{Duration, Instant};

/// The running count equals that of a graph built from the same choices, and undoing a choice restores everything.
#[test]
fn counts_follow_choices() {
    for spec in ["res:4,3", "random:5x60x4:7"] {
        let system = generate(spec).unwrap();
        let (terms, order) = (terms(&system).0, system.occurrence_order());
        let mut graph = Graph::new(&terms, 1, &order, &Table::default());
        let mut rng = Rng::new(5);
        let mut changed = 0;
        for _ in 0..2000 {
            let at = rng.index(graph.polynomials());
            if !graph.is_open(at) {
                continue;
            }
            let term = rng.index(graph.size(at));
            let variable = graph.variable(at, term, |count| rng.index(count));
            if variable == NONE {
                continue;
            }
            let (before, chosen) = (graph.operations, graph.chosen(at));
            let undo = graph.choose(at, variable);
            assert_eq!(graph.chosen(at), variable);
            if rng.below(2) == 0 {
                graph.undo(undo);
                assert_eq!((graph.operations, graph.chosen(at)), (before, chosen));
            }
            changed += usize::from(graph.operations != before);
            if rng.below(20) == 0 {
                let rebuilt = Graph::new(&terms, 1, &order, &graph.choices());
                assert_eq!(rebuilt.operations, graph.operations, "{spec}");
            }
        }
        assert!(changed > 20, "{changed}");
        // A polynomial that occurs again takes no memory.
        assert!(graph.kept_exponents() <= (graph.polynomials() + 1) * terms.variables());
        let program = Program::new(&system, &build::build(&system, &graph, &order));
        let header = Header { function: "f", source: "a", input: system.counts(), order: &order, exceptions: 0 };
        let form = emit(&system, &program, Language::Form, &header);
        assert!(verify_program(&system, &program, &form, Language::Form, &form).unwrap().exact);
    }
}

/// Slices, some of them stopped, are one run.
#[test]
fn refinement_continues() {
    let system = generate("res:4,3").unwrap();
    let order = system.occurrence_order();
    let limits = Limits::attempts(4500);
    let whole = refine(&system, &order, limits, 3, Stop::never()).unwrap();
    let mut refiner = Refiner::new(&system, &order, limits, 3).unwrap();
    let mut slices = 0;
    loop {
        let soon = Stop::never().or_at(Instant::now() + Duration::from_micros(300));
        refiner.advance(soon);
        let more = refiner.advance(Stop::never());
        if !more {
            break;
        }
        slices += 1;
    }
    assert_eq!(slices, 4);
    assert_eq!(refiner.attempts(), whole.attempts);
    let parts = refiner.finish();
    assert_eq!((parts.exceptions, parts.dag.code_counts()), (whole.exceptions, whole.dag.code_counts()));
    assert_eq!(Program::new(&system, &parts.dag), Program::new(&system, &whole.dag));
}
