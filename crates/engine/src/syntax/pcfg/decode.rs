//! Trees out of chances: the best one, and a flat one where there is none.

use super::grammar::Grammar;
use super::graph::{Edge, NONE, Step};
use super::parser::{Best, Looked};

/// A tree as a list of nodes, children first: symbol, number of parts, and the place of the word or the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The nodes.
    pub nodes: Vec<(u32, u8, u32)>,
    /// Whether the grammar has no tree for the sentence, and this one only has the most probable tags.
    pub flat: bool,
}

/// What edges are worth: their chances, or their chances given their heads.
fn worths(looked: &Looked, best: Best) -> Vec<f64> {
    let mut worths = vec![f64::NEG_INFINITY; looked.graph.edges.len()];
    for node in 0..looked.graph.nodes.len() {
        let edges = looked.graph.incoming(node);
        let sum: f64 = match best {
            Best::Rules => 1.0,
            Best::Tree => looked.chances.edges[edges.clone()].iter().sum(),
        };
        for edge in edges {
            worths[edge] = (looked.chances.edges[edge] / sum).ln();
        }
    }
    worths
}

/// The best tree.
pub(super) fn best(grammar: &Grammar, looked: &Looked, best: Best) -> Parsed {
    let worths = worths(looked, best);
    let graph = &looked.graph;
    let mut values = vec![f64::NEG_INFINITY; graph.nodes.len()];
    let mut choices = vec![usize::MAX; graph.nodes.len()];
    for node in 0..graph.nodes.len() {
        for edge in graph.incoming(node) {
            let tails = graph.edges[edge].tails.iter().filter(|&&tail| tail != NONE);
            let value = worths[edge] + tails.map(|&tail| values[tail as usize]).sum::<f64>();
            if value > values[node] {
                (values[node], choices[node]) = (value, edge);
            }
        }
    }
    let mut pending = vec![(graph.nodes.len() - 1, false)];
    let mut parsed = Parsed::default();
    while let Some((node, done)) = pending.pop() {
        let Some(&edge) = graph.edges.get(choices[node]) else { continue };
        if done {
            parsed.nodes.extend(shown(grammar, graph.nodes[node].symbol, graph.nodes[node].begin, edge));
            continue;
        }
        pending.push((node, true));
        let tails = edge.tails.into_iter().rev().filter(|&tail| tail != NONE);
        pending.extend(tails.map(|tail| (tail as usize, false)));
    }
    parsed
}

/// What a tree shows of an edge into a node with this symbol.
pub(super) fn shown(grammar: &Grammar, symbol: u32, begin: u32, edge: Edge) -> Option<(u32, u8, u32)> {
    match edge.step {
        Step::Word => Some((symbol, 0, begin)),
        Step::Kept => None,
        Step::Unary(rule) => Some((symbol, 1, grammar.outline().unary()[rule as usize][2])),
        Step::Binary(_) => Some((symbol, 2, 0)),
    }
}

/// The most probable tag of each word, and nothing else.
pub(super) fn flat(grammar: &Grammar, sentence: &[String]) -> Parsed {
    let lexicon = &grammar.coarse().lexicon;
    let best = |place: usize, word: &str| {
        // By how often tags occur as well, which a grammar would have told.
        let frequent = |tag: u32, value: f32| f64::from(value) * lexicon.tag_count(tag);
        let tags = lexicon.emissions(word, place == 0, false).into_iter();
        let tags = tags.map(|(tag, values)| (frequent(tag, values[0]), tag));
        tags.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map_or(0, |(_, tag)| tag)
    };
    let tag = |(place, word): (usize, &String)| (best(place, word), 0, place as u32);
    Parsed { nodes: sentence.iter().enumerate().map(tag).collect(), flat: true }
}
