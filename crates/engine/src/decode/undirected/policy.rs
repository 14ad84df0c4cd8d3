//! What an action scores: the weights of its features, and which features there are.
//!
//! The features of an action are those of its rule, what language models say of the words that it completes, and
//! context-free factors: the best that the branches it leaves open can score in the forest without language models
//! (Gesmundo & Henderson 2014, section 4).

use std::sync::Arc;

use super::UndirectedSettings;
use super::carry::Said;
use super::context::{Context, TABLES, feature_name, is_hashed};
use super::forest::Forest;
use super::menus::Entry;
use super::tree::Step;
use crate::decode::model::Model;
use crate::decode::scorer::Scorer;
use crate::{Error, Result};

/// What language models say of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LmMode {
    /// The words whose whole context becomes known, and nothing of others.
    Full,
    /// Those, and, with a weight of its own, an estimate of the rule's words whose context is not all known.
    Both,
    /// Both in one, words at the edge of what is known again whenever more of their context is known (what the authors'
    /// first decoder did).
    Again,
    /// What changes in the estimate of all words there are: those of the rule, and those whose context grows.
    #[default]
    Change,
}

/// How context-free factors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Factors {
    /// One feature: the sum over all branches that stay open.
    #[default]
    Sum,
    /// Three: for the head, the first and the second gap.
    Split,
    /// None.
    Off,
}

/// What the forest is scored with that factors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rest {
    /// Rules alone.
    Rules,
    /// Rules with what language models say of each rule's words on their own.
    Words,
    /// Those, and what they say of the words of the best in its gaps.
    #[default]
    Joins,
}

/// Which slot is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// That of the best action.
    #[default]
    Score,
    /// That whose best action is furthest ahead of its second (easy first; Goldberg & Elhadad 2010).
    Margin,
}

/// When a tree's left end is known to begin the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// When the whole sentence is covered.
    #[default]
    Goal,
    /// As soon as glue begins a sequence, which is always at the start.
    Glue,
}

/// The feature of context-free factors, if they are one.
pub const FACTOR: &str = "context_free";
/// Their features, if they are three.
pub const FACTORS: [&str; 3] = ["context_free_head", "context_free_first", "context_free_second"];
/// How much less than the best of its slot an action promises.
pub const REGRET: &str = "regret";
/// Words whose context becomes known.
pub const COMPLETED: &str = "completed";
/// Whether the action goes up.
pub const UP: &str = "bottom_up";
/// Branches that it opens.
pub const OPEN: &str = "open";
/// The last ones, in their order.
const OTHERS: [&str; 4] = [REGRET, COMPLETED, UP, OPEN];
/// Behind the name of a language model.
pub const ESTIMATE: &str = "_estimate";

/// Where features are among those of actions.
#[derive(Debug, Clone)]
pub struct Places {
    /// Of language models and of their estimates.
    pub lms: Vec<usize>,
    /// See there.
    pub estimates: Vec<Option<usize>>,
    /// Of the factors of the head, the first and the second gap.
    pub factors: [Option<usize>; 3],
    /// The others.
    pub regret: usize,
    /// See there.
    pub completed: usize,
    /// See there.
    pub up: usize,
    /// See there.
    pub open: usize,
}

impl Places {
    fn new(model: &Model, settings: &UndirectedSettings, names: &[String]) -> Self {
        let find = |name: &str| names.iter().position(|known| known == name);
        let last = names.len() - OTHERS.len();
        Self {
            lms: model.lms().iter().map(|lm| lm.feature).collect(),
            estimates: model.lms().iter().map(|lm| find(&estimate_name(model, lm.feature))).collect(),
            factors: match settings.factors {
                Factors::Sum => [find(FACTOR); 3],
                Factors::Split => FACTORS.map(find),
                Factors::Off => [None; 3],
            },
            regret: last,
            completed: last + 1,
            up: last + 2,
            open: last + 3,
        }
    }
}

/// The weights of an action's features.
#[derive(Debug, Clone)]
pub struct Policy {
    /// How many features the model has, and where others are.
    features: usize,
    /// See there.
    pub places: Places,
    /// Of the model's features; those of language models are 0, as they are below.
    pub model: Vec<f64>,
    /// Of each language model.
    pub lms: Vec<f64>,
    /// Of its estimates.
    pub estimates: Vec<f64>,
    /// The first again, if they are not those of the forest.
    pub trained: Option<Vec<f64>>,
    /// For the head, the first and the second gap: what a factor counts, its scale included.
    pub factors: [f64; 3],
    /// Whether the factor of the slot that is filled is taken off.
    pub relative: bool,
    /// Of how much less than the best of its slot the action promises.
    pub regret: f64,
    /// Of each word whose context becomes known.
    pub completed: f64,
    /// Of an action that goes up.
    pub up: f64,
    /// Of each branch that it opens.
    pub open: f64,
    /// What language models say of an action.
    pub mode: LmMode,
    /// What the forest is scored with.
    pub rest: Rest,
    /// What the input's arcs count in the forest.
    pub arcs: f64,
    /// How many of the best source sides of a node language models are asked about for that.
    pub tries: usize,
    /// When the start of the sentence is known.
    pub start: Start,
    /// Most actions of a slot that language models are asked about; 0 for as many as it takes to find the best.
    pub scored: usize,
    /// The feature of the input's arcs.
    pub input: usize,
    /// What factors are divided by.
    pub scale: f64,
    /// Features in context, if there are any; their weights come behind all others.
    pub context: Option<Arc<Context>>,
    /// Whether its weights will change, so that features are kept.
    pub learns: bool,
    /// Of which weights it is.
    pub version: u64,
    reach: usize,
}

impl Policy {
    /// Reads weights by name. Those that are not given are the model's own; those of other features what needs no training.
    ///
    /// # Errors
    /// A name that is none, a weight or a setting that is no finite number.
    pub fn new(model: &Model, scorer: &Scorer, settings: &UndirectedSettings) -> Result<Self> {
        let base: Vec<f64> = scorer.joint().values().iter().map(|&weight| f64::from(weight)).collect();
        let names = action_names(model, settings);
        let mut values = base.clone();
        values.extend(names[base.len()..].iter().map(|name| settings.untrained(model, &base, name)));
        let words = model.target_words();
        let all = (0..words.len() as u32).map(|word| words.word(word));
        let context = if settings.context == 0 { None } else { Some(Context::new(settings.context, all)?) };
        values.resize(names.len() + context.as_ref().map_or(0, Context::count), 0.0);
        for (name, weight) in &settings.actions {
            let own = names.iter().position(|known| known == name);
            let seen = || context.as_ref().and_then(|context| context.find(name)).map(|at| names.len() + at);
            let at = own.or_else(seen).ok_or_else(|| {
                let hint = if is_hashed(name) {
                    "set `context` to the bits that they were learnt with".to_owned()
                } else {
                    format!("their features are {}", names.join(", "))
                };
                Error::settings(format!("actions have no feature `{name}`")).hint(hint)
            })?;
            if !weight.is_finite() {
                return Err(Error::settings(format!("the weight of `{name}` is not a finite number")));
            }
            values[at] = *weight;
        }
        if !(settings.scale.is_finite() && settings.scale > 0.0) {
            return Err(Error::settings("the scale of factors is not a positive number"));
        }
        let mut policy = Self {
            features: base.len(),
            places: Places::new(model, settings, &names),
            model: Vec::new(),
            lms: Vec::new(),
            estimates: Vec::new(),
            trained: None,
            factors: [0.0; 3],
            relative: settings.relative,
            regret: 0.0,
            completed: 0.0,
            up: 0.0,
            open: 0.0,
            mode: settings.lm,
            rest: settings.rest,
            tries: settings.tries,
            arcs: base[model.own().input],
            start: settings.start,
            scored: settings.scored,
            scale: settings.scale,
            input: model.own().input,
            reach: reach(model),
            context: context.map(Arc::new),
            learns: false,
            version: 0,
        };
        let other = values[..base.len()] != base[..];
        if other && !scorer.is_single() {
            return Err(Error::settings("rules of an ensemble have one score, which actions cannot weigh otherwise")
                .hint("leave out weights of actions that bear the names of rules' features"));
        }
        policy.set(&values, 0);
        if !other {
            policy.trained = None;
        }
        Ok(policy)
    }

    /// Takes other weights, in the order of [`action_names`].
    pub fn set(&mut self, values: &[f64], version: u64) {
        self.version = version;
        let at = |place: Option<usize>| place.map_or(0.0, |at| values[at]);
        self.model.clear();
        self.model.extend_from_slice(&values[..self.features]);
        self.lms.clear();
        for &lm in &self.places.lms {
            self.lms.push(std::mem::take(&mut self.model[lm]));
        }
        self.estimates.clear();
        self.estimates.extend(self.places.estimates.iter().map(|&place| at(place)));
        self.factors = self.places.factors.map(|place| at(place) / self.scale);
        self.regret = values[self.places.regret];
        self.completed = values[self.places.completed];
        self.up = values[self.places.up];
        self.open = values[self.places.open];
        self.trained = Some(self.model.clone());
        if let Some(context) = &mut self.context {
            Arc::make_mut(context).set(&values[self.places.open + 1..]);
        }
    }

    /// Whether an action's score can be bounded before language models are asked.
    pub fn has_bound(&self) -> bool {
        self.lms.iter().chain(&self.estimates).all(|&weight| weight >= 0.0)
    }

    /// What a rule scores: its features and those of the input's arcs.
    #[inline]
    pub fn rule(&self, entry: &Entry, input: f32) -> f64 {
        entry.own - self.regret * entry.context_free + f64::from(input) * self.model[self.input]
    }

    /// What a rule of a tree scores: that and its features in context.
    #[inline]
    pub fn step(&self, step: &Step, forest: &Forest) -> f64 {
        self.rule(forest.menus.entry(step.entry), forest.bundle(step.bundle).input) + step.context
    }

    /// The most that features in context can add.
    #[inline]
    pub fn seen_at_most(&self) -> f64 {
        self.context.as_ref().map_or(0.0, |context| context.bound())
    }

    /// What a language model says of an action, as the feature that bears its name has it, log10.
    #[inline]
    pub fn words(&self, said: &Said) -> f64 {
        f64::from(match self.mode {
            LmMode::Full | LmMode::Both => said.full,
            LmMode::Again => said.full + said.estimate + said.again,
            LmMode::Change => said.change(),
        })
    }

    /// What a language model's words count.
    #[inline]
    pub fn weigh(&self, lm: usize, said: &Said) -> f64 {
        let mut words = self.words(said) * self.lms[lm];
        if self.mode == LmMode::Both {
            words += f64::from(said.estimate) * self.estimates[lm];
        }
        // Language models that see further complete fewer words; the first one counts.
        let completed = if lm == 0 { f64::from(said.completed) * self.completed } else { 0.0 };
        words * std::f64::consts::LN_10 + completed
    }

    /// How many words of context language models see at most.
    #[inline]
    pub fn reach(&self) -> usize {
        self.reach
    }
}

/// How many words of context the language models of a model see at most.
fn reach(model: &Model) -> usize {
    model.lms().iter().map(|lm| lm.model.order() - 1).max().unwrap_or(0)
}

/// The name of a language model's estimate.
fn estimate_name(model: &Model, feature: usize) -> String {
    format!("{}{ESTIMATE}", model.feature_names()[feature])
}

/// The names of the features of actions: the model's and those that are theirs alone.
pub fn action_names(model: &Model, settings: &UndirectedSettings) -> Vec<String> {
    let mut names = model.feature_names().to_vec();
    if settings.lm == LmMode::Both {
        names.extend(model.lms().iter().map(|lm| estimate_name(model, lm.feature)));
    }
    match settings.factors {
        Factors::Sum => names.push(FACTOR.to_owned()),
        Factors::Split => names.extend(FACTORS.map(str::to_owned)),
        Factors::Off => {}
    }
    names.extend(OTHERS.map(str::to_owned));
    names
}

/// How many features actions have: those with names of their own, and those in context.
pub fn action_count(model: &Model, settings: &UndirectedSettings) -> usize {
    let hashed = if settings.context == 0 { 0 } else { TABLES.len() << settings.context };
    action_names(model, settings).len() + hashed
}

/// The names of those in context, in the order of their weights.
pub fn hashed_names(settings: &UndirectedSettings) -> impl Iterator<Item = String> {
    let bits = settings.context;
    let count = if bits == 0 { 0 } else { TABLES.len() << bits };
    (0..count).map(move |feature| feature_name(bits, feature))
}
