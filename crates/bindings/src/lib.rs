//! `tolka._engine`: the engine as Python sees it. One file per concept, no algorithm in any of them.

mod aligner;
mod boost;
mod clean;
mod compose;
mod compounds;
mod constituents;
mod container;
mod decode;
mod error;
mod forest;
mod forests;
mod grammar;
mod grammar_join;
mod graph;
mod inputs;
mod labels;
mod learn;
mod learner;
mod lines;
mod links;
mod lm;
mod metric;
mod mixture;
mod multitree;
mod reorder;
mod reorder_recurrent;
mod rerank;
mod rewriting;
mod split;
mod statistics;
mod suffix;
mod task;
mod texts;
mod tokenise;
mod truecase;
mod tune;
mod tune_forests;
mod undirected;
mod vocabulary;
mod walker;
mod writer;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    use super::*;

    #[pymodule_export]
    use super::aligner::{AlignmentModel, LinkBeliefs};
    #[pymodule_export]
    use super::boost::TreeEnsemble;
    #[pymodule_export]
    use super::clean::Cleaner;
    #[pymodule_export]
    use super::compose::{ComposedRules, grammar_compose};
    #[pymodule_export]
    use super::compounds::{Compounds, CompoundsBuilder};
    #[pymodule_export]
    use super::constituents::ConstituentGrammar;
    #[pymodule_export]
    use super::container::{Container, write_container};
    #[pymodule_export]
    use super::decode::{DecodeModel, Decoder};
    #[pymodule_export]
    use super::forest::{Forest, ForestKBest, ForestNgrams};
    #[pymodule_export]
    use super::forests::ConstituentForest;
    #[pymodule_export]
    use super::grammar::{GrammarExtractor, GrammarReport, GrammarTable, grammar_import};
    #[pymodule_export]
    use super::grammar_join::{grammar_join, grammar_look_up};
    #[pymodule_export]
    use super::graph::{GraphIndex, GraphProfiles, GraphText, LabelGraph, LabelSystem, graph_spelling};
    #[pymodule_export]
    use super::inputs::{check_inputs, read_plf};
    #[pymodule_export]
    use super::labels::SequenceLabeller;
    #[pymodule_export]
    use super::learn::{learn_undirected, undirected_start};
    #[pymodule_export]
    use super::lines::{ByteReader, LineReader};
    #[pymodule_export]
    use super::links::{count_agreement, parse_links, symmetrise_links};
    #[pymodule_export]
    use super::lm::{LmClusterer, LmModel, LmReport, LmState, LmTrainer, lm_mix, lm_prune, lm_tune};
    #[pymodule_export]
    use super::metric::{Metric, MetricTable, MetricTexts};
    #[pymodule_export]
    #[pymodule_export]
    use super::multitree::{MultitreeModel, multitree_hierarchy, multitree_quality};
    #[pymodule_export]
    use super::reorder::{reorder_crossings, reorder_differences, reorder_fragments, reorder_references};
    #[pymodule_export]
    use super::reorder_recurrent::{
        RecurrentCorpus, RecurrentModel, RecurrentRule, RecurrentShape, RecurrentTrainer, recurrent_given,
    };
    #[pymodule_export]
    use super::rerank::{GraphReservoir, rerank_matrix, rerank_phrases};
    #[pymodule_export]
    use super::rewriting::RewritingRules;
    #[pymodule_export]
    use super::split::Splitter;
    #[pymodule_export]
    use super::statistics::{PairCounter, SideCounter};
    #[pymodule_export]
    use super::suffix::{SuffixIndex, SuffixRules};
    #[pymodule_export]
    use super::task::{TaskPolicy, learn_task};
    #[pymodule_export]
    use super::tokenise::{Detokeniser, Tokeniser};
    #[pymodule_export]
    use super::truecase::{Truecaser, TruecaserBuilder, lower_lines};
    #[pymodule_export]
    use super::tune::{TuneLists, tune_mert, tune_mira, tune_pro};
    #[pymodule_export]
    use super::tune_forests::{TuneForests, tune_forest_mert, tune_forest_mira};
    #[pymodule_export]
    use super::vocabulary::{Vocabulary, VocabularyBuilder};
    #[pymodule_export]
    use super::walker::{WalkerModel, linear_train};
    #[pymodule_export]
    use super::writer::TextWriter;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
