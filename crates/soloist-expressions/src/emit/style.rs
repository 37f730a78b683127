//! The types, literals and names of code.

use super::Language;
use crate::algebra::{Coefficient, Constant};
use crate::horner::Program;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use std::collections::BTreeSet;

/// The types of numbers in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// 24 bits: `float`, `f32`, `real(kind(1.0))`.
    Single,
    /// 53 bits: `double`, `f64`, `real(kind(1.0d0))`.
    Double,
    /// 64 bits on x86: `long double`, `real(selected_real_kind(18))`.
    Long,
    /// 113 bits: `__float128`, `real(selected_real_kind(33))`.
    Quad,
    /// Any type: a template of C++, a generic function of Rust.
    Generic,
}

impl Float {
    /// All types.
    pub const ALL: [Self; 5] = [Self::Single, Self::Double, Self::Long, Self::Quad, Self::Generic];

    /// Its name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Double => "double",
            Self::Long => "long",
            Self::Quad => "quad",
            Self::Generic => "generic",
        }
    }
}

/// What code looks like, apart from its language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The type of numbers. `None`: double precision, in C++ any type.
    pub float: Option<Float>,
    /// The start of the names of temporaries. `None`: `t`, in FORM `Z`.
    pub prefix: Option<String>,
    /// Whether the code has variables with the names of the inputs. Otherwise it uses the elements of its array.
    pub names: bool,
    /// The name of a C header that the code includes; see [`emit_header`](super::emit_header).
    pub header: Option<String>,
    /// Whether C code has a function `NAME_blocks` too, for blocks of 8 points; compilers turn it into vector code.
    pub blocks: bool,
    /// The most statements of a function of C code. `None`: all are in one.
    pub split: Option<usize>,
}

impl Style {
    /// Says why code of this style cannot be written in this language; `None`: it can. `complex`: its numbers are.
    #[must_use]
    pub fn refuses(&self, language: Language, complex: bool) -> Option<String> {
        let kinds: &[Float] = match language {
            Language::C | Language::Fortran => &[Float::Single, Float::Double, Float::Long, Float::Quad],
            Language::Cpp => &[Float::Generic],
            Language::Rust => &[Float::Single, Float::Double, Float::Generic],
            Language::Python | Language::Form | Language::Json => &[Float::Double],
        };
        let float = language.float(self);
        if !kinds.contains(&float) {
            let known: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            return Some(format!(
                "{} code has no numbers of the type {}; there is {}",
                language.name(),
                float.name(),
                known.join(", ")
            ));
        }
        if complex && language == Language::Rust && float != Float::Generic {
            return Some("complex Rust code is generic: its type must be `generic`".into());
        }
        if self.header.is_some() && language != Language::C {
            return Some("only C code has a header".into());
        }
        if (self.blocks || self.split.is_some()) && language != Language::C {
            return Some(format!("only C code has {}", if self.blocks { "blocks" } else { "pieces" }));
        }
        if self.blocks && self.split.is_some() {
            return Some("code has blocks or pieces, not both".into());
        }
        let prefix = self.prefix.as_deref()?;
        let named = language.refuses_name(prefix).is_some() && language == Language::Fortran;
        (named || language.refuses_name(&format!("{prefix}0")).is_some())
            .then(|| format!("`{prefix}` cannot begin the names of temporaries"))
    }

    /// Says why a program cannot be written in this style and language; `None`: it can.
    #[must_use]
    pub fn refuses_program(&self, language: Language, program: &Program) -> Option<String> {
        language.refuses_numbers(program, language.float(self))
    }
}

/// The words of a language for one type of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) language: Language,
    pub(super) float: Float,
    pub(super) complex: bool,
}

/// The digits of the constants, more than quadruple precision has.
const PI: &str = "3.14159265358979323846264338327950288420";
const E: &str = "2.71828182845904523536028747135266249776";
/// Whole numbers of generic code are put together from parts below this.
const PART: u32 = 1_000_000_000;

impl Words {
    /// The type of a number.
    pub(super) fn number(self) -> &'static str {
        match (self.language, self.float, self.complex) {
            (Language::C, Float::Single, false) => "float",
            (Language::C, Float::Single, true) => "float _Complex",
            (Language::C, Float::Long, false) => "long double",
            (Language::C, Float::Long, true) => "long double _Complex",
            (Language::C, Float::Quad, false) => "__float128",
            (Language::C, Float::Quad, true) => "__complex128",
            (Language::C, _, true) => "double _Complex",
            (Language::C, ..) => "double",
            (Language::Fortran, Float::Single, false) => "real(sp)",
            (Language::Fortran, Float::Long, false) => "real(ep)",
            (Language::Fortran, Float::Quad, false) => "real(qp)",
            (Language::Fortran, _, false) => "real(dp)",
            (Language::Fortran, Float::Single, true) => "complex(sp)",
            (Language::Fortran, Float::Long, true) => "complex(ep)",
            (Language::Fortran, Float::Quad, true) => "complex(qp)",
            (Language::Fortran, _, true) => "complex(dp)",
            (Language::Rust, Float::Single, _) => "f32",
            (Language::Rust, Float::Generic, _) | (Language::Cpp, ..) => "T",
            _ => "f64",
        }
    }

    /// What ends a literal.
    pub(super) fn suffix(self) -> &'static str {
        match (self.language, self.float) {
            (Language::C, Float::Single) => "f",
            (Language::C, Float::Long) => "L",
            (Language::C, Float::Quad) => "Q",
            (Language::Rust, Float::Single) => "_f32",
            (Language::Fortran, Float::Single) => "_sp",
            (Language::Fortran, Float::Long) => "_ep",
            (Language::Fortran, Float::Quad) => "_qp",
            (Language::Fortran, _) => "_dp",
            _ => "",
        }
    }

    /// The declaration of the kind of numbers in Fortran.
    pub(super) fn kind(self) -> &'static str {
        match self.float {
            Float::Single => "sp = kind(1.0)",
            Float::Long => "ep = selected_real_kind(18)",
            Float::Quad => "qp = selected_real_kind(33)",
            _ => "dp = kind(1.0d0)",
        }
    }

    /// Whether numbers of any type are made by a function from whole numbers.
    fn is_generic(self) -> bool {
        self.language == Language::Cpp || self.float == Float::Generic
    }

    /// A number that is not negative: a decimal one where that is exact, a fraction elsewhere.
    pub(super) fn literal(self, value: &Coefficient) -> String {
        let value = value.to_big();
        let (above, below) = (value.numer(), value.denom());
        let one = below.is_one();
        if self.is_generic() {
            return self.generic_number(above, below);
        }
        match self.language {
            Language::Form if !one => format!("{above}/{below}"),
            Language::Json if !one => format!("({above}/{below})"),
            Language::Form | Language::Json => above.to_string(),
            Language::Python if one => above.to_string(),
            _ => {
                let suffix = self.suffix();
                // Python divides whole numbers of any length.
                let fits = |decimal: &Decimal| self.language != Language::Python || decimal.exponent.abs() < 280;
                match Decimal::of(above, below).filter(fits) {
                    Some(decimal) => format!("{}{suffix}", decimal.text()),
                    None if one => format!("{above}.0{suffix}"),
                    None if self.language == Language::Python => format!("({above}/{below})"),
                    None => format!("({above}.0{suffix}/{below}.0{suffix})"),
                }
            }
        }
    }

    /// A number of any type. Powers of ten are multiplied or divided by step by step, so that no step leaves the range
    /// of a type that holds the number.
    fn generic_number(self, above: &BigInt, below: &BigInt) -> String {
        let ten = BigInt::from(10);
        let trailing = |number: &BigInt| {
            let (mut rest, mut count) = (number.clone(), 0_usize);
            while !rest.is_zero() && (&rest % &ten).is_zero() {
                (rest, count) = (rest / &ten, count + 1);
            }
            (rest, count)
        };
        let decimal = Decimal::of(above, below).filter(|_| below.bits() > 120);
        let (mut top, mut up) = (above.clone(), 0);
        let (bottom, down);
        if let Some(Decimal { digits, exponent }) = decimal {
            top = digits;
            (bottom, down) = (BigInt::one(), exponent.unsigned_abs() as usize);
        } else {
            if above.bits() > 120 {
                (top, up) = trailing(above);
            }
            (bottom, down) = if below.bits() > 120 { trailing(below) } else { (below.clone(), 0) };
        }
        let mut text = self.generic(&top);
        if !bottom.is_one() {
            text.push_str(&format!("/{}", self.generic(&bottom)));
        }
        let make = if self.language == Language::Rust { "T::whole" } else { "T" };
        for (mut count, sign) in [(up, '*'), (down, '/')] {
            while count > 0 {
                // 10^18 is exact in 53 bits and within the range of 24.
                let step = count.min(18);
                let part = |digits: usize| format!("{make}({})", 10_u64.pow(digits as u32));
                text.push(sign);
                text.push_str(&if step <= 9 { part(step) } else { format!("({}*{})", part(9), part(step - 9)) });
                count -= step;
            }
        }
        if !bottom.is_one() || up + down > 0 { format!("({text})") } else { text }
    }

    /// A whole number of any type.
    fn generic(self, value: &BigInt) -> String {
        let make = if self.language == Language::Rust { "T::whole" } else { "T" };
        if let Some(small) = value.abs().to_u32().filter(|&small| small <= PART) {
            return format!("{make}({small})");
        }
        let mut parts = Vec::new();
        let mut rest = value.abs();
        while !rest.is_zero() {
            let (more, part) = rest.div_rem(&PART.into());
            parts.push(part.to_u32().unwrap_or_default());
            rest = more;
        }
        let mut text = String::new();
        for (place, part) in parts.iter().rev().enumerate() {
            text =
                if place == 0 { format!("{make}({part})") } else { format!("({text}*{make}({PART})+{make}({part}))") };
        }
        text
    }

    /// A constant.
    pub(super) fn constant(self, constant: Constant) -> String {
        let digits = if constant == Constant::Pi { PI } else { E };
        match (self.language, constant) {
            (Language::C, Constant::I) if self.float == Float::Quad => "1.0Qi".into(),
            (Language::C, Constant::I) => "_Complex_I".into(),
            (Language::Cpp, Constant::I) => "T(0, 1)".into(),
            (Language::Rust, Constant::I) => "T::i()".into(),
            (Language::Fortran, Constant::I) => format!("(0.0{suffix}, 1.0{suffix})", suffix = self.suffix()),
            (Language::Python, Constant::I) => "1j".into(),
            (Language::Form, Constant::Pi) => "pi_".into(),
            (Language::Form, Constant::E) => "ee_".into(),
            (Language::Form, Constant::I) => "i_".into(),
            (Language::Json, _) => constant.name().into(),
            (Language::Python, Constant::Pi) => "math.pi".into(),
            (Language::Python, Constant::E) => "math.e".into(),
            _ if self.is_generic() => {
                // Ten digits at a time are exact in every type, and so is their sum up to its own rounding.
                let make = if self.language == Language::Rust { "T::whole" } else { "T" };
                let (whole, decimals) = digits.split_at(1);
                let mut text = String::new();
                for part in decimals.as_bytes()[1..37].chunks(9).rev() {
                    let part = std::str::from_utf8(part).unwrap_or("0").trim_start_matches('0');
                    let part = if part.is_empty() { "0" } else { part };
                    text = if text.is_empty() {
                        format!("{make}({part})/{make}({PART})")
                    } else {
                        format!("({make}({part})+{text})/{make}({PART})")
                    };
                }
                format!("{make}({whole})+{text}")
            }
            (Language::Rust, Constant::Pi) => format!("std::{}::consts::PI", self.number()),
            (Language::Rust, Constant::E) => format!("std::{}::consts::E", self.number()),
            _ => format!("{digits}{}", self.suffix()),
        }
    }

    /// The name of a function of the language by its name in C for double precision.
    pub(super) fn function(self, name: &str) -> String {
        let own = match (self.language, name) {
            (Language::C | Language::Python, "abs") if !self.complex => "fabs",
            (Language::C | Language::Cpp, "min") => "fmin",
            (Language::C | Language::Cpp, "max") => "fmax",
            (Language::Rust, "log") if self.float != Float::Generic => "ln",
            (Language::Rust, "pow") if self.float != Float::Generic => "powf",
            _ => name,
        };
        match self.language {
            Language::C => {
                let suffix = match self.float {
                    Float::Single => "f",
                    Float::Long => "l",
                    Float::Quad => "q",
                    _ => "",
                };
                format!("{}{own}{suffix}", if self.complex { "c" } else { "" })
            }
            Language::Rust => format!("{}::{own}", self.number()),
            Language::Python if matches!(own, "min" | "max") || self.complex && own == "abs" => own.into(),
            Language::Python => format!("{}{own}", if self.complex { "cmath." } else { "math." }),
            _ => own.to_owned(),
        }
    }
}

/// A number as digits times a power of ten.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    /// Without zeros at the end, if it is no whole number.
    digits: BigInt,
    exponent: i64,
}

/// The most digits of a decimal number in code, and of a whole number without a power of ten.
const MOST_DIGITS: usize = 60;
/// Decimal numbers between 10^-5 and 10^16 need no power of ten.
const PLAIN: std::ops::RangeInclusive<i64> = -5..=16;

impl Decimal {
    /// The decimal form of a fraction in lowest terms; `None`: it has none, or a long one.
    fn of(above: &BigInt, below: &BigInt) -> Option<Self> {
        let (mut rest, mut twos, mut fives) = (below.clone(), 0_u32, 0_u32);
        let most = 4 * super::MAX_POWER;
        for (prime, count) in [(2_u32, &mut twos), (5, &mut fives)] {
            while (&rest % prime).is_zero() && *count < most {
                (rest, *count) = (rest / prime, *count + 1);
            }
        }
        if !rest.is_one() {
            return None;
        }
        let power = twos.max(fives);
        let mut digits = above * BigInt::from(2).pow(power - twos) * BigInt::from(5).pow(power - fives);
        let mut exponent = -i64::from(power);
        if below.is_one() {
            // Zeros at the end of a long whole number.
            let text = above.to_string();
            let zeros = text.len() - text.trim_end_matches('0').len();
            if text.len() > 22 && zeros > 0 && zeros < text.len() {
                digits = text[..text.len() - zeros].parse().ok()?;
                exponent = zeros as i64;
            }
        }
        (digits.to_string().len() <= MOST_DIGITS).then_some(Self { digits, exponent })
    }

    /// With a point, which makes it a number with a point in every language.
    fn text(&self) -> String {
        let digits = self.digits.to_string();
        let top = digits.len() as i64 - 1 + self.exponent;
        if self.exponent == 0 {
            return format!("{digits}.0");
        }
        if !PLAIN.contains(&top) || self.exponent > 0 {
            let (first, rest) = digits.split_at(1);
            return format!("{first}.{}e{top}", if rest.is_empty() { "0" } else { rest });
        }
        let point = digits.len() as i64 + self.exponent;
        if point > 0 {
            let (whole, part) = digits.split_at(point as usize);
            format!("{whole}.{part}")
        } else {
            format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize))
        }
    }
}

/// Whether code writes a number as one literal.
pub(super) fn is_decimal(value: &num_rational::BigRational) -> bool {
    Decimal::of(&value.numer().abs(), value.denom()).is_some() || value.denom().is_one()
}

/// Names that a language can take for variables, one for each input.
pub(super) fn variables(names: &[&str], language: Language, prefix: &str) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let fold = |name: &str| if language == Language::Fortran { name.to_ascii_lowercase() } else { name.to_owned() };
    let mut variables = Vec::new();
    for name in names {
        let mut plain = String::new();
        for letter in name.chars() {
            if letter.is_ascii_alphanumeric() || letter == '_' && !plain.is_empty() {
                plain.push(letter);
            } else if !plain.is_empty() && !plain.ends_with('_') {
                plain.push('_');
            }
        }
        let mut plain = plain.trim_end_matches('_').chars().take(40).collect::<String>();
        if plain.is_empty() || plain.as_bytes()[0].is_ascii_digit() {
            plain = format!("v{plain}");
        }
        let is_temporary = |name: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let own = ["x", "y", "n", "i", "t", "T", "f", "math", "cmath", "dp", "sp", "ep", "qp", "w", "store"];
        while own.contains(&plain.as_str())
            || own.contains(&fold(&plain).as_str())
            || is_temporary(&fold(&plain))
            || language.refuses_name(&plain).is_some()
            || is_function(&fold(&plain))
            || !taken.insert(fold(&plain))
        {
            plain.push('_');
            if language == Language::Fortran || plain.ends_with("__") {
                // Two underscores in a row belong to the compilers of C++.
                plain = format!("{}v", plain.trim_end_matches('_'));
            }
        }
        variables.push(plain);
    }
    variables
}

/// Whether code may call a function of this name.
fn is_function(name: &str) -> bool {
    ["sqrt", "pow", "merge", "fmin", "fmax", "fabs"].contains(&name)
        || name == "sign"
        || (1..=2).any(|count| crate::algebra::Function::named(name, count).is_some())
}
