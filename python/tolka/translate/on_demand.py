"""The rules of a model that grows, which are found when sentences ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.errors import FormatError

if TYPE_CHECKING:
    from tolka.grammar import SuffixGrammar
    from tolka.translate.bundle import ModelFiles
    from tolka.translate.description import Description, Growing


def suffix_grammar(description: Description, growing: Growing, files: ModelFiles, *, threads: int = 0) -> SuffixGrammar:
    """What finds the rules of a growing model.

    Args:
        description: What the model is.
        growing: How it grows.
        files: Its parts.
        threads: How many; 0 for one per core.

    Raises:
        FormatError: The description has settings that rules do not.
    """
    from tolka.grammar import Extractor, SuffixGrammar  # noqa: PLC0415 - models with a table need none of it

    rules: dict[str, Any] = {**growing.rules, "kind": description.kind}
    try:
        extractor = Extractor(**rules)
    except TypeError as error:
        raise FormatError(f"the model's manifest describes no rules: {error}") from error
    return SuffixGrammar(files.segments(), extractor, samples=growing.samples, threads=threads)
