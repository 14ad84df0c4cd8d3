//! Scoring many sentences: on all threads, several sentences at a time on each so that their cache misses overlap.

use rayon::prelude::*;

use super::model::LanguageModel;
use super::search::{Search, begin, full_score};
use super::state::State;
use crate::corpus::vocabulary::{EOS, UNK};

/// The score of a sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SentenceScore {
    /// log10 of the probability, the sentence end included.
    pub log10: f64,
    /// The part of it that unknown words have.
    pub oov_log10: f64,
    /// Words, the sentence end not counted.
    pub words: u64,
    /// How many of them are unknown.
    pub oovs: u64,
}

impl SentenceScore {
    fn add(&mut self, word: u32, prob: f32) {
        self.log10 += f64::from(prob);
        if word != EOS {
            self.words += 1;
        }
        if word == UNK {
            self.oovs += 1;
            self.oov_log10 += f64::from(prob);
        }
    }
}

/// Sentences that one thread scores side by side: enough to keep its memory channels busy.
const LANES: usize = 8;
/// Sentences that one thread takes at a time.
const PIECE: usize = 256;

/// Scores sentences; the result does not depend on the number of threads.
pub fn score_lines<M: LanguageModel + ?Sized, L: AsRef<str> + Sync>(model: &M, lines: &[L]) -> Vec<SentenceScore> {
    lines
        .par_chunks(PIECE)
        .flat_map_iter(|piece| {
            let mut ids = Vec::new();
            let mut ends = Vec::with_capacity(piece.len());
            for line in piece {
                model.vocabulary().encode_into(line.as_ref(), &mut ids);
                ids.push(EOS);
                ends.push(ids.len());
            }
            model.score_piece(&ids, &ends)
        })
        .collect()
}

/// One of the sentences under way.
struct Lane {
    state: State,
    sentence: usize,
    at: usize,
    end: usize,
}

/// What scoring a piece asks for: a table of n-grams, or any model.
pub trait Stepwise {
    /// The state at the start of a sentence.
    fn begin(&self) -> State;
    /// See [`Search::prefetch`].
    fn prefetch(&self, state: &State, word: u32);
    /// log10 p(word | state) and the state after the word.
    fn score(&self, state: &State, word: u32) -> (f32, State);
}

impl<S: Search> Stepwise for S {
    fn begin(&self) -> State {
        begin(self)
    }

    #[inline]
    fn prefetch(&self, state: &State, word: u32) {
        Search::prefetch(self, state, word)
    }

    #[inline]
    fn score(&self, state: &State, word: u32) -> (f32, State) {
        let (scored, next) = full_score(self, state, word);
        (scored.prob, next)
    }
}

/// Any model, asked through its own methods.
pub struct Asked<'a, M: ?Sized>(pub &'a M);

impl<M: LanguageModel + ?Sized> Stepwise for Asked<'_, M> {
    fn begin(&self) -> State {
        self.0.begin()
    }

    fn prefetch(&self, state: &State, word: u32) {
        self.0.prefetch(state, word)
    }

    fn score(&self, state: &State, word: u32) -> (f32, State) {
        self.0.score(state, word)
    }
}

/// log10 of the probabilities of runs of words with nothing known before them; `ends` says where each ends. Runs take turns, so
/// that what one asks for arrives while others are scored.
pub fn score_fragments<M: Stepwise>(model: &M, ids: &[u32], ends: &[usize], sums: &mut Vec<f32>) {
    sums.clear();
    sums.resize(ends.len(), 0.0);
    let start = |run: usize| if run == 0 { 0 } else { ends[run - 1] };
    let mut waiting = (0..ends.len()).filter(|&run| ends[run] > start(run)).map(|run| {
        model.prefetch(&State::EMPTY, ids[start(run)]);
        Lane { state: State::EMPTY, sentence: run, at: start(run), end: ends[run] }
    });
    let mut lanes: Vec<Lane> = waiting.by_ref().take(LANES).collect();
    while !lanes.is_empty() {
        let mut index = 0;
        while index < lanes.len() {
            let lane = &mut lanes[index];
            let (prob, next) = model.score(&lane.state, ids[lane.at]);
            sums[lane.sentence] += prob;
            (lane.state, lane.at) = (next, lane.at + 1);
            if lane.at == lane.end {
                let Some(next) = waiting.next() else {
                    lanes.swap_remove(index);
                    continue;
                };
                *lane = next;
            } else {
                model.prefetch(&lane.state, ids[lane.at]);
            }
            index += 1;
        }
    }
}

/// Scores sentences of ids, each with its end; `ends` says where each ends.
pub fn score_piece<M: Stepwise>(model: &M, ids: &[u32], ends: &[usize]) -> Vec<SentenceScore> {
    let mut scores = vec![SentenceScore::default(); ends.len()];
    let mut waiting = (0..ends.len()).map(|sentence| Lane {
        state: model.begin(),
        sentence,
        at: if sentence == 0 { 0 } else { ends[sentence - 1] },
        end: ends[sentence],
    });
    let mut lanes: Vec<Lane> = waiting.by_ref().take(LANES).collect();
    while !lanes.is_empty() {
        let mut index = 0;
        while index < lanes.len() {
            let lane = &mut lanes[index];
            let word = ids[lane.at];
            let (prob, next) = model.score(&lane.state, word);
            scores[lane.sentence].add(word, prob);
            (lane.state, lane.at) = (next, lane.at + 1);
            if lane.at == lane.end {
                let Some(next) = waiting.next() else {
                    lanes.swap_remove(index);
                    continue;
                };
                *lane = next;
            }
            // What this asks for arrives while the other lanes have their turn.
            model.prefetch(&lane.state, ids[lane.at]);
            index += 1;
        }
    }
    scores
}

/// The score of one word of a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordScore {
    /// log10 of the probability after the words before.
    pub log10: f32,
    /// How many words the longest n-gram found has.
    pub length: u8,
    /// Whether the word is unknown.
    pub oov: bool,
}

/// The scores of the words of a sentence, and of its end if `end`; after `<s>` if `begin`.
pub fn score_words<M: LanguageModel + ?Sized>(model: &M, line: &str, begin: bool, end: bool) -> Vec<WordScore> {
    let mut ids = Vec::new();
    model.vocabulary().encode_into(line, &mut ids);
    if end {
        ids.push(EOS);
    }
    let mut state = if begin { model.begin() } else { State::EMPTY };
    let score = |&word: &u32| {
        let (scored, next) = model.full_score(&state, word);
        state = next;
        WordScore { log10: scored.prob, length: scored.length, oov: word == UNK }
    };
    ids.iter().map(score).collect()
}
