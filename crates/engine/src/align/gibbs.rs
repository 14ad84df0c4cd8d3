//! Many Gibbs chains in both directions, and the marginals they agree on.
//!
//! Chains are independent of each other, so they run in parallel; each adds the probabilities its tokens were drawn
//! from (not the draws, which vary more) to shared integers. Integer sums do not depend on their order.

use rayon::prelude::*;

use super::bitext::Bitext;
use super::sampler::{Chain, Direction, Learnt, Seen, Stage};
use super::settings::Settings;
use super::tally::{Notes, Tally};
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

/// What sampling gives: marginals, and for each direction the mean jump weights and fertility ratios of its chains.
pub struct Sampled {
    /// Of the training text.
    pub tally: Tally,
    /// Folded jump weights.
    pub jumps: [Vec<f32>; 2],
    /// Fertility ratios.
    pub ratios: [Vec<f32>; 2],
}

/// Runs all chains over the sentence pairs `pairs`; None if `step` said to stop.
pub fn sample(bitext: &Bitext, pairs: &[u32], settings: &Settings, step: Step<'_>) -> Option<Sampled> {
    let schedule = settings.schedule;
    let tally = Tally::new(bitext, schedule.chains * schedule.samples);
    let stages =
        [(Stage::Lexical, schedule.lexical), (Stage::Jumps, schedule.jumps), (Stage::Fertility, schedule.fertility)];
    let sweeps: Vec<Stage> = stages.iter().flat_map(|&(stage, count)| std::iter::repeat_n(stage, count)).collect();
    let begin = |number: usize, side: usize| {
        let direction = if side == 0 { Direction::Forward } else { Direction::Backward };
        let stream = settings.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ (2 * number as u64 + side as u64);
        Chain::new(bitext, pairs, direction, settings.priors, settings.longest, stream)
    };
    let learnt: Vec<Option<[Learnt; 2]>> = (0..schedule.chains)
        .into_par_iter()
        .with_max_len(1)
        .map(|number| {
            let (mut forward, mut backward) = rayon::join(|| begin(number, 0), || begin(number, 1));
            for (done, &stage) in sweeps.iter().enumerate() {
                let observed = done + schedule.samples >= sweeps.len();
                let run = |chain: &mut Chain<'_>, side: usize, other: &[u16]| {
                    if !observed {
                        chain.sweep(stage, other, |_| {});
                        return step();
                    }
                    let mut notes = Notes::default();
                    chain.sweep(stage, other, |seen| match seen {
                        Seen::Token(own, weights, scale) => tally.note(&mut notes, side, own, weights, scale),
                        Seen::Pair(k) => tally.add(&mut notes, side, k, bitext.shape(k)),
                    });
                    step()
                };
                // Either direction sees what the other had before this sweep, so that both can go at once.
                let before = (forward.links().to_vec(), backward.links().to_vec());
                let on = rayon::join(|| run(&mut forward, 0, &before.1), || run(&mut backward, 1, &before.0));
                if on != (true, true) {
                    return None;
                }
            }
            Some([forward.learnt(), backward.learnt()])
        })
        .collect();
    let learnt: Vec<Learnt> = learnt.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
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
        tally,
    })
}
