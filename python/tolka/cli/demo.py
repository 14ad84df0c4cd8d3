"""`tolka demo`: from raw text to a translator and its scores, on text that ships with it, in a folder to look around in."""

from __future__ import annotations

import json as json_module
import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress
from tolka.cli.tables import console, new_table, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from tolka import Translator
    from tolka.align.links import Link
    from tolka.corpus import Pair
    from tolka.corpus.synthetic import Example
    from tolka.pipeline import TrainResult
    from tolka.progress import Progress

LANGS = ("de", "en")
DEV_PAIRS = TEST_PAIRS = 200


def demo(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what the demo makes.")] = Path(
        "tolka-demo"
    ),
    pairs: Annotated[int, typer.Option(min=1000, max=1_000_000, help="Sentence pairs to make.")] = 3000,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Also save what is shown as an SVG picture.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Train a translator, tune it, translate, score, and show how a translation came about.

    The text is made from a grammar and has known word alignments, so the demo can say how good its own alignment is.
    Everything is left in the output folder: raw text, the model, its report, pictures.

    Example: `tolka demo -o tolka-demo`
    """
    where = console(width=None if picture is None else 100, quiet=json, record=picture is not None)
    figures = _Demo(output, where, progress(quiet or json)).run(pairs, seed)
    if picture is not None:
        drawn = where.export_svg(title="tolka demo")
        # Without the web fonts that rich would have a viewer download.
        drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL).replace("Fira Code,", "")
        picture.write_text(drawn, encoding="utf-8")
    if json:
        print_json(figures)


class _Demo:
    """The demo's steps, each of which shows what it did and adds to the figures."""

    def __init__(self, folder: Path, console: Console, reporter: Progress) -> None:
        self.folder = folder
        self.console = console
        self.progress = reporter
        self.figures: dict[str, Any] = {}

    def run(self, pairs: int, seed: int) -> dict[str, Any]:
        from tolka import Translator

        self.folder.mkdir(parents=True, exist_ok=True)
        examples = self._make_text(pairs, seed)
        trained = self._train(seed)
        self._align(trained, examples)
        translator = Translator.load(trained.model)
        self._translate(translator)
        self._explain(translator)
        self._say_what_next()
        return self.figures

    def _heading(self, text: str) -> None:
        self.console.print(f"\n[bold]{text}[/bold]")

    def _file(self, section: str, lang: str) -> Path:
        return self.folder / f"{section}.{lang}"

    def _make_text(self, pairs: int, seed: int) -> list[Example]:
        from tolka.corpus import write_pairs
        from tolka.corpus.synthetic import Synthetic

        self._heading("1. Text as people have it")
        source, target = LANGS
        # Sentences of the test set are unseen, as they should be.
        examples = list(Synthetic(seed).sample(pairs + DEV_PAIRS + TEST_PAIRS, unique=True))
        raw = [(one.raw[source], one.raw[target]) for one in examples]
        train = list(_spoil(raw[:pairs]))
        dev, test = raw[pairs : pairs + DEV_PAIRS], raw[pairs + DEV_PAIRS :]
        for section, own in (("train", train), ("dev", dev), ("test", test)):
            write_pairs([self._file(section, source), self._file(section, target)], own)
        self.console.print(f"{len(train)} German-English pairs from a grammar, some of them spoiled as real text is:")
        for german, english in train[1:3]:
            self.console.print(f"  [cyan]{german}[/cyan]\n  {english}")
        self.figures["raw_pairs"] = len(train)
        return examples

    def _train(self, seed: int) -> TrainResult:
        from tolka.pipeline import TrainSettings, train

        source, target = LANGS
        files = {section: (self._file(section, source), self._file(section, target)) for section in ("train", "dev")}
        self._heading("2. tolka train train.de train.en --dev dev.de dev.en -o model")
        settings = TrainSettings(
            source=files["train"][0], target=files["train"][1], dev=files["dev"], langs=LANGS, seed=seed
        )
        trained = train(settings, self.folder / "model", work=self.folder / "model.work", progress=self.progress)
        report = json_module.loads(trained.run["clean"].outputs["report"].read_bytes())
        dropped = ", ".join(f"{rule['count']} {rule['rule']}" for rule in report["rules"] if rule["count"])
        self.console.print(f"Cleaning kept {report['kept']} of {report['pairs']} pairs (dropped:\n{dropped}).")
        sizes = trained.sizes
        scores = [step["score"] for step in (trained.tuning or {"history": []})["history"]]
        self.console.print(
            f"{sizes['rules']:,} rules and {sizes['ngrams']:,} n-grams in {trained.seconds:.0f} s; tuning took BLEU of the "
            f"development set from {scores[0]:.1f} to [bold]{trained.dev_score:.1f}[/bold].\nWhat was made, as a page: "
            f"{trained.report}"
        )
        self.figures |= {"kept": report["kept"], "dropped": report["dropped"], "rules": sizes["rules"]}
        self.figures["dev_bleu"] = round(trained.dev_score or 0.0, 2)
        return trained

    def _align(self, trained: TrainResult, examples: list[Example]) -> None:
        from tolka.align import GoldLinks, alignment_error_rate, draw, read_links

        self._heading("3. Which word translates which")
        corpus, found = trained.run["truecase"].outputs["corpus"], trained.run["align"].outputs["links"]
        pairs = self._pairs(corpus)
        links = list(read_links(found))
        gold = self._gold(pairs, examples)
        score = alignment_error_rate(links, gold)
        self.console.print(
            f"Words of {len(pairs)} pairs were aligned; against the grammar's own links: alignment error rate "
            f"[bold]{score.aer:.1%}[/bold], precision {score.precision:.1%}, recall {score.recall:.1%}."
        )
        shown = _instructive(pairs, links)
        source, target = (side.split() for side in pairs[shown])
        self.console.print(_woven(source, target, links[shown]))
        picture = self.folder / "alignment.svg"
        picture.write_text(draw(source, target, links[shown], gold=GoldLinks(tuple(gold[shown]), ())), encoding="utf-8")
        self.console.print(f"The same as a picture: {picture}")
        self.figures["aer"] = round(score.aer, 4)

    def _translate(self, translator: Translator) -> None:
        from tolka.corpus import read_lines, write_lines
        from tolka.evaluate import evaluate

        self._heading("4. tolka translate model < test.de > out.en; tolka evaluate out.en --ref test.en")
        lines, references = (list(read_lines(self._file("test", lang))) for lang in LANGS)
        translations = translator.translate(lines)
        write_lines(self.folder / f"out.{LANGS[1]}", translations)
        scores = {one.metric: one for one in evaluate(translations, [references]).scores}
        shown = ", ".join(f"{one.name} [bold]{one.score:.1f}[/bold]" for one in scores.values())
        self.console.print(f"{len(lines)} unseen sentences: {shown}.")
        for german, english in list(zip(lines, translations, strict=True))[:3]:
            self.console.print(f"  [cyan]{escape(german)}[/cyan]\n  {escape(english)}")
        self.figures |= {name: round(one.score, 2) for name, one in scores.items()}

    def _explain(self, translator: Translator) -> None:
        from tolka.corpus import read_lines
        from tolka.page.svg import readable

        self._heading("5. tolka translate model --explain derivation.svg")
        lines = list(read_lines(self._file("test", LANGS[0])))
        middling = next((line for line in lines if len(line.split()) in range(6, 10)), lines[0])
        derivation = translator.explain(middling)
        picture = self.folder / "derivation.svg"
        picture.write_text(derivation.to_svg(), encoding="utf-8")
        table = new_table()
        table.add_column("rule")
        table.add_column("adds", justify="right", no_wrap=True)
        for step in derivation.steps:
            if step.rule.kind != "glue":
                table.add_row(
                    escape(readable(f"{' '.join(step.rule.source)}  →  {' '.join(step.rule.target)}")),
                    f"{step.score:.2f}",
                )
        self.console.print(f"  [cyan]{escape(middling)}[/cyan]\n  {escape(translator.translate(middling))}")
        print_table(table, self.console)
        self.console.print(f"The same as a picture: {picture}")

    def _say_what_next(self) -> None:
        self._heading("Now with your own text")
        self.console.print(
            "  Two files, a sentence a line, are enough; ten thousand pairs make it useful:\n"
            "    tolka train yours.xx yours.yy --langs xx yy -o model\n"
            "    tolka translate model < text.xx\n"
            "  With --dev and --test it is better tuned and tells how good it is; see tolka train --help."
        )

    def _pairs(self, corpus: Path) -> list[Pair]:
        from tolka.corpus import read_pairs

        source, target = LANGS
        return list(read_pairs(corpus / f"train.{source}", corpus / f"train.{target}"))

    def _gold(self, pairs: list[Pair], examples: list[Example]) -> list[list[Link]]:
        """The grammar's links of the training pairs, in their order; preparation changed case and entities only."""
        source, target = LANGS
        known = {_key(" ".join(one.tokens[source]), " ".join(one.tokens[target])): one for one in examples}
        return [known[_key(*pair)].links(source, target) for pair in pairs]


def _key(source: str, target: str) -> Pair:
    return unescape(source.lower()), unescape(target.lower())


def _spoil(pairs: list[Pair]) -> Iterator[Pair]:
    """The pairs, with every now and then one as real corpora have them: empty, not translated, twice, damaged, wrong."""
    for number, (source, target) in enumerate(pairs):
        yield source, target
        match number % 400:
            case 50:
                yield source, ""
            case 100:
                yield source, source
            case 150:
                yield source, target
            case 200:
                yield source, target.replace(" ", "\x07", 1)
            case 250:
                yield source, " ".join([target] * 8)
            case 300:
                yield source, "Это предложение написано на другом языке."


def _instructive(pairs: list[Pair], links: list[list[Link]]) -> int:
    """The first pair of middling length whose links cross: it shows that word order differs."""
    middling = range(7, 11)
    for number, (source, target) in enumerate(pairs):
        crossing = any(i < k and j > m for i, j in links[number] for k, m in links[number])
        if crossing and len(source.split()) in middling and len(target.split()) in middling:
            return number
    return 0


def _woven(source: list[str], target: list[str], links: list[Link]) -> str:
    """Each source word with the target words it is linked to, one a line."""
    width = max(len(word) for word in source)
    lines = []
    for i, word in enumerate(source):
        partners = " ".join(target[j] for k, j in links if k == i)
        lines.append(f"  [cyan]{escape(word):>{width}}[/cyan]  {escape(partners) or '·'}")
    return "\n".join(lines)
