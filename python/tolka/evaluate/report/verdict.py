"""A comparison in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.evaluate.significance import p_text

if TYPE_CHECKING:
    from tolka.evaluate.report.analysis import Comparisons, Figure

SURE = 0.05


def verdict(found: Comparisons) -> str:
    """What a comparison says: which system is better by its first metric, how surely, and whether the others agree.

    With more than two systems the best is tested against each of the others, and p is corrected for their number
    (Holm 1979).

    Example:
        >>> from tolka.evaluate import compare
        >>> verdict(compare({"a": ["the cat sat"] * 20, "b": ["a dog sat"] * 20}, ["the cat sat"] * 20, ["chrf", "ter"]))
        'a is better than b by chrF2 (100.00 against 14.67, p<0.0001), and TER agrees.'
    """
    figure, *others = found.figures
    best = _best(figure)
    tests = {other: _chance(figure, best, other) for other in range(len(found.systems)) if other != best}
    corrected = _holm(tests)
    beaten = [other for other, p in corrected.items() if p < SURE]
    name, score = found.systems[best], f"{figure.scores[best]:.2f}"
    if len(tests) == 1:
        (other,) = tests
        against = f"{score} against {figure.scores[other]:.2f}, {p_text(corrected[other])}"
        if not beaten:
            return (
                f"{found.systems[1]} and {found.systems[0]} cannot be told apart by {figure.name} ({against}): "
                "the difference may be chance."
            )
        return f"{name} is better than {found.systems[other]} by {figure.name} ({against}){_agreement(others, best, other)}."
    if not beaten:
        return (
            f"{name} has the best {figure.name} ({score}), but no other system is surely worse "
            f"({p_text(min(corrected.values()))} at least)."
        )
    listed = _listed([f"{found.systems[other]} ({p_text(corrected[other])})" for other in beaten])
    rest = [found.systems[other] for other in tests if other not in beaten]
    unsure = f", but cannot be told from {_listed(rest)}" if rest else ""
    return f"{name} has the best {figure.name} ({score}) and is better than {listed}{unsure}."


def _best(figure: Figure) -> int:
    sign = 1 if figure.higher_is_better else -1
    return max(range(len(figure.scores)), key=lambda system: sign * figure.scores[system])


def _chance(figure: Figure, one: int, other: int) -> float:
    return figure.pairs[min(one, other), max(one, other)].p


def _holm(chances: dict[int, float]) -> dict[int, float]:
    """The p of several tests, corrected for their number."""
    corrected: dict[int, float] = {}
    highest = 0.0
    for place, (other, p) in enumerate(sorted(chances.items(), key=lambda test: test[1])):
        highest = max(highest, min(1.0, p * (len(chances) - place)))
        corrected[other] = highest
    return corrected


def _agreement(figures: list[Figure], best: int, other: int) -> str:
    against, unsure, agreeing = list[str](), list[str](), list[str]()
    for figure in figures:
        better = (figure.scores[best] > figure.scores[other]) == figure.higher_is_better
        sure = _chance(figure, best, other) < SURE
        (agreeing if better and sure else against if sure else unsure).append(figure.name)
    parts = []
    if against:
        parts.append(f"but {_listed(against)} say{'s' if len(against) == 1 else ''} the opposite")
    if agreeing:
        parts.append(f"and {_listed(agreeing)} agree{'s' if len(agreeing) == 1 else ''}")
    if unsure:
        parts.append(f"{'but' if not against else 'and'} {_listed(unsure)} cannot tell them apart")
    return "".join(f", {part}" for part in parts)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
