//! Where the hypotheses of a sentence live: a hypergraph that keeps its memory, and arrays beside it.

use std::ops::Range;

use crate::forest::{Hypergraph, NO_NODE};
use crate::lm::state::Fragment;

/// No hypothesis: the tail that is not there.
pub const NONE: u32 = NO_NODE;
/// No group.
pub const NO_GROUP: u32 = u32::MAX;

/// Hypotheses of one category in one cell, best first.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Their category.
    pub category: u8,
    /// All of them, and those that may still be nested, as ranges of the sorted list.
    all: [u32; 2],
    inner: [u32; 2],
}

/// A way to make a hypothesis (a hyperedge).
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The option used.
    pub option: u32,
    /// The hypotheses in its gaps.
    pub tails: [u32; 2],
    /// The score of the whole, its gaps' included.
    pub score: f32,
    /// The score of the input's arcs that its words come from.
    pub input: f32,
}

/// What the hypergraph keeps of a way beside its tails.
#[derive(Debug, Clone, Copy)]
struct Made {
    option: u32,
    score: f32,
    input: f32,
}

impl From<Way> for Made {
    fn from(Way { option, score, input, .. }: Way) -> Self {
        Self { option, score, input }
    }
}

/// A hypothesis (a node); the ways to it and its language model states are beside it.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis {
    /// Its best score.
    pub score: f32,
    /// Its category.
    pub category: u8,
    /// How deep rules with gaps are nested in it.
    pub depth: u8,
    /// The positions it covers.
    pub span: [u32; 2],
}

/// All hypotheses of a sentence. Those that a hypothesis is made of come before it.
#[derive(Debug)]
pub struct Arena {
    lms: usize,
    graph: Graph,
    states: Vec<Fragment>,
    /// For each way what it adds to log10 of the language models' probabilities.
    lm: Vec<f32>,
    sorted: Vec<u32>,
    groups: Vec<Group>,
}

/// Hypotheses and ways; the best way to a hypothesis is the first.
type Graph = Hypergraph<Hypothesis, Made>;

impl Arena {
    /// Room for hypotheses with this many language model states each.
    pub fn new(lms: usize) -> Self {
        Self { lms, graph: Graph::new(), states: Vec::new(), lm: Vec::new(), sorted: Vec::new(), groups: Vec::new() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.graph.clear();
        self.states.clear();
        self.lm.clear();
        self.sorted.clear();
        self.groups.clear();
    }

    /// How many language model states a hypothesis has.
    #[inline]
    pub fn lms(&self) -> usize {
        self.lms
    }

    /// Bytes of a hypothesis with one way to it and this many language model states.
    pub fn hypothesis_bytes(lms: usize) -> usize {
        let states = lms * (size_of::<Fragment>() + size_of::<f32>());
        Graph::NODE_BYTES + Graph::EDGE_BYTES + size_of::<u32>() + states
    }

    /// Bytes of all that is kept.
    pub fn bytes(&self) -> usize {
        let hypothesis = size_of::<u32>() + self.lms * size_of::<Fragment>();
        self.graph.bytes() + self.graph.nodes() * hypothesis + size_of_val(&self.lm[..])
    }

    /// The hypergraph of hypotheses and ways.
    pub fn graph(&self) -> &Hypergraph<Hypothesis, impl Copy> {
        &self.graph
    }

    /// How many hypotheses there are.
    #[inline]
    pub fn hypotheses(&self) -> u32 {
        self.graph.nodes() as u32
    }

    /// A hypothesis.
    #[inline]
    pub fn get(&self, hypothesis: u32) -> &Hypothesis {
        self.graph.node(hypothesis)
    }

    /// The states of a hypothesis, one for each language model.
    #[inline]
    pub fn states(&self, hypothesis: u32) -> &[Fragment] {
        &self.states[hypothesis as usize * self.lms..][..self.lms]
    }

    /// A way.
    #[inline]
    pub fn way(&self, way: u32) -> Way {
        let &Made { option, score, input } = self.graph.edge(way);
        Way { option, tails: self.graph.tails(way), score, input }
    }

    /// The best way to a hypothesis.
    pub fn best(&self, hypothesis: u32) -> Option<Way> {
        self.graph.first(hypothesis).map(|way| self.way(way))
    }

    /// What a way adds to log10 of the language models' probabilities.
    pub fn lm(&self, way: u32) -> &[f32] {
        &self.lm[way as usize * self.lms..][..self.lms]
    }

    /// The ways to a hypothesis, the best one first.
    pub fn ways(&self, hypothesis: u32) -> impl Iterator<Item = u32> + '_ {
        self.graph.incoming(hypothesis)
    }

    /// Adds a hypothesis with one way to it.
    pub fn push(
        &mut self,
        (category, depth): (u8, u8),
        span: [u32; 2],
        way: Way,
        lm: &[f32],
        states: &[Fragment],
    ) -> u32 {
        let hypothesis = self.graph.add_node(Hypothesis { score: way.score, category, depth, span });
        self.graph.add_edge(hypothesis, way.tails, way.into());
        self.lm.extend_from_slice(lm);
        self.states.extend_from_slice(states);
        hypothesis
    }

    /// Adds a way to a hypothesis; unless all ways are kept, only a better one replaces what there is.
    pub fn add_way(&mut self, hypothesis: u32, way: Way, lm: &[f32], keep: bool) {
        let better = way.score > self.get(hypothesis).score;
        if better {
            self.graph.node_mut(hypothesis).score = way.score;
        }
        let Some(at) = self.graph.offer(hypothesis, way.tails, way.into(), better, keep) else { return };
        match self.lm.get_mut(at as usize * self.lms..(at as usize + 1) * self.lms) {
            Some(replaced) => replaced.copy_from_slice(lm),
            None => self.lm.extend_from_slice(lm),
        }
    }

    /// Says what the score and the states of a hypothesis are.
    pub fn settle(&mut self, hypothesis: u32, score: f32, states: &[Fragment]) {
        self.graph.node_mut(hypothesis).score = score;
        self.states[hypothesis as usize * self.lms..][..self.lms].copy_from_slice(states);
    }

    /// Makes groups of the hypotheses from `first` on, by category, best first. Those at least `depth` deep may not be
    /// nested again.
    pub fn group_from(&mut self, first: u32, depth: u8) -> Range<u32> {
        let begin = self.groups.len() as u32;
        let start = self.sorted.len();
        let graph = &self.graph;
        self.sorted.extend(first..graph.nodes() as u32);
        self.sorted[start..].sort_unstable_by(|&a, &b| {
            let (one, other) = (graph.node(a), graph.node(b));
            one.category.cmp(&other.category).then(other.score.total_cmp(&one.score)).then(a.cmp(&b))
        });
        let end = self.sorted.len();
        let mut at = start;
        while at < end {
            let category = graph.node(self.sorted[at]).category;
            let size = self.sorted[at..end].partition_point(|&h| graph.node(h).category == category);
            let all = [at as u32, (at + size) as u32];
            at += size;
            let nested = |h: &u32| graph.node(*h).depth < depth;
            let inner = if depth == u8::MAX || self.sorted[all[0] as usize..all[1] as usize].iter().all(nested) {
                all
            } else {
                let from = self.sorted.len() as u32;
                let few: Vec<u32> =
                    self.sorted[all[0] as usize..all[1] as usize].iter().copied().filter(nested).collect();
                self.sorted.extend(few);
                [from, self.sorted.len() as u32]
            };
            self.groups.push(Group { category, all, inner });
        }
        begin..self.groups.len() as u32
    }

    /// The category of a group.
    pub fn category(&self, group: u32) -> u8 {
        self.groups[group as usize].category
    }

    /// All hypotheses of a group, as places in the sorted list.
    pub fn all(&self, group: u32) -> Range<u32> {
        let [begin, end] = self.groups[group as usize].all;
        begin..end
    }

    /// The hypotheses of a group that may be nested.
    pub fn inner(&self, group: u32) -> Range<u32> {
        let [begin, end] = self.groups[group as usize].inner;
        begin..end
    }

    /// The hypothesis at a place of the sorted list.
    #[inline]
    pub fn sorted(&self, place: u32) -> u32 {
        self.sorted[place as usize]
    }
}
