//! The notations of texts.

/// The notation of a text, where marks decide that differ between notations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// FORM: `[x+y]` is a name.
    Form,
    /// Mathematica: `f[x]` is a function.
    Mathematica,
    /// Maple: `v := [..]` counts from 1.
    Maple,
    /// SymPy and Python.
    Sympy,
    /// Maxima: `f : x$` defines.
    Maxima,
    /// MATLAB and Octave: `%` starts a comment, blanks and `;` separate the elements of a matrix.
    Matlab,
    /// Fortran: `1/2` is a whole division.
    Fortran,
    /// C, C++ and Rust: `1/2` is a whole division.
    C,
}

impl Notation {
    /// All notations.
    pub const ALL: [Self; 8] =
        [Self::Form, Self::Mathematica, Self::Maple, Self::Sympy, Self::Maxima, Self::Matlab, Self::Fortran, Self::C];

    /// Its name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Mathematica => "mathematica",
            Self::Maple => "maple",
            Self::Sympy => "sympy",
            Self::Maxima => "maxima",
            Self::Matlab => "matlab",
            Self::Fortran => "fortran",
            Self::C => "c",
        }
    }
}
