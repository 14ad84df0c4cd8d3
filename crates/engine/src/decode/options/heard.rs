//! What language models say of options: the scores of their words on their own, and, once an option is tried, what must be
//! remembered of them.

use std::cell::OnceCell;

use super::{LN_10, NO_STATE, Options, TranslationOption};
use crate::decode::scorer::Voice;
use crate::lm::chart::FragmentScorer;
use crate::lm::state::Fragment;

impl Options<'_> {
    /// The states of an option of words, and log10 of their probabilities.
    #[inline]
    pub fn states(&self, option: &TranslationOption) -> (&[Fragment], &[f32]) {
        let count = self.model.lms().len();
        (self.remembered(option), &self.lm[option.state as usize * count..][..count])
    }

    /// What a language model remembers of the words before, between and behind the gaps of an option, and log10 of
    /// the probability of all of them; nothing for glue.
    #[inline]
    pub fn pieces(&self, option: &TranslationOption, lm: usize) -> (&[Fragment], f32) {
        if option.state == NO_STATE {
            return (&[], 0.0);
        }
        let count = usize::from(option.arity) + 1;
        (&self.remembered(option)[lm * count..][..count], self.lm_score(option, lm))
    }

    /// log10 of the probability of an option's words on their own.
    #[inline]
    pub fn lm_score(&self, option: &TranslationOption, lm: usize) -> f32 {
        let place = option.state as usize * self.model.lms().len() + lm;
        if option.state == NO_STATE { 0.0 } else { self.lm[place] }
    }

    /// What language models remember of an option's words, for each of them in turn.
    #[inline]
    fn remembered(&self, option: &TranslationOption) -> &[Fragment] {
        self.states[option.state as usize].get_or_init(|| self.remember(option))
    }

    #[cold]
    fn remember(&self, option: &TranslationOption) -> Box<[Fragment]> {
        let pieces = usize::from(option.arity) + 1;
        let mut states = Vec::with_capacity(pieces * self.model.lms().len());
        for (at, lm) in self.model.lms().iter().enumerate() {
            for piece in self.target(option).split(|symbol| symbol.is_nonterminal()) {
                let mut scorer = FragmentScorer::new(&*lm.model);
                piece
                    .iter()
                    .filter_map(|symbol| symbol.as_word())
                    .for_each(|word| scorer.terminal(self.lm_word(at, word)));
                states.push(scorer.finish().1);
            }
        }
        states.into_boxed_slice()
    }

    /// Asks language models about the words of all options from one on: many at once, so that they wait for memory less.
    pub(super) fn hear_from(&mut self, first: usize) {
        let (model, mut ids, mut sums) = (self.model, std::mem::take(&mut self.ids), std::mem::take(&mut self.said));
        let mut ends = std::mem::take(&mut self.ends);
        let lms = model.lms().len();
        for (at, lm) in model.lms().iter().enumerate() {
            ids.clear();
            ends.clear();
            for option in self.options[first..].iter().filter(|option| option.state != NO_STATE) {
                // Words on either side of a gap are not each other's context.
                for piece in self.target(option).split(|symbol| symbol.is_nonterminal()) {
                    ids.extend(piece.iter().filter_map(|symbol| symbol.as_word()).map(|word| self.lm_word(at, word)));
                    ends.push(ids.len());
                }
            }
            lm.model.score_fragments(&ids, &ends, &mut sums);
            let mut pieces = sums.iter();
            for option in self.options[first..].iter_mut().filter(|option| option.state != NO_STATE) {
                let sum = pieces.by_ref().take(usize::from(option.arity) + 1).fold(0.0, |sum, piece| sum + piece);
                self.lm[option.state as usize * lms + at] = sum;
                if let Voice::Linear(weights) = self.scorer.voice(usize::from(option.voice)) {
                    option.estimate += sum * LN_10 * weights[lm.feature];
                }
            }
        }
        if self.scorer.mixes_edges() {
            for at in first..self.options.len() {
                let option = &self.options[at];
                let voice = usize::from(option.voice);
                if let Voice::Mixed = self.scorer.voice(voice) {
                    sums.clear();
                    sums.extend((0..lms).map(|lm| self.lm_score(option, lm)));
                    let estimate = self.scorer.edge(voice, self.parts(option), self.spoken(option), &sums, 0.0);
                    self.options[at].estimate = estimate;
                }
            }
        }
        (self.ids, self.said, self.ends) = (ids, sums, ends);
    }

    /// Keeps of the places from `first` on those that options from `start` on refer to.
    pub(super) fn compact(&mut self, start: u32, first: usize) {
        let lms = self.model.lms().len();
        let lm = self.lm.split_off(first * lms);
        self.states.truncate(first);
        for option in &mut self.options[start as usize..] {
            let old = option.state as usize - first;
            option.state = self.states.len() as u32;
            self.states.push(OnceCell::new());
            self.lm.extend_from_slice(&lm[old * lms..][..lms]);
        }
    }
}
