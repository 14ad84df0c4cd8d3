//! The identity of a sentence pair as 128 bits, for finding duplicates and for splitting by content.

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::{Error, Result};

/// What makes two sentence pairs the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SameBy {
    /// Both sides are equal.
    #[default]
    Pair,
    /// The source sides are equal.
    Source,
    /// The target sides are equal.
    Target,
}

impl SameBy {
    /// Reads `pair`, `source` or `target`.
    ///
    /// # Errors
    /// Any other word.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "pair" => Ok(Self::Pair),
            "source" => Ok(Self::Source),
            "target" => Ok(Self::Target),
            _ => {
                Err(Error::settings(format!("pairs cannot be compared by {name:?}"))
                    .hint("choose pair, source or target"))
            }
        }
    }

    /// The key of a pair. By pair, a byte that occurs in no UTF-8 text stands between the sides, so that no two
    /// different pairs are hashed as the same bytes; `scratch` is where they are joined.
    pub fn key(self, source: &str, target: &str, seed: u64, scratch: &mut Vec<u8>) -> u128 {
        match self {
            Self::Source => xxh3_128_with_seed(source.as_bytes(), seed),
            Self::Target => xxh3_128_with_seed(target.as_bytes(), seed),
            Self::Pair => {
                scratch.clear();
                scratch.extend_from_slice(source.as_bytes());
                scratch.push(0xff);
                scratch.extend_from_slice(target.as_bytes());
                xxh3_128_with_seed(scratch, seed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_pairs_apart() {
        let key = |by: SameBy, source, target, seed| by.key(source, target, seed, &mut Vec::new());
        assert_ne!(key(SameBy::Pair, "ab", "c", 0), key(SameBy::Pair, "a", "bc", 0));
        assert_ne!(key(SameBy::Pair, "a", "b", 0), key(SameBy::Pair, "a", "b", 1));
        assert_eq!(key(SameBy::Source, "a", "b", 0), key(SameBy::Source, "a", "c", 0));
        assert_eq!(key(SameBy::Target, "a", "b", 0), key(SameBy::Target, "c", "b", 0));
        assert!(SameBy::parse("both").is_err());
    }
}
