//! Reading ARPA files: strictly, with the line of every complaint.
//!
//! The n-grams may stand in any order. An n-gram whose suffix is not listed, as some pruning tools leave behind, gets
//! the suffix with the value that backing off gives it, so that scores stay what the file says.

use std::path::Path;

use rayon::slice::ParallelSliceMut;

use super::ngrams::{LOG_ZERO, Level, MOST_ORDER, Ngrams, contexts};
use crate::corpus::vocabulary::{SPECIALS, Vocabulary, VocabularyBuilder};
use crate::corpus::{LineReader, ReadLimits};
use crate::{Error, Result};

/// The n-grams of one order as listed.
#[derive(Default)]
struct Listed {
    /// The words of each n-gram from last to first, one n-gram after the other.
    keys: Vec<u32>,
    prob: Vec<f32>,
    backoff: Vec<f32>,
    /// The line of each; 0 for a suffix that is not in the file.
    lines: Vec<u64>,
}

/// Reads a model.
///
/// # Errors
/// A file that cannot be read or is no complete, consistent ARPA model.
pub fn load(path: &Path, limits: &ReadLimits) -> Result<Ngrams> {
    read(&mut LineReader::open(path, limits)?)
}

/// Reads a model from lines.
///
/// # Errors
/// See [`load`].
pub fn read(lines: &mut LineReader) -> Result<Ngrams> {
    let parsed = Parser { builder: VocabularyBuilder::new(), listed: vec![false; SPECIALS.len()], orders: Vec::new() }
        .parse(lines);
    let ngrams = parsed.and_then(Parser::build);
    ngrams.map_err(|error| if error.place.path.is_some() { error } else { error.at_path(lines.name()) })
}

fn wrong(line: u64, what: impl Into<String>) -> Error {
    Error::format(what).at_line(line)
}

struct Parser {
    builder: VocabularyBuilder,
    /// Which of the builder's words the unigrams have.
    listed: Vec<bool>,
    orders: Vec<Listed>,
}

impl Parser {
    fn parse(mut self, lines: &mut LineReader) -> Result<Self> {
        let counts = header(lines)?;
        for (order, &count) in (1..).zip(&counts) {
            let title = format!("\\{order}-grams:");
            self.section(lines, order, count, order == counts.len(), &title)?;
        }
        // `section` has consumed the line that ends the last order.
        let number = lines.lines();
        if self.orders.len() != counts.len() {
            return Err(wrong(number, "the file ends before all orders are listed"));
        }
        Ok(self)
    }

    /// Reads one order: its title (skipping blank lines), its n-grams, and the blank line or `\end\` after them.
    fn section(&mut self, lines: &mut LineReader, order: usize, count: u64, highest: bool, title: &str) -> Result<()> {
        loop {
            match lines.next_line()?.map(str::trim_ascii) {
                None => return Err(wrong(lines.lines(), format!("the file ends before {title}"))),
                Some("") => {}
                Some(line) if line == title => break,
                Some(line) => {
                    let what = format!("found {:?} instead of {title}", shorten(line));
                    return Err(wrong(lines.lines(), what));
                }
            }
        }
        let mut listed = Listed::default();
        let mut end = None;
        loop {
            let number = lines.lines() + 1;
            let Some(line) = lines.next_line()? else { break };
            let line = line.trim_ascii();
            if line.is_empty() {
                break;
            }
            if line == "\\end\\" {
                end = Some(number);
                break;
            }
            self.gram(line, order, highest, &mut listed).map_err(|what| wrong(number, what))?;
            listed.lines.push(number);
        }
        let number = lines.lines();
        if listed.prob.len() as u64 != count {
            let what = format!("{} {order}-grams are listed, but the header says {count}", listed.prob.len());
            return Err(wrong(number, what).hint("the file is cut off or was edited"));
        }
        if order == 1 {
            for (special, here) in SPECIALS.iter().zip(&self.listed) {
                if !here {
                    return Err(wrong(number, format!("the unigrams have no {special}"))
                        .hint("a model must give unknown words and sentence boundaries a probability"));
                }
            }
        }
        if highest && end.is_none() {
            loop {
                match lines.next_line()?.map(str::trim_ascii) {
                    Some("") => {}
                    Some("\\end\\") => break,
                    Some(line) => {
                        let what = format!("found {:?} instead of \\end\\", shorten(line));
                        return Err(wrong(lines.lines(), what));
                    }
                    None => return Err(wrong(lines.lines(), "the file ends without \\end\\").hint("it is cut off")),
                }
            }
        } else if let (Some(number), false) = (end, highest) {
            return Err(wrong(number, format!("\\end\\ comes before \\{}-grams:", order + 1)));
        }
        self.orders.push(listed);
        Ok(())
    }

    fn gram(
        &mut self,
        line: &str,
        order: usize,
        highest: bool,
        listed: &mut Listed,
    ) -> std::result::Result<(), String> {
        let mut fields = [""; MOST_ORDER + 2];
        let mut count = 0;
        for field in line.split_ascii_whitespace() {
            if let Some(place) = fields.get_mut(count) {
                *place = field;
            }
            count += 1;
        }
        let backoff = match count.checked_sub(order + 1) {
            Some(0) => 0.0,
            Some(1) => number(fields[order + 1], "back-off")?,
            _ => return Err(format!("{count} fields where a {order}-gram has {} or {}", order + 1, order + 2)),
        };
        if highest && backoff != 0.0 {
            return Err("an n-gram of the highest order has a back-off".into());
        }
        let prob = number(fields[0], "log probability")?;
        if prob > 0.0 {
            return Err(format!("the log probability {prob} is above 0"));
        }
        for &word in fields[1..=order].iter().rev() {
            let id = if order == 1 {
                let id = self.builder.intern(word);
                self.listed.resize(self.builder.len(), false);
                if std::mem::replace(&mut self.listed[id as usize], true) {
                    return Err(format!("{:?} is listed twice", shorten(word)));
                }
                id
            } else {
                self.builder.find(word).ok_or_else(|| format!("{:?} is not among the unigrams", shorten(word)))?
            };
            listed.keys.push(id);
        }
        listed.prob.push(prob);
        listed.backoff.push(backoff);
        Ok(())
    }

    fn build(mut self) -> Result<Ngrams> {
        let builder = &self.builder;
        let vocabulary =
            Vocabulary::from_words((SPECIALS.len() as u32..builder.len() as u32).map(|id| builder.word(id)))?;
        for (n, listed) in (1..).zip(&mut self.orders) {
            listed.sort(n, &vocabulary)?;
        }
        for n in (3..=self.orders.len()).rev() {
            let (lower, higher) = self.orders.split_at_mut(n - 1);
            add_suffixes(lower.last_mut().expect("there is a lower order"), &higher[0], n);
        }
        let mut ngrams = Ngrams { vocabulary, levels: Vec::new() };
        let orders = self.orders.len();
        let mut lines: Vec<Vec<u64>> = Vec::new();
        let mut lower_keys: Vec<u32> = Vec::new();
        let mut lower_contexts = Vec::new();
        for (n, listed) in (1..).zip(self.orders) {
            let Listed { keys, prob, backoff, lines: numbers } = listed;
            if n > 1 {
                ngrams.levels[n - 2].begin = begins(&lower_keys, &keys, n);
            }
            let words = keys.chunks_exact(n).map(|key| key[n - 1]).collect();
            let backoff = if n < orders { backoff } else { Vec::new() };
            ngrams.levels.push(Level { words, begin: Vec::new(), prob, backoff });
            if n > 1 {
                let below = n.checked_sub(3).map(|below| &ngrams.levels[below]);
                let found = contexts(&ngrams.levels[n - 1], &ngrams.levels[n - 2], below, &lower_contexts);
                lower_contexts = found.map_err(|index| {
                    let words: Vec<u32> = keys[index * n..(index + 1) * n].iter().rev().copied().collect();
                    let context = spell(&ngrams.vocabulary, &words[..n - 1]);
                    let what = format!(
                        "{:?} needs the {}-gram {context:?}, which is not listed",
                        spell(&ngrams.vocabulary, &words),
                        n - 1
                    );
                    if numbers[index] > 0 { wrong(numbers[index], what) } else { Error::format(what) }
                })?;
                fill_in(&mut ngrams, n, &numbers, &lower_contexts);
            }
            lower_keys = keys;
            lines.push(numbers);
        }
        Ok(ngrams)
    }
}

impl Listed {
    /// Puts the n-grams into suffix order.
    fn sort(&mut self, n: usize, vocabulary: &Vocabulary) -> Result<()> {
        let key = |index: usize| &self.keys[index * n..(index + 1) * n];
        let count = self.prob.len();
        let mut order: Vec<u32> =
            (0..u32::try_from(count).map_err(|_| Error::limit("more than 2^32 n-grams"))?).collect();
        if !(1..count).all(|index| key(index - 1) < key(index)) {
            order.par_sort_unstable_by(|&a, &b| key(a as usize).cmp(key(b as usize)).then(a.cmp(&b)));
            for pair in order.windows(2) {
                if key(pair[0] as usize) == key(pair[1] as usize) {
                    let words: Vec<u32> = key(pair[1] as usize).iter().rev().copied().collect();
                    let what = format!("{:?} is listed twice", spell(vocabulary, &words));
                    return Err(wrong(self.lines[pair[1] as usize], what));
                }
            }
            let keys = order.iter().flat_map(|&index| key(index as usize)).copied().collect();
            self.keys = keys;
            self.prob = order.iter().map(|&index| self.prob[index as usize]).collect();
            self.backoff = order.iter().map(|&index| self.backoff[index as usize]).collect();
            self.lines = order.iter().map(|&index| self.lines[index as usize]).collect();
        }
        Ok(())
    }
}

/// Adds to order `n` - 1 the suffixes of the n-grams that are missing there; their values come later.
fn add_suffixes(lower: &mut Listed, higher: &Listed, n: usize) {
    let mut merged = Listed::default();
    let mut at = 0;
    let width = n - 1;
    let count = lower.prob.len();
    let take = |merged: &mut Listed, at: usize| {
        merged.keys.extend_from_slice(&lower.keys[at * width..(at + 1) * width]);
        merged.prob.push(lower.prob[at]);
        merged.backoff.push(lower.backoff[at]);
        merged.lines.push(lower.lines[at]);
    };
    for key in higher.keys.chunks_exact(n) {
        let suffix = &key[..width];
        while at < count && lower.keys[at * width..(at + 1) * width] <= *suffix {
            take(&mut merged, at);
            at += 1;
        }
        if merged.keys.len() < width || merged.keys[merged.keys.len() - width..] != *suffix {
            merged.keys.extend_from_slice(suffix);
            merged.prob.push(0.0);
            merged.backoff.push(0.0);
            merged.lines.push(0);
        }
    }
    (at..count).for_each(|at| take(&mut merged, at));
    *lower = merged;
}

/// Where the children of each lower n-gram begin among the n-grams of order `n`.
fn begins(lower: &[u32], keys: &[u32], n: usize) -> Vec<u32> {
    let mut begin = Vec::with_capacity(lower.len() / (n - 1) + 1);
    let mut at = 0;
    let count = keys.len() / n;
    for suffix in lower.chunks_exact(n - 1) {
        begin.push(at as u32);
        while at < count && keys[at * n..at * n + n - 1] == *suffix {
            at += 1;
        }
    }
    begin.push(at as u32);
    begin
}

/// Gives the suffixes that are not in the file the probability that backing off gives them.
fn fill_in(ngrams: &mut Ngrams, n: usize, lines: &[u64], contexts: &[u32]) {
    if lines.iter().all(|&line| line > 0) {
        return;
    }
    let mut filled = Vec::new();
    for suffix in 0..ngrams.levels[n - 2].len() {
        for index in ngrams.levels[n - 2].children(suffix as u32) {
            if lines[index] == 0 {
                let lower = &ngrams.levels[n - 2];
                filled.push((index, lower.backoff[contexts[index] as usize] + lower.prob[suffix]));
            }
        }
    }
    for (index, prob) in filled {
        ngrams.levels[n - 1].prob[index] = prob.clamp(LOG_ZERO, 0.0);
    }
}

/// Reads up to the blank line after the counts.
fn header(lines: &mut LineReader) -> Result<Vec<u64>> {
    loop {
        match lines.next_line()?.map(str::trim_ascii) {
            None => {
                return Err(Error::format("this is no ARPA file: there is no line \\data\\")
                    .hint("give a language model in ARPA form, or a .tlm that tolka wrote"));
            }
            Some("\\data\\") => break,
            Some(_) => {}
        }
    }
    let mut counts = Vec::new();
    loop {
        let number = lines.lines() + 1;
        let Some(line) = lines.next_line()?.map(str::trim_ascii) else {
            return Err(wrong(number - 1, "the file ends in its header"));
        };
        if line.is_empty() {
            if counts.is_empty() {
                continue;
            }
            break;
        }
        let entry = line.strip_prefix("ngram ").and_then(|entry| entry.split_once('='));
        let parsed = entry
            .and_then(|(order, count)| Some((order.trim().parse::<usize>().ok()?, count.trim().parse::<u64>().ok()?)));
        match parsed {
            Some((order, count)) if order == counts.len() + 1 => counts.push(count),
            _ => {
                return Err(wrong(
                    number,
                    format!("{:?} is no line like \"ngram {}=42\"", shorten(line), counts.len() + 1),
                ));
            }
        }
    }
    if counts.len() > MOST_ORDER {
        return Err(wrong(lines.lines(), format!("a model of order {}; orders 1 to {MOST_ORDER} work", counts.len())));
    }
    Ok(counts)
}

fn number(field: &str, name: &str) -> std::result::Result<f32, String> {
    match field.parse::<f32>() {
        Ok(value) if value == f32::NEG_INFINITY => Ok(LOG_ZERO),
        Ok(value) if value.is_finite() => Ok(value.max(LOG_ZERO)),
        _ => Err(format!("the {name} {:?} is not a finite number", shorten(field))),
    }
}

fn spell(vocabulary: &Vocabulary, words: &[u32]) -> String {
    words.iter().map(|&word| vocabulary.word(word)).collect::<Vec<_>>().join(" ")
}

/// The start of a text that is quoted in an error.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(60).chain(['…']).collect() }
}
