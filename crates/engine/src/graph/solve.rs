//! Where Modified Adsorption ends: the system solved by conjugate gradients (Hestenes & Stiefel 1952), some labels at a time.

use rayon::prelude::*;

use super::adsorb::System;
use super::labels::Labels;
use crate::{Error, Result};

/// Labels that are solved for side by side: as many as a vector register takes.
const WIDTH: usize = 8;
/// More steps mean that the numbers have gone wrong.
const MOST_STEPS: usize = 10_000;

type Block = [f64; WIDTH];

/// A number for each label of a block.
fn each(of: impl FnMut(usize) -> f64) -> Block {
    std::array::from_fn(of)
}

impl System {
    /// The labels that further steps do not change, up to the tolerance; smaller probabilities are left out. `told` hears how
    /// many labels are done and says whether to go on; of labels the most probable are kept, if settings say so.
    ///
    /// # Errors
    /// A tolerance that makes no sense or is not reached, and being told to stop.
    pub fn solve(&self, tolerance: f64, told: &(dyn Fn(usize) -> bool + Sync)) -> Result<Labels> {
        if !(tolerance > 0.0 && tolerance < 1.0) {
            return Err(Error::settings(format!("the tolerance must be between 0 and 1, not {tolerance}")));
        }
        let (nodes, labels) = (self.graph.size(), self.seeds.known.len());
        // Where each label is seeded; the dummy label comes last.
        let mut begins = vec![0_usize; labels + 1];
        for &label in &self.seeds.labels.ids {
            begins[label as usize + 1] += 1;
        }
        for label in 0..labels {
            begins[label + 1] += begins[label];
        }
        let mut seeded = vec![(0_u32, 0.0); begins[labels]];
        let mut free = begins.clone();
        for node in 0..nodes {
            for (label, value) in self.seeds.labels.row(node) {
                let at = &mut free[label as usize];
                seeded[*at] = (node as u32, self.settings.mu[0] * self.inject[node] * value);
                *at += 1;
            }
        }
        let right = |first: usize| {
            let mut right = vec![[0.0; WIDTH]; nodes];
            for column in 0..WIDTH {
                let label = first + column;
                if label < labels {
                    for &(node, value) in &seeded[begins[label]..begins[label + 1]] {
                        right[node as usize][column] = value;
                    }
                } else if label == labels {
                    for (right, abandon) in right.iter_mut().zip(&self.abandon) {
                        right[column] = self.settings.mu[2] * abandon;
                    }
                }
            }
            right
        };
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); nodes];
        let mut dummy = Vec::new();
        let blocks: Vec<usize> = (0..=labels).step_by(WIDTH).collect();
        // A few at a time: whole columns are kept no longer than needed.
        for some in blocks.chunks(rayon::current_num_threads()) {
            let solved: Vec<Vec<Block>> =
                some.par_iter().map(|&first| self.conjugate(right(first), tolerance)).collect::<Result<_>>()?;
            for (&first, solved) in some.iter().zip(solved) {
                let last = labels.min(first + WIDTH);
                rows.par_iter_mut().zip(&solved).with_min_len(1024).for_each(|(row, solved)| {
                    let found = (first..last).map(|label| (label as u32, solved[label - first]));
                    row.extend(found.filter(|&(_, value)| value > tolerance));
                    self.cut(row);
                });
                if last == labels && first + WIDTH > labels {
                    dummy = solved.iter().map(|solved| solved[labels - first].max(0.0)).collect();
                }
                if !told(last - first) {
                    return Err(Error::input("solving was stopped"));
                }
            }
        }
        let mut found = Labels { starts: vec![0], ids: Vec::new(), values: Vec::new(), dummy };
        for row in rows {
            found.ids.extend(row.iter().map(|&(label, _)| label));
            found.values.extend(row.iter().map(|&(_, value)| value));
            found.starts.push(found.ids.len());
        }
        Ok(found)
    }

    /// Leaves the most probable labels.
    fn cut(&self, row: &mut Vec<(u32, f64)>) {
        let keep = self.settings.keep;
        if keep > 0 && row.len() > keep {
            row.select_nth_unstable_by(keep, |one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            row.truncate(keep);
            row.sort_unstable_by_key(|&(label, _)| label);
        }
    }

    /// Solves for a block of right sides, with the diagonal as preconditioner.
    fn conjugate(&self, mut residual: Vec<Block>, tolerance: f64) -> Result<Vec<Block>> {
        let nodes = residual.len();
        let dot = |one: &[Block], other: &[Block]| {
            let mut sums = [0.0; WIDTH];
            for (one, other) in one.iter().zip(other) {
                for column in 0..WIDTH {
                    sums[column] += one[column] * other[column];
                }
            }
            sums
        };
        let enough = dot(&residual, &residual).map(|square| square * tolerance * tolerance);
        let mut solution = vec![[0.0; WIDTH]; nodes];
        let scaled = |node: usize, residual: &Block| {
            let diagonal = self.diagonal[node];
            each(|column| if diagonal > 0.0 { residual[column] / diagonal } else { 0.0 })
        };
        let mut direction: Vec<Block> = residual.iter().enumerate().map(|(node, one)| scaled(node, one)).collect();
        let mut energy = dot(&residual, &direction);
        let mut image = vec![[0.0; WIDTH]; nodes];
        for _ in 0..MOST_STEPS {
            let now = dot(&residual, &residual);
            if now.iter().zip(&enough).all(|(now, enough)| now <= enough) {
                return Ok(solution);
            }
            for (node, image) in image.iter_mut().enumerate() {
                *image = direction[node].map(|value| value * self.diagonal[node]);
                for at in self.graph.part(node) {
                    let (pull, other) = (self.pulls[at], &direction[self.graph.ids[at] as usize]);
                    for column in 0..WIDTH {
                        image[column] -= pull * other[column];
                    }
                }
            }
            let curve = dot(&direction, &image);
            // A column that is done stays as it is.
            let step = each(|column| {
                if now[column] > enough[column] && curve[column] > 0.0 { energy[column] / curve[column] } else { 0.0 }
            });
            let mut next = [0.0; WIDTH];
            for node in 0..nodes {
                for column in 0..WIDTH {
                    solution[node][column] += step[column] * direction[node][column];
                    residual[node][column] -= step[column] * image[node][column];
                }
                let scaled = scaled(node, &residual[node]);
                for column in 0..WIDTH {
                    next[column] += residual[node][column] * scaled[column];
                }
            }
            let turn = each(|column| if energy[column] > 0.0 { next[column] / energy[column] } else { 0.0 });
            energy = next;
            for (node, direction) in direction.iter_mut().enumerate() {
                let scaled = scaled(node, &residual[node]);
                for column in 0..WIDTH {
                    direction[column] = scaled[column] + turn[column] * direction[column];
                }
            }
        }
        Err(Error::limit(format!("the labels are not solved for to {tolerance} after {MOST_STEPS} steps"))
            .hint("allow a greater tolerance"))
    }
}
