//! Worked examples of each rule, and the properties that hold for any text.

use proptest::prelude::*;

use super::*;

fn plain(code: &str, text: &str) -> String {
    Tokeniser::new(code, Settings { escape: false, protect: false, notation: false }).unwrap().line(text)
}

#[test]
fn apostrophes_by_language() {
    assert_eq!(plain("en", "I don't. The dogs' 1990's 70'er 5'3"), "I don 't . The dogs ' 1990 's 70'er 5 ' 3");
    assert_eq!(plain("en", "'Tis a'b'c"), "' Tis a 'b 'c");
    assert_eq!(plain("fr", "L'homme qu'il n'est 'pas'"), "L' homme qu' il n' est ' pas '");
    assert_eq!(plain("it", "dell'arte po' di"), "dell' arte po ' di");
    assert_eq!(plain("de", "Geht's?"), "Geht ' s ?");
}

#[test]
fn commas_dots_hyphens() {
    assert_eq!(plain("en", "1,000,000 a,b 5, ,5 x,"), "1,000,000 a , b 5 , , 5 x ,");
    assert_eq!(plain("en", "Well...yes.. 3.14 well-known--so"), "Well ... yes .. 3.14 well-known--so");
    assert_eq!(plain("en", "A test (of 5%) and/or $5."), "A test ( of 5 % ) and / or $ 5 .");
}

#[test]
fn periods() {
    assert_eq!(plain("en", "Mr. Smith left. He saw J. S. Bach."), "Mr. Smith left . He saw J. S. Bach .");
    assert_eq!(plain("en", "No. 5 said No. Go to the U.S."), "No. 5 said No . Go to the U.S.");
    assert_eq!(plain("en", "it ends. here"), "it ends. here");
    assert_eq!(plain("de", "Am 3. Oktober z.B. um 5."), "Am 3. Oktober z.B. um 5 .");
    assert_eq!(plain("hi", "डॉ. राम आए।"), "डॉ. राम आए ।");
}

#[test]
fn clusters_stay_whole() {
    assert_eq!(plain("hi", "क्‍ष हिन्दी"), "क्‍ष हिन्दी");
    assert_eq!(plain("en", "cafe\u{301}s 👩‍👩‍👧👍🏽🇨🇿🇩🇪"), "cafe\u{301}s 👩‍👩‍👧 👍🏽 🇨🇿 🇩🇪");
    assert_eq!(plain("en", "\u{301} a\u{0}b\u{A0}c\u{2028}d\u{7F}"), "\u{301} ab c d");
    assert_eq!(plain("he", "שלום.\u{200F}"), "שלום .\u{200F}");
}

#[test]
fn escapes_and_protects() {
    let tokeniser = Tokeniser::new("en", Settings { escape: true, protect: true, notation: false }).unwrap();
    assert_eq!(
        tokeniser.line("a ||| [X] & <b> it's \"q\""),
        "a &#124; &#124; &#124; &#91; X &#93; &amp; &lt; b &gt; it &apos;s &quot; q &quot;"
    );
    assert_eq!(tokeniser.line("At 12:30, see http://a.b/c?d=1."), "At 12:30 , see http://a.b/c?d=1 .");
}

#[test]
fn notation_stays_whole() {
    let tokeniser = Tokeniser::new("en", Settings { escape: false, protect: false, notation: true }).unwrap();
    for (text, tokens) in [
        ("%s: %d (%(x)s), ${name}!", "%s : %d ( %(x)s ) , ${name} !"),
        ("Press Super+L, see look(1).", "Press Super ￭+￭ L , see look ￭( 1 ) ."),
        ("**bold** <b>x</b> C:\\x, /etc/fstab.", "* ￭* bold ￭* ￭* ▁<b>￭ x ￭</b> C:\\x , /etc/fstab ."),
        ("and/or 5% (word(s)) $5.50", "and / or 5 % ( word ( s ) ) $ 5.50"),
        ("pre%s-post, x=1; a:b A / B", "pre%s-post , x ￭=￭ 1 ; a :￭ b A ▁/▁ B"),
    ] {
        assert_eq!(tokeniser.line(text), tokens);
        assert_eq!(detokenise::Detokeniser::new("en").unwrap().line(tokens), text);
    }
}

#[test]
fn hostile_lines_cost_linear_time() {
    // Were any rule quadratic, a megabyte would keep this test busy for hours.
    let tokeniser = Tokeniser::new("en", Settings { escape: true, protect: true, notation: true }).unwrap();
    for unit in [
        "a",
        ".",
        "a.",
        ",",
        "'",
        "a'",
        "1,",
        "1.",
        "@",
        "a@",
        "a.@",
        "www.",
        "http://",
        "\u{301}",
        "\u{200D}",
        "👩\u{200D}",
        "🇨",
        " ",
        "\u{A0}.",
        "|||",
        "1:",
        "a@b.",
        "x..",
        "(http://",
        "&",
        "%",
        "${",
        "{",
        "%(a",
        "$a.",
        "<a",
        "(",
        "a)",
        "%1",
        "a_",
        "*a* ",
        "/a ",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        let line = tokeniser.line(&text);
        let kept: usize = line.split(' ').map(str::len).sum();
        assert!(kept + (1 << 20) >= text.trim().len());
    }
}

proptest! {
    #[test]
    fn keeps_every_visible_character(text in "\\PC{0,40}", code in "(en|de|fr|hi|xx)", protect: bool, notation: bool) {
        let tokeniser = Tokeniser::new(&code, Settings { escape: false, protect, notation }).unwrap();
        let classes = Classes::table();
        let visible = |text: &str| {
            text.chars().filter(|&c| !matches!(classes.of(c), Class::Space | Class::Control)).collect::<String>()
        };
        let line = tokeniser.line(&text);
        let bare = |text: &str| visible(text).replace([TIGHT, LOOSE], "");
        prop_assert_eq!(bare(&line), bare(&text));
        prop_assert!(!line.contains("  ") && line.trim_matches(' ') == line);
    }

    #[test]
    fn threads_do_not_matter(lines in proptest::collection::vec("[a-z .,']{0,20}", 0..600)) {
        let tokeniser = Tokeniser::new("en", Settings::default()).unwrap();
        let each: Vec<String> = lines.iter().map(|line| tokeniser.line(line)).collect();
        prop_assert_eq!(tokeniser.lines(&lines), each);
    }
}
