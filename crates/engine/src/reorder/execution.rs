//! How a walker on the tree emits the words in a given order, fragment by fragment (Miceli Barone, section 3.3).
//!
//! A fragment is the path from the word emitted last, up to where the paths to the root meet, and down to the next
//! word. An UP is *forced* if nothing else could be done; a fragment with an unforced UP leaves a subtree that is not
//! finished, and is called non-tree-local. Counters of emitted words per subtree decide this in constant time, so that
//! a sentence takes its length times the depth of its tree.

use rayon::prelude::*;

use super::{Sentences, check_order, in_sentence};
use crate::error::{Error, Result};
use crate::syntax::{NONE, Tree};

/// The walk to one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment {
    /// Steps up.
    pub ups: u32,
    /// Steps down.
    pub downs: u32,
    /// Steps up that were not forced.
    pub unforced: u32,
    /// The highest vertex; [`NONE`] if that is the silent root.
    pub top: u32,
    /// From the word before to this one; before the first word stands place -1.
    pub distance: i32,
    /// The longer way of the two, from the word before to the top and from the top to this word, in the sentence. The
    /// silent root has no place there: then it is the distance without its sign.
    pub excursion: u32,
}

impl Fragment {
    /// Whether it leaves a subtree that is not finished.
    #[must_use]
    pub fn is_nonlocal(&self) -> bool {
        self.unforced > 0
    }
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    tree: Tree,
    done: Vec<u32>,
    seen: Vec<bool>,
}

/// Walks through a sentence; writes its fragments, and for each UP of each fragment whether it was forced.
///
/// # Errors
/// The heads are no tree, or the order is no permutation.
pub fn walk(
    heads: &[u32],
    order: &[u32],
    scratch: &mut Scratch,
    fragments: &mut Vec<Fragment>,
    forced: &mut Vec<bool>,
) -> Result<()> {
    let Scratch { tree, done, seen } = scratch;
    tree.rebuild(heads)?;
    check_order(order, heads.len(), seen)?;
    done.clear();
    done.resize(tree.vertices(), 0);
    let mut previous = NONE;
    for &word in order {
        let top = if previous == NONE { tree.root() } else { tree.meeting(previous, word) };
        let (mut ups, mut unforced) = (0, 0);
        let mut from = NONE;
        let mut at = if previous == NONE { top } else { previous };
        while at != top {
            let (came_done, came_size) = if from == NONE { (0, 0) } else { (done[from as usize], tree.size(from)) };
            let free = done[at as usize] - came_done < tree.size(at) - came_size;
            forced.push(!free);
            unforced += u32::from(free);
            ups += 1;
            from = at;
            at = tree.parent(at);
        }
        let place = if previous == NONE { -1 } else { i64::from(previous) };
        let distance = i64::from(word) - place;
        let excursion = if tree.is_silent(top) {
            distance.unsigned_abs()
        } else {
            let top = i64::from(top);
            (i64::from(word) - top).unsigned_abs().max((top - place).unsigned_abs())
        };
        fragments.push(Fragment {
            ups,
            downs: tree.depth(word) - tree.depth(top),
            unforced,
            top: if tree.is_silent(top) { NONE } else { top },
            distance: distance as i32,
            excursion: excursion as u32,
        });
        let mut above = word;
        while above != NONE {
            done[above as usize] += 1;
            above = tree.parent(above);
        }
        previous = word;
    }
    Ok(())
}

/// The fragments of many sentences, and whether each of their UPs was forced.
///
/// # Errors
/// A sentence's heads are no tree, or its order is no permutation.
pub fn fragments(sentences: Sentences<'_>, heads: &[u32], orders: &[u32]) -> Result<(Vec<Fragment>, Vec<bool>)> {
    const TOGETHER: usize = 64;
    if heads.len() != orders.len() {
        return Err(Error::input(format!("there are {} heads and orders of {} words", heads.len(), orders.len())));
    }
    let parts: Vec<(Vec<Fragment>, Vec<bool>)> = (0..sentences.len().div_ceil(TOGETHER))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, part| {
            let (mut fragments, mut forced) = (Vec::new(), Vec::new());
            for k in part * TOGETHER..((part + 1) * TOGETHER).min(sentences.len()) {
                let range = sentences.range(k);
                walk(&heads[range.clone()], &orders[range], scratch, &mut fragments, &mut forced)
                    .map_err(in_sentence(k))?;
            }
            Ok((fragments, forced))
        })
        .collect::<Result<_>>()?;
    let mut all = (Vec::with_capacity(heads.len()), Vec::new());
    for (fragments, forced) in parts {
        all.0.extend(fragments);
        all.1.extend(forced);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_german_clause() {
        // Miceli Barone, section 3.4.4: die Währungsreserven anfangs lediglich zur Verteidigung dienen sollten.
        let heads = [2, 7, 8, 5, 7, 5, 8, 0];
        let sentences = Sentences::new(&[0, 8, 16], 16).unwrap();
        let order = [0, 1, 2, 3, 6, 7, 4, 5];
        let identity = [0, 1, 2, 3, 4, 5, 6, 7];
        let (found, forced) = fragments(sentences, &[heads, heads].concat(), &[order, identity].concat()).unwrap();
        let row = |f: &Fragment| (f.ups, f.downs, f.is_nonlocal(), f.distance, f.top + 1, f.excursion);
        let rows: Vec<_> = found[..8].iter().map(row).collect();
        assert_eq!(
            rows,
            [
                (0, 3, false, 1, 8, 8),
                (1, 0, false, 1, 2, 1),
                (2, 1, true, 1, 8, 6),
                (1, 3, false, 1, 8, 5),
                (2, 0, true, 3, 7, 3),
                (1, 0, true, 1, 8, 1),
                (0, 2, false, -3, 8, 3),
                (0, 1, false, 1, 5, 1),
            ]
        );
        assert_eq!(forced[..7], [true, true, false, true, true, false, false]);
        let strange: Vec<usize> = (0..8).filter(|&word| found[8 + word].is_nonlocal()).collect();
        assert_eq!((strange, found[10].excursion), (vec![2], 6));
    }

    #[test]
    fn a_silent_root_has_no_place() {
        let (mut fragments, mut forced) = (Vec::new(), Vec::new());
        walk(&[0, 1, 0], &[2, 0, 1], &mut Scratch::default(), &mut fragments, &mut forced).unwrap();
        let tops: Vec<_> = fragments.iter().map(|f| (f.top, f.distance, f.excursion)).collect();
        assert_eq!(tops, [(NONE, 3, 3), (NONE, -2, 2), (0, 1, 1)]);
        assert_eq!(forced, [true]);
    }

    #[test]
    fn mistakes_name_their_sentence() {
        let sentences = Sentences::new(&[0, 1, 3], 3).unwrap();
        assert!(fragments(sentences, &[0, 0, 1], &[0, 1, 1]).unwrap_err().what.starts_with("sentence 2: the order"));
        assert!(fragments(sentences, &[0, 2, 1], &[0, 0, 1]).unwrap_err().what.starts_with("sentence 2: the heads"));
    }
}
