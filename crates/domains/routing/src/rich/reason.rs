//! Why a visit is not made, by the rules of the verifier.

use super::judge::{Judge, Routed};
use crate::verdict::shown;

/// A place for a request: what the routes cost more, and where it is in words.
type Found = (f64, String);

/// Returns why no route serves the customer or the transport of a visit: the first rule in the way, or, for one that
/// need not be served, its cheapest place and its prize.
pub(super) fn reason(judge: &Judge<'_>, routes: &[Routed], visit: u32) -> String {
    let instance = judge.instance;
    let own = &instance.visits[visit as usize - 1];
    let partner = own.partner.unwrap_or(0);
    let (first, second) = if own.delivers { (partner, Some(visit)) } else { (visit, own.partner) };
    let mut best: Option<Found> = None;
    let mut full = 0;
    let mut refusal = None;
    for (at, (kind, visits)) in routes.iter().enumerate() {
        // The route may be late itself, where a plan is looked at.
        let Ok(before) = judge.drive(at + 1, *kind, visits) else { continue };
        let rate = instance.kinds[kind - 1].rate;
        match cheapest(judge, at + 1, *kind, visits, first, second) {
            Some((after, place)) => {
                let cost = rate * (after - before);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, format!("in route {} {}", at + 1, behind(visits, place))));
                }
            }
            None => full += 1,
        }
    }
    for (at, kind) in instance.kinds.iter().enumerate() {
        let used = routes.iter().filter(|(kind, _)| kind - 1 == at).count();
        if kind.count.is_some_and(|count| used >= count as usize) {
            continue;
        }
        let alone: Vec<u32> = std::iter::once(first).chain(second).collect();
        match judge.drive(0, at + 1, &alone) {
            Ok(distance) => {
                let cost = kind.fixed + kind.rate * distance;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let kinds = if instance.kinds.len() > 1 { format!(" of kind {}", at + 1) } else { String::new() };
                    best = Some((cost, format!("in a vehicle{kinds} of its own")));
                }
            }
            Err(wrong) => refusal = Some(wrong.replace("route 0", "a vehicle of its own")),
        }
    }
    match (best, own.prize) {
        (Some((cost, place)), Some(prize)) if cost >= prize => {
            format!("its cheapest place, {place}, costs {}, its prize is {}", shown(cost), shown(prize))
        }
        (Some((cost, place)), Some(prize)) => {
            format!("it has a place that pays: {place} it costs {}, its prize is {}", shown(cost), shown(prize))
        }
        (Some((cost, place)), None) => format!("it has a place: {place} it costs {}", shown(cost)),
        (None, _) => {
            let routes = format!("none of the {full} routes can take it");
            match refusal {
                Some(wrong) => format!("{routes}; {wrong}"),
                None => format!("{routes}, and no further vehicle is left"),
            }
        }
    }
}

/// Where a request was put: behind these places of the route.
fn behind(visits: &[u32], (first, second): (usize, Option<usize>)) -> String {
    let place = |at: usize| match at.checked_sub(1).map(|at| visits[at]) {
        Some(visit) => format!("behind visit {visit}"),
        None => "at its beginning".into(),
    };
    match second {
        Some(second) => format!("with the pickup {} and the delivery {}", place(first), place(second)),
        None => place(first),
    }
}

/// The least distance of a route with a request in it, and its places.
fn cheapest(
    judge: &Judge<'_>,
    number: usize,
    kind: usize,
    visits: &[u32],
    first: u32,
    second: Option<u32>,
) -> Option<(f64, (usize, Option<usize>))> {
    let mut best: Option<(f64, (usize, Option<usize>))> = None;
    let mut consider = |with: &[u32], places| {
        if let Ok(distance) = judge.drive(number, kind, with)
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, places));
        }
    };
    for at in 0..=visits.len() {
        let mut with = visits.to_vec();
        with.insert(at, first);
        let Some(second) = second else {
            consider(&with, (at, None));
            continue;
        };
        for then in at..=visits.len() {
            let mut both = with.clone();
            both.insert(then + 1, second);
            consider(&both, (at, Some(then)));
        }
    }
    best
}
