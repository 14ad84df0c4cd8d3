"""Completion codes, by which a crowd platform knows that someone is done."""

from __future__ import annotations

import hmac
from base64 import b32encode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign
    from tolka.web.accounts import Account

_LETTERS = 10


def completion_code(campaign: Campaign, account: Account) -> str:
    """The code that someone sees at the end: the campaign's, or one of their own; empty if it has none.

    One's own cannot be guessed from another's: it is made of the account and the campaign's key.
    """
    finish = campaign.settings.finish
    if not finish.own_code:
        return finish.code
    digest = hmac.digest(campaign.key(), f"completion:{account.id}".encode(), "sha256")
    return finish.code + b32encode(digest).decode()[:_LETTERS]
