//! Word links with costs, asked about blocks of source and target words.

use crate::{Error, Result};

/// The links between two sentences, as sums over all blocks that begin at the first words.
#[derive(Debug, Clone)]
pub struct Links {
    width: usize,
    counts: Vec<u32>,
    costs: Vec<f64>,
    source: usize,
    target: usize,
}

impl Links {
    /// Links (source, target, probability) between sentences of so many words.
    ///
    /// # Errors
    /// A link to no word, or with no probability.
    pub fn new(source: usize, target: usize, links: &[(u32, u32, f32)]) -> Result<Self> {
        let width = target + 1;
        let mut this = Self {
            width,
            counts: vec![0; (source + 1) * width],
            costs: vec![0.0; (source + 1) * width],
            source,
            target,
        };
        for &(from, to, probability) in links {
            if from as usize >= source || to as usize >= target {
                let what = format!("a link leads out of its sentences: {from}-{to}, of {source} and {target} words");
                return Err(Error::input(what).hint("positions count from 0"));
            }
            if !(probability > 0.0 && probability <= 1.0) {
                let what = format!("a link has no probability above 0, up to 1: {from}-{to} has {probability}");
                return Err(Error::input(what).hint("leave out links that cannot be"));
            }
            let at = (from as usize + 1) * width + to as usize + 1;
            this.counts[at] += 1;
            this.costs[at] -= f64::from(probability).ln();
        }
        for row in 1..=source {
            for column in 1..=target {
                let at = row * width + column;
                this.counts[at] =
                    this.counts[at] + this.counts[at - 1] + this.counts[at - width] - this.counts[at - width - 1];
                this.costs[at] += this.costs[at - 1] + this.costs[at - width] - this.costs[at - width - 1];
            }
        }
        Ok(this)
    }

    fn sum<T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T>>(&self, table: &[T], block: Block) -> T {
        let (from, to, begin, end) = block;
        table[to * self.width + end] + table[from * self.width + begin]
            - table[from * self.width + end]
            - table[to * self.width + begin]
    }

    /// All links, in order.
    pub fn all(&self) -> Vec<(u16, u16)> {
        let linked = |&(i, j): &(usize, usize)| self.within((i, i + 1, j, j + 1)) > 0;
        let each = (0..self.source).flat_map(|i| (0..self.target).map(move |j| (i, j)));
        each.filter(linked).map(|(i, j)| (i as u16, j as u16)).collect()
    }

    /// Links within a block.
    pub fn within(&self, block: Block) -> u32 {
        self.sum(&self.counts, block)
    }

    /// Whether no link of a block's words leads out of it, and one is within.
    pub fn is_consistent(&self, block: Block) -> bool {
        let (from, to, begin, end) = block;
        let within = self.within(block);
        within > 0
            && within == self.within((from, to, 0, self.target))
            && within == self.within((0, self.source, begin, end))
    }

    /// The sum of minus the logarithms of the probabilities of the links within a block.
    pub fn cost(&self, block: Block) -> f64 {
        self.sum(&self.costs, block).max(0.0)
    }
}

/// From, to (source), begin, end (target).
pub type Block = (usize, usize, usize, usize);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn blocks_are_what_their_links_say(
            links in prop::collection::vec((0_u32..5, 0_u32..4, 0.1_f32..=1.0), 0..9),
            rows in (0_usize..5, 0_usize..5), columns in (0_usize..4, 0_usize..4),
        ) {
            let table = Links::new(5, 4, &links).unwrap();
            let block = (rows.0.min(rows.1), rows.0.max(rows.1) + 1, columns.0.min(columns.1), columns.0.max(columns.1) + 1);
            let row = |from: u32| (block.0..block.1).contains(&(from as usize));
            let column = |to: u32| (block.2..block.3).contains(&(to as usize));
            let inside: Vec<_> = links.iter().filter(|(from, to, _)| row(*from) && column(*to)).collect();
            let out = links.iter().any(|&(from, to, _)| row(from) != column(to));
            prop_assert_eq!(table.within(block) as usize, inside.len());
            let mut all: Vec<_> = links.iter().map(|&(from, to, _)| (from as u16, to as u16)).collect();
            all.sort_unstable();
            all.dedup();
            prop_assert_eq!(table.all(), all);
            prop_assert_eq!(table.is_consistent(block), !inside.is_empty() && !out);
            let cost: f64 = inside.iter().map(|(_, _, p)| -f64::from(*p).ln()).sum();
            prop_assert!((table.cost(block) - cost).abs() < 1e-9);
        }
    }

    #[test]
    fn links_to_nowhere_are_refused() {
        for link in [(2, 0, 0.5), (0, 3, 0.5), (0, 0, 0.0), (0, 0, 1.5), (0, 0, f32::NAN)] {
            assert!(Links::new(2, 3, &[link]).is_err());
        }
        assert!(Links::new(0, 0, &[]).is_ok());
    }
}
