"""Settings of recurrent pre-orderers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from tolka.errors import SettingsError
from tolka.reorder.recurrent.batches import PADDED

KINDS = ("rnn", "rnn-lex", "fragment", "gru", "fragment-gru")

_OF_KINDS: dict[str, dict[str, Any]] = {
    "rnn": {"units": 100, "clip": 1.0},
    "rnn-lex": {"units": 100, "clip": 1.0, "lexical": True},
    "fragment": {"units": 100, "inner": 100, "clip": 1.0},
    "gru": {"units": 30, "clip": 5.0},
    "fragment-gru": {"units": 30, "inner": 100, "clip": 5.0},
}

_CHOICES = {
    "gate": ("before", "after"),
    "profile": ("text", "released"),
    "tags": ("xpos", "upos"),
    "optimiser": ("adam", "adadelta"),
    "norm": ("frobenius", "spectral"),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a recurrent pre-orderer is made and trained with. None means the kind's own default.

    Attributes:
        units: Size of the recurrent state and of the candidate layer.
        inner: Size of the state that reads walks over the tree; 0 for none.
        lexical: Whether words themselves are features.
        gate: Where the gate of a GRU acts on the old state: "before" the matrix (Cho et al. 2014) or "after" it.
        profile: Features and scores as in the thesis ("text") or as in its author's program ("released").
        layer: Units of the read-out layer of the released profile; 1 for a linear read-out.
        conjoin_only: See features of candidates only together with the distance from the last word.
        tags: Column of the tags; "xpos" falls back to "upos" where training trees have none.
        least: How often a feature value must occur in training; rarer ones share a value. None: 1 in 2,000 sentences, from
            2 to 100.
        least_form: The same for words.
        embeddings: Size of the embeddings, learnt from the training sentences, that rows of words begin from; 0 to begin at
            random. Only for lexical models.
        optimiser: "adam" (Kingma and Ba 2015) or "adadelta" (Zeiler 2012).
        rate: Length of steps. None: 0.002 with adam, 1 with adadelta.
        beta1: Decay of the mean of gradients (adam).
        beta2: Decay of the squares of gradients. None: 0.999 with adam, 0.95 with adadelta.
        epsilon: What keeps denominators from 0. None: 1e-8 with adam, 1e-6 with adadelta.
        clip: The most any part of a gradient may be.
        l2: How strongly parameters are pulled to 0.
        dropout: Share of the units that each training sentence has to do without when candidates are scored.
        decay: What the rate is multiplied by after a validation without improvement.
        init: Parameters begin between this and its negative.
        contraction: Norm of the recurrent matrices at the beginning.
        norm: Which norm that is.
        epochs: How often training sees a sentence at most.
        batch_words: Words per step of training, rounded to whole sentences; 1 for one sentence per step.
        validate_every: Training sentences between two validations; an epoch if that is less.
        patience: Validations without improvement before training stops.
        longest_trained: Words of a sentence that is trained on; longer ones are left out.
        longest: Words of a sentence that is put into order; longer ones keep their order.
        beam: Orders kept at each step of the search.
        seed: Of everything random.
    """

    units: int | None = None
    inner: int | None = None
    lexical: bool | None = None
    gate: str = "before"
    profile: str = "text"
    layer: int = 1
    conjoin_only: bool = False
    tags: str = "xpos"
    least: int | None = None
    least_form: int = 10
    embeddings: int = 0
    optimiser: str = "adam"
    rate: float | None = None
    beta1: float = 0.9
    beta2: float | None = None
    epsilon: float | None = None
    clip: float | None = None
    l2: float = 1e-5
    dropout: float = 0.2
    decay: float = 0.5
    init: float = 0.1
    contraction: float = 0.99
    norm: str = "frobenius"
    epochs: int = 20
    batch_words: int = 400
    validate_every: int = 20_000
    patience: int = 5
    longest_trained: int = 64
    longest: int = 250
    beam: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise SettingsError(f"{name} cannot be {getattr(self, name)!r}", hint=f"choose {' or '.join(choices)}")
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not _fits(str(field.type), value):
                raise SettingsError(f"{field.name} cannot be {value!r}")


def _fits(kind: str, value: object) -> bool:
    if kind.startswith("bool") or isinstance(value, bool):
        return kind.startswith("bool") and isinstance(value, bool)
    if kind.startswith("int"):
        return isinstance(value, int) and 0 <= value < 1 << 62
    return kind.startswith("str") or (isinstance(value, (int, float)) and 0 <= value < float("inf"))


_AT_LEAST_ONE = (
    "units",
    "layer",
    "least",
    "least_form",
    "epochs",
    "batch_words",
    "validate_every",
    "patience",
    "longest",
    "beam",
)


def settings_of(kind: str, given: dict[str, Any]) -> Settings:
    """The settings of a kind, with what is given in place of its defaults.

    Raises:
        SettingsError: There is no such kind or setting, or a value makes no sense.

    Example:
        >>> settings_of("gru", {"beam": 2}).units
        30
        >>> settings_of("gru", {"bean": 2})
        Traceback (most recent call last):
        ...
        tolka.errors.SettingsError: a recurrent pre-orderer has no setting 'bean'
    """
    if kind not in KINDS:
        raise SettingsError(f"there is no recurrent pre-orderer {kind!r}", hint=f"choose from {', '.join(KINDS)}")
    known = {field.name for field in fields(Settings)}
    for name in given:
        if name not in known:
            raise SettingsError(f"a recurrent pre-orderer has no setting {name!r}")
    settings = Settings(**given)
    adam = settings.optimiser == "adam"
    defaults = {"inner": 0, "lexical": False, **_OF_KINDS[kind]}
    defaults |= (
        {"rate": 0.002, "beta2": 0.999, "epsilon": 1e-8} if adam else {"rate": 1.0, "beta2": 0.95, "epsilon": 1e-6}
    )
    settings = replace(settings, **{name: value for name, value in defaults.items() if getattr(settings, name) is None})
    if settings.longest_trained > PADDED[-1]:
        raise SettingsError(f"longest_trained must be at most {PADDED[-1]}")
    if settings.dropout >= 1 or not 0 < settings.decay <= 1:
        raise SettingsError("dropout must be below 1, and decay above 0 and at most 1")
    if settings.embeddings and not settings.lexical:
        raise SettingsError(
            "rows of words can begin from embeddings only where words are features",
            hint="set lexical, or no embeddings",
        )
    for name in _AT_LEAST_ONE:
        value = getattr(settings, name)
        if value is not None and value < 1:
            raise SettingsError(f"{name} must be at least 1")
    return settings
