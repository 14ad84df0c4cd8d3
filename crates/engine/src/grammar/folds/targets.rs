//! What is known in lanes of all rules with one target side, found by sorting, as in [`super::super::marginal`].

use xxhash_rust::xxh3::xxh3_128;

use super::super::code::{put_number, take_number};
use super::estimates::{Collected, Estimates, Marginals, whole};
use super::group::FoldRule;
use crate::Result;
use crate::files::runs::Sorter;

/// Says that a record is of a whole rule, or of one that a single voice lacks; the voice is added to the latter.
const RULE: u32 = 0;
const LONE: u32 = 1 << 8;
/// Rules whose target sides are looked at ahead.
const AHEAD: usize = 64;

/// Takes the target sides of rules.
pub struct FoldTargets {
    sorter: Sorter,
    rules: u32,
    voices: usize,
}

impl FoldTargets {
    /// None yet; about this much memory may be used.
    pub fn new(voices: usize, memory: usize) -> Self {
        Self { sorter: Sorter::new(7, false, memory), rules: 0, voices }
    }

    /// Takes the next rule.
    pub fn add(&mut self, rule: &FoldRule) -> Result<()> {
        let hash = xxh3_128(rule.target());
        let hash = [(hash >> 96) as u32, (hash >> 64) as u32, (hash >> 32) as u32];
        let number = self.rules;
        self.rules = number.checked_add(1).ok_or_else(|| crate::Error::limit("more than 4 billion rules"))?;
        let mut push = |what: u32, count: u64| {
            self.sorter.push(&[hash[0], hash[1], hash[2], number, what, count as u32, (count >> 32) as u32])
        };
        if let [(voice, part)] = rule.parts[..]
            && part == rule.total
        {
            return push(LONE + u32::from(voice), part);
        }
        push(RULE, rule.total)?;
        rule.parts.iter().try_for_each(|&(voice, part)| push(1 + u32::from(voice), part))
    }

    /// What is known of the target sides, by the numbers of rules.
    pub fn finish(self, estimates: &Estimates) -> Result<TargetMarginals> {
        let mut sorted = self.sorter.finish()?;
        let mut found = TargetMarginals { bytes: Vec::new(), places: vec![0; self.rules as usize], seen: 0 };
        let mut group = Collected::new(self.voices);
        let mut hash = [0_u32; 3];
        let mut count = 0;
        while let Some(record) = sorted.next()? {
            if record[..3] != hash || group.rules == 0 {
                found.put(&mut group, estimates);
                hash.copy_from_slice(&record[..3]);
            }
            let number = u64::from(record[5]) | u64::from(record[6]) << 32;
            if record[4] == RULE || record[4] >= LONE {
                count = number;
                group.add(count, estimates);
                found.places[record[3] as usize] = found.bytes.len() as u64;
            }
            if record[4] != RULE {
                let voice = if record[4] >= LONE { record[4] - LONE } else { record[4] - 1 };
                group.lack(voice as u8, count, number, estimates);
            }
        }
        found.put(&mut group, estimates);
        Ok(found)
    }
}

/// What is known of the rules' target sides.
pub struct TargetMarginals {
    bytes: Vec<u8>,
    /// Where that of each rule's target side is.
    places: Vec<u64>,
    /// The rules up to this one were looked at.
    seen: usize,
}

impl TargetMarginals {
    fn put(&mut self, group: &mut Collected, estimates: &Estimates) {
        if group.rules == 0 {
            return;
        }
        let out = &mut self.bytes;
        put_number(out, group.total);
        put_number(out, group.touched.count_ones().into());
        for voice in group.touched() {
            out.push(voice as u8);
            put_number(out, group.parts[voice].0);
        }
        if estimates.adjusts() {
            put_number(out, group.rules);
            put_number(out, group.shares.len() as u64);
            for (row, share) in &group.shares {
                put_number(out, *row);
                out.extend_from_slice(&share.to_le_bytes());
            }
            for voice in group.touched() {
                put_number(out, group.parts[voice].1);
                out.extend_from_slice(&group.parts[voice].2.to_le_bytes());
            }
        }
        group.clear();
    }

    /// That of a rule's target side, in lanes; rules are asked for in their order.
    pub fn of(&mut self, rule: u32, estimates: &Estimates, out: &mut Marginals) {
        if rule as usize >= self.seen {
            // Each target side is somewhere else in memory: looking at many at a time, one wait serves all.
            let ahead = &self.places[rule as usize..self.places.len().min(rule as usize + AHEAD)];
            std::hint::black_box(ahead.iter().fold(0, |sum, &place| sum ^ self.bytes[place as usize]));
            self.seen = rule as usize + AHEAD;
        }
        let mut bytes = &self.bytes[self.places[rule as usize] as usize..];
        let float = |bytes: &mut &[u8]| {
            let (own, rest) = bytes.split_at(8);
            *bytes = rest;
            bytemuck::pod_read_unaligned::<f64>(own)
        };
        let total = take_number(&mut bytes);
        let parts = take_number(&mut bytes);
        out.total.clear();
        out.total.resize(estimates.stride(), whole(total));
        let touched = bytes;
        for _ in 0..parts {
            let voice = usize::from(bytes[0]);
            bytes = &bytes[1..];
            out.total[voice] = whole(total - take_number(&mut bytes));
        }
        if !estimates.adjusts() {
            return;
        }
        out.rules.clear();
        out.rules.resize(estimates.stride(), take_number(&mut bytes) as f64);
        out.adjusted.clear();
        out.adjusted.resize(estimates.stride(), 0.0);
        let shares = take_number(&mut bytes);
        for _ in 0..shares {
            let row = take_number(&mut bytes);
            estimates.sum([(row, float(&mut bytes))], &mut out.adjusted);
        }
        let mut touched = touched;
        for _ in 0..parts {
            let voice = usize::from(touched[0]);
            touched = &touched[1..];
            take_number(&mut touched);
            out.rules[voice] -= take_number(&mut bytes) as f64;
            out.adjusted[voice] += float(&mut bytes);
        }
    }
}
