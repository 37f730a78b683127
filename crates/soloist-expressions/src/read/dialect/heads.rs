//! The names of operations and functions in all notations.

use super::super::reader::Failure;
use super::constants::{constant_tree, is_constant};
use super::lexer::Parser;
use super::tree::{Kind, Tree};
use super::{Notation, conditions, words};
use crate::algebra::{Constant, Function};

/// Functions by their names in lower case, after the names that other notations give them.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("sin", &["Sin"]),
    ("cos", &["Cos"]),
    ("tan", &["Tan"]),
    ("asin", &["ArcSin", "arcsin"]),
    ("acos", &["ArcCos", "arccos"]),
    ("atan", &["arctan"]),
    ("sinh", &["Sinh"]),
    ("cosh", &["Cosh"]),
    ("tanh", &["Tanh"]),
    ("asinh", &["ArcSinh", "arcsinh"]),
    ("acosh", &["ArcCosh", "arccosh"]),
    ("atanh", &["ArcTanh", "arctanh"]),
    ("exp", &["Exp"]),
    ("log", &["ln"]),
    ("sqrt", &["Sqrt"]),
    ("abs", &["Abs", "fabs"]),
    ("atan2", &[]),
    ("floor", &["Floor"]),
    ("ceil", &["Ceiling", "ceiling"]),
];

/// Functions that are one divided by another one.
const RECIPROCALS: &[(&str, &str)] =
    &[("sec", "cos"), ("csc", "sin"), ("cot", "tan"), ("sech", "cosh"), ("csch", "sinh"), ("coth", "tanh")];

/// Words of computer algebra that are no arithmetic. As functions of an input they would be guesses.
const REFUSED: &[&str] = &[
    "Derivative",
    "Diff",
    "diff",
    "Integral",
    "Integrate",
    "Product",
    "product",
    "Limit",
    "limit",
    "Lambda",
    "Hold",
    "HoldForm",
    "Subscript",
    "RootOf",
    "CRootOf",
    "Order",
    "SeriesData",
    "Tuple",
    "Dict",
    "Dot",
    "MatMul",
    "MatAdd",
    "Transpose",
    "Inverse",
    "Determinant",
    "Det",
    "DiracDelta",
    "Heaviside",
    "Mod",
    "mod",
    "fmod",
    "factorial",
    "Factorial",
    "Quotient",
    "dot",
    "cross",
    "Cross",
    "transpose",
    "zeros",
    "ones",
    "eye",
    "Rule",
    "Set",
    "CompoundExpression",
    "re",
    "im",
    "arg",
    "conjugate",
    "Re",
    "Im",
    "Arg",
    "Conjugate",
];

/// Modules whose functions are known by their last name.
const MODULES: &[&str] = &["math", "Math", "np", "numpy", "sympy", "sp", "cmath"];

/// Words that a notation refuses where it has them, and which are names elsewhere.
const OWN: &[(Notation, &str)] = &[
    (Notation::Mathematica, "D"),
    (Notation::Mathematica, "N"),
    (Notation::Maple, "D"),
    (Notation::Maple, "int"),
    (Notation::Maple, "evalf"),
    (Notation::Maxima, "float"),
    (Notation::Maxima, "bfloat"),
    (Notation::Maxima, "ev"),
    (Notation::Sympy, "N"),
    (Notation::Matlab, "real"),
    (Notation::Matlab, "imag"),
    (Notation::Matlab, "vpa"),
];

impl Parser<'_> {
    /// A name without the module in front of it.
    pub(super) fn bare<'a>(&self, name: &'a str) -> &'a str {
        match name.split_once('.') {
            Some((module, function))
                if MODULES.contains(&module) && matches!(self.notation, None | Some(Notation::Sympy)) =>
            {
                function
            }
            _ => name,
        }
    }

    /// Whether the notation gives a name a meaning, or refuses it.
    pub(super) fn is_head(&self, name: &str) -> bool {
        !self.names.opaque.contains(name)
            && (words::has(self.notation, &words::spelled(self.notation, name))
                || words::is_wrapper(self.notation, name)
                || self.refuses(name))
    }

    fn refuses(&self, name: &str) -> bool {
        REFUSED.contains(&name) || OWN.iter().any(|&(notation, own)| self.is(notation) && own == name)
    }

    /// The meaning of a function `name` of arguments; `square`: they stood in brackets.
    pub(super) fn meaning(
        &mut self,
        at: usize,
        name: &str,
        square: bool,
        mut arguments: Vec<Tree>,
    ) -> Result<Tree, Failure> {
        let count = arguments.len();
        let plain = |arguments| Ok(Tree::new(at, Kind::Call(name.to_owned(), arguments)));
        if self.names.opaque.contains(name) {
            return plain(arguments);
        }
        if self.refuses(name) {
            let message = format!("`{name}` is not read: expected sums, products, powers and functions of numbers");
            return Err((at, message));
        }
        if words::is_wrapper(self.notation, name) {
            if count != 1 {
                return Err((at, format!("`{name}` of {count} arguments, expected 1")));
            }
            self.ledger.list(&format!("{name} around an expression"));
            return Ok(arguments.swap_remove(0));
        }
        let numbers = ["S", "Integer", "Float", "sympify"];
        if self.is(Notation::Sympy) && numbers.contains(&name) {
            // A function of time may be called S, as in models of epidemics.
            return match (arguments.pop(), count) {
                (Some(number), 1) if is_number(&number) => Ok(number),
                (Some(other), 1) if name == "S" => plain(vec![other]),
                _ => Err((at, format!("`{name}` of something else than a number"))),
            };
        }
        let word = words::spelled(self.notation, name);
        if words::has(self.notation, &word) {
            if matches!(name, "num" | "den") {
                self.ledger.list(&format!("{name}(x) read as {}", if name == "num" { "x" } else { "1/x" }));
            }
            if matches!(&word[..], "real" | "dble") {
                return match (arguments.len(), self.complex) {
                    (1 | 2, false) => Ok(arguments.swap_remove(0)),
                    _ => Err((at, format!("`{name}` is not read here"))),
                };
            }
            let rules = Rules { sympy: self.is(Notation::Sympy), fortran: self.is(Notation::Fortran), square };
            return call(at, &word, rules, arguments);
        }
        // The reader computes functions of these names, whatever the notation.
        let computed = Function::named(name, count).is_some();
        if computed || self.notation.is_none() && words::is_any_wrapper(name) {
            let mut message = format!("`{name}` is no word of {}", self.called());
            if let Some(owner) = words::owner(name) {
                message.push_str(&format!(", but one of {}", owner.name()));
            }
            return Err((at, message + "; --opaque makes it an input"));
        }
        plain(arguments)
    }
}

/// Whether an expression consists of numbers alone.
fn is_number(tree: &Tree) -> bool {
    match &tree.kind {
        Kind::Number(..) => true,
        Kind::Sum(parts) | Kind::Product(parts) => parts.iter().all(|(_, part)| is_number(part)),
        _ => false,
    }
}

/// What the meaning of a word depends on.
#[derive(Clone, Copy, Debug)]
struct Rules {
    sympy: bool,
    fortran: bool,
    /// The arguments stood in brackets.
    square: bool,
}

/// Whether a name makes a matrix or list of its arguments.
pub(super) fn is_matrix(name: &str) -> bool {
    matches!(
        name,
        "Matrix"
            | "MutableDenseMatrix"
            | "ImmutableDenseMatrix"
            | "ImmutableMatrix"
            | "MutableMatrix"
            | "DenseMatrix"
            | "matrix"
            | "Vector"
            | "vector"
            | "array"
            | "Array"
            | "List"
            | "SparseMatrix"
            | "MutableSparseMatrix"
    )
}

fn function(name: &str) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(own, others)| *own == name || others.contains(&name)).map(|&(own, _)| own)
}

fn own(at: usize, name: &str, arguments: Vec<Tree>) -> Tree {
    Tree::new(at, Kind::Call(name.to_owned(), arguments))
}

fn call(at: usize, name: &str, rules: Rules, mut arguments: Vec<Tree>) -> Result<Tree, Failure> {
    let count = arguments.len();
    let expected = |wanted: &str| Err((at, format!("`{name}` of {count} arguments, expected {wanted}")));
    if is_matrix(name) {
        return matrix(at, name, arguments);
    }
    if conditions::is_head(name) {
        return conditions::call(at, name, arguments);
    }
    if let Some(tree) = pair(at, name, rules, &mut arguments) {
        return Ok(tree);
    }
    match (name, count) {
        ("Plus" | "Add", 1..) => {
            Ok(Tree::new(at, Kind::Sum(arguments.into_iter().map(|argument| (false, argument)).collect())))
        }
        ("Times" | "Mul", 1..) => {
            Ok(Tree::new(at, Kind::Product(arguments.into_iter().map(|argument| (false, argument)).collect())))
        }
        ("Min" | "min" | "fmin" | "Max" | "max" | "fmax", 1..) => {
            let known = if name.ends_with("in") { "min" } else { "max" };
            let joined = arguments.into_iter().reduce(|first, next| own(at, known, vec![first, next]));
            joined.map_or_else(|| expected("1 or more"), Ok)
        }
        ("sign" | "Sign" | "signum", 1) => {
            let number = arguments.swap_remove(0);
            let whole = |value: &str| Tree::whole(at, value);
            let below = own(at, "select_lt", vec![number.clone(), whole("0"), whole("1").minus(), whole("0")]);
            Ok(own(at, "select_lt", vec![whole("0"), number, whole("1"), below]))
        }
        ("Minus", 1) => Ok(arguments.swap_remove(0).minus()),
        ("num" | "Rational", 1) => Ok(arguments.swap_remove(0)),
        ("den", 1) => Ok(arguments.swap_remove(0).inverse()),
        ("cbrt" | "CubeRoot", 1) => Ok(own(at, "cbrt", arguments)),
        // The real root of a number that may be negative.
        ("surd" | "Surd" | "nthroot" | "real_root", 2) => match pair_of(&mut arguments) {
            Some((base, degree)) if degree.index() == Some("3") => Ok(own(at, "cbrt", vec![base])),
            _ => Err((at, format!("`{name}` of another degree than 3 is not read"))),
        },
        ("ArcTan" | "atan", 1) => Ok(own(at, "atan", arguments)),
        ("arctan" | "arctan2" | "atan2" | "atan2_", 2) => Ok(own(at, "atan2", arguments)),
        ("atan", 2) if rules.fortran => Ok(own(at, "atan2", arguments)),
        ("Log" | "log" | "ln", 1) => Ok(own(at, "log", arguments)),
        _ => {
            if let Some((_, of)) = RECIPROCALS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)) {
                return if count == 1 { Ok(own(at, of, arguments).inverse()) } else { expected("1") };
            }
            match function(name.trim_end_matches('_')) {
                Some(known) if count == 1 => Ok(own(at, known, arguments)),
                Some(_) => expected(if name == "atan2" { "2" } else { "1" }),
                None if Function::named(name, count).is_some() => Ok(own(at, name, arguments)),
                None => expected("another number"),
            }
        }
    }
}

fn pair_of(arguments: &mut Vec<Tree>) -> Option<(Tree, Tree)> {
    let second = arguments.pop()?;
    Some((arguments.pop()?, second))
}

/// The meaning of a word of two arguments, if it is one.
fn pair(at: usize, name: &str, rules: Rules, arguments: &mut Vec<Tree>) -> Option<Tree> {
    const NAMES: &[&str] =
        &["Power", "Pow", "pow", "Rational", "Divide", "Subtract", "Complex", "root", "ArcTan", "Log"];
    if arguments.len() != 2 || !(NAMES.contains(&name) || rules.sympy && name == "log") {
        return None;
    }
    let (first, second) = pair_of(arguments)?;
    let sum = |second: (bool, Tree), first: Tree| Tree::new(at, Kind::Sum(vec![(false, first), second]));
    let quotient = |above: Tree, below: Tree| Tree::new(at, Kind::Product(vec![(false, above), (true, below)]));
    Some(match name {
        "Power" | "Pow" | "pow" if is_constant(&first, Constant::E) => own(at, "exp", vec![second]),
        "Power" | "Pow" | "pow" => first.power(second),
        "Rational" | "Divide" => quotient(first, second),
        "Subtract" => sum((true, second), first),
        "Complex" => {
            let factors = vec![(false, second), (false, constant_tree(at, Constant::I))];
            sum((false, Tree::new(at, Kind::Product(factors))), first)
        }
        "root" => first.power(second.inverse()),
        // Mathematica gives x first.
        "ArcTan" => own(at, "atan2", vec![second, first]),
        // Mathematica gives the base first, SymPy last.
        _ => {
            let (base, of) = if rules.square || name == "Log" { (first, second) } else { (second, first) };
            quotient(own(at, "log", vec![of]), own(at, "log", vec![base]))
        }
    })
}

/// The elements of a matrix: the last argument behind its sizes, or all arguments of `List`.
fn matrix(at: usize, name: &str, mut arguments: Vec<Tree>) -> Result<Tree, Failure> {
    if name == "List" {
        return Ok(Tree::new(at, Kind::List(arguments)));
    }
    let sizes = arguments.iter().take_while(|argument| argument.is_whole()).count();
    match arguments.pop() {
        Some(last) if matches!(last.kind, Kind::List(_)) && sizes == arguments.len() => {
            let Kind::List(elements) = &last.kind else { return Ok(last) };
            // SymPy and Maple also print the sizes and all elements in one list.
            if let [rows, columns] = &arguments[..]
                && elements.iter().all(|element| !matches!(element.kind, Kind::List(_)))
            {
                let size = |tree: &Tree| tree.index().and_then(|text| text.parse::<usize>().ok());
                let (rows, columns) = (size(rows).unwrap_or(0), size(columns).unwrap_or(0));
                if columns == 0 || rows.checked_mul(columns) != Some(elements.len()) {
                    return Err((at, format!("a matrix of {} elements, expected rows times columns", elements.len())));
                }
                let rows = elements.chunks(columns).map(|row| Tree::new(at, Kind::List(row.to_vec()))).collect();
                return Ok(Tree::new(at, Kind::List(rows)));
            }
            Ok(last)
        }
        _ => Err((at, format!("`{name}` without a list of elements, as in {name}([[a, b], [c, d]])"))),
    }
}
