//! VRPLIB.
use super::Instance;
use soloist_domain::InstanceError;

pub(super) fn is_vrplib(_text: &str) -> bool {
    false
}
pub(super) fn parse(_name: &str, _text: &str) -> Result<Instance, InstanceError> {
    unreachable!()
}
pub(super) fn write(_instance: &Instance) -> String {
    unreachable!()
}
