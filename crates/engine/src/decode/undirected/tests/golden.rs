//! A worked example, number by number: five rules of translation and two of glue, bigrams, a sentence of four words.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use super::super::episode::{Examples, Tokens, UndirectedEpisode};
use super::super::policy::{Factors, LmMode, Rest, Start};
use super::super::rescorer::Rescorer;
use super::super::tree::Action;
use super::super::{UndirectedDecoder, UndirectedSettings};
use crate::corpus::ReadLimits;
use crate::corpus::vocabulary::Vocabulary;
use crate::decode::{Input, Model, Scorer, Search, Weights};
use crate::grammar::{Rule, Symbol, TableBuilder};
use crate::learn::{Episode, Weights as LearntWeights};
use crate::lm::arpa_read;
use crate::lm::model::{Compiled, Form, LanguageModel};
use crate::metric::TokenTable;
use crate::metric::bleu::{Bleu, Settings as BleuSettings};
use crate::metric::tokenise::Tokeniser;

const SENTENCE: &str = "zhuxi de jiu fangzi";
/// Source and target side, and its only feature.
const RULES: [(&str, &str, f32); 6] = [
    ("zhuxi", "chairman", -1.25),
    ("zhuxi", "president", -0.70),
    ("fangzi", "house", -0.25),
    ("jiu [0]", "old [0]", -0.55),
    ("[0] de [1]", "the [1] of [0]", -0.90),
    ("zhuxi de", "presidential", -0.20),
];
/// Natural logarithms of the probability of a word after another.
const BIGRAMS: [(&str, &str, f64); 11] = [
    ("<s>", "the", -1.0),
    ("the", "old", -2.0),
    ("old", "house", -1.5),
    ("house", "of", -1.2),
    ("of", "chairman", -2.1),
    ("of", "president", -2.5),
    ("chairman", "</s>", -1.4),
    ("president", "</s>", -1.5),
    ("<s>", "presidential", -4.0),
    ("presidential", "old", -5.0),
    ("house", "</s>", -1.6),
];

fn lm() -> Arc<dyn LanguageModel> {
    let words = ["<unk>", "<s>", "</s>", "the", "old", "house", "of", "chairman", "president", "presidential"];
    let mut arpa = format!("\\data\\\nngram 1={}\nngram 2={}\n\n\\1-grams:\n", words.len(), BIGRAMS.len());
    for word in words {
        let back = if word == "</s>" { "" } else { "\t0" };
        let _ = writeln!(arpa, "{}\t{word}{back}", if word == "<s>" { -99.0 } else { -3.0 });
    }
    arpa.push_str("\n\\2-grams:\n");
    for (before, word, log) in BIGRAMS {
        let _ = writeln!(arpa, "{}\t{before} {word}", log / std::f64::consts::LN_10);
    }
    arpa.push_str("\n\\end\\\n");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(arpa.as_bytes()).unwrap();
    let ngrams = arpa_read::load(file.path(), &ReadLimits::default()).unwrap();
    Arc::new(Compiled::build(&ngrams, Form::Fast).unwrap())
}

fn model() -> Model {
    let vocabulary = |side: fn(&(&'static str, &'static str, f32)) -> &'static str| {
        let mut words: Vec<&str> = RULES.iter().flat_map(|rule| side(rule).split(' ')).collect();
        words.retain(|word| !word.starts_with('['));
        words.sort_unstable();
        words.dedup();
        Vocabulary::from_words(words).unwrap()
    };
    let (source_words, target_words) = (vocabulary(|rule| rule.0), vocabulary(|rule| rule.1));
    let gap = |symbol: &str| symbol.strip_prefix('[').map(|rest| rest[..1].parse::<u32>().unwrap());
    let mut rules: Vec<(Vec<Symbol>, Vec<Symbol>, f32)> = RULES
        .iter()
        .map(|(source, target, value)| {
            let source = source.split(' ').map(|word| match gap(word) {
                Some(_) => Symbol::nonterminal(0),
                None => Symbol::word(source_words.id(word)),
            });
            let target = target.split(' ').map(|word| match gap(word) {
                Some(place) => Symbol::nonterminal(place),
                None => Symbol::word(target_words.id(word)),
            });
            (source.collect(), target.collect(), *value)
        })
        .collect();
    rules.sort_by(|one, other| one.0.cmp(&other.0));
    let mut builder = TableBuilder::new(vec!["tm".into()], vec!["X".into()]).unwrap();
    for (source, target, value) in &rules {
        let features = [*value];
        builder.push(&Rule { lhs: 0, source, target, features: &features, links: &[], counts: [1.0; 3] }).unwrap();
    }
    let table = builder.build(&source_words, &target_words).unwrap();
    Model::new(vec![("tm".into(), Arc::new(table))], vec![("lm".into(), lm())]).unwrap()
}

/// The weights of the example; a target word is worth half of 1 / ln 10, one more rule of glue -3.
fn scorer(model: &Model, tm: f64, lm: f64) -> Scorer {
    let mut weights = vec![0.0; model.feature_names().len()];
    let mut set = |name: &str, value: f64| {
        weights[model.feature_names().iter().position(|known| known == name).unwrap()] = value;
    };
    set("tm", tm);
    set("lm", lm);
    set("word_count", 0.5 / std::f64::consts::LN_10);
    set("glue", -3.0);
    // The example copies no word that any rule has; these copies are pruned.
    set("unknown", -1000.0);
    Weights::new(model, &weights).unwrap().into()
}

fn settings(factor: f64) -> UndirectedSettings {
    UndirectedSettings {
        prune: Some(100.0),
        narrow: None,
        repairs: 0,
        beam: 1,
        lm: LmMode::Full,
        factors: Factors::Sum,
        rest: Rest::Rules,
        relative: false,
        start: Start::Goal,
        actions: vec![("context_free".into(), factor)],
        ..UndirectedSettings::default()
    }
}

/// What an action is called: the target side of its rule, with gaps.
fn name(rescorer: &Rescorer<'_, '_>, action: &Action) -> String {
    let options = rescorer.options;
    let option = options.get(rescorer.forest.menus.entry(action.entry).option);
    let symbols = options.target(option).iter().map(|symbol| match symbol.as_word() {
        Some(word) => options.word(word).to_owned(),
        None => format!("[{}]", symbol.as_nonterminal().unwrap()),
    });
    symbols.collect::<Vec<_>>().join(" ")
}

/// For each step all actions with their scores, the best first, and the words after it.
fn grow(decoder: &mut UndirectedDecoder<'_>) -> Vec<(Vec<(String, f64)>, String)> {
    decoder.parse(&Input::sentence(SENTENCE).unwrap()).unwrap();
    decoder.tree.begin(1);
    let (mut rescorer, tree) = decoder.rescorer();
    let (mut steps, mut all) = (Vec::new(), Vec::new());
    loop {
        rescorer.all(tree, &mut all);
        let Some((at, action)) = rescorer.choose(tree, 1) else { break };
        assert_eq!((at, action), all[0]);
        let named = all.iter().map(|(_, action)| (name(&rescorer, action), action.score)).collect();
        rescorer.connect(tree, at, action);
        let words = tree.words().map(|word| word.map_or("-", |word| rescorer.options.word(word)));
        steps.push((named, words.collect::<Vec<_>>().join(" ")));
    }
    steps
}

fn assert_steps(found: &[(Vec<(String, f64)>, String)], wanted: &[(&[(&str, f64)], &str)]) {
    assert_eq!(found.len(), wanted.len());
    for ((actions, words), (wanted, yielded)) in found.iter().zip(wanted) {
        assert_eq!(words, yielded);
        assert_eq!(actions.len(), wanted.len(), "{actions:?}");
        for ((name, score), (wanted, value)) in actions.iter().zip(*wanted) {
            assert_eq!(name, wanted);
            assert!((score - value).abs() < 1e-4, "{name}: {score} instead of {value}");
        }
    }
}

#[test]
fn the_forest_has_these_scores() {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let mut decoder = UndirectedDecoder::new(&model, &scorer, settings(0.5)).unwrap();
    decoder.parse(&Input::sentence(SENTENCE).unwrap()).unwrap();
    let forest = &decoder.forest;
    let wanted = [
        ([0, 1], false, -0.4829, -0.8314),
        ([3, 4], false, -0.0329, -1.2814),
        ([0, 2], false, 0.0171, -3.3657),
        ([0, 2], true, 0.0171, -3.3657),
        ([2, 4], false, -0.3657, -0.9486),
        ([0, 4], false, -1.3143, 0.0),
        ([0, 4], true, -1.3143, 0.0),
    ];
    assert_eq!(forest.nodes().len(), wanted.len());
    for (node, (span, sequence, inside, outside)) in forest.nodes().iter().zip(wanted) {
        assert_eq!((node.span, node.sequence), (span, sequence));
        assert!((node.inside - inside).abs() < 1e-4 && (node.outside - outside).abs() < 1e-4, "{node:?}");
    }
    // Nine edges: two rules share a source side, so there are eight bundles.
    assert_eq!(forest.bundles().len(), 8);
    let edges: usize = forest.bundles().iter().map(|bundle| forest.menus.menu(bundle.menu).entries().len()).sum();
    assert_eq!(edges, 9);
}

#[test]
fn each_step_has_these_actions() {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let mut decoder = UndirectedDecoder::new(&model, &scorer, settings(0.5)).unwrap();
    assert_steps(
        &grow(&mut decoder),
        &[
            (&[("house", -0.6736), ("president", -0.8986), ("chairman", -1.4486), ("presidential", -1.6657)], "house"),
            (&[("old [0]", -2.3071)], "old house"),
            (&[("the [1] of [0]", -3.9071), ("[0] [1]", -4.5914)], "the old house of -"),
            (&[("[0]", -1.0), ("president", -2.9829), ("chairman", -3.1329)], "the old house of -"),
            (&[("president", -4.4829), ("chairman", -4.5329)], "the old house of president"),
        ],
    );
    assert!((decoder.best().unwrap().1 - -11.0143).abs() < 1e-3);
}

#[test]
fn without_factors_the_first_leaf_misleads() {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let off = UndirectedSettings { factors: Factors::Off, actions: Vec::new(), ..settings(0.0) };
    for settings in [settings(0.0), off] {
        let mut decoder = UndirectedDecoder::new(&model, &scorer, settings).unwrap();
        let steps = grow(&mut decoder);
        let scores: Vec<f64> = steps.iter().map(|(actions, _)| actions[0].1).collect();
        for (score, wanted) in scores.iter().zip([0.0171, 0.0, -7.0, -5.3329, -3.1329]) {
            assert!((score - wanted).abs() < 1e-4, "{scores:?}");
        }
        assert_eq!(steps[4].1, "presidential old house");
        assert!((decoder.best().unwrap().1 - -15.4486).abs() < 1e-3);
    }
}

#[test]
fn trained_weights_choose_the_other_word() {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let mut trained = settings(0.5);
    trained.actions.extend([("tm".into(), 0.8625), ("lm".into(), 1.125)]);
    let mut decoder = UndirectedDecoder::new(&model, &scorer, trained).unwrap();
    let steps = grow(&mut decoder);
    let last = &steps[4].0;
    assert_eq!(last[0].0, "chairman");
    assert!((last[0].1 - -4.7985).abs() < 1e-4 && (last[1].1 - -4.8866).abs() < 1e-4, "{last:?}");
}

#[test]
fn a_tie_is_decided_by_the_order_of_rules() {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let mut decoder = UndirectedDecoder::new(&model, &scorer, settings(1.0)).unwrap();
    let first = &grow(&mut decoder)[0].0;
    assert_eq!((first[0].0.as_str(), first[1].0.as_str()), ("president", "house"));
    assert!((first[0].1 - first[1].1).abs() < 1e-9 && (first[0].1 - -1.3143).abs() < 1e-4);
}

#[test]
fn the_tree_is_a_forest_of_one_derivation() {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let mut decoder = UndirectedDecoder::new(&model, &scorer, settings(0.5)).unwrap();
    let input = Input::sentence(SENTENCE).unwrap();
    Search::decode(&mut decoder, &input).unwrap();
    let found = crate::decode::found::found(&decoder.forest(&input).unwrap()).unwrap();
    assert_eq!(found.words.join(" "), "the old house of president");
    assert!((found.score - -11.0143).abs() < 1e-3);
    let at = |name: &str| model.feature_names().iter().position(|known| known == name).unwrap();
    assert!((found.features[at("lm")] - -9.7).abs() < 1e-4);
    assert!((found.features[at("tm")] - -2.4).abs() < 1e-5);
}

/// The features of a path, named: the rules', words, the language model's and factors.
fn summed(model: &Model, features: &[(u32, f64)]) -> [f64; 4] {
    let names = super::super::policy::action_names(model, &settings(0.5));
    ["tm", "word_count", "lm", "context_free"].map(|name| {
        let place = names.iter().position(|known| known == name).unwrap() as u32;
        features.iter().filter(|(at, _)| *at == place).map(|(_, value)| value).sum()
    })
}

#[test]
fn other_first_rules_end_better_or_worse() {
    // With little memory all is found anew.
    for most in [1 << 20, 0] {
        forced_first_rules(most);
    }
}

fn forced_first_rules(most: usize) {
    let model = model();
    let scorer = scorer(&model, 1.0, 1.0);
    let inputs = [SENTENCE, "fangzi unknown"].map(|line| Input::sentence(line).unwrap());
    let mut table = TokenTable::default();
    let references = table.texts(&["the old house of chairman", "house"], Tokeniser::None);
    let metric = Bleu::new(&[&references], BleuSettings::plus_one()).unwrap();
    let tokens = Tokens::new(&model, &inputs, table);
    let examples =
        Examples { inputs: &inputs, metric: &metric, tokens: &tokens, references: &references, document: None };
    let start = UndirectedEpisode::start(&model, &scorer, &settings(0.5));
    let values: Vec<f64> = start.iter().map(|(_, weight)| *weight).collect();
    let weights = LearntWeights { values: &values, version: 1 };
    let mut episode = UndirectedEpisode::new((&model, &scorer), settings(0.5), examples, most).unwrap();
    let mut first = Vec::new();
    episode.begin(0, weights).unwrap();
    episode.ranked(&mut first);
    let mut found = Vec::new();
    for forced in first {
        // The second time from what was kept.
        for _ in 0..2 {
            episode.begin(1, weights).unwrap();
            episode.begin(0, weights).unwrap();
            let mut features = Vec::new();
            let mut next = Some(forced);
            while let Some((at, action)) = next {
                let from = features.len();
                episode.features((at, action), &mut features);
                let score: f64 = features[from..].iter().map(|&(place, value)| values[place as usize] * value).sum();
                assert!((score - action.score).abs() < 1e-6, "{score} instead of {}", action.score);
                episode.step((at, action));
                next = episode.best();
            }
            found.push((episode.text(), episode.reward(), summed(&model, &features)));
        }
    }
    let word = std::f64::consts::LN_10;
    let wanted = [
        ("the old house of president", 75.21, [-2.40, -2.1715, -9.7, -2.7128]),
        ("the old house of president", 75.21, [-2.40, -2.1715, -9.7, f64::NAN]),
        ("the old house of chairman", 100.0, [-2.95, -2.1715, -9.2, -1.2300]),
        ("presidential old house", 35.25, [-4.00, -3.0 / word, -12.1, f64::NAN]),
    ];
    assert_eq!(found.len(), 2 * wanted.len());
    for ((text, reward, sums), (wanted, value, path)) in found.iter().zip(wanted.iter().flat_map(|one| [one, one])) {
        assert_eq!(text, wanted);
        assert!((reward - value).abs() < 0.01, "{text}: {reward}");
        // Glue is a feature of its own here, and words are counted.
        let glue = if text.starts_with("presidential") { -3.0 } else { 0.0 };
        let sums = [sums[0] + glue, -sums[1] / word, sums[2], sums[3]];
        for (sum, wanted) in sums.iter().zip(path).filter(|(_, wanted)| !wanted.is_nan()) {
            assert!((sum - wanted).abs() < 1e-3, "{text}: {sums:?}");
        }
    }
}
