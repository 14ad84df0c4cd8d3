//! How far the next position is from the previous one: one weight per signed distance.

/// Distances beyond this share a weight.
pub const WIDEST: usize = 60;

/// Weights of jumps from −reach to +reach, kept as one slice so that a row of a sentence is a contiguous window.
#[derive(Debug, Clone)]
pub struct Jumps {
    weights: Vec<f32>,
    /// The same, read from right to left.
    reversed: Vec<f32>,
    reach: usize,
}

impl Jumps {
    /// From the weights of distances −[`WIDEST`]..=[`WIDEST`], for sentences of up to `longest` tokens.
    pub fn new(folded: &[f32], longest: usize) -> Self {
        assert_eq!(folded.len(), 2 * WIDEST + 1);
        let reach = longest + 1;
        let weights: Vec<f32> = (0..=2 * reach).map(|at| folded[fold(at as isize - reach as isize)]).collect();
        let reversed = weights.iter().rev().copied().collect();
        Self { weights, reversed, reach }
    }

    /// Favouring short jumps, before anything is known: like the tail of exp(−|d − 1| / 3).
    pub fn initial() -> Vec<f32> {
        (0..=2 * WIDEST)
            .map(|at| {
                let distance = (at as f32 - WIDEST as f32 - 1.0).abs();
                (-distance / 3.0).exp() + 1e-3
            })
            .collect()
    }

    /// The longest sentence these weights serve.
    pub fn longest(&self) -> usize {
        self.reach - 1
    }

    /// Weights of the jumps from position `from` (−1 is before the first) to positions `0..len`.
    pub fn row(&self, from: isize, len: usize) -> &[f32] {
        let first = (self.reach as isize - from) as usize;
        &self.weights[first..first + len]
    }

    /// Weights of the jumps from positions `0..len` to position `to` (`len` is behind the last).
    pub fn onward(&self, to: isize, len: usize) -> &[f32] {
        let first = (self.reach as isize - to) as usize;
        &self.reversed[first..first + len]
    }

    /// The weight of one jump.
    pub fn weight(&self, distance: isize) -> f32 {
        self.weights[(distance + self.reach as isize) as usize]
    }
}

/// Where a distance is kept among the folded weights.
pub fn fold(distance: isize) -> usize {
    (distance.clamp(-(WIDEST as isize), WIDEST as isize) + WIDEST as isize) as usize
}
