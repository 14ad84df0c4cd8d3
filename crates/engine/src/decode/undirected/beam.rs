//! Several trees side by side: a beam over partial trees, and restarts from other leaves.
//!
//! Each tree of the beam chooses its slot as a single one would, and branches over that slot's best actions. Trees are
//! compared by what they are worth: their own score and the best that what is open can do.

use super::rescorer::Rescorer;
use super::tree::{Action, Tree};

/// Grows trees from the best first rules; the best whole one is left in `tree`, the others, best first, in `others`.
pub fn search(
    rescorer: &mut Rescorer<'_, '_>,
    tree: &mut Tree,
    beam: usize,
    starts: usize,
    others: &mut Vec<(f64, Tree)>,
    spare: &mut Vec<Tree>,
) {
    let mut done: Vec<(f64, Tree)> = Vec::new();
    let Some(_) = rescorer.choose(tree, starts) else { return };
    let first = tree.slots()[0];
    for action in &first.best[..first.count.min(starts)] {
        if !done.is_empty() && rescorer.is_late() {
            break;
        }
        let mut begun = tree.clone();
        rescorer.connect(&mut begun, 0, *action);
        grow(rescorer, begun, beam, &mut done, spare);
    }
    done.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut seen = Vec::new();
    done.retain(|(_, tree)| {
        let new = !seen.contains(&tree.identity);
        seen.push(tree.identity);
        new
    });
    let mut all = done.into_iter();
    if let Some((_, best)) = all.next() {
        *tree = best;
    }
    others.extend(all);
}

/// Grows a tree with others beside it that differ in what was chosen on the way; those that are given up are kept for their
/// memory.
pub fn grow(
    rescorer: &mut Rescorer<'_, '_>,
    begun: Tree,
    beam: usize,
    done: &mut Vec<(f64, Tree)>,
    spare: &mut Vec<Tree>,
) {
    let mut trees = vec![(rescorer.worth(&begun), begun)];
    let mut next: Vec<(f64, usize, usize, Action)> = Vec::new();
    let mut grown: Vec<(f64, Tree)> = Vec::new();
    let mut finished = 0;
    while !trees.is_empty() {
        if rescorer.is_late() {
            // The first is worth most.
            spare.extend(trees.drain(1..).map(|(_, tree)| tree));
        }
        let beam = if rescorer.is_late() { 1 } else { beam };
        next.clear();
        for (which, (worth, tree)) in trees.iter_mut().enumerate() {
            let Some((at, _)) = rescorer.choose(tree, beam) else { continue };
            let slot = tree.slots()[at];
            for action in &slot.best[..slot.count] {
                next.push((*worth + rescorer.gain(tree, at, action), which, at, *action));
            }
        }
        next.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        grown.clear();
        for &(worth, which, at, action) in &next {
            let identity = trees[which].1.identity_with(&action);
            if grown.iter().any(|(_, other)| other.identity == identity) {
                continue;
            }
            let mut tree = spare.pop().unwrap_or_default();
            tree.clone_from(&trees[which].1);
            rescorer.connect(&mut tree, at, action);
            grown.push((worth, tree));
            if grown.len() == beam {
                break;
            }
        }
        spare.extend(trees.drain(..).map(|(_, tree)| tree));
        for (worth, tree) in grown.drain(..) {
            if tree.slots().is_empty() {
                done.push((rescorer.worth(&tree), tree));
                finished += 1;
            } else {
                trees.push((worth, tree));
            }
        }
        // Trees end at different times: those that are worth less than enough whole ones need not go on.
        if finished >= beam {
            let mut worth: Vec<f64> = done[done.len() - finished..].iter().map(|(worth, _)| *worth).collect();
            worth.sort_by(|one, other| other.total_cmp(one));
            let least = worth[beam - 1];
            trees.retain(|(worth, _)| *worth > least);
        }
    }
}
