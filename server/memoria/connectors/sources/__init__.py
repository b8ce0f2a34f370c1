"""Imports: a person's past, found on this machine or named by a path, and read as items.

A *source* is a program whose data can be read: its formats, the places of its files, and the reader
of its items, each a turn or a memory. A module has one source or several of a kind; `detect.py` has
a table of all. A file is recognised by its content (`probe.py`), never by its name alone.
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
