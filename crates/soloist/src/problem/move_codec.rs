//! Moves as integers, which searches, checkpoints and streams hold instead of a problem's moves.
//!
//! Searches are compiled once, for [`MoveId`]. A [`MoveCodec`] turns a problem's moves into such numbers and back:
//! integers as they are, other types by the bits of their parts. A move of more than 63 bits is kept in a table, and
//! its number is its place there.

use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::solution::MoveId;
use crate::problem::moves::{Move, MoveReader, MoveWriter, sealed::Sealed};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
        // Known at compile time, so that one branch stays.
        if M::IS_NUMBER {
            return mv.to_number();
        }
        let mut bits = Bits::default();
        mv.pack(&mut bits);
        if bits.is_wide { self.place(mv) } else { bits.value }
    }

    /// Returns the move that has a number. `None`: no move has it.
    #[inline]
    pub(crate) fn unpack(&self, id: MoveId) -> Option<M> {
        if M::IS_NUMBER {
            return M::from_number(id);
        }
        if id & WIDE != 0 {
            return self.lock().moves.get(usize::try_from(id ^ WIDE).ok()?).copied();
        }
        M::unpack(&mut Bits { value: id, used: 0, is_wide: false })
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
        let mut moves = Vec::new();
        self.append_known(ids, &mut moves);
        moves
    }

    /// Appends the numbers of moves. In one place, so that it is compiled once for each type of moves.
    pub(crate) fn append(&self, moves: &[M], ids: &mut Vec<MoveId>) {
        ids.reserve(moves.len());
        for &mv in moves {
            ids.push(self.pack(mv));
        }
    }

    /// Appends the moves that have the numbers of legal moves.
    pub(crate) fn append_known(&self, ids: &[MoveId], moves: &mut Vec<M>) {
        moves.reserve(ids.len());
        for &id in ids {
            moves.push(self.known(id));
        }
    }

    /// Returns the numbers of moves.
    pub(crate) fn ids(&self, moves: &[M]) -> Vec<MoveId> {
        let mut ids = Vec::new();
        self.append(moves, &mut ids);
        ids
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
        let mut table = Vec::new();
        for mv in &self.lock().moves {
            let mut bytes = Bytes::default();
            mv.pack(&mut bytes);
            table.push(bytes.0);
        }
        encode_table(&table)
    }

    /// Restores the table of a checkpoint.
    pub(crate) fn load(&self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let damaged = CheckpointError::Corrupt("a table of moves");
        let mut wide = Wide { moves: Vec::new(), places: HashMap::new() };
        for bytes in decode_table(bytes)? {
            let mut rest = Rest(&bytes);
            let Some(mv) = M::unpack(&mut rest).filter(|_| rest.0.is_empty()) else { return Err(damaged) };
            if wide.places.insert(mv, wide.moves.len() as u64).is_some() {
                return Err(damaged);
            }
            wide.moves.push(mv);
        }
        *self.lock() = wide;
        Ok(())
    }
}

fn encode_table(table: &Vec<Vec<u8>>) -> Vec<u8> {
    encode(table)
}

fn decode_table(bytes: &[u8]) -> Result<Vec<Vec<u8>>, CheckpointError> {
    decode(bytes)
}

/// The parts of a move in one number, lowest bits first: numbers by their size in 16, 32 or 60 bits.
#[derive(Default)]
struct Bits {
    value: u64,
    used: u32,
    /// There was no room for a part.
    is_wide: bool,
}

impl Sealed for Bits {}

impl MoveWriter for Bits {
    #[inline]
    fn bits(&mut self, value: u64, count: u32) {
        if self.used + count > ROOM {
            // Nothing fits any more.
            (self.used, self.is_wide) = (ROOM, true);
        } else {
            self.value |= value << self.used;
            self.used += count;
        }
    }

    /// Two bits that name the width, then 14, 30 or 58 bits.
    #[inline]
    fn number(&mut self, value: u64) {
        match value {
            0..0x4000 => MoveWriter::bits(self, value << 2, 16),
            0x4000..0x4000_0000 => MoveWriter::bits(self, value << 2 | 1, 32),
            _ if value >> 58 == 0 => MoveWriter::bits(self, value << 2 | 2, 60),
            _ => MoveWriter::bits(self, 0, ROOM + 1),
        }
    }

    #[inline]
    fn bytes(&mut self, _: &[u8]) {
        MoveWriter::bits(self, 0, ROOM + 1);
    }
}

impl MoveReader for Bits {
    #[inline]
    fn bits(&mut self, count: u32) -> Option<u64> {
        if self.used + count > ROOM {
            return None;
        }
        let value = self.value >> self.used & ((1 << count) - 1);
        self.used += count;
        Some(value)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        match self.value >> self.used.min(63) & 3 {
            0 => Some(MoveReader::bits(self, 16)? >> 2),
            1 => Some(MoveReader::bits(self, 32)? >> 2),
            2 => Some(MoveReader::bits(self, 60)? >> 2),
            _ => None,
        }
    }

    #[inline]
    fn bytes(&mut self) -> Option<Vec<u8>> {
        None
    }
}

/// The parts of a move in a checkpoint: two bytes for bits, seven bits a byte for numbers, bytes behind their count.
#[derive(Default)]
struct Bytes(Vec<u8>);

/// What is still to be read of such bytes.
struct Rest<'a>(&'a [u8]);

impl Sealed for Bytes {}
impl Sealed for Rest<'_> {}

impl MoveWriter for Bytes {
    fn bits(&mut self, value: u64, _: u32) {
        self.0.extend((value as u16).to_le_bytes());
    }
    fn number(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }
}

impl MoveReader for Rest<'_> {
    fn bits(&mut self, count: u32) -> Option<u64> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        let value: u64 = u16::from_le_bytes(*value).into();
        (value >> count == 0).then_some(value)
    }
    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let part = u64::from(byte & 0x7f);
            if shift > 63 || part << shift >> shift != part {
                return None;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }
    fn bytes(&mut self) -> Option<Vec<u8>> {
        let count = self.number()?.try_into().ok()?;
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Kind {
        Stay,
        Jump(i32),
        Place { at: (usize, usize), flag: bool },
        Pair(u8, Option<i64>),
    }
    crate::impl_move!(enum Kind { Stay, Jump(by), Place { at, flag }, Pair(low, high) });

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Shape {
        kind: Kind,
        cell: [u16; 2],
        name: char,
    }
    crate::impl_move!(struct Shape { kind, cell, name });

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Pair(u64, isize);
    crate::impl_move!(struct Pair(a, b));

    /// A number and its bytes lead back to the move.
    fn survives<M: Move>(packing: &MoveCodec<M>, mv: M) -> MoveId {
        let id = packing.pack(mv);
        assert_eq!(packing.unpack(id), Some(mv));
        let mut bytes = Bytes::default();
        mv.pack(&mut bytes);
        let mut rest = Rest(&bytes.0);
        assert_eq!((M::unpack(&mut rest), rest.0.len()), (Some(mv), 0));
        let mut short = Rest(&bytes.0[..bytes.0.len().saturating_sub(1)]);
        assert!(bytes.0.is_empty() || M::unpack(&mut short).is_none());
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
        let mut bytes = Bytes::default();
        wide('a').pack(&mut bytes);
        let (twice, short) = (vec![bytes.0.clone(), bytes.0.clone()], vec![bytes.0[..2].to_vec()]);
        assert!(again.load(&encode(&twice)).is_err() && again.load(&encode(&short)).is_err());
        assert_eq!(again.unpack(b), Some(wide('b')), "a damaged table changes nothing");
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
            survives(&MoveCodec::new(), Pair(a.0 >> shift, (a.1 >> shift) as isize));
            survives(&MoveCodec::new(), b);
            survives(&MoveCodec::new(), (Kind::Jump(a.1 as i32), b.1));
        }

        /// Bytes of a damaged file are no move, or a move that is written in the same way again.
        #[test]
        fn damaged_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            let mut rest = Rest(&bytes);
            if let Some(mv) = Shape::unpack(&mut rest) {
                survives(&MoveCodec::new(), mv);
            }
        }
    }
}
