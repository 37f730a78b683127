//! The tile games as search problems: promises kept, fast playouts equal to the plain definition, engines equal.

use soloist::problem::{Extras, Prior};
use soloist::rollout::{NamedRollout, Policy, Rollout, Trace, policy_playout};
use soloist::{Budget, Method, Problem, Rng, Score, Sense, Solver};
use soloist_tiles::kernel::{Engine, Geometry, Large, Small};
use soloist_tiles::{Game, Penalty, Position, ROLLOUTS, Solution, TileRollout, Tiles, generate, verify};

fn tiles<G: Geometry>(spec: &str, game: Game, engine: Engine) -> Tiles<G> {
    let grid = generate(spec).unwrap();
    Tiles::new(&grid, game, Penalty::Schadd, engine).unwrap()
}

const BOARDS: [&str; 7] = [
    "random:1x9x2:1",
    "random:9x1x2:2",
    "random:4x5x2:3",
    "random:8x8x3:4",
    "random:15x15x5:5",
    "random:15x16x7:6",
    "random:12x14x2:7",
];

#[test]
fn the_problem_keeps_its_promises() {
    for game in Game::ALL {
        for board in BOARDS {
            soloist::check(&tiles::<Small>(board, game, Engine::Portable), 30, 1).unwrap();
            soloist::check(&tiles::<Large>(board, game, Engine::Portable), 10, 2).unwrap();
        }
        soloist::check(&tiles::<Large>("random:20x20x10:8", game, Engine::Portable), 10, 3).unwrap();
        soloist::check(&tiles::<Large>("random:31x32x15:9", game, Engine::Portable), 2, 4).unwrap();
    }
}

/// The same problem without any fast code: rollouts offer candidates, the engine does the rest.
struct Plain<G: Geometry>(Tiles<G>);

struct PlainRollout<G: Geometry>(TileRollout<G>);

impl<G: Geometry> Problem for Plain<G> {
    type State = Position<G>;
    type Move = u16;
    fn root(&self) -> Self::State {
        self.0.root()
    }
    fn moves(&self, state: &Self::State, moves: &mut Vec<u16>) {
        self.0.moves(state, moves);
    }
    fn apply(&self, state: &mut Self::State, mv: u16) {
        self.0.apply(state, mv);
    }
    fn score(&self, state: &Self::State) -> Score {
        self.0.score(state)
    }
    fn sense(&self) -> Sense {
        self.0.sense()
    }
    fn code(&self, state: &Self::State, mv: u16) -> u64 {
        self.0.code(state, mv)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl<G: Geometry> Extras<Self> for Plain<G> {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        NamedRollout::list(ROLLOUTS, |_, name| Some(Box::new(PlainRollout(TileRollout::named(name)?))))
    }
}

impl<G: Geometry> Prior<Plain<G>> for Plain<G> {
    fn bias(&self, state: &<Plain<G> as Problem>::State, mv: u16) -> f64 {
        self.0.bias(state, mv)
    }
}

impl<G: Geometry> Rollout<Plain<G>> for PlainRollout<G> {
    fn candidates(&mut self, problem: &Plain<G>, state: &Position<G>, moves: &mut Vec<u16>) {
        self.0.candidates(&problem.0, state, moves);
    }
    fn variants(&self, problem: &Plain<G>) -> usize {
        self.0.variants(&problem.0)
    }
    fn set_variant(&mut self, variant: usize) {
        Rollout::<Tiles<G>>::set_variant(&mut self.0, variant);
    }
}

fn nrpa(playouts: u64) -> (Method, Budget) {
    let mut method = Method::preset("nrpa").unwrap();
    for (name, value) in [("level", "3"), ("iterations", "12"), ("playouts", "2"), ("arms", "4"), ("race", "1")] {
        method.set(name, value).unwrap();
    }
    (method, Budget::playouts(playouts))
}

fn same_as_plain<G: Geometry>(board: &str, rollout: &str, playouts: u64) {
    let (method, budget) = nrpa(playouts);
    let fast = tiles::<G>(board, Game::SameGame, Engine::detect().unwrap());
    let plain = Plain(fast.clone());
    let fast = Solver::new(&fast, method.clone()).rollout(rollout).budget(budget.clone()).seed(3).run().unwrap();
    let plain = Solver::new(&plain, method).rollout(rollout).budget(budget).seed(3).run().unwrap();
    assert_eq!(fast.best, plain.best, "{board} {rollout}");
    assert_eq!(fast.history, plain.history, "{board} {rollout}");
}

#[test]
fn the_fast_policy_playout_is_the_plain_one() {
    for board in BOARDS {
        for rollout in ["selective", "random", "tabu-bandit"] {
            same_as_plain::<Small>(board, rollout, 1500);
            same_as_plain::<Large>(board, rollout, 300);
        }
    }
    same_as_plain::<Large>("random:20x20x10:8", "selective", 300);
    same_as_plain::<Large>("random:31x32x3:9", "selective", 60);
}

/// With biases the same moves are drawn. Adaptation sums over lifetimes, which are rounded less often.
fn biased_as_plain<G: Geometry>(board: &str, name: &str, rounds: u64) {
    let problem = tiles::<G>(board, Game::SameGame, Engine::detect().unwrap());
    let plain = Plain(problem.clone());
    let mut policy = Policy::new(1.0, 0.4, f64::INFINITY);
    let (mut fast, mut slow) = (TileRollout::named(name).unwrap(), PlainRollout(TileRollout::named(name).unwrap()));
    for seed in 0..rounds {
        let (mut trace, mut plain_trace) = (Trace::default(), Trace::default());
        let (mut state, mut plain_state) = (problem.root(), plain.root());
        fast.run_policy(&problem, &mut state, &policy, &mut trace, &mut Rng::new(seed));
        policy_playout(&mut slow, &plain, &mut plain_state, &policy, &mut plain_trace, &mut Rng::new(seed));
        assert_eq!((&state, &trace.moves), (&plain_state, &plain_trace.moves), "{board} {name}, round {seed}");
        let mut other = policy.clone();
        other.adapt(&plain_trace, 1.0);
        policy.adapt(&trace, 1.0);
        for life in plain_trace.lifetimes() {
            let (a, b) = (policy.logit(life.code), other.logit(life.code));
            assert!((a - b).abs() < 1e-9, "{board} {name}, round {seed}: {a} and {b}");
        }
    }
}

#[test]
fn biased_playouts_are_the_plain_ones() {
    for board in BOARDS {
        for name in ["selective", "random"] {
            biased_as_plain::<Small>(board, name, 60);
            biased_as_plain::<Large>(board, name, 20);
        }
    }
}

#[test]
fn engines_and_layouts_play_the_same() {
    let mut methods: Vec<Method> = Method::presets().iter().map(|preset| preset.method()).collect();
    methods.push(nrpa(0).0);
    for (board, playouts) in [("random:8x8x3:4", 200), ("random:15x15x5:5", 60)] {
        for method in &methods {
            for rollout in ROLLOUTS {
                let run = |problem: &Tiles<Small>| {
                    let solver = Solver::new(problem, method.clone()).rollout(rollout.name).seed(5);
                    // Some searches visit many states before they finish a game.
                    let budget = Budget { nodes: Some(10 * playouts), ..Budget::playouts(playouts) };
                    solver.budget(budget).run().unwrap()
                };
                let runs: Vec<_> = Engine::ALL
                    .into_iter()
                    .filter(|engine| engine.is_supported())
                    .map(|engine| run(&tiles(board, Game::SameGame, engine)))
                    .collect();
                for other in &runs[1..] {
                    assert_eq!(runs[0].best, other.best, "{board} {method:?} {}", rollout.name);
                    assert_eq!(runs[0].history, other.history, "{board} {method:?} {}", rollout.name);
                }
            }
        }
    }
}

#[test]
fn scores_are_the_verifiers() {
    for game in Game::ALL {
        for board in BOARDS {
            let grid = generate(board).unwrap();
            for penalty in Penalty::ALL {
                let problem = Tiles::<Small>::new(&grid, game, penalty, Engine::Portable).unwrap();
                let solver = Solver::new(&problem, Method::preset("uct").unwrap()).rollout("random-cell");
                let best = solver.budget(Budget::playouts(50)).run().unwrap().best.unwrap();
                let moves = Solution::of_moves(best.moves.iter().map(|&cell| problem.place(cell)));
                let played = verify(&grid, game, Some(penalty), &moves).unwrap();
                assert_eq!(best.score, Score::Feasible(played.score as f64), "{board} {game}");
            }
        }
    }
}

/// Along a game on every engine: what ranks states and biases moves, recomputed group by group.
#[test]
fn potentials_and_biases_are_sums_over_groups() {
    for game in Game::ALL {
        for engine in Engine::ALL.into_iter().filter(|engine| engine.is_supported()) {
            let problem = tiles::<Small>("random:8x8x3:4", game, engine);
            let (mut state, mut moves, mut terms) = (problem.root(), Vec::new(), Vec::new());
            let frequent = problem.colors()[0];
            loop {
                moves.clear();
                problem.moves(&state, &mut moves);
                let sizes = moves.iter().map(|&mv| state.board.group_size(mv) as usize);
                let groups: i64 = sizes.map(|size| game.points(size)).sum();
                assert_eq!(problem.potential(&state), Some((state.points + groups) as f64));
                for &mv in &moves {
                    terms.clear();
                    Prior::terms(&problem, &state, mv, &mut terms);
                    assert_eq!(terms.iter().sum::<f64>(), problem.bias(&state, mv));
                    assert_eq!(terms[0], f64::from(state.board.group_size(mv) - 2).min(8.0));
                    assert_eq!(terms[1] == -1.0, state.board.color_at(mv) == frequent);
                }
                let Some(&mv) = moves.last() else { break };
                problem.apply(&mut state, mv);
            }
        }
    }
}

#[test]
fn equal_keys_have_equal_moves() {
    let mut pairs = 0;
    for game in Game::ALL {
        for board in ["random:3x4x2:1", "random:4x4x2:2", "random:5x5x2:3", "random:4x6x3:4", "random:6x6x3:5"] {
            pairs += soloist_domain_testing::check_keys(&tiles::<Small>(board, game, Engine::Portable), 300, 1);
            pairs += soloist_domain_testing::check_keys(&tiles::<Large>(board, game, Engine::Portable), 100, 2);
        }
    }
    assert!(pairs > 1_000, "{pairs}");
}
