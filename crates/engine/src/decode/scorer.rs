//! What turns features into scores: the components of a model, each with weights of its own, and how they are mixed.
//!
//! With one component a score is the weighted sum of features, and nothing else is computed. With several (an ensemble,
//! Razmara 2013) an edge has a part for each of them, and the mixture of the parts is its score. Where that comes to the
//! mixture of the rules' own scores and a weighted sum of the rest, rules are mixed once and for all, and edges cost what they
//! cost with one component.

use hashbrown::HashMap;

use super::model::{Model, Weights};
use super::options::LN_10;
use crate::forest::mixture::{MOST_COMPONENTS, Missing, Mixture, Operation, sum_of_powers};
use crate::{Error, Result};

/// What of an edge is mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Rules, if that is the same as mixing edges, and edges otherwise.
    #[default]
    Auto,
    /// Everything that the edge adds, language models included.
    Edge,
    /// What rules score on their own; language models have the mean of their weights.
    Rule,
}

/// What a cell is given to one part of an ensemble by (switching; Razmara 2013, section 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchBy {
    /// The best score of its rules.
    Max,
    /// The sum of their probabilities, of as many as a source side may have.
    Sum,
}

/// What is given to one part of an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SwitchScope {
    /// All rules of a cell.
    #[default]
    Cell,
    /// The rules of a source side.
    Pattern,
}

/// How cells are given to parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// By what.
    pub by: SwitchBy,
    /// What is given to one.
    pub scope: SwitchScope,
    /// Whether what language models say of a rule's words counts.
    pub lm: bool,
    /// Whether weights multiply logarithms, as the formula is printed: a larger one then makes a part less likely to win.
    pub literal: bool,
    /// For each class of spans the weight of each part.
    pub lambda: Vec<Vec<f64>>,
}

/// How the components of a model work together.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// For each part that a cell may be given to, and for each class of spans, the mixture of its components. One part
    /// unless there is a switch.
    pub parts: Vec<Vec<Mixture>>,
    /// How a cell is given to one part, if there are several.
    pub switch: Option<Switch>,
    /// The shortest spans of all classes but the first, in order.
    pub spans: Vec<u32>,
    /// What is mixed.
    pub level: Level,
    /// What products take of a component that does not have a rule.
    pub missing: Missing,
    /// The score in place of a rule's own features, if that is [`Missing::Floor`].
    pub floor: f64,
    /// Whether glue, copied words and given translations are scored by the mean of all components rather than mixed.
    pub average_glue: bool,
    /// Whether what is taken first in a cell is decided by scores that each component has normalised over the cell's rules.
    pub normalise: bool,
    /// Most options of one source side, after those of all components came together; 0 for all.
    pub union_limit: usize,
}

impl Plan {
    /// One mixture for all spans.
    pub fn of(mixture: Mixture) -> Self {
        Self {
            parts: vec![vec![mixture]],
            switch: None,
            spans: Vec::new(),
            level: Level::Auto,
            missing: Missing::Floor,
            floor: FLOOR,
            average_glue: false,
            normalise: false,
            union_limit: 0,
        }
    }

    fn check(&self, components: usize) -> Result<()> {
        let classes = self.spans.len() + 1;
        let whole = self.parts.iter().all(|part| part.len() == classes);
        let sorted = self.spans.windows(2).all(|pair| pair[0] < pair[1]) && self.spans.first() != Some(&0);
        if !whole || !sorted {
            return Err(Error::input("the classes of spans do not fit the weights of the components")
                .hint("name each class by its shortest span, in order, and give weights for each"));
        }
        let members = self.parts.iter().map(|part| part[0].members());
        let all = members.clone().fold(0, |all, own| all | own);
        let sum: u32 = members.map(u64::count_ones).sum();
        let wanted = if components >= 64 { u64::MAX } else { (1 << components) - 1 };
        let steady = self.parts.iter().all(|part| part.iter().all(|one| one.members() == part[0].members()));
        if all != wanted || sum as usize != components || !steady {
            return Err(Error::input(format!("the mixture is not one of the {components} components")));
        }
        match &self.switch {
            None if self.parts.len() != 1 => return Err(Error::input("several mixtures and nothing to choose by")),
            Some(switch) => {
                let fits = switch.lambda.len() == classes
                    && switch.lambda.iter().all(|row| {
                        row.len() == self.parts.len()
                            && row.iter().all(|weight| weight.is_finite() && *weight >= 0.0)
                            && row.iter().any(|weight| *weight > 0.0)
                    });
                if !fits {
                    return Err(Error::input("the weights of a switch are not a number for each part")
                        .hint("weights are finite, not negative, and not all 0"));
                }
            }
            None => {}
        }
        if !self.floor.is_finite() {
            return Err(Error::input("the floor of missing rules is not a finite number"));
        }
        Ok(())
    }
}

/// The score in place of the features of a rule that a component does not have: a probability of one in a million.
pub const FLOOR: f64 = -13.8155;

/// How an option with what language models add becomes a score.
#[derive(Debug, Clone, PartialEq)]
pub enum Voice {
    /// Its own score, and the rest weighted so.
    Linear(Vec<f32>),
    /// The mixture of a part for a class of spans.
    Mixed,
}

/// The components of a model and their mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    components: Vec<Weights>,
    plan: Plan,
    /// Weights of one linear model, by which search is guided.
    joint: Weights,
    /// For each part and class one, and at last for each class that of the mean of all.
    voices: Vec<Voice>,
    /// For mixtures of components side by side, the operation and for each component the logarithm of its weight and its
    /// scale; by voice.
    flat: Vec<Option<(Operation, Vec<[f32; 2]>)>>,
    /// For each voice whether it is linear but where arcs of the input have scores.
    mixes_arcs: Vec<bool>,
    /// The features that edges add to those of rules: of each language model, and of the input's arcs.
    added: Vec<usize>,
    /// For each of them the weight of each component.
    rest: Vec<Vec<f32>>,
}

impl From<Weights> for Scorer {
    fn from(weights: Weights) -> Self {
        Self {
            components: vec![weights.clone()],
            plan: Plan::of(Mixture::single()),
            voices: vec![Voice::Linear(weights.values().to_vec()); 2],
            joint: weights,
            flat: vec![None; 2],
            mixes_arcs: vec![false; 2],
            added: Vec::new(),
            rest: Vec::new(),
        }
    }
}

impl Scorer {
    /// Mixes the components of a model.
    ///
    /// # Errors
    /// Not as many weights as components, a plan for other components.
    pub fn ensemble(model: &Model, components: Vec<Weights>, plan: Plan) -> Result<Self> {
        if components.len() != model.components() {
            let (got, wanted) = (components.len(), model.components());
            return Err(Error::input(format!("{got} sets of weights for {wanted} components")));
        }
        plan.check(components.len())?;
        if let ([_], [part]) = (&components[..], &plan.parts[..])
            && part.iter().all(|mixture| mixture.only().is_some())
        {
            return Ok(components[0].clone().into());
        }
        let features = model.feature_names().len();
        let at = |m: u32, feature: usize| f64::from(components[m as usize].values()[feature]);
        let classes = plan.spans.len() + 1;
        let added: Vec<usize> = model.lms().iter().map(|lm| lm.feature).chain([model.own().input]).collect();
        let mut voices = Vec::new();
        let mut flat = Vec::new();
        let mut mixes_arcs = Vec::new();
        for part in &plan.parts {
            for mixture in part {
                let mut weights = vec![0.0_f32; features];
                let mut linear = plan.level != Level::Edge || mixture.only().is_some();
                let mut arcs = true;
                for &feature in &added {
                    let of = |m: u32| at(m, feature);
                    let shift = mixture.shift(&of);
                    let same = shift.is_some() || plan.level == Level::Rule;
                    // Few inputs have arcs with scores.
                    *(if feature == model.own().input { &mut arcs } else { &mut linear }) &= same;
                    weights[feature] = shift.unwrap_or_else(|| mixture.mean(&of)) as f32;
                }
                flat.push(mixture.as_flat());
                voices.push(if linear { Voice::Linear(weights) } else { Voice::Mixed });
                mixes_arcs.push(linear && !arcs);
            }
        }
        for class in 0..classes {
            let average = |feature: usize| mean(&plan, class, |one| one.average(&|m| at(m, feature))) as f32;
            voices.push(Voice::Linear((0..features).map(average).collect()));
        }
        flat.resize(voices.len(), None);
        mixes_arcs.resize(voices.len(), false);
        let guide = |feature: usize| mean(&plan, 0, |one| one.mean(&|m| at(m, feature))) as f32;
        let joint = (0..features).map(guide).collect();
        let mut sparse: HashMap<u32, f32> = HashMap::new();
        for (feature, _) in components.iter().flat_map(Weights::sparse) {
            let of = |m: u32| f64::from(components[m as usize].weigh(&[(feature, 1.0)]));
            sparse.entry(feature).or_insert_with(|| mean(&plan, 0, |one| one.mean(&of)) as f32);
        }
        let rest = added.iter().map(|&feature| components.iter().map(|one| one.values()[feature]).collect()).collect();
        let joint = Weights::from_parts(joint, sparse);
        Ok(Self { joint, components, plan, voices, flat, mixes_arcs, added, rest })
    }

    /// The components.
    #[inline]
    pub fn components(&self) -> &[Weights] {
        &self.components
    }

    /// How they work together.
    #[inline]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether there is one component that counts as it is, so that scores have no parts.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.rest.is_empty()
    }

    /// The weights of one linear model, by which search is guided.
    #[inline]
    pub fn joint(&self) -> &Weights {
        &self.joint
    }

    /// How many classes of spans there are.
    pub fn classes(&self) -> usize {
        self.plan.spans.len() + 1
    }

    /// The class of a span of so many words.
    #[inline]
    pub fn class(&self, length: usize) -> usize {
        self.plan.spans.iter().take_while(|&&shortest| length >= shortest as usize).count()
    }

    /// The voice of a part for a class of spans.
    #[inline]
    pub fn part_voice(&self, part: usize, class: usize) -> usize {
        part * self.classes() + class
    }

    /// The voice of glue, copied words and given translations.
    pub fn common_voice(&self, class: usize) -> usize {
        if self.plan.switch.is_some() || self.plan.average_glue {
            self.plan.parts.len() * self.classes() + class
        } else {
            class
        }
    }

    /// A voice.
    #[inline]
    pub fn voice(&self, voice: usize) -> &Voice {
        &self.voices[voice]
    }

    /// The weights of what an edge adds to its option, if its score is their weighted sum; the score of the input's arcs may
    /// be what makes it none.
    #[inline]
    pub fn linear(&self, voice: usize, input: f32) -> Option<&[f32]> {
        match &self.voices[voice] {
            Voice::Linear(weights) if input == 0.0 || !self.mixes_arcs[voice] => Some(weights),
            _ => None,
        }
    }

    /// Whether edges are mixed, and not rules alone.
    pub fn mixes_edges(&self) -> bool {
        self.voices.iter().any(|voice| matches!(voice, Voice::Mixed))
    }

    /// How much a component counts among all, from 0 to 1.
    pub fn share(&self, component: u32) -> f32 {
        mean(&self.plan, 0, |one| one.average(&|m| f64::from(u8::from(m == component)))) as f32
    }

    /// Whether language models and arcs count the same in all edges.
    pub fn is_uniform(&self) -> bool {
        let counts = |voice: usize| match &self.voices[voice] {
            Voice::Linear(weights) if !self.mixes_arcs[voice] => {
                Some(self.added.iter().map(|&at| weights[at]).collect::<Vec<f32>>())
            }
            _ => None,
        };
        let own = 0..self.plan.parts.len() * self.classes();
        let mut used = own.chain((0..self.classes()).map(|class| self.common_voice(class))).map(counts);
        let first = used.next().flatten();
        first.is_some() && used.all(|other| other == first)
    }

    /// The score that the parts of an edge make under a voice that mixes: what the option has of each component, and what
    /// language models and arcs say, log10 of the former.
    pub fn edge(&self, voice: usize, parts: &[f32], spoken: u64, lm: &[f32], input: f32) -> f32 {
        let mut room = [0.0_f32; MOST_COMPONENTS];
        let own = &mut room[..parts.len()];
        own.copy_from_slice(parts);
        let added = lm.iter().map(|prob| prob * LN_10).chain([input]);
        for (value, weights) in added.zip(&self.rest) {
            own.iter_mut().zip(weights).for_each(|(own, weight)| *own += value * weight);
        }
        self.mix(voice, own, spoken)
    }

    /// The score that the scores of components make under a voice of a part.
    #[inline]
    fn mix(&self, voice: usize, own: &mut [f32], spoken: u64) -> f32 {
        if let Some((operation, shares)) = &self.flat[voice] {
            // Components that do not speak have minus infinity here.
            for (own, [log, scale]) in own.iter_mut().zip(shares) {
                *own = *own * scale + log;
            }
            let best = own.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            if *operation == Operation::Wmax || best == f32::NEG_INFINITY {
                return best;
            }
            return best + sum_of_powers(own, best).ln();
        }
        let classes = self.classes();
        let of = |m: u32| f64::from(own[m as usize]);
        self.plan.parts[voice / classes][voice % classes].of(&of, spoken) as f32
    }

    /// The score that the parts of an option make, whatever its voice: of a linear one that mixes rules, too.
    pub fn rule(&self, voice: usize, parts: &[f32], spoken: u64) -> f32 {
        let classes = self.classes();
        if voice / classes < self.plan.parts.len() {
            let mut room = [0.0_f32; MOST_COMPONENTS];
            let own = &mut room[..parts.len()];
            own.copy_from_slice(parts);
            return self.mix(voice, own, spoken);
        }
        mean(&self.plan, voice % classes, |one| one.average(&|m| f64::from(parts[m as usize]))) as f32
    }

    /// What a product takes in place of the features of a rule that a component does not have.
    pub fn absent(&self) -> f32 {
        match self.plan.missing {
            Missing::Floor => self.plan.floor as f32,
            Missing::Skip => 0.0,
            Missing::Veto => f32::NEG_INFINITY,
        }
    }

    /// Whether components that do not speak have a part of minus infinity under a voice.
    pub fn silences(&self, voice: usize) -> bool {
        self.flat.get(voice).is_some_and(Option::is_some) || self.plan.missing == Missing::Veto
    }
}

/// The mean of something over the parts that cells may be given to, each as it counts.
fn mean(plan: &Plan, class: usize, of: impl Fn(&Mixture) -> f64) -> f64 {
    let share = |at: usize| plan.switch.as_ref().map_or(1.0, |switch| switch.lambda[class][at]);
    let whole: f64 = (0..plan.parts.len()).map(share).sum();
    plan.parts.iter().enumerate().map(|(at, part)| share(at) * of(&part[class])).sum::<f64>() / whole
}
