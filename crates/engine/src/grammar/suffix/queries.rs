//! The source sides that sentences ask for.
//!
//! Source sides that differ only in gaps at their borders have the same words in the same places, their core; it is
//! looked for once.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::chunks::Chunks;
use super::extract::SCANNED;
use super::index::Index;
use super::occurrences::{MOST_CHUNKS, Pattern, Search};
use super::side::END;
use crate::grammar::settings::{ExtractSettings, Kind};

/// No chunk.
pub const NONE: u32 = u32::MAX;
/// Two gaps side by side between two chunks, and none at the borders.
pub const DOUBLE: u16 = 1 << 9;

/// The bit of a source side with so many gaps before and after its core.
#[inline]
pub fn shape(lead: usize, trail: usize) -> u16 {
    1 << (3 * lead + trail)
}

/// A core and the source sides with it that are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Core {
    /// Its chunks; [`NONE`] for no chunk.
    pub chunks: [u32; MOST_CHUNKS],
    /// Bits of [`shape`] and [`DOUBLE`].
    pub wanted: u16,
}

impl Core {
    /// How many chunks it has.
    pub fn number(&self) -> usize {
        self.chunks.iter().filter(|&&chunk| chunk != NONE).count()
    }

    /// What to look for.
    pub fn pattern(&self, settings: &ExtractSettings) -> Pattern {
        let hole = settings.min_gap as u8;
        Pattern { chunks: self.chunks, number: self.number() as u8, holes: [hole; MOST_CHUNKS - 1] }
    }
}

/// The chunks and cores of sentences.
pub struct Queries {
    /// All chunks of the sentences, whether they occur in the text or not.
    pub chunks: Chunks,
    /// All cores that occur in the text, as far as was looked.
    pub cores: Vec<Core>,
}

/// One sentence, as the numbers of the chunks that begin at each word.
struct Sentence {
    length: usize,
    longest: usize,
    chunks: Vec<u32>,
}

impl Sentence {
    /// The chunk of some words from a place on, if it occurs in the text.
    #[inline]
    fn chunk(&self, start: usize, words: usize) -> Option<u32> {
        let chunk = self.chunks[start * self.longest + words - 1];
        (chunk != NONE).then_some(chunk)
    }
}

type Wanted = HashMap<[u32; MOST_CHUNKS], u16>;

/// Finds what sentences ask for. Rules may cover `max_span` words of a sentence, 0 for any number; `samples` is that of
/// [`Search`].
pub fn queries(
    index: &Index,
    sentences: &[Vec<u32>],
    settings: &ExtractSettings,
    max_span: usize,
    samples: usize,
) -> Queries {
    let longest = match settings.kind {
        Kind::Phrase(_) => settings.max_length,
        Kind::Hiero => settings.max_symbols.min(settings.max_length),
    };
    let mut chunks = Chunks::new(index, 0);
    for words in sentences {
        for known in words.split(|&word| word == END) {
            for start in 0..known.len() {
                (start + 1..=known.len().min(start + longest)).for_each(|end| {
                    chunks.add(&known[start..end]);
                });
            }
        }
    }
    chunks.resolve(index);
    let sentences: Vec<Sentence> = sentences.iter().map(|words| sentence(words, &chunks, longest)).collect();
    let span = if max_span == 0 { usize::MAX } else { max_span };
    let wanting = Wanting { settings, span };
    let mut cores = Vec::new();
    let singles = collect(&sentences, |sentence, wanted| wanting.singles(sentence, wanted));
    take(&singles, &mut cores);
    if matches!(settings.kind, Kind::Hiero) && settings.max_gaps > 0 {
        let search = Search { index, chunks: &chunks, longest: settings.max_length, samples, scanned: SCANNED };
        let pairs =
            occurring(collect(&sentences, |sentence, wanted| wanting.pairs(sentence, wanted)), &search, settings);
        if settings.max_gaps > 1 {
            let triples = collect(&sentences, |sentence, wanted| wanting.triples(sentence, &pairs, wanted));
            let triples = occurring(triples, &search, settings);
            take(&pairs, &mut cores);
            take(&triples, &mut cores);
        } else {
            take(&pairs, &mut cores);
        }
    }
    Queries { chunks, cores }
}

fn sentence(words: &[u32], chunks: &Chunks, longest: usize) -> Sentence {
    let mut numbers = vec![NONE; words.len() * longest];
    for start in 0..words.len() {
        for length in 1..=longest.min(words.len() - start) {
            match chunks.number(&words[start..start + length]) {
                Some(chunk) if chunks.total(chunk) > 0 => numbers[start * longest + length - 1] = chunk,
                _ => break,
            }
        }
    }
    Sentence { length: words.len(), longest, chunks: numbers }
}

fn collect(sentences: &[Sentence], want: impl Fn(&Sentence, &mut Wanted) + Sync) -> Wanted {
    let merge = |a: Wanted, b: Wanted| {
        let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
        small.into_iter().for_each(|(core, wanted)| *large.entry(core).or_default() |= wanted);
        large
    };
    let each = |mut all: Wanted, sentence: &Sentence| {
        want(sentence, &mut all);
        all
    };
    sentences.par_iter().fold(Wanted::new, each).reduce(Wanted::new, merge)
}

fn occurring(wanted: Wanted, search: &Search<'_>, settings: &ExtractSettings) -> Wanted {
    let occurs = |(chunks, wanted): ([u32; MOST_CHUNKS], u16)| {
        search.occurs(&Core { chunks, wanted }.pattern(settings)).then_some((chunks, wanted))
    };
    let listed: Vec<([u32; MOST_CHUNKS], u16)> = wanted.into_iter().collect();
    let kept: Vec<_> = listed.into_par_iter().filter_map(occurs).collect();
    kept.into_iter().collect()
}

/// In a fixed order, those of like words side by side.
fn take(wanted: &Wanted, cores: &mut Vec<Core>) {
    let first = cores.len();
    cores.extend(wanted.iter().map(|(&chunks, &wanted)| Core { chunks, wanted }));
    cores[first..].sort_unstable_by_key(|core| core.chunks);
}

struct Wanting<'a> {
    settings: &'a ExtractSettings,
    span: usize,
}

impl Wanting<'_> {
    /// The source sides of a core that stands at some words of a sentence.
    fn shapes(&self, sentence: &Sentence, core: [usize; 2], words: usize, inner: usize) -> u16 {
        let settings = self.settings;
        if matches!(settings.kind, Kind::Phrase(_)) {
            return if core[1] - core[0] <= self.span { shape(0, 0) } else { 0 };
        }
        let most = if settings.adjacent { 2 } else { 1 };
        let mut shapes = 0;
        for lead in 0..=most.min(core[0]) {
            for trail in 0..=most.min(sentence.length - core[1]) {
                let gaps = inner + lead + trail;
                let fits = gaps <= settings.max_gaps && words + gaps <= settings.max_symbols;
                if fits && core[1] - core[0] + lead + trail <= self.span {
                    shapes |= shape(lead, trail);
                }
            }
        }
        shapes
    }

    fn singles(&self, sentence: &Sentence, wanted: &mut Wanted) {
        for start in 0..sentence.length {
            for words in 1..=sentence.longest {
                let Some(chunk) = sentence.chunk(start, words) else { break };
                let shapes = self.shapes(sentence, [start, start + words], words, 0);
                if shapes != 0 {
                    *wanted.entry([chunk, NONE, NONE]).or_default() |= shapes;
                }
            }
        }
    }

    /// Each chunk of at most so many words that begins within some words, with its place and length.
    fn next<'b>(
        sentence: &'b Sentence,
        from: usize,
        end: usize,
        most: usize,
    ) -> impl Iterator<Item = (u32, usize, usize)> + 'b {
        let end = end.min(sentence.length);
        (from..end).flat_map(move |start| {
            let words = 1..=most.min(sentence.longest).min(end - start);
            words.map_while(move |words| Some((sentence.chunk(start, words)?, start, words)))
        })
    }

    fn pairs(&self, sentence: &Sentence, wanted: &mut Wanted) {
        let settings = self.settings;
        // A gap and a word must still fit.
        let most = settings.max_symbols.saturating_sub(2);
        for (one, start, words) in Self::next(sentence, 0, usize::MAX, most) {
            let from = start + words + 1;
            let end = start.saturating_add(self.span);
            for (two, second, more) in Self::next(sentence, from, end, settings.max_symbols - 1 - words) {
                let core = [start, second + more];
                let mut shapes = self.shapes(sentence, core, words + more, 1);
                let hole = second - start - words;
                let double = settings.adjacent && settings.max_gaps == 2 && words + more + 2 <= settings.max_symbols;
                if double && hole >= 2 {
                    shapes |= DOUBLE;
                }
                if shapes != 0 {
                    *wanted.entry([one, two, NONE]).or_default() |= shapes;
                }
            }
        }
    }

    /// Only where both pairs of neighbours occur.
    fn triples(&self, sentence: &Sentence, pairs: &Wanted, wanted: &mut Wanted) {
        let most = self.settings.max_symbols.saturating_sub(4);
        for (one, start, words) in Self::next(sentence, 0, usize::MAX, most) {
            let end = start.saturating_add(self.span);
            let most = (self.settings.max_symbols - 3).saturating_sub(words);
            for (two, second, more) in Self::next(sentence, start + words + 1, end, most) {
                if !pairs.contains_key(&[one, two, NONE]) {
                    continue;
                }
                let most = self.settings.max_symbols - 2 - words - more;
                for (three, ..) in Self::next(sentence, second + more + 1, end, most) {
                    if pairs.contains_key(&[two, three, NONE]) {
                        *wanted.entry([one, two, three]).or_default() |= shape(0, 0);
                    }
                }
            }
        }
    }
}
