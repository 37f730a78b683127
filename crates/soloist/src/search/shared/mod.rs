//! What several families of searches share: children and their order, tables of states, paths, open lists, results.

pub(crate) mod children;
pub(crate) mod depth_first;
pub(crate) mod features;
pub(crate) mod nodes;
pub(crate) mod open_list;
pub(crate) mod seen;
