//! What the search packs: rules, candidates, bounds, known optima.

use crate::bin::{Bin, Candidate, Shape};
use crate::board::{Board, Stock};
use crate::grid::Grid;
use crate::instance::{Piece, decode, encode};
use crate::overlap::OverlapSolver;
use crate::*;
use proptest::prelude::*;
use soloist::rollout::Playout;
use soloist::{Budget, Method, Problem, Rng, Score, Setup, Solver};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::exhaust;
use std::collections::HashSet;

/// An instance of these types: demand, inner and outer radius.
pub(super) fn order(width: f64, height: f64, tubes: &[(u32, f64, f64)]) -> Order {
    let tubes = tubes.iter().map(|&(demand, inner, outer)| Tube { demand, inner, outer, value: None }).collect();
    Order::new("test", width, height, tubes).unwrap()
}

pub(super) fn area(order: &Order) -> Packing {
    Packing::new(order, Worth::Area, Objective::Value).unwrap()
}

pub(super) const RING1: &[u8] = b"ring1\n3 6 6\n1 2.45 3.00\n4 0.45 1.0\n5 0.0 0.45\n";
pub(super) const RING2: &[u8] = b"ring2\n4 4.83 4.83\n6 0.15 0.2\n3 0.4 0.7\n3 0.8 1.0\n2 0.1 1.0\n";
pub(super) const CIRCLE6: &[u8] = b"circle6\n1 5.33 5.33\n6 0.00 1.00\n";
const TIGHT: &[u8] = b"test_circle1\n2 1 1\n2 0.00 0.5\n4 0.00 0.08578643762690497\n";
const THREE: &[u8] = b"test_circle2\n1 2 1.8660254037844386\n3 0.00 0.5\n";

/// Plays `moves` as a search would, and checks that each is among the legal ones and that none is left.
pub(super) fn replay(problem: &Packing, moves: &[u64]) -> Layout {
    let mut state = problem.root();
    let mut legal = Vec::new();
    for (at, &mv) in moves.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        assert!(legal.contains(&mv), "move {at} of {}: {:?} of {} legal ones", moves.len(), decode(mv), legal.len());
        problem.apply(&mut state, mv);
    }
    legal.clear();
    problem.moves(&state, &mut legal);
    assert!(legal.is_empty(), "{} moves left", legal.len());
    state
}

/// The solution of some moves as the verifier reads it.
fn solution(problem: &Packing, moves: &[u64]) -> String {
    let line = |place: &Place| {
        let hull = place.hull.map_or("-".into(), |hull| hull.to_string());
        format!("{} {} {hull} {} {}", place.kind, place.container, place.x, place.y)
    };
    problem.places(moves).iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Runs a rollout some times: every playout must be legal, score what it says and pass the checker; the best score.
fn playouts(order: &Order, values: Worth, objective: Objective, name: &str, count: usize, seed: u64) -> f64 {
    let problem = Packing::new(order, values, objective).unwrap();
    let mut rollout = soloist::rollout::find_rollout(&problem, name).unwrap();
    let mut rng = Rng::new(seed);
    let mut playout = Playout::default();
    let mut best: Option<f64> = None;
    for _ in 0..count {
        let mut state = problem.root();
        playout.moves.clear();
        rollout.run(&problem, &mut state, &mut playout, &mut rng);
        let score = problem.score(&state).value().unwrap();
        let played = replay(&problem, &playout.moves);
        assert_eq!(problem.score(&played), Score::Feasible(score), "{name}");
        let checked = check(order, values, objective, &solution(&problem, &playout.moves)).unwrap();
        assert_eq!(checked.score, score, "{name}");
        if best.is_none_or(|best| problem.sense().better_value(score, best)) {
            best = Some(score);
        }
    }
    best.unwrap()
}

/// Runs `refine` for some moves; what it finds must be legal, score what it says and pass the checker; the best score.
fn refined(order: &Order, values: Worth, objective: Objective, moves: u64, seed: u64) -> f64 {
    let problem = Packing::new(order, values, objective).unwrap();
    let solver = Solver::new(&problem, Method::named("refine")).seed(seed).budget(Budget::nodes(moves));
    let best = solver.run().unwrap().best.unwrap();
    let end = replay(&problem, &best.moves);
    assert_eq!(problem.score(&end), best.score);
    let checked = check(order, values, objective, &solution(&problem, &best.moves)).unwrap();
    let score = best.score.value().unwrap();
    assert!((checked.score - score).abs() <= 1e-9 * score.abs().max(1.0), "{} {score}", checked.score);
    score
}

#[test]
fn known_optima() {
    // Everything in one container: by value, and by number of containers.
    for (bytes, tubes) in [(RING1, 10.0), (RING2, 14.0), (CIRCLE6, 6.0), (THREE, 3.0)] {
        let order = parse("a.rpa", bytes).unwrap();
        assert_eq!(refined(&order, Worth::Count, Objective::Value, 4_000, 1), tubes, "{}", order.name());
        let fewest = refined(&order, Worth::Area, Objective::Containers, 4_000, 1);
        assert_eq!(fewest, 1.0, "{}", order.name());
    }
    let order = parse("a.rpa", TIGHT).unwrap();
    assert_eq!(refined(&order, Worth::Count, Objective::Value, 1_000, 1), 5.0);
    assert_eq!(refined(&order, Worth::Area, Objective::Containers, 1_000, 1), 2.0);
}

#[test]
fn greedy_is_what_the_thesis_says() {
    // Without random choice the corner is missed.
    let greedy = |bytes| playouts(&parse("a.rpa", bytes).unwrap(), Worth::Count, Objective::Value, "greedy", 1, 0);
    assert_eq!((greedy(RING2), greedy(CIRCLE6)), (13.0, 5.0));
}

#[test]
fn rollouts_play_legal_packings() {
    for spec in ["random:5x50:7", "random:8x70:2", "circles:4x30:3", "random:1x1:0"] {
        let order = generate(spec).unwrap();
        for values in [Worth::Area, Worth::Count] {
            for name in ["greedy", "semi-greedy", "semi-greedy:0.5", "semi-greedy-position"] {
                playouts(&order, values, Objective::Value, name, 2, 3);
            }
            refined(&order, values, Objective::Value, 40, 3);
        }
        for name in ["greedy", "semi-greedy"] {
            playouts(&order, Worth::Area, Objective::Containers, name, 2, 4);
        }
        refined(&order, Worth::Area, Objective::Containers, 40, 4);
    }
}

/// Algorithm 6.1 draws where a tube lies, not which one it is: the sequence of types is the same as long as the
/// positions do not change what fits.
#[test]
fn positions_alone_are_drawn() {
    let order = order(100.0, 100.0, &[(2, 0.0, 10.0), (2, 3.0, 9.0), (1, 0.0, 1.0)]);
    let problem = Packing::new(&order, Worth::Count, Objective::Value).unwrap();
    let mut rollout = soloist::rollout::find_rollout(&problem, "semi-greedy-position:0.5").unwrap();
    let (mut rng, mut kinds, mut places) = (Rng::new(5), HashSet::new(), HashSet::new());
    for _ in 0..20 {
        let mut playout = Playout::default();
        rollout.run(&problem, &mut problem.root(), &mut playout, &mut rng);
        assert_eq!(playout.moves.len(), 5);
        kinds.insert(playout.moves.iter().map(|&mv| decode(mv).0).collect::<Vec<_>>());
        places.insert(playout.moves.clone());
    }
    assert_eq!(kinds.len(), 1);
    assert!(places.len() > 5, "{}", places.len());
}

#[test]
fn hulls_may_hold_very_many_tubes() {
    // More than are tried inside a hull in advance, one level below another.
    let order = order(10.0, 10.0, &[(700, 0.0, 0.1), (1, 3.0, 3.1), (1, 3.2, 3.3)]);
    for name in ["greedy", "semi-greedy"] {
        playouts(&order, Worth::Area, Objective::Value, name, 1, 1);
    }
    refined(&order, Worth::Area, Objective::Value, 2, 1);
}

#[test]
fn unknown_rollouts_are_refused() {
    let problem = area(&generate("random:3x5:1").unwrap());
    for name in
        ["refine", "refine:20", "semi-greedy:0", "semi-greedy:1.5", "semi-greedy:nan", "greedy:1", "other:1", ""]
    {
        assert!(soloist::rollout::find_rollout(&problem, name).is_err(), "{name}");
    }
}

#[test]
fn conformance_walk() {
    for bytes in [RING1, RING2, TIGHT, THREE] {
        let order = parse("a.rpa", bytes).unwrap();
        soloist::check(&area(&order), 10, 3).unwrap();
        soloist::check(&Packing::new(&order, Worth::Count, Objective::Containers).unwrap(), 10, 3).unwrap();
    }
    soloist::check(&area(&generate("random:5x40:7").unwrap()), 5, 1).unwrap();
    soloist::check(
        &Packing::new(&generate("circles:3x20:7").unwrap(), Worth::Area, Objective::Containers).unwrap(),
        5,
        1,
    )
    .unwrap();
    // Nothing to pack, and nothing that fits.
    soloist::check(&area(&order(1.0, 1.0, &[])), 2, 0).unwrap();
    soloist::check(&area(&order(1.0, 1.0, &[(0, 0.0, 0.1), (3, 0.0, 0.6)])), 2, 0).unwrap();
}

#[test]
fn misfits_are_named() {
    let order = order(2.0, 1.0, &[(1, 0.0, 0.5), (2, 0.1, 0.51)]);
    let error = Packing::new(&order, Worth::Area, Objective::Containers).unwrap_err();
    assert_eq!(
        error,
        "type 1 (outer radius 0.51) does not fit into the container 2 x 1: no number of containers is enough"
    );
    let error = Packing::new(&order, Worth::Given, Objective::Value).unwrap_err();
    assert_eq!(error, "the instance gives no values: a fourth number in the line of each type");
}

#[test]
fn tree_search_finds_the_best_sequence_of_small_instances() {
    // Two large and one small tube, which do not all fit; the small one also fits inside.
    for tubes in [
        &[(2, 0.3, 0.5), (2, 0.0, 0.25)][..],
        &[(1, 0.6, 0.7), (2, 0.0, 0.3), (1, 0.0, 0.1)],
        &[(3, 0.2, 0.45), (1, 0.05, 0.2)],
    ] {
        let problem = area(&order(2.0, 1.4, tubes));
        let best = exhaust(&problem, |_, _| {}).unwrap();
        let method = Method::preset("dfs").unwrap();
        assert_eq!(method.family(), "dfs");
        let found = Solver::new(&problem, method).rollout("random").run().unwrap().best.unwrap();
        assert_eq!(found.score, Score::Feasible(best));
        let refined = Solver::new(&problem, Method::named("refine")).seed(1).budget(Budget::nodes(200));
        assert_eq!(refined.run().unwrap().best.unwrap().score, Score::Feasible(best), "{tubes:?}");
    }
}

#[test]
fn every_kind_of_search_packs_validly() {
    for objective in ["value", "containers"] {
        let options = Options::from([("objective".to_owned(), objective.to_owned())]);
        let instance = (DOMAIN.load)("random:4x15:5", &options).unwrap();
        for preset in Method::presets() {
            for rollout in ["semi-greedy", "random"] {
                let request = Request {
                    setup: Some(Setup::from(preset).rollout(rollout)),
                    budget: Budget { nodes: Some(100), ..Budget::playouts(10) },
                    ..Request::default()
                };
                let report = instance.solve(request, &mut Unobserved).unwrap();
                let Some(Score::Feasible(score)) = report.score() else { continue };
                let text = serde_json::json!({ "problem": "packing", "score": score, "solution": report.solution() })
                    .to_string();
                let checked =
                    instance.check(&text).unwrap_or_else(|wrong| panic!("{} {rollout}: {wrong}", preset.name));
                assert_eq!(checked.score, score);
                if let Some(bound) = report.bound {
                    assert!(!instance.sense().better_value(score, bound), "{}: {score} beats {bound}", preset.name);
                }
            }
        }
    }
}

#[test]
fn policies_choose_from_few_good_moves() {
    let problem = area(&generate("random:5x80:7").unwrap());
    let mut rollout = soloist::rollout::find_rollout(&problem, "semi-greedy").unwrap();
    let (mut state, mut moves, mut legal) = (problem.root(), Vec::new(), Vec::new());
    loop {
        moves.clear();
        legal.clear();
        rollout.candidates(&problem, &state, &mut moves);
        problem.moves(&state, &mut legal);
        assert!(moves.len() <= 10 && moves.iter().all(|mv| legal.contains(mv)) && moves.is_empty() == legal.is_empty());
        let Some(&mv) = moves.last() else { break };
        problem.apply(&mut state, mv);
    }
    let method = Method::preset("nrpa").unwrap().with("level", "1").unwrap();
    let learned = Solver::new(&problem, method).rollout("semi-greedy").budget(Budget::playouts(30)).run().unwrap();
    replay(&problem, &learned.best.unwrap().moves);
    let nested = Solver::new(&problem, Method::preset("nmcs").unwrap().with("level", "1").unwrap());
    replay(&problem, &nested.rollout("semi-greedy").budget(Budget::playouts(30)).run().unwrap().best.unwrap().moves);
}

#[test]
fn names_of_places_do_not_depend_on_the_order() {
    // Two tubes at the bottom placed in either order: the same candidates, the same key.
    let problem = area(&order(4.0, 4.0, &[(6, 0.1, 0.7)]));
    let corner = problem.kit.container;
    let mut names = Vec::new();
    for flip in [false, true] {
        let mut bin = Bin::new(corner, 1, problem.kit.cell, problem.kit.slack);
        let mut spots = [(0.7, 0.7), (2.1, 0.7), (3.3, 0.7)];
        if flip {
            spots.reverse();
        }
        for (x, y) in spots {
            bin.add(0, x, y, 0.7);
        }
        let mut list: Vec<u64> = bin.candidates(0, 0.7).iter().map(|spot| spot.place).collect();
        list.sort_unstable();
        names.push(list);
    }
    assert_eq!(names[0], names[1]);
    assert!(names[0].len() > 5);
}

#[test]
fn moves_name_places() {
    let bin = Bin::new(Shape::Rect { width: 10.0, height: 11.4468 }, 1, 1.0, 1e-10);
    for (x, y) in [(0.0, 0.0), (10.0, 11.4468), (3.25, 7.5)] {
        let [a, b] = bin.position(bin.place(x, y));
        assert!((a - x).abs() < 1e-6 && (b - y).abs() < 1e-6);
        assert_eq!(decode(encode(999, bin.place(x, y))), (999, bin.place(x, y)));
    }
    assert!(encode(999, u64::MAX >> 12) < 1 << 63);
}

#[test]
fn a_step_that_is_refused_leaves_the_board_as_it_was() {
    let problem = area(&generate("random:5x80:7").unwrap());
    let kit = &problem.kit;
    let mut board = Board::new(kit, kit.container);
    let mut rng = Rng::new(2);
    let mut value = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let stock = Stock { kit, offer: &kit.demand, worth: &problem.contents.worth };
    board.restart(stock, &mut value, &mut rng);
    let sorted = |board: &Board| {
        let mut pieces: Vec<(u16, u64, u64)> =
            board.pieces.iter().map(|p| (p.kind, p.x.to_bits(), p.y.to_bits())).collect();
        pieces.sort_unstable();
        pieces
    };
    let (before, counts) = (sorted(&board), board.counts.clone());
    for _ in 0..200 {
        // No value is as good as the present one.
        board.value = 1e9;
        board.step(stock, &mut value, 1e-300, &mut rng);
        assert_eq!(sorted(&board), before);
        assert_eq!(board.counts, counts);
    }
}

#[test]
fn boards_never_overlap() {
    let problem = area(&generate("random:8x120:4").unwrap());
    let kit = &problem.kit;
    let mut board = Board::new(kit, kit.container);
    let mut rng = Rng::new(2);
    let mut value =
        |counts: &[u32]| counts.iter().zip(&kit.value).map(|(&count, value)| f64::from(count) * value).sum::<f64>();
    let stock = Stock { kit, offer: &kit.demand, worth: &problem.contents.worth };
    board.restart(stock, &mut value, &mut rng);
    for _ in 0..100 {
        board.step(stock, &mut value, 0.5, &mut rng);
        let line = |p: &Piece| format!("{} 0 - {} {}", p.kind, p.x, p.y);
        let text = board.pieces.iter().map(line).collect::<Vec<_>>().join("\n");
        let checked = check(&generate("random:8x120:4").unwrap(), Worth::Area, Objective::Value, &text).unwrap();
        assert_eq!(checked.score, board.value);
    }
}

#[test]
fn ways_to_search_agree_about_the_same_seed() {
    let problem = area(&generate("random:5x80:7").unwrap());
    let run = || {
        let solver = Solver::new(&problem, Method::named("refine")).seed(4).budget(Budget::playouts(2_000));
        solver.run().unwrap().best.unwrap()
    };
    let (a, b) = (run(), run());
    assert_eq!((a.score, &a.moves), (b.score, &b.moves));
    assert_eq!(replay(&problem, &a.moves).remaining.len(), 5);
}

/// All tangent positions of a disc of radius `r` that are free, found without lists and grids.
fn plain_candidates(bin: &Bin, r: f64, slack: f64) -> Vec<(f64, f64)> {
    let Shape::Rect { width, height } = bin.shape else { panic!() };
    // A pair that just touches has a root of zero, whatever rounding says.
    let root = |square: f64| if square > -1e-9 { square.max(0.0).sqrt() } else { f64::NAN };
    let mut found = Vec::new();
    let mut circles: Vec<[f64; 3]> = (0..bin.len()).map(|i| [bin.xs[i], bin.ys[i], bin.rs[i] + r]).collect();
    for x in [r, width - r] {
        for y in [r, height - r] {
            found.push((x, y));
        }
    }
    for &[cx, cy, reach] in &circles {
        for wall in [r, width - r] {
            let h = root(reach * reach - (wall - cx).powi(2));
            found.extend([(wall, cy - h), (wall, cy + h)]);
        }
        for wall in [r, height - r] {
            let h = root(reach * reach - (wall - cy).powi(2));
            found.extend([(cx - h, wall), (cx + h, wall)]);
        }
    }
    while let Some([ax, ay, ar]) = circles.pop() {
        for &[bx, by, br] in &circles {
            let d = (ax - bx).hypot(ay - by);
            let along = (d * d + ar * ar - br * br) / (2.0 * d);
            let h = root(ar * ar - along * along);
            let (ux, uy) = ((bx - ax) / d, (by - ay) / d);
            found.extend([1.0, -1.0].map(|s| (ax + along * ux - s * h * uy, ay + along * uy + s * h * ux)));
        }
    }
    found.retain(|&(x, y)| {
        let inside = x >= r - slack && y >= r - slack && x <= width - r + slack && y <= height - r + slack;
        let free = (0..bin.len()).all(|i| (bin.xs[i] - x).hypot(bin.ys[i] - y) >= bin.rs[i] + r - slack);
        inside && free
    });
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn candidates_are_all_free_tangent_positions(seed: u64, count in 1_usize..90, types in 1_usize..4) {
        let mut rng = Rng::new(seed);
        let radii: Vec<f64> = (0..types).map(|_| 0.2 + rng.unit()).collect();
        let shape = Shape::Rect { width: 10.0, height: 12.0 };
        let mut bin = Bin::new(shape, types, 0.5, 1e-10);
        // Lists read after every disc, and one that is read at the end only.
        for _ in 0..count {
            let kind = rng.index(types);
            let list = bin.candidates(kind, radii[kind]);
            if list.is_empty() {
                continue;
            }
            let spot = list[rng.index(list.len())];
            bin.add(kind as u16, spot.x, spot.y, radii[kind]);
        }
        let mut late = Bin::new(shape, types, 0.5, 1e-10);
        for i in 0..bin.len() {
            late.add(bin.types[i], bin.xs[i], bin.ys[i], bin.rs[i]);
        }
        for (kind, &r) in radii.iter().enumerate() {
            let expected = plain_candidates(&bin, r, 1e-10);
            let list: Vec<Candidate> = bin.candidates(kind, r).to_vec();
            prop_assert_eq!(late.candidates(kind, r), &list[..]);
            for &(x, y) in &expected {
                prop_assert!(list.iter().any(|spot| (spot.x - x).hypot(spot.y - y) < 1e-6), "({x}, {y}) is missing");
            }
            for spot in &list {
                prop_assert!(expected.iter().any(|&(x, y)| (spot.x - x).hypot(spot.y - y) < 1e-6), "{spot:?} is no candidate");
            }
        }
    }

    #[test]
    fn windows_hold_the_same_candidates(seed: u64, count in 1_usize..80, x in 0.0..10.0, y in 0.0..12.0, reach in 0.1..6.0) {
        let mut rng = Rng::new(seed);
        let shape = Shape::Rect { width: 10.0, height: 12.0 };
        let (mut whole, mut part) = (Bin::new(shape, 2, 0.5, 1e-10), Bin::new(shape, 2, 0.5, 1e-10));
        part.set_window(x, y, reach);
        let radii = [0.4, 0.9];
        for _ in 0..count {
            let kind = rng.index(2);
            let list = whole.candidates(kind, radii[kind]);
            if !list.is_empty() {
                let spot = list[rng.index(list.len())];
                whole.add(kind as u16, spot.x, spot.y, radii[kind]);
                part.add(kind as u16, spot.x, spot.y, radii[kind]);
                // Read now and then.
                if rng.chance(0.3) {
                    part.update(0, radii[0]);
                }
            }
        }
        for (kind, &r) in radii.iter().enumerate() {
            let inside = |spot: &&Candidate| (spot.x - x).hypot(spot.y - y) <= reach;
            let expected: Vec<(f64, f64)> = whole.candidates(kind, r).iter().filter(inside).map(|spot| (spot.x, spot.y)).collect();
            let found: Vec<(f64, f64)> = part.candidates(kind, r).iter().map(|spot| (spot.x, spot.y)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_grid_overlooks_nothing(seed: u64, count in 0_usize..300, size in 0.01..5.0, r in 0.01..3.0) {
        let mut rng = Rng::new(seed);
        let mut grid = Grid::default();
        grid.reset([-3.0, 1.0], [8.0, 5.0], size);
        // Some lie outside of the grid.
        let discs: Vec<[f64; 3]> =
            (0..count).map(|_| [rng.unit() * 12.0 - 5.0, rng.unit() * 9.0 - 1.0, rng.unit() * 2.0]).collect();
        for (at, disc) in discs.iter().enumerate() {
            grid.insert(at as u32, disc[0], disc[1], disc[2]);
        }
        for _ in 0..20 {
            let (x, y) = (rng.unit() * 12.0 - 5.0, rng.unit() * 9.0 - 1.0);
            let touches = |at: usize| (discs[at][0] - x).hypot(discs[at][1] - y) < discs[at][2] + r;
            let free = grid.all(x, y, r, |at| !touches(at));
            prop_assert_eq!(free, (0..count).all(|at| !touches(at)));
            let mut seen = Vec::new();
            grid.all(x, y, r, |at| { seen.push(at); true });
            for at in (0..count).filter(|&at| touches(at)) {
                prop_assert!(seen.contains(&at));
            }
        }
    }

    #[test]
    fn bounds_hold_along_playouts(seed: u64, types in 1_u64..6, count in 1_u64..40, rings: bool, fewest: bool) {
        let kind = if rings { "random" } else { "circles" };
        let order = generate(&format!("{kind}:{types}x{count}:{seed}")).unwrap();
        let objective = if fewest { Objective::Containers } else { Objective::Value };
        let problem = Packing::new(&order, Worth::Area, objective).unwrap();
        if let Err(violation) = soloist::check(&problem, 1, seed) {
            prop_assert!(false, "{violation}");
        }
    }
}

#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
#[test]
fn published_instances() {
    let folder = soloist_domain_testing::shared_data("packing").unwrap();
    let read = |name: &str| read(folder.join(name).to_str().unwrap()).unwrap();
    for (name, tubes) in [("s03i1", 130), ("s05i1", 80), ("s16i1", 177), ("s05i2", 800), ("ring1", 10), ("circle6", 6)]
    {
        let order = read(&format!("{name}.rpa"));
        assert_eq!(order.tubes().iter().map(|tube| tube.demand).sum::<u32>(), tubes, "{name}");
        assert_eq!(parse("x", write(&order).as_bytes()).unwrap(), order);
    }
    // Everything that is offered fits.
    let count = playouts(&read("s05i1.rpa"), Worth::Count, Objective::Value, "semi-greedy", 20, 1);
    assert!(count >= 77.0, "{count}");
    let count = playouts(&read("s03i1.rpa"), Worth::Count, Objective::Value, "semi-greedy", 20, 1);
    assert!(count >= 128.0, "{count}");
    let large = refined(&read("s05i2.rpa"), Worth::Area, Objective::Value, 1_000, 1);
    assert!(large > 36.5, "{large}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn squeezing_removes_overlaps_or_gives_up(seed: u64, count in 1_usize..40, fixed in 0_usize..3, hull: bool) {
        let order = order(10.0, 12.0, &[(40, 0.0, 0.4), (40, 0.0, 0.9), (40, 3.0, 5.0)]);
        let problem = area(&order);
        let kit = &problem.kit;
        let shape = if hull { Shape::Disc { radius: 5.0 } } else { kit.container };
        let ([left, bottom], [width, height]) = shape.frame();
        let mut rng = Rng::new(seed);
        let mut pieces: Vec<Piece> = (0..count)
            .map(|_| Piece { kind: rng.below(2) as u16, x: left + width * rng.unit(), y: bottom + height * rng.unit() })
            .collect();
        let fixed = fixed.min(count);
        let before = pieces.clone();
        let free = |pieces: &[Piece], slack: f64| {
            let r = |p: &Piece| kit.outer[p.kind as usize];
            pieces.iter().enumerate().all(|(i, p)| {
                let apart = pieces[..i].iter().enumerate().all(|(j, q)| {
                    i < fixed && j < fixed || (p.x - q.x).hypot(p.y - q.y) >= r(p) + r(q) - slack
                });
                apart && (i < fixed || shape.holds(p.x, p.y, r(p), slack))
            })
        };
        if OverlapSolver::default().run(kit, shape, &mut pieces, fixed) {
            prop_assert!(free(&pieces, kit.slack));
            prop_assert_eq!(&pieces[..fixed], &before[..fixed]);
            prop_assert!(pieces.iter().zip(&before).all(|(a, b)| a.kind == b.kind));
        } else {
            prop_assert_eq!(&pieces, &before);
            prop_assert!(!free(&pieces, 0.0));
        }
    }
}

#[test]
fn results_are_starts() {
    let instance = (DOMAIN.load)("random:5x80:7", &Options::new()).unwrap();
    let solve = |start: Vec<serde_json::Value>, playouts| {
        let setup = Some(Setup::from(Method::preset("sampling").unwrap()).rollout("semi-greedy"));
        let request = Request { setup, budget: Budget::playouts(playouts), start, ..Request::default() };
        instance.solve(request, &mut Unobserved).unwrap()
    };
    let known = solve(Vec::new(), 30);
    let text = serde_json::json!({ "moves": known.moves() }).to_string();
    let again = solve(vec![instance.start_from(&text).unwrap()], 0);
    assert_eq!((again.score(), again.moves()), (known.score(), known.moves()));
    for (text, message) in [
        ("{}", "holds no list `moves`"),
        (r#"{"moves": [[0, 5], [1]]}"#, "move 1: expected [type, place]"),
        (r#"{"moves": [[4096, 5]]}"#, "move 0: expected [type, place]"),
        (r#"{"moves": [[0, -1]]}"#, "move 0: expected [type, place]"),
    ] {
        assert_eq!(instance.start_from(text).unwrap_err(), message);
    }
}
