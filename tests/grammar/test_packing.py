"""How tables are stored, against a plain reading of their bytes."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.grammar import naive_table
from tests.grammar.test_extract import bitexts, extract

from tolka.errors import FormatError, InputError
from tolka.files import Container, write_container
from tolka.grammar import Extractor, Grammar, export_grammar, filter_grammar, import_grammar

if TYPE_CHECKING:
    from tests.grammar.naive import Pair


def listed(grammar: Grammar) -> list[naive_table.Read]:
    return [
        (r.lhs, r.source, r.target, list(r.features.values()), [tuple(link) for link in r.links], list(r.counts))
        for r in grammar
    ]


@settings(max_examples=40, deadline=None)
@given(bitexts(), st.sampled_from(["hiero", "phrase"]), st.booleans(), st.booleans())
def test_tables_hold_what_their_bytes_say(pairs: list[Pair], kind: str, exact: bool, indicators: bool) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "rules.tbl"
        try:
            grammar = extract(pairs, path, kind=kind, exact=exact, indicators=indicators)
        except InputError as error:
            # Links that tie a long sentence together leave none.
            assert "no rule is left" in str(error)  # noqa: PT017 - any other error is one
            reject()
        assert listed(grammar) == naive_table.rules(path)


def text(pairs: int, seed: int = 1) -> tuple[list[str], list[str], list[str]]:
    """Sentences of frequent and rare words, each linked to a translation of its own."""
    chance = random.Random(seed)  # noqa: S311 - the same text each time
    lines = [[int(chance.paretovariate(0.7)) % 200 for _ in range(chance.randint(2, 9))] for _ in range(pairs)]
    source = [" ".join(f"s{word}" for word in line) for line in lines]
    target = [" ".join(f"t{word // chance.choice([1, 1, 2])}" for word in line) for line in lines]
    return source, target, [" ".join(f"{at}-{at}" for at in range(len(line))) for line in lines]


def test_quantised_features_are_the_nearest_of_few(tmp_path: Path) -> None:
    exact = Extractor("phrase", exact=True).extract(*text(600), tmp_path / "exact.tbl")
    near = Extractor("phrase").extract(*text(600), tmp_path / "near.tbl")
    assert (tmp_path / "near.tbl").stat().st_size < 0.9 * (tmp_path / "exact.tbl").stat().st_size
    assert listed(near) == naive_table.rules(tmp_path / "near.tbl")
    pairs = list(zip(exact, near, strict=True))
    assert [(r.source, r.target, r.links) for r in exact] == [(r.source, r.target, r.links) for r in near]
    for name in exact.feature_names:
        stored = sorted({rule.features[name] for rule in near})
        assert len(stored) <= 256
        for wanted, found in ((one.features[name], two.features[name]) for one, two in pairs):
            nearest = min(abs(value - wanted) for value in stored)
            # Values that agree in nine bits of their fraction are taken for one.
            assert abs(found - wanted) <= nearest + abs(wanted) / 256
            assert abs(found - wanted) < 0.06


def test_copies_of_a_quantised_table_lose_no_more(tmp_path: Path) -> None:
    source, target, links = text(300)
    grammar = Extractor("hiero").extract(source, target, links, tmp_path / "rules.tbl")
    small = filter_grammar(grammar, source, tmp_path / "small.tbl")
    assert listed(small) == listed(grammar)
    export_grammar(grammar, tmp_path / "rules.cdec", format="cdec")
    again = import_grammar(tmp_path / "rules.cdec", tmp_path / "again.tbl")
    assert {(r.source, r.target): r.features for r in again} == {(r.source, r.target): r.features for r in grammar}


def test_imported_features_are_quantised_on_demand(tmp_path: Path) -> None:
    exact = Extractor("hiero", exact=True).extract(*text(600), tmp_path / "rules.tbl")
    export_grammar(exact, tmp_path / "rules.cdec", format="cdec")
    import_grammar(tmp_path / "rules.cdec", tmp_path / "same.tbl")
    near = import_grammar(tmp_path / "rules.cdec", tmp_path / "near.tbl", exact=False)
    assert (tmp_path / "near.tbl").stat().st_size < (tmp_path / "same.tbl").stat().st_size
    assert len({rule.features["lex_ef"] for rule in near}) <= 256


def test_threads_and_memory_do_not_change_a_byte(tmp_path: Path) -> None:
    made = []
    for number, (threads, memory) in enumerate([(1, 2 << 30), (2, 2 << 30), (2, 1 << 16)]):
        path = tmp_path / f"{number}.tbl"
        Extractor("phrase", threads=threads, memory=memory).extract(*text(400), path)
        made.append(path.read_bytes())
    assert made[0] == made[1] == made[2]


def test_a_table_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    write_container(tmp_path / "old.tbl", "grammar", {"features": b"one"}, version=1)
    with pytest.raises(FormatError, match=r"version 1.*tolka train"):
        Grammar.load(tmp_path / "old.tbl")


def test_damage_is_told_even_without_being_asked(tmp_path: Path) -> None:
    Extractor("phrase").extract(*text(50), tmp_path / "rules.tbl")
    data = bytearray((tmp_path / "rules.tbl").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "rules.tbl").write_bytes(data)
    with pytest.raises(FormatError, match="checksum"):
        Grammar.load(tmp_path / "rules.tbl")


def test_a_table_whose_parts_do_not_fit_is_refused(tmp_path: Path) -> None:
    Extractor("phrase").extract(*text(50), tmp_path / "rules.tbl")
    file = Container.open(tmp_path / "rules.tbl")
    sections = {section.name: file.array(section.name) for section in file.sections}
    for name in ("nodes", "places", "feature-rows", "feature-lists", "feature-values", "count-rows"):
        broken = {**sections, name: sections[name][:-1]}
        write_container(tmp_path / "broken.tbl", "grammar", broken, version=2)
        with pytest.raises(FormatError, match="not valid"):
            Grammar.load(tmp_path / "broken.tbl")
    broken = {**sections, "sides": sections["sides"][:-1]}
    write_container(tmp_path / "broken.tbl", "grammar", broken, version=2)
    assert len(Grammar.load(tmp_path / "broken.tbl"))
    with pytest.raises(FormatError, match="cannot be read"):
        Grammar.load(tmp_path / "broken.tbl", verify=True)
