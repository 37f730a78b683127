//! Costs of orders against a plain count of nodes, optima against brute force, and published figures.

use crate::common::{cayley_menger_5, disc_7, named};
use soloist::search::parameters::{Cooling, Uct};
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use soloist_expressions::scheme::{
    Direction, MAX_SEARCHED, MODULUS, Options, Scheme, SchemeOrders, Terms, optimal_order,
};
use soloist_expressions::{Orders, Signs, System, generate, power_cost};
use std::collections::{BTreeMap, BTreeSet};

// ---- a plain count ----

/// Coefficients by exponents.
type Poly = BTreeMap<Vec<u16>, i128>;

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The nodes of the Horner schemes of some polynomials for one order, as exact polynomials.
struct Nodes<'a> {
    order: &'a [usize],
    signs: Signs,
    seen: BTreeSet<Poly>,
    sums: BTreeSet<Poly>,
    products: BTreeSet<Poly>,
    powers: BTreeSet<(usize, u16)>,
    /// The multiples, each with the variable whose extraction needs it.
    multiples: BTreeSet<(usize, Poly)>,
}

impl Nodes<'_> {
    fn content(&self, poly: &Poly) -> i128 {
        let size = poly.values().fold(0, |content, &value| gcd(content, value));
        let negative = *poly.values().next_back().unwrap() < 0 && self.signs == Signs::Canonical;
        if negative { -size } else { size }
    }

    fn divided(poly: &Poly, by: i128) -> Poly {
        poly.iter().map(|(row, value)| (row.clone(), value / by)).collect()
    }

    fn primitive(&self, poly: &Poly) -> Poly {
        Self::divided(poly, self.content(poly))
    }

    fn is_number(poly: &Poly) -> bool {
        poly.len() == 1 && poly.keys().next().unwrap().iter().all(|&exponent| exponent == 0)
    }

    /// Adds `poly` divided by the size of `content`, without its sign unless signs are kept. A primitive part is no
    /// multiple.
    fn multiple(&mut self, v: usize, poly: &Poly, content: i128) {
        let multiple = Self::divided(poly, content.abs());
        if self.content(&multiple).abs() != 1 && !Self::is_number(poly) {
            let first = *multiple.values().next_back().unwrap();
            let turned = if self.signs == Signs::Canonical { first.signum() } else { 1 };
            self.multiples.insert((v, Self::divided(&multiple, turned)));
        }
    }

    fn times(&mut self, poly: &Poly, v: usize, exponent: u16) -> Poly {
        let product: Poly = poly
            .iter()
            .map(|(row, value)| {
                let mut row = row.clone();
                row[v] += exponent;
                (row, *value)
            })
            .collect();
        if exponent > 1 {
            self.powers.insert((v, exponent));
        }
        if exponent > 0 && !Self::is_number(poly) {
            self.products.insert(self.primitive(&product));
        }
        product
    }

    fn visit(&mut self, poly: &Poly) {
        let poly = self.primitive(poly);
        if Self::is_number(&poly) || !self.seen.insert(poly.clone()) {
            return;
        }
        let occurs = |&&v: &&usize| poly.keys().any(|row| row[v] > 0);
        let v = *self.order.iter().find(occurs).unwrap();
        let mut parts: BTreeMap<u16, Poly> = BTreeMap::new();
        for (row, &value) in &poly {
            let mut inner = row.clone();
            inner[v] = 0;
            parts.entry(row[v]).or_default().insert(inner, value);
        }
        let mut parts: Vec<(u16, Poly)> = parts.into_iter().rev().collect();
        parts.iter().for_each(|(_, part)| self.visit(part));
        let (mut last, mut whole) = parts.remove(0);
        for (exponent, part) in parts {
            let moved = self.times(&whole, v, last - exponent);
            let mut sum = moved.clone();
            part.iter().for_each(|(row, value)| *sum.entry(row.clone()).or_default() += value);
            let content = self.content(&sum);
            self.sums.insert(self.primitive(&sum));
            self.multiple(v, &moved, content);
            self.multiple(v, &part, content);
            (last, whole) = (exponent, sum);
        }
        self.times(&whole, v, last);
    }
}

/// The cost by levels, and the operations with shared multiples counted once.
fn count(outputs: &[Poly], order: &[usize], signs: Signs) -> (u64, u64) {
    let (seen, sums, products) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut nodes = Nodes { order, signs, seen, sums, products, powers: BTreeSet::new(), multiples: BTreeSet::new() };
    let mut contents = BTreeSet::new();
    for output in outputs {
        nodes.visit(output);
        if nodes.content(output).abs() != 1 && !Nodes::is_number(output) {
            let first = if signs == Signs::Canonical { output.values().next_back().unwrap().signum() } else { 1 };
            contents.insert(Nodes::divided(output, first));
        }
    }
    let powers: u64 = nodes.powers.iter().map(|&(_, exponent)| power_cost(exponent.into())).sum();
    let all = (nodes.sums.len() + nodes.products.len() + contents.len()) as u64 + powers;
    let multiples: BTreeSet<&Poly> = nodes.multiples.iter().map(|(_, poly)| poly).collect();
    (all + nodes.multiples.len() as u64, all + multiples.len() as u64)
}

fn terms(outputs: &[Poly], variables: usize) -> Terms {
    let mut terms = Terms::new(variables);
    for (output, poly) in (0..).zip(outputs) {
        for (row, &value) in poly {
            let value = i64::try_from(value).unwrap();
            terms.push(output, row, value.rem_euclid(MODULUS as i64) as u64, value.unsigned_abs()).unwrap();
        }
    }
    terms
}

fn random_poly(rng: &mut Rng, variables: usize, terms: usize, degree: u64, largest: u64) -> Poly {
    let mut poly = Poly::new();
    while poly.is_empty() {
        for _ in 0..terms {
            let row = (0..variables).map(|_| rng.below(degree + 1) as u16).collect();
            let size = 1 + rng.below(largest) as i128;
            poly.insert(row, if rng.chance(0.5) { size } else { -size });
        }
    }
    poly
}

fn shuffled(rng: &mut Rng, variables: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..variables).collect();
    rng.shuffle(&mut order);
    order
}

fn scheme(terms: &Terms) -> Scheme {
    Scheme::new(terms, &Options::default())
}

#[test]
fn costs_equal_a_plain_count() {
    let mut rng = Rng::new(1);
    for case in 0..400 {
        let variables = 1 + rng.index(6);
        // Few coefficients make many coincidences.
        let (size, degree) = (1 + rng.index(40), [1, 3, 6][case % 3]);
        let largest = [1, 4, 60][rng.index(3)];
        let outputs: Vec<Poly> =
            (0..1 + rng.index(3)).map(|_| random_poly(&mut rng, variables, size, degree, largest)).collect();
        let terms = terms(&outputs, variables);
        for signs in [Signs::Canonical, Signs::Kept] {
            let scheme = Scheme::new(&terms, &Options { signs, ..Options::default() });
            for _ in 0..4 {
                let order = shuffled(&mut rng, variables);
                let (cost, operations) = count(&outputs, &order, signs);
                // The second call uses what the first one remembered.
                assert_eq!(scheme.cost(&order), cost, "{outputs:?} in the order {order:?}");
                assert_eq!(scheme.cost(&order), cost);
                assert_eq!(scheme.operations(&order), operations, "{outputs:?} in the order {order:?}");
            }
        }
    }
}

#[test]
fn exponents_and_coefficients_may_be_large() {
    let mut rng = Rng::new(2);
    for _ in 0..40 {
        // Five times 16 bits do not fit into a key, and sparse degrees are sorted by comparisons.
        let poly = random_poly(&mut rng, 5, 30, 65_535, 1 << 62);
        let small = random_poly(&mut rng, 5, 30, 1, 1 << 20);
        // Contents beyond the table of inverses.
        let many: Poly = small.iter().map(|(row, value)| (row.clone(), value * 1_000_003 * 4096)).collect();
        let both: Poly = poly.iter().chain(&many).map(|(row, value)| (row.clone(), *value)).collect();
        for poly in [poly, many, both] {
            let order = shuffled(&mut rng, 5);
            let outputs = [poly];
            assert_eq!(scheme(&terms(&outputs, 5)).cost(&order), count(&outputs, &order, Signs::Canonical).0);
        }
    }
}

#[test]
fn rare_variables_beyond_the_search_are_inside() {
    let mut rng = Rng::new(3);
    // 140 variables, each of which occurs in a term with a different probability.
    let mut poly = Poly::new();
    for _ in 0..300 {
        let row: Vec<u16> = (0..140).map(|v| u16::from(rng.below(150) < v + 3)).collect();
        poly.insert(row, 1 + rng.below(3) as i128);
    }
    let outputs = [poly];
    let terms = terms(&outputs, 140);
    let scheme = scheme(&terms);
    assert_eq!(scheme.searched().len(), MAX_SEARCHED);
    let indices: Vec<u8> = (0..128).rev().collect();
    let order = scheme.names(&indices);
    assert_eq!(order.len(), 140);
    let occurrences = terms.occurrences();
    assert!(order[128..].iter().all(|&v| order[..128].iter().all(|&w| occurrences[v] <= occurrences[w])));
    let expected = count(&outputs, &order, Signs::Canonical);
    assert_eq!((scheme.cost(&order), scheme.operations(&order)), expected);
    for direction in [Direction::Forward, Direction::Backward, Direction::Middle] {
        let problem = SchemeOrders::new(Scheme::new(&terms, &Options::default()), direction);
        assert_eq!(problem.order(&problem.moves_to(&order)), order, "{direction:?}");
        soloist::check(&problem, 2, 1).unwrap();
    }
}

#[test]
fn edges() {
    let order = |terms: &Terms| {
        let scheme = scheme(terms);
        (scheme.searched().to_vec(), scheme.cost(scheme.searched()), scheme.operations(scheme.searched()))
    };
    assert_eq!(order(&Terms::new(3)), (vec![], 0, 0));
    // A number, a multiple of a variable, and variables that do not occur.
    assert_eq!(order(&Terms::from_integers(2, &[0, 0], &[5]).unwrap()), (vec![], 0, 0));
    assert_eq!(order(&Terms::from_integers(3, &[0, 1, 0], &[-5]).unwrap()), (vec![1], 1, 1));
    assert_eq!(order(&Terms::from_integers(3, &[0, 1, 0], &[-1]).unwrap()), (vec![1], 0, 0));
    assert_eq!(order(&Terms::from_integers(1, &[15], &[1]).unwrap()), (vec![0], 6, 6));
    // 6 x^2 + 4 = 2 (3 x^2 + 2)
    assert_eq!(order(&Terms::from_integers(1, &[2, 0], &[6, 4]).unwrap()), (vec![0], 4, 4));
    let problem = SchemeOrders::new(scheme(&Terms::from_integers(2, &[0, 0], &[5]).unwrap()), Direction::Forward);
    assert_eq!(problem.score(&problem.root()), Score::Feasible(0.0));
    assert_eq!(optimal_order(problem.scheme(), None, &mut |_, _| true).unwrap().unwrap().cost, 0);
}

#[test]
fn signs_names_and_equal_outputs_cost_nothing() {
    let mut rng = Rng::new(4);
    for _ in 0..50 {
        let poly = random_poly(&mut rng, 4, 20, 3, 9);
        let order = shuffled(&mut rng, 4);
        let cost = scheme(&terms(std::slice::from_ref(&poly), 4)).cost(&order);
        let negative: Poly = poly.iter().map(|(row, value)| (row.clone(), -value)).collect();
        assert_eq!(scheme(&terms(std::slice::from_ref(&negative), 4)).cost(&order), cost);
        assert_eq!(scheme(&terms(&[poly.clone(), negative], 4)).cost(&order), cost);
        let names = shuffled(&mut rng, 4);
        let renamed: Poly = poly.iter().map(|(row, value)| (names.iter().map(|&v| row[v]).collect(), *value)).collect();
        let order: Vec<usize> = order.iter().map(|v| names.iter().position(|name| name == v).unwrap()).collect();
        assert_eq!(scheme(&terms(&[renamed], 4)).cost(&order), cost);
    }
}

// ---- optima ----

fn every_order(variables: &[usize], visit: &mut dyn FnMut(&[usize])) {
    fn go(rest: &mut Vec<usize>, done: usize, visit: &mut dyn FnMut(&[usize])) {
        if done == rest.len() {
            return visit(rest);
        }
        for at in done..rest.len() {
            rest.swap(done, at);
            go(rest, done + 1, visit);
            rest.swap(done, at);
        }
    }
    go(&mut variables.to_vec(), 0, visit);
}

#[test]
fn optima_equal_brute_force() {
    let mut rng = Rng::new(5);
    for case in 0..60 {
        let variables = 1 + rng.index(6);
        let outputs: Vec<Poly> = (0..1 + case % 2).map(|_| random_poly(&mut rng, variables, 25, 2, 3)).collect();
        let scheme = scheme(&terms(&outputs, variables));
        let mut best = (u64::MAX, Vec::new());
        let mut worst = (0, Vec::new());
        every_order(scheme.searched(), &mut |order| {
            let cost = scheme.cost(order);
            if cost < best.0 {
                best = (cost, order.to_vec());
            }
            if cost >= worst.0 {
                worst = (cost, order.to_vec());
            }
        });
        for known in [None, Some(&best.1[..]), Some(&worst.1)] {
            let mut seen = 0;
            let mut watch = |done, all: u64| {
                seen += 1;
                assert_eq!((done, all), (seen, 1 << scheme.searched().len()));
                true
            };
            let found = optimal_order(&scheme, known, &mut watch).unwrap().unwrap();
            assert_eq!((found.cost, scheme.cost(&found.order)), (best.0, best.0));
        }
        assert_eq!(optimal_order(&scheme, None, &mut |_, _| false).unwrap().is_none(), !scheme.searched().is_empty());
    }
}

#[test]
fn bounds_are_sound_and_searches_prove_the_optimum() {
    let mut rng = Rng::new(6);
    for case in 0..12 {
        let outputs: Vec<Poly> = (0..1 + case % 2).map(|_| random_poly(&mut rng, 6, 40, 2, 2)).collect();
        let terms = terms(&outputs, 6);
        let optimum = optimal_order(&scheme(&terms), None, &mut |_, _| true).unwrap().unwrap();
        for direction in [Direction::Forward, Direction::Backward, Direction::Middle] {
            // The check includes that no solution beats a bound on its way.
            let kept = Scheme::new(&terms, &Options { signs: Signs::Kept, ..Options::default() });
            soloist::check(&SchemeOrders::new(kept, direction), 60, 7).unwrap();
            let problem = SchemeOrders::new(scheme(&terms), direction);
            soloist::check(&problem, 60, 7).unwrap();
            for name in ["dfs", "best-first"] {
                let solver = Solver::new(&problem, Method::preset(name).unwrap());
                let outcome = solver.run().unwrap();
                assert!(outcome.optimal);
                assert_eq!(outcome.best.unwrap().score, Score::Feasible(optimum.cost as f64), "{name} {direction:?}");
            }
        }
    }
}

#[test]
fn methods_and_rollouts_find_good_orders() {
    let poly = random_poly(&mut Rng::new(7), 7, 120, 2, 2);
    let terms = terms(&[poly], 7);
    let optimum = optimal_order(&scheme(&terms), None, &mut |_, _| true).unwrap().unwrap().cost as f64;
    for direction in [Direction::Forward, Direction::Backward, Direction::Middle] {
        let problem = SchemeOrders::new(scheme(&terms), direction);
        assert!(problem.facts().reference.unwrap() > optimum);
        let sa_uct = Method::from(Uct::cooled(0.5, 500, Cooling::Linear));
        let anneal = Method::preset("anneal").unwrap().with("steps", "500").unwrap();
        for (method, rollout) in [
            (&anneal, "random"),
            (&anneal, "occurrence"),
            (&sa_uct, "random"),
            (&sa_uct, "anti-occurrence"),
            (&Method::preset("nrpa").unwrap(), "random"),
        ] {
            let solver = Solver::new(&problem, method.clone()).rollout(rollout).seed(1);
            let best = solver.budget(Budget::playouts(2_000)).run().unwrap().best.unwrap();
            let cost = problem.scheme().cost(&problem.order(&best.moves)) as f64;
            assert_eq!(best.score, Score::Feasible(cost));
            assert!(cost < optimum * 1.02, "{direction:?} {rollout}: {cost} beside {optimum}");
        }
    }
}

#[test]
fn a_small_memo_changes_nothing() {
    let poly = random_poly(&mut Rng::new(8), 10, 100, 2, 2);
    let terms = terms(&[poly], 10);
    let runs = [0, 64 << 20].map(|memory| {
        let scheme = Scheme::new(&terms, &Options { memory, ..Options::default() });
        let problem = SchemeOrders::new(scheme, Direction::Backward);
        let solver = Solver::new(&problem, Method::preset("anneal").unwrap()).seed(3).threads(2);
        let outcome = solver.budget(Budget::playouts(3_000)).run().unwrap();
        (outcome.best, outcome.history)
    });
    assert_eq!(runs[0], runs[1]);
}

// ---- published figures ----

/// The same orders, counted by other programs: FORM 4.3, which keeps signs, after common sub-expressions, and a
/// prototype with canonical signs. Multiples that several levels share are counted once. 0: unknown.
fn assert_counts(system: &System, order: &str, form: u64, canonical: u64) {
    let terms = soloist_expressions::terms(system).0;
    let order = named(system, order);
    let count = |signs| Scheme::new(&terms, &Options { signs, ..Options::default() }).operations(&order);
    assert_eq!(count(Signs::Canonical), canonical);
    if form > 0 {
        assert_eq!(count(Signs::Kept), form);
    }
}

#[test]
fn published_counts() {
    let (small, large) = (generate("res:7,4").unwrap(), generate("res:7,5").unwrap());
    let inputs = [&small, &large].map(|system| soloist_expressions::terms(system).0.operations());
    assert_eq!(inputs, [29_163, 142_711]);
    assert_counts(&small, "b4,b0,b3,b1,b2,a7,a0,a6,a1,a5,a2,a4,a3", 4_968, 4_314);
    assert_counts(&small, "b4,a6,a7,a4,a5,b3,a3,b2,a2,a1,b1,b0,a0", 4_035, 3_305);
    assert_counts(&large, "b5,b0,a7,a0,b4,b1,b3,b2,a6,a1,a5,a2,a4,a3", 20_210, 17_769);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_counts_of_amplitudes() {
    let system = crate::common::shared("hep_pent");
    assert_eq!(soloist_expressions::terms(&system).0.operations(), 47_046);
    assert_counts(&system, "e12,x3,x2,e35,mm2,x1,e13,e23,e15,me2,vm,ve,am,ae", 2_350, 1_801);
    assert_counts(&system, "e15,me2,x1,e12,e13,e35,e23,mm2,x3,x2,ve,am,ae,vm", 0, 1_418);
}

fn assert_optimum(system: &System, operations: u64) {
    let scheme = scheme(&soloist_expressions::terms(system).0);
    let optimum = optimal_order(&scheme, None, &mut |_, _| true).unwrap().unwrap();
    assert_eq!(scheme.cost(&optimum.order), optimum.cost);
    assert_eq!(scheme.operations(&optimum.order), operations);
}

#[test]
fn published_optima() {
    assert_optimum(&disc_7(), 2_758);
    assert_optimum(&cayley_menger_5(), 185);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_optimum_of_an_amplitude() {
    assert_optimum(&crate::common::shared("hep_box"), 564);
}

#[test]
fn equal_keys_have_equal_moves() {
    let mut pairs = 0;
    for seed in 0..12 {
        // Few terms in many variables: many orders cost the same.
        let system = std::sync::Arc::new(generate(&format!("random:6x12x3:{seed}")).unwrap());
        for direction in [Direction::Forward, Direction::Backward, Direction::Middle] {
            for signs in [Signs::Canonical, Signs::Kept] {
                let problem = Orders::new(std::sync::Arc::clone(&system), signs, direction);
                pairs += soloist_domain_testing::check_keys(&problem, 100, seed);
            }
        }
    }
    assert!(pairs > 1_000, "{pairs}");
}
