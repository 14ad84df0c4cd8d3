"""Rule files and what carries them out."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.syntax.strategies import heads

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.reorder import Preorderer, create, load, monolingual_bleu, score_orders
from tolka.reorder.rules import NAMES, RulePreorderer, parse_rules
from tolka.syntax import Constituent, Tree, parse_penn, synthetic_treebank

TAGS = [
    "VVFIN",
    "VAFIN",
    "VMFIN",
    "VVINF",
    "VVPP",
    "VVIZU",
    "PTKNEG",
    "PTKVZ",
    "PTKZU",
    "KOUS",
    "PRELS",
    "NN",
    "PPER",
    "$,",
]
RELATIONS = {
    "tiger": ["SB", "oa", "OC", "NG", "CP", "MO"],
    "ud": ["nsubj", "obj", "obl", "aux", "cop", "xcomp", "advmod", "mark", "compound:prt"],
}
MADE = {name: RulePreorderer(name) for name in NAMES}
HEADER = 'name = "mine"\nscheme = "ud"\n'


@st.composite
def tagged(draw: st.DrawFn) -> tuple[Tree, str]:
    """A tree, and rules that suit it."""
    name = draw(st.sampled_from([name for name in NAMES if name != "collins"]))
    relations = RELATIONS["ud" if name.endswith("-ud") else "tiger"]
    found = draw(heads(9))
    size = {"min_size": len(found), "max_size": len(found)}
    tags = draw(st.lists(st.sampled_from(TAGS), **size))
    tree = Tree(
        forms=tuple(f"w{place}" for place in range(len(found))),
        heads=found,
        xpos=tuple(tags),
        deprels=tuple(draw(st.lists(st.sampled_from(relations), **size))),
    )
    return tree, name


@settings(deadline=None)
@given(tagged())
def test_any_tree_gives_a_permutation(pair: tuple[Tree, str]) -> None:
    tree, name = pair
    [order] = MADE[name].orders([tree])
    assert sorted(order) == list(range(len(tree)))


labels = st.sampled_from(["S", "VP-OC", "NP-OA", "NP-SB", "S-MO"])
leaves = st.sampled_from(["VVFIN-HD", "VVINF-HD", "PTKNEG-NG", "PPER-SB", "KOUS-CP", "PTKVZ-SVP", "VMFIN-HD", "NN"])
constituents = st.recursive(
    st.builds(lambda label: Constituent(label, word="w"), leaves),
    lambda below: st.builds(lambda a, b: Constituent(a, tuple(b)), labels, st.lists(below, min_size=1, max_size=4)),
)


@settings(deadline=None)
@given(constituents)
def test_any_constituents_give_a_permutation(tree: Constituent) -> None:
    [order] = MADE["collins"].constituent_orders([tree])
    assert sorted(order) == list(range(len(tree.words())))


def test_rules_for_universal_dependencies_bring_german_nearer_to_english() -> None:
    bank = synthetic_treebank(seed=7, sentences=300)
    before = score_orders([tuple(range(len(tree))) for tree in bank.trees], bank.orders).tau01.mean()
    forms = [tree.forms for tree in bank.trees]
    bleu = monolingual_bleu(forms, [tuple(range(len(tree))) for tree in bank.trees], bank.orders)
    for name, gain in (("collins-ud", 12.0), ("navratil-ud", 5.0)):
        orders = RulePreorderer(name).orders(bank.trees)
        assert score_orders(orders, bank.orders).tau01.mean() > before
        assert monolingual_bleu(forms, orders, bank.orders) > bleu + gain


def ud(forms: str, heads: str, relations: str, tags: str) -> Tree:
    return Tree(
        forms=tuple(forms.split()),
        heads=tuple(map(int, heads.split())),
        deprels=tuple(relations.split()),
        xpos=tuple(tags.split()),
    )


@pytest.mark.parametrize(
    ("tree", "wanted"),
    [
        (
            ud(
                "weil er das Buch nicht gelesen hat",
                "6 6 4 6 6 0 6",
                "mark nsubj det obj advmod root aux",
                "KOUS PPER ART NN PTKNEG VVPP VAFIN",
            ),
            "weil er hat nicht gelesen das Buch",
        ),
        (
            ud(
                "gestern nahm er die Idee an",
                "2 0 2 5 2 2",
                "advmod root nsubj det obj compound:prt",
                "ADV VVFIN PPER ART NN PTKVZ",
            ),
            "gestern er nahm an die Idee",
        ),
        (
            ud("hat er das Buch gelesen ?", "5 5 4 5 0 5", "aux nsubj det obj root punct", "VAFIN PPER ART NN VVPP $."),
            "hat er gelesen das Buch ?",
        ),
        (
            ud(
                "das Buch , das der Mann liest",
                "2 0 7 7 6 7 2",
                "det root punct obj det nsubj acl:relcl",
                "ART NN $, PRELS ART NN VVFIN",
            ),
            "das Buch , das der Mann liest",
        ),
        (
            ud("um das Buch zu lesen", "5 3 5 5 0", "mark det obj mark root", "KOUI ART NN PTKZU VVINF"),
            "um zu lesen das Buch",
        ),
        (
            ud(
                "weil es gelesen werden kann",
                "3 3 0 3 3",
                "mark nsubj:pass root aux:pass aux",
                "KOUS PPER VVPP VAINF VMFIN",
            ),
            "weil es kann werden gelesen",
        ),
        (
            ud("da ist ein Mann", "4 4 4 0", "advmod cop det root", "ADV VAFIN ART NN"),
            "da ist ein Mann",
        ),
    ],
)
def test_universal_dependencies(tree: Tree, wanted: str) -> None:
    [order] = RulePreorderer("collins-ud").orders([tree])
    assert " ".join(tree.forms[word] for word in order) == wanted


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "svo.toml"
    path.write_text(
        HEADER
        + """[[rule]]
name = "verb before object"
pivot = { upos = "VERB" }
find.object = { relation = "obj", left_of = "pivot" }
move = "pivot"
before = "object"
edge = "block"
"""
    )
    made = create(f"rules:{path}")
    assert isinstance(made, Preorderer)
    assert made.kind == "rules:mine"
    tree = Tree(
        forms=("taro", "the", "book", "reads"),
        heads=(4, 3, 4, 0),
        deprels=("nsubj", "det", "obj", "root"),
        upos=("PROPN", "DET", "NOUN", "VERB"),
    )
    assert made.orders([tree], threads=2) == [(0, 3, 1, 2)]
    made.save(tmp_path / "pre")
    again = load(tmp_path / "pre")
    assert again.kind == made.kind
    assert again.orders([tree]) == made.orders([tree])


@pytest.mark.parametrize("name", NAMES)
def test_saved_and_opened(tmp_path: Path, name: str) -> None:
    made = create(f"rules:{name}")
    assert made.kind == f"rules:{name}"
    made.save(tmp_path / "pre")
    again = load(tmp_path / "pre")
    assert isinstance(again, RulePreorderer)
    assert again.rules == RulePreorderer(name).rules


def test_weights_sort_children(tmp_path: Path) -> None:
    rules = tmp_path / "xu.toml"
    rules.write_text(
        HEADER
        + """[[rule]]
name = "heads last"
kind = "weights"
pivot = { upos = "VERB" }
weights = [
  { relation = "nsubj", weight = 3 },
  { relation = ["obl", "advmod"], weight = 2, reverse = true },
  { relation = "obj", weight = 1 },
  { relation = "punct", weight = -2 },
  { itself = true, weight = -1 },
]
"""
    )
    tree = Tree(
        forms=("he", "reads", "the", "book", "here", "today", "."),
        heads=(2, 0, 4, 2, 2, 2, 2),
        deprels=("nsubj", "root", "det", "obj", "advmod", "obl", "punct"),
        upos=("PRON", "VERB", "DET", "NOUN", "ADV", "NOUN", "PUNCT"),
    )
    [order] = RulePreorderer(str(rules)).orders([tree])
    assert " ".join(tree.forms[word] for word in order) == "he today here the book reads ."


def test_kinds_of_trees_are_told_apart() -> None:
    with pytest.raises(SettingsError, match="for constituency trees"):
        RulePreorderer("collins").orders([Tree(forms=("a",), heads=(0,))])
    with pytest.raises(SettingsError, match="for dependency trees"):
        RulePreorderer("collins-dep").constituent_orders([parse_penn("(A a)")])


def test_schemes_are_told_apart(tmp_path: Path) -> None:
    tiger = Tree(
        forms=("hat", "er", "gelesen"), heads=(0, 1, 1), deprels=("root", "sb", "oc"), xpos=("VAFIN", "PPER", "VVPP")
    )
    universal = ud("hat er gelesen", "3 3 0", "aux nsubj root", "VAFIN PPER VVPP")
    assert RulePreorderer("navratil-dep").orders([tiger]) == [(1, 0, 2)]
    for name, tree, meant in (
        ("collins-ud", tiger, "collins-dep"),
        ("navratil-ud", tiger, "navratil-dep"),
        ("collins-dep", universal, "collins-ud"),
        ("navratil", universal, "navratil-ud"),
    ):
        with pytest.raises(SettingsError, match=f"use rules:{meant}$"):
            RulePreorderer(name).orders([tree])


def test_names_can_be_mapped(tmp_path: Path) -> None:
    text = (
        HEADER
        + """
[map]
tag = { VERB_FIN = "VVFIN" }
relation = { subj = "nsubj" }
[[rule]]
name = "subject first"
pivot = { tag = "VVFIN" }
find.subject = { relation = "nsubj" }
move = "subject"
before = "pivot"
"""
    )
    (tmp_path / "mapped.toml").write_text(text)
    tree = ud("liest er", "0 1", "root subj", "VERB_FIN PRON")
    assert RulePreorderer(str(tmp_path / "mapped.toml")).orders([tree]) == [(1, 0)]


def test_no_such_rules(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no rules 'nothing'"):
        create("rules:nothing")
    with pytest.raises(FileError):
        create("rules:nowhere.toml")
    (tmp_path / "big.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(LimitError):
        create(f"rules:{tmp_path}/big.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe4'")
    with pytest.raises(FormatError, match="not UTF-8"):
        create(f"rules:{tmp_path}/latin.toml")
    with pytest.raises(SettingsError, match="no setting 'beam'"):
        create("rules:collins-ud", beam=4)


RULE = '[[rule]]\nname = "r"\npivot = { tag = "V*" }\nfind.a = { tag = "A" }\n'
MOVE = 'move = "a"\nbefore = "pivot"\n'


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("name = ", "no TOML"),
        ('scheme = "ud"', "name is missing"),
        (HEADER, "1 to 200 rules"),
        (HEADER + 'colour = "red"\n' + RULE + MOVE, "unknown key 'colour'"),
        (HEADER + RULE + MOVE + "speed = 3", "rule 'r': unknown key 'speed'"),
        (HEADER + RULE + MOVE + 'find.b = { tagg = "B" }', "unknown key 'tagg'"),
        (HEADER + RULE + MOVE + 'find.b = { tag = "@nouns" }', "no class 'nouns'"),
        (HEADER + RULE + MOVE + "find.b = { tag = 3 }", "should be a name or a list of names"),
        (HEADER + RULE + MOVE + 'find.b = { tag = "B", all = "yes" }', "all is true or false"),
        (HEADER + RULE + MOVE + 'find.b = { tag = "B", right_of = "c" }', "no element 'c'"),
        (HEADER + RULE + MOVE + 'find.pivot = { tag = "B" }', "cannot be called 'pivot'"),
        (HEADER + RULE + MOVE + 'after = "a"', "either before or after"),
        (HEADER + RULE + 'move = "a"', "either before or after"),
        (HEADER + RULE + 'move = "x"\nbefore = "a"', "no element 'x'"),
        (HEADER + RULE + MOVE + 'towards = "up"', "towards is one of left, right, either"),
        (HEADER + RULE + MOVE + 'when = "a"', "no order of elements"),
        (HEADER + RULE + MOVE + 'when = "a < z"', "no order of elements"),
        (HEADER + RULE + MOVE + 'scope = "segment"', "needs a boundary"),
        (HEADER + RULE + MOVE + "crosses = false", "needs a boundary"),
        (HEADER + RULE + MOVE + "first = true", "for segments"),
        (HEADER + RULE + MOVE + 'kind = "flatten"', "for constituents"),
        (HEADER + RULE + 'kind = "lift"', "needs a parent"),
        (HEADER + RULE + 'kind = "weights"', "needs weights"),
        (HEADER + RULE + 'kind = "weights"\nweights = [{ tag = "A" }]', "needs a number"),
        (HEADER + '[[rule]]\nname = "r"\nmove = "pivot"\nbefore = "pivot"', "no pivot"),
        (HEADER + 'tree = "constituents"\n' + RULE, "unknown key 'tag'"),
        (HEADER + "rule = 3", "1 to 200 rules"),
        (HEADER + 'upper = "colour"\n' + RULE + MOVE, "upper names fields"),
        (HEADER + "map.colour = {}\n" + RULE + MOVE, "unknown key 'colour'"),
        (HEADER + "map.tag = { A = 3 }\n" + RULE + MOVE, "which is no name"),
        (HEADER + "rule = [3]", "should be a table"),
    ],
)
def test_malformed_rules(text: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_rules(text, path="my.toml")
    assert what in str(caught.value)
    assert str(caught.value).startswith("my.toml: ")


def test_constituents_have_no_pivot_to_move() -> None:
    base = (
        HEADER
        + 'tree = "constituents"\n[[rule]]\nname = "r"\npivot = { category = "S" }\nfind.a = { function = "HD" }\n'
    )
    for more in ('move = "pivot"\nafter = "a"', 'move = "a"\nbefore = "first"\nedge = "block"'):
        with pytest.raises(FormatError):
            parse_rules(base + more)
    with pytest.raises(FormatError, match="right_of and left_of only"):
        parse_rules(base + 'move = "a"\nbefore = "first"\nfind.b = { function = "SB", under = "a" }')
