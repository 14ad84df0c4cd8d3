//! Whom a policy can learn from: the derivation of a forest whose rules say most of the reference.
//!
//! What a rule's words are worth is linear in the n-grams of the reference that they are (a linear approximation of BLEU;
//! Tromble, Kumar, Och & Macherey 2008), so that the best derivation is found as any other, by max-plus. N-grams across the
//! ends of rules are not counted.

use hashbrown::HashSet;

use super::forest::Forest;
use crate::decode::chart::arena::NONE;
use crate::decode::options::Options;
use crate::grammar::Symbol;

/// Longest n-grams.
const ORDER: usize = 4;
/// The precision of single words and how much less that of each longer n-gram is, as the authors have them.
const PRECISION: f64 = 0.85;
const RATIO: f64 = 0.72;

/// The rules of the derivation: bundles with their options.
#[derive(Debug, Default)]
pub struct Marks {
    chosen: Vec<[u32; 2]>,
}

/// What an n-gram of the reference is worth; each word costs 1.
fn worth(order: usize) -> f64 {
    1.0 / (ORDER as f64 * PRECISION * RATIO.powi(order as i32 - 1))
}

/// N-grams of the reference as hashes of their words.
fn grams(reference: &[u32]) -> HashSet<Vec<u32>> {
    (1..=ORDER).flat_map(|order| reference.windows(order).map(<[u32]>::to_vec)).collect()
}

impl Marks {
    /// The derivation for a reference, whose words are spelled as `word` spells those of the model.
    pub fn new(forest: &Forest, options: &Options<'_>, reference: &[u32], word: impl Fn(u32) -> u32) -> Self {
        let Some(goal) = forest.goal() else { return Self::default() };
        let known = grams(reference);
        let value = |option: u32| -> f64 {
            let pieces = options.target(options.get(option)).split(|symbol| symbol.is_nonterminal());
            let mut sum = 0.0;
            for piece in pieces {
                let words: Vec<u32> = piece.iter().filter_map(|symbol: &Symbol| symbol.as_word()).map(&word).collect();
                sum -= words.len() as f64;
                for order in 1..=ORDER {
                    sum += words.windows(order).filter(|gram| known.contains(*gram)).count() as f64 * worth(order);
                }
            }
            sum
        };
        // Bundles into shorter spans come first, and so those into a bundle's gaps.
        let mut best: Vec<(f64, [u32; 2])> = vec![(f64::NEG_INFINITY, [NONE; 2]); forest.nodes().len()];
        for (number, bundle) in (0..).zip(forest.bundles()) {
            let inner: f64 = bundle.tails.iter().filter(|&&tail| tail != NONE).map(|&tail| best[tail as usize].0).sum();
            for entry in forest.menus.menu(bundle.menu).entries() {
                let option = forest.menus.entry(entry).option;
                let (score, choice) = (inner + value(option), [number, option]);
                let found = &mut best[bundle.head as usize];
                // Entries come in the order of weights that change; of equals the first option counts.
                if score > found.0 || (score == found.0 && choice < found.1) {
                    *found = (score, choice);
                }
            }
        }
        let (mut chosen, mut pending) = (Vec::new(), vec![goal]);
        while let Some(node) = pending.pop() {
            let choice = best[node as usize].1;
            chosen.push(choice);
            pending.extend(forest.bundle(choice[0]).tails.into_iter().filter(|&tail| tail != NONE));
        }
        chosen.sort_unstable();
        Self { chosen }
    }

    /// Whether a bundle with an option is part of it.
    pub fn has(&self, bundle: u32, option: u32) -> bool {
        self.chosen.binary_search(&[bundle, option]).is_ok()
    }
}
