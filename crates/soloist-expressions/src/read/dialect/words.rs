//! Which words each notation has. A word of another notation is a function or a name like any other.

use super::Notation;

/// A letter for each notation, in the order of [`Notation::ALL`], and `0` for a text whose notation is not known.
const LETTERS: &[u8] = b"FMPSXLRC";

/// Words with the notations that have them. A text of unknown notation has the words that mean the same wherever they
/// occur.
const WORDS: &[(&str, &[&str])] = &[
    ("FPSXLRC0", &["sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "floor", "min", "max"]),
    ("FSXLRC0", &["asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2"]),
    ("PS0", &["arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"]),
    ("S0", &["arctan2"]),
    ("FPS0", &["ln"]),
    ("C", &["ln"]),
    ("FPLSC0", &["ceil"]),
    ("PXSR0", &["ceiling"]),
    ("PSXL0", &["sec", "csc", "cot", "sech", "csch", "coth"]),
    ("FSC0", &["pow"]),
    ("SC0", &["fabs"]),
    ("C0", &["fmin", "fmax"]),
    ("FSC0", &["cbrt"]),
    ("PSLC0", &["sign"]),
    ("PX0", &["signum"]),
    ("PS0", &["root"]),
    ("P0", &["surd"]),
    ("L0", &["nthroot"]),
    ("S0", &["real_root"]),
    // Mathematica, whose CForm and FortranForm use them too.
    ("MC0", &["Power"]),
    ("MC0", &["Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "ArcSin", "ArcCos", "ArcTan", "ArcSinh", "ArcCosh"]),
    ("MC0", &["ArcTanh", "Exp", "Log", "Sqrt", "Floor", "Ceiling", "Sec", "Csc", "Cot", "Sech", "Csch", "Coth"]),
    ("MSC0", &["Abs", "Min", "Max"]),
    ("MC0", &["Sign"]),
    ("M0", &["CubeRoot", "Surd", "Plus", "Times", "Divide", "Subtract", "Minus", "Complex"]),
    ("MS0", &["Rational"]),
    ("M", &["List"]),
    ("S0", &["Add", "Mul", "Pow", "Symbol", "Dummy"]),
    ("S", &["Integer", "Float", "sympify", "symbols"]),
    // FORM has no quotients of sums: programs of its users call them so.
    ("FM", &["den", "num"]),
    ("F", &["sqrt_", "ln_", "exp_", "sin_", "cos_", "tan_", "asin_", "acos_", "atan_", "atan2_", "sinh_", "cosh_"]),
    ("F", &["tanh_", "asinh_", "acosh_", "atanh_", "abs_"]),
    ("R", &["real", "dble"]),
    // Matrices.
    ("PSX0", &["Matrix", "matrix"]),
    ("P0", &["Vector", "vector", "Array", "array"]),
    ("S0", &["MutableDenseMatrix", "ImmutableDenseMatrix", "ImmutableMatrix", "MutableMatrix", "DenseMatrix"]),
    ("S0", &["SparseMatrix", "MutableSparseMatrix", "Array", "array"]),
    // Conditions.
    ("MS0", &["Piecewise", "And", "Or", "Not"]),
    ("PL0", &["piecewise"]),
    ("M0", &["If", "Which", "Less", "Greater", "LessEqual", "GreaterEqual", "Equal", "SameQ", "Unequal", "UnsameQ"]),
    ("S0", &["ITE", "Ite", "ExprCondPair", "Lt", "Gt", "Le", "Ge", "Eq", "Ne", "StrictLessThan", "LessThan"]),
    ("S0", &["StrictGreaterThan", "GreaterThan", "Equality", "Unequality"]),
    ("R0", &["merge"]),
    ("0", &["ifelse", "select_lt", "select_le", "select_eq", "select_ne"]),
];

/// Words of computer algebra that give their argument back in another form.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("M", &["Simplify", "FullSimplify", "Expand", "ExpandAll", "Factor", "Together", "Apart", "Cancel", "TrigExpand"]),
    ("M", &["TrigReduce", "TrigFactor", "PowerExpand", "Evaluate", "HornerForm", "InputForm"]),
    ("P", &["simplify", "expand", "factor", "normal", "combine", "eval", "value"]),
    ("S", &["simplify", "expand", "factor", "together", "apart", "cancel", "trigsimp", "powsimp", "nsimplify"]),
    ("S", &["radsimp", "ratsimp", "horner", "UnevaluatedExpr"]),
    ("X", &["expand", "factor", "ratsimp", "fullratsimp", "radcan", "trigsimp", "trigexpand", "trigreduce", "rat"]),
    ("L", &["simplify", "expand", "horner"]),
];

/// What is no finite number, and constants that are not read, with the notations that have them.
const NUMBERLESS: &[(&str, &[&str])] = &[
    ("S0", &["oo", "zoo", "nan", "inf", "S.Infinity", "S.NegativeInfinity", "S.NaN", "S.ComplexInfinity"]),
    ("SL0", &["NaN", "Inf"]),
    ("L0", &["inf", "nan", "NA"]),
    ("S", &["EulerGamma", "GoldenRatio", "Catalan"]),
    ("M0", &["Infinity", "ComplexInfinity", "Indeterminate", "DirectedInfinity"]),
    ("M", &["Degree", "GoldenRatio", "EulerGamma", "Catalan", "Khinchin", "Glaisher"]),
    ("P0", &["infinity", "undefined"]),
    ("P", &["Catalan"]),
    ("X", &["inf", "minf", "und", "ind", "infinity"]),
    ("C0", &["INFINITY", "NAN", "HUGE_VAL"]),
    ("C", &["consts.INFINITY", "numbers.egamma", "numbers.phi", "INF"]),
    ("S0", &["math.inf", "math.nan", "np.inf", "np.nan", "numpy.inf", "numpy.nan"]),
];

/// First words of statements that compute nothing, with the notations that have them.
const COMMANDS: &[(&str, &[&str])] = &[
    ("P", &["restart", "with", "interface", "kernelopts", "unassign", "assume", "print", "lprint", "printf", "quit"]),
    ("X", &["kill", "load", "remvalue", "remfunction", "declare", "assume", "display", "disp", "print", "ldisplay"]),
    ("X", &["reset", "batch", "quit"]),
    ("M", &["Clear", "ClearAll", "Remove", "Print", "Needs", "Get", "SetOptions", "Quit", "Off", "On"]),
    ("L", &["clear", "clearvars", "clc", "close", "format", "syms", "disp", "display", "fprintf", "printf", "more"]),
    ("L", &["warning", "pkg", "figure", "hold", "return"]),
    ("S", &["import", "from", "print", "pprint", "init_printing", "del", "pass"]),
    ("R", &["implicit", "use", "print", "write", "intent"]),
    ("C", &["printf", "using"]),
];

/// Commands whose words stand without parentheses, up to the end of the line.
const OPEN: &[&str] = &["import", "from", "del", "print", "implicit", "use", "intent", "using", "write"];

fn letter(notation: Option<Notation>) -> u8 {
    let place = Notation::ALL.iter().position(|&one| Some(one) == notation);
    place.map_or(b'0', |place| LETTERS[place])
}

/// Whether a notation is among those of these letters.
pub(super) fn in_notation(letters: &str, notation: Option<Notation>) -> bool {
    letters.as_bytes().contains(&letter(notation))
}

fn holds(table: &[(&str, &[&str])], notation: Option<Notation>, name: &str) -> bool {
    table.iter().any(|(letters, names)| in_notation(letters, notation) && names.contains(&name))
}

/// The word that a name is. Fortran does not tell capitals from small letters.
pub(super) fn spelled(notation: Option<Notation>, name: &str) -> String {
    if notation == Some(Notation::Fortran) { name.to_ascii_lowercase() } else { name.to_owned() }
}

/// Whether a notation has this word.
pub(super) fn has(notation: Option<Notation>, name: &str) -> bool {
    holds(WORDS, notation, name)
}

/// Whether this is a word that gives its argument back in another form.
pub(super) fn is_wrapper(notation: Option<Notation>, name: &str) -> bool {
    holds(WRAPPERS, notation, name)
}

/// Whether any notation has this word for a change of form.
pub(super) fn is_any_wrapper(name: &str) -> bool {
    WRAPPERS.iter().any(|(_, names)| names.contains(&name))
}

/// Whether a name is no finite number, or a constant that is not read.
pub(super) fn is_numberless(notation: Option<Notation>, name: &str) -> bool {
    holds(NUMBERLESS, notation, name)
}

/// Whether a statement that begins with this word computes nothing.
pub(super) fn is_command(notation: Option<Notation>, name: &str) -> bool {
    holds(COMMANDS, notation, name)
}

/// Whether words may follow a command without parentheses.
pub(super) fn is_open(notation: Option<Notation>, name: &str) -> bool {
    notation == Some(Notation::Matlab) || OPEN.contains(&name)
}

/// A notation that has this word, for a message.
pub(super) fn owner(name: &str) -> Option<Notation> {
    let owns = |&notation: &Notation| has(Some(notation), name) || is_wrapper(Some(notation), name);
    Notation::ALL.into_iter().find(owns)
}
