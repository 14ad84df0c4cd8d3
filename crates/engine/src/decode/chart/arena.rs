//! Where the hypotheses of a sentence live: flat arrays that keep their memory.

use std::ops::Range;

use crate::lm::state::Fragment;

/// No edge, no hypothesis.
pub const NONE: u32 = u32::MAX;
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

/// A way to make a hypothesis.
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
    /// Another way to the same hypothesis.
    pub next: u32,
}

/// A hypothesis; its language model states are beside it.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis {
    /// Its best score.
    pub score: f32,
    /// The best way to it, from which the others follow.
    pub way: u32,
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
    hypotheses: Vec<Hypothesis>,
    states: Vec<Fragment>,
    ways: Vec<Way>,
    /// For each way what it adds to log10 of the language models' probabilities.
    lm: Vec<f32>,
    sorted: Vec<u32>,
    groups: Vec<Group>,
}

impl Arena {
    /// Room for hypotheses with this many language model states each.
    pub fn new(lms: usize) -> Self {
        Self {
            lms,
            hypotheses: Vec::new(),
            states: Vec::new(),
            ways: Vec::new(),
            lm: Vec::new(),
            sorted: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.hypotheses.clear();
        self.states.clear();
        self.ways.clear();
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
        size_of::<Hypothesis>() + size_of::<Way>() + size_of::<u32>() + states
    }

    /// Bytes of all that is kept.
    pub fn bytes(&self) -> usize {
        let way = size_of::<Way>() + self.lms * size_of::<f32>();
        let hypothesis = size_of::<Hypothesis>() + size_of::<u32>() + self.lms * size_of::<Fragment>();
        self.ways.len() * way + self.hypotheses.len() * hypothesis
    }

    /// How many hypotheses there are.
    #[inline]
    pub fn hypotheses(&self) -> u32 {
        self.hypotheses.len() as u32
    }

    /// A hypothesis.
    #[inline]
    pub fn get(&self, hypothesis: u32) -> &Hypothesis {
        &self.hypotheses[hypothesis as usize]
    }

    /// The states of a hypothesis, one for each language model.
    #[inline]
    pub fn states(&self, hypothesis: u32) -> &[Fragment] {
        &self.states[hypothesis as usize * self.lms..][..self.lms]
    }

    /// A way.
    pub fn way(&self, way: u32) -> &Way {
        &self.ways[way as usize]
    }

    /// What a way adds to log10 of the language models' probabilities.
    pub fn lm(&self, way: u32) -> &[f32] {
        &self.lm[way as usize * self.lms..][..self.lms]
    }

    /// The ways to a hypothesis, the best one first.
    pub fn ways(&self, hypothesis: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.get(hypothesis).way;
        std::iter::successors(Some(first), |&way| Some(self.way(way).next).filter(|&next| next != NONE))
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
        let at = self.ways.len() as u32;
        self.ways.push(way);
        self.lm.extend_from_slice(lm);
        self.states.extend_from_slice(states);
        self.hypotheses.push(Hypothesis { score: way.score, way: at, category, depth, span });
        self.hypotheses.len() as u32 - 1
    }

    /// Adds a way to a hypothesis; unless all ways are kept, only a better one replaces what there is.
    pub fn add_way(&mut self, hypothesis: u32, way: Way, lm: &[f32], keep: bool) {
        let old = &mut self.hypotheses[hypothesis as usize];
        let better = way.score > old.score;
        if keep {
            let at = self.ways.len() as u32;
            self.ways.push(way);
            self.lm.extend_from_slice(lm);
            if better {
                self.ways[at as usize].next = old.way;
                (old.way, old.score) = (at, way.score);
            } else {
                self.ways[at as usize].next = self.ways[old.way as usize].next;
                self.ways[old.way as usize].next = at;
            }
        } else if better {
            old.score = way.score;
            self.ways[old.way as usize] = way;
            self.lm[old.way as usize * self.lms..][..self.lms].copy_from_slice(lm);
        }
    }

    /// Makes groups of the hypotheses from `first` on, by category, best first. Those at least `depth` deep may not be
    /// nested again.
    pub fn group_from(&mut self, first: u32, depth: u8) -> Range<u32> {
        let begin = self.groups.len() as u32;
        let start = self.sorted.len();
        self.sorted.extend(first..self.hypotheses.len() as u32);
        let hypotheses = &self.hypotheses;
        self.sorted[start..].sort_unstable_by(|&a, &b| {
            let (one, other) = (&hypotheses[a as usize], &hypotheses[b as usize]);
            one.category.cmp(&other.category).then(other.score.total_cmp(&one.score)).then(a.cmp(&b))
        });
        let end = self.sorted.len();
        let mut at = start;
        while at < end {
            let category = hypotheses[self.sorted[at] as usize].category;
            let size = self.sorted[at..end].partition_point(|&h| hypotheses[h as usize].category == category);
            let all = [at as u32, (at + size) as u32];
            at += size;
            let nested = |h: &u32| hypotheses[*h as usize].depth < depth;
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
