//! The table of notations in the guide.

use soloist_expressions::{Notation, Reading, parse_with};

#[test]
fn every_notation_of_the_guide_is_read() {
    let page = include_str!("../../../../docs/guide/expressions.md");
    let mut read = 0;
    for line in page.lines() {
        let cells: Vec<&str> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let [notation, text, expected] = cells[..] else { continue };
        let Some(notation) = Notation::ALL.into_iter().find(|one| one.name() == notation) else { continue };
        let (text, expected) = (text.trim_matches('`'), expected.trim_matches('`'));
        let system = parse_with("a", text.as_bytes(), true, Some(notation), &Reading::default());
        let system = system.unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = system.outputs().next().unwrap().polynomial.to_string();
        let letters = |text: &str| {
            let mut letters: Vec<char> = text.chars().collect();
            letters.sort_unstable();
            letters
        };
        // The order of terms and factors is free.
        assert_eq!(letters(&found), letters(expected), "{text}: {found}, expected {expected}");
        read += 1;
    }
    assert!(read >= 14, "{read} rows");
    for notation in Notation::ALL {
        assert!(page.contains(&format!("\n| {} | `", notation.name())), "no row of {}", notation.name());
    }
}
