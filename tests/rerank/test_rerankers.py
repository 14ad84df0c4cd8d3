"""Every kind of reranker: it learns, is saved and loaded, and does not depend on threads; bad input gets a sentence."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import development

from tolka.align import Aligner
from tolka.errors import FormatError, InputError, SettingsError, TolkaError
from tolka.lm import Embeddings
from tolka.rerank import MODELS, SCORE, Entry, GesnSettings, NBestList, Reranker, Source
from tolka.tune import Hypothesis, NBestLists

KINDS = [*MODELS, "gesn-dependency+phrase-dependency", "gesn-sequence+gesn-bilingual"]
SMALL = GesnSettings(size=10)


def trained(model, lists, references, sources, **settings):
    threads = settings.pop("threads", 1)
    reranker = Reranker(model, gesn=settings.pop("gesn", SMALL), **settings)
    return reranker.train(lists, references, sources, threads=threads)


def best(reranker, lists, sources, **settings):
    return [own.best.words for own in reranker.rerank(lists, sources, **settings)]


@pytest.mark.parametrize("model", KINDS)
def test_every_kind_learns_and_chooses(model):
    lists, sources, references = development(60)
    reranker = trained(model, lists, references, sources)
    report = reranker.report_
    assert report.before < report.after <= report.oracle + 1e-9
    assert (report.sentences, report.entries) == (60, 240)
    assert report.share > 0
    assert report.oracle == pytest.approx(100.0)
    gathered = NBestLists(references, [])
    assert gathered.score([own.entries[0].words for own in lists]) == pytest.approx(report.before)
    assert gathered.score(best(reranker, lists, sources)) == pytest.approx(report.after)
    others, other_sources, other_references = development(40, seed=2)
    fresh = NBestLists(other_references, [])
    before = fresh.score([own.entries[0].words for own in others])
    assert fresh.score(best(reranker, others, other_sources)) > before


@pytest.mark.parametrize("model", KINDS)
def test_every_kind_is_the_same_again(model, tmp_path):
    lists, sources, references = development(12)
    reranker = trained(model, lists, references, sources)
    again = trained(model, lists, references, sources, threads=2)
    assert again.weights_ == reranker.weights_
    reranker.save(tmp_path / "one")
    again.save(tmp_path / "two")
    assert (tmp_path / "one" / "model.toml").read_bytes() == (tmp_path / "two" / "model.toml").read_bytes()
    loaded = Reranker.load(tmp_path / "one")
    assert loaded.report_ == reranker.report_
    assert list(loaded.rerank(lists, sources, threads=2)) == list(reranker.rerank(lists, sources, threads=1))


@pytest.mark.parametrize("model", [kind for kind in MODELS if kind.startswith("gesn")])
def test_another_seed_is_another_reservoir(model):
    lists, sources, references = development(6)
    first, second = (
        trained(model, lists, references, sources, gesn=replace(SMALL, seed=seed)).weights_ for seed in (1, 2)
    )
    assert first != second


@pytest.mark.parametrize("model", KINDS)
def test_every_kind_refuses_lists_that_lack_what_it_needs(model):
    lists, sources, references = development(4)
    bare = [replace(own, entries=tuple(replace(e, links=None, segments=None) for e in own.entries)) for own in lists]
    plain = [Source(source.words) for source in sources]
    if model == "gesn-sequence":
        assert trained(model, bare, references, None).weights_
        return
    if model != "gesn-sequence+gesn-bilingual":
        with pytest.raises(InputError, match=r"links|phrases"):
            trained(model, bare, references, sources)
    if "dependency" in model:
        with pytest.raises(InputError, match=r"no dependencies.*CoNLL-U"):
            trained(model, lists, references, plain)
    with pytest.raises(InputError, match="fewer sources"):
        trained(model, lists, references, sources[:2])


def test_links_are_made_where_they_are_missing():
    lists, sources, references = development(20)
    bare = [replace(own, entries=tuple(replace(entry, links=None) for entry in own.entries)) for own in lists]
    pairs = [(" ".join(source.words), line) for source, line in zip(sources, references, strict=True)]
    aligner = Aligner(model="ibm1").train(pairs)
    reranker = Reranker("gesn-bilingual", gesn=SMALL).train(bare, references, sources, aligner=aligner)
    assert len(best(reranker, bare, sources, aligner=aligner)) == 20


def test_lists_of_other_systems_need_nothing_but_words():
    lists, _, references = development(30)
    bare = [NBestList(own.number, tuple(Entry(entry.words) for entry in own.entries)) for own in lists]
    reranker = trained("gesn-sequence", bare, references, None)
    assert set(reranker.weights_) == {f"gesn-sequence.{place}" for place in range(10)}
    assert reranker.report_.after > reranker.report_.before


def test_sparse_features_join_in(tmp_path):
    lists, sources, references = development(30, sparse=True)
    reranker = trained("gesn-sequence+phrase-dependency", lists, references, sources)
    assert {"order_0", "order_3", SCORE, "lm"} <= set(reranker.weights_)
    reranker.save(tmp_path / "model")
    loaded = Reranker.load(tmp_path / "model")
    assert best(loaded, lists, sources) == best(reranker, lists, sources)
    unseen = [NBestList(0, tuple(replace(e, features={**e.features, "new": 1.0}) for e in lists[0].entries))]
    assert best(loaded, unseen, sources[:1]) == best(loaded, lists[:1], sources[:1])


def test_features_must_be_those_of_training():
    lists, sources, references = development(5)
    reranker = trained("gesn-sequence", lists, references, sources)
    for features, what in (
        ({"lm": 1.0}, "without the feature 'words'"),
        ({"lm": 1, "words": 1, "x": 1}, "unknown feature 'x'"),
    ):
        with pytest.raises(InputError, match=what):
            list(reranker.rerank([NBestList(0, (Entry("a", features, -1.0),))]))
    with pytest.raises(InputError, match="without a score"):
        list(reranker.rerank([NBestList(0, (Entry("a", {"lm": 1.0, "words": 1.0}),))]))


def test_decoder_weights_can_be_the_start():
    lists, sources, references = development(30)
    reranker = Reranker("gesn-sequence", gesn=SMALL)
    reranker.train(lists, references, sources, weights={"lm": 0.5, "words": 0.0, "unused": 1.0})
    assert SCORE not in reranker.weights_
    gathered = NBestLists(references, [])
    assert gathered.score([own.entries[0].words for own in lists]) == pytest.approx(reranker.report_.before)
    with pytest.raises(InputError, match="'words' of the lists has no weight"):
        Reranker("gesn-sequence").train(lists, references, sources, weights={"lm": 0.5})


def test_the_score_alone_can_stand_for_the_decoder(tmp_path):
    lists, sources, references = development(30, sparse=True)
    reranker = trained("gesn-sequence", lists, references, sources, retune=False)
    assert set(reranker.weights_) == {SCORE, *(f"gesn-sequence.{place}" for place in range(10))}
    reranker.save(tmp_path / "model")
    bare = [replace(own, entries=tuple(replace(entry, features={}) for entry in own.entries)) for own in lists]
    assert best(Reranker.load(tmp_path / "model"), bare, sources) == best(reranker, lists, sources)
    with pytest.raises(SettingsError, match="would not count"):
        Reranker("gesn-sequence", retune=False).train(lists, references, weights={"lm": 1.0})


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("tuner", ["mira", "pro"])
def test_tuners_and_metrics(metric, tuner):
    lists, sources, references = development(60)
    settings = {"metric": metric, "tuner": tuner, "gesn": GesnSettings(size=10, input_scale=0.3)}
    report = trained("gesn-sequence", lists, references, sources, **settings).report_
    assert report.share > 0
    assert report.after < report.before if metric == "ter" else report.after > report.before


def test_what_is_held_out_was_not_learnt_from():
    lists, sources, references = development(50, sparse=True)
    report = trained("gesn-sequence", lists, references, sources).report_
    assert report.before < report.held_out <= report.oracle + 1e-9
    # References of nothing: what was learnt from them helps nowhere else.
    noise = [" ".join(f"x{number}{place}" for place in range(6)) for number in range(50)]
    for number, own in enumerate(lists):
        last = replace(
            own.entries[-1], words=noise[number], features={**own.entries[-1].features, f"only_{number}": 1.0}
        )
        lists[number] = replace(own, entries=(*own.entries, last))
    report = trained("gesn-sequence", lists, noise, sources).report_
    assert (report.share, report.held_out, report.after) == (0.0, report.before, report.before)
    for few, folds in ((49, 5), (50, 0)):
        report = trained("gesn-sequence", lists[:few], noise[:few], sources, folds=folds).report_
        assert report.held_out is None
        assert report.after > report.before


def test_the_start_is_kept_where_nothing_is_better():
    lists, _, references = development(10)
    first = [replace(own, entries=own.entries[:1]) for own in lists]
    report = trained("gesn-sequence", first, references, None).report_
    assert report.before == report.after == report.oracle


def test_sentences_without_lists_stay_without():
    lists, sources, references = development(6)
    holes = [own for own in lists if own.number not in {0, 3}]
    reranker = trained("gesn-bilingual", holes, references, sources)
    assert reranker.report_.sentences == 4
    found = list(reranker.rerank(holes, sources))
    assert [own.number for own in found] == list(range(6))
    assert found[3].best is None


def test_scores_are_those_of_the_new_order():
    lists, sources, references = development(6)
    reranker = trained("gesn-bilingual", lists, references, sources)
    for own, before in zip(reranker.rerank(lists, sources), lists, strict=True):
        scores = [entry.score for entry in own.entries]
        assert scores == sorted(scores, reverse=True)
        assert {entry.words for entry in own.entries} == {entry.words for entry in before.entries}


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"model": "gesn"}, "unknown model 'gesn'"),
        ({"model": "gesn-sequence+gesn-sequence"}, "twice"),
        ({"tuner": "mert"}, "mert"),
        ({"metric": "comet"}, "comet"),
        ({"folds": 1}, "held out"),
        ({"options": {"speed": 1.0}}, "speed"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, what):
    with pytest.raises(SettingsError, match=what):
        Reranker(**settings).train(*development(1)[::2])


def test_lists_and_references_must_fit():
    lists, sources, references = development(4)
    with pytest.raises(InputError, match="sentence 3, counted from 0, of a text of 3"):
        trained("gesn-sequence", lists, references[:3], sources)
    with pytest.raises(InputError, match="no translations"):
        trained("gesn-sequence", [], references, sources)
    with pytest.raises(InputError, match="knows nothing"):
        list(Reranker().rerank(lists, sources))
    with pytest.raises(InputError, match="knows nothing"):
        Reranker().save("nowhere")


def test_damaged_rerankers_are_refused(tmp_path):
    lists, sources, references = development(4)
    trained("gesn-bilingual", lists, references, sources).save(tmp_path / "model")
    for path in sorted((tmp_path / "model").iterdir()):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(TolkaError):
            Reranker.load(tmp_path / "model")
        path.write_bytes(whole)
    manifest = tmp_path / "model" / "model.toml"
    manifest.write_text(manifest.read_text().replace('tuner = "mira"', 'tuner = "dice"'))
    with pytest.raises(FormatError, match="make no sense"):
        Reranker.load(tmp_path / "model")


def test_rows_are_added_as_hypotheses_are():
    references = ["a b c d", "e f g h"]
    one, other = NBestLists(references, ["x", "y"]), NBestLists(references, ["x", "y"])
    listed = [[Hypothesis("a b c d", {"x": 1.0}, {"s": 2.0}), Hypothesis("a b", {"y": 1.0})], [Hypothesis("e", {})]]
    assert one.add(listed) == 3
    dense = np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32)
    words = ["a b c d", "a b", "e"]
    assert other.add_rows([2, 1], words, dense, [{"s": 2.0}, {}, {}]) == 3
    assert other.add(listed) == 0
    assert one.sparse_names == other.sparse_names
    assert one.oracle([2, 1], words) == pytest.approx(one.score(["a b c d", "e"]))
    with pytest.raises(InputError, match="shape"):
        other.add_rows([2, 2], words, dense)
    with pytest.raises(InputError, match="'y' is nan"):
        other.add_rows([2, 1], words, np.array([[1, np.nan], [0, 1], [0, 0]], dtype=np.float32))


def test_words_of_no_embedding_are_zeros_or_unknown():
    table = Embeddings(["a"], np.ones((1, 2)))
    assert table.vectors(["a", "b"]).tolist() == [[1, 1], [0, 0]]
    table = Embeddings(["a", "<unk>"], np.array([[1.0, 1.0], [2.0, 3.0]]))
    assert table.vectors(["a", "b"]).tolist() == [[1, 1], [2, 3]]
