"""What ensembles cost: CPU seconds and memory of decoding with 1, 2 and more components, by operation.

Components are models of Multi30k (German to English, tokenised and lower-cased as it comes), each trained without one of as many
folds, with one alignment and one language model; so they share most rules, as components of one domain do. `rules` has the same
weight of the language model in all components, so that rules are mixed once; `edges` mixes every edge. Ratios are to the first
component alone, measured in turns in one run; the best of the turns counts.

`separate` has a table for each component, as ensembles of up to four models have; `joined` has these tables in one, a voice for
each, as ensembles of more models have and `--tables one` asks for; `folds` is the one that `tolka combine stack` extracts.

Prints one JSON line for each number of components, kind of tables and operation.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import tempfile
import time
from pathlib import Path

from tolka.align import Aligner
from tolka.decode import Decoder, EnsembleDecoder, Mixture
from tolka.grammar import Extractor, Grammar, Voice, join_tables
from tolka.lm import LanguageModelTrainer
from tolka.train import TuneSettings, defaults, tune_decoder

DATA = Path(os.environ.get("TOLKA_DATA", "../shared/data")) / "multi30k" / "tok-lc"
OPERATIONS = ("wsum", "wmax", "prod", "switch:max", "switch:sum")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--components", nargs="+", type=int, default=[2, 11])
    parser.add_argument("--pairs", type=int, default=29_000)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--operations", nargs="+", choices=OPERATIONS, default=OPERATIONS)
    parser.add_argument("--tune", action="store_true", help="tune the weights of the first component first")
    options = parser.parse_args()
    source, target = (lines("train", lang)[: options.pairs] for lang in ("de", "en"))
    links = list(Aligner(seed=1).train(zip(source, target, strict=True)).lines(symmetrise="grow-diag-final-and"))
    lm = LanguageModelTrainer(**defaults.LM).train(target)
    test = lines("test_2016_flickr", "de")[: options.sentences]
    folds = max(options.components)
    with tempfile.TemporaryDirectory() as place:
        decoders = []
        for fold in range(folds):
            kept = [at for at in range(len(source)) if at % folds != fold]
            text = ([side[at] for at in kept] for side in (source, target, links))
            grammar = Extractor("hiero", **defaults.EXTRACT["hiero"]).extract(*text, f"{place}/{fold}.tbl")
            decoders.append(Decoder(grammar, lm, **defaults.SEARCH["chart"]))
        whole = extract_folds(source, target, links, folds, place)
        extracted = [Decoder(Voice(whole, at), lm, **defaults.SEARCH["chart"]) for at in range(folds)]
        weights = dict(decoders[0].weights)
        if options.tune:
            dev = [lines("val", lang) for lang in ("de", "en")]
            weights = dict(tune_decoder(decoders[0], *dev, TuneSettings()).weights)
        decoders, extracted = ([one.with_weights(weights) for one in some] for some in (decoders, extracted))
        for count in options.components:
            joint = join_tables(
                {f"c{at}": f"{place}/{at}.tbl" for at in range(count)}, f"{place}/{count}.joint", "voices"
            )
            report_size(joint, [Path(f"{place}/{at}.tbl") for at in range(count)])
            joined_ones = [
                Decoder(Voice(joint, at), lm, weights=weights, **defaults.SEARCH["chart"]) for at in range(count)
            ]
            kinds = {"separate": decoders[:count], "joined": joined_ones}
            # A table of all folds says what more voices than two say, whoever asks.
            kinds |= {"folds": extracted} if count == folds else {}
            for tables, own in kinds.items():
                for operation in options.operations:
                    for level in ("rules", "edges"):
                        told = {"tables": tables, "operation": operation, "level": level}
                        ensemble = joined(own, operation, level, weights["lm"])
                        if level == "rules" or ensemble.mixes_edges:
                            compare(decoders[0], ensemble, test, options.turns, told)


def extract_folds(source: list[str], target: list[str], links: list[str], folds: int, place: str) -> Grammar:
    """One table of all folds; prints what that takes beside a table of all text."""
    extractor = Extractor("hiero", **defaults.EXTRACT["hiero"])
    begin = time.process_time()
    extractor.extract(source, target, links, f"{place}/all.tbl")
    plain = time.process_time()
    own = [at % folds for at in range(len(source))]
    whole = extractor.extract_folds(source, target, links, own, f"{place}/folds.tbl")
    ratio = (time.process_time() - plain) / (plain - begin)
    size = Path(f"{place}/folds.tbl").stat().st_size / Path(f"{place}/all.tbl").stat().st_size
    print(json.dumps({"folds": folds, "extraction": round(ratio, 2), "bytes": round(size, 2)}), flush=True)
    return whole


def report_size(joint: Grammar, tables: list[Path]) -> None:
    """Prints how large a joined table is beside those that it was made of."""
    size = Path(joint.path).stat().st_size / sum(one.stat().st_size for one in tables)
    print(json.dumps({"joined": len(tables), "bytes_to_all": round(size, 2)}), flush=True)


def joined(decoders: list[Decoder], operation: str, level: str, weight: float) -> EnsembleDecoder:
    if level == "edges":
        # The same language model under another weight: rules cannot be mixed alone.
        decoders = [one.with_weights({"lm": weight * (1 + at / 100)}) for at, one in enumerate(decoders)]
    parts = {f"c{at}": one for at, one in enumerate(decoders)}
    return EnsembleDecoder(parts, Mixture(operation), **defaults.SEARCH["chart"])


def compare(alone: Decoder, ensemble: EnsembleDecoder, test: list[str], turns: int, told: dict) -> None:
    seconds = {"alone": [], "ensemble": []}
    for _ in range(turns):
        for name, decoder in (("alone", alone), ("ensemble", ensemble)):
            begin = time.process_time()
            decoder.translate(test, threads=1)
            seconds[name].append(time.process_time() - begin)
    least = {name: min(found) for name, found in seconds.items()}
    row = {
        "components": len(ensemble.components),
        **told,
        "ratio": round(least["ensemble"] / least["alone"], 2),
        "sentences_per_cpu_second": round(len(test) / least["ensemble"]),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(row), flush=True)


def lines(part: str, lang: str) -> list[str]:
    with lzma.open(DATA / f"{part}.{lang}.xz", "rt", encoding="utf-8") as file:
        return [line.strip().lower() for line in file]


if __name__ == "__main__":
    main()
