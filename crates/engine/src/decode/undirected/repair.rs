//! Second thoughts: parts of a whole tree are taken out and grown anew, now that all around them is known.
//!
//! What was connected first was chosen with little context. A subtree that is taken out leaves one slot with words on either
//! side; what grows there is kept if the whole is worth more.

use super::beam;
use super::forest::{HEAD, START};
use super::rescorer::Rescorer;
use super::tree::cut::Renumbered;
use super::tree::{Action, Tree};
use crate::decode::chart::arena::NONE;

/// Room for second thoughts.
#[derive(Debug, Default)]
pub struct Room {
    order: Vec<u32>,
    pending: Vec<(u32, u32, u8)>,
    other: Tree,
    /// What grew where a part was.
    grown: Vec<(f64, Tree)>,
    renumbered: Renumbered,
    /// Trees that nobody needs any more.
    pub spare: Vec<Tree>,
}

/// Rules that are connected again at most: every part that is taken out costs as many as the tree has, so that long
/// sentences would take the square of their length.
const MOST_CONNECTED: usize = 200_000;

/// Grows parts of a tree anew, at most so often over all of it.
pub fn repair(rescorer: &mut Rescorer<'_, '_>, tree: &mut Tree, passes: usize, beam: usize, room: &mut Room) {
    let (mut quiet, mut connected) = (0, 0);
    let mut worth = rescorer.worth(tree);
    for _ in 0..passes {
        preorder(tree, &mut room.order);
        let mut at = 1;
        // The top is all there is; of the others the smallest parts come first.
        while at < room.order.len() {
            if quiet + 1 >= room.order.len() {
                // Nothing has changed since each part was tried.
                return;
            }
            connected += tree.steps().len();
            if connected > MOST_CONNECTED || rescorer.is_late() {
                rescorer.effort.hurried = true;
                return;
            }
            let out = room.order[room.order.len() - at];
            // What features in context saw of the part is not known of each rule, so that all of it is seen anew.
            let apart = rescorer.policy.context.is_none()
                && room.other.become_without(rescorer.options, rescorer.forest, tree, out, &mut room.renumbered);
            if !apart {
                replay(rescorer, tree, out, room);
            }
            let other = if beam > 1 {
                beam::grow(rescorer, std::mem::take(&mut room.other), beam, &mut room.grown, &mut room.spare);
                let mut best = f64::NEG_INFINITY;
                for (worth, tree) in room.grown.drain(..) {
                    if worth > best {
                        best = worth;
                        room.spare.push(std::mem::replace(&mut room.other, tree));
                    } else {
                        room.spare.push(tree);
                    }
                }
                best
            } else {
                while let Some((slot, action)) = rescorer.choose(&mut room.other, 1) {
                    rescorer.connect(&mut room.other, slot, action);
                }
                rescorer.worth(&room.other)
            };
            if room.other.identity != tree.identity && other > worth + 1e-6 {
                std::mem::swap(tree, &mut room.other);
                (worth, quiet) = (other, 0);
                preorder(tree, &mut room.order);
            } else {
                quiet += 1;
            }
            at += 1;
        }
    }
}

/// The steps of a tree, each before those in its gaps.
fn preorder(tree: &Tree, order: &mut Vec<u32>) {
    order.clear();
    let mut pending = vec![tree.top()];
    while let Some(step) = pending.pop() {
        order.push(step);
        pending.extend(tree.steps()[step as usize].tails.iter().rev().filter(|&&tail| tail != NONE));
    }
}

/// Grows a tree once more from its top, but for the part below a step.
fn replay(rescorer: &mut Rescorer<'_, '_>, tree: &Tree, out: u32, room: &mut Room) {
    let other = &mut room.other;
    other.begin(rescorer.policy.lms.len());
    room.pending.clear();
    room.pending.push((tree.top(), NONE, START));
    while let Some((number, owner, gap)) = room.pending.pop() {
        let step = tree.steps()[number as usize];
        let here = other.steps().len() as u32;
        let open = other.slots().iter().position(|slot| gap == START || (slot.owner, slot.gap) == (owner, gap));
        let link = if gap == START { START } else { HEAD };
        let action = Action { bundle: step.bundle, link, entry: step.entry, score: 0.0 };
        rescorer.connect(other, open.unwrap_or(0), action);
        for (gap, &tail) in (0_u8..).zip(&step.tails) {
            if tail != NONE && tail != out {
                room.pending.push((tail, here, gap));
            }
        }
    }
}

/// What a tree is worth that is grown once more from its top.
#[cfg(test)]
pub fn grown_again(rescorer: &mut Rescorer<'_, '_>, tree: &Tree) -> f64 {
    let mut room = Room::default();
    replay(rescorer, tree, NONE, &mut room);
    rescorer.worth(&room.other)
}
