//! Damaged files for every reader of instances, solutions and expressions.
//!
//! What a reader accepts is worked with: an instance is searched for a moment and its result verified, a solution is
//! started from, an expression is turned into code in every language, which is verified.

use crate::checkpoints::INSTANCES;
use crate::{Campaign, Verdict, mutate, refused, rng};
use soloist::run::SolveError;
use soloist::{Budget, Setup};
use soloist_problems::expressions::{Effort, Header, Language, Simplifier, emit, open, verify_program};
use soloist_problems::{AnyInstance, Domain, Options, Request, Unobserved, find_domain};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Formats that no generator writes.
const FILES: [(&str, &str); 8] = [
    ("samegame", "112\n2.1\n331\n"),
    (
        "vrptw",
        "NAME : tiny\nTYPE : VRPTW\nDIMENSION : 3\nVEHICLES : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\nSERVICE_TIME : 5\nNODE_COORD_SECTION\n1 0 0\n3 6 8\n2 3 4\nDEMAND_SECTION\n1 0\n2 7\n3 3\nTIME_WINDOW_SECTION\n1 0 99\n2 10 20\n3 0 50\nDEPOT_SECTION\n1\n-1\nEOF\n",
    ),
    (
        "vrptw",
        "NAME: e\nTYPE: CVRP\nDIMENSION: 3\nCAPACITY: 5\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_ROW\nEDGE_WEIGHT_SECTION\n3\n4 5\nDEMAND_SECTION\n1 0\n2 1\n3 2\nDEPOT_SECTION\n1\n-1\n",
    ),
    ("stacking", "3 6\n2 3 5\n2 1 6\n2 2 4\n"),
    ("coil", "d5k2\ntransitions 0 1 2\n"),
    ("horner", "Local F = (x+y)^3*z - 3/2*x*y^2 + 1.5e-3*z;\nG := sin(x)*y + a[1]^-1*p1.p2 - [x+y]**2;\n"),
    ("horner", "x^2*y + 2*x*y \\\n + 12345678901234567890*(a+b)*(c+d) /* no */ + lambda*int - F;"),
    ("morpion", "# variant 5D\n(28,28)\n(27,27) / 0\n"),
];

/// What is damaged.
#[derive(Debug)]
enum Text {
    /// An instance file of a problem.
    Instance(&'static str),
    /// A solution of an instance of [`INSTANCES`].
    Solution(usize),
    /// An expression to be simplified.
    Expression,
}

/// The campaign.
#[derive(Debug)]
pub struct Readers {
    seed: u64,
    corpus: Vec<(Text, String)>,
    file: PathBuf,
}

fn domain(name: &str) -> &'static Domain {
    find_domain(name).unwrap_or_else(|| panic!("no problem {name}"))
}

impl Readers {
    /// Returns the campaign of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut corpus = Vec::new();
        for (at, &(problem, spec, options)) in INSTANCES.iter().enumerate() {
            if let Ok(text) = (domain(problem).generate)(spec) {
                corpus.push((Text::Instance(problem), text));
            }
            let options: Options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
            let Ok(instance) = (domain(problem).load)(spec, &options) else { continue };
            let request = Request { budget: Budget::playouts(50), ..Request::default() };
            let Ok(report) = instance.solve(request, &mut Unobserved) else { continue };
            let result = serde_json::json!({
                "problem": problem, "moves": report.moves(), "solution": report.solution(),
                "score": report.score().and_then(soloist::Score::value), "feasible": true, "optimal": false,
            });
            corpus.push((Text::Solution(at), result.to_string()));
            corpus.push((Text::Solution(at), report.solution().to_string()));
        }
        for (problem, text) in FILES {
            corpus.push((Text::Instance(problem), text.to_owned()));
            if problem == "horner" {
                corpus.push((Text::Expression, text.to_owned()));
            }
        }
        let folder = std::env::temp_dir();
        let file = folder.join(format!("soloist-campaign-{}.txt", std::process::id()));
        Self { seed, corpus, file }
    }

    fn entry(&self, case: u64) -> &(Text, String) {
        &self.corpus[case as usize % self.corpus.len()]
    }

    fn damaged(&self, case: u64) -> Vec<u8> {
        let mut bytes = self.entry(case).1.clone().into_bytes();
        mutate::text(&mut rng(self.seed, case), &mut bytes);
        bytes
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        // It exists only where a case has written it.
        let _ = fs::remove_file(&self.file);
    }
}

/// Searches an instance for a moment and verifies the result.
fn work_with(problem: &str, instance: &dyn AnyInstance) -> Verdict {
    if instance.describe().lines().count() > 1 {
        return Verdict::Finding("a description of several lines".into());
    }
    let time = Some(Duration::from_millis(50));
    let setup = Setup::preset("sampling").ok().map(|setup| setup.rollout("random"));
    let request = Request { setup, budget: Budget { time, ..Budget::playouts(3) }, ..Request::default() };
    let report = match instance.solve(request, &mut Unobserved) {
        Ok(report) => report,
        Err(SolveError::Bound { score, bound }) => return Verdict::Finding(format!("score {score}, bound {bound}")),
        Err(error) => return refused(&error.to_string()),
    };
    let Some(score) = report.score().and_then(soloist::Score::value) else { return Verdict::Accepted };
    let result = serde_json::json!({ "problem": problem, "moves": report.moves(), "solution": report.solution() });
    match instance.check(&result.to_string()) {
        Ok(checked) if (checked.score - score).abs() <= 1e-9 * score.abs().max(1.0) => Verdict::Accepted,
        Ok(checked) => Verdict::Finding(format!("score {score} claimed, {} verified", checked.score)),
        Err(error) => Verdict::Finding(format!("a result that is no solution: {error}")),
    }
}

/// Reads a solution as verifier and as start.
fn try_solution(instance: &dyn AnyInstance, text: &str) -> Verdict {
    let checked = instance.check(text);
    let verdict = match &checked {
        Ok(_) => Verdict::Accepted,
        Err(error) => refused(error),
    };
    let moves = match instance.start_from(text) {
        Ok(moves) => moves,
        Err(error) => return if matches!(verdict, Verdict::Refused(_)) { refused(&error) } else { verdict },
    };
    let started = instance.start(Request::default()).and_then(|mut session| session.offer(&moves));
    match (started, checked) {
        (Err(error), _) if matches!(refused(&error.to_string()), Verdict::Finding(_)) => refused(&error.to_string()),
        _ => verdict,
    }
}

/// Turns an expression into code in every language.
fn try_expression(path: &str) -> Verdict {
    let system = match open(path, true) {
        Ok(system) => Arc::new(system),
        Err(error) => return refused(&error.to_string()),
    };
    let simplifier = Simplifier { effort: Effort::playouts(5), ..Simplifier::default() };
    let done = match simplifier.run(&system, &mut |_| ()) {
        Ok(done) => done,
        Err(error) => return refused(&error.to_string()),
    };
    let header = Header {
        function: "f",
        source: path,
        input: done.system.counts(),
        order: &done.best.order,
        exceptions: done.best.exceptions,
    };
    let code = |language| emit(&done.system, &done.best.program, language, &header);
    let form = code(Language::Form);
    for language in Language::ALL.into_iter().filter(|language| language.refuses_program(&done.best.program).is_none())
    {
        if let Err(error) = verify_program(&done.system, &done.best.program, &code(language), language, &form) {
            return Verdict::Finding(format!("{language:?}: {error}"));
        }
    }
    Verdict::Accepted
}

impl Campaign for Readers {
    fn run(&mut self, case: u64) -> Verdict {
        let bytes = self.damaged(case);
        let kind = &self.entry(case).0;
        let path = self.file.to_string_lossy().into_owned();
        match kind {
            Text::Solution(at) => {
                let Ok(text) = String::from_utf8(bytes) else { return refused("not UTF-8") };
                try_solution(&*crate::checkpoints::instance(*at), &text)
            }
            Text::Instance(problem) => {
                if let Err(error) = fs::write(&self.file, &bytes) {
                    return Verdict::Finding(format!("the campaign cannot write {path}: {error}"));
                }
                match (domain(problem).load)(&path, &Options::new()) {
                    Ok(instance) => work_with(problem, &*instance),
                    Err(error) => refused(&error.to_string()),
                }
            }
            Text::Expression => match fs::write(&self.file, &bytes) {
                Ok(()) => try_expression(&path),
                Err(error) => Verdict::Finding(format!("the campaign cannot write {path}: {error}")),
            },
        }
    }

    fn describe(&self, case: u64) -> String {
        format!("{:?}", self.entry(case).0)
    }

    fn input(&self, case: u64) -> Option<Vec<u8>> {
        Some(self.damaged(case))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_texts_are_refused_or_worked_with() {
        let mut campaign = Readers::new(5);
        let mut accepted = 0;
        for case in 0..campaign.corpus.len() as u64 * 20 {
            match campaign.run(case) {
                Verdict::Refused(_) => {}
                Verdict::Accepted => accepted += 1,
                Verdict::Finding(what) => panic!("case {case}, {}: {what}", campaign.describe(case)),
            }
        }
        assert!(accepted > 30, "{accepted} accepted");
    }
}
