//! Which rules match which spans: dotted items that walk through the tables' tries.

use std::ops::Range;

use hashbrown::HashMap;

use super::arena::{Arena, NO_GROUP};
use crate::decode::input::Input;
use crate::decode::options::Options;
use crate::grammar::{Symbol, Table};

/// The beginning of a source side that matches the input from where the row begins to where the item is filed.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The table, and how far its trie was walked.
    pub table: u32,
    pub node: u32,
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
    /// For each word of the input and each table the id of the word, and whether any table translates it alone.
    words: Vec<Option<Symbol>>,
    translated: Vec<bool>,
    tables: usize,
    /// Where the row begins, and for each end the items there.
    row: usize,
    items: Vec<Vec<Item>>,
    /// Groups of each cell, by beginning and length.
    cells: Vec<[u32; 2]>,
    /// Groups of longer spans, which only given translations have.
    long_cells: HashMap<(usize, usize), [u32; 2]>,
    /// The most gaps a rule may still take.
    categories: usize,
}

impl Matcher {
    /// Looks up the words of an input; rules may cover `span` positions.
    pub fn begin(&mut self, options: &Options<'_>, input: &Input, span: usize) {
        self.last = input.last();
        let longest = input.arcs().iter().map(|arc| (arc.end - arc.begin) as usize).max().unwrap_or(1);
        self.span = span.max(longest).min(self.last.max(1));
        let tables = options.model().tables();
        self.tables = tables.len();
        self.categories = tables.iter().map(|part| part.table.categories().len()).max().unwrap_or(0);
        self.words.clear();
        self.translated.clear();
        for word in input.words() {
            let mut translated = false;
            for part in tables {
                let id = part.table.source_words().find(word).map(Symbol::word);
                let node = id.and_then(|symbol| part.table.step(Table::ROOT, symbol));
                translated |= node.is_some_and(|node| !part.table.rules(node).is_empty());
                self.words.push(id);
            }
            self.translated.push(translated);
        }
        // No rule sees words that only given translations may cover.
        for at in input.given().protected() {
            self.words[at * self.tables..(at + 1) * self.tables].fill(None);
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
    pub fn begin_row(&mut self, _options: &Options<'_>, begin: usize) {
        self.row = begin;
        for items in &mut self.items {
            items.clear();
        }
        for table in 0..self.tables as u32 {
            self.items[0].push(Item { table, node: Table::ROOT, arity: 0, gaps: [NO_GROUP; 2], input: 0.0 });
        }
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
    pub fn extend(&mut self, options: &Options<'_>, input: &Input, arena: &Arena, end: usize) {
        let at = end - self.row;
        if at > 0 {
            self.begin_with_gap(options, arena, end);
        }
        let items = std::mem::take(&mut self.items[at]);
        for item in &items {
            let table = options.table(item.table);
            // A gap that begins the source side is handled where its cell is complete.
            if (at == 0 && item.arity > 0) || !table.continues(item.node) {
                continue;
            }
            for arc in input.from(end) {
                let reach = arc.end as usize - self.row;
                let Some(word) = self.words[arc.word as usize * self.tables + item.table as usize] else { continue };
                if reach <= self.span
                    && let Some(node) = table.step(item.node, word)
                {
                    self.items[reach].push(Item { node, input: item.input + arc.score, ..*item });
                }
            }
            if at > 0 && item.arity < 2 {
                self.walk_gaps(table, arena, item, end);
            }
        }
        self.items[at] = items;
    }

    /// The cell that has just been completed as the first symbol of source sides.
    fn begin_with_gap(&mut self, options: &Options<'_>, arena: &Arena, end: usize) {
        for group in self.cell(self.row, end) {
            let symbol = Symbol::nonterminal(u32::from(arena.category(group)));
            for table in 0..self.tables as u32 {
                if let Some(node) = options.table(table).step(Table::ROOT, symbol) {
                    let item = Item { table, node, arity: 1, gaps: [group, NO_GROUP], input: 0.0 };
                    self.items[end - self.row].push(item);
                }
            }
        }
    }

    fn walk_gaps(&mut self, table: &Table, arena: &Arena, item: &Item, end: usize) {
        let mut known: Option<(u8, Option<u32>)> = None;
        for reach in end + 1..=self.last.min(self.row + self.span) {
            for group in self.cell(end, reach) {
                let category = arena.category(group);
                let node = match known {
                    Some((same, node)) if same == category => node,
                    _ => table.step(item.node, Symbol::nonterminal(u32::from(category))),
                };
                known = Some((category, node));
                let Some(node) = node else {
                    if self.categories == 1 {
                        return;
                    }
                    continue;
                };
                let mut gaps = item.gaps;
                gaps[usize::from(item.arity)] = group;
                self.items[reach - self.row].push(Item { node, arity: item.arity + 1, gaps, ..*item });
            }
        }
    }
}
