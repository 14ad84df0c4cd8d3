//! Sums of marginals over sweeps and chains, for the links that ever had a share worth mention.
//!
//! A token has dozens of positions and a handful of plausible partners; a list for each sentence pair takes a tenth of
//! the room of a number for every token pair. Sums are integers, so the order in which chains add to them is no matter.

use std::sync::Mutex;

use super::bitext::{Bitext, Shape};
use super::block::BlockMut;

/// Shares below this are not recorded: a link kept for the user has ten times as much.
const FAINTEST: f32 = 1.0 / 256.0;

/// A link and its sums, forward and backward.
#[derive(Debug, Clone, Copy)]
struct Entry {
    source: u16,
    target: u16,
    sums: [u16; 2],
}

/// Sums of a corpus.
#[derive(Debug)]
pub struct Tally {
    pairs: Vec<Mutex<Vec<Entry>>>,
    /// What a probability of one adds.
    unit: f32,
    observations: f32,
}

/// Where one chain notes the shares of the sentence pair at hand.
#[derive(Debug, Default)]
pub struct Notes {
    shares: Vec<(u16, u16, u16)>,
    /// For each token pair of the sentence pair, one more than its place in the list.
    places: Vec<u32>,
}

impl Tally {
    /// No sums yet; each link will be observed `observations` times, at most 65,535.
    pub fn new(bitext: &Bitext, observations: usize) -> Self {
        let observations = observations.max(1) as f32;
        let pairs = std::iter::repeat_with(Mutex::default).take(bitext.len()).collect();
        Self { pairs, unit: (f32::from(u16::MAX) / observations).floor(), observations }
    }

    /// Notes what the token at `own` of direction `side` says of its positions: `weights * scale` sum to one.
    pub fn note(&self, notes: &mut Notes, side: usize, own: usize, weights: &[f32], scale: f32) {
        let least = FAINTEST / scale;
        for (position, &weight) in weights.iter().enumerate() {
            if weight >= least {
                let share = (weight * scale * self.unit) as u16;
                let (source, target) = if side == 0 { (position, own) } else { (own, position) };
                notes.shares.push((source as u16, target as u16, share));
            }
        }
    }

    /// Adds the notes about sentence pair `k` and clears them.
    pub fn add(&self, notes: &mut Notes, side: usize, k: usize, shape: Shape) {
        let mut list = self.pairs[k].lock().expect("no chain panics here");
        let at = |source: u16, target: u16| source as usize * shape.target + target as usize;
        notes.places.resize(notes.places.len().max(shape.cells()), 0);
        for (place, entry) in (1..).zip(list.iter()) {
            notes.places[at(entry.source, entry.target)] = place;
        }
        for (source, target, share) in notes.shares.drain(..) {
            let place = &mut notes.places[at(source, target)];
            if *place == 0 {
                if list.len() == list.capacity() {
                    let more = list.len() / 4 + 8;
                    list.reserve_exact(more);
                }
                list.push(Entry { source, target, sums: [0; 2] });
                *place = list.len() as u32;
            }
            list[*place as usize - 1].sums[side] += share;
        }
        for entry in list.iter() {
            notes.places[at(entry.source, entry.target)] = 0;
        }
    }

    /// Writes the mean marginals of sentence pair `k` as a block of posteriors, and forgets them; what is missing to
    /// one is NULL's.
    pub fn take(&self, k: usize, shape: Shape, block: &mut [f32]) {
        let mut list = std::mem::take(&mut *self.pairs[k].lock().expect("no chain panics here"));
        // Chains have added links in the order they came.
        list.sort_unstable_by_key(|entry| (entry.source, entry.target));
        let scale = 1.0 / (self.unit * self.observations);
        block.fill(0.0);
        let view = BlockMut::new(block, shape);
        view.forward_null.fill(1.0);
        view.backward_null.fill(1.0);
        for Entry { source, target, sums } in list {
            let (i, j) = (source as usize, target as usize);
            let [forward, backward] = sums.map(|sum| f32::from(sum) * scale);
            view.forward[i * shape.target + j] = forward;
            view.backward[i * shape.target + j] = backward;
            view.forward_null[j] -= forward;
            view.backward_null[i] -= backward;
        }
        for null in view.forward_null.iter_mut().chain(view.backward_null) {
            *null = null.max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitext::Side;
    use super::super::block::Block;
    use super::*;

    #[test]
    fn means_do_not_depend_on_the_order_of_chains() {
        let bitext = Bitext::new(Side::new([&[0u32, 1][..]], 2), Side::new([&[0u32, 1, 2][..]], 3)).unwrap();
        let shape = bitext.shape(0);
        // Forward draws of two chains: for each target token, weights of both source positions.
        let draws = [[[0.5f32, 0.5], [0.001, 0.999], [0.2, 0.1]], [[1.0, 0.0], [0.001, 0.499], [0.6, 0.1]]];
        let means = |order: [usize; 2]| {
            let tally = Tally::new(&bitext, 2);
            let mut notes = Notes::default();
            for chain in order {
                for (own, weights) in draws[chain].iter().enumerate() {
                    tally.note(&mut notes, 0, own, weights, 1.0);
                }
                tally.add(&mut notes, 0, 0, shape);
            }
            let mut block = vec![0f32; shape.block()];
            tally.take(0, shape, &mut block);
            block
        };
        let got = means([0, 1]);
        assert_eq!(got, means([1, 0]));
        let block = Block::new(&got, shape);
        // A share of 0.001 is too faint to be recorded.
        for (value, wanted) in block.forward.iter().zip([0.75, 0.0, 0.4, 0.25, 0.749, 0.1]) {
            assert!((value - wanted).abs() < 1e-4, "{value} {wanted}");
        }
        for (value, wanted) in block.forward_null.iter().zip([0.0, 0.251, 0.5]) {
            assert!((value - wanted).abs() < 1e-4, "{value} {wanted}");
        }
        assert_eq!(block.backward_null, [1.0, 1.0]);
    }
}
