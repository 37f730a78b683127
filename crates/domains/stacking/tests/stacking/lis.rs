//! The bound of block relocation beside LB-LIS.

use soloist::{Problem, Rng};
use soloist_stacking::{Item, Stacking, Yard};

/// LB-LIS of block relocation by its definition (Jin 2020), from lists of stacks, bottom first: for each item in the
/// order of leaving, the items above it are taken away. Each counts one; and the longest sequence of them, from the
/// bottom, that falls counts by how much it is longer than the number of stacks that take its smallest item in order,
/// the most over all such items.
fn lb_lis(yard: &Yard) -> u64 {
    let due = |&item: &usize| yard.items()[item].due;
    let mut stacks: Vec<(Vec<u64>, bool)> =
        yard.initial().iter().map(|stack| (stack.iter().map(due).collect(), stack.len() >= yard.height())).collect();
    let mut all: Vec<u64> = yard.items().iter().map(|item| item.due).collect();
    all.sort_unstable();
    let mut bound = 0;
    for next in all {
        let Some((own, at)) =
            (0..stacks.len()).find_map(|own| Some((own, stacks[own].0.iter().position(|&due| due == next)?)))
        else {
            continue;
        };
        let above = stacks[own].0.split_off(at + 1);
        bound += above.len() as u64;
        let takes = |due: u64| {
            let others = stacks.iter().enumerate().filter(|&(other, stack)| other != own && !stack.1);
            others.filter(|(_, stack)| stack.0.iter().min().is_none_or(|&least| due < least)).count() as u64
        };
        // The longest falling sequence that ends at each item.
        let mut longest = vec![1_u64; above.len()];
        let mut more = 0;
        let alone = above.iter().filter(|&&due| takes(due) == 0).count() as u64;
        for place in 0..above.len() {
            if takes(above[place]) == 0 {
                longest[place] = 0;
                continue;
            }
            let before = (0..place).filter(|&other| above[other] > above[place]);
            longest[place] = 1 + before.map(|other| longest[other]).max().unwrap_or(0);
            more = more.max(longest[place].saturating_sub(takes(above[place])));
        }
        bound += alone + more;
        stacks[own].0.pop();
        stacks[own].1 = false;
    }
    bound
}

/// Stacks of these items, which leave in the order of their numbers, under a limit of height.
fn relocation(height: usize, initial: Vec<Vec<usize>>) -> Yard {
    let count = initial.iter().map(Vec::len).sum::<usize>();
    let items = (0..count as u64).map(|number| Item { number, release: None, due: number + 1 }).collect();
    Yard::new("lis".into(), initial.len(), height, items, initial).unwrap()
}

/// The bound counts whatever LB-LIS counts, and more on some instances; some of their stacks are full.
#[test]
fn the_bound_is_not_below_lb_lis() {
    let mut better = 0;
    for (width, height, seeds) in [(4, 4, 60), (5, 7, 40), (6, 6, 40), (6, 10, 30), (10, 6, 30), (10, 10, 30)] {
        for seed in 1..=seeds {
            let mut rng = Rng::new(seed);
            let heights: Vec<usize> = (0..width).map(|_| height - rng.index(3)).collect();
            let mut left: Vec<usize> = (0..heights.iter().sum()).collect();
            let mut draw = |_| left.swap_remove(rng.index(left.len()));
            let yard = relocation(height, heights.iter().map(|&count| (0..count).map(&mut draw).collect()).collect());
            let problem = Stacking::new(&yard);
            let (bound, other) = (problem.bound(&problem.root()).unwrap() as u64, lb_lis(&yard));
            assert!(bound >= other, "{width}x{height}, seed {seed}: {bound} and {other}");
            better += u32::from(bound > other);
        }
    }
    assert!((10..100).contains(&better), "{better}");
    // Thirteen items that all need different stacks, and eleven other stacks.
    let mut initial = vec![[0].into_iter().chain((1..=13).rev()).collect()];
    initial.extend((14..25).map(|item| vec![item]));
    let yard = relocation(99, initial);
    let problem = Stacking::new(&yard);
    assert_eq!((problem.bound(&problem.root()), lb_lis(&yard)), (Some(15.0), 15));
}
