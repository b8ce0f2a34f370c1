"""The nouns: frozen values that every layer shares. No I/O happens here."""

from memoria.model.channel import COMMAND_LINE, LIBRARY, Channel
from memoria.model.ids import new_id
from memoria.model.instant import from_millis, iso, now_millis, parse_instant, to_millis
from memoria.model.memory import (
    BackupLeft,
    Forgotten,
    Memory,
    MemoryType,
    MemoryVersion,
    Provenance,
    Remembered,
    Revision,
    SourceKind,
    Trust,
    Validity,
)
from memoria.model.parse import as_instant, as_member, as_turns, check_choice, complaints
from memoria.model.scratchpad import CompletedTask, Scratchpad
from memoria.model.search import Hit, Neighbour, SearchResult, Source, ToolCall
from memoria.model.session import Session, SessionRecord, Stretch
from memoria.model.status import (
    FIX,
    RESTORE,
    BacklogStatus,
    Finding,
    Health,
    Mended,
    Statistics,
)
from memoria.model.turn import (
    CaptureEvent,
    Receipt,
    RecordedTurn,
    Role,
    StoredTurn,
    Turn,
    TurnRecord,
)
from memoria.model.vector import Vector

__all__ = [
    "COMMAND_LINE",
    "FIX",
    "LIBRARY",
    "RESTORE",
    "BacklogStatus",
    "BackupLeft",
    "CaptureEvent",
    "Channel",
    "CompletedTask",
    "Finding",
    "Forgotten",
    "Health",
    "Hit",
    "Memory",
    "MemoryType",
    "MemoryVersion",
    "Mended",
    "Neighbour",
    "Provenance",
    "Receipt",
    "RecordedTurn",
    "Remembered",
    "Revision",
    "Role",
    "Scratchpad",
    "SearchResult",
    "Session",
    "SessionRecord",
    "Source",
    "SourceKind",
    "Statistics",
    "StoredTurn",
    "Stretch",
    "ToolCall",
    "Trust",
    "Turn",
    "TurnRecord",
    "Validity",
    "Vector",
    "as_instant",
    "as_member",
    "as_turns",
    "check_choice",
    "complaints",
    "from_millis",
    "iso",
    "new_id",
    "now_millis",
    "parse_instant",
    "to_millis",
]
