"""Imports: a person's past, found on this machine or named by a path, and read as items.

A *source* is a program whose data can be read: its formats, where it keeps them, and how an item of
it becomes a turn or a memory. There is one module a source, and one table of them (`table.py`).
A file is recognised by what is in it (`probe.py`, `detect.py`), never by its name alone.
"""

from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts import (
    SkippedLine,
    TranscriptFormat,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
)
from memoria.connectors.transcripts.base import read_each
from memoria.connectors.transcripts.source import Record
from memoria.model.conclusions import ForeignMemory

__all__ = [
    "ForeignItem",
    "ForeignMemory",
    "ImportItem",
    "ImportSource",
    "Probe",
    "Record",
    "SkippedLine",
    "TranscriptFormat",
    "TranscriptSource",
    "TranscriptTurn",
    "UnusableLine",
    "read_each",
]
