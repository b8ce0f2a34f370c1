"""History: every closed conversation as a file that people can read and keep."""

from collections.abc import Iterator

from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.files.history import history
from memoria.lifecycle.files.shelf import Written, digest, shelf
from memoria.model import StoredTurn
from memoria.model.day import ClosedSession
from memoria.store.base import Transaction
from memoria.store.folders import history_path

_PAGE = 100
_OFF = "MEMORIA_HISTORY is off: no conversation is written into a file"


class Told(Written):
    """A conversation to be written."""

    session_n: int


class History:
    """Writes what was closed, continued or forgotten in part since."""

    name = "history"
    item = Told
    rows = 500
    """One a transaction, for a file is written in it."""

    def reduced(self, night: Night) -> str | None:
        """It can be switched off."""
        return None if night.settings.history else _OFF

    def plan(self, night: Night) -> Iterator[Told]:
        """Conversations whose file is missing or made from other turns."""
        after = 0 if night.settings.history else None
        while after is not None:
            with night.store.read(night.tenant) as tx:
                found = tx.days.closed_sessions(night.run.options.since or 0, after, _PAGE)
                due = [each for each in found if _due(tx, each, night)]
            for session in due:
                with night.store.read(night.tenant) as tx:
                    content = _content(tx, session)
                if content is not None or shelf(night).stands(_path(session)):
                    yield _told(session, content)
            after = found[-1].n if found else None

    def apply(self, tx: Transaction, item: Told, night: Night) -> Applied:
        """Write it, unless it goes on or somebody has edited its file."""
        session = tx.days.closed_session(item.session_n)
        content = None if session is None else _content(tx, session)
        return shelf(night).write(tx, night.run, item, content)


def _due(tx: Transaction, session: ClosedSession, night: Night) -> bool:
    written = tx.files.get(_path(session))
    return (
        written is None or written.stamp != session.stamp or not shelf(night).stands(_path(session))
    )


def _told(session: ClosedSession, content: str | None) -> Told:
    return Told(
        key=_path(session),
        digest=digest(None if content is None else content.encode()),
        stamp=session.stamp,
        session_n=session.n,
    )


def _content(tx: Transaction, session: ClosedSession) -> str | None:
    """The file; None where nothing is left to tell."""
    return history(_turns(tx, session)) or None


def _turns(tx: Transaction, session: ClosedSession) -> Iterator[StoredTurn]:
    for first in range(0, session.last_index + 1, _PAGE):
        yield from tx.conversations.span(session.n, first, first + _PAGE - 1)


def _path(session: ClosedSession) -> str:
    return history_path(session.source, session.session_id)
