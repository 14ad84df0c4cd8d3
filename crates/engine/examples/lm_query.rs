//! Times queries of the engine alone: `lm_query MODEL TEXT` scores a text from left to right, words already ids, and
//! prints nanoseconds per word as JSON.

use std::env::args_os;
use std::path::PathBuf;
use std::time::Instant;

use tolka_engine::corpus::vocabulary::EOS;
use tolka_engine::corpus::{LineReader, ReadLimits};
use tolka_engine::lm::any::AnyModel;
use tolka_engine::lm::model::{Compiled, LanguageModel};
use tolka_engine::{Error, Result};

/// Runs over the text.
const RUNS: usize = 7;
/// Sentences of one piece.
const SENTENCES: usize = 128;

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
    // Short pieces, the best of several runs of each: what another process took away in between does not count.
    let mut pieces = Vec::new();
    let mut begin = 0;
    for ends in ends.chunks(SENTENCES) {
        let end = *ends.last().unwrap_or(&begin);
        pieces.push((&ids[begin..end], ends.iter().map(|end| end - begin).collect::<Vec<usize>>()));
        begin = end;
    }
    let (mut one, mut batch) = (vec![f64::INFINITY; pieces.len()], vec![f64::INFINITY; pieces.len()]);
    let mut difference = 0.0;
    for _ in 0..RUNS {
        for (piece, (ids, ends)) in pieces.iter().enumerate() {
            let start = Instant::now();
            let mut begin = 0;
            for &end in ends {
                difference += model.score_sentence(&ids[begin..end - 1]);
                begin = end;
            }
            one[piece] = one[piece].min(start.elapsed().as_nanos() as f64);
            let start = Instant::now();
            difference -= model.score_piece(ids, ends).iter().map(|score| score.log10).sum::<f64>();
            batch[piece] = batch[piece].min(start.elapsed().as_nanos() as f64);
        }
    }
    let words = ids.len() as f64;
    let (one, batch) = (one.iter().sum::<f64>() / words, batch.iter().sum::<f64>() / words);
    println!(
        "{{\"words\": {words}, \"one_by_one_ns\": {one:.1}, \"batch_ns\": {batch:.1}, \"difference\": {:.4}}}",
        difference.abs()
    );
    Ok(())
}
