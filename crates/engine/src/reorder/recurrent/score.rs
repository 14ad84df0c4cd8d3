//! Scores of candidates, and the probability of an order.

use super::bags::Bags;
use super::cell::step;
use super::corpus::Words;
use super::model::Model;
use super::numbers::{add_product, add_times, dot, tanh};
use super::sentence::Sentence;
use super::shape::{Cell, Profile, Tensor};
use super::templates::{BINS, bin};
use super::walks::Walks;
use crate::Result;

/// What search and probabilities ask of one sentence. As the last word, the number of words stands for none.
pub trait Source {
    /// How many words the sentence has.
    fn words(&self) -> usize;
    /// Units of the state.
    fn units(&self) -> usize;
    /// Writes the state before the first word.
    fn start(&self, state: &mut [f32]);
    /// Writes h(j, t) of every free word (Miceli Barone 2015, eq. 4.5), given the last word and the one before it.
    fn scores(&mut self, history: (usize, usize), state: &[f32], free: &[u32], scores: &mut Vec<f32>);
    /// Writes the state after a word that follows the last one (eq. 4.4, 4.10).
    fn advance(&mut self, last: usize, word: usize, state: &[f32], next: &mut [f32]);
}

/// ln Σ exp, computed around the highest.
#[must_use]
pub fn log_sum(scores: &[f32]) -> f64 {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    f64::from(most) + f64::from(scores.iter().map(|&score| (score - most).exp()).sum::<f32>()).ln()
}

/// The natural logarithm of the probability of an order (eq. 4.6). The last word is certain.
pub fn log_likelihood(source: &mut impl Source, order: &[u32]) -> f64 {
    let mut free: Vec<u32> = (0..order.len() as u32).collect();
    let (mut state, mut next) = (vec![0.0; source.units()], vec![0.0; source.units()]);
    let mut scores = Vec::new();
    source.start(&mut state);
    let mut sum = 0.0;
    for at in 0..order.len() - 1 {
        let history = super::sentence::history(order, at);
        source.scores(history, &state, &free, &mut scores);
        let word = order[at];
        let place = free.partition_point(|&other| other < word);
        sum += f64::from(scores[place]) - log_sum(&scores);
        free.remove(place);
        source.advance(history.0, word as usize, &state, &mut next);
        std::mem::swap(&mut state, &mut next);
    }
    sum
}

/// A sentence whose scores come from its features.
pub struct Featured<'a> {
    model: &'a Model,
    bags: Bags<'a>,
    sentence: Sentence,
    // What words share with all their pairs.
    shared: Vec<f32>,
    // Rows of all candidates after each last word, made when first asked for.
    rows: Vec<f32>,
    made: Vec<bool>,
    embeddings: Vec<f32>,
    // Sums of the steps of walks, and the inner states of all walks from each last word.
    steps: Vec<f32>,
    inner: Vec<f32>,
    walks: Walks,
    states: Vec<f32>,
    products: Vec<f32>,
    input: Vec<f32>,
    hidden: Vec<f32>,
}

impl<'a> Featured<'a> {
    /// Memory for sentences of this model.
    #[must_use]
    pub fn new(model: &'a Model) -> Self {
        Self {
            model,
            bags: model.bags(),
            sentence: Sentence::default(),
            shared: Vec::new(),
            rows: Vec::new(),
            made: Vec::new(),
            embeddings: Vec::new(),
            steps: Vec::new(),
            inner: Vec::new(),
            walks: Walks::default(),
            states: Vec::new(),
            products: Vec::new(),
            input: vec![0.0; model.shape.gates()],
            hidden: vec![0.0; model.shape.width().max(model.shape.units)],
        }
    }

    /// Takes the next sentence.
    ///
    /// # Errors
    /// Heads are no tree.
    pub fn read(&mut self, words: Words<'_>) -> Result<()> {
        let (shape, parameters) = (&self.model.shape, &self.model.parameters);
        self.sentence.read(words)?;
        self.sentence.look_up(shape, &self.model.values.words);
        self.bags.shared(parameters, &self.sentence, &mut self.shared);
        let length = self.sentence.len();
        self.made.clear();
        self.made.resize(length + 1, false);
        self.rows.resize((length + 1) * length * shape.width(), 0.0);
        if shape.profile == Profile::Released {
            self.embeddings.clear();
            self.embeddings.resize(length * shape.units, 0.0);
            for (word, sum) in self.embeddings.chunks_exact_mut(shape.units).enumerate() {
                self.bags.embedding(parameters, &self.sentence, word, sum);
            }
        }
        if shape.inner > 0 {
            self.inner.resize((length + 1) * length * shape.inner, 0.0);
            self.steps.clear();
            self.steps.resize(super::templates::ACTIONS * self.sentence.vertices() * shape.inner, 0.0);
            for (step, sum) in self.steps.chunks_exact_mut(shape.inner).enumerate() {
                self.bags.step(parameters, &self.sentence, step, sum);
            }
        }
        Ok(())
    }

    /// The inner states of the walks from the last word to every word (eq. 4.9), word by word.
    pub fn inner_states(&mut self, last: usize) -> &[f32] {
        let (size, length) = (self.model.shape.inner, self.sentence.len());
        let parameters = &self.model.parameters;
        let matrix = parameters.get(Tensor::InnerRecurrent);
        self.walks.find(&self.sentence, last);
        let positions = self.walks.vertices.len();
        self.states.clear();
        self.states.extend_from_slice(parameters.get(Tensor::InnerStart));
        // Walks with a common beginning share the product of its end: it is computed when the first asks for it.
        self.products.clear();
        self.products.resize(positions * size, 0.0);
        let mut computed = vec![false; positions];
        for position in 1..positions {
            let before = self.walks.before[position] as usize;
            let product = &mut self.products[before * size..(before + 1) * size];
            if !computed[before] {
                computed[before] = true;
                add_product(product, matrix, &self.states[before * size..(before + 1) * size]);
            }
            let step = self.walks.steps[position] as usize;
            let input = &self.steps[step * size..(step + 1) * size];
            self.states.extend(input.iter().zip(&*product).map(|(&x, &y)| tanh(x + y)));
        }
        let inner = &mut self.inner[last * length * size..(last + 1) * length * size];
        for (word, inner) in inner.chunks_exact_mut(size).enumerate() {
            let end = self.walks.ends[word] as usize;
            inner.copy_from_slice(&self.states[end * size..(end + 1) * size]);
        }
        inner
    }

    fn make(&mut self, last: usize) {
        let (shape, parameters) = (self.model.shape, &self.model.parameters);
        let (width, length, size) = (shape.width(), self.sentence.len(), shape.inner);
        if size > 0 {
            self.inner_states(last);
        }
        let rows = &mut self.rows[last * length * width..(last + 1) * length * width];
        for (word, row) in rows.chunks_exact_mut(width).enumerate() {
            if word == last {
                continue;
            }
            let distance = bin(self.sentence.distance(word, last));
            row.copy_from_slice(&self.shared[(word * BINS + distance) * width..(word * BINS + distance + 1) * width]);
            self.bags.candidate(parameters, &self.sentence, word, last, row);
            if size > 0 {
                let inner = &self.inner[(last * length + word) * size..(last * length + word + 1) * size];
                add_product(row, parameters.get(Tensor::InnerOutput), inner);
            }
            if shape.profile == Profile::Text {
                for (x, &scale) in row.iter_mut().zip(parameters.get(Tensor::Scale)) {
                    *x = tanh(*x) * scale;
                }
            }
        }
        self.made[last] = true;
    }
}

impl Source for Featured<'_> {
    fn words(&self) -> usize {
        self.sentence.len()
    }

    fn units(&self) -> usize {
        self.model.shape.units
    }

    fn start(&self, state: &mut [f32]) {
        state.copy_from_slice(self.model.parameters.get(Tensor::Start));
    }

    fn scores(&mut self, history: (usize, usize), state: &[f32], free: &[u32], scores: &mut Vec<f32>) {
        let last = history.0;
        if !self.made[last] {
            self.make(last);
        }
        let (shape, parameters) = (&self.model.shape, &self.model.parameters);
        let (width, units) = (shape.width(), shape.units);
        let first = last * self.sentence.len() * width;
        let row = |word: usize| &self.rows[first + word * width..first + (word + 1) * width];
        scores.clear();
        let left = (free.len() as f32).ln();
        if shape.profile == Profile::Text {
            let offsets = parameters.get(Tensor::Offsets);
            let offset = offsets[0] * left + offsets[1];
            scores.extend(free.iter().map(|&word| dot(row(word as usize), state) + offset));
            return;
        }
        for &word in free {
            let word = word as usize;
            let hidden = &mut self.hidden[..width];
            hidden.copy_from_slice(row(word));
            self.bags.later(parameters, &self.sentence, word, history, hidden);
            let distance = self.sentence.distance(word, last) as f32 / 30.0;
            for (at, scalar) in [left, distance.max(0.0), distance.min(0.0)].into_iter().enumerate() {
                add_times(hidden, scalar, parameters.row(Tensor::Scalars, at));
            }
            let embedding = &self.embeddings[word * units..(word + 1) * units];
            if shape.layer == 1 {
                scores.push(hidden[0] + dot(embedding, state));
                continue;
            }
            let product: Vec<f32> = embedding.iter().zip(state).map(|(&x, &v)| x * v).collect();
            add_product(hidden, parameters.get(Tensor::LayerState), &product);
            hidden.iter_mut().for_each(|x| *x = tanh(*x));
            scores.push(dot(hidden, parameters.get(Tensor::LayerOut)));
        }
    }

    fn advance(&mut self, last: usize, word: usize, state: &[f32], next: &mut [f32]) {
        let (shape, parameters) = (&self.model.shape, &self.model.parameters);
        self.input.fill(0.0);
        self.bags.input(parameters, &self.sentence, word, last, &mut self.input);
        if shape.inner > 0 {
            let (size, length) = (shape.inner, self.sentence.len());
            let inner = &self.inner[(last * length + word) * size..(last * length + word + 1) * size];
            add_product(&mut self.input, parameters.get(Tensor::InnerInput), inner);
        }
        step(shape.cell, parameters.get(Tensor::Recurrent), &mut self.input, state, next);
    }
}

/// A sentence whose sums of features are given: for models without features, and for tests.
pub struct Given<'a> {
    /// The cell.
    pub cell: Cell,
    /// How many words there are.
    pub words: usize,
    /// What every word tells the state after every last word: Θ1·x(j|e), last words first.
    pub inputs: &'a [f32],
    /// What is known of every candidate after every last word: Θo·x_o(j|e).
    pub candidates: &'a [f32],
    /// ΘREC.
    pub recurrent: &'a [f32],
    /// The state before the first word.
    pub start: &'a [f32],
    /// θ2.
    pub scale: &'a [f32],
    /// θα and θbias.
    pub offsets: [f32; 2],
}

impl Source for Given<'_> {
    fn words(&self) -> usize {
        self.words
    }

    fn units(&self) -> usize {
        self.start.len()
    }

    fn start(&self, state: &mut [f32]) {
        state.copy_from_slice(self.start);
    }

    fn scores(&mut self, history: (usize, usize), state: &[f32], free: &[u32], scores: &mut Vec<f32>) {
        let units = self.start.len();
        let offset = self.offsets[0] * (free.len() as f32).ln() + self.offsets[1];
        let weights: Vec<f32> = state.iter().zip(self.scale).map(|(&v, &scale)| v * scale).collect();
        scores.clear();
        scores.extend(free.iter().map(|&word| {
            let at = history.0 * self.words + word as usize;
            let row: Vec<f32> = self.candidates[at * units..(at + 1) * units].iter().map(|&x| tanh(x)).collect();
            dot(&row, &weights) + offset
        }));
    }

    fn advance(&mut self, last: usize, word: usize, state: &[f32], next: &mut [f32]) {
        let gates = self.recurrent.len() / state.len();
        let at = last * self.words + word;
        let mut input = self.inputs[at * gates..(at + 1) * gates].to_vec();
        step(self.cell, self.recurrent, &mut input, state, next);
    }
}
