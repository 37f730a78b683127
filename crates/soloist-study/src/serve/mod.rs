//! The live view: a small web server that shows runs while they are made.
//!
//! `feed` keeps the events, `http` reads requests and writes answers, `observer` turns the events of a run into
//! messages. The page is that of a [report](crate::report), with a panel for the runs at work. [`follow`] shows files
//! that grow.

mod feed;
mod http;
mod observer;

pub use feed::Feed;
pub use http::Stop;
pub use observer::FeedObserver;

use crate::context::Context;
use crate::failure::Failure;
use crate::report::page;
use crate::report::read::Runs;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks at files.
const POLL: Duration = Duration::from_millis(400);

/// Serves a feed in the background, until the process ends, and notes the address; `stop` is called when a visitor asks
/// for an end of the runs.
///
/// # Errors
/// The address cannot be served on.
pub fn start(address: SocketAddr, feed: Arc<Feed>, stop: Stop, context: &Context<'_>) -> Result<(), Failure> {
    let fail = |error: &std::io::Error| Failure::runtime(format!("cannot serve on {address}: {error}"));
    let listener = TcpListener::bind(address).map_err(|error| fail(&error))?;
    let local = listener.local_addr().map_err(|error| fail(&error))?;
    http::serve(listener, local.port(), feed, stop).map_err(|error| fail(&error))?;
    context.show.warn(&format!("live view: http://{local}/"));
    if !local.ip().is_loopback() {
        context.show.warn("others on the network can see the page and stop the run");
    }
    Ok(())
}

/// Shows files of runs, which may grow, until the stop flag is raised.
///
/// # Errors
/// A file holds no runs or cannot be read, or the address cannot be served on.
pub fn follow(
    files: &[PathBuf],
    title: Option<&str>,
    address: SocketAddr,
    context: &Context<'_>,
) -> Result<(), Failure> {
    let mut runs = Runs::default();
    let mut sources: Vec<_> = files.iter().map(|file| runs.add(file)).collect();
    // What is wrong with the files is found before anything is served.
    let first = Runs::glance(files)?;
    let title = title.map_or_else(|| page::heading(&first), str::to_owned);
    drop(first);
    let feed = Arc::new(Feed::files(title, runs, context.registry));
    feed.follow(&mut sources)?;
    start(address, Arc::clone(&feed), Arc::new(|| {}), context)?;
    while !context.is_stopped() {
        std::thread::sleep(POLL);
        feed.follow(&mut sources)?;
    }
    feed.close();
    Ok(())
}
