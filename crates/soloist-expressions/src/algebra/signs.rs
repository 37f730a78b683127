//! The two ways to treat signs.

/// Whether a polynomial and its negative are one sub-expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// They are one: the sign belongs to the number in front, so that `a-b` and `b-a` are computed once.
    #[default]
    Canonical,
    /// They are two, as are a monomial and its negative. The founding papers and FORM 4.3 count in this way; use it to
    /// compare with their figures.
    Kept,
}
