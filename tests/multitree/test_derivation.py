"""How translations came about, put together from their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import FormatError, InputError
from tolka.multitree import MultitreeTranslator
from tolka.multitree.derivation import TreeDerivation
from tolka.multitree.translation import TreeTranslation
from tolka.syntax import parse_penn

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = tuple[str, tuple[int, int], tuple[int, int], float]
WORDS = ("the", "red", "house")
LEAVES: list[Step] = [
    ("bilingual", (0, 1), (0, 1), 0.1),
    ("bilingual", (1, 2), (2, 3), 0.2),
    ("bilingual", (2, 3), (1, 2), 0.3),
]
JOINS: list[Step] = [("monotonic", (0, 3), (0, 3), 0.5), ("inverted", (1, 3), (1, 3), 0.4)]


def found(steps: Sequence[Step], *, complete: bool = True) -> TreeTranslation:
    costs = tuple(sorted((step[3] for step in steps), reverse=True))
    return TreeTranslation(("la", "maison", "rouge"), tuple(steps), costs, complete, limited=False, scored=9)


def test_steps_make_a_tree() -> None:
    tree = parse_penn("(NP (DT the) (JJ red) (NN house))")
    fuse: Step = ("target fuse", (0, 0), (1, 3), 0.7)
    told = TreeDerivation.of(WORDS, found([fuse, *JOINS, *LEAVES]), tree)
    assert str(told.pair.trees[0]) == "(NP [DT the | la] <NN* [JJ red | rouge] [NN house | maison]>)"
    assert told.complete
    assert told.costs[(1, 3), (1, 3)] == 0.4
    assert told.worst() == "target fuse maison rouge, 0.7000"
    text = told.text()
    assert "phrases of several words cost 0.7000 in 1 steps" in text
    assert "costs, worst first: 0.7000 0.5000 0.4000 0.3000 0.2000 0.1000" in text
    assert told.to_dict()["worst"] == 0
    assert told.draw("why").startswith("<svg")


def test_two_derivations() -> None:
    one = TreeDerivation.of(WORDS, found([*JOINS, *LEAVES]))
    other = TreeDerivation.of(WORDS, found([(kind, *spans, cost / 2) for kind, *spans, cost in (*JOINS, *LEAVES)]))  # type: ignore[arg-type]
    compared = one.beside(other, ("dear", "cheap"))
    assert compared.minmerge == compared.viterbi == 1
    apart = TreeDerivation.of(WORDS, found(LEAVES, complete=False))
    with pytest.raises(InputError, match="no tree over the whole sentence"):
        one.beside(apart)


def test_trees_side_by_side() -> None:
    told = TreeDerivation.of(WORDS, found([JOINS[1], *LEAVES], complete=False))
    assert len(told.pair.trees) == 2
    assert not told.complete
    assert "no tree covers the sentence: there are 2 side by side" in told.text()
    assert told.draw().startswith("<svg")
    nothing = TreeDerivation.of((), TreeTranslation((), (), (), complete=True, limited=False, scored=0))
    assert nothing.worst() == "none"
    assert nothing.to_dict()["worst"] is None
    assert nothing.draw().startswith("<svg")


@pytest.mark.parametrize(
    "steps",
    [
        JOINS,
        [*JOINS, *LEAVES[:2]],
        [*LEAVES, ("monotonic", (1, 3), (1, 3), 0.4)],
        [*LEAVES, ("inverted", (1, 3), (0, 3), 0.4)],
        [*LEAVES, ("bilingual", (2, 3), (2, 3), 0.4)],
        [("bilingual", (0, 4), (0, 1), 0.4)],
    ],
)
def test_steps_that_make_no_tree(steps: list[Step]) -> None:
    with pytest.raises(FormatError, match="the steps of a translation"):
        TreeDerivation.of(WORDS, found(steps))


def test_real_translations() -> None:
    made, trees, links = pairs(40, 1)
    translator = MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links)
    new, new_trees, _ = pairs(20, 2)
    sentences = [source for source, _ in new]
    for words, one, tree in zip(sentences, translator.translate(sentences, new_trees), new_trees, strict=True):
        told = TreeDerivation.of(words, one, tree)
        assert told.pair.source == tuple(words)
        assert told.pair.target == one.words
        assert told.complete
        assert len(told.costs) == sum(step[0] in ("bilingual", "monotonic", "inverted") for step in one.steps)
    # Where there is no time, what was found in it stands side by side.
    translator._native.set({**translator.settings.search(), "time_limit": 1e-7})
    for words, one in zip(sentences, translator.translate(sentences), strict=True):
        told = TreeDerivation.of(words, one)
        assert told.pair.target == one.words
        assert told.text()
    # The clock is read now and then only, so that short sentences may be done before.
    long = sentences[0] * 20
    (one,) = translator.translate([long])
    assert one.limited
    assert "a limit of time or inferences ended the search" in TreeDerivation.of(long, one).text()
