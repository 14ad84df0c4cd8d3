"""The work that UDPipe does, here or in a process of its own.

A process is asked over its standard input and answers on its standard output, one JSON value a line: no pickle, and nothing
of the parent's program runs again, as it would in a process of `multiprocessing`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tolka.errors import FileError, InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

Columns = tuple[list[str], list[str], list[str], list[str], list[str], list[int], list[str]]
"""Forms, lemmas, universal and own tags, features, heads and relations of one sentence."""

PROGRAM = [sys.executable, "-c", "import sys; from tolka.syntax.udpipe_work import main; main(sys.argv[1:])"]


def udpipe() -> Any:
    """The module of UDPipe.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        return import_module("ufal.udpipe")
    except ModuleNotFoundError:
        raise MissingExtraError("parsing", "syntax") from None


def load_model(path: str) -> Any:
    """A UDPipe model, or None if the file is none."""
    return udpipe().Model.load(path)


def parse_sentences(model: Any, sentences: list[list[str]]) -> list[Columns]:
    """Tag and parse sentences.

    Raises:
        InputError: The model cannot tag or parse.
    """
    library = udpipe()
    found: list[Columns] = []
    for tokens in sentences:
        sentence, error = library.Sentence(), library.ProcessingError()
        for token in tokens:
            sentence.addWord(token)
        if not model.tag(sentence, "", error) or not model.parse(sentence, "", error):
            raise InputError(f"the model cannot tag and parse: {error.message or 'it lacks a part'}")
        rows = [
            (w.form, w.lemma or "_", w.upostag or "_", w.xpostag or "_", w.feats or "_", w.head, w.deprel or "_")
            for w in sentence.words
        ]
        forms, lemmas, upos, xpos, feats, heads, relations = map(list, zip(*rows[1:], strict=True))
        found.append((forms, lemmas, upos, xpos, feats, heads, relations))
    return found


class Worker:
    """A process that has loaded a model and parses what it is given, one list of sentences at a time."""

    def __init__(self, model: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [*PROGRAM, "parse", model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def parse(self, sentences: list[list[str]]) -> list[Columns]:
        """Parse in the process and wait for it."""
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:  # pragma: no cover - both are pipes
            raise AssertionError
        try:
            into.write(json.dumps(sentences) + "\n")
            into.flush()
            answer = out.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise FileError("a parsing process ended before its work was done", hint="is there enough memory?")
        value = json.loads(answer)
        if isinstance(value, str):
            raise InputError(value)
        return [tuple(columns) for columns in value]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()


def read_sentences(path: str) -> Any:
    """The sentences of a CoNLL-U file in UDPipe's own form."""
    library = udpipe()
    found, error = library.Sentences(), library.ProcessingError()
    reader = library.InputFormat.newConlluInputFormat()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    while True:
        sentence = library.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        found.append(sentence)
    if error.occurred():
        raise InputError(f"UDPipe cannot read the treebank: {error.message}")
    return found


def train(job: dict[str, str]) -> None:
    """Train on the files of a job and write the model beside them."""
    library = udpipe()
    error = library.ProcessingError()
    held_out = read_sentences(job["held_out"]) if job["held_out"] else library.Sentences()
    model = library.Trainer.train(
        "morphodita_parsito", read_sentences(job["treebank"]), held_out, "none", job["tagger"], job["parser"], error
    )
    if error.occurred() or not model:
        raise InputError(f"UDPipe cannot train: {error.message}")
    Path(job["model"]).write_bytes(model)


def _answers(model: Any) -> Iterator[str]:
    # JSON in bytes is UTF-8, whatever the locale says of text.
    for line in sys.stdin.buffer:
        try:
            yield json.dumps(parse_sentences(model, json.loads(line)))
        except InputError as error:
            yield json.dumps(str(error))


def main(arguments: list[str]) -> None:
    """Serve: `parse MODEL` answers until its input ends, `train` reads one job."""
    if arguments[0] == "parse":
        for answer in _answers(load_model(arguments[1])):
            sys.stdout.write(answer + "\n")
            sys.stdout.flush()
    else:
        try:
            train(json.loads(sys.stdin.buffer.readline()))
        except InputError as error:
            sys.stdout.write(json.dumps(str(error)))
