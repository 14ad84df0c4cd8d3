"""Policies for tasks that Python has: the engine's loop against its definition, and all that tasks can do wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learn import naive_policy

from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError
from tolka.files.container import Container, write_container
from tolka.learn import Epoch, Learning, Policy, PolicyLearning, learn_policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOW = PolicyLearning(epochs=4, samples=2)


@dataclass(frozen=True)
class Letters:
    """Write a word of as many letters as the example has; the more are in their place, the better."""

    letters: str = "abc"

    def start(self, example: str) -> tuple[int, str]:
        return len(example), ""

    def actions(self, state: tuple[int, str]) -> Sequence[str]:
        long, word = state
        return list(self.letters) if len(word) < long else []

    def features(self, state: tuple[int, str], action: str) -> Mapping[str, float]:
        _, word = state
        return {f"{word[-1:]}{action}": 1.0, f"{len(word)}{action}": 1.0}

    def step(self, state: tuple[int, str], action: str) -> tuple[int, str]:
        long, word = state
        return long, word + action

    def reward(self, example: str, state: tuple[int, str]) -> float:
        return sum(one == other for one, other in zip(example, state[1], strict=False)) / max(1, len(example))


class Taught(Letters):
    def expert(self, example: str, state: tuple[int, str]) -> str | None:
        at = len(state[1])
        return None if at == 1 else example[at]


WORDS = ["abca", "abc", "ab", "abcab", "a", "abcabc"]


@dataclass(frozen=True)
class Drawn:
    """Any task: what there is to do, see and gain depends on nothing but the path and numbers drawn from it."""

    seed: int
    deep: int
    wide: int

    def _drawn(self, *parts: object) -> int:
        return int.from_bytes(blake2b(repr((self.seed, *parts)).encode(), digest_size=8).digest())

    def start(self, example: int) -> tuple[int, ...]:
        return (example,)

    def actions(self, state: tuple[int, ...]) -> Sequence[int]:
        if len(state) > self.deep or self._drawn("end", state) % 8 == 0:
            return []
        return range(1 + self._drawn("many", state) % self.wide)

    def features(self, state: tuple[int, ...], action: int) -> Mapping[str, float]:
        # Small whole numbers, so that sums are exact in any order.
        own = self._drawn("seen", state[-1], action)
        return {f"f{(own >> 3 * at) % 8}": float((own >> 3 * at + 12) % 5 - 2) for at in range(3)}

    def step(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def reward(self, example: int, state: tuple[int, ...]) -> float:
        return self._drawn("gain", example, state) % 5 / 4


@given(
    task=st.builds(Drawn, st.integers(0, 1 << 32), st.integers(1, 5), st.integers(1, 4)),
    count=st.integers(1, 6),
    how=st.builds(
        PolicyLearning,
        epochs=st.integers(1, 3),
        rate=st.sampled_from([0.5, 1.0]),
        span=st.sampled_from(["path", "action"]),
        zipf=st.sampled_from([0.0, 1.0, 2.0]),
        samples=st.integers(1, 3),
        gap=st.sampled_from([0.0, 0.25]),
        batch=st.integers(1, 4),
        seed=st.integers(0, 1 << 63),
    ),
)
@settings(max_examples=100, deadline=None)
def test_it_does_what_the_algorithm_says(task: Drawn, count: int, how: PolicyLearning) -> None:
    options = {name: value for name, value in how.native().items() if name not in {"step", "method", "expert"}}
    wanted = naive_policy.learn(task, range(count), epochs=how.epochs, **options)
    paths = [naive_policy.path(task, task.start(example), {}) for example in range(count)]
    if not any(naive_policy.choices(task, steps) for steps, _ in paths):
        with pytest.raises(InputError, match="more than one action"):
            learn_policy(task, range(count), learning=how)
        return
    policy = learn_policy(task, range(count), learning=how)
    assert policy.weights == wanted
    for example in range(count + 2):
        _, end = naive_policy.path(task, task.start(example), wanted)
        assert policy.run(example) == end
        start = task.start(example)
        assert policy.act(start) == next(iter(naive_policy.ranked(task, start, wanted)), None)


class Once:
    """Left or right, once; right is better. Both have a feature in common, which cancels out."""

    def start(self, _: float) -> str:
        return ""

    def actions(self, state: str) -> Sequence[str]:
        return [] if state else ["left", "right"]

    def features(self, _: str, action: str) -> Mapping[str, float]:
        return {"both": 3.0, action: 2.0 if action == "right" else 1.0}

    def step(self, _: str, action: str) -> str:
        return action

    def reward(self, example: float, state: str) -> float:
        return example if state == "right" else 0.0


def test_one_update_is_as_computed_by_hand() -> None:
    """The policy goes left; right is tried, ends better, and counts half as it has been there for half of the time."""
    policy = learn_policy(Once(), [1.0], learning=PolicyLearning(epochs=1, rate=0.25))
    assert policy.weights == {"left": -0.125, "right": 0.25}
    assert policy.epochs == (Epoch(0, 0.0, 1, 1, {"left": -0.125, "right": 0.25}),)
    assert policy.run(1.0) == "right"
    # MIRA: as far as it takes for right to be ahead by 0.5, which is what it is better; of the length |(-1, 2)|² = 5.
    policy = learn_policy(Once(), [0.5], learning=PolicyLearning(epochs=1, step="mira"))
    assert policy.weights == pytest.approx({"left": -0.05, "right": 0.1})
    # Pairwise: as far as the gap times the doubt, a half, says.
    policy = learn_policy(Once(), [1.0], learning=PolicyLearning(epochs=1, method="pairwise"))
    assert policy.weights == pytest.approx({"left": -0.25, "right": 0.5})
    # Risk: left scores 0 and so does right, so that each has half; rewards are 0 and 1, on average a half.
    policy = learn_policy(Once(), [1.0], learning=PolicyLearning(epochs=1, method="risk"))
    assert policy.weights == pytest.approx({"left": -0.125, "right": 0.25})


def test_it_begins_with_weights_that_are_given() -> None:
    policy = learn_policy(Once(), [1.0], learning=PolicyLearning(epochs=1), weights={"right": 1.0, "far": 7.0})
    assert policy.epochs[0].reward == 1.0
    assert policy.weights == {"right": 1.0, "far": 7.0}


@pytest.mark.parametrize("step", ["perceptron", "passive", "mira", "adagrad"])
@pytest.mark.parametrize("method", ["better", "pairwise", "risk", "guided"])
@pytest.mark.parametrize("expert", [0.0, 0.5])
def test_all_ways_to_learn_do(step: Any, method: Any, expert: float) -> None:
    how = replace(HOW, epochs=12, step=step, method=method, expert=expert)
    if method == "risk" and step in {"passive", "mira"}:
        with pytest.raises(SettingsError, match="no margin"):
            learn_policy(Taught(), WORDS, learning=how)
        return
    policy = learn_policy(Taught(), WORDS, learning=how)
    before = Policy(Letters(), {})
    reward = [sum(Letters().reward(word, one.run(word)) for word in WORDS) for one in (before, policy)]
    assert reward[1] > reward[0] + 1


def test_seeds_reproduce() -> None:
    one, same, other = (learn_policy(Letters(), WORDS, learning=replace(HOW, seed=seed)) for seed in (1, 1, 2))
    assert one == same
    assert one.weights != other.weights


def test_states_may_be_changed_in_place() -> None:
    class InPlace(Letters):
        def start(self, example: str) -> Any:
            return [len(example), ""]

        def step(self, state: Any, action: str) -> Any:
            state[1] += action
            return state

    assert learn_policy(InPlace(), WORDS, learning=HOW).weights == learn_policy(Letters(), WORDS, learning=HOW).weights


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = learn_policy(Letters(), WORDS, learning=HOW)
    path = tmp_path / "state"
    learn_policy(Letters(), WORDS, learning=HOW, checkpoint=path, told=lambda epoch: epoch.number < 1)
    rest = learn_policy(Letters(), WORDS, learning=HOW, checkpoint=path)
    assert [epoch.number for epoch in rest.epochs] == [2, 3]
    assert rest.epochs == whole.epochs[2:]
    assert rest.weights == whole.weights
    again = learn_policy(Letters(), WORDS, learning=HOW, checkpoint=path)
    assert (again.weights, again.epochs) == (whole.weights, ())


def test_checkpoints_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    learn_policy(Letters(), WORDS, learning=HOW, checkpoint=path)
    for task, words, how in (
        (Letters("abcd"), WORDS, HOW),
        (Letters(), WORDS[1:], HOW),
        (Letters(), WORDS, replace(HOW, zipf=2.0)),
    ):
        with pytest.raises(SettingsError, match="of other examples or settings"):
            learn_policy(task, words, learning=how, checkpoint=path)
    container = Container.open(path)
    sections: dict[str, Any] = {name: container.array(name) for name in ("weights", "moved", "squares", "rates")}
    sections |= {name: container.bytes(name) for name in ("note", "names")}
    for damaged in (
        {**sections, "names": b"["},
        {**sections, "names": b"7"},
        {**sections, "names": b'["one"]'},
        {name: section for name, section in sections.items() if name != "names"},
    ):
        write_container(path, "learning", damaged)
        with pytest.raises(FormatError):
            learn_policy(Letters(), WORDS, learning=HOW, checkpoint=path)


def test_a_policy_is_kept_in_a_file(tmp_path: Path) -> None:
    policy = learn_policy(Letters(), WORDS, learning=HOW, most_steps=9)
    path = tmp_path / "letters.policy"
    policy.save(path)
    loaded = Policy.load(path, Letters())
    assert loaded == replace(policy, epochs=())
    assert [loaded.run(word) for word in WORDS] == [policy.run(word) for word in WORDS]
    container = Container.open(path)
    sections: dict[str, Any] = {name: container.bytes(name) for name in ("note", "names")}
    sections["weights"] = container.array("weights")
    for damaged in (
        {**sections, "note": b"{}"},
        {**sections, "note": b'{"learning": {"hop": 1}, "most_steps": 3}'},
        {**sections, "note": b'{"learning": null, "most_steps": 0}'},
        {**sections, "names": b"[]"},
        {**sections, "weights": sections["weights"] * math.nan},
    ):
        write_container(path, "policy", damaged)
        with pytest.raises(FormatError, match="damaged"):
            Policy.load(path, Letters())
    with pytest.raises(FileError):
        Policy.load(tmp_path / "none", Letters())


@pytest.mark.parametrize("method", ["start", "actions", "features", "step", "reward", "expert"])
@pytest.mark.parametrize("learning", ["better", "risk", "guided"])
def test_exceptions_come_out_as_they_are(method: str, learning: Any) -> None:
    class OddError(Exception):
        pass

    calls = 0
    error = OddError("seven")

    def fail(own: Any, *arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 7:
            raise error
        return getattr(Taught, method)(own, *arguments)

    # An expert is asked by roll-outs, or at every step.
    task: Any = type("Failing", (Taught,), {method: fail})()
    how = replace(HOW, method=learning, expert=0.0 if learning == "guided" else 1.0)
    with pytest.raises(OddError) as caught:
        learn_policy(task, WORDS, learning=how)
    assert caught.value is error
    assert calls == 7
    calls = 6
    if method in {"start", "actions", "features", "step"}:
        with pytest.raises(OddError):
            Policy(task, {}).run("abc")


@dataclass(frozen=True)
class Wrong(Taught):
    """Letters, but for one method."""

    method: str = ""
    value: Any = None

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "method"):
            return lambda *_: object.__getattribute__(self, "value")
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(
    ("method", "value", "complaint"),
    [
        (
            "features",
            {"odd": math.nan},
            r'the feature "odd" of an action is NaN in examples\[\d\]; features are finite',
        ),
        ("features", {"odd": -math.inf}, r'the feature "odd" of an action is -inf in examples\[\d\]'),
        ("features", ["odd"], r"the features of an action are no mapping in examples\[\d\]; return a dictionary"),
        ("features", {1: 1.0}, r"a feature of an action is \(1, 1.0\) in examples\[\d\]; features have a name"),
        ("features", {"odd": "1"}, r"a feature of an action is \('odd', '1'\) in"),
        ("reward", math.nan, r"the reward is NaN in examples\[\d\]; rewards are finite"),
        ("expert", "z", r"the expert takes 'z', which is no action there in examples\[\d\]; return one of"),
        ("actions", [], "no state of any example has more than one action, so that nothing can be learnt"),
        ("actions", ["a"], "there is no end after 20 steps"),
    ],
)
def test_tasks_that_go_wrong_are_told(method: str, value: Any, complaint: str) -> None:
    how = replace(HOW, expert=1.0)
    task = Wrong(method=method, value=value)
    with pytest.raises((InputError, LimitError), match=complaint):
        learn_policy(task, WORDS, learning=how, most_steps=20)
    if "examples" in complaint and method == "features":
        with pytest.raises(InputError) as caught:
            Policy(task, {}).run("abc")
        assert "examples" not in str(caught.value)


def test_a_task_without_end_is_given_up() -> None:
    task = Wrong(method="actions", value=["a", "b"])
    with pytest.raises(LimitError, match=r"there is no end after 7 steps in examples\[0\]; let actions run out"):
        learn_policy(task, ["ab"], most_steps=7)
    with pytest.raises(LimitError, match="there is no end after 10000 steps; let"):
        Policy(task, {}).run("ab")
    # One that ends at the limit has an end.
    assert learn_policy(Letters(), WORDS, most_steps=6).epochs


def test_actions_that_change_are_noticed() -> None:
    class Forgetful(Letters):
        asked = 0

        def actions(self, state: tuple[int, str]) -> Sequence[str]:
            Forgetful.asked += 1
            return [letter for letter in super().actions(state) if letter == "c" or Forgetful.asked < 3]

    with pytest.raises(InputError, match="other actions when it is reached again"):
        learn_policy(Forgetful(), ["ccc"], weights={f"{at}c": 1.0 for at in range(3)}, learning=HOW)


def test_a_constant_reward_teaches_nothing() -> None:
    policy = learn_policy(Wrong(method="reward", value=1), WORDS, learning=HOW)
    assert not policy.weights
    assert {epoch.better for epoch in policy.epochs} == {0}


def test_weights_that_grow_without_bounds_are_told() -> None:
    class Huge(Once):
        def features(self, state: str, action: str) -> Mapping[str, float]:
            return {name: 1e200 * value for name, value in super().features(state, action).items()}

    with pytest.raises(InputError, match=r"the score of an action is .*; use smaller features or a lower rate"):
        learn_policy(Huge(), [1.0])


def test_examples_without_a_choice_are_no_harm() -> None:
    policy = learn_policy(Letters(), ["", *WORDS], learning=HOW)
    assert policy.run("") == (0, "")
    assert policy.act((0, "")) is None


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        (PolicyLearning(epochs=0), "less than one epoch"),
        (PolicyLearning(samples=0), "no samples"),
        (PolicyLearning(rate=math.nan), "finite"),
        (PolicyLearning(step="hop"), "unknown step"),  # type: ignore[arg-type]
        (PolicyLearning(method="guided"), "the task has no expert"),
        (PolicyLearning(expert=0.5), "the task has no expert"),
        (Learning(), "reward and scaled are settings of translation; use PolicyLearning"),
    ],
)
def test_what_makes_no_sense_is_refused(how: PolicyLearning, complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        learn_policy(Letters(), WORDS, learning=how)


def test_data_is_checked() -> None:
    with pytest.raises(InputError, match="no examples"):
        learn_policy(Letters(), [])
    with pytest.raises(SettingsError, match="one step or more"):
        learn_policy(Letters(), WORDS, most_steps=0)
    with pytest.raises(InputError, match="the weight of 'aa' is nan"):
        learn_policy(Letters(), WORDS, weights={"aa": math.nan})


def test_an_error_of_the_listener_ends_it() -> None:
    def angry(_: Epoch) -> bool:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learn_policy(Letters(), WORDS, learning=HOW, told=angry)
