use super::*;
use crate::Cube;
use crate::one_by_one::legal_part;
use std::collections::BTreeSet;

fn snakes(kind: Kind, dimension: u32, spread: u32) -> Snakes {
    Snakes::new(kind, &Cube::new(dimension, spread).unwrap(), Default::default(), Default::default())
}

fn search(problem: &Snakes, settings: Settings) -> Sections {
    let mut search = Sections::new(problem, settings);
    search.restart(problem, &finished(problem, &[]));
    search
}

fn nodes(walk: &[u16]) -> Vec<u32> {
    walk.iter().map(|&vertex| vertex.into()).collect()
}

/// All sections between `before` and `behind` by the definition, one flip after the other. In a cycle `before`
/// begins with `behind`.
fn all_sections(problem: &Snakes, before: &[u16], behind: &[u16]) -> BTreeSet<Vec<u16>> {
    let mut found = BTreeSet::new();
    let mut sections = vec![Vec::new()];
    let (begin, end) = match problem.terms.kind {
        Kind::Snake => (0, behind),
        Kind::Coil => (problem.terms.spread as usize - 1, &[][..]),
    };
    while let Some(section) = sections.pop() {
        // Without its first `k - 1` vertices a part of a cycle is a path that keeps the rule.
        let path = [&before[begin..], &section].concat();
        if violation(&nodes(&path), problem.terms.spread, Kind::Snake).is_some() {
            continue;
        }
        let whole = [before, &section, end].concat();
        if violation(&nodes(&whole), problem.terms.spread, problem.terms.kind).is_none() {
            found.insert(section.clone());
        }
        let last = path[path.len() - 1];
        sections.extend((0..problem.terms.dimension).map(|bit| [&section[..], &[last ^ 1 << bit]].concat()));
    }
    found
}

/// Every section that is possible is drawn where temperatures are high, and no other one.
#[test]
fn replacements_are_those_of_the_definition() {
    let mut rng = Rng::new(5);
    let (mut compared, mut several) = (0, 0);
    let cells = [(Kind::Snake, 5, 2), (Kind::Coil, 5, 2), (Kind::Snake, 6, 3), (Kind::Coil, 6, 3), (Kind::Snake, 6, 4)];
    for (kind, dimension, spread) in cells {
        let problem = snakes(kind, dimension, spread);
        let k = spread as usize;
        let mut search = search(&problem, Settings::default());
        for _ in 0..60 {
            // Another path.
            (0..5).for_each(|_| search.replace(&problem, &mut rng));
            let walk = search.progress.walk.clone();
            assert_eq!(violation(&nodes(&walk), spread, kind), None);
            let count = walk.len();
            let (first, end) = match kind {
                Kind::Coil => (count - (1 + rng.index(count - 2 * k - 2)), count),
                Kind::Snake => {
                    let first = k + rng.index(count - k + 1);
                    let end = first + rng.index(5);
                    (first, if end + k > count { count } else { end })
                }
            };
            if first == end && end < count {
                continue;
            }
            let behind = if kind == Kind::Coil { &walk[..k - 1] } else { &walk[end..] };
            let expected = all_sections(&problem, &walk[..first], behind);
            if expected.len() > 300 {
                continue;
            }
            let mut drawn = BTreeSet::new();
            let mut draw_within = |tried: u64, rng: &mut Rng| {
                let parts = Parts::new(&walk, kind, k, first, end);
                search.draws.draw(&problem, &parts, (1e9, tried), rng).to_vec()
            };
            // A search that is cut draws one of them too.
            assert!((0..20).all(|tried| expected.contains(&draw_within(tried, &mut rng))));
            for _ in 0..expected.len() * 12 + 20 {
                drawn.insert(draw_within(u64::MAX, &mut rng));
            }
            assert_eq!(drawn, expected, "{kind:?} d{dimension}k{spread}: {walk:?}, {first} to {end}");
            compared += 1;
            several += usize::from(expected.len() > 1);
        }
    }
    assert!(compared > 150 && several > 60, "{compared} {several}");
}

/// The ends of a section of fewer than `k - 1` vertices are closer than `k`, so that only a shortest way may
/// connect them, in cubes with much room too.
#[test]
fn short_sections_are_replaced_by_shortest_ways() {
    let mut rng = Rng::new(7);
    let mut changed = 0;
    for (kind, dimension, spread) in
        [(Kind::Snake, 7, 3), (Kind::Snake, 8, 4), (Kind::Snake, 10, 6), (Kind::Coil, 7, 3), (Kind::Coil, 9, 5)]
    {
        let problem = snakes(kind, dimension, spread);
        let k = spread as usize;
        let mut search = search(&problem, Settings::default());
        for step in 0..300 {
            search.replace(&problem, &mut rng);
            let mut walk = search.progress.walk.clone();
            let vertices = 1 + step % (k - 2);
            if kind == Kind::Snake {
                walk.truncate(2 * k + vertices);
            }
            let count = walk.len();
            let (first, end) = match kind {
                Kind::Coil => (count - vertices, count),
                Kind::Snake => (k, k + vertices),
            };
            if end + k > count && kind == Kind::Snake {
                continue;
            }
            let parts = Parts::new(&walk, kind, k, first, end);
            let drawn = search.draws.draw(&problem, &parts, (1e9, 300), &mut rng);
            assert_eq!(drawn.len(), vertices, "{kind:?} d{dimension}k{spread}: {walk:?}");
            changed += usize::from(drawn != &walk[first..end]);
            walk.splice(first..end, drawn.iter().copied());
            assert_eq!(violation(&nodes(&walk), spread, kind), None, "{kind:?} d{dimension}k{spread}: {walk:?}");
        }
    }
    assert!(changed > 10, "{changed}");
}

/// Whatever the parameters are, the path or cycle keeps the rule, so that a run continues from what it has saved.
#[test]
fn what_is_saved_is_read_back_with_each_spread_and_length() {
    for kind in [Kind::Snake, Kind::Coil] {
        for (dimension, spread) in [(6, 2), (7, 3), (8, 4), (9, 5), (10, 6), (11, 7)] {
            let problem = snakes(kind, dimension, spread);
            for longest in [1, 2, 3, 4, 7, 14] {
                let settings = Settings { longest, start: 2.0, tried: 100, ..Settings::default() };
                let mut search = search(&problem, settings);
                let mut rng = Rng::new(longest);
                for _ in 0..5 {
                    (0..100).for_each(|_| search.replace(&problem, &mut rng));
                    let bytes = search.save();
                    assert!(search.load(&problem, &bytes).is_ok(), "{kind:?} d{dimension}k{spread}: {longest}");
                }
            }
        }
    }
}

/// A section inside a path or cycle is drawn as often as its weight says.
#[test]
fn sections_inside_are_drawn_by_weight() {
    const DRAWS: usize = 20_000;
    let mut rng = Rng::new(3);
    for kind in [Kind::Snake, Kind::Coil] {
        let problem = snakes(kind, 5, 2);
        let mut search = search(&problem, Settings::default());
        let mut compared = 0;
        while compared < 3 {
            (0..5).for_each(|_| search.replace(&problem, &mut rng));
            let walk = search.progress.walk.clone();
            let (vertices, count) = (1 + rng.index(6), walk.len());
            let (first, end) = match kind {
                Kind::Snake => (2, (2 + vertices).min(count - 2)),
                Kind::Coil => (count - vertices.min(count - 6), count),
            };
            let behind = if kind == Kind::Coil { &walk[..1] } else { &walk[end..] };
            let all = all_sections(&problem, &walk[..first], behind);
            if !(4..200).contains(&all.len()) {
                continue;
            }
            let mut counts = std::collections::BTreeMap::new();
            let parts = Parts::new(&walk, kind, 2, first, end);
            for _ in 0..DRAWS {
                let drawn = search.draws.draw(&problem, &parts, (2.0, u64::MAX), &mut rng);
                *counts.entry(drawn.to_vec()).or_insert(0_usize) += 1;
            }
            let weight = |section: &Vec<u16>| (section.len() as f64 / 2.0).exp();
            let sum: f64 = all.iter().map(weight).sum();
            for section in &all {
                let (expected, seen) =
                    (weight(section) / sum, *counts.get(section).unwrap_or(&0) as f64 / DRAWS as f64);
                // Five standard errors.
                let error = 5.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
                assert!((seen - expected).abs() <= error + 1e-4, "{kind:?} {section:?}: {seen} {expected}");
            }
            compared += 1;
        }
    }
}

/// A section is drawn as often as its weight says.
#[test]
fn sections_are_drawn_by_weight() {
    let problem = snakes(Kind::Snake, 4, 2);
    let mut draws = Draws::Narrow(Draw::new());
    let (walk, mut rng) = ([0, 1, 3, 7], Rng::new(1));
    let mut counts = std::collections::BTreeMap::new();
    const DRAWS: usize = 20_000;
    for _ in 0..DRAWS {
        let parts = Parts::new(&walk, Kind::Snake, 2, 2, 4);
        // Long sections would be too many to be drawn often.
        let drawn = draws.draw(&problem, &parts, (0.2, u64::MAX), &mut rng);
        *counts.entry(drawn.len()).or_insert(0_usize) += 1;
    }
    let all = all_sections(&problem, &walk[..2], &[]);
    let weight = |length: usize| (length as f64 / 0.2).exp() * all.iter().filter(|s| s.len() == length).count() as f64;
    let sum: f64 = (0..20).map(weight).sum();
    for length in 0..20 {
        let (expected, seen) = (weight(length) / sum, *counts.get(&length).unwrap_or(&0) as f64 / DRAWS as f64);
        // Four standard errors.
        let error = 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
        assert!((seen - expected).abs() <= error + 1e-4, "{length}: {seen} {expected}");
    }
}

#[test]
fn coolings_become_longer() {
    let problem = snakes(Kind::Coil, 6, 2);
    let mut search = search(&problem, Settings::default());
    search.settings.steps = 10;
    let mut rng = Rng::new(1);
    assert_eq!((search.length(), search.temperature()), (10, 0.5));
    (0..9).for_each(|_| search.replace(&problem, &mut rng));
    assert!((search.temperature() - 0.5 * 0.4_f64.powf(0.9)).abs() < 1e-12);
    search.replace(&problem, &mut rng);
    assert_eq!((search.length(), search.temperature(), search.progress.cooling), (20, 0.5, 1));
    (0..20).for_each(|_| search.replace(&problem, &mut rng));
    assert_eq!((search.length(), search.progress.done), (40, 0));
}

#[test]
fn progress_is_read_back_and_damaged_bytes_are_refused() {
    for kind in [Kind::Snake, Kind::Coil] {
        let problem = snakes(kind, 6, 2);
        let mut search = search(&problem, Settings::default());
        let mut rng = Rng::new(2);
        (0..100).for_each(|_| search.replace(&problem, &mut rng));
        let bytes = search.save();
        let read = |bytes: &[u8]| {
            let mut read = Sections::new(&problem, Settings::default());
            read.load(&problem, bytes).is_ok().then_some(read)
        };
        let mut other = read(&bytes).unwrap();
        let mut twin = rng.clone();
        for _ in 0..50 {
            search.replace(&problem, &mut rng);
            other.replace(&problem, &mut twin);
        }
        assert_eq!(search.progress.walk, other.progress.walk);
        let mut refused = 0;
        for at in 0..bytes.len() {
            for flip in [1, 0x15, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                match read(&damaged) {
                    Some(mut search) => (0..20).for_each(|_| search.replace(&problem, &mut rng)),
                    None => refused += 1,
                }
            }
        }
        assert!(refused > 20, "{refused}");
        assert!(read(b"nonsense").is_none());
        // What is refused changes nothing.
        let before = search.progress.walk.clone();
        assert!(search.load(&problem, &[]).is_err() && search.load(&problem, b"nonsense").is_err());
        assert_eq!(search.progress.walk, before);
    }
}

/// A solution from outside is continued where it is better.
#[test]
fn offers_are_taken_where_they_are_longer() {
    let problem = snakes(Kind::Snake, 6, 2);
    let mut search = search(&problem, Settings::default());
    let long = finished(&problem, &legal_part(&problem, vec![0, 1, 2, 0, 3, 1, 0, 4]));
    let score = soloist::Problem::score(&problem, &problem.after(&long));
    search.offer(&problem, &long, score);
    assert_eq!(search.flips(&problem), long);
    search.offer(&problem, &[0, 1], Score::Feasible(2.0));
    assert_eq!(search.flips(&problem), long);
}

/// Parameters at the ends of their ranges: the recursion stays within the stack of a thread.
#[test]
fn long_replacements_fit_on_the_stack() {
    let work = || {
        for kind in [Kind::Snake, Kind::Coil] {
            let problem = snakes(kind, 13, 2);
            let settings = Settings { start: 100.0, end: 100.0, longest: 300, tried: 100_000, ..Settings::default() };
            let (mut search, mut rng) = (search(&problem, settings), Rng::new(1));
            (0..10).for_each(|_| search.replace(&problem, &mut rng));
            assert_eq!(violation(&nodes(&search.progress.walk), 2, kind), None);
            let depth = search.draws.wide().blocked.capacity();
            assert!(depth >= DEEPEST, "{depth}");
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}
