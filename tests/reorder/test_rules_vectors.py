"""The published rule sets, step by step, on worked examples."""

from dataclasses import replace

import pytest

from tolka.reorder.rules import RulePreorderer
from tolka.reorder.rules.constituents import Nodes
from tolka.reorder.rules.words import Words
from tolka.syntax import Tree, parse_penn


def steps_on_words(name: str, tree: Tree) -> dict[str, str]:
    """The sentence after each rule."""
    rules, words, found = RulePreorderer(name).rules, Words(tree), {}
    for rule in rules.rules:
        words.apply(replace(rules, rules=(rule,)))
        found[rule.name] = " ".join(tree.forms[word] for word in words.sequence)
    [order] = RulePreorderer(name).orders([tree])
    assert tuple(words.sequence) == order
    return found


def steps_on_nodes(bracketed: str) -> dict[str, str]:
    preorderer = RulePreorderer("collins")
    tree = parse_penn(bracketed)
    forms, nodes, found = tree.words(), Nodes(tree), {}
    for rule in preorderer.rules.rules:
        nodes.apply(replace(preorderer.rules, rules=(rule,)))
        found[rule.name] = " ".join(forms[word] for word in nodes.order())
    assert preorderer.constituent_orders([tree]) == [nodes.order()]
    return found


def test_collins_negation() -> None:
    found = steps_on_nodes(
        "(S (KOUS-CP weil) (PPER-SB er) (VP-OC (NP-OA das Buch) (PTKNEG-NG nicht) (VVINF-HD lesen)) (VMFIN-HD will))"
    )
    assert found["1 verb initial"] == "weil er lesen das Buch nicht will"
    assert found["2 verb second"] == "weil will er lesen das Buch nicht"
    assert found["3 move subject"] == "weil er will lesen das Buch nicht"
    assert found["remove VP"] == "weil er will lesen das Buch nicht"
    assert found["5 infinitives"] == "weil er will lesen das Buch nicht"
    assert found["6 negation"] == "weil er will nicht lesen das Buch"


def test_collins_verb_initial() -> None:
    found = steps_on_nodes(
        "(S (PPER-SB ich) (VAFIN-HD werde) (VP-OC (PPER-DA Ihnen) (NP-OA die Notizen) (VVINF-HD geben)))"
    )
    assert found["1 verb initial"] == "ich werde geben Ihnen die Notizen"
    assert found["6 negation"] == "ich werde geben Ihnen die Notizen"


def test_collins_particle() -> None:
    found = steps_on_nodes("(S (ADV-MO heute) (VVFIN-HD nimmt) (PPER-SB er) (NP-OA die Idee) (PTKVZ-SVP an))")
    assert found["3 move subject"] == "heute er nimmt die Idee an"
    assert found["4 particles"] == "heute er an nimmt die Idee"


def test_collins_infinitives_and_all_matches() -> None:
    found = steps_on_nodes("(S (PPER-SB ich) (VMFIN-HD will) (NP-OA das Buch) (VVINF lesen) (VAINF haben))")
    assert found["5 infinitives"] == "ich will lesen haben das Buch"
    twice = steps_on_nodes(
        "(S (PPER-SB er) (VVFIN-HD sagt) (S-OC (KOUS-CP dass) (PPER-SB sie) (VP (VP (NP-OA ihn) (VVPP-HD gesehen)) "
        "(VAINF-HD haben)) (VMFIN-HD soll)))"
    )
    assert twice["1 verb initial"] == "er sagt dass sie haben gesehen ihn soll"
    assert twice["3 move subject"] == "er sagt dass sie soll haben gesehen ihn"
    assert twice["6 negation"] == "er sagt dass sie soll haben gesehen ihn"


def tiger(forms: str, heads: str, relations: str, tags: str) -> Tree:
    return Tree(
        forms=tuple(forms.split()),
        heads=tuple(map(int, heads.split())),
        deprels=tuple(relations.split()),
        xpos=tuple(tags.split()),
    )


NEGATED = tiger(
    "weil er das Buch nicht lesen will",
    "7 7 4 6 6 7 0",
    "CP SB NK OA NG OC ROOT",
    "KOUS PPER ART NN PTKNEG VVINF VMFIN",
)


def test_dependency_collins() -> None:
    found = steps_on_words("collins-dep", NEGATED)
    assert found["1 verb initial"] == "weil er lesen das Buch nicht will"
    assert found["2 verb second"] == "weil will er lesen das Buch nicht"
    assert found["3 move subject"] == "weil er will lesen das Buch nicht"
    assert found["6 negation"] == "weil er will lesen das Buch nicht"
    words = Words(NEGATED)
    words.apply(RulePreorderer("collins-dep").rules)
    assert [head + 1 for head in words.heads] == [7, 7, 4, 7, 6, 7, 0]


def test_dependency_collins_closes_gaps() -> None:
    tree = tiger(
        "gestern ist der Mann gekommen , den ich kenne",
        "2 0 4 2 2 9 9 9 4",
        "MO ROOT NK SB OC PUNC OA SB RC",
        "ADV VAFIN ART NN VVPP $, PRELS PPER VVFIN",
    )
    found = steps_on_words("collins-dep", tree)
    assert found["2 verb second"] == "gestern ist der Mann gekommen , den kenne ich"
    assert found["3 move subject"] == "gestern der Mann , den ich kenne ist gekommen"
    assert found["6 negation"] == "gestern der Mann , den ich kenne ist gekommen"


def test_dependency_collins_particle_infinitive_negation() -> None:
    particle = tiger("heute nimmt er die Idee an", "2 0 2 5 2 2", "MO ROOT SB NK OA SVP", "ADV VVFIN PPER ART NN PTKVZ")
    assert steps_on_words("collins-dep", particle)["6 negation"] == "heute er an nimmt die Idee"
    # The pronoun is no part of the VP, so rule 1 leaves the infinitive behind it and rule 5 fetches it.
    modal = tiger("er will nicht ihn sehen", "2 0 2 2 2", "SB ROOT NG OA OC", "PPER VMFIN PTKNEG PPER VVINF")
    found = steps_on_words("collins-dep", modal)
    assert found["remove VP"] == "er will nicht ihn sehen"
    assert found["5 infinitives"] == "er will sehen nicht ihn"
    assert found["6 negation"] == "er will nicht sehen ihn"


@pytest.mark.parametrize("name", ["navratil", "navratil-dep"])
def test_navratil(name: str) -> None:
    first = tiger(
        "er hat das Buch nicht gelesen .",
        "2 0 4 6 6 2 2",
        "SB ROOT NK OA NG OC PUNC",
        "PPER VAFIN ART NN PTKNEG VVPP $.",
    )
    found = list(steps_on_words(name, first).values())
    assert found[0] == "er hat gelesen das Buch nicht ."
    assert found[1] == found[2] == "er hat nicht gelesen das Buch ."
    second = tiger(
        "gestern hat er das Buch gelesen .",
        "2 0 2 5 6 2 2",
        "MO ROOT SB NK OA OC PUNC",
        "ADV VAFIN PPER ART NN VVPP $.",
    )
    found = list(steps_on_words(name, second).values())
    assert found[0] == found[1] == "gestern hat gelesen er das Buch ."
    assert found[2] == "gestern er hat gelesen das Buch ."


def test_navratil_never_crosses_punctuation() -> None:
    tree = tiger(
        "gestern hat , so er , gelesen", "2 0 2 5 2 2 2", "MO ROOT PUNC MO SB PUNC OC", "ADV VAFIN $, ADV PPER $, VVPP"
    )
    for name in ("navratil", "navratil-dep"):
        assert RulePreorderer(name).orders([tree]) == [tuple(range(7))]


def test_navratil_goes_after_the_subject_or_its_subtree() -> None:
    tree = tiger("hat der Mann dort gelesen", "0 3 1 3 1", "ROOT NK SB MNR OC", "VAFIN ART NN ADV VVPP")
    assert steps_on_words("navratil", tree)["3 verbs after subject"] == "der Mann hat gelesen dort"
    assert steps_on_words("navratil-dep", tree)["3 verbs after subject"] == "der Mann dort hat gelesen"


def test_navratil_dependency_wants_verbs_of_the_auxiliary() -> None:
    tree = tiger("er hat Recht sagt sie", "2 4 2 0 4", "SB OC OA ROOT SB", "PPER VAFIN NN VVFIN PPER")
    assert steps_on_words("navratil", tree)["1 full verb to auxiliary"] == "er hat sagt Recht sie"
    assert steps_on_words("navratil-dep", tree)["1 full verb to auxiliary"] == "er hat Recht sagt sie"
