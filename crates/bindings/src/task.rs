//! Policies for tasks that Python has: the engine's loop asks a Python object for states, actions, features and rewards.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyMapping};
use tolka_engine::learn::{Episode, Features, Weights, epoch};
use tolka_engine::panics;
use tolka_engine::{Error, Result};

use crate::decode::Given;
use crate::error::{caught, raise};
use crate::learner::{self, restored, shuffled, tell};

/// The numbers of feature names.
enum Names<'a> {
    /// Others weigh nothing.
    Fixed(&'a HashMap<String, u32>),
    /// Others get the next number.
    Growing(HashMap<String, u32>),
}

impl Names<'_> {
    fn number(&mut self, name: &str) -> Option<u32> {
        match self {
            Self::Fixed(numbers) => numbers.get(name).copied(),
            Self::Growing(numbers) => {
                if let Some(&number) = numbers.get(name) {
                    return Some(number);
                }
                let next = u32::try_from(numbers.len()).ok()?;
                numbers.insert(name.to_owned(), next);
                Some(next)
            }
        }
    }

    /// All of them, in the order of their numbers.
    fn list(&self) -> Vec<&str> {
        let numbers = match self {
            Self::Fixed(numbers) => *numbers,
            Self::Growing(numbers) => numbers,
        };
        let mut names = vec![""; numbers.len()];
        numbers.iter().for_each(|(name, &number)| names[number as usize] = name);
        names
    }
}

fn numbered(names: Vec<String>) -> HashMap<String, u32> {
    names.into_iter().zip(0..).collect()
}

/// What an action counts.
struct Choice {
    features: Features,
    score: f64,
}

/// An example of a task as Python has it; an action is its place in the list that the task gives of them. The loop knows no
/// exceptions: after one there is nothing left to do, and whoever runs the loop asks for it in the end.
struct TaskEpisode<'a> {
    task: &'a Py<PyAny>,
    examples: &'a [Py<PyAny>],
    has_expert: bool,
    most_steps: u64,
    names: Names<'a>,
    weights: Vec<f64>,
    version: u64,
    example: usize,
    steps: u64,
    state: Py<PyAny>,
    /// What can be done in the state, once that was asked.
    actions: Option<Vec<Py<PyAny>>>,
    /// What each of them counts, once that was asked.
    choices: Vec<Choice>,
    failure: Option<PyErr>,
}

impl<'a> TaskEpisode<'a> {
    fn new(py: Python<'_>, task: &'a Py<PyAny>, examples: &'a [Py<PyAny>], names: Names<'a>, most_steps: u64) -> Self {
        Self {
            task,
            examples,
            has_expert: task.bind(py).hasattr("expert").unwrap_or(false),
            most_steps,
            names,
            weights: Vec::new(),
            version: 0,
            example: 0,
            steps: 0,
            state: py.None(),
            actions: None,
            choices: Vec::new(),
            failure: None,
        }
    }

    /// What the loop gave, or the exception that it knows nothing of.
    fn settled<T>(&mut self, done: Result<T>) -> PyResult<T> {
        self.failure.take().map_or_else(|| done.map_err(raise), Err)
    }

    /// Asks Python, unless that went wrong before.
    fn attempt<T: Default>(&mut self, work: impl FnOnce(&mut Self, Python<'_>) -> PyResult<T>) -> T {
        if self.failure.is_some() {
            return T::default();
        }
        Python::attach(|py| work(self, py)).unwrap_or_else(|failure| {
            self.failure = Some(failure);
            T::default()
        })
    }

    /// Where it is, for those who have many examples.
    fn place(&self) -> String {
        match self.names {
            Names::Fixed(_) => String::new(),
            Names::Growing(_) => format!(" in examples[{}]", self.example),
        }
    }

    fn enter(&mut self, state: Py<PyAny>) {
        (self.state, self.actions) = (state, None);
        self.choices.clear();
    }

    fn actions(&mut self, py: Python<'_>) -> PyResult<&[Py<PyAny>]> {
        let actions = match self.actions.take() {
            Some(actions) => actions,
            None => {
                let found = self.task.bind(py).call_method1("actions", (&self.state,))?;
                found.try_iter()?.map(|action| Ok(action?.unbind())).collect::<PyResult<Vec<_>>>()?
            }
        };
        Ok(self.actions.insert(actions))
    }

    fn action(&mut self, py: Python<'_>, place: u32) -> PyResult<Py<PyAny>> {
        match self.actions(py)?.get(place as usize) {
            Some(action) => Ok(action.clone_ref(py)),
            None => {
                let what = format!("a state has other actions when it is reached again{}", self.place());
                Err(raise(Error::input(what).hint("let the same steps lead to the same actions in the same order")))
            }
        }
    }

    fn choices(&mut self, py: Python<'_>) -> PyResult<&[Choice]> {
        for at in self.choices.len()..self.actions(py)?.len() {
            let choice = self.choice(py, at as u32)?;
            self.choices.push(choice);
        }
        Ok(&self.choices)
    }

    fn choice(&mut self, py: Python<'_>, place: u32) -> PyResult<Choice> {
        let action = self.action(py, place)?;
        let found = self.task.bind(py).call_method1("features", (&self.state, action))?;
        let Ok(found) = found.cast::<PyMapping>() else {
            let what = format!("the features of an action are no mapping{}", self.place());
            return Err(raise(Error::input(what).hint("return a dictionary of names and numbers")));
        };
        let mut choice = Choice { features: Features::new(), score: 0.0 };
        for item in found.items()?.iter() {
            let Ok((name, value)) = item.extract::<(PyBackedStr, f64)>() else {
                let what = format!("a feature of an action is {}{}", item.repr()?, self.place());
                return Err(raise(Error::input(what).hint("features have a name and a number")));
            };
            if !value.is_finite() {
                let what = format!("the feature {:?} of an action is {value}{}", &*name, self.place());
                return Err(raise(Error::input(what).hint("features are finite numbers")));
            }
            if let Some(number) = self.names.number(&name) {
                choice.features.push((number, value));
                choice.score += self.weights.get(number as usize).copied().unwrap_or(0.0) * value;
            }
        }
        if !choice.score.is_finite() {
            let what = format!("the score of an action is {}{}", choice.score, self.place());
            return Err(raise(Error::input(what).hint("use smaller features or a lower rate")));
        }
        Ok(choice)
    }

    fn best_of(choices: &[Choice]) -> Option<u32> {
        // Of equally good ones the first.
        let better = |one: usize, other: usize| if choices[other].score > choices[one].score { other } else { one };
        (0..choices.len()).reduce(better).map(|at| at as u32)
    }
}

impl Episode for TaskEpisode<'_> {
    type Action = u32;

    fn begin(&mut self, example: usize, weights: Weights<'_>) -> Result<()> {
        if self.version != weights.version {
            self.weights = weights.values.to_vec();
            self.version = weights.version;
        }
        (self.example, self.steps) = (example, 0);
        self.attempt(|own, py| {
            let start = own.task.bind(py).call_method1("start", (&own.examples[example],))?;
            own.enter(start.unbind());
            Ok(())
        });
        if self.failure.is_some() { Err(Error::input("a task has failed")) } else { Ok(()) }
    }

    fn best(&mut self) -> Option<u32> {
        self.attempt(|own, py| Ok(Self::best_of(own.choices(py)?)))
    }

    fn has_choice(&mut self) -> bool {
        self.attempt(|own, py| Ok(own.actions(py)?.len() > 1))
    }

    fn ranked(&mut self, actions: &mut Vec<u32>) {
        actions.clear();
        let ranks = self.attempt(|own, py| {
            let choices = own.choices(py)?;
            let mut ranks: Vec<u32> = (0..choices.len() as u32).collect();
            ranks.sort_by(|&one, &other| choices[other as usize].score.total_cmp(&choices[one as usize].score));
            Ok(ranks)
        });
        actions.extend(ranks);
    }

    fn features(&mut self, action: u32, features: &mut Features) {
        let found = self.attempt(|own, py| Ok(own.choices(py)?.get(action as usize).map(|it| it.features.clone())));
        features.extend(found.into_iter().flatten());
    }

    fn step(&mut self, action: u32) {
        self.attempt(|own, py| {
            if own.steps == own.most_steps {
                let what = format!("there is no end after {} steps{}", own.steps, own.place());
                let hint = "let actions run out, or allow more steps with most_steps";
                return Err(raise(Error::limit(what).hint(hint)));
            }
            let action = own.action(py, action)?;
            let next = own.task.bind(py).call_method1("step", (&own.state, action))?;
            own.enter(next.unbind());
            own.steps += 1;
            Ok(())
        });
    }

    fn reward(&mut self) -> f64 {
        self.attempt(|own, py| {
            let example = &own.examples[own.example];
            let reward: f64 = own.task.bind(py).call_method1("reward", (example, &own.state))?.extract()?;
            if reward.is_finite() {
                return Ok(reward);
            }
            let what = format!("the reward is {reward}{}", own.place());
            Err(raise(Error::input(what).hint("rewards are finite numbers, and more is better")))
        })
    }

    fn expert(&mut self) -> Option<u32> {
        if !self.has_expert {
            return None;
        }
        self.attempt(|own, py| {
            let example = &own.examples[own.example];
            let wanted = own.task.bind(py).call_method1("expert", (example, &own.state))?;
            if wanted.is_none() {
                return Ok(None);
            }
            for (at, action) in own.actions(py)?.iter().enumerate() {
                if action.bind(py).eq(&wanted)? {
                    return Ok(Some(at as u32));
                }
            }
            let what = format!("the expert takes {}, which is no action there{}", wanted.repr()?, own.place());
            Err(raise(Error::input(what).hint("return one of the actions, or None")))
        })
    }
}

/// Learns a policy for a task, beginning with a state of the learner and the names of its features. After each epoch `told`
/// is called with its number, what came of it and the state; it goes on while that returns true.
#[pyfunction]
#[pyo3(signature = (task, examples, *, learning, state, first, epochs, most_steps, told))]
#[allow(clippy::too_many_arguments)]
pub fn learn_task(
    py: Python<'_>,
    task: Py<PyAny>,
    examples: Vec<Py<PyAny>>,
    learning: &Bound<'_, PyDict>,
    state: &Bound<'_, PyDict>,
    first: u64,
    epochs: u64,
    most_steps: u64,
    told: Py<PyAny>,
) -> PyResult<()> {
    let settings = learner::settings(Given::new(learning))?;
    let mut learner = restored(state)?;
    let names: Vec<String> =
        state.get_item("names")?.ok_or_else(|| raise(Error::input("the state lacks its names")))?.extract()?;
    let numbers = numbered(names);
    if numbers.len() != learner.weights.len() {
        return Err(raise(Error::input("the names of the state do not fit its weights")));
    }
    let mut episode = TaskEpisode::new(py, &task, &examples, Names::Growing(numbers), most_steps);
    for number in first..epochs {
        let order = shuffled(examples.len(), settings.seed, number);
        let workers = std::slice::from_mut(&mut episode);
        let done = panics::caught(|| epoch(workers, &order, &mut learner, &settings, number));
        let report = episode.settled(done)?;
        let names = episode.names.list();
        learner.grow(names.len());
        let state = learner::state(py, &learner)?;
        state.set_item("names", names)?;
        if !tell(&told, number, report, state)? {
            break;
        }
    }
    Ok(())
}

/// Weights that act in a task.
#[pyclass(frozen, module = "tolka._engine")]
pub struct TaskPolicy {
    numbers: HashMap<String, u32>,
    weights: Vec<f64>,
}

#[pymethods]
impl TaskPolicy {
    /// From the names of features and their weights.
    #[new]
    fn new(weights: Vec<(String, f64)>) -> Self {
        let (names, weights): (Vec<String>, Vec<f64>) = weights.into_iter().unzip();
        Self { numbers: numbered(names), weights }
    }

    /// The last state that the policy comes to from the first of an example.
    #[pyo3(signature = (task, example, *, most_steps))]
    fn run(&self, py: Python<'_>, task: Py<PyAny>, example: Py<PyAny>, most_steps: u64) -> PyResult<Py<PyAny>> {
        let examples = [example];
        let mut episode = TaskEpisode::new(py, &task, &examples, Names::Fixed(&self.numbers), most_steps);
        let done = panics::caught(|| {
            episode.begin(0, Weights { values: &self.weights, version: 1 })?;
            while let Some(action) = episode.best() {
                episode.step(action);
            }
            Ok(())
        });
        episode.settled(done)?;
        Ok(episode.state)
    }

    /// The action that the policy takes in a state; None if there is none.
    fn act(&self, py: Python<'_>, task: Py<PyAny>, state: Py<PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let mut episode = TaskEpisode::new(py, &task, &[], Names::Fixed(&self.numbers), 0);
        episode.weights.clone_from(&self.weights);
        episode.enter(state);
        let best = caught(|| episode.best())?;
        episode.settled(Ok(()))?;
        best.map(|best| episode.action(py, best)).transpose()
    }
}
