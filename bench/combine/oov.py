"""Translations of unknown words (Razmara 2013, chapter 5): the tables of the thesis on open text, and what goes beyond it.

A model is trained on a few pairs of a corpus; what the rest of it is aligned with is the gold standard for words of the development and
test set that the model does not know. Each line of output is one JSON object:

- `setting`: pairs, unknown words with types and tokens, the size of the text, words of the gold standard;
- `graph`: MRR and recall, in per cent, of graphs of all shapes and of phrases in the same frames, of labelled nodes of two words, with
  neighbours by spelling, without copying, by the fixed point, and with a dictionary where there is one (tables 5.4 and 5.5);
- `measure`: associations by similarities (table 5.3; JSD of probabilities alone) in a bipartite graph, as that table has paraphrases and no bridges;
- `window`: windows with and without positions, and with nodes of up to three words (figure 5.3), in the same graph;
- `text`: parts of the text (figure 5.4), their lines taken from all over it, so that sources are mixed alike in all of them;
- `bleu`: the model, the same with copies of unknown words as entries, and with what was found, all tuned as often from the same weights;
  differences to the model with p of one test over all tunings (table 5.6).

`thesis` beside a row has that of the same row there: other text, so that only their order can be compared.

    python bench/combine/oov.py --only europarl --work /tmp/oov
    python bench/combine/oov.py --only tatoeba --parts graph bleu --pairs 5000 --work /tmp/oov
    python bench/combine/oov.py --only tatoeba --parts text --further --work /tmp/oov
    python bench/combine/oov.py --pairs 500 --text 20000 --tunings 1 --parts graph
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tolka.align import Aligner
from tolka.combine.oov import (
    Entry,
    Material,
    OovSettings,
    find_translations,
    gather,
    gold_of,
    read_lexicon,
    score_entries,
)
from tolka.combine.oov.lexicons import towards
from tolka.combine.oov.model import extended
from tolka.combine.oov.usage import Usage, prepare_text
from tolka.combine.scores import Judge
from tolka.corpus import read_lines
from tolka.pipeline import TrainSettings, train
from tolka.train import TuneSettings, tune_translator
from tolka.translate import Translator
from tolka.translate.bundle import open_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))


class Setting(NamedTuple):
    """What is translated: folder of pairs, text of the source language of the same domain, a dictionary, and text of other domains."""

    langs: tuple[str, str]
    folder: str
    mono: str
    lexicon: str
    further: tuple[str, ...]


SETTINGS = {
    "europarl": Setting(
        ("fr", "en"),
        "europarl-fr-en",
        "monolingual/europarl.fr.xz",
        "lexicons/freedict.fra-eng.tsv.xz",
        ("monolingual/tatoeba.fr.xz",),
    ),
    "tatoeba": Setting(
        ("de", "en"),
        "tatoeba/en-de",
        "monolingual/tatoeba.de.xz",
        "lexicons/ding.de-en.txt.xz",
        ("monolingual/gerdracor.de.xz", "monolingual/gesetze.de.xz"),
    ),
}
PLAIN = OovSettings(spelling=0, copied=False)
"""As the thesis has it."""
BIPARTITE = replace(PLAIN, graph="bipartite")
"""What measures and windows are compared in."""
ROWS: dict[str, OovSettings] = {
    "marton": replace(PLAIN, graph="marton"),
    "bipartite": BIPARTITE,
    "tripartite": PLAIN,
    "full": replace(PLAIN, graph="full"),
    "marton, two words": replace(PLAIN, graph="marton", order=2),
    "bipartite, two words": replace(PLAIN, graph="bipartite", order=2),
    "tripartite, two words": replace(PLAIN, order=2),
    "bipartite, three words": replace(PLAIN, graph="bipartite", order=3),
    "tripartite, three words": replace(PLAIN, order=3),
    "tripartite, all labels kept": replace(PLAIN, keep=0),
    "tripartite, fixed point": replace(PLAIN, solve=True),
    "tripartite, mu 1 1 1": replace(PLAIN, mu=(1.0, 1.0, 1.0)),
    "tripartite + copied": replace(PLAIN, copied=True),
    "tripartite + spelling 5": replace(PLAIN, spelling=5),
    "tripartite + spelling 10": replace(PLAIN, spelling=10),
    "tripartite + spelling 20": replace(PLAIN, spelling=20),
    "tripartite + spelling 10 twice": replace(PLAIN, spelling=10, spelling_weight=2.0),
    "tripartite + spelling 10 from 0.4": replace(PLAIN, spelling=10, spelling_least=0.4),
    "tripartite + spelling 10 + copied": OovSettings(),
    "tripartite + spelling 10 + copied + transliterated": OovSettings(transliterated=True),
}  # fmt: skip
THESIS = {
    "marton": (3.7, 7.2), "bipartite": (5.2, 12.5), "tripartite": (5.9, 12.6), "full": (5.1, 10.9),
    "marton, two words": (3.9, 7.7), "bipartite, two words": (6.8, 15.7), "tripartite, two words": (6.9, 15.9),
}  # fmt: skip
THESIS_MEASURES = {
    ("cp", "cosine"): (1.66, 4.16), ("cp", "l1"): (2.18, 5.55), ("cp", "jsd"): (2.33, 6.32),
    ("llr", "cosine"): (1.79, 4.26), ("llr", "l1"): (0.13, 0.37),
    ("ppmi", "cosine"): (3.91, 7.75), ("ppmi", "l1"): (0.50, 1.17),
    ("chi2", "cosine"): (1.66, 4.16), ("chi2", "l1"): (0.26, 0.55),
}  # fmt: skip
OTHERS = ("copies", "dictionary alone", "all + dictionary")
"""Rows of what needs no graph, and of everything."""
WINDOWS = (1, 2, 4, 6, 8)
PARTS = ("graph", "measure", "window", "text", "bleu")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETTINGS, default=[*SETTINGS])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=[*PARTS])
    parser.add_argument("--rows", nargs="+", choices=[*ROWS, *OTHERS], help="rows of graphs; all by default")
    parser.add_argument("--kind", choices=["hiero", "phrase"], default="phrase")
    parser.add_argument("--pairs", type=int, default=10_000, help="pairs that the model is trained on")
    parser.add_argument("--sets", type=int, default=2000, help="pairs of the development and the test set, at most")
    parser.add_argument("--text", type=int, help="lines of text, at most")
    parser.add_argument("--further", action="store_true", help="read text of the language of other domains, too")
    parser.add_argument("--aligned", type=int, help="pairs that the gold standard is aligned with, at most")
    parser.add_argument("--aligner", default="hmm", help="what aligns the gold standard")
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--work", type=Path, help="keep what is made here, to go on from it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only:
            place = (options.work or Path(scratch)) / f"{name}-{options.kind}-{options.pairs}"
            bench(name, place, Path(scratch), options)


@dataclass
class Case:
    """A model, text, and what is right."""

    name: str
    scratch: Path
    setting: Setting
    options: argparse.Namespace
    model: Path
    translator: Translator
    lines: list[str]
    wanted: list[str]
    usage: Usage
    gold: dict[str, dict[str, list[str]]]
    small: dict[str, str]

    def material(self, settings: OovSettings, lines: int | None = None, *, lexicon: bool = False) -> Material:
        """What a graph is made of."""
        texts = self.scratch / "mono.txt"
        some = self.lines if lines is None else spread(self.lines, lines)
        texts.write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
        prepared = prepare_text(self.translator, [texts], self.scratch / "prepared", threads=self.options.threads)
        self.small = self.small or prepared.small
        lexicons = []
        if lexicon:
            known = set(prepared.usage.words())
            path = DATA / self.setting.lexicon
            turned = towards(read_lexicon(path), known).turned
            langs = self.setting.langs[::-1] if turned else self.setting.langs
            lexicons = [towards(read_lexicon(path, langs=langs), known)]
        return gather(
            open_model(self.model),
            self.translator,
            prepared,
            settings,
            wanted=self.wanted,
            usage=self.usage,
            lexicons=lexicons,
        )

    def scores(self, entries: Sequence[Entry]) -> dict[str, Any]:
        """MRR and recall on both sets, in per cent."""
        found = {}
        for part, gold in self.gold.items():
            one = score_entries(entries, gold)
            found[part] = {
                "mrr": round(100 * one.mrr, 2),
                "recall": round(100 * one.recall, 2),
                "translated": one.translated,
            }
        return found


def bench(name: str, place: Path, scratch: Path, options: argparse.Namespace) -> None:
    place.mkdir(parents=True, exist_ok=True)
    case = prepared_case(name, place, scratch, options)
    threads = options.threads
    plain = case.material(PLAIN)
    case.gold = {part: of_unknown(own, plain, case.small) for part, own in case.gold.items()}
    show(
        {
            "bench": "oov", "part": "setting", "setting": name, "kind": options.kind, "pairs": options.pairs,
            "lines": len(case.lines), "tokens": plain.text.tokens, "types": len(plain.text.words),
            "unknown": {"types": len(plain.unknown.words), "tokens": plain.unknown.tokens, "left_out": dict(plain.unknown.left_out)},
            "in_text": sum(word in plain.text for word in plain.unknown.words),
            "labelled": len(plain.known), "gold": {part: len(own) for part, own in case.gold.items()},
        }
    )  # fmt: skip
    if "graph" in options.parts:
        graphs(case, plain, threads)
    if "measure" in options.parts:
        for (measure, similarity), thesis in THESIS_MEASURES.items():
            settings = replace(BIPARTITE, measure=measure, similarity=similarity)
            row(case, "measure", f"{measure} {similarity}", plain, settings, threads, thesis)
    if "window" in options.parts:
        windows(case, plain, threads)
    if "text" in options.parts:
        for share in (16, 8, 4, 2, 1):
            some = case.material(PLAIN, len(case.lines) // share)
            row(case, "text", f"1/{share}", some, PLAIN, threads)
    if "bleu" in options.parts:
        bleu(case)


def graphs(case: Case, plain: Material, threads: int) -> None:
    asked = case.options.rows or [*ROWS, *OTHERS]
    made: dict[tuple[int, bool], Material] = {(1, False): plain}
    for called in asked:
        if called in OTHERS:
            continue
        settings = ROWS[called]
        made_so = settings.order, settings.transliterated
        if made_so not in made:
            made[made_so] = case.material(settings)
        row(case, "graph", called, made[made_so], settings, threads, THESIS.get(called))
    if "copies" in asked:
        given(case, "copies", [Entry(word, ((word, 1.0),)) for word in plain.unknown.words])
    if "dictionary alone" in asked or "all + dictionary" in asked:
        known = case.material(OovSettings(), lexicon=True)
        direct = [Entry(word, tuple((one, 1 / len(own)) for one in own)) for word, own in known.direct.items()]
        given(case, "dictionary alone", direct)
        if "all + dictionary" in asked:
            row(case, "graph", "all + dictionary", known, OovSettings(), threads)


def windows(case: Case, plain: Material, threads: int) -> None:
    for window in WINDOWS:
        for positional in (False, True):
            called = f"window {window}{' with positions' if positional else ''}"
            row(case, "window", called, plain, replace(BIPARTITE, window=window, positional=positional), threads)
    for order in (2, 3):
        longer = case.material(replace(BIPARTITE, order=order))
        for window in WINDOWS:
            called = f"window {window}, {order} words"
            row(case, "window", called, longer, replace(BIPARTITE, window=window, order=order), threads)


def given(case: Case, called: str, entries: Sequence[Entry]) -> None:
    """A row that needs no graph."""
    show({"bench": "oov", "part": "graph", "setting": case.name, "row": called, **case.scores(entries)})


def row(
    case: Case,
    part: str,
    called: str,
    material: Material,
    settings: OovSettings,
    threads: int,
    thesis: tuple[float, float] | None = None,
) -> None:
    began, cpu = time.perf_counter(), cpu_seconds()
    found = find_translations(material, settings, threads=threads)
    line: dict[str, Any] = {
        "bench": "oov",
        "part": part,
        "setting": case.name,
        "row": called,
        **case.scores(found.entries),
    }
    line |= {"nodes": found.nodes, "edges": found.edges, "tokens": material.text.tokens}
    line |= {"seconds": round(time.perf_counter() - began, 1), "cpu_seconds": round(cpu_seconds() - cpu, 1)}
    if thesis is not None:
        line["thesis"] = {"mrr": thesis[0], "recall": thesis[1]}
    show(line)


def bleu(case: Case) -> None:
    """The model alone, with copies, and with translations, all tuned from the same weights."""
    options = case.options
    sources, references = lines_of(case.setting, "test", options.sets)
    dev = lines_of(case.setting, "dev", options.sets)
    judge = Judge(references, tokenised=False, threads=options.threads)
    material = case.material(OovSettings())

    def found(settings: OovSettings, *, lexicon: bool = False) -> Sequence[Entry]:
        given = case.material(settings, lexicon=True) if lexicon else material
        return find_translations(given, settings, threads=options.threads).entries

    systems: dict[str, Callable[[], Sequence[Entry] | None]] = {
        "as it is": lambda: None,
        "all": lambda: found(OovSettings()),
        "thesis": lambda: found(PLAIN),
        "all + dictionary": lambda: found(OovSettings(), lexicon=True),
        "copies": lambda: [Entry(word, ((word, 1.0),)) for word in material.unknown.words],
    }
    opened = open_model(case.model)
    base = None
    for called, find in systems.items():
        entries = find()
        folder = case.scratch / "extended"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        model = case.translator if entries is None else extended(opened, entries, folder)
        untuned = judge.measure(judge.statistics([model.translate(sources, threads=options.threads)])).mean
        texts = []
        for seed in range(1, options.tunings + 1):
            how = TuneSettings(fresh=False, seed=seed)
            tuned, _ = tune_translator(model, *dev, how, threads=options.threads)
            texts.append(tuned.translate(sources, threads=options.threads))
        statistics = judge.statistics(texts)
        measured = judge.measure(statistics)
        line = {
            "bench": "oov", "part": "bleu", "setting": case.name, "row": called, "untuned": round(untuned, 2),
            "bleu": round(measured.mean, 2), "deviation": round(measured.deviation, 2),
            "scores": [round(one, 2) for one in measured.scores], "entries": 0 if entries is None else len(entries),
        }  # fmt: skip
        if base is None:
            base = statistics
        else:
            difference, p = judge.compare(statistics, base)
            line |= {"difference": round(difference, 3), "p": p}
        show(line)


def prepared_case(name: str, place: Path, scratch: Path, options: argparse.Namespace) -> Case:
    setting = SETTINGS[name]
    files = {}
    for part, most in (("train", options.pairs), ("dev", options.sets), ("test", options.sets)):
        files[part] = tuple(place / f"{part}.{lang}" for lang in setting.langs)
        for path, lines in zip(files[part], lines_of(setting, part, most), strict=True):
            write(path, lines)
    whole = lines_of(setting, "train", None)
    write(place / f"lm.{setting.langs[1]}", whole[1])
    model = place / "model"
    asked = TrainSettings(
        files["train"][0],
        files["train"][1],
        setting.langs,
        dev=files["dev"],
        kind=options.kind,
        mono=(place / f"lm.{setting.langs[1]}",),
        compounds=False,
        threads=options.threads,
        force=True,
    )
    train(asked, model)
    translator = Translator.load(model)
    texts = [setting.mono, *(setting.further if options.further else ())]
    lines = [*dict.fromkeys(chain(whole[0], *(read_lines(DATA / text) for text in texts)))]
    if options.text is not None:
        lines = spread(lines, options.text)
    usage, wanted = Usage(), list[str]()
    for part in ("dev", "test"):
        words = translator.source.prepare(lines_of(setting, part, options.sets)[0])
        usage.add(words)
        wanted += [word for line in words for word in line.split()]
    gold = gold_standards(place, translator, setting, whole, wanted, options)
    return Case(name, scratch, setting, options, model, translator, lines, wanted, usage, gold, {})


def gold_standards(
    place: Path,
    translator: Translator,
    setting: Setting,
    whole: tuple[list[str], list[str]],
    wanted: list[str],
    options: argparse.Namespace,
) -> dict[str, dict[str, list[str]]]:
    """What unknown words of each set are linked with there, aligned together with all other text."""
    kept = place / f"gold-{options.sets}-{options.aligned}-{options.aligner}.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    words = sorted(set(wanted))
    unknown = {word for word, known in zip(words, translator.decoder.translates(words), strict=True) if not known}
    most = len(whole[0]) if options.aligned is None else min(options.aligned, len(whole[0]))
    chosen = [at * len(whole[0]) // most for at in range(most)]
    pairs = {"train": [(whole[0][at], whole[1][at]) for at in chosen]}
    for part in ("dev", "test"):
        pairs[part] = [*zip(*lines_of(setting, part, options.sets), strict=True)]
    texts = {part: _words(translator, own) for part, own in pairs.items()}
    every = [pair for own in texts.values() for pair in own if all(pair)]
    aligner = Aligner(options.aligner, threads=options.threads).train(every)
    found = {}
    for part in ("dev", "test"):
        own = [pair for pair in texts[part] if all(pair)]
        found[part] = gold_of(sorted(unknown), *([*side] for side in zip(*own, strict=True)), aligner.align(own))
    kept.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    return found


def of_unknown(gold: dict[str, list[str]], material: Material, small: dict[str, str]) -> dict[str, list[str]]:
    """The gold standard of words that need translations, under the case that they have inside of sentences."""
    found: dict[str, list[str]] = {}
    for word, right in gold.items():
        if small.get(word, word) in material.needed:
            found[small.get(word, word)] = [*dict.fromkeys([*found.get(small.get(word, word), []), *right])]
    return found


def _words(translator: Translator, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    sides = [*zip(*pairs, strict=True)]
    return [
        *zip(translator.source.prepare([*sides[0]]), translator.target.prepare([*sides[1]]), strict=True),
    ]


def spread(lines: Sequence[str], most: int) -> list[str]:
    """Lines from all over a text, so many at most."""
    wanted = min(most, len(lines))
    return [lines[at * len(lines) // wanted] for at in range(wanted)]


def lines_of(setting: Setting, part: str, most: int | None) -> tuple[list[str], list[str]]:
    """Pairs from all over a text."""
    sides = []
    for lang in setting.langs:
        with lzma.open(DATA / setting.folder / f"{part}.{lang}.xz", "rt", encoding="utf-8", newline="\n") as text:
            whole = [line.rstrip("\n") for line in text]
        sides.append(whole if most is None else spread(whole, most))
    return sides[0], sides[1]


def write(path: Path, lines: Sequence[str]) -> None:
    """What is there already stays, so that its times do."""
    text = "".join(f"{line}\n" for line in lines)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def show(result: dict) -> None:
    print(json.dumps(result, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
