//! Labelled inferences on disk, so that a training that was stopped goes on where it was.

use std::path::Path;

use super::examples::{Labelled, With};
use super::features::{Features, Place};
use super::piece::Type;
use crate::files::{Container, ContainerWriter, Verify};
use crate::{Error, Result};

const KIND: &str = "tree-examples";
const VERSION: u32 = 1;

/// The kind of a number, if inferences of it have labels.
fn kind(number: u16) -> Option<Type> {
    [Type::Bilingual, Type::Monotonic, Type::Inverted].into_iter().find(|&kind| kind as u16 == number)
}

impl Labelled {
    /// Writes them from one on: those before are in other files already.
    ///
    /// # Errors
    /// What the operating system says; there are not as many.
    pub fn save(&self, path: &Path, first: usize, features: &Features) -> Result<()> {
        let mut file = ContainerWriter::create(path, KIND, VERSION)?;
        self.write(&mut file, first, features)?;
        file.finish()
    }

    fn write<W: std::io::Write + std::io::Seek>(
        &self,
        file: &mut ContainerWriter<W>,
        first: usize,
        features: &Features,
    ) -> Result<()> {
        if first > self.len() {
            return Err(Error::input(format!("there are {} examples, not {first}", self.len())));
        }
        let place = |place: &Place| [place.kind as u16, place.from, place.middle, place.to];
        let is_join = |place: &&Place| place.kind.is_join();
        let before = self.places[..first].iter().filter(is_join).count();
        let detail = |(place, &detail): (&Place, &u32)| if is_join(&place) { detail - before as u32 } else { detail };
        let details = self.places[first..].iter().zip(&self.details[first..]).map(detail);
        file.section("sentences", &self.sentences[first..])?;
        file.section("places", &self.places[first..].iter().flat_map(place).collect::<Vec<_>>())?;
        file.section("details", &details.collect::<Vec<_>>())?;
        file.section("labels", &self.labels[first..].iter().map(|&label| u8::from(label)).collect::<Vec<_>>())?;
        file.section("weights", &self.weights[first..])?;
        file.section("names", &self.names[first..])?;
        // Each join has as many slots, in the order of joins.
        file.section("slots", &self.slots[before * (features.slots() - features.first_target_slot())..])
    }

    /// Adds those of a file of the same corpus.
    ///
    /// # Errors
    /// A file that is not sound, whose inferences cannot be of these pairs, or are there already.
    pub fn open(&mut self, path: &Path, with: &With<'_>, most_bytes: u64) -> Result<()> {
        let file = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        let part = Self::from_container(&file, with)?;
        let all = self.len() + part.len();
        self.add(&part, with.features);
        if self.len() < all {
            return Err(file.error("examples are there twice").hint("delete it and train anew"));
        }
        Ok(())
    }

    fn from_container(file: &Container, with: &With<'_>) -> Result<Self> {
        file.kind_version_up_to(VERSION)?;
        let unsound = |name: &str| file.error(format!("section {name} is not sound")).hint("delete it and train anew");
        let sentences = file.slice::<u32>("sentences")?.to_vec();
        let weights = file.slice::<f32>("weights")?.to_vec();
        let (names, details) = (file.slice::<u64>("names")?.to_vec(), file.slice::<u32>("details")?.to_vec());
        let (places, labels) = (file.slice::<u16>("places")?, file.slice::<u8>("labels")?);
        let slots = file.slice::<u32>("slots")?.to_vec();
        let all = sentences.len();
        let lengths = [places.len().div_ceil(4), details.len(), labels.len(), weights.len(), names.len()];
        let width = with.features.slots() - with.features.first_target_slot();
        if slots.len() % width != 0 || lengths.iter().any(|&length| length != all) || u32::try_from(all).is_err() {
            return Err(unsound("sentences"));
        }
        if labels.iter().any(|&label| label > 1) {
            return Err(unsound("labels"));
        }
        if !weights.iter().all(|&weight| weight.is_finite() && weight > 0.0) {
            return Err(unsound("weights"));
        }
        let (joins, pairs) = (slots.len() / width, with.lexicon.sizes()[2]);
        let place = |(parts, (&sentence, &detail)): (&[u16], (&u32, &u32))| {
            let &[number, from, middle, to] = parts else { return None };
            let place = Place { kind: kind(number)?, from, middle, to };
            let words = with.pairs.get(sentence as usize)?.source.len();
            let (parted, known) =
                if place.kind.is_join() { (from < middle && middle < to, joins) } else { (from == middle, pairs) };
            (from < to && usize::from(to) <= words && parted && (detail as usize) < known).then_some(place)
        };
        let places = places.chunks_exact(4).zip(sentences.iter().zip(&details)).map(place).collect::<Option<Vec<_>>>();
        let places = places.ok_or_else(|| unsound("places"))?;
        let seen: hashbrown::HashSet<u64> = names.iter().copied().collect();
        if seen.len() != all {
            return Err(unsound("names"));
        }
        let labels = labels.iter().map(|&label| label == 1).collect();
        Ok(Self { sentences, places, details, labels, weights, slots, names, seen })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::super::corpus::Corpus;
    use super::super::counts::Counts;
    use super::super::examples::Learning;
    use super::super::features::Templates;
    use super::super::fertility::Fertility;
    use super::super::learning::{Coordination, Labelling};
    use super::super::lexicon::{LexiconBuilder, Pruning};
    use super::super::links::Links;
    use super::super::model::{Example, Model, Settings};
    use super::super::source::{Constituent, Source};
    use super::*;
    use crate::Kind;
    use crate::files::reseal::reseal;
    use crate::learn::{Exploration, boost};
    use crate::parse::Cost;

    /// Three pairs of two words, of which the second swaps them, with everything that was seen of them.
    fn corpus() -> Corpus {
        let pair = |words: [u32; 2], target: [u32; 2], swapped: bool| {
            let phrase = Constituent { label: 1, from: 0, to: 2, head: 1 };
            let source = Source::new(words.to_vec(), vec![2, 3], vec![phrase]).unwrap();
            let (first, second) = if swapped { (1, 0) } else { (0, 1) };
            let links = Links::new(2, 2, &[(0, first, 0.9), (1, second, 0.9)]).unwrap();
            Example { source, target: target.to_vec(), links, tree: None, target_tree: None }
        };
        let pairs =
            vec![pair([10, 11], [20, 21], false), pair([12, 11], [21, 22], true), pair([10, 13], [20, 23], false)];
        let model = Model {
            settings: Settings::default(),
            lexicon: LexiconBuilder::default().finish(),
            counts: Counts::of(pairs.iter().map(|pair| &pair.target[..])),
            fertility: Fertility::default(),
            features: Features::new(Templates::default()),
            classifiers: None,
            penalty: 0.01,
            coarse: None,
            prior: false,
        };
        let mut corpus = Corpus::new(model, pairs);
        let all = [0, 1, 2];
        corpus.see_fertility();
        let pruning = Pruning { pairs: 0, ..Pruning::default() };
        corpus.see_lexicon(&all, super::super::corpus::Origin::Forest, "itg : itg + fertility", &pruning).unwrap();
        let how = Coordination {
            labelling: Labelling::Permissive,
            exploration: Exploration { limit: 1, forbidden: Cost::of(5.0), ..Exploration::default() },
            supervisor: "itg, lexicon : itg + fertility".to_owned(),
            predictor: "itg : itg + fuses + fertility".to_owned(),
            most: 100,
        };
        corpus.coordinate(&all, &how).unwrap();
        assert!(corpus.labelled.tally().iter().sum::<usize>() > 6);
        corpus
    }

    fn bytes(labelled: &Labelled) -> Vec<u8> {
        let mut file = ContainerWriter::in_memory(KIND, VERSION).unwrap();
        labelled.write(&mut file, 0, &Features::new(Templates::default())).unwrap();
        file.into_bytes().unwrap()
    }

    fn open(bytes: &[u8], corpus: &Corpus) -> Result<Labelled> {
        Labelled::from_container(&Container::from_bytes(bytes, Some(KIND), Verify::Full)?, &corpus.with())
    }

    fn learning() -> Learning {
        let boost = boost::Settings { least: 0.02, ..boost::Settings::default() };
        Learning { boost, coarse: Some(0.02), ..Learning::default() }
    }

    #[test]
    fn they_are_opened_as_they_were_saved() {
        let (place, corpus) = (tempfile::tempdir().unwrap(), corpus());
        let features = &corpus.model.features;
        let paths = [place.path().join("examples"), place.path().join("others")];
        // What was there first, and what came later.
        let mut half = corpus.labelled.clone();
        let kept = half.len() / 2;
        let joins = half.places[..kept].iter().filter(|place| place.kind.is_join()).count();
        half.slots.truncate(joins * (features.slots() - features.first_target_slot()));
        for column in [&mut half.sentences, &mut half.details] {
            column.truncate(kept);
        }
        half.places.truncate(kept);
        half.labels.truncate(kept);
        half.weights.truncate(kept);
        half.names.truncate(kept);
        half.save(&paths[0], 0, features).unwrap();
        corpus.labelled.save(&paths[1], kept, features).unwrap();
        assert!(corpus.labelled.save(&paths[1], corpus.labelled.len() + 1, features).is_err());
        let mut opened = Labelled::default();
        for path in &paths {
            opened.open(path, &corpus.with(), u64::MAX).unwrap();
        }
        assert!(opened.clone().open(&paths[1], &corpus.with(), u64::MAX).unwrap_err().to_string().contains("twice"));
        assert_eq!(bytes(&opened), bytes(&corpus.labelled));
        assert_eq!(opened.seen, corpus.labelled.seen);
        let trained = |labelled: &Labelled| {
            let mut file = ContainerWriter::in_memory("trees", 1).unwrap();
            labelled.train(&corpus.with(), &learning(), None).unwrap().0.write(&mut file).unwrap();
            file.into_bytes().unwrap()
        };
        assert_eq!(trained(&opened), trained(&corpus.labelled));
        let mut other = corpus;
        other.pairs.clear();
        assert_eq!(Labelled::default().open(&paths[0], &other.with(), u64::MAX).unwrap_err().kind, Kind::Format);
    }

    /// A classifier to which nothing was added is taken over, and all are as if they were trained anew.
    #[test]
    fn what_has_not_changed_is_not_trained_again() {
        let mut corpus = corpus();
        let alone = Learning { coarse: None, ..learning() };
        let written = |corpus: &Corpus| {
            let mut file = ContainerWriter::in_memory("trees", 1).unwrap();
            corpus.model.classifiers.as_ref().unwrap().write(&mut file).unwrap();
            file.into_bytes().unwrap()
        };
        corpus.train(&alone).unwrap();
        let before = written(&corpus);
        corpus.see_choices(&[0, 1, 2]).unwrap();
        corpus.train(&alone).unwrap();
        let mut anew = Corpus::new(corpus.model.clone(), corpus.pairs.clone());
        anew.labelled = corpus.labelled.clone();
        anew.train(&alone).unwrap();
        assert_eq!(written(&corpus), written(&anew));
        assert_ne!(written(&corpus), before);
        // Other settings are another training.
        corpus.train(&Learning { fewest: 1, ..alone }).unwrap();
        assert!(corpus.model.classifiers.as_ref().unwrap().len() < anew.model.classifiers.as_ref().unwrap().len());
    }

    #[test]
    fn each_check_behind_the_checksums_holds() {
        let corpus = corpus();
        let refusal = |section: &str, at: usize, put: &[u8]| {
            let mut bytes = bytes(&corpus.labelled);
            let file = Container::from_bytes(&bytes, Some(KIND), Verify::Full).unwrap();
            let place = file.sections().iter().find(|one| one.name == section).unwrap().offset as usize + at;
            bytes[place..place + put.len()].copy_from_slice(put);
            reseal(&mut bytes);
            let error = open(&bytes, &corpus).unwrap_err();
            assert_eq!(error.kind, Kind::Format);
            error.to_string()
        };
        assert!(refusal("sentences", 0, &[3]).contains("places"));
        assert!(refusal("places", 0, &[1]).contains("places"));
        assert!(refusal("places", 2, &[9]).contains("places"));
        assert!(refusal("places", 6, &[9]).contains("places"));
        assert!(refusal("details", 0, &[255; 4]).contains("places"));
        assert!(refusal("labels", 0, &[2]).contains("labels"));
        assert!(refusal("weights", 0, &f32::NAN.to_le_bytes()).contains("weights"));
        assert!(refusal("weights", 0, &[0; 4]).contains("weights"));
        let second = corpus.labelled.names[1].to_le_bytes();
        assert!(refusal("names", 0, &second).contains("names"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_opens_can_be_used(
            damage in vec((any::<Index>(), prop_oneof![any::<u16>(), 0..8_u16, Just(u16::MAX)]), 1..5),
            cut in any::<Index>(), cuts in 0..8_u32,
        ) {
            let corpus = corpus();
            let mut bytes = bytes(&corpus.labelled);
            if cuts == 0 {
                bytes.truncate(cut.index(bytes.len()));
            }
            let words = bytes.len() / 2;
            for (at, value) in damage.into_iter().filter(|_| words > 0) {
                let at = at.index(words) * 2;
                bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
            }
            reseal(&mut bytes);
            match open(&bytes, &corpus) {
                Ok(mut opened) => {
                    opened.train(&corpus.with(), &learning(), None).unwrap();
                    opened.add(&corpus.labelled, &corpus.model.features);
                    opened.train(&corpus.with(), &learning(), None).unwrap();
                }
                Err(error) => prop_assert!(matches!(error.kind, Kind::Format | Kind::Limit), "{error:?}"),
            }
        }
    }
}
