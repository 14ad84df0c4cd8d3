"""The metrics and their settings: what is compared, after which tokenisation, and the signature that says so."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from tolka._engine import Metric as EngineMetric
from tolka._engine import MetricTable
from tolka._engine import __version__ as version
from tolka.errors import LimitError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tolka._engine import MetricTexts

# The engine tokenises so by itself; others are sacrebleu's.
_NATIVE = ("13a", "none", "char")
# Words in a line beyond which a metric whose work grows with their square is refused.
_MOST_WORDS = 10_000


class Metric(Protocol):
    """What every metric's settings can do."""

    name: ClassVar[str]

    @property
    def label(self) -> str:
        """How the metric is called in tables."""

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""

    def signature(self, references: int, rounds: int | None = None, seed: int | None = None) -> str:
        """Everything a score depends on; with rounds and seed if it has an interval."""

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """What a sum of statistics tells beside the score."""


def _tokeniser(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - slow to import, and most runs need none of it

    if name not in BLEU.TOKENIZERS:
        raise SettingsError(f"there is no tokenisation {name!r}", hint=f"use one of {', '.join(BLEU.TOKENIZERS)}")
    try:
        tokenise: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[0]
        raise SettingsError(f"the tokenisation {name!r} needs a package: {reason}") from error
    return tokenise


def _texts(table: MetricTable, lines: Sequence[str], tokeniser: str, lowercase: bool) -> MetricTexts:
    listed = [line.lower() for line in lines] if lowercase else list(lines)
    if tokeniser in _NATIVE:
        return table.texts(listed, tokeniser)
    tokenise = _tokeniser(tokeniser)
    return table.texts([tokenise(line.rstrip()) for line in listed], "none")


def _short_enough(name: str, texts: Sequence[MetricTexts]) -> None:
    longest = max(text.longest for text in texts)
    if longest > _MOST_WORDS:
        raise LimitError(
            f"a line has {longest} words, and {name} takes at most {_MOST_WORDS}", hint="split the text into sentences"
        )


@dataclass(frozen=True)
class Bleu:
    """BLEU (Papineni et al. 2002), as sacrebleu computes it.

    Attributes:
        order: Words in the longest n-grams.
        smoothing: What happens to orders without a match: exp, floor, add-k or none.
        value: Of floor (0.1 if not given) and add-k (1 if not given).
        effective_order: Whether orders that a text is too short for are left out.
        tokeniser: 13a, none, char, intl, zh or another of sacrebleu.
        lowercase: Whether case is ignored.
    """

    name: ClassVar[str] = "bleu"
    order: int = 4
    smoothing: str = "exp"
    value: float | None = None
    effective_order: bool = False
    tokeniser: str = "13a"
    lowercase: bool = False

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return "BLEU"

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""
        table = MetricTable()
        metric = EngineMetric.bleu(
            [_texts(table, lines, self.tokeniser, self.lowercase) for lines in references],
            order=self.order,
            smoothing=self.smoothing,
            value=self.value,
            effective_order=self.effective_order,
            plus_one=False,
        )
        return metric, [_texts(table, lines, self.tokeniser, self.lowercase) for lines in systems]

    def signature(self, references: int, rounds: int | None = None, seed: int | None = None) -> str:
        """As sacrebleu prints it."""
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - slow to import

        peer = BLEU(
            lowercase=self.lowercase,
            tokenize=self.tokeniser,
            smooth_method=self.smoothing,
            smooth_value=self.value,
            max_ngram_order=self.order,
            effective_order=self.effective_order,
        )
        return _signature(peer, references, rounds, seed)

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Precisions, brevity penalty and lengths."""
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - slow to import

        counts = [int(value) for value in row]
        found = BLEU.compute_bleu(
            counts[2 : 2 + self.order],
            counts[2 + self.order :],
            counts[0],
            counts[1],
            self.smoothing,
            self.value,
            self.effective_order,
            self.order,
        )
        return {
            "precisions": [float(value) for value in found.precisions],
            "brevity_penalty": found.bp,
            "ratio": float(found.ratio),
            "length": counts[0],
            "reference_length": counts[1],
        }


@dataclass(frozen=True)
class Chrf:
    """chrF (Popović 2015), as sacrebleu computes it; with `words=2`, chrF++ (Popović 2017).

    Attributes:
        characters: Characters in the longest n-grams.
        words: Words in the longest n-grams.
        beta: How many times more recall counts than precision.
        lowercase: Whether case is ignored.
    """

    name: ClassVar[str] = "chrf"
    characters: int = 6
    words: int = 0
    beta: int = 2
    lowercase: bool = False

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return f"chrF{self.beta}{'+' * self.words}"

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""
        table = MetricTable()
        wanted = [_texts(table, lines, "none", self.lowercase) for lines in references]
        texts = [_texts(table, lines, "none", self.lowercase) for lines in systems]
        metric = EngineMetric.chrf(wanted, table, characters=self.characters, words=self.words, beta=self.beta)
        return metric, texts

    def signature(self, references: int, rounds: int | None = None, seed: int | None = None) -> str:
        """As sacrebleu prints it."""
        from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415 - slow to import

        peer = CHRF(char_order=self.characters, word_order=self.words, beta=self.beta, lowercase=self.lowercase)
        return _signature(peer, references, rounds, seed)

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:  # noqa: ARG002 - part of the protocol
        """Nothing."""
        return {}


@dataclass(frozen=True)
class Ter:
    """Translation edit rate (Snover et al. 2006), as sacrebleu and Tercom compute it; lower is better.

    Attributes:
        case_sensitive: Whether case counts; in TER it does not, unless told so.
        normalised: Whether Tercom's own tokenisation is applied.
        punctuation: Whether punctuation stays.
        asian: Whether normalisation and punctuation cover Asian scripts too.
    """

    name: ClassVar[str] = "ter"
    case_sensitive: bool = False
    normalised: bool = False
    punctuation: bool = True
    asian: bool = False

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return "TER"

    @cached_property
    def _peer(self) -> Any:
        from sacrebleu.metrics.ter import TER  # noqa: PLC0415 - slow to import

        return TER(
            normalized=self.normalised,
            no_punct=not self.punctuation,
            asian_support=self.asian,
            case_sensitive=self.case_sensitive,
        )

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""
        table = MetricTable()
        plain = not self.normalised and self.punctuation

        def texts(lines: Sequence[str]) -> MetricTexts:
            if plain:
                return _texts(table, lines, "none", not self.case_sensitive)
            return table.texts([self._peer.tokenizer(line.rstrip()) for line in lines], "none")

        wanted, found = [texts(lines) for lines in references], [texts(lines) for lines in systems]
        _short_enough(self.label, [*wanted, *found])
        return EngineMetric.ter(wanted), found

    def signature(self, references: int, rounds: int | None = None, seed: int | None = None) -> str:
        """As sacrebleu prints it."""
        return _signature(self._peer, references, rounds, seed)

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Edits and reference words."""
        return {"edits": float(row[0]), "reference_length": float(row[1])}


@dataclass(frozen=True)
class _Words:
    """What the metrics share that sacrebleu does not have."""

    tokeniser: str = "13a"
    lowercase: bool = False

    def signature(self, references: int, rounds: int | None = None, seed: int | None = None) -> str:
        """In sacrebleu's style, with tolka's version."""
        own = {key: value for key, value in asdict(self).items() if key not in {"tokeniser", "lowercase"}}
        parts = {
            "nrefs": references,
            **({} if rounds is None else {"bs": rounds, "seed": seed}),
            "case": "lc" if self.lowercase else "mixed",
            "tok": self.tokeniser,
            **own,
            "version": f"tolka-{version}",
        }
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    def _both(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[list[MetricTexts], list[MetricTexts]]:
        table = MetricTable()
        wanted = [_texts(table, lines, self.tokeniser, self.lowercase) for lines in references]
        return wanted, [_texts(table, lines, self.tokeniser, self.lowercase) for lines in systems]


@dataclass(frozen=True)
class Nist(_Words):
    """NIST (Doddington 2002), as mteval computes it.

    Attributes:
        order: Words in the longest n-grams.
    """

    name: ClassVar[str] = "nist"
    order: int = 5

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return "NIST"

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""
        wanted, texts = self._both(systems, references)
        return EngineMetric.nist(wanted, order=self.order), texts

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Lengths."""
        return {"length": int(row[0]), "reference_length": float(row[1])}


@dataclass(frozen=True)
class Gtm(_Words):
    """F of the General Text Matcher (Melamed, Green and Turian 2003).

    Attributes:
        exponent: A run of n words counts n to this power; 1 ignores order. With 1 the matching is the largest; above it the
            longest free run is taken again and again, which is nearly so.
    """

    name: ClassVar[str] = "gtm"
    exponent: float = 2.0

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return "GTM" if self.exponent == Gtm.exponent else f"GTM{self.exponent:g}"

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""
        wanted, texts = self._both(systems, references)
        _short_enough(self.label, [*wanted, *texts])
        return EngineMetric.gtm(wanted, exponent=self.exponent), texts

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Precision and recall."""
        size, length, reference = (float(value) for value in row)
        return {
            "precision": 100 * size / length if length else 0.0,
            "recall": 100 * size / reference if reference else 0.0,
        }


@dataclass(frozen=True)
class _ErrorRate(_Words):
    _ordered: ClassVar[bool]

    def prepare(
        self, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[EngineMetric, list[MetricTexts]]:
        """Tokenise; give the metric with its references, and the systems' texts."""
        wanted, texts = self._both(systems, references)
        _short_enough("an error rate", [*wanted, *texts])
        return EngineMetric.error_rate(wanted, ordered=self._ordered), texts

    def details(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Errors and reference words."""
        return {"errors": int(row[0]), "reference_length": int(row[1])}


@dataclass(frozen=True)
class Wer(_ErrorRate):
    """Word error rate: edits per reference word; lower is better."""

    name: ClassVar[str] = "wer"
    _ordered: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return "WER"


@dataclass(frozen=True)
class Per(_ErrorRate):
    """Position-independent error rate (Tillmann et al. 1997); lower is better."""

    name: ClassVar[str] = "per"
    _ordered: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """How the metric is called in tables."""
        return "PER"


METRICS: dict[str, Metric] = {
    "bleu": Bleu(),
    "chrf": Chrf(),
    "chrf++": Chrf(words=2),
    "ter": Ter(),
    "nist": Nist(),
    "gtm": Gtm(),
    "gtm1": Gtm(exponent=1.0),
    "wer": Wer(),
    "per": Per(),
}


def metric_named(
    name: str, *, tokenised: bool = False, tokeniser: str | None = None, lowercase: bool = False
) -> Metric:
    """The metric of a name, with its usual settings.

    Args:
        name: One of `METRICS`.
        tokenised: The text is tokenised already: words are what stands between white space.
        tokeniser: Another of sacrebleu's, for the metrics that have words and no tokeniser of their own: 13a, intl, zh, …
        lowercase: Ignore case.

    Raises:
        SettingsError: There is no such metric or tokeniser.

    Example:
        >>> metric_named("bleu", tokenised=True).signature(1).split("|version")[0]
        'nrefs:1|case:mixed|eff:no|tok:none|smooth:exp'
    """
    metric = METRICS.get(name.lower())
    if metric is None:
        raise SettingsError(f"there is no metric {name!r}", hint=f"use one of {', '.join(METRICS)}")
    if tokenised:
        if tokeniser not in {None, "none"}:
            raise SettingsError(f"tokenised text is not tokenised by {tokeniser} again", hint="leave out one of them")
        tokeniser = "none"
    if tokeniser is not None:
        if tokeniser not in _NATIVE:
            _tokeniser(tokeniser)
        if isinstance(metric, Bleu | _Words):
            metric = replace(metric, tokeniser=tokeniser)
    if lowercase and isinstance(metric, Bleu | Chrf | _Words):
        metric = replace(metric, lowercase=True)
    return metric


def _signature(peer: Any, references: int, rounds: int | None, seed: int | None) -> str:
    peer.num_refs = references
    peer.n_bootstrap = rounds
    peer.seed = seed
    return str(peer.get_signature())
