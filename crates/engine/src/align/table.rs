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
        let mut entries = Vec::new();
        for word in 0..bitext.source.vocabulary() {
            for number in cells.row(word) {
                let [forward, backward] = lexicon.probabilities(number);
                if forward >= LEAST || backward >= LEAST {
                    entries.push((word as u32, cells.columns()[number], forward, backward));
                }
            }
        }
        entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
        let sizes = [bitext.source.vocabulary(), bitext.target.vocabulary()];
        let null = lexicon.null().clone().map(|row| row.into_iter().map(|p| p.max(UNSEEN)).collect());
        Self::new(&entries, null, sizes.map(|size| vec![UNSEEN; size]))
    }

    /// Probabilities from expected links, with a Dirichlet prior of `alpha` for each word.
    pub fn from_posteriors(bitext: &Bitext, posteriors: &Posteriors, alpha: f32) -> Self {
        let mut entries: Vec<(u32, u32, f32, f32)> = Vec::new();
        let sizes = [bitext.source.vocabulary(), bitext.target.vocabulary()];
        // What is missing to a token's one link comes from NULL.
        let mut null = [vec![0f32; sizes[1]], vec![0f32; sizes[0]]];
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
                entries.push((s, t, belief.forward, belief.backward));
                null[0][t as usize] -= belief.forward;
                null[1][s as usize] -= belief.backward;
            }
        }
        entries.sort_by_key(|entry| (entry.0, entry.1));
        entries.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
                kept.3 += next.3;
            }
            same
        });
        let mut totals = [vec![0f32; sizes[0]], vec![0f32; sizes[1]]];
        for &(s, t, forward, backward) in &entries {
            totals[0][s as usize] += forward;
            totals[1][t as usize] += backward;
        }
        let bases = [alpha * sizes[1] as f32, alpha * sizes[0] as f32];
        for (s, t, forward, backward) in &mut entries {
            *forward = (*forward + alpha) / (totals[0][*s as usize] + bases[0]);
            *backward = (*backward + alpha) / (totals[1][*t as usize] + bases[1]);
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
        Self::new(&entries, null, unseen)
    }

    fn new(entries: &[(u32, u32, f32, f32)], null: [Vec<f32>; 2], unseen: [Vec<f32>; 2]) -> Self {
        let mut rows = vec![0u64; unseen[0].len() + 1];
        for entry in entries {
            rows[entry.0 as usize + 1] += 1;
        }
        for word in 1..rows.len() {
            rows[word] += rows[word - 1];
        }
        Self {
            rows: rows.into(),
            columns: entries.iter().map(|e| e.1).collect::<Vec<_>>().into(),
            forward: entries.iter().map(|e| e.2).collect::<Vec<_>>().into(),
            backward: entries.iter().map(|e| e.3).collect::<Vec<_>>().into(),
            null: null.map(Section::from),
            unseen: unseen.map(Section::from),
        }
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
