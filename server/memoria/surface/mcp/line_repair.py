r"""Lines of standard input that are almost JSON-RPC: mended where that is safe, else answered.

The SDK drops a line it can't parse without a word, and whoever sent it waits for ever. Two kinds
come from real clients. JavaScript writes half of a cut emoji as an escape of its own (`\ud83d`),
which strict parsers refuse; and careless encoders leave control characters bare. Either would cost
a whole turn, so half a character becomes U+FFFD and a bare one is escaped. Any other line is
refused by name, as long as it can be seen which request it was.
"""

import re
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable

from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from memoria.bare.lazy_regex import lazy_regex

Incoming = SessionMessage | Exception
Answer = Callable[[SessionMessage], Awaitable[None]]

# Neither pattern can fail once it has begun, so that a string without an end is not tried again
# from every quote in it.
_STRING = lazy_regex(r'"(?:[^"\\]|\\.?)*"?', re.DOTALL)
_ESCAPE = lazy_regex(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>\\u[dD][89a-fA-F]..)|\\.")
_BARE = lazy_regex(r"[\x00-\x1f]")
_PART = lazy_regex(rf"{_STRING.pattern}|[{{}}\[\]]", re.DOTALL)
_VALUE = lazy_regex(r'\s*:\s*(?:(?P<number>-?\d{1,18})(?!\d)|"(?P<text>[^"\\]{1,200})")')


async def repair_lines(
    messages: AsyncIterable[Incoming], answer: Answer
) -> AsyncIterator[Incoming]:
    """Yield a server's incoming messages, with the lines that the SDK could not parse dealt with.

    Args:
        messages: what the SDK's transport reads.
        answer: writes a message back.
    """
    async for item in messages:
        line = _invalid_line(item)
        try:
            yield item if line is None else _parse(repair_line(line))
        except ValidationError as error:
            await _refuse_line(line or "", error, answer)


def _parse(line: str) -> SessionMessage:
    return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))


async def _refuse_line(line: str, error: ValidationError, answer: Answer) -> None:
    request = request_id(line)
    if request is None:
        return  # an answer must name its request
    problem = error.errors(include_input=False, include_url=False)[0]["msg"]
    text = f"The request can't be read: {problem}. Nothing was done; mend it and send it again."
    refused = ErrorData(code=PARSE_ERROR, message=text)
    await answer(SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=refused)))


def repair_line(line: str) -> str:
    """Replace half characters in a line, and escape bare control characters."""
    return _STRING.sub(lambda string: _repair_string(string[0]), line.lstrip("\ufeff"))


def request_id(line: str) -> int | str | None:
    """Find the id of the request in a line that is not quite JSON: that of the outermost object."""
    depth = 0
    for part in _PART.finditer(line):
        if part[0] in "{[":
            depth += 1
        elif part[0] in "}]":
            depth -= 1
        elif depth == 1 and part[0] == '"id"' and (value := _VALUE.match(line, part.end())):
            return int(value["number"]) if value["number"] else value["text"]
    return None


def _repair_string(string: str) -> str:
    whole = _ESCAPE.sub(lambda escape: "\\ufffd" if escape["half"] else escape[0], string)
    return _BARE.sub(lambda bare: f"\\u{ord(bare[0]):04x}", whole)


def _invalid_line(item: Incoming) -> str | None:
    """Return the line the SDK could not parse as JSON, if that is what the item tells of."""
    if not isinstance(item, ValidationError):
        return None
    first = item.errors(include_url=False)[0]
    line = first["input"]
    return line if first["type"] == "json_invalid" and isinstance(line, str) else None
