//! Grammars over two languages (Galron 2012, sections 4.5 and 5.2.1), and the hierarchies they are put together in.

mod filter;
mod itg;
mod lexical;

pub use filter::{Known, TreeFilter};
pub use itg::PseudoItg;
pub use lexical::{Fertilities, Fuses, InLexicon};
