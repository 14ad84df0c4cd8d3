//! The HMM alignment model with NULL (Vogel, Ney and Tillmann 1996; NULL as in Och and Ney 2003, section 2.2.2).
//!
//! A generated token takes a position with probability (1 − p₀) s(i − i′) / Σ s, where i′ is the last position taken, or
//! comes from NULL with p₀ and leaves i′ as it is. Before the first token i′ is −1.

use super::bitext::Shape;
use super::block::BlockMut;
use super::jumps::{Jumps, WIDEST, fold};

/// The position model of one direction.
#[derive(Debug, Clone)]
pub struct Hmm {
    /// p₀.
    pub null: f32,
    /// s.
    pub jumps: Jumps,
}

/// Expected numbers of jumps, by folded distance.
pub type JumpCounts = Vec<f64>;

/// No jumps yet.
pub fn no_jumps() -> JumpCounts {
    vec![0.0; 2 * WIDEST + 1]
}

/// Posteriors of both directions in place of the lexical probabilities that `block` holds; returns both
/// log-likelihoods and adds expected jumps.
pub fn posteriors(
    models: &[Hmm; 2],
    shape: Shape,
    block: &mut [f32],
    counts: Option<&mut [JumpCounts; 2]>,
    scratch: &mut Scratch,
) -> [f64; 2] {
    let view = BlockMut::new(block, shape);
    let Shape { source, target } = shape;
    let mut counts = counts;
    // The recursions want all positions of one token side by side: forward must be turned round, backward is so already.
    let mut turned = std::mem::take(&mut scratch.turned);
    turned.clear();
    turned.extend((0..target).flat_map(|j| view.forward[j..].iter().step_by(target).take(source).copied()));
    let first = run(&models[0], &mut turned, view.forward_null, source, counts.as_mut().map(|c| &mut c[0]), scratch);
    for (j, column) in turned.chunks_exact(source).enumerate() {
        for (i, &p) in column.iter().enumerate() {
            view.forward[i * target + j] = p;
        }
    }
    scratch.turned = turned;
    let second = run(&models[1], view.backward, view.backward_null, target, counts.map(|c| &mut c[1]), scratch);
    [first, second]
}

/// Buffers that outlive one sentence.
#[derive(Debug, Default)]
pub struct Scratch {
    turned: Vec<f32>,
    forward: Vec<f32>,
    inverse: Vec<f32>,
    scales: Vec<f32>,
    beta: Vec<f32>,
    beta_next: Vec<f32>,
    ahead: Vec<f32>,
    window: Vec<f32>,
}

/// Scaled forward–backward over one direction. `emissions` holds token by token the probability under each position,
/// `null` that under NULL; both become posteriors. Positions −1..len−1 are kept at 0..=len in the state vectors.
fn run(
    model: &Hmm,
    emissions: &mut [f32],
    null: &mut [f32],
    len: usize,
    counts: Option<&mut JumpCounts>,
    scratch: &mut Scratch,
) -> f64 {
    let tokens = null.len();
    let states = len + 1;
    let Scratch { forward, inverse, scales, beta, beta_next, ahead, window, .. } = scratch;
    inverse.clear();
    inverse.extend((0..states).map(|q| {
        let total: f32 = model.jumps.row(q as isize - 1, len).iter().sum();
        (1.0 - model.null) / total.max(f32::MIN_POSITIVE)
    }));
    // forward[o] is the mass at each position after o tokens, NULL tokens included.
    forward.clear();
    forward.resize((tokens + 1) * states, 0.0);
    forward[0] = 1.0;
    scales.clear();
    let mut log = 0.0;
    for o in 0..tokens {
        let (before, after) = forward.split_at_mut((o + 1) * states);
        let before = &before[o * states..];
        let after = &mut after[..states];
        let (_, reached) = after.split_at_mut(1);
        for (q, &mass) in before.iter().enumerate() {
            let mass = mass * inverse[q];
            if mass > 1e-12 {
                for (value, &jump) in reached.iter_mut().zip(model.jumps.row(q as isize - 1, len)) {
                    *value += mass * jump;
                }
            }
        }
        for (value, &emission) in reached.iter_mut().zip(&emissions[o * len..]) {
            *value *= emission;
        }
        for (value, &mass) in after.iter_mut().zip(before) {
            *value += mass * model.null * null[o];
        }
        let total: f32 = after.iter().sum();
        if total >= f32::MIN_POSITIVE {
            log += f64::from(total).ln();
            let scale = 1.0 / total;
            for value in after.iter_mut() {
                *value *= scale;
            }
            scales.push(scale);
        } else {
            // Nothing explains the token: stay where we are, as if it came from NULL.
            log += f64::from(f32::MIN_POSITIVE).ln();
            after.copy_from_slice(before);
            emissions[o * len..(o + 1) * len].fill(0.0);
            null[o] = 1.0;
            scales.push(1.0 / model.null);
        }
    }
    beta.clear();
    beta.resize(states, 1.0);
    window.clear();
    window.resize(2 * len + 1, 0.0);
    for o in (0..tokens).rev() {
        let before = &forward[o * states..(o + 1) * states];
        let scale = scales[o];
        // ahead[s] = scaled probability of token o and all that follow, if it takes position s.
        ahead.clear();
        ahead.extend(emissions[o * len..].iter().zip(&beta[1..]).map(|(e, b)| e * b * scale));
        let null_weight = model.null * null[o] * scale;
        beta_next.clear();
        let row = &mut emissions[o * len..(o + 1) * len];
        row.fill(0.0);
        let mut null_mass = 0.0;
        for q in 0..states {
            let jumps = model.jumps.row(q as isize - 1, len);
            let mut future = 0.0;
            let mass = before[q] * inverse[q];
            if mass > 1e-12 {
                // Positions reached from q, in the window of distances that starts at −q.
                let window = &mut window[len - q..2 * len - q];
                for s in 0..len {
                    let joint = jumps[s] * ahead[s];
                    future += joint;
                    row[s] += mass * joint;
                    window[s] += mass * joint;
                }
            } else {
                for (jump, value) in jumps.iter().zip(&*ahead) {
                    future += jump * value;
                }
            }
            null_mass += before[q] * null_weight * beta[q];
            beta_next.push(inverse[q] * future + null_weight * beta[q]);
        }
        let total = null_mass + row.iter().sum::<f32>();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        for value in row {
            *value *= scale;
        }
        null[o] = if total > 0.0 { null_mass * scale } else { 1.0 };
        std::mem::swap(beta, beta_next);
    }
    if let Some(counts) = counts {
        for (at, &count) in window.iter().enumerate() {
            // Index len − q + s is the jump s − (q − 1).
            counts[fold(at as isize - len as isize + 1)] += f64::from(count);
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All alignments of two positions and three tokens, one by one.
    #[test]
    fn equals_enumeration() {
        let folded: Vec<f32> = (0..=2 * WIDEST).map(|at| 1.0 + (at % 5) as f32).collect();
        let model = Hmm { null: 0.3, jumps: Jumps::new(&folded, 4) };
        let emissions = [0.5f32, 0.2, 0.1, 0.6, 0.3, 0.3];
        let null = [0.2f32, 0.05, 0.4];
        let mut wanted = [[0f64; 3]; 3];
        let mut total = 0.0;
        for code in 0..27usize {
            let choices = [code % 3, code / 3 % 3, code / 9];
            let (mut p, mut at) = (1f64, -1isize);
            for (o, &choice) in choices.iter().enumerate() {
                if choice == 2 {
                    p *= f64::from(model.null * null[o]);
                } else {
                    let row = model.jumps.row(at, 2);
                    let jump = row[choice] / row.iter().sum::<f32>();
                    p *= f64::from((1.0 - model.null) * jump * emissions[o * 2 + choice]);
                    at = choice as isize;
                }
            }
            total += p;
            for (o, &choice) in choices.iter().enumerate() {
                wanted[o][choice] += p;
            }
        }
        let (mut got, mut got_null) = (emissions, null);
        let mut counts = no_jumps();
        let log = run(&model, &mut got, &mut got_null, 2, Some(&mut counts), &mut Scratch::default());
        assert!((log - total.ln()).abs() < 1e-5);
        let mut linked = 0.0;
        for o in 0..3 {
            for s in 0..2 {
                assert!((f64::from(got[o * 2 + s]) - wanted[o][s] / total).abs() < 1e-5);
                linked += wanted[o][s] / total;
            }
            assert!((f64::from(got_null[o]) - wanted[o][2] / total).abs() < 1e-5);
        }
        assert!((counts.iter().sum::<f64>() - linked).abs() < 1e-4);
    }
}
