//! The lexical table of a trained model: sorted rows, looked up by word, for text the model has not seen.

use super::bitext::{Bitext, Shape};
use super::block::BlockMut;
use super::cells::Cells;
use super::lexicon::CellLexicon;
use super::posteriors::Posteriors;
use crate::files::Section;

/// Entries less probable than this in both directions are not kept.
const LEAST: f32 = 1e-5;
/// What an expectation-maximised model gives a pair of words it never saw together.
const UNSEEN: f32 = 1e-7;

/// Rows of target words with both probabilities, for every source word; rows for NULL; what unseen pairs get.
#[derive(Debug, Clone, Default)]
pub struct Table {
    pub(super) rows: Section<u64>,
    pub(super) columns: Section<u32>,
    pub(super) forward: Section<f32>,
    pub(super) backward: Section<f32>,
    /// p(target word | NULL), p(source word | NULL).
    pub(super) null: [Section<f32>; 2],
    /// p of a target word never met, by source word; p of a source word never met, by target word.
    pub(super) unseen: [Section<f32>; 2],
}

impl Table {
    /// The entries of a lexicon trained on `cells` that matter.
    pub fn from_cells(cells: &Cells, lexicon: &CellLexicon, bitext: &Bitext) -> Self {
        let sizes = [bitext.source.vocabulary(), bitext.target.vocabulary()];
        let mut rows = Rows::default();
        for word in 0..sizes[0] {
            for number in cells.row(word) {
                let [forward, backward] = lexicon.probabilities(number);
                if forward >= LEAST || backward >= LEAST {
                    rows.scratch.push((cells.columns()[number], forward, backward));
                }
            }
            rows.finish();
        }
        let null = lexicon.null().clone().map(|row| row.into_iter().map(|p| p.max(UNSEEN)).collect());
        rows.into_table(null, sizes.map(|size| vec![UNSEEN; size]))
    }

    /// Probabilities from expected links, with a Dirichlet prior of `alpha` for each word.
    pub fn from_posteriors(bitext: &Bitext, posteriors: &Posteriors, alpha: f32) -> Self {
        let sizes = [bitext.source.vocabulary(), bitext.target.vocabulary()];
        // What is missing to a token's one link comes from NULL.
        let mut null = [vec![0f32; sizes[1]], vec![0f32; sizes[0]]];
        // Links by source word: where each word's start, then which they are.
        let mut starts = vec![0usize; sizes[0] + 1];
        for k in 0..posteriors.len() {
            let (source, target) = (bitext.source.sentence(k), bitext.target.sentence(k));
            if source.is_empty() || target.is_empty() {
                continue;
            }
            for &word in target {
                null[0][word as usize] += 1.0;
            }
            for &word in source {
                null[1][word as usize] += 1.0;
            }
            for belief in posteriors.of(k) {
                let (s, t) = (source[belief.source as usize], target[belief.target as usize]);
                starts[s as usize + 1] += 1;
                null[0][t as usize] -= belief.forward();
                null[1][s as usize] -= belief.backward();
            }
        }
        for word in 0..sizes[0] {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut places = vec![(0u32, 0u32); starts[sizes[0]]];
        for k in 0..posteriors.len() {
            for (at, belief) in posteriors.of(k).iter().enumerate() {
                let next = &mut next[bitext.source.sentence(k)[belief.source as usize] as usize];
                places[*next] = (k as u32, at as u32);
                *next += 1;
            }
        }
        let mut rows = Rows::default();
        let mut totals = [vec![0f32; sizes[0]], vec![0f32; sizes[1]]];
        for s in 0..sizes[0] {
            for &(k, at) in &places[starts[s]..starts[s + 1]] {
                let belief = posteriors.of(k as usize)[at as usize];
                let t = bitext.target.sentence(k as usize)[belief.target as usize];
                rows.scratch.push((t, belief.forward(), belief.backward()));
                totals[0][s] += belief.forward();
                totals[1][t as usize] += belief.backward();
            }
            rows.finish();
        }
        drop(places);
        let bases = [alpha * sizes[1] as f32, alpha * sizes[0] as f32];
        for s in 0..sizes[0] {
            for at in rows.starts[s] as usize..rows.starts[s + 1] as usize {
                let t = rows.columns[at] as usize;
                rows.forward[at] = (rows.forward[at] + alpha) / (totals[0][s] + bases[0]);
                rows.backward[at] = (rows.backward[at] + alpha) / (totals[1][t] + bases[1]);
            }
        }
        for (row, base) in null.iter_mut().zip(bases) {
            let total = row.iter().map(|n| n.max(0.0)).sum::<f32>() + base;
            for p in row.iter_mut() {
                *p = (p.max(0.0) + alpha) / total;
            }
        }
        let mut unseen = totals;
        for (row, base) in unseen.iter_mut().zip(bases) {
            for total in row.iter_mut() {
                *total = alpha / (*total + base);
            }
        }
        rows.into_table(null, unseen)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// t(target | source) and t(source | target).
    pub fn probabilities(&self, source: u32, target: u32) -> [f32; 2] {
        let row = self.rows[source as usize] as usize..self.rows[source as usize + 1] as usize;
        match self.columns[row.clone()].binary_search(&target) {
            Ok(at) => [self.forward[row.start + at], self.backward[row.start + at]],
            Err(_) => [self.unseen[0][source as usize], self.unseen[1][target as usize]],
        }
    }

    /// Fills a block with lexical probabilities.
    pub fn fill(&self, source: &[u32], target: &[u32], block: &mut [f32]) {
        let shape = Shape { source: source.len(), target: target.len() };
        let view = BlockMut::new(block, shape);
        for (i, &s) in source.iter().enumerate() {
            for (j, &t) in target.iter().enumerate() {
                let [forward, backward] = self.probabilities(s, t);
                view.forward[i * target.len() + j] = forward;
                view.backward[i * target.len() + j] = backward;
            }
        }
        for (value, &word) in view.forward_null.iter_mut().zip(target) {
            *value = self.null[0][word as usize];
        }
        for (value, &word) in view.backward_null.iter_mut().zip(source) {
            *value = self.null[1][word as usize];
        }
    }
}

/// Rows being written, one source word after the other.
struct Rows {
    starts: Vec<u64>,
    columns: Vec<u32>,
    forward: Vec<f32>,
    backward: Vec<f32>,
    /// Target words of the row at hand with both numbers, in any order; equal words are added up.
    scratch: Vec<(u32, f32, f32)>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { starts: vec![0], columns: Vec::new(), forward: Vec::new(), backward: Vec::new(), scratch: Vec::new() }
    }
}

impl Rows {
    /// Ends the row at hand. The sort is stable, so that sums are added in the order of the corpus.
    fn finish(&mut self) {
        self.scratch.sort_by_key(|entry| entry.0);
        let first = self.columns.len();
        for (column, forward, backward) in self.scratch.drain(..) {
            if self.columns.len() > first && self.columns.last() == Some(&column) {
                *self.forward.last_mut().expect("as many as columns") += forward;
                *self.backward.last_mut().expect("as many as columns") += backward;
            } else {
                self.columns.push(column);
                self.forward.push(forward);
                self.backward.push(backward);
            }
        }
        self.starts.push(self.columns.len() as u64);
    }

    fn into_table(self, null: [Vec<f32>; 2], unseen: [Vec<f32>; 2]) -> Table {
        Table {
            rows: self.starts.into(),
            columns: self.columns.into(),
            forward: self.forward.into(),
            backward: self.backward.into(),
            null: null.map(Section::from),
            unseen: unseen.map(Section::from),
        }
    }
}
