//! Undirected translation as a task to be learnt: trees are states, connections are actions, and the reward is how good the
//! translation is (Gesmundo & Henderson 2014, section 3.2).

use hashbrown::HashMap;

use super::expert::Marks;
use super::forest::Kept;
use super::policy::{action_names, hashed_names};
use super::tree::Action;
use super::{UndirectedDecoder, UndirectedSettings};
use crate::decode::input::Input;
use crate::decode::model::Model;
use crate::decode::options::{CopiedWord, Options};
use crate::decode::scorer::Scorer;
use crate::learn::{Episode, Features, Weights};
use crate::metric::background::Background;
use crate::metric::{Metric, Scratch, Texts, TokenTable};
use crate::{Error, Result};

/// Sentences to learn from, and how good their translations are.
pub struct Examples<'m> {
    /// The sentences.
    pub inputs: &'m [Input],
    /// Rewards of their translations.
    pub metric: &'m dyn Metric,
    /// The metric's ids of words.
    pub tokens: &'m Tokens,
    /// The references by those ids, for an expert.
    pub references: &'m Texts,
    /// How much of what was translated before is remembered, if rewards are what a translation adds to it; single sentences
    /// have scores of their own if not.
    pub document: Option<f64>,
}

/// The metric's ids of the words that a model can say.
pub struct Tokens {
    /// By the model's ids.
    known: Vec<u32>,
    table: TokenTable,
}

impl Tokens {
    /// The ids of a model's words in a table that has those of the references.
    pub fn new(model: &Model, inputs: &[Input], mut table: TokenTable) -> Self {
        let words = model.target_words();
        let known = (0..words.len() as u32).map(|word| table.id(words.word(word))).collect();
        // Unknown words are copied, given ones said.
        for input in inputs {
            input.words().iter().for_each(|word| _ = table.id(word));
            let given = (0..input.last()).flat_map(|begin| input.given().from(begin));
            let said = given.flat_map(|given| &given.targets).flat_map(|(words, _)| words);
            said.for_each(|word| _ = table.id(word));
        }
        Self { known, table }
    }

    /// The metric's id of a word that the model says.
    fn of(&self, options: &Options<'_>, word: u32) -> u32 {
        let other = || self.table.find(options.word(word)).unwrap_or(u32::MAX);
        self.known.get(word as usize).copied().unwrap_or_else(other)
    }

    /// All words.
    pub fn table(&self) -> &TokenTable {
        &self.table
    }
}

/// A sentence's forest and the words that the model does not know.
struct Saved {
    forest: Kept,
    copied: Vec<CopiedWord>,
    /// What an expert would take, once it was asked.
    expert: Option<Marks>,
}

/// A worker that translates sentences again and again, with weights that change.
pub struct UndirectedEpisode<'m> {
    decoder: UndirectedDecoder<'m>,
    examples: Examples<'m>,
    saved: HashMap<usize, Saved>,
    /// Bytes of forests that are kept, and how many they and the options may have.
    bytes: usize,
    most: usize,
    current: Option<(usize, u64)>,
    all: Vec<(usize, Action)>,
    scratch: Scratch,
    row: Vec<f64>,
    words: Vec<u32>,
    past: Option<Background>,
}

impl<'m> UndirectedEpisode<'m> {
    /// A worker. What it keeps of sentences takes about `most` bytes; beyond, all is forgotten and found anew.
    ///
    /// # Errors
    /// An ensemble; see [`UndirectedDecoder::new`].
    pub fn new(
        (model, scorer): (&'m Model, &'m Scorer),
        settings: UndirectedSettings,
        examples: Examples<'m>,
        most: usize,
    ) -> Result<Self> {
        if !scorer.is_single() {
            return Err(Error::settings(
                "the actions of an ensemble cannot be learnt: its rules have no weights of their own",
            )
            .hint("learn those of a model"));
        }
        let mut decoder = UndirectedDecoder::new(model, scorer, settings)?;
        decoder.policy.learns = true;
        decoder.chart.options_mut().keep_all();
        let row = vec![0.0; examples.metric.width()];
        let past = examples.document.map(|decay| Background::new(row.len(), decay));
        Ok(Self {
            decoder,
            examples,
            saved: HashMap::new(),
            bytes: 0,
            most,
            current: None,
            all: Vec::new(),
            scratch: Scratch::default(),
            row,
            words: Vec::new(),
            past,
        })
    }

    /// The weights to begin with, by the names of the features of actions.
    pub fn start(model: &Model, scorer: &Scorer, settings: &UndirectedSettings) -> Vec<(String, f64)> {
        let names = action_names(model, settings);
        let base: Vec<f64> = scorer.joint().values().iter().map(|&weight| f64::from(weight)).collect();
        let given =
            |name: &String| settings.actions.iter().rfind(|(known, _)| known == name).map(|(_, weight)| *weight);
        let value = |(at, name): (usize, &String)| {
            let other = || base.get(at).copied().unwrap_or_else(|| settings.untrained(model, &base, name));
            given(name).unwrap_or_else(other)
        };
        let mut values: Vec<f64> = names.iter().enumerate().map(value).collect();
        let hashed: HashMap<&str, f64> = settings.actions.iter().map(|(name, weight)| (&name[..], *weight)).collect();
        let mut all = names;
        for name in hashed_names(settings) {
            values.push(hashed.get(&name[..]).copied().unwrap_or(0.0));
            all.push(name);
        }
        all.into_iter().zip(values).collect()
    }

    /// The translation that the tree is.
    pub fn text(&self) -> String {
        self.decoder.best().map(|(text, _)| text).unwrap_or_default()
    }
}

impl Episode for UndirectedEpisode<'_> {
    type Action = (usize, Action);

    fn begin(&mut self, example: usize, weights: Weights<'_>) -> Result<()> {
        let decoder = &mut self.decoder;
        if decoder.policy.version != weights.version {
            decoder.policy.set(weights.values, weights.version);
        }
        let asked = (example, weights.version);
        if self.current != Some(asked) {
            if let Some(saved) = self.saved.get(&example) {
                decoder.chart.options_mut().set_copied(&saved.copied);
                decoder.forest.take_up(&saved.forest, decoder.chart.options(), &decoder.policy);
            } else {
                if self.bytes + decoder.chart.options().bytes() > self.most {
                    decoder.chart.options_mut().forget();
                    self.saved.clear();
                    self.bytes = 0;
                }
                decoder.parse(&self.examples.inputs[example])?;
                decoder.forest.weigh(decoder.chart.options(), &decoder.policy);
                let forest = decoder.forest.keep_aside();
                self.bytes += forest.bytes();
                self.saved.insert(example, Saved { forest, copied: decoder.chart.options().copied(), expert: None });
            }
            self.current = Some(asked);
        }
        let lms = decoder.chart.options().model().lms().len();
        decoder.tree.begin(lms);
        if decoder.forest.goal().is_none() {
            decoder.tree.close();
        }
        Ok(())
    }

    fn best(&mut self) -> Option<Self::Action> {
        let (mut rescorer, tree) = self.decoder.rescorer();
        rescorer.choose(tree, 1)
    }

    fn has_choice(&mut self) -> bool {
        let (rescorer, tree) = self.decoder.rescorer();
        rescorer.has_choice(tree)
    }

    fn ranked(&mut self, actions: &mut Vec<Self::Action>) {
        let (mut rescorer, tree) = self.decoder.rescorer();
        rescorer.all(tree, &mut self.all);
        actions.clone_from(&self.all);
    }

    fn features(&mut self, (at, action): Self::Action, features: &mut Features) {
        let (mut rescorer, tree) = self.decoder.rescorer();
        rescorer.features(tree, at, &action, features);
    }

    fn step(&mut self, (at, action): Self::Action) {
        let (mut rescorer, tree) = self.decoder.rescorer();
        rescorer.connect(tree, at, action);
    }

    fn reward(&mut self) -> f64 {
        let Some((example, _)) = self.current else { return 0.0 };
        let tokens = self.examples.tokens;
        self.words.clear();
        let options = self.decoder.chart.options();
        self.words.extend(self.decoder.tree.words().flatten().map(|word| tokens.of(options, word)));
        let metric = self.examples.metric;
        metric.stats(example, &self.words, &mut self.scratch, &mut self.row);
        match &mut self.past {
            None => metric.sentence_score(&self.row),
            Some(past) => {
                // What it adds for each of its words to the score of what was translated before.
                let words = self.examples.inputs[example].last();
                let before = past.source() * metric.score(past.sum());
                (past.score(metric, &self.row, words) - before) / words.max(1) as f64
            }
        }
    }

    fn expert(&mut self) -> Option<Self::Action> {
        let (example, _) = self.current?;
        let saved = self.saved.get_mut(&example)?;
        let decoder = &mut self.decoder;
        let marks = saved.expert.get_or_insert_with(|| {
            let (tokens, options) = (self.examples.tokens, decoder.chart.options());
            Marks::new(&decoder.forest, options, self.examples.references.get(example), |word| tokens.of(options, word))
        });
        let (mut rescorer, tree) = decoder.rescorer();
        rescorer.best_of(tree, |bundle, option| marks.has(bundle, option))
    }

    fn outcome(&self) -> Vec<f64> {
        let Some((example, _)) = self.current.filter(|_| self.past.is_some()) else { return Vec::new() };
        let mut outcome = self.row.clone();
        outcome.push(self.examples.inputs[example].last() as f64);
        outcome
    }

    fn remember(&mut self, outcome: &[f64]) {
        if let Some((past, (words, row))) = self.past.as_mut().zip(outcome.split_last()) {
            past.update(row, *words as usize);
        }
    }

    fn forget(&mut self) {
        self.past = self.examples.document.map(|decay| Background::new(self.row.len(), decay));
    }
}
