//! What a checkpoint holds of a run. Nothing here is compiled for each problem.

use super::outcome::{Counters, StopReason};
use super::setup::Setup;
use super::stream_loop::SavedDrive;
use crate::Problem;
use crate::core::codec::{CheckpointError, decode, decode_first, open, seal, write_sealed};
use crate::core::limits::ensure;
use crate::erased::MoveId;
use crate::problem::{SearchInfo, fingerprint, search_infos};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::time::Duration;

/// What a checkpoint says about its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Method, rollout, seed and threads.
    pub setup: Setup,
    /// Playouts and nodes so far.
    pub counters: Counters,
    /// Wall-clock time so far.
    pub elapsed: Duration,
}

impl RunInfo {
    /// Reads what a checkpoint of `problem` says about its run, without restoring it.
    ///
    /// # Errors
    /// When the bytes are not a whole checkpoint of this problem.
    pub fn read<P: Problem>(problem: &P, bytes: &[u8]) -> Result<Self, CheckpointError> {
        read_info(fingerprint(problem), &search_infos(problem), bytes)
    }

    /// Looks up what the names of own searches stand for.
    fn look_up(&mut self, searches: &[SearchInfo]) -> Result<(), CheckpointError> {
        let known = self.setup.method.resolve(searches);
        known.map_err(|_| CheckpointError::Corrupt("a method that the problem does not have"))
    }
}

/// What a checkpoint says about its run when it is decoded as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedRun {
    /// What stands first in it.
    pub info: RunInfo,
    /// How many different solutions the run keeps; see [`Solver::keep`](crate::Solver::keep).
    pub keep: usize,
    /// Why the run cannot continue, where it cannot.
    pub ended: Option<StopReason>,
}

impl SavedRun {
    /// Reads a checkpoint of `problem` without restoring the run. This takes about as much memory as the checkpoint,
    /// where [`RunInfo::read`] takes next to none.
    ///
    /// # Errors
    /// When the bytes are not a whole checkpoint of this problem.
    pub fn read<P: Problem>(problem: &P, bytes: &[u8]) -> Result<Self, CheckpointError> {
        read_whole(fingerprint(problem), &search_infos(problem), bytes)
    }
}

/// A run in a checkpoint. What differs between equal runs comes first.
#[derive(Serialize, Deserialize)]
pub(super) struct CheckpointBody {
    pub(super) info: RunInfo,
    /// The times of the improvements.
    pub(super) times: Vec<Duration>,
    /// The table of moves.
    pub(super) moves: Vec<u8>,
    /// The moves that every solution begins with.
    pub(super) prefix: Vec<MoveId>,
    pub(super) drive: SavedDrive,
}

pub(super) fn seal_run(fingerprint: u64, run: &CheckpointBody) -> Vec<u8> {
    seal(fingerprint, run)
}

pub(super) fn write_run(mut file: &File, fingerprint: u64, run: &CheckpointBody) -> std::io::Result<()> {
    write_sealed(&mut file, fingerprint, run)
}

pub(super) fn decode_run(body: &[u8]) -> Result<CheckpointBody, CheckpointError> {
    let run = decode::<CheckpointBody>(body)?;
    ensure(run.info.setup.streams() == run.drive.streams(), "another number of streams")?;
    Ok(run)
}

fn read_info(fingerprint: u64, searches: &[SearchInfo], bytes: &[u8]) -> Result<RunInfo, CheckpointError> {
    let mut info: RunInfo = decode_first(open(fingerprint, bytes)?)?;
    ensure(info.elapsed <= LONGEST, "more time than a run can take")?;
    info.look_up(searches)?;
    Ok(info)
}

fn read_whole(fingerprint: u64, searches: &[SearchInfo], bytes: &[u8]) -> Result<SavedRun, CheckpointError> {
    let CheckpointBody { mut info, drive, .. } = decode_run(open(fingerprint, bytes)?)?;
    info.look_up(searches)?;
    Ok(SavedRun { info, keep: drive.keep(), ended: drive.ended() })
}

/// The longest time that a run can have taken, some 35,000 years: no sum of two times overflows.
const LONGEST: Duration = Duration::from_secs(1 << 40);
