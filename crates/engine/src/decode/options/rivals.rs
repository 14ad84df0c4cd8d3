//! What a switch decides by: the best scores that each part of an ensemble has for the source sides of a cell (Razmara 2013,
//! section 2.3.1). Only the rules of the winner become options, so that language models are not asked of the others'.

use hashbrown::HashMap;

use super::{ARITIES, Options};
use crate::decode::scorer::{Switch, SwitchBy};
use crate::forest::mixture::{ALL, sum_of_powers};

/// The scores of the parts of an ensemble; it keeps its memory.
#[derive(Debug, Default)]
pub struct Rivals {
    /// Scores of source sides, those of one part after the other, each best first.
    scores: Vec<f32>,
    /// By number of gaps and state where a source side's begin among `ends`.
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
        for (state, arity) in states {
            for part in 0..rivals.cell.len() {
                if switch.lm || self.scorer.plan().parts[part][class].only().is_none() {
                    self.offer_options(&mut rivals.cell[part], switch, [part, class], state, arity);
                    continue;
                }
                let key = (u32::from(arity), state);
                let first = match rivals.known.get(&key) {
                    Some(&first) => first,
                    None => self.list_rivals(&mut rivals, class, key),
                };
                let [begin, end] = [0, 1].map(|more| rivals.ends[first as usize + part + more] as usize);
                let own = &rivals.scores[begin..end];
                // Of the maximum's scores only the first counts.
                rivals.cell[part].extend_from_slice(if switch.by == SwitchBy::Max {
                    &own[..own.len().min(1)]
                } else {
                    own
                });
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
    fn list_rivals(&mut self, rivals: &mut Rivals, class: usize, (arity, state): (u32, u32)) -> u32 {
        debug_assert!(arity < ARITIES);
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
            own.sort_unstable_by(|a, b| b.total_cmp(a));
            let kept = own.len().min(self.limit);
            rivals.scores.truncate(begin + kept);
            rivals.ends.push(rivals.scores.len() as u32);
        }
        rivals.known.insert((arity, state), first);
        self.gathered = gathered;
        first
    }
}
