"""Cline, from version 3 of its command line: two JSON documents a session, messages and facts.

`~/.cline/data/sessions/<session>/<session>.messages.json` has a list of messages, each a list of
blocks; a prompt is wrapped in a tag that says in which mode it was typed. `<session>.json` beside
it names the folder. The document is written anew with each message.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    DefaultFolder,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
    read_each,
)
from memoria.connectors.transcripts.messages import (
    SPEAKERS,
    block_words,
    blocks,
    obj,
    objects,
    text,
)
from memoria.connectors.transcripts.reading import OpenCalls, read_call_blocks
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, read_text
from memoria.model import Role
from memoria.model.attachment import read_attachments

_MESSAGES = ".messages.json"
_LEAD = "lead"
"""Name of the user's own agent. Other agents were started by this agent."""
_MOST_MANIFEST_BYTES = 1 << 20
_TYPED = re.compile(r"\s*<user_input\b[^>]*>(.*)</user_input>\s*", re.DOTALL)


def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
    """Yield the turns of a session's document."""
    yield from read_each(source, source.records(), lambda record: _read_messages(source, record))


def _read_messages(source: TranscriptSource, record: Record) -> Iterator[TranscriptItem]:
    if text(record.value.get("agent")) not in (None, _LEAD):
        return
    manifest, calls = _read_manifest(source.path), OpenCalls()
    default = source.session.removesuffix(_MESSAGES.removesuffix(".json"))
    session = text(record.value.get("sessionId")) or default
    for number, message in enumerate(objects(record.value.get("messages"))):
        place = TranscriptPosition(
            line=record.line,
            size=len(str(message)),
            session_id=session,
            message_id=text(message.get("id")) or f"{record.own_id}.{number}",
            at=message.get("ts"),
            cwd=text(manifest.get("cwd")),
        )
        yield from _read_message(place, message, calls)
    yield from calls.remaining_calls()


def _read_message(
    place: TranscriptPosition, message: Mapping[str, JsonValue], calls: OpenCalls
) -> Iterator[TranscriptItem]:
    content = blocks(message.get("content"))
    role = SPEAKERS.get(text(message.get("role")) or "")
    said = "\n\n".join(filter(str.strip, map(block_words, content)))
    if role is Role.USER and (found := _TYPED.fullmatch(said)):
        said = found[1]
    is_shown = obj(message.get("metadata")).get("displayRole") != "system"
    if role and said.strip() and is_shown:
        yield place.turn(role, content=said, attachments=read_attachments(content))
    yield from read_call_blocks(place, content, calls)


def _read_manifest(messages: Path) -> JsonObject:
    """Read the document about a session; empty if the document can't be read."""
    manifest = messages.with_name(messages.name.removesuffix(_MESSAGES) + ".json")
    try:
        return obj(json.loads(read_text(manifest, _MOST_MANIFEST_BYTES) or ""))
    except (OSError, ValueError):
        return {}


CLINE = TranscriptFormat(
    name="cline",
    client="cline",
    patterns=(f"*{_MESSAGES}",),
    read=read,
    folder=DefaultFolder("CLINE_DIR", "~/.cline", "data/sessions"),
    documents=frozenset({".json"}),
)
