"""`tolka demo`: everything that works today, on text that ships with it, in one folder to look around in."""

from __future__ import annotations

import json as json_module
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from tolka.align.links import Link
    from tolka.corpus import Pair
    from tolka.corpus.synthetic import Example
    from tolka.progress import Progress

RECIPE = """\
# How raw.de and raw.en become a clean, tokenised, truecased corpus. Run it again with: tolka run {name}
[corpus]
source = "raw.de"
target = "raw.en"
langs = ["de", "en"]

[clean]
max_tokens = 60

[split]
dev = 200
test = 200

[tokenise]
escape = false

[truecase]

[stats]

[pack]
"""
GOLD_PAIR = ("de", "en")


def demo(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what the demo makes.")] = Path(
        "tolka-demo"
    ),
    pairs: Annotated[int, typer.Option(min=1000, max=1_000_000, help="Sentence pairs to make.")] = 5000,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Also save what is shown as an SVG picture.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Prepare a corpus, align its words and train a language model, on text made from a grammar.

    The text has known word alignments, so the demo can say how good its own alignment is. Everything is left in the
    output folder: raw text, recipe, prepared corpus, aligner, language model, a picture of an alignment.

    Example: `tolka demo -o tolka-demo`
    """
    from rich.console import Console

    console = Console(
        quiet=json, record=picture is not None, width=100 if picture is not None else None, highlight=False
    )
    figures = _Demo(output, console, progress(quiet or json)).run(pairs, seed)
    if picture is not None:
        drawn = console.export_svg(title="tolka demo")
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
        self.folder.mkdir(parents=True, exist_ok=True)
        examples = self._make_text(pairs, seed)
        corpus = self._prepare()
        self._align(corpus, examples)
        self._model(corpus)
        self._say_what_next()
        return self.figures

    def _heading(self, text: str) -> None:
        self.console.print(f"\n[bold]{text}[/bold]")

    def _make_text(self, pairs: int, seed: int) -> list[Example]:
        from tolka.corpus import write_pairs
        from tolka.corpus.synthetic import Synthetic

        self._heading("1. Text as people have it")
        source, target = GOLD_PAIR
        examples = list(Synthetic(seed).sample(pairs))
        spoiled = list(_spoil([(one.raw[source], one.raw[target]) for one in examples]))
        write_pairs([self.folder / f"raw.{source}", self.folder / f"raw.{target}"], spoiled)
        self.console.print(f"{len(spoiled)} German-English pairs from a grammar, some of them spoiled as real text is:")
        for german, english in spoiled[1:3]:
            self.console.print(f"  [cyan]{german}[/cyan]\n  {english}")
        self.figures["raw_pairs"] = len(spoiled)
        return examples

    def _prepare(self) -> Path:
        from rich import box
        from rich.table import Table

        from tolka.pipeline import Recipe, run

        self._heading("2. tolka run prepare.toml")
        recipe = self.folder / "prepare.toml"
        recipe.write_text(RECIPE.format(name=recipe), encoding="utf-8")
        loaded = Recipe.load(recipe)
        first = run(loaded, recipe.with_suffix(".work"), progress=self.progress)
        again = run(loaded, recipe.with_suffix(".work"), progress=self.progress)
        report = json_module.loads(first["clean"].outputs["report"].read_bytes())
        table = Table("rule", "dropped", "for example", box=box.SIMPLE_HEAD)
        for rule in report["rules"]:
            if rule["count"]:
                shown = rule["examples"][0]
                example = f"{_cut(shown['source'])} | {_cut(shown['target'])}"
                table.add_row(rule["rule"], str(rule["count"]), escape(example))
        self.console.print(f"Cleaning kept {report['kept']} of {report['pairs']} pairs; each drop is accounted for:")
        self.console.print(table)
        cached = sum(stage.cached for stage in again.stages)
        self.console.print(
            f"{len(first.stages)} stages in {first.seconds:.1f} s; run again, {cached} of {len(again.stages)} "
            f"come from the store in {again.seconds:.2f} s."
        )
        self.figures |= {"kept": report["kept"], "dropped": report["dropped"], "cached_on_second_run": cached}
        return first["truecase"].outputs["corpus"]

    def _align(self, corpus: Path, examples: list[Example]) -> None:
        from tolka.align import Aligner, GoldLinks, alignment_error_rate, draw

        self._heading("3. Which word translates which")
        pairs = self._pairs(corpus, "train")
        gold = self._gold(corpus, examples)
        aligner = Aligner().train(pairs, progress=self.progress)
        links = aligner.align()
        score = alignment_error_rate(links, gold)
        aligner.save(self.folder / "aligner")
        self.console.print(
            f"{len(pairs)} pairs aligned in both directions; against the grammar's own links: "
            f"alignment error rate [bold]{score.aer:.1%}[/bold], precision {score.precision:.1%}, "
            f"recall {score.recall:.1%}.",
        )
        shown = _instructive(pairs, links)
        source, target = (side.split() for side in pairs[shown])
        self.console.print(_woven(source, target, links[shown]))
        picture = self.folder / "alignment.svg"
        picture.write_text(draw(source, target, links[shown], gold=GoldLinks(tuple(gold[shown]), ())), encoding="utf-8")
        self.console.print(f"The same as a picture: {picture}")
        self.figures["aer"] = round(score.aer, 4)

    def _model(self, corpus: Path) -> None:
        from tolka.corpus import read_lines
        from tolka.lm import LanguageModelTrainer

        self._heading("4. What is good English")
        trainer = LanguageModelTrainer(order=4)
        model = trainer.train(corpus / "train.en")
        model.save(self.folder / "english.tlm")
        score = model.perplexity(read_lines(corpus / "dev.en"))
        english = "the old man bought the red car ."
        shuffled = " ".join(sorted(english.split()))
        self.console.print(
            f"A 4-gram model of {sum(model.counts)} n-grams; perplexity of unseen text {score.perplexity:.1f}.\n"
            f"  {model.score(english):7.2f}  {english}\n  {model.score(shuffled):7.2f}  {shuffled}",
        )
        self.figures |= {"ngrams": sum(model.counts), "perplexity": round(score.perplexity, 2)}

    def _say_what_next(self) -> None:
        self._heading("Now with your own text")
        self.console.print(
            f"  Put two files, a sentence a line, in the place of raw.de and raw.en in {self.folder}/prepare.toml\n"
            f"  and type: tolka run {self.folder}/prepare.toml   (or start from tolka --help)",
        )

    def _pairs(self, corpus: Path, section: str) -> list[Pair]:
        from tolka.corpus import read_pairs

        source, target = GOLD_PAIR
        return list(read_pairs(corpus / f"{section}.{source}", corpus / f"{section}.{target}"))

    def _gold(self, corpus: Path, examples: list[Example]) -> list[list[Link]]:
        """The grammar's links of the training pairs, in their order; truecasing changed no more than case."""
        source, target = GOLD_PAIR
        known = {_key(" ".join(one.tokens[source]), " ".join(one.tokens[target])): one for one in examples}
        return [known[_key(*pair)].links(source, target) for pair in self._pairs(corpus, "train")]


def _cut(text: str, most: int = 34) -> str:
    """The start of a text, on one line and with what cannot be seen made visible."""
    shown = repr(text)[1:-1]
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _key(source: str, target: str) -> Pair:
    return source.lower(), target.lower()


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
