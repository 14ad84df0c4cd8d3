//! Language models, vocabularies, truecasers, compounds, aligners, classifiers.

use std::sync::OnceLock;

use tolka_engine::align::settings::{Kind, Settings};
use tolka_engine::align::symmetrise::{Method, links};
use tolka_engine::align::{confidence, model, store, train};
use tolka_engine::corpus::compounds::{Compounds, CompoundsBuilder, Settings as CompoundSettings};
use tolka_engine::corpus::truecase::{Truecaser, TruecaserBuilder};
use tolka_engine::corpus::vocabulary::{EOS, Vocabulary, VocabularyBuilder};
use tolka_engine::learn::boost::{self, Classifiers, Examples, Field, slots, train_all};
use tolka_engine::lm::any::AnyModel;
use tolka_engine::lm::batch::{score_lines, score_words};
use tolka_engine::lm::chart::FragmentScorer;
use tolka_engine::lm::classes::ClassTrainer;
use tolka_engine::lm::estimate::Settings as LmSettings;
use tolka_engine::lm::model::{Compiled, Form, LanguageModel};
use tolka_engine::lm::train::Trainer;

use super::damage::{Choices, OnDisk, damaged};

const MOST: u64 = 1 << 30;
/// A small text and its translation.
pub const TEXT: [(&str, &str); 8] = [
    ("das Haus ist klein", "the house is small"),
    ("das Buch ist alt", "the book is old"),
    ("ein Haus", "a house"),
    ("das kleine Haus am See", "the small house by the lake"),
    ("ein altes Buch liegt im Haus", "an old book lies in the house"),
    ("der See ist klein und alt", "the lake is small and old"),
    ("das Buch liegt im Haus am See", "the book lies in the house by the lake"),
    ("und der See", "and the lake"),
];
/// What is asked, with words that nobody knows.
pub const ASKED: [(&str, &str); 3] = [
    ("das alte Haus am See ist klein", "the old house by the lake is small"),
    ("niemand liegt im See im See im See", "nobody lies in the lake in the lake in the lake"),
    ("", ""),
];

fn lm_settings(order: usize) -> LmSettings {
    LmSettings { order, ..LmSettings::default() }
}

/// Models of all kinds as files.
pub fn lms() -> &'static [Vec<u8>] {
    static MADE: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let mut trainer = Trainer::new(lm_settings(4), 1 << 20).unwrap();
        TEXT.iter().for_each(|(_, line)| trainer.add(line).unwrap());
        let ngrams = trainer.finish().unwrap().0;
        let forms = [Form::Fast, Form::Small(None), Form::Small(Some(4))];
        let mut models: Vec<AnyModel> =
            forms.iter().map(|&form| AnyModel::Words(Compiled::build(&ngrams, form).unwrap())).collect();
        let map = [("the", "D"), ("a", "D"), ("house", "N"), ("book", "N")];
        let map = map.map(|(word, class)| (word.to_owned(), class.to_owned())).into_iter().collect();
        let mut trainer = ClassTrainer::new(lm_settings(3), 1 << 20, map).unwrap();
        TEXT.iter().for_each(|(_, line)| trainer.add(line).unwrap());
        models.push(AnyModel::Classes(trainer.finish(Form::Fast).unwrap().0));
        models
            .iter()
            .map(|model| {
                model.save(&disk.path("lm.tlm")).unwrap();
                std::fs::read(disk.path("lm.tlm")).unwrap()
            })
            .collect()
    })
}

/// A language model of any kind.
pub fn lm(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let kinds = lms();
    let file = &kinds[choices.below(kinds.len())];
    let disk = OnDisk::new();
    let path = disk.put("lm.tlm", &damaged(file, &mut choices));
    let Ok(model) = AnyModel::open(&path, false, MOST) else { return };
    let lines: Vec<&str> = TEXT.iter().chain(&ASKED).map(|(_, line)| *line).collect();
    score_lines(&model, &lines);
    for line in lines {
        score_words(&model, line, true, true);
        let words: Vec<u32> = line.split(' ').map(|word| model.vocabulary().text_id(word)).chain([1 << 20]).collect();
        model.score_sentence(&words);
        // As a chart does: the right half, the left half, then both together.
        let half = words.len() / 2;
        let piece = |words: &[u32]| {
            let mut scorer = FragmentScorer::new(&model);
            words.iter().for_each(|&word| scorer.terminal(word));
            scorer.finish()
        };
        let (prob, right) = piece(&words[half..]);
        let mut scorer = FragmentScorer::new(&model);
        words[..half].iter().for_each(|&word| scorer.terminal(word));
        scorer.nonterminal(&right, prob);
        scorer.nonterminal(&right, prob);
        let (prob, both) = scorer.finish();
        let mut sentence = FragmentScorer::begin_sentence(&model);
        sentence.nonterminal(&both, prob);
        sentence.terminal(EOS);
        sentence.finish();
    }
}

fn vocabulary_file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let mut builder = VocabularyBuilder::new();
        TEXT.iter().for_each(|(line, _)| builder.add_line(line, |_| {}));
        builder.finish(1, None).0.save(disk.path("words.tlk")).unwrap();
        std::fs::read(disk.path("words.tlk")).unwrap()
    })
}

/// A vocabulary.
pub fn vocabulary(bytes: &[u8]) {
    let disk = OnDisk::new();
    let path = disk.put("words.tlk", &damaged(vocabulary_file(), &mut Choices(bytes)));
    let Ok(words) = Vocabulary::open(&path, MOST) else { return };
    let lines: Vec<&str> = TEXT.iter().chain(&ASKED).map(|(line, _)| *line).collect();
    let (ids, _) = words.encode_lines(&lines);
    words.decode(&ids).unwrap();
    for id in 0..words.len() as u32 {
        assert_eq!(words.find(words.word(id)), Some(id));
        words.count(id);
    }
}

fn truecaser_file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let mut builder = TruecaserBuilder::new("de");
        TEXT.iter().for_each(|(line, _)| builder.add_line(line));
        builder.finish().save(disk.path("t.tlk")).unwrap();
        std::fs::read(disk.path("t.tlk")).unwrap()
    })
}

/// A truecaser.
pub fn truecaser(bytes: &[u8]) {
    let disk = OnDisk::new();
    let path = disk.put("t.tlk", &damaged(truecaser_file(), &mut Choices(bytes)));
    let Ok(truecaser) = Truecaser::open(&path, MOST) else { return };
    for (line, _) in TEXT.iter().chain(&ASKED) {
        truecaser.truecase(&line.to_uppercase());
        truecaser.truecase(line);
        let _ = line.split(' ').filter_map(|word| truecaser.usual(word)).count();
    }
    truecaser.save(disk.path("again.tlk")).unwrap();
}

fn compounds_file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let settings = CompoundSettings { min_length: 3, min_count: 1, ..CompoundSettings::default() };
        let mut builder = CompoundsBuilder::new("de", settings).unwrap();
        TEXT.iter().for_each(|(line, _)| builder.add_line(line));
        builder.finish().save(disk.path("c.tlk")).unwrap();
        std::fs::read(disk.path("c.tlk")).unwrap()
    })
}

/// A splitter of compounds.
pub fn compounds(bytes: &[u8]) {
    let disk = OnDisk::new();
    let path = disk.put("c.tlk", &damaged(compounds_file(), &mut Choices(bytes)));
    let Ok(compounds) = Compounds::open(&path, MOST) else { return };
    for word in ["Buchhaus", "Hausbuchhaus", "Seeshaus", "Buchsenseehausbuchseehausbuchsee", "İstanbulhaus", "ß"] {
        compounds.parts(word);
        compounds.split(word);
    }
}

const KINDS: [&str; 6] = ["ibm1", "ibm2", "diagonal", "gauss", "hmm", "fertility"];

/// Tables, source words and target words of every kind of aligner.
fn aligners() -> &'static [[Vec<u8>; 3]] {
    static MADE: OnceLock<Vec<[Vec<u8>; 3]>> = OnceLock::new();
    MADE.get_or_init(|| KINDS.iter().map(|kind| make_aligner(kind)).collect())
}

fn make_aligner(kind: &str) -> [Vec<u8>; 3] {
    let disk = OnDisk::new();
    let (sources, targets): (Vec<&str>, Vec<&str>) = TEXT.iter().copied().unzip();
    let mut settings = Settings::default_for(Kind::parse(kind, "truncated").unwrap(), TEXT.len());
    settings.schedule.chains = 1;
    let (bitext, source, target) = model::read(&sources, &targets, 100).unwrap();
    let trained = train::train(&bitext, source, target, &settings, &|| true).unwrap();
    let paths = ["a", "s", "t"].map(|name| disk.path(name));
    store::save(&trained.model, &paths[0], [&paths[1], &paths[2]]).unwrap();
    paths.map(|path| std::fs::read(path).unwrap())
}

/// An aligner of any kind.
pub fn aligner(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let kinds = aligners();
    let mut files = kinds[choices.below(kinds.len())].clone();
    // Words are damaged less often: they are a reader of their own.
    let which = [0, 0, 0, 0, 0, 0, 1, 2][usize::from(choices.byte() % 8)];
    files[which] = damaged(&files[which], &mut choices);
    let disk = OnDisk::new();
    let [path, source, target] = [("a", 0), ("s", 1), ("t", 2)].map(|(name, at)| disk.put(name, &files[at]));
    let Ok(model) = store::load(&path, [&source, &target], MOST) else { return };
    let (sources, targets): (Vec<&str>, Vec<&str>) = TEXT.iter().chain(&ASKED).copied().unzip();
    let bitext = model.encode(&sources, &targets, 100).unwrap();
    let beliefs = model.align(&bitext);
    let mut all = Vec::new();
    for k in 0..beliefs.len() {
        for method in ["intersection", "union", "grow-diag-final-and", "posterior"] {
            if let Ok(method) = Method::parse(method, 0.5) {
                links(beliefs.of(k), method);
                beliefs.line(k, method, true);
            }
        }
        all.push(links(beliefs.of(k), Method::parse("union", 0.5).unwrap()));
    }
    let _ = confidence::log_confidences(&model.table, &bitext, &all);
    for (source, target) in sources.iter().zip(&targets) {
        for (source, target) in source.split(' ').zip(target.split(' ')) {
            model.table.probabilities(model.source.id(source), model.target.id(target));
            let _ = (model.null_probability(source, false), model.null_probability(target, true));
        }
    }
    let _ = (model.positions(5, 4, true), model.positions(4, 5, false));
}

fn classifiers_file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let fields = [Field::symbols(0, 2), Field::number(2)];
        let mut examples = Examples::new(&fields);
        for at in 0..12_u16 {
            let row = [u32::from(at % 3), u32::from(at % 5), f32::from(at).to_bits()];
            examples.push(&row, at > 6 || at % 3 == 1);
        }
        let all = [(3, examples.clone()), (8, examples)];
        let how = boost::Settings { least: 0.02, trees_per_penalty: 2, ..boost::Settings::default() };
        train_all(&fields, &all, &how, None).unwrap().save(&disk.path("c.tlk")).unwrap();
        std::fs::read(disk.path("c.tlk")).unwrap()
    })
}

/// Boosted trees.
pub fn classifiers(bytes: &[u8]) {
    let disk = OnDisk::new();
    let path = disk.put("c.tlk", &damaged(classifiers_file(), &mut Choices(bytes)));
    let Ok(classifiers) = Classifiers::open(&path) else { return };
    let row = vec![1; slots(classifiers.fields())];
    for (key, trees) in classifiers.iter() {
        assert!(classifiers.find(key).is_some());
        for snapshot in 0..trees.snapshots.len().min(16) {
            trees.score(&row, snapshot);
            trees.specialise(snapshot, |field| (field == 0).then_some(&row[..])).score(&row);
        }
    }
    classifiers.mass(0.02);
    classifiers.save(&disk.path("again.tlk")).unwrap();
}
