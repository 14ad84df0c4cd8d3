//! How far two orders of a sentence are apart: inversions, chunks, crossing links.

use rayon::prelude::*;

use super::{Sentences, check_order, in_sentence};
use crate::error::{Error, Result};

/// What one order is like, seen from another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Difference {
    /// Pairs of words that stand the other way round.
    pub inversions: u64,
    /// Into how many pieces the order is cut so that each runs through the other one word by word.
    pub chunks: u64,
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    seen: Vec<bool>,
    rank: Vec<u32>,
    relative: Vec<u32>,
    spare: Vec<u32>,
    links: Vec<(u32, u32)>,
}

/// Pairs that stand in falling order, strictly; sorts the values (merge sort from below).
pub fn inversions(values: &mut Vec<u32>, spare: &mut Vec<u32>) -> u64 {
    let length = values.len();
    spare.clear();
    spare.resize(length, 0);
    let mut found = 0;
    let mut width = 1;
    while width < length {
        for start in (0..length).step_by(2 * width) {
            let middle = (start + width).min(length);
            let end = (start + 2 * width).min(length);
            let (mut left, mut right) = (start, middle);
            for place in &mut spare[start..end] {
                if left < middle && (right == end || values[left] <= values[right]) {
                    *place = values[left];
                    left += 1;
                } else {
                    found += (middle - left) as u64;
                    *place = values[right];
                    right += 1;
                }
            }
        }
        std::mem::swap(values, spare);
        width *= 2;
    }
    found
}

/// Compares an order with a reference order of the same sentence.
///
/// # Errors
/// One of them is no permutation.
pub fn difference(order: &[u32], reference: &[u32], scratch: &mut Scratch) -> Result<Difference> {
    let words = reference.len();
    check_order(reference, words, &mut scratch.seen)?;
    check_order(order, words, &mut scratch.seen)?;
    scratch.rank.clear();
    scratch.rank.resize(words, 0);
    for (rank, &word) in reference.iter().enumerate() {
        scratch.rank[word as usize] = rank as u32;
    }
    scratch.relative.clear();
    scratch.relative.extend(order.iter().map(|&word| scratch.rank[word as usize]));
    let breaks = scratch.relative.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
    let chunks = if words == 0 { 0 } else { breaks as u64 + 1 };
    Ok(Difference { inversions: inversions(&mut scratch.relative, &mut scratch.spare), chunks })
}

/// Compares the orders of many sentences with reference orders.
///
/// # Errors
/// A sentence's order is no permutation.
pub fn differences(sentences: Sentences<'_>, orders: &[u32], references: &[u32]) -> Result<Vec<Difference>> {
    if orders.len() != references.len() {
        return Err(Error::input(format!("orders have {} words and references {}", orders.len(), references.len())));
    }
    (0..sentences.len())
        .into_par_iter()
        .with_min_len(64)
        .map_init(Scratch::default, |scratch, k| {
            difference(&orders[sentences.range(k)], &references[sentences.range(k)], scratch).map_err(in_sentence(k))
        })
        .collect()
}

/// Pairs of links that cross when the source words stand in `order`.
///
/// # Errors
/// The order is no permutation, or a link is outside the sentence.
pub fn crossings(order: &[u32], links: impl Iterator<Item = (u32, u32)>, scratch: &mut Scratch) -> Result<u64> {
    let words = order.len();
    check_order(order, words, &mut scratch.seen)?;
    scratch.rank.clear();
    scratch.rank.resize(words, 0);
    for (rank, &word) in order.iter().enumerate() {
        scratch.rank[word as usize] = rank as u32;
    }
    scratch.links.clear();
    for (source, target) in links {
        let Some(&rank) = scratch.rank.get(source as usize) else {
            let what = format!("a link goes from word {source}, counted from 0, but the sentence has {words} words");
            return Err(Error::input(what));
        };
        scratch.links.push((rank, target));
    }
    // Links of one word fan out and do not cross: sorted by target too, they are in order.
    scratch.links.sort_unstable();
    scratch.relative.clear();
    scratch.relative.extend(scratch.links.iter().map(|link| link.1));
    Ok(inversions(&mut scratch.relative, &mut scratch.spare))
}

/// Crossing links of many sentences.
///
/// # Errors
/// As for [`crossings`].
pub fn all_crossings(
    sentences: Sentences<'_>,
    orders: &[u32],
    links: Sentences<'_>,
    sources: &[u32],
    targets: &[u32],
) -> Result<Vec<u64>> {
    if links.len() != sentences.len() || sources.len() != targets.len() {
        return Err(Error::input(format!(
            "there are {} sentences and {} lines of links",
            sentences.len(),
            links.len()
        )));
    }
    (0..sentences.len())
        .into_par_iter()
        .with_min_len(64)
        .map_init(Scratch::default, |scratch, k| {
            let range = links.range(k);
            let pairs = sources[range.clone()].iter().copied().zip(targets[range].iter().copied());
            crossings(&orders[sentences.range(k)], pairs, scratch).map_err(in_sentence(k))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause() {
        let mut scratch = Scratch::default();
        let identity: Vec<u32> = (0..7).collect();
        let reference = [0, 1, 5, 6, 2, 3, 4];
        let found = difference(&identity, &reference, &mut scratch).unwrap();
        assert_eq!(found, Difference { inversions: 6, chunks: 3 });
        assert_eq!(difference(&reference, &identity, &mut scratch).unwrap(), found);
        let links = [(0, 0), (2, 4), (3, 5), (4, 6), (5, 2), (6, 3)];
        assert_eq!(crossings(&identity, links.into_iter(), &mut scratch).unwrap(), 6);
        assert_eq!(crossings(&reference, links.into_iter(), &mut scratch).unwrap(), 0);
        // A word with two links crosses neither itself nor a neighbour with the same partner.
        assert_eq!(crossings(&[0, 1], [(0, 1), (0, 0), (1, 1)].into_iter(), &mut scratch).unwrap(), 0);
    }

    #[test]
    fn mistakes_are_named() {
        let sentences = Sentences::new(&[0, 1, 3], 3).unwrap();
        let error = differences(sentences, &[0, 0, 0], &[0, 0, 1]).unwrap_err();
        assert!(error.what.starts_with("sentence 2: the order of 2 words"));
        let mut scratch = Scratch::default();
        assert!(crossings(&[0], [(1, 0)].into_iter(), &mut scratch).is_err());
    }
}
