//! Checkpoints: a run on disk, to be continued exactly.
//!
//! Layout: magic (8 bytes), format version (u32), problem fingerprint (u64), length of the body (u64), body (postcard),
//! CRC-32 of the body; integers little-endian.

use postcard::ser_flavors::Flavor;
use postcard::serialize_with_flavor;
use serde::{Serialize, de::DeserializeOwned};
use std::io::{self, Seek, SeekFrom, Write};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"SOLOIST\0";
const VERSION: u32 = 18;
const HEADER: usize = 8 + 4 + 8 + 8;

/// A checkpoint that cannot be written or continued.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read checkpoint: {0}")]
    Read(#[source] io::Error),
    /// The file cannot be written.
    #[error("cannot write checkpoint: {0}")]
    Write(#[source] io::Error),
    /// Something else than a checkpoint.
    #[error("not a Soloist checkpoint")]
    Foreign,
    /// Written by an incompatible release.
    #[error("checkpoint format {found}, this release reads {VERSION}")]
    Version {
        /// The format found.
        found: u32,
    },
    /// Bytes are missing.
    #[error("checkpoint is truncated: {found} bytes, expected {expected}")]
    Truncated {
        /// Bytes found.
        found: usize,
        /// Bytes that the header announces.
        expected: u64,
    },
    /// It belongs to another instance.
    #[error("checkpoint belongs to another instance or other rules")]
    OtherProblem,
    /// The content is not valid.
    #[error("checkpoint is corrupt: {0}")]
    Corrupt(&'static str),
}

/// Encodes a value for [`decode`].
///
/// The length is counted first: a list that grows by doubling would take up to twice the memory.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    const PLAIN: &str = "plain data is always encodable in memory";
    let size = serialize_with_flavor(value, Sink { length: 0, out: None }).expect(PLAIN);
    let mut bytes = Vec::with_capacity(size);
    serialize_with_flavor(value, Sink { length: 0, out: Some(&mut bytes) }).expect(PLAIN);
    bytes
}

/// Where bytes go: nowhere, where only their number is asked for. Each type is compiled for this place alone.
struct Sink<'a> {
    length: usize,
    out: Option<&'a mut dyn Write>,
}

impl Flavor for Sink<'_> {
    type Output = usize;
    #[inline(never)]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.length += data.len();
        self.out.as_mut().map_or(Ok(()), |out| out.write_all(data)).map_err(|_| postcard::Error::SerializeBufferFull)
    }
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.try_extend(&[data])
    }
    fn finalize(self) -> postcard::Result<usize> {
        Ok(self.length)
    }
}

/// Decodes a part of a checkpoint; every byte must be used.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CheckpointError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(CheckpointError::Corrupt("a part does not decode")),
    }
}

/// Decodes the first part of a checkpoint's body and leaves the rest.
pub(crate) fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CheckpointError> {
    postcard::take_from_bytes(bytes)
        .map(|(value, _)| value)
        .map_err(|_| CheckpointError::Corrupt("a part does not decode"))
}

/// Puts a body into its envelope.
pub(crate) fn seal<T: Serialize>(fingerprint: u64, body: &T) -> Vec<u8> {
    let mut bytes = io::Cursor::new(Vec::new());
    write_sealed(&mut bytes, fingerprint, body).expect("plain data is always encodable in memory");
    bytes.into_inner()
}

/// Writes a body in its envelope as it is encoded, without a copy in memory.
///
/// # Errors
/// When the place cannot be written.
pub(crate) fn write_sealed<T: Serialize>(out: &mut (impl Write + Seek), fingerprint: u64, body: &T) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&fingerprint.to_le_bytes())?;
    // The length is known at the end.
    out.write_all(&0_u64.to_le_bytes())?;
    let buffer = io::BufWriter::with_capacity(1 << 16, &mut *out);
    let mut checked = Checked { out: buffer, crc: crc32fast::Hasher::new(), failed: None };
    let Ok(length) = serialize_with_flavor(body, Sink { length: 0, out: Some(&mut checked) }) else {
        return Err(checked.failed.take().unwrap_or_else(|| io::Error::other("the run cannot be encoded")));
    };
    checked.out.flush()?;
    let crc = checked.crc.clone().finalize();
    drop(checked);
    out.write_all(&crc.to_le_bytes())?;
    out.seek(SeekFrom::Start(HEADER as u64 - 8))?;
    out.write_all(&(length as u64).to_le_bytes())
}

/// Sums up what goes through, and keeps the error that the encoder does not hand on.
struct Checked<W> {
    out: W,
    crc: crc32fast::Hasher,
    failed: Option<io::Error>,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.out.write_all(bytes) {
            let kind = error.kind();
            self.failed = Some(error);
            return Err(kind.into());
        }
        self.crc.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Takes a body out of its envelope, checking all of it.
pub(crate) fn open(fingerprint: u64, bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    if !bytes.starts_with(MAGIC) {
        let cut = bytes.len() < MAGIC.len() && !bytes.is_empty() && MAGIC.starts_with(bytes);
        return Err(if cut {
            CheckpointError::Truncated { found: bytes.len(), expected: HEADER as u64 }
        } else {
            CheckpointError::Foreign
        });
    }
    if bytes.len() < HEADER {
        return Err(CheckpointError::Truncated { found: bytes.len(), expected: HEADER as u64 });
    }
    let version = u32::from_le_bytes(std::array::from_fn(|i| bytes[8 + i]));
    if version != VERSION {
        return Err(CheckpointError::Version { found: version });
    }
    let expected = number(20).saturating_add(HEADER as u64 + 4);
    if (bytes.len() as u64) < expected {
        return Err(CheckpointError::Truncated { found: bytes.len(), expected });
    }
    if (bytes.len() as u64) > expected {
        return Err(CheckpointError::Corrupt("bytes after its end"));
    }
    let (body, crc) = bytes[HEADER..].split_at(bytes.len() - HEADER - 4);
    if crc32fast::hash(body).to_le_bytes() != crc {
        return Err(CheckpointError::Corrupt("the checksum does not match"));
    }
    if number(12) != fingerprint {
        return Err(CheckpointError::OtherProblem);
    }
    Ok(body)
}
