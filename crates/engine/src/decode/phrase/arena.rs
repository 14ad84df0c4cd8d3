//! Where the hypotheses of a sentence live: a hypergraph that keeps its memory, and arrays beside it.

use std::ops::Range;

use super::choices::Choices;
use super::coverage::Coverage;
use crate::forest::Hypergraph;

/// No hypothesis, no step.
pub const NONE: u32 = u32::MAX;

/// A way to make a hypothesis (a hyperedge with one tail).
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The translation that comes last.
    pub choice: u32,
    /// The hypothesis before it.
    pub tail: u32,
    /// What language models say of the words of the translation.
    pub step: u32,
    /// The score of the whole.
    pub score: f32,
}

/// What the hypergraph keeps of a way beside its tail.
#[derive(Debug, Clone, Copy)]
struct Made {
    choice: u32,
    step: u32,
    score: f32,
}

impl From<Way> for Made {
    fn from(Way { choice, step, score, .. }: Way) -> Self {
        Self { choice, step, score }
    }
}

/// A hypothesis (a node): the beginning of a translation.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis {
    /// Its best score.
    pub score: f32,
    /// The state of the language models.
    pub state: u32,
    /// How its last phrase reorders what comes next.
    pub next: u32,
    /// Its target while its stack is filled, then its group.
    pub group: u32,
}

/// What hypotheses must share to be told apart only by their last words.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The words translated.
    pub coverage: Coverage,
    /// Where the last phrase begins, if that matters, and where it ends.
    pub begin: u32,
    pub end: u32,
    /// What is still to come is estimated to score this.
    pub future: f32,
}

/// Hypotheses of a stack that have translated the same words.
#[derive(Debug, Clone, Copy)]
pub struct Covering {
    /// The words.
    pub coverage: Coverage,
    groups: [u32; 2],
}

/// Hypotheses that have translated the same words and from which the same jumps lead on.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Where the last phrase begins, if that matters, and where it ends.
    pub begin: u32,
    pub end: u32,
    /// Places in the sorted list: one list after the other for each order, best first.
    pub start: u32,
    pub count: u32,
}

/// All hypotheses of a sentence, by the number of words translated.
#[derive(Debug, Default)]
pub struct Arena {
    /// Hypotheses and ways; the best way to a hypothesis is the first, and there is none to the empty one.
    graph: Hypergraph<Hypothesis, Made, 1>,
    sorted: Vec<(f32, u32)>,
    groups: Vec<Group>,
    coverings: Vec<Covering>,
    /// For each stack its coverings.
    stacks: Vec<[u32; 2]>,
    /// Estimates of the hypotheses of the stack that is being closed.
    ranked: Vec<(f32, u32)>,
}

impl Arena {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.graph.clear();
        self.sorted.clear();
        self.groups.clear();
        self.coverings.clear();
        self.stacks.clear();
    }

    /// Bytes of all that is kept.
    pub fn bytes(&self) -> usize {
        let sorted = self.sorted.len() * size_of::<(f32, u32)>() + self.groups.len() * size_of::<Group>();
        self.graph.bytes() + sorted
    }

    /// The hypergraph of hypotheses and ways.
    pub fn graph(&self) -> &Hypergraph<Hypothesis, impl Copy, 1> {
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

    /// A way.
    #[inline]
    pub fn way(&self, way: u32) -> Way {
        let &Made { choice, step, score } = self.graph.edge(way);
        let [tail] = self.graph.tails(way);
        Way { choice, tail, step, score }
    }

    /// The best way to a hypothesis; none to the empty one.
    pub fn best(&self, hypothesis: u32) -> Option<Way> {
        self.graph.first(hypothesis).map(|way| self.way(way))
    }

    /// The ways to a hypothesis, the best one first.
    pub fn ways(&self, hypothesis: u32) -> impl Iterator<Item = u32> + '_ {
        self.graph.incoming(hypothesis)
    }

    /// The coverings of a stack.
    pub fn stack(&self, words: usize) -> &[Covering] {
        let [begin, end] = self.stacks[words];
        &self.coverings[begin as usize..end as usize]
    }

    /// The groups of a covering.
    #[inline]
    pub fn groups(&self, covering: &Covering) -> &[Group] {
        &self.groups[covering.groups[0] as usize..covering.groups[1] as usize]
    }

    /// The group of a hypothesis whose stack is complete and kept it.
    pub fn group(&self, hypothesis: u32) -> &Group {
        &self.groups[self.get(hypothesis).group as usize]
    }

    /// A hypothesis of the sorted list, with its score in that order.
    #[inline]
    pub fn sorted(&self, place: u32) -> (f32, u32) {
        self.sorted[place as usize]
    }

    /// Adds the hypothesis that has translated nothing.
    pub fn push_empty(&mut self) {
        self.graph.add_node(Hypothesis { score: 0.0, state: 0, next: 0, group: 0 });
    }

    /// Adds a hypothesis with one way to it.
    pub fn push(&mut self, way: Way, target: u32, state: u32, next: u32) -> u32 {
        let hypothesis = self.graph.add_node(Hypothesis { score: way.score, state, next, group: target });
        self.graph.add_edge(hypothesis, [way.tail], way.into());
        hypothesis
    }

    /// Adds a way to a hypothesis; unless all ways are kept, only a better one replaces what there is.
    pub fn add_way(&mut self, hypothesis: u32, way: Way, keep: bool) {
        let better = way.score > self.get(hypothesis).score;
        if better {
            self.graph.node_mut(hypothesis).score = way.score;
        }
        self.graph.offer(hypothesis, [way.tail], way.into(), better, keep);
    }

    /// Completes the next stack with the best `most` of the hypotheses from `first` on.
    pub fn close_stack(&mut self, choices: &Choices, targets: &[Target], first: u32, most: usize) {
        let Self { graph, ranked, .. } = self;
        ranked.clear();
        ranked.extend((first..graph.nodes() as u32).map(|number| {
            let hypothesis = graph.node(number);
            (hypothesis.score + targets[hypothesis.group as usize].future, number)
        }));
        if ranked.len() > most {
            ranked.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(most);
        }
        // By what they cover and where they end; targets were made in an order that depends on the sentence alone.
        let place = |number: u32| {
            let target = &targets[graph.node(number).group as usize];
            (target.coverage.first, target.coverage.window, target.end, target.begin)
        };
        ranked.sort_unstable_by_key(|&(_, number)| (place(number), number));
        let stack = self.coverings.len() as u32;
        let mut at = 0;
        while at < self.ranked.len() {
            let target = self.get(self.ranked[at].1).group;
            let same = |&(_, number): &(f32, u32)| self.get(number).group == target;
            let count = self.ranked[at..].iter().take_while(|ranked| same(ranked)).count();
            self.close_group(choices, &targets[target as usize], stack, at..at + count);
            at += count;
        }
        self.stacks.push([stack, self.coverings.len() as u32]);
    }

    fn close_group(&mut self, choices: &Choices, target: &Target, stack: u32, members: Range<usize>) {
        let start = self.sorted.len() as u32;
        let number = self.groups.len() as u32;
        let &Target { coverage, begin, end, .. } = target;
        self.groups.push(Group { begin, end, start, count: members.len() as u32 });
        match self.coverings[stack as usize..].last_mut() {
            Some(last) if last.coverage == coverage => last.groups[1] += 1,
            _ => self.coverings.push(Covering { coverage, groups: [number, number + 1] }),
        }
        for order in 0..choices.orders() {
            let from = self.sorted.len();
            for &(_, member) in &self.ranked[members.clone()] {
                let hypothesis = self.graph.node_mut(member);
                hypothesis.group = number;
                self.sorted.push((hypothesis.score + choices.next(hypothesis.next)[order], member));
            }
            self.sorted[from..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
    }
}
