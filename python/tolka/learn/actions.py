"""The actions of undirected search, learnt from sentences and their translations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sized
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tolka import _engine
from tolka.decode.decoder import ACTION, HASHED
from tolka.decode.sentence import lines_and_spans
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files.container import Container, write_container

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from tolka.decode import Decoder
    from tolka.decode.sentence import Input

Step = Literal["perceptron", "passive", "mira", "adagrad"]
"""How far weights move: by a rate, as far as a margin of 1 or of the gain in reward asks for, or less and less."""

Method = Literal["better", "pairwise", "risk", "guided"]
"""What weights move towards: ends that are better than the policy's own, the better of two ends, more reward on average
(minimum risk), or what an expert does wherever the policy does something else."""

Reward = Literal["bleu", "document", "chrf"]
"""What a translation is worth: BLEU+1, what it adds to the BLEU of the sentences before it, or chrF."""

Span = Literal["path", "action"]
"""What of the better and the worse end counts: all that led there from the state on, or the two actions alone."""


@dataclass(frozen=True)
class Learning:
    """How a policy learns.

    Attributes:
        epochs: Passes over the sentences.
        step: How far weights move.
        rate: How far at most, in features of unit variance.
        method: What they move towards.
        reward: What a translation is worth.
        span: What counts of the two paths.
        expert: The share of paths that follow an expert where it knows what to do (LOLS): the derivation whose rules say
            most of the reference.
        zipf: The exponent by which competitors are drawn from their ranks; 0 draws all alike.
        samples: States of a sentence at which another action is forced.
        gap: How much better the end must be, in points of the reward.
        batch: Sentences that are tried with the same weights.
        scaled: Whether features move the less the more they vary.
        seed: Of all that is drawn; the same seed gives the same weights, whatever the number of threads.
    """

    epochs: int = 10
    step: Step = "mira"
    rate: float = 0.01
    method: Method = "better"
    reward: Reward = "bleu"
    span: Span = "path"
    expert: float = 0.0
    zipf: float = 1.0
    samples: int = 1
    gap: float = 0.0
    batch: int = 8
    scaled: bool = True
    seed: int = 1

    def check(self) -> None:
        """Look for numbers that the engine cannot be told of.

        Raises:
            SettingsError: There are some.
        """
        if not 0 <= self.seed < 1 << 64 or min(self.samples, self.batch) < 0:
            raise SettingsError("a seed, samples and batches are not negative")
        if self.epochs < 1:
            raise SettingsError("nothing is learnt in less than one epoch", hint="use 1 or more")

    def native(self) -> dict[str, Any]:
        """For the engine, which knows nothing of how many epochs there are."""
        return {name: value for name, value in asdict(self).items() if name != "epochs"}


@dataclass(frozen=True)
class Epoch:
    """What came of a pass over the sentences.

    Attributes:
        number: From 0 on.
        reward: That of the policy's own translations on the way, on average, in points.
        tried: Actions that were forced.
        better: Those that ended better, from which something was learnt.
        weights: The average over all that was learnt so far, by the names that decoders know.
    """

    number: int
    reward: float
    tried: int
    better: int
    weights: dict[str, float]


@dataclass(frozen=True)
class Learnt:
    """Weights of actions, and how they came about.

    Attributes:
        weights: For `Decoder.with_weights`.
        epochs: What came of each pass that was made now; those before a stop are not among them.
    """

    weights: dict[str, float]
    epochs: tuple[Epoch, ...]


def learn_actions(
    decoder: Decoder,
    sentences: Sequence[Input],
    references: Sequence[str],
    *,
    learning: Learning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    told: Callable[[Epoch], bool] | None = None,
    memory: int = 1 << 31,
    threads: int = 0,
) -> Learnt:
    """Learn what actions of undirected search count (discriminative reinforcement learning).

    The weights that forests are scored with stay as they are; actions begin with the same. Sentences that rules were
    extracted from tell nothing of others: use a development set or text that was held out.

    Args:
        decoder: Of kind `undirected`.
        sentences: With spaces between tokens.
        references: A translation of each, likewise.
        learning: How.
        checkpoint: A file that has all there is to know after each epoch. If it is there, learning goes on from it.
        told: Is called after each epoch; learning ends when it returns False.
        memory: About how many bytes are kept from one epoch to the next; with less than it takes, forests are found anew.
        threads: How many; 0 for one per core. The result does not depend on it.

    Returns:
        Weights with names that begin with `action.`.

    Raises:
        InputError: No sentences, or not as many references.
        SettingsError: Another kind of decoder, values that make no sense, a checkpoint of other settings or data.
        FormatError: A damaged checkpoint.
    """
    how = learning or Learning()
    if decoder.kind != "undirected":
        raise SettingsError(f"a decoder of kind {decoder.kind} has no actions to learn", hint="use kind='undirected'")
    if memory < 0 or threads < 0:
        raise SettingsError("bytes of memory and threads are not negative", hint="use 0 threads for one per core")
    how.check()
    if not sentences:
        raise InputError("there are no sentences to learn from")
    if len(sentences) != len(references):
        raise InputError(f"there are {len(sentences)} sentences but {len(references)} references")
    names = [f"{ACTION}{name}" for name, _ in _engine.undirected_start(decoder.native)]
    hashed = {name for name in names if HASHED in name}
    lines, given = lines_and_spans(sentences)
    kept = (
        None
        if checkpoint is None
        else _Checkpoint(Path(checkpoint), _key(decoder, how, (names, lines, given, references)), len(names))
    )
    first, state = (0, None) if kept is None else kept.read()
    epochs: list[Epoch] = []

    def found(state: dict[str, Any]) -> dict[str, float]:
        # Most features in context are never seen.
        each = zip(names, state["average"].tolist(), strict=True)
        return {name: weight for name, weight in each if weight or name not in hashed}

    weights = {} if state is None else found(state)

    def after(number: int, counts: tuple[int, int, int, float], state: dict[str, Any]) -> bool:
        examples, tried, better, reward = counts
        weights.update(found(state))
        if kept is not None:
            kept.write(number + 1, state)
        epochs.append(Epoch(number, reward / examples, tried, better, dict(weights)))
        return told is None or bool(told(epochs[-1]))

    if first < how.epochs:
        _engine.learn_undirected(
            decoder.native,
            lines,
            list(references),
            given=given,
            learning=how.native(),
            state=state,
            first=first,
            epochs=how.epochs,
            threads=threads,
            memory=memory,
            told=after,
        )
    return Learnt(weights, tuple(epochs))


def _key(decoder: Decoder, how: Learning, data: tuple[Any, ...]) -> str:
    """What a checkpoint must be of to go on from it; more epochs are no other settings."""
    sizes = [len(grammar) if isinstance(grammar, Sized) else 0 for grammar in decoder.grammars.values()]
    lms = [list(lm.counts) for lm in decoder.lms.values()]
    parts = [how.native(), dict(decoder.settings), dict(decoder.weights), sizes, lms, *data]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


_KIND = "learning"
_ARRAYS = ("weights", "moved", "squares", "rates")


@dataclass(frozen=True)
class _Checkpoint:
    """All that is known of a learner, in a file."""

    path: Path
    key: str
    features: int

    def write(self, epochs: int, state: dict[str, Any]) -> None:
        note = {"key": self.key, "epochs": epochs, "count": state["count"]}
        sections = {name: np.asarray(state[name], np.float64) for name in _ARRAYS}
        write_container(self.path, _KIND, {"note": json.dumps(note).encode(), **sections})

    def read(self) -> tuple[int, dict[str, Any] | None]:
        if not self.path.exists():
            return 0, None
        container = Container.open(self.path, _KIND)
        try:
            note = json.loads(container.bytes("note"))
            epochs, count, key = int(note["epochs"]), float(note["count"]), note["key"]
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError("the checkpoint is damaged", path=self.path, hint="delete it and learn anew") from error
        if key != self.key:
            raise SettingsError(
                f"{self.path} is of other sentences or settings", hint="delete it, or name another checkpoint"
            )
        state: dict[str, Any] = {name: container.array(name).astype(np.float64) for name in _ARRAYS}
        if epochs < 1 or count < 1 or any(len(state[name]) != self.features for name in _ARRAYS):
            raise FormatError("the checkpoint is damaged", path=self.path, hint="delete it and learn anew")
        state["average"] = state["weights"] - state["moved"] / count
        return epochs, {**state, "count": count}
