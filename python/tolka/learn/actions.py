"""The actions of undirected search, learnt from sentences and their translations."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tolka import _engine
from tolka.decode.decoder import ACTION, is_in_context
from tolka.decode.sentence import lines_and_spans
from tolka.errors import InputError, SettingsError
from tolka.learn.checkpoint import Checkpoint, key_of
from tolka.learn.learning import Epoch, Method, PolicyLearning, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from tolka.decode import Decoder
    from tolka.decode.sentence import Input

Reward = Literal["bleu", "document", "chrf"]
"""What a translation is worth: BLEU+1, what it adds to the BLEU of the sentences before it, or chrF."""


@dataclass(frozen=True)
class Learning(PolicyLearning):
    """How a policy learns to translate; `rate` is in features of unit variance and `gap` in points of the reward.

    The expert is the derivation whose rules say most of the reference. The defaults are what did no harm on held-out text;
    what Gesmundo & Henderson did is `Learning(method="better", step="perceptron", samples=1, batch=1)`.

    Attributes:
        reward: What a translation is worth.
        scaled: Whether features move the less the more they vary.
    """

    step: Step = "adagrad"
    rate: float = 0.01
    method: Method = "risk"
    samples: int = 4
    batch: int = 8
    reward: Reward = "bleu"
    scaled: bool = True


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
    hashed = {name for name in names if is_in_context(name)}
    lines, given = lines_and_spans(sentences)
    kept = (
        None
        if checkpoint is None
        else Checkpoint(Path(checkpoint), _key(decoder, how, (names, lines, given, references)), len(names))
    )
    first, state = (0, None) if kept is None else kept.read()
    epochs: list[Epoch] = []

    def found(state: dict[str, Any]) -> dict[str, float]:
        # Most features in context are never seen.
        each = zip(names, how.wanted(state), strict=True)
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
    return key_of([how.native(), dict(decoder.settings), dict(decoder.weights), sizes, lms, *data])
