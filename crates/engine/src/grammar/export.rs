//! Tables as files of other systems.

use std::fmt::Write as _;
use std::path::Path;

use super::lines::{Format, escaped};
use super::score::{FEATURES, ORIENTATIONS};
use super::{Symbol, Table};
use crate::corpus::TextWriter;
use crate::{Error, Result};

/// Writes a table as text, compressed as the name says; the orientations of phrases go to a file of their own.
///
/// # Errors
/// A table that the format cannot hold, or what the operating system says.
pub fn export(table: &Table, format: Format, path: &Path, reordering: Option<&Path>) -> Result<()> {
    if !table.voice_names().is_empty() {
        return Err(Error::input("no format of other systems has room for several voices").hint("export one of them"));
    }
    let mut out = TextWriter::create(path)?;
    let mut beside = reordering.map(TextWriter::create).transpose()?;
    let lines = Lines::new(table, format, reordering.is_some())?;
    let (mut line, mut second) = (String::new(), String::new());
    table.each_source(|node, source| {
        for rule in table.rules(node) {
            lines.write(rule, source, &mut line, &mut second)?;
            out.write_line(&line)?;
            if let Some(beside) = &mut beside {
                beside.write_line(&second)?;
            }
        }
        Ok(())
    })?;
    out.finish()?;
    beside.map_or(Ok(()), TextWriter::finish)
}

struct Lines<'a> {
    table: &'a Table,
    format: Format,
    /// Where the features of the main file are.
    main: Vec<usize>,
    /// Where the orientations are.
    orientations: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(table: &'a Table, format: Format, reordering: bool) -> Result<Self> {
        let names = table.feature_names();
        let place = |name: &str| names.iter().position(|known| known == name);
        let mut main: Vec<usize> = (0..names.len()).collect();
        let mut orientations = Vec::new();
        if reordering {
            orientations = ORIENTATIONS.iter().filter_map(|name| place(name)).collect();
            if orientations.len() != ORIENTATIONS.len() {
                return Err(Error::input("the grammar has no orientations").hint("leave out the reordering table"));
            }
        }
        if format != Format::Scfg {
            // The usual four first, in Moses' order; orientations have no place among them.
            main.retain(|&at| !ORIENTATIONS.contains(&&names[at][..]));
            main.sort_by_key(|&at| FEATURES.iter().position(|name| *name == names[at]).unwrap_or(FEATURES.len()));
        }
        Ok(Self { table, format, main, orientations })
    }

    fn write(&self, rule: u32, source: &[Symbol], line: &mut String, second: &mut String) -> Result<()> {
        let table = self.table;
        let side = table.side(rule);
        let target = &side.target[..];
        let mut features = Vec::new();
        table.features(rule, &mut features);
        let lhs = &table.categories()[usize::from(side.lhs)];
        let gaps: Vec<u32> = source.iter().filter_map(|symbol| symbol.as_nonterminal()).collect();
        line.clear();
        second.clear();
        if self.format == Format::MosesPhrases && (!gaps.is_empty() || lhs != "X") {
            return Err(Error::input("a rule with nonterminals does not fit in a phrase table")
                .hint("export as moses-rules or cdec"));
        }
        if self.format == Format::Scfg {
            write!(line, "[{lhs}] ||| ").expect("strings take all");
        }
        self.side(line, source, table.source_words(), &gaps, true);
        self.end_of_side(line, lhs);
        line.push_str(" ||| ");
        self.side(line, target, table.target_words(), &gaps, false);
        self.end_of_side(line, lhs);
        second.push_str(line);
        second.push_str(" |||");
        for &at in &self.orientations {
            write!(second, " {}", probability(features[at])).expect("strings take all");
        }
        line.push_str(" |||");
        for &at in &self.main {
            let written = if self.format == Format::Scfg {
                write!(line, " {}={}", table.feature_names()[at], features[at])
            } else {
                write!(line, " {}", probability(features[at]))
            };
            written.expect("strings take all");
        }
        line.push_str(" |||");
        let mut links: Vec<[usize; 2]> = side.links.iter().map(|link| link.map(usize::from)).collect();
        if self.format == Format::MosesRules {
            let places = source.iter().enumerate().filter(|(_, symbol)| symbol.is_nonterminal());
            for (place, (at, _)) in places.enumerate() {
                let other = target.iter().position(|&symbol| symbol == Symbol::nonterminal(place as u32));
                links.extend(other.map(|other| [at, other]));
            }
            links.sort_unstable();
        }
        for [s, t] in links {
            write!(line, " {s}-{t}").expect("strings take all");
        }
        if self.format != Format::Scfg && table.has_counts() {
            let [target, source, both] = table.counts(rule);
            write!(line, " ||| {target} {source} {both}").expect("strings take all");
        }
        Ok(())
    }

    fn side(
        &self,
        line: &mut String,
        symbols: &[Symbol],
        words: &crate::corpus::vocabulary::Vocabulary,
        gaps: &[u32],
        source: bool,
    ) {
        let mut seen = 0;
        for (at, symbol) in symbols.iter().enumerate() {
            if at > 0 {
                line.push(' ');
            }
            let Some(number) = symbol.as_nonterminal() else {
                line.push_str(&escaped(words.word(symbol.as_word().unwrap_or_default())));
                continue;
            };
            let place = if source { seen } else { number as usize };
            seen += 1;
            let category = &self.table.categories()[gaps.get(place).map_or(0, |&category| category as usize)];
            let written = match self.format {
                Format::Scfg => write!(line, "[{category},{}]", place + 1),
                _ => write!(line, "[{category}][{category}]"),
            };
            written.expect("strings take all");
        }
    }

    fn end_of_side(&self, line: &mut String, lhs: &str) {
        if self.format == Format::MosesRules {
            write!(line, " [{lhs}]").expect("strings take all");
        }
    }
}

/// Enough digits that reading gives the same logarithm again.
fn probability(log: f32) -> f64 {
    let p = f64::from(log).exp();
    let rounded: f64 = format!("{p:.8e}").parse().unwrap_or(p);
    rounded
}
