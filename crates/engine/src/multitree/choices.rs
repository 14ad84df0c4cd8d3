//! Which translation a phrase has where: examples of pairs without a search (what Galron 2012, section 6.2, leaves to others).
//!
//! What a classifier of pairs may ask is known before anything is searched. So for every phrase of a sentence whose
//! translation its links tell, that translation is right, and whatever else the lexicon has for it is wrong.

use hashbrown::{HashMap, HashSet};

use super::examples::{Labelled, Lesson};
use super::model::{Example, Model};
use super::options::COPY;
use super::piece::Piece;
use super::seen::Seen;
use super::text::Text;
use crate::grammar::{Block, Blocks};

/// Adds the examples of a pair.
pub fn see_choices(model: &Model, number: u32, pair: &Example, labelled: &mut Labelled) {
    let mut blocks = Blocks::default();
    let longest = model.settings.longest;
    blocks.find((pair.source.len(), pair.target.len()), &pair.links.all(), longest[0].max(longest[1]), true);
    let mut right: HashMap<(u16, u16), HashSet<&[u32]>> = HashMap::new();
    for &Block { from, to, low, high } in &blocks.all {
        right.entry((from, to)).or_default().insert(&pair.target[usize::from(low)..usize::from(high)]);
    }
    let options = model.options(&pair.source);
    let mut row = vec![0; model.features.slots()];
    for option in options.pairs.iter().filter(|option| option.entry != COPY) {
        let Some(right) = right.get(&(option.from, option.to)) else { continue };
        let phrase = options.words(option.target);
        let Some(text) = Text::of(phrase, &model.counts) else { continue };
        let piece = Piece::leaf(option.from, option.to, text);
        let seen = Seen::leaf(&piece, phrase);
        let (entry, label) = (option.entry, right.contains(phrase));
        labelled.see(&Lesson { sentence: number, source: &pair.source, seen, entry, label }, &model.features, &mut row);
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::Counts;
    use super::super::features::{Features, Templates};
    use super::super::fertility::Fertility;
    use super::super::lexicon::LexiconBuilder;
    use super::super::links::Links;
    use super::super::model::Settings;
    use super::super::source::Source;
    use super::*;

    #[test]
    fn what_links_tell_is_right_and_other_translations_are_wrong() {
        let mut lexicon = LexiconBuilder::default();
        for (source, target) in
            [(&[1][..], &[11][..]), (&[1], &[12]), (&[2], &[13]), (&[1, 2], &[11, 13]), (&[3], &[11])]
        {
            lexicon.see_pair(source, target, 1);
            lexicon.see_fuse(0, source, 1);
            lexicon.see_fuse(1, target, 1);
        }
        let model = Model {
            settings: Settings { longest: [2, 2], ..Settings::default() },
            lexicon: lexicon.finish(),
            counts: Counts::of([]),
            fertility: Fertility::default(),
            features: Features::new(Templates::default()),
            classifiers: None,
            penalty: 0.01,
            coarse: None,
            prior: false,
        };
        // The third word has no link, so that nothing is known of its translation.
        let source = Source::new(vec![1, 2, 3], vec![1; 3], vec![]).unwrap();
        let links = Links::new(3, 2, &[(0, 0, 0.9), (1, 1, 0.9)]).unwrap();
        let pair = Example { source, target: vec![11, 13], links, tree: None, target_tree: None };
        let mut labelled = Labelled::default();
        see_choices(&model, 0, &pair, &mut labelled);
        let target = |entry: u32| model.lexicon.phrases(1).words(model.lexicon.target(entry)).to_vec();
        let place = |at: usize| (labelled.places[at].from, labelled.places[at].to);
        let mut found: Vec<_> =
            (0..labelled.len()).map(|at| (place(at), target(labelled.details[at]), labelled.labels[at])).collect();
        found.sort();
        let wanted = [
            ((0, 1), vec![11], true),
            ((0, 1), vec![12], false),
            ((0, 2), vec![11, 13], true),
            ((1, 2), vec![13], true),
        ];
        assert_eq!(found, wanted);
    }
}
