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

fn main() {
    let run = common::arguments("anneal");
    let mut shop = run.load(FT06, Shop::parse);
    shop.active = !matches!(run.preset(), "anneal" | "auto");
    run.solve(&shop);
}

#[cfg(test)]
mod tests {
    use super::{FT06, Shop, common};
    use soloist::{Budget, Score, Setup, Solver};

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Shop::parse(FT06).unwrap();
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
            assert!(Shop::parse(wrong).is_none(), "{wrong}");
        }
        // Operations that take no time.
        let idle = Shop::parse("2 2  0 0 1 3  1 0 0 2").unwrap();
        common::prove(&idle, 3.0, &["cabs", "dfs"]);
    }
}
