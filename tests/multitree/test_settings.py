"""Settings are refused at once, or can be trained with."""

from __future__ import annotations

import tempfile
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import SettingsError
from tolka.multitree import SYSTEMS, MultitreeSettings, MultitreeTranslator
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

WHOLE = st.one_of(st.integers(-3, 5), st.sampled_from([16, 17, 256, 257, 2**31, 2**32, 2**40, 2**63, 10**30]))
NUMBER = st.one_of(st.floats(), st.floats(0, 1), st.floats(0, 10))
WORD = st.sampled_from(
    [
        "tree",
        "forest",
        "strict",
        "permissive",
        "permissive-pairs",
        "permissive-mean",
        "permissive-f",
        "minmerge",
        "viterbi",
        "agenda",
        "chart",
        "text",
        "boundary",
        "thesis",
        "all",
        "pairs",
        "supervisor",
        "phrases",
        "none",
        "3",
    ]
)
VALUE = st.one_of(st.none(), st.booleans(), WHOLE, NUMBER, WORD, st.tuples(WHOLE), st.tuples(WHOLE, WHOLE))


class Impatient:
    """Presses a key when the second epoch begins."""

    def task(
        self, name: str, *, total: int | None = None, unit: str = ""
    ) -> AbstractContextManager[Callable[[int], None]]:
        if name == "coordinating, 1 explored":
            raise KeyboardInterrupt
        return SILENT.task(name, total=total, unit=unit)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([SMALL, replace(SYSTEMS["best"], fewest=0)]),
    st.dictionaries(st.sampled_from([one.name for one in fields(MultitreeSettings)]), VALUE, min_size=1, max_size=2),
)
def test_what_is_not_refused_works(system: MultitreeSettings, said: dict[str, Any]) -> None:
    try:
        wanted = replace(system, **{"partitions": 1, **said})
    except SettingsError as error:
        assert error.hint  # noqa: PT017 - either is right
        return
    # These only take their time.
    assume(wanted.epochs <= 3 and wanted.partitions <= 5)
    made, trees, links = pairs(8, 1)
    translator = MultitreeTranslator(wanted, threads=1).train(made, trees, links=links, text=[["la"]])
    sources = [source for source, _ in made]
    found = translator.translate(sources, trees)
    assert len(found) == len(made)
    with tempfile.TemporaryDirectory() as directory:
        translator.save(Path(directory) / "model")
        opened = MultitreeTranslator.load(Path(directory) / "model", threads=1)
    assert opened.settings == wanted
    if wanted.time_limit is None or wanted.time_limit > 1:
        assert opened.translate(sources, trees) == found


def test_classifiers_that_too_few_examples_are_for(tmp_path: Path) -> None:
    made, trees, links = pairs(8, 1)
    # Everything is right, so that nobody can learn what is wrong.
    wanted = replace(SMALL, partitions=1, fewest=1)
    translator = MultitreeTranslator(wanted, threads=1).train(made, trees, links=links)
    assert translator.curve_[-1]["classifiers"] == 0
    translator.save(tmp_path / "model")
    sources = [source for source, _ in made]
    found = translator.translate(sources, trees)
    assert MultitreeTranslator.load(tmp_path / "model").translate(sources, trees) == found
    # Whoever goes on after the first epoch ends where it would have ended.
    train = partial(MultitreeTranslator(wanted, threads=1).train, made, trees, links=links)
    with pytest.raises(KeyboardInterrupt):
        train(checkpoint=tmp_path / "checkpoint", progress=Impatient())
    resumed = MultitreeTranslator(wanted, threads=1).train(made, trees, links=links, checkpoint=tmp_path / "checkpoint")
    assert resumed.curve_ == translator.curve_
    assert resumed.translate(sources, trees) == found
