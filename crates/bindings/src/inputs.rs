//! Inputs of decoders from Python: lines of tokens or lattices, and what is given with them.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyList;
use tolka_engine::Result;
use tolka_engine::decode::plf::{self, Scores};
use tolka_engine::decode::{Given, Input, Span, SpanKind};

use crate::error::{Guarded, caught, raise};
use crate::texts::texts;

/// Translations of a span: begin, end, words with log weights, whether they are exclusive.
type Translations = (u32, u32, Vec<(String, f32)>, bool);
/// Positions that belong together, and whether they are one constituent.
type Bracket = (u32, u32, bool);
/// The last position of a lattice, and its arcs: begin, end, word, score.
type Arcs = (u32, Vec<(u32, u32, String, f32)>);

/// For each line what is given with it: translations, spans that belong together, walls, and a lattice in its place.
pub type GivenSpans = Vec<(Vec<Translations>, Vec<Bracket>, Vec<u32>, Option<Arcs>)>;

/// Lines as Python has them.
pub struct Lines {
    texts: Vec<PyBackedStr>,
    given: GivenSpans,
}

impl Lines {
    /// Borrows lines; `given` is empty or has an item for each.
    pub fn new(lines: &Bound<'_, PyList>, given: GivenSpans) -> PyResult<Self> {
        Ok(Self { texts: texts(lines)?, given })
    }

    /// The inputs, checked.
    pub fn inputs(&self) -> Result<Vec<Input>> {
        let mut inputs = Vec::with_capacity(self.texts.len());
        for (at, line) in self.texts.iter().enumerate() {
            inputs.push(self.input(at, line).map_err(|error| error.at_line(at as u64 + 1))?);
        }
        Ok(inputs)
    }

    fn input(&self, at: usize, line: &str) -> Result<Input> {
        let Some((given, spans, walls, lattice)) = self.given.get(at) else {
            return Input::sentence(line);
        };
        let input = match lattice {
            Some((last, arcs)) => {
                let arcs: Vec<(u32, u32, &str, f32)> =
                    arcs.iter().map(|(begin, end, word, score)| (*begin, *end, word.as_str(), *score)).collect();
                Input::lattice(*last, &arcs)?
            }
            None => Input::sentence(line)?,
        };
        let given = given.iter().map(|(begin, end, targets, exclusive)| Given {
            begin: *begin,
            end: *end,
            targets: targets.iter().map(|(text, weight)| (words(text), *weight)).collect(),
            exclusive: *exclusive,
        });
        let spans = spans.iter().map(|&(begin, end, whole)| {
            let kind = if whole { SpanKind::Whole } else { SpanKind::Zone };
            Span { begin, end, kind }
        });
        input.with_given(given.collect())?.with_bounds(spans.collect(), walls)
    }
}

/// Look for inputs that make no sense, without translating them.
#[pyfunction]
#[pyo3(signature = (lines, *, given))]
pub fn check_inputs(py: Python<'_>, lines: &Bound<'_, PyList>, given: GivenSpans) -> PyResult<()> {
    let lines = Lines::new(lines, given)?;
    py.guarded(|| lines.inputs().map(drop)).map_err(raise)
}

/// Read a lattice of one line; returns its last position and its arcs with natural logarithms.
#[pyfunction]
pub fn read_plf(text: &str, logarithms: bool) -> PyResult<(u32, Vec<plf::PlfArc>)> {
    let scores = if logarithms { Scores::Logarithms } else { Scores::Probabilities };
    caught(|| plf::read(text, scores))?.map_err(raise)
}

fn words(text: &str) -> Vec<String> {
    text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
