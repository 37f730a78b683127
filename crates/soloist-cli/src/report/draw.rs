//! The best solutions as drawings, recomputed and verified from what the files hold.

use super::trial::Trial;
use crate::choice::split_settings;
use crate::result::close;
use crate::values::Setting;
use serde_json::{Value, json};
use soloist_problems::{AnyInstance, Options, find_domain};
use std::path::Path;

/// A solution that was verified and drawn.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) svg: String,
    /// What the verification found, in one line.
    pub(crate) summary: String,
}

/// Draws solutions; the last instance is kept, because the next drawing is often of the same.
#[derive(Default)]
pub(crate) struct Drawer(Option<(Key, Box<dyn AnyInstance>)>);

/// Problem, instance and options.
type Key = (String, String, Options);

impl std::fmt::Debug for Drawer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Drawer").field(&self.0.as_ref().map(|(key, _)| key)).finish()
    }
}

impl Drawer {
    /// Draws the solution of a run that a file in `folder` describes.
    ///
    /// # Errors
    /// One line: why it cannot be drawn.
    pub(crate) fn draw(&mut self, trial: &Trial, folder: &Path) -> Result<Drawing, String> {
        let solution = trial.solution.as_ref().ok_or("the file holds no solution of this run")?;
        let score = trial.value().ok_or("the solution is not feasible")?;
        let mut failed = None;
        for instance in candidates(trial, folder) {
            let drawn = self.open(trial, instance).and_then(|instance| verified(instance, trial, solution, score));
            match drawn {
                Ok(drawing) => return Ok(drawing),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| "the instance has no name".to_owned()))
    }

    fn open(&mut self, trial: &Trial, instance: String) -> Result<&dyn AnyInstance, String> {
        let key = (trial.problem.clone(), instance, trial.options.clone());
        let known = self.0.take().filter(|(known, _)| *known == key);
        let loaded = match known {
            Some(known) => known,
            None => {
                let instance = load(&key.0, &key.1, &key.2)?;
                (key, instance)
            }
        };
        Ok(&*self.0.insert(loaded).1)
    }
}

/// Where the instance may be: paths count from the file of runs or from here.
pub(super) fn candidates(trial: &Trial, folder: &Path) -> Vec<String> {
    let here = trial.instance.clone();
    let beside = folder.join(&here);
    match beside.to_str() {
        Some(path) if path != here && beside.is_file() => vec![path.to_owned(), here],
        _ => vec![here],
    }
}

/// Opens an instance under the rules of a run.
pub(crate) fn load(problem: &str, instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, String> {
    let domain = find_domain(problem).ok_or_else(|| format!("this program has no problem `{problem}`"))?;
    let set: Vec<Setting> =
        options.iter().map(|(key, value)| Setting { key: key.clone(), value: value.clone() }).collect();
    let (options, rest) = split_settings(domain, &set).map_err(|failure| failure.message)?;
    if let Some(unknown) = rest.first() {
        return Err(format!("{problem} has no option `{}`", unknown.key));
    }
    (domain.load)(instance, &options).map_err(|error| error.to_string())
}

/// Draws a solution that the instance's verifier accepts.
fn verified(instance: &dyn AnyInstance, trial: &Trial, solution: &Value, score: f64) -> Result<Drawing, String> {
    let claim = json!({
        "problem": trial.problem,
        "instance": trial.instance,
        "options": trial.options,
        "score": score,
        "feasible": true,
        "solution": solution,
    });
    let checked =
        instance.check(&claim.to_string()).map_err(|error| format!("the solution fails verification: {error}"))?;
    if !close(checked.score, score) {
        let (claimed, found) = (crate::result::plain(score), crate::result::plain(checked.score));
        return Err(format!("the solution fails verification: score {claimed} claimed, {found} found"));
    }
    Ok(Drawing { svg: instance.svg(solution), summary: checked.summary })
}

/// An image as an address that holds it.
pub(crate) fn data_address(svg: &str) -> String {
    let mut address = String::with_capacity(svg.len() + svg.len() / 4);
    address.push_str("data:image/svg+xml,");
    for byte in svg.bytes() {
        match byte {
            // The characters that end the address, an attribute or mean something else in an address.
            b'%'
            | b'#'
            | b'"'
            | b'\''
            | b'<'
            | b'>'
            | b'&'
            | b'\\'
            | b'^'
            | b'`'
            | b'{'
            | b'|'
            | b'}'
            | 0..=31
            | 127.. => {
                address.push('%');
                address.push(char::from(b"0123456789ABCDEF"[usize::from(byte >> 4)]));
                address.push(char::from(b"0123456789ABCDEF"[usize::from(byte & 15)]));
            }
            _ => address.push(char::from(byte)),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::read::Runs;

    /// The runs of a file with one result of the dummy problem's kind, solved for real.
    fn knapsack(solution: Value, score: f64) -> Trial {
        let record = json!({
            "problem": "knapsack", "instance": "random:5x10:1", "sense": "maximize", "method": "nmcs", "seed": 1,
            "score": score, "playouts": 1, "seconds": 0.5, "stop": "playouts", "solution": solution,
        });
        let mut runs = Runs::default();
        let mut source = runs.add(Path::new("x"));
        source.take(&mut runs, record).unwrap();
        runs.trials.remove(0)
    }

    #[test]
    fn only_verified_solutions_are_drawn() {
        let instance = load("knapsack", "random:5x10:1", &Options::new()).unwrap();
        let request = soloist_problems::Request { budget: soloist::Budget::playouts(50), ..Default::default() };
        let report = instance.solve(request, &mut soloist_problems::Unobserved).unwrap();
        let (solution, score) = (report.solution().clone(), report.score().unwrap().value().unwrap());
        let drawing = Drawer::default().draw(&knapsack(solution.clone(), score), Path::new("")).unwrap();
        assert!(drawing.svg.starts_with("<svg") && drawing.summary.contains("item"), "{drawing:?}");
        let wrong = Drawer::default().draw(&knapsack(solution.clone(), score + 1.0), Path::new("")).unwrap_err();
        assert!(wrong.starts_with("the solution fails verification: "), "{wrong}");
        let absent = Trial { instance: "no/such.kp".to_owned(), ..knapsack(solution.clone(), score) };
        assert!(Drawer::default().draw(&absent, Path::new("")).unwrap_err().starts_with("no/such.kp: "));
        let foreign = Trial { problem: "chess".to_owned(), ..knapsack(solution, score) };
        assert_eq!(Drawer::default().draw(&foreign, Path::new("")).unwrap_err(), "this program has no problem `chess`");
    }

    #[test]
    fn addresses_hold_any_drawing() {
        assert_eq!(data_address("<a b=\"#é\">\n"), "data:image/svg+xml,%3Ca b=%22%23%C3%A9%22%3E%0A");
    }
}
