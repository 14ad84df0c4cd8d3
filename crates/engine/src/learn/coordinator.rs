//! The parsing coordinator: training examples out of two searches in lock-step (Galron 2012, sections 3.3 and 4.7,
//! algorithms 2, 9 and 10).
//!
//! The *predictor* searches as it would without help, by what was learnt so far. The *supervisor* can only infer what leads
//! to what is wanted. Each inference that the predictor makes is looked at: if the supervisor could make it too, it is
//! approved. The predictor goes on from what is approved, and some steps beyond (exploration); when it has nothing left to
//! do, the supervisor hands it an item. Who learns sees every inference and whether it was approved. Neither search knows of
//! the other, and what they are about is none of the coordinator's business.

use hashbrown::HashSet;

use crate::parse::{Algebra, Cost, Fired, Grammar, Kept, Logic, Match, NO_ITEM, Parser};

/// How inferences of two logics correspond.
pub trait Mapper<P: Logic, S: Logic> {
    /// The supervisor's rules that do what a rule of the predictor does; several if an axiom may stand for several things.
    fn forward(&self, predictor: &P, supervisor: &S, rule: P::Rule, item: &P::Item, rules: &mut Vec<S::Rule>);

    /// The predictor's rule that does what a rule of the supervisor does, if it has one.
    fn backward(&self, predictor: &P, supervisor: &S, rule: S::Rule, item: &S::Item) -> Option<P::Rule>;

    /// Whether an item is right or wrong only in what is made of it, so that it is never a step away from the way.
    fn is_neutral(&self, predictor: &P, item: &P::Item) -> bool;
}

/// How far the predictor may stray, and when all is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exploration {
    /// Items that are more inferences than this beyond the last approved one are not expanded.
    pub limit: u32,
    /// Whether to go on when the supervisor has nothing left, until the predictor has not either.
    pub trailing: bool,
    /// What a handed-over inference costs that the predictor's grammar forbids.
    pub forbidden: Cost,
    /// Whether items that are neutral count as approved at any distance (otherwise they count like others).
    pub neutral: bool,
}

impl Default for Exploration {
    fn default() -> Self {
        Self { limit: 0, trailing: false, forbidden: Cost::of(5.0), neutral: true }
    }
}

/// An inference of the predictor, looked at.
#[derive(Debug)]
pub struct Event<'a, P: Logic, V> {
    /// What was inferred.
    pub fired: &'a Fired<P, V>,
    /// Whether the supervisor could have inferred it.
    pub approved: bool,
    /// Whether the supervisor handed it over.
    pub handed: bool,
    /// Inferences beyond the last approved item.
    pub distance: u32,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether what is wanted was inferred.
    pub complete: bool,
    /// Whether a limit ended it.
    pub limited: bool,
    /// Inferences looked at.
    pub seen: u64,
    /// Those approved.
    pub approved: u64,
    /// Items that the supervisor handed over.
    pub handed: u64,
    /// Items that it could not hand over, for the predictor knows nothing like it.
    pub unknown: u64,
}

#[derive(Debug, Clone, Default)]
struct Noted {
    /// What it is for the supervisor, if it is approved.
    images: Vec<u32>,
    distance: u32,
}

/// Two parsers and what they know of each other.
#[derive(Debug)]
pub struct Coordinator<P: Logic, S: Logic, G, H, A: Algebra, M> {
    /// Searches as it would without help.
    pub predictor: Parser<P, G, A>,
    /// Searches for what is wanted only.
    pub supervisor: Parser<S, H, A>,
    mapper: M,
    exploration: Exploration,
    /// Of the predictor's items.
    noted: Vec<Noted>,
    /// The predictor's item for each of the supervisor's.
    twins: Vec<u32>,
    queued: HashSet<u32>,
    seen: HashSet<Match<P::Rule>>,
    rules: Vec<S::Rule>,
    outcome: Outcome,
}

impl<P: Logic, S: Logic, G: Grammar<P>, H: Grammar<S>, A: Algebra, M: Mapper<P, S>> Coordinator<P, S, G, H, A, M> {
    /// Two parsers at their axioms.
    pub fn new(predictor: Parser<P, G, A>, supervisor: Parser<S, H, A>, mapper: M, exploration: Exploration) -> Self {
        Self {
            predictor,
            supervisor,
            mapper,
            exploration,
            noted: Vec::new(),
            twins: Vec::new(),
            queued: HashSet::new(),
            seen: HashSet::new(),
            rules: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Searches until the predictor has inferred something that the supervisor wants, or the supervisor knows no more.
    /// Whoever learns sees each inference once, before it is kept.
    pub fn run(
        &mut self,
        wanted: impl Fn(&S, &S::Item) -> bool,
        mut learn: impl FnMut(&mut Parser<P, G, A>, &Event<'_, P, A::Pending>),
    ) -> Outcome {
        loop {
            let handed = self.predictor.is_idle() && self.hand_over();
            let Some(fired) = self.predictor.pop() else {
                if self.supervisor.is_idle() || self.outcome.limited {
                    break;
                }
                // What was on top there is known here, or means nothing here.
                continue;
            };
            let images = self.images(&fired);
            let event =
                Event { fired: &fired, approved: !images.is_empty(), handed, distance: self.distance(&fired, &images) };
            let (approved, distance) = (event.approved, event.distance);
            if self.seen.insert(fired.by) {
                self.outcome.seen += 1;
                self.outcome.approved += u64::from(approved);
                learn(&mut self.predictor, &event);
            }
            if distance <= self.exploration.limit {
                self.keep(&fired, images.clone(), distance, handed);
            }
            if images.iter().any(|&image| wanted(&self.supervisor.logic, self.supervisor.item(image))) {
                self.outcome.complete = true;
                break;
            }
            if self.supervisor.is_idle() && !self.exploration.trailing {
                break;
            }
            if self.predictor.is_over() {
                self.outcome.limited = true;
                break;
            }
        }
        self.outcome
    }

    /// Inferences beyond the last approved item: 0 if this is one, otherwise one more than the farther of its antecedents.
    fn distance(&self, fired: &Fired<P, A::Pending>, images: &[u32]) -> u32 {
        let neutral = self.exploration.neutral && self.mapper.is_neutral(&self.predictor.logic, &fired.item);
        if neutral || !images.is_empty() {
            return 0;
        }
        let of = |item: u32| self.noted.get(item as usize).map_or(0, |noted| noted.distance);
        1 + of(fired.by.left).max(of(fired.by.right))
    }

    fn keep(&mut self, fired: &Fired<P, A::Pending>, images: Vec<u32>, distance: u32, handed: bool) {
        let kept = self.predictor.keep(fired, handed);
        let Some(item) = kept.item() else { return };
        if self.noted.len() <= item as usize {
            self.noted.resize(item as usize + 1, Noted { images: Vec::new(), distance: u32::MAX });
        }
        for &image in &images {
            if self.twins.len() <= image as usize {
                self.twins.resize(image as usize + 1, NO_ITEM);
            }
            self.twins[image as usize] = item;
        }
        let noted = &mut self.noted[item as usize];
        noted.distance = noted.distance.min(distance);
        noted.images.extend(images);
        noted.images.sort_unstable();
        noted.images.dedup();
        if let Kept::New(item) = kept {
            self.predictor.expand(item);
        }
    }

    /// What an inference leads to for the supervisor; nothing if it is not approved. The supervisor will know of it.
    fn images(&mut self, fired: &Fired<P, A::Pending>) -> Vec<u32> {
        let Self { predictor, supervisor, mapper, noted, queued, rules, .. } = self;
        rules.clear();
        mapper.forward(&predictor.logic, &supervisor.logic, fired.by.rule, &fired.item, rules);
        let none = [NO_ITEM];
        let of = |item: u32| match item {
            NO_ITEM => &none[..],
            item => noted.get(item as usize).map_or(&[][..], |noted| &noted.images),
        };
        let mut images = Vec::new();
        for &rule in rules.iter() {
            for &left in of(fired.by.left) {
                for &right in of(fired.by.right) {
                    let by = Match { rule, left, right };
                    let Some((item, cost)) = supervisor.cost(by) else { continue };
                    let value = supervisor.product(by, cost);
                    let image = supervisor.intern(&item, &value);
                    if !supervisor.is_charted(image) && queued.insert(image) {
                        supervisor.push(by, cost);
                    }
                    images.push(image);
                }
            }
        }
        images
    }

    /// Takes the supervisor's next item, and gives it to the predictor. False if it has none, or none that can be given.
    fn hand_over(&mut self) -> bool {
        while let Some(fired) = self.supervisor.pop() {
            // It may know much that means nothing to the predictor, whose own limits would never be looked at.
            if self.supervisor.is_over() {
                self.outcome.limited = true;
                return false;
            }
            let Kept::New(item) = self.supervisor.keep(&fired, false) else { continue };
            self.supervisor.expand(item);
            let (predictor, supervisor) = (&self.predictor, &self.supervisor);
            let rule = self.mapper.backward(&predictor.logic, &supervisor.logic, fired.by.rule, &fired.item);
            let twin = |item: u32| match item {
                NO_ITEM => Some(NO_ITEM),
                item => self.twins.get(item as usize).copied().filter(|&twin| twin != NO_ITEM),
            };
            let (Some(rule), Some(left), Some(right)) = (rule, twin(fired.by.left), twin(fired.by.right)) else {
                self.outcome.unknown += 1;
                continue;
            };
            let by = Match { rule, left, right };
            let Some(cost) = self.predictor.cost_or(by, self.exploration.forbidden) else {
                self.outcome.unknown += 1;
                continue;
            };
            self.outcome.handed += 1;
            self.predictor.push(by, cost);
            return true;
        }
        false
    }
}
