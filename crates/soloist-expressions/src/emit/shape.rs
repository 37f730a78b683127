//! Other shapes of C code: a function for blocks of points, and a function in pieces. Both are made from the text of
//! the plain function, and the verifier turns them back into it.

use soloist_domain::error::quote;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// The points of a block: a register of AVX-512, or two of AVX2.
pub(super) const BLOCK: usize = 8;

/// The comment in front of the function for blocks.
pub(super) const BLOCKS: &str = "// Computes n blocks of 8 points: x holds 8 values of each input, input by input, for each block, y gets 8 \
                      values of\n// each output likewise.\n";
/// What keeps a compiler from putting the pieces together again.
const APART: &str = "#if defined(__GNUC__)\n#define APART __attribute__((noinline))\n#else\n#define APART\n#endif\n";

/// The first line of a piece: compilers do not warn of arguments that it does not need.
const NEEDED: &str = "    (void)x, (void)y, (void)store;\n";

/// The parts of plain C code: what stands before the function, its name, its type of numbers, its statements, what
/// stands behind.
struct Parts<'a> {
    head: &'a str,
    name: &'a str,
    number: &'a str,
    body: Vec<&'a str>,
    tail: &'a str,
}

fn parts(code: &str) -> Option<Parts<'_>> {
    let open = code.find("\nvoid ")? + 1;
    let (head, rest) = code.split_at(open);
    let (first, rest) = rest.split_once("\n{\n")?;
    let (name, rest_of_first) = first.strip_prefix("void ")?.split_once('(')?;
    let number = rest_of_first.strip_prefix("const ")?.split_once(" *restrict x")?.0;
    if rest_of_first != format!("{})", arguments(number)) {
        return None;
    }
    let (body, tail) = rest.split_once("\n}\n")?;
    Some(Parts { head, name, number, body: body.lines().collect(), tail })
}

fn arguments(number: &str) -> String {
    format!("const {number} *restrict x, {number} *restrict y")
}

fn arguments_of_piece(number: &str) -> String {
    format!("{}, {number} *restrict store", arguments(number))
}

/// The code with a function `NAME_blocks` that computes blocks of [`BLOCK`] points, which compilers turn into vector
/// code: `x[block][input][8]`, `y[block][output][8]`.
pub(crate) fn with_blocks(code: &str, inputs: usize, outputs: usize) -> Option<String> {
    let Parts { name, number, body, .. } = parts(code)?;
    let (mut text, n, m) = (code.to_owned(), BLOCK * inputs, BLOCK * outputs);
    let arguments = arguments(number);
    let _ = write!(
        text,
        "\n{BLOCKS}void {name}_blocks(size_t n, {arguments})\n{{\n    \
         for (size_t i = 0; i < n; i++, x += {n}, y += {m})\n        for (int w = 0; w < {BLOCK}; w++) {{\n"
    );
    for line in body {
        let _ = writeln!(
            text,
            "        {}",
            renamed(line, |word, index| match (word, index) {
                ("x" | "y", Some(index)) => Some(format!("{word}[{} + w]", BLOCK * index)),
                _ => None,
            })
        );
    }
    text.push_str("        }\n}\n");
    Some(text)
}

/// The code without its function for blocks, which must be the one of the plain function.
///
/// # Errors
/// One line: another function for blocks.
pub(crate) fn without_blocks(code: &str, inputs: usize, outputs: usize) -> Result<&str, String> {
    let Some(at) = code.find("\n// Computes n blocks of ") else { return Ok(code) };
    let plain = &code[..at];
    match with_blocks(plain, inputs, outputs) {
        Some(expected) if expected.trim_end() == code.trim_end() => Ok(plain),
        Some(expected) => {
            let differs = code.lines().zip(expected.lines()).position(|(a, b)| a != b);
            let line = differs.unwrap_or_else(|| code.lines().count().min(expected.lines().count()));
            Err(format!("line {}: the function for blocks is not that of the function for a point", line + 1))
        }
        None => Err("a function for blocks without one for a point".into()),
    }
}

/// The line with some words replaced. A word comes with its index if one follows in brackets, and is then replaced
/// together with it.
fn renamed(line: &str, mut change: impl FnMut(&str, Option<usize>) -> Option<String>) -> String {
    let mut text = String::with_capacity(line.len() + 16);
    let mut rest = line;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if end == 0 {
            let next = rest.chars().next().map_or(0, char::len_utf8);
            text.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        let index = after.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        let number = index.and_then(|(number, _)| number.parse().ok());
        match change(word, number) {
            Some(other) => {
                text.push_str(&other);
                rest = match (number, index) {
                    (Some(_), Some((_, behind))) => behind,
                    _ => after,
                };
            }
            None => {
                text.push_str(word);
                rest = after;
            }
        }
    }
    text
}

/// The variables of `known` that a line names.
fn variables<'a>(line: &str, known: &HashSet<&'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    let _ = renamed(line, |word, _| {
        found.extend(known.get(word));
        None
    });
    found
}

/// The variable that a line declares.
fn declared<'a>(line: &'a str, number: &str) -> Option<&'a str> {
    line.trim().strip_prefix(number)?.strip_prefix(' ')?.split_once(" = ").map(|(name, _)| name)
}

/// The code with its function cut into pieces of at most `most` lines, so that compilers, whose time grows faster than
/// the length of a function, have less to do. Values that a later piece needs go through an array whose places are used
/// again after the last use. Shorter code stays as it is.
pub(crate) fn split(code: &str, most: usize) -> Option<String> {
    let Parts { head, name, number, body, tail } = parts(code)?;
    let most = most.max(1);
    if body.len() <= most {
        return Some(code.to_owned());
    }
    let piece = |line: usize| line / most;
    let known: HashSet<&str> = body.iter().filter_map(|line| declared(line, number)).collect();
    let mut home: HashMap<&str, usize> = HashMap::new();
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut crosses: HashSet<&str> = HashSet::new();
    for (at, line) in body.iter().enumerate() {
        if let Some(variable) = declared(line, number) {
            home.insert(variable, piece(at));
        }
        for variable in variables(line, &known) {
            last.insert(variable, at);
            if home.get(variable) != Some(&piece(at)) {
                crosses.insert(variable);
            }
        }
    }
    // Places of the store, free again after the line of the last use.
    let (mut free, mut size) = (Vec::new(), 0);
    let mut place: HashMap<&str, usize> = HashMap::new();
    let mut pieces = String::new();
    for (at, line) in body.iter().enumerate() {
        if at % most == 0 {
            let arguments = arguments_of_piece(number);
            let _ = write!(pieces, "static APART void {name}_{}({arguments})\n{{\n{NEEDED}", piece(at) + 1);
        }
        let used = variables(line, &known);
        // The target has its place before others become free: a statement reads all before it writes, but clearer code
        // does not depend on that.
        let target = declared(line, number).filter(|target| crosses.contains(target));
        if let Some(target) = target {
            place.insert(target, free.pop().unwrap_or_else(|| (size, size += 1).0));
        }
        let mut text = renamed(line, |word, _| place.get(word).map(|place| format!("store[{place}]")));
        if target.is_some() {
            text = text.replacen(&format!("{number} store["), "store[", 1);
        }
        let _ = writeln!(pieces, "{text}");
        for variable in used {
            if last.get(variable) == Some(&at)
                && let Some(place) = place.remove(variable)
            {
                free.push(place);
            }
        }
        if at % most == most - 1 || at + 1 == body.len() {
            pieces.push_str("}\n\n");
        }
    }
    let arguments = arguments(number);
    let size = size.max(1);
    let mut text = format!("{head}{APART}\n{pieces}void {name}({arguments})\n{{\n    {number} store[{size}];\n");
    for piece in 1..=body.len().div_ceil(most) {
        let _ = writeln!(text, "    {name}_{piece}(x, y, store);");
    }
    text.push_str("}\n");
    text.push_str(tail);
    Some(text)
}

/// The code with the pieces put together again.
///
/// # Errors
/// One line: pieces that are called in another order, are not called, have other arguments, or use a value of another
/// piece that is not in the store.
pub(crate) fn joined(code: &str) -> Result<Option<String>, String> {
    let Some((head, rest)) = code.split_once(APART) else { return Ok(None) };
    let (mut pieces, mut count) = (String::new(), 0);
    let mut rest = rest.trim_start_matches('\n');
    let (mut name, mut number) = ("", "");
    let mut bodies = Vec::new();
    while let Some(piece) = rest.strip_prefix("static APART void ") {
        count += 1;
        let wrong = || format!("piece {count} of the function is not complete");
        let (first, after) = piece.split_once("\n{\n").ok_or_else(wrong)?;
        let (body, after) = after.split_once("}\n").ok_or_else(wrong)?;
        let body = body.strip_prefix(NEEDED).ok_or_else(wrong)?;
        let (called, arguments) = first.split_once('(').ok_or_else(wrong)?;
        let called = called.strip_suffix(&format!("_{count}")).ok_or_else(wrong)?;
        if count == 1 {
            name = called;
            number =
                arguments.strip_prefix("const ").and_then(|rest| rest.split_once(" *restrict x")).ok_or_else(wrong)?.0;
        }
        if called != name || arguments != format!("{})", arguments_of_piece(number)) {
            return Err(wrong());
        }
        bodies.push(body);
        pieces.push_str(body);
        rest = after.trim_start_matches('\n');
    }
    let known: HashSet<&str> = pieces.lines().filter_map(|line| declared(line, number)).collect();
    for (at, body) in bodies.into_iter().enumerate() {
        let mut own: HashSet<&str> = HashSet::new();
        for line in body.lines() {
            let target = declared(line, number);
            let used = variables(line, &known);
            let foreign = used.into_iter().find(|&variable| Some(variable) != target && !own.contains(variable));
            if let Some(foreign) = foreign {
                return Err(format!("piece {} uses {foreign}, which it does not compute", at + 1));
            }
            own.extend(target);
        }
    }
    let mut expected = format!("void {name}({})\n{{\n", arguments(number));
    let after = rest.strip_prefix(&expected).ok_or("no function that calls the pieces")?;
    let (store, after) = after.split_once('\n').unwrap_or((after, ""));
    let declaration = format!("{number} store[");
    let size = store.trim().strip_prefix(&declaration).and_then(|rest| rest.strip_suffix("];"));
    let size: usize = size
        .and_then(|size| size.parse().ok())
        .ok_or_else(|| format!("{} is no declaration of the store", quote(store.trim().as_bytes())))?;
    expected.clear();
    for piece in 1..=count {
        let _ = writeln!(expected, "    {name}_{piece}(x, y, store);");
    }
    expected.push_str("}\n");
    let tail = after.strip_prefix(&expected).ok_or("the pieces are not called one after the other")?;
    let mut beyond = None;
    let _ = renamed(&pieces, |word, index| {
        beyond = beyond.or(index.filter(|&index| word == "store" && index >= size));
        None
    });
    if let Some(index) = beyond {
        return Err(format!("the store has {size} places, none with index {index}"));
    }
    Ok(Some(format!("{head}void {name}({})\n{{\n{pieces}}}\n{tail}", arguments(number))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "// comment\n#include <stddef.h>\n\nvoid f(const double *restrict x, double *restrict y)\n{\n    \
                        double t0 = x[0]*x[11];\n    double t1 = t0 + 3.0;\n    double t2 = t1*t1;\n    \
                        double t3 = t2 - x[0];\n    y[0] = t3*t3;\n    y[1] = t2 + t0;\n}\n\n// many\n";

    #[test]
    fn blocks_are_those_of_the_function() {
        let blocks = with_blocks(CODE, 12, 2).unwrap();
        assert!(blocks.contains("double t0 = x[0 + w]*x[88 + w];") && blocks.contains("x += 96, y += 16"));
        assert_eq!(without_blocks(&blocks, 12, 2), Ok(CODE));
        assert_eq!(without_blocks(CODE, 12, 2), Ok(CODE));
        // Readers of files may drop the end of the last line.
        assert_eq!(without_blocks(blocks.trim_end(), 12, 2), Ok(CODE));
        for (part, other) in [("88", "80"), ("96", "88"), ("y[8 + w] = t2 +", "y[8 + w] = t2 -"), ("w < 8", "w < 7")] {
            let wrong = blocks.replacen(part, other, 1);
            assert!(wrong != blocks && without_blocks(&wrong, 12, 2).is_err(), "{part}");
        }
    }

    /// Other types of numbers and names of variables.
    #[test]
    fn code_of_every_style() {
        let code = CODE.replace("double", "long double _Complex").replace(" t", " part").replace("*t", "*part");
        let blocks = with_blocks(&code, 12, 2).unwrap();
        assert!(blocks.contains("f_blocks(size_t n, const long double _Complex *restrict x"));
        assert_eq!(without_blocks(&blocks, 12, 2), Ok(&*code));
        let text = split(&code, 2).unwrap();
        assert!(text.contains("long double _Complex store[") && text.contains(" store[0] = x[0]*x[11];"), "{text}");
        let whole = joined(&text).unwrap().unwrap();
        assert_eq!(whole.lines().filter(|line| line.contains(" = ")).count(), 6, "{text}");
        assert!(joined(&text.replacen("_Complex *restrict store", "*restrict store", 1)).is_err());
    }

    #[test]
    fn pieces_are_put_together_again() {
        assert_eq!(split(CODE, 6).unwrap(), CODE);
        for most in [1, 2, 3, 5] {
            let text = split(CODE, most).unwrap();
            let whole = joined(&text).unwrap().unwrap();
            assert_eq!(whole.lines().filter(|line| line.contains(" = ")).count(), 6, "{text}");
            let foreign = text.replacen("store[0] = ", "double t9 = ", 1).replacen("store[0]", "t9", 9);
            assert!(joined(&foreign).is_err(), "{most}: {foreign}");
            let swapped = text.replacen("f_1(x, y, store)", "f_2(x, y, store)", 1);
            assert!(joined(&swapped).is_err());
            let small = text.replace("double store[", "double store[0");
            assert!(joined(&small).is_ok());
            let none = text.replacen("store[0] =", "store[77] =", 1);
            assert!(joined(&none).is_err());
        }
        assert_eq!(joined(CODE), Ok(None));
    }
}
