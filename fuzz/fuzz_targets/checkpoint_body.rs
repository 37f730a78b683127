//! Checkpoints of every method on every problem with a damaged body and the checksum that goes with it: refused, or a
//! run that continues. The first two bytes choose the run; then come places and new bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_campaigns::Verdict;
use soloist_campaigns::checkpoints::Checkpoints;
use std::sync::Mutex;

static CAMPAIGN: Mutex<Option<Checkpoints>> = Mutex::new(None);

fuzz_target!(|data: &[u8]| {
    let Some((target, changes)) = data.split_first_chunk::<2>() else { return };
    let mut campaign = CAMPAIGN.lock().expect("one thread");
    let campaign = campaign.get_or_insert_with(|| Checkpoints::new(0, None).expect("runs"));
    let verdict = campaign.damage(u16::from_le_bytes(*target).into(), |body| {
        for change in changes.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
            if let Some(byte) = body.get_mut(at) {
                *byte = change[2];
            }
        }
    });
    if let Verdict::Finding(what) = verdict {
        panic!("{what}");
    }
});
