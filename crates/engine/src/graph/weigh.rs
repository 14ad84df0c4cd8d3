//! How strongly a phrase and a word near it are associated (Razmara 2013, section 5.2.2).

use std::sync::Arc;

use super::profiles::{Profiles, Rows, Values, gathered};
use crate::{Error, Result};

/// What the numbers of profiles are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// How often the word stands near the phrase.
    Count,
    /// The probability of the word near the phrase.
    Cp,
    /// Pointwise mutual information in bits.
    Pmi,
    /// The same, where it is positive.
    Ppmi,
    /// The logarithm of the likelihood ratio, -2 ln λ (Dunning 1993).
    Llr,
    /// χ² of the two by two table.
    Chi2,
}

impl Measure {
    /// All of them.
    const ALL: [(&'static str, Self); 6] = [
        ("count", Self::Count),
        ("cp", Self::Cp),
        ("pmi", Self::Pmi),
        ("ppmi", Self::Ppmi),
        ("llr", Self::Llr),
        ("chi2", Self::Chi2),
    ];

    /// From its name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        let known = Self::ALL.iter().find(|(known, measure)| *known == name && *measure != Self::Count);
        known
            .map(|&(_, measure)| measure)
            .ok_or_else(|| Error::settings(format!("unknown measure {name:?}")).hint("use ppmi, pmi, cp, llr or chi2"))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, measure)| *measure == self).map_or("", |&(name, _)| name)
    }
}

/// What the probability of a context is estimated from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marginals {
    /// All words of the text, whichever phrases have profiles.
    Text,
    /// The rows of the profiles.
    Rows,
}

/// How often a phrase and a word near it come together, and each by itself, among `total`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Together {
    pub both: f64,
    pub row: f64,
    pub column: f64,
    pub total: f64,
}

impl Together {
    pub fn pmi(self) -> f64 {
        (self.both * self.total / (self.row * self.column)).log2()
    }

    /// The table: both, the phrase with other words, the word near other phrases, neither.
    fn table(self) -> [f64; 4] {
        let (other_words, other_phrases) = (self.row - self.both, self.column - self.both);
        [self.both, other_words, other_phrases, self.total - self.both - other_words - other_phrases]
            .map(|count| count.max(0.0))
    }

    /// What the table would be if the two were independent.
    fn expected(self) -> [f64; 4] {
        let (rows, columns) = ([self.row, self.total - self.row], [self.column, self.total - self.column]);
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(row, column)| rows[row] * columns[column] / self.total)
    }

    pub fn llr(self) -> f64 {
        let cell = |(found, expected): (f64, f64)| if found > 0.0 { found * (found / expected).ln() } else { 0.0 };
        (2.0 * self.table().into_iter().zip(self.expected()).map(cell).sum::<f64>()).max(0.0)
    }

    pub fn chi2(self) -> f64 {
        let cell = |(found, expected): (f64, f64)| {
            if expected > 0.0 { (found - expected).powi(2) / expected } else { 0.0 }
        };
        self.table().into_iter().zip(self.expected()).map(cell).sum()
    }
}

impl Profiles {
    /// Profiles of associations from profiles of counts.
    ///
    /// # Errors
    /// Profiles that are weighed already.
    pub fn weigh(&self, measure: Measure, marginals: Marginals) -> Result<Self> {
        let Values::Counts(counts) = &self.values else {
            return Err(Error::settings(format!("the profiles are weighed by {} already", self.measure.name()))
                .hint("weigh the counts that they are made of"));
        };
        let own;
        let columns = match marginals {
            Marginals::Text => &self.shape.totals,
            Marginals::Rows => {
                let mut sums = vec![0.0; self.shape.columns()];
                for (&column, &count) in self.ids.iter().zip(counts) {
                    sums[column as usize] += f64::from(count);
                }
                own = sums;
                &own
            }
        };
        let total: f64 = columns.iter().sum();
        let (starts, ids, values) = gathered(
            self.rows(),
            || (),
            |(), row, rows: &mut Rows<f32>| {
                let sum: f64 = self.row(row).map(|(_, count)| count).sum();
                for (column, both) in self.row(row) {
                    let together = Together { both, row: sum, column: columns[column as usize], total };
                    let value = match measure {
                        Measure::Count => both,
                        Measure::Cp => both / sum,
                        Measure::Pmi => together.pmi(),
                        Measure::Ppmi => together.pmi().max(0.0),
                        Measure::Llr => together.llr(),
                        Measure::Chi2 => together.chi2(),
                    };
                    if measure != Measure::Ppmi || value > 0.0 {
                        rows.ids.push(column);
                        rows.values.push(value as f32);
                    }
                }
            },
        );
        Ok(Self { shape: Arc::clone(&self.shape), starts, ids, values: Values::Weights(values), measure })
    }
}
