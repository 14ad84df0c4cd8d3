//! A grammar on disk, mapped into memory: rules by their source sides in a trie.
//!
//! Trie nodes are numbered breadth first, so the children of a node are consecutive and sorted by symbol, and so are
//! rules: those of a node, in the order in which they were given, come before those of later nodes. Opening reads the
//! sections' lengths and the words, whatever the size; what is read later is checked then, and damage reads as no rule.
//! To verify a file in full is to check every node and rule.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};

use super::rows::Rows;
use super::sides::Sides;
use super::voices::{Voices, columns};
use super::{Symbol, table_check};
use crate::corpus::vocabulary::{UNK, Vocabulary};
use crate::files::{Container, Section, Verify};
use crate::{Error, Result};

/// The kind of a container that holds a grammar.
pub const KIND: &str = "grammar";
/// The version of it that is written and read.
pub const VERSION: u32 = 2;
/// Nonterminals of a rule.
pub const MOST_ARITY: usize = 2;
/// Features of a rule.
pub const MOST_FEATURES: usize = 1024;
/// Symbols of a side of a rule.
pub const MOST_SYMBOLS: usize = 255;
/// The category of translations, at the place 0 of every table's categories.
pub const X: u8 = 0;
/// It is known where every so many rules begin.
pub(super) const STRIDE: usize = 16;
/// Files up to this size are compared with their checksums whenever they are opened.
const CHECKED_BYTES: u64 = 64 << 20;

/// A rule, wherever it is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule<'a> {
    /// The category of the left-hand side.
    pub lhs: u8,
    /// Words and categories.
    pub source: &'a [Symbol],
    /// Words and places.
    pub target: &'a [Symbol],
    /// Natural logarithms, one for each of the table's feature names.
    pub features: &'a [f32],
    /// Positions in the source and the target side of words that translate each other.
    pub links: &'a [[u8; 2]],
    /// Counts of the target side, the source side and the two together; zeros if unknown.
    pub counts: [f32; 3],
}

/// A source side, whole or begun.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Node {
    /// What leads to it.
    pub symbol: Symbol,
    /// The first of its children, which end where those of the next node begin.
    pub children: u32,
    /// The first of its rules, likewise.
    pub rules: u32,
}

/// A grammar.
#[derive(Debug, Clone)]
pub struct Table {
    pub(super) features: Vec<String>,
    pub(super) categories: Vec<String>,
    source_words: Vocabulary,
    target_words: Vocabulary,
    /// The nodes, and an end.
    pub(super) nodes: Section<Node>,
    /// Where rules 0, 16, 32 and so on begin in the sides.
    pub(super) places: Section<u64>,
    pub(super) sides: Section<u8>,
    pub(super) values: Rows,
    /// Three columns, if counts are known.
    pub(super) counts: Option<Rows>,
    /// Who says what, if the table speaks for several components; the two above then have a row for each saying.
    pub(super) said: Option<Voices>,
}

impl Table {
    /// Opens a table, which stays in its file. Files of up to 64 MB are compared with their checksums in any case.
    ///
    /// # Errors
    /// A file that is not a grammar, is damaged or is of another version than this code.
    pub fn open(path: impl AsRef<Path>, verify: Verify) -> Result<Self> {
        let file = Container::open(path, KIND, Verify::Structure)?;
        let size: u64 = file.sections().iter().map(|section| section.bytes).sum();
        if verify == Verify::Full || size <= CHECKED_BYTES {
            file.verify()?;
        }
        Self::from_container(&file, verify)
    }

    /// The table in a container.
    ///
    /// # Errors
    /// See [`Table::open`].
    pub fn from_container(file: &Container, verify: Verify) -> Result<Self> {
        if file.kind_version_up_to(VERSION)? < VERSION {
            let what =
                format!("the file holds a grammar of version {}; this tolka reads {VERSION}", file.kind_version());
            return Err(file
                .error(what)
                .hint("train the model again with `tolka train`, or extract or import the grammar again"));
        }
        let invalid =
            |what: String| file.error(format!("the grammar is not valid: {what}")).hint("make or copy the file again");
        let features = names(file, "features")?;
        let categories = names(file, "categories")?;
        check_names(&features, MOST_FEATURES)
            .and(check_names(&categories, 256))
            .map_err(|error| invalid(error.what))?;
        let nodes = file.section::<Node>("nodes")?;
        let rules = nodes.last().map_or(0, |end| end.rules as usize);
        let has = |name: &str| file.sections().iter().any(|section| section.name == name);
        let said =
            if has("voices") { Voices::open(file, names(file, "voices")?, &features, rules).map(Some)? } else { None };
        let rows = rules + said.as_ref().map_or(0, |said| said.who.len());
        let values = Rows::open(file, "feature", features.len(), rows)?;
        let counts = has("count-rows").then(|| Rows::open(file, "count", 3, rows)).transpose()?;
        let table = Self {
            features: said.as_ref().map_or(features, |said| columns(&said.names, &said.features)),
            categories,
            source_words: Vocabulary::from_sections(file, "source-word")?,
            target_words: Vocabulary::from_sections(file, "target-word")?,
            nodes,
            places: file.section("places")?,
            sides: file.section("sides")?,
            values,
            counts,
            said,
        };
        table_check::ends(&table).map_err(invalid)?;
        if verify == Verify::Full {
            table_check::contents(&table).map_err(invalid)?;
        }
        Ok(table)
    }

    /// Checks every node and every rule, as [`Verify::Full`] does on opening.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<()> {
        table_check::contents(self).map_err(|what| {
            Error::format(format!("the grammar is not valid: {what}")).hint("make or copy the file again")
        })
    }

    /// The names of the features; of several voices, all of the first, then all of the second and so on.
    pub fn feature_names(&self) -> &[String] {
        &self.features
    }

    /// The names of the categories.
    pub fn categories(&self) -> &[String] {
        &self.categories
    }

    /// The words of source sides.
    pub fn source_words(&self) -> &Vocabulary {
        &self.source_words
    }

    /// The words of target sides.
    pub fn target_words(&self) -> &Vocabulary {
        &self.target_words
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.nodes.last().map_or(0, |end| end.rules as usize)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many source sides there are, counting those that only begin others.
    pub fn nodes(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The node of the empty source side.
    pub const ROOT: u32 = 0;

    /// The children of a node. They come after it, so that walks end.
    #[inline]
    pub(super) fn family(&self, node: u32) -> Range<u32> {
        match self.nodes.get(node as usize..node as usize + 2) {
            Some([this, next]) if this.children > node && (next.children as usize) < self.nodes.len() => {
                this.children..next.children
            }
            _ => 0..0,
        }
    }

    /// The node after `symbol`.
    #[inline]
    pub fn step(&self, node: u32, symbol: Symbol) -> Option<u32> {
        let family = self.family(node);
        let nodes = self.nodes.get(family.start as usize..family.end as usize)?;
        let found = nodes.binary_search_by(|child| child.symbol.cmp(&symbol)).ok()?;
        Some(family.start + found as u32)
    }

    /// Whether longer source sides begin with this one.
    #[inline]
    pub fn continues(&self, node: u32) -> bool {
        !self.family(node).is_empty()
    }

    /// The children of a node with their symbols, in the order of those.
    pub fn children(&self, node: u32) -> impl Iterator<Item = (Symbol, u32)> + '_ {
        self.family(node).map(|child| (self.symbol(child), child))
    }

    /// The rules whose source side leads to a node.
    #[inline]
    pub fn rules(&self, node: u32) -> Range<u32> {
        match self.nodes.get(node as usize..node as usize + 2) {
            Some([this, next]) if next.rules as usize <= self.len() => this.rules..next.rules,
            _ => 0..0,
        }
    }

    /// Reads target sides and links from a rule on.
    #[inline]
    pub fn sides(&self, rule: u32) -> Sides<'_> {
        let bytes = self.places.get(rule as usize / STRIDE).and_then(|&place| self.sides.get(place as usize..));
        let mut sides = Sides::new(bytes.unwrap_or_default(), self.target_words.len(), self.categories.len());
        for _ in 0..rule as usize % STRIDE {
            if sides.skip().is_none() {
                return Sides::new(&[], 0, 0);
            }
        }
        sides
    }

    /// Reads the first bytes of the rules of a node; what it gives means nothing.
    #[inline]
    pub fn warm(&self, node: u32) -> u8 {
        let first = self.rules(node).start as usize;
        let place = self.places.get(first / STRIDE).map_or(0, |&place| place as usize);
        self.sides.get(place).copied().unwrap_or(0) ^ self.values.first_byte(first)
    }

    /// The target sides of the rules of a node, for search: rules that do not pair the `arity` gaps on the way to the
    /// node are left out, as only damage makes them. It also makes several ways to a node, so what is kept of a node is
    /// kept with the arity. A node is not worth asking for beyond [`MOST_ARITY`] gaps.
    #[inline]
    pub fn targets(&self, node: u32, arity: usize) -> Targets<'_> {
        let rules = self.rules(node);
        Targets { sides: self.sides(rules.start), rules, arity }
    }

    /// A rule's category, target side and links; an empty target side if it is damaged.
    pub fn side(&self, rule: u32) -> Side {
        let mut side = Side::default();
        match self.sides(rule).both(&mut side.target, &mut side.links) {
            Some(lhs) => side.lhs = lhs,
            None => side = Side::default(),
        }
        side
    }

    /// A feature of a rule.
    #[inline]
    pub fn feature(&self, rule: u32, column: usize) -> f32 {
        match &self.said {
            None => self.values.get(rule as usize, column),
            Some(said) => said.value(&self.values, rule, column),
        }
    }

    /// Appends a rule's features.
    #[inline]
    pub fn features(&self, rule: u32, values: &mut Vec<f32>) {
        match &self.said {
            None => self.values.read(rule as usize, values),
            Some(said) => said.read(&self.values, rule, values),
        }
    }

    /// The weighted sum of a rule's features.
    #[inline]
    pub fn weighted(&self, rule: u32, weights: &[f32]) -> f32 {
        match &self.said {
            None => self.values.dot(rule as usize, weights),
            Some(said) => said.dot(&self.values, rule, weights),
        }
    }

    /// Counts of a rule's target side, its source side and both together; zeros if unknown.
    pub fn counts(&self, rule: u32) -> [f32; 3] {
        let row = self.said.as_ref().map_or(rule as usize, |said| said.rows(rule).0);
        self.counts.as_ref().map_or([0.0; 3], |counts| [0, 1, 2].map(|column| counts.get(row, column)))
    }

    /// Whether counts are known.
    pub fn has_counts(&self) -> bool {
        self.counts.is_some()
    }

    /// The symbol that leads to a node; one that does not exist is the unknown word or the category X.
    #[inline]
    fn symbol(&self, node: u32) -> Symbol {
        let symbol = self.nodes[node as usize].symbol;
        match symbol.as_nonterminal() {
            Some(category) if category as usize >= self.categories.len() => Symbol::nonterminal(u32::from(X)),
            None if symbol.as_word().is_some_and(|word| word as usize >= self.source_words.len()) => Symbol::word(UNK),
            _ => symbol,
        }
    }

    /// The node that leads to another.
    fn parent(&self, node: u32) -> Option<u32> {
        let after = self.nodes[..self.nodes()].partition_point(|other| other.children <= node);
        after.checked_sub(1).map(|parent| parent as u32).filter(|&parent| parent < node)
    }

    /// Appends the source side that leads to a node.
    pub fn source_of_node(&self, mut node: u32, source: &mut Vec<Symbol>) {
        let start = source.len();
        while let Some(parent) = self.parent(node).filter(|_| source.len() - start < MOST_SYMBOLS) {
            source.push(self.symbol(node));
            node = parent;
        }
        source[start..].reverse();
    }

    /// Appends a rule's source side.
    pub fn source(&self, rule: u32, source: &mut Vec<Symbol>) {
        let after = self.nodes[..self.nodes()].partition_point(|node| node.rules <= rule);
        if let Some(node) = after.checked_sub(1) {
            self.source_of_node(node as u32, source);
        }
    }

    /// Gives every node but the root with its source side, a source side right before those that it begins.
    ///
    /// # Errors
    /// What `each` says.
    pub fn each_source(&self, mut each: impl FnMut(u32, &[Symbol]) -> Result<()>) -> Result<()> {
        self.each_source_among(|_| true, &mut each)
    }

    /// Like [`Table::each_source`], of the nodes that are wanted and whose parents are.
    ///
    /// # Errors
    /// What `each` says.
    pub fn each_source_among(
        &self,
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32, &[Symbol]) -> Result<()>,
    ) -> Result<()> {
        let mut source = Vec::new();
        let mut stack: Vec<Range<u32>> = vec![self.family(Self::ROOT)];
        // Of a damaged table no more than it has nodes.
        let mut left = self.nodes();
        while let Some(range) = stack.last_mut() {
            let Some(node) = range.next().filter(|_| left > 0) else {
                stack.pop();
                source.pop();
                continue;
            };
            if wanted(node) {
                left -= 1;
                source.push(self.symbol(node));
                each(node, &source)?;
                stack.push(self.family(node));
            }
        }
        Ok(())
    }
}

/// The rules of a node, one after another; see [`Table::targets`].
#[derive(Debug, Clone)]
pub struct Targets<'a> {
    rules: Range<u32>,
    sides: Sides<'a>,
    arity: usize,
}

impl Targets<'_> {
    /// Appends the target side of the next rule; gives the rule and its category.
    #[inline]
    pub fn next(&mut self, target: &mut Vec<Symbol>) -> Option<(u32, u8)> {
        loop {
            let rule = self.rules.next()?;
            // What follows damage cannot be read either.
            if let Some(lhs) = self.sides.paired(self.arity, target)? {
                return Some((rule, lhs));
            }
        }
    }
}

/// What a rule has beside its source side and features.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// The category of the left-hand side.
    pub lhs: u8,
    /// Words and places.
    pub target: Vec<Symbol>,
    /// Positions in the source and the target side of words that translate each other.
    pub links: Vec<[u8; 2]>,
}

fn names(file: &Container, section: &str) -> Result<Vec<String>> {
    let text = std::str::from_utf8(file.bytes(section)?).map_err(|_| file.error("names that are not UTF-8"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Checks names that a table may carry.
///
/// # Errors
/// Empty, repeated or badly spelled names, or too many.
pub(super) fn check_names(names: &[String], most: usize) -> Result<()> {
    if names.len() > most {
        return Err(Error::limit(format!("{} names, more than {most}", names.len())));
    }
    for (at, name) in names.iter().enumerate() {
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '=' || c == '|') {
            return Err(Error::input(format!("`{name}` cannot be a name in a grammar"))
                .hint("names have no spaces, `=` or `|`"));
        }
        if names[..at].contains(name) {
            return Err(Error::input(format!("the name `{name}` is used twice")));
        }
    }
    Ok(())
}
