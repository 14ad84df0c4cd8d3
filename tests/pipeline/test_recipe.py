"""Recipes: what is accepted, and one sentence for everything that is not."""

import pytest

from tolka.errors import FileError, FormatError, LimitError, SettingsError, TolkaError
from tolka.pipeline import Graph, Link, Node, Recipe, Settings, Stage, registry, stage


def load(small, tmp_path, text, *overrides):
    path = tmp_path / "r.toml"
    path.write_text(text)
    return Recipe.load(path, overrides, stages=small.STAGES)


def test_nearest_above_serves(small, tmp_path):
    recipe = load(small, tmp_path, small.RECIPE)
    assert [node.name for node in recipe.graph.order] == ["read", "upper", "count", "join"]
    assert recipe.graph["upper"].links == {"text": Link("read", "text")}
    assert recipe.graph["count"].links == {"text": Link("read", "text")}
    assert recipe.graph["join"].links == {"text": Link("upper", "text"), "counts": Link("count", "counts")}
    assert recipe.graph["read"].files == {"text": tmp_path / "words.txt"}
    assert recipe.graph["upper"].settings.repeat == 2


def test_links_may_point_down(small, tmp_path):
    text = '[count]\ninputs.text = "loud.text"\n[loud]\nstage = "upper"\ninputs.text = "read"\n[read]\ntext = "t"\n'
    recipe = load(small, tmp_path, text)
    assert [node.name for node in recipe.graph.order] == ["read", "loud", "count"]
    assert [node.name for node in recipe.graph.until("loud").order] == ["read", "loud"]


def test_overrides(small, tmp_path):
    overrides = ["upper.repeat=5", "upper.how=lower", "read.text=other.txt", "count.exact=false", "upper.suffix=a=b"]
    recipe = load(small, tmp_path, small.RECIPE, *overrides, 'count.only=["a", "b"]')
    assert recipe.graph["upper"].settings.repeat == 5
    assert recipe.graph["upper"].settings.how == "lower"
    assert recipe.graph["upper"].settings.suffix == "a=b"
    assert recipe.graph["read"].files == {"text": tmp_path / "other.txt"}
    assert recipe.graph["count"].settings.exact is False
    assert recipe.graph["count"].settings.only == ("a", "b")


READ = '[read]\ntext = "t"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r.toml: the recipe has no stages; add a table such as [corpus]"),
        ("[uper]\n", 'r.toml, line 1: there is no stage "uper"; did you mean upper?'),
        ('[x]\nstage = "cout"\n', 'r.toml, line 2: there is no stage "cout"; did you mean count?'),
        ("repeat = 3\n", "r.toml, line 1: repeat stands outside of any table; put it under the stage it belongs to"),
        (READ + "[upper]\nrepaet = 3\n", "r.toml, line 4: unknown key upper.repaet; did you mean repeat?"),
        (READ + "[upper]\nrepeat = 0\n", "r.toml, line 4: upper.repeat must be at least 1, not 0"),
        (READ + "[upper]\n\nrepeat = 10\n", "r.toml, line 5: upper.repeat must be at most 9, not 10"),
        (READ + '[upper]\nrepeat = "3"\n', 'r.toml, line 4: upper.repeat must be a whole number, not "3"'),
        (READ + "[upper]\nrepeat = 1.5\n", "r.toml, line 4: upper.repeat must be a whole number, not 1.5"),
        (READ + "[upper]\nrepeat = true\n", "r.toml, line 4: upper.repeat must be a whole number, not true"),
        (READ + "[upper]\nfactor = 0.0\n", "r.toml, line 4: upper.factor must be more than 0.0, not 0.0"),
        (READ + "[upper]\nfactor = nan\n", "r.toml, line 4: upper.factor must be a finite number, not NaN"),
        (READ + "[upper]\nhow = 'UP'\n", "r.toml, line 4: upper.how must be one of 'upper', 'lower', not \"UP\""),
        (READ + "[upper]\nsuffix = 1\n", "r.toml, line 4: upper.suffix must be text in quotes, not 1"),
        (READ + "[upper]\nsuffix = 'abcdef'\n", "r.toml, line 4: upper.suffix must have at most 5 characters, not 6"),
        (READ + "[count]\nonly = 'a'\n", 'r.toml, line 4: count.only must be a list in [brackets], not "a"'),
        (READ + "[count]\nonly = ['a', 1]\n", "r.toml, line 4: count.only.1 must be text in quotes, not 1"),
        (READ + "[count]\nexact = 1\n", "r.toml, line 4: count.exact must be true or false, not 1"),
        (READ + "[count]\nexact = 2020-01-01\n", "r.toml, line 3: [count] has a date or time, which no setting takes"),
        ("[read]\n", "r.toml, line 1: read.text is missing"),
        ("[read]\ntext = 3\n", "r.toml, line 2: read.text must be text in quotes, not 3"),
        (
            "[upper]\n",
            (
                "r.toml, line 1: [upper] needs text, which no stage above it writes; put one of these above it: "
                "[read], [upper]"
            ),
        ),
        (
            READ + "[upper]\ninputs = 3\n",
            'r.toml, line 4: upper.inputs must be a table such as { corpus = "clean.corpus" }',
        ),
        (READ + "[upper]\ninputs.txt = 'read'\n", "r.toml, line 4: stage upper has no input txt; did you mean text?"),
        (
            READ + "[upper]\ninputs.text = 'raed'\n",
            "r.toml, line 4: [upper] takes text from raed.text, but there is no [raed]; did you mean read?",
        ),
        (
            READ + "[upper]\ninputs.text = 'read.txt'\n",
            "r.toml, line 4: [upper] takes text from read.txt, but [read] writes no txt; did you mean text?",
        ),
        (
            READ + "[x]\nstage = 'upper'\ninputs.text = 'y'\n[y]\nstage = 'upper'\ninputs.text = 'x'\n",
            "stages wait for each other in a circle: x -> y -> x",
        ),
        (READ + "[Upper]\nstage = 'upper'\n", "r.toml, line 3: [Upper] is no name for a stage; use a-z, 0-9, _ and -"),
    ],
)
def test_complaints(small, tmp_path, text, message):
    with pytest.raises(SettingsError) as caught:
        load(small, tmp_path, text)
    assert str(caught.value).removeprefix(f"{tmp_path}/") == message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("upper.repeat=0", "--set upper.repeat=0: upper.repeat must be at least 1, not 0"),
        ("upper.repaet=1", "--set upper.repaet=1: unknown key upper.repaet; did you mean repeat?"),
        ("uper.repeat=1", "--set uper.repeat=1: the recipe has no table [uper]; did you mean upper?"),
        ("repeat=1", "--set repeat=1: not of the form table.key=value"),
        ("upper.repeat", "--set upper.repeat: not of the form table.key=value"),
        (
            "upper.repeat=1\nhow = 'lower'",
            "--set upper.repeat=1\nhow = 'lower': upper.repeat must be a whole number, not \"1\\nhow = 'lower'\"",
        ),
    ],
)
def test_complaints_about_overrides(small, tmp_path, override, message):
    with pytest.raises(SettingsError) as caught:
        load(small, tmp_path, small.RECIPE, override)
    assert str(caught.value) == message


def test_not_toml(small, tmp_path):
    with pytest.raises(FormatError, match=r"r.toml, line 2: not TOML: "):
        load(small, tmp_path, "[read]\ntext = \n")
    with pytest.raises(FormatError, match="too deeply"):
        load(small, tmp_path, "[read]\ntext = " + "[" * 100_000)
    path = tmp_path / "r.toml"
    path.write_bytes(b"[read]\n# \xff\n")
    with pytest.raises(FormatError, match="byte 10: not valid UTF-8"):
        Recipe.load(path)
    path.write_bytes(b"#" * (1 << 20) + b"#")
    with pytest.raises(LimitError, match="is this the right file"):
        Recipe.load(path)
    with pytest.raises(FileError, match="cannot read the recipe: No such file"):
        Recipe.load(tmp_path / "none.toml")
    with pytest.raises(FileError, match="cannot read the recipe: Is a directory"):
        Recipe.load(tmp_path)


def test_graph_refuses(small):
    node = Node("a", small.upper, small.UpperSettings(), {}, {"text": Link("b", "text")})
    with pytest.raises(SettingsError, match=r"\[a\] reads text from b.text, which does not exist"):
        Graph([node])
    read = Node("b", small.read, small.ReadSettings.model_construct(), {}, {})
    with pytest.raises(SettingsError, match="same name"):
        Graph([node, read, read])
    with pytest.raises(SettingsError, match="in a circle: a -> a"):
        Graph([Node("a", small.upper, small.UpperSettings(), {}, {"text": Link("a", "text")})])


def test_stage_refuses(small):
    def function(inputs, outputs, settings, progress):
        """Do nothing."""

    class Bad(Settings):
        inputs: int = 1

    good = {"name": "a", "version": 1, "settings": Settings, "inputs": (), "outputs": ("o",), "function": function}
    assert Stage(**good).summary == "Do nothing."
    for wrong in (
        {"name": "A b"},
        {"name": "../a"},
        {"outputs": ("manifest.json",)},
        {"outputs": ("o", "o")},
        {"inputs": ("o", "o?")},
        {"version": 0},
        {"outputs": ()},
        {"settings": Bad},
    ):
        with pytest.raises(TolkaError):
            Stage(**{**good, **wrong})
    one = stage("a", version=1, settings=Settings, outputs=("o",))(function)
    with pytest.raises(SettingsError, match="two stages are called a"):
        registry(one, one)


def test_an_input_from_nowhere():
    """What may be absent can be left out although something above could serve it; what is needed cannot."""
    write = stage("write", version=1, settings=Settings, outputs=("text",))(print)
    read = stage("read", version=1, settings=Settings, inputs=("text?",), outputs=("words",))(print)
    need = stage("need", version=1, settings=Settings, inputs=("text",), outputs=("sum",))(print)
    stages = registry(write, read, need)
    assert Recipe.from_text("[write]\n[read]\n", stages=stages).graph["read"].links
    assert not Recipe.from_text("[write]\n[read]\ninputs.text = ''\n", stages=stages).graph["read"].links
    with pytest.raises(SettingsError, match="there is no"):
        Recipe.from_text("[write]\n[need]\ninputs.text = ''\n", stages=stages)
