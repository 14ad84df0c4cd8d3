"""The number of English noun phrases, ready to use: what agreement needs."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

from tolka.assist.number.model import FeatureHead
from tolka.assist.number.saved import load_model

if TYPE_CHECKING:
    from tolka.syntax import Constituent

FILE = "english.number"


@lru_cache(maxsize=1)
def english_model() -> FeatureHead:
    """The model that comes with tolka: trained on subjects of GUM; `bench/assist/number.py --save` makes it."""
    text = resources.files("tolka.assist.number").joinpath(FILE).read_text(encoding="utf-8")
    return load_model(FeatureHead, text.splitlines(), FILE)


def number(tree: Constituent) -> Literal["sing", "plur"]:
    """Whether a noun phrase takes a singular or a plural verb: "sing" or "plur".

    Tags are Penn's; function tags, -A and NPB on labels do not matter. *You* is plural, as its verbs
    are, and *I* singular: which form of *be* it takes is a matter of person.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> number(parse_penn("(NP-SBJ-A (NPB (DT a) (NN number)) (PP (IN of) (NPB-A (NNS men))))"))
        'plur'
        >>> number(parse_penn("(NP (NP (DT a) (NN list)) (PP (IN of) (NP (NNS names))))"))
        'sing'
        >>> number(parse_penn("(NP (NP (NNP John)) (CC and) (NP (NNP Mary)))"))
        'plur'
    """
    return "plur" if english_model().predict(tree) == "plur" else "sing"
