//! A language whose words do not tell their labels before the next one is known.

use super::*;
use crate::files::reseal::reseal;
use crate::random::Random;

type Sentences = Vec<(Vec<String>, Vec<String>)>;

/// "her" is a determiner before a noun and a pronoun before an adverb, and whoever labels it has not seen what follows.
fn language(sentences: usize, seed: u64) -> Sentences {
    let mut random = Random::new([seed, 0, 0]);
    let words =
        [("her fish", "DET NOUN"), ("her often", "PRON ADV"), ("she sleeps", "PRON VERB"), ("a fish", "DET NOUN")];
    let make = |_| {
        let (mut text, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..1 + random.below(4) {
            // Determiners are a little rarer, so that whoever guesses guesses wrong.
            let (some, named) = words[[0, 0, 1, 1, 1, 2, 3][random.below(7)]];
            text.extend(some.split(' ').map(str::to_owned));
            labels.extend(named.split(' ').map(str::to_owned));
        }
        (text, labels)
    };
    (0..sentences).map(make).collect()
}

fn settings(explore: u32) -> Settings {
    Settings { explore, window: Window { before: 2, behind: 0 }, known: 1, ..Settings::default() }
}

fn accuracy(labeller: &Labeller, sentences: &Sentences) -> f64 {
    let (mut right, mut all) = (0, 0);
    for (words, labels) in sentences {
        let found = labeller.label(words);
        assert_eq!(found.len(), words.len());
        right += found
            .iter()
            .zip(labels)
            .filter(|((label, _), name)| labeller.names()[usize::from(*label) - 1] == **name)
            .count();
        all += labels.len();
    }
    right as f64 / all as f64
}

/// Without exploration nobody has ever seen what follows a wrong label; with one step beyond, the next word tells.
#[test]
fn exploration_teaches_what_follows_a_mistake() {
    let (text, test) = (language(150, 1), language(60, 2));
    let mut told = Vec::new();
    let bold = train(&text, &settings(1), |report| {
        told.push(*report);
        Ok(())
    })
    .unwrap();
    let timid = train(&text, &settings(0), |_| Ok(())).unwrap();
    let (bold, timid) = (accuracy(&bold, &test), accuracy(&timid, &test));
    assert!(bold > 0.999, "{bold}");
    assert!(timid < 0.9, "{timid}");
    assert_eq!(told.iter().map(|one| one.limit).collect::<Vec<_>>(), [0, 1, 1]);
    // Exploration shows mistakes that were not seen before, and nothing else.
    assert_eq!(told[0].examples[0], told[1].examples[0]);
    assert!(told[0].examples[1] < told[1].examples[1]);
    // Sums learn it, too.
    let sums = train(&text, &Settings { semiring: Semiring::Viterbi, ..settings(1) }, |_| Ok(())).unwrap();
    assert!(accuracy(&sums, &test) > 0.999);
}

/// Whoever sees the next word needs no exploration, and words that were never seen have labels by their neighbours.
#[test]
fn words_around_are_seen() {
    let (text, test) = (language(150, 1), language(60, 2));
    let seeing = train(&text, &Settings { window: Window::default(), ..settings(0) }, |_| Ok(())).unwrap();
    assert!(accuracy(&seeing, &test) > 0.999);
    let words = ["her", "zebra"].map(str::to_owned).to_vec();
    assert_eq!(seeing.label(&words).len(), 2);
    assert!(seeing.label(&[]).is_empty());
}

#[test]
fn what_cannot_be_learnt_is_refused() {
    let pair = |words: &str, labels: &str| {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        (list(words), list(labels))
    };
    let refused = |sentences: &[(Vec<String>, Vec<String>)], settings: &Settings| {
        train(sentences, settings, |_| Ok(())).unwrap_err().what
    };
    assert_eq!(refused(&[pair("a b", "X")], &Settings::default()), "2 words have 1 labels");
    assert!(refused(&[], &Settings::default()).contains("no labels"));
    for wrong in [
        Settings { epochs: 0, ..Settings::default() },
        Settings { beam: Some(0), ..Settings::default() },
        Settings { window: Window { before: 3, behind: 0 }, ..Settings::default() },
    ] {
        refused(&[pair("a", "X")], &wrong);
    }
    let stopped = train(&[pair("a", "X")], &Settings::default(), |_| Err(crate::Error::input("stopped")));
    assert_eq!(stopped.unwrap_err().what, "stopped");
}

/// The same whatever the number of threads, and from a file; and no byte of the file makes a panic.
#[test]
fn a_labeller_comes_back_from_its_file() {
    let (text, test) = (language(40, 1), language(20, 2));
    let learnt = train(&text, &settings(1), |_| Ok(())).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (path, other) = (directory.path().join("labels.tlk"), directory.path().join("other.tlk"));
    learnt.save(&path).unwrap();
    let again = Labeller::open(&path, u64::MAX).unwrap();
    let words: Vec<Vec<String>> = test.iter().map(|one| one.0.clone()).collect();
    assert_eq!(learnt.label_all(&words), again.label_all(&words));
    crate::threads::with_threads(1, || train(&text, &settings(1), |_| Ok(())).unwrap().save(&other)).unwrap().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes, std::fs::read(&other).unwrap());
    for at in (0..bytes.len()).step_by(37) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        reseal(&mut damaged);
        std::fs::write(&other, &damaged).unwrap();
        if let Ok(opened) = Labeller::open(&other, u64::MAX) {
            opened.label_all(&words[..3]);
        }
        std::fs::write(&other, &bytes[..at]).unwrap();
        assert!(Labeller::open(&other, u64::MAX).is_err());
    }
    assert!(Labeller::open(&path, 10).is_err());
}
