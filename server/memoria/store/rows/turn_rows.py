"""Building turns from their rows."""

import json
from typing import Any

from pydantic import JsonValue

from memoria.model import Role, StoredTurn, Trust
from memoria.store.rows.texts import Texts
from memoria.store.turn_metadata import TurnMetadata

_ROLES = {role.value: role for role in Role}
_TRUST = {trust.value: trust for trust in Trust}


def read_turn_row(row: tuple[Any, ...], heard: TurnMetadata | None, texts: Texts) -> StoredTurn:
    """Build a turn from its row; the table itself checks types and enumerations.

    Args:
        row: of the statement `turns`.
        heard: the turn's metadata with its text, if that has been read; else None.
        texts: reads texts that the row only refers to.
    """
    (n, turn_id, source, session_id, session_n, message_id, turn_index, version, current,
     suppressed, processed, role, speaker, account, at, utc_offset, ingested_at, trust,
     workspace, tool_name, content, args, result, codec, data) = row  # fmt: skip
    return StoredTurn.of_checked(
        {
            "n": n,
            "id": turn_id,
            "source": source,
            "session_id": session_id,
            "session_n": session_n,
            "message_id": message_id,
            "turn_index": turn_index,
            "version": version,
            "current": bool(current),
            "suppressed": bool(suppressed),
            "processed": bool(processed),
            "role": _ROLES[role],
            "speaker": speaker,
            "account": account,
            "at": at,
            "utc_offset": utc_offset,
            "ingested_at": ingested_at,
            "trust": _TRUST[trust],
            "workspace": workspace,
            "content": heard.content if heard else texts.read(content, codec, data),
            "tool_name": tool_name,
            "tool_args": args and _read_json(texts, args),
            "tool_result": result and _read_json(texts, result),
        }
    )


def _read_json(texts: Texts, key: bytes) -> JsonValue:
    value: JsonValue = json.loads(texts.get(key))
    return value
