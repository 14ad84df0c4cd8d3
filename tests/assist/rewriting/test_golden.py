"""Sentences whose rewrites are known: table 1.1 and the sample run of Mohammad (2012), and what grammars must not do."""

import math

import pytest

from tolka.assist.rewriting import English, Rewriter, Rewritten
from tolka.errors import InputError, SettingsError
from tolka.syntax import ConstituentForest, parse_penn

PP = "(PP (IN with) (NP-A (DT the) (NN telescope)))"
LOW = f"(S (NP-A (NNP John)) (VP (VBD saw) (NP-A (NP (DT the) (NN man)) {PP})))"
HIGH = f"(S (NP-A (NNP John)) (VP (VBD saw) (NP-A (DT the) (NN man)) {PP}))"
TOP = f"(S (NP-A (NNP John)) (VP (VBD saw) (NP-A (DT the) (NN man))) {PP})"


def forest(*trees: str) -> ConstituentForest:
    return ConstituentForest.from_trees([(parse_penn(tree), -float(at)) for at, tree in enumerate(trees)])


def texts(tree: str, *grammars: str, parts: bool = False, morphology: English | None = None) -> list[str]:
    given = {"en": morphology} if morphology else None
    return sorted(one.text for one in Rewriter(grammars, parts=parts, morphology=given).rewrite(forest(tree)))


@pytest.mark.parametrize(
    ("tree", "passive", "clefts"),
    [
        (
            LOW,
            ["The man with the telescope was seen by John"],
            [
                "It is John that saw the man with the telescope",
                "It is the man with the telescope that John saw",
            ],
        ),
        (
            HIGH,
            ["The man was seen by John with the telescope"],
            [
                "It is John that saw the man with the telescope",
                "It is the man that John saw with the telescope",
                "It is with the telescope that John saw the man",
            ],
        ),
        (
            TOP,
            ["The man was seen by John with the telescope"],
            [
                "It is John that saw the man with the telescope",
                "It is the man that John saw with the telescope",
            ],
        ),
    ],
    ids=["low", "high", "sentence"],
)
def test_table_1_1(tree: str, passive: list[str], clefts: list[str]) -> None:
    assert texts(tree, "en.passive") == passive
    assert texts(tree, "en.cleft") == clefts


@pytest.mark.parametrize("tag", ["VB", "VBD"])
def test_sample_run(tag: str) -> None:
    """Section 1.2.4, whose chart calls all verbs VB."""
    both = forest(
        f"(S (NP (NP I)) (VP ({tag} saw) (NP-A (NP-A (DT the) (NP man)) {PP})) (. .))",
        f"(S (NP (NP I)) (VP ({tag} saw) (NP-A (DT the) (NP man)) {PP}) (. .))",
    )
    assert {one.text for one in Rewriter(["en.passive"]).rewrite(both)} == {
        "The man was seen by me with the telescope.",
        "The man with the telescope was seen by me.",
    }


def test_trucks_and_vans() -> None:
    """Section 1.2.1: where *in trucks* belongs, and what *and vans* is joined to."""
    joined = "(NP (NNS trucks) (CC and) (NNS vans))"
    start = "(S (NP-SBJ (PRP She)) (VP (VBD announced)"
    infinitive = "(S (VP (TO to) (VP (VB promote) (NP (NN safety)) {0})))"
    in_both = f"(PP (IN in) {joined})"
    trucks = infinitive.format("(PP (IN in) (NP (NNS trucks)))")
    trees = [
        f"{start} (NP (NP (DT a) (NN program)) {infinitive.format(in_both)})) (. .))",
        f"{start} (NP (NP (DT a) (NN program)) {infinitive.format('')} {in_both})) (. .))",
        f"{start} (NP (NP (DT a) (NN program)) {infinitive.format('')}) {in_both}) (. .))",
        f"{start} (NP (NP (NP (DT a) (NN program)) {trucks}) (CC and) (NP (NNS vans)))) (. .))",
    ]
    rewritten = Rewriter(["en.passive", "en.cleft"]).rewritten(forest(*trees))
    found = {one.text: one.mass for one in rewritten.rewrites if one.grammar == "en.passive"}
    weights = [math.exp(-at) for at in range(4)]
    shares = [weight / sum(weights) for weight in weights]
    assert found == pytest.approx(
        {
            "A program to promote safety in trucks and vans was announced by her.": shares[0] + shares[1],
            "A program to promote safety was announced by her in trucks and vans.": shares[2],
            "A program to promote safety in trucks and vans were announced by her.": shares[3],
        }
    )
    clefts = {one.text for one in rewritten.rewrites if one.grammar == "en.cleft"}
    assert "It is in trucks and vans that she announced a program to promote safety." in clefts
    assert "It is she that announced a program to promote safety in trucks and vans." in clefts


@pytest.mark.parametrize(
    ("verbs", "expected"),
    [
        ("(MD will) (VP (VB see) {})", "They will be seen by him."),
        ("(VBZ has) (VP (VBN seen) {})", "They have been seen by him."),
        ("(VBZ is) (VP (VBG making) {})", "They are being made by him."),
        ("(VBD did) (RB n't) (VP (VB see) {})", "They weren't seen by him."),
        ("(VBZ does) (RB not) (VP (VB watch) {})", "They are not watched by him."),
        ("(MD would) (VP (VB have) (VP (VBN stopped) {}))", "They would have been stopped by him."),
        ("(VBZ carries) {}", "They are carried by him."),
        ("(VBZ has) {}", None),
        ("(VBD was) (VP (VBN given) {})", None),
        ("(VBD became) {}", None),
        ("(VBD blorken) {}", None),
    ],
)
def test_verbs(verbs: str, expected: str | None) -> None:
    tree = f"(S (NP (PRP He)) (VP {verbs.format('(NP (PRP them))')}) (. .))"
    assert texts(tree, "en.passive") == ([expected] if expected else [])


def test_marks_and_functions_on_labels() -> None:
    tree = "(TOP (S-A (NP-TMP (NN Today)) (, ,) (NPB-SBJ-A (NNS men)) (VP (VBP eat) (NPB-A (NNS apples)) (PP-LOC (IN in) (NP-A (NNP Rome))))))"
    assert texts(tree, "en.passive") == ["Today, apples are eaten by men in Rome"]
    assert "Today, it is in Rome that men eat apples" in texts(tree, "en.cleft")


def test_clefts_as_wanted() -> None:
    tree = "(S (ADVP (RB Yesterday)) (NP-SBJ (NNP John)) (VP (VBD ate) (NP (DT an) (NN apple))))"
    assert "Yesterday it is John that ate an apple" in texts(tree, "en.cleft")
    wanted = English(match_tense=True, refront=False)
    assert "It was John that ate an apple" in texts(tree, "en.cleft", morphology=wanted)
    # The verb's own particles and punctuation are not cleft.
    plain = "(S (NP (PRP I)) (VP (VBD did) (RB not) (VP (VB give) (PRT (RP up)))) (. .))"
    assert texts(plain, "en.cleft") == ["It is I that did not give up."]
    assert texts("(S (NP (PRP I)) (VP (VBD said) (SBAR (S (NP (PRP it)) (VP (VBD rained))))))", "en.cleft") == []


def test_nothing_leaves_joined_phrases() -> None:
    tree = "(S (NP (PRP I)) (VP (VP (VBD saw) (NP (NNP Bob))) (CC and) (VP (VBD left) (PP (IN with) (NP (PRP him))))))"
    assert texts(tree, "en.cleft") == ["It is I that saw Bob and left with him"]


def test_parts_of_sentences() -> None:
    clause = "(S (NP (NNP Ann)) (VP (VBD saw) (NP (NNP Bob))))"
    tree = f"(S {clause} (CC and) (S (NP (PRP he)) (VP (VBD saw) (NP (PRP her)))) (. .))"
    assert texts(tree, "en.passive") == []
    assert texts(tree, "en.passive", parts=True) == [
        "Ann saw Bob and she was seen by him.",
        "Bob was seen by Ann and he saw her.",
    ]
    groups = {one.text: one.group for one in Rewriter(["en.passive"], parts=True).rewrite(forest(tree))}
    assert groups["Bob was seen by Ann and he saw her."] == (0, 3)


def test_german() -> None:
    low = (
        "(S (PPER-SB Er) (VVFIN-HD sah) (NP-OA (ART den) (NN Mann) (PP-MNR (APPR mit) (ART dem) (NN Fernrohr))) ($. .))"
    )
    high = (
        "(S (PPER-SB Er) (VVFIN-HD sah) (NP-OA (ART den) (NN Mann)) (PP-MO (APPR mit) (ART dem) (NN Fernrohr)) ($. .))"
    )
    assert texts(low, "de.fronting") == ["Den Mann mit dem Fernrohr sah er."]
    assert texts(high, "de.fronting") == ["Den Mann sah er mit dem Fernrohr.", "Mit dem Fernrohr sah er den Mann."]
    # Nouns keep their capitals.
    assert texts("(S (NN-SB Hunde) (VVFIN beißen) (NN-OA Männer))", "de.fronting") == ["Männer beißen Hunde"]


def test_french() -> None:
    seen = "(NP-SUJ (CLS Il)) (VN (V a) (VPP vu))"
    pp = "(PP-MOD (P avec) (NP (DET le) (NC télescope)))"
    low = f"(SENT {seen} (NP-OBJ (DET l') (NC homme) {pp}) (PONCT .))"
    high = f"(SENT {seen} (NP-OBJ (DET l') (NC homme)) {pp} (PONCT .))"
    cleft = "C'est il qui a vu l'homme avec le télescope."
    assert texts(low, "fr.cleft") == [cleft, "C'est l'homme avec le télescope qu'il a vu."]
    assert texts(high, "fr.cleft") == [
        "C'est avec le télescope qu'il a vu l'homme.",
        cleft,
        "C'est l'homme qu'il a vu avec le télescope.",
    ]


def test_beliefs_change() -> None:
    before = Rewriter(["en.passive", "en.cleft"]).rewritten(forest(LOW, HIGH, TOP))
    assert before.exact
    assert sum(mass for _, mass in before.cells) == pytest.approx(1)
    at = next(number for number, one in enumerate(before.rewrites) if one.mass < 0.3)
    assert before.rewrites[at].text.startswith("It is with the telescope")
    after = before.reweighted({at: (0.0, -10.0)})
    share = math.exp(-1) / (math.exp(-1) + math.exp(-10) * (1 + math.exp(-2)))
    assert after.rewrites[at].mass == pytest.approx(share)
    assert str(after.best()) == HIGH
    assert str(before.best()) == LOW
    never = before.reweighted({at: (-math.inf, 0.0)})
    assert never.rewrites[at].mass == 0
    with pytest.raises(InputError, match="no tree is left"):
        never.reweighted({at: (0.0, -math.inf)})
    with pytest.raises(InputError, match="there is no rewrite 99"):
        before.reweighted({99: (0.0, 0.0)})


def test_best_trees_instead_of_all() -> None:
    full = forest(LOW, HIGH, TOP)
    exact = Rewriter(["en.passive", "en.cleft"]).rewritten(full)
    some: Rewritten = Rewriter(["en.passive", "en.cleft"], most=22, trees=2).rewritten(full)
    assert not some.exact
    assert some.kept == pytest.approx(1 - math.exp(-2) / (1 + math.exp(-1) + math.exp(-2)))
    assert {one.text for one in some.rewrites} <= {one.text for one in exact.rewrites}
    none = Rewriter(["en.passive"], most=1).rewritten(full)
    assert (none.exact, none.rewrites, none.kept) == (False, (), 0.0)
    assert str(none.best()) == LOW


def test_wrong_settings() -> None:
    with pytest.raises(SettingsError, match=r"there is no grammar 'en\.pasive'; take de\.fronting, en\.cleft, en\.p"):
        Rewriter(["en.pasive"])
    with pytest.raises(SettingsError, match="one language"):
        Rewriter(["en.passive", "fr.cleft"])
    with pytest.raises(SettingsError, match="at least one grammar"):
        Rewriter([])
