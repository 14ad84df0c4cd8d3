"""What single words say about a feature: tables of tags (Mohammad 2012, tables 1.3 and 1.4), or features of CoNLL-U."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Self

from tolka.corpus import read_lines
from tolka.errors import FormatError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from tolka.syntax import Constituent

SHIPPED = ("english", "english-words", "arabic")
_VERBS = "arabic.verbs"


class LeafTable:
    """For each tag, which values of a feature a word with it may have; all of these have the same chance.

    Args:
        feature: The feature, "number".
        values: Its values, in the order in which distributions have them.
        tags: The values of each tag; a tag that is not listed may have any.
        words: The values of words with their tags, in small letters, which come before those of tags.
        join: What joins the parts of tags that are made of several; such a tag has the values of all of its parts.
        feats: Read the feature from labels such as "NOUN-Gender=Fem|Number=Sing" instead, as `phrase_tree` makes them.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> table = LeafTable.load("english", "number")
        >>> table.mass(table.key(parse_penn("(NNS dogs)"))), table.mass(table.key(parse_penn("(DT the)")))
        ((0.0, 1.0), (0.5, 0.5))
    """

    def __init__(
        self,
        feature: str,
        values: Iterable[str],
        tags: Mapping[str, Iterable[str]] | None = None,
        *,
        words: Mapping[tuple[str, str], Iterable[str]] | None = None,
        join: str = "",
        feats: bool = False,
        name: str = "",
    ) -> None:
        self.feature, self.values, self.join, self.feats, self.name = feature, tuple(values), join, feats, name
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):  # noqa: PLR2004 - a choice
            raise SettingsError(f"feature {feature!r} needs at least two different values", hint="name them")
        self.tags = {tag: frozenset(listed) for tag, listed in (tags or {}).items()}
        self.words = {word: frozenset(listed) for word, listed in (words or {}).items()}
        for tag, listed in (*self.tags.items(), *self.words.items()):
            if odd := sorted(listed - set(self.values)):
                raise SettingsError(f"tag {tag!r} has value {odd[0]!r}, which {feature!r} does not have")

    @classmethod
    def of_feats(cls, feature: str, values: Iterable[str]) -> Self:
        """The feature of CoNLL-U's sixth column: `LeafTable.of_feats("Gender", ("masc", "fem"))`; case does not matter."""
        return cls(feature, values, feats=True, name="feats")

    @classmethod
    def load(cls, name: str | PathLike[str], feature: str) -> Self:
        """A table of this package ("english", "english-words", "arabic"), or from a file; english.leaves says how lines are written.

        Raises:
            FormatError: A line is malformed; says which.
            SettingsError: The file has no such feature.
        """
        if str(name) in SHIPPED:
            return cls._shipped(f"{name}.leaves", feature, str(name))
        return cls._read(read_lines(name), name, feature, str(name))

    @classmethod
    def arabic_verbs(cls, feature: str) -> Self:
        """What the tags of Arabic verbs say about their subjects."""
        return cls._shipped(_VERBS, feature, _VERBS)

    @classmethod
    def _shipped(cls, file: str, feature: str, name: str) -> Self:
        text = resources.files("tolka.assist.number").joinpath(file).read_text(encoding="utf-8")
        return cls._read(text.splitlines(), file, feature, name)

    @classmethod
    def _read(cls, lines: Iterable[str], path: str | PathLike[str], feature: str, name: str) -> Self:
        values: dict[str, tuple[str, ...]] = {}
        tags: dict[str, set[str]] = {}
        special: dict[tuple[str, str], set[str]] = {}
        join = ""
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            match words:
                case ["values", of, _, _, *_] if of not in values and len(set(words[2:])) == len(words) - 2:
                    values[of] = tuple(words[2:])
                case ["join", sign]:
                    join = sign
                case ["tag", tag, _, *_] if all(_is_given(pair, values) for pair in words[2:]):
                    pairs = [pair.split("=") for pair in words[2:]]
                    tags.setdefault(tag, set()).update(value for of, value in pairs if of == feature)
                case ["word", tag, word, _, *_] if all(_is_given(pair, values) for pair in words[3:]):
                    pairs = [pair.split("=") for pair in words[3:]]
                    listed = special.setdefault((tag, word.casefold()), set())
                    listed.update(value for of, value in pairs if of == feature)
                case _:
                    raise FormatError(
                        f"{line.strip()!r} says nothing about tags",
                        path=path,
                        line=number,
                        hint="lines begin with values, join, tag or word; english-words.leaves shows how they are written",
                    )
        if feature not in values:
            raise SettingsError(f"{path} has no feature {feature!r}", hint=f"it has {', '.join(values) or 'none'}")
        return cls(
            feature,
            values[feature],
            {tag: found for tag, found in tags.items() if found},
            words={word: found for word, found in special.items() if found},
            join=join,
            name=name,
        )

    def key(self, leaf: Constituent) -> str:
        """What of a leaf matters: its tag, or with `feats` its category and values; for a listed word, the word too."""
        if self.feats:
            return f"{leaf.category}={','.join(value for value in self.values if value in self._feats(leaf.function))}"
        if self.words and (leaf.category, word := leaf.word.casefold()) in self.words:
            return f"{leaf.category}/{word}"
        return leaf.label if leaf.label in self.tags else leaf.category

    def _feats(self, feats: str) -> set[str]:
        wanted = self.feature.casefold()
        for pair in feats.split("|"):
            name, _, value = pair.partition("=")
            if name.casefold() == wanted:
                return set(value.casefold().split(","))
        return set()

    def _listed(self, key: str) -> frozenset[str]:
        if self.feats:
            return frozenset(key.rpartition("=")[2].split(",")) & frozenset(self.values)
        if self.is_word(key):
            tag, _, word = key.rpartition("/")
            return self.words[tag, word]
        if key in self.tags or not self.join:
            return self.tags.get(key, frozenset())
        return frozenset[str]().union(*(self.tags.get(part, ()) for part in key.split(self.join)))

    def mass(self, key: str) -> tuple[float, ...]:
        """The distribution over values that a key stands for."""
        listed = self._listed(key) or frozenset(self.values)
        return tuple(1 / len(listed) if value in listed else 0.0 for value in self.values)

    def is_word(self, key: str) -> bool:
        """Whether a key stands for a listed word: what it says is given, and not to be learnt."""
        tag, slash, word = key.rpartition("/")
        return bool(slash) and (tag, word) in self.words

    def value(self, label: str) -> str | None:
        """The one value that a tag has, if it has one."""
        listed = self._listed(label)
        return next(iter(listed)) if len(listed) == 1 else None


def _is_given(pair: str, values: Mapping[str, tuple[str, ...]]) -> bool:
    feature, _, value = pair.partition("=")
    return value in values.get(feature, ())
