"""`tolka lm`: language models on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json

app = typer.Typer(name="lm", help="Train, ask and combine language models.", no_args_is_help=True)

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="An ARPA file (.gz, .xz, .zst too) or a .tlm.")]
OutputOption = Annotated[
    Path, typer.Option("--output", "-o", help="Where the model goes; its name says how: .arpa, .arpa.gz or .tlm.")
]
FormOption = Annotated[
    Literal["fast", "small"], typer.Option("--form", help="Of a .tlm: fast (hash tables) or small (a packed trie).")
]
BitsOption = Annotated[
    int | None, typer.Option("--bits", min=2, max=16, help="Of a small .tlm: values in this many bits.")
]


@app.callback()
def lm() -> None:
    """Train, ask and combine language models."""


# Click knows no option with a varying number of values, and `--prune 0 0 1` is how the field writes it: the values
# after the first arrive as arguments and are told from the text by being numbers.
@app.command(no_args_is_help=True)
def train(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="One sentence a line, tokenised; - is stdin.")],
    output: OutputOption,
    order: Annotated[int, typer.Option("--order", min=1, max=8, help="Words in the longest n-grams.")] = 5,
    prune: Annotated[
        int | None,
        typer.Option("--prune", min=0, metavar="N [N…]", help="Per order, the count at or below which n-grams go."),
    ] = None,
    smoothing: Annotated[
        Literal["kneser-ney", "witten-bell"], typer.Option("--smoothing", help="How counts become probabilities.")
    ] = "kneser-ney",
    classes: Annotated[
        Path | None, typer.Option("--classes", help="Words and their classes, one pair a line: trains a class model.")
    ] = None,
    memory: Annotated[
        int, typer.Option("--memory", min=1, help="MB for estimation; beyond, it sorts on disk (TMPDIR).")
    ] = 2048,
    form: FormOption = "fast",
    bits: BitsOption = None,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Estimate a language model.

    Example: `tolka lm train text.tok --order 5 --prune 0 0 1 -o lm.arpa`
    """
    from dataclasses import asdict

    from tolka.lm import LanguageModelTrainer, read_classes

    path, thresholds = _text_and_thresholds(text, prune)
    trainer = LanguageModelTrainer(
        order,
        smoothing,
        prune=thresholds,
        memory=memory << 20,
        classes=None if classes is None else read_classes(classes),
        threads=threads,
    )
    if ".arpa" in output.name and classes is None:
        report = trainer.train_to(output, path)
    else:
        trainer.train(path).save(output, form=form, bits=bits)
        report = trainer.last_report()
    if not quiet:
        for warning in report.warnings:
            print(f"tolka: warning: {warning}", file=sys.stderr)
    if json:
        print_json(asdict(report))


@app.command(no_args_is_help=True)
def score(
    model: ModelArgument,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="One sentence a line, tokenised; - is stdin.")] = "-",
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Score a text: per line, total log10 with `</s>`, TAB, number of unknown words; with --json the perplexity.

    Example: `tolka lm score lm.arpa text.tok`
    """
    from dataclasses import asdict

    from tolka.lm import LanguageModel

    loaded = LanguageModel.load(model)
    if json:
        print_json(asdict(loaded.perplexity(Path(text), threads=threads)))
        return
    for log10, oovs in loaded.score_text(Path(text), threads=threads):
        sys.stdout.write(f"{log10:.6f}\t{oovs}\n")


@app.command(no_args_is_help=True)
def query(
    model: ModelArgument,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="One sentence a line, tokenised; - is stdin.")] = "-",
    json: JsonFlag = False,
) -> None:
    """Show how each word of a text is scored: the word, the length of its n-gram, log10; unknown words are marked.

    Example: `echo "the house" | tolka lm query lm.arpa`
    """
    from tolka.corpus import read_lines
    from tolka.lm import LanguageModel

    loaded = LanguageModel.load(model)
    for line in read_lines(text):
        words = loaded.word_scores(line)
        total = sum(word.log10 for word in words)
        oovs = sum(word.oov for word in words)
        if json:
            listed = [{"word": w.word, "ngram": w.ngram, "log10": w.log10, "oov": w.oov} for w in words]
            print_json({"log10": total, "oovs": oovs, "words": listed})
        else:
            shown = "\t".join(f"{w.word}={w.ngram}{'?' if w.oov else ''} {w.log10:.6f}" for w in words)
            print(f"{shown}\ttotal {total:.6f}\toov {oovs}")


@app.command(no_args_is_help=True)
def info(model: ModelArgument, json: JsonFlag = False) -> None:
    """Describe a model: its order, form and numbers of n-grams.

    Example: `tolka lm info lm.tlm`
    """
    from tolka.lm import LanguageModel

    loaded = LanguageModel.load(model)
    described = {
        "order": loaded.order,
        "form": loaded.form,
        "classes": loaded.of_classes,
        "counts": list(loaded.counts),
        "bytes": model.stat().st_size,
    }
    if json:
        print_json(described)
        return
    for key, value in described.items():
        print(f"{key}\t{' '.join(map(str, value)) if isinstance(value, list) else value}")


@app.command(no_args_is_help=True)
def convert(model: ModelArgument, output: OutputOption, form: FormOption = "fast", bits: BitsOption = None) -> None:
    """Write a model in another format.

    Example: `tolka lm convert lm.arpa --form small -o lm.tlm`
    """
    from tolka.lm import LanguageModel

    LanguageModel.load(model).save(output, form=form, bits=bits)


@app.command(no_args_is_help=True)
def mix(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="ARPA files.")],
    output: OutputOption,
    weights: Annotated[str, typer.Option("--weights", help="One number per model, with commas: 0.7,0.3.")] = "",
    tune: Annotated[Path | None, typer.Option("--tune", help="A text to find the weights on (linear only).")] = None,
    method: Annotated[
        Literal["linear", "log-linear"], typer.Option("--method", help="How the models are interpolated.")
    ] = "linear",
    form: FormOption = "fast",
    bits: BitsOption = None,
    json: JsonFlag = False,
) -> None:
    """Interpolate models into one; without weights or a text to tune on, all count the same. Prints tuned weights.

    Example: `tolka lm mix news.arpa law.arpa --tune dev.tok -o both.arpa`
    """
    from tolka.errors import SettingsError
    from tolka.lm import LanguageModel, mix_lms, tune_weights

    if tune is not None and (weights or method != "linear"):
        raise SettingsError("--tune finds linear weights", hint="leave out --weights and --method log-linear")
    loaded = [LanguageModel.load(model) for model in models]
    if tune is not None:
        used = list(tune_weights(loaded, tune))
    elif weights:
        used = _numbers(weights)
    else:
        used = [1 / len(loaded)] * len(loaded)
    mixed = mix_lms(loaded, used, method=method)
    mixed.save(output, form=form, bits=bits)
    if json:
        print_json({"method": method, "weights": used, "counts": list(mixed.counts)})
    elif tune is not None:
        for weight, model in zip(used, models, strict=True):
            typer.echo(f"{weight:.6f}\t{model}")


@app.command(no_args_is_help=True)
def prune(
    model: ModelArgument,
    output: OutputOption,
    threshold: Annotated[float, typer.Option("--threshold", help="Relative growth of perplexity allowed per n-gram.")],
    form: FormOption = "fast",
    bits: BitsOption = None,
    json: JsonFlag = False,
) -> None:
    """Leave out n-grams whose absence hardly changes a model (relative entropy).

    Example: `tolka lm prune lm.arpa --threshold 1e-7 -o smaller.arpa`
    """
    from tolka.lm import LanguageModel, prune_lm

    loaded = LanguageModel.load(model)
    pruned = prune_lm(loaded, threshold)
    pruned.save(output, form=form, bits=bits)
    if json:
        print_json({"before": list(loaded.counts), "after": list(pruned.counts)})


@app.command(no_args_is_help=True)
def classes(
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="One sentence a line, tokenised; - is stdin.")],
    number: Annotated[int, typer.Option("--classes", min=1, help="How many classes.")] = 100,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How often each word may move at most.")] = 20,
) -> None:
    """Group words into classes; prints each word, TAB, its class.

    Example: `tolka lm classes text.tok --classes 100 > classes.tsv`
    """
    from tolka.lm import cluster_words

    for word, name in cluster_words(text, number, rounds=rounds).items():
        sys.stdout.write(f"{word}\t{name}\n")


def _numbers(text: str) -> list[float]:
    from tolka.errors import SettingsError

    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise SettingsError(f"{text!r} is not a list of numbers", hint="write them like 0.7,0.3") from None


def _text_and_thresholds(arguments: list[str], first: int | None) -> tuple[str, list[int]]:
    from tolka.errors import SettingsError

    numbers = [argument for argument in arguments if argument.isdecimal() and not Path(argument).exists()]
    texts = [argument for argument in arguments if argument not in numbers]
    if len(texts) != 1 or (numbers and first is None):
        raise SettingsError(
            f"expected one text, found {' '.join(arguments)!r}", hint="join texts with cat and pipe them in"
        )
    return texts[0], [] if first is None else [first, *map(int, numbers)]
