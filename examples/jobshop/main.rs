//! Job shop scheduling: the shortest schedule of jobs on machines (JSPLIB text: jobs, machines, then the operations of
//! each job as machine and time). `model` is all that a search needs; `graph` is a neighbourhood for annealing.

#[path = "../common/mod.rs"]
mod common;
mod graph;
mod model;

use model::Shop;

const FT06: &str = "6 6
    2  1  0  3  1  6  3  7  5  3  4  6      1  8  2  5  4 10  5 10  0 10  3  4
    2  5  3  4  5  8  0  9  1  1  4  7      1  5  0  5  2  5  3  3  4  8  5  9
    2  9  1  3  4  5  5  4  0  3  3  1      1  3  3  3  5  9  0 10  4  4  2  1";

/// Small shops have small states. The largest of JSPLIB has 100 jobs.
enum Size {
    Small(Shop<32>),
    Large(Shop<128>),
}

impl Size {
    fn parse(text: &str) -> Option<Self> {
        Shop::parse(text).map(Self::Small).or_else(|| Shop::parse(text).map(Self::Large))
    }
}

fn main() {
    let run = common::arguments("anneal");
    match run.load(FT06, Size::parse) {
        Size::Small(shop) => solve(&run, shop),
        Size::Large(shop) => solve(&run, shop),
    }
}

fn solve<const N: usize>(run: &common::Run, mut shop: Shop<N>) {
    shop.active = !matches!(run.preset(), "anneal" | "auto");
    run.solve(&shop);
}

#[cfg(test)]
mod tests {
    use super::{FT06, Shop, Size, common};
    use soloist::{Budget, Score, Setup, Solver};

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Shop::<32>::parse(FT06).unwrap();
        common::prove(&problem, 55.0, &["cabs", "dfs"]);
        let free = Shop { active: false, ..problem };
        soloist::check(&free, 100, 1).unwrap();
        // In place, and by replays of what the graph suggests.
        for local in ["true", "false"] {
            let mut setup = Setup::preset("anneal").unwrap();
            setup.set("local", local).unwrap();
            let outcome = Solver::new(&free, setup).budget(Budget::playouts(50_000)).run().unwrap();
            assert_eq!(outcome.best.unwrap().score, Score::Feasible(55.0), "local={local}");
        }
        for wrong in ["2 2 0 1 1", "0 1", "1 1  0 5  x", "1 1  0 5  7"] {
            assert!(Size::parse(wrong).is_none(), "{wrong}");
        }
        // More than 32 jobs, each with one operation on the only machine.
        let large = format!("100 1 {}", "0 2 ".repeat(100));
        let Some(Size::Large(large)) = Size::parse(&large) else { panic!("a hundred jobs") };
        common::prove(&large, 200.0, &["cabs"]);
        assert!(Size::parse(&format!("129 1 {}", "0 2 ".repeat(129))).is_none());
        // Operations that take no time.
        let idle = Shop::<32>::parse("2 2  0 0 1 3  1 0 0 2").unwrap();
        common::prove(&idle, 3.0, &["cabs", "dfs"]);
    }
}
