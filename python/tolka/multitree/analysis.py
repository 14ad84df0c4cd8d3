"""What a multitree system learnt, in figures (Galron 2012, sections 5.5 to 5.8)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from tolka.page import chips, document, made_by, page_style, section, svg, table, tiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.multitree.record import Record
    from tolka.multitree.settings import MultitreeSettings
    from tolka.multitree.translator import MultitreeTranslator

Mass = tuple[tuple[str, float, float], ...]
EXAMPLES = ("right pairs", "wrong pairs", "right joins", "wrong joins")
MEANS = ("seen", "approved", "handed", "unknown")
_STYLE = """
.curve{fill:none;stroke:currentColor;stroke-width:2}
.bar{fill:currentColor}
.chart{max-width:34rem}
caption{text-align:left}
"""
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 420, 210, 62, 14, 34
_MOST_FEATURES = 15


def weights_of(settings: MultitreeSettings) -> dict[str, float]:
    """What is weighed, and how much; nothing where classifiers alone decide, and no classifiers that are not there.

    Example:
        >>> from tolka.multitree import SYSTEMS
        >>> "lm" in weights_of(SYSTEMS["best"]), weights_of(SYSTEMS["forest-permissive"])
        (True, {})
    """
    weights = settings.weights or {}
    return {name: weight for name, weight in weights.items() if settings.epochs or not name.endswith(".classifiers")}


@dataclass(frozen=True)
class Analysis:
    """Everything there is to tell of a trained system.

    Attributes:
        settings: Its settings, as a manifest has them.
        record: What training left behind; of confidences those of the classifiers that its penalty chooses.
        pairs: Features of classifiers of pairs of phrases, with their share of the weight where they hold and where not.
        joins: The same of joins.
        weights: What statistics weigh, see `weights_of`.
    """

    settings: dict[str, Any]
    record: Record
    pairs: Mass
    joins: Mass
    weights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, translator: MultitreeTranslator) -> Analysis:
        """What a system learnt, at its penalty."""
        pairs, joins = (
            tuple(row for row in translator.feature_mass(of) if row[1] or row[2]) for of in ("pairs", "joins")
        )
        settings = translator.settings
        record = replace(translator.record_, sureness=translator.record_.sure(settings.penalty))
        return cls(settings.stored(), record, pairs, joins, weights_of(settings))

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        record = asdict(self.record)
        account = self.record.account
        if account is not None:
            record["account"]["skipped"] = account.reasons()
        mass = {
            name: [{"feature": feature, "holds": yes, "fails": no} for feature, yes, no in rows]
            for name, rows in (("pairs", self.pairs), ("joins", self.joins))
        }
        return {"settings": self.settings, "weights": dict(self.weights), **record, "mass": mass}

    def page(self, title: str) -> str:
        """The figures as a page that needs nothing else."""
        parts = [
            f"<header><p class=kicker>A multitree system of tolka</p><h1>{escape(title)}</h1></header><main>",
            self._facts(),
            self._weights(),
            self._curves(),
            self._completeness(),
            self._sureness(),
            self._mass("pairs", "Features of pairs of phrases", self.pairs),
            self._mass("joins", "Features of joins", self.joins),
            f"</main>{made_by()}",
        ]
        return document(title, "".join(parts), style=page_style() + _STYLE)

    def _facts(self) -> str:
        account, tuning = self.record.account, self.record.tuning
        # Where nothing was learnt there is nothing to penalise.
        facts = [("penalty", f"{self.settings['penalty']:.6f}")] if self.settings["epochs"] else []
        if account is not None:
            facts += [("pairs", f"{account.pairs:,}"), ("complete multitrees", f"{account.complete:.1%}")]
            facts += [("pairs of phrases", f"{account.lexicon[2]:,}"), ("pairs left out", f"{len(account.skipped):,}")]
        if tuning is not None:
            facts.append((f"{tuning.metric.upper()} of the tuning set", f"{tuning.score:.2f}"))
        return tiles(facts)

    def _weights(self) -> str:
        if not self.weights:
            return ""
        rows = [(escape(name), f"{weight:.4f}") for name, weight in self.weights.items()]
        note = "How much each statistic counts in the choice of a translation."
        return section("weights", "Weights", note, table("Weights", ("statistic", "weight"), rows))

    def _curves(self) -> str:
        rows = self.record.curve
        if not rows:
            return ""
        searched = [row for row in rows if "seen" in row]
        means = [("means of a pair", MEANS, [[row[name] for row in searched] for name in MEANS])]
        shown = [
            *(means if searched else ()),
            (("examples so far", EXAMPLES, [[row["examples"][at] for row in rows] for at in range(4)])),
        ]
        body = "".join(
            f"<div><p>{chips(names)}</p>{lines(series, f'{what} by iteration')}</div>" for what, names, series in shown
        )
        if scores := [row["score"] for row in rows if "score" in row]:
            body += f"<div><p>score of a development set, from the first training on</p>{lines([scores], 'score by training')}</div>"
        note = "Steps that were seen, approved, handed over by the supervisor or unknown to it, and examples, after each iteration."
        if self.record.tuning is not None:
            scores = [score for _, score in self.record.tuning.curve]
            body += f"<div><p>score by penalty, the largest first</p>{lines([scores], 'score by penalty')}</div>"
        return section("curves", "Training", note, f"<div class=two>{body}</div>")

    def _completeness(self) -> str:
        found = self.record.completeness
        if not found:
            return ""
        drawn = bars([(str(allowed), part) for allowed, part in found], "complete multitrees by crossing brackets")
        note = "Part of a sample of pairs with a complete multitree, by how many brackets of the source tree a step may cross."
        return section("completeness", "Complete multitrees", note, f"<div class=chart>{drawn}</div>")

    def _sureness(self) -> str:
        if not self.record.sureness:
            return ""
        rows = [
            (
                escape(one.kind),
                *(f"{mean:.3f} ({count:,})" for mean, count in zip(one.mean, one.believed, strict=True)),
                f"{one.right:.1%}",
            )
            for one in self.record.sureness
        ]
        heads = ("step", "confidence where it is believed right (examples)", "where wrong (examples)", "correct")
        note = "Mean confidence of classifiers in the examples they learnt from, without its sign."
        return section("sureness", "Confidence", note, table("Confidence", heads, rows))

    def _mass(self, name: str, title: str, mass: Mass) -> str:
        if not mass:
            return ""
        rows = [(escape(feature), f"{yes:.4f}", f"{no:.4f}") for feature, yes, no in mass[:_MOST_FEATURES]]
        note = "Share of the weight that the last test of each path adds, where the test holds and where it does not."
        return section(name, title, note, table(title, ("feature", "holds", "fails"), rows))


def lines(series: Sequence[Sequence[float]], title: str) -> str:
    """Series of numbers as lines, in SVG.

    Example:
        >>> lines([[1.0, 2.0], [0.0, 4.0]], "two").count("<polyline")
        2
    """
    low = min(0.0, *(value for values in series for value in values))
    high = max(value for values in series for value in values)
    if min(value for values in series for value in values) > high / 2:
        low = min(value for values in series for value in values)
    high = high if high > low else low + 1
    floor = _HEIGHT - _BOTTOM
    count = max(len(values) for values in series)

    def x(at: int) -> float:
        return _LEFT + 12 + at * (_WIDTH - _LEFT - 36) / max(count - 1, 1)

    def y(value: float) -> float:
        return floor - (value - low) / (high - low) * (floor - _TOP)

    form = ",.0f" if high >= 1000 else ".4g"  # noqa: PLR2004 - room for five digits
    parts = [
        svg.row_of_grid(_LEFT, _WIDTH, y(value), format(value, form))
        for value in (low + (high - low) * step / 4 for step in range(5))
    ]
    for number, values in enumerate(series):
        points = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in enumerate(values))
        parts.append(f'<g class="s{number}"><polyline class="curve" points="{points}"/></g>')
    # Numbers that would touch are left out.
    every = count // 13 + 1
    parts.extend(svg.text(x(at), floor + 20, str(at + 1)) for at in range(0, count, every))
    return svg.inline(_WIDTH, _HEIGHT, title, parts)


def bars(values: Sequence[tuple[str, float]], title: str) -> str:
    """Shares as bars, in SVG.

    Example:
        >>> bars([("0", 0.5), ("1", 1.0)], "shares").count("<rect")
        2
    """
    floor = _HEIGHT - _BOTTOM
    step = (_WIDTH - _LEFT - 24) / max(len(values), 1)
    parts = [
        svg.row_of_grid(_LEFT, _WIDTH, floor - share * (floor - _TOP) / 100, f"{share}%") for share in range(0, 101, 25)
    ]
    for at, (name, value) in enumerate(values):
        left, tall = _LEFT + 12 + at * step, value * (floor - _TOP)
        place = f'x="{left + step * 0.15:.1f}" y="{floor - tall:.1f}" width="{step * 0.7:.1f}" height="{tall:.1f}"'
        parts.append(
            f'<g class="s0"><rect class="bar" {place}><title>{svg.clean(name)}: {value:.1%}</title></rect></g>'
        )
        parts.append(svg.text(left + step / 2, floor + 20, name))
    return svg.inline(_WIDTH, _HEIGHT, title, parts)
