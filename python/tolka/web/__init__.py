"""Pages on which invited people do tasks: what any room needs for one, and none of what is asked there.

A page is put together from these pieces, each of which can be used alone:

- `tolka.web.store`, `tolka.web.migrations`, `tolka.web.tables`: a database in SQLite or PostgreSQL, its tables and forms.
- `tolka.web.accounts`, `tolka.web.invitations`: who may come in, by links whose secret only they have.
- `tolka.web.leases`: who has which question before them; every answer counts once.
- `tolka.web.tasks`: a queue of tasks of any kind, whose bodies and answers are JSON.
- `tolka.web.sessions`, `tolka.web.keys`, `tolka.web.guard`: cookies and forms that cannot be forged, limits, headers.
- `tolka.web.site`, `tolka.web.joining`, `tolka.web.app`, `tolka.web.server`: templates, coming in, the application, its server.

All of them need the packages of the extra `judge`.
"""

from importlib.util import find_spec

from tolka.errors import MissingExtraError

# Said here once, so that none of the pieces has to; each of them imports only what it uses itself.
if any(find_spec(name) is None for name in ("argon2", "fastapi", "itsdangerous", "jinja2", "sqlalchemy", "uvicorn")):
    raise MissingExtraError("a page for people", "judge")
