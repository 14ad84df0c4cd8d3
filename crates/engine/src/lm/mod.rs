//! Language models: estimation, files, queries.

pub mod any;
pub mod arpa_read;
pub mod arpa_write;
pub mod batch;
mod bits;
pub mod chart;
pub mod classes;
pub mod cluster;
pub mod corpus_ids;
pub mod counts;
pub mod estimate;
pub mod external;
mod fast;
mod flags;
pub mod mix;
pub mod model;
pub mod ngrams;
pub mod prune;
mod quantise;
#[cfg(test)]
mod query_tests;
mod renormalise;
pub mod search;
mod sinks;
mod small;
pub mod smoothing;
pub mod state;
mod subset;
pub mod train;
#[cfg(test)]
mod train_tests;
mod union;
