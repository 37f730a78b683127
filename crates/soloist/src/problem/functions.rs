//! The list of the functions that a problem may have: what each promises, and what uses it.
//!
//! [`advise`](crate::check::advise), the tables of the guide and the documentation of the Python class follow from this
//! list; a test compares them.

/// A function of [`Problem`](super::Problem), or of an object that one of its functions returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The trait that it belongs to.
    pub owner: &'static str,
    /// Its name in the trait.
    pub name: &'static str,
    /// Its name in a Python class. `None`: Python problems do not have it.
    pub python: Option<&'static str>,
    /// Whether a problem must have it.
    pub is_required: bool,
    /// What it says, or promises.
    pub says: &'static str,
    /// The methods that use it, and for what.
    pub used_by: &'static str,
    /// What it was worth in runs of this repository, with links to the results.
    pub effect: &'static str,
    /// For each of [`METHODS`] whether it lives by the function (`●`) or is better with it (`○`); empty: no method
    /// depends on it.
    pub marks: [&'static str; METHODS.len()],
}

/// The methods of the columns of [`Function::marks`].
pub const METHODS: [&str; 8] =
    ["`uct`", "`uct-best`", "`nmcs`", "`nrpa`", "`beam`", "`cabs`", "`dfs`, `bfs`, ...", "`anneal`"];

const NO_MARKS: [&str; METHODS.len()] = [""; METHODS.len()];

/// A function without effect, marks or Python name.
const PLAIN: Function = Function {
    owner: "Problem",
    name: "",
    python: None,
    is_required: false,
    says: "",
    used_by: "",
    effect: "",
    marks: NO_MARKS,
};

/// A function that every problem has.
const fn required(name: &'static str, says: &'static str) -> Function {
    Function { name, python: Some(name), is_required: true, says, used_by: "all methods", ..PLAIN }
}

/// All functions, in the order of the traits.
pub const FUNCTIONS: &[Function] = &[
    required("root", "the empty solution"),
    required("moves", "the legal moves, in an order that depends on the state alone; none: the solution is finished"),
    required("apply", "the state after a legal move"),
    required("score", "the score of a finished solution, or by how much it breaks a constraint"),
    Function {
        name: "sense",
        python: Some("sense"),
        says: "whether small scores are better",
        used_by: "all methods",
        ..PLAIN
    },
    Function {
        name: "facts",
        says: "plain facts, such as the number of codes and the size of a state",
        used_by: "those named at each fact below",
        ..PLAIN
    },
    Function {
        owner: "Facts",
        name: "code_count",
        says: "that all codes are below a small number",
        used_by: "as `code`",
        effect: "weights in a plain table, which is faster than a hash table",
        ..PLAIN
    },
    Function {
        owner: "Facts",
        name: "reference",
        python: Some("reference"),
        says: "the score of a trivial solution",
        used_by: "`sa-uct`, `uct-ratio`",
        ..PLAIN
    },
    Function {
        owner: "Facts",
        name: "is_complete",
        python: Some("complete"),
        says: "whether the moves can reach a best solution",
        used_by: "systematic searches: if not, no proof is claimed; defaults and `auto`: none is attempted",
        ..PLAIN
    },
    Function {
        owner: "Facts",
        name: "state_bytes",
        python: Some("state_bytes"),
        says: "about how many bytes a state takes",
        used_by: "beams and exact searches divide the memory of the budget by it",
        ..PLAIN
    },
    Function {
        owner: "Facts",
        name: "fault",
        says: "where the problem reports that it cannot continue",
        used_by: "every run ends with the error",
        ..PLAIN
    },
    Function {
        owner: "Python",
        name: "step",
        python: Some("step"),
        says: "the next state and its moves in one call",
        used_by: "all methods call it in place of `apply`, and `moves` at the root alone",
        ..PLAIN
    },
    Function {
        name: "code",
        python: Some("code"),
        says: "which moves share what is learned",
        used_by: "`nrpa`, `gnrpa`, `hd-nrpa`, `beam-nrpa`, `anneal`, and `history` and `amaf` of `uct` learn by it; the \
                  default is the move alone, for `nrpa` together with the step in assignments and in orders that repeat moves",
        marks: ["", "", "", "●", "", "", "", "○"],
        ..PLAIN
    },
    Function {
        name: "prior",
        says: "that moves are worth something before anything is learned",
        used_by: "as `bias`",
        ..PLAIN
    },
    Function {
        owner: "Prior",
        name: "bias",
        python: Some("bias"),
        says: "prior knowledge about a move: the logarithm of its weight",
        used_by: "`gnrpa`; `bias_weight` of `nrpa`, `hd-nrpa` and `uct`; the order of children in \
                  `iterative-broadening`; edits of sets by `Exchanges`",
        effect: "snakes: the largest effect of all settings: 79 to 92 edges without it, 91 to 96 with it \
                 ([nested](../results/nested.md)); a knapsack with 500 items: 0.34 % closer to the best value by it \
                 and by edits near its border ([didp](../results/didp.md))",
        marks: ["○", "○", "", "○ (`gnrpa`: ●)", "", "", "○", "○"],
        ..PLAIN
    },
    Function {
        owner: "Prior",
        name: "terms",
        says: "the terms that the bias is the sum of",
        used_by: "`bias_rate` of `gnrpa` learns a weight for each",
        ..PLAIN
    },
    Function {
        name: "bound",
        python: Some("bound"),
        says: "that no solution from here is better than this",
        used_by: "`cabs`, `beam`, `dfs`, `best-first`, `bfs`, `ida-star` prune and order by it; `prune` of `uct`, \
                  on by default in `uct-best`; `cutoff` (`ms`); at the root it ends any search with a proof",
        effect: "without it a proof needs every state to be visited",
        marks: ["", "○", "", "", "○", "●", "●", "○"],
        ..PLAIN
    },
    Function {
        name: "potential",
        python: Some("potential"),
        says: "how promising a state is beside others after as many moves",
        used_by: "`beam` ranks states by it; `cabs`, between states of equal bounds",
        effect: "snake of 97 edges in dimension 8 after 11 s ([nested](../results/nested.md))",
        marks: ["", "", "", "", "●", "○", "", ""],
        ..PLAIN
    },
    Function {
        name: "key",
        python: Some("key"),
        says: "that states are the same: equal keys list the same moves in the same order \
               ([why](../design/proofs.md#what-equal-keys-and-futures-promise)); in Rust `Key::of(state)` is one for every state that \
               implements `Hash`, in Python a state of plain values is its own",
        used_by: "`beam`, systematic searches and `transpositions` of `uct` merge equal states; kept solutions are compared \
                  by it",
        effect: "a state is searched once, however it was reached",
        marks: ["○", "○", "", "○", "○", "○", "○", "○"],
        ..PLAIN
    },
    Function {
        name: "dominance",
        says: "that states can be compared by what they have cost",
        used_by: "as `future`",
        ..PLAIN
    },
    Function {
        owner: "Dominance",
        name: "future",
        python: Some("future"),
        says: "that states have the same future, perhaps by other moves (mirror images), and what they have cost",
        used_by: "`cabs`, `beam`, `dfs`, `best-first`, `bfs`, `ida-star` keep the better of states that differ in \
                  cost only; `anneal` stops replays by it",
        effect: "talent scheduling film105: proof after 276,952 states ([general](../results/general.md))",
        marks: ["", "", "", "", "○", "●", "○", "○"],
        ..PLAIN
    },
    Function {
        owner: "Dominance",
        name: "resources",
        python: Some("resources"),
        says: "further numbers that are compared beside the cost",
        used_by: "as `future`",
        marks: ["", "", "", "", "○", "●", "○", "○"],
        ..PLAIN
    },
    Function { name: "ordering", says: "that moves decide about things with names", used_by: "as `identity`", ..PLAIN },
    Function {
        owner: "Ordering",
        name: "identity",
        python: Some("identity"),
        says: "what a move decides about, the same in all states",
        used_by: "`anneal` replays edited solutions by it",
        effect: "replays are several times as fast as by codes",
        marks: ["", "", "", "", "", "", "", "●"],
        ..PLAIN
    },
    Function {
        owner: "Ordering",
        name: "find",
        python: Some("find"),
        says: "the move that decides about a thing",
        used_by: "as `identity`",
        marks: ["", "", "", "", "", "", "", "●"],
        ..PLAIN
    },
    Function {
        owner: "Ordering",
        name: "link",
        python: Some("link"),
        says: "what a decision costs directly behind another one, where the score is a sum of that",
        used_by: "`anneal` by replay: it knows what an edit of an order changes before it replays it",
        effect: "sequential ordering kro124p.1: 39,420 after 10 s instead of 41,281; five times as many neighbours a \
                 second ([general](../results/general.md))",
        ..PLAIN
    },
    Function {
        owner: "Ordering",
        name: "suggest",
        python: Some("suggest"),
        says: "which edits may improve a finished solution",
        used_by: "`anneal` by replay draws many of its edits from it",
        effect: "job shops la29 1.5 % and ta11 0.8 % shorter after 8 s, la38 no shorter \
                 ([general](../results/general.md))",
        ..PLAIN
    },
    Function {
        name: "neighborhood",
        says: "edits of finished solutions with their difference in cost",
        used_by: "`anneal` edits solutions in place by it",
        effect: "vehicle routing ([routing](../results/routing.md)); SameGame: 85,253 points on the 20 standard boards \
                 (a minute each, mean of two runs), 81,694 by NRPA ([table](../results/samegame-standard.md)); 13 job shops \
                 0.46 % above the best known, 0.76 % by replay ([general](../results/general.md))",
        marks: ["", "", "", "", "", "", "", "○"],
        ..PLAIN
    },
    Function {
        owner: "Exchange",
        name: "difference",
        python: Some("difference"),
        says: "by how much the score changes when one decision is exchanged for another",
        used_by: "`anneal` edits assignments and subsets in place by it (`Exchanges`)",
        effect: "max-cut with 400 vertices: 669 after 2 s instead of 587; 100 times as many neighbours a second \
                 ([general](../results/general.md))",
        marks: ["", "", "", "", "", "", "", "●"],
        ..PLAIN
    },
    Function {
        owner: "Exchange",
        name: "apply_exchange",
        python: Some("apply_exchange"),
        says: "the state after such an exchange",
        used_by: "as `difference`: edits that are accepted need no replay, and two places exchange their decisions",
        marks: ["", "", "", "", "", "", "", "○"],
        ..PLAIN
    },
    Function {
        owner: "Python",
        name: "edit",
        python: Some("edit"),
        says: "another solution made of a finished one, and by how much the score changes",
        used_by: "`anneal` edits solutions by it: what a `neighborhood` is in Rust",
        effect: "a roster of 16 nurses and 28 days, after 3 processor seconds: 63 with an exchange of two duties, 132 by \
                 `difference`",
        ..PLAIN
    },
    Function { name: "extras", says: "what there is besides the rules", ..PLAIN },
    Function {
        owner: "Extras",
        name: "rollouts",
        python: Some("candidates, playout"),
        says: "playout policies of the domain",
        used_by: "`sampling`, `ms`, `uct`, `nmcs`, `nrpa` and their relatives complete solutions by them; with a `prior` there \
                  is a rollout `bias`",
        effect: "SameGame, under tree search: 746 points more by keeping a random colour for last, and 525 points more \
                 again by keeping the most frequent one ([table 1](../../papers/reproduce/schadd-table-1/report.md))",
        marks: ["○", "○", "○", "○", "", "", "", "○"],
        ..PLAIN
    },
    Function {
        owner: "Extras",
        name: "searches",
        says: "solvers of the problem's own, each a method by its name",
        used_by: "that method; `auto`",
        effect: "vehicle routing, stacking, packing and partition: the default methods ([routing](../results/routing.md), \
                 [stacking](../results/stacking.md), [packing](../results/packing.md), \
                 [partition](../results/partition.md))",
        ..PLAIN
    },
    Function {
        owner: "Extras",
        name: "portfolio",
        says: "the methods that suit the instance, with their settings",
        used_by: "`auto` enters them; the first is the default method of `solve`",
        ..PLAIN
    },
    Function {
        owner: "Extras",
        name: "explain",
        says: "that scores have parts, and constraints names",
        used_by: "results and the search for conflicts",
        ..PLAIN
    },
    Function {
        owner: "Explain",
        name: "parts",
        python: Some("parts"),
        says: "what a score consists of",
        used_by: "no search: results show the parts of their score",
        ..PLAIN
    },
    Function {
        owner: "Explain",
        name: "constraints",
        python: Some("constraints"),
        says: "the names of the constraints that can be left out",
        used_by: "no search: `explain` looks for those that cannot hold together",
        ..PLAIN
    },
    Function {
        owner: "Explain",
        name: "relaxed",
        python: Some("relaxed"),
        says: "the problem with some of the constraints alone",
        used_by: "as `constraints`",
        ..PLAIN
    },
    Function { owner: "Extras", name: "fingerprint", says: "which instance this is", used_by: "checkpoints", ..PLAIN },
];

/// Returns the function of this name.
///
/// # Panics
/// When no function has this name.
pub(crate) fn function(name: &str) -> &'static Function {
    FUNCTIONS.iter().find(|function| function.name == name).expect("a function in the list")
}
