"""Ways to search with one multitree model: what each takes, and what it finds.

    python bench/learn/searches.py MODEL --source test.en --reference test.fr [--sentences 200]

MODEL is a directory of `tolka train --kind multitree`. Nothing is trained again: each line is the model with other settings of its search, one
after the other on the same sentences, in the model's own words. `cpu` and `scored` (inferences whose cost was asked for) are
ratios to the model as it is, which comes first with its CPU milliseconds a sentence; `cheaper` and `dearer` are shares of sentences
whose translation costs less or more than the model's own (`oracles.py` says how that is compared); F with exponents 1 and 2 and BLEU are of words.

`words` is the mean length of translations. With `--penalties` lines are both semirings with each penalty that classifiers know, the largest first:
how sure classifiers are decides which one is better.

- `semiring`: the other one, where classifiers alone decide: sums of costs instead of the worst first, or the other way round.
- `bound`: best first with a bound of what is missing (A*): exact without a beam, the same translations where nothing is pruned.
- `boundary`: texts with the same two words at each end, the same head and its translation are one item.
- `chart`: short spans first (cube pruning), with the same beam and with one four times as wide.
- `threshold`: items more than 1.5 times as bad as the best of their cell are dropped.
- `narrow`, `wide`: a third of the beam, and three times as much.
"""

from __future__ import annotations

import json
import time
from typing import Any

from oracles import Scores, arguments, cheaper, opened

from tolka.multitree import PENALTIES


def variants(own: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Settings by name; the model's own are first."""
    beam = own["beam"] or 100
    others = {"minmerge": "viterbi", "viterbi": "minmerge"}
    # Statistics are weighed in sums only.
    semiring = {} if own["weights"] else {"semiring": {"semiring": others[own["semiring"]]}}
    chart = {"strategy": "chart", "threshold": None, "bound": False}
    return {
        "model": {},
        **semiring,
        "bound": {"strategy": "agenda", "bound": True},
        "boundary": {"identity": "boundary"},
        "bound, boundary": {"strategy": "agenda", "bound": True, "identity": "boundary"},
        "chart": chart,
        "chart, boundary": {**chart, "identity": "boundary"},
        "chart, wide": {**chart, "beam": 4 * beam},
        "threshold": {"strategy": "agenda", "threshold": 1.5},
        "narrow": {"beam": max(1, beam // 3)},
        "wide": {"beam": 3 * beam},
    }


def penalties(own: dict[str, Any], least: float) -> dict[str, dict[str, Any]]:
    """Both semirings with each penalty that classifiers know."""
    if own["weights"]:
        raise SystemExit(
            "searches: statistics are weighed in sums, so that only models of classifiers have penalties to compare"
        )
    known = [penalty for penalty in PENALTIES if penalty >= least * (1 - 1e-9)]
    names = ("minmerge", "viterbi")
    return {f"{penalty:.6f} {name}": {"penalty": penalty, "semiring": name} for penalty in known for name in names}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--penalties", action="store_true", help="both semirings with each penalty instead")
    options = parser.parse_args()
    model, text = opened(options)
    most, scores = len(text.sources), Scores(text.references)
    before, penalty = model.settings.search(), model.settings.penalty
    compared = penalties(before, model.settings.least) if options.penalties else variants(before)
    first: dict[str, Any] = {}
    for name, changed in compared.items():
        others = dict(changed)
        model.with_penalty(others.pop("penalty", penalty)).searching(**{**before, **others})
        began = time.process_time()
        found = model.translate(text.sources, text.trees)
        spent = time.process_time() - began
        first = first or {"found": found, "spent": spent, "scored": sum(one.scored for one in found)}
        line = {
            "bench": "learn searches",
            "model": options.model.resolve().name,
            "sentences": most,
            "search": name,
            "cpu": round(spent / first["spent"], 3),
            "scored": round(sum(one.scored for one in found) / first["scored"], 3),
            "words": round(sum(len(one.words) for one in found) / most, 2),
            **scores.of([str(one) for one in found]),
        }
        # Costs of other classifiers are others.
        if not options.penalties:
            sums = before["semiring"] == "viterbi"
            apart = [cheaper(new, old, sums=sums) for new, old in zip(found, first["found"], strict=True)]
            line["cheaper"] = round(sum(one > 0 for one in apart) / most, 4)
            line["dearer"] = round(sum(one < 0 for one in apart) / most, 4)
        if name == next(iter(compared)):
            line["milliseconds"] = round(1000 * spent / most, 1)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
