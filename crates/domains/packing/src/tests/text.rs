//! Readers, specs, the verifier and drawings.

use super::search::{RING1, order};
use crate::*;
use proptest::prelude::*;
use serde_json::json;
use soloist_domain::Options;

#[test]
fn reader_accepts_what_files_look_like() {
    let expected = order(10.0, 5.5, &[(2, 0.25, 0.5), (1, 0.0, 1.0)]);
    for text in [
        "test\n2 10 5.5\n2 0.25 0.5\n1 0 1\n",
        "test\r\n2 \t 10 \t 5.5\r\n2 \t\t 0.25    0.50\r\n1 0.00 1.0",
        "\u{feff}\n  test \n\n2 1e1 5.5 # header\n\n2 .25 +0.5#x\n1 0. 1\n# end\n\n",
    ] {
        assert_eq!(parse("a.rpa", text.as_bytes()).unwrap(), expected, "{text:?}");
    }
    let given = parse("a.rpa", b"n # 1\n1 2 2\n3 0 1 7.5\n").unwrap();
    assert_eq!((given.tubes()[0].value, given.has_values(), given.name()), (Some(7.5), true, "n # 1"));
    assert_eq!(parse("a.rpa", b"n\n0 2 2\n").unwrap().tubes(), []);
}

#[test]
fn reader_errors_are_exact() {
    for (text, message) in [
        (&b""[..], "a: no text, expected the instance's name in the first line"),
        (b"\n \r\n", "a: no text, expected the instance's name in the first line"),
        (b"n", "a: line 1: the file ends after the name, expected the number of types, width and height"),
        (b"n\n2 10 5\n1 0 1\n", "a: line 3: the file ends after 1 of 2 types"),
        (b"n\n2 10\n", "a: line 2: 2 fields, expected 3: number of types, width and height"),
        (b"n\n2 10 5 6 7 8 9\n", "a: line 2: more than 5 fields, expected 3: number of types, width and height"),
        (b"n\nx 10 5\n", "a: line 2: number of types 'x', expected a whole number from 0 to 1000"),
        (b"n\n1001 10 5\n", "a: line 2: number of types '1001', expected a whole number from 0 to 1000"),
        (b"n\n1 NaN 5\n", "a: line 2: width 'NaN', expected a number"),
        (b"n\n1 10 inf\n", "a: line 2: height 'inf', expected a number"),
        (b"n\n1 10 1e400\n", "a: line 2: height '1e400', expected a number"),
        (b"n\n1 0 5\n", "a: line 2: width '0', expected 1e-9 to 1e9"),
        (b"n\n1 10 -5\n", "a: line 2: height '-5', expected 1e-9 to 1e9"),
        (b"n\n1 10 5\n1 0.5\n", "a: line 3: 2 fields, expected demand, inner radius, outer radius and perhaps a value"),
        (
            b"n\n1 10 5\n1 0 1 2 3\n",
            "a: line 3: 5 fields, expected demand, inner radius, outer radius and perhaps a value",
        ),
        (b"n\n1 10 5\n-1 0 1\n", "a: line 3: demand '-1', expected a whole number from 0 to 100000"),
        (b"n\n1 10 5\n1.5 0 1\n", "a: line 3: demand '1.5', expected a whole number from 0 to 100000"),
        (
            b"n\n1 10 5\n99999999999999999999999 0 1\n",
            "a: line 3: demand '99999999999999999999999', expected a whole number from 0 to 100000",
        ),
        (b"n\n1 10 5\n1 nan 1\n", "a: line 3: inner radius 'nan', expected a number"),
        (b"n\n1 10 5\n1 0 1,5\n", "a: line 3: outer radius '1,5', expected a number"),
        (b"n\n1 10 5\n1 1 1\n", "a: line 3: inner radius 1, expected 0 up to below the outer radius 1"),
        (b"n\n1 10 5\n1 -1 1\n", "a: line 3: inner radius -1, expected 0 up to below the outer radius 1"),
        (b"n\n1 10 5\n1 0 0\n", "a: line 3: outer radius 0, expected a number above 0, at most 1e9"),
        (b"n\n1 10 5\n1 0 2e9\n", "a: line 3: outer radius 2000000000, expected a number above 0, at most 1e9"),
        (b"n\n1 10 5\n1 0 1e-4\n", "a: line 3: outer radius 0.0001 is below 0.0001 of the container's longer side 10"),
        (b"n\n1 10 5\n1 0 1 -2\n", "a: line 3: value -2, expected 0 to 1e12"),
        (b"n\n2 10 5\n1 0 1 2\n1 0 1\n", "a: line 4: no value, but one in the line of the first type"),
        (b"n\n2 10 5\n1 0 1\n1 0 1 2\n", "a: line 4: a value, but none in the line of the first type"),
        (b"n\n2 10 5\n60000 0 1\n60000 0 1\n", "a: line 4: 120000 tubes up to here, at most 100000 are read"),
        (b"n\n1 10 5\n1 0 1\n1 0 1\n", "a: line 4: '1' after the last of 1 types"),
        (b"n\n1 10 5\n1 0 1\nend\n", "a: line 4: 'end' after the last of 1 types"),
        (b"n\n1 10 5\n1 0 \0\n", "a: line 3: binary data (a zero byte), expected text"),
        (b"\xff\xfen\0", "a: UTF-16 text; save it as UTF-8"),
        (b"\xe9\n1 1 1\n", "a: line 1: the name is not UTF-8 text"),
        (b"a\x07b\n1 1 1\n", "a: line 1: control characters in the name"),
        (b"n\n1 10 5\n1 0 \xff\n", "a: line 3: outer radius '\u{fffd}', expected a number"),
    ] {
        assert_eq!(parse("a", text).unwrap_err().to_string(), message, "{:?}", String::from_utf8_lossy(text));
    }
    let missing = read("no/such.rpa").unwrap_err().to_string();
    assert!(missing.starts_with("no/such.rpa: cannot be read: "), "{missing}");
    assert!(read(env!("CARGO_MANIFEST_DIR")).is_err(), "a folder");
}

#[test]
fn orders_are_checked_however_they_are_made() {
    let tube = |inner, outer, value| Tube { demand: 1, inner, outer, value };
    let wrong = |name: &str, width, tubes: Vec<Tube>| Order::new(name, width, 5.0, tubes).unwrap_err();
    assert_eq!(wrong("a\nb", 5.0, vec![]), "the name is not one line of text");
    assert_eq!(wrong("", 5.0, vec![]), "the name is not one line of text");
    assert_eq!(wrong("n", f64::NAN, vec![]), "side NaN of the container, expected 1e-9 to 1e9");
    assert_eq!(wrong("n", 5.0, vec![tube(0.0, 1.0, None); 1001]), "1001 types of tubes, at most 1000 are allowed");
    assert_eq!(
        wrong("n", 5.0, vec![Tube { demand: 100_001, ..tube(0.0, 1.0, None) }]),
        "100001 tubes, at most 100000 are allowed"
    );
    assert_eq!(
        wrong("n", 5.0, vec![tube(0.0, f64::INFINITY, None)]),
        "type 0: outer radius inf, expected a number above 0, at most 1e9"
    );
    assert_eq!(
        wrong("n", 5.0, vec![tube(f64::NAN, 1.0, None)]),
        "type 0: inner radius NaN, expected 0 up to below the outer radius 1"
    );
    assert_eq!(wrong("n", 5.0, vec![tube(0.0, 1.0, Some(f64::NAN))]), "type 0: value NaN, expected 0 to 1e12");
    assert_eq!(
        wrong("n", 5.0, vec![tube(0.0, 1.0, Some(1.0)), tube(0.0, 1.0, None)]),
        "type 1: values for some types only"
    );
}

#[test]
fn specs_never_change() {
    let order = generate("random:3x10:7").unwrap();
    let text = write(&order);
    assert_eq!(text, "random-3x10-7\n3 4 4\n9 0.135 0.152\n0 0.791 0.908\n1 1.536 1.768\n");
    assert_eq!(parse("x", (DOMAIN.generate)("random:3x10:7").unwrap().as_bytes()).unwrap(), order);
    assert!(generate("circles:3x10:7").unwrap().tubes().iter().all(|tube| tube.inner == 0.0));
    for (spec, message) in [
        ("random:", "expected random:TYPESxTUBES:SEED or circles:TYPESxTUBES:SEED, as in random:5x80:7"),
        ("random:5:7", "expected random:TYPESxTUBES:SEED or circles:TYPESxTUBES:SEED, as in random:5x80:7"),
        ("rings:5x80:7", "expected random:TYPESxTUBES:SEED or circles:TYPESxTUBES:SEED, as in random:5x80:7"),
        ("random:0x80:7", "at least one type and one tube are needed"),
        ("random:1001x80:7", "number of types '1001', expected a whole number from 0 to 1000"),
        ("random:5x100001:7", "number of tubes '100001', expected a whole number from 0 to 100000"),
        ("random:5x80:-1", "seed '-1', expected a whole number from 0 to 18446744073709551615"),
        ("random:5x80:1:2", "seed '1:2', expected a whole number from 0 to 18446744073709551615"),
    ] {
        assert_eq!(generate(spec).unwrap_err().to_string(), format!("{spec}: {message}"));
    }
    assert!(generate("random:5x80:18446744073709551615").is_ok() && generate("random:1000x100000:1").is_ok());
    assert!(is_spec("circles:x") && !is_spec("random.rpa") && !is_spec("./random:5x80:7"));
}

/// The only packing of `ring1` but for turns: everything is tight.
fn ring1() -> serde_json::Value {
    let tube = |kind: u32, hull: Option<u32>, x: f64, y: f64| json!({ "type": kind, "container": 0, "hull": hull, "x": x, "y": y });
    let mut tubes = vec![tube(0, None, 3.0, 3.0)];
    for (x, y) in [(1.45, 0.0), (0.0, 1.45), (-1.45, 0.0), (0.0, -1.45)] {
        tubes.push(tube(1, Some(0), 3.0 + x, 3.0 + y));
        tubes.push(tube(2, Some(tubes.len() as u32 - 1), 3.0 + x, 3.0 + y));
    }
    tubes.push(tube(2, Some(0), 3.0, 3.0));
    json!({ "tubes": tubes, "containers": 1, "counts": [1, 4, 5] })
}

#[test]
fn verifier_recomputes_everything() {
    let order = parse("ring1", RING1).unwrap();
    let count = |text: &str| check(&order, Worth::Count, Objective::Value, text);
    let good = ring1();
    let result = json!({ "problem": "packing", "score": 10, "feasible": true, "solution": good });
    for text in [good.to_string(), result.to_string(), good["tubes"].to_string()] {
        let checked = count(&text).unwrap();
        assert_eq!(
            (checked.score, checked.summary.as_str()),
            (10.0, "10 of 10 tubes in 1 container, value 10, tolerance 6.0e-9")
        );
    }
    assert_eq!(check(&order, Worth::Area, Objective::Containers, &good.to_string()).unwrap().score, 1.0);
    assert_eq!(count("").unwrap().score, 0.0);
    assert_eq!(count("0 0 - 3 3 # comment\n1 0 0 3 4.45").unwrap().score, 2.0);

    let tampered = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut solution = ring1();
        change(&mut solution);
        count(&solution.to_string()).unwrap_err()
    };
    let set = |index: usize, name: &'static str, value: serde_json::Value| {
        tampered(&move |solution| solution["tubes"][index][name] = value.clone())
    };
    assert_eq!(
        set(0, "x", json!(3.001)),
        "tube 0 sticks out of the container by 9.999999999998899e-4, the tolerance is 6.0e-9"
    );
    assert!(set(1, "x", json!(4.46)).starts_with("tube 1 sticks out of the inside of tube 0 by 9.99"));
    assert_eq!(
        set(9, "hull", json!(1)),
        "tube 9 sticks out of the inside of tube 1 by 1.4500000000000002e0, the tolerance is 6.0e-9"
    );
    assert!(set(9, "x", json!(3.01)).starts_with("tubes 1 and 9 in tube 0 overlap by "));
    assert_eq!(set(2, "type", json!(0)), "tube 2: more than the 1 tubes of type 0 that are offered");
    assert_eq!(set(2, "type", json!(3)), "tube 2: type 3 does not exist: there are 3, counted from 0");
    assert_eq!(set(2, "hull", json!(10)), "tube 2: hull 10 does not exist: there are 10 tubes, counted from 0");
    assert_eq!(set(2, "hull", json!(2)), "tube 2 (outer radius 0.45) does not fit into tube 2 (inner radius 0)");
    assert_eq!(set(1, "hull", json!(2)), "tube 1 (outer radius 1) does not fit into tube 2 (inner radius 0)");
    assert_eq!(set(2, "container", json!(1)), "tube 2 is in container 1, its hull 1 in container 0");
    assert_eq!(set(2, "x", json!("3")), "tube 2: `x` is '\"3\"', expected a number");
    assert_eq!(set(2, "x", json!(null)), "tube 2: `x` is 'null', expected a number");
    assert_eq!(set(2, "type", json!(-1)), "tube 2: `type` is '-1', expected a whole number from 0 on");
    assert_eq!(set(2, "type", json!(null)), "tube 2: no `type`");
    assert_eq!(set(2, "hull", json!(0.5)), "tube 2: `hull` is '0.5', expected a whole number from 0 on");
    assert_eq!(tampered(&|solution| solution["tubes"][3] = json!(7)), "tube 3 is '7', expected an object");
    assert_eq!(tampered(&|solution| solution["tubes"] = json!(7)), "`tubes` is not a list");
    assert_eq!(tampered(&|solution| solution["value"] = json!(11)), "claims the value '11', recomputed: 10");
    assert_eq!(
        tampered(&|solution| solution["containers"] = json!(2)),
        "claims the number of containers '2', recomputed: 1"
    );
    assert_eq!(
        tampered(&|solution| solution["counts"] = json!([1, 4, 4])),
        "claims the counts '[1,4,4]', recomputed: [1, 4, 5]"
    );

    for (text, message) in [
        ("{}", "no list `tubes`"),
        (r#"{"solution": null}"#, "holds no solution"),
        (r#"{"score": 9, "solution": {"tubes": []}}"#, "claims the score '9', recomputed: 0"),
        (r#"{"feasible": false, "solution": {"tubes": []}}"#, "says that it is not feasible"),
        (r#"{"problem": "knapsack", "solution": {"tubes": []}}"#, "a solution of '\"knapsack\"', expected packing"),
        ("0 0 -", "line 1: '0 0 -', expected type, container, hull (- for none), x and y"),
        ("0 0 - 1 nan", "line 1: y 'nan', expected a number"),
        ("2 0 - 1 1\n0 0 x 1 1", "line 2: hull 'x', expected a whole number from 0 to 4294967295"),
        ("2 1 - 1 1", "container 1 is used, but there is only container 0"),
        (
            "2 0 - 1 1\n2 0 - 1.89 1",
            "tubes 0 and 1 in container 0 overlap by 1.000000000000012e-2, the tolerance is 6.0e-9",
        ),
    ] {
        assert_eq!(count(text).unwrap_err(), message, "{text}");
    }
    let all = check(&order, Worth::Area, Objective::Containers, "0 0 - 3 3").unwrap_err();
    assert_eq!(all, "only 0 of 4 tubes of type 1 are packed, expected all");
}

#[test]
fn the_tolerance_is_what_is_documented() {
    // A container of side 10: 1e-8.
    let order = order(10.0, 10.0, &[(2, 0.0, 1.0)]);
    let at = |gap: f64| check(&order, Worth::Count, Objective::Value, &format!("0 0 - 1 1\n0 0 - {} 1", 3.0 - gap));
    assert!(at(0.9e-8).is_ok() && at(1.1e-8).is_err());
    let wall = |gap: f64| check(&order, Worth::Count, Objective::Value, &format!("0 0 - {} 5", 1.0 - gap));
    assert!(wall(0.9e-8).is_ok() && wall(1.1e-8).is_err());
}

#[test]
fn given_values_count() {
    let order = parse("a", b"n\n2 4 4\n1 0 1 2.5\n1 0.5 1 100\n").unwrap();
    let checked = check(&order, Worth::Given, Objective::Value, "1 0 - 1 1\n0 0 - 3 1").unwrap();
    assert_eq!(checked.score, 102.5);
    assert_eq!(Packing::new(&order, Worth::Given, Objective::Value).unwrap().value_of(&[1, 1]), 102.5);
}

#[test]
fn drawing_is_sound_on_anything() {
    for spec in ["random:5x80:7", "random:60x300:2", "circles:1x1:1"] {
        for objective in ["value", "containers"] {
            let options = Options::from([("objective".to_owned(), objective.to_owned())]);
            let instance = (DOMAIN.load)(spec, &options).unwrap();
            let tubes = json!([{ "type": 0, "x": 1, "y": 1 }, { "type": 9999, "x": 1, "y": 1 }, { "type": 0, "x": 1e300, "y": 1 }, 7,
                { "type": 0, "container": u64::MAX, "hull": 3, "x": 2, "y": 2.5 }]);
            for solution in [json!(null), json!({ "tubes": tubes }), json!({ "tubes": 3 }), json!(3)] {
                let svg = instance.svg(&solution);
                assert!(
                    svg.starts_with("<svg ")
                        && svg.ends_with("</svg>\n")
                        && !svg.contains("NaN")
                        && !svg.contains("inf")
                );
                assert_eq!(svg.matches("<circle").count(), svg.matches("/>").count() - svg.matches("<rect").count());
                assert!(!instance.text(&solution).is_empty());
            }
        }
    }
    let order = parse("a", b"<b>&\n1 2 2\n1 0 1\n").unwrap();
    let svg = draw::svg(&order, Worth::Area, &json!({ "tubes": [{ "type": 0, "x": 1, "y": 1 }] }));
    assert!(svg.contains("&lt;b&gt;&amp;: ring area 3.1416, 1 of 1 tubes in 1 container, discs cover 78.5 %"), "{svg}");
}

#[test]
fn domain_says_what_it_is() {
    let instance = (DOMAIN.load)(DOMAIN.example, &Options::new()).unwrap();
    assert!(instance.describe().starts_with("80 tubes of 5 types, container "), "{}", instance.describe());
    assert_eq!(instance.default_setup().preset, "refine");
    let given = Options::from([("worth".to_owned(), "given".to_owned())]);
    let error = (DOMAIN.load)(DOMAIN.example, &given).err().unwrap().to_string();
    assert_eq!(error, "random:5x80:7: the instance gives no values: a fourth number in the line of each type");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match parse("a", &bytes) {
            Ok(order) => prop_assert_eq!(parse("a", write(&order).as_bytes()).unwrap(), order),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused_in_one_line(text in "n\n[0-3] [0-9e.]{1,5} [0-9e.]{1,5}\n([0-9 \\-#\\.e\r\n]{0,40}\n){0,6}") {
        match parse("a", text.as_bytes()) {
            Ok(order) => prop_assert_eq!(parse("a", write(&order).as_bytes()).unwrap(), order),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn written_files_are_read_back(
        width in 1.0..1e3, height in 1.0..1e3, valued: bool,
        tubes in prop::collection::vec((0_u32..100, 0.0..0.999, 0.2..50.0, 0.0..1e6), 0..20),
    ) {
        let tubes = tubes.into_iter().map(|(demand, part, outer, value): (u32, f64, f64, f64)| {
            Tube { demand, inner: part * outer, outer, value: valued.then_some(value) }
        });
        let order = Order::new("a b", width, height, tubes.collect()).unwrap();
        prop_assert_eq!(parse("a", write(&order).as_bytes()).unwrap(), order);
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "[\\[\\{]?[0-9a-z\"':,\\[\\]\\{\\} \n.-]{0,60}") {
        let order = generate("random:3x20:1").unwrap();
        if let Err(message) = check(&order, Worth::Area, Objective::Value, &text) {
            prop_assert_eq!(message.lines().count(), 1);
        }
    }

    #[test]
    fn the_sweep_finds_every_overlap(seed: u64, count in 2_usize..40) {
        let mut rng = soloist::Rng::new(seed);
        let order = order(20.0, 20.0, &[(40, 0.0, 0.3), (40, 0.0, 1.0)]);
        let tubes: Vec<(usize, f64, f64)> =
            (0..count).map(|_| (rng.index(2), 1.0 + 18.0 * rng.unit(), 1.0 + 18.0 * rng.unit())).collect();
        let text: Vec<String> = tubes.iter().map(|(kind, x, y)| format!("{kind} 0 - {x} {y}")).collect();
        let overlap = tubes.iter().enumerate().any(|(i, a)| tubes[..i].iter().any(|b| {
            (a.1 - b.1).hypot(a.2 - b.2) < [0.3, 1.0][a.0] + [0.3, 1.0][b.0] - 2e-8
        }));
        prop_assert_eq!(check(&order, Worth::Count, Objective::Value, &text.join("\n")).is_err(), overlap);
    }
}
