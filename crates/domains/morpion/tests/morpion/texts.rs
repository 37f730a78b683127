//! Games as text and as JSON, options, drawings.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use soloist::Rng;
use soloist_domain::Options;

/// The published notation is written as it was read.
#[test]
fn records_are_written_as_published() {
    let game = record(Variant::D5, ROSIN_5D_82);
    assert!(write(&game).ends_with(&format!("\n# variant 5D\n{}\n", ROSIN_5D_82.replace(';', "\n"))));
}

#[test]
fn reader_is_tolerant_of_form() {
    let plain = parse("a", b"(28,28)\n(27,27) / 0\n(31,35) | -2", Some(Variant::D5)).unwrap();
    for text in [
        "\u{feff}# variant 5d\r\n\r\n(28,28)\r\n(27,27) / 0\r\n(31,35) | -2\r\n",
        "#variant 5D\n # any comment \n( 28 , 28 )\n  (27,27)/0\n(31,35)|-2\n# end",
        "# Variant: of my own\n# variant 5D\n# variant of old\n(+3,+3)\n(2,2) / +0\n(6,10) | -2",
    ] {
        assert_eq!(parse("a", text.as_bytes(), None).unwrap(), plain, "{text}");
    }
    assert_eq!(parse("a", b"# variant 4T\n(0,0)", None).unwrap(), Game::of(Variant::T4));
    // The third point of four.
    let game = parse("a", b"(2,2)\n(5,0) - -1", Some(Variant::T4)).unwrap();
    assert_eq!((game.start()[0].point, game.start()[0].position), ((5, 0), 3));
}

#[test]
fn reader_errors_are_exact() {
    let form =
        "expected a move such as (27,27) / 0: the new dot, the direction (- | / \\), the distance of the line's middle";
    let point = "expected a point such as (28,28), at most 1000000 from 0";
    let cases: &[(&str, String)] = &[
        ("", "no reference point, expected a line such as (28,28)".into()),
        ("# nothing\n\n", "no reference point, expected a line such as (28,28)".into()),
        ("28,28", format!("line 1: '28,28', {point}")),
        ("(28)", format!("line 1: '(28)', {point}")),
        ("(28,1000001)", format!("line 1: '(28,1000001)', {point}")),
        ("(28,99999999999999)", format!("line 1: '(28,99999999999999)', {point}")),
        ("(28,28) - 0", "line 1: '- 0' after the reference point".into()),
        ("(28,28)\nmove", format!("line 2: 'move', {form}")),
        ("(28,28)\n(27;27) / 0", format!("line 2: '(27;27) / 0', {point}")),
        ("(28,28)\n\n(27,27) x 0", format!("line 3: direction 'x 0', {form}")),
        ("(28,28)\n(27,27)", format!("line 2: direction '', {form}")),
        ("(28,28)\n(27,27) / ", format!("line 2: distance '', {form}")),
        ("(28,28)\n(27,27) / -", format!("line 2: distance '-', {form}")),
        ("(28,28)\n(27,27) / 3", "line 2: distance 3 of the line's middle, expected -2 to +2".into()),
        ("(28,28)\n(27,27) / 0 1", "line 2: '1' after a move".into()),
        ("(28,28)\n(28,28) / 0", "line 2: move 1: dot (3,3) at position 2 of a line /: there is a dot already".into()),
        (
            "(28,28)\n(27,27) / 0\n(0,0) - 0",
            "line 3: move 2: dot (-25,-25) at position 2 of a line -: the line has no dot at (-27,-25)".into(),
        ),
        ("(28,28)\n(27,\0", "line 2: binary data (a zero byte), expected text".into()),
    ];
    for (text, message) in cases {
        let error = parse("a.txt", text.as_bytes(), Some(Variant::D5)).unwrap_err().to_string();
        assert_eq!(error.strip_prefix("a.txt: ").unwrap(), message, "{text:?}");
    }
    let unnamed = parse("a.txt", b"(28,28)", None).unwrap_err().to_string();
    assert!(unnamed.starts_with("a.txt: no variant named: expected a line `# variant 5T`"), "{unnamed}");
    let twice = parse("a.txt", b"# variant 5T\n# variant 4T\n(28,28)", None).unwrap_err().to_string();
    assert_eq!(twice, "a.txt: line 2: variant 4T, but 5T is named above");
    let long = "(28,28)\n".to_owned() + &"(1,1) - 0\n".repeat(MAX_MOVES + 1);
    let long = parse("a.txt", long.as_bytes(), Some(Variant::T5)).unwrap_err().to_string();
    assert_eq!(long, "a.txt: line 1002: more than 1000 moves");
    let missing = read("no/such.txt", None).unwrap_err().to_string();
    assert!(
        missing.starts_with("no/such.txt: cannot be read: ") && missing.ends_with("5T, 5D, 4T and 4D"),
        "{missing}"
    );
    assert!(read(env!("CARGO_MANIFEST_DIR"), None).is_err(), "a folder");
}

#[test]
fn options_and_specs_agree() {
    let load = |spec: &str, variant: &str| {
        (DOMAIN.load)(spec, &Options::from([("assume".to_owned(), variant.to_owned())]))
            .map(|instance| instance.describe())
    };
    assert_eq!(load("5d", "nothing").unwrap(), "variant 5D, lines of 5 points, parallel lines share no point");
    assert_eq!(load("4T", "4T").unwrap(), "variant 4T, lines of 4 points, parallel lines may touch");
    // What an instance says of itself wins.
    assert_eq!(load("4D", "5T").unwrap(), "variant 4D, lines of 4 points, parallel lines share no point");
    assert_eq!(parse("x", b"# variant 4D\n(1,1)", Some(Variant::T5)).unwrap().variant(), Variant::D4);
    assert_eq!((DOMAIN.generate)("6T").unwrap_err().to_string(), "6T: expected 5T, 5D, 4T or 4D");
    for variant in Variant::ALL {
        let text = (DOMAIN.generate)(variant.name()).unwrap();
        assert_eq!(parse("x", text.as_bytes(), None).unwrap(), Game::of(variant));
    }
}

#[test]
fn verifier_judges_by_the_rules() {
    let game = Game::of(Variant::T5);
    let one = r#"{"point": [2, 2], "direction": "/", "position": 2}"#;
    for good in [
        format!("[{one}]"),
        r#"[[2, 2, "/", 2]]"#.into(),
        format!(r#"{{"moves": [{one}]}}"#),
        format!(
            r#"{{"variant": "5T", "length": 1, "start": 0, "moves": [{one}], "pentasol": "(28,28)\n(27,27) / 0"}}"#
        ),
        r#"{"variant": "5T", "pentasol": "(28,28)\n(27,27) / 0"}"#.into(),
        r##"{"pentasol": "# variant 5T\n(28,28)\n(27,27) / 0"}"##.into(),
        format!(
            r#"{{"problem": "morpion", "score": 1.0, "feasible": true, "moves": [[2, 2, "/", 2]], "solution": {{"moves": [{one}]}}}}"#
        ),
        "(28,28)\n(27,27) / 0\n".into(),
    ] {
        let checked = check(&game, &good).unwrap_or_else(|error| panic!("{good}: {error}"));
        assert_eq!(checked.score, 1.0);
        assert!(checked.summary.starts_with("Morpion Solitaire 5T: 1 move, "), "{}", checked.summary);
    }
    assert_eq!(check(&game, "[]").unwrap().summary, "Morpion Solitaire 5T: 0 moves, 28 further moves possible");
    for (bad, message) in [
        (r#"[[2, 2, "/", 2], [2, 2, "/", 2]]"#, "move 2: dot (2,2) at position 2 of a line /: there is a dot already"),
        (r#"[[2, 2, "/", 1]]"#, "move 1: dot (2,2) at position 1 of a line /: the line has no dot at (5,-1)"),
        (r#"[[7, 0, "-", 5]]"#, "move 1: dot (7,0) at position 5 of a line -: positions are 0 to 4 in 5T"),
        // Two lines across that share the segment from (3,0) to (4,0).
        (
            r#"[[7, 0, "-", 4], [2, 0, "-", 0]]"#,
            "move 2: dot (2,0) at position 0 of a line -: an earlier line - has the segment from (3,0)",
        ),
        (
            r#"[[2, 2, "x", 1]]"#,
            "move 1: '[2,2,\"x\",1]', expected {\"point\": [2, 2], \"direction\": \"/\", \"position\": 2} or [2, 2, \"/\", 2]",
        ),
        ("[3]", "move 1: '3', expected {\"point\": [2, 2], \"direction\": \"/\", \"position\": 2} or [2, 2, \"/\", 2]"),
        ("{}", "no list `moves`"),
        (r#"{"moves": 3}"#, "`moves` is not a list"),
        ("# variant 5D\n(28,28)\n(27,27) / 0", "a game of 5D, expected 5T"),
        (r#"{"variant": "5D", "moves": []}"#, "a game of '\"5D\"', expected 5T"),
        (r#"{"moves": [], "pentasol": "(28,28)\n(27,27) / 0"}"#, "`pentasol` and `moves` are different games"),
        (r#"{"moves": [], "length": 1}"#, "claims the length '1', recomputed: 0"),
        (r#"{"moves": [], "start": 1}"#, "claims the start '1', recomputed: 0"),
        (r#"{"score": 1, "solution": {"moves": []}}"#, "claims the score '1', recomputed: 0"),
        (r#"{"score": null, "solution": {"moves": []}}"#, "claims the score 'null', recomputed: 0"),
        (r#"{"feasible": false, "solution": {"moves": []}}"#, "says that it is not feasible"),
        (r#"{"problem": "tsptw", "solution": {}}"#, "a solution of '\"tsptw\"', expected morpion"),
        (
            r#"{"moves": [[2, 2, "/", 2]], "solution": {"moves": []}}"#,
            "`moves` of the result and of its solution are different games",
        ),
        (r#"{"solution": null}"#, "holds no solution"),
        (r#"{"solution": [0]}"#, "`solution` is not an object"),
        ("[[2, 2", "solution: line 1, column 6: not valid JSON: EOF while parsing a list"),
        ("", "solution: no reference point, expected a line such as (28,28)"),
    ] {
        assert_eq!(check(&game, bad).unwrap_err(), message, "{bad}");
    }
}

#[test]
fn drawing_is_sound_on_anything() {
    let instance = (DOMAIN.load)("5D", &Options::new()).unwrap();
    for solution in [
        json!(null),
        json!({"moves": [[2, 2, "/", 2]]}),
        json!({"moves": "x"}),
        json!(3),
        json!({"moves": [[0, 0, "-", 0]]}),
    ] {
        let svg = instance.svg(&solution);
        assert!(svg.contains("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(!instance.text(&solution).is_empty());
    }
    let played = replay(Variant::T5, record(Variant::T5, ROSIN_5T_178).start()).unwrap();
    let drawing = svg(&played, "<a & \"b\">\u{0}\u{1b}\n", 3);
    assert!(drawing.contains("&lt;a &amp; &quot;b&quot;&gt;\u{fffd}\u{fffd}\u{fffd}"));
    assert_eq!(drawing.matches("<circle ").count(), 36 + 178);
    assert_eq!(
        drawing.lines().filter(|line| line.starts_with("<path")).flat_map(|line| line.matches('L')).count(),
        178
    );
    assert!(drawing.contains(">178</text>") && drawing.matches("#ddd").count() == 3);
}

#[test]
fn text_shows_the_grid_and_the_moves() {
    let played = replay(Variant::T4, record(Variant::T4, "(28,28);(31,26) - -1;(25,28) - +2").start()).unwrap();
    let expected = "\
Morpion Solitaire 4T: 2 moves, 35 further moves possible

   .   .   .   o   o   o   1   .
   .   .   .   o   .   o   .   .
   2   o   o   o   .   o   o   o
   .   o   .   .   .   .   .   o
   .   o   o   o   .   o   o   o
   .   .   .   o   .   o   .   .
   .   .   .   o   o   o   .   .

Each move: its number, the new dot (column,row), the direction of the line, the distance of its middle;
rows count downwards, the inner corner of the cross at the upper left is (28,28).
   1. (31,26) - -1    2. (25,28) - +2
";
    assert_eq!(text(&played), expected);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match parse("a", &bytes, Some(Variant::T5)) {
            Ok(game) => prop_assert_eq!(parse("b", write(&game).as_bytes(), None).unwrap(), game),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused_in_one_line(
        text in "(# variant [45][TD]\n)?\\([0-9]{1,3},[0-9]{1,9}\\)\n(\\(2[0-9],2[0-9]\\) [-|/x] [+-]?[0-3][ \r]?\n){0,6}",
    ) {
        match parse("a", text.as_bytes(), None) {
            Ok(game) => prop_assert_eq!(parse("b", write(&game).as_bytes(), None).unwrap(), game),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "[\\[\\{]?[0-9a-z\"':,\\[\\]\\{\\} /-]{0,60}") {
        if let Err(message) = check(&Game::of(Variant::D5), &text) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }

    #[test]
    fn any_strokes_are_verified_or_refused_in_one_line(x: i64, y in -5_i32..15, sign in "[-|/\\\\]", position: u64) {
        let strokes = json!([[x, y, sign, position], [y, y, sign, position % 5]]).to_string();
        if let Err(message) = check(&Game::of(Variant::T5), &strokes) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }

    #[test]
    fn games_are_written_and_read_back(seed: u64, variant in 0_usize..4, part in 0_usize..=4) {
        let variant = Variant::ALL[variant];
        let problem = cross(variant);
        let game = random_game(&problem, &mut Rng::new(seed));
        let strokes = problem.strokes(&game[..game.len() * part / 4]);
        let game = Game::new(variant, strokes).unwrap();
        prop_assert_eq!(&parse("x", write(&game).as_bytes(), None).unwrap(), &game);
        prop_assert!(soloist::check(&Morpion::new(&game).unwrap(), 1, seed).is_ok());
    }
}
