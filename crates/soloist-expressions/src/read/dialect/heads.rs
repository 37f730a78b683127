//! The names of operations and functions in all notations.

use super::super::reader::Failure;
use super::conditions;
use super::constants::{constant_tree, is_constant};
use super::tree::{Kind, Tree};
use crate::algebra::Constant;

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
    "D",
    "Diff",
    "diff",
    "Integral",
    "Integrate",
    "int",
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
    "Surd",
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

/// A name without the module in front of it.
pub(super) fn bare(name: &str) -> &str {
    match name.split_once('.') {
        Some((module, function)) if MODULES.contains(&module) => function,
        _ => name,
    }
}

/// Whether a name is that of an operation or function whose meaning is known.
pub(super) fn is_head(name: &str) -> bool {
    function(name).is_some()
        || is_matrix(name)
        || conditions::is_head(name)
        || RECIPROCALS.iter().any(|&(own, _)| own.eq_ignore_ascii_case(name))
        || matches!(
            name,
            "Plus"
                | "Add"
                | "Times"
                | "Mul"
                | "Power"
                | "Pow"
                | "pow"
                | "Rational"
                | "S"
                | "Integer"
                | "Float"
                | "Divide"
                | "Subtract"
                | "Minus"
                | "den"
                | "num"
                | "sqr"
                | "Cbrt"
                | "cbrt"
                | "CubeRoot"
                | "ArcTan"
                | "Log"
                | "log"
                | "root"
                | "sympify"
                | "Real"
                | "real"
                | "Symbol"
                | "Dummy"
                | "Min"
                | "Max"
                | "min"
                | "max"
                | "fmin"
                | "fmax"
                | "sign"
                | "Sign"
                | "signum"
                | "Complex"
        )
        || REFUSED.contains(&name)
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

/// The meaning of a function `name` of arguments; `square`: they stood in brackets.
pub(super) fn call(at: usize, name: &str, square: bool, arguments: Vec<Tree>) -> Result<Tree, Failure> {
    let count = arguments.len();
    let expected = |wanted: &str| Err((at, format!("`{name}` of {count} arguments, expected {wanted}")));
    let product = |factors: Vec<(bool, Tree)>| Tree::new(at, Kind::Product(factors));
    let own = |name: &str, arguments: Vec<Tree>| Tree::new(at, Kind::Call(name.to_owned(), arguments));
    if REFUSED.contains(&name) {
        return Err((at, format!("`{name}` is not read: expected sums, products, powers and functions of numbers")));
    }
    if is_matrix(name) {
        return matrix(at, name, arguments);
    }
    if conditions::is_head(name) {
        return conditions::call(at, name, arguments);
    }
    let mut arguments = arguments;
    let pair = |arguments: &mut Vec<Tree>| match (arguments.pop(), arguments.pop()) {
        (Some(second), Some(first)) => Some((first, second)),
        _ => None,
    };
    match (name, count) {
        ("Plus" | "Add", 1..) => {
            Ok(Tree::new(at, Kind::Sum(arguments.into_iter().map(|argument| (false, argument)).collect())))
        }
        ("Times" | "Mul", 1..) => Ok(product(arguments.into_iter().map(|argument| (false, argument)).collect())),
        ("Power" | "Pow" | "pow", 2) => match pair(&mut arguments) {
            Some((base, exponent)) if is_constant(&base, Constant::E) => Ok(own("exp", vec![exponent])),
            Some((base, exponent)) => Ok(base.power(exponent)),
            None => expected("2"),
        },
        ("Rational" | "Divide", 2) => match pair(&mut arguments) {
            Some((above, below)) => Ok(product(vec![(false, above), (true, below)])),
            None => expected("2"),
        },
        ("Subtract", 2) => match pair(&mut arguments) {
            Some((first, second)) => Ok(Tree::new(at, Kind::Sum(vec![(false, first), (true, second)]))),
            None => expected("2"),
        },
        ("Min" | "min" | "fmin" | "Max" | "max" | "fmax", 1..) => {
            let known = if name.ends_with("in") { "min" } else { "max" };
            let join = |first: Tree, next: Tree| own(known, vec![first, next]);
            match arguments.into_iter().reduce(join) {
                Some(tree) => Ok(tree),
                None => expected("1 or more"),
            }
        }
        ("sign" | "Sign" | "signum", 1) => {
            let number = arguments.swap_remove(0);
            let whole = |value: &str| Tree::whole(at, value);
            let below = own("select_lt", vec![number.clone(), whole("0"), whole("1").minus(), whole("0")]);
            Ok(own("select_lt", vec![whole("0"), number, whole("1"), below]))
        }
        ("Complex", 2) => match pair(&mut arguments) {
            Some((first, second)) => {
                let imaginary = product(vec![(false, second), (false, constant_tree(at, Constant::I))]);
                Ok(Tree::new(at, Kind::Sum(vec![(false, first), (false, imaginary)])))
            }
            None => expected("2"),
        },
        ("Minus", 1) => Ok(arguments.swap_remove(0).minus()),
        ("S" | "Integer" | "Float" | "num" | "sympify" | "Rational" | "real" | "Real", 1) => {
            Ok(arguments.swap_remove(0))
        }
        ("den", 1) => Ok(arguments.swap_remove(0).inverse()),
        ("sqr", 1) => Ok(arguments.swap_remove(0).power(Tree::whole(at, "2"))),
        ("Cbrt" | "cbrt" | "CubeRoot", 1) => {
            let third = Tree::whole(at, "3").inverse();
            Ok(arguments.swap_remove(0).power(third))
        }
        ("root", 2) => match pair(&mut arguments) {
            Some((base, degree)) => Ok(base.power(degree.inverse())),
            None => expected("2"),
        },
        ("ArcTan", 1) | ("atan", 1) => Ok(own("atan", arguments)),
        // Mathematica gives x first.
        ("ArcTan", 2) => {
            arguments.reverse();
            Ok(own("atan2", arguments))
        }
        ("arctan" | "atan" | "atan2", 2) => Ok(own("atan2", arguments)),
        ("Log" | "log" | "ln", 1) => Ok(own("log", arguments)),
        ("Log" | "log", 2) => match pair(&mut arguments) {
            Some((first, second)) => {
                // Mathematica gives the base first, SymPy last.
                let (base, of) = if square || name == "Log" { (first, second) } else { (second, first) };
                Ok(product(vec![(false, own("log", vec![of])), (true, own("log", vec![base]))]))
            }
            None => expected("2"),
        },
        _ => {
            if let Some((_, of)) = RECIPROCALS.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
                return if count == 1 { Ok(own(of, arguments).inverse()) } else { expected("1") };
            }
            match function(name) {
                Some(known) if count == 1 => Ok(own(known, arguments)),
                Some(_) => expected(if name == "atan2" { "2" } else { "1" }),
                None if is_head(name) => expected("another number"),
                None => Ok(own(name, arguments)),
            }
        }
    }
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
