//! What a word is, in one place: everything that counts, hashes or looks up words splits lines with this.

/// The words of a line: the longest runs without ASCII white space (space, tab, line feed, form feed, carriage return).
///
/// Text that went through the tokeniser has plain spaces between its tokens and nowhere else, so an unbreakable space
/// (U+00A0) inside a token stays inside it, as in the other tools of the field.
pub fn words(line: &str) -> std::str::SplitAsciiWhitespace<'_> {
    line.split_ascii_whitespace()
}

/// How many words a line has: the places where one begins.
pub fn count_words(line: &str) -> usize {
    let mut between = true;
    let mut begun = 0;
    for byte in line.bytes() {
        let space = byte.is_ascii_whitespace();
        begun += usize::from(between && !space);
        between = space;
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ascii_white_space_separates() {
        let found: Vec<&str> = words(" a\tb  10\u{a0}000\u{2028}c \r\n").collect();
        assert_eq!(found, ["a", "b", "10\u{a0}000\u{2028}c"]);
        assert_eq!(count_words(" a\tb  10\u{a0}000\u{2028}c \r\n"), 3);
        assert_eq!((words(" \t ").count(), count_words(" \t "), count_words("")), (0, 0, 0));
    }
}
