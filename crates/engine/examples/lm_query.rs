//! Times queries of the engine alone: `lm_query MODEL TEXT` scores a text from left to right, words already ids, and
//! prints nanoseconds per word as JSON.

use std::env::args_os;
use std::path::PathBuf;
use std::time::Instant;

use tolka_engine::corpus::vocabulary::EOS;
use tolka_engine::corpus::{LineReader, ReadLimits};
use tolka_engine::lm::any::AnyModel;
use tolka_engine::lm::batch::score_piece;
use tolka_engine::lm::model::{Compiled, LanguageModel};
use tolka_engine::{Error, Result};

/// Runs; the best is printed, because everything else only adds to it.
const RUNS: usize = 7;

fn main() -> Result<()> {
    let paths: Vec<PathBuf> = args_os().skip(1).map(PathBuf::from).collect();
    let [model, text] = &paths[..] else {
        return Err(Error::settings("give a .tlm file and a text"));
    };
    let opened = AnyModel::open(model, false, 1 << 40)?;
    let model: &Compiled = opened.of_words()?;
    let mut lines = LineReader::open(text, &ReadLimits::default())?;
    let (mut ids, mut ends) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next_line()? {
        model.vocabulary().encode_into(line, &mut ids);
        ids.push(EOS);
        ends.push(ids.len());
    }
    let (mut one, mut batch, mut checksum) = (f64::INFINITY, f64::INFINITY, 0.0);
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut begin = 0;
        for &end in &ends {
            checksum += model.score_sentence(&ids[begin..end - 1]);
            begin = end;
        }
        one = one.min(start.elapsed().as_nanos() as f64 / ids.len() as f64);
        let start = Instant::now();
        checksum -= score_piece(model, &ids, &ends).iter().map(|score| score.log10).sum::<f64>();
        batch = batch.min(start.elapsed().as_nanos() as f64 / ids.len() as f64);
    }
    println!(
        "{{\"words\": {}, \"one_by_one_ns\": {one:.1}, \"batch_ns\": {batch:.1}, \"difference\": {checksum:.6}}}",
        ids.len()
    );
    Ok(())
}
