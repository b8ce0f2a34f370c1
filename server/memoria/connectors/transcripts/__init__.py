"""Transcripts: conversations that other programs have written to disk, read as turns.

Each format has a module, which reads a `TranscriptSource` of bytes and lines and yields items: a
turn that was said, a line that is left out by rule, or a line that can't be read.
"""

from memoria.connectors.transcripts.base import (
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptTurn,
)
from memoria.connectors.transcripts.files import Transcript, find_transcripts
from memoria.connectors.transcripts.formats import FORMATS
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine

__all__ = [
    "FORMATS",
    "SkippedLine",
    "Transcript",
    "TranscriptFormat",
    "TranscriptItem",
    "TranscriptSource",
    "TranscriptTurn",
    "UnusableLine",
    "find_transcripts",
]
