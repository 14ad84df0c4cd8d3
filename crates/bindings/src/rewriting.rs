//! Rewriting of forests for Python.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use tolka_engine::assist::rewriting::{self as engine, Phrases, Rules, Test, Token};
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};
use crate::forests::ConstituentForest;

/// Which grammar, the words that are rewritten, and tokens as numbers.
type Output = (u32, u32, u32, Vec<u32>);
/// Outputs, the forest told apart by them, the outputs of each of its root's edges and the logarithms of their chances.
type Found<'py> = (Vec<Output>, ConstituentForest, Vec<Vec<u32>>, Bound<'py, PyArray1<f64>>);

/// The best tree of a node: nodes with their edges.
type Phrase = Vec<(u32, Option<u32>)>;

/// Rules of rewriting grammars.
#[pyclass(frozen, module = "tolka._engine")]
pub struct RewritingRules(Rules);

fn numbered(row: &[Token], code: &mut Vec<u32>) {
    code.push(row.len() as u32);
    for token in row {
        match token {
            Token::Words(begin, end) => code.extend([0, *begin, *end]),
            Token::Node(node) => code.extend([1, *node, 0]),
            Token::Literal(words) => code.extend([2, *words, 0]),
            // Whole outputs have none: their rules have no parameters.
            Token::Parameter(number) => code.extend([3, *number, 0]),
            Token::Call(function, arguments) => {
                code.extend([4, *function, arguments.len() as u32]);
                arguments.iter().for_each(|one| numbered(one, code));
            }
        }
    }
}

#[pymethods]
impl RewritingRules {
    /// From numbers; see `Rules::decode`.
    #[new]
    fn new(code: Vec<u32>, roots: Vec<u32>) -> PyResult<Self> {
        Rules::decode(&code, roots).map(Self).map_err(raise)
    }

    /// Rewrites a forest; tests are of labels, head words or only words (0, 1, 2). None if it takes more than `most` edges.
    fn rewritten<'py>(
        &self,
        py: Python<'py>,
        forest: &ConstituentForest,
        tests: Vec<(u8, Vec<bool>)>,
        parts: bool,
        most: usize,
    ) -> PyResult<Option<Found<'py>>> {
        let tests = tests.into_iter().map(|(kind, bits)| match kind {
            0 => Ok(Test::Label(bits)),
            1 => Ok(Test::Head(bits)),
            2 => Ok(Test::Word(bits)),
            _ => Err(Error::internal(format!("there is no test {kind}"))),
        });
        let tests = tests.collect::<Result<Vec<_>>>().map_err(raise)?;
        let found = py.guarded(|| engine::rewritten(&self.0, &tests, &forest.0, parts, most)).map_err(raise)?;
        Ok(found.map(|found| {
            let chances = found.log_chances().into_pyarray(py);
            let outputs = found.outputs.iter().map(|output| {
                let mut code = Vec::new();
                numbered(&output.tokens, &mut code);
                (output.root, output.begin, output.end, code)
            });
            (outputs.collect(), ConstituentForest(Arc::new(found.forest)), found.yields, chances)
        }))
    }

    /// The best trees of nodes: nodes with their edges, parents first; words have none.
    #[staticmethod]
    fn phrases(py: Python<'_>, forest: &ConstituentForest, nodes: Vec<u32>) -> PyResult<Vec<Phrase>> {
        let built = || {
            let count = forest.0.nodes.len();
            if nodes.iter().any(|&node| node as usize >= count) {
                return Err(Error::input("there is no such node"));
            }
            let mut phrases = Phrases::new(&forest.0);
            Ok(nodes.iter().map(|&node| phrases.best(node)).collect())
        };
        py.guarded(built).map_err(raise)
    }
}
