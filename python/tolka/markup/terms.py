"""Lists of terms: how some words are to be translated, whatever the model would say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines
from tolka.decode import Given, words_of
from tolka.errors import FormatError, InputError
from tolka.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    Cut = Callable[[list[str]], list[str]]

_MODES = {"forced": True, "preferred": False}
_TRANSLATIONS = ""  # No token is empty, so a node's own translations stand here.


class Terms:
    """A list of terms, looked up by walking through a trie of their tokens.

    A term without capital letters is found however the text writes it; one with capitals only as it is written. Of
    several terms that begin at the same word the longest is taken, and the search goes on behind it. A term may have
    several translations, of which decoding chooses.

    Args:
        entries: Source, target, and whether the translation is forced (nothing else may be used) or preferred; tokenised.
        weight: The log weight of preferred translations: 0 is as sure as a rule of probability 1.

    Example:
        >>> terms = Terms([("haus", "house", True), ("weißes haus", "White House", True)])
        >>> [(given.start, given.end, given.targets) for given in terms.match("das Weißes Haus".split())]
        [(1, 3, (('White House', 0.0),))]
    """

    def __init__(self, entries: Iterable[tuple[str, str, bool]], *, weight: float = 0.0) -> None:
        self.weight = weight
        self._trie: dict[str, Any] = {}
        self._count = 0
        for source, target, forced in entries:
            self._add(words_of(source), " ".join(words_of(target)), forced)

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        cut: Cut | None = None,
        cut_target: Cut | None = None,
        default: bool = True,
        weight: float = 0.0,
        limits: Limits = DEFAULT,
    ) -> Terms:
        """Read a list of terms.

        Args:
            path: Lines of a source term, its translation and, if you like, `forced` or `preferred`, with tabs between
                them. Empty lines and those that begin with `#` are skipped.
            cut: Makes tokens of source terms; they are taken as they are if not given.
            cut_target: The same for translations.
            default: Whether terms that do not say are forced.
            weight: The log weight of preferred translations.
            limits: Caps on the file.

        Raises:
            FormatError: A line with another number of columns, an empty column, or a term that is both forced and
                preferred.
        """
        sources, targets, modes, numbers = list[str](), list[str](), list[bool](), list[int]()
        for number, line in enumerate(read_lines(path, limits=limits), 1):
            if not line.strip() or line.startswith("#"):
                continue
            source, target, mode, *more = [*map(str.strip, line.split("\t")), "", ""]
            if "\t" not in line or any(more) or (mode and mode not in _MODES):
                hint = "source, target and forced or preferred, with tabs between them"
                raise FormatError("this is not a term", path=path, line=number, hint=hint)
            sources.append(source)
            targets.append(target)
            modes.append(_MODES[mode] if mode else default)
            numbers.append(number)
        cut_sources = cut(sources) if cut else sources
        cut_targets = cut_target(targets) if cut_target else targets
        terms = cls((), weight=weight)
        for source, target, forced, number in zip(cut_sources, cut_targets, modes, numbers, strict=True):
            try:
                terms._add(words_of(source), " ".join(words_of(target)), forced)
            except InputError as error:
                raise FormatError(error.what, path=path, line=number, hint=error.hint) from None
        return terms

    def _add(self, source: list[str], target: str, forced: bool) -> None:
        if not source or not target:
            raise InputError("a term or its translation is empty", hint="write both, with a tab between them")
        node = self._trie
        for token in source:
            node = node.setdefault(token.lower(), {})
        # Spellings with different capitals share a node.
        spellings = node.setdefault(_TRANSLATIONS, {})
        known, targets = spellings.setdefault(tuple(source), (forced, []))
        if known != forced:
            what = f"the term {' '.join(source)!r} is both forced and preferred"
            raise InputError(what, hint="give all of its translations the same mode")
        if target not in targets:
            targets.append(target)
            self._count += 1

    def __len__(self) -> int:
        """How many translations of terms there are."""
        return self._count

    def match(self, tokens: Sequence[str], free: Sequence[bool] | None = None) -> list[Given]:
        """The terms in a sentence, from left to right.

        Args:
            tokens: Of the sentence, as the text writes them.
            free: Which of them may be part of a term; all if not given.
        """
        found: list[Given] = []
        lowered = [token.lower() for token in tokens]
        at = 0
        while at < len(tokens):
            longest = self._longest(tokens, lowered, at, free)
            if longest is None:
                at += 1
                continue
            found.append(longest)
            at = longest.end
        return found

    def _longest(
        self, tokens: Sequence[str], lowered: list[str], start: int, free: Sequence[bool] | None
    ) -> Given | None:
        node, best = self._trie, None
        for at in range(start, len(tokens)):
            following = node.get(lowered[at]) if free is None or free[at] else None
            if following is None:
                break
            node = following
            spelled = _spelled(node.get(_TRANSLATIONS, {}), tokens[start : at + 1])
            if spelled is not None:
                forced, targets = spelled
                weight = 0.0 if forced else self.weight
                best = Given(start, at + 1, tuple((target, weight) for target in targets), exclusive=forced)
        return best


def _spelled(spellings: dict[tuple[str, ...], tuple[bool, list[str]]], tokens: Sequence[str]) -> Any:
    """The translations of a term as it is written here: the same capitals, or none that ask for them."""
    written = spellings.get(tuple(tokens))
    if written is not None:
        return written
    for term, translations in spellings.items():
        # The trie has compared what is left when case is.
        if all(own in (token, own.lower()) for own, token in zip(term, tokens, strict=True)):
            return translations
    return None
