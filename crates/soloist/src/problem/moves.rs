//! Moves, and how they become numbers.

use std::fmt::Debug;
use std::hash::Hash;

/// A decision. Any small copyable value: an index, a cell, a pair.
///
/// Integers, `bool`, `char`, `()`, options, arrays, and tuples of up to six moves are moves. For a struct or an enum
/// write [`impl_move!`](crate::impl_move).
///
/// Searches hold a move as one number of 64 bits, checkpoints as bytes. Moves of up to 63 bits cost nothing; a larger
/// one is kept in a table, which takes a look-up each time.
pub trait Move: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// Writes what distinguishes this move from others.
    fn pack(self, to: &mut impl MoveWriter);

    /// Reads what [`pack`](Self::pack) wrote. `None`: it is no move. The numbers may come from a damaged file.
    fn unpack(from: &mut impl MoveReader) -> Option<Self>;

    /// Whether the move is an integer, which is its own number.
    #[doc(hidden)]
    const IS_NUMBER: bool = false;

    /// Returns an integer as a number.
    #[doc(hidden)]
    #[inline]
    fn to_number(self) -> u64 {
        0
    }

    /// Returns the integer that has this number.
    #[doc(hidden)]
    #[inline]
    fn from_number(_: u64) -> Option<Self> {
        None
    }
}

/// Receives the parts of a move, in a fixed order.
pub trait MoveWriter: sealed::Sealed {
    /// Writes the lowest `count` bits of a value, at most 16; the others are zero.
    fn bits(&mut self, value: u64, count: u32);

    /// Writes a number. Small ones take few bits.
    fn number(&mut self, value: u64);

    /// Writes bytes, for a move that stands for something large.
    fn bytes(&mut self, bytes: &[u8]);
}

/// Returns the parts of a move, in the order in which they were written.
pub trait MoveReader: sealed::Sealed {
    /// Reads the lowest `count` bits of a value, at most 16.
    fn bits(&mut self, count: u32) -> Option<u64>;

    /// Reads a number.
    fn number(&mut self) -> Option<u64>;

    /// Reads bytes.
    fn bytes(&mut self) -> Option<Vec<u8>>;
}

pub(crate) mod sealed {
    /// The engine alone writes and reads the forms of moves.
    pub trait Sealed {}
}

/// Returns a signed number as an unsigned one: small absolute values stay small.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Writes how the integers of a type are parts of a move; alone they are their own numbers.
macro_rules! integers {
    ($($type:ty: |$value:ident, $to:ident| $write:expr, |$from:ident| $read:expr;)+) => {
        $(impl Move for $type {
            const IS_NUMBER: bool = true;
            #[inline]
            fn pack(self, $to: &mut impl MoveWriter) {
                let $value = self;
                $write;
            }
            #[inline]
            fn unpack($from: &mut impl MoveReader) -> Option<Self> {
                $read
            }
            #[inline]
            fn to_number(self) -> u64 {
                self as u64
            }
            #[inline]
            fn from_number(number: u64) -> Option<Self> {
                Some(number as $type)
            }
        })+
    };
}

integers! {
    u8: |v, to| to.bits(v.into(), 8), |from| Some(from.bits(8)? as u8);
    i8: |v, to| to.bits((v as u8).into(), 8), |from| Some(from.bits(8)? as i8);
    u16: |v, to| to.bits(v.into(), 16), |from| Some(from.bits(16)? as u16);
    i16: |v, to| to.bits((v as u16).into(), 16), |from| Some(from.bits(16)? as i16);
    u32: |v, to| to.number(v.into()), |from| from.number()?.try_into().ok();
    u64: |v, to| to.number(v), |from| from.number();
    usize: |v, to| to.number(v as u64), |from| from.number()?.try_into().ok();
    i32: |v, to| to.number(zigzag(v.into())), |from| unzigzag(from.number()?).try_into().ok();
    i64: |v, to| to.number(zigzag(v)), |from| Some(unzigzag(from.number()?));
    isize: |v, to| to.number(zigzag(v as i64)), |from| unzigzag(from.number()?).try_into().ok();
}

impl Move for bool {
    #[inline]
    fn pack(self, to: &mut impl MoveWriter) {
        to.bits(self.into(), 1);
    }
    #[inline]
    fn unpack(from: &mut impl MoveReader) -> Option<Self> {
        Some(from.bits(1)? == 1)
    }
}

impl Move for char {
    #[inline]
    fn pack(self, to: &mut impl MoveWriter) {
        to.number(u32::from(self).into());
    }
    #[inline]
    fn unpack(from: &mut impl MoveReader) -> Option<Self> {
        Self::from_u32(from.number()?.try_into().ok()?)
    }
}

impl<M: Move> Move for Option<M> {
    #[inline]
    fn pack(self, to: &mut impl MoveWriter) {
        to.bits(self.is_some().into(), 1);
        if let Some(mv) = self {
            mv.pack(to);
        }
    }
    #[inline]
    fn unpack(from: &mut impl MoveReader) -> Option<Self> {
        Some(if from.bits(1)? == 1 { Some(M::unpack(from)?) } else { None })
    }
}

impl<M: Move, const N: usize> Move for [M; N] {
    #[inline]
    fn pack(self, to: &mut impl MoveWriter) {
        self.into_iter().for_each(|mv| mv.pack(to));
    }
    #[inline]
    fn unpack(from: &mut impl MoveReader) -> Option<Self> {
        let mut items = [None; N];
        for item in &mut items {
            *item = Some(M::unpack(from)?);
        }
        Some(items.map(|item| item.expect("an item that was read")))
    }
}

macro_rules! tuples {
    ($(($($name:ident),*);)+) => {
        $(impl<$($name: Move),*> Move for ($($name,)*) {
            #[inline]
            #[allow(non_snake_case, unused_variables)]
            fn pack(self, to: &mut impl MoveWriter) {
                let ($($name,)*) = self;
                $($name.pack(to);)*
            }
            #[inline]
            #[allow(unused_variables)]
            fn unpack(from: &mut impl MoveReader) -> Option<Self> {
                Some(($($name::unpack(from)?,)*))
            }
        })+
    };
}

tuples! {
    ();
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
}

/// Makes a struct or an enum a [`Move`]: its fields are named once more, their types follow.
///
/// Every field must be a move. A field that is left out is an error of the compiler. Types with parameters implement
/// the trait by hand.
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
/// enum Step {
///     Stay,
///     Jump(i32),
///     Place { at: Cell, turned: bool },
/// }
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
/// struct Cell {
///     row: u8,
///     column: u8,
/// }
/// soloist::impl_move!(enum Step { Stay, Jump(by), Place { at, turned } });
/// soloist::impl_move!(struct Cell { row, column });
/// ```
#[macro_export]
macro_rules! impl_move {
    (struct $name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::problem::Move for $name {
            #[inline]
            fn pack(self, to: &mut impl $crate::problem::MoveWriter) {
                let Self { $($field),* } = self;
                $($crate::problem::Move::pack($field, to);)*
            }
            #[inline]
            fn unpack(from: &mut impl $crate::problem::MoveReader) -> Option<Self> {
                $(let $field = $crate::problem::Move::unpack(from)?;)*
                Some(Self { $($field),* })
            }
        }
    };
    (struct $name:ident ( $($field:ident),* $(,)? )) => {
        impl $crate::problem::Move for $name {
            #[inline]
            fn pack(self, to: &mut impl $crate::problem::MoveWriter) {
                let Self($($field),*) = self;
                $($crate::problem::Move::pack($field, to);)*
            }
            #[inline]
            fn unpack(from: &mut impl $crate::problem::MoveReader) -> Option<Self> {
                $(let $field = $crate::problem::Move::unpack(from)?;)*
                Some(Self($($field),*))
            }
        }
    };
    (enum $name:ident {
        $($variant:ident $(($($place:ident),* $(,)?))? $({ $($field:ident),* $(,)? })?),* $(,)?
    }) => {
        impl $crate::problem::Move for $name {
            #[inline]
            fn pack(self, to: &mut impl $crate::problem::MoveWriter) {
                enum Variant { $($variant),* }
                match self {
                    $(Self::$variant $(($($place),*))? $({ $($field),* })? => {
                        $crate::problem::MoveWriter::number(to, Variant::$variant as u64);
                        $($($crate::problem::Move::pack($place, to);)*)?
                        $($($crate::problem::Move::pack($field, to);)*)?
                    })*
                }
            }
            #[inline]
            fn unpack(from: &mut impl $crate::problem::MoveReader) -> Option<Self> {
                enum Variant { $($variant),* }
                let variant = $crate::problem::MoveReader::number(from)?;
                $(if variant == Variant::$variant as u64 {
                    $($(let $place = $crate::problem::Move::unpack(from)?;)*)?
                    $($(let $field = $crate::problem::Move::unpack(from)?;)*)?
                    return Some(Self::$variant $(($($place),*))? $({ $($field),* })?);
                })*
                None
            }
        }
    };
}
