"""What keeps an ensemble from a gain: its operation, its weights or its components? Oracles that see the references say.

    python bench/combine/oracle.py both --source test.de --reference test.en
    python bench/combine/oracle.py home tech --source test.de --reference test.en --sentences 200
    python bench/combine/oracle.py adapted.work --source test.de --reference test.en

Given is an ensemble, models to make one of, or the work folder of `tolka combine adapt`, whose first ensemble is taken. Each line of
output is one JSON object with BLEU of the words (as tuning has it) of:

- `component`: each component alone, under its own search;
- `ensemble`: the ensemble by each operation with equal lambdas, and as it was saved;
- `lambdas`: for each operation the lambdas that suit these very references best, of a few that favour or silence one component:
  more than tuning on other text can find there; and the best of them chosen for each sentence;
- `per sentence`: the best component for each sentence;
- `n-best`: the best of the first translations of each component, of all of them together, and of the ensemble;
- `forest`: the best derivations of each component's own forest, of the best of these for each sentence, of the ensemble's forest
  with the rules of one component alone (`without` counts the sentences that it cannot translate so: what another one knows is not
  unknown in an ensemble), and with all rules: the best component for each span.

An oracle of texts begins with each sentence's best by BLEU+1 (Lin & Och 2004), and again with each sentence's first, and exchanges
translations as long as BLEU of the whole text rises: a greedy search, so that the true oracle may be a little higher. That of a forest is looked for among derivations that are best by the linear approximation of BLEU to the reference (Tromble
et al. 2008; n-grams are not clipped) under several parameters, each exact, and the n-best list; so it is a lower bound, too.

The last line is the verdict. `limit` is `none` if the ensemble beats its best component, and `--baseline` if there is one, by the
margin; `components` if all rules together could hardly do better than one component's; `weights` if other lambdas would give the
gain; else `operation`: what would be better is in the forest, and no lambdas find it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.combine import make_ensemble
from tolka.combine.tuning import OPERATIONS
from tolka.corpus import read_pairs
from tolka.errors import LimitError, SettingsError
from tolka.evaluate import Bleu, collect_statistics
from tolka.forest import Forest
from tolka.translate import Translator
from tolka.translate.ensemble import EnsembleTranslator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.decode import Decoder, EnsembleDecoder, Input

ORDER = 4
FACTORS = (0.0, 0.1, 1 / 3, 3.0, 10.0)
"""How much more a component is made to count than the others."""
PARAMETERS = tuple(itertools.product((0.5, 0.7, 0.85), (-1.0, -0.5, 0.0)))
"""Of linear BLEU: how much precision is left for each word more of an n-gram, and what a word is worth."""
AT_A_TIME = 16
PASSES = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path, help="an ensemble, several models, or a work folder")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--baseline", type=Path, help="another model that the ensemble should beat")
    parser.add_argument("--sentences", type=int, help="so many from all over the text, at most")
    parser.add_argument("--operations", nargs="+", choices=OPERATIONS, default=OPERATIONS)
    parser.add_argument("--nbest", type=int, default=100)
    parser.add_argument("--edges", type=int, default=10_000, help="of a forest, at most: the best are kept")
    parser.add_argument("--margin", type=float, default=1.0, help="a difference of BLEU that counts")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        ensemble = opened(options.models, Path(scratch))
        pairs = [pair for pair in read_pairs(options.source, options.reference) if pair[0].strip() and pair[1].strip()]
        most = min(len(pairs), options.sentences or len(pairs))
        if not most:
            raise SystemExit("oracle: there is no sentence with a translation")
        pairs = [pairs[at * len(pairs) // most] for at in range(most)]
        sources, references = [one for one, _ in pairs], [other for _, other in pairs]
        inputs, wanted = ensemble.prepare_inputs(sources, references)
        bar = None
        if options.baseline is not None:
            baseline = Translator.load(options.baseline)
            words, own = baseline.prepare_pairs(sources, references)
            bar = Judge(own).bleu(list(baseline.decoder.translate(words, threads=options.threads)))
            print(json.dumps({"bench": "oracle", "row": "baseline", "name": str(options.baseline), "bleu": bar}))
        for line in oracles(ensemble, inputs, wanted, options, bar):
            print(json.dumps({"bench": "oracle", **line}), flush=True)


def opened(models: Sequence[Path], scratch: Path) -> EnsembleTranslator:
    """The ensemble to look at."""
    if len(models) > 1:
        names = {place.resolve().name: place for place in models}
        parts = names if len(names) == len(models) else {f"c{at}": place for at, place in enumerate(models)}
        make_ensemble(parts, scratch / "ensemble")
        found = Translator.load(scratch / "ensemble")
    else:
        made = sorted((models[0] / "latest").glob("ensemble-*/model"))
        # Equal lambdas come first where there are any: what tuning did to them is not asked.
        made.sort(key=lambda place: ("-tuned" in place.parent.name, "wsum" not in place.parent.name))
        found = Translator.load(made[0] if made else models[0])
    if not isinstance(found, EnsembleTranslator):
        raise SettingsError("this is one model", path=models[0], hint="name an ensemble, or several models")
    return found


def oracles(
    ensemble: EnsembleTranslator,
    inputs: Sequence[Input],
    wanted: Sequence[str],
    options: argparse.Namespace,
    bar: float | None,
) -> Iterator[dict[str, Any]]:
    mixing, judge = ensemble.mixing, Judge(wanted)
    saved = ensemble.mixture
    uniform = replace(saved, weights={})
    with_operation = {name: mixing.with_mixture(replace(uniform, operation=name)) for name in options.operations}

    def translated(decoder: Decoder) -> list[str]:
        return list(decoder.translate(inputs, threads=options.threads))

    alone = {name: translated(one) for name, one in mixing.components.items()}
    components = {name: judge.bleu(texts) for name, texts in alone.items()}
    for name, score in components.items():
        yield {"row": "component", "name": name, "bleu": score}
    best = max([*components.values(), *([] if bar is None else [bar])])
    together = {name: translated(decoder) for name, decoder in with_operation.items()}
    operations = {name: judge.bleu(texts) for name, texts in together.items()}
    for name, score in operations.items():
        yield {"row": "ensemble", "operation": name, "lambdas": "equal", "bleu": score}
    saved_score = judge.bleu(translated(mixing))
    yield {
        "row": "ensemble", "operation": saved.operation, "lambdas": "saved", "weights": ensemble.weights, "bleu": saved_score,
    }  # fmt: skip

    weighed = 0.0
    for name, decoder in with_operation.items():
        tried = [(weights, translated(reweighed(decoder, weights))) for weights in settings(mixing)]
        score, weights = max(((judge.bleu(texts), weights) for weights, texts in tried), key=lambda one: one[0])
        texts = [[text[at] for _, text in tried] for at in range(len(inputs))]
        each = judge.oracle(texts)
        weighed = max(weighed, score)
        yield {
            "row": "lambdas", "operation": name, "tried": len(tried), "weights": weights, "bleu": score, "per_sentence": each,
        }  # fmt: skip
    sentence = judge.oracle([[texts[at] for texts in alone.values()] for at in range(len(inputs))])
    yield {"row": "per sentence", "bleu": sentence}

    lists = {name: nbest(one, inputs, options) for name, one in mixing.components.items()}
    for name, own in lists.items():
        yield {"row": "n-best", "of": name, "size": options.nbest, "bleu": judge.oracle(own)}
    union = [list(itertools.chain(*(own[at] for own in lists.values()))) for at in range(len(inputs))]
    yield {"row": "n-best", "of": "all components", "size": options.nbest, "bleu": judge.oracle(union)}
    # Every rule of every component has a place in a weighted sum.
    widest = mixing.with_mixture(replace(uniform, operation="wsum"))
    listed = nbest(widest, inputs, options)
    yield {"row": "n-best", "of": "ensemble", "size": options.nbest, "bleu": judge.oracle(listed)}

    own_best, own = 0.0, {}
    for name, decoder in mixing.components.items():
        found = from_forests(decoder, inputs, wanted, options, [None])[None]
        own[name] = [near + first for near, first in zip(found, lists[name], strict=True)]
        score = judge.oracle(own[name])
        own_best = max(own_best, score)
        yield {"row": "forest", "of": name, "rules": "its own", "bleu": score}
    each = judge.oracle([list(itertools.chain(*texts)) for texts in zip(*own.values(), strict=True)])
    yield {"row": "forest", "of": "the best component for each sentence", "rules": "its own", "bleu": each}
    speakers = list(widest.component_names)
    found_by = from_forests(widest, inputs, wanted, options, [*speakers, None])
    for name in speakers:
        without = sum(not texts for texts in found_by[name])
        score = judge.oracle(found_by[name])
        yield {"row": "forest", "of": "ensemble", "rules": name, "without": without, "bleu": score}
    # Whatever the parts of a forest have, the whole has.
    whole = [[*listed[at], *itertools.chain(*(texts[at] for texts in found_by.values()))] for at in range(len(inputs))]
    spans = judge.oracle(whole)
    yield {"row": "forest", "of": "ensemble", "rules": "of the best component for each span", "bleu": spans}
    known = {
        "to_beat": best, "ensemble": max([*operations.values(), saved_score]), "lambdas": weighed,
        "per_sentence": sentence, "one_component_forest": own_best, "per_span": spans,
    }  # fmt: skip
    limit, why = verdict(known, options.margin)
    yield {"row": "verdict", "limit": limit, "why": why, "margin": options.margin, **known}


def verdict(known: Mapping[str, float], margin: float) -> tuple[str, str]:
    """What limits an ensemble, and why."""
    bar, together, weighed = known["to_beat"], known["ensemble"], known["lambdas"]
    room = known["per_span"] - known["one_component_forest"]
    if together - bar >= margin:
        return "none", f"the ensemble is {together - bar:.2f} above what it has to beat"
    if room < margin and known["per_sentence"] - bar < margin:
        return "components", f"the rules of all could be only {room:.2f} better than those of one"
    if weighed - bar >= margin:
        gain = f"{together - bar:+.2f} BLEU to what it has to beat, and {weighed - bar:+.2f} with other lambdas"
        return "weights", f"the ensemble has {gain}"
    # What a single component's forest has in it as well is no merit of having several.
    far = f"{known['per_sentence'] - bar:+.2f} for each sentence, {room:+.2f} for each span"
    return "operation", f"choosing a component well would be worth {far}, and no lambdas that were tried come near"


def settings(mixing: EnsembleDecoder) -> list[dict[str, float]]:
    """Lambdas to try: equal ones, and those that favour or silence one component."""
    names = list(mixing.components)
    found = {}
    for name, factor in [(names[0], 1.0), *itertools.product(names, FACTORS)]:
        weights = {one: factor if one == name else 1.0 for one in names}
        total = sum(weights.values())
        if total:
            scaled = {one: round(value / total, 4) for one, value in weights.items()}
            found.setdefault(tuple(scaled.values()), scaled)
    return list(found.values())


def reweighed(decoder: EnsembleDecoder, weights: Mapping[str, float]) -> EnsembleDecoder:
    return decoder.with_mixture(replace(decoder.mixture, weights=dict(weights)))


def nbest(decoder: Decoder, inputs: Sequence[Input], options: argparse.Namespace) -> list[list[str]]:
    rows = decoder.nbest(inputs, options.nbest, threads=options.threads)
    return [[one.text for one in own] for own in rows]


def from_forests(
    decoder: Decoder,
    inputs: Sequence[Input],
    wanted: Sequence[str],
    options: argparse.Namespace,
    asked: Sequence[str | None],
) -> dict[str | None, list[list[str]]]:
    """For each sentence the derivations nearest to the reference, with the rules of a component or (None) with all."""
    found: dict[str | None, list[list[str]]] = {name: [] for name in asked}
    for begin in range(0, len(inputs), AT_A_TIME):
        some = slice(begin, begin + AT_A_TIME)
        for forest, reference in zip(decoder.forest(inputs[some], threads=options.threads), wanted[some], strict=True):
            for name in asked:
                own = forest if name is None else restricted(forest, name)
                found[name].append([] if own is None else nearest(own, reference.split(), options.edges))
    return found


def restricted(forest: Forest, component: str) -> Forest | None:
    """The derivations that use the rules of one component, and those that are nobody's; none if there is none."""
    data = json.loads(forest.to_json())
    if not data["nodes"]:
        return None
    number = data["components"].index(component)
    allowed = [number in rule.get("components", [number]) for rule in data["rules"]]
    edges = sorted((edge for edge in data["edges"] if allowed[edge["rule"]]), key=lambda edge: edge["head"])
    made: set[int] = set()
    whole = []
    for edge in edges:  # Tails come before heads.
        if made.issuperset(edge["tails"]):
            made.add(edge["head"])
            whole.append(edge)
    goal = len(data["nodes"]) - 1
    if goal not in made:
        return None
    needed = {goal}
    for edge in reversed(whole):
        if edge["head"] in needed:
            needed.update(edge["tails"])
    place = {node: at for at, node in enumerate(sorted(needed))}
    data["nodes"] = [data["nodes"][node] for node in place]
    data["edges"] = [
        {**edge, "head": place[edge["head"]], "tails": [place[tail] for tail in edge["tails"]]}
        for edge in whole
        if edge["head"] in needed
    ]
    return Forest.from_dict(data)


def nearest(forest: Forest, reference: Sequence[str], edges: int) -> list[str]:
    """Translations of a forest that are near the reference, by linear BLEU under several parameters."""
    if not len(forest.nodes):
        return []
    there = {tuple(reference[at : at + n]) for n in range(1, ORDER + 1) for at in range(len(reference) - n + 1)}
    while True:
        try:
            found = (forest.pruned(edges=edges) if len(forest.edges) > edges else forest).ngrams(ORDER)
            break
        except LimitError:
            edges //= 2
    lengths = np.array([len(ngram) for ngram in found.ngrams], dtype=np.float64)
    hits = np.array([ngram in there for ngram in found.ngrams], dtype=np.float64)
    texts = []
    for ratio, word in PARAMETERS:
        best = found.best(hits / (ORDER * 0.85 * ratio ** (lengths - 1.0)), word_gain=word)
        texts += [] if best is None else [best.text]
    return list(dict.fromkeys(texts))


class Judge:
    """BLEU of translations, and of the best that can be chosen."""

    def __init__(self, references: Sequence[str]) -> None:
        self.references = list(references)

    def bleu(self, texts: Sequence[str]) -> float:
        """BLEU of a translation of each sentence."""
        [found] = collect_statistics(Bleu(tokeniser="none"), [list(texts)], [self.references])
        return round(found.score, 2)

    def oracle(self, candidates: Sequence[Sequence[str]]) -> float:
        """BLEU of the translations that are chosen best; those of a sentence without any are empty."""
        own = [list(dict.fromkeys(texts)) or [""] for texts in candidates]
        flat = [text for texts in own for text in texts]
        references = [line for line, texts in zip(self.references, own, strict=True) for _ in texts]
        [found] = collect_statistics(Bleu(tokeniser="none"), [flat], [references])
        ends = np.cumsum([len(texts) for texts in own])
        rows = np.split(found.rows, ends[:-1])
        starts = [[int(np.argmax(plus_one(one))) for one in rows], [0] * len(rows)]
        scores = [found.native.score(self._climb(rows, start)) for start in starts]
        return round(max(scores), 2)

    @staticmethod
    def _climb(rows: Sequence[NDArray[np.float64]], start: Sequence[int]) -> NDArray[np.float64]:
        """Exchange translations as long as BLEU of the whole rises; gives its statistics."""
        chosen = list(start)
        total = np.sum([one[at] for one, at in zip(rows, chosen, strict=True)], axis=0)
        for _ in range(PASSES):
            before = list(chosen)
            for sentence, one in enumerate(rows):
                rest = total - one[chosen[sentence]]
                scores = log_bleu(rest + one)
                top = int(np.argmax(scores))
                if scores[top] > scores[chosen[sentence]] + 1e-12:
                    chosen[sentence], total = top, rest + one[top]
            if chosen == before:
                break
        return np.asarray(total)


def log_bleu(rows: NDArray[np.float64], more: float = 1e-6) -> NDArray[np.float64]:
    words, reference, matches, ngrams = rows[:, 0], rows[:, 1], rows[:, 2 : 2 + ORDER], rows[:, 2 + ORDER :]
    brevity = np.minimum(0.0, 1.0 - reference / np.maximum(words, more))
    found: NDArray[np.float64] = brevity + np.log((matches + more) / (ngrams + more)).mean(axis=1)
    return found


def plus_one(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """BLEU+1 of sentences: one is added to what longer n-grams match, and to their number."""
    added = rows.copy()
    added[:, 3 : 2 + ORDER] += 1.0
    added[:, 3 + ORDER :] += 1.0
    return log_bleu(added)


if __name__ == "__main__":
    main()
