"""What a training leaves behind beside its model: what became of the pairs, curves, and figures of what was learnt."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


OUTCOMES = ("complete", "limited", "seen", "approved", "handed", "unknown")
"""What the coordinator tells of a pair, as a mean over all."""


@dataclass(frozen=True)
class Account:
    """What became of the pairs that were to be learnt from.

    Attributes:
        pairs: Those that were used.
        skipped: The number of each other pair and why.
        complete: Part of the pairs that have a complete multitree; of 1,000 of them, where phrases are taken without trees.
        lexicon: Source fuses, target fuses and pairs of phrases in the lexicon.
    """

    pairs: int
    skipped: Mapping[int, str]
    complete: float
    lexicon: tuple[int, int, int]

    def reasons(self) -> dict[str, int]:
        """Why pairs were skipped, and how many, the most first.

        Example:
            >>> Account(7, {3: "a side is empty", 5: "there is no link", 6: "a side is empty"}, 1.0, (0, 0, 9)).reasons()
            {'a side is empty': 2, 'there is no link': 1}
        """
        return dict(Counter(self.skipped.values()).most_common())


@dataclass(frozen=True)
class Sureness:
    """How sure classifiers are of the examples of a type of inference (Galron 2012, section 5.8).

    Attributes:
        kind: The type.
        penalty: The penalty of the classifiers that were asked.
        believed: Examples they believe to be right, and those they do not.
        mean: Their mean confidence, without its sign, of both.
        right: Part of the examples that they are right about.
        unknown: Examples that no classifier knows.
    """

    kind: str
    penalty: float
    believed: tuple[int, int]
    mean: tuple[float, float]
    right: float
    unknown: int


@dataclass(frozen=True)
class PenaltyTuning:
    """Which penalty translates a tuning set best.

    Attributes:
        metric: By what.
        penalty: The best.
        score: Its score.
        curve: Every penalty and its score, the largest penalty first.
    """

    metric: str
    penalty: float
    score: float
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Record:
    """All of it.

    Attributes:
        account: What became of the pairs.
        curve: What came of each iteration: `complete`, `limited`, `seen`, `approved`, `handed` and `unknown` are means over its
            pairs, `examples` positive and negative pairs of phrases, positive and negative joins so far, `score` F of what was
            watched.
        sureness: How sure classifiers are, by penalty, the largest first, and type of inference; see `sure`.
        completeness: Crossing brackets that were allowed, and the part of pairs with a complete multitree (Galron 2012, figure
            5.2).
        tuning: How the penalty was chosen, if it was tuned.
    """

    account: Account | None = None
    curve: tuple[dict[str, Any], ...] = ()
    sureness: tuple[Sureness, ...] = ()
    completeness: tuple[tuple[int, float], ...] = ()
    tuning: PenaltyTuning | None = field(default=None)

    def sure(self, penalty: float) -> tuple[Sureness, ...]:
        """How sure the classifiers are that a penalty chooses: those of the least penalty of their path that is not below it.

        Example:
            >>> rows = [Sureness("bilingual", one, (1, 1), (0.5, 0.5), 1.0, 0) for one in (0.375, 0.1875)]
            >>> [one.penalty for one in Record(sureness=tuple(rows)).sure(0.2)]
            [0.375]
        """
        # As the engine compares them; a penalty may be a literal.
        fitting = [one.penalty for one in self.sureness if one.penalty >= penalty * (1 - 1e-9)]
        return tuple(one for one in self.sureness if one.penalty == min(fitting, default=None))

    def to_json(self) -> str:
        """As it is kept in a model."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False)

    @classmethod
    def of_json(cls, text: bytes) -> Self:
        """Read it.

        Raises:
            ValueError: It is something else.

        Example:
            >>> record = Record(Account(7, {3: "a side is empty"}, 1.0, (0, 0, 9)), completeness=((0, 0.5), (1, 1.0)))
            >>> Record.of_json(record.to_json().encode()) == record
            True
        """
        try:
            given = json.loads(text, parse_constant=_no_number)
            account, tuning = given.pop("account"), given.pop("tuning")
            return cls(
                account=None if account is None else _account(account),
                curve=tuple(checked_row(row) for row in given.pop("curve")),
                sureness=tuple(_sureness(row) for row in given.pop("sureness")),
                completeness=tuple((int(allowed), float(part)) for allowed, part in given.pop("completeness")),
                tuning=None if tuning is None else _tuning(tuning),
                **given,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"the record of training is not sound: {error}") from error


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def checked_row(given: Mapping[str, Any]) -> dict[str, Any]:
    """What came of an iteration; a ValueError, KeyError or TypeError if it is something else.

    Example:
        >>> checked_row({"iteration": 1})
        Traceback (most recent call last):
            ...
        KeyError: 'epoch'
    """
    row: dict[str, Any] = {name: int(given[name]) for name in ("iteration", "epoch", "limit")}
    # Where pairs of phrases are learnt without a search, there is nothing to tell of one.
    if any(name in given for name in OUTCOMES):
        row |= {name: float(given[name]) for name in OUTCOMES}
    if "classifiers" in given:
        row["classifiers"] = int(given["classifiers"])
    if "score" in given:
        row["score"] = float(given["score"])
    row["examples"] = [int(count) for count in given["examples"]]
    if len(row["examples"]) != 4 or row.keys() != given.keys():  # noqa: PLR2004 - right and wrong pairs and joins
        raise ValueError("an iteration has other figures")
    return row


def _account(given: Mapping[str, Any]) -> Account:
    source, target, pairs = (int(size) for size in given["lexicon"])
    skipped = {int(number): str(reason) for number, reason in given["skipped"].items()}
    return Account(int(given["pairs"]), skipped, float(given["complete"]), (source, target, pairs))


def _sureness(given: Mapping[str, Any]) -> Sureness:
    (yes, no), (sure, unsure) = given["believed"], given["mean"]
    counts, means = (int(yes), int(no)), (float(sure), float(unsure))
    penalty, right = float(given["penalty"]), float(given["right"])
    return Sureness(str(given["kind"]), penalty, counts, means, right, int(given["unknown"]))


def _tuning(given: Mapping[str, Any]) -> PenaltyTuning:
    curve = tuple((float(penalty), float(score)) for penalty, score in given["curve"])
    return PenaltyTuning(str(given["metric"]), float(given["penalty"]), float(given["score"]), curve)
