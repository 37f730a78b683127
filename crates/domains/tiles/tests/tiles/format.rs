//! Boards, solutions and the verifier together: random games, arbitrary input, the published boards.

use std::path::PathBuf;

use proptest::prelude::*;
use soloist::Rng;
use soloist_domain_testing::published_data;
use soloist_tiles::{
    Game, Grid, PANELS, Penalty, Solution, Verified, Zero, game_text, generate, groups, moves_text, parse, play, read,
    solution_json, svg_board, svg_strip, verify, write,
};

/// A random game: uniform over groups, any cell of the group.
fn random_game(start: &Grid, game: Game, penalty: Penalty, rng: &mut Rng) -> Verified {
    let mut board = start.clone();
    let mut moves = Vec::new();
    loop {
        let groups = groups(&board);
        if groups.is_empty() {
            let solution = Solution::of_moves(moves);
            return verify(start, game, Some(penalty), &solution).expect("legal moves to the end");
        }
        let group = &groups[rng.index(groups.len())];
        let cell = group[rng.index(group.len())];
        board = play(&board, game, penalty, &Solution::of_moves([cell]).moves).expect("a legal move").last().clone();
        moves.push(cell);
    }
}

fn spec(rows: usize, cols: usize, colors: usize, seed: u64) -> Grid {
    generate(&format!("random:{rows}x{cols}x{colors}:{seed}")).expect("within the limits")
}

/// The boards of the literature.
fn published() -> Vec<PathBuf> {
    let root = published_data("samegame");
    let folders = ["standard", "schadd250"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut files: Vec<PathBuf> = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_boards_are_read() {
    let files = published();
    assert_eq!(files.len(), 145);
    for path in files {
        let loaded = read(&path, Zero::Auto).unwrap_or_else(|error| panic!("{error}"));
        let grid = &loaded.grid;
        let shape = (grid.rows(), grid.cols(), grid.colors(), grid.tiles(), loaded.zeros);
        assert_eq!(shape, (15, 15, 5, 225, None), "{}", path.display());
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if let Some(number) = stem.strip_prefix("js") {
            let mut counts = grid.counts()[1..=5].to_vec();
            counts.sort_unstable();
            match number.parse().unwrap() {
                1..=10 => {}
                11..=15 => assert_eq!(counts, [45; 5]),
                _ => assert_eq!(counts, [40, 40, 40, 40, 65]),
            }
            assert!((37..=52).contains(&groups(grid).len()), "{}", path.display());
        }
        // The same board numbered from 0 is recognised.
        let lower: String = std::fs::read_to_string(&path).unwrap().chars().map(lowered).collect();
        let again = parse("lowered", lower.as_bytes(), Zero::Auto).unwrap();
        assert_eq!((&again.grid, again.zeros), (grid, Some(Zero::Color)), "{}", path.display());
    }
}

fn lowered(c: char) -> char {
    c.to_digit(10).and_then(|digit| char::from_digit(digit.wrapping_sub(1), 10)).unwrap_or(c)
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn random_play_on_js01_has_the_known_means() {
    let files = published();
    let path = files.iter().find(|path| path.ends_with("js01.txt")).unwrap();
    let grid = read(path, Zero::Auto).unwrap().grid;
    let mut rng = Rng::new(1);
    let games: Vec<Verified> = (0..500).map(|_| random_game(&grid, Game::SameGame, Penalty::None, &mut rng)).collect();
    // The known means come from long runs of other programs.
    let near = |known: f64, value: &dyn Fn(&Verified) -> f64| {
        let values: Vec<f64> = games.iter().map(value).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let error = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        assert!((mean - known).abs() < 4.0 * error, "{mean} +- {error}, expected {known}");
    };
    near(143.0, &|game| game.score as f64);
    near(65.7, &|game| game.steps.len() as f64);
    near(44.8, &|game| game.tiles_left as f64);
    near(-148.0, &|game| (game.score + Game::SameGame.end_points(Penalty::Schadd, &game.last().counts()[1..])) as f64);
}

#[test]
fn invariants_of_random_games() {
    let shapes = [(15, 15, 5), (15, 15, 3), (20, 20, 10), (1, 32, 2), (31, 1, 2), (1, 1, 1), (8, 7, 2), (15, 15, 2)];
    let mut rng = Rng::new(2);
    let mut cleared = 0;
    for (i, (rows, cols, colors)) in shapes.into_iter().cycle().take(80).enumerate() {
        let start = spec(rows, cols, colors, i as u64);
        let played = random_game(&start, Game::SameGame, Penalty::None, &mut rng);
        let removed = (start.tiles() - played.tiles_left) as i64;
        let points: i64 = played.steps.iter().map(|step| step.points).sum();
        assert_eq!((points - removed) % 2, 0, "points and removed tiles have the same parity");
        for step in &played.steps {
            assert!(step.after.is_settled());
            assert!(step.group.binary_search(&(step.row, step.col)).is_ok());
        }

        let moves = Solution::of_moves(played.steps.iter().map(|step| (step.row, step.col)));
        let score = |game, penalty| verify(&start, game, Some(penalty), &moves).unwrap().score;
        let singles = played.last().counts()[1..].iter().filter(|&&count| count == 1).count() as i64;
        let literal = score(Game::SameGame, Penalty::Literal);
        let none = score(Game::SameGame, Penalty::None);
        assert_eq!(score(Game::SameGame, Penalty::Schadd), literal + singles);
        if start.tiles() == 225 {
            assert_eq!(literal.rem_euclid(2), 1);
        }
        if played.tiles_left == 0 {
            cleared += 1;
            assert_eq!((literal, none), (points + 1000, points + 1000));
        } else {
            assert_eq!(none, points);
        }
        assert_eq!(score(Game::Clickomania, Penalty::default()), removed);
        assert_eq!(score(Game::BubbleBreaker, Penalty::default()) % 2, 0);
    }
    assert!(cleared > 0, "no cleared board among the games");
}

#[test]
fn games_round_trip_through_files() {
    let mut rng = Rng::new(3);
    for (i, game) in Game::ALL.into_iter().cycle().take(12).enumerate() {
        let penalty = Penalty::ALL[i / 3 % 3];
        let start = spec(9, 8, 3, i as u64);
        let played = random_game(&start, game, penalty, &mut rng);
        let solution = solution_json(&played);
        let places: Vec<_> = played.steps.iter().map(|step| [step.row, step.col]).collect();
        let result = serde_json::json!({
            "problem": game.name(), "score": played.score as f64, "moves": places, "solution": solution,
        });
        let read = |text: String| soloist_tiles::parse_solution("s", text.as_bytes(), start.rows()).unwrap();
        let claimed = read(result.to_string());
        assert_eq!(verify(&start, game, None, &claimed), Ok(played.clone()));
        assert_eq!(read(result["solution"].to_string()).moves, claimed.moves);
        for at in ["/score", "/solution/tiles_left", "/solution/end_points"].into_iter().chain([
            "/solution/moves/0/size",
            "/solution/moves/0/points",
            "/solution/moves/0/colour",
        ]) {
            let mut wrong = result.clone();
            let field = wrong.pointer_mut(at).unwrap();
            *field = (field.as_f64().unwrap() + 1.0).into();
            assert!(verify(&start, game, None, &read(wrong.to_string())).is_err(), "{at}");
        }

        let plain = read(moves_text(&played));
        assert_eq!(verify(&start, game, Some(penalty), &plain), Ok(played.clone()));
        let mut peers = String::from("# convention: column-row-from-bottom\n");
        for step in &played.steps {
            peers.push_str(&format!("{} {}\n", step.col, start.rows() - 1 - step.row));
        }
        assert_eq!(read(peers), plain);

        // A game that stops early is no solution.
        let stopped = Solution { moves: plain.moves[..plain.moves.len() - 1].to_vec(), ..Solution::default() };
        assert!(!play(&start, game, penalty, &stopped.moves).unwrap().finished);
        let error = verify(&start, game, None, &stopped).unwrap_err().to_string();
        assert!(error.starts_with("unfinished: "), "{error}");
        assert!(game_text(&played).lines().count() > played.steps.len());
    }
}

#[test]
fn drawings_of_extreme_boards() {
    let mut rng = Rng::new(4);
    for (rows, cols, colors) in [(1, 1, 1), (1, 32, 2), (31, 1, 2), (31, 32, 15)] {
        let start = spec(rows, cols, colors, 1);
        let played = random_game(&start, Game::SameGame, Penalty::Schadd, &mut rng);
        for panels in [0, 1, PANELS, usize::MAX] {
            let svg = svg_strip(&played, "x", panels);
            assert!(svg.starts_with("<?xml") && svg.ends_with("</svg>\n"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
            let outlines = svg.matches("class=\"tile-line\"").count();
            assert_eq!(outlines, usize::from(!played.steps.is_empty()) + played.steps.len().min(panels));
        }
        assert!(svg_board(&start).contains("<use"));
    }
}

/// Any settled board with at least one tile.
fn settled() -> impl Strategy<Value = Grid> {
    (1_usize..=31, 1_usize..=32, 1_u8..=15).prop_flat_map(|(rows, cols, colors)| {
        let column = (1..=rows).prop_flat_map(move |height| prop::collection::vec(1..=colors, height));
        prop::collection::vec(column, 1..=cols).prop_map(move |columns| {
            let cell = |row: usize, col: usize| {
                columns.get(col).and_then(|column| column.get(rows - 1 - row)).copied().unwrap_or(0)
            };
            let cells = (0..rows * cols).map(|i| cell(i / cols, i % cols)).collect();
            Grid::new(rows, cols, cells).expect("within the limits")
        })
    })
}

/// Something done to a text: a byte inserted or replaced, or the rest cut off.
fn mutate(text: &mut Vec<u8>, (at, byte, what): (usize, u8, u8)) {
    let at = at % (text.len() + 1);
    match what % 8 {
        0 => text.truncate(at.max(1)),
        1..=3 => text.insert(at, byte),
        _ if at < text.len() => text[at] = byte,
        _ => {}
    }
}

fn edits() -> impl Strategy<Value = Vec<(usize, u8, u8)>> {
    let byte = prop_oneof![prop::sample::select(b"0.,\n\r #-".to_vec()), b'0'..=b'9', any::<u8>(),];
    prop::collection::vec((any::<usize>(), byte, any::<u8>()), 1..6)
}

fn one_line(text: &str, start: &str) -> bool {
    text.starts_with(start) && text.len() < 250 && !text.contains(['\n', '\r'])
}

fn check_reader(bytes: &[u8]) -> Result<(), TestCaseError> {
    for zero in [Zero::Auto, Zero::Empty, Zero::Color] {
        match parse("f", bytes, zero) {
            Ok(loaded) => {
                prop_assert!(loaded.grid.is_settled() && loaded.grid.tiles() > 0);
                let again = parse("f", write(&loaded.grid).as_bytes(), Zero::Auto);
                prop_assert_eq!(again.map(|again| again.grid), Ok(loaded.grid));
            }
            Err(error) => prop_assert!(one_line(&error.to_string(), "f: "), "{}", error),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reader_survives_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_reader(&bytes)?;
    }

    #[test]
    fn reader_survives_boardlike_text(text in "[0-9 .,#\t\r\n-]{0,120}") {
        check_reader(text.as_bytes())?;
    }

    #[test]
    fn reader_survives_short_digit_rows(text in "([0-4.]{3}\n){1,4}") {
        check_reader(text.as_bytes())?;
    }

    #[test]
    fn reader_survives_mutated_boards(grid in settled(), edits in edits()) {
        let mut text = write(&grid).into_bytes();
        edits.into_iter().for_each(|edit| mutate(&mut text, edit));
        check_reader(&text)?;
    }

    #[test]
    fn boards_round_trip(grid in settled()) {
        let text = write(&grid);
        for zero in [Zero::Auto, Zero::Empty] {
            let loaded = parse("f", text.as_bytes(), zero).unwrap();
            prop_assert_eq!(&loaded.grid, &grid);
        }
        // 0 for the empty cells means the same.
        let zeros = parse("f", text.replace('.', "0").as_bytes(), Zero::Auto).unwrap();
        prop_assert_eq!(zeros.grid, grid);
    }

    #[test]
    fn solution_reader_survives(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[0-9 ,#a-z:\n-]{0,80}") {
        for bytes in [&bytes[..], text.as_bytes()] {
            if let Err(error) = soloist_tiles::parse_solution("s", bytes, 15) {
                prop_assert!(one_line(&error.to_string(), "s: "), "{}", error);
            }
        }
    }

    #[test]
    fn result_reader_and_verifier_survive_mutations(edits in edits(), seed in 0_u64..50) {
        let start = spec(5, 5, 2, seed);
        let played = random_game(&start, Game::SameGame, Penalty::Schadd, &mut Rng::new(seed));
        let solution = solution_json(&played);
        let result = serde_json::json!({"problem": "samegame", "score": played.score, "solution": solution});
        let mut text = result.to_string().into_bytes();
        edits.into_iter().for_each(|edit| mutate(&mut text, edit));
        if let Ok(claimed) = soloist_tiles::parse_solution("s", &text, start.rows()) {
            // Whatever is accepted is a true, finished game.
            if let Ok(verified) = verify(&start, Game::SameGame, None, &claimed) {
                prop_assert!(verified.finished);
                prop_assert!(claimed.score.is_none_or(|score| score == verified.score));
            }
        }
    }

    #[test]
    fn spec_reader_survives(text in "random:[0-9x:+-]{0,24}|\\PC{0,40}") {
        match generate(&text) {
            Ok(grid) => prop_assert!(grid.is_settled()),
            Err(error) => prop_assert!(!error.to_string().contains(['\n', '\r'])),
        }
    }
}
