//! Writes tables, one rule after another.

use std::io::{Seek, Write};
use std::path::Path;

use bytemuck::Pod;

use super::codebook::{Loss, Survey};
use super::rows::write_rows;
use super::table::{KIND, MOST_ARITY, MOST_SYMBOLS, Node, Rule, STRIDE, Side, Table, VERSION, check_names};
use super::voices::{Said, check_voices, everyone};
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
    /// Of tables with voices: which have each rule, how many have rows of their own, and which.
    masks: Growing<u64>,
    changes: Growing<u8>,
    who: Growing<u8>,
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
            masks: Growing::new(MOST_MEMORY),
            changes: Growing::new(MOST_MEMORY),
            who: Growing::new(MOST_MEMORY),
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
    voices: Vec<String>,
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
            voices: Vec::new(),
            levels: vec![root],
            last: Vec::new(),
            rules: 0,
            side: Vec::new(),
            counted: false,
        })
    }

    /// No rules yet, of a table that speaks for several components, each with these features.
    ///
    /// # Errors
    /// Names that cannot be names; no category, no voice or too many.
    pub fn with_voices(voices: Vec<String>, features: Vec<String>, categories: Vec<String>) -> Result<Self> {
        check_voices(&voices, &features)?;
        Ok(Self { voices, ..Self::new(features, categories)? })
    }

    /// No rules yet, of a table that is like another and has further features.
    ///
    /// # Errors
    /// Names that are taken or cannot be names.
    pub fn like(table: &Table, more: &[String]) -> Result<Self> {
        let features = table.voice_feature_names().iter().chain(more).cloned().collect();
        let categories = table.categories().to_vec();
        match table.voice_names() {
            [] => Self::new(features, categories),
            voices => Self::with_voices(voices.to_vec(), features, categories),
        }
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

    /// Adds a rule, whose source side is not before the last one's. All voices have it.
    ///
    /// # Errors
    /// A rule that breaks the order or that no table can hold.
    pub fn push(&mut self, rule: &Rule<'_>) -> Result<()> {
        if self.voices.is_empty() {
            self.push_said(rule, &Said::default())
        } else {
            self.push_spoken(rule, everyone(self.voices.len()))
        }
    }

    /// Adds a rule that some voices have. Its features are those of all voices, one voice after the other; what is said of
    /// voices that do not have it is not kept.
    ///
    /// # Errors
    /// As [`TableBuilder::push`]; voices that do not exist, or none.
    pub fn push_spoken(&mut self, rule: &Rule<'_>, spoken: u64) -> Result<()> {
        let width = self.features.len();
        if rule.features.len() != width * self.voices.len() {
            let (got, wanted) = (rule.features.len(), width * self.voices.len());
            return Err(Error::input(format!("a rule has {got} features instead of {wanted}")));
        }
        let own = |voice: usize| &rule.features[voice * width..][..width];
        let first = spoken.trailing_zeros() as usize;
        if first >= self.voices.len() {
            return Err(Error::input("a rule has no voice"));
        }
        let speaks = |voice: &usize| spoken >> voice & 1 == 1 && own(*voice) != own(first);
        let who: Vec<u8> = (first..self.voices.len()).filter(speaks).map(|voice| voice as u8).collect();
        let features: Vec<f32> = who.iter().flat_map(|&voice| own(voice.into())).copied().collect();
        let counts = vec![rule.counts; who.len()];
        let said = Said { spoken, who: &who, features: &features, counts: &counts };
        self.push_said(&Rule { features: own(first), ..*rule }, &said)
    }

    /// Adds a rule with what is said of it in general, and what voices say that say something else.
    pub(super) fn push_said(&mut self, rule: &Rule<'_>, said: &Said<'_>) -> Result<()> {
        self.check(rule)?;
        self.check_said(said)?;
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
        level.values.extend(said.features)?;
        level.counts.extend(&rule.counts)?;
        level.counts.extend(said.counts.as_flattened())?;
        if !self.voices.is_empty() {
            level.masks.extend(&[said.spoken])?;
            level.changes.extend(&[said.who.len() as u8])?;
            level.who.extend(said.who)?;
        }
        level.rules += 1;
        self.rules += 1;
        for (column, (survey, &general)) in self.value_surveys.iter_mut().zip(rule.features).enumerate() {
            survey.add(general);
            said.features.iter().skip(column).step_by(self.features.len()).for_each(|&value| survey.add(value));
        }
        for (column, (survey, general)) in self.count_surveys.iter_mut().zip(rule.counts).enumerate() {
            survey.add(general);
            said.counts.iter().for_each(|counts| survey.add(counts[column]));
        }
        self.counted |= rule.counts != [0.0; 3] || said.counts.iter().any(|counts| *counts != [0.0; 3]);
        Ok(())
    }

    /// Adds a rule of another table, whose words and categories are the same, with further features.
    ///
    /// # Errors
    /// As [`TableBuilder::push`].
    pub fn copy(&mut self, table: &Table, rule: u32, source: &[Symbol], more: &[f32]) -> Result<()> {
        let (row, who) = table.said.as_ref().map_or((rule as usize, &[][..]), |said| said.rows(rule));
        let (mut features, mut counts) = (Vec::new(), Vec::new());
        for row in row..=row + who.len() {
            table.values.read(row, &mut features);
            features.extend_from_slice(more);
            counts.push(table.counts.as_ref().map_or([0.0; 3], |rows| [0, 1, 2].map(|column| rows.get(row, column))));
        }
        let (general, own) = features.split_at(self.features.len());
        let said = Said { spoken: table.spoken(rule), who, features: own, counts: &counts[1..] };
        let Side { lhs, target, links } = &table.side(rule);
        let rule = Rule { lhs: *lhs, source, target, features: general, links, counts: counts[0] };
        self.push_said(&rule, &said)
    }

    fn check_said(&self, said: &Said<'_>) -> Result<()> {
        if self.voices.is_empty() {
            return Ok(());
        }
        if said.spoken == 0 || said.spoken & !everyone(self.voices.len()) != 0 {
            return Err(Error::input("a rule has no voice, or one that does not exist"));
        }
        let known = said.who.iter().all(|&voice| u32::from(voice) < u64::BITS && said.spoken >> voice & 1 == 1);
        let fits = said.features.len() == said.who.len() * self.features.len() && said.counts.len() == said.who.len();
        if !known || !fits || !said.who.is_sorted_by(|a, b| a < b) {
            return Err(Error::input("what voices say of a rule does not fit their number"));
        }
        if said.features.iter().chain(said.counts.as_flattened()).any(|value| !value.is_finite()) {
            return Err(Error::input("a feature of a rule is not a finite number"));
        }
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
        write_places(out, "places", lengths, |_| Ok(()))?;
        write_all(out, "sides", self.levels.iter_mut().map(|level| &mut level.sides))?;
        if !self.voices.is_empty() {
            self.write_voices(out)?;
        }
        let (values, counts): (Vec<_>, Vec<_>) =
            self.levels.into_iter().map(|level| (level.values, level.counts)).unzip();
        let coders = |surveys: Vec<Survey>| surveys.into_iter().map(Survey::coder).collect::<Vec<_>>();
        write_rows(out, "feature", &coders(self.value_surveys), values.into_iter())?;
        if self.counted {
            write_rows(out, "count", &coders(self.count_surveys), counts.into_iter())?;
        }
        Ok(())
    }

    fn write_voices<W: Write + Seek>(&mut self, out: &mut ContainerWriter<W>) -> Result<()> {
        out.section_bytes("voices", self.voices.join("\n").as_bytes())?;
        write_all(out, "voice-masks", self.levels.iter_mut().map(|level| &mut level.masks))?;
        write_all(out, "voice-who", self.levels.iter_mut().map(|level| &mut level.who))?;
        let mut all = Growing::new(MOST_MEMORY);
        let changes = self.levels.iter_mut().map(|level| std::mem::replace(&mut level.changes, Growing::new(0)));
        write_places(out, "voice-places", changes, |piece| all.extend(piece))?;
        all.write_section(out, "voice-changes")
    }
}

/// Writes what the levels have of something, one after the other.
fn write_all<'a, T: Pod, W: Write + Seek>(
    out: &mut ContainerWriter<W>,
    name: &str,
    parts: impl Iterator<Item = &'a mut Growing<T>>,
) -> Result<()> {
    let mut section = out.begin::<T>(name)?;
    for part in parts {
        std::mem::replace(part, Growing::new(0)).each_piece(1, |piece| section.extend(piece))?;
    }
    section.end()
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

/// Writes where every [`STRIDE`]th rule begins, given how much there is of each; `each` sees that, too.
fn write_places<T: Pod + Into<u64>, W: Write + Seek>(
    out: &mut ContainerWriter<W>,
    name: &str,
    lengths: impl Iterator<Item = Growing<T>>,
    mut each: impl FnMut(&[T]) -> Result<()>,
) -> Result<()> {
    let mut section = out.begin::<u64>(name)?;
    let (mut rule, mut place) = (0_usize, 0);
    let mut places = Vec::new();
    for lengths in lengths {
        lengths.each_piece(1, |piece| {
            each(piece)?;
            places.clear();
            for &length in piece {
                if rule.is_multiple_of(STRIDE) {
                    places.push(place);
                }
                rule += 1;
                place += length.into();
            }
            section.extend(&places)
        })?;
    }
    section.end()
}
