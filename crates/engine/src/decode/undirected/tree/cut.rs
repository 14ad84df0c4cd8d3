//! A whole tree without one of its parts.

use super::{Cell, LEFT, RIGHT, Slot, Step, Tree};
use crate::decode::chart::arena::NONE;
use crate::decode::options::Options;
use crate::decode::undirected::forest::{Forest, List, START};
use crate::lm::state::State;

/// Room for the numbers that steps have in what is left.
#[derive(Debug, Default)]
pub struct Renumbered {
    steps: Vec<u32>,
    pending: Vec<u32>,
}

impl Tree {
    /// Becomes a whole tree but for the part below and with a step, which is open. Returns false, and is nothing, where that
    /// part says nothing, so that it is not known where it was.
    ///
    /// What is left is connected in the order that it was, and language models forget no more than what they knew of the
    /// part: the cost is that of copying, and of a few words behind the gap.
    pub fn become_without(
        &mut self,
        options: &Options<'_>,
        forest: &Forest,
        other: &Self,
        out: u32,
        room: &mut Renumbered,
    ) -> bool {
        self.begin(other.lms);
        self.slots.clear();
        self.begun = other.begun;
        let Some((owner, gap)) = other.renumber(out, room) else { return false };
        for (number, step) in (0_u32..).zip(&other.steps) {
            if room.steps[number as usize] == NONE {
                continue;
            }
            let new = |tail: u32| if tail == NONE { NONE } else { room.steps[tail as usize] };
            let link = if self.steps.is_empty() { START } else { step.link };
            self.steps.push(Step { tails: step.tails.map(new), link, ..*step });
            self.identity ^= key(step.bundle, step.entry);
        }
        self.top = room.steps[other.top as usize];
        let (mut at, mut before, mut hole) = (other.cells[LEFT as usize].next, LEFT, NONE);
        while at != RIGHT {
            let cell = other.cells[at as usize];
            let step = room.steps[cell.step as usize];
            if step != NONE || hole == NONE {
                let new = if step == NONE { Cell { slot: 0, step: 0, ..cell } } else { Cell { step, ..cell } };
                let copy = self.push_cell(new.word, new.slot, new.step);
                if step == NONE {
                    hole = copy;
                } else {
                    let (from, to) = (at as usize * self.lms, copy as usize * self.lms);
                    self.ids[to..to + self.lms].copy_from_slice(&other.ids[from..from + self.lms]);
                    self.scores[to..to + self.lms].copy_from_slice(&other.scores[from..from + self.lms]);
                }
                self.join(before, copy);
                before = copy;
            }
            at = cell.next;
        }
        self.join(before, RIGHT);
        if hole == NONE {
            self.begin(other.lms);
            return false;
        }
        let parent = self.steps[owner as usize];
        let node = forest.bundle(parent.bundle).tails[usize::from(gap)];
        self.slots.push(Slot::new(0, List::Into(node), owner, gap, hole));
        for lm in 0..self.lms {
            self.forget_before(options, lm, self.cells[hole as usize].next);
        }
        true
    }

    /// Numbers the steps that are left; returns the new number of the step whose gap opens, and the gap.
    fn renumber(&self, out: u32, room: &mut Renumbered) -> Option<(u32, u8)> {
        room.steps.clear();
        room.steps.resize(self.steps.len(), 0);
        room.pending.clear();
        room.pending.push(out);
        while let Some(step) = room.pending.pop() {
            room.steps[step as usize] = NONE;
            room.pending.extend(self.steps[step as usize].tails.iter().filter(|&&tail| tail != NONE));
        }
        let (mut next, mut found) = (0, None);
        for (step, new) in self.steps.iter().zip(&mut room.steps) {
            if *new == NONE {
                continue;
            }
            if let Some(gap) = step.tails.iter().position(|&tail| tail == out) {
                found = Some((next, gap as u8));
            }
            *new = next;
            next += 1;
        }
        found
    }

    /// Scores the words from a cell on that knew what was before it as if nothing were.
    fn forget_before(&mut self, options: &Options<'_>, lm: usize, from: u32) {
        let model = &*options.model().lms()[lm].model;
        let (mut at, mut state) = (from, State::EMPTY);
        for _ in 0..model.order() - 1 {
            if self.cells[at as usize].slot != NONE {
                break;
            }
            let place = at as usize * self.lms + lm;
            (self.scores[place], state) = model.score(&state, self.ids[place]);
            at = self.cells[at as usize].next;
        }
    }
}

/// What a rule adds to the identity of a tree.
pub fn key(bundle: u32, entry: u32) -> u64 {
    let key = u64::from(bundle) << 32 | u64::from(entry);
    (key ^ 0x9e37_79b9).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31).wrapping_mul(0xd6e8_feb8_6659_fd93)
}
