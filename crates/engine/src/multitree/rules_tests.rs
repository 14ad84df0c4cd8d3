//! The rules of both logics, one by one, and what stands for an item of one in the other (Galron 2012, tables 4.2 to 4.5).

use super::counts::Counts;
use super::grammars::PseudoItg;
use super::lexicon::LexiconBuilder;
use super::links::Links;
use super::mapping::Positions;
use super::options::Options;
use super::pairs::{self, Pairs};
use super::piece::{Piece, Type};
use super::source::{Constituent, Source};
use super::text::Text;
use super::translation::{self, Identity, Translation};
use crate::learn::{Coordinator, Exploration, Mapper, Outcome};
use crate::parse::{Cost, Grammar, Inference, Limits, Logic, MinMerge, Parser, Search, Sequential};

fn flat(words: &[u32]) -> Source {
    Source::new(words.to_vec(), vec![1; words.len()], vec![]).unwrap()
}

/// What is over these spans, by whatever inference.
fn over(logic: &mut Pairs<'_>, (from, to, begin, end): pairs::Key) -> pairs::Item {
    let (source, target) = (pairs::Item::Source { from, to }, pairs::Item::Target { from: begin, to: end });
    match (from < to, begin < end) {
        (true, false) => source,
        (false, true) => target,
        _ => logic.infer(pairs::Rule::Bilingual, Some(&source), Some(&target)).unwrap(),
    }
}

#[test]
fn two_sentences_are_parsed_by_seven_rules() {
    use pairs::Rule::{Bilingual, Inverted, Monotonic, SourceFuse, SourceScan, TargetFuse, TargetScan};
    let (source, target, counts) = (flat(&[1, 2, 3]), [4, 5, 6], Counts::of([]));
    let mut logic = Pairs::new(&source, &target, &counts, [2, 2]);
    let mut spans = |rule, left: Option<pairs::Key>, right: Option<pairs::Key>| {
        let [left, right] = [left, right].map(|key| key.map(|key| over(&mut logic, key)));
        logic.infer(rule, left.as_ref(), right.as_ref()).map(|item| item.spans())
    };
    assert_eq!(spans(SourceScan(1), None, None), Some((1, 2, 0, 0)));
    assert_eq!(spans(TargetScan(2), None, None), Some((0, 0, 2, 3)));
    let mut made = |rule, left, right| spans(rule, Some(left), Some(right));
    // Fuses: neighbours of one side, in their order, not too long.
    assert_eq!(made(SourceFuse, (0, 1, 0, 0), (1, 2, 0, 0)), Some((0, 2, 0, 0)));
    assert_eq!(made(SourceFuse, (0, 1, 0, 0), (2, 3, 0, 0)), None);
    assert_eq!(made(SourceFuse, (1, 2, 0, 0), (0, 1, 0, 0)), None);
    assert_eq!(made(SourceFuse, (0, 1, 0, 0), (1, 3, 0, 0)), None);
    assert_eq!(made(SourceFuse, (0, 1, 0, 0), (0, 0, 1, 2)), None);
    assert_eq!(made(TargetFuse, (0, 0, 1, 2), (0, 0, 2, 3)), Some((0, 0, 1, 3)));
    assert_eq!(made(TargetFuse, (0, 0, 2, 3), (0, 0, 1, 2)), None);
    assert_eq!(made(TargetFuse, (0, 0, 0, 2), (0, 0, 2, 3)), None);
    // One phrase of each side, wherever they are.
    assert_eq!(made(Bilingual, (0, 2, 0, 0), (0, 0, 1, 2)), Some((0, 2, 1, 2)));
    assert_eq!(made(Bilingual, (0, 1, 0, 0), (1, 2, 0, 0)), None);
    assert_eq!(made(Bilingual, (0, 1, 0, 1), (0, 0, 1, 2)), None);
    // Neighbours on both sides, in the same order or in the other one.
    assert_eq!(made(Monotonic, (0, 1, 0, 1), (1, 3, 1, 2)), Some((0, 3, 0, 2)));
    assert_eq!(made(Inverted, (0, 1, 1, 3), (1, 3, 0, 1)), Some((0, 3, 0, 3)));
    for (rule, left, right) in [
        (Monotonic, (0, 1, 1, 2), (1, 2, 0, 1)),
        (Inverted, (0, 1, 0, 1), (1, 2, 1, 2)),
        // A gap in the source, a gap in the target, the right one first.
        (Monotonic, (0, 1, 0, 1), (2, 3, 1, 2)),
        (Monotonic, (0, 1, 0, 1), (1, 2, 2, 3)),
        (Inverted, (0, 1, 2, 3), (1, 2, 0, 1)),
        (Monotonic, (1, 2, 1, 2), (0, 1, 0, 1)),
        // What is of one language only never composes with what is of both.
        (Monotonic, (0, 1, 0, 0), (1, 2, 0, 1)),
        (Monotonic, (0, 1, 0, 1), (0, 0, 1, 2)),
        (Inverted, (0, 1, 1, 2), (0, 0, 0, 1)),
    ] {
        assert_eq!(made(rule, left, right), None, "{rule:?} {left:?} {right:?}");
    }
}

#[test]
fn a_sentence_is_translated_by_seven_rules() {
    use translation::{Item, Rule};
    let (source, counts) = (flat(&[1, 2, 3]), Counts::of([]));
    let mut options = Options::default();
    for (from, to, words) in [(0, 1, &[4][..]), (1, 2, &[5]), (0, 2, &[4, 5])] {
        options.offer(from, to, words, 0, None);
    }
    options.finish();
    let mut logic = Translation::new(&source, &options, &counts, 2, Identity::Text);
    let phrase = |words: &[u32]| options.find(words).unwrap();
    let loaded = |words: &[u32]| Item::Target { phrase: phrase(words), made: Type::TargetScan };
    let scanned = |from: u16, to: u16| Item::Source { from, to, made: Type::SourceScan };
    let both = |from, to, words: &[u32]| Item::Both(Piece::leaf(from, to, Text::of(words, &counts).unwrap()));
    let mut made = |rule: Rule, left: Option<Item>, right: Option<Item>| {
        let item = logic.infer(rule, left.as_ref(), right.as_ref())?;
        Some(match item {
            Item::Source { from, to, .. } => (from, to, vec![]),
            Item::Target { phrase, .. } => (0, 0, options.words(phrase).to_vec()),
            Item::Both(piece) => {
                let known = [&[4][..], &[5], &[4, 5], &[5, 4]];
                let words = known.into_iter().find(|words| Text::of(words, &counts).unwrap().name == piece.text.name);
                (piece.from, piece.to, words.unwrap().to_vec())
            }
        })
    };
    assert_eq!(made(Rule::Scan(2), None, None), Some((2, 3, vec![])));
    assert_eq!(made(Rule::Load(phrase(&[5])), None, None), Some((0, 0, vec![5])));
    assert_eq!(made(Rule::SourceFuse, Some(scanned(0, 1)), Some(scanned(1, 2))), Some((0, 2, vec![])));
    assert_eq!(made(Rule::SourceFuse, Some(scanned(0, 1)), Some(scanned(2, 3))), None);
    assert_eq!(made(Rule::SourceFuse, Some(scanned(0, 1)), Some(scanned(1, 3))), None);
    assert_eq!(made(Rule::TargetFuse, Some(loaded(&[4])), Some(loaded(&[5]))), Some((0, 0, vec![4, 5])));
    // Nothing that the lexicon has would be made of it.
    assert_eq!(made(Rule::TargetFuse, Some(loaded(&[5])), Some(loaded(&[4]))), None);
    assert_eq!(made(Rule::Bilingual, Some(scanned(0, 2)), Some(loaded(&[4, 5]))), Some((0, 2, vec![4, 5])));
    assert_eq!(made(Rule::Bilingual, Some(loaded(&[4])), Some(scanned(0, 1))), None);
    let (left, right) = (both(0, 1, &[4]), both(1, 2, &[5]));
    assert_eq!(made(Rule::Monotonic, Some(left), Some(right)), Some((0, 2, vec![4, 5])));
    assert_eq!(made(Rule::Inverted, Some(left), Some(right)), Some((0, 2, vec![5, 4])));
    for rule in [Rule::Monotonic, Rule::Inverted] {
        assert_eq!(made(rule, Some(right), Some(left)), None);
        assert_eq!(made(rule, Some(left), Some(both(2, 3, &[5]))), None);
        assert_eq!(made(rule, Some(left), Some(scanned(1, 2))), None);
        assert_eq!(made(rule, Some(left), Some(loaded(&[5]))), None);
    }
}

/// Bilingual compositions and joins cost something, so that the worst is what a sentence's words and order say.
struct Even;

impl<L: super::seen::Bilingual> Grammar<L> for Even {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        match logic.seen(inference).kind {
            Type::SourceScan | Type::TargetScan => Cost::NOTHING,
            Type::SourceFuse | Type::TargetFuse => Cost::NEVER,
            Type::Inverted => Cost::of(2.0),
            _ => Cost::of(1.0),
        }
    }
}

/// A step of the predictor: where, its text, whether it is approved, and how far from what is.
type Looked = ((u16, u16), Vec<u32>, bool, u32);

/// What a coordinator looks at, with one translation a word, links in the order of both sentences, and texts to tell apart.
fn looked_at(words: &[(u32, u32)], reference: &[u32], limit: u32, texts: &[&[u32]]) -> (Vec<Looked>, Outcome) {
    looked_at_within(Limits::default(), words, reference, limit, texts)
}

/// The same with limits of the supervisor.
fn looked_at_within(
    limits: Limits,
    words: &[(u32, u32)],
    reference: &[u32],
    limit: u32,
    texts: &[&[u32]],
) -> (Vec<Looked>, Outcome) {
    let mut lexicon = LexiconBuilder::default();
    words.iter().for_each(|&(source, target)| lexicon.see_pair(&[source], &[target], 1));
    let (lexicon, counts) = (lexicon.finish(), Counts::of([]));
    let source = flat(&words.iter().map(|&(source, _)| source).collect::<Vec<_>>());
    let options = Options::new(&lexicon, &source.words, 1);
    let linked: Vec<_> = (0..words.len().min(reference.len()) as u32).map(|at| (at, at, 1.0)).collect();
    let links = Links::new(source.len(), reference.len(), &linked).unwrap();
    let itg = PseudoItg { links: Some(&links), weighted: false, most_crossings: None, crossing: 0.0, target: None };
    let supervised = Sequential { filters: vec![itg], last: Even };
    let logic = Translation::new(&source, &options, &counts, 1, Identity::Text);
    let predictor = Parser::new(logic, Even, MinMerge::default(), Search::default(), Limits::default());
    let logic = Pairs::new(&source, reference, &counts, [1, 1]);
    let supervisor = Parser::new(logic, supervised, MinMerge::default(), Search::default(), limits);
    let exploration = Exploration { limit, ..Exploration::default() };
    let mut coordinator = Coordinator::new(predictor, supervisor, Positions, exploration);
    let mut looked = Vec::new();
    let outcome = coordinator.run(Pairs::is_whole, |_, event| {
        let Some(piece) = event.fired.item.piece() else { return };
        let known = texts.iter().find(|words| Text::of(words, &counts).unwrap().name == piece.text.name);
        let words = known.map_or(vec![], |words| words.to_vec());
        looked.push(((piece.from, piece.to), words, event.approved, event.distance));
    });
    (looked, outcome)
}

/// Algorithm 5: a word stands for all its places, and what is joined of them for all that its parts may be; "commune
/// discussion" for nothing, since the reference has the words the other way round.
#[test]
fn items_stand_for_all_that_they_may_be() {
    let (source, reference, counts) = (flat(&[1, 2, 3]), [11, 12, 11], Counts::of([]));
    let mut options = Options::default();
    (0..3).for_each(|at| options.offer(at, at + 1, &[11 + at as u32], 0, None));
    options.finish();
    let predictor = Translation::new(&source, &options, &counts, 1, Identity::Text);
    let supervisor = Pairs::new(&source, &reference, &counts, [1, 1]);
    let forward = |rule| {
        let (mut rules, item) = (Vec::new(), translation::Item::Source { from: 0, to: 1, made: Type::SourceScan });
        Positions.forward(&predictor, &supervisor, rule, &item, &mut rules);
        rules
    };
    use translation::Rule;
    let load = |word: u32| Rule::Load(options.find(&[word]).unwrap());
    assert_eq!(forward(load(11)), [pairs::Rule::TargetScan(0), pairs::Rule::TargetScan(2)]);
    assert_eq!(forward(load(12)), [pairs::Rule::TargetScan(1)]);
    // It is not in the reference.
    assert_eq!(forward(load(13)), []);
    assert_eq!(forward(Rule::Scan(2)), [pairs::Rule::SourceScan(2)]);
    let backward = |rule| {
        let item = pairs::Item::Source { from: 0, to: 1 };
        Positions.backward(&predictor, &supervisor, rule, &item)
    };
    assert_eq!(backward(pairs::Rule::TargetScan(2)), Some(load(11)));
    assert_eq!(backward(pairs::Rule::SourceScan(1)), Some(Rule::Scan(1)));
    assert_eq!(backward(pairs::Rule::TargetFuse), Some(Rule::TargetFuse));
    // Both words are the same; only together with the links it shows which is which.
    let (looked, outcome) = looked_at(&[(1, 11), (2, 12), (3, 11)], &reference, 0, &[&[11, 12], &[12, 11]]);
    assert!(outcome.complete);
    let of = |span, words: &[u32]| looked.iter().find(|one| (one.0, &one.1[..]) == (span, words)).map(|one| one.2);
    assert_eq!(of((0, 2), &[11, 12]), Some(true));
    assert_eq!(of((1, 3), &[12, 11]), Some(true));
    // Those words stand there, but as what other words became.
    assert_ne!(of((0, 2), &[12, 11]), Some(true));
}

/// Figure 3.2: not approved over not approved over not approved over approved is three steps away.
#[test]
fn distance_is_the_longest_way_to_what_is_approved() {
    // The first word is translated right, the others are not.
    let words = [(1, 11), (2, 98), (3, 99)];
    let texts = [&[11][..], &[98], &[99], &[11, 98], &[11, 98, 99]];
    let distances = |limit: u32| {
        let (looked, outcome) = looked_at(&words, &[11, 12, 13], limit, &texts);
        assert!(!outcome.complete);
        let of = |words: &[u32]| looked.iter().find(|one| one.1 == words).map(|one| (one.2, one.3));
        texts.map(of)
    };
    let [right, second, third, two, three] = distances(2);
    assert_eq!((right, second, third), (Some((true, 0)), Some((false, 1)), Some((false, 1))));
    assert_eq!((two, three), (Some((false, 2)), Some((false, 3))));
    // What is farther than the limit is looked at, and nothing is made of it.
    assert_eq!(distances(1)[3..], [Some((false, 2)), None]);
    assert_eq!(distances(0)[1..], [Some((false, 1)), Some((false, 1)), None, None]);
}

#[test]
fn a_supervisor_has_limits_too() {
    let words = [(1, 11), (2, 98), (3, 99)];
    let found =
        |inferences| looked_at_within(Limits { inferences, ..Limits::default() }, &words, &[11, 12, 13], 2, &[]).1;
    let (all, some) = (found(1000), found(5));
    assert!(!all.limited && all.unknown > 0);
    assert!(some.limited && some.unknown < all.unknown);
}

/// Brackets of a tree of the target sentence are crossed like those of the source.
#[test]
fn target_trees_have_brackets_too() {
    let (source, target, counts) = (flat(&[1, 2, 3]), [4, 5, 6], Counts::of([]));
    let links = Links::new(3, 3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]).unwrap();
    // (S a (NP b c)): the first two target words belong to different constituents.
    let nodes = [(9, 0, 3, 0), (8, 1, 3, 2)].map(|(label, from, to, head)| Constituent { label, from, to, head });
    let tree = Source::new(target.to_vec(), vec![1; 3], nodes.to_vec()).unwrap();
    let found = |most: u32| {
        let itg = PseudoItg {
            links: Some(&links),
            weighted: false,
            most_crossings: Some(most),
            crossing: 10.0,
            target: Some(&tree),
        };
        let logic = Pairs::new(&source, &target, &counts, [1, 1]);
        let mut parser = Parser::new(logic, itg, MinMerge::default(), Search::default(), Limits::default());
        parser.run(|_, _| false);
        let cost = |key| {
            let item = parser.find(&key)?;
            Some(parser.graph().edge(parser.graph().first(item)?).1)
        };
        [cost((0, 2, 0, 2)), cost((1, 3, 1, 3)), cost((0, 3, 0, 3))]
    };
    assert_eq!(found(0), [None, Some(Cost::ZERO), Some(Cost::ZERO)]);
    assert_eq!(found(1), [Some(Cost::of(10.0)), Some(Cost::ZERO), Some(Cost::ZERO)]);
}
