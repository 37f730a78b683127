//! The tile-game kernels against a naive oracle, against each other and against published means.

use proptest::prelude::*;
use soloist::Rng;
use soloist_domain_testing::published_data;
use soloist_tiles::kernel::geometry::{base_of, contains, lowest, spread, window};
use soloist_tiles::kernel::group::{code, flood_from, flood_lowest, flood_smallest};
use soloist_tiles::kernel::ops::PORTABLE;
use soloist_tiles::kernel::{Board, Engine, Extent, Geometry, Large, Policy, Small, playout};
use soloist_tiles::{Game, Penalty};

/// Columns of colours from the bottom, nothing stored above a column's top.
#[derive(Clone, Debug, PartialEq)]
struct Oracle(Vec<Vec<u8>>);

impl Oracle {
    fn new(rows: &[Vec<u8>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        Self((0..columns).map(|c| rows.iter().rev().map(|r| r[c]).filter(|&v| v > 0).collect()).collect())
    }
    fn at(&self, c: i32, r: i32) -> u8 {
        let column = usize::try_from(c).ok().and_then(|c| self.0.get(c));
        column.zip(usize::try_from(r).ok()).and_then(|(col, r)| col.get(r)).copied().unwrap_or(0)
    }
    fn flood(&self, c: i32, r: i32) -> Vec<(i32, i32)> {
        let color = self.at(c, r);
        let mut seen = Vec::new();
        let mut visited = [[false; 32]; 33];
        let mut stack = vec![(c, r)];
        while let Some((c, r)) = stack.pop() {
            if color == 0 || self.at(c, r) != color || visited[c as usize][r as usize] {
                continue;
            }
            visited[c as usize][r as usize] = true;
            seen.push((c, r));
            stack.extend([(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)]);
        }
        seen.sort_unstable();
        seen
    }
    /// Groups of at least two, by smallest cell.
    fn groups(&self) -> Vec<Vec<(i32, i32)>> {
        let mut out = Vec::new();
        for (c, column) in self.0.iter().enumerate() {
            for r in 0..column.len() {
                let (c, r) = (c as i32, r as i32);
                let group = self.flood(c, r);
                if group.len() > 1 && group[0] == (c, r) {
                    out.push(group);
                }
            }
        }
        out
    }
    fn remove(&mut self, group: &[(i32, i32)]) {
        for &(c, r) in group.iter().rev() {
            self.0[c as usize].remove(r as usize);
        }
        self.0.retain(|column| !column.is_empty());
    }
    fn rows(&self, rows: usize, columns: usize) -> Vec<Vec<u8>> {
        (0..rows).rev().map(|r| (0..columns).map(|c| self.at(c as i32, r as i32)).collect()).collect()
    }
}

fn random_rows(rows: usize, columns: usize, colors: usize, rng: &mut Rng) -> Vec<Vec<u8>> {
    (0..rows).map(|_| (0..columns).map(|_| 1 + rng.index(colors) as u8).collect()).collect()
}

fn engines() -> impl Iterator<Item = Engine> {
    Engine::ALL.into_iter().filter(|e| e.is_supported())
}

fn policies(tabu: u8) -> Vec<Policy> {
    vec![
        Policy::Random,
        Policy::RandomCell,
        Policy::TabuRandom { epsilon: 0.2 },
        Policy::TabuColor { epsilon: 0.05 },
        Policy::TabuFixed { epsilon: 0.05, tabu: 0 },
        Policy::TabuFixed { epsilon: 0.1, tabu: 2 },
        Policy::TabuFixed { epsilon: 0.0, tabu: 1 },
        Policy::TabuFixed { epsilon: 1.0, tabu: 1 },
        Policy::Roulette,
        Policy::Tabu { tabu: 0 },
        Policy::Tabu { tabu: 1 },
        Policy::Selective { tabu, played: 0 },
        Policy::Selective { tabu, played: 30 },
    ]
}

/// The points at the end of a SameGame.
fn end_points(board: &Board<Small>, penalty: Penalty) -> i64 {
    Game::SameGame.end_points(penalty, &board.color_counts().map(|count| count as usize)[1..])
}

/// Whether Cazenave's rules allow a group, from their wording.
fn selective_allows(oracle: &Oracle, group: &[(i32, i32)], tabu: u8, played: usize) -> bool {
    let color = |g: &[(i32, i32)]| oracle.at(g[0].0, g[0].1);
    let mut components = 0;
    for (c, column) in oracle.0.iter().enumerate() {
        for r in 0..column.len() {
            let (c, r) = (c as i32, r as i32);
            components += usize::from(oracle.at(c, r) == tabu && oracle.flood(c, r)[0] == (c, r));
        }
    }
    let legal = |g: &[(i32, i32)]| components <= 1 || color(g) != tabu || (g.len() == 2 && played > 10);
    legal(group) || !oracle.groups().iter().any(|g| legal(g))
}

/// The game's state as a naive player of a policy sees it.
struct Player<'a> {
    policy: Policy,
    extent: Extent,
    /// The most frequent colour at the start, or the colour drawn there.
    tabu: u8,
    exceptions: Exceptions,
    rng: &'a mut Rng,
}

/// How the exceptions from a tabu are drawn.
enum Exceptions {
    /// One draw for each tabu cell passed.
    Each,
    /// As the kernels do: how many tabu cells of the coming positions are none. Those that a scan does not pass count,
    /// too.
    Ahead(u64),
}

/// Failures before the first success of trials.
fn geometric(epsilon: f64, rng: &mut Rng) -> u64 {
    let unit = rng.unit();
    if epsilon == 0.0 { u64::MAX } else { ((1.0 - unit).ln() / (1.0 - epsilon).ln()) as u64 }
}

/// The epsilon of the policies that scan for a cell.
fn epsilon(policy: Policy) -> Option<f64> {
    match policy {
        Policy::TabuRandom { epsilon } | Policy::TabuFixed { epsilon, .. } | Policy::TabuColor { epsilon } => {
            Some(epsilon)
        }
        _ => None,
    }
}

impl Player<'_> {
    /// The smallest cell of the next group, from the wording of the policies: cells one by one, lists of groups.
    fn pick(&mut self, oracle: &Oracle, ply: usize) -> Option<(i32, i32)> {
        let groups = oracle.groups();
        if groups.is_empty() {
            return None;
        }
        let color = |g: &[(i32, i32)]| oracle.at(g[0].0, g[0].1);
        let legal = |g: &[(i32, i32)]| match self.policy {
            Policy::Tabu { .. } => color(g) != self.tabu || groups.iter().all(|g| color(g) == self.tabu),
            Policy::Selective { tabu, played } => selective_allows(oracle, g, tabu, played + ply),
            _ => true,
        };
        match self.policy {
            Policy::Random | Policy::Tabu { .. } | Policy::Selective { .. } => {
                // Cells without an equal one below or to the left, in index order, drawn until one is smallest. A legal
                // tabu group next to forbidden ones is a pair, with one such cell.
                let mut starts = Vec::new();
                for group in groups.iter().filter(|g| legal(g)) {
                    let start = |&&(c, r): &&(i32, i32)| !group.contains(&(c - 1, r)) && !group.contains(&(c, r - 1));
                    starts.extend(group.iter().filter(start).map(|&cell| (cell, cell == group[0])));
                }
                starts.sort_unstable();
                loop {
                    let (cell, smallest) = starts[self.rng.index(starts.len())];
                    if smallest {
                        return Some(cell);
                    }
                }
            }
            Policy::Roulette => {
                // A uniform cell of the groups of other colours, if there are any.
                let grown = self.tabu;
                let cells_of = |of_grown: bool| {
                    let groups = groups.iter().filter(|g| (color(g) == grown) == of_grown);
                    groups.flatten().copied().collect::<Vec<_>>()
                };
                let others = cells_of(false);
                let mut cells = if others.is_empty() { cells_of(true) } else { others };
                cells.sort_unstable();
                let (c, r) = cells[self.rng.index(cells.len())];
                return Some(oracle.flood(c, r)[0]);
            }
            Policy::TabuColor { .. } => {
                let count = |color| oracle.0.iter().flatten().filter(|&&c| c == color).count();
                self.tabu = (1..16).rev().max_by_key(|&c| count(c)).expect("colours");
            }
            Policy::RandomCell => self.tabu = 0,
            Policy::TabuRandom { .. } | Policy::TabuFixed { .. } => {}
        }
        let epsilon = epsilon(self.policy).unwrap_or(0.0);
        let cells = self.extent.rows * self.extent.columns;
        let start = self.rng.index(cells);
        let banned = groups.iter().filter(|g| color(g) == self.tabu).map(|g| g.len() as u64).sum();
        let mut accepted = None;
        if let Exceptions::Ahead(failures) = &mut self.exceptions {
            if *failures >= banned {
                *failures -= banned;
            } else {
                accepted = Some(*failures);
                *failures = geometric(epsilon, self.rng);
            }
        }
        let mut last = None;
        let mut passed = 0;
        for i in 0..cells {
            let i = (start + i) % cells;
            let (c, r) = ((i / self.extent.rows) as i32, (i % self.extent.rows) as i32);
            let group = oracle.flood(c, r);
            if group.len() > 1 {
                last = Some(group[0]);
                let exception = match self.exceptions {
                    Exceptions::Each => oracle.at(c, r) == self.tabu && self.rng.chance(epsilon),
                    Exceptions::Ahead(_) => accepted == Some(passed),
                };
                if exception || oracle.at(c, r) != self.tabu {
                    break;
                }
                passed += 1;
            }
        }
        last
    }
}

/// However a group is found, it has the same cells and the same code.
fn compare_floods<G: Geometry>(board: &Board<G>) {
    let links = board.links();
    let mut rest = links.cells();
    while let Some(cell) = lowest::<G>(&rest) {
        let group = flood_lowest(PORTABLE, &links, cell);
        let color = board.color_at(cell as u16);
        let (mask, name) = (group.mask(), code(color, &group));
        assert_eq!(mask, board.group_mask(cell as u16));
        for other in (0..G::WORDS * 64).filter(|&c| contains::<G>(&mask, c)) {
            let again = flood_from(PORTABLE, &links, other);
            assert_eq!((again.cell, again.size, again.mask()), (cell, group.size, mask));
            assert_eq!(code(color, &again), name);
            match flood_smallest(PORTABLE, &links, other) {
                Some(found) => assert_eq!((other, found.mask(), code(color, &found)), (cell, mask, name)),
                None => assert_ne!(other, cell),
            }
        }
        for w in 0..G::WORDS {
            rest[w] &= !mask[w];
        }
    }
}

/// Follows a game of every policy on every engine with the oracle.
fn follow<G: Geometry>(rows: &[Vec<u8>], seed: u64) {
    let lane = G::LANE as u16;
    let extent = Extent { rows: rows.len(), columns: rows[0].len() };
    let start = Board::<G>::from_rows(rows).expect("a board");
    assert_eq!(start.to_rows(extent.rows, extent.columns), rows);
    let game = Game::BubbleBreaker;
    for policy in policies(start.most_frequent()) {
        let mut reference = None;
        for engine in engines() {
            let (mut rng, mut moves, mut end) = (Rng::new(seed), Vec::new(), start);
            let points = playout(engine, policy, game, extent, &mut end, &mut rng, &mut moves);
            let result = (moves, points, end, rng);
            match &reference {
                None => reference = Some(result),
                Some(first) => assert_eq!(first, &result, "{engine:?} {policy:?} {rows:?}"),
            }
        }
        if matches!(policy, Policy::Selective { .. }) && extent.rows * extent.columns > 500 {
            // The engines agree. The plain form of this policy takes many seconds on boards of this size.
            continue;
        }
        let (moves, points, end, after) = reference.expect("the portable engine");
        let (mut board, mut oracle, mut sum) = (start, Oracle::new(rows), 0);
        let mut listed = Vec::new();
        let mut rng = Rng::new(seed);
        let tabu = match policy {
            Policy::TabuRandom { .. } => {
                let present: Vec<u8> = (1..16).filter(|c| rows.iter().flatten().any(|v| v == c)).collect();
                present[rng.index(present.len())]
            }
            Policy::Tabu { tabu: 1 } => 1,
            Policy::TabuFixed { tabu, .. } if tabu > 0 => tabu,
            Policy::Roulette => {
                // As many tickets for a colour as the fourth power of its tiles, colours in order.
                let count = |c| rows.iter().flatten().filter(|&&v| v == c).count() as u64;
                let sold = |c| (1..=c).map(|c| count(c).pow(4)).sum::<u64>();
                let ticket = rng.below(sold(15));
                (1..16).find(|&c| ticket < sold(c)).expect("a colour")
            }
            _ => start.most_frequent(),
        };
        let exceptions = Exceptions::Ahead(epsilon(policy).map_or(0, |epsilon| geometric(epsilon, &mut rng)));
        let mut player = Player { policy, extent, tabu, exceptions, rng: &mut rng };
        for (ply, &cell) in moves.iter().enumerate() {
            let groups = oracle.groups();
            board.groups(&mut listed);
            let smallest: Vec<u16> = groups.iter().map(|g| g[0].0 as u16 * lane + g[0].1 as u16).collect();
            assert_eq!(listed, smallest);
            let group = &groups[listed.binary_search(&cell).expect("a legal move")];
            let color = oracle.at(group[0].0, group[0].1);
            assert_eq!(player.pick(&oracle, ply), Some(group[0]), "{policy:?} {rows:?}");
            // All floods of a large board take long: not after every move.
            if policy == Policy::RandomCell && (ply % 16 == 0 || extent.rows * extent.columns < 100) {
                compare_floods(&board);
            }
            let before = board;
            let code = board.group_code(cell);
            let any = &group[(seed as usize + ply) % group.len()];
            let any = any.0 as u16 * lane + any.1 as u16;
            assert_eq!(board.group_code(any), code);
            assert_eq!(board.color_at(any), color);
            assert_eq!(board.play(any) as usize, group.len());
            oracle.remove(group);
            let changed = board.changed(&before);
            for cell in 0..(G::WORDS * 64) as u16 {
                let differs = board.color_at(cell) != before.color_at(cell);
                assert_eq!(contains::<G>(&changed, usize::from(cell)), differs);
            }
            assert_eq!(board.to_rows(extent.rows, extent.columns), oracle.rows(extent.rows, extent.columns));
            sum += game.points(group.len());
        }
        assert_eq!(player.pick(&oracle, moves.len()), None);
        assert_eq!(rng, after);
        assert_eq!((board, sum), (end, points));
        assert_eq!(board.tiles() as usize, oracle.0.iter().map(Vec::len).sum::<usize>());
        assert_eq!(board.play(0), 0);
    }
}

#[test]
fn games_of_many_sizes() {
    let mut rng = Rng::new(11);
    let mut games = 0;
    for (rows, columns, colors) in [
        (1, 1, 1),
        (1, 16, 2),
        (15, 1, 2),
        (1, 5, 1),
        (15, 16, 1),
        (15, 16, 2),
        (15, 16, 3),
        (15, 16, 5),
        (15, 16, 7),
        (15, 15, 5),
        (15, 4, 3),
        (3, 16, 2),
        (2, 2, 2),
        (6, 14, 3),
    ] {
        // The plain oracle takes long on large boards.
        for _ in 0..if rows * columns < 100 { 5 } else { 1 } {
            let board = random_rows(rows, columns, colors, &mut rng);
            follow::<Small>(&board, rng.next_u64());
            follow::<Large>(&board, rng.next_u64());
            games += 1;
        }
    }
    for (rows, columns, colors) in
        [(20, 20, 10), (31, 32, 15), (31, 32, 3), (31, 2, 2), (2, 32, 2), (31, 32, 1), (16, 17, 4)]
    {
        follow::<Large>(&random_rows(rows, columns, colors, &mut rng), rng.next_u64());
        games += 1;
    }
    assert!(games > 45, "{games}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_small_board(rows in 1_usize..=15, columns in 1_usize..=16, colors in 1_usize..=7, seed: u64) {
        follow::<Small>(&random_rows(rows, columns, colors, &mut Rng::new(seed)), seed);
    }
    #[test]
    fn settled_boards_are_read_back(heights in prop::collection::vec(1_usize..=15, 1..=16), seed: u64) {
        let mut rng = Rng::new(seed);
        let oracle = Oracle(heights.iter().map(|&h| (0..h).map(|_| 1 + rng.index(3) as u8).collect()).collect());
        follow::<Small>(&oracle.rows(15, heights.len()), seed);
    }
}

#[test]
fn codes_are_distinct_and_stable() {
    let mut seen = std::collections::HashMap::new();
    let mut rng = Rng::new(3);
    let mut list = Vec::new();
    for _ in 0..300 {
        let board = Board::<Small>::from_rows(&random_rows(15, 15, 3, &mut rng)).expect("a board");
        board.groups(&mut list);
        for &cell in &list {
            let key = (board.color_at(cell), board.group_mask(cell));
            assert_eq!(*seen.entry(board.group_code(cell)).or_insert(key), key);
        }
    }
    assert!(seen.len() > 3_000);
    let board = Board::<Small>::from_rows(&[vec![1, 1, 2]]).expect("a board");
    assert_eq!(board.group_code(0), Board::<Small>::from_rows(&[vec![1, 1, 3]]).expect("a board").group_code(16));
}

#[test]
fn bad_rows_are_refused() {
    assert!(Board::<Small>::from_rows(&vec![vec![1; 3]; 16]).is_err());
    assert!(Board::<Small>::from_rows(&[vec![1, 8]]).is_err());
    assert!(Board::<Small>::from_rows(&[vec![1, 2], vec![1]]).is_err());
    assert!(Board::<Small>::from_rows(&[vec![1], vec![0]]).is_err());
    assert!(Board::<Small>::from_rows(&[vec![1, 0, 1]]).is_err());
    assert!(Engine::named("fast").is_err_and(|text| text.contains("portable")));
}

#[test]
fn first_moves_are_uniform() {
    // Groups with several local minima, so that rejection has something to do.
    let rows = vec![vec![1, 2, 1, 1, 2, 2], vec![1, 1, 1, 2, 3, 3], vec![2, 1, 2, 2, 3, 1], vec![2, 2, 2, 1, 1, 1]];
    let board = Board::<Small>::from_rows(&rows).expect("a board");
    let mut groups = Vec::new();
    board.groups(&mut groups);
    assert!(groups.len() >= 5);
    let draws = 40_000;
    let mut counts = vec![0_u32; groups.len()];
    let (mut rng, mut moves) = (Rng::new(5), Vec::new());
    let extent = Extent { rows: 4, columns: 6 };
    for _ in 0..draws {
        moves.clear();
        playout(Engine::Portable, Policy::Random, Game::SameGame, extent, &mut board.clone(), &mut rng, &mut moves);
        counts[groups.binary_search(&moves[0]).expect("a group")] += 1;
    }
    let expected = f64::from(draws) / groups.len() as f64;
    let chi: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
    // Mean + 5 standard deviations of chi-square.
    let freedom = (groups.len() - 1) as f64;
    assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt(), "{counts:?}");
}

/// Drawing exceptions ahead gives the playouts that a draw for each tabu cell gives.
#[test]
fn exceptions_are_as_frequent_as_asked() {
    let rows = random_rows(8, 8, 3, &mut Rng::new(1));
    let start = Board::<Small>::from_rows(&rows).expect("a board");
    let extent = Extent { rows: 8, columns: 8 };
    for epsilon in [0.01, 0.2] {
        let policy = Policy::TabuFixed { epsilon, tabu: 1 };
        let n = 5_000;
        // Moves, points, tabu groups among the first five moves; by kernel and by player.
        let mut samples: [Vec<[f64; 3]>; 2] = Default::default();
        let mut rng = Rng::new(6);
        for _ in 0..n {
            let mut moves = Vec::new();
            let game = Game::SameGame;
            let points = playout(Engine::Portable, policy, game, extent, &mut start.clone(), &mut rng, &mut moves);
            let mut board = start;
            let mut early = 0;
            for &cell in moves.iter().take(5) {
                early += u32::from(board.color_at(cell) == 1);
                board.play(cell);
            }
            samples[0].push([moves.len() as f64, points as f64, f64::from(early)]);
            let mut oracle = Oracle::new(&rows);
            let (mut ply, mut points, mut early) = (0, 0, 0);
            let mut player = Player { policy, extent, tabu: 1, exceptions: Exceptions::Each, rng: &mut rng };
            while let Some((c, r)) = player.pick(&oracle, ply) {
                early += u32::from(ply < 5 && oracle.at(c, r) == 1);
                let group = oracle.flood(c, r);
                points += game.points(group.len());
                oracle.remove(&group);
                ply += 1;
            }
            samples[1].push([ply as f64, points as f64, f64::from(early)]);
        }
        for i in 0..3 {
            let [(mean, error), (other, other_error)] = [&samples[0], &samples[1]].map(|list| {
                let mean = list.iter().map(|v| v[i]).sum::<f64>() / f64::from(n);
                let variance = list.iter().map(|v| (v[i] - mean).powi(2)).sum::<f64>() / f64::from(n);
                (mean, (variance / f64::from(n)).sqrt())
            });
            let z = (mean - other) / error.hypot(other_error);
            assert!(z.abs() < 4.0, "epsilon {epsilon}, {i}: {mean} +- {error}, {other} +- {other_error}");
            assert!(i < 2 || mean > epsilon, "the tabu colour was hardly played: {mean}");
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
#[expect(clippy::print_stderr, reason = "the figures are printed where they are asked for")]
fn means_of_the_reference() {
    let folder = published_data("samegame");
    let text = std::fs::read_to_string(folder.join("standard/js01.txt")).unwrap();
    let rows: Vec<Vec<u8>> =
        text.lines().map(|l| l.split_whitespace().map(|c| c.parse().expect("a colour")).collect()).collect();
    let extent = Extent { rows: 15, columns: 15 };
    let start = Board::<Small>::from_rows(&rows).expect("js01");
    let tabu = start.most_frequent();
    // Policy; mean without penalty and its standard error, with penalty, length, tiles left; half a last digit of
    // rounding.
    let table: [(Policy, f64, f64, f64, f64, f64); 6] = [
        (Policy::Random, 143.0, 0.5, -148.0, 65.7, 44.8),
        (Policy::Tabu { tabu: 0 }, 297.8, 2.6, -1.0, 63.2, 45.6),
        (Policy::Selective { tabu, played: 0 }, 216.2, 1.8, -46.0, 66.2, 43.3),
        (Policy::RandomCell, 133.2, 0.3, -172.0, 64.1, 45.6),
        (Policy::TabuRandom { epsilon: 0.003 }, 263.0, 2.4, -20.0, 62.9, 44.3),
        (Policy::TabuColor { epsilon: 0.0007 }, 270.1, 1.1, -24.5, 62.4, 45.1),
    ];
    let n = 20_000;
    let mut wrong = Vec::new();
    for (policy, mean, error, with_penalty, length, left) in table {
        let (mut rng, mut moves) = (Rng::new(2024), Vec::new());
        let mut samples: [Vec<f64>; 4] = Default::default();
        for _ in 0..n {
            moves.clear();
            let mut board = start;
            let points = playout(Engine::Portable, policy, Game::SameGame, extent, &mut board, &mut rng, &mut moves);
            let values = [
                (points + end_points(&board, Penalty::None)) as f64,
                (points + end_points(&board, Penalty::Schadd)) as f64,
                moves.len() as f64,
                f64::from(board.tiles()),
            ];
            for (list, value) in samples.iter_mut().zip(values) {
                list.push(value);
            }
        }
        // The reference gives the error of its first column; those of the others follow from our deviations and the
        // number of playouts that this error means, and half a last digit is lost to rounding.
        let deviation = |list: &[f64]| {
            let mean = list.iter().sum::<f64>() / f64::from(n);
            (list.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n)).sqrt()
        };
        let playouts = (deviation(&samples[0]) / error).powi(2);
        let other = |i: usize, digit: f64| (deviation(&samples[i]) / playouts.sqrt()).hypot(digit);
        let expected = [(mean, error), (with_penalty, other(1, 0.5)), (length, other(2, 0.05)), (left, other(3, 0.05))];
        for ((list, (reference, error)), name) in samples.iter().zip(expected).zip(["none", "schadd", "length", "left"])
        {
            let mean = list.iter().sum::<f64>() / f64::from(n);
            let deviation =
                (list.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n)).sqrt() / f64::from(n).sqrt();
            let z = (mean - reference) / deviation.hypot(error);
            eprintln!("{policy:?} {name}: {mean:.2} +- {deviation:.2}, reference {reference} +- {error:.2}: {z:.1}");
            if z.abs() > 4.0 {
                wrong.push(format!("{policy:?} {name}: {mean:.2} +- {deviation:.2}, reference {reference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A window shows four columns of the mask, for any base: also for one beyond the board, where it shows the last four.
#[test]
fn windows_show_four_columns_of_the_board() {
    fn check<G: Geometry>() {
        let mut rng = Rng::new(5);
        for base in (0..G::COLUMNS + 8).chain([1 << 20, usize::MAX]) {
            let mut words = G::Words::default();
            (0..G::WORDS).for_each(|at| words[at] = rng.next_u64());
            let shown = spread::<G>(base_of::<G>(base), window::<G>(&words, base));
            let first = base.min(G::COLUMNS - 4) * G::LANE as usize;
            for cell in 0..G::WORDS * 64 {
                let inside = (first..first + 4 * G::LANE as usize).contains(&cell);
                assert_eq!(contains::<G>(&shown, cell), inside && contains::<G>(&words, cell), "{base}, {cell}");
            }
        }
    }
    check::<Small>();
    check::<Large>();
}
