//! Where the rules of a derivation stand in the two sentences.

use super::Forest;
use super::kbest::Edges;

/// An edge of a derivation, with its place in both sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The edge.
    pub edge: u32,
    /// The places in the derivation of what fills its gaps, in the order of the source side.
    pub parts: Vec<usize>,
    /// Begin and end of the source words it stands on.
    pub source: [u32; 2],
    /// Begin and end of the target words it makes: gaps included where `source` includes them.
    pub target: [u32; 2],
    /// Positions of its own words in the source sentence.
    pub source_words: Vec<u32>,
    /// Positions of its own words in the target sentence.
    pub target_words: Vec<u32>,
    /// Source and target positions that translate each other, sorted.
    pub links: Vec<[u32; 2]>,
}

impl Forest {
    /// Places the edges of a derivation, as [`super::kbest::KBest::edges`] or [`Forest::sample`] list them, in the source
    /// and target sentences. There is no recursion: derivations can be as deep as sentences are long.
    pub fn place(&self, edges: &Edges) -> Vec<Applied> {
        let mut placed: Vec<Applied> = edges.iter().map(|(edge, parts)| self.place_source(*edge, parts)).collect();
        // For each edge the position in the target of each symbol of its rule.
        let mut symbols: Vec<Vec<u32>> = vec![Vec::new(); edges.len()];
        let mut at = 0_u32;
        let mut pending: Vec<usize> = edges.len().checked_sub(1).into_iter().collect();
        while let Some(&place) = pending.last() {
            let (edge, parts) = &edges[place];
            let target = &self.rules()[self.edge(*edge).rule as usize].target;
            let done = symbols[place].len();
            if done == 0 {
                placed[place].target[0] = at;
            }
            let Some(symbol) = target.get(done) else {
                placed[place].target[1] = at;
                pending.pop();
                continue;
            };
            symbols[place].push(at);
            match symbol.as_nonterminal() {
                Some(gap) => pending.push(parts[gap as usize]),
                None => {
                    placed[place].target_words.push(at);
                    at += 1;
                }
            }
        }
        for (applied, targets) in placed.iter_mut().zip(&symbols) {
            self.place_links(applied, targets);
        }
        placed
    }

    /// Whether the rule of an edge stands on all its head stands for, or on its own words only.
    fn stands_on_head(&self, edge: u32) -> bool {
        let label = self.label(self.edge(edge).head);
        self.span(edge) == [label.begin, label.end]
    }

    /// The positions in the source of each symbol of an edge's rule.
    fn source_positions(&self, edge: u32) -> Vec<u32> {
        let known = self.edge(edge);
        let (mut at, whole) = (self.span(edge)[0], self.stands_on_head(edge));
        let mut tails = known.tails();
        let positions = self.rules()[known.rule as usize].source.iter().map(|symbol| {
            let here = at;
            let tail = if symbol.is_nonterminal() { tails.next() } else { None };
            match tail {
                Some(tail) if whole => at = self.label(tail).end,
                Some(_) => {}
                None => at = at.saturating_add(1),
            }
            here
        });
        positions.collect()
    }

    fn place_source(&self, edge: u32, parts: &[usize]) -> Applied {
        let rule = &self.rules()[self.edge(edge).rule as usize];
        let known = |at: &u32| self.source().is_empty() || (*at as usize) < self.source().len();
        let own = self.source_positions(edge).into_iter().zip(&rule.source);
        let own = own.filter(|(_, symbol)| !symbol.is_nonterminal()).map(|(at, _)| at);
        Applied {
            edge,
            parts: parts.to_vec(),
            source: self.span(edge),
            target: [0; 2],
            source_words: own.filter(known).collect(),
            target_words: Vec::new(),
            links: Vec::new(),
        }
    }

    fn place_links(&self, applied: &mut Applied, targets: &[u32]) {
        let sources = self.source_positions(applied.edge);
        let links = self.rules()[self.edge(applied.edge).rule as usize].links.iter().filter_map(|&[source, target]| {
            let link = [*sources.get(usize::from(source))?, *targets.get(usize::from(target))?];
            (self.source().is_empty() || (link[0] as usize) < self.source().len()).then_some(link)
        });
        applied.links = links.collect();
        applied.links.sort_unstable();
        if !self.stands_on_head(applied.edge) {
            // A phrase after others: its words are consecutive.
            let begin = applied.target_words.first().copied().unwrap_or(applied.target[1]);
            applied.target[0] = begin;
        }
    }
}
