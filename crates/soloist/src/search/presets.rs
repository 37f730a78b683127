//! The named settings of the methods: the searches as papers and practice know them.

use super::{
    Anneal, Auto, Bandit, Beam, BranchAndBound, Cooling, Expansion, Growth, IdaStar, Method, Narrowing, Nmcs,
    Normalization, Nrpa, Order, Own, Pacing, Sampling, Selection, Table, Ties, Uct,
};
use crate::core::names::instead;
use crate::problem::{SearchInfo, Unit};
use thiserror::Error;

/// A named setting of a method.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What `--method` accepts.
    pub name: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// Authors, venue, year.
    pub reference: &'static str,
    make: fn() -> Method,
}

impl Preset {
    /// Describes a problem's own search as a preset, for lists; `make` returns it.
    #[must_use]
    pub const fn own(info: &SearchInfo, make: fn() -> Method) -> Self {
        Self { name: info.name, summary: info.summary, reference: info.reference, make }
    }

    /// Returns the method with this preset's parameters.
    #[must_use]
    pub fn method(&self) -> Method {
        (self.make)()
    }

    /// Returns the preset of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

/// No preset has the name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no method `{}`{instead}", .name.escape_debug())]
pub struct UnknownMethod {
    name: String,
    instead: String,
}

impl UnknownMethod {
    fn new(name: &str) -> Self {
        let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        Self { name: name.to_owned(), instead: instead(name, &known) }
    }
}

const SCHADD: &str = "M. Schadd, M. Winands, M. Tak and J. Uiterwijk, Knowledge-Based Systems 34, 2012";
const BAIER: &str = "H. Baier and M. Winands, CIG 2012";

const PRESETS: &[Preset] = &[
    Preset {
        name: "sampling",
        summary: "independent playouts; the baseline",
        reference: "multiple simulation (MS) in L. Rei's thesis, Porto 2018, there with the cut-off of `ms`",
        make: || Method::from(Sampling::default()),
    },
    Preset {
        name: "ms",
        summary: "multiple simulation: independent playouts, cut off when their bound is hopeless",
        reference: "L. Rei's thesis, Porto 2018",
        make: || Method::from(Sampling { cutoff: true, ..Sampling::default() }),
    },
    Preset {
        name: "uct",
        summary: "tree search by UCB1 on the mean score",
        reference: "L. Kocsis and C. Szepesvari, ECML 2006",
        make: || Method::from(Uct::default()),
    },
    Preset {
        name: "uct-best",
        summary: "UCT on the best score of each subtree, normalised among siblings",
        reference: "L. Rei's thesis, Porto 2018, chapter 3",
        make: || Method::from(Uct::best()),
    },
    Preset {
        name: "uct-best-lazy",
        summary: "uct-best for problems with very many moves: a child at a time as listed, theta 5",
        reference: "L. Rei's thesis, Porto 2018, chapter 3 (single expansion, selection interleaving)",
        make: || {
            let growth = Growth { expansion: Expansion::Lazy, theta: 5, ..Growth::default() };
            Method::from(Uct { growth, ..Uct::best() })
        },
    },
    Preset {
        name: "uct-tuned",
        summary: "tree search by UCB1-Tuned on the mean score",
        reference: "P. Auer, N. Cesa-Bianchi and P. Fischer, Machine Learning 47, 2002; H. Baier and M. Winands, CIG 2012",
        make: || {
            Method::from(Uct {
                selection: Selection { bandit: Bandit::Ucb1Tuned, ..Selection::default() },
                ..Uct::default()
            })
        },
    },
    Preset {
        name: "sp-mcts",
        summary: "single-player MCTS, one tree, constants set by hand; scores of thousands of points",
        reference: SCHADD,
        make: || Method::from(Uct::single_player(0.1, 32.0, 10, 0.02)),
    },
    Preset {
        name: "sp-mcts-restarts",
        // The authors' program counts a child as a node when it is listed, this one when it is visited: 100,000 nodes
        // there are 61,000 nodes here.
        summary: "single-player MCTS, a new tree after every 61,000 nodes, constants set by hand (SP-MCTS(1))",
        reference: SCHADD,
        make: || {
            Method::from(Uct {
                pacing: Pacing { restart_nodes: 61_000, ..Pacing::default() },
                ..Uct::single_player(0.1, 32.0, 10, 0.02)
            })
        },
    },
    Preset {
        name: "sp-mcts-balanced",
        summary: "single-player MCTS, one tree, balanced: C 0.5, D 10,000",
        reference: SCHADD,
        make: || Method::from(Uct::single_player(0.5, 10_000.0, 10, 0.02)),
    },
    Preset {
        name: "sp-mcts-exploration",
        summary: "single-player MCTS, one tree, exploring: C 1, D 20,000",
        reference: SCHADD,
        make: || Method::from(Uct::single_player(1.0, 20_000.0, 10, 0.02)),
    },
    Preset {
        name: "sp-mcts-cem",
        summary: "single-player MCTS, one tree, constants tuned by the cross-entropy method",
        reference: SCHADD,
        make: || Method::from(Uct::single_player(5.96, 67.98, 13, 0.49)),
    },
    Preset {
        name: "sp-mcts-move",
        summary: "single-player MCTS move by move, game after game, constants set by hand (SP-MCTS(2))",
        reference: SCHADD,
        make: || Method::from(Uct::single_player(0.1, 32.0, 10, 0.02).move_by_move()),
    },
    Preset {
        name: "sp-mcts-move-cem",
        summary: "single-player MCTS move by move, game after game, constants tuned by the cross-entropy method (SP-MCTS(3))",
        reference: SCHADD,
        make: || Method::from(Uct::single_player(4.31, 96.67, 11, 0.28).move_by_move()),
    },
    Preset {
        name: "sp-mcts-adapted",
        summary: "single-player MCTS move by move: playouts adapt to each tree's best, each game has its variant",
        reference: "our setting; M. Schadd et al. 2012 and T. Cazenave, TCS 644, 2016",
        make: || Method::from(Uct::adapted()),
    },
    Preset {
        name: "bmcts",
        summary: "beam MCTS: trees pruned to a few nodes a depth; each pass twice as wide and long",
        reference: BAIER,
        make: || {
            Method::from(Uct {
                growth: Growth::default(),
                narrowing: Narrowing { beam_limit: 2_000, beam_width: 4, widen: 2.0, ..Narrowing::default() },
                ..Uct::beam(0.01, 2_000, 4)
            })
        },
    },
    Preset {
        name: "bmcts-samegame",
        summary: "beam MCTS as tuned for SameGame with random rollouts, 60 s in 2012",
        reference: BAIER,
        make: || Method::from(Uct::beam(0.0009, 90_000, 1)),
    },
    Preset {
        name: "bmcts-samegame-informed",
        summary: "beam MCTS as tuned for SameGame with informed rollouts (tabu-bandit), 60 s in 2012",
        reference: BAIER,
        make: || Method::from(Uct::beam(0.0025, 50_000, 25)),
    },
    Preset {
        name: "bmcts-bubble-breaker",
        summary: "beam MCTS as tuned for Bubble Breaker with random rollouts, 60 s in 2012",
        reference: BAIER,
        make: || Method::from(Uct::beam(0.0275, 110_000, 1)),
    },
    Preset {
        name: "bmcts-clickomania",
        summary: "beam MCTS as tuned for Clickomania with random rollouts, 60 s in 2012",
        reference: BAIER,
        make: || Method::from(Uct::beam(0.0175, 3_000, 100)),
    },
    Preset {
        name: "sa-uct",
        summary: "UCT on the ratio to a reference score, exploration cooled linearly: one tree of 1000 playouts after another",
        reference: "B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik, ICAART 2014",
        make: || Method::from(Uct::cooled(1.0, 1_000, Cooling::Linear)),
    },
    Preset {
        name: "uct-ratio",
        summary: "as sa-uct without cooling, Cp 0.1: the UCT that it was compared with",
        reference: "J. Kuipers, A. Plaat, J. Vermaseren and J. van den Herik, Computer Physics Communications 184, 2013",
        make: || Method::from(Uct::cooled(0.1, 1_000, Cooling::None)),
    },
    Preset {
        name: "nmcs",
        summary: "nested Monte-Carlo search with a memorised best sequence",
        reference: "T. Cazenave, IJCAI 2009",
        make: || Method::from(Nmcs::default()),
    },
    Preset {
        name: "nrpa",
        summary: "nested rollout policy adaptation",
        reference: "C. D. Rosin, IJCAI 2011",
        make: || Method::from(Nrpa::default()),
    },
    Preset {
        name: "beam-nrpa",
        summary: "NRPA with a beam of solutions, each with a separate policy",
        reference: "T. Cazenave and F. Teytaud, Computer Games Workshop 2012",
        make: || Method::from(Nrpa::beam()),
    },
    Preset {
        name: "hd-nrpa",
        summary: "high-diversity NRPA: one policy learns a beam of dissimilar solutions",
        reference: "T. Cazenave and S. Edelkamp, 2016",
        make: || Method::from(Nrpa::high_diversity()),
    },
    Preset {
        name: "gnrpa",
        summary: "generalised NRPA: the problem's bias steers the playouts from the start",
        reference: "T. Cazenave, arXiv:2003.10024, 2020",
        make: || Method::from(Nrpa { bias_weight: 1.0, ..Nrpa::default() }),
    },
    Preset {
        name: "gnrpa-lr",
        summary: "generalised NRPA with limited repetitions: a level ends when it keeps finding the same",
        reference: "T. Cazenave, arXiv:2401.10420, 2024",
        make: || Method::from(Nrpa { bias_weight: 1.0, repetitions: 3, ..Nrpa::default() }),
    },
    Preset {
        name: "beam",
        summary: "beam search on the problem's potential or bound, each pass twice as wide",
        reference: "B. Lowerre, thesis, Carnegie Mellon University 1976",
        make: || Method::from(Beam::default()),
    },
    Preset {
        name: "cabs",
        summary: "complete anytime beam search: beams of width 1, 2, 4, ... on the bound, until one has left nothing out",
        reference: "W. Zhang, AAAI 1998; R. Kuroiwa and J. C. Beck, ICAPS 2023",
        make: || Method::from(Beam::complete()),
    },
    Preset {
        name: "dfs",
        summary: "depth-first branch and bound; exhaustive search without bounds",
        reference: "A. H. Land and A. G. Doig, Econometrica 28, 1960",
        make: || Method::from(BranchAndBound::default()),
    },
    Preset {
        name: "best-first",
        summary: "branch and bound from the open state with the best bound",
        reference: "P. E. Hart, N. J. Nilsson and B. Raphael, IEEE Transactions on Systems Science and Cybernetics 4, 1968",
        make: || Method::from(BranchAndBound::in_order(Order::BestFirst)),
    },
    Preset {
        name: "bfs",
        summary: "branch and bound layer by layer",
        reference: "E. F. Moore, Symposium on the Theory of Switching, Harvard 1959",
        make: || Method::from(BranchAndBound::in_order(Order::BreadthFirst)),
    },
    Preset {
        name: "iterative-broadening",
        summary: "depth-first passes over the first one, two, three, ... children of each state",
        reference: "M. L. Ginsberg and W. D. Harvey, Artificial Intelligence 55, 1992",
        make: || Method::from(BranchAndBound::in_order(Order::IterativeBroadening)),
    },
    Preset {
        name: "ida-star",
        summary: "iterative deepening A* on the bounds",
        reference: "R. E. Korf, Artificial Intelligence 27, 1985",
        make: || Method::from(IdaStar::default()),
    },
    Preset {
        name: "anneal",
        summary: "simulated annealing: edits one solution, or a population, by the problem's own neighbourhood or by swaps, insertions, block moves and changes of a decision",
        reference: "S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Science 220, 1983; B. Ruijl et al., arXiv:1409.5223, 2014; K. Hukushima and Y. Iba, AIP Conference Proceedings 690, 2003",
        make: || Method::from(Anneal::default()),
    },
    Preset {
        name: "ils",
        summary: "iterated local search: descents by the edits of `anneal`, each after a few random ones of the best solution",
        reference: "H. R. Lourenço, O. C. Martin and T. Stützle, Handbook of Metaheuristics, 2003",
        make: || Method::from(Anneal::iterated()),
    },
    Preset {
        name: "auto",
        summary: "a portfolio: methods that suit the problem race for a part of the budget, two of them share the rest",
        reference: "our setting; K. Jamieson and A. Talwalkar, AISTATS 2016 (halving); C. P. Gomes and B. Selman, Artificial Intelligence 126, 2001",
        make: || Method::from(Auto::default()),
    },
    Preset {
        name: "uct-log",
        summary: "uct-best for scores that are logarithms to base 2: normalises what they stand for, over the whole search",
        reference: "L. Rei's thesis, Porto 2018, table 4.1 (number partitioning)",
        make: || {
            let best = Uct::best().selection;
            let selection =
                Selection { normalization: Normalization::Global, ties: Ties::Random, log_base: 2.0, ..best };
            Method::from(Uct { selection, ..Uct::best() })
        },
    },
];

impl Method {
    /// Returns all named settings.
    #[must_use]
    pub fn presets() -> &'static [Preset] {
        PRESETS
    }

    /// Returns what a problem's own search counts. `None`: the method counts playouts, or its name was not looked up.
    #[must_use]
    pub fn unit(&self) -> Option<Unit> {
        if let Table::Own(own) = self.table() { own.unit() } else { None }
    }

    /// Returns the method behind a preset's name.
    ///
    /// ```
    /// use soloist::Method;
    /// let mut method = Method::preset("nrpa").unwrap();
    /// method.set("level", "2").unwrap();
    /// assert_eq!(Method::preset("nrap").unwrap_err().to_string(), "no method `nrap`, did you mean `nrpa`?");
    /// ```
    ///
    /// # Errors
    /// No preset has this name; the message says which one is probably meant.
    pub fn preset(name: &str) -> Result<Self, UnknownMethod> {
        Preset::find(name).map(Preset::method).ok_or_else(|| UnknownMethod::new(name))
    }

    /// Returns the method of that name: a preset, or else a problem's own search, for which the run looks when it
    /// starts.
    ///
    /// ```
    /// use soloist::{Method, Solver};
    /// use soloist::doc::Staircase;
    /// use soloist::run::SolveError;
    /// assert_eq!(Ok(Method::named("nrpa")), Method::preset("nrpa"));
    /// let error = Solver::new(&Staircase(3), Method::named("nosuch")).run().unwrap_err();
    /// assert_eq!(error.to_string(), "no method `nosuch` (the problem, with its options, has no methods of its own)");
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::preset(name).unwrap_or_else(|_| Self::from(Own::named(name)))
    }

    /// Returns a problem's own search with the defaults of its parameters.
    #[must_use]
    pub fn own(info: &SearchInfo) -> Self {
        Self::from(Own::from(info))
    }
}
