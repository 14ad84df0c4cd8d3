"""The letters that models write their target language in: models that write different ones do not go together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tolka.corpus import Vocabulary, side_statistics
from tolka.errors import InputError
from tolka.grammar import Grammar
from tolka.train.checks import rule_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.train import Findings
    from tolka.translate.bundle import OpenModel

_MOST_WORDS = 2000
# The share of letters that two models have in the same scripts, at least.
_LEAST_SHARED = 0.5


def check_alphabets(models: Mapping[str, OpenModel], found: Findings) -> None:
    """Refuse models that write the target language in different letters, say Latin and Cyrillic.

    Args:
        models: By their names.
        found: Who refuses, or notes it if that is meant.
    """
    known = {name: shares for name, model in models.items() if (shares := target_scripts(model))}
    for (one, own), (two, other) in combinations(known.items(), 2):
        if sum(min(share, other.get(script, 0.0)) for script, share in own.items()) >= _LEAST_SHARED:
            continue
        lang = models[one].description.langs[1]
        first, second = (max(shares, key=lambda script: shares[script]) for shares in (own, other))
        what = f"the parts {one} and {two} write {lang} in different letters: {first} and {second}"
        found.refuse(InputError(what, hint="leave one of them out"))
        return


def target_scripts(model: OpenModel) -> dict[str, float]:
    """The share of each script among the letters of a model's target words; empty if it has none."""
    words = model.files.aligner.get("target.words")
    if words is not None:
        known = Vocabulary.load(words)
        # The first three are no words.
        listed = [known.word(at) for at in range(3, min(len(known), _MOST_WORDS))]
    else:
        listed = [word for path in model.tables_of(1) for word in rule_words(Grammar.load(path), _MOST_WORDS)[1]]
    return dict(side_statistics(listed).scripts)
