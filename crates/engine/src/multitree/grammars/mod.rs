//! Grammars over two languages (Galron 2012, sections 4.5 and 5.2.1), and the hierarchies they are put together in.

mod classified;
mod filter;
mod hierarchy;
mod itg;
mod labelled;
mod lexical;
mod loglinear;

pub use classified::{Classified, Judgement, coarse_key, join_key, knows_joins, pair_key};
pub use filter::{Known, TreeFilter};
pub use hierarchy::{AnyPart, Built, Hierarchy, Part};
pub use itg::PseudoItg;
pub use labelled::{Knowing, Labels};
pub use lexical::{Fertilities, Fuses, InLexicon};
pub use loglinear::{LogLinear, NEIGHBOURS, STATISTICS, Weights, even};
