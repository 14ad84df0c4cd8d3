//! Sentences as token ids, and what the ids stand for.

use hashbrown::HashMap;

use super::tokenise::{Tokeniser, is_space};

/// Sentences as token ids, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl Texts {
    /// From all ids and, per sentence, where it ends; `None` if the ends fall or leave ids over.
    pub fn from_parts(ids: Vec<u32>, ends: Vec<usize>) -> Option<Self> {
        let ordered = ends.is_sorted() && ends.last().copied().unwrap_or(0) == ids.len();
        ordered.then_some(Self { ids, ends })
    }

    /// Appends a sentence.
    pub fn push(&mut self, sentence: impl IntoIterator<Item = u32>) {
        self.ids.extend(sentence);
        self.ends.push(self.ids.len());
    }

    /// The tokens of a sentence.
    pub fn get(&self, sentence: usize) -> &[u32] {
        let start = if sentence == 0 { 0 } else { self.ends[sentence - 1] };
        &self.ids[start..self.ends[sentence]]
    }

    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All ids.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Where each sentence ends in [`Texts::ids`].
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Tokens of the longest sentence.
    pub fn longest(&self) -> usize {
        (0..self.len()).map(|sentence| self.get(sentence).len()).max().unwrap_or(0)
    }
}

impl<S: AsRef<[u32]>> FromIterator<S> for Texts {
    fn from_iter<I: IntoIterator<Item = S>>(sentences: I) -> Self {
        let mut texts = Self::default();
        for sentence in sentences {
            texts.push(sentence.as_ref().iter().copied());
        }
        texts
    }
}

/// Gives each token an id, in order of appearance.
#[derive(Debug, Clone, Default)]
pub struct TokenTable {
    ids: HashMap<Box<str>, u32>,
    tokens: Vec<Box<str>>,
}

impl TokenTable {
    /// The id of a token, a new one if it was not seen before.
    pub fn id(&mut self, token: &str) -> u32 {
        if let Some(&id) = self.ids.get(token) {
            return id;
        }
        let id = u32::try_from(self.tokens.len()).expect("fewer than 2^32 distinct tokens fit in memory");
        self.tokens.push(token.into());
        self.ids.insert(token.into(), id);
        id
    }

    /// The id of a token that was seen before.
    pub fn find(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// Tokenises lines and looks their tokens up.
    pub fn texts<S: AsRef<str>>(&mut self, lines: &[S], tokeniser: Tokeniser) -> Texts {
        let mut texts = Texts::default();
        let mut buffers = Default::default();
        for line in lines {
            tokeniser.each_token(line.as_ref(), &mut buffers, |token| {
                let id = self.id(token);
                texts.ids.push(id);
            });
            texts.ends.push(texts.ids.len());
        }
        texts
    }

    /// The tokens, by id.
    pub fn tokens(&self) -> &[Box<str>] {
        &self.tokens
    }
}

/// The characters and the word pieces of each token, for chrF.
///
/// chrF++ counts words after one punctuation mark at the end, or else at the beginning, is set apart (Popović 2017).
#[derive(Debug, Clone, Default)]
pub struct Spelling {
    symbols: Vec<u32>,
    ends: Vec<u32>,
    pieces: Vec<[u32; 2]>,
}

/// No second piece.
const NONE: u32 = u32::MAX;

impl Spelling {
    /// The spelling of tokens, by id. White space within a token is left out, as between tokens.
    pub fn new<S: AsRef<str>>(tokens: &[S]) -> Self {
        let mut spelling = Self::default();
        let mut table = TokenTable::default();
        for token in tokens {
            let token = token.as_ref();
            spelling.symbols.extend(token.chars().filter(|&symbol| !is_space(symbol)).map(u32::from));
            spelling.ends.push(u32::try_from(spelling.symbols.len()).expect("fewer than 2^32 letters"));
            let mut letters = token.chars();
            let (first, last) = (letters.next(), letters.next_back());
            spelling.pieces.push(match (first, last) {
                (Some(_), Some(last)) if last.is_ascii_punctuation() => {
                    let (word, mark) = token.split_at(token.len() - 1);
                    [table.id(word), table.id(mark)]
                }
                (Some(first), Some(_)) if first.is_ascii_punctuation() => {
                    let (mark, word) = token.split_at(1);
                    [table.id(mark), table.id(word)]
                }
                _ => [table.id(token), NONE],
            });
        }
        spelling
    }

    /// Number of tokens it knows; their ids are below it.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it knows no tokens.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends the characters of a sentence.
    pub fn spell(&self, sentence: &[u32], symbols: &mut Vec<u32>) {
        for &token in sentence {
            let token = token as usize;
            let start = if token == 0 { 0 } else { self.ends[token - 1] };
            symbols.extend_from_slice(&self.symbols[start as usize..self.ends[token] as usize]);
        }
    }

    /// Appends the word pieces of a sentence.
    pub fn split(&self, sentence: &[u32], pieces: &mut Vec<u32>) {
        for &token in sentence {
            let [first, second] = self.pieces[token as usize];
            pieces.push(first);
            if second != NONE {
                pieces.push(second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_must_fit() {
        assert!(Texts::from_parts(vec![1, 2, 3], vec![1, 1, 3]).is_some());
        assert!(Texts::from_parts(vec![1, 2, 3], vec![1, 2]).is_none());
        assert!(Texts::from_parts(vec![1, 2, 3], vec![2, 1, 3]).is_none());
        assert!(Texts::from_parts(vec![], vec![]).is_some());
    }

    #[test]
    fn sets_one_mark_apart() {
        let spelling = Spelling::new(&["a", "(a)", "a", ".", "(a"]);
        let mut pieces = Vec::new();
        spelling.split(&[1, 3, 4], &mut pieces);
        // "(a" ")", ".", "(" "a"
        assert_eq!(pieces, [1, 2, 3, 4, 0]);
        let mut symbols = Vec::new();
        spelling.spell(&[1, 3], &mut symbols);
        assert_eq!(symbols, "(a).".chars().map(u32::from).collect::<Vec<_>>());
    }
}
