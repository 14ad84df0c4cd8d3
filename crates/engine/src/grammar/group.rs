//! From counted keys to rules: the alignments and orientations of a rule come together, and it gets lexical weights.

use super::code::{put_number, side, symbols, take_number};
use super::extract::Sums;
use super::lexical::WordTable;
use super::settings::{Orientation, Several};
use super::tape::{Cursor, Run};
use crate::Result;

/// What is known of a rule before probabilities are estimated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grouped {
    /// Its source and target side as codes, each ended.
    pub sides: Vec<u8>,
    /// How many bytes of them are the source side with its end.
    pub split: usize,
    /// Its links, in half bytes.
    pub links: Vec<u8>,
    /// Its count, in units of a tally.
    pub count: u64,
    /// lex(source | target) and lex(target | source).
    pub lexical: [f32; 2],
    /// How often the phrase before it was monotone, swapped or elsewhere; and the phrase after it.
    pub orientations: [u64; 6],
}

impl Grouped {
    /// The source side.
    pub fn source(&self) -> &[u8] {
        &self.sides[..self.split]
    }

    /// The target side.
    pub fn target(&self) -> &[u8] {
        &self.sides[self.split..]
    }

    fn write(&self, key: &mut Vec<u8>, payload: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(&self.sides);
        payload.clear();
        put_number(payload, self.count);
        payload.extend_from_slice(bytemuck::bytes_of(&self.lexical));
        self.orientations.iter().for_each(|&count| put_number(payload, count));
        payload.extend_from_slice(&self.links);
    }

    fn read(&mut self, cursor: &Cursor) {
        self.sides.clear();
        self.sides.extend_from_slice(cursor.key());
        self.split = side(&self.sides) + 1;
        let mut payload = cursor.payload();
        self.count = take_number(&mut payload);
        self.lexical = bytemuck::pod_read_unaligned(&payload[..8]);
        payload = &payload[8..];
        for count in &mut self.orientations {
            *count = take_number(&mut payload);
        }
        self.links.clear();
        self.links.extend_from_slice(payload);
    }
}

/// Reads rules in the order of their sides.
pub struct GroupedReader(Cursor);

impl GroupedReader {
    /// Reads what [`group`] wrote.
    pub fn new(run: Run) -> Result<Self> {
        Ok(Self(run.read()?))
    }

    /// Goes back to before the first rule; only for rules in memory.
    pub fn rewind(&mut self) {
        self.0.rewind();
    }

    /// The next rule into `rule`; false after the last.
    pub fn next(&mut self, rule: &mut Grouped) -> Result<bool> {
        let more = self.0.advance()?;
        if more {
            rule.read(&self.0);
        }
        Ok(more)
    }
}

/// Gives every rule to `each`, in order, and gives all of them as a run.
pub fn group(
    mut sums: Sums,
    orientation: Orientation,
    several: Several,
    words: &WordTable,
    on_disk: bool,
    mut each: impl FnMut(&Grouped) -> Result<()>,
) -> Result<Run> {
    let mut out = Run::new(on_disk)?;
    let mut building = Building { several, words, ..Building::new(words) };
    let (mut key, mut payload) = (Vec::new(), Vec::new());
    let mut more = sums.advance()?;
    while more {
        let split = side(&sums.key) + 1;
        let end = split + side(&sums.key[split..]) + 1;
        building.begin(&sums.key[..end], split);
        while more && sums.key.starts_with(&building.rule.sides) {
            let links = sums.key[end] as usize;
            let (links, place) = sums.key[end + 1..].split_at(links);
            if orientation != Orientation::None {
                building.rule.orientations[usize::from(place[0] / 3)] += sums.count;
                building.rule.orientations[3 + usize::from(place[0] % 3)] += sums.count;
            }
            building.alignment(links, sums.count);
            more = sums.advance()?;
        }
        building.finish_alignment();
        each(&building.rule)?;
        building.rule.write(&mut key, &mut payload);
        out.push(&key, &payload)?;
    }
    Ok(out)
}

/// A rule whose alignments are coming in.
struct Building<'a> {
    words: &'a WordTable,
    several: Several,
    rule: Grouped,
    source: Vec<super::Symbol>,
    target: Vec<super::Symbol>,
    /// The alignment that is coming in, and its count.
    links: Vec<u8>,
    count: u64,
    /// The count of the alignment that the rule has.
    best: u64,
}

impl<'a> Building<'a> {
    fn new(words: &'a WordTable) -> Self {
        Self {
            words,
            several: Several::Frequent,
            rule: Grouped::default(),
            source: Vec::new(),
            target: Vec::new(),
            links: Vec::new(),
            count: 0,
            best: 0,
        }
    }

    fn begin(&mut self, sides: &[u8], split: usize) {
        self.rule.sides.clear();
        self.rule.sides.extend_from_slice(sides);
        self.rule.split = split;
        self.rule.count = 0;
        self.rule.orientations = [0; 6];
        self.source.clear();
        symbols(&sides[..split], &mut self.source);
        self.target.clear();
        symbols(&sides[split..], &mut self.target);
        self.best = 0;
        self.count = 0;
    }

    /// Keys are in order, so equal alignments follow each other.
    fn alignment(&mut self, links: &[u8], count: u64) {
        if self.count > 0 && self.links != links {
            self.finish_alignment();
        }
        self.links.clear();
        self.links.extend_from_slice(links);
        self.count += count;
        self.rule.count += count;
    }

    fn finish_alignment(&mut self) {
        let (fe, ef) = self.words.weights(&self.source, &self.target, &self.links);
        let weights = [fe as f32, ef as f32];
        let first = self.best == 0;
        let better = self.count > self.best;
        if first || (better && self.several == Several::Frequent) {
            self.rule.lexical = weights;
        } else if self.several != Several::Frequent {
            for (kept, weight) in self.rule.lexical.iter_mut().zip(weights) {
                *kept = if self.several == Several::Min { kept.min(weight) } else { kept.max(weight) };
            }
        }
        if better {
            self.best = self.count;
            self.rule.links.clear();
            self.rule.links.extend_from_slice(&self.links);
        }
        self.count = 0;
    }
}
