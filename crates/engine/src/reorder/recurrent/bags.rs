//! Sums of the rows of active features, and the way back: gradients of sums added to the rows.
//!
//! What a word shares with all its pairs is summed once per word and distance; only what belongs to the pair is added
//! per pair. One type walks over the rows, reading them or adding to them, so that both ways stay alike.

use super::model::Parameters;
use super::numbers::add;
use super::sentence::{Dictionaries, Sentence};
use super::shape::{Shape, Tensor};
use super::templates::{BINS, JOINED, bin};

/// Values of one pair or triple at most: three bigrams, two of each topology, two of last two words.
const MOST_PAIR: usize = 16;

/// A few numbers of values.
#[derive(Default)]
struct Few {
    ids: [u32; MOST_PAIR],
    len: usize,
}

impl Few {
    fn push(&mut self, id: u32) {
        self.ids[self.len] = id;
        self.len += 1;
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.ids[..self.len].iter().map(|&id| id as usize)
    }
}

/// Features of one model: what is needed to find rows.
#[derive(Clone, Copy)]
pub struct Bags<'a> {
    /// Kind and sizes.
    pub shape: &'a Shape,
    /// Numbers of values.
    pub values: &'a Dictionaries,
}

impl Bags<'_> {
    fn pair(&self, sentence: &Sentence, word: usize, last: usize) -> Few {
        let mut few = Few::default();
        sentence.pair_keys(self.shape.profile, word, last, |at, key| few.push(self.values.words.id(at, key)));
        few
    }

    fn triple(&self, sentence: &Sentence, word: usize, last: usize, earlier: usize) -> Few {
        let mut few = Few::default();
        let found = |at: usize, key: u64| few.push(self.values.words.id(at, key));
        sentence.triple_keys(self.shape.profile, word, last, earlier, found);
        few
    }

    fn text(&self) -> bool {
        self.shape.profile == super::Profile::Text
    }

    /// What an emitted word tells the state: all of its values, in texts also those of the pair with the last word.
    pub fn input(&self, p: &Parameters, sentence: &Sentence, word: usize, last: usize, sum: &mut [f32]) {
        self.input_rows(sentence, word, last, |tensor, row| add(sum, p.row(tensor, row)));
    }

    /// Adds a gradient of [`Bags::input`] to the rows.
    pub fn input_back(&self, g: &mut Gradients, sentence: &Sentence, word: usize, last: usize, sum: &[f32]) {
        self.input_rows(sentence, word, last, |tensor, row| g.add(tensor, row, sum));
    }

    fn input_rows(&self, sentence: &Sentence, word: usize, last: usize, mut row: impl FnMut(Tensor, usize)) {
        sentence.values(word).iter().for_each(|&value| row(Tensor::Input, value as usize));
        if self.text() {
            self.pair(sentence, word, last).iter().for_each(|value| row(Tensor::Input, value));
        }
        if self.shape.forms > 0 {
            row(Tensor::InputForms, sentence.forms[word] as usize);
        }
    }

    /// A candidate's embedding in the released profile.
    pub fn embedding(&self, p: &Parameters, sentence: &Sentence, word: usize, sum: &mut [f32]) {
        self.embedding_rows(sentence, word, |tensor, row| add(sum, p.row(tensor, row)));
    }

    /// Adds a gradient of [`Bags::embedding`] to the rows.
    pub fn embedding_back(&self, g: &mut Gradients, sentence: &Sentence, word: usize, sum: &[f32]) {
        self.embedding_rows(sentence, word, |tensor, row| g.add(tensor, row, sum));
    }

    fn embedding_rows(&self, sentence: &Sentence, word: usize, mut row: impl FnMut(Tensor, usize)) {
        sentence.values(word).iter().for_each(|&value| row(Tensor::Embedding, value as usize));
        if self.shape.forms > 0 {
            row(Tensor::EmbeddingForms, sentence.forms[word] as usize);
        }
    }

    /// What each word shares with all its pairs, for every distance: sums[(word · BINS + bin) · width ..].
    pub fn shared(&self, p: &Parameters, sentence: &Sentence, sums: &mut Vec<f32>) {
        let width = self.shape.width();
        let rows = self.values.words.len() * JOINED;
        sums.clear();
        sums.resize(sentence.len() * BINS * width, 0.0);
        let mut block = vec![0.0; JOINED * width];
        for (word, sums) in sums.chunks_exact_mut(BINS * width).enumerate() {
            block.fill(0.0);
            for &value in sentence.values(word) {
                add(&mut block, p.rows(Tensor::Output, value as usize * JOINED, JOINED));
            }
            let (alone, joined) = block.split_at_mut(width);
            if self.shape.conjoin_only {
                alone.fill(0.0);
            }
            if self.shape.forms > 0 {
                add(alone, p.row(Tensor::OutputForms, sentence.forms[word] as usize));
            }
            sums.copy_from_slice(joined);
            for (bin, sum) in sums.chunks_exact_mut(width).enumerate() {
                add(sum, alone);
                if !self.shape.conjoin_only {
                    add(sum, p.row(Tensor::Output, rows + bin));
                }
            }
        }
    }

    /// Adds gradients of [`Bags::shared`] to the rows; `used` says which distances a word was seen at.
    pub fn shared_back(&self, g: &mut Gradients, sentence: &Sentence, sums: &[f32], used: &[u16]) {
        let width = self.shape.width();
        let rows = self.values.words.len() * JOINED;
        let mut alone = vec![0.0; width];
        for (word, (sums, &used)) in sums.chunks_exact(BINS * width).zip(used).enumerate() {
            let bins = || sums.chunks_exact(width).enumerate().filter(|&(bin, _)| used >> bin & 1 == 1);
            alone.fill(0.0);
            bins().for_each(|(_, sum)| add(&mut alone, sum));
            if used == 0 {
                continue;
            }
            for &value in sentence.values(word) {
                let first = value as usize * JOINED;
                if !self.shape.conjoin_only {
                    g.add(Tensor::Output, first, &alone);
                }
                bins().for_each(|(bin, sum)| g.add(Tensor::Output, first + 1 + bin, sum));
            }
            if !self.shape.conjoin_only {
                bins().for_each(|(bin, sum)| g.add(Tensor::Output, rows + bin, sum));
            }
            if self.shape.forms > 0 {
                g.add(Tensor::OutputForms, sentence.forms[word] as usize, &alone);
            }
        }
    }

    /// What belongs to a candidate after the last word, on top of what it shares.
    pub fn candidate(&self, p: &Parameters, sentence: &Sentence, word: usize, last: usize, sum: &mut [f32]) {
        let few = self.pair(sentence, word, last);
        self.joined_rows(&few, sentence.distance(word, last), |row| add(sum, p.row(Tensor::Output, row)));
    }

    /// Adds a gradient of [`Bags::candidate`] to the rows.
    pub fn candidate_back(&self, g: &mut Gradients, sentence: &Sentence, word: usize, last: usize, sum: &[f32]) {
        let few = self.pair(sentence, word, last);
        self.joined_rows(&few, sentence.distance(word, last), |row| g.add(Tensor::Output, row, sum));
    }

    /// What belongs to a candidate after the last two words; nothing in texts.
    pub fn later(
        &self,
        p: &Parameters,
        sentence: &Sentence,
        word: usize,
        (last, earlier): (usize, usize),
        sum: &mut [f32],
    ) {
        let few = self.triple(sentence, word, last, earlier);
        self.joined_rows(&few, sentence.distance(word, last), |row| add(sum, p.row(Tensor::Output, row)));
    }

    /// Adds a gradient of [`Bags::later`] to the rows.
    pub fn later_back(
        &self,
        g: &mut Gradients,
        sentence: &Sentence,
        word: usize,
        (last, earlier): (usize, usize),
        sum: &[f32],
    ) {
        let few = self.triple(sentence, word, last, earlier);
        self.joined_rows(&few, sentence.distance(word, last), |row| g.add(Tensor::Output, row, sum));
    }

    fn joined_rows(&self, few: &Few, distance: isize, mut row: impl FnMut(usize)) {
        let bin = bin(distance);
        for value in few.iter() {
            if !self.shape.conjoin_only {
                row(value * JOINED);
            }
            row(value * JOINED + 1 + bin);
        }
    }

    /// What a step of a walk tells the inner state.
    pub fn step(&self, p: &Parameters, sentence: &Sentence, step: usize, sum: &mut [f32]) {
        self.step_rows(sentence, step, |row| add(sum, p.row(Tensor::Steps, row)));
    }

    /// Adds a gradient of [`Bags::step`] to the rows.
    pub fn step_back(&self, g: &mut Gradients, sentence: &Sentence, step: usize, sum: &[f32]) {
        self.step_rows(sentence, step, |row| g.add(Tensor::Steps, row, sum));
    }

    fn step_rows(&self, sentence: &Sentence, step: usize, mut row: impl FnMut(usize)) {
        let Some((from, to)) = sentence.ends(step) else { return };
        let bin = sentence.step_bin(from, to);
        sentence.step_keys(step, |template, key| {
            let first = self.values.steps.id(template, key) as usize * JOINED;
            row(first);
            row(first + 1 + bin);
        });
    }
}

/// Gradients of the tensors whose rows belong to features; only rows that were added to are kept track of.
#[derive(Debug, Default, Clone)]
pub struct Gradients {
    tensors: Vec<Rows>,
}

#[derive(Debug, Default, Clone)]
struct Rows {
    width: usize,
    sums: Vec<f32>,
    seen: Vec<bool>,
    touched: Vec<u32>,
}

impl Gradients {
    /// No gradients yet, for these parameters.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let tensors = super::shape::TENSORS.iter().map(|&(tensor, _)| {
            let (rows, width) = parameters.size(tensor);
            if !super::shape::SPARSE.contains(&tensor) {
                return Rows::default();
            }
            Rows { width, sums: vec![0.0; rows * width], seen: vec![false; rows], touched: Vec::new() }
        });
        Self { tensors: tensors.collect() }
    }

    /// Adds to a row.
    pub fn add(&mut self, tensor: Tensor, row: usize, sum: &[f32]) {
        let rows = &mut self.tensors[tensor as usize];
        if !rows.seen[row] {
            rows.seen[row] = true;
            rows.touched.push(row as u32);
        }
        add(&mut rows.sums[row * rows.width..(row + 1) * rows.width], sum);
    }

    /// Hands every touched row of others to `self` and forgets it there.
    pub fn take(&mut self, other: &mut Self) {
        for (tensor, _) in super::shape::TENSORS {
            let Rows { width, sums, seen, touched } = &mut other.tensors[tensor as usize];
            for row in touched.drain(..) {
                let row = row as usize;
                let sum = &mut sums[row * *width..(row + 1) * *width];
                self.add(tensor, row, sum);
                sum.fill(0.0);
                seen[row] = false;
            }
        }
    }

    /// Hands out every touched row of a tensor, ascending, and forgets it.
    pub fn drain(&mut self, tensor: Tensor, mut use_row: impl FnMut(usize, &[f32])) {
        let Rows { width, sums, seen, touched } = &mut self.tensors[tensor as usize];
        touched.sort_unstable();
        for row in touched.drain(..) {
            let row = row as usize;
            let sum = &mut sums[row * *width..(row + 1) * *width];
            use_row(row, sum);
            sum.fill(0.0);
            seen[row] = false;
        }
    }
}
