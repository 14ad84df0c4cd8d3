//! What decoding a sentence took.

use std::time::Duration;

/// Counts and times of one sentence, for any strategy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Cells or stacks filled.
    pub cells: u64,
    /// Rules with their gaps that matched a span, or groups of hypotheses that met a span.
    pub cubes: u64,
    /// Hypotheses taken.
    pub pops: u64,
    /// Hypotheses scored by language models.
    pub scored: u64,
    /// Words that language models were asked for, or asked for again with more context.
    pub queries: u64,
    /// Hypotheses kept apart.
    pub hypotheses: u64,
    /// Hypotheses taken that could not be told from another.
    pub recombined: u64,
    /// Whether a limit was reached, so that the rest was done in a hurry.
    pub hurried: bool,
    /// Time for a first pass without language models, if there is one.
    pub parsing: Duration,
    /// Time for what is known of its forest before search: the best below and around each node.
    pub factors: Duration,
    /// Time for the search itself.
    pub rescoring: Duration,
}
