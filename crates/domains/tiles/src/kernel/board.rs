//! A position of a tile game as bit planes.

use super::geometry::{Geometry, contains, count, lane_at, lowest};
use super::group::{Links, code, flood_from};
use super::ops::{Ops, PORTABLE};

/// Why rows of colours are not a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// More rows or columns than the layout holds.
    #[error("a board of {0} rows and {1} columns is larger than {2} x {3}")]
    TooLarge(usize, usize, usize, usize),
    /// The rows differ in length.
    #[error("row {0} has {1} columns, the first has {2}")]
    Ragged(usize, usize, usize),
    /// A colour above the layout's highest.
    #[error("colour {0} is above {1}")]
    Color(u8, u8),
    /// A tile that would fall, or a gap that would close.
    #[error("column {0} is not settled: tiles must rest on tiles, filled columns must be contiguous from the left")]
    Unsettled(usize),
}

/// A position: the bit planes of the colours, 0 where a cell is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C, align(32))]
pub struct Board<G: Geometry> {
    /// Plane i holds bit i of every cell's colour.
    pub planes: G::Planes,
}

impl<G: Geometry> Board<G> {
    /// Returns the board of `rows`, the top row first, colours from 1, 0 for an empty cell.
    ///
    /// # Errors
    /// The board does not fit the layout, or is not settled.
    pub fn from_rows(rows: &[Vec<u8>]) -> Result<Self, BoardError> {
        let columns = rows.first().map_or(0, Vec::len);
        if rows.len() > G::ROWS || columns > G::COLUMNS {
            return Err(BoardError::TooLarge(rows.len(), columns, G::ROWS, G::COLUMNS));
        }
        let mut board = Self::default();
        for (i, row) in rows.iter().enumerate() {
            if row.len() != columns {
                return Err(BoardError::Ragged(i + 1, row.len(), columns));
            }
            for (column, &color) in row.iter().enumerate() {
                if color > G::COLORS {
                    return Err(BoardError::Color(color, G::COLORS));
                }
                let cell = column * G::LANE as usize + rows.len() - 1 - i;
                for plane in 0..G::PLANES {
                    board.planes[plane][cell / 64] |= u64::from(color >> plane & 1) << (cell % 64);
                }
            }
        }
        let occupied = board.occupied();
        let height = |column: usize| {
            let lane = lane_at::<G>(&occupied, column);
            (lane & (lane + 1) == 0).then_some(lane.count_ones())
        };
        for column in 0..G::COLUMNS {
            let Some(h) = height(column) else { return Err(BoardError::Unsettled(column)) };
            if h > 0 && column > 0 && height(column - 1) == Some(0) {
                return Err(BoardError::Unsettled(column - 1));
            }
        }
        Ok(board)
    }

    /// Returns the colours of a box of `rows` x `columns` cells, the top row first.
    #[must_use]
    pub fn to_rows(&self, rows: usize, columns: usize) -> Vec<Vec<u8>> {
        (0..rows)
            .rev()
            .map(|row| (0..columns).map(|column| self.color_at((column * G::LANE as usize + row) as u16)).collect())
            .collect()
    }

    /// Returns the colour of a cell, 0 when it is empty.
    #[inline]
    #[must_use]
    pub fn color_at(&self, cell: u16) -> u8 {
        (0..G::PLANES).map(|i| u8::from(contains::<G>(&self.planes[i], usize::from(cell))) << i).sum()
    }

    /// Returns the cells that hold a tile.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> G::Words {
        let mut out = G::Words::default();
        for i in 0..G::PLANES {
            for w in 0..G::WORDS {
                out[w] |= self.planes[i][w];
            }
        }
        out
    }

    /// Returns the cells of one colour (0: the empty ones, guards included).
    #[inline]
    #[must_use]
    pub fn color_mask(&self, color: u8) -> G::Words {
        let mut out = G::Words::default();
        for w in 0..G::WORDS {
            out[w] = !0;
            for i in 0..G::PLANES {
                out[w] &= self.planes[i][w] ^ if color >> i & 1 == 1 { 0 } else { !0 };
            }
        }
        out
    }

    /// Tiles of each colour, indexed by colour; entry 0 is unused.
    #[must_use]
    pub fn color_counts(&self) -> [u32; 16] {
        std::array::from_fn(|c| {
            if c == 0 || c > usize::from(G::COLORS) { 0 } else { count::<G>(&self.color_mask(c as u8)) as u32 }
        })
    }

    /// Returns the most frequent colour, the lowest of those tied; 0 on an empty board.
    #[must_use]
    pub fn most_frequent(&self) -> u8 {
        most_frequent(&self.color_counts())
    }

    /// Returns the number of tiles.
    #[must_use]
    pub fn tiles(&self) -> u32 {
        count::<G>(&self.occupied()) as u32
    }

    /// Whether no tile is left.
    #[must_use]
    pub fn is_cleared(&self) -> bool {
        self.tiles() == 0
    }

    /// Returns the cells that differ from `other`.
    #[inline]
    #[must_use]
    pub fn changed(&self, other: &Self) -> G::Words {
        let mut out = G::Words::default();
        for i in 0..G::PLANES {
            for w in 0..G::WORDS {
                out[w] |= self.planes[i][w] ^ other.planes[i][w];
            }
        }
        out
    }

    /// Returns the links between equal neighbours.
    #[inline]
    #[must_use]
    pub fn links(&self) -> Links<G> {
        let ops = PORTABLE;
        let linked = ops.links(&ops.load(self));
        Links::new(ops, &linked)
    }

    /// Fills `moves` with the smallest cell of every group, ascending.
    pub fn groups(&self, moves: &mut Vec<u16>) {
        moves.clear();
        let links = self.links();
        let mut rest = links.cells();
        while let Some(cell) = lowest::<G>(&rest) {
            moves.push(cell as u16);
            let mask = flood_from(PORTABLE, &links, cell).mask();
            for w in 0..G::WORDS {
                rest[w] &= !mask[w];
            }
        }
    }

    /// Returns the cells of the group at `cell`; only the cell itself when it has no equal neighbour, no cell when it
    /// is empty.
    #[must_use]
    pub fn group_mask(&self, cell: u16) -> G::Words {
        if self.color_at(cell) == 0 {
            return G::Words::default();
        }
        flood_from(PORTABLE, &self.links(), usize::from(cell)).mask()
    }

    /// Returns the number of tiles of the group at `cell`.
    #[must_use]
    pub fn group_size(&self, cell: u16) -> u32 {
        count::<G>(&self.group_mask(cell)) as u32
    }

    /// Returns the address under which a policy learns the group at `cell`: equal cells and colour, equal code.
    #[must_use]
    pub fn group_code(&self, cell: u16) -> u64 {
        let group = flood_from(PORTABLE, &self.links(), usize::from(cell));
        code(self.color_at(cell), &group)
    }

    /// Removes the group at `cell` (any of its cells) and settles the board. Returns the group's size, or 0 and leaves
    /// the board alone when the cell is not part of a group.
    pub fn play(&mut self, cell: u16) -> u32 {
        if usize::from(cell) >= G::WORDS * 64 {
            return 0;
        }
        let ops = PORTABLE;
        let links = self.links();
        if !contains::<G>(&links.cells(), usize::from(cell)) {
            return 0;
        }
        let group = flood_from(ops, &links, usize::from(cell));
        ops.remove_from(self, &group);
        group.size
    }
}

/// Returns the colour of the highest count, the lowest of those tied; 0 when all are 0.
#[must_use]
pub fn most_frequent(counts: &[u32; 16]) -> u8 {
    let mut best = 0;
    for color in 1..16 {
        if counts[color] > if best == 0 { 0 } else { counts[best] } {
            best = color;
        }
    }
    best as u8
}
