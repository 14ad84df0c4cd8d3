//! The rules of a growing text as a source: they are found when a sentence begins, and remembered by each thread.
//!
//! What a sentence asks for is known from its words; what was asked for before is not looked for again. Sentence pairs in
//! which rules are found are taken apart each time, so that several sentences at once take less work than one by one.
//! Rules stand in a trie that grows. When it has become too large it is forgotten, and so is all that was answered.

use hashbrown::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_128;

use super::extract::Rules;
use super::queries::{Core, NONE, Queries, queries};
use super::side::END;
use crate::corpus::vocabulary::Vocabulary;
use crate::grammar::score::Sink;
use crate::grammar::source::{Asked, RuleList, RuleSource, Scope, Walk};
use crate::grammar::{Rule, Symbol};
use crate::{Error, Result};

/// Symbols and features of rules that a thread remembers.
const MOST_REMEMBERED: usize = 16 << 20;

impl RuleSource for Rules {
    fn feature_names(&self) -> &[String] {
        self.feature_names()
    }

    fn categories(&self) -> &[String] {
        self.categories()
    }

    fn source_words(&self) -> &Vocabulary {
        self.index().words(0)
    }

    fn target_words(&self) -> &Vocabulary {
        self.index().words(1)
    }

    fn looks_ahead(&self) -> bool {
        true
    }

    fn walk(&self) -> Box<dyn Walk + '_> {
        Box::new(SuffixWalk::new(self, MOST_REMEMBERED))
    }
}

/// A thread's walk.
pub(super) struct SuffixWalk<'r> {
    rules: &'r Rules,
    /// What is remembered at most.
    most: usize,
    /// Where the work of a sentence is done, on this thread's core alone: sentences are what is parallel.
    pool: Option<rayon::ThreadPool>,
    trie: Trie,
    /// Cores that were looked for, and which source sides with them.
    asked: HashMap<u128, u16>,
    /// Sentences whose rules are all known.
    ready: HashSet<u128>,
}

impl<'r> SuffixWalk<'r> {
    /// Nothing is known yet.
    pub(super) fn new(rules: &'r Rules, most: usize) -> Self {
        let trie = Trie::new(rules.feature_names().len());
        Self { rules, most, pool: None, trie, asked: HashMap::new(), ready: HashSet::new() }
    }

    /// Finds the rules of sentences that are not known yet.
    fn find(&mut self, sentences: &[Vec<u32>], span: usize) -> Result<()> {
        let (rules, trie, asked) = (self.rules, &mut self.trie, &mut self.asked);
        let settings = rules.settings();
        let sources: HashSet<u32> = sentences.iter().flatten().copied().collect();
        let work = || {
            let mut new = queries(rules.index(), sentences, &settings.extract, span, settings.samples);
            let Queries { chunks, cores } = &mut new;
            let mut key: Vec<u32> = Vec::new();
            cores.retain_mut(|core: &mut Core| {
                key.clear();
                for &chunk in core.chunks.iter().filter(|&&chunk| chunk != NONE) {
                    key.extend_from_slice(chunks.words(chunk));
                    key.push(END);
                }
                let before = asked.entry(hash(&key)).or_default();
                let wanted = core.wanted & !*before;
                *before |= wanted;
                core.wanted = wanted;
                wanted != 0
            });
            rules.find(&new, &sources, trie)
        };
        if self.pool.is_none() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let failed = |error| Error::settings(format!("a thread could not be started: {error}"));
            self.pool = Some(pool.map_err(failed)?);
        }
        let found = self.pool.as_ref().map_or(Ok(()), |pool| pool.install(work));
        if found.is_ok() {
            self.ready.extend(sentences.iter().map(|sentence| hash(sentence)));
        }
        found
    }
}

fn hash(words: &[u32]) -> u128 {
    xxh3_128(bytemuck::cast_slice(words))
}

fn ids(words: &[Option<u32>]) -> Vec<u32> {
    words.iter().map(|word| word.unwrap_or(END)).collect()
}

impl Walk for SuffixWalk<'_> {
    fn expect(&mut self, sentences: &[Asked<'_>]) -> Result<()> {
        let known: Vec<Vec<u32>> = sentences.iter().filter(|one| one.ordered).map(|one| ids(one.words)).collect();
        sentences.first().map_or(Ok(()), |first| self.find(&known, first.span))
    }

    fn begin(&mut self, Asked { words, ordered, span }: Asked<'_>) -> Result<Scope> {
        if !ordered {
            return Err(Error::input("rules that are found on demand are those of sentences, not of lattices")
                .hint("translate lattices with a model that has a table"));
        }
        let mut scope = Scope::Model;
        if self.trie.size() > self.most {
            self.trie.clear();
            self.asked.clear();
            self.ready.clear();
            scope = Scope::Sentence;
        }
        let sentence = ids(words);
        if !self.ready.contains(&hash(&sentence)) {
            self.find(&[sentence], span)?;
        }
        Ok(scope)
    }

    fn root(&self) -> u32 {
        Trie::ROOT
    }

    fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        self.trie.children.get(&(state, symbol)).copied()
    }

    fn continues(&self, state: u32) -> bool {
        self.trie.nodes[state as usize].continues
    }

    fn has_rules(&self, state: u32) -> bool {
        let [begin, end] = self.trie.nodes[state as usize].rules;
        begin < end
    }

    fn rules(&mut self, state: u32, _arity: usize, weights: &[f32], out: &mut RuleList) {
        let [begin, end] = self.trie.nodes[state as usize].rules;
        for rule in begin..end {
            let (found, features) = (&self.trie.rules[rule as usize], self.trie.features(rule));
            let read = |target: &mut Vec<Symbol>| {
                target.extend_from_slice(&self.trie.symbols[found.target[0] as usize..found.target[1] as usize]);
                Some((rule, found.lhs))
            };
            out.push(read, |_| features.iter().zip(weights).map(|(value, weight)| value * weight).sum());
        }
    }

    fn feature(&self, rule: u32, column: usize) -> f32 {
        self.trie.features(rule)[column]
    }

    fn source(&self, rule: u32, source: &mut Vec<Symbol>) {
        let start = source.len();
        let mut node = self.trie.rules[rule as usize].node;
        while node != Trie::ROOT {
            source.push(self.trie.nodes[node as usize].symbol);
            node = self.trie.nodes[node as usize].parent;
        }
        source[start..].reverse();
    }

    fn links(&self, rule: u32) -> Vec<[u8; 2]> {
        let [begin, end] = self.trie.rules[rule as usize].links;
        self.trie.links[begin as usize..end as usize].to_vec()
    }
}

/// Rules by their source sides, in memory.
#[derive(Debug)]
struct Trie {
    width: usize,
    nodes: Vec<Node>,
    children: HashMap<(u32, Symbol), u32>,
    rules: Vec<Found>,
    symbols: Vec<Symbol>,
    links: Vec<[u8; 2]>,
    features: Vec<f32>,
    /// The source side of the last rule, and its node.
    last: (Vec<Symbol>, u32),
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    symbol: Symbol,
    rules: [u32; 2],
    continues: bool,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    node: u32,
    lhs: u8,
    target: [u32; 2],
    links: [u32; 2],
}

impl Trie {
    const ROOT: u32 = 0;

    fn new(width: usize) -> Self {
        let mut made = Self {
            width,
            nodes: Vec::new(),
            children: HashMap::new(),
            rules: Vec::new(),
            symbols: Vec::new(),
            links: Vec::new(),
            features: Vec::new(),
            last: (Vec::new(), Self::ROOT),
        };
        made.clear();
        made
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.children.clear();
        self.rules.clear();
        self.symbols.clear();
        self.links.clear();
        self.features.clear();
        self.last = (Vec::new(), Self::ROOT);
        self.nodes.push(Node { parent: Self::ROOT, symbol: Symbol::word(END), rules: [0; 2], continues: false });
    }

    /// What is remembered: symbols, features and nodes.
    fn size(&self) -> usize {
        self.symbols.len() + self.features.len() + 4 * self.nodes.len()
    }

    fn features(&self, rule: u32) -> &[f32] {
        &self.features[rule as usize * self.width..][..self.width]
    }

    /// The node of a source side, new if it was not there.
    fn node(&mut self, source: &[Symbol]) -> u32 {
        let mut node = Self::ROOT;
        for &symbol in source {
            let next = self.nodes.len() as u32;
            let child = *self.children.entry((node, symbol)).or_insert(next);
            if child == next {
                self.nodes[node as usize].continues = true;
                self.nodes.push(Node { parent: node, symbol, rules: [0; 2], continues: false });
            }
            node = child;
        }
        node
    }
}

/// The rules of a source side come one after another.
impl Sink for &mut Trie {
    fn take(&mut self, rule: &Rule<'_>) -> Result<()> {
        let number = u32::try_from(self.rules.len()).map_err(|_| Error::limit("more than 4 billion rules"))?;
        if self.last.0 != rule.source {
            self.last.1 = self.node(rule.source);
            self.last.0.clear();
            self.last.0.extend_from_slice(rule.source);
            self.nodes[self.last.1 as usize].rules = [number; 2];
        }
        let node = self.last.1;
        self.nodes[node as usize].rules[1] = number + 1;
        let (target, links) = (self.symbols.len() as u32, self.links.len() as u32);
        self.symbols.extend_from_slice(rule.target);
        self.links.extend_from_slice(rule.links);
        self.features.extend_from_slice(rule.features);
        self.rules.push(Found {
            node,
            lhs: rule.lhs,
            target: [target, self.symbols.len() as u32],
            links: [links, self.links.len() as u32],
        });
        Ok(())
    }
}
