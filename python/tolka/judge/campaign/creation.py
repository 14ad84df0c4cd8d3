"""Making a campaign."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from tolka.errors import FileError, InputError
from tolka.files import write_atomic
from tolka.judge.campaign import schema
from tolka.judge.campaign.campaign import Campaign, open_campaign, store_of
from tolka.judge.campaign.material import BlankTest
from tolka.judge.campaign.migrations import STEPS
from tolka.judge.campaign.settings import FILE, CampaignSettings
from tolka.judge.campaign.toml_text import explained
from tolka.web.host import KEY
from tolka.web.keys import write_key
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from tolka.judge.campaign.material import Material
    from tolka.web.store import Store

_CHUNK = 5000


def create_campaign(
    directory: Path | str,
    material: Material,
    settings: CampaignSettings | None = None,
    *,
    text: str | None = None,
) -> Campaign:
    """Make a campaign in a directory that has none.

    Args:
        directory: The directory.
        material: What is compared.
        settings: The settings; all at their defaults if not given.
        text: The settings as somebody wrote them, to be kept with their comments; they are explained if not given.

    Raises:
        FileError: There is one already, or the directory cannot be written.
        InputError: There would be nothing to ask.

    Example:
        >>> import tempfile
        >>> from tolka.judge.campaign import Material, create_campaign
        >>> rows = [{"item": "a", "text": "Hello"}, {"item": "b", "text": "Hi"}]
        >>> with create_campaign(tempfile.mkdtemp(), Material.of_rows(rows, where="rows")) as campaign:
        ...     campaign.items, campaign.state
        (('a', 'b'), 'running')
    """
    directory = Path(directory)
    settings = settings or CampaignSettings()
    if settings.show.reference and not material.questions(reference=True):
        hint = "leave the references out, or set reference = false under [show]"
        raise InputError("all outputs that differ are the references that judges would see beside them", hint=hint)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the directory: {error.strerror}", path=directory) from error
    store = store_of(directory, settings, create=True)
    if (directory / FILE).exists() or (store.path is not None and store.path.exists()):
        raise FileError("there is a campaign here already", path=directory, hint="name another directory")
    try:
        if store.path is not None:  # it will hold what people answered, and hashes of their invitations
            store.path.touch(0o600)
        _fill(store, material)
    finally:
        store.close()
    write_key(directory / KEY)
    # The settings come last: without them the directory is no campaign.
    write_settings(directory, explained(settings) if text is None else text)
    return open_campaign(directory)


def write_settings(directory: Path, text: str) -> None:
    """Write `campaign.toml`, whole or not at all."""
    with write_atomic(directory / FILE) as out:
        out.write(text)
    (directory / FILE).chmod(0o600)  # the database's address may have a password in it


def _fill(store: Store, material: Material) -> None:
    now = stamp(datetime.now(UTC))
    store.migrate(STEPS, now)
    with store.writing() as connection:
        if connection.execute(select(func.count()).select_from(schema.state)).scalar():
            raise FileError("the database holds a campaign already", hint="give an empty database")
        put = connection.execute
        put(
            schema.state.insert(),
            [{"name": "running", "value": "yes"}, {"name": "campaign", "value": secrets.token_hex(8)}],
        )
        put(schema.item.insert(), [{"id": i, "name": name} for i, name in enumerate(material.items)])
        put(schema.segment.insert(), [{"id": i, **asdict(one)} for i, one in enumerate(material.segments)])
        outputs = (
            {"segment_id": s, "item_id": i, "text": text}
            for s, row in enumerate(material.outputs)
            for i, text in enumerate(row)
            if text is not None
        )
        chunk: list[dict[str, Any]] = []
        for one in outputs:
            chunk.append(one)
            if len(chunk) == _CHUNK:
                put(schema.output.insert(), chunk)
                chunk = []
        if chunk:
            put(schema.output.insert(), chunk)
        if material.tests:
            kinds = [("blank" if isinstance(test, BlankTest) else "choice", asdict(test)) for test in material.tests]
            put(schema.test.insert(), [{"id": i, "kind": k, "body": json.dumps(b)} for i, (k, b) in enumerate(kinds)])
        put(schema.audit.insert(), {"at": now, "actor": "owner", "action": "created", "detail": ""})
