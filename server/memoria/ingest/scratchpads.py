"""Scratchpad of a session: its current focus and its last few completed tasks."""

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import InvalidInputError
from memoria.ingest.identity import clean_id
from memoria.language.reading.clean import Tally, clean_text
from memoria.model import Scratchpad, now_millis
from memoria.store.engine import Store

MOST_RECENT_TASKS = 5
_MAX_CHARS = 2000


def update_scratchpad(
    store: Store,
    tenant: str,
    session_id: str,
    focus: str | None,
    completed: str | None,
    digester: Digester,
    workspace: str | None = None,
) -> Scratchpad:
    """Set the current focus, or note a task as completed, or both.

    When the focus changes, the former one becomes a completed task. An empty focus clears it.

    Raises:
        ForgottenError: one says what was forgotten.
        InvalidInputError: neither was given, or one is too long.
    """
    if focus is None and completed is None:
        raise InvalidInputError("Give current_focus, completed, or both.")
    new_focus, done = (_note(text) for text in (focus, completed))
    session_id = clean_id(session_id, Tally(), digester)
    with store.write(tenant) as tx:
        suppression = SuppressionList(tx.tombstones, digester)
        for note in filter(None, (new_focus, done)):
            suppression.check_statement(note)
        old = tx.scratchpads.get(session_id)
        current = old.current_focus if old else None
        finished = [done] if done else []
        if done and done == current:
            current = None
        if new_focus is not None and new_focus != current:
            finished = [*([current] if current else []), *finished]
            current = new_focus or None
        tx.scratchpads.put(
            session_id, current, finished, now_millis(), MOST_RECENT_TASKS, workspace
        )
        now = tx.scratchpads.get(session_id)
    if now is None:
        raise InvalidInputError(f"There is no scratchpad of session {session_id}.")
    return now


def _note(text: str | None) -> str | None:
    if text is None:
        return None
    note = clean_text(text, Tally()).strip()
    if len(note) > _MAX_CHARS:
        raise InvalidInputError(
            f"A scratchpad line has at most {_MAX_CHARS:,} characters and this has {len(note):,}."
        )
    return note
