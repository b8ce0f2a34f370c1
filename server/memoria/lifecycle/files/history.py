"""A conversation as JSON Lines: a turn a line, as it was said."""

import json
import re
from collections.abc import Iterable

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import StoredTurn, to_iso

_BREAKS = lazy_regex("[\x85\u2028\u2029]")
"""Matches what some readers take for the end of a line, and JSON leaves as it is."""


def render_history(turns: Iterable[StoredTurn]) -> str:
    """Render the file of a conversation; the same turns always give the same bytes.

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
