"""Writing transcripts as the clients do, importing them, and reading back what was kept."""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from memoria import Memoria
from memoria.admin.importer import Importer, ImportReport, Progress
from memoria.app import project_of
from memoria.connectors.transcripts import (
    FORMATS,
    TranscriptItem,
    TranscriptSource,
    find_transcripts,
)
from memoria.memories.foreign import ForeignReceipt
from memoria.model import Receipt, RecordedTurn, StoredTurn, Turn, new_id
from memoria.model.conclusions import ForeignMemory
from memoria.model.provenance import transcript_channel

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

Line = dict[str, Any]
SESSION = "5a0e4c1e-3c56-4a0b-9d0c-2f6f7a1b9c10"
FOLDER = "/home/lin/gateway"


def nothing(_file: Path, _done: int) -> None:
    """No progress bar."""


def jsonl(*lines: Line | bytes) -> bytes:
    """Objects a line; bytes as they are."""
    return b"".join(
        line
        if isinstance(line, bytes)
        else json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for line in lines
    )


def written(file: Path, *lines: Line | bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(jsonl(*lines))
    return file


def through(memory: Memoria, form: str) -> Memoria:
    """The memory as an import of this format sees it."""
    client = FORMATS[form].client
    return memory.with_channel(transcript_channel(client))


async def imported(
    memory: Memoria, form: str, *paths: Path, progress: Progress = nothing
) -> ImportReport:
    files = find_transcripts(paths, FORMATS[form])
    return await Importer(through(memory, form), FORMATS[form], files, progress, BY_PATH).run()


async def kept(memory: Memoria, session_id: str = SESSION) -> list[StoredTurn]:
    return list((await memory.get_session(session_id, limit=10_000)).turns)


def told(turns: Iterable[StoredTurn]) -> list[tuple[str, object, object]]:
    """(role, words or tool, result) of each turn: what a reader would tell of it."""
    return [
        (turn.role.value, turn.content, None)
        if turn.tool_name is None
        else (turn.role.value, {turn.tool_name: turn.tool_args}, turn.tool_result)
        for turn in turns
    ]


def items(form: str, file: Path) -> list[TranscriptItem]:
    """What a reader makes of a file, without any store."""
    reads = FORMATS[form]
    source = TranscriptSource(file, "unnamed", is_document=file.suffix in reads.documents)
    return list(reads.read(source))


class Ledger:
    """A recorder that keeps the ids of turns and how many came at once, and nothing else."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.ids: list[tuple[str | None, str | None]] = []

    async def keep_foreign(
        self,
        memories: Sequence[ForeignMemory],
        *,
        workspace: str | None,  # noqa: ARG002  (a recorder takes one)
    ) -> ForeignReceipt:
        """Transcripts have none."""
        raise AssertionError(memories)

    async def record_conversation(
        self,
        turns: Sequence[Turn],
        /,
        *,
        workspace: str | None,  # noqa: ARG002  (a recorder takes one)
    ) -> Receipt:
        self.sizes.append(len(turns))
        self.ids += [(turn.session_id, turn.message_id) for turn in turns]
        return Receipt(
            id=new_id(),
            recorded=len(turns),
            already_recorded=0,
            new_versions=0,
            forgotten=0,
            redactions={},
            stripped=0,
            turns=tuple(RecordedTurn(status="recorded", id="x") for _ in turns),
            closed_segments=0,
        )

    async def close_past_conversations(self) -> int:
        return 0


# --- Claude Code ------------------------------------------------------------------------------


def claude(
    kind: str, content: object, uuid: str, message: Line | None = None, **fields: object
) -> Line:
    """A line of Claude Code; `message` has more fields of the message."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": FOLDER,
        "sessionId": SESSION,
        "version": "2.1.60",
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content, **(message or {})},
        "uuid": uuid,
        "timestamp": "2026-10-05T08:00:00.000Z",
        **fields,
    }


def claude_says(message_id: str, block: Line, uuid: str, **fields: object) -> Line:
    """One content block of an assistant's message."""
    message = {"id": message_id, "type": "message", "model": "claude-opus-4-8"}
    return claude("assistant", [block], uuid, message=message, **fields)


def block(words: str) -> Line:
    return {"type": "text", "text": words}


def claude_calls(message_id: str, call_id: str, command: str, uuid: str) -> Line:
    called = {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": command}}
    return claude_says(message_id, called, uuid)


def claude_result(call_id: str, content: object, uuid: str, **fields: object) -> Line:
    result = {"tool_use_id": call_id, "type": "tool_result", "content": content, **fields}
    return claude("user", [result], uuid, toolUseResult={"stdout": content})


# --- Codex ------------------------------------------------------------------------------------


def codex(kind: str, payload: Line, at: str = "2026-10-05T08:00:00.000Z") -> Line:
    return {"timestamp": at, "type": kind, "payload": payload}


def codex_meta(**fields: object) -> Line:
    meta = {
        "id": SESSION,
        "timestamp": "2026-10-05T07:59:59.000Z",
        "cwd": FOLDER,
        "originator": "codex_cli_rs",
        "cli_version": "0.169.0",
        "source": "cli",
        "base_instructions": {"text": "You are Codex."},
    }
    return codex("session_meta", {**meta, **fields})


def codex_message(role: str, *words: str, **fields: object) -> Line:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in words]
    return codex("response_item", {"type": "message", "role": role, "content": content, **fields})


def codex_calls(call_id: str, command: str, name: str = "shell") -> Line:
    arguments = json.dumps({"command": ["bash", "-lc", command]})
    called = {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}
    return codex("response_item", called)


def codex_result(call_id: str, output: object, kind: str = "function_call_output") -> Line:
    return codex("response_item", {"type": kind, "call_id": call_id, "output": output})


# --- Gemini -----------------------------------------------------------------------------------


def gemini_header(**fields: object) -> Line:
    return {
        "sessionId": SESSION,
        "projectHash": "f" * 64,
        "startTime": "2026-10-05T07:59:59.000Z",
        "lastUpdated": "2026-10-05T07:59:59.000Z",
        "kind": "main",
        **fields,
    }


def gemini(kind: str, content: object, message_id: str, **fields: object) -> Line:
    return {
        "id": message_id,
        "timestamp": "2026-10-05T08:00:00.000Z",
        "type": kind,
        "content": content,
        **fields,
    }


def gemini_call(call_id: str, command: str, output: str | None = None) -> Line:
    name = "run_shell_command"
    answer = {"functionResponse": {"id": call_id, "name": name, "response": {"output": output}}}
    return {
        "id": call_id,
        "name": name,
        "args": {"command": command},
        "status": "executing" if output is None else "success",
        "timestamp": "2026-10-05T08:00:01.000Z",
        **({} if output is None else {"result": [answer]}),
    }
