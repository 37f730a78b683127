//! What the knapsack has besides its rules: the methods that suit it, its own search and its rollouts.

use super::problem::{Greedy, Knapsack};
use super::search;
use soloist::problem::{Entrant, Explain, Extras, NamedSearch};
use soloist::rollout::NamedRollout;

impl Extras<Self> for Knapsack {
    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }

    /// Nested search, tuned at 2,000 playouts (docs/results/tuning.md). Within a second it solves the same benchmark
    /// files as NRPA, and with thousands of items it stays near the bound, which NRPA does not. Beside it `minknap`
    /// works on a proof, which ends most runs within a second; alone it would not end by a budget of playouts.
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new("nmcs").set("level", 3).set("width", 4), Entrant::new(search::MINKNAP.name)]
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        search::searches()
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![
            NamedRollout::new("greedy", "takes what fits by value per weight, skipping an item now and then", |_| {
                Box::new(Greedy)
            }),
            NamedRollout::uniform("takes or skips with equal chances"),
        ]
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}
