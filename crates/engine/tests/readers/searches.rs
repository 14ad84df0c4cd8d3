//! What is searched with: grammars of treebanks, inferences of multitrees, labels of words.

use std::sync::OnceLock;

use tolka_engine::learn::labels::{self, Labeller};
use tolka_engine::multitree::counts::Counts;
use tolka_engine::multitree::features::{Features, Templates};
use tolka_engine::multitree::fertility::Fertility;
use tolka_engine::multitree::lexicon::{Lexicon, LexiconBuilder};
use tolka_engine::multitree::model::{Model, Settings};
use tolka_engine::multitree::source::Source;
use tolka_engine::multitree::store::{open_counts, save_counts};
use tolka_engine::multitree::translate::translate;
use tolka_engine::syntax::pcfg::agenda::{AgendaSettings, parse_all};
use tolka_engine::syntax::pcfg::{Grammar, Parser, Refinement, Settings as ParserSettings, Trees, learn};

use super::damage::{Choices, OnDisk, damaged};

const MOST: u64 = 1 << 30;

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// The grammar of `(ROOT (S (NP (DT das) (NN Haus)) (VB ruht)))` and `(ROOT (S (NN Ruhe) (VB ruht)))`.
fn constituents_file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        // Symbol, number of parts, word or chain.
        let nodes: [(u32, u8, u32); 10] = [
            (3, 0, 0),
            (4, 0, 1),
            (2, 2, 0),
            (5, 0, 2),
            (1, 2, 0),
            (0, 1, 0),
            (4, 0, 3),
            (5, 0, 2),
            (1, 2, 0),
            (0, 1, 0),
        ];
        let trees = Trees {
            names: words("ROOT S NP DT NN VB"),
            kinds: vec![1, 1, 1, 0, 0, 0],
            chains: vec![String::new()],
            root: 0,
            words: words("das Haus ruht Ruhe"),
            begins: &[0, 6, 10],
            symbols: &nodes.map(|node| node.0),
            arities: &nodes.map(|node| node.1),
            payloads: &nodes.map(|node| node.2),
        };
        let refinement = Refinement { rounds: 1, passes: 2, ..Refinement::default() };
        let grammar = learn(trees, &refinement, "{}".to_owned(), &mut |_, _, _| Ok(())).unwrap();
        grammar.save(&disk.path("g.tlk")).unwrap();
        std::fs::read(disk.path("g.tlk")).unwrap()
    })
}

/// A grammar of constituents, searched from coarse to fine and best first.
pub fn constituents(bytes: &[u8]) {
    let disk = OnDisk::new();
    let path = disk.put("g.tlk", &damaged(constituents_file(), &mut Choices(bytes)));
    let Ok(grammar) = Grammar::open(&path, MOST) else { return };
    let sentences = [words("das Haus ruht"), words("Ruhe ruht"), words("nichts Neues 12 ruht")];
    let parser = Parser::new(&grammar, ParserSettings::default()).unwrap();
    parser.parse_all(&sentences).unwrap();
    for sentence in &sentences {
        let _ = (parser.best_trees(sentence, 3), parser.log_probability(sentence), parser.forest(sentence, 0.01));
    }
    parse_all(&grammar, &sentences, &AgendaSettings::default()).unwrap();
}

/// Lexicon and counts of a model.
fn multitree_files() -> &'static [Vec<u8>; 2] {
    static MADE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let mut lexicon = LexiconBuilder::default();
        for (source, target) in [(&[1][..], &[5][..]), (&[1, 2], &[6, 7]), (&[2], &[8]), (&[3], &[5])] {
            lexicon.see_pair(source, target, 2);
        }
        lexicon.see_fuse(0, &[1, 2], 3);
        lexicon.see_fuse(1, &[6, 7], 3);
        lexicon.finish().save(&disk.path("l.tlk")).unwrap();
        let mut fertility = Fertility::default();
        (0..6).for_each(|_| fertility.see_ratio(4, 1.0));
        save_counts(&disk.path("c.tlk"), &Counts::of([&[5, 6, 7][..], &[8, 5]]), &fertility).unwrap();
        ["l.tlk", "c.tlk"].map(|name| std::fs::read(disk.path(name)).unwrap())
    })
}

/// A multitree model before anything was learnt.
pub fn multitree(bytes: &[u8]) {
    let (mut choices, mut files) = (Choices(bytes), multitree_files().clone());
    let which = choices.below(2);
    files[which] = damaged(&files[which], &mut choices);
    let disk = OnDisk::new();
    let (lexicon, counts) = (disk.put("l.tlk", &files[0]), disk.put("c.tlk", &files[1]));
    let (Ok(lexicon), Ok((counts, fertility))) = (Lexicon::open(&lexicon, MOST), open_counts(&counts, MOST)) else {
        return;
    };
    if lexicon.check_words(9).is_err() {
        return;
    }
    let settings = Settings { seconds: None, inferences: 20_000, ..Settings::default() };
    let features = Features::new(Templates::All);
    let (classifiers, penalty, coarse) = (None, 0.1, None);
    let model = Model { settings, lexicon, counts, fertility, features, classifiers, penalty, coarse, prior: false };
    let found = translate(&model, &Source::new(vec![1, 2, 3, 1], vec![4; 4], vec![]).unwrap()).unwrap();
    assert!(found.words.iter().all(|word| (1..10).contains(word)));
}

fn labeller_file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let text =
            [("das Haus ruht", "D N V"), ("Ruhe ruht", "N V")].map(|(text, labels)| (words(text), words(labels)));
        let settings = labels::Settings { epochs: 1, known: 1, ..labels::Settings::default() };
        labels::train(&text, &settings, |_| Ok(())).unwrap().save(&disk.path("n.tlk")).unwrap();
        std::fs::read(disk.path("n.tlk")).unwrap()
    })
}

/// A labeller of words.
pub fn labeller(bytes: &[u8]) {
    let disk = OnDisk::new();
    let path = disk.put("n.tlk", &damaged(labeller_file(), &mut Choices(bytes)));
    let Ok(labeller) = Labeller::open(&path, MOST) else { return };
    for sentence in [words("das Haus ruht"), words("nichts ruht"), Vec::new()] {
        assert_eq!(labeller.label(&sentence).len(), sentence.len());
    }
}
