//! Blanks and comments that all notations share.

/// The byte at which reading failed, and the message.
pub(super) type Failure = (usize, String);

/// The place of the end of the line that holds `at`.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at.min(text.len())..];
    at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
}

/// Skips one blank, one joint of lines or one comment: `# ...`, `\\ ...`, `/* ... */`, `(* ... *)`. Returns the place
/// behind it and whether a line ended; `None`: something else stands at `at`.
pub(super) fn skip(text: &[u8], at: usize) -> Result<Option<(usize, bool)>, Failure> {
    Ok(match text[at.min(text.len())..] {
        [b'\n', ..] => Some((at + 1, true)),
        [b' ' | b'\t' | b'\r', ..] => Some((at + 1, false)),
        [b'\\', b'\n', ..] => Some((at + 2, false)),
        [b'\\', b'\r', b'\n', ..] => Some((at + 3, false)),
        [b'#', ..] | [b'\\', b'\\', ..] => Some((line_end(text, at), false)),
        [b'/', b'*', ..] => Some((comment(text, at, b"*/")?, false)),
        [b'(', b'*', ..] => Some((comment(text, at, b"*)")?, false)),
        _ => None,
    })
}

/// The place behind a comment that `end` ends.
fn comment(text: &[u8], at: usize, end: &[u8; 2]) -> Result<usize, Failure> {
    let inside = text[at + 2..].windows(2).position(|pair| pair == end);
    inside.map(|length| at + length + 4).ok_or_else(|| (at, "a comment that does not end".into()))
}

/// The place behind a `\` at the end of a line inside a number or a name, and behind the blanks of the next line.
pub(super) fn joint(text: &[u8], at: usize) -> Option<usize> {
    let mut next = match text[at.min(text.len())..] {
        [b'\\', b'\n', ..] => at + 2,
        [b'\\', b'\r', b'\n', ..] => at + 3,
        _ => return None,
    };
    while text.get(next).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
        next += 1;
    }
    Some(next)
}
