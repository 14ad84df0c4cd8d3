//! Constituency forests for Python: their arrays, sums and trees.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tolka_engine::syntax::forests::{self as engine, Edge, Node};
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};

type Ints<'py> = Bound<'py, PyArray1<u32>>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// A constituency forest.
#[pyclass(frozen, module = "tolka._engine")]
pub struct ConstituentForest(pub Arc<engine::ConstituentForest>);

fn column<'py>(py: Python<'py>, numbers: impl Iterator<Item = u32>) -> Ints<'py> {
    numbers.collect::<Vec<u32>>().into_pyarray(py)
}

/// Ranges between these begins.
fn ranges(begins: &[u32]) -> Vec<std::ops::Range<u32>> {
    begins.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

#[pymethods]
impl ConstituentForest {
    /// From arrays, which are checked: of nodes their labels, first words, ends, heads and where their edges begin; of edges
    /// their scores and where their children begin.
    #[new]
    #[pyo3(signature = (*, words, labels, nodes, heads, edge_begins, scores, child_begins, children, root))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        words: Vec<String>,
        labels: Vec<String>,
        nodes: [PyReadonlyArray1<'_, u32>; 3],
        heads: PyReadonlyArray1<'_, u32>,
        edge_begins: PyReadonlyArray1<'_, u32>,
        scores: PyReadonlyArray1<'_, f64>,
        child_begins: PyReadonlyArray1<'_, u32>,
        children: PyReadonlyArray1<'_, u32>,
        root: u32,
    ) -> PyResult<Self> {
        let [label, begin, end] = nodes.map(|column| column.as_array().to_vec());
        let (heads, scores) = (heads.as_array().to_vec(), scores.as_array().to_vec());
        let edges_of = ranges(&edge_begins.as_array().to_vec());
        let children_of = ranges(&child_begins.as_array().to_vec());
        let children = children.as_array().to_vec();
        let built = || -> Result<_> {
            let count = label.len();
            if [begin.len(), end.len(), heads.len(), edges_of.len()] != [count; 4] || children_of.len() != scores.len()
            {
                return Err(Error::input("the arrays of the forest do not fit each other"));
            }
            let mut nodes = Vec::with_capacity(count);
            let mut owners = vec![u32::MAX; scores.len()];
            for (at, range) in edges_of.into_iter().enumerate() {
                let own = owners.get_mut(range.start as usize..range.end as usize);
                own.unwrap_or_default().fill(at as u32);
                let (label, begin, end, head) = (label[at], begin[at], end[at], heads[at]);
                nodes.push(Node { label, begin, end, head, edges: range });
            }
            let edges = owners.into_iter().zip(children_of).zip(scores);
            let edges = edges.map(|((node, children), score)| Edge { node, children, score }).collect();
            engine::ConstituentForest::new(words, labels, nodes, edges, children, root)
        };
        py.guarded(built).map(|forest| Self(Arc::new(forest))).map_err(raise)
    }

    /// The words.
    #[getter]
    fn words(&self) -> &[String] {
        &self.0.words
    }

    /// The labels.
    #[getter]
    fn labels(&self) -> &[String] {
        &self.0.labels
    }

    /// The node of whole trees.
    #[getter]
    fn root(&self) -> u32 {
        self.0.root
    }

    /// Labels, first words, ends and heads of nodes.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> [Ints<'py>; 4] {
        let nodes = &self.0.nodes;
        [
            column(py, nodes.iter().map(|node| node.label)),
            column(py, nodes.iter().map(|node| node.begin)),
            column(py, nodes.iter().map(|node| node.end)),
            column(py, nodes.iter().map(|node| node.head)),
        ]
    }

    /// Where each node's edges begin, with an end; where each edge's children begin, with an end; children.
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> [Ints<'py>; 3] {
        let (nodes, edges) = (self.0.nodes.iter(), self.0.edges.iter());
        [
            column(py, std::iter::once(0).chain(nodes.map(|node| node.edges.end))),
            column(py, std::iter::once(0).chain(edges.map(|edge| edge.children.end))),
            column(py, self.0.children.iter().copied()),
        ]
    }

    /// Scores of edges.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Floats<'py> {
        self.0.edges.iter().map(|edge| edge.score).collect::<Vec<f64>>().into_pyarray(py)
    }

    /// The logarithms of the sums over the trees of nodes.
    fn inside<'py>(&self, py: Python<'py>) -> Floats<'py> {
        self.0.inside().to_vec().into_pyarray(py)
    }

    /// How often nodes and edges are expected in a tree, and the logarithms of what completes nodes.
    fn sums<'py>(&self, py: Python<'py>) -> PyResult<(Floats<'py>, Floats<'py>, Floats<'py>)> {
        let sums = py.guarded(|| self.0.sums()).map_err(raise)?;
        Ok((sums.nodes.into_pyarray(py), sums.edges.into_pyarray(py), sums.outside.into_pyarray(py)))
    }

    /// The best tree: the logarithm of its weight, and its nodes with their edges, parents first.
    fn best(&self, py: Python<'_>) -> PyResult<(f64, engine::Chosen)> {
        py.guarded(|| self.0.best()).map_err(raise)
    }

    /// The best trees.
    fn nbest(&self, py: Python<'_>, count: usize) -> PyResult<Vec<(f64, engine::Chosen)>> {
        py.guarded(|| self.0.nbest(count)).map_err(raise)
    }

    /// Trees drawn by their weights.
    fn sample(&self, py: Python<'_>, count: usize, seed: u64) -> PyResult<Vec<engine::Chosen>> {
        py.guarded(|| self.0.sample(count, seed)).map_err(raise)
    }

    /// The same trees with other scores.
    fn reweighted(&self, py: Python<'_>, deltas: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let deltas = deltas.as_array().to_vec();
        py.guarded(|| self.0.reweighted(&deltas)).map(|forest| Self(Arc::new(forest))).map_err(raise)
    }

    /// The same trees over other words.
    fn with_words(&self, py: Python<'_>, words: Vec<String>) -> PyResult<Self> {
        py.guarded(|| self.0.with_words(words)).map(|forest| Self(Arc::new(forest))).map_err(raise)
    }

    /// Without edges that are expected less often, if a tree is left.
    fn pruned(&self, py: Python<'_>, least: f64) -> PyResult<Option<Self>> {
        let found = py.guarded(|| self.0.pruned(least)).map_err(raise)?;
        Ok(found.map(|forest| Self(Arc::new(forest))))
    }
}
