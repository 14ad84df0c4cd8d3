"""Several tables as one, against dictionaries of rules."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.grammar import naive_join
from tests.grammar.test_extract import bitexts, extract
from tests.grammar.test_packing import text

from tolka._engine import grammar_look_up
from tolka.decode import Decoder
from tolka.errors import FormatError, InputError, InternalError, LimitError, SettingsError, TolkaError
from tolka.grammar import Extractor, Grammar, SuffixGrammar, export_grammar, import_grammar, join_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.grammar.naive import Pair

HOWS = ["linear", "log-linear", "union", "intersection", "fill-up", "back-off"]
FOUR = naive_join.PROBABILITIES


@st.composite
def rule_files(draw: st.DrawFn, names: tuple[str, ...] = FOUR) -> str:
    """A cdec grammar: rules with gaps, of two categories."""
    lines = {}
    for _ in range(draw(st.integers(1, 12))):
        words = draw(st.lists(st.sampled_from(["a", "b", "c", "[X]", "[NP]"]), min_size=1, max_size=4))
        gaps = [word for word in words if word.startswith("[")]
        if len(gaps) > 2:
            continue
        numbers = iter(range(1, 3))
        source = [f"{word[:-1]},{next(numbers)}]" if word in gaps else word for word in words]
        target = [word for word in source if word.startswith("[")]
        target = [*draw(st.permutations(target)), *draw(st.lists(st.sampled_from("uvw"), max_size=2))]
        if not target:
            target = ["u"]
        value = st.floats(-14, 0, width=32)
        features = " ".join(f"{name}={draw(value)!r}" for name in names)
        lhs = draw(st.sampled_from(["[X]", "[X]", "[NP]"]))
        lines[lhs, tuple(source), tuple(target)] = (
            f"{lhs} ||| {' '.join(source)} ||| {' '.join(target)} ||| {features} ||| "
        )
    features = " ".join(f"{name}=-1" for name in names)
    return "\n".join(lines.values()) or f"[X] ||| a ||| u ||| {features} ||| 0-0"


def imported(folder: Path, name: str, content: str) -> Grammar:
    (folder / f"{name}.txt").write_text(content, encoding="utf-8")
    return import_grammar(folder / f"{name}.txt", folder / f"{name}.tbl", format="cdec")


@st.composite
def mixtures(draw: st.DrawFn, number: int) -> list[dict[int, float]]:
    rows = []
    for _ in FOUR:
        parts = draw(st.lists(st.integers(0, 5), min_size=number, max_size=number).filter(any))
        rows.append({at: part / sum(parts) for at, part in enumerate(parts)})
    return rows


def by_name(rows: list[dict[int, float]], names: list[str]) -> dict[str, dict[str, float]]:
    return {feature: {name: row[at] for at, name in enumerate(names)} for feature, row in zip(FOUR, rows, strict=True)}


def compare(made: Grammar, wanted: naive_join.Joined) -> None:
    found = {naive_join.key(rule): rule for rule in made}
    assert len(found) == len(made)
    assert set(found) == set(wanted)
    for one, (features, links, counts) in wanted.items():
        assert tuple(found[one].features) == tuple(features)
        pairs = zip(found[one].features.values(), features.values(), strict=True)
        assert max(abs(a - b) for a, b in pairs) < 2e-5, one
        assert found[one].links == links
        assert all(abs(a - b) <= 1e-6 * b for a, b in zip(found[one].counts, counts, strict=True))
    by_source: dict[str, list[float]] = {}
    for rule in made:
        ranked = [value for name, value in rule.features.items() if name.rpartition(".")[2] == "phrase_ef"]
        by_source.setdefault(rule.source, []).append(ranked[0])
    if len(ranked) == 1:
        assert all(values == sorted(values, reverse=True) for values in by_source.values())


def joined(tables: dict[str, Grammar], path: Path, how: str, weights: Any = None) -> Grammar:
    return join_tables(tables, path, how, weights=weights if how == "linear" else None)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.lists(rule_files(), min_size=2, max_size=4), st.sampled_from(HOWS), st.data())
def test_rules_with_gaps_and_categories(contents: list[str], how: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        tables = {f"t{at}": imported(folder, f"t{at}", content) for at, content in enumerate(contents)}
        weights = by_name(data.draw(mixtures(len(tables))), list(tables))
        wanted = naive_join.join(tables, how, weights)
        if not wanted:
            with pytest.raises(InputError, match="no rule is in all tables"):
                joined(tables, folder / "joined.tbl", how, weights)
            return
        made = joined(tables, folder / "joined.tbl", how, weights)
        compare(made, wanted)
        Grammar.load(folder / "joined.tbl", verify=True)


@settings(max_examples=60, deadline=None)
@given(bitexts(), bitexts(), st.sampled_from(["hiero", "phrase"]), st.sampled_from(HOWS), st.booleans(), st.data())
def test_counts_orientations_and_indicators(
    one: list[Pair], two: list[Pair], kind: str, how: str, indicators: bool, data: st.DataObject
) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        tables = {
            name: extract(
                pairs, folder / name, kind=kind, indicators=indicators, counting="unit", limit=0, max_symbols=7
            )
            for name, pairs in (("in", one), ("out", two))
        }
        weights = by_name(data.draw(mixtures(2)), list(tables))
        wanted = naive_join.join(tables, how, weights)
        if wanted:
            compare(joined(tables, folder / "joined.tbl", how, weights), wanted)


@settings(max_examples=30, deadline=None)
@given(bitexts(), bitexts())
def test_laws(one: list[Pair], two: list[Pair]) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        a, b = (extract(pairs, folder / name, kind="phrase") for name, pairs in (("a", one), ("b", two)))

        def keys(grammar: Grammar) -> set[naive_join.Key]:
            return {naive_join.key(rule) for rule in grammar}

        union = join_tables({"a": a, "b": b}, folder / "union", "union")
        assert keys(union) == keys(a) | keys(b)
        if keys(a) & keys(b):
            assert keys(join_tables({"a": a, "b": b}, folder / "both", "intersection")) == keys(a) & keys(b)
        # The first table's rules are kept to the last bit.
        first = {naive_join.key(rule): rule for rule in join_tables({"a": a, "b": b}, folder / "fill", "fill-up")}
        for rule in a:
            kept = first[naive_join.key(rule)]
            assert kept.features == {**rule.features, "from_b": 0.0}
            assert (kept.links, kept.counts) == (rule.links, rule.counts)
        # A table joined with itself is itself, but for its counts.
        twice = join_tables({"a": a, "b": a}, folder / "twice", weights={"a": 0.25, "b": 0.75})
        for rule, again in zip(a, twice, strict=True):
            assert naive_join.key(rule) == naive_join.key(again)
            assert again.features == pytest.approx(rule.features, abs=1e-6)
            assert again.links == rule.links
            assert again.counts == tuple(2 * count for count in rule.counts)
        # Tables may change places with their weights.
        weights = {"a": 0.3, "b": 0.7}
        here = join_tables({"a": a, "b": b}, folder / "here", weights=weights)
        there = join_tables({"b": b, "a": a}, folder / "there", weights=weights)
        for rule, other in zip(here, there, strict=True):
            assert (rule.source, rule.target, rule.counts) == (other.source, other.target, other.counts)
            assert other.features == pytest.approx(rule.features, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(rule_files(), min_size=2, max_size=5), st.booleans())
def test_voices_say_what_the_tables_said(contents: list[str], exact: bool) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        tables = {f"t{at}": imported(folder, f"t{at}", content) for at, content in enumerate(contents)}
        made = join_tables(tables, folder / "joined.tbl", "voices", exact=exact)
        assert made.voices == tuple(tables)
        Grammar.load(folder / "joined.tbl", verify=True)
        met: dict[str, list[naive_join.Key]] = {}
        for name, table in tables.items():
            own = {naive_join.key(rule): rule for rule in table}
            said = {naive_join.key(rule): rule for rule in made.voice(name)}
            assert set(said) == set(own)
            for one, rule in own.items():
                # So few values are kept as they are whether that is asked for or not.
                assert said[one].features == rule.features
                assert (said[one].links, said[one].counts) == (first_links(tables, one), rule.counts)
                seen = met.setdefault(rule.source, [])
                seen += [one] if one not in seen else []
        # As whoever asks one table after the other meets them.
        found: dict[str, list[naive_join.Key]] = {}
        for rule in made:
            found.setdefault(rule.source, []).append(naive_join.key(rule))
        assert found == met


def first_links(tables: dict[str, Grammar], one: naive_join.Key) -> tuple[tuple[int, int], ...]:
    return next(rule.links for table in tables.values() for rule in table if naive_join.key(rule) == one)


@settings(max_examples=20, deadline=None)
@given(bitexts(), bitexts(), st.sampled_from(["hiero", "phrase"]))
def test_voices_have_counts_of_their_own(one: list[Pair], two: list[Pair], kind: str) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        tables = {
            name: extract(pairs, folder / name, kind=kind, max_symbols=7) for name, pairs in (("in", one), ("out", two))
        }
        made = join_tables(tables, folder / "joined.tbl", "voices")
        for name, table in tables.items():
            said = {naive_join.key(rule): rule for rule in made.voice(name)}
            assert {one: (rule.features, rule.counts) for one, rule in said.items()} == {
                naive_join.key(rule): (rule.features, rule.counts) for rule in table
            }
        with pytest.raises(InputError, match="the table x speaks for several models already"):
            join_tables({"x": made, "y": tables["in"]}, folder / "again.tbl", "voices")


def test_many_values_of_several_tables_are_kept(tmp_path: Path) -> None:
    """Two lists of 256 values that differ are one list of 512."""
    generator = random.Random(3)  # noqa: S311
    tables = {}
    for name in ("one", "two"):
        lines = [
            f"[X] ||| w{at} ||| u ||| " + " ".join(f"{one}={-14 * generator.random()!r}" for one in FOUR) + " ||| 0-0"
            for at in range(3000)
        ]
        exact = imported(tmp_path, name, "\n".join(lines))
        other = imported(tmp_path, f"{name}-other", "[X] ||| w0 ||| v ||| " + " ".join(f"{one}=-1" for one in FOUR))
        rough = join_tables({"a": exact, "b": other}, tmp_path / f"{name}.q", "back-off", exact=False)
        assert len({rule.features["lex_ef"] for rule in rough}) <= 256
        tables[name] = rough
    made = join_tables(tables, tmp_path / "joined.tbl", "voices")
    for name, table in tables.items():
        wanted = {naive_join.key(rule): rule.features for rule in table}
        assert {naive_join.key(rule): rule.features for rule in made.voice(name)} == wanted
    values = {rule.features["one.lex_ef"] for rule in made} | {rule.features["two.lex_ef"] for rule in made}
    assert len(values) > 256


def test_a_large_join_is_cut_into_pieces_and_threads_change_no_byte(tmp_path: Path) -> None:
    tables = {
        name: Extractor("hiero", exact=True, limit=0).extract(*text(300, seed), tmp_path / name)
        for name, seed in (("in", 1), ("out", 2))
    }
    assert sum(map(len, tables.values())) > 2 << 14
    for how in ("linear", "back-off"):
        weights = {"in": 0.75, "out": 0.25} if how == "linear" else None
        made = []
        for threads in (1, 2, 5):
            join_tables(tables, tmp_path / "joined.tbl", how, weights=weights, threads=threads)  # type: ignore[arg-type]
            made.append((tmp_path / "joined.tbl").read_bytes())
        assert made[0] == made[1] == made[2]
        made_of = Grammar.load(tmp_path / "joined.tbl", verify=True)
        if weights:
            compare(made_of, naive_join.join(tables, how, dict.fromkeys(FOUR, weights)))


def pair_of_tables(folder: Path, **settings: Any) -> dict[str, Grammar]:
    return {
        name: Extractor("phrase", exact=True, **settings).extract(*text(60, seed), folder / name)
        for name, seed in (("in", 1), ("out", 2))
    }


def test_a_joined_table_translates(tmp_path: Path) -> None:
    tables = pair_of_tables(tmp_path)
    for how in HOWS:
        made = join_tables(tables, tmp_path / "joined.tbl", how)  # type: ignore[arg-type]
        decoder = Decoder(made, kind="phrase")
        assert "reorder_prev_mono" in decoder.weights
        assert decoder.translate(["s1 s2"])[0]
    both = join_tables(tables, tmp_path / "joined.tbl", "log-linear")
    start = Decoder(both, kind="phrase").weights
    assert start["in.phrase_ef"] == start["out.phrase_ef"] > 0


def test_tables_of_other_features_lie_side_by_side(tmp_path: Path) -> None:
    plain = Extractor("phrase", orientation="none").extract(["a b"], ["u v"], ["0-0 1-1"], tmp_path / "plain")
    other = Extractor("phrase").extract(["a c"], ["u w"], ["0-0 1-1"], tmp_path / "other")
    made = join_tables({"plain": plain, "other": other}, tmp_path / "joined.tbl", "log-linear")
    compare(made, naive_join.join({"plain": plain, "other": other}, "log-linear"))
    (rule,) = made.rules("b")
    assert rule.features["reorder_prev_swap"] == pytest.approx(math.log(1 / 3))
    assert rule.features["other.phrase_ef"] == pytest.approx(math.log(1e-6))


def test_features_may_come_in_another_order(tmp_path: Path) -> None:
    a = imported(tmp_path, "a", "[X] ||| a ||| u ||| phrase_ef=-1 lex_ef=-2 ||| 0-0")
    b = imported(tmp_path, "b", "[X] ||| b ||| u ||| lex_ef=-3 phrase_ef=-4 ||| 0-0")
    made = join_tables({"a": a, "b": b}, tmp_path / "joined.tbl", "fill-up")
    assert made.rules("b")[0].features == {"phrase_ef": -4.0, "lex_ef": -3.0, "from_b": 1.0}


def test_unknown_counts_and_those_of_one_table(tmp_path: Path) -> None:
    tables = pair_of_tables(tmp_path, indicators=True, orientation="none")
    export_grammar(tables["out"], tmp_path / "out.cdec", format="cdec")
    tables["out"] = import_grammar(tmp_path / "out.cdec", tmp_path / "uncounted")
    for how, weights in (("linear", {"in": 0.25, "out": 0.75}), ("union", None), ("fill-up", None)):
        made = join_tables(tables, tmp_path / "joined.tbl", how, weights=weights)  # type: ignore[arg-type]
        compare(made, naive_join.join(tables, how, dict.fromkeys(FOUR, weights) if weights else None))  # type: ignore[arg-type]


def test_quantising_makes_it_smaller(tmp_path: Path) -> None:
    tables = {
        name: Extractor("phrase").extract(*text(600, seed), tmp_path / name) for name, seed in (("in", 1), ("out", 2))
    }
    exact = join_tables(tables, tmp_path / "exact", weights={"in": 0.3, "out": 0.7})
    near = join_tables(tables, tmp_path / "near", weights={"in": 0.3, "out": 0.7}, exact=False)
    # Of so few rules, exact values are numbers of a list, too, if of a longer one.
    assert (tmp_path / "near").stat().st_size < (tmp_path / "exact").stat().st_size
    for one, two in zip(exact, near, strict=True):
        assert one.features == pytest.approx(two.features, abs=0.1)


def test_progress_is_told_of_all_rules_and_may_stop_the_work(tmp_path: Path) -> None:
    class Told:
        def __init__(self, stop: bool) -> None:
            self.rules, self.stop = 0, stop

        @contextmanager
        def task(self, _: str, *, total: int, **__: str) -> Iterator[Told]:
            self.total = total
            yield self

        def __call__(self, rules: int) -> None:
            self.rules += rules
            if self.stop:
                raise KeyboardInterrupt

    tables = pair_of_tables(tmp_path)
    told = Told(stop=False)
    join_tables(tables, tmp_path / "joined.tbl", progress=told)  # type: ignore[arg-type]
    assert told.rules == told.total == sum(map(len, tables.values()))
    with pytest.raises(KeyboardInterrupt):
        join_tables(tables, tmp_path / "stopped.tbl", progress=Told(stop=True))  # type: ignore[arg-type]
    assert not (tmp_path / "stopped.tbl").exists()


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"how": "sum"}, "cannot be joined as `sum`"),
        ({"how": "union", "weights": {"in": 0.5, "out": 0.5}}, "have no weights"),
        ({"weights": {"in": math.nan, "out": 0.5}}, "for in is nan"),
        ({"weights": {"in": -0.5, "out": 1.5}}, "for in is -0.5"),
        ({"weights": {"in": 0.5, "out": 0.6}}, "sum to 1.1"),
        ({"weights": {"in": 1.0}}, "no weight for the table out"),
        ({"weights": {"in": 0.5, "out": 0.5, "x": 0.0}}, "x, which is no table"),
        ({"weights": {"reorder_prev_mono": {"in": 0.5, "out": 0.5}}}, "is no probability"),
        ({"weights": {"phrase_ef": {"in": 0.5, "out": 0.5}}}, "no weights of phrase_fe"),
        ({"weights": {name: {"in": 1.0} for name in FOUR}}, "no weight of phrase_fe for the table out"),
        ({"weights": {**{name: {"in": 1.0, "out": 0.0} for name in FOUR}, "lex_ef": 1.0}}, "not weights of tables"),
        ({"floor": 0.0}, "least probability"),
        ({"floor": math.nan}, "least probability"),
        ({"threads": -1}, "negative"),
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, keywords: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        join_tables(pair_of_tables(tmp_path), tmp_path / "joined.tbl", **keywords)
    assert not (tmp_path / "joined.tbl").exists()


def test_tables_that_cannot_be_joined(tmp_path: Path) -> None:
    out = tmp_path / "joined.tbl"
    tables = pair_of_tables(tmp_path)
    small = imported(tmp_path, "small", "[X] ||| a ||| u ||| phrase_ef=-1 ||| 0-0")

    def refuses(given: Mapping[str, Any], error: type[TolkaError], says: str, how: str = "linear") -> None:
        with pytest.raises(error, match=says):
            join_tables(given, out, how)  # type: ignore[arg-type]
        assert not out.exists()

    refuses({}, SettingsError, "fewer than two")
    refuses({"in": tables["in"]}, SettingsError, "fewer than two")
    refuses({f"t{at}": small for at in range(65)}, LimitError, "65 tables")
    refuses({"in": tables["in"], "small": small}, InputError, "do not have the same features")
    refuses({"small": small, "in": tables["in"]}, InputError, "do not have the same features", "fill-up")
    strange = imported(tmp_path, "strange", "[X] ||| a ||| u ||| q=-1 ||| 0-0")
    refuses({"a": strange, "b": strange}, InputError, "the probabilities to mix")
    refuses({"a b": small, "c": small}, InputError, "cannot be a name", "union")
    refuses({"small": small, "in": tables["in"]}, InputError, "no rule is in all", "intersection")
    empty = SuffixGrammar.build(["a"], ["u"], ["0-0"], tmp_path / "suffix").extract(["z"])
    assert len(empty) == 0
    refuses({"small": small, "empty": empty}, InputError, "empty has no rules", "union")
    refuses([small, small], InputError, "no names")  # type: ignore[arg-type]
    refuses({"a": small, "b": 3}, InputError, "neither a grammar nor a file")
    with pytest.raises(InputError, match="would replace"):
        join_tables({"a": small, "b": small}, tmp_path / "small.tbl")
    many = {f"t{at}": small for at in range(64)}
    assert len(join_tables(many, out, "union").feature_names) == 64


def test_a_damaged_table_is_an_error_or_harmless(damage: Any, tmp_path: Path) -> None:
    tables = pair_of_tables(tmp_path)
    whole = (tmp_path / "in").read_bytes()
    answered = 0
    for seed in range(60):
        draw = random.Random(seed)  # noqa: S311 - the same damage each time
        (tmp_path / "spoiled").write_bytes(whole)
        damage(tmp_path / "spoiled", draw)
        try:
            join_tables({"a": tmp_path / "spoiled", "out": tables["out"]}, tmp_path / "joined", draw.choice(HOWS))
        except InternalError:
            raise
        except TolkaError:
            continue
        Grammar.load(tmp_path / "joined", verify=True)
        answered += 1
    assert 0 < answered < 60


@settings(max_examples=30, deadline=None)
@given(bitexts(), bitexts(), bitexts())
def test_look_ups_are_those_of_dictionaries(asked: list[Pair], one: list[Pair], two: list[Pair]) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        a, b, c = (
            extract(pairs, folder / name, max_symbols=7) for name, pairs in (("a", asked), ("b", one), ("c", two))
        )
        counts, rows = grammar_look_up(a.native, [b.native, c.native], threads=0)
        rules = list(a)
        wanted_counts = sorted(rule.counts[2] for rule in rules)
        assert sorted(counts.tolist()) == wanted_counts
        sides = [rule.source for rule in rules], [rule.target for rule in rules]
        for table, found in ((b, rows[0]), (c, rows[1])):
            known = {(rule.source, rule.target): tuple(rule.features.values()) for rule in table}
            wanted = [known.get(side, (math.nan,) * 4) for side in zip(*sides, strict=True)]
            single = table.native.find(*sides)
            assert np.array_equal(single, np.array(wanted, dtype=np.float32), equal_nan=True)
            # The same rows, in the order of the common words.
            assert sorted(map(str, found.tolist())) == sorted(map(str, single.tolist()))


def test_sides_that_no_rule_can_have_are_not_found(tmp_path: Path) -> None:
    table = Extractor("hiero").extract(["das haus"], ["the house"], ["0-0 1-1"], tmp_path / "t")
    sources = ["das [X,1]", "das [X,1]", "das [X,1]", "", "das", "nie"]
    targets = ["the [X,1]", "the [X,0]", "the [X,99999999999]", "the", "", "the"]
    found = table.native.find(sources, targets)
    assert np.isnan(found).any(axis=1).tolist() == [False, True, True, True, True, True]
    assert table.native.find([], []).shape == (0, 4)
    with pytest.raises(InputError, match="1 source sides and 0 target sides"):
        table.native.find(["das"], [])


def test_a_wrong_file_is_told(tmp_path: Path) -> None:
    tables = pair_of_tables(tmp_path)
    (tmp_path / "text").write_text("no table")
    with pytest.raises(FormatError):
        join_tables({"in": tables["in"], "text": tmp_path / "text"}, tmp_path / "joined.tbl")


def test_on_the_command_line(tmp_path: Path) -> None:
    tables = pair_of_tables(tmp_path)
    command = [sys.executable, "-m", "tolka", "grammar", "join", f"in={tmp_path / 'in'}", f"out={tmp_path / 'out'}"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)

    made = run("-o", str(tmp_path / "a.tbl"), "--weight", "in=0.7", "--weight", "out=0.3", "--json")
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    assert told["rules"] == len(Grammar.load(tmp_path / "a.tbl"))
    join_tables(tables, tmp_path / "b.tbl", weights={"in": 0.7, "out": 0.3})
    assert (tmp_path / "a.tbl").read_bytes() == (tmp_path / "b.tbl").read_bytes()
    assert run("-o", str(tmp_path / "c.tbl"), "--how", "fill-up", "--quantise").returncode == 0
    assert "from_out" in Grammar.load(tmp_path / "c.tbl").feature_names
    for wrong, code in (("in=x", 2), ("in", 2), ("in=nan", 2), ("in=0.5", 2)):
        done = run("-o", str(tmp_path / "d.tbl"), "--weight", wrong)
        assert done.returncode == code
        assert done.stderr.startswith(("tolka: ", "Usage"))
    assert not (tmp_path / "d.tbl").exists()
