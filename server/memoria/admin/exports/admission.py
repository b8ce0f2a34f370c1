"""Admission: decides which records of an export may be imported into a home.

The home's own tombstones decide first: what was forgotten here does not come back with an old
export, by its id or by what it says, nor does anything that was concluded or derived from it.
Secrets and private times are treated as on every way in. Records that are here already are not
checked again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.ingest.clean import CleanTurn, clean_turn
from memoria.ingest.turn_draft import leave_forgotten_metadata, leave_out_forgotten
from memoria.language.reading.clean import Tally, clean_metadata
from memoria.language.secrets.redact import redact
from memoria.language.words.document import full_text
from memoria.model import Role, Turn
from memoria.model.metadata import map_texts, parse_metadata, write_metadata
from memoria.store.rows.portable.records import PortableMerge
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MessageName

_Record = dict[str, Any]


@dataclass(slots=True)
class Refusals:
    """Records that were refused, so that what rests on them is refused, too."""

    turn_ids: set[str] = field(default_factory=set)
    memory_ids: set[str] = field(default_factory=set)
    places: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    """Places of turns that were refused, or from which nothing may be concluded."""
    forgotten: int = 0
    """Number of turns, memories and notes that were forgotten in this home."""
    private: int = 0
    """Number of turns that were said in a private time of this home."""
    redacted: int = 0
    """Number of secrets that were redacted."""

    def note_place(self, record: _Record) -> None:
        """Note the place of a turn."""
        session = (record["source"], record["session_id"])
        self.places.setdefault(session, set()).add(record["turn_index"])


class Admission:
    """Decides, within one transaction, which records of an export are imported."""

    def __init__(
        self, tx: Transaction, digester: Digester, refusals: Refusals, merge: PortableMerge
    ) -> None:
        self._tx = tx
        self._suppression = SuppressionList(tx.tombstones, digester)
        self._refusals = refusals
        self._merge = merge

    def admit(self, kind: str, record: _Record) -> _Record | None:
        """Return the record as it may be imported; None if the record is refused."""
        match kind:
            case "turn":
                return self._admit_turn(record)
            case "memory":
                return self._admit_memory(record)
            case "scratchpad":
                return self._admit_notes(record)
            case _:
                return record

    def admit_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the lines of a core file that may be imported, without secrets."""
        kept = [line for line in lines if not line.strip() or self._suppression.may_keep(line)]
        self._refusals.forgotten += len(lines) - len(kept)
        return [redact(line).text for line in kept]

    def _may_keep(self, text: str) -> bool:
        """Check whether a note may be imported: one that says nothing forgotten and no secret."""
        return self._suppression.may_keep(text) and redact(text).text == text

    def _admit_turn(self, record: _Record) -> _Record | None:
        turn_id = str(record["id"])
        if self._tx.conversations.turn(self._merge.turn_ids.get(turn_id, turn_id)) is not None:
            return {**record, "metadata": self._admit_metadata(record.get("metadata"))}
        text, secrets = _clean(record)
        self._refusals.redacted += secrets
        is_private = self._is_private(record)
        if is_private or self._is_lost(record.get("attached_to")):
            self._refusals.private += is_private
            self._refuse_turn(record)
            return None
        stone = self._tx.tombstones.get(turn_id)
        if stone is not None and stone.kind == "turn":
            self._refuse_turn(record, is_forgotten=True)
            return None
        words, name = full_text(text), _name_of(record)
        if self._suppression.is_erased_message(name, words, record["at"]):
            self._refuse_turn(record, is_forgotten=True)
            return None
        left = text = leave_forgotten_metadata(text, self._suppression)
        if self._suppression.repeats_erased(words):
            rest = leave_out_forgotten(text, self._suppression)
            if rest is None:
                self._refuse_turn(record, is_forgotten=True)
                return None
            left = rest
        admitted = {
            **record,
            "content": left.content,
            "tool_args": left.tool_args,
            "tool_result": left.tool_result,
            "metadata": write_metadata(left.metadata),
            "names": [one for one in record["names"] if one["name"] in full_text(left)],
        }
        if left.tool_result != record["tool_result"]:  # the bytes hold what was left out
            admitted |= {"file": None}
        if stone is not None or not self._suppression.may_conclude_from(words):
            self._refusals.note_place(record)
            admitted |= {"suppressed": 1, "names": []}
        return admitted

    def _refuse_turn(self, record: _Record, *, is_forgotten: bool = False) -> None:
        self._refusals.turn_ids.add(record["id"])
        self._refusals.note_place(record)
        self._refusals.forgotten += is_forgotten

    def _refuse_memory(self, record: _Record) -> None:
        self._refusals.memory_ids.add(record["id"])
        self._refusals.forgotten += 1

    def _is_private(self, record: _Record) -> bool:
        times = self._tx.private_times.applying(None, record["source"], record["session_id"])
        return any(time.includes(record["at"]) for time in times)

    def _admit_memory(self, record: _Record) -> _Record | None:
        known = self._tx.memories.get(record["id"])
        if known is None and not self._may_enter(record):
            self._refuse_memory(record)
            return None
        kept = {version.content for version in known.versions} if known is not None else set()
        versions = [
            self._without_lost_source(one)
            for one in record["versions"]
            if (one["content"] in kept or self._may_say(one["content"]))
            and not self._has_fallen(one, record, is_known=known is not None)
        ]
        if not versions or versions[-1]["valid_to"] is not None:
            return None  # what it says now was forgotten here; what is here stays as it is
        evidence = [one for one in record["evidence"] if not self._is_lost(one["turn"])]
        metadata = self._admit_metadata(record.get("metadata"))
        admitted = {**record, "versions": versions, "evidence": evidence, "metadata": metadata}
        if known is None and not _is_supported(record, admitted):
            self._refuse_memory(record)
            return None
        return admitted

    def _admit_metadata(self, stored: str | None) -> str | None:
        """Return a memory's metadata without secrets, and without what was forgotten here."""
        cleaned = clean_metadata(parse_metadata(stored), Tally())
        kept = map_texts(cleaned, lambda _, one: one if self._suppression.may_keep(one) else None)
        return write_metadata(kept)

    def _may_enter(self, record: _Record) -> bool:
        """Check that neither a new memory nor anything it rests on was forgotten here."""
        if self._is_forgotten(record["id"]):
            return False
        if not all(self._may_say(one["content"]) for one in record["versions"]):
            return False
        if any(self._is_forgotten(one) for one in record["derived_from"]):
            return False
        span = record["span"]
        if span is None:
            return True
        gone = self._refusals.places.get((span["source"], span["session_id"]), set())
        return not any(span["first_index"] <= place <= span["last_index"] for place in gone)

    def _is_forgotten(self, memory_id: str) -> bool:
        if memory_id in self._refusals.memory_ids:
            return True
        return self._tx.tombstones.get(memory_id) is not None

    def _may_say(self, content: str) -> bool:
        """Check that a wording may be imported, as nothing in the wording was forgotten here.

        Raises:
            ValueError: the wording holds a secret.
        """
        if redact(content).text != content:
            raise ValueError("holds a secret")
        return self._suppression.may_keep(content)

    def _is_lost(self, turn_id: str | None) -> bool:
        return turn_id is not None and turn_id in self._refusals.turn_ids

    def _has_fallen(self, version: _Record, record: _Record, *, is_known: bool) -> bool:
        """Check whether a wording is left out, as its source turn was erased in this home.

        The present wording of a new memory is not left out here.
        """
        is_conclusion = version["inferred_by"] != "statement" and version["channel"] != "night"
        if not is_conclusion or (version["valid_to"] is None and not is_known):
            return False
        sources = [version["turn"]] if version["turn"] else [x["turn"] for x in record["evidence"]]
        return any(self._is_lost(turn_id) for turn_id in sources)

    def _without_lost_source(self, version: _Record) -> _Record:
        """Return a wording without the words of its turn, if that turn was erased."""
        if not self._is_lost(version["turn"]):
            return version
        is_stated = version["inferred_by"] == "statement"
        return {
            **version,
            "turn": None,
            "quote": version["quote"] if version["quote"] == version["content"] else None,
            "event_expression": version["event_expression"] if is_stated else None,
        }

    def _admit_notes(self, record: _Record) -> _Record:
        tasks = [one for one in record["completed"] if self._may_keep(one["task"])]
        focus = record["current_focus"]
        left = focus if focus is None or self._may_keep(focus) else None
        self._refusals.forgotten += len(record["completed"]) - len(tasks) + (left != focus)
        return {**record, "completed": tasks, "current_focus": left}


def _clean(record: _Record) -> tuple[CleanTurn, int]:
    """Return a turn without secrets, and the number of secrets that were in it."""
    tally = Tally()
    turn = Turn(
        role=Role(record["role"]),
        content=record["content"],
        tool_name=record["tool_name"],
        tool_args=record["tool_args"],
        tool_result=record["tool_result"],
    )
    metadata = clean_metadata(parse_metadata(record.get("metadata")), tally)
    text = replace(clean_turn(turn, tally), metadata=metadata)
    return text, sum(tally.redactions.values())


def _name_of(record: _Record) -> MessageName:
    likeness = record["likeness"]
    return MessageName(
        record["source"],
        record["session_id"],
        record["message_id"],
        bytes.fromhex(record["fingerprint"]),
        None if likeness is None else bytes.fromhex(likeness),
    )


def _is_supported(before: _Record, after: _Record) -> bool:
    """Check that a conclusion that rested on a turn still rests on something."""
    then, now = before["versions"][-1], after["versions"][-1]
    if now["inferred_by"] == "statement" or then["turn"] == now["turn"]:
        return True
    return bool(after["evidence"])
