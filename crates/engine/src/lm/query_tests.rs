//! Queries against the definition of back-off, and chart scoring in every bracketing.

use proptest::prelude::*;

use super::chart::FragmentScorer;
use super::estimate::{Settings, estimate};
use super::model::{Compiled, Form, LanguageModel};
use super::ngrams::Ngrams;
use super::state::Fragment;
use super::{counts::Tokens, smoothing::Smoothing};
use crate::corpus::vocabulary::{BOS, EOS, Vocabulary};

const TYPES: u32 = 6;

fn train(corpus: &[Vec<u32>], settings: &Settings) -> Ngrams {
    let mut tokens = Tokens::default();
    corpus.iter().for_each(|sentence| tokens.push(sentence).unwrap());
    let vocabulary = Vocabulary::from_words(["a", "b", "c", "d", "e", "f"]).unwrap();
    estimate(&tokens, vocabulary, settings).unwrap().0
}

fn corpus() -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(3..3 + TYPES, 0..8), 1..20)
}

fn settings() -> impl Strategy<Value = Settings> {
    let smoothing = prop_oneof![Just(Smoothing::KneserNey), Just(Smoothing::WittenBell)];
    (1_usize..=6, smoothing, 0_u32..2).prop_map(|(order, smoothing, prune)| Settings {
        order,
        smoothing,
        prune: if prune > 0 && order > 1 { vec![0, prune] } else { vec![] },
        ..Settings::default()
    })
}

/// Scores the words of a fragment with brackets drawn from `choices`: each word is taken as it is, or together with
/// some of its successors as a fragment of its own, scored first.
fn bracketed<M: LanguageModel>(
    model: &M,
    mut scorer: FragmentScorer<'_, M>,
    words: &[u32],
    choices: &mut impl Iterator<Item = usize>,
    depth: usize,
) -> (f32, Fragment) {
    let mut rest = words;
    while let Some((&word, after)) = rest.split_first() {
        let length = choices.next().unwrap_or(0) % (rest.len() + 1);
        if length == 0 || depth == 0 {
            scorer.terminal(word);
            rest = after;
        } else {
            let (prob, inner) = bracketed(model, FragmentScorer::new(model), &rest[..length], choices, depth - 1);
            scorer.nonterminal(&inner, prob);
            rest = &rest[length..];
        }
    }
    scorer.finish()
}

proptest! {
    #[test]
    fn scores_are_those_of_the_definition(
        corpus in corpus(),
        settings in settings(),
        sentence in prop::collection::vec(0..4 + TYPES, 0..10),
    ) {
        let ngrams = train(&corpus, &settings);
        for form in [Form::Fast, Form::Small(None)] {
            let model = Compiled::build(&ngrams, form).unwrap();
            let mut history = vec![BOS];
            let mut state = model.begin();
            for &word in sentence.iter().filter(|&&word| word != BOS && word != EOS).chain([&EOS]) {
                // An id beyond the vocabulary is an unknown word.
                history.push(if word < 3 + TYPES { word } else { 0 });
                let (prob, next) = model.score(&state, word);
                prop_assert!((prob - ngrams.log_prob(&history)).abs() < 1e-4, "{form:?} {history:?}");
                state = next;
            }
        }
    }

    #[test]
    fn any_bracketing_scores_as_left_to_right(
        corpus in corpus(),
        settings in settings(),
        sentence in prop::collection::vec(prop_oneof![4 => 3..3 + TYPES, 1 => Just(0_u32)], 0..12),
        choices in prop::collection::vec(0_usize..13, 0..40),
    ) {
        let ngrams = train(&corpus, &settings);
        for form in [Form::Fast, Form::Small(None)] {
            let model = Compiled::build(&ngrams, form).unwrap();
            let words: Vec<u32> = sentence.iter().copied().chain([EOS]).collect();
            let start = FragmentScorer::begin_sentence(&model);
            let (prob, whole) = bracketed(&model, start, &words, &mut choices.iter().copied(), 4);
            let expected = model.score_sentence(&sentence) as f32;
            prop_assert!((prob - expected).abs() < 1e-3, "{prob} instead of {expected}");
            // Two derivations of the same words must recombine.
            let (_, plain) = bracketed(&model, FragmentScorer::begin_sentence(&model), &words, &mut std::iter::empty(), 0);
            prop_assert_eq!(whole, plain);
            let (_, one) = bracketed(&model, FragmentScorer::new(&model), &sentence, &mut choices.iter().copied(), 4);
            let (_, other) = bracketed(&model, FragmentScorer::new(&model), &sentence, &mut std::iter::empty(), 0);
            prop_assert_eq!(one.right, other.right);
        }
    }
}
