//! Generated instances: `random:WIDTHxITEMS:SEED` and `relocation:STACKSxHEIGHT:SEED`.

use super::{Item, MAX_ITEMS, MAX_WIDTH, Yard};
use soloist::Rng;
use soloist_domain::InstanceError;

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    text.starts_with("random:") || text.starts_with("relocation:")
}

/// Generates the instance of a spec.
///
/// - `random:10x1000:7`: 10 stacks without a limit of height, 1000 items numbered from 0. The 200 due dates (a fifth as
///   many as items, at least one) are drawn from 1..=2000 (twice as many as items), each as likely, duplicates counting
///   once; an item then draws its release from the dates before the last due date and its due date from the due dates
///   after that.
/// - `relocation:4x6:7`: block relocation with 4 stacks of 6 items, in random order.
///
/// The draws come from [`Rng::new`] with the seed after the second colon: the same spec is the same instance in every
/// release.
///
/// # Errors
/// One line: a spec that is not of this form, or sizes that are too large.
pub fn generate(spec: &str) -> Result<Yard, InstanceError> {
    let fail = |message: &str| InstanceError::new(spec, message);
    let form = "expected random:WIDTHxITEMS:SEED or relocation:STACKSxHEIGHT:SEED, as in random:10x1000:7";
    let (kind, rest) = spec.split_once(':').ok_or_else(|| fail(form))?;
    let (size, seed) = rest.split_once(':').ok_or_else(|| fail(form))?;
    let (width, count) = size.split_once('x').ok_or_else(|| fail(form))?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| digits(text));
    let width = number(width).filter(|width| (1..=MAX_WIDTH as u64).contains(width));
    let width = width.ok_or_else(|| fail(&format!("the number of stacks is not in 1..={MAX_WIDTH}")))? as usize;
    let most = if kind == "relocation" { MAX_ITEMS / width } else { MAX_ITEMS };
    let count = number(count).filter(|count| (1..=most as u64).contains(count));
    let count = count.ok_or_else(|| fail(&format!("the second number is not in 1..={most}")))?;
    let seed = number(seed).ok_or_else(|| fail("the seed is not a whole number from 0 to 18446744073709551615"))?;
    let mut rng = Rng::new(seed);
    match kind {
        "random" => {
            let mut dues: Vec<u64> = (0..(count / 5).max(1)).map(|_| 1 + rng.below(2 * count)).collect();
            soloist::order::sort(&mut dues);
            dues.dedup();
            let last = dues[dues.len() - 1];
            let items = (0..count).map(|number| {
                let release = rng.below(last);
                let after = dues.partition_point(|&due| due <= release);
                Item { number, release: Some(release), due: dues[after + rng.index(dues.len() - after)] }
            });
            let items = items.collect();
            Yard::new(spec.replace(':', "_"), width, 1_000.max(count as usize), items, Vec::new())
        }
        "relocation" => {
            let height = count as usize;
            let count = width * height;
            let items = (1..=count as u64).map(|number| Item { number, release: None, due: number }).collect();
            let mut order: Vec<usize> = (0..count).collect();
            rng.shuffle(&mut order);
            let initial = order.chunks(height).map(<[usize]>::to_vec).collect();
            Yard::new("block relocation".into(), width, 1_000.max(count), items, initial)
        }
        _ => return Err(fail(form)),
    }
    .map_err(|message| fail(&message))
}
