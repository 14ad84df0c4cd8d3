//! The worked examples of Galron 2012.

use super::counts::Counts;
use super::grammars::PseudoItg;
use super::judge::{Judge, Worth};
use super::lexicon::LexiconBuilder;
use super::links::Links;
use super::mapping::Positions;
use super::options::Options;
use super::pairs::{self, Pairs};
use super::piece::Type;
use super::seen::Bilingual;
use super::source::{Constituent, Source};
use super::translation::{Identity, Translation};
use crate::learn::{Coordinator, Exploration, Outcome};
use crate::parse::{
    Algebra, Cost, Ended, Grammar, Inference, Limits, Logic, MinMerge, NO_ITEM, Parser, Search, Viterbi,
};

const NP: u32 = 1;
const JJ: u32 = 2;
const NN: u32 = 3;
const JOINT: u32 = 10;
const DEBATE: u32 = 11;
const COMMUNE: u32 = 20;
const CONJOINT: u32 = 21;
const DISCUSSION: u32 = 22;
const DEBAT: u32 = 23;
/// "discussion commune"
const REFERENCE: [u32; 2] = [DISCUSSION, COMMUNE];

/// `(NP (JJ joint) (NN debate))`
fn joint_debate() -> Source {
    let phrase = Constituent { label: NP, from: 0, to: 2, head: 1 };
    Source::new(vec![JOINT, DEBATE], vec![JJ, NN], vec![phrase]).unwrap()
}

fn no_counts() -> Counts {
    Counts::of([])
}

fn itg(links: &Links) -> PseudoItg<'_> {
    PseudoItg { links: Some(links), weighted: true, most_crossings: Some(3), crossing: 10.0, target: None }
}

fn lexicon() -> LexiconBuilder {
    let mut lexicon = LexiconBuilder::default();
    for (source, target) in [(JOINT, COMMUNE), (JOINT, CONJOINT), (DEBATE, DISCUSSION), (DEBATE, DEBAT)] {
        lexicon.see_pair(&[source], &[target], 1);
    }
    lexicon
}

/// Fixed costs of pairs, and those of joins.
#[derive(Clone, Copy)]
struct Fixed {
    monotonic: f64,
    inverted: f64,
}

/// Those of section 10.5 of the specification.
const FIXED: Fixed = Fixed { monotonic: 0.4, inverted: 0.5 };

impl<L: Bilingual> Grammar<L> for Fixed {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        match seen.kind {
            Type::SourceScan | Type::TargetScan => Cost::NOTHING,
            Type::SourceFuse | Type::TargetFuse => Cost::NEVER,
            Type::Bilingual => Cost::of(if [COMMUNE, DISCUSSION].contains(&seen.phrase[0]) { 0.2 } else { 0.3 }),
            Type::Monotonic => Cost::of(self.monotonic),
            Type::Inverted => Cost::of(self.inverted),
        }
    }
}

struct Both<A, B>(A, B);

impl<L: Logic, A: Grammar<L>, B: Grammar<L>> Grammar<L> for Both<A, B> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        match self.0.cost(logic, inference) {
            Cost::NEVER => Cost::NEVER,
            _ => self.1.cost(logic, inference),
        }
    }
}

/// Target text, value, approved.
type Seen = (Vec<u32>, Vec<f64>, bool);

fn coordinate(limit: u32) -> (Vec<Seen>, Outcome) {
    let (seen, outcome) = coordinate_by(limit, FIXED);
    (seen.into_iter().map(|(seen, _)| seen).collect(), outcome)
}

/// The same with costs of joins, and what WIQ1 says of each step.
fn coordinate_by(limit: u32, fixed: Fixed) -> (Vec<(Seen, Option<bool>)>, Outcome) {
    let (source, counts) = (joint_debate(), no_counts());
    let lexicon = lexicon().finish();
    let options = Options::new(&lexicon, &source.words, 3);
    let links = Links::new(2, 2, &[(0, 1, 1.0), (1, 0, 1.0)]).unwrap();
    let predictor = Parser::new(
        Translation::new(&source, &options, &counts, 3, Identity::Text),
        fixed,
        MinMerge::default(),
        Search::default(),
        Limits::default(),
    );
    let supervisor = Parser::new(
        Pairs::new(&source, &REFERENCE, &counts, [3, 3]),
        Both(itg(&links), fixed),
        MinMerge::default(),
        Search::default(),
        Limits::default(),
    );
    let exploration = Exploration { limit, ..Exploration::default() };
    let mut coordinator = Coordinator::new(predictor, supervisor, Positions, exploration);
    let (mut seen, mut judge) = (Vec::new(), Judge::by(Worth::Quality, &REFERENCE));
    let outcome = coordinator.run(Pairs::is_whole, |parser, event| {
        if let Some(piece) = event.fired.item.piece() {
            let words: Vec<u32> = match piece.text.length {
                1 => vec![piece.text.first[0]],
                _ => piece.text.first.to_vec(),
            };
            let value = parser.algebra.settle(&event.fired.value);
            let costs = parser.algebra.costs(value).iter().map(|cost| (cost.value() * 1e5).round() / 1e5).collect();
            let of = |item: u32| (item != NO_ITEM).then(|| parser.item(item));
            let by = &event.fired.by;
            let inference =
                Inference { rule: by.rule, left: of(by.left), right: of(by.right), consequent: &event.fired.item };
            let better = judge.label(&parser.logic.seen(&inference), f64::max);
            seen.push(((words, costs, event.approved), better));
        }
    });
    (seen, outcome)
}

/// Pop order, values and strict labels for each exploration limit.
#[test]
fn the_coordinator_learns_from_joint_debate() {
    let leaves = [
        (vec![COMMUNE], vec![0.2], true),
        (vec![DISCUSSION], vec![0.2], true),
        (vec![CONJOINT], vec![0.3], false),
        (vec![DEBAT], vec![0.3], false),
    ];
    let monotonic = (vec![COMMUNE, DISCUSSION], vec![0.4, 0.2, 0.2], false);
    let inverted = (vec![DISCUSSION, COMMUNE], vec![0.5, 0.2, 0.2], true);
    let (seen, outcome) = coordinate(0);
    let sorted = |mut seen: Vec<Seen>| {
        // Values that tie may come in any order.
        seen.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap().then(a.0.cmp(&b.0)));
        seen
    };
    assert_eq!(seen[4..], [monotonic.clone(), inverted.clone()]);
    assert_eq!(sorted(seen[..4].to_vec()), sorted(leaves.to_vec()));
    assert!(outcome.complete);
    assert_eq!(seen.iter().filter(|one| one.2).count(), 3);
    for limit in [1, 2] {
        let (seen, outcome) = coordinate(limit);
        assert!(outcome.complete);
        assert_eq!(seen.len(), 9);
        assert_eq!(sorted(seen[..4].to_vec()), sorted(leaves.to_vec()));
        assert_eq!(seen[4], monotonic);
        let wrong = [
            (vec![COMMUNE, DEBAT], vec![0.4, 0.3, 0.2], false),
            (vec![CONJOINT, DISCUSSION], vec![0.4, 0.3, 0.2], false),
            (vec![CONJOINT, DEBAT], vec![0.4, 0.3, 0.3], false),
        ];
        assert_eq!(sorted(seen[5..8].to_vec()), sorted(wrong.to_vec()));
        assert_eq!(seen[8], inverted);
    }
}

/// What is better than its parts is right here, so that both labellings teach the same.
#[test]
fn both_labellings_say_the_same_of_joint_debate() {
    for (limit, examples) in [(0, 6), (1, 9), (2, 9)] {
        let (seen, _) = coordinate_by(limit, FIXED);
        assert_eq!(seen.len(), examples);
        assert!(seen.iter().all(|((_, _, approved), better)| *better == Some(*approved)));
        assert_eq!(seen.iter().filter(|(_, better)| *better == Some(true)).count(), 3);
    }
}

/// Galron 2012, section 5.6: by the worst inferences of two trees (strict 4.2853 and 5.3702, permissive 4.1833 and 2.9031)
/// strict labels choose the one and permissive labels the other. That is the whole translation which comes off the agenda first.
#[test]
fn the_worst_inference_chooses_the_tree() {
    for (left, right) in [(4.2853, 5.3702), (4.1833, 2.9031)] {
        let (seen, outcome) = coordinate_by(0, Fixed { monotonic: left, inverted: right });
        assert!(outcome.complete);
        let first = &seen.iter().find(|((words, ..), _)| words.len() == 2).unwrap().0;
        let (words, worst) = if left < right { ([COMMUNE, DISCUSSION], left) } else { ([DISCUSSION, COMMUNE], right) };
        assert_eq!((&first.0[..], first.1[0]), (&words[..], worst));
        // What is right ends the search as soon as it comes.
        assert_eq!(seen.len(), if left < right { 6 } else { 5 });
    }
}

fn multiparse<A: Algebra>(algebra: A) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (source, counts) = (joint_debate(), no_counts());
    let links = Links::new(2, 2, &[(0, 1, 0.9), (1, 0, 0.8)]).unwrap();
    let logic = Pairs::new(&source, &REFERENCE, &counts, [3, 3]);
    let mut parser = Parser::new(logic, itg(&links), algebra, Search::default(), Limits::default());
    assert_eq!(parser.run(|_, _| false), Ended::Empty);
    let whole = parser.find(&(0, 2, 0, 2)).unwrap();
    let numbers = |costs: Vec<Cost>| costs.iter().map(|cost| (cost.value() * 1e5).round() / 1e5).collect::<Vec<f64>>();
    let ways = parser.graph().incoming(whole).map(|edge| {
        let tails = parser.graph().tails(edge).map(|item| parser.value(item));
        parser.algebra.product(tails[0], tails[1], parser.graph().edge(edge).1, Cost::NOTHING)
    });
    let ways: Vec<_> = ways.collect();
    let listed = ways.iter().map(|way| {
        let value = parser.algebra.settle(way);
        numbers(parser.algebra.costs(value))
    });
    let listed = listed.collect();
    (listed, numbers(parser.algebra.costs(parser.value(whole))))
}

/// Two complete multitrees: words apart and inverted, or fused.
#[test]
fn min_merge_prefers_words_apart_where_sums_tie() {
    let (ways, best) = multiparse(MinMerge::default());
    assert_eq!(ways, [vec![0.22314, 0.10536, 0.0], vec![0.3285, 0.0, 0.0]]);
    assert_eq!(best, ways[0]);
    let (ways, best) = multiparse(Viterbi);
    assert_eq!(ways.len(), 2);
    for way in ways {
        assert!((way[0] - 0.3285).abs() < 2e-5 && (best[0] - 0.3285).abs() < 2e-5);
    }
}

/// Figure 4.4: adjective and noun change places within their phrase; what belongs to two phrases stays apart.
#[test]
fn brackets_and_positions_decide() {
    const VB: u32 = 4;
    const S: u32 = 5;
    let node = |label, from, to, head| Constituent { label, from, to, head };
    // (S (VB a) (NP (JJ joint) (NN debate)) (VB on) (NP (JJ c) (NNP d)) …)
    let nodes = vec![node(S, 0, 6, 0), node(NP, 1, 3, 2), node(NP, 3, 5, 4)];
    let source = Source::new((1..=6).collect(), vec![VB, JJ, NN, VB, JJ, NN], nodes).unwrap();
    let counts = no_counts();
    let target: Vec<u32> = (1..=6).collect();
    let links: Vec<_> = [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5)].map(|(a, b)| (a, b, 1.0)).to_vec();
    let links = Links::new(6, 6, &links).unwrap();
    let strict = PseudoItg { most_crossings: Some(0), crossing: 0.0, ..itg(&links) };
    let logic = Pairs::new(&source, &target, &counts, [1, 1]);
    let mut parser = Parser::new(logic, strict, Viterbi, Search::default(), Limits::default());
    parser.run(|_, _| false);
    // Within the noun phrase, inverted.
    let joined = parser.find(&(1, 3, 1, 3)).unwrap();
    let edges: Vec<_> = parser.graph().incoming(joined).map(|edge| *parser.graph().edge(edge)).collect();
    assert_eq!(edges, [(pairs::Rule::Inverted, Cost::ZERO)]);
    assert_eq!(source.node(1, 3).unwrap().label, NP);
    // Words 4 and 5 belong to different constituents, both orders are forbidden.
    assert!(parser.find(&(4, 6, 4, 6)).is_none());
    // With brackets to be crossed it costs.
    let soft = itg(&links);
    let logic = Pairs::new(&source, &target, &counts, [1, 1]);
    let mut parser = Parser::new(logic, soft, Viterbi, Search::default(), Limits::default());
    parser.run(|_, _| false);
    let joined = parser.find(&(4, 6, 4, 6)).unwrap();
    let edge = parser.graph().first(joined).unwrap();
    assert_eq!(parser.graph().edge(edge).1, Cost::of(10.0));
}

/// Of many translations those are tried that are worth most; one that is alone is never left out.
#[test]
fn few_options_are_the_best() {
    let mut lexicon = LexiconBuilder::default();
    for (target, times) in [(11, 3), (12, 1), (13, 5), (14, 2)] {
        lexicon.see_pair(&[1], &[target], times);
    }
    lexicon.see_pair(&[2], &[15], 1);
    let lexicon = lexicon.finish();
    let targets = |most: usize| {
        let options = Options::best(&lexicon, &[1, 2], 1, most, |entry| lexicon.count(entry).into());
        options.pairs.iter().map(|pair| options.words(pair.target)[0]).collect::<Vec<_>>()
    };
    assert_eq!(targets(2), [11, 13, 15]);
    assert_eq!(targets(9), [11, 12, 13, 14, 15]);
}

mod against_enumeration {
    //! Translation against all derivations there are.

    use hashbrown::HashMap;
    use proptest::prelude::*;

    use super::super::forests::pack;
    use super::super::grammars::InLexicon;
    use super::super::lexicon::Lexicon;
    use super::super::text::Text;
    use super::*;
    use crate::forest::inside::inside;
    use crate::forest::kbest::KBest;
    use crate::forest::min_merge::MinMerge as Merged;
    use crate::forest::semiring::Counting;

    /// Whether a phrase can be fused from its last word on.
    fn derivable(lexicon: &Lexicon, side: usize, words: &[u32]) -> bool {
        let fused =
            |words: &[u32]| lexicon.phrases(side).find(words).is_some_and(|phrase| lexicon.fused(side, phrase) > 0);
        (0..words.len().saturating_sub(1)).all(|from| fused(&words[from..]))
    }

    /// Costs that depend on everything there is: few values, so that they tie often.
    struct Drawn(u64);

    impl<L: Bilingual> Grammar<L> for Drawn {
        fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
            let seen = logic.seen(inference);
            let text = seen.piece.map_or(0, |piece| piece.text.name);
            match seen.kind {
                Type::SourceScan | Type::TargetScan => Cost::NOTHING,
                Type::SourceFuse | Type::TargetFuse => Cost::of(0.5),
                kind => cost_of(self.0, kind, (seen.from, seen.to), text),
            }
        }
    }

    /// The same, and nothing that the lexicon does not have.
    struct Filtered<'a>(&'a Lexicon, Drawn);

    impl<L: Bilingual> Grammar<L> for Filtered<'_> {
        fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
            let seen = logic.seen(inference);
            let kept = match seen.kind {
                Type::Bilingual => lexicon_has(self.0, seen.words(logic.source()), seen.phrase),
                _ => InLexicon(self.0).cost(logic, inference) != Cost::NEVER,
            };
            if kept { self.1.cost(logic, inference) } else { Cost::NEVER }
        }
    }

    fn cost_of(salt: u64, kind: Type, span: (u16, u16), text: u64) -> Cost {
        let mut name = salt ^ text ^ (kind as u64) << 40 ^ u64::from(span.0) << 50 ^ u64::from(span.1) << 56;
        name = (name ^ (name >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Cost::of(f64::from((name >> 60) as u32))
    }

    /// A text and the costs of one of its derivations.
    type Derived = (Vec<u32>, Vec<Cost>);

    /// All derivations over a span, leaves first.
    fn all(lexicon: &Lexicon, sentence: &[u32], from: usize, to: usize, salt: u64) -> Vec<Derived> {
        let counts = no_counts();
        let cost =
            |kind, text: &[u32]| cost_of(salt, kind, (from as u16, to as u16), Text::of(text, &counts).unwrap().name);
        let mut found = Vec::new();
        let words = &sentence[from..to];
        if to - from <= 2 {
            let known = lexicon.phrases(0).find(words).filter(|_| derivable(lexicon, 0, words));
            let targets = known.map_or(Vec::new(), |phrase| {
                lexicon.pairs_of(phrase).map(|pair| lexicon.phrases(1).words(lexicon.target(pair)).to_vec()).collect()
            });
            let mut usable: Vec<Vec<u32>> = targets.into_iter().filter(|text| derivable(lexicon, 1, text)).collect();
            if usable.is_empty() && to - from == 1 {
                usable.push(words.to_vec());
            }
            for text in usable {
                let mut costs = vec![Cost::of(0.5); to - from - 1 + text.len() - 1];
                costs.push(cost(Type::Bilingual, &text));
                found.push((text, costs));
            }
        }
        for middle in from + 1..to {
            let rights = all(lexicon, sentence, middle, to, salt);
            for left in all(lexicon, sentence, from, middle, salt) {
                for right in &rights {
                    for (kind, one, other) in [(Type::Monotonic, &left, right), (Type::Inverted, right, &left)] {
                        let text = [&one.0[..], &other.0].concat();
                        let costs = [&left.1[..], &right.1, &[cost(kind, &text)]].concat();
                        found.push((text, costs));
                    }
                }
            }
        }
        found
    }

    fn first<A: Algebra>(logic: Translation<'_>, salt: u64, search: Search) -> Option<(u64, Vec<Cost>)> {
        let mut parser = Parser::new(logic, Drawn(salt), A::default(), search, Limits::default());
        let Ended::Found(goal) = parser.run(Translation::is_whole) else { return None };
        let name = parser.item(goal).piece().unwrap().text.name;
        Some((name, parser.algebra.costs(parser.value(goal))))
    }

    /// The best costs when all short spans are done before long ones.
    fn in_chart<A: Algebra>(logic: Translation<'_>, salt: u64) -> Option<Vec<Cost>> {
        let mut parser = Parser::new(logic, Drawn(salt), A::default(), Search::default(), Limits::default());
        assert!(crate::multitree::cubes::search(&mut parser, usize::MAX));
        let goal = parser.chart().find(|&item| parser.logic.is_whole(parser.item(item)))?;
        Some(parser.algebra.costs(parser.value(goal)))
    }

    fn lexicons() -> impl Strategy<Value = LexiconBuilder> {
        let phrase = || prop::collection::vec(1_u32..4, 1..3);
        let fuses = prop::collection::vec((0_usize..2, prop::collection::vec(1_u32..4, 2)), 0..9);
        (prop::collection::vec((phrase(), phrase()), 1..7), fuses).prop_map(|(pairs, fuses)| {
            let mut lexicon = LexiconBuilder::default();
            pairs.iter().for_each(|(source, target)| lexicon.see_pair(source, target, 1));
            fuses.iter().for_each(|(side, words)| lexicon.see_fuse(*side, words, 1));
            lexicon
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 48 } else { 300 }))]

        #[test]
        fn the_first_translation_is_the_best(
            lexicon in lexicons(), sentence in prop::collection::vec(1_u32..5, 1..5), salt in any::<u64>(),
        ) {
            let (lexicon, counts) = (lexicon.finish(), no_counts());
            let source = Source::new(sentence.clone(), vec![1; sentence.len()], vec![]).unwrap();
            let ways = all(&lexicon, &sentence, 0, sentence.len(), salt);
            let sorted = |costs: &[Cost]| {
                let mut costs = costs.to_vec();
                costs.sort_by(|a, b| b.cmp(a));
                costs
            };
            let best = ways.iter().map(|way| sorted(&way.1)).min();
            let options = Options::new(&lexicon, &sentence, 2);
            let logic = || Translation::new(&source, &options, &counts, 2, Identity::Text);
            let found = first::<MinMerge>(logic(), salt, Search::default());
            prop_assert_eq!(found.as_ref().map(|one| one.1.clone()), best.clone());
            // The text is one that has such a derivation.
            if let Some((name, costs)) = &found {
                let same = |way: &&Derived| Text::of(&way.0, &counts).unwrap().name == *name && sorted(&way.1) == *costs;
                prop_assert!(ways.iter().find(same).is_some());
            }
            // A bound of what is missing changes nothing but the order.
            let mut bounded = logic();
            let mut least = vec![Cost::NEVER; sentence.len()];
            for pair in &options.pairs {
                let text = Text::of(options.words(pair.target), &counts).unwrap().name;
                for word in &mut least[usize::from(pair.from)..usize::from(pair.to)] {
                    *word = (*word).min(cost_of(salt, Type::Bilingual, (pair.from, pair.to), text));
                }
            }
            bounded.expect(&least);
            let found = first::<MinMerge>(bounded, salt, Search { bound: true, ..Search::default() });
            let found_costs = found.map(|one| one.1);
            prop_assert_eq!(found_costs.clone(), best);
            // So do short spans first.
            prop_assert_eq!(in_chart::<MinMerge>(logic(), salt), found_costs.clone());
            let sums = first::<Viterbi>(logic(), salt, Search::default()).map(|one| one.1);
            prop_assert_eq!(in_chart::<Viterbi>(logic(), salt), sums);
            // Sums, too.
            let sum = |costs: &[Cost]| costs.iter().fold(Cost::NOTHING, |sum, &cost| sum.and(cost));
            let least = ways.iter().map(|way| sum(&way.1)).min();
            prop_assert_eq!(first::<Viterbi>(logic(), salt, Search::default()).map(|one| one.1[0]), least);
        }

        /// A forest has all derivations and no others, and its best ones are the search's.
        #[test]
        fn forests_have_all_derivations(
            lexicon in lexicons(), sentence in prop::collection::vec(1_u32..5, 1..4), salt in any::<u64>(),
        ) {
            let (lexicon, counts) = (lexicon.finish(), no_counts());
            let source = Source::new(sentence.clone(), vec![1; sentence.len()], vec![]).unwrap();
            let ways = all(&lexicon, &sentence, 0, sentence.len(), salt);
            let options = Options::new(&lexicon, &sentence, 2);
            let logic = Translation::new(&source, &options, &counts, 2, Identity::Text);
            let mut parser = Parser::new(logic, Drawn(salt), MinMerge::default(), Search::default(), Limits::default());
            parser.run(|_, _| false);
            let goals: Vec<u32> = parser.chart().filter(|&item| parser.logic.is_whole(parser.item(item))).collect();
            let names: Vec<String> = (1..6).map(|number| format!("w{number}")).collect();
            let forest = pack(&parser, &goals, &names).unwrap().unwrap();
            prop_assert_eq!(inside(&forest, |_, _| Counting(1.0)).last().unwrap().0 as usize, ways.len());
            let text = |words: &[u32]| words.iter().map(|&word| names[word as usize - 1].clone()).collect::<Vec<_>>();
            let sum = |costs: &[Cost]| costs.iter().map(|cost| cost.value()).sum::<f64>();
            let mut expected: Vec<(f64, Vec<String>)> = ways.iter().map(|way| (-sum(&way.1), text(&way.0))).collect();
            let mut listed: Vec<(f64, Vec<String>)> = KBest::new(&forest).list(ways.len() + 1).into_iter().map(|(score, edges)| {
                (score, forest.spell(&edges).into_iter().map(|word| forest.words()[word as usize].clone()).collect())
            }).collect();
            prop_assert!(listed.windows(2).all(|pair| pair[0].0 >= pair[1].0));
            for list in [&mut expected, &mut listed] {
                list.sort_by(|a, b| a.partial_cmp(b).unwrap());
            }
            prop_assert_eq!(listed, expected);
            let best = KBest::by(&forest, false, |edge| Merged::of(-edge.score)).take_valued().unwrap().0;
            let first = first::<MinMerge>(Translation::new(&source, &options, &counts, 2, Identity::Text), salt, Search::default());
            let first: Vec<f64> = first.unwrap().1.iter().map(|cost| cost.value()).collect();
            prop_assert_eq!(best.costs().unwrap(), &first[..]);
        }

        /// Axioms for all words of the target language, and a lexicon that forbids the rest, are the lazy axioms.
        #[test]
        fn lazy_axioms_are_all_that_matter(
            lexicon in lexicons(), sentence in prop::collection::vec(1_u32..4, 1..4), salt in any::<u64>(),
        ) {
            let (lexicon, counts) = (lexicon.finish(), no_counts());
            let source = Source::new(sentence.clone(), vec![1; sentence.len()], vec![]).unwrap();
            let lazy = Options::new(&lexicon, &sentence, 2);
            let mut eager = Options::default();
            for from in 0..sentence.len() {
                for to in from + 1..=sentence.len().min(from + 2) {
                    for a in 1..5 {
                        eager.offer(from, to, &[a], 0, None);
                        (1..5).for_each(|b| eager.offer(from, to, &[a, b], 0, None));
                    }
                }
            }
            eager.finish();
            let logic = |options| Translation::new(&source, options, &counts, 2, Identity::Text);
            let all = known(logic(&eager), Filtered(&lexicon, Drawn(salt)));
            prop_assert_eq!(all, known(logic(&lazy), Drawn(salt)));
        }
    }

    /// All items of both languages that there are, with their values.
    fn known<'a, G: Grammar<Translation<'a>>>(
        logic: Translation<'a>,
        grammar: G,
    ) -> HashMap<(u16, u16, u64), Vec<Cost>> {
        let mut parser = Parser::new(logic, grammar, MinMerge::default(), Search::default(), Limits::default());
        parser.run(|_, _| false);
        let pieces = parser.chart().filter_map(|item| Some((item, parser.item(item).piece()?)));
        let value = |item| parser.algebra.costs(parser.value(item));
        pieces.map(|(item, piece)| ((piece.from, piece.to, piece.text.name), value(item))).collect()
    }

    /// Whether a pair is in the lexicon with all its fuses, or a copy.
    fn lexicon_has(lexicon: &Lexicon, source: &[u32], target: &[u32]) -> bool {
        let derivable = |source: &[u32], target: &[u32]| derivable(lexicon, 0, source) && derivable(lexicon, 1, target);
        let usable = lexicon.phrases(0).find(source).is_some_and(|phrase| {
            lexicon.pairs_of(phrase).any(|pair| derivable(source, lexicon.phrases(1).words(lexicon.target(pair))))
        });
        (lexicon.pair(source, target).is_some() && derivable(source, target))
            || (source.len() == 1 && source == target && !usable)
    }
}
