"""No damage to a saved file does more harm than an error; what the engine reads by itself is tested and fuzzed there."""

import random
import shutil

import pytest

from tolka.align import Aligner
from tolka.corpus import Subwords
from tolka.decode import Decoder
from tolka.errors import InternalError, TolkaError
from tolka.forest import read_forests, write_forests
from tolka.grammar import Extractor
from tolka.reorder import create, load
from tolka.rerank import read_nbest
from tolka.syntax import synthetic_treebank
from tolka.tune import read_weights, write_weights

TRIALS = 80
SOURCE = ["das haus ist klein", "das kleine haus", "ein haus"]
TARGET = ["the house is small", "the small house", "a house"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1"]
LISTS = """\
0 ||| the house ||| lm= -1.5 tm= 0.25 -2 ||| -3.25 ||| 0-0 1-1
0 ||| a house ||| lm= -2.5 tm= 0.5 -2 ||| -4.25 ||| 0-0 1-1
1 ||| small ||| lm= -0.5 tm= 0.75 -1 ||| -1.25 ||| 0-0
"""


def _saved_forests(place):
    grammar = Extractor("hiero").extract(SOURCE, TARGET, LINKS, place.parent / "grammar.tbl")
    write_forests(place, Decoder(grammar).forest(SOURCE))


def _use_forests(place):
    for forest in read_forests(place):
        list(forest.kbest(5))
        forest.inside()
        forest.posteriors()
        forest.to_json()


def _use_aligner(place):
    aligner = Aligner.load(place, threads=1)
    aligner.align(zip(SOURCE, TARGET, strict=True))
    aligner.probability("haus", "house")


def _saved_subwords(place):
    Subwords(size=30).train(SOURCE * 20).save(place)


def _use_subwords(place):
    subwords = Subwords.load(place)
    subwords.decode(subwords.encode(SOURCE[0]))
    subwords.decode_ids(subwords.encode_ids(SOURCE[1]))


def _saved_walker(place):
    text = synthetic_treebank(1, 30)
    create("walker", bits=8, cost=0.1, epochs=1).train(text.trees, text.orders).save(place)


def _use_walker(place):
    load(place).orders(synthetic_treebank(1, 5, start=50).trees)


KINDS = {
    "forests": (_saved_forests, _use_forests),
    "lists": (lambda place: place.write_text(LISTS), lambda place: list(read_nbest(place))),
    "weights": (lambda place: write_weights(place, {"lm": 0.5, "glue": -1.25, "tm": 2.0}), read_weights),
    "aligner": (
        lambda place: Aligner(model="hmm", threads=1).train(zip(SOURCE, TARGET, strict=True)).save(place),
        _use_aligner,
    ),
    "subwords": (_saved_subwords, _use_subwords),
    "walker": (_saved_walker, _use_walker),
}


def _answers(use, place):
    try:
        use(place)
    except InternalError:
        raise
    except TolkaError:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_an_error_or_an_answer(damage, tmp_path, kind):
    save, use = KINDS[kind]
    whole = tmp_path / "whole"
    save(whole)
    assert _answers(use, whole)
    answered = 0
    for seed in range(TRIALS):
        draw = random.Random(seed)  # noqa: S311 - a test needs no secrets
        place = tmp_path / "damaged"
        if whole.is_dir():
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(whole, place)
            damage(draw.choice(sorted(place.iterdir())), draw)
        else:
            shutil.copyfile(whole, place)
            damage(place, draw)
        answered += _answers(use, place)
    # Else nothing behind the checks was reached.
    assert 0 < answered < TRIALS
