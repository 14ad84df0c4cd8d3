//! Which labels words were seen with.

use hashbrown::HashMap;

use super::features::name;
use super::logic::Label;
use crate::{Error, Result};

/// Words by name, in order, with their labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dictionary {
    pub names: Vec<u64>,
    /// Where the labels of each begin, and an end.
    pub begins: Vec<u32>,
    pub labels: Vec<Label>,
}

impl Dictionary {
    /// The words that were seen at least so often.
    pub fn count<'a>(seen: impl Iterator<Item = (&'a String, Label)>, least: u32) -> Self {
        let mut counts: HashMap<u64, HashMap<Label, u32>> = HashMap::new();
        for (word, label) in seen {
            *counts.entry(name(word)).or_default().entry(label).or_default() += 1;
        }
        counts.retain(|_, labels| labels.values().sum::<u32>() >= least);
        let mut rows: Vec<_> = counts.into_iter().collect();
        rows.sort_unstable_by_key(|row| row.0);
        let mut made = Self { begins: vec![0], ..Self::default() };
        for (name, labels) in rows {
            let first = made.labels.len();
            made.labels.extend(labels.into_keys());
            made.labels[first..].sort_unstable();
            made.names.push(name);
            made.begins.push(made.labels.len() as u32);
        }
        made
    }

    /// Refuses what does not fit so many labels.
    pub fn check(&self, labels: usize) -> Result<()> {
        let ends = (self.begins.first(), self.begins.last()) == (Some(&0), Some(&(self.labels.len() as u32)));
        let rise = self.begins.windows(2).all(|two| two[0] < two[1]);
        if !ends || !rise || self.begins.len() != self.names.len() + 1 || !self.names.is_sorted_by(|a, b| a < b) {
            return Err(Error::format("the words of the dictionary do not fit their labels"));
        }
        if self.labels.iter().any(|&label| label == 0 || usize::from(label) > labels) {
            return Err(Error::format("a word of the dictionary has an unknown label"));
        }
        Ok(())
    }

    /// The labels of a word that was seen often enough.
    pub fn find(&self, word: &str) -> Option<&[Label]> {
        let at = self.names.binary_search(&name(word)).ok()?;
        Some(&self.labels[self.begins[at] as usize..self.begins[at + 1] as usize])
    }
}
