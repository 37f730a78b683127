//! Results as one JSON object.

use super::analysis::{Comparison, Row, mean};
use super::plan::Competition;
use super::present::Findings;
use super::profile::{Curve, Profile};
use super::spec::Target;
use super::standing::Standing;
use serde_json::{Value, json};
use soloist_domain::Limits;
use soloist_domain::result::{self, VERSION, number};

impl Findings<'_> {
    /// Everything as one JSON object.
    pub(crate) fn json(&self) -> Value {
        json!({
            "title": self.plan.title,
            "problem": self.plan.domain.name,
            "options": self.plan.options,
            "sense": result::sense(self.plan.sense),
            "seeds": self.plan.seeds,
            "threads": self.plan.load.threads,
            "methods": self.rows.iter().zip(&self.standings).map(|(row, standing)| self.method_json(row, standing)).collect::<Vec<_>>(),
            "comparisons": self.comparisons.iter().map(|comparison| self.comparison_json(comparison)).collect::<Vec<_>>(),
            "instances": self.instances.iter().map(|&at| self.instance_json(at)).collect::<Vec<_>>(),
            "profile": self.profile.as_ref().map(|profile| self.profile_json(profile)),
            "machines": self.machines,
            "notes": self.notes(),
            "verdict": self.best_method().map(|verdict| verdict.text()),
            "version": VERSION,
        })
    }

    fn method_json(&self, row: &Row, standing: &Standing) -> Value {
        let gap = standing.gap.as_ref();
        json!({
            "method": self.label(row.method),
            "budget": Limits::of(&self.plan.methods[row.method].budget),
            "runs": row.runs,
            "missing": row.missing,
            "infeasible": row.infeasible,
            "unverified": row.unverified,
            "mean": real(row.mean.map(|(mean, _)| mean)),
            "standard_error": real(row.mean.and_then(|(_, error)| error)),
            "median": real(row.median),
            "best": real(row.best),
            "worst": real(row.worst),
            "sum_of_best": real(row.sums.map(|(best, _)| best)),
            "sum_of_means": real(row.sums.map(|(_, mean)| mean)),
            "playouts_per_second": real(row.rate),
            "seconds": real(row.seconds),
            "optimal": row.optimal,
            "bootstrap": ends(standing.interval),
            "gap": real(gap.map(|gap| gap.mean)),
            "gap_bootstrap": ends(gap.and_then(|gap| gap.interval)),
            "best_known_reached": gap.map(|gap| gap.reached),
            "mean_rank": real(standing.rank.map(|rank| rank.mean)),
            "wins": real(standing.rank.map(|rank| rank.wins)),
            "ranked": standing.rank.map_or(0, |rank| rank.blocks),
        })
    }

    fn comparison_json(&self, c: &Comparison) -> Value {
        json!({
            "a": self.label(c.a),
            "b": self.label(c.b),
            "sample": if c.seeds { "seeds" } else { "instances" },
            "pairs": c.t.map_or(0, |t| t.count),
            "difference": real(c.t.map(|t| t.mean)),
            "standard_error": real(c.t.and_then(|t| t.error)),
            "interval": ends(c.t.and_then(|t| t.interval)),
            "p_t": real(c.t.and_then(|t| t.p)),
            "p_wilcoxon": number(c.wilcoxon.p),
            "wilcoxon_exact": c.wilcoxon.exact,
            "p_holm": number(c.holm),
            "zeros": c.wilcoxon.zeros,
            "a_wins": c.wins,
            "ties": c.ties,
            "b_wins": c.losses,
            "better": c.better.map(|better| self.label(better)),
        })
    }

    fn instance_json(&self, at: usize) -> Value {
        let scores = |row: &Row| {
            let scores = self.grid.scores(row.method, at);
            json!({ "runs": scores.len(), "mean": real(mean(&scores)), "best": real(self.grid.best(&scores)) })
        };
        let methods: serde_json::Map<_, _> =
            self.rows.iter().map(|row| (self.label(row.method).to_owned(), scores(row))).collect();
        let Competition { name, best_known, .. } = &self.plan.instances[at];
        json!({ "instance": name, "best_known": real(*best_known), "methods": methods })
    }

    fn profile_json(&self, profile: &Profile) -> Value {
        let curve = |curve: &Curve| {
            let steps: Vec<_> = curve.steps.iter().map(|&(effort, share)| [number(effort), number(share)]).collect();
            json!({
                "target": target_json(profile.targets[curve.target]),
                "unit": curve.unit.name(),
                "method": self.label(curve.method),
                "runs": curve.runs,
                "reached": curve.reached,
                "known_until": number(curve.end),
                "average_to_reach": curve.expected.map(number),
                "steps": steps,
            })
        };
        profile.curves.iter().map(curve).collect()
    }
}

fn real(value: Option<f64>) -> Value {
    value.map_or(Value::Null, number)
}

fn ends(ends: Option<(f64, f64)>) -> Option<[Value; 2]> {
    ends.map(|(low, high)| [number(low), number(high)])
}

fn target_json(target: Target) -> Value {
    match target {
        Target::Gap(gap) => json!({ "gap": number(gap) }),
        Target::Score(score) => json!({ "score": number(score) }),
    }
}
