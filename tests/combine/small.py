"""Small models in no time, to be combined."""

import re
from dataclasses import replace
from pathlib import Path

from tolka.align import Aligner
from tolka.corpus import CompoundSplitter, Truecaser
from tolka.corpus.synthetic import Synthetic
from tolka.files import Bundle
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.translate import Description, ModelFiles, TextSettings, TextSteps, Translator
from tolka.translate.bundle import open_model, write_model

LANGS = ("de", "en")


def pairs_of(seed, count, langs=LANGS, **settings):
    """Raw pairs of a grammar."""
    return [tuple(one.raw[lang] for lang in langs) for one in Synthetic(seed, **settings).sample(count)]


def train(place, pairs, *, kind="hiero", langs=LANGS, casing=None, compounds=None, lm=None, weights=None, text=None):
    """Train a model of raw pairs, and save it.

    `casing` and `lm` are pairs that truecasers and language models are trained on in place of the text; `compounds` are lines
    that compounds are learnt from.
    """
    text = text or TextSettings()
    parts = Path(f"{place}.parts")
    parts.mkdir(parents=True)
    steps = {lang: TextSteps(lang, replace(text, truecase=False, compounds=False)) for lang in langs}
    truecasers, words = {}, []
    for at, lang in enumerate(langs):
        lines = steps[lang].tokenise([pair[at] for pair in pairs])
        if text.truecase and not text.tokenised:
            known = steps[lang].tokenise([pair[at] for pair in casing]) if casing else lines
            truecaser = Truecaser(language=lang).train(known)
            truecasers[lang] = parts / f"truecaser.{lang}"
            truecaser.save(truecasers[lang])
            lines = truecaser.truecase_lines(lines)
        words.append(lines)
    splitter = None
    if compounds is not None:
        splitter = parts / "compounds"
        learnt = CompoundSplitter(min_count=1).train(compounds)
        learnt.save(splitter)
        words[0] = learnt.split_lines(words[0])
        text = replace(text, compounds=True)
    aligner = Aligner(model="hmm", threads=1).train(zip(*words, strict=True))
    aligner.save(parts / "aligner")
    kept = Bundle.open(parts / "aligner", verify=False)
    Extractor(kind, max_length=5).extract(*words, aligner.lines(), parts / "grammar.tbl")
    fluent = words[1] if lm is None else steps[langs[1]].tokenise([pair[1] for pair in lm])
    LanguageModelTrainer(order=3).train(fluent).save(parts / "lm.tlm")
    files = ModelFiles(
        {"grammar": parts / "grammar.tbl"},
        {"lm": parts / "lm.tlm"},
        truecasers,
        splitter,
        aligner={name: kept.file(name) for name in kept.names},
    )
    description = Description(kind=kind, langs=list(langs), text=text, search={"pop_limit": 20}, aligner=True)
    Translator(description, files, weights, stages=["test"]).save(place)
    return place


def remade(path, place, **changes):
    """The same model with another description; settings of text are named `text_…`."""
    opened = open_model(path)
    text = {name.removeprefix("text_"): value for name, value in changes.items() if name.startswith("text_")}
    rest = {name: value for name, value in changes.items() if not name.startswith("text_") and name != "files"}
    description = replace(opened.description, text=replace(opened.description.text, **text), **rest)
    files = replace(opened.files, **changes.get("files", {}))
    if description.text.tokenised or not description.text.truecase:
        files = replace(files, truecasers={})
    if not description.aligner:
        files = replace(files, aligner={})
    write_model(place, description, files, opened.weights)
    return place


CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопярстуввхыз")


def in_cyrillic(pairs):
    """Pairs whose targets are written in other letters."""
    return [(source, target.lower().translate(CYRILLIC)) for source, target in pairs]


def inodes(path):
    """The files below a directory."""
    return {str(one.relative_to(path)): one.stat().st_ino for one in sorted(path.rglob("*")) if one.is_file()}


def one_sentence(error):
    """Whether what an error says is one sentence, and says what next."""
    said = str(error.value if hasattr(error, "value") else error)
    return "\n" not in said and not re.search(r"[.!?] [A-Z]", said)
