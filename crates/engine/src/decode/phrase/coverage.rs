//! Which source words a hypothesis has translated.
//!
//! Search never leaves a word behind by more than the distortion limit, so a coverage is the place of the first word
//! that is left and a window of bits behind it, however long the sentence is.

/// The largest distortion limit: what the window holds.
pub const MOST_DISTORTION: usize = 64;

/// A set of source words without holes beyond the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Coverage {
    /// The first word that is not covered.
    pub first: u32,
    /// Bit i says whether the word `first` + 1 + i is covered.
    pub window: u64,
}

impl Coverage {
    /// The end of the last word that is covered, or `first` if nothing behind it is.
    #[inline]
    pub fn end(self) -> u32 {
        if self.window == 0 { self.first } else { self.first + 1 + (u64::BITS - self.window.leading_zeros()) }
    }

    /// Whether all words from one up to another, of which there are some, are covered.
    pub fn covers(self, begin: u32, end: u32) -> bool {
        if end <= self.first {
            return true;
        }
        // The word at `first` is not covered, nor is any behind the window.
        if begin <= self.first || end - self.first > u64::BITS {
            return false;
        }
        let bits = (u64::MAX >> (u64::BITS - (end - begin))) << (begin - self.first - 1);
        self.window & bits == bits
    }

    /// The coverage with `length` more words from `begin` on; `None` if some are covered already, or if the phrase
    /// leaves the first word behind and ends more than `limit` words after it. Such a phrase could lead to a place from
    /// which no jump comes back (Koehn et al. 2003; the test that Moses makes too).
    #[inline]
    pub fn with(self, begin: u32, length: u32, limit: u32) -> Option<Self> {
        if begin > self.first {
            if begin + length - self.first > limit {
                return None;
            }
            let bits = (u64::MAX >> (u64::BITS - length)) << (begin - self.first - 1);
            return (self.window & bits == 0).then_some(Self { first: self.first, window: self.window | bits });
        }
        if begin < self.first {
            return None;
        }
        if self.window == 0 {
            return Some(Self { first: begin + length, window: 0 });
        }
        let free = self.window.trailing_zeros() + 1;
        if length > free {
            return None;
        }
        if length < free {
            return Some(Self { first: begin + length, window: self.window >> length });
        }
        // The phrase closes the gap: the words behind it that are covered join what is complete.
        let rest = self.window >> (free - 1);
        let joined = rest.trailing_ones();
        Some(Self { first: begin + length + joined, window: rest.checked_shr(joined + 1).unwrap_or(0) })
    }

    /// The maximal runs of words that are not covered, up to the last one that is covered.
    #[inline]
    pub fn gaps(self) -> impl Iterator<Item = (u32, u32)> {
        let (mut at, mut rest) = (self.first, self.window);
        let mut first = true;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            // Bit 0 of `rest` stands for `at` + 1 at first, later for `at`.
            let free = rest.trailing_zeros();
            let gap = (at, at + free + u32::from(first));
            first = false;
            rest >>= free;
            let covered = rest.trailing_ones();
            rest = rest.checked_shr(covered).unwrap_or(0);
            at = gap.1 + covered;
            Some(gap)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Coverage;

    /// The same, word by word.
    fn naive(covered: &mut [bool], begin: usize, length: usize, limit: usize) -> bool {
        let first = covered.iter().position(|&is| !is).unwrap_or(covered.len());
        let free = begin + length <= covered.len() && covered[begin..begin + length].iter().all(|&is| !is);
        let returns = begin == first || begin + length <= first + limit;
        if free && returns {
            covered[begin..begin + length].fill(true);
        }
        free && returns
    }

    proptest! {
        #[test]
        fn a_coverage_is_the_set_of_its_words(
            phrases in prop::collection::vec((0_usize..90, 1_usize..9), 0..60), limit in 0_usize..65,
        ) {
            let mut covered = vec![false; 100];
            let mut coverage = Coverage::default();
            for (begin, length) in phrases {
                let first = coverage.first as usize;
                // Phrases near the first gap, so that some fit.
                let begin = first + begin % (limit + 1);
                if begin + length > covered.len() {
                    continue;
                }
                let fits = naive(&mut covered, begin, length, limit);
                let next = coverage.with(begin as u32, length as u32, limit as u32);
                prop_assert_eq!(next.is_some(), fits);
                coverage = next.unwrap_or(coverage);
                let first = covered.iter().position(|&is| !is).unwrap_or(covered.len());
                prop_assert_eq!(coverage.first as usize, first);
                let end = covered.iter().rposition(|&is| is).map_or(0, |at| at + 1);
                prop_assert_eq!(coverage.end() as usize, end);
                for from in 0..100 {
                    for to in from + 1..=100 {
                        let all = covered[from..to].iter().all(|&is| is);
                        prop_assert_eq!(coverage.covers(from as u32, to as u32), all);
                    }
                }
                let mut left = [false; 100];
                for (from, to) in coverage.gaps() {
                    left[from as usize..to as usize].fill(true);
                }
                for at in 0..end {
                    prop_assert_eq!(left[at], !covered[at]);
                }
            }
        }
    }
}
