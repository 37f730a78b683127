//! The types, literals and functions that code of each language has to use. The emitter has its own list: a fault of
//! either is found by the other.

use crate::algebra::Constant;
use crate::emit::{Float, Language};

/// What code is compiled as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) language: Language,
    pub(super) float: Float,
    pub(super) complex: bool,
}

/// Functions by their names in C for double precision, and the number of arguments.
const FUNCTIONS: [(&str, usize); 23] = [
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("asinh", 1),
    ("acosh", 1),
    ("atanh", 1),
    ("exp", 1),
    ("log", 1),
    ("abs", 1),
    ("sqrt", 1),
    ("floor", 1),
    ("ceil", 1),
    ("cbrt", 1),
    ("atan2", 2),
    ("pow", 2),
    ("min", 2),
    ("max", 2),
];

/// A function of the notation of the reader with the number of its arguments.
pub(super) fn known(name: &str) -> Option<(&'static str, usize)> {
    FUNCTIONS.into_iter().find(|(own, _)| *own == name)
}

impl Machine {
    /// The machine that code asks for by the types of its function.
    pub(super) fn of(code: &str, language: Language, complex: bool) -> Self {
        let holds = |text: &str| code.contains(text);
        let float = match language {
            Language::Cpp => Float::Generic,
            Language::C if holds("(const float ") => Float::Single,
            Language::C if holds("(const long double ") => Float::Long,
            Language::C if holds("(const __float128 ") || holds("(const __complex128 ") => Float::Quad,
            Language::Rust if holds("(x: &[f32; ") => Float::Single,
            Language::Rust if holds("(x: &[T; ") => Float::Generic,
            Language::Fortran if holds("(sp), intent(in)") => Float::Single,
            Language::Fortran if holds("(ep), intent(in)") => Float::Long,
            Language::Fortran if holds("(qp), intent(in)") => Float::Quad,
            _ => Float::Double,
        };
        Self { language, float, complex }
    }

    /// The type of a number.
    pub(super) fn number(self) -> &'static str {
        match (self.language, self.float, self.complex) {
            (Language::C, Float::Double, false) => "double",
            (Language::C, Float::Double, true) => "double _Complex",
            (Language::C, Float::Single, false) => "float",
            (Language::C, Float::Single, true) => "float _Complex",
            (Language::C, Float::Long, false) => "long double",
            (Language::C, Float::Long, true) => "long double _Complex",
            (Language::C, _, false) => "__float128",
            (Language::C, _, true) => "__complex128",
            (Language::Rust, Float::Double, _) => "f64",
            (Language::Rust, Float::Single, _) => "f32",
            (Language::Fortran, _, false) => "real",
            (Language::Fortran, _, true) => "complex",
            _ => "T",
        }
    }

    /// The name of the kind of numbers in Fortran, and its declaration.
    pub(super) fn kind(self) -> (&'static str, &'static str) {
        match self.float {
            Float::Single => ("sp", "integer, parameter :: sp = kind(1.0)"),
            Float::Long => ("ep", "integer, parameter :: ep = selected_real_kind(18)"),
            Float::Quad => ("qp", "integer, parameter :: qp = selected_real_kind(33)"),
            _ => ("dp", "integer, parameter :: dp = kind(1.0d0)"),
        }
    }

    /// Whether numbers are made of whole ones by a function: `T(3)`, `T::whole(3)`.
    pub(super) fn is_generic(self) -> bool {
        self.float == Float::Generic
    }

    /// What must follow the digits of a number with a point.
    pub(super) fn suffix(self) -> &'static str {
        match (self.language, self.float) {
            (Language::C, Float::Single) => "f",
            (Language::C, Float::Long) => "L",
            (Language::C, Float::Quad) => "Q",
            (Language::Rust, Float::Single) => "_f32",
            (Language::Fortran, Float::Double) => "_dp",
            (Language::Fortran, Float::Single) => "_sp",
            (Language::Fortran, Float::Long) => "_ep",
            (Language::Fortran, Float::Quad) => "_qp",
            _ => "",
        }
    }

    /// The function behind a name of code, and the number of its arguments.
    pub(super) fn function(self, name: &str) -> Option<(&'static str, usize)> {
        let own = match self.language {
            Language::C => {
                let last = match self.float {
                    Float::Single => "f",
                    Float::Long => "l",
                    Float::Quad => "q",
                    _ => "",
                };
                let plain = name.strip_suffix(last)?;
                match (self.complex, plain) {
                    (true, _) => plain.strip_prefix('c')?,
                    (false, "fabs") => "abs",
                    (false, "fmin") => "min",
                    (false, "fmax") => "max",
                    // Those of whole numbers.
                    (false, "abs" | "min" | "max") => return None,
                    (false, _) => plain,
                }
            }
            Language::Cpp => match name {
                "fmin" => "min",
                "fmax" => "max",
                "min" | "max" => return None,
                _ => name,
            },
            Language::Rust => match name.split_once("::")? {
                ("T", plain) if self.is_generic() => plain,
                (own, "ln") if own == self.number() => "log",
                (own, "powf") if own == self.number() => "pow",
                (own, plain) if own == self.number() && !matches!(plain, "log" | "pow") => plain,
                _ => return None,
            },
            Language::Python => match (name, self.complex) {
                ("min" | "max", false) | ("abs", true) => name,
                ("math.fabs", false) => "abs",
                ("_cbrt", false) => "cbrt",
                ("math.cbrt", false) => return None,
                (_, false) => name.strip_prefix("math.")?,
                (_, true) => name.strip_prefix("cmath.")?,
            },
            Language::Fortran => match name {
                "ceiling" => "ceil",
                "ceil" | "cbrt" => return None,
                _ => name,
            },
            Language::Form | Language::Json => name,
        };
        known(own)
    }

    /// The constant that an expression of code is.
    pub(super) fn constant(self, text: &str) -> Option<Constant> {
        Constant::ALL.into_iter().find(|&constant| {
            let (digits, short) = match constant {
                Constant::Pi => ("3.14159265358979323846264338327950288", "PI"),
                Constant::E => ("2.71828182845904523536028747135266249", "E"),
                Constant::I => return self.unit() == text,
            };
            match self.language {
                Language::Form => text == if short == "PI" { "pi_" } else { "ee_" },
                Language::Json => text == constant.name(),
                Language::Python => text == if short == "PI" { "math.pi" } else { "math.e" },
                _ if self.is_generic() => self.is_sum_of_parts(text, digits),
                Language::Rust => text == format!("std::{}::consts::{short}", self.number()),
                // At least as many digits as the type has, and the right ones.
                _ => text.strip_suffix(self.suffix()).is_some_and(|text| text.starts_with(digits) && text.len() <= 41),
            }
        })
    }

    fn unit(self) -> String {
        match (self.language, self.float) {
            (Language::C, Float::Quad) => "1.0Qi".into(),
            (Language::C, _) => "_Complex_I".into(),
            (Language::Cpp, _) => "T(0, 1)".into(),
            (Language::Rust, _) => "T::i()".into(),
            (Language::Fortran, _) => {
                let kind = self.kind().0;
                format!("(0.0_{kind}, 1.0_{kind})")
            }
            (Language::Python, _) => "1j".into(),
            (Language::Form, _) => "i_".into(),
            (Language::Json, _) => Constant::I.name().into(),
        }
    }

    /// Whether a text is a whole number and parts of nine decimals, each divided by 10^9: the decimals must be
    /// `digits`.
    fn is_sum_of_parts(self, text: &str, digits: &str) -> bool {
        let make = if self.language == Language::Rust { "T::whole" } else { "T" };
        let number =
            |text: &str| -> Option<u32> { text.strip_prefix(make)?.strip_prefix('(')?.strip_suffix(')')?.parse().ok() };
        let billion = |text: &str| number(text) == Some(1_000_000_000);
        let Some((whole, mut rest)) = text.split_once('+') else { return false };
        let mut found = number(whole).map_or_else(String::new, |whole| format!("{whole}."));
        // The sums in parentheses are opened one after the other.
        loop {
            let inner = rest.rsplit_once('/').filter(|(_, below)| billion(below)).map(|(inner, _)| inner);
            let Some(inner) = inner else { return false };
            match inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).and_then(|sum| sum.split_once('+'))
            {
                Some((part, more)) => {
                    let Some(part) = number(part) else { return false };
                    found.push_str(&format!("{part:09}"));
                    rest = more;
                }
                None => {
                    let Some(part) = number(inner) else { return false };
                    found.push_str(&format!("{part:09}"));
                    // 36 decimals. The last two may be rounded.
                    return found.len() == 38 && found.starts_with(&digits[..37]);
                }
            }
        }
    }
}
