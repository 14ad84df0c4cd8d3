"""Training with placeholders: from raw text with numbers and addresses to translations that have them right."""

import numpy as np
import pytest

from tolka import Translator
from tolka.markup import mask
from tolka.pipeline.training import TrainSettings, train
from tolka.train import tune_translator
from tolka.translate.text import prepare_pairs

# German puts the number elsewhere than English does, so that copying is not enough.
FRAMES = (
    ("Im Jahr {0} kamen Leute.", "People came in {0}."),
    ("Das Haus kostete {0} Euro.", "The house cost {0} euros."),
    ("Es waren {0} Katzen und {1} Hunde.", "There were {0} cats and {1} dogs."),
    ("Siehe {url} im Netz.", "See {url} on the web."),
)
QUICK = ("tune.iterations=1", "tune.nbest=10", "align.model=hmm", "lm.order=3", "clean.max_ratio=9.0")


def pairs(count, seed):
    draw = np.random.default_rng(seed)
    for at in range(count):
        german, english = FRAMES[at % len(FRAMES)]
        numbers = [draw.integers(100_000, 10_000_000) / 10 for _ in range(2)]
        url = f"www.a{draw.integers(10**6)}.org"
        ours = [f"{number:,.1f}".translate(str.maketrans(",.", ".,")) for number in numbers]
        yield german.format(*ours, url=url), english.format(*(f"{number:,.1f}" for number in numbers), url=url)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    place = tmp_path_factory.mktemp("numbers")
    for name, count, seed in (("train", 240, 1), ("dev", 20, 2)):
        sides = zip(*pairs(count, seed), strict=True)
        for lang, lines in zip(("de", "en"), sides, strict=True):
            (place / f"{name}.{lang}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    settings = TrainSettings(
        place / "train.de",
        place / "train.en",
        ("de", "en"),
        dev=(place / "dev.de", place / "dev.en"),
        kind="phrase",
        placeholders=True,
        overrides=QUICK,
    )
    train(settings, place / "model")
    return place / "model"


def test_numbers_and_addresses_never_seen_are_placed(model):
    translator = Translator.load(model)
    sources, references = map(list, zip(*pairs(40, 3), strict=True))
    assert translator.translate(sources) == references
    assert [own[0].text for own in translator.nbest(sources[:4], 3)] == references[:4]
    found = translator.translate("Das Haus kostete 1.234,5 Euro.")
    assert found == "The house cost 1,234.5 euros."
    tagged = 'Das Haus kostete <n translation="two">1.234,5</n> Euro.'
    assert translator.with_given(markup="exclusive").translate(tagged).startswith("The house cost two ")


def test_rules_know_placeholders_and_no_numbers(model):
    translator = Translator.load(model)
    assert translator.description.text.masked
    assert translator.decoder.translates(["$num_1", "$num_2", "$url_1"]) == [True, True, True]
    words, _ = mask(["12.345,6"])
    assert words == ["$num_1"]
    ours, theirs = prepare_pairs(translator.source, translator.target, ["Es waren 12,5 Katzen."], ["12.5 cats."])
    assert ours[0].endswith("waren $num_1 Katzen .")
    assert theirs == ["$num_1 cats ."]
    # What only one side has stays.
    ours, theirs = translator.prepare_pairs(["Es waren 12,5 Katzen."], ["There were cats."])
    assert ours[0].endswith("waren 12,5 Katzen .")


def test_tuning_again_masks_both_sides(model):
    translator = Translator.load(model)
    sources, references = map(list, zip(*pairs(8, 4), strict=True))
    _, result = tune_translator(translator, sources, references)
    assert result.score == pytest.approx(100.0)
