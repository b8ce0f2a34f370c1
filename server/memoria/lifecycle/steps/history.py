"""History: a file for every closed conversation, in JSON Lines: a turn a line, as it was said."""

import json
import re
from collections.abc import Iterable, Iterator

from memoria.bare.lazy_regex import lazy_regex
from memoria.disk.folders import history_path
from memoria.lifecycle.generated_files import FileItem, digest, files_of
from memoria.lifecycle.interface import ItemResult, PlannedStep, StepContext
from memoria.memories.conditions import answerable_turns
from memoria.model import StoredTurn, to_iso
from memoria.model.nightly import ClosedSession
from memoria.store.rows.transaction import Transaction

_BREAKS = lazy_regex("[\x85\u2028\u2029]")
"""Matches what some readers take for the end of a line, and what JSON does not escape."""
_PAGE = 100
_OFF = "MEMORIA_HISTORY_FILES is off: no conversation is written into a file"
_ENCRYPTED = "the home is encrypted: no conversation is written into a file"
_IN_DATABASE = "a database elsewhere keeps the memory: no conversation is written into a file"


def render_history(turns: Iterable[StoredTurn]) -> str:
    """Render a conversation as JSON Lines; the same turns always give the same bytes.

    Args:
        turns: in order. Barred ones are left out: what they said was forgotten.
    """
    return "".join(f"{_line(turn)}\n" for turn in turns if not turn.suppressed)


def _line(turn: StoredTurn) -> str:
    told = {
        "id": turn.id,
        "session_id": turn.session_id,
        "source": turn.source,
        "turn_index": turn.turn_index,
        "role": turn.role.value,
        "speaker": turn.speaker,
        "at": to_iso(turn.at),
        **({} if turn.utc_offset is None else {"utc_offset": turn.utc_offset}),
        "content": turn.content,
        "tool_name": turn.tool_name,
        "tool_args": turn.tool_args,
        "tool_result": turn.tool_result,
    }
    return _BREAKS.sub(_escape, json.dumps(told, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


class ConversationItem(FileItem):
    """A conversation to be written."""

    session_n: int


class HistoryStep(PlannedStep[ConversationItem]):
    """Writes the files of closed conversations that are missing or outdated."""

    name = "history"
    summary = "Write closed conversations into files."
    things = ("closed conversation", "closed conversations")
    deed = "written into files"
    item = ConversationItem
    rows = 500
    """Most rows of a transaction: so each file is written in one of its own."""

    def describe_limits(self, context: StepContext) -> str | None:
        """Say why no history files are written, if none are."""
        if not context.files.are_readable:
            return _ENCRYPTED if context.files.are_on_disk else _IN_DATABASE
        return None if context.settings.history_files else _OFF

    def plan(self, context: StepContext) -> Iterator[ConversationItem]:
        """Yield the conversations whose file is missing or outdated."""
        after = 0 if context.settings.history_files and context.files.are_readable else None
        while after is not None:
            with context.store.read(context.tenant) as tx:
                found = tx.days.list_closed_sessions(context.run.options.since or 0, after, _PAGE)
                due = [each for each in found if _is_due(tx, each, context)]
            for session in due:
                with context.store.read(context.tenant) as tx:
                    content = _file_content(tx, session)
                if content is not None or context.files.exists(_file_path(session)):
                    yield _conversation_item(session, content)
            after = found[-1].n if found else None

    def apply(self, tx: Transaction, item: ConversationItem, context: StepContext) -> ItemResult:
        """Write the file, unless the conversation goes on or the user has edited the file."""
        session = tx.days.get_closed_session(item.session_n)
        content = None if session is None else _file_content(tx, session)
        return files_of(context).write(tx, context.run, item, content)


def _is_due(tx: Transaction, session: ClosedSession, context: StepContext) -> bool:
    written = tx.file_records.get(_file_path(session))
    return (
        written is None
        or written.stamp != session.stamp
        or not context.files.exists(_file_path(session))
    )


def _conversation_item(session: ClosedSession, content: str | None) -> ConversationItem:
    return ConversationItem(
        key=_file_path(session),
        digest=digest(None if content is None else content.encode()),
        stamp=session.stamp,
        session_n=session.n,
    )


def _file_content(tx: Transaction, session: ClosedSession) -> str | None:
    """Return the content of the file; None where no turn is left."""
    return render_history(_turns(tx, session)) or None


def _turns(tx: Transaction, session: ClosedSession) -> Iterator[StoredTurn]:
    """Yield the turns that are written down: no files, whose words may go before the rest."""
    for first in range(0, session.last_index + 1, _PAGE):
        page = tx.conversations.list_span(session.n, first, first + _PAGE - 1)
        said = (turn for turn in page if tx.attachments.find_message(turn) is None)
        yield from answerable_turns(tx, said)


def _file_path(session: ClosedSession) -> str:
    return history_path(session.source, session.session_id)
