"""How much the language model should count: BLEU's answer, and that of readers (Mohammad 2012, section 3.1.3).

The noisy channel says argmax P(f|e) P(e)^alpha with alpha = 1; the thesis reports that tuning to BLEU ends at 2 to 2.5
and reads it as a language model made too strong to please the metric. In a log-linear model alpha is the weight of the
language models, divided by that of all translation probabilities together. Here it is varied while everything else stays
(the reward of words grows along, or strong language models would be judged by short outputs alone), and each output is
an item for CLAIRE: people judge it in a campaign, and two made-up readers stand in for them where there are none.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Answer, Choice
from tolka.judge.rank import Ranker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.judge.rank import Ranking
    from tolka.translate import Translator


ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0)
Reader = Literal["adequacy", "fluency"]
READERS: tuple[Reader, ...] = ("adequacy", "fluency")
_FEWEST = 2


@dataclass(frozen=True)
class Swept:
    """What a model says under one weight of its language models.

    Attributes:
        alpha: That weight, by the weight of its translation probabilities.
        bleu: BLEU of the outputs.
        length: Their length by the reference's.
        outputs: The outputs.
        fluency: What the language models think of each output: the mean natural logarithm per word.
    """

    alpha: float
    bleu: float
    length: float
    outputs: tuple[str, ...]
    fluency: tuple[float, ...]

    @property
    def name(self) -> str:
        """What it is called as an item of a campaign."""
        return item_name(self.alpha)


@dataclass(frozen=True)
class Sweep:
    """A model under several weights.

    Attributes:
        tuned: The alpha of the model as it is.
        points: What it says, by rising alpha.
    """

    tuned: float
    points: tuple[Swept, ...]

    @property
    def best(self) -> Swept:
        """The point with the highest BLEU; of equal ones the smallest alpha."""
        return max(self.points, key=lambda point: (point.bleu, -point.alpha))


def item_name(alpha: float) -> str:
    """What outputs under an alpha are called in campaigns and answers.

    Example:
        >>> item_name(0.5)
        'alpha-0.5'
    """
    return f"alpha-{alpha:g}"


def alpha_of(weights: Mapping[str, float], lms: Sequence[str]) -> tuple[float, float]:
    """The weight of the language models by that of the translation probabilities, and the latter.

    Example:
        >>> alpha_of({"phrase_fe": 1.0, "lex_ef": 1.0, "count_1": 5.0, "lm": 4.0}, ["lm"])
        (2.0, 2.0)
    """
    missing = [name for name in lms if name not in weights]
    if missing or not lms:
        raise InputError("the model has no language model whose weight could be varied")
    translation = math.fsum(
        weight for name, weight in weights.items() if name.rpartition(".")[2].startswith(("phrase_", "lex_"))
    )
    if translation <= 0:
        raise InputError(
            f"the translation probabilities of the model weigh {translation:g} together, so there is no alpha",
            hint="tune the model, or take another",
        )
    return math.fsum(weights[name] for name in lms) / translation, translation


def sweep(
    translator: Translator,
    source: Sequence[str],
    reference: Sequence[str],
    *,
    alphas: Sequence[float] = ALPHAS,
    threads: int = 0,
) -> Sweep:
    """Translate a text under several weights of the language model.

    Args:
        translator: The model.
        source: Lines to translate.
        reference: Their translations.
        alphas: The weights, by the weight of the translation probabilities.
        threads: 0 for all cores; the result does not depend on it.

    Raises:
        InputError: The texts are not parallel or empty, or the model has no language model.
        SettingsError: An alpha is below 0, or there are fewer than two.
    """
    from tolka.evaluate import evaluate  # noqa: PLC0415 - the other experiments need no metrics
    from tolka.lm import LanguageModel  # noqa: PLC0415

    if len(source) != len(reference) or not source:
        raise InputError(f"there are {len(source)} lines and {len(reference)} references", hint="give parallel text")
    wanted = sorted(set(alphas))
    if len(wanted) < _FEWEST or any(not (math.isfinite(alpha) and alpha >= 0) for alpha in wanted):
        raise SettingsError("a sweep takes two different alphas or more, none below 0")
    weights, lms = translator.weights, translator.description.lms
    tuned, translation = alpha_of(weights, lms)
    models = [LanguageModel.load(translator.files.lms[name]) for name in lms]
    prepared = translator.sentences(list(source), threads=threads)
    points = []
    for alpha in wanted:
        other = translator.with_weights(_scaled(weights, lms, tuned, alpha, translation))
        words = other.search(prepared, threads=threads)
        outputs = other.restore(words, threads=threads)
        score = evaluate(outputs, reference, ["bleu"], tokenised=translator.description.text.tokenised)["bleu"]
        thinks = np.mean([model.scores(words, threads=threads) for model in models], axis=0) * math.log(10)
        lengths = [len(line.split()) + 1 for line in words]
        points.append(
            Swept(
                alpha,
                score.score,
                float(score.details["ratio"]),
                tuple(outputs),
                tuple(float(value) / length for value, length in zip(thinks, lengths, strict=True)),
            )
        )
    return Sweep(tuned, tuple(points))


def _scaled(
    weights: Mapping[str, float], lms: Sequence[str], tuned: float, alpha: float, translation: float
) -> dict[str, float]:
    """Weights in which the language models have this alpha, their proportions and their word reward kept."""
    if tuned <= 0:
        return {name: alpha * translation / len(lms) for name in lms}
    factor = alpha / tuned
    found = {name: weights[name] * factor for name in lms}
    return found | {
        name: weight * factor for name, weight in weights.items() if name.rpartition(".")[2] == "word_count"
    }


def readers_answers(
    found: Sweep, reference: Sequence[str], reader: Reader, *, answers: int = 2000, lapse: float = 0.1, seed: int = 1
) -> list[Answer]:
    """Forced choices of a made-up reader between the outputs of a sweep.

    The reader for adequacy prefers the output that shares more of the reference's information (words weighted by how
    rare they are in the reference, F1); the one for fluency what the model's own language model finds likelier. Neither
    is a person: they say in which direction each of the two demands pulls.

    Args:
        found: The sweep.
        reference: The reference of its text.
        reader: "adequacy" or "fluency".
        answers: How many; pairs and segments are drawn at random, equal outputs never.
        lapse: The share of answers that are a coin's.
        seed: Of everything random.
    """
    if reader not in READERS:
        raise SettingsError(f"there is no reader for {reader!r}", hint=f"choose one of {', '.join(READERS)}")
    if answers < 1 or not 0 <= lapse <= 1:
        raise SettingsError("a reader gives 1 answer or more, of which a share from 0 to 1 is a coin's")
    points = found.points
    questions = [
        (one, other, segment)
        for one, other in combinations(range(len(points)), 2)
        for segment in range(len(reference))
        if points[one].outputs[segment] != points[other].outputs[segment]
    ]
    if not questions:
        raise InputError("the outputs of all weights are the same, so there is nothing to choose")
    information = _information(reference)
    rng = np.random.default_rng([seed, READERS.index(reader)])

    def likes(point: Swept, segment: int) -> float:
        if reader == "fluency":
            return point.fluency[segment]
        return _shared(point.outputs[segment], reference[segment], information)

    said = []
    for number in rng.integers(len(questions), size=answers).tolist():
        one, other, segment = questions[number]
        if rng.random() < 0.5:  # noqa: PLR2004
            one, other = other, one
        ahead = likes(points[one], segment) - likes(points[other], segment)
        left = rng.random() < 0.5 if ahead == 0 or rng.random() < lapse else ahead > 0  # noqa: PLR2004
        choice = Choice.LEFT if left else Choice.RIGHT
        said.append(Answer(points[one].name, points[other].name, choice, reader, str(segment + 1), sided=True))
    return said


def preferred(answers: Iterable[Answer], found: Sweep) -> tuple[Ranking, float]:
    """The ranking of the points of a sweep by answers, and the alpha that it puts first.

    Raises:
        InputError: The answers are about other items.
    """
    names = {point.name: point.alpha for point in found.points}
    given = [answer for answer in answers if answer.test is None]
    strange = sorted({name for answer in given for name in (answer.left, answer.right)} - set(names))
    if strange:
        raise InputError(
            f"an answer is about {strange[0]!r}, which is no point of this sweep",
            hint=f"points are called {', '.join(list(names)[:3])}, …",
        )
    ranking = Ranker().fit(given)
    return ranking, names[ranking.items[0]]


def _information(reference: Sequence[str]) -> dict[str, float]:
    """Of each word of a reference, the logarithm of how rare lines with it are."""
    lines = Counter(word for line in reference for word in set(line.lower().split()))
    return {word: math.log((1 + len(reference)) / number) for word, number in lines.items()}


def _shared(output: str, reference: str, information: Mapping[str, float]) -> float:
    """The F1 of words, each weighted by its information; words the reference never has weigh as the rarest."""
    rarest = max(information.values(), default=1.0)

    def mass(words: Counter[str]) -> float:
        return math.fsum(number * information.get(word, rarest) for word, number in words.items())

    said, meant = Counter(output.lower().split()), Counter(reference.lower().split())
    whole = mass(said) + mass(meant)
    return 2 * mass(said & meant) / whole if whole else 0.0
