//! The n-grams of references as tries: one per unit (a sentence, or one reference of it), exact, in flat arrays.
//!
//! A hypothesis is matched by walking from the root at each of its positions; a count of visits per node clips the
//! matches, so no n-gram is ever hashed or stored.

/// How occurrences in several references of a unit become one count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// The largest count in one of them, which clips matches (Papineni et al. 2002).
    Max,
    /// The sum of them.
    Sum,
}

/// Tries of n-grams. Nodes of a unit are numbered from 0, its root, level by level and sorted, so that children of a
/// node are neighbours, and the children of one node end where those of the next begin.
#[derive(Debug, Clone, Default)]
pub struct Tries {
    order: usize,
    starts: Vec<usize>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The last word of the n-gram.
    word: u32,
    /// Occurrences.
    count: u32,
    /// First child.
    children: u32,
}

/// Below so many children, looking at each is quicker than halving.
const FEW: u32 = 8;

impl Tries {
    /// For n-grams of up to `order` words.
    pub fn new(order: usize) -> Self {
        Self { order, starts: vec![0], nodes: Vec::new() }
    }

    /// Adds a unit with its references.
    ///
    /// # Panics
    /// If a unit has 2^31 n-grams or more.
    pub fn push(&mut self, references: &[&[u32]], merge: Merge) {
        let base = self.nodes.len();
        let window = |&(reference, at): &(usize, usize)| {
            let words = references[reference];
            &words[at..words.len().min(at + self.order)]
        };
        let mut positions: Vec<(usize, usize)> =
            references.iter().enumerate().flat_map(|(r, words)| (0..words.len()).map(move |at| (r, at))).collect();
        positions.sort_unstable_by(|a, b| window(a).cmp(window(b)).then(a.cmp(b)));
        assert!(positions.len().saturating_mul(self.order) < 1 << 31, "too many n-grams in one unit");

        const UNSET: u32 = u32::MAX;
        self.nodes.push(Node { word: 0, count: 0, children: UNSET });
        // Per position, still long enough: the node it has reached.
        let mut at_node = vec![0_u32; positions.len()];
        let mut counts = vec![0_u32; references.len()];
        for n in 1..=self.order {
            let mut last: Option<(u32, u32)> = None;
            let mut kept = 0;
            for i in 0..positions.len() {
                let words = window(&positions[i]);
                if words.len() < n {
                    continue;
                }
                let key = (at_node[i], words[n - 1]);
                if last != Some(key) {
                    last = Some(key);
                    counts.fill(0);
                    let index = u32::try_from(self.nodes.len() - base).expect("checked above");
                    let parent = &mut self.nodes[base + key.0 as usize];
                    if parent.children == UNSET {
                        parent.children = index;
                    }
                    self.nodes.push(Node { word: key.1, count: 0, children: UNSET });
                }
                let reference = positions[i].0;
                counts[reference] += 1;
                let node = self.nodes.last_mut().expect("just pushed");
                node.count = if merge == Merge::Sum { node.count + 1 } else { node.count.max(counts[reference]) };
                at_node[kept] = u32::try_from(self.nodes.len() - 1 - base).expect("checked above");
                positions[kept] = positions[i];
                kept += 1;
            }
            positions.truncate(kept);
        }
        // A last node closes the unit; a node without children has them end where they begin.
        let mut next = u32::try_from(self.nodes.len() - base).expect("checked above");
        self.nodes.push(Node { word: 0, count: 0, children: next });
        for node in self.nodes[base..].iter_mut().rev() {
            if node.children == UNSET {
                node.children = next;
            }
            next = node.children;
        }
        self.starts.push(self.nodes.len());
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the nodes of a unit begin among all nodes.
    pub fn base(&self, unit: usize) -> usize {
        self.starts[unit]
    }

    /// All nodes, those that close units included.
    pub fn all_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Matches a sequence with a unit: calls `take(n - 1, node)` for each n-gram of it that the references have too,
    /// as often as they have it.
    pub fn matches(&self, unit: usize, words: &[u32], used: &mut Vec<u32>, mut take: impl FnMut(usize, usize)) {
        let nodes = &self.nodes[self.starts[unit]..self.starts[unit + 1]];
        used.clear();
        used.resize(nodes.len(), 0);
        for at in 0..words.len() {
            let mut node = 0;
            for (level, &word) in words[at..words.len().min(at + self.order)].iter().enumerate() {
                match child(nodes, node, word) {
                    Some(found) => node = found,
                    None => break,
                }
                if used[node] < nodes[node].count {
                    used[node] += 1;
                    take(level, node);
                }
            }
        }
    }

    /// Calls `take(node, ngram)` for each distinct n-gram of a unit.
    pub fn each_ngram(&self, unit: usize, mut take: impl FnMut(usize, &[u32])) {
        let nodes = &self.nodes[self.starts[unit]..self.starts[unit + 1]];
        let mut ngram = Vec::with_capacity(self.order);
        // Depth first; an entry is a node and the length of the n-gram before it.
        let mut open: Vec<(u32, usize)> = (nodes[0].children..nodes[1].children).map(|node| (node, 0)).collect();
        while let Some((node, before)) = open.pop() {
            let at = node as usize;
            ngram.truncate(before);
            ngram.push(nodes[at].word);
            take(at, &ngram);
            open.extend((nodes[at].children..nodes[at + 1].children).map(|child| (child, before + 1)));
        }
    }

    /// The count of an n-gram; 0 if the unit has none.
    pub fn count(&self, unit: usize, ngram: &[u32]) -> u32 {
        let nodes = &self.nodes[self.starts[unit]..self.starts[unit + 1]];
        let found = ngram.iter().try_fold(0, |node, &word| child(nodes, node, word));
        found.map_or(0, |node| nodes[node].count)
    }
}

fn child(nodes: &[Node], node: usize, word: u32) -> Option<usize> {
    let (first, end) = (nodes[node].children, nodes[node + 1].children);
    let children = &nodes[first as usize..end as usize];
    let found = if end - first < FEW {
        children.iter().position(|child| child.word == word)
    } else {
        children.binary_search_by_key(&word, |child| child.word).ok()
    };
    found.map(|index| first as usize + index)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn occurrences(words: &[u32], ngram: &[u32]) -> u32 {
        words.windows(ngram.len()).filter(|window| *window == ngram).count() as u32
    }

    proptest! {
        #[test]
        fn counts_and_clips(
            first in prop::collection::vec(prop::collection::vec(0_u32..12, 0..20), 1..4),
            second in prop::collection::vec(0_u32..4, 0..9),
            hypothesis in prop::collection::vec(0_u32..14, 0..20),
            order in 1_usize..6,
        ) {
            let mut tries = Tries::new(order);
            let references: Vec<&[u32]> = first.iter().map(Vec::as_slice).collect();
            tries.push(&[&second], Merge::Sum);
            tries.push(&references, Merge::Max);
            tries.push(&references, Merge::Sum);
            let mut matched = vec![0; order];
            tries.matches(1, &hypothesis, &mut Vec::new(), |level, _| matched[level] += 1);
            for n in 1..=order {
                let mut distinct: Vec<&[u32]> = hypothesis.windows(n).collect();
                distinct.sort_unstable();
                distinct.dedup();
                let mut expected = 0;
                for ngram in distinct {
                    let each: Vec<u32> = references.iter().map(|words| occurrences(words, ngram)).collect();
                    let most = each.iter().copied().max().unwrap();
                    prop_assert_eq!(tries.count(1, ngram), most);
                    prop_assert_eq!(tries.count(2, ngram), each.iter().sum::<u32>());
                    prop_assert_eq!(tries.count(0, ngram), occurrences(&second, ngram));
                    expected += most.min(occurrences(&hypothesis, ngram));
                }
                prop_assert_eq!(matched[n - 1], expected);
            }
            let mut listed = 0;
            tries.each_ngram(2, |_, ngram| {
                listed += 1;
                assert_eq!(tries.count(2, ngram), references.iter().map(|words| occurrences(words, ngram)).sum::<u32>());
            });
            prop_assert_eq!(listed + 2, tries.starts[3] - tries.starts[2]);
        }
    }
}
