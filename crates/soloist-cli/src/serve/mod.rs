//! The live view: a small web server that shows runs while they go on.
//!
//! `feed` keeps what visitors are told, `http` reads requests and writes answers, `watch` turns the events of a run
//! into news. The page is that of `soloist report`, with a panel for the runs at work. `soloist serve` shows files that
//! grow.

mod feed;
mod http;
mod watch;

pub(crate) use feed::Feed;
pub(crate) use watch::Watched;

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::output;
use crate::report::page;
use crate::report::read::Runs;
use crate::signal::{self, STOP};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often files are looked at.
const POLL: Duration = Duration::from_millis(400);

/// Serves a feed in the background, until the process ends, and tells the address.
pub(crate) fn start(address: SocketAddr, feed: Arc<Feed>) -> Result<(), Failure> {
    let fail = |error: &std::io::Error| Failure::runtime(format!("cannot serve on {address}: {error}"));
    let listener = TcpListener::bind(address).map_err(|error| fail(&error))?;
    let local = listener.local_addr().map_err(|error| fail(&error))?;
    http::serve(listener, local.port(), feed).map_err(|error| fail(&error))?;
    output::note(&format!("live view: http://{local}/"));
    if !local.ip().is_loopback() {
        output::note("others on the network can see the page and stop the run");
    }
    Ok(())
}

/// Runs the command: shows files of runs until Ctrl-C.
pub(crate) fn run(args: &ServeArgs) -> Result<u8, Failure> {
    let mut runs = Runs::default();
    let mut sources: Vec<_> = args.files.iter().map(|file| runs.add(file)).collect();
    // What is wrong with the files is found before anything is served.
    let first = Runs::glance(&args.files)?;
    let title = args.title.clone().unwrap_or_else(|| page::heading(&first));
    drop(first);
    let feed = Arc::new(Feed::files(title, runs));
    feed.follow(&mut sources)?;
    signal::install(args.quiet)?;
    start(args.port, Arc::clone(&feed))?;
    while !STOP.load(Ordering::SeqCst) {
        std::thread::sleep(POLL);
        feed.follow(&mut sources)?;
    }
    feed.close();
    Ok(130)
}
