//! Undirected translation as a task to be learnt: trees are states, connections are actions, and the reward is how good the
//! translation is (Gesmundo & Henderson 2014, section 3.2).

use hashbrown::HashMap;

use super::forest::Kept;
use super::policy::action_names;
use super::tree::Action;
use super::{UndirectedDecoder, UndirectedSettings};
use crate::decode::input::Input;
use crate::decode::model::Model;
use crate::decode::options::CopiedWord;
use crate::decode::scorer::Scorer;
use crate::learn::{Episode, Features, Weights};
use crate::metric::texts::TokenTable;
use crate::metric::{Metric, Scratch};
use crate::{Error, Result};

/// Sentences to learn from, and how good their translations are.
pub struct Examples<'m> {
    /// The sentences.
    pub inputs: &'m [Input],
    /// Rewards of their translations.
    pub metric: &'m dyn Metric,
    /// The metric's ids of words.
    pub tokens: &'m Tokens,
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
        }
        Self { known, table }
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
        let values: Vec<f64> = names.iter().enumerate().map(value).collect();
        names.into_iter().zip(values).collect()
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
                self.saved.insert(example, Saved { forest, copied: decoder.chart.options().copied() });
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
        for word in self.decoder.tree.words().flatten() {
            let other = || tokens.table.find(self.decoder.chart.options().word(word)).unwrap_or(u32::MAX);
            self.words.push(tokens.known.get(word as usize).copied().unwrap_or_else(other));
        }
        self.examples.metric.stats(example, &self.words, &mut self.scratch, &mut self.row);
        self.examples.metric.sentence_score(&self.row)
    }
}
