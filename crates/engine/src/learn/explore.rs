//! What an example teaches: the policy's own path, others that a forced action leads to, and how they compare.

use super::drl::draw_rank;
use super::{Episode, Features, Method, Settings, Span, Weights};
use crate::Result;
use crate::random::Random;

/// What an example taught.
pub struct Lesson {
    /// How good the policy's own end was, and what all workers remember of it.
    pub reward: f64,
    pub outcome: Vec<f64>,
    /// Forced actions that were followed to the end, and those that ended better.
    pub tried: u64,
    pub better: u64,
    /// What to move towards, each with how much better it is.
    pub moves: Vec<(f64, Features)>,
}

/// An end of what can follow from a state.
struct End {
    reward: f64,
    features: Features,
}

/// Room for one worker.
pub struct Explorer<A> {
    actions: Vec<A>,
    /// The features of the policy's path, and where those of each step end.
    features: Features,
    ends: Vec<usize>,
    choices: Vec<usize>,
    ranked: Vec<A>,
}

impl<A: Copy + PartialEq> Explorer<A> {
    pub fn new() -> Self {
        Self { actions: Vec::new(), features: Vec::new(), ends: Vec::new(), choices: Vec::new(), ranked: Vec::new() }
    }

    /// Follows the policy to its end, and then what a forced action leads to.
    pub fn explore<E: Episode<Action = A>>(
        &mut self,
        episode: &mut E,
        example: usize,
        weights: Weights<'_>,
        settings: &Settings,
        random: &mut Random,
    ) -> Result<Lesson> {
        self.actions.clear();
        self.features.clear();
        self.ends.clear();
        self.choices.clear();
        episode.begin(example, weights)?;
        let mut lesson = Lesson { reward: 0.0, outcome: Vec::new(), tried: 0, better: 0, moves: Vec::new() };
        while let Some(action) = episode.best() {
            if episode.has_choice() {
                self.choices.push(self.actions.len());
            }
            let begin = self.features.len();
            episode.features(action, &mut self.features);
            if settings.method == Method::Guided
                && let Some(wanted) = episode.expert().filter(|wanted| *wanted != action)
            {
                let mut difference = Features::new();
                episode.features(wanted, &mut difference);
                take_off(&mut difference, &self.features[begin..]);
                lesson.moves.push((1.0, gathered(difference)));
            }
            self.ends.push(self.features.len());
            self.actions.push(action);
            episode.step(action);
        }
        lesson.reward = episode.reward();
        lesson.outcome = episode.outcome();
        match settings.method {
            _ if self.choices.is_empty() => {}
            Method::Guided => (lesson.tried, lesson.better) = (self.choices.len() as u64, lesson.moves.len() as u64),
            Method::Better | Method::Pairwise => {
                for _ in 0..settings.samples {
                    self.compare(episode, example, weights, settings, random, &mut lesson)?;
                }
            }
            Method::Risk => self.weigh_risk(episode, example, weights, settings, random, &mut lesson)?,
        }
        Ok(lesson)
    }

    /// Forces one action at one state, and compares the ends.
    fn compare<E: Episode<Action = A>>(
        &mut self,
        episode: &mut E,
        example: usize,
        weights: Weights<'_>,
        settings: &Settings,
        random: &mut Random,
        lesson: &mut Lesson,
    ) -> Result<()> {
        let state = self.choices[random.below(self.choices.len())];
        self.list(episode, example, weights, state)?;
        if self.ranked.is_empty() {
            return Ok(());
        }
        let forced = self.ranked[draw_rank(self.ranked.len(), settings.zipf, random)];
        let expert = settings.expert > 0.0 && random.uniform_f64() < settings.expert;
        let other = roll_out(episode, forced, settings.span, expert);
        let own = if expert {
            self.go_to(episode, example, weights, state)?;
            roll_out(episode, self.actions[state], settings.span, true)
        } else {
            End { reward: lesson.reward, features: self.own(state, settings.span) }
        };
        lesson.tried += 1;
        let gap = other.reward - own.reward;
        lesson.better += u64::from(gap > settings.gap);
        let (gap, [mut better, worse]) = match settings.method {
            Method::Pairwise if gap < 0.0 => (-gap, [own.features, other.features]),
            _ => (gap, [other.features, own.features]),
        };
        if gap > settings.gap {
            take_off(&mut better, &worse);
            lesson.moves.push((gap, gathered(better)));
        }
        Ok(())
    }

    /// Forces several actions at one state, and moves towards more reward on average, each end as likely as the weights say.
    fn weigh_risk<E: Episode<Action = A>>(
        &mut self,
        episode: &mut E,
        example: usize,
        weights: Weights<'_>,
        settings: &Settings,
        random: &mut Random,
        lesson: &mut Lesson,
    ) -> Result<()> {
        let state = self.choices[random.below(self.choices.len())];
        self.list(episode, example, weights, state)?;
        let expert = settings.expert > 0.0 && random.uniform_f64() < settings.expert;
        let mut ends = Vec::with_capacity(settings.samples + 1);
        if !expert {
            ends.push(End { reward: lesson.reward, features: self.own(state, settings.span) });
        }
        let own = expert.then_some(self.actions[state]);
        let mut forced: Vec<A> = own.into_iter().collect();
        while !self.ranked.is_empty() && forced.len() < settings.samples + usize::from(expert) {
            forced.push(self.ranked.remove(draw_rank(self.ranked.len(), settings.zipf, random)));
        }
        for action in forced {
            self.go_to(episode, example, weights, state)?;
            ends.push(roll_out(episode, action, settings.span, expert));
        }
        lesson.tried += ends.len() as u64 - 1;
        lesson.better += ends[1..].iter().filter(|end| end.reward - ends[0].reward > settings.gap).count() as u64;
        let score = |end: &End| end.features.iter().map(|&(at, value)| weights.of(at) * value).sum::<f64>();
        let scores: Vec<f64> = ends.iter().map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let total: f64 = shares.iter().sum();
        let mean = ends.iter().zip(&shares).map(|(end, share)| end.reward * share / total).sum::<f64>();
        let mut gradient = Features::new();
        for (end, share) in ends.iter().zip(shares) {
            let pull = share / total * (end.reward - mean);
            gradient.extend(end.features.iter().map(|&(at, value)| (at, value * pull)));
        }
        let gradient = gathered(gradient);
        if !gradient.is_empty() {
            lesson.moves.push((1.0, gradient));
        }
        Ok(())
    }

    /// The features of the policy's own path from a state on, as far as they count.
    fn own(&self, state: usize, span: Span) -> Features {
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        let end = if span == Span::Path { self.features.len() } else { self.ends[state] };
        self.features[begin..end].to_vec()
    }

    fn go_to<E: Episode<Action = A>>(
        &self,
        episode: &mut E,
        example: usize,
        weights: Weights<'_>,
        state: usize,
    ) -> Result<()> {
        episode.begin(example, weights)?;
        self.actions[..state].iter().for_each(|&action| episode.step(action));
        Ok(())
    }

    /// Goes to a state and lists the actions that the policy did not take there, the best first.
    fn list<E: Episode<Action = A>>(
        &mut self,
        episode: &mut E,
        example: usize,
        weights: Weights<'_>,
        state: usize,
    ) -> Result<()> {
        self.go_to(episode, example, weights, state)?;
        episode.ranked(&mut self.ranked);
        let own = self.actions[state];
        self.ranked.retain(|&action| action != own);
        Ok(())
    }
}

/// Takes an action, and then what the policy, or the expert where it knows what to do, takes.
fn roll_out<E: Episode>(episode: &mut E, first: E::Action, span: Span, expert: bool) -> End {
    let mut features = Features::new();
    episode.features(first, &mut features);
    episode.step(first);
    while let Some(own) = episode.best() {
        let action = if expert { episode.expert().unwrap_or(own) } else { own };
        if span == Span::Path {
            episode.features(action, &mut features);
        }
        episode.step(action);
    }
    End { reward: episode.reward(), features }
}

fn take_off(features: &mut Features, others: &[(u32, f64)]) {
    features.extend(others.iter().map(|&(feature, value)| (feature, -value)));
}

/// Each feature once, in order; those that cancel out are left out.
pub fn gathered(mut features: Features) -> Features {
    features.sort_by_key(|&(feature, _)| feature);
    let mut sums: Features = Vec::with_capacity(features.len());
    for (feature, value) in features {
        match sums.last_mut() {
            Some((last, sum)) if *last == feature => *sum += value,
            _ => sums.push((feature, value)),
        }
    }
    sums.retain(|&(_, value)| value != 0.0);
    sums
}
