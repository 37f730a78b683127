//! Readers and writers of vehicle routing.

use crate::vrptw::solution::{self, Plan};
use crate::vrptw::{DOMAIN, Edges, Instance, Site, generate, is_spec, parse, write};
use proptest::prelude::*;

const TINY: &str = "tiny\n\nVEHICLE\nNUMBER CAPACITY\n 2 10\n\nCUSTOMER\nCUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n \n 0 0 0 0 0 99 0\n 1 3 4 7 10 20 5\n 2 6 8 3 0 50 5\n";

fn tiny() -> Instance {
    let site = |x, y, demand, ready, due, service| Site { x, y, demand, ready, due, service };
    Instance {
        name: "tiny".into(),
        sites: vec![
            site(0.0, 0.0, 0, 0.0, 99.0, 0.0),
            site(3.0, 4.0, 7, 10.0, 20.0, 5.0),
            site(6.0, 8.0, 3, 0.0, 50.0, 5.0),
        ],
        capacity: 10,
        vehicles: Some(2),
        edges: Edges::Euclidean,
    }
}

#[test]
fn solomon_files_as_they_are() {
    let windows = TINY.replace('\n', "\r\n");
    let marked = format!("\u{feff}{TINY}");
    for text in [TINY, &windows, &marked, TINY.trim_end(), &TINY.replace(" 7 10 20 5", " 7.0 10.00 2e1 5")] {
        assert_eq!(parse("t", text.as_bytes()).unwrap(), tiny(), "{text}");
    }
    let bare = parse("t", b"2 10\n0 0 0 0 0 99 0\n1 3 4 7 10 20 5\n2 6 8 3 0 50 5").unwrap();
    assert_eq!(bare, Instance { name: String::new(), ..tiny() });
    assert_eq!(parse("t", TINY.replace("tiny", "e6").as_bytes()).unwrap().name, "e6");
    assert_eq!(parse("t", TINY.replace("tiny", "101").as_bytes()).unwrap().name, "101");
    assert_eq!(parse("t", write(&tiny()).as_bytes()).unwrap(), tiny());
}

#[test]
fn solomon_errors_are_exact() {
    let row = "0 0 0 0 0 99 0\n";
    for (text, message) in [
        (String::new(), "t: no numbers, expected a row with the number of vehicles and the capacity"),
        ("name\n".into(), "t: no numbers, expected a row with the number of vehicles and the capacity"),
        ("a\n2 10 3\n".into(), "t: line 2: 3 fields, expected 2 numbers: vehicles and capacity"),
        ("a\n0 10\n".into(), "t: line 2: 0 vehicles, expected 1 or more"),
        ("a\n2 1.5\n".into(), "t: line 2: capacity '1.5', expected a whole number"),
        ("a\n2 -1\n".into(), "t: line 2: capacity '-1' is negative"),
        ("a\n2 1e12\n".into(), "t: line 2: capacity '1e12' is beyond 1e9, the largest number read"),
        (
            "a\n2 10\n".into(),
            "t: line 2: the file ends before the depot, expected 7 numbers: number x y demand ready due service",
        ),
        (
            format!("a\n2 10\n{row}"),
            "t: line 3: the file ends before a customer, expected 7 numbers: number x y demand ready due service",
        ),
        ("a\n2 10\n1 3 4 7 10 20 5\n".into(), "t: line 3: the depot is missing: number 1, expected 0"),
        (format!("2 10\n{row}{row}"), "t: line 3: number 0 for the second time, expected 1"),
        (format!("2 10\n{row}2 3 4 7 10 20 5"), "t: line 3: number 2, expected 1: numbers ascend by 1"),
        (
            format!("2 10\n{row}1 3 4 7 10 20"),
            "t: line 3: 6 fields beginning with '1', expected 7 numbers: number x y demand ready due service",
        ),
        (
            format!("2 10\n{row}1 3 4 7 10 20 5\nend"),
            "t: line 4: 1 fields beginning with 'end', expected 7 numbers: number x y demand ready due service",
        ),
        (format!("2 10\n{row}1 NaN 4 7 10 20 5"), "t: line 3: coordinate 'NaN', expected a number"),
        (format!("2 10\n{row}1 inf 4 7 10 20 5"), "t: line 3: coordinate 'inf', expected a number"),
        (format!("2 10\n{row}1 3 4 -7 10 20 5"), "t: line 3: demand '-7' is negative"),
        (format!("2 10\n{row}1 3 4 70 10 20 5"), "t: line 3: the demand 70 of customer 1 is above the capacity 10"),
        (format!("2 10\n{row}1 3 4 7 20 10 5"), "t: line 3: the window of customer 1 is reversed: 20 to 10"),
        ("2 10\n0 0 0 4 0 99 0\n1 3 4 7 10 20 5".into(), "t: line 2: the depot has the demand 4, expected 0"),
        (format!("2 10\n{row}1 3 4 7 10 20 5\0"), "t: line 3: binary data (a zero byte), expected text"),
        (
            format!("2 10\n{row}1 3 4 7 10 20 1e400"),
            "t: line 3: service time '1e400' is beyond 1e9, the largest number read",
        ),
    ] {
        assert_eq!(parse("t", text.as_bytes()).unwrap_err().to_string(), message, "{text:?}");
    }
    assert!(parse("t", b"\xff\xfe1\0").unwrap_err().to_string().contains("UTF-16"));
    assert!(crate::vrptw::read("no/such.txt").unwrap_err().to_string().starts_with("no/such.txt: cannot be read: "));
}

const VRPLIB: &str = "NAME : tiny\nCOMMENT : (two customers)\nTYPE : VRPTW\nDIMENSION : 3\nVEHICLES : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\nSERVICE_TIME : 5\nNODE_COORD_SECTION\n1 0 0\n3 6 8\n2 3 4\nDEMAND_SECTION\n1 0\n2 7\n3 3\nTIME_WINDOW_SECTION\n1 0 99\n2 10 20\n3 0 50\nDEPOT_SECTION\n1\n-1\nEOF\n";

#[test]
fn vrplib_files() {
    assert_eq!(parse("t", VRPLIB.as_bytes()).unwrap(), tiny());
    assert_eq!(parse("t", VRPLIB.replace('\n', "\r\n").as_bytes()).unwrap(), tiny());
    let services = VRPLIB.replace("SERVICE_TIME : 5\n", "");
    let services = services.replace("DEPOT_SECTION", "SERVICE_TIME_SECTION\n1 0\n2 5\n3 5\nDEPOT_SECTION");
    assert_eq!(parse("t", services.as_bytes()).unwrap(), tiny());
    let explicit = |format: &str, numbers: &str| {
        let text = format!(
            "NAME: e\nTYPE: CVRP\nDIMENSION: 3\nCAPACITY: 5\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {format}\nEDGE_WEIGHT_SECTION\n{numbers}\nDEMAND_SECTION\n1 0\n2 1\n3 2\nDEPOT_SECTION\n1\n-1\n"
        );
        let instance = parse("t", text.as_bytes()).unwrap();
        assert!(!instance.has_windows() && instance.vehicles.is_none());
        assert_eq!(parse("t", write(&instance).as_bytes()).unwrap(), instance);
        instance.edges
    };
    let symmetric = Edges::Explicit(vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]);
    assert_eq!(explicit("LOWER_ROW", "1\n2 3"), symmetric);
    assert_eq!(explicit("LOWER_DIAG_ROW", "0 1 0 2 3\n0"), symmetric);
    assert_eq!(explicit("UPPER_ROW", "1 2\n3"), symmetric);
    assert_eq!(explicit("UPPER_DIAG_ROW", "0 1 2\n0 3\n0"), symmetric);
    assert_eq!(
        explicit("FULL_MATRIX", "0 1 2\n4 0 3\n5 6.5 0"),
        Edges::Explicit(vec![0.0, 1.0, 2.0, 4.0, 0.0, 3.0, 5.0, 6.5, 0.0])
    );
}

#[test]
fn vrplib_errors_are_exact() {
    for (from, to, message) in [
        ("CAPACITY : 10\n", "", "t: no CAPACITY"),
        ("CAPACITY : 10\n", "CAPACITY : 10\nCAPACITY : 10\n", "t: line 8: 'CAPACITY' for the second time"),
        ("CAPACITY : 10\n", "CAPACITY : 6\n", "t: line 15: the demand 7 of customer 1 is above the capacity 6"),
        (
            "CAPACITY : 10\n",
            "DISTANCE : 10\n",
            "t: line 7: the field 'DISTANCE' is not known: it may change the problem",
        ),
        ("DIMENSION : 3\n", "", "t: line 8: NODE_COORD_SECTION before DIMENSION"),
        ("DIMENSION : 3\n", "DIMENSION : 4002\n", "t: line 4: DIMENSION 4002, expected 2 to 4001"),
        ("DIMENSION : 3\n", "DIMENSION : 4\n", "t: line 12: NODE_COORD_SECTION ends after 3 of 4 sites"),
        ("EUC_2D", "GEO", "t: line 6: EDGE_WEIGHT_TYPE 'GEO', expected EUC_2D or EXPLICIT"),
        ("EUC_2D", "EXPLICIT", "t: no EDGE_WEIGHT_SECTION"),
        (
            "TYPE : VRPTW",
            "TYPE : TSP",
            "t: line 3: TYPE 'TSP', expected CVRP or VRPTW, or one of MDVRP, MDVRPTW, PDPTW, PDP, PCVRP, PCVRPTW, HFVRP, HFVRPTW",
        ),
        ("2 10 20", "2 20 10", "t: line 15: the window of customer 1 is reversed: 20 to 10"),
        ("2 10 20", "1 10 20", "t: line 19: site 1 for the second time in TIME_WINDOW_SECTION"),
        ("2 10 20", "4 10 20", "t: line 19: site 4, expected 1 to 3"),
        ("2 10 20", "2 10", "t: line 19: 2 fields, expected the site and 2 numbers in TIME_WINDOW_SECTION"),
        ("2 7\n", "2 -7\n", "t: line 15: demand '-7' is negative"),
        (
            "TIME_WINDOW_SECTION",
            "PRIZE_SECTION",
            "t: line 18: 3 fields, expected the site and 1 numbers in PRIZE_SECTION",
        ),
        (
            "\n1\n-1\n",
            "\n2\n-1\n",
            "t: DEPOT_SECTION names another depot than site 1, or several: the problem `rich-vrp` reads several",
        ),
        ("DEPOT_SECTION\n1\n-1\n", "", "t: no DEPOT_SECTION"),
        ("EOF\n", "EOF\nmore\n", "t: line 25: 'more' after EOF"),
        ("EOF\n", "more\n", "t: line 24: 'more', expected `FIELD : value`, a section or EOF"),
        ("DEMAND_SECTION\n1 0\n2 7\n3 3\n", "", "t: no DEMAND_SECTION"),
        (
            "DEPOT_SECTION",
            "SERVICE_TIME_SECTION\n1 0\n2 5\n3 5\nDEPOT_SECTION",
            "t: both SERVICE_TIME and SERVICE_TIME_SECTION",
        ),
    ] {
        let text = VRPLIB.replacen(from, to, 1);
        assert_eq!(parse("t", text.as_bytes()).unwrap_err().to_string(), message, "{text}");
    }
    let matrix = "NAME: e\nDIMENSION: 3\nCAPACITY: 5\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_ROW\nEDGE_WEIGHT_SECTION\n1\n2 3\n";
    for (numbers, message) in [
        ("1\n2\n", "t: line 8: 2 distances, expected the 3 of LOWER_ROW"),
        ("1\n2 3\n4\n", "t: line 9: more than the 3 distances of LOWER_ROW"),
        ("1\n2 -3\n", "t: line 8: distance '-3' is negative"),
    ] {
        let text = matrix.replace("1\n2 3\n", numbers);
        assert_eq!(parse("t", text.as_bytes()).unwrap_err().to_string(), message);
    }
}

#[test]
fn solution_formats() {
    let plan = Plan { routes: vec![vec![5, 3, 7], vec![1]], kinds: None, cost: Some(1650.8) };
    assert_eq!(solution::write(&plan), "Route #1: 5 3 7\nRoute #2: 1\nCost 1650.8\n");
    assert_eq!(solution::parse(&solution::write(&plan)).unwrap(), plan);
    let sintef = "Instance name : R101\r\nAuthors       : somebody\r\nDate : 1999\r\nSolution\r\nRoute 1 : 05 03 7\r\nroute  2: 0 1 0\r\n";
    assert_eq!(solution::parse(sintef).unwrap(), Plan { cost: None, ..plan.clone() });
    assert_eq!(solution::parse("5 3 7 0\n1, 0 # end\n").unwrap(), Plan { cost: None, ..plan });
    assert_eq!(solution::parse("").unwrap(), Plan::default());
    for (text, message) in [
        ("Route #1: 5 x", "line 1: customer 'x', expected a number"),
        ("Route #1: 5\nCost abc", "line 2: cost 'abc', expected a number"),
        ("5 -3", "line 1: customer '-3', expected a number"),
        ("5 99999999999", "line 1: customer '99999999999', expected a number"),
    ] {
        assert_eq!(solution::parse(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn specs_never_change() {
    let sum = |spec: &str| {
        let instance = generate(spec).unwrap();
        let values =
            |site: &Site| [site.x, site.y, f64::from(site.demand), site.ready, site.due.min(1e6), site.service];
        let total: f64 =
            instance.sites.iter().enumerate().flat_map(|(at, s)| values(s).map(|v| v * (at + 1) as f64)).sum();
        total
    };
    let found = ["random:100:7", "clustered:100:7", "capacity:30:7"].map(sum);
    assert_eq!(found, [2_028_634.0, 1_907_945.0, 496_056_750.0]);
    for spec in ["random:1:0", "clustered:37:5", "capacity:4000:18446744073709551615"] {
        let instance = generate(spec).unwrap();
        let again = parse("x", (DOMAIN.generate)(spec).unwrap().as_bytes()).unwrap();
        assert_eq!(again.sites, instance.sites);
        let alone: Vec<Vec<u32>> = (1..instance.sites.len() as u32).map(|c| vec![c]).collect();
        crate::vrptw::verify(&instance, crate::vrptw::Rounding::Exact, &alone).unwrap();
    }
    for (spec, message) in [
        ("random:", "expected random:CUSTOMERS:SEED"),
        ("random:5", "expected random:CUSTOMERS:SEED"),
        ("random:0:1", "0 customers, expected 1 to 4000"),
        ("random:4001:1", "4001 customers, expected 1 to 4000"),
        ("random:1e2:1", "number of customers '1e2'"),
        ("clustered:5:-1", "the seed is not a whole number"),
        ("capacity:5:18446744073709551616", "the seed is not a whole number"),
    ] {
        let error = generate(spec).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{spec}: {message}")), "{error}");
    }
    assert!(!is_spec("random.txt") && !is_spec("c101") && is_spec("random:x"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match parse("t", &bytes) {
            Ok(instance) => prop_assert!(instance.validate().is_ok()),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
        if let Err(message) = solution::parse(&String::from_utf8_lossy(&bytes)) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused_in_one_line(cut in 0..600_usize, at in 0..600_usize, with in "[ -~\n]{0,8}", vrplib: bool) {
        let mut text = if vrplib { VRPLIB } else { TINY }.to_owned();
        let at = at % text.len();
        text.replace_range(at..at, &with);
        text.truncate(text.len() - cut % text.len());
        match parse("t", text.as_bytes()) {
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
            Ok(instance) => prop_assert!(instance.validate().is_ok()),
        }
    }

    #[test]
    fn written_files_are_read_back(
        sites in prop::collection::vec((-1e4..1e4_f64, -1e4..1e4_f64, 0..50_u32, 0..500_u32, 0..500_u32, 0..9_u32), 2..20),
        vehicles in prop::option::of(1..9_u32),
        timed: bool,
        name in "[a-z][a-z0-9 ]{0,8}[a-z]",
    ) {
        let sites: Vec<Site> = sites.into_iter().enumerate().map(|(at, (x, y, demand, ready, width, service))| Site {
            x, y,
            demand: if at == 0 { 0 } else { demand },
            ready: if timed { f64::from(ready) / 4.0 } else { 0.0 },
            due: if timed { f64::from(ready + width) / 4.0 } else { f64::INFINITY },
            service: f64::from(service),
        }).collect();
        let instance = Instance { name, sites, capacity: 50, vehicles, edges: Edges::Euclidean };
        prop_assert_eq!(parse("t", write(&instance).as_bytes()).unwrap(), instance);
    }
}
