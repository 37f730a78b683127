//! Moves, playouts and weights against the rules and against plain playouts.

use super::*;
use soloist::Score;
use soloist::rollout::{Policy, Rollout, Trace, Uniform, policy_playout};

#[test]
fn first_moves() {
    for (variant, dots, count) in
        [(Variant::T5, 36, 28), (Variant::D5, 36, 28), (Variant::T4, 24, 40), (Variant::D4, 24, 40)]
    {
        assert_eq!(variant.cross().len(), dots);
        assert_eq!(moves(&cross(variant), &cross(variant).root()).len(), count, "{variant}");
        assert_eq!(replay(variant, &[]).unwrap().possible, count, "{variant}");
    }
}

/// Numbers of sequences of three moves.
#[test]
fn three_moves() {
    let counts = Variant::ALL.map(|variant| {
        let problem = cross(variant);
        let mut count = 0;
        for first in moves(&problem, &problem.root()) {
            let mut state = problem.root();
            problem.apply(&mut state, first);
            for second in moves(&problem, &state) {
                let mut next = state.clone();
                problem.apply(&mut next, second);
                count += next.choices();
            }
        }
        count
    });
    assert_eq!(counts, [18992, 18416, 52352, 50648]);
}

/// All moves of the search are legal, and there are as many as the rules allow, along random games.
#[test]
fn moves_are_those_of_the_rules() {
    let mut rng = Rng::new(3);
    for variant in Variant::ALL {
        let problem = cross(variant);
        for _ in 0..3 {
            let game = random_game(&problem, &mut rng);
            let strokes = problem.strokes(&game);
            assert_eq!(strokes.len(), game.len());
            let mut state = problem.root();
            for (played, &mv) in game.iter().enumerate() {
                if played % 5 == 0 {
                    let now = moves(&problem, &state);
                    assert_eq!(now.len() as u32, state.choices());
                    assert!(now.is_sorted_by(|a, b| a < b));
                    assert_eq!(replay(variant, &strokes[..played]).unwrap().possible, now.len(), "{variant}");
                    for &next in &now {
                        let stroke = problem.strokes(&[&game[..played], &[next]].concat())[played];
                        assert_eq!(problem.line(&state, &stroke), Some(next));
                        let all = [&strokes[..played], &[stroke]].concat();
                        assert!(replay(variant, &all).is_ok(), "{variant} {stroke}");
                    }
                }
                problem.apply(&mut state, mv);
            }
            assert_eq!((state.choices(), state.length()), (0, game.len() as u32));
            let played = replay(variant, &strokes).unwrap();
            assert_eq!((played.possible, played.steps.len()), (0, game.len()));
            assert_eq!(problem.score(&state), Score::Feasible(game.len() as f64));
        }
    }
}

#[test]
fn lines_that_may_not_be_drawn_change_nothing() {
    let problem = cross(Variant::D5);
    let mut state = problem.root();
    for mv in [0, 6399, 6400, u16::MAX] {
        problem.apply(&mut state, mv);
    }
    assert_eq!((state.length(), problem.key(&state)), (0, problem.key(&problem.root())));
    assert!(problem.strokes(&[u16::MAX]).is_empty());
    let off = Stroke { point: (i32::MAX, i32::MIN), direction: Direction::Rising, position: 3 };
    assert_eq!(problem.line(&state, &off), None);
}

/// The same lines in another order: the same key, the same moves in the same order.
#[test]
fn the_order_of_play_does_not_matter() {
    let mut rng = Rng::new(11);
    for variant in Variant::ALL {
        let problem = cross(variant);
        let mut compared = 0;
        for _ in 0..200 {
            let mut game = random_game(&problem, &mut rng);
            game.truncate(game.len() * 2 / 3);
            let mut state = problem.root();
            game.iter().for_each(|&mv| problem.apply(&mut state, mv));
            let (mut rest, mut other) = (game.clone(), problem.root());
            loop {
                let open = moves(&problem, &other);
                let ready: Vec<usize> = (0..rest.len()).filter(|&at| open.contains(&rest[at])).collect();
                let Some(&at) = ready.get(rng.index(ready.len())) else { break };
                problem.apply(&mut other, rest.swap_remove(at));
            }
            // Another order may give a line another new dot, and shut out a later one.
            if rest.is_empty() {
                compared += 1;
                assert_eq!(problem.key(&state), problem.key(&other));
                assert_eq!(moves(&problem, &state), moves(&problem, &other));
                assert_eq!(state.length(), other.length());
            } else {
                assert_ne!(problem.key(&state), problem.key(&other));
            }
        }
        assert!(compared > 20, "{variant}: {compared}");
    }
}

/// A program without any of this code had 54.4 and 44.1, with standard errors of 1.6 and 1.2.
#[test]
fn uniform_playouts_have_the_known_mean() {
    for (variant, low, high) in [(Variant::T5, 52.0, 56.0), (Variant::D5, 41.0, 45.0)] {
        let (problem, mut rng) = (cross(variant), Rng::new(1));
        let total: usize = (0..2000).map(|_| random_game(&problem, &mut rng).len()).sum();
        let mean = total as f64 / 2000.0;
        assert!((low..high).contains(&mean), "{variant}: {mean}");
    }
}

#[test]
fn fast_playouts_draw_what_the_plain_ones_draw() {
    for variant in Variant::ALL {
        let problem = cross(variant);
        let mut random = soloist::rollout::find_rollout(&problem, "random").unwrap();
        let (mut rng, mut plain_rng) = (Rng::new(5), Rng::new(5));
        let (mut fast, mut plain) = (Playout::default(), Playout::default());
        for _ in 0..50 {
            let (mut state, mut plain_state) = (problem.root(), problem.root());
            fast.moves.clear();
            plain.moves.clear();
            random.run(&problem, &mut state, &mut fast, &mut rng);
            Uniform.run(&problem, &mut plain_state, &mut plain, &mut plain_rng);
            assert_eq!((&fast, &rng), (&plain, &plain_rng));
            assert_eq!(problem.key(&state), problem.key(&plain_state));
        }
    }
}

/// The same moves, and the same weights after adaptation, whatever was learned before and wherever the playout starts.
#[test]
fn fast_policy_playouts_are_the_plain_ones() {
    for (variant, bias_weight) in [(Variant::T5, 0.0), (Variant::D5, 0.0), (Variant::T4, 0.0), (Variant::D4, 0.5)] {
        let problem = cross(variant);
        let mut random = soloist::rollout::find_rollout(&problem, "random").unwrap();
        let (mut rng, mut plain_rng) = (Rng::new(8), Rng::new(8));
        let mut policy = Policy::new(1.0, bias_weight, 3.0);
        let mut plain_policy = policy.clone();
        let mut best: Option<(Trace<u16>, Trace<u16>)> = None;
        for round in 0..120 {
            let (mut trace, mut plain) = (Trace::default(), Trace::default());
            let mut states = [problem.root(), problem.root()];
            if round % 3 == 0 && bias_weight == 0.0 {
                // A trace that goes on, from a position on the way.
                for _ in 0..round / 3 {
                    let open = moves(&problem, &states[0]);
                    let Some(&mv) = open.get(round % open.len().max(1)) else { break };
                    for trace in [&mut trace, &mut plain] {
                        for &other in &open {
                            trace.offer(u64::from(other), &policy);
                        }
                        trace.choose(round % open.len(), open.len(), mv);
                    }
                    states.iter_mut().for_each(|state| problem.apply(state, mv));
                }
            }
            random.run_policy(&problem, &mut states[0], &policy, &mut trace, &mut rng);
            policy_playout(&mut Uniform, &problem, &mut states[1], &plain_policy, &mut plain, &mut plain_rng);
            assert_eq!((&trace.moves, &rng), (&plain.moves, &plain_rng), "{variant}, round {round}");
            assert_eq!((trace.steps(), states[0].choices()), (plain.steps(), 0));
            assert_eq!(problem.key(&states[0]), problem.key(&states[1]));
            if bias_weight == 0.0 && round % 3 != 0 {
                assert!(trace.lifetimes().len() * 2 < plain.lifetimes().len());
            }
            if best.as_ref().is_none_or(|best| trace.steps() >= best.0.steps()) {
                best = Some((trace, plain));
            }
            let (trace, plain) = best.as_ref().unwrap();
            policy.adapt(trace, 1.0);
            plain_policy.adapt(plain, 1.0);
            for code in 0..u64::from(problem.facts().code_count.unwrap()) {
                assert_eq!(policy.logit(code).to_bits(), plain_policy.logit(code).to_bits(), "{variant}, code {code}");
            }
        }
    }
}

#[test]
fn parallel_lines_touch_in_one_variant_only() {
    let touching = |variant| {
        let mut count = 0;
        let (problem, mut rng) = (cross(variant), Rng::new(2));
        for _ in 0..20 {
            let strokes = problem.strokes(&random_game(&problem, &mut rng));
            let played = replay(variant, &strokes).unwrap();
            for (index, step) in played.steps.iter().enumerate() {
                let touches = |other: &PlayedStroke| {
                    other.stroke.direction == step.stroke.direction
                        && (other.ends.0 == step.ends.1 || other.ends.1 == step.ends.0)
                };
                count += played.steps[..index].iter().filter(|other| touches(other)).count();
            }
        }
        count
    };
    assert!(touching(Variant::T5) > 20 && touching(Variant::T4) > 20);
    assert_eq!((touching(Variant::D5), touching(Variant::D4)), (0, 0));
}
