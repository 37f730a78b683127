//! Statements of all notations: declarations, targets and ends.

use super::super::blanks;
use super::super::reader::{Failure, is_letter};
use super::guess::{DECLARING, LOCAL};
use super::lexer::Parser;
use super::tree::{Kind, Tree};
use super::{Notation, Statement, words};
use std::collections::HashMap;

/// Lines of the preprocessor of FORM that change no expression.
const HARMLESS: [&str; 5] = ["-", "+", ":", "write", "message"];
/// Types of whole numbers in C, C++ and Rust: an assignment drops the rest.
const WHOLE: [&str; 20] = [
    "int", "unsigned", "signed", "short", "char", "bool", "size_t", "int8_t", "int16_t", "int32_t", "int64_t",
    "uint8_t", "uint32_t", "uint64_t", "i32", "i64", "u32", "u64", "usize", "Int",
];
/// First words of lines of Fortran that compute nothing.
const SKIPPED: [&str; 7] = ["implicit", "integer", "real", "double precision", "complex", "use", "intent"];

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
            self.names.known.extend(name.clone());
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

    /// The name of the next statement of a text in the notation of the reader, and whether FORM calls it an
    /// expression. `None`: there is none.
    pub(in crate::read) fn plain_target(&mut self) -> Result<Option<(Option<String>, bool)>, Failure> {
        if !self.next_statement()? {
            return Ok(None);
        }
        let Target { name, local, .. } = self.target()?;
        Ok(Some((name, local)))
    }

    /// Skips the text between statements. Returns whether another statement follows.
    fn next_statement(&mut self) -> Result<bool, Failure> {
        let form = self.form;
        loop {
            self.fresh = true;
            let start = self.at == 0 || self.text[self.at - 1] == b'\n';
            let ended = self.blanks()? || start;
            let first = self.at == 0 || self.text[self.at - 1] == b'\n';
            let place = self.at;
            match self.rest() {
                [] => return Ok(false),
                [b';', ..] => self.at += 1,
                [b'$', next, ..] if next.is_ascii_whitespace() => self.at += 1,
                [b'$'] => self.at += 1,
                [b'*', ..] if first && form => {
                    self.line();
                    self.read(place);
                }
                [b'.', letter, ..] if ended && form && letter.is_ascii_alphabetic() => {
                    self.line();
                    self.skip(place);
                }
                [b'#', ..] if form || self.is(Notation::C) => self.preprocessor()?,
                _ if self.declares() => {
                    let end = self.rest().iter().position(|&byte| byte == b';').unwrap_or(self.rest().len());
                    self.at += end;
                    self.skip(place);
                }
                _ if ended && self.is_declaration() => {
                    self.line();
                    self.skip(place);
                }
                _ if self.declares_only() => {
                    self.at += self.rest().iter().position(|&byte| byte == b';').unwrap_or(0);
                    self.skip(place);
                }
                _ if self.is(Notation::Matlab) && self.begins_function() => self.matlab_function()?,
                _ if self.is(Notation::Matlab) && self.function.is_some() && self.ends_function() => {
                    self.word();
                    self.read(place);
                }
                _ if self.is_command() => {
                    self.command()?;
                    self.skip(place);
                }
                _ => {
                    self.fresh = false;
                    return Ok(true);
                }
            }
        }
    }

    /// Lists the text from `start` on as skipped.
    fn skip(&mut self, start: usize) {
        self.ledger.skip(self.text, start, self.at);
    }

    /// Skips a line of the preprocessor that changes nothing.
    fn preprocessor(&mut self) -> Result<(), Failure> {
        let start = self.at;
        let line = &self.text[start + 1..blanks::line_end(self.text, start)];
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start();
        let harmless = if self.form {
            HARMLESS.iter().any(|word| line.starts_with(word))
        } else {
            ["include", "pragma"].iter().any(|word| line.starts_with(word))
        };
        if !harmless {
            return self.fail("a line of the preprocessor, which may change what follows");
        }
        self.line();
        self.skip(start);
        Ok(())
    }

    /// Whether a declaration of FORM starts here: its word, and on the same line a name or, as in `print;`, nothing.
    fn declares(&mut self) -> bool {
        if !self.form {
            return false;
        }
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
        if !self.is(Notation::Fortran) {
            return false;
        }
        let line = self.rest().split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let line = line.split('!').next().unwrap_or_default();
        let starts =
            |word: &&str| line.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        SKIPPED.iter().any(starts)
            && !line.contains('=')
            && !line.contains(';')
            && (line.contains("::") || line.starts_with("implicit") || line.contains(' '))
    }

    /// Whether a declaration of C without a value starts here: `double a, b;`.
    fn declares_only(&self) -> bool {
        if !self.is(Notation::C) {
            return false;
        }
        let Some(end) = self.rest().iter().position(|&byte| byte == b';') else { return false };
        let statement = String::from_utf8_lossy(&self.rest()[..end]);
        let (_, names) = statement.split_once([' ', '\t']).unwrap_or_default();
        statement.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit() || b" ,\t".contains(&byte))
            && names.trim_start().starts_with(|first: char| first.is_alphabetic() || first == '_')
    }

    /// Whether a statement of this notation begins here that computes nothing.
    fn is_command(&mut self) -> bool {
        if !is_letter(self.peek()) {
            return false;
        }
        let start = self.at;
        let word = self.word();
        let gap = self.rest().iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let next = self.rest().get(gap).copied().unwrap_or(b'\n');
        let after = self.rest().get(gap + 1).copied().unwrap_or(b'\n');
        self.at = start;
        if self.names.known.contains(&word) || !words::is_command(self.notation, &word) {
            return false;
        }
        let defines = next == b'=' && after != b'=' || next == b':' && after == b'=';
        // A blank in front of an operator, none behind it: `format -long`, but `clear + 1`.
        let open = words::is_open(self.notation, &word)
            && gap > 0
            && (is_letter(next) || next == b'-' && is_letter(after) || next == b'*' || next == b'\'' || next == b'"');
        !defines && (open || matches!(next, b'(' | b'[' | b';' | b'$' | b'\n' | b'\r' | b':'))
    }

    /// Passes a command: to the end of the line or statement, and no further.
    fn command(&mut self) -> Result<(), Failure> {
        let (start, mut depth, mut quote) = (self.at, 0_usize, None);
        while self.at < self.text.len() {
            let byte = self.peek();
            match (byte, quote) {
                (b'\n', _) if depth == 0 => break,
                (b'\n', _) => {
                    self.at = start;
                    return self.fail("a command that does not end with its line");
                }
                (_, Some(open)) if byte == open => quote = None,
                (_, Some(_)) => {}
                (b'"' | b'\'', None) => quote = Some(byte),
                (b'(' | b'[' | b'{', None) => depth += 1,
                (b')' | b']' | b'}', None) => depth = depth.saturating_sub(1),
                (b';' | b'$', None) if depth == 0 => break,
                (b':', None) if depth == 0 && self.is(Notation::Maple) => {
                    self.at += 1;
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Whether a function of MATLAB begins here.
    fn begins_function(&self) -> bool {
        self.starts("function") && self.rest().get(8).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'['))
    }

    /// Whether the last word of a function stands here.
    fn ends_function(&self) -> bool {
        ["endfunction", "end", "return"].iter().any(|word| {
            let next = self.rest().get(word.len()).copied().unwrap_or(b'\n');
            self.starts(word) && !is_letter(next) && !next.is_ascii_digit() && !b"=.([".contains(&next)
        })
    }

    /// Reads `function [a, b] = name(x, y)`.
    fn matlab_function(&mut self) -> Result<(), Failure> {
        let start = self.at;
        if self.function.is_some() {
            return self.fail("a second function: a text holds one");
        }
        let end = blanks::line_end(self.text, start);
        let line = String::from_utf8_lossy(&self.text[start + 8..end]).into_owned();
        let line = line.split('%').next().unwrap_or_default().trim().trim_end_matches([';', ',']);
        let (left, right) = line.split_once('=').unwrap_or(("", line));
        let (name, inside) = right.split_once('(').unwrap_or((right, ")"));
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
        let list = |text: &str| -> Vec<String> {
            text.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let outputs = list(left.trim().trim_start_matches('[').trim_end_matches(']'));
        match inside.trim_end().strip_suffix(')').map(list) {
            Some(args) if is_name(name.trim()) && args.iter().chain(&outputs).all(|name| is_name(name)) => {
                self.names.known.extend(args.iter().chain(&outputs).cloned());
                self.function = Some((args, outputs));
            }
            _ => return self.fail("expected `function out = name(x, y)` on one line"),
        }
        self.at = end;
        self.read(start);
        Ok(())
    }

    /// Reads the words in front of the name of a variable. Returns whether FORM calls it an expression.
    fn words_before(&mut self) -> Result<bool, Failure> {
        let (mut local, mut first) = (false, true);
        loop {
            let place = self.at;
            let word = if is_letter(self.peek()) { self.word() } else { String::new() };
            let joined = self.at;
            let ended = self.blanks()?;
            let named = self.at > joined && (is_letter(self.peek()) || self.peek() == b'[' && self.form);
            let lower = word.to_ascii_lowercase();
            let known = match self.notation {
                _ if self.own => LOCAL.contains(&lower.as_str()),
                Some(Notation::Form) => LOCAL.contains(&lower.as_str()) || lower == "id",
                Some(Notation::C) => !word.is_empty() && !ended && self.names_a_variable(),
                _ => false,
            };
            if !(named && known) {
                self.at = place;
                return Ok(local);
            }
            if self.own {
                return Ok(true);
            }
            if self.is(Notation::C) {
                let whole = WHOLE.contains(&word.as_str()) || word == "long" && !self.starts("double");
                if whole && first {
                    self.at = place;
                    return self.fail(format!("`{word}` is a type of whole numbers, which drop the rest"));
                }
                first &= matches!(&word[..], "const" | "static" | "constexpr" | "let" | "mut");
            }
            local |= self.form && lower != "id";
        }
    }

    /// Whether a name and `=`, or another word of a declaration, stand here.
    fn names_a_variable(&self) -> bool {
        let line = self.rest();
        let count = line.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit()).count();
        let rest = &line[count..];
        let gap = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match rest[gap..] {
            [b'=', b'=', ..] => false,
            [b'=', ..] | [b'[', ..] => count > 0,
            [next, ..] => count > 0 && gap > 0 && is_letter(next),
            [] => false,
        }
    }

    /// Reads what stands in front of an expression: words, a name and a sign.
    fn target(&mut self) -> Result<Target, Failure> {
        let start = self.at;
        let mut target = Target { local: self.words_before()?, ..Target::default() };
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
            _ if typed && !self.own => {
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
        while self.peek() == b'.'
            && !self.own
            && !name.is_empty()
            && self.rest().get(1).is_some_and(|&byte| is_letter(byte))
        {
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
            let place = self.at;
            self.at += end + 1;
            self.read(place);
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
                let place = self.at;
                self.at += skip + end + 2;
                self.read(place);
                self.names.arrays.insert(name.clone());
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
    pub(in crate::read) fn end(&mut self) -> Result<(), Failure> {
        let ended = self.blanks()?;
        match *self.rest() {
            [] => Ok(()),
            [b';', ..] | [b':', ..] if !self.rest().starts_with(b":=") => {
                self.at += 1;
                Ok(())
            }
            [b'$'] => Ok(()),
            [b'$', next, ..] if next.is_ascii_whitespace() => Ok(()),
            [b'.', letter, ..] if ended && self.form && letter.is_ascii_alphabetic() => Ok(()),
            // Outputs of MATLAB may be separated by commas.
            [b',', ..] if self.is(Notation::Matlab) => {
                self.at += 1;
                Ok(())
            }
            [b'#', ..] if ended && self.is(Notation::C) => Ok(()),
            [byte, ..] if ended && (is_letter(byte) || byte == b'[' && self.form) => {
                let here = self.at;
                let form = self.form;
                let arrays = self.names.arrays.clone();
                let named = self.target()?.name.is_some();
                (self.at, self.form, self.names.arrays) = (here, form, arrays);
                let own = self.is(Notation::Matlab) && (self.ends_function() || self.begins_function());
                if named || own || self.declares() || self.is_declaration() || self.is_command() {
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
