//! Estimation on disk gives what estimation in memory gives.

use proptest::prelude::*;

use super::arpa_write::write;
use super::counts::Tokens;
use super::estimate::{Settings, estimate};
use super::external::ExternalCounts;
use super::sinks::{ArpaSink, NgramsSink};
use super::smoothing::Smoothing;
use crate::corpus::vocabulary::Vocabulary;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn the_same_on_disk(
        // Enough n-grams to need several runs of the smallest size.
        seed in any::<u64>(),
        sentences in 1_usize..900,
        types in 2_u32..40,
        order in 1_usize..=8,
        prune in prop_oneof![Just(vec![]), Just(vec![0, 1]), Just(vec![1, 1]), Just(vec![0, 0, 2])],
        kneser_ney in any::<bool>(),
    ) {
        let mut state = seed;
        let mut next = |most: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % most
        };
        let corpus: Vec<Vec<u32>> =
            (0..sentences).map(|_| (0..next(9)).map(|_| { let a = next(types); 3 + a.min(next(types)) }).collect()).collect();
        let names: Vec<String> = (0..types).map(|word| format!("w{word}")).collect();
        let vocabulary = Vocabulary::from_words(names.iter().map(String::as_str)).unwrap();
        let smoothing = if kneser_ney { Smoothing::KneserNey } else { Smoothing::WittenBell };
        let prune = prune[..prune.len().min(order)].to_vec();
        let settings = Settings { order, smoothing, prune, ..Settings::default() };
        let mut tokens = Tokens::default();
        corpus.iter().for_each(|sentence| tokens.push(sentence).unwrap());
        // Words without occurrences have the last ids here; a corpus reader never makes such.
        prop_assume!(tokens.ids().contains(&(types + 2)));
        let (expected, report) = estimate(&tokens, vocabulary.clone(), &settings).unwrap();
        let mut arpa = Vec::new();
        write(&expected, &mut arpa).unwrap();

        let external = || {
            let mut counts = ExternalCounts::new(order, 1);
            counts.add(tokens.ids()).unwrap();
            counts
        };
        let mut sink = NgramsSink::default();
        let found = external().estimate(vocabulary.len(), &settings, &mut sink).unwrap();
        prop_assert_eq!((found.counted, found.kept, found.discounts, found.fallback),
            (report.counted, report.kept, report.discounts, report.fallback));
        prop_assert!(sink.finish(vocabulary.clone()).unwrap() == expected);
        let mut written = Vec::new();
        let mut sink = ArpaSink::new(&mut written, &vocabulary);
        external().estimate(vocabulary.len(), &settings, &mut sink).unwrap();
        sink.finish().unwrap();
        prop_assert!(written == arpa);
    }
}
