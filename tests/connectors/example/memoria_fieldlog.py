"""Field Log, an imaginary program: its log can be imported, and it speaks MCP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memoria import Role, Turn
from memoria.connectors.clients import Client, ClientPlace, ClientProgram, Scope
from memoria.connectors.sources import (
    ForeignItem,
    ForeignMemory,
    ImportItem,
    ImportSource,
    Probe,
    Record,
    TranscriptSource,
    TranscriptTurn,
    read_each,
)


def recognise(probe: Probe) -> bool:
    """Check for lines that say which program wrote them."""
    return any(line.get("app") == "fieldlog" for line in probe.lines)


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield a memory for each finding of a log, and a turn for everything else."""
    yield from read_each(source, source.records(), read_line)


def read_line(record: Record) -> Iterator[ImportItem]:
    """Read a line; what it raises is named in the report, and the next line is read."""
    line: dict[str, Any] = record.value
    if "finding" in line:
        memory = ForeignMemory(key=line["id"], content=line["finding"], at=line["at"])
        yield ForeignItem(record.line, memory, record.size)
    else:
        turn = Turn(
            role=Role.USER,
            content=line["said"],
            session_id=line["trip"],
            message_id=line["id"],
            at=line["at"],
        )
        yield TranscriptTurn(record.line, turn, size=record.size)


SOURCE = ImportSource(
    name="fieldlog",
    title="Field Log",
    client="fieldlog",
    patterns=("*.jsonl",),
    recognises=recognise,
    read=read,
)


def find_config(place: ClientPlace, scope: Scope) -> Path | None:
    """Return the file that lists the servers; a project has none."""
    return place.dot_config / "fieldlog" / "servers.json" if scope == "user" else None


def write_entry(program: ClientProgram) -> dict[str, Any]:
    """Write the entry that starts Memoria's server."""
    return {"command": program.command, "args": program.arguments}


CLIENT = Client(
    name="fieldlog",
    title="Field Log",
    config=find_config,
    entry=write_entry,
    folders=lambda place: (place.dot_config / "fieldlog",),
    remains=lambda _scope: ("Restart Field Log.",),
)
