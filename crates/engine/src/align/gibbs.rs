//! Many Gibbs chains in both directions, and the marginals they agree on.
//!
//! Chains are independent of each other, so they run in parallel; each adds the probabilities its tokens were drawn
//! from (not the draws, which vary more) to shared integers. Integer sums do not depend on their order.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use super::bitext::{Bitext, Shape};
use super::block::BlockMut;
use super::cells::Cells;
use super::sampler::{Chain, Direction, Learnt, Stage};
use super::settings::Settings;
use super::train::Step;

/// How long chains run, and how many.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Independent chains for each direction.
    pub chains: usize,
    /// Sweeps of words only.
    pub lexical: usize,
    /// Sweeps with jumps.
    pub jumps: usize,
    /// Sweeps with jumps and fertilities.
    pub fertility: usize,
    /// How many of the last sweeps are averaged.
    pub samples: usize,
}

/// Averaged marginals of every token pair, forward and backward, in units of `unit`.
pub struct Marginals {
    sums: [Vec<AtomicU16>; 2],
    unit: f32,
}

/// What sampling gives: marginals, and for each direction the mean jump weights and fertility ratios of its chains.
pub struct Sampled {
    /// Of the training text.
    pub marginals: Marginals,
    /// Folded jump weights.
    pub jumps: [Vec<f32>; 2],
    /// Fertility ratios.
    pub ratios: [Vec<f32>; 2],
}

impl Marginals {
    /// Runs all chains; None if `step` said to stop.
    pub fn sample(bitext: &Bitext, cells: &Cells, settings: &Settings, step: Step<'_>) -> Option<Sampled> {
        let schedule = settings.schedule;
        let zeros = || (0..cells.token_pairs()).map(|_| AtomicU16::new(0)).collect::<Vec<_>>();
        let sums = [zeros(), zeros()];
        let observations = (schedule.chains * schedule.samples).max(1) as f32;
        let unit = (f32::from(u16::MAX) / observations).floor();
        let jobs: Vec<(usize, usize)> = (0..schedule.chains).flat_map(|chain| [(chain, 0), (chain, 1)]).collect();
        let learnt: Vec<Option<Learnt>> = jobs
            .into_par_iter()
            .with_max_len(1)
            .map(|(number, side)| {
                let direction = if side == 0 { Direction::Forward } else { Direction::Backward };
                let stream = settings.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ (2 * number as u64 + side as u64);
                let mut chain = Chain::new(bitext, cells, direction, settings.priors, settings.longest, stream);
                let stages = [
                    (Stage::Lexical, schedule.lexical),
                    (Stage::Jumps, schedule.jumps),
                    (Stage::Fertility, schedule.fertility),
                ];
                let sweeps: Vec<Stage> =
                    stages.iter().flat_map(|&(stage, count)| std::iter::repeat_n(stage, count)).collect();
                for (done, &stage) in sweeps.iter().enumerate() {
                    if done + schedule.samples < sweeps.len() {
                        chain.sweep(stage, |_, _, _, _| {});
                    } else {
                        chain.sweep(stage, |k, token, weights, scale| {
                            let width = bitext.shape(k).target;
                            let (first, stride) = if side == 0 { (token, width) } else { (token * width, 1) };
                            let sums = &sums[side][cells.start(k)..cells.start(k + 1)];
                            for (sum, &weight) in sums[first..].iter().step_by(stride).zip(&weights[1..]) {
                                let share = (weight * scale * unit) as u16;
                                if share > 0 {
                                    sum.fetch_add(share, Ordering::Relaxed);
                                }
                            }
                        });
                    }
                    if !step() {
                        return None;
                    }
                }
                Some(chain.learnt())
            })
            .collect();
        let learnt: Vec<Learnt> = learnt.into_iter().collect::<Option<_>>()?;
        let mean = |side: usize, pick: fn(&Learnt) -> &[f32]| -> Vec<f32> {
            let mut sum = pick(&learnt[side]).to_vec();
            for other in learnt.iter().skip(side + 2).step_by(2) {
                for (value, &more) in sum.iter_mut().zip(pick(other)) {
                    *value += more;
                }
            }
            sum.into_iter().map(|value| value / schedule.chains as f32).collect()
        };
        Some(Sampled {
            jumps: [mean(0, |l| &l.jumps), mean(1, |l| &l.jumps)],
            ratios: [mean(0, |l| &l.ratios), mean(1, |l| &l.ratios)],
            marginals: Self { sums, unit: 1.0 / (unit * observations) },
        })
    }

    /// Writes the marginals of sentence pair `k` as a block of posteriors; what is missing to one is NULL's.
    pub fn block(&self, cells: &Cells, k: usize, shape: Shape, block: &mut [f32]) {
        let view = BlockMut::new(block, shape);
        let range = cells.start(k)..cells.start(k) + shape.cells();
        for (values, sums) in [(&mut *view.forward, &self.sums[0]), (&mut *view.backward, &self.sums[1])] {
            for (value, sum) in values.iter_mut().zip(&sums[range.clone()]) {
                *value = f32::from(sum.load(Ordering::Relaxed)) * self.unit;
            }
        }
        view.forward_null.fill(1.0);
        for row in view.forward.chunks_exact(shape.target) {
            for (null, value) in view.forward_null.iter_mut().zip(row) {
                *null = (*null - value).max(0.0);
            }
        }
        for (null, row) in view.backward_null.iter_mut().zip(view.backward.chunks_exact(shape.target)) {
            *null = (1.0 - row.iter().sum::<f32>()).max(0.0);
        }
    }
}
