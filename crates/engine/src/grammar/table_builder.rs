//! Writes tables, one rule after another.

use std::io::{Seek, Write};
use std::path::Path;

use super::Symbol;
use super::table::{KIND, MOST_ARITY, MOST_SYMBOLS, Rule, Table, VERSION, check_names};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, ContainerWriter, Growing, Verify};
use crate::{Error, Result};

/// Bytes of each growing array that stay in memory.
const MOST_MEMORY: usize = 32 << 20;

/// A node of the trie in the order in which rules arrive, which is depth first.
#[derive(Clone, Copy)]
struct Node {
    symbol: Symbol,
    parent: u32,
    depth: u32,
    rules: [u32; 2],
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
/// assert_eq!(table.features(table.rules(node).start), [-0.5]);
/// # Ok::<(), tolka_engine::Error>(())
/// ```
pub struct TableBuilder {
    features: Vec<String>,
    categories: Vec<String>,
    nodes: Vec<Node>,
    /// The nodes from the root to the last source side.
    path: Vec<u32>,
    last: Vec<Symbol>,
    lhs: Growing<u8>,
    target_begins: Growing<u32>,
    targets: Growing<Symbol>,
    link_begins: Growing<u32>,
    links: Growing<[u8; 2]>,
    values: Growing<f32>,
    counts: Growing<f32>,
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
        Ok(Self {
            features,
            categories,
            nodes: vec![Node { symbol: Symbol::word(0), parent: 0, depth: 0, rules: [0; 2] }],
            path: vec![Table::ROOT],
            last: Vec::new(),
            lhs: Growing::new(MOST_MEMORY),
            target_begins: Growing::new(MOST_MEMORY),
            targets: Growing::new(MOST_MEMORY),
            link_begins: Growing::new(MOST_MEMORY),
            links: Growing::new(MOST_MEMORY),
            values: Growing::new(MOST_MEMORY),
            counts: Growing::new(MOST_MEMORY),
            counted: false,
        })
    }

    /// How many rules there are.
    pub fn len(&self) -> u64 {
        self.lhs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lhs.is_empty()
    }

    /// Adds a rule, whose source side is not before the last one's.
    ///
    /// # Errors
    /// A rule that breaks the order or that no table can hold.
    pub fn push(&mut self, rule: &Rule<'_>) -> Result<()> {
        self.check(rule)?;
        let number = u32::try_from(self.lhs.len()).ok().filter(|&number| number < u32::MAX);
        let number = number.ok_or_else(|| Error::limit("more than 4 billion rules in a table"))?;
        let node = self.node(rule.source)?;
        let rules = &mut self.nodes[node as usize].rules;
        if rules[0] == rules[1] {
            rules[0] = number;
        }
        rules[1] = number + 1;
        self.lhs.extend(&[rule.lhs])?;
        self.target_begins.extend(&[start(self.targets.len())?])?;
        self.targets.extend(rule.target)?;
        self.link_begins.extend(&[start(self.links.len())?])?;
        self.links.extend(rule.links)?;
        self.values.extend(rule.features)?;
        self.counts.extend(&rule.counts)?;
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

    /// The node of a source side, made if it is new.
    fn node(&mut self, source: &[Symbol]) -> Result<u32> {
        let common = self.last.iter().zip(source).take_while(|(a, b)| a == b).count();
        let descends = common == self.last.len() || source.get(common).is_some_and(|&next| next > self.last[common]);
        if !descends {
            return Err(Error::input("rules are not in the order of their source sides"));
        }
        self.path.truncate(common + 1);
        for &symbol in &source[common..] {
            let parent = self.path[self.path.len() - 1];
            let node = u32::try_from(self.nodes.len()).map_err(|_| Error::limit("too many source sides"))?;
            self.nodes.push(Node { symbol, parent, depth: self.path.len() as u32, rules: [0; 2] });
            self.path.push(node);
        }
        self.last.clear();
        self.last.extend_from_slice(source);
        Ok(self.path[self.path.len() - 1])
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
        write_trie(out, &self.nodes)?;
        self.target_begins.extend(&[start(self.targets.len())?])?;
        self.link_begins.extend(&[start(self.links.len())?])?;
        self.lhs.write_section(out, "lhs")?;
        self.target_begins.write_section(out, "target-begins")?;
        self.targets.write_section(out, "targets")?;
        self.link_begins.write_section(out, "link-begins")?;
        self.links.write_section(out, "links")?;
        self.values.write_section(out, "values")?;
        let counts = if self.counted { self.counts } else { Growing::new(0) };
        counts.write_section(out, "counts")
    }
}

fn start(length: u64) -> Result<u32> {
    u32::try_from(length).map_err(|_| Error::limit("the rules of a table have more than 4 billion symbols"))
}

/// Numbers the nodes breadth first: by depth, and within a depth in the order they arrived, which is that of their
/// parents and then of their symbols.
fn write_trie<W: Write + Seek>(out: &mut ContainerWriter<W>, nodes: &[Node]) -> Result<()> {
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_by_key(|&node| nodes[node as usize].depth);
    let mut new = vec![0_u32; nodes.len()];
    for (at, &node) in order.iter().enumerate() {
        new[node as usize] = at as u32;
    }
    let mut children = vec![0_u32; nodes.len() + 1];
    for node in &nodes[1..] {
        children[new[node.parent as usize] as usize + 1] += 1;
    }
    children[0] = 1;
    for at in 1..children.len() {
        children[at] += children[at - 1];
    }
    let arranged =
        |field: fn(&Node) -> Symbol| -> Vec<Symbol> { order.iter().map(|&n| field(&nodes[n as usize])).collect() };
    out.section("node-children", &children)?;
    out.section("node-symbols", &arranged(|node| node.symbol))?;
    let parents: Vec<u32> = order.iter().map(|&n| new[nodes[n as usize].parent as usize]).collect();
    out.section("node-parents", &parents)?;
    let rules: Vec<[u32; 2]> = order.iter().map(|&n| nodes[n as usize].rules).collect();
    out.section("node-rules", &rules)?;
    let owners: Vec<u32> =
        (0..nodes.len()).filter(|&n| nodes[n].rules[0] < nodes[n].rules[1]).map(|n| new[n]).collect();
    out.section("owners", &owners)
}
