"""Cleaner of texts that a hook could not tell to be clean; what is left goes into the spool.

It is a process of its own, started by a hook (`surface/hook/handover.py`): the text comes through a
pipe, which is read at once so that the hook need not wait, and touches the disk only when clean.
"""

import os
import sys

from memoria.bare.plain_json import read_json
from memoria.bare.spool import append_entry, describe_error, note_failure


def run(home: str, tenant: str) -> None:
    """Read an entry from standard input, and lay its clean turns into the spool."""
    content = sys.stdin.buffer.read()
    if hasattr(os, "nice"):
        os.nice(5)
    try:
        entry = read_json(content.decode("utf-8"))
        if isinstance(entry, dict) and (turns := clean_turns(entry.get("turns"))):
            append_entry(home, tenant, {**entry, "turns": turns})
    except Exception as error:  # noqa: BLE001  (it is noted, and nobody else would hear of it)
        reason = f"a text was not recorded: {describe_error(error)}"
        note_failure(home, tenant, "hook", reason)


def clean_turns(turns: object) -> list[dict[str, object]]:
    """Remove from an entry's turns what must not be kept; drop turns of which nothing is left."""
    from memoria.ingest.clean import clean_turn  # noqa: PLC0415  (read the pipe first)
    from memoria.language.reading.clean import Tally  # noqa: PLC0415
    from memoria.model import Turn  # noqa: PLC0415

    cleaned = list[dict[str, object]]()
    for fields in turns if isinstance(turns, list) else ():
        said = {name: value for name, value in fields.items() if name != "id"}
        clean = clean_turn(Turn(**said), Tally())
        if not clean.is_empty:
            values = {name: getattr(clean, name) for name in said if name != "role"}
            cleaned.append({**fields, **values})
    return cleaned
