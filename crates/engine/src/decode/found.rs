//! The best derivation that a search found, as tests look at it: the one that the first edges of its forest make.

use std::collections::BTreeMap;

use crate::forest::Forest;
use crate::forest::tests::first_derivation;

/// A derivation, without the numbers of its forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The target words (the yield).
    pub words: Vec<String>,
    /// The sum of the rules' scores.
    pub score: f64,
    /// The sums of dense features, and of sparse ones by name.
    pub features: Vec<f64>,
    pub sparse: BTreeMap<String, f64>,
    /// The rules, each after those in its gaps.
    pub steps: Vec<Step>,
}

/// A rule of a derivation.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Begin and end of the source and target words it stands on.
    pub source: [u32; 2],
    pub target: [u32; 2],
    /// Source and target words that translate each other.
    pub links: Vec<[u32; 2]>,
}

/// The first derivation of a forest; `None` if there is none.
pub fn found(forest: &Forest) -> Option<Found> {
    forest.goal()?;
    let edges = first_derivation(forest);
    let placed = forest.place(&edges).into_iter();
    Some(Found {
        words: forest.spell(&edges).iter().map(|&word| forest.words()[word as usize].clone()).collect(),
        score: edges.iter().map(|&(edge, _)| forest.edge(edge).score).sum(),
        features: forest.sum_features(&edges),
        sparse: forest
            .sum_sparse(&edges)
            .into_iter()
            .map(|(name, value)| (forest.sparse_names()[name as usize].clone(), value))
            .collect(),
        steps: placed.map(|step| Step { source: step.source, target: step.target, links: step.links }).collect(),
    })
}
