//! Writes tables, one rule after another.

use std::io::{Seek, Write};
use std::path::Path;

use super::codebook::{Loss, Survey};
use super::rows::write_rows;
use super::table::{KIND, MOST_ARITY, MOST_SYMBOLS, Node, Rule, STRIDE, Table, VERSION, check_names};
use super::{Symbol, sides};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, ContainerWriter, Growing, Verify};
use crate::{Error, Result};

/// Bytes of each growing array that stay in memory.
const MOST_MEMORY: usize = 8 << 20;

/// The source sides of one length, in the order in which they arrive, which is that of the table.
struct Level {
    /// Their children and rules are counted within the next level and within this one.
    nodes: Vec<Node>,
    rules: u32,
    /// Bytes of each rule in `sides`.
    lengths: Growing<u32>,
    sides: Growing<u8>,
    values: Growing<f32>,
    counts: Growing<f32>,
}

impl Level {
    fn new() -> Self {
        Self {
            nodes: Vec::new(),
            rules: 0,
            lengths: Growing::new(MOST_MEMORY),
            sides: Growing::new(MOST_MEMORY),
            values: Growing::new(MOST_MEMORY),
            counts: Growing::new(MOST_MEMORY),
        }
    }
}

/// Takes rules in the order of their source sides and makes a table of them.
///
/// ```
/// use tolka_engine::corpus::vocabulary::Vocabulary;
/// use tolka_engine::grammar::{Rule, Symbol, Table, TableBuilder};
/// let source = Vocabulary::from_words(["haus"])?;
/// let target = Vocabulary::from_words(["house"])?;
/// let haus = [Symbol::word(source.id("haus"))];
/// let house = [Symbol::word(target.id("house"))];
/// let mut builder = TableBuilder::new(vec!["phrase_ef".into()], vec!["X".into()])?;
/// builder.push(&Rule { lhs: 0, source: &haus, target: &house, features: &[-0.5], links: &[[0, 0]], counts: [0.0; 3] })?;
/// let table = builder.build(&source, &target)?;
/// let node = table.step(Table::ROOT, haus[0]).unwrap();
/// assert_eq!(table.feature(table.rules(node).start, 0), -0.5);
/// # Ok::<(), tolka_engine::Error>(())
/// ```
pub struct TableBuilder {
    features: Vec<String>,
    categories: Vec<String>,
    levels: Vec<Level>,
    last: Vec<Symbol>,
    rules: u64,
    side: Vec<u8>,
    value_surveys: Vec<Survey>,
    count_surveys: Vec<Survey>,
    counted: bool,
}

impl TableBuilder {
    /// No rules yet.
    ///
    /// # Errors
    /// Names that cannot be names; no category.
    pub fn new(features: Vec<String>, categories: Vec<String>) -> Result<Self> {
        check_names(&features, super::table::MOST_FEATURES)?;
        check_names(&categories, 256)?;
        if categories.is_empty() {
            return Err(Error::input("a grammar needs a category"));
        }
        let mut root = Level::new();
        root.nodes.push(Node::default());
        Ok(Self {
            value_surveys: features.iter().map(|_| Survey::new(Loss::None)).collect(),
            count_surveys: (0..3).map(|_| Survey::new(Loss::None)).collect(),
            features,
            categories,
            levels: vec![root],
            last: Vec::new(),
            rules: 0,
            side: Vec::new(),
            counted: false,
        })
    }

    /// Stores each value as one of at most 256 that are close to those of its column. To be said before any rule.
    pub fn quantise(&mut self) {
        self.value_surveys.fill_with(|| Survey::new(Loss::Absolute));
        self.count_surveys.fill_with(|| Survey::new(Loss::Relative));
    }

    /// How many rules there are.
    pub fn len(&self) -> u64 {
        self.rules
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules == 0
    }

    /// Adds a rule, whose source side is not before the last one's.
    ///
    /// # Errors
    /// A rule that breaks the order or that no table can hold.
    pub fn push(&mut self, rule: &Rule<'_>) -> Result<()> {
        self.check(rule)?;
        if self.rules >= u64::from(u32::MAX) {
            return Err(Error::limit("more than 4 billion rules in a table"));
        }
        self.node(rule.source)?;
        let level = &mut self.levels[rule.source.len()];
        self.side.clear();
        sides::put(rule, &mut self.side);
        level.lengths.extend(&[self.side.len() as u32])?;
        level.sides.extend(&self.side)?;
        level.values.extend(rule.features)?;
        level.counts.extend(&rule.counts)?;
        level.rules += 1;
        self.rules += 1;
        self.value_surveys.iter_mut().zip(rule.features).for_each(|(survey, &value)| survey.add(value));
        self.count_surveys.iter_mut().zip(rule.counts).for_each(|(survey, count)| survey.add(count));
        self.counted |= rule.counts != [0.0; 3];
        Ok(())
    }

    fn check(&self, rule: &Rule<'_>) -> Result<()> {
        let nonterminals = |side: &[Symbol]| side.iter().filter(|symbol| symbol.is_nonterminal()).count();
        let arity = nonterminals(rule.source);
        if rule.source.is_empty() || rule.target.is_empty() {
            return Err(Error::input("a rule has an empty side"));
        }
        if rule.source.len().max(rule.target.len()) > MOST_SYMBOLS {
            return Err(Error::limit(format!("a rule has more than {MOST_SYMBOLS} symbols on a side")));
        }
        let paired = (0..arity).all(|place| rule.target.contains(&Symbol::nonterminal(place as u32)));
        if arity > MOST_ARITY || nonterminals(rule.target) != arity || !paired {
            return Err(Error::input("a rule does not pair at most two nonterminals of each side"));
        }
        if rule.features.len() != self.features.len() {
            let (got, wanted) = (rule.features.len(), self.features.len());
            return Err(Error::input(format!("a rule has {got} features instead of {wanted}")));
        }
        if rule.features.iter().chain(&rule.counts).any(|value| !value.is_finite()) {
            return Err(Error::input("a feature of a rule is not a finite number"));
        }
        if usize::from(rule.lhs) >= self.categories.len() {
            return Err(Error::input("a rule has an unknown category"));
        }
        if rule.links.iter().any(|&[s, t]| usize::from(s) >= rule.source.len() || usize::from(t) >= rule.target.len()) {
            return Err(Error::input("a link of a rule is outside of it"));
        }
        Ok(())
    }

    /// Makes the nodes of a source side that are new.
    fn node(&mut self, source: &[Symbol]) -> Result<()> {
        let common = self.last.iter().zip(source).take_while(|(a, b)| a == b).count();
        let descends = common == self.last.len() || source.get(common).is_some_and(|&next| next > self.last[common]);
        if !descends {
            return Err(Error::input("rules are not in the order of their source sides"));
        }
        self.levels.resize_with(self.levels.len().max(source.len() + 2), Level::new);
        for (depth, &symbol) in (1..).zip(source).skip(common) {
            let children = u32::try_from(self.levels[depth + 1].nodes.len());
            let children = children.map_err(|_| Error::limit("too many source sides"))?;
            let level = &mut self.levels[depth];
            level.nodes.push(Node { symbol, children, rules: level.rules });
        }
        self.last.clear();
        self.last.extend_from_slice(source);
        Ok(())
    }

    /// Writes the table to a file, whole or not at all.
    ///
    /// # Errors
    /// What the operating system says; symbols that the vocabularies do not have.
    pub fn write(self, path: impl AsRef<Path>, source: &Vocabulary, target: &Vocabulary) -> Result<()> {
        let mut writer = ContainerWriter::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer, source, target)?;
        writer.finish()
    }

    /// The table in memory.
    ///
    /// # Errors
    /// Symbols that the vocabularies do not have.
    pub fn build(self, source: &Vocabulary, target: &Vocabulary) -> Result<Table> {
        let mut writer = ContainerWriter::in_memory(KIND, VERSION)?;
        self.write_sections(&mut writer, source, target)?;
        let container = Container::from_bytes(&writer.into_bytes()?, Some(KIND), Verify::Full)?;
        Table::from_container(&container, Verify::Full)
    }

    fn write_sections<W: Write + Seek>(
        mut self,
        out: &mut ContainerWriter<W>,
        source: &Vocabulary,
        target: &Vocabulary,
    ) -> Result<()> {
        out.section_bytes("features", self.features.join("\n").as_bytes())?;
        out.section_bytes("categories", self.categories.join("\n").as_bytes())?;
        source.write_sections(out, "source-word")?;
        target.write_sections(out, "target-word")?;
        write_nodes(out, &self.levels)?;
        let lengths = self.levels.iter_mut().map(|level| std::mem::replace(&mut level.lengths, Growing::new(0)));
        write_places(out, lengths)?;
        let mut sides = out.begin::<u8>("sides")?;
        for level in &mut self.levels {
            std::mem::replace(&mut level.sides, Growing::new(0)).each_piece(1, |piece| sides.extend(piece))?;
        }
        sides.end()?;
        let (values, counts): (Vec<_>, Vec<_>) =
            self.levels.into_iter().map(|level| (level.values, level.counts)).unzip();
        let coders = |surveys: Vec<Survey>| surveys.into_iter().map(Survey::coder).collect::<Vec<_>>();
        write_rows(out, "feature", &coders(self.value_surveys), values.into_iter())?;
        if self.counted {
            write_rows(out, "count", &coders(self.count_surveys), counts.into_iter())?;
        }
        Ok(())
    }
}

/// Numbers the nodes and rules level by level.
fn write_nodes<W: Write + Seek>(out: &mut ContainerWriter<W>, levels: &[Level]) -> Result<()> {
    let total: usize = levels.iter().map(|level| level.nodes.len()).sum();
    let total = u32::try_from(total).map_err(|_| Error::limit("too many source sides"))?;
    let mut section = out.begin::<Node>("nodes")?;
    let (mut next_level, mut rules) = (0, 0);
    for level in levels {
        next_level += level.nodes.len() as u32;
        for piece in level.nodes.chunks(1 << 14) {
            let moved = |node: &Node| Node { children: node.children + next_level, rules: node.rules + rules, ..*node };
            section.extend(&piece.iter().map(moved).collect::<Vec<_>>())?;
        }
        rules += level.rules;
    }
    section.extend(&[Node { children: total, rules, ..Node::default() }])?;
    section.end()
}

/// Writes where every [`STRIDE`]th rule begins.
fn write_places<W: Write + Seek>(
    out: &mut ContainerWriter<W>,
    lengths: impl Iterator<Item = Growing<u32>>,
) -> Result<()> {
    let mut section = out.begin::<u64>("places")?;
    let (mut rule, mut place) = (0_usize, 0);
    let mut places = Vec::new();
    for lengths in lengths {
        lengths.each_piece(1, |piece| {
            places.clear();
            for &length in piece {
                if rule.is_multiple_of(STRIDE) {
                    places.push(place);
                }
                rule += 1;
                place += u64::from(length);
            }
            section.extend(&places)
        })?;
    }
    section.end()
}
