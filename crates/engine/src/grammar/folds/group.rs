//! From keys counted by parts to rules: what is known of a rule in each lane before probabilities are estimated.

use super::super::code::{put_number, side, take_number};
use super::super::extract::Sums;
use super::super::settings::{Orientation, Several};
use super::super::tape::{Cursor, Run};
use super::super::voices::everyone;
use super::{Parts, REST};
use crate::Result;

/// A rule with what each fold adds to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoldRule {
    /// Its place among all rules.
    pub number: u32,
    /// Its source and target side as codes, each ended.
    pub sides: Vec<u8>,
    /// How many bytes of them are the source side with its end.
    pub split: usize,
    /// Its count in the whole text, in units of a tally.
    pub total: u64,
    /// What is missing where a voice does without it.
    pub parts: Vec<(u8, u64)>,
    /// How often the phrase before it was monotone, swapped or elsewhere, and the phrase after it; and of that, the parts'.
    pub orientations: [u64; 6],
    pub part_orientations: Vec<[u64; 6]>,
    /// The alignments that give lexical weights, each with the voices that have it and where its links end; the first is
    /// the most frequent of the whole text.
    pub alignments: Vec<(u64, usize)>,
    links: Vec<u8>,
}

impl FoldRule {
    /// The source side.
    pub fn source(&self) -> &[u8] {
        &self.sides[..self.split]
    }

    /// The target side.
    pub fn target(&self) -> &[u8] {
        &self.sides[self.split..]
    }

    /// The links of an alignment, in half bytes.
    pub fn links(&self, alignment: usize) -> &[u8] {
        let start = if alignment == 0 { 0 } else { self.alignments[alignment - 1].1 };
        &self.links[start..self.alignments[alignment].1]
    }

    /// The voices in which it counts at least so much, which is more than nothing.
    pub fn at_least(&self, least: u64, voices: usize) -> u64 {
        if self.total < least {
            return 0;
        }
        let fewer = self.parts.iter().filter(|&&(_, part)| self.total - part < least);
        fewer.fold(everyone(voices), |mask, &(voice, _)| mask & !(1 << voice))
    }

    fn write(&self, oriented: bool, key: &mut Vec<u8>, payload: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(&self.sides);
        payload.clear();
        put_number(payload, self.total);
        payload.push(self.parts.len() as u8);
        for &(voice, part) in &self.parts {
            payload.push(voice);
            put_number(payload, part);
        }
        if oriented {
            let all = self.orientations.iter().chain(self.part_orientations.as_flattened());
            all.for_each(|&count| put_number(payload, count));
        }
        put_number(payload, self.alignments.len() as u64);
        for (at, (mask, _)) in self.alignments.iter().enumerate() {
            if self.alignments.len() > 1 {
                payload.extend_from_slice(&mask.to_le_bytes());
            }
            payload.push(self.links(at).len() as u8);
            payload.extend_from_slice(self.links(at));
        }
    }

    fn read(&mut self, oriented: bool, cursor: &Cursor) {
        self.sides.clear();
        self.sides.extend_from_slice(cursor.key());
        self.split = side(&self.sides) + 1;
        let mut payload = cursor.payload();
        self.total = take_number(&mut payload);
        let byte = |payload: &mut &[u8]| {
            let byte = payload[0];
            *payload = &payload[1..];
            byte
        };
        self.parts.clear();
        for _ in 0..byte(&mut payload) {
            let voice = byte(&mut payload);
            self.parts.push((voice, take_number(&mut payload)));
        }
        self.part_orientations.clear();
        if oriented {
            self.orientations = std::array::from_fn(|_| take_number(&mut payload));
            let each = |_| std::array::from_fn(|_| take_number(&mut payload));
            self.part_orientations.extend((0..self.parts.len()).map(each));
        }
        self.alignments.clear();
        self.links.clear();
        let alignments = take_number(&mut payload);
        for _ in 0..alignments {
            let mut mask = u64::MAX;
            if alignments > 1 {
                let (written, rest) = payload.split_at(8);
                mask = bytemuck::pod_read_unaligned(written);
                payload = rest;
            }
            let length = byte(&mut payload) as usize;
            self.links.extend_from_slice(&payload[..length]);
            payload = &payload[length..];
            self.alignments.push((mask, self.links.len()));
        }
    }
}

/// Reads rules in the order of their sides.
pub struct FoldRules {
    cursor: Cursor,
    oriented: bool,
    next: u32,
}

impl FoldRules {
    /// Reads what [`group`] wrote.
    pub fn new(run: Run, orientation: Orientation) -> Result<Self> {
        Ok(Self { cursor: run.read()?, oriented: orientation != Orientation::None, next: 0 })
    }

    /// The next rule into `rule`; false after the last.
    pub fn next(&mut self, rule: &mut FoldRule) -> Result<bool> {
        let more = self.cursor.advance()?;
        if more {
            rule.read(self.oriented, &self.cursor);
            rule.number = self.next;
            self.next += 1;
        }
        Ok(more)
    }
}

/// Gives every rule to `each`, in order, and gives all of them as a run.
pub fn group(
    mut sums: Sums<Parts>,
    orientation: Orientation,
    several: Several,
    voices: usize,
    on_disk: bool,
    mut each: impl FnMut(&FoldRule) -> Result<()>,
) -> Result<Run> {
    let mut out = Run::new(on_disk)?;
    let oriented = orientation != Orientation::None;
    let mut building = Building::new(several, voices);
    let (mut key, mut payload) = (Vec::new(), Vec::new());
    let mut more = sums.advance()?;
    let mut number = 0;
    while more {
        let split = side(&sums.key) + 1;
        let end = split + side(&sums.key[split..]) + 1;
        building.begin(&sums.key[..end], split, number);
        while more && sums.key.starts_with(&building.rule.sides) {
            let links = sums.key[end] as usize;
            let (links, place) = sums.key[end + 1..].split_at(links);
            building.add(links, oriented.then(|| place[0]), &sums.count);
            more = sums.advance()?;
        }
        building.finish();
        each(&building.rule)?;
        building.rule.write(oriented, &mut key, &mut payload);
        out.push(&key, &payload)?;
        number += 1;
    }
    Ok(out)
}

/// An alignment of a rule.
#[derive(Debug, Clone, Default)]
struct Alignment {
    links: Vec<u8>,
    total: u64,
    parts: Parts,
}

/// A rule whose alignments are coming in.
struct Building {
    several: Several,
    rule: FoldRule,
    parts: Parts,
    /// What each part has of the orientations.
    places: Vec<[u64; 6]>,
    alignments: Vec<Alignment>,
    /// How many of these are the rule's.
    used: usize,
    /// In each lane, the most that an alignment counts, and which.
    best: Vec<(u64, u32)>,
    counts: Vec<u64>,
    masks: Vec<u64>,
}

impl Building {
    fn new(several: Several, voices: usize) -> Self {
        Self {
            several,
            rule: FoldRule::default(),
            parts: Parts::default(),
            places: vec![[0; 6]; voices],
            alignments: Vec::new(),
            used: 0,
            best: vec![(0, 0); voices + 1],
            counts: vec![0; voices + 1],
            masks: Vec::new(),
        }
    }

    fn begin(&mut self, sides: &[u8], split: usize, number: u32) {
        let rule = &mut self.rule;
        rule.number = number;
        rule.sides.clear();
        rule.sides.extend_from_slice(sides);
        rule.split = split;
        rule.total = 0;
        rule.orientations = [0; 6];
        self.parts.0.clear();
        self.used = 0;
    }

    /// Keys are in order, so equal alignments follow each other.
    fn add(&mut self, links: &[u8], place: Option<u8>, count: &Parts) {
        if self.used == 0 || self.alignments[self.used - 1].links != links {
            if self.used == self.alignments.len() {
                self.alignments.push(Alignment::default());
            }
            let next = &mut self.alignments[self.used];
            next.links.clear();
            next.links.extend_from_slice(links);
            next.total = 0;
            next.parts.0.clear();
            self.used += 1;
        }
        let alignment = &mut self.alignments[self.used - 1];
        for &(part, count) in &count.0 {
            alignment.total += count;
            self.rule.total += count;
            if part != REST {
                alignment.parts.grow(part, count);
                self.parts.grow(part, count);
            }
            for at in place.into_iter().flat_map(|place| [usize::from(place / 3), 3 + usize::from(place % 3)]) {
                self.rule.orientations[at] += count;
                if part != REST {
                    self.places[usize::from(part)][at] += count;
                }
            }
        }
    }

    fn finish(&mut self) {
        let rule = &mut self.rule;
        std::mem::swap(&mut rule.parts, &mut self.parts.0);
        rule.part_orientations.clear();
        for &(part, _) in &rule.parts {
            rule.part_orientations.push(std::mem::take(&mut self.places[usize::from(part)]));
        }
        rule.alignments.clear();
        rule.links.clear();
        let mut take = |alignment: &Alignment, mask: u64| {
            rule.links.extend_from_slice(&alignment.links);
            rule.alignments.push((mask, rule.links.len()));
        };
        if self.used == 1 {
            return take(&self.alignments[0], u64::MAX);
        }
        let whole = self.counts.len() - 1;
        self.best.fill((0, 0));
        self.masks.clear();
        for (at, alignment) in (0..).zip(&self.alignments[..self.used]) {
            self.counts.fill(alignment.total);
            alignment.parts.0.iter().for_each(|&(part, count)| self.counts[usize::from(part)] -= count);
            let seen = self.counts[..whole].iter().enumerate().filter(|(_, count)| **count > 0);
            self.masks.push(seen.fold(0, |mask, (voice, _)| mask | 1 << voice));
            // Of equally frequent ones the first.
            for (best, &count) in self.best.iter_mut().zip(&self.counts) {
                *best = if count > best.0 { (count, at) } else { *best };
            }
        }
        if self.several == Several::Frequent {
            self.masks.fill(0);
            for (voice, &(count, at)) in self.best[..whole].iter().enumerate() {
                self.masks[at as usize] |= u64::from(count > 0) << voice;
            }
        }
        let first = self.best[whole].1 as usize;
        take(&self.alignments[first], self.masks[first]);
        for at in (0..self.used).filter(|&at| at != first && self.masks[at] != 0) {
            take(&self.alignments[at], self.masks[at]);
        }
    }
}
