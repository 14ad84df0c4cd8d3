//! The phrase pairs of one sentence pair that are consistent with its links: at least one link inside, and no link
//! from inside to outside on either side (Och & Ney 2004, section 3.2).

use super::aligned::Link;

/// A source span and a target span, ends exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// First source word.
    pub from: u16,
    /// After the last source word.
    pub to: u16,
    /// First target word.
    pub low: u16,
    /// After the last target word.
    pub high: u16,
}

/// Finds the consistent blocks of sentence pairs; its buffers are used again for each.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Of each source word, its first linked word and the one after its last; empty if it has no link.
    source: Vec<(u16, u16)>,
    /// The same of each target word.
    target: Vec<(u16, u16)>,
    /// How many links start before each source word.
    before: Vec<u32>,
    /// All blocks by their first source word, then by the last, then by the target.
    pub all: Vec<Block>,
    /// Where the blocks of each first source word start; one more at the end.
    pub first: Vec<u32>,
}

const NONE: (u16, u16) = (u16::MAX, 0);

impl Blocks {
    /// Finds the blocks with at most `longest` words on each side. A loose block may have words without links at its
    /// borders.
    pub fn find(&mut self, lengths: (usize, usize), links: &[Link], longest: usize, loose: bool) {
        let (source, target) = lengths;
        self.source.clear();
        self.source.resize(source, NONE);
        self.target.clear();
        self.target.resize(target, NONE);
        self.before.clear();
        self.before.resize(source + 1, 0);
        for &(i, j) in links {
            let spot = &mut self.source[i as usize];
            *spot = (spot.0.min(j), spot.1.max(j + 1));
            let spot = &mut self.target[j as usize];
            *spot = (spot.0.min(i), spot.1.max(i + 1));
            self.before[i as usize + 1] += 1;
        }
        for i in 0..source {
            self.before[i + 1] += self.before[i];
        }
        self.all.clear();
        self.first.clear();
        for from in 0..source {
            self.first.push(self.all.len() as u32);
            if !loose && self.source[from] == NONE {
                continue;
            }
            let (mut low, mut high) = NONE;
            for to in from + 1..=source.min(from + longest) {
                let own = self.source[to - 1];
                low = low.min(own.0);
                high = high.max(own.1);
                if high == 0 || (!loose && own == NONE) {
                    continue;
                }
                // The target span only grows with the source span.
                if (high - low) as usize > longest {
                    break;
                }
                let mut within = self.target[low as usize..high as usize].iter();
                if within.any(|&(first, last)| last > 0 && ((first as usize) < from || last as usize > to)) {
                    continue;
                }
                self.widen(from, to, low, high, longest, loose);
            }
        }
        self.first.push(self.all.len() as u32);
    }

    /// Enters a block, and if it may be loose all that add neighbouring target words without links.
    fn widen(&mut self, from: usize, to: usize, low: u16, high: u16, longest: usize, loose: bool) {
        let (from, to) = (from as u16, to as u16);
        if !loose {
            self.all.push(Block { from, to, low, high });
            return;
        }
        let mut lowest = low;
        while lowest > 0 && self.target[lowest as usize - 1] == NONE && ((high - lowest) as usize) < longest {
            lowest -= 1;
        }
        for low in lowest..=low {
            let mut end = high;
            loop {
                self.all.push(Block { from, to, low, high: end });
                if (end - low) as usize == longest
                    || end as usize == self.target.len()
                    || self.target[end as usize] != NONE
                {
                    break;
                }
                end += 1;
            }
        }
    }

    /// How many links the source words of a span have.
    #[inline]
    pub fn links(&self, from: u16, to: u16) -> u32 {
        self.before[to as usize] - self.before[from as usize]
    }

    /// Where the links of source word `i` are among all links of the pair.
    #[inline]
    pub fn links_of(&self, i: u16) -> std::ops::Range<usize> {
        self.before[i as usize] as usize..self.before[i as usize + 1] as usize
    }

    /// The blocks that start at source word `from`.
    #[inline]
    pub fn starting(&self, from: u16) -> &[Block] {
        &self.all[self.first[from as usize] as usize..self.first[from as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(lengths: (usize, usize), links: &[Link], longest: usize, loose: bool) -> Vec<Block> {
        let mut found = Vec::new();
        for from in 0..lengths.0 as u16 {
            for to in from + 1..=lengths.0 as u16 {
                for low in 0..lengths.1 as u16 {
                    for high in low + 1..=lengths.1 as u16 {
                        let inside = |&(i, j): &Link| (from..to).contains(&i) && (low..high).contains(&j);
                        let crosses = |&(i, j): &Link| (from..to).contains(&i) != (low..high).contains(&j);
                        let source = |p: u16| links.iter().any(|&(i, _)| i == p);
                        let target = |p: u16| links.iter().any(|&(_, j)| j == p);
                        let tight = source(from) && source(to - 1) && target(low) && target(high - 1);
                        let short = (to - from).max(high - low) as usize <= longest;
                        if links.iter().any(inside) && !links.iter().any(crosses) && short && (loose || tight) {
                            found.push(Block { from, to, low, high });
                        }
                    }
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn finds_what_the_definition_says(
            source in 1_usize..9,
            target in 1_usize..9,
            links in prop::collection::btree_set((0_u16..9, 0_u16..9), 0..10),
            longest in 1_usize..9,
            loose: bool,
        ) {
            let links: Vec<Link> =
                links.into_iter().filter(|&(i, j)| (i as usize) < source && (j as usize) < target).collect();
            let mut blocks = Blocks::default();
            blocks.find((source, target), &links, longest, loose);
            prop_assert_eq!(&blocks.all, &naive((source, target), &links, longest, loose));
        }
    }
}
