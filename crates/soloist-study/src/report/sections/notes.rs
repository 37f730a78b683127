//! What a reader must know to take the figures of a study for what they are.

use super::View;
use crate::report::figures;
use crate::text::counted;

impl View<'_> {
    /// What a reader must know to take the figures for what they are.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !figures::is_detailed(self.study, self.trials) {
            let text = "too many improvements for curves of single runs; the charts show medians alone";
            notes.push(format!("{}: {text}", self.study.problem));
        }
        let methods = self.study.shown_methods();
        if methods < self.study.methods.len() {
            let text = format!("tables and charts show the first {methods} of {} methods", self.study.methods.len());
            notes.push(format!("{}: {text}", self.study.problem));
        }
        let instances = self.study.shown_instances();
        if instances < self.study.instances.len() {
            let all = self.study.instances.len();
            notes.push(format!(
                "{}: tables and charts show the first {instances} of {all} instances",
                self.study.problem
            ));
        }
        for row in self.shown() {
            let name = self.name(row.method);
            if row.infeasible > 0 {
                notes.push(format!(
                    "{name}: {} of {} runs without a feasible solution: left out of means, lost against any feasible one",
                    row.infeasible, row.runs
                ));
            }
            if row.unverified > 0 {
                notes.push(format!(
                    "{name}: {} failed verification and count for nothing",
                    counted(row.unverified, "run")
                ));
            }
        }
        let (mut infeasible, mut unverified) = (0, 0);
        for row in &self.rows[self.shown().len()..] {
            infeasible += row.infeasible;
            unverified += row.unverified;
        }
        if infeasible + unverified > 0 {
            notes.push(format!(
                "{}: the other methods have {} without a feasible solution and {unverified} that failed verification",
                self.study.problem,
                counted(infeasible, "run")
            ));
        }
        if let Some(known) = &self.study.best_known {
            let (there, all) = (known.iter().flatten().count(), known.len());
            if there < all {
                notes.push(format!(
                    "{}: best known scores of {there} of {all} instances; gaps and targets cover those",
                    self.study.problem
                ));
            }
        }
        let open = self.members().filter(|trial| trial.ending.stop.is_none()).count();
        if open > 0 {
            notes.push(format!(
                "{}: {} had not ended when the file was read",
                self.study.problem,
                counted(open, "run")
            ));
        }
        let cells = self.study.methods.len() * self.study.instances.len() * self.study.seeds.len();
        let made = self.members().count();
        if made < cells {
            notes.push(format!(
                "{}: {made} of {cells} combinations of method, instance and seed were run; pairs and means cover those",
                self.study.problem
            ));
        }
        if !self.timed() {
            notes.push(format!(
                "{}: a file does not tell when scores were reached in seconds; charts are over playouts alone",
                self.study.problem
            ));
        }
        notes
    }
}
