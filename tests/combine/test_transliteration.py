"""How words are written in another language, and neighbours that vote for that."""

import random

from tolka.combine.oov import Material, OovSettings, find_translations
from tolka.combine.oov.transliteration import Transliterator
from tolka.combine.oov.words import Unknown
from tolka.graph import Text


def test_letters_of_other_scripts_are_learnt():
    """Russian letters, among them one that is two here, from pairs a third of which are no such pairs."""
    latin = dict(zip("абвгдеиклмнопрстуш", [*"abvgdeiklmnoprstu", "sh"], strict=True))
    draw = random.Random(5)  # noqa: S311 - no secrets here

    def word():
        return "".join(draw.choice([*latin]) for _ in range(draw.randint(4, 8)))

    def written(text):
        return "".join(latin[letter] for letter in text)

    right, asked = [word() for _ in range(200)], [word() for _ in range(50)]
    noise = [(word(), written(word())) for _ in range(100)]
    learnt = Transliterator().train([*((text, written(text)) for text in right), *noise])
    assert 180 <= learnt.pairs_ <= 240
    assert sum(learnt.candidates(text, 1)[0][0] == written(text) for text in asked) >= 48
    assert [p for _, p in learnt.candidates("шапка", 5)] == sorted(
        (p for _, p in learnt.candidates("шапка", 5)), reverse=True
    )
    assert learnt.candidates("qqq") == []
    assert learnt.best("шапка", {"shapka", "sapka"}.__contains__) == "shapka"
    assert learnt.best("шапка", {"hat"}.__contains__) == ""
    assert Transliterator().train([]).candidates("слово") == []


def test_neighbours_vote_for_writing_a_word_as_the_other_language_does():
    """Logik is used as musik and fabrik are, which are the same words in both languages, and as kunst is, which is not."""
    text = Text.of([f"a {word} b c" for word in ("musik", "logik", "fabrik", "kunst")] * 2)
    known = {"musik": (("music", 1.0),), "fabrik": (("fabric", 1.0),), "kunst": (("art", 1.0),)}
    sounds = {"musik": "music", "fabrik": "fabric", "logik": "logic", "kunst": "cunst"}
    settings = OovSettings(spelling=0, bridges=0)
    for given, said in ((sounds, {"logic", "art"}), ({}, {"music", "fabric", "art"})):
        [entry] = find_translations(Material(text, Unknown(("logik",)), known, sounds=given), settings).entries
        assert dict(entry.translations).keys() == said
        if given:
            assert dict(entry.translations)["logic"] > 0.6
