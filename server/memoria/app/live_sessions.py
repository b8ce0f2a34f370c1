"""Sessions that hooks of other machines tell of: in which project a caller over HTTP is at work.

A client on the machine of the memory starts its server in the project's folder. Over HTTP no client
says where it is, but its hooks do, with the same token. They are noted beside the places of
transcripts, so that all processes of a server know them.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from memoria.model import now_millis
from memoria.store.engine import Store
from memoria.store.rows.capture import TranscriptPlace

_LIVES_MS = 30 * 60_000
"""Time after its last hook for which a session is taken to be held still."""
_SOURCE = "live over HTTP"
"""Stands in the place of a client's name in the rows, so that no transcript is taken for one."""


class LiveSession(NamedTuple):
    """A session that is held now."""

    source: str
    """Short name of the client."""
    session: str
    workspace: str | None
    """Project; None outside of any."""


class LiveSessions:
    """Sessions of one tenant. Its methods block."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._tenant = tenant

    def note(self, token: str, live: LiveSession, *, is_over: bool = False) -> None:
        """Note a session of which a hook has just told.

        Args:
            token: id of the token that the hook has shown.
            live: the session.
            is_over: whether it has ended.
        """
        path = f"{token} {live.source} {live.session}"
        place = json.dumps({"source": live.source, "workspace": live.workspace})
        at = -now_millis() if is_over else now_millis()
        with self._store.write(self._tenant, only_adds=True) as tx:
            tx.transcripts.set(TranscriptPlace(_SOURCE, path, live.session, 0, place, at))

    def list(self, token: str) -> Sequence[LiveSession]:
        """List the sessions that hooks with this token are heard of in."""
        since = now_millis() - _LIVES_MS
        with self._store.read(self._tenant) as tx:
            held = tx.transcripts.list_held(_SOURCE, f"{token} ", f"{token}!", since)
        read = [(one, json.loads(one.place)) for one in held]
        return [
            LiveSession(place["source"], one.session_id, place["workspace"]) for one, place in read
        ]


def choose_live(found: Sequence[LiveSession], source: str) -> tuple[str | None, str | None]:
    """Return session and project of a client; None for each that can't be told.

    Of two sessions at a time nobody could tell which is meant, nor of two projects.

    Args:
        found: sessions that are held now.
        source: short name of the client.
    """
    own = [one for one in found if one.source == source]
    projects = {one.workspace for one in own}
    session = own[0].session if len(own) == 1 else None
    return session, projects.pop() if len(projects) == 1 else None
