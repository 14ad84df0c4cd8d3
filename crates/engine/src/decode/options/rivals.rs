//! What a switch decides by: the best scores that each part of an ensemble has for the source sides of a cell (Razmara 2013,
//! section 2.3.1). Only the rules of the winner become options, so that language models are not asked of the others'.

use hashbrown::HashMap;

use super::{ARITIES, Options};
use crate::decode::scorer::{Switch, SwitchBy};
use crate::forest::mixture::{ALL, sum_of_powers};

/// The scores of the parts of an ensemble; it keeps its memory.
#[derive(Debug, Default)]
pub struct Rivals {
    /// Scores of source sides, those of one part after the other: the best, or as many as may count in a sum.
    scores: Vec<f32>,
    /// By class of spans and number of gaps, and by state, where a source side's begin among `ends`.
    known: HashMap<(u32, u32), u32>,
    /// For each source side where the scores of its first part begin, and where those of each part end.
    ends: Vec<u32>,
    /// For each part the scores that count in the cell at hand.
    cell: Vec<Vec<f32>>,
}

impl Rivals {
    /// Room for so many parts.
    pub fn new(parts: usize) -> Self {
        Self { cell: vec![Vec::new(); parts], ..Self::default() }
    }

    /// Forgets all source sides.
    pub fn forget(&mut self) {
        self.scores.clear();
        self.known.clear();
        self.ends.clear();
    }

    /// The winner of the cell at hand, the first of equal ones; parts without scores have no chance.
    fn winner(&mut self, switch: &Switch, class: usize, limit: usize) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        for (number, own) in (0..).zip(&mut self.cell).filter(|(_, own)| !own.is_empty()) {
            let lambda = switch.lambda[class][number as usize];
            let value = match switch.by {
                SwitchBy::Max => {
                    let top = f64::from(own.iter().copied().fold(f32::NEG_INFINITY, f32::max));
                    if switch.literal { lambda * top } else { lambda.ln() + top }
                }
                SwitchBy::Sum => {
                    if own.len() > limit {
                        own.select_nth_unstable_by(limit - 1, |a, b| b.total_cmp(a));
                        own.truncate(limit);
                    }
                    // In one order, whatever order source sides come in.
                    own.sort_unstable_by(|a, b| b.total_cmp(a));
                    lambda.ln() + f64::from(own[0] + sum_of_powers(own, own[0]).ln())
                }
            };
            if best.is_none_or(|(top, _)| value > top) {
                best = Some((value, number));
            }
        }
        best.map(|(_, number)| number)
    }
}

impl Options<'_> {
    /// The part of an ensemble that some source sides, each with its number of gaps, are given to.
    pub fn winner(
        &mut self,
        switch: &Switch,
        class: usize,
        states: impl IntoIterator<Item = (u32, u8)>,
    ) -> Option<u32> {
        let mut rivals = std::mem::take(&mut self.rivals);
        rivals.cell.iter_mut().for_each(Vec::clear);
        let parts = &self.scorer.plan().parts;
        let listed = |part: &usize| !switch.lm && parts[*part][class].only().is_some();
        for (state, arity) in states {
            if (0..parts.len()).any(|part| listed(&part)) {
                let key = (class as u32 * ARITIES + u32::from(arity), state);
                let first = match rivals.known.get(&key) {
                    Some(&first) => first as usize,
                    None => self.list_rivals(&mut rivals, switch.by, class, key) as usize,
                };
                let ends = &rivals.ends[first..=first + parts.len()];
                for (cell, own) in rivals.cell.iter_mut().zip(ends.windows(2)) {
                    cell.extend_from_slice(&rivals.scores[own[0] as usize..own[1] as usize]);
                }
            }
            for part in (0..parts.len()).filter(|part| !listed(part)) {
                self.offer_options(&mut rivals.cell[part], switch, [part, class], state, arity);
            }
        }
        let found = rivals.winner(switch, class, self.limit);
        self.rivals = rivals;
        found
    }

    /// Adds the scores of a part's options of a source side.
    fn offer_options(
        &mut self,
        scores: &mut Vec<f32>,
        switch: &Switch,
        [part, class]: [usize; 2],
        state: u32,
        arity: u8,
    ) {
        let mut found = Vec::new();
        self.of_state(state, arity, class, Some(part as u32), &mut found);
        let score = |number| if switch.lm { self.get(number).estimate } else { self.get(number).score };
        scores.extend(found.into_iter().flatten().map(score));
    }

    /// Lists the best scores of each component that is a part by itself, as many as a source side may have options.
    fn list_rivals(&mut self, rivals: &mut Rivals, by: SwitchBy, class: usize, (kind, state): (u32, u32)) -> u32 {
        let arity = kind % ARITIES;
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.clear();
        self.gather(&mut gathered, ALL, state, arity as u8, |_| true);
        let components = self.scorer.components().len();
        let first = rivals.ends.len() as u32;
        rivals.ends.push(rivals.scores.len() as u32);
        for part in &self.scorer.plan().parts {
            let begin = rivals.scores.len();
            if let Some(component) = part[class].only() {
                let scores = gathered.scores().chunks_exact(components).map(|own| own[component as usize]);
                rivals.scores.extend(scores.filter(|&score| score > f32::NEG_INFINITY));
            }
            let own = &mut rivals.scores[begin..];
            let kept = own.len().min(if by == SwitchBy::Max { 1 } else { self.limit });
            if own.len() > kept {
                own.select_nth_unstable_by(kept - 1, |a, b| b.total_cmp(a));
                rivals.scores.truncate(begin + kept);
            }
            rivals.ends.push(rivals.scores.len() as u32);
        }
        rivals.known.insert((kind, state), first);
        if self.pools.as_ref().is_some_and(|pools| !pools.contains_key(&(arity, state))) {
            self.pool(&mut gathered, (arity, state));
        }
        self.gathered = gathered;
        first
    }
}
