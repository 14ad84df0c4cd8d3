//! People who know one language help: trees are rewritten, so that they can say what a sentence means.

pub mod rewriting;
