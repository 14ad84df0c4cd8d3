//! Expectation maximisation for models whose positions are independent given the lengths, both directions at once.
//!
//! Pairs are worked on in fixed batches: posteriors in parallel, then added up in the order of the corpus, so that the
//! sums are the same for any number of threads.

use rayon::prelude::*;

use super::bitext::{Bitext, Shape};
use super::block::{Block, BlockMut};
use super::cells::Cells;
use super::grids::Grids;
use super::lexicon::CellLexicon;

/// Numbers in a batch of blocks: small enough to stay in the cache between the two steps.
const BATCH: usize = 1 << 17;

/// Which training pairs are worked on together, with the lengths of their blocks.
#[derive(Debug)]
pub struct Batches {
    batches: Vec<Vec<(u32, Shape)>>,
}

impl Batches {
    /// Cuts the pairs `pairs` into batches.
    pub fn new(bitext: &Bitext, pairs: &[u32]) -> Self {
        let mut batches: Vec<Vec<(u32, Shape)>> = Vec::new();
        let mut size = BATCH;
        for &k in pairs {
            let shape = bitext.shape(k as usize);
            if size + shape.block() > BATCH {
                batches.push(Vec::new());
                size = 0;
            }
            size += shape.block();
            batches.last_mut().expect("just pushed").push((k, shape));
        }
        Self { batches }
    }

    /// Fills a block for every pair with `work` in parallel, then hands the blocks to `receive` in order, together
    /// with what `work` returned.
    pub fn run<R: Send>(
        &self,
        work: impl Fn(usize, Shape, &mut [f32]) -> R + Sync,
        mut receive: impl FnMut(usize, Shape, &mut [f32], R),
    ) {
        let mut numbers: Vec<f32> = Vec::new();
        for batch in &self.batches {
            let size = batch.iter().map(|(_, shape)| shape.block()).sum();
            numbers.resize(size, 0.0);
            let mut rest = numbers.as_mut_slice();
            let mut jobs = Vec::with_capacity(batch.len());
            for &(k, shape) in batch {
                let (block, after) = rest.split_at_mut(shape.block());
                rest = after;
                jobs.push((k as usize, shape, block));
            }
            let results: Vec<_> = jobs
                .into_par_iter()
                .with_min_len(8)
                .map(|(k, shape, block)| {
                    let result = work(k, shape, block);
                    (k, shape, block, result)
                })
                .collect();
            for (k, shape, block, result) in results {
                receive(k, shape, block, result);
            }
        }
    }
}

/// Log-likelihood of both directions.
pub type LogLikelihood = [f64; 2];

/// One E-step with the current tables: returns the log-likelihood and leaves the counts in the lexicon and the grids.
///
/// With `agree`, each direction learns from the product of both posteriors (Liang, Taskar and Klein 2006, section 3).
pub fn expect(
    bitext: &Bitext,
    cells: &Cells,
    batches: &Batches,
    lexicon: &mut CellLexicon,
    grids: &mut Grids,
    agree: bool,
) -> LogLikelihood {
    let mut likelihood = [0.0; 2];
    // Reading and collecting alternate batch by batch; neither closure may hold both tables for the whole run.
    let shared = std::sync::RwLock::new((lexicon, grids));
    batches.run(
        |k, shape, block| {
            let guard = shared.read().expect("no writer panics");
            let likelihood = posteriors(bitext, cells, guard.0, guard.1.of_pair(k), k, shape, block);
            if agree {
                multiply_directions(block, shape);
            }
            likelihood
        },
        |k, shape, block, pair| {
            let mut guard = shared.write().expect("no writer panics");
            let (lexicon, grids) = &mut *guard;
            let (source, target) = (bitext.source.sentence(k), bitext.target.sentence(k));
            lexicon.collect(cells.of(k), source, target, Block::new(block, shape));
            grids.collect(k, block);
            likelihood[0] += pair[0];
            likelihood[1] += pair[1];
        },
    );
    likelihood
}

/// Posteriors of one pair into `block`; returns its log-likelihood.
pub fn posteriors(
    bitext: &Bitext,
    cells: &Cells,
    lexicon: &CellLexicon,
    grid: &[f32],
    k: usize,
    shape: Shape,
    block: &mut [f32],
) -> LogLikelihood {
    block.copy_from_slice(grid);
    let mut view = BlockMut::new(block, shape);
    lexicon.multiply(cells.of(k), bitext.source.sentence(k), bitext.target.sentence(k), &mut view);
    normalise(&mut view, shape)
}

/// Makes the alternatives of every token sum to one, and returns the log of what they summed to. A token that nothing
/// explains (possible only through underflow) goes to NULL.
pub fn normalise(block: &mut BlockMut<'_>, shape: Shape) -> LogLikelihood {
    let width = shape.target;
    let mut likelihood = [0.0; 2];
    let mut totals = block.forward_null.to_vec();
    for row in block.forward.chunks_exact(width) {
        for (total, &value) in totals.iter_mut().zip(row) {
            *total += value;
        }
    }
    for (total, null) in totals.iter_mut().zip(&mut *block.forward_null) {
        likelihood[0] += invert(total);
        *null = if *total == 0.0 { 1.0 } else { *null * *total };
    }
    for row in block.forward.chunks_exact_mut(width) {
        for (value, &scale) in row.iter_mut().zip(&totals) {
            *value *= scale;
        }
    }
    for (row, null) in block.backward.chunks_exact_mut(width).zip(&mut *block.backward_null) {
        let mut total = *null + row.iter().sum::<f32>();
        likelihood[1] += invert(&mut total);
        *null = if total == 0.0 { 1.0 } else { *null * total };
        for value in row {
            *value *= total;
        }
    }
    likelihood
}

/// Replaces a total by its inverse (0 for 0) and returns its logarithm.
fn invert(total: &mut f32) -> f64 {
    if *total >= f32::MIN_POSITIVE {
        let log = f64::from(*total).ln();
        *total = 1.0 / *total;
        log
    } else {
        *total = 0.0;
        f64::from(f32::MIN_POSITIVE).ln()
    }
}

/// Replaces both directions' posteriors of every link by their product.
pub fn multiply_directions(block: &mut [f32], shape: Shape) {
    let view = BlockMut::new(block, shape);
    for (forward, backward) in view.forward.iter_mut().zip(view.backward) {
        let both = *forward * *backward;
        *forward = both;
        *backward = both;
    }
}
