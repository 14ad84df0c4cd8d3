//! Items of translation and of parsing two sentences are the same but for the positions of target words (Galron 2012,
//! algorithms 4 and 5).

use super::pairs::{self, Pairs};
use super::translation::{self, Translation};
use crate::learn::Mapper;

/// Forgets target positions, and finds them again: all there are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Positions;

impl Mapper<Translation<'_>, Pairs<'_>> for Positions {
    fn forward(
        &self,
        predictor: &Translation<'_>,
        supervisor: &Pairs<'_>,
        rule: translation::Rule,
        _item: &translation::Item,
        rules: &mut Vec<pairs::Rule>,
    ) {
        use translation::Rule;
        match rule {
            Rule::Scan(at) => rules.push(pairs::Rule::SourceScan(at)),
            Rule::Load(word) => {
                let word = predictor.options.words(word)[0];
                let places = supervisor.target.iter().enumerate().filter(|(_, other)| **other == word);
                rules.extend(places.map(|(at, _)| pairs::Rule::TargetScan(at as u16)));
            }
            Rule::SourceFuse => rules.push(pairs::Rule::SourceFuse),
            Rule::TargetFuse => rules.push(pairs::Rule::TargetFuse),
            Rule::Bilingual => rules.push(pairs::Rule::Bilingual),
            Rule::Monotonic => rules.push(pairs::Rule::Monotonic),
            Rule::Inverted => rules.push(pairs::Rule::Inverted),
        }
    }

    fn backward(
        &self,
        predictor: &Translation<'_>,
        supervisor: &Pairs<'_>,
        rule: pairs::Rule,
        item: &pairs::Item,
    ) -> Option<translation::Rule> {
        use translation::Rule;
        match rule {
            pairs::Rule::SourceScan(at) => Some(Rule::Scan(at)),
            pairs::Rule::TargetScan(at) => {
                let word = supervisor.target.get(usize::from(at))?;
                predictor.options.find(std::slice::from_ref(word)).map(Rule::Load)
            }
            pairs::Rule::SourceFuse => Some(Rule::SourceFuse),
            pairs::Rule::TargetFuse => Some(Rule::TargetFuse),
            pairs::Rule::Bilingual => Some(Rule::Bilingual),
            pairs::Rule::Monotonic => item.piece().map(|_| Rule::Monotonic),
            pairs::Rule::Inverted => item.piece().map(|_| Rule::Inverted),
        }
    }

    /// Whether a word is wanted shows when it is paired.
    fn is_neutral(&self, _predictor: &Translation<'_>, item: &translation::Item) -> bool {
        item.piece().is_none()
    }
}
