//! A classifier by itself.

use super::examples::Field;
use super::mass::Mass;
use super::residual::Residual;
use super::trees::{Node, Snapshot, Trees};
use crate::{Error, Result};

/// Trees that are boosted together, in flat arrays; see [`Trees`] for what is in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ensemble {
    /// What is in a row.
    pub fields: Vec<Field>,
    /// Nodes of all trees.
    pub nodes: Vec<Node>,
    /// Weights of all nodes.
    pub weights: Vec<f64>,
    /// Where trees begin.
    pub roots: Vec<u32>,
    /// How many trees belong to which penalty.
    pub snapshots: Vec<Snapshot>,
    /// The risk, which is loss and penalty, at the start of each penalty and after each tree, with the number of trees; what
    /// came from a file has none.
    pub risks: Vec<(f64, u64, f64)>,
}

impl Ensemble {
    /// An ensemble without trees.
    pub fn empty(fields: &[Field]) -> Self {
        Self { fields: fields.to_vec(), ..Self::default() }
    }

    /// An ensemble of these parts.
    ///
    /// # Errors
    /// Parts that do not fit each other.
    pub fn from_parts(
        fields: Vec<Field>,
        nodes: Vec<Node>,
        weights: Vec<f64>,
        roots: Vec<u32>,
        snapshots: Vec<Snapshot>,
    ) -> Result<Self> {
        let ensemble = Self { fields, nodes, weights, roots, snapshots, risks: Vec::new() };
        let checked = Trees::check_fields(&ensemble.fields).and_then(|()| ensemble.view().check(&mut Vec::new()));
        checked.map(|()| ensemble).map_err(|what| Error::format(what).hint("train it anew"))
    }

    /// The trees, as all kinds of ensembles have them.
    #[inline]
    pub fn view(&self) -> Trees<'_> {
        Trees {
            fields: &self.fields,
            nodes: &self.nodes,
            weights: &self.weights,
            roots: &self.roots,
            snapshots: &self.snapshots,
        }
    }

    /// See [`Trees::score`].
    pub fn score(&self, row: &[u32], snapshot: usize) -> f64 {
        self.view().score(row, snapshot)
    }

    /// See [`Trees::snapshot`].
    pub fn snapshot(&self, penalty: f64) -> Option<usize> {
        self.view().snapshot(penalty)
    }

    /// See [`Trees::specialise`].
    pub fn specialise<'k>(&self, snapshot: usize, known: impl Fn(usize) -> Option<&'k [u32]>) -> Residual {
        self.view().specialise(snapshot, known)
    }

    /// See [`Trees::mass`].
    pub fn mass(&self, snapshot: usize) -> Mass {
        self.view().mass(snapshot)
    }

    /// Forgets all trees that a snapshot does not have, and the snapshots after it.
    pub fn truncate(&mut self, snapshot: usize) {
        let trees = self.view().trees(snapshot);
        let nodes = self.roots.get(trees).map_or(self.nodes.len(), |&root| root as usize);
        self.roots.truncate(trees);
        self.nodes.truncate(nodes);
        self.weights.truncate(nodes);
        self.snapshots.truncate(snapshot.saturating_add(1));
    }
}
