"""Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, a line an event.

What was said and done is in the `response_item` lines; everything else repeats it for the screen
or is the client's own. Old rollouts, which the client compresses, end in `.zst`; those of 2025
have their items bare.

Messages have an id only in some versions. Where there is none, the number of the line is it: a
rollout is only ever appended to. A tool call has its call id.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    DefaultFolder,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
)
from memoria.connectors.transcripts.messages import (
    SPEAKERS,
    block_text,
    blocks,
    is_wrapped,
    obj,
    parse_json,
    result_text,
    text,
)
from memoria.connectors.transcripts.reading import TranscriptReading, read_with
from memoria.connectors.transcripts.source import JsonObject, Record
from memoria.model import Role
from memoria.model.attachment import read_attachments

_WORDS = ("input_text", "output_text", "text")
_CLIENT_WORDS = (
    ("<environment_context>", ""),
    ("# AGENTS.md instructions for ", "</INSTRUCTIONS>"),
    *(
        (f"<{tag}>", f"</{tag}>")
        for tag in (
            "user_instructions",
            "additional_context",
            "recommended_plugins",
            "skill",
            "subagent_notification",
            "turn_aborted",
            "user_shell_command",
        )
    ),
)
_REPEATED_ID_CHARS = 16
"""Longest id of a call that may come again; a longer id was drawn at random."""
_SHELL_RESULT = {"output", "metadata"}
"""Keys in the result of an older shell tool, which is JSON in a text."""


class _CodexReading(TranscriptReading):
    """Pass over a rollout."""

    def __init__(self, session: str, path: Path) -> None:
        super().__init__(session, path)
        self._folder: str | None = None
        self._at: object = None
        self._begun = False
        self._is_subagent = False
        self._call_ids: set[str] = set()

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        value = record.value
        self._at = value.get("timestamp") or self._at
        kind, payload = value.get("type"), obj(value.get("payload"))
        if kind == "session_meta" or (kind is None and "id" in value):
            self._read_header(payload or value)
            yield SkippedLine(record.line)
        elif kind == "turn_context":
            self._folder = text(payload.get("cwd")) or self._folder
            yield SkippedLine(record.line)
        elif self._is_subagent or (payload and kind != "response_item"):
            yield SkippedLine(record.line)
        else:
            yield from self._read_item(record, payload or value)

    def dump(self) -> JsonObject:
        """Return what the header says, which calls are open, and which ids may come again."""
        return {
            **super().dump(),
            "folder": self._folder,
            "at": self._at if isinstance(self._at, str) else None,
            "begun": self._begun,
            "subagent": self._is_subagent,
            "ids": [one for one in sorted(self._call_ids) if len(one) <= _REPEATED_ID_CHARS],
        }

    def load(self, dumped: JsonObject) -> None:
        """Go on from what `dump` gave."""
        ids = dumped.get("ids")
        super().load(dumped)
        self._at = dumped.get("at")
        self._folder = text(dumped.get("folder"))
        self._begun = bool(dumped.get("begun"))
        self._is_subagent = bool(dumped.get("subagent"))
        self._call_ids = {*filter(None, map(text, ids))} if isinstance(ids, list) else set()

    def _read_header(self, meta: JsonObject) -> None:
        """Read the first header only: a fork has its ancestors' headers behind its own."""
        if self._begun:
            return
        self._begun = True
        self._session = text(meta.get("id")) or text(meta.get("session_id")) or self._session
        self._cwd = text(meta.get("cwd"))
        # What a subagent is told is the words of an agent, not of the user.
        origin = "subagent" in obj(meta.get("source"))
        self._is_subagent = origin or meta.get("thread_source") == "subagent"

    def _read_item(self, record: Record, item: JsonObject) -> Iterator[TranscriptItem]:
        place = self._position(record, text(item.get("id")))
        match item.get("type"):
            case "message":
                yield self._message(place, item)
            case "function_call" | "custom_tool_call" | "local_shell_call":
                yield from self._call(place, item)
            case "function_call_output" | "custom_tool_call_output":
                call_id = text(item.get("call_id")) or place.message_id
                yield self._calls.close_call(call_id, place, _result(item.get("output")))
            case "web_search_call":
                action = obj(item.get("action"))
                yield place.turn(Role.TOOL, tool_name="web_search", tool_args=action)
            case _:
                yield SkippedLine(record.line)

    def _message(self, place: TranscriptPosition, item: JsonObject) -> TranscriptItem:
        role = SPEAKERS.get(text(item.get("role")) or "")
        parts = [block_text(block, _WORDS) for block in blocks(item.get("content"))]
        kept = [p for p in parts if p.strip() and not is_wrapped(p, _CLIENT_WORDS)]
        if role is None or not kept:
            return SkippedLine(place.line)
        sent = read_attachments(item.get("content"))
        return place.turn(role, content="\n\n".join(kept), attachments=sent)

    def _call(self, place: TranscriptPosition, item: JsonObject) -> Iterator[TranscriptItem]:
        call_id = text(item.get("call_id")) or place.message_id
        # Some model servers number their calls anew in every answer.
        own_id = f"{call_id}.{place.line}" if call_id in self._call_ids else call_id
        self._call_ids.add(call_id)
        yield from self._calls.open_call(place, call_id, _tool_name(item), _arguments(item), own_id)

    def _position(self, record: Record, own_id: str | None) -> TranscriptPosition:
        return TranscriptPosition(
            line=record.line,
            size=record.size,
            session_id=self._session,
            message_id=own_id or record.own_id,
            at=self._at,
            cwd=self._cwd,
            folder=self._folder,
        )


def _tool_name(item: JsonObject) -> str | None:
    if item.get("type") == "local_shell_call":
        return "local_shell"
    name, server = text(item.get("name")), text(item.get("namespace"))
    return f"{server.rstrip('_')}__{name}" if name and server else name


def _arguments(item: JsonObject) -> JsonValue:
    """Return a call's arguments; a function's arguments are JSON in a text."""
    match item.get("arguments"):
        case str(words):
            return parse_json(words, words)
        case _:
            return item.get("input") or obj(item.get("action"))


def _result(output: JsonValue) -> JsonValue:
    match output:
        case str():
            parsed = obj(parse_json(output, output)) if output.startswith('{"') else {}
            return parsed if parsed.keys() == _SHELL_RESULT else output
        case list():
            return "\n".join(block_text(block, _WORDS) for block in blocks(output))
        case _:
            return result_text(obj(output).get("content")) or ""


CODEX = TranscriptFormat(
    name="codex",
    client="codex",
    patterns=("rollout-*.jsonl", "rollout-*.jsonl.zst"),
    read=read_with(_CodexReading),
    follow=_CodexReading,
    folder=DefaultFolder("CODEX_HOME", "~/.codex", "sessions"),
)
