//! Times phrase-based decoding on one thread: `phrase_decode TABLE LM WEIGHTS TEXT [name=value ...]` translates a text
//! with settings `pop`, `stack`, `table`, `distortion`, `jumps` (0 or 1), writes translations to standard output and
//! one line of JSON to standard error. WEIGHTS has a feature and its weight on each line; other features weigh nothing.

use std::env::args;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use tolka_engine::corpus::{LineReader, ReadLimits};
use tolka_engine::decode::phrase::{PhraseDecoder, PhraseSettings};
use tolka_engine::decode::{Input, Model, Scorer, Weights};
use tolka_engine::files::Verify;
use tolka_engine::grammar::Table;
use tolka_engine::lm::any::AnyModel;
use tolka_engine::{Error, Result};

fn lines(path: &str) -> Result<Vec<String>> {
    let mut reader = LineReader::open(path.as_ref(), &ReadLimits::default())?;
    let mut lines = Vec::new();
    while let Some(line) = reader.next_line()? {
        lines.push(line.to_owned());
    }
    Ok(lines)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = args().skip(1).collect();
    let [table, lm, weights, text, rest @ ..] = &arguments[..] else {
        return Err(Error::settings("give a table, a .tlm file, weights and a text"));
    };
    let table = Table::open(table, Verify::Structure)?;
    let lm = AnyModel::open(lm.as_ref(), false, 1 << 40)?.of_words()?.clone();
    let model = Model::new(vec![("t".into(), Arc::new(table))], vec![("lm".into(), Arc::new(lm))])?;
    let mut values = vec![0.0; model.feature_names().len()];
    for line in lines(weights)? {
        let (name, value) = line.split_once(' ').unwrap_or((&line, ""));
        let at = model.feature(name).ok_or_else(|| Error::input(format!("there is no feature {name}")))?;
        values[at] = value.trim().parse().map_err(|_| Error::input(format!("{value} is not a weight")))?;
    }
    let weights = Scorer::from(Weights::new(&model, &values)?);
    let mut settings = PhraseSettings::default();
    for setting in rest {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        let value: usize = value.parse().map_err(|_| Error::settings(format!("{setting} is not a setting")))?;
        match name {
            "pop" => settings.pop_limit = value,
            "stack" => settings.stack_size = value,
            "table" => settings.table_limit = value,
            "distortion" => settings.distortion_limit = value,
            "jumps" => settings.estimate_jumps = value > 0,
            _ => return Err(Error::settings(format!("there is no setting {name}"))),
        }
    }
    let inputs: Vec<Input> = lines(text)?.iter().map(|line| Input::sentence(line)).collect::<Result<_>>()?;
    let mut decoder = PhraseDecoder::new(&model, &weights, settings)?;
    let (mut grids, mut pops, mut scored, mut queries, mut total) = (0, 0, 0, 0, 0.0);
    let mut out = Vec::new();
    let started = Instant::now();
    for input in &inputs {
        decoder.decode(input)?;
        let (text, score) = decoder.best().unwrap_or_default();
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
        total += f64::from(score);
        let effort = decoder.effort();
        grids += effort.cubes;
        pops += effort.pops;
        scored += effort.scored;
        queries += effort.queries;
    }
    let seconds = started.elapsed().as_secs_f64();
    std::io::stdout().write_all(&out).map_err(|error| Error::input(error.to_string()))?;
    let per_pop = |count: u64| count as f64 / pops as f64;
    eprintln!(
        "{{\"sentences_per_second\": {:.1}, \"score\": {:.4}, \"pops\": {pops}, \"ns_per_pop\": {:.0}, \
         \"grids_per_pop\": {:.2}, \"scored_per_pop\": {:.2}, \"queries_per_pop\": {:.2}}}",
        inputs.len() as f64 / seconds,
        total / inputs.len() as f64,
        seconds * 1e9 / pops as f64,
        per_pop(grids),
        per_pop(scored),
        per_pop(queries),
    );
    Ok(())
}
