//! Text: grammars of other systems, ARPA files, compressed lines, links, tokens, metrics.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use tolka_engine::align::pharaoh;
use tolka_engine::corpus::casing::Casing;
use tolka_engine::corpus::detokenise::Detokeniser;
use tolka_engine::corpus::tokenise::{Settings, Tokeniser};
use tolka_engine::corpus::truecase::recase;
use tolka_engine::corpus::{LineReader, ReadLimits};
use tolka_engine::files::Verify;
use tolka_engine::grammar::Table;
use tolka_engine::grammar::import::{ImportSettings, import as import_grammar};
use tolka_engine::lm::model::{Compiled, Form, LanguageModel};
use tolka_engine::lm::{arpa_read, arpa_write};
use tolka_engine::metric::{self, Metric, Spelling, TokenTable, bleu, chrf, gtm, nist, rates, ter};

use super::damage::{Choices, OnDisk};

const LIMITS: ReadLimits = ReadLimits { line_bytes: 1 << 16, file_bytes: 1 << 20, expansion: 100 };

/// Lines of rules; the bytes are the text.
pub fn import(bytes: &[u8]) {
    let disk = OnDisk::new();
    let (path, out) = (disk.put("rules.txt", bytes), disk.path("rules.tbl"));
    let settings = ImportSettings { format: None, unescape: true, exact: false, memory: 1 << 16, limits: LIMITS };
    if import_grammar(&path, None, &settings, &out).is_ok() {
        Table::open(&out, Verify::Full).unwrap();
    }
}

/// An ARPA file; the bytes are the text.
pub fn arpa(bytes: &[u8]) {
    let disk = OnDisk::new();
    let Ok(ngrams) = arpa_read::load(&disk.put("lm.arpa", bytes), &LIMITS) else { return };
    for form in [Form::Fast, Form::Small(None), Form::Small(Some(4))] {
        if let Ok(model) = Compiled::build(&ngrams, form) {
            model.score_sentence(&[3, 4, 0, 5, 99, 3, 3, 4]);
        }
    }
    arpa_write::save(&ngrams, &disk.path("again.arpa")).unwrap();
}

/// Lines, whatever compressed them.
pub fn lines(bytes: &[u8]) {
    for repair in [false, true] {
        let source = Box::new(Cursor::new(bytes.to_vec()));
        let Ok(reader) = LineReader::new(source, Path::new("text"), &LIMITS) else { return };
        let mut reader = reader.repairing(repair);
        while let Ok(Some(line)) = reader.next_line() {
            assert!(!line.contains('\n') && line.len() <= LIMITS.line_bytes as usize);
        }
    }
}

/// Tokens, letters and links.
pub fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (at, line) in text.lines().take(20).enumerate() {
        let language = ["de", "en", "fr", "fi", "tr", "zh", "cs", "xx"][at % 8];
        if let Ok(tokeniser) =
            Tokeniser::new(language, Settings { escape: at % 2 == 0, protect: at % 3 == 0, notation: at % 5 == 0 })
        {
            let tokens = tokeniser.line(line);
            let Ok(back) = Detokeniser::new(language) else { continue };
            back.line(&tokens);
            back.line(line);
            recase(Casing::of(language), &tokens);
        }
        let _ = pharaoh::parse(line, u16::from(at % 2 == 0));
    }
}

/// Metrics; the first half of the lines are references of the second.
pub fn metric(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let (name, exponent) = (["13a", "none", "char"][choices.below(3)], 1.0 + f64::from(choices.byte()) / 64.0);
    let Ok(tokeniser) = metric::tokenise::Tokeniser::parse(name) else { return };
    let text = String::from_utf8_lossy(choices.0);
    let lines: Vec<String> = text.lines().take(16).map(|line| line.chars().take(200).collect()).collect();
    let (references, hypotheses) = lines.split_at(lines.len() / 2);
    let hypotheses = &hypotheses[..references.len()];
    let mut table = TokenTable::default();
    let [references, hypotheses] = [references, hypotheses].map(|lines| table.texts(lines, tokeniser));
    let spelling = Arc::new(Spelling::new(table.tokens()));
    let settings = chrf::Settings { characters: 6, words: 2, beta: 2.0 };
    let mut metrics: Vec<Box<dyn Metric>> = vec![
        Box::new(ter::Ter::new(vec![references.clone()])),
        Box::new(rates::ErrorRate::new(vec![references.clone()], rates::Kind::Bag)),
        Box::new(rates::ErrorRate::new(vec![references.clone()], rates::Kind::Ordered)),
    ];
    metrics.extend(bleu::Bleu::new(&[&references], bleu::Settings::default()).map(|metric| Box::new(metric) as _));
    metrics.extend(nist::Nist::new(&[&references], 5).map(|metric| Box::new(metric) as _));
    metrics.extend(gtm::Gtm::new(vec![references.clone()], exponent).map(|metric| Box::new(metric) as _));
    metrics.extend(chrf::Chrf::new(&[&references], spelling, settings).map(|metric| Box::new(metric) as _));
    for metric in &metrics {
        let rows = metric::all_stats(&**metric, &hypotheses, |at| at);
        metric.score(&metric::sum(&rows, metric.width()));
        let _ = rows.chunks_exact(metric.width()).map(|row| metric.sentence_score(row)).sum::<f64>();
    }
}
