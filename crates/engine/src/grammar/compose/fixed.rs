//! A table of two: what goes through the pivot is added up, or the most of it is taken, once and for all (Razmara 2013,
//! section 3.2.3; Utiyama & Isahara 2007). It is a product of sparse matrices, source by pivot and pivot by target, made
//! in blocks of source sides.

use std::path::Path;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::legs::{are_linked, compose_links, gaps, orient, renumber};
use super::{Limits, NONE, check, orientation_columns, pivot_words};
use crate::grammar::lexical::{NULL, WordTable};
use crate::grammar::score::{CATEGORIES, FEATURES, ORIENTATIONS};
use crate::grammar::table::{MOST_ARITY, X};
use crate::grammar::{Rule, Symbol, Table, TableBuilder};
use crate::{Error, Result};

/// Source sides that are composed at a time.
const BLOCK: usize = 1 << 12;
/// Links of rules whose lexical weights are made anew have places of half a byte.
const MOST_PLACES: usize = 16;
/// The forward probability, p(target | source).
const FORWARD: usize = 2;
const FORWARD_LEX: usize = 3;
const BACKWARD_LEX: usize = 1;
/// The forward probability is stored as so many times itself where words are counted.
const UNIT: f64 = 1e6;

/// What becomes of several ways through the pivot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// Their probabilities are added: Σ p(e|i) p(i|f).
    Sum,
    /// The greatest is taken, of each feature.
    Max,
}

/// Where lexical weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lexical {
    /// They are added up as other probabilities are.
    Marginal,
    /// From the links that are composed: words that they link are counted by p(e|f) (Wu & Wang 2007).
    Links,
}

/// How a table is composed.
#[derive(Debug, Clone, Copy)]
pub struct FixedSettings {
    /// What becomes of several ways.
    pub sum: Sum,
    /// Where lexical weights come from.
    pub lexical: Lexical,
    /// How much is composed; the best by p(e|f), p(i|f) and p(e|i).
    pub limits: Limits,
    /// The least probability.
    pub floor: f64,
    /// Whether values are stored as they are.
    pub exact: bool,
}

/// What came out.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Made {
    /// Rules of the table.
    pub rules: u64,
    /// Source sides of the first table, and those with a rule.
    pub sources: [u64; 2],
    /// Ways through the pivot.
    pub ways: u64,
    /// Words of the pivot that both have.
    pub shared: usize,
}

/// The columns of the four probabilities in a table.
fn probabilities(table: &Table, name: &str) -> Result<[usize; FEATURES.len()]> {
    let mut columns = [0; FEATURES.len()];
    for (column, wanted) in columns.iter_mut().zip(FEATURES) {
        *column = table.feature_names().iter().position(|own| own == wanted).ok_or_else(|| {
            Error::input(format!("the table {name} has no feature {wanted}")).hint(
                "tables are composed by the four probabilities that extraction makes; compose while decoding instead",
            )
        })?;
    }
    Ok(columns)
}

/// A rule that was composed.
struct Row {
    target: [usize; 2],
    links: [usize; 2],
    probabilities: [f64; FEATURES.len()],
    orientations: [f64; ORIENTATIONS.len()],
    /// The sum of what orientations were weighed with, and the most of it, whose links are taken.
    weight: f64,
    most: f64,
}

/// The rules of some source sides.
#[derive(Default)]
struct Block {
    /// Source sides, with the number of their rules.
    sources: Vec<(Vec<Symbol>, usize)>,
    rows: Vec<Row>,
    symbols: Vec<Symbol>,
    links: Vec<[u8; 2]>,
    ways: u64,
}

struct Composer<'a> {
    tables: [&'a Table; 2],
    words: Vec<u32>,
    columns: [[usize; FEATURES.len()]; 2],
    orientations: Option<[[usize; ORIENTATIONS.len()]; 2]>,
    settings: FixedSettings,
}

/// Rules of a table with their target sides and probabilities.
#[derive(Default)]
struct Listed {
    rules: Vec<(u32, [usize; 2], [f64; FEATURES.len()])>,
    symbols: Vec<Symbol>,
}

impl Listed {
    /// The rules of a node, the most probable first.
    fn read(&mut self, table: &Table, columns: &[usize; FEATURES.len()], node: u32, arity: usize) {
        self.rules.clear();
        self.symbols.clear();
        let mut targets = table.targets(node, arity);
        loop {
            let begin = self.symbols.len();
            let Some((rule, lhs)) = targets.next(&mut self.symbols) else { break };
            if lhs == X {
                let of = |column: usize| f64::from(table.feature(rule, column)).exp();
                self.rules.push((rule, [begin, self.symbols.len()], columns.map(of)));
            }
        }
        self.rules.sort_by(|a, b| b.2[FORWARD].total_cmp(&a.2[FORWARD]));
    }

    fn target(&self, at: usize) -> &[Symbol] {
        &self.symbols[self.rules[at].1[0]..self.rules[at].1[1]]
    }
}

/// As many as are allowed.
fn most(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

impl Composer<'_> {
    /// Where a pivot side leads in the second table.
    fn find(&self, pivot: &[Symbol]) -> Option<u32> {
        pivot.iter().try_fold(Table::ROOT, |node, symbol| {
            let own = match symbol.as_word() {
                Some(word) => Symbol::word(*self.words.get(word as usize).filter(|&&word| word != NONE)?),
                None => Symbol::nonterminal(u32::from(X)),
            };
            self.tables[1].step(node, own)
        })
    }

    fn compose(&self, nodes: &[(u32, Vec<Symbol>)]) -> Block {
        let mut block = Block::default();
        let (mut first, mut second) = (Listed::default(), Listed::default());
        let mut known: HashMap<Vec<Symbol>, usize> = HashMap::new();
        for (node, source) in nodes {
            let begin = block.rows.len();
            known.clear();
            self.source(*node, source, &mut block, &mut first, &mut second, &mut known);
            let order = |a: &Row, b: &Row| b.probabilities[FORWARD].total_cmp(&a.probabilities[FORWARD]);
            block.rows[begin..].sort_by(order);
            block.rows.truncate(begin.saturating_add(most(self.settings.limits.rules)));
            if block.rows.len() > begin {
                block.sources.push((source.clone(), block.rows.len() - begin));
            }
        }
        block
    }

    /// The rules of a source side.
    fn source(
        &self,
        node: u32,
        source: &[Symbol],
        block: &mut Block,
        first: &mut Listed,
        second: &mut Listed,
        known: &mut HashMap<Vec<Symbol>, usize>,
    ) {
        let limits = &self.settings.limits;
        let arity = source.iter().filter(|symbol| symbol.is_nonterminal()).count();
        first.read(self.tables[0], &self.columns[0], node, arity);
        let (mut pivots, mut side) = (0, Vec::new());
        for at in 0..first.rules.len() {
            if pivots == most(limits.pivots) {
                break;
            }
            let pivot = first.target(at);
            let Some((places, gaps)) = gaps(pivot) else { continue };
            let Some(node) = self.find(pivot) else { continue };
            second.read(self.tables[1], &self.columns[1], node, gaps);
            let first_links = self.tables[0].side(first.rules[at].0).links;
            let mut taken = 0;
            for other in 0..second.rules.len() {
                if taken == most(limits.targets) {
                    break;
                }
                let links = self.tables[1].side(second.rules[other].0).links;
                if limits.linked && !are_linked(&first_links, &links) {
                    continue;
                }
                taken += 1;
                side.clear();
                renumber(second.target(other), places, &mut side);
                let place = *known.entry_ref(&side[..]).or_insert_with(|| {
                    let target = put(&mut block.symbols, &side);
                    block.rows.push(Row::new(target));
                    block.rows.len() - 1
                });
                let (own, more) = (&first.rules[at], &second.rules[other]);
                self.add(&mut block.rows[place], [own.0, more.0], [own.2, more.2], || {
                    put(&mut block.links, &compose_links(&first_links, &links))
                });
            }
            pivots += usize::from(taken > 0);
            block.ways += taken as u64;
        }
    }

    /// Adds a way to a rule.
    fn add(
        &self,
        row: &mut Row,
        rules: [u32; 2],
        legs: [[f64; FEATURES.len()]; 2],
        links: impl FnOnce() -> [usize; 2],
    ) {
        for (sum, (own, other)) in row.probabilities.iter_mut().zip(legs[0].iter().zip(legs[1])) {
            let way = own * other;
            *sum = if self.settings.sum == Sum::Sum { *sum + way } else { sum.max(way) };
        }
        let way = legs[0][FORWARD] * legs[1][FORWARD];
        if let Some(columns) = &self.orientations {
            let of = |leg: usize| columns[leg].map(|column| self.tables[leg].feature(rules[leg], column));
            let made = orient(of(0), of(1));
            row.orientations.iter_mut().zip(made).for_each(|(sum, log)| *sum += way * f64::from(log).exp());
        }
        row.weight += way;
        if way > row.most {
            row.most = way;
            row.links = links();
        }
    }
}

impl Row {
    fn new(target: [usize; 2]) -> Self {
        Self {
            target,
            links: [0; 2],
            probabilities: [0.0; FEATURES.len()],
            orientations: [0.0; ORIENTATIONS.len()],
            weight: 0.0,
            most: f64::NEG_INFINITY,
        }
    }
}

fn put<T: Copy>(all: &mut Vec<T>, items: &[T]) -> [usize; 2] {
    let begin = all.len();
    all.extend_from_slice(items);
    [begin, all.len()]
}

/// Writes the table that two make together: rules of the first whose target sides are source sides of the second.
/// Words of the pivot may be `recased`, as [`super::Composed::new`] has it. `advance` is told of source sides, and may say no.
///
/// # Errors
/// Tables without probabilities or shared words, damage, no rule that is composed, or what the operating system says.
pub fn compose_tables(
    tables: [(&str, &Table); 2],
    settings: FixedSettings,
    recased: bool,
    out: &Path,
    advance: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Made> {
    if !(settings.floor > 0.0 && settings.floor < 1.0) {
        return Err(Error::settings(format!("the floor is {}", settings.floor)).hint("say more than 0 and less than 1"));
    }
    for (name, table) in tables {
        check(table)?;
        table.check().map_err(|error| Error { what: format!("the table {name}: {}", error.what), ..error })?;
    }
    let columns = [probabilities(tables[0].1, tables[0].0)?, probabilities(tables[1].1, tables[1].0)?];
    let tables = tables.map(|(_, table)| table);
    let words = pivot_words(tables[0].target_words(), tables[1].source_words(), recased)?;
    let orientations = match tables.map(|table| orientation_columns(table.feature_names())) {
        [Some(own), Some(other)] => Some([own, other]),
        _ => None,
    };
    let composer = Composer { tables, words, columns, orientations, settings };
    let lexicon = match settings.lexical {
        Lexical::Marginal => None,
        Lexical::Links => Some(composer.lexicon(advance)?),
    };
    let mut names: Vec<String> = FEATURES.iter().map(|&name| name.to_owned()).collect();
    if orientations.is_some() {
        names.extend(ORIENTATIONS.iter().map(|&name| name.to_owned()));
    }
    let mut builder = TableBuilder::new(names, CATEGORIES.iter().map(|&name| name.to_owned()).collect())?;
    if !settings.exact {
        builder.quantise();
    }
    let shared = composer.words.iter().filter(|&&word| word != NONE).count();
    let mut made = Made { shared, ..Made::default() };
    composer.each_block(advance, &mut made, |block, made| {
        let mut rows = block.rows.iter();
        for (source, count) in &block.sources {
            made.sources[1] += 1;
            for row in rows.by_ref().take(*count) {
                let rule = composer.rule(source, row, block, lexicon.as_ref());
                builder.push(&Rule { features: &rule, ..row.rule(source, block) })?;
            }
        }
        made.ways += block.ways;
        Ok(())
    })?;
    if builder.is_empty() {
        return Err(Error::input("no rule of the first table leads through the pivot to one of the second")
            .hint("check that the text between is prepared alike in both, or use larger texts"));
    }
    made.rules = builder.len();
    builder.write(out, tables[0].source_words(), tables[1].target_words())?;
    Ok(made)
}

impl Row {
    fn rule<'b>(&self, source: &'b [Symbol], block: &'b Block) -> Rule<'b> {
        Rule {
            lhs: X,
            source,
            target: &block.symbols[self.target[0]..self.target[1]],
            features: &[],
            links: &block.links[self.links[0]..self.links[1]],
            counts: [0.0; 3],
        }
    }
}

impl Composer<'_> {
    /// Gives the rules of all source sides, block after block, in order.
    fn each_block(
        &self,
        advance: &(dyn Fn(usize) -> bool + Sync),
        made: &mut Made,
        mut each: impl FnMut(&Block, &mut Made) -> Result<()>,
    ) -> Result<()> {
        let mut nodes: Vec<(u32, Vec<Symbol>)> = Vec::new();
        let mut flush = |nodes: &mut Vec<(u32, Vec<Symbol>)>, made: &mut Made| -> Result<()> {
            let size = nodes.len().div_ceil(4 * rayon::current_num_threads()).max(1);
            let blocks: Vec<Block> = nodes.par_chunks(size).map(|some| self.compose(some)).collect();
            blocks.iter().try_for_each(|block| each(block, made))?;
            made.sources[0] += nodes.len() as u64;
            let goes_on = advance(nodes.len());
            nodes.clear();
            if goes_on { Ok(()) } else { Err(Error::input("composing was stopped")) }
        };
        self.tables[0].each_source(|node, source| {
            let gaps = source.iter().filter(|symbol| symbol.is_nonterminal()).count();
            if !self.tables[0].rules(node).is_empty() && gaps <= MOST_ARITY {
                nodes.push((node, source.to_vec()));
            }
            if nodes.len() == BLOCK { flush(&mut nodes, made) } else { Ok(()) }
        })?;
        flush(&mut nodes, made)
    }

    /// The features of a rule.
    fn rule(&self, source: &[Symbol], row: &Row, block: &Block, lexicon: Option<&WordTable>) -> Vec<f32> {
        let mut probabilities = row.probabilities;
        if let Some(lexicon) = lexicon {
            let made = row.rule(source, block);
            if let Some(links) = halves(made.source, made.target, made.links) {
                let (backward, forward) = lexicon.weights(source, made.target, &links);
                (probabilities[BACKWARD_LEX], probabilities[FORWARD_LEX]) = (backward, forward);
            }
        }
        let log = |probability: f64| probability.max(self.settings.floor).min(1.0).ln() as f32;
        let mut features: Vec<f32> = probabilities.into_iter().map(log).collect();
        if self.orientations.is_some() {
            features.extend(row.orientations.map(|sum| log(sum / row.weight.max(f64::MIN_POSITIVE))));
        }
        features
    }

    /// Translations of words, by the links that are composed.
    fn lexicon(&self, advance: &(dyn Fn(usize) -> bool + Sync)) -> Result<WordTable> {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let mut made = Made::default();
        self.each_block(advance, &mut made, |block, _| {
            let mut rows = block.rows.iter();
            for (source, count) in &block.sources {
                for row in rows.by_ref().take(*count) {
                    count_links(&row.rule(source, block), row.probabilities[FORWARD].min(1.0), &mut counts);
                }
            }
            Ok(())
        })?;
        let (mut sources, mut targets): (HashMap<u32, u64>, HashMap<u32, u64>) = (HashMap::new(), HashMap::new());
        for (&key, &count) in &counts {
            *sources.entry((key >> 32) as u32).or_default() += count;
            *targets.entry(key as u32).or_default() += count;
        }
        Ok(WordTable::from_counts(counts, |word| sources[&word], |word| targets[&word]))
    }
}

/// Counts the words that a rule links, and those that it links with nothing.
fn count_links(rule: &Rule<'_>, weight: f64, counts: &mut HashMap<u64, u64>) {
    let count = (weight * UNIT).round() as u64;
    let word = |symbol: Symbol| symbol.as_word().unwrap_or(NULL);
    let mut add = |source: u32, target: u32| {
        *counts.entry(u64::from(source) << 32 | u64::from(target)).or_default() += count.max(1);
    };
    let is_word = |side: &[Symbol], at: u8| side.get(usize::from(at)).is_some_and(|symbol| !symbol.is_nonterminal());
    for &[i, j] in rule.links {
        if is_word(rule.source, i) && is_word(rule.target, j) {
            add(word(rule.source[usize::from(i)]), word(rule.target[usize::from(j)]));
        }
    }
    for (at, &symbol) in rule.source.iter().enumerate() {
        if !symbol.is_nonterminal() && !rule.links.iter().any(|link| usize::from(link[0]) == at) {
            add(word(symbol), NULL);
        }
    }
    for (at, &symbol) in rule.target.iter().enumerate() {
        if !symbol.is_nonterminal() && !rule.links.iter().any(|link| usize::from(link[1]) == at) {
            add(NULL, word(symbol));
        }
    }
}

/// Links as half bytes, if the sides are short enough for that.
fn halves(source: &[Symbol], target: &[Symbol], links: &[[u8; 2]]) -> Option<Vec<u8>> {
    let fits = source.len() <= MOST_PLACES && target.len() <= MOST_PLACES;
    fits.then(|| links.iter().map(|&[i, j]| i << 4 | j).collect())
}
