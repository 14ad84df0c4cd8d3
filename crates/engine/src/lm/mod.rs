//! Language models: estimation, files, queries.

pub mod arpa_read;
pub mod arpa_write;
pub mod batch;
mod bits;
pub mod chart;
pub mod corpus_ids;
pub mod counts;
pub mod estimate;
mod fast;
mod flags;
pub mod model;
pub mod ngrams;
mod quantise;
#[cfg(test)]
mod query_tests;
pub mod search;
mod small;
pub mod smoothing;
pub mod state;
mod subset;
pub mod train;
