//! Independent verification of solutions: the events of the file are gone through with the movements claimed, without
//! the search.

use super::Yard;
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, claim, short};
use soloist_domain::error::quote;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A movement as claimed: time, item, from and to.
type Row = (u64, u64, Option<u64>, Option<u64>);

/// Verifies the movements of a solution of `yard`.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"relocations": 2, "movements": [[TIME, ITEM, FROM, TO], ...]}`, `relocations` being
///   checked when present;
/// - a JSON list of such movements;
/// - plain lines `TIME ITEM FROM TO`, with `#` comments, `-` standing for outside.
///
/// Movements are in time order. Items go by their numbers, stacks are counted from 0, `null` stands for outside.
/// Relocations at a date come directly before the departure that they make possible.
///
/// # Errors
/// One line: text that cannot be read, the first movement that breaks a rule, a movement too many or missing, a claim
/// that does not hold.
pub fn check(yard: &Yard, text: &str) -> Result<Checked, String> {
    let alone = |rows: &[Row]| play(yard, rows).map(|relocations| checked(yard, rows.len(), relocations));
    let result = match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => return alone(&plain(text)?),
        SubmittedSolution::List(list) => return alone(&rows(&list)?),
        SubmittedSolution::Object(result) => result,
    };
    result.belong_to("stacking")?;
    let solution = result.solution()?;
    let rows = rows(solution.get("movements").ok_or("no list `movements`")?)?;
    let relocations = play(yard, &rows)?;
    claim("score", result.get("score"), relocations)?;
    claim("number of relocations", solution.get("relocations"), relocations)?;
    Ok(checked(yard, rows.len(), relocations))
}

fn checked(yard: &Yard, movements: usize, relocations: u64) -> Checked {
    let summary = format!("{movements} movements of {} items, {relocations} relocations", yard.items().len());
    Checked { score: relocations as f64, summary }
}

fn rows(list: &Value) -> Result<Vec<Row>, String> {
    let list = list.as_array().ok_or("`movements` is not a list")?;
    let mut rows = Vec::with_capacity(list.len());
    for (index, row) in list.iter().enumerate() {
        let wrong = || format!("movement {}: {}, expected [time, item, from, to]", index + 1, short(row));
        let fields = row.as_array().filter(|fields| fields.len() == 4).ok_or_else(wrong)?;
        let number = |at: usize| fields[at].as_u64().ok_or_else(wrong);
        let stack = |at: usize| if fields[at].is_null() { Ok(None) } else { number(at).map(Some) };
        rows.push((number(0)?, number(1)?, stack(2)?, stack(3)?));
    }
    Ok(rows)
}

fn plain(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let wrong = || format!("line {}: {}, expected TIME ITEM FROM TO", index + 1, quote(line.trim().as_bytes()));
        let &[time, item, from, to] = &words[..] else { return Err(wrong()) };
        let number = |word: &str| {
            let digits = word.bytes().all(|byte| byte.is_ascii_digit());
            word.parse::<u64>().ok().filter(|_| digits).ok_or_else(wrong)
        };
        let stack = |word: &str| if word == "-" { Ok(None) } else { number(word).map(Some) };
        rows.push((number(time)?, number(item)?, stack(from)?, stack(to)?));
    }
    Ok(rows)
}

/// The stacks as they are, by the numbers of the items.
struct Ground<'a> {
    stacks: Vec<Vec<u64>>,
    /// The stack of each item that lies in one, and how many lie below it.
    places: HashMap<u64, (usize, usize)>,
    height: usize,
    rows: std::iter::Enumerate<std::slice::Iter<'a, Row>>,
    relocations: u64,
}

impl Ground<'_> {
    /// The stack of an item and how many lie above it.
    fn find(&self, item: u64) -> Option<(usize, usize)> {
        let &(stack, below) = self.places.get(&item)?;
        Some((stack, self.stacks[stack].len() - 1 - below))
    }

    /// Takes the top item off a stack.
    fn pop(&mut self, stack: usize) -> Option<u64> {
        let item = self.stacks[stack].pop()?;
        self.places.remove(&item);
        Some(item)
    }

    /// The next movement, which must be that of `item` from `from` at `time`, to a stack or not; returns the stack.
    fn next(&mut self, time: u64, item: u64, from: Option<usize>, stays: bool) -> Result<Option<usize>, String> {
        let what = if !stays {
            "leaves"
        } else if from.is_some() {
            "is relocated"
        } else {
            "comes"
        };
        let Some((index, &(when, which, source, target))) = self.rows.next() else {
            return Err(format!("the movements end before item {item} {what} at {time}"));
        };
        let name = |stack: Option<u64>| stack.map_or("outside".into(), |stack| format!("stack {stack}"));
        let origin = from.map(|from| from as u64);
        if (when, which, source) != (time, item, origin) || target.is_some() != stays {
            return Err(format!(
                "movement {} takes item {which} from {} to {} at {when}, expected that item {item} {what} at {time} from {}",
                index + 1,
                name(source),
                name(target),
                name(origin)
            ));
        }
        let Some(target) = target else { return Ok(None) };
        let stack = usize::try_from(target).unwrap_or(usize::MAX);
        let Some(own) = self.stacks.get_mut(stack) else {
            return Err(format!("movement {}: there is no stack {target}, they are counted from 0", index + 1));
        };
        if Some(stack) == from {
            return Err(format!("movement {} puts item {item} back onto stack {stack}", index + 1));
        }
        if own.len() >= self.height {
            return Err(format!("movement {}: stack {stack} is full", index + 1));
        }
        self.places.insert(item, (stack, own.len()));
        own.push(item);
        Ok(Some(stack))
    }
}

/// Goes through all events; returns the relocations.
fn play(yard: &Yard, rows: &[Row]) -> Result<u64, String> {
    let items = yard.items();
    let number = |&item: &usize| items[item].number;
    let stacks: Vec<Vec<u64>> = yard.initial().iter().map(|own| own.iter().map(number).collect()).collect();
    let levels = |(stack, own): (usize, &Vec<u64>)| {
        own.iter().enumerate().map(move |(below, &item)| (item, (stack, below))).collect::<Vec<_>>()
    };
    let mut ground = Ground {
        places: stacks.iter().enumerate().flat_map(levels).collect(),
        stacks,
        height: yard.height(),
        rows: rows.iter().enumerate(),
        relocations: 0,
    };
    let mut leaving: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut coming: BTreeMap<u64, Vec<(std::cmp::Reverse<u64>, u64)>> = BTreeMap::new();
    for item in items {
        leaving.entry(item.due).or_default().push(item.number);
        if let Some(release) = item.release {
            coming.entry(release).or_default().push((std::cmp::Reverse(item.due), item.number));
        }
    }
    let times: BTreeSet<u64> = leaving.keys().chain(coming.keys()).copied().collect();
    for time in times {
        let mut out = Vec::new();
        for &item in leaving.get(&time).into_iter().flatten() {
            let above = ground.find(item).ok_or_else(|| format!("item {item} is in no stack at {time}"))?.1;
            out.push((above, item));
        }
        soloist::order::sort(&mut out);
        for (_, item) in out {
            loop {
                let (stack, above) =
                    ground.find(item).ok_or_else(|| format!("item {item} is in no stack at {time}"))?;
                let Some(top) = ground.pop(stack) else { break };
                if above == 0 {
                    ground.next(time, item, Some(stack), false)?;
                    break;
                }
                ground.next(time, top, Some(stack), true)?;
                ground.relocations += 1;
            }
        }
        let mut inward = coming.remove(&time).unwrap_or_default();
        soloist::order::sort(&mut inward);
        for (_, item) in inward {
            ground.next(time, item, None, true)?;
        }
    }
    if let Some((index, _)) = ground.rows.next() {
        return Err(format!("movement {} comes after everything has left", index + 1));
    }
    Ok(ground.relocations)
}
