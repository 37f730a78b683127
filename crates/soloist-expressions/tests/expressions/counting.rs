//! Counts of inputs, of Horner schemes and of programs, against independent counts and published figures.

use crate::common::{
    FORM_COUNTS, cayley_menger_5, disc_7, header, named, polynomial, shared, shuffled, symdet_6, system,
};
use proptest::prelude::*;
use soloist::{Budget, Method, Problem, Rng, Solver};
use soloist_expressions::{
    Coefficient, Counts, Dag, Direction, Language, Limits, Orders, Program, Signs, Stop, System, best_of, code_counts,
    emit, generate, improve, parse, polish, recount, simplify, verify_code, verify_exactly,
};
use std::sync::Arc;

#[test]
fn input_counts_are_forms() {
    for (text, count) in FORM_COUNTS {
        assert_eq!(Counts::of_polynomial(&polynomial(text)).to_string(), count, "{text}");
        // The verifier counts the text without the reader.
        let verified = verify_code(&system(text), &format!("f = {text};"), Language::Form).unwrap();
        assert_eq!(verified.counts.to_string(), count, "{text}");
    }
    for (system, count) in [
        (generate("res:7,4").unwrap(), 29163),
        (generate("res:7,5").unwrap(), 142_711),
        (disc_7(), 13397),
        (cayley_menger_5(), 634),
        (symdet_6(), 2639),
    ] {
        assert_eq!(system.counts().total(), count);
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn input_counts_of_amplitudes_are_forms() {
    assert_eq!(["hep_pent", "hep_box"].map(|name| shared(name).counts().total()), [47046, 8959]);
}

/// Horner schemes by hand: the example of the founding paper and small cases.
#[test]
fn schemes_by_hand() {
    for (text, order, operations) in [
        // x^2*(y + x*(y^2 + z)): two squares, two products, two sums.
        ("x^3*y^2+x^2*y+x^3*z", "x,y,z", 6),
        ("-x-y", "x,y", 1),
        ("a*x+b*x", "x,a,b", 2),
        // With signs in the content, a-b and b-a are one node.
        ("x*a-x*b+y*b-y*a", "x,y,a,b", 4),
        ("2*x+2*y", "x,y", 2),
        ("4*x+6*y", "x,y", 4),
        ("5", "", 0),
        ("0", "", 0),
        ("x", "x", 0),
        ("-3*x", "x", 1),
    ] {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let order = if order.is_empty() { Vec::new() } else { named(&system, order) };
        let dag = Dag::build(&system, &order, Signs::Canonical);
        assert_eq!(dag.counts().total(), operations, "{text}");
        assert_eq!(Program::new(&system, &dag).counts().total(), operations, "{text}");
    }
    // x^3*z + y*(x^2 + y*x^3): by FORM's rule x^3 costs two, in code one more than x^2.
    let system = parse("a", b"x^3*y^2+x^2*y+x^3*z", true).unwrap();
    let dag = Dag::build(&system, &named(&system, "y,x,z"), Signs::Canonical);
    assert_eq!((dag.counts().total(), dag.code_counts().total()), (8, 7));
    assert_eq!(Program::new(&system, &dag).counts().total(), 7);
    let system = parse("a", b"x*a-x*b+y*b-y*a", true).unwrap();
    let order = named(&system, "x,y,a,b");
    assert_eq!(Dag::build(&system, &order, Signs::Kept).counts().total(), 5, "FORM, O1");
}

/// With canonical signs the figures of a prototype, with signs kept those of FORM 4.3 for the same orders.
#[test]
fn schemes_of_the_benchmark_files() {
    for (spec, order, with, without) in [
        ("res:7,4", "b4,b0,b3,b1,b2,a7,a0,a6,a1,a5,a2,a4,a3", 4314, 4968),
        ("res:7,4", "b4,a6,a7,a4,a5,b3,a3,b2,a2,a1,b1,b0,a0", 3305, 4035),
        ("res:7,5", "b5,b0,a7,a0,b4,b1,b3,b2,a6,a1,a5,a2,a4,a3", 17769, 20210),
    ] {
        assert_scheme(&generate(spec).unwrap(), order, with, without);
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn scheme_of_an_amplitude() {
    assert_scheme(&shared("hep_pent"), "e12,x3,x2,e35,mm2,x1,e13,e23,e15,me2,vm,ve,am,ae", 1801, 2350);
}

fn assert_scheme(system: &System, order: &str, with: u64, without: u64) {
    let order = named(system, order);
    for (signs, count) in [(Signs::Canonical, with), (Signs::Kept, without)] {
        assert_eq!(Dag::build(system, &order, signs).counts().total(), count, "{signs:?}");
    }
}

/// The greedy phase on both occurrence orders and two thousand attempts to polish need at most the operations of FORM's
/// O2.
#[test]
fn greedy_phase_of_the_benchmark_files() {
    for (system, form) in
        [(generate("res:7,4").unwrap(), 3969), (disc_7(), 3042), (cayley_menger_5(), 180), (symdet_6(), 635)]
    {
        assert_greedy(&system, form);
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn greedy_phase_of_amplitudes() {
    assert_greedy(&shared("hep_pent"), 1686);
    assert_greedy(&shared("hep_box"), 647);
}

fn assert_greedy(system: &System, form: u64) {
    let mut best = best_of(system, &system.occurrence_orders(), Stop::never()).unwrap();
    polish(&mut best.program, Limits::attempts(2000), 1, Stop::never());
    assert!(best.operations() <= form, "{} operations, FORM has {form}", best.operations());
    assert!(best.operations() < best.scheme.total());
}

#[test]
fn greedy_phase_finds_what_it_should() {
    for (text, operations) in [
        ("x*a-x*b+y*b-y*a", 3),
        ("F = a+b+c; G = a+c+d; H = c+a+e", 4),
        ("F = a*b*c; G = c*d*a", 3),
        ("F = 3*x+y; G = 3*x*z", 3),
        ("F = 2*a+3*b+x; G = 2*a+3*b+y", 5),
        ("F = 5*a+5*b", 2),
        ("F = a-b; G = b-a+c", 2),
        ("F = x^15", 5),
        ("F = a+b; G = b+a; H = 2*a+2*b", 2),
        ("F = x*(a+b) + y*(a+b)", 3),
        ("F = x+7; G = x*y+7*y", 2),
    ] {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let best = best_of(&system, &system.occurrence_orders(), Stop::never()).unwrap();
        assert_eq!(best.operations(), operations, "{text}: {:?}", best.program);
    }
    let sum: Vec<String> = (1..=19).map(|at| format!("x{at}")).collect();
    let kept = parse("a", format!("({})^4", sum.join("+")).as_bytes(), false).unwrap();
    assert_eq!(simplify(&kept, &[], true, Stop::never()).operations(), 20);
    let block = parse("a", b"(a+b+c+d+e+f)^50*x + y", true).unwrap();
    // 5 additions in the sum, 7 multiplications for the power 50 = 2 * 25, one more of each.
    assert_eq!(simplify(&block, &[], true, Stop::never()).operations(), 14);
}

/// With any seed, the program has at most as many operations as before and computes the same polynomial.
#[test]
fn greedy_phase_is_exact_and_never_worse() {
    let mut rng = Rng::new(8);
    for round in 0..60 {
        let system = generate(&format!("random:{}x{}x6:{round}", 1 + round % 7, 2 + round)).unwrap();
        let order = shuffled(system.symbols().len(), &mut rng);
        let plain = simplify(&system, &order, false, Stop::never());
        for seed in 0..3 {
            let mut best = plain.clone();
            improve(&mut best.program, seed, Stop::never());
            assert!(best.operations() <= plain.operations());
            let before = best.operations();
            polish(&mut best.program, Limits::attempts(100 * seed), seed, Stop::never());
            assert!(best.operations() <= before);
            let form = emit(&system, &best.program, Language::Form, &header(&system, &order));
            assert!(verify_exactly(&system, &form).unwrap(), "{form}");
        }
    }
}

#[test]
fn invariances() {
    let texts = ["3*x^2*y-2*x*z+y^3-7", "x*y-y*z+z*w-w*x+2", "a^5*b-a^3*b^2+4*c", "2*x-4*y+6*x*y"];
    for text in texts {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let order = system.occurrence_order();
        let cost = |system: &System| {
            let dag = Dag::build(system, &order, Signs::Canonical);
            (dag.counts(), dag.level_counts(), simplify(system, &order, true, Stop::never()).operations())
        };
        let negative = System::single(system.definitions()[0].polynomial.scale(&Coefficient::from(-1)));
        assert_eq!(cost(&negative), cost(&system), "{text}");
        let renamed = parse("a", text.replace('x', "qq").replace('y', "x1").as_bytes(), true).unwrap();
        assert_eq!(cost(&renamed), cost(&system), "{text}");
        // A variable that does not occur changes nothing.
        let unused = parse("a", format!("u-u+{text}").as_bytes(), true).unwrap();
        let shifted: Vec<usize> = order.iter().map(|&symbol| symbol + 1).collect();
        assert_eq!(Dag::build(&unused, &shifted, Signs::Canonical).counts(), cost(&system).0);
    }
}

#[test]
fn orders_as_a_problem() {
    let system = Arc::new(generate("random:5x40x5:3").unwrap());
    for direction in [Direction::Forward, Direction::Backward, Direction::Middle] {
        let problem = Orders::new(Arc::clone(&system), Signs::Canonical, direction);
        soloist::check(&problem, 20, 1).unwrap();
        // All 120 orders, found by brute force and by branch and bound.
        let mut best = u64::MAX;
        let mut open = vec![problem.root()];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(state) = open.pop() {
            let mut moves = Vec::new();
            problem.moves(&state, &mut moves);
            for &mv in &moves {
                let mut next = state.clone();
                problem.apply(&mut next, mv);
                open.push(next);
            }
            if moves.is_empty() {
                best = best.min(problem.score(&state).value().unwrap() as u64);
                seen.insert(format!("{state:?}"));
            }
        }
        assert_eq!(seen.len(), 120);
        let solver = Solver::new(&problem, Method::preset("dfs").unwrap()).budget(Budget::nodes(100_000));
        let outcome = solver.run().unwrap();
        assert!(outcome.optimal);
        let solution = outcome.best.unwrap();
        assert_eq!(solution.score.value(), Some(best as f64));
        assert_eq!(recount(&system, &problem.order(&solution.moves), Signs::Canonical).counts().total(), best);
    }
}

/// The score by levels equals the count of the graph: several outputs, rational coefficients, blocks, large numbers.
/// Outputs that are multiples of each other take an operation for each different content, fractions included.
#[test]
fn contents_of_several_outputs_count_once_each() {
    for (text, operations) in [
        ("A = x/2+y/3; B = x/4+y/6;", 5_u32),
        ("A = x/2+y/3; B = x/4+y/6; C = x/2+y/3;", 5),
        ("A = x/2+y/3; B = 6*x+4*y; C = 3*x+2*y; D = 9*x+6*y; E = 3*x/5+2*y/5;", 7),
        ("A = 3/7*x; B = 3*x; C = 2*x; D = x; E = 3/7", 3),
        // The first number is the second one modulo 2^61 - 1.
        ("A = 9223372036854775807*x; B = 3*x;", 2),
    ] {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let order = system.occurrence_order();
        let problem = Orders::new(Arc::new(system.clone()), Signs::Canonical, Direction::Forward);
        let sampled = Solver::new(&problem, Method::preset("sampling").unwrap()).budget(Budget::playouts(20)).run();
        assert_eq!(sampled.unwrap().best.unwrap().score.value(), Some(operations.into()), "{text}");
        assert_eq!(recount(&system, &order, Signs::Canonical).counts().total(), u64::from(operations), "{text}");
    }
}

#[test]
fn levels_count_as_the_graph() {
    let mut rng = Rng::new(11);
    let texts = [
        "a = x/2+y/3;",
        "a = x/2+y/2; b = 3*x+3*y; c = -x-y; d = 5; e = 0;",
        "a = 2/3*x^2*y-4/9*x*z+y^3/27; b = 7/2*x*y-7/2*y*x+x*z/5+y^4;",
        "a = 6*x*y+4*x*z; b = 3*y+2*z; c = 12*y+8*z;",
        "a = 123456789012345678901234567890*x*y+123456789012345678901234567890*x*z+2*y*z;",
        "a = 36893488147419103232*x*y+18446744073709551616*z;",
        "a = 2305843009213693951*x*y+x*z-y;",
        "a = x^60000*y^3-x^59999*y^2+x*z;",
        "a = 7;",
    ];
    for text in texts {
        let system = Arc::new(parse("a", text.as_bytes(), true).unwrap());
        for signs in [Signs::Canonical, Signs::Kept] {
            for direction in [Direction::Forward, Direction::Backward, Direction::Middle] {
                let mut problem = Orders::new(Arc::clone(&system), signs, direction);
                soloist::check(&problem, 5, 1).unwrap();
                for _ in 0..6 {
                    let mut state = problem.root();
                    let mut playout = soloist::rollout::Playout::default();
                    soloist::rollout::Rollout::run(
                        &mut soloist::rollout::Uniform,
                        &problem,
                        &mut state,
                        &mut playout,
                        &mut rng,
                    );
                    let counts = Dag::build(&system, &problem.order(&playout.moves), signs).level_counts();
                    assert_eq!(problem.score(&state).value(), Some(counts.total() as f64), "{text}");
                }
                let exact = problem.potential(&problem.root()).is_some() || direction == Direction::Middle;
                if let Ok(found) = problem.prove(None, &mut |_, _| true) {
                    assert!(exact, "{text}");
                    let best = Dag::build(&system, &found.unwrap(), signs).level_counts().total();
                    assert_eq!(problem.bound(&problem.root()), Some(best as f64), "{text}");
                    let outcome = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap();
                    assert_eq!(outcome.best.unwrap().score.value(), Some(best as f64), "{text}");
                    assert!(outcome.optimal);
                }
            }
        }
    }
}

proptest! {
    /// The counts of the graph, of the polynomials, of the program and of its text agree.
    #[test]
    fn four_counts_agree(seed: u64, variables in 1_u64..6, terms in 1_u64..50, degree in 1_u64..8) {
        let system = generate(&format!("random:{variables}x{terms}x{degree}:{seed}")).unwrap();
        let order = shuffled(system.symbols().len(), &mut Rng::new(seed));
        for signs in [Signs::Canonical, Signs::Kept] {
            let dag = Dag::build(&system, &order, signs);
            prop_assert_eq!(recount(&system, &order, signs).counts(), dag.level_counts());
            prop_assert!(dag.counts().total() <= dag.level_counts().total());
            let program = Program::new(&system, &dag);
            prop_assert_eq!(program.counts(), dag.code_counts());
            let code = emit(&system, &program, Language::Rust, &header(&system, &order));
            prop_assert_eq!(verify_code(&system, &code, Language::Rust).unwrap().counts, code_counts(&system, &program));
        }
    }
}
