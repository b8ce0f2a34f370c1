"""The text of a tool's result, and what its client says of how the call ended."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from memoria.language.words.document import as_text

_MOST_CHARS = 20_000
"""Characters that are read of a result, half of them from its end."""
_MOST_LINES = 400
_TEXT_FIELDS = (
    "content", "stdout", "output", "stderr", "error", "message", "text", "aggregated_output",
    "formatted_output", "result",
)  # fmt: skip
_CODE_FIELDS = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "code")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CODE_LINE = re.compile(
    r"(?im)^\W*(?:process |command |shellid: \w+ )?"
    r"(?:exited|failed|finished|completed)?(?: with)?\s*"
    r"(?:exit[ _]?code|exit status|code|return code)\s*[:=]?\s*(?P<code>-?\d+)\W*$"
)
_DECLINED = (
    "doesn't want to proceed with this tool use",
    "doesn't want to take this action",
    "tool use was rejected",
    "request interrupted by user",
    "user rejected",
    "rejected by user",
    "denied by the user",
    "user denied",
    "user declined",
    "cancelled by user",
    "canceled by user",
    "aborted by user",
    "operation cancelled by user",
    "user did not allow",
    "permission to use",
    "requires approval",
)
_DECLINED_WITHIN = 300


class ToolOutput(NamedTuple):
    """Output of a tool."""

    text: str
    """Without colours, and without what the client says of the exit code."""
    exit_code: int | None
    """None where the client says none."""
    is_error: bool | None
    """True where the client marks an error, False where it marks a success, else None."""
    is_declined: bool
    """True where the user or the client stopped the call."""


def read_output(result: JsonValue) -> ToolOutput:
    """Return a result's text and end."""
    whole = "\n".join(part for part in _list_texts(result) if part)
    if len(whole) > _MOST_CHARS:
        half = _MOST_CHARS // 2
        whole = f"{whole[:half]}\n{whole[-half:]}"
    if "\x1b" in whole:
        whole = _ANSI.sub("", whole)
    code, is_error, is_stopped = _read_end(result)
    opening = whole[:_DECLINED_WITHIN].lower()
    is_declined = is_stopped or any(sign in opening for sign in _DECLINED)
    text, told = _cut_code(whole)
    return ToolOutput(text, told if code is None else code, is_error, is_declined)


def _read_end(result: JsonValue) -> tuple[int | None, bool | None, bool]:
    """Return exit code, whether an error is marked, and whether the call was stopped."""
    if not isinstance(result, dict):
        return None, None, False
    told = result.get("metadata")
    fields = {**told, **result} if isinstance(told, dict) else result
    code: int | None = None
    for name in _CODE_FIELDS:
        value = fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            code = value
            break
    is_error: bool | None = None
    for name in ("is_error", "isError"):
        if isinstance(fields.get(name), bool):
            is_error = bool(fields[name])
    if is_error is None and isinstance(fields.get("success"), bool):
        is_error = not fields["success"]
    if is_error is None and fields.get("error") and set(result) <= {"error", "code", "type"}:
        is_error = True
    return code, is_error, bool(fields.get("interrupted"))


def _list_texts(value: JsonValue, depth: int = 4) -> Iterator[str]:
    match value:
        case None | bool():
            return
        case str():
            yield value
        case dict() if depth:
            named = [value[name] for name in _TEXT_FIELDS if name in value]
            if not named:
                yield as_text(value)
            for one in named:
                yield from _list_texts(one, depth - 1)
        case list() if depth:
            for one in value:
                yield from _list_texts(one, depth - 1)
        case _:
            yield as_text(value)


def _cut_code(text: str) -> tuple[str, int | None]:
    """Cut the line in which a client says the exit code: of the first lines, or of the last."""
    lines = text.split("\n")
    for i in (*range(min(len(lines), 4)), *range(max(len(lines) - 4, 4), len(lines))):
        found = _CODE_LINE.match(lines[i]) if len(lines[i]) <= 60 else None  # noqa: PLR2004
        if found:
            return "\n".join((*lines[:i], *lines[i + 1 :])).strip("\n"), int(found["code"])
    return text, None


def list_lines(text: str) -> list[str]:
    """List the lines of an output that are looked at: all, or the first and the last."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= _MOST_LINES:
        return lines
    return lines[: _MOST_LINES // 2] + lines[-_MOST_LINES // 2 :]
