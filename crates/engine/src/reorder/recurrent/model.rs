//! A whole model: features, parameters, and what is asked of it.

use rayon::prelude::*;

use super::super::in_sentence;
use super::bags::Bags;
use super::beam::Beam;
use super::corpus::Corpus;
use super::score::{Featured, log_likelihood};
use super::sentence::Dictionaries;
use super::shape::{Shape, TENSORS, Tensor};
use crate::{Error, Result};

/// Parameters of a model, tensor by tensor.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    sizes: Vec<(usize, usize)>,
    tensors: Vec<Vec<f32>>,
}

impl Parameters {
    /// Parameters from named tensors.
    ///
    /// # Errors
    /// One is missing or unknown, has another size than the shape asks for, or a number that is not finite.
    pub fn new(shape: &Shape, values: &Dictionaries, mut given: Vec<(String, Vec<f32>)>) -> Result<Self> {
        shape.check()?;
        let mut parameters = Self::default();
        for (tensor, name) in TENSORS {
            let (rows, columns) = shape.size(tensor, values);
            let place = given.iter().position(|(other, _)| other == name);
            let numbers = place.map_or_else(Vec::new, |place| given.swap_remove(place).1);
            if numbers.len() != rows * columns {
                let (has, size) = (numbers.len(), rows * columns);
                return Err(Error::format(format!(
                    "the tensor {name} of the model has {has} numbers instead of {size}"
                )));
            }
            if numbers.iter().any(|x| !x.is_finite()) {
                return Err(Error::format(format!("the tensor {name} of the model has a number that is not finite")));
            }
            parameters.sizes.push((rows, columns));
            parameters.tensors.push(numbers);
        }
        if let Some((name, _)) = given.first() {
            return Err(Error::format(format!("a model of this kind has no tensor {name}")));
        }
        Ok(parameters)
    }

    /// Rows and columns.
    #[must_use]
    pub fn size(&self, tensor: Tensor) -> (usize, usize) {
        self.sizes[tensor as usize]
    }

    /// All numbers of a tensor.
    #[must_use]
    pub fn get(&self, tensor: Tensor) -> &[f32] {
        &self.tensors[tensor as usize]
    }

    /// The same, to change them.
    pub fn get_mut(&mut self, tensor: Tensor) -> &mut [f32] {
        &mut self.tensors[tensor as usize]
    }

    /// A row.
    #[must_use]
    pub fn row(&self, tensor: Tensor, row: usize) -> &[f32] {
        self.rows(tensor, row, 1)
    }

    /// Rows side by side.
    #[must_use]
    pub fn rows(&self, tensor: Tensor, first: usize, rows: usize) -> &[f32] {
        let (_, columns) = self.sizes[tensor as usize];
        &self.tensors[tensor as usize][first * columns..(first + rows) * columns]
    }
}

/// A trained model, or one in training.
#[derive(Debug, Clone)]
pub struct Model {
    /// Kind and sizes.
    pub shape: Shape,
    /// Numbers of feature values.
    pub values: Dictionaries,
    /// Parameters.
    pub parameters: Parameters,
}

impl Model {
    /// Where its features lie.
    #[must_use]
    pub fn bags(&self) -> Bags<'_> {
        Bags { shape: &self.shape, values: &self.values }
    }

    fn check(&self, corpus: &Corpus) -> Result<()> {
        if self.shape.forms > 0 && !corpus.is_empty() && corpus.get(0).forms.is_empty() {
            return Err(Error::input("the model asks for words, and the sentences were given without"));
        }
        Ok(())
    }

    /// The natural logarithms of the probabilities of orders.
    ///
    /// # Errors
    /// Heads are no trees, or orders no permutations.
    pub fn log_likelihoods(&self, corpus: &Corpus, orders: &[u32]) -> Result<Vec<f64>> {
        self.check(corpus)?;
        corpus.check_orders(orders)?;
        let sentence = |source: &mut Featured<'_>, at: usize| {
            source.read(corpus.get(at)).map_err(in_sentence(at))?;
            Ok(log_likelihood(source, corpus.part(at, orders)))
        };
        (0..corpus.len()).into_par_iter().map_init(|| Featured::new(self), sentence).collect()
    }

    /// The best orders a beam finds, with the natural logarithms of their probabilities. Sentences of more than `longest`
    /// words keep their order.
    ///
    /// # Errors
    /// Heads are no trees, or the beam has no room.
    pub fn orders(&self, corpus: &Corpus, beam: usize, longest: usize) -> Result<Vec<(Vec<u32>, f64)>> {
        self.check(corpus)?;
        if beam == 0 {
            return Err(Error::settings("a beam must have room for at least 1 order"));
        }
        let sentence = |(source, search): &mut (Featured<'_>, Beam), at: usize| {
            let words = corpus.words(at);
            if words > longest {
                return Ok(((0..words as u32).collect(), f64::NAN));
            }
            source.read(corpus.get(at)).map_err(in_sentence(at))?;
            Ok(search.best(source, beam))
        };
        (0..corpus.len()).into_par_iter().map_init(|| (Featured::new(self), Beam::default()), sentence).collect()
    }
}
