//! The hierarchical aligner: which tree fertilities choose, and what a lexicon takes from a forest.

use super::align::{align, see_forest};
use super::counts::Counts;
use super::features::{Features, Templates};
use super::fertility::Fertility;
use super::grammars::Known;
use super::lexicon::LexiconBuilder;
use super::links::Links;
use super::model::{Example, Model, Semiring, Settings};
use super::piece::Type;
use super::source::{Constituent, Source};

fn model(longest: usize, fertility: Fertility) -> Model {
    Model {
        settings: Settings { longest: [longest; 2], semiring: Semiring::Viterbi, ..Settings::default() },
        lexicon: LexiconBuilder::default().finish(),
        counts: Counts::of([]),
        fertility,
        features: Features::new(Templates::default()),
        classifiers: None,
        penalty: 0.01,
        coarse: None,
        prior: false,
    }
}

fn pair(source: Source, target: &[u32], links: &[(u32, u32, f32)]) -> Example {
    let links = Links::new(source.len(), target.len(), links).unwrap();
    Example { source, target: target.to_vec(), links, tree: None, target_tree: None }
}

fn flat(words: &[u32]) -> Source {
    Source::new(words.to_vec(), vec![1; words.len()], vec![]).unwrap()
}

/// Figure 5.3: `a b` and `x y z`, with the links a-z and b-x. The links of all three trees cost the same; which of `a`, `b` and
/// both together likes one word more decides.
#[test]
fn fertilities_choose_among_trees() {
    const A: u32 = 1;
    const B: u32 = 2;
    const X: u32 = 3;
    let chosen = |likes: u32| {
        let mut fertility = Fertility::default();
        for (label, ratio) in [(A, 2.0), (B, 2.0), (X, 1.5)] {
            let (often, seldom) = if label == likes { (ratio, 1.0) } else { (1.0, ratio) };
            (0..9).for_each(|_| fertility.see_ratio(label, often));
            fertility.see_ratio(label, seldom);
        }
        let cost = |label, ratio| fertility.cost(label, ratio);
        let sums = [cost(A, 2.0) + cost(B, 1.0), cost(A, 1.0) + cost(B, 2.0), cost(X, 1.5)];
        let tree = Constituent { label: X, from: 0, to: 2, head: 1 };
        let source = Source::new(vec![11, 12], vec![A, B], vec![tree]).unwrap();
        let pair = pair(source, &[21, 22, 23], &[(0, 2, 0.9), (1, 0, 0.8)]);
        let found = align(&model(3, fertility), &pair, "itg : itg + fertility").unwrap();
        assert!(found.complete);
        let total: f64 = found.steps.iter().map(|(_, cost)| cost.value()).sum();
        let links = -f64::from(0.9_f32).ln() - f64::from(0.8_f32).ln();
        let best = sums.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((total - links - best).abs() < 1e-5, "{total} {links} {sums:?}");
        let leaves = found.steps.iter().filter(|(known, _)| known.kind == Type::Bilingual);
        let mut leaves: Vec<_> =
            leaves.map(|(Known { from, to, begin, end, .. }, _)| (*from, *to, *begin, *end)).collect();
        leaves.sort_unstable();
        leaves
    };
    assert_eq!(chosen(A), [(0, 1, 1, 3), (1, 2, 0, 1)]);
    assert_eq!(chosen(B), [(0, 1, 2, 3), (1, 2, 0, 2)]);
    assert_eq!(chosen(X), [(0, 2, 0, 3)]);
}

/// A source phrase and a target phrase.
type Phrases = (Vec<u32>, Vec<u32>);

/// Pairs of phrases that a forest has, whether it is of complete trees, and its numbers of fuses of each side.
fn taken(longest: usize, pair: &Example) -> (Vec<Phrases>, bool, [usize; 2]) {
    let mut lexicon = LexiconBuilder::default();
    let complete = see_forest(&mut lexicon, &model(longest, Fertility::default()), pair, "itg : itg").unwrap();
    let lexicon = lexicon.finish();
    let words = |side: usize, phrase: u32| lexicon.phrases(side).words(phrase).to_vec();
    let [source, target, pairs] = lexicon.sizes();
    let mut found: Vec<_> =
        (0..pairs as u32).map(|entry| (words(0, lexicon.source(entry)), words(1, lexicon.target(entry)))).collect();
    found.sort();
    (found, complete, [source, target])
}

#[test]
fn a_lexicon_has_what_lies_within_leaves() {
    // `[a b c | x y z]`, and with it `[a b | x y]`, `[a | x]`, `[b | y]`, `[c | z]` and `[b c | y z]`.
    let diagonal = pair(flat(&[1, 2, 3]), &[11, 12, 13], &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]);
    let (found, complete, fuses) = taken(3, &diagonal);
    let same = |words: &[u32]| (words.to_vec(), words.iter().map(|word| word + 10).collect::<Vec<_>>());
    assert_eq!(found, [&[1][..], &[1, 2], &[1, 2, 3], &[2], &[2, 3], &[3]].map(same));
    assert!(complete);
    assert_eq!(fuses, [3, 3]);
    // `a` is x and z, `b` is y between them: no complete tree has `[b | y]`, but it lies within the one leaf there is.
    let around = pair(flat(&[1, 2]), &[11, 12, 13], &[(0, 0, 1.0), (0, 2, 1.0), (1, 1, 1.0)]);
    let (found, complete, fuses) = taken(3, &around);
    assert_eq!(found, [(vec![1, 2], vec![11, 12, 13]), (vec![2], vec![12])]);
    assert!(complete);
    // A source fuse, and two that make the target phrase.
    assert_eq!(fuses, [1, 2]);
}

/// The order 2 4 1 3 has no tree (Wu 1997): what covers it is taken.
#[test]
fn without_a_tree_a_lexicon_has_what_covers_most() {
    let links = [(0, 1, 1.0), (1, 3, 1.0), (2, 0, 1.0), (3, 2, 1.0)];
    let (found, complete, _) = taken(1, &pair(flat(&[1, 2, 3, 4]), &[11, 12, 13, 14], &links));
    assert!(!complete);
    assert_eq!(found, [(1, 12), (2, 14), (3, 11), (4, 13)].map(|(source, target)| (vec![source], vec![target])));
}
