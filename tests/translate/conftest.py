"""A small model of each kind, made from text of a grammar."""

import pytest

from tolka.align import Aligner
from tolka.corpus import Truecaser
from tolka.corpus.synthetic import Synthetic
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.translate import Description, ModelFiles, TextSettings, TextSteps, Translator

LANGS = ["de", "en"]


@pytest.fixture(scope="session")
def bitext():
    """Raw pairs: 400 to train on and 30 others."""
    seen = [(one.raw["de"], one.raw["en"]) for one in Synthetic(3).sample(430)]
    return seen[:400], seen[400:]


@pytest.fixture(scope="session")
def models(tmp_path_factory, bitext):
    """Directories of a hiero and a phrase model of raw text, and of a hiero model of words, by name."""
    place = tmp_path_factory.mktemp("models")
    plain = TextSettings(truecase=False)
    words = {lang: TextSteps(lang, plain).prepare([pair[at] for pair in bitext[0]]) for at, lang in enumerate(LANGS)}
    truecasers, cased = {}, {}
    for lang in LANGS:
        truecaser = Truecaser(language=lang).train(words[lang])
        truecasers[lang] = place / f"truecaser.{lang}"
        truecaser.save(truecasers[lang])
        cased[lang] = truecaser.truecase_lines(words[lang])
    source, target = cased["de"], cased["en"]
    links = Aligner(model="hmm", threads=1).train(zip(source, target, strict=True)).lines()
    LanguageModelTrainer(order=3).train(target).save(place / "lm.tlm")
    made = {}
    for name, kind, text in [
        ("hiero", "hiero", TextSettings()),
        ("phrase", "phrase", TextSettings()),
        ("words", "hiero", TextSettings(tokenised=True)),
    ]:
        Extractor(kind, max_length=5).extract(source, target, links, place / f"{name}.tbl")
        parts = ModelFiles(
            {"grammar": place / f"{name}.tbl"},
            {"lm": place / "lm.tlm"},
            {} if text.tokenised else truecasers,
        )
        description = Description(kind=kind, langs=LANGS, text=text, search={"pop_limit": 20})
        made[name] = place / "model" / name
        Translator(description, parts, stages=["test"]).save(made[name])
    return made
