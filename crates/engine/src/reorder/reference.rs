//! Reference orders: source words sorted by the place of their translations (Miceli Barone, section 2.5.5).

use rayon::prelude::*;

use super::{Sentences, in_sentence};
use crate::error::{Error, Result};

/// What becomes of words that no link touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// They stay with the word before them (Al-Onaizan and Papineni 2006); the first ones stay at the beginning.
    Previous,
    /// They stay with the next linked word; the last ones with the word before them.
    Following,
    /// They move to the beginning of the sentence (Tromble and Eisner 2009).
    Begin,
    /// They are left out (Visweswariah et al. 2011).
    Drop,
}

impl Policy {
    /// The policy of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name {
            "previous" => Self::Previous,
            "following" => Self::Following,
            "begin" => Self::Begin,
            "drop" => Self::Drop,
            _ => {
                let what = format!("there is no policy {name:?} for words without links");
                return Err(Error::settings(what).hint("choose from previous, following, begin, drop"));
            }
        })
    }
}

/// No place yet.
const UNLINKED: u64 = u64::MAX;

/// The order of a sentence, given the links of its words to places of the translation. Words with equal places keep
/// their order. Without any link the order is that of the sentence, or, under [`Policy::Drop`], empty.
///
/// # Errors
/// A link is outside the sentence.
pub fn order(words: usize, links: impl Iterator<Item = (u32, u32)>, policy: Policy) -> Result<Vec<u32>> {
    // The leftmost linked place plus one, so that 0 stands before all of them.
    let mut place = vec![UNLINKED; words];
    for (source, target) in links {
        let Some(place) = place.get_mut(source as usize) else {
            let what = format!("a link goes from word {source}, counted from 0, but the sentence has {words} words");
            return Err(Error::input(what).hint("align the same words that were parsed"));
        };
        *place = (*place).min(u64::from(target) + 1);
    }
    match policy {
        Policy::Previous => fill(place.iter_mut(), 0),
        Policy::Following => {
            fill(place.iter_mut().rev(), UNLINKED);
            fill(place.iter_mut(), 0);
        }
        Policy::Begin => place.iter_mut().filter(|place| **place == UNLINKED).for_each(|place| *place = 0),
        Policy::Drop => {}
    }
    let mut order: Vec<u32> = (0..words as u32).filter(|&word| place[word as usize] != UNLINKED).collect();
    // Stable, and linear where runs are in order already. Places come from outside: counting them would take memory
    // as large as the largest.
    order.sort_by_key(|&word| place[word as usize]);
    Ok(order)
}

fn fill<'a>(places: impl Iterator<Item = &'a mut u64>, mut last: u64) {
    for place in places {
        if *place == UNLINKED {
            *place = last;
        }
        last = *place;
    }
}

/// The orders of many sentences, one after the other, and where each ends.
///
/// # Errors
/// A link is outside its sentence.
pub fn orders(
    lengths: &[u32],
    links: Sentences<'_>,
    sources: &[u32],
    targets: &[u32],
    policy: Policy,
) -> Result<(Vec<u32>, Vec<u64>)> {
    if links.len() != lengths.len() || sources.len() != targets.len() {
        return Err(Error::input(format!("there are {} sentences and {} lines of links", lengths.len(), links.len())));
    }
    let orders: Vec<Vec<u32>> = (0..lengths.len())
        .into_par_iter()
        .with_min_len(64)
        .map(|k| {
            let range = links.range(k);
            let pairs = sources[range.clone()].iter().copied().zip(targets[range].iter().copied());
            order(lengths[k] as usize, pairs, policy).map_err(in_sentence(k))
        })
        .collect::<Result<_>>()?;
    let mut offsets = Vec::with_capacity(orders.len() + 1);
    offsets.push(0);
    let mut end = 0;
    offsets.extend(orders.iter().map(|order| {
        end += order.len() as u64;
        end
    }));
    Ok((orders.concat(), offsets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_policies() {
        // er hat das Buch gestern nicht gelesen / he did not read the book yesterday
        let links = [(0, 0), (2, 4), (3, 5), (4, 6), (5, 2), (6, 3)];
        let found = |policy| order(7, links.iter().copied(), policy).unwrap();
        assert_eq!(found(Policy::Previous), [0, 1, 5, 6, 2, 3, 4]);
        assert_eq!(found(Policy::Following), [0, 5, 6, 1, 2, 3, 4]);
        assert_eq!(found(Policy::Begin), [1, 0, 5, 6, 2, 3, 4]);
        assert_eq!(found(Policy::Drop), [0, 5, 6, 2, 3, 4]);
    }

    #[test]
    fn words_at_the_ends_and_no_links() {
        assert_eq!(order(3, [(1, 5)].into_iter(), Policy::Following).unwrap(), [0, 1, 2]);
        assert_eq!(order(3, [(2, 5), (1, 7)].into_iter(), Policy::Previous).unwrap(), [0, 2, 1]);
        for policy in [Policy::Previous, Policy::Following, Policy::Begin] {
            assert_eq!(order(3, std::iter::empty(), policy).unwrap(), [0, 1, 2]);
        }
        assert!(order(3, std::iter::empty(), Policy::Drop).unwrap().is_empty());
    }

    #[test]
    fn mistakes_are_named() {
        assert!(order(2, [(2, 0)].into_iter(), Policy::Previous).unwrap_err().what.contains("word 2"));
        assert!(Policy::parse("hover").unwrap_err().hint.contains("previous"));
        let links = Sentences::new(&[0, 0, 1], 1).unwrap();
        let error = orders(&[1, 1], links, &[9], &[0], Policy::Previous).unwrap_err();
        assert!(error.what.starts_with("sentence 2: a link goes from word 9"));
    }
}
