"""Documents told from plain text."""

import gzip

import pytest

from tolka.corpus import write_pairs
from tolka.corpus.sniff import Document, sniff, sniff_file
from tolka.corpus.synthetic import Synthetic

MARKDOWN = ["# Häuser", "", "Ein **altes** Haus, siehe [hier](a.md).", "", "- ein Dach", "```", "x", "```"]


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (["<!DOCTYPE html>", "<html>"], "HTML"),
        (["", "<html lang='de'>"], "HTML"),
        (["\ufeff<?xml version='1.0'?>", "<!DOCTYPE tmx SYSTEM 'x'>", "<tmx version='1.4'>"], "TMX"),
        (["<?xml version='1.0'?><xliff version='1.2'>"], "XLIFF"),
        (["<?xml version='1.0'?>", "<!-- a -->", "<resources>"], "XML"),
        (["# Übersetzung", "#: a.c:3", 'msgid ""', 'msgstr ""'], "PO"),
        (["1", "00:00:01,000 --> 00:00:02,000", "Hallo"], "subtitles"),
    ],
)
def test_documents_by_content(lines, kind):
    assert sniff(lines) == Document(kind, sure=True)


@pytest.mark.parametrize(
    ("lines", "name", "kind"),
    [
        (["<p>Ein Haus</p>"], "a.html.gz", "HTML"),
        (["Ein **altes** Haus"], "README.md", "Markdown"),
        (["ein Haus\ta house"], "pairs.TSV", "TSV"),
    ],
)
def test_names_need_a_mark_of_their_format(lines, name, kind):
    assert sniff(lines, name) == Document(kind, sure=True)
    assert sniff(["Ein Haus am See.", "Noch eins."], name) is None


def test_markdown_without_its_name_is_not_sure():
    assert sniff(MARKDOWN) == Document("Markdown", sure=False)
    assert sniff(["- Ja.", "- Nein, 3 * 4 * 5.", "1. Platz", "# 5 ist `frei`", "> 30 Grad", "Ein <b>Haus</b>"]) is None


def test_plain_text_is_nothing_else(tmp_path):
    for lang in ("de", "en", "fr"):
        assert sniff([one.raw[lang] for one in Synthetic(1).sample(300)], f"a.{lang}") is None
    assert sniff([]) is None
    assert sniff(['Er sagte: msgid "x"', "<b>fett</b>", "&lt;html&gt;"]) is None
    assert sniff_file(tmp_path / "none") is None
    (tmp_path / "half").write_bytes(gzip.compress(b"<html>\n" * 9)[:-5])
    assert sniff_file(tmp_path / "half") is None or sniff_file(tmp_path / "half").kind == "HTML"


@pytest.mark.parametrize(("format_", "kind"), [("tmx", "TMX"), ("po", "PO"), ("tsv", "TSV")])
def test_what_is_written_is_told(tmp_path, format_, kind):
    path = tmp_path / f"a.{format_}.xz"
    write_pairs(path, [("ein Haus", "a house")], langs=("de", "en"))
    assert sniff_file(path) == Document(kind, sure=True)
