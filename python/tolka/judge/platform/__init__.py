"""Asking people elsewhere: Mechanical Turk by files, a page of one's own, made-up people; and whom of them to hear.

A question is an `Order`; people hand in `Submission`s; `review` says which count, by test items, once each; `settle` pays
and refuses accordingly and asks anew for what is missing.
"""

from tolka.errors import MissingExtraError

try:
    import tolka.web  # noqa: F401 (first of all, since it knows which packages there must be)
    from tolka.judge.platform.gate import Counted, Gate, Review, review, settle, settle_all, to_answers
    from tolka.judge.platform.items import bank, bank_languages
    from tolka.judge.platform.kinds import (
        KINDS,
        Compare,
        CompareAnswer,
        Rewrite,
        RewriteAnswer,
        Substitute,
        SubstituteAnswer,
        TestItem,
        read_answer,
        read_body,
    )
    from tolka.judge.platform.local import LocalPlatform, queue_kinds
    from tolka.judge.platform.orders import campaign_orders
    from tolka.judge.platform.platform import Order, Platform, Submission
    from tolka.judge.platform.simulator import SimulatedPlatform, SimulatedWorker, diligent, one_sided, spammer
    from tolka.judge.platform.turk import TurkFiles, write_results
except MissingExtraError:
    raise MissingExtraError("asking people elsewhere", "judge") from None

__all__ = [
    "KINDS",
    "Compare",
    "CompareAnswer",
    "Counted",
    "Gate",
    "LocalPlatform",
    "Order",
    "Platform",
    "Review",
    "Rewrite",
    "RewriteAnswer",
    "SimulatedPlatform",
    "SimulatedWorker",
    "Submission",
    "Substitute",
    "SubstituteAnswer",
    "TestItem",
    "TurkFiles",
    "bank",
    "bank_languages",
    "campaign_orders",
    "diligent",
    "one_sided",
    "queue_kinds",
    "read_answer",
    "read_body",
    "review",
    "settle",
    "settle_all",
    "spammer",
    "to_answers",
    "write_results",
]
