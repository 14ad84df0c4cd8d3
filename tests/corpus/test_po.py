"""Message catalogues: the syntax of gettext, what is left out, and round trips."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import Message, read_messages, read_po, write_po
from tolka.errors import FormatError, InputError, LimitError, SettingsError, TolkaError
from tolka.limits import DEFAULT

CATALOGUE = r"""# Translators' comment
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: sv\n"

#. for translators
#: src/a.c:12
#, c-format
msgid "Open %s"
msgstr "Öppna %s"

msgctxt "menu"
msgid "Open"
msgstr ""
"Öpp"
"na"

#, c-format, fuzzy
#| msgid "Close it"
msgid "Close"
msgstr "Stäng"

msgid "%d file\n"
msgid_plural "%d files\n"
msgstr[0] "%d fil\n"
msgstr[1] "%d filer\n"

msgid "Not yet"
msgstr ""

#~ msgid "Old"
#~ msgid_plural "Olds"
#~ msgstr[0] "Gammal"

msgid "Usage:\n"
"\tfoo \"bar\"\n"
msgstr "Användning:\n\tfoo \"bar\"\n"
#, fuzzy
#~ msgid "Older"
#~ msgstr "Äldre"
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "sv.po"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_catalogue(tmp_path: Path):
    pairs = read_po(write(tmp_path, CATALOGUE))
    assert list(pairs) == [
        ("Open %s", "Öppna %s"),
        ("Open", "Öppna"),
        ("%d file", "%d fil"),
        ("%d files", "%d filer"),
        ('Usage: foo "bar"', 'Användning: foo "bar"'),
    ]
    assert pairs.skipped == {"fuzzy": 1, "obsolete": 2, "untranslated": 1}
    assert pairs.langs == ("", "sv")
    assert ("Close", "Stäng") in read_po(tmp_path / "sv.po", fuzzy=True)


def test_messages_as_they_stand(tmp_path: Path):
    messages = list(read_messages(write(tmp_path, CATALOGUE)))
    assert messages[2] == Message("Open", ("Öppna",), context="menu", line=13)
    assert messages[3].flags == {"c-format", "fuzzy"}
    assert messages[4] == Message("%d file\n", ("%d fil\n", "%d filer\n"), plural="%d files\n", line=24)


def test_a_single_plural_form_translates_the_plural(tmp_path: Path):
    text = 'msgid "a file"\nmsgid_plural "%d files"\nmsgstr[0] "ファイル%d個"\n'
    assert list(read_po(write(tmp_path, text))) == [("%d files", "ファイル%d個")]


def test_escapes(tmp_path: Path):
    text = r'msgid "a\\b\"c\t\303\244\x41" "d"' + "\n" + r"""msgstr"\a\b\f\v\r\'" """ + "\n"
    assert list(read_po(write(tmp_path, text))) == [('a\\b"c\täAd', "\a\b\f\v\r'")]


def test_crlf_and_a_byte_order_mark(tmp_path: Path):
    text = '\ufeffmsgid "a"\r\nmsgstr "b"\r\n\r\nmsgid "c"\r\nmsgstr "d"'
    assert list(read_po(write(tmp_path, text))) == [("a", "b"), ("c", "d")]


def test_only_utf8(tmp_path: Path):
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\nmsgid "a"\nmsgstr "\xe4"\n'
    with pytest.raises(InputError, match="ISO-8859-1") as caught:
        list(read_po(write(tmp_path, header.encode("latin-1"))))
    assert "msgconv" in caught.value.hint
    with pytest.raises(InputError, match="not valid UTF-8"):
        list(read_po(write(tmp_path, b'msgid "a"\nmsgstr "\xe4"\n')))
    repaired = read_po(tmp_path / "sv.po", repair=True)
    assert list(repaired) == [("a", "\ufffd")]
    assert repaired.repairs == 1


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('msgid "a"\n', 1, "no msgstr"),
        ('msgid "a"\n\nmsgid "b"\nmsgstr "c"\n', 3, "msgid is out of place"),
        ('msgstr "a"\n', 1, "msgstr is out of place"),
        ('"a"\n', 1, "continues nothing"),
        ('msgid "a"\nmsgstr "b"\nmsgstr "c"\n', 3, "out of place"),
        ('msgid "a"\nmsgstr[0] "b"\n', 2, "out of place"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[1] "c"\n', 3, "out of place"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n', 3, "out of place"),
        ('msgid "a"\nmsgid_plural ""\nmsgid_plural "b"\nmsgstr[0] "c"\n', 3, "out of place"),
        ('msgid[0] "a"\n', 1, "takes no number"),
        ('msgid "a\nmsgstr "b"\n', 1, "not closed"),
        ('msgid "a" b\n', 1, "something follows"),
        ('msgid "a\\"\n', 1, "not closed"),
        ('msgid "\\q"\n', 1, "unknown"),
        ('msgid "\\0"\n', 1, "no character"),
        ('msgid "\\377"\n', 1, "not UTF-8"),
        ("Hello\n", 1, "neither"),
        ('msgctxt "a"\nmsgctxt "b"\n', 2, "out of place"),
    ],
)
def test_malformed(tmp_path: Path, text: str, line: int, what: str):
    with pytest.raises(FormatError, match=what) as caught:
        list(read_po(write(tmp_path, text)))
    assert (caught.value.path, caught.value.line) == (tmp_path / "sv.po", line)


def test_a_message_may_be_as_long_as_a_line(tmp_path: Path):
    path = write(tmp_path, 'msgid ""\n' + '"aaaaaaaaaa"\n' * 1000 + 'msgstr "b"\n')
    with pytest.raises(LimitError, match="longer than 1000"):
        list(read_po(path, limits=replace(DEFAULT, line_bytes=1000)))


def test_long_lines_take_linear_time(tmp_path: Path):
    # Each would take minutes if a pattern tried every place again.
    for text in [
        'msgid "' + "\\\\" * 500_000,
        "msgid" + " " * 1_000_000,
        'msgid "' + "\\n " * 300_000 + '"\nmsgstr "a"\n',
    ]:
        with suppress(FormatError):
            list(read_po(write(tmp_path, text)))


def test_repeated_originals_get_a_context(tmp_path: Path):
    path = tmp_path / "a.po"
    pairs = [("a", "b"), ("a", "c"), ("d", "e"), ("a", "b")]
    assert write_po(path, pairs, lang="sv") == 4
    assert list(read_po(path)) == pairs
    assert [message.context for message in read_messages(path)] == [None, None, "2", None, "3"]


def test_what_a_catalogue_cannot_hold_is_not_written(tmp_path: Path):
    for pair in [("", "a"), ("a", ""), ("a\n", "b"), ("a", "\0")]:
        with pytest.raises(InputError, match="pair 1"):
            write_po(tmp_path / "a.po", [pair])
    with pytest.raises(SettingsError, match="language code"):
        write_po(tmp_path / "a.po", [], lang='sv"\n')
    assert list(tmp_path.iterdir()) == []


LEGAL = st.text(st.characters(codec="utf-8", exclude_characters="\n\0"), min_size=1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(LEGAL, LEGAL), max_size=5), st.sampled_from(["", ".gz", ".xz", ".zst"]))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], ending: str):
    path = tmp_path_factory.mktemp("po") / f"a.po{ending}"
    assert write_po(path, pairs, lang="en") == len(pairs)
    assert list(read_po(path)) == pairs


PIECES = ['msgid "a"', 'msgstr "b"', 'msgid_plural "c"', 'msgstr[0] "d"', 'msgstr[1] ""', "#~ x", "#, fuzzy", '"e\\n"']


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=8).map("\n".join), st.binary(max_size=3))
def test_random_text_gives_pairs_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str, after: bytes):
    path = tmp_path_factory.mktemp("po") / "a.po"
    path.write_bytes(text.encode() + after)
    try:
        assert all(source and target for source, target in read_po(path))
    except TolkaError as error:
        assert error.path == path  # noqa: PT017
