"""Small models of each kind, made from text of a grammar with words of two senses."""

import pytest

from tolka.align import Aligner
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.translate import Description, ModelFiles, TextSettings, Translator

# "schwer" is heavy of bags and difficult of exams; "Schloss" a castle or a lock. Either has words of its own.
NOUNS = {"Tasche": "bag", "Kiste": "box", "Prüfung": "exam", "Frage": "question"}
SENSES = {"schwer": ("heavy", "difficult"), "gewichtig": ("heavy", "heavy"), "schwierig": ("difficult", "difficult")}
PLACES = {"Schloss": ("castle", "lock"), "Burg": ("castle", "castle"), "Riegel": ("lock", "lock")}


def pairs():
    """All sentences of the grammar, those with the ambiguous words in both senses."""
    made = []
    for at, (noun, english) in enumerate(NOUNS.items()):
        for word, senses in SENSES.items():
            if word == "schwer" or (word == "gewichtig") == (at < 2):
                made.append((f"die {noun} ist {word} .", f"the {english} is {senses[at // 2]} ."))
    for word, senses in PLACES.items():
        for at, (verb, english) in enumerate({"sieht": "sees", "öffnet": "opens"}.items()):
            for who, she in (("er", "he"), ("sie", "she")):
                made.append((f"{who} {verb} {word} .", f"{she} {english} {senses[at]} ."))
    return made * 3


@pytest.fixture(scope="session")
def bitext():
    """Sentences and their translations."""
    return pairs()


@pytest.fixture(scope="session")
def models(tmp_path_factory, bitext):
    """Directories of a phrase and a hiero model of words, by name."""
    place = tmp_path_factory.mktemp("models")
    source, target = ([pair[at] for pair in bitext] for at in range(2))
    links = Aligner(model="hmm", threads=1).train(zip(source, target, strict=True)).lines()
    LanguageModelTrainer(order=3).train(target).save(place / "lm.tlm")
    made = {}
    for kind in ("phrase", "hiero"):
        Extractor(kind, max_length=4).extract(source, target, links, place / f"{kind}.tbl")
        parts = ModelFiles({"grammar": place / f"{kind}.tbl"}, {"lm": place / "lm.tlm"})
        text = TextSettings(tokenised=True)
        description = Description(kind=kind, langs=["de", "en"], text=text, search={"pop_limit": 50})
        made[kind] = place / "model" / kind
        Translator(description, parts, stages=["test"]).save(made[kind])
    return made
