//! What phrases of a derivation do to the dependencies of the source (Miceli Barone 2015, section 5.2).

use rayon::prelude::*;

use crate::{Error, Result};

/// Names of the features, in their order: twelve of single phrases, nine of phrases that stand side by side in the target.
pub const NAMES: [&str; 21] = [
    "no_parent",
    "no_left_parent",
    "no_right_parent",
    "one_sided_parents",
    "at_most_one_parent",
    "at_most_one_left_parent",
    "at_most_one_right_parent",
    "one_parent",
    "no_child",
    "no_left_child",
    "no_right_child",
    "one_sided_children",
    "parent_child",
    "child_parent",
    "siblings",
    "other",
    "inversion",
    "inversion_parent_child",
    "inversion_child_parent",
    "inversion_siblings",
    "inversion_other",
];

const SINGLE: usize = 12;

/// Memory of one derivation's features, used again for the next.
#[derive(Debug, Clone, Default)]
pub struct Work {
    // The phrase of each word, counted in source order.
    owner: Vec<u32>,
    order: Vec<u32>,
    rank: Vec<u32>,
    // Pairs of a phrase and its parent, sorted, without doubles.
    edges: Vec<[u32; 2]>,
    counts: Vec<Counts>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    left_parents: u32,
    right_parents: u32,
    left_children: u32,
    right_children: u32,
    parent: u32,
}

impl Counts {
    /// The parent, if there is one and no other.
    fn only_parent(self) -> Option<u32> {
        (self.left_parents + self.right_parents == 1).then_some(self.parent)
    }
}

const NOBODY: u32 = u32::MAX;

/// The features of a derivation: heads of the source words (counted from 1, 0 for a root) and source spans of the phrases
/// (begin and end, counted from 0) in the order of the target. Words of no phrase take part in nothing.
///
/// # Errors
/// A head or span outside the sentence, an empty span, or two phrases with one word.
pub fn features(heads: &[u32], spans: &[[u32; 2]], work: &mut Work) -> Result<[f32; 21]> {
    let words = heads.len();
    let Work { owner, order, rank, edges, counts } = work;
    order.clear();
    order.extend(0..spans.len() as u32);
    order.sort_unstable_by_key(|&span| spans[span as usize]);
    rank.clear();
    rank.resize(spans.len(), 0);
    owner.clear();
    owner.resize(words, NOBODY);
    for (phrase, &span) in order.iter().enumerate() {
        rank[span as usize] = phrase as u32;
        let [begin, end] = spans[span as usize].map(|place| place as usize);
        if begin >= end || end > words {
            let what = format!("the phrase from {begin} to {end} does not lie in a sentence of {words} words");
            return Err(Error::input(what).hint("give the parse of the tokens that the decoder saw"));
        }
        for owner in &mut owner[begin..end] {
            if *owner != NOBODY {
                return Err(Error::input("phrases share a word").hint("lists of a phrase-based decoder have no such"));
            }
            *owner = phrase as u32;
        }
    }
    edges.clear();
    for (word, &head) in heads.iter().enumerate().filter(|(_, head)| **head > 0) {
        let parent = *owner
            .get(head as usize - 1)
            .ok_or_else(|| Error::input(format!("word {} of {words} has head {head}", word + 1)))?;
        if owner[word] != NOBODY && parent != NOBODY && owner[word] != parent {
            edges.push([owner[word], parent]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    counts.clear();
    counts.resize(spans.len(), Counts::default());
    for &[child, parent] in edges.iter() {
        let is_left = parent < child;
        let own = &mut counts[child as usize];
        own.parent = parent;
        own.left_parents += u32::from(is_left);
        own.right_parents += u32::from(!is_left);
        let above = &mut counts[parent as usize];
        above.left_children += u32::from(!is_left);
        above.right_children += u32::from(is_left);
    }
    Ok(sum(counts, rank))
}

/// Heads of the source words, and source spans of the phrases in the order of the target.
pub type Derivation<'a> = (&'a [u32], &'a [[u32; 2]]);

/// The features of many derivations, a row each.
///
/// # Errors
/// As for [`features`].
pub fn rows(derivations: &[Derivation<'_>]) -> Result<Vec<f32>> {
    let row = |work: &mut Work, (heads, spans): &Derivation<'_>| features(heads, spans, work);
    let rows: Result<Vec<_>> = derivations.par_iter().with_min_len(64).map_init(Work::default, row).collect();
    Ok(rows?.concat())
}

fn sum(counts: &[Counts], rank: &[u32]) -> [f32; 21] {
    let mut row = [0f32; 21];
    for own in counts {
        let (left, right) = (own.left_parents, own.right_parents);
        let holds = [
            left + right == 0,
            left == 0,
            right == 0,
            left == 0 || right == 0,
            left + right <= 1,
            left <= 1,
            right <= 1,
            left + right == 1,
            own.left_children + own.right_children == 0,
            own.left_children == 0,
            own.right_children == 0,
            own.left_children == 0 || own.right_children == 0,
        ];
        row.iter_mut().zip(holds).for_each(|(value, holds)| *value += f32::from(u8::from(holds)));
    }
    for pair in rank.windows(2) {
        let [before, after] = [pair[0], pair[1]].map(|phrase| counts[phrase as usize].only_parent());
        let category = if after == Some(pair[0]) {
            0
        } else if before == Some(pair[1]) {
            1
        } else if before.is_some() && before == after {
            2
        } else {
            3
        };
        row[SINGLE + category] += 1.0;
        if pair[0] > pair[1] {
            row[SINGLE + 4] += 1.0;
            row[SINGLE + 5 + category] += 1.0;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_favourite_book() {
        // Mary legge il suo libro preferito .
        let heads = [2, 0, 5, 5, 2, 5, 2];
        let spans = [[0, 2], [2, 4], [5, 6], [4, 5], [6, 7]];
        let found = features(&heads, &spans, &mut Work::default()).unwrap();
        let expected = [1, 2, 4, 5, 5, 5, 5, 4, 3, 4, 3, 4, 0, 1, 2, 1, 1, 0, 1, 0, 0];
        assert_eq!(found.map(|value| value as i32), expected);
    }

    #[test]
    fn refuses_phrases_that_do_not_fit() {
        let mut work = Work::default();
        for spans in [&[[0, 2], [1, 3]][..], &[[0, 4]], &[[1, 1]]] {
            assert!(features(&[2, 0, 2], spans, &mut work).is_err());
        }
        assert!(features(&[4, 0, 2], &[[0, 3]], &mut work).is_err());
        assert!(features(&[2, 0, 2], &[], &mut work).unwrap() == [0.0; 21]);
    }
}
