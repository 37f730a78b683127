//! Files that can mean another problem than the one that is read: every result of them says so.

use soloist::Budget;
use soloist_problems::contents::with_contents;
use soloist_problems::{AnyInstance, Domain, Options, Request, Unobserved, WARNING, domains};
use std::path::PathBuf;

fn domain(name: &str) -> &'static Domain {
    domains().iter().find(|domain| domain.name == name).unwrap()
}

fn open(problem: &str, set: &[(&str, &str)], text: &str) -> Box<dyn AnyInstance> {
    let options: Options = set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let files = vec![(PathBuf::from("a.file"), text.as_bytes().to_vec())];
    with_contents(Some(files), || domain(problem).open("a.file", &options)).0.unwrap()
}

/// Five places in a town by latitude and longitude.
const TOWN: &str = "NAME : t\nTYPE : CVRP\nDIMENSION : 5\nCAPACITY : 10\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n\
    1 48.1371 11.5754\n2 48.1391 11.5802\n3 48.1402 11.5601\n4 48.1299 11.5654\n5 48.1450 11.5700\n\
    DEMAND_SECTION\n1 0\n2 4\n3 4\n4 4\n5 4\nDEPOT_SECTION\n1\n-1\nEOF\n";

/// Four customers around a depot, with a window, a closing and a service of the depot.
fn windows(scale: u32, closing: u32, depot: u32) -> String {
    format!(
        "NAME : t\nTYPE : VRPTW\nDIMENSION : 4\nCAPACITY : 10\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 {a} 0\n\
         3 0 {a}\n4 {b} {b}\nDEMAND_SECTION\n1 0\n2 4\n3 4\n4 4\nTIME_WINDOW_SECTION\n1 0 {end}\n2 0 {closing}\n3 0 {end}\n\
         4 0 {end}\nSERVICE_TIME_SECTION\n1 {depot}\n2 1\n3 1\n4 1\nDEPOT_SECTION\n1\n-1\nEOF\n",
        a = 10 * scale,
        b = 7 * scale,
        end = 4000
    )
}

#[test]
fn suspicious_files_are_remarked_and_others_are_not() {
    let tour = |closing: u32| format!("3\n0 5 9\n5 0 4\n9 4 0\n0 2000\n0 {closing}\n1 1500\n");
    /// Problem, options, file and what is said of it.
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], String, &'a str);
    let cases: &[Case<'_>] = &[
        (
            "vrptw",
            &[],
            TOWN.into(),
            "distances are rounded to whole numbers: 10 of 10 become 0, on average they change by 100 %",
        ),
        ("rich-vrp", &[], TOWN.into(), "distances are rounded to whole numbers: 10 of 10 become 0"),
        (
            "vrptw",
            &[("rounding", "one-decimal")],
            TOWN.into(),
            "distances are rounded down to one decimal: 10 of 10 become 0",
        ),
        ("vrptw", &[("rounding", "none")], TOWN.into(), ""),
        ("vrptw", &[("rounding", "nearest")], windows(1, 40, 0), ""),
        ("vrptw", &[], windows(1, 40, 0), ""),
        ("vrptw", &[], windows(1, 3000, 0), "no window can be missed: the first closes at 3000"),
        ("rich-vrp", &[], windows(1, 3000, 0), "no window can be missed: the first closes at 3000"),
        ("vrptw", &[], windows(1, 4000, 0), ""),
        ("vrptw", &[], windows(1, 40, 9), "the depot has a service time of 9"),
        ("rich-vrp", &[], windows(1, 40, 9), "the depot has a service time of 9"),
        ("tsptw", &[], tour(1000), "no window can be missed: the first closes at 1000"),
        ("tsptw", &[], tour(20), ""),
        ("partition", &[], "5\n1\n2\n3\n4\n5\n".into(), "the first number, 5, is how many others there are"),
        ("partition", &[], "4\n1\n2\n3\n4\n5\n".into(), ""),
        ("partition", &[], "0\n".into(), ""),
        ("knapsack", &[], "3 8\n2 9\n3 10\n4 11\n".into(), "no item fits: the lightest weighs 9, the capacity is 8"),
        ("knapsack", &[], "2 20\n2 9\n3 11\n".into(), "all items fit: they weigh 20, the capacity is 20"),
        ("knapsack", &[], "3 9\n2 9\n3 10\n4 11\n".into(), ""),
        ("knapsack", &[], "2 19\n2 9\n3 11\n".into(), ""),
        ("knapsack", &[], "0 5\n".into(), ""),
        ("packing", &[], "t\n1 10 8\n3 0 4.5\n".into(), "no tube fits into the container of 10 x 8"),
        ("packing", &[], "t\n2 10 8\n3 0 4.5\n2 0 4\n".into(), "1 of 2 types do not fit"),
        ("packing", &[], "t\n1 10 8\n3 0 4\n".into(), ""),
        ("packing", &[], "t\n1 10 8\n3 0 1 7\n".into(), "the values in the file are not used"),
        ("packing", &[("worth", "given")], "t\n1 10 8\n3 0 1 7\n".into(), ""),
    ];
    for (problem, set, text, expected) in cases {
        let lines = open(problem, set, text).remarks();
        match *expected {
            "" => assert!(lines.is_empty(), "{problem} {text}: {lines:?}"),
            part => {
                let is_said = |line: &String| line.starts_with(&format!("{WARNING}{part}"));
                assert!(lines.len() == 1 && lines.iter().all(is_said), "{problem} {text}: {lines:?}");
            }
        }
        assert!(lines.iter().all(|line| !line.contains('\n')));
    }
    assert_eq!(open("samegame", &[], "0 2\n1 2\n").remarks()[..], [""; 0]);
    let zero = open("samegame", &[], "1 2\n0 2\n").remarks();
    assert!(zero.len() == 1 && zero[0].starts_with("0 is read as the first colour"), "{zero:?}");
    // What specs make needs no remark, but for the name of the problem.
    for domain in domains() {
        let lines = domain.open(domain.example, &Options::new()).unwrap().remarks();
        assert!(lines.iter().all(|line| !line.starts_with(WARNING)), "{}: {lines:?}", domain.name);
    }
}

/// A proof is one of the problem that was read: the remark stands beside it.
#[test]
fn a_proof_of_a_suspicious_file_carries_the_remark() {
    let instance = open("vrptw", &[], TOWN);
    let request = Request { budget: Budget::nodes(20_000), ..Request::default() };
    let report = instance.solve(request, &mut Unobserved).unwrap();
    assert!(report.optimal && report.score().unwrap().value() == Some(0.0));
    assert!(report.remarks[0].starts_with(WARNING), "{:?}", report.remarks);
}

/// Relocating above the next item alone takes 8 moves here; moving others as well, 6 do.
#[test]
fn restricted_relocation_is_called_so() {
    let text = "3 9\n3 3 5 9\n3 1 4 6\n3 7 8 2\n";
    let report = open("stacking", &[], text).solve(Request::default(), &mut Unobserved).unwrap();
    assert!(report.optimal && report.score().unwrap().value() == Some(8.0));
    assert!(report.remarks[0].starts_with("restricted block relocation: "), "{:?}", report.remarks);
    let stacking = domain("stacking");
    assert!(stacking.summary.contains("restricted") && stacking.instance.contains("restricted"));
    assert!(stacking.open("random:4x20:1", &Options::new()).unwrap().remarks().is_empty());
}

/// A difference has the score of others that are as large: the proof says so, unless all numbers are divided at once.
#[test]
fn proofs_of_large_differences_have_the_precision_of_the_score() {
    let solved = |text: &str, set: &[(&str, &str)]| {
        let instance = open("partition", set, text);
        let setup = soloist::Setup::named("dfs").rollout("kk");
        let request = Request { setup: Some(setup), budget: Budget::nodes(100_000), ..Request::default() };
        instance.solve(request, &mut Unobserved).unwrap()
    };
    let large = "1000000000000000000000001\n900000000000000000000000\n500000000000000000000000\n300000000000000000000007\n\
                 10000000000000000000000\n1000000000000000000000\n";
    let report = solved(large, &[("leaf", "4")]);
    assert!(report.optimal && report.remarks.iter().any(|line| line.contains("to the precision of the score")));
    assert!(solved(large, &[]).optimal && solved(large, &[]).remarks.is_empty());
    assert!(solved("9\n8\n7\n6\n5\n4\n", &[("leaf", "4")]).remarks.is_empty());
}
