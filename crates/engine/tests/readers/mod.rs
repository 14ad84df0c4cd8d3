//! Every reader of the engine, used as people use it, on files that some bytes have damaged.
//!
//! The test `damaged` runs them on bytes drawn with fixed seeds and on those that once did harm, the fuzz targets on what
//! the fuzzer makes. A reader may refuse a file or give an answer; it must not panic, hang or ask for much memory.

pub mod damage;
pub mod grammars;
pub mod models;
pub mod numbers;
pub mod searches;
pub mod texts;

/// What is done with bytes.
pub type Reader = fn(&[u8]);

/// The readers, by the names of their fuzz targets.
pub const READERS: [(&str, Reader); 21] = [
    ("grammar", grammars::table),
    ("voices", grammars::voices),
    ("segment", grammars::segment),
    ("import", texts::import),
    ("lm", models::lm),
    ("arpa", texts::arpa),
    ("vocabulary", models::vocabulary),
    ("truecaser", models::truecaser),
    ("compounds", models::compounds),
    ("aligner", models::aligner),
    ("classifiers", models::classifiers),
    ("constituents", searches::constituents),
    ("multitree", searches::multitree),
    ("labeller", searches::labeller),
    ("forest", numbers::forest),
    ("walker", numbers::walker),
    ("recurrent", numbers::recurrent),
    ("reservoir", numbers::reservoir),
    ("lines", texts::lines),
    ("words", texts::words),
    ("metric", texts::metric),
];
