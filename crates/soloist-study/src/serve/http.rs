//! A minimal HTTP/1.1 server for the live view, with limits on everything that a visitor sends.
//!
//! A page of another site may reach this server through the visitor's browser. So every request must name the server by
//! an address or as `localhost` in its `Host` field, which a rebound domain name cannot do, and a request that changes
//! something must come from the page itself by its `Origin`.

use super::Feed;
use crate::report::page;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Most bytes of a request.
const MAX_REQUEST: usize = 16 << 10;
/// Most connections at a time.
const MAX_CONNECTIONS: usize = 64;
/// Time in which a request must be there.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval of keep-alive comments on a silent connection.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

const PANEL: &str = include_str!("assets/live.html");
const SCRIPT: &str = include_str!("assets/live.js");

/// What a visitor asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    method: String,
    path: String,
    host: Option<String>,
    origin: Option<String>,
    /// The last message that a returning visitor has seen.
    last: Option<u64>,
}

/// An answer that is not a stream.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn text(status: &'static str, body: impl Into<String>) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: body.into() }
    }
}

/// Ends the runs when a visitor asks for it.
pub type Stop = Arc<dyn Fn() + Send + Sync>;

/// Serves visitors on threads of their own.
///
/// # Errors
/// No thread can be started.
pub(super) fn serve(listener: TcpListener, port: u16, feed: Arc<Feed>, stop: Stop) -> std::io::Result<()> {
    let fresh = Arc::clone(&feed);
    std::thread::Builder::new().spawn(move || fresh.keep_fresh())?;
    let listen = move || {
        let open = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                // The process may have no descriptor left until another connection closes.
                std::thread::sleep(Duration::from_millis(100));
                continue;
            };
            let (feed, stop, guard) = (Arc::clone(&feed), Arc::clone(&stop), Guard::new(&open));
            let spawned = std::thread::Builder::new().spawn(move || {
                // A closed connection is no failure.
                let _ = visit(stream, port, &feed, &stop, guard.0.load(Ordering::SeqCst) > MAX_CONNECTIONS);
                drop(guard);
            });
            // Without a thread the connection is closed.
            drop(spawned);
        }
    };
    std::thread::Builder::new().spawn(listen).map(drop)
}

/// Counts a connection while it is open.
struct Guard(Arc<AtomicUsize>);

impl Guard {
    fn new(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(open))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn visit(mut stream: TcpStream, port: u16, feed: &Feed, stop: &Stop, crowded: bool) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    if crowded {
        return send(&mut stream, &Answer::text("503 Service Unavailable", "too many visitors\n"), false);
    }
    let request = match read(&mut stream) {
        Ok(request) => request,
        Err(answer) => return send(&mut stream, &answer, false),
    };
    feed.requested();
    if let Err(answer) = admit(&request, port) {
        return send(&mut stream, &answer, false);
    }
    if request.method == "GET" && request.path == "/events" {
        feed.visit(1);
        let answered = stream_events(&mut stream, feed, request.last.unwrap_or(0));
        feed.visit(-1);
        return answered;
    }
    let answer = answer(&request, feed, stop);
    send(&mut stream, &answer, request.method == "HEAD")
}

/// Reads a request up to the empty line.
fn read(stream: &mut impl Read) -> Result<Request, Answer> {
    let bad = |why: &str| Answer::text("400 Bad Request", format!("{why}\n"));
    let start = Instant::now();
    let mut bytes = Vec::new();
    let mut chunk = [0; 2048];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MAX_REQUEST {
            return Err(Answer::text("431 Request Header Fields Too Large", "the request is too long\n"));
        }
        if start.elapsed() > PATIENCE {
            return Err(Answer::text("408 Request Timeout", "the request took too long\n"));
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return Err(bad("the request was cut short")),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
        }
    };
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| bad("the request is no text"))?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad("not a request"));
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err(bad("not a request of HTTP/1"));
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let mut request = Request { method: method.to_owned(), path: path.to_owned(), ..Request::default() };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { return Err(bad("a field without a colon")) };
        let value = value.trim();
        let field = match name.to_ascii_lowercase().as_str() {
            "host" => &mut request.host,
            "origin" => &mut request.origin,
            "last-event-id" => {
                request.last = value.parse().ok();
                continue;
            }
            _ => continue,
        };
        // Programs differ in which of two equal fields they read.
        if field.replace(value.to_owned()).is_some() {
            return Err(bad("a field occurs twice"));
        }
    }
    Ok(request)
}

/// Refuses what a foreign page may have sent.
fn admit(request: &Request, port: u16) -> Result<(), Answer> {
    let refuse = |why: &str| Err(Answer::text("403 Forbidden", format!("{why}\n")));
    let Some(host) = &request.host else { return refuse("no Host field") };
    if !is_own(host, port) {
        return refuse("the Host field names neither an address nor localhost with this port");
    }
    let reads = matches!(request.method.as_str(), "GET" | "HEAD");
    match &request.origin {
        Some(origin) if *origin != format!("http://{host}") => refuse("the request comes from another site"),
        None if !reads => refuse("no Origin field"),
        _ => Ok(()),
    }
}

/// Whether a Host field is an address or `localhost`, with our port.
fn is_own(host: &str, port: u16) -> bool {
    let (name, given) = match host.rsplit_once(':') {
        Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse().ok()),
        _ => (host, Some(80)),
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    given == Some(port) && (name == "localhost" || bare.parse::<IpAddr>().is_ok())
}

/// The answer to a request that is no stream.
fn answer(request: &Request, feed: &Feed, stop: &Stop) -> Answer {
    let reads = matches!(request.method.as_str(), "GET" | "HEAD");
    match request.path.as_str() {
        "/" if reads => {
            let body = page::live(&feed.title, PANEL, SCRIPT);
            Answer { status: "200 OK", kind: "text/html; charset=utf-8", body }
        }
        "/stop" if request.method == "POST" => {
            if !feed.can_stop() {
                return Answer::text("409 Conflict", "files cannot be stopped\n");
            }
            stop();
            Answer::text("200 OK", "stopping\n")
        }
        "/" | "/stop" | "/events" => Answer::text("405 Method Not Allowed", "another method is needed\n"),
        path => match drawing(path).filter(|_| reads).and_then(|(run, number)| feed.drawing(run, number)) {
            Some(Ok(body)) => Answer { status: "200 OK", kind: "image/svg+xml; charset=utf-8", body },
            Some(Err(why)) => Answer::text("404 Not Found", format!("{why}\n")),
            None => Answer::text("404 Not Found", "there is no such thing\n"),
        },
    }
}

/// Run and number of `/drawing/RUN/NUMBER.svg`.
fn drawing(path: &str) -> Option<(usize, usize)> {
    let (run, number) = path.strip_prefix("/drawing/")?.strip_suffix(".svg")?.split_once('/')?;
    Some((run.parse().ok()?, number.parse().ok()?))
}

/// What every answer says beside its content: nothing is kept, framed, guessed or used elsewhere.
const FIELDS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
                      Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\nConnection: close\r\n";

fn send(stream: &mut impl Write, answer: &Answer, head: bool) -> std::io::Result<()> {
    let Answer { status, kind, body } = answer;
    // A drawing opened by itself may do nothing.
    let policy = if kind.starts_with("image/") {
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; sandbox\r\n"
    } else {
        ""
    };
    let head_text =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{policy}{FIELDS}\r\n", body.len());
    stream.write_all(head_text.as_bytes())?;
    if !head {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

/// Sends a visitor the messages as they come, until the feed is closed or the visitor has gone.
fn stream_events(stream: &mut impl Write, feed: &Feed, mut last: u64) -> std::io::Result<()> {
    stream.write_all(
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{FIELDS}\r\n{}", feed.hello()).as_bytes(),
    )?;
    stream.flush()?;
    loop {
        let news = feed.news(last, KEEP_ALIVE);
        let text = if news.text.is_empty() && !news.closed { ":\n\n" } else { &news.text };
        stream.write_all(text.as_bytes())?;
        stream.flush()?;
        last = news.last;
        if news.closed {
            return Ok(());
        }
        // Swarms of improvements go together.
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<Request, Answer> {
        read(&mut text.as_bytes())
    }

    #[test]
    fn requests_are_read_within_limits() {
        let good = request(
            "GET /drawing/3/14.svg?x=1 HTTP/1.1\r\nHost: localhost:80\r\nlast-event-id: 7\r\nOther: a:b\r\n\r\n",
        )
        .unwrap();
        assert_eq!((good.method.as_str(), good.path.as_str(), good.last), ("GET", "/drawing/3/14.svg", Some(7)));
        assert_eq!(
            (drawing(&good.path), drawing("/drawing/3.svg"), drawing("/drawing/-1/2.svg")),
            (Some((3, 14)), None, None)
        );
        for (text, status) in [
            ("GET / HTTP/1.1\r\nHost", "400"),
            ("nonsense\r\n\r\n", "400"),
            ("GET http://a/ HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/2\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            (&format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000)), "431"),
        ] {
            assert!(request(text).unwrap_err().status.starts_with(status), "{text:.60}");
        }
    }

    #[test]
    fn foreign_pages_are_refused() {
        let asked = |method: &str, host: &str, origin: Option<&str>| {
            let request = Request {
                method: method.into(),
                path: "/".into(),
                host: Some(host.into()),
                origin: origin.map(Into::into),
                last: None,
            };
            admit(&request, 8000).is_ok()
        };
        for host in ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "192.168.0.7:8000"] {
            assert!(asked("GET", host, None), "{host}");
            assert!(asked("POST", host, Some(&format!("http://{host}"))), "{host}");
        }
        for host in [
            "evil.example:8000",
            "127.0.0.1:9000",
            "127.0.0.1",
            "127.0.0.1.evil.example:8000",
            "localhost.evil:8000",
            "",
            "[::1]",
        ] {
            assert!(!asked("GET", host, None), "{host}");
        }
        for origin in [
            None,
            Some("null"),
            Some("http://evil.example"),
            Some("https://localhost:8000"),
            Some("http://127.0.0.1:8000"),
        ] {
            assert!(!asked("POST", "localhost:8000", origin), "{origin:?}");
        }
        assert!(!asked("GET", "localhost:8000", Some("http://evil.example")));
        assert!(admit(&Request { method: "GET".into(), ..Request::default() }, 8000).is_err());
    }

    #[test]
    fn answers_say_what_they_are() {
        let feed = Feed::solve("A & B".to_owned(), soloist_problems::registry());
        let stopped = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&stopped);
        let stop: Stop = Arc::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        let ask = |method: &str, path: &str| {
            answer(&Request { method: method.into(), path: path.into(), ..Request::default() }, &feed, &stop)
        };
        let page = ask("GET", "/");
        assert!(
            page.kind.starts_with("text/html")
                && page.body.contains("A &amp; B")
                && page.body.contains("connect-src 'self'")
        );
        assert!(ask("GET", "/stop").status.starts_with("405") && ask("DELETE", "/").status.starts_with("405"));
        assert!(
            ask("GET", "/etc/passwd").status.starts_with("404")
                && ask("GET", "/drawing/0/0.svg").status.starts_with("404")
        );
        assert_eq!(stopped.load(Ordering::SeqCst), 0);
        assert!(ask("POST", "/stop").status.starts_with("200") && stopped.load(Ordering::SeqCst) == 1);
        let mut bytes = Vec::new();
        send(&mut bytes, &Answer::text("200 OK", "hello"), true).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            text.contains("Content-Length: 5\r\n")
                && text.contains("X-Frame-Options: DENY\r\n")
                && text.ends_with("\r\n\r\n"),
            "{text}"
        );
    }
}
