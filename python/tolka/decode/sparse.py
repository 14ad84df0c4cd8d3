"""Which sparse features a decoder has."""

from __future__ import annotations

from dataclasses import dataclass

from tolka.errors import SettingsError


@dataclass(frozen=True)
class SparseFeatures:
    """Templates of sparse features; all are off unless told.

    Each makes many features with names of their own, computed from rules. Their weights are 0 until tuned.

    Attributes:
        word_pair: Words that translate each other inside a rule, `pair:haus~house`, for so many words of each side, those
            in most rules. Other words are `<rare>`; words without a link pair with `<none>`.
        rule_shape: The order of words and gaps, `shape:w1w2~2w1`.
        rule_count: How often the rule was seen in training, `count:1`, `count:4-7`.

    Example:
        >>> SparseFeatures(word_pair=100, rule_shape=True)
        SparseFeatures(word_pair=100, rule_shape=True, rule_count=False)
    """

    word_pair: int = 0
    rule_shape: bool = False
    rule_count: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.word_pair, bool) or not isinstance(self.word_pair, int) or self.word_pair < 0:
            raise SettingsError(f"word_pair is {self.word_pair!r}", hint="say how many words of each side, 0 for none")

    def __bool__(self) -> bool:
        return bool(self.word_pair or self.rule_shape or self.rule_count)

    def native(self) -> tuple[int, bool, bool]:
        """As the engine takes them."""
        return self.word_pair, self.rule_shape, self.rule_count
