//! What a model is made of: its kind, its sizes, and the tensors that follow from them.

use super::sentence::Dictionaries;
use super::templates::{BINS, JOINED, RELEASED, TEXT, Template};
use crate::{Error, Result};

/// How the recurrent state moves on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// A simple recurrent network (Miceli Barone 2015, eq. 4.4).
    Simple,
    /// A gated recurrent unit whose gate acts on the state before the matrix (Cho et al. 2014).
    Gated,
    /// The same with the gate after the matrix, as eq. 4.10 is printed and as `PyTorch` has it.
    GatedAfter,
}

/// Which features and which scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As the thesis describes them (section 4.3.1).
    Text,
    /// As the author's released program has them.
    Released,
}

impl Profile {
    /// Templates of a word alone.
    #[must_use]
    pub fn words(self) -> &'static [Template] {
        match self {
            Self::Text => &TEXT,
            Self::Released => &RELEASED,
        }
    }
}

/// Kind and sizes of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The cell.
    pub cell: Cell,
    /// The features.
    pub profile: Profile,
    /// Units of the state.
    pub units: usize,
    /// Units of the inner state over walks; 0 for none.
    pub inner: usize,
    /// Rows for words; 0 for a model without words.
    pub forms: usize,
    /// Units of the read-out layer of the released profile; 1 for a linear read-out.
    pub layer: usize,
    /// Whether values of candidates are only seen joined with distances.
    pub conjoin_only: bool,
}

/// The tensors, in their order. Their names are those of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tensor {
    /// What an emitted word tells the state, a row per value: Θ1.
    Input,
    /// What is known of a candidate, rows per value alone and joined with each distance, then of bare distances: Θo.
    Output,
    Recurrent,
    Start,
    Scale,
    /// θα and θbias, equal for all candidates of a step.
    Offsets,
    InputForms,
    OutputForms,
    /// A candidate's embedding in the released profile, a row per value.
    Embedding,
    EmbeddingForms,
    /// Rows for log|J|, max(d, 0) / 30 and min(d, 0) / 30 in the released profile.
    Scalars,
    LayerState,
    LayerOut,
    Steps,
    InnerRecurrent,
    InnerStart,
    InnerInput,
    InnerOutput,
}

/// All tensors with their names.
pub const TENSORS: [(Tensor, &str); 18] = [
    (Tensor::Input, "input"),
    (Tensor::Output, "output"),
    (Tensor::Recurrent, "recurrent"),
    (Tensor::Start, "start"),
    (Tensor::Scale, "scale"),
    (Tensor::Offsets, "offsets"),
    (Tensor::InputForms, "input_forms"),
    (Tensor::OutputForms, "output_forms"),
    (Tensor::Embedding, "embedding"),
    (Tensor::EmbeddingForms, "embedding_forms"),
    (Tensor::Scalars, "scalars"),
    (Tensor::LayerState, "layer_state"),
    (Tensor::LayerOut, "layer_out"),
    (Tensor::Steps, "steps"),
    (Tensor::InnerRecurrent, "inner_recurrent"),
    (Tensor::InnerStart, "inner_start"),
    (Tensor::InnerInput, "inner_input"),
    (Tensor::InnerOutput, "inner_output"),
];

/// Tensors whose rows belong to features, so that a batch touches few of them.
pub const SPARSE: [Tensor; 7] = [
    Tensor::Input,
    Tensor::Output,
    Tensor::InputForms,
    Tensor::OutputForms,
    Tensor::Embedding,
    Tensor::EmbeddingForms,
    Tensor::Steps,
];

const MOST_UNITS: usize = 1 << 14;

impl Shape {
    /// Checks sizes.
    ///
    /// # Errors
    /// There are no units, or more than anyone would train.
    pub fn check(&self) -> Result<()> {
        for (name, size, least) in [("units", self.units, 1), ("inner", self.inner, 0), ("layer", self.layer, 1)] {
            if !(least..=MOST_UNITS).contains(&size) {
                return Err(Error::settings(format!("{name} must be from {least} to {MOST_UNITS}, not {size}")));
            }
        }
        Ok(())
    }

    /// Numbers that go into the state for each word: one per unit, or one per unit and gate.
    #[must_use]
    pub fn gates(&self) -> usize {
        if self.cell == Cell::Simple { self.units } else { 3 * self.units }
    }

    /// Numbers per candidate that features sum up to.
    #[must_use]
    pub fn width(&self) -> usize {
        if self.profile == Profile::Text { self.units } else { self.layer }
    }

    /// Rows and columns of a tensor; no rows if the model has none of it.
    #[must_use]
    pub fn size(&self, tensor: Tensor, values: &Dictionaries) -> (usize, usize) {
        let (units, gates, width, inner) = (self.units, self.gates(), self.width(), self.inner);
        let (words, steps) = (values.words.len(), values.steps.len());
        let text = self.profile == Profile::Text;
        let released = |rows: usize| if text { 0 } else { rows };
        let walks = |rows: usize| if inner > 0 { rows } else { 0 };
        let layer = if self.layer > 1 { released(self.layer) } else { 0 };
        match tensor {
            Tensor::Input => (words, gates),
            Tensor::Output => (words * JOINED + BINS, width),
            Tensor::Recurrent => (gates, units),
            Tensor::Start => (1, units),
            Tensor::Scale => (usize::from(text), units),
            Tensor::Offsets => (usize::from(text), 2),
            Tensor::InputForms => (self.forms, gates),
            Tensor::OutputForms => (self.forms, width),
            Tensor::Embedding => (released(words), units),
            Tensor::EmbeddingForms => (released(self.forms), units),
            Tensor::Scalars => (released(3), width),
            Tensor::LayerState => (layer, units),
            Tensor::LayerOut => (usize::from(layer > 0), layer),
            Tensor::Steps => (walks(steps * JOINED), inner),
            Tensor::InnerRecurrent => (inner, inner),
            Tensor::InnerStart => (walks(1), inner),
            Tensor::InnerInput => (walks(gates), inner),
            Tensor::InnerOutput => (walks(width), inner),
        }
    }
}
