//! Alignment error rate against gold links (Och and Ney 2003, section 5).

use super::symmetrise::Link;

/// Counts from which precision, recall and AER follow; sums over pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Links proposed, |A|.
    pub proposed: u64,
    /// Sure gold links, |S|.
    pub sure: u64,
    /// Proposed links that are sure, |A ∩ S|.
    pub proposed_sure: u64,
    /// Proposed links that are possible (sure ones are possible too), |A ∩ P|.
    pub proposed_possible: u64,
}

impl Agreement {
    /// Adds one pair. `gold` holds (link, is sure); a link given both ways is sure.
    pub fn add(&mut self, proposed: &[Link], gold: &[(Link, bool)]) {
        let mut proposed = proposed.to_vec();
        proposed.sort_unstable();
        proposed.dedup();
        let mut gold: Vec<(Link, bool)> = gold.iter().map(|&(link, sure)| (link, !sure)).collect();
        gold.sort_unstable();
        gold.dedup_by_key(|entry| entry.0);
        self.proposed += proposed.len() as u64;
        self.sure += gold.iter().filter(|entry| !entry.1).count() as u64;
        for link in &proposed {
            if let Ok(at) = gold.binary_search_by_key(link, |entry| entry.0) {
                self.proposed_possible += 1;
                self.proposed_sure += u64::from(!gold[at].1);
            }
        }
    }

    /// |A ∩ P| / |A|; 1 if nothing was proposed, for nothing proposed is wrong.
    pub fn precision(&self) -> f64 {
        ratio(self.proposed_possible, self.proposed)
    }

    /// |A ∩ S| / |S|; 1 if nothing is sure.
    pub fn recall(&self) -> f64 {
        ratio(self.proposed_sure, self.sure)
    }

    /// 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 0 if there is nothing on either side.
    pub fn error_rate(&self) -> f64 {
        1.0 - ratio(self.proposed_sure + self.proposed_possible, self.proposed + self.sure)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_sure_and_possible() {
        let mut agreement = Agreement::default();
        agreement.add(&[(0, 0), (1, 2), (2, 2), (2, 2)], &[((0, 0), true), ((1, 2), false), ((3, 3), true)]);
        assert_eq!(agreement, Agreement { proposed: 3, sure: 2, proposed_sure: 1, proposed_possible: 2 });
        assert!((agreement.error_rate() - 0.4).abs() < 1e-12);
    }

    #[test]
    fn nothing_at_all_is_no_error() {
        let empty = Agreement::default();
        assert_eq!((empty.precision(), empty.recall(), empty.error_rate()), (1.0, 1.0, 0.0));
    }
}
