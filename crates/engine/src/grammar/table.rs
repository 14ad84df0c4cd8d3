//! A grammar on disk, mapped into memory: rules by their source sides in a trie.
//!
//! Trie nodes are numbered breadth first, so the children of a node are consecutive and sorted by symbol. The rules of
//! a node are consecutive too, in the order in which they were given. Opening checks the trie and, if asked to verify
//! the file in full, every rule; nothing is built.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::Symbol;
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, Section, Verify};
use crate::{Error, Result};

/// The kind of a container that holds a grammar.
pub const KIND: &str = "grammar";
/// The newest version of it.
pub const VERSION: u32 = 1;
/// Nonterminals of a rule.
pub const MOST_ARITY: usize = 2;
/// Features of a rule.
pub const MOST_FEATURES: usize = 1024;
/// Symbols of a side of a rule.
pub const MOST_SYMBOLS: usize = 255;
/// The category of translations, at the place 0 of every table's categories.
pub const X: u8 = 0;

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

/// A grammar.
#[derive(Debug, Clone)]
pub struct Table {
    pub(super) features: Vec<String>,
    pub(super) categories: Vec<String>,
    source_words: Vocabulary,
    target_words: Vocabulary,
    /// For each node the first of its children, and an end.
    children: Section<u32>,
    /// For each node the symbol that leads to it.
    symbols: Section<Symbol>,
    /// For each node its parent.
    parents: Section<u32>,
    /// For each node its rules, as begin and end.
    node_rules: Section<[u32; 2]>,
    /// The nodes that have rules, in the order of those.
    owners: Section<u32>,
    lhs: Section<u8>,
    /// For each rule where its target side and its links begin, and an end.
    target_begins: Section<u32>,
    targets: Section<Symbol>,
    link_begins: Section<u32>,
    links: Section<[u8; 2]>,
    values: Section<f32>,
    /// Empty, or three for each rule.
    counts: Section<f32>,
}

impl Table {
    /// Opens a table, which stays in its file.
    ///
    /// # Errors
    /// A file that is not a grammar, is damaged or is newer than this code.
    pub fn open(path: impl AsRef<Path>, verify: Verify) -> Result<Self> {
        Self::from_container(&Container::open(path, KIND, verify)?, verify)
    }

    /// The table in a container.
    ///
    /// # Errors
    /// See [`Table::open`].
    pub fn from_container(file: &Container, verify: Verify) -> Result<Self> {
        file.kind_version_up_to(VERSION)?;
        let table = Self {
            features: names(file, "features")?,
            categories: names(file, "categories")?,
            source_words: Vocabulary::from_sections(file, "source-word")?,
            target_words: Vocabulary::from_sections(file, "target-word")?,
            children: file.section("node-children")?,
            symbols: file.section("node-symbols")?,
            parents: file.section("node-parents")?,
            node_rules: file.section("node-rules")?,
            owners: file.section("owners")?,
            lhs: file.section("lhs")?,
            target_begins: file.section("target-begins")?,
            targets: file.section("targets")?,
            link_begins: file.section("link-begins")?,
            links: file.section("links")?,
            values: file.section("values")?,
            counts: file.section("counts")?,
        };
        let checked = check_trie(&table).and_then(|()| match verify {
            Verify::Full => check_rules(&table),
            Verify::Structure => Ok(()),
        });
        checked.map_err(|what| {
            file.error(format!("the grammar is not valid: {what}")).hint("make or copy the file again")
        })?;
        Ok(table)
    }

    /// The names of the features.
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
        self.lhs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lhs.is_empty()
    }

    /// How many source sides there are, counting those that only begin others.
    pub fn nodes(&self) -> usize {
        self.symbols.len()
    }

    /// The node of the empty source side.
    pub const ROOT: u32 = 0;

    /// The node after `symbol`.
    #[inline]
    pub fn step(&self, node: u32, symbol: Symbol) -> Option<u32> {
        let begin = self.children[node as usize] as usize;
        let end = self.children[node as usize + 1] as usize;
        let found = self.symbols[begin..end].binary_search(&symbol).ok()?;
        Some((begin + found) as u32)
    }

    /// Whether longer source sides begin with this one.
    #[inline]
    pub fn continues(&self, node: u32) -> bool {
        self.children[node as usize] < self.children[node as usize + 1]
    }

    /// The children of a node with their symbols, in the order of those.
    pub fn children(&self, node: u32) -> impl Iterator<Item = (Symbol, u32)> + '_ {
        let range = self.children[node as usize]..self.children[node as usize + 1];
        range.map(|child| (self.symbols[child as usize], child))
    }

    /// The rules whose source side leads to a node.
    #[inline]
    pub fn rules(&self, node: u32) -> Range<u32> {
        let [begin, end] = self.node_rules[node as usize];
        begin..end
    }

    /// The category of a rule's left-hand side.
    #[inline]
    pub fn lhs(&self, rule: u32) -> u8 {
        self.lhs[rule as usize]
    }

    /// A rule's target side.
    #[inline]
    pub fn target(&self, rule: u32) -> &[Symbol] {
        &self.targets[between(&self.target_begins, rule)]
    }

    /// A rule's links.
    #[inline]
    pub fn links(&self, rule: u32) -> &[[u8; 2]] {
        &self.links[between(&self.link_begins, rule)]
    }

    /// A rule's features.
    #[inline]
    pub fn features(&self, rule: u32) -> &[f32] {
        let width = self.features.len();
        &self.values[rule as usize * width..][..width]
    }

    /// Counts of a rule's target side, its source side and both together; zeros if unknown.
    pub fn counts(&self, rule: u32) -> [f32; 3] {
        match self.counts.get(rule as usize * 3..rule as usize * 3 + 3) {
            Some(counts) => [counts[0], counts[1], counts[2]],
            None => [0.0; 3],
        }
    }

    /// Whether counts are known.
    pub fn has_counts(&self) -> bool {
        !self.counts.is_empty()
    }

    /// Appends the source side that leads to a node.
    pub fn source_of_node(&self, mut node: u32, source: &mut Vec<Symbol>) {
        let start = source.len();
        while node != Self::ROOT {
            source.push(self.symbols[node as usize]);
            node = self.parents[node as usize];
        }
        source[start..].reverse();
    }

    /// Appends a rule's source side.
    pub fn source(&self, rule: u32, source: &mut Vec<Symbol>) {
        let after = self.owners.partition_point(|&node| self.node_rules[node as usize][0] <= rule);
        if let Some(&node) = after.checked_sub(1).and_then(|at| self.owners.get(at)) {
            self.source_of_node(node, source);
        }
    }
}

#[inline]
fn between(begins: &[u32], rule: u32) -> Range<usize> {
    begins[rule as usize] as usize..begins[rule as usize + 1] as usize
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

fn increases(begins: &[u32], rules: usize, end: usize) -> bool {
    begins.len() == rules + 1
        && begins[0] == 0
        && begins.last().is_some_and(|&last| last as usize == end)
        && begins.windows(2).all(|pair| pair[0] <= pair[1])
}

/// Checks the trie and the arrays' lengths, so that walks through them stay inside and end.
fn check_trie(table: &Table) -> std::result::Result<(), String> {
    check_names(&table.features, MOST_FEATURES).map_err(|error| error.what)?;
    check_names(&table.categories, 256).map_err(|error| error.what)?;
    let (nodes, rules) = (table.symbols.len(), table.lhs.len());
    let categories = table.categories.len() as u32;
    if categories == 0 {
        return Err("it has no category".into());
    }
    if nodes == 0
        || table.parents.len() != nodes
        || table.node_rules.len() != nodes
        || table.children.len() != nodes + 1
    {
        return Err("the trie's arrays differ in length".into());
    }
    if table.children[0] != 1
        || table.children[nodes] as usize != nodes
        || table.children.windows(2).any(|pair| pair[0] > pair[1])
    {
        return Err("the trie's children are out of order".into());
    }
    let parents: &[u32] = &table.parents;
    let symbols: &[Symbol] = &table.symbols;
    // Most of the time of opening a table goes here.
    let wrong = (0..nodes).into_par_iter().with_min_len(1 << 16).find_map_first(|node| {
        let range = table.children[node] as usize..table.children[node + 1] as usize;
        // Breadth first, children come after their parents, so that walks up and down end.
        if range.start <= node && !range.is_empty() {
            return Some(format!("node {node} is its own child"));
        }
        if parents[range.clone()].iter().any(|&parent| parent as usize != node) {
            return Some(format!("node {node} is not the parent of its children"));
        }
        if symbols[range].windows(2).any(|pair| pair[0] >= pair[1]) {
            return Some(format!("the children of node {node} are out of order"));
        }
        let [begin, end] = table.node_rules[node];
        (begin > end || end as usize > rules).then(|| format!("node {node} has rules that do not exist"))
    });
    if let Some(what) = wrong {
        return Err(what);
    }
    let symbol_is_known = |&symbol: &Symbol| match symbol.as_nonterminal() {
        Some(category) => category < categories,
        None => symbol.as_word().is_some_and(|word| (word as usize) < table.source_words.len()),
    };
    if !symbols[1..].par_iter().all(symbol_is_known) {
        return Err("a source side has an unknown symbol".into());
    }
    let owns = |&node: &u32| {
        (node as usize) < nodes && table.node_rules[node as usize][0] < table.node_rules[node as usize][1]
    };
    let mut covered = 0;
    for node in table.owners.iter() {
        if !owns(node) || table.node_rules[*node as usize][0] != covered {
            return Err("the rules are not in the order of their source sides".into());
        }
        covered = table.node_rules[*node as usize][1];
    }
    if covered as usize != rules || table.owners.len() != table.node_rules.par_iter().filter(|[a, b]| a < b).count() {
        return Err("a rule has no source side".into());
    }
    if table.values.len() != rules * table.features.len()
        || !matches!(table.counts.len(), n if n == 0 || n == rules * 3)
    {
        return Err("there are not as many features as rules need".into());
    }
    Ok(())
}

/// Checks each rule.
fn check_rules(table: &Table) -> std::result::Result<(), String> {
    let (rules, categories) = (table.lhs.len(), table.categories.len() as u32);
    if table.lhs.iter().any(|&category| u32::from(category) >= categories) {
        return Err("a rule has an unknown category".into());
    }
    if !increases(&table.target_begins, rules, table.targets.len())
        || !increases(&table.link_begins, rules, table.links.len())
    {
        return Err("the target sides or links are out of order".into());
    }
    let target_is_known = |&symbol: &Symbol| match symbol.as_nonterminal() {
        Some(place) => (place as usize) < MOST_ARITY,
        None => symbol.as_word().is_some_and(|word| (word as usize) < table.target_words.len()),
    };
    if !table.targets.iter().all(target_is_known) {
        return Err("a target side has an unknown symbol".into());
    }
    if table.values.iter().chain(table.counts.iter()).any(|value| !value.is_finite()) {
        return Err("a feature is not a finite number".into());
    }
    check_arity(table)
}

/// Each rule has at most two nonterminals, each once on either side.
fn check_arity(table: &Table) -> std::result::Result<(), String> {
    let nodes = table.symbols.len();
    let mut arity = vec![0_u8; nodes];
    let mut depth = vec![0_u16; nodes];
    for node in 1..nodes {
        let parent = table.parents[node] as usize;
        arity[node] = arity[parent] + u8::from(table.symbols[node].is_nonterminal());
        depth[node] = depth[parent] + 1;
        if usize::from(arity[node]) > MOST_ARITY || usize::from(depth[node]) > MOST_SYMBOLS {
            return Err("a source side is too long or has too many nonterminals".into());
        }
        for rule in table.rules(node as u32) {
            let target = table.target(rule);
            let mut places = [0; MOST_ARITY];
            for place in target.iter().filter_map(|symbol| symbol.as_nonterminal()) {
                places[place as usize] += 1;
            }
            let wanted = [u8::from(arity[node] > 0), u8::from(arity[node] > 1)];
            if places != wanted || target.is_empty() || target.len() > MOST_SYMBOLS {
                return Err(format!("rule {rule} does not pair its nonterminals"));
            }
            let (sources, targets) = (depth[node] as usize, target.len());
            if table.links(rule).iter().any(|&[s, t]| usize::from(s) >= sources || usize::from(t) >= targets) {
                return Err(format!("rule {rule} has a link outside"));
            }
        }
    }
    if table.rules(Table::ROOT).is_empty() { Ok(()) } else { Err("a rule has no source side".into()) }
}
