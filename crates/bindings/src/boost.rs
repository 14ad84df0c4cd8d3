//! Boosted trees for Python: training, scoring, their nodes as arrays.

// Python hands its arguments over, and all settings by name.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::learn::boost::{Ensemble, Examples, Field, FieldKind, Node, Settings, Snapshot, Trees, slots, train};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, caught, raise};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Table<'py> = PyReadonlyArray2<'py, u32>;

/// First slot, width, and whether it is a number.
type Said = (u32, u32, bool);

fn fields(said: &[Said]) -> Vec<Field> {
    let one = |&(first, width, number): &Said| if number { Field::number(first) } else { Field::symbols(first, width) };
    said.iter().map(one).collect()
}

fn copied<T: numpy::Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> Vec<T> {
    array.as_array().iter().copied().collect()
}

/// Rows of these fields, if they have the slots.
fn rows(table: &Table<'_>, fields: &[Field]) -> Result<Vec<u32>> {
    let (wanted, found) = (slots(fields), table.shape()[1]);
    if wanted != found {
        return Err(Error::input(format!("rows have {found} slots, but their fields {wanted}")));
    }
    Ok(table.as_array().iter().copied().collect())
}

/// A classifier.
#[pyclass(frozen, module = "tolka._engine")]
pub struct TreeEnsemble(Ensemble);

#[pymethods]
impl TreeEnsemble {
    /// From arrays as `arrays` gives them.
    #[new]
    #[pyo3(signature = (fields, *, nodes, weights, roots, penalties, trees))]
    fn new(
        fields: Vec<Said>,
        nodes: Table<'_>,
        weights: PyReadonlyArray1<'_, f64>,
        roots: PyReadonlyArray1<'_, u32>,
        penalties: PyReadonlyArray1<'_, f64>,
        trees: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Self> {
        let make = || {
            if nodes.shape()[1] != 4 || penalties.len() != trees.len() {
                return Err(Error::format("the parts of the trees do not fit each other").hint("train them anew"));
            }
            let node = |row: numpy::ndarray::ArrayView1<'_, u32>| Node {
                field: row[0],
                value: row[1],
                yes: row[2],
                no: row[3],
            };
            let nodes = nodes.as_array().rows().into_iter().map(node).collect();
            let snapshots = copied(&penalties).into_iter().zip(copied(&trees));
            let snapshots = snapshots.map(|(penalty, trees)| Snapshot { penalty, trees }).collect();
            Ensemble::from_parts(self::fields(&fields), nodes, copied(&weights), copied(&roots), snapshots)
        };
        caught(make)?.map(Self).map_err(raise)
    }

    /// Trains one on rows; `start` is an ensemble to begin with.
    #[staticmethod]
    #[pyo3(signature = (
        fields, rows, labels, *, weights, offsets, start, first, decay, least, tolerance, max_depth, trees_per_penalty,
        max_trees, bins, exact, threads
    ))]
    fn train(
        py: Python<'_>,
        fields: Vec<Said>,
        rows: Table<'_>,
        labels: PyReadonlyArray1<'_, bool>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        offsets: Option<PyReadonlyArray1<'_, f64>>,
        start: Option<&TreeEnsemble>,
        first: f64,
        decay: f64,
        least: f64,
        tolerance: f64,
        max_depth: Option<u32>,
        trees_per_penalty: usize,
        max_trees: usize,
        bins: usize,
        exact: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let fields = self::fields(&fields);
        let examples = Examples {
            fields: &fields,
            rows: self::rows(&rows, &fields).map_err(raise)?,
            labels: copied(&labels),
            weights: weights.as_ref().map(copied).unwrap_or_default(),
            offsets: offsets.as_ref().map(copied),
        };
        let settings =
            Settings { start: first, decay, least, tolerance, max_depth, trees_per_penalty, max_trees, bins, exact };
        let start = start.map(|start| &start.0);
        let run = || with_threads(threads, || train(&examples, &settings, start)).and_then(|made| made);
        py.guarded(run).map(Self).map_err(raise)
    }

    /// The score of each row by so many trees. The fields say where slots are; sets may be wider than in training.
    #[pyo3(signature = (fields, rows, trees, *, threads))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        fields: Vec<Said>,
        rows: Table<'_>,
        trees: usize,
        threads: usize,
    ) -> PyResult<Numbers<'py>> {
        let fields = self.fitting(&fields).map_err(raise)?;
        let (rows, count) = (self::rows(&rows, &fields).map_err(raise)?, rows.shape()[0]);
        let view = Trees { fields: &fields, ..self.0.view().first(trees) };
        let run = || view.scores(&rows, count);
        Ok(py.guarded(|| with_threads(threads, run)).map_err(raise)?.into_pyarray(py))
    }

    /// The leaf that each row comes to in each of so many trees.
    fn leaves<'py>(
        &self,
        py: Python<'py>,
        fields: Vec<Said>,
        rows: Table<'_>,
        trees: usize,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let fields = self.fitting(&fields).map_err(raise)?;
        let (rows, count) = (self::rows(&rows, &fields).map_err(raise)?, rows.shape()[0]);
        let view = Trees { fields: &fields, ..self.0.view().first(trees) };
        let width = slots(&fields);
        let row = |at: usize| &rows[at * width..(at + 1) * width];
        let found = py.infallible(|| {
            let each = (0..count).flat_map(|at| view.roots.iter().map(move |&root| view.leaf(row(at), root) as u32));
            each.collect::<Vec<_>>()
        })?;
        found.into_pyarray(py).reshape([count, view.roots.len()])
    }

    /// By field, how much the last tests of paths change weights in so many trees: passed ones, and others.
    fn mass<'py>(&self, py: Python<'py>, trees: usize) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let mass = caught(|| self.0.view().first(trees).mass(usize::MAX))?;
        Ok((mass.positive.into_pyarray(py), mass.negative.into_pyarray(py)))
    }

    /// The penalties of the path, and how many trees belong to each.
    #[getter]
    fn snapshots(&self) -> Vec<(f64, u64)> {
        self.0.snapshots.iter().map(|snapshot| (snapshot.penalty, snapshot.trees)).collect()
    }

    /// The risk at the start of each penalty and after each tree: the penalty, the number of trees, the risk.
    #[getter]
    fn risks(&self) -> Vec<(f64, u64, f64)> {
        self.0.risks.clone()
    }

    /// First slot, width, and whether it is a number, of each field.
    #[getter]
    fn fields(&self) -> Vec<(usize, usize, bool)> {
        let one = |field: &Field| (field.first(), field.width(), field.kind() == FieldKind::Number);
        self.0.fields.iter().map(one).collect()
    }

    /// All that the constructor takes beside the fields.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let own = &self.0;
        let nodes: Vec<u32> =
            own.nodes.iter().flat_map(|node| [node.field, node.value, node.yes, node.no]).collect::<Vec<_>>();
        let dict = PyDict::new(py);
        dict.set_item("nodes", nodes.into_pyarray(py).reshape([own.nodes.len(), 4])?)?;
        dict.set_item("weights", own.weights.clone().into_pyarray(py))?;
        dict.set_item("roots", own.roots.clone().into_pyarray(py))?;
        let (penalties, trees): (Vec<f64>, Vec<u64>) = self.snapshots().into_iter().unzip();
        dict.set_item("penalties", penalties.into_pyarray(py))?;
        dict.set_item("trees", trees.into_pyarray(py))?;
        Ok(dict)
    }
}

impl TreeEnsemble {
    /// Fields of the same kinds as those of the trees.
    fn fitting(&self, said: &[Said]) -> Result<Vec<Field>> {
        let given = fields(said);
        if given.iter().map(Field::kind).eq(self.0.fields.iter().map(Field::kind)) {
            return Ok(given);
        }
        Err(Error::input("the rows have other fields than the trees"))
    }
}
