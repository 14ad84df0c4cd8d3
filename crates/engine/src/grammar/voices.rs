//! A table that speaks for several components, such as the models of the folds of one text: its voices.
//!
//! Most voices say the same of a rule, or nearly: each row of values is what a rule says in general, and rows of those
//! voices follow that say something else. Which voices have a rule at all is a mask.

use std::cmp::Ordering;

use super::rows::Rows;
use super::table::{Rule, STRIDE, Side, Table, check_names};
use super::table_builder::TableBuilder;
use crate::files::{Container, Section};
use crate::{Error, Result};

/// Voices of a table: a mask has a bit for each.
pub const MOST_VOICES: usize = 64;
/// Bytes of the name of a voice, and of a feature of a table with voices.
const MOST_NAME: usize = 255;

/// Who speaks of which rule, where it lies in a file.
#[derive(Debug, Clone)]
pub(super) struct Voices {
    pub names: Vec<String>,
    /// The names of the features of each.
    pub features: Vec<String>,
    /// The voices that each rule has.
    pub masks: Section<u64>,
    /// How many voices have a row of their own, of each rule; and how many there are before rules 0, 16, 32 and so on.
    pub changes: Section<u8>,
    pub places: Section<u64>,
    /// Which voices these are.
    pub who: Section<u8>,
}

/// What voices say of a rule that say something else than most.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said<'a> {
    /// The voices that have it.
    pub spoken: u64,
    /// The voices of which the rest is, in order.
    pub who: &'a [u8],
    /// Their features, one voice after the other.
    pub features: &'a [f32],
    pub counts: &'a [[f32; 3]],
}

/// What there is of a rule.
struct Entry<'a> {
    mask: u64,
    /// Its general row; those of `who` follow.
    row: usize,
    who: &'a [u8],
}

impl Entry<'_> {
    #[inline]
    fn has(&self, voice: usize) -> bool {
        voice < MOST_VOICES && self.mask >> voice & 1 == 1
    }

    /// The row that a voice has.
    #[inline]
    fn row_of(&self, voice: usize) -> usize {
        let own = self.who.iter().position(|&who| usize::from(who) == voice);
        own.map_or(self.row, |at| self.row + 1 + at)
    }
}

/// A mask of so many voices.
pub(super) fn everyone(voices: usize) -> u64 {
    if voices >= MOST_VOICES { u64::MAX } else { (1 << voices) - 1 }
}

/// Checks the names of voices and of their features.
///
/// # Errors
/// None, too many, or such as cannot be names.
pub(super) fn check_voices(voices: &[String], features: &[String]) -> Result<()> {
    if voices.is_empty() || features.is_empty() {
        return Err(Error::input("voices need names and features"));
    }
    if let Some(name) = voices.iter().chain(features).find(|name| name.len() > MOST_NAME) {
        return Err(Error::limit(format!("a name of {} bytes, more than {MOST_NAME}", name.len())));
    }
    check_names(voices, MOST_VOICES)
}

/// The names of all columns.
pub(super) fn columns(voices: &[String], features: &[String]) -> Vec<String> {
    voices.iter().flat_map(|voice| features.iter().map(move |feature| format!("{voice}.{feature}"))).collect()
}

impl Voices {
    /// The voices of a table in a container.
    ///
    /// # Errors
    /// Sections that do not fit each other.
    pub fn open(file: &Container, names: Vec<String>, features: &[String], rules: usize) -> Result<Self> {
        let wrong =
            |what: &str| file.error(format!("the grammar is not valid: {what}")).hint("make or copy the file again");
        check_voices(&names, features).map_err(|error| wrong(&error.what))?;
        let voices = Self {
            names,
            features: features.to_vec(),
            masks: file.section("voice-masks")?,
            changes: file.section("voice-changes")?,
            places: file.section("voice-places")?,
            who: file.section("voice-who")?,
        };
        let fits = voices.masks.len() == rules && voices.changes.len() == rules;
        if !fits || voices.places.len() != rules.div_ceil(STRIDE) {
            return Err(wrong("there are not as many masks of voices as rules"));
        }
        Ok(voices)
    }

    /// Checks the voices of every rule.
    pub fn check(&self) -> std::result::Result<(), String> {
        let everyone = everyone(self.names.len());
        let mut next = 0;
        for (rule, (&mask, &changes)) in self.masks.iter().zip(&self.changes[..]).enumerate() {
            if mask == 0 || mask & !everyone != 0 {
                return Err(format!("rule {rule} has voices that do not exist, or none"));
            }
            if rule.is_multiple_of(STRIDE) && self.places[rule / STRIDE] != next as u64 {
                return Err(format!("what voices say of rule {rule} is not where it is looked for"));
            }
            let who = self.who.get(next..next + usize::from(changes)).unwrap_or_default();
            let known = who.iter().all(|&voice| u32::from(voice) < u64::BITS && mask >> voice & 1 == 1);
            if who.len() != usize::from(changes) || !known || !who.is_sorted_by(|a, b| a < b) {
                return Err(format!("what voices say of rule {rule} is not of voices that have it"));
            }
            next += who.len();
        }
        if next == self.who.len() { Ok(()) } else { Err("there is more said than rules have".into()) }
    }

    /// Damage may give any row, and rows that do not exist read as zeros.
    #[inline]
    fn entry(&self, rule: u32) -> Entry<'_> {
        let rule = rule as usize;
        let block = rule / STRIDE * STRIDE;
        let before = self.changes.get(block..rule).unwrap_or_default();
        let place = self.places.get(rule / STRIDE).map_or(0, |&place| place.min(self.who.len() as u64) as usize);
        self.entry_at(rule as u32, place + before.iter().map(|&changes| usize::from(changes)).sum::<usize>())
    }

    /// The same, given how many rows of voices there are before.
    #[inline]
    fn entry_at(&self, rule: u32, start: usize) -> Entry<'_> {
        let rule = rule as usize;
        let changes = self.changes.get(rule).map_or(0, |&changes| usize::from(changes));
        let mask = self.masks.get(rule).copied().unwrap_or(0) & everyone(self.names.len());
        Entry { mask, row: rule + start, who: self.who.get(start..start + changes).unwrap_or_default() }
    }

    /// The row of a rule in a voice, if that has it.
    #[inline]
    pub fn row(&self, rule: u32, voice: usize) -> Option<usize> {
        let entry = self.entry(rule);
        entry.has(voice).then(|| entry.row_of(voice))
    }

    /// The general row of a rule, and the voices with rows of their own, which follow it.
    pub fn rows(&self, rule: u32) -> (usize, &[u8]) {
        let entry = self.entry(rule);
        (entry.row, entry.who)
    }

    /// The value of a column; 0 if its voice does not have the rule.
    #[inline]
    pub fn value(&self, rows: &Rows, rule: u32, column: usize) -> f32 {
        let width = self.features.len();
        self.row(rule, column / width).map_or(0.0, |row| rows.get(row, column % width))
    }

    /// The weighted sum over all voices.
    pub fn dot(&self, rows: &Rows, rule: u32, weights: &[f32]) -> f32 {
        let entry = self.entry(rule);
        let own = weights.chunks_exact(self.features.len()).enumerate();
        own.filter(|(voice, _)| entry.has(*voice)).map(|(voice, own)| rows.dot(entry.row_of(voice), own)).sum()
    }

    /// Appends the values of all voices; those of voices that do not have the rule are 0.
    pub fn read(&self, rows: &Rows, rule: u32, values: &mut Vec<f32>) {
        let entry = self.entry(rule);
        let (start, width) = (values.len(), self.features.len());
        rows.read(entry.row, values);
        for _ in 1..self.names.len() {
            values.extend_from_within(start..start + width);
        }
        let own = &mut values[start..];
        for voice in (0..self.names.len()).filter(|&voice| !entry.has(voice)) {
            own[voice * width..][..width].fill(0.0);
        }
        for (at, &voice) in entry.who.iter().enumerate() {
            let voice = usize::from(voice);
            if entry.has(voice) {
                rows.read_into(entry.row + 1 + at, &mut own[voice * width..][..width]);
            }
        }
    }

    /// The weighted sum of the features of each voice; `absent` of voices that do not have the rule.
    fn scores(&self, rows: &Rows, entry: &Entry<'_>, weights: &[f32], absent: f32, scores: &mut [f32]) {
        // Voices with rows of their own are in order.
        let mut own_rows = 0;
        for (voice, (score, own)) in scores.iter_mut().zip(weights.chunks_exact(self.features.len())).enumerate() {
            let mut row = entry.row;
            if entry.who.get(own_rows).is_some_and(|&who| usize::from(who) == voice) {
                own_rows += 1;
                row += own_rows;
            }
            *score = if entry.has(voice) { rows.dot(row, own) } else { absent };
        }
    }
}

/// What voices say of one rule after the other, which is found with less work than of any rule.
pub(super) struct Speaking<'a> {
    table: &'a Table,
    voices: &'a Voices,
    rule: u32,
    entry: Entry<'a>,
}

impl<'a> Speaking<'a> {
    /// What there is of a rule that is not before the last one.
    #[inline]
    fn at(&mut self, rule: u32) -> &Entry<'a> {
        while self.rule < rule {
            let start = self.entry.row - self.rule as usize + self.entry.who.len();
            self.rule += 1;
            self.entry = self.voices.entry_at(self.rule, start);
        }
        &self.entry
    }

    /// The weighted sum of what a voice says of a rule, which is not before the last one; nothing if it does not have it.
    #[inline]
    pub fn weighted(&mut self, rule: u32, voice: usize, weights: &[f32]) -> Option<f32> {
        let table = self.table;
        let entry = self.at(rule);
        entry.has(voice).then(|| table.values.dot(entry.row_of(voice), weights))
    }

    /// Those of all voices, with a weight for each column, and minus infinity of those that do not have the rule.
    #[inline]
    pub fn scores(&mut self, rule: u32, weights: &[f32], scores: &mut [f32]) {
        let (table, voices) = (self.table, self.voices);
        voices.scores(&table.values, self.at(rule), weights, f32::NEG_INFINITY, scores);
    }
}

/// Voices, of which an ordinary table has one without a name.
impl Table {
    /// How many components the table speaks for.
    pub fn voices(&self) -> usize {
        self.said.as_ref().map_or(1, |voices| voices.names.len())
    }

    /// Their names; an ordinary table has none.
    pub fn voice_names(&self) -> &[String] {
        self.said.as_ref().map_or(&[], |voices| &voices.names)
    }

    /// The voices that have a rule, a bit for each.
    #[inline]
    pub fn spoken(&self, rule: u32) -> u64 {
        self.said.as_ref().map_or(1, |voices| voices.entry(rule).mask)
    }

    /// How many features each voice has; those of voice `v` are the columns from `v` times that on.
    pub fn width(&self) -> usize {
        self.voice_feature_names().len()
    }

    /// The names of the features of each voice.
    pub fn voice_feature_names(&self) -> &[String] {
        self.said.as_ref().map_or(&self.features, |voices| &voices.features)
    }

    /// Appends what a voice says of a rule; zeros if it does not have it.
    pub fn voice_features(&self, rule: u32, voice: usize, values: &mut Vec<f32>) {
        let row = self.said.as_ref().map_or(Some(rule as usize), |voices| voices.row(rule, voice));
        match row {
            Some(row) => self.values.read(row, values),
            None => values.resize(values.len() + self.width(), 0.0),
        }
    }

    /// The weighted sum of what a voice says of a rule, with a weight for each of its features; 0 if it does not have the rule.
    #[inline]
    pub fn voice_weighted(&self, rule: u32, voice: usize, weights: &[f32]) -> f32 {
        let row = self.said.as_ref().map_or(Some(rule as usize), |voices| voices.row(rule, voice));
        row.map_or(0.0, |row| self.values.dot(row, weights))
    }

    /// What voices say of one rule after the other, from one on; an ordinary table has none.
    pub(super) fn speaking(&self, rule: u32) -> Option<Speaking<'_>> {
        let voices = self.said.as_ref()?;
        Some(Speaking { table: self, voices, rule, entry: voices.entry(rule) })
    }

    /// The weighted sum of each voice's features of a rule, with a weight for each column; 0 of a voice that does not have
    /// the rule.
    #[inline]
    pub fn voice_scores(&self, rule: u32, weights: &[f32], scores: &mut [f32]) {
        match (&self.said, scores) {
            (Some(voices), scores) => voices.scores(&self.values, &voices.entry(rule), weights, 0.0, scores),
            (None, [score, ..]) => *score = self.values.dot(rule as usize, weights),
            (None, []) => {}
        }
    }

    /// Like [`Table::counts`], of one voice.
    pub fn voice_counts(&self, rule: u32, voice: usize) -> [f32; 3] {
        let row = self.said.as_ref().map_or(Some(rule as usize), |voices| voices.row(rule, voice));
        match (row, &self.counts) {
            (Some(row), Some(counts)) => [0, 1, 2].map(|column| counts.get(row, column)),
            _ => [0.0; 3],
        }
    }
}

/// The table of one voice alone, the most probable rules of a source side first.
///
/// # Errors
/// There is no such voice, or it has no rule.
pub fn alone(table: &Table, voice: usize) -> Result<TableBuilder> {
    if voice >= table.voices() {
        return Err(Error::input(format!("there is no voice {voice} among {}", table.voices())));
    }
    let names = table.voice_feature_names();
    let mut builder = TableBuilder::new(names.to_vec(), table.categories().to_vec())?;
    let by: Vec<usize> =
        ["phrase_ef", "phrase_fe"].iter().filter_map(|by| names.iter().position(|name| name == by)).collect();
    table.each_source(|node, source| {
        let mut own: Vec<(u32, Vec<f32>)> = Vec::new();
        for rule in table.rules(node).filter(|&rule| table.spoken(rule) >> voice & 1 == 1) {
            let mut features = Vec::new();
            table.voice_features(rule, voice, &mut features);
            own.push((rule, features));
        }
        let first = |a: &[f32], b: &[f32]| by.iter().map(|&at| b[at].total_cmp(&a[at])).find(|order| order.is_ne());
        own.sort_by(|a, b| first(&a.1, &b.1).unwrap_or(Ordering::Equal));
        own.into_iter().try_for_each(|(rule, features)| {
            let Side { lhs, target, links } = &table.side(rule);
            let counts = table.voice_counts(rule, voice);
            builder.push(&Rule { lhs: *lhs, source, target, features: &features, links, counts })
        })
    })?;
    if builder.is_empty() {
        return Err(Error::input(format!("voice {voice} has no rule")));
    }
    Ok(builder)
}
