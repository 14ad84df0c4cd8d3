"""Translation memories: what TMX allows, what hostile XML tries, and round trips."""

import gzip
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import read_tmx, write_tmx
from tolka.errors import FormatError, InputError, LimitError, SettingsError, TolkaError
from tolka.limits import DEFAULT

HEADER = '<header srclang="{}" datatype="plaintext" segtype="sentence" adminlang="en" o-tmf="x"/>'


def memory(*units: str, srclang: str = "*all*", before: str = '<?xml version="1.0"?>') -> str:
    return f'{before}<tmx version="1.4">{HEADER.format(srclang)}<body>{"".join(units)}</body></tmx>'


def unit(**segments: str) -> str:
    variants = (f'<tuv xml:lang="{lang.replace("_", "-")}"><seg>{text}</seg></tuv>' for lang, text in segments.items())
    return f"<tu>{''.join(variants)}</tu>"


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "memory.tmx"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(folder: Path, text: str | bytes, langs: tuple[str, str] | None = ("de", "en")) -> list[tuple[str, str]]:
    return list(read_tmx(write(folder, text), langs=langs))


def test_languages_match_by_prefix_and_case(tmp_path: Path):
    text = memory(unit(EN_gb="a", de="b"), unit(en_US="c", en="d", DE_at="e"), unit(eng="f", de="g"), unit(de="h"))
    pairs = read_tmx(write(tmp_path, text), langs=("de", "en"))
    assert list(pairs) == [("b", "a"), ("e", "d")]
    assert pairs.skipped == {"further segment in the same language": 1, "unit lacks a language": 2}
    assert read(tmp_path, text, ("de", "en-us")) == [("e", "c")]


def test_languages_are_guessed_when_there_are_two(tmp_path: Path):
    text = memory(unit(en_GB="x"), unit(en_GB="a", de="b"), unit(de_AT="c", en_US="d"), srclang="de-DE")
    pairs = read_tmx(write(tmp_path, text))
    assert list(pairs) == [("a", "b"), ("d", "c")]  # de-DE names no language of the unit
    assert pairs.langs == ("en", "de")
    assert read(tmp_path, memory(unit(en_GB="a", de_DE="b"), srclang="de"), None) == [("b", "a")]
    assert read(tmp_path, memory(unit(en_GB="a", en_US="b")), None) == [("a", "b")]
    with pytest.raises(SettingsError, match=r"de, en, fr"):
        read(tmp_path, memory(unit(de="a", en="b", fr="c")), None)


def test_the_old_lang_attribute(tmp_path: Path):
    text = '<tmx version="1.1"><header/><body><tu><tuv lang="DE"><seg>a</seg></tuv><tuv lang="EN"><seg>b</seg></tuv></tu></body></tmx>'
    assert read(tmp_path, text) == [("a", "b")]


def test_inline_elements(tmp_path: Path):
    german = 'Das <bpt i="1">&lt;b&gt;</bpt>Haus<ept i="1">&lt;/b&gt;</ept> <ph>{0}<sub>Titel</sub></ph>am <hi>See</hi><it pos="end">x</it><g>!</g>'
    pairs = read_tmx(write(tmp_path, memory(unit(de=german, en="x"))), langs=("de", "en"))
    assert list(pairs) == [("Das Haus am See!", "x")]
    assert pairs.skipped == {"inline code": 4, "unknown inline tag (its text is kept)": 1}


def test_wrapped_segments_are_brought_onto_one_line(tmp_path: Path):
    text = memory(unit(de="\r\n  ein  Haus \r\n\t am See\n", en=" a\thouse&#10;by&#13;the lake "))
    assert read(tmp_path, text) == [("ein  Haus am See", " a\thouse by\rthe lake ")]


def test_empty_segments_are_texts(tmp_path: Path):
    assert read(tmp_path, memory(unit(de="", en="a"), "<tu/>")) == [("", "a")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings(tmp_path: Path, encoding: str):
    declared = encoding.replace("-sig", "")
    text = memory(unit(de="Häuser", en="houses"), before=f'<?xml version="1.0" encoding="{declared}"?>')
    assert read(tmp_path, text.encode(encoding)) == [("Häuser", "houses")]


def test_a_doctype_is_tolerated_and_never_fetched(tmp_path: Path):
    before = '<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">'
    assert read(tmp_path, memory(unit(de="a &lt; b", en="c"), before=before)) == [("a < b", "c")]


LAUGHS = (
    '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>'
)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (LAUGHS, "&c;"),
        ('<!DOCTYPE tmx [<!ENTITY secret SYSTEM "file:///etc/passwd">]>', "&secret;"),
        ('<!DOCTYPE tmx [<!ENTITY % remote SYSTEM "http://localhost/x.dtd"> %remote;]>', "a"),
        ('<!DOCTYPE tmx SYSTEM "tmx14.dtd">', "&unknown;"),
    ],
    ids=["billion-laughs", "external-entity", "parameter-entity", "undeclared-entity"],
)
def test_entities_are_refused(tmp_path: Path, before: str, text: str):
    with pytest.raises(FormatError, match="entity"):
        read(tmp_path, memory(unit(de=text, en="b"), before=before))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "ends too early"),
        ("<html></html>", "root element is <html>"),
        (memory(unit(de="a", en="b"))[:-20], "ends too early"),
        (memory("<tu><tuv xml:lang='de'><seg>a</tuv></seg></tu>"), "mismatched tag"),
        (memory("<tu><tuv><seg>a</seg></tuv></tu>"), "does not say its language"),
        (memory("<tu><seg>a</seg></tu>"), "<seg> is out of place"),
        (memory(unit(de="a<seg>b</seg>", en="c")), "<seg> is out of place"),
        (memory(f"<tu>{unit(de='a', en='b')}</tu>"), "<tu> is out of place"),
        (memory(unit(de="a\x01", en="b")), "not well-formed"),
        (memory(unit(de="<hi>" * 200, en="b")), "nested"),
        (b"<tmx><body>\xff", "not well-formed"),
    ],
)
def test_malformed(tmp_path: Path, text: str | bytes, what: str):
    with pytest.raises(FormatError, match=what) as caught:
        read(tmp_path, text)
    assert caught.value.line is not None


def test_limits(tmp_path: Path):
    small = replace(DEFAULT, line_bytes=1000)
    for text in [
        memory(unit(de="a" * 1001, en="b")),
        memory("<tu>" + "<tuv xml:lang='x'><seg>aaaaaaaaaa</seg></tuv>" * 10_000 + "</tu>"),
        f"<!--{'a' * 1_000_000}--><tmx/>",
    ]:
        with pytest.raises(LimitError):
            list(read_tmx(write(tmp_path, text), langs=("de", "en"), limits=small))


def test_memory_does_not_grow_with_the_file(tmp_path: Path):
    path = tmp_path / "memory.tmx.gz"
    count = 30_000
    path.write_bytes(gzip.compress(memory(*[unit(de="ein Haus am See " * 5, en="a house")] * count).encode()))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_tmx(path, langs=("de", "en"))) == count
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_the_same_language_twice_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="both"):
        read_tmx(write(tmp_path, memory()), langs=("de", "DE"))
    with pytest.raises(SettingsError, match="both"):
        write_tmx(tmp_path / "a.tmx", [], langs=("de", "DE"))
    with pytest.raises(SettingsError, match="language code"):
        write_tmx(tmp_path / "a.tmx", [], langs=("de", 'en"'))


@pytest.mark.parametrize("text", ["a\nb", "a\x00", "a\x0b", "a\x1f", "a\ud800", "a\uffff"])
def test_what_xml_cannot_hold_is_not_written(tmp_path: Path, text: str):
    with pytest.raises(InputError, match="pair 2"):
        write_tmx(tmp_path / "a.tmx", [("a", "b"), ("c", text)], langs=("de", "en"))
    assert list(tmp_path.iterdir()) == []


LEGAL = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]).filter(lambda c: c >= " " or c in "\t\r")
).filter(lambda text: not {"\ufffe", "\uffff"} & set(text))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(LEGAL, LEGAL), max_size=5), st.sampled_from(["", ".gz", ".xz", ".zst"]))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], ending: str):
    path = tmp_path_factory.mktemp("tmx") / f"a.tmx{ending}"
    assert write_tmx(path, pairs, langs=("de", "en-GB")) == len(pairs)
    assert list(read_tmx(path, langs=("de", "en"))) == pairs
    assert list(read_tmx(path, langs=("en", "de"))) == [(target, source) for source, target in pairs]


@settings(deadline=None)
@given(st.data())
def test_random_damage_gives_pairs_or_an_error(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    good = memory(unit(de="a <ph>x</ph>&amp;", en="b"), unit(de="ü", en="\n c")).encode()
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(good))] * 2)))
    damaged = good[:start] + data.draw(st.binary(max_size=6) | st.sampled_from([b"<seg>", b"</tu>"])) + good[end:]
    path = tmp_path_factory.mktemp("tmx") / "a.tmx"
    path.write_bytes(damaged)
    try:
        assert all(len(pair) == 2 for pair in read_tmx(path, langs=("de", "en")))
    except TolkaError as error:
        assert error.path == path  # noqa: PT017
