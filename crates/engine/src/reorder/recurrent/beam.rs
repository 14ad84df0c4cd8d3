//! Beam search for the most probable order (Miceli Barone 2015, section 4.3.4).

use super::score::{Source, log_sum};

/// Memory of a search.
#[derive(Debug, Default)]
pub struct Beam {
    kept: Vec<Partial>,
    grown: Vec<Partial>,
    choices: Vec<Choice>,
    free: Vec<u32>,
    scores: Vec<f32>,
}

#[derive(Debug, Clone, Default)]
struct Partial {
    score: f64,
    order: Vec<u32>,
    used: Vec<bool>,
    state: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
struct Choice {
    score: f64,
    partial: usize,
    word: u32,
}

impl Beam {
    /// The best order among those that at no step were beaten by `width` others, with its log probability. Of equal ones
    /// the earlier stays: by the order of the beam, then by the place in the sentence.
    pub fn best(&mut self, source: &mut impl Source, width: usize) -> (Vec<u32>, f64) {
        let words = source.words();
        let units = source.units();
        self.kept.truncate(1);
        self.kept.resize(1, Partial::default());
        let first = &mut self.kept[0];
        first.score = 0.0;
        first.order.clear();
        first.used.clear();
        first.used.resize(words, false);
        first.state.resize(units, 0.0);
        source.start(&mut first.state);
        for at in 0..words {
            self.choices.clear();
            for (place, partial) in self.kept.iter().enumerate() {
                self.free.clear();
                self.free.extend((0..words as u32).filter(|&word| !partial.used[word as usize]));
                let history = last_two(&partial.order, words);
                // The last word is certain.
                let mut total = 0.0;
                if at + 1 < words {
                    source.scores(history, &partial.state, &self.free, &mut self.scores);
                    total = log_sum(&self.scores);
                } else {
                    self.scores.clear();
                    self.scores.push(0.0);
                }
                for (&word, &score) in self.free.iter().zip(&self.scores) {
                    let score = partial.score + f64::from(score) - total;
                    self.choices.push(Choice { score, partial: place, word });
                }
            }
            self.keep(width);
            self.grow(source, at + 1 == words);
        }
        (self.kept[0].order.clone(), self.kept[0].score)
    }

    fn keep(&mut self, width: usize) {
        let better = |a: &Choice, b: &Choice| {
            b.score.total_cmp(&a.score).then(a.partial.cmp(&b.partial)).then(a.word.cmp(&b.word))
        };
        if self.choices.len() > width {
            self.choices.select_nth_unstable_by(width - 1, better);
            self.choices.truncate(width);
        }
        self.choices.sort_unstable_by(better);
    }

    fn grow(&mut self, source: &mut impl Source, last: bool) {
        self.grown.resize(self.choices.len().max(self.grown.len()), Partial::default());
        for (choice, grown) in self.choices.iter().zip(&mut self.grown) {
            let partial = &self.kept[choice.partial];
            let words = partial.used.len();
            grown.score = choice.score;
            grown.order.clone_from(&partial.order);
            grown.order.push(choice.word);
            grown.used.clone_from(&partial.used);
            grown.used[choice.word as usize] = true;
            grown.state.resize(partial.state.len(), 0.0);
            if !last {
                let before = last_two(&partial.order, words).0;
                source.advance(before, choice.word as usize, &partial.state, &mut grown.state);
            }
        }
        std::mem::swap(&mut self.kept, &mut self.grown);
        self.kept.truncate(self.choices.len());
    }
}

fn last_two(order: &[u32], words: usize) -> (usize, usize) {
    let back = |steps: usize| order.len().checked_sub(steps).map_or(words, |at| order[at] as usize);
    (back(1), back(2))
}
