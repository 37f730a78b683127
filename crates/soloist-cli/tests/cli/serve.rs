//! The live view from outside: what visitors get, which requests are refused, and how runs are stopped.

use crate::common::{Done, Folder, command, run};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A command that serves, killed when the test is over.
pub(crate) struct Server {
    child: Option<Child>,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().expect("the address is told").unwrap();
            if let Some(rest) = line.strip_prefix("live view: http://127.0.0.1:") {
                break rest.trim_end_matches('/').parse().unwrap();
            }
        };
        // The command must not block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child: Some(child), port }
    }

    /// Waits for the end.
    pub(crate) fn done(mut self) -> Done {
        Done::new(self.child.take().unwrap().wait_with_output().unwrap())
    }

    fn request(&self, method: &str, path: &str, fields: &str) -> String {
        let mut stream = self.connect(method, path, fields);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn connect(&self, method: &str, path: &str, fields: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\n{fields}\r\n").unwrap();
        stream
    }

    fn get(&self, path: &str) -> String {
        self.request("GET", path, &format!("Host: 127.0.0.1:{}\r\n", self.port))
    }

    /// Hears the news until a line contains `part`.
    pub(crate) fn news(&self, part: &str) -> String {
        let stream = self.connect("GET", "/events", &format!("Host: localhost:{}\r\n", self.port));
        let mut heard = String::new();
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap();
            heard.push_str(&line);
            heard.push('\n');
            if line.contains(part) {
                return heard;
            }
        }
        panic!("the news end without {part:?}: {heard}")
    }

    fn stop(&self) -> String {
        let fields = format!("Host: 127.0.0.1:{0}\r\nOrigin: http://127.0.0.1:{0}\r\nContent-Length: 0\r\n", self.port);
        self.request("POST", "/stop", &fields)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

const SOLVE: [&str; 9] = ["solve", "samegame", "random:8x8x4:1", "--time", "120s", "--json", "--serve", "0", "--set"];

fn solving() -> Server {
    Server::start(&[&SOLVE[..], &["penalty=schadd"]].concat())
}

#[test]
fn a_run_is_shown_and_stopped() {
    let server = solving();
    let page = server.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("samegame random:8x8x4:1"), "{page:.200}");
    server.news("event: progress");
    // Whoever comes later hears everything from the first improvement on.
    let late = server.news("event: scores");
    assert!(late.contains("event: start") && late.contains("\"number\":0,"), "{late}");
    let drawing = server.get("/drawing/0/0.svg");
    assert!(
        drawing.contains("Content-Type: image/svg+xml") && drawing.trim_end().ends_with("</svg>"),
        "{drawing:.300}"
    );
    assert!(server.stop().starts_with("HTTP/1.1 200"));
    let done = server.done();
    let result = done.json();
    assert_eq!((done.code, &result["stop"]), (130, &"interrupted".into()), "{done:?}");
}

#[test]
fn foreign_requests_are_refused() {
    let server = solving();
    let port = server.port;
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    for (method, path, fields) in [
        ("GET", "/", format!("Host: rebound.example:{port}\r\n")),
        ("GET", "/events", format!("Host: rebound.example:{port}\r\n")),
        ("GET", "/", String::new()),
        ("POST", "/stop", own.clone()),
        ("POST", "/stop", format!("{own}Origin: http://evil.example\r\n")),
        ("POST", "/stop", format!("Host: evil.example:{port}\r\nOrigin: http://evil.example:{port}\r\n")),
    ] {
        assert!(server.request(method, path, &fields).starts_with("HTTP/1.1 403"), "{method} {path} {fields}");
    }
    assert!(server.request("GET", "/stop", &own).starts_with("HTTP/1.1 405"));
    assert!(server.request("GET", "/../Cargo.toml", &own).starts_with("HTTP/1.1 404"));
    assert!(server.request("nonsense", "", &own).starts_with("HTTP/1.1 400"));
    // It runs on.
    assert!(server.get("/").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_comparison_is_shown_run_by_run() {
    let folder = Folder::new();
    let spec = "problem = \"samegame\"\ninstances = [\"random:6x6x3:1..200\"]\nbudget = { time = \"400ms\" }\n[[method]]\nmethod = \"nrpa\"\n[[method]]\nmethod = \"sampling\"\n";
    let spec = folder.write("spec.toml", spec);
    let server = Server::start(&["bench", &spec, "--jobs", "2", "--serve", "0"]);
    // The sections of the page come when a run has ended.
    server.news("\"label\":\"sampling\"");
    let news = server.news("data-study");
    assert!(
        news.contains("\"label\":\"nrpa\"") && news.contains("\"label\":\"sampling\"") && news.contains("event: end")
    );
    assert!(server.stop().starts_with("HTTP/1.1 200"));
    assert_eq!(server.done().code, 130);
}

#[test]
fn files_are_shown_while_they_grow() {
    let folder = Folder::new();
    let events = folder.join("e.jsonl");
    run(&["solve", "samegame", "random:8x8x4:1", "--playouts", "300", "--quiet", "--events", &events]).exits(0);
    let whole = std::fs::read_to_string(&events).unwrap();
    let half: String = whole.lines().take(2).map(|line| format!("{line}\n")).collect();
    std::fs::write(&events, half).unwrap();
    let server = Server::start(&["serve", &events]);
    let news = server.news("event: body");
    assert!(news.contains("\"number\":0,") && !news.contains("event: end"), "{news}");
    std::fs::write(&events, &whole).unwrap();
    assert!(server.news("event: end").contains("\"number\":1,"));
    assert!(server.stop().starts_with("HTTP/1.1 409"));
    assert!(server.get("/drawing/0/0.svg").contains("<svg"));
}

#[test]
fn addresses_are_checked() {
    let server = solving();
    let taken = server.port.to_string();
    run(&["solve", "samegame", "random:6x6x3:1", "--quiet", "--serve", &taken])
        .refused(1, "cannot serve on 127.0.0.1:");
    run(&["solve", "samegame", "random:6x6x3:1", "--serve", "web"]).refused(2, "expected a port from 0 to 65535");
    run(&["serve", "/no/such/file"]).refused(1, "/no/such/file: cannot be read");
}
