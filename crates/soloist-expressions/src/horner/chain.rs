//! Addition chains: several powers of one base with few multiplications.

use std::collections::BTreeSet;

/// The largest exponent for which a shortest chain is searched. For larger exponents, and when the search takes too
/// long, the chain follows the binary digits.
const MAX_SEARCHED: u32 = 128;
/// The most nodes of the search: a few milliseconds.
const MAX_NODES: u32 = 200_000;

/// A chain that reaches all `exponents`. The first element is 1; each step is the sum of two earlier elements and costs
/// one multiplication. Steps ascend, as (exponent, first part, second part).
///
/// A shortest chain is found by iterative deepening for exponents up to 128 (within a limit of nodes); x^15 costs 5.
///
/// # References
/// D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.6.3, 3rd edition, 1997.
#[must_use]
pub(crate) fn addition_chain(exponents: &[u32]) -> Vec<(u32, u32, u32)> {
    let wanted: BTreeSet<u32> = exponents.iter().copied().filter(|&exponent| exponent > 1).collect();
    let Some(&largest) = wanted.last() else { return Vec::new() };
    let simple = binary(&wanted);
    let wanted: Vec<u32> = wanted.into_iter().collect();
    // Every wanted exponent is a step, and each step at most doubles.
    let least = wanted.len().max(largest.next_power_of_two().ilog2() as usize);
    if largest <= MAX_SEARCHED {
        let mut nodes = MAX_NODES;
        for steps in least..simple.len() {
            let mut chain = vec![1];
            if deepen(&mut chain, &wanted, steps, &mut nodes) {
                return with_parts(&chain);
            }
            if nodes == 0 {
                break;
            }
        }
    }
    simple
}

/// Extends `chain`, which ascends, by at most `left` elements so that it holds all of `wanted`.
fn deepen(chain: &mut Vec<u32>, wanted: &[u32], left: usize, nodes: &mut u32) -> bool {
    let last = *chain.last().unwrap_or(&1);
    let missing: usize = wanted.iter().filter(|&&exponent| exponent > last).count();
    if missing == 0 {
        return true;
    }
    let largest = *wanted.last().unwrap_or(&1);
    if missing > left || *nodes == 0 || u64::from(last) << left < u64::from(largest) {
        return false;
    }
    *nodes -= 1;
    // The chain must not step over the next wanted exponent.
    let next = wanted.iter().copied().find(|&exponent| exponent > last).unwrap_or(largest);
    let mut sums = BTreeSet::new();
    for (at, &a) in chain.iter().enumerate() {
        for &b in &chain[at..] {
            if a + b > last && a + b <= next {
                sums.insert(a + b);
            }
        }
    }
    for &sum in sums.iter().rev() {
        chain.push(sum);
        if deepen(chain, wanted, left - 1, nodes) {
            return true;
        }
        chain.pop();
    }
    false
}

fn with_parts(chain: &[u32]) -> Vec<(u32, u32, u32)> {
    let mut steps = Vec::new();
    for (at, &sum) in chain.iter().enumerate().skip(1) {
        let before = &chain[..at];
        let part = before.iter().rev().find(|&&part| sum - part <= part && before.contains(&(sum - part)));
        if let Some(&part) = part {
            steps.push((sum, part, sum - part));
        }
    }
    steps
}

/// Squares and products by the binary digits, from the highest digit on, shared between the exponents.
fn binary(wanted: &BTreeSet<u32>) -> Vec<(u32, u32, u32)> {
    let mut made = BTreeSet::new();
    for &exponent in wanted {
        let mut rest = exponent;
        while rest > 1 && made.insert(rest) {
            rest = if rest % 2 == 0 { rest / 2 } else { rest - 1 };
        }
    }
    made.iter().map(|&sum| if sum % 2 == 0 { (sum, sum / 2, sum / 2) } else { (sum, sum - 1, 1) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        // Shortest chains: Knuth, volume 2, figure 15, and small sets by hand.
        for (exponents, length) in [
            (&[2][..], 1),
            (&[3], 2),
            (&[7], 4),
            (&[15], 5),
            (&[23], 6),
            (&[31], 7),
            (&[127], 10),
            (&[2, 3, 4], 3),
            (&[2, 3, 5, 7], 4),
            (&[1], 0),
            (&[], 0),
            (&[65535], 30),
        ] {
            let chain = addition_chain(exponents);
            assert_eq!(chain.len(), length, "{exponents:?}: {chain:?}");
        }
    }

    #[test]
    fn steps_are_sums_of_earlier_ones() {
        for set in 1_u32..256 {
            let exponents: Vec<u32> = (0..8).filter(|bit| set >> bit & 1 == 1).map(|bit| 2 + 5 * bit).collect();
            let chain = addition_chain(&exponents);
            let mut known = vec![1];
            for (sum, a, b) in chain {
                assert!(sum == a + b && known.contains(&a) && known.contains(&b));
                known.push(sum);
            }
            assert!(exponents.iter().all(|exponent| known.contains(exponent)), "{exponents:?}");
        }
    }
}
