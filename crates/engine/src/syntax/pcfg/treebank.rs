//! Binarised trees to learn from, as flat arrays, and the rules and words that are in them.

use std::sync::Arc;

use hashbrown::HashMap;

use super::lexicon::{FREQUENT, RARE, Seen};
use super::outline::Outline;
use super::signature::signatures;
use crate::{Error, Result};

/// What a node is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// A tag over a word: the number of their meeting.
    Word(u32),
    /// A unary rule over the node before.
    Unary(u32),
    /// A binary rule over two nodes, of which the second is the one before.
    Binary(u32, [u32; 2]),
}

/// A node of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub symbol: u32,
    pub made: Made,
}

/// A tag that meets a word, and what is known of the word.
#[derive(Debug, Clone)]
pub(super) struct Meeting {
    pub tag: u32,
    pub word: u32,
    /// The entry of word and tag.
    pub entry: usize,
    /// Signatures of the word, none if it is frequent.
    pub forms: Vec<u32>,
    /// Entries of those and the tag that this word adds to.
    pub form_entries: Vec<usize>,
}

/// Trees with their symbols and rules numbered.
#[derive(Debug)]
pub struct Treebank {
    pub(super) outline: Arc<Outline>,
    pub(super) words: Arc<Seen>,
    pub(super) forms: Arc<Seen>,
    pub(super) meetings: Vec<Meeting>,
    /// Nodes of all trees, children first, and where each tree begins, with an end.
    pub(super) nodes: Vec<Node>,
    pub(super) begins: Vec<usize>,
}

/// Trees as they come: for each node its symbol, how many parts it has, and its word or chain.
#[derive(Debug, Clone)]
pub struct Trees<'a> {
    /// Names of symbols.
    pub names: Vec<String>,
    /// Their kinds.
    pub kinds: Vec<u8>,
    /// Names of chains.
    pub chains: Vec<String>,
    /// The symbol of whole sentences.
    pub root: u32,
    /// The words, each once.
    pub words: Vec<String>,
    /// Where each tree begins, and an end.
    pub begins: &'a [u64],
    /// The nodes' symbols, children first.
    pub symbols: &'a [u32],
    /// How many parts they have.
    pub arities: &'a [u8],
    /// Their words or chains.
    pub payloads: &'a [u32],
}

impl Trees<'_> {
    fn check(&self) -> Result<()> {
        let nodes = self.symbols.len();
        let ends = (self.begins.first(), self.begins.last()) == (Some(&0), Some(&(nodes as u64)));
        if self.arities.len() != nodes || self.payloads.len() != nodes || !ends || !self.begins.is_sorted() {
            return Err(Error::input("the arrays of the trees do not fit each other"));
        }
        if self.symbols.iter().any(|&symbol| symbol as usize >= self.names.len().min(self.kinds.len())) {
            return Err(Error::input("a node of a tree has an unknown symbol"));
        }
        Ok(())
    }

    /// Calls `visit` for each node with its number, its place among its tree's words and the symbols and numbers of its parts.
    fn walk(&self, mut visit: impl FnMut(usize, usize, &[(u32, usize)]) -> Result<()>) -> Result<()> {
        for (tree, pair) in self.begins.windows(2).enumerate() {
            let mut stack: Vec<(u32, usize)> = Vec::new();
            let mut place = 0;
            for node in pair[0] as usize..pair[1] as usize {
                let arity = usize::from(self.arities[node]);
                let Some(rest) = stack.len().checked_sub(arity).filter(|_| arity <= 2) else {
                    return Err(Error::input(format!("tree {} is no tree", tree + 1)));
                };
                let single = arity == 1 && self.arities[stack[rest].1] == 1;
                if single || (arity == 0) != (self.kinds[self.symbols[node] as usize] == 0) {
                    return Err(Error::input(format!("tree {} is not binarised", tree + 1)));
                }
                visit(node, place, &stack[rest..])?;
                place += usize::from(arity == 0);
                stack.truncate(rest);
                stack.push((self.symbols[node], node));
            }
            if stack.len() != 1 || stack[0].0 != self.root {
                return Err(Error::input(format!("tree {} has no root", tree + 1)));
            }
        }
        Ok(())
    }
}

impl Treebank {
    /// Numbers the rules of trees.
    ///
    /// # Errors
    /// Trees that are none, or not binarised.
    pub fn new(trees: Trees<'_>) -> Result<Self> {
        trees.check()?;
        let (mut binary, mut unary) = (Vec::new(), Vec::new());
        let mut counts = vec![0_u32; trees.words.len()];
        trees.walk(|node, _, parts| {
            let (parent, payload) = (trees.symbols[node], trees.payloads[node]);
            match *parts {
                [(left, _), (right, _)] => binary.push([left, right, parent]),
                [(child, _)] => unary.push([child, parent, payload]),
                _ => {
                    let count = counts.get_mut(payload as usize);
                    *count.ok_or_else(|| Error::input("a node of a tree has an unknown word"))? += 1;
                }
            }
            Ok(())
        })?;
        for rules in [&mut binary, &mut unary] {
            rules.sort_unstable();
            rules.dedup();
        }
        let mut words: Gathered = Gathered::with(trees.words.clone());
        let mut forms = Gathered::default();
        let mut nodes: Vec<Node> = Vec::with_capacity(trees.symbols.len());
        let mut found: HashMap<(u32, u32, bool), u32> = HashMap::new();
        let mut meetings: Vec<(u32, u32, Vec<String>, usize)> = Vec::new();
        trees.walk(|node, place, parts| {
            let (symbol, payload) = (trees.symbols[node], trees.payloads[node]);
            let number = |rules: &[[u32; 3]], rule| rules.binary_search(&rule).map_or(u32::MAX, |at| at as u32);
            let made = match *parts {
                [(left, one), (right, two)] => {
                    Made::Binary(number(&binary, [left, right, symbol]), [one as u32, two as u32])
                }
                [(child, _)] => Made::Unary(number(&unary, [child, symbol, payload])),
                _ => {
                    let count = counts[payload as usize];
                    let rare = count <= RARE;
                    let meeting = *found.entry((payload, symbol, place == 0)).or_insert_with(|| {
                        let text = &trees.words[payload as usize];
                        let forms = if count as f32 > FREQUENT { Vec::new() } else { signatures(text, place == 0) };
                        meetings.push((symbol, payload, forms, if rare { 1 } else { 0 }));
                        meetings.len() as u32 - 1
                    });
                    Made::Word(meeting)
                }
            };
            nodes.push(Node { symbol, made });
            Ok(())
        })?;
        for (tag, word, texts, rare) in &meetings {
            words.add_number(*word, *tag);
            if *rare == 1 {
                texts.iter().for_each(|text| forms.add(text, *tag));
            }
        }
        let symbols = trees.names.len();
        let (words, forms) = (Arc::new(words.seen(symbols)?), Arc::new(forms.seen(symbols)?));
        let entry = |seen: &Seen, number, tag| {
            seen.entry(number, tag).ok_or_else(|| Error::internal("a word is not with its tags"))
        };
        let meetings: Result<Vec<Meeting>> = meetings
            .into_iter()
            .map(|(tag, word, texts, rare)| {
                let known: Vec<u32> = texts.iter().filter_map(|text| forms.find(text)).collect();
                let form_entries: Result<_> = if rare == 1 {
                    known.iter().map(|&form| entry(&forms, form, tag)).collect()
                } else {
                    Ok(Vec::new())
                };
                Ok(Meeting { tag, word, entry: entry(&words, word, tag)?, forms: known, form_entries: form_entries? })
            })
            .collect();
        let outline = Outline::new(trees.names, trees.kinds, trees.chains, trees.root, binary.into(), unary.into())?;
        let begins = trees.begins.iter().map(|&begin| begin as usize).collect();
        Ok(Self { outline: Arc::new(outline), words, forms, meetings: meetings?, nodes, begins })
    }

    /// How many trees there are.
    pub fn len(&self) -> usize {
        self.begins.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes of a tree, with the number of the first.
    pub(super) fn tree(&self, number: usize) -> (&[Node], usize) {
        (&self.nodes[self.begins[number]..self.begins[number + 1]], self.begins[number])
    }
}

/// Strings with tags, in the making.
#[derive(Debug, Default)]
struct Gathered {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    tags: Vec<Vec<u32>>,
}

impl Gathered {
    fn with(texts: Vec<String>) -> Self {
        let tags = vec![Vec::new(); texts.len()];
        Self { numbers: texts.iter().cloned().zip(0..).collect(), texts, tags }
    }

    fn add(&mut self, text: &str, tag: u32) {
        let number = match self.numbers.get(text) {
            Some(&number) => number,
            None => {
                self.texts.push(text.to_owned());
                self.tags.push(Vec::new());
                self.numbers.insert(text.to_owned(), self.texts.len() as u32 - 1);
                self.texts.len() as u32 - 1
            }
        };
        self.add_number(number, tag);
    }

    fn add_number(&mut self, number: u32, tag: u32) {
        let tags = &mut self.tags[number as usize];
        if let Err(at) = tags.binary_search(&tag) {
            tags.insert(at, tag);
        }
    }

    fn seen(self, symbols: usize) -> Result<Seen> {
        let begins = super::level::begins(self.tags.iter().map(Vec::len)).into_iter().map(|at| at as u32).collect();
        Seen::new(self.texts, begins, self.tags.concat(), symbols)
    }
}
