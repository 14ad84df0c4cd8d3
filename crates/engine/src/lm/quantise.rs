//! Values of a model in few bits: bins of equal population, each standing for its mean (Federico & Bertoldi 2006).

use super::search::UNUSED;

/// The values that stand for the bins, ascending, after those that are kept exactly.
pub fn codebook(values: impl Iterator<Item = f32>, bits: u32, exact: &[f32]) -> Vec<f32> {
    let mut sorted: Vec<f32> = values.filter(|value| exact.iter().all(|e| e.to_bits() != value.to_bits())).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let bins = (1_usize << bits) - exact.len();
    let mut book = exact.to_vec();
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= bins {
        book.extend(distinct);
        return book;
    }
    for bin in 0..bins {
        let (from, to) = (sorted.len() * bin / bins, sorted.len() * (bin + 1) / bins);
        if from < to {
            let sum: f64 = sorted[from..to].iter().copied().map(f64::from).sum();
            book.push((sum / (to - from) as f64) as f32);
        }
    }
    book[exact.len()..].sort_unstable_by(f32::total_cmp);
    book
}

/// The bin that is nearest to a value; the exact values stand first.
pub fn nearest(book: &[f32], exact: usize, value: f32) -> u64 {
    if let Some(index) = book[..exact].iter().position(|e| e.to_bits() == value.to_bits()) {
        return index as u64;
    }
    let bins = &book[exact..];
    let above = bins.partition_point(|&bin| bin < value);
    let nearer_below = above > 0 && (above == bins.len() || value - bins[above - 1] <= bins[above] - value);
    (exact + above - usize::from(nearer_below)) as u64
}

/// Back-offs that a state depends on exactly: "not a context", and a weight of 1.
pub const EXACT_BACKOFFS: [f32; 2] = [UNUSED, 0.0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_stay_exact_and_many_are_binned() {
        let book = codebook([-1.0, -2.0, -1.0].into_iter(), 2, &[]);
        assert_eq!(book, [-2.0, -1.0]);
        let values: Vec<f32> = (0..1000).map(|n| -(n as f32) / 100.0).collect();
        let book = codebook(values.iter().copied(), 4, &EXACT_BACKOFFS);
        assert_eq!(book.len(), 16);
        for &value in &values {
            let error = (book[nearest(&book, 2, value) as usize] - value).abs();
            assert!(error <= 0.4, "{value} is off by {error}");
        }
        assert_eq!(nearest(&book, 2, UNUSED), 0);
    }
}
