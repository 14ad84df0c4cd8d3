//! Aligning one pair with a trained fertility model: Gibbs sweeps over the pair while all distributions stand still.

use super::jumps::Jumps;
use super::sampler::MOST_CHILDREN;
use crate::random::Random;

/// Position model of one direction.
#[derive(Debug, Clone)]
pub struct Fertile {
    /// p₀.
    pub null: f32,
    /// Jump probabilities.
    pub jumps: Jumps,
    /// φ(k + 1 | e) / φ(k | e) for every generating word, [`MOST_CHILDREN`] numbers each.
    pub ratios: crate::files::Section<f32>,
}

const CHAINS: usize = 2;
const BURN_IN: usize = 3;
const SAMPLES: usize = 8;

/// Replaces lexical probabilities (token by token over the positions, and NULL's) by averaged marginals. The random
/// stream is named by the words alone, so that a pair gets the same links wherever it stands.
///
/// `start` holds each token's posteriors without fertilities, where the chains begin: two tokens of a repeated word
/// that begin crossed would hardly ever swap, as either move alone leaves one partner with both.
pub fn marginals(
    model: &Fertile,
    given: &[u32],
    made: &[u32],
    start: (&[f32], &[f32]),
    lexical: &mut [f32],
    null: &mut [f32],
) {
    let len = given.len();
    let mut sums = vec![0f32; lexical.len()];
    let mut null_sums = vec![0f32; null.len()];
    let mut weights = vec![0f32; len];
    let mut links = vec![usize::MAX; made.len()];
    let mut children = vec![0usize; len];
    let name =
        given.iter().chain(made).fold(0u64, |hash, &word| (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3));
    for chain in 0..CHAINS {
        let mut random = Random::new([name, chain as u64, made.len() as u64]);
        children.fill(0);
        for (o, link) in links.iter_mut().enumerate() {
            let row = &start.0[o * len..(o + 1) * len];
            let best = (0..len).fold(0, |best, s| if row[s] > row[best] { s } else { best });
            *link = if row[best] > start.1[o] { best } else { usize::MAX };
            if *link != usize::MAX {
                children[*link] += 1;
            }
        }
        for sweep in 0..BURN_IN + SAMPLES {
            let mut before = -1isize;
            for o in 0..made.len() {
                if links[o] != usize::MAX {
                    children[links[o]] -= 1;
                }
                let onward =
                    links[o + 1..].iter().find(|&&link| link != usize::MAX).map_or(len as isize, |&link| link as isize);
                let row = &lexical[o * len..(o + 1) * len];
                let (to, on) = (model.jumps.row(before, len), model.jumps.onward(onward, len));
                let mut total = null[o] * model.null * model.jumps.weight(onward - before);
                let null_weight = total;
                for s in 0..len {
                    let ratio = model.ratios[given[s] as usize * MOST_CHILDREN + children[s].min(MOST_CHILDREN - 1)];
                    weights[s] = row[s] * to[s] * on[s] * ratio;
                    total += weights[s];
                }
                let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
                if sweep >= BURN_IN {
                    for (sum, &weight) in sums[o * len..].iter_mut().zip(&weights) {
                        *sum += weight * scale;
                    }
                    null_sums[o] += if total > 0.0 { null_weight * scale } else { 1.0 };
                }
                let mut left = random.uniform() * total - null_weight;
                links[o] = usize::MAX;
                if left >= 0.0 && total > 0.0 {
                    for (s, &weight) in weights.iter().enumerate() {
                        left -= weight;
                        if left < 0.0 || s + 1 == len {
                            links[o] = s;
                            before = s as isize;
                            children[s] += 1;
                            break;
                        }
                    }
                }
            }
        }
    }
    let scale = 1.0 / (CHAINS * SAMPLES) as f32;
    for (value, sum) in lexical.iter_mut().zip(sums) {
        *value = sum * scale;
    }
    for (value, sum) in null.iter_mut().zip(null_sums) {
        *value = sum * scale;
    }
}
