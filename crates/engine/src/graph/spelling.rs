//! Profiles of how words are spelt: their sequences of letters, with both ends of the word marked by a blank.

use std::sync::Arc;

use super::names::Names;
use super::profiles::{Profiles, Shape, Values};
use super::weigh::Measure;
use crate::{Error, Result};

/// Letters in the longest sequence.
const LONGEST: usize = 20;

/// A row of counts for each word, of its sequences of `shortest` to `longest` letters.
///
/// # Errors
/// Words that come twice, and lengths that make no sense.
pub fn spelling_profiles<'a>(
    words: impl Iterator<Item = &'a str>,
    shortest: usize,
    longest: usize,
) -> Result<Profiles> {
    if shortest == 0 || longest < shortest || longest > LONGEST {
        let what = format!("sequences of {shortest} to {longest} letters make no sense");
        return Err(Error::settings(what).hint(format!("they may have 1 to {LONGEST}, the shortest first")));
    }
    let (mut nodes, mut contexts) = (Names::default(), Names::default());
    let (mut starts, mut ids, mut counts, mut totals) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    let (mut padded, mut ends, mut found) = (String::new(), Vec::new(), Vec::new());
    for word in words {
        if nodes.intern(word) as usize != starts.len() - 1 {
            return Err(Error::input(format!("the word {word:?} is wanted twice")));
        }
        padded.clear();
        padded.push(' ');
        padded.push_str(word);
        padded.push(' ');
        ends.clear();
        ends.extend(padded.char_indices().map(|(at, _)| at).chain([padded.len()]));
        for length in shortest..=longest {
            for part in ends.windows(length + 1) {
                let sequence = &padded[part[0]..part[length]];
                if sequence != " " {
                    found.push(contexts.intern(sequence));
                }
            }
        }
        found.sort_unstable();
        totals.resize(contexts.len(), 0.0);
        for same in found.chunk_by(|a, b| a == b) {
            ids.push(same[0]);
            counts.push(same.len() as u32);
            totals[same[0] as usize] += same.len() as f64;
        }
        found.clear();
        starts.push(ids.len());
    }
    let occurrences = vec![1; nodes.len()];
    let shape = Arc::new(Shape { nodes, contexts, places: 0, occurrences, totals });
    Ok(Profiles { shape, starts, ids, values: Values::Counts(counts), measure: Measure::Count })
}
