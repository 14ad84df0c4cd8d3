//! Forced decoding against the enumeration of all derivations.

use proptest::prelude::*;

use super::{
    all_weights, best, check_phrases, derivations, exact, example, example_with_given, highest, input, model, small,
    sparse_weights, weights,
};
use crate::decode::batch::candidates;
use crate::decode::phrase::{PhraseDecoder, PhraseSettings};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn forced_decoding_finds_the_derivations_of_a_text(
        example in prop_oneof![example(), example_with_given()],
        which in any::<prop::sample::Index>(),
        more in prop::sample::select(vec!["", " p", " x"]),
    ) {
        let model = model(&example);
        let all = weights(&example, &model);
        let weights = all_weights(&model, &all);
        let found = derivations(&example, &model, example.limit);
        let wanted = format!("{}{more}", found[which.index(found.len())].0);
        let scores: Vec<f64> = found.iter().filter(|(text, _)| *text == wanted).map(|(_, score)| *score).collect();
        // Neither the table limit nor those of the stacks matter.
        let settings = PhraseSettings { pop_limit: 1, stack_size: 1, table_limit: 1, keep_edges: false, ..exact(example.limit) };
        let mut decoder = PhraseDecoder::new(&model, &weights, settings.clone()).unwrap();
        let forest = decoder.force(&input(&example), &wanted).unwrap();
        prop_assert!(!decoder.effort().hurried);
        prop_assert_eq!(forest.goal().is_some(), !scores.is_empty());
        let listed = candidates(&forest, 1000, false);
        prop_assert_eq!(listed.len(), scores.len().min(1000));
        let mut sorted = scores.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        for (candidate, score) in listed.iter().zip(sorted) {
            prop_assert_eq!(&candidate.text, &wanted);
            prop_assert!((candidate.score - score).abs() < 1e-3, "{} instead of {score}", candidate.score);
        }
        if let Some(best) = listed.first() {
            check_phrases(&decoder, &example, example.limit);
            let mut again = forest.clone();
            again.reweight(&all, &sparse_weights(&forest)).unwrap();
            prop_assert!((best.score - candidates(&again, 1, false)[0].score).abs() < 1e-3);
        }
        // With little memory some derivations are left out; what is found is one of them.
        let settings = PhraseSettings { memory_limit: Some(0), ..settings };
        let mut small = PhraseDecoder::new(&model, &weights, settings).unwrap();
        let fewer = small.force(&input(&example), &wanted).unwrap();
        prop_assert!(fewer.edges() <= forest.edges());
        for candidate in candidates(&fewer, 1, false) {
            prop_assert_eq!(candidate.text, wanted.clone());
            prop_assert!(candidate.score < highest(scores.iter().copied()) + 1e-3);
        }
        // Forced decoding leaves nothing behind.
        let mut fresh = PhraseDecoder::new(&model, &weights, PhraseSettings { memory_limit: None, ..exact(example.limit) }).unwrap();
        fresh.force(&input(&example), "q q").unwrap();
        fresh.decode(&input(&example)).unwrap();
        prop_assert!((best(&fresh, &example).score - highest(found.iter().map(|(_, score)| *score))).abs() < 1e-3);
    }
}

#[test]
fn what_search_finds_in_a_long_sentence_can_be_forced() {
    let mut example = small();
    for (columns, limit) in [((0, 0), 0), ((0, 0), 6), ((0, 6), 6)] {
        example.columns = columns;
        let model = model(&example);
        let weights = all_weights(&model, &weights(&example, &model));
        let settings =
            PhraseSettings { distortion_limit: limit, memory_limit: Some(1 << 24), ..PhraseSettings::default() };
        let mut decoder = PhraseDecoder::new(&model, &weights, settings).unwrap();
        decoder.decode(&input(&example)).unwrap();
        let (text, score) = decoder.best().unwrap();
        let forced = candidates(&decoder.force(&input(&example), &text).unwrap(), 1, false);
        assert_eq!(forced[0].text, text);
        assert!(forced[0].score > f64::from(score) - 0.1, "{} after {score}", forced[0].score);
        assert!(decoder.arena.bytes() < 1 << 25);
        let changed = format!("{text} s s s s");
        assert!(decoder.force(&input(&example), &changed).unwrap().goal().is_none());
        assert!(decoder.force(&input(&example), "").unwrap().goal().is_none());
    }
}
