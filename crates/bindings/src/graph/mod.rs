//! Graphs of words: profiles of phrases, neighbours, and labels that spread.

// Python hands its arguments over, and names all of them.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

mod labels;
mod profiles;

use numpy::{Element, PyReadonlyArray1};

pub use labels::{LabelGraph, LabelSystem};
pub use profiles::{GraphIndex, GraphProfiles, GraphText, graph_spelling};

fn copied<T: Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> Vec<T> {
    array.as_array().to_vec()
}

/// Places as the engine has them.
fn places(array: &PyReadonlyArray1<'_, u64>) -> Vec<usize> {
    array.as_array().iter().map(|&place| usize::try_from(place).unwrap_or(usize::MAX)).collect()
}

/// Places as Python has them.
fn wide(places: &[usize]) -> Vec<u64> {
    places.iter().map(|&place| place as u64).collect()
}
