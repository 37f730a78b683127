//! Instances by a short name: `d8k2`.

use super::Cube;
use soloist_domain::InstanceError;

/// Whether `text` is meant as a spec and not as a file name: a `d`, a digit, and nothing that paths have.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 1 && bytes[0] == b'd' && bytes[1].is_ascii_digit() && bytes.iter().all(u8::is_ascii_alphanumeric)
}

/// Returns the cube of a spec: `d8k2` has dimension 8 and spread 2, which `d8` means as well.
///
/// # Errors
/// One line: a spec that is not of this form, a dimension outside of 2 to 13, a spread outside of 1 to 7.
///
/// ```
/// use soloist_hypercube::generate;
/// let cube = generate("d10k3").unwrap();
/// assert_eq!((cube.dimension(), cube.spread()), (10, 3));
/// assert_eq!(generate("d1").unwrap_err().to_string(), "d1: dimension 1, expected 2 to 13");
/// ```
pub fn generate(spec: &str) -> Result<Cube, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    let form = || fail("expected dDIMENSIONkSPREAD, as in d8k2, or dDIMENSION for spread 2".into());
    let rest = spec.strip_prefix('d').ok_or_else(form)?;
    let (dimension, spread) = rest.split_once('k').unwrap_or((rest, "2"));
    // Three digits at most: more than any range needs and no overflow.
    let number = |text: &str| {
        let digits = (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| digits).ok_or_else(form)
    };
    Cube::new(number(dimension)?, number(spread)?).map_err(fail)
}
