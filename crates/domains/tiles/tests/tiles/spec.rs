//! Specs of random boards.

use soloist_tiles::{generate, is_spec};

#[test]
fn golden_boards() {
    // These boards may never change: published results name them.
    let cells = |text: &str| generate(text).unwrap().cells().to_vec();
    assert_eq!(cells("random:2x4x3:7"), GOLDEN_SMALL);
    let large = cells("random:15x15x5:7");
    let hash = large.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, &c| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!((&large[..15], hash), (&GOLDEN_ROW[..], GOLDEN_HASH));
}

// Computed by an independent program from the description above.
const GOLDEN_SMALL: [u8; 8] = [1, 1, 3, 2, 3, 2, 3, 1];
const GOLDEN_ROW: [u8; 15] = [1, 1, 4, 3, 5, 3, 4, 2, 5, 1, 1, 1, 4, 1, 3];
const GOLDEN_HASH: u64 = 0xf535_dd86_e1ed_bd95;

#[test]
fn errors_say_what_is_wrong() {
    let cases: &[(&str, &str)] = &[
        ("random:10000x10000x5:1", "10000 rows, expected 1 to 31"),
        ("random:32x1x5:1", "32 rows, expected 1 to 31"),
        ("random:15x33x5:1", "33 columns, expected 1 to 32"),
        ("random:15x15x16:1", "16 colours, expected 1 to 15"),
        ("random:0x15x5:1", "0 rows, expected 1 to 31"),
        ("random:15x0x5:1", "0 columns, expected 1 to 32"),
        ("random:15x15x0:1", "0 colours, expected 1 to 15"),
        (
            "random:15x15x99999999999999999999999999999999999999999999:1",
            "999999999999999999999999... colours, expected 1 to 15",
        ),
        ("random:15x15x5", "no seed: "),
        ("random:15x15x5:", "no seed: "),
        ("random:15x15:7", "'15x15' holds 2 sizes, not 3: "),
        ("random:15x15x5x2:7", "'15x15x5x2' holds 4 sizes, not 3: "),
        ("random:-3x15x5:7", "'-3' is not a number of rows: "),
        ("random:15x+3x5:7", "'+3' is not a number of columns: "),
        ("random:15x15x five:7", "' five' is not a number of colours: "),
        ("random:15x15x5:-7", "the seed '-7' is not a whole number from 0 to 18446744073709551615"),
        ("random:15x15x5:18446744073709551616", "the seed '18446744073709551616' is not a whole number"),
        ("random:15x15x5:7abc", "the seed '7abc' is not a whole number"),
        ("random:15x15x5:7:8", "unexpected ':8' after the seed '7'"),
        ("random:15x15x5:7 ", "the seed '7 ' is not a whole number"),
        ("random:", "no seed: "),
        ("15x15x5:7", "not a spec: "),
    ];
    for (text, expected) in cases {
        let error = generate(text).unwrap_err();
        assert!(error.message.starts_with(expected), "{text}: {error}");
        assert!(error.name == *text || error.name.ends_with("..."), "{error}");
    }
    assert_eq!(
        generate("random:15x15x5").unwrap_err().to_string(),
        "random:15x15x5: no seed: expected random:ROWSxCOLUMNSxCOLOURS:SEED, such as random:15x15x5:7"
    );
}

#[test]
fn limits_are_allowed() {
    for text in ["random:31x32x15:18446744073709551615", "random:1x1x1:0"] {
        assert!(is_spec(text) && generate(text).unwrap().is_settled());
    }
}

#[test]
fn colors_are_uniform() {
    let grid = generate("random:31x32x5:3").unwrap();
    // 992 cells: mean 198, standard deviation 12.6.
    assert!(grid.counts()[1..=5].iter().all(|count| (148..=249).contains(count)), "{:?}", grid.counts());
}
