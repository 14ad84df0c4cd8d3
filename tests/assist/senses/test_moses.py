"""Search graphs that Moses wrote."""

import math

import pytest
from tests.assist.senses import twins

from tolka.assist.senses import read_moses_graphs
from tolka.errors import FormatError, InputError, LimitError

# Two ways to the same hypothesis, one of which gave way; a dead end; features and parts of scores as the extended form has them.
GRAPH = """\
0 hyp=0 stack=0 forward=1 fscore=-3.0
0 hyp=1 stack=1 back=0 score=-0.5 transition=-0.5 forward=3 fscore=-1.5 covered=0-0 out=the
0 hyp=2 stack=1 back=0 score=-0.9 transition=-0.9 [ w: -1 d: 0 lm: -2.5 ] forward=4 fscore=-2 covered=0-0 out=that , pC=-0.4, c=-0.9
0 hyp=3 stack=2 back=1 score=-1.0 transition=-0.5 forward=-1 fscore=-1 covered=1-1 out=house
0 hyp=4 stack=2 back=2 score=-1.8 transition=-0.9 recombined=3 forward=-1 fscore=-2 covered=1-1 out=house
0 hyp=5 stack=2 back=0 score=-2.0 transition=-2.0 forward=-1 fscore=-2 covered=0-1 out=a home
0 hyp=6 stack=1 back=0 score=-4.0 transition=-4.0 forward=-1 fscore=-9 covered=1-1 out=building
2 hyp=0 stack=0 forward=1 fscore=0
2 hyp=1 stack=1 back=0 score=-0.1 transition=-0.1 forward=-1 fscore=0 covered=0-0 out=yes
"""


def _put(tmp_path, text):
    path = tmp_path / "search.osg"
    path.write_text(text, encoding="utf-8")
    return path


def test_graphs(tmp_path):
    path = _put(tmp_path, GRAPH)
    found = dict(read_moses_graphs(path, sources=["das Haus", "", "ja"]))
    assert sorted(found) == [0, 2]
    graph = found[0]
    assert graph.source == ("das", "Haus")
    every = {(twins.spelled(graph, path), round(twins.weight(graph, path), 6)) for path in twins.paths(graph)}
    assert every == {("the house", -1.0), ("that house", -1.8), ("a home", -2.0)}
    assert graph.best().words == "the house"
    total = sum(math.exp(score) for _, score in every)
    by_words = dict(zip([piece.words for piece in graph.pieces], graph.piece_posteriors.tolist(), strict=True))
    assert by_words["a home"] == pytest.approx(math.exp(-2.0) / total)
    assert by_words["house"] == pytest.approx((math.exp(-1.0) + math.exp(-1.8)) / total)
    assert found[2].best().words == "yes"
    # Without sources the same but for the words.
    assert [number for number, _ in read_moses_graphs(path)] == [0, 2]


FIRST, SECOND = GRAPH.splitlines()[:2]


@pytest.mark.parametrize(
    ("text", "error", "what"),
    [
        ("hello\n", FormatError, "line 1: 'hello' is no hypothesis"),
        (f"{SECOND}\n", FormatError, "line 1: sentence 0 does not begin with its empty hypothesis"),
        (f"{FIRST}\n{FIRST}\n", FormatError, "line 2: sentence 0 has two empty"),
        (f"{FIRST}\n{SECOND.replace(' back=0', '')}\n", FormatError, "line 2: hypothesis 1 has no back="),
        (f"{FIRST}\n{SECOND.replace(' out=the', '')}\n", FormatError, "line 2: hypothesis 1 has no out="),
        (f"{FIRST}\n{SECOND.replace('covered=0-0', 'covered=1-0')}\n", FormatError, "line 2: covered=1-0"),
        (f"{FIRST}\n{SECOND.replace('transition=-0.5', 'transition=nan')}\n", FormatError, "line 2: transition=nan"),
        (f"{FIRST}\n{SECOND.replace('transition=-0.5', 'transition=x')}\n", FormatError, "line 2: a field"),
        (f"{FIRST}\n{SECOND.replace('back=0', 'back=7')}\n", InputError, "line 2: hypothesis 1 leads from or to 7"),
        (f"{FIRST}\n{SECOND.replace('back=0', 'back=1')}\n", None, ""),
        (
            f"{FIRST}\n{SECOND.replace('covered=0-0', 'covered=0-4')}\n",
            InputError,
            "line 2: hypothesis 1 covers word 4",
        ),
        (f"{GRAPH}{FIRST}\n", FormatError, "line 10: the hypotheses of sentence 0 do not follow"),
    ],
)
def test_damaged_graphs(tmp_path, text, error, what):
    path = _put(tmp_path, text)
    if error is None:
        # What comes from itself comes from nowhere.
        assert list(read_moses_graphs(path)) == []
        return
    with pytest.raises(error, match=what) as caught:
        list(read_moses_graphs(path))
    assert str(path) in str(caught.value)


def test_cycles_are_refused(tmp_path):
    line = "0 hyp={} stack=1 back={} score=-1 transition=-1 forward=-1 fscore=-1 covered=0-0 out=a"
    path = _put(tmp_path, "\n".join([FIRST, line.format(1, 0), line.format(2, 1), f"{line.format(3, 2)}"]) + "\n")
    [(_, graph)] = read_moses_graphs(path)
    assert graph.best().words == "a"
    back = line.format(3, 2).replace("forward", "recombined=1 forward")
    with pytest.raises(InputError, match="cycle"):
        list(read_moses_graphs(_put(tmp_path, "\n".join([FIRST, line.format(1, 0), line.format(2, 1), back]) + "\n")))


def test_limits(tmp_path):
    path = _put(tmp_path, GRAPH)
    with pytest.raises(LimitError, match="line 4: sentence 0 has more than 2 hypotheses"):
        list(read_moses_graphs(path, most=2))
    with pytest.raises(InputError, match="this is of sentence 2"):
        list(read_moses_graphs(path, sources=["das Haus"]))
