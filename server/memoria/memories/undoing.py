"""Undoing: takes back what a person did to memories, as an act that can be undone itself.

Nothing is erased by it and nothing forgotten comes back: a former wording is written anew, under
the rules for any wording, and every memory concerned has a line of it in its history.
"""

from collections.abc import Iterable, Iterator, Set
from itertools import islice
from typing import Any

from memoria.errors import (
    ConflictError,
    ForgottenError,
    InvalidInputError,
    NextStep,
    NotFoundError,
    shorten,
)
from memoria.memories.changes import (
    ACTION,
    ChangeMark,
    ChangeNote,
    Differences,
    read_note,
    read_state,
)
from memoria.memories.revisions import Revisions
from memoria.memories.wordings import repeat_wording
from memoria.model import Memory, MemoryType, Validity, now_millis
from memoria.model.forgetting import Change
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MemoryDetails

_AT_ONCE = 20
"""Number of changes whose memories are read together."""
_MOST_READ = 1000
"""Most entries of the log that are searched for changes."""
_VOTES = frozenset({"upvotes", "downvotes"})


class Undoing(Revisions):
    """Lists the changes of one tenant's memories that a project sees, and undoes a change."""

    def list_changes(self, *, everywhere: bool = False, limit: int | None = None) -> list[Change]:
        """List people's changes of the memories that the project sees, or of all, newest first.

        Args:
            everywhere: whether the changes of all projects are listed.
            limit: changes at most, of the newest entries of the log; all by default.
        """
        most = _MOST_READ if limit is None else min(limit + _AT_ONCE, _MOST_READ)
        with self._store.read(self._tenant) as tx:
            changes = self._list_changes(tx, everywhere=everywhere, most=most)
            return list(islice(changes, limit))

    def undo(self, change_id: str, *, everywhere: bool = False) -> Change:
        """Undo a change, and return the change marked as undone.

        Raises:
            ForgottenError: what would come back was forgotten since.
            InvalidInputError: it is undone already, or the memory was changed again since.
            NotFoundError: there is no such change here.
        """
        mark = ChangeMark("undo", undoes=change_id)
        with self._write_change(mark) as tx:
            changes = self._list_changes(tx, everywhere=everywhere)
            change = next((one for one in changes if one.id == change_id), None)
            if change is None:
                raise NotFoundError(f"There is no change {shorten(change_id)} to undo.")
            require_standing(change)
            note = next(one for one in _read_notes(tx) if one.id == change_id)
            mark.memory_id = note.memory_id
            self._take_back(tx, note)
        return change.model_copy(update={"is_undone": True, "content": self._read_content(note)})

    def _read_content(self, note: ChangeNote) -> str | None:
        with self._store.read(self._tenant) as tx:
            memory = tx.memories.get(note.memory_id)
        return memory.content if memory else None

    def _list_changes(
        self, tx: Transaction, *, everywhere: bool, most: int = _MOST_READ
    ) -> Iterator[Change]:
        undone: set[str] = set()
        listed: set[str] = set()
        for notes in _batch(_read_notes(tx, most), _AT_ONCE):
            ids = {one.memory_id for one in notes}
            memories = {one.id: one for one in tx.waiting.list_by_id(sorted(ids))}
            for note in notes:
                if note.id in listed:  # the newer note of this change has all of it
                    continue
                listed.add(note.id)
                is_undone = note.id in undone
                if note.undoes is not None and not is_undone:
                    undone.add(note.undoes)
                memory = memories.get(note.memory_id)
                project = note.project if memory is None else memory.project
                if everywhere or project in (None, self._workspace):
                    yield _describe(note, memory, is_undone=is_undone)

    def _take_back(self, tx: Transaction, note: ChangeNote) -> None:
        for memory_id, differences in note.rows.items():
            self._put_back(tx, memory_id, differences, note.did)
        is_back = _own_differences(note).keys() & {"validity", "wording"}
        if is_back and self._memory(tx, note.memory_id).validity is Validity.ACTIVE:
            self._settle(tx, note.memory_id)

    def _put_back(
        self, tx: Transaction, memory_id: str, differences: Differences, did: str
    ) -> None:
        """Restore the fields of a memory that a change has set and nothing changed later."""
        memory = tx.memories.get(memory_id)
        if memory is None:
            return
        standing = _list_standing(memory, differences)
        former = {
            name: was
            for name, (was, _) in differences.items()
            if name in _VOTES or name in standing
        }
        is_new = differences.get("wording", (0, 0))[0] is None
        if is_new:
            former = {"validity": Validity.ARCHIVED.value} if "validity" in former else {}
        if "wording" in former:
            self._word_as_before(tx, memory, former["wording"])
        votes = {} if is_new else {one: differences[one] for one in _VOTES if one in differences}
        self._set_state(tx, memory, former, {name: a - b for name, (a, b) in votes.items()})
        tx.audit.add(
            at=now_millis(),
            channel=self._channel.name,
            client=self._channel.client,
            caller=self._channel.caller,
            action="undo",
            subject=memory_id,
            detail=did,
        )

    def _word_as_before(self, tx: Transaction, memory: Memory, version: int) -> None:
        """Give a memory back a former wording, valid from when it was said first.

        History keeps both; that wording is no newer for having been gone a while.
        """
        former = next((one for one in memory.versions if one.version == version), None)
        if former is None:
            raise _make_error(f"What memory {memory.id} said before")
        self._writer(tx).reword(memory.id, repeat_wording(tx, memory, former))

    def _set_state(
        self, tx: Transaction, memory: Memory, former: dict[str, Any], votes: dict[str, int]
    ) -> None:
        now, table = now_millis(), tx.memories
        if "validity" in former:
            table.set_validity(memory.id, Validity(former["validity"]), now)
        # A new wording is not verified by itself.
        verified = memory.verified if "wording" in former else None
        table.set_flags(
            memory.id,
            now,
            pinned=former.get("pinned"),
            verified=former.get("verified", verified),
            confidence=former.get("confidence"),
            upvotes=votes.get("upvotes", 0),
            downvotes=votes.get("downvotes", 0),
        )
        if former.keys() & {"scope", "workspace"}:
            scope = former.get("scope", memory.scope)
            table.set_scope(memory.id, scope, former.get("workspace", memory.workspace), now)
        if former.keys() & {"expires_at", "importance", "type"}:
            type_ = former.get("type")
            details = MemoryDetails(
                type=None if type_ is None else MemoryType(type_),
                importance=former.get("importance"),
                sets_end="expires_at" in former,
                expires_at=former.get("expires_at"),
            )
            table.describe(memory.id, details, now)


def require_standing(change: Change) -> None:
    """Check that a change can still be undone.

    Raises:
        ForgottenError: what would come back was forgotten since.
        InvalidInputError: it is undone already, or the memory was changed again since.
    """
    if change.is_undone:
        raise ConflictError(f"{change.id} is undone already. Nothing was changed.")
    if change.is_gone and change.content is None:
        raise _make_error("The memory")
    if change.is_gone:
        raise _make_error(f"What memory {change.memory_id} said before")
    if change.is_overtaken:
        raise InvalidInputError(
            f"Memory {change.memory_id} was changed again since. Undo the later change first. "
            "Nothing was changed."
        )


def _make_error(what: str) -> ForgottenError:
    return ForgottenError(
        f"{what} was forgotten since, and nothing forgotten comes back by an undo. Nothing was "
        "changed.",
        step=NextStep("See what can be undone", "list_changes", "memoria undo --list"),
    )


def _describe(note: ChangeNote, memory: Memory | None, *, is_undone: bool) -> Change:
    """Describe a change for a list of changes."""
    former = _find_wording(memory, note, 0)
    own = _own_differences(note)
    had_words = own.get("wording", (None, None))[0] is not None
    return Change(
        id=note.id,
        at=note.at,
        action=note.did,
        by=note.by,
        memory_id=note.memory_id,
        content=_find_wording(memory, note, 1) or (memory.content if memory else None),
        former=former,
        others=tuple(one for one in note.rows if one != note.memory_id),
        undoes=note.undoes,
        is_undone=is_undone,
        is_gone=memory is None or (had_words and former is None),
        is_overtaken=memory is not None and bool(own.keys() - _VOTES - _list_standing(memory, own)),
    )


def _list_standing(memory: Memory, differences: Differences) -> Set[str]:
    """List the fields that still have the values a change has given them.

    An undo says a former wording anew, under a number of its own: the words are compared.
    """
    state = read_state(memory)
    state["wording"] = memory.content
    left = {name: now for name, (_, now) in differences.items()}
    if "wording" in left:
        left["wording"] = _read_wording(memory, left["wording"])
    return {name for name, now in left.items() if state[name] == now}


def _own_differences(note: ChangeNote) -> Differences:
    """Return what a change altered in the memory it was made to, not in other memories."""
    return note.rows.get(note.memory_id, {})


def _batch(notes: Iterable[ChangeNote], size: int) -> Iterator[list[ChangeNote]]:
    rest = iter(notes)
    while batch := list(islice(rest, size)):
        yield batch


def _read_notes(tx: Transaction, most: int = _MOST_READ) -> Iterable[ChangeNote]:
    return map(read_note, tx.audit.list_by_action(ACTION, most))


def _find_wording(memory: Memory | None, note: ChangeNote, which: int) -> str | None:
    """Return a memory's text before (0) or after (1) a change; None if the text is gone."""
    numbers = _own_differences(note).get("wording", (None, None))
    return None if memory is None else _read_wording(memory, numbers[which])


def _read_wording(memory: Memory, number: int | None) -> str | None:
    return next((one.content for one in memory.versions if one.version == number), None)
