# ruff: noqa: RUF001
"""Text that is not words: left whole by the tokeniser, and there again when tokens are joined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.corpus import Detokeniser, Tokeniser
from tolka.markup import find_placeholders

LANGS = ["en", "de", "fr", "es", "it", "cs", "hi", "yo"]
PLAIN = {lang: Tokeniser(lang, escape=False) for lang in LANGS}

GOLDEN = [
    ("%s: %d", "%s : %d"),
    ("%(x)s, %1$s (%-10.2f) %1 %PRODUCTNAME!", "%(x)s , %1$s ( %-10.2f ) %1 %PRODUCTNAME !"),
    ("${name} $name $(x) $[y] $1 $error_message$.", "${name} $name $(x) $[y] $1 $error_message$ ."),
    ("{0}, {name:>8} and {{x}}", "{0} , {name:>8} and {{x}}"),
    ("pre%s-post $A$1 %d%%", "pre%s-post $A$1 %d%%"),
    ("&nbsp; &brandName;", "&nbsp; &brandName;"),
    ("a <b> c, <br/> d", "a <b> c , <br/> d"),
    ("<b>x</b>", "<b>￭ x ￭</b>"),
    ("Press Super+L, then Ctrl+Alt+F4.", "Press Super ￭+￭ L , then Ctrl ￭+￭ Alt ￭+￭ F4 ."),
    ("see https://a.org/b?c=d, me@b.org or www.x.de.", "see https://a.org/b?c=d , me@b.org or www.x.de ."),
    ("in /etc/fstab, ~/x, ./y and C:\\z.", "in /etc/fstab , ~/x , ./y and C:\\z ."),
    ("look(1) a:b A / B", "look ￭( 1 ) a :￭ b A ▁/▁ B"),
    # What people write is cut as ever.
    ("and/or word(s), 5% of $5.50 for R&D", "and / or word ( s ) , 5 % of $ 5.50 for R & D"),
]


@pytest.mark.parametrize(("text", "tokens"), GOLDEN)
def test_golden(text, tokens):
    assert PLAIN["en"].line(text) == tokens
    assert Detokeniser("en").line(tokens) == text
    assert Detokeniser("en").line(Tokeniser("en").line(text)) == text


def test_without_it_text_is_cut_as_moses_does():
    assert Tokeniser("en", escape=False, notation=False).line("%s: Super+L <b>") == "% s : Super + L < b >"


SIGNS = st.text(st.sampled_from("%$&{}<>[]()=+*_\\/|~^#@`'\".,:;!?-–aB1 é\u0301\u200d👩—"), max_size=30)


@given(text=SIGNS, lang=st.sampled_from(LANGS), escape=st.booleans())
def test_nothing_is_lost(text, lang, escape):
    joined = Tokeniser(lang, escape=escape).line(text)
    joined = Detokeniser(lang).line(joined) if escape else joined.replace("￭", "").replace("▁", "")
    assert "".join(joined.split()) == "".join(text.replace("@-@", "-" if escape else "@-@").split())


@given(text=SIGNS.filter(lambda text: "@-@" not in text), lang=st.sampled_from(LANGS))
def test_any_line_with_signs_of_notation_returns(text, lang):
    text = " ".join(f"{text} =".split())
    assert Detokeniser(lang).line(Tokeniser(lang).line(text)) == text


@given(text=SIGNS, lang=st.sampled_from(LANGS))
def test_every_placeholder_is_in_one_token(text, lang):
    tokens = PLAIN[lang].tokenise(text)
    inside = [one for token in tokens for one in find_placeholders(token)]
    for one in find_placeholders(" ".join(text.split())):
        assert any(one in token for token in tokens), (one, tokens)
        assert one in inside or not find_placeholders(one)


NOTATION = st.sampled_from(
    [
        "%s", "%d", "%(name)s", "%1$s", "%.2f", "%1", "%PRODUCTNAME", "${name}", "$name", "$1", "{0}", "{name}",
        "{{x}}", "&nbsp;", "<b>", "</b>", "<br/>", "<b>x</b>", "**bold**", "*x*", "Super+L", "Ctrl+Alt+F4", "look(1)",
        "https://a.org/b_(c)?d=e&f", "me@a-b.org", "/etc/fstab", "~/.config", "C:\\a\\b", "AF_UNIX", "a=b", "--x=y",
        "argv[]", "x->y", "f(a,b)", "a::b", "std::string", "#include", "@deprecated", "a|b", "k:v", "50%s", "lib%s.so",
    ]
)  # fmt: skip
WORDS = st.sampled_from(["word", "other", "well-known", "1,000", "é", "Köln"])


@st.composite
def technical_sentences(draw):
    """Words and notation as people put them into sentences."""
    pieces = draw(st.lists(st.one_of(WORDS, NOTATION), min_size=1, max_size=8))
    form = draw(st.sampled_from(["{}", "({})", '"{}"', "{}, word"]))
    at = draw(st.integers(0, len(pieces) - 1))
    pieces[at] = form.replace("{}", pieces[at])
    return " ".join(pieces) + draw(st.sampled_from(["", ".", "!", ":"]))


@given(text=technical_sentences(), lang=st.sampled_from(["en", "de", "es", "it", "cs", "hi"]))
def test_technical_text_returns(text, lang):
    """Whatever is in a line with signs that only notation has, its spacing comes back."""
    text += " x=1"
    assert Detokeniser(lang).line(Tokeniser(lang).line(text)) == text


@pytest.mark.parametrize("unit", ["%", "${", "{", "%(a", "$a.", "<a", "(", "a)", "a_", "*a* ", "/a ", '"a+"', "«a+» "])
def test_a_megabyte_on_one_line(unit):
    text = unit * ((1 << 20) // len(unit.encode()))
    line = Tokeniser("en", escape=False).line(text)
    assert "".join(line.replace("￭", "").replace("▁", "").split()) == "".join(text.split())
