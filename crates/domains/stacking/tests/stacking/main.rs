//! Tests of stacking.

mod explain;
mod keys;
mod lis;
mod naive;

use naive::Naive;
use proptest::prelude::*;
use serde_json::json;
use soloist::problem::Key;
use soloist::rollout::Playout;
use soloist::run::StopReason;
use soloist::search::ParameterValues;
use soloist::{Budget, Method, Problem, Rng, Score, Setup, Solver};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::{check_searches, exhaust};
use soloist_stacking::*;
use std::collections::HashMap;

fn yard(text: &str) -> Yard {
    parse("test", text.as_bytes()).unwrap()
}

/// A solution in the plain notation that the verifier reads.
fn plain(yard: &Yard, movements: &[Movement]) -> String {
    let name = |stack: Option<usize>| stack.map_or("-".into(), |stack: usize| stack.to_string());
    let line = |own: &Movement| {
        format!("{} {} {} {}\n", own.time, yard.items()[own.item].number, name(own.from), name(own.to))
    };
    movements.iter().map(line).collect()
}

/// The fewest relocations over all solutions of the search; verifies them on the way.
fn fewest(yard: &Yard, problem: &Stacking) -> Option<u64> {
    let fewest = exhaust(problem, |path, end| {
        if let Some(value) = problem.score(end).value() {
            let checked = check(yard, &plain(yard, &problem.movements(yard, path))).unwrap();
            assert_eq!(checked.score, value);
        }
    });
    fewest.map(|value| value as u64)
}

/// A small random instance: dates that coincide, items that lie there at first, sometimes a tight height.
fn tiny(rng: &mut Rng) -> Yard {
    let width = 2 + rng.index(2);
    let count = 2 + rng.index(5);
    let mut initial = vec![Vec::new(); width];
    let items: Vec<Item> = (0..count)
        .map(|at| {
            let due = 2 + rng.below(7);
            let there = rng.below(2) == 0;
            if there {
                initial[rng.index(width)].push(at);
            }
            let release = (!there).then(|| rng.below(due));
            // Numbers that are not in the order of the file.
            Item { number: (count - at) as u64 * 3, release, due }
        })
        .collect();
    let highest = initial.iter().map(Vec::len).max().unwrap_or(0);
    let height = highest.max(1) + rng.index(3);
    Yard::new("tiny".into(), width, height, items, initial).unwrap()
}

#[test]
fn the_search_holds_the_optimum_of_tiny_instances() {
    let mut rng = Rng::new(11);
    let mut infeasible = 0;
    for round in 0..300 {
        let yard = tiny(&mut rng);
        let problem = Stacking::new(&yard);
        let expected = Naive::search(&yard);
        assert_eq!(fewest(&yard, &problem), expected, "round {round}: {yard:?}");
        infeasible += usize::from(expected.is_none());
        soloist::check(&problem, 3, round).unwrap();
        for name in ["dfs", "ida-star", "best-first"] {
            let outcome = Solver::new(&problem, Method::preset(name).unwrap()).rollout("fo").run().unwrap();
            let found = outcome.best.and_then(|best| best.score.value()).map(|value| value as u64);
            assert_eq!(found, expected, "{name}, round {round}: {yard:?}");
            // Nothing found and everything seen is a proof as well.
            assert!(outcome.optimal || expected.is_none() && outcome.stop == StopReason::Exhausted, "{name}: {yard:?}");
        }
    }
    assert!((1..150).contains(&infeasible), "{infeasible}");
}

/// Returns the best score below a state, and compares it with the bound there and at every state below. `known` holds
/// the states that were seen by their keys.
fn bounded(problem: &Stacking, state: &Stacks, known: &mut HashMap<Key, f64>) -> f64 {
    let key = problem.key(state).unwrap();
    if let Some(&best) = known.get(&key) {
        return best;
    }
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    let mut best = if moves.is_empty() { problem.score(state).value() } else { None }.unwrap_or(f64::INFINITY);
    for mv in moves {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        best = best.min(bounded(problem, &next, known));
    }
    let bound = problem.bound(state).unwrap();
    assert!(bound <= best, "the bound {bound} of a state with {best}");
    known.insert(key, best);
    best
}

#[test]
fn no_bound_is_above_the_optimum() {
    let (mut states, mut tight) = (0, 0);
    for seed in 0..120 {
        let spec = ["relocation:3x4", "relocation:4x3", "relocation:3x3", "relocation:2x5"][seed as usize % 4];
        let yard = generate(&format!("{spec}:{seed}")).unwrap();
        let low = yard.initial().iter().map(Vec::len).max().unwrap() + 1;
        for height in [low, low + 1, yard.height()] {
            let (items, initial) = (yard.items().to_vec(), yard.initial().to_vec());
            let problem = Stacking::new(&Yard::new("low".into(), yard.width(), height, items, initial).unwrap());
            let mut known = HashMap::new();
            let best = bounded(&problem, &problem.root(), &mut known);
            states += known.len();
            tight += u32::from(problem.bound(&problem.root()).unwrap() == best);
        }
    }
    assert!(states > 50_000 && tight > 60, "{states} {tight}");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn block_relocation_is_proven_optimal() {
    let folder = soloist_domain_testing::shared_data("brp").unwrap();
    let optima = std::fs::read_to_string(folder.join("OPTIMA_restricted.txt")).unwrap();
    let mut seen = 0;
    for line in optima.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let path = folder.join(fields[0]);
        for (height, optimum) in [("file", fields[1]), ("plus2", fields[2])] {
            let options = Options::from([("height".to_owned(), height.to_owned())]);
            let instance = (DOMAIN.load)(path.to_str().unwrap(), &options).unwrap();
            let report = instance.solve(Request::default(), &mut Unobserved).unwrap();
            assert!(report.optimal, "{line}");
            assert_eq!(report.score(), Some(Score::Feasible(optimum.parse().unwrap())), "{line}, height {height}");
            let checked = instance.check(&report.solution().to_string()).unwrap();
            assert_eq!(report.score(), Some(Score::Feasible(checked.score)));
            seen += 1;
        }
    }
    assert_eq!(seen, 400);
}

#[test]
fn block_relocation_of_35_items_is_proven_beside_ranks() {
    let options = Options::from([("height".to_owned(), "plus2".to_owned())]);
    let part = |spec: &str| (DOMAIN.load)(spec, &options).unwrap().default_setup().proof;
    // Up to 45 items; ranks alone are better for more, and exact search alone for less.
    assert_eq!((part("relocation:9x5:1"), part("relocation:10x5:1")), (0.5, Setup::PROOF));
    let instance = (DOMAIN.load)("relocation:7x5:1", &options).unwrap();
    let setup = instance.default_setup();
    assert_eq!(setup.preset, "ranks");
    let run = |part: f64| {
        let budget = Budget::playouts(20_000);
        let request = Request { setup: Some(setup.clone().proof(part)), budget, ..Request::default() };
        instance.solve(request, &mut Unobserved).unwrap()
    };
    let (with, without) = (run(setup.proof), run(0.0));
    assert!(with.optimal && !without.optimal, "{with:?}");
    assert_eq!(with.score(), Some(Score::Feasible(25.0)));
    assert!(instance.check(&with.solution().to_string()).is_ok_and(|checked| checked.score == 25.0));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_files_are_read() {
    let folder = soloist_domain_testing::shared_data("stacking").unwrap();
    let mut seen = 0;
    for width in [2, 3, 4, 10, 20, 40] {
        for letter in ["A", "B"] {
            let path = folder.join(format!("{width}-{letter}.txt"));
            let yard = read(path.to_str().unwrap()).unwrap();
            assert_eq!((yard.width(), yard.height(), yard.items().len()), (width, 1000, 1000));
            assert_eq!(parse("again", write(&yard).as_bytes()).unwrap(), yard);
            seen += 1;
        }
    }
    assert_eq!(seen, 12);
    // The author's example: three items on two stacks, optimum 1.
    let yard = read(folder.join("test.txt").to_str().unwrap()).unwrap();
    assert_eq!(Naive::search(&yard), Some(1));
    // The heuristic does what the author's program did: 3506 on the best of few playouts of 10-A, every one below 3800.
    let yard = read(folder.join("10-A.txt").to_str().unwrap()).unwrap();
    let problem = Stacking::new(&yard);
    let solver = Solver::new(&problem, Method::preset("sampling").unwrap()).rollout("fo").seed(1);
    let value = solver.budget(Budget::playouts(20)).run().unwrap().best.unwrap().score.value().unwrap();
    assert!((3_480.0..3_700.0).contains(&value), "{value}");
}

#[test]
fn the_heuristic_goes_by_flexibility() {
    // Stacks whose first items leave on 8, 3 and 5, and an empty one; an item due on 5 comes.
    let yard = yard(
        "int width := 4\nint height := 9\nint items := 4\n--- end of header ---\n0 - 8\n1 - 3\n2 - 5\n3 1 5\n--- initial \
         stacks ---\n0\n1\n2\n",
    );
    let problem = Stacking::new(&yard);
    let root = problem.root();
    let flexibility = |least: Option<f64>| match least {
        None => 0.0,
        Some(least) if 5.0 > least => 1.0 / (1.0 + 5.0 - least) - 1.0,
        Some(least) => 1.0 / (1.0 - 5.0 + least),
    };
    let mut expected: Vec<usize> = vec![0, 1, 2, 3];
    let least = [Some(8.0), Some(3.0), Some(5.0), None];
    expected.sort_by(|&a, &b| flexibility(least[b]).total_cmp(&flexibility(least[a])));
    let order: Vec<usize> = (0..4)
        .map(|rank| problem.movements(&yard, &[rank]).iter().find(|own| own.item == 3).unwrap().to.unwrap())
        .collect();
    assert_eq!(order, expected);
    assert_eq!(order, [2, 0, 3, 1]);
    assert_eq!(problem.ties(&root), 1);
}

#[test]
fn events_follow_the_rules() {
    // Two items are due on 9: the one with fewer items above leaves first, whatever its number.
    let yard = yard(
        "int width := 3\nint height := 9\nint items := 4\n--- end of header ---\n1 - 9\n2 - 9\n3 - 20\n4 - 20\n--- initial \
         stacks ---\n1 3 4\n2\n-\n",
    );
    let movements = Stacking::new(&yard).movements(&yard, &[0, 0]);
    let order: Vec<(u64, usize)> = movements.iter().map(|own| (own.time, own.item)).collect();
    // Then the first item, after the two above it, and both of these on their day, the top one first.
    assert_eq!(order, [(9, 1), (9, 3), (9, 2), (9, 0), (20, 2), (20, 3)]);
    assert_eq!(check(&yard, &plain(&yard, &movements)).unwrap().score, 2.0);
}

#[test]
fn conformance_walk() {
    for spec in
        ["random:6x60:7", "random:2x40:1", "random:20x100:3", "random:1x3:2", "relocation:4x6:5", "relocation:1x4:1"]
    {
        let yard = generate(spec).unwrap();
        soloist::check(&Stacking::new(&yard), 20, 3).unwrap();
        let tight = yard.clone().with_height(yard.highest() + 8).unwrap();
        soloist::check(&Stacking::new(&tight), 20, 3).unwrap();
    }
}

#[test]
fn ranks_do_not_depend_on_how_a_run_is_cut() {
    for (spec, height) in [("random:7x150:3", 1000), ("random:5x60:8", 12), ("relocation:5x6:2", 8)] {
        let problem = Stacking::new(&generate(spec).unwrap().with_height(height).unwrap());
        check_searches(&problem, 3_000);
    }
}

#[test]
fn ranks_find_valid_movements_and_go_on_from_what_is_offered() {
    let yard = generate("random:7x150:3").unwrap();
    let problem = Stacking::new(&yard);
    let run = |nodes: u64, offers: &[Vec<u16>]| {
        let solver = Solver::new(&problem, Method::named("ranks")).seed(5).budget(Budget::nodes(nodes));
        offers.iter().fold(solver, |solver, moves| solver.offer(moves)).run().unwrap().best.unwrap()
    };
    let (early, late) = (run(100, &[]), run(2_000, &[]));
    assert!(late.score.value() < early.score.value());
    let movements = problem.movements(&yard, &late.moves);
    assert_eq!(Some(check(&yard, &plain(&yard, &movements)).unwrap().score), late.score.value());
    // Few trials from there are worth more than the same number from the heuristic's solution.
    let warm = run(100, std::slice::from_ref(&late.moves));
    assert!(warm.score.value() <= late.score.value(), "{} {}", warm.score, late.score);
    assert!(run(3_000, std::slice::from_ref(&late.moves)).score.value() < late.score.value());
}

#[test]
fn damaged_ranks_are_refused() {
    let problem = Stacking::new(&generate("random:8x200:4").unwrap());
    let fresh = || soloist::problem::find_search(&problem, "ranks", &ParameterValues::default()).unwrap();
    assert!(
        fresh().load(&problem, b"nonsense").is_err()
            && soloist::problem::find_search(&problem, "nosuch", &ParameterValues::default()).is_none()
    );
    let mut session = Solver::new(&problem, Method::named("ranks")).start().unwrap();
    session.advance(&Budget::nodes(300)).unwrap();
    let other = Stacking::new(&generate("random:8x200:5").unwrap());
    assert!(Solver::new(&other, Method::named("ranks")).resume(&session.save()).is_err());
    let error = Solver::new(&problem, Method::preset("sampling").unwrap()).rollout("ranks").run().unwrap_err();
    assert_eq!(error.to_string(), "no rollout `ranks` (known: fo, random, bias): it is a method");
}

#[test]
fn every_method_stacks_validly() {
    let instance = (DOMAIN.load)("random:5x30:9", &Options::new()).unwrap();
    for preset in Method::presets() {
        for rollout in ["fo", "random"] {
            let request = Request {
                setup: Some(Setup::from(preset).rollout(rollout)),
                budget: Budget { nodes: Some(3_000), ..Budget::playouts(40) },
                ..Request::default()
            };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            if let Some(score) = report.score() {
                let checked = instance.check(&report.solution().to_string()).unwrap();
                assert_eq!(Score::Feasible(checked.score), score, "{} {rollout}", preset.name);
            }
        }
    }
}

#[test]
fn small_instances_are_solved_by_default() {
    let instance = (DOMAIN.load)("relocation:4x5:3", &Options::new()).unwrap();
    let report = instance.solve(Request::default(), &mut Unobserved).unwrap();
    assert!(report.optimal);
    let annealed = (DOMAIN.load)("relocation:4x5:3", &Options::new()).unwrap();
    let request = Request { setup: Some(Setup::named("ranks")), budget: Budget::nodes(6_400), ..Request::default() };
    assert_eq!(annealed.solve(request, &mut Unobserved).unwrap().score(), report.score());
}

#[test]
fn keys_do_not_depend_on_the_order_of_stacks() {
    let header =
        "int width := 3\nint height := 9\nint items := 4\n--- end of header ---\n1 - 9\n2 - 8\n3 - 20\n4 - 21\n";
    let of = |layout: &str| {
        let yard = yard(&format!("{header}--- initial stacks ---\n{layout}"));
        let problem = Stacking::new(&yard);
        problem.key(&problem.root()).unwrap()
    };
    assert_eq!(of("1 2 3\n-\n4\n"), of("4\n1 2 3\n"));
    assert_ne!(of("1 2 3\n-\n4\n"), of("2 1 3\n-\n4\n"));
    assert_ne!(of("2 4\n1 3\n"), of("2 3\n1 4\n"));
}

#[test]
fn reader_accepts_what_files_look_like() {
    let expected =
        yard("str name := a\nint width := 2\nint height := 5\nint items := 2\n--- end of header ---\n0 1 3\n1 2 4\n");
    for text in [
        "# x\r\nint items := 2\r\nint width := 2\r\nint height := 5\r\nstr name := a\r\n--- end of header ---\r\n0 1 3\r\n1 2 4",
        "\u{feff}str name := a\n\nint width := 2 # w\nint height := 5\nint items := 2\n--- end of header ---\n# i\n0\t1 3\n1 2 4\n",
    ] {
        assert_eq!(parse("test", text.as_bytes()).unwrap(), expected, "{text:?}");
    }
    let blocks = yard("2 3\n2 1 3\n1 2\n");
    assert_eq!(blocks.initial(), [vec![0, 2], vec![1]]);
    assert_eq!(yard("# x\n2 3 # y\n\n2 1 3\n1 2"), blocks);
    assert_eq!(yard("2 1\n1 1\n0\n").initial(), [vec![0], vec![]]);
}

#[test]
fn reader_errors_are_exact() {
    let header = "int width := 2\nint height := 5\nint items := 1\n--- end of header ---\n";
    for (text, message) in [
        ("", "test: no lines, expected a header or the numbers of stacks and items"),
        ("x", "test: line 1: 'x', expected `int width := 10` or the like"),
        ("int width := 2\n", "test: line 1: the file ends before `--- end of header ---`"),
        ("int width := 2\nint width := 3\n", "test: line 2: width is given twice"),
        ("int depth := 2\n", "test: line 1: 'depth', expected name, width, height or items"),
        ("int width := -2\n", "test: line 1: width '-2', expected a whole number from 0 on"),
        ("int width := 1001\n", "test: line 1: width '1001' is above 1000, the most that is read"),
        ("int width := 2\n--- end of header ---\n", "test: line 2: the header says nothing of `height`"),
        (
            "int items := 99999999999999999999\n",
            "test: line 1: items '99999999999999999999' is above 10000, the most that is read",
        ),
        (&format!("{header}0 1"), "test: line 5: 2 fields, expected 3: item, release and due date"),
        (&format!("{header}0 NaN 2"), "test: line 5: release 'NaN', expected a whole number from 0 on"),
        (&format!("{header}0 2 2"), "test: line 5: item 0 is due on 2, expected after its release"),
        (&format!("{header}0 1 2\n1 1 2"), "test: line 6: '1 1 2' after the last of 1 items"),
        (header, "test: line 4: the file ends after 0 of 1 items"),
        (&format!("{header}0 - 2"), "test: item 0 has no release and lies nowhere at first"),
        (
            &format!("{header}0 1 2\n--- initial stacks ---\n0"),
            "test: stack 0 holds an item twice, unknown, or still to be released",
        ),
        (&format!("{header}0 - 2\n--- initial stacks ---\n7"), "test: line 7: item 7 is not among the items"),
        (&format!("{header}0 - 2\n--- initial stacks ---\n0\n-\n-"), "test: line 9: more than 2 stacks"),
        ("2 3\n2 1 3\n1 3\n", "test: line 3: item 3 lies there already"),
        ("2 3\n2 1 3\n", "test: line 2: the file ends after 1 of 2 stacks"),
        ("2 3\n2 1 3\n0\n", "test: item 2 of 3 lies nowhere"),
        ("2 3\n3 1 3\n1 2\n", "test: line 2: 2 items, expected 3 as the first field says"),
        ("2 3\n1 4\n", "test: line 2: item 4, expected 1 to 3"),
        ("2 3\n1 0\n", "test: line 2: item 0, expected 1 to 3"),
        ("2\n", "test: line 1: 1 fields, expected 2: the numbers of stacks and items"),
        ("0 0\n", "test: 0 stacks, expected 1 to 1000"),
        ("-2 3\n", "test: line 1: number of stacks '-2', expected a whole number from 0 on"),
        ("2 3\n1 1\n1 2\n1 3\n", "test: line 4: more than 2 stacks"),
        ("a\0b", "test: line 1: binary data (a zero byte), expected text"),
    ] {
        assert_eq!(parse("test", text.as_bytes()).unwrap_err().to_string(), message, "{text:?}");
    }
    assert!(read("no/such.txt").unwrap_err().to_string().starts_with("no/such.txt: cannot be read: "));
    let options = Options::from([("height".to_owned(), "plus2".to_owned())]);
    assert!((DOMAIN.load)("relocation:3x3:1", &options).unwrap().describe().ends_with("height 5"));
}

#[test]
fn specs_never_change() {
    let small = generate("random:3x12:7").unwrap();
    let rows: Vec<_> = small.items().iter().map(|item| (item.release.unwrap(), item.due)).collect();
    assert_eq!(rows, SMALL);
    assert_eq!(write(&generate("relocation:3x2:7").unwrap()), RELOCATION);
    for (spec, part) in [
        ("random:", "expected random:WIDTHxITEMS:SEED"),
        ("nosuch:3x4:1", "expected random:WIDTHxITEMS:SEED"),
        ("random:0x4:1", "the number of stacks is not in 1..=1000"),
        ("random:3x0:1", "the second number is not in 1..=10000"),
        ("relocation:100x101:1", "the second number is not in 1..=100"),
        ("random:3x4:x", "the seed is not a whole number"),
    ] {
        let error = generate(spec).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(is_spec("random:3x4:1") && !is_spec("random.txt"));
}

const SMALL: [(u64, u64); 12] =
    [(3, 5), (4, 5), (3, 5), (4, 5), (0, 2), (3, 5), (2, 5), (0, 2), (0, 5), (3, 5), (3, 5), (4, 5)];
const RELOCATION: &str = "3 6\n2 5 4\n2 2 3\n2 6 1\n";

#[test]
fn verifier_names_what_is_wrong() {
    // Item 1 lies under item 3; item 2 alone.
    let yard = yard("3 3\n2 1 3\n1 2\n0\n");
    let good = "1 3 0 2\n1 1 0 -\n2 2 1 -\n3 3 2 -";
    let checked = check(&yard, good).unwrap();
    assert_eq!((checked.score, checked.summary.as_str()), (1.0, "4 movements of 3 items, 1 relocations"));
    let list = json!([[1, 3, 0, 2], [1, 1, 0, null], [2, 2, 1, null], [3, 3, 2, null]]);
    for good in [
        list.to_string(),
        json!({ "movements": list, "relocations": 1 }).to_string(),
        json!({ "problem": "stacking", "score": 1.0, "solution": { "movements": list } }).to_string(),
    ] {
        assert_eq!(check(&yard, &good).unwrap().score, 1.0);
    }
    for (bad, message) in [
        ("", "the movements end before item 3 is relocated at 1"),
        (
            "1 1 0 -",
            "movement 1 takes item 1 from stack 0 to outside at 1, expected that item 3 is relocated at 1 from stack 0",
        ),
        ("1 3 0 0", "movement 1 puts item 3 back onto stack 0"),
        ("1 3 0 3", "movement 1: there is no stack 3, they are counted from 0"),
        (
            "2 3 0 1",
            "movement 1 takes item 3 from stack 0 to stack 1 at 2, expected that item 3 is relocated at 1 from stack 0",
        ),
        ("1 3 0 2\n1 1 0 -\n2 2 1 -", "the movements end before item 3 leaves at 3"),
        ("1 3 0 2\n1 1 0 -\n2 2 1 -\n3 3 2 -\n3 3 2 -", "movement 5 comes after everything has left"),
        ("1 3 0", "line 1: '1 3 0', expected TIME ITEM FROM TO"),
        ("1 3 0 x", "line 1: '1 3 0 x', expected TIME ITEM FROM TO"),
        ("[1]", "movement 1: '1', expected [time, item, from, to]"),
        ("{}", "no list `movements`"),
        (r#"{"movements": 3}"#, "`movements` is not a list"),
        (r#"{"problem": "coil", "solution": {}}"#, "a solution of '\"coil\"', expected stacking"),
    ] {
        assert_eq!(check(&yard, bad).unwrap_err(), message, "{bad}");
    }
    let claims = json!({ "score": 2, "solution": { "movements": list } }).to_string();
    assert_eq!(check(&yard, &claims).unwrap_err(), "claims the score '2', recomputed: 1");
    let claims = json!({ "movements": list, "relocations": 0 }).to_string();
    assert_eq!(check(&yard, &claims).unwrap_err(), "claims the number of relocations '0', recomputed: 1");
    let full = yard.with_height(2).unwrap();
    assert_eq!(check(&full, "1 3 0 1\n1 1 0 -\n2 3 1 2\n2 2 1 -\n3 3 2 -").unwrap().score, 2.0);
    let full = parse("x", b"2 3\n2 1 3\n1 2\n").unwrap().with_height(2).unwrap();
    assert!(check(&full, "1 3 0 1").unwrap_err().contains("the movements end"));
    let tight = parse("x", b"2 4\n2 1 3\n2 2 4\n").unwrap().with_height(2).unwrap();
    assert_eq!(check(&tight, "1 3 0 1").unwrap_err(), "movement 1: stack 1 is full");
}

#[test]
fn drawing_is_sound_on_anything() {
    let mut rng = Rng::new(3);
    for spec in ["random:6x60:7", "relocation:4x5:1", "random:2x600:1"] {
        let yard = generate(spec).unwrap();
        let problem = Stacking::new(&yard);
        let (mut state, mut playout) = (problem.root(), Playout::default());
        soloist::rollout::find_rollout(&problem, "fo").unwrap().run(&problem, &mut state, &mut playout, &mut rng);
        let rows: Vec<_> = problem
            .movements(&yard, &playout.moves)
            .iter()
            .map(|own| json!([own.time, yard.items()[own.item].number, own.from, own.to]))
            .collect();
        for solution in
            [json!(null), json!({ "movements": rows }), json!({ "movements": [[1, 7, 99, 0], "x", [2, 9, 0, 5]] })]
        {
            let svg = svg(&yard, &solution);
            assert!(
                svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf")
            );
            assert!(svg.lines().count() <= 2 * 20_000 + 2_100);
            assert!(text(&yard, &solution).lines().count() <= 203);
        }
    }
}

#[test]
fn domain_is_complete() {
    let instance = (DOMAIN.load)(DOMAIN.example, &Options::new()).unwrap();
    assert_eq!(instance.describe(), "60 items, 6 stacks of any height");
    assert_eq!(instance.default_setup().preset, "ranks");
    let text = (DOMAIN.generate)("random:6x60:7").unwrap();
    assert_eq!(parse("x", text.as_bytes()).unwrap(), generate("random:6x60:7").unwrap());
    assert!(!instance.has_rollout("nosuch") && instance.has_rollout("fo"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match parse("a.txt", &bytes) {
            Ok(yard) => prop_assert_eq!(parse("a.txt", write(&yard).as_bytes()).unwrap(), yard),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused_in_one_line(
        head in "(int|str) (name|width|height|items) := [0-9a]{1,3}\n",
        text in "(int (width|height|items) := [0-9]{1,2}\n){2,4}(--- end of header ---\n)?([0-9\\-]{1,2} [0-9\\-]{1,2} [0-9]{1,2}\n){0,5}(--- initial stacks ---\n)?([0-9 \\-]{0,9}\n){0,3}",
    ) {
        for text in [format!("{head}{text}"), text] {
            match parse("a.txt", text.as_bytes()) {
                Ok(yard) => prop_assert_eq!(parse("a.txt", write(&yard).as_bytes()).unwrap(), yard),
                Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
            }
        }
    }

    #[test]
    fn written_files_are_read_back(seed: u64) {
        let yard = tiny(&mut Rng::new(seed));
        prop_assert_eq!(parse("a.txt", write(&yard).as_bytes()).unwrap(), yard);
        let yard = generate(&format!("relocation:{}x{}:{seed}", 1 + seed % 5, 1 + seed % 7)).unwrap();
        prop_assert_eq!(parse("a.txt", write(&yard).as_bytes()).unwrap(), yard);
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "[\\[\\{]?[0-9a-z\"':,\\[\\]\\{\\} \n-]{0,60}") {
        if let Err(message) = check(&generate("random:3x9:1").unwrap(), &text) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }

    #[test]
    fn bounds_hold_along_playouts(seed: u64, width in 1_u64..9, count in 1_u64..60) {
        let problem = Stacking::new(&generate(&format!("random:{width}x{count}:{seed}")).unwrap());
        prop_assert!(soloist::check(&problem, 3, seed).is_ok());
    }
}

#[test]
fn the_heuristic_is_cut_off_when_it_is_hopeless() {
    let problem = Stacking::new(&generate("random:8x200:4").unwrap());
    let run = |name: &str, seed: u64, playouts: u64| {
        let solver = Solver::new(&problem, Method::preset(name).unwrap()).rollout("fo").seed(seed);
        solver.budget(Budget::playouts(playouts)).run().unwrap()
    };
    let mut improved = 0;
    for seed in 1..6 {
        // The same draws up to the first playout that is cut off, which is no solution and counts.
        let (whole, cut) = (run("sampling", seed, 1), run("ms", seed, 1));
        assert_eq!(whole.best.unwrap().moves, cut.best.unwrap().moves);
        let cut = run("ms", seed, 100);
        assert_eq!(cut.counters.playouts, 100);
        improved += cut.history.len() - 1;
    }
    assert!(improved > 0, "no playout behind the first one was better");
}
