"""The names that new users guess: the table of docs/api.md says which of them work, and that is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tolka
from tolka.align import Aligner
from tolka.corpus.synthetic import Synthetic
from tolka.grammar import Grammar, extract
from tolka.judge import Answer
from tolka.lm import LanguageModel
from tolka.syntax import Tree
from tolka.translate import Description, ModelFiles, TextSettings, Translator

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
ROWS = re.findall(r"^\| `(.+)` \| (yes|no.*) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
GUESSED, RIGHT = 26, 20


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("guesses")
    pairs = [(" ".join(one.tokens["de"]), " ".join(one.tokens["en"])) for one in Synthetic(1).sample(40)]
    links = Aligner("ibm1").train(pairs).align(pairs)
    lm = LanguageModel.train([target for _, target in pairs], order=2)
    grammar = extract([source for source, _ in pairs], [target for _, target in pairs], links, folder / "rules.tbl")
    lm.save(folder / "lm.arpa")
    description = Description(kind="hiero", langs=["de", "en"], text=TextSettings(truecase=False))
    translator = Translator(description, ModelFiles({"grammar": folder / "rules.tbl"}, {"lm": folder / "lm.arpa"}, {}))
    # Whoever tries one row alone has what another one saves.
    for name in ("model", "copy"):
        translator.save(folder / name)
    for at, lang in enumerate(("de", "en")):
        (folder / f"text.{lang}").write_text("".join(f"{pair[at]}\n" for pair in pairs), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield {
            "tolka": tolka,
            "translator": translator,
            "pairs": pairs,
            "links": links,
            "lm": lm,
            "grammar": grammar,
            "tree": Tree(forms=("er", "liest"), heads=(2, 0)),
            "answers": [Answer("a", "b"), Answer("b", "a"), Answer("a", "b")],
        }


def test_most_guesses_are_right() -> None:
    assert len(ROWS) == GUESSED
    assert sum(works == "yes" for _, works in ROWS) >= RIGHT


@pytest.mark.parametrize(("guess", "works"), ROWS, ids=[guess for guess, _ in ROWS])
def test_what_works_works_and_the_rest_says_what_does(guess: str, works: str, names: dict[str, Any]) -> None:
    if works == "yes":
        eval(guess, dict(names))  # noqa: S307 - our own page
        return
    with pytest.raises((AttributeError, TypeError)) as caught:
        eval(guess, dict(names))  # noqa: S307 - our own page
    if works.startswith("no; "):
        assert str(caught.value).endswith(works.removeprefix("no"))


def test_the_package_lists_what_it_offers() -> None:
    assert {"Translator", "align", "judge", "tune"} < set(dir(tolka))
    assert not [name for name in dir(tolka) if name.startswith("_") and name != "__version__"]
    assert "TYPE_CHECKING" not in dir(tolka.lm)
    assert set(tolka.lm.__all__) < set(dir(tolka.lm))


def test_a_file_is_not_taken_for_rules(names: dict[str, Any]) -> None:
    with pytest.raises(tolka.errors.InputError, match=r"use Grammar\.load"):
        Grammar("rules.tbl")  # type: ignore[arg-type]
    with pytest.raises(tolka.errors.InputError, match=r"use LanguageModel\.load"):
        LanguageModel("lm.arpa")  # type: ignore[arg-type]
    assert names["grammar"].path == Grammar.load("rules.tbl").path.absolute()


def test_notebooks_show_results(names: dict[str, Any]) -> None:
    ranking = tolka.judge.rank.Ranker().fit([Answer("<a>", "b"), Answer("b", "<a>")])
    assert "&lt;a&gt;" in ranking._repr_html_()
    scores = tolka.evaluate.evaluate(["a b c d"], ["a b c e"], baseline=["a b x y"])
    assert "approximate randomisation" in scores._repr_html_()
    assert names["tree"]._repr_svg_().startswith("<svg")


def test_an_update_gives_the_translator_that_knows_it(names: dict[str, Any], tmp_path: Path) -> None:
    names["translator"].save(tmp_path / "own")
    before = Translator.load(tmp_path / "own")
    after = before.update(["das ist ein kakadu ."], ["This Is A Cockatoo!"])
    assert after.translate("das ist ein kakadu .") == "This Is A Cockatoo!"
    assert before.translate("das ist ein kakadu .") != "This Is A Cockatoo!"
    with pytest.raises(tolka.errors.SettingsError, match="save it, and load it"):
        names["translator"].update(["a"], ["b"])
