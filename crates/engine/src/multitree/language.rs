//! A language model over the words of multitrees.

use std::sync::Arc;

use crate::corpus::vocabulary::{EOS, UNK};
use crate::lm::any::AnyModel;
use crate::lm::chart::FragmentScorer;
use crate::lm::model::LanguageModel;
use crate::lm::state::Fragment;

/// A language model, and the number that each symbol has in it.
#[derive(Clone)]
pub struct Language {
    model: Arc<AnyModel>,
    ids: Arc<[u32]>,
}

impl std::fmt::Debug for Language {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Language({} symbols)", self.ids.len())
    }
}

/// Natural logarithms, as everywhere else here.
const LN_10: f32 = std::f32::consts::LN_10;

impl Language {
    /// A model, and the texts of all symbols, by number.
    pub fn new<T: AsRef<str>>(model: Arc<AnyModel>, texts: &[T]) -> Self {
        let ids = texts.iter().map(|text| model.vocabulary().id(text.as_ref())).collect();
        Self { model, ids }
    }

    /// A word that nothing stands before: the logarithm of its probability, and what joins need to know.
    pub fn word(&self, symbol: u32) -> (f32, Fragment) {
        let mut scorer = FragmentScorer::new(self.model.as_ref());
        // Symbols that are newer than the model are unknown to it.
        scorer.terminal(self.ids.get(symbol as usize).copied().unwrap_or(UNK));
        let (score, fragment) = scorer.finish();
        (score * LN_10, fragment)
    }

    /// Two texts side by side: what their logarithms change by, and what further joins need to know.
    pub fn join(&self, before: &Fragment, behind: &Fragment) -> (f32, Fragment) {
        let mut scorer = FragmentScorer::new(self.model.as_ref());
        scorer.nonterminal(before, 0.0);
        scorer.nonterminal(behind, 0.0);
        let (change, fragment) = scorer.finish();
        (change * LN_10, fragment)
    }

    /// What a text's logarithm changes by when it is a whole sentence.
    pub fn whole(&self, text: &Fragment) -> f32 {
        let mut scorer = FragmentScorer::begin_sentence(self.model.as_ref());
        scorer.nonterminal(text, 0.0);
        scorer.terminal(EOS);
        scorer.prob() * LN_10
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::vocabulary::Vocabulary;
    use crate::lm::counts::Tokens;
    use crate::lm::estimate::{Settings, estimate};
    use crate::lm::model::{Compiled, Form};
    use crate::lm::smoothing::Smoothing;

    /// A trigram model of a few sentences, for symbols 1 to 4.
    pub fn small() -> Language {
        let mut tokens = Tokens::default();
        for sentence in [&[3, 4, 5, 3][..], &[4, 5, 6], &[3, 4, 6, 6]] {
            tokens.push(sentence).unwrap();
        }
        let settings = Settings { order: 3, smoothing: Smoothing::WittenBell, ..Settings::default() };
        let vocabulary = Vocabulary::from_words(["a", "b", "c", "d"]).unwrap();
        let model = Compiled::build(&estimate(&tokens, vocabulary, &settings).unwrap().0, Form::Fast).unwrap();
        Language::new(Arc::new(AnyModel::Words(model)), &["", "a", "b", "c", "d"])
    }

    proptest! {
        #[test]
        fn a_text_joined_anyhow_is_the_sentence(
            words in prop::collection::vec(1_u32..6, 1..9), cuts in prop::collection::vec(any::<u8>(), 9),
        ) {
            let language = small();
            let mut parts: Vec<(f32, Fragment)> = words.iter().map(|&word| language.word(word)).collect();
            for cut in cuts {
                if parts.len() > 1 {
                    let at = usize::from(cut) % (parts.len() - 1);
                    let (right, fragment) = parts.remove(at + 1);
                    let (change, joined) = language.join(&parts[at].1, &fragment);
                    parts[at] = (parts[at].0 + right + change, joined);
                }
            }
            let found = parts[0].0 + language.whole(&parts[0].1);
            let ids: Vec<u32> = words.iter().map(|&word| *language.ids.get(word as usize).unwrap_or(&UNK)).collect();
            let expected = language.model.score_sentence(&ids) as f32 * LN_10;
            prop_assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
    }
}
