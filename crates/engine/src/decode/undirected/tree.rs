//! A partial tree: rules connected to one another, the target words that they make, and what is still open.
//!
//! As the tree is connected, its target side is one string with a gap for each open child. It is a doubly linked list, so
//! that a rule goes into a gap or around all of it at the cost of its own length (Gesmundo & Henderson 2014, section 2).

pub mod cut;

use super::carry::{Carry, Left};
use super::context::Scene;
use super::forest::{Bundle, Forest, HEAD, List, START};
use super::menus::Entry;
use super::policy::{Policy, Start};
use crate::corpus::vocabulary::EOS;
use crate::decode::chart::arena::NONE;
use crate::decode::chart::scoring::Kind;
use crate::decode::options::Options;

/// A word, or the gap of an open child.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// The model's id of a target word; [`END`] for the end of the sentence.
    word: u32,
    /// The slot of a gap, by its number; [`NONE`] for words, [`EDGE`] for the two ends of the list.
    slot: u32,
    /// The step that it came with.
    step: u32,
    prev: u32,
    next: u32,
}

/// The word that ends a sentence.
const END: u32 = u32::MAX - 1;
/// The slot of the ends of the list.
const EDGE: u32 = u32::MAX - 1;
/// The cells before the first and behind the last.
const LEFT: u32 = 0;
const RIGHT: u32 = 1;

/// A rule of the tree.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Where it stands, and its option.
    pub bundle: u32,
    pub entry: u32,
    /// How it was connected: [`START`], [`HEAD`] or the gap that the tree went into.
    pub link: u8,
    /// The steps of the rules in its gaps, [`NONE`] where there is no gap or nothing in it yet.
    pub tails: [u32; 2],
    /// What its features in context came to.
    pub context: f64,
}

/// What can be done at a slot: an option of a bundle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Action {
    /// The bundle and how it is connected.
    pub bundle: u32,
    pub link: u8,
    /// The option.
    pub entry: u32,
    /// What the policy says of it.
    pub score: f64,
}

/// Most actions of a slot that are kept in order.
pub const MOST_KEPT: usize = 8;

/// Where a tree can be connected (a postcondition).
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// Slots are numbered in the order in which they open.
    pub number: u32,
    /// What can be connected.
    pub list: List,
    /// The rule and the gap that is open; the top of the tree if the head is.
    pub owner: u32,
    pub gap: u8,
    /// The cell of the gap.
    cell: u32,
    /// The best actions so far, and a bound on all others.
    pub best: [Action; MOST_KEPT],
    pub count: usize,
    pub bound: f64,
}

impl Slot {
    fn new(number: u32, list: List, owner: u32, gap: u8, cell: u32) -> Self {
        let none = Action { bundle: NONE, link: START, entry: 0, score: f64::NEG_INFINITY };
        Self { number, list, owner, gap, cell, best: [none; MOST_KEPT], count: 0, bound: f64::INFINITY }
    }

    /// Which of the three factors is that of what it fills.
    #[inline]
    pub fn branch(&self) -> usize {
        if let List::Into(_) = self.list { 1 + usize::from(self.gap) } else { 0 }
    }

    /// Forgets what was found, as what is known around it has changed.
    fn reset(&mut self) {
        self.count = 0;
        self.bound = f64::INFINITY;
    }
}

/// A tree in the making.
#[derive(Debug, Default)]
pub struct Tree {
    cells: Vec<Cell>,
    /// For each cell and language model the word's id and log10 of what it scores now.
    ids: Vec<u32>,
    scores: Vec<f32>,
    lms: usize,
    /// Whether the left end is the start of the sentence.
    begun: bool,
    steps: Vec<Step>,
    slots: Vec<Slot>,
    opened: u32,
    /// The step at the top.
    top: u32,
    /// New cells of the last step, in order.
    fresh: Vec<u32>,
    /// Which steps there are, whatever their order.
    pub identity: u64,
}

impl Clone for Tree {
    fn clone(&self) -> Self {
        let mut other = Self::default();
        other.clone_from(self);
        other
    }

    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.ids.clone_from(&other.ids);
        self.scores.clone_from(&other.scores);
        self.steps.clone_from(&other.steps);
        self.slots.clone_from(&other.slots);
        (self.lms, self.begun, self.opened, self.top) = (other.lms, other.begun, other.opened, other.top);
        self.identity = other.identity;
    }
}

impl Tree {
    /// Nothing yet, and one slot for the first rule.
    pub fn begin(&mut self, lms: usize) {
        self.cells.clear();
        self.ids.clear();
        self.scores.clear();
        self.steps.clear();
        self.slots.clear();
        (self.lms, self.begun, self.top) = (lms, false, NONE);
        self.identity = 0;
        self.push_cell(0, EDGE, NONE);
        self.push_cell(0, EDGE, NONE);
        self.join(LEFT, RIGHT);
        self.opened = 1;
        self.slots.push(Slot::new(0, List::Leaves, NONE, START, NONE));
    }

    /// Closes what is open, where there is nothing to connect.
    pub fn close(&mut self) {
        self.slots.clear();
    }

    /// The rules, in the order in which they were connected.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether its left end is the start of the sentence.
    #[inline]
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// The step at the top of the tree.
    pub fn top(&self) -> u32 {
        self.top
    }

    /// Its identity with one more action.
    pub fn identity_with(&self, action: &Action) -> u64 {
        self.identity ^ cut::key(action.bundle, action.entry)
    }

    /// What is open.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// What is open, to be looked through.
    pub fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// The words, [`None`] for gaps, from left to right; the end of the sentence is not among them.
    pub fn words(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        let mut at = LEFT;
        let cells = std::iter::from_fn(move || {
            at = self.cells[at as usize].next;
            (at != RIGHT).then(|| self.cells[at as usize])
        });
        cells.filter(|cell| cell.word != END).map(|cell| (cell.slot == NONE).then_some(cell.word))
    }

    /// log10 of what a language model says of all words with the context that is known.
    pub fn estimate(&self, lm: usize) -> f64 {
        let words = (0..self.cells.len()).filter(|&at| self.cells[at].slot == NONE);
        words.map(|at| f64::from(self.scores[at * self.lms + lm])).sum()
    }

    /// The words on either side of a slot's gap, or of all there is the first and the last; nothing where there are gaps or
    /// ends.
    pub fn beside(&self, slot: &Slot) -> [Option<u32>; 2] {
        let cells = match slot.list {
            List::Leaves => return [None; 2],
            List::Into(_) => [self.cells[slot.cell as usize].prev, self.cells[slot.cell as usize].next],
            List::Out(_) => [self.cells[LEFT as usize].next, self.cells[RIGHT as usize].prev],
        };
        cells.map(|cell| {
            let cell = self.cells[cell as usize];
            (cell.slot == NONE && cell.word != END).then_some(cell.word)
        })
    }

    /// Whether there are neither words nor gaps.
    pub fn is_silent(&self) -> bool {
        self.cells[LEFT as usize].next == RIGHT
    }

    fn is_word(&self, cell: u32) -> bool {
        self.cells[cell as usize].slot == NONE
    }

    /// What is known before a cell: up to `context` words back to a gap, an open end or the start of the sentence.
    fn left_of(&self, options: &Options<'_>, lm: usize, cell: u32, context: usize) -> Left {
        let (mut at, mut count, mut start) = (self.cells[cell as usize].prev, 0, cell);
        while count < context && self.is_word(at) {
            (start, count) = (at, count + 1);
            at = self.cells[at as usize].prev;
        }
        let model = &*options.model().lms()[lm].model;
        let mut left = if at == LEFT && self.begun && count < context { Left::start(model) } else { Left::NOTHING };
        let mut at = start;
        for _ in 0..count {
            (_, left.state) = model.score(&left.state, self.ids[at as usize * self.lms + lm]);
            at = self.cells[at as usize].next;
        }
        left.known = (left.known + count).min(context);
        left
    }

    /// The carry of a slot for a language model.
    pub fn carry(&self, options: &Options<'_>, lm: usize, slot: &Slot) -> Carry {
        let context = options.model().lms()[lm].model.order() - 1;
        let mut carry = Carry::NOTHING;
        let mut at = match slot.list {
            List::Leaves => return carry,
            List::Into(_) => self.cells[slot.cell as usize].next,
            // Nothing comes before the start.
            List::Out(_) if self.begun => RIGHT,
            List::Out(_) => self.cells[LEFT as usize].next,
        };
        carry.left = self.left_of(options, lm, slot.cell, context);
        while carry.count < context && self.is_word(at) {
            carry.words[carry.count] = self.ids[at as usize * self.lms + lm];
            carry.scores[carry.count] = self.scores[at as usize * self.lms + lm];
            carry.count += 1;
            at = self.cells[at as usize].next;
        }
        carry.solid = matches!(slot.list, List::Out(_)) && !self.begun && at == RIGHT;
        carry
    }

    /// Connects an action at a slot, and forgets what was found of slots around which more is known now.
    pub fn connect(&mut self, options: &Options<'_>, forest: &Forest, policy: &Policy, at: usize, action: Action) {
        let context = policy.context.as_ref().map_or(0.0, |context| {
            context.score(&Scene::new(context, options, forest, self, &self.slots[at]), &action)
        });
        let slot = self.slots.remove(at);
        let bundle = *forest.bundle(action.bundle);
        let entry = *forest.menus.entry(action.entry);
        let number = self.steps.len() as u32;
        let mut step =
            Step { bundle: action.bundle, entry: action.entry, link: action.link, tails: [NONE; 2], context };
        match action.link {
            HEAD => self.steps[slot.owner as usize].tails[usize::from(slot.gap)] = number,
            START => self.top = number,
            gap => {
                step.tails[usize::from(gap)] = self.top;
                self.top = number;
            }
        }
        self.steps.push(step);
        self.identity = self.identity_with(&action);
        let edges = self.splice(options, &slot, number, (&bundle, &entry), action.link);
        if action.link != HEAD && Some(bundle.head) != forest.goal() {
            self.slots.push(Slot::new(self.opened, List::Out(bundle.head), NONE, HEAD, RIGHT));
            self.opened += 1;
        }
        let ends = action.link != HEAD && Some(bundle.head) == forest.goal();
        let begins = !self.begun && action.link != HEAD && (ends || begins_early(policy, &bundle));
        self.begun |= begins;
        if ends {
            let cell = self.push_cell(END, NONE, number);
            let last = self.insert(cell, self.cells[RIGHT as usize].prev);
            self.join(last, RIGHT);
        }
        for lm in 0..self.lms {
            self.settle(options, lm, begins, edges);
        }
        // Features in context see one word on either side, and what is in their parent's other gap.
        let seen = usize::from(policy.context.is_some());
        self.touch(policy.reach().max(seen), edges, action.link);
        if seen > 0 && action.link == HEAD {
            let sibling = |other: &&mut Slot| matches!(other.list, List::Into(_)) && other.owner == slot.owner;
            self.slots.iter_mut().filter(sibling).for_each(Slot::reset);
        }
    }

    /// Puts the rule's words into the list, and opens slots for its other gaps. Returns the cells that the new ones were put
    /// between, or of a tree that went into a gap its first and its last.
    fn splice(
        &mut self,
        options: &Options<'_>,
        slot: &Slot,
        number: u32,
        (bundle, entry): (&Bundle, &Entry),
        link: u8,
    ) -> [u32; 2] {
        self.fresh.clear();
        let inner = [self.cells[LEFT as usize].next, self.cells[RIGHT as usize].prev];
        let (mut before, after) = if link == HEAD {
            let gap = self.cells[slot.cell as usize];
            (gap.prev, gap.next)
        } else {
            (LEFT, RIGHT)
        };
        let edges = if link == HEAD { [before, after] } else { inner };
        for (piece, words) in
            options.target(options.get(entry.option)).split(|symbol| symbol.is_nonterminal()).enumerate()
        {
            for word in words.iter().filter_map(|symbol| symbol.as_word()) {
                let cell = self.push_cell(word, NONE, number);
                for lm in 0..self.lms {
                    self.ids[cell as usize * self.lms + lm] = options.lm_word(lm, word);
                }
                before = self.insert(cell, before);
            }
            if piece == usize::from(entry.arity) {
                break;
            }
            let gap = entry.gap(piece);
            if gap == usize::from(link) {
                // All there was stands here; a tree without words leaves nothing.
                if inner[0] != RIGHT {
                    self.join(before, inner[0]);
                    before = inner[1];
                }
            } else {
                let open = self.opened;
                self.opened += 1;
                let cell = self.push_cell(0, open, number);
                self.slots.push(Slot::new(open, List::Into(bundle.tails[gap]), number, gap as u8, cell));
                before = self.insert(cell, before);
            }
        }
        self.join(before, after);
        edges
    }

    fn push_cell(&mut self, word: u32, slot: u32, step: u32) -> u32 {
        self.cells.push(Cell { word, slot, step, prev: NONE, next: NONE });
        self.ids.resize(self.cells.len() * self.lms, EOS);
        self.scores.resize(self.cells.len() * self.lms, 0.0);
        self.cells.len() as u32 - 1
    }

    /// Puts a new cell behind another.
    fn insert(&mut self, cell: u32, before: u32) -> u32 {
        self.join(before, cell);
        self.fresh.push(cell);
        cell
    }

    fn join(&mut self, before: u32, after: u32) {
        self.cells[before as usize].next = after;
        self.cells[after as usize].prev = before;
    }

    /// Scores the new words, and those behind them that see more now.
    fn settle(&mut self, options: &Options<'_>, lm: usize, begins: bool, edges: [u32; 2]) {
        let model = &*options.model().lms()[lm].model;
        let context = model.order() - 1;
        // Where nothing is new, neighbours have met, or the sentence has begun.
        let mut from = match () {
            () if begins => Some(self.cells[LEFT as usize].next),
            () if self.fresh.is_empty() => Some(edges[1]),
            () => None,
        };
        let mut next = 0;
        while let Some(start) = from.take().or_else(|| self.fresh.get(next).copied()) {
            let mut state = if self.is_word(start) {
                self.left_of(options, lm, start, context).state
            } else {
                // A gap, which may be new.
                next += usize::from(self.fresh.get(next) == Some(&start));
                continue;
            };
            let (mut at, mut rest) = (start, context);
            while self.is_word(at) {
                if self.fresh.get(next) == Some(&at) {
                    (next, rest) = (next + 1, context);
                } else if rest == 0 {
                    break;
                } else {
                    rest -= 1;
                }
                let place = at as usize * self.lms + lm;
                (self.scores[place], state) = model.score(&state, self.ids[place]);
                at = self.cells[at as usize].next;
            }
        }
    }

    /// Forgets what was found of slots that see more now: at most one on either side.
    fn touch(&mut self, reach: usize, edges: [u32; 2], link: u8) {
        if link == START {
            return;
        }
        // Into a gap: outwards from it; around a tree: inwards from its ends.
        for (side, &edge) in edges.iter().enumerate() {
            let leftwards = (side == 0) == (link == HEAD);
            let (mut at, mut words) = (edge, 0);
            while words < reach && self.is_word(at) {
                let cell = self.cells[at as usize];
                at = if leftwards { cell.prev } else { cell.next };
                words += 1;
            }
            if words >= reach {
                continue;
            }
            let slot = if at == LEFT || at == RIGHT {
                // An open end is the head's, if that is open.
                self.slots.iter_mut().find(|slot| link == HEAD && matches!(slot.list, List::Out(_)))
            } else {
                let number = self.cells[at as usize].slot;
                self.slots.iter_mut().find(|slot| slot.number == number)
            };
            if let Some(slot) = slot {
                slot.reset();
            }
        }
    }
}

/// Whether a bundle brings the start of the sentence with it before all of it is covered.
pub fn begins_early(policy: &Policy, bundle: &Bundle) -> bool {
    policy.start == Start::Glue && bundle.kind != Kind::Inside
}
