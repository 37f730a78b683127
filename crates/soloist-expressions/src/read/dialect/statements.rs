//! Statements of all notations: declarations, targets and ends.

use super::super::reader::{Failure, is_letter};
use super::lexer::Parser;
use super::tree::{Kind, Tree};
use super::{Notation, Statement};
use std::collections::HashMap;

/// First words of statements of FORM that define an expression.
const LOCAL: [&str; 4] = ["local", "l", "global", "g"];
/// First words of statements of FORM that are skipped.
const DECLARING: [&str; 20] = [
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
    "format",
    "print",
    "off",
    "on",
    "bracket",
];
/// Words in front of the name of a variable.
const TYPES: [&str; 14] = [
    "const",
    "static",
    "double",
    "float",
    "long",
    "auto",
    "real",
    "Real",
    "Scalar",
    "constexpr",
    "let",
    "mut",
    "var",
    "id",
];
/// First words of lines of Fortran that compute nothing.
const SKIPPED: [&str; 7] = ["implicit", "integer", "real", "double precision", "complex", "use", "intent"];

/// Whether a line begins with a word that the reader does not know.
pub(super) fn has_words(text: &[u8]) -> bool {
    text.split(|&byte| matches!(byte, b'\n' | b';')).any(|line| {
        let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(line.len());
        let word = line[start..].iter().take_while(|&&byte| is_letter(byte)).count();
        let gap = line.get(start + word).is_some_and(|&byte| matches!(byte, b' ' | b'\t'));
        let after = line[start + word..].iter().find(|byte| !byte.is_ascii_whitespace());
        gap && after.is_some_and(|&byte| is_letter(byte))
            && TYPES.iter().any(|known| known.as_bytes() == &line[start..start + word] && *known != "let")
            || is_accumulated(&line[start..])
    })
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

impl Parser<'_> {
    /// Reads all statements.
    pub(super) fn statements(&mut self) -> Result<Vec<Statement>, Failure> {
        let mut done: Vec<Statement> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        while self.next_statement()? {
            let start = self.at;
            let Target { name, adds, local, base } = self.target()?;
            self.blanks()?;
            let mut value = if self.peek() == b'<' { self.angle()? } else { self.expression()? };
            self.end()?;
            let base = if matches!(self.text.get(value.at), Some(b'{' | b'<')) || self.is(Notation::Matlab) {
                1
            } else {
                base
            };
            self.known.extend(name.clone());
            let Some(name) = name else {
                done.push(Statement { at: start, name: None, value, base, local });
                continue;
            };
            match (places.get(&name).copied(), adds) {
                (Some(place), Some(negative)) => {
                    let before = std::mem::replace(&mut done[place].value, Tree::whole(start, "0"));
                    done[place].value = add(before, negative, value);
                }
                (Some(place), None) if takes_itself(&mut value, &name) => {
                    let before = std::mem::replace(&mut done[place].value, Tree::whole(start, "0"));
                    done[place].value = add(before, false, value);
                }
                (None, Some(_)) => return Err((start, format!("'{}' is added to before it is defined", shown(&name)))),
                (Some(_), None) => {
                    return Err((start, format!("a second output of the name '{}'", shown(&name))));
                }
                (None, None) => {
                    places.insert(name.clone(), done.len());
                    done.push(Statement { at: start, name: Some(name), value, base, local });
                }
            }
        }
        Ok(done)
    }

    /// Skips the text between statements. Returns whether another statement follows.
    fn next_statement(&mut self) -> Result<bool, Failure> {
        loop {
            let start = self.at == 0 || self.text[self.at - 1] == b'\n';
            let ended = self.blanks()? || start;
            let first = self.at == 0 || self.text[self.at - 1] == b'\n';
            match self.rest() {
                [] => return Ok(false),
                [b';', ..] => self.at += 1,
                [b'$', next, ..] if next.is_ascii_whitespace() => self.at += 1,
                [b'$'] => self.at += 1,
                [b'*', ..] if first => self.line(),
                [b'.', letter, ..] if ended && letter.is_ascii_alphabetic() => self.line(),
                _ if self.declares() => {
                    self.form = true;
                    let end = self.rest().iter().position(|&byte| byte == b';').unwrap_or(self.rest().len());
                    self.at += end;
                }
                _ if ended && self.is_declaration() => self.line(),
                _ if self.declares_only() => self.at += self.rest().iter().position(|&byte| byte == b';').unwrap_or(0),
                _ => return Ok(true),
            }
        }
    }

    /// Whether a declaration of FORM starts here: its word, and on the same line a name or, as in `print;`, nothing.
    fn declares(&mut self) -> bool {
        let start = self.at;
        let word = if is_letter(self.peek()) { self.word().to_ascii_lowercase() } else { String::new() };
        let gap = self.rest().iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let next = self.rest().get(gap).copied().unwrap_or(0);
        self.at = start;
        let named = gap > 0 && (is_letter(next) || next == b'[');
        DECLARING.contains(&word.as_str()) && (named || next == b';' && word.len() > 3)
    }

    /// Whether a line declares variables of Fortran without a value.
    fn is_declaration(&self) -> bool {
        let line = self.rest().split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let starts =
            |word: &&str| line.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        SKIPPED.iter().any(starts)
            && !line.contains('=')
            && !line.contains(';')
            && (line.contains("::") || line.starts_with("implicit") || line.contains(' '))
    }

    /// Whether a declaration of C without a value starts here: `double a, b;`.
    fn declares_only(&self) -> bool {
        let Some(end) = self.rest().iter().position(|&byte| byte == b';') else { return false };
        let statement = String::from_utf8_lossy(&self.rest()[..end]);
        ["double ", "float ", "long double "].iter().any(|word| statement.starts_with(word))
            && statement.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit() || b" ,\t".contains(&byte))
    }

    /// Reads what stands in front of an expression: words, a name and a sign.
    fn target(&mut self) -> Result<Target, Failure> {
        let start = self.at;
        let mut target = Target::default();
        loop {
            let place = self.at;
            let word = if is_letter(self.peek()) { self.word() } else { String::new() };
            let joined = self.at;
            self.blanks()?;
            let named = is_letter(self.peek()) || self.peek() == b'[';
            let lower = word.to_ascii_lowercase();
            if named && self.at > joined && LOCAL.contains(&lower.as_str()) {
                self.form = true;
                target.local = true;
            } else if !(named && self.at > joined && TYPES.contains(&word.as_str())) {
                self.at = place;
                break;
            }
        }
        let typed = self.at > start;
        let place = self.at;
        let name = self.target_name()?;
        self.blanks()?;
        match *self.rest() {
            [b':', b'=', ..] => {
                self.at += 2;
                target.base = 1;
            }
            [b'=', b'=', ..] => return self.fail("an equation; write `name = expression`"),
            [b'=', ..] => self.at += 1,
            [sign @ (b'+' | b'-'), b'=', ..] => {
                self.at += 2;
                target.adds = Some(sign == b'-');
            }
            [b':', next, ..] if next != b':' && !name.is_empty() && self.defines_by_colon() => {
                self.at += 1;
                target.base = 1;
            }
            _ if typed => {
                self.at = place;
                return self.fail("expected `name =`");
            }
            _ => {
                self.at = start;
                return Ok(Target::default());
            }
        }
        if name.is_empty() {
            self.at = place;
            return self.fail("expected a name before '='");
        }
        target.name = Some(name);
        Ok(target)
    }

    /// Whether an expression stands behind a `:` on the same line, as in Maxima. A statement of Maple ends with it.
    fn defines_by_colon(&self) -> bool {
        let next = self.rest()[1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        !self.is(Notation::Maple) && next.is_some_and(|&byte| !matches!(byte, b'\n' | b'#'))
    }

    /// Reads the name of an output: `f`, `p.q`, `a[1]`, `a[0][1]`, `y(1,2)`. Empty where there is none.
    fn target_name(&mut self) -> Result<String, Failure> {
        let mut name = if is_letter(self.peek()) { self.word() } else { String::new() };
        while self.peek() == b'.' && !name.is_empty() && self.rest().get(1).is_some_and(|&byte| is_letter(byte)) {
            self.at += 1;
            name.push('.');
            name.push_str(&self.word());
        }
        while self.peek() == b'[' {
            let Some(end) = self.rest().iter().position(|&byte| byte == b']') else { return Ok(name) };
            let inside: String = String::from_utf8_lossy(&self.rest()[1..end]).split_whitespace().collect();
            let simple =
                self.form || inside.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit() || byte == b',');
            if inside.is_empty()
                || inside.contains(['[', '=', ';', '{', '}'])
                || !simple
                || !self.form && name.is_empty()
            {
                return Ok(name);
            }
            self.at += end + 1;
            name = match name.strip_suffix(']') {
                Some(open) => format!("{open},{inside}]"),
                None => format!("{name}[{inside}]"),
            };
        }
        let skip = self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if self.rest().get(skip) == Some(&b'(') && !name.is_empty() {
            let inside = &self.rest()[skip + 1..];
            let end = inside.iter().position(|&byte| !byte.is_ascii_digit() && byte != b',' && byte != b' ');
            let Some(end) = end.filter(|&end| inside[end] == b')' && end > 0) else { return Ok(name) };
            let index: String = String::from_utf8_lossy(&inside[..end]).split_whitespace().collect();
            let after = inside[end + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            if after.is_some_and(|&byte| byte == b'=' || byte == b':')
                && !index.starts_with(',')
                && !index.ends_with(',')
            {
                self.at += skip + end + 2;
                self.arrays.insert(name.clone());
                name = format!("{name}[{index}]");
            }
        }
        Ok(name)
    }

    /// A vector of Maple: `<a, b>`.
    fn angle(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let mut elements = Vec::new();
        self.angle = true;
        loop {
            self.at += 1;
            elements.push(self.sum()?);
            self.blanks()?;
            match self.peek() {
                b',' => {}
                b'>' => break,
                _ => return self.fail("expected an operator, ',' or '>'"),
            }
        }
        self.at += 1;
        self.angle = false;
        Ok(Tree::new(start, Kind::List(elements)))
    }

    /// Checks the text after an expression.
    fn end(&mut self) -> Result<(), Failure> {
        let ended = self.blanks()?;
        match *self.rest() {
            [] => Ok(()),
            [b';', ..] | [b':', ..] if !self.rest().starts_with(b":=") => {
                self.at += 1;
                Ok(())
            }
            [b'$'] => Ok(()),
            [b'$', next, ..] if next.is_ascii_whitespace() => Ok(()),
            [b'.', letter, ..] if ended && letter.is_ascii_alphabetic() => Ok(()),
            [byte, ..] if ended && (is_letter(byte) || byte == b'[' && self.form) => {
                let here = self.at;
                let form = self.form;
                let arrays = self.arrays.clone();
                let named = self.target()?.name.is_some();
                (self.at, self.form, self.arrays) = (here, form, arrays);
                if named || self.declares() || self.is_declaration() {
                    Ok(())
                } else {
                    self.fail("expected an operator, ';' or `name =`")
                }
            }
            [b')', ..] => self.fail("a ')' without '('"),
            [b'&', ..] => self.fail("expected an operator, or the end of the line behind a '&'"),
            [b'!', ..] => self.fail("a factorial is not read; a blank in front of '!' makes a comment"),
            _ => self.fail("expected an operator, ';' or the end"),
        }
    }
}

/// What stands in front of an expression.
#[derive(Debug, Default)]
struct Target {
    name: Option<String>,
    /// `+=` and `-=`: whether the expression is subtracted.
    adds: Option<bool>,
    /// Whether FORM calls it an expression.
    local: bool,
    /// The index of the first element of a list.
    base: usize,
}

/// The sum of an expression and another one, which is negative or not.
fn add(before: Tree, negative: bool, more: Tree) -> Tree {
    let at = before.at;
    match before.kind {
        Kind::Sum(mut summands) => {
            summands.push((negative, more));
            Tree::new(at, Kind::Sum(summands))
        }
        kind => Tree::new(at, Kind::Sum(vec![(false, Tree::new(at, kind)), (negative, more)])),
    }
}

/// Whether an expression is `name + ...`. Takes the name out.
fn takes_itself(value: &mut Tree, name: &str) -> bool {
    let Kind::Sum(summands) = &mut value.kind else { return false };
    let own = |tree: &Tree| matches!(&tree.kind, Kind::Name(own) if own == name);
    let first = matches!(summands.first(), Some((false, tree)) if own(tree));
    if first {
        summands.remove(0);
    }
    first && !summands.is_empty()
}

/// A name, shortened for a message.
fn shown(name: &str) -> String {
    name.chars().take(24).collect()
}
