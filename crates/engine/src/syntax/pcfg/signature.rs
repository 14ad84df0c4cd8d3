//! What can be seen of a word that was never seen: its case, its ending, digits and hyphens.

/// Letters of an ending that are looked at.
const LONGEST: usize = 4;

/// Descriptions of a word from the most general, which all words share, to the most special: its shape, then its shape with
/// ever longer endings. Digits are all alike. A word at the start of a sentence may have its capital from there.
pub fn signatures(word: &str, first: bool) -> Vec<String> {
    let shape = shape(word, first);
    let mut letters: Vec<char> = word
        .chars()
        .map(|letter| if letter.is_numeric() { '0' } else { letter.to_lowercase().next().unwrap_or(letter) })
        .collect();
    letters.reverse();
    let mut found = vec![String::new(), shape.clone()];
    // An ending is shorter than its word.
    for length in 1..=LONGEST.min(letters.len().saturating_sub(1)) {
        found.push(letters[..length].iter().rev().fold(format!("{shape}~"), |mut text, letter| {
            text.push(*letter);
            text
        }));
    }
    // Some treebanks cut words at hyphens, so that this is said last: what ends alike is more often known.
    if word.chars().skip(1).any(|letter| letter == '-') {
        found.push(format!("{shape}-"));
    }
    found
}

fn shape(word: &str, first: bool) -> String {
    let cased: Vec<bool> = word.chars().filter(|letter| letter.is_alphabetic()).map(char::is_uppercase).collect();
    let capitals = cased.iter().filter(|&&upper| upper).count();
    let case = match (cased.first(), capitals) {
        (None, _) => 'o',
        (_, 0) => 'l',
        (Some(true), 1) => {
            if first {
                'i'
            } else {
                'c'
            }
        }
        (_, all) if all == cased.len() => 'u',
        _ => 'm',
    };
    let mut shape = String::from(case);
    let digits = word.chars().filter(|letter| letter.is_numeric()).count();
    if digits > 0 {
        shape.push(if cased.is_empty() { 'D' } else { 'd' });
    }
    if cased.is_empty() && digits == 0 {
        shape.push(if word.chars().count() == 1 { '1' } else { '2' });
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::signatures;

    #[test]
    fn words_are_described_from_general_to_special() {
        assert_eq!(signatures("walking", false), ["", "l", "l~g", "l~ng", "l~ing", "l~king"]);
        assert_eq!(signatures("Oslo", true), ["", "i", "i~o", "i~lo", "i~slo"]);
        assert_eq!(signatures("Oslo", false)[1], "c");
        assert_eq!(signatures("1999", false), ["", "oD", "oD~0", "oD~00", "oD~000"]);
        assert_eq!(signatures("EU-wide", false), ["", "m", "m~e", "m~de", "m~ide", "m~wide", "m-"]);
        assert_eq!(signatures("NATO", false)[1], "u");
        assert_eq!(signatures(";", false), ["", "o1"]);
    }
}
