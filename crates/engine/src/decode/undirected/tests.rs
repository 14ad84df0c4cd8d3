//! Undirected decoding against a worked example, and against laws that hold for whatever is drawn.

mod golden;
mod laws;
