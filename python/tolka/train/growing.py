"""Models that take in new sentence pairs at once: all remember them, and those that keep their aligned text learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tolka.align import Aligner
from tolka.corpus import CompoundSplitter, Truecaser, Vocabulary, read_lines, write_lines
from tolka.errors import FileError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.grammar import SuffixGrammar, segment_names
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.progress import SILENT
from tolka.train import defaults
from tolka.train.new_words import link_new_words
from tolka.translate.bundle import KIND, LM_TEXT, WEIGHTS, ModelFiles, OpenModel, open_model, update_name
from tolka.translate.description import Growing, Remembering, Update
from tolka.translate.given import GivenSettings
from tolka.translate.memory import Correction, read_corrections, write_corrections
from tolka.translate.on_demand import suffix_grammar
from tolka.translate.reordering import open_reordering, reorder_aligned
from tolka.translate.text import TextSteps, prepare_pairs
from tolka.tune import write_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.progress import Progress
    from tolka.translate.description import MemoryUse

LM = "lm"
# Words of the wrong side for one of the right side, from which on sides are taken to be swapped.
_SWAPPED = 1.5


@dataclass(frozen=True)
class UpdateReport:
    """What an update did.

    Attributes:
        added: Sentence pairs taken in.
        left_out: Pairs left out because a side is empty.
        pairs: Sentence pairs that the model has learned from.
        segments: Parts that its text is in; 0 if it does not grow.
        lm: Whether the language model was made again.
        id: The number of the update, to undo it by; 0 if it is the model's first text.
        learned: Pairs that rules are found in. A model with a table of rules only remembers them, and so does any model of
            sentences that are too long.
        notes: What deserves attention.
    """

    added: int
    left_out: int
    pairs: int
    segments: int
    lm: bool
    id: int = 0
    learned: int = 0
    notes: tuple[str, ...] = ()


def make_growing(
    path: str | PathLike[str],
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    lm: bool = True,
    samples: int = defaults.SAMPLES,
    threads: int = 0,
    progress: Progress = SILENT,
) -> UpdateReport:
    """Turn a model with a table of rules into one that keeps its text, so that `update_model` can add to it.

    Its weights stay: the rules have the same features, wherever they come from. Their probabilities are not smoothed, so
    weights are best tuned on a table without smoothing, as `tolka train --growing` does. What it was updated with before, it
    learns now.

    Args:
        path: The model's directory.
        sources: The text that the model was trained on, as people write it.
        targets: Its translation.
        lm: Whether the language model is one of the target text alone, and is to grow with it.
        samples: Occurrences that are looked at; see `tolka.grammar.SuffixGrammar`.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        SettingsError: The model has no aligner, several tables, or features that only a table has.
        InputError: The texts differ in length.
    """
    opened = open_model(path)
    description = opened.description
    if description.growing is not None:
        raise SettingsError("the model grows already", hint="add pairs to it with tolka update")
    if len(description.grammars) != 1:
        raise SettingsError("a model with several tables of rules cannot grow")
    if not opened.files.aligner:
        raise SettingsError(
            "the model has not kept its aligner, so it cannot align new text",
            hint="train it again, keeping the aligner",
        )
    rules = defaults.extraction(description.kind, growing=True)
    rules["indicators"] = any(name.startswith("count_") for name in opened.weights)
    lm = lm and description.lms == [LM]
    order: dict[str, int | str | list[int]] | None = (
        {"order": LanguageModel.load(opened.files.lms[LM]).order} if lm else None
    )
    pairs = [one for one in _corrections(opened, sources, targets, threads, progress) if one.links is not None]
    if not pairs:
        raise InputError("there is no sentence pair to add")
    described = replace(description, voices=None, growing=Growing(rules=rules, samples=samples, lm=order, base=1))
    files = replace(opened.files, grammars={}, text={})
    _save(replace(opened, description=described, files=files), base=pairs, threads=threads)
    if opened.files.updates:
        _relearn(open_model(path), threads)
    return _report(path, added=len(pairs), left_out=len(sources) - len(pairs), learned=len(pairs))


def update_model(
    path: str | PathLike[str],
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    name: str = "update",
    force: bool = False,
    threads: int = 0,
    progress: Progress = SILENT,
) -> UpdateReport:
    """Add sentence pairs to a model; it translates with them as soon as it is loaded again.

    Any model remembers them: the sentences come back with these translations, as they are written. One that grows learns
    from them, too: they are aligned by the model's aligner, and their rules are there at once. Its language model is made
    again of all its text, if the model keeps that. Whenever the process is stopped, the model is the old or the new one.

    Args:
        path: The model's directory.
        sources: Sentences as people write them.
        targets: Their translations.
        name: What the update is called where updates are listed.
        force: Whether to add them although their sides seem to be swapped.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        InputError: The texts differ in length, have no pair with words on both sides, or seem to be swapped.
        FileError: There is no model, or it cannot be written.
    """
    opened = open_model(path)
    new = _corrections(opened, sources, targets, threads, progress)
    if not new:
        raise InputError("there is no sentence pair to add")
    if not force:
        _check_sides(opened, new)
    memory = opened.description.memory or Remembering()
    growing = opened.description.growing
    learned = sum(one.links is not None for one in new) if growing is not None else 0
    if growing is not None and growing.base is None:
        growing = replace(growing, base=len(opened.files.segments()))
    update = Update(memory.last + 1, name, len(new), learned)
    memory = replace(memory, updates=[*memory.updates, update], last=update.id)
    described = replace(opened.description, memory=memory, growing=growing)
    _save(replace(opened, description=described), new=new, threads=threads)
    notes = []
    if growing is None:
        notes.append(
            "the model has a table of rules: it remembers these sentences, but learns no words from them "
            "(tolka update --corpus makes it a model that learns)"
        )
    elif learned < len(new):
        notes.append(f"{len(new) - learned} pairs are too long to learn from, but are remembered")
    left_out = len(sources) - len(new)
    return _report(path, added=len(new), left_out=left_out, id=update.id, learned=learned, notes=tuple(notes))


def list_updates(path: str | PathLike[str]) -> list[Update]:
    """The updates of a model, oldest first.

    Raises:
        FileError: There is no model.
    """
    memory = open_model(path).description.memory
    return [] if memory is None else memory.updates


def undo_update(path: str | PathLike[str], number: int | None = None, *, threads: int = 0) -> Update:
    """Take an update out of a model: it is as if that had never been.

    Whenever the process is stopped, the model is the old or the new one.

    Args:
        path: The model's directory.
        number: The update's; the last one's if it is not given.
        threads: How many; 0 for one per core.

    Returns:
        The update that was undone.

    Raises:
        InputError: There is no such update.
        FileError: There is no model, or it cannot be written.
    """
    opened = open_model(path)
    memory = opened.description.memory
    if memory is None or not memory.updates:
        raise InputError("the model has no update to undo", path=path)
    undone = next((one for one in reversed(memory.updates) if number in {None, one.id}), None)
    if undone is None:
        there = ", ".join(str(one.id) for one in memory.updates)
        raise InputError(f"the model has no update {number}", path=path, hint=f"it has {there}")
    left = [one for one in memory.updates if one is not undone]
    gone = update_name(undone.id)
    files = replace(opened.files, updates={name: at for name, at in opened.files.updates.items() if name != gone})
    described = replace(opened.description, memory=replace(memory, updates=left))
    _relearn(replace(opened, description=described, files=files), threads)
    return undone


def memory_with(opened: OpenModel, use: MemoryUse | None, threshold: float | None) -> Remembering:
    """What `set_memory` would make a model do; nothing is saved.

    Raises:
        SettingsError: A use or threshold that there is not.
    """
    return GivenSettings(memory=use, threshold=threshold).remembering(opened.description.memory or Remembering())


def set_memory(path: str | PathLike[str], use: MemoryUse | None = None, threshold: float | None = None) -> Remembering:
    """Say what a model does with its corrections, unless it is told otherwise when it translates.

    Args:
        path: The model's directory.
        use: `exact`, `fuzzy` or `off`; stays as it is if not given.
        threshold: Of `fuzzy`; stays as it is if not given.

    Raises:
        SettingsError: A use or threshold that there is not.
    """
    opened = open_model(path)
    memory = memory_with(opened, use, threshold)
    _save(replace(opened, description=replace(opened.description, memory=memory)))
    return memory


def _corrections(
    opened: OpenModel, sources: Sequence[str], targets: Sequence[str], threads: int, progress: Progress
) -> list[Correction]:
    """Pairs with words on both sides as the model sees them, linked if they are not too long and the model can."""
    if len(sources) != len(targets):
        raise InputError(f"the source has {len(sources)} lines and the target {len(targets)}")
    own, other = _steps(opened, 0), _steps(opened, 1)
    prepared = prepare_pairs(own, other, list(sources), list(targets), threads=threads)
    whole = [
        Correction(source, target, words, said)
        for source, target, words, said in zip(sources, targets, *prepared, strict=True)
        if words.split() and said.split()
    ]
    short = [at for at, one in enumerate(whole) if _fits(one.words, one.target_words)]
    if not opened.files.aligner or not short:
        return whole
    pairs = [(whole[at].words, whole[at].target_words) for at in short]
    with progress.task("aligning", total=len(pairs), unit="pairs") as advance:
        links = _align(opened.files, pairs, threads)
        advance(len(pairs))
    source = [pair[0] for pair in pairs]
    if (reordering := open_reordering(opened.description, opened.files)) is not None:
        source, links = reorder_aligned(reordering, source, links, threads=threads)
    for at, words, found in zip(short, source, links, strict=True):
        whole[at] = replace(whole[at], words=words, links=tuple((i, j) for i, j in found))
    return whole


def _check_sides(opened: OpenModel, new: Sequence[Correction]) -> None:
    """Refuse sentences whose words are mostly those of the other language."""
    if not opened.files.aligner:
        return
    known = [Vocabulary.load(opened.files.aligner[name]) for name in ("source.words", "target.words")]
    straight = crossed = 0
    for one in new:
        sides = one.words.split(), one.target_words.split()
        straight += sum(word in known[at] for at in (0, 1) for word in sides[at])
        crossed += sum(word in known[1 - at] for at in (0, 1) for word in sides[at])
    # Names and numbers are words of both.
    if crossed > _SWAPPED * straight:
        source, target = opened.description.langs
        raise InputError(
            f"the sides seem to be swapped: the first is not {source} and the second not {target}",
            hint=f"give the {source} side first",
        )


def _relearn(opened: OpenModel, threads: int) -> None:
    """Save a model whose text of updates is made again of what it remembers."""
    growing, memory = opened.description.growing, opened.description.memory
    if growing is None or memory is None:
        _save(opened, threads=threads)
        return
    kept = segment_names(opened.files.text)[: growing.base]
    files = replace(
        opened.files,
        text={name: at for name, at in opened.files.text.items() if name in kept or name == LM_TEXT},
    )
    read = {name: read_corrections(at.read_bytes(), at) for name, at in files.updates.items()}
    counts = [sum(one.links is not None for one in read[update_name(one.id)]) for one in memory.updates]
    updates = [replace(one, learned=count) for one, count in zip(memory.updates, counts, strict=True)]
    described = replace(opened.description, memory=replace(memory, updates=updates))
    again = [one for own in read.values() for one in own]
    _save(replace(opened, description=described, files=files), again=again, threads=threads)


def _save(
    opened: OpenModel,
    *,
    base: Sequence[Correction] = (),
    new: Sequence[Correction] = (),
    again: Sequence[Correction] | None = None,
    threads: int = 0,
) -> None:
    """Save a model over the one that is there.

    Args:
        opened: What it is, with the files that it keeps.
        base: The text of a model that did not grow before.
        new: The pairs of its last update, which have no file yet.
        again: If the text of updates is made again, the pairs of all of them.
        threads: How many; 0 for one per core.
    """
    description, files, growing = opened.description, opened.files, opened.description.growing
    added = [one for one in (*base, *new, *(again or ())) if one.links is not None] if growing is not None else []
    touched = bool(added) or again is not None
    changed: set[str] = set()
    if growing is not None and touched:
        grammar = suffix_grammar(description, growing, files, threads=threads)
        if set(grammar.feature_names) - set(opened.weights):
            raise SettingsError("the model's table has other features than rules found on demand")
        description = replace(description, made={**description.made, "pairs": len(grammar) + len(added)})
    with save_bundle(
        opened.bundle.path,
        kind=KIND,
        settings=description.written(),
        features=list(opened.weights),
        stages=opened.bundle.stages,
    ) as out:
        # Nobody else saves now, but somebody may have since the model was opened.
        if Bundle.open(opened.bundle.path, kind=KIND, verify=False).manifest != opened.bundle.manifest:
            raise FileError("another process has changed the model", path=opened.bundle.path, hint="try again")
        if growing is not None and touched:
            names = segment_names(files.text)
            if added:
                text = [one.words for one in added], [one.target_words for one in added]
                links = [list(one.links or ()) for one in added]
                grammar.append_to(out, names, *text, links, keep=growing.base or 0)
                changed |= set(names)
            if growing.lm is not None:
                if base:
                    write_lines(out.file(LM_TEXT), [one.target_words for one in base])
                earlier = [] if again is not None or base else _earlier(files)
                kept = read_lines(files.text[LM_TEXT]) if LM_TEXT in files.text else ()
                lines = [*kept, *(one.target_words for one in (*earlier, *added) if one.links is not None)]
                trained = LanguageModelTrainer(**growing.lm, threads=threads).train(lines)  # type: ignore[arg-type]
                trained.save(out.file(f"{LM}.tlm"))
                changed.add(f"{LM}.tlm")
        if new and description.memory is not None:
            write_corrections(out.file(update_name(description.memory.last)), new)
        for name in sorted(set(files.named()) - changed):
            out.keep(name)
        write_weights(out.file(WEIGHTS), opened.weights)


def _earlier(files: ModelFiles) -> list[Correction]:
    """What the model was updated with so far."""
    return [one for path in files.updates.values() for one in read_corrections(path.read_bytes(), path)]


def _report(path: str | PathLike[str], **said: Any) -> UpdateReport:
    now = open_model(path)
    growing = now.description.growing
    if growing is None:
        return UpdateReport(pairs=int(now.description.made.get("pairs", 0)), segments=0, lm=False, **said)
    whole = SuffixGrammar(now.files.segments())
    return UpdateReport(pairs=len(whole), segments=whole.stats().segments, lm=growing.lm is not None, **said)


def _steps(opened: OpenModel, side: int) -> TextSteps:
    lang = opened.description.langs[side]
    path = opened.files.truecasers.get(lang)
    words = opened.files.compounds if side == 0 else None
    return TextSteps(
        lang,
        opened.description.text,
        None if path is None else Truecaser.load(path),
        None if words is None else CompoundSplitter.load(words),
    )


def _fits(source: str, target: str) -> bool:
    most: int = defaults.CLEAN["max_tokens"]
    return all(0 < len(side.split()) <= most for side in (source, target))


def _align(files: ModelFiles, pairs: list[tuple[str, str]], threads: int) -> list[list[tuple[int, int]]]:
    aligner = Aligner.from_files(files.aligner, threads=threads)
    known = [Vocabulary.load(files.aligner[name]) for name in ("source.words", "target.words")]
    links = aligner.align(pairs, symmetrise=defaults.ALIGN["symmetrise"])
    return [
        link_new_words(source.split(), target.split(), own, known[0], known[1])
        for (source, target), own in zip(pairs, links, strict=True)
    ]
