//! Damage to bytes and to text.

use soloist::Rng;

/// Bytes at the borders of postcard's variable-length integers and of enumerations.
const BYTES: [u8; 10] = [0, 1, 2, 3, 0x3f, 0x40, 0x7f, 0x80, 0xfe, 0xff];
/// Numbers that sums, products and comparisons go wrong with.
const FLOATS: [f64; 12] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0, 1e300, -1e300, 5e-324, 1e18, f64::MAX, 0.5];

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.index(from.len())]
}

/// Changes one to four places of `bytes`, whose length stays: lists in it keep their lengths, so that most of the
/// damage reaches what is decoded.
pub fn in_place(rng: &mut Rng, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..=rng.index(4) {
        let at = rng.index(bytes.len());
        match rng.index(8) {
            0 | 1 => bytes[at] ^= 1 << rng.index(8),
            2 => bytes[at] = pick(rng, &BYTES),
            3 => bytes[at] = bytes[at].wrapping_add(pick(rng, &[1, 2, 0xff, 0xfe])),
            4 => {
                let float = pick(rng, &FLOATS).to_le_bytes();
                bytes.iter_mut().skip(at).zip(float).for_each(|(byte, new)| *byte = new);
            }
            5 => {
                // The largest integer in place of what is there.
                let largest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
                let length = pick(rng, &[2, 3, 5, 10]);
                let end = (at + length).min(bytes.len());
                bytes[at..end].copy_from_slice(&largest[10 - (end - at)..]);
            }
            6 => {
                // A byte goes, another one comes: the fields between them shift.
                let to = (at + 1 + rng.index(16)).min(bytes.len() - 1);
                bytes[at..=to].rotate_left(1);
                bytes[to] = pick(rng, &BYTES);
            }
            _ => {
                let (from, length) = (rng.index(bytes.len()), 1 + rng.index(16));
                let part = bytes[from..(from + length).min(bytes.len())].to_vec();
                bytes.iter_mut().skip(at).zip(part).for_each(|(byte, new)| *byte = new);
            }
        }
    }
}

/// Numbers, signs and marks that readers of text trip over.
const TOKENS: [&str; 36] = [
    "0",
    "-1",
    "1",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "9007199254740993",
    "4294967296",
    "2147483648",
    "1e308",
    "1e309",
    "-1e-320",
    "1e999999999",
    "NaN",
    "inf",
    "0x10",
    "1.5",
    "00000000000000000000000001",
    "99999999999999999999999999999999999999999999999999",
    "\0",
    "\r",
    "\u{feff}",
    "\u{2028}",
    "é",
    "٣",
    "\"",
    "{",
    "[",
    "(",
    ")",
    "]",
    "}",
    "#",
    ":",
    ",",
    "^",
];

/// Changes one to four places of a text: bits, cuts, copies, exchanged lines, huge numbers, deep nesting, other
/// encodings.
pub fn text(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.index(4) {
        let length = bytes.len();
        let at = rng.index(length + 1);
        let end = (at + 1 + rng.index(20)).min(length);
        match rng.index(14) {
            0 | 1 if length > 0 => bytes[at.min(length - 1)] ^= 1 << rng.index(8),
            2 => bytes.truncate(at),
            3 if at < end => drop(bytes.drain(at..end)),
            4 if at < end => {
                let part = bytes[at..end].to_vec();
                let to = rng.index(length);
                bytes.splice(to..to, part);
            }
            5..=7 => {
                // A token in the place of a number or name.
                let start = bytes[..at].iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
                let rest = bytes[at..].iter().position(|byte| !byte.is_ascii_alphanumeric());
                let stop = rest.map_or(length, |rest| at + rest);
                let token = pick(rng, &TOKENS);
                bytes.splice(start..stop, token.bytes());
            }
            8 => drop(bytes.splice(at..at, pick(rng, &TOKENS).bytes())),
            9 => {
                let deep =
                    pick(rng, &["[", "(", "{\"a\":", "-", "^", "a(", "#", "\n", "9"]).repeat(1 + rng.index(4000));
                bytes.splice(at..at, deep.bytes());
            }
            10 => {
                // Lines change places, or one comes twice.
                let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                let (a, b) = (rng.index(lines.len()), rng.index(lines.len()));
                if rng.index(2) == 0 {
                    lines.swap(a, b);
                } else {
                    lines.insert(a, lines[b].clone());
                }
                *bytes = lines.join(&b'\n');
            }
            11 if rng.index(8) == 0 => {
                // UTF-16, with or without its mark.
                let mark: &[u8] = if rng.index(2) == 0 { &[0xff, 0xfe] } else { &[] };
                *bytes = mark.iter().copied().chain(bytes.iter().flat_map(|&byte| [byte, 0])).collect();
            }
            12 => {
                let all = bytes.clone();
                bytes.splice(at..at, all);
            }
            _ => drop(bytes.splice(at..at, (0..=rng.index(8)).map(|_| rng.index(256) as u8))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_in_place_keeps_the_length_and_a_case_its_damage() {
        let whole: Vec<u8> = (0..200).collect();
        let damaged = |case| {
            let mut bytes = whole.clone();
            in_place(&mut crate::rng(1, case), &mut bytes);
            bytes
        };
        let changed = (0..500).filter(|&case| damaged(case) != whole).count();
        assert!(changed > 450, "{changed}");
        assert!((0..500).all(|case| damaged(case).len() == 200 && damaged(case) == damaged(case)));
    }

    #[test]
    fn texts_of_any_length_are_changed() {
        for case in 0..2_000 {
            let mut bytes = b"a 1\nb 22\n"[..case as usize % 9].to_vec();
            text(&mut crate::rng(2, case), &mut bytes);
            assert!(bytes.len() < 1 << 17);
        }
    }
}
