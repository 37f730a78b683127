//! The notation of a text by marks that no other notation has.

use super::super::reader::is_letter;
use super::{Notation, constants, log, words};

/// First words of statements of FORM that define an expression.
pub(super) const LOCAL: [&str; 4] = ["local", "l", "global", "g"];
/// First words of statements of FORM that are skipped.
pub(super) const DECLARING: [&str; 29] = [
    "symbol",
    "symbols",
    "s",
    "vector",
    "vectors",
    "v",
    "index",
    "indices",
    "i",
    "function",
    "functions",
    "f",
    "cfunction",
    "cfunctions",
    "cf",
    "nfunction",
    "nfunctions",
    "tensor",
    "tensors",
    "ctensor",
    "ntensor",
    "dimension",
    "format",
    "print",
    "off",
    "on",
    "bracket",
    "b",
    "nwrite",
];

/// What the first words of the statements of a text say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// Names alone.
    None,
    /// Statements of FORM.
    Form,
    /// Those of other notations.
    Other,
}

/// The first words of a statement.
enum First {
    /// Of an expression of FORM.
    Local,
    /// Of a declaration of FORM; true: one or two letters, which may be a type of C++.
    Declaration(bool),
    Other,
}

/// Looks at the first words of all statements. `form`: the text is known to be one of FORM.
pub(super) fn first_words(text: &[u8], form: bool) -> Words {
    let (mut words, mut at, mut doubtful) = (Words::None, 0, false);
    while at < text.len() {
        let end = text[at..].iter().position(|byte| matches!(byte, b'\n' | b';')).map_or(text.len(), |end| at + end);
        let line = &text[at..end];
        let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(line.len());
        let begins = at == 0 || text[at - 1] == b'\n';
        match line[start..] {
            [b'*', ..] if begins && start == 0 => words = Words::Form,
            [b'.', letter, ..] if begins && letter.is_ascii_alphabetic() => words = Words::Form,
            [b'#', ..] if form => return Words::Other,
            _ => {}
        }
        match first(&line[start..]) {
            Some(First::Local) => words = Words::Form,
            Some(First::Declaration(short)) if form || is_list(text, at + start) => {
                doubtful |= short;
                words = if short { words } else { Words::Form };
            }
            Some(First::Declaration(_) | First::Other) => return Words::Other,
            None if is_accumulated(&line[start..]) => return Words::Other,
            None => {}
        }
        at = end + 1;
    }
    if doubtful && words == Words::None && !form { Words::Other } else { words }
}

fn first(line: &[u8]) -> Option<First> {
    let count = line.iter().take_while(|&&byte| is_letter(byte)).count();
    if count == 0 || count > 20 {
        return None;
    }
    let word = String::from_utf8_lossy(&line[..count]);
    let rest = &line[count..];
    let gap = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let next = rest.get(gap).copied();
    let named = gap > 0 && next.is_some_and(|next| is_letter(next) || next == b'[');
    let lower = word.to_ascii_lowercase();
    if named && (LOCAL.contains(&lower.as_str()) || lower == "id") && rest.contains(&b'=') {
        return Some(First::Local);
    }
    if DECLARING.contains(&lower.as_str()) && (named || next.is_none() && word.len() > 3) {
        return Some(First::Declaration(word.len() < 3));
    }
    if named {
        return Some(First::Other);
    }
    let alone = next.is_none_or(|next| matches!(next, b'\r' | b'$'));
    let known = |notation| words::is_command(Some(notation), &word);
    (alone && Notation::ALL.into_iter().any(known)).then_some(First::Other)
}

/// Whether a statement is a list of names that a `;` ends.
fn is_list(text: &[u8], at: usize) -> bool {
    let Some(end) = text[at..].iter().position(|&byte| byte == b';') else { return false };
    !text[at..at + end].iter().any(|&byte| matches!(byte, b'=' | b'&' | b'{' | b'"' | b'\'' | b'/' | b'%'))
}

/// Whether a line is `F = F + ...`.
fn is_accumulated(line: &[u8]) -> bool {
    let word = line.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit()).count();
    let blanks = |from: usize| line[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count() + from;
    let equal = blanks(word);
    if word == 0 || line.get(equal) != Some(&b'=') {
        return false;
    }
    let again = blanks(equal + 1);
    let sign = blanks((again + word).min(line.len()));
    line[again..].starts_with(&line[..word]) && line.get(sign).is_some_and(|&byte| matches!(byte, b'+' | b'-'))
}

/// The notation of a text; `None`: it has no marks. Its words are then those that all notations understand alike.
pub(super) fn guess(text: &[u8]) -> Option<Notation> {
    if log::is_listing(text) || first_words(text, false) == Words::Form && !is_c(text) {
        return Some(Notation::Form);
    }
    if is_matlab(text) {
        return Some(Notation::Matlab);
    }
    if is_c(text) {
        return Some(Notation::C);
    }
    let sympy = [
        "Symbol('",
        "Symbol(\"",
        "Rational(",
        "Integer(",
        "Matrix([[",
        "Piecewise((",
        "S(1)",
        "S(2)",
        "S(3)",
        "S(4)",
        "S(5)",
        "S(6)",
        "S(7)",
        "S(8)",
        "S(9)",
        "S(-",
        "S.",
        "math.",
        "np.",
        "numpy.",
        "sympy.",
    ];
    if sympy.iter().any(|word| holds(text, word)) && !holds(text, "Matrix(2,") {
        return Some(Notation::Sympy);
    }
    let mathematica = [
        "Sin[",
        "Cos[",
        "Tan[",
        "Exp[",
        "Log[",
        "Sqrt[",
        "Power[",
        "Plus[",
        "Times[",
        "Rational[",
        "Piecewise[",
        "If[",
        "Abs[",
        "ArcTan[",
        "ArcSin[",
        "ArcCos[",
        "Complex[",
        "Max[",
        "Min[",
        "CubeRoot[",
        "Surd[",
        "den[",
        "num[",
        "Simplify[",
        "Ceiling[",
        "Floor[",
    ];
    let digits = |part: &[u8]| matches!(*part, [digit, b'`', ..] | [digit, b'*', b'^'] if digit.is_ascii_digit());
    if mathematica.iter().any(|word| holds(text, word)) || text.windows(3).any(digits) {
        return Some(Notation::Mathematica);
    }
    if is_fortran(text) {
        return Some(Notation::Fortran);
    }
    is_maxima(text).then_some(Notation::Maxima)
}

/// The words of letters and digits of a text.
fn words_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| !is_letter(byte) && !byte.is_ascii_digit())
}

/// Whether a text holds a word, which no letter or digit continues to the left.
fn holds(text: &[u8], word: &str) -> bool {
    let mut places = text.windows(word.len()).enumerate().filter(|(_, part)| *part == word.as_bytes());
    places.any(|(at, _)| {
        at == 0 || !is_letter(text[at - 1]) && !text[at - 1].is_ascii_digit() && !b".:".contains(&text[at - 1])
    })
}

fn is_matlab(text: &[u8]) -> bool {
    let operand = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || matches!(byte, b')' | b']' | b'\'');
    let dotted = |part: &[u8]| matches!(*part, [before, b'.', b'*' | b'/' | b'^', ..] if operand(before) && !before.is_ascii_digit());
    let percent = |rest: &[u8]| {
        rest.starts_with(b"%") && !["%pi", "%e", "%i"].iter().any(|name| rest.starts_with(name.as_bytes()))
    };
    let function = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        line.trim_start()
            .strip_prefix("function")
            .is_some_and(|rest| rest.starts_with([' ', '\t', '[']) && rest.contains('(') && !rest.contains(';'))
    };
    text.windows(4).any(dotted)
        || percent(text)
        || text.windows(2).enumerate().any(|(at, pair)| pair == b"\n%" && percent(&text[at + 1..]))
        || text.split(|&byte| byte == b'\n').any(function)
}

fn is_c(text: &[u8]) -> bool {
    let typed = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start();
        let line = line.strip_prefix("const ").or_else(|| line.strip_prefix("static ")).unwrap_or(line);
        ["double ", "float ", "long double ", "auto ", "constexpr ", "let ", "int "]
            .iter()
            .any(|word| line.starts_with(word))
            && line.contains('=')
            || line.starts_with("#include")
    };
    let single = |part: &[u8]| matches!(*part, [b'.', digit, b'f' | b'F', next] if digit.is_ascii_digit() && !is_letter(next) && !next.is_ascii_digit());
    text.split(|&byte| matches!(byte, b'\n' | b';' | b'{')).any(typed)
        || holds(text, "std::")
        || words_of(text).any(|word| word.starts_with(b"M_") && constants::is_of_c(word))
        || text.windows(4).any(single)
}

fn is_fortran(text: &[u8]) -> bool {
    let line = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        let lower = line.to_ascii_lowercase();
        line.ends_with('&')
            || lower.starts_with("implicit none")
            || lower.contains("::") && (lower.starts_with("real") || lower.starts_with("integer"))
            || line.starts_with('!')
    };
    let dotted = [".lt.", ".gt.", ".le.", ".ge.", ".eq.", ".ne.", ".and.", ".or.", ".not."];
    let found = |word: &&str| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    // `1.5_dp`, and no name that ends so.
    let kind = |(at, part): (usize, &[u8])| {
        let digits = text[..at].iter().rev().take_while(|&&byte| byte.is_ascii_digit() || byte == b'.').count();
        let before = text[..at - digits].last().copied().unwrap_or(b' ');
        matches!(part, b"_dp" | b"_sp" | b"_qp") && digits > 0 && !is_letter(before)
    };
    text.windows(3).enumerate().any(kind)
        || text.split(|&byte| byte == b'\n').any(line)
        || dotted.iter().any(found)
        || holds(text, "merge(")
}

fn is_maxima(text: &[u8]) -> bool {
    let ends = text.windows(2).any(|pair| pair[0] == b'$' && pair[1].is_ascii_whitespace()) || text.ends_with(b"$");
    ends || ["%pi", "%e", "%i"].iter().any(|name| holds(text, name))
}
