# ruff: noqa: RUF001
import importlib.util
import random
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesTokenizer
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.corpus import Detokeniser, Tokeniser
from tolka.errors import SettingsError

spec = importlib.util.spec_from_file_location("naive_tokenise", Path(__file__).with_name("naive_tokenise.py"))
naive = importlib.util.module_from_spec(spec)
spec.loader.exec_module(naive)

LANGS = ["en", "de", "fr", "es", "it", "cs", "hi", "ca", "yo"]
# As Moses cuts; text that is not words is tested in test_notation.py.
TOKENISERS = {lang: Tokeniser(lang, escape=False, notation=False) for lang in LANGS}
ABBREVIATIONS = {lang: tuple(map(set, TOKENISERS[lang].abbreviations)) for lang in LANGS}

GOLDEN = {
    "en": [
        ("Don't stop; it's 'so' good.", "Don 't stop ; it 's ' so ' good ."),
        ("Mr. and Mrs. Smith met Dr. No. He said no.", "Mr. and Mrs. Smith met Dr. No . He said no ."),
        ("See No. 5, pp. 3-7 of the U.S. Code.", "See No. 5 , pp. 3-7 of the U.S. Code ."),
        ("In the 1990's, 1,234,567.89 people (5%) left...", "In the 1990 's , 1,234,567.89 people ( 5 % ) left ..."),
        ("It ended. but not here.", "It ended. but not here ."),
        ("a,b 5,b a,5", "a , b 5 , b a , 5"),
        ("well-known--yes `so`", "well-known--yes `so`"),
    ],
    "de": [
        ("„Geht's Ihnen gut?“, fragte Prof. Müller.", "„ Geht ' s Ihnen gut ? “ , fragte Prof. Müller ."),
        ("Am 3. Oktober kamen ca. 1.000 Leute z.B. um 5.", "Am 3. Oktober kamen ca. 1.000 Leute z.B. um 5 ."),
    ],
    "fr": [
        ("L'homme qu'on voit : « M. Dupont » !", "L' homme qu' on voit : « M. Dupont » !"),
        ("Aujourd'hui, 3,5 % d'entre eux.", "Aujourd' hui , 3,5 % d' entre eux ."),
    ],
    "es": [("¿El Sr. Pérez? ¡Sí!", "¿ El Sr. Pérez ? ¡ Sí !")],
    "it": [("L'arte dell'On. Rossi, un po' d'acqua.", "L' arte dell' On. Rossi , un po ' d' acqua .")],
    "cs": [("Ing. Novák přišel 3. ledna, tzv. pátek.", "Ing. Novák přišel 3. ledna , tzv. pátek .")],
    "hi": [("डॉ. राम ने कहा, “हिन्दी है।”", "डॉ. राम ने कहा , “ हिन्दी है । ”"), ("क्‍ष ७,८", "क्‍ष ७,८")],
    "ca": [("L'home de Barcelona.", "L' home de Barcelona .")],
    "yo": [("Ọ̀gbẹ́ni Dr. Adé, wá!", "Ọ̀gbẹ́ni Dr. Adé , wá !")],
}
HOSTILE = [
    ("", ""),
    ("   \t\u00a0\u2003", ""),
    ("a\x00b\x07c\x7fd\x9fe", "abcde"),
    ("a\u2028b\x85c\u200bd\u3000e\x1cf", "a b c d e f"),
    ("\u0301", "\u0301"),
    (" \u0301 \u0301a", "\u0301 \u0301a"),
    ("\u202eabc\u202c.", "\u202eabc\u202c ."),
    ("👩\u200d👩\u200d👧\u200d👦👍🏽❤\ufe0f🇨🇿🇩🇪🇫", "👩\u200d👩\u200d👧\u200d👦 👍🏽 ❤\ufe0f 🇨🇿 🇩🇪 🇫"),
    ("a ||| b", "a | | | b"),
    ("[X][Y,1]", "[ X ] [ Y , 1 ]"),
    ("...", "..."),
    (". . ..", ". . .."),
    ("'''", "' ' '"),
]


@pytest.mark.parametrize(
    ("lang", "text", "tokens"), [(lang, *pair) for lang, pairs in GOLDEN.items() for pair in pairs]
)
def test_golden(lang, text, tokens):
    assert TOKENISERS[lang].line(text) == tokens
    assert TOKENISERS[lang].tokenise(text) == tokens.split()
    assert naive.tokenise(text, lang, *ABBREVIATIONS[lang]) == tokens.split()


@pytest.mark.parametrize(("text", "tokens"), HOSTILE)
def test_hostile(text, tokens):
    assert TOKENISERS["de"].line(text) == tokens
    assert TOKENISERS["de"].tokenise(text) == (tokens.split(" ") if tokens else [])


@pytest.mark.parametrize("lang", ["en", "de", "fr", "es", "it", "cs", "hi"])
def test_agrees_with_sacremoses_where_texts_are_plain(lang):
    peer = MosesTokenizer(lang)
    texts = [
        'He said: "Yes (no)", 5,000 & <b> | [x].',
        "One b.c three... four - five–six.",
        "Bach; x/y @ 3.14 #1? l'eau, don't; the '90 ones: dogs' tails a,b 5,b ¿no? «so»",
        "यह 1,000 हिन्दी है, “हाँ”।",
        "It ended. but not here. Now it did.",
    ]
    for text in texts:
        assert TOKENISERS[lang].tokenise(text) == peer.tokenize(text, escape=False), text
        assert Tokeniser(lang, notation=False).line(text) == peer.tokenize(text, escape=True, return_str=True)


def known(c):
    # Classes change with Unicode versions only for characters that were unassigned.
    return unicodedata.category(c) not in {"Cn", "Co"}


ALPHABET = st.one_of(
    st.sampled_from("aAbzs.,'-` 195\u0301\u200d\u200f\u0915\u093f\u094d’“\"()|[]&<é\u00a0\t\x00🇨👩🏽²Ⅻ।/%$"),
    st.characters(codec="utf-8").filter(known),
)
TEXTS = st.lists(
    st.one_of(ALPHABET, st.sampled_from(["Mr.", "No.", "z.B.", "...", "it's", "l'eau", " 3. ", "1,000", "डॉ."]))
).map("".join)


@given(text=TEXTS, lang=st.sampled_from(LANGS))
def test_native_is_the_naive_tokeniser(text, lang):
    expected = naive.tokenise(text, lang, *ABBREVIATIONS[lang])
    assert TOKENISERS[lang].tokenise(text) == expected
    assert Tokeniser(lang, notation=False).tokenise(text) == [naive.escape(token) for token in expected]


PIECES = st.one_of(
    st.sampled_from([*"\"'’„“”‚‘«»‹›()[]{}<>,.;:!?…%/_\\^=|@#~*&+°™²½–—−-€$।", "...", "@-@", "&amp;", "&apos;", "&"]),
    st.sampled_from(["a", "A", "B.", "s", "d", "po", "word", "dogs", "US", "GTK", "n", "C", "etc", "5", "60s", "98"]),
    st.sampled_from(["'s", "l'", "-foo", ".5", "-5", "é", "हिन्दी", "\u0301", ",\u200f", "🇨🇿", "Ⅻ", "ß", "://"]),
    st.sampled_from(["￭+￭", "▁/▁", "￭(", "￭", "▁", "a￭", "￭￭", "▁￭a"]),
    st.text(ALPHABET, min_size=1, max_size=3),
)


@given(tokens=st.lists(PIECES, max_size=12), lang=st.sampled_from(LANGS))
def test_native_is_the_naive_detokeniser(tokens, lang):
    line = " ".join(tokens)
    tokens = [token for token in naive.re.split("[ \t\n\r\f]+", line) if token]
    assert Detokeniser(lang).line(line) == naive.Detokeniser(lang).detokenise(tokens)
    assert Detokeniser(lang).detokenise(tokens) == Detokeniser(lang).line(line)


SOME_WORDS = {
    "en": "the old man saw a well-known dog and Mary's cat in New York yesterday 1,000 times but it didn't bark",
    "de": "der alte Mann sah einen Hund und die Katze in Köln gestern 1.000 mal aber nicht den Vogel",
    "fr": "le vieil homme n'a pas vu l'arbre d'un parc à Paris hier mais 1000 fois aujourd'hui",
    "es": "el viejo vio un perro y una gata en Sevilla ayer 1.000 veces pero no al ave",
    "it": "il vecchio vide un cane e l'albero dell'uomo a Roma ieri 1.000 volte ma non il gatto",
    "cs": "starý muž viděl psa a kočku v Praze včera tisíckrát ale ne ptáka",
    "hi": "बूढ़े आदमी ने कल दिल्ली में एक कुत्ता और बिल्ली देखी",
}
WORDS = {lang: words.split() for lang, words in SOME_WORDS.items()}
QUOTES = {"de": "„“", "cs": "„“", "fr": "«»", "es": "«»", "it": "«»", "en": "“”", "hi": "“”"}


@st.composite
def ordinary_sentences(draw):
    """Clauses of ordinary words, joined, bracketed, quoted and ended as the language does."""
    lang = draw(st.sampled_from(sorted(WORDS)))
    space = " " if lang == "fr" else ""

    def clause():
        words = draw(st.lists(st.sampled_from(WORDS[lang]), min_size=1, max_size=6))
        text = " ".join(words)
        form = draw(st.sampled_from(["plain", "plain", "brackets", "straight", "curly", "percent", "dots", "time"]))
        opening, closing = QUOTES[lang]
        return {
            "plain": text,
            "brackets": f"{text} ({WORDS[lang][0]} {words[-1]})",
            "straight": f'"{text}"',
            "curly": f"{opening}{space}{text}{space}{closing}",
            "percent": f"{text} 5{' ' if lang in {'de', 'fr', 'cs'} else ''}%",
            "dots": f"{text}...",
            "time": f"{text} 12:30",
        }[form]

    text = clause()
    for _ in range(draw(st.integers(0, 3))):
        text += draw(st.sampled_from([", ", f"{space}; ", f"{space}: ", " - ", " – "])) + clause()
    end = draw(st.sampled_from(["?", "!", "।" if lang == "hi" else "."]))
    return lang, text + (space if end in "?!" else "") + end


@given(ordinary_sentences())
def test_ordinary_text_returns(case):
    lang, text = case
    text = text.replace("....", "...")
    # Between digits, where tokens do not tell, a colon is taken for a time and a dash for a range.
    expected = re.sub(r"(?<=\d) ?: (?=\d)", ":", re.sub(r"(?<=\d) – (?=\d)", "–", text))
    assert Detokeniser(lang).line(Tokeniser(lang).line(text)) == expected
    assert Detokeniser(lang).line(Tokeniser(lang, escape=False).line(text)) == expected


@pytest.mark.parametrize("lang", LANGS)
def test_tokenised_text_stays_as_it_is(lang):
    # Holds where no apostrophe or period is left glued by what stood around it.
    text = 'Er sah 1,000 Hunde ( und "Katzen" ) ... Sie auch ?'
    once = TOKENISERS[lang].line(text)
    assert TOKENISERS[lang].line(once) == once


@pytest.mark.parametrize(
    "unit", ["a", ".", "a.", ",", "'", "a'", "1,", "a@", "a.@", "www.", "1:", "\u0301", "👩\u200d", "|||"]
)
def test_a_megabyte_on_one_line(unit):
    text = unit * ((1 << 20) // len(unit.encode()))
    tokeniser = Tokeniser("en", protect=True)
    joined = Detokeniser("en").line(tokeniser.line(text))
    assert "".join(joined.split()) == text


def test_threads_and_order():
    chance = random.Random(3)  # noqa: S311
    lines = [" ".join(chance.choices(WORDS["en"], k=8)) + "." for _ in range(3000)]
    for tool in (Tokeniser("en"), Detokeniser("en")):
        expected = [tool.line(line) for line in lines]
        assert all(tool.lines(lines, threads=threads) == expected for threads in (0, 1, 3))
    assert Tokeniser("en").lines([]) == []


def test_protect():
    tokeniser = Tokeniser("en", escape=False, protect=True)
    text = "At 12:30 (1/2) mail me.too@a-b.org, see https://a.org/b?c=d&e=f."
    assert tokeniser.line(text) == "At 12:30 ( 1/2 ) mail me.too@a-b.org , see https://a.org/b?c=d&e=f ."


def test_extra_abbreviations():
    assert Tokeniser("yo", abbreviations=["Ogb"]).line("Ogb. Ade.") == "Ogb. Ade ."
    assert "Ogb" in Tokeniser("yo", abbreviations=["Ogb"]).abbreviations[0]
    for word in ["", "Mr.", "two words"]:
        with pytest.raises(SettingsError, match="abbreviation"):
            Tokeniser("yo", abbreviations=[word])


@pytest.mark.parametrize("lang", ["", "e", "english", "d3", "de fr", "../de", "de-"])
def test_ill_formed_codes(lang):
    with pytest.raises(SettingsError, match="language code"):
        Tokeniser(lang)
    with pytest.raises(SettingsError, match="language code"):
        Detokeniser(lang)


def test_codes_with_script_and_region():
    assert Tokeniser("fra_Latn").line("l'eau") == Tokeniser("fr-CA").line("l'eau") == "l&apos; eau"


def test_threads_must_not_be_negative():
    with pytest.raises(SettingsError, match="threads"):
        Tokeniser("en").lines(["a"], threads=-1)


def test_repr():
    assert repr(Tokeniser("en")) == "Tokeniser('en', escape=True, protect=False, notation=True)"
    assert repr(Detokeniser("en")) == "Detokeniser('en')"


def tolka(*arguments, data):
    return subprocess.run([sys.executable, "-m", "tolka", *arguments], input=data, capture_output=True, check=False)


def test_command_line_there_and_back():
    raw = "Er sagt: „Geht's?“\r\n\nEin\u2028Haus [X]\n".encode()
    tokens = tolka("tokenise", "--lang", "de", data=raw)
    assert (tokens.returncode, tokens.stderr) == (0, b"")
    assert tokens.stdout.decode() == "Er sagt : „ Geht &apos; s ? “\n\nEin Haus &#91; X &#93;\n"
    back = tolka("detokenise", "--lang", "de", "--threads", "1", data=tokens.stdout)
    assert back.stdout.decode() == "Er sagt: „Geht's?“\n\nEin Haus [X]\n"


def test_command_line_files_and_options(tmp_path):
    (tmp_path / "a.en").write_text("It's a|b at 12:30.\n", encoding="utf-8")
    (tmp_path / "b.en").write_text("Yes.", encoding="utf-8")
    files = [str(tmp_path / "a.en"), str(tmp_path / "b.en")]
    result = CliRunner().invoke(app, ["tokenise", "-l", "en", "--no-escape", "--protect", "--quiet", *files])
    assert (result.exit_code, result.stdout) == (0, "It 's a ￭|￭ b at 12:30 .\nYes .\n")
    result = CliRunner().invoke(app, ["tokenise", "-l", "en", "--no-escape", "--no-notation", "--quiet", *files])
    assert (result.exit_code, result.stdout) == (0, "It 's a | b at 12 : 30 .\nYes .\n")


def test_command_line_mistakes():
    bad = tolka("tokenise", "--lang", "de", data=b"gut\nschl\xffcht\n")
    assert bad.returncode == 1
    assert b"line 2, byte 5" in bad.stderr
    assert b"Traceback" not in bad.stderr
    assert tolka("tokenise", "--lang", "deutsch", data=b"").returncode == 2
    assert tolka("detokenise", data=b"").returncode == 2
