//! Tables from the files of other systems.

use std::path::Path;

use super::code::{END, put, side, symbols};
use super::lines::{Format, LineRule, Token, unescaped};
use super::score::{CATEGORIES, FEATURES, ORIENTATIONS};
use super::sort::Sorter;
use super::table::{MOST_ARITY, MOST_FEATURES};
use super::tape::Merge;
use super::{Rule, Symbol, TableBuilder};
use crate::corpus::vocabulary::{SPECIALS, Vocabulary, VocabularyBuilder};
use crate::corpus::{LineReader, ReadLimits};
use crate::{Error, Result};

/// How files are read.
pub struct ImportSettings {
    /// The format; seen from the first line if none is given.
    pub format: Option<Format>,
    /// Whether `&#124;`, `&#91;` and `&#93;` stand for `|`, `[` and `]`.
    pub unescape: bool,
    /// Whether values are stored as they are, instead of as the nearest of 256 for each feature.
    pub exact: bool,
    /// Bytes of memory for sorting.
    pub memory: usize,
    /// Caps on files.
    pub limits: ReadLimits,
}

/// What precedes the rest of a payload: a rule, or the orientations of a rule.
const RULE: u8 = 0;
const ORIENTATION: u8 = 1;

/// Makes the table of a grammar file, and of a reordering table if there is one; gives the number of rules.
///
/// # Errors
/// A line that is malformed, a rule that is there twice, or what the operating system says.
pub fn import(path: &Path, reordering: Option<&Path>, settings: &ImportSettings, out: &Path) -> Result<u64> {
    let mut import = Importer {
        unescape: settings.unescape,
        words: [VocabularyBuilder::new(), VocabularyBuilder::new()],
        categories: CATEGORIES.map(str::to_owned).into(),
        features: Vec::new(),
        sorter: Sorter::new(settings.memory / 2),
        key: Vec::new(),
        payload: Vec::new(),
    };
    let mut format = settings.format;
    read(path, &settings.limits, |line, number| {
        let format = *format.get_or_insert_with(|| Format::of(line));
        import.rule(&LineRule::parse(line, format)?, format, number)
    })?;
    if let Some(path) = reordering {
        read(path, &settings.limits, |line, number| {
            let rule = LineRule::parse(line, Format::MosesPhrases)?;
            import.orientations(&rule, number)
        })?;
    }
    let words = import.words.each_ref().map(|words| {
        let all: Vec<&str> = (SPECIALS.len() as u32..words.len() as u32).map(|id| words.word(id)).collect();
        Vocabulary::from_words(all)
    });
    let [source, target] = words;
    let mut names = import.features;
    let width = names.len();
    if reordering.is_some() {
        names.extend(ORIENTATIONS.map(str::to_owned));
    }
    let best = names.iter().position(|name| name == FEATURES[2]);
    let mut builder = TableBuilder::new(names, import.categories)?;
    if !settings.exact {
        builder.quantise();
    }
    let mut writer = Writer { builder, width, joined: reordering.is_some(), best, group: Vec::new() };
    writer.all(import.sorter.finish()?, path)?;
    let rules = writer.builder.len();
    if rules == 0 {
        return Err(Error::input("there is no rule in it").at_path(path));
    }
    writer.builder.write(out, &source?, &target?)?;
    Ok(rules)
}

fn read(path: &Path, limits: &ReadLimits, mut each: impl FnMut(&str, u64) -> Result<()>) -> Result<()> {
    let mut lines = LineReader::open(path, limits)?;
    loop {
        let number = lines.lines() + 1;
        let Some(line) = lines.next_line()? else { return Ok(()) };
        if !line.trim().is_empty() {
            each(line, number).map_err(|error| error.at_path(path).at_line(number))?;
        }
    }
}

struct Importer {
    unescape: bool,
    words: [VocabularyBuilder; 2],
    categories: Vec<String>,
    features: Vec<String>,
    sorter: Sorter,
    key: Vec<u8>,
    payload: Vec<u8>,
}

impl Importer {
    fn symbol(&mut self, side: usize, token: &Token<'_>) -> Result<Symbol> {
        Ok(match *token {
            Token::Word(word) => {
                let word = if self.unescape { unescaped(word) } else { word.into() };
                if SPECIALS.contains(&&*word) {
                    return Err(
                        Error::format(format!("the word {word} has a meaning of its own")).hint("leave such rules out")
                    );
                }
                Symbol::word(self.words[side].intern(&word))
            }
            Token::Gap(category, _) if side == 0 => Symbol::nonterminal(u32::from(self.category(category)?)),
            Token::Gap(_, place) => Symbol::nonterminal(place),
        })
    }

    fn category(&mut self, name: &str) -> Result<u8> {
        let at = self.categories.iter().position(|known| known == name).unwrap_or_else(|| {
            self.categories.push(name.to_owned());
            self.categories.len() - 1
        });
        u8::try_from(at).map_err(|_| Error::limit("a grammar has more than 256 categories"))
    }

    /// Writes both sides as a key.
    fn sides(&mut self, rule: &LineRule<'_>) -> Result<()> {
        self.key.clear();
        for (side, tokens) in [&rule.source, &rule.target].into_iter().enumerate() {
            let gaps = tokens.iter().filter(|token| matches!(token, Token::Gap(..))).count();
            if gaps > MOST_ARITY {
                return Err(Error::format(format!("the rule has more than {MOST_ARITY} nonterminals")));
            }
            for token in tokens {
                let symbol = self.symbol(side, token)?;
                put(&mut self.key, symbol);
            }
            self.key.push(END);
        }
        Ok(())
    }

    fn rule(&mut self, rule: &LineRule<'_>, format: Format, number: u64) -> Result<()> {
        let mut values = vec![0.0_f32; self.features.len()];
        for (at, &(name, value)) in rule.features.iter().enumerate() {
            let given;
            let name = match (name, format) {
                ("", Format::Scfg) => {
                    given = format!("feature_{at}");
                    &given
                }
                ("", _) if at < FEATURES.len() => FEATURES[at],
                ("", _) => {
                    given = format!("score_{at}");
                    &given
                }
                (name, _) => name,
            };
            let place = self.features.iter().position(|known| known == name).unwrap_or_else(|| {
                self.features.push(name.to_owned());
                self.features.len() - 1
            });
            if place >= MOST_FEATURES {
                return Err(Error::limit(format!("a grammar has more than {MOST_FEATURES} features")));
            }
            values.resize(values.len().max(place + 1), 0.0);
            values[place] = value;
        }
        let lhs = self.category(rule.lhs)?;
        self.sides(rule)?;
        self.key.push(lhs);
        check(rule)?;
        self.payload.clear();
        self.payload.push(RULE);
        self.payload.extend_from_slice(&number.to_le_bytes());
        self.payload.extend_from_slice(bytemuck::bytes_of(&rule.counts));
        self.payload.extend_from_slice(&(values.len() as u32).to_le_bytes());
        self.payload.extend_from_slice(bytemuck::cast_slice(&values));
        self.payload.extend_from_slice(bytemuck::cast_slice(&rule.links));
        self.sorter.push(&self.key, &self.payload)
    }

    fn orientations(&mut self, rule: &LineRule<'_>, number: u64) -> Result<()> {
        if rule.features.len() != ORIENTATIONS.len() {
            return Err(Error::format(format!("{} scores instead of six", rule.features.len()))
                .hint("train the reordering model as msd-bidirectional-fe"));
        }
        self.sides(rule)?;
        self.key.push(super::table::X);
        let values: Vec<f32> = rule.features.iter().map(|&(_, value)| value).collect();
        self.payload.clear();
        self.payload.push(ORIENTATION);
        self.payload.extend_from_slice(&number.to_le_bytes());
        self.payload.extend_from_slice(bytemuck::cast_slice(&values));
        self.sorter.push(&self.key, &self.payload)
    }
}

/// What the table would refuse too, but without knowing the line.
fn check(rule: &LineRule<'_>) -> Result<()> {
    let places = |tokens: &[Token<'_>]| {
        let mut places: Vec<u32> = tokens
            .iter()
            .filter_map(|token| match token {
                Token::Gap(_, place) => Some(*place),
                Token::Word(_) => None,
            })
            .collect();
        places.sort_unstable();
        places
    };
    if places(&rule.source) != places(&rule.target) {
        return Err(Error::format("the nonterminals of the two sides do not pair up"));
    }
    let (source, target) = (rule.source.len(), rule.target.len());
    if rule.links.iter().any(|&[s, t]| usize::from(s) >= source || usize::from(t) >= target) {
        return Err(Error::format("a link points outside the rule"));
    }
    Ok(())
}

#[derive(Default)]
struct Stored {
    lhs: u8,
    target: Vec<Symbol>,
    values: Vec<f32>,
    links: Vec<[u8; 2]>,
    counts: [f32; 3],
}

struct Writer {
    builder: TableBuilder,
    /// Features of the grammar file.
    width: usize,
    /// Whether orientations follow them.
    joined: bool,
    /// The feature that rules of one source side are ordered by.
    best: Option<usize>,
    group: Vec<Stored>,
}

impl Writer {
    fn all(&mut self, mut merge: Merge, path: &Path) -> Result<()> {
        let mut source = Vec::new();
        let mut key = Vec::new();
        let mut line = 0;
        while merge.advance()? {
            let split = side(merge.key()) + 1;
            let same_source = key.starts_with(&merge.key()[..split]);
            let same_rule = key == merge.key();
            let mut payload = merge.payload();
            let tag = payload[0];
            let number = u64::from_le_bytes(payload[1..9].try_into().expect("eight bytes"));
            payload = &payload[9..];
            if tag == ORIENTATION {
                let known = self.width + ORIENTATIONS.len();
                let rule = self.group.last_mut().filter(|rule| same_rule && rule.values.len() < known);
                let rule = rule.ok_or_else(|| {
                    Error::format("a phrase pair of the reordering table is not in the phrase table, or there twice")
                        .at_line(number)
                })?;
                rule.values.extend(payload.chunks_exact(4).map(bytemuck::pod_read_unaligned::<f32>));
                continue;
            }
            if same_rule {
                return Err(Error::format(format!("the rule of line {line} is there again"))
                    .at_path(path)
                    .at_line(number.max(line)));
            }
            if !same_source {
                self.flush(&source, path)?;
                source.clear();
                symbols(&merge.key()[..split], &mut source);
            }
            self.group.push(self.stored(&merge.key()[split..], payload));
            key.clear();
            key.extend_from_slice(merge.key());
            line = number;
        }
        self.flush(&source, path)
    }

    fn stored(&self, target_and_lhs: &[u8], payload: &[u8]) -> Stored {
        let mut stored = Stored { lhs: target_and_lhs[target_and_lhs.len() - 1], ..Stored::default() };
        symbols(target_and_lhs, &mut stored.target);
        stored.counts = bytemuck::pod_read_unaligned(&payload[..12]);
        let values = u32::from_le_bytes(payload[12..16].try_into().expect("four bytes")) as usize;
        let (values, links) = payload[16..].split_at(4 * values);
        stored.values.extend(values.chunks_exact(4).map(bytemuck::pod_read_unaligned::<f32>));
        // Names that came up later are absent here.
        stored.values.resize(self.width, 0.0);
        stored.links.extend(links.chunks_exact(2).map(|link| [link[0], link[1]]));
        stored
    }

    fn flush(&mut self, source: &[Symbol], path: &Path) -> Result<()> {
        let value = |rule: &Stored| self.best.map_or(0.0, |best| rule.values[best]);
        self.group.sort_by(|a, b| value(b).total_cmp(&value(a)));
        for rule in self.group.drain(..) {
            if self.joined && rule.values.len() == self.width {
                return Err(Error::format("a phrase pair is not in the reordering table").at_path(path));
            }
            self.builder.push(&Rule {
                lhs: rule.lhs,
                source,
                target: &rule.target,
                features: &rule.values,
                links: &rule.links,
                counts: rule.counts,
            })?;
        }
        Ok(())
    }
}
