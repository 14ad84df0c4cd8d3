"""Questions of a campaign as orders for a platform: the pairs that tell most, on segments where they differ."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.judge.campaign.planning import plan
from tolka.judge.campaign.tasks import Task
from tolka.judge.platform.kinds import Compare, TestItem
from tolka.judge.platform.platform import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.campaign import Campaign
    from tolka.judge.campaign.material import BlankTest


class _Asked:
    """What these orders ask already; a pair and segment come once."""

    def __init__(self) -> None:
        self.segments: dict[tuple[int, int], set[int]] = {}

    def by_this_judge(self, low: int, high: int) -> set[int]:
        return self.segments.get((low, high), set())

    def by_anyone(self, low: int, high: int) -> set[int]:
        return self.by_this_judge(low, high)


def campaign_orders(
    campaign: Campaign, number: int, *, wanted: int = 1, tests: Sequence[BlankTest] = (), seed: int = 1, name: str = "q"
) -> list[Order]:
    """Choose questions of a campaign, sides at random, each with a test item if there are any.

    Args:
        campaign: The campaign; which pairs are chosen follows from its strategy and the answers it has.
        number: How many questions; fewer if there are not so many.
        wanted: Answers wanted of each.
        tests: Test items, which go round in a random order.
        seed: Of everything random.
        name: What orders are called before their number; choose another for every batch.

    Raises:
        InputError: There is nothing to ask.
    """
    plan(campaign)
    rng = random.Random(f"{seed}:{name}")  # noqa: S311
    asked = _Asked()
    round_: list[TestItem] = []
    found = []
    for at in range(number):
        question = campaign.questions.draw(asked, rng)
        if question is None:
            break
        asked.segments.setdefault((question.low, question.high), set()).add(question.segment)
        swapped = rng.random() < 0.5  # noqa: PLR2004
        shown = campaign.show(
            Task(f"{name}{at + 1}", question.segment, question.low, question.high, None, swapped, False, "", "")
        )
        if tests and not round_:
            round_ = [TestItem.of(test) for test in rng.sample(list(tests), len(tests))]
        low, high = campaign.items[question.low], campaign.items[question.high]
        body = Compare(
            source=shown.source or "",
            reference=shown.reference or "",
            left=shown.left,
            right=shown.right,
            test=round_.pop() if tests else None,
        )
        left, right = (high, low) if swapped else (low, high)
        about = {"left": left, "right": right, "segment": campaign.segments[question.segment]}
        found.append(Order(f"{name}{at + 1}", "compare", body, wanted, about))
    if not found:
        raise InputError("the campaign has no question to ask: no two outputs differ")
    return found
