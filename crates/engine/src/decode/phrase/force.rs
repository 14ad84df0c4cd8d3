//! Forced decoding: the derivations of a sentence that yield a given translation, and no others.
//!
//! Every hypothesis is a beginning of the reference, so stacks are filled with all choices that occur in it, and what
//! language models remember is how many of its words were made. Hypotheses are one if they have translated the same
//! words, made as many, ended at the same place, and orientations cannot tell them apart: a dynamic programme over what
//! search itself may do.

use std::time::Instant;

use hashbrown::HashMap;

use super::choices::Choices;
use super::cubes::Scene;
use super::{Options, PhraseDecoder};
use crate::Result;
use crate::decode::input::Input;
use crate::forest::Forest;
use crate::grammar::Symbol;

impl PhraseDecoder<'_> {
    /// The derivations of a sentence that yield a translation; an empty forest if there is none. All phrases of the
    /// tables take part, whatever the table limit, in any order within the distortion limit.
    ///
    /// Each stack has its share of the memory limit. In one that is full (or late, if there is a time limit) the
    /// hypotheses that promise least are left out, with all their derivations.
    ///
    /// # Errors
    /// A lattice, scores that are not finite numbers.
    pub fn force(&mut self, input: &Input, reference: &str) -> Result<Forest> {
        let started = Instant::now();
        let ids = self.begin(input)?;
        let words: Vec<Symbol> = self.options.text(reference).into_iter().map(Symbol::word).collect();
        if input.last() > 0 {
            self.states.begin_along(&self.options, &words);
            self.open(input, &ids, Some(&words));
            self.follow(&words, input, started);
        }
        self.forest(input)
    }

    fn follow(&mut self, reference: &[Symbol], input: &Input, started: Instant) {
        let last = input.last();
        let (settings, options, choices) = (&self.settings, &self.options, &self.choices);
        let rest = Rest::new(options, choices, reference, last);
        if !rest.allows(0, last) {
            return;
        }
        let mut first = 0;
        for words in 1..=last {
            first = self.arena.hypotheses();
            let late = settings.time_limit.is_some_and(|limit| started.elapsed() > limit);
            let share = settings.memory_limit.map_or(usize::MAX, |limit| (limit / last).saturating_mul(words));
            let scene = Scene {
                model: options.model(),
                weights: options.weights(),
                choices,
                future: &self.future,
                bounds: input.bounds(),
                last,
                distortion: settings.distortion_limit as u32,
                pops: settings.pop_limit.max(1),
                keep: true,
            };
            let fits = |made: u32, choice: u32| {
                let target = options.target(options.get(choices.get(choice).option));
                let made = made as usize;
                reference[made..].starts_with(target) && rest.allows(made + target.len(), last - words)
            };
            let (found, budget) = ((&mut self.arena, &mut self.states), if late { 0 } else { share });
            self.filler.follow(&scene, found, words, budget, &mut self.effort, fits);
            self.arena.close_stack(choices, self.filler.targets(), first, usize::MAX);
        }
        self.count(last);
        self.goal = self.arena.hypotheses().checked_sub(1).filter(|&goal| goal >= first);
    }
}

/// For each place in a reference how many source words can make what follows it, whichever they are and however often
/// they are used: hypotheses that nothing can complete are dropped early.
struct Rest {
    /// Blocks of a row of bits; there is one for each place, and a bit for each number.
    width: usize,
    bits: Vec<u64>,
}

impl Rest {
    fn new(options: &Options<'_>, choices: &Choices, reference: &[Symbol], last: usize) -> Self {
        let target = |option: u32| options.target(options.get(option));
        let mut begins: HashMap<Symbol, Vec<u32>> = HashMap::new();
        for (number, choice) in choices.all() {
            begins.entry(target(choice.option)[0]).or_default().push(number);
        }
        let width = last / 64 + 1;
        let mut rest = Self { width, bits: vec![0; (reference.len() + 1) * width] };
        rest.bits[reference.len() * width] = 1;
        let mut lengths: Vec<[usize; 2]> = Vec::new();
        for at in (0..reference.len()).rev() {
            lengths.clear();
            for choice in begins.get(&reference[at]).into_iter().flatten().map(|&number| choices.get(number)) {
                let target = target(choice.option);
                if reference[at..].starts_with(target) {
                    lengths.push([target.len(), (choice.end - choice.begin) as usize]);
                }
            }
            lengths.sort_unstable();
            lengths.dedup();
            for &[made, used] in &lengths {
                rest.add(at, at + made, used);
            }
        }
        rest
    }

    /// Adds the numbers of a later place, each greater by `more`.
    fn add(&mut self, at: usize, later: usize, more: usize) {
        let (before, behind) = self.bits.split_at_mut(later * self.width);
        let (blocks, shift) = (more / 64, more % 64);
        let row = &mut before[at * self.width..][..self.width];
        for (place, block) in row.iter_mut().skip(blocks).zip(behind.iter()) {
            *place |= block << shift;
        }
        if shift > 0 {
            for (place, block) in row.iter_mut().skip(blocks + 1).zip(behind.iter()) {
                *place |= block >> (64 - shift);
            }
        }
    }

    /// Whether `left` source words can make what follows a place.
    fn allows(&self, at: usize, left: usize) -> bool {
        self.bits[at * self.width + left / 64] >> (left % 64) & 1 == 1
    }
}
