"""Rules on demand: time and size of the index, time per sentence, and what sampling does to translations.

Reads TOLKA_DATA (default: ../shared/data). The text is aligned first with tolka's default aligner (kept in
GRAMMAR_WORK, if that is set, for the next run). Every line is one JSON object.

    python bench/grammar/suffix.py [--corpus multi30k|europarl] [--pairs N] [--kinds hiero phrase] [--bleu]

With --bleu (multi30k), the test set is translated with sampled rules and with the whole table, under the same weights.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sacrebleu
from run import DATA, prepare

from tolka.decode import Decoder
from tolka.grammar import Extractor, Grammar, SuffixGrammar
from tolka.lm import LanguageModel, LanguageModelTrainer

TESTS = {
    "multi30k": ("multi30k/tok-lc/test_2016_flickr.de.xz", "multi30k/tok-lc/test_2016_flickr.en.xz"),
    "europarl": ("europarl-fr-en/test.fr.xz", "europarl-fr-en/test.en.xz"),
}
# Words that rules with gaps cover at most, as in the decoder.
MAX_SPAN = 12
# Near what tuning finds on this corpus, relative to the language model.
WEIGHTS = {"lm": 1.0, "phrase_fe": 0.75, "lex_fe": 0.07, "phrase_ef": 0.7, "lex_ef": 0.45, "word_count": 1.9}
KINDS = {
    "hiero": {"rule_count": -0.6, "glue": -0.5, "unknown": -5.0},
    "phrase": {"rule_count": 0.8, "distortion": -0.36, "unknown": -5.0},
}


def lines(name: str, most: int) -> list[str]:
    with lzma.open(DATA / name, "rt", encoding="utf-8", newline="\n") as text:
        return [" ".join(line.lower().split()) for line in islice(text, most)]


def say(**values: object) -> None:
    print(json.dumps({"bench": "suffix", **values}), flush=True)


def clock() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def since(start: tuple[float, float]) -> dict[str, float]:
    now = clock()
    return {"cpu_seconds": round(now[0] - start[0], 3), "seconds": round(now[1] - start[1], 3)}


def peak() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def translate(grammar: Grammar, lm: LanguageModel, kind: str, sentences: list[str]) -> list[str]:
    weights = dict(WEIGHTS) | KINDS[kind]
    weights |= {name: 0.8 for name in grammar.feature_names if name.startswith("reorder_")}
    settings = {"pop_limit": 30} if kind == "hiero" else {"pop_limit": 200, "stack_size": 100}
    decoder = Decoder(grammar, lm, kind="chart" if kind == "hiero" else "phrase", weights=weights, **settings)
    return decoder.translate(sentences)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", choices=TESTS, default="multi30k")
    parser.add_argument("--pairs", type=int, default=29_000)
    parser.add_argument("--kinds", nargs="+", default=["phrase", "hiero"])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--bleu", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        files = prepare(Path(os.environ.get("GRAMMAR_WORK", directory)), given.corpus, given.pairs)
        sources, references = (lines(name, given.sentences) for name in TESTS[given.corpus])
        start = clock()
        built = SuffixGrammar.build(*files, Path(directory) / "g", extractor=Extractor("phrase"))
        stats = built.stats()
        say(
            what="build",
            corpus=given.corpus,
            pairs=stats.pairs,
            words=stats.words,
            mb=round(stats.bytes / 2**20, 1),
            **since(start),
            peak_mb=peak(),
        )
        start = clock()
        built.append(["ein gänzlich neues wort"], ["an entirely new word"], ["0-0 1-1 2-2 3-3"])
        say(what="append one pair", **since(start))
        lm = LanguageModelTrainer(order=3).train(files[1]) if given.bleu else None
        for kind in given.kinds:
            segments = built.segments
            for number in sorted({1, min(100, len(sources)), len(sources)}):
                # Anew, so that nothing is remembered of other sentences.
                span = MAX_SPAN if kind == "hiero" else 0
                grammar = SuffixGrammar(segments, Extractor(kind), samples=given.samples, max_span=span)
                start = clock()
                table = grammar.extract(sources[:number])
                say(
                    what="extract",
                    kind=kind,
                    samples=given.samples,
                    sentences=number,
                    rules=len(table),
                    **since(start),
                    peak_mb=peak(),
                )
            if lm is None:
                continue
            whole = Extractor(kind).extract(*files, Path(directory) / "whole")
            for name, used in (("sampled", table), ("whole table", whole)):
                out = translate(used, lm, kind, sources)
                score = sacrebleu.corpus_bleu(out, [references], tokenize="none", force=True).score
                say(what="translate", kind=kind, rules=name, bleu=round(score, 2))


if __name__ == "__main__":
    main()
