//! A source sentence with its tree, as tables over spans (Galron 2012, section 4.5.3).

use crate::{Error, Result};

/// Added to the label of a span that is no constituent: `NN*` is something that an NN heads.
pub const STAR: u32 = 1 << 31;
/// Nothing: no word, no label, no tag.
pub const NONE: u32 = 0;
/// Longest sentence: tables have a place for each span.
pub const MOST_WORDS: usize = 400;

/// A constituent of more than a tag, as given: parents come before their children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constituent {
    /// Its category.
    pub label: u32,
    /// The word before which it begins.
    pub from: u16,
    /// The word before which it ends.
    pub to: u16,
    /// The position of its head word.
    pub head: u16,
}

/// A sentence, its tags and its tree.
#[derive(Debug, Clone)]
pub struct Source {
    /// Words.
    pub words: Vec<u32>,
    /// A tag for each.
    pub tags: Vec<u32>,
    /// Constituents, parents first.
    pub nodes: Vec<Constituent>,
    /// The parent of each, none for roots.
    pub parents: Vec<Option<u16>>,
    /// The largest constituent that each word heads, if any.
    pub projections: Vec<Option<u16>>,
    /// The constituent right above that, or above the word.
    pub above: Vec<Option<u16>>,
    spans: Vec<Span>,
}

/// What is known of a span.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    label: u32,
    head: u16,
    crossings: u16,
    /// The constituent that it is, or the smallest one around it; the number of constituents if there is none.
    node: u16,
}

impl Source {
    /// Works out the tables.
    ///
    /// # Errors
    /// Too many words, not as many tags, or constituents that are no tree over the words.
    pub fn new(words: Vec<u32>, tags: Vec<u32>, nodes: Vec<Constituent>) -> Result<Self> {
        let length = words.len();
        if length > MOST_WORDS {
            let what = format!("a sentence has more than {MOST_WORDS} words: {length}");
            return Err(Error::limit(what).hint("split it"));
        }
        if tags.len() != length {
            return Err(Error::input(format!("there are {} tags for {length} words", tags.len())));
        }
        let parents = parents(&nodes, length)?;
        let depths = depths(&parents);
        let mut source = Self {
            projections: vec![None; length],
            above: vec![None; length],
            spans: vec![Span::default(); (length + 1) * (length + 1)],
            words,
            tags,
            nodes,
            parents,
        };
        source.find_projections(&depths);
        source.fill(&depths);
        Ok(source)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The label of a span: a constituent's (the topmost of a chain), a tag, or with a star that of the largest
    /// constituent within it that has its head.
    #[inline]
    pub fn label(&self, from: usize, to: usize) -> u32 {
        self.spans[self.at(from, to)].label
    }

    /// The head of a span: the word whose largest constituent is highest in the tree, leftmost of several.
    #[inline]
    pub fn head(&self, from: usize, to: usize) -> usize {
        self.spans[self.at(from, to)].head as usize
    }

    /// How many constituents a span crosses: they overlap, and neither contains the other.
    #[inline]
    pub fn crossings(&self, from: usize, to: usize) -> u32 {
        u32::from(self.spans[self.at(from, to)].crossings)
    }

    /// The constituent that a span is, or else the smallest one that contains it.
    pub fn node(&self, from: usize, to: usize) -> Option<&Constituent> {
        self.nodes.get(self.spans[self.at(from, to)].node as usize)
    }

    #[inline]
    fn at(&self, from: usize, to: usize) -> usize {
        from * (self.words.len() + 1) + to
    }

    fn find_projections(&mut self, depths: &[u16]) {
        for word in 0..self.len() {
            // Parents come first: the first one it heads is the largest.
            let largest = self.nodes.iter().position(|node| usize::from(node.head) == word);
            self.projections[word] = largest.map(|node| node as u16);
            self.above[word] = match largest {
                Some(node) => self.parents[node],
                None => {
                    let around = |node: &&usize| contains(&self.nodes[**node], word, word + 1);
                    let all: Vec<usize> = (0..self.nodes.len()).collect();
                    all.iter().filter(around).max_by_key(|&&node| depths[node]).map(|&node| node as u16)
                }
            };
        }
    }

    fn fill(&mut self, depths: &[u16]) {
        let height = |source: &Self, word: usize| match source.projections[word] {
            Some(node) => depths[node as usize],
            None => source.above[word].map_or(0, |node| depths[node as usize] + 1),
        };
        let heights: Vec<u16> = (0..self.len()).map(|word| height(self, word)).collect();
        for from in 0..self.len() {
            for to in from + 1..=self.len() {
                let head = (from..to).min_by_key(|&word| heights[word]).unwrap_or(from);
                let span = Span {
                    head: head as u16,
                    label: self.find_label(from, to, head),
                    crossings: self.count_crossings(from, to),
                    node: self.smallest_around(from, to, depths),
                };
                let at = self.at(from, to);
                self.spans[at] = span;
            }
        }
    }

    fn find_label(&self, from: usize, to: usize, head: usize) -> u32 {
        let exact = self.nodes.iter().find(|node| usize::from(node.from) == from && usize::from(node.to) == to);
        if let (Some(node), true) = (exact, to - from > 1) {
            return node.label;
        }
        if to - from == 1 {
            return self.tags[from];
        }
        let within = |node: &&Constituent| {
            usize::from(node.from) >= from && usize::from(node.to) <= to && contains(node, head, head + 1)
        };
        self.nodes.iter().find(within).map_or(self.tags[head], |node| node.label) | STAR
    }

    fn count_crossings(&self, from: usize, to: usize) -> u16 {
        let mut count = 0;
        for (place, node) in self.nodes.iter().enumerate() {
            let (a, b) = (usize::from(node.from), usize::from(node.to));
            let crosses = (a < from && from < b && b < to) || (from < a && a < to && to < b);
            // A chain of constituents over the same words is one bracket.
            let same = |other: &Constituent| (other.from, other.to) == (node.from, node.to);
            count += u16::from(crosses && !self.nodes[..place].iter().any(same));
        }
        count
    }

    fn smallest_around(&self, from: usize, to: usize, depths: &[u16]) -> u16 {
        let around = (0..self.nodes.len()).filter(|&node| contains(&self.nodes[node], from, to));
        // Of a chain over the very span, the topmost: its label is the span's.
        let key = |&node: &usize| {
            let exact = usize::from(self.nodes[node].to - self.nodes[node].from) == to - from;
            (exact, if exact { u16::MAX - depths[node] } else { depths[node] })
        };
        around.max_by_key(key).map_or(self.nodes.len() as u16, |node| node as u16)
    }
}

fn contains(node: &Constituent, from: usize, to: usize) -> bool {
    usize::from(node.from) <= from && to <= usize::from(node.to)
}

fn parents(nodes: &[Constituent], length: usize) -> Result<Vec<Option<u16>>> {
    if nodes.len() > 20 * MOST_WORDS {
        return Err(Error::limit(format!("a tree has {} constituents", nodes.len())));
    }
    let mut parents = Vec::with_capacity(nodes.len());
    let mut open: Vec<usize> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let fits = node.from < node.to && usize::from(node.to) <= length && (node.from..node.to).contains(&node.head);
        if !fits {
            let what = format!("constituent {} has no words of the sentence, or no head of its own", number + 1);
            return Err(Error::input(what).hint("give its words and its head"));
        }
        let (from, to) = (usize::from(node.from), usize::from(node.to));
        while open.last().is_some_and(|&above| !contains(&nodes[above], from, to)) {
            let closed = open.pop().map_or(0, |above| usize::from(nodes[above].to));
            if closed > from {
                let what = format!("constituent {} overlaps another without being in it", number + 1);
                return Err(Error::input(what).hint("give parents before their children, from left to right"));
            }
        }
        parents.push(open.last().map(|&above| above as u16));
        open.push(number);
    }
    Ok(parents)
}

fn depths(parents: &[Option<u16>]) -> Vec<u16> {
    let mut depths: Vec<u16> = Vec::with_capacity(parents.len());
    for parent in parents {
        depths.push(parent.map_or(0, |parent| depths[parent as usize] + 1));
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    const NP: u32 = 1;
    const S: u32 = 2;
    const JJ: u32 = 3;
    const NN: u32 = 4;
    const DT: u32 = 5;
    const VB: u32 = 6;

    fn node(label: u32, from: u16, to: u16, head: u16) -> Constituent {
        Constituent { label, from, to, head }
    }

    /// `(S (NP (DT the) (JJ joint) (NN debate)) (VB ends))`
    fn sentence() -> Source {
        let nodes = vec![node(S, 0, 4, 3), node(NP, 0, 3, 2)];
        Source::new(vec![10, 11, 12, 13], vec![DT, JJ, NN, VB], nodes).unwrap()
    }

    #[test]
    fn spans_have_labels_and_heads() {
        let source = sentence();
        assert_eq!(source.label(0, 4), S);
        assert_eq!(source.label(0, 3), NP);
        // As in Galron 2012, section 4.5.3.2: "joint debate" within the noun phrase.
        assert_eq!(source.label(1, 3), NN | STAR);
        assert_eq!(source.label(1, 2), JJ);
        assert_eq!(source.head(1, 3), 2);
        assert_eq!(source.head(0, 2), 0);
        assert_eq!(source.label(0, 2), DT | STAR);
        // Part of the noun phrase and the verb.
        assert_eq!(source.label(2, 4), VB | STAR);
        assert_eq!(source.head(2, 4), 3);
        assert_eq!(source.node(1, 3).unwrap().label, NP);
        assert_eq!(source.node(2, 4).unwrap().label, S);
        assert_eq!(source.projections, [None, None, Some(1), Some(0)]);
        assert_eq!(source.above, [Some(1), Some(1), Some(0), None]);
    }

    #[test]
    fn brackets_are_crossed_where_they_overlap() {
        let source = sentence();
        assert_eq!(source.crossings(2, 4), 1);
        // Any children of one constituent may be joined first.
        for (from, to) in [(0, 2), (1, 3), (0, 3), (0, 4), (3, 4)] {
            assert_eq!(source.crossings(from, to), 0, "{from} {to}");
        }
        // Two names for the same bracket count once.
        let nodes = vec![node(S, 0, 4, 3), node(NP, 0, 3, 2), node(NN, 0, 3, 2)];
        let source = Source::new(vec![10, 11, 12, 13], vec![DT, JJ, NN, VB], nodes).unwrap();
        assert_eq!(source.crossings(2, 4), 1);
        assert_eq!(source.label(0, 3), NP);
    }

    #[test]
    fn sentences_without_a_tree_work() {
        let source = Source::new(vec![10, 11], vec![NONE, NONE], vec![]).unwrap();
        assert_eq!(source.label(0, 2), STAR);
        assert!(source.node(0, 2).is_none());
        assert!(Source::new(vec![], vec![], vec![]).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let make = |nodes| Source::new(vec![10, 11, 12], vec![1, 1, 1], nodes).map(|_| ());
        assert!(make(vec![node(S, 0, 3, 1), node(NP, 0, 2, 1)]).is_ok());
        assert!(make(vec![node(S, 0, 4, 1)]).is_err());
        assert!(make(vec![node(S, 1, 1, 1)]).is_err());
        assert!(make(vec![node(S, 0, 2, 2)]).is_err());
        assert!(make(vec![node(NP, 0, 2, 1), node(NP, 1, 3, 1)]).is_err());
        assert!(make(vec![node(NP, 0, 2, 1), node(S, 0, 3, 1)]).is_err());
        assert!(Source::new(vec![10], vec![], vec![]).is_err());
        assert!(Source::new(vec![1; MOST_WORDS + 1], vec![1; MOST_WORDS + 1], vec![]).is_err());
    }
}
