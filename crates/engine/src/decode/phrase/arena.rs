//! Where the hypotheses of a sentence live: flat arrays that keep their memory.

use std::ops::Range;

use super::choices::Choices;
use super::coverage::Coverage;

/// No way, no hypothesis, no step.
pub const NONE: u32 = u32::MAX;

/// A way to make a hypothesis.
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
    /// Another way to the same hypothesis.
    pub next: u32,
}

/// A hypothesis: the beginning of a translation.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis {
    /// Its best score.
    pub score: f32,
    /// The best way to it, from which the others follow; [`NONE`] for the empty one.
    pub way: u32,
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
    hypotheses: Vec<Hypothesis>,
    ways: Vec<Way>,
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
        self.hypotheses.clear();
        self.ways.clear();
        self.sorted.clear();
        self.groups.clear();
        self.coverings.clear();
        self.stacks.clear();
    }

    /// Bytes of all that is kept.
    pub fn bytes(&self) -> usize {
        let sorted = self.sorted.len() * size_of::<(f32, u32)>() + self.groups.len() * size_of::<Group>();
        self.hypotheses.len() * size_of::<Hypothesis>() + self.ways.len() * size_of::<Way>() + sorted
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

    /// A way.
    #[inline]
    pub fn way(&self, way: u32) -> &Way {
        &self.ways[way as usize]
    }

    /// The ways to a hypothesis, the best one first.
    pub fn ways(&self, hypothesis: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.get(hypothesis).way).filter(|&way| way != NONE);
        std::iter::successors(first, |&way| Some(self.way(way).next).filter(|&next| next != NONE))
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
        self.hypotheses.push(Hypothesis { score: 0.0, way: NONE, state: 0, next: 0, group: 0 });
    }

    /// Adds a hypothesis with one way to it.
    pub fn push(&mut self, way: Way, target: u32, state: u32, next: u32) -> u32 {
        self.ways.push(way);
        let at = self.ways.len() as u32 - 1;
        self.hypotheses.push(Hypothesis { score: way.score, way: at, state, next, group: target });
        self.hypotheses.len() as u32 - 1
    }

    /// Adds a way to a hypothesis; unless all ways are kept, only a better one replaces what there is.
    pub fn add_way(&mut self, hypothesis: u32, way: Way, keep: bool) {
        let old = &mut self.hypotheses[hypothesis as usize];
        let better = way.score > old.score;
        if keep {
            let at = self.ways.len() as u32;
            self.ways.push(way);
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
        }
    }

    /// Completes the next stack with the best `most` of the hypotheses from `first` on.
    pub fn close_stack(&mut self, choices: &Choices, targets: &[Target], first: u32, most: usize) {
        let Self { hypotheses, ranked, .. } = self;
        ranked.clear();
        ranked.extend(
            (first..)
                .zip(&hypotheses[first as usize..])
                .map(|(number, hypothesis)| (hypothesis.score + targets[hypothesis.group as usize].future, number)),
        );
        if ranked.len() > most {
            ranked.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(most);
        }
        // By what they cover and where they end; targets were made in an order that depends on the sentence alone.
        let place = |number: u32| {
            let target = &targets[hypotheses[number as usize].group as usize];
            (target.coverage.first, target.coverage.window, target.end, target.begin)
        };
        ranked.sort_unstable_by_key(|&(_, number)| (place(number), number));
        let stack = self.coverings.len() as u32;
        let mut at = 0;
        while at < self.ranked.len() {
            let target = self.hypotheses[self.ranked[at].1 as usize].group;
            let same = |&(_, number): &(f32, u32)| self.hypotheses[number as usize].group == target;
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
                let hypothesis = &mut self.hypotheses[member as usize];
                hypothesis.group = number;
                self.sorted.push((hypothesis.score + choices.next(hypothesis.next)[order], member));
            }
            self.sorted[from..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
    }
}
