"""Subwords: words cut into frequent pieces, by the sentencepiece package (extra `subwords`)."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.errors import FileError, FormatError, InputError, LimitError, MissingExtraError, SettingsError
from tolka.files import write_atomic
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from types import ModuleType

    from tolka.limits import Limits

SPECIALS = ("<unk>", "<s>", "</s>")
"""The pieces 0, 1 and 2."""

KINDS = ("unigram", "bpe")
"""The models of sentencepiece that are offered."""


class Subwords:
    """Learns pieces of words, cuts lines into them and joins them again.

    The same lines and settings give the same model: training uses all lines, in their order, in one thread. Text is not
    normalised but for runs of spaces, so what was cut can be joined again. The ids of `<unk>`, `<s>` and `</s>` are 0, 1
    and 2, as in `Vocabulary`.

    Attributes:
        size: Most pieces.
        kind: "unigram" (Kudo 2018) or "bpe" (Sennrich et al. 2016).
        character_coverage: The share of running characters that have pieces; the rare rest is unknown.
        byte_fallback: Spell characters without pieces in bytes instead.
        model_: What was learned, as the bytes of a sentencepiece model.

    Example:
        >>> subwords = Subwords(size=20).train(["das Haus", "das Dach", "ein Haus", "ein Dach"])
        >>> subwords.decode(subwords.encode("das Haus ein Dach"))
        'das Haus ein Dach'
    """

    def __init__(
        self, *, size: int = 8000, kind: str = "unigram", character_coverage: float = 1.0, byte_fallback: bool = False
    ) -> None:
        if kind not in KINDS:
            raise SettingsError(f"there are no subwords of kind {kind!r}", hint=f"choose {' or '.join(KINDS)}")
        if not len(SPECIALS) < size < 1 << 24:
            raise SettingsError(f"{size} is not a sensible number of pieces")
        if not 0.0 < character_coverage <= 1.0:
            raise SettingsError(f"character_coverage must be above 0 and at most 1, not {character_coverage}")
        self.size = size
        self.kind = kind
        self.character_coverage = character_coverage
        self.byte_fallback = byte_fallback
        self.model_: bytes | None = None
        self._processor: Any = None

    def train(self, lines: Iterable[str], *, limits: Limits = DEFAULT) -> Subwords:
        """Learn from lines.

        Args:
            lines: Text; no line may be longer than the limit `line_bytes`.
            limits: Caps on what comes from outside.

        Raises:
            MissingExtraError: sentencepiece is not installed.
            InputError: There is no text.
            LimitError: A line is too long.
            SettingsError: The text has not enough different characters or words for so many pieces, or too many.
        """
        sentencepiece = _sentencepiece()
        written = io.BytesIO()
        checked = _Checked(lines, limits)
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(checked),
                model_writer=written,
                model_type=self.kind,
                vocab_size=self.size,
                character_coverage=self.character_coverage,
                byte_fallback=self.byte_fallback,
                hard_vocab_limit=False,
                normalization_rule_name="identity",
                # Longer sentences would be skipped without a word.
                max_sentence_length=limits.line_bytes + 1,
                input_sentence_size=0,
                shuffle_input_sentence=False,
                num_threads=1,
                minloglevel=2,
            )
        except RuntimeError as error:
            if checked.failure is not None:
                raise checked.failure from None
            if not checked.any_text:
                raise InputError("there is no text to learn subwords from") from None
            raise SettingsError(
                f"no {self.kind} model with {self.size} pieces can be learned from this text ({_reason(error)})",
                hint="set another size",
            ) from None
        self.model_ = written.getvalue()
        self._processor = _opened(self.model_)
        return self

    @classmethod
    def from_bytes(cls, model: bytes) -> Subwords:
        """The subwords of a sentencepiece model, as it is in a `.model` file; `FormatError` if it is none."""
        subwords = cls()
        subwords.model_, subwords._processor = model, _opened(model)
        subwords.size = len(subwords)
        return subwords

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Subwords:
        """Read a sentencepiece model; any `.model` file will do."""
        path = Path(path)
        try:
            if path.stat().st_size > limits.model_bytes:
                raise LimitError(f"the file is larger than {limits.model_bytes} bytes", path=path)
            model = path.read_bytes()
        except OSError as error:
            raise FileError(error.strerror or str(error), path=path) from error
        try:
            return cls.from_bytes(model)
        except FormatError as error:
            raise FormatError(error.what, path=path, hint=error.hint) from None

    def to_bytes(self) -> bytes:
        """The model as a `.model` file holds it."""
        self._trained()
        return self.model_ or b""

    def save(self, path: str | PathLike[str]) -> None:
        """Write a `.model` file that all of sentencepiece's ports can read."""
        model = self.to_bytes()
        with write_atomic(Path(path), binary=True) as out:
            out.write(model)

    def __len__(self) -> int:
        return 0 if self._processor is None else int(self._processor.get_piece_size())

    def encode(self, line: str) -> list[str]:
        """The pieces of a line; `▁` stands where a space was."""
        return list(self._trained().encode(_text(line), out_type=str))

    def encode_ids(self, line: str) -> list[int]:
        """The ids of the pieces of a line."""
        return list(self._trained().encode(_text(line), out_type=int))

    def decode(self, pieces: Iterable[str]) -> str:
        """The line that these pieces make up."""
        return str(self._trained().decode_pieces(list(pieces)))

    def decode_ids(self, ids: Iterable[int]) -> str:
        """The line that the pieces of these ids make up; `InputError` for an id that has no piece."""
        listed = list(ids)
        if any(not 0 <= id < len(self) for id in listed):  # noqa: A001
            raise InputError(f"there are only pieces 0 to {len(self) - 1}")
        return str(self._trained().decode_ids(listed))

    def _trained(self) -> Any:
        if self._processor is None:
            raise InputError("the subwords have not been learned yet", hint="call train or load first")
        return self._processor


class _Checked:
    """Lines on their way to the trainer, which would swallow both long lines and errors."""

    def __init__(self, lines: Iterable[str], limits: Limits) -> None:
        self.lines = lines
        self.limits = limits
        self.any_text = False
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[str]:
        try:
            for number, line in enumerate(self.lines, start=1):
                if len(_text(line).encode()) > self.limits.line_bytes:
                    raise LimitError(f"the line is longer than {self.limits.line_bytes} bytes", line=number)  # noqa: TRY301
                self.any_text = self.any_text or bool(line.strip())
                yield line
        except Exception as error:
            self.failure = error
            raise


def _opened(model: bytes) -> Any:
    processor = _sentencepiece().SentencePieceProcessor()
    try:
        loaded = bool(model) and processor.load_from_serialized_proto(model)
    except RuntimeError:
        loaded = False
    if not loaded:
        raise FormatError("this is not a sentencepiece model", hint="make or copy the model again")
    return processor


def _text(line: str) -> str:
    try:
        line.encode()
    except UnicodeEncodeError:
        raise InputError("a text has a lone surrogate", hint="read the text as UTF-8") from None
    return line


def _reason(error: RuntimeError) -> str:
    # What it says comes after the place in its source and the condition that failed.
    return str(error).rpartition("] ")[2].strip().rstrip(".") or "sentencepiece gives no reason"


def _sentencepiece() -> ModuleType:
    try:
        with warnings.catch_warnings():
            # Its bindings are generated by SWIG, whose types lack a module name.
            warnings.simplefilter("ignore", DeprecationWarning)
            import sentencepiece  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("cutting words into subwords", "subwords") from None
    return sentencepiece
