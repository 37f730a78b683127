//! The knapsack verifier: any text gives a verdict; a valid packing is never worth more than everything together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soloist_knapsack::{check, generate};

fuzz_target!(|text: &str| {
    let sack = generate("random:50x9:1").unwrap();
    match check(&sack, text) {
        Ok(checked) => assert!(checked.score <= sack.items().iter().map(|item| item.value).sum::<u64>() as f64),
        Err(message) => assert_eq!(message.lines().count(), 1),
    }
});
