//! The part of a chart that is worth a look, as a hypergraph, and the chances of its parts under any level of a grammar.

use super::coarse::{Cells, Mask, power};
use super::grammar::Grammar;
use super::level::Level;
use super::lexicon::Emission;

pub(super) const NONE: u32 = u32::MAX;

/// How a node is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Of a word.
    Word,
    /// Of the same symbol in the lower storey.
    Kept,
    /// By a unary rule.
    Unary(u32),
    /// By a binary rule.
    Binary(u32),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) step: Step,
    pub(super) tails: [u32; 2],
}

/// A symbol over words, in the lower or the upper storey.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) symbol: u32,
    pub(super) begin: u32,
    pub(super) end: u32,
    pub(super) upper: bool,
}

/// Nodes in topological order, each with the edges into it; the last is the root.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) begins: Vec<u32>,
    pub(super) edges: Vec<Edge>,
}

/// Chances of nodes and edges to be in the tree, and the logarithm of how probable the sentence is.
#[derive(Debug, Clone, Default)]
pub(super) struct Chances {
    pub(super) nodes: Vec<f64>,
    pub(super) edges: Vec<f64>,
    pub(super) log: f64,
    /// Whether frequent words had tags they were never seen with.
    pub(super) loose: bool,
}

impl Graph {
    pub(super) fn incoming(&self, node: usize) -> std::ops::Range<usize> {
        self.begins[node] as usize..self.begins[node + 1] as usize
    }

    /// All rules over the symbols of a mask.
    pub(super) fn new(grammar: &Grammar, words: usize, mask: &Mask) -> Option<Self> {
        let outline = grammar.outline();
        let (cells, symbols) = (Cells(words), outline.symbols());
        let mut graph = Self { begins: vec![0], ..Self::default() };
        // The node of each symbol in the upper storey of each cell.
        let mut uppers = vec![NONE; cells.count() * symbols];
        let mut here = vec![NONE; symbols];
        let mut gathered: Vec<Vec<Edge>> = Vec::new();
        for width in 1..=words {
            for begin in 0..=words - width {
                let (end, cell) = (begin + width, cells.at(begin, begin + width));
                let lowers = &mask.lower[cell];
                gathered.clear();
                gathered.resize(lowers.len(), Vec::new());
                for (place, &symbol) in lowers.iter().enumerate() {
                    here[symbol as usize] = place as u32;
                    if width == 1 && outline.is_tag(symbol) {
                        gathered[place].push(Edge { step: Step::Word, tails: [NONE; 2] });
                    }
                }
                for middle in begin + 1..end {
                    let (one, two) = (cells.at(begin, middle), cells.at(middle, end));
                    if lowers.is_empty() || mask.upper[two].is_empty() {
                        continue;
                    }
                    for &left in &mask.upper[one] {
                        let first = uppers[one * symbols + left as usize];
                        if first == NONE {
                            continue;
                        }
                        for rule in outline.with_left(left) {
                            let [_, right, parent] = outline.binary()[rule];
                            let (place, second) = (here[parent as usize], uppers[two * symbols + right as usize]);
                            if place != NONE && second != NONE {
                                let edge = Edge { step: Step::Binary(rule as u32), tails: [first, second] };
                                gathered[place as usize].push(edge);
                            }
                        }
                    }
                }
                let label = |symbol, upper| Node { symbol, begin: begin as u32, end: end as u32, upper };
                for (&symbol, edges) in lowers.iter().zip(&gathered) {
                    here[symbol as usize] = graph.add(label(symbol, false), edges);
                }
                for &symbol in &mask.upper[cell] {
                    let mut edges = Vec::new();
                    if here[symbol as usize] != NONE {
                        edges.push(Edge { step: Step::Kept, tails: [here[symbol as usize], NONE] });
                    }
                    for &child in lowers.iter().filter(|&&child| here[child as usize] != NONE) {
                        for rule in outline.with_child(child) {
                            if outline.unary()[rule][1] == symbol {
                                let tails = [here[child as usize], NONE];
                                edges.push(Edge { step: Step::Unary(rule as u32), tails });
                            }
                        }
                    }
                    uppers[cell * symbols + symbol as usize] = graph.add(label(symbol, true), &edges);
                }
                lowers.iter().for_each(|&symbol| here[symbol as usize] = NONE);
            }
        }
        let root = uppers[cells.at(0, words) * symbols + outline.root() as usize];
        graph.put_last(root).then_some(graph)
    }

    /// Adds a node if something makes it.
    fn add(&mut self, node: Node, edges: &[Edge]) -> u32 {
        if edges.is_empty() {
            return NONE;
        }
        self.nodes.push(node);
        self.edges.extend_from_slice(edges);
        self.begins.push(self.edges.len() as u32);
        self.nodes.len() as u32 - 1
    }

    /// Drops what comes after the root: other symbols over the whole sentence.
    fn put_last(&mut self, root: u32) -> bool {
        if root == NONE {
            return false;
        }
        let edges: Vec<Edge> = self.edges[self.incoming(root as usize)].to_vec();
        let node = self.nodes[root as usize];
        // Symbols of the upper storey over all words are parts of nothing, and come after all others.
        let whole = |other: &Node| other.upper && other.begin == node.begin && other.end == node.end;
        let keep = self.nodes.iter().position(whole).unwrap_or(root as usize);
        self.nodes.truncate(keep);
        self.begins.truncate(keep + 1);
        self.edges.truncate(self.begins[keep] as usize);
        self.add(node, &edges) != NONE
    }

    /// The graph of nodes and edges whose chances are at least as large as a threshold, and which edges these were.
    pub(super) fn pruned(&self, chances: &Chances, threshold: f64) -> (Self, Vec<usize>) {
        let mut graph = Self { begins: vec![0], ..Self::default() };
        let mut numbers = vec![NONE; self.nodes.len()];
        let last = self.nodes.len() - 1;
        let (mut edges, mut survivors) = (Vec::new(), Vec::new());
        for (node, &label) in self.nodes.iter().enumerate() {
            if chances.nodes[node] < threshold && node != last {
                continue;
            }
            edges.clear();
            for number in self.incoming(node).filter(|&number| chances.edges[number] >= threshold) {
                let edge = self.edges[number];
                let tails = edge.tails.map(|tail| if tail == NONE { NONE } else { numbers[tail as usize] });
                if (0..2).all(|place| edge.tails[place] == NONE || tails[place] != NONE) {
                    edges.push(Edge { tails, ..edge });
                    survivors.push(number);
                }
            }
            numbers[node] = graph.add(label, &edges);
        }
        (graph, survivors)
    }

    /// Whether its last node is that of the whole sentence.
    pub(super) fn is_whole(&self, root: u32, words: usize) -> bool {
        let whole = |node: &Node| node.symbol == root && node.upper && node.begin == 0 && node.end as usize == words;
        self.nodes.last().is_some_and(whole)
    }

    /// Chances under a level, or none if the sentence has no tree there.
    pub(super) fn chances(&self, level: &Level, emissions: &[Vec<Emission>]) -> Option<Chances> {
        let places = &level.places;
        let begins = super::level::begins(self.nodes.iter().map(|node| places.of(node.symbol)));
        let size = *begins.last()?;
        let mut run = Run {
            level: Slices { binary: &level.binary, unary: &level.unary, kept: &level.kept },
            places,
            begins,
            inside: vec![0.0; size],
            outside: vec![0.0; size],
            exponents: vec![0; self.nodes.len()],
            row: Vec::new(),
        };
        run.up(self, emissions);
        let last = self.nodes.len() - 1;
        let top: f64 = run.inside[run.begins[last]..].iter().map(|&value| f64::from(value)).sum();
        if top <= 0.0 {
            return None;
        }
        let log = top.ln() + f64::from(run.exponents[last]) * std::f64::consts::LN_2;
        let (nodes, edges) = run.down(self, top);
        Some(Chances { nodes, edges, log, loose: false })
    }
}

struct Slices<'a> {
    binary: &'a [f32],
    unary: &'a [f32],
    kept: &'a [f32],
}

struct Run<'a> {
    level: Slices<'a>,
    places: &'a super::level::Places,
    begins: Vec<usize>,
    inside: Vec<f32>,
    outside: Vec<f32>,
    /// The values of each node are multiples of this power of two.
    exponents: Vec<i32>,
    row: Vec<f32>,
}

impl Run<'_> {
    fn span(&self, node: u32) -> std::ops::Range<usize> {
        self.begins[node as usize]..self.begins[node as usize + 1]
    }

    fn exponent(&self, edge: &Edge) -> i32 {
        edge.tails.iter().filter(|&&tail| tail != NONE).map(|&tail| self.exponents[tail as usize]).sum()
    }

    fn up(&mut self, graph: &Graph, emissions: &[Vec<Emission>]) {
        for (number, node) in graph.nodes.iter().enumerate() {
            let edges = &graph.edges[graph.incoming(number)];
            let base = edges.iter().map(|edge| self.exponent(edge)).max().unwrap_or(0);
            let mut row = std::mem::take(&mut self.row);
            row.clear();
            row.resize(self.places.of(node.symbol), 0.0);
            for edge in edges {
                let factor = power(self.exponent(edge) - base) as f32;
                match edge.step {
                    Step::Word => {
                        let found = emissions[node.begin as usize].iter().find(|(tag, _)| *tag == node.symbol);
                        if let Some((_, values)) = found {
                            row.iter_mut().zip(values).for_each(|(own, value)| *own += value);
                        }
                    }
                    Step::Kept => {
                        let kept = &self.level.kept[self.places.states[node.symbol as usize]..];
                        let below = &self.inside[self.span(edge.tails[0])];
                        row.iter_mut()
                            .zip(below)
                            .zip(kept)
                            .for_each(|((own, value), kept)| *own += value * kept * factor);
                    }
                    Step::Unary(rule) => {
                        let below = &self.inside[self.span(edge.tails[0])];
                        let block = self.level.unary[self.places.unary[rule as usize]..].chunks_exact(row.len());
                        for (value, ps) in below.iter().zip(block) {
                            let value = value * factor;
                            row.iter_mut().zip(ps).for_each(|(own, p)| *own += value * p);
                        }
                    }
                    Step::Binary(rule) => {
                        let (left, right) =
                            (&self.inside[self.span(edge.tails[0])], &self.inside[self.span(edge.tails[1])]);
                        let mut block = self.level.binary[self.places.binary[rule as usize]..].chunks_exact(row.len());
                        for l in left {
                            let l = l * factor;
                            for (r, ps) in right.iter().zip(&mut block) {
                                let both = l * r;
                                row.iter_mut().zip(ps).for_each(|(own, p)| *own += both * p);
                            }
                        }
                    }
                }
            }
            let most = row.iter().copied().fold(0.0, f32::max);
            if most > 0.0 {
                let exponent = most.log2().floor();
                self.exponents[number] = base + exponent as i32;
                // In two steps, as the power itself may be too large for a number that is not.
                let scale = (-exponent / 2.0).exp2();
                let span = self.begins[number]..self.begins[number + 1];
                self.inside[span].iter_mut().zip(&row).for_each(|(to, value)| *to = value * scale * scale);
            } else {
                self.exponents[number] = i32::MIN / 8;
            }
            self.row = row;
        }
    }

    fn down(&mut self, graph: &Graph, top: f64) -> (Vec<f64>, Vec<f64>) {
        let mut nodes = vec![0.0; graph.nodes.len()];
        let mut chances = vec![0.0; graph.edges.len()];
        let last = graph.nodes.len() - 1;
        let root = self.begins[last]..self.begins[last + 1];
        self.outside[root].fill((1.0 / top) as f32);
        let mut outer: Vec<f32> = Vec::new();
        for (number, node) in graph.nodes.iter().enumerate().rev() {
            let span = self.begins[number]..self.begins[number + 1];
            outer.clear();
            // What is around a state that is next to impossible may be too large for a number.
            outer.extend(self.outside[span.clone()].iter().map(|value| value.min(1e30)));
            let chance: f32 = outer.iter().zip(&self.inside[span]).map(|(outer, inside)| outer * inside).sum();
            nodes[number] = f64::from(chance);
            if chance <= 0.0 {
                continue;
            }
            for at in graph.incoming(number) {
                let edge = graph.edges[at];
                let factor = power(self.exponent(&edge) - self.exponents[number]) as f32;
                let chance = match edge.step {
                    Step::Word => chance,
                    Step::Kept => {
                        let kept = &self.level.kept[self.places.states[node.symbol as usize]..];
                        let mut sum = 0.0;
                        for (variant, at) in self.span(edge.tails[0]).enumerate() {
                            let part = outer[variant] * kept[variant] * factor;
                            self.outside[at] += part;
                            sum += part * self.inside[at];
                        }
                        sum
                    }
                    Step::Unary(rule) => {
                        let block = self.level.unary[self.places.unary[rule as usize]..].chunks_exact(outer.len());
                        let mut sum = 0.0;
                        for (at, ps) in self.span(edge.tails[0]).zip(block) {
                            let part = dot(ps, &outer) * factor;
                            self.outside[at] += part;
                            sum += part * self.inside[at];
                        }
                        sum
                    }
                    Step::Binary(rule) => {
                        let mut block =
                            self.level.binary[self.places.binary[rule as usize]..].chunks_exact(outer.len());
                        let mut sum = 0.0;
                        for left in self.span(edge.tails[0]) {
                            let l = self.inside[left] * factor;
                            let mut around = 0.0;
                            for (right, ps) in self.span(edge.tails[1]).zip(&mut block) {
                                let part = dot(ps, &outer);
                                around += part * self.inside[right];
                                self.outside[right] += part * l;
                            }
                            self.outside[left] += around * factor;
                            sum += around * l;
                        }
                        sum
                    }
                };
                chances[at] = f64::from(chance);
            }
        }
        (nodes, chances)
    }
}

#[inline]
fn dot(one: &[f32], two: &[f32]) -> f32 {
    one.iter().zip(two).map(|(a, b)| a * b).sum()
}
