//! What the spans of a sentence can be translated to: options in the order in which search tries them.

use hashbrown::{HashMap, HashTable};

use crate::corpus::vocabulary::UNK;
use crate::decode::input::Input;
use crate::decode::model::ORIENTATIONS;
use crate::decode::options::{Options, Origin, TranslationOption};
use crate::grammar::Symbol;

/// A translation of a span.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The option.
    pub option: u32,
    /// The span.
    pub begin: u32,
    pub end: u32,
    /// Its target words.
    pub text: u32,
    /// How it reorders what comes next; see [`Choices::next`].
    pub next: u32,
    /// The weighted score of its features, language models and orientations left out.
    pub score: f32,
    /// The weighted score of each orientation to the phrase before.
    pub prev: [f32; ORIENTATIONS],
}

/// A span's choices: where the first list is, and how long it is. There is a list for each orientation if the model
/// knows of any, one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lists {
    pub start: u32,
    pub count: u32,
}

/// Before the first word of a text.
const NO_TEXT: u32 = u32::MAX;
/// The orientations' scores do not matter.
const NO_NEXT: u32 = 0;

/// All choices of a sentence.
#[derive(Debug, Default)]
pub struct Choices {
    longest: usize,
    lexicalised: bool,
    choices: Vec<Choice>,
    /// Estimates with choices, best first.
    lists: Vec<(f32, u32)>,
    spans: Vec<Lists>,
    /// Texts of one word, and texts with the text of a word behind them.
    texts: Vec<[u32; 2]>,
    /// For each text of one word its id in each language model.
    text_words: Vec<u32>,
    known_texts: HashTable<u32>,
    nexts: Vec<[f32; ORIENTATIONS]>,
    known_nexts: HashMap<(u32, [u32; ORIENTATIONS]), u32>,
}

impl Choices {
    /// Finds the options of all spans of at most `longest` words. Of those, all that occur in a `reference` if there is
    /// one, and otherwise the best `limit` of each span.
    pub fn find(
        &mut self,
        options: &mut Options<'_>,
        input: &Input,
        ids: &[Option<u32>],
        longest: usize,
        limit: usize,
        reference: Option<&[Symbol]>,
    ) {
        // The options of an ensemble are cut where its components make them.
        let limit = if reference.is_some() || !options.scorer().is_single() { usize::MAX } else { limit };
        let last = input.last();
        let model = options.model();
        self.longest = longest.max(input.given().longest()).clamp(1, last.max(1));
        self.lexicalised = model.sources().iter().any(|part| part.reordering().is_some());
        self.choices.clear();
        self.lists.clear();
        self.spans.clear();
        self.spans.resize(last * self.longest, Lists::default());
        self.texts.clear();
        self.text_words.clear();
        self.known_texts.clear();
        self.known_nexts.clear();
        self.nexts.clear();
        self.nexts.push([0.0; ORIENTATIONS]);
        // No rule sees words that only given translations may cover.
        let mut protected = vec![false; last];
        input.given().protected().for_each(|at| protected[at] = true);
        let mut found = Vec::new();
        let scorer = options.scorer();
        for (begin, &is_protected) in protected.iter().enumerate() {
            let mut state = Some(options.walks().root());
            let given_end = input.given().from(begin).last().map_or(0, |given| given.end as usize);
            for end in begin + 1..=last.min(begin + self.longest) {
                let word = ids[end - 1].filter(|_| !protected[end - 1] && end - begin <= longest);
                state = state.zip(word).and_then(|(state, word)| options.walks().step(state, Symbol::word(word)));
                let first = self.choices.len();
                let known = state.is_some_and(|state| options.walks().has_rules(state));
                // What may not be covered has no choices; a single word always may.
                let class = scorer.class(end - begin);
                if let Some(state) = state.filter(|_| input.allows(begin, end)) {
                    let switch = scorer.plan().switch.as_ref();
                    let winner = switch.and_then(|switch| options.winner(switch, class, [(state, 0)]));
                    if switch.is_none() || winner.is_some() {
                        match reference {
                            Some(words) => {
                                let occurs = |word| words.contains(&Symbol::word(word));
                                options.of_state_among(state, 0, class, winner, occurs, &mut found);
                            }
                            None => options.of_state(state, 0, class, winner, &mut found),
                        }
                    }
                }
                for option in found.drain(..).flatten() {
                    self.add(options, option, [begin, end], reference);
                }
                if end == begin + 1 && !known && !is_protected {
                    let option = options.copy(begin as u32, &input.words()[begin], class);
                    self.add(options, option, [begin, end], reference);
                }
                for span in input.given().between(begin, end) {
                    for option in options.given(input, span, class) {
                        self.add(options, option, [begin, end], reference);
                    }
                }
                self.sort(options, first, begin * self.longest + end - begin - 1, limit);
                if state.is_none() && end >= given_end {
                    break;
                }
            }
        }
    }

    fn add(&mut self, options: &Options<'_>, number: u32, span: [usize; 2], reference: Option<&[Symbol]>) {
        let option = options.get(number);
        if option.arity > 0 {
            return;
        }
        let target = options.target(option);
        let within = |words: &[Symbol]| !target.is_empty() && words.windows(target.len()).any(|part| part == target);
        if !reference.is_none_or(within) {
            return;
        }
        let (prev, next) = match option.origin {
            Origin::Rule(source, rule) => self.orientations(options, source, rule),
            Origin::Mixed(_) => self.mixed_orientations(options, option),
            _ => ([0.0; ORIENTATIONS], NO_NEXT),
        };
        let text = self.text(options, target);
        let [begin, end] = span.map(|at| at as u32);
        self.choices.push(Choice { option: number, begin, end, text, next, score: option.score, prev });
    }

    /// The weighted orientations of a rule to the phrase before, and the number of those of the next one to it.
    fn orientations(&mut self, options: &Options<'_>, source: u32, rule: u32) -> ([f32; ORIENTATIONS], u32) {
        let mut prev = [0.0; ORIENTATIONS];
        let mut next = NO_NEXT;
        let part = &options.model().sources()[source as usize];
        if let Some(columns) = part.reordering() {
            let walk = options.walk(source);
            let weights = &options.weights().values()[part.first_feature..];
            if let Some(columns) = columns.prev {
                prev = columns.map(|column| walk.feature(rule, column) * weights[column]);
            }
            if let Some(columns) = columns.next {
                let values = columns.map(|column| walk.feature(rule, column));
                let key = (source, values.map(f32::to_bits));
                let nexts = &mut self.nexts;
                next = *self.known_nexts.entry(key).or_insert_with(|| {
                    nexts.push([0, 1, 2].map(|at| values[at] * weights[columns[at]]));
                    nexts.len() as u32 - 1
                });
            }
        }
        (prev, next)
    }

    /// The same of a rule of several components: the mean of those that have it, each as it counts.
    fn mixed_orientations(&mut self, options: &Options<'_>, option: &TranslationOption) -> ([f32; ORIENTATIONS], u32) {
        let mut sums = [[0.0_f32; ORIENTATIONS]; 2];
        let mut whole = 0.0;
        for (source, rule) in options.rules_of(option.origin) {
            let part = &options.model().sources()[source as usize];
            whole += options.scorer().share(part.component);
            let Some(columns) = part.reordering() else { continue };
            let weights = &options.weights().values()[part.first_feature..];
            for (sum, columns) in sums.iter_mut().zip([columns.prev, columns.next]) {
                let Some(columns) = columns else { continue };
                for (sum, column) in sum.iter_mut().zip(columns) {
                    *sum += options.walk(source).feature(rule, column) * weights[column];
                }
            }
        }
        let [prev, next] = sums.map(|sum| sum.map(|value| if whole > 0.0 { value / whole } else { 0.0 }));
        let nexts = &mut self.nexts;
        let known = self.known_nexts.entry((u32::MAX, next.map(f32::to_bits))).or_insert_with(|| {
            nexts.push(next);
            nexts.len() as u32 - 1
        });
        (prev, *known)
    }

    /// The number of some target words, the same for the same words.
    fn text(&mut self, options: &Options<'_>, target: &[Symbol]) -> u32 {
        let mut text = NO_TEXT;
        for symbol in target {
            let word = self.text_of(options, [NO_TEXT, symbol.as_word().unwrap_or(UNK)]);
            text = if text == NO_TEXT { word } else { self.text_of(options, [text, word]) };
        }
        text
    }

    /// The number of a word, or of a text and the number of a word behind it.
    fn text_of(&mut self, options: &Options<'_>, parts: [u32; 2]) -> u32 {
        let texts = &self.texts;
        let hash = |[a, b]: [u32; 2]| {
            let hash = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^ hash >> 32
        };
        if let Some(&known) = self.known_texts.find(hash(parts), |&text| texts[text as usize] == parts) {
            return known;
        }
        let new = self.texts.len() as u32;
        self.known_texts.insert_unique(hash(parts), new, |&text| hash(texts[text as usize]));
        self.texts.push(parts);
        let single = parts[0] == NO_TEXT;
        let lms = 0..options.model().lms().len();
        self.text_words.extend(lms.map(|lm| if single { options.lm_word(lm, parts[1]) } else { UNK }));
        new
    }

    /// Makes the lists of a span from the choices added since `first`.
    fn sort(&mut self, options: &Options<'_>, first: usize, span: usize, limit: usize) {
        let start = self.lists.len();
        let count = (self.choices.len() - first).min(limit);
        for orientation in 0..self.orders() {
            let from = self.lists.len();
            let choices = (first as u32..).zip(&self.choices[first..]);
            self.lists.extend(
                choices
                    .map(|(number, choice)| (options.get(choice.option).estimate + choice.prev[orientation], number)),
            );
            self.lists[from..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.lists.truncate(from + count);
        }
        self.spans[span] = Lists { start: start as u32, count: count as u32 };
    }

    /// The most words of a span that has choices.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether the model knows of orientations.
    pub fn lexicalised(&self) -> bool {
        self.lexicalised
    }

    /// In how many orders choices and hypotheses are sorted.
    pub fn orders(&self) -> usize {
        if self.lexicalised { ORIENTATIONS } else { 1 }
    }

    /// The lists of a span.
    #[inline]
    pub fn lists(&self, begin: usize, length: usize) -> Lists {
        self.spans[begin * self.longest + length - 1]
    }

    /// An estimate and its choice.
    #[inline]
    pub fn listed(&self, place: u32) -> (f32, u32) {
        self.lists[place as usize]
    }

    /// A choice.
    #[inline]
    pub fn get(&self, choice: u32) -> &Choice {
        &self.choices[choice as usize]
    }

    /// All choices, with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (u32, &Choice)> {
        (0..).zip(&self.choices)
    }

    /// The best estimate of a span, if it has choices.
    pub fn best(&self, begin: usize, length: usize) -> Option<f32> {
        let Lists { start, count } = self.lists(begin, length);
        if count == 0 {
            return None;
        }
        let firsts = (0..self.orders() as u32).map(|order| self.listed(start + order * count).0);
        firsts.max_by(f32::total_cmp)
    }

    /// A text of several words as the text of all but the last and that of the last word.
    #[inline]
    pub fn split(&self, text: u32) -> Option<(u32, u32)> {
        let &[beginning, word] = self.texts.get(text as usize)?;
        (beginning != NO_TEXT).then_some((beginning, word))
    }

    /// The word of a text of one as a language model numbers it.
    #[inline]
    pub fn word(&self, text: u32, lm: usize, lms: usize) -> u32 {
        self.text_words[text as usize * lms + lm]
    }

    /// The weighted score of the orientations of what follows a choice.
    #[inline]
    pub fn next(&self, next: u32) -> &[f32; ORIENTATIONS] {
        &self.nexts[next as usize]
    }
}
