//! One container or hull while it is being filled: discs, and the candidate positions of every type.
//!
//! A candidate position of a tube is one where it touches two things: two walls, a wall and a tube, or two tubes; in an
//! empty hull it is the bottom (Rei 2018, section 6.2). Corners at the top of the container belong to them here.

use super::grid::Grid;

/// Discs up to which testing all of them is faster than asking the grid.
const FEW: usize = 40;
/// Discs up to which looking at all of them finds the neighbours of one faster than the grid does.
const SOME: usize = 256;
/// Bits of a coordinate in a [`Candidate::place`].
const BITS: u32 = 26;

/// The window that leaves nothing out.
const EVERYWHERE: [f64; 4] = [0.0, 0.0, f64::INFINITY, f64::INFINITY];

/// The area to be filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// From (0, 0) to (width, height).
    Rect {
        /// x.
        width: f64,
        /// y.
        height: f64,
    },
    /// Around (0, 0).
    Disc {
        /// Inner radius of the hull.
        radius: f64,
    },
}

impl Shape {
    /// Whether a disc of radius `r` has a place in the empty area.
    pub(crate) fn admits(self, r: f64, slack: f64) -> bool {
        match self {
            Self::Rect { width, height } => 2.0 * r <= width.min(height) + slack,
            Self::Disc { radius } => r <= radius + slack,
        }
    }

    /// Whether a disc at (x, y) sticks out by `slack` at most.
    #[inline]
    pub(crate) fn holds(self, x: f64, y: f64, r: f64, slack: f64) -> bool {
        match self {
            Self::Rect { width, height } => {
                let low = r - slack;
                x >= low && y >= low && x <= width - low && y <= height - low
            }
            Self::Disc { radius } => {
                let room = radius - r + slack;
                room >= 0.0 && x * x + y * y <= room * room
            }
        }
    }

    /// Its area.
    pub(crate) fn area(self) -> f64 {
        match self {
            Self::Rect { width, height } => width * height,
            Self::Disc { radius } => std::f64::consts::PI * radius * radius,
        }
    }

    /// Lower left corner and sides of the box around it.
    pub(crate) fn frame(self) -> ([f64; 2], [f64; 2]) {
        match self {
            Self::Rect { width, height } => ([0.0, 0.0], [width, height]),
            Self::Disc { radius } => ([-radius, -radius], [2.0 * radius, 2.0 * radius]),
        }
    }
}

/// A position that a tube may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The position rounded to a 2^26th of the area's longer side: it names the position, however it was found.
    pub(crate) place: u64,
}

/// The candidates of one type.
#[derive(Clone, Debug, Default)]
struct List {
    candidates: Vec<Candidate>,
    /// How many discs are taken into account.
    seen: usize,
    started: bool,
}

/// Discs in an area, and lists of candidates that are brought up to date when they are asked for.
#[derive(Debug)]
pub(crate) struct Bin {
    pub(crate) shape: Shape,
    slack: f64,
    pub(crate) xs: Vec<f64>,
    pub(crate) ys: Vec<f64>,
    pub(crate) rs: Vec<f64>,
    pub(crate) types: Vec<u16>,
    lists: Vec<List>,
    grid: Grid,
    /// Size of the cells that the grid is to have; built when there are more than [`FEW`] discs.
    cell: f64,
    gridded: bool,
    /// Candidates are kept only if their centres are near a point.
    /// The third number is the distance, the fourth its square.
    window: [f64; 4],
    /// Buffer of [`near`](Self::near).
    scratch: Vec<u32>,
    /// Discs near the window, for the list being updated: x, y, radius.
    close: Vec<[f64; 3]>,
}

impl Clone for Bin {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.shape, 0, self.cell, self.slack);
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        (self.shape, self.slack, self.cell, self.gridded, self.window) =
            (other.shape, other.slack, other.cell, other.gridded, other.window);
        self.xs.clone_from(&other.xs);
        self.ys.clone_from(&other.ys);
        self.rs.clone_from(&other.rs);
        self.types.clone_from(&other.types);
        self.lists.resize_with(other.lists.len(), List::default);
        for (own, other) in self.lists.iter_mut().zip(&other.lists) {
            own.candidates.clone_from(&other.candidates);
            (own.seen, own.started) = (other.seen, other.started);
        }
        if other.gridded {
            self.grid.copy_from(&other.grid);
        }
    }
}

impl Bin {
    /// Returns an empty area for `types` types of tubes.
    pub(crate) fn new(shape: Shape, types: usize, cell: f64, slack: f64) -> Self {
        Self {
            shape,
            slack,
            xs: Vec::new(),
            ys: Vec::new(),
            rs: Vec::new(),
            types: Vec::new(),
            lists: (0..types).map(|_| List::default()).collect(),
            grid: Grid::default(),
            cell,
            gridded: false,
            window: EVERYWHERE,
            scratch: Vec::new(),
            close: Vec::new(),
        }
    }

    /// Empties it and gives it another shape.
    pub(crate) fn reset(&mut self, shape: Shape) {
        self.shape = shape;
        self.xs.clear();
        self.ys.clear();
        self.rs.clear();
        self.types.clear();
        for list in &mut self.lists {
            list.candidates.clear();
            (list.seen, list.started) = (0, false);
        }
        self.gridded = false;
        self.window = EVERYWHERE;
    }

    /// Restricts candidates to a disc; only before any list was asked for.
    pub(crate) fn set_window(&mut self, x: f64, y: f64, reach: f64) {
        self.window = [x, y, reach, reach * reach];
    }

    /// Returns the number of discs.
    pub(crate) fn len(&self) -> usize {
        self.xs.len()
    }

    /// Adds a disc. Nothing is tested.
    pub(crate) fn add(&mut self, kind: u16, x: f64, y: f64, r: f64) {
        let disc = self.xs.len() as u32;
        self.xs.push(x);
        self.ys.push(y);
        self.rs.push(r);
        self.types.push(kind);
        if self.gridded {
            self.grid.insert(disc, x, y, r);
        } else if self.xs.len() > FEW {
            let (corner, sides) = self.shape.frame();
            self.grid.reset(corner, sides, self.cell);
            for disc in 0..self.xs.len() {
                self.grid.insert(disc as u32, self.xs[disc], self.ys[disc], self.rs[disc]);
            }
            self.gridded = true;
        }
    }

    /// Whether a disc at (x, y) overlaps none of the first `count` others by more than the slack.
    #[inline]
    fn is_free(&self, x: f64, y: f64, r: f64, count: usize) -> bool {
        let reach = r - self.slack;
        let apart = |disc: usize| {
            let (dx, dy, sum) = (self.xs[disc] - x, self.ys[disc] - y, self.rs[disc] + reach);
            dx * dx + dy * dy >= sum * sum
        };
        if self.gridded {
            self.grid.all(x, y, r, |disc| disc >= count || apart(disc))
        } else {
            let discs = self.xs[..count].iter().zip(&self.ys).zip(&self.rs);
            discs.fold(true, |free, ((&dx, &dy), &other)| {
                let (dx, dy, sum) = (dx - x, dy - y, other + reach);
                free & (dx * dx + dy * dy >= sum * sum)
            })
        }
    }

    /// Returns the candidates of type `kind` with outer radius `r`.
    pub(crate) fn candidates(&mut self, kind: usize, r: f64) -> &[Candidate] {
        self.update(kind, r);
        &self.lists[kind].candidates
    }

    /// Returns the candidates of a type whose list is up to date.
    pub(crate) fn listed(&self, kind: usize) -> &[Candidate] {
        &self.lists[kind].candidates
    }

    /// Takes the discs added since the last call into account.
    pub(crate) fn update(&mut self, kind: usize, r: f64) {
        if self.window[2].is_finite() {
            return self.update_window(kind, r);
        }
        let mut list = std::mem::take(&mut self.lists[kind]);
        let fresh = list.seen..self.len();
        if !list.started {
            list.started = true;
            self.seeds(r, &mut list.candidates);
        }
        let reach = r - self.slack;
        // Disc by disc, as if the list had been read after each: of candidates taken for one, the other might have
        // stayed.
        for disc in fresh {
            let (x, y, sum) = (self.xs[disc], self.ys[disc], self.rs[disc] + reach);
            list.candidates.retain(|spot| {
                let (dx, dy) = (x - spot.x, y - spot.y);
                dx * dx + dy * dy >= sum * sum
            });
            self.around(disc, r, &mut list.candidates);
        }
        list.seen = self.len();
        self.lists[kind] = list;
    }

    /// [`update`](Self::update) with a window: the few discs that matter are copied together first.
    fn update_window(&mut self, kind: usize, r: f64) {
        let mut list = std::mem::take(&mut self.lists[kind]);
        let mut close = std::mem::take(&mut self.close);
        if !list.started {
            list.started = true;
            self.seeds(r, &mut list.candidates);
        }
        close.clear();
        let [left, low, reach, _] = self.window;
        let mut fresh = 0;
        for disc in 0..self.len() {
            if disc == list.seen {
                fresh = close.len();
            }
            let (x, y, radius) = (self.xs[disc], self.ys[disc], self.rs[disc]);
            let (dx, dy, sum) = (x - left, y - low, radius + r + reach);
            if dx * dx + dy * dy <= sum * sum {
                close.push([x, y, radius]);
            }
        }
        if list.seen < self.len() {
            let apart = |discs: &[[f64; 3]], x: f64, y: f64| {
                let reach = r - self.slack;
                discs.iter().all(|disc| {
                    let (dx, dy, sum) = (disc[0] - x, disc[1] - y, disc[2] + reach);
                    dx * dx + dy * dy >= sum * sum
                })
            };
            list.candidates.retain(|spot| apart(&close[fresh..], spot.x, spot.y));
            let mut offer = |x: f64, y: f64| {
                if self.in_window(x, y) && self.shape.holds(x, y, r, self.slack) && apart(&close, x, y) {
                    // Moves are made elsewhere: places have no names here.
                    push(&mut list.candidates, Candidate { x, y, place: 0 }, self.slack);
                }
            };
            for at in fresh..close.len() {
                let [x, y, radius] = close[at];
                let touch = [x, y, radius + r];
                self.walls(touch, r, &mut offer);
                let most = radius + 2.0 * r + self.slack;
                for &[x2, y2, r2] in &close[..at] {
                    let (dx, dy, sum) = (x2 - x, y2 - y, r2 + most);
                    if dx * dx + dy * dy <= sum * sum {
                        meet([x2, y2, r2 + r], touch, &mut offer);
                    }
                }
            }
            list.seen = self.len();
        }
        self.lists[kind] = list;
        self.close = close;
    }

    /// Offers the points where a circle meets those along the walls that the centre of a tube of radius `r` may lie on.
    #[inline]
    fn walls(&self, [x, y, reach]: [f64; 3], r: f64, offer: &mut impl FnMut(f64, f64)) {
        match self.shape {
            Shape::Rect { width, height } => {
                for wall in [r, width - r] {
                    if let Some(h) = leg(reach, wall - x) {
                        offer(wall, y - h);
                        offer(wall, y + h);
                    }
                }
                for wall in [r, height - r] {
                    if let Some(h) = leg(reach, wall - y) {
                        offer(x - h, wall);
                        offer(x + h, wall);
                    }
                }
            }
            Shape::Disc { radius } => meet([0.0, 0.0, (radius - r).max(0.0)], [x, y, reach], offer),
        }
    }

    /// The candidates that touch no disc.
    fn seeds(&self, r: f64, candidates: &mut Vec<Candidate>) {
        if !self.shape.admits(r, self.slack) {
            return;
        }
        let mut offer = |x: f64, y: f64| {
            if self.in_window(x, y) {
                push(candidates, Candidate { x, y, place: self.place(x, y) }, self.slack);
            }
        };
        match self.shape {
            Shape::Rect { width, height } => {
                let (right, top) = ((width - r).max(r), (height - r).max(r));
                offer(r, r);
                offer(right, r);
                offer(r, top);
                offer(right, top);
            }
            Shape::Disc { radius } => offer(0.0, -(radius - r).max(0.0)),
        }
    }

    /// The candidates that touch a disc and a wall or an earlier disc.
    fn around(&mut self, disc: usize, r: f64, candidates: &mut Vec<Candidate>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.near(disc, r, &mut scratch);
        let touch = |disc: usize| [self.xs[disc], self.ys[disc], self.rs[disc] + r];
        let mut offer = |x: f64, y: f64| {
            if self.shape.holds(x, y, r, self.slack) && self.is_free(x, y, r, disc + 1) {
                push(candidates, Candidate { x, y, place: self.place(x, y) }, self.slack);
            }
        };
        self.walls(touch(disc), r, &mut offer);
        for &other in &scratch {
            meet(touch(other as usize), touch(disc), &mut offer);
        }
        self.scratch = scratch;
    }

    /// The discs before `disc` that a tube of radius `r` could touch together with it, ascending.
    fn near(&self, disc: usize, r: f64, found: &mut Vec<u32>) {
        let (x, y, reach) = (self.xs[disc], self.ys[disc], self.rs[disc] + 2.0 * r + self.slack);
        found.clear();
        let close = |other: usize| {
            let (dx, dy, sum) = (self.xs[other] - x, self.ys[other] - y, self.rs[other] + reach);
            dx * dx + dy * dy <= sum * sum
        };
        if self.len() > SOME {
            self.grid.all(x, y, reach, |other| {
                if other < disc && close(other) {
                    found.push(other as u32);
                }
                true
            });
            found.sort_unstable();
            found.dedup();
        } else {
            found.extend((0..disc).filter(|&other| close(other)).map(|other| other as u32));
        }
    }

    #[inline]
    fn in_window(&self, x: f64, y: f64) -> bool {
        let [left, low, _, square] = self.window;
        let (dx, dy) = (x - left, y - low);
        dx * dx + dy * dy <= square
    }

    /// Returns the name of a position.
    pub(crate) fn place(&self, x: f64, y: f64) -> u64 {
        let ([left, bottom], [width, height]) = self.shape.frame();
        let scale = f64::from((1_u32 << BITS) - 2) / width.max(height);
        // Never negative and below 2^26, but for the slack.
        let part = |at: f64| ((at * scale + 0.5).max(0.0) as u64).min((1 << BITS) - 1);
        part(x - left) << BITS | part(y - bottom)
    }

    /// Returns the position that `place` names.
    pub(crate) fn position(&self, place: u64) -> [f64; 2] {
        let ([left, bottom], [width, height]) = self.shape.frame();
        let scale = width.max(height) / f64::from((1_u32 << BITS) - 2);
        let part = |bits: u64| (bits & ((1 << BITS) - 1)) as f64 * scale;
        [left + part(place >> BITS), bottom + part(place)]
    }

    /// Returns the candidate of type `kind`, whose list is up to date, that `place` names: else the nearest one.
    pub(crate) fn find(&self, kind: usize, place: u64) -> Option<Candidate> {
        let list = self.listed(kind);
        // Of several with one name the leftmost and lowest, wherever it stands in the list.
        let named = list.iter().filter(|spot| spot.place == place);
        let least = |a: &&Candidate, b: &&Candidate| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y));
        if let Some(&found) = named.min_by(least) {
            return Some(found);
        }
        let [x, y] = self.position(place);
        nearest(list, x, y).map(|(found, _)| found)
    }
}

/// Offers the points where two circles (centre and radius) meet.
#[inline]
fn meet(a: [f64; 3], b: [f64; 3], offer: &mut impl FnMut(f64, f64)) {
    // In an order that does not depend on which was placed first, so that rounding does not either.
    let (a, b) = if (a[0], a[1]) <= (b[0], b[1]) { (a, b) } else { (b, a) };
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let square = dx * dx + dy * dy;
    if square == 0.0 {
        return;
    }
    // The foot of the perpendicular, as a part of the way from a to b.
    let part = 0.5 + (a[2] * a[2] - b[2] * b[2]) / (2.0 * square);
    let scale = a[2] * a[2] / square;
    let Some(side) = root(scale - part * part, scale) else { return };
    let (x, y) = (a[0] + part * dx, a[1] + part * dy);
    offer(x - side * dy, y + side * dx);
    offer(x + side * dy, y - side * dx);
}

/// Returns the candidate nearest to (x, y) and the square of its distance; the first one of several.
pub(crate) fn nearest(list: &[Candidate], x: f64, y: f64) -> Option<(Candidate, f64)> {
    let mut best: Option<(Candidate, f64)> = None;
    for &spot in list {
        let (dx, dy) = (spot.x - x, spot.y - y);
        let square = dx * dx + dy * dy;
        if best.is_none_or(|(_, least)| square < least) {
            best = Some((spot, square));
        }
    }
    best
}

/// Adds a candidate unless its position is known, found by way of two other things; then the leftmost and lowest
/// coordinates stay, whichever was found first.
///
/// The order is that of the discs, whenever the list is brought up to date: lists do not depend on when they are read.
#[inline]
fn push(candidates: &mut Vec<Candidate>, spot: Candidate, slack: f64) {
    let known =
        candidates.iter_mut().find(|other| (other.x - spot.x).abs() <= slack && (other.y - spot.y).abs() <= slack);
    match known {
        Some(other) if (spot.x, spot.y) < (other.x, other.y) => *other = spot,
        Some(_) => {}
        None => candidates.push(spot),
    }
}

/// The other leg of a right triangle; `None`: the hypotenuse is too short.
#[inline]
fn leg(hypotenuse: f64, other: f64) -> Option<f64> {
    root((hypotenuse - other) * (hypotenuse + other), hypotenuse * hypotenuse)
}

/// The root of a difference; what rounding takes from a touching pair is forgiven, as a part of `scale`.
#[inline]
fn root(square: f64, scale: f64) -> Option<f64> {
    if square >= 0.0 {
        Some(square.sqrt())
    } else if square >= -1e-12 * scale {
        Some(0.0)
    } else {
        None
    }
}
