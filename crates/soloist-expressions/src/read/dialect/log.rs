//! Listings of FORM: banner, echoed program and statistics are blanked out, what was printed stays.

use super::super::reader::Failure;

/// Whether a text is a listing of FORM.
pub(super) fn is_listing(text: &[u8]) -> bool {
    lines(text).any(|(_, line)| is_banner(line) || is_statistics(line))
}

/// Each line with the place where it starts.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    text.split_inclusive(|&byte| byte == b'\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn is_banner(line: &[u8]) -> bool {
    ["FORM ", "TFORM ", "ParFORM ", "PARFORM "].iter().any(|start| line.starts_with(start.as_bytes()))
        && line.windows(4).any(|part| part == b"Run:" || part == b"bits")
}

fn is_statistics(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_start();
    line.starts_with("Time =") && line.contains(" sec ") || line.starts_with("WTime =")
}

/// What FORM says about the run on a line of its own.
fn is_remark(line: &str) -> bool {
    let words = ["Terms in output", "Bytes used", "Terms left", "Terms active", "Generated terms", "Terms in thread"];
    words.iter().any(|word| line.contains(word))
        || line.contains(" sec out of ")
        || line.contains("sec + ")
        || line.contains(" Expression ") && line.contains('=')
        || line.starts_with("~~~")
        || line.starts_with('#')
}

/// The text with all but the printed expressions replaced by blanks, so that places stay.
pub(super) fn printed(text: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut kept = text.to_vec();
    let banner = lines(text).any(|(_, line)| is_banner(line));
    // Expressions end at a semicolon, in the notation of Fortran at an empty line.
    let fortran = lines(text).any(|(_, line)| line.starts_with(b"     &"));
    let mut inside = false;
    for (start, line) in lines(text) {
        let shown = String::from_utf8_lossy(line);
        let (trimmed, indent) = (shown.trim(), shown.len() - shown.trim_start().len());
        let begins = indent > 0 && (indent == 3 || indent == 6) && is_definition(trimmed);
        if inside || begins && !is_statistics(line) {
            inside = !(trimmed.ends_with(';') || fortran && trimmed.is_empty());
            continue;
        }
        let echo = banner && indent >= 4 || trimmed.starts_with('.');
        if !(trimmed.is_empty() || is_banner(line) || is_statistics(line) || is_remark(trimmed) || echo) {
            let message = "a line of a FORM listing that is no statistics and no printed `NAME =`";
            return Err((start + indent, message.into()));
        }
        for byte in &mut kept[start..start + line.len()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    Ok(kept)
}

/// Whether a line begins with `name =` or `name +=`.
fn is_definition(line: &str) -> bool {
    let Some((name, _)) = line.split_once('=') else { return false };
    let name = name.trim_end_matches('+').trim_end();
    name.starts_with(|first: char| first.is_alphabetic() || first == '[')
        && !name.contains(|letter: char| letter.is_whitespace() || ";*".contains(letter))
}
