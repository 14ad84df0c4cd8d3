"""Parsing of tokenised text with UDPipe 1 (Straka and Straková, 2017): tags, lemmas and dependency trees."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError
from tolka.limits import DEFAULT
from tolka.progress import SILENT
from tolka.syntax.tree import Tree
from tolka.syntax.udpipe_work import Columns, Worker, load_model, parse_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits
    from tolka.progress import Progress

CHUNK = 200  # sentences a worker gets at once


class Parser:
    """A trained parser.

    UDPipe keeps Python's lock while it works, so several threads here mean several processes: each loads the model once.
    The trees do not depend on their number.

    Example:
        >>> import tempfile
        >>> from tolka.syntax import synthetic_treebank, train_parser
        >>> path = Path(tempfile.mkdtemp(), "de.model")
        >>> trees = synthetic_treebank(seed=1, sentences=40).trees
        >>> _ = train_parser(trees, path, iterations=2, tagger_iterations=2, hidden_layer=20, embedding=10)
        >>> [tree] = Parser.load(path).parse([["Er", "ist", "gelaufen", "."]])
        >>> tree.forms, len(tree.roots)
        (('Er', 'ist', 'gelaufen', '.'), 1)
    """

    def __init__(self, path: Path, model: object, limits: Limits) -> None:
        self.path = path
        self._model = model
        self._limits = limits

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Self:
        """Load a model that `train_parser` or UDPipe 1 has made.

        Raises:
            FileError: There is no such file.
            FormatError: The file is no UDPipe model, or is damaged.
            MissingExtraError: ufal.udpipe is not installed.
        """
        found = Path(path)
        try:
            size = found.stat().st_size
        except OSError as error:
            raise FileError(f"the model cannot be read: {error.strerror}", path=path) from error
        if size > limits.model_bytes:
            raise LimitError(f"the model has {size} bytes", path=path, hint="raise limits.model_bytes")
        model = load_model(str(found))
        if model is None:
            raise FormatError(
                "this is no model of UDPipe 1, or it is damaged", path=path, hint="train one with: tolka parse train"
            )
        return cls(found, model, limits)

    def parse(self, sentences: Sequence[Sequence[str]], *, threads: int = 1, progress: Progress = SILENT) -> list[Tree]:
        """Parse sentences; their tokens are kept as they are.

        Args:
            sentences: Tokens of each sentence.
            threads: How many processes; 0 for one a core. Few sentences are parsed in this one.
            progress: Told of sentences.

        Raises:
            InputError: A sentence is empty, or a token has white space in it.
            LimitError: A sentence is too long.
        """
        with progress.task("parsing", total=len(sentences), unit="sentences") as advance:
            found = []
            for tree in self.parse_stream(sentences, threads=threads):
                found.append(tree)
                advance(1)
        return found

    def parse_stream(self, sentences: Iterable[Sequence[str]], *, threads: int = 1) -> Iterator[Tree]:
        """Parse sentences one after the other as they come; arguments and errors as for `parse`."""
        if threads < 0:
            raise SettingsError(f"the number of threads must not be negative, but is {threads}")
        workers = threads or os.cpu_count() or 1
        chunks = self._chunks(sentences)
        first = list(islice(chunks, 2))
        if workers == 1 or len(first) == 1:
            for chunk in (*first, *chunks):
                yield from map(_tree, parse_sentences(self._model, chunk))
        else:
            yield from self._in_processes(first, chunks, workers)

    def _in_processes(
        self, first: list[list[list[str]]], chunks: Iterator[list[list[str]]], count: int
    ) -> Iterator[Tree]:
        with ExitStack() as stack:
            pool = stack.enter_context(ThreadPoolExecutor(count))
            free: SimpleQueue[Worker] = SimpleQueue()
            for _ in range(count):
                free.put(stack.enter_context(Worker(str(self.path))))

            def work(chunk: list[list[str]]) -> list[Columns]:
                worker = free.get()
                try:
                    return worker.parse(chunk)
                finally:
                    free.put(worker)

            waiting = [pool.submit(work, chunk) for chunk in first]
            while waiting:
                waiting += [pool.submit(work, chunk) for chunk in islice(chunks, max(0, 2 * count - len(waiting)))]
                yield from map(_tree, waiting.pop(0).result())

    def _chunks(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[list[str]]]:
        chunk: list[list[str]] = []
        for number, sentence in enumerate(sentences, 1):
            self._check(sentence, number)
            chunk.append(list(sentence))
            if len(chunk) == CHUNK:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def _check(self, sentence: Sequence[str], number: int) -> None:
        if not sentence:
            raise InputError(
                f"sentence {number} is empty", hint="take empty lines out, on both sides of a parallel text"
            )
        if len(sentence) > self._limits.sentence_tokens:
            raise LimitError(
                f"sentence {number} has {len(sentence)} tokens",
                hint="take it out, or raise limits.sentence_tokens",
            )
        for token in sentence:
            if not token or min(token) <= " ":
                raise InputError(
                    f"sentence {number} has the token {token!r}",
                    hint="tokens have no white space in them; tokenise first",
                )


def _tree(columns: Columns) -> Tree:
    forms, lemmas, upos, xpos, feats, heads, relations = columns
    return Tree(
        forms=tuple(forms),
        lemmas=tuple(lemmas),
        upos=tuple(upos),
        xpos=tuple(xpos),
        feats=tuple(feats),
        heads=tuple(heads),
        deprels=tuple(relations),
    )
