//! What queries need to know of an n-gram beside its values, worked out once when a model is compiled.

use super::ngrams::Ngrams;
use super::search::UNUSED;
use crate::{Error, Result};

/// Values as they are stored, per order.
pub(super) struct Values {
    /// The bits of -log10 p; the sign says whether longer n-grams end in this one.
    pub prob: Vec<Vec<u32>>,
    /// The bits of the back-off, [`UNUSED`] where the n-gram need not be remembered as a context.
    pub backoff: Vec<Vec<u32>>,
}

/// Works out the stored values of a model.
pub(super) fn values(ngrams: &Ngrams) -> Result<Values> {
    let contexts = ngrams.contexts().map_err(|words| {
        let words: Vec<&str> = words.iter().map(|&word| ngrams.vocabulary.word(word)).collect();
        Error::format(format!("the model has {:?} but not its context", words.join(" ")))
    })?;
    let order = ngrams.order();
    let mut values = Values { prob: Vec::new(), backoff: Vec::new() };
    for (n, level) in (1..).zip(&ngrams.levels) {
        let sign = |index: usize| {
            let extends_left = n < order && level.begin[index + 1] > level.begin[index];
            if extends_left { 1 << 31 } else { 0 }
        };
        values.prob.push((0..level.len()).map(|index| (-level.prob[index]).abs().to_bits() | sign(index)).collect());
        let mut continued = vec![false; level.len()];
        if n < order {
            contexts[n].iter().for_each(|&context| continued[context as usize] = true);
        }
        let stored = |index: usize| {
            let backoff = level.backoff.get(index).copied().unwrap_or(0.0);
            match (backoff == 0.0, continued[index]) {
                (true, true) => 0.0_f32.to_bits(),
                (true, false) => UNUSED.to_bits(),
                _ => backoff.to_bits(),
            }
        };
        values.backoff.push((0..level.len()).map(stored).collect());
    }
    Ok(values)
}
