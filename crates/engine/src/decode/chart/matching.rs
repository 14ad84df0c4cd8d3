//! Which rules match which spans: dotted items that walk through all sources of rules at once.

use std::ops::Range;

use hashbrown::HashMap;

use super::arena::{Arena, NO_GROUP};
use crate::decode::input::Input;
use crate::decode::options::Options;
use crate::decode::walks::Walks;
use crate::grammar::Symbol;

/// The beginning of a source side that matches the input from where the row begins to where the item is filed.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// How far the sources were walked.
    pub state: u32,
    /// Gaps so far.
    pub arity: u8,
    pub gaps: [u32; 2],
    /// The score of the arcs walked.
    pub input: f32,
}

/// Matches one input.
#[derive(Debug, Default)]
pub struct Matcher {
    span: usize,
    last: usize,
    /// For each word of the input its id, and whether any source translates it alone.
    words: Vec<Option<Symbol>>,
    translated: Vec<bool>,
    /// Where the row begins, and for each end the items there.
    row: usize,
    items: Vec<Vec<Item>>,
    /// Groups of each cell, by beginning and length.
    cells: Vec<[u32; 2]>,
    /// Groups of longer spans, which only given translations have.
    long_cells: HashMap<(usize, usize), [u32; 2]>,
    /// Categories of the model.
    categories: usize,
}

impl Matcher {
    /// Takes the words of an input, by their ids; rules may cover `span` positions.
    pub fn begin(&mut self, options: &mut Options<'_>, input: &Input, words: &[Option<u32>], span: usize) {
        self.last = input.last();
        let longest = input.arcs().iter().map(|arc| (arc.end - arc.begin) as usize).max().unwrap_or(1);
        self.span = span.max(longest).min(self.last.max(1));
        self.categories = options.model().categories().len();
        self.words.clear();
        self.words.extend(words.iter().map(|word| word.map(Symbol::word)));
        self.translated.clear();
        self.translated.extend(words.iter().map(|word| word.is_some_and(|word| options.walks().translates(word))));
        // No rule sees words that only given translations may cover.
        for at in input.given().protected() {
            self.words[at] = None;
            self.translated[at] = true;
        }
        self.items.resize(self.span + 1, Vec::new());
        self.long_cells.clear();
        self.cells.clear();
        self.cells.resize((self.last + 1) * self.span, [NO_GROUP; 2]);
    }

    /// The most positions that rules cover here.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Whether a rule translates a word of the input on its own.
    pub fn translates(&self, word: u32) -> bool {
        self.translated[word as usize]
    }

    /// Begins with the spans from a position on.
    pub fn begin_row(&mut self, options: &mut Options<'_>, begin: usize) {
        self.row = begin;
        for items in &mut self.items {
            items.clear();
        }
        let state = options.walks().root();
        self.items[0].push(Item { state, arity: 0, gaps: [NO_GROUP; 2], input: 0.0 });
    }

    /// The items that end at a position.
    pub fn complete(&self, end: usize) -> impl Iterator<Item = &Item> {
        self.items[end - self.row].iter()
    }

    /// Says which groups the cell of a span has.
    pub fn complete_cell(&mut self, begin: usize, end: usize, groups: Range<u32>) {
        let groups = [groups.start, groups.end];
        if end - begin <= self.span {
            self.cells[begin * self.span + end - begin - 1] = groups;
        } else {
            self.long_cells.insert((begin, end), groups);
        }
    }

    /// The groups of a cell.
    pub fn cell(&self, begin: usize, end: usize) -> Range<u32> {
        let [first, last] = match self.cells.get(begin * self.span + end - begin - 1) {
            Some(&groups) if end - begin <= self.span => groups,
            _ => self.long_cells.get(&(begin, end)).copied().unwrap_or([0; 2]),
        };
        first..last
    }

    /// Walks on from the items at a position: over the words and the gaps that begin there.
    pub fn extend(&mut self, options: &mut Options<'_>, input: &Input, arena: &Arena, end: usize) {
        let at = end - self.row;
        let walks = options.walks();
        if at > 0 {
            self.begin_with_gap(walks, arena, end);
        }
        let items = std::mem::take(&mut self.items[at]);
        for item in &items {
            // A gap that begins the source side is handled where its cell is complete.
            if (at == 0 && item.arity > 0) || !walks.continues(item.state) {
                continue;
            }
            for arc in input.from(end) {
                let reach = arc.end as usize - self.row;
                let Some(word) = self.words[arc.word as usize] else { continue };
                if reach <= self.span
                    && let Some(state) = walks.step(item.state, word)
                {
                    self.items[reach].push(Item { state, input: item.input + arc.score, ..*item });
                }
            }
            if at > 0 && item.arity < 2 {
                self.walk_gaps(walks, arena, item, end);
            }
        }
        self.items[at] = items;
    }

    /// The cell that has just been completed as the first symbol of source sides.
    fn begin_with_gap(&mut self, walks: &mut Walks<'_>, arena: &Arena, end: usize) {
        for group in self.cell(self.row, end) {
            let symbol = Symbol::nonterminal(u32::from(arena.category(group)));
            if let Some(state) = walks.step(walks.root(), symbol) {
                self.items[end - self.row].push(Item { state, arity: 1, gaps: [group, NO_GROUP], input: 0.0 });
            }
        }
    }

    fn walk_gaps(&mut self, walks: &mut Walks<'_>, arena: &Arena, item: &Item, end: usize) {
        let mut known: Option<(u8, Option<u32>)> = None;
        for reach in end + 1..=self.last.min(self.row + self.span) {
            for group in self.cell(end, reach) {
                let category = arena.category(group);
                let state = match known {
                    Some((same, state)) if same == category => state,
                    _ => walks.step(item.state, Symbol::nonterminal(u32::from(category))),
                };
                known = Some((category, state));
                let Some(state) = state else {
                    if self.categories == 1 {
                        return;
                    }
                    continue;
                };
                let mut gaps = item.gaps;
                gaps[usize::from(item.arity)] = group;
                self.items[reach - self.row].push(Item { state, arity: item.arity + 1, gaps, ..*item });
            }
        }
    }
}
