//! What a language cannot express: code is refused before it is written rather than by a compiler.

use super::{Float, Language, Style, style};
use crate::horner::Program;
use num_traits::Signed;

const C: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "bool",
    "true",
    "false",
    "nullptr",
    "alignas",
    "alignof",
    "constexpr",
    "static_assert",
    "thread_local",
    "typeof",
    "asm",
    "size_t",
    "ptrdiff_t",
    "wchar_t",
    "NULL",
    "offsetof",
    "class",
    "new",
    "delete",
    "namespace",
    "template",
    "this",
    "operator",
];
const RUST: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while", "abstract", "become",
    "box", "do", "final", "gen", "macro", "override", "priv", "try", "typeof", "unsized", "virtual", "yield", "_",
];
const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];
/// Names that the code itself uses.
const OWN_C: &[&str] = &["x", "y", "n", "i"];
const OWN_CPP: &[&str] = &["x", "y", "n", "i", "T", "std"];
const OWN_FORTRAN: &[&str] = &["x", "y", "t", "dp", "sp", "ep", "qp", "kind", "real", "merge"];
/// The longest name of a Fortran procedure.
const FORTRAN_NAME: usize = 63;
impl Language {
    /// Says why `name` cannot be the name of a function in this language; `None`: it can.
    ///
    /// `name` consists of ASCII letters, digits and underscores and does not begin with a digit.
    #[must_use]
    pub fn refuses_name(self, name: &str) -> Option<String> {
        let (words, own, what): (&[&str], &[&str], _) = match self {
            Self::C => (C, OWN_C, "C"),
            Self::Cpp => (C, OWN_CPP, "C++"),
            Self::Rust => (RUST, &[], "Rust"),
            Self::Fortran => (&[], OWN_FORTRAN, "Fortran"),
            Self::Python => (PYTHON, &[], "Python"),
            Self::Form | Self::Json => return None,
        };
        // Fortran does not tell capitals from small letters.
        let lower = name.to_ascii_lowercase();
        let name = if self == Self::Fortran { lower.as_str() } else { name };
        if words.contains(&name) {
            return Some(format!("`{name}` is a word of {what} itself"));
        }
        if own.contains(&name) {
            return Some(format!("`{name}` is a name that the {what} code uses itself"));
        }
        (self == Self::Fortran && name.len() > FORTRAN_NAME)
            .then(|| format!("longer than {FORTRAN_NAME} characters, the most that Fortran allows"))
    }

    /// Says why `program` cannot be written in this language; `None`: it can.
    #[must_use]
    pub fn refuses_program(self, program: &Program) -> Option<String> {
        self.refuses_numbers(program, self.float(&Style::default()))
    }

    /// As [`refuses_program`](Self::refuses_program), for a type of numbers.
    pub(super) fn refuses_numbers(self, program: &Program, float: Float) -> Option<String> {
        if !matches!(self, Self::C | Self::Cpp | Self::Rust | Self::Fortran) {
            return None;
        }
        // The largest powers of two of finite numbers, and the smallest above zero.
        let (most, least, what) = match float {
            Float::Single => (127, -149, "single"),
            Float::Double => (1023, -1074, "double"),
            Float::Long => (16383, -16445, "long double"),
            Float::Quad => (16383, -16494, "quadruple"),
            // Any type: what a number of double precision holds.
            Float::Generic => (1023, -1074, "double"),
        };
        let mut wrong = None;
        for term in program.temporaries.iter().chain(&program.outputs).flatten() {
            let value = term.value.to_big();
            let (above, below) = (value.numer().abs().bits() as i64, value.denom().bits() as i64);
            // Between 2^(size - 1) and 2^(size + 1).
            let size = above - below;
            let fits = size < most && size - 1 > least;
            // A fraction is divided by the compiler: both of its parts must be numbers of the type.
            let parts = float == Float::Generic || style::is_decimal(&value) || above <= most && below <= most;
            if !fits || !parts {
                wrong = Some(value);
                break;
            }
        }
        let wrong = wrong?;
        let digits = wrong.numer().abs().max(wrong.denom().clone()).to_string().len();
        Some(format!("a number of {digits} digits is beyond {what} precision; Python, FORM and JSON hold it"))
    }
}
