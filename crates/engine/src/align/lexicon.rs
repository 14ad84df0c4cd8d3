//! Lexical probabilities t(target | source) and t(source | target), side by side in the cells of a corpus.

use super::bitext::Bitext;
use super::block::{Block, BlockMut};
use super::cells::Cells;

/// One cell: probabilities in use and counts being collected, forward and backward. Kept in 16 bytes so that the
/// cache line fetched to read a probability is the one its count goes to.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    p: [f32; 2],
    n: [f32; 2],
}

/// Both directions' lexical tables, with dense rows for NULL.
#[derive(Debug)]
pub struct CellLexicon {
    cells: Vec<Cell>,
    null: [Vec<f32>; 2],
    null_counts: [Vec<f64>; 2],
}

impl CellLexicon {
    /// All words equally likely.
    pub fn uniform(cells: &Cells, bitext: &Bitext) -> Self {
        let sizes = [bitext.target.vocabulary(), bitext.source.vocabulary()];
        let p = [bitext.target.types(), bitext.source.types()].map(|types| 1.0 / types.max(1) as f32);
        Self {
            cells: vec![Cell { p, n: [0.0; 2] }; cells.len()],
            null: [vec![p[0]; sizes[0]], vec![p[1]; sizes[1]]],
            null_counts: [vec![0.0; sizes[0]], vec![0.0; sizes[1]]],
        }
    }

    /// Multiplies a block of position probabilities by the lexical probabilities of its words.
    pub fn multiply(&self, numbers: &[u32], source: &[u32], target: &[u32], block: &mut BlockMut<'_>) {
        for ((&number, forward), backward) in numbers.iter().zip(&mut *block.forward).zip(&mut *block.backward) {
            let p = self.cells[number as usize].p;
            *forward *= p[0];
            *backward *= p[1];
        }
        for (value, &word) in block.forward_null.iter_mut().zip(target) {
            *value *= self.null[0][word as usize];
        }
        for (value, &word) in block.backward_null.iter_mut().zip(source) {
            *value *= self.null[1][word as usize];
        }
    }

    /// Adds a block of posteriors to the counts.
    pub fn collect(&mut self, numbers: &[u32], source: &[u32], target: &[u32], block: Block<'_>) {
        for ((&number, &forward), &backward) in numbers.iter().zip(block.forward).zip(block.backward) {
            let n = &mut self.cells[number as usize].n;
            n[0] += forward;
            n[1] += backward;
        }
        for (&value, &word) in block.forward_null.iter().zip(target) {
            self.null_counts[0][word as usize] += f64::from(value);
        }
        for (&value, &word) in block.backward_null.iter().zip(source) {
            self.null_counts[1][word as usize] += f64::from(value);
        }
    }

    /// Turns the counts into probabilities and clears them.
    ///
    /// With `alpha` 0 this is maximum likelihood; above 0 it is the mean-field update of a symmetric Dirichlet prior,
    /// exp ψ(n + α) / exp ψ(Σ n + α·size) over the words met (Johnson 2007; used for alignment by Riley and Gildea
    /// 2012), which keeps rare words from collecting garbage.
    pub fn maximise(&mut self, cells: &Cells, alpha: f64) {
        let weigh: fn(f64, f64) -> f64 = if alpha > 0.0 { |n, alpha| exp_digamma(n + alpha) } else { |n, _| n };
        let mut targets = vec![0f64; self.null[0].len()];
        let mut sources = vec![0f64; self.null[1].len()];
        let mut met = vec![0u32; targets.len()];
        for (word, total) in sources.iter_mut().enumerate() {
            for number in cells.row(word) {
                let n = self.cells[number].n;
                *total += f64::from(n[0]);
                targets[cells.columns()[number] as usize] += f64::from(n[1]);
                met[cells.columns()[number] as usize] += 1;
            }
        }
        let scale = |total: f64, size: usize| {
            let weight = if alpha > 0.0 { exp_digamma(total + alpha * size as f64) } else { total };
            if weight > 0.0 { 1.0 / weight } else { 0.0 }
        };
        for (total, &size) in targets.iter_mut().zip(&met) {
            *total = scale(*total, size as usize);
        }
        for (word, total) in sources.into_iter().enumerate() {
            let row = cells.row(word);
            let forward = scale(total, row.len());
            for number in row {
                let backward = targets[cells.columns()[number] as usize];
                let cell = &mut self.cells[number];
                cell.p = [
                    (weigh(f64::from(cell.n[0]), alpha) * forward) as f32,
                    (weigh(f64::from(cell.n[1]), alpha) * backward) as f32,
                ];
                cell.n = [0.0; 2];
            }
        }
        for (null, counts) in self.null.iter_mut().zip(&mut self.null_counts) {
            let factor = scale(counts.iter().sum(), counts.len());
            for (p, n) in null.iter_mut().zip(counts.iter_mut()) {
                *p = (weigh(*n, alpha) * factor) as f32;
                *n = 0.0;
            }
        }
    }

    /// The probabilities of a cell: forward, backward.
    pub fn probabilities(&self, number: usize) -> [f32; 2] {
        self.cells[number].p
    }

    /// The probabilities of each word from NULL: targets, sources.
    pub fn null(&self) -> &[Vec<f32>; 2] {
        &self.null
    }
}

/// exp ψ(x) for x > 0: shifted by the recurrence until its asymptotic series is exact to 1e-12.
pub fn exp_digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 8.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = inverse * (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse * (1.0 / 252.0 - inverse / 240.0)));
    (x.ln() - 0.5 / x - series + shift).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_at_known_points() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((exp_digamma(1.0).ln() + EULER).abs() < 1e-11);
        assert!((exp_digamma(0.5).ln() + EULER + 2.0 * 2f64.ln()).abs() < 1e-11);
        assert!((exp_digamma(100.0).ln() - 4.600_161_852_738_087).abs() < 1e-11);
    }
}
