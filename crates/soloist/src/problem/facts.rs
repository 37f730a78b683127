//! Plain facts about an instance.

use crate::core::user_error::Fault;

/// Plain facts about an instance; see [`Problem::facts`](super::Problem::facts).
///
/// ```
/// use soloist::problem::Facts;
///
/// let facts = Facts { code_count: Some(400), ..Facts::default() };
/// assert!(facts.is_complete && facts.reference.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Facts {
    /// A number that all [codes](super::Problem::code) are below, when it is small: policies then hold their weights in
    /// a plain table instead of a hash table. `None`: codes may be any number.
    pub code_count: Option<u32>,
    /// The score of a trivial solution, such as an input left as it is: what searches that reward by a ratio of scores
    /// compare with. `None`: the first playout's score.
    pub reference: Option<f64>,
    /// Whether the moves can reach a best solution. `false` if they leave some out on purpose: then no run claims a
    /// proof. The default is `true`.
    pub is_complete: bool,
    /// About the most bytes that a state takes, with what it holds on the heap. Searches that keep many states (beams,
    /// paths of exact searches) divide the memory of the budget by it.
    ///
    /// `None`: twice the size of the type, which suits states that hold little on the heap. A state with lists should
    /// say how large they are.
    pub state_bytes: Option<usize>,
    /// Where user code reports that it cannot continue; see [`Fault`]. `None`: it never fails.
    pub fault: Option<Fault>,
}

impl Default for Facts {
    fn default() -> Self {
        Self { code_count: None, reference: None, is_complete: true, state_bytes: None, fault: None }
    }
}
