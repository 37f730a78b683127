//! States of long searches as bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The first bytes of every saved state.
const MAGIC: &[u8; 8] = b"SOLOEXPR";
/// The version of the layout: magic, version, kind, fingerprint, check sum of the body, body (postcard).
const VERSION: u8 = 2;
/// Bytes in front of the body.
const HEAD: usize = MAGIC.len() + 2 + 8 + 4;

/// Which search a state belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Refine = 1,
    Polish = 2,
}

/// The state of a search on the input with this fingerprint as bytes.
pub(crate) fn save(kind: Kind, fingerprint: u64, state: &impl Serialize) -> Vec<u8> {
    let body = postcard::to_allocvec(state).expect("plain data can always be encoded in memory");
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[VERSION, kind as u8]);
    bytes.extend_from_slice(&fingerprint.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// Reads what [`save`] wrote.
///
/// # Errors
/// One line: bytes that are no saved state of this kind, are damaged, or belong to another input.
pub(crate) fn load<T: DeserializeOwned>(kind: Kind, fingerprint: u64, bytes: &[u8]) -> Result<T, String> {
    let (head, body) = bytes.split_at_checked(HEAD).ok_or("a saved state that is cut short")?;
    let rest = head.strip_prefix(MAGIC).ok_or("no saved state of a search over expressions")?;
    if rest[0] != VERSION {
        return Err(format!("a saved state of version {}, expected {VERSION}", rest[0]));
    }
    if rest[1] != kind as u8 {
        return Err("a saved state of another search".into());
    }
    if rest[2..10] != fingerprint.to_le_bytes() {
        return Err("a saved state of another input".into());
    }
    if rest[10..] != crc32fast::hash(body).to_le_bytes() {
        return Err("a damaged saved state".into());
    }
    match postcard::take_from_bytes(body) {
        Ok((state, [])) => Ok(state),
        _ => Err("a damaged saved state".into()),
    }
}
