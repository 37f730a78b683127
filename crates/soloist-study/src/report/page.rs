//! The page: its frame, its sections, and the data of its charts.

use super::draw::Drawer;
use super::html::{data, escape};
use super::read::Runs;
use super::study::Study;
use super::{repeat, sections};
use crate::text::counted;
use serde_json::Value;
use soloist_domain::Registry;
use soloist_domain::result::VERSION;

const STYLE: &str = include_str!("assets/page.css");
const CHARTS: &str = include_str!("assets/charts.js");
const PAGE: &str = include_str!("assets/page.js");

/// Most problems and rules on a page, each with its sections.
const STUDIES: usize = 50;

/// The content security policy of the page: it loads nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// That of the live page, which also talks to the program that serves it.
const LIVE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' data:; \
                           connect-src 'self'; base-uri 'none'; form-action 'none'";

/// A page made from runs.
#[derive(Debug)]
pub struct Page {
    title: String,
    body: Body,
}

/// What changes when runs are added.
#[derive(Debug)]
pub(crate) struct Body {
    /// The sections.
    pub(crate) html: String,
    /// The data of the charts, a study each.
    pub(crate) charts: Value,
    notes: Vec<String>,
}

impl Page {
    /// Computes everything.
    pub(crate) fn new(runs: &Runs, title: Option<&str>, drawings: usize, registry: Registry) -> Self {
        let body = Body::new(runs, true, drawings, &Drawer::new(registry));
        Self { title: title.map_or_else(|| heading(runs), str::to_owned), body }
    }

    /// What a reader must know to interpret the figures.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.body.notes
    }

    /// The whole page.
    #[must_use]
    pub fn html(&self) -> String {
        let script = format!(
            "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{CHARTS}{PAGE}</script>",
            data(&self.body.charts)
        );
        frame(&self.title, POLICY, "", &self.body.html, &script)
    }
}

impl Body {
    /// Computes the sections, with drawings of at most `drawings` instances of each problem; with `files`, the files
    /// are named.
    pub(crate) fn new(runs: &Runs, files: bool, drawings: usize, drawer: &Drawer) -> Self {
        let studies = Study::all(runs);
        let several = studies.len() > 1;
        let (mut html, mut charts, mut notes) = (String::new(), Vec::new(), Vec::new());
        if studies.len() > STUDIES {
            let all = studies.len();
            notes.push(format!("shown are the first {STUDIES} of {all} problems and rules: make a report of each"));
        }
        for (at, study) in studies.iter().take(STUDIES).enumerate() {
            let part = sections::study(study, runs, at, several, drawings, drawer);
            html.push_str(&part.html);
            charts.push(part.charts);
            notes.extend(part.notes);
        }
        notes.extend(repeat::file_notes(runs));
        if files {
            html.push_str(&repeat::sources(runs, &notes));
        }
        Self { html, charts: Value::Array(charts), notes }
    }
}

/// The live page, which asks the program for its content; `panel` stands above the sections.
pub(crate) fn live(title: &str, panel: &str, script: &str) -> String {
    let script = format!("<script>\n{CHARTS}{PAGE}{script}</script>");
    frame(title, LIVE_POLICY, panel, "", &script)
}

/// Most problems that a title names.
const NAMED: usize = 5;

/// What the runs are about.
pub(crate) fn heading(runs: &Runs) -> String {
    let mut problems: Vec<&str> = Vec::new();
    let mut instances: Vec<&str> = Vec::new();
    for trial in &runs.trials {
        if problems.len() <= NAMED && !problems.contains(&trial.task.problem.as_str()) {
            problems.push(&trial.task.problem);
        }
        if instances.len() < 2 && !instances.contains(&trial.task.instance.as_str()) {
            instances.push(&trial.task.instance);
        }
    }
    match (&problems[..], &instances[..]) {
        ([], _) => runs.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", "),
        ([problem], [instance]) => format!("{problem} {instance}"),
        (many, _) if many.len() > NAMED => counted(runs.trials.len(), "run"),
        _ => format!("{}: {}", problems.join(", "), counted(runs.trials.len(), "run")),
    }
}

/// The page around its content.
fn frame(title: &str, policy: &str, panel: &str, body: &str, script: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"soloist {VERSION}\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
         <header><p class=\"brand\">Soloist</p><button type=\"button\" id=\"theme\" hidden>Dark</button>\
         <h1>{title}</h1></header>\n<main id=\"main\">\n{panel}<div id=\"body\">\n{body}</div>\n</main>\n\
         <footer>Made by soloist {VERSION}. The page holds everything that it shows.</footer>\n{script}\n</body>\n</html>\n"
    )
}
