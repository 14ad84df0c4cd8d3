//! N-grams of the translations in a forest: how often they are expected, how likely they are there at all, and the
//! derivation whose n-grams are worth most.
//!
//! Nodes are split by the words at both ends of what they say (of their yields), as many as n-grams can reach; then each
//! n-gram is completed on one edge, and sums over derivations are exact.

use hashbrown::HashMap;

use super::inside::{expected_uses, inside};
use super::kbest::{Edges, KBest};
use super::semiring::LogSum;
use super::{Edge, Forest, NO_NODE};
use crate::grammar::Symbol;
use crate::{Error, Result};

/// The longest n-grams that are counted.
pub const MOST_ORDER: usize = 8;
/// Edges that splitting may make.
const MOST_EDGES: usize = 3_000_000;

/// The ends of what a derivation of a node says: all its words if they are few, else the first and the last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Ends {
    first: Vec<u32>,
    /// `None` if `first` is all there is.
    last: Option<Vec<u32>>,
}

/// A word of an edge's target side with its gaps filled, as far as it can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A word, and which gap it is in.
    Word(u32, Option<u32>),
    /// Words that cannot be seen.
    Hidden,
}

/// A forest whose nodes are split by the ends of what they say.
#[derive(Debug)]
pub struct Ngrams {
    split: Forest,
    /// For each edge of the split forest its edge in the forest.
    origins: Vec<u32>,
    /// Where the n-grams of each edge begin, and an end.
    begins: Vec<u32>,
    /// N-grams that edges complete, and how often.
    found: Vec<(u32, u32)>,
    /// Words that the rules of edges have.
    lengths: Vec<u32>,
    ngrams: Vec<Vec<u32>>,
}

impl Ngrams {
    /// Finds the n-grams of up to `order` words.
    ///
    /// # Errors
    /// An order that is 0 or more than [`MOST_ORDER`], or a forest that becomes too large.
    pub fn new(forest: &Forest, order: usize) -> Result<Self> {
        if !(1..=MOST_ORDER).contains(&order) {
            return Err(Error::settings(format!("n-grams of {order} words")).hint(format!("use 1 to {MOST_ORDER}")));
        }
        let mut splitter = Splitter::new(forest, order);
        for node in 0..forest.nodes() as u32 {
            splitter.split(node)?;
        }
        Ok(splitter.out)
    }

    /// The n-grams, as indices into the forest's words.
    pub fn ngrams(&self) -> &[Vec<u32>] {
        &self.ngrams
    }

    fn of_edge(&self, edge: u32) -> &[(u32, u32)] {
        &self.found[self.begins[edge as usize] as usize..self.begins[edge as usize + 1] as usize]
    }

    /// How often each n-gram is expected, and how many words, when derivations are as likely as the exponentials of `scale`
    /// times their scores (DeNero et al. 2009, section 4).
    pub fn expected(&self, scale: f64) -> (Vec<f64>, f64) {
        let (mut sums, mut length) = (vec![0.0; self.ngrams.len()], 0.0);
        for (edge, uses) in expected_uses(&self.split, scale).into_iter().enumerate() {
            length += uses * f64::from(self.lengths[edge]);
            for &(ngram, count) in self.of_edge(edge as u32) {
                sums[ngram as usize] += uses * f64::from(count);
            }
        }
        (sums, length)
    }

    /// How likely each n-gram is to be there at least once (Tromble et al. 2008, section 4.2), exactly: for each n-gram the
    /// probability of having none of it is summed from the leaves up.
    pub fn posteriors(&self, scale: f64) -> Vec<f64> {
        let sums = inside(&self.split, |_, edge| LogSum(scale * edge.score));
        let shares: Vec<f64> = (0..self.split.edges() as u32)
            .map(|number| {
                let edge = self.split.edge(number);
                let below = edge.tails().fold(scale * edge.score, |sum, tail| sum + sums[tail as usize].0);
                let total = sums[edge.head as usize].0;
                if total == f64::NEG_INFINITY { 0.0 } else { (below - total).exp() }
            })
            .collect();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); self.ngrams.len()];
        for edge in 0..self.split.edges() as u32 {
            for &(ngram, _) in self.of_edge(edge) {
                users[ngram as usize].push(edge);
            }
        }
        let mut without = vec![1.0; self.split.nodes()];
        let mut uses = vec![false; self.split.edges()];
        let Some(goal) = self.split.goal() else { return Vec::new() };
        let likely = users.iter().map(|edges| {
            let Some(&first) = edges.first() else { return 0.0 };
            let start = self.split.edge(first).head;
            edges.iter().for_each(|&edge| uses[edge as usize] = true);
            for node in start..=goal {
                let mut none = 0.0;
                for number in self.split.incoming(node).filter(|&number| !uses[number as usize]) {
                    let tails = self.split.edge(number).tails();
                    none += tails.fold(shares[number as usize], |product, tail| product * without[tail as usize]);
                }
                without[node as usize] = none;
            }
            let found = (1.0 - without[goal as usize]).clamp(0.0, 1.0);
            edges.iter().for_each(|&edge| uses[edge as usize] = false);
            without[start as usize..].fill(1.0);
            found
        });
        likely.collect()
    }

    /// The derivation with the largest sum of what its n-grams and words are worth, in edges of the forest; `None` if
    /// there is no derivation.
    pub fn best(&self, ngram_gains: &[f64], word_gain: f64) -> Option<(f64, Edges)> {
        let mut valued = self.split.clone();
        valued.rescore(|number, _| {
            let own = f64::from(self.lengths[number as usize]) * word_gain;
            let found = self.of_edge(number).iter();
            own + found.map(|&(ngram, count)| f64::from(count) * ngram_gains[ngram as usize]).sum::<f64>()
        });
        let (gain, mut edges) = KBest::new(&valued).take_next()?;
        for (edge, _) in &mut edges {
            *edge = self.origins[*edge as usize];
        }
        Some((gain, edges))
    }
}

struct Splitter<'f> {
    forest: &'f Forest,
    order: usize,
    /// For each node of the forest its parts: nodes of the split forest with their ends.
    parts: Vec<Vec<(u32, Ends)>>,
    ids: HashMap<Vec<u32>, u32>,
    out: Ngrams,
}

/// An edge of the split forest before it has its place.
struct Made {
    edge: u32,
    tails: [u32; 2],
    found: Vec<(u32, u32)>,
}

impl<'f> Splitter<'f> {
    fn new(forest: &'f Forest, order: usize) -> Self {
        let mut split = forest.emptied();
        split.feature_names.clear();
        split.sparse_names.clear();
        let out = Ngrams {
            split,
            origins: Vec::new(),
            begins: vec![0],
            found: Vec::new(),
            lengths: Vec::new(),
            ngrams: Vec::new(),
        };
        Self { forest, order, parts: Vec::new(), ids: HashMap::new(), out }
    }

    fn split(&mut self, node: u32) -> Result<()> {
        let goal = self.forest.goal() == Some(node);
        let mut places: HashMap<Ends, usize> = HashMap::new();
        let mut made: Vec<(Ends, Vec<Made>)> = Vec::new();
        let mut count = self.out.split.edges();
        for number in self.forest.incoming(node) {
            for choice in self.choices(number) {
                let pieces = self.pieces(number, choice);
                // All derivations of the goal are alike from above.
                let ends = if goal { Ends { first: Vec::new(), last: None } } else { self.ends(&pieces) };
                let place = *places.entry(ends).or_insert_with_key(|ends| {
                    made.push((ends.clone(), Vec::new()));
                    made.len() - 1
                });
                let tails = self.forest.edge(number).tails;
                let tail = |at: usize| if tails[at] == NO_NODE { NO_NODE } else { self.part(tails[at], choice[at]).0 };
                let tails = [tail(0), tail(1)];
                let found = self.complete(&pieces);
                made[place].1.push(Made { edge: number, tails, found });
                count += 1;
                if count > MOST_EDGES {
                    return Err(Error::limit(format!("the n-grams of this forest need more than {MOST_EDGES} edges"))
                        .hint("prune it first, or count shorter n-grams"));
                }
            }
        }
        let mut parts = Vec::with_capacity(made.len());
        for (ends, edges) in made {
            parts.push((self.out.split.nodes() as u32, ends));
            self.add(node, edges);
        }
        self.parts.push(parts);
        Ok(())
    }

    fn add(&mut self, node: u32, edges: Vec<Made>) {
        let head = self.out.split.push_node(self.forest.label(node));
        for made in edges {
            let edge = self.forest.edge(made.edge);
            let target = &self.forest.rule(made.edge).target;
            let split = Edge { head, tails: made.tails, features: &[], sparse: &[], ..edge };
            self.out.split.push_edge(&split, self.forest.span(made.edge));
            self.out.origins.push(made.edge);
            self.out.lengths.push(target.iter().filter(|symbol| !symbol.is_nonterminal()).count() as u32);
            self.out.found.extend(made.found);
            self.out.begins.push(self.out.found.len() as u32);
        }
    }

    fn part(&self, tail: u32, choice: usize) -> &(u32, Ends) {
        &self.parts[tail as usize][choice]
    }

    /// All ways to choose parts of an edge's tails.
    fn choices(&self, edge: u32) -> Vec<[usize; 2]> {
        let many =
            self.forest.edge(edge).tails.map(|tail| if tail == NO_NODE { 1 } else { self.parts[tail as usize].len() });
        (0..many[0]).flat_map(|first| (0..many[1]).map(move |second| [first, second])).collect()
    }

    fn pieces(&self, number: u32, choice: [usize; 2]) -> Vec<Piece> {
        let edge = self.forest.edge(number);
        let mut pieces = Vec::new();
        for symbol in &self.forest.rules()[edge.rule as usize].target {
            match (Symbol::as_word(*symbol), symbol.as_nonterminal()) {
                (Some(word), _) => pieces.push(Piece::Word(word, None)),
                (_, Some(gap)) => {
                    let (_, ends) = self.part(edge.tails[gap as usize], choice[gap as usize]);
                    pieces.extend(ends.first.iter().map(|&word| Piece::Word(word, Some(gap))));
                    if let Some(last) = &ends.last {
                        pieces.push(Piece::Hidden);
                        pieces.extend(last.iter().map(|&word| Piece::Word(word, Some(gap))));
                    }
                }
                _ => {}
            }
        }
        pieces
    }

    fn ends(&self, pieces: &[Piece]) -> Ends {
        let most = self.order - 1;
        let word = |piece: &Piece| match piece {
            Piece::Word(word, _) => Some(*word),
            Piece::Hidden => None,
        };
        if pieces.len() <= most
            && let Some(all) = pieces.iter().map(word).collect()
        {
            return Ends { first: all, last: None };
        }
        // Whoever hides words shows as many as are wanted before and after.
        let first = pieces.iter().map_while(word).take(most).collect();
        let mut last: Vec<u32> = pieces.iter().rev().map_while(word).take(most).collect();
        last.reverse();
        Ends { first, last: Some(last) }
    }

    /// The n-grams that are in no gap alone, with how often each is there.
    fn complete(&mut self, pieces: &[Piece]) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        for begin in 0..pieces.len() {
            let mut words = Vec::with_capacity(self.order);
            let mut inside_gap: Option<Option<u32>> = None;
            let mut alone = true;
            for piece in &pieces[begin..pieces.len().min(begin + self.order)] {
                let &Piece::Word(word, gap) = piece else { break };
                alone &= gap.is_some() && inside_gap.is_none_or(|before| before == gap);
                inside_gap = Some(gap);
                words.push(word);
                if !alone {
                    let next = self.ids.len() as u32;
                    let id = *self.ids.entry_ref(&words).or_insert_with(|| {
                        self.out.ngrams.push(words.clone());
                        next
                    });
                    found.push((id, 1));
                }
            }
        }
        found.sort_unstable();
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += u32::from(same);
            same
        });
        found
    }
}
