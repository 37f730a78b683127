//! Moves as integers, which searches, checkpoints and streams hold instead of a problem's moves.
//!
//! Searches are compiled once, for [`MoveId`]. A [`MoveCodec`] turns a problem's moves into such numbers and back:
//! integers as they are, other types by the bits of their fields. A move of more than 63 bits is kept in a table and
//! stands for its place there.

use crate::core::codec::{CheckpointError, decode, encode};
use crate::problem::Move;
use serde::de::{self, DeserializeSeed, Visitor};
use serde::{Serialize, ser};
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of a move.
pub(crate) type MoveId = u64;

/// Marks the number of a move in the table.
const WIDE: u64 = 1 << 63;
/// Bits that a number has room for beside the mark.
const ROOM: u32 = 63;

/// The numbers of a problem's moves. Clones share the table.
#[derive(Debug)]
pub(crate) struct MoveCodec<M> {
    wide: Arc<Mutex<Wide<M>>>,
}

/// The moves that do not fit into a number, in the order in which they were met.
#[derive(Debug)]
struct Wide<M> {
    moves: Vec<M>,
    places: HashMap<M, u64>,
}

impl<M> Clone for MoveCodec<M> {
    fn clone(&self) -> Self {
        Self { wide: Arc::clone(&self.wide) }
    }
}

impl<M: Move> MoveCodec<M> {
    pub(crate) fn new() -> Self {
        Self { wide: Arc::new(Mutex::new(Wide { moves: Vec::new(), places: HashMap::new() })) }
    }

    /// Returns the number of a move.
    #[inline]
    pub(crate) fn pack(&self, mv: M) -> MoveId {
        // The type is known at compile time, so that one branch stays.
        macro_rules! integers {
            ($($type:ty),+) => { $(if let Some(&value) = (&mv as &dyn Any).downcast_ref::<$type>() { return value as u64; })+ };
        }
        integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);
        let mut bits = Bits::default();
        match mv.serialize(&mut bits) {
            Ok(()) => bits.value,
            Err(Unpackable) => self.place(mv),
        }
    }

    /// Returns the move that has a number. `None`: no move has it.
    #[inline]
    pub(crate) fn unpack(&self, id: MoveId) -> Option<M> {
        macro_rules! integers {
            ($($type:ty),+) => { $(if let Some(&mv) = (&(id as $type) as &dyn Any).downcast_ref::<M>() { return Some(mv); })+ };
        }
        integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);
        if id & WIDE != 0 {
            return self.lock().moves.get(usize::try_from(id ^ WIDE).ok()?).copied();
        }
        let mut bits = Bits { value: id, used: 0 };
        M::deserialize(&mut bits).ok()
    }

    /// Returns the move that has the number of a legal move.
    ///
    /// # Panics
    /// When the number does not come from [`pack`](Self::pack).
    #[inline]
    pub(crate) fn known(&self, id: MoveId) -> M {
        self.unpack(id).expect("the number of a move")
    }

    /// Returns the moves of a solution.
    pub(crate) fn all(&self, ids: &[MoveId]) -> Vec<M> {
        ids.iter().map(|&id| self.known(id)).collect()
    }

    #[cold]
    fn place(&self, mv: M) -> MoveId {
        let mut wide = self.lock();
        let next = wide.moves.len() as u64;
        let place = *wide.places.entry(mv).or_insert(next);
        if place == next {
            wide.moves.push(mv);
        }
        WIDE | place
    }

    fn lock(&self) -> MutexGuard<'_, Wide<M>> {
        self.wide.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the table for a checkpoint.
    pub(crate) fn save(&self) -> Vec<u8> {
        encode(&self.lock().moves)
    }

    /// Restores the table of a checkpoint.
    pub(crate) fn load(&self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let moves: Vec<M> = decode(bytes)?;
        let places: HashMap<M, u64> = moves.iter().copied().zip(0..).collect();
        if places.len() != moves.len() {
            return Err(CheckpointError::Corrupt("a table of moves"));
        }
        *self.lock() = Wide { moves, places };
        Ok(())
    }
}

/// The bits of a value, lowest first: fields of up to 16 bits as they are, larger integers by their size in 16, 32 or
/// 60 bits.
#[derive(Default)]
struct Bits {
    value: u64,
    used: u32,
}

/// A value has more bits than there is room for, or a type without a fixed shape.
#[derive(Debug)]
struct Unpackable;

impl fmt::Display for Unpackable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no packed move")
    }
}

impl std::error::Error for Unpackable {}

impl ser::Error for Unpackable {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl de::Error for Unpackable {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl Bits {
    #[inline]
    fn put(&mut self, value: u64, count: u32) -> Result<(), Unpackable> {
        if self.used + count > ROOM {
            return Err(Unpackable);
        }
        self.value |= value << self.used;
        self.used += count;
        Ok(())
    }

    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, Unpackable> {
        if self.used + count > ROOM {
            return Err(Unpackable);
        }
        let value = self.value >> self.used & ((1 << count) - 1);
        self.used += count;
        Ok(value)
    }

    /// Returns a number of up to 62 bits, by its size: two bits that name the width, then 14, 30 or 58 bits.
    #[inline]
    fn put_long(&mut self, value: u64) -> Result<(), Unpackable> {
        match value {
            0..0x4000 => self.put(value << 2, 16),
            0x4000..0x4000_0000 => self.put(value << 2 | 1, 32),
            _ if value >> 58 == 0 => self.put(value << 2 | 2, 60),
            _ => Err(Unpackable),
        }
    }

    #[inline]
    fn take_long(&mut self) -> Result<u64, Unpackable> {
        match self.value >> self.used.min(63) & 3 {
            0 => Ok(self.take(16)? >> 2),
            1 => Ok(self.take(32)? >> 2),
            2 => Ok(self.take(60)? >> 2),
            _ => Err(Unpackable),
        }
    }
}

/// Small absolute values have few bits.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

macro_rules! refuse {
    ($($name:ident($($type:ty),*) -> $result:ty;)+) => {
        $(fn $name(self, $(_: $type),*) -> Result<$result, Unpackable> { Err(Unpackable) })+
    };
}

impl<'a> ser::Serializer for &'a mut Bits {
    type Ok = ();
    type Error = Unpackable;
    type SerializeSeq = ser::Impossible<(), Unpackable>;
    type SerializeTuple = &'a mut Bits;
    type SerializeTupleStruct = &'a mut Bits;
    type SerializeTupleVariant = &'a mut Bits;
    type SerializeMap = ser::Impossible<(), Unpackable>;
    type SerializeStruct = &'a mut Bits;
    type SerializeStructVariant = &'a mut Bits;

    fn is_human_readable(&self) -> bool {
        false
    }
    #[inline]
    fn serialize_bool(self, v: bool) -> Result<(), Unpackable> {
        self.put(v.into(), 1)
    }
    #[inline]
    fn serialize_u8(self, v: u8) -> Result<(), Unpackable> {
        self.put(v.into(), 8)
    }
    #[inline]
    fn serialize_i8(self, v: i8) -> Result<(), Unpackable> {
        self.put((v as u8).into(), 8)
    }
    #[inline]
    fn serialize_u16(self, v: u16) -> Result<(), Unpackable> {
        self.put(v.into(), 16)
    }
    #[inline]
    fn serialize_i16(self, v: i16) -> Result<(), Unpackable> {
        self.put((v as u16).into(), 16)
    }
    #[inline]
    fn serialize_u32(self, v: u32) -> Result<(), Unpackable> {
        self.put_long(v.into())
    }
    #[inline]
    fn serialize_i32(self, v: i32) -> Result<(), Unpackable> {
        self.put_long(zigzag(v.into()))
    }
    #[inline]
    fn serialize_u64(self, v: u64) -> Result<(), Unpackable> {
        self.put_long(v)
    }
    #[inline]
    fn serialize_i64(self, v: i64) -> Result<(), Unpackable> {
        self.put_long(zigzag(v))
    }
    #[inline]
    fn serialize_char(self, v: char) -> Result<(), Unpackable> {
        self.put_long(u32::from(v).into())
    }
    #[inline]
    fn serialize_none(self) -> Result<(), Unpackable> {
        self.put(0, 1)
    }
    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unpackable> {
        self.put(1, 1)?;
        value.serialize(self)
    }
    #[inline]
    fn serialize_unit(self) -> Result<(), Unpackable> {
        Ok(())
    }
    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unpackable> {
        Ok(())
    }
    #[inline]
    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), Unpackable> {
        self.put_long(index.into())
    }
    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Unpackable> {
        value.serialize(self)
    }
    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unpackable> {
        self.put_long(index.into())?;
        value.serialize(self)
    }
    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Self, Unpackable> {
        Ok(self)
    }
    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Unpackable> {
        Ok(self)
    }
    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Unpackable> {
        self.put_long(index.into())?;
        Ok(self)
    }
    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Unpackable> {
        Ok(self)
    }
    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Unpackable> {
        self.put_long(index.into())?;
        Ok(self)
    }
    refuse! {
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_map(Option<usize>) -> Self::SerializeMap;
    }
}

macro_rules! compound {
    ($($name:ident $method:ident $(($key:ty))?;)+) => {
        $(impl ser::$name for &mut Bits {
            type Ok = ();
            type Error = Unpackable;
            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Result<(), Unpackable> {
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), Unpackable> {
                Ok(())
            }
        })+
    };
}

compound! {
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
    SerializeStruct serialize_field (&'static str);
    SerializeStructVariant serialize_field (&'static str);
}

macro_rules! read {
    ($($name:ident $visit:ident |$bits:ident| $value:expr;)+) => {
        $(#[inline]
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unpackable> {
            let $bits = &mut *self;
            visitor.$visit($value)
        })+
    };
}

macro_rules! refuse_reading {
    ($($name:ident)+) => {
        $(fn $name<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unpackable> { Err(Unpackable) })+
    };
}

/// Returns a number for a narrower type.
fn narrow<T: TryFrom<W>, W>(value: W) -> Result<T, Unpackable> {
    T::try_from(value).map_err(|_| Unpackable)
}

impl<'de> de::Deserializer<'de> for &mut Bits {
    type Error = Unpackable;

    fn is_human_readable(&self) -> bool {
        false
    }
    read! {
        deserialize_bool visit_bool |bits| bits.take(1)? == 1;
        deserialize_u8 visit_u8 |bits| bits.take(8)? as u8;
        deserialize_i8 visit_i8 |bits| bits.take(8)? as i8;
        deserialize_u16 visit_u16 |bits| bits.take(16)? as u16;
        deserialize_i16 visit_i16 |bits| bits.take(16)? as i16;
        deserialize_u32 visit_u32 |bits| narrow(bits.take_long()?)?;
        deserialize_i32 visit_i32 |bits| narrow(unzigzag(bits.take_long()?))?;
        deserialize_u64 visit_u64 |bits| bits.take_long()?;
        deserialize_i64 visit_i64 |bits| unzigzag(bits.take_long()?);
        deserialize_char visit_char |bits| narrow(narrow::<u32, u64>(bits.take_long()?)?)?;
    }
    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unpackable> {
        if self.take(1)? == 1 { visitor.visit_some(self) } else { visitor.visit_none() }
    }
    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unpackable> {
        visitor.visit_unit()
    }
    #[inline]
    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Unpackable> {
        visitor.visit_unit()
    }
    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Unpackable> {
        visitor.visit_newtype_struct(self)
    }
    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Unpackable> {
        visitor.visit_seq(Fields { bits: self, left: len })
    }
    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        visitor.visit_seq(Fields { bits: self, left: len })
    }
    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        visitor.visit_seq(Fields { bits: self, left: fields.len() })
    }
    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        visitor.visit_enum(self)
    }
    refuse_reading! {
        deserialize_any deserialize_f32 deserialize_f64 deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_seq deserialize_map deserialize_identifier deserialize_ignored_any
    }
}

/// The fields of a struct or tuple.
struct Fields<'a> {
    bits: &'a mut Bits,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Fields<'_> {
    type Error = Unpackable;
    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unpackable> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.bits).map(Some)
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> de::EnumAccess<'de> for &mut Bits {
    type Error = Unpackable;
    type Variant = Self;
    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Unpackable> {
        let index: u32 = narrow(self.take_long()?)?;
        let value = seed.deserialize(de::value::U32Deserializer::<Unpackable>::new(index))?;
        Ok((value, self))
    }
}

impl<'de> de::VariantAccess<'de> for &mut Bits {
    type Error = Unpackable;
    fn unit_variant(self) -> Result<(), Unpackable> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Unpackable> {
        seed.deserialize(self)
    }
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Unpackable> {
        de::Deserializer::deserialize_tuple(self, len, visitor)
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        de::Deserializer::deserialize_tuple(self, fields.len(), visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    enum Kind {
        Stay,
        Jump(i32),
        Place { at: (usize, usize), flag: bool },
        Pair(u8, Option<i64>),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    struct Shape {
        kind: Kind,
        cell: [u16; 2],
        name: char,
    }

    fn survives<M: Move>(packing: &MoveCodec<M>, mv: M) -> MoveId {
        let id = packing.pack(mv);
        assert_eq!(packing.unpack(id), Some(mv));
        id
    }

    #[test]
    fn integers_are_their_own_numbers() {
        assert_eq!(survives(&MoveCodec::new(), u64::MAX), u64::MAX);
        assert_eq!(survives(&MoveCodec::new(), 7_usize), 7);
        for value in [i8::MIN, -1, 0, i8::MAX] {
            survives(&MoveCodec::new(), value);
        }
        survives(&MoveCodec::new(), i64::MIN);
    }

    #[test]
    fn small_moves_of_any_shape_need_no_table() {
        let packing = MoveCodec::new();
        for kind in [
            Kind::Stay,
            Kind::Jump(-5),
            Kind::Place { at: (300, 2), flag: true },
            Kind::Place { at: (3, 2), flag: true },
            Kind::Pair(255, None),
            Kind::Pair(0, Some(-9)),
        ] {
            assert_eq!(survives(&packing, kind) & WIDE, 0, "{kind:?}");
        }
        assert!(packing.lock().moves.is_empty());
        survives(&MoveCodec::new(), ());
        survives(&MoveCodec::new(), true);
        survives(&MoveCodec::new(), (3_usize, 70_000_u32, true));
    }

    #[test]
    fn wide_moves_are_kept_in_a_table() {
        let packing = MoveCodec::new();
        let wide = |name| Shape { kind: Kind::Place { at: (usize::MAX, 1), flag: true }, cell: [1, 2], name };
        let (a, b) = (survives(&packing, wide('a')), survives(&packing, wide('b')));
        assert_eq!((a, b, packing.pack(wide('a'))), (WIDE, WIDE | 1, WIDE));
        let again = MoveCodec::<Shape>::new();
        again.load(&packing.save()).unwrap();
        assert_eq!((again.unpack(b), again.unpack(WIDE | 2)), (Some(wide('b')), None));
    }

    #[test]
    fn numbers_of_nothing_are_refused() {
        let packing = MoveCodec::<Kind>::new();
        assert_eq!(packing.unpack(4 << 2), None, "no fourth variant");
        assert_eq!(packing.unpack(u64::MAX), None);
        assert_eq!(MoveCodec::<char>::new().unpack(0xd800 << 2 | 1), None, "half of a pair");
    }

    proptest! {
        #[test]
        fn packing_is_reversible(a in any::<(u64, i64)>(), shift in 0..64_u32, b in any::<(u8, i16, Option<u32>)>()) {
            survives(&MoveCodec::new(), (a.0 >> shift, a.1 >> shift));
            survives(&MoveCodec::new(), b);
            survives(&MoveCodec::new(), (Kind::Jump(a.1 as i32), b.1));
        }
    }
}
