//! Files, specs, solutions as text, drawings.

use super::*;
use proptest::prelude::*;

#[test]
fn specs_are_read() {
    for (spec, d, k) in [("d8k2", 8, 2), ("d8", 8, 2), ("d13k7", 13, 7), ("d2k1", 2, 1), ("d08k02", 8, 2)] {
        assert!(is_spec(spec));
        assert_eq!(generate(spec).unwrap(), cube(d, k));
    }
    for (spec, message) in [
        ("d1", "d1: dimension 1, expected 2 to 13"),
        ("d14k2", "d14k2: dimension 14, expected 2 to 13"),
        ("d8k8", "d8k8: spread 8, expected 1 to 7"),
        ("d8k0", "d8k0: spread 0, expected 1 to 7"),
        ("d8k", "d8k: expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
        ("d8x2", "d8x2: expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
        ("d", "d: expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
        ("d99999999999", "d99999999999: expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
        ("no:such:spec", "no:such:spec: expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
    ] {
        assert_eq!(generate(spec).unwrap_err().to_string(), message);
    }
    assert!(!is_spec("d8k2.txt") && !is_spec("./d8k2") && !is_spec("data") && !is_spec("d"));
}

#[test]
fn reader_accepts_what_files_look_like() {
    let expected = cube(5, 2).with_prefix(&[0, 1, 3, 7]).unwrap();
    for text in [
        "d5k2\nnodes 0 1 3 7\n",
        "# a comment\n\nd5 # spread 2\r\ntransitions 0 1 2",
        "\u{feff}d5k2\n nodes\t0,1,3\n\n7 # end\n",
        "d5k2 transitions 3 1 0",
        "d5k2\nnodes 4\n20 28 29\n",
    ] {
        assert_eq!(parse("a.txt", text.as_bytes()).unwrap(), expected, "{text:?}");
    }
    for text in ["d5k2", "d5k2\nnodes", "d5k2\nnodes 7", "d5k2\ntransitions\n"] {
        assert_eq!(parse("a.txt", text.as_bytes()).unwrap(), cube(5, 2));
    }
}

#[test]
fn reader_errors_are_exact() {
    for (text, message) in [
        (&b""[..], "a.txt: no spec, expected one such as d8k2"),
        (b"# d8k2\n", "a.txt: no spec, expected one such as d8k2"),
        (b"\nd8k9\n", "a.txt: line 2: 'd8k9': spread 9, expected 1 to 7"),
        (b"8 2\n", "a.txt: line 1: '8': expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
        (b"\xff\xfe", "a.txt: UTF-16 text; save it as UTF-8"),
        (b"d8\n\0", "a.txt: line 2: binary data (a zero byte), expected text"),
        (b"d8\xff", "a.txt: line 1: 'd8\u{fffd}': expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2"),
        (b"d5\n0 1 3", "a.txt: line 2: '0', expected `nodes` or `transitions`"),
        (b"d5\nnodes 0 1\n-3", "a.txt: line 3: vertex '-3', expected a whole number from 0 to 31"),
        (b"d5\nnodes 0 32", "a.txt: line 2: vertex '32', expected a whole number from 0 to 31"),
        (b"d5\ntransitions 0 5", "a.txt: line 2: bit '5', expected a whole number from 0 to 4"),
        (
            b"d5\nnodes 0 99999999999999999999",
            "a.txt: line 2: vertex '99999999999999999999', expected a whole number from 0 to 31",
        ),
        (b"d5\nnodes 0 transitions", "a.txt: line 2: vertex 'transitions', expected a whole number from 0 to 31"),
        (b"d5\nnodes 0 1\n14", "a.txt: line 3: vertices 1 and 14 follow each other and differ in 4 bits, not in one"),
        (
            b"d5\ntransitions 0\n1\n0",
            "a.txt: line 4: vertices 0 and 2, 3 steps apart, differ in 1 bit, at least 2 are needed",
        ),
        (b"d2k1\ntransitions 0 1 0 1 0", "a.txt: line 2: more numbers than the cube has vertices, 4"),
        (b"d2k1\ntransitions 0 1 0 1", "a.txt: line 2: more than 4 vertices"),
    ] {
        assert_eq!(parse("a.txt", text).unwrap_err().to_string(), message, "{:?}", String::from_utf8_lossy(text));
    }
    assert!(read("no/such.txt").unwrap_err().to_string().starts_with("no/such.txt: cannot be read: "));
    assert!(read(env!("CARGO_MANIFEST_DIR")).is_err(), "a folder");
    let (at, message) = cube(3, 2).with_prefix(&[0, 8]).unwrap_err();
    assert_eq!((at, message.as_str()), (1, "vertex 8 does not exist: there are 8, counted from 0"));
    assert_eq!(Cube::new(2, 9).unwrap_err(), "spread 9, expected 1 to 7");
}

#[test]
fn generated_files_are_read_back() {
    assert_eq!((SNAKE.generate)("d8").unwrap(), "# snake-in-the-box: dimension 8, spread 2\nd8k2\n");
    assert_eq!((COIL.generate)("d9k3").unwrap(), "# coil-in-the-box: dimension 9, spread 3\nd9k3\n");
    let primed = cube(5, 2).with_prefix(&[0, 1, 3, 7]).unwrap();
    assert_eq!(write(&primed, "a\nb"), "# a b\nd5k2\ntransitions 0 1 2\n");
}

#[test]
fn verifier_looks_at_every_pair() {
    let snake = |text: &str| check(Kind::Snake, &cube(3, 2), text);
    for good in [
        "0 1 3 7 6",
        "nodes 0,1,3,7,6 # comment\n",
        "transitions 0 1 2 0",
        "5 4 6 2 3",
        "[0, 1, 3, 7, 6]",
        r#"{"nodes": [0, 1, 3, 7, 6]}"#,
        r#"{"transitions": [0, 1, 2, 0], "kind": "snake", "d": 3, "k": 2, "length": 4}"#,
        r#"{"problem": "snake", "score": 4.0, "moves": [0, 1, 2, 0], "solution": {"nodes": [0, 1, 3, 7, 6], "transitions": [0, 1, 2, 0]}}"#,
    ] {
        let checked = snake(good).unwrap_or_else(|error| panic!("{good}: {error}"));
        assert_eq!((checked.score, checked.summary.as_str()), (4.0, "snake of length 4 in dimension 3, spread 2"));
    }
    assert_eq!(snake("3").unwrap().score, 0.0);
    for (bad, message) in [
        ("", "no vertices"),
        ("0 1 3 2", "vertices 0 and 2, 3 steps apart, differ in 1 bit, at least 2 are needed"),
        ("0 3", "vertices 0 and 3 follow each other and differ in 2 bits, not in one"),
        ("0 1 0", "vertices 0 and 0, 2 steps apart, differ in 0 bits, at least 2 are needed"),
        ("0 8", "vertex 8 does not exist: there are 8, counted from 0"),
        ("0\n-1", "line 2: vertex '-1' is negative, expected a whole number from 0 on"),
        ("zero", "line 1: vertex 'zero', expected a whole number from 0 on"),
        ("0 1 0 1 0 1 0 1 0", "9 vertices, the cube has 8"),
        ("transitions 0 3", "a transition that is no bit of a vertex: there are 3, counted from 0"),
        ("[0.5]", "'0.5' in `nodes` is not a whole number from 0 on"),
        ("{}", "no list `nodes` or `transitions`"),
        (r#"{"nodes": 3}"#, "`nodes` is not a list"),
        (r#"{"nodes": [0, 1], "transitions": [1]}"#, "`nodes` and `transitions` differ"),
        (r#"{"nodes": [0, 1], "length": 2}"#, "claims the length '2', recomputed: 1"),
        (r#"{"nodes": [0, 1], "d": 4}"#, "claims the d '4', recomputed: 3"),
        (r#"{"nodes": [0, 1], "k": 3}"#, "claims the k '3', recomputed: 2"),
        (r#"{"nodes": [0, 1], "kind": "coil"}"#, "claims the kind '\"coil\"', expected snake"),
        (r#"{"score": 2, "solution": {"nodes": [0, 1]}}"#, "claims the score '2', recomputed: 1"),
        (r#"{"score": null, "solution": {"nodes": [0, 1]}}"#, "claims the score 'null', recomputed: 1"),
        (r#"{"moves": [0, 1], "solution": {"nodes": [0, 1]}}"#, "`moves` and the solution differ"),
        (r#"{"feasible": false, "solution": {"nodes": [0, 1]}}"#, "says that it is not feasible"),
        (r#"{"problem": "coil", "solution": {"nodes": [0]}}"#, "a solution of '\"coil\"', expected snake"),
        (r#"{"solution": null}"#, "holds no solution"),
        (r#"{"solution": [0]}"#, "`solution` is not an object"),
        ("{\"nodes\": [0", "solution: line 1, column 12: not valid JSON: EOF while parsing a list"),
    ] {
        assert_eq!(snake(bad).unwrap_err(), message, "{bad}");
    }
}

#[test]
fn verifier_closes_coils() {
    let coil = |text: &str| check(Kind::Coil, &cube(3, 2), text);
    for good in ["0 1 3 7 6 4", "transitions 0 1 2 0 1 2", "transitions 0 1 2 0 1", "[6, 4, 0, 1, 3, 7]"] {
        let checked = coil(good).unwrap_or_else(|error| panic!("{good}: {error}"));
        assert_eq!((checked.score, checked.summary.as_str()), (6.0, "coil of length 6 in dimension 3, spread 2"));
    }
    for (bad, message) in [
        ("0 1 3 7 6", "vertices 0 and 6 follow each other and differ in 2 bits, not in one"),
        ("0 1 3 7 5 4", "vertices 1 and 5, 3 steps apart, differ in 1 bit, at least 2 are needed"),
        ("0 1", "2 vertices, a cycle has at least 4"),
        ("", "no vertices"),
    ] {
        assert_eq!(coil(bad).unwrap_err(), message, "{bad}");
    }
    // A square is a coil of spread 2, not of spread 3.
    assert_eq!(coil("0 1 3 2").unwrap().score, 4.0);
    assert_eq!(check(Kind::Coil, &cube(4, 3), "0 1 3 7 6 4").unwrap().score, 6.0);
    let wrong = check(Kind::Coil, &cube(4, 3), "0 1 3 7 15 14 10 8").unwrap_err();
    assert_eq!(wrong, "vertices 3 and 10, 4 steps apart, differ in 2 bits, at least 3 are needed");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_sequences_pass() {
    let rows = proven_lengths();
    let examples = examples();
    assert_eq!(examples.len(), 73);
    for (kind, k, d, nodes) in examples {
        let cube = cube(d, k);
        let text = format!("{nodes:?}");
        let length = check(kind, &cube, &text).unwrap().score as u32;
        if let Some(row) = rows.iter().find(|row| (row.kind, row.k, row.d) == (kind, k, d)) {
            assert_eq!(length, row.length, "{row:?}");
        }
        // They are canonical, so that the search can find each of them.
        let flips = nodes.windows(2).map(|pair| (pair[0] ^ pair[1]).trailing_zeros() as u8);
        assert_eq!(canonical(flips.clone()), flips.collect::<Vec<_>>());
        // One vertex moved: no longer valid.
        let mut bent = nodes.clone();
        let middle = bent.len() / 2;
        bent[middle] ^= 1;
        assert!(check(kind, &cube, &format!("{bent:?}")).is_err());
    }
}

#[test]
fn drawings_are_sound_on_anything() {
    let path = json!({"nodes": [0, 1, 3, 7, 6, 14]});
    for kind in [Kind::Snake, Kind::Coil] {
        for (d, k) in [(2, 2), (3, 1), (8, 2), (11, 3), (13, 7)] {
            let cube = cube(d, k);
            for solution in [json!(null), json!({"nodes": [0, 99_999, "x", -1, 2]}), json!(3), path.clone()] {
                let drawing = svg(kind, &cube, &solution);
                assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n") && !drawing.contains("NaN"));
                assert!(drawing.contains(&format!("in dimension {d}, spread {k}")));
                assert!(text(kind, &cube, &solution).ends_with('\n'));
            }
        }
    }
    let cube = cube(5, 2);
    let shown = text(Kind::Snake, &cube, &path);
    assert_eq!(shown, "snake of length 5 in dimension 5, spread 2\ntransitions 0 1 2 0 3\nnodes 0 1 3 7 6 14\n");
    // What is printed can be checked as it stands, the summary aside.
    let nodes = shown.lines().last().unwrap();
    assert_eq!(check(Kind::Snake, &cube, nodes).unwrap().score, 5.0);
    assert_eq!(text(Kind::Coil, &cube, &json!(null)), "no solution\n");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match parse("a.txt", &bytes) {
            Ok(cube) => prop_assert_eq!(parse("b.txt", write(&cube, "x").as_bytes()).unwrap(), cube),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused_in_one_line(text in "d[0-9]{1,2}(k[0-9])?\n((nodes|transitions)?[0-9 ,\\-#\r\n]{0,40}\n){0,4}") {
        match parse("a.txt", text.as_bytes()) {
            Ok(cube) => prop_assert_eq!(parse("b.txt", write(&cube, &text).as_bytes()).unwrap(), cube),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "(\\[|\\{|nodes|transitions)?[0-9a-z\"':,\\[\\]\\{\\} ]{0,60}", coil: bool) {
        let kind = if coil { Kind::Coil } else { Kind::Snake };
        if let Err(message) = check(kind, &cube(4, 2), &text) {
            prop_assert_eq!(message.lines().count(), 1);
        }
    }

    /// Relabelled and shifted paths are verified alike.
    #[test]
    fn symmetric_copies_are_valid(shift in 0_u32..16, order in Just(vec![0_u32, 1, 2, 3]).prop_shuffle()) {
        let nodes = [0_u32, 1, 3, 7, 6, 14, 12, 13];
        let moved: Vec<u32> = nodes
            .iter()
            .map(|node| (0..4).filter(|bit| node >> bit & 1 == 1).fold(shift, |sum, bit| sum ^ 1 << order[bit]))
            .collect();
        prop_assert_eq!(check(Kind::Snake, &cube(4, 2), &format!("{moved:?}")).unwrap().score, 7.0);
        let primed = cube(4, 2).with_prefix(&moved).unwrap();
        prop_assert_eq!(primed.prefix(), [0, 1, 2, 0, 3, 1, 0]);
    }
}
