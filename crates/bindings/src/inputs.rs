//! Inputs of decoders from Python: lines of tokens, and translations given with them.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyList;
use tolka_engine::Result;
use tolka_engine::decode::{Given, Input};

use crate::texts::texts;

/// For each line its given spans: begin, end, words with log weights, whether they are exclusive.
pub type GivenSpans = Vec<Vec<(u32, u32, Vec<(String, f32)>, bool)>>;

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
            let spans = self.given.get(at).map_or(&[][..], Vec::as_slice);
            let given = spans.iter().map(|(begin, end, targets, exclusive)| Given {
                begin: *begin,
                end: *end,
                targets: targets.iter().map(|(text, weight)| (words(text), *weight)).collect(),
                exclusive: *exclusive,
            });
            let input = Input::sentence(line).and_then(|input| input.with_given(given.collect()));
            inputs.push(input.map_err(|error| error.at_line(at as u64 + 1))?);
        }
        Ok(inputs)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
