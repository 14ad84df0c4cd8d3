//! What smoothing needs to know of all rules with one target side, found by sorting.
//!
//! Target sides are compared by 96 bits of a hash: among a billion of them, two share one with a chance of 1 in 10^11.

use xxhash_rust::xxh3::xxh3_128;

use super::group::Grouped;
use super::smoothing::{Adjusted, Estimate, Marginal};
use crate::Result;
use crate::files::runs::{Merged, Sorter};

/// Takes the target sides of rules.
pub struct TargetCounts {
    sorter: Sorter,
    rules: u32,
    memory: usize,
}

fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl TargetCounts {
    /// None yet; about this much memory may be used.
    pub fn new(memory: usize) -> Self {
        Self { sorter: Sorter::new(6, false, memory / 2), rules: 0, memory }
    }

    /// Takes the next rule.
    pub fn add(&mut self, rule: &Grouped) -> Result<()> {
        let hash = xxh3_128(rule.target());
        let [low, high] = split(rule.count);
        let record = [(hash >> 96) as u32, (hash >> 64) as u32, (hash >> 32) as u32, self.rules, low, high];
        self.rules = self.rules.checked_add(1).ok_or_else(|| crate::Error::limit("more than 4 billion rules"))?;
        self.sorter.push(&record)
    }

    /// The marginals of the rules' target sides, in the order of the rules.
    pub fn finish(self, estimate: &Estimate) -> Result<TargetMarginals> {
        let mut sorted = self.sorter.finish()?;
        let mut out = Sorter::new(7, false, self.memory / 2);
        let mut group: Vec<(u32, u64)> = Vec::new();
        let mut hash = [0_u32; 3];
        loop {
            let record = sorted.next()?;
            let same = record.is_some_and(|record| record[..3] == hash);
            if !same && !group.is_empty() {
                let mut marginal = Marginal::default();
                group.iter().for_each(|&(_, count)| marginal.add(count, estimate));
                let [low, high] = split(marginal.total);
                let [adjusted_low, adjusted_high] = split(marginal.adjusted.to_bits());
                // A target side with 2^32 sources cannot be: there are fewer rules.
                let rules = marginal.rules as u32;
                for &(rule, _) in &group {
                    out.push(&[rule, low, high, adjusted_low, adjusted_high, rules, 0])?;
                }
                group.clear();
            }
            match record {
                Some(record) => {
                    hash.copy_from_slice(&record[..3]);
                    group.push((record[3], join(record[4], record[5])));
                }
                None => break,
            }
        }
        Ok(TargetMarginals(out.finish()?))
    }
}

/// The marginals of the rules' target sides.
pub struct TargetMarginals(Merged);

impl TargetMarginals {
    /// Of the next rule.
    pub fn next(&mut self) -> Result<Marginal> {
        let record = self.0.next()?.ok_or_else(|| crate::Error::format("a rule has lost its target side"))?;
        let adjusted: Adjusted = f64::from_bits(join(record[3], record[4]));
        Ok(Marginal { total: join(record[1], record[2]), adjusted, rules: u64::from(record[5]) })
    }
}
