//! Sets of vertices in as many words as their cube needs, behind one type.
//!
//! What the rules say about vertices is compiled for each number of words, so that loops over sets have a known length.
//! Everything else sees one type, and [`by_width`] leads from it to the rules: once a playout, or once a move.

/// Something that holds sets of 4 words (up to dimension 8), of 16 (up to 10) or of 128 (up to 13).
#[derive(Debug, PartialEq, Eq)]
pub enum ByWidth<N, M, L> {
    Narrow(N),
    Middle(Box<M>),
    Wide(Box<L>),
}

/// A narrow one is copied in place; only the others need a call.
impl<N: Clone, M: Clone, L: Clone> Clone for ByWidth<N, M, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        if let Self::Narrow(from) = self { Self::Narrow(from.clone()) } else { self.clone_box() }
    }

    #[inline(always)]
    fn clone_from(&mut self, from: &Self) {
        if let (Self::Narrow(to), Self::Narrow(from)) = (&mut *self, from) {
            to.clone_from(from);
        } else {
            self.clone_box_from(from);
        }
    }
}

impl<N: Clone, M: Clone, L: Clone> ByWidth<N, M, L> {
    #[inline(never)]
    fn clone_box(&self) -> Self {
        match self {
            Self::Narrow(from) => Self::Narrow(from.clone()),
            Self::Middle(from) => Self::Middle(from.clone()),
            Self::Wide(from) => Self::Wide(from.clone()),
        }
    }

    #[inline(never)]
    fn clone_box_from(&mut self, from: &Self) {
        match (self, from) {
            (Self::Middle(to), Self::Middle(from)) => to.clone_from(from),
            (Self::Wide(to), Self::Wide(from)) => to.clone_from(from),
            (to, from) => *to = from.clone_box(),
        }
    }
}

impl<N, M, L> ByWidth<N, M, L> {
    pub(super) fn narrow(&self) -> &N {
        if let Self::Narrow(part) = self { part } else { differ() }
    }

    pub(super) fn middle(&self) -> &M {
        if let Self::Middle(part) = self { part } else { differ() }
    }

    pub(super) fn wide(&self) -> &L {
        if let Self::Wide(part) = self { part } else { differ() }
    }
}

/// The words that a cube of this dimension needs, and no fewer than `least`.
pub(super) fn words(dimension: u32, least: usize) -> usize {
    (1_usize << dimension).div_ceil(64).max(least)
}

/// Makes something that holds sets of so many words: an expression with the constant `$width`.
macro_rules! of_width {
    ($words:expr, $width:ident => $make:expr) => {
        match $words {
            ..=4 => $crate::width::ByWidth::Narrow({
                const $width: usize = 4;
                $make
            }),
            5..=16 => $crate::width::ByWidth::Middle(Box::new({
                const $width: usize = 16;
                $make
            })),
            _ => $crate::width::ByWidth::Wide(Box::new({
                const $width: usize = $crate::MAX_WORDS;
                $make
            })),
        }
    };
}

/// Evaluates an expression with what one value holds, or with what two hold that belong to the same cube.
macro_rules! by_width {
    ($whole:expr => $part:ident; $body:expr) => {
        match $whole {
            $crate::width::ByWidth::Narrow($part) => $body,
            $crate::width::ByWidth::Middle($part) => $body,
            $crate::width::ByWidth::Wide($part) => $body,
        }
    };
    ($first:expr, $second:expr => $one:ident, $other:ident; $body:expr) => {
        match ($first, $second) {
            ($crate::width::ByWidth::Narrow($one), $crate::width::ByWidth::Narrow($other)) => $body,
            ($crate::width::ByWidth::Middle($one), $crate::width::ByWidth::Middle($other)) => $body,
            ($crate::width::ByWidth::Wide($one), $crate::width::ByWidth::Wide($other)) => $body,
            _ => $crate::width::differ(),
        }
    };
}

pub(super) use {by_width, of_width};

/// # Panics
/// Always: two values belong to cubes of different sizes.
#[cold]
#[inline(never)]
pub(super) fn differ() -> ! {
    panic!("a path of another cube")
}
