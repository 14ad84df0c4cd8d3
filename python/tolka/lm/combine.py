"""One model of several, and smaller models of large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tolka._engine import lm_mix, lm_prune, lm_tune
from tolka.errors import SettingsError
from tolka.lm.model import LanguageModel, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike


def mix_lms(
    models: Sequence[LanguageModel],
    weights: Sequence[float],
    *,
    method: Literal["linear", "log-linear"] = "linear",
) -> LanguageModel:
    """Interpolate models into one.

    Args:
        models: Models trained here or loaded from ARPA; compiled ones cannot be taken apart.
        weights: One per model. For "linear" they sum to 1.
        method: "linear" mixes n-gram by n-gram and makes the back-off weights anew; "log-linear" multiplies powers of
            probabilities and normalises exactly.

    Example:
        >>> from tolka.lm import LanguageModel
        >>> news, law = LanguageModel.train(["the minister said"], 2), LanguageModel.train(["the party of the first part"], 2)
        >>> both = mix_lms([news, law], [0.5, 0.5])
        >>> "minister" in both, "party" in both
        (True, True)
    """
    if method not in ("linear", "log-linear"):
        raise SettingsError(f"unknown method {method!r}", hint="use linear or log-linear")
    return LanguageModel(lm_mix([model._native for model in models], list(weights), log_linear=method != "linear"))  # noqa: SLF001


def tune_weights(models: Sequence[LanguageModel], text: Iterable[str] | PathLike[str]) -> tuple[float, ...]:
    """The weights of a linear interpolation under which a text is most probable (EM).

    Args:
        models: The models.
        text: Lines like those that the mixed model will meet, or the path (a `Path`) of a file.

    Example:
        >>> from tolka.lm import LanguageModel
        >>> tune_weights([LanguageModel.train(["a b a b"], 2), LanguageModel.train(["c d c d"], 2)], ["a b", "a b"])
        (1.0, 0.0)
    """
    lines = [line for piece in pieces(text) for line in piece]
    return tuple(round(weight, 6) for weight in lm_tune([model._native for model in models], lines))  # noqa: SLF001


def prune_lm(model: LanguageModel, threshold: float) -> LanguageModel:
    """Leave out the n-grams whose absence raises the model's own perplexity by less than a factor of 1 + threshold.

    This is the relative-entropy pruning of Stolcke (1998). Thresholds like 1e-8 to 1e-6 are common. Kneser-Ney models
    suffer from it more than others (Chelba et al. 2010); for those, the count thresholds of training are the better way.

    Example:
        >>> from tolka.lm import LanguageModel
        >>> model = LanguageModel.train(["a b c", "a b d", "b c"], 3, "witten-bell")
        >>> sum(prune_lm(model, 0.05).counts) < sum(model.counts)
        True
    """
    return LanguageModel(lm_prune(model._native, threshold))  # noqa: SLF001
