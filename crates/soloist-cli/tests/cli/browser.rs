//! The report and the live view in a real browser: content, no error, no outside request, a picture that is not blank.
//!
//! The browser is Chromium, spoken to by its debugging protocol over its standard streams. `SOLOIST_BROWSER` names it,
//! and then it must work; otherwise it is looked for, and without a browser the tests say so and pass.

use crate::common::{Folder, run};
use crate::serve::Server;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    next: u64,
    /// Errors of the page, and the addresses that it asked for.
    errors: Vec<String>,
    requests: Vec<String>,
    _profile: Folder,
}

/// The browser to test with.
fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SOLOIST_BROWSER").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts the browser; `None` without a browser.
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    fn start() -> Option<Self> {
        let Some(program) = find() else {
            eprintln!("skipped: no Chromium found (SOLOIST_BROWSER names one)");
            return None;
        };
        let profile = Folder::new();
        // The protocol is spoken over the descriptors 3 and 4. There is no sandbox for root, and the pages are ours.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(&program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .args(["--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.join("profile")))
            .arg("--remote-debugging-pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, messages) = channel();
        let output = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let Ok(message) = message else { break };
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take().unwrap();
        let (session, errors, requests) = (String::new(), Vec::new(), Vec::new());
        let mut browser = Self { child, input, messages, session, next: 0, errors, requests, _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.size(1200, 900);
        Some(browser)
    }

    /// Calls a method and returns its result.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        write!(self.input, "{message}\0").unwrap();
        self.input.flush().unwrap();
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if message["id"] == self.next {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    /// Takes note of what the page does.
    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.errors.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" => self.errors.push(params["args"].to_string()),
            "Log.entryAdded" if params["entry"]["level"] == "error" => self.errors.push(params["entry"].to_string()),
            "Network.requestWillBeSent" => self.requests.push(params["request"]["url"].as_str().unwrap().to_owned()),
            _ => {}
        }
    }

    fn size(&mut self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        self.until("document.readyState === 'complete'");
    }

    /// The value of an expression.
    fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != true {
            assert!(start.elapsed() < PATIENCE, "never true: {expression}; errors: {:?}", self.errors);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The length of a picture of the page in bytes as text: a blank one is short.
    fn picture(&mut self) -> usize {
        self.call("Page.captureScreenshot", json!({ "format": "png" }))["data"].as_str().unwrap().len()
    }

    /// Asserts that nothing went wrong and nothing was asked for but addresses that begin with one of `allowed`.
    #[track_caller]
    fn clean(&mut self, allowed: &[&str]) {
        // What is under way arrives before this answer.
        self.value("new Promise(resolve => setTimeout(() => resolve(true), 100))");
        assert!(self.errors.is_empty(), "{:?}", self.errors);
        assert!(!self.requests.is_empty());
        for request in &self.requests {
            assert!(allowed.iter().any(|start| request.starts_with(start)), "{request:.200}");
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_report_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let blank = browser.picture();
    let folder = Folder::new();
    let spec = "problem = \"samegame\"\ninstances = [\"random:6x6x3:1..3\"]\nseeds = \"1..3\"\nbudget = { playouts = 200 }\n\
                [[method]]\nmethod = \"sampling\"\n[[method]]\nmethod = \"nrpa\"\nset = { level = 1 }\n[[method]]\nmethod = \"uct\"\n";
    let spec = folder.write("spec.toml", spec);
    run(&["bench", &spec, "--quiet"]).exits(0);
    let page = folder.join("report.html");
    run(&["report", &folder.join("spec.jsonl"), "-o", &page, "--quiet"]).exits(0);
    browser.open(&format!("file://{page}"));
    // A median for each method on each instance, the profiles, and rows with intervals.
    browser.until("document.querySelectorAll('[data-chart=convergence] .median').length === 9");
    assert_eq!(browser.value("document.querySelectorAll('[data-chart=convergence] .run').length"), 27);
    assert_eq!(browser.value("document.querySelectorAll('[data-chart=profile] .median').length"), 3);
    assert_eq!(
        browser.value("document.querySelectorAll('[data-chart=finals] .bar, [data-chart=pairs] .bar').length"),
        6
    );
    assert_eq!(
        browser.value("[...document.querySelectorAll('.enlarge img')].filter(image => image.naturalWidth > 0).length"),
        3
    );
    assert!(browser.picture() > 5 * blank, "the page is blank");
    // The controls.
    let ticks = "document.querySelector('[data-chart=convergence] svg').textContent";
    assert!(!browser.value(ticks).as_str().unwrap().contains(" ms"));
    browser.value("document.querySelector('#s0-convergence input[value=seconds]').click()");
    assert!(browser.value(ticks).as_str().unwrap().contains('s'));
    browser.value("document.querySelector('#s0-convergence input[type=checkbox]').click()");
    assert_eq!(browser.value("document.querySelectorAll('[data-chart=convergence] .run').length"), 0);
    let theme = browser.value("getComputedStyle(document.body).backgroundColor");
    browser.value("document.getElementById('theme').click()");
    assert_ne!(browser.value("getComputedStyle(document.body).backgroundColor"), theme);
    // The keyboard: arrow keys read values off a chart.
    browser.value("document.querySelector('[data-chart=profile]').focus()");
    for kind in ["keyDown", "keyUp"] {
        browser.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": "End", "code": "End" }));
    }
    let tip = browser.value("document.querySelector('[data-chart=profile] .tip').textContent");
    assert!(tip.as_str().unwrap().contains("200 playouts") && tip.as_str().unwrap().contains('%'), "{tip}");
    browser.value("document.querySelector('.enlarge').click()");
    assert_eq!(
        browser.value("document.querySelector('dialog').open && document.querySelector('dialog img').naturalWidth > 0"),
        true
    );
    // A phone: the page itself does not scroll sideways.
    browser.size(390, 800);
    browser.until("document.querySelector('[data-chart=profile] svg').clientWidth < 390");
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 390);
    browser.clean(&["file://", "data:"]);
}

#[test]
fn a_live_run_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let blank = browser.picture();
    let server = Server::start(&[
        "solve",
        "samegame",
        "random:8x8x4:1",
        "--method",
        "nrpa",
        "--time",
        "300s",
        "--json",
        "--serve",
        "0",
    ]);
    let origin = format!("http://127.0.0.1:{}/", server.port);
    browser.open(&origin);
    browser.until("document.querySelector('.card .facts dd')?.textContent > 0");
    browser.until("document.querySelector('.card .tall .median') !== null");
    browser.until("document.querySelector('.card .enlarge img').naturalWidth > 0");
    browser.until("document.querySelectorAll('.card .short .column').length > 3");
    browser.until("document.querySelector('.card .scrub input').max > 1");
    browser.until("document.querySelector('[data-name^=\"policy entropy\"] .median') !== null");
    assert!(browser.picture() > 5 * blank, "the page is blank");
    // Back to the first improvement, and forward again.
    browser.value("{ const slider = document.querySelector('.scrub input'); slider.value = 0; slider.dispatchEvent(new Event('input')); }");
    browser.until("document.querySelector('.scrub output').textContent.includes('(improvement 1 of ')");
    browser.value("document.querySelector('.scrub button').click()");
    browser.until("document.querySelector('.scrub button').disabled");
    // A page that is opened again has the whole history.
    browser.open(&origin);
    browser.until("document.querySelector('.scrub output')?.textContent.includes(' of ')");
    browser.value("document.getElementById('stop').click()");
    browser.until("document.getElementById('state').textContent === 'ended'");
    let done = server.done();
    assert_eq!((done.code, &done.json()["stop"]), (130, &"interrupted".into()));
    // The drawings are there still.
    browser.value("{ const slider = document.querySelector('.scrub input'); slider.value = 0; slider.dispatchEvent(new Event('input')); }");
    browser.until("document.querySelector('.card .enlarge img').alt.startsWith('Solution')");
    browser.clean(&[&origin, "data:"]);
}
