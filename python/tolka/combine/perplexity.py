"""How well language models of several domains fit a text."""

from __future__ import annotations

import math
import re
from os import PathLike
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tolka.lm import LanguageModel

_WORDS = re.compile(r"\S+", re.ASCII)


def comparable_perplexities(
    models: Mapping[str, LanguageModel], text: Iterable[str] | PathLike[str], *, threads: int = 0
) -> dict[str, float]:
    """Perplexities of a text under models that know different words.

    A model gives all words that it does not know one probability together, so that the fewer it knows the cheaper is a
    text of unknown words. Here each of the words of all models and of the text that a model does not know gets an equal
    part of that probability.

    Args:
        models: The models, by name.
        text: Its lines, or the path (a `Path`) of a file.
        threads: Threads to use; 0 means all cores.

    Raises:
        SettingsError: There is no model.
        InputError: The text has no words.

    Example:
        >>> from tolka.lm import LanguageModel
        >>> models = {"few": LanguageModel.train(["a b"], 1), "many": LanguageModel.train(["a b c d e f"], 1)}
        >>> found = comparable_perplexities(models, ["c d"])
        >>> found["many"] < found["few"]
        True
    """
    if not models:
        raise SettingsError("there is no language model")
    if isinstance(text, str):
        raise SettingsError("a text is lines or a path, not one string", hint="give [line] or pathlib.Path(name)")
    lines = list(read_lines(text) if isinstance(text, PathLike) else text)
    known = {name: set(model.words()) for name, model in models.items()}
    words = {word for line in lines for word in words_of(line)}.union(*known.values())
    found = {}
    for name, model in models.items():
        said = model.perplexity(lines, threads=threads)
        if not said.tokens:
            raise InputError("the text has no words")
        shared = said.log10 - said.oovs * math.log10(max(1, len(words - known[name])))
        found[name] = math.pow(10.0, -shared / (said.tokens + said.sentences))
    return found


def perplexity_weights(
    models: Mapping[str, LanguageModel], text: Iterable[str] | PathLike[str], *, threads: int = 0
) -> dict[str, float]:
    """Weights of components that are proportional to p(text)^(1/words), the inverse of the perplexity.

    This is the perplexity weighting of Foster & Kuhn (2007): each component, be it a language model or a table from the
    same text, weighs as much as the language model of its target side fits the development text. Perplexities are
    made comparable first, see `comparable_perplexities`.

    Args:
        models: The language model of each component, by name.
        text: The target side of a development text: its lines, or the path (a `Path`) of a file.
        threads: Threads to use; 0 means all cores.

    Returns:
        Weights that sum to 1, which `join_tables` and `mix_lms` take.

    Example:
        >>> from tolka.lm import LanguageModel
        >>> models = {"in": LanguageModel.train(["a b a"], 2), "out": LanguageModel.train(["c d c"], 2)}
        >>> weights = perplexity_weights(models, ["a b"])
        >>> weights["in"] > weights["out"], round(sum(weights.values()), 9)
        (True, 1.0)
    """
    inverse = {name: 1 / found for name, found in comparable_perplexities(models, text, threads=threads).items()}
    total = sum(inverse.values())
    return {name: value / total for name, value in inverse.items()}


def words_of(line: str) -> list[str]:
    """The words of a line as language models see them: only ASCII white space separates words."""
    return _WORDS.findall(line)
