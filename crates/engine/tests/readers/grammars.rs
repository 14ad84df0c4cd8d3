//! Tables of rules and the segments of growing texts, down to translations.

use std::sync::{Arc, OnceLock};

use tolka_engine::corpus::ReadLimits;
use tolka_engine::decode::batch::candidates;
use tolka_engine::decode::chart::{CellSearch, ChartSettings};
use tolka_engine::decode::phrase::PhraseSettings;
use tolka_engine::decode::sparse::Templates;
use tolka_engine::decode::{Input, Model, Scorer, Strategy, Weights};
use tolka_engine::files::{Container, Verify};
use tolka_engine::grammar::aligned::AlignedBuilder;
use tolka_engine::grammar::columns::add_features;
use tolka_engine::grammar::export::export;
use tolka_engine::grammar::filter::filter;
use tolka_engine::grammar::folds::{Folds, make_fold_table};
use tolka_engine::grammar::import::{ImportSettings, import};
use tolka_engine::grammar::join::{How, JoinSettings, join, look_up};
use tolka_engine::grammar::lines::Format;
use tolka_engine::grammar::settings::{ExtractSettings, ScoreSettings};
use tolka_engine::grammar::suffix::{Extraction, Index, Rules, Segment};
use tolka_engine::grammar::{Table, alone, pattern};
use tolka_engine::lm::any::AnyModel;
use tolka_engine::lm::model::LanguageModel;

use super::damage::{Choices, OnDisk, damaged};
use super::models::{ASKED, TEXT, lms};

const RULES: &str = "\
[X] ||| das ||| the ||| p=-0.5 q=-1 ||| 0-0
[X] ||| das ||| that ||| p=-1.5 q=-2 ||| 0-0
[X] ||| Haus ||| house ||| p=-0.25 q=-1 ||| 0-0
[X] ||| alte ||| old ||| p=-0.5 q=-3 ||| 0-0
[X] ||| klein ||| small ||| p=-0.5 q=-0.125 ||| 0-0
[X] ||| das [X,1] ist ||| the [X,1] is ||| p=-0.75 q=-1 ||| 0-0 2-2
[X] ||| [X,1] ist [X,2] ||| [X,2] is [X,1] ||| p=-2 q=-1 ||| 1-1
[X] ||| [X,1] ist [X,2] ||| [X,1] is [X,2] ||| p=-0.375 q=-1 ||| 1-1
[X] ||| am See ||| by the lake ||| p=-1 q=-1.5 ||| 0-0 1-1 1-2
[X] ||| im [X,1] ||| in the [X,1] ||| p=-1 q=-1.5 ||| 0-0 0-1
[NP] ||| das [NP,1] ||| the [NP,1] ||| p=-0.5 q=-1 ||| 0-0
[NP] ||| Haus am See ||| lake house ||| p=-0.5 q=-1 ||| 0-1 2-0
";
const PHRASES: &str = "\
das ||| the ||| 0.5 0.4 0.7 0.6 ||| 0-0 ||| 2 3 2
das Haus ||| the house ||| 0.5 0.4 0.7 0.6 ||| 0-0 1-1 ||| 2 3 2
Haus ||| house ||| 0.25 0.4 0.7 0.6 ||| 0-0 ||| 3 3 3
alte ||| old ||| 0.25 0.4 0.7 0.6 ||| 0-0 ||| 1 1 1
am See ||| by the lake ||| 0.5 0.4 0.7 0.6 ||| 0-0 1-2 ||| 2 3 2
im See ||| in the lake ||| 0.5 0.4 0.7 0.6 ||| 0-0 1-2 ||| 2 3 2
ist klein ||| is small ||| 0.5 0.4 0.7 0.6 ||| 0-0 1-1 ||| 2 3 2
";

fn tables() -> &'static [Vec<u8>; 2] {
    static MADE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    MADE.get_or_init(|| {
        [(RULES, Format::Scfg), (PHRASES, Format::MosesPhrases)].map(|(text, format)| {
            let disk = OnDisk::new();
            let path = disk.put("rules.txt", text.as_bytes());
            let limits = ReadLimits::default();
            let settings =
                ImportSettings { format: Some(format), unescape: false, exact: false, memory: 1 << 20, limits };
            import(&path, None, &settings, &disk.path("rules.tbl")).unwrap();
            std::fs::read(disk.path("rules.tbl")).unwrap()
        })
    })
}

/// A table of rules.
pub fn table(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let how = choices.below(1 << 12);
    let phrases = how % 4 == 0;
    let file = damaged(&tables()[usize::from(phrases)], &mut choices);
    let opened = |verify| Table::from_container(&Container::from_bytes(&file, Some("grammar"), verify)?, verify);
    let whole = opened(Verify::Full);
    let Ok(table) = opened(Verify::Structure) else {
        assert!(whole.is_err(), "the full check accepts what the partial one refuses");
        return;
    };
    ask(&table, &mut Choices(bytes));
    translate(table, phrases, how);
}

/// What people do with a table beside translating.
fn ask(table: &Table, choices: &mut Choices<'_>) {
    let disk = OnDisk::new();
    pattern::sizes(table);
    for source in ["das", "das [X,1] ist", "am See", "[X,1] ist [X,2]"] {
        let node = pattern::find(table, source);
        for rule in node.into_iter().flat_map(|node| table.rules(node)) {
            let _ = (pattern::source(table, rule), pattern::target(table, rule), table.counts(rule), table.side(rule));
        }
    }
    let lines = ASKED.map(|(line, _)| line);
    let _ = filter(table, &lines, &disk.path("filtered.tbl"));
    let formats = [Format::Scfg, Format::MosesRules, Format::MosesPhrases];
    let _ = export(table, formats[choices.below(3)], &disk.path("rules.txt"), None);
    let _ =
        add_features(table, &["more".to_owned()], &disk.path("more.tbl"), |sources, _| Ok(vec![0.5; sources.len()]));
    join_with_whole(table, choices);
}

/// Joins a table with those that nothing happened to.
fn join_with_whole(table: &Table, choices: &mut Choices<'_>) {
    let disk = OnDisk::new();
    let whole = tables().each_ref().map(|bytes| {
        let file = Container::from_bytes(bytes, Some("grammar"), Verify::Structure).unwrap();
        Table::from_container(&file, Verify::Structure).unwrap()
    });
    let mut tables: Vec<(String, &Table)> = vec![("a".to_owned(), &whole[0]), ("b".to_owned(), &whole[1])];
    tables.insert(choices.below(3), ("damaged".to_owned(), table));
    let how = [
        How::Linear([(); 4].map(|()| vec![0.25, 0.5, 0.25])),
        How::LogLinear,
        How::Union,
        How::Intersection,
        How::FillUp,
        How::BackOff,
    ];
    let how = how[choices.below(6)].clone();
    // Features that must be the same are so in a pair.
    if !matches!(how, How::LogLinear | How::Union | How::Intersection) {
        tables.retain(|(name, other)| name == "damaged" || other.feature_names() == table.feature_names());
    }
    let settings = JoinSettings { how, floor: 1e-6, exact: choices.below(2) == 0 };
    let path = disk.path("joined.tbl");
    if join(&tables, &settings, &path, &|_| true).is_ok() {
        assert!(table.check().is_ok(), "a damaged table was joined");
        Table::open(&path, Verify::Full).unwrap();
    }
    let found = look_up(table, &[&whole[0], table]);
    let _ = found.map(|rows| assert_eq!(rows.features[1].len(), table.len() * table.feature_names().len()));
    let _ = pattern::find_rules(table, &["das", "das [X,1] ist"], &["the", "the [X,1] is"]);
}

/// Translates in every way there is.
fn translate(table: Table, phrases: bool, how: usize) {
    let disk = OnDisk::new();
    let lm = AnyModel::open(&disk.put("lm.tlm", &lms()[0]), false, 1 << 30).unwrap();
    let lms: Vec<(String, Arc<dyn LanguageModel>)> =
        if (how / 4).is_multiple_of(4) { Vec::new() } else { vec![("lm".to_owned(), Arc::new(lm))] };
    let sparse = Templates { word_pair: 5 * (how / 16 % 2), rule_shape: how / 32 % 2 == 1, rule_count: true };
    let Ok(model) =
        Model::new(vec![("t".to_owned(), Arc::new(table))], lms).and_then(|model| model.with_sparse(sparse))
    else {
        return;
    };
    let dense = vec![0.25; model.feature_names().len()];
    let scorer = Scorer::from(Weights::new(&model, &dense).unwrap());
    let chart = |settings: ChartSettings| Box::new(settings) as Box<dyn Strategy>;
    let mut strategies = vec![
        chart(ChartSettings { keep_edges: true, ..ChartSettings::default() }),
        chart(ChartSettings { search: CellSearch::Boundary, ..ChartSettings::default() }),
        chart(ChartSettings { passes: 2, keep_edges: true, ..ChartSettings::default() }),
        chart(ChartSettings { pop_limit: 0, shallow: Some(1), ..ChartSettings::default() }),
    ];
    if phrases {
        strategies.push(Box::new(PhraseSettings { keep_edges: true, ..PhraseSettings::default() }));
    }
    let strategy = &strategies[how / 64 % strategies.len()];
    let Ok(mut decoder) = strategy.search(&model, &scorer) else { return };
    for (source, target) in ASKED {
        let input = Input::sentence(source).unwrap();
        if decoder.decode(&input).is_ok() {
            decoder.best();
            if let Ok(forest) = decoder.forest(&input) {
                candidates(&forest, 10, true);
                forest.to_json();
            }
        }
        let _ = decoder.force(&input, target).map(|forest| candidates(&forest, 3, false));
        let _ = decoder.context_free(&input).map(|forest| candidates(&forest, 3, false));
    }
}

/// Tables of several voices: of rules, and of phrases stored as they are.
fn spoken() -> &'static [Vec<u8>; 2] {
    static MADE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut text = AlignedBuilder::new();
        for (source, target) in TEXT {
            let least = source.split(' ').count().min(target.split(' ').count()) as u16;
            text.push(source, target, (0..least).map(|place| (place, place))).unwrap();
        }
        let text = text.finish().unwrap();
        let folds: Vec<u32> = (0..TEXT.len() as u32).map(|at| at % 4).collect();
        let folds = Folds::new(&text, &folds, &[0, 1, 3]).unwrap();
        let disk = OnDisk::new();
        [(ExtractSettings::hiero(), false), (ExtractSettings::phrase(), true)].map(|(extract, exact)| {
            let (path, score) = (disk.path("spoken.tbl"), ScoreSettings { exact, ..ScoreSettings::new() });
            make_fold_table(&text, &folds, &extract, &score, 1 << 20, &path, &|_| true).unwrap();
            std::fs::read(path).unwrap()
        })
    })
}

/// A table of several voices.
pub fn voices(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let how = choices.below(1 << 12);
    let phrases = how % 4 == 0;
    let file = damaged(&spoken()[usize::from(phrases)], &mut choices);
    let opened = |verify| Table::from_container(&Container::from_bytes(&file, Some("grammar"), verify)?, verify);
    let whole = opened(Verify::Full);
    let Ok(table) = opened(Verify::Structure) else {
        assert!(whole.is_err(), "the full check accepts what the partial one refuses");
        return;
    };
    let columns = table.feature_names().len();
    assert_eq!(columns, table.voices() * table.width());
    let (mut values, mut scores) = (Vec::new(), vec![0.0; table.voices()]);
    let weights = vec![0.5; columns];
    // Damage may make a table of one voice and many rules without sections.
    for rule in (0..table.len().min(100) as u32).chain([u32::MAX]) {
        values.clear();
        table.features(rule, &mut values);
        assert_eq!(values.len(), columns);
        let spoken = table.spoken(rule);
        assert!(table.voices() == 64 || spoken >> table.voices() == 0);
        table.voice_scores(rule, &weights, &mut scores);
        let _ = (table.weighted(rule, &weights), table.feature(rule, columns - 1));
        for voice in [0, table.voices() - 1, 70] {
            table.voice_features(rule, voice, &mut values);
            table.voice_counts(rule, voice);
        }
    }
    let _ = alone(&table, how % 3).and_then(|made| made.build(table.source_words(), table.target_words()));
    ask(&table, &mut Choices(bytes));
    translate(table, phrases, how);
}

/// Two segments of a growing text.
fn segments() -> &'static [Vec<u8>; 2] {
    static MADE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    MADE.get_or_init(|| {
        let disk = OnDisk::new();
        let paths = ["one", "two"].map(|name| disk.path(name));
        for (at, part) in TEXT.chunks(TEXT.len() / 2).enumerate() {
            let mut text = AlignedBuilder::new();
            for (source, target) in part {
                let least = source.split(' ').count().min(target.split(' ').count()) as u16;
                text.push(source, target, (0..least).map(|place| (place, place))).unwrap();
            }
            let index = Index::open(&paths[..at], Verify::Full).unwrap();
            index.segment(&text.finish().unwrap()).unwrap().write(&paths[at]).unwrap();
        }
        paths.map(|path| std::fs::read(path).unwrap())
    })
}

/// The segments of a growing text: its rules, and merging.
pub fn segment(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let (kind, which) = (choices.below(1 << 12), choices.below(2));
    let mut files = segments().clone();
    files[which] = damaged(&files[which], &mut choices);
    let disk = OnDisk::new();
    let paths = [("one", 0), ("two", 1)].map(|(name, at)| disk.put(name, &files[at]));
    let Ok(index) = Index::open(&paths, Verify::Structure) else { return };
    if let Ok(merged) = Segment::merge(index.segments()) {
        merged.write(disk.path("merged")).unwrap();
    }
    let extract = if kind % 2 == 0 { ExtractSettings::hiero() } else { ExtractSettings::phrase() };
    let samples = kind / 2 % 3;
    let settings = Extraction { extract, score: ScoreSettings::new(), samples, max_span: 10 };
    let Ok(rules) = Rules::new(index, settings) else { return };
    let sentences: Vec<&str> = TEXT.iter().chain(&ASKED).map(|(source, _)| *source).collect();
    if let Ok(table) = rules.table(&sentences) {
        translate(table, kind % 2 == 1, kind);
    }
}
