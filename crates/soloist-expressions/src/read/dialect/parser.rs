//! Recursive descent over expressions of all notations.

use super::super::reader::{Failure, is_letter};
use super::Notation;
use super::conditions;
use super::constants::is_constant;
use super::lexer::Parser;
use super::tree::{BRACKETS, Kind, Tree};
use super::words;
use crate::algebra::Constant;

impl Parser<'_> {
    pub(super) fn sum(&mut self) -> Result<Tree, Failure> {
        self.enter()?;
        let start = self.at;
        let mut summands = Vec::new();
        loop {
            let ended = self.at;
            self.blanks()?;
            let (signs, negative) = self.signs()?;
            if signs == 0 && !summands.is_empty() {
                // Whether a line ended matters to what follows.
                self.at = ended;
                break;
            }
            summands.push((negative, self.product()?));
        }
        self.leave();
        Ok(match summands.pop() {
            Some((false, only)) if summands.is_empty() => only,
            Some(last) => {
                summands.push(last);
                Tree::new(start, Kind::Sum(summands))
            }
            None => return self.fail("expected a number, a name or '('"),
        })
    }

    pub(in crate::read) fn product(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let mut factors: Vec<(bool, Tree)> = Vec::new();
        let (mut divide, mut whole) = (false, true);
        loop {
            let place = self.at;
            let (_, negative) = self.signs()?;
            let factor = self.powered()?;
            whole &= factor.is_whole();
            if divide && whole && matches!(self.notation, Some(Notation::C | Notation::Fortran)) {
                self.at = place;
                return self.fail("a division of whole numbers drops the rest here: write 1.0/2.0 for one half");
            }
            factors.push((divide, if negative { factor.minus() } else { factor }));
            let ended = self.at;
            self.blanks()?;
            let skip = match *self.rest() {
                [b'/', b'/', ..] => {
                    let message = format!("`//` is a floor division or a comment: {}", self.floor_division());
                    return self.fail(message);
                }
                [b'*', b'*', ..] | [b'^', ..] | [b'.', b'^', ..] => {
                    return self.fail("a second power: put the first into parentheses");
                }
                [b'/' | b'!', b'=', ..] if !self.own => {
                    self.at = ended;
                    break;
                }
                [b'*', ..] | [b'/', ..] => 1,
                [b'.', b'*' | b'/', ..] if self.has_dots() => 2,
                [b'!', ..] => return self.fail("a factorial is not read; a blank in front of '!' makes a comment"),
                [b'%', ..] => return self.fail("expected an operator; a '%' that is no comment of MATLAB is not read"),
                _ => {
                    // What ends a list in brackets by blanks must stay.
                    self.at = ended;
                    break;
                }
            };
            divide = self.rest()[skip - 1] == b'/';
            self.at += skip;
            self.blanks()?;
        }
        Ok(match factors.pop() {
            Some((false, only)) if factors.is_empty() => only,
            Some(last) => {
                factors.push(last);
                Tree::new(start, Kind::Product(factors))
            }
            None => return self.fail("expected a number, a name or '('"),
        })
    }

    /// An atom with its power.
    fn powered(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let base = self.atom()?;
        let ended = self.at;
        self.blanks()?;
        self.at += match *self.rest() {
            [b'*', b'*', ..] if matches!(self.notation, Some(Notation::C | Notation::Mathematica)) => {
                let message = format!("`**` is no power in {}", self.called());
                return self.fail(message);
            }
            [b'^', ..] if matches!(self.notation, Some(Notation::C | Notation::Fortran)) => {
                let message = format!("`^` is no power in {}: write {}", self.called(), self.power_of());
                return self.fail(message);
            }
            [b'*', b'*', ..] => 2,
            [b'.', b'^', ..] if self.has_dots() => 2,
            [b'^', ..] => 1,
            _ => {
                self.at = ended;
                return Ok(base);
            }
        };
        self.blanks()?;
        let place = self.at;
        if self.own && !(is_letter(self.peek()) || self.peek().is_ascii_digit() || b"(.+-".contains(&self.peek())) {
            return self.fail("expected a number, a name or '(' as exponent");
        }
        let (_, negative) = self.signs()?;
        let exponent = self.atom()?;
        let exponent = if negative { Tree { at: place, ..exponent.minus() } } else { exponent };
        if is_constant(&base, Constant::E) {
            return Ok(Tree::new(start, Kind::Call("exp".into(), vec![exponent])));
        }
        Ok(base.power(exponent))
    }

    /// Whether operators on elements begin with a point.
    fn has_dots(&self) -> bool {
        matches!(self.notation, None | Some(Notation::Matlab))
    }

    fn floor_division(&self) -> &'static str {
        match self.notation {
            None => "give the notation, and write floor(a/b) for a floor division",
            Some(Notation::Sympy) => "write floor(a/b)",
            Some(_) => "not read here",
        }
    }

    fn power_of(&self) -> &'static str {
        if self.is(Notation::C) { "pow(a, b)" } else { "a**b" }
    }

    fn atom(&mut self) -> Result<Tree, Failure> {
        match self.peek() {
            b'(' => {
                let start = self.at;
                self.at += 1;
                self.blanks()?;
                let mut tree = self.expression()?;
                self.blanks()?;
                if self.peek() == b',' && !self.own && !matches!(self.notation, Some(Notation::C | Notation::Fortran)) {
                    tree = self.tuple(start, tree)?;
                }
                if self.peek() != b')' {
                    return self.fail("expected an operator or ')'");
                }
                self.at += 1;
                Ok(if self.own { tree.in_parentheses(start) } else { tree })
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.rest().get(1).is_some_and(u8::is_ascii_digit) => self.number(),
            b'[' => self.bracketed(),
            b'{' => self.list(b'}'),
            byte if is_letter(byte) => self.name(),
            b'%' if self.percent_name().is_some() => self.percent().map_or_else(|| self.fail("expected a name"), Ok),
            _ => self.fail("expected a number, a name or '('"),
        }
    }

    /// The rest of `(a, b)` up to its end, as a list.
    fn tuple(&mut self, start: usize, first: Tree) -> Result<Tree, Failure> {
        let mut elements = vec![first];
        while self.peek() == b',' {
            self.at += 1;
            self.blanks()?;
            if self.peek() == b')' {
                break;
            }
            elements.push(self.expression()?);
            self.blanks()?;
        }
        Ok(Tree::new(start, Kind::List(elements)))
    }

    /// A name of FORM in brackets, or a list.
    fn bracketed(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let end = self.rest().iter().position(|&byte| byte == b']');
        let inside = end.map(|end| &self.rest()[1..end]);
        if end.is_none() {
            return self.fail("expected ']'");
        }
        let simple =
            |inside: &[u8]| inside.iter().all(|&byte| is_letter(byte) || byte.is_ascii_digit() || byte == b' ');
        if let (Some(inside), Some(end)) = (inside, end)
            && !inside.contains(&b'[')
        {
            let next = self.rest()[end + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
            let operand = next.is_some_and(|next| matches!(next, b'+' | b'-' | b'*' | b'/' | b'^' | b'.'));
            if self.form || operand && simple(inside) && !self.is(Notation::Matlab) {
                let name: String = String::from_utf8_lossy(&self.rest()[..=end]).split_whitespace().collect();
                if name.contains(['=', ';', '{', '}']) {
                    return self.fail("expected ']'");
                }
                self.at += end + 1;
                self.read(start);
                return Ok(Tree::new(start, Kind::Name(name)));
            }
        }
        if self.form {
            return self.fail("expected ']'");
        }
        let list = self.list(b']')?;
        let next = self.rest().iter().find(|byte| !byte.is_ascii_whitespace());
        if next.is_some_and(|next| matches!(next, b'+' | b'-' | b'*' | b'/' | b'^' | b'(' | b'.')) {
            return Err((start, BRACKETS.into()));
        }
        Ok(list)
    }

    /// Reads `[a, b]` or `{a, b}`; in MATLAB `[a b; c d]`.
    pub(super) fn list(&mut self, close: u8) -> Result<Tree, Failure> {
        let start = self.at;
        self.enter()?;
        self.at += 1;
        let matlab = self.is(Notation::Matlab) && close == b']';
        let mut rows: Vec<Vec<Tree>> = vec![Vec::new()];
        let mut ended = self.blanks()?;
        loop {
            if self.peek() == close && rows.last().is_some_and(Vec::is_empty) && rows.len() > 1 {
                break;
            }
            let element = if matlab { self.element()? } else { self.expression()? };
            rows.last_mut().expect("there is a row").push(element);
            let before = self.at;
            ended |= self.blanks()?;
            match self.peek() {
                b',' => self.at += 1,
                b';' => {
                    self.at += 1;
                    rows.push(Vec::new());
                }
                byte if byte == close => break,
                _ if matlab && ended => rows.push(Vec::new()),
                _ if matlab && self.at > before => {}
                _ => return self.fail(format!("expected an operator, ',' or '{}'", close as char)),
            }
            ended = self.blanks()?;
        }
        self.at += 1;
        self.leave();
        rows.retain(|row| !row.is_empty());
        let vector = rows.len() == 1 || rows.iter().all(|row| row.len() == 1);
        let elements = if vector {
            rows.into_iter().flatten().collect()
        } else {
            rows.into_iter().map(|row| Tree::new(start, Kind::List(row))).collect()
        };
        Ok(Tree::new(start, Kind::List(elements)))
    }

    /// An element of a matrix of MATLAB: a sum that a blank ends, unless the operator has a blank behind it too.
    fn element(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let mut summands = Vec::new();
        loop {
            let (_, negative) = self.signs()?;
            summands.push((negative, self.product()?));
            let before = self.at;
            let mut next = self.at;
            while self.text.get(next).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                next += 1;
            }
            let sign = self.text.get(next).is_some_and(|byte| matches!(byte, b'+' | b'-'));
            let tight = self.text.get(next + 1).is_some_and(|byte| !byte.is_ascii_whitespace());
            if !sign || next > before && tight {
                break;
            }
            self.at = next;
        }
        Ok(match &summands[..] {
            [(false, only)] => only.clone(),
            _ => Tree::new(start, Kind::Sum(summands)),
        })
    }

    fn name(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let mut name = self.word();
        let modules = ["std", "f64", "f32", "consts", "numbers", "core"];
        while self.is(Notation::C) && self.starts("::") && modules.contains(&name.as_str()) {
            self.at += 2;
            let inner = ["consts", "numbers"].contains(&name.as_str());
            name = if inner { format!("{name}.{}", self.word()) } else { self.word() };
        }
        while self.peek() == b'.' && self.rest().get(1).is_some_and(|&byte| is_letter(byte)) {
            self.at += 1;
            name.push('.');
            name.push_str(&self.word());
        }
        if name.is_empty() {
            return self.fail("expected a number, a name or '('");
        }
        match name.as_str() {
            _ if !self.is(Notation::Sympy) => {}
            "S.Half" => return Ok(Tree::whole(start, "2").inverse()),
            "S.One" => return Ok(Tree::whole(start, "1")),
            "S.Zero" => return Ok(Tree::whole(start, "0")),
            "S.NegativeOne" => return Ok(Tree::whole(start, "1").minus()),
            _ => {}
        }
        if !self.own && !self.names.known.contains(&name) && words::is_numberless(self.notation, &name) {
            let message = format!("`{name}` is no number that code can hold; --args makes it an input");
            return Err((start, message));
        }
        if self.peek() != b'['
            && let Some(constant) = self.constant(start, &name)
        {
            let ended = self.at;
            self.blanks()?;
            // A function may have the name of a constant.
            let called = self.peek() == b'(';
            self.at = ended;
            if !called {
                return Ok(constant);
            }
        }
        while self.peek() == b'[' {
            let short = self.bare(&name).to_owned();
            let square = !self.form && matches!(self.notation, None | Some(Notation::Mathematica));
            if square && self.is_head(&short) {
                let arguments = self.conditional_arguments(&short, b']')?;
                return self.meaning(start, &short, true, arguments);
            }
            if let Some(tree) = self.index(start, &mut name)? {
                return Ok(tree);
            }
        }
        let ended = self.at;
        self.blanks()?;
        if self.peek() != b'(' {
            self.at = ended;
            return Ok(Tree::new(start, Kind::Name(name)));
        }
        let short = self.bare(&name).to_owned();
        let short = short.as_str();
        if matches!(self.notation, None | Some(Notation::Sympy))
            && let Some(tree) = self.printed(start, short)?
        {
            return Ok(tree);
        }
        let arguments = self.conditional_arguments(short, b')')?;
        if self.names.arrays.contains(&name)
            && let Some(indices) = arguments.iter().map(Tree::index).collect::<Option<Vec<_>>>()
        {
            return Ok(Tree::new(start, Kind::Name(format!("{name}[{}]", indices.join(",")))));
        }
        self.meaning(start, short, false, arguments)
    }

    /// Reads the arguments of a class that SymPy prints, if it is one: `Symbol('x')`, `Rational("1/3")`.
    fn printed(&mut self, start: usize, class: &str) -> Result<Option<Tree>, Failure> {
        let is_quoted = self.rest().get(1).is_some_and(|byte| b"'\"".contains(byte));
        Ok(Some(match class {
            "Symbol" | "Dummy" | "symbols" if is_quoted => self.quoted(start)?,
            "Float" | "Integer" | "Rational" | "S" if is_quoted => self.quoted_number(start)?,
            "Indexed" | "IndexedBase" | "MatrixElement" | "MatrixSymbol" | "Str" | "Function" | "Idx" => {
                self.indexed(start, class)?
            }
            _ => return Ok(None),
        }))
    }

    /// Reads an index behind a name and adds it: `a[1]`, `a[0][1]`, `a[[1]]`. Returns the call where it is one.
    fn index(&mut self, start: usize, name: &mut String) -> Result<Option<Tree>, Failure> {
        let place = self.at;
        let double = self.starts("[[");
        self.at += usize::from(double);
        if self.form {
            let Some(end) = self.rest().iter().position(|&byte| byte == b']') else {
                return self.fail("expected ']'");
            };
            let inside: String = String::from_utf8_lossy(&self.rest()[..=end]).split_whitespace().collect();
            if inside[1..].contains(['[', '=', ';', '{', '}']) {
                return self.fail("expected ']'");
            }
            name.push_str(&inside);
            self.at += end + 1;
            self.read(place);
            return Ok(None);
        }
        let arguments = self.arguments(b']')?;
        if double {
            if self.peek() != b']' {
                return self.fail("expected ']]'");
            }
            self.at += 1;
        }
        match arguments.iter().map(Tree::index).collect::<Option<Vec<_>>>() {
            // A function of a variable in Mathematica, an element elsewhere.
            Some(indices)
                if !indices.is_empty()
                    && (double || !self.is(Notation::Mathematica) || arguments.iter().all(Tree::is_whole)) =>
            {
                let text = indices.join(",");
                match name.strip_suffix(']').map(str::to_owned) {
                    Some(open) => *name = format!("{open},{text}]"),
                    None => *name = format!("{name}[{text}]"),
                }
                Ok(None)
            }
            _ if self.is(Notation::Mathematica) && !double => self.meaning(start, name, true, arguments).map(Some),
            _ => {
                let shown: String = name.chars().take(24).collect();
                Err((place, format!("`{shown}[` holds an expression: expected an index, or a function that is known")))
            }
        }
    }

    /// Reads the arguments of `name` like [`arguments`](Self::arguments). An argument may be an equation if `name` is a
    /// conditional function.
    fn conditional_arguments(&mut self, name: &str, close: u8) -> Result<Vec<Tree>, Failure> {
        let cases = usize::from(conditions::is_cases(name));
        self.equations += cases;
        let arguments = self.arguments(close)?;
        self.equations -= cases;
        Ok(arguments)
    }

    /// Reads `Indexed(IndexedBase(Symbol('x')), Integer(0))` and `MatrixElement(MatrixSymbol(Str('A'), Integer(2),
    /// Integer(2)), Integer(0), Integer(1))` of srepr as `x[0]` and `A[0,1]`, and `Function('f')(Symbol('x'))`.
    fn indexed(&mut self, start: usize, head: &str) -> Result<Tree, Failure> {
        if matches!(head, "IndexedBase" | "MatrixSymbol" | "Str" | "Function" | "Idx")
            && self.rest().get(1).is_some_and(|byte| b"'\"".contains(byte))
        {
            let name = self.string()?;
            let plain = name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
            if name.is_empty() || !plain {
                return Err((start, "a name: expected letters, digits and underscores".into()));
            }
            // Sizes and assumptions.
            let end = self.rest().iter().position(|&byte| byte == b')').unwrap_or(self.rest().len());
            let mut depth = 0_usize;
            let end = self
                .rest()
                .iter()
                .position(|&byte| {
                    depth = match byte {
                        b'(' => depth + 1,
                        b')' if depth > 0 => depth - 1,
                        b')' => return true,
                        _ => depth,
                    };
                    false
                })
                .unwrap_or(end);
            let sizes = self.at;
            self.at += end;
            self.read(sizes);
            if self.peek() != b')' {
                return self.fail("expected ')'");
            }
            self.at += 1;
            if head == "Function" {
                if self.peek() != b'(' {
                    return self.fail("expected '(' behind the name of a function");
                }
                let arguments = self.arguments(b')')?;
                return self.meaning(start, &name, false, arguments);
            }
            return Ok(Tree::new(start, Kind::Name(name)));
        }
        let mut arguments = self.arguments(b')')?.into_iter();
        let base = arguments.next().map(|base| base.kind);
        if matches!(head, "IndexedBase" | "MatrixSymbol" | "Idx") {
            // The sizes are left out.
            return match base {
                Some(kind @ (Kind::Name(_) | Kind::Number(_, true))) => Ok(Tree::new(start, kind)),
                _ => Err((start, format!("`{head}` without a name"))),
            };
        }
        let indices: Option<Vec<String>> = arguments.map(|tree| tree.index().map(str::to_owned)).collect();
        match (base, indices) {
            (Some(Kind::Name(name)), Some(indices)) if !indices.is_empty() => {
                Ok(Tree::new(start, Kind::Name(format!("{name}[{}]", indices.join(",")))))
            }
            _ => Err((start, format!("`{head}`: expected a name and indices that are whole numbers or names"))),
        }
    }

    /// Reads the arguments of a function up to `close`.
    fn arguments(&mut self, close: u8) -> Result<Vec<Tree>, Failure> {
        self.enter()?;
        self.at += 1;
        let mut arguments = Vec::new();
        loop {
            self.blanks()?;
            if self.peek() == close && arguments.is_empty() {
                break;
            }
            arguments.push(self.expression()?);
            self.blanks()?;
            match self.peek() {
                b',' => self.at += 1,
                byte if byte == close => break,
                _ if matches!(arguments.last(), Some(Tree { kind: Kind::List(_), .. })) => {
                    return self.fail("expected ')' after the rows of a matrix");
                }
                _ => return self.fail(format!("expected an operator, ',' or '{}'", close as char)),
            }
        }
        self.at += 1;
        self.leave();
        Ok(arguments)
    }

    /// Reads `('name', real=True)` of srepr.
    fn quoted(&mut self, start: usize) -> Result<Tree, Failure> {
        let name = self.string()?;
        if self.peek() == b',' {
            // Assumptions about a symbol.
            let words = self.rest().iter().take_while(|&&byte| is_letter(byte) || b", =".contains(&byte)).count();
            let place = self.at;
            self.at += words;
            self.read(place);
        }
        if self.peek() != b')' {
            return self.fail("expected ')' behind the name of a symbol");
        }
        self.at += 1;
        let plain = !name.is_empty()
            && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
            && !name.as_bytes()[0].is_ascii_digit();
        if !plain {
            return Err((start, "the name of a symbol: expected letters, digits and underscores".into()));
        }
        Ok(Tree::new(start, Kind::Name(name)))
    }

    /// Reads `('1.5', precision=53)`.
    fn quoted_number(&mut self, start: usize) -> Result<Tree, Failure> {
        let text = self.string()?;
        if self.peek() == b',' {
            let rest = self
                .rest()
                .iter()
                .take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit() || b", =".contains(&byte));
            let place = self.at;
            self.at += rest.count();
            self.read(place);
        }
        if self.peek() != b')' {
            return self.fail("expected ')' behind a number");
        }
        self.at += 1;
        let mut inner = Parser::new(text.as_bytes(), None);
        let tree = inner.sum().map_err(|(_, message)| (start, message))?;
        let number = matches!(&tree.kind, Kind::Number(..) | Kind::Sum(_) | Kind::Product(_)) && inner.at == text.len();
        if number && text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-/".contains(&byte)) {
            return Ok(Tree { at: start, ..tree });
        }
        Err((start, "expected a number in quotes".into()))
    }

    /// Reads `('text'` and returns the text.
    fn string(&mut self) -> Result<String, Failure> {
        self.at += 1;
        let place = self.at;
        let quote = self.peek();
        self.at += 1;
        let Some(end) = self.rest().iter().position(|&byte| byte == quote || byte == b'\n') else {
            return self.fail("a text in quotes that does not end");
        };
        let text = String::from_utf8_lossy(&self.rest()[..end]).into_owned();
        self.at += end + 1;
        if self.text[self.at - 1] != quote {
            return self.fail("a text in quotes that does not end");
        }
        self.read(place);
        self.blanks()?;
        Ok(text)
    }
}
