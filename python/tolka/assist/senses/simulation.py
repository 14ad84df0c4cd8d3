"""What questions are worth: simulated people answer, and translations are compared with references."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.assist.senses.users import ReferenceUser
from tolka.errors import InputError, SettingsError
from tolka.evaluate import Bleu, approximate_randomisation, collect_statistics, paired_bootstrap
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.senses.asking import Strategy
    from tolka.assist.senses.dialogue import SenseDialogue
    from tolka.assist.senses.model import SenseModel
    from tolka.assist.senses.users import User
    from tolka.evaluate import Comparison
    from tolka.progress import Progress


@dataclass(frozen=True)
class Comparing:
    """Translations after questions beside those before.

    Attributes:
        questions: Questions for a sentence, at most.
        asked: Questions asked, of all sentences.
        answered: Those that were answered by one of the two words.
        changed: The share of sentences whose translations differ from those before.
        bleu: Of all sentences, in per cent.
        gain: Less that of the translations before.
        p_bootstrap: Paired bootstrap resampling of that difference.
        p_randomisation: Approximate randomisation of that difference.
        changed_before: BLEU of the sentences that changed, before; 0 if none did.
        changed_after: The same, after.
        p_changed: Paired bootstrap resampling of that difference.
    """

    questions: int
    asked: int
    answered: int
    changed: float
    bleu: float
    gain: float
    p_bootstrap: float
    p_randomisation: float
    changed_before: float
    changed_after: float
    p_changed: float


@dataclass(frozen=True)
class Turn:
    """A question of a simulation.

    Attributes:
        information: What the answer was expected to tell, in nats.
        answer: What was answered.
        text: The translation after it.
    """

    information: float
    answer: int | None
    text: str


@dataclass(frozen=True)
class SenseSimulation:
    """What questions were worth.

    Attributes:
        sentences: How many there were.
        before: BLEU without questions.
        strategy: How questions were chosen.
        curve: What is reached with 1, 2, ... questions for each sentence.
        turns: For each sentence its questions.
        texts: The translations without questions.
    """

    sentences: int
    before: float
    strategy: str
    curve: tuple[Comparing, ...]
    turns: tuple[tuple[Turn, ...], ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)

    @property
    def after(self) -> Comparing:
        """What is reached with all questions."""
        return self.curve[-1]

    def to_dict(self) -> dict[str, Any]:
        """The figures, as `tolka assist simulate --json` prints them."""
        return {
            "sentences": self.sentences,
            "strategy": self.strategy,
            "before": {"bleu": round(self.before, 4)},
            "after": {"bleu": round(self.after.bleu, 4), "changed": round(self.after.changed, 6)},
            "questions": self.after.asked,
            "curve": [
                {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(one).items()}
                for one in self.curve
            ],
        }


def simulate_senses(
    model: SenseModel,
    sources: Sequence[str],
    references: Sequence[str],
    *,
    user: User | None = None,
    strategy: Strategy = "information",
    questions: int = 4,
    least: float = 0.0,
    per_word: int = 2,
    seed: int = 12345,
    threads: int = 1,
    progress: Progress = SILENT,
) -> SenseSimulation:
    """Let somebody answer questions about each sentence, and compare translations before and after.

    Args:
        model: What translates and asks.
        sources: Text.
        references: Its translation, line by line.
        user: Who answers; `ReferenceUser` if not given, an oracle.
        strategy: How questions are chosen.
        questions: For a sentence, at most.
        least: Questions that tell less, in nats, are not asked.
        per_word: Questions about a word, at most.
        seed: Of the tests.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        InputError: The texts differ in length or are empty.
    """
    if len(sources) != len(references):
        raise InputError(
            f"there are {len(sources)} sentences and {len(references)} references",
            hint="give two texts that belong together line by line",
        )
    if not sources:
        raise InputError("there are no sentences")
    if questions < 1:
        raise SettingsError(f"{questions} questions tell nothing", hint="ask at least 1")
    who = user or ReferenceUser()
    wanted = model.translator.target.prepare(list(references), threads=threads)
    texts, turns = [], []
    with progress.task("asking", total=len(sources), unit="sentences") as advance:
        settings: dict[str, Any] = {"strategy": strategy, "least": least, "most": questions, "per_word": per_word}
        for dialogue, reference in zip(model.dialogues(sources, threads=threads, **settings), wanted, strict=True):
            texts.append(dialogue.result)
            turns.append(converse(dialogue, who, reference))
            advance(1)
    curve = tuple(
        _compared(texts, turns, number, references, seed=seed, threads=threads) for number in range(1, questions + 1)
    )
    before = curve[0].bleu - curve[0].gain
    return SenseSimulation(len(sources), before, strategy, curve, tuple(turns), tuple(texts))


def converse(dialogue: SenseDialogue, user: User, reference: str) -> tuple[Turn, ...]:
    """Let somebody answer until nothing is asked any more; the reference is in the model's words."""
    turns = []
    while (question := dialogue.question) is not None and (present := dialogue.present) is not None:
        answer = user.answer(present, reference)
        dialogue.answer(question.id, answer)
        turns.append(Turn(question.information, answer, dialogue.result))
    return tuple(turns)


def _compared(
    texts: Sequence[str],
    turns: Sequence[Sequence[Turn]],
    number: int,
    references: Sequence[str],
    *,
    seed: int,
    threads: int,
) -> Comparing:
    after = [own[:number][-1].text if own else text for text, own in zip(texts, turns, strict=True)]
    return compared(
        texts,
        after,
        references,
        questions=number,
        asked=sum(min(number, len(own)) for own in turns),
        answered=sum(turn.answer is not None for own in turns for turn in own[:number]),
        seed=seed,
        threads=threads,
    )


def compared(
    before: Sequence[str],
    after: Sequence[str],
    references: Sequence[str],
    *,
    questions: int = 0,
    asked: int = 0,
    answered: int = 0,
    seed: int = 12345,
    threads: int = 1,
) -> Comparing:
    """Put translations beside those before them.

    Example:
        >>> found = compared(["a hard bag is here", "b c d e f"], ["a heavy bag is here", "b c d e f"],
        ...                  ["a heavy bag is here", "b c d e g"])
        >>> found.changed, found.gain > 0
        (0.5, True)
    """
    old, new, difference, shuffled = _tested(before, after, references, seed, threads)
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    part = [[text[at] for at in changed] for text in (before, after, references)]
    few = _tested(part[0], part[1], part[2], seed, threads) if changed else None
    return Comparing(
        questions=questions,
        asked=asked,
        answered=answered,
        changed=len(changed) / len(before),
        bleu=new,
        gain=new - old,
        p_bootstrap=difference.p,
        p_randomisation=shuffled.p,
        changed_before=few[0] if few else 0.0,
        changed_after=few[1] if few else 0.0,
        p_changed=few[2].p if few else 1.0,
    )


def _tested(
    before: Sequence[str], after: Sequence[str], references: Sequence[str], seed: int, threads: int
) -> tuple[float, float, Comparison, Comparison]:
    new, old = collect_statistics(Bleu(), [after, before], [list(references)], threads=threads)
    tests = (
        paired_bootstrap(new, old, seed=seed, threads=threads),
        approximate_randomisation(new, old, rounds=1000, seed=seed, threads=threads),
    )
    return old.score, new.score, *tests


def budget(
    found: SenseSimulation, references: Sequence[str], budgets: Sequence[int], *, seed: int = 12345, threads: int = 1
) -> list[Comparing]:
    """What so many questions over all sentences are worth, those of most expected information first.

    A sentence's questions keep their order; with random questions information says nothing, and sentences come as they are.
    """
    waiting = [at for at, own in enumerate(found.turns) if own]
    taken = [0] * found.sentences
    rows, spent = [], 0
    queue = sorted(waiting, key=lambda at: -_value(found, at, 0))
    for most in sorted(budgets):
        while spent < most and queue:
            at = queue.pop(0)
            taken[at] += 1
            spent += 1
            if taken[at] < len(found.turns[at]):
                value = _value(found, at, taken[at])
                place = next((n for n, one in enumerate(queue) if _value(found, one, taken[one]) < value), len(queue))
                queue.insert(place, at)
        after = [found.turns[at][number - 1].text if number else found.texts[at] for at, number in enumerate(taken)]
        answers = sum(
            turn.answer is not None for own, number in zip(found.turns, taken, strict=True) for turn in own[:number]
        )
        rows.append(compared(found.texts, after, references, asked=spent, answered=answers, seed=seed, threads=threads))
    return rows


def _value(found: SenseSimulation, at: int, number: int) -> float:
    return found.turns[at][number].information if found.strategy != "random" else 0.0
