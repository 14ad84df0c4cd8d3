"""Gold multitrees of the synthetic corpus: what they show, and the files of `tolka corpus synth --multitrees`."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.corpus.synthetic import Synthetic, write
from tolka.errors import FormatError, SettingsError
from tolka.multitree import gold_multitrees, read_multitrees, synthetic_multitrees, write_gold
from tolka.multitree.synthetic import longest_leaf


@pytest.fixture(scope="module")
def sample():
    return list(synthetic_multitrees(seed=1, pairs=600))


def test_what_holds_of_each_pair(sample) -> None:
    for example, found in sample:
        assert found.complete
        assert longest_leaf(found) <= 3
        assert found.source == example.tokens["en"]
        assert found.trees[0].target_yield() == example.tokens["fr"]
        assert set(example.links("en", "fr")) <= set(found.links())
    assert [str(found) for _, found in synthetic_multitrees(seed=1, pairs=3)] == [str(found) for _, found in sample[:3]]


def test_what_the_pairs_show(sample) -> None:
    ways: dict[str, Counter[str]] = defaultdict(Counter)
    inverted: Counter[str] = Counter()
    for _, found in sample:
        for node in found.trees[0]:
            if node.children:
                if node.orientation == "inverted":
                    inverted[node.children[0].label[0]] += 1
            else:
                ways[" ".join(node.words[0]).lower()][" ".join(node.words[1]).lower()] += 1
    assert {"ce", "cet", "cette"} <= set(ways["this"])  # agreement with the noun, and with its first sound
    assert inverted["ADJ"] > 20  # adjectives behind the noun
    assert {"n' a pas", "n' ont pas"} <= set(ways["did not"])  # two words for one, with another between them
    assert any(way.startswith("est-ce qu") for way in ways["the"])  # words that English does not have
    assert {"sait", "connaît"} <= set(ways["knows"])  # the clause or the object decides
    assert max(len(way.split()) for way in ways["database"]) == 3  # fertility


def test_most_pairs_have_a_tree() -> None:
    complete = sum(gold_multitrees(example).complete for example in Synthetic(seed=7).sample(300))
    assert complete >= 294


def test_files(tmp_path: Path) -> None:
    ran = CliRunner().invoke(
        app, ["corpus", "synth", "--pairs", "30", "--dev", "5", "--test", "5", "--multitrees", "--json", "--quiet", "-o", str(tmp_path / "a")]
    )  # fmt: skip
    assert ran.exit_code == 0
    facts = json.loads(ran.stdout)["multitrees"]
    assert {split: facts[split]["pairs"] for split in facts} == {"train": 30, "dev": 5, "test": 5}
    bank = list(read_multitrees(facts["train"]["path"]))
    assert facts["train"]["complete"] == sum(pair.complete for pair in bank) == 30 - len(facts["train"]["incomplete"])
    lines = (tmp_path / "a" / "train.tok.en").read_text().splitlines()
    assert [" ".join(pair.source) for pair in bank] == lines
    said = CliRunner().invoke(
        app, ["corpus", "synth", "--pairs", "3", "--dev", "0", "--test", "0", "--multitrees", "--quiet", "-o", str(tmp_path / "b")]
    )  # fmt: skip
    assert "train.en-fr.multitrees: 3 of 3 pairs have a whole multitree" in said.stdout.replace("\n", "")


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    write(tmp_path, pairs=3, dev=0, test=0, mono=0)
    lines = (tmp_path / "train.tok.fr").read_text().splitlines()
    (tmp_path / "train.tok.fr").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(FormatError, match="differ in their numbers"):
        write_gold(tmp_path, ["train"])
    assert not (tmp_path / "train.en-fr.multitrees").exists()
    with pytest.raises(SettingsError):
        next(synthetic_multitrees(pairs=-1))
