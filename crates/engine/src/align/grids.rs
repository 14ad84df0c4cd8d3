//! Position probabilities D(i | j, ℓ, m) tabulated for every shape of sentence pair that occurs.
//!
//! A grid has the layout of a [`Block`](super::block): forward and backward, with NULL. The E-step multiplies a grid
//! by lexical probabilities and adds posteriors back to a grid of counts, the same for Models 1, 2, diagonal and
//! Gaussian; the models differ only in how counts become a new grid.

use super::bitext::{Bitext, Shape};
use super::cells::Cells;

/// The distinct shapes of the pairs that take part, with their grids and the counts being collected.
#[derive(Debug)]
pub struct Grids {
    shapes: Vec<Shape>,
    starts: Vec<usize>,
    /// The shape of each sentence pair; `u32::MAX` if it takes no part.
    of_pair: Vec<u32>,
    probabilities: Vec<f32>,
    counts: Vec<f64>,
}

impl Grids {
    /// Uniform grids, (ℓ + 1)⁻¹ including NULL.
    pub fn uniform(bitext: &Bitext, cells: &Cells) -> Self {
        let mut shapes: Vec<Shape> =
            (0..bitext.len()).filter(|&k| cells.takes_part(k)).map(|k| bitext.shape(k)).collect();
        shapes.sort_unstable();
        shapes.dedup();
        let of_pair = (0..bitext.len())
            .map(|k| {
                let found = if cells.takes_part(k) { shapes.binary_search(&bitext.shape(k)).ok() } else { None };
                found.map_or(u32::MAX, |at| at as u32)
            })
            .collect();
        let mut starts = vec![0];
        let mut total = 0;
        for shape in &shapes {
            total += shape.block();
            starts.push(total);
        }
        let mut grids = Self { shapes, starts, of_pair, probabilities: vec![0.0; total], counts: vec![0.0; total] };
        for at in 0..grids.shapes.len() {
            let shape = grids.shapes[at];
            let (forward, backward) = (1.0 / (shape.source + 1) as f32, 1.0 / (shape.target + 1) as f32);
            let grid = &mut grids.probabilities[grids.starts[at]..grids.starts[at + 1]];
            grid[..shape.cells()].fill(forward);
            grid[shape.cells()..2 * shape.cells()].fill(backward);
            grid[2 * shape.cells()..2 * shape.cells() + shape.target].fill(forward);
            grid[2 * shape.cells() + shape.target..].fill(backward);
        }
        grids
    }

    /// The probabilities for sentence pair `k`.
    pub fn of_pair(&self, k: usize) -> &[f32] {
        let at = self.of_pair[k] as usize;
        &self.probabilities[self.starts[at]..self.starts[at + 1]]
    }

    /// Adds the posteriors of sentence pair `k` to the counts.
    pub fn collect(&mut self, k: usize, posteriors: &[f32]) {
        let at = self.of_pair[k] as usize;
        for (count, &p) in self.counts[self.starts[at]..self.starts[at + 1]].iter_mut().zip(posteriors) {
            *count += f64::from(p);
        }
    }

    /// Lets `fit` turn the counts of each shape into its new probabilities, then clears the counts.
    pub fn maximise(&mut self, mut fit: impl FnMut(Shape, &[f64], &mut [f32])) {
        for (at, &shape) in self.shapes.iter().enumerate() {
            let range = self.starts[at]..self.starts[at + 1];
            fit(shape, &self.counts[range.clone()], &mut self.probabilities[range]);
        }
        self.counts.fill(0.0);
    }

    /// The shapes with their counts.
    pub fn counts(&self) -> impl Iterator<Item = (Shape, &[f64])> {
        self.shapes.iter().enumerate().map(|(at, &shape)| (shape, &self.counts[self.starts[at]..self.starts[at + 1]]))
    }

    /// The shapes with their probabilities.
    pub fn probabilities(&self) -> impl Iterator<Item = (Shape, &[f32])> {
        self.shapes
            .iter()
            .enumerate()
            .map(|(at, &shape)| (shape, &self.probabilities[self.starts[at]..self.starts[at + 1]]))
    }
}

/// One generated token's alternatives inside a grid: which numbers are its NULL and its ℓ positions.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Index of the NULL number.
    pub null: usize,
    /// Index of the first position.
    pub first: usize,
    /// From one position to the next.
    pub stride: usize,
    /// The number of positions ℓ.
    pub len: usize,
    /// This token's own position, from 0.
    pub own: usize,
    /// How many tokens its side has.
    pub own_len: usize,
}

impl Column {
    /// All positions' indices.
    pub fn indices(self) -> impl Iterator<Item = usize> + Clone {
        (0..self.len).map(move |i| self.first + i * self.stride)
    }
}

/// The columns of a grid: forward ones (one per target token), then backward ones (one per source token).
pub fn columns(shape: Shape) -> impl Iterator<Item = (bool, Column)> {
    let Shape { source, target } = shape;
    let cells = shape.cells();
    let forward = (0..target).map(move |j| {
        (true, Column { null: 2 * cells + j, first: j, stride: target, len: source, own: j, own_len: target })
    });
    let backward = (0..source).map(move |i| {
        let first = cells + i * target;
        (false, Column { null: 2 * cells + target + i, first, stride: 1, len: target, own: i, own_len: source })
    });
    forward.chain(backward)
}
