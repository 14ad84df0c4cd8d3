"""A small model, and a folder of data in the form that experiments look for."""

import gzip

import pytest

from tolka.align import Aligner
from tolka.corpus.synthetic import Synthetic
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.translate import Description, ModelFiles, TextSettings, Translator


@pytest.fixture(scope="session")
def words():
    """Tokenised, lower-cased pairs of German and English: 300 to train on and 60 others."""
    seen = [tuple(" ".join(one.tokens[lang]).lower() for lang in ("de", "en")) for one in Synthetic(5).sample(360)]
    return seen[:300], seen[300:]


@pytest.fixture(scope="session")
def model(tmp_path_factory, words):
    """A phrase model's directory."""
    place = tmp_path_factory.mktemp("sweep")
    source, target = ([pair[at] for pair in words[0]] for at in (0, 1))
    links = Aligner(model="hmm", threads=1).train(zip(source, target, strict=True)).lines()
    LanguageModelTrainer(order=3).train(target).save(place / "lm.tlm")
    Extractor("phrase", max_length=4).extract(source, target, links, place / "g.tbl")
    description = Description(
        kind="phrase", langs=["de", "en"], text=TextSettings(tokenised=True), search={"pop_limit": 20}
    )
    files = ModelFiles({"grammar": place / "g.tbl"}, {"lm": place / "lm.tlm"})
    Translator(description, files, stages=["test"]).save(place / "model")
    return place / "model"


@pytest.fixture(scope="session")
def data(tmp_path_factory, words):
    """A folder of corpora as the experiments look for them."""
    place = tmp_path_factory.mktemp("data")
    text, judged, gold = place / "multi30k/tok-lc", place / "wmt-judgements/wmt13", place / "gold-alignments"
    for folder in (text, judged, gold):
        folder.mkdir(parents=True)
    for name, pairs in (("train", words[0]), ("val", words[1][:30]), ("test_2016_flickr", words[1][30:])):
        for at, lang in enumerate(("de", "en")):
            (text / f"{name}.{lang}.gz").write_bytes(gzip.compress("".join(f"{p[at]}\n" for p in pairs).encode()))
    # Systems that leave out more and more words, and people who notice.
    lines = [pair[1] for pair in words[1]]
    outputs = {f"s{drop}": [_without(line, drop) for line in lines] for drop in range(5)}
    head = "\t".join(["segment", "source", "reference", *outputs])
    rows = ["\t".join([str(at), "x", line, *(out[at] for out in outputs.values())]) for at, line in enumerate(lines)]
    (judged / "outputs.cs-en.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    said = [f"{at},s{i},s{j}" for at in range(len(lines)) for i in range(5) for j in range(i + 1, 5)]
    said += [f"{at},s{i + 1},s{i}" for at in range(0, len(lines), 3) for i in range(4)]
    (judged / "preferences.cs-en.csv").write_text("segment,better,worse\n" + "\n".join(said) + "\n", encoding="utf-8")
    pairs = words[1][:20]
    for at, lang in enumerate(("de", "en")):
        (gold / f"de-en.europarl100.{lang}").write_text("".join(f"{p[at]}\n" for p in pairs), encoding="utf-8")
    links = [" ".join(f"{i}-{i}" for i in range(min(len(p[0].split()), len(p[1].split())))) for p in pairs]
    (gold / "de-en.europarl100.align").write_text("\n".join(links) + "\n", encoding="utf-8")
    return place


def _without(line, drop):
    kept = line.split()
    return " ".join(kept[: max(1, len(kept) - drop)])
