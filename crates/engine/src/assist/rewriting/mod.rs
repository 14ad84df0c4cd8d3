//! Rewrites sentences by their trees: a transducer from forests to outputs, and forests that know which trees yield which.

mod contents;
mod demand;
mod matching;
mod phrases;
mod product;
mod rules;

use hashbrown::HashMap;

pub use contents::{Sequence, Token};
pub use demand::Test;
pub use phrases::Phrases;
pub use product::Output;
pub use rules::Rules;

use crate::syntax::forests::{ConstituentForest, Edge, Node};
use crate::{Error, Result};
use demand::Input;
use product::{PLAIN, Transducer};

/// Outputs, and the forest with its trees told apart by them.
#[derive(Debug, Clone)]
pub struct Rewritten {
    /// The outputs that some tree yields.
    pub outputs: Vec<Output>,
    /// The same trees with the same weights; no edge of the root has trees that differ in what they yield.
    pub forest: ConstituentForest,
    /// For each edge of the root, the outputs that its trees yield.
    pub yields: Vec<Vec<u32>>,
}

impl Rewritten {
    /// For each edge of the root, the logarithm of how probable it is.
    pub fn log_chances(&self) -> Vec<f64> {
        let (forest, inside) = (&self.forest, self.forest.inside());
        let chance = |edge: usize| {
            let below: f64 = forest.children_of(edge).iter().map(|&child| inside[child as usize]).sum();
            forest.edges[edge].score + below - forest.log_inside()
        };
        // The root of what was told apart is on no circle; where nothing was, all edges yield the same anyway.
        forest.edges_of(forest.root).map(chance).collect()
    }
}

/// Rewrites a forest by rules; None if telling its trees apart takes more than `most` edges.
///
/// # Errors
/// The tests are not those that the rules need.
pub fn rewritten(
    rules: &Rules,
    tests: &[Test],
    forest: &ConstituentForest,
    parts: bool,
    most: usize,
) -> Result<Option<Rewritten>> {
    let sizes = tests.iter().all(|test| match test {
        Test::Label(bits) => bits.len() == forest.labels.len(),
        Test::Head(bits) | Test::Word(bits) => bits.len() == forest.words.len(),
    });
    if !sizes || tests.len() < rules.tests() {
        return Err(Error::internal("the tests are not those of the rules"));
    }
    let mut transducer = Transducer::new(Input { rules, tests, forest }, parts, most);
    if !transducer.run() {
        return Ok(None);
    }
    if transducer.variants[forest.root as usize].is_empty() {
        let yields = vec![Vec::new(); forest.edges_of(forest.root).len()];
        return Ok(Some(Rewritten { outputs: Vec::new(), forest: forest.clone(), yields }));
    }
    Builder::new(forest, &transducer).build().map(Some)
}

/// Makes a forest of the nodes that a transducer has found, as far as the root needs them.
struct Builder<'a> {
    forest: &'a ConstituentForest,
    transducer: &'a Transducer<'a>,
    numbers: HashMap<(u32, u32), u32>,
    order: Vec<(u32, u32)>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    children: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn new(forest: &'a ConstituentForest, transducer: &'a Transducer<'a>) -> Self {
        let (nodes, edges, children) = (Vec::new(), Vec::new(), Vec::new());
        Self { forest, transducer, numbers: HashMap::new(), order: Vec::new(), nodes, edges, children }
    }

    fn build(mut self) -> Result<Rewritten> {
        let (forest, transducer) = (self.forest, self.transducer);
        let mut yields = Vec::new();
        // The root comes first, with the edges of all its variants; below it they are nodes of their own.
        let root = &forest.nodes[forest.root as usize];
        self.nodes.push(Node { edges: 0..0, ..root.clone() });
        for &variant in &transducer.variants[forest.root as usize] {
            for (edge, variants) in &transducer.ways[variant as usize] {
                self.edge(0, *edge, variants);
                yields.push(transducer.outputs_of(variant).to_vec());
            }
        }
        self.nodes[0].edges = 0..self.edges.len() as u32;
        let mut at = 0;
        while at < self.order.len() {
            let (node, variant) = self.order[at];
            at += 1;
            let begin = self.edges.len() as u32;
            if variant == PLAIN {
                for edge in forest.edges_of(node) {
                    self.edge(at as u32, edge, &vec![PLAIN; forest.children_of(edge).len()]);
                }
            } else {
                for (edge, variants) in &transducer.ways[variant as usize] {
                    self.edge(at as u32, *edge, variants);
                }
            }
            let end = self.edges.len() as u32;
            self.nodes.push(Node { edges: begin..end, ..forest.nodes[node as usize].clone() });
        }
        let (words, labels) = (forest.words.clone(), forest.labels.clone());
        let forest = ConstituentForest::new(words, labels, self.nodes, self.edges, self.children, 0)?;
        Ok(Rewritten { outputs: transducer.outputs.clone(), forest, yields })
    }

    fn edge(&mut self, node: u32, edge: usize, variants: &[u32]) {
        let begin = self.children.len() as u32;
        for (&child, &variant) in self.forest.children_of(edge).iter().zip(variants) {
            let next = self.order.len() as u32 + 1;
            let number = *self.numbers.entry((child, variant)).or_insert(next);
            if number == next {
                self.order.push((child, variant));
            }
            self.children.push(number);
        }
        let end = self.children.len() as u32;
        self.edges.push(Edge { node, children: begin..end, score: self.forest.edges[edge].score });
    }
}
